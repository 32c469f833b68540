//! The rules of enhanced barriers: family `EB`, one file a rule.
//!
//! Spec: "Barrier API Call Validation".

pub mod access_before_mismatch;
pub mod access_sync;
pub mod aliases_in_one_call;
pub mod assert_access;
pub mod assert_layout;
pub mod barrier_after_none;
pub mod buffer_access;
pub mod buffer_range;
pub mod capability;
pub mod common_before;
pub mod copy_queue;
pub mod creation;
pub mod creation_flags;
pub mod discard;
pub mod empty_group;
pub mod enhanced_on_legacy_state;
pub mod heap_access;
pub mod in_bundle;
pub mod layout_access;
pub mod layout_before_mismatch;
pub mod list_command;
pub mod mixed_barriers;
pub mod no_access_combined;
pub mod no_common_layout;
pub mod none_before_not_first;
pub mod none_pairing;
pub mod none_to_none;
pub mod null_resource;
pub mod queue_access;
pub mod queue_layout;
pub mod queue_sync;
pub mod range_bounds;
pub mod range_zero_count;
pub mod rtas_buffer;
pub mod self_copy;
pub mod sequential_sync;
pub mod set_root_barrier;
pub mod set_root_sync;
pub mod simultaneous_layout;
pub mod split;
pub mod split_end_without_begin;
pub mod split_halves_differ;
pub mod split_intervening;
pub mod split_never_ended;
pub mod split_unused;
pub mod type_mismatch;
pub mod undefined_layout;
pub mod unsupported;
pub mod use_on_queue;
pub mod use_outside_known_access;

use super::ValidationRule;

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
    &creation_flags::VALIDATION,
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
