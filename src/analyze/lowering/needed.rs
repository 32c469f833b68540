//! For which barriers a lowering is wrong: those that a needed pair rests on which all packets between its two uses leave
//! unensured (reading R78). What else a packet lacks of its barrier's masks is told apart.
//!
//! A change of a layout comes between the uses before and after it. A machine that stores both layouts alike does nothing at
//! the change: so each use after a change is also paired with the uses before it, and with a change that comes right before
//! that one.
//!
//! Cost: nothing where packets do what masks ask. Else the pairs of the timeline once, and of a scope with such packets the
//! pairs that pass them, with the packets on the way (`ensure/pairs/`).

use super::later::{Later, Owed, seen_later};
use crate::analyze::{attribution, names};
use crate::api::LeafSet;
use crate::ensure::{self, Extra, Missing, Pair, Point, PointPart, Shortfall, Shortfalls, What};
use crate::graph::{self, NeededPair, Part, Side};
use crate::hardware::Profile;
use crate::id::{BarrierRef, Extent, NodeId, SubmissionId};
use crate::order::{self, Timeline};
use crate::program::{Block, Program};
use crate::scenario::Barrier;
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

/// Pairs of one scope that are looked at.
const PAIRS_MAX: usize = 1 << 20;

/// Uses before a change of a layout that are paired with those after it: the latest.
const BEFORE_MAX: usize = 256;

/// A missing operation of a barrier entry, and a pair of uses that rests on it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Lack {
    /// What is missing.
    pub shortfall: Shortfall,
    /// The two uses.
    pub uses: (Side, Side),
}

/// What packets lack, by whether a needed pair rests on it, and what they have beyond need.
#[derive(Clone, Default, Debug)]
pub struct Judged {
    /// The lowering is wrong.
    pub missing: Vec<Lack>,
    /// Less than the masks ask for; every needed pair is ensured all the same.
    pub less: Vec<Shortfall>,
    /// Ensured and not asked.
    pub extra: Vec<Extra>,
    /// Barrier entries checked.
    pub checked: u64,
}

/// The needed pairs of a timeline, found when a packet lacks something.
pub struct NeededPairs<'a, 's> {
    timeline: &'a Timeline<'s>,
    /// Those of one scope, and those of two.
    within: OnceLock<ByScope>,
    across: OnceLock<ByScope>,
}

/// Pairs, ascending by the scope of the second side.
struct ByScope(Vec<(SubmissionId, NeededPair)>);

impl ByScope {
    fn new(timeline: &Timeline<'_>, pairs: Vec<NeededPair>) -> Self {
        let scope = |pair: NeededPair| (timeline.submission_of(pair.second.node), pair);
        let mut pairs: Vec<_> = pairs.into_iter().map(scope).collect();
        pairs.sort_by_key(|(scope, _)| *scope);
        Self(pairs)
    }

    /// Those whose second side is in a scope.
    fn of(&self, id: SubmissionId) -> impl Iterator<Item = &NeededPair> {
        let from = self.0.partition_point(|(at, _)| *at < id);
        let own = self.0[from..].iter().take_while(move |(at, _)| *at == id);
        own.map(|(_, pair)| pair)
    }
}

impl<'a, 's> NeededPairs<'a, 's> {
    /// Of a timeline; nothing is computed yet.
    pub fn new(timeline: &'a Timeline<'s>) -> Self {
        Self {
            timeline,
            within: OnceLock::new(),
            across: OnceLock::new(),
        }
    }

    /// Judges a program.
    pub fn check(&self, profile: &Profile, program: &Program) -> Judged {
        let (mut all, mut owed) = (Judged::default(), Owed::default());
        for (index, block) in program.blocks.iter().enumerate() {
            let judged = self.check_block(profile, (SubmissionId::new(index), block), &mut owed);
            all.missing.extend(judged.missing);
            all.less.extend(judged.less);
            all.extra.extend(judged.extra);
            all.checked += judged.checked;
        }
        all
    }

    /// Judges the packets of one submission. `owed` goes from one block of a program to the next.
    pub fn check_block(
        &self,
        profile: &Profile,
        (id, block): (SubmissionId, &Block),
        owed: &mut Owed,
    ) -> Judged {
        let mut found = Shortfalls::default();
        ensure::check_block(self.timeline, profile, id, block, &mut found);
        let mut judged = Judged {
            extra: found.extra,
            checked: found.checked,
            missing: owed.undone(self.timeline, profile, (id, block)),
            less: Vec::new(),
        };
        if found.missing.is_empty() {
            return judged;
        }
        let uses = self.failing(profile, (id, block), &found.missing);
        for (shortfall, uses) in found.missing.into_iter().zip(uses) {
            let later = match (uses, shortfall.what) {
                (Some(uses), _) => Later::Seen(uses),
                (None, What::Layout(_)) => seen_later(self.timeline, shortfall.barrier),
                (None, _) => Later::Unseen,
            };
            match later {
                Later::Seen(uses) => judged.missing.push(Lack { shortfall, uses }),
                Later::Owed(uses, until) => owed.add(until, shortfall, uses),
                Later::Unseen => judged.less.push(shortfall),
            }
        }
        judged
    }

