//! What an import did with the capture: how much it read, and each fact of the capture that came out wider, narrower or
//! not at all, with how often.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// What became of a fact of the capture.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fate {
    /// Read as something that covers more. A hazard may be missed.
    Widened,
    /// Read as something that covers less. A hazard may be reported that is none.
    Narrowed,
    /// Not in the scenario.
    Dropped,
    /// Read as something else that means the same here, which a reader of the scenario should know.
    Read,
}

impl Fate {
    /// In the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::Widened, Self::Narrowed, Self::Dropped, Self::Read];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Widened => "widened",
            Self::Narrowed => "narrowed",
            Self::Dropped => "dropped",
            Self::Read => "read as",
        }
    }
}

/// One kind of fact.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Entry {
    /// What became of it.
    pub fate: Fate,
    /// What it is, and what a finding may then miss.
    pub what: String,
    /// How often the fact was met.
    pub count: u64,
    /// The number of the first call.
    pub first_call: u64,
}

/// Calls of one name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Calls {
    /// The name.
    pub name: String,
    /// Number of calls.
    pub count: u64,
}

/// A line that could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BadLine {
    /// Counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

/// What an import did.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ImportReport {
    /// Number of this form; it rises when a field is removed or changes its meaning.
    pub schema: u32,
    /// Lines read.
    pub lines: u64,
    /// Calls read.
    pub calls: u64,
    /// Frames presented.
    pub frames: u64,
    /// Frames that are in the scenario, of those presented.
    pub frames_kept: u64,
    /// Submissions of command buffers or lists in the scenario.
    pub submissions: u64,
    /// Commands and barriers in the scenario, before equal frames are folded.
    pub commands: u64,
    /// What became of facts that the scenario language has no exact word for.
    pub entries: Vec<Entry>,
    /// Calls with a meaning that is not known here, most often first.
    pub unknown: Vec<Calls>,
    /// Calls that say nothing about synchronisation.
    pub without_effect: u64,
    /// Lines that could not be read, at most eight.
    pub bad_lines: Vec<BadLine>,
    /// How many there were.
    pub bad_line_count: u64,
}

/// Version of [`ImportReport`]'s form.
pub(super) const SCHEMA: u32 = 1;

/// Collects a report.
#[derive(Debug, Default)]
pub(super) struct Notes {
    entries: IndexMap<(Fate, String), (u64, u64)>,
    unknown: IndexMap<String, u64>,
    pub(super) call: u64,
    pub(super) report: ImportReport,
}

/// Characters of a call's name that the report says.
const NAME_MAX: usize = 100;

impl Notes {
    pub(super) fn note(&mut self, fate: Fate, what: &str) {
        let call = self.call;
        self.note_at(fate, what, call);
    }

    pub(super) fn note_at(&mut self, fate: Fate, what: &str, call: u64) {
        if let Some(entry) = self.entries.get_mut(&(fate, what.to_owned())) {
            entry.0 += 1;
        } else {
            self.entries.insert((fate, what.to_owned()), (1, call));
        }
    }

    pub(super) fn widened(&mut self, what: &str) {
        self.note(Fate::Widened, what);
    }

    pub(super) fn dropped(&mut self, what: &str) {
        self.note(Fate::Dropped, what);
    }

    pub(super) fn read(&mut self, what: &str) {
        self.note(Fate::Read, what);
    }

    pub(super) fn unknown(&mut self, name: &str) {
        // It is printed: what a terminal would obey is not.
        let plain: String = name.chars().take(NAME_MAX).collect();
        let plain = plain.escape_debug().to_string();
        *self.unknown.entry(plain).or_insert(0) += 1;
    }

    pub(super) fn bad_line(&mut self, line: u64, message: String) {
        self.report.bad_line_count += 1;
        if self.report.bad_lines.len() < 8 {
            self.report.bad_lines.push(BadLine { line, message });
        }
    }

    pub(super) fn finish(mut self) -> ImportReport {
        let mut entries: Vec<Entry> = self
            .entries
            .into_iter()
            .map(|((fate, what), (count, first_call))| Entry {
                fate,
                what,
                count,
                first_call,
            })
            .collect();
        entries.sort_by_key(|entry| (entry.fate, std::cmp::Reverse(entry.count)));
        let mut unknown: Vec<Calls> = self
            .unknown
            .into_iter()
            .map(|(name, count)| Calls { name, count })
            .collect();
        unknown.sort_by_key(|calls| std::cmp::Reverse(calls.count));
        self.report.schema = SCHEMA;
        self.report.entries = entries;
        self.report.unknown = unknown;
        self.report
    }
}
