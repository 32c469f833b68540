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
//! Cost: O(submissions · actors) and a binary search a wait, once more for each reset that stops something.

mod problems;

pub use problems::{CycleStep, FenceProblem, FenceProblemKind};

use crate::id::SubmissionId;
use crate::order::objects::Wake;
use crate::order::resets::{self, Cut};
use crate::order::signals::{self, ListStep, Signals, Wait};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::scenario::Fence;
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

/// What is known of an actor's next submission.
enum Head {
    /// It is to be looked at.
    Unknown,
    /// There is none, or it is not submitted, or it waits.
    Waits,
    /// It may be evaluated.
    Ready(SubmissionId, Vec<SubmissionId>, Vec<(Wait, WaitState)>),
}

pub(super) struct Resolver<'t, 's> {
    pub(super) timeline: &'t mut Timeline<'s>,
    pub(super) steps: &'t IndexMap<SubmissionId, Vec<ListStep>>,
    pub(super) cuts: &'t [Cut],
    /// Submissions of each actor.
    sequences: Vec<Vec<SubmissionId>>,
    /// How many of them are evaluated.
    cursors: Vec<usize>,
    /// Signals that are given, those of resets included.
    lasting: Signals,
    /// Signals as if there were no reset, for what a reset drops; `None` without resets.
    all: Option<Signals>,
    /// For each fence, the signals that set it back, in order of evaluation.
    set_back: Vec<Vec<(SubmissionId, u64)>>,
    /// For each submission, the last operation before it on the timeline of whoever submits it: the CPU, or a process.
    submitter: Vec<Option<SubmissionId>>,
    /// Destroyed objects that end waits of processes.
    wakes: Vec<Wake>,
    /// Like the clocks, of what is over when a queue's front end comes to a submission; only if a fence needs it.
    fronts: Option<Vec<u32>>,
    pub(super) done: Vec<bool>,
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
        timeline.clocks = vec![0; count * actors];
        timeline.wait_edges.clear();
        timeline.evaluation = Vec::with_capacity(count);
        timeline.fence_problems = Vec::new();
        let scenario = timeline.scenario;
        let fences = &scenario.fences;
        let early = fences.values().any(Fence::is_top_of_pipeline);
        let mut resolver = Self {
            steps,
            cuts,
            sequences: vec![Vec::new(); actors],
            cursors: vec![0; actors],
            lasting: Signals::lasting(timeline, steps, cuts),
            all: (!cuts.is_empty()).then(|| Signals::all(timeline, steps)),
            set_back: vec![Vec::new(); fences.len()],
            submitter: Vec::with_capacity(count),
            wakes: super::objects::wakes(timeline),
            fronts: early.then(|| vec![0; count * actors]),
            done: vec![false; count],
            timeline,
        };
        resolver.index();
        resolver
    }

    fn index(&mut self) {
        let scenario = self.timeline.scenario;
        let mut last_cpu = None;
        let mut last_of: Vec<Option<SubmissionId>> = vec![None; scenario.queues.len()];
        for index in 0..self.timeline.submissions.len() {
            let id = SubmissionId::new(index);
            let submission = self.timeline.submissions[index];
            let actor = self.timeline.actor_index(submission.actor);
            self.sequences[actor].push(id);
            self.submitter.push(match submission.actor {
                Actor::Queue(queue) if scenario.has_processes() => {
                    let gpu = scenario.queue(queue).is_gpu();
                    let process = scenario.process_of(queue).filter(|_| gpu);
                    last_of[queue.index()] = Some(id);
                    process.and_then(|p| last_of[p.index()])
                }
                _ => last_cpu,
            });
            if submission.actor == Actor::Cpu {
                last_cpu = Some(id);
            }
        }
    }

    /// Evaluates the ready submission that comes first on the timeline, until none is left.
    fn run(mut self) {
        let total = self.timeline.submissions.len();
        let mut heads: Vec<Head> = (0..self.timeline.actors).map(|_| Head::Unknown).collect();
        while self.timeline.evaluation.len() < total {
            let mut best: Option<(SubmissionId, usize)> = None;
            for (actor, head) in heads.iter_mut().enumerate() {
                if matches!(head, Head::Unknown) {
                    *head = self.look_at_head(actor);
                }
                if let Head::Ready(id, ..) = head
                    && best.is_none_or(|(b, _)| *id < b)
                {
                    best = Some((*id, actor));
                }
            }
            let ready =
                best.map(|(_, actor)| (actor, std::mem::replace(&mut heads[actor], Head::Unknown)));
            if let Some((_, Head::Ready(id, signals, wrong))) = ready {
                for (wait, state) in wrong {
                    self.report(wait, state);
                }
                self.evaluate(id, &signals);
                self.forget(id, &mut heads);
            } else {
                self.break_deadlock();
                heads.fill_with(|| Head::Unknown);
            }
        }
    }

    /// What an actor's next submission waits for.
    fn look_at_head(&self, actor: usize) -> Head {
        match self.head(actor).filter(|id| !self.is_unsubmitted(*id)) {
            Some(id) => match self.look(id) {
                Look::Ready(signals, wrong) => Head::Ready(id, signals, wrong),
                Look::Blocked(_) | Look::Stops => Head::Waits,
            },
            None => Head::Waits,
        }
    }

    /// Forgets what may be otherwise after a submission was evaluated: a signal concerns who waits for its fence, and what
    /// the CPU or a process does, or a call with steps inside, may concern anybody.
    fn forget(&self, id: SubmissionId, heads: &mut [Head]) {
        let submission = self.timeline.submissions[id.index()];
        let scenario = self.timeline.scenario;
        let is_gpu = match submission.actor {
            Actor::Queue(queue) => scenario.queue(queue).is_gpu(),
            Actor::Cpu => false,
        };
        match submission.kind {
            SubmissionKind::Signal { fence, .. } if is_gpu && self.cuts.is_empty() => {
                for (actor, head) in heads.iter_mut().enumerate() {
                    let next = self.head(actor);
                    if next.is_some_and(|next| self.waits(next).any(|wait| wait.fence == fence)) {
                        *head = Head::Unknown;
                    }
                }
            }
            SubmissionKind::Execute
            | SubmissionKind::Wait { .. }
            | SubmissionKind::Present { .. }
                if is_gpu && self.cuts.is_empty() && !self.steps.contains_key(&id) => {}
            _ => heads.fill_with(|| Head::Unknown),
        }
    }

    pub(super) fn head(&self, actor: usize) -> Option<SubmissionId> {
        self.sequences[actor].get(self.cursors[actor]).copied()
    }

    /// Whether who submits it has not come to the statement yet.
    pub(super) fn is_unsubmitted(&self, id: SubmissionId) -> bool {
        self.submitter[id.index()].is_some_and(|before| !self.done[before.index()])
    }

    /// Index of the actor that submits it.
    pub(super) fn submitter_of(&self, id: SubmissionId) -> usize {
        let before = self.submitter[id.index()];
        let actor = before.map_or(Actor::Cpu, |b| self.timeline.submission(b).actor);
        self.timeline.actor_index(actor)
    }

    /// The reset that drops a submission.
    pub(super) fn dropped_by(&self, id: SubmissionId) -> Option<&'t Cut> {
        self.cuts.iter().find(|cut| cut.drops(self.timeline, id))
    }

    pub(super) fn waits(&self, id: SubmissionId) -> impl Iterator<Item = Wait> + use<'t, 's> {
        let submission = self.timeline.submissions[id.index()];
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
            let runs = |queue: usize| {
                cut.finished[queue].is_some() && self.cursors[queue] < self.sequences[queue].len()
            };
            if (0..cut.finished.len()).any(runs) {
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
        let initial = self.timeline.scenario.fences[wait.fence.index()].initial;
        if initial >= wait.value && lower.is_empty() || self.is_signalled_inside(wait) {
            return WaitState::Ready(None);
        }
        let candidates = self.candidates(wait, &lower);
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
            let actor = self.timeline.submissions[wait.submission.index()].actor;
            let own = &self.sequences[self.timeline.actor_index(actor)];
            let sequence = self.timeline.submissions[wait.submission.index()].sequence as usize;
            let previous = sequence.checked_sub(1).map(|at| own[at]);
            [previous, self.submitter[wait.submission.index()]]
                .into_iter()
                .flatten()
                .any(|before| before == signal || self.timeline.happens_before(signal, before))
        };
        self.set_back[wait.fence.index()]
            .iter()
            .filter(|(signal, value)| *value < wait.value && over(*signal))
            .map(|(signal, _)| *signal)
            .collect()
    }

    /// The first signal of each actor that reaches the value and is not set back by one of `lower`. Signals that the
    /// waiting actor itself submits later come after the wait and cannot satisfy it.
    fn candidates(&self, wait: &Wait, lower: &[SubmissionId]) -> Vec<SubmissionId> {
        let actor = self.timeline.submissions[wait.submission.index()].actor;
        let own = self.timeline.actor_index(actor);
        let dropped = self.dropped_by(wait.submission);
        let signals = self.signals_before(dropped);
        let wakes = self
            .wakes
            .iter()
            .filter(|wake| wake.ends(self.timeline, wait.fence, wait.submission))
            .map(|wake| wake.submission);
        (0..self.timeline.actors)
            .filter_map(|actor| {
                let row = signals.row(wait.fence, actor);
                let first = if lower.is_empty() {
                    row.first_reaching(wait.value)
                } else {
                    let lasts = |s: SubmissionId| {
                        !lower.iter().any(|l| self.timeline.happens_before(s, *l))
                    };
                    let mut reaching = row.signals.iter().filter(|s| s.value >= wait.value);
                    reaching.find(|s| lasts(s.id)).map(|s| s.id)
                };
                first
                    .filter(|signal| actor != own || *signal < wait.submission)
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
        let submission = self.timeline.submissions[id.index()];
        let actor = self.timeline.actor_index(submission.actor);
        let previous = self.cursors[actor]
            .checked_sub(1)
            .map(|at| self.sequences[actor][at]);
        for before in previous.into_iter().chain(self.submitter[id.index()]) {
            self.join(id, before);
        }
        for signal in signals {
            if !self.join_early(id, *signal) {
                self.join(id, *signal);
            }
        }
        self.join_fronts(id, previous, signals);
        if let Some(cut) = self.cuts.iter().find(|cut| cut.reset == id) {
            for queue in (0..cut.finished.len()).filter(|q| cut.finished[*q].is_some()) {
                if let Some(last) = self.sequences[queue].last() {
                    self.join(id, *last);
                }
            }
        }
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
        self.cursors[actor] += 1;
        self.done[id.index()] = true;
    }

    /// What is over when `before` is over is over when `id` starts, `before` included.
    fn join(&mut self, id: SubmissionId, before: SubmissionId) {
        let actors = self.timeline.actors;
        for a in 0..actors {
            let known = self.timeline.clocks[before.index() * actors + a];
            let slot = &mut self.timeline.clocks[id.index() * actors + a];
            *slot = (*slot).max(known);
        }
        let other = self.timeline.submissions[before.index()];
        let actor = self.timeline.actor_index(other.actor);
        let slot = &mut self.timeline.clocks[id.index() * actors + actor];
        *slot = (*slot).max(other.sequence + 1);
    }

    /// Whether the signal is given before the work in front of it is over.
    fn is_early(&self, signal: SubmissionId) -> bool {
        let submission = &self.timeline.submissions[signal.index()];
        let SubmissionKind::Signal { fence, .. } = submission.kind else {
            return false;
        };
        submission.actor != Actor::Cpu
            && self.timeline.scenario.fences[fence.index()].is_top_of_pipeline()
    }

    /// Joins what the front end knew at a signal from the top of the pipeline. `false`: the signal is none.
    fn join_early(&mut self, id: SubmissionId, signal: SubmissionId) -> bool {
        let early = self.is_early(signal);
        if let Some(fronts) = self.fronts.as_ref().filter(|_| early) {
            let actors = self.timeline.actors;
            for a in 0..actors {
                let known = fronts[signal.index() * actors + a];
                let slot = &mut self.timeline.clocks[id.index() * actors + a];
                *slot = (*slot).max(known);
            }
        }
        early
    }

    /// What is over when the front end comes to `id`: what it waited for before, and what it waits for now.
    fn join_fronts(
        &mut self,
        id: SubmissionId,
        previous: Option<SubmissionId>,
        signals: &[SubmissionId],
    ) {
        let Some(mut fronts) = self.fronts.take() else {
            return;
        };
        let actors = self.timeline.actors;
        let over = self.submitter[id.index()].into_iter();
        let over = over.chain(signals.iter().copied().filter(|s| !self.is_early(*s)));
        let early = signals.iter().copied().filter(|s| self.is_early(*s));
        for a in 0..actors {
            let mut known = 0;
            for before in previous.into_iter().chain(early.clone()) {
                known = known.max(fronts[before.index() * actors + a]);
            }
            for before in over.clone() {
                known = known.max(self.timeline.clocks[before.index() * actors + a]);
                let other = &self.timeline.submissions[before.index()];
                if self.timeline.actor_index(other.actor) == a {
                    known = known.max(other.sequence + 1);
                }
            }
            fronts[id.index() * actors + a] = known;
        }
        self.fronts = Some(fronts);
    }
}
