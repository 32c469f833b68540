//! Hardware: instructions issue out of order within what fences, dependencies and single addresses allow; each group
//! has an L1 cache for UAVs that are not globally coherent; all groups share one L2, where atomics act.
//!
//! * A globally coherent access goes to L2 and is done there in one step; how late it gets there is how late it is
//!   done. Groupshared memory is one memory in each group.
//! * L1 starts with every line in it. A load returns what is in L1 or fetches the line again: whether the line was
//!   evicted in between is decided at the load, not before ("lazy eviction").
//! * Write-through: a store enters L1, is on its way, and arrives at L2 later; a fence waits until the stores before it
//!   have arrived. Write-back: a store makes its word dirty; the dirty words of a line are written back at any time, at
//!   the latest at the end.
//! * An atomic first writes back its own group's word, acts at L2, and drops the word from L1.
//! * A line holds several words and is fetched and written back as a whole, except for what is dirty or on its way.
//!
//! Fences and meetings are not visible in a state: they are done as soon as they can be. A cell that only one group
//! accesses behaves the same with any cache, and gets none.

mod explain;

use super::MachineOptions;
use super::explore::{Model, StepKind, Successors, Told, Transition};
use super::frame::{Field, Frame, StateLayout};
use super::program::{Action, Program, Set, bit, members};

/// What a store does to L1.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum L1Policy {
    /// It is sent on to L2 at once.
    WriteThrough,
    /// It stays until the line is written back.
    WriteBack,
}

/// A word in a group's L1.
#[derive(Copy, Clone, Debug)]
struct Word {
    /// 0: not there, else the message plus one.
    held: Field,
    /// Dirty, or on its way to L2.
    dirty: Field,
}

/// The model.
pub struct Machine<'p> {
    frame: Frame<'p>,
    policy: L1Policy,
    /// The message at L2, or in the one memory there is.
    memory: Vec<Field>,
    /// For each group and cell: the word in its L1.
    words: Vec<Vec<Option<Word>>>,
    /// For each cell with caches: its line.
    lines: Vec<Option<usize>>,
    /// Cells of each line.
    line_cells: Vec<Vec<usize>>,
    /// For each instruction: stores that must have arrived before it.
    arrived: Vec<Set>,
    /// Numbers of the groups in the text.
    groups: Vec<u32>,
    /// Fences that no meeting belongs to, and what has no effect: done as soon as they can be.
    silent: Set,
    /// For each instruction: accesses, and writes, of its cell by other threads.
    others: Vec<(Set, Set)>,
    /// Each word of L1 with the instructions that may still read it there.
    users: Vec<(Word, Set)>,
    size: usize,
}

impl<'p> Machine<'p> {
    /// The machine for a test.
    pub fn new(program: &'p Program, policy: L1Policy, options: &MachineOptions) -> Self {
        let mut layout = StateLayout::new();
        let frame = Frame::new(program, &mut layout);
        let memory = program
            .cells
            .iter()
            .map(|c| layout.field(c.writers.len()))
            .collect();
        let (lines, line_cells) = lines(program, options);
        let words = (0..program.groups)
            .map(|group| {
                program
                    .cells
                    .iter()
                    .enumerate()
                    .map(|(index, cell)| {
                        let here = lines[index].is_some()
                            && members(cell.accesses).any(|o| program.ops[o].group == group);
                        here.then(|| Word {
                            held: layout.field(cell.writers.len() + 1),
                            dirty: layout.field(1),
                        })
                    })
                    .collect()
            })
            .collect();
        let mut it = Self {
            frame,
            policy,
            memory,
            words,
            lines,
            line_cells,
            arrived: vec![0; program.ops.len()],
            groups: program.group_numbers.clone(),
            silent: 0,
            others: Vec::new(),
            users: Vec::new(),
            size: layout.words(),
        };
        if policy == L1Policy::WriteThrough {
            it.arrivals();
        }
        it.relate();
        it.frame.start = it.initial()[0];
        it
    }

    /// Which instructions concern each other.
    fn relate(&mut self) {
        let program = self.frame.program;
        for (index, op) in program.ops.iter().enumerate() {
            let silent = match &op.action {
                Action::Fence(fence) => fence.meeting.is_none(),
                Action::Nothing => true,
                _ => false,
            };
            if silent {
                self.silent |= bit(index);
            }
            let accesses = op.action.cell().map_or(0, |c| program.cells[c].accesses);
            let theirs = members(accesses).filter(|&o| program.ops[o].thread != op.thread);
            let pair = theirs.fold((0, 0), |(all, writes), o| {
                let write = if program.ops[o].action.writes() {
                    bit(o)
                } else {
                    0
                };
                (all | bit(o), writes | write)
            });
            self.others.push(pair);
        }
        for (group, words) in self.words.iter().enumerate() {
            for (cell, word) in words.iter().enumerate() {
                let Some(word) = word else { continue };
                let own = members(program.cells[cell].accesses)
                    .filter(|&op| program.ops[op].group == group)
                    .fold(0, |set, op| set | bit(op));
                self.users.push((*word, own));
            }
        }
    }

