//! The value: what a parsed litmus test is made of. Fences and what they do are in `fence.rs`.

use super::fence::Fence;
use crate::finding::Span;
use crate::id::{LocationId, Table};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Threads of a test. The explorer is exhaustive: its work grows steeply with each of them.
pub const THREADS_MAX: usize = 8;
/// Instructions of all threads together: one bit of a machine word each.
pub const OPS_MAX: usize = 64;
/// UAVs and groupshared variables.
pub const LOCATIONS_MAX: usize = 32;
/// Registers of a thread: `r0` to `r63`.
pub const REGISTERS_MAX: usize = 64;
/// Conditions in brackets before one instruction.
pub const GUARDS_MAX: usize = 8;

/// Comments around a statement.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Around"))]
pub struct Comments {
    // Each is without its line end. An empty line between them is an empty string.
    /// On lines of their own, before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// At the end of its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A litmus test.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Kernel {
    /// Its name, as in `litmus "MP"`.
    pub title: Option<String>,
    /// Around the title.
    pub comments: Comments,
    /// UAVs and groupshared variables, in order of declaration; ids index them.
    pub locations: Table<LocationId, Location>,
    /// Threads, in order; a condition counts them from 0.
    pub threads: Vec<Thread>,
    /// What the file says of outcomes.
    pub expectations: Vec<Expectation>,
    /// Findings that the file expects on its lines: `//~ LM011`.
    pub marks: Vec<Mark>,
    /// Findings that the file allows: `// syncscope: allow LM016` covers the next statement or instruction.
    pub allows: Vec<Allow>,
    /// Comments after the last statement.
    pub comments_at_end: Vec<String>,
}

impl Kernel {
    /// A location by id.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id]
    }

    /// A location by name.
    pub fn find(&self, name: &str) -> Option<LocationId> {
        self.locations
            .iter()
            .position(|l| l.name == name)
            .map(LocationId::new)
    }

    /// Number of instructions.
    pub fn ops(&self) -> usize {
        self.threads.iter().map(|t| t.ops.len()).sum()
    }

    /// The thread groups that have threads, in ascending order.
    pub fn groups(&self) -> Vec<u32> {
        let mut groups: Vec<u32> = self.threads.iter().map(|t| t.group).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }
}

/// An expectation of a finding: `//~ ID` on the line of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Line, counted from 1.
    pub line: u32,
    /// Ids, names or families of findings; empty for `//~ none`.
    pub ids: Vec<String>,
}

/// An allowance of findings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allow {
    /// Ids, names or families of findings.
    pub ids: Vec<String>,
    /// The statement or instruction in which they are allowed.
    pub covers: Span,
}

/// A 32-bit variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The variable's name.
    pub name: String,
    /// Whose memory it is in.
    pub kind: LocationKind,
    /// A UAV declared before it whose cache line it shares, as far as a line goes: `beside`. Otherwise each UAV starts
    /// a line of its own.
    pub beside: Option<LocationId>,
    /// Contents at the start; `None` where the text says nothing, which is 0.
    pub init: Option<u32>,
    /// Where it is declared.
    pub span: Span,
    /// Around the declaration.
    pub comments: Comments,
}

/// A kind of memory, `u#` or `g#`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LocationKind {
    /// Unordered access view.
    Uav {
        /// Declared `globallycoherent`.
        globally_coherent: bool,
    },
    /// Thread group shared memory: one instance in each group.
    Groupshared,
}

impl LocationKind {
    /// Whether it is a UAV.
    pub fn is_uav(self) -> bool {
        matches!(self, Self::Uav { .. })
    }
}

/// A shader stage.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Compute.
    Compute,
    /// Pixel: each invocation is a group of its own.
    Pixel,
    /// Vertex.
    Vertex,
    /// Hull.
    Hull,
    /// Domain.
    Domain,
    /// Geometry.
    Geometry,
}

