//! Races: uses on different actors that no fence orders (reading R23).
//!
//! A second pass over the uses of memory that several actors touch, in the timeline's order, because evaluation order
//! is not timeline order when a wait is submitted before its signal. Of an actor's submissions, those that are
//! unordered with a given one form an interval, so the latest unordered write is found by binary search.
//!
//! Where no wait is submitted before its signal, the latest use of each actor is all that counts of its bytes, and a use
//! of many ranges looks only where something is neither ordered before it nor reported (`tree.rs`). Cost: what is reported,
//! and O(log n) a use. With such a wait, histories are kept whole and every range is looked at.

use super::tree::{Attempt, Bound, Lazy, Operation, Tree};
use super::{Conflict, ConflictKind, Evaluation, Request, Side, lone};
use crate::id::{Extent, NodeId, ResourceId, SubmissionId, narrow};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::scenario::CommandKind;
use smallvec::SmallVec;
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

/// A use that was entered. Of one actor, later uses are greater.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Past {
    /// Number of the submission among those of its actor.
    sequence: u32,
    node: NodeId,
    /// Index of the use.
    index: u32,
}

/// Which uses of one kind by one actor count.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Keeps {
    /// The latest.
    Latest,
    /// The latest of each submission: of an actor's later submissions, some may come after a use that was submitted later.
    EachSubmission,
    /// Every one, because every pair is reported.
    All,
}

/// Uses of one kind by one actor on some bytes, in order.
type History = SmallVec<[Past; 1]>;

/// What some bytes have seen of one actor.
#[derive(Clone, PartialEq, Debug, Default)]
struct Acts {
    actor: usize,
    /// Writes and transitions.
    writes: History,
    /// Reads that depend on what they read.
    reads: History,
}

/// Submissions of an actor that count as over for another one because races were reported.
#[derive(Clone, PartialEq, Debug)]
struct Grant {
    later: usize,
    earlier: usize,
    /// Up to here, whoever asks.
    before: u32,
    /// Up to here, except for other uses of the node that has the latest race: those are still compared.
    until: u32,
    node: NodeId,
}

/// What the bytes have seen so far.
#[derive(Clone, PartialEq, Debug, Default)]
struct Seen {
    acts: SmallVec<[Acts; 2]>,
    grants: SmallVec<[Grant; 2]>,
}

/// A use to be entered.
struct Entered {
    actor: usize,
    past: Past,
    writes: bool,
    /// It reads and depends on what it reads.
    reads: bool,
}

impl Seen {
    fn of(&self, actor: usize) -> Option<&Acts> {
        self.acts.iter().find(|acts| acts.actor == actor)
    }

    fn grant(&self, later: usize, earlier: usize) -> Option<&Grant> {
        let mut grants = self.grants.iter();
        grants.find(|grant| (grant.later, grant.earlier) == (later, earlier))
    }

    /// Submissions of `earlier` that count as over for a use at `node` by `later`.
    fn granted(&self, later: usize, earlier: usize, node: NodeId) -> u32 {
        match self.grant(later, earlier) {
            Some(grant) if grant.node == node => grant.before,
            Some(grant) => grant.before.max(grant.until),
            None => 0,
        }
    }

    /// As if it had been correct: a fence after the first use's submission (reading R47).
    fn take_for_granted(&mut self, (later, earlier): (usize, usize), until: u32, node: NodeId) {
        let same = |g: &&mut Grant| (g.later, g.earlier) == (later, earlier);
        match self.grants.iter_mut().find(same) {
            Some(grant) if grant.node == node => grant.until = grant.until.max(until),
            Some(grant) => {
                grant.before = grant.before.max(grant.until);
                (grant.until, grant.node) = (until, node);
            }
            None => self.grants.push(Grant {
                later,
                earlier,
                before: 0,
                until,
                node,
            }),
        }
    }

