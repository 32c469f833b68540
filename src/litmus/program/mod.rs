//! A test compiled for exploration: instructions numbered through, memory as cells, what each instruction waits for.
//!
//! Two orders are kept, because the models differ in them: what the text of the specification promises, and what a
//! machine keeps beyond that (dependencies, accesses to one address). Both contain what fences order. Everything here
//! is decided once per test; exploring only reads it.

mod order;

use crate::id::LocationId;
use crate::kernel::{Atomic, Guard, Kernel, Op, OpKind, Operand, Register, Subject};
use crate::litmus::Knobs;
use crate::litmus::symmetry::{self, Symmetry};
use std::fmt::Write as _;

/// A set of instructions or of cells: one bit each.
pub type Set = u64;

/// A test, compiled.
pub struct Program {
    /// Number of thread groups; each is numbered from 0 in order of its number in the text.
    pub groups: usize,
    /// Their numbers in the text.
    pub group_numbers: Vec<u32>,
    /// Threads, in order of the text.
    pub threads: Vec<Thread>,
    /// Memory that some instruction accesses.
    pub cells: Vec<Cell>,
    /// Instructions: those of thread 0, then those of thread 1, …
    pub ops: Vec<Instruction>,
    /// Group barriers, each with the instructions that meet in it.
    pub meetings: Vec<Meeting>,
    /// What an outcome tells, in order.
    pub observed: Vec<Observed>,
    /// What may change places.
    pub symmetry: Symmetry,
}

/// A thread.
pub struct Thread {
    /// Number of the thread group.
    pub group: usize,
    /// First instruction.
    pub first: usize,
    /// One past its last instruction.
    pub end: usize,
}

/// One 32-bit word of memory.
pub struct Cell {
    /// Its name for people: `x`, or `s@0` for the instance of group 0.
    pub name: String,
    /// The variable.
    pub location: LocationId,
    /// The group whose instance it is; `None` for a UAV.
    pub group: Option<usize>,
    /// Whether accesses are coherent on the whole device: a UAV declared so.
    pub globally_coherent: bool,
    /// The first variable of its block, and how many of the block are before it.
    pub block: (LocationId, usize),
    /// Contents at the start.
    pub init: u32,
    /// Instructions that may write it, in order of number.
    pub writers: Vec<usize>,
    /// Instructions that access it.
    pub accesses: Set,
    /// Whether threads of several groups access it.
    pub between_groups: bool,
}

impl Cell {
    /// Whether it is a UAV's.
    pub fn is_uav(&self) -> bool {
        self.group.is_none()
    }

    /// Whether groups share it without being coherent: what one writes the others may not see (decision 5).
    pub fn is_incoherent(&self) -> bool {
        self.is_uav() && !self.globally_coherent && self.between_groups
    }
}

/// An instruction.
pub struct Instruction {
    /// Number of the thread.
    pub thread: usize,
    /// Number of the thread group.
    pub group: usize,
    /// Its index in the thread's text.
    pub line: usize,
    /// The operation.
    pub action: Action,
    /// Branches around it.
    pub branches: Vec<Branch>,
    /// `discard`s before it that are taken if they are executed: from then on it writes nothing.
    pub discards: Vec<usize>,
    /// What must be done before its branches and discards can be decided.
    pub decides: Set,
    /// What must be done before it, by the specification: fences, program order of one location, data.
    pub after: Set,
    /// What a machine keeps beyond that: address dependencies, branches, reads of one location.
    pub after_in_machine: Set,
    /// Its index among the writers of its cell.
    pub writer: usize,
    /// Whether what it read is needed later.
    pub keeps_read: bool,
}

/// A branch: taken if the register's value is (not) equal to a value.
pub struct Branch {
    /// The register's value.
    pub register: Definitions,
    /// Taken if equal.
    pub equal: bool,
    /// The value.
    pub value: u32,
}

/// Instructions that may have given a register its value: the latest first, the first executed one counts.
pub type Definitions = Vec<usize>;

/// A value that is used.
pub enum Value {
    /// A number.
    Number(u32),
    /// A register.
    Register(Definitions),
}

