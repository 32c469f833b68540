//! Many runs: sorted vectors of bounded length, one after the other.

use super::Interval;
use super::few::Few;

/// Runs of a page that is new, and the most that a page keeps.
const NEW: usize = 128;
const FULL: usize = 2 * NEW;

/// Runs in pages: none is empty, and what touches across their border differs.
#[derive(Clone, Debug)]
pub(super) struct Pages<V> {
    parts: Vec<Few<V>>,
    /// Where the first run of each page starts.
    starts: Vec<u64>,
    /// Number of runs.
    count: usize,
}

impl<V: Copy + PartialEq> Pages<V> {
    pub(super) fn new(runs: Vec<Interval<V>>) -> Self {
        let mut pages = Self {
            parts: Vec::new(),
            starts: Vec::new(),
            count: 0,
        };
        pages.put(0, 0, Few { runs });
        pages
    }

    /// Number of runs.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// All pages.
    pub(super) fn all(&mut self) -> &mut [Few<V>] {
        &mut self.parts
    }

    /// All runs in one vector.
    pub(super) fn take(&mut self) -> Few<V> {
        let runs = self.parts.drain(..).flat_map(|page| page.runs);
        Few {
            runs: runs.collect(),
        }
    }

    /// The pages from the one on in which the first run that ends after `start` may be.
    pub(super) fn from(&self, start: u64) -> &[Few<V>] {
        let at = self.starts.partition_point(|first| *first <= start);
        &self.parts[at.saturating_sub(1)..]
    }

    /// The first run that ends after `start`.
    pub(super) fn next(&self, start: u64) -> Option<&Interval<V>> {
        let mut pages = self.from(start).iter();
        let mut next = || pages.next().and_then(|p| p.runs.get(p.first(start)));
        next().or_else(next)
    }

    /// Edits the runs that meet or touch `start..end`, as if they were all.
    pub(super) fn edit<R>(
        &mut self,
        start: u64,
        end: u64,
        edit: impl FnOnce(&mut Few<V>) -> R,
    ) -> R {
        let before = self.starts.partition_point(|first| *first < start);
        let from = before.saturating_sub(1);
        let count = self.starts[from..].partition_point(|first| *first <= end);
        let until = from + count.max(1);
        let mut few = if until == from + 1 {
            std::mem::replace(&mut self.parts[from], Few::new())
        } else {
            let pages = self.parts[from..until].iter_mut();
            let runs = pages.flat_map(|page| std::mem::take(&mut page.runs));
            Few {
                runs: runs.collect(),
            }
        };
        self.count -= few.runs.len();
        let result = edit(&mut few);
        self.put(from, until, few);
        result
    }

    /// Puts runs in the place of some pages that were taken out.
    fn put(&mut self, from: usize, until: usize, few: Few<V>) {
        let runs = &few.runs;
        self.count += runs.len();
        if until == from + 1
            && runs.len() <= FULL
            && let Some(first) = runs.first()
        {
            self.starts[from] = first.start;
            self.parts[from] = few;
            return;
        }
        let parts = if runs.len() <= FULL {
            runs.chunks(FULL)
        } else {
            runs.chunks(NEW)
        };
        let new: Vec<Few<V>> = parts
            .map(|part| Few {
                runs: part.to_vec(),
            })
            .collect();
        let starts = new.iter().map(|page| page.runs[0].start);
        self.starts.splice(from..until, starts);
        self.parts.splice(from..until, new);
    }
}