    /// Enters a use next to those of its actor that are kept.
    fn enter(&mut self, entered: &Entered, keeps: Keeps) {
        let actor = entered.actor;
        let at = self.acts.partition_point(|acts| acts.actor < actor);
        if self.acts.get(at).is_none_or(|acts| acts.actor != actor) {
            let acts = Acts {
                actor,
                ..Acts::default()
            };
            self.acts.insert(at, acts);
        }
        let replaces = |last: &Past| match keeps {
            Keeps::Latest => true,
            Keeps::EachSubmission => last.sequence == entered.past.sequence,
            Keeps::All => false,
        };
        let push = |history: &mut History| match history.last_mut() {
            Some(last) if replaces(last) => *last = entered.past,
            _ => history.push(entered.past),
        };
        let acts = &mut self.acts[at];
        if entered.writes {
            push(&mut acts.writes);
        }
        if entered.reads {
            push(&mut acts.reads);
        }
    }
}

impl Lazy for Seen {
    type Later = Entered;

    fn redo(&mut self, entered: &Entered) {
        self.enter(entered, Keeps::Latest);
    }

    fn is_same_slot(first: &Entered, second: &Entered) -> bool {
        (first.actor, first.writes, first.reads) == (second.actor, second.writes, second.reads)
    }

    /// Which uses there were, and which of them count as over, is compared.
    fn is_alike(&self, other: &Self) -> bool {
        let acts = |seen: &Self| -> SmallVec<[_; 2]> {
            let count = |acts: &Acts| (acts.actor, acts.writes.len(), acts.reads.len());
            seen.acts.iter().map(count).collect()
        };
        let grants = |seen: &Self| -> SmallVec<[_; 2]> {
            let over = |grant: &Grant| {
                let acts = seen.of(grant.earlier);
                let latest = acts.map(|acts| [&acts.writes, &acts.reads].map(|h| h.last()));
                let is_over = |past: &Past| past.sequence < grant.before.max(grant.until);
                let over = latest.map(|latest| latest.map(|past| past.is_some_and(is_over)));
                (grant.later, grant.earlier, over)
            };
            seen.grants.iter().map(over).collect()
        };
        acts(self) == acts(other) && grants(self) == grants(other)
    }

    /// Uses and grants alike: those that are later.
    fn widen(&mut self, by: &Self, bound: Bound) {
        for (known, by) in self.acts.iter_mut().zip(&by.acts) {
            let writes = known.writes.iter_mut().zip(&by.writes);
            for (known, by) in writes.chain(known.reads.iter_mut().zip(&by.reads)) {
                *known = bound.of(*known, *by);
            }
        }
        for (known, by) in self.grants.iter_mut().zip(&by.grants) {
            known.before = bound.of(known.before, by.before);
            known.until = bound.of(known.until, by.until);
            known.node = bound.of(known.node, by.node);
        }
    }
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

/// Compares a use with the unordered uses of every other actor that come earlier on the timeline.
struct Compare<'a, 's> {
    block: Block<'a, 's>,
    usage: &'a SharedUse,
    conflicts: &'a mut Vec<Conflict>,
}

/// Enters a use.
struct Enter<'a, 's> {
    block: Block<'a, 's>,
    entered: Rc<Entered>,
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
    // One finding per second use (command and resource) and kind; the latest first use (reading R42).
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
    out.conflicts.append(&mut conflicts);
}

/// Whether everything that a submission waits for is submitted before it.
fn is_in_order(timeline: &Timeline<'_>) -> bool {
    let mut submitted = vec![0; timeline.actor_count()];
    (0..timeline.submissions.len()).all(|index| {
        let id = SubmissionId::new(index);
        let own = timeline.actor_index(timeline.submission(id).actor);
        let clock = timeline.clock(id);
        let mut others = submitted
            .iter()
            .enumerate()
            .filter(|(actor, _)| *actor != own);
        let is_known = others.all(|(actor, submitted)| clock.over(actor) <= *submitted);
        submitted[own] = timeline.submission(id).sequence + 1;
        is_known
    })
}

impl Block<'_, '_> {
    /// The races of one block's uses, in order. Returns what finding them cost.
    fn find(self, uses: &[u32], conflicts: &mut Vec<Conflict>) -> u64 {
        let usage = |index: &u32| &self.shared[*index as usize];
        let size = uses.iter().map(|index| usage(index).extent.end).max();
        let mut bytes = Tree::<Seen>::new(size.unwrap_or(0), self.request.lazy_from());
        for command in uses.chunk_by(|a, b| usage(a).side.node == usage(b).side.node) {
            for index in command {
                let usage = usage(index);
                let mut compare = Compare {
                    block: self,
                    usage,
                    conflicts,
                };
                bytes.visit(usage.extent.start, usage.extent.end, &mut compare);
            }
            for index in command {
                let usage = usage(index);
                let past = Past {
                    sequence: self.timeline.submission(usage.submission).sequence,
                    node: usage.side.node,
                    index: *index,
                };
                let entered = Entered {
                    actor: self.actor(usage),
                    past,
                    writes: usage.writes,
                    reads: usage.reads && !usage.independent,
                };
                let mut enter = Enter {
                    block: self,
                    entered: Rc::new(entered),
                };
                bytes.visit(usage.extent.start, usage.extent.end, &mut enter);
            }
        }
        bytes.visits()
    }

