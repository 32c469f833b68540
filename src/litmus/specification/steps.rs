//! Every way to do one instruction, and what is undefined about it.

use super::Specification;
use crate::litmus::Coherence;
use crate::litmus::explore::{StepKind, Successors, Transition, undefined};
use crate::litmus::frame::Frame;
use crate::litmus::program::{Action, Instruction, Ordering, bit, members};

impl Specification<'_> {
    /// Publishes what the fence's thread read and wrote.
    fn publish(&self, state: &mut [u64], op: &Instruction, fence: &Ordering) {
        for cell in members(fence.before) {
            let Some(own) = self.accessed[op.thread][cell] else {
                continue;
            };
            let mut position = own.get(state);
            if self.knobs.cumulative
                && let Some(view) = self.visible[op.thread][cell]
            {
                position = position.max(view.get(state));
            }
            let group = self.group[op.group][cell];
            let (to, also) = if fence.device & bit(cell) == 0 {
                (group, None)
            } else {
                // The device contains the group. If fences also take in from the device, the group needs no copy.
                let also = group.filter(|_| self.knobs.takes_by_scope);
                (self.device[cell], also)
            };
            for view in [to, also].into_iter().flatten() {
                view.set(state, view.get(state).max(position));
            }
        }
    }

    /// Takes in what was published to the fence's group and to the device, and what its thread accessed itself.
    fn take(&self, state: &mut [u64], op: &Instruction, fence: &Ordering) {
        for cell in members(fence.after) {
            let Some(visible) = self.visible[op.thread][cell] else {
                continue;
            };
            let mut position = visible.get(state);
            let group = self.group[op.group][cell];
            let wide = fence.device & bit(cell) != 0 || !self.knobs.takes_by_scope;
            let device = self.device[cell].filter(|_| wide);
            for view in [group, device].into_iter().flatten() {
                position = position.max(view.get(state));
            }
            if fence.before & bit(cell) != 0
                && let Some(view) = self.accessed[op.thread][cell]
            {
                position = position.max(view.get(state));
            }
            visible.set(state, position);
        }
    }

    pub(super) fn fence(&self, state: &[u64], op: usize, fence: &Ordering, next: &mut Successors) {
        let program = self.frame.program;
        let step = |kind, subject: usize| Transition::new(kind, subject, 0);
        let Some(meeting) = fence.meeting else {
            let to = next.push(state, step(StepKind::Fence, op));
            self.publish(to, &program.ops[op], fence);
            self.take(to, &program.ops[op], fence);
            Frame::finish(to, op);
            self.normalise(to);
            return;
        };
        let to = next.push(state, step(StepKind::Meet, meeting));
        let met = &program.meetings[meeting].ops;
        for phase in [Self::publish, Self::take] {
            for &op in met {
                if let Action::Fence(fence) = &program.ops[op].action {
                    phase(self, to, &program.ops[op], fence);
                }
            }
        }
        for &op in met {
            Frame::finish(to, op);
        }
        self.normalise(to);
    }

    /// Every way to do a load.
    pub(super) fn load(
        &self,
        state: &[u64],
        op: usize,
        cell: usize,
        plain: bool,
        next: &mut Successors,
    ) {
        let it = &self.frame.program.ops[op];
        let count = self.count(state, cell);
        let oldest = self.visible[it.thread][cell].map_or(0, |v| v.get(state));
        let surely = self.frame.decided(state, op);
        let races = plain && surely && self.unseen(state, it, cell, count).next().is_some();
        for position in 0..=count {
            let message = self.at(state, cell, position);
            if position < oldest && !self.incoherent(it, cell, message) {
                continue;
            }
            let to = next.push(state, Transition::new(StepKind::Load, op, message));
            self.frame.note_read(to, op, message);
            if let Some(view) = self.accessed[it.thread][cell] {
                view.set(to, view.get(to).max(position));
            }
            if self.knobs.reads_in_order
                && let Some(view) = self.visible[it.thread][cell]
            {
                view.set(to, view.get(to).max(position));
            }
            Frame::finish(to, op);
            self.normalise(to);
            if surely && self.is_foreign(op, message) {
                next.mark(undefined::FOREIGN_READ, op);
            }
            if races {
                next.mark(undefined::PLAIN_RACE, op);
            }
        }
    }

    /// Loads that were done before it was known whether they happen: now it is known of some that they do. Only these
    /// can make a test undefined; a load under a branch that is not taken reads nothing.
    pub(super) fn judge_guesses(&self, state: &[u64], first: usize, next: &mut Successors) {
        let frame = &self.frame;
        for op in members(self.guessed & state[0]).filter(|&op| !frame.decided(state, op)) {
            let is_read = |to: &[u64]| {
                frame.decided(to, op)
                    && frame.taken(to, op)
                    && self.is_foreign(op, frame.noted(to, op))
            };
            if (first..next.len()).any(|successor| is_read(next.state(successor))) {
                next.mark(undefined::FOREIGN_READ, op);
            }
        }
    }

    /// Decision 7's knob: without coherence a plain load may return another thread's older message.
    fn incoherent(&self, op: &Instruction, cell: usize, message: usize) -> bool {
        self.knobs.coherence == Coherence::None && message != 0 && {
            let writer = self.frame.program.cells[cell].writers[message - 1];
            self.frame.program.ops[writer].thread != op.thread
        }
    }

    /// Decision 8: whether a message that an instruction reads is another group's, on a UAV that is not globally
    /// coherent. An atomic may read another group's atomic, but not its plain store (reading R59).
    fn is_foreign(&self, op: usize, message: usize) -> bool {
        let program = self.frame.program;
        let reader = &program.ops[op];
        let Some(cell) = reader.action.cell().map(|cell| &program.cells[cell]) else {
            return false;
        };
        message != 0 && cell.is_incoherent() && {
            let writer = &program.ops[cell.writers[message - 1]];
            let plain = matches!(reader.action, Action::Load { plain: true, .. })
                || matches!(writer.action, Action::Store { .. });
            plain && writer.group != reader.group
        }
    }

    /// Messages of other threads that nothing made visible to an instruction's thread.
    fn unseen<'s>(
        &'s self,
        state: &'s [u64],
        op: &'s Instruction,
        cell: usize,
        count: usize,
    ) -> impl Iterator<Item = &'s Instruction> {
        let program = self.frame.program;
        let seen = self.visible[op.thread][cell].map_or(0, |v| v.get(state));
        (seen + 1..=count)
            .map(move |p| &program.ops[program.cells[cell].writers[self.at(state, cell, p) - 1]])
            .filter(|other| other.thread != op.thread)
    }

    /// Decision 8: whether an access of the other kind by another thread is not ordered before this one.
    fn mixes(&self, state: &[u64], op: &Instruction, cell: usize, count: usize) -> bool {
        let store = |i: &Instruction| matches!(i.action, Action::Store { .. });
        self.mixed & bit(cell) != 0
            && self
                .unseen(state, op, cell, count)
                .any(|other| store(other) != store(op))
    }

    /// Every way to do a store or an atomic.
    pub(super) fn write(&self, state: &[u64], op: usize, cell: usize, next: &mut Successors) {
        let program = self.frame.program;
        let it = &program.ops[op];
        let count = self.count(state, cell);
        let visible = self.visible[it.thread][cell].map_or(0, |v| v.get(state));
        let accessed = self.accessed[it.thread][cell].map_or(0, |v| v.get(state));
        let atomic = it.action.reads();
        let oldest = if self.knobs.coherence == Coherence::None && !atomic {
            visible
        } else {
            visible.max(accessed)
        };
        // Decision 9: what is left of an atomic that must not write is its read.
        if self.frame.muted(state, op) {
            if atomic {
                self.load(state, op, cell, false, next);
            } else {
                self.nothing(state, op, next);
            }
            return;
        }
        let mixes = self.mixes(state, it, cell, count);
        let races = !atomic && self.unseen(state, it, cell, count).next().is_some();
        for position in oldest..=count {
            if self.closed(state, cell, position) {
                continue;
            }
            let message = self.at(state, cell, position);
            let (kind, choice) = if atomic {
                (StepKind::Atomic, message)
            } else {
                (StepKind::Store, position)
            };
            let to = next.push(state, Transition::new(kind, op, choice));
            if atomic {
                self.frame.note_read(to, op, message);
            }
            self.insert(to, cell, position + 1, it.writer);
            for views in [&self.visible, &self.accessed] {
                if let Some(view) = views[it.thread][cell] {
                    view.set(to, view.get(to).max(position + 1));
                }
            }
            Frame::finish(to, op);
            self.normalise(to);
            if atomic && self.is_foreign(op, message) {
                next.mark(undefined::FOREIGN_READ, op);
            }
            if mixes {
                next.mark(undefined::MIXED_ATOMIC, op);
            }
            if races {
                next.mark(undefined::PLAIN_RACE, op);
            }
        }
    }

    /// An instruction without effect.
    pub(super) fn nothing(&self, state: &[u64], op: usize, next: &mut Successors) {
        let to = next.push(state, Transition::new(StepKind::Nothing, op, 0));
        Frame::finish(to, op);
        self.normalise(to);
    }
}
