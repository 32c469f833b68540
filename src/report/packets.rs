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
        for line in lines(row, style.all) {
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
        row.access[0],
        row.access[1],
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
fn lines(row: &PacketRow, all: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in &row.rules {
        let name = rule.name.as_ref().map_or_else(
            || "the default".to_owned(),
            |name| format!("rule \"{}\"", text::clean(name)),
        );
        let bits = match (rule.bits[0].as_str(), rule.bits[1].as_str()) {
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
        lines.extend(operation(step, all));
    }
    if row.hold.is_empty() {
        lines.push("  holds nothing".to_owned());
    } else {
        lines.push(format!("  holds {}", row.hold));
    }
    lines
}

fn operation(step: &StepRow, all: bool) -> Vec<String> {
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
    let [least, most] = step.price;
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
    let shown = if all {
        step.ways.len()
    } else {
        step.ways.len().min(WAYS_MAX)
    };
    for (accesses, way) in &step.ways[..shown] {
        lines.push(format!("    way: {accesses}: {way}"));
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
    /// Title of the scenario, or its file name.
    scenario: &'a str,
    /// Hardware profile.
    profile: &'a str,
    /// The lowering.
    lowering: &'a str,
    /// Who named the lowering: `the command line`, `the scenario` or `the profile`; null if nobody did.
    lowering_named_by: Option<&'static str>,
    /// Packets of barriers in order of execution.
    barriers: Vec<BarrierPacket<'a>>,
    /// Packets that a driver wrote where no barrier is, each with the id of the command next to it.
    packets_of_no_barrier: Vec<BarrierPacket<'a>>,
    /// Other packets that no barrier made: of starts and ends of scopes, copies, presents and passes.
    other_packets: usize,
}

/// The packet of a barrier entry.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BarrierPacket<'a> {
    /// Distinct for each execution.
    id: &'a str,
    /// Line of its text.
    line: u32,
    /// Queue.
    queue: &'a str,
    /// What it says in one line.
    text: &'a str,
    /// `AccessBefore`.
    access_before: &'a str,
    /// `AccessAfter`.
    access_after: &'a str,
    /// `barrier`, `first half of a split barrier`, `second half of a split barrier` or `by region, in a render pass`;
    /// of a packet that no barrier made `of no barrier`.
    role: &'static str,
    /// Stages that it waits for; empty for none.
    wait: &'a str,
    /// What waiting costs beyond the work.
    wait_price_ps: u64,
    /// What the operations cost at least.
    operations_least_ps: u64,
    /// Stages that it holds; empty for none.
    hold: &'a str,
    /// No rule of the rule file matches it.
    unmatched: bool,
    /// Rules of the rule file that match it.
    rules: Vec<RuleRef<'a>>,
    /// What it does.
    operations: Vec<PricedOperation<'a>>,
}

/// A rule of a rule file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RuleRef<'a> {
    /// Its name; null for the default.
    rule: Option<&'a str>,
    /// Its line in the rule file.
    line: u32,
    /// Bits of `AccessBefore` that its conditions name.
    before: &'a str,
    /// Bits of `AccessAfter` that its conditions name.
    after: &'a str,
}

/// An operation of a packet.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PricedOperation<'a> {
    /// `clean`, `invalidate`, `decompress`, …
    op: &'a str,
    /// Cache or resource.
    target: &'a str,
    /// The machine's name for it; empty if it has none.
    machine_op: &'a str,
    /// Bytes that it is about; null for a whole cache, or if it has none.
    bytes: Option<u64>,
    /// Why it is there, in one sentence.
    why: &'a str,
    /// Ways through the caches that need it.
    ways: Vec<WayRow<'a>>,
    /// What it costs at least.
    price_least_ps: u64,
    /// What it costs at most.
    price_most_ps: u64,
}

/// A way through the caches.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WayRow<'a> {
    /// Accesses that take it.
    access: &'a str,
    /// Its caches.
    path: &'a str,
}

fn document(packets: &Packets) -> PacketsDocument<'_> {
    PacketsDocument {
        schema: 1,
        scenario: &packets.scenario,
        profile: &packets.profile,
        lowering: &packets.lowering,
        lowering_named_by: packets.lowering_named_by.word(),
        barriers: packets.barriers.iter().map(packet).collect(),
        packets_of_no_barrier: packets.unasked.iter().map(packet).collect(),
        other_packets: packets.others,
    }
}

fn packet(row: &PacketRow) -> BarrierPacket<'_> {
    let rules = row.rules.iter().map(|rule| RuleRef {
        rule: rule.name.as_deref(),
        line: rule.line,
        before: &rule.bits[0],
        after: &rule.bits[1],
    });
    BarrierPacket {
        id: &row.id,
        line: row.line,
        queue: &row.queue,
        text: &row.text,
        access_before: &row.access[0],
        access_after: &row.access[1],
        role: row.role,
        wait: &row.wait,
        wait_price_ps: row.wait_price.0,
        operations_least_ps: row.least.0,
        hold: &row.hold,
        unmatched: row.unmatched,
        rules: rules.collect(),
        operations: row.operations.iter().map(priced).collect(),
    }
}

fn priced(step: &StepRow) -> PricedOperation<'_> {
    let ways = step.ways.iter();
    PricedOperation {
        op: &step.op,
        target: &step.target,
        machine_op: &step.machine_op,
        bytes: step.bytes,
        why: &step.why,
        ways: ways.map(|(access, path)| WayRow { access, path }).collect(),
        price_least_ps: step.price[0].0,
        price_most_ps: step.price[1].0,
    }
}
