//! Races: uses on different actors that no fence orders (reading R23).
//!
//! A second pass over the uses of memory that several actors touch, in the timeline's order, because evaluation order
//! is not timeline order when a wait is submitted before its signal. Of an actor's submissions, those that are
//! unordered with a given one form an interval.
//!
//! * *Before all bytes*: a use that everything so far in its block is ordered with races with nothing, and nothing of it is
//!   looked at; to one that only reads only writes count. The latest uses that no other one follows tell that (`front.rs`): of
//!   a chain of queues there is one, and of queues that read what one of them wrote there is the write.
//! * *One state again*: a write takes the place of its actor's earlier reads and writes, and of what was reported of them. Bytes
//!   that differed in these only are one range from then on.
//! * *Bytes*: else the latest use of each actor is all that counts of them, and a use of many ranges looks only where
//!   something is neither ordered before it nor reported (`tree.rs`). Uses enter the tree when somebody looks at it. Of ranges that race
//!   with one and the same use the first tells it, and for the rest that counts as told.
//! * *Viewers*: with a wait that is submitted before its signal, uses that were submitted may come after one that is
//!   submitted now. Which, depends on the actor that looks: each has a tree of its own, into which a use of another actor
//!   enters when the first submission looks that does not come before it. So again the latest is all that counts.
//!
//! Cost: what is reported, and O(log n) a use in each tree that it enters; O(a) for a write that follows the latest of `a`
//! actors that do not follow each other. What is reported counts by range: each pair of a range's use and a later use of
//! another actor, once. The worst case: uses of hundreds of actors without any order, each of which is
//! compared with the latest of each actor and reported, and then counts as over for it; with a wait before its signal,
//! hundreds of actors that all race, so that each has its tree. Where every pair is asked for, each is looked at.

mod front;
mod seen;
mod shared;

use super::tree::{Attempt, Operation, Tree};
use super::{Conflict, ConflictKind, Evaluation, Request, Side, lone};
use crate::id::{Extent, SubmissionId, narrow};
use crate::order::{Clock, Timeline};
use front::Front;
use seen::{Acts, Entered, Keeps, Later, Past, Seen, Told};
pub(super) use shared::shared_memories;
use smallvec::SmallVec;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A use of memory that several actors touch.
#[derive(Copy, Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four independent facts, each asked for by itself"
)]
pub(super) struct SharedUse {
    pub(super) submission: SubmissionId,
    pub(super) side: Side,
    pub(super) extent: Extent,
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// A read that does not depend on a concurrent write (reading R21).
    pub(super) independent: bool,
    /// A layout transition or discard.
    pub(super) layout: bool,
}

/// What all uses of one block have in common.
#[derive(Copy, Clone)]
struct Block<'a, 's> {
    timeline: &'a Timeline<'s>,
    shared: &'a [SharedUse],
    /// No wait is submitted before its signal: the latest use of each actor is all that counts.
    is_in_order: bool,
    request: Request,
}

/// A submission that looks: its actor, its number there, and what is over before it.
#[derive(Copy, Clone)]
struct At<'t> {
    actor: usize,
    sequence: u32,
    clock: Clock<'t>,
}

impl<'t> At<'t> {
    fn new(timeline: &'t Timeline<'_>, usage: &SharedUse) -> Self {
        let submission = timeline.submission(usage.submission);
        Self {
            actor: timeline.actor_index(submission.actor),
            sequence: submission.sequence,
            clock: timeline.clock(usage.submission),
        }
    }
}

/// Compares a use with the unordered uses of every other actor that come earlier on the timeline.
struct Compare<'a, 's> {
    block: Block<'a, 's>,
    usage: &'a SharedUse,
    at: At<'a>,
    conflicts: &'a mut Vec<Conflict>,
    told: Told,
    /// Whether ranges were passed over because all that races with them was told.
    is_told: bool,
}

/// Enters a use.
struct Enter<'a, 's> {
    block: Block<'a, 's>,
    entered: Entered,
}

