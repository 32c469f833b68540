//! Races: uses on different actors that no fence orders (reading R23).
//!
//! A second pass over the uses of memory that several actors touch, in the timeline's order, because evaluation order
//! is not timeline order when a wait is submitted before its signal. Of an actor's submissions, those that are
//! unordered with a given one form an interval, so the latest unordered write is found by binary search.

use super::ranges::RangeMap;
use super::{Conflict, ConflictKind, Evaluation, Side, lone};
use crate::id::{Extent, NodeId, ResourceId, SubmissionId, narrow};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::scenario::CommandKind;

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

/// Uses of one kind by one actor on some bytes: the latest of each submission, in order.
type History = Vec<u32>;

/// What the bytes have seen so far, per actor.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Writes and transitions.
    writes: Vec<History>,
    /// Reads that depend on what they read.
    reads: Vec<History>,
    /// `(later actor, earlier actor, submissions of the earlier one)` taken as over because a race of that node was
    /// reported. Its other uses are still compared.
    granted: Vec<(u32, u32, u32, NodeId)>,
}

/// Finds the races among shared uses: folded, or every pair.
pub(super) fn find(
    timeline: &Timeline<'_>,
    shared: &[SharedUse],
    unfolded: bool,
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
    let mut conflicts: Vec<Conflict> = Vec::new();
    for block in order
        .chunk_by(|a, b| shared[*a as usize].extent.memory == shared[*b as usize].extent.memory)
    {
        let mut map = RangeMap::<Seen>::default();
        for command in
            block.chunk_by(|a, b| shared[*a as usize].side.node == shared[*b as usize].side.node)
        {
            for index in command {
                let usage = &shared[*index as usize];
                map.visit_ranges(usage.extent.start, usage.extent.end, |start, end, seen| {
                    let (memory, found) = (usage.extent.memory, &mut conflicts);
                    let bytes = Extent { memory, start, end };
                    if unfolded {
                        check_all(timeline, shared, usage, (bytes, seen), found);
                    } else {
                        check(timeline, shared, usage, (bytes, seen), found);
                    }
                });
            }
            for index in command {
                let usage = &shared[*index as usize];
                map.visit(usage.extent.start, usage.extent.end, |_, seen| {
                    enter(timeline, shared, *index, unfolded, seen);
                });
            }
        }
    }
    if unfolded {
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

fn actor_of(timeline: &Timeline<'_>, usage: &SharedUse) -> usize {
    timeline.actor_index(timeline.submission(usage.submission).actor)
}

/// Compares a use with the unordered uses of every other actor that come earlier on the timeline.
fn check(
    timeline: &Timeline<'_>,
    shared: &[SharedUse],
    usage: &SharedUse,
    (bytes, seen): (Extent, &mut Seen),
    conflicts: &mut Vec<Conflict>,
) {
    if usage.independent && !usage.writes {
        return;
    }
    let own = actor_of(timeline, usage);
    let clock = timeline.clock(usage.submission);
    let own_sequence = timeline.submission(usage.submission).sequence;
    for (actor, over) in clock.iter().enumerate() {
        if actor == own {
            continue;
        }
        let granted = seen.granted.iter().filter(|(l, e, _, node)| {
            (*l, *e) == (narrow(own), narrow(actor)) && *node != usage.side.node
        });
        let over = granted
            .map(|(_, _, until, _)| *until)
            .max()
            .unwrap_or(0)
            .max(*over);
        let latest = |rows: &[History]| {
            let history = rows.get(actor)?;
            let sequence = |i: u32| timeline.submission(shared[i as usize].submission).sequence;
            // Submissions of the other actor that come after this one are a suffix of what it did so far.
            let end = history.partition_point(|i| {
                timeline.clock(shared[*i as usize].submission)[own] <= own_sequence
            });
            history[..end]
                .last()
                .copied()
                .filter(|i| sequence(*i) >= over)
        };
        let write = latest(&seen.writes);
        let read = if usage.writes {
            latest(&seen.reads)
        } else {
            None
        };
        let later = [write, read]
            .into_iter()
            .flatten()
            .max_by_key(|i| shared[*i as usize].side.node);
        let Some(first) = later.map(|i| &shared[i as usize]) else {
            continue;
        };
        conflicts.push(race(first, usage, bytes));
        // As if it had been correct: a fence after the first use's submission (reading R47).
        let until = timeline.submission(first.submission).sequence + 1;
        let grant = (narrow(own), narrow(actor), until, usage.side.node);
        seen.granted.push(grant);
    }
}

/// The same with every unordered use of every other actor.
fn check_all(
    timeline: &Timeline<'_>,
    shared: &[SharedUse],
    usage: &SharedUse,
    (bytes, seen): (Extent, &mut Seen),
    conflicts: &mut Vec<Conflict>,
) {
    if usage.independent && !usage.writes {
        return;
    }
    let own = actor_of(timeline, usage);
    let reads = usage.writes.then_some(&seen.reads);
    let histories = [Some(&seen.writes), reads].into_iter().flatten().flatten();
    for first in histories.flatten().map(|i| &shared[*i as usize]) {
        let (one, two) = (first.submission, usage.submission);
        let is_ordered = timeline.happens_before(one, two) || timeline.happens_before(two, one);
        if actor_of(timeline, first) != own && !is_ordered {
            conflicts.push(race(first, usage, bytes));
        }
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

fn enter(
    timeline: &Timeline<'_>,
    shared: &[SharedUse],
    index: u32,
    unfolded: bool,
    seen: &mut Seen,
) {
    let usage = &shared[index as usize];
    let actor = actor_of(timeline, usage);
    let push = |rows: &mut Vec<History>| {
        if rows.len() <= actor {
            rows.resize(actor + 1, History::new());
        }
        let history = &mut rows[actor];
        match history.last_mut() {
            Some(last) if !unfolded && shared[*last as usize].submission == usage.submission => {
                *last = index;
            }
            _ => history.push(index),
        }
    };
    if usage.writes {
        push(&mut seen.writes);
    }
    if usage.reads && !usage.independent {
        push(&mut seen.reads);
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
