//! Memory and caches: where every version of every byte is.
//!
//! Bytes have no value, only a version: who wrote them, and in which encoding they lie. Nothing here knows what a
//! lowering should have done: lines move along the paths of the profile, and a read finds what it finds.
//!
//! Choices of the model:
//! * A private cache stands for many, one a client, and the model does not know which client runs a task. It assumes the
//!   worst: some instance still holds an old line. So a write through a private write-through cache neither updates nor
//!   drops lines there, and lines that were read once stay until they are invalidated or evicted.
//! * A private write-back cache is two instances: one that writers run in, and one that readers run in. What lies dirty
//!   in the one is not seen through the other until it is cleaned.
//! * Capacity is that of all instances together; the line that was touched longest ago goes first, by runs of bytes.
//! * A read fills every cache on its path above the one that answers, whole lines at a time, within the block of memory.
//! * A write of part of a line makes the whole line dirty unless the cache keeps byte masks or the resource is a texture,
//!   whose subresources the machine pads to lines (the model's bytes are tight, reading R49).
//! * An operation on bytes acts on all lines that they touch, and on the lines of their metadata.
//! * Metadata lies in blocks of its own, at the places of the texels that it describes. One byte of it describes many
//!   texels' bytes: what is counted (capacity, lines, traffic) is counted in bytes of metadata.

mod cache;
mod evict;
mod operate;
mod read;
mod write;

pub use evict::Eviction;

use super::blocks::ByBlock;
use super::cell::{Cell, Scale, Version, div_ceil, round_down};
use super::joined::{Joins, pieces_of};
use crate::hardware::{Profile, WritePolicy};
use crate::id::{CacheId, Extent, MemoryId, OpId, Table};
use crate::program::{Interval, IntervalMap, Runs};
use crate::time::Ps;
pub(super) use cache::CacheState;
use cache::Line;

/// Bytes with what was found in them.
#[derive(Copy, Clone, Debug)]
pub(super) struct Seen {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) cell: Cell,
    /// The cache that answered; `None`: memory.
    pub(super) from: Option<CacheId>,
    /// Whether it had been written there, and when it was touched: where neighbours differ in it, they are two lines.
    pub(super) kept: (bool, u32),
}

/// Time that a read lost because a barrier had dropped lines.
#[derive(Copy, Clone, Debug)]
pub(super) struct Refill {
    pub(super) op: OpId,
    pub(super) time: Ps,
}

/// All caches and memory.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) caches: Table<CacheId, CacheState>,
    /// What memory itself holds, by block.
    pub(super) cells: ByBlock<IntervalMap<Cell>>,
    sizes: Table<MemoryId, u64>,
    scale: Scale,
    stamp: u32,
    /// State of the generator, if victims are drawn.
    random: Option<u64>,
    /// Caches that hold no writes fetch what is about to be replaced.
    prefetches: bool,
    /// Tables that are used again.
    spare_pieces: Vec<Vec<(u64, u64, Option<Line>)>>,
    spare_seen: Vec<Vec<Seen>>,
    /// Bytes read from and written to memory.
    pub(super) read_bytes: u64,
    /// Times that a cache held more than it can.
    pub(super) evictions: u64,
    pub(super) written_bytes: u64,
    #[cfg(debug_assertions)]
    pub(super) ledger: super::ledger::Ledger,
}

impl Memory {
    pub(super) fn new(
        profile: &Profile,
        sizes: &Table<MemoryId, u64>,
        scale: Scale,
        eviction: Eviction,
    ) -> Self {
        let own = profile.caches.iter().map(|cache| (cache, None));
        let mut all: Table<CacheId, _> = own.collect();
        for (id, cache) in profile.caches.pairs() {
            if cache.private && cache.policy == WritePolicy::WriteBack {
                let writers = all.push((cache, None));
                all[id].1 = Some(writers);
            }
        }
        let in_all = sizes.pairs().fold(0_u64, |sum, (block, size)| {
            sum.saturating_add(scale.bytes(block, *size))
        });
        let caches = all
            .into_iter()
            .map(|(cache, writers)| CacheState::new(cache, writers, scale, eviction, in_all, sizes))
            .collect();
        Self {
            caches,
            cells: ByBlock::new(IntervalMap::new(), sizes.len()),
            sizes: sizes.clone(),
            scale,
            stamp: 0,
            random: match eviction {
                Eviction::Random(seed) => Some(seed),
                _ => None,
            },
            prefetches: eviction == Eviction::Prefetch,
            spare_pieces: Vec::new(),
            spare_seen: Vec::new(),
            read_bytes: 0,
            evictions: 0,
            written_bytes: 0,
            #[cfg(debug_assertions)]
            ledger: super::ledger::Ledger::default(),
        }
    }

