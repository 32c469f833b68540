//! What exists: every profile, lowering, rule and report format, listed once.

use crate::report::{self, Format};
use crate::run::{ProfileEntry, Registry};
use crate::{analyze, lower, scenario, validate};

/// Hardware profiles; the first is the default.
static PROFILES: &[ProfileEntry] = &[ProfileEntry {
    name: "rdna",
    aliases: &["rdna10"],
    text: include_str!("hardware/profiles/rdna.toml"),
}];

/// Report formats; the first is the default.
pub static FORMATS: &[&Format] = &[&report::terminal::FORMAT, &report::json::FORMAT];

/// Everything that a run can choose from.
pub fn registry() -> Registry {
    Registry {
        profiles: PROFILES.to_vec(),
        lowerings: vec![&lower::PRECISE, &lower::FULL_FLUSH],
        rules: scenario::RULES
            .iter()
            .copied()
            .chain(validate::rules())
            .chain(analyze::rules())
            .collect(),
    }
}