    /// Which fences wait for which stores on their way.
    fn arrivals(&mut self) {
        let program = self.frame.program;
        for (index, op) in program.ops.iter().enumerate() {
            let Action::Fence(fence) = &op.action else {
                continue;
            };
            for earlier in program.threads[op.thread].first..index {
                if let Action::Store { cell, .. } = program.ops[earlier].action
                    && fence.before & bit(cell) != 0
                    && self.lines[cell].is_some()
                {
                    self.arrived[index] |= bit(earlier);
                }
            }
        }
    }

    fn word(&self, group: usize, cell: usize) -> Option<Word> {
        self.words[group][cell]
    }

    /// Whether a store that is done is still on its way: its word in L1 holds it and is not at L2.
    fn on_its_way(&self, state: &[u64], store: usize) -> bool {
        let op = &self.frame.program.ops[store];
        let Some(word) = op.action.cell().and_then(|c| self.word(op.group, c)) else {
            return false;
        };
        word.dirty.get(state) != 0 && word.held.get(state) == op.writer + 2
    }

    /// Whether an instruction may be done now.
    fn ready(&self, state: &[u64], op: usize) -> bool {
        let it = &self.frame.program.ops[op];
        it.after_in_machine & !state[0] == 0
            && !members(self.arrived[op]).any(|store| self.on_its_way(state, store))
    }

    /// Does everything that no other thread can see.
    fn settle(&self, state: &mut [u64]) {
        let program = self.frame.program;
        loop {
            self.frame.skip(state);
            let before = state[0];
            for op in members(self.silent & !before) {
                if self.ready(state, op) {
                    Frame::finish(state, op);
                }
            }
            for meeting in &program.meetings {
                if state[0] & bit(meeting.ops[0]) == 0
                    && meeting.absent & !state[0] == 0
                    && meeting.ops.iter().all(|&op| self.ready(state, op))
                {
                    for &op in &meeting.ops {
                        Frame::finish(state, op);
                    }
                }
            }
            if state[0] == before {
                break;
            }
        }
        self.normalise(state);
    }

    /// Clears words of L1 that no instruction that is left can ask for.
    fn normalise(&self, state: &mut [u64]) {
        let left = !state[0];
        for (word, users) in &self.users {
            if users & left == 0 && word.dirty.get(state) == 0 {
                word.held.set(state, 0);
            }
        }
    }

    /// Writes back the dirty words of a group's line.
    fn write_back(&self, state: &mut [u64], group: usize, line: usize) {
        for &cell in &self.line_cells[line] {
            if let Some(word) = self.word(group, cell)
                && word.dirty.get(state) != 0
            {
                self.memory[cell].set(state, word.held.get(state) - 1);
                word.dirty.set(state, 0);
            }
        }
    }

    /// Fetches a line into a group's L1; dirty words stay.
    fn refill(&self, state: &mut [u64], group: usize, line: usize) {
        for &cell in &self.line_cells[line] {
            if let Some(word) = self.word(group, cell)
                && word.dirty.get(state) == 0
            {
                word.held.set(state, self.memory[cell].get(state) + 1);
            }
        }
    }

    fn access(&self, state: &[u64], op: usize, cell: usize, next: &mut Successors) {
        let it = &self.frame.program.ops[op];
        let step = |kind, choice: usize| Transition::new(kind, op, choice);
        let word = self.word(it.group, cell);
        let muted = it.action.writes() && self.frame.muted(state, op);
        // What is left of an atomic that must not write is its read; of a store, nothing.
        let reads_only = !it.action.writes() || muted && it.action.reads();
        match (&it.action, word) {
            _ if muted && !reads_only => {
                let to = next.push(state, step(StepKind::Nothing, 0));
                Frame::finish(to, op);
                self.settle(to);
            }
            (_, Some(word)) if reads_only => {
                let held = word.held.get(state);
                if held != 0 {
                    let to = next.push(state, step(StepKind::Load, held - 1));
                    self.frame.note_read(to, op, held - 1);
                    Frame::finish(to, op);
                    self.settle(to);
                }
                if word.dirty.get(state) == 0 {
                    let line = self.lines[cell].expect("a cached cell has a line");
                    let fresh = self.memory[cell].get(state);
                    let to = next.push(state, step(StepKind::Refill, fresh));
                    self.refill(to, it.group, line);
                    self.frame.note_read(to, op, fresh);
                    Frame::finish(to, op);
                    self.settle(to);
                }
            }
            (Action::Store { .. }, Some(word)) => {
                // One store of a word is on its way at a time.
                if self.policy == L1Policy::WriteThrough && word.dirty.get(state) != 0 {
                    return;
                }
                let to = next.push(state, step(StepKind::Store, 0));
                word.held.set(to, it.writer + 2);
                word.dirty.set(to, 1);
                Frame::finish(to, op);
                self.settle(to);
            }
            (_, word) => self.access_l2(state, op, cell, word, reads_only, next),
        }
    }