/// What an instruction does.
pub enum Action {
    /// Reads.
    Load {
        /// The cell that is read.
        cell: usize,
        /// Also the read that remains of an atomic whose write may not happen.
        plain: bool,
    },
    /// Writes.
    Store {
        /// The cell that is written.
        cell: usize,
        /// The value that is stored.
        value: Value,
    },
    /// Reads and writes in one step.
    Atomic {
        /// The cell that is changed.
        cell: usize,
        /// The atomic operation.
        atomic: Atomic,
        /// The operand; of compare-exchange the value that is compared with.
        value: Value,
        /// Of compare-exchange: what is stored if the comparison holds.
        new: Value,
    },
    /// Orders, makes visible, lets the group meet.
    Fence(Ordering),
    /// Has no effect: a write that must not happen.
    Nothing,
}

/// What a fence does.
#[derive(Clone)]
pub struct Ordering {
    /// Cells whose earlier accesses it orders and publishes.
    pub before: Set,
    /// Cells whose later accesses it orders.
    pub after: Set,
    /// Cells for which it acts on the whole device; on others, in the group.
    pub device: Set,
    /// Index of the meeting, if the group waits here.
    pub meeting: Option<usize>,
}

/// A group barrier.
pub struct Meeting {
    /// The group.
    pub group: usize,
    /// One instruction of each thread that reaches it.
    pub ops: Vec<usize>,
    /// Instructions of threads that do not reach it: the others wait until those have ended.
    pub absent: Set,
}

/// What an outcome tells.
pub enum Observed {
    /// A register at the end.
    Register(Definitions),
    /// A cell at the end.
    Cell(usize),
    /// Memory that no thread accesses.
    Constant(u32),
}

impl Action {
    /// The cell that it accesses.
    pub fn cell(&self) -> Option<usize> {
        match self {
            Self::Load { cell, .. } | Self::Store { cell, .. } | Self::Atomic { cell, .. } => {
                Some(*cell)
            }
            Self::Fence(_) | Self::Nothing => None,
        }
    }

    /// Whether it writes its cell.
    pub fn writes(&self) -> bool {
        matches!(self, Self::Store { .. } | Self::Atomic { .. })
    }

    /// Whether it reads its cell.
    pub fn reads(&self) -> bool {
        matches!(self, Self::Load { .. } | Self::Atomic { .. })
    }
}

/// The bit of a member.
#[inline]
pub fn bit(index: usize) -> Set {
    1 << index
}

/// The members of a set, ascending.
#[inline]
pub fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let index = set.trailing_zeros() as usize;
            set &= set - 1;
            index
        })
    })
}

impl Program {
    /// Compiles a legal test. `observe`, in order, is what outcomes tell, with what they become when identical threads
    /// change places.
    ///
    /// # Panics
    /// If the test exceeds the parser's limits.
    pub fn new(kernel: &Kernel, observe: &[Subject], knobs: &Knobs) -> Self {
        Self::compile(kernel, observe, *knobs, true)
    }

    /// The same without symmetry: every order of identical threads is explored.
    pub fn new_plain(kernel: &Kernel, observe: &[Subject], knobs: &Knobs) -> Self {
        Self::compile(kernel, observe, *knobs, false)
    }

    fn compile(kernel: &Kernel, observe: &[Subject], knobs: Knobs, symmetric: bool) -> Self {
        assert!(kernel.ops() <= 64, "an instruction is a bit of a word");
        let groups = kernel.groups();
        let mut program = Self {
            groups: groups.len(),
            group_numbers: groups.clone(),
            threads: Vec::new(),
            cells: Vec::new(),
            ops: Vec::new(),
            meetings: Vec::new(),
            observed: Vec::new(),
            symmetry: Symmetry::default(),
        };
        for thread in &kernel.threads {
            let group = groups
                .binary_search(&thread.group)
                .expect("every thread's group is listed");
            let first = program.ops.len();
            let index = program.threads.len();
            for (line, op) in thread.ops.iter().enumerate() {
                let action =
                    program.action(kernel, thread.helper, group, &thread.ops[..line], op, first);
                program.push(index, group, line, &thread.ops, action);
            }
            program.threads.push(Thread {
                group,
                first,
                end: program.ops.len(),
            });
        }
        program.fences(kernel, knobs);
        program.meetings(kernel);
        for index in 0..program.ops.len() {
            let (after, in_machine) = program.order(kernel, index, knobs);
            program.ops[index].after = after;
            program.ops[index].after_in_machine = after | in_machine;
        }
        if symmetric {
            program.symmetry = Symmetry::new(kernel, &program);
        }
        let told = symmetry::closed(kernel, &program.symmetry, observe);
        program.observe(kernel, &groups, &told);
        program.keep_reads();
        program
    }