/// Finds the races among shared uses: folded, or every pair.
pub(super) fn find(
    timeline: &Timeline<'_>,
    shared: &[SharedUse],
    request: Request,
    out: &mut Evaluation,
) {
    if shared.is_empty() {
        return;
    }
    let mut order: Vec<u32> = (0..narrow(shared.len())).collect();
    // Nodes are numbered in the timeline's order.
    order.sort_by_key(|index| {
        (
            shared[*index as usize].extent.memory,
            shared[*index as usize].side.node,
        )
    });
    let block = Block {
        timeline,
        shared,
        is_in_order: is_in_order(timeline),
        request,
    };
    let mut conflicts: Vec<Conflict> = Vec::new();
    let memory = |index: &u32| shared[*index as usize].extent.memory;
    for uses in order.chunk_by(|a, b| memory(a) == memory(b)) {
        out.visits += block.find(uses, &mut conflicts);
    }
    if request.unfolded {
        out.conflicts.append(&mut conflicts);
        return;
    }
    fold(&mut conflicts);
    out.conflicts.append(&mut conflicts);
}

/// One finding per second use (command and resource) and kind; the latest first use (reading R42).
fn fold(conflicts: &mut Vec<Conflict>) {
    conflicts.sort_by_key(|c| {
        (
            c.second.node,
            c.second.resource,
            c.kind,
            std::cmp::Reverse(c.first.node),
        )
    });
    conflicts.dedup_by_key(|c| {
        (
            c.second.node,
            c.second.part.entry(),
            c.second.resource,
            c.kind,
        )
    });
}

/// Whether everything that a submission waits for is submitted before it.
fn is_in_order(timeline: &Timeline<'_>) -> bool {
    let mut submitted = vec![0; timeline.actor_count()];
    // What each actor knew when it was looked at.
    let mut known: Vec<&[u32]> = vec![&[]; timeline.actor_count()];
    (0..timeline.submissions.len()).all(|index| {
        let id = SubmissionId::new(index);
        let submission = timeline.submission(id);
        let own = timeline.actor_index(submission.actor);
        let others = timeline.clock(id).others();
        let is_known = std::ptr::eq(known[own], others)
            || others
                .iter()
                .zip(&submitted)
                .all(|(over, done)| over <= done);
        known[own] = others;
        submitted[own] = submission.sequence + 1;
        is_known
    })
}

/// Uses of a block as one actor sees them, or as all do where that is the same.
struct Viewer {
    bytes: Tree<Seen>,
    /// Number of the block's uses that the viewer has heard of.
    heard: usize,
    /// By actor, in order: uses that the viewer has heard of and not entered yet, because they come after everything that
    /// the viewing actor has done so far.
    ahead: Vec<(usize, VecDeque<u32>)>,
}

