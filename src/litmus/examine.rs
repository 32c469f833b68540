//! One test, all models, every expectation: the whole answer as a value.

use super::explore::{Exploration, Limits, explore, undefined};
use super::machine::{L1Policy, Machine};
use super::program::{Action, Program, members};
use super::sequential::Sequential;
use super::specification::Specification;
use super::{Knobs, MachineOptions, symmetry};
use crate::finding::Finding;
use crate::kernel::{Condition, Kernel, Op, OpKind, Register, Subject, Verdict, legality};
use serde::Serialize;

/// A model, from the one with the fewest outcomes to the one with the most.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelName {
    /// One memory, program order.
    #[serde(rename = "sc")]
    Sequential,
    /// Write-through L1 for each group.
    WriteThrough,
    /// Write-back L1 for each group.
    WriteBack,
    /// What the text allows.
    Specification,
}

impl ModelName {
    /// Every model, innermost first.
    pub const ALL: [Self; 4] = [
        Self::Sequential,
        Self::WriteThrough,
        Self::WriteBack,
        Self::Specification,
    ];

    /// Its word in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sequential => "sc",
            Self::WriteThrough => "write-through",
            Self::WriteBack => "write-back",
            Self::Specification => "specification",
        }
    }
}

/// Options of an examination.
#[derive(Clone, Debug, Default)]
pub struct ExamineOptions {
    /// Disputed readings.
    pub knobs: Knobs,
    /// The machine's caches.
    pub machine: MachineOptions,
    /// When to give up.
    pub limits: Limits,
    /// Tell every register and variable, not only those of the conditions.
    pub everything: bool,
    /// Explore every order of identical threads.
    pub without_symmetry: bool,
    /// Explore only the specification.
    pub specification_only: bool,
}

/// Why a test is undefined (decision 8).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Undefined {
    /// On a UAV that is not globally coherent: a plain load of another group's write, or an atomic's read of another
    /// group's plain store.
    ForeignRead,
    /// A groupshared atomic and a plain store race.
    MixedAtomic,
    /// Group barriers do not match.
    BarrierMismatch {
        /// The group, from 0.
        group: usize,
        /// Number of the barrier in its group, from 0.
        round: usize,
    },
    /// A groupshared variable is read that no thread of the group writes.
    NeverWritten {
        /// The reading instruction.
        op: usize,
    },
}

/// What one model says.
#[non_exhaustive]
pub struct Answer {
    /// The model.
    pub model: ModelName,
    /// What the model reaches.
    pub exploration: Exploration,
}

/// What one expectation came to.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Judged {
    /// Index of the expectation.
    pub expectation: usize,
    /// What is true of its condition; `None` if the exploration gave up before it was known.
    pub verdict: Option<Verdict>,
    /// For each model explored: whether an outcome satisfies the condition.
    pub reached: Vec<(ModelName, bool)>,
}

/// The whole answer.
#[non_exhaustive]
pub struct Examination {
    /// Instructions that are not allowed where they are. If there are any, nothing was explored.
    pub illegal: Vec<Finding>,
    /// Registers and variables of which an outcome tells the values.
    pub subjects: Vec<Subject>,
    /// The compiled test.
    pub program: Option<Program>,
    /// One for each model, innermost first.
    pub answers: Vec<Answer>,
    /// Reasons why the test is undefined.
    pub undefined: Vec<Undefined>,
    /// One for each expectation.
    pub judged: Vec<Judged>,
}

impl Examination {
    /// The answer of the specification.
    pub fn specification(&self) -> Option<&Answer> {
        self.answers
            .iter()
            .find(|a| a.model == ModelName::Specification)
    }

    /// Whether every expectation holds.
    pub fn holds(&self, kernel: &Kernel) -> bool {
        self.judged
            .iter()
            .all(|j| j.verdict == Some(kernel.expectations[j.expectation].verdict))
    }
}