    fn cell(&mut self, kernel: &Kernel, location: LocationId, group: usize) -> usize {
        let kind = kernel.location(location).kind;
        let instance = (!kind.is_uav()).then_some(group);
        let found = self
            .cells
            .iter()
            .position(|c| c.location == location && c.group == instance);
        found.unwrap_or_else(|| {
            let mut name = kernel.location(location).name.clone();
            if instance.is_some() {
                let _ = write!(name, "@{}", kernel.groups()[group]);
            }
            self.cells.push(Cell {
                name,
                location,
                group: instance,
                globally_coherent: matches!(
                    kind,
                    crate::kernel::LocationKind::Uav {
                        globally_coherent: true
                    }
                ),
                block: block(kernel, location),
                init: kernel.location(location).init.unwrap_or(0),
                writers: Vec::new(),
                accesses: 0,
                between_groups: false,
            });
            self.cells.len() - 1
        })
    }

    fn action(
        &mut self,
        kernel: &Kernel,
        helper: bool,
        group: usize,
        earlier: &[Op],
        op: &Op,
        first: usize,
    ) -> Action {
        let value = |operand: &Operand| match operand {
            Operand::Value(value) => Value::Number(*value),
            Operand::Register(register) => Value::Register(definitions(earlier, *register, first)),
        };
        // Decision 9: a helper never writes UAVs, nor does a pixel after its discard.
        let mute = |location: LocationId| {
            let discarded = earlier
                .iter()
                .any(|o| matches!(o.kind, OpKind::Discard { taken: true }) && o.guards.is_empty());
            kernel.location(location).kind.is_uav() && (helper || discarded)
        };
        match &op.kind {
            OpKind::Load { location, .. } => Action::Load {
                cell: self.cell(kernel, *location, group),
                plain: true,
            },
            OpKind::Store { location, .. } if mute(*location) => Action::Nothing,
            OpKind::Store {
                location,
                value: stored,
            } => Action::Store {
                cell: self.cell(kernel, *location, group),
                value: value(stored),
            },
            OpKind::Atomic { location, .. } if mute(*location) => Action::Load {
                cell: self.cell(kernel, *location, group),
                plain: false,
            },
            OpKind::Atomic {
                atomic,
                location,
                value: operand,
                new,
                ..
            } => Action::Atomic {
                cell: self.cell(kernel, *location, group),
                atomic: *atomic,
                value: value(operand),
                new: new.as_ref().map_or(Value::Number(0), value),
            },
            // Cells are not all known yet: `fences` fills this in.
            OpKind::Fence(_) | OpKind::Discard { .. } => Action::Fence(Ordering {
                before: 0,
                after: 0,
                device: 0,
                meeting: None,
            }),
        }
    }

    fn push(&mut self, thread: usize, group: usize, line: usize, text: &[Op], action: Action) {
        let index = self.ops.len();
        let first = index - line;
        let op = &text[line];
        let branches: Vec<Branch> = op
            .guards
            .iter()
            .filter_map(|guard| match *guard {
                Guard::Register {
                    register,
                    equal,
                    value,
                } => Some(Branch {
                    register: definitions(&text[..line], register, first),
                    equal,
                    value,
                }),
                Guard::Uniform | Guard::Varying => None,
            })
            .collect();
        let discards: Vec<usize> = text[..line]
            .iter()
            .enumerate()
            .filter(|(_, o)| matches!(o.kind, OpKind::Discard { taken: true }) && !sure(o))
            .map(|(at, _)| first + at)
            .filter(|_| action.writes())
            .collect();
        let mut decides = branches
            .iter()
            .fold(0, |set, branch| set | self.resolved(&branch.register));
        for &discard in &discards {
            decides |= bit(discard) | self.ops[discard].decides;
        }
        let mut writer = 0;
        if let Some(cell) = action.cell() {
            let cell = &mut self.cells[cell];
            let others = members(cell.accesses).any(|o| self.ops[o].group != group);
            cell.between_groups |= others;
            cell.accesses |= bit(index);
            if action.writes() {
                writer = cell.writers.len();
                cell.writers.push(index);
            }
        }
        self.ops.push(Instruction {
            thread,
            group,
            line,
            action,
            branches,
            discards,
            decides,
            after: 0,
            after_in_machine: 0,
            writer,
            keeps_read: false,
        });
    }

