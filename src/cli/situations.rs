//! `judge --emit-situations`: what a driver's team records in a harness of its own.

use super::Status;
use super::console::Console;
use super::formats;
use crate::finding::Source;
use crate::interop::exchange;
use crate::interop::vulkan::Table;
use crate::report::Style;
use crate::report::vulkan::VULKAN;
use crate::run::Unusable;
use crate::workbench;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes each situation as a scenario and as Vulkan's structures in C and JSON, and all that a probe records as its lines; with
/// `every` also those that `verify` tries.
pub(super) fn emit(
    directory: &Path,
    every: bool,
    console: &mut Console,
) -> Result<Status, Unusable> {
    let mut all = workbench::driver_situations();
    if every {
        let more = workbench::situations().into_iter();
        // Names of recordings are one word: the form, then what it is about.
        all.extend(more.enumerate().map(|(at, it)| {
            let name = it
                .name
                .trim_start_matches("situations/")
                .replace(['/', ' '], ".");
            Source::new(short(name, at), it.text)
        }));
    }
    create(directory)?;
    let mut without = 0;
    for situation in &all {
        let file = directory.join(&situation.name);
        write(&file, situation.text.as_bytes())?;
        match exchange::export(situation, Table::Minimal) {
            Ok(exported) => {
                for (format, end) in [("c", "c"), ("json", "vulkan.json")] {
                    let writer = formats::writer(Some(format), &VULKAN)?;
                    let mut text = Vec::new();
                    writer(&exported, situation, &Style::default(), &mut text)
                        .expect("writing to memory does not fail");
                    write(&file.with_extension(end), &text)?;
                }
            }
            Err(_) => without += 1,
        }
    }
    let probe = workbench::probe_lines(&all);
    write(&directory.join(PROBE), probe.as_bytes())?;
    console.say(&format!(
        "{} situations in `{}`, {} of them as Vulkan's structures too",
        all.len(),
        directory.display(),
        all.len() - without
    ));
    Ok(Status::Good)
}

/// A name that every file system takes: the end of a long one is its number.
fn short(name: String, number: usize) -> String {
    match name.char_indices().nth(NAME_MAX) {
        None => name,
        Some((end, _)) => format!("{}-{number}.scn", &name[..end]),
    }
}

/// The file with the lines that a probe of Vulkan drivers reads.
const PROBE: &str = "situations.txt";

/// Characters of a file's name before its number.
const NAME_MAX: usize = 160;

fn create(directory: &Path) -> Result<(), Unusable> {
    fs::create_dir_all(directory).map_err(|error| Unusable {
        message: format!("`{}` cannot be made: {error}", directory.display()),
        help: "name a directory that can be written".to_owned(),
    })
}

fn write(file: &PathBuf, bytes: &[u8]) -> Result<(), Unusable> {
    fs::write(file, bytes).map_err(|error| Unusable {
        message: format!("`{}` cannot be written: {error}", file.display()),
        help: "name a directory that can be written".to_owned(),
    })
}
