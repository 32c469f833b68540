//! Two runs compared barrier by barrier: for people, as values, and as a table for other programs.

use super::columns::{Set, Table};
use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::run::{Difference, DifferenceRow, DifferenceRun, DifferenceSide};
use crate::schema::schema;
use crate::time::{Ps, bytes};
use serde::Serialize;
use std::io::{self, Write};

/// Names of what a barrier costs, in order.
const COSTS: [&str; 4] = ["drain", "operation", "refill", "exposed"];

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
fn terminal(found: &Difference, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let names = names(&found.sides);
    style.lines(&format!("{} against {}", names[0], names[1]), out)?;
    writeln!(out)?;
    let same = found.rows.iter().filter(|row| row.is_same()).count();
    for row in found.rows.iter().filter(|row| style.all || !row.is_same()) {
        barrier(row, &names, style, out)?;
    }
    if same > 0 && !style.all {
        let same = text::count(same, "barrier is", "barriers are");
        style.lines(&format!("{same} the same in both; --all shows them"), out)?;
        writeln!(out)?;
    }
    let value = |name: &str, of: &dyn Fn(&DifferenceRun) -> String| {
        let mut cells = vec![name.to_owned()];
        cells.extend(found.sides.iter().map(of));
        cells
    };
    let rows = vec![
        value("makespan", &|s| s.makespan.to_string()),
        value("exposed", &|s| s.exposed.to_string()),
        value("cleans", &|s| s.operations[0].to_string()),
        value("invalidates", &|s| s.operations[1].to_string()),
        value("layout operations", &|s| s.operations[2].to_string()),
        value("flushed", &|s| bytes(s.bytes)),
        value("bad reads", &|s| s.bad_reads.to_string()),
    ];
    let heads = vec![
        ("", Set::Left),
        (names[0].as_str(), Set::Right),
        (names[1].as_str(), Set::Right),
    ];
    style.table(&Table { heads, rows }, out)
}

/// What each side is called: by what differs.
fn names(sides: &[DifferenceRun; 2]) -> [String; 2] {
    let [one, other] = sides;
    let by = |of: fn(&DifferenceRun) -> &String| [one, other].map(|side| text::clean(of(side)));
    if one.lowering != other.lowering {
        by(|side| &side.lowering)
    } else if one.profile != other.profile {
        by(|side| &side.profile)
    } else {
        by(|side| &side.file)
    }
}

fn barrier(
    row: &DifferenceRow,
    names: &[String; 2],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let places: Vec<String> = row.sides.iter().flatten().map(place).collect();
    let place = match places.as_slice() {
        [one, other] if one == other => one.clone(),
        several => several.join(", "),
    };
    style.lines(&format!("{place}: {}", text::clean(&row.text)), out)?;
    if !row.common.is_empty() {
        style.indented(&format!("both: {}", row.common.join(", ")), out)?;
    }
    for (name, side) in names.iter().zip(&row.sides) {
        let says = match side {
            None => format!("{name}: has no such barrier"),
            Some(side) => format!("{name}: {}", told(side)),
        };
        style.indented(&says, out)?;
    }
    writeln!(out)
}

fn place(side: &DifferenceSide) -> String {
    format!("{} line {}", side.id, side.line)
}

fn told(side: &DifferenceSide) -> String {
    let mut says = Vec::new();
    if !side.only.is_empty() {
        says.push(format!("only here: {}", side.only.join(", ")));
    }
    let costs = COSTS.iter().zip(side.costs);
    let costs = costs.filter(|(_, cost)| *cost > Ps::ZERO);
    let costs: Vec<String> = costs.map(|(name, cost)| format!("{name} {cost}")).collect();
    says.push(if costs.is_empty() {
        "costs nothing".to_owned()
    } else {
        costs.join(", ")
    });
    if side.lacks {
        says.push("lacks what is asked (LW101)".to_owned());
    }
    if side.exceeds {
        says.push("does more than is asked (LW102)".to_owned());
    }
    says.join("; ")
}

/// Two runs, compared: `diff`.
pub(crate) const DIFFERENCE: Output<Printer<Difference>> = Output {
    name: "difference",
    noun: "a comparison of runs",
    writers: &[
        ("terminal", terminal),
        ("json", |found, _, out| {
            json::indented(&document(found), out)
        }),
    ],
    schema: Some(schema!(
        written DifferenceDocument<'static>, "difference", "The output of `diff --format json`"
    )),
};

/// Two runs compared barrier by barrier.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DifferenceDocument<'a> {
    /// Both runs.
    sides: Vec<RunRow<'a>>,
    /// Barriers in the order of the texts.
    barriers: Vec<ComparedRow<'a>>,
}

/// One of the runs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RunRow<'a> {
    /// The scenario's file.
    file: &'a str,
    /// Hardware profile.
    profile: &'a str,
    /// The lowering.
    lowering: &'a str,
    /// From the first submission to the end of the last work.
    makespan_ps: u64,
    /// Time in which nothing ran on any queue because of barriers.
    exposed_ps: u64,
    /// Write-backs of caches.
    cleans: u64,
    /// Drops of caches.
    invalidates: u64,
    /// Operations on textures.
    layout_operations: u64,
    /// Bytes that were written back.
    flushed_bytes: u64,
    /// Reads that did not see what they should have.
    bad_reads: u64,
}

/// A barrier of one run or of both.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ComparedRow<'a> {
    /// What it says in one line.
    text: &'a str,
    /// Both runs do and pay the same.
    same: bool,
    /// Operations of both.
    common: &'a [String],
    /// The barrier in each run; null where there is no such barrier.
    sides: Vec<Option<SideRow<'a>>>,
}

/// A barrier in one of the runs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SideRow<'a> {
    /// Id in the report of the run.
    id: &'a str,
    /// Line of its text.
    line: u32,
    /// From its turn until the work that it waits for had finished.
    drain_ps: u64,
    /// Its cache and layout operations.
    operation_ps: u64,
    /// What the work that it held needed to fill pipeline and caches again.
    refill_ps: u64,
    /// Time in which nothing ran on any queue and its own waited for this barrier. The barriers of one queue share no time.
    exposed_ps: u64,
    /// Operations of this run only.
    only: &'a [String],
    /// The packet lacks what is asked (LW101).
    lacks: bool,
    /// The packet does more than is asked (LW102).
    exceeds: bool,
}

fn document(found: &Difference) -> DifferenceDocument<'_> {
    let barriers = found.rows.iter().map(|row| ComparedRow {
        text: &row.text,
        same: row.is_same(),
        common: &row.common,
        sides: row.sides.iter().map(|s| s.as_ref().map(side_row)).collect(),
    });
    let sides = found.sides.iter().map(|side| RunRow {
        file: &side.file,
        profile: &side.profile,
        lowering: &side.lowering,
        makespan_ps: side.makespan.0,
        exposed_ps: side.exposed.0,
        cleans: side.operations[0],
        invalidates: side.operations[1],
        layout_operations: side.operations[2],
        flushed_bytes: side.bytes,
        bad_reads: side.bad_reads,
    });
    DifferenceDocument {
        sides: sides.collect(),
        barriers: barriers.collect(),
    }
}

fn side_row(side: &DifferenceSide) -> SideRow<'_> {
    let [drain_ps, operation_ps, refill_ps, exposed_ps] = side.costs.map(|cost| cost.0);
    SideRow {
        id: &side.id,
        line: side.line,
        drain_ps,
        operation_ps,
        refill_ps,
        exposed_ps,
        only: &side.only,
        lacks: side.lacks,
        exceeds: side.exceeds,
    }
}
