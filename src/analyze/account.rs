//! What fences do in a run: their values over time, who is woken, and which signals interrupt the CPU.
//!
//! A monitored fence interrupts the CPU at every signal of the GPU, because the operating system holds the waiters. A
//! native fence interrupts only if the new value is greater than `MonitoredValue`: the least value that a CPU waiter
//! waits for, less one, or `u64::MAX` without one. Across adapters `MonitoredValue` stays 0, so that every signal is
//! forwarded. Times are those of the machine's trace; signals come before waits of the same moment. A signal barrier
//! counts when its own packets have ended.

use super::log::QueueLog;
use crate::api::{SyncObject, SyncObjectFlags};
use crate::id::{FenceId, NodeId, QueueId, SubmissionId, Table};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::time::Ps;
use crate::trace::Trace;
use serde::Serialize;

/// What happens at the fences of a timeline.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Account {
    /// The account of each fence, by `FenceId`.
    pub fences: Table<FenceId, FenceAccount>,
    /// By `QueueId`: what its hardware queue logs, and how far it has come.
    pub queues: Table<QueueId, QueueLog>,
    /// From the first submission to the end of the last packet.
    pub makespan: Ps,
}

/// What happens at one fence.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FenceAccount {
    /// Signals of queues.
    pub queue_signals: u32,
    /// Signals of the CPU and of processes.
    pub cpu_signals: u32,
    /// Waits of queues that have ended.
    pub queue_waits: u32,
    /// Waits of the CPU and of processes that have ended.
    pub cpu_waits: u32,
    /// Time that queues spent in waits.
    #[serde(rename = "waited_ps")]
    pub waited: Ps,
    /// Interrupts of the CPU.
    pub interrupts: u32,
    /// Of these, how many found nobody who waited for the value.
    pub spurious: u32,
    /// Signals of queues that did not interrupt.
    pub saved: u32,
    /// Signals that the operating system carried to another adapter.
    pub forwarded: u32,
    /// Values in order of time.
    #[serde(skip)]
    pub values: Vec<ValueEvent>,
}

/// A fence gets a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueEvent {
    /// When the fence gets it.
    pub at: Ps,
    /// The submission or fence barrier that gives it.
    pub by: NodeId,
    /// The value.
    pub value: u64,
    /// `MonitoredValue` of a native fence at that moment.
    pub monitored: Option<u64>,
    /// What it means for the CPU.
    pub interrupt: Interrupt,
    /// Submissions that wait for the value and go on.
    pub wakes: Vec<SubmissionId>,
}

/// What a signal means for the CPU.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Interrupt {
    /// The CPU signalled itself, or a reset did.
    None,
    /// It wakes somebody, or is forwarded.
    Raised,
    /// It finds nobody who waits for the value.
    Spurious,
    /// It is not raised.
    Saved,
}

impl Interrupt {
    /// The word that reports print.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Raised => "interrupt",
            Self::Spurious => "spurious interrupt",
            Self::Saved => "no interrupt",
        }
    }
}

/// One thing that happens to a fence, in order of time.
struct Event {
    at: Ps,
    what: What,
}

enum What {
    Signal(SubmissionId, NodeId, FenceId, u64),
    /// A wait barrier inside a list has ended. What it took is its barriers' cost.
    ListWait(FenceId),
    /// A reset takes fences to their greatest value.
    Jump(SubmissionId, usize),
    Begin(SubmissionId),
    End(SubmissionId, Ps),
}

impl What {
    /// At one moment waits end after the signals, and begin last.
    fn phase(&self) -> u8 {
        match self {
            Self::Signal(..) | Self::Jump(..) => 0,
            Self::End(..) | Self::ListWait(..) => 1,
            Self::Begin(..) => 2,
        }
    }
}

/// The account of a run.
pub fn account(timeline: &Timeline<'_>, trace: &Trace) -> Account {
    let mut books = Books {
        timeline,
        waiting: Vec::new(),
        values: timeline
            .scenario
            .fences
            .values()
            .map(|f| f.initial)
            .collect(),
        account: Account {
            fences: Table::filled(timeline.scenario.fences.len(), FenceAccount::default()),
            queues: super::log::queues(timeline, trace),
            makespan: trace.makespan,
        },
    };
    for event in events(timeline, trace) {
        books.take(&event);
    }
    for log in &mut books.account.queues {
        log.read();
    }
    books.account
}

