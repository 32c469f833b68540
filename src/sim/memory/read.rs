//! Reads: bytes come from the nearest cache of the path that has them, and fill the caches before it.

use super::cache::Line;
use super::{Memory, Refill, Seen};
use crate::hardware::WritePolicy;
use crate::id::{CacheId, Extent};
use crate::program::{Interval, Look};
use crate::sim::cell::Cell;
use crate::time::Ps;
use smallvec::SmallVec;

impl Memory {
    /// Reads bytes through a path: what each piece holds, ascending. Fills the caches on the way.
    pub(in crate::sim) fn read(
        &mut self,
        path: &[CacheId],
        extent: Extent,
        seen: &mut Vec<Seen>,
        refills: &mut Vec<Refill>,
    ) {
        self.stamp += 1;
        self.read_level(path, extent, seen, refills);
        self.settle();
    }

    /// On a machine that prefetches, caches that hold no writes get the bytes that are about to be replaced. Caches that
    /// hold writes do not: a write of part of a line would write back the old rest of it.
    pub(super) fn prefetch(&mut self, extent: Extent) {
        let caches = if self.prefetches {
            self.caches.len()
        } else {
            0
        };
        for id in (0..caches).map(CacheId::new) {
            if self.caches[id].policy == WritePolicy::WriteBack {
                continue;
            }
            let way = std::iter::successors(Some(id), |id| self.caches[*id].parent);
            let way: SmallVec<[CacheId; 4]> = way.collect();
            let passed = self.absent(&way, extent);
            self.read_level(&way, extent, &mut Vec::new(), &mut Vec::new());
            for (cache, extent) in passed {
                self.dropped(cache, extent);
                self.caches[cache].drop_lines(extent);
            }
        }
    }

    /// What caches that hold writes do not have of some bytes, along a path.
    fn absent(&self, way: &[CacheId], extent: Extent) -> Vec<(CacheId, Extent)> {
        let mut absent = Vec::new();
        let mut whole = extent;
        for id in way {
            whole = self.rounded(*id, whole);
            let cache = &self.caches[*id];
            if cache.policy != WritePolicy::WriteBack {
                continue;
            }
            let (memory, lines) = (whole.memory, &cache.lines[whole.memory]);
            lines.for_each_piece(whole.start, whole.end, |start, end, line| {
                if line.is_none() {
                    absent.push((*id, Extent { memory, start, end }));
                }
            });
        }
        absent
    }

    pub(super) fn read_level(
        &mut self,
        path: &[CacheId],
        extent: Extent,
        seen: &mut Vec<Seen>,
        refills: &mut Vec<Refill>,
    ) {
        let Extent { memory, start, end } = extent;
        let lasting = path.iter().position(|id| !self.caches[*id].refreshed);
        let path = &path[lasting.unwrap_or(path.len())..];
        let Some((&id, deeper)) = path.split_first() else {
            self.read_bytes += self.scale.bytes(memory, end - start);
            self.cells[memory].for_each_piece(start, end, |start, end, cell| {
                seen.push(Seen {
                    start,
                    end,
                    cell: cell.unwrap_or(Cell::UNTOUCHED),
                    from: None,
                    kept: (false, 0),
                });
            });
            return;
        };
        let stamp = self.stamp;
        let cache = &mut self.caches[id];
        match cache.lines[memory].look(start, end) {
            Look::Whole(line) => {
                seen.push(Seen {
                    start,
                    end,
                    cell: line.cell,
                    from: Some(id),
                    kept: (line.dirty, line.stamp),
                });
                cache.touch(memory, start, end, stamp);
                self.evict(id);
                return;
            }
            Look::Nothing => {
                self.fetch(id, deeper, extent, seen, refills);
                self.evict(id);
                return;
            }
            Look::Pieces => {}
        }
        self.read_pieces(id, deeper, extent, seen, refills);
        self.evict(id);
    }