    /// A write before a barrier and a read after it, of the barrier's bytes.
    pub fn around(&self, barrier: BarrierRef) -> Option<(Side, Side)> {
        let timeline = self.timeline;
        let bytes = bytes(timeline, barrier);
        let scope = self.scope(timeline.submission_of(barrier.node), &[barrier.node]);
        let across = self.across().0.iter();
        let across = across.map(|(_, pair)| (pair.first, pair.second));
        let scope = scope.into_iter().map(|both| (both.first, both.second));
        let mut pairs = scope.chain(across);
        pairs.find(|(first, second)| {
            let does = first.access.writes() && second.access.reads();
            does && first.node < barrier.node
                && barrier.node < second.node
                && self.meets(first, second, bytes.as_deref())
        })
    }

    fn within(&self) -> &ByScope {
        let pairs = || ByScope::new(self.timeline, graph::needed_pairs(self.timeline));
        self.within.get_or_init(pairs)
    }

    fn across(&self) -> &ByScope {
        let pairs = || ByScope::new(self.timeline, graph::pairs_across(self.timeline));
        self.across.get_or_init(pairs)
    }

    /// For each shortfall of a scope the uses of a pair that rests on it.
    fn failing(
        &self,
        profile: &Profile,
        (id, block): (SubmissionId, &Block),
        shortfalls: &[Shortfall],
    ) -> Vec<Option<(Side, Side)>> {
        let timeline = self.timeline;
        let mut nodes: Vec<NodeId> = shortfalls.iter().map(|it| it.barrier.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut pairs = self.scope(id, &nodes);
        let within = pairs.len();
        pairs.extend(self.entering(id, nodes[0]).map(Both::new));
        let points = pairs.iter().enumerate().map(|(at, both)| Pair {
            first: if at < within {
                point(&both.first)
            } else {
                earlier(&both.first)
            },
            second: point(&both.second),
            in_raster_order: graph::raster_exempt(&both.first, &both.second),
            through: both.through,
        });
        let points: Vec<Pair> = points.collect();
        let unensured = ensure::unensured(timeline, profile, (id, block), &points);
        let bytes: Vec<_> = shortfalls
            .iter()
            .map(|it| bytes(timeline, it.barrier))
            .collect();
        let halves = OnceCell::new();
        let first_of = |second: BarrierRef| {
            let halves = halves.get_or_init(|| first_halves(timeline, id));
            halves.get(&second)
        };
        let mut failing: Vec<Option<(Side, Side)>> = vec![None; shortfalls.len()];
        for (index, missing) in unensured {
            let Both { first, second, .. } = pairs[index];
            // They are in the order of the commands.
            let until = shortfalls.partition_point(|it| it.barrier.node <= second.node);
            let from = if index < within {
                shortfalls.partition_point(|it| it.barrier.node < first.node)
            } else {
                0
            };
            let between = from..until.max(from);
            let meets = |at: &usize| self.meets(&first, &second, bytes[*at].as_deref());
            let passed: Vec<usize> = between.clone().filter(meets).collect();
            let mut rested = resting(shortfalls, (between, &passed), &missing);
            let holds = unheld(shortfalls, (&passed, &rested), second.stages, &first_of);
            rested.extend(holds);
            for at in rested {
                let known = &mut failing[at];
                let near =
                    |(first, second): &(Side, Side)| (std::cmp::Reverse(first.node), second.node);
                if known
                    .as_ref()
                    .is_none_or(|it| near(&(first, second)) < near(it))
                {
                    *known = Some((first, second));
                }
            }
        }
        failing
    }

    /// Pairs of a use in an earlier scope and one in this, not before a node.
    fn entering(&self, id: SubmissionId, from: NodeId) -> impl Iterator<Item = (Side, Side)> {
        let pairs = self.across().of(id);
        let pairs = pairs.map(|pair| (pair.first, pair.second));
        pairs.filter(move |(first, second)| {
            let writes = first.access.writes() || first.access.is_empty();
            writes && second.node > from && self.timeline.submission_of(first.node) != id
        })
    }

    /// Whether two uses have bytes in common, among some; `None`: among all.
    fn meets(&self, first: &Side, second: &Side, bytes: Option<&[Extent]>) -> bool {
        let first = attribution::extents(self.timeline, first);
        let second = attribution::extents(self.timeline, second);
        let mut both = first
            .iter()
            .flat_map(|a| second.iter().filter_map(|b| a.intersection(*b)));
        both.any(|extent| {
            bytes.is_none_or(|bytes| bytes.iter().any(|b| b.intersection(extent).is_some()))
        })
    }

    /// The pairs of a scope that were asked for and pass one of some nodes, through changes of layouts as well.
    fn scope(&self, id: SubmissionId, nodes: &[NodeId]) -> Vec<Both> {
        let pairs = self.within().of(id);
        let asked: Vec<&NeededPair> = pairs.filter(|pair| pair.asked).collect();
        let changes = Changes::new(self.timeline, id, &asked);
        let passes = |first: &Side, second: &Side| {
            let from = nodes.partition_point(|node| *node < first.node);
            nodes.get(from).is_some_and(|node| *node <= second.node)
        };
        let mut seen = BTreeSet::new();
        let mut pairs = Vec::new();
        let mut add = |both: Both| {
            let Both { first, second, .. } = &both;
            let is_new =
                passes(first, second) && seen.insert((key(first), key(second), both.through));
            if is_new && pairs.len() < PAIRS_MAX {
                pairs.push(both);
            }
        };
        for pair in asked {
            let second = pair.second;
            add(Both::new((
                changes.whole(pair.first),
                changes.whole(second),
            )));
            if second.barrier().is_some() {
                continue;
            }
            for first in changes.uses_before(&pair.first) {
                if needs(first, &second) {
                    add(Both::new((*first, second)));
                }
            }
            let through = changes.of(&pair.first);
            for first in changes.changes_before(&pair.first) {
                add(Both {
                    first: *first,
                    second,
                    through,
                });
            }
        }
        pairs
    }
}

/// Two sides that are looked at together.
#[derive(Copy, Clone)]
struct Both {
    first: Side,
    second: Side,
    /// The latest change before the second side, if the first is a change before that.
    through: Option<BarrierRef>,
}

impl Both {
    fn new((first, second): (Side, Side)) -> Self {
        Self {
            first,
            second,
            through: None,
        }
    }
}

/// What comes before each change of a layout in a scope, through other changes as well.
struct Changes {
    /// The first half of each second half of a split barrier: one change.
    firsts: BTreeMap<BarrierRef, BarrierRef>,
    uses: BTreeMap<BarrierRef, Vec<Side>>,
    /// Changes whose contents a change keeps.
    earlier: BTreeMap<BarrierRef, Vec<Side>>,
}

impl Changes {
    fn new(timeline: &Timeline<'_>, id: SubmissionId, asked: &[&NeededPair]) -> Self {
        let mut changes = Self {
            firsts: first_halves(timeline, id),
            uses: BTreeMap::new(),
            earlier: BTreeMap::new(),
        };
        let mut before: BTreeMap<BarrierRef, Vec<Side>> = BTreeMap::new();
        for pair in asked {
            if let Some(change) = changes.of(&pair.second) {
                before.entry(change).or_default().push(pair.first);
            }
        }
        // Ascending: what comes before a change is known when that is looked at.
        for (change, sides) in before {
            let (mut uses, mut earlier) = (Vec::new(), Vec::new());
            for side in &sides {
                match changes.of(side) {
                    Some(own) if own == change => {}
                    Some(_) => {
                        uses.extend(changes.uses_before(side));
                        earlier.push(changes.whole(*side));
                        earlier.extend(changes.changes_before(side));
                    }
                    None => uses.push(*side),
                }
            }
            changes.uses.insert(change, latest(uses));
            let entry = names::entry(timeline, change).and_then(Barrier::as_texture);
            if entry.is_some_and(|it| !it.drops_contents()) {
                changes.earlier.insert(change, latest(earlier));
            }
        }
        changes
    }

