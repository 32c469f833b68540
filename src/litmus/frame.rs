//! A state as a few machine words: where each number is in them, and what values follow from them.
//!
//! The first word says which instructions are done. A state never has values: it has, for each read whose value
//! is needed, *which* write it read; values are computed from that.

use super::program::{Action, Definitions, Observed, Program, Set, Value, bit};

/// A number inside a state.
#[derive(Copy, Clone, Debug)]
pub(super) struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Field {
    /// Value of the field in a state.
    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a field holds what was a `usize`; this is the innermost loop of every model"
    )]
    pub(super) fn get(self, state: &[u64]) -> usize {
        ((state[self.word as usize] >> self.shift) & self.mask) as usize
    }

    /// Replaces its value, which must fit.
    #[inline]
    pub(super) fn set(self, state: &mut [u64], value: usize) {
        debug_assert!(value as u64 <= self.mask, "a value fits its field");
        let word = &mut state[self.word as usize];
        *word = *word & !(self.mask << self.shift) | (value as u64) << self.shift;
    }
}

/// Hands out fields, none across two words.
pub(super) struct StateLayout {
    words: u32,
    used: u32,
}

impl StateLayout {
    /// A layout with the first word taken by the instructions that are done.
    pub(super) fn new() -> Self {
        Self { words: 1, used: 64 }
    }

    /// A field for the values `0..=max`.
    pub(super) fn field(&mut self, max: usize) -> Field {
        let bits = usize::BITS - max.leading_zeros();
        if self.used + bits > 64 {
            self.words += 1;
            self.used = 0;
        }
        let field = Field {
            word: self.words - 1,
            shift: if bits == 0 { 0 } else { self.used },
            mask: (1 << bits) - 1,
        };
        self.used += bits;
        field
    }

    /// Words of a state.
    pub(super) fn words(&self) -> usize {
        self.words as usize
    }
}

/// What every model's state starts with.
pub(super) struct Frame<'p> {
    /// The test.
    pub(super) program: &'p Program,
    /// For each instruction whose read is kept: 0 for the initial contents, else the writer's index plus one.
    reads: Vec<Option<Field>>,
    everything: Set,
    /// Instructions under branches.
    branching: Set,
    /// What is done at the start.
    pub(super) start: Set,
}

impl<'p> Frame<'p> {
    /// The common part of a layout.
    pub(super) fn new(program: &'p Program, layout: &mut StateLayout) -> Self {
        let reads = program
            .ops
            .iter()
            .map(|op| {
                let cell = op.action.cell().filter(|_| op.keeps_read)?;
                Some(layout.field(program.cells[cell].writers.len()))
            })
            .collect();
        Self {
            program,
            reads,
            everything: program.everything(),
            branching: program
                .ops
                .iter()
                .enumerate()
                .filter(|(_, op)| !op.branches.is_empty())
                .fold(0, |set, (index, _)| set | bit(index)),
            start: 0,
        }
    }

    /// Whether every instruction is.
    #[inline]
    pub(super) fn all_done(&self, state: &[u64]) -> bool {
        state[0] == self.everything
    }

    /// Instructions of threads whose elder twins have not started yet.
    #[inline]
    pub(super) fn blocked(&self, state: &[u64]) -> Set {
        self.program.symmetry.blocked(state[0], self.start)
    }

    /// Marks an instruction as done.
    #[inline]
    pub(super) fn finish(state: &mut [u64], op: usize) {
        state[0] |= bit(op);
    }

    /// Notes which write a read saw.
    #[inline]
    pub(super) fn note_read(&self, state: &mut [u64], op: usize, message: usize) {
        if let Some(field) = self.reads[op] {
            field.set(state, message);
        }
    }

    /// Which write a read saw, as [`Frame::message`] counts; its value is kept.
    pub(super) fn noted(&self, state: &[u64], op: usize) -> usize {
        self.reads[op]
            .expect("a read whose value is needed is kept")
            .get(state)
    }

