//! One scenario on several machines, one row each.

use super::columns::Set;
use super::format::{Output, Printer};
use super::legend::Legend;
use super::{Style, json, text};
use crate::run::{BugRow, ProfileRow, ProfileTable, Visibility};
use crate::schema::schema;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Heads of the columns; `\u{ad}` is where a narrow page may break one.
const HEADS: [(&str, Set); 8] = [
    ("profile", Set::Left),
    ("makespan", Set::Right),
    ("exposed", Set::Right),
    ("flushes", Set::Right),
    ("inval\u{ad}idates", Set::Right),
    ("decom\u{ad}pressions", Set::Right),
    ("stale reads", Set::Right),
    ("other bad reads", Set::Right),
];

/// Writes a table for people.
///
/// # Errors
/// If the output cannot be written.
pub fn table(table: &ProfileTable, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (most, others) = table.lowerings();
    let mut title = format!("{} with {most}", text::clean(&table.scenario));
    for row in others {
        let _ = write!(title, "; {} with {}", row.profile, row.lowering);
    }
    style.lines(&title, out)?;
    let rows = table.rows.iter().map(|row| {
        vec![
            row.profile.clone(),
            row.makespan.to_string(),
            row.exposed.to_string(),
            row.flushes.to_string(),
            row.invalidates.to_string(),
            row.decompressions.to_string(),
            row.stale_reads.to_string(),
            row.other_bad_reads.to_string(),
        ]
    });
    style.table(&HEADS, rows, out)?;
    bugs(table, style, out)?;
    hazards(table, style, out)?;
    legends(table, style, out)
}

/// Errors of lowerings that are shown of one machine.
const BUGS_MAX: usize = 10;

/// What a lowering misses on a machine.
fn bugs(table: &ProfileTable, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if table.rows.iter().any(|row| !row.bugs.is_empty()) {
        writeln!(out)?;
    }
    for row in &table.rows {
        for bug in row.bugs.iter().take(BUGS_MAX) {
            let message = text::clean(&bug.message);
            let line = format!("{} {}, line {}: {message}", bug.rule, bug.name, bug.line);
            style.lines(&line, out)?;
        }
        if let Some(more) = row.bugs.len().checked_sub(BUGS_MAX).filter(|n| *n > 0) {
            let more = text::count(more, "more error", "more errors");
            let line = format!("… and {more}; `--profile {}` shows all", row.profile);
            style.lines(&line, out)?;
        }
    }
    Ok(())
}

/// Where each hazard shows, and what hides it elsewhere.
fn hazards(table: &ProfileTable, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let names = table.rows.iter().map(|row| text::width(&row.profile));
    let names = names.max().unwrap_or(0).max(HEADS[0].0.len());
    for hazard in &table.hazards {
        let title = format!(
            "{} {}, line {}, {}: invalid by specification everywhere",
            hazard.rule,
            hazard.name,
            hazard.line,
            text::clean(&hazard.resource)
        );
        writeln!(out)?;
        style.lines(&title, out)?;
        for on in &hazard.on {
            let word = if on.visible { "visible" } else { "hidden " };
            let head = format!("  {}  {word}  ", text::left(&on.profile, names));
            let room = style.columns.saturating_sub(text::width(&head)).max(24);
            for (at, line) in text::wrap(&text::clean(&on.why), room)
                .into_iter()
                .enumerate()
            {
                let indent = " ".repeat(text::width(&head));
                let head = if at == 0 { &head } else { &indent };
                writeln!(out, "{}", style.plain(&format!("{head}{line}")))?;
            }
        }
    }
    if let Some(errors) = broken(table) {
        writeln!(out)?;
        style.lines(&errors, out)?;
    }
    if table.more_hazards > 0 {
        let more = text::count(table.more_hazards, "more hazard", "more hazards");
        writeln!(out, "\n{}", style.plain(&format!("… and {more}")))?;
    }
    Ok(())
}

/// What the text breaks on every machine, in a sentence.
pub(super) fn broken(table: &ProfileTable) -> Option<String> {
    let first = table.errors.first()?;
    let more = match table.errors.len() - 1 {
        0 => String::new(),
        more => format!(", and {} more", text::count(more, "error", "errors")),
    };
    Some(format!(
        "The text breaks {} {} at line {}{more}: `run` explains.",
        first.rule, first.name, first.line
    ))
}

/// What the names of caches mean that were mentioned.
fn legends(table: &ProfileTable, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut is_first = true;
    for (at, row) in table.rows.iter().enumerate() {
        let mut legend = Legend::of(&row.caches);
        for bug in &row.bugs {
            legend.read(&bug.message);
        }
        for hazard in &table.hazards {
            hazard
                .on
                .get(at)
                .into_iter()
                .for_each(|on| legend.read(&on.why));
        }
        if let Some(text) = legend.text(&row.profile) {
            if std::mem::take(&mut is_first) {
                writeln!(out)?;
            }
            style.lines(&text::clean(&text), out)?;
        }
    }
    Ok(())
}

/// One scenario on several machines: `run --profiles`.
pub const PROFILES: Output<Printer<ProfileTable>> = Output {
    name: "profiles",
    noun: "a comparison of profiles",
    writers: &[
        ("terminal", table),
        ("json", |table, _, out| {
            json::indented(&document(table), out)
        }),
    ],
    schema: Some(schema!(
        written ProfilesDocument<'static>, "profiles", "The output of `run --profiles --format json`"
    )),
};

/// One scenario on several machines.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ProfilesDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// Title of the scenario, or its file name.
    scenario: &'a str,
    /// The lowering of the first machine.
    lowering: &'a str,
    /// What the text breaks on every machine, once a rule and line; hazards are in `hazards`.
    errors: &'a [BugRow],
    /// Each machine.
    profiles: &'a [ProfileRow],
    /// Each hazard on every machine.
    hazards: Vec<HazardOnMachines<'a>>,
    /// Hazards that were not looked at.
    more_hazards: usize,
}

/// A hazard on several machines.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HazardOnMachines<'a> {
    /// Permanent id of the rule.
    rule: &'a str,
    /// Name of the rule.
    name: &'a str,
    /// Line of the second use.
    line: u32,
    /// Declared name of the resource.
    resource: &'a str,
    /// Invalid by specification, on every GPU: true.
    spec_invalid: bool,
    /// Each machine, in the order of `profiles`.
    profiles: &'a [Visibility],
}

fn document(table: &ProfileTable) -> ProfilesDocument<'_> {
    let hazards = table.hazards.iter().map(|hazard| HazardOnMachines {
        rule: hazard.rule,
        name: hazard.name,
        line: hazard.line,
        resource: &hazard.resource,
        spec_invalid: true,
        profiles: &hazard.on,
    });
    ProfilesDocument {
        schema: 1,
        scenario: &table.scenario,
        lowering: table.lowerings().0,
        errors: &table.errors,
        profiles: &table.rows,
        hazards: hazards.collect(),
        more_hazards: table.more_hazards,
    }
}
