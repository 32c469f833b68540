//! What a word means: a name of D3D12, and on a machine.

use crate::api::{BarrierAccess, BarrierSync, Layout, Leaf, QueueType, compat};
use crate::hardware::{Client, Profile};

/// What a name of D3D12 means. A name may be an access, a scope and a layout: each is told.
pub fn of_word(word: &str) -> Option<String> {
    let mut says = Vec::new();
    if let Some(access) = BarrierAccess::parse_one(word) {
        says.push(access_says(access));
    }
    if let Some(sync) = BarrierSync::parse_one(word) {
        says.push(format!(
            "synchronization scope {:#x}: {}",
            sync.bits(),
            stages(sync)
        ));
    }
    if let Some(layout) = Layout::parse(word) {
        let accesses = compat::layout_accesses(layout);
        says.push(format!("layout {:#x}: allows {accesses}", layout.value()));
    }
    (!says.is_empty()).then(|| says.join("\n"))
}

fn access_says(access: BarrierAccess) -> String {
    let does = match (access.reads(), access.writes()) {
        (true, true) => "reads and writes",
        (false, true) => "writes",
        (true, false) => "reads",
        (false, false) => "touches nothing",
    };
    let leaves = compat::access_leaves(access);
    let at = if leaves.is_empty() {
        String::new()
    } else {
        format!(" at {}", BarrierSync::named(leaves))
    };
    format!("access {:#x}: {does}{at}", access.bits())
}

fn stages(sync: BarrierSync) -> String {
    let leaves: Vec<&str> = sync.leaves().iter().map(Leaf::name).collect();
    if leaves.is_empty() {
        "no stage".to_owned()
    } else {
        leaves.join(", ")
    }
}

/// Through which caches of a machine an access goes, a line for each direction; `None` for a word that is no single access.
pub fn on_machine(word: &str, profile: &Profile) -> Option<String> {
    let access = BarrierAccess::parse_one(word)?;
    if access.bits().count_ones() != 1 || !BarrierAccess::EVERY.contains(access) {
        return None;
    }
    let client = Client::of(access, QueueType::Direct);
    let path = |does: &str, path| {
        let caches = profile.path(path).iter();
        let names: Vec<&str> = caches.map(|id| profile.cache(*id).name.as_str()).collect();
        let through = if names.is_empty() {
            "no cache".to_owned()
        } else {
            names.join(", ")
        };
        format!("on {}: {does} through {through}", profile.name)
    };
    let reads = profile.read_paths(client).iter().copied();
    let reads = reads.filter(|_| access.reads()).map(|it| path("reads", it));
    let writes = profile.write_paths(client).filter(|_| access.writes());
    let mut lines: Vec<String> = reads.chain(writes.map(|it| path("writes", it))).collect();
    lines.dedup();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
