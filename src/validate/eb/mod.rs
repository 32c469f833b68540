//! The rules of enhanced barriers: family `EB`, one file a rule.
//!
//! Spec: "Barrier API Call Validation".

pub mod access_sync;
pub mod buffer_range;
pub mod capability;
pub mod common_before;
pub mod copy_queue;
pub mod creation;
pub mod creation_flags;
pub mod discard;
pub mod empty_group;
pub mod heap_access;
pub mod in_bundle;
pub mod layout_access;
pub mod no_access_combined;
pub mod none_pairing;
pub mod null_resource;
pub mod queue_access;
pub mod queue_layout;
pub mod queue_sync;
pub mod range_bounds;
pub mod range_zero_count;
pub mod simultaneous_layout;
pub mod split;
pub mod type_mismatch;
pub mod undefined_layout;
pub mod unsupported;

use super::ValidationRule;

/// Every rule of the family, in the order in which they are asked: from the shape of an entry to its finer points.
/// The order of ids is the order in which the rules were written.
pub static RULES: &[&ValidationRule] = &[
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
];
