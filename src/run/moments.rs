//! When the two uses of a hazard met in a run: until when the first went on, and from when on the second did.
//!
//! A hazard names stages. The first side is over when the last of its stages has ended, the second begins with the first of its own;
//! where nothing orders them, the second may begin before the first is over. Two uses of one
//! command meet when both go on.

use super::stalls::Namer;
use crate::finding::{Finding, Hazard, Party};
use crate::id::OpId;
use crate::program::{HwOp, HwOpKind};
use crate::time::Ps;
use crate::trace::{OpLife, Reason, Trace};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// When the stages of something ran: name, start and end.
type Stages = Vec<(&'static str, Ps, Ps)>;

/// When the two uses of a hazard met.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Meeting"))]
#[non_exhaustive]
pub struct MeetingRow {
    /// Which of `findings[]`, counted from 0.
    pub finding: usize,
    /// When the last stage of the first side that is meant had ended.
    #[serde(rename = "first_ps")]
    pub first: Ps,
    /// When the first such stage of the second side began: before that if nothing ordered them. Two uses of one command have the
    /// moment from which both go on.
    #[serde(rename = "second_ps")]
    pub second: Ps,
    /// From when on both had begun.
    #[serde(skip)]
    pub both: Ps,
}

/// The moments of all hazards of a report whose two sides ran, in order of finding.
pub(super) fn meetings(
    namer: Namer<'_, '_>,
    trace: &Trace,
    findings: &[Finding],
) -> Vec<MeetingRow> {
    let sides = findings.iter().filter_map(|f| f.hazard.as_deref());
    let sides = sides.flat_map(|hazard| [&hazard.first, &hazard.second]);
    let mut known: BTreeMap<Arc<str>, Stages> = sides
        .map(|side| (side.command.clone(), Stages::new()))
        .collect();
    if known.is_empty() {
        return Vec::new();
    }
    let mut works: BTreeMap<OpId, Arc<str>> = BTreeMap::new();
    for (_, op) in namer.program.ops() {
        let Some((id, _)) = known.get_key_value(namer.id(op.id).as_str()) else {
            continue;
        };
        if trace.ops[op.id] == OpLife::default() && !trace.command(op.origin.node).ran() {
            continue;
        }
        let id = id.clone();
        if trace.causes.is_some() && matches!(op.kind, HwOpKind::Work(_)) {
            works.insert(op.id, id);
        } else if let Some(stages) = known.get_mut(&id) {
            stages.extend(of_packet(trace, op));
        }
    }
    for (op, leaf, start, end) in trace.causes.iter().flat_map(|causes| causes.stages()) {
        if let Some(all) = works.get(&op).and_then(|id| known.get_mut(id)) {
            all.push((leaf.name(), start, end));
        }
    }
    let hazards = findings.iter().enumerate();
    let hazards = hazards.filter_map(|(at, finding)| Some((at, finding.hazard.as_deref()?)));
    let meet = |(finding, hazard): (usize, &Hazard)| {
        let (start, first) = when(&known[&hazard.first.command], &hazard.first)?;
        let (second, _) = when(&known[&hazard.second.command], &hazard.second)?;
        let both = start.max(second);
        let is_one = hazard.first.command == hazard.second.command;
        let (first, second) = if is_one {
            (both, both)
        } else {
            (first, second)
        };
        Some(MeetingRow {
            finding,
            first,
            second,
            both,
        })
    };
    hazards.filter_map(meet).collect()
}

/// What a packet's spans say of its stages. A barrier acts from when its waits are over; what is neither has one time.
fn of_packet(trace: &Trace, op: &HwOp) -> Stages {
    let life = trace.ops[op.id];
    match &op.kind {
        HwOpKind::Work(_) => {
            let spans = trace.spans(op.id);
            let works = spans.filter_map(|(start, span)| match span.reason {
                Reason::Work(leaf) => Some((leaf.name(), start, span.end)),
                _ => None,
            });
            works.collect()
        }
        // What the machine does around a command is no use of it.
        HwOpKind::Barrier(_) if op.origin.entry.is_none() => Stages::new(),
        HwOpKind::Barrier(_) => {
            let is_wait = |reason| matches!(reason, Reason::Drain | Reason::WaitEarlierBarrier);
            let waits = trace.spans(op.id).filter(|(_, span)| is_wait(span.reason));
            let start = waits.last().map_or(life.queued, |(_, span)| span.end);
            vec![("", start, life.retired)]
        }
        _ if life == OpLife::default() => Stages::new(),
        // A present, or the CPU: what it waits for before is no use.
        _ => {
            let mut works = trace.spans(op.id);
            let work = works.find(|(_, span)| span.reason == Reason::Client);
            let start = work.map_or(life.retired, |(start, _)| start);
            vec![("", start, life.retired)]
        }
    }
}

/// From when until when the stages of a side ran; all stages if it names none that did.
fn when(stages: &Stages, side: &Party) -> Option<(Ps, Ps)> {
    let is_own = |name: &str| side.stage.split('|').any(|stage| stage == name);
    let own = || stages.iter().filter(|(name, ..)| is_own(name));
    let own: Vec<_> = if own().next().is_some() {
        own().collect()
    } else {
        stages.iter().collect()
    };
    let start = own.iter().map(|(_, start, _)| *start).min()?;
    let end = own.iter().map(|(_, _, end)| *end).max()?;
    Some((start, end))
}
