//! A map from byte ranges to values: the newest assignment of a byte wins, neighbours with equal values are one entry.

use smallvec::SmallVec;

/// One run of bytes with one value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Interval<V> {
    /// First byte.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// The value.
    pub value: V,
}

impl<V: PartialEq> Interval<V> {
    /// Whether the next run goes on where this one ends, with the same value.
    #[inline]
    fn touches(&self, next: &Self) -> bool {
        self.end == next.start && self.value == next.value
    }
}

/// Runs in the making, ascending: what touches the last one and equals it becomes one with it.
#[derive(Debug)]
pub struct Runs<V>(Vec<Interval<V>>);

impl<V> Default for Runs<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> From<Runs<V>> for Vec<Interval<V>> {
    fn from(runs: Runs<V>) -> Self {
        runs.0
    }
}

impl<V: Copy + PartialEq> Runs<V> {
    /// Adds a run after the others.
    pub fn push(&mut self, run: Interval<V>) {
        match self.0.last_mut() {
            Some(before) if before.touches(&run) => before.end = run.end,
            _ => self.0.push(run),
        }
    }
}

/// What some bytes have.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Look<V> {
    /// One run covers them.
    Whole(V),
    /// None has a value.
    Nothing,
    /// Anything else.
    Pieces,
}

/// Byte ranges with values, sorted and disjoint.
///
/// A block of memory has few distinct runs at a time (one a resource, one a subresource that differs), so a sorted
/// vector is both smaller and quicker than a tree. An edit costs a binary search and a move of the entries after it.
#[derive(Clone, Debug, Default)]
pub struct IntervalMap<V> {
    runs: Vec<Interval<V>>,
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
    pub fn runs(&self) -> &[Interval<V>] {
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

    /// What `start..end` has, as far as one look tells.
    #[inline]
    pub fn look(&self, start: u64, end: u64) -> Look<V> {
        match self.runs.get(self.first(start)) {
            Some(run) if run.start <= start && end <= run.end => Look::Whole(run.value),
            Some(run) if run.start < end => Look::Pieces,
            _ => Look::Nothing,
        }
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

    /// Gives `start..end` a value. Returns how many bytes of it had one.
    pub fn set(&mut self, start: u64, end: u64, value: V) -> u64 {
        if start >= end {
            return 0;
        }
        let mut run = Interval { start, end, value };
        // Most maps have no run, or one that the new one replaces.
        match self.runs.as_mut_slice() {
            [] => {
                self.runs.push(run);
                return 0;
            }
            [only] if start <= only.start && only.end <= end => {
                let covered = only.end - only.start;
                *only = run;
                return covered;
            }
            _ => {}
        }
        let (mut first, mut last, covered) = self.meeting(start, end);
        // The common case: the range is a run already, and no neighbour is like it.
        if last - first == 1
            && (self.runs[first].start, self.runs[first].end) == (start, end)
            && (first == 0 || !self.runs[first - 1].touches(&run))
            && self.runs.get(last).is_none_or(|next| !run.touches(next))
        {
            self.runs[first] = run;
            return covered;
        }
        // What lies on both sides: the rest of a run that is cut, or a neighbour. Equal ones are taken in.
        let mut left = None;
        if first < last && self.runs[first].start < start {
            let cut = self.runs[first];
            if cut.value == value {
                run.start = cut.start;
            } else {
                left = Some(Interval { end: start, ..cut });
            }
        } else if first > 0 && self.runs[first - 1].touches(&run) {
            first -= 1;
            run.start = self.runs[first].start;
        }
        let mut right = None;
        if first < last && self.runs[last - 1].end > end {
            let cut = self.runs[last - 1];
            if cut.value == value {
                run.end = cut.end;
            } else {
                right = Some(Interval { start: end, ..cut });
            }
        } else if let Some(next) = self.runs.get(last)
            && run.touches(next)
        {
            run.end = next.end;
            last += 1;
        }
        match (left, right) {
            (None, None) => self.splice(first, last, &[run]),
            (Some(left), None) => self.splice(first, last, &[left, run]),
            (None, Some(right)) => self.splice(first, last, &[run, right]),
            (Some(left), Some(right)) => self.splice(first, last, &[left, run, right]),
        }
        covered
    }

    /// Gives bytes that have no value one: `news` are ascending and disjoint. One pass over the runs among them.
    pub fn fill(&mut self, news: &[Interval<V>]) {
        let (from, until) = match news {
            [] => return,
            [run] => {
                self.set(run.start, run.end, run.value);
                return;
            }
            [first, .., last] => (first.start, last.end),
        };
        let at = self.first(from);
        let met = self.runs[at..].partition_point(|run| run.start < until);
        // With the neighbours, which may be equal.
        let (first, last) = (at.saturating_sub(1), (at + met + 1).min(self.runs.len()));
        let mut all = Runs(Vec::with_capacity(last - first + news.len()));
        let mut news = news.iter().peekable();
        for run in &self.runs[first..last] {
            while let Some(new) = news.next_if(|new| new.start < run.start) {
                all.push(*new);
            }
            all.push(*run);
        }
        news.for_each(|new| all.push(*new));
        self.runs.splice(first..last, all.0);
    }

    /// Replaces the runs that meet `start..end`, each by what `pieces` pushes for the part of it that lies there: the same
    /// bytes, ascending. One pass.
    pub fn divide(
        &mut self,
        start: u64,
        end: u64,
        mut pieces: impl FnMut(Interval<V>, &mut Runs<V>),
    ) {
        let (met, count, _) = self.meeting(start, end);
        if met == count {
            return;
        }
        let (first, last) = (met.saturating_sub(1), (count + 1).min(self.runs.len()));
        let mut all = Runs(Vec::with_capacity(last - first + 2));
        for run in &self.runs[first..last] {
            let (from, until) = (run.start.max(start), run.end.min(end));
            if from >= until {
                all.push(*run);
                continue;
            }
            if run.start < from {
                all.push(Interval { end: from, ..*run });
            }
            let (start, end) = (from, until);
            pieces(Interval { start, end, ..*run }, &mut all);
            if until < run.end {
                all.push(Interval {
                    start: until,
                    ..*run
                });
            }
        }
        self.runs.splice(first..last, all.0);
    }

    /// Takes the value of `start..end` away. Returns how many bytes had one.
    pub fn remove(&mut self, start: u64, end: u64) -> u64 {
        // Most maps have one run, of which all goes, or one side.
        if let [only] = self.runs.as_mut_slice() {
            let (from, until) = (only.start.max(start), only.end.min(end));
            if from >= until {
                return 0;
            }
            match (from == only.start, until == only.end) {
                (true, true) => self.runs.clear(),
                (true, false) => only.start = until,
                (false, true) => only.end = from,
                (false, false) => {
                    let right = Interval {
                        start: until,
                        ..*only
                    };
                    only.end = from;
                    self.runs.push(right);
                }
            }
            return until - from;
        }
        let (first, last, covered) = self.meeting(start, end);
        if first == last {
            return 0;
        }
        let (head, tail) = (self.runs[first], self.runs[last - 1]);
        let left = (head.start < start).then_some(Interval { end: start, ..head });
        let right = (tail.end > end).then_some(Interval { start: end, ..tail });
        match (left, right) {
            (None, None) => self.splice(first, last, &[]),
            (Some(run), None) | (None, Some(run)) => self.splice(first, last, &[run]),
            (Some(left), Some(right)) => self.splice(first, last, &[left, right]),
        }
        covered
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
        let (first, last, _) = self.meeting(start, end);
        if first == last {
            return;
        }
        // The common case: the range is a run already.
        let run = self.runs[first];
        if last - first == 1 && run.start >= start && run.end <= end {
            match change(run.start, run.end, run.value) {
                Some(value) if value == run.value => {}
                Some(value) => {
                    self.runs[first].value = value;
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
        let mut pieces: SmallVec<[Interval<V>; 8]> = SmallVec::new();
        let mut add = |run: Interval<V>| match pieces.last_mut() {
            Some(before) if before.touches(&run) => before.end = run.end,
            _ => pieces.push(run),
        };
        let tail = self.runs[last - 1];
        if run.start < start {
            add(Interval { end: start, ..run });
        }
        for run in &self.runs[first..last] {
            let (start, end) = (run.start.max(start), run.end.min(end));
            if let Some(value) = change(start, end, run.value) {
                add(Interval { start, end, value });
            }
        }
        if tail.end > end {
            add(Interval { start: end, ..tail });
        }
        let count = pieces.len();
        self.splice(first, last, &pieces);
        self.join(first + count.saturating_sub(1));
        if first > 0 {
            self.join(first - 1);
        }
    }

    /// Renames every value. Different values must stay different.
    pub fn rename(&mut self, mut rename: impl FnMut(&mut V)) {
        self.runs.iter_mut().for_each(|run| rename(&mut run.value));
    }

    /// Replaces the runs `first..last` by others.
    #[inline]
    fn splice(&mut self, first: usize, last: usize, news: &[Interval<V>]) {
        let kept = news.len().min(last - first);
        self.runs[first..first + kept].copy_from_slice(&news[..kept]);
        if first + kept < last {
            self.runs.drain(first + kept..last);
        }
        for (at, run) in (first + kept..).zip(&news[kept..]) {
            self.runs.insert(at, *run);
        }
    }

    /// The runs that meet `start..end`, and how many bytes of it they cover.
    #[inline]
    fn meeting(&self, start: u64, end: u64) -> (usize, usize, u64) {
        let first = self.first(start);
        let (mut last, mut covered) = (first, 0);
        for run in &self.runs[first..] {
            if run.start >= end {
                break;
            }
            covered += run.end.min(end) - run.start.max(start);
            last += 1;
        }
        (first, last, covered)
    }

    /// Joins the run at an index with the next one if they touch and are equal.
    fn join(&mut self, at: usize) {
        if let Some([a, b]) = self.runs.get_mut(at..at + 2)
            && a.touches(b)
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
    #[allow(clippy::cast_possible_truncation, reason = "eight bytes")]
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
                        let bytes = &mut plain[*start as usize..*end as usize];
                        let had = bytes.iter().flatten().count() as u64;
                        let covered = match value {
                            Some(value) => map.set(*start, *end, *value),
                            None => map.remove(*start, *end),
                        };
                        assert_eq!(covered, had, "{a:?} {b:?} {c:?}");
                        bytes.fill(*value);
                    }
                    let mut read = [None; 8];
                    map.for_each(0, 8, |from, until, value| {
                        read[from as usize..until as usize].fill(Some(value));
                    });
                    assert_eq!(read, plain, "{a:?} {b:?} {c:?}");
                    let apart =
                        |w: &[Interval<i32>]| w[0].end < w[1].start || w[0].value != w[1].value;
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

    /// Against the same runs set one by one, on every set of borders of ten bytes.
    #[test]
    fn filling_and_dividing_equal_edits_one_by_one() {
        for before in 0..1_u64 << 10 {
            for at in [0, 3, 7] {
                let mut plain = IntervalMap::new();
                let mut news = Vec::new();
                for byte in 0..10 {
                    if before & 1 << byte != 0 {
                        plain.set(byte, byte + 1, byte / 4);
                    } else if byte >= at {
                        let (start, end, value) = (byte, byte + 1, byte / 3);
                        news.push(Interval { start, end, value });
                    }
                }
                let mut filled = plain.clone();
                filled.fill(&news);
                for new in &news {
                    plain.set(new.start, new.end, new.value);
                }
                assert_eq!(filled.runs(), plain.runs(), "{before:b} {at}");
                filled.divide(at, 9, |run, all| {
                    for start in run.start..run.end {
                        let (end, value) = (start + 1, run.value + start % 2);
                        all.push(Interval { start, end, value });
                    }
                });
                for byte in at..9 {
                    if let Some(value) = plain.whole(byte, byte + 1) {
                        plain.set(byte, byte + 1, value + byte % 2);
                    }
                }
                assert_eq!(filled.runs(), plain.runs(), "{before:b} {at}");
            }
        }
    }
}
