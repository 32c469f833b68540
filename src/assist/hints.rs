//! What is said at the end of a line: what a barrier costs and is good for, and what is wrong though this machine hides it.

use crate::finding::Finding;
use crate::run::{BarrierRow, Report};
use crate::time::Ps;
use std::collections::BTreeMap;

/// A hint after a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The line, counted from 0.
    pub line: u32,
    /// What is said.
    pub says: String,
    /// More of it.
    pub more: String,
}

/// Those of a run, by line.
pub fn of(report: &Report, line_of: impl Fn(&Finding) -> u32) -> Vec<Hint> {
    let mut lines: BTreeMap<u32, Vec<(String, String)>> = BTreeMap::new();
    let mut barriers: BTreeMap<u32, Vec<&BarrierRow>> = BTreeMap::new();
    for row in &report.barriers {
        barriers
            .entry(row.line.saturating_sub(1))
            .or_default()
            .push(row);
    }
    for (line, rows) in &barriers {
        lines.entry(*line).or_default().push(of_rows(rows));
    }
    for finding in &report.findings {
        if finding.is_spec_invalid() && finding.visible == Some(false) {
            let says = format!("invalid here, hidden on {}", report.profile);
            let all = lines.entry(line_of(finding)).or_default();
            if all.iter().all(|(known, _)| *known != says) {
                all.push((says, finding.message.to_string()));
            }
        }
    }
    let joined = |(line, all): (u32, Vec<(String, String)>)| {
        let (says, more): (Vec<String>, Vec<String>) = all.into_iter().unzip();
        Hint {
            line,
            says: says.join("; "),
            more: more.join("\n"),
        }
    };
    lines.into_iter().map(joined).collect()
}

/// The price and the verdict of the executions of one entry.
fn of_rows(rows: &[&BarrierRow]) -> (String, String) {
    let sum = |of: fn(&BarrierRow) -> Ps| rows.iter().fold(Ps(0), |sum, row| sum + of(row));
    let exposed = sum(|row| row.exposed);
    let verdict = rows.iter().map(|row| row.verdict.word()).max();
    let times = match rows.len() {
        1 => String::new(),
        many => format!(" in {many} executions"),
    };
    let says = format!("{exposed} exposed{times}, {}", verdict.unwrap_or_default());
    let more = format!(
        "drain {}, operation {}, refill {}, exposed {exposed}: {}",
        sum(|row| row.drain),
        sum(|row| row.operation),
        sum(|row| row.refill),
        rows.first().map_or("", |row| row.why.as_str())
    );
    (says, more)
}
