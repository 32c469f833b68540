//! The rules of litmus text and of the place of an instruction: the part of family `LM` that needs no exploration.

mod divergent_group_sync;
mod illegal_sync_variant;
mod text_duplicate_name;
mod text_limit_exceeded;
mod text_unexpected;
mod text_unknown_name;
mod wrong_stage;

use crate::finding::Rule;

pub use divergent_group_sync::RULE as DIVERGENT_GROUP_SYNC;
pub use illegal_sync_variant::RULE as ILLEGAL_SYNC_VARIANT;
pub use text_duplicate_name::RULE as DUPLICATE_NAME;
pub use text_limit_exceeded::RULE as LIMIT_EXCEEDED;
pub use text_unexpected::RULE as UNEXPECTED;
pub use text_unknown_name::RULE as UNKNOWN_NAME;
pub use wrong_stage::RULE as WRONG_STAGE;

/// Rules of the text itself: a test that breaks one was not understood.
pub static TEXT: &[&Rule] = &[&UNEXPECTED, &UNKNOWN_NAME, &DUPLICATE_NAME, &LIMIT_EXCEEDED];

/// Every rule of this part, in order of id.
pub static RULES: &[&Rule] = &[
    &UNEXPECTED,
    &UNKNOWN_NAME,
    &DUPLICATE_NAME,
    &LIMIT_EXCEEDED,
    &ILLEGAL_SYNC_VARIANT,
    &WRONG_STAGE,
    &DIVERGENT_GROUP_SYNC,
];