impl Stage {
    /// Every stage.
    pub const ALL: [Self; 6] = [
        Self::Compute,
        Self::Pixel,
        Self::Vertex,
        Self::Hull,
        Self::Domain,
        Self::Geometry,
    ];

    /// The word of the text form.
    pub fn word(self) -> &'static str {
        match self {
            Self::Compute => "cs",
            Self::Pixel => "ps",
            Self::Vertex => "vs",
            Self::Hull => "hs",
            Self::Domain => "ds",
            Self::Geometry => "gs",
        }
    }

    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute shader",
            Self::Pixel => "pixel shader",
            Self::Vertex => "vertex shader",
            Self::Hull => "hull shader",
            Self::Domain => "domain shader",
            Self::Geometry => "geometry shader",
        }
    }
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Number of the thread group.
    pub group: u32,
    /// Shader stage of the thread.
    pub stage: Stage,
    /// A helper invocation: it runs for derivatives only and never writes UAVs.
    pub helper: bool,
    /// Its instructions in program order.
    pub ops: Vec<Op>,
    /// Where the thread begins.
    pub span: Span,
    /// Around its first line.
    pub comments: Comments,
    /// Comments after its last instruction.
    pub comments_at_end: Vec<String>,
    /// Comment after its closing brace, if the brace is on a line of its own.
    pub comment_behind: Option<String>,
    /// Its closing brace is on the same line as what precedes it, and that line expects a finding.
    pub closes_on_line: bool,
}

/// An instruction with the branches that it is under.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Op {
    /// Flow control around it, outermost first.
    pub guards: Vec<Guard>,
    /// The operation.
    pub kind: OpKind,
    /// Place in the source.
    pub span: Span,
    /// It is on the same line as what precedes it, and that line expects a finding: they stay together.
    pub on_line: bool,
    /// Comments around the instruction.
    pub comments: Comments,
}

impl Op {
    /// The register that it writes.
    pub fn defines(&self) -> Option<Register> {
        match self.kind {
            OpKind::Load { register, .. } | OpKind::Atomic { register, .. } => Some(register),
            _ => None,
        }
    }

    /// The location that it accesses.
    pub fn location(&self) -> Option<LocationId> {
        match self.kind {
            OpKind::Load { location, .. }
            | OpKind::Store { location, .. }
            | OpKind::Atomic { location, .. } => Some(location),
            _ => None,
        }
    }

    /// Whether it writes memory if it is executed by an invocation that may.
    pub fn writes(&self) -> bool {
        matches!(self.kind, OpKind::Store { .. } | OpKind::Atomic { .. })
    }
}

/// Flow control around an instruction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// A branch that every thread of the group takes.
    Uniform,
    /// A branch that this thread takes and others of its group may not.
    Varying,
    /// A branch on a register's value, which the compiler must take to be varying.
    Register {
        /// The register.
        register: Register,
        /// Taken if equal, otherwise if different.
        equal: bool,
        /// The value that it is compared with.
        value: u32,
    },
}

/// A register of a thread. Reads 0 until it is written.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register(pub u8);

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// A value that an instruction uses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A number.
    Value(u32),
    /// A register's value.
    Register(Register),
}

/// What an instruction does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpKind {
    /// Plain 32-bit store.
    Store {
        /// The variable that is written.
        location: LocationId,
        /// The value that is stored.
        value: Operand,
    },
    /// Plain 32-bit load.
    Load {
        /// Where the value goes.
        register: Register,
        /// The variable that is read.
        location: LocationId,
        /// A register on which the address depends without changing: `dep=r0`.
        address: Option<Register>,
    },
    /// Atomic read-modify-write; the register gets the old value.
    Atomic {
        /// The atomic operation.
        atomic: Atomic,
        /// Where the old value goes.
        register: Register,
        /// The variable that is changed.
        location: LocationId,
        /// The operand; of `cas` the value that is compared with.
        value: Operand,
        /// Of `cas`: what is stored if the comparison holds.
        new: Option<Operand>,
    },
    /// Memory fence, thread group barrier, or both.
    Fence(Fence),
    /// `discard` in a pixel shader, taken or not.
    Discard {
        /// Whether the pixel is discarded.
        taken: bool,
    },
}

