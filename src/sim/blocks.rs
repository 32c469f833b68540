//! A set of blocks of memory.

use crate::id::ones;

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
