//! What exists: every profile, lowering, rule, output and report format, listed once.
//!
//! A program of one's own starts with [`registry`], adds what it has, and hands the result to
//! [`cli::main_with`](crate::cli::main_with).

use crate::finding::Family;
use crate::hardware::Profile;
use crate::interop::{driver, frame_graph};
use crate::lower::{self, Lowering};
use crate::report::format::AnyOutput;
use crate::report::{self, Format};
use crate::run::{self, ProfileEntry, Registry};
use crate::schema::Schema;

/// Hardware profiles; the first is the default.
static PROFILES: &[ProfileEntry] = &[
    ProfileEntry {
        aliases: &["rdna10"],
        ..ProfileEntry::new("rdna", include_str!("hardware/profiles/rdna.toml"))
    },
    ProfileEntry::new("rdna12", include_str!("hardware/profiles/rdna12.toml")),
    ProfileEntry {
        aliases: &["gcn5"],
        ..ProfileEntry::new("vega", include_str!("hardware/profiles/vega.toml"))
    },
    ProfileEntry::new("intel", include_str!("hardware/profiles/intel.toml")),
    ProfileEntry::new("intel9", include_str!("hardware/profiles/intel9.toml")),
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

/// Kinds of output, in the order in which `syncscope list formats` names them.
pub static OUTPUTS: &[&dyn AnyOutput] = &[
    &report::format::REPORT,
    &report::profiles::PROFILES,
    &report::what_if::WHAT_IF,
    &report::without::WITHOUT,
    &report::verification::VERIFICATION,
    &report::difference::DIFFERENCE,
    &report::corpus_difference::CORPUS_DIFFERENCE,
    &report::bisection::BISECTION,
    &report::mutation::MUTATION,
    &report::search::SEARCH,
    &report::judgement::JUDGEMENT,
    &report::ddi::DDI,
    &report::vulkan::VULKAN,
    &report::vulkan::roundtrip::ROUNDTRIP,
    &report::dependencies::GRAPH,
    &report::fences::FENCES,
    &report::fences::FENCE_KINDS,
    &report::wakeups::WAKE_UPS,
    #[cfg(feature = "import")]
    &report::imported::IMPORTED,
    &report::litmus::LITMUS,
    &report::repair::REPAIR,
    &report::placement::PLACEMENT,
    &report::page::PAGE,
    &report::list::LIST,
    &report::test::TEST,
    &report::lesson::LESSON,
    &report::lesson::LESSONS,
    &report::lesson::CLASS,
    &report::scn::SCENARIO,
    &report::lower_text::RULES,
    &report::packets::PACKETS,
    &report::steps::STEPS,
    &report::litmus_text::KERNEL,
];

/// Schemas of what the program reads and writes.
pub fn schemas() -> impl Iterator<Item = Schema> {
    let of_outputs = OUTPUTS.iter().filter_map(|output| output.schema());
    of_outputs
        .chain([
            Profile::SCHEMA,
            lower::recorded::SCHEMA,
            frame_graph::SCHEMA,
        ])
        .chain(driver::SCHEMAS)
}

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
    family("PT", "packets of a driver"),
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
    use super::{FORMATS, OUTPUTS, PROFILES, schemas};
    use crate::hardware::Profile;
    use std::collections::BTreeSet;
    use std::{env, fs};

    /// What chooses a profile is the catalog's entry; what the file says of itself must be the same.
    #[test]
    fn a_profile_has_the_names_of_its_file() {
        for entry in PROFILES {
            let profile = Profile::parse(entry.text).expect("a built-in profile is sound");
            assert_eq!(profile.name, entry.name);
            assert_eq!(profile.aliases, entry.aliases, "aliases of {}", entry.name);
        }
    }

    #[test]
    fn what_is_json_has_a_schema() {
        let json = FORMATS.iter().find(|format| format.name == "json");
        let json = json.expect("a format of that name");
        for output in OUTPUTS {
            assert_eq!(
                output.has(json),
                output.schema().is_some(),
                "{}",
                output.name()
            );
        }
    }

    #[test]
    fn schemas_are_those_of_the_types() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/schema");
        let mut files = BTreeSet::from(["mod.rs".to_owned()]);
        let mut stale = Vec::new();
        for schema in schemas() {
            let derived = (schema.derived)();
            let text = serde_json::to_string_pretty(&derived).expect("JSON") + "\n";
            let file = format!("{}.json", schema.name);
            if text != schema.text && env::var_os("UPDATE_SCHEMAS").is_some() {
                fs::write(format!("{folder}/{file}"), text).expect("a file that can be written");
            } else if text != schema.text {
                stale.push(schema.name);
            }
            assert!(files.insert(file), "two schemas are called {}", schema.name);
        }
        assert!(
            stale.is_empty(),
            "of another shape than their types: {}; `UPDATE_SCHEMAS=1 cargo test --test unit schemas` writes them",
            stale.join(", ")
        );
        let there = fs::read_dir(folder).expect("the folder").map(|entry| {
            let name = entry.expect("an entry").file_name();
            name.into_string().expect("a plain name")
        });
        assert_eq!(there.collect::<BTreeSet<_>>(), files, "a schema of nothing");
    }
}
