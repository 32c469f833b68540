//! `syncscope test`: every scenario below some paths against its own expectations.

use super::console::Console;
use super::printing::unknown;
use super::{Status, input};
use crate::report::expect::{Mismatch, compare};
use crate::report::text;
use crate::run::{self, Options, Registry, Unusable};
use clap::Args;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::{fs, iter};

/// Run scenarios and compare what is found with what their comments `//~ ID` expect
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, or directories of them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Compare only these families of rules
    #[arg(long, value_name = "FAMILY,…", value_delimiter = ',')]
    only: Vec<String>,
}

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let files = match select(arguments, registry) {
        Ok(files) => files,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let mut failed = 0;
    for file in &files {
        let lines = one(file, registry, &arguments.only);
        if lines.is_empty() {
            continue;
        }
        failed += 1;
        writeln!(console.out, "FAIL {}", file.display())?;
        for line in lines {
            // Continuations stand under the text, not under the line number.
            for (index, part) in text::wrap(&line, text::COLUMNS - 6).iter().enumerate() {
                writeln!(
                    console.out,
                    "{}{part}",
                    if index == 0 { "  " } else { "      " }
                )?;
            }
        }
    }
    writeln!(
        console.out,
        "{} passed, {failed} failed",
        files.len() - failed
    )?;
    Ok(if failed > 0 {
        Status::Found
    } else {
        Status::Good
    })
}

/// Every scenario below the paths, in order of name within each path.
fn select(arguments: &Arguments, registry: &Registry) -> Result<Vec<PathBuf>, Unusable> {
    let mut families: Vec<&str> = registry.rules.iter().map(|r| r.family()).collect();
    families.sort_unstable();
    families.dedup();
    for family in &arguments.only {
        if !families.contains(&family.as_str()) {
            return Err(unknown("family of rules", family, families));
        }
    }
    let mut files = Vec::new();
    for path in &arguments.paths {
        if !path.exists() {
            return Err(Unusable {
                message: format!("there is no file or directory `{}`", path.display()),
                help: "name scenario files or directories of them".to_owned(),
            });
        }
        if path.is_dir() {
            walk(path, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        let names: Vec<_> = arguments
            .paths
            .iter()
            .map(|p| format!("`{}`", p.display()))
            .collect();
        return Err(Unusable {
            message: format!("there is no scenario below {}", names.join(", ")),
            help: "scenarios are files whose names end in `.scn` or `.json`".to_owned(),
        });
    }
    Ok(files)
}

fn walk(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Unusable> {
    let unreadable = |e: io::Error| Unusable {
        message: format!("`{}` cannot be read: {e}", directory.display()),
        help: "look at its permissions".to_owned(),
    };
    let mut entries = fs::read_dir(directory)
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(unreadable)?;
    // The order of a directory differs between systems.
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A link to a directory might lead back here; the entry's own type does not follow links.
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "scn" || e == "json") {
            files.push(path);
        }
    }
    Ok(())
}

/// What differs in a file; nothing if all expectations hold.
fn one(file: &Path, registry: &Registry, only: &[String]) -> Vec<String> {
    let source = match input::read(file) {
        Ok(source) => source,
        Err(what) => return vec![format!("{}; {}", what.message, what.help)],
    };
    // A failed assertion of ours is that file's failure; the others are still worth knowing.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let (scenario, _) = crate::scenario::parse(&source);
        let report = if scenario.timeline.is_none() {
            run::check(&source)
        } else {
            run::run(&source, registry, &Options::default())?
        };
        Ok(compare(
            &scenario.expectations,
            &report.findings,
            &source,
            &registry.rules,
            only,
        ))
    }));
    match outcome {
        Ok(Ok(mismatches)) => mismatches.iter().map(describe).collect(),
        Ok(Err(what)) => iter::once(what)
            .map(|w: Unusable| format!("{}; {}", w.message, w.help))
            .collect(),
        Err(_) => {
            vec!["the program itself failed; its message stands on standard error".to_owned()]
        }
    }
}

fn describe(mismatch: &Mismatch) -> String {
    match mismatch {
        Mismatch::Missing { line, id } => {
            format!("line {line}: {id} is expected, but was not found")
        }
        Mismatch::Unexpected {
            line,
            id,
            name,
            severity,
            message,
        } => {
            format!(
                "line {line}: {} {id} {name} was found, but is not expected: {message}",
                severity.word()
            )
        }
    }
}
