//! What makes a scene misbehave: the barriers that it depends on, what was taken away, what is left.

use super::columns::{Set, Table};
use super::format::{Output, Printer};
use super::verification::CounterexampleRow;
use super::{Style, json, text, verification};
use crate::schema::schema;
use crate::workbench::{Bisection, Help};
use serde::Serialize;
use std::io::{self, Write};

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
fn terminal(found: &Bisection, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let name = text::clean(&found.program);
    let head = format!(
        "{name} on {} with {}: {}",
        found.profile, found.lowering, found.fault
    );
    style.lines(&head, out)?;
    for culprit in &found.culprits {
        style.lines(
            &format!("line {}: {}", culprit.line, helps(culprit.helps)),
            out,
        )?;
    }
    if found.culprits.is_empty() {
        style.lines("no single barrier decides it", out)?;
    }
    if found.untried > 0 {
        let untried = text::count(found.untried, "later barrier was", "later barriers were");
        style.lines(&format!("{untried} not tried"), out)?;
    }
    writeln!(out)?;
    let rows = found.steps.iter().enumerate();
    let rows = rows.map(|(at, step)| {
        let number = (at + 1).to_string();
        vec![number, step.what.to_owned(), step.commands.to_string()]
    });
    let table = Table {
        heads: vec![
            ("step", Set::Right),
            ("taken away", Set::Left),
            ("commands left", Set::Right),
        ],
        rows: rows.collect(),
    };
    style.table(&table, out)?;
    writeln!(out)?;
    verification::counterexample(&found.smallest, style, out)
}

fn helps(help: Help) -> &'static str {
    match help {
        Help::Widen => "with this barrier at its widest, it does not happen",
        Help::Remove => "without this barrier, it does not happen",
    }
}

/// What makes a scene misbehave: `bisect`.
pub(crate) const BISECTION: Output<Printer<Bisection>> = Output {
    name: "bisection",
    noun: "a bisection",
    writers: &[
        ("terminal", terminal),
        ("json", |found, _, out| {
            json::indented(&document(found), out)
        }),
    ],
    schema: Some(schema!(
        written BisectionDocument<'static>, "bisection", "The output of `bisect --format json`"
    )),
};

/// What makes a scene misbehave.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BisectionDocument<'a> {
    /// The scene, as it was named.
    scenario: &'a str,
    /// Hardware profile.
    profile: &'a str,
    /// The lowering.
    lowering: &'a str,
    /// What goes wrong.
    fault: &'a str,
    /// Barriers that decide by themselves whether it goes wrong.
    culprits: Vec<CulpritRow>,
    /// Later barriers that were not tried.
    untried: usize,
    /// What was taken away, in order.
    steps: Vec<StepRow>,
    /// What is left.
    smallest: CounterexampleRow<'a>,
}

/// A barrier that decides.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CulpritRow {
    /// Line of its text.
    line: u32,
    /// What helps: `widen` it or `remove` it.
    helps: &'static str,
}

/// A part that was taken away.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StepRow {
    /// Which kind of part.
    taken_away: &'static str,
    /// Commands that are left, barriers among them.
    commands: usize,
}

fn document(found: &Bisection) -> BisectionDocument<'_> {
    let culprits = found.culprits.iter().map(|culprit| CulpritRow {
        line: culprit.line,
        helps: match culprit.helps {
            Help::Widen => "widen",
            Help::Remove => "remove",
        },
    });
    let steps = found.steps.iter().map(|step| StepRow {
        taken_away: step.what,
        commands: step.commands,
    });
    BisectionDocument {
        scenario: &found.program,
        profile: &found.profile,
        lowering: &found.lowering,
        fault: &found.fault,
        culprits: culprits.collect(),
        untried: found.untried,
        steps: steps.collect(),
        smallest: CounterexampleRow::new(&found.smallest),
    }
}
