//! Fences as the machine has them: which way a value takes, what that costs, and what represents processes.
//!
//! The machine knows fences by number and nothing of processes. A destroyed object that ends waits is a fence of its
//! own, numbered after those of the scenario; what a process waits for holds the work of its queues too.

use crate::api::{NativeFence, SyncObject, SyncObjectFlags};
use crate::hardware::{FenceWay, Profile};
use crate::id::{FenceId, ListId, NodeId, QueueId, SubmissionId, Table};
use crate::order::storage::{self, ValueType};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::program::HwOpKind;
use crate::scenario::{Command, CommandKind, Fence, ObjectAct, Scenario};
use crate::time::Ps;
use indexmap::IndexMap;

/// How long a signal of a queue takes, or going on after a wait.
pub(super) fn time(timeline: &Timeline<'_>, profile: &Profile, id: SubmissionId) -> Ps {
    let submission = timeline.submission(id);
    let Actor::Queue(queue) = submission.actor else {
        return profile.costs.host_call;
    };
    let scenario = timeline.scenario;
    match submission.kind {
        SubmissionKind::Signal { fence, .. } => profile.signal_time(way(scenario, fence, queue)),
        SubmissionKind::Wait { fence, .. } => {
            let adapter = |actor| match actor {
                Actor::Queue(q) if scenario.queue(q).is_gpu() => {
                    Some(scenario.queue(q).adapter.unwrap_or(0))
                }
                _ => None,
            };
            let own = adapter(submission.actor);
            let signal = timeline.awaited_signal(id);
            let from = signal.and_then(|s| adapter(timeline.submission(s).actor));
            let forwarded = own.zip(from).is_some_and(|(to, from)| to != from);
            let way = way(scenario, fence, queue);
            match known_handoff(timeline, profile, id) {
                Some(all) if !forwarded => Ps(all.0.saturating_sub(profile.signal_time(way).0)),
                _ => profile.wait_time(way, forwarded),
            }
        }
        _ => Ps::ZERO,
    }
}

/// How long the handoff from the signalling queue to the waiting one takes; `None` if no queue of the GPU signals what `wait`
/// waits for, or if the profile does not know the time.
fn known_handoff(timeline: &Timeline<'_>, profile: &Profile, wait: SubmissionId) -> Option<Ps> {
    let scenario = timeline.scenario;
    let queue = |id: SubmissionId| match timeline.submission(id).actor {
        Actor::Queue(queue) if scenario.queue(queue).is_gpu() => Some(queue),
        _ => None,
    };
    let (to, from) = (queue(wait)?, queue(timeline.awaited_signal(wait)?)?);
    let kind = |queue| scenario.queue_type(queue);
    profile.handoff(kind(from), kind(to), from == to)
}

/// Submissions, ascending, that follow a wait with a known handoff on their queue: they reach the GPU before the wait ends.
pub(super) fn handed(timeline: &Timeline<'_>, profile: &Profile) -> Vec<SubmissionId> {
    let mut waits: Table<QueueId, bool> = Table::filled(timeline.scenario.queues.len(), false);
    let submissions = timeline.submissions.iter().enumerate();
    submissions
        .filter_map(|(index, submission)| {
            let Actor::Queue(queue) = submission.actor else {
                return None;
            };
            let id = SubmissionId::new(index);
            let waited = &mut waits[queue];
            let before = std::mem::take(waited);
            *waited = matches!(submission.kind, SubmissionKind::Wait { .. })
                && known_handoff(timeline, profile, id).is_some();
            (before && submission.kind == SubmissionKind::Execute).then_some(id)
        })
        .collect()
}

/// The queues that a reset stops, as the machine has them: processes are queues there too, and go on.
pub(super) fn stopped(scenario: &Scenario, reset: Option<QueueId>) -> Vec<Option<QueueId>> {
    if reset.is_some() || !scenario.has_processes() {
        return vec![reset];
    }
    let queues = scenario.queues.values().enumerate();
    queues
        .filter(|(_, queue)| queue.is_gpu())
        .map(|(index, _)| Some(QueueId::new(index)))
        .collect()
}

/// A fence barrier that the machine signals or waits for.
pub(super) struct FenceStep {
    pub(super) node: NodeId,
    pub(super) signal: bool,
    queue: Option<QueueId>,
    fence: FenceId,
    value: u64,
}

