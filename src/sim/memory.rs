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
//! * Metadata stands in blocks of its own, at the places of the texels that it describes. One byte of it describes many
//!   texels' bytes: what is counted (capacity, lines, traffic) is counted in bytes of metadata.

use super::blocks::BlockSet;
use super::cell::{Cell, Scale, Version, div_ceil};
use super::ledger::Landing;
use crate::hardware::{Policy, Profile};
use crate::id::{CacheId, Extent, MemoryId, OpId};
use crate::program::IntervalMap;
use crate::time::Ps;
use smallvec::SmallVec;
use std::collections::VecDeque;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) cell: Cell,
    pub(super) dirty: bool,
    /// When it was last touched.
    stamp: u32,
}

/// Bytes with what was found in them.
#[derive(Copy, Clone, Debug)]
pub(super) struct Seen {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) cell: Cell,
    /// The cache that answered; `None`: memory.
    pub(super) from: Option<CacheId>,
}

/// Time that a read lost because a barrier had dropped lines.
#[derive(Copy, Clone, Debug)]
pub(super) struct Refill {
    pub(super) op: OpId,
    pub(super) time: Ps,
}

#[derive(Debug)]
pub(super) struct CacheState {
    /// The instance that a writer runs in, if that is another than the readers'.
    writers: Option<CacheId>,
    refreshed: bool,
    policy: Policy,
    private: bool,
    byte_masks: bool,
    clean_drops: bool,
    parent: Option<CacheId>,
    line: u64,
    scale: Scale,
    /// In weights of the scale, as `bytes` is.
    capacity: u128,
    /// All memory fits, so nothing is ever evicted and nobody asks what was touched when.
    holds_all: bool,
    fill: Ps,
    bytes_per_s: u64,
    /// By block of memory.
    pub(super) lines: Vec<IntervalMap<Line>>,
    /// Lines that a barrier dropped and nobody has read since, with the packet that dropped them.
    dropped: Vec<IntervalMap<OpId>>,
    /// Blocks that may have lines, and that may have dirty ones.
    occupied: BlockSet,
    pub(super) dirty: BlockSet,
    bytes: u128,
    /// Touched runs, longest ago first; an entry whose lines were touched again since is skipped.
    order: VecDeque<(u32, MemoryId, u64, u64)>,
    /// Length of `order` at which it is made anew.
    order_limit: usize,
    /// A table that is used again: lines on their way out.
    victims: Vec<(Extent, Line)>,
}

/// Some extents; mostly there are few.
type Extents = SmallVec<[Extent; 8]>;

/// All caches and memory.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) caches: Vec<CacheState>,
    /// What memory itself holds, by block.
    pub(super) cells: Vec<IntervalMap<Cell>>,
    sizes: Vec<u64>,
    scale: Scale,
    stamp: u32,
    /// State of the generator, if victims are drawn.
    random: Option<u64>,
    /// Tables that are used again.
    spare_pieces: Vec<Vec<(u64, u64, Option<Cell>)>>,
    spare_seen: Vec<Vec<Seen>>,
    /// Bytes read from and written to memory.
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
    #[cfg(debug_assertions)]
    pub(super) ledger: super::ledger::Ledger,
}

/// Which lines leave a cache by themselves.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Eviction {
    /// When a cache is full, what was touched longest ago.
    #[default]
    Oldest,
    /// Nothing, whatever the capacity: every missing operation shows.
    Never,
    /// Everything at once: what is right by luck is right here.
    Eager,
    /// When a cache is full, any line, by a generator with this seed.
    Random(u64),
}

