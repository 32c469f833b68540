//! Arguments about how a report is printed, shared by the commands that print one.

use super::console::Console;
use super::outputs::{Outputs, Outs, PLACE};
use super::{Status, formats};
use crate::finding::Source;
use crate::report::format::{Output, REPORT, WriteReport};
use crate::report::{Parts, Style, text};
use crate::run::{Drawn, Options, Report, Stopwatch, Unusable};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Options that every printed report takes.
#[derive(Args, Debug)]
pub(super) struct Printing {
    #[arg(long, value_name = "FORMAT", help = formats::help(&REPORT))]
    format: Option<String>,
    #[command(flatten)]
    outs: Outs,
    /// Print the wall time of each phase on standard error, and in a JSON report
    #[arg(long)]
    timings: bool,
    #[arg(long, value_name = "PART,…", value_delimiter = ',', help = parts_help())]
    parts: Vec<String>,
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

/// How to print reports, checked, and where.
pub(super) struct Printer {
    outputs: Outputs<WriteReport>,
    style: Style,
    drawn: Drawn,
    /// Reports for documents that hold all.
    kept: Vec<(Report, Source)>,
    /// Reports printed.
    printed: usize,
}

impl Printing {
    /// Checks the words for reports of scenarios in `inputs`.
    pub(super) fn printer(&self, inputs: &[PathBuf], base: Style) -> Result<Printer, Unusable> {
        let outputs = self.outputs(&REPORT, inputs)?;
        if inputs.len() > 1 {
            let single = |writer: &WriteReport| matches!(writer, WriteReport::Single(_));
            let files = outputs.files.iter();
            let mut single_files = files.filter(|f| single(&f.writer) && !f.is_of_each());
            if let Some(file) = single_files.next() {
                let name = file.name();
                return Err(Unusable {
                    message: format!("`{name}` has room for one scenario"),
                    help: format!("write `{PLACE}` into its name, for the name of each scenario"),
                });
            }
            if single(&outputs.page) {
                return Err(Unusable {
                    message: "a document of this format has room for one scenario".to_owned(),
                    help: format!("name one scenario, or files: `--out '{PLACE}.EXTENSION'`"),
                });
            }
        }
        Ok(Printer {
            outputs,
            style: self.style(base)?,
            drawn: self.drawn(),
            kept: Vec::new(),
            printed: 0,
        })
    }

    /// Whether the words mean something, before a file is begun.
    pub(super) fn check(&self, base: Style) -> Result<(), Unusable> {
        self.style(base)?;
        self.outs.check(self.format.as_deref(), &REPORT)
    }

    /// The same for standard output only.
    pub(super) fn page(&self, base: Style) -> Result<Printer, Unusable> {
        let format = self.format.as_deref().filter(|_| self.outs.is_empty());
        Ok(Printer {
            outputs: Outputs::only(formats::writer(format, &REPORT)?),
            style: self.style(base)?,
            drawn: Drawn::Rows,
            kept: Vec::new(),
            printed: 0,
        })
    }

    /// What the formats draw that are asked for.
    pub(super) fn drawn(&self) -> Drawn {
        formats::drawn(self.format.as_deref(), self.outs.names())
    }

    /// The writers of another output.
    pub(super) fn outputs<W: Copy>(
        &self,
        output: &Output<W>,
        inputs: &[PathBuf],
    ) -> Result<Outputs<W>, Unusable> {
        self.outs.choose(self.format.as_deref(), output, inputs)
    }

    /// Checks the words about how it looks.
    pub(super) fn style(&self, base: Style) -> Result<Style, Unusable> {
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
            ascii: self.ascii,
            all: self.all,
            parts,
            command_table: self.parts.iter().any(|word| word == "commands"),
            timings: self.timings.then(|| Stopwatch::start(passed)),
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

    /// The style of what is printed.
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
            drawn: self.drawn,
            ..options
        }
    }

    /// Prints a report, and the time of each phase if asked for.
    pub(super) fn print(
        &mut self,
        report: Report,
        source: &Source,
        console: &mut Console,
    ) -> io::Result<()> {
        let started = Stopwatch::start(passed);
        let style = Style {
            timings: self.style.timings.map(|_| started),
            ..self.style
        };
        let name = &source.name;
        let own = &mut |writer: &WriteReport, style: &Style, out: &mut dyn Write| match writer {
            WriteReport::Each(write) | WriteReport::Single(write) => {
                write(&report, source, style, out)
            }
            WriteReport::All(write) => write(&[(&report, source)], style, out),
        };
        self.outputs.write_own(name, &style, console, own);
        let shared = &mut |writer: &WriteReport, style: &Style, out: &mut dyn Write| match writer {
            WriteReport::Each(write) | WriteReport::Single(write) => {
                write(&report, source, style, out)
            }
            WriteReport::All(_) => Ok(()),
        };
        self.outputs.write_shared(&style, console, shared);
        self.outputs.write_page(&style, console, shared)?;
        self.printed += 1;
        if style.timings.is_some() {
            for t in &report.timings {
                console.remark(&timing(t.phase, t.seconds.unwrap_or_default(), t.items));
            }
            let items = report.findings.len() as u64;
            console.remark(&timing("report", started.elapsed().as_secs_f64(), items));
        }
        let is_all = |writer: &WriteReport| matches!(writer, WriteReport::All(_));
        let mut files = self.outputs.files.iter();
        if is_all(&self.outputs.page) || files.any(|file| is_all(&file.writer)) {
            self.kept.push((report, source.clone()));
        }
        Ok(())
    }

    /// Ends what holds all reports: whether everything could be written.
    pub(super) fn finish(mut self, console: &mut Console) -> io::Result<Status> {
        let kept: Vec<(&Report, &Source)> = self.kept.iter().map(|(r, s)| (r, s)).collect();
        let write = &mut |writer: &WriteReport, style: &Style, out: &mut dyn Write| match writer {
            WriteReport::All(write) => write(&kept, style, out),
            WriteReport::Each(_) | WriteReport::Single(_) => Ok(()),
        };
        if self.printed > 0 {
            self.outputs.write_shared(&self.style, console, write);
            self.outputs.write_page(&self.style, console, write)?;
        }
        Ok(self.outputs.finish(console))
    }
}

/// What has passed since the first time that this was asked.
pub(super) fn passed() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
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
