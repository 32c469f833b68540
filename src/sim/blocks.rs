//! A set of blocks of memory, and a value for each.

use crate::id::{MemoryId, Table, ones};
use std::ops::{Index, IndexMut};

/// Numbers of blocks, ascending. One bit a block, and one above each 64 of them, so that few among many are found quickly.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockSet {
    bits: Vec<u64>,
    /// Which words of `bits` are not zero.
    words: Vec<u64>,
}

impl BlockSet {
    pub(super) fn new(blocks: usize) -> Self {
        let words = blocks.div_ceil(64);
        Self {
            bits: vec![0; words],
            words: vec![0; words.div_ceil(64)],
        }
    }

    #[inline]
    pub(super) fn insert(&mut self, block: u32) {
        let word = block as usize / 64;
        self.bits[word] |= 1 << (block % 64);
        self.words[word / 64] |= 1 << (word % 64);
    }

    #[inline]
    pub(super) fn contains(&self, block: u32) -> bool {
        self.bits[block as usize / 64] & (1 << (block % 64)) != 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(super) fn clear(&mut self) {
        for word in all_ones(&self.words) {
            self.bits[word as usize] = 0;
        }
        self.words.fill(0);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let used = all_ones(&self.words);
        used.flat_map(|word| ones(self.bits[word as usize]).map(move |bit| word * 64 + bit))
    }
}

/// Places of the ones of some words, ascending.
fn all_ones(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    let words = (0..).zip(words);
    words.flat_map(|(at, word)| ones(*word).map(move |bit| at * 64 + bit))
}

/// Something for each block of memory. If somebody looks on, with the blocks that were reached for to be changed.
#[derive(Debug)]
pub(super) struct ByBlock<V> {
    values: Table<MemoryId, V>,
    reached: Option<Vec<u32>>,
}

impl<V: Clone> ByBlock<V> {
    pub(super) fn new(value: V, blocks: usize) -> Self {
        Self {
            values: Table::filled(blocks, value),
            reached: None,
        }
    }
}

impl<V> ByBlock<V> {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// From now on, notes what is reached for.
    pub(super) fn note(&mut self) {
        self.reached = Some(Vec::new());
    }

    /// The blocks that were reached for, in order of time.
    pub(super) fn reached(&self) -> &[u32] {
        self.reached.as_deref().unwrap_or_default()
    }

    /// All of them, to be given other names: nothing of that is noted.
    pub(super) fn renamed(&mut self) -> impl Iterator<Item = &mut V> {
        self.values.iter_mut()
    }
}

impl<V> Index<MemoryId> for ByBlock<V> {
    type Output = V;

    #[inline]
    fn index(&self, block: MemoryId) -> &V {
        &self.values[block]
    }
}

impl<V> IndexMut<MemoryId> for ByBlock<V> {
    #[inline]
    fn index_mut(&mut self, block: MemoryId) -> &mut V {
        if let Some(reached) = &mut self.reached {
            reached.push(block.0);
        }
        &mut self.values[block]
    }
}

#[cfg(test)]
mod tests {
    use super::BlockSet;
    use std::collections::BTreeSet;

    /// Against the library's set, at the borders of words and of words of words.
    #[test]
    fn equals_a_plain_set() {
        let (mut set, mut plain) = (BlockSet::new(5000), BTreeSet::new());
        assert!(set.is_empty());
        for block in [4999, 0, 63, 64, 4095, 4096, 64, 1] {
            assert_eq!(set.contains(block), plain.contains(&block));
            set.insert(block);
            plain.insert(block);
            assert!(set.contains(block) && !set.is_empty());
            assert!(set.iter().eq(plain.iter().copied()));
        }
        set.clear();
        assert!(set.is_empty() && set.iter().next().is_none());
    }
}
