//! The executed commands, each with when it ran and what its reads saw. Only where it is asked for.

use super::super::columns::{Set, Table};
use super::super::text;
use super::{FAINT, Page, STRONG};
use crate::run::CommandRow;
use std::io;

/// Rows shown unless all are asked for.
const ROWS: usize = 40;

pub(super) fn write(page: &mut Page<'_>, commands: &[CommandRow]) -> io::Result<()> {
    let shown = page.style.shown(commands.len(), ROWS);
    let rows = commands[..shown].iter().map(|row| {
        vec![
            text::clean(&row.id),
            row.line.to_string(),
            row.start.to_string(),
            row.end.to_string(),
            row.end.saturating_sub(row.start).to_string(),
            row.slack.map_or_else(|| "-".to_owned(), |t| t.to_string()),
            what(row),
        ]
    });
    let table = Table {
        heads: vec![
            ("id", Set::Left),
            ("line", Set::Right),
            ("start", Set::Right),
            ("end", Set::Right),
            ("time", Set::Right),
            ("slack", Set::Right),
            ("command", Set::Words),
        ],
        rows: rows.collect(),
    };
    let (heads, rows) = table.lines(page.style.columns);
    for line in heads {
        page.painted(STRONG, &line)?;
    }
    for line in rows.iter().flatten() {
        page.line(line)?;
    }
    let hidden = commands.len() - shown;
    if hidden > 0 {
        let more = page.paint(FAINT, &format!("… and {hidden} more; --all shows them"));
        page.line(&more)?;
    }
    Ok(())
}

/// The command, and what it read that it should not have.
fn what(row: &CommandRow) -> String {
    let mut what = text::clean(&row.label);
    let mut seen: Vec<String> = Vec::new();
    for bad in &row.observations {
        let resource = text::clean(&bad.resource);
        let one = format!("{} data of {resource}: saw {}", bad.kind, bad.saw);
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    if !seen.is_empty() {
        what = format!("{what}; {}", seen.join("; "));
    }
    what
}
