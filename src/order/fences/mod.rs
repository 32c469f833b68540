//! Fences: which signal a wait comes after, and happens-before between submissions as vector clocks.
//!
//! Reading R23. A wait is ordered after the unique happens-before-minimal signal that raises its fence far enough; if
//! several unordered signals could satisfy it, none orders it. Each actor's submissions take effect in order; work
//! that the CPU submits comes after everything that the CPU did before.
//!
//! * A signal of a fence with `TopOfPipeline` comes after what the queue's front end waited for, not after the queue's
//!   own work. (Two such signals of different queues count as unordered even where one follows the other.)
//! * A signal that sets a fence back takes away the values above it: a wait that is known to come after it cannot be
//!   satisfied by what the fence had reached before.
//! * Fence barriers signal and wait inside an `ExecuteCommandLists` call. Their order is that of the whole call: who
//!   waits for one of its signals comes after all of it. That asks for more than the barrier does, never for a cycle:
//!   a chain of waits that leaves a call and comes back to it is not allowed.
//! * Resets: `resets.rs`; reading R40.
//! * Processes: each has an order of its own; work of its queues comes after what it did before. Waits of a process also
//!   end when the object goes away: `objects.rs`.
//!
//! Cost: O(submissions + waits · actors) and a binary search each, once more for each reset that stops something. Memory:
//! that of the [`Clocks`], which grow with waits and with what the CPU does, not with calls.

mod heads;
mod problems;

pub use problems::{CycleStep, FenceProblem, FenceProblemKind};

use crate::id::{FenceId, QueueId, SubmissionId, Table};
use crate::order::clocks::Clocks;
use crate::order::objects::Wake;
use crate::order::resets::{self, Cut};
use crate::order::signals::{self, ListStep, Signals, Wait};
use crate::order::{Actor, EvaluationOrder, Submission, SubmissionKind, Timeline};
use crate::scenario::Fence;
use heads::{Head, Heads};
use indexmap::IndexMap;

/// What a wait needs before it is evaluated.
pub(super) enum WaitState {
    /// It may be evaluated, after this signal if there is one.
    Ready(Option<SubmissionId>),
    /// These signals could satisfy it, and some are not evaluated yet.
    Blocked(Vec<SubmissionId>),
    /// Several unordered signals could.
    Ambiguous(Vec<SubmissionId>),
    /// No signal could.
    Never,
}

/// What a submission needs before it is evaluated.
pub(super) enum Look {
    /// It may be evaluated, after these signals; these waits of it are wrong.
    Ready(Vec<SubmissionId>, Vec<(Wait, WaitState)>),
    /// Its waits that are blocked, each with the signals that could satisfy it.
    Blocked(Vec<(Wait, Vec<SubmissionId>)>),
    /// It stops queues whose submissions are not all evaluated.
    Stops,
}

pub(super) struct Resolver<'t, 's> {
    pub(super) timeline: &'t mut Timeline<'s>,
    pub(super) steps: &'t IndexMap<SubmissionId, Vec<ListStep>>,
    pub(super) cuts: &'t [Cut],
    /// For each actor, its latest submission that is evaluated, the one after it, and how many are.
    latest: Vec<Option<SubmissionId>>,
    next: Vec<Option<SubmissionId>>,
    evaluated: Vec<u32>,
    /// Signals that are given, those of resets included.
    lasting: Signals,
    /// Signals as if there were no reset, for what a reset drops; `None` without resets.
    all: Option<Signals>,
    /// For each fence, the signals that set it back, in order of evaluation.
    set_back: Table<FenceId, Vec<(SubmissionId, u64)>>,
    /// Destroyed objects that end waits of processes.
    wakes: Vec<Wake>,
    /// Like the clocks, of what is over when a queue's front end comes to a submission; only if a fence needs it.
    fronts: Option<Vec<u32>>,
    /// A row of clocks that is used again.
    known: Vec<u32>,
}

