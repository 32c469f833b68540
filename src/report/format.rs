//! Formats and outputs: who writes what as what.
//!
//! An output is a kind of value that a command prints. Its file has an [`Output`] with the writers that are its own, by the
//! name of their format, and `OUTPUTS` of `catalog.rs` has a line for it. A format is one file of this layer with a
//! [`Format`], and one line in `FORMATS`; what it writes of others' outputs is in its `writers`. A pair that has no writer
//! does not exist: whoever asks for it is told so, and gets no other format.

use super::{Style, json};
use crate::finding::Source;
use crate::run::{Drawn, Report};
use crate::schema::Schema;
use std::any::Any;
use std::fmt;
use std::io::{self, Write};

/// Where a writer puts its bytes.
type Out<'w> = &'w mut dyn Write;

/// Writes one value.
pub type Printer<T> = fn(&T, &Style, Out<'_>) -> io::Result<()>;

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

/// What was found in a scenario and what it costs: `run`, `check`, `demo`.
pub const REPORT: Output<WriteReport> = Output {
    name: "report",
    noun: "a report",
    writers: &[],
    schema: Some(json::DESCRIBED),
};

/// A kind of output. `W` writes it.
pub struct Output<W: 'static> {
    /// Its name in `syncscope list formats`.
    pub name: &'static str,
    /// What it is called in a message, with its article.
    pub noun: &'static str,
    /// The writers that are its own, each after the name of its format.
    pub writers: &'static [(&'static str, W)],
    /// What describes its JSON; none if it has no JSON.
    pub schema: Option<Schema>,
}

impl<W: Copy> Output<W> {
    /// A writer that a format has for it.
    pub const fn by(&self, writer: &'static W) -> Writer
    where
        W: Send + Sync,
    {
        Writer {
            output: self.name,
            writer,
        }
    }

    /// The writer that a format has for it.
    pub fn writer(&self, format: &Format) -> Option<W> {
        let own = self.writers.iter().find(|(name, _)| *name == format.name);
        let of_format = || format.writers.iter().find(|w| w.output == self.name);
        own.map(|(_, writer)| *writer)
            .or_else(|| of_format()?.writer.downcast_ref().copied())
    }
}

/// An output of any type.
pub trait AnyOutput: Sync {
    /// Its name in `syncscope list formats`.
    fn name(&self) -> &'static str;
    /// What it is called in a message, with its article.
    fn noun(&self) -> &'static str;
    /// What describes its JSON; none if it has no JSON.
    fn schema(&self) -> Option<Schema>;
    /// Whether a format has a writer for it.
    fn has(&self, format: &Format) -> bool;
}

impl<W: Copy + Sync> AnyOutput for Output<W> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn noun(&self) -> &'static str {
        self.noun
    }

    fn schema(&self) -> Option<Schema> {
        self.schema
    }

    fn has(&self, format: &Format) -> bool {
        self.writer(format).is_some()
    }
}

/// A format's writer for one output: [`Output::by`] makes it.
#[derive(Copy, Clone)]
pub struct Writer {
    /// Name of the output.
    output: &'static str,
    /// The output's `W`.
    writer: &'static (dyn Any + Send + Sync),
}

/// A way to write what the program finds.
#[derive(Copy, Clone)]
#[non_exhaustive]
pub struct Format {
    /// Word after `--format`.
    pub name: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// What it is for.
    pub summary: &'static str,
    /// What opens its files and how, in sentences for its page; empty if there is no more to say.
    pub usage: &'static str,
    /// What its reports show beyond rows.
    pub draws: Drawn,
    /// How the names of its files end, without the dot, the usual one first: `--out` finds a format by them. One
    /// extension may end in another, as `perfetto.json` does: the longest counts.
    pub extensions: &'static [&'static str],
    /// Its writers, but for those that are the outputs' own.
    pub writers: &'static [Writer],
}

impl Format {
    /// A format without a writer: `Format { writers: &[REPORT.by(&…)], ..Format::new("name", "summary") }`.
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            summary,
            usage: "",
            draws: Drawn::Rows,
            extensions: &[],
            writers: &[],
        }
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}
