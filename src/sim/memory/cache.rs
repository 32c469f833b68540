//! One cache: the lines that it has, which of them are dirty, and in which order they were touched.

use super::Eviction;
use crate::hardware::{Cache, WritePolicy};
use crate::id::{CacheId, Extent, MemoryId, OpId, Table};
use crate::program::{Interval, IntervalMap};
use crate::sim::blocks::{BlockSet, ByBlock};
use crate::sim::cell::{Cell, Scale, div_ceil};
use crate::time::Ps;
use std::collections::VecDeque;

/// What a cache has in some bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in crate::sim) struct Line {
    pub(in crate::sim) cell: Cell,
    pub(in crate::sim) dirty: bool,
    /// When it was last touched.
    pub(in crate::sim) stamp: u32,
}

/// One cache's state, and of its profile what the machine asks for at every step.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a property of the cache by itself"
)]
pub(in crate::sim) struct CacheState {
    /// The instance that a writer runs in, if that is another than the readers'.
    pub(in crate::sim) writers: Option<CacheId>,
    pub(in crate::sim) refreshed: bool,
    pub(in crate::sim) policy: WritePolicy,
    pub(in crate::sim) private: bool,
    pub(in crate::sim) byte_masks: bool,
    pub(in crate::sim) clean_drops: bool,
    pub(in crate::sim) drop_loses: bool,
    pub(in crate::sim) parent: Option<CacheId>,
    pub(in crate::sim) line: u64,
    pub(in crate::sim) scale: Scale,
    /// In weights of the scale, as `bytes` is.
    pub(in crate::sim) capacity: u128,
    /// All memory fits, so nothing is ever evicted and nobody asks what was touched when.
    pub(in crate::sim) holds_all: bool,
    pub(in crate::sim) fill: Ps,
    pub(in crate::sim) bytes_per_s: u64,
    /// By block of memory.
    pub(in crate::sim) lines: ByBlock<IntervalMap<Line>>,
    /// Lines that a barrier dropped and nobody has read since, with the packet that dropped them.
    pub(in crate::sim) dropped: Table<MemoryId, IntervalMap<OpId>>,
    /// Blocks that may have lines, and that may have dirty ones.
    pub(in crate::sim) occupied: BlockSet,
    pub(in crate::sim) dirty: BlockSet,
    pub(in crate::sim) bytes: u128,
    /// Touched runs, longest ago first; an entry whose lines were touched again since is skipped.
    pub(in crate::sim) order: VecDeque<(u32, MemoryId, u64, u64)>,
    /// Length of `order` at which it is made anew.
    pub(in crate::sim) order_limit: usize,
    /// A table that is used again: lines on their way out.
    pub(in crate::sim) victims: Vec<(Extent, Line)>,
}

impl CacheState {
    /// An empty cache. `writers`: the instance that writers run in; `in_all`: bytes of all blocks of memory, whose sizes
    /// are `sizes`.
    pub(super) fn new(
        cache: &Cache,
        writers: Option<CacheId>,
        scale: Scale,
        eviction: Eviction,
        in_all: u64,
        sizes: &[u64],
    ) -> Self {
        let (capacity, holds_all) = match eviction {
            Eviction::Oldest | Eviction::Random(_) => (
                u128::from(cache.capacity_bytes) * u128::from(scale.covers),
                in_all <= cache.capacity_bytes,
            ),
            Eviction::Never | Eviction::Prefetch => (u128::MAX, true),
            Eviction::Eager => (0, false),
        };
        Self {
            writers,
            refreshed: cache.refreshed,
            policy: cache.policy,
            private: cache.private,
            byte_masks: cache.byte_masks,
            clean_drops: cache.clean_drops,
            drop_loses: cache.drop_loses,
            parent: cache.parent,
            line: cache.line_bytes,
            scale,
            capacity,
            holds_all,
            fill: cache.fill,
            bytes_per_s: cache.bytes_per_s,
            lines: ByBlock::new(IntervalMap::new(), sizes.len()),
            dropped: Table::filled(sizes.len(), IntervalMap::new()),
            occupied: BlockSet::new(sizes.len()),
            dirty: BlockSet::new(sizes.len()),
            bytes: 0,
            order: VecDeque::new(),
            order_limit: 1024,
            victims: Vec::new(),
        }
    }

