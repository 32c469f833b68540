crate::finding::rule! {
    /// **What it finds.** Two queues, or a queue and the CPU, write the same bytes, and no fence orders the two.
    ///
    /// **Why it matters.** Either may write last, and parts of both may survive. A barrier never orders another queue.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier-Free Access", "Single-Queue Simultaneous Access"; readings
    /// R22, R23, R42.
    static RULE = "HZ202", "queue-race-write-write", Hazard,
        "two queues write the same bytes, and no fence orders them";
}

use super::{HazardRule, queue_race};
use crate::graph::ConflictKind;

pub(super) static HAZARD: HazardRule = HazardRule::new(
    &RULE,
    &[ConflictKind::RaceWriteWrite],
    queue_race::message,
    queue_race::help,
);
