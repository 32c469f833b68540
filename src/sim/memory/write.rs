//! Writes: bytes go to the first cache of the path that keeps dirty lines, or to memory; a line that is written back goes
//! to the next one.

use super::Memory;
use super::cache::Line;
use crate::hardware::WritePolicy;
use crate::id::{CacheId, Extent};
use crate::sim::cell::Cell;
use crate::sim::ledger::Landing;

impl Memory {
    /// Writes bytes through a path. `padded`: the bytes' lines hold nothing else.
    pub(in crate::sim) fn write(
        &mut self,
        path: &[CacheId],
        extent: Extent,
        cell: Cell,
        padded: bool,
    ) {
        self.born(extent, cell.version);
        self.write_level(path, extent, cell, padded);
        self.settle();
    }

    fn write_level(&mut self, path: &[CacheId], extent: Extent, cell: Cell, padded: bool) {
        self.prefetch(extent);
        self.stamp += 1;
        let stamp = self.stamp;
        for (level, id) in path.iter().enumerate() {
            let id = &self.caches[*id].writers.unwrap_or(*id);
            let cache = &mut self.caches[*id];
            match cache.policy {
                WritePolicy::WriteBack => {
                    if !padded && !cache.byte_masks {
                        self.dirty_neighbours(*id, &path[level + 1..], extent);
                    }
                    self.replaced(Some(*id), extent, cell.version, Landing::Write);
                    self.caches[*id].insert(
                        extent,
                        Line {
                            cell,
                            dirty: true,
                            stamp,
                        },
                    );
                    self.evict(*id);
                    return;
                }
                WritePolicy::WriteThrough if !cache.private => cache.pass(extent, cell),
                WritePolicy::WriteThrough | WritePolicy::ReadOnly => {}
            }
        }
        self.replaced(None, extent, cell.version, Landing::Write);
        self.store(extent, cell);
    }

    /// A partial write of a line fetches the rest of it and makes it dirty as well.
    fn dirty_neighbours(&mut self, id: CacheId, deeper: &[CacheId], extent: Extent) {
        let whole = self.rounded(id, extent);
        for (start, end) in [(whole.start, extent.start), (extent.end, whole.end)] {
            if start >= end {
                continue;
            }
            let margin = extent.at(start, end);
            let path: Vec<CacheId> = std::iter::once(id).chain(deeper.iter().copied()).collect();
            self.read_level(&path, margin, &mut Vec::new(), &mut Vec::new());
            let cache = &mut self.caches[id];
            cache.lines[extent.memory].update(start, end, |_, _, line| {
                Some(Line {
                    dirty: true,
                    ..line
                })
            });
            cache.dirty.insert(extent.memory.0);
            self.dirtied(id, margin);
        }
    }

    fn store(&mut self, extent: Extent, cell: Cell) {
        self.written_bytes += self.scale.bytes(extent.memory, extent.len());
        self.cells[extent.memory].set(extent.start, extent.end, cell);
    }

    /// Writes bytes that leave a cache to the next level.
    pub(super) fn write_below(&mut self, id: CacheId, extent: Extent, cell: Cell) {
        self.prefetch(extent);
        let stamp = self.stamp;
        let mut at = self.caches[id].parent;
        while let Some(parent) = at {
            // Of a private cache, the instance that writers run in.
            let parent = self.caches[parent].writers.unwrap_or(parent);
            let cache = &mut self.caches[parent];
            match cache.policy {
                WritePolicy::WriteBack => {
                    self.replaced(Some(parent), extent, cell.version, Landing::WriteBack);
                    self.caches[parent].insert(
                        extent,
                        Line {
                            cell,
                            dirty: true,
                            stamp,
                        },
                    );
                    self.evict(parent);
                    return;
                }
                // It passes here as a write does.
                WritePolicy::WriteThrough if !cache.private => cache.pass(extent, cell),
                WritePolicy::WriteThrough | WritePolicy::ReadOnly => {}
            }
            at = self.caches[parent].parent;
        }
        self.replaced(None, extent, cell.version, Landing::WriteBack);
        self.store(extent, cell);
    }
}
