//! Two runs compared barrier by barrier: for people, as values, and as a table for other programs.

use super::columns::Set;
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
    let rows = [
        value("makespan", &|s| s.makespan.to_string()),
        value("exposed", &|s| s.exposed.to_string()),
        value("cleans", &|s| s.cleans.to_string()),
        value("invalidates", &|s| s.invalidates.to_string()),
        value("layout operations", &|s| s.layout_operations.to_string()),
        value("flushed", &|s| bytes(s.flushed_bytes)),
        value("bad reads", &|s| s.bad_reads.to_string()),
    ];
    let heads = [
        ("", Set::Left),
        (names[0].as_str(), Set::Right),
        (names[1].as_str(), Set::Right),
    ];
    style.table(&heads, rows.into_iter(), out)
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
    let costs = COSTS.iter().zip(side.costs());
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
    sides: &'a [DifferenceRun],
    /// Barriers in the order of the texts.
    barriers: Vec<ComparedRow<'a>>,
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
    sides: &'a [Option<DifferenceSide>],
}

fn document(found: &Difference) -> DifferenceDocument<'_> {
    let barriers = found.rows.iter().map(|row| ComparedRow {
        text: &row.text,
        same: row.is_same(),
        common: &row.common,
        sides: &row.sides,
    });
    DifferenceDocument {
        sides: &found.sides,
        barriers: barriers.collect(),
    }
}
