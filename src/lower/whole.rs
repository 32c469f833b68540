//! A whole program at once, and what belongs to a program besides its packets.

use super::policy::Policy;
use super::session::Session;
use super::{handover, surfaces};
use crate::hardware::Profile;
use crate::id::{MemoryId, OpId, ResourceId, SubmissionId, Table, narrow};
use crate::order::Timeline;
use crate::program::{Block, Program, ResourceInfo};

/// Lowers a timeline with a policy.
pub(super) fn lower(policy: &dyn Policy, timeline: &Timeline<'_>, profile: &Profile) -> Program {
    let mut blocks: Table<SubmissionId, Block> = (0..timeline.submissions.len())
        .map(|_| Block::default())
        .collect();
    let mut session = Session::new(timeline, profile);
    for id in timeline.evaluation.iter() {
        blocks[id] = session.submission(policy, id);
    }
    let mut ops = 0;
    for block in &mut blocks {
        number(block, &mut ops);
    }
    Program {
        blocks,
        ops,
        ..setting(timeline, profile)
    }
}

/// Numbers the packets of a block from `next` on.
///
/// # Panics
/// If a run has 2^32 packets.
pub(super) fn number(block: &mut Block, next: &mut u32) {
    block.first_op = OpId(*next);
    for (index, op) in block.ops.iter_mut().enumerate() {
        op.id = OpId(*next + narrow(index));
    }
    // Packets only follow packets of their own block: a scope ends with everything complete.
    for after in &mut block.after {
        after.0 += *next;
    }
    *next = next
        .checked_add(narrow(block.ops.len()))
        .expect("a run is limited to 2^32 packets");
}

/// A program without its packets.
pub fn setting(timeline: &Timeline<'_>, profile: &Profile) -> Program {
    let scenario = timeline.scenario;
    let resources = resources(timeline, profile);
    let mut memories: Table<MemoryId, u64> = (0..timeline.memory.memory_count())
        .map(|m| timeline.memory.memory_bytes(MemoryId::new(m)))
        .collect();
    let has_metadata = resources.iter().any(|resource| resource.initial.is_some());
    let metadata = has_metadata.then(|| narrow(memories.len()));
    if has_metadata {
        memories.extend(memories.to_vec());
    }
    Program {
        blocks: Table::default(),
        queues: scenario.queues.values().map(|q| q.queue_type).collect(),
        fences: handover::values(timeline),
        memories,
        metadata,
        resources,
        nodes: narrow(timeline.node_count()),
        ops: 0,
    }
}

fn resources(timeline: &Timeline<'_>, profile: &Profile) -> Table<ResourceId, ResourceInfo> {
    let resources = timeline.scenario.resources.values().enumerate();
    resources
        .map(|(index, resource)| ResourceInfo {
            is_buffer: resource.is_buffer(),
            extent: timeline.memory.whole(ResourceId::new(index)),
            initial: surfaces::initial_state(profile, resource),
        })
        .collect()
}