    /// Puts a line in, replacing what lies there.
    pub(super) fn insert(&mut self, extent: Extent, mut line: Line) {
        if self.holds_all {
            line.stamp = 0;
        }
        let lines = &mut self.lines[extent.memory];
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

    /// Puts clean lines into bytes that have none, ascending: one pass over the lines among them.
    pub(super) fn insert_fetched(&mut self, memory: MemoryId, mut lines: Vec<Interval<Line>>) {
        let weight = u128::from(self.scale.weight(memory));
        for line in &mut lines {
            self.bytes += u128::from(line.end - line.start) * weight;
            if self.holds_all {
                line.value.stamp = 0;
            } else {
                let stamp = line.value.stamp;
                self.order.push_back((stamp, memory, line.start, line.end));
            }
        }
        self.occupied.insert(memory.0);
        self.lines[memory].fill(&lines);
    }

    /// Takes lines out that are no longer counted.
    pub(super) fn take_out(&mut self, gone: Option<Extent>) {
        if let Some(gone) = gone {
            self.lines[gone.memory].remove(gone.start, gone.end);
        }
    }

    /// A write passes through: lines that are there get what it writes.
    pub(super) fn pass(&mut self, extent: Extent, cell: Cell) {
        self.lines[extent.memory].update(extent.start, extent.end, |_, _, line| {
            Some(Line { cell, ..line })
        });
    }

    /// Takes lines out.
    pub(super) fn drop_lines(&mut self, extent: Extent) {
        let bytes = self.lines[extent.memory].remove(extent.start, extent.end);
        if bytes > 0 {
            self.bytes -= u128::from(bytes) * u128::from(self.scale.weight(extent.memory));
        }
    }

    /// Notes that lines were used.
    pub(super) fn touch(&mut self, memory: MemoryId, start: u64, end: u64, stamp: u32) {
        if self.holds_all {
            return;
        }
        let mut any = false;
        self.lines[memory].update(start, end, |_, _, line| {
            any = true;
            Some(Line { stamp, ..line })
        });
        if any {
            self.order.push_back((stamp, memory, start, end));
        }
    }

    /// How many of the `len` places of a run leave where a cache has `excess` weight too much: whole lines.
    pub(super) fn leaving(&self, excess: u128, memory: MemoryId, len: u64) -> u64 {
        let weight = self.scale.weight(memory);
        if excess >= u128::from(len) * u128::from(weight) {
            return len;
        }
        // It is less than the weight of a run that is in memory.
        let excess = u64::try_from(excess).unwrap_or(u64::MAX / 2);
        let line = self.line.saturating_mul(self.scale.places(memory));
        let places = div_ceil(excess, weight);
        div_ceil(places, line).saturating_mul(line).min(len)
    }

    /// The lines of `stamp` in `extent` that leave, the first `left` bytes of them. What stays is next in `order`.
    pub(super) fn scattered(
        &mut self,
        stamp: u32,
        extent: Extent,
        mut left: u64,
    ) -> Vec<(Extent, Line)> {
        let mut victims = std::mem::take(&mut self.victims);
        victims.clear();
        let Extent { memory, start, end } = extent;
        let mut rest = None;
        self.lines[memory].for_each(start, end, |start, until, line| {
            if line.stamp != stamp {
                return;
            }
            let end = start + left.min(until - start);
            if end > start {
                victims.push((Extent { memory, start, end }, line));
                left -= end - start;
            }
            if end < until && rest.is_none() {
                rest = Some(end);
            }
        });
        if let Some(rest) = rest {
            self.order.push_front((stamp, memory, rest, end));
        }
        victims
    }

    /// Forgets the entries of `order` whose lines were touched again, when there are too many of them.
    #[inline]
    pub(super) fn tidy(&mut self) {
        if self.order.len() > self.order_limit {
            self.order_anew();
        }
    }

    fn order_anew(&mut self) {
        let mut order: Vec<(u32, MemoryId, u64, u64)> = Vec::new();
        for memory in self.occupied.iter() {
            let memory = MemoryId(memory);
            let runs = self.lines[memory].runs();
            order.extend(runs.map(|run| (run.value.stamp, memory, run.start, run.end)));
        }
        order.sort_unstable();
        self.order_limit = order.len() * 2 + 1024;
        self.order = order.into();
    }
}
