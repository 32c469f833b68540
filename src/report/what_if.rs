//! What each barrier costs, by a run without it.

use super::columns::{Set, Table};
use super::{Style, text};
use crate::run::{WhatIf, Without};
use crate::time::Ps;
use serde_json::json;
use std::cmp::Ordering;
use std::io::{self, Write};

/// Writes a table for people.
///
/// # Errors
/// If the output cannot be written.
pub fn table(what: &WhatIf, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let title = format!(
        "{} on {} with {}: {} with every barrier",
        text::clean(&what.scenario),
        what.profile,
        what.lowering,
        what.makespan
    );
    style.lines(&title, out)?;
    let rows = what.rows.iter().map(|row| {
        let resource = if row.resource.is_empty() {
            "everything"
        } else {
            &row.resource
        };
        let split = row.end_line.map_or_else(String::new, |end| {
            format!(", a split barrier that ends in line {end}")
        });
        let (makespan, gain, so) = match &row.without {
            Without::Run {
                makespan,
                more_bad_reads,
            } => {
                let so = match more_bad_reads {
                    0 => String::new(),
                    1 => "; without it 1 read goes wrong".to_owned(),
                    n => format!("; without it {n} reads go wrong"),
                };
                let gain = difference(what.makespan, *makespan);
                (makespan.to_string(), gain, so)
            }
            Without::Impossible { rules } => {
                let rules = rules.join(", ");
                let so = format!("; not possible without it: another barrier breaks {rules}");
                (String::new(), String::new(), so)
            }
        };
        vec![
            row.line.to_string(),
            row.exposed.to_string(),
            row.critical.map_or_else(String::new, |t| t.to_string()),
            makespan,
            gain,
            format!("{}{split}{so}", text::clean(resource)),
        ]
    });
    let table = Table {
        heads: vec![
            ("line", Set::Right),
            ("exposed", Set::Right),
            ("critical", Set::Right),
            ("without it", Set::Right),
            ("difference", Set::Right),
            ("barrier on", Set::Words),
        ],
        rows: rows.collect(),
    };
    style.table(&table, out)
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
            "makespan_ps": row.without.makespan().map(|t| t.0),
            "more_bad_reads": row.without.more_bad_reads(),
            "breaks": row.without.breaks(),
        })
    });
    let value = json!({
        "schema": 2,
        "scenario": what.scenario,
        "profile": what.profile,
        "lowering": what.lowering,
        "makespan_ps": what.makespan.0,
        "without": rows.collect::<Vec<_>>(),
    });
    writeln!(out, "{value:#}")
}
