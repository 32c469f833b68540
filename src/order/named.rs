//! Ids of an edited copy: its commands and barrier entries are called what they are called in the original.
//!
//! A copy without a barrier entry may lack the call that the entry was in, and every node after it has another number then. What
//! stays in a copy keeps its place in the text, so that both timelines are walked side by side, submission by submission.

use super::{Submission, Timeline};
use crate::finding::Span;
use crate::id::{BarrierRef, NodeId, SubmissionId, Table, narrow};
use std::collections::BTreeMap;

/// What nodes and entries of a copy are called.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// By node of the copy: its number on its queue in the original, counted from 1.
    ordinals: Table<NodeId, u32>,
    /// Entries of the copy that have another number in the original.
    entries: BTreeMap<BarrierRef, u32>,
}

impl Names {
    pub(super) fn ordinal(&self, node: NodeId) -> u32 {
        self.ordinals[node]
    }

    pub(super) fn entry(&self, barrier: BarrierRef) -> u32 {
        self.entries.get(&barrier).copied().unwrap_or(barrier.entry)
    }
}

impl Timeline<'_> {
    /// Calls everything as `original` does, of whose scenario this one's is a copy that lacks some barriers.
    ///
    /// # Panics
    /// If it is no such copy.
    pub fn name_like(&mut self, original: &Timeline<'_>) {
        let mut names = Names {
            ordinals: Table::default(),
            entries: BTreeMap::new(),
        };
        assert_eq!(
            self.submissions.len(),
            original.submissions.len(),
            "a copy submits what the original does"
        );
        for id in (0..self.submissions.len()).map(SubmissionId::new) {
            self.name_submission(id, original, &mut names);
        }
        // A call of which nothing is left is called by the node after it, of which there may be none.
        let after = NodeId(original.nodes);
        if !original.submissions.is_empty() {
            let last = original.submission(original.submission_of(after));
            names.ordinals.push(ordinal(last, after));
        }
        self.names = Some(Box::new(names));
    }

    fn name_submission(&self, id: SubmissionId, original: &Timeline<'_>, names: &mut Names) {
        let whole = original.submission(id);
        let mut all = original.commands(id);
        let mut has_commands = false;
        for (node, _, command) in self.commands(id) {
            has_commands = true;
            let mut same = all.by_ref().filter(|(_, _, c)| c.span == command.span);
            let (known, _, before) = same.next().expect("what a copy has, the original has");
            names.ordinals.push(ordinal(whole, known));
            let spans = |barriers: &[crate::scenario::Barrier]| {
                barriers.iter().map(|b| b.span).collect::<Vec<Span>>()
            };
            let (own, known) = (
                spans(command.kind.barriers()),
                spans(before.kind.barriers()),
            );
            for (entry, number) in numbers(&own, &known).into_iter().enumerate() {
                let entry = narrow(entry);
                if entry != number {
                    names.entries.insert(BarrierRef { node, entry }, number);
                }
            }
        }
        // A call of which nothing is left has no node; what is no call has one.
        if !has_commands && self.submission(id).nodes > 0 {
            names.ordinals.push(ordinal(whole, whole.first_node));
        }
    }
}

/// The number of a node on its queue, counted from 1.
pub(super) fn ordinal(submission: Submission<'_>, node: NodeId) -> u32 {
    submission.first_ordinal + (node.0 - submission.first_node.0) + 1
}

/// The number that each entry of a call has in the original, where one place of the text may have several entries. What the
/// original has no entry for comes after all that it has.
fn numbers(own: &[Span], known: &[Span]) -> Vec<u32> {
    let mut taken = vec![false; known.len()];
    let mut more = known.len();
    let number = |span: &Span| {
        let same = (0..known.len()).find(|at| !taken[*at] && known[*at] == *span);
        let at = same.unwrap_or_else(|| {
            more += 1;
            more - 1
        });
        if let Some(taken) = taken.get_mut(at) {
            *taken = true;
        }
        narrow(at)
    };
    own.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::numbers;
    use crate::finding::Span;

    #[test]
    fn entries_that_are_left_keep_their_numbers() {
        let at = |start| Span::new(start, start + 1);
        let all = [at(1), at(2), at(2), at(3)];
        assert_eq!(numbers(&[at(1), at(3)], &all), [0, 3]);
        assert_eq!(numbers(&[at(2), at(2), at(3)], &all), [1, 2, 3]);
        assert_eq!(numbers(&[at(3), at(3)], &all), [3, 4]);
    }
}
