//! What is known of each subresource of one resource, as runs of equal knowledge.

use super::known::Known;
use crate::order::Pages;
use smallvec::SmallVec;

/// Runs beyond which they are kept in pages: an entry in the middle of a long list moves all that follow.
#[cfg(not(test))]
const FEW: usize = 32;
/// Few enough for the tests to meet both forms.
#[cfg(test)]
const FEW: usize = 2;

/// A run: its first subresource, and what is known up to the next run.
type Run = (u32, Known);

/// Runs of subresource indices with equal knowledge, ascending and without gaps. A texture with thousands of
/// subresources costs one entry until something tells some of them apart; a buffer is one subresource.
///
/// Any change costs the runs that it meets, and at most a page of those next to them.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    form: Form,
    count: u32,
}

/// How runs are kept.
#[derive(Clone, Debug)]
enum Form {
    /// At most [`FEW`], or a little more until the next change.
    Few(Vec<Run>),
    /// Any number.
    Many(Pages<Known>),
}

impl Runs {
    /// `count` subresources of which the same is known.
    pub(super) fn new(count: u32, known: Known) -> Self {
        Self {
            form: Form::Few(vec![(0, known)]),
            count,
        }
    }

    /// Number of subresources.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> usize {
        match &self.form {
            Form::Few(runs) => runs.capacity() * size_of::<Run>(),
            Form::Many(pages) => pages.bytes(),
        }
    }

    /// Calls `each` with every run that meets `first..end`, cut to it, until it gives something.
    pub(super) fn find<T>(
        &self,
        first: u32,
        end: u32,
        mut each: impl FnMut(u32, u32, &Known) -> Option<T>,
    ) -> Option<T> {
        let end = end.min(self.count);
        if first >= end {
            return None;
        }
        match &self.form {
            Form::Few(runs) => {
                let mut from = first;
                let mut at = match runs.as_slice() {
                    [_] => 0,
                    runs => runs.partition_point(|run| run.0 <= first) - 1,
                };
                loop {
                    // Each run ends where the next begins, the last where the resource does.
                    let until = runs.get(at + 1).map_or(end, |next| next.0.min(end));
                    let found = each(from, until, &runs[at].1);
                    if found.is_some() || until == end {
                        return found;
                    }
                    (from, at) = (until, at + 1);
                }
            }
            Form::Many(pages) => pages.find(first, end, each),
        }
    }

    /// Replaces what is known of `first..end`.
    pub(super) fn fill(&mut self, first: u32, end: u32, known: Known) {
        if first == 0 && end == self.count {
            match &mut self.form {
                Form::Few(runs) if runs.len() == 1 => runs[0] = (0, known),
                form => *form = Form::Few(vec![(0, known)]),
            }
        } else if first < end {
            self.splice(first, end, &[(first, known)]);
        }
    }

    /// Changes what is known of each run within `first..end`; nothing is moved where nothing changes.
    pub(super) fn update(&mut self, first: u32, end: u32, change: impl Fn(&mut Known)) {
        if first >= end {
            return;
        }
        if let Some(known) = self.exact(first, end) {
            change(known);
            return;
        }
        let mut changed: SmallVec<[Run; 4]> = SmallVec::new();
        let mut differs = false;
        self.find(first, end, |start, _, old| {
            let mut new = *old;
            change(&mut new);
            differs |= new != *old;
            match changed.last() {
                Some(last) if last.1 == new => {}
                _ => changed.push((start, new)),
            }
            None::<()>
        });
        if differs {
            self.splice(first, end, &changed);
        }
    }

    /// The run with just these subresources.
    fn exact(&mut self, first: u32, end: u32) -> Option<&mut Known> {
        let count = self.count;
        match &mut self.form {
            Form::Few(runs) => {
                let at = runs.binary_search_by_key(&first, |run| run.0).ok()?;
                let until = runs.get(at + 1).map_or(count, |next| next.0);
                (until == end).then(|| &mut runs[at].1)
            }
            Form::Many(pages) => {
                let until = pages.next(first).unwrap_or(count);
                (until == end).then(|| pages.get_mut(first)).flatten()
            }
        }
    }

    /// Puts `middle` in the place of `first..end`, keeping runs maximal at both borders.
    fn splice(&mut self, first: u32, end: u32, middle: &[Run]) {
        let count = self.count;
        match &mut self.form {
            Form::Few(runs) => {
                let before = runs.partition_point(|run| run.0 < first);
                let after = runs.partition_point(|run| run.0 <= end);
                let rest = (end < count).then(|| (end, runs[after - 1].1));
                let left = before.checked_sub(1).map(|i| runs[i].1);
                runs.splice(before..after, joined(left, middle, rest));
                if runs.len() > FEW {
                    self.form = Form::Many(Pages::new(runs, count));
                }
            }
            Form::Many(pages) => {
                let rest = (end < count).then(|| (end, *pages.at(end).1));
                let left = first.checked_sub(1).map(|i| *pages.at(i).1);
                let runs = joined(left, middle, rest);
                pages.replace(first, end, &runs);
            }
        }
    }
}

/// `middle` and what follows it, without what its left neighbour says already.
fn joined(left: Option<Known>, middle: &[Run], rest: Option<Run>) -> SmallVec<[Run; 4]> {
    let mut joined = SmallVec::from_slice(match middle {
        [head, tail @ ..] if left == Some(head.1) => tail,
        all => all,
    });
    let last = joined.last().map(|run: &Run| run.1).or(left);
    joined.extend(rest.filter(|run| last != Some(run.1)));
    joined
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
