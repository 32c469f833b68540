//! `run --profiles`, `run --what-if` and `run --without`: several runs of one scenario, compared.

use super::console::Console;
use super::progress::Progress;
use super::{Ended, Status, Stop, input, told};
use crate::finding::{Finding, Source};
use crate::run::{self, Drawn, Options, ProfileTable, Registry, WhatIf, WithAndWithout};
use std::io;
use std::path::PathBuf;

/// Prints the result for a file.
type Print<'p, T> = &'p mut dyn FnMut(&T, &str, &mut Console) -> io::Result<()>;

/// Prints a table of machines for each file.
pub(super) fn profiles(
    files: &[PathBuf],
    asked: &[String],
    registry: &Registry,
    options: &Options,
    print: Print<'_, ProfileTable>,
    console: &mut Console,
) -> Ended {
    let names = names(asked, registry, options);
    each(files, console, |source, console| {
        let options = &unproved(options.clone());
        // Hazards and errors of legality are the same on every machine.
        let findings = run::check(source, options).findings;
        if input::status(&findings) == Status::Unusable {
            return Ok(input::undone(source, findings, None, console));
        }
        let table = run::on_profiles(source, registry, &names, options)?;
        let written = print(&table, &source.name, console);
        // Hazards are rows of the table.
        let is_row = |f: &Finding| f.hazard.is_some();
        let status = input::judged(source, &findings, is_row, "check", console);
        let has_bug = table.rows.iter().any(|row| !row.bugs.is_empty());
        let status = status.max(if has_bug { Status::Found } else { Status::Good });
        written?;
        Ok(status)
    })
}

/// The profiles to compare: that of `--profile`, which nobody names for nothing, then those of `--profiles`.
pub(super) fn names(asked: &[String], registry: &Registry, options: &Options) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in asked {
        if name == "all" {
            names.extend(registry.profiles.iter().map(|entry| entry.name.to_owned()));
        } else {
            names.push(name.clone());
        }
    }
    let same = |a: &str, b: &str| {
        let entry = |name| registry.entry(name).map(|entry| entry.name);
        a == b || entry(a).is_some() && entry(a) == entry(b)
    };
    if let Some(own) = &options.profile
        && !names.iter().any(|name| same(name, own))
    {
        names.insert(0, own.clone());
    }
    names
}

/// Prints what each barrier of each file costs.
pub(super) fn what_if(
    files: &[PathBuf],
    registry: &Registry,
    options: &Options,
    print: Print<'_, WhatIf>,
    console: &mut Console,
) -> Ended {
    each(files, console, |source, console| {
        let options = &unproved(options.clone());
        let findings = run::check(source, options).findings;
        if input::status(&findings) == Status::Unusable {
            return Ok(input::undone(source, findings, None, console));
        }
        let bar = Progress::new("runs");
        let what = run::what_if(source, registry, options, &|done, all| bar.show(done, all));
        bar.end();
        let written = print(&what?, &source.name, console);
        let findings = run::run(source, registry, options)?.findings;
        let status = input::judged(source, &findings, |_| false, "run", console);
        written?;
        Ok(status)
    })
}

/// Prints the run of a file with and without a barrier. How it ends is up to the run as written.
pub(super) fn without(
    files: &[PathBuf],
    registry: &Registry,
    options: &Options,
    word: &str,
    print: Print<'_, WithAndWithout>,
    console: &mut Console,
) -> Ended {
    each(files, console, |source, console| {
        let findings = run::check(source, &unproved(options.clone())).findings;
        if input::status(&findings) == Status::Unusable {
            return Ok(input::undone(source, findings, None, console));
        }
        // A page has everything that a page of the run as written has.
        let options = if options.drawn == Drawn::Page {
            options.clone()
        } else {
            unproved(options.clone())
        };
        let both = run::without(source.clone(), registry, &options, word)?;
        let written = print(&both, &source.name, console);
        let status = input::judged(source, &both.report.findings, |_| false, "run", console);
        written?;
        Ok(status)
    })
}

/// Nobody reads here what else would do.
fn unproved(options: Options) -> Options {
    Options {
        without_proofs: true,
        ..options
    }
}

fn each(
    files: &[PathBuf],
    console: &mut Console,
    mut one: impl FnMut(&Source, &mut Console) -> Ended,
) -> Ended {
    let mut status = Status::Good;
    for file in files {
        let read = input::read(file).map_err(Stop::from);
        let done = read.and_then(|source| one(&source, console));
        status = status.max(told(done, console)?);
    }
    Ok(status)
}
