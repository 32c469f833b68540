//! A value for each subresource of a texture, kept as runs of equal values.
//!
//! A texture with thousands of subresources costs one entry until something tells some of them apart.

use crate::order::Pages;

/// Runs beyond which they are kept in pages: an entry in the middle of a long list moves all that follow.
#[cfg(not(test))]
const FEW: usize = 32;
/// Few enough for the tests to meet both forms.
#[cfg(test)]
const FEW: usize = 2;

/// Values of the subresources `0..count`, as maximal runs.
#[derive(Clone, Debug)]
pub(crate) struct Runs<T> {
    count: u32,
    form: Form<T>,
}

/// How runs are kept: `(first subresource, value)`, ascending; the first starts at 0.
#[derive(Clone, Debug)]
enum Form<T> {
    /// At most [`FEW`].
    Few(Vec<(u32, T)>),
    /// Any number.
    Many(Pages<T>),
}

impl<T: Clone + PartialEq> Runs<T> {
    /// `count` subresources, all with the same value. There is at least one.
    pub(crate) fn new(count: u32, value: T) -> Self {
        Self {
            count: count.max(1),
            form: Form::Few(vec![(0, value)]),
        }
    }

    /// Number of runs.
    #[cfg(test)]
    pub(crate) fn run_count(&self) -> usize {
        match &self.form {
            Form::Few(runs) => runs.len(),
            Form::Many(pages) => pages.run_count(),
        }
    }

    /// The value of one subresource.
    pub(crate) fn get(&self, at: u32) -> &T {
        match &self.form {
            Form::Few(runs) => &runs[runs.partition_point(|(first, _)| *first <= at) - 1].1,
            Form::Many(pages) => pages.at(at).1,
        }
    }

    /// Calls `each` with every run that `first..end` meets, cut to it.
    pub(crate) fn for_each(&self, first: u32, end: u32, mut each: impl FnMut(u32, u32, &T)) {
        let end = end.min(self.count);
        if first >= end {
            return;
        }
        match &self.form {
            Form::Few(runs) => {
                let mut from = first;
                let mut index = runs.partition_point(|(start, _)| *start <= first) - 1;
                while from < end {
                    let until = runs.get(index + 1).map_or(end, |next| next.0.min(end));
                    each(from, until, &runs[index].1);
                    from = until;
                    index += 1;
                }
            }
            Form::Many(pages) => {
                pages.find(first, end, |from, until, value| {
                    each(from, until, value);
                    None::<()>
                });
            }
        }
    }

    /// Changes the values of `first..end`, run by run.
    pub(crate) fn update(
        &mut self,
        first: u32,
        end: u32,
        mut change: impl FnMut(u32, u32, &mut T),
    ) {
        let end = end.min(self.count);
        if first >= end {
            return;
        }
        // What these subresources have afterwards, and what follows them, without what is as its neighbour before.
        let mut last = first.checked_sub(1).map(|before| self.get(before).clone());
        let mut news: Vec<(u32, T)> = Vec::with_capacity(2);
        let mut add = |start: u32, value: T| {
            if last.as_ref() != Some(&value) {
                last = Some(value.clone());
                news.push((start, value));
            }
        };
        self.for_each(first, end, |from, until, value| {
            let mut value = value.clone();
            change(from, until, &mut value);
            add(from, value);
        });
        if end < self.count {
            add(end, self.get(end).clone());
        }
        match &mut self.form {
            Form::Few(runs) => {
                let before = runs.partition_point(|run| run.0 < first);
                let after = runs.partition_point(|run| run.0 <= end);
                runs.splice(before..after, news);
                if runs.len() > FEW {
                    self.form = Form::Many(Pages::new(runs, self.count));
                }
            }
            Form::Many(pages) => pages.replace(first, end, &news),
        }
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
