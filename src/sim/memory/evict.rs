//! Lines that leave a cache by themselves: which ones, and when.

use super::Memory;
use super::cache::Line;
use crate::id::{CacheId, Extent};

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
    /// Nothing; and what is about to be replaced, here or on its way to memory, comes into every cache that holds no writes:
    /// what is right because nobody has read it before is not right here.
    Prefetch,
}

/// The next number of a generator (splitmix64): same seed, same numbers.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One of `count` places, by the generator.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the remainder is less than a length in memory"
)]
fn drawn(state: &mut u64, count: usize) -> usize {
    (next_random(state) % count as u64) as usize
}

impl Memory {
    /// Evicts what was touched longest ago until a cache holds no more than it can.
    pub(super) fn evict(&mut self, id: CacheId) {
        let cache = &mut self.caches[id];
        if cache.holds_all {
            return;
        }
        if cache.bytes <= cache.capacity {
            cache.tidy();
            return;
        }
        self.evictions += 1;
        // Neighbours leave one after the other: they are taken out together.
        let mut gone: Option<Extent> = None;
        loop {
            let cache = &mut self.caches[id];
            let Some(excess) = cache.bytes.checked_sub(cache.capacity).filter(|e| *e > 0) else {
                cache.take_out(gone.take());
                cache.tidy();
                return;
            };
            if let Some(state) = &mut self.random
                && cache.order.len() > 1
            {
                cache.order.swap(0, drawn(state, cache.order.len()));
            }
            let Some((stamp, memory, start, end)) = cache.order.pop_front() else {
                cache.take_out(gone.take());
                return;
            };
            if gone.is_some_and(|g| g.memory != memory || g.end != start) {
                cache.take_out(gone.take());
            }
            // The common case: what was touched together still lies together.
            if let Some(line) = cache.lines[memory].whole(start, end) {
                if line.stamp == stamp {
                    let until = start + cache.leaving(excess, memory, end - start);
                    if until < end {
                        cache.order.push_front((stamp, memory, until, end));
                    }
                    let end = until;
                    self.put_out(id, Extent { memory, start, end }, line, &mut gone);
                }
                continue;
            }
            let left = cache.leaving(excess, memory, end - start);
            let victims = cache.scattered(stamp, Extent { memory, start, end }, left);
            for (extent, line) in &victims {
                self.put_out(id, *extent, *line, &mut gone);
            }
            self.caches[id].victims = victims;
        }
    }

    /// A line leaves a cache that is full. It is among `gone` then: no byte of a line that is still there.
    fn put_out(&mut self, id: CacheId, extent: Extent, line: Line, gone: &mut Option<Extent>) {
        self.dropped(id, extent);
        let cache = &mut self.caches[id];
        let weight = u128::from(cache.scale.weight(extent.memory));
        cache.bytes -= u128::from(extent.len()) * weight;
        match gone {
            Some(gone) if (gone.memory, gone.end) == (extent.memory, extent.start) => {
                gone.end = extent.end;
            }
            _ => cache.take_out(gone.replace(extent)),
        }
        if line.dirty {
            self.write_below(id, extent, line.cell);
        }
    }
}