/// Fills the timeline's clocks, evaluation order and fence problems.
pub(super) fn resolve(timeline: &mut Timeline<'_>) {
    let steps = signals::list_steps(timeline);
    let mut cuts: Vec<Cut> = Vec::new();
    // What a reset drops depends on what is over before it, which the resets before it decide.
    for reset in resets::effective(timeline) {
        Resolver::new(timeline, &steps, &cuts).run();
        let cut = Cut::new(timeline, reset, &cuts);
        cuts.push(cut);
    }
    Resolver::new(timeline, &steps, &cuts).run();
    timeline.resets = cuts.iter().map(|cut| cut.effect(timeline)).collect();
}

impl<'t, 's> Resolver<'t, 's> {
    fn new(
        timeline: &'t mut Timeline<'s>,
        steps: &'t IndexMap<SubmissionId, Vec<ListStep>>,
        cuts: &'t [Cut],
    ) -> Self {
        let actors = timeline.actors;
        let count = timeline.submissions.len();
        timeline.clocks = Clocks::new(actors);
        timeline.wait_edges.clear();
        timeline.evaluation = EvaluationOrder::default();
        timeline.fence_problems = Vec::new();
        let scenario = timeline.scenario;
        let fences = &scenario.fences;
        let early = fences.values().any(Fence::is_top_of_pipeline);
        let queues = scenario.queues.ids();
        let all = queues.map(Actor::Queue).chain([Actor::Cpu]);
        let first = |actor| timeline.submissions.next_of(actor, SubmissionId(0));
        Self {
            steps,
            cuts,
            latest: vec![None; actors],
            next: all.map(first).collect(),
            evaluated: vec![0; actors],
            lasting: Signals::lasting(timeline, steps, cuts),
            all: (!cuts.is_empty()).then(|| Signals::all(timeline, steps)),
            set_back: Table::filled(fences.len(), Vec::new()),
            wakes: super::objects::wakes(timeline),
            fronts: early.then(|| vec![0; count * actors]),
            known: Vec::new(),
            timeline,
        }
    }

    /// Evaluates the ready submission that comes first on the timeline, until none is left.
    fn run(mut self) {
        let total = self.timeline.submissions.len();
        let mut heads = Heads::new(self.timeline.actors, self.timeline.scenario.fences.len());
        while self.timeline.evaluation.len() < total {
            while let Some(actor) = heads.next_unknown() {
                let fences = self.head(actor).into_iter().flat_map(|id| self.waits(id));
                let (head, signal) = self.look_at_head(actor);
                heads.know(actor, head, signal, fences.map(|w| w.fence));
            }
            if let Some((id, signals, wrong)) = heads.take_first() {
                for (wait, state) in wrong {
                    self.report(wait, state);
                }
                self.evaluate(id, &signals);
                self.forget(id, &mut heads);
            } else {
                self.break_deadlock();
                heads.forget_all();
            }
        }
    }

    /// What an actor's next submission waits for, and one of the signals that must be evaluated before it can be ready.
    fn look_at_head(&self, actor: usize) -> (Head, Option<SubmissionId>) {
        let Some(id) = self.head(actor).filter(|id| !self.is_unsubmitted(*id)) else {
            return (Head::Waits, None);
        };
        match self.look(id) {
            Look::Ready(signals, wrong) => (Head::Ready((id, signals, wrong)), None),
            Look::Blocked(blocked) => {
                let mut signals = blocked.into_iter().flat_map(|(_, signals)| signals);
                (Head::Waits, signals.find(|signal| !self.is_done(*signal)))
            }
            Look::Stops => (Head::Waits, None),
        }
    }