    /// Reads bytes of which a cache has some.
    fn read_pieces(
        &mut self,
        id: CacheId,
        deeper: &[CacheId],
        Extent { memory, start, end }: Extent,
        seen: &mut Vec<Seen>,
        refills: &mut Vec<Refill>,
    ) {
        let stamp = self.stamp;
        let mut pieces = self.spare_pieces.pop().unwrap_or_default();
        let cache = &mut self.caches[id];
        cache.lines[memory].for_each_piece(start, end, |start, end, line| {
            pieces.push((start, end, line));
        });
        cache.touch(memory, start, end, stamp);
        for (from, until, line) in pieces.drain(..) {
            let Some(line) = line else {
                let missing = Extent::new(memory, from, until);
                self.fetch(id, deeper, missing, seen, refills);
                continue;
            };
            seen.push(Seen {
                start: from,
                end: until,
                cell: line.cell,
                from: Some(id),
                kept: (line.dirty, line.stamp),
            });
        }
        self.spare_pieces.push(pieces);
    }

    /// Fetches missing bytes from below, whole lines at a time.
    fn fetch(
        &mut self,
        id: CacheId,
        deeper: &[CacheId],
        missing: Extent,
        seen: &mut Vec<Seen>,
        refills: &mut Vec<Refill>,
    ) {
        let (memory, stamp) = (missing.memory, self.stamp);
        let fetch = self.rounded(id, missing);
        self.charge_refill(id, fetch, refills);
        if fetch == missing {
            // Nothing of these lines has come before.
            let from = seen.len();
            self.read_level(deeper, fetch, seen, refills);
            let cache = &mut self.caches[id];
            if let [piece] = &seen[from..] {
                cache.insert(fetch, fetched_line(piece.cell, stamp));
            } else {
                let lines = seen[from..].iter().map(|piece| Interval {
                    start: piece.start,
                    end: piece.end,
                    value: fetched_line(piece.cell, stamp),
                });
                cache.insert_fetched(memory, lines.collect());
            }
            return;
        }
        let mut fetched = self.spare_seen.pop().unwrap_or_default();
        let mut absent = Vec::new();
        self.read_level(deeper, fetch, &mut fetched, refills);
        let cache = &mut self.caches[id];
        for piece in fetched.drain(..) {
            // The rest of a line may have come before; what it holds stays.
            cache.lines[memory].for_each_piece(piece.start, piece.end, |s, e, line| {
                if line.is_none() {
                    absent.push(Interval {
                        start: s,
                        end: e,
                        value: fetched_line(piece.cell, stamp),
                    });
                }
            });
            seen.extend(cut(piece, missing.start, missing.end));
        }
        cache.insert_fetched(memory, absent);
        self.spare_seen.push(fetched);
    }

    /// Notes that bytes are fetched again that a barrier dropped.
    fn charge_refill(&mut self, id: CacheId, extent: Extent, refills: &mut Vec<Refill>) {
        let cache = &mut self.caches[id];
        let dropped = &mut cache.dropped[extent.memory];
        if dropped.is_empty() {
            return;
        }
        let mut any = false;
        dropped.for_each(extent.start, extent.end, |start, end, op| {
            any = true;
            let bytes = cache.scale.bytes(extent.memory, end - start);
            let time = cache.fill + Ps::for_amount(bytes, cache.bytes_per_s);
            refills.push(Refill { op, time });
        });
        if any {
            dropped.remove(extent.start, extent.end);
        }
    }
}

/// A line as it comes from below.
fn fetched_line(cell: Cell, stamp: u32) -> Line {
    Line {
        cell,
        dirty: false,
        stamp,
    }
}

/// The part of a piece that lies in `start..end`.
fn cut(piece: Seen, start: u64, end: u64) -> Option<Seen> {
    let piece = Seen {
        start: piece.start.max(start),
        end: piece.end.min(end),
        ..piece
    };
    (piece.start < piece.end).then_some(piece)
}
