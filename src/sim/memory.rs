//! Memory and caches as the machine has them: versions, not pixels.
//!
//! A version is what one write left in some bytes. Reads walk a path of caches: the nearest that holds the bytes
//! answers, and every cache on the way is filled, rounded out to its lines. Writes go to the first write-back cache of
//! their path, or to memory. Nothing here knows what a barrier is for: lines move, and that is all.
//!
//! Private caches stand for all their instances at once, in the worst case: some instance may still hold the line that
//! it read before, so a write through a write-through cache neither updates nor adds a line in it.
//!
//! Capacity is kept by least recent use over extents; a dirty extent that is evicted goes to the cache's parent.

use super::extents::ExtentMap;
use crate::hardware::{Cache, Policy, Profile};
use crate::id::{CacheId, Extent, MemoryId};
use crate::program::Encoding;
use std::collections::VecDeque;

/// Number of a version; 0 is the initial contents. Later issued versions have greater numbers.
pub(super) type VersionId = u32;

/// What some bytes hold.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) version: VersionId,
    pub(super) encoding: Encoding,
}

const INITIAL: Cell = Cell {
    version: 0,
    encoding: Encoding::Plain,
};

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Line {
    cell: Cell,
    dirty: bool,
    /// When it was last used: number of the insertion.
    stamp: u32,
}

#[derive(Default)]
struct CacheState {
    /// By memory block.
    lines: Vec<ExtentMap<Line>>,
    bytes: u64,
    /// Insertions in order; an entry counts only for lines that still have its stamp.
    recent: VecDeque<(u32, Extent)>,
    stamp: u32,
}

/// Where a piece of a read came from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) cell: Cell,
    pub(super) from: Option<CacheId>,
}

/// All memory of the machine.
pub(super) struct Memory<'p> {
    profile: &'p Profile,
    base: Vec<ExtentMap<Cell>>,
    sizes: Vec<u64>,
    caches: Vec<CacheState>,
    /// Bytes read from and written to memory.
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
}

impl<'p> Memory<'p> {
    pub(super) fn new(profile: &'p Profile, sizes: &[u64]) -> Self {
        let blocks = sizes.len();
        let cache = || CacheState {
            lines: vec![ExtentMap::default(); blocks],
            ..CacheState::default()
        };
        Self {
            profile,
            base: vec![ExtentMap::default(); blocks],
            sizes: sizes.to_vec(),
            caches: profile.caches.iter().map(|_| cache()).collect(),
            read_bytes: 0,
            written_bytes: 0,
        }
    }

    /// Reads bytes through a path; pieces come in order.
    pub(super) fn read(&mut self, path: &[CacheId], extent: Extent) -> Vec<Piece> {
        let Some((cache, rest)) = path.split_first() else {
            self.read_bytes += extent.len();
            let mut pieces = Vec::new();
            self.base[extent.memory.index()].pieces(
                extent.start,
                extent.end,
                |start, end, cell| {
                    pieces.push(Piece {
                        start,
                        end,
                        cell: cell.unwrap_or(INITIAL),
                        from: None,
                    });
                },
            );
            return pieces;
        };
        let mut pieces: Vec<Piece> = Vec::new();
        let mut misses: Vec<(u64, u64)> = Vec::new();
        let lines = &self.caches[cache.index()].lines[extent.memory.index()];
        lines.pieces(extent.start, extent.end, |start, end, line| match line {
            Some(line) => pieces.push(Piece {
                start,
                end,
                cell: line.cell,
                from: Some(*cache),
            }),
            None => misses.push((start, end)),
        });
        let hits: Vec<Piece> = pieces.clone();
        for hit in hits {
            self.touch(
                *cache,
                Extent {
                    start: hit.start,
                    end: hit.end,
                    ..extent
                },
            );
        }
        for (start, end) in misses {
            self.miss(
                *cache,
                rest,
                Extent {
                    start,
                    end,
                    ..extent
                },
                &mut pieces,
            );
        }
        pieces.sort_by_key(|piece| piece.start);
        pieces
    }

