//! A format: one entry with a name and a writer for each kind of output that it has.
//!
//! A format is one file of this layer with a `FORMAT`, and one line in `catalog.rs`. A kind of output is one line of
//! `outputs!` below. A pair that has no writer does not exist: whoever asks for it is told so, and gets no other format.

use super::Style;
use super::list::Item;
use super::litmus::Sheet;
use super::page::Topic;
use super::repair::Repaired;
use super::test::TestedFile;
use crate::analyze::account::Account;
use crate::finding::Source;
use crate::interop::exchange::{Exported, Roundtrip};
use crate::kernel::Kernel;
use crate::litmus::wakeup::{self, Design};
use crate::lower::rules::RuleFile;
use crate::order::Timeline;
use crate::run::handover::Handover;
use crate::run::{
    Dependencies, Difference, Drawn, Packets, ProfileTable, Report, WhatIf, fence_kinds,
};
use crate::scenario::Scenario;
use crate::workbench::{Bisection, Mutation, Searched, Verification};
use std::fmt;
use std::io::{self, Write};

/// Where a writer puts its bytes.
type Out<'w> = &'w mut dyn Write;

/// Writes one report.
pub type ReportWriter = fn(&Report, &Source, &Style, Out<'_>) -> io::Result<()>;

/// Writes many reports in one document.
pub type ReportsWriter = fn(&[(&Report, &Source)], &Style, Out<'_>) -> io::Result<()>;

/// How reports are written.
#[derive(Copy, Clone, Debug)]
#[non_exhaustive]
pub enum WriteReport {
    /// One after the other, each as soon as it is there.
    Each(ReportWriter),
    /// Each in a document of its own.
    Single(ReportWriter),
    /// All in one document.
    All(ReportsWriter),
}

/// How a search is written.
pub type WriteSearch = fn(&Searched, &Style, Out<'_>) -> io::Result<()>;

/// How litmus tests are written.
#[derive(Copy, Clone)]
#[non_exhaustive]
pub enum WriteLitmus {
    /// Each as soon as it is studied.
    Each(fn(&Sheet<'_>, &Style, Out<'_>) -> io::Result<()>),
    /// All in one document.
    All(fn(&[Sheet<'_>], &Style, Out<'_>) -> io::Result<()>),
}

/// How a repair is written.
#[derive(Copy, Clone)]
#[non_exhaustive]
pub enum WriteRepair {
    /// Only the lines that change: nothing if the file itself is changed. What was done is told on standard error.
    Changes(fn(&Repaired<'_>, &Style, Out<'_>) -> io::Result<()>),
    /// Everything, what was done too.
    Document(fn(&Repaired<'_>, &Style, Out<'_>) -> io::Result<()>),
}

/// A kind of output, and where a format keeps its writer for it.
pub struct Output<W> {
    /// Its name in `syncscope list formats`.
    pub name: &'static str,
    /// What it is called in a message, with its article.
    pub noun: &'static str,
    /// The writer that a format has for it.
    pub writer: fn(&Format) -> Option<W>,
}

/// Declares the kinds of output: `CONSTANT = field "name" "a noun": type of the writer`.
macro_rules! outputs {
    ($($(#[doc = $doc:literal])* $(#[cfg($when:meta)])? $constant:ident = $field:ident $name:literal $noun:literal: $writer:ty;)*) => {
        /// A way to write what the program finds. A format without a writer for an output does not have that output.
        #[derive(Copy, Clone)]
        #[non_exhaustive]
        pub struct Format {
            /// Word after `--format`.
            pub name: &'static str,
            /// Other words for it.
            pub aliases: &'static [&'static str],
            /// What it is for.
            pub summary: &'static str,
            /// What its reports show beyond rows.
            pub draws: Drawn,
            /// How the names of its files end, without the dot, the usual one first: `--out` finds a format by them. One
            /// extension may end in another, as `perfetto.json` does: the longest counts.
            pub extensions: &'static [&'static str],
            $($(#[doc = $doc])* $(#[cfg($when)])? pub $field: Option<$writer>,)*
        }

        impl Format {
            /// A format without any output yet: `Format { list: Some(write), ..Format::new("name", "summary") }`.
            pub const fn new(name: &'static str, summary: &'static str) -> Self {
                Self { name, aliases: &[], summary, extensions: &[], draws: Drawn::Rows, $($(#[cfg($when)])? $field: None,)* }
            }

            /// The names of the outputs that it has.
            pub fn outputs(&self) -> Vec<&'static str> {
                let all = [$($(#[cfg($when)])? ($name, self.$field.is_some()),)*];
                all.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
            }
        }

        $($(#[doc = $doc])* $(#[cfg($when)])? pub const $constant: Output<$writer> = Output {
            name: $name,
            noun: $noun,
            writer: |format| format.$field,
        };)*
    };
}

outputs! {
    /// What was found in a scenario and what it costs: `run`, `check`, `demo`.
    REPORT = report "report" "a report": WriteReport;
    /// One scenario on several machines: `run --profiles`.
    PROFILES = profiles "profiles" "a comparison of profiles": fn(&ProfileTable, &Style, Out<'_>) -> io::Result<()>;
    /// What each barrier costs: `run --what-if`.
    WHAT_IF = what_if "what-if" "a comparison of barriers": fn(&WhatIf, &Style, Out<'_>) -> io::Result<()>;
    /// Whether a lowering is right: `verify`.
    VERIFICATION = verification "verification" "a verification":
        fn(&Verification, &Style, Out<'_>) -> io::Result<()>;
    /// Two runs, compared: `diff`.
    DIFFERENCE = difference "difference" "a comparison of runs": fn(&Difference, &Style, Out<'_>) -> io::Result<()>;
    /// What makes a scene misbehave: `bisect`.
    BISECTION = bisection "bisection" "a bisection": fn(&Bisection, &Style, Out<'_>) -> io::Result<()>;
    /// Which mistakes in a lowering a corpus notices: `mutate`.
    MUTATION = mutation "mutation" "a list of mistakes": fn(&Mutation, &Style, Out<'_>) -> io::Result<()>;
    /// What came of every program of a small universe: `verify --exhaustive`.
    SEARCH = search "search" "a search": WriteSearch;
    /// What a driver is handed: `run --show ddi`.
    DDI = ddi "ddi" "a list of driver calls": fn(&Handover, &Source, &Style, Out<'_>) -> io::Result<()>;
    /// Barriers in Vulkan's words: `export --to vulkan`.
    VULKAN = vulkan "vulkan" "barriers of Vulkan": fn(&Exported, &Source, &Style, Out<'_>) -> io::Result<()>;
    /// Barriers in Vulkan's words and back: `roundtrip`.
    ROUNDTRIP = roundtrip "roundtrip" "a round trip": fn(&Roundtrip, &Source, &Style, Out<'_>) -> io::Result<()>;
    /// The dependency graph: `graph`.
    GRAPH = graph "graph" "a graph": fn(&Dependencies, &Style, Out<'_>) -> io::Result<()>;
    /// What fences are, where their values are and which values they take: `fence`.
    FENCES = fences "fences" "a page of fences": fn(&Timeline<'_>, &Account, &Style, Out<'_>) -> io::Result<()>;
    /// One scenario with each kind of fence: `fence --kinds`.
    FENCE_KINDS = fence_kinds "fence-kinds" "a comparison of fences":
        fn(&[fence_kinds::Outcome], &Style, Out<'_>) -> io::Result<()>;
    /// Every design of a native fence's wake-up: `fence --lost-wake-up`.
    WAKE_UPS = wake_ups "wake-ups" "a table of wake-ups": fn(&[(Design, wakeup::Outcome)], &Style, Out<'_>) -> io::Result<()>;
    /// What became of a capture: `import --report`.
    #[cfg(feature = "import")]
    IMPORTED = imported "import" "an account of an import": fn(&crate::interop::import::ImportReport, &Style, Out<'_>) -> io::Result<()>;
    /// Every outcome of litmus tests: `litmus`.
    LITMUS = litmus "litmus" "a litmus report": WriteLitmus;
    /// What repairs a scenario: `fix`.
    REPAIR = repair "repair" "a repair": WriteRepair;
    /// The page of a rule, or the rules of a family: `explain`.
    PAGE = page "page" "a page of a rule": fn(&Topic, &Style, Out<'_>) -> io::Result<()>;
    /// What there is to choose from: `list`.
    LIST = list "list" "a list": fn(&[Item], &Style, Out<'_>) -> io::Result<()>;
    /// Which scenarios meet their expectations: `test`.
    TEST = test "test" "a test report": fn(&[TestedFile], &Style, Out<'_>) -> io::Result<()>;
    /// A scenario, as it can be read again: `fmt --to`.
    SCENARIO = scenario "scenario" "a scenario": fn(&Scenario, &Style, Out<'_>) -> io::Result<()>;
    /// Rules of a lowering, as they can be read again: `fmt --to`, `lower --emit-rules`.
    RULES = rules "rules" "a rule file": fn(&RuleFile, &Style, Out<'_>) -> io::Result<()>;
    /// Packets of barriers: `lower`.
    PACKETS = packets "packets" "a list of packets": fn(&Packets, &Style, Out<'_>) -> io::Result<()>;
    /// A litmus test, as it can be read again: `fmt --to`.
    KERNEL = kernel "kernel" "a litmus test": fn(&Kernel, &Style, Out<'_>) -> io::Result<()>;
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({}: {})", self.name, self.outputs().join(", "))
    }
}
