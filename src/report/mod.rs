//! Report formats: from a finished [`Report`] to bytes. Nothing here decides anything; a format lays out what it is given.
//!
//! A format is one file here and one line in `catalog.rs`.

pub mod ddi;
pub mod dependencies;
pub mod expect;
pub mod fences;
pub mod json;
pub mod litmus;
pub mod page;
pub mod profiles;
pub mod terminal;
pub mod text;
pub mod what_if;

use crate::finding::Source;
use crate::run::Report;
use std::io::{self, Write};
use std::time::Instant;

/// A way to print a report.
#[derive(Copy, Clone, Debug)]
pub struct Format {
    /// Word after `--format`.
    pub name: &'static str,
    /// One line: what it is for.
    pub summary: &'static str,
    /// Prints a report about a source.
    ///
    /// # Errors
    /// Only what the writer returns.
    pub write: fn(&Report, &Source, &Style, &mut dyn Write) -> io::Result<()>,
}

/// How the user wants it printed.
#[derive(Copy, Clone, Debug, Default)]
pub struct Style {
    /// With colour.
    pub color: bool,
    /// Only ASCII characters.
    pub ascii: bool,
    /// Every row of every table and every finding in full.
    pub all: bool,
    /// The whole critical path, and the use of each stage.
    pub path: bool,
    /// Which lists to print.
    pub parts: Parts,
    /// Print the time of each phase, that of the printing itself counted from here.
    pub timings: Option<Instant>,
}

/// Which lists of a report to print.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Findings.
    pub findings: bool,
    /// Executed barriers.
    pub barriers: bool,
    /// Executed commands (in the terminal: the lanes).
    pub commands: bool,
    /// Critical paths.
    pub path: bool,
    /// How busy queues, stages and pools were.
    pub utilisation: bool,
}

impl Parts {
    /// Words that `--parts` takes.
    pub const WORDS: [&'static str; 5] =
        ["findings", "barriers", "commands", "path", "utilisation"];
    /// No list at all.
    pub const NONE: Self = Self {
        findings: false,
        barriers: false,
        commands: false,
        path: false,
        utilisation: false,
    };

    /// The same with the list `word`, or `None` if there is no such list.
    #[must_use]
    pub fn with(mut self, word: &str) -> Option<Self> {
        *match word {
            "findings" => &mut self.findings,
            "barriers" => &mut self.barriers,
            "commands" => &mut self.commands,
            "path" => &mut self.path,
            "utilisation" => &mut self.utilisation,
            _ => return None,
        } = true;
        Some(self)
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            findings: true,
            barriers: true,
            commands: true,
            path: true,
            utilisation: true,
        }
    }
}
