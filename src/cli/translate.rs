//! `syncscope translate`: legacy barriers rewritten as enhanced ones, each with a comment that says why.

use super::console::Console;
use super::{Status, input};
use crate::run::Registry;
use crate::{legacy, scenario};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

/// Rewrite a scenario's legacy barriers as enhanced ones, and explain each in a comment
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn execute(
    arguments: &Arguments,
    _: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let (_, scenario) = match input::scenario(&arguments.file, Some("translated"), console) {
        Ok(read) => read,
        Err(status) => return Ok(status),
    };
    let text = scenario::print(&legacy::explain(&scenario));
    console.out.write_all(text.as_bytes())?;
    Ok(Status::Good)
}
