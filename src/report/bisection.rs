//! What makes a scene misbehave: the barriers that it depends on, what was taken away, what is left.

use super::columns::Set;
use super::format::{Output, Printer};
use super::{Style, json, text, verification};
use crate::schema::schema;
use crate::workbench::{Bisection, Help};
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
    let heads = [
        ("step", Set::Right),
        ("taken away", Set::Left),
        ("commands left", Set::Right),
    ];
    style.table(&heads, rows, out)?;
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
        ("json", |found, _, out| json::indented(found, out)),
    ],
    schema: Some(schema!(
        written Bisection, "bisection", "The output of `bisect --format json`"
    )),
};