    fn of(&self, side: &Side) -> Option<BarrierRef> {
        let barrier = side.barrier()?;
        Some(self.firsts.get(&barrier).copied().unwrap_or(barrier))
    }

    /// A change as its first half has it, if it is in halves.
    fn whole(&self, side: Side) -> Side {
        match self.of(&side) {
            Some(first) => Side {
                node: first.node,
                part: Part::Entry(first.entry),
                ..side
            },
            None => side,
        }
    }

    /// The uses before a side, if that is a change.
    fn uses_before(&self, side: &Side) -> &[Side] {
        let change = self.of(side);
        let uses = change.and_then(|change| self.uses.get(&change));
        uses.map_or(&[], Vec::as_slice)
    }

    /// The changes before a side, if that is a change that keeps the contents.
    fn changes_before(&self, side: &Side) -> &[Side] {
        let change = self.of(side);
        let changes = change.and_then(|change| self.earlier.get(&change));
        changes.map_or(&[], Vec::as_slice)
    }
}

/// The latest few of some sides, each once.
fn latest(mut sides: Vec<Side>) -> Vec<Side> {
    let mut seen = BTreeSet::new();
    sides.sort_by_key(|side| std::cmp::Reverse(side.node));
    sides.retain(|side| seen.insert(key(side)));
    sides.truncate(BEFORE_MAX);
    sides
}

/// The first half of each second half of a split barrier in a scope.
fn first_halves(timeline: &Timeline<'_>, id: SubmissionId) -> BTreeMap<BarrierRef, BarrierRef> {
    let halves = order::split_pairs(timeline, id).into_iter();
    halves.map(|(first, second)| (second, first)).collect()
}

/// The shortfalls that a pair rests on, of those between its uses, of which it passes some as their bytes are its own: those
/// of what it lacks; if there are none, those of the order that it lacks. Order comes from barriers of other bytes as well.
/// Or else all that it passes.
fn resting(
    shortfalls: &[Shortfall],
    (between, passed): (Range<usize>, &[usize]),
    missing: &Missing,
) -> Vec<usize> {
    let rests = |at: &usize, rests: &dyn Fn(What, What) -> bool| {
        let mut missing = missing.iter();
        missing.any(|(what, _)| rests(shortfalls[*at].what, *what))
    };
    let exactly = |has, lacks| match (has, lacks) {
        (What::Wait(a), What::Wait(b)) | (What::Hold(a), What::Hold(b)) => {
            !a.intersection(b).is_empty()
        }
        _ => has == lacks,
    };
    let is_order = |what| matches!(what, What::Wait(_) | What::Hold(_) | What::FirstHalf);
    let ordering = |has, lacks| is_order(has) && is_order(lacks);
    let own = |is: &dyn Fn(What, What) -> bool| -> Vec<usize> {
        passed.iter().copied().filter(|at| rests(at, is)).collect()
    };
    let any = |is: &dyn Fn(What, What) -> bool| -> Vec<usize> {
        between.clone().filter(|at| rests(at, is)).collect()
    };
    let tries = [
        own(&exactly),
        own(&ordering),
        any(&|has, lacks| ordering(has, lacks) && exactly(has, lacks)),
        any(&ordering),
    ];
    let rested = tries.into_iter().find(|rested| !rested.is_empty());
    rested.unwrap_or_else(|| passed.to_vec())
}

/// The holds that second halves of split barriers lack at some stages, if the pair rests on their first halves: these ensure
/// nothing without them.
fn unheld<'h>(
    shortfalls: &[Shortfall],
    (passed, rested): (&[usize], &[usize]),
    stages: LeafSet,
    first_of: &dyn Fn(BarrierRef) -> Option<&'h BarrierRef>,
) -> Vec<usize> {
    let rests_on = |first: &BarrierRef| rested.iter().any(|at| shortfalls[*at].barrier == *first);
    let lacks_hold = |at: &&usize| {
        let Shortfall { what, barrier, .. } = &shortfalls[**at];
        matches!(what, What::Hold(leaves) if !leaves.intersection(stages).is_empty())
            && first_of(*barrier).is_some_and(rests_on)
    };
    passed.iter().filter(lacks_hold).copied().collect()
}

