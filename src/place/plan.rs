//! Where each barrier is, and the scenario that says so.

use super::states::Stated;
use super::wish::{SideOf, Wish, Wishes};
use crate::analyze::names;
use crate::api::{BarrierAccess, BarrierSync, Layout};
use crate::finding::Span;
use crate::id::{ListId, NodeId, ResourceId};
use crate::order::Timeline;
use crate::scenario::geometry;
use crate::scenario::{
    Barrier, Command, CommandKind, Comments, Initial, LegacyBarrier, Lines, Part, Range, Scenario,
    TextureShape, Trivia, Uses,
};
use indexmap::{IndexMap, IndexSet};
use std::rc::Rc;

/// Where a barrier is, as indices of commands of its list before which it is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    /// At one place.
    Whole(u32),
    /// Its halves.
    Split(u32, u32),
}

impl Place {
    /// Where it is over.
    fn end(self) -> u32 {
        match self {
            Self::Whole(at) | Self::Split(_, at) => at,
        }
    }
}

/// Barriers, each with its place.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) wishes: Rc<Wishes>,
    pub(super) places: Vec<Place>,
}

/// How the places are chosen at first.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Strategy {
    /// Fewest calls: each call takes every barrier that may be there.
    Joined,
    /// Before the first use that needs it.
    Late,
    /// After the last use that it waits for.
    Early,
}

/// An entry of a call, before it is written: everything but the part that it is about.
#[derive(Clone, PartialEq, Eq, Hash)]
struct EntryKind {
    resource: ResourceId,
    before: SideOf,
    after: SideOf,
    layouts: Option<(Layout, Layout)>,
    discards: bool,
    gives_up: bool,
    hands_over: bool,
    /// The first or the second half of a split barrier.
    half: Option<bool>,
    stated: Option<Stated>,
}

type Runs = Vec<(u64, u64)>;
type Pairs = IndexSet<(Option<NodeId>, Option<NodeId>)>;

impl Plan {
    /// Every barrier at its first place.
    pub(super) fn new(wishes: &Rc<Wishes>, strategy: Strategy) -> Self {
        let places = match strategy {
            Strategy::Late => wishes.iter().map(|it| it.latest.index).collect(),
            Strategy::Early => wishes.iter().map(|it| it.earliest).collect(),
            Strategy::Joined => joined(wishes),
        };
        Self {
            places: places.into_iter().map(Place::Whole).collect(),
            wishes: Rc::clone(wishes),
        }
    }

    /// Both sides of each barrier, so that one after another on the same bytes fits to it: its accesses are among those that the
    /// earlier one leaves, and it waits for every stage that the earlier one holds. A barrier on a buffer is one on all of
    /// it, whatever part it is there for.
    fn linked(&self, bare: &Scenario) -> Vec<(SideOf, SideOf)> {
        let wishes = &self.wishes;
        let mut sides: Vec<_> = wishes.iter().map(|it| (it.before, it.after)).collect();
        let mut order: Vec<usize> = (0..wishes.len()).collect();
        let key = |at: usize| {
            (
                wishes[at].resource,
                wishes[at].latest.list,
                self.places[at].end(),
            )
        };
        order.sort_by_key(|at| key(*at));
        let calls: Vec<&[usize]> = order.chunk_by(|one, two| key(*one) == key(*two)).collect();
        for (at, call) in calls.iter().enumerate() {
            for second in *call {
                let is_buffer = bare.resource(wishes[*second].resource).is_buffer();
                let earlier = calls[..at].iter().rev().take_while(|it| {
                    let (theirs, own) = (key(it[0]), key(*second));
                    (theirs.0, theirs.1) == (own.0, own.1)
                });
                let meets =
                    |first: &&usize| is_buffer || overlap(&wishes[**first], &wishes[*second]);
                let Some(former) = earlier
                    .into_iter()
                    .find(|it| it.iter().any(|it| meets(&it)))
                else {
                    continue;
                };
                for first in former.iter().filter(meets) {
                    let (_, after) = sides[*first];
                    let (before, _) = sides[*second];
                    if after.stages.is_empty() || before.stages.is_empty() {
                        continue;
                    }
                    if !wishes[*second].gives_up && !wishes[*first].hands_over {
                        sides[*first].1.add(before);
                    }
                    sides[*second].0.stages = before.stages.union(sides[*first].1.stages);
                }
            }
        }
        sides
    }

