//! Every design of a native fence's wake-up: a table and the way to lose the wake-up, or one JSON object.

use crate::litmus::wakeup::{Design, Outcome};
use serde_json::json;
use std::io::{self, Write};

/// One line a design, and a shortest way to lose the wake-up without the engine's barrier.
///
/// # Errors
/// Only what the writer returns.
pub fn table(outcomes: &[(Design, Outcome)], out: &mut dyn Write) -> io::Result<()> {
    let word = |on: bool| if on { "yes" } else { "-" };
    writeln!(
        out,
        "engine barrier  management barrier  compares again  system reads again  states  lost  in vain"
    )?;
    for (design, outcome) in outcomes {
        writeln!(
            out,
            "{:<15} {:<19} {:<15} {:<19} {:>6}  {:<4}  {:>7}",
            word(design.engine_barrier),
            word(design.management_barrier),
            word(design.management_compares),
            word(design.system_reads_again),
            outcome.states,
            word(outcome.lost.is_some()),
            outcome.spurious_max,
        )?;
    }
    let wrong = Design {
        engine_barrier: false,
        ..Design::RIGHT
    };
    let of_wrong = outcomes.iter().find(|(design, _)| *design == wrong);
    if let Some(way) = of_wrong.and_then(|(_, outcome)| outcome.lost.as_ref()) {
        writeln!(
            out,
            "\nWithout the engine's barrier the wake-up is lost like this:"
        )?;
        for (index, step) in way.iter().enumerate() {
            writeln!(out, "{:>3}. {step}", index + 1)?;
        }
    }
    Ok(())
}

/// One JSON object on one line.
///
/// # Errors
/// Only what the writer returns.
pub fn json(outcomes: &[(Design, Outcome)], out: &mut dyn Write) -> io::Result<()> {
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
