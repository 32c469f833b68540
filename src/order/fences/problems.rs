//! What is wrong with the fences of a timeline: waits that nothing ends, and signals that raise nothing.

use super::{Resolver, WaitState};
use crate::finding::Span;
use crate::id::{FenceId, SubmissionId};
use crate::order::signals::Wait;

/// Something wrong with a fence on the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenceProblem {
    /// The mistake.
    pub kind: FenceProblemKind,
    /// The submission that it is about.
    pub submission: SubmissionId,
    /// The fence.
    pub fence: FenceId,
    /// The value waited for or signalled.
    pub value: u64,
    /// Signals that belong to it: those that could satisfy a wait, or that were lost.
    pub others: Vec<SubmissionId>,
    /// Waits that wait for each other, in order, each with the signal that would satisfy it.
    pub cycle: Vec<(CycleStep, CycleStep)>,
    /// The place of its statement or command.
    pub span: Span,
}

/// A wait of a cycle, or the signal that would satisfy it: a statement, or a fence barrier of a list that one executes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CycleStep {
    /// The submission.
    pub submission: SubmissionId,
    /// The place of the statement, or of the fence barrier.
    pub span: Span,
    /// The fence barrier's fence and value; `None` for a statement.
    pub barrier: Option<(FenceId, u64)>,
}

/// Kinds of fence problems.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FenceProblemKind {
    /// No signal of the whole timeline raises the fence that far.
    NeverSatisfied,
    /// A signal that is over before the wait set the fence back, and none raises it again.
    SetBack,
    /// The signals that would satisfy it are lost in a reset.
    Lost,
    /// Only work that comes after the wait could satisfy it.
    Deadlock,
    /// A fence barrier waits for another queue that waits for the same call.
    ReturnTrip,
    /// Several unordered signals could satisfy it, so none orders it.
    Ambiguous,
    /// A signal that does not raise the value.
    DoesNotRaise,
}

impl FenceProblemKind {
    /// Whether it is a wait that never ends.
    pub fn is_endless(self) -> bool {
        match self {
            Self::NeverSatisfied
            | Self::SetBack
            | Self::Lost
            | Self::Deadlock
            | Self::ReturnTrip => true,
            Self::Ambiguous | Self::DoesNotRaise => false,
        }
    }
}

impl Resolver<'_, '_> {
    /// A signal must raise the fence above what it is known to have reached before (reading R23).
    pub(super) fn check_raise(&mut self, id: SubmissionId, fence: FenceId, value: u64, span: Span) {
        let mut known = self.timeline.scenario.fences[fence].initial;
        let mut other = None;
        let clock = self.timeline.clock(id);
        for (actor, row) in self.lasting.rows(fence) {
            let (over, row) = (clock.over(*actor), &row.signals);
            let at = row.partition_point(|s| self.timeline.submission(s.id).sequence < over);
            if let Some(last) = at.checked_sub(1).map(|i| row[i])
                && last.greatest > known
            {
                known = last.greatest;
                other = Some(last.id);
            }
        }
        // What comes after a reset raises nothing; that is the reset's doing.
        let reset = other.is_some_and(|o| self.cuts.iter().any(|cut| cut.reset == o));
        if value > known || reset {
            return;
        }
        if value < known {
            self.set_back[fence].push((id, value));
        }
        self.push(FenceProblem {
            kind: FenceProblemKind::DoesNotRaise,
            submission: id,
            fence,
            value,
            others: other.into_iter().collect(),
            cycle: Vec::new(),
            span,
        });
    }

    /// Signals of fence barriers must raise their fences too.
    pub(super) fn check_inside(&mut self, id: SubmissionId) {
        let steps = self.steps.get(&id).map_or(&[][..], Vec::as_slice);
        for (index, step) in steps.iter().enumerate().filter(|(_, s)| s.signal) {
            let earlier = steps[..index]
                .iter()
                .filter(|s| s.signal && s.fence == step.fence);
            if earlier
                .map(|s| s.value)
                .max()
                .is_some_and(|v| v >= step.value)
            {
                self.push(FenceProblem {
                    kind: FenceProblemKind::DoesNotRaise,
                    submission: id,
                    fence: step.fence,
                    value: step.value,
                    others: Vec::new(),
                    cycle: Vec::new(),
                    span: step.span,
                });
            } else {
                self.check_raise(id, step.fence, step.value, step.span);
            }
        }
    }

    /// Reports a wait that is evaluated although no signal orders it.
    pub(in crate::order) fn report(&mut self, wait: Wait, state: WaitState) {
        let problem = |kind, others, cycle| FenceProblem {
            kind,
            submission: wait.submission,
            fence: wait.fence,
            value: wait.value,
            others,
            cycle,
            span: wait.span,
        };
        let found = match state {
            WaitState::Never => {
                let lower = self.set_back_before(&wait);
                let dropped = self.dropped_by(wait.submission);
                let lost = self.lost(&wait);
                // A signal of the actor's own that comes later is a deadlock, not an absence.
                if let Some(later) = self.own_later(&wait) {
                    problem(
                        FenceProblemKind::Deadlock,
                        Vec::new(),
                        vec![self.steps_of(&(wait, later))],
                    )
                } else if dropped.is_some_and(|cut| cut.jumps[wait.fence]) {
                    // The reset wakes it.
                    return;
                } else if !lower.is_empty() {
                    problem(FenceProblemKind::SetBack, lower, Vec::new())
                } else if !lost.is_empty() {
                    problem(FenceProblemKind::Lost, lost, Vec::new())
                } else {
                    problem(FenceProblemKind::NeverSatisfied, Vec::new(), Vec::new())
                }
            }
            WaitState::Ambiguous(signals) => {
                problem(FenceProblemKind::Ambiguous, signals, Vec::new())
            }
            WaitState::Ready(_) | WaitState::Blocked(_) => return,
        };
        self.push(found);
    }

    /// The signal of the waiting actor itself that would satisfy the wait, and comes after it.
    fn own_later(&self, wait: &Wait) -> Option<SubmissionId> {
        let actor = self.timeline.submission(wait.submission).actor;
        let signals = self.signals_before(self.dropped_by(wait.submission));
        let row = signals.row(wait.fence, self.timeline.actor_index(actor));
        let mut later = row.signals.iter().filter(|s| s.value >= wait.value);
        later.find(|s| s.id >= wait.submission).map(|s| s.id)
    }

    /// Signals that a reset drops and that would have satisfied the wait.
    fn lost(&self, wait: &Wait) -> Vec<SubmissionId> {
        let Some(all) = &self.all else {
            return Vec::new();
        };
        (0..self.timeline.actors)
            .filter_map(|actor| all.row(wait.fence, actor).first_reaching(wait.value))
            .filter(|signal| self.dropped_by(*signal).is_some())
            .collect()
    }

    pub(in crate::order) fn push(&mut self, problem: FenceProblem) {
        self.timeline.fence_problems.push(problem);
    }
}
