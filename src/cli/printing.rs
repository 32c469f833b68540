//! Arguments about how a report is printed, shared by the commands that print one.

use super::console::Console;
use super::formats;
use crate::finding::Source;
use crate::report::format::{Output, REPORT};
use crate::report::{Parts, Style, text};
use crate::run::{Options, Report, Unusable};
use anstream::AutoStream;
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use std::time::Instant;

/// Options that every printed report takes.
#[derive(Args, Debug)]
pub(super) struct Printing {
    #[arg(long, value_name = "FORMAT", help = formats::help(&REPORT))]
    format: Option<String>,
    /// Print the wall time of each phase on standard error, and in a JSON report
    #[arg(long)]
    timings: bool,
    #[arg(long, value_name = "PART,…", value_delimiter = ',', help = parts_help())]
    parts: Vec<String>,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    color: When,
    /// Print every row and every finding in full
    #[arg(long)]
    all: bool,
    /// Print ASCII characters only
    #[arg(long)]
    ascii: bool,
}

fn parts_help() -> String {
    format!(
        "Lists to print: {}; all of them by default",
        Parts::WORDS.join(", ")
    )
}

/// When to use colour.
#[derive(Copy, Clone, Default, ValueEnum, Debug)]
pub(super) enum When {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl When {
    /// Whether standard output gets colour.
    pub(super) fn is_on(self) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
        }
    }
}

/// How to print reports, checked.
pub(super) struct Printer {
    writer: fn(&Report, &Source, &Style, &mut dyn Write) -> io::Result<()>,
    style: Style,
    with_detail: bool,
}

impl Printing {
    /// Checks the words for a report.
    pub(super) fn printer(&self, base: Style) -> Result<Printer, Unusable> {
        Ok(Printer {
            writer: self.writer(&REPORT)?,
            style: self.style(base)?,
            with_detail: formats::wants_detail(self.format.as_deref()),
        })
    }

    /// The writer of another output.
    pub(super) fn writer<W>(&self, output: &Output<W>) -> Result<W, Unusable> {
        formats::writer(self.format.as_deref(), output)
    }

    /// Checks the words about how it looks.
    fn style(&self, base: Style) -> Result<Style, Unusable> {
        let mut parts = Parts::default();
        if !self.parts.is_empty() {
            parts = Parts::NONE;
            for word in &self.parts {
                parts = parts
                    .with(word)
                    .ok_or_else(|| unknown("part of a report", word, &Parts::WORDS))?;
            }
        }
        Ok(Style {
            color: self.color.is_on(),
            ascii: self.ascii,
            all: self.all,
            parts,
            command_table: self.parts.iter().any(|word| word == "commands"),
            timings: self.timings.then(Instant::now),
            ..base
        })
    }
}

impl Printer {
    /// The same with the whole critical path.
    pub(super) fn with_path(mut self) -> Self {
        self.style.path = true;
        self.style.parts.path = true;
        self
    }

    /// How it looks.
    pub(super) fn style(&self) -> &Style {
        &self.style
    }

    /// `options` without what is not printed.
    pub(super) fn limit(&self, options: Options) -> Options {
        let parts = self.style.parts;
        Options {
            without_commands: !parts.commands,
            without_barriers: !parts.barriers,
            without_path: !(parts.path || parts.utilisation),
            with_detail: self.with_detail,
            ..options
        }
    }

    /// Prints a report, and the time of each phase if asked for.
    pub(super) fn print(
        &self,
        report: &Report,
        source: &Source,
        console: &mut Console,
    ) -> io::Result<()> {
        let started = Instant::now();
        let style = Style {
            timings: self.style.timings.map(|_| started),
            ..self.style
        };
        (self.writer)(report, source, &style, &mut console.out)?;
        if style.timings.is_some() {
            for t in &report.timings {
                console.remark(&timing(t.phase, t.seconds, t.items));
            }
            let items = report.findings.len() as u64;
            console.remark(&timing("report", started.elapsed().as_secs_f64(), items));
        }
        Ok(())
    }
}

fn timing(phase: &str, seconds: f64, items: u64) -> String {
    format!("timing {phase} {seconds:.6} s {items} items")
}

/// A word that names nothing, with near words or all of them.
pub(super) fn unknown(kind: &str, word: &str, candidates: &[&str]) -> Unusable {
    let near = text::near(word, candidates.iter().copied());
    let all = candidates.join(", ");
    Unusable {
        message: format!("there is no {kind} `{word}`"),
        help: match near.first() {
            Some(like) => format!("did you mean `{like}`? (known: {all})"),
            None => format!("known: {all}"),
        },
    }
}
