//! Few runs: one sorted vector.

use super::{Interval, Runs};
use smallvec::SmallVec;

/// Runs of bytes with values, sorted and disjoint; neighbours that touch differ. An edit costs a binary search and a move
/// of the entries after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Few<V> {
    pub(super) runs: Vec<Interval<V>>,
}

impl<V: Copy + PartialEq> Few<V> {
    pub(super) const fn new() -> Self {
        Self { runs: Vec::new() }
    }

    /// Index of the first run that ends after `start`.
    pub(super) fn first(&self, start: u64) -> usize {
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

    /// Gives `start..end`, which is not empty, a value. Returns how many bytes of it had one.
    pub(super) fn set(&mut self, start: u64, end: u64, value: V) -> u64 {
        let mut run = Interval { start, end, value };
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
    pub(super) fn fill(&mut self, news: &[Interval<V>]) {
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
    pub(super) fn divide(
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
    pub(super) fn remove(&mut self, start: u64, end: u64) -> u64 {
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

    /// Changes the values of the pieces of `start..end` that have one; `None` takes it away.
    pub(super) fn update(
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
