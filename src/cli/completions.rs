//! `syncscope completions`: what a shell needs to complete commands and options.

use super::console::Console;
use super::{Ended, Status, definition};
use crate::report::format::AnyOutput;
use crate::run::Registry;
use clap::Args;
use clap_complete::Shell;
use std::io::Write;

/// Print completions of commands and options for a shell
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 printed, 2 the command line was unusable";

pub(super) fn execute(arguments: &Arguments, _: &Registry, console: &mut Console) -> Ended {
    // The generator takes a writer that does not fail.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut definition(), "syncscope", &mut text);
    console.out.write_all(&text)?;
    Ok(Status::Good)
}
