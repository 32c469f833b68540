//! What every drawing of a run shows alike: the pictures' slices and the page's packets are made of it.

use crate::hardware::Profile;
use crate::id::{FenceId, OpId, SubmissionId};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::program::{BarrierRole, HwOp, HwOpKind, Program};
use crate::trace::contents::Holder;

/// Names of the tracks: of the queues in order of declaration, then of the CPU.
pub(super) fn tracks<'t>(timeline: &'t Timeline<'_>) -> impl Iterator<Item = &'t str> {
    let queues = timeline.scenario.queues.keys();
    queues
        .map(String::as_str)
        .chain([timeline.actor_name(Actor::Cpu)])
}

/// The name of a cache, or of memory.
pub(super) fn place(profile: &Profile, place: Holder) -> String {
    match place.cache {
        None => "memory".to_owned(),
        Some(cache) if place.of_writers => format!("{} (writers')", profile.cache(cache).name),
        Some(cache) => profile.cache(cache).name.clone(),
    }
}

/// Whether a packet is drawn: the start of a scope that does nothing is not.
pub(super) fn is_drawn(op: &HwOp) -> bool {
    let HwOpKind::Barrier(barrier) = &op.kind else {
        return true;
    };
    let begins = matches!(
        barrier.role,
        BarrierRole::ScopeBegin | BarrierRole::PassBegin
    );
    !(begins && barrier.steps.is_empty())
}

/// A wait for a fence that a signal ended.
pub(super) struct Signalled {
    /// The packet of the signal.
    pub(super) signal: OpId,
    /// The packet of the wait.
    pub(super) wait: OpId,
    /// The fence.
    pub(super) fence: FenceId,
    /// The value that was waited for.
    pub(super) value: u64,
}

/// Every wait that has a signal, in the order of submission.
pub(super) fn signalled<'t>(
    timeline: &'t Timeline<'_>,
    program: &'t Program,
) -> impl Iterator<Item = Signalled> + 't {
    let packet = |id: SubmissionId| {
        let is_fence = |op: &&HwOp| {
            let kind = &op.kind;
            matches!(
                kind,
                HwOpKind::SignalFence { .. } | HwOpKind::WaitFence { .. }
            )
        };
        let block = program.blocks.get(id)?;
        block.ops.iter().find(is_fence).map(|op| op.id)
    };
    let submissions = timeline.submissions.iter().enumerate();
    submissions.filter_map(move |(index, submission)| {
        let wait = SubmissionId::new(index);
        let SubmissionKind::Wait { fence, value } = submission.kind else {
            return None;
        };
        Some(Signalled {
            signal: packet(timeline.awaited_signal(wait)?)?,
            wait: packet(wait)?,
            fence,
            value,
        })
    })
}
