//! What exists: every profile, lowering, rule and report format, listed once.
//!
//! A program of one's own starts with [`registry`], adds what it has, and hands the result to
//! [`cli::main_with`](crate::cli::main_with).

use crate::finding::Family;
use crate::lower::{self, Lowering};
use crate::report::{self, Format};
use crate::run::{self, ProfileEntry, Registry};

/// Hardware profiles; the first is the default.
static PROFILES: &[ProfileEntry] = &[
    ProfileEntry {
        aliases: &["rdna10"],
        ..ProfileEntry::new("rdna", include_str!("hardware/profiles/rdna.toml"))
    },
    ProfileEntry::new("rdna12", include_str!("hardware/profiles/rdna12.toml")),
    ProfileEntry::new("intel", include_str!("hardware/profiles/intel.toml")),
    ProfileEntry::new("nvidia", include_str!("hardware/profiles/nvidia.toml")),
    ProfileEntry::new("tiler", include_str!("hardware/profiles/tiler.toml")),
    ProfileEntry::new("hopper", include_str!("hardware/profiles/hopper.toml")),
    ProfileEntry::new(
        "reference",
        include_str!("hardware/profiles/reference.toml"),
    ),
];

/// Lowerings; the first is the default. Those that show a mistake come last.
static LOWERINGS: [&dyn Lowering; 10] = [
    &lower::PRECISE,
    &lower::LAZY,
    &lower::TRACKED,
    &lower::RDNA_LIKE,
    &lower::INTEL_LIKE,
    &lower::NVIDIA_LIKE,
    &lower::TILER_LIKE,
    &lower::LEGACY_DRIVER,
    &lower::FULL_FLUSH,
    &lower::FORGETS_INVALIDATE,
];

/// Report formats. The first that has an output is the default for that output.
pub static FORMATS: &[&Format] = &[
    &report::terminal::FORMAT,
    &report::dot::FORMAT,
    &report::svg::FORMAT,
    &report::diff::FORMAT,
    &report::markdown::FORMAT,
    &report::scn::FORMAT,
    &report::litmus_text::FORMAT,
    &report::lower_text::FORMAT,
    &report::vulkan::c_text::FORMAT,
    #[cfg(feature = "cli")]
    &report::csv::FORMAT,
    #[cfg(feature = "cli")]
    &report::html::FORMAT,
    &report::json::FORMAT,
    &report::sarif::FORMAT,
    &report::github::FORMAT,
    #[cfg(feature = "cli")]
    &report::junit::FORMAT,
    &report::perfetto::FORMAT,
];

/// Families of rules, in the order in which they are shown.
pub static FAMILIES: &[Family] = &[
    family("SC", "scenario text"),
    family("EB", "enhanced barriers"),
    family("LB", "legacy barriers"),
    family("FN", "fences and synchronization objects"),
    family("HZ", "hazards"),
    family("RD", "redundant and over-wide barriers"),
    family("LW", "lowering bugs and over-flushes"),
    family("RF", "rule files"),
    family("ST", "stalls"),
    family("LM", "shader synchronization"),
];

const fn family(id: &'static str, about: &'static str) -> Family {
    Family { id, about }
}

/// Ids of rules that are no more. An id is permanent: it is never given to another rule.
pub static RETIRED: &[&str] = &["FN105"];

/// Everything that a run can choose from.
pub fn registry() -> Registry {
    Registry {
        profiles: PROFILES.to_vec(),
        lowerings: LOWERINGS.iter().chain(&lower::MUSEUM).copied().collect(),
        families: FAMILIES.to_vec(),
        rules: run::rules().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::PROFILES;
    use crate::hardware::Profile;

    /// What chooses a profile is the catalog's entry; what the file says of itself must be the same.
    #[test]
    fn a_profile_has_the_names_of_its_file() {
        for entry in PROFILES {
            let profile = Profile::parse(entry.text).expect("a built-in profile is sound");
            assert_eq!(profile.name, entry.name);
            assert_eq!(profile.aliases, entry.aliases, "aliases of {}", entry.name);
        }
    }
}
