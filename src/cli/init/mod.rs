//! `syncscope init`: a first scenario to change, and a workflow that checks all of them.

use super::console::Console;
use super::{Ended, Status, save};
use crate::report::format::AnyOutput;
use crate::run::{Registry, Unusable};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

/// Write a first scenario with comments, and a workflow that checks scenarios on every change
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Directory of the project; it is made if it is not there
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// Write over files that are there
    #[arg(long)]
    force: bool,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[];

/// How the command ends, for its help.
pub(super) const STATUS: &str =
    "Exit status: 0 written, 2 a file is there already, or the directory could not be written";

/// The files, by their paths in the directory.
const FILES: [(&str, &str); 2] = [
    ("first.scn", include_str!("first.scn")),
    (
        ".github/workflows/syncscope.yml",
        include_str!("workflow.yml"),
    ),
];

pub(super) fn execute(arguments: &Arguments, _: &Registry, console: &mut Console) -> Ended {
    let directory = &arguments.directory;
    let there: Vec<PathBuf> = FILES
        .iter()
        .map(|(name, _)| directory.join(name))
        .filter(|path| fs::symlink_metadata(path).is_ok())
        .collect();
    if let Some(path) = there.first().filter(|_| !arguments.force) {
        console.complain(
            &format!("`{}` is there already; nothing was written", path.display()),
            "name another directory, or write over it with `--force`",
        );
        return Ok(Status::Unusable);
    }
    for (name, text) in FILES {
        let path = directory.join(name);
        put(&path, text)?;
        console.say(&format!("{} is written", path.display()));
    }
    let first = directory.join(FILES[0].0);
    console.say(&format!("next: syncscope run {}", first.display()));
    Ok(Status::Good)
}

fn put(path: &Path, text: &str) -> Result<(), Unusable> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)
        .and_then(|()| save::put(path, text))
        .map_err(|e| Unusable {
            message: format!("`{}` cannot be written: {e}", path.display()),
            help: format!("{}, or name another directory", save::remedy(&e)),
        })
}
