//! Two runs compared barrier by barrier: for people, as values, and as a table for other programs.

use super::columns::{Set, Table};
use super::{Style, text};
use crate::run::{Difference, DifferenceRow, DifferenceRun, DifferenceSide};
use crate::time::{Ps, bytes};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Names of what a barrier costs, in order.
const COSTS: [&str; 4] = ["drain", "operation", "refill", "exposed"];

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
pub(crate) fn terminal(found: &Difference, style: &Style, out: &mut dyn Write) -> io::Result<()> {
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

/// Writes the same as values.
///
/// # Errors
/// If the output cannot be written.
pub(crate) fn json(found: &Difference, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let side = |side: &Option<DifferenceSide>| -> Value {
        let Some(side) = side else {
            return Value::Null;
        };
        let [drain, operation, refill, exposed] = side.costs.map(|cost| cost.0);
        json!({
            "id": side.id,
            "line": side.line,
            "drain_ps": drain,
            "operation_ps": operation,
            "refill_ps": refill,
            "exposed_ps": exposed,
            "only": side.only,
            "lacks": side.lacks,
            "exceeds": side.exceeds,
        })
    };
    let rows = found.rows.iter().map(|row| {
        json!({
            "text": row.text,
            "same": row.is_same(),
            "common": row.common,
            "sides": row.sides.iter().map(side).collect::<Vec<_>>(),
        })
    });
    let totals = found.sides.iter().map(|side| {
        json!({
            "file": side.file,
            "profile": side.profile,
            "lowering": side.lowering,
            "makespan_ps": side.makespan.0,
            "exposed_ps": side.exposed.0,
            "cleans": side.operations[0],
            "invalidates": side.operations[1],
            "layout_operations": side.operations[2],
            "flushed_bytes": side.bytes,
            "bad_reads": side.bad_reads,
        })
    });
    let document = json!({
        "sides": totals.collect::<Vec<_>>(),
        "barriers": rows.collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
