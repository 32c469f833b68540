//! Lowering bugs: asked and not ensured.

use crate::ensure::{Missing, MissingKind, Shortfalls};
use crate::finding::{Finding, Rule, Severity};
use crate::hardware::Profile;
use crate::order::Timeline;

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
pub fn findings(timeline: &Timeline<'_>, profile: &Profile, lowering: &str, shortfalls: &Shortfalls) -> Vec<Finding> {
    let one = |missing: &Missing| {
        let cache = |id| &profile.cache(id).name;
        let what = match &missing.what {
            MissingKind::Wait(leaves) => format!("does not wait for {leaves}"),
            MissingKind::Hold(leaves) => format!("does not hold {leaves}"),
            MissingKind::Clean(id, write, other) => {
                format!("does not write back {}, where {write} leaves what {other} needs", cache(*id))
            }
            MissingKind::Invalidate(id, write, other) => {
                format!("does not drop {}, where {other} may find what was there before {write}", cache(*id))
            }
        };
        let name = timeline.barrier_name(missing.barrier);
        let message = format!("on {}, the lowering `{lowering}` of {name} {what}", profile.name);
        Finding::new(&MISSING, missing.span, message)
    };
    shortfalls.missing.iter().map(one).collect()
}
