//! What a write needs to reach a read: it follows from the paths.
//!
//! *Meet* is the first cache of the write's path that is shared and also on the read's path, memory if there is none.
//! The write-back caches of the write's path before the meet are cleaned, then the caches of the read's path before it are
//! invalidated. Where an access may take several paths, all are meant.

use crate::hardware::{Client, Profile, Routes, WritePolicy};
use crate::id::{CacheId, PathId};

/// Cache operations, each cache once, in the order of the profile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needed {
    /// Caches to write back.
    pub clean: Vec<CacheId>,
    /// To drop, after that.
    pub invalidate: Vec<CacheId>,
}

impl Needed {
    fn clean(&mut self, cache: CacheId) {
        insert(&mut self.clean, cache);
    }

    fn invalidate(&mut self, cache: CacheId) {
        insert(&mut self.invalidate, cache);
    }
}

/// Keeps a list sorted and without doubles.
pub(super) fn insert<T: Ord>(list: &mut Vec<T>, item: T) {
    if let Err(at) = list.binary_search(&item) {
        list.insert(at, item);
    }
}

/// Where a write and a read meet, as places on their paths: `path.len()` is memory.
fn meet(routes: Routes<'_>, write: &[CacheId], read: &[CacheId]) -> (usize, usize) {
    for (at, cache) in write.iter().enumerate() {
        if !routes.cache(*cache).private
            && let Some(other) = read.iter().position(|c| c == cache)
        {
            return (at, other);
        }
    }
    (write.len(), read.len())
}

fn pair(routes: Routes<'_>, write: PathId, read: PathId, needed: &mut Needed) {
    let (write, read) = (routes.path(write), routes.path(read));
    let (of_write, of_read) = meet(routes, write, read);
    for cache in &write[..of_write] {
        if routes.cache(*cache).policy == WritePolicy::WriteBack {
            needed.clean(*cache);
        }
    }
    drop_before(routes, &read[..of_read], needed);
}

/// What a read goes through before it meets a write.
fn drop_before(routes: Routes<'_>, read: &[CacheId], needed: &mut Needed) {
    for cache in read {
        // What holds nothing from one command to the next need not be dropped.
        if !routes.cache(*cache).refreshed {
            needed.invalidate(*cache);
        }
    }
}

/// What a write by one client needs to reach a read by another, where both take the ways of buffers and ordinary textures.
pub fn needed_ops(profile: &Profile, write: Client, read: Client) -> Needed {
    needed_to_reach(profile.texel_routes(), write, read)
}

/// What a write by one client needs to reach a read by another.
pub(super) fn needed_to_reach(routes: Routes<'_>, write: Client, read: Client) -> Needed {
    let mut needed = Needed::default();
    for w in routes.write_paths(write) {
        for r in routes.read_paths(read) {
            pair(routes, w, *r, &mut needed);
        }
    }
    if let Some(tiles) = routes.stored(write, read) {
        // The pass stores past these caches of the reader.
        for read in routes.read_paths(read) {
            let read = routes.path(*read);
            let (_, of_read) = meet(routes, tiles, read);
            drop_before(routes, &read[..of_read], &mut needed);
        }
    }
    needed
}

/// What a write needs before another client overwrites its bytes: dirty lines that lie before the meeting point would be
/// written back later, over the newer bytes.
pub(super) fn needed_before_overwrite(
    routes: Routes<'_>,
    first: Client,
    second: Client,
) -> Vec<CacheId> {
    let mut needed = Needed::default();
    for a in routes.write_paths(first) {
        for b in routes.write_paths(second) {
            pair(routes, a, b, &mut needed);
        }
    }
    needed.clean
}

/// What a version that one client can already see needs before another client overwrites it: it may still be dirty where
/// the writer does not pass, and would be written back later.
pub(super) fn needed_before_replacing(
    routes: Routes<'_>,
    seen_by: Client,
    writer: Client,
) -> Vec<CacheId> {
    let mut needed = Needed::default();
    for a in routes.read_paths(seen_by) {
        for b in routes.write_paths(writer) {
            pair(routes, *a, b, &mut needed);
        }
    }
    needed.clean
}

