//! The rules of legacy barriers: family `LB`, one file a rule.
//!
//! [`RULES`] look at one entry. [`TRACKED`] need the order in which entries and uses execute: `track/` decides, and their
//! files say it. Two rules of enhanced barriers are tracked here as well, because they compare with legacy states.
//!
//! Spec: "Legacy vs Enhanced State Validation", "Compatibility with legacy `D3D12_RESOURCE_STATES`".

pub(crate) mod acceleration_structure;
pub(crate) mod alias_placed;
pub(crate) mod barrier_between_halves;
pub(crate) mod begin_never_ended;
pub(crate) mod capability;
pub(crate) mod creation_flag;
pub(crate) mod decays_anyway;
pub(crate) mod end_without_begin;
pub(crate) mod halves_differ;
pub(crate) mod heap_state;
pub(crate) mod in_bundle;
pub(crate) mod on_enhanced_layout;
pub(crate) mod pixel_state_on_compute;
pub(crate) mod promotes_anyway;
pub(crate) mod promotions_do_not_join;
pub(crate) mod queue_state;
pub(crate) mod range_bounds;
pub(crate) mod resource_kind;
pub(crate) mod same_states;
pub(crate) mod stage_not_in_state;
pub(crate) mod state_before;
pub(super) mod track;
pub(crate) mod uav_flag;
pub(crate) mod unflushed;
pub(crate) mod unknown_state;
pub(crate) mod use_outside_state;
pub(crate) mod write_combined;

use super::eb::{enhanced_on_legacy_state, mixed_barriers};
use super::{Check, LegacyEntry, ValidationRule};
use crate::finding::{Finding, Rule, Span};
use crate::order::Timeline;
use crate::scenario::Scenario;

/// Rules that look at one entry, in the order in which they are asked.
pub static RULES: &[&ValidationRule] = &[
    &in_bundle::VALIDATION,
    &range_bounds::VALIDATION,
    &unknown_state::VALIDATION,
    &same_states::VALIDATION,
    &write_combined::VALIDATION,
    &capability::VALIDATION,
    &queue_state::VALIDATION,
    &resource_kind::VALIDATION,
    &acceleration_structure::VALIDATION,
    &alias_placed::VALIDATION,
    &uav_flag::VALIDATION,
    &creation_flag::VALIDATION,
    &heap_state::VALIDATION,
];

/// Rules that need the order of execution, by id.
pub static TRACKED: &[&Rule] = &[
    &state_before::RULE,
    &end_without_begin::RULE,
    &begin_never_ended::RULE,
    &halves_differ::RULE,
    &on_enhanced_layout::RULE,
    &decays_anyway::RULE,
    &promotes_anyway::RULE,
    &unflushed::RULE,
    &barrier_between_halves::RULE,
    &pixel_state_on_compute::RULE,
    &stage_not_in_state::RULE,
    &promotions_do_not_join::RULE,
    &use_outside_state::RULE,
    &enhanced_on_legacy_state::RULE,
    &mixed_barriers::RULE,
];

/// Rules that find a use which its legacy state does not allow.
static OF_USES: &[&Rule] = &[
    &pixel_state_on_compute::RULE,
    &stage_not_in_state::RULE,
    &promotions_do_not_join::RULE,
    &use_outside_state::RULE,
];

/// Places of the uses that a rule of the family finds, ascending.
pub(super) fn refused_uses(findings: &[Finding]) -> Vec<Span> {
    let mut places: Vec<Span> = findings
        .iter()
        .filter(|f| OF_USES.iter().any(|rule| rule.id == f.rule.id))
        .map(|f| f.span)
        .collect();
    places.sort_unstable();
    places
}

/// Places of enhanced entries on subresources in a legacy state, sorted.
pub(super) fn on_legacy_states(findings: &[Finding]) -> Vec<Span> {
    let rule = &super::eb::enhanced_on_legacy_state::RULE;
    let on = findings.iter().filter(|f| f.rule.id == rule.id);
    let mut places: Vec<Span> = on.map(|f| f.span).collect();
    places.sort_unstable();
    places
}

/// What legacy entries, and uses of what is in a legacy state, break in the order in which they execute.
pub(super) fn findings(scenario: &Scenario, timeline: &Timeline<'_>) -> Vec<Finding> {
    track::findings(scenario, timeline)
}

/// What the scenario does with the known state in place of each wrong `StateBefore`.
pub(super) fn mended(scenario: &Scenario, timeline: &Timeline<'_>) -> track::mends::Mended {
    track::mended(scenario, timeline)
}

/// Whether a rule of a single entry refuses an entry: then nothing further is said about it.
fn statically_wrong(entry: &LegacyEntry<'_>) -> bool {
    RULES
        .iter()
        .flat_map(|rule| rule.checks)
        .any(|check| match check {
            Check::Legacy(check) => check(entry).is_some_and(|f| f.severity.fails()),
            _ => false,
        })
}
