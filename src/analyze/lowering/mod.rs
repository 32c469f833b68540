//! Lowering bugs: asked and not ensured.

mod missing_operation;

use crate::analyze::names;
use crate::ensure::{Shortfall, Shortfalls, What};
use crate::finding::{Finding, Rule, Span};
use crate::hardware::Profile;
use crate::id::BarrierRef;
use crate::order::Timeline;

/// Rules of this family.
pub static RULES: &[&Rule] = &[&missing_operation::RULE];

/// Findings about a lowered program.
pub fn findings(
    timeline: &Timeline<'_>,
    profile: &Profile,
    lowering: &str,
    shortfalls: &Shortfalls,
) -> Vec<Finding> {
    let one = |missing: &Shortfall| {
        let cache = |id| &profile.cache(id).name;
        let what = match missing.what {
            What::Wait(leaves) => format!("does not wait for {leaves}"),
            What::Hold(leaves) => format!("does not hold {leaves}"),
            What::Clean(id) => format!(
                "does not write back {}, which may hold what the accesses after the barrier need",
                cache(id)
            ),
            What::Invalidate(id) => format!(
                "does not drop {}, where the accesses after the barrier may find old lines",
                cache(id)
            ),
            What::Layout(id) => format!(
                "lacks the layout operation `{}`",
                profile.layout_op(id).name
            ),
            What::FirstHalf => "does not wait for the first half of its split pair".to_string(),
        };
        let barrier = timeline.barrier_name(missing.barrier);
        let message = format!(
            "on {}, the lowering `{lowering}` of {barrier} {what}",
            profile.name
        );
        let span = entry_span(timeline, missing.barrier);
        Finding::new(&missing_operation::RULE, span, message)
            .help("let the lowering emit that operation for this barrier")
    };
    shortfalls.missing.iter().map(one).collect()
}

/// Where a barrier entry is.
fn entry_span(timeline: &Timeline<'_>, barrier: BarrierRef) -> Span {
    names::entry(timeline, barrier).map_or_else(|| timeline.span(barrier.node), |e| e.span)
}