    /// The value that a read saw.
    pub(super) fn read(&self, state: &[u64], op: usize) -> u32 {
        let field = self.reads[op].expect("a read whose value is needed is kept");
        let cell = self.program.ops[op]
            .action
            .cell()
            .expect("a read has a cell");
        self.message(state, cell, field.get(state))
    }

    /// The value of a cell's message: 0 is the initial contents, `k` what writer `k - 1` wrote.
    pub(super) fn message(&self, state: &[u64], cell: usize, message: usize) -> u32 {
        let cell = &self.program.cells[cell];
        if message == 0 {
            return cell.init;
        }
        self.written(state, cell.writers[message - 1])
    }

    /// The value that a write wrote.
    pub(super) fn written(&self, state: &[u64], op: usize) -> u32 {
        match &self.program.ops[op].action {
            Action::Store { value, .. } => self.value(state, value),
            Action::Atomic {
                atomic, value, new, ..
            } => {
                let old = if self.reads[op].is_some() {
                    self.read(state, op)
                } else {
                    0
                };
                atomic.apply(old, self.value(state, value), self.value(state, new))
            }
            _ => 0,
        }
    }

    fn value(&self, state: &[u64], value: &Value) -> u32 {
        match value {
            Value::Number(number) => *number,
            Value::Register(definitions) => self.register(state, definitions),
        }
    }

    /// A register's value from its possible definitions, which are done.
    pub(super) fn register(&self, state: &[u64], definitions: &Definitions) -> u32 {
        definitions
            .iter()
            .find(|&&d| self.taken(state, d))
            .map_or(0, |&d| self.read(state, d))
    }

    /// Whether what decides an instruction's branches is done.
    #[inline]
    pub(super) fn decided(&self, state: &[u64], op: usize) -> bool {
        self.program.ops[op].decides & !state[0] == 0
    }

    /// Whether the branches around an instruction are taken; they must be decided.
    #[inline]
    pub(super) fn taken(&self, state: &[u64], op: usize) -> bool {
        self.program.ops[op]
            .branches
            .iter()
            .all(|b| (self.register(state, &b.register) == b.value) == b.equal)
    }

    /// Whether a `discard` before it keeps an instruction from writing.
    #[inline]
    pub(super) fn muted(&self, state: &[u64], op: usize) -> bool {
        let discards = &self.program.ops[op].discards;
        !discards.is_empty() && discards.iter().any(|&d| self.taken(state, d))
    }

    /// Marks every instruction as done whose branches are known not to be taken. `forget` clears what a read noted
    /// before it was known that it did not happen.
    pub(super) fn skip(&self, state: &mut [u64]) {
        let mut open = self.branching & !state[0];
        let mut changed = open != 0;
        while changed {
            changed = false;
            for op in super::program::members(open) {
                if !self.decided(state, op) || self.taken(state, op) {
                    continue;
                }
                state[0] |= bit(op);
                open &= !bit(op);
                changed = true;
            }
        }
    }

    /// Clears what early reads noted that turned out not to be taken, so that equal states are equal.
    pub(super) fn forget(&self, state: &mut [u64]) {
        for op in super::program::members(self.branching & state[0]) {
            if let Some(field) = self.reads[op]
                && field.get(state) != 0
                && self.decided(state, op)
                && !self.taken(state, op)
            {
                field.set(state, 0);
            }
        }
    }

    /// What a final state tells. `contents` gives the last message of a cell.
    pub(super) fn outcome(
        &self,
        state: &[u64],
        contents: impl Fn(usize) -> usize,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        out.extend(self.program.observed.iter().map(|observed| match observed {
            Observed::Register(definitions) => self.register(state, definitions),
            Observed::Cell(cell) => self.message(state, *cell, contents(*cell)),
            Observed::Constant(value) => *value,
        }));
    }
}