    fn keeps(self) -> Keeps {
        match (self.request.unfolded, self.is_in_order) {
            (true, _) => Keeps::All,
            (false, false) => Keeps::EachSubmission,
            (false, true) => Keeps::Latest,
        }
    }

    fn actor(self, usage: &SharedUse) -> usize {
        let submission = self.timeline.submission(usage.submission);
        self.timeline.actor_index(submission.actor)
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

    fn later(&self) -> Option<Rc<Entered>> {
        Some(Rc::clone(&self.entered))
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
        let own = self.block.actor(usage);
        if self.block.request.unfolded {
            self.all(seen, own, bytes);
            return false;
        }
        let mut has_raced = false;
        for actor in 0..self.block.timeline.actor_count() {
            let Some(past) = self.latest(seen, own, actor) else {
                continue;
            };
            let first = &self.block.shared[past.index as usize];
            self.conflicts.push(race(first, usage, bytes));
            let (pair, until) = ((own, actor), past.sequence + 1);
            Rc::make_mut(seen).take_for_granted(pair, until, usage.side.node);
            has_raced = true;
        }
        has_raced
    }

    /// Where the latest uses of a kind race with nothing, no earlier ones do. What the use's own node was granted is told
    /// range by range.
    fn attempt(&mut self, seen: &Seen) -> Attempt<Seen> {
        let usage = self.usage;
        if self.block.keeps() != Keeps::Latest {
            return Attempt::Refused;
        }
        let own = self.block.actor(usage);
        let is_fresh = |grant: &Grant| grant.later == own && grant.node == usage.side.node;
        let races = |actor| self.latest(seen, own, actor).is_some();
        let reads_freely = usage.independent && !usage.writes;
        let mut actors = 0..self.block.timeline.actor_count();
        if !reads_freely && (seen.grants.iter().any(is_fresh) || actors.any(races)) {
            Attempt::Refused
        } else {
            Attempt::Nothing
        }
    }

    fn later(&self) -> Option<Rc<Entered>> {
        None
    }
}

impl Compare<'_, '_> {
    /// Every use of another actor that nothing orders with this one.
    fn all(&mut self, seen: &Seen, own: usize, bytes: Extent) {
        let (timeline, usage) = (self.block.timeline, self.usage);
        let others = || seen.acts.iter().filter(|acts| acts.actor != own);
        let writes = others().flat_map(|acts| &acts.writes);
        let reads = others().flat_map(|acts| &acts.reads);
        for past in writes.chain(reads.filter(|_| usage.writes)) {
            let first = &self.block.shared[past.index as usize];
            let (one, two) = (first.submission, usage.submission);
            if !timeline.happens_before(one, two) && !timeline.happens_before(two, one) {
                self.conflicts.push(race(first, usage, bytes));
            }
        }
    }

