//! Races: uses on different actors that no fence orders (reading R23).
//!
//! A second pass over the uses of memory that several actors touch, in the timeline's order, because evaluation order
//! is not timeline order when a wait is submitted before its signal. Of an actor's submissions, those that are
//! unordered with a given one form an interval, so the latest unordered write is found by binary search.

use super::ranges::RangeMap;
use super::{Conflict, ConflictKind, Evaluation, Side};
use crate::id::{Extent, SubmissionId};
use crate::order::Timeline;

/// A use of memory that several actors touch.
#[derive(Copy, Clone, Debug)]
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
    /// `(later actor, earlier actor, submissions of the earlier one)` taken as over because a race was reported.
    granted: Vec<(u32, u32, u32)>,
}

/// Finds the races among shared uses.
pub(super) fn find(timeline: &Timeline<'_>, shared: &[SharedUse], out: &mut Evaluation) {
    if shared.is_empty() {
        return;
    }
    let mut order: Vec<u32> = (0..shared.len() as u32).collect();
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
                map.visit(usage.extent.start, usage.extent.end, |seen| {
                    check(timeline, shared, usage, seen, &mut conflicts);
                });
            }
            for index in command {
                let usage = &shared[*index as usize];
                map.visit(usage.extent.start, usage.extent.end, |seen| {
                    enter(timeline, shared, *index, seen)
                });
            }
        }
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

/// Compares a use with the unordered uses of every other actor that stand earlier on the timeline.
fn check(
    timeline: &Timeline<'_>,
    shared: &[SharedUse],
    usage: &SharedUse,
    seen: &mut Seen,
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
        let granted = seen
            .granted
            .iter()
            .filter(|(l, e, _)| (*l, *e) == (own as u32, actor as u32));
        let over = granted
            .map(|(.., until)| *until)
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
        let kind = if first.layout || usage.layout {
            ConflictKind::RaceLayout
        } else if first.writes && usage.writes {
            ConflictKind::RaceWriteWrite
        } else {
            ConflictKind::RaceReadWrite
        };
        conflicts.push(Conflict {
            kind,
            first: first.side,
            second: usage.side,
            ordered: false,
            visible: false,
            given_up: false,
            barrier: None,
            layout: None,
        });
        // As if it had been correct: a fence after the first use's submission (reading R47).
        let until = timeline.submission(first.submission).sequence + 1;
        seen.granted.push((own as u32, actor as u32, until));
    }
}

fn enter(timeline: &Timeline<'_>, shared: &[SharedUse], index: u32, seen: &mut Seen) {
    let usage = &shared[index as usize];
    let actor = actor_of(timeline, usage);
    let push = |rows: &mut Vec<History>| {
        if rows.len() <= actor {
            rows.resize(actor + 1, History::new());
        }
        let history = &mut rows[actor];
        match history.last_mut() {
            Some(last) if shared[*last as usize].submission == usage.submission => *last = index,
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
