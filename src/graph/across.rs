//! Needed pairs across submissions that are ordered: the walk empties its state at each boundary, because a boundary
//! covers everything before it (reading R22), so they are found here, where somebody asks for them.
//!
//! With them come the pairs of one submission that need no order among themselves (readings R18, R19): the walk lets the
//! later write stand for the earlier one, and a picture shows both.
//!
//! Each use is paired with the latest earlier write of its bytes, and a write with the reads since. Cost: linear in the
//! uses but for the ranges that they cut.

use super::ranges::RangeMap;
use super::state::raster_exempt;
use super::{NeededPair, Part, Side};
use crate::id::{Extent, MemoryId, NodeId, ResourceId, SubmissionId, Table, narrow};
use crate::order::{SubmissionKind, Timeline};
use crate::scenario::{StatementKind, UseMode};

/// Readers that are remembered for each range; of more, the latest.
const READERS_MAX: usize = 16;

/// What happened to some bytes.
#[derive(Clone, Default)]
struct Live {
    writer: Option<(SubmissionId, Side)>,
    /// The writer does only atomic operations.
    atomics: bool,
    readers: Vec<(SubmissionId, Side)>,
}

/// How a use touches bytes.
#[derive(Copy, Clone)]
struct Touch {
    reads: bool,
    writes: bool,
    atomics: bool,
}

const READS: Touch = Touch {
    reads: true,
    writes: false,
    atomics: false,
};
const WRITES: Touch = Touch {
    reads: false,
    writes: true,
    atomics: false,
};

/// Pairs of uses in different submissions, of which the first happens before the second.
pub fn pairs(timeline: &Timeline<'_>) -> Vec<NeededPair> {
    found(timeline).pairs
}

/// The same, and each use with the latest write before it of its bytes in its own submission, where the two are in raster
/// order or both atomic.
pub(super) fn with_exempt(timeline: &Timeline<'_>) -> (Vec<NeededPair>, Vec<NeededPair>) {
    let across = found(timeline);
    (across.pairs, across.exempt)
}

fn found<'t, 's>(timeline: &'t Timeline<'s>) -> Across<'t, 's> {
    let mut across = Across {
        timeline,
        memories: Table::filled(timeline.memory.memory_count(), RangeMap::default()),
        pairs: Vec::new(),
        exempt: Vec::new(),
    };
    for id in timeline.evaluation.iter() {
        across.submission(id);
    }
    across
}

struct Across<'t, 's> {
    timeline: &'t Timeline<'s>,
    memories: Table<MemoryId, RangeMap<Live>>,
    pairs: Vec<NeededPair>,
    exempt: Vec<NeededPair>,
}

impl Across<'_, '_> {
    fn submission(&mut self, id: SubmissionId) {
        let timeline = self.timeline;
        let scenario = timeline.scenario;
        let submission = timeline.submission(id);
        let whole = |resource| Side::without_access(submission.first_node, Part::Whole, resource);
        match (submission.kind, &submission.statement.kind) {
            (SubmissionKind::Execute, _) => {
                for (node, _, command) in timeline.commands(id) {
                    self.command(id, node, command);
                }
            }
            (SubmissionKind::Present { resource }, _) => {
                let all = timeline.memory.whole(resource);
                self.touch(id, whole(resource), READS, all.into_iter().collect());
            }
            (
                SubmissionKind::CpuRead { resource },
                StatementKind::CpuRead { range, .. } | StatementKind::CpuWrite { range, .. },
            ) => {
                let extents = timeline.memory.extents(scenario, resource, range);
                self.touch(id, whole(resource), READS, extents);
            }
            (
                SubmissionKind::CpuWrite { resource },
                StatementKind::CpuRead { range, .. } | StatementKind::CpuWrite { range, .. },
            ) => {
                let extents = timeline.memory.extents(scenario, resource, range);
                self.touch(id, whole(resource), WRITES, extents);
            }
            _ => {}
        }
    }

    fn command(&mut self, id: SubmissionId, node: NodeId, command: &crate::scenario::Command) {
        let timeline = self.timeline;
        let scenario = timeline.scenario;
        for (index, used) in command.uses.iter().enumerate() {
            let side = Side {
                node,
                part: Part::Use(narrow(index)),
                resource: used.resource,
                access: used.access,
                stages: used.stages,
            };
            let extents = timeline
                .memory
                .extents(scenario, used.resource, &used.range);
            let touch = Touch {
                reads: used.reads(),
                writes: used.writes(),
                atomics: used.mode == UseMode::Atomics,
            };
            self.touch(id, side, touch, extents);
        }
        for (index, barrier) in command.kind.barriers().iter().enumerate() {
            let Some((resource, entry)) = barrier.named_texture() else {
                continue;
            };
            let stays = entry.layout_before == entry.layout_after && !entry.discard;
            if stays || is_out(timeline, resource) {
                continue;
            }
            let side = Side::without_access(node, Part::Entry(narrow(index)), resource);
            let mut extents = Vec::new();
            timeline
                .memory
                .for_each_barrier_extent(scenario, barrier, |extent| extents.push(extent));
            let touch = Touch {
                reads: true,
                ..WRITES
            };
            self.touch(id, side, touch, extents);
        }
    }

    fn touch(&mut self, id: SubmissionId, side: Side, touch: Touch, extents: Vec<Extent>) {
        let Touch {
            reads,
            writes,
            atomics,
        } = touch;
        let (timeline, pairs, exempt) = (self.timeline, &mut self.pairs, &mut self.exempt);
        let pair = |first, second| NeededPair {
            first,
            second,
            through: None,
            asked: true,
        };
        for extent in extents {
            let memory = &mut self.memories[extent.memory];
            memory.visit(extent.start, extent.end, |_, live| {
                let readers = live.readers.iter().filter(|_| writes);
                for (earlier, first) in live.writer.iter().chain(readers) {
                    if *earlier != id && timeline.happens_before(*earlier, id) {
                        pairs.push(pair(*first, side));
                    }
                }
                if let Some((_, first)) = live.writer.filter(|(earlier, _)| *earlier == id)
                    && (raster_exempt(&first, &side) || live.atomics && atomics)
                {
                    exempt.push(pair(first, side));
                }
                if writes {
                    (live.writer, live.atomics) = (Some((id, side)), atomics);
                    live.readers.clear();
                } else if reads {
                    if live.readers.len() == READERS_MAX {
                        live.readers.remove(0);
                    }
                    live.readers.push((id, side));
                }
            });
        }
    }
}

/// Whether a resource has no memory of its own on the timeline.
fn is_out(timeline: &Timeline<'_>, resource: ResourceId) -> bool {
    timeline.memory.whole(resource).is_none()
}