    /// Forgets what may be otherwise after a submission was evaluated: a signal concerns who waits for it, or for its fence
    /// where that is set back, and what the CPU or a process does, or a call with steps inside, may concern anybody.
    fn forget(&self, id: SubmissionId, heads: &mut Heads) {
        let submission = self.timeline.submission(id);
        let scenario = self.timeline.scenario;
        let is_gpu = match submission.actor {
            Actor::Queue(queue) => scenario.queue(queue).is_gpu(),
            Actor::Cpu => false,
        };
        match submission.kind {
            SubmissionKind::Signal { fence, .. } if is_gpu && self.cuts.is_empty() => {
                heads.forget_waiting_for(id);
                if !self.set_back[fence].is_empty() {
                    heads.forget_waiting(fence);
                }
            }
            SubmissionKind::Execute
            | SubmissionKind::Wait { .. }
            | SubmissionKind::Present { .. }
                if is_gpu && self.cuts.is_empty() && !self.steps.contains_key(&id) => {}
            _ => heads.forget_all(),
        }
    }

    pub(super) fn head(&self, actor: usize) -> Option<SubmissionId> {
        self.next[actor]
    }

    /// Whether it is evaluated.
    pub(super) fn is_done(&self, id: SubmissionId) -> bool {
        let submission = self.timeline.submission(id);
        submission.sequence < self.evaluated[self.timeline.actor_index(submission.actor)]
    }

    /// Whether who submits it has not come to the statement yet.
    pub(super) fn is_unsubmitted(&self, id: SubmissionId) -> bool {
        self.timeline
            .submission(id)
            .submitter
            .is_some_and(|before| !self.is_done(before))
    }

    /// Index of the actor that submits it.
    pub(super) fn submitter_of(&self, id: SubmissionId) -> usize {
        let before = self.timeline.submission(id).submitter;
        let actor = before.map_or(Actor::Cpu, |b| self.timeline.submission(b).actor);
        self.timeline.actor_index(actor)
    }

