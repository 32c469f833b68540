//! The envelope of what the text allows: each cell is a list of messages in coherence order, each thread has views.
//!
//! A load may return any message that is not older than what its thread must see: what it wrote itself, what it
//! accessed before a fence, and what others published to it. A store may take any place in coherence order after what
//! its thread accessed. An atomic is directly after the message that it read. A fence first publishes what its own
//! thread read and wrote (decision 4), to the group or to the device, and then takes in what was published to it.
//! Instructions are done in any order that `Instruction::after` permits, so that a write may be done before an
//! earlier load (decision 7: but never before its own value is known).
//!
//! Two steps are taken as soon as possible without trying the alternatives, because doing them early leaves every
//! outcome reachable (each such step is one that any continuation could have begun with):
//! * a store: another thread may ignore it, precede it in coherence order, or wait for it, and no view changes;
//! * a load whose thread has nothing new to see: every write of its cell is done or comes after it.
//! * a fence, if no fence of another thread is left that could exchange anything with it.
//!
//! The test tree holds a naive explorer of the same rules without any of this against it.

mod explain;
mod relations;
mod steps;

use crate::litmus::Knobs;
use crate::litmus::explore::{Model, Successors, Told, Transition};
use crate::litmus::frame::{Field, Frame, StateLayout};
use crate::litmus::program::{Action, Program, Set, bit, members};

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
    /// Plain loads under a branch of what groups share incoherently: whether they happen may be known only later.
    guessed: Set,
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
        let mut layout = StateLayout::new();
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
            guessed: 0,
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

    /// Puts a message at a position; views of what was there move with it.
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
        let first = next.len();
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
        self.judge_guesses(state, first, next);
    }

    fn explain(&self, before: &[u64], step: Transition, after: &[u64]) -> Told {
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