impl<'a> Block<'a, '_> {
    fn usage(self, index: u32) -> &'a SharedUse {
        &self.shared[index as usize]
    }

    /// The races of one block's uses, in order. Returns what finding them cost.
    fn find(self, uses: &[u32], conflicts: &mut Vec<Conflict>) -> u64 {
        let size = uses.iter().map(|index| self.usage(*index).extent.end).max();
        let one_for_all = self.is_in_order || self.request.unfolded;
        let mut viewers: BTreeMap<usize, Viewer> = BTreeMap::new();
        let mut front = Front::new(!one_for_all);
        let (mut so_far, mut found) = (0, Vec::new());
        for command in uses.chunk_by(|a, b| self.usage(*a).side.node == self.usage(*b).side.node) {
            let first = self.usage(command[0]);
            let at = At::new(self.timeline, first);
            let writes = command.iter().any(|index| self.usage(*index).writes);
            if !front.is_ordered_with(self.timeline, at, writes) {
                let own = if one_for_all { 0 } else { at.actor };
                let viewer = viewers.entry(own).or_insert_with(|| Viewer {
                    bytes: Tree::new(size.unwrap_or(0), self.request.lazy_from()),
                    heard: 0,
                    ahead: Vec::new(),
                });
                viewer.listen(self, &uses[..so_far], at);
                for index in command {
                    let usage = self.usage(*index);
                    let (start, end) = (usage.extent.start, usage.extent.end);
                    let mut compare = Compare {
                        block: self,
                        usage,
                        at,
                        conflicts: &mut found,
                        told: Told {
                            later: at.actor,
                            node: usage.side.node,
                            writes: usage.writes,
                            races: SmallVec::new(),
                        },
                        is_told: false,
                    };
                    viewer.bytes.visit(start, end, &mut compare);
                }
                // One is left for the many actors that it races with.
                if !self.request.unfolded {
                    fold(&mut found);
                }
                conflicts.append(&mut found);
            }
            front.add(at, writes);
            so_far += command.len();
        }
        let visits = viewers.values().map(|viewer| viewer.bytes.visits());
        front.visits() + visits.sum::<u64>()
    }

    fn keeps(self) -> Keeps {
        if self.request.unfolded {
            Keeps::All
        } else {
            Keeps::Latest
        }
    }

    fn actor(self, usage: &SharedUse) -> usize {
        let submission = self.timeline.submission(usage.submission);
        self.timeline.actor_index(submission.actor)
    }

    /// What enters of a use.
    fn entered(self, index: u32) -> Entered {
        let usage = self.usage(index);
        let past = Past {
            sequence: self.timeline.submission(usage.submission).sequence,
            node: usage.side.node,
            index,
        };
        Entered {
            actor: self.actor(usage),
            past,
            writes: usage.writes,
            reads: usage.reads && !usage.independent,
        }
    }
}

impl Viewer {
    /// Hears of the uses so far, before a submission looks.
    fn listen(&mut self, block: Block<'_, '_>, uses: &[u32], at: At<'_>) {
        for index in &uses[self.heard..] {
            if block.is_in_order || block.request.unfolded {
                self.enter(block, *index);
                continue;
            }
            // Whether they count or not, ranges end where they do.
            let extent = block.usage(*index).extent;
            self.bytes.visit(extent.start, extent.end, &mut Borders);
            let actor = block.actor(block.usage(*index));
            match self.ahead.iter_mut().find(|(known, _)| *known == actor) {
                Some((_, ahead)) => ahead.push_back(*index),
                None => self.ahead.push((actor, VecDeque::from([*index]))),
            }
        }
        self.heard = uses.len();
        for at_actor in 0..self.ahead.len() {
            while let Some(index) = self.ahead[at_actor].1.front().copied() {
                let clock = block.timeline.clock(block.usage(index).submission);
                if clock.over(at.actor) > at.sequence {
                    break;
                }
                self.ahead[at_actor].1.pop_front();
                self.enter(block, index);
            }
        }
    }

    fn enter(&mut self, block: Block<'_, '_>, index: u32) {
        let extent = block.usage(index).extent;
        let mut enter = Enter {
            block,
            entered: block.entered(index),
        };
        self.bytes.visit(extent.start, extent.end, &mut enter);
    }
}

/// An operation for the sake of its borders.
struct Borders;

impl Operation<Seen> for Borders {
    fn act(&mut self, _: u64, _: u64, _: &mut Rc<Seen>) -> bool {
        false
    }

    fn attempt(&mut self, _: &Seen) -> Attempt<Seen> {
        Attempt::Nothing
    }

    fn later(&self) -> Option<Rc<Later>> {
        None
    }
}

impl Operation<Seen> for Enter<'_, '_> {
    fn act(&mut self, _: u64, _: u64, seen: &mut Rc<Seen>) -> bool {
        Rc::make_mut(seen).enter(&self.entered, self.block.keeps());
        true
    }

    fn attempt(&mut self, seen: &Seen) -> Attempt<Seen> {
        if self.block.keeps() != Keeps::Latest {
            return Attempt::Refused;
        }
        let mut seen = seen.clone();
        seen.enter(&self.entered, Keeps::Latest);
        Attempt::Becomes(seen)
    }

