//! A packet in flight: what it has come to, what its reads should see and what its writes will leave.

use super::ahead::Ahead;
use super::cell::Cell;
use super::feed::Held;
use super::late::Late;
use super::{NONE, TASKS};
use crate::id::Extent;
use crate::program::{HwOp, HwOpKind};
use crate::time::Ps;
use crate::trace::{Reason, Span};

/// Bytes with what should be read from them, or will be written there.
#[derive(Copy, Clone)]
pub(super) struct Part {
    /// The access, or the step of a barrier.
    pub(super) index: u32,
    /// The stages at which it is read, or that at whose end it is written, a bit each.
    pub(super) stages: u8,
    pub(super) extent: Extent,
    pub(super) cell: Cell,
}

impl Part {
    /// Whether another one says the same of the bytes after these.
    pub(super) fn goes_on_in(&self, next: &Self) -> bool {
        let place = |part: &Self| (part.index, part.extent.memory, part.cell);
        place(self) == place(next) && self.extent.end == next.extent.start
    }
}

/// A packet in flight.
pub(super) struct Flight<'p> {
    pub(super) op: HwOp,
    pub(super) block: Held<'p>,
    pub(super) queue: u32,
    /// Order of issue on its queue.
    pub(super) seq: u32,
    pub(super) life: Life,
    pub(super) tasks: [TaskState; TASKS],
    /// Tasks that run now, and that have ended.
    pub(super) running: u8,
    pub(super) ended: u8,
    /// Counted as running: it has begun and is not held between stages.
    pub(super) active: bool,
    pub(super) first_start: Ps,
    /// Stages at which it reads, and at whose end it has written, a bit each.
    pub(super) reads_at: u8,
    pub(super) writes_at: u8,
    /// Stages that read now, a bit each.
    pub(super) reading: u8,
    /// What has landed while they went on.
    pub(super) late: Vec<Late>,
    /// What the parser of commands has fetched for it.
    pub(super) ahead: Ahead,
    /// What its reads should see, in order of access and bytes.
    pub(super) expected: Vec<Part>,
    /// What its writes will leave, in order of access.
    pub(super) writes: Vec<Part>,
    /// What a barrier's waits cost, whether there was no work before it, and its operations that cost nothing, a bit
    /// each.
    pub(super) due: Ps,
    pub(super) idle: bool,
    pub(super) free_steps: u64,
    /// Barriers that wait for this one.
    pub(super) dependants: Vec<u32>,
    /// A barrier's next step, and the end of those that run.
    pub(super) step: u32,
    pub(super) step_end: u32,
    /// Its number among the timed barriers.
    pub(super) timing: u32,
    /// When no older barrier held the queue any more.
    pub(super) turn: Ps,
    /// The work that a barrier waits for is over, and the barriers that it follows have completed.
    pub(super) drained: bool,
    /// The earlier barrier that it waits for.
    pub(super) follows: u32,
    /// The sum of that part of a barrier's wait which is added up; how many leaves of the rest have earlier work; and when
    /// the last of these was free.
    pub(super) waits_in: u32,
    pub(super) asked_left: u32,
    pub(super) asked_at: Ps,
}

impl<'p> Flight<'p> {
    pub(super) fn new(block: Held<'p>, op: HwOp) -> Self {
        Self {
            op,
            block,
            queue: u32::MAX,
            seq: 0,
            life: Life::default(),
            tasks: [TaskState::default(); TASKS],
            running: 0,
            ended: 0,
            active: false,
            first_start: Ps::MAX,
            reads_at: 0,
            writes_at: 0,
            reading: 0,
            late: Vec::new(),
            ahead: Ahead::Nothing,
            expected: Vec::new(),
            writes: Vec::new(),
            due: Ps::ZERO,
            idle: false,
            free_steps: 0,
            dependants: Vec::new(),
            step: 0,
            step_end: 0,
            timing: NONE,
            turn: Ps::MAX,
            drained: false,
            follows: NONE,
            waits_in: NONE,
            asked_left: 0,
            asked_at: Ps::ZERO,
        }
    }

    /// A packet takes this place; the tables of the one before are used again.
    pub(super) fn begin(&mut self, block: Held<'p>, op: HwOp, queue: u32, seq: u32) {
        if let HwOpKind::Work(work) = &op.kind {
            self.tasks[..work.tasks.len as usize].fill(TaskState::default());
        }
        (self.op, self.block, self.queue, self.seq) = (op, block, queue, seq);
        (self.running, self.ended, self.active) = (0, 0, false);
        self.first_start = Ps::MAX;
        (self.reads_at, self.writes_at) = (0, 0);
        self.reading = 0;
        self.late.clear();
        self.ahead = Ahead::Nothing;
        self.expected.clear();
        self.writes.clear();
        (self.due, self.idle, self.free_steps) = (Ps::ZERO, false, 0);
        self.dependants.clear();
        (self.step, self.step_end, self.timing) = (0, 0, NONE);
        (self.turn, self.drained, self.follows) = (Ps::MAX, false, NONE);
        (self.waits_in, self.asked_left) = (NONE, 0);
    }
}

/// The spans of a packet so far, if they are kept.
#[derive(Default)]
pub(super) struct Life {
    pub(super) queued: Ps,
    kept: bool,
    pub(super) spans: Vec<Span>,
    pub(super) reason: Option<Reason>,
    pub(super) since: Ps,
}

impl Life {
    pub(super) fn begin(&mut self, now: Ps, reason: Reason, kept: bool) {
        self.queued = now;
        self.kept = kept;
        self.since = now;
        self.reason = Some(reason);
        self.spans.clear();
    }

    /// From now on it is for this reason.
    pub(super) fn turn(&mut self, now: Ps, reason: Reason) {
        if !self.kept || self.reason == Some(reason) {
            return;
        }
        self.close(now);
        self.reason = Some(reason);
    }

    pub(super) fn close(&mut self, now: Ps) {
        if let Some(reason) = self.reason.filter(|_| self.kept)
            && now > self.since
        {
            match self.spans.last_mut() {
                Some(last) if last.reason == reason => last.end = now,
                _ => self.spans.push(Span { end: now, reason }),
            }
        }
        self.since = now;
    }
}

#[derive(Copy, Clone, Default)]
pub(super) struct TaskState {
    pub(super) started: bool,
    /// Its pool has done its part.
    pub(super) served: bool,
    pub(super) ended: Option<Ps>,
}