    /// An access at L2: an atomic, or what no L1 keeps. `word` is the cell's in the group's L1, if it has one.
    fn access_l2(
        &self,
        state: &[u64],
        op: usize,
        cell: usize,
        word: Option<Word>,
        reads_only: bool,
        next: &mut Successors,
    ) {
        let it = &self.frame.program.ops[op];
        if let Some(word) = word
            && word.dirty.get(state) != 0
            && self.policy == L1Policy::WriteThrough
        {
            // What is on its way arrives first.
            return;
        }
        let kind = match it.action {
            _ if reads_only => StepKind::Load,
            Action::Store { .. } => StepKind::Store,
            _ => StepKind::Atomic,
        };
        let to = next.push(
            state,
            Transition::new(kind, op, self.memory[cell].get(state)),
        );
        if let Some(word) = word
            && word.dirty.get(to) != 0
        {
            self.memory[cell].set(to, word.held.get(to) - 1);
            word.dirty.set(to, 0);
        }
        let seen = self.memory[cell].get(to);
        if it.action.reads() {
            self.frame.note_read(to, op, seen);
        }
        if !reads_only {
            self.memory[cell].set(to, it.writer + 1);
            if let Some(word) = word {
                word.held.set(to, 0);
            }
        }
        Frame::finish(to, op);
        self.settle(to);
    }

    /// An access whose time no other thread can observe: its cell belongs to one thread, or no thread writes it.
    fn eager(&self, state: &[u64], ready: Set) -> Option<usize> {
        let program = self.frame.program;
        let left = !state[0];
        members(ready).find(|&op| {
            let action = &program.ops[op].action;
            let Some(cell) = action.cell() else {
                return true;
            };
            let (accesses, writes) = self.others[op];
            self.lines[cell].is_none()
                && (accesses & left == 0 || !action.writes() && writes & left == 0)
        })
    }
}

impl Model for Machine<'_> {
    fn words(&self) -> usize {
        self.size
    }

    fn initial(&self) -> Vec<u64> {
        let mut state = vec![0; self.size];
        for word in self.words.iter().flatten().flatten() {
            word.held.set(&mut state, 1);
        }
        self.settle(&mut state);
        state
    }

    fn expand(&self, state: &[u64], next: &mut Successors) {
        let program = self.frame.program;
        let mut ready = members(program.everything() & !state[0] & !self.frame.blocked(state))
            .filter(|&op| program.ops[op].action.cell().is_some() && self.ready(state, op))
            .fold(0, |set, op| set | bit(op));
        if let Some(op) = self.eager(state, ready) {
            ready = bit(op);
        } else {
            let kind = match self.policy {
                L1Policy::WriteThrough => StepKind::Arrive,
                L1Policy::WriteBack => StepKind::WriteBack,
            };
            for group in 0..program.groups {
                for line in 0..self.line_cells.len() {
                    match self.policy {
                        L1Policy::WriteBack => {
                            if self.dirty(state, group, line) {
                                let to = next.push(state, Transition::new(kind, group, line));
                                self.write_back(to, group, line);
                                self.settle(to);
                            }
                        }
                        L1Policy::WriteThrough => {
                            for &cell in &self.line_cells[line] {
                                let Some(word) = self.word(group, cell) else {
                                    continue;
                                };
                                if word.dirty.get(state) == 0 {
                                    continue;
                                }
                                let to = next.push(state, Transition::new(kind, group, cell));
                                self.memory[cell].set(to, word.held.get(to) - 1);
                                word.dirty.set(to, 0);
                                self.settle(to);
                            }
                        }
                    }
                }
            }
        }
        for op in members(ready) {
            if let Some(cell) = program.ops[op].action.cell() {
                self.access(state, op, cell, next);
            }
        }
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
        self.frame
            .outcome(state, |cell| self.memory[cell].get(state), out);
    }
}

impl Machine<'_> {
    fn dirty(&self, state: &[u64], group: usize, line: usize) -> bool {
        self.line_cells[line].iter().any(|&cell| {
            self.word(group, cell)
                .is_some_and(|word| word.dirty.get(state) != 0)
        })
    }
}

/// The line of each cell that L1 caches, and the cells of each line. Only a UAV that several groups access and that is not
/// globally coherent is cached. Variables of one block follow each other in order of declaration.
fn lines(program: &Program, options: &MachineOptions) -> (Vec<Option<usize>>, Vec<Vec<usize>>) {
    let mut lines = vec![None; program.cells.len()];
    let mut line_cells: Vec<Vec<usize>> = Vec::new();
    let mut numbers = Vec::new();
    for (index, cell) in program.cells.iter().enumerate() {
        if !cell.is_uav() || cell.globally_coherent || !cell.between_groups {
            continue;
        }
        let (block, index_in_block) = cell.block;
        let number = (block, index_in_block / options.line_words.max(1));
        let known = numbers.iter().position(|n| *n == number);
        let line = known.unwrap_or_else(|| {
            numbers.push(number);
            line_cells.push(Vec::new());
            numbers.len() - 1
        });
        lines[index] = Some(line);
        line_cells[line].push(index);
    }
    (lines, line_cells)
}
