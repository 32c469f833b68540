//! Which mistakes in a lowering the corpus notices.

use super::columns::{Set, Table};
use super::{Style, text};
use crate::workbench::{Fate, Mutant, Mutation, Part, ProfileMutants};
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
pub(crate) fn terminal(found: &Mutation, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let name = text::clean(&found.lowering);
    let programs = text::count(found.programs as u64, "program", "programs");
    style.lines(
        &format!("{name}: one mistake at a time, tried on {programs}"),
        out,
    )?;
    writeln!(out)?;
    let rows = found.profiles.iter().map(row).collect();
    let heads = vec![
        ("profile", Set::Left),
        ("mis\u{ad}takes", Set::Right),
        ("no\u{ad}ticed", Set::Right),
        ("equiv\u{ad}alent", Set::Right),
        ("missed", Set::Right),
        ("not met", Set::Right),
        ("share noticed", Set::Right),
    ];
    style.table(&Table { heads, rows }, out)?;
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

/// Writes the same as values, every mistake with its fate.
///
/// # Errors
/// If the output cannot be written.
pub(crate) fn json(found: &Mutation, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let profiles = found.profiles.iter().map(|profile| {
        let mutants = profile.mutants.iter().map(values);
        json!({
            "profile": profile.profile,
            "noticed": profile.noticed(),
            "equivalent": profile.mutants.len() - profile.different(),
            "missed": profile.missed(),
            "not_met": profile.not_met(),
            "mutants": mutants.collect::<Vec<Value>>(),
        })
    });
    let document = json!({
        "lowering": found.lowering,
        "programs": found.programs,
        "commands": found.commands,
        "profiles": profiles.collect::<Vec<Value>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn values(mutant: &Mutant) -> Value {
    let (fate, by, how) = match &mutant.fate {
        Fate::Noticed { by, how } => ("noticed", Some(by), Some(how)),
        Fate::Equivalent { .. } => ("equivalent", None, None),
        Fate::NotMet => ("not met", None, None),
        Fate::Missed { how, .. } => ("missed", None, Some(how)),
    };
    let programs = match mutant.fate {
        Fate::Equivalent { programs } => Some(programs),
        _ => None,
    };
    let scenario = match &mutant.fate {
        Fate::Missed { text, .. } => Some(text),
        _ => None,
    };
    json!({
        "part": mutant.part.says(),
        "mistake": mutant.says,
        "met": mutant.met,
        "fate": fate,
        "noticed_by": by,
        "how": how,
        "space_programs": programs,
        "scenario": scenario,
    })
}
