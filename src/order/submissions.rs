//! The submissions of a timeline. What a `repeat` submits is kept once, with what each turn adds to its numbers, so that
//! memory grows with the text and not with the calls that it makes.
//!
//! Finding a submission costs a binary search among the runs: a repeat is one run, and so are the statements between two.

use super::{Submission, SubmissionKind};
use crate::id::{NodeId, SubmissionId, narrow};
use crate::order::Actor;

/// Submissions in the CPU's order.
#[derive(Debug, Default)]
pub struct Submissions<'s> {
    runs: Vec<Run<'s>>,
    len: u32,
}

/// Turns of equal submissions.
#[derive(Debug)]
struct Run<'s> {
    /// Id and node of the first submission.
    first: u32,
    first_node: NodeId,
    turns: u32,
    /// Nodes of a turn.
    nodes: u32,
    /// The first turn.
    turn: Vec<Submission<'s>>,
    /// What each further turn adds to each of its submissions; empty if there is none.
    steps: Vec<Turn>,
    /// Places in the turn, by actor, ascending.
    by_actor: Vec<u32>,
}

/// What a turn adds to a submission.
#[derive(Copy, Clone, Debug)]
struct Turn {
    ordinal: u32,
    sequence: u32,
    submitter: u32,
    /// To the value that it signals or waits for, up to the greatest that there is.
    value: u64,
}

impl Turn {
    /// From one turn to the next.
    fn between(one: &Submission<'_>, next: &Submission<'_>) -> Self {
        let id = |submission: &Submission<'_>| submission.submitter.map_or(0, |id| id.0);
        Self {
            ordinal: next.first_ordinal - one.first_ordinal,
            sequence: next.sequence - one.sequence,
            submitter: id(next) - id(one),
            value: value(one.kind)
                .zip(value(next.kind))
                .map_or(0, |(one, next)| next - one),
        }
    }
}

/// The fence value of a signal or wait.
fn value(kind: SubmissionKind) -> Option<u64> {
    match kind {
        SubmissionKind::Signal { value, .. } | SubmissionKind::Wait { value, .. } => Some(value),
        _ => None,
    }
}

impl<'s> Run<'s> {
    fn get(&self, turn: u32, place: usize) -> Submission<'s> {
        let mut submission = self.turn[place];
        if turn == 0 {
            return submission;
        }
        let step = &self.steps[place];
        submission.first_node.0 += turn * self.nodes;
        submission.first_ordinal += turn * step.ordinal;
        submission.sequence += turn * step.sequence;
        if let Some(id) = &mut submission.submitter {
            id.0 += turn * step.submitter;
        }
        if let SubmissionKind::Signal { value, .. } | SubmissionKind::Wait { value, .. } =
            &mut submission.kind
        {
            *value = value.saturating_add(step.value.saturating_mul(turn.into()));
        }
        submission
    }

    fn id(&self, turn: u32, place: usize) -> SubmissionId {
        SubmissionId(self.first + turn * narrow(self.turn.len()) + narrow(place))
    }

    /// The place of the first submission of an actor from `place` on.
    fn next_of(&self, actor: Actor, place: usize) -> Option<usize> {
        let key = |at: u32| (self.turn[at as usize].actor, at as usize);
        let from = self
            .by_actor
            .partition_point(|at| key(*at) < (actor, place));
        let (by, at) = key(*self.by_actor.get(from)?);
        (by == actor).then_some(at)
    }
}

