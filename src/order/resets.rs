//! GPU resets: which submissions are lost, and which fences jump to their greatest value.
//!
//! Reading R40. What a queue was given after its reset fails: it never becomes a submission. What it was given before
//! and is not known to be over by then is dropped: its signals are not given, and nothing of it runs after the reset.
//! Each fence that the device (or the queue) could signal goes to `u64::MAX`, unless it has `NoSignalMaxValueOnTdr` or
//! the device may not signal it (`NoSignal`).

use super::{Actor, SubmissionKind, Timeline};
use crate::api::SyncObjectFlags;
use crate::id::{FenceId, QueueId, SubmissionId, Table};
use crate::scenario::{CommandKind, Scenario, Statement, StatementKind};

/// A reset with what it does.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// The statement's submission.
    pub(super) reset: SubmissionId,
    /// For each queue that it stops, how many of its submissions are over before the reset.
    pub(super) finished: Table<QueueId, Option<u32>>,
    /// For each fence, whether it goes to its greatest value.
    pub(super) jumps: Table<FenceId, bool>,
}

/// What a reset does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResetEffect {
    /// The statement's submission.
    pub reset: SubmissionId,
    /// Submissions that were not over: none of them counts as done, and signals among them are not given.
    pub dropped: Vec<SubmissionId>,
    /// Fences that go to their greatest value.
    pub jumps: Vec<FenceId>,
    /// Waits that end by it.
    pub woken: Vec<SubmissionId>,
}

/// The queue that a reset stops; `None` is all of them.
fn scope(timeline: &Timeline<'_>, reset: SubmissionId) -> Option<QueueId> {
    match timeline.submission(reset).statement.kind {
        StatementKind::Reset(queue) => queue,
        _ => None,
    }
}

/// Whether a reset of this queue, or of the device, stops an actor. Processes go on.
pub(super) fn stops(scenario: &Scenario, reset: Option<QueueId>, actor: QueueId) -> bool {
    scenario.queues[actor].is_gpu() && reset.is_none_or(|queue| queue == actor)
}

/// The resets that stop the device or a queue that was still running, in the CPU's order.
pub(super) fn effective(timeline: &Timeline<'_>) -> Vec<SubmissionId> {
    let mut running: Table<QueueId, bool> = Table::filled(timeline.scenario.queues.len(), true);
    let mut device_runs = true;
    let mut found = Vec::new();
    for (index, submission) in timeline.submissions.iter().enumerate() {
        if submission.kind != SubmissionKind::Reset {
            continue;
        }
        let id = SubmissionId::new(index);
        let stopped = |queue: QueueId| stops(timeline.scenario, scope(timeline, id), queue);
        // Fences that no queue signals jump when the device stops, whichever queues stopped before.
        let device_stops = scope(timeline, id).is_none() && device_runs;
        if device_stops || running.ids().any(|q| running[q] && stopped(q)) {
            found.push(id);
        }
        device_runs &= !device_stops;
        for queue in running.ids() {
            running[queue] &= !stopped(queue);
        }
    }
    found
}

impl Cut {
    /// What the reset does, where the timeline's clocks know only of the resets before it.
    pub(super) fn new(timeline: &Timeline<'_>, reset: SubmissionId, earlier: &[Self]) -> Self {
        let queue = scope(timeline, reset);
        let clock = timeline.clock(reset);
        let queues = timeline.scenario.queues.ids();
        let finished = queues
            .map(|actor| {
                let stopped = stops(timeline.scenario, queue, actor)
                    && earlier.iter().all(|cut| cut.finished[actor].is_none());
                stopped.then(|| clock.over(actor.index()))
            })
            .collect();
        Self {
            reset,
            finished,
            jumps: jumps(timeline.scenario, queue),
        }
    }

    /// The effect, once the timeline is resolved.
    pub(super) fn effect(&self, timeline: &Timeline<'_>) -> ResetEffect {
        let all = || (0..timeline.submissions.len()).map(SubmissionId::new);
        let jumps = self.jumps.ids().filter(|fence| self.jumps[*fence]);
        ResetEffect {
            reset: self.reset,
            dropped: all().filter(|id| self.drops(timeline, *id)).collect(),
            jumps: jumps.collect(),
            woken: all()
                .filter(|id| timeline.awaited_signal(*id) == Some(self.reset))
                .collect(),
        }
    }

    /// Whether the reset drops a submission.
    pub(super) fn drops(&self, timeline: &Timeline<'_>, id: SubmissionId) -> bool {
        let submission = timeline.submission(id);
        match submission.actor {
            Actor::Queue(queue) => {
                self.finished[queue].is_some_and(|over| submission.sequence >= over)
            }
            Actor::Cpu => false,
        }
    }
}

/// The fences that a reset of the queue, or of the whole device, signals to their greatest value. A device could signal
/// every fence that its flags allow; a queue those that the timeline has it signal.
fn jumps(scenario: &Scenario, queue: Option<QueueId>) -> Table<FenceId, bool> {
    let mut could = Table::filled(scenario.fences.len(), queue.is_none());
    if let (Some(queue), Some(timeline)) = (queue, &scenario.timeline) {
        signalled(scenario, &timeline.statements, queue, &mut could);
    }
    let refused = SyncObjectFlags::NO_SIGNAL | SyncObjectFlags::NO_SIGNAL_MAX_VALUE_ON_TDR;
    for (fence, jumps) in scenario.fences.values().zip(&mut could) {
        *jumps &= !fence.bits().intersects(refused);
    }
    could
}

/// Marks the fences that the queue signals in these statements, by itself or in its lists.
fn signalled(
    scenario: &Scenario,
    statements: &[Statement],
    queue: QueueId,
    out: &mut Table<FenceId, bool>,
) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Signal {
                queue: by, fence, ..
            } if *by == Some(queue) => out[*fence] = true,
            StatementKind::Execute { queue: by, lists } if *by == queue => {
                for list in lists {
                    for command in &scenario.lists[*list].commands {
                        if let Some(fence) = signal_of(&command.kind) {
                            out[fence] = true;
                        }
                    }
                }
            }
            StatementKind::Repeat { body, .. } => signalled(scenario, body, queue, out),
            _ => {}
        }
    }
}

fn signal_of(command: &CommandKind) -> Option<FenceId> {
    let (signals, fence, _) = command.fence_step()?;
    signals.then_some(fence)
}
