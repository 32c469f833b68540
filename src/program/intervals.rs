//! A map from byte ranges to values: the newest assignment of a byte wins, neighbours with equal values are one entry.

/// One run of bytes with one value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Run<V> {
    /// First byte.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// The value.
    pub value: V,
}

/// Byte ranges with values, sorted and disjoint.
///
/// A block of memory has few distinct runs at a time (one a resource, one a subresource that differs), so a sorted
/// vector is both smaller and quicker than a tree. An edit costs a binary search and a move of the entries behind it.
#[derive(Clone, Debug, Default)]
pub struct IntervalMap<V> {
    runs: Vec<Run<V>>,
}

impl<V: Copy + PartialEq> IntervalMap<V> {
    /// No byte has a value.
    pub const fn new() -> Self {
        Self { runs: Vec::new() }
    }

    /// Whether no byte has a value.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// All runs, ascending.
    pub fn runs(&self) -> &[Run<V>] {
        &self.runs
    }

    /// Index of the first run that ends after `start`.
    fn first(&self, start: u64) -> usize {
        // Most maps have one or two runs.
        if self.runs.len() <= 4 {
            return self
                .runs
                .iter()
                .position(|r| r.end > start)
                .unwrap_or(self.runs.len());
        }
        self.runs.partition_point(|r| r.end <= start)
    }

    /// The value of all of `start..end`, if one run covers it.
    #[inline]
    pub fn whole(&self, start: u64, end: u64) -> Option<V> {
        let run = self.runs.get(self.first(start))?;
        (run.start <= start && end <= run.end).then_some(run.value)
    }

    /// Calls `each` with every run that meets `start..end`, cut to it.
    #[inline]
    pub fn for_each(&self, start: u64, end: u64, mut each: impl FnMut(u64, u64, V)) {
        for run in &self.runs[self.first(start)..] {
            if run.start >= end {
                break;
            }
            each(run.start.max(start), run.end.min(end), run.value);
        }
    }

    /// Calls `each` with every piece of `start..end`, with the value that it has, if any.
    #[inline]
    pub fn for_each_piece(&self, start: u64, end: u64, mut each: impl FnMut(u64, u64, Option<V>)) {
        let mut at = start;
        self.for_each(start, end, |from, until, value| {
            if at < from {
                each(at, from, None);
            }
            each(from, until, Some(value));
            at = until;
        });
        if at < end {
            each(at, end, None);
        }
    }

    /// Gives `start..end` a value.
    pub fn set(&mut self, start: u64, end: u64, value: V) {
        if start >= end {
            return;
        }
        // The common case: the range is a run already.
        let first = self.first(start);
        if let Some(run) = self.runs.get_mut(first)
            && run.start == start
            && run.end == end
        {
            if run.value != value {
                run.value = value;
                self.join(first);
                if first > 0 {
                    self.join(first - 1);
                }
            }
            return;
        }
        self.replace(start, end, &[Run { start, end, value }]);
    }

    /// Takes the value of `start..end` away.
    pub fn remove(&mut self, start: u64, end: u64) {
        let first = self.first(start);
        if self.runs.get(first).is_some_and(|r| r.start < end) {
            self.replace(start, end, &[]);
        }
    }

    /// Takes every value away.
    pub fn clear(&mut self) {
        self.runs.clear();
    }

    /// Changes the values of the pieces of `start..end` that have one; `None` takes it away.
    pub fn update(
        &mut self,
        start: u64,
        end: u64,
        mut change: impl FnMut(u64, u64, V) -> Option<V>,
    ) {
        let first = self.first(start);
        let Some(run) = self.runs.get_mut(first).filter(|r| r.start < end) else {
            return;
        };
        // The common case: the range is a run already.
        if run.start == start && run.end == end {
            match change(start, end, run.value) {
                Some(value) if value == run.value => {}
                Some(value) => {
                    run.value = value;
                    self.join(first);
                    if first > 0 {
                        self.join(first - 1);
                    }
                }
                None => {
                    self.runs.remove(first);
                }
            }
            return;
        }
        let mut pieces = Vec::new();
        self.for_each(start, end, |from, until, value| {
            if let Some(value) = change(from, until, value) {
                pieces.push(Run {
                    start: from,
                    end: until,
                    value,
                });
            }
        });
        self.replace(start, end, &pieces);
    }

