//! The envelope of what the text allows: each cell is a list of messages in coherence order, each thread has views.
//!
//! A load may return any message that is not older than what its thread must see: what it wrote itself, what it
//! accessed before a fence, and what others published to it. A store may take any place in coherence order behind what
//! its thread accessed. An atomic stands directly behind the message that it read. A fence first publishes what its own
//! thread read and wrote (decision 4), to the group or to the device, and then takes in what was published to it.
//! Instructions are done in any order that [`Instruction::after`] permits, so that a write may be done before an
//! earlier load (decision 7: but never before its own value is known).
//!
//! Two steps are taken as soon as possible without trying the alternatives, because doing them early leaves every
//! outcome reachable (each such step is one that any continuation could have begun with):
//! * a store: another thread may ignore it, stand before it in coherence order, or wait for it, and no view changes;
//! * a load whose thread has nothing new to see: every write of its cell is done or comes after it.
//! * a fence, if no fence of another thread is left that could exchange anything with it.
//!
//! The test tree holds a naive explorer of the same rules without any of this against it.

mod explain;

use crate::litmus::explore::{Model, Step, StepKind, Successors, Told, undefined};
use crate::litmus::frame::{Field, Frame, Layout};
use crate::litmus::program::{Action, Instruction, Ordering, Program, Set, bit, members};
use crate::litmus::{Coherence, Knobs};

/// The model.
pub struct Specification<'p> {
    frame: Frame<'p>,
    knobs: Knobs,
    /// For each cell: the writer index plus one of each message, in coherence order. Position 0 is the initial
    /// contents and needs no field.
    order: Vec<Vec<Field>>,
    /// For each thread and cell that it accesses: the oldest position that a load may return.
    visible: Vec<Vec<Option<Field>>>,
    /// For each thread and cell that it accesses: the newest position that it read or wrote.
    accessed: Vec<Vec<Option<Field>>>,
    /// For each group and cell: what was published to the group.
    group: Vec<Vec<Option<Field>>>,
    /// For each cell: what was published to the device.
    device: Vec<Option<Field>>,
    /// For each thread and cell: its instructions that access it, and its fences that publish it.
    accesses: Vec<Vec<Set>>,
    writes: Vec<Vec<Set>>,
    publishes: Vec<Vec<Set>>,
    /// For each group and cell: fences that take in what was published to it.
    takes: Vec<Vec<Set>>,
    /// For each instruction: fences of other threads that could exchange something with it.
    exchanges: Vec<Set>,
    /// For each cell: all its views.
    views: Vec<Vec<Field>>,
    /// Each view with the instructions that may still ask for it.
    askers: Vec<(Field, Set)>,
    /// For each load: writes of its cell by other threads.
    foreign_writes: Vec<Set>,
    /// Cells that groupshared atomics and plain stores of different threads share.
    mixed: Set,
    /// Cells whose final contents an outcome tells.
    observed: Set,
    words: usize,
}

impl<'p> Specification<'p> {
    /// The model of a test.
    pub fn new(program: &'p Program, knobs: &Knobs) -> Self {
        let mut layout = Layout::new();
        let frame = Frame::new(program, &mut layout);
        let threads = program.threads.len();
        let cells = program.cells.len();
        let mut it = Self {
            frame,
            knobs: *knobs,
            order: Vec::new(),
            visible: vec![vec![None; cells]; threads],
            accessed: vec![vec![None; cells]; threads],
            group: vec![vec![None; cells]; program.groups],
            device: vec![None; cells],
            accesses: vec![vec![0; cells]; threads],
            writes: vec![vec![0; cells]; threads],
            publishes: vec![vec![0; cells]; threads],
            takes: vec![vec![0; cells]; program.groups],
            exchanges: vec![0; program.ops.len()],
            views: vec![Vec::new(); cells],
            askers: Vec::new(),
            foreign_writes: vec![0; program.ops.len()],
            mixed: 0,
            observed: 0,
            words: 0,
        };
        it.relate();
        it.lay_out(&mut layout);
        it.words = layout.words();
        it.frame.start = it.initial()[0];
        it
    }

