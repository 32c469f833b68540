//! What a write needs to reach a read, from the paths alone.
//!
//! *Meet* is the first cache of the write's path that is shared and also on the read's path, memory if there is none.
//! The write-back caches of the write's path before the meet are cleaned, then the caches of the read's path before it are
//! invalidated. Where an access may take several paths, all are meant.

use crate::hardware::{Client, Policy, Profile};
use crate::id::{CacheId, PathId};

/// Cache operations, each cache once, in the order of the profile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needed {
    /// To write back.
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
fn meet(profile: &Profile, write: &[CacheId], read: &[CacheId]) -> (usize, usize) {
    for (at, cache) in write.iter().enumerate() {
        if !profile.cache(*cache).private
            && let Some(other) = read.iter().position(|c| c == cache)
        {
            return (at, other);
        }
    }
    (write.len(), read.len())
}

fn pair(profile: &Profile, write: PathId, read: PathId, needed: &mut Needed) {
    let (write, read) = (profile.path(write), profile.path(read));
    let (of_write, of_read) = meet(profile, write, read);
    for cache in &write[..of_write] {
        if profile.cache(*cache).policy == Policy::WriteBack {
            needed.clean(*cache);
        }
    }
    for cache in &read[..of_read] {
        needed.invalidate(*cache);
    }
}

/// What a write by one client needs to reach a read by another.
pub fn needed_ops(profile: &Profile, write: Client, read: Client) -> Needed {
    let mut needed = Needed::default();
    for w in profile.write_paths(write) {
        for r in profile.read_paths(read) {
            pair(profile, w, *r, &mut needed);
        }
    }
    needed
}

/// What a write needs before another client overwrites its bytes: dirty lines that lie before the meeting point would be
/// written back later, over the newer bytes.
pub(super) fn needed_before_overwrite(
    profile: &Profile,
    first: Client,
    second: Client,
) -> Vec<CacheId> {
    let mut needed = Needed::default();
    for a in profile.write_paths(first) {
        for b in profile.write_paths(second) {
            pair(profile, a, b, &mut needed);
        }
    }
    needed.clean
}

/// What a version that one client can already see needs to be seen by another: its own caches are fresh, so that those
/// they share need nothing, but what it sees may be dirty in them.
pub(super) fn needed_to_extend(profile: &Profile, seen_by: Client, read: Client) -> Needed {
    let mut needed = Needed::default();
    for a in profile.read_paths(seen_by) {
        for b in profile.read_paths(read) {
            pair(profile, *a, *b, &mut needed);
        }
    }
    let fresh = |cache: &CacheId| {
        profile
            .read_paths(seen_by)
            .iter()
            .any(|p| profile.path(*p).contains(cache))
    };
    needed.invalidate.retain(|cache| !fresh(cache));
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::BarrierAccess;

    /// The rows of the reference's `checks` for gen10: write, read, cleans, invalidates.
    #[test]
    fn the_rule_reproduces_what_drivers_do() {
        let profile =
            Profile::parse(include_str!("../hardware/profiles/rdna.toml")).expect("sound");
        let client = |word: &str| {
            Client::all()
                .find(|c| c.word() == word)
                .unwrap_or_else(|| panic!("{word} is a client"))
        };
        let rows: &[(&str, &str, &[&str], &[&str])] = &[
            (
                "RENDER_TARGET",
                "SHADER_RESOURCE",
                &["CB"],
                &["GL1", "K", "L0V"],
            ),
            (
                "UNORDERED_ACCESS",
                "SHADER_RESOURCE",
                &[],
                &["GL1", "K", "L0V"],
            ),
            ("UNORDERED_ACCESS", "INDIRECT_ARGUMENT", &[], &[]),
            (
                "COPY_QUEUE_WRITE",
                "SHADER_RESOURCE",
                &[],
                &["GL1", "K", "L0V"],
            ),
            ("RENDER_TARGET", "RENDER_TARGET", &[], &[]),
            ("DEPTH_STENCIL_WRITE", "DEPTH_STENCIL_READ", &[], &[]),
            (
                "DEPTH_STENCIL_WRITE",
                "SHADER_RESOURCE",
                &["DB"],
                &["GL1", "K", "L0V"],
            ),
            ("UNORDERED_ACCESS", "HOST", &["L2"], &[]),
            ("HOST", "SHADER_RESOURCE", &[], &["GL1", "K", "L0V", "L2"]),
        ];
        for (write, read, clean, invalidate) in rows {
            let needed = needed_ops(&profile, client(write), client(read));
            let names = |list: &[CacheId]| {
                let mut names: Vec<_> = list
                    .iter()
                    .map(|c| profile.cache(*c).name.clone())
                    .collect();
                names.sort();
                names
            };
            assert_eq!(names(&needed.clean), *clean, "{write} -> {read}: clean");
            assert_eq!(
                names(&needed.invalidate),
                *invalidate,
                "{write} -> {read}: invalidate"
            );
        }
    }

    #[test]
    fn a_version_that_shaders_see_needs_nothing_for_other_shader_accesses() {
        let profile =
            Profile::parse(include_str!("../hardware/profiles/rdna.toml")).expect("sound");
        let access = Client::Access;
        let (srv, cbv) = (
            BarrierAccess::SHADER_RESOURCE,
            BarrierAccess::CONSTANT_BUFFER,
        );
        assert_eq!(
            needed_to_extend(&profile, access(srv), access(cbv)),
            Needed::default()
        );
        let indirect = BarrierAccess::INDIRECT_ARGUMENT;
        assert_eq!(
            needed_to_extend(&profile, access(srv), access(indirect)),
            Needed::default()
        );
        // What only the front end has seen may lie under old lines of the shaders' caches.
        let needed = needed_to_extend(&profile, access(indirect), access(srv));
        assert_eq!(needed.invalidate.len(), 3);
    }
}
