//! Lowering bugs: asked and not ensured.

use crate::ensure::{Shortfall, Shortfalls, What};
use crate::finding::{Finding, Rule, Severity, Span};
use crate::hardware::Profile;
use crate::id::BarrierRef;
use crate::order::Timeline;
use crate::scenario::CommandKind;

/// **What it finds.** A barrier whose packets do not ensure what its masks ask for on this profile.
///
/// **Why it matters.** It is the driver's bug: the application asked correctly and still reads old data.
///
/// **Source.** The definition of *ensured*: cache paths of the profile, Enhanced Barriers specification,
/// "Synchronization", "Access Transitions".
static MISSING: Rule = Rule {
    id: "LW101",
    name: "missing-operation",
    severity: Severity::Error,
    summary: "a lowered barrier that does not wait, flush, drop or hold what it was asked to",
};

/// Rules of this family.
pub static RULES: &[&Rule] = &[&MISSING];

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
                "does not write back {}, where the accesses before leave what those after need",
                cache(id)
            ),
            What::Invalidate(id) => format!(
                "does not drop {}, where the accesses after may find old lines",
                cache(id)
            ),
            What::Layout(id) => format!(
                "lacks the layout operation `{}`",
                profile.layout_op(id).name
            ),
            What::FirstHalf => "does not follow the first half of its split pair".to_string(),
        };
        let barrier = timeline.barrier_name(missing.barrier);
        let message = format!(
            "on {}, the lowering `{lowering}` of {barrier} {what}",
            profile.name
        );
        Finding::new(&MISSING, entry_span(timeline, missing.barrier), message)
    };
    shortfalls.missing.iter().map(one).collect()
}

/// Where a barrier entry stands.
fn entry_span(timeline: &Timeline<'_>, barrier: BarrierRef) -> Span {
    let command = timeline.command(barrier.node);
    let entries = command.and_then(|command| match &command.kind {
        CommandKind::Barrier(entries)
        | CommandKind::FenceBarrier {
            barriers: entries, ..
        } => Some(entries),
        _ => None,
    });
    entries
        .and_then(|e| e.get(barrier.entry as usize))
        .map_or_else(|| timeline.span(barrier.node), |e| e.span)
}
