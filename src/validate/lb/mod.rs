//! The rules of legacy barriers: family `LB`, one file a rule.
//!
//! Spec: "Legacy vs Enhanced State Validation", "Compatibility with legacy D3D12_RESOURCE_STATES".

use super::ValidationRule;
use crate::finding::Finding;
use crate::order::Timeline;
use crate::scenario::Scenario;

/// Rules that look at one entry, in the order in which they are asked.
pub static RULES: &[&ValidationRule] = &[];

/// What legacy entries break in the order in which they execute.
pub(super) fn findings(_scenario: &Scenario, _timeline: &Timeline<'_>) -> Vec<Finding> {
    Vec::new()
}