    /// Which instructions concern which cells.
    fn relate(&mut self) {
        let program = self.frame.program;
        for (index, op) in program.ops.iter().enumerate() {
            if let Some(cell) = op.action.cell() {
                let foreign = |w: &&usize| program.ops[**w].thread != op.thread;
                let writers = program.cells[cell].writers.iter().filter(foreign);
                self.foreign_writes[index] = writers.fold(0, |set, &w| set | bit(w));
                self.accesses[op.thread][cell] |= bit(index);
                if op.action.writes() {
                    self.writes[op.thread][cell] |= bit(index);
                }
            }
            let Action::Fence(fence) = &op.action else {
                continue;
            };
            for cell in members(fence.before) {
                self.publishes[op.thread][cell] |= bit(index);
            }
            for cell in members(fence.after) {
                self.takes[op.group][cell] |= bit(index);
            }
            for (other, it) in program.ops.iter().enumerate() {
                if it.thread != op.thread
                    && let Action::Fence(theirs) = &it.action
                    && (flows(fence, op, theirs, it) || flows(theirs, it, fence, op))
                {
                    self.exchanges[index] |= bit(other);
                }
            }
        }
        for (index, cell) in program.cells.iter().enumerate() {
            let store = |w: &usize| matches!(program.ops[*w].action, Action::Store { .. });
            let both = cell.writers.iter().any(store) && !cell.writers.iter().all(store);
            if !cell.is_uav() && both {
                self.mixed |= bit(index);
            }
        }
        for observed in &program.observed {
            if let crate::litmus::program::Observed::Cell(cell) = observed {
                self.observed |= bit(*cell);
            }
        }
    }

    fn lay_out(&mut self, layout: &mut Layout) {
        let program = self.frame.program;
        for (index, cell) in program.cells.iter().enumerate() {
            let messages = cell.writers.len();
            self.order
                .push((0..messages).map(|_| layout.field(messages)).collect());
            if messages == 0 {
                continue;
            }
            for thread in 0..program.threads.len() {
                if self.accesses[thread][index] != 0 {
                    self.visible[thread][index] = Some(layout.field(messages));
                    self.accessed[thread][index] = Some(layout.field(messages));
                }
            }
            for group in 0..program.groups {
                if self.takes[group][index] != 0 {
                    self.group[group][index] = Some(layout.field(messages));
                }
            }
            let device = program.ops.iter().any(
                |op| matches!(&op.action, Action::Fence(f) if f.device & f.before & bit(index) != 0),
            );
            self.device[index] = device.then(|| layout.field(messages));
            self.ask(index, cell.accesses);
        }
    }

    /// Who may still ask for the views of a cell: nobody, once nothing is left that accesses it.
    fn ask(&mut self, cell: usize, accesses: Set) {
        let mut found: Vec<(Field, Set)> = Vec::new();
        for thread in 0..self.visible.len() {
            let own = self.accesses[thread][cell];
            found.extend(self.visible[thread][cell].map(|view| (view, own)));
            let asks = self.writes[thread][cell] | self.publishes[thread][cell];
            found.extend(self.accessed[thread][cell].map(|view| (view, asks)));
        }
        let mut taken = 0;
        for group in 0..self.group.len() {
            let takes = self.takes[group][cell];
            taken |= takes;
            found.extend(self.group[group][cell].map(|view| (view, takes)));
        }
        found.extend(self.device[cell].map(|view| (view, taken)));
        self.views[cell] = found.iter().map(|(view, _)| *view).collect();
        self.askers.extend(found);
        // A view matters only as long as its cell does.
        self.askers
            .extend(self.views[cell].iter().map(|&view| (view, accesses)));
    }

    /// Number of messages of a cell.
    fn count(&self, state: &[u64], cell: usize) -> usize {
        self.order[cell]
            .iter()
            .take_while(|slot| slot.get(state) != 0)
            .count()
    }

