//! Values by bytes of one block of memory: disjoint extents, neighbours of equal value joined.

use std::collections::BTreeMap;

/// Extents with a value each; bytes without one are absent.
#[derive(Clone, Debug)]
pub(super) struct ExtentMap<T> {
    /// Start → (end, value).
    map: BTreeMap<u64, (u64, T)>,
}

impl<T> Default for ExtentMap<T> {
    fn default() -> Self {
        Self { map: BTreeMap::new() }
    }
}

impl<T: Copy + PartialEq> ExtentMap<T> {
    /// Calls `each` for every piece of `start..end` in order: with its value, or `None` where there is none.
    pub(super) fn pieces(&self, start: u64, end: u64, mut each: impl FnMut(u64, u64, Option<T>)) {
        let mut at = start;
        if let Some((_, (until, value))) = self.map.range(..=start).next_back()
            && *until > start
        {
            at = (*until).min(end);
            each(start, at, Some(*value));
        }
        if at >= end {
            return;
        }
        for (from, (until, value)) in self.map.range(at..end) {
            if at < *from {
                each(at, *from, None);
            }
            at = (*until).min(end);
            each(*from, at, Some(*value));
        }
        if at < end {
            each(at, end, None);
        }
    }

    /// Removes `start..end`.
    pub(super) fn remove(&mut self, start: u64, end: u64) {
        self.cut(start);
        self.cut(end);
        while let Some((from, _)) = self.map.range(start..end).next() {
            let from = *from;
            self.map.remove(&from);
        }
    }

    /// Gives `start..end` a value.
    pub(super) fn set(&mut self, start: u64, end: u64, value: T) {
        // The same extent again is by far the most frequent case.
        if let Some((until, slot)) = self.map.get_mut(&start)
            && *until == end
        {
            *slot = value;
            return;
        }
        self.remove(start, end);
        let (mut start, mut end) = (start, end);
        if let Some((from, (until, known))) = self.map.range(..start).next_back()
            && *until == start
            && *known == value
        {
            start = *from;
        }
        if let Some((until, known)) = self.map.get(&end)
            && *known == value
        {
            let until = *until;
            self.map.remove(&end);
            end = until;
        }
        self.map.insert(start, (end, value));
    }

    /// Cuts the extent that contains `at` in its middle.
    fn cut(&mut self, at: u64) {
        let Some((_, (until, value))) = self.map.range_mut(..at).next_back() else { return };
        if *until > at {
            let rest = (*until, *value);
            *until = at;
            self.map.insert(at, rest);
        }
    }

    /// Every extent.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64, T)> + '_ {
        self.map.iter().map(|(start, (end, value))| (*start, *end, *value))
    }
}

#[cfg(test)]
mod tests {
    use super::ExtentMap;

    /// Every sequence of three edits of five bytes against one value a byte.
    #[test]
    fn pieces_equal_one_value_per_byte() {
        let size = 5_u64;
        let mut edits = Vec::new();
        for start in 0..size {
            for end in start + 1..=size {
                for value in [None, Some(1), Some(2)] {
                    edits.push((start, end, value));
                }
            }
        }
        for a in &edits {
            for b in &edits {
                for c in &edits {
                    let mut map = ExtentMap::default();
                    let mut plain = [None; 5];
                    for (start, end, value) in [a, b, c] {
                        match value {
                            Some(value) => map.set(*start, *end, *value),
                            None => map.remove(*start, *end),
                        }
                        plain[*start as usize..*end as usize].fill(*value);
                    }
                    let mut read = [None; 5];
                    map.pieces(0, size, |start, end, value| read[start as usize..end as usize].fill(value));
                    assert_eq!(read, plain, "{a:?} {b:?} {c:?}");
                }
            }
        }
    }
}
