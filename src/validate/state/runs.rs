//! What is known of each subresource of one resource, as runs of equal knowledge.

use super::known::Known;
use super::tree::{KnownKind, Operation, Run, Tree, change_page};

/// Runs beyond which they are kept in a tree of pages: an entry in the middle of a long list moves all that follow.
#[cfg(not(test))]
const FEW: usize = 32;
/// Few enough for the tests to meet both forms.
#[cfg(test)]
const FEW: usize = 2;

/// Runs of subresource indices with equal knowledge, ascending and without gaps. A texture with thousands of
/// subresources costs one entry until something tells some of them apart; a buffer is one subresource.
///
/// A change costs at most [`FEW`] runs, or what the [`Tree`] says.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    form: Form,
    count: u32,
}

/// How runs are kept.
#[derive(Clone, Debug)]
enum Form {
    /// At most [`FEW`] before a change.
    Few(Vec<Run>),
    /// Any number: few textures have so many, and every resource has a place for them.
    Many(Box<Tree>),
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
            Form::Many(tree) => tree.bytes(),
        }
    }

    /// Calls `each` with every run that meets one of some ascending ranges, cut to it, until it gives something. Runs of a
    /// kind that does not concern the look, as it is seen from a scope, may be left out.
    pub(super) fn find<T>(
        &mut self,
        ranges: &[(u32, u32)],
        scope: u32,
        concerns: impl FnMut(&KnownKind) -> bool,
        mut each: impl FnMut(u32, u32, &Known) -> Option<T>,
    ) -> Option<T> {
        let runs = match &mut self.form {
            Form::Few(runs) => runs,
            Form::Many(tree) => return tree.find(ranges, scope, concerns, each),
        };
        ranges.iter().find_map(|(first, end)| {
            let mut from = *first;
            let mut at = match runs.as_slice() {
                [_] => 0,
                runs => runs.partition_point(|run| run.0 <= from) - 1,
            };
            loop {
                // Each run ends where the next begins, the last where the resource does.
                let until = runs.get(at + 1).map_or(*end, |next| next.0.min(*end));
                let found = each(from, until, &runs[at].1);
                if found.is_some() || until == *end {
                    return found;
                }
                (from, at) = (until, at + 1);
            }
        })
    }

    /// Changes what is known of some ascending ranges.
    pub(super) fn change(&mut self, ranges: &[(u32, u32)], operation: &mut impl Operation) {
        match &mut self.form {
            Form::Few(runs) => {
                if let ([(_, known)], [(0, end)]) = (runs.as_mut_slice(), ranges)
                    && *end == self.count
                {
                    operation.act(known);
                    return;
                }
                for range in ranges {
                    change_page(runs, self.count, *range, |known| operation.act(known));
                }
                if runs.len() > FEW {
                    self.form = Form::Many(Box::new(Tree::new(runs, self.count)));
                }
            }
            Form::Many(tree) => {
                if let Some(known) = tree.change(ranges, operation) {
                    self.form = Form::Few(vec![(0, known)]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::Transfer;
    use super::super::known::{Left, Origin};
    use super::*;
    use crate::api::{BarrierAccess, Layout, LeafSet};
    use crate::finding::Span;

    /// A barrier that gives a layout, later if possible.
    struct Transition {
        change: Transfer,
        now: bool,
    }

    impl Operation for Transition {
        fn scope(&self) -> u32 {
            1
        }

        fn may_wait(&self, _: &Known) -> bool {
            !self.now
        }

        fn may_always_wait(&self) -> bool {
            !self.now
        }

        fn later(&self) -> Option<&Transfer> {
            Some(&self.change)
        }

        fn act(&mut self, known: &mut Known) {
            self.change.apply(known);
        }
    }

    fn transition(stamp: u32, layout: Layout, keeps: bool, now: bool) -> Transition {
        let origin = Origin {
            span: Span::new(stamp, stamp),
            execution: 1,
        };
        let left = Left {
            origin,
            leaves: LeafSet::EMPTY,
            access: BarrierAccess::COMMON,
            ends: false,
            is_legacy: false,
            stamp,
        };
        Transition {
            change: Transfer::barrier(1, left).layout(layout, keeps, Some(1)),
            now,
        }
    }

    /// What is known of each subresource, and how many runs were shown.
    fn plain(
        runs: &mut Runs,
        concerns: impl FnMut(&KnownKind) -> bool,
    ) -> (Vec<Option<Known>>, usize) {
        let (mut all, mut shown) = (vec![None; runs.count() as usize], 0);
        runs.find(&[(0, runs.count())], 1, concerns, |first, end, known| {
            all[first as usize..end as usize].fill(Some(*known));
            shown += 1;
            None::<()>
        });
        (all, shown)
    }

    /// Every series of three transitions of a small texture, against one value per subresource.
    #[test]
    fn runs_equal_one_value_per_subresource() {
        let count = 5;
        let mut edits = Vec::new();
        for first in 0..count {
            for end in first + 1..=count {
                for (keeps, now) in [(false, false), (true, false), (false, true)] {
                    edits.push((first, end, keeps, now));
                }
            }
        }
        let layouts = [Layout::Common, Layout::CopyDest, Layout::Common];
        for a in &edits {
            for b in &edits {
                for c in &edits {
                    let mut runs = Runs::new(count, Known::created(Layout::RenderTarget));
                    let mut expected = vec![Known::created(Layout::RenderTarget); count as usize];
                    for ((first, end, keeps, now), stamp) in [a, b, c].into_iter().zip(1_u32..) {
                        let layout = layouts[stamp as usize - 1];
                        let mut operation = transition(stamp, layout, *keeps, *now);
                        runs.change(&[(*first, *end)], &mut operation);
                        for known in &mut expected[*first as usize..*end as usize] {
                            operation.act(known);
                        }
                    }
                    let borders = expected.windows(2).filter(|pair| pair[0] != pair[1]);
                    let borders = borders.count();
                    let expected: Vec<_> = expected.into_iter().map(Some).collect();
                    let is_common = |known: &Known| known.layout == Some(Layout::Common);
                    let (some, _) = plain(&mut runs, |kind| is_common(&kind.known));
                    for (known, expected) in some.iter().zip(&expected) {
                        let may_lack = !expected.as_ref().is_some_and(is_common);
                        assert!(known == expected || known.is_none() && may_lack);
                    }
                    let (all, shown) = plain(&mut runs, |_| true);
                    assert_eq!(all, expected, "after {a:?} {b:?} {c:?}");
                    assert_eq!(shown, borders + 1, "runs are maximal");
                }
            }
        }
    }
}