    /// Bytes rounded out to a cache's lines, within the block of memory.
    fn rounded(&self, id: CacheId, extent: Extent) -> Extent {
        let line = self.caches[id]
            .line
            .saturating_mul(self.scale.places(extent.memory));
        let size = self.sizes[extent.memory].max(extent.end);
        extent.at(
            round_down(extent.start, line),
            div_ceil(extent.end, line).saturating_mul(line).min(size),
        )
    }

    /// Every version that memory or a cache holds, to be marked or renamed.
    pub(super) fn for_each_version(&mut self, mut each: impl FnMut(&mut Version)) {
        for cells in self.cells.renamed() {
            cells.rename(|cell| each(&mut cell.version));
        }
        for lines in self
            .caches
            .iter_mut()
            .flat_map(|cache| cache.lines.renamed())
        {
            lines.rename(|line| each(&mut line.cell.version));
        }
    }

    /// Gives bytes another name in memory and in every cache, where they are what `ranges` say. Returns how many lines it
    /// looked at.
    pub(super) fn name(&mut self, extent: Extent, ranges: &[Interval<Cell>], name: Cell) -> u64 {
        let (m, Extent { start, end, .. }) = (extent.memory, extent);
        let mut visits = 0;
        let mut renamed = Vec::new();
        for cache in &mut self.caches {
            cache.lines[m].divide(start, end, |run, all| {
                visits += 1;
                let line = run.value;
                pieces_of(ranges, run.start, run.end, |start, end, old| {
                    let is_same = line.cell == old;
                    if is_same && line.dirty {
                        renamed.push((start, end, old));
                    }
                    let cell = if is_same { name } else { line.cell };
                    let value = Line { cell, ..line };
                    all.push(Interval { start, end, value });
                });
            });
        }
        let mut held = Runs::default();
        self.cells[m].for_each_piece(start, end, |start, end, cell| {
            visits += 1;
            pieces_of(ranges, start, end, |start, end, old| {
                if cell.unwrap_or(Cell::UNTOUCHED) == old {
                    renamed.push((start, end, old));
                    held.push(Interval {
                        start,
                        end,
                        value: name,
                    });
                }
            });
        });
        for run in Vec::from(held) {
            self.cells[m].set(run.start, run.end, run.value);
        }
        self.named(extent, &renamed, name.version);
        visits
    }

    /// Whether a version is still in memory, or on its way there, in these bytes or their metadata. A clean copy in some
    /// cache is neither: it is what remains of a lost write.
    pub(super) fn holds(&self, extent: Extent, version: Version, joins: &Joins) -> bool {
        let is_it = |start, end, cell: Cell| {
            cell.version == version
                || (joins.is_joined(cell.version)
                    && joins
                        .members(start, end, cell)
                        .iter()
                        .any(|member| member.value.version == version))
        };
        let holds = |extent: Extent| {
            let m = extent.memory;
            let mut found = false;
            self.cells[m].for_each_piece(extent.start, extent.end, |start, end, cell| {
                found = found || is_it(start, end, cell.unwrap_or(Cell::UNTOUCHED));
            });
            for cache in &self.caches {
                cache.lines[m].for_each(extent.start, extent.end, |start, end, line| {
                    found = found || (line.dirty && is_it(start, end, line.cell));
                });
            }
            found
        };
        holds(extent) || self.scale.metadata_of(extent).is_some_and(holds)
    }
}