/// An atomic operation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Atomic {
    /// `InterlockedAdd`.
    Add,
    /// `InterlockedAnd`.
    And,
    /// `InterlockedOr`.
    Or,
    /// `InterlockedXor`.
    Xor,
    /// `InterlockedExchange`.
    Exchange,
    /// `InterlockedMax`, unsigned.
    Max,
    /// `InterlockedMin`, unsigned.
    Min,
    /// `InterlockedCompareExchange`.
    CompareExchange,
}

impl Atomic {
    /// Every operation.
    pub const ALL: [Self; 8] = [
        Self::Add,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Exchange,
        Self::Max,
        Self::Min,
        Self::CompareExchange,
    ];

    /// The word of the text form.
    pub fn word(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Exchange => "xchg",
            Self::Max => "max",
            Self::Min => "min",
            Self::CompareExchange => "cas",
        }
    }

    /// What is in memory afterwards. `new` counts for compare-exchange only.
    pub fn apply(self, old: u32, value: u32, new: u32) -> u32 {
        match self {
            Self::Add => old.wrapping_add(value),
            Self::And => old & value,
            Self::Or => old | value,
            Self::Xor => old ^ value,
            Self::Exchange => value,
            Self::Max => old.max(value),
            Self::Min => old.min(value),
            Self::CompareExchange if old == value => new,
            Self::CompareExchange => old,
        }
    }
}

/// What a file expects of its outcomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// The verdict.
    pub verdict: Verdict,
    /// About this condition.
    pub condition: Condition,
    /// Place in the source.
    pub span: Span,
    /// Comments around the expectation.
    pub comments: Comments,
}

/// What can be said of a condition.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Some outcome satisfies it.
    Allowed,
    /// No outcome satisfies it.
    Forbidden,
    /// The test does something whose result the specification leaves open.
    Undefined,
    /// The test contains an instruction that is not allowed where it is.
    Illegal,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 4] = [
        Self::Allowed,
        Self::Forbidden,
        Self::Undefined,
        Self::Illegal,
    ];

    /// The word of the text form.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Forbidden => "forbidden",
            Self::Undefined => "undefined",
            Self::Illegal => "illegal",
        }
    }
}

/// A statement about one outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A register or a final content compared with a value.
    Is {
        /// The register or variable that is compared.
        subject: Subject,
        /// Holds if equal, otherwise if different.
        equal: bool,
        /// The value.
        value: u32,
    },
    /// All conditions hold.
    All(Vec<Condition>),
    /// Any of them.
    Any(Vec<Condition>),
    /// The opposite.
    Not(Box<Condition>),
}

impl Condition {
    /// Whether it holds where `read` gives the value of each subject.
    pub fn holds(&self, read: &impl Fn(Subject) -> u32) -> bool {
        match self {
            Self::Is {
                subject,
                equal,
                value,
            } => (read(*subject) == *value) == *equal,
            Self::All(parts) => parts.iter().all(|p| p.holds(read)),
            Self::Any(parts) => parts.iter().any(|p| p.holds(read)),
            Self::Not(part) => !part.holds(read),
        }
    }

    /// Calls `see` with each subject, in order of the text.
    pub fn subjects(&self, see: &mut impl FnMut(Subject)) {
        match self {
            Self::Is { subject, .. } => see(*subject),
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.subjects(see);
                }
            }
            Self::Not(part) => part.subjects(see),
        }
    }
}

/// Something that an outcome has a value of.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    /// A register of a thread at its end.
    Register {
        /// Index of the thread.
        thread: usize,
        /// The register.
        register: Register,
    },
    /// A UAV's final content.
    Uav(LocationId),
    /// A groupshared variable's final content in one group.
    Groupshared {
        /// The variable.
        location: LocationId,
        /// The group.
        group: u32,
    },
}
