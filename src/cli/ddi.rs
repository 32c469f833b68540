//! `syncscope run --show ddi`: what a driver is handed for a text, instead of a report.

use super::console::Console;
use super::outputs::Outputs;
use super::printing::Printer;
use super::{Ended, Status, input, told};
use crate::report::ddi::WriteDdi;
use crate::run::handover;
use crate::run::{self, Options};
use std::path::{Path, PathBuf};

pub(super) fn files(
    files: &[PathBuf],
    mut outputs: Outputs<WriteDdi>,
    mut printer: Printer,
    options: &Options,
    console: &mut Console,
) -> Ended {
    let mut status = Status::Good;
    for file in files {
        let one = one(file, &mut outputs, &mut printer, options, console);
        status = status.max(told(one, console)?);
    }
    Ok(status
        .max(printer.finish(console)?)
        .max(outputs.finish(console)))
}

/// A text that cannot be read is reported as by `check`.
fn one(
    file: &Path,
    outputs: &mut Outputs<WriteDdi>,
    printer: &mut Printer,
    options: &Options,
    console: &mut Console,
) -> Ended {
    let source = &input::read(file)?;
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
