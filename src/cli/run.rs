//! `syncscope run`: simulate scenarios and report.

use super::console::Console;
use super::judging::{Judging, Proposing};
use super::machine::{self, Machine, add_profile};
use super::printing::{Printer, Printing, unknown};
use super::{Status, comparing, ddi, input, kernels};
use crate::finding::Source;
use crate::report::format::{DDI, PROFILES, WHAT_IF};
use crate::run::{self, Options, Registry, Unusable};
use clap::Args;
use std::io;
use std::path::PathBuf;

/// Run scenarios on the modelled GPU and report
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    machine: Machine,
    /// `path`: add the whole critical path to the report; `ddi`: print what a driver is handed, instead of a report
    #[arg(long, value_name = "WHAT")]
    show: Option<String>,
    /// Compare these profiles, by name or file (`*.toml`), one row each; `all` is every built-in profile
    #[arg(
        long,
        value_name = "PROFILE,…",
        value_delimiter = ',',
        conflicts_with = "show"
    )]
    profiles: Vec<String>,
    /// Run again without each barrier, and show what each costs
    #[arg(long, conflicts_with_all = ["show", "profiles"])]
    what_if: bool,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    proposing: Proposing,
    #[command(flatten)]
    printing: Printing,
}

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 nothing worse than a warning, 1 errors or hazards found, 2 the input or the command line was unusable";

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let shown = match arguments.show.as_deref() {
        Some("ddi") => handed(arguments, registry, console),
        None if !arguments.profiles.is_empty() => profiles(arguments, registry, console),
        None if arguments.what_if => what_if(arguments, registry, console),
        None | Some("path") => arguments
            .printing
            .printer(console.style())
            .map(|printer| match arguments.show {
                Some(_) => printer.with_path(),
                None => printer,
            })
            .and_then(|printer| {
                let options = options(arguments, registry, &printer)?;
                Ok(reports(arguments, &printer, &options, registry, console))
            }),
        Some(word) => Err(unknown("view", word, &["path", "ddi"])),
    };
    shown.unwrap_or_else(|what| {
        console.unusable(&what);
        Ok(Status::Unusable)
    })
}

/// What a run is asked to do. Words that exist nowhere are found here, before any file is read.
fn options(
    arguments: &Arguments,
    registry: &Registry,
    printer: &Printer,
) -> Result<Options, Unusable> {
    let judging = arguments
        .proposing
        .with(arguments.judging.options(registry)?);
    Ok(printer.limit(arguments.machine.choose(registry, judging)?))
}

fn reports(
    arguments: &Arguments,
    printer: &Printer,
    options: &Options,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let mut status = Status::Good;
    machine::remark_rules(options, console);
    for file in &arguments.files {
        status = status.max(match input::read(file) {
            Ok(source) => report(&source, printer, options, registry, console)?,
            Err(what) => {
                console.unusable(&what);
                Status::Unusable
            }
        });
    }
    Ok(status)
}

/// Runs one scenario and prints what was found.
pub(super) fn report(
    source: &Source,
    printer: &Printer,
    options: &Options,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    match run::run(source, registry, &kernels::with(source, options)) {
        Ok(report) => {
            printer.print(&report, source, console)?;
            Ok(input::status_of(&report))
        }
        Err(what) => {
            console.unusable(&what);
            Ok(Status::Unusable)
        }
    }
}

/// `--show ddi`.
fn handed(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> Result<io::Result<Status>, Unusable> {
    let writer = arguments.printing.writer(&DDI)?;
    let printer = arguments.printing.printer(console.style())?;
    let options = options(arguments, registry, &printer)?;
    Ok(ddi::files(
        &arguments.files,
        writer,
        &printer,
        &options,
        console,
    ))
}

/// `--profiles`.
fn profiles(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> Result<io::Result<Status>, Unusable> {
    let writer = arguments.printing.writer(&PROFILES)?;
    let printer = arguments.printing.printer(console.style())?;
    let mut options = options(arguments, registry, &printer)?;
    for name in arguments.profiles.iter().filter(|name| *name != "all") {
        add_profile(registry, name, &mut options.profile_files)?;
    }
    let style = printer.style();
    Ok(comparing::profiles(
        &arguments.files,
        &arguments.profiles,
        registry,
        &options,
        &|table, out| writer(table, style, out),
        console,
    ))
}

/// `--what-if`.
fn what_if(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> Result<io::Result<Status>, Unusable> {
    let writer = arguments.printing.writer(&WHAT_IF)?;
    let printer = arguments.printing.printer(console.style())?;
    let options = options(arguments, registry, &printer)?;
    let style = printer.style();
    Ok(comparing::what_if(
        &arguments.files,
        registry,
        &options,
        &|what, out| writer(what, style, out),
        console,
    ))
}