    /// The reset that drops a submission.
    pub(super) fn dropped_by(&self, id: SubmissionId) -> Option<&'t Cut> {
        self.cuts.iter().find(|cut| cut.drops(self.timeline, id))
    }

    pub(super) fn waits(&self, id: SubmissionId) -> impl Iterator<Item = Wait> + use<'t, 's> {
        let submission = self.timeline.submission(id);
        let own = match submission.kind {
            SubmissionKind::Wait { fence, value } => Some(Wait {
                submission: id,
                fence,
                value,
                span: submission.statement.span,
                step: None,
            }),
            _ => None,
        };
        let steps = match submission.kind {
            SubmissionKind::Execute => self.steps.get(&id).map_or(&[][..], Vec::as_slice),
            _ => &[],
        };
        let inside = steps.iter().enumerate().filter(|(_, step)| !step.signal);
        own.into_iter().chain(inside.map(move |(index, step)| Wait {
            submission: id,
            fence: step.fence,
            value: step.value,
            span: step.span,
            step: Some(index),
        }))
    }

    pub(super) fn look(&self, id: SubmissionId) -> Look {
        if let Some(cut) = self.cuts.iter().find(|cut| cut.reset == id) {
            let runs = |queue: QueueId| {
                cut.finished[queue].is_some() && self.head(queue.index()).is_some()
            };
            if cut.finished.ids().any(runs) {
                return Look::Stops;
            }
        }
        let (mut signals, mut wrong, mut blocked) = (Vec::new(), Vec::new(), Vec::new());
        for wait in self.waits(id) {
            match self.wait_state(&wait) {
                WaitState::Ready(signal) => signals.extend(signal),
                WaitState::Blocked(candidates) => blocked.push((wait, candidates)),
                state => wrong.push((wait, state)),
            }
        }
        if blocked.is_empty() {
            Look::Ready(signals, wrong)
        } else {
            Look::Blocked(blocked)
        }
    }

    pub(super) fn wait_state(&self, wait: &Wait) -> WaitState {
        let lower = self.set_back_before(wait);
        let initial = self.timeline.scenario.fences[wait.fence].initial;
        if initial >= wait.value && lower.is_empty() || self.is_signalled_inside(wait) {
            return WaitState::Ready(None);
        }
        let candidates = self.candidates(wait, &lower);
        if candidates.is_empty() {
            return WaitState::Never;
        }
        if candidates.iter().any(|c| !self.is_done(*c)) {
            return WaitState::Blocked(candidates);
        }
        match self.least(&candidates) {
            Some(signal) => WaitState::Ready(Some(signal)),
            None => WaitState::Ambiguous(candidates),
        }
    }

    /// Whether a signal barrier before it in the same call satisfies a wait barrier.
    fn is_signalled_inside(&self, wait: &Wait) -> bool {
        let Some(step) = wait.step else { return false };
        let earlier = &self.steps[&wait.submission][..step];
        let last = earlier.iter().rfind(|s| s.signal && s.fence == wait.fence);
        last.is_some_and(|s| s.value >= wait.value)
    }

    /// Signals below the value that set the fence back and are over when the wait starts.
    fn set_back_before(&self, wait: &Wait) -> Vec<SubmissionId> {
        let over = |signal: SubmissionId| {
            let waits = self.timeline.submission(wait.submission);
            let previous = self.latest[self.timeline.actor_index(waits.actor)];
            [previous, waits.submitter]
                .into_iter()
                .flatten()
                .any(|before| before == signal || self.timeline.happens_before(signal, before))
        };
        self.set_back[wait.fence]
            .iter()
            .filter(|(signal, value)| *value < wait.value && over(*signal))
            .map(|(signal, _)| *signal)
            .collect()
    }

    /// The first signal of each actor that reaches the value and is not set back by one of `lower`. Signals that the
    /// waiting actor itself submits later come after the wait and cannot satisfy it.
    fn candidates(&self, wait: &Wait, lower: &[SubmissionId]) -> Vec<SubmissionId> {
        let actor = self.timeline.submission(wait.submission).actor;
        let own = self.timeline.actor_index(actor);
        let dropped = self.dropped_by(wait.submission);
        let signals = self.signals_before(dropped);
        let wakes = self
            .wakes
            .iter()
            .filter(|wake| wake.ends(self.timeline, wait.fence, wait.submission))
            .map(|wake| wake.submission);
        let rows = signals.rows(wait.fence).iter();
        rows.filter_map(|(actor, row)| {
            let first = if lower.is_empty() {
                row.first_reaching(wait.value)
            } else {
                let lasts =
                    |s: SubmissionId| !lower.iter().any(|l| self.timeline.happens_before(s, *l));
                let mut reaching = row.signals.iter().filter(|s| s.value >= wait.value);
                reaching.find(|s| lasts(s.id)).map(|s| s.id)
            };
            first
                .filter(|signal| *actor != own || *signal < wait.submission)
                .filter(|signal| dropped.is_none_or(|cut| *signal < cut.reset))
        })
        .chain(wakes)
        .collect()
    }

    /// The signals that a wait sees: what a reset drops was submitted as if there were none.
    fn signals_before(&self, dropped: Option<&Cut>) -> &Signals {
        match (dropped, &self.all) {
            (Some(_), Some(all)) => all,
            _ => &self.lasting,
        }
    }

    /// The signal that happens before all the others, if there is one.
    pub(super) fn least(&self, candidates: &[SubmissionId]) -> Option<SubmissionId> {
        candidates
            .iter()
            .find(|a| {
                candidates
                    .iter()
                    .all(|b| *a == b || self.timeline.happens_before(**a, *b))
            })
            .copied()
    }

    pub(super) fn evaluate(&mut self, id: SubmissionId, signals: &[SubmissionId]) {
        let submission = self.timeline.submission(id);
        let actor = self.timeline.actor_index(submission.actor);
        self.join_clocks(id, &submission, signals);
        self.join_fronts(id, &submission, signals);
        match submission.kind {
            SubmissionKind::Signal { fence, value } => {
                self.check_raise(id, fence, value, submission.statement.span);
            }
            SubmissionKind::Execute if !self.steps.is_empty() => self.check_inside(id),
            _ => {}
        }
        // A signal from the top of the pipeline orders nothing of what comes before it.
        let signal = signals.first().copied().filter(|s| !self.is_early(*s));
        self.timeline
            .wait_edges
            .extend(signal.map(|signal| (id, signal)));
        self.timeline.evaluation.push(id);
        self.latest[actor] = Some(id);
        self.evaluated[actor] += 1;
        let after = SubmissionId(id.0 + 1);
        self.next[actor] = self.timeline.submissions.next_of(submission.actor, after);
    }

    /// What is over when a submission starts: what was when the one before it did, that one, and what it comes after.
    fn join_clocks(
        &mut self,
        id: SubmissionId,
        submission: &Submission<'_>,
        signals: &[SubmissionId],
    ) {
        let cut = self.cuts.iter().find(|cut| cut.reset == id);
        if submission.submitter.is_none() && signals.is_empty() && cut.is_none() {
            return;
        }
        let actor = self.timeline.actor_index(submission.actor);
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        known.extend_from_slice(self.timeline.clocks.latest(actor));
        if let Some(before) = submission.submitter {
            self.join(&mut known, before);
        }
        for signal in signals {
            if self.is_early(*signal) {
                self.join_early(&mut known, *signal);
            } else {
                self.join(&mut known, *signal);
            }
        }
        let stopped = cut.map_or(&[][..], |cut| &cut.finished);
        for queue in (0..stopped.len()).filter(|q| stopped[*q].is_some()) {
            if let Some(last) = self.latest[queue] {
                self.join(&mut known, last);
            }
        }
        known[actor] = 0;
        let clocks = &mut self.timeline.clocks;
        clocks.learn(actor, submission.sequence, &known);
        self.known = known;
    }

    /// What is over when `before` is over is known, `before` included.
    fn join(&self, known: &mut [u32], before: SubmissionId) {
        let clock = self.timeline.clock(before);
        clock.join_into(known);
        let other = self.timeline.submission(before);
        let known = &mut known[self.timeline.actor_index(other.actor)];
        *known = (*known).max(other.sequence + 1);
    }

    /// Whether the signal is given before the work in front of it is over.
    fn is_early(&self, signal: SubmissionId) -> bool {
        let submission = self.timeline.submission(signal);
        let SubmissionKind::Signal { fence, .. } = submission.kind else {
            return false;
        };
        submission.actor != Actor::Cpu && self.timeline.scenario.fences[fence].is_top_of_pipeline()
    }

    /// What the front end knew at a signal from the top of the pipeline is known.
    fn join_early(&self, known: &mut [u32], signal: SubmissionId) {
        if let Some(fronts) = &self.fronts {
            let front = &fronts[signal.index() * known.len()..];
            for (known, front) in known.iter_mut().zip(front) {
                *known = (*known).max(*front);
            }
        }
    }

    /// What is over when the front end comes to `id`: what it waited for before, and what it waits for now.
    fn join_fronts(
        &mut self,
        id: SubmissionId,
        submission: &Submission<'_>,
        signals: &[SubmissionId],
    ) {
        let Some(mut fronts) = self.fronts.take() else {
            return;
        };
        let actors = self.timeline.actors;
        let previous = self.latest[self.timeline.actor_index(submission.actor)];
        let over = submission.submitter.into_iter();
        let over = over.chain(signals.iter().copied().filter(|s| !self.is_early(*s)));
        let early = signals.iter().copied().filter(|s| self.is_early(*s));
        for a in 0..actors {
            let mut known = 0;
            for before in previous.into_iter().chain(early.clone()) {
                known = known.max(fronts[before.index() * actors + a]);
            }
            for before in over.clone() {
                known = known.max(self.timeline.clock(before).over(a));
                let other = self.timeline.submission(before);
                if self.timeline.actor_index(other.actor) == a {
                    known = known.max(other.sequence + 1);
                }
            }
            fronts[id.index() * actors + a] = known;
        }
        self.fronts = Some(fronts);
    }
}
