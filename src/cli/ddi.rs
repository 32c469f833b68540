//! `syncscope run --show ddi`: what a driver is handed for a text, instead of a report.

use super::console::Console;
use super::outputs::Outputs;
use super::printing::Printer;
use super::{Status, input};
use crate::finding::Source;
use crate::report::ddi::WriteDdi;
use crate::run::handover;
use crate::run::{self, Options};
use std::io;
use std::path::PathBuf;

pub(super) fn files(
    files: &[PathBuf],
    mut outputs: Outputs<WriteDdi>,
    mut printer: Printer,
    options: &Options,
    console: &mut Console,
) -> io::Result<Status> {
    let mut status = Status::Good;
    for file in files {
        status = status.max(match input::read(file) {
            Ok(source) => one(&source, &mut outputs, &mut printer, options, console)?,
            Err(what) => {
                console.unusable(&what);
                Status::Unusable
            }
        });
    }
    Ok(status
        .max(printer.finish(console)?)
        .max(outputs.finish(console)))
}

/// A text that cannot be read is reported as by `check`.
fn one(
    source: &Source,
    outputs: &mut Outputs<WriteDdi>,
    printer: &mut Printer,
    options: &Options,
    console: &mut Console,
) -> io::Result<Status> {
    let report = run::check(source, options);
    let handed = handover::hand_over(source, options.rules);
    let (Ok(handover), false) = (handed, input::status(&report.findings) == Status::Unusable)
    else {
        printer.print(report, source, console)?;
        return Ok(Status::Unusable);
    };
    let name = &source.name;
    outputs.write(name, printer.style(), console, &mut |writer, style, out| {
        writer(&handover, source, style, out)
    })?;
    Ok(input::judged(
        source,
        &report.findings,
        |_| false,
        "check",
        console,
    ))
}