/// Whether order between two uses can matter on a machine that changes nothing between them.
fn needs(first: &Side, second: &Side) -> bool {
    first.access.writes() || second.access.writes()
}

fn key(side: &Side) -> (NodeId, Part) {
    (side.node, side.part)
}

fn point(side: &Side) -> Point {
    let part = match side.part {
        Part::Use(index) => PointPart::Use { root: None, index },
        Part::Root { set, index } => PointPart::Use {
            root: Some(set),
            index,
        },
        Part::Entry(entry) => PointPart::Entry(entry),
        // No packet of a list: nothing is found there.
        Part::Whole => PointPart::Use {
            root: None,
            index: u32::MAX,
        },
    };
    Point {
        node: side.node,
        part,
    }
}

/// A use in an earlier scope.
fn earlier(side: &Side) -> Point {
    let part = PointPart::Earlier {
        resource: side.resource,
        access: side.access,
    };
    Point {
        node: side.node,
        part,
    }
}

/// The bytes of a barrier; `None`: all memory.
pub(super) fn bytes(timeline: &Timeline<'_>, barrier: BarrierRef) -> Option<SmallVec<[Extent; 2]>> {
    let entry = names::entry(timeline, barrier)?;
    entry.resource()?;
    Some(bytes_of(timeline, entry))
}

/// The bytes of a barrier that names a resource.
pub(super) fn bytes_of(timeline: &Timeline<'_>, entry: &Barrier) -> SmallVec<[Extent; 2]> {
    let mut bytes = SmallVec::new();
    let memory = &timeline.memory;
    memory.for_each_barrier_extent(timeline.scenario, entry, |extent| bytes.push(extent));
    bytes
}
