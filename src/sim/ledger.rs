//! What becomes of versions: no write disappears without a recorded cause. Bookkeeping of debug builds; others leave it out.
//!
//! A version is *kept* in some bytes while memory has it there or a dirty line does. Clean copies keep nothing: they are
//! what remains of a lost write. When the last place that keeps a version loses it, the ledger must know why. The ledger
//! has its own list of what is kept, and so also finds a line that vanishes without a note ([`Memory::audit`]).

#[cfg(debug_assertions)]
use super::cell::INITIAL;
use super::cell::{Cell, Version};
use super::memory::Memory;
use crate::id::{CacheId, Extent};

/// Why bytes no longer have a version.
#[cfg(debug_assertions)]
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Departure {
    /// A newer write landed there.
    Overwritten,
    /// Contents were given up: a newer version without a defined value took the bytes.
    Discarded,
    /// An older write landed there later: nothing ordered the two.
    Overtaken,
    /// A cache was dropped that loses dirty lines.
    Dropped,
    /// An older dirty line was written back over it: a line shared with a neighbour, or the write cache of an older write.
    LostToLine,
}

/// How a version comes to a place.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Landing {
    /// It is written.
    Write,
    /// A dirty line is written back.
    WriteBack,
}

#[cfg(not(debug_assertions))]
#[allow(clippy::unused_self)]
impl Memory {
    pub(super) fn born(&mut self, _: Extent, _: Version) {}
    pub(super) fn dirtied(&mut self, _: CacheId, _: Extent) {}
    pub(super) fn replaced(&mut self, _: Option<CacheId>, _: Extent, _: Version, _: Landing) {}
    pub(super) fn dropped(&mut self, _: CacheId, _: Extent) {}
    pub(super) fn settle(&mut self) {}
    pub(super) fn audit(&self) {}
    pub(super) fn note_undefined(&mut self, _: Version) {}
    pub(super) fn renamed(&mut self, _: &[bool], _: &[Version]) {}
    pub(super) fn named(&mut self, _: Extent, _: &[(u64, u64, Cell)], _: Version) {}
}

#[cfg(debug_assertions)]
pub(super) use debug::Ledger;

#[cfg(debug_assertions)]
mod debug {
    use super::{CacheId, Cell, Departure, Extent, INITIAL, Landing, Memory, Version};
    use crate::id::MemoryId;
    use crate::program::IntervalMap;
    use std::collections::{BTreeMap, BTreeSet};

    /// The books.
    #[derive(Debug, Default)]
    pub(in crate::sim) struct Ledger {
        /// Bytes in which each version is kept, by version and block of memory. Initial contents are nobody's write.
        kept: BTreeMap<(Version, u32), IntervalMap<()>>,
        /// What lost a keeper since the books were last settled, and why.
        leaving: Vec<(Extent, Version, Option<Departure>)>,
        /// Versions without a defined value.
        undefined: BTreeSet<Version>,
        /// Bytes that departed, by cause.
        pub(in crate::sim) departed: BTreeMap<u8, u64>,
    }

    impl Ledger {
        /// Bytes that departed for a cause.
        #[cfg(test)]
        pub(super) fn bytes(&self, cause: Departure) -> u64 {
            self.departed.get(&(cause as u8)).copied().unwrap_or(0)
        }

        /// The kept part of some bytes of a version.
        fn kept(&self, extent: Extent, version: Version) -> Vec<(u64, u64)> {
            let mut parts = Vec::new();
            if let Some(map) = self.kept.get(&(version, extent.memory.0)) {
                map.for_each(extent.start, extent.end, |start, end, ()| {
                    parts.push((start, end));
                });
            }
            parts
        }
    }

    impl Memory {
        /// A version has landed somewhere.
        pub(in crate::sim) fn born(&mut self, extent: Extent, version: Version) {
            if version != INITIAL {
                let kept = self.ledger.kept.entry((version, extent.memory.0));
                kept.or_default().set(extent.start, extent.end, ());
            }
        }

        /// Clean lines have become dirty: what they hold is kept again.
        pub(in crate::sim) fn dirtied(&mut self, id: CacheId, extent: Extent) {
            let mut found = Vec::new();
            let lines = &self.caches[id].lines[extent.memory];
            lines.for_each(extent.start, extent.end, |start, end, line| {
                found.push((extent.at(start, end), line.cell.version));
            });
            for (extent, version) in found {
                self.born(extent, version);
            }
        }

