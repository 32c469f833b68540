//! Signals of each fence by each actor, and what fence barriers do inside a list.

use super::resets::Cut;
use super::{Actor, SubmissionKind, Timeline};
use crate::finding::Span;
use crate::id::{FenceId, SubmissionId, Table};
use crate::scenario::CommandKind;
use indexmap::IndexMap;

/// A signal or wait of a fence barrier inside an `ExecuteCommandLists` call, in the order of its lists.
#[derive(Copy, Clone, Debug)]
pub(super) struct ListStep {
    pub(super) signal: bool,
    pub(super) fence: FenceId,
    pub(super) value: u64,
    pub(super) span: Span,
}

/// A wait: of a queue, of the CPU or of a fence barrier.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wait {
    pub(super) submission: SubmissionId,
    pub(super) fence: FenceId,
    pub(super) value: u64,
    pub(super) span: Span,
    /// The index of a fence barrier among those of its submission.
    pub(super) step: Option<usize>,
}

/// Fence barriers of each call that has some.
pub(super) fn list_steps(timeline: &Timeline<'_>) -> IndexMap<SubmissionId, Vec<ListStep>> {
    let is_step = |kind: &CommandKind| matches!(kind, CommandKind::FenceBarrier { .. });
    let lists = &timeline.scenario.lists;
    let mut found = IndexMap::new();
    if !lists
        .iter()
        .any(|l| l.commands.iter().any(|c| is_step(&c.kind)))
    {
        return found;
    }
    for index in 0..timeline.submissions.len() {
        let id = SubmissionId::new(index);
        let steps: Vec<ListStep> = timeline
            .commands(id)
            .filter_map(|(_, _, command)| {
                let (signal, fence, value) = command.kind.fence_step()?;
                Some(ListStep {
                    signal,
                    fence,
                    value,
                    span: command.span,
                })
            })
            .collect();
        if !steps.is_empty() {
            found.insert(id, steps);
        }
    }
    found
}

/// Signals of one fence by one actor, in order.
#[derive(Clone, Default)]
pub(super) struct Row {
    pub(super) signals: Vec<RowSignal>,
}

/// A signal of a row.
#[derive(Copy, Clone)]
pub(super) struct RowSignal {
    /// The greatest value of the row so far, this one included.
    pub(super) greatest: u64,
    /// The value.
    pub(super) value: u64,
    /// The submission.
    pub(super) id: SubmissionId,
}

impl Row {
    fn push(&mut self, value: u64, id: SubmissionId) {
        let greatest = self.signals.last().map_or(value, |s| s.greatest.max(value));
        self.signals.push(RowSignal {
            greatest,
            value,
            id,
        });
    }

    /// The first signal with at least `value`.
    pub(super) fn first_reaching(&self, value: u64) -> Option<SubmissionId> {
        let at = self.signals.partition_point(|s| s.greatest < value);
        self.signals.get(at).map(|s| s.id)
    }
}

/// Every signal of a timeline. Memory grows with the signals, not with fences times actors.
pub(super) struct Signals {
    /// By fence: the actors that signal it, ascending.
    fences: Table<FenceId, Vec<(usize, Row)>>,
}

/// Of an actor that never signals.
static NONE: Row = Row {
    signals: Vec::new(),
};

impl Signals {
    /// The signals that are given, with those of resets.
    pub(super) fn lasting(
        timeline: &Timeline<'_>,
        steps: &IndexMap<SubmissionId, Vec<ListStep>>,
        cuts: &[Cut],
    ) -> Self {
        let mut signals = Self::empty(timeline);
        for index in 0..timeline.submissions.len() {
            let id = SubmissionId::new(index);
            if let Some(cut) = cuts.iter().find(|cut| cut.reset == id) {
                let cpu = timeline.actor_index(Actor::Cpu);
                for fence in cut.jumps.ids().filter(|f| cut.jumps[*f]) {
                    signals.push(fence, cpu, u64::MAX, id);
                }
            }
            if !cuts.iter().any(|cut| cut.drops(timeline, id)) {
                signals.add(timeline, steps, id);
            }
        }
        signals
    }

    /// The signals as they would be given if nothing were reset.
    pub(super) fn all(
        timeline: &Timeline<'_>,
        steps: &IndexMap<SubmissionId, Vec<ListStep>>,
    ) -> Self {
        let mut signals = Self::empty(timeline);
        for index in 0..timeline.submissions.len() {
            signals.add(timeline, steps, SubmissionId::new(index));
        }
        signals
    }

    fn empty(timeline: &Timeline<'_>) -> Self {
        Self {
            fences: Table::filled(timeline.scenario.fences.len(), Vec::new()),
        }
    }

    fn push(&mut self, fence: FenceId, actor: usize, value: u64, id: SubmissionId) {
        let rows = &mut self.fences[fence];
        let found = rows.binary_search_by_key(&actor, |(by, _)| *by);
        let at = found.unwrap_or_else(|at| {
            rows.insert(at, (actor, Row::default()));
            at
        });
        rows[at].1.push(value, id);
    }

    fn add(
        &mut self,
        timeline: &Timeline<'_>,
        steps: &IndexMap<SubmissionId, Vec<ListStep>>,
        id: SubmissionId,
    ) {
        let submission = timeline.submission(id);
        let actor = timeline.actor_index(submission.actor);
        match submission.kind {
            SubmissionKind::Signal { fence, value } => {
                self.push(fence, actor, value, id);
            }
            SubmissionKind::Execute => {
                for step in steps.get(&id).into_iter().flatten().filter(|s| s.signal) {
                    self.push(step.fence, actor, step.value, id);
                }
            }
            _ => {}
        }
    }

    /// The signals of a fence by an actor.
    pub(super) fn row(&self, fence: FenceId, actor: usize) -> &Row {
        let rows = self.rows(fence);
        let found = rows.binary_search_by_key(&actor, |(by, _)| *by);
        found.map_or(&NONE, |at| &rows[at].1)
    }

    /// The actors that signal a fence, ascending, each with its signals.
    pub(super) fn rows(&self, fence: FenceId) -> &[(usize, Row)] {
        &self.fences[fence]
    }
}
