//! The one integration binary.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "scenes and counts of tests are small"
)]
#![allow(
    clippy::type_complexity,
    reason = "a table of a test is read where it is written, and nowhere else"
)]

mod api;
mod attribution;
mod beats;
mod book;
mod browser;
mod built;
mod by_pairs;
mod caches;
mod captures;
mod chains;
mod cli;
mod compare;
mod conformance;
#[path = "../../benches/data/crowded.rs"]
mod crowded;
mod ddi;
mod dependency_graphs;
mod diff;
mod drivers;
mod ensured;
mod excerpts;
mod fences;
mod fixes;
mod formats;
mod front;
mod front_ends;
mod growth;
mod hazards;
mod hints;
mod hostile;
mod html;
mod import;
mod joins;
mod judge;
mod late_reads;
mod laws;
mod layers;
mod legacy;
mod legality_reference;
mod lessons;
mod limits;
mod list_types;
mod litmus;
mod live;
mod lowering_scenes;
mod lsp;
mod machine;
mod machine_pairs;
mod machine_random;
mod machine_scenes;
mod metadata;
mod mutate;
mod once;
mod one_wrong_field;
mod one_wrong_word;
mod option_products;
mod over_flush;
mod own_lowering;
mod own_profiles;
mod pictures;
mod place;
mod possible;
mod prices;
mod products;
mod races;
mod random;
mod readings;
mod redundancy;
mod reference;
mod repaired;
mod repairs;
mod resets;
mod robustness;
mod rule_files;
mod rules;
mod schema;
mod shaders;
mod shared_accesses;
mod sizes;
mod slurm;
mod splits;
mod stalls;
mod step;
mod streams;
mod switches;
mod tools;
mod touches;
mod tour;
mod trials;
mod unlisted;
mod validate;
mod verify;
mod vulkan;
mod without;
mod words;

/// That of the program, so that tests run as fast.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
