//! Profiles in files: which names mean one, what a file is based on, and what is wrong with it.

use super::files::{FileKind, Files, directory};
use super::{Registry, Unusable};
use crate::finding::Source;
use crate::hardware::{Problem, Profile};
use crate::id::narrow;
use std::path::Path;

/// Profiles that one file may be based on, one on the other.
pub const BASES_MAX: usize = 8;
/// Places in a profile that one message names.
const PROBLEMS_NAMED: usize = 10;

/// Whether a profile is meant by its file and not by a name.
pub fn is_profile_file(profile: &str) -> bool {
    profile.contains(['/', '\\']) || Path::new(profile).extension().is_some_and(|e| e == "toml")
}

/// A path that a file names, as its reader finds it: relative to that file.
pub fn next_to(file: &str, path: &str) -> String {
    directory(file).map_or_else(
        || path.to_owned(),
        |directory| directory.join(path).display().to_string(),
    )
}

/// The profile of a file, which may be based on others.
///
/// # Errors
/// Every problem found, in the order of the text, and a base that does not exist.
pub fn load_profile(
    registry: &Registry,
    file: &Source,
    files: &dyn Files,
) -> Result<Profile, Unusable> {
    let texts = chain(registry, file, files)?;
    let parsed = Profile::parse_on(&texts.iter().map(|t| t.text.as_str()).collect::<Vec<_>>());
    parsed.map_err(|problems| told(&texts, &problems))
}

/// What is wrong with a profile in its own text: the first byte of each mistake, where that is known, and the mistake.
///
/// # Errors
/// A base that does not exist, or what is wrong with it.
pub fn profile_problems(
    registry: &Registry,
    file: &Source,
    files: &dyn Files,
) -> Result<Vec<(Option<usize>, String)>, Unusable> {
    let texts = chain(registry, file, files)?;
    let parsed = Profile::parse_on(&texts.iter().map(|t| t.text.as_str()).collect::<Vec<_>>());
    let problems = parsed.err().unwrap_or_default();
    let elsewhere: Vec<Problem> = problems.iter().filter(|it| it.text > 0).cloned().collect();
    let here = problems.into_iter().filter(|it| it.text == 0);
    let here: Vec<(Option<usize>, String)> = here.map(|it| (it.start, it.message)).collect();
    if here.is_empty() && !elsewhere.is_empty() {
        return Err(told(&texts, &elsewhere));
    }
    Ok(here)
}

/// A file, what it is based on, and so on.
fn chain(registry: &Registry, file: &Source, files: &dyn Files) -> Result<Vec<Source>, Unusable> {
    let mut texts = vec![file.clone()];
    loop {
        let last = texts.last().expect("it begins with one");
        let Some((base, start)) = Profile::base(&last.text) else {
            return Ok(texts);
        };
        let wrong = |message: String, help: &str| Unusable {
            message: format!("{}: base: {message}", place(last, start)),
            help: help.to_owned(),
        };
        let next = if is_profile_file(&base) {
            let path = next_to(&last.name, &base);
            let known = texts.iter().find(|text| text.name == path);
            let told = |what: Unusable| Unusable {
                message: format!("{}: base: {}", last.name, what.message),
                ..what
            };
            let read = || files.read(&path, FileKind::Profile).map_err(told);
            Some(known.cloned().map_or_else(read, Ok)?)
        } else {
            let entry = registry.entry(&base);
            entry.map(|entry| Source::new(entry.name, entry.text))
        };
        let Some(next) = next else {
            let help = "a base is a built-in profile (`syncscope list profiles` prints them) or a profile file";
            return Err(wrong(format!("there is no profile `{base}`"), help));
        };
        if texts.iter().any(|text| text.name == next.name) {
            let message = format!("`{base}` is based on this profile");
            return Err(wrong(message, "a profile cannot be its own base"));
        }
        if texts.len() > BASES_MAX {
            let message = format!("more than {BASES_MAX} profiles, each based on the next");
            return Err(wrong(
                message,
                "base the profile on one that says more itself",
            ));
        }
        texts.push(next);
    }
}

/// `mine.toml:3:8`.
fn place(source: &Source, start: usize) -> String {
    let start = narrow(start);
    let (line, column) = (source.line(start), source.column(start));
    format!("{}:{line}:{column}", source.name)
}

/// What is wrong with a profile, each thing with its place.
fn told(texts: &[Source], problems: &[Problem]) -> Unusable {
    let placed = |problem: &Problem| {
        let source = texts.get(problem.text).unwrap_or(&texts[0]);
        let place = problem
            .start
            .map_or_else(|| source.name.clone(), |s| place(source, s));
        format!("{place}: {}", problem.message)
    };
    let mut message = match problems {
        [one] => placed(one),
        several => format!(
            "the profile `{}` contradicts itself in {} places",
            texts[0].name,
            several.len()
        ),
    };
    if problems.len() > 1 {
        for problem in problems.iter().take(PROBLEMS_NAMED) {
            message = message + "\n  " + &placed(problem);
        }
        let more = problems.len().saturating_sub(PROBLEMS_NAMED);
        if more > 0 {
            message = format!("{message}\n  and {more} more");
        }
    }
    Unusable {
        message,
        help: "`syncscope schema profile` prints what a profile has, `syncscope list profile NAME --toml` one as a template"
            .into(),
    }
}
