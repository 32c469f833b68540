//! `syncscope check`: only findings, no machine; a scenario without a timeline is fine.

use super::console::Console;
use super::judging::{Judging, Proposing};
use super::printing::{Printer, Printing};
use super::{Status, input, kernels, machine};
use crate::run::{self, Options, Registry};
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};

/// Find errors and hazards without simulating
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`, or rule files, `.lower`; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare the names in rule files with this hardware profile, by name or file (`*.toml`)
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
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
    let checked = arguments.printing.printer(console.style()).and_then(|p| {
        arguments
            .judging
            .options(registry)
            .map(|o| (p, arguments.proposing.with(o)))
    });
    let (printer, options) = match checked {
        Ok(checked) => checked,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let mut status = Status::Good;
    for file in &arguments.files {
        if run::is_lowering_file(&file.display().to_string()) {
            status = status.max(rule_file(file, &printer, registry, arguments, console)?);
            continue;
        }
        let source = match input::read(file) {
            Ok(source) => source,
            Err(what) => {
                console.unusable(&what);
                status = Status::Unusable;
                continue;
            }
        };
        let report = run::check(&source, &kernels::with(&source, &options));
        printer.print(&report, &source, console)?;
        status = status.max(input::status_of(&report));
    }
    Ok(status)
}

/// Checks a rule file: its text, and its names if there is a profile.
fn rule_file(
    file: &Path,
    printer: &Printer,
    registry: &Registry,
    arguments: &Arguments,
    console: &mut Console,
) -> io::Result<Status> {
    let read = input::lowering(file).and_then(|source| {
        let mut profile_files = Vec::new();
        let profile = match &arguments.profile {
            None => None,
            Some(name) => {
                machine::add_profile(registry, name, &mut profile_files)?;
                let options = Options {
                    profile_files,
                    ..Options::default()
                };
                Some(registry.profile_or_file(name, &options)?)
            }
        };
        Ok(run::read_lowering(&source, profile.as_ref()))
    });
    match read {
        Ok(read) => {
            let report = run::Report {
                scenario: read.source.name.clone(),
                file: read.source.name.clone(),
                findings: read.findings,
                ..run::Report::default()
            };
            printer.print(&report, &read.source, console)?;
            Ok(input::status_of(&report))
        }
        Err(what) => {
            console.unusable(&what);
            Ok(Status::Unusable)
        }
    }
}
