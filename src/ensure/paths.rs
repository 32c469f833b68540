//! What the paths ask for, walked element by element, without the lowering's own code.

use super::caches::CacheSet;
use crate::api::{BarrierAccess, QueueType, compat};
use crate::hardware::{Client, Routes, WritePolicy};
use crate::id::{CacheId, PathId};
use smallvec::SmallVec;

/// One kind of memory with the accesses to it on both sides of a barrier.
pub(super) struct Memory<'p> {
    pub(super) routes: Routes<'p>,
    pub(super) queue: QueueType,
    pub(super) before: BarrierAccess,
    pub(super) after: BarrierAccess,
    pub(super) given_up: BarrierAccess,
    pub(super) leaves: bool,
    /// Writes that a read before a layout operation may have seen while their lines were dirty.
    pub(super) kept: BarrierAccess,
}

/// What was found on the way: of the accesses themselves, before a layout operation, after it.
#[derive(Copy, Clone, Default)]
pub(super) struct Walks {
    pub(super) all: Walk,
    pub(super) first: Walk,
    pub(super) then: Walk,
}

impl Memory<'_> {
    fn client(&self, access: BarrierAccess) -> Client {
        Client::of(access, self.queue)
    }

    pub(super) fn walk(&self, walks: &mut Walks) {
        self.accesses(&mut walks.all);
        self.before_layout(&mut walks.first);
        self.after_layout(&mut walks.then);
    }

    /// Pairs of an access before and an access after.
    fn accesses(&self, walk: &mut Walk) {
        let after = || self.after.iter();
        for (b, a) in self
            .given_up
            .iter()
            .flat_map(|b| after().map(move |a| (b, a)))
        {
            if a.writes() {
                // Reading R24: contents were given up, and must not come back.
                self.each(self.client(b), self.client(a), true, true, |w, r| {
                    walk.leave(self.routes, w, r);
                });
            }
        }
        for b in self.before.iter() {
            for a in after() {
                self.pair(b, a, walk);
            }
        }
        if self.leaves {
            for b in self.before.iter() {
                for a in (compat::queue_accesses(self.queue) & BarrierAccess::WRITES).iter() {
                    self.each(self.client(b), self.client(a), b.writes(), true, |w, r| {
                        walk.leave(self.routes, w, r);
                    });
                }
            }
        }
    }

    fn pair(&self, b: BarrierAccess, a: BarrierAccess, walk: &mut Walk) {
        let reads = a.reads();
        let (first, second) = (self.client(b), self.client(a));
        if b.writes() && reads {
            self.each(first, second, true, false, |w, r| {
                walk.reach(self.routes, w, r);
            });
            self.stored(first, second, walk);
        }
        if b.writes() && a.writes() {
            self.each(first, second, true, true, |w, r| {
                walk.leave(self.routes, w, r);
            });
        }
        if !b.writes() && a.writes() {
            // What it has seen may still be dirty where the writer does not pass.
            self.each(first, second, false, true, |seen, w| {
                walk.leave(self.routes, seen, w);
            });
        }
        if b.reads() && reads {
            let fresh = self.caches(first);
            self.each(first, second, false, false, |w, r| {
                walk.extend(self.routes, w, r, fresh);
            });
        }
    }

    /// What was in tile memory is stored past caches that the next client reads through.
    fn stored(&self, first: Client, second: Client, walk: &mut Walk) {
        let Some(tiles) = self.routes.stored(first, second) else {
            return;
        };
        let mut stored = Walk::default();
        for read in self.routes.read_paths(second) {
            stored.reach(self.routes, tiles, self.routes.path(*read));
        }
        walk.invalidate = walk.invalidate.union(stored.invalidate);
    }

    fn before_layout(&self, walk: &mut Walk) {
        for b in ((self.before & BarrierAccess::WRITES) | self.given_up).iter() {
            let (first, operation) = (self.client(b), Client::LayoutOperation);
            self.each(first, operation, true, false, |w, r| {
                walk.reach(self.routes, w, r);
            });
            self.stored(first, operation, walk);
            self.each(first, operation, true, true, |w, r| {
                walk.leave(self.routes, w, r);
            });
        }
        // What a read has seen is passed on to the operation, which reads and rewrites it (readings R14, R17). Writes that the
        // read shares a cache with need not have left that cache.
        for b in self.before.iter().filter(|b| !b.writes()) {
            let seen = self.caches(self.client(b));
            let mut late = Walk::default();
            for w in self.kept.iter() {
                let (first, operation) = (self.client(w), Client::LayoutOperation);
                self.each(first, operation, true, false, |w, r| {
                    late.reach(self.routes, w, r);
                });
                self.each(first, operation, true, true, |w, r| {
                    late.leave(self.routes, w, r);
                });
            }
            walk.clean = walk.clean.union(late.clean.intersection(seen));
            walk.invalidate = walk.invalidate.union(late.invalidate.minus(seen));
        }
    }

    pub(super) fn after_layout(&self, walk: &mut Walk) {
        for a in self.after.iter() {
            let (operation, second) = (Client::LayoutOperation, self.client(a));
            if a.reads() {
                self.each(operation, second, true, false, |w, r| {
                    walk.reach(self.routes, w, r);
                });
            }
            if a.writes() {
                self.each(operation, second, true, true, |w, r| {
                    walk.leave(self.routes, w, r);
                });
            }
        }
    }

    /// Every cache that a client reads through.
    fn caches(&self, client: Client) -> CacheSet {
        let paths = self.routes.read_paths(client).iter();
        paths.flat_map(|p| self.routes.path(*p)).copied().collect()
    }

    /// Every combination of paths of two clients.
    fn each(
        &self,
        first: Client,
        second: Client,
        first_writes: bool,
        second_writes: bool,
        mut each: impl FnMut(&[CacheId], &[CacheId]),
    ) {
        let paths = |client, writes| -> SmallVec<[PathId; 4]> {
            if writes {
                self.routes.write_paths(client).collect()
            } else {
                SmallVec::from_slice(self.routes.read_paths(client))
            }
        };
        for a in paths(first, first_writes) {
            for b in paths(second, second_writes) {
                each(self.routes.path(a), self.routes.path(b));
            }
        }
    }
}

