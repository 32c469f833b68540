//! What a litmus test can do: every outcome that the specification allows and that modelled machines show.
//!
//! A test is compiled once ([`program`]), then explored completely ([`explore`]) in four models whose outcome sets
//! nest: sequential consistency ⊆ write-through machine ⊆ write-back machine ⊆ specification. Verdicts are the
//! specification's. Nothing here reads text or prints.

pub mod examine;
pub mod explore;
mod frame;
pub mod machine;
pub mod mutate;
pub mod program;
pub mod random;
pub mod rules;
pub(crate) mod sequential;
pub mod specification;
pub mod study;
pub mod symmetry;
pub mod wakeup;
pub mod witness;

/// Readings of the text that are disputed. The default follows the decisions of the book's page on litmus tests.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent readings, each with a word of its own"
)]
pub struct Knobs {
    /// What plain accesses to one location keep without a fence (decision 7).
    pub coherence: Coherence,
    /// Two plain loads of one location by one thread stay in order without a fence.
    pub reads_in_order: bool,
    /// A fence also publishes what its thread only learnt of through another fence (against decision 4).
    pub cumulative: bool,
    /// A fence with group scope takes in only what was published to its group, not what was published to the device.
    pub takes_by_scope: bool,
    /// `discard` implies `sync_uglobal` (decision 9).
    pub discard_fences: bool,
}

/// How coherent plain accesses are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Coherence {
    /// Each location has one order of writes, and a thread's accesses to it agree with that order.
    PerLocation,
    /// Only fences and atomics bind a plain access of another thread's writes.
    None,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            coherence: Coherence::PerLocation,
            reads_in_order: false,
            cumulative: false,
            takes_by_scope: false,
            discard_fences: true,
        }
    }
}

/// What a profile says of the machine's first-level cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MachineOptions {
    /// 32-bit words of a line.
    pub line_words: usize,
}

impl Default for MachineOptions {
    fn default() -> Self {
        Self { line_words: 32 }
    }
}

impl Knobs {
    /// The words that [`Knobs::set`] takes, each with what it means.
    pub const WORDS: [(&'static str, &'static str); 6] = [
        (
            "no-coherence",
            "only fences and atomics order plain accesses after other threads' writes",
        ),
        (
            "reads-in-order",
            "two plain loads of one location stay in order without a fence",
        ),
        (
            "cumulative",
            "a fence also publishes what its thread saw through another fence",
        ),
        (
            "takes-by-scope",
            "a group-scope fence takes in only what was published to its group",
        ),
        ("discard-free", "`discard` implies no fence"),
        ("default", "the readings of the book"),
    ];

    /// Changes a reading; whether there is one of that name.
    pub fn set(&mut self, word: &str) -> bool {
        match word {
            "no-coherence" => self.coherence = Coherence::None,
            "reads-in-order" => self.reads_in_order = true,
            "cumulative" => self.cumulative = true,
            "takes-by-scope" => self.takes_by_scope = true,
            "discard-free" => self.discard_fences = false,
            "default" => *self = Self::default(),
            _ => return false,
        }
        true
    }
}
