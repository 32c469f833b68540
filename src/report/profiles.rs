//! One scenario on several machines, one row each.

use super::text;
use crate::run::ProfileTable;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{self, Write};

const HEADS: [&str; 8] = [
    "profile",
    "makespan",
    "exposed",
    "flushes",
    "invalidates",
    "decompressions",
    "stale reads",
    "other bad reads",
];

/// Writes a table for people.
///
/// # Errors
/// If the output cannot be written.
pub fn table(table: &ProfileTable, ascii: bool, out: &mut dyn Write) -> io::Result<()> {
    let plain = |line: &str| {
        if ascii {
            text::ascii(line)
        } else {
            line.to_owned()
        }
    };
    let (most, others) = table.lowerings();
    let mut title = format!("{} with {most}", text::clean(&table.scenario));
    for row in others {
        let _ = write!(title, "; {} with {}", row.profile, row.lowering);
    }
    writeln!(out, "{}", plain(&title))?;
    let mut lines: Vec<[String; 8]> = vec![HEADS.map(str::to_owned)];
    lines.extend(table.rows.iter().map(|row| {
        [
            row.profile.clone(),
            row.makespan.to_string(),
            row.exposed.to_string(),
            row.flushes.to_string(),
            row.invalidates.to_string(),
            row.decompressions.to_string(),
            row.stale_reads.to_string(),
            row.other_bad_reads.to_string(),
        ]
    }));
    let width = |column: usize| {
        lines
            .iter()
            .map(|l| text::width(&l[column]))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<_> = (0..HEADS.len()).map(width).collect();
    for line in &lines {
        let mut row = text::left(&line[0], widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            row.push_str("  ");
            row.push_str(&" ".repeat(width - text::width(cell)));
            row.push_str(cell);
        }
        writeln!(out, "{}", plain(row.trim_end()))?;
    }
    for hazard in &table.hazards {
        let title = format!(
            "{} {}, line {}, {}: invalid by specification everywhere",
            hazard.rule,
            hazard.name,
            hazard.line,
            text::clean(&hazard.resource)
        );
        writeln!(out, "\n{}", plain(&text::clip(&title, text::COLUMNS)))?;
        for on in &hazard.on {
            let word = if on.visible { "visible" } else { "hidden " };
            let head = format!("  {}  {word}  ", text::left(&on.profile, widths[0]));
            let room = text::COLUMNS - text::width(&head);
            for (at, line) in text::wrap(&text::clean(&on.why), room)
                .into_iter()
                .enumerate()
            {
                let indent = " ".repeat(text::width(&head));
                let head = if at == 0 { &head } else { &indent };
                writeln!(out, "{}", plain(&format!("{head}{line}")))?;
            }
        }
    }
    if table.more_hazards > 0 {
        writeln!(out, "\n… and {} more hazards", table.more_hazards)?;
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
