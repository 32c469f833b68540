//! The rules of family `RF`: mistakes in a rule file, and barriers that it says nothing about.

mod name_taken;
mod never_matches;
mod no_rule_matches;
mod pointless_clean;
mod text_unexpected;
mod unknown_name;

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