    /// Fetches missing bytes with the rest of their lines.
    fn miss(&mut self, cache: CacheId, rest: &[CacheId], extent: Extent, pieces: &mut Vec<Piece>) {
        let line = self.profile.cache(cache).line_bytes;
        let size = self.sizes[extent.memory.index()].max(extent.end);
        let rounded = Extent {
            memory: extent.memory,
            start: extent.start / line * line,
            end: (extent.end.div_ceil(line) * line).min(size),
        };
        let mut missing: Vec<(u64, u64)> = Vec::new();
        let lines = &self.caches[cache.index()].lines[extent.memory.index()];
        lines.pieces(rounded.start, rounded.end, |start, end, line| {
            if line.is_none() {
                missing.push((start, end));
            }
        });
        for (start, end) in missing {
            for piece in self.read(
                rest,
                Extent {
                    start,
                    end,
                    ..extent
                },
            ) {
                self.insert(
                    cache,
                    Extent {
                        start: piece.start,
                        end: piece.end,
                        ..extent
                    },
                    piece.cell,
                    false,
                );
                let (start, end) = (piece.start.max(extent.start), piece.end.min(extent.end));
                if start < end {
                    pieces.push(Piece {
                        start,
                        end,
                        ..piece
                    });
                }
            }
        }
    }

    /// Writes bytes through a path.
    pub(super) fn write(&mut self, path: &[CacheId], extent: Extent, cell: Cell) {
        match path
            .iter()
            .find(|id| self.profile.cache(**id).policy == Policy::WriteBack)
        {
            Some(cache) => self.insert(*cache, extent, cell, true),
            None => self.write_memory(extent, cell),
        }
    }

    fn write_memory(&mut self, extent: Extent, cell: Cell) {
        self.written_bytes += extent.len();
        self.base[extent.memory.index()].set(extent.start, extent.end, cell);
    }

    /// Every version that a write through the path lies above: in the cache where it lands and all levels below.
    pub(super) fn beneath(
        &self,
        path: &[CacheId],
        extent: Extent,
        mut each: impl FnMut(u64, u64, VersionId),
    ) {
        let mut at = path
            .iter()
            .find(|id| self.profile.cache(**id).policy == Policy::WriteBack)
            .copied();
        while let Some(cache) = at {
            let lines = &self.caches[cache.index()].lines[extent.memory.index()];
            lines.pieces(extent.start, extent.end, |start, end, line| {
                if let Some(line) = line {
                    each(start, end, line.cell.version);
                }
            });
            at = self.profile.cache(cache).parent;
        }
        self.base[extent.memory.index()].pieces(extent.start, extent.end, |start, end, cell| {
            each(start, end, cell.map_or(0, |c| c.version));
        });
    }

    /// Marks lines as just used.
    fn touch(&mut self, cache: CacheId, extent: Extent) {
        let mut held: Vec<(u64, u64, Line)> = Vec::new();
        let state = &mut self.caches[cache.index()];
        state.lines[extent.memory.index()].pieces(extent.start, extent.end, |start, end, line| {
            held.extend(line.map(|line| (start, end, line)));
        });
        state.stamp += 1;
        let stamp = state.stamp;
        for (start, end, line) in held {
            state.lines[extent.memory.index()].set(start, end, Line { stamp, ..line });
        }
        state.recent.push_back((stamp, extent));
        self.forget_old_entries(cache);
    }

