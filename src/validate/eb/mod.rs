//! The rules of enhanced barriers: family `EB`, one file a rule.
//!
//! Spec: "Barrier API Call Validation".

pub(crate) mod access_before_mismatch;
pub(crate) mod access_sync;
pub(crate) mod aliases_in_one_call;
pub(crate) mod assert_access;
pub(crate) mod assert_layout;
pub(crate) mod barrier_after_none;
pub(crate) mod buffer_access;
pub(crate) mod buffer_range;
pub(crate) mod capability;
pub(crate) mod common_before;
pub(crate) mod copy_queue;
pub(crate) mod cpu_access;
pub(crate) mod creation;
pub(crate) mod creation_flags;
pub(crate) mod discard;
pub(crate) mod empty_group;
pub(crate) mod enhanced_on_legacy_state;
pub(crate) mod heap_access;
pub(crate) mod in_bundle;
pub(crate) mod layout_access;
pub(crate) mod layout_before_mismatch;
pub(crate) mod list_command;
pub(crate) mod mixed_barriers;
pub(crate) mod no_access_combined;
pub(crate) mod no_common_layout;
pub(crate) mod none_before_not_first;
pub(crate) mod none_pairing;
pub(crate) mod none_to_none;
pub(crate) mod null_resource;
pub(crate) mod queue_access;
pub(crate) mod queue_layout;
pub(crate) mod queue_sync;
pub(crate) mod range_bounds;
pub(crate) mod range_zero_count;
pub(crate) mod resolve_operands;
pub(crate) mod rtas_buffer;
pub(crate) mod self_copy;
pub(crate) mod sequential_sync;
pub(crate) mod set_root_barrier;
pub(crate) mod set_root_sync;
pub(crate) mod simultaneous_layout;
pub(crate) mod split;
pub(crate) mod split_end_without_begin;
pub(crate) mod split_halves_differ;
pub(crate) mod split_intervening;
pub(crate) mod split_never_ended;
pub(crate) mod split_unused;
pub(crate) mod type_mismatch;
pub(crate) mod undefined_layout;
pub(crate) mod unsupported;
pub(crate) mod use_on_queue;
pub(crate) mod use_outside_known_access;

use super::ValidationRule;
use super::state::{Facts, Known, explain, place};
use crate::api::Layout;
use crate::finding::{Finding, Rule};
use crate::id::ResourceId;
use crate::scenario::Command;

/// Every rule of the family, in the order in which they are asked: from the shape of an entry to its finer points.
/// The order of ids is the order in which the rules were written.
pub static RULES: &[&ValidationRule] = &[
    &list_command::VALIDATION,
    &use_on_queue::VALIDATION,
    &in_bundle::VALIDATION,
    &unsupported::VALIDATION,
    &empty_group::VALIDATION,
    &null_resource::VALIDATION,
    &type_mismatch::VALIDATION,
    &range_bounds::VALIDATION,
    &range_zero_count::VALIDATION,
    &buffer_range::VALIDATION,
    &split::VALIDATION,
    &copy_queue::VALIDATION,
    &simultaneous_layout::VALIDATION,
    &discard::VALIDATION,
    &creation::VALIDATION,
    &no_access_combined::VALIDATION,
    &buffer_access::VALIDATION,
    &queue_sync::VALIDATION,
    &queue_layout::VALIDATION,
    &queue_access::VALIDATION,
    &none_pairing::VALIDATION,
    &undefined_layout::VALIDATION,
    &capability::VALIDATION,
    &resolve_operands::VALIDATION,
    &creation_flags::VALIDATION,
    &cpu_access::VALIDATION,
    &heap_access::VALIDATION,
    &layout_access::VALIDATION,
    &access_sync::VALIDATION,
    &common_before::VALIDATION,
    &none_to_none::VALIDATION,
    &rtas_buffer::VALIDATION,
    &split_intervening::VALIDATION,
    &barrier_after_none::VALIDATION,
    &none_before_not_first::VALIDATION,
    &layout_before_mismatch::VALIDATION,
    &access_before_mismatch::VALIDATION,
    &sequential_sync::VALIDATION,
];

/// An assertion, and one run of its subresources.
#[derive(Copy, Clone)]
pub(crate) struct Assertion<'a> {
    pub(crate) command: &'a Command,
    pub(crate) id: ResourceId,
    pub(crate) known: &'a Known,
    pub(crate) run: (u32, u32),
}

impl Assertion<'_> {
    /// What is wrong with it: what is said between the halves of a split barrier, or of a layout that does not fit, with the
    /// help.
    fn check(
        self,
        facts: &Facts<'_, '_>,
        rule: &'static Rule,
        between: &str,
        unfit: impl FnOnce(Layout) -> Option<(String, String)>,
    ) -> Option<Finding> {
        let resource = facts.scenario.resource(self.id);
        if resource.is_buffer() {
            return None;
        }
        let name = facts.scenario.resource_name(self.id);
        let finding =
            |message: String| Finding::new(rule, self.command.span, message).resource(name);
        if let Some(split) = facts.open_split(self.known) {
            let place = place(resource, self.run);
            let finding = finding(format!(
                "`{name}`{place} is between the halves of a split barrier: {between}"
            ));
            return Some(
                finding
                    .related(split.barrier.span, "the split begins here")
                    .help("assert after the end half"),
            );
        }
        let (layout, run) = facts.layout(self.id, self.run, self.known)?;
        let place = place(resource, run);
        let (what, help) = unfit(layout)?;
        let finding = finding(format!("{what} `{name}`{place} is in {layout}")).help(help);
        let label = format!("`{name}`{place} went to {layout} here");
        Some(explain(facts, finding, self.known.layout_from, &label))
    }
}
