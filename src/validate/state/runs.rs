//! What is known of each subresource of one resource, as runs of equal knowledge.

use super::known::Known;

/// Runs of subresource indices with equal knowledge, ascending and without gaps. A texture with thousands of
/// subresources costs one entry until something tells some of them apart; a buffer is one subresource.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    runs: Vec<(u32, Known)>,
    count: u32,
}

impl Runs {
    /// `count` subresources of which the same is known.
    pub(super) fn new(count: u32, known: Known) -> Self {
        Self {
            runs: vec![(0, known)],
            count,
        }
    }

    /// Number of subresources.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<(u32, Known)>()
    }

    /// Calls `each` with every run that meets `first..end`, cut to it, until it gives something.
    pub(super) fn find<T>(
        &self,
        first: u32,
        end: u32,
        mut each: impl FnMut(u32, u32, &Known) -> Option<T>,
    ) -> Option<T> {
        let mut at = self.at(first);
        let mut from = first;
        while from < end {
            let until = self.end_of(at).min(end);
            if let Some(found) = each(from, until, &self.runs[at].1) {
                return Some(found);
            }
            from = until;
            at += 1;
        }
        None
    }

    /// Replaces what is known of `first..end`.
    pub(super) fn fill(&mut self, first: u32, end: u32, known: Known) {
        if first == 0 && end == self.count {
            self.runs.clear();
            self.runs.push((0, known));
        } else if first < end {
            self.splice(first, end, &[(first, known)]);
        }
    }

    /// Changes what is known of each run within `first..end`; nothing is moved where nothing changes.
    pub(super) fn update(&mut self, first: u32, end: u32, change: impl Fn(&mut Known)) {
        if first >= end {
            return;
        }
        let from = self.at(first);
        if self.runs[from].0 == first && self.end_of(from) == end {
            change(&mut self.runs[from].1);
            return;
        }
        let mut changed: Vec<(u32, Known)> = Vec::new();
        let mut differs = false;
        let mut at = from;
        let mut start = first;
        while start < end {
            let old = self.runs[at].1;
            let mut new = old;
            change(&mut new);
            differs |= new != old;
            match changed.last() {
                Some(last) if last.1 == new => {}
                _ => changed.push((start, new)),
            }
            start = self.end_of(at).min(end);
            at += 1;
        }
        if differs {
            self.splice(first, end, &changed);
        }
    }

    /// Index of the run that holds a subresource.
    fn at(&self, subresource: u32) -> usize {
        if self.runs.len() == 1 {
            return 0;
        }
        self.runs.partition_point(|run| run.0 <= subresource) - 1
    }

    fn end_of(&self, at: usize) -> u32 {
        self.runs.get(at + 1).map_or(self.count, |run| run.0)
    }

    /// Puts `middle` in the place of `first..end`, keeping runs maximal at both borders.
    fn splice(&mut self, first: u32, end: u32, middle: &[(u32, Known)]) {
        let before = self.runs.partition_point(|run| run.0 < first);
        let after = self.runs.partition_point(|run| run.0 <= end);
        let rest = (end < self.count).then(|| (end, self.runs[after - 1].1));
        let left = before.checked_sub(1).map(|i| self.runs[i].1);
        let mut replacement = Vec::with_capacity(middle.len() + 1);
        replacement.extend_from_slice(match middle {
            [head, tail @ ..] if left == Some(head.1) => tail,
            all => all,
        });
        let last = replacement.last().map(|run| run.1).or(left);
        replacement.extend(rest.filter(|run| last != Some(run.1)));
        self.runs.splice(before..after, replacement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Layout;

    fn known(layout: Layout) -> Known {
        Known::created(layout)
    }

    fn plain(runs: &Runs) -> Vec<Known> {
        let mut all = Vec::new();
        runs.find(0, runs.count(), |first, end, known| {
            all.extend((first..end).map(|_| *known));
            None::<()>
        });
        all
    }

    /// Every sequence of three fills or updates on a small texture, against one value per subresource.
    #[test]
    fn runs_equal_one_value_per_subresource() {
        let count = 4;
        let mut edits = Vec::new();
        for first in 0..count {
            for end in first + 1..=count {
                for layout in [Layout::Common, Layout::CopyDest] {
                    edits.push((first, end, layout, false));
                    edits.push((first, end, layout, true));
                }
            }
        }
        for a in &edits {
            for b in &edits {
                for c in &edits {
                    let mut runs = Runs::new(count, known(Layout::RenderTarget));
                    let mut expected = vec![known(Layout::RenderTarget); count as usize];
                    for (first, end, layout, update) in [a, b, c] {
                        if *update {
                            runs.update(*first, *end, |k| k.layout = Some(*layout));
                        } else {
                            runs.fill(*first, *end, known(*layout));
                        }
                        expected[*first as usize..*end as usize].fill(known(*layout));
                    }
                    assert_eq!(plain(&runs), expected, "after {a:?} {b:?} {c:?}");
                }
            }
        }
    }
}
