//! What makes a scene misbehave: the barriers that it depends on, what was taken away, what is left.

use super::columns::{Set, Table};
use super::{Style, text, verification};
use crate::workbench::{Bisection, Help};
use serde_json::json;
use std::io::{self, Write};

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
pub(crate) fn terminal(found: &Bisection, style: &Style, out: &mut dyn Write) -> io::Result<()> {
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

/// Writes the same as values.
///
/// # Errors
/// If the output cannot be written.
pub(crate) fn json(found: &Bisection, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let culprits = found.culprits.iter().map(|culprit| {
        let help = match culprit.helps {
            Help::Widen => "widen",
            Help::Remove => "remove",
        };
        json!({ "line": culprit.line, "helps": help })
    });
    let steps = found.steps.iter();
    let steps = steps.map(|step| json!({ "taken_away": step.what, "commands": step.commands }));
    let document = json!({
        "scenario": found.program,
        "profile": found.profile,
        "lowering": found.lowering,
        "fault": found.fault,
        "culprits": culprits.collect::<Vec<_>>(),
        "untried": found.untried,
        "steps": steps.collect::<Vec<_>>(),
        "smallest": verification::values(&found.smallest),
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