/// Operations found while walking pairs of paths.
#[derive(Copy, Clone, Default)]
pub(super) struct Walk {
    pub(super) clean: CacheSet,
    pub(super) invalidate: CacheSet,
}

impl Walk {
    /// Follows a write outwards until a cache that both can see, then a read outwards to the same cache.
    pub(super) fn reach(&mut self, routes: Routes<'_>, write: &[CacheId], read: &[CacheId]) {
        let common = self.outwards(routes, write, read);
        for cache in read {
            if Some(*cache) == common {
                break;
            }
            if !routes.cache(*cache).refreshed {
                self.invalidate.insert(*cache);
            }
        }
    }

    /// Follows a write outwards until a cache that the next writer goes through as well.
    pub(super) fn leave(&mut self, routes: Routes<'_>, write: &[CacheId], next: &[CacheId]) {
        self.outwards(routes, write, next);
    }

    /// Follows a version from one reader to another; what the first reads through is fresh.
    fn extend(&mut self, routes: Routes<'_>, seen: &[CacheId], read: &[CacheId], fresh: CacheSet) {
        let common = self.outwards(routes, seen, read);
        for cache in read {
            if Some(*cache) == common {
                break;
            }
            if !fresh.contains(*cache) && !routes.cache(*cache).refreshed {
                self.invalidate.insert(*cache);
            }
        }
    }

    fn outwards(
        &mut self,
        routes: Routes<'_>,
        from: &[CacheId],
        to: &[CacheId],
    ) -> Option<CacheId> {
        for cache in from {
            let shared = !routes.cache(*cache).private;
            if shared && to.contains(cache) {
                return Some(*cache);
            }
            if routes.cache(*cache).policy == WritePolicy::WriteBack {
                self.clean.insert(*cache);
            }
        }
        None
    }
}
