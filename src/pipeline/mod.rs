//! What every command begins and ends with: what it is given (options, files, the registry of profiles, lowerings and
//! rules), one front (`front.rs`: text to timeline) and one back (`back.rs`: timeline to trace).
//!
//! This module concludes nothing. `run`, `repair` and `workbench` call it, and an edited copy of a scenario goes through the
//! same front and back (`trial.rs`). [`run`](crate::run) re-exports what is public.

pub(crate) mod asserted;
pub(crate) mod back;
pub(crate) mod clock;
pub mod expect;
mod files;
pub(crate) mod front;
pub(crate) mod kernels;
pub(crate) mod lowering_files;
mod options;
pub(crate) mod pairs;
mod profile_files;
pub(crate) mod registry;
mod streamed;
pub(crate) mod switches;
pub(crate) mod trial;

pub use clock::{Stopwatch, Timing, WallClock};
pub use files::{FileKind, Files, Reader, Texts};
pub use front::{as_run, to_run};
pub use kernels::{KERNELS_MAX, read_litmus};
pub use lowering_files::{
    LoweringRead, driver_command, is_lowering_file, load_lowering, name_taken, read_lowering,
    unknown_profiles,
};
pub use options::{Drawn, FINDINGS_LISTED_MAX, Failure, Options, Proposals, Unusable};
pub use profile_files::{BASES_MAX, is_profile_file, load_profile, next_to, profile_problems};
pub use registry::{Chosen, LoweringSource, ProfileEntry, Registry, choose, rules};
pub use switches::{Level, Switch, Unlisted, is_denied, is_fixed, switch};

use crate::finding::Source;

/// What a run says whose end the machine's clock does not reach.
pub(crate) fn too_long(source: &Source) -> Unusable {
    Unusable {
        message: format!(
            "the run of `{}` is longer than the machine's clock counts (106 days)",
            source.name
        ),
        help: "shorten what `takes` or `group-takes` says, start fewer groups, or repeat less"
            .into(),
    }
}