    /// The message at a position.
    fn at(&self, state: &[u64], cell: usize, position: usize) -> usize {
        if position == 0 {
            0
        } else {
            self.order[cell][position - 1].get(state)
        }
    }

    /// Whether nothing may come between a position and the next: an atomic read it.
    fn closed(&self, state: &[u64], cell: usize, position: usize) -> bool {
        let Some(slot) = self.order[cell].get(position) else {
            return false;
        };
        let next = slot.get(state);
        next != 0 && {
            let writer = self.frame.program.cells[cell].writers[next - 1];
            matches!(self.frame.program.ops[writer].action, Action::Atomic { .. })
        }
    }

    /// Puts a message at a position; views of what stood there move with it.
    fn insert(&self, state: &mut [u64], cell: usize, position: usize, writer: usize) {
        let count = self.count(state, cell);
        for p in (position..=count).rev() {
            let moved = self.at(state, cell, p);
            self.order[cell][p].set(state, moved);
        }
        self.order[cell][position - 1].set(state, writer + 1);
        for view in &self.views[cell] {
            let at = view.get(state);
            if at >= position {
                view.set(state, at + 1);
            }
        }
    }

    /// Whether an instruction can be done now.
    fn ready(&self, state: &[u64], op: usize) -> bool {
        self.frame.program.ops[op].after & !state[0] == 0
    }

    /// Clears whatever no instruction that is left can ask for.
    fn normalise(&self, state: &mut [u64]) {
        self.frame.skip(state);
        self.frame.forget(state);
        let left = !state[0];
        for (view, askers) in &self.askers {
            if askers & left == 0 {
                view.set(state, 0);
            }
        }
        for (index, cell) in self.frame.program.cells.iter().enumerate() {
            // Nobody is left to ask for the order: only the last message counts, if it is told.
            if cell.accesses & left != 0 || cell.writers.is_empty() {
                continue;
            }
            let last = self.at(state, index, self.count(state, index));
            for slot in &self.order[index] {
                slot.set(state, 0);
            }
            if self.observed & bit(index) != 0 && last != 0 {
                self.order[index][0].set(state, last);
            }
        }
    }

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
                // The device contains the group. Whoever takes from the device as well need not be told twice.
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

