//! A machine of queues, a CPU and fences that takes one step at a time in any order. It knows no vector clocks.
//!
//! Each queue has a front end, which takes what the CPU has submitted in order, and a back end, which retires it in
//! order. The front end stops at a wait. A fence is raised when its signal retires, or, from the top of the pipeline,
//! when the front end takes it. A fence keeps the greatest value that it was given.

use std::collections::HashSet;
use syncscope::id::{FenceId, SubmissionId};
use syncscope::order::{Actor, SubmissionKind, Timeline};

/// How far each actor has come: the CPU's steps, then front and back of each queue.
pub(super) type State = Vec<usize>;

pub(super) struct Machine<'t, 's> {
    timeline: &'t Timeline<'s>,
    /// Submissions of each queue, then of the CPU.
    of: Vec<Vec<usize>>,
}

impl<'t, 's> Machine<'t, 's> {
    pub(super) fn new(timeline: &'t Timeline<'s>) -> Self {
        let mut of = vec![Vec::new(); timeline.scenario.queues.len() + 1];
        for (index, submission) in timeline.submissions.iter().enumerate() {
            match submission.actor {
                Actor::Queue(queue) => of[queue.index()].push(index),
                Actor::Cpu => of.last_mut().expect("the CPU").push(index),
            }
        }
        Self { timeline, of }
    }

    fn queues(&self) -> usize {
        self.of.len() - 1
    }

    pub(super) fn is_early(&self, id: SubmissionId) -> bool {
        let submission = self.timeline.submission(id);
        match submission.kind {
            SubmissionKind::Signal { fence, .. } => {
                submission.actor != Actor::Cpu
                    && self.timeline.scenario.fences[fence].is_top_of_pipeline()
            }
            _ => false,
        }
    }

    /// The CPU's place, then front and back of queue `q` at `1 + 2q` and `2 + 2q`.
    fn start(&self) -> State {
        vec![0; 1 + 2 * self.queues()]
    }

    pub(super) fn is_over(&self, state: &State) -> bool {
        state[0] == self.of[self.queues()].len()
            && (0..self.queues()).all(|q| state[2 + 2 * q] == self.of[q].len())
    }

    /// Whether a submission has retired.
    fn retired(&self, state: &State, index: usize) -> bool {
        match self.timeline.submission(SubmissionId::new(index)).actor {
            Actor::Queue(queue) => {
                let q = queue.index();
                self.of[q][..state[2 + 2 * q]].contains(&index)
            }
            Actor::Cpu => self.of[self.queues()][..state[0]].contains(&index),
        }
    }

    fn value(&self, state: &State, fence: FenceId) -> u64 {
        let mut value = self.timeline.scenario.fences[fence].initial;
        for (index, submission) in self.timeline.submissions.iter().enumerate() {
            let SubmissionKind::Signal {
                fence: of,
                value: to,
            } = submission.kind
            else {
                continue;
            };
            if of != fence {
                continue;
            }
            let given = match submission.actor {
                Actor::Queue(queue) if self.is_early(SubmissionId::new(index)) => {
                    let q = queue.index();
                    self.of[q][..state[1 + 2 * q]].contains(&index)
                }
                _ => self.retired(state, index),
            };
            if given {
                value = value.max(to);
            }
        }
        value
    }

    fn may_pass(&self, state: &State, index: usize) -> bool {
        match self.timeline.submission(SubmissionId::new(index)).kind {
            SubmissionKind::Wait { fence, value } => self.value(state, fence) >= value,
            _ => true,
        }
    }

    /// Every step that can be taken, with the submission that retires in it.
    fn steps(&self, state: &State) -> Vec<(State, Option<usize>)> {
        let mut steps = Vec::new();
        let mut step = |slot: usize, retires: Option<usize>| {
            let mut next = state.clone();
            next[slot] += 1;
            steps.push((next, retires));
        };
        let cpu = &self.of[self.queues()];
        if let Some(index) = cpu.get(state[0])
            && self.may_pass(state, *index)
        {
            step(0, Some(*index));
        }
        // What follows an operation of the CPU is not submitted before it is done.
        let submitted = cpu.get(state[0]).copied().unwrap_or(usize::MAX);
        for q in 0..self.queues() {
            let (front, back) = (state[1 + 2 * q], state[2 + 2 * q]);
            if let Some(index) = self.of[q].get(front)
                && *index < submitted
                && self.may_pass(state, *index)
            {
                step(1 + 2 * q, None);
            }
            if back < front {
                step(2 + 2 * q, Some(self.of[q][back]));
            }
        }
        steps
    }

    /// Where the machine comes to if it always goes on. Values only rise, so the order of steps makes no difference.
    pub(super) fn last(&self) -> State {
        let mut state = self.start();
        while let Some((next, _)) = self.steps(&state).into_iter().next() {
            state = next;
        }
        state
    }

    /// `[a][b]`: whether `b` retires before `a` in some interleaving.
    pub(super) fn overtaken(&self) -> Vec<Vec<bool>> {
        let count = self.timeline.submissions.len();
        let mut overtaken = vec![vec![false; count]; count];
        let mut seen = HashSet::from([self.start()]);
        let mut open = vec![self.start()];
        while let Some(state) = open.pop() {
            for (next, retires) in self.steps(&state) {
                if let Some(b) = retires {
                    for (a, row) in overtaken.iter_mut().enumerate() {
                        row[b] |= a != b && !self.retired(&state, a);
                    }
                }
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        overtaken
    }
}
