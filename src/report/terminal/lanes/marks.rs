//! Hazards in a timeline: a letter and a number at the moments at which the two uses met, and a line of words for each.

use super::axis::Scale;
use super::blocks::Cells;
use super::{HAZARD, HAZARDS, Row};
use crate::finding::{Hazard, Party};
use crate::report::terminal::Page;
use crate::report::text;
use crate::run::{MeetingRow, Report};
use std::io;

/// Hazards that are marked.
const MOST: usize = 12;
/// Columns of a mark and the blank after it.
const MARK: usize = 3;

/// A hazard with its letter and rule, and when its sides met.
type Mark<'r> = (char, &'static str, &'r Hazard, MeetingRow);

/// The hazards of a picture.
pub(super) struct Marks<'r> {
    all: Vec<Mark<'r>>,
    more: usize,
}

impl<'r> Marks<'r> {
    pub(super) fn new(report: &'r Report) -> Self {
        // What did not run has no moment.
        let met = report.meetings.iter().filter_map(|met| {
            let finding = report.findings.get(met.finding)?;
            Some((finding.rule.id, finding.hazard.as_deref()?, *met))
        });
        let all = ('A'..='Z').zip(met.clone().take(MOST));
        let all: Vec<Mark<'_>> = all
            .map(|(letter, (rule, h, met))| (letter, rule, h, met))
            .collect();
        let more = met.count() - all.len();
        Self { all, more }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The marks of a queue, in as many rows as it takes for none to lie on another.
    pub(super) fn rows(&self, queue: &str, scale: Scale) -> Vec<Row> {
        let mut rows: Vec<Cells> = Vec::new();
        for (letter, _, hazard, met) in &self.all {
            let sides = [
                (1, &hazard.first, met.first),
                (2, &hazard.second, met.second),
            ];
            for (number, side, at) in sides {
                if *side.queue != *queue {
                    continue;
                }
                let column = scale.column(at).min(scale.columns.saturating_sub(MARK));
                let columns = column..column + MARK;
                let free = rows.iter().position(|row| row.are_free(columns.clone()));
                let row = free.unwrap_or_else(|| {
                    rows.push(Cells::new(scale.columns));
                    rows.len() - 1
                });
                rows[row].write(column, &format!("{letter}{number}"), HAZARD);
            }
        }
        let row = |cells| Row {
            name: HAZARDS.to_owned(),
            cells,
            blocks: Vec::new(),
        };
        rows.into_iter().map(row).collect()
    }

    /// A line for each hazard: which uses, and when they met.
    pub(super) fn explain(&self, page: &mut Page<'_>, name: usize) -> io::Result<()> {
        let margin = " ".repeat(name + 2);
        for (letter, rule, hazard, met) in &self.all {
            let words = said(hazard, met);
            let sign = page.paint(HAZARD, &letter.to_string());
            page.line(&format!("{margin}{sign} {rule} {words}"))?;
        }
        if self.more > 0 {
            let more = text::count(self.more as u64, "more hazard", "more hazards");
            page.line(&format!("{margin}and {more}"))?;
        }
        Ok(())
    }
}

/// When the two uses met.
fn said(Hazard { first, second, .. }: &Hazard, met: &MeetingRow) -> String {
    let name = |party: &Party| text::ellipsis(&text::clean(&party.label), 24);
    let (until, from) = (met.first, met.second);
    if first.command == second.command {
        return format!("both in {}, from {} on", name(first), until.min(from));
    }
    let back = if from < until { ", earlier" } else { "" };
    format!(
        "1 {} until {until}, 2 {} from {from}{back}",
        name(first),
        name(second)
    )
}
