//! **What it finds.** One queue reads what another writes, and no fence orders them.

use super::{HazardRule, queue_race};
use crate::finding::{Rule, Severity};
use crate::graph::ConflictKind;

static RULE: Rule = Rule {
    id: "HZ201",
    name: "queue-race-read-write",
    severity: Severity::Hazard,
    summary: "one queue reads what another writes, and no fence orders them",
    file: include_str!("queue_race_read_write.rs"),
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kinds: &[ConflictKind::RaceReadWrite],
    message: queue_race::message,
    help: queue_race::help,
};
