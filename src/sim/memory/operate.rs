//! Operations on a cache: what they reach, what they write back and what they drop.

use super::Memory;
use super::cache::Line;
use crate::id::{CacheId, Extent, MemoryId, OpId};
use crate::sim::cell::Cell;
use smallvec::SmallVec;

/// Some extents; mostly there are few.
type Extents = SmallVec<[Extent; 8]>;

impl Memory {
    /// Lines that an operation on bytes (or on everything) acts on.
    fn reach(&self, id: CacheId, reach: Option<&[Extent]>, dirty_only: bool) -> Extents {
        let cache = &self.caches[id];
        let Some(extents) = reach else {
            let set = if dirty_only {
                &cache.dirty
            } else {
                &cache.occupied
            };
            let whole = |m| Extent::new(MemoryId(m), 0, u64::MAX);
            return set.iter().map(whole).collect();
        };
        let metadata = extents
            .iter()
            .filter_map(|e| cache.scale.metadata_of(*e))
            .filter(|e| cache.occupied.contains(e.memory.0));
        extents
            .iter()
            .copied()
            .chain(metadata)
            .map(|e| self.rounded(id, e))
            .collect()
    }

    /// Dirty bytes that a clean would write back.
    pub(in crate::sim) fn dirty_bytes(&self, id: CacheId, reach: Option<&[Extent]>) -> u64 {
        let cache = &self.caches[id];
        let mut bytes = match cache.writers {
            Some(writers) => self.dirty_bytes(writers, reach),
            None => 0,
        };
        if cache.dirty.is_empty() {
            return bytes;
        }
        for extent in self.reach(id, reach, true) {
            cache.lines[extent.memory].for_each(extent.start, extent.end, |start, end, line| {
                if line.dirty {
                    bytes += cache.scale.bytes(extent.memory, end - start);
                }
            });
        }
        bytes
    }

    /// Writes dirty lines back. Returns their bytes.
    pub(in crate::sim) fn clean(&mut self, id: CacheId, reach: Option<&[Extent]>) -> u64 {
        let drops = self.caches[id].clean_drops;
        self.stamp += 1;
        let mut written = match self.caches[id].writers {
            Some(writers) => self.clean(writers, reach),
            None => 0,
        };
        for extent in self.reach(id, reach, !drops) {
            written += self.write_back(id, extent);
            if drops {
                self.dropped(id, extent);
                self.caches[id].drop_lines(extent);
            }
        }
        if reach.is_none() {
            self.caches[id].dirty.clear();
        }
        self.settle();
        written
    }

    fn write_back(&mut self, id: CacheId, extent: Extent) -> u64 {
        let cache = &mut self.caches[id];
        if !cache.dirty.contains(extent.memory.0) {
            return 0;
        }
        let mut dirty: SmallVec<[(Extent, Cell); 8]> = SmallVec::new();
        cache.lines[extent.memory].update(extent.start, extent.end, |start, end, line| {
            if line.dirty {
                dirty.push((extent.at(start, end), line.cell));
            }
            Some(Line {
                dirty: false,
                ..line
            })
        });
        let mut written = 0;
        for (extent, cell) in dirty {
            written += self.scale.bytes(extent.memory, extent.len());
            self.write_below(id, extent, cell);
        }
        written
    }

    /// Drops lines, dirty ones after writing them back unless the cache loses them. Returns the bytes written and dropped.
    pub(in crate::sim) fn invalidate(
        &mut self,
        id: CacheId,
        reach: Option<&[Extent]>,
        by: OpId,
    ) -> (u64, u64) {
        self.stamp += 1;
        let (mut written, mut dropped) = match self.caches[id].writers {
            Some(writers) => self.invalidate(writers, reach, by),
            None => (0, 0),
        };
        let loses = self.caches[id].drop_loses;
        for extent in self.reach(id, reach, false) {
            if !loses {
                written += self.write_back(id, extent);
            }
            self.dropped(id, extent);
            let cache = &mut self.caches[id];
            let (lines, gone) = (
                &cache.lines[extent.memory],
                &mut cache.dropped[extent.memory],
            );
            lines.for_each(extent.start, extent.end, |start, end, _| {
                dropped += cache.scale.bytes(extent.memory, end - start);
                gone.set(start, end, by);
            });
            cache.drop_lines(extent);
        }
        if reach.is_none() {
            self.caches[id].occupied.clear();
            self.caches[id].dirty.clear();
        }
        self.settle();
        (written, dropped)
    }
}
