//! **What it finds.** `NO_ACCESS` combined with another access bit.
//!
//! **Why it matters.** `NO_ACCESS` says that nothing accesses the resource.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync ALL -> RENDER_TARGET; access NO_ACCESS|COPY_DEST -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync ALL -> RENDER_TARGET; access COPY_DEST -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_ACCESS_NO_ACCESS`".

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::BarrierAccess;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB011",
    name: "no-access-combined",
    severity: Severity::Error,
    summary: "NO_ACCESS together with other access bits",
    file: include_str!("no_access_combined.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Side(check)],
};

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let combined = it.access.is_no_access() && it.access != BarrierAccess::NO_ACCESS;
    combined.then(|| {
        let side = it.side.word();
        let others = it.access.difference(BarrierAccess::NO_ACCESS);
        it.finding(
            &RULE,
            format!("`Access{side}` combines NO_ACCESS with {others}"),
        )
        .help(format!("`Access{side}` is either NO_ACCESS or {others}"))
    })
}