    fn fence(&self, state: &[u64], op: usize, fence: &Ordering, next: &mut Successors) {
        let program = self.frame.program;
        let step = |kind, subject: usize| Step {
            kind,
            subject: subject as u16,
            choice: 0,
        };
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
    fn load(&self, state: &[u64], op: usize, cell: usize, plain: bool, next: &mut Successors) {
        let it = &self.frame.program.ops[op];
        let count = self.count(state, cell);
        let oldest = self.visible[it.thread][cell].map_or(0, |v| v.get(state));
        let surely = self.frame.decided(state, op);
        let foreign = plain && surely && self.foreign(state, it, cell, count);
        let races = plain && surely && self.unseen(state, it, cell, count).next().is_some();
        for position in 0..=count {
            let message = self.at(state, cell, position);
            if position < oldest && !self.incoherent(it, cell, message) {
                continue;
            }
            let to = next.push(
                state,
                Step {
                    kind: StepKind::Load,
                    subject: op as u16,
                    choice: message as u16,
                },
            );
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
            if foreign {
                next.mark(undefined::FOREIGN_READ);
            }
            if races {
                next.mark(undefined::PLAIN_RACE);
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

    /// Decision 8: whether another group wrote this cell, on a UAV that is not globally coherent.
    fn foreign(&self, state: &[u64], op: &Instruction, cell: usize, count: usize) -> bool {
        let program = self.frame.program;
        let it = &program.cells[cell];
        it.is_uav()
            && !it.globally_coherent
            && it.between_groups
            && (1..=count).any(|p| {
                let writer = it.writers[self.at(state, cell, p) - 1];
                program.ops[writer].group != op.group
            })
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
    fn write(&self, state: &[u64], op: usize, cell: usize, next: &mut Successors) {
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
            let to = next.push(
                state,
                Step {
                    kind,
                    subject: op as u16,
                    choice: choice as u16,
                },
            );
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
            if mixes {
                next.mark(undefined::MIXED_ATOMIC);
            }
            if races {
                next.mark(undefined::PLAIN_RACE);
            }
        }
    }

    /// An instruction without effect.
    fn nothing(&self, state: &[u64], op: usize, next: &mut Successors) {
        let to = next.push(
            state,
            Step {
                kind: StepKind::Nothing,
                subject: op as u16,
                choice: 0,
            },
        );
        Frame::finish(to, op);
        self.normalise(to);
    }

    /// An instruction that may be done now without trying the alternatives.
    fn eager(&self, state: &[u64], ready: Set) -> Option<usize> {
        let program = self.frame.program;
        let left = program.everything() & !state[0];
        members(ready).find(|&op| match &program.ops[op].action {
            Action::Store { .. } | Action::Nothing => true,
            Action::Atomic { .. } => false,
            Action::Load { .. } => {
                self.foreign_writes[op] & left == 0 && self.frame.decided(state, op)
            }
            Action::Fence(fence) => match fence.meeting {
                None => self.exchanges[op] & left == 0,
                Some(meeting) => {
                    let met = program.meetings[meeting]
                        .ops
                        .iter()
                        .fold(0, |set, &o| set | bit(o));
                    members(met).all(|o| self.exchanges[o] & left & !met == 0)
                }
            },
        })
    }

    fn ready_ops(&self, state: &[u64]) -> Set {
        let program = self.frame.program;
        let left = program.everything() & !state[0];
        let mut ready = members(left)
            .filter(|&op| self.ready(state, op))
            .fold(0, |set, op| set | bit(op));
        // The group meets when each of its threads is there, and those that never come have ended.
        for meeting in &program.meetings {
            let all = meeting.ops.iter().fold(0, |set, &o| set | bit(o));
            let met = ready & all == all && meeting.absent & !state[0] == 0;
            ready &= !all;
            if met {
                ready |= bit(meeting.ops[0]);
            }
        }
        ready & !self.frame.blocked(state)
    }
}

/// Whether something that the first fence publishes may reach the second.
fn flows(from: &Ordering, from_op: &Instruction, to: &Ordering, to_op: &Instruction) -> bool {
    let shared = from.before & to.after;
    shared & from.device != 0 || shared != 0 && from_op.group == to_op.group
}

impl Model for Specification<'_> {
    fn words(&self) -> usize {
        self.words
    }

    fn initial(&self) -> Vec<u64> {
        let mut state = vec![0; self.words];
        self.normalise(&mut state);
        state
    }

    fn expand(&self, state: &[u64], next: &mut Successors) {
        let mut ready = self.ready_ops(state);
        if let Some(op) = self.eager(state, ready) {
            ready = bit(op);
        }
        for op in members(ready) {
            match &self.frame.program.ops[op].action {
                Action::Nothing => self.nothing(state, op, next),
                Action::Fence(fence) => self.fence(state, op, fence, next),
                Action::Load { cell, plain } => self.load(state, op, *cell, *plain, next),
                Action::Store { cell, .. } | Action::Atomic { cell, .. } => {
                    self.write(state, op, *cell, next);
                }
            }
        }
    }

    fn explain(&self, before: &[u64], step: Step, after: &[u64]) -> Told {
        self.tell(before, step, after)
    }

    fn took(&self, state: &[u64], op: usize) -> bool {
        self.frame.decided(state, op) && self.frame.taken(state, op)
    }

    fn outcome(&self, state: &[u64], out: &mut Vec<u32>) {
        assert!(
            self.frame.all_done(state),
            "an execution ends when every instruction is done"
        );
        self.frame.outcome(
            state,
            |cell| self.at(state, cell, self.count(state, cell)),
            out,
        );
    }
}
