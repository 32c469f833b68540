//! `syncscope translate`: legacy barriers rewritten as enhanced ones, each with a comment that says why.

use super::console::Console;
use super::{Ended, Status, input};
use crate::report::format::AnyOutput;
use crate::run::{self, Registry};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Rewrite a scenario's legacy barriers as enhanced ones, and explain each in a comment
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[];

/// How the command ends, for its help.
pub(super) const STATUS: &str =
    "Exit status: 0 printed, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, _: &Registry, console: &mut Console) -> Ended {
    let source = input::read(&arguments.file)?;
    let text = run::translated(&source)
        .map_err(|findings| input::undone(&source, findings, Some("translated"), console))?;
    console.out.write_all(text.as_bytes())?;
    Ok(Status::Good)
}
