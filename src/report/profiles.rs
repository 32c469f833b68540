//! One scenario on several machines, one row each.

use super::columns::{Set, Table};
use super::{Style, text};
use crate::run::ProfileTable;
use serde_json::json;
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
    let rows = Table {
        heads: HEADS.to_vec(),
        rows: rows.collect(),
    };
    style.table(&rows, out)?;
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
    if table.more_hazards > 0 {
        let more = text::count(table.more_hazards, "more hazard", "more hazards");
        writeln!(out, "\n{}", style.plain(&format!("… and {more}")))?;
    }
    Ok(())
}

/// Writes the same as values.
///
/// # Errors
/// If the output cannot be written.
pub fn json(table: &ProfileTable, out: &mut dyn Write) -> io::Result<()> {
    let rows = table.rows.iter().map(|row| {
        json!({
            "profile": row.profile,
            "lowering": row.lowering,
            "makespan_ps": row.makespan.0,
            "exposed_ps": row.exposed.0,
            "flushes": row.flushes,
            "invalidates": row.invalidates,
            "decompressions": row.decompressions,
            "stale_reads": row.stale_reads,
            "other_bad_reads": row.other_bad_reads,
        })
    });
    let hazards = table.hazards.iter().map(|hazard| {
        let on = hazard
            .on
            .iter()
            .map(|on| json!({ "profile": on.profile, "visible": on.visible, "why": on.why }));
        json!({
            "rule": hazard.rule,
            "name": hazard.name,
            "line": hazard.line,
            "resource": hazard.resource,
            "spec_invalid": true,
            "profiles": on.collect::<Vec<_>>(),
        })
    });
    let value = json!({
        "schema": 1,
        "scenario": table.scenario,
        "lowering": table.lowerings().0,
        "profiles": rows.collect::<Vec<_>>(),
        "hazards": hazards.collect::<Vec<_>>(),
        "more_hazards": table.more_hazards,
    });
    writeln!(out, "{value:#}")
}
