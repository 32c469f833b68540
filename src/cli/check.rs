//! `syncscope check`: only findings, no machine; a scenario without a timeline is fine.

use super::console::Console;
use super::judging::{Judging, Proposing};
use super::printing::Printing;
use super::{Status, input, kernels};
use crate::run::{self, Registry};
use clap::Args;
use std::io;
use std::path::PathBuf;

/// Find errors and hazards without simulating
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
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
        status = status.max(input::status(&report.findings));
    }
    Ok(status)
}