/// What outcomes tell: what the conditions name, or everything if there is no condition or all is asked for.
pub fn subjects(kernel: &Kernel, everything: bool) -> Vec<Subject> {
    let mut found = Vec::new();
    for expectation in &kernel.expectations {
        expectation.condition.subjects(&mut |s| found.push(s));
    }
    if everything || found.is_empty() {
        for (thread, it) in kernel.threads.iter().enumerate() {
            let mut registers: Vec<Register> = it.ops.iter().filter_map(Op::defines).collect();
            registers.sort_unstable();
            found.extend(
                registers
                    .into_iter()
                    .map(|register| Subject::Register { thread, register }),
            );
        }
        for op in kernel
            .threads
            .iter()
            .flat_map(|t| t.ops.iter().map(move |o| (t.group, o)))
        {
            let (group, op) = op;
            if let Some(location) = op.location().filter(|_| op.writes()) {
                found.push(if kernel.location(location).kind.is_uav() {
                    Subject::Uav(location)
                } else {
                    Subject::Groupshared { location, group }
                });
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Examines a test.
pub fn examine(kernel: &Kernel, options: &ExamineOptions) -> Examination {
    let illegal = legality::check(kernel);
    let mut out = Examination {
        subjects: subjects(kernel, options.everything),
        program: None,
        answers: Vec::new(),
        undefined: Vec::new(),
        judged: Vec::new(),
        illegal,
    };
    if out.illegal.is_empty() {
        let mut program = Program::new(kernel, &out.subjects, &options.knobs);
        if options.without_symmetry {
            program = Program::new_plain(kernel, &out.subjects, &options.knobs);
        }
        out.undefined = always_undefined(kernel, &program);
        for model in ModelName::ALL {
            if model == ModelName::Specification || !options.specification_only {
                out.answers.push(Answer {
                    model,
                    exploration: run(kernel, &program, &out.subjects, model, options),
                });
            }
        }
        if let Some(answer) = out.specification() {
            let kinds = [
                (undefined::FOREIGN_READ, Undefined::ForeignRead),
                (undefined::MIXED_ATOMIC, Undefined::MixedAtomic),
            ];
            let found: Vec<Undefined> = kinds
                .into_iter()
                .filter(|(flag, _)| answer.exploration.did(*flag))
                .map(|(_, what)| what)
                .collect();
            out.undefined.extend(found);
        }
        out.program = Some(program);
    }
    out.judged = (0..kernel.expectations.len())
        .map(|index| decide(kernel, &out, index))
        .collect();
    out
}

/// Explores one model. `asked` is what outcomes are to tell, as the program was made for.
pub fn run(
    kernel: &Kernel,
    program: &Program,
    asked: &[Subject],
    model: ModelName,
    options: &ExamineOptions,
) -> Exploration {
    let mut found = explore_model(program, model, options);
    if !program.symmetry.is_empty() {
        let all = symmetry::closed(kernel, &program.symmetry, asked);
        let explored = std::mem::take(&mut found.outcomes);
        found.outcomes = symmetry::complete(kernel, &program.symmetry, &all, asked, explored);
        for ops in &mut found.undefined {
            *ops = symmetry::complete_ops(program, &program.symmetry, *ops);
        }
    }
    found
}

fn explore_model(program: &Program, model: ModelName, options: &ExamineOptions) -> Exploration {
    let machine = |policy| Machine::new(program, policy, &options.machine);
    let limits = options.limits;
    match model {
        ModelName::Sequential => explore(&Sequential::new(program), limits),
        ModelName::WriteThrough => explore(&machine(L1Policy::WriteThrough), limits),
        ModelName::WriteBack => explore(&machine(L1Policy::WriteBack), limits),
        ModelName::Specification => explore(&Specification::new(program, &options.knobs), limits),
    }
}

fn decide(kernel: &Kernel, so_far: &Examination, index: usize) -> Judged {
    let condition = &kernel.expectations[index].condition;
    let reached: Vec<(ModelName, bool)> = so_far
        .answers
        .iter()
        .map(|a| {
            let some = a
                .exploration
                .outcomes
                .keys()
                .any(|o| satisfies(condition, &so_far.subjects, o));
            (a.model, some)
        })
        .collect();
    let verdict = if !so_far.illegal.is_empty() {
        Some(Verdict::Illegal)
    } else if !so_far.undefined.is_empty() {
        Some(Verdict::Undefined)
    } else {
        let answer = so_far.specification();
        let found = reached
            .iter()
            .any(|(m, some)| *m == ModelName::Specification && *some);
        let complete = answer.is_some_and(|a| a.exploration.complete);
        // Without the whole of the states an outcome may be missing, and what makes the test undefined too.
        let may_be_undefined = so_far.program.as_ref().is_none_or(may_be_undefined);
        match (complete, found) {
            (false, true) if !may_be_undefined => Some(Verdict::Allowed),
            (false, _) => None,
            (true, true) => Some(Verdict::Allowed),
            (true, false) => Some(Verdict::Forbidden),
        }
    };
    Judged {
        expectation: index,
        verdict,
        reached,
    }
}

/// Whether an outcome satisfies a condition.
pub fn satisfies(condition: &Condition, subjects: &[Subject], outcome: &[u32]) -> bool {
    condition.holds(&|subject| subjects.binary_search(&subject).map_or(0, |at| outcome[at]))
}

/// Whether some execution could be undefined by what it reads (decision 8), judged from the text alone.
fn may_be_undefined(program: &Program) -> bool {
    let plain = |op: usize| !matches!(program.ops[op].action, Action::Atomic { .. });
    program.cells.iter().any(|cell| {
        if cell.is_uav() {
            cell.is_incoherent() && members(cell.accesses).any(plain)
        } else {
            let stores = cell.writers.iter().filter(|&&op| plain(op)).count();
            stores > 0 && stores < cell.writers.len()
        }
    })
}

/// What is undefined in every execution.
fn always_undefined(kernel: &Kernel, program: &Program) -> Vec<Undefined> {
    let mut found = Vec::new();
    let mut round = 0;
    let mut group = usize::MAX;
    for meeting in &program.meetings {
        round = if meeting.group == group { round + 1 } else { 0 };
        group = meeting.group;
        let text = |op: usize| {
            let it = &program.ops[op];
            match &kernel.threads[it.thread].ops[it.line].kind {
                OpKind::Fence(fence) => Some(fence.effect()),
                _ => None,
            }
        };
        let first = text(meeting.ops[0]);
        let same = meeting.ops.iter().all(|&op| text(op) == first);
        let members = program.threads.iter().filter(|t| t.group == group).count();
        if !same || meeting.ops.len() < members {
            found.push(Undefined::BarrierMismatch { group, round });
        }
    }
    for (index, op) in program.ops.iter().enumerate() {
        let Some(cell) = op.action.cell().map(|c| &program.cells[c]) else {
            continue;
        };
        let initialised = kernel.location(cell.location).init.is_some();
        if !cell.is_uav() && op.action.reads() && cell.writers.is_empty() && !initialised {
            found.push(Undefined::NeverWritten { op: index });
        }
    }
    found
}
