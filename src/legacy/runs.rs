//! A value for each subresource of a texture, kept as runs of equal values.
//!
//! A texture with thousands of subresources costs one entry until something tells some of them apart.

/// Values of the subresources `0..count`, as maximal runs.
#[derive(Clone, Debug)]
pub struct Runs<T> {
    count: u32,
    /// `(first subresource, value)`, ascending; the first starts at 0.
    runs: Vec<(u32, T)>,
}

impl<T: Clone + PartialEq> Runs<T> {
    /// `count` subresources, all with the same value. There is at least one.
    pub fn new(count: u32, value: T) -> Self {
        Self {
            count: count.max(1),
            runs: vec![(0, value)],
        }
    }

    /// Number of subresources.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Number of runs.
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// The value of one subresource.
    pub fn get(&self, at: u32) -> &T {
        &self.runs[self.index_of(at)].1
    }

    /// Calls `each` with every run that `first..end` meets, cut to it.
    pub fn for_each(&self, first: u32, end: u32, mut each: impl FnMut(u32, u32, &T)) {
        let end = end.min(self.count);
        let mut from = first;
        let mut index = self.index_of(first);
        while from < end {
            let until = self.end_of(index).min(end);
            each(from, until, &self.runs[index].1);
            from = until;
            index += 1;
        }
    }

    /// Changes the values of `first..end`, run by run.
    pub fn update(&mut self, first: u32, end: u32, mut change: impl FnMut(u32, u32, &mut T)) {
        let end = end.min(self.count);
        if first >= end {
            return;
        }
        let start = self.cut(first);
        let stop = if end < self.count {
            self.cut(end)
        } else {
            self.runs.len()
        };
        for index in start..stop {
            let (from, until) = (self.runs[index].0, self.end_of(index));
            change(from, until, &mut self.runs[index].1);
        }
        // Neighbours that became equal are one run again.
        let low = start.saturating_sub(1);
        let high = (stop + 1).min(self.runs.len());
        if (low + 1..high).any(|i| self.runs[i - 1].1 == self.runs[i].1) {
            let mut kept: Vec<(u32, T)> = Vec::with_capacity(high - low);
            for run in &self.runs[low..high] {
                if kept.last().is_none_or(|last| last.1 != run.1) {
                    kept.push(run.clone());
                }
            }
            self.runs.splice(low..high, kept);
        }
    }

    fn index_of(&self, at: u32) -> usize {
        self.runs.partition_point(|(first, _)| *first <= at) - 1
    }

    fn end_of(&self, index: usize) -> u32 {
        self.runs
            .get(index + 1)
            .map_or(self.count, |(first, _)| *first)
    }

    /// Makes a run start at `at`; its index.
    fn cut(&mut self, at: u32) -> usize {
        let index = self.index_of(at);
        if self.runs[index].0 == at {
            return index;
        }
        let value = self.runs[index].1.clone();
        self.runs.insert(index + 1, (at, value));
        index + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every triple of edits on five subresources against one value per subresource.
    #[test]
    fn runs_equal_one_value_per_subresource() {
        let count = 5;
        let mut edits = Vec::new();
        for first in 0..count {
            for end in first + 1..=count {
                for add in [1, 2] {
                    edits.push((first, end, add));
                }
            }
        }
        for a in &edits {
            for b in &edits {
                for c in &edits {
                    let mut runs = Runs::new(count, 0);
                    let mut plain = [0; 5];
                    for (first, end, add) in [a, b, c] {
                        // A change that depends on the old value, so that runs are told apart and joined again.
                        runs.update(*first, *end, |_, _, value| *value = (*value + add) % 3);
                        for value in &mut plain[*first as usize..*end as usize] {
                            *value = (*value + add) % 3;
                        }
                    }
                    let read: Vec<_> = (0..count).map(|at| *runs.get(at)).collect();
                    assert_eq!(read, plain, "after {a:?} {b:?} {c:?}");
                    let changes = plain.windows(2).filter(|pair| pair[0] != pair[1]).count();
                    assert_eq!(runs.run_count(), changes + 1, "after {a:?} {b:?} {c:?}");
                    let mut seen = Vec::new();
                    runs.for_each(1, 4, |first, end, value| {
                        seen.extend((first..end).map(|_| *value));
                    });
                    assert_eq!(seen, plain[1..4]);
                }
            }
        }
    }
}
