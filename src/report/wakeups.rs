//! Every design of a native fence's wake-up: a table and the way to lose the wake-up, or one JSON object.

use super::columns::Set;
use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::litmus::wakeup::{Design, Outcome};
use crate::schema::schema;
use serde::Serialize;
use std::io::{self, Write};

/// One line a design, and a shortest way to lose the wake-up without the engine's barrier.
///
/// # Errors
/// Only what the writer returns.
fn table(outcomes: &[(Design, Outcome)], style: &Style, out: &mut dyn Write) -> io::Result<()> {
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
    let heads = [
        ("engine barrier", Set::Left),
        ("management barrier", Set::Left),
        ("compares again", Set::Left),
        ("system reads again", Set::Left),
        ("states", Set::Right),
        ("lost", Set::Left),
        ("in vain", Set::Right),
    ];
    style.table(&heads, rows, out)?;
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

/// Every design of a native fence's wake-up: `fence --lost-wake-up`.
pub(crate) const WAKE_UPS: Output<Printer<[(Design, Outcome)]>> = Output {
    name: "wake-ups",
    noun: "a table of wake-ups",
    writers: &[
        ("terminal", table),
        ("json", |outcomes, _, out| {
            json::line(&document(outcomes), out)
        }),
    ],
    schema: Some(schema!(
        written WakeUpsDocument<'static>, "wake-ups", "The output of `fence --lost-wake-up --format json`"
    )),
};

/// Every design of a native fence's wake-up.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WakeUpsDocument<'a> {
    /// Each design.
    designs: Vec<DesignRow<'a>>,
}

/// A design, and what the search of its states found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DesignRow<'a> {
    #[serde(flatten)]
    design: Design,
    #[serde(flatten)]
    outcome: &'a Outcome,
}

fn document(outcomes: &[(Design, Outcome)]) -> WakeUpsDocument<'_> {
    let designs = outcomes.iter();
    let designs = designs.map(|&(design, ref outcome)| DesignRow { design, outcome });
    WakeUpsDocument {
        designs: designs.collect(),
    }
}
