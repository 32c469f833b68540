crate::finding::rule! {
    /// **What it finds.** A use of a subresource between the halves of a split barrier.
    ///
    /// **Why it matters.** The pair acts at no defined time between its halves: until the second half the layout is
    /// neither the one before nor the one after, and nothing is visible.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers"; readings R27, R42.
    static RULE = "HZ107", "use-while-split", Hazard,
        "a use between the halves of a split barrier";
}

use super::{Context, HazardRule, USES};
use crate::graph::{Conflict, ConflictKind};

pub(super) static HAZARD: HazardRule =
    HazardRule::new(&RULE, &[ConflictKind::UseWhileSplit], message, help);

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    format!(
        "{} {} {} between the halves of the split barrier that {} begins",
        context.side(&conflict.second),
        context.second(conflict, USES),
        context.resource(conflict),
        context.side(&conflict.first),
    )
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
fn help(_: &Context<'_, '_>, _: &Conflict) -> Option<String> {
    Some("end the split barrier before this use, or begin it after this use".into())
}