/// What a version that one client can already see needs to be seen by another: its own caches are fresh, so that those
/// they share need nothing, but what it sees may be dirty in them.
pub(super) fn needed_to_extend(routes: Routes<'_>, seen_by: Client, read: Client) -> Needed {
    let mut needed = Needed::default();
    for a in routes.read_paths(seen_by) {
        for b in routes.read_paths(read) {
            pair(routes, *a, *b, &mut needed);
        }
    }
    let fresh = |cache: &CacheId| {
        let mut paths = routes.read_paths(seen_by).iter();
        paths.any(|p| routes.path(*p).contains(cache))
    };
    needed.invalidate.retain(|cache| !fresh(cache));
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::BarrierAccess;

    fn profile(name: &str) -> Profile {
        let text = match name {
            "rdna" => include_str!("../hardware/profiles/rdna.toml"),
            "rdna12" => include_str!("../hardware/profiles/rdna12.toml"),
            "intel" => include_str!("../hardware/profiles/intel.toml"),
            "nvidia" => include_str!("../hardware/profiles/nvidia.toml"),
            "hopper" => include_str!("../hardware/profiles/hopper.toml"),
            "tiler" => include_str!("../hardware/profiles/tiler.toml"),
            other => panic!("{other} is no profile"),
        };
        Profile::parse(text).expect("sound")
    }

    /// What public drivers do, written down by hand from their sources: the machine, the write, the read, what is cleaned
    /// and what is invalidated.
    const DRIVERS: &str = "
        rdna   | RENDER_TARGET       | SHADER_RESOURCE    | CB      | GL1 K L0V
        rdna12 | RENDER_TARGET       | SHADER_RESOURCE    | CB      | K L0V
        rdna   | UNORDERED_ACCESS    | SHADER_RESOURCE    |         | GL1 K L0V
        rdna   | UNORDERED_ACCESS    | INDIRECT_ARGUMENT  |         |
        rdna12 | UNORDERED_ACCESS    | INDIRECT_ARGUMENT  | L2      |
        rdna12 | UNORDERED_ACCESS    | INDEX_BUFFER       | L2      |
        rdna12 | COPY_QUEUE_WRITE    | SHADER_RESOURCE    |         | K L0V L2
        rdna   | COPY_QUEUE_WRITE    | SHADER_RESOURCE    |         | GL1 K L0V
        rdna   | RENDER_TARGET       | RENDER_TARGET      |         |
        rdna   | DEPTH_STENCIL_WRITE | DEPTH_STENCIL_READ |         |
        rdna   | DEPTH_STENCIL_WRITE | SHADER_RESOURCE    | DB      | GL1 K L0V
        rdna   | UNORDERED_ACCESS    | HOST               | L2      |
        rdna   | HOST                | SHADER_RESOURCE    |         | GL1 K L0V L2
        intel  | RENDER_TARGET       | SHADER_RESOURCE    | RT      | TEX
        intel  | UNORDERED_ACCESS    | SHADER_RESOURCE    | L1      | TEX
        intel  | UNORDERED_ACCESS    | INDIRECT_ARGUMENT  | L1 L3   |
        intel  | STREAM_OUTPUT       | VERTEX_BUFFER      |         | L3 VF
        intel  | UNORDERED_ACCESS    | INDEX_BUFFER       | L1      | VF
        intel  | DEPTH_STENCIL_WRITE | SHADER_RESOURCE    | DEPTH   | TEX
        nvidia | RENDER_TARGET       | SHADER_RESOURCE    |         | L1T
        nvidia | UNORDERED_ACCESS    | CONSTANT_BUFFER    |         | C1 C15 L1T
        nvidia | UNORDERED_ACCESS    | INDIRECT_ARGUMENT  |         | SKED
        nvidia | UNORDERED_ACCESS    | SHADER_RESOURCE    |         | L1T
        nvidia | COPY_DEST           | COPY_SOURCE        |         |
        tiler  | RENDER_TARGET       | SHADER_RESOURCE    | CCUC    | CCHE UCHE
        tiler  | UNORDERED_ACCESS    | SHADER_RESOURCE    |         | CCHE
        tiler  | UNORDERED_ACCESS    | INDIRECT_ARGUMENT  | UCHE    |
        tiler  | RENDER_TARGET       | INDIRECT_ARGUMENT  | CCUC    |
        tiler  | DEPTH_STENCIL_WRITE | SHADER_RESOURCE    | CCUD    | CCHE UCHE
        tiler  | RENDER_TARGET       | DEPTH_STENCIL_READ | CCUC    | CCUD
    ";

    #[test]
    fn the_rule_reproduces_what_drivers_do() {
        let client = |word: &str| {
            Client::all()
                .find(|c| c.word() == word)
                .unwrap_or_else(|| panic!("{word} is a client"))
        };
        let rows = DRIVERS.lines().map(str::trim);
        for row in rows.filter(|row| !row.is_empty()) {
            let fields: Vec<&str> = row.split('|').map(str::trim).collect();
            let [name, write, read, clean, invalidate] = fields[..] else {
                panic!("a row has five fields: {row}");
            };
            let profile = profile(name);
            let needed = needed_ops(&profile, client(write), client(read));
            let names = |list: &[CacheId]| {
                let mut names: Vec<_> = list
                    .iter()
                    .map(|c| profile.cache(*c).name.clone())
                    .collect();
                names.sort();
                names.join(" ")
            };
            let pair = format!("{name}: {write} -> {read}");
            assert_eq!(names(&needed.clean), clean, "{pair}: clean");
            assert_eq!(names(&needed.invalidate), invalidate, "{pair}: invalidate");
        }
    }

    #[test]
    fn a_version_that_shaders_see_needs_nothing_for_other_shader_accesses() {
        let profile = profile("rdna");
        let access = Client::Access;
        let (srv, cbv) = (
            BarrierAccess::SHADER_RESOURCE,
            BarrierAccess::CONSTANT_BUFFER,
        );
        assert_eq!(
            needed_to_extend(profile.texel_routes(), access(srv), access(cbv)),
            Needed::default()
        );
        let indirect = BarrierAccess::INDIRECT_ARGUMENT;
        assert_eq!(
            needed_to_extend(profile.texel_routes(), access(srv), access(indirect)),
            Needed::default()
        );
        // What only the front end has seen may lie under old lines of the shaders' caches.
        let needed = needed_to_extend(profile.texel_routes(), access(indirect), access(srv));
        assert_eq!(needed.invalidate.len(), 3);
    }
}