/// Everything that happens, in order of time; what has no time comes after what its actor did before.
fn events(timeline: &Timeline<'_>, trace: &Trace) -> Vec<Event> {
    let mut events = Vec::new();
    let mut over = vec![Ps::ZERO; timeline.actor_count()];
    let mut jumps = timeline.resets.iter().enumerate();
    let mut next_jump = jumps.next();
    for index in 0..timeline.submissions.len() {
        let id = SubmissionId::new(index);
        let submission = timeline.submission(id);
        let actor = timeline.actor_index(submission.actor);
        let first = submission.first_node;
        let timing = trace.command(first);
        let before = over[actor];
        if timing.ran() {
            over[actor] = before.max(timing.end);
        }
        let mut push = |at, what| events.push(Event { at, what });
        if let Some((reset, effect)) = next_jump.filter(|(_, effect)| effect.reset == id) {
            push(over[actor], What::Jump(effect.reset, reset));
            next_jump = jumps.next();
            continue;
        }
        if is_dropped(timeline, id) {
            continue;
        }
        match submission.kind {
            SubmissionKind::Signal { fence, value } if timing.ran() => {
                push(timing.end, What::Signal(id, first, fence, value));
            }
            SubmissionKind::Wait { .. } if timing.ran() => {
                if timing.start < timing.end {
                    push(timing.start, What::Begin(id));
                }
                push(timing.end, What::End(id, timing.start));
            }
            SubmissionKind::Wait { .. } if trace.stuck.iter().any(|s| s.node == first) => {
                push(before, What::Begin(id));
            }
            SubmissionKind::Execute => {
                for (node, _, command) in timeline.commands(id) {
                    let timing = trace.command(node);
                    if !timing.ran() {
                        continue;
                    }
                    over[actor] = over[actor].max(timing.end);
                    if let Some((signal, fence, value)) = command.kind.fence_step() {
                        let what = if signal {
                            What::Signal(id, node, fence, value)
                        } else {
                            What::ListWait(fence)
                        };
                        events.push(Event {
                            at: timing.end,
                            what,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    events.sort_by_key(|event| (event.at, event.what.phase()));
    events
}

/// Whether a reset has dropped it.
pub(super) fn is_dropped(timeline: &Timeline<'_>, id: SubmissionId) -> bool {
    let mut resets = timeline.resets.iter();
    resets.any(|reset| reset.dropped.binary_search(&id).is_ok())
}

struct Books<'t, 's> {
    timeline: &'t Timeline<'s>,
    /// Waits that have begun and not ended.
    waiting: Vec<SubmissionId>,
    /// The value of each fence.
    values: Table<FenceId, u64>,
    account: Account,
}

impl Books<'_, '_> {
    fn take(&mut self, event: &Event) {
        match event.what {
            What::Signal(id, node, fence, value) => self.signal(event.at, id, node, fence, value),
            What::Jump(id, reset) => {
                for index in 0..self.timeline.resets[reset].jumps.len() {
                    let fence = self.timeline.resets[reset].jumps[index];
                    let node = self.timeline.submission(id).first_node;
                    self.set(event.at, node, fence, u64::MAX, Interrupt::None);
                }
            }
            What::ListWait(fence) => self.account.fences[fence].queue_waits += 1,
            // A wait that is satisfied when it is reached waits for nobody.
            What::Begin(id) => {
                let awaited = self.awaited(id);
                if awaited.is_some_and(|(fence, value)| self.values[fence] < value) {
                    self.waiting.push(id);
                }
            }
            What::End(id, since) => {
                self.waiting.retain(|w| *w != id);
                let Some((fence, _)) = self.awaited(id) else {
                    return;
                };
                let by_queue = self.is_queue(id);
                let native = self.is_native(fence);
                let account = &mut self.account.fences[fence];
                if by_queue {
                    account.queue_waits += 1;
                    account.waited += event.at.saturating_sub(since);
                } else {
                    account.cpu_waits += 1;
                }
                if let (Actor::Queue(queue), true) =
                    (self.timeline.submission(id).actor, by_queue && native)
                {
                    self.account.queues[queue].wait(fence, self.timeline, id, event.at, since);
                }
            }
        }
    }

    fn awaited(&self, id: SubmissionId) -> Option<(FenceId, u64)> {
        match self.timeline.submission(id).kind {
            SubmissionKind::Wait { fence, value } => Some((fence, value)),
            _ => None,
        }
    }

    fn is_queue(&self, id: SubmissionId) -> bool {
        matches!(self.timeline.submission(id).actor,
            Actor::Queue(queue) if self.timeline.scenario.queue(queue).is_gpu())
    }

    fn is_native(&self, fence: FenceId) -> bool {
        self.timeline.scenario.fences[fence].object() == SyncObject::Native
    }

    /// `MonitoredValue` of a native fence at this moment.
    fn monitored(&self, fence: FenceId) -> u64 {
        let declared = &self.timeline.scenario.fences[fence];
        if declared.has(SyncObjectFlags::CROSS_ADAPTER) {
            return 0;
        }
        let waits = self.waiting.iter().filter(|w| !self.is_queue(**w));
        let values = waits.filter_map(|w| self.awaited(*w));
        let least = values.filter(|(of, _)| *of == fence).map(|(_, v)| v).min();
        least.map_or(u64::MAX, |v| v.saturating_sub(1))
    }

    fn signal(&mut self, at: Ps, id: SubmissionId, node: NodeId, fence: FenceId, value: u64) {
        if !self.is_queue(id) {
            self.account.fences[fence].cpu_signals += 1;
            self.set(at, node, fence, value, Interrupt::None);
            return;
        }
        let native = self.is_native(fence);
        let raises = !native || value > self.monitored(fence);
        let adapter = |id: SubmissionId| match self.timeline.submission(id).actor {
            Actor::Queue(queue) => self.timeline.scenario.queue(queue).adapter.unwrap_or(0),
            Actor::Cpu => 0,
        };
        let held = |w: &SubmissionId| {
            let (of, v) = self.awaited(*w).unwrap_or((fence, u64::MAX));
            of == fence && v <= value
        };
        let elsewhere = |w: &&SubmissionId| self.is_queue(**w) && adapter(**w) != adapter(id);
        let waiters: Vec<&SubmissionId> = self.waiting.iter().filter(|w| held(w)).collect();
        // The operating system holds the waiting queues of a monitored fence, and tells those of another adapter.
        let told = |w: &&SubmissionId| !native || !self.is_queue(**w) || elsewhere(w);
        let forwards = waiters.iter().any(elsewhere);
        let interrupt = match (raises, waiters.iter().any(told)) {
            (true, true) => Interrupt::Raised,
            (true, false) => Interrupt::Spurious,
            (false, _) => Interrupt::Saved,
        };
        let account = &mut self.account.fences[fence];
        account.queue_signals += 1;
        account.forwarded += u32::from(forwards);
        account.interrupts += u32::from(raises);
        account.spurious += u32::from(interrupt == Interrupt::Spurious);
        account.saved += u32::from(!raises);
        if let (Actor::Queue(queue), true) = (self.timeline.submission(id).actor, native) {
            self.account.queues[queue].signal(fence, value, at);
        }
        if raises {
            for log in &mut self.account.queues {
                log.read();
            }
        }
        self.set(at, node, fence, value, interrupt);
    }

    fn set(&mut self, at: Ps, by: NodeId, fence: FenceId, value: u64, interrupt: Interrupt) {
        let monitored = self.is_native(fence).then(|| self.monitored(fence));
        let reached = |w: &SubmissionId| {
            let awaited = self.awaited(*w);
            awaited.is_some_and(|(of, v)| of == fence && v <= value)
        };
        let wakes: Vec<SubmissionId> = self.waiting.iter().copied().filter(reached).collect();
        // A CPU waiter is done at once; a queue stays in the list until the trace says so, but is woken once.
        self.waiting.retain(|w| !wakes.contains(w));
        self.values[fence] = value;
        self.account.fences[fence].values.push(ValueEvent {
            at,
            by,
            value,
            monitored,
            interrupt,
            wakes,
        });
    }
}
