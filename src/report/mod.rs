//! Report formats: from a finished value, above all a [`Report`](crate::run::Report), to bytes. Nothing here decides
//! anything; a format lays out what it is given.
//!
//! A format is one file here with a [`Format`], an output one file with an [`Output`](format::Output); each has one line in
//! `catalog.rs`.

pub(crate) mod bisection;
mod columns;
pub(crate) mod corpus_difference;
#[cfg(feature = "cli")]
pub mod csv;
pub(crate) mod ddi;
pub(crate) mod dependencies;
pub(crate) mod diff;
pub(crate) mod difference;
pub mod dot;
pub mod fences;
pub mod format;
pub mod github;
pub mod html;
#[cfg(feature = "import")]
pub(crate) mod imported;
pub mod json;
pub(crate) mod judgement;
#[cfg(feature = "cli")]
pub mod junit;
mod legend;
pub mod lesson;
pub(crate) mod list;
pub(crate) mod litmus;
pub(crate) mod litmus_text;
pub(crate) mod lower_text;
pub(crate) mod markdown;
pub(crate) mod mutation;
pub(crate) mod packets;
mod packing;
pub mod page;
pub mod perfetto;
pub(crate) mod placement;
pub mod profiles;
pub(crate) mod repair;
pub mod sarif;
pub(crate) mod scn;
pub(crate) mod search;
pub mod steps;
pub mod svg;
pub mod terminal;
pub(crate) mod test;
pub mod text;
pub mod verification;
pub mod vulkan;
pub(crate) mod wakeups;
pub mod what_if;
pub mod without;

pub use crate::pipeline::expect;
pub use format::Format;
pub use list::{Item, ItemValue};
pub use litmus::{Sheet, WriteLitmus};
pub use repair::{Repaired, WriteRepair};
pub use test::TestedFile;

use crate::run::Stopwatch;
use columns::{Set, Table};
use std::io::{self, Write};

/// How the user wants it printed. Fields are added: a literal ends with `..Style::default()`.
#[derive(Copy, Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Style {
    /// Columns that a line takes at most, unless one word needs more.
    pub columns: usize,
    /// Print colours.
    pub color: bool,
    /// Only ASCII characters.
    pub ascii: bool,
    /// Every row of every table and every finding in full.
    pub all: bool,
    /// The whole critical path, and the use of each stage.
    pub path: bool,
    /// Which lists to print.
    pub parts: Parts,
    /// Nodes of a graph that are drawn at most; `None`: as many as the format draws by itself.
    pub nodes: Option<usize>,
    /// The executed commands in a table, not only drawn.
    pub command_table: bool,
    /// The report is written again and again: a page that shows it loads itself anew.
    pub live: bool,
    /// Print the time of each phase, that of the printing itself counted from here.
    pub timings: Option<Stopwatch>,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            columns: text::COLUMNS,
            color: false,
            ascii: false,
            all: false,
            path: false,
            parts: Parts::default(),
            nodes: None,
            command_table: false,
            live: false,
            timings: None,
        }
    }
}

impl Style {
    /// Writes a text in as many lines as it takes.
    ///
    /// # Errors
    /// Only what the writer returns.
    fn lines(&self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        for line in text::wrap(text, self.columns) {
            writeln!(out, "{}", self.plain(&line))?;
        }
        Ok(())
    }

    /// Writes a sentence in as many lines as it takes, two columns from the edge.
    ///
    /// # Errors
    /// Only what the writer returns.
    fn indented(&self, sentence: &str, out: &mut dyn Write) -> io::Result<()> {
        for line in text::wrap(&text::clean(sentence), self.columns - 2) {
            writeln!(out, "  {}", self.plain(&line))?;
        }
        Ok(())
    }

    /// Writes a line, with what does not fit on it below where it begins.
    ///
    /// # Errors
    /// Only what the writer returns.
    fn hanging(&self, line: &str, out: &mut dyn Write) -> io::Result<()> {
        for line in text::hung(line, self.columns) {
            writeln!(out, "{}", self.plain(&line))?;
        }
        Ok(())
    }

    /// Writes a table: heads with how their column is set, and rows of as many cells.
    ///
    /// # Errors
    /// Only what the writer returns.
    fn table(
        &self,
        heads: &[(&str, Set)],
        rows: impl Iterator<Item = Vec<String>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let table = Table {
            heads: heads.to_vec(),
            rows: rows.collect(),
        };
        let (heads, rows) = table.lines(self.columns);
        for line in heads.iter().chain(rows.iter().flatten()) {
            writeln!(out, "{}", self.plain(line))?;
        }
        Ok(())
    }

    /// How many of some rows are shown: so many at most, unless all are asked for.
    fn shown(&self, rows: usize, most: usize) -> usize {
        if self.all { rows } else { rows.min(most) }
    }

    /// A line with no character that the user does not want.
    pub fn plain(&self, line: &str) -> String {
        let line = text::straight(line);
        if self.ascii {
            text::ascii(&line)
        } else {
            line.into_owned()
        }
    }
}

/// Which lists of a report to print.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a list of its own")]
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
