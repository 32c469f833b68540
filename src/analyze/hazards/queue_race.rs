//! **What they find.** Two queues, or a queue and the CPU, touch the same bytes, at least one writes (or changes the
//! layout), and no fence orders the two submissions.
//!
//! **Why it matters.** Barriers order work of one queue only. Without a fence either may come first, or both at once.
//!
//! **Source.** Enhanced Barriers specification, "Single-Queue Simultaneous Access", "Global Barriers" ("in a single
//! command queue"); readings R17, R21, R23, R42.

use super::{Context, HazardRule};
use crate::finding::{Rule, Severity};
use crate::graph::{Conflict, ConflictKind};

static READ_WRITE_RULE: Rule = Rule {
    id: "HZ201",
    name: "queue-race-read-write",
    severity: Severity::Hazard,
    summary: "one queue reads what another writes, and no fence orders them",
};

static WRITE_WRITE_RULE: Rule = Rule {
    id: "HZ202",
    name: "queue-race-write-write",
    severity: Severity::Hazard,
    summary: "two queues write the same bytes, and no fence orders them",
};

static LAYOUT_RULE: Rule = Rule {
    id: "HZ203",
    name: "queue-race-layout",
    severity: Severity::Hazard,
    summary: "one queue changes the layout of what another uses, and no fence orders them",
};

pub(super) static READ_WRITE: HazardRule = HazardRule {
    rule: &READ_WRITE_RULE,
    kind: ConflictKind::RaceReadWrite,
    message,
    help,
};

pub(super) static WRITE_WRITE: HazardRule = HazardRule {
    rule: &WRITE_WRITE_RULE,
    kind: ConflictKind::RaceWriteWrite,
    message,
    help,
};

pub(super) static LAYOUT: HazardRule = HazardRule {
    rule: &LAYOUT_RULE,
    kind: ConflictKind::RaceLayout,
    message,
    help,
};

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let timeline = context.timeline;
    let queue = |side: &crate::graph::Side| {
        timeline.actor_name(timeline.submission(timeline.submission_of(side.node)).actor)
    };
    let verb = |side: &crate::graph::Side| {
        if side.barrier().is_some() {
            "changes the layout of"
        } else {
            "uses"
        }
    };
    format!(
        "{} on `{}` {} `{}` while {} on `{}` {} it: no fence orders them",
        context.side(&conflict.second),
        queue(&conflict.second),
        verb(&conflict.second),
        context.resource(conflict),
        context.side(&conflict.first),
        queue(&conflict.first),
        verb(&conflict.first),
    )
}

fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let timeline = context.timeline;
    let queue = |side: &crate::graph::Side| {
        timeline.actor_name(timeline.submission(timeline.submission_of(side.node)).actor)
    };
    Some(format!(
        "signal a fence on `{}` after the first and wait for it on `{}` before the second",
        queue(&conflict.first),
        queue(&conflict.second)
    ))
}
