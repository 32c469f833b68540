//! Lowering bugs: asked and not ensured.

mod missing_operation;

use crate::ensure::{Missing, MissingKind, Shortfalls};
use crate::finding::{Finding, Rule};
use crate::hardware::Profile;
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
    let one = |missing: &Missing| {
        let cache = |id| &profile.cache(id).name;
        let what = match &missing.what {
            MissingKind::Wait(leaves) => format!("does not wait for {leaves}"),
            MissingKind::Hold(leaves) => format!("does not hold {leaves}"),
            MissingKind::Clean(id, write, other) => {
                format!(
                    "does not write back {}, where {write} leaves what {other} needs",
                    cache(*id)
                )
            }
            MissingKind::Invalidate(id, write, other) => {
                format!(
                    "does not drop {}, where {other} may find what was there before {write}",
                    cache(*id)
                )
            }
        };
        let name = timeline.barrier_name(missing.barrier);
        let message = format!(
            "on {}, the lowering `{lowering}` of {name} {what}",
            profile.name
        );
        Finding::new(&missing_operation::RULE, missing.span, message)
            .help("let the lowering emit that operation for this barrier")
    };
    shortfalls.missing.iter().map(one).collect()
}