    fn later(&self) -> Option<Rc<Later>> {
        Some(Rc::new(Later::Enter(self.entered)))
    }
}

impl Operation<Seen> for Compare<'_, '_> {
    fn act(&mut self, start: u64, end: u64, seen: &mut Rc<Seen>) -> bool {
        let usage = self.usage;
        if usage.independent && !usage.writes {
            return false;
        }
        let memory = usage.extent.memory;
        let bytes = Extent { memory, start, end };
        if self.block.request.unfolded {
            self.all(seen, bytes);
            return false;
        }
        let mut has_raced = false;
        for at in 0..seen.acts.len() {
            let Some(past) = self.latest(seen, &seen.acts[at]) else {
                continue;
            };
            let first = self.block.usage(past.index);
            self.conflicts.push(race(first, usage, bytes));
            let (pair, until) = ((self.at.actor, seen.acts[at].actor), past.sequence + 1);
            self.told.tell(pair.1, past);
            Rc::make_mut(seen).take_for_granted(pair, until, usage.side.node);
            has_raced = true;
        }
        has_raced
    }

    /// Where the latest uses of a kind race with nothing, no earlier ones do. Where they are those with which a race was
    /// just told, it is told: of a pair of uses one race is reported. Anything else is told range by range, and so is what
    /// the use's own node was granted.
    fn attempt(&mut self, seen: &Seen) -> Attempt<Seen> {
        let usage = self.usage;
        if self.block.keeps() != Keeps::Latest {
            return Attempt::Refused;
        }
        if usage.independent && !usage.writes {
            return Attempt::Nothing;
        }
        if seen.has_granted(self.at.actor, usage.side.node) {
            return Attempt::Refused;
        }
        let mut races = false;
        for acts in &seen.acts {
            match self.latest(seen, acts) {
                None => {}
                Some(past) if self.told.has(acts.actor, past) => races = true,
                Some(_) => return Attempt::Refused,
            }
        }
        if !races {
            return Attempt::Nothing;
        }
        self.is_told = true;
        let mut seen = seen.clone();
        seen.tell(&self.told);
        Attempt::Becomes(seen)
    }

    fn later(&self) -> Option<Rc<Later>> {
        self.is_told
            .then(|| Rc::new(Later::Tell(self.told.clone())))
    }
}

impl Compare<'_, '_> {
    /// Every use of another actor that nothing orders with this one.
    fn all(&mut self, seen: &Seen, bytes: Extent) {
        let (timeline, usage) = (self.block.timeline, self.usage);
        let others = || seen.acts.iter().filter(|acts| acts.actor != self.at.actor);
        let writes = others().flat_map(|acts| &acts.writes);
        let reads = others().flat_map(|acts| &acts.reads);
        for past in writes.chain(reads.filter(|_| usage.writes)) {
            let first = self.block.usage(past.index);
            let (one, two) = (first.submission, usage.submission);
            if !timeline.happens_before(one, two) && !timeline.happens_before(two, one) {
                self.conflicts.push(race(first, usage, bytes));
            }
        }
    }

    /// The latest use of another actor that nothing orders with this one. None that entered comes after it.
    fn latest(&self, seen: &Seen, acts: &Acts) -> Option<Past> {
        let latest = acts.latest(self.usage.writes)?;
        if acts.actor == self.at.actor || latest.sequence < self.at.clock.over(acts.actor) {
            return None;
        }
        let granted = seen.granted(self.at.actor, acts.actor, self.usage.side.node);
        (latest.sequence >= granted).then_some(latest)
    }
}

/// The race of two uses.
fn race(first: &SharedUse, second: &SharedUse, bytes: Extent) -> Conflict {
    let kind = if first.layout || second.layout {
        ConflictKind::RaceLayout
    } else if first.writes && second.writes {
        ConflictKind::RaceWriteWrite
    } else {
        ConflictKind::RaceReadWrite
    };
    Conflict {
        bytes: Some(bytes),
        ..lone(kind, first.side, second.side)
    }
}
