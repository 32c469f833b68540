//! The rules of family `RF`: mistakes in a rule file, and barriers that it says nothing about.

pub mod name_taken;
pub mod never_matches;
pub mod no_rule_matches;
pub mod pointless_clean;
pub mod text_unexpected;
pub mod unknown_name;

use crate::finding::Rule;

pub use name_taken::RULE as NAME_TAKEN;
pub use never_matches::RULE as NEVER_MATCHES;
pub use no_rule_matches::RULE as NO_RULE_MATCHES;
pub use pointless_clean::RULE as POINTLESS_CLEAN;
pub use text_unexpected::RULE as UNEXPECTED;
pub use unknown_name::RULE as UNKNOWN_NAME;

/// Every rule of the family, in order of id.
pub static RULES: &[&Rule] = &[
    &UNEXPECTED,
    &UNKNOWN_NAME,
    &POINTLESS_CLEAN,
    &NEVER_MATCHES,
    &NO_RULE_MATCHES,
    &NAME_TAKEN,
];
