//! The order in which submissions are evaluated: mostly that of the text, which is kept in a few numbers.

use crate::id::{SubmissionId, narrow};

/// An order of submissions.
#[derive(Clone, Debug, Default)]
pub struct EvaluationOrder {
    /// Where each run of ascending ids starts, and its first id.
    runs: Vec<(u32, u32)>,
    len: u32,
}

impl EvaluationOrder {
    /// Number of submissions.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The submission at a place.
    pub fn get(&self, place: usize) -> Option<SubmissionId> {
        let place = narrow(place);
        let run = self.runs.partition_point(|(at, _)| *at <= place);
        let (at, first) = *self.runs[..run].last().filter(|_| place < self.len)?;
        Some(SubmissionId(first + (place - at)))
    }

    /// All of them in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = SubmissionId> + '_ {
        (0..self.runs.len()).flat_map(|run| {
            let (at, first) = self.runs[run];
            let end = self.runs.get(run + 1).map_or(self.len, |next| next.0);
            (first..first + (end - at)).map(SubmissionId)
        })
    }

    /// Adds the next one.
    pub(super) fn push(&mut self, id: SubmissionId) {
        let goes_on = self
            .runs
            .last()
            .is_some_and(|(at, first)| first + (self.len - at) == id.0);
        if !goes_on {
            self.runs.push((self.len, id.0));
        }
        self.len += 1;
    }
}