    /// The latest use of another actor that nothing orders with this one.
    fn latest(&self, seen: &Seen, own: usize, actor: usize) -> Option<Past> {
        let acts = seen.of(actor).filter(|_| actor != own)?;
        let (timeline, usage) = (self.block.timeline, self.usage);
        let over = timeline.clock(usage.submission).over(actor);
        let over = over.max(seen.granted(own, actor, usage.side.node));
        let own_sequence = timeline.submission(usage.submission).sequence;
        let latest = |history: &History| {
            // Submissions of the other actor that come after this one are a suffix of what it did so far.
            let end = history.partition_point(|past| {
                let submission = self.block.shared[past.index as usize].submission;
                timeline.clock(submission).over(own) <= own_sequence
            });
            let latest = history[..end].last().copied();
            latest.filter(|past| past.sequence >= over)
        };
        let read = usage.writes.then(|| latest(&acts.reads)).flatten();
        let both = [latest(&acts.writes), read].into_iter().flatten();
        both.max_by_key(|past| past.node)
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

/// Who touches a block of memory, by the number of the actor.
#[derive(Copy, Clone, PartialEq)]
enum Touched {
    Nobody,
    One(usize),
    Many,
}

/// Whether a submission of this kind may touch memory.
fn touches_memory(kind: SubmissionKind) -> bool {
    matches!(
        kind,
        SubmissionKind::Execute
            | SubmissionKind::Present { .. }
            | SubmissionKind::CpuWrite { .. }
            | SubmissionKind::CpuRead { .. }
    )
}

/// Which blocks of memory more than one actor touches.
pub(super) fn shared_memories(timeline: &Timeline<'_>) -> Vec<bool> {
    let scenario = timeline.scenario;
    let count = timeline.memory.memory_count();
    let mut busy = timeline
        .submissions
        .iter()
        .filter(|s| touches_memory(s.kind));
    let first = busy.next().map(|s| s.actor);
    if busy.all(|s| Some(s.actor) == first) {
        // One actor shares nothing with itself: no need to look at every command.
        return vec![false; count];
    }
    // The actors known to touch each block.
    let mut touched = vec![Touched::Nobody; count];
    let mut seen = vec![false; timeline.actor_count() * scenario.lists.len()];
    let mut touch = |resource: ResourceId, actor: usize| {
        if let Some(extent) = timeline.memory.whole(resource) {
            let by = &mut touched[extent.memory.index()];
            *by = match *by {
                Touched::Nobody => Touched::One(actor),
                Touched::One(known) if known == actor => *by,
                Touched::One(_) | Touched::Many => Touched::Many,
            };
        }
    };
    for (index, submission) in timeline.submissions.iter().enumerate() {
        let actor = timeline.actor_index(submission.actor);
        match submission.kind {
            SubmissionKind::Present { resource }
            | SubmissionKind::CpuWrite { resource }
            | SubmissionKind::CpuRead { resource } => touch(resource, actor),
            SubmissionKind::Execute => {
                let lists = timeline.lists(submission);
                if lists
                    .iter()
                    .all(|list| seen[actor * scenario.lists.len() + list.index()])
                {
                    continue;
                }
                for list in lists {
                    seen[actor * scenario.lists.len() + list.index()] = true;
                }
                for (_, _, command) in timeline.commands(SubmissionId::new(index)) {
                    for usage in &command.uses {
                        touch(usage.resource, actor);
                    }
                    if let CommandKind::Barrier(entries) = &command.kind {
                        entries
                            .iter()
                            .filter_map(crate::scenario::Barrier::resource)
                            .for_each(|r| touch(r, actor));
                    }
                }
            }
            _ => {}
        }
    }
    debug_assert!(
        timeline
            .submissions
            .iter()
            .all(|s| !matches!(s.actor, Actor::Queue(q) if q.index() >= scenario.queues.len()))
    );
    let by_many = |by| by == Touched::Many;
    touched.into_iter().map(by_many).collect()
}
