crate::finding::rule! {
    /// **What it finds.** A queue, or the CPU, reads what another writes, and no fence orders the two.
    ///
    /// **Why it matters.** Submission order is not execution order: the read may come before, during or after the
    /// write. A barrier never orders another queue. The text puts one of the two first, and a run shows the race if the
    /// read sees something else: a read after the write in the text that sees older contents, even if it ran before the
    /// write began, or a read before the write that sees what the write left.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier-Free Access", "Single-Queue Simultaneous Access"; readings
    /// R22, R23, R42, R44.
    static RULE = "HZ201", "queue-race-read-write", Hazard,
        "one queue reads what another writes, and no fence orders them";
}

use super::{HazardRule, queue_race};
use crate::graph::ConflictKind;

pub(super) static HAZARD: HazardRule = HazardRule::new(
    &RULE,
    &[ConflictKind::RaceReadWrite],
    queue_race::message,
    queue_race::help,
);
