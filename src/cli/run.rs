//! `syncscope run`: simulate scenarios and report.

use super::console::Console;
use super::judging::{Judging, Proposing};
use super::machine::{self, Machine, is_profile};
use super::printing::{Printer, Printing, unknown};
use super::summary::Summary;
use super::{Ended, Status, Stop, comparing, ddi, input, progress, test, told};
use crate::finding::Source;
use crate::report::ddi::DDI;
use crate::report::format::{AnyOutput, REPORT};
use crate::report::profiles::PROFILES;
use crate::report::what_if::WHAT_IF;
use crate::report::without::WITHOUT;
use crate::run::{self, Options, Registry, Unusable};
use clap::Args;
use std::path::PathBuf;

/// Run scenarios on the modelled GPU and report
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`, or directories of `.scn` files; `-` is standard input
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
    /// Run again without this barrier, and compare: an id as reports have it (`gfx#2.0`), or its line
    #[arg(
        long,
        value_name = "BARRIER",
        conflicts_with_all = ["show", "profiles", "what_if"]
    )]
    without: Option<String>,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    proposing: Proposing,
    #[command(flatten)]
    printing: Printing,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&REPORT, &PROFILES, &WHAT_IF, &WITHOUT, &DDI];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 nothing worse than a warning, 1 errors or hazards found, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let files = &test::opened(&arguments.files, &["scn"])?;
    match arguments.show.as_deref() {
        Some("ddi") => handed(arguments, files, registry, console),
        None if !arguments.profiles.is_empty() => profiles(arguments, files, registry, console),
        None if arguments.what_if => what_if(arguments, files, registry, console),
        None if arguments.without.is_some() => without(arguments, files, registry, console),
        None | Some("path") => {
            let mut printer = arguments.printing.printer(files, console.style())?;
            if arguments.show.is_some() {
                printer = printer.with_path();
            }
            let options = printer.limit(options(arguments, registry)?);
            reports(files, printer, &options, registry, console)
        }
        Some(word) => Err(unknown("view", word, &["path", "ddi"]).into()),
    }
}

/// What a run is asked to do. Words that exist nowhere are found here, before any file is read.
fn options(arguments: &Arguments, registry: &Registry) -> Result<Options, Unusable> {
    let judging = arguments
        .proposing
        .with(arguments.judging.options(registry)?);
    arguments.machine.choose(registry, judging)
}

fn reports(
    files: &[PathBuf],
    mut printer: Printer,
    options: &Options,
    registry: &Registry,
    console: &mut Console,
) -> Ended {
    let mut status = Status::Good;
    let mut sum = Summary::default();
    machine::remark_rules(options, registry, console);
    for file in files {
        let read = input::read(file).map_err(Stop::from);
        let one = read.and_then(|it| report(&it, &mut printer, options, registry, console));
        let one = told(one, console)?;
        sum.add(file, one);
        status = status.max(one);
    }
    let written = printer.finish(console)?;
    sum.say(console);
    Ok(status.max(written))
}

/// Runs one scenario and prints what was found.
pub(super) fn report(
    source: &Source,
    printer: &mut Printer,
    options: &Options,
    registry: &Registry,
    console: &mut Console,
) -> Ended {
    let report = progress::during(&source.name, || run::run(source, registry, options))?;
    let status = input::status_of(&report);
    printer.print(report, source, console)?;
    Ok(status)
}

/// `--show ddi`.
fn handed(
    arguments: &Arguments,
    files: &[PathBuf],
    registry: &Registry,
    console: &mut Console,
) -> Ended {
    let printing = &arguments.printing;
    let outputs = printing.outputs(&DDI, files)?;
    let printer = printing.page(console.style())?;
    let options = options(arguments, registry)?;
    ddi::files(files, outputs, printer, &options, console)
}

/// `--profiles`.
fn profiles(
    arguments: &Arguments,
    files: &[PathBuf],
    registry: &Registry,
    console: &mut Console,
) -> Ended {
    let printing = &arguments.printing;
    let mut outputs = printing.outputs(&PROFILES, files)?;
    let style = printing.style(console.style())?;
    let options = Options {
        drawn: printing.drawn(),
        ..options(arguments, registry)?
    };
    for name in arguments.profiles.iter().filter(|name| *name != "all") {
        is_profile(registry, name, &options)?;
    }
    let status = comparing::profiles(
        files,
        &arguments.profiles,
        registry,
        &options,
        &mut |table, name, console| outputs.print(table, name, &style, console),
        console,
    )?;
    Ok(status.max(outputs.finish(console)))
}

/// `--what-if`.
fn what_if(
    arguments: &Arguments,
    files: &[PathBuf],
    registry: &Registry,
    console: &mut Console,
) -> Ended {
    let printing = &arguments.printing;
    let mut outputs = printing.outputs(&WHAT_IF, files)?;
    let style = printing.style(console.style())?;
    let options = options(arguments, registry)?;
    let status = comparing::what_if(
        files,
        registry,
        &options,
        &mut |what, name, console| outputs.print(what, name, &style, console),
        console,
    )?;
    Ok(status.max(outputs.finish(console)))
}

/// `--without`.
fn without(
    arguments: &Arguments,
    files: &[PathBuf],
    registry: &Registry,
    console: &mut Console,
) -> Ended {
    let word = arguments.without.as_deref().unwrap_or_default();
    if files.len() > 1 {
        let message = format!("`--without {word}` is a barrier of one scenario");
        return Err(Unusable::new(message, "name one file").into());
    }
    let printing = &arguments.printing;
    let mut outputs = printing.outputs(&WITHOUT, files)?;
    let style = printing.style(console.style())?;
    let options = Options {
        drawn: printing.drawn(),
        ..options(arguments, registry)?
    };
    let status = comparing::without(
        files,
        registry,
        &options,
        word,
        &mut |both, name, console| outputs.print(both, name, &style, console),
        console,
    )?;
    Ok(status.max(outputs.finish(console)))
}