    /// The scenario with the barriers. `bare` is the one for which they were made.
    pub(super) fn written(&self, bare: &Scenario, comments: Option<&Timeline<'_>>) -> Scenario {
        let mut calls: IndexMap<(ListId, u32), (IndexMap<EntryKind, Runs>, Pairs)> =
            IndexMap::new();
        let sides = self.linked(bare);
        for ((wish, place), sides) in self.wishes.iter().zip(&self.places).zip(&sides) {
            let halves: &[(u32, Option<bool>)] = match place {
                Place::Whole(at) => &[(*at, None)],
                Place::Split(first, second) => &[(*first, Some(true)), (*second, Some(false))],
            };
            for (at, half) in halves {
                let (entries, pairs) = calls.entry((wish.latest.list, *at)).or_default();
                add(bare, entries, (wish, *sides), *half);
                pairs.extend(wish.pairs.iter().copied());
            }
        }
        calls.sort_unstable_keys();
        let mut placed = bare.clone();
        for (resource, state) in &self.wishes.created {
            placed.resources[*resource].initial = Initial::State(*state);
        }
        let mut calls = calls.iter().peekable();
        while let Some(((list, _), _)) = calls.peek() {
            let list = *list;
            let own = &mut placed.lists[list].commands;
            let old = std::mem::take(own);
            // Each command after the calls that are before it, so that a long list is walked once.
            let mut commands = (0..).zip(old).peekable();
            while let Some(((of, at), (entries, pairs))) = calls.peek() {
                if *of != list {
                    break;
                }
                while let Some((_, command)) = commands.next_if(|(index, _)| index < at) {
                    own.push(command);
                }
                own.push(call(bare, entries, pairs, comments));
                calls.next();
            }
            own.extend(commands.map(|(_, command)| command));
        }
        placed
    }
}

/// A call of some entries, with a comment of the uses that need it.
fn call(
    bare: &Scenario,
    entries: &IndexMap<EntryKind, Runs>,
    pairs: &Pairs,
    comments: Option<&Timeline<'_>>,
) -> Command {
    let is_stated = entries.keys().any(|it| it.stated.is_some());
    let entries = entries.iter();
    Command {
        kind: if is_stated {
            let stated = entries.flat_map(|(kind, runs)| stated(bare, kind, runs));
            CommandKind::Legacy(stated.collect())
        } else {
            let barriers = entries.flat_map(|(kind, runs)| entry(bare, kind, runs));
            CommandKind::Barrier(barriers.collect())
        },
        uses: Uses::new(),
        span: Span::default(),
        trivia: comments.map_or_else(Trivia::default, |timeline| why(timeline, pairs)),
    }
}

/// Few calls: each at the latest place of the barrier that must come first, with all that may be there too.
fn joined(wishes: &[Wish]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..wishes.len()).collect();
    order.sort_by_key(|at| (wishes[*at].latest.list, wishes[*at].latest.index));
    let mut places = vec![0; wishes.len()];
    let mut call = None;
    for at in order {
        let wish = &wishes[at];
        let fits = call.filter(|(list, index)| {
            *list == wish.latest.list && wish.earliest <= *index && *index <= wish.latest.index
        });
        let chosen = fits.unwrap_or((wish.latest.list, wish.latest.index));
        call = Some(chosen);
        places[at] = chosen.1;
    }
    places
}

/// Whether two barriers are on a part in common.
fn overlap(one: &Wish, other: &Wish) -> bool {
    let meet = |a: &(u64, u64), b: &(u64, u64)| a.0 < b.1 && b.0 < a.1;
    one.runs
        .iter()
        .any(|a| other.runs.iter().any(|b| meet(a, b)))
}

fn add(
    scenario: &Scenario,
    entries: &mut IndexMap<EntryKind, Runs>,
    (wish, (before, after)): (&Wish, (SideOf, SideOf)),
    half: Option<bool>,
) {
    let mut kind = EntryKind {
        resource: wish.resource,
        before,
        after,
        layouts: wish.layouts,
        discards: wish.discards,
        gives_up: wish.gives_up,
        hands_over: wish.hands_over,
        half,
        stated: wish.stated,
    };
    let is_buffer = scenario.resource(wish.resource).is_buffer();
    if is_buffer && wish.stated.is_none() {
        // A barrier on a buffer is one on all of it.
        let is_same = |it: &EntryKind| {
            it.resource == kind.resource && it.half == half && it.hands_over == kind.hands_over
        };
        if let Some(at) = entries.keys().position(is_same)
            && let Some((known, runs)) = entries.swap_remove_index(at)
        {
            kind.before.add(known.before);
            kind.after.add(known.after);
            entries.insert(kind, runs);
            return;
        }
    }
    entries
        .entry(kind)
        .or_default()
        .extend(wish.runs.iter().copied());
}