impl FenceStep {
    /// Time that the signal or wait takes.
    pub(super) fn time(&self, timeline: &Timeline<'_>, profile: &Profile) -> Ps {
        let way = self.queue.map_or(FenceWay::Monitored, |queue| {
            way(timeline.scenario, self.fence, queue)
        });
        if self.signal {
            profile.signal_time(way)
        } else {
            profile.wait_time(way, false)
        }
    }

    pub(super) fn packet(&self) -> HwOpKind {
        let (fence, value) = (self.fence, self.value);
        if self.signal {
            HwOpKind::SignalFence { fence, value }
        } else {
            HwOpKind::WaitFence { fence, value }
        }
    }
}

/// Fences that the text waits for outside the call that signals them.
pub(super) fn awaited(timeline: &Timeline<'_>) -> Table<FenceId, bool> {
    let mut awaited = Table::filled(timeline.scenario.fences.len(), false);
    let mut calls: IndexMap<&[ListId], ()> = IndexMap::new();
    for (index, submission) in timeline.submissions.iter().enumerate() {
        match submission.kind {
            SubmissionKind::Wait { fence, .. } => awaited[fence] = true,
            SubmissionKind::Execute if calls.insert(timeline.lists(submission), ()).is_none() => {
                let steps = every_step(timeline, SubmissionId::new(index));
                for step in steps.iter().filter(|step| !step.signal) {
                    awaited[step.fence] = true;
                }
            }
            _ => {}
        }
    }
    awaited
}

/// Fence barriers of a call that somebody outside it takes part in: signals that are waited for elsewhere, and waits
/// that no signal of the call itself satisfies.
pub(super) fn steps(
    timeline: &Timeline<'_>,
    id: SubmissionId,
    awaited: &Table<FenceId, bool>,
) -> Vec<FenceStep> {
    let mut steps = every_step(timeline, id);
    steps.retain(|step| !step.signal || awaited[step.fence]);
    steps
}

/// Fence barriers of a call, without waits that the call itself satisfies.
fn every_step(timeline: &Timeline<'_>, id: SubmissionId) -> Vec<FenceStep> {
    let lists = timeline.lists(timeline.submission(id));
    let is_step = |c: &Command| matches!(c.kind, CommandKind::FenceBarrier { .. });
    let all = &timeline.scenario.lists;
    if !lists.iter().any(|l| all[*l].commands.iter().any(is_step)) {
        return Vec::new();
    }
    let queue = match timeline.submission(id).actor {
        Actor::Queue(queue) => Some(queue),
        Actor::Cpu => None,
    };
    let mut found: Vec<FenceStep> = Vec::new();
    for (node, _, command) in timeline.commands(id) {
        let Some((signal, fence, value)) = command.kind.fence_step() else {
            continue;
        };
        let inside = found.iter().rfind(|s| s.signal && s.fence == fence);
        if signal || inside.is_none_or(|s| s.value < value) {
            found.push(FenceStep {
                node,
                signal,
                queue,
                fence,
                value,
            });
        }
    }
    found
}

/// Which way a fence's value takes to or from a queue.
pub(crate) fn way(scenario: &Scenario, fence: FenceId, queue: QueueId) -> FenceWay {
    let fence = &scenario.fences[fence];
    let queue = scenario.queue(queue);
    // Where an adapter lacks native fences, its side is an ordinary monitored fence.
    let native = queue.is_gpu() && scenario.has_native_fences(queue.adapter.unwrap_or(0));
    match fence.object() {
        // Not mapped for the GPU: only packets, which the operating system handles.
        SyncObject::Native if native && !fence.has(SyncObjectFlags::NO_GPU_ACCESS) => {
            if is_local(scenario, fence) {
                FenceWay::NativeLocal
            } else {
                FenceWay::NativeSystem
            }
        }
        _ => FenceWay::Monitored,
    }
}

/// Whether a native fence's current value lies in local memory.
fn is_local(scenario: &Scenario, fence: &Fence) -> bool {
    let memory = storage::Memory::of(scenario, fence.adapter.unwrap_or(0));
    let intra = fence.native_type() == Some(NativeFence::IntraGpu);
    let place = storage::place(fence, ValueType::Current, &memory);
    let system = place.is_none_or(|segment| segment == crate::scenario::MemorySegment::System);
    (intra || fence.storage.current.is_some())
        && !fence.has(SyncObjectFlags::CROSS_ADAPTER)
        && !system
}

