//! `syncscope check`: only findings, no machine; a scenario without a timeline is fine.

use super::console::Console;
use super::disk;
use super::judging::{Judging, Proposing};
use super::printing::{Printer, Printing};
use super::summary::Summary;
use super::{Ended, Status, input, machine, progress, test, told};
use crate::report::format::{AnyOutput, REPORT};
use crate::run::{self, Options, Registry};
use clap::Args;
use std::path::{Path, PathBuf};

/// Find errors and hazards without simulating
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`, rule files, `.lower`, or directories of `.scn` and `.lower` files; `-` is standard
    /// input
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

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&REPORT];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 nothing worse than a warning, 1 errors or hazards found, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let files = test::opened(&arguments.files, &["scn", "lower"])?;
    let mut printer = arguments.printing.printer(&files, console.style())?;
    let options = arguments.judging.options(registry)?;
    let options = arguments.proposing.with(options);
    let mut status = Status::Good;
    let mut sum = Summary::default();
    for file in &files {
        let one = if run::is_lowering_file(&file.display().to_string()) {
            rule_file(file, &mut printer, registry, arguments, console)
        } else {
            scenario(file, &mut printer, &options, console)
        };
        let one = told(one, console)?;
        sum.add(file, one);
        status = status.max(one);
    }
    let written = printer.finish(console)?;
    sum.say(console);
    Ok(status.max(written))
}

/// Checks a scenario.
fn scenario(file: &Path, printer: &mut Printer, options: &Options, console: &mut Console) -> Ended {
    let source = input::read(file)?;
    let report = progress::during(&source.name, || run::check(&source, options));
    let status = input::status_of(&report);
    printer.print(report, &source, console)?;
    Ok(status)
}

/// Checks a rule file: its text, and its names if there is a profile.
fn rule_file(
    file: &Path,
    printer: &mut Printer,
    registry: &Registry,
    arguments: &Arguments,
    console: &mut Console,
) -> Ended {
    let source = input::lowering(file)?;
    let options = disk::options();
    let profile = match &arguments.profile {
        None => None,
        Some(name) => {
            machine::is_profile(registry, name, &options)?;
            Some(registry.profile_or_file(name, &*options.files)?)
        }
    };
    let mut read = run::read_lowering(&source, profile.as_ref());
    let own = profile.filter(|own| registry.profiles.iter().all(|p| p.name != own.name));
    read.findings.extend(run::name_taken(&read.file, registry));
    if own.is_none() && !read.findings.iter().any(|f| f.severity.fails()) {
        let unknown = run::unknown_profiles(&read.file, registry);
        read.findings.extend(unknown);
        read.findings.sort_by_key(|f| (f.span, f.rule.id));
    }
    let report = run::Report {
        scenario: read.source.name.clone(),
        file: read.source.name.clone(),
        findings: read.findings,
        ..run::Report::default()
    };
    let status = input::status_of(&report);
    printer.print(report, &read.source, console)?;
    Ok(status)
}
