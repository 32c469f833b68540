//! State by bytes: a map from disjoint ranges of one memory block to a state, split where uses tell bytes apart.

use std::collections::BTreeMap;

/// Disjoint, non-empty ranges with a state each. Bytes without an entry have the default state.
///
/// Visiting k ranges among n costs O(k + log n); a visit cuts at most two ranges.
#[derive(Clone, Debug, Default)]
pub(super) struct RangeMap<T> {
    /// Start → (end, state).
    ranges: BTreeMap<u64, (u64, T)>,
}

impl<T: Clone + Default> RangeMap<T> {
    /// Visits the state of every range in `start..end`, cut so that no visited range reaches beyond; bytes without
    /// an entry get one. `each` is told the range's first byte.
    /// Returns how many ranges were visited.
    pub(super) fn visit(
        &mut self,
        start: u64,
        end: u64,
        mut each: impl FnMut(u64, &mut T),
    ) -> usize {
        self.visit_ranges(start, end, |from, _, state| each(from, state))
    }

    /// The same; `each` is told the range's first byte and its end.
    pub(super) fn visit_ranges(
        &mut self,
        start: u64,
        end: u64,
        mut each: impl FnMut(u64, u64, &mut T),
    ) -> usize {
        // The whole block in one range is by far the most frequent case.
        if let Some((_, state)) = self.ranges.get_mut(&start).filter(|(e, _)| *e == end) {
            each(start, end, state);
            return 1;
        }
        self.cut(start);
        self.cut(end);
        let mut visited = 0;
        let mut gaps = Vec::new();
        let mut at = start;
        for (from, (until, state)) in self.ranges.range_mut(start..end) {
            if at < *from {
                gaps.push((at, *from));
            }
            each(*from, *until, state);
            visited += 1;
            at = *until;
        }
        if at < end {
            gaps.push((at, end));
        }
        for (from, until) in gaps {
            let mut state = T::default();
            each(from, until, &mut state);
            self.ranges.insert(from, (until, state));
            visited += 1;
        }
        visited
    }

    /// Visits the states of existing ranges that meet `start..end`, without cutting.
    pub(super) fn peek(&self, start: u64, end: u64, mut each: impl FnMut(u64, u64, &T)) {
        if let Some((from, (until, state))) = self.ranges.range(..start).next_back()
            && *until > start
        {
            each(*from, *until, state);
        }
        for (from, (until, state)) in self.ranges.range(start..end) {
            each(*from, *until, state);
        }
    }

    /// Joins neighbours of equal state in `start..end`.
    pub(super) fn join(&mut self, start: u64, end: u64)
    where
        T: PartialEq,
    {
        let mut kept: Option<u64> = None;
        let mut joined = Vec::new();
        for (from, (until, state)) in self.ranges.range(start..end) {
            let last = kept.and_then(|k| self.ranges.get(&k).map(|(_, s)| (k, s)));
            match last {
                Some((first, before))
                    if before == state && joined.last().map_or(first, |(_, _, u)| *u) <= *from =>
                {
                    joined.push((first, *from, *until));
                }
                _ => kept = Some(*from),
            }
        }
        for (first, from, until) in joined {
            if self.ranges.get(&first).is_some_and(|(end, _)| *end == from) {
                self.ranges.remove(&from);
                if let Some(range) = self.ranges.get_mut(&first) {
                    range.0 = until;
                }
            }
        }
    }

    /// Cuts the range that contains `at` in its middle.
    fn cut(&mut self, at: u64) {
        let Some((_, (until, state))) = self.ranges.range_mut(..at).next_back() else {
            return;
        };
        if *until > at {
            let rest = (*until, state.clone());
            *until = at;
            self.ranges.insert(at, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RangeMap;

    /// All pairs and triples of ranges of six bytes against one counter a byte.
    #[allow(clippy::cast_possible_truncation, reason = "six bytes")]
    #[test]
    fn counts_equal_one_counter_per_byte() {
        let size = 6;
        let spans: Vec<(u64, u64)> = (0..size)
            .flat_map(|a| (a + 1..=size).map(move |b| (a, b)))
            .collect();
        for first in &spans {
            for second in &spans {
                for third in &spans {
                    let mut map = RangeMap::<u32>::default();
                    let mut plain = [0u32; 6];
                    for (weight, (start, end)) in [first, second, third].into_iter().enumerate() {
                        map.visit(*start, *end, |_, state| *state += 1 << weight);
                        plain[*start as usize..*end as usize]
                            .iter_mut()
                            .for_each(|p| *p += 1 << weight);
                    }
                    let mut read = [0u32; 6];
                    map.peek(0, size, |start, end, state| {
                        read[start as usize..end as usize].fill(*state);
                    });
                    assert_eq!(read, plain, "{first:?} {second:?} {third:?}");
                    map.join(first.0, first.1);
                    let mut joined = [0u32; 6];
                    map.peek(0, size, |start, end, state| {
                        joined[start as usize..end as usize].fill(*state);
                    });
                    assert_eq!(joined, plain, "joined {first:?} {second:?} {third:?}");
                    map.visit(first.0, first.1, |_, state| *state = 9);
                    map.join(first.0, first.1);
                    assert_eq!(
                        map.ranges.range(first.0..first.1).count(),
                        1,
                        "equal neighbours are one range"
                    );
                }
            }
        }
    }
}