    /// Adds lines, and evicts what no longer fits.
    fn insert(&mut self, cache: CacheId, extent: Extent, cell: Cell, dirty: bool) {
        let capacity = self.profile.cache(cache).capacity_bytes;
        let mut extent = extent;
        if extent.len() > capacity {
            // Only the end of it can stay; the rest passes through.
            let passes = Extent {
                end: extent.end - capacity,
                ..extent
            };
            self.drop_lines(cache, passes);
            if dirty {
                self.write_below(cache, passes, cell);
            }
            extent.start = extent.end - capacity;
        }
        let held = self.held(cache, extent);
        let state = &mut self.caches[cache.index()];
        state.stamp += 1;
        let stamp = state.stamp;
        state.lines[extent.memory.index()].set(
            extent.start,
            extent.end,
            Line { cell, dirty, stamp },
        );
        state.bytes += extent.len() - held;
        state.recent.push_back((stamp, extent));
        self.evict(cache, capacity);
        self.forget_old_entries(cache);
    }

    /// Bytes of an extent that a cache holds.
    fn held(&self, cache: CacheId, extent: Extent) -> u64 {
        let mut bytes = 0;
        self.caches[cache.index()].lines[extent.memory.index()].pieces(
            extent.start,
            extent.end,
            |start, end, line| {
                if line.is_some() {
                    bytes += end - start;
                }
            },
        );
        bytes
    }

    fn evict(&mut self, cache: CacheId, capacity: u64) {
        while self.caches[cache.index()].bytes > capacity {
            let Some((stamp, extent)) = self.caches[cache.index()].recent.pop_front() else {
                break;
            };
            let mut victims: Vec<(u64, u64, Line)> = Vec::new();
            self.caches[cache.index()].lines[extent.memory.index()].pieces(
                extent.start,
                extent.end,
                |start, end, line| {
                    victims.extend(line.filter(|l| l.stamp == stamp).map(|l| (start, end, l)));
                },
            );
            let mut excess = self.caches[cache.index()].bytes - capacity;
            for (start, end, line) in victims {
                // Only as much as has to go.
                let cut = end.min(start + excess);
                let gone = Extent {
                    start,
                    end: cut,
                    ..extent
                };
                if line.dirty {
                    self.write_below(cache, gone, line.cell);
                }
                self.drop_lines(cache, gone);
                excess -= gone.len();
                if cut < end {
                    self.caches[cache.index()].recent.push_front((
                        stamp,
                        Extent {
                            start: cut,
                            ..extent
                        },
                    ));
                    return;
                }
            }
        }
    }

    /// The list of uses must not outgrow the lines that it speaks of.
    fn forget_old_entries(&mut self, cache: CacheId) {
        const ENTRIES_MAX: usize = 4096;
        let state = &mut self.caches[cache.index()];
        if state.recent.len() <= ENTRIES_MAX {
            return;
        }
        let mut live: Vec<(u32, Extent)> = Vec::new();
        for (memory, lines) in state.lines.iter().enumerate() {
            let memory = MemoryId::new(memory);
            live.extend(
                lines
                    .iter()
                    .map(|(start, end, line)| (line.stamp, Extent { memory, start, end })),
            );
        }
        live.sort_unstable();
        state.recent = live.into();
    }

    fn drop_lines(&mut self, cache: CacheId, extent: Extent) {
        let held = self.held(cache, extent);
        let state = &mut self.caches[cache.index()];
        if held > 0 {
            state.lines[extent.memory.index()].remove(extent.start, extent.end);
            state.bytes -= held;
        }
    }

    /// Writes to the next write-back level below a cache, or to memory.
    fn write_below(&mut self, cache: CacheId, extent: Extent, cell: Cell) {
        let mut at = self.profile.cache(cache).parent;
        while let Some(parent) = at {
            let below: &Cache = self.profile.cache(parent);
            if below.policy == Policy::WriteBack {
                self.insert(parent, extent, cell, true);
                return;
            }
            at = below.parent;
        }
        self.write_memory(extent, cell);
    }

    /// Dirty bytes of a cache within reach; `None` is everything.
    pub(super) fn dirty_bytes(&self, cache: CacheId, reach: Option<&[Extent]>) -> u64 {
        let mut bytes = 0;
        self.for_lines(cache, reach, |extent, line| {
            if line.dirty {
                bytes += extent.len();
            }
        });
        bytes
    }

