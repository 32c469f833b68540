//! **What it finds.** One queue changes the layout of what another uses, and no fence orders them.

use super::{HazardRule, queue_race};
use crate::finding::{Rule, Severity};
use crate::graph::ConflictKind;

static RULE: Rule = Rule {
    id: "HZ203",
    name: "queue-race-layout",
    severity: Severity::Hazard,
    summary: "one queue changes the layout of what another uses, and no fence orders them",
    file: include_str!("queue_race_layout.rs"),
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kinds: &[ConflictKind::RaceLayout],
    message: queue_race::message,
    help: queue_race::help,
};
