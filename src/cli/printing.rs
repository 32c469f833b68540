//! Arguments about how a report is printed, shared by the commands that print one.

use super::console::Console;
use crate::catalog::FORMATS;
use crate::finding::Source;
use crate::report::{Format, Parts, Style, text};
use crate::run::{Report, Unusable};
use anstream::AutoStream;
use clap::{Args, ValueEnum};
use std::io;
use std::time::Instant;

/// Options that every printed report takes.
#[derive(Args, Debug)]
pub(super) struct Printing {
    /// Report format: terminal or json
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: String,
    /// Print the time of each phase on standard error, and in a JSON report
    #[arg(long)]
    timings: bool,
    /// Lists to print: findings, barriers, commands, path, utilisation; all of them unless given
    #[arg(long, value_name = "PART,…", value_delimiter = ',')]
    parts: Vec<String>,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    color: When,
    /// Every row and finding in full, however many
    #[arg(long)]
    all: bool,
    /// ASCII characters only
    #[arg(long)]
    ascii: bool,
}

/// When to use colour.
#[derive(Copy, Clone, Default, ValueEnum, Debug)]
pub(super) enum When {
    /// On a terminal, unless NO_COLOR is set
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

/// A format and a style, checked.
pub(super) struct Printer {
    format: &'static Format,
    style: Style,
}

impl Printing {
    /// Checks the words.
    pub(super) fn printer(&self) -> Result<Printer, Unusable> {
        let format = FORMATS
            .iter()
            .copied()
            .find(|f| f.name == self.format)
            .ok_or_else(|| {
                let names = FORMATS.iter().map(|f| f.name);
                unknown("report format", &self.format, names.collect())
            })?;
        let mut parts = Parts::default();
        if !self.parts.is_empty() {
            parts = Parts::NONE;
            for word in &self.parts {
                parts = parts
                    .with(word)
                    .ok_or_else(|| unknown("part of a report", word, Parts::WORDS.to_vec()))?;
            }
        }
        let timings = self.timings.then(Instant::now);
        let style = Style {
            color: self.color.is_on(),
            ascii: self.ascii,
            all: self.all,
            path: false,
            parts,
            timings,
        };
        Ok(Printer { format, style })
    }
}

impl Printer {
    /// Word after `--format`.
    pub(super) fn format(&self) -> &'static str {
        self.format.name
    }

    /// Whether only ASCII characters may be printed.
    pub(super) fn ascii(&self) -> bool {
        self.style.ascii
    }

    /// The same with the whole critical path.
    pub(super) fn with_path(mut self) -> Self {
        self.style.path = true;
        self.style.parts.path = true;
        self
    }

    /// Which lists are asked for.
    pub(super) fn parts(&self) -> Parts {
        self.style.parts
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
        (self.format.write)(report, source, &style, &mut console.out)?;
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
pub(super) fn unknown(kind: &str, word: &str, candidates: Vec<&str>) -> Unusable {
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
