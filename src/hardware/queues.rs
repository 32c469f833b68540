//! What passing work or a fence's value from one queue to another costs.

use super::Profile;
use crate::api::QueueType;
use crate::time::Ps;

/// How a fence's value gets from who signals to who waits.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FenceWay {
    /// The operating system holds the waiting queue's work on the CPU.
    Monitored,
    /// An engine waits for a value in system memory.
    NativeSystem,
    /// An engine waits for a value in local memory.
    NativeLocal,
}

impl Profile {
    /// What an `ExecuteCommandLists` call costs until it reaches its queue.
    pub fn submit_cost(&self, queue: QueueType) -> Ps {
        match queue {
            QueueType::Direct | QueueType::Bundle => self.costs.submit,
            QueueType::Compute => self.costs.submit_compute,
            _ => self.costs.submit_copy,
        }
    }

    /// How long a queue takes to signal a fence.
    pub fn signal_time(&self, way: FenceWay) -> Ps {
        match way {
            FenceWay::Monitored => self.costs.signal,
            FenceWay::NativeSystem => self
                .nanoseconds("fence.native_signal_ns")
                .unwrap_or(self.costs.signal),
            FenceWay::NativeLocal => self
                .nanoseconds("fence.local_signal_ns")
                .unwrap_or(self.costs.signal),
        }
    }

    /// How long after the signal a queue goes on that has waited for it: for a monitored fence interrupt, scheduling
    /// and submission; for a native one until the engine sees the value. `forwarded`: between two adapters, where the
    /// operating system carries the value over.
    pub fn wait_time(&self, way: FenceWay, forwarded: bool) -> Ps {
        let interrupt = self.nanoseconds("fence.interrupt_ns").unwrap_or_default();
        let own = match way {
            FenceWay::Monitored => {
                let scheduling = self.nanoseconds("fence.scheduling_ns").unwrap_or_default();
                interrupt + scheduling + self.costs.wait
            }
            FenceWay::NativeSystem => self
                .nanoseconds("fence.native_wait_ns")
                .unwrap_or(self.costs.wait),
            FenceWay::NativeLocal => self
                .nanoseconds("fence.local_wait_ns")
                .unwrap_or(self.costs.wait),
        };
        if !forwarded {
            return own;
        }
        let forward = self.nanoseconds("fence.forward_ns").unwrap_or_default();
        match way {
            // The interrupt is part of the way itself.
            FenceWay::Monitored => own + forward,
            FenceWay::NativeSystem | FenceWay::NativeLocal => interrupt + forward + own,
        }
    }

    /// From the end of a signalling queue's list to the start of the waiting queue's, where the profile knows it: what was
    /// submitted waits on the GPU, and its submission is no part of it.
    pub fn handoff(&self, from: QueueType, to: QueueType, same_queue: bool) -> Option<Ps> {
        let kind = |queue| match queue {
            QueueType::Direct | QueueType::Bundle => 0,
            QueueType::Compute => 1,
            _ => 2,
        };
        let key = match (kind(from).min(kind(to)), kind(from).max(kind(to))) {
            (0, 0) if !same_queue => "handoff.two_direct_ns",
            (0, 0) => "handoff.direct_ns",
            (0, 1) => "handoff.direct_compute_ns",
            (1, 1) => "handoff.compute_ns",
            _ => "handoff.copy_ns",
        };
        self.nanoseconds(key)
    }
}
