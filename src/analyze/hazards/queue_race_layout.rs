crate::finding::rule! {
    /// **What it finds.** A queue changes the layout of a texture, or discards it, while another uses it or changes its
    /// layout too, and no fence orders the two.
    ///
    /// **Why it matters.** A transition reads and rewrites the texture's memory. Whoever uses it meanwhile finds it in
    /// neither layout, and after two transitions the layout may be either.
    ///
    /// **Source.** Enhanced Barriers specification, "Layout Transitions", "Barrier-Free Access"; readings R17, R23,
    /// R42.
    static RULE = "HZ203", "queue-race-layout", Hazard,
        "one queue changes the layout of what another uses, and no fence orders them";
}

use super::{HazardRule, queue_race};
use crate::graph::ConflictKind;

pub(super) static HAZARD: HazardRule = HazardRule::new(
    &RULE,
    &[ConflictKind::RaceLayout],
    queue_race::message,
    queue_race::help,
);
