//! The moves of a version that change what a later read finds: write-backs and drops.
//!
//! A version that is written back matters if somebody reads it later from another place. A version that is dropped matters if
//! the next read of its bytes through that cache finds another one. Both are decided from the last read back to the first,
//! with a map from bytes to what is read later, so the whole takes little more than a step for each run of bytes.

use super::held::{Did, pieces, what, within};
use super::memory::Ends;
use super::order::Drafts;
use super::work::Told;
use super::{BeatKind, Given, Moved};
use crate::id::{CacheId, Extent, MemoryId, NodeId, OpId, ResourceId};
use crate::lookup::{LookupMap, LookupSet};
use crate::program::{HwOpKind, IntervalMap};
use crate::time::Ps;
use crate::trace::contents::{HeldRun, Writer};

/// What places hold, by place and block.
type Known<'c> = LookupMap<(u32, MemoryId), &'c [HeldRun]>;

/// A version that a place may have given away to some effect.
struct Candidate {
    moment: usize,
    moved: Moved,
    is_drop: bool,
    extent: Extent,
}

/// Moves that change which version somebody reads later, each once.
pub(super) fn tell(given: Given<'_>, told: &Told, ends: &Ends, drafts: &mut Drafts) {
    let contents = given.contents;
    let mut candidates = candidates(given);
    find_parts(given, &mut candidates);
    let matters = mattering(given, &candidates);
    let mut known: LookupSet<(Option<OpId>, Ps, bool, Moved)> = LookupSet::default();
    let mut by_itself: LookupSet<(bool, Moved)> = LookupSet::default();
    for (candidate, matters) in candidates.iter().zip(matters) {
        let change = &contents.moments[candidate.moment];
        let (moved, is_drop) = (candidate.moved, candidate.is_drop);
        if !matters || !known.insert((change.op, change.at, is_drop, moved)) {
            continue;
        }
        let barrier = change
            .op
            .filter(|op| matches!(given.program.op(*op).kind, HwOpKind::Barrier(_)));
        let whole = Moved {
            is_part: false,
            ..moved
        };
        if barrier.is_none() && !by_itself.insert((is_drop, whole)) {
            // A line leaves after the other: it is told when the first does.
            continue;
        }
        let kind = if is_drop {
            BeatKind::Dropped(moved)
        } else {
            BeatKind::Cleaned(moved)
        };
        let written = moved.writer.and_then(|writer| ends.get(&writer).copied());
        // Work that fetches or writes lines pushes others out.
        let pushed = change.op.filter(|_| barrier.is_none());
        let pushed = pushed.and_then(|op| told.started(op, change.at));
        let causes = written.into_iter().chain(pushed);
        let node = match change.op {
            Some(op) => given.program.op(op).origin.node,
            None => moved.writer.map_or(NodeId(0), |writer| writer.node),
        };
        let beat = drafts.add(change.at, kind, (change.op, node), causes);
        if let Some(over) = barrier.and_then(|op| told.over(op)) {
            drafts.add_cause(over, beat);
        }
    }
}

/// Everything that places gave away of texels. What only passed through a place, in no time, was never dropped there.
fn candidates(given: Given<'_>) -> Vec<Candidate> {
    let contents = given.contents;
    let mut known = Known::default();
    // What a place held before the time of its last change.
    let mut earlier: LookupMap<(u32, MemoryId), (Ps, &[HeldRun])> = LookupMap::default();
    let mut all = Vec::new();
    for (moment, change) in contents.moments.iter().enumerate() {
        for block in &change.blocks {
            let key = (block.place, block.memory);
            let before = known.insert(key, &block.runs).unwrap_or(&[]);
            let rest = earlier.entry(key).or_insert((change.at, before));
            if rest.0 != change.at {
                *rest = (change.at, before);
            }
            let rest = rest.1;
            let is_memory = contents.places[block.place as usize].cache.is_none();
            if is_memory || given.program.is_metadata(block.memory) {
                continue;
            }
            // Whose versions are still there afterwards.
            let kept = block.runs.iter().map(|run| run.held.whose());
            let kept: LookupSet<Option<Writer>> = kept.collect();
            pieces(before, &block.runs, |start, end, old, new| {
                for (did, held) in what(old, new, false) {
                    let is_drop = did == Did::Drops;
                    let extent = Extent::new(block.memory, start, end);
                    let resource = held.resource.or_else(|| resource_at(given, extent));
                    let Some(resource) = resource else { continue };
                    let was_there = || {
                        let mut all = within(rest, extent);
                        all.any(|run| run.held.whose() == held.whose())
                    };
                    if is_drop && was_there() || did == Did::WritesBack {
                        let moved = Moved {
                            place: block.place,
                            resource,
                            writer: held.whose(),
                            is_part: is_drop && kept.contains(&held.whose()),
                        };
                        all.push(Candidate {
                            moment,
                            moved,
                            is_drop,
                            extent,
                        });
                    }
                }
            });
        }
    }
    all
}

