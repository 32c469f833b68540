//! `syncscope test`: every scenario and litmus test below some paths against its own expectations.

use super::console::Console;
use super::judging::Judging;
use super::outputs::Outs;
use super::printing::unknown;
use super::progress::Progress;
use super::{Ended, Status, formats, input};
use crate::finding::Source;
use crate::pipeline::expect::Mismatch;
use crate::report::format::AnyOutput;
use crate::report::test::{TEST, TestedFile};
use crate::run::lesson::Lesson;
use crate::run::{self, Options, Registry, Unusable};
use clap::Args;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Run scenarios and compare their findings with what their comments `//~ ID` expect
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, or directories of them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Compare only these families of rules
    #[arg(long, value_name = "FAMILY,…", value_delimiter = ',')]
    only: Vec<String>,
    #[arg(long, value_name = "FORMAT", help = formats::help(&TEST))]
    format: Option<String>,
    #[command(flatten)]
    outs: Outs,
    #[command(flatten)]
    judging: Judging,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&TEST];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 all expectations hold, 1 one does not, 2 a path or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let options = arguments.judging.options(registry)?;
    let format = arguments.format.as_deref();
    let files = select(arguments, registry)?;
    let mut outputs = arguments.outs.choose(format, &TEST, &files)?;
    let mut unusable = false;
    let bar = Progress::new("files");
    let tested: Vec<TestedFile> = files
        .iter()
        .enumerate()
        .inspect(|(done, _)| bar.show(*done, files.len()))
        .map(|(_, file)| TestedFile {
            path: file.display().to_string(),
            differences: one(file, registry, &options, &arguments.only).unwrap_or_else(|what| {
                unusable = true;
                vec![format!("{}; {}", what.message, what.help)]
            }),
        })
        .collect();
    bar.end();
    let style = console.style();
    outputs.print(&tested, "test", &style, console)?;
    unusable |= outputs.finish(console) == Status::Unusable;
    let failed = tested.iter().any(|file| !file.differences.is_empty());
    Ok(match (unusable, failed) {
        (true, _) => Status::Unusable,
        (false, true) => Status::Found,
        (false, false) => Status::Good,
    })
}

/// How the names of files end that are tested.
const TESTED: [&str; 3] = ["scn", "json", "litmus"];

/// Every scenario below the paths, in order of name within each path.
fn select(arguments: &Arguments, registry: &Registry) -> Result<Vec<PathBuf>, Unusable> {
    let mut families: Vec<&str> = registry.rules.iter().map(|r| r.family()).collect();
    families.sort_unstable();
    families.dedup();
    for family in &arguments.only {
        if !families
            .iter()
            .any(|known| known.eq_ignore_ascii_case(family))
        {
            return Err(unknown("family of rules", family, &families));
        }
    }
    // A rule file is tested if it is a lesson.
    let mut files = files(&arguments.paths, &[&TESTED[..], &["lower"]].concat())?;
    files.retain(|file| is_tested(file));
    if files.is_empty() {
        return Err(nothing_below(&arguments.paths, &TESTED));
    }
    Ok(files)
}

/// Every file below the paths whose name ends in one of `extensions`, in order of name within each path. A path that
/// names a file is taken whatever its name.
pub(super) fn files(paths: &[PathBuf], extensions: &[&str]) -> Result<Vec<PathBuf>, Unusable> {
    let mut files = Vec::new();
    for path in paths {
        if !path.exists() && path != Path::new("-") {
            return Err(Unusable {
                message: format!("there is no file or directory `{}`", path.display()),
                help: "name scenario files or directories of them".to_owned(),
            });
        }
        if path.is_dir() {
            walk(path, extensions, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        return Err(nothing_below(paths, extensions));
    }
    Ok(files)
}

fn nothing_below(paths: &[PathBuf], extensions: &[&str]) -> Unusable {
    let names: Vec<_> = paths.iter().map(|p| format!("`{}`", p.display())).collect();
    let extensions: Vec<_> = extensions.iter().map(|e| format!("`.{e}`")).collect();
    Unusable {
        message: format!("there is no scenario below {}", names.join(", ")),
        help: format!(
            "it looks for files whose names end in {}",
            extensions.join(", ")
        ),
    }
}

/// The paths with every file below a directory in its place. A path that names a file is taken whatever its name, also if
/// there is none: whoever reads it says so.
pub(super) fn opened(paths: &[PathBuf], extensions: &[&str]) -> Result<Vec<PathBuf>, Unusable> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            all.extend(files(std::slice::from_ref(path), extensions)?);
        } else {
            all.push(path.clone());
        }
    }
    Ok(all)
}

fn walk(directory: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> Result<(), Unusable> {
    let unreadable = |e: io::Error| Unusable {
        message: format!("`{}` cannot be read: {e}", directory.display()),
        help: "check its permissions".to_owned(),
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
            walk(&path, extensions, files)?;
        } else if path
            .extension()
            .is_some_and(|e| extensions.iter().any(|known| e == *known))
        {
            files.push(path);
        }
    }
    Ok(())
}

/// What differs in a file; nothing if all expectations hold.
fn one(
    file: &Path,
    registry: &Registry,
    options: &Options,
    only: &[String],
) -> Result<Vec<String>, Unusable> {
    let source = input::read_raw(file)?;
    let has = |extension: &str| file.extension().is_some_and(|e| e == extension);
    // A failed assertion of ours is that file's failure; the others are still worth knowing.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let lesson = Lesson::is_meant(&source.text).then(|| proved(&source, registry, options));
        let mismatches = if has("litmus") {
            run::test_litmus(&source, registry, &options.switches, only)
        } else if has("lower") {
            Vec::new()
        } else {
            run::test_scenario(source, input::is_json(file), registry, options, only)?
        };
        let described = mismatches.iter().map(describe);
        Ok(described.chain(lesson.into_iter().flatten()).collect())
    }));
    match outcome {
        Ok(differences) => differences,
        Err(_) => Ok(vec![
            "the program itself failed; its message is on standard error".to_owned(),
        ]),
    }
}

/// In what a lesson does not keep its word.
fn proved(source: &Source, registry: &Registry, options: &Options) -> Vec<String> {
    match input::lesson(source) {
        Ok(lesson) => lesson.prove(registry, options),
        Err(mistakes) => {
            let told = mistakes.iter();
            told.map(|it| format!("line {}: {}", it.line, it.message))
                .collect()
        }
    }
}

/// Whether a file is tested: a rule file is only if it is a lesson.
fn is_tested(file: &Path) -> bool {
    let is_rule_file = file.extension().is_some_and(|e| e == "lower");
    !is_rule_file || input::read_raw(file).is_ok_and(|it| Lesson::is_meant(&it.text))
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
