//! `syncscope run --show ddi`: what a driver is handed for a text, instead of a report.

use super::console::Console;
use super::printing::Printer;
use super::{Status, input};
use crate::finding::Source;
use crate::report::Style;
use crate::run::handover::{self, Handover};
use crate::run::{self, Options};
use std::io::{self, Write};
use std::path::PathBuf;

/// A format's writer.
type Writer = fn(&Handover, &Source, &Style, &mut dyn Write) -> io::Result<()>;

pub(super) fn files(
    files: &[PathBuf],
    writer: Writer,
    printer: &Printer,
    options: &Options,
    console: &mut Console,
) -> io::Result<Status> {
    let mut status = Status::Good;
    for file in files {
        status = status.max(match input::read(file) {
            Ok(source) => one(&source, writer, printer, options, console)?,
            Err(what) => {
                console.unusable(&what);
                Status::Unusable
            }
        });
    }
    Ok(status)
}

/// A text that cannot be read is reported as by `check`.
fn one(
    source: &Source,
    writer: Writer,
    printer: &Printer,
    options: &Options,
    console: &mut Console,
) -> io::Result<Status> {
    let Ok(handover) = handover::hand_over(source, options.rules) else {
        let report = run::check(source, options);
        printer.print(&report, source, console)?;
        return Ok(input::status(&report.findings));
    };
    writer(&handover, source, printer.style(), &mut console.out)?;
    let fails = handover.findings.iter().any(|f| f.severity.fails());
    Ok(if fails { Status::Found } else { Status::Good })
}
