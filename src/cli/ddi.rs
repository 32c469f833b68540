//! `syncscope run --show ddi`: what a driver is handed for a text, instead of a report.

use super::console::Console;
use super::printing::Printer;
use super::{Status, input, kernels};
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
    let report = run::check(source, &kernels::with(source, options));
    let handed = handover::hand_over(source, options.rules);
    let (Ok(handover), false) = (handed, input::status(&report.findings) == Status::Unusable)
    else {
        printer.print(&report, source, console)?;
        return Ok(Status::Unusable);
    };
    writer(&handover, source, printer.style(), &mut console.out)?;
    Ok(input::judged(
        source,
        &report.findings,
        |_| false,
        "check",
        console,
    ))
}