/// The entries of a call for some runs of a resource.
fn entry(scenario: &Scenario, kind: &EntryKind, runs: &Runs) -> Vec<Barrier> {
    let (mut before, mut after) = (side(kind.before), side(kind.after));
    if kind.gives_up {
        before.1 = BarrierAccess::NO_ACCESS;
    }
    if kind.hands_over {
        after.1 = BarrierAccess::NO_ACCESS;
    }
    match kind.half {
        Some(true) => after.0 = BarrierSync::SPLIT,
        Some(false) => before.0 = BarrierSync::SPLIT,
        None => {}
    }
    let say = |barrier: Barrier| barrier.sync(before.0, after.0).access(before.1, after.1);
    let Some(shape) = scenario.resource(kind.resource).texture() else {
        return vec![say(Barrier::buffer(kind.resource))];
    };
    let ranges = ranges(shape, runs);
    let layouts = kind
        .layouts
        .unwrap_or((Layout::Undefined, Layout::Undefined));
    let texture = |range| {
        let part = Part {
            resource: kind.resource,
            range,
        };
        if kind.discards {
            Barrier::discarding_texture(part, layouts)
        } else {
            Barrier::texture(part, layouts)
        }
    };
    ranges
        .into_iter()
        .map(|range| say(texture(range)))
        .collect()
}

/// The entries of states for some runs of a resource.
fn stated(scenario: &Scenario, kind: &EntryKind, runs: &Runs) -> Vec<LegacyBarrier> {
    let shape = scenario.resource(kind.resource).texture();
    let ranges = shape.map_or_else(|| vec![Range::All], |shape| ranges(shape, runs));
    let entries = |it: Stated| it.entries(kind.resource, ranges, kind.half);
    kind.stated.map_or_else(Vec::new, entries)
}

/// Ranges of a texture that are some runs of its subresources.
fn ranges(shape: &TextureShape, runs: &Runs) -> Vec<Range> {
    let mut runs: Vec<(u32, u32)> = runs
        .iter()
        .map(|(first, end)| (index(*first), index(*end)))
        .collect();
    runs.sort_unstable();
    let range = |runs: &[(u32, u32)]| {
        let sub = geometry::box_of_runs(shape, runs)?;
        Some(geometry::range_of_box(shape, &sub))
    };
    if runs.is_empty() {
        vec![Range::All]
    } else if let Some(all) = range(&merged(&runs)) {
        vec![all]
    } else {
        boxes(&runs, range)
    }
}

fn side(side: SideOf) -> (BarrierSync, BarrierAccess) {
    if side.stages.is_empty() {
        (BarrierSync::NONE, BarrierAccess::NO_ACCESS)
    } else {
        (BarrierSync::named(side.stages), side.access)
    }
}

/// A subresource's index of a run.
fn index(at: u64) -> u32 {
    u32::try_from(at).expect("a texture has fewer subresources")
}

fn merged(runs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for run in runs {
        match merged.last_mut() {
            Some(last) if last.1 == run.0 => last.1 = run.1,
            _ => merged.push(*run),
        }
    }
    merged
}

/// Few boxes that are the runs: each as long as it stays a box.
fn boxes(runs: &[(u32, u32)], range: impl Fn(&[(u32, u32)]) -> Option<Range>) -> Vec<Range> {
    // A run may go over several slices: single subresources always are boxes.
    let single = runs
        .iter()
        .flat_map(|(first, end)| (*first..*end).map(|at| (at, at + 1)));
    let mut rest: Vec<(u32, u32)> = single.collect();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let mut most = (1, None);
        for count in 1..=rest.len() {
            if let Some(range) = range(&merged(&rest[..count])) {
                most = (count, Some(range));
            }
        }
        rest.drain(..most.0);
        found.extend(most.1);
    }
    found
}

/// How a comment on a placed call begins.
pub(super) const NEEDED: &str = "// needed: ";

/// Commands that a comment names.
const NAMED_MAX: usize = 3;

/// Which uses need a call.
fn why(timeline: &Timeline<'_>, pairs: &Pairs) -> Trivia {
    let name = |node: &Option<NodeId>| node.map(|node| names::node_label(timeline, node));
    let mut said: IndexSet<String> = IndexSet::new();
    for (first, second) in pairs {
        said.insert(match (name(first), name(second)) {
            (Some(first), Some(second)) => format!("{first} before {second}"),
            (None, Some(second)) => format!("before {second}"),
            (Some(first), None) => format!("after {first}"),
            (None, None) => continue,
        });
    }
    if said.is_empty() {
        return Trivia::default();
    }
    let more = said.len().saturating_sub(NAMED_MAX);
    let mut words: Vec<String> = said.into_iter().take(NAMED_MAX).collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    let mut before = Lines::default();
    before.push(&format!("{NEEDED}{}", words.join("; ")));
    Trivia(Some(Box::new(Comments {
        before,
        ..Comments::default()
    })))
}
