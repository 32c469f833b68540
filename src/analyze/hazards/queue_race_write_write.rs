//! **What it finds.** Two queues, or a queue and the CPU, write the same bytes, and no fence orders the two.
//!
//! **Why it matters.** Either may write last, and parts of both may survive. A barrier never orders another queue.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue gfx : direct
//! queue async : compute
//!
//! list one : direct {
//!   dispatch "first" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! list two : compute {
//!   dispatch "second" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   gfx execute one
//!   async execute two
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! fence f
//! queue gfx : direct
//! queue async : compute
//!
//! list one : direct {
//!   dispatch "first" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! list two : compute {
//!   dispatch "second" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   gfx execute one
//!   gfx signal f 1
//!   async wait f 1
//!   async execute two
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Barrier-Free Access", "Single-Queue Simultaneous Access"; readings
//! R22, R23, R42.

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