        /// A version is about to take bytes of a cache, or of memory.
        pub(in crate::sim) fn replaced(
            &mut self,
            place: Option<CacheId>,
            extent: Extent,
            by: Version,
            landing: Landing,
        ) {
            let undefined = self.ledger.undefined.contains(&by);
            let cause = |old: Version| match landing {
                _ if by > old && undefined => Departure::Discarded,
                _ if by > old => Departure::Overwritten,
                Landing::Write => Departure::Overtaken,
                Landing::WriteBack => Departure::LostToLine,
            };
            let mut leaving = Vec::new();
            let mut note = |start, end, old: Version| {
                if old != by && old != INITIAL {
                    leaving.push((extent.at(start, end), old, Some(cause(old))));
                }
            };
            let m = extent.memory;
            match place {
                Some(id) => self.caches[id].lines[m].for_each(
                    extent.start,
                    extent.end,
                    |start, end, line| {
                        if line.dirty {
                            note(start, end, line.cell.version);
                        }
                    },
                ),
                None => self.cells[m].for_each(extent.start, extent.end, |start, end, cell| {
                    note(start, end, cell.version);
                }),
            }
            self.ledger.leaving.append(&mut leaving);
        }

        /// Lines are about to be dropped: dirty ones must be kept elsewhere when the books are settled, unless the cache loses
        /// them.
        pub(in crate::sim) fn dropped(&mut self, id: CacheId, extent: Extent) {
            let mut leaving = Vec::new();
            let cause = self.caches[id].drop_loses.then_some(Departure::Dropped);
            let lines = &self.caches[id].lines[extent.memory];
            lines.for_each(extent.start, extent.end, |start, end, line| {
                if line.dirty && line.cell.version != INITIAL {
                    leaving.push((extent.at(start, end), line.cell.version, cause));
                }
            });
            self.ledger.leaving.append(&mut leaving);
        }

        /// Settles the books: what is kept nowhere any more must have a cause.
        pub(in crate::sim) fn settle(&mut self) {
            let mut leaving = std::mem::take(&mut self.ledger.leaving);
            // A cause that is known counts, whichever keeper went last.
            leaving.sort_by_key(|(_, _, cause)| cause.is_none());
            for (extent, version, cause) in leaving.drain(..) {
                for part in self.missing(extent, version) {
                    let Some(cause) = cause else {
                        panic!(
                            "version {version} of bytes {}..{} of memory {} disappeared without a cause",
                            part.start, part.end, part.memory.0
                        );
                    };
                    let key = (version, part.memory.0);
                    if let Some(map) = self.ledger.kept.get_mut(&key) {
                        map.remove(part.start, part.end);
                        if map.is_empty() {
                            self.ledger.kept.remove(&key);
                        }
                    }
                    *self.ledger.departed.entry(cause as u8).or_default() += part.len();
                }
            }
            self.ledger.leaving = leaving;
        }

        /// Every version that the books call kept is somewhere.
        ///
        /// # Panics
        /// If one is not: something removed it without a word.
        pub(in crate::sim) fn audit(&self) {
            for ((version, memory), map) in &self.ledger.kept {
                for run in map.runs() {
                    let extent = Extent::new(MemoryId(*memory), run.start, run.end);
                    let missing = self.missing(extent, *version);
                    assert!(
                        missing.is_empty(),
                        "version {version} disappeared silently from {missing:?}"
                    );
                }
            }
        }

        /// A version has no defined value.
        pub(in crate::sim) fn note_undefined(&mut self, version: Version) {
            self.ledger.undefined.insert(version);
        }

        /// Bytes that are kept have another name.
        pub(in crate::sim) fn named(
            &mut self,
            extent: Extent,
            bytes: &[(u64, u64, Cell)],
            name: Version,
        ) {
            let memory = extent.memory.0;
            for (start, end, old) in bytes.iter().filter(|(.., old)| old.version != INITIAL) {
                if let Some(map) = self.ledger.kept.get_mut(&(old.version, memory)) {
                    map.remove(*start, *end);
                    if map.is_empty() {
                        self.ledger.kept.remove(&(old.version, memory));
                    }
                }
                let named = self.ledger.kept.entry((name, memory)).or_default();
                named.set(*start, *end, ());
            }
        }

        /// Versions have other numbers; those that nothing refers to have none any more.
        pub(in crate::sim) fn renamed(&mut self, refers: &[bool], names: &[Version]) {
            let kept = std::mem::take(&mut self.ledger.kept);
            for ((version, memory), map) in kept {
                assert!(
                    refers[version as usize],
                    "version {version} disappeared silently"
                );
                self.ledger
                    .kept
                    .insert((names[version as usize], memory), map);
            }
            let undefined = std::mem::take(&mut self.ledger.undefined);
            let left = undefined.into_iter().filter(|v| refers[*v as usize]);
            self.ledger.undefined = left.map(|v| names[v as usize]).collect();
        }

