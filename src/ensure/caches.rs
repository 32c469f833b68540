//! Sets of caches.

use crate::hardware::CACHES_MAX;
use crate::id::{CacheId, ones};

/// Some caches of a profile, a bit each.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct CacheSet(u64);

const _: () = assert!(CACHES_MAX <= 64);

impl CacheSet {
    fn bit(cache: CacheId) -> u64 {
        1 << cache.index()
    }

    pub(super) fn insert(&mut self, cache: CacheId) {
        self.0 |= Self::bit(cache);
    }

    /// Takes a cache out. Whether it was there.
    pub(super) fn remove(&mut self, cache: CacheId) -> bool {
        let was = self.contains(cache);
        self.0 &= !Self::bit(cache);
        was
    }

    pub(super) fn contains(self, cache: CacheId) -> bool {
        self.0 & Self::bit(cache) != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The caches, in the order of the profile.
    pub(super) fn iter(self) -> impl Iterator<Item = CacheId> {
        ones(self.0).map(CacheId)
    }
}

impl FromIterator<CacheId> for CacheSet {
    fn from_iter<T: IntoIterator<Item = CacheId>>(caches: T) -> Self {
        let mut set = Self::default();
        caches.into_iter().for_each(|cache| set.insert(cache));
        set
    }
}
