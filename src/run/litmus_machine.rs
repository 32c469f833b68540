//! What a profile's machine is to a litmus test, and the designs of a wake-up that may be lost.

use crate::api::BarrierAccess;
use crate::hardware::{Client, Profile, WritePolicy};
use crate::litmus::MachineOptions;
use crate::litmus::examine::ModelName;
use crate::litmus::wakeup::{Design, Outcome, explore};

/// The line of the cache that UAV accesses meet first, and the model that its policy makes of the machine.
///
/// # Panics
/// If a line does not fit in memory: a profile with one is refused when it is read.
pub fn litmus_machine(profile: &Profile) -> (MachineOptions, ModelName) {
    let client = Client::Access(BarrierAccess::UNORDERED_ACCESS);
    let path = profile.path(profile.read_paths(client)[0]);
    let Some(first) = path.first() else {
        return (MachineOptions::default(), ModelName::Sequential);
    };
    let cache = profile.cache(*first);
    let model = match cache.policy {
        WritePolicy::WriteBack => ModelName::WriteBack,
        _ => ModelName::WriteThrough,
    };
    let line_words = usize::try_from((cache.line_bytes / 4).max(1)).expect("a line fits in memory");
    (MachineOptions { line_words }, model)
}

/// What comes of every design of a wake-up.
pub fn wake_ups() -> Vec<(Design, Outcome)> {
    Design::all()
        .map(|design| (design, explore(design)))
        .collect()
}
