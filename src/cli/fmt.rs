//! `syncscope fmt`: print scenarios the one way, in place, or in the other form.

use super::console::Console;
use super::{Status, input};
use crate::finding::Source;
use crate::report::{Style, terminal};
use crate::run::Report;
use crate::scenario::{self, Scenario};
use clap::{Args, ValueEnum};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Format scenarios in place, or convert them
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Change nothing; print the names of files that would change, and end with 1 if there are any
    #[arg(long, conflicts_with = "to")]
    check: bool,
    /// Print in this form instead of changing the file
    #[arg(long, value_enum)]
    to: Option<Form>,
}

/// A form of a scenario.
#[derive(Copy, Clone, PartialEq, Eq, ValueEnum, Debug)]
enum Form {
    /// Scenario text
    Scn,
    /// JSON
    Json,
}

impl Form {
    fn of(path: &Path) -> Self {
        if path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("json"))
        {
            Self::Json
        } else {
            Self::Scn
        }
    }

    fn print(self, scenario: &Scenario) -> String {
        match self {
            Self::Scn => scenario::print(scenario),
            Self::Json => scenario::json::to_json(scenario),
        }
    }
}

pub(super) fn execute(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let mut status = Status::Good;
    for file in &arguments.files {
        status = status.max(one(arguments, file, console)?);
    }
    Ok(status)
}

fn one(arguments: &Arguments, file: &Path, console: &mut Console) -> io::Result<Status> {
    let read = input::read_raw(file).and_then(|raw| {
        let source = input::understand(file, raw.clone())?;
        Ok((raw, source))
    });
    let (raw, source) = match read {
        Ok(read) => read,
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
        refuse(&report, &source, console);
        return Ok(Status::Found);
    }
    if let Some(form) = arguments.to {
        console.out.write_all(form.print(&scenario).as_bytes())?;
        return Ok(Status::Good);
    }
    let text = Form::of(file).print(&scenario);
    if file == Path::new("-") {
        console.out.write_all(text.as_bytes())?;
    } else if text == raw.text {
    } else if arguments.check {
        writeln!(console.out, "{}", source.name)?;
        return Ok(Status::Found);
    } else if let Err(error) = fs::write(file, text) {
        let message = format!("`{}` cannot be written: {error}", source.name);
        console.complain(
            &message,
            "look at its permissions, or print with `--to scn`",
        );
        return Ok(Status::Unusable);
    }
    Ok(Status::Good)
}

/// A text that is not understood cannot be printed again: its findings go to standard error.
fn refuse(report: &Report, source: &Source, console: &mut Console) {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = (terminal::FORMAT.write)(report, source, &Style::default(), &mut text);
    console.remark(String::from_utf8_lossy(&text).trim_end());
    console.remark(&format!("error: `{}` was not formatted", source.name));
}
