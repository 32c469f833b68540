//! **What it finds.** A queue, or the CPU, reads what another writes, and no fence orders the two.
//!
//! **Why it matters.** Submission order is not execution order: the read may come before, during or after the write. A
//! barrier never orders another queue. The text puts one of the two first, and a run shows the race if the read sees
//! something else: a read after the write in the text that sees older contents, even if it ran before the write began,
//! or a read before the write that sees what the write left.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue gfx : direct
//! queue async : compute
//!
//! list one : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! list two : compute {
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
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
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! list two : compute {
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
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
//! R22, R23, R42, R44.

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