/// The next number of a generator (splitmix64): same seed, same numbers.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Memory {
    pub(super) fn new(profile: &Profile, sizes: &[u64], scale: Scale, eviction: Eviction) -> Self {
        let own = profile.caches.iter().map(|cache| (cache, None));
        let mut all: Vec<_> = own.collect();
        for index in 0..profile.caches.len() {
            let cache = &profile.caches[index];
            if cache.private && cache.policy == Policy::WriteBack {
                all[index].1 = Some(CacheId::new(all.len()));
                all.push((cache, None));
            }
        }
        let blocks = sizes.iter().enumerate();
        let in_all = blocks.fold(0_u64, |sum, (block, size)| {
            sum.saturating_add(scale.bytes(MemoryId::new(block), *size))
        });
        let caches = all
            .into_iter()
            .map(|(cache, writers)| CacheState {
                writers,
                refreshed: cache.refreshed,
                policy: cache.policy,
                private: cache.private,
                byte_masks: cache.byte_masks,
                clean_drops: cache.clean_drops,
                parent: cache.parent,
                line: cache.line_bytes,
                scale,
                capacity: match eviction {
                    Eviction::Oldest | Eviction::Random(_) => {
                        u128::from(cache.capacity_bytes) * u128::from(scale.covers)
                    }
                    Eviction::Never => u128::MAX,
                    Eviction::Eager => 0,
                },
                holds_all: match eviction {
                    Eviction::Oldest | Eviction::Random(_) => in_all <= cache.capacity_bytes,
                    Eviction::Never => true,
                    Eviction::Eager => false,
                },
                fill: cache.fill,
                bytes_per_s: cache.bytes_per_s,
                lines: vec![IntervalMap::new(); sizes.len()],
                dropped: vec![IntervalMap::new(); sizes.len()],
                occupied: BlockSet::new(sizes.len()),
                dirty: BlockSet::new(sizes.len()),
                bytes: 0,
                order: VecDeque::new(),
                order_limit: 1024,
                victims: Vec::new(),
            })
            .collect();
        Self {
            caches,
            cells: vec![IntervalMap::new(); sizes.len()],
            sizes: sizes.to_vec(),
            scale,
            stamp: 0,
            random: match eviction {
                Eviction::Random(seed) => Some(seed),
                _ => None,
            },
            spare_pieces: Vec::new(),
            spare_seen: Vec::new(),
            read_bytes: 0,
            written_bytes: 0,
            #[cfg(debug_assertions)]
            ledger: super::ledger::Ledger::default(),
        }
    }

    /// Reads bytes through a path: what each piece holds, ascending. Fills the caches on the way.
    pub(super) fn read(
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

    fn read_level(
        &mut self,
        path: &[CacheId],
        extent: Extent,
        seen: &mut Vec<Seen>,
        refills: &mut Vec<Refill>,
    ) {
        let Extent { memory, start, end } = extent;
        let lasting = path
            .iter()
            .position(|id| !self.caches[id.index()].refreshed);
        let path = &path[lasting.unwrap_or(path.len())..];
        let Some((&id, deeper)) = path.split_first() else {
            self.read_bytes += self.scale.bytes(memory, end - start);
            self.cells[memory.index()].for_each_piece(start, end, |start, end, cell| {
                seen.push(Seen {
                    start,
                    end,
                    cell: cell.unwrap_or(Cell::UNTOUCHED),
                    from: None,
                });
            });
            return;
        };
        let stamp = self.stamp;
        let cache = &mut self.caches[id.index()];
        if let Some(line) = cache.lines[memory.index()].whole(start, end) {
            seen.push(Seen {
                start,
                end,
                cell: line.cell,
                from: Some(id),
            });
            cache.touch(memory, start, end, stamp);
            self.evict(id);
            return;
        }
        if cache.lines[memory.index()].is_free(start, end) {
            self.fetch(id, deeper, extent, seen, refills);
            self.evict(id);
            return;
        }
        let mut pieces = self.spare_pieces.pop().unwrap_or_default();
        cache.lines[memory.index()].for_each_piece(start, end, |start, end, line| {
            pieces.push((start, end, line.map(|l| l.cell)))
        });
        cache.touch(memory, start, end, stamp);
        for (from, until, cell) in pieces.drain(..) {
            match cell {
                Some(cell) => seen.push(Seen {
                    start: from,
                    end: until,
                    cell,
                    from: Some(id),
                }),
                None => {
                    let missing = Extent {
                        memory,
                        start: from,
                        end: until,
                    };
                    self.fetch(id, deeper, missing, seen, refills);
                }
            }
        }
        self.spare_pieces.push(pieces);
        self.evict(id);
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
            for piece in &seen[from..] {
                let line = Line {
                    cell: piece.cell,
                    dirty: false,
                    stamp,
                };
                let (start, end) = (piece.start, piece.end);
                self.caches[id.index()].insert(Extent { memory, start, end }, line);
            }
            return;
        }
        let mut fetched = self.spare_seen.pop().unwrap_or_default();
        let mut absent = self.spare_pieces.pop().unwrap_or_default();
        self.read_level(deeper, fetch, &mut fetched, refills);
        for piece in fetched.drain(..) {
            // The rest of a line may have come before; what it holds stays.
            let cache = &mut self.caches[id.index()];
            cache.lines[memory.index()].for_each_piece(piece.start, piece.end, |s, e, line| {
                if line.is_none() {
                    absent.push((s, e, None));
                }
            });
            for (start, end, _) in absent.drain(..) {
                let line = Line {
                    cell: piece.cell,
                    dirty: false,
                    stamp,
                };
                cache.insert(Extent { memory, start, end }, line);
            }
            seen.extend(cut(piece, missing.start, missing.end));
        }
        self.spare_seen.push(fetched);
        self.spare_pieces.push(absent);
    }

    /// Notes that bytes are fetched again that a barrier dropped.
    fn charge_refill(&mut self, id: CacheId, extent: Extent, refills: &mut Vec<Refill>) {
        let cache = &mut self.caches[id.index()];
        let dropped = &mut cache.dropped[extent.memory.index()];
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

    /// Bytes rounded out to a cache's lines, within the block of memory.
    fn rounded(&self, id: CacheId, extent: Extent) -> Extent {
        let line = self.caches[id.index()]
            .line
            .saturating_mul(self.scale.places(extent.memory));
        let size = self.sizes[extent.memory.index()].max(extent.end);
        Extent {
            memory: extent.memory,
            start: extent.start - extent.start % line,
            end: div_ceil(extent.end, line).saturating_mul(line).min(size),
        }
    }

    /// Writes bytes through a path. `padded`: the bytes' lines hold nothing else.
    pub(super) fn write(&mut self, path: &[CacheId], extent: Extent, cell: Cell, padded: bool) {
        self.born(extent, cell.version);
        self.write_level(path, extent, cell, padded);
        self.settle();
    }

    fn write_level(&mut self, path: &[CacheId], extent: Extent, cell: Cell, padded: bool) {
        self.stamp += 1;
        let stamp = self.stamp;
        for (level, id) in path.iter().enumerate() {
            let id = &self.caches[id.index()].writers.unwrap_or(*id);
            let cache = &mut self.caches[id.index()];
            match cache.policy {
                Policy::WriteBack => {
                    if !padded && !cache.byte_masks {
                        self.dirty_neighbours(*id, &path[level + 1..], extent);
                    }
                    self.replaced(Some(*id), extent, cell.version, Landing::Write);
                    self.caches[id.index()].insert(
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
                Policy::WriteThrough if !cache.private => {
                    cache.lines[extent.memory.index()].update(
                        extent.start,
                        extent.end,
                        |_, _, line| Some(Line { cell, ..line }),
                    );
                }
                Policy::WriteThrough | Policy::ReadOnly => {}
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
            let margin = Extent {
                start,
                end,
                ..extent
            };
            let path: Vec<CacheId> = std::iter::once(id).chain(deeper.iter().copied()).collect();
            self.read_level(&path, margin, &mut Vec::new(), &mut Vec::new());
            let cache = &mut self.caches[id.index()];
            cache.lines[extent.memory.index()].update(start, end, |_, _, line| {
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
        self.cells[extent.memory.index()].set(extent.start, extent.end, cell);
    }

    /// Writes bytes that leave a cache to what is behind it.
    fn write_below(&mut self, id: CacheId, extent: Extent, cell: Cell) {
        let stamp = self.stamp;
        let mut at = self.caches[id.index()].parent;
        while let Some(parent) = at {
            let cache = &self.caches[parent.index()];
            if cache.policy == Policy::WriteBack {
                self.replaced(Some(parent), extent, cell.version, Landing::WriteBack);
                self.caches[parent.index()].insert(
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
            at = cache.parent;
        }
        self.replaced(None, extent, cell.version, Landing::WriteBack);
        self.store(extent, cell);
    }

    /// Every version that memory or a cache holds, to be marked or renamed.
    pub(super) fn for_each_version(&mut self, mut each: impl FnMut(&mut Version)) {
        for cells in &mut self.cells {
            cells.rename(|cell| each(&mut cell.version));
        }
        for lines in self.caches.iter_mut().flat_map(|cache| &mut cache.lines) {
            lines.rename(|line| each(&mut line.cell.version));
        }
    }

    /// Evicts what was touched longest ago until a cache holds no more than it can.
    fn evict(&mut self, id: CacheId) {
        if self.caches[id.index()].holds_all {
            return;
        }
        loop {
            let cache = &mut self.caches[id.index()];
            let Some(excess) = cache.bytes.checked_sub(cache.capacity).filter(|e| *e > 0) else {
                cache.tidy();
                return;
            };
            if let (Some(state), 2..) = (&mut self.random, cache.order.len()) {
                let at = next_random(state) % cache.order.len() as u64;
                cache.order.swap(0, at as usize);
            }
            let Some((stamp, memory, start, end)) = cache.order.pop_front() else {
                return;
            };
            // Whole lines leave. More than all of memory is as good as all of it, and divides quicker.
            let line = cache.line.saturating_mul(cache.scale.places(memory));
            let excess = u64::try_from(excess).unwrap_or(u64::MAX / 2);
            let places = div_ceil(excess, cache.scale.weight(memory));
            let mut left = if places >= end - start {
                end - start
            } else {
                div_ceil(places, line).saturating_mul(line).min(end - start)
            };
            // The common case: what was touched together still lies together.
            if let Some(line) = cache.lines[memory.index()].whole(start, end) {
                if line.stamp == stamp {
                    let until = start + left;
                    if until < end {
                        cache.order.push_front((stamp, memory, until, end));
                    }
                    let end = until;
                    self.put_out(id, Extent { memory, start, end }, line);
                }
                continue;
            }
            let mut victims = std::mem::take(&mut cache.victims);
            let mut rest = None;
            cache.lines[memory.index()].for_each(start, end, |from, until, line| {
                if line.stamp != stamp {
                    return;
                }
                let take = left.min(until - from);
                if take > 0 {
                    victims.push((
                        Extent {
                            memory,
                            start: from,
                            end: from + take,
                        },
                        line,
                    ));
                    left -= take;
                }
                if take < until - from && rest.is_none() {
                    rest = Some(from + take);
                }
            });
            if let Some(rest) = rest {
                cache.order.push_front((stamp, memory, rest, end));
            }
            for (extent, line) in victims.drain(..) {
                self.put_out(id, extent, line);
            }
            self.caches[id.index()].victims = victims;
        }
    }

    /// A line leaves a cache that is full.
    fn put_out(&mut self, id: CacheId, extent: Extent, line: Line) {
        self.dropped(id, extent);
        self.caches[id.index()].drop_lines(extent);
        if line.dirty {
            self.write_below(id, extent, line.cell);
        }
    }

    /// Lines that an operation on bytes (or on everything) acts on.
    fn reach(&self, id: CacheId, reach: Option<&[Extent]>, dirty_only: bool) -> Extents {
        let cache = &self.caches[id.index()];
        match reach {
            Some(extents) => {
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
            None => {
                let set = if dirty_only {
                    &cache.dirty
                } else {
                    &cache.occupied
                };
                set.iter()
                    .map(|m| Extent {
                        memory: MemoryId(m),
                        start: 0,
                        end: u64::MAX,
                    })
                    .collect()
            }
        }
    }

    /// Dirty bytes that a clean would write back.
    pub(super) fn dirty_bytes(&self, id: CacheId, reach: Option<&[Extent]>) -> u64 {
        let cache = &self.caches[id.index()];
        let mut bytes = match cache.writers {
            Some(writers) => self.dirty_bytes(writers, reach),
            None => 0,
        };
        if cache.dirty.is_empty() {
            return bytes;
        }
        for extent in self.reach(id, reach, true) {
            cache.lines[extent.memory.index()].for_each(
                extent.start,
                extent.end,
                |start, end, line| {
                    if line.dirty {
                        bytes += cache.scale.bytes(extent.memory, end - start);
                    }
                },
            );
        }
        bytes
    }

    /// Writes dirty lines back. Returns their bytes.
    pub(super) fn clean(&mut self, id: CacheId, reach: Option<&[Extent]>) -> u64 {
        let drops = self.caches[id.index()].clean_drops;
        self.stamp += 1;
        let mut written = match self.caches[id.index()].writers {
            Some(writers) => self.clean(writers, reach),
            None => 0,
        };
        for extent in self.reach(id, reach, !drops) {
            written += self.write_back(id, extent);
            if drops {
                self.dropped(id, extent);
                self.caches[id.index()].drop_lines(extent);
            }
        }
        if reach.is_none() {
            self.caches[id.index()].dirty.clear();
        }
        self.settle();
        written
    }

    fn write_back(&mut self, id: CacheId, extent: Extent) -> u64 {
        let cache = &mut self.caches[id.index()];
        if !cache.dirty.contains(extent.memory.0) {
            return 0;
        }
        let mut dirty: SmallVec<[(Extent, Cell); 8]> = SmallVec::new();
        cache.lines[extent.memory.index()].update(extent.start, extent.end, |start, end, line| {
            if line.dirty {
                dirty.push((
                    Extent {
                        memory: extent.memory,
                        start,
                        end,
                    },
                    line.cell,
                ));
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

    /// Drops lines, dirty ones after writing them back. Returns the bytes written and dropped.
    pub(super) fn invalidate(
        &mut self,
        id: CacheId,
        reach: Option<&[Extent]>,
        by: OpId,
    ) -> (u64, u64) {
        self.stamp += 1;
        let (mut written, mut dropped) = match self.caches[id.index()].writers {
            Some(writers) => self.invalidate(writers, reach, by),
            None => (0, 0),
        };
        for extent in self.reach(id, reach, false) {
            written += self.write_back(id, extent);
            self.dropped(id, extent);
            let cache = &mut self.caches[id.index()];
            let (lines, gone) = (
                &cache.lines[extent.memory.index()],
                &mut cache.dropped[extent.memory.index()],
            );
            lines.for_each(extent.start, extent.end, |start, end, _| {
                dropped += cache.scale.bytes(extent.memory, end - start);
                gone.set(start, end, by);
            });
            cache.drop_lines(extent);
        }
        if reach.is_none() {
            self.caches[id.index()].occupied.clear();
            self.caches[id.index()].dirty.clear();
        }
        self.settle();
        (written, dropped)
    }

    /// Whether a version is still in memory, or on its way there, in these bytes or their metadata. A clean copy in some
    /// cache is neither: it is what a lost write leaves behind.
    pub(super) fn holds(&self, extent: Extent, version: Version) -> bool {
        let holds = |extent: Extent| {
            let m = extent.memory.index();
            let mut found = false;
            self.cells[m].for_each_piece(extent.start, extent.end, |_, _, cell| {
                found |= cell.unwrap_or(Cell::UNTOUCHED).version == version;
            });
            for cache in &self.caches {
                cache.lines[m].for_each(extent.start, extent.end, |_, _, line| {
                    found |= line.dirty && line.cell.version == version
                });
            }
            found
        };
        holds(extent) || self.scale.metadata_of(extent).is_some_and(holds)
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

impl CacheState {
    /// Puts a line in, replacing what lies there.
    fn insert(&mut self, extent: Extent, mut line: Line) {
        if self.holds_all {
            line.stamp = 0;
        }
        let lines = &mut self.lines[extent.memory.index()];
        let covered = lines.set(extent.start, extent.end, line);
        let weight = u128::from(self.scale.weight(extent.memory));
        self.bytes += u128::from(extent.len() - covered) * weight;
        self.occupied.insert(extent.memory.0);
        if line.dirty {
            self.dirty.insert(extent.memory.0);
        }
        if !self.holds_all {
            self.order
                .push_back((line.stamp, extent.memory, extent.start, extent.end));
        }
    }

    /// Takes lines out.
    fn drop_lines(&mut self, extent: Extent) {
        let bytes = self.lines[extent.memory.index()].remove(extent.start, extent.end);
        if bytes > 0 {
            self.bytes -= u128::from(bytes) * u128::from(self.scale.weight(extent.memory));
        }
    }

    /// Notes that lines were used.
    fn touch(&mut self, memory: MemoryId, start: u64, end: u64, stamp: u32) {
        if self.holds_all {
            return;
        }
        let mut any = false;
        self.lines[memory.index()].update(start, end, |_, _, line| {
            any = true;
            Some(Line { stamp, ..line })
        });
        if any {
            self.order.push_back((stamp, memory, start, end));
        }
    }

    /// Forgets the entries of `order` whose lines were touched again, when there are too many of them.
    fn tidy(&mut self) {
        if self.order.len() <= self.order_limit {
            return;
        }
        let mut order: Vec<(u32, MemoryId, u64, u64)> = Vec::new();
        for memory in self.occupied.iter() {
            let memory = MemoryId(memory);
            let runs = self.lines[memory.index()].runs().iter();
            order.extend(runs.map(|run| (run.value.stamp, memory, run.start, run.end)));
        }
        order.sort_unstable();
        self.order_limit = order.len() * 2 + 1024;
        self.order = order.into();
    }
}
