//! Needed pairs across submissions that are ordered: the walk empties its state at each boundary, because a boundary
//! covers everything before it (reading R22), so they are found here, where somebody asks for them.
//!
//! Each use is paired with the latest earlier write of its bytes, and a write with the reads since. Cost: linear in the
//! uses but for the ranges that they cut.

use super::ranges::RangeMap;
use super::{NeededPair, Part, Side};
use crate::api::{BarrierAccess, LeafSet};
use crate::id::{Extent, MemoryId, NodeId, ResourceId, SubmissionId, Table, narrow};
use crate::order::{SubmissionKind, Timeline};
use crate::scenario::{BarrierTarget, StatementKind};

/// Readers that are remembered for each range; of more, the latest.
const READERS_MAX: usize = 16;

/// What happened to some bytes.
#[derive(Clone, Default)]
struct Live {
    writer: Option<(SubmissionId, Side)>,
    readers: Vec<(SubmissionId, Side)>,
}

/// Pairs of uses in different submissions, of which the first happens before the second.
pub fn pairs(timeline: &Timeline<'_>) -> Vec<NeededPair> {
    let mut across = Across {
        timeline,
        memories: Table::filled(timeline.memory.memory_count(), RangeMap::default()),
        pairs: Vec::new(),
    };
    for id in timeline.evaluation.iter() {
        across.submission(id);
    }
    across.pairs
}

struct Across<'t, 's> {
    timeline: &'t Timeline<'s>,
    memories: Table<MemoryId, RangeMap<Live>>,
    pairs: Vec<NeededPair>,
}

impl Across<'_, '_> {
    fn submission(&mut self, id: SubmissionId) {
        let timeline = self.timeline;
        let scenario = timeline.scenario;
        let submission = timeline.submission(id);
        let whole = |resource| Side {
            node: submission.first_node,
            part: Part::Whole,
            resource,
            access: BarrierAccess::empty(),
            stages: LeafSet::EMPTY,
        };
        match (submission.kind, &submission.statement.kind) {
            (SubmissionKind::Execute, _) => {
                for (node, _, command) in timeline.commands(id) {
                    self.command(id, node, command);
                }
            }
            (SubmissionKind::Present { resource }, _) => {
                let all = timeline.memory.whole(resource);
                self.touch(
                    id,
                    whole(resource),
                    (true, false),
                    all.into_iter().collect(),
                );
            }
            (
                SubmissionKind::CpuRead { resource },
                StatementKind::CpuRead { range, .. } | StatementKind::CpuWrite { range, .. },
            ) => {
                let extents = timeline.memory.extents(scenario, resource, range);
                self.touch(id, whole(resource), (true, false), extents);
            }
            (
                SubmissionKind::CpuWrite { resource },
                StatementKind::CpuRead { range, .. } | StatementKind::CpuWrite { range, .. },
            ) => {
                let extents = timeline.memory.extents(scenario, resource, range);
                self.touch(id, whole(resource), (false, true), extents);
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
            self.touch(id, side, (used.reads(), used.writes()), extents);
        }
        for (entry, barrier) in command.kind.barriers().iter().enumerate() {
            let BarrierTarget::Texture {
                resource: Some(resource),
                layout_before,
                layout_after,
                discard,
                ..
            } = &barrier.target
            else {
                continue;
            };
            if (layout_before == layout_after && !discard) || is_out(timeline, *resource) {
                continue;
            }
            let side = Side {
                node,
                part: Part::Entry(narrow(entry)),
                resource: *resource,
                access: BarrierAccess::empty(),
                stages: LeafSet::EMPTY,
            };
            let mut extents = Vec::new();
            timeline
                .memory
                .for_each_barrier_extent(scenario, barrier, |extent| extents.push(extent));
            self.touch(id, side, (true, true), extents);
        }
    }

    fn touch(
        &mut self,
        id: SubmissionId,
        side: Side,
        (reads, writes): (bool, bool),
        extents: Vec<Extent>,
    ) {
        let (timeline, pairs) = (self.timeline, &mut self.pairs);
        for extent in extents {
            let memory = &mut self.memories[extent.memory];
            memory.visit(extent.start, extent.end, |_, live| {
                let readers = live.readers.iter().filter(|_| writes);
                for (earlier, first) in live.writer.iter().chain(readers) {
                    if *earlier != id && timeline.happens_before(*earlier, id) {
                        pairs.push(NeededPair {
                            first: *first,
                            second: side,
                            through: None,
                            asked: true,
                        });
                    }
                }
                if writes {
                    live.writer = Some((id, side));
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
