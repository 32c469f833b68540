//! `syncscope check`: findings alone, no machine; a scenario without a timeline is fine.

use super::console::Console;
use super::printing::Printing;
use super::{Status, input};
use crate::run;
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
    printing: Printing,
}

pub(super) fn execute(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let printer = match arguments.printing.printer() {
        Ok(printer) => printer,
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
        let report = run::check(&source);
        printer.print(&report, &source, console)?;
        if report.findings.iter().any(|f| f.severity.fails()) {
            status = status.max(Status::Found);
        }
    }
    Ok(status)
}
