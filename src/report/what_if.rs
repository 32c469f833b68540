//! What each barrier costs, by a run without it.

use super::text;
use crate::run::WhatIf;
use crate::time::Ps;
use serde_json::json;
use std::cmp::Ordering;
use std::io::{self, Write};

/// Writes a table for people.
///
/// # Errors
/// If the output cannot be written.
pub fn table(what: &WhatIf, ascii: bool, out: &mut dyn Write) -> io::Result<()> {
    let plain = |line: &str| {
        if ascii {
            text::ascii(line)
        } else {
            line.to_owned()
        }
    };
    let title = format!(
        "{} on {} with {}: {} with every barrier",
        text::clean(&what.scenario),
        what.profile,
        what.lowering,
        what.makespan
    );
    writeln!(out, "{}", plain(&title))?;
    writeln!(
        out,
        "{:>6}  {:>10}  {:>10}  {:>12}  {:>12}  barrier on",
        "line", "exposed", "critical", "without it", "difference"
    )?;
    for row in &what.rows {
        let resource = if row.resource.is_empty() {
            "everything"
        } else {
            &row.resource
        };
        let split = row.end_line.map_or_else(String::new, |end| {
            format!(", a split barrier that ends in line {end}")
        });
        let bad = match row.more_bad_reads {
            0 => String::new(),
            1 => "; without it 1 read goes wrong".to_owned(),
            n => format!("; without it {n} reads go wrong"),
        };
        let line = format!(
            "{:>6}  {:>10}  {:>10}  {:>12}  {:>12}  {}{split}{bad}",
            row.line,
            row.exposed.to_string(),
            row.critical.map_or_else(String::new, |t| t.to_string()),
            row.makespan.to_string(),
            difference(what.makespan, row.makespan),
            text::clean(resource)
        );
        writeln!(out, "{}", plain(&line))?;
    }
    Ok(())
}

fn difference(with: Ps, without: Ps) -> String {
    match without.cmp(&with) {
        Ordering::Less => format!("-{}", with - without),
        Ordering::Equal => Ps::ZERO.to_string(),
        Ordering::Greater => format!("+{}", without - with),
    }
}

/// Writes the same as values.
///
/// # Errors
/// If the output cannot be written.
pub fn json(what: &WhatIf, out: &mut dyn Write) -> io::Result<()> {
    let rows = what.rows.iter().map(|row| {
        json!({
            "line": row.line,
            "end_line": row.end_line,
            "resource": row.resource,
            "exposed_ps": row.exposed.0,
            "critical_ps": row.critical.map(|t| t.0),
            "makespan_ps": row.makespan.0,
            "more_bad_reads": row.more_bad_reads,
        })
    });
    let value = json!({
        "schema": 1,
        "scenario": what.scenario,
        "profile": what.profile,
        "lowering": what.lowering,
        "makespan_ps": what.makespan.0,
        "without": rows.collect::<Vec<_>>(),
    });
    writeln!(out, "{value:#}")
}
