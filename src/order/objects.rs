//! Synchronization objects that processes create, open and destroy: which waits end because an object goes away.
//!
//! A process has a local object for a shared one. A wait of a process's thread ends when its process destroys its local
//! object; with `UnwaitCpuWaitersOnlyOnDestroy` only when the shared object itself goes, with the last local one.
//! (`D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Remarks".) Waits of queues end only by signals. Objects are created, opened and
//! destroyed in the order of the text.

use super::{Actor, SubmissionKind, Timeline};
use crate::api::SyncObjectFlags;
use crate::id::{FenceId, QueueId, SubmissionId, Table};
use crate::scenario::{ObjectAct, Scenario};

/// A destroyed object that ends waits.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wake {
    pub(super) submission: SubmissionId,
    fence: FenceId,
    /// Whose threads it wakes; `None`: every process's.
    process: Option<QueueId>,
}

impl Wake {
    /// Whether it ends a wait: one of a thread that has begun to wait before.
    pub(super) fn ends(&self, timeline: &Timeline<'_>, fence: FenceId, wait: SubmissionId) -> bool {
        let Actor::Queue(actor) = timeline.submission(wait).actor else {
            return false;
        };
        let scenario = timeline.scenario;
        // A thread cannot destroy what it waits for while it waits.
        let other = timeline.submission(self.submission).actor != Actor::Queue(actor);
        let process = scenario.process_of(actor);
        self.fence == fence
            && self.submission > wait
            && other
            && !scenario.queue(actor).is_gpu()
            && (self.process.is_none() || self.process == process)
    }
}

/// Every destroyed object that ends waits.
pub(super) fn wakes(timeline: &Timeline<'_>) -> Vec<Wake> {
    let scenario = timeline.scenario;
    let mut open: Table<FenceId, Vec<QueueId>> = (0..scenario.fences.len())
        .map(|index| owners(scenario, FenceId::new(index)))
        .collect();
    let mut found = Vec::new();
    for (index, submission) in timeline.submissions.iter().enumerate() {
        let (SubmissionKind::Object { fence, act }, Actor::Queue(actor)) =
            (submission.kind, submission.actor)
        else {
            continue;
        };
        let Some(process) = scenario.process_of(actor) else {
            continue;
        };
        let open = &mut open[fence];
        match act {
            ObjectAct::Create | ObjectAct::Open => open.push(process),
            ObjectAct::Destroy => {
                if let Some(at) = open.iter().position(|p| *p == process) {
                    open.remove(at);
                }
                let flag = SyncObjectFlags::UNWAIT_CPU_WAITERS_ONLY_ON_DESTROY;
                let fence_is = &scenario.fences[fence];
                let late = fence_is.has(flag | SyncObjectFlags::SHARED);
                let process = match (open.is_empty(), late) {
                    (true, _) => None,
                    (false, true) => continue,
                    (false, false) => Some(process),
                };
                found.push(Wake {
                    submission: SubmissionId::new(index),
                    fence,
                    process,
                });
            }
            ObjectAct::Share | ObjectAct::Initialise => {}
        }
    }
    found
}

/// The process that has created a fence before the timeline.
fn owners(scenario: &Scenario, fence: FenceId) -> Vec<QueueId> {
    scenario.fences[fence].process.into_iter().collect()
}
