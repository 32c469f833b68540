//! What a write needs to reach another access, from the cache paths alone.
//!
//! *Meet* is the first shared cache of the write's path that is also on the other access's path, or memory. The write's
//! write-back caches before it are cleaned, then the other access's caches before it are invalidated.

use crate::hardware::{Client, Policy, Profile};
use crate::id::CacheId;

/// Operations that one pair of accesses needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Caches to write back, nearest first.
    pub clean: Vec<CacheId>,
    /// Caches to drop, nearest first.
    pub invalidate: Vec<CacheId>,
}

/// What bytes written by one client need in order to be seen (or overwritten) by another.
pub fn needs(profile: &Profile, write: Client, other: Client) -> Needs {
    let from = profile.path(profile.path_of(write));
    let to = profile.path(profile.path_of(other));
    let meet = from.iter().find(|id| !profile.cache(**id).private && to.contains(id));
    let before = |path: &[CacheId]| -> Vec<CacheId> {
        path.iter().take_while(|id| Some(*id) != meet).copied().collect()
    };
    let mut clean = before(from);
    clean.retain(|id| profile.cache(*id).policy == Policy::WriteBack);
    Needs { clean, invalidate: before(to) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::BarrierAccess as A;

    /// Rows written by hand from driver sources: what gen10 does for each pair.
    #[test]
    fn the_rule_reproduces_what_drivers_do() {
        let rdna = Profile::parse(include_str!("../hardware/profiles/rdna.toml")).expect("a sound profile");
        let shader: &[&str] = &["GL1", "L0V"];
        let rows: &[(Client, Client, &[&str], &[&str])] = &[
            (Client::Access(A::RENDER_TARGET), Client::Access(A::SHADER_RESOURCE), &["CB"], shader),
            (Client::Access(A::UNORDERED_ACCESS), Client::Access(A::SHADER_RESOURCE), &[], shader),
            (Client::Access(A::UNORDERED_ACCESS), Client::Access(A::INDIRECT_ARGUMENT), &[], &[]),
            (Client::Access(A::UNORDERED_ACCESS), Client::Access(A::CONSTANT_BUFFER), &[], &["GL1", "K"]),
            (Client::CopyQueueWrite, Client::Access(A::SHADER_RESOURCE), &[], shader),
            (Client::Access(A::RENDER_TARGET), Client::Access(A::RENDER_TARGET), &[], &[]),
            (Client::Access(A::DEPTH_STENCIL_WRITE), Client::Access(A::DEPTH_STENCIL_READ), &[], &[]),
            (Client::Access(A::DEPTH_STENCIL_WRITE), Client::Access(A::SHADER_RESOURCE), &["DB"], shader),
            (Client::Access(A::UNORDERED_ACCESS), Client::Host, &["L2"], &[]),
            (Client::Host, Client::Access(A::SHADER_RESOURCE), &[], &["GL1", "L0V", "L2"]),
        ];
        for (write, other, clean, invalidate) in rows {
            let found = needs(&rdna, *write, *other);
            let names = |ids: &[CacheId]| {
                let mut names: Vec<_> = ids.iter().map(|id| rdna.cache(*id).name.as_str()).collect();
                names.sort_unstable();
                names.iter().map(ToString::to_string).collect::<Vec<_>>()
            };
            assert_eq!(names(&found.clean), *clean, "clean for {write:?} then {other:?}");
            assert_eq!(names(&found.invalidate), *invalidate, "invalidate for {write:?} then {other:?}");
        }
    }
}
