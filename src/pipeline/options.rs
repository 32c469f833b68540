//! What a run is asked to do, and why nothing could be run.

use super::{Reader, Switch, WallClock};
use crate::finding::Finding;
use crate::sim;
use crate::validate::RuleSet;
use std::error::Error;
use std::fmt;

/// Changes that are looked for and proved, for errors and hazards of a report.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Proposals {
    /// No change.
    None,
    /// As many as a fixed number of steps allows; findings beyond say that none was tried.
    #[default]
    Quick,
    /// One for each cause, however long it takes.
    All,
}

/// What a run or a check is asked to do. A check has no machine and ignores what is about one. Fields are added: a literal ends with
/// `..Options::default()`.
#[derive(Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each leaves out one part, whatever the others do"
)]
pub struct Options {
    /// Profile by name or file; the scenario's own or the registry's first otherwise.
    pub profile: Option<String>,
    /// Lowering by name or file; the scenario's own or the registry's first otherwise.
    pub lowering: Option<String>,
    /// Files that the names of profile and lowering mean ([`is_profile_file`](super::is_profile_file),
    /// [`is_lowering_file`](super::is_lowering_file)), and those that the scenario names.
    pub files: Reader,
    /// Which lines leave caches by themselves.
    pub eviction: sim::Eviction,
    /// `--set key=value`, in order.
    pub set: Vec<(String, String)>,
    /// Leave out the per-command rows and lanes.
    pub without_commands: bool,
    /// Leave out critical paths and the use of queues, stages and pools.
    pub without_path: bool,
    /// Leave out the per-barrier rows and their verdicts.
    pub without_barriers: bool,
    /// Leave out the proofs of what is redundant or too wide, and with them the findings of the family `RD`.
    pub without_proofs: bool,
    /// Keep the texts with proposed changes made, for whoever runs them again.
    pub keep_changed: bool,
    /// Add what only drawings show.
    pub drawn: Drawn,
    /// Tell the run step by step.
    pub steps: bool,
    /// Changes that are looked for.
    pub proposals: Proposals,
    /// Whose word counts where the sources of the rules of legality disagree.
    pub rules: RuleSet,
    /// Severity switches, in order: of those that name a finding's rule the last one counts.
    pub switches: Vec<Switch>,
    /// Findings that a report lists; [`FINDINGS_LISTED_MAX`] if nobody says.
    pub listed_max: Option<usize>,
    /// What tells the time, for [`Timing::seconds`](super::Timing::seconds). Without it, phases are counted only.
    pub clock: Option<WallClock>,
}

/// Findings that a report lists. Further ones are counted, by rule: a finding takes a thousand bytes, and a text has room
/// for millions of mistakes.
pub const FINDINGS_LISTED_MAX: usize = 1_000_000;

impl Options {
    /// Findings that the report lists.
    pub(crate) fn listed_max(&self) -> usize {
        self.listed_max.unwrap_or(FINDINGS_LISTED_MAX)
    }

    /// Whether the report has a row for a command, a barrier or a part of a path.
    pub(crate) fn wants_rows(&self) -> bool {
        self.drawn > Drawn::Rows
            || self.steps
            || !(self.without_commands && self.without_barriers && self.without_path)
    }
}

/// What a report has beyond its rows, for formats that draw what ran when. Each has what those before it have.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
#[non_exhaustive]
pub enum Drawn {
    /// Nothing beyond the rows.
    #[default]
    Rows,
    /// What ran when, stage by stage: see [`Activity`](crate::run::activity::Activity).
    Picture,
    /// How full the caches were, too: see [`Activity::caches`](crate::run::activity::Activity::caches).
    Counters,
    /// What only a page shows: see [`Detail`](crate::run::detail::Detail).
    Page,
}

/// Why nothing could be run: one message that names the thing and says what would have been right.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Unusable {
    /// Why it could not be run.
    pub message: String,
    /// What would have been right.
    pub help: String,
}

impl Unusable {
    /// What is wrong, and what would have been right.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.message, self.help)
    }
}

impl Error for Unusable {}

/// Why a command that shows no findings has nothing to show.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The text or a kernel that it names is not understood.
    NotUnderstood(Vec<Finding>),
    /// The text is understood, and what is asked for cannot be had of it.
    Unusable(Unusable),
}

impl From<Vec<Finding>> for Failure {
    fn from(findings: Vec<Finding>) -> Self {
        Self::NotUnderstood(findings)
    }
}

impl From<Unusable> for Failure {
    fn from(what: Unusable) -> Self {
        Self::Unusable(what)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUnderstood(findings) => {
                let first = findings.iter().find(|f| f.severity.fails());
                let says = first.map_or("", |finding| &finding.message);
                write!(f, "the text is not understood: {says}")
            }
            Self::Unusable(what) => what.fmt(f),
        }
    }
}

impl Error for Failure {}