    /// What must be done before the value of these definitions is known.
    fn resolved(&self, definitions: &[usize]) -> Set {
        definitions
            .iter()
            .fold(0, |set, &d| set | bit(d) | self.ops[d].decides)
    }

    /// What must be done before the values that an action uses are known.
    fn data(&self, action: &Action) -> Set {
        let of = |value: &Value| match value {
            Value::Number(_) => 0,
            Value::Register(definitions) => self.resolved(definitions),
        };
        match action {
            Action::Store { value, .. } => of(value),
            Action::Atomic { value, new, .. } => of(value) | of(new),
            _ => 0,
        }
    }

    fn observe(&mut self, kernel: &Kernel, groups: &[u32], subjects: &[Subject]) {
        for &subject in subjects {
            let observed = match subject {
                Subject::Register { thread, register } => {
                    let first = self.threads[thread].first;
                    Observed::Register(definitions(&kernel.threads[thread].ops, register, first))
                }
                Subject::Uav(location) => self.contents(kernel, location, None),
                Subject::Groupshared { location, group } => {
                    let group = groups
                        .binary_search(&group)
                        .expect("a condition names a group that has threads");
                    self.contents(kernel, location, Some(group))
                }
            };
            self.observed.push(observed);
        }
    }

    fn contents(&self, kernel: &Kernel, location: LocationId, group: Option<usize>) -> Observed {
        self.cells
            .iter()
            .position(|c| c.location == location && c.group == group)
            .map_or_else(
                || Observed::Constant(kernel.location(location).init.unwrap_or(0)),
                Observed::Cell,
            )
    }

    /// Marks the reads whose value is used by a branch, a value, an atomic's own result, the outcome.
    fn keep_reads(&mut self) {
        let mut kept: Set = 0;
        let mut keep = |definitions: &[usize]| {
            for &d in definitions {
                kept |= bit(d);
            }
        };
        for op in &self.ops {
            for branch in &op.branches {
                keep(&branch.register);
            }
            if let Action::Store { value, .. } = &op.action
                && let Value::Register(definitions) = value
            {
                keep(definitions);
            }
            if let Action::Atomic { value, new, .. } = &op.action {
                for value in [value, new] {
                    if let Value::Register(definitions) = value {
                        keep(definitions);
                    }
                }
            }
        }
        for observed in &self.observed {
            if let Observed::Register(definitions) = observed {
                keep(definitions);
            }
        }
        // Decision 8 asks what a load read once it is known that the load happens.
        for (index, op) in self.ops.iter().enumerate() {
            if let Action::Load { cell, plain: true } = op.action
                && !op.branches.is_empty()
                && self.cells[cell].is_incoherent()
            {
                kept |= bit(index);
            }
        }
        for (index, op) in self.ops.iter_mut().enumerate() {
            let result_depends = matches!(
                op.action,
                Action::Atomic { atomic, .. } if atomic != Atomic::Exchange
            );
            op.keeps_read = op.action.reads() && (result_depends || kept & bit(index) != 0);
        }
    }

    /// Every instruction.
    pub fn everything(&self) -> Set {
        if self.ops.len() == 64 {
            Set::MAX
        } else {
            bit(self.ops.len()) - 1
        }
    }
}

/// The first variable of a variable's block, and how many of the block are declared before it.
fn block(kernel: &Kernel, location: LocationId) -> (LocationId, usize) {
    let first = |mut at: LocationId| {
        // A variable is only next to earlier ones.
        while let Some(before) = kernel.location(at).beside {
            at = before;
        }
        at
    };
    let own = first(location);
    let before = (0..location.index())
        .filter(|&l| first(LocationId::new(l)) == own)
        .count();
    (own, before)
}

/// Instructions of `earlier` that may define a register, the latest first, up to one that surely does.
fn definitions(earlier: &[Op], register: Register, first: usize) -> Definitions {
    let mut found = Vec::new();
    for (line, op) in earlier.iter().enumerate().rev() {
        if op.defines() == Some(register) {
            found.push(first + line);
            if sure(op) {
                break;
            }
        }
    }
    found
}

/// Whether an instruction is under no branch that depends on a register.
fn sure(op: &Op) -> bool {
    op.guards
        .iter()
        .all(|g| !matches!(g, Guard::Register { .. }))
}
