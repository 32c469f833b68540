//! **What it finds.** A `barrier` call although the device is declared without enhanced barriers.
//!
//! **Why it matters.** Support is optional: the call is invalid on such a device, and the runtime removes the command
//! list. Legacy barriers work everywhere.
//!
//! **Firing example**
//! ```text
//! device { capability enhanced-barriers off }
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! device { capability enhanced-barriers off }
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition b UNORDERED_ACCESS -> NON_PIXEL_SHADER_RESOURCE }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Hardware Requirements", "Barrier API Call Validation".

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::{Finding, Rule, Severity};
use crate::scenario::Capability;

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB001",
    name: "enhanced-barriers-unsupported",
    severity: Severity::Error,
    summary: "a barrier on a device without enhanced barriers",
    file: include_str!("unsupported.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Entry(check)],
};

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    (!entry.scenario.device.has(Capability::EnhancedBarriers)).then(|| {
        entry
            .finding(&RULE, "the device does not support enhanced barriers")
            .help("use `legacy { }`, or switch `capability enhanced-barriers on`")
    })
}