/// First values: of the scenario's fences, then of those that stand for destroyed objects.
pub(super) fn values(timeline: &Timeline<'_>) -> Table<FenceId, u64> {
    let fences = timeline.scenario.fences.values().map(|f| f.initial);
    let destroys = timeline.submissions.iter().any(|s| {
        matches!(
            s.kind,
            SubmissionKind::Object {
                act: ObjectAct::Destroy,
                ..
            }
        )
    });
    let extra = if destroys {
        timeline.submissions.len()
    } else {
        0
    };
    fences.chain(std::iter::repeat_n(0, extra)).collect()
}

/// The packet of a signal, a wait or a destroyed object.
pub(super) fn packet(timeline: &Timeline<'_>, signalled: &Signalled, id: SubmissionId) -> HwOpKind {
    let gone =
        |destroy: SubmissionId| FenceId::new(timeline.scenario.fences.len() + destroy.index());
    let is_object =
        |id: SubmissionId| matches!(timeline.submission(id).kind, SubmissionKind::Object { .. });
    match timeline.submission(id).kind {
        SubmissionKind::Signal { fence, value } => HwOpKind::SignalFence { fence, value },
        SubmissionKind::Wait { fence, value } => {
            let declared = &timeline.scenario.fences[fence];
            match timeline.awaited_signal(id) {
                Some(destroy) if is_object(destroy) => HwOpKind::WaitFence {
                    fence: gone(destroy),
                    value: 1,
                },
                // Somebody outside the text signals it: taken to be in time.
                None if signalled.is_elsewhere(declared, fence, value) => {
                    HwOpKind::WaitFence { fence, value: 0 }
                }
                _ => HwOpKind::WaitFence { fence, value },
            }
        }
        _ => HwOpKind::SignalFence {
            fence: gone(id),
            value: 1,
        },
    }
}

/// What the text signals.
pub(super) struct Signalled {
    /// The greatest value of each fence.
    greatest: Table<FenceId, Option<u64>>,
    has_processes: bool,
}

impl Signalled {
    pub(super) fn new(timeline: &Timeline<'_>) -> Self {
        let mut greatest = Table::filled(timeline.scenario.fences.len(), None);
        for submission in timeline.submissions.iter() {
            if let SubmissionKind::Signal { fence, value } = submission.kind {
                greatest[fence] = greatest[fence].max(Some(value));
            }
        }
        Self {
            greatest,
            has_processes: timeline.scenario.has_processes(),
        }
    }

    /// Whether no signal of the text reaches a value that somebody outside it may signal.
    fn is_elsewhere(&self, declared: &Fence, fence: FenceId, value: u64) -> bool {
        declared.is_signalled_elsewhere()
            && !self.has_processes
            && self.greatest[fence].is_none_or(|most| most < value)
    }
}

/// Waits of processes, which hold what these submit to their queues. Submissions enter in their order.
pub(super) struct ProcessWaits {
    /// By process: its waits so far.
    waits: Table<QueueId, Vec<SubmissionId>>,
    /// By queue: how many of its process's waits its latest submission has come after.
    seen: Table<QueueId, usize>,
}

impl ProcessWaits {
    pub(super) fn new(scenario: &Scenario) -> Self {
        // Without processes nothing is held.
        let count = if scenario.has_processes() {
            scenario.queues.len()
        } else {
            0
        };
        Self {
            waits: Table::filled(count, Vec::new()),
            seen: Table::filled(count, 0),
        }
    }

    /// The waits that hold a submission: those of its queue's process since that last submitted to the queue.
    pub(super) fn enter(&mut self, timeline: &Timeline<'_>, id: SubmissionId) -> Vec<SubmissionId> {
        let submission = timeline.submission(id);
        let Actor::Queue(queue) = submission.actor else {
            return Vec::new();
        };
        if self.seen.is_empty() {
            return Vec::new();
        }
        let scenario = timeline.scenario;
        if !scenario.queue(queue).is_gpu() {
            if matches!(submission.kind, SubmissionKind::Wait { .. }) {
                self.waits[queue].push(id);
            }
            return Vec::new();
        }
        let Some(process) = scenario.process_of(queue) else {
            return Vec::new();
        };
        let waits = &self.waits[process];
        let seen = std::mem::replace(&mut self.seen[queue], waits.len());
        waits[seen..].to_vec()
    }
}
