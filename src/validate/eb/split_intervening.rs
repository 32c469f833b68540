//! **What it finds.** A barrier on subresources that lies between the two halves of a split barrier on them.
//!
//! **Why it matters.** Between the halves the driver may change the layout at any time. Another barrier there finds
//! either layout.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; mips 2; initial RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync RENDER_TARGET -> SPLIT; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
//!   barrier { texture t { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_SOURCE } }
//!   barrier { texture t { sync SPLIT -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; mips 2; initial RENDER_TARGET }
//! queue q : direct
//!
//! texture u : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
//!
//! list l : direct {
//!   barrier { texture t { sync RENDER_TARGET -> SPLIT; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
//!   barrier { texture u { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_SOURCE; layout RENDER_TARGET -> COPY_SOURCE } }
//!   barrier { texture t { sync SPLIT -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.

use crate::validate::state::Before;
use crate::validate::{Check, ValidationRule};

use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB034",
    name: "split-intervening-barrier",
    severity: Severity::Error,
    summary: "a barrier between the halves of a split barrier",
    file: include_str!("split_intervening.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Before(check)],
};

fn check(it: &Before<'_, '_, '_>) -> Option<Finding> {
    let split = it.facts.open_split(it.known)?;
    let name = it.facts.scenario.resource_name(it.entry.resource_id()?);
    let place = it.place();
    let finding = it
        .finding(
            &RULE,
            None,
            "",
            format!(
                "this barrier on `{name}`{place} lies between the halves of a split barrier on it"
            ),
        )
        .related(split.barrier.span, "the split begins here");
    Some(finding.help("move this barrier before the first half or after the second half"))
}
