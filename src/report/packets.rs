//! The packets of barriers, for people and for programs.

use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::run::{PacketRow, Packets, StepRow};
use crate::schema::schema;
use crate::time::{self, Ps};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Barriers that are listed unless all are asked for.
const LISTED_MAX: usize = 200;
/// Ways that an operation lists unless all are asked for.
const WAYS_MAX: usize = 3;

/// Writes the page for people.
///
/// # Errors
/// Only what the writer returns.
fn page(packets: &Packets, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let by = packets
        .lowering_named_by
        .word()
        .map_or_else(String::new, |by| format!(" (named by {by})"));
    let title = format!(
        "{} on {} with {}{by}",
        text::clean(&packets.scenario),
        packets.profile,
        packets.lowering
    );
    style.lines(&title, out)?;
    let most = if style.all { usize::MAX } else { LISTED_MAX };
    let barriers = packets.barriers.iter().take(most);
    let unasked = packets.unasked.iter().take(most);
    let listed = barriers.len() + unasked.len();
    let unasked = unasked.map(|row| (head_of_nobody(row), row));
    for (head, row) in barriers.map(|row| (head(row), row)).chain(unasked) {
        writeln!(out)?;
        style.hanging(&head, out)?;
        for line in lines(row, style) {
            style.hanging(&line, out)?;
        }
    }
    writeln!(out)?;
    let more = packets.barriers.len() + packets.unasked.len() - listed;
    if more > 0 {
        let more = text::count(more as u64, "more packet", "more packets");
        style.lines(&format!("… and {more}; `--all` lists them"), out)?;
    }
    style.lines(&summary(packets), out)
}

fn summary(packets: &Packets) -> String {
    let all = || packets.barriers.iter().chain(&packets.unasked);
    let least: Ps = all().map(|row| row.least).sum();
    let waits: Ps = all().map(|row| row.wait_price).sum();
    let with = |rows: &[PacketRow], one, several| {
        let operations: u64 = rows.iter().map(|row| row.operations.len() as u64).sum();
        let operations = text::count(operations, "operation", "operations");
        let packets = text::count(rows.len() as u64, one, several);
        format!("{packets} with {operations}")
    };
    let mut summary = with(&packets.barriers, "barrier", "barriers");
    if !packets.unasked.is_empty() {
        let unasked = with(
            &packets.unasked,
            "packet of no barrier",
            "packets of no barrier",
        );
        let _ = write!(summary, " and {unasked}");
    }
    let _ = write!(
        summary,
        ": {least} for operations at least, {waits} for waits beyond the work"
    );
    if packets.others > 0 {
        let others = text::count(packets.others as u64, "packet", "packets");
        let _ = write!(
            summary,
            "; {others} that no barrier made (starts and ends of scopes, copies, presents, passes)"
        );
    }
    summary
}

/// What a barrier is, and where.
fn head(row: &PacketRow) -> String {
    format!(
        "{} line {}: {}, access {} -> {}{}",
        row.id,
        row.line,
        text::clean(&row.text),
        row.access_before,
        row.access_after,
        if row.role == "barrier" {
            String::new()
        } else {
            format!(" ({})", row.role)
        }
    )
}

/// Where a packet is that no barrier made.
fn head_of_nobody(row: &PacketRow) -> String {
    let queue = text::clean(&row.queue);
    format!(
        "of no barrier, next to {} line {}, on {queue}",
        row.id, row.line
    )
}

/// What a packet does, after its head.
fn lines(row: &PacketRow, style: &Style) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in &row.rules {
        let name = rule.name.as_ref().map_or_else(
            || "the default".to_owned(),
            |name| format!("rule \"{}\"", text::clean(name)),
        );
        let bits = match (rule.before.as_str(), rule.after.as_str()) {
            ("", "") => String::new(),
            (before, "") => format!(", matched by {before} before"),
            ("", after) => format!(", matched by {after} after"),
            (before, after) => format!(", matched by {before} -> {after}"),
        };
        lines.push(format!(
            "  {name}, line {} of the rule file{bits}",
            rule.line
        ));
    }
    if row.unmatched {
        lines.push("  no rule of the rule file matches it".to_owned());
    }
    if row.wait.is_empty() {
        lines.push("  waits for nothing".to_owned());
    } else {
        lines.push(format!(
            "  waits for {}: {} beyond the work",
            row.wait, row.wait_price
        ));
    }
    for step in &row.operations {
        lines.extend(operation(step, style));
    }
    if row.hold.is_empty() {
        lines.push("  holds nothing".to_owned());
    } else {
        lines.push(format!("  holds {}", row.hold));
    }
    lines
}

fn operation(step: &StepRow, style: &Style) -> Vec<String> {
    let machine_op = match step.machine_op.as_str() {
        "" => String::new(),
        op => format!(" ({})", text::clean(op)),
    };
    let is_cache = step.op == "clean" || step.op == "invalidate";
    let reach = match step.bytes {
        Some(bytes) => format!(", {}", time::size(bytes)),
        None if is_cache => ", whole".to_owned(),
        None => String::new(),
    };
    let (least, most) = (step.price_least, step.price_most);
    let price = if least == most {
        least.to_string()
    } else {
        format!("{least} to {most}")
    };
    let mut lines = vec![
        format!(
            "  {} {}{machine_op}{reach}: {price}",
            step.op,
            text::clean(&step.target)
        ),
        format!("    why: {}", text::clean(&step.why)),
    ];
    let shown = style.shown(step.ways.len(), WAYS_MAX);
    for way in &step.ways[..shown] {
        lines.push(format!("    way: {}: {}", way.access, way.path));
    }
    if step.ways.len() > shown {
        lines.push(format!("    way: … and {} more", step.ways.len() - shown));
    }
    lines
}

/// Packets of barriers: `lower`.
pub(crate) const PACKETS: Output<Printer<Packets>> = Output {
    name: "packets",
    noun: "a list of packets",
    writers: &[
        ("terminal", page),
        ("json", |packets, _, out| {
            json::indented(&document(packets), out)
        }),
    ],
    schema: Some(schema!(
        written PacketsDocument<'static>, "packets", "The output of `lower --format json`"
    )),
};

/// Packets of barriers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PacketsDocument<'a> {
    /// Version of this contract.
    schema: u32,
    #[serde(flatten)]
    packets: &'a Packets,
}

fn document(packets: &Packets) -> PacketsDocument<'_> {
    PacketsDocument { schema: 1, packets }
}
