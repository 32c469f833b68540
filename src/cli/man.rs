//! `syncscope man`: manual pages, one for the program and one for each command.

use super::console::Console;
use super::{Ended, Status, definition, save};
use crate::report::format::AnyOutput;
use crate::run::{Registry, Unusable};
use clap::Args;
use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Write manual pages: one for the program, one for each command
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Directory for the pages; it is made if it is not there
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 written, 2 the directory could not be written";

pub(super) fn execute(arguments: &Arguments, _: &Registry, _: &mut Console) -> Ended {
    let mut all = definition().disable_help_subcommand(true);
    all.build();
    fs::create_dir_all(&arguments.directory).map_err(|e| failed(&arguments.directory, &e))?;
    page(&all, &arguments.directory)?;
    all.get_subcommands()
        .try_for_each(|command| page(command, &arguments.directory))?;
    Ok(Status::Good)
}

/// Writes the page of the program or of a command.
fn page(command: &clap::Command, directory: &Path) -> Result<(), Unusable> {
    // A command that is built is displayed as `syncscope-run`.
    let name = command.get_display_name().unwrap_or(command.get_name());
    let file = directory.join(format!("{name}.1"));
    let mut text = Vec::new();
    Man::new(command.clone())
        .render(&mut text)
        .and_then(|()| save::put(&file, &String::from_utf8_lossy(&text)))
        .map_err(|e| failed(&file, &e))
}

fn failed(path: &Path, error: &io::Error) -> Unusable {
    Unusable {
        message: format!("`{}` cannot be written: {error}", path.display()),
        help: format!("{}, or name another directory", save::remedy(error)),
    }
}
