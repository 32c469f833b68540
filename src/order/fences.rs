//! Fences: which signal a wait comes after, and happens-before between submissions as vector clocks.
//!
//! Reading R23. A wait is ordered after the unique happens-before-minimal signal that raises its fence far enough; if
//! several unordered signals could satisfy it, none orders it. Each actor's submissions take effect in order; work
//! that the CPU submits comes after everything that the CPU did before.
//!
//! Cost: O(submissions · actors) and a binary search a wait.

use super::{Actor, SubmissionKind, Timeline};
use crate::finding::Span;
use crate::id::{FenceId, SubmissionId};

/// Something wrong with a fence on the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenceProblem {
    /// What.
    pub kind: FenceProblemKind,
    /// The submission that it is about.
    pub submission: SubmissionId,
    /// The fence.
    pub fence: FenceId,
    /// The value waited for or signalled.
    pub value: u64,
    /// Submissions that belong to it: the other waits of a cycle, the signals that could satisfy a wait.
    pub others: Vec<SubmissionId>,
    /// Where its statement stands.
    pub span: Span,
}

/// Kinds of fence problems.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FenceProblemKind {
    /// No signal of the whole timeline raises the fence that far.
    NeverSatisfied,
    /// Only work that comes after the wait could satisfy it.
    Deadlock,
    /// Several unordered signals could satisfy it, so none orders it.
    Ambiguous,
    /// A signal that does not raise the value.
    DoesNotRaise,
}

/// Signals of one fence by one actor, in order.
#[derive(Default)]
struct SignalRow {
    /// `(greatest value so far, submission)`.
    raised: Vec<(u64, SubmissionId)>,
}

impl SignalRow {
    /// The first signal with at least `value`.
    fn first_reaching(&self, value: u64) -> Option<SubmissionId> {
        let at = self
            .raised
            .partition_point(|(greatest, _)| *greatest < value);
        self.raised.get(at).map(|(_, id)| *id)
    }
}

struct Resolver<'t, 's> {
    timeline: &'t mut Timeline<'s>,
    /// Submissions of each actor.
    sequences: Vec<Vec<SubmissionId>>,
    /// How many of them are evaluated.
    cursors: Vec<usize>,
    /// `fence · actors + actor`.
    signals: Vec<SignalRow>,
    /// For each submission, the last CPU operation before it on the timeline.
    cpu_before: Vec<Option<SubmissionId>>,
    done: Vec<bool>,
}

/// What stands between a wait and its evaluation.
enum WaitState {
    /// It may be evaluated, after this signal if there is one.
    Ready(Option<SubmissionId>),
    /// These signals could satisfy it, and some are not evaluated yet.
    Blocked(Vec<SubmissionId>),
    /// Several unordered signals could.
    Ambiguous(Vec<SubmissionId>),
    /// No signal could.
    Never,
}

/// Fills the timeline's clocks, evaluation order and fence problems.
pub(super) fn resolve(timeline: &mut Timeline<'_>) {
    let actors = timeline.actors;
    let count = timeline.submissions.len();
    timeline.clocks = vec![0; count * actors];
    timeline.wait_edges = vec![None; count];
    timeline.evaluation = Vec::with_capacity(count);
    let fences = timeline.scenario.fences.len();
    let mut resolver = Resolver {
        sequences: vec![Vec::new(); actors],
        cursors: vec![0; actors],
        signals: (0..fences * actors).map(|_| SignalRow::default()).collect(),
        cpu_before: Vec::with_capacity(count),
        done: vec![false; count],
        timeline,
    };
    resolver.index();
    resolver.run();
}

impl Resolver<'_, '_> {
    fn index(&mut self) {
        let mut last_cpu = None;
        for index in 0..self.timeline.submissions.len() {
            let id = SubmissionId::new(index);
            let submission = self.timeline.submissions[index];
            let actor = self.timeline.actor_index(submission.actor);
            self.sequences[actor].push(id);
            self.cpu_before.push(last_cpu);
            if submission.actor == Actor::Cpu {
                last_cpu = Some(id);
            }
            if let SubmissionKind::Signal { fence, value } = submission.kind {
                let row = &mut self.signals[fence.index() * self.timeline.actors + actor].raised;
                let greatest = row.last().map_or(value, |(v, _)| (*v).max(value));
                row.push((greatest, id));
            }
        }
    }

