//! **What it finds.** Two queues write the same bytes, and no fence orders them.

use super::{HazardRule, queue_race};
use crate::finding::{Rule, Severity};
use crate::graph::ConflictKind;

static RULE: Rule = Rule {
    id: "HZ202",
    name: "queue-race-write-write",
    severity: Severity::Hazard,
    summary: "two queues write the same bytes, and no fence orders them",
    file: include_str!("queue_race_write_write.rs"),
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kinds: &[ConflictKind::RaceWriteWrite],
    message: queue_race::message,
    help: queue_race::help,
};