impl<'s> Submissions<'s> {
    /// Number of submissions.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A submission.
    ///
    /// # Panics
    /// If there is none with this id.
    pub fn get(&self, id: SubmissionId) -> Submission<'s> {
        let (run, turn, place) = self.place(id);
        self.runs[run].get(turn, place)
    }

    /// All of them, by id.
    pub fn iter(&self) -> impl Iterator<Item = Submission<'s>> + '_ {
        self.runs.iter().flat_map(|run| {
            let places = move |turn| (0..run.turn.len()).map(move |at| run.get(turn, at));
            (0..run.turns).flat_map(places)
        })
    }

    /// The submission that a node is of.
    pub(super) fn of_node(&self, node: NodeId) -> SubmissionId {
        let run = &self.runs[self.runs.partition_point(|r| r.first_node <= node) - 1];
        let nodes = node.0 - run.first_node.0;
        let turn = nodes
            .checked_div(run.nodes)
            .map_or(run.turns - 1, |turn| turn.min(run.turns - 1));
        let in_first = NodeId(node.0 - turn * run.nodes);
        let after = run.turn.partition_point(|s| s.first_node <= in_first);
        run.id(turn, after - 1)
    }

    /// The first submission of an actor from `id` on.
    pub(super) fn next_of(&self, actor: Actor, id: SubmissionId) -> Option<SubmissionId> {
        if id.0 >= self.len {
            return None;
        }
        let (at, turn, place) = self.place(id);
        let run = &self.runs[at];
        if let Some(place) = run.next_of(actor, place) {
            return Some(run.id(turn, place));
        }
        if turn + 1 < run.turns
            && let Some(place) = run.next_of(actor, 0)
        {
            return Some(run.id(turn + 1, place));
        }
        self.runs[at + 1..]
            .iter()
            .find_map(|run| run.next_of(actor, 0).map(|place| run.id(0, place)))
    }

    /// The run, the turn and the place in it of a submission.
    fn place(&self, id: SubmissionId) -> (usize, u32, usize) {
        assert!(id.0 < self.len, "a submission of this timeline");
        let at = self.runs.partition_point(|run| run.first <= id.0) - 1;
        let run = &self.runs[at];
        let (since, each) = (id.0 - run.first, narrow(run.turn.len()));
        if run.turns == 1 {
            return (at, 0, since as usize);
        }
        (at, since / each, (since % each) as usize)
    }

    /// Adds one.
    pub(super) fn push(&mut self, submission: Submission<'s>) {
        match self.runs.last_mut() {
            Some(run) if run.turns == 1 => run.turn.push(submission),
            _ => self.runs.push(Run {
                first: self.len,
                first_node: submission.first_node,
                turns: 1,
                nodes: 0,
                turn: vec![submission],
                steps: Vec::new(),
                by_actor: Vec::new(),
            }),
        }
        self.len += 1;
    }

    /// Adds `turns` turns, of which the first two say what the others are.
    pub(super) fn push_turns(
        &mut self,
        first: Vec<Submission<'s>>,
        second: &[Submission<'s>],
        turns: u32,
    ) {
        let (Some(one), Some(next)) = (first.first(), second.first()) else {
            return;
        };
        let len = narrow(first.len());
        self.runs.push(Run {
            first: self.len,
            first_node: one.first_node,
            turns,
            nodes: next.first_node.0 - one.first_node.0,
            steps: first
                .iter()
                .zip(second)
                .map(|(a, b)| Turn::between(a, b))
                .collect(),
            turn: first,
            by_actor: Vec::new(),
        });
        self.len += turns * len;
    }

    /// Nothing is added any more.
    pub(super) fn close(&mut self) {
        for run in &mut self.runs {
            run.turn.shrink_to_fit();
            run.by_actor = (0..narrow(run.turn.len())).collect();
            run.by_actor.sort_by_key(|at| run.turn[*at as usize].actor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;
    use crate::order::Timeline;
    use crate::scenario;

    const DECLARED: &str = "queue a : direct\nqueue b : copy\nfence f\nfence g\nbuffer x : 4KiB\nbuffer y : 4KiB\n\
        list one : direct { copy x -> y }\n\
        list two : direct { copy x -> y\n barrier { global { sync COPY -> COPY; access COPY_DEST -> COPY_DEST } } }\n";

    /// Everything about every submission but its place in the text.
    fn all(timeline: &Timeline<'_>) -> Vec<String> {
        let each = timeline.submissions.iter().enumerate().map(|(index, s)| {
            let id = SubmissionId::new(index);
            assert_eq!(
                format!("{s:?}"),
                format!("{:?}", timeline.submission(id)),
                "the walk and the look-up"
            );
            for node in 0..s.nodes {
                assert_eq!(timeline.submission_of(NodeId(s.first_node.0 + node)), id);
            }
            let actors = timeline.scenario.queues.ids();
            let actors = actors.map(Actor::Queue).chain([Actor::Cpu]);
            let next: Vec<_> = actors
                .map(|actor| timeline.submissions.next_of(actor, id))
                .collect();
            let clock = timeline.clock(id);
            let over: Vec<u32> = (0..timeline.actor_count()).map(|a| clock.over(a)).collect();
            let signal = timeline.awaited_signal(id);
            format!(
                "{:?} {:?} {:?} {} {} {} {:?} {next:?} {over:?} {signal:?}",
                s.actor, s.kind, s.first_node, s.nodes, s.first_ordinal, s.sequence, s.submitter
            )
        });
        let mut lines: Vec<String> = each.collect();
        lines.extend(timeline.evaluation.iter().map(|id| format!("{id:?}")));
        lines.extend(
            timeline
                .fence_problems
                .iter()
                .map(|problem| format!("{:?} {:?}", problem.kind, problem.submission)),
        );
        lines
    }

    fn lines(statements: &str) -> (Vec<String>, usize) {
        let text = format!("{DECLARED}timeline {{\n{statements}}}\n");
        let (scenario, findings) = scenario::parse(&Source::new("repeat.scn", text));
        assert!(findings.is_empty(), "{findings:?}");
        let timeline = Timeline::new(&scenario);
        (all(&timeline), timeline.submissions.runs.len())
    }

    /// Every body of up to three of these statements, repeated, against the same text written out.
    #[test]
    fn a_repeat_is_its_turns_written_out() {
        let statements = [
            "a execute one\n",
            "b execute { copy y -> x }\n",
            "a execute two, one\n",
            "a signal f +1\n",
            "b wait f +0\n",
            "b signal g 18446744073709551610\n",
            "a signal g +4\n",
            "cpu work 1us\n",
            "cpu wait f +0\n",
            "repeat 2 { b signal f +2\n a execute one\n }\n",
            "reset queue a\n",
        ];
        let mut bodies = vec![String::new()];
        for _ in 0..3 {
            let longer: Vec<String> = bodies
                .iter()
                .flat_map(|body| statements.iter().map(move |s| format!("{body}{s}")))
                .collect();
            bodies.extend(longer);
            bodies.sort();
            bodies.dedup();
        }
        for body in bodies {
            let around = |middle: &str| {
                format!("a execute one\n{middle}b execute {{ copy x -> y }}\ncpu work 1us\n")
            };
            let (repeated, runs) = lines(&around(&format!("repeat 7 {{ {body} }}\n")));
            let (written, _) = lines(&around(&body.repeat(7)));
            assert_eq!(repeated, written, "{body}");
            assert!(runs <= 3, "{body}");
        }
    }
}