    /// Evaluates the ready submission that stands first on the timeline, until none is left.
    fn run(&mut self) {
        let total = self.timeline.submissions.len();
        while self.timeline.evaluation.len() < total {
            let mut best: Option<(SubmissionId, Option<SubmissionId>, bool)> = None;
            for actor in 0..self.timeline.actors {
                let Some(id) = self.head(actor) else { continue };
                if best.is_some_and(|(b, ..)| b < id) {
                    continue;
                }
                if self.cpu_before[id.index()].is_some_and(|cpu| !self.done[cpu.index()]) {
                    continue;
                }
                match self.wait_state(id) {
                    WaitState::Ready(signal) => best = Some((id, signal, false)),
                    WaitState::Never | WaitState::Ambiguous(_) => best = Some((id, None, true)),
                    WaitState::Blocked(_) => {}
                }
            }
            match best {
                Some((id, signal, problem)) => {
                    if problem {
                        self.report(id);
                    }
                    self.evaluate(id, signal);
                }
                None => self.break_deadlock(),
            }
        }
    }

    fn head(&self, actor: usize) -> Option<SubmissionId> {
        self.sequences[actor].get(self.cursors[actor]).copied()
    }

    fn wait_state(&self, id: SubmissionId) -> WaitState {
        let SubmissionKind::Wait { fence, value } = self.timeline.submissions[id.index()].kind
        else {
            return WaitState::Ready(None);
        };
        if self.timeline.scenario.fences[fence.index()].initial >= value {
            return WaitState::Ready(None);
        }
        let candidates = self.candidates(id, fence, value);
        if candidates.is_empty() {
            return WaitState::Never;
        }
        if candidates.iter().any(|c| !self.done[c.index()]) {
            return WaitState::Blocked(candidates);
        }
        match self.least(&candidates) {
            Some(signal) => WaitState::Ready(Some(signal)),
            None => WaitState::Ambiguous(candidates),
        }
    }

    /// The first signal of each actor that reaches the value. Signals that the waiting actor itself submits later come
    /// after the wait and cannot satisfy it.
    fn candidates(&self, wait: SubmissionId, fence: FenceId, value: u64) -> Vec<SubmissionId> {
        let own = self
            .timeline
            .actor_index(self.timeline.submissions[wait.index()].actor);
        (0..self.timeline.actors)
            .filter_map(|actor| {
                let row = &self.signals[fence.index() * self.timeline.actors + actor];
                row.first_reaching(value)
                    .filter(|signal| actor != own || *signal < wait)
            })
            .collect()
    }

    /// The signal that happens before all the others, if there is one.
    fn least(&self, candidates: &[SubmissionId]) -> Option<SubmissionId> {
        candidates
            .iter()
            .find(|a| {
                candidates
                    .iter()
                    .all(|b| *a == b || self.timeline.happens_before(**a, *b))
            })
            .copied()
    }

    fn evaluate(&mut self, id: SubmissionId, signal: Option<SubmissionId>) {
        let actors = self.timeline.actors;
        let submission = self.timeline.submissions[id.index()];
        let actor = self.timeline.actor_index(submission.actor);
        let previous = self.cursors[actor]
            .checked_sub(1)
            .map(|at| self.sequences[actor][at]);
        for before in [previous, self.cpu_before[id.index()], signal]
            .into_iter()
            .flatten()
        {
            for a in 0..actors {
                let known = self.timeline.clocks[before.index() * actors + a];
                let slot = &mut self.timeline.clocks[id.index() * actors + a];
                *slot = (*slot).max(known);
            }
            let other = self.timeline.submissions[before.index()];
            let other_actor = self.timeline.actor_index(other.actor);
            let slot = &mut self.timeline.clocks[id.index() * actors + other_actor];
            *slot = (*slot).max(other.sequence + 1);
        }
        if let SubmissionKind::Signal { fence, value } = submission.kind {
            self.check_raise(id, fence, value);
        }
        self.timeline.wait_edges[id.index()] = signal;
        self.timeline.evaluation.push(id);
        self.cursors[actor] += 1;
        self.done[id.index()] = true;
    }

