//! The rules of scenario text: family `SC`, one file a rule. All are errors, because a text that is not understood
//! cannot be run.

mod bad_expectation;
mod bad_value;
mod duplicate_name;
mod duplicate_option;
mod json_syntax;
mod kernel_unusable;
mod limit_exceeded;
mod out_of_bounds;
mod queue_type_mismatch;
mod unexpected_character;
mod unexpected_token;
mod unknown_name;
mod vanishing_bit;
mod wrong_resource;
mod wrong_stage;

use crate::finding::Rule;

pub use bad_expectation::RULE as BAD_EXPECTATION;
pub use bad_value::RULE as BAD_VALUE;
pub use duplicate_name::RULE as DUPLICATE_NAME;
pub use duplicate_option::RULE as DUPLICATE_OPTION;
pub use json_syntax::RULE as JSON_SYNTAX;
pub use kernel_unusable::RULE as KERNEL_UNUSABLE;
pub use limit_exceeded::RULE as LIMIT_EXCEEDED;
pub use out_of_bounds::RULE as OUT_OF_BOUNDS;
pub use queue_type_mismatch::RULE as QUEUE_TYPE_MISMATCH;
pub use unexpected_character::RULE as UNEXPECTED_CHARACTER;
pub use unexpected_token::RULE as UNEXPECTED_TOKEN;
pub use unknown_name::RULE as UNKNOWN_NAME;
pub use vanishing_bit::RULE as VANISHING_BIT;
pub use wrong_resource::RULE as WRONG_RESOURCE;
pub use wrong_stage::RULE as WRONG_STAGE;

/// Every rule of the family, in order of id.
pub static RULES: &[&Rule] = &[
    &UNEXPECTED_CHARACTER,
    &UNEXPECTED_TOKEN,
    &UNKNOWN_NAME,
    &DUPLICATE_NAME,
    &DUPLICATE_OPTION,
    &OUT_OF_BOUNDS,
    &LIMIT_EXCEEDED,
    &QUEUE_TYPE_MISMATCH,
    &VANISHING_BIT,
    &BAD_VALUE,
    &WRONG_STAGE,
    &WRONG_RESOURCE,
    &BAD_EXPECTATION,
    &JSON_SYNTAX,
    &KERNEL_UNUSABLE,
];
