//! **What it finds.** A fence barrier on a fence of the device while the device has tier 1 of fence barriers only.
//!
//! **Why it matters.** Tier 1 knows fences that are scoped to command lists. Tier 2 takes every fence made for it; it
//! needs native fences and submission from user mode.
//!
//! **Firing example**
//! ```text
//! device { capability fence-barriers-tier-2 off }
//! fence f
//! queue gfx : direct
//!
//! list l : direct {
//!   dispatch "work" 1x1x1 { }
//!   signal-barrier f 1 { global { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }
//! }
//!
//! timeline {
//!   gfx execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! device { capability fence-barriers-tier-2 off }
//! fence f { scope list }
//! queue gfx : direct
//!
//! list l : direct {
//!   dispatch "work" 1x1x1 { }
//!   signal-barrier f 1 { global { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }
//! }
//!
//! timeline {
//!   gfx execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification (preview), "Fence Barriers": tiers.

use crate::finding::{Finding, Rule, Severity};
use crate::scenario::Capability;
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN022",
    name: "fence-barrier-tier",
    severity: Severity::Error,
    summary: "a fence barrier on a fence that tier 1 does not allow",
    file: include_str!("fence_barrier_tier.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::FenceUse(check)],
};

fn check(it: &FenceUse<'_>) -> Option<Finding> {
    let tier_2 = it.scenario.device.has(Capability::FenceBarriersTier2);
    (it.actor == FenceActor::List && !tier_2 && !it.fence().list_scoped).then(|| {
        let name = it.name();
        let message =
            format!("tier 1 allows no fence barrier on `{name}`, which is a fence of the device");
        Finding::new(&RULE, it.span, message)
            .related(it.fence().span, "declared here")
            .resource(name)
            .help("write `scope list` in the fence, or signal and wait on the queue")
    })
}
