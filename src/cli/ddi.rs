//! `syncscope run --show ddi`: what a driver is handed for a text, instead of a report.

use super::console::Console;
use super::printing::Printer;
use super::{Status, input};
use crate::finding::Source;
use crate::report::ddi;
use crate::run::{self, Options, Unusable, handover};
use std::io;
use std::path::PathBuf;

/// How it is shown, checked.
pub(super) struct Show {
    printer: Printer,
    options: Options,
}

impl Show {
    pub(super) fn new(printer: Printer, options: Options) -> Result<Self, Unusable> {
        let format = printer.format();
        if ["terminal", "json"].contains(&format) {
            return Ok(Self { printer, options });
        }
        Err(Unusable {
            message: format!("`--show ddi` has no form in the format `{format}`"),
            help: "use `--format terminal` or `--format json`".to_owned(),
        })
    }

    pub(super) fn files(&self, files: &[PathBuf], console: &mut Console) -> io::Result<Status> {
        let mut status = Status::Good;
        for file in files {
            status = status.max(match input::read(file) {
                Ok(source) => self.source(&source, console)?,
                Err(what) => {
                    console.unusable(&what);
                    Status::Unusable
                }
            });
        }
        Ok(status)
    }

    /// A text that cannot be read is reported as by `check`.
    fn source(&self, source: &Source, console: &mut Console) -> io::Result<Status> {
        let Ok(handover) = handover::hand_over(source, self.options.rules) else {
            self.printer
                .print(&run::check(source, &self.options), source, console)?;
            return Ok(Status::Found);
        };
        if self.printer.format() == "json" {
            ddi::json(&handover, source, &mut console.out)?;
        } else {
            ddi::page(&handover, source, self.printer.ascii(), &mut console.out)?;
        }
        let fails = handover.findings.iter().any(|f| f.severity.fails());
        Ok(if fails { Status::Found } else { Status::Good })
    }
}