    fn for_lines(
        &self,
        cache: CacheId,
        reach: Option<&[Extent]>,
        mut each: impl FnMut(Extent, Line),
    ) {
        let state = &self.caches[cache.index()];
        match reach {
            Some(extents) => {
                for extent in extents {
                    state.lines[extent.memory.index()].pieces(
                        extent.start,
                        extent.end,
                        |start, end, line| {
                            if let Some(line) = line {
                                each(
                                    Extent {
                                        start,
                                        end,
                                        ..*extent
                                    },
                                    line,
                                );
                            }
                        },
                    );
                }
            }
            None if state.bytes == 0 => {}
            None => {
                for (memory, lines) in state.lines.iter().enumerate() {
                    let memory = MemoryId::new(memory);
                    for (start, end, line) in lines.iter() {
                        each(Extent { memory, start, end }, line);
                    }
                }
            }
        }
    }

    /// Writes dirty lines back and keeps them clean. Returns the bytes written.
    pub(super) fn clean(&mut self, cache: CacheId, reach: Option<&[Extent]>) -> u64 {
        let mut dirty: Vec<(Extent, Line)> = Vec::new();
        self.for_lines(cache, reach, |extent, line| {
            if line.dirty {
                dirty.push((extent, line));
            }
        });
        let mut bytes = 0;
        for (extent, line) in dirty {
            bytes += extent.len();
            let lines = &mut self.caches[cache.index()].lines[extent.memory.index()];
            lines.set(
                extent.start,
                extent.end,
                Line {
                    dirty: false,
                    ..line
                },
            );
            self.write_below(cache, extent, line.cell);
        }
        bytes
    }

    /// Drops lines; dirty ones are written back first. Returns the bytes written and dropped.
    pub(super) fn invalidate(&mut self, cache: CacheId, reach: Option<&[Extent]>) -> (u64, u64) {
        let written = self.clean(cache, reach);
        let mut held: Vec<Extent> = Vec::new();
        self.for_lines(cache, reach, |extent, _| held.push(extent));
        let mut dropped = 0;
        for extent in held {
            dropped += extent.len();
            self.drop_lines(cache, extent);
        }
        if self.caches[cache.index()].bytes == 0 {
            self.caches[cache.index()].recent.clear();
        }
        (written, dropped)
    }

    /// Rewrites the encoding of bytes where layout operations work: in memory and the caches directly above it.
    /// With a version, the contents are replaced too.
    pub(super) fn rewrite(&mut self, extent: Extent, to: Encoding, version: Option<VersionId>) {
        let new = |cell: Cell| Cell {
            version: version.unwrap_or(cell.version),
            encoding: to,
        };
        let mut pieces: Vec<(u64, u64, Cell)> = Vec::new();
        self.base[extent.memory.index()].pieces(extent.start, extent.end, |start, end, cell| {
            pieces.push((start, end, new(cell.unwrap_or(INITIAL))));
        });
        for (start, end, cell) in pieces {
            self.base[extent.memory.index()].set(start, end, cell);
        }
        for cache in (0..self.caches.len()).map(CacheId::new) {
            if self.profile.cache(cache).parent.is_some() {
                continue;
            }
            let mut lines: Vec<(u64, u64, Line)> = Vec::new();
            self.caches[cache.index()].lines[extent.memory.index()].pieces(
                extent.start,
                extent.end,
                |start, end, line| {
                    lines.extend(line.map(|l| {
                        (
                            start,
                            end,
                            Line {
                                cell: new(l.cell),
                                ..l
                            },
                        )
                    }));
                },
            );
            for (start, end, line) in lines {
                self.caches[cache.index()].lines[extent.memory.index()].set(start, end, line);
            }
        }
    }
}
