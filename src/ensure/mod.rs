//! *Asked ⊆ ensured*, checked statically: for every barrier entry, whether its packet waits, moves cache lines, rewrites
//! layouts and holds as its masks ask on this machine. Exact, and independent of any one run.
//!
//! The needs are derived here a second time and in another way than in `lower/`: a walk along both paths, element by
//! element, asking of each cache whether the line can be stuck in it. The two derivations check each other.

use crate::api::{BarrierAccess, Layout, LeafSet, QueueType, Scope};
use crate::finding::Span;
use crate::hardware::{Client, Policy, Profile};
use crate::id::{BarrierRef, CacheId};
use crate::order::Timeline;
use crate::program::{BarrierOp, BarrierRole, Block, HwOpKind, Program, StepKind};
use crate::scenario::{Barrier, BarrierTarget, CommandKind};

/// What a program falls short of.
#[derive(Clone, Debug, Default)]
pub struct Shortfalls {
    /// Operations that are asked for and missing.
    pub missing: Vec<Missing>,
    /// Barrier entries checked.
    pub checked: u64,
}

/// One missing operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The entry.
    pub barrier: BarrierRef,
    /// Where it stands.
    pub span: Span,
    /// What is missing.
    pub what: MissingKind,
}

/// Kinds of missing operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingKind {
    /// It does not wait for these leaves.
    Wait(LeafSet),
    /// It does not hold these leaves.
    Hold(LeafSet),
    /// It leaves dirty lines of the first access in a cache that the second does not look into.
    Clean(CacheId, BarrierAccess, BarrierAccess),
    /// It leaves old lines in a cache through which the second access reads.
    Invalidate(CacheId, BarrierAccess, BarrierAccess),
}

/// Checks every barrier entry of a program.
pub fn check(timeline: &Timeline<'_>, profile: &Profile, program: &Program) -> Shortfalls {
    let mut out = Shortfalls::default();
    for (index, block) in program.blocks.iter().enumerate() {
        let submission = timeline.submission(crate::id::SubmissionId::new(index));
        let Some(queue) = timeline.queue_type(submission) else {
            continue;
        };
        for op in &block.ops {
            let (HwOpKind::Barrier(packet), Some(entry)) = (&op.kind, op.origin.entry) else {
                continue;
            };
            let barrier = BarrierRef {
                node: op.origin.node,
                entry,
            };
            let Some(text) = entry_of(timeline, barrier) else {
                continue;
            };
            out.checked += 1;
            let mut missing = |what| {
                out.missing.push(Missing {
                    barrier,
                    span: text.span,
                    what,
                })
            };
            check_one(timeline, profile, queue, block, packet, text, &mut missing);
        }
    }
    out
}

fn entry_of<'s>(timeline: &Timeline<'s>, barrier: BarrierRef) -> Option<&'s Barrier> {
    match &timeline.command(barrier.node)?.kind {
        CommandKind::Barrier(entries)
        | CommandKind::FenceBarrier {
            barriers: entries, ..
        } => entries.get(barrier.entry as usize),
        _ => None,
    }
}

fn check_one(
    timeline: &Timeline<'_>,
    profile: &Profile,
    queue: QueueType,
    block: &Block,
    packet: &BarrierOp,
    text: &Barrier,
    missing: &mut impl FnMut(MissingKind),
) {
    let (resource, layouts) = match &text.target {
        BarrierTarget::Texture {
            resource,
            layout_before,
            layout_after,
            ..
        } => {
            let memory_only =
                *layout_before == Layout::Undefined && *layout_after == Layout::Undefined;
            (
                *resource,
                (!memory_only).then_some((*layout_before, *layout_after)),
            )
        }
        BarrierTarget::Buffer { resource, .. } | BarrierTarget::Ranged { resource, .. } => {
            (*resource, None)
        }
        BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => (None, None),
    };
    let traits = resource.map(|id| timeline.scenario.traits(id));
    let before = Scope::new(
        text.sync_before,
        text.access_before,
        layouts.map(|l| l.0),
        queue,
        traits,
    );
    let after = Scope::new(
        text.sync_after,
        text.access_after,
        layouts.map(|l| l.1),
        queue,
        traits,
    );
    let own = queue.leaves();
    if packet.role != BarrierRole::SplitEnd {
        let lacks = before.stages.intersection(own).minus(packet.wait);
        if !lacks.is_empty() {
            missing(MissingKind::Wait(lacks));
        }
        // A second half has no operations of its own; a first half's may run at any time before the second.
        for write in (before.accesses & BarrierAccess::WRITES).iter() {
            for other in after.accesses.iter() {
                check_pair(profile, queue, block, packet, (write, other), missing);
            }
        }
    }
    if packet.role != BarrierRole::SplitBegin {
        let lacks = after.stages.intersection(own).minus(packet.hold);
        if !lacks.is_empty() {
            missing(MissingKind::Hold(lacks));
        }
    }
}

/// Walks the written line outward from its writer, and the read inward from memory.
fn check_pair(
    profile: &Profile,
    queue: QueueType,
    block: &Block,
    packet: &BarrierOp,
    (write, other): (BarrierAccess, BarrierAccess),
    missing: &mut impl FnMut(MissingKind),
) {
    let outward = profile.path(profile.path_of(client(write, queue)));
    let inward = profile.path(profile.path_of(client(other, queue)));
    // How far the line gets by itself and by the packet's cleans: the caches it has reached, nearest first.
    let mut meets = None;
    for cache in outward {
        let here = profile.cache(*cache);
        if !here.private && inward.contains(cache) {
            meets = Some(*cache);
            break;
        }
        if here.policy == Policy::WriteBack && !has(block, packet, *cache, true) {
            missing(MissingKind::Clean(*cache, write, other));
        }
    }
    // Every cache that the other access looks into before that place may answer with an old line.
    for cache in inward {
        if Some(*cache) == meets {
            break;
        }
        if !has(block, packet, *cache, false) {
            missing(MissingKind::Invalidate(*cache, write, other));
        }
    }
}

/// Whether a packet cleans (or drops, which writes back first) or invalidates a cache.
fn has(block: &Block, packet: &BarrierOp, cache: CacheId, clean: bool) -> bool {
    packet
        .steps
        .of(&block.steps)
        .iter()
        .any(|step| match step.kind {
            StepKind::Clean { cache: c, .. } => clean && c == cache,
            StepKind::Invalidate { cache: c, .. } => c == cache,
            StepKind::Layout { .. } | StepKind::FrontEnd => false,
        })
}

fn client(access: BarrierAccess, queue: QueueType) -> Client {
    match (queue, access) {
        (QueueType::Copy, BarrierAccess::COPY_SOURCE) => Client::CopyQueueRead,
        (QueueType::Copy, BarrierAccess::COPY_DEST) => Client::CopyQueueWrite,
        _ => Client::Access(access),
    }
}
