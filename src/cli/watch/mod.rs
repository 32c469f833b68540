//! `syncscope watch`: runs a scenario again whenever its file is saved, and says what that changed.

mod changes;

use super::console::Console;
use super::judging::{Judging, Proposing};
use super::machine::{self, Machine};
use super::printing::Printing;
use super::progress;
use super::{Ended, Status, Stop, input};
use crate::finding::{Finding, Severity, Source};
use crate::report::Style;
use crate::report::format::{AnyOutput, REPORT};
use crate::run::{self, Options, Registry, Report, Unusable};
use changes::Seen;
use clap::Args;
use notify::{Config, PollWatcher, RecursiveMode, Watcher};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// Run a scenario again whenever its file is saved, and say what changed
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    proposing: Proposing,
    #[command(flatten)]
    printing: Printing,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&REPORT];

/// How the command ends, for its help.
pub(super) const STATUS: &str =
    "Exit status: 0 ended with Ctrl-C, 2 the file or the command line was unusable";

/// How often Ctrl-C is looked for.
pub(super) const LOOK: Duration = Duration::from_millis(100);
/// How long a file must be left alone: an editor writes it in several steps.
pub(super) const QUIET: Duration = Duration::from_millis(120);
/// How often a file is looked at where the system does not tell of changes.
const POLL: Duration = Duration::from_millis(500);

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let file = &arguments.file;
    if file == Path::new("-") {
        return Err(
            Unusable::new("standard input cannot be watched", "name a scenario file").into(),
        );
    }
    // The directory is watched: editors put a new file in the place of the old one.
    let directory = file.parent().filter(|p| !p.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if !directory.is_dir() {
        let message = format!("there is no directory `{}`", directory.display());
        return Err(Unusable::new(message, "name a scenario file").into());
    }
    let judging = arguments
        .proposing
        .with(arguments.judging.options(registry)?);
    let options = arguments.machine.choose(registry, judging)?;
    let style = arguments.printing.style(console.style())?;
    arguments.printing.check(style)?;
    let (_watcher, events) = watcher(directory)?;
    progress::listen();
    machine::remark_rules(&options, registry, console);
    let mut last = Last::default();
    let mut before: Option<Vec<u8>> = None;
    let mut was_there = true;
    while !progress::is_stopped() {
        match fs::read(file) {
            // A file that is being written is often empty for a moment.
            Ok(bytes) if !bytes.trim_ascii().is_empty() => {
                was_there = true;
                if before.as_ref() != Some(&bytes) {
                    before = Some(bytes);
                    once(arguments, registry, &options, console, &mut last)?;
                }
            }
            _ if was_there => {
                console.say(&format!(
                    "{}: not there, or empty; waiting for it",
                    file.display()
                ));
                was_there = false;
            }
            _ => {}
        }
        wait(&events);
    }
    Ok(Status::Good)
}

/// Whoever tells of changes in a directory, and its messages.
pub(super) fn watcher(directory: &Path) -> Result<(Box<dyn Watcher>, Receiver<()>), Unusable> {
    let (send, events) = mpsc::channel();
    let polled = send.clone();
    // A message says only that something is different: what, is seen in the file.
    let told = move |_: notify::Result<notify::Event>| {
        let _ = send.send(());
    };
    if let Ok(mut watcher) = notify::recommended_watcher(told)
        && watcher
            .watch(directory, RecursiveMode::NonRecursive)
            .is_ok()
    {
        return Ok((Box::new(watcher), events));
    }
    let told = move |_: notify::Result<notify::Event>| {
        let _ = polled.send(());
    };
    let config = Config::default().with_poll_interval(POLL);
    let polling = PollWatcher::new(told, config).and_then(|mut watcher| {
        watcher.watch(directory, RecursiveMode::NonRecursive)?;
        Ok(watcher)
    });
    match polling {
        Ok(watcher) => Ok((Box::new(watcher), events)),
        Err(error) => Err(Unusable {
            message: format!("`{}` cannot be watched: {error}", directory.display()),
            help: "use `syncscope run` after each change".to_owned(),
        }),
    }
}

/// Waits until something is different and then nothing is for a while, or until Ctrl-C.
fn wait(events: &Receiver<()>) {
    while !progress::is_stopped() {
        if events.recv_timeout(LOOK).is_ok() {
            while !progress::is_stopped() && events.recv_timeout(QUIET).is_ok() {}
            return;
        }
    }
}

/// What the runs so far have shown.
#[derive(Default)]
struct Last {
    /// How many there were.
    runs: u32,
    /// The latest one whose text was understood: later ones are compared with it.
    understood: Option<Seen>,
}

/// One run: its report, its files, and what is different.
fn once(
    arguments: &Arguments,
    registry: &Registry,
    options: &Options,
    console: &mut Console,
    last: &mut Last,
) -> Result<(), Stop> {
    last.runs += 1;
    if last.runs > 1 {
        console.say(&separator(last.runs, console.style().columns));
    }
    let files = [arguments.file.clone()];
    let live = Style {
        live: true,
        ..console.style()
    };
    let mut printer = arguments.printing.printer(&files, live)?;
    let options = printer.limit(options.clone());
    let ran = input::read(&arguments.file).and_then(|source| {
        let what = arguments.file.display().to_string();
        let report = progress::during(&what, || run::run(&source, registry, &options))?;
        Ok((source, report))
    });
    let (source, report): (Source, Report) = match ran {
        Ok(ran) => ran,
        Err(what) => {
            console.unusable(&what);
            last.say_kept(console);
            return Ok(());
        }
    };
    // What an edited text says between two keystrokes is no result: nothing in it is fixed or new.
    let understood = !report.findings.iter().any(is_not_understood);
    let seen = Seen::new(&report, &source);
    let told = printer.print(report, &source, console);
    let told = told.and_then(|()| printer.finish(console).map(drop));
    if understood {
        if let Some(before) = &last.understood {
            for line in seen.since(before) {
                console.say(&line);
            }
        }
        last.understood = Some(seen);
    } else {
        last.say_kept(console);
    }
    told?;
    Ok(console.flush()?)
}

impl Last {
    /// Says what the next run is compared with, after one that shows nothing.
    fn say_kept(&self, console: &mut Console) {
        console.say(match self.understood {
            Some(_) => "not understood; last result kept",
            None => "not understood; there is no result yet",
        });
    }
}

/// A line between two runs.
fn separator(run: u32, columns: usize) -> String {
    let words = format!("--- run {run} ");
    let rest = columns.saturating_sub(words.len());
    format!("{words}{}", "-".repeat(rest))
}

/// Whether a finding says that part of the text has no meaning.
fn is_not_understood(finding: &Finding) -> bool {
    finding.rule.family() == "SC" && finding.severity == Severity::Error
}