        /// The bytes in which the books keep a version, and nothing else does.
        fn missing(&self, extent: Extent, version: Version) -> Vec<Extent> {
            let m = extent.memory;
            let mut missing = Vec::new();
            for (from, until) in self.ledger.kept(extent, version) {
                let mut held: IntervalMap<()> = IntervalMap::new();
                self.cells[m].for_each(from, until, |start, end, cell| {
                    if cell.version == version {
                        held.set(start, end, ());
                    }
                });
                for cache in &self.caches {
                    cache.lines[m].for_each(from, until, |start, end, line| {
                        if line.dirty && line.cell.version == version {
                            held.set(start, end, ());
                        }
                    });
                }
                held.for_each_piece(from, until, |start, end, found| {
                    if found.is_none() {
                        missing.push(extent.at(start, end));
                    }
                });
            }
            missing
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;
    use crate::hardware::{Profile, WritePolicy};
    use crate::id::{MemoryId, OpId};
    use crate::program::Form;
    use crate::sim::Eviction;
    use crate::sim::cell::Scale;

    const M: MemoryId = MemoryId(0);

    fn bytes(start: u64, end: u64) -> Extent {
        Extent::new(M, start, end)
    }

    fn cell(version: Version) -> Cell {
        Cell::texels(version, Form::Plain)
    }

    /// A machine's memory, and a write-back cache of it that has no parent and keeps no byte masks.
    fn machine() -> (Memory, CacheId) {
        let mut profile = Profile::parse(include_str!("../hardware/profiles/rdna.toml"))
            .expect("the profile is sound");
        let id = profile
            .caches
            .find(|c| c.policy == WritePolicy::WriteBack && c.parent.is_none())
            .expect("a last cache");
        profile.caches[id].byte_masks = false;
        let memory = Memory::new(
            &profile,
            &vec![1 << 20].into(),
            Scale::TEXELS,
            Eviction::Oldest,
        );
        (memory, id)
    }

    #[test]
    fn a_newer_write_and_a_discard_are_causes() {
        let (mut memory, id) = machine();
        memory.write(&[id], bytes(0, 4096), cell(1), true);
        memory.write(&[id], bytes(0, 1024), cell(2), true);
        memory.note_undefined(3);
        memory.write(&[], bytes(1024, 4096), cell(3), true);
        // What lies dirty in the cache is kept, though memory has newer bytes.
        assert_eq!(memory.ledger.bytes(Departure::Overwritten), 1024);
        assert_eq!(memory.ledger.bytes(Departure::Discarded), 0);
        memory.write(&[id], bytes(1024, 2048), cell(3), true);
        assert_eq!(memory.ledger.bytes(Departure::Discarded), 1024);
        memory.audit();
    }

    /// Two writers of one line: the line that one of them keeps is written back over what the other wrote.
    #[test]
    fn a_write_that_shares_a_line_is_lost_to_it() {
        let (mut memory, id) = machine();
        memory.write(&[], bytes(8, 16), cell(1), false);
        memory.write(&[id], bytes(0, 8), cell(2), false);
        memory.write(&[], bytes(8, 16), cell(3), false);
        assert_eq!(memory.ledger.bytes(Departure::LostToLine), 0);
        memory.clean(id, None);
        assert_eq!(memory.ledger.bytes(Departure::LostToLine), 8);
        memory.audit();
    }

    #[test]
    fn an_older_write_that_lands_later_overtakes() {
        let (mut memory, _) = machine();
        memory.write(&[], bytes(0, 64), cell(2), true);
        memory.write(&[], bytes(0, 32), cell(1), true);
        assert_eq!(memory.ledger.bytes(Departure::Overtaken), 32);
    }

    /// Lines that go through every cache and out again are kept all the way.
    #[test]
    fn what_is_written_back_departs_nowhere() {
        let (mut memory, id) = machine();
        memory.write(&[id], bytes(0, 4096), cell(1), true);
        memory.invalidate(id, None, OpId(0));
        memory.audit();
        assert!(memory.ledger.departed.is_empty());
    }

    #[test]
    #[should_panic(expected = "disappeared silently")]
    fn a_line_that_vanishes_is_found() {
        let (mut memory, id) = machine();
        memory.write(&[id], bytes(0, 4096), cell(1), true);
        memory.caches[id].lines[MemoryId(0)].remove(1024, 2048);
        memory.audit();
    }

    #[test]
    #[should_panic(expected = "disappeared without a cause")]
    fn a_dirty_line_that_is_dropped_is_found() {
        let (mut memory, id) = machine();
        memory.write(&[id], bytes(0, 4096), cell(1), true);
        // As if somebody had forgotten to note that there is something to write back.
        memory.caches[id].dirty.clear();
        memory.invalidate(id, None, OpId(0));
    }
}
