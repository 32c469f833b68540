//! What fences cost in interrupts: who signals, who waits, and which signals interrupt the CPU.
//!
//! A monitored fence interrupts the CPU at every signal of the GPU, because the operating system holds the waiters. A
//! native fence interrupts only if the new value is greater than `MonitoredValue`: the least value that a CPU waiter
//! waits for, less one, or `u64::MAX` without one. Across adapters `MonitoredValue` stays 0, so that every signal is
//! forwarded. Counts need an order of steps; this is one in which the CPU runs until it has to wait, and then each queue
//! in turn takes one step. There is no clock. Signal barriers count where their call stands; wait barriers hold nothing,
//! and a reset neither drops work nor raises a fence here.

use crate::api::{SyncObject, SyncObjectFlags};
use crate::id::{FenceId, SubmissionId};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::scenario::CommandKind;

/// What happens at one fence.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct FenceAccount {
    /// Signals of queues.
    pub queue_signals: u32,
    /// Signals of the CPU.
    pub cpu_signals: u32,
    /// Waits of queues.
    pub queue_waits: u32,
    /// Waits of the CPU.
    pub cpu_waits: u32,
    /// Interrupts of the CPU.
    pub interrupts: u32,
    /// Of these, how many found nobody who waited for the value.
    pub spurious: u32,
    /// Signals of queues that did not interrupt.
    pub saved: u32,
    /// Values in order, each with the signal that set it.
    pub values: Vec<(SubmissionId, u64)>,
}

/// Counts for every fence.
pub fn accounts(timeline: &Timeline<'_>) -> Vec<FenceAccount> {
    let mut steps = Steps::new(timeline);
    while steps.round() {}
    steps.accounts
}

struct Steps<'t, 's> {
    timeline: &'t Timeline<'s>,
    sequences: Vec<Vec<SubmissionId>>,
    cursors: Vec<usize>,
    /// For each submission, the number of CPU operations in front of it.
    cpu_before: Vec<usize>,
    values: Vec<u64>,
    accounts: Vec<FenceAccount>,
}

impl<'t, 's> Steps<'t, 's> {
    fn new(timeline: &'t Timeline<'s>) -> Self {
        let mut sequences = vec![Vec::new(); timeline.actor_count()];
        let mut cpu_before = Vec::with_capacity(timeline.submissions.len());
        let cpu = timeline.actor_index(Actor::Cpu);
        for (index, submission) in timeline.submissions.iter().enumerate() {
            cpu_before.push(sequences[cpu].len());
            sequences[timeline.actor_index(submission.actor)].push(SubmissionId::new(index));
        }
        let fences = &timeline.scenario.fences;
        Self {
            timeline,
            cursors: vec![0; sequences.len()],
            sequences,
            cpu_before,
            values: fences.values().map(|f| f.initial).collect(),
            accounts: vec![FenceAccount::default(); fences.len()],
        }
    }

    /// The CPU until it waits, then a step of each queue. `false`: nothing moved.
    fn round(&mut self) -> bool {
        let cpu = self.cursors.len() - 1;
        let mut moved = false;
        while self.step(cpu) {
            moved = true;
        }
        for queue in 0..cpu {
            moved |= self.step(queue);
        }
        moved
    }

    fn head(&self, actor: usize) -> Option<SubmissionId> {
        let id = *self.sequences[actor].get(self.cursors[actor])?;
        let cpu = self.cursors.len() - 1;
        (self.cpu_before[id.index()] <= self.cursors[cpu]).then_some(id)
    }

    /// The fence and value that an actor waits for at this moment.
    fn awaits(&self, actor: usize) -> Option<(FenceId, u64)> {
        match self.timeline.submission(self.head(actor)?).kind {
            SubmissionKind::Wait { fence, value } if self.values[fence.index()] < value => {
                Some((fence, value))
            }
            _ => None,
        }
    }

    fn step(&mut self, actor: usize) -> bool {
        let Some(id) = self.head(actor).filter(|_| self.awaits(actor).is_none()) else {
            return false;
        };
        let by_cpu = actor + 1 == self.cursors.len();
        match self.timeline.submission(id).kind {
            SubmissionKind::Signal { fence, value } => self.signal(id, fence, value, by_cpu),
            SubmissionKind::Wait { fence, .. } => {
                let account = &mut self.accounts[fence.index()];
                if by_cpu {
                    account.cpu_waits += 1;
                } else {
                    account.queue_waits += 1;
                }
            }
            SubmissionKind::Execute => {
                for (_, _, command) in self.timeline.commands(id) {
                    if let CommandKind::FenceBarrier {
                        signal: true,
                        fence,
                        value,
                        ..
                    } = command.kind
                    {
                        self.signal(id, fence, value, false);
                    }
                }
            }
            _ => {}
        }
        self.cursors[actor] += 1;
        true
    }

    fn signal(&mut self, id: SubmissionId, fence: FenceId, value: u64, by_cpu: bool) {
        let cpu = self.cursors.len() - 1;
        let waits = |actor: usize| self.awaits(actor).filter(|(of, _)| *of == fence);
        let cpu_waits = waits(cpu).map(|(_, v)| v);
        let declared = &self.timeline.scenario.fences[fence.index()];
        let native = declared.object() == SyncObject::Native;
        let monitored = if native && declared.has(SyncObjectFlags::CROSS_ADAPTER) {
            0
        } else {
            cpu_waits.map_or(u64::MAX, |v| v - 1)
        };
        // The operating system holds the waiting queues of a monitored fence as well.
        let held = (0..cpu).filter(|_| !native).filter_map(waits);
        let wakes = held.map(|(_, v)| v).chain(cpu_waits).any(|v| v <= value);
        let account = &mut self.accounts[fence.index()];
        account.values.push((id, value));
        if by_cpu {
            account.cpu_signals += 1;
        } else {
            account.queue_signals += 1;
            if !native || value > monitored {
                account.interrupts += 1;
                account.spurious += u32::from(!wakes);
            } else {
                account.saved += 1;
            }
        }
        self.values[fence.index()] = value;
    }
}
