//! Every design of a native fence's wake-up: a table and the way to lose the wake-up, or one JSON object.

use super::columns::{Set, Table};
use super::{Style, text};
use crate::litmus::wakeup::{Design, Outcome};
use serde_json::json;
use std::io::{self, Write};

/// One line a design, and a shortest way to lose the wake-up without the engine's barrier.
///
/// # Errors
/// Only what the writer returns.
pub(crate) fn table(
    outcomes: &[(Design, Outcome)],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let word = |on: bool| if on { "yes" } else { "-" }.to_owned();
    let rows = outcomes.iter().map(|(design, outcome)| {
        vec![
            word(design.engine_barrier),
            word(design.management_barrier),
            word(design.management_compares),
            word(design.system_reads_again),
            outcome.states.to_string(),
            word(outcome.lost.is_some()),
            outcome.spurious_max.to_string(),
        ]
    });
    let table = Table {
        heads: vec![
            ("engine barrier", Set::Left),
            ("management barrier", Set::Left),
            ("compares again", Set::Left),
            ("system reads again", Set::Left),
            ("states", Set::Right),
            ("lost", Set::Left),
            ("in vain", Set::Right),
        ],
        rows: rows.collect(),
    };
    style.table(&table, out)?;
    let wrong = Design {
        engine_barrier: false,
        ..Design::RIGHT
    };
    let of_wrong = outcomes.iter().find(|(design, _)| *design == wrong);
    if let Some(way) = of_wrong.and_then(|(_, outcome)| outcome.lost.as_ref()) {
        writeln!(out)?;
        style.lines(
            "Without the engine's barrier the wake-up is lost like this:",
            out,
        )?;
        for (index, step) in way.iter().enumerate() {
            for (part, line) in text::wrap(step, style.columns - 5).iter().enumerate() {
                let number = format!("{:>3}. ", index + 1);
                let head = if part == 0 { &number } else { "     " };
                writeln!(out, "{}", style.plain(&format!("{head}{line}")))?;
            }
        }
    }
    Ok(())
}

/// One JSON object on one line.
///
/// # Errors
/// Only what the writer returns.
pub(crate) fn json(outcomes: &[(Design, Outcome)], out: &mut dyn Write) -> io::Result<()> {
    let row = |(design, outcome): &(Design, Outcome)| {
        json!({
            "engine_barrier": design.engine_barrier,
            "management_barrier": design.management_barrier,
            "management_compares": design.management_compares,
            "system_reads_again": design.system_reads_again,
            "states": outcome.states,
            "lost": outcome.lost,
            "spurious_max": outcome.spurious_max,
        })
    };
    let rows: Vec<_> = outcomes.iter().map(row).collect();
    writeln!(out, "{}", json!({ "designs": rows }))
}