/// Finds write-backs of less than was written: the rest is somewhere else, or overwritten.
fn find_parts(given: Given<'_>, candidates: &mut [Candidate]) {
    let mut known: LookupSet<(Writer, Extent)> = LookupSet::default();
    let mut written: LookupMap<Writer, u64> = LookupMap::default();
    for end in &given.contents.writes {
        let writer = Writer {
            node: given.program.op(end.op).origin.node,
            resource: end.resource,
        };
        if known.insert((writer, end.extent)) {
            *written.entry(writer).or_default() += end.extent.end - end.extent.start;
        }
    }
    let whose = |it: &Candidate| {
        let change = &given.contents.moments[it.moment];
        (change.at, change.op)
    };
    for at_once in candidates.chunk_by_mut(|a, b| whose(a) == whose(b)) {
        let mut moved: LookupMap<Moved, u64> = LookupMap::default();
        for it in at_once.iter().filter(|it| !it.is_drop) {
            *moved.entry(it.moved).or_default() += it.extent.end - it.extent.start;
        }
        for it in at_once.iter_mut().filter(|it| !it.is_drop) {
            let all = it.moved.writer.and_then(|writer| written.get(&writer));
            let own = moved.get(&it.moved);
            it.moved.is_part = own.zip(all).is_some_and(|(own, all)| own < all);
        }
    }
}

/// The resource that unwritten bytes are of: of aliases, the first.
fn resource_at(given: Given<'_>, extent: Extent) -> Option<ResourceId> {
    let timeline = given.timeline;
    let all = 0..timeline.scenario.resources.len();
    all.map(ResourceId::new).find(|id| {
        let whole = timeline.memory.whole(*id);
        whole.is_some_and(|e| {
            e.memory == extent.memory && e.start <= extent.start && extent.start < e.end
        })
    })
}

/// Whether each move changes what somebody reads later, from the last back to the first.
fn mattering(given: Given<'_>, candidates: &[Candidate]) -> Vec<bool> {
    let contents = given.contents;
    let places = contents.places.len();
    let place_of = |cache: Option<CacheId>| {
        let own = |p: &crate::trace::contents::Holder| p.cache == cache && !p.of_writers;
        contents.places.iter().position(own)
    };
    // Of each version, the bytes that are read later, by the place that answers.
    let mut later: LookupMap<(MemoryId, Option<Writer>, usize), IntervalMap<()>> =
        LookupMap::default();
    // What the next read through a place finds.
    let mut next: LookupMap<(MemoryId, usize), IntervalMap<Option<Writer>>> = LookupMap::default();
    let mut reads = contents.reads.iter().rev().peekable();
    let mut matters = vec![false; candidates.len()];
    for (index, candidate) in candidates.iter().enumerate().rev() {
        let at = contents.moments[candidate.moment].at;
        while let Some(read) = reads.next_if(|read| read.at >= at) {
            let Extent { memory, start, end } = read.extent;
            let Some(from) = place_of(read.from) else {
                continue;
            };
            let key = (memory, read.writer, from);
            later.entry(key).or_default().set(start, end, ());
            for cache in given.profile.path(read.path) {
                let Some(place) = place_of(Some(*cache)) else {
                    continue;
                };
                let through = next.entry((memory, place)).or_default();
                through.set(start, end, read.writer);
                if place == from {
                    break;
                }
            }
        }
        let Extent { memory, start, end } = candidate.extent;
        let (moved, mut is_read) = (candidate.moved, false);
        let own = moved.place as usize;
        if candidate.is_drop {
            if let Some(map) = next.get(&(memory, own)) {
                map.for_each(start, end, |_, _, found| is_read |= found != moved.writer);
            }
        } else {
            for place in (0..places).filter(|place| *place != own) {
                if let Some(map) = later.get(&(memory, moved.writer, place)) {
                    map.for_each(start, end, |_, _, ()| is_read = true);
                }
            }
        }
        matters[index] = is_read;
    }
    matters
}