    /// A signal must raise the fence above what it is known to have reached before (reading R23).
    fn check_raise(&mut self, id: SubmissionId, fence: FenceId, value: u64) {
        let clock = self.timeline.clock(id);
        let mut known = self.timeline.scenario.fences[fence.index()].initial;
        let mut other = None;
        for (actor, over) in clock.iter().enumerate() {
            let row = &self.signals[fence.index() * self.timeline.actors + actor].raised;
            let at =
                row.partition_point(|(_, s)| self.timeline.submissions[s.index()].sequence < *over);
            if let Some((greatest, signal)) = at.checked_sub(1).map(|i| row[i])
                && greatest > known
            {
                known = greatest;
                other = Some(signal);
            }
        }
        if value <= known {
            let others = other.into_iter().collect();
            self.push(FenceProblemKind::DoesNotRaise, id, fence, value, others);
        }
    }

    /// Reports a wait that is evaluated although no signal orders it.
    fn report(&mut self, id: SubmissionId) {
        let SubmissionKind::Wait { fence, value } = self.timeline.submissions[id.index()].kind
        else {
            return;
        };
        match self.wait_state(id) {
            WaitState::Never => {
                // A signal of the actor's own that comes later is a deadlock, not an absence.
                let own = self
                    .timeline
                    .actor_index(self.timeline.submissions[id.index()].actor);
                let row = &self.signals[fence.index() * self.timeline.actors + own];
                match row.first_reaching(value) {
                    Some(later) => {
                        self.push(FenceProblemKind::Deadlock, id, fence, value, vec![later])
                    }
                    None => self.push(
                        FenceProblemKind::NeverSatisfied,
                        id,
                        fence,
                        value,
                        Vec::new(),
                    ),
                }
            }
            WaitState::Ambiguous(signals) => {
                self.push(FenceProblemKind::Ambiguous, id, fence, value, signals)
            }
            WaitState::Ready(_) | WaitState::Blocked(_) => {}
        }
    }

    /// Nothing can be evaluated: every actor's next step is a wait, or comes after one. If some wait has a signal that
    /// is already evaluated, its other candidates hang on waits themselves and cannot come first: it goes after the
    /// evaluated ones. Otherwise the waits form a cycle, reported once, on the first wait of the timeline.
    fn break_deadlock(&mut self) {
        let mut stuck: Vec<(SubmissionId, Vec<SubmissionId>)> = Vec::new();
        for actor in 0..self.timeline.actors {
            let Some(id) = self.head(actor) else { continue };
            if let WaitState::Blocked(candidates) = self.wait_state(id) {
                stuck.push((id, candidates));
            }
        }
        stuck.sort();
        for (id, candidates) in &stuck {
            let over: Vec<SubmissionId> = candidates
                .iter()
                .copied()
                .filter(|c| self.done[c.index()])
                .collect();
            if !over.is_empty() {
                let signal = self.least(&over);
                if signal.is_none() {
                    let SubmissionKind::Wait { fence, value } =
                        self.timeline.submissions[id.index()].kind
                    else {
                        unreachable!("only waits are blocked")
                    };
                    self.push(FenceProblemKind::Ambiguous, *id, fence, value, over);
                }
                self.evaluate(*id, signal);
                return;
            }
        }
        let (id, _) = stuck
            .first()
            .expect("an unfinished timeline whose steps are all ready would go on")
            .clone();
        let SubmissionKind::Wait { fence, value } = self.timeline.submissions[id.index()].kind
        else {
            unreachable!("only waits are blocked")
        };
        let others = stuck[1..].iter().map(|(other, _)| *other).collect();
        self.push(FenceProblemKind::Deadlock, id, fence, value, others);
        self.evaluate(id, None);
    }

    fn push(
        &mut self,
        kind: FenceProblemKind,
        submission: SubmissionId,
        fence: FenceId,
        value: u64,
        others: Vec<SubmissionId>,
    ) {
        let span = self.timeline.submissions[submission.index()].statement.span;
        self.timeline.fence_problems.push(FenceProblem {
            kind,
            submission,
            fence,
            value,
            others,
            span,
        });
    }
}
