//! `syncscope translate`: legacy barriers rewritten as enhanced ones, each with a comment that says why.

use super::console::Console;
use super::{Status, input};
use crate::report::{Style, terminal};
use crate::run::Report;
use crate::{legacy, scenario};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

/// Print a scenario with its legacy barriers rewritten as enhanced ones, and why each came out so
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn execute(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let source = match input::read(&arguments.file) {
        Ok(source) => source,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let (scenario, findings) = scenario::parse(&source);
    if findings.iter().any(|f| f.severity.fails()) {
        let report = Report {
            file: source.name.clone(),
            findings,
            ..Report::default()
        };
        let mut text = Vec::new();
        // Writing to memory does not fail.
        let _ = (terminal::FORMAT.write)(&report, &source, &Style::default(), &mut text);
        console.remark(String::from_utf8_lossy(&text).trim_end());
        console.remark(&format!("error: `{}` was not translated", source.name));
        return Ok(Status::Found);
    }
    let text = scenario::print(&legacy::explain(&scenario));
    console.out.write_all(text.as_bytes())?;
    Ok(Status::Good)
}
