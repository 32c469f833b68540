//! Which mistakes in a lowering the corpus notices.

use super::columns::Set;
use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::schema::schema;
use crate::workbench::{Fate, Mutant, Mutation, Part, ProfileMutants};
use indexmap::IndexMap;
use serde::Serialize;
use std::io::{self, Write};

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
fn terminal(found: &Mutation, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let name = text::clean(&found.lowering);
    let programs = text::count(found.programs as u64, "program", "programs");
    style.lines(
        &format!("{name}: one mistake at a time, tried on {programs}"),
        out,
    )?;
    writeln!(out)?;
    let rows = found.profiles.iter().map(row);
    let heads = [
        ("profile", Set::Left),
        ("mis\u{ad}takes", Set::Right),
        ("no\u{ad}ticed", Set::Right),
        ("equiv\u{ad}alent", Set::Right),
        ("missed", Set::Right),
        ("not met", Set::Right),
        ("share noticed", Set::Right),
    ];
    style.table(&heads, rows, out)?;
    let commands = found.commands;
    let legend = format!(
        "A mistake that the corpus does not notice is tried on every program of up to {commands} commands; if none of these \
         leaves room for it, on every chain of three uses. It is equivalent if some leave room for it and none shows it, \
         missed if one shows it, not met if none leaves room for it. The share is of all that are not equivalent."
    );
    style.lines(&legend, out)?;
    for profile in &found.profiles {
        survivors(profile, style, out)?;
    }
    Ok(())
}

fn row(profile: &ProfileMutants) -> Vec<String> {
    let mutants = profile.mutants.len();
    vec![
        profile.profile.clone(),
        mutants.to_string(),
        profile.noticed().to_string(),
        (mutants - profile.different()).to_string(),
        profile.missed().to_string(),
        profile.not_met().to_string(),
        share(profile),
    ]
}

/// Tenths of a per cent, rounded down: what is not all is not called all.
fn share(profile: &ProfileMutants) -> String {
    let (noticed, different) = (profile.noticed(), profile.different());
    match (noticed * 1000).checked_div(different) {
        None => "-".to_owned(),
        Some(tenths) => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

/// What is left on a machine; with `--all` everything.
fn survivors(profile: &ProfileMutants, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let is_told = |it: &&Mutant| style.all || matches!(it.fate, Fate::Missed { .. } | Fate::NotMet);
    let mut by_part: IndexMap<Part, Vec<&Mutant>> = IndexMap::new();
    for mutant in profile.mutants.iter().filter(is_told) {
        by_part.entry(mutant.part).or_default().push(mutant);
    }
    if by_part.is_empty() {
        return Ok(());
    }
    by_part.sort_keys();
    writeln!(out)?;
    style.lines(&format!("{}:", profile.profile), out)?;
    for (part, mutants) in by_part {
        style.indented(part.says(), out)?;
        for mutant in mutants {
            style.hanging(&format!("    {}: {}", mutant.says, told(&mutant.fate)), out)?;
            if let Fate::Missed { text, .. } = &mutant.fate {
                for line in text.lines() {
                    writeln!(out, "        {}", style.plain(line))?;
                }
            }
        }
    }
    Ok(())
}

fn told(fate: &Fate) -> String {
    match fate {
        Fate::Noticed { by, how } => format!("noticed by {by}: {how}"),
        Fate::Equivalent { programs } => {
            let programs = text::count(*programs as u64, "program", "programs");
            format!("equivalent on {programs} of the space")
        }
        Fate::NotMet => "not met".to_owned(),
        Fate::Missed { how, .. } => format!("missed: {how}"),
    }
}

/// Which mistakes in a lowering a corpus notices: `mutate`.
pub(crate) const MUTATION: Output<Printer<Mutation>> = Output {
    name: "mutation",
    noun: "a list of mistakes",
    writers: &[
        ("terminal", terminal),
        ("json", |found, _, out| {
            json::indented(&document(found), out)
        }),
    ],
    schema: Some(schema!(
        written MutationDocument<'static>, "mutation", "The output of `mutate --format json`"
    )),
};

/// Every mistake with its fate.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MutationDocument<'a> {
    /// The lowering.
    lowering: &'a str,
    /// Programs of the corpus.
    programs: usize,
    /// Most commands of a program of the space, in which a mistake that the corpus does not notice is looked for.
    commands: u32,
    /// The mistakes on each machine.
    profiles: Vec<ProfileMistakes<'a>>,
}

/// The mistakes on a machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ProfileMistakes<'a> {
    /// Hardware profile.
    profile: &'a str,
    /// How many the corpus notices.
    noticed: usize,
    /// How many no program of the space shows, of those that it has room for.
    equivalent: usize,
    /// How many a program of the space shows, and none of the corpus.
    missed: usize,
    /// How many no program of the space has room for.
    not_met: usize,
    /// Each mistake.
    mutants: Vec<MistakeRow<'a>>,
}

/// A mistake.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MistakeRow<'a> {
    /// The part of packets in which it is.
    part: &'static str,
    /// What it is.
    mistake: &'a str,
    /// Programs of the corpus that have room for it.
    met: usize,
    /// `noticed`, `equivalent`, `not met` or `missed`.
    fate: &'static str,
    /// The first program of the corpus that notices it; null for another fate.
    noticed_by: Option<&'a str>,
    /// What is wrong in the program that shows it; null if none does.
    how: Option<&'a str>,
    /// Programs of the space that have room for an equivalent mistake; null for another fate.
    space_programs: Option<usize>,
    /// Text of the program of the space that shows a missed mistake; null for another fate.
    scenario: Option<&'a str>,
}

fn document(found: &Mutation) -> MutationDocument<'_> {
    let profiles = found.profiles.iter().map(|profile| ProfileMistakes {
        profile: &profile.profile,
        noticed: profile.noticed(),
        equivalent: profile.mutants.len() - profile.different(),
        missed: profile.missed(),
        not_met: profile.not_met(),
        mutants: profile.mutants.iter().map(mistake).collect(),
    });
    MutationDocument {
        lowering: &found.lowering,
        programs: found.programs,
        commands: found.commands,
        profiles: profiles.collect(),
    }
}

fn mistake(mutant: &Mutant) -> MistakeRow<'_> {
    let (fate, noticed_by, how, space_programs, scenario) = match &mutant.fate {
        Fate::Noticed { by, how } => ("noticed", Some(by), Some(how), None, None),
        Fate::Equivalent { programs } => ("equivalent", None, None, Some(*programs), None),
        Fate::NotMet => ("not met", None, None, None, None),
        Fate::Missed { text, how } => ("missed", None, Some(how), None, Some(text)),
    };
    MistakeRow {
        part: mutant.part.says(),
        mistake: &mutant.says,
        met: mutant.met,
        fate,
        noticed_by: noticed_by.map(String::as_str),
        how: how.map(String::as_str),
        space_programs,
        scenario: scenario.map(String::as_str),
    }
}
