//! What each barrier costs, by a run without it.

use super::columns::Set;
use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::run::without::{Broken, rules};
use crate::run::{WhatIf, WhatIfRow, Without};
use crate::schema::schema;
use crate::time::Ps;
use serde::Serialize;
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
            Without::Impossible { says, .. } => (String::new(), String::new(), format!("; {says}")),
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
    let heads = [
        ("line", Set::Right),
        ("exposed", Set::Right),
        ("critical", Set::Right),
        ("without it", Set::Right),
        ("difference", Set::Right),
        ("barrier on", Set::Words),
    ];
    style.table(&heads, rows, out)
}

fn difference(with: Ps, without: Ps) -> String {
    match without.cmp(&with) {
        Ordering::Less => format!("-{}", with - without),
        Ordering::Equal => Ps::ZERO.to_string(),
        Ordering::Greater => format!("+{}", without - with),
    }
}

/// What each barrier costs: `run --what-if`.
pub const WHAT_IF: Output<Printer<WhatIf>> = Output {
    name: "what-if",
    noun: "a comparison of barriers",
    writers: &[
        ("terminal", table),
        ("json", |what, _, out| json::indented(&document(what), out)),
    ],
    schema: Some(schema!(
        written WhatIfDocument<'static>, "what-if", "The output of `run --what-if --format json`"
    )),
};

/// What each barrier costs, by a run without it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WhatIfDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// Title of the scenario, or its file name.
    scenario: &'a str,
    /// Hardware profile.
    profile: &'a str,
    /// The lowering.
    lowering: &'a str,
    /// From the first submission to the end of the last work, with every barrier.
    makespan_ps: u64,
    /// Each barrier of the text, the dearest first.
    without: Vec<WithoutRow<'a>>,
}

/// A barrier, and the run without it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WithoutRow<'a> {
    #[serde(flatten)]
    barrier: &'a WhatIfRow,
    /// The makespan without it; null if there can be no run.
    makespan_ps: Option<u64>,
    /// Reads that go wrong without it and did not before; null if there can be no run.
    more_bad_reads: Option<u64>,
    /// Rules that other barriers break without it, if there can be no run.
    breaks: Vec<&'static str>,
    /// The same, each with the line of its barrier.
    breaks_at: &'a [Broken],
}

fn document(what: &WhatIf) -> WhatIfDocument<'_> {
    let rows = what.rows.iter().map(|row| WithoutRow {
        barrier: row,
        makespan_ps: row.without.makespan().map(|t| t.0),
        more_bad_reads: row.without.more_bad_reads(),
        breaks: rules(row.without.breaks()),
        breaks_at: row.without.breaks(),
    });
    WhatIfDocument {
        schema: 2,
        scenario: &what.scenario,
        profile: &what.profile,
        lowering: &what.lowering,
        makespan_ps: what.makespan.0,
        without: rows.collect(),
    }
}
