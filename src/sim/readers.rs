//! Which reads go on now, by place.
//!
//! A write that lands asks for the reads of its bytes. Reads are kept by their length, a power of two apart: among those of
//! one class, the ones that may reach a byte lie near it. So each insertion, removal and question takes a logarithm and as
//! many steps as there are answers.

use crate::id::{Extent, MemoryId};
use std::collections::BTreeSet;

/// An extent of a read that goes on. Those of the same bytes and queue are in order of issue.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Reader {
    memory: MemoryId,
    start: u64,
    end: u64,
    queue: u32,
    seq: u32,
    pub(super) flight: u32,
    /// The access of its command.
    pub(super) index: u32,
}

impl Reader {
    pub(super) fn new(extent: Extent, (queue, seq): (u32, u32), flight: u32, index: u32) -> Self {
        let Extent { memory, start, end } = extent;
        Self {
            memory,
            start,
            end,
            queue,
            seq,
            flight,
            index,
        }
    }

    pub(super) fn extent(&self) -> Extent {
        Extent::new(self.memory, self.start, self.end)
    }

    /// The first that could be at a place.
    fn first(memory: MemoryId, start: u64) -> Self {
        Self::new(Extent::new(memory, start, 0), (0, 0), 0, 0)
    }
}

/// Number of length classes: lengths are 64-bit numbers.
const CLASSES: usize = 64;

/// Reads that go on.
#[derive(Default)]
pub(super) struct Readers {
    /// By the logarithm of the length. No class beyond the longest read there was.
    classes: Vec<BTreeSet<Reader>>,
    /// Classes that hold any, a bit each.
    live: u64,
}

impl Readers {
    pub(super) fn insert(&mut self, reader: Reader) {
        let class = class(&reader);
        if self.classes.len() <= class {
            self.classes.resize_with(class + 1, BTreeSet::new);
        }
        self.classes[class].insert(reader);
        self.live |= 1 << class;
    }

    pub(super) fn remove(&mut self, reader: &Reader) {
        let class = class(reader);
        if let Some(readers) = self.classes.get_mut(class) {
            readers.remove(reader);
            if readers.is_empty() {
                self.live &= !(1 << class);
            }
        }
    }

    /// Every read of some bytes, but those that the writer's own queue issued after the write. A write that no queue issued
    /// comes after all of them.
    pub(super) fn of(
        &self,
        extent: Extent,
        (queue, seq): (u32, u32),
        mut each: impl FnMut(&Reader),
    ) {
        let mut live = self.live;
        while live != 0 {
            let class = live.trailing_zeros();
            live &= live - 1;
            let longest = u64::MAX >> (63 - class);
            let near = extent.start.saturating_sub(longest);
            let until = Reader::first(extent.memory, extent.end);
            let readers = &self.classes[class as usize];
            let mut next = Reader::first(extent.memory, near);
            while let Some(later) = jump(readers, next, until, |reader| {
                let is_later = (reader.queue, reader.seq > seq) == (queue, true);
                if !is_later && reader.end > extent.start {
                    each(reader);
                }
                is_later
            }) {
                next = later;
            }
        }
    }
}

/// Looks at what lies between, until one says that all after it of its bytes and queue are later. Returns where to go on.
fn jump(
    readers: &BTreeSet<Reader>,
    from: Reader,
    until: Reader,
    mut is_later: impl FnMut(&Reader) -> bool,
) -> Option<Reader> {
    let later = readers.range(from..until).find(|reader| is_later(reader))?;
    let queue = later.queue.checked_add(1)?;
    Some(Reader {
        queue,
        seq: 0,
        flight: 0,
        index: 0,
        ..*later
    })
}

/// The logarithm of a length, rounded down.
fn class(reader: &Reader) -> usize {
    let len = (reader.end - reader.start).max(1);
    (len.ilog2() as usize).min(CLASSES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reader() -> impl Strategy<Value = Reader> {
        let bytes = (0..3_u32, 0..300_u64, 1..200_u64);
        (bytes, 0..3_u32, 0..6_u32, 0..4_u32).prop_map(
            |((memory, start, len), queue, seq, flight)| {
                let extent = Extent::new(MemoryId(memory), start, start + len);
                Reader::new(extent, (queue, seq), flight, 0)
            },
        )
    }

    proptest! {
        #[test]
        fn questions_find_what_a_scan_finds(
            all in prop::collection::vec((reader(), any::<bool>()), 0..40),
            asks in prop::collection::vec(reader(), 1..10),
        ) {
            let mut readers = Readers::default();
            let mut kept = BTreeSet::new();
            for (reader, _) in &all {
                readers.insert(*reader);
                kept.insert(*reader);
            }
            for (reader, _) in all.iter().filter(|(_, stays)| !stays) {
                readers.remove(reader);
                kept.remove(reader);
            }
            for ask in asks {
                let mut found = BTreeSet::new();
                readers.of(ask.extent(), (ask.queue, ask.seq), |reader| {
                    found.insert(*reader);
                });
                let overlaps = |r: &&Reader| r.extent().intersection(ask.extent()).is_some();
                let is_later = |r: &&Reader| r.queue == ask.queue && r.seq > ask.seq;
                let expected: BTreeSet<Reader> =
                    kept.iter().filter(|r| overlaps(r) && !is_later(r)).copied().collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
