crate::finding::rule! {
    /// **What it finds.** A barrier whose packets do more than its masks ask for on this profile: a wait for other
    /// stages, a write-back, a drop or a layout operation that no access of the barrier needs, a hold of other stages.
    ///
    /// **Why it matters.** It is the driver's waste: the application asked for less. Nothing breaks, and every frame
    /// pays. The finding says what the run paid: how often, how many bytes, and how much time beyond what the packet
    /// takes anyway. An operation that another barrier of the same call asks for is no waste, whichever packet carries
    /// it; neither is the wait of a machine that can only wait for whole queues. The work that waits for a hold pays
    /// for it, so that a hold has no time of its own here. More than four barriers that do the same too much are one
    /// finding.
    ///
    /// **Source.** The definition of *ensured*: the cache paths of the profile; Enhanced Barriers specification,
    /// "Shortcomings of Resource State Barriers"; reading R46.
    pub(super) static RULE = "LW102", "over-flush", Warning,
        "a lowered barrier that waits, flushes, drops or holds more than it was asked to";
}

use super::Lowered;
use super::tally::Wasteful;
use crate::analyze::names;
use crate::ensure::{NO_ENTRY, What};
use crate::finding::{Finding, Span};
use crate::hardware::Profile;
use crate::scenario::Barrier;
use crate::time::Ps;
use crate::trace::Sum;
use indexmap::IndexMap;

/// Barriers that do the same too much and have a finding each; more have one together.
const APART_MAX: usize = 4;
/// Further places that a finding of several barriers names.
const PLACES_MAX: usize = 3;

/// What entries have in common that are told together: whether they are packets of no barrier, and what is too much.
type Waste = (bool, Vec<What>);

/// Entries whose executions do what nothing asked for; `sums` are those of the run.
pub(super) fn findings(lowered: Lowered<'_, '_>, sums: &[Sum]) -> Vec<Finding> {
    let mut entries: Vec<(Span, &Wasteful)> = Vec::new();
    entries.extend(lowered.tally.wasteful.iter().map(|(span, it)| (*span, it)));
    entries.sort_by_key(|(span, it)| (*span, it.executions.first));
    // Packets of no barrier are told by themselves.
    let mut groups: IndexMap<Waste, Vec<(Span, &Wasteful)>> = IndexMap::new();
    for (span, entry) in entries {
        let is_unasked = entry.executions.first.entry == NO_ENTRY;
        let operations = entry.extra.keys().copied().collect();
        let alike = groups.entry((is_unasked, operations)).or_default();
        alike.push((span, entry));
    }
    let mut findings = Vec::new();
    for ((_, operations), entries) in &groups {
        let size = if entries.len() > APART_MAX {
            entries.len()
        } else {
            1
        };
        for alike in entries.chunks(size) {
            findings.push(finding(lowered, sums, operations, alike));
        }
    }
    findings
}

/// One finding about entries that do the same too much; never none.
fn finding(
    lowered: Lowered<'_, '_>,
    sums: &[Sum],
    operations: &[What],
    entries: &[(Span, &Wasteful)],
) -> Finding {
    let timeline = lowered.timeline;
    let (span, first) = (entries[0].0, entries[0].1.executions.first);
    let who = if first.entry == NO_ENTRY {
        let next = timeline.node_name(first.node);
        match entries.len() {
            1 => format!("before {next}, where no barrier is,"),
            several => format!("in {several} places where no barrier is, the first before {next},"),
        }
    } else {
        let name = timeline.barrier_name(first);
        match entries.len() {
            1 => format!("of {name}"),
            several => format!("of {several} barriers, the first of them {name},"),
        }
    };
    let what = match operations.len() {
        1 => "an operation".to_owned(),
        several => format!("{several} operations"),
    };
    let each = if entries.len() == 1 { "" } else { " each" };
    let message = format!(
        "on {}, the lowering `{}` {who} has {what}{each} that nothing asks for",
        lowered.profile.name, lowered.lowering
    );
    let mut finding = Finding::new(&RULE, span, message);
    for what in operations {
        let mut total = Sum::default();
        for (_, entry) in entries {
            let sum = entry.extra.get(what).and_then(|at| sums.get(*at as usize));
            if let Some(sum) = sum {
                total.times += sum.times;
                total.bytes += sum.bytes;
                total.time += sum.time;
            }
        }
        finding = finding.note(format!(
            "{}{}",
            does_too_much(lowered.profile, *what),
            paid(*what, total)
        ));
    }
    for (span, _) in entries.iter().skip(1).take(PLACES_MAX) {
        finding = finding.related(*span, "the same here");
    }
    let resource = names::entry(timeline, first).and_then(Barrier::resource);
    if let Some(resource) = resource.filter(|_| entries.len() == 1) {
        finding = finding.resource(timeline.scenario.resource_name(resource));
    }
    finding.repeats = entries
        .iter()
        .map(|(_, entry)| entry.executions.count)
        .sum();
    finding.help(format!(
        "let `{}` derive its operations from the masks of the barrier, as `precise` does",
        lowered.lowering
    ))
}

/// An operation that is more than was asked for.
pub(super) fn does_too_much(profile: &Profile, what: What) -> String {
    let cache = |id| &profile.cache(id).name;
    match what {
        What::Wait(leaves) => format!("waits for {leaves}"),
        What::Hold(leaves) => format!("holds {leaves}"),
        What::Clean(id) => format!("writes {} back", cache(id)),
        What::Invalidate(id) => format!("drops {}", cache(id)),
        What::Layout(id) => format!("runs the layout operation `{}`", profile.layout_op(id).name),
        What::FrontEnd => "holds the front end back".to_owned(),
        What::FirstHalf => "waits for the first half of its split pair".to_owned(),
    }
}

/// What a run paid for an operation.
fn paid(what: What, total: Sum) -> String {
    let times = match total.times {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    match what {
        What::Hold(_) | What::FrontEnd | What::FirstHalf => String::new(),
        _ if total.times == 0 => ": never in this run".to_owned(),
        What::Wait(_) if total.time == Ps::ZERO => format!(": {times}, in no time of its own"),
        What::Wait(_) => format!(": {times}, {} more than was asked", total.time),
        What::Clean(_) | What::Invalidate(_) | What::Layout(_) => {
            format!(": {times}, {} bytes, {}", total.bytes, total.time)
        }
    }
}