    /// Renames every value. Different values must stay different.
    pub fn rename(&mut self, mut rename: impl FnMut(&mut V)) {
        self.runs.iter_mut().for_each(|run| rename(&mut run.value));
    }

    /// Replaces whatever lies in `start..end` by `pieces`, ascending and inside it.
    fn replace(&mut self, start: u64, end: u64, pieces: &[Run<V>]) {
        let first = self.first(start);
        let mut last = first;
        while self.runs.get(last).is_some_and(|r| r.start < end) {
            last += 1;
        }
        let left = (first < last)
            .then(|| self.runs[first])
            .filter(|r| r.start < start);
        let right = (first < last)
            .then(|| self.runs[last - 1])
            .filter(|r| r.end > end);
        let left = left.map(|r| Run { end: start, ..r });
        let right = right.map(|r| Run { start: end, ..r });
        let count = usize::from(left.is_some()) + pieces.len() + usize::from(right.is_some());
        let news = left.iter().chain(pieces).chain(&right).copied();
        // Mostly one run takes the place of one, or of none.
        for (at, run) in (first..).zip(news) {
            if at < last {
                self.runs[at] = run;
            } else {
                self.runs.insert(at, run);
            }
        }
        if first + count < last {
            self.runs.drain(first + count..last);
        }
        // Join equal neighbours, last first, so that indices before stay valid.
        for at in (first.saturating_sub(1)..first + count).rev() {
            self.join(at);
        }
    }

    /// Joins the run at an index with the next one if they touch and are equal.
    fn join(&mut self, at: usize) {
        let at = at.min(self.runs.len());
        if let [a, b, ..] = &mut self.runs[at..]
            && a.end == b.start
            && a.value == b.value
        {
            a.end = b.end;
            self.runs.remove(at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every sequence of three edits on eight bytes against one value a byte.
    #[test]
    fn equals_one_value_a_byte() {
        let ranges = [(0, 8), (0, 3), (2, 5), (3, 4), (4, 8), (5, 6)];
        let values = [None, Some(1), Some(2)];
        let mut edits = Vec::new();
        for range in ranges {
            for value in values {
                edits.push((range, value));
            }
        }
        for a in &edits {
            for b in &edits {
                for c in &edits {
                    let mut map = IntervalMap::new();
                    let mut plain = [None; 8];
                    for ((start, end), value) in [a, b, c] {
                        match value {
                            Some(value) => map.set(*start, *end, *value),
                            None => map.remove(*start, *end),
                        }
                        plain[*start as usize..*end as usize].fill(*value);
                    }
                    let mut read = [None; 8];
                    map.for_each(0, 8, |from, until, value| {
                        read[from as usize..until as usize].fill(Some(value));
                    });
                    assert_eq!(read, plain, "{a:?} {b:?} {c:?}");
                    let apart = |w: &[Run<i32>]| w[0].end < w[1].start || w[0].value != w[1].value;
                    assert!(
                        map.runs().windows(2).all(apart),
                        "{a:?} {b:?} {c:?}: {map:?}"
                    );
                    map.update(1, 7, |from, _, value| (from > 1).then_some(value + 1));
                    map.for_each_piece(1, 7, |from, until, value| {
                        for byte in from..until {
                            let old = plain[byte as usize];
                            let run = (1..=byte)
                                .rev()
                                .take_while(|b| plain[*b as usize] == old)
                                .last();
                            let expected = if run == Some(1) {
                                None
                            } else {
                                old.map(|v| v + 1)
                            };
                            assert_eq!(value, expected, "{a:?} {b:?} {c:?} byte {byte}");
                        }
                    });
                }
            }
        }
    }
}
