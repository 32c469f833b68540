//! Waits that wait for each other: who is stuck, the cycle, and how the evaluation goes on.

use super::fences::{CycleStep, FenceProblem, FenceProblemKind, Look, Resolver, WaitState};
use super::signals::{ListStep, Wait};
use crate::id::SubmissionId;
use petgraph::graph::{DiGraph, NodeIndex};

/// What a wait of the cycle waits for.
pub(super) type Link = (Wait, SubmissionId);

impl Resolver<'_, '_> {
    /// Nothing can be evaluated: every actor's next step is a wait, or comes after one. If some wait has a signal that
    /// is already evaluated, its other candidates hang on waits themselves and cannot come first: it goes after the
    /// evaluated ones. Otherwise waits form a cycle, reported once, on its first wait of the timeline.
    pub(super) fn break_deadlock(&mut self) {
        let mut heads: Vec<(SubmissionId, Look)> = (0..self.timeline.actors)
            .filter_map(|actor| self.head(actor))
            .filter(|id| !self.is_unsubmitted(*id))
            .map(|id| (id, self.look(id)))
            .collect();
        heads.sort_by_key(|(id, _)| *id);
        for (id, look) in &heads {
            if let Look::Blocked(blocked) = look
                && self.go_on_after_done(*id, blocked)
            {
                return;
            }
        }
        let stuck = self.bottom(&heads);
        let blocked = |id: SubmissionId| {
            heads.iter().find_map(|(head, look)| match look {
                Look::Blocked(blocked) if *head == id => Some(blocked.as_slice()),
                _ => None,
            })
        };
        let first = stuck
            .iter()
            .filter_map(|actor| self.head(*actor))
            .filter(|id| blocked(*id).is_some())
            .min()
            .expect("an unfinished timeline whose steps are all ready would go on");
        let stops = |actor: &usize| {
            let id = self.head(*actor);
            heads
                .iter()
                .any(|(head, look)| Some(*head) == id && matches!(look, Look::Stops))
        };
        if stuck.iter().any(stops) {
            // A wait for something that the reset itself brings about: it is dropped.
            let dropped = stuck
                .iter()
                .filter_map(|actor| self.head(*actor))
                .filter(|id| blocked(*id).is_some() && self.dropped_by(*id).is_some())
                .min()
                .unwrap_or(first);
            self.evaluate(dropped, &[]);
            return;
        }
        let cycle = self.cycle(first, &stuck, &blocked);
        let (kind, wait) = match self.return_trip(&cycle) {
            Some(wait) => (FenceProblemKind::ReturnTrip, wait),
            None => (FenceProblemKind::Deadlock, cycle[0].0),
        };
        self.push(FenceProblem {
            kind,
            submission: wait.submission,
            fence: wait.fence,
            value: wait.value,
            others: Vec::new(),
            cycle: cycle.iter().map(|link| self.steps_of(link)).collect(),
            span: wait.span,
        });
        self.evaluate(wait.submission, &[]);
    }

    /// Evaluates a submission whose blocked waits each have a signal that is evaluated.
    fn go_on_after_done(
        &mut self,
        id: SubmissionId,
        blocked: &[(Wait, Vec<SubmissionId>)],
    ) -> bool {
        let over: Vec<Vec<SubmissionId>> = blocked
            .iter()
            .map(|(_, candidates)| {
                let done = candidates.iter().copied();
                done.filter(|c| self.is_done(*c)).collect()
            })
            .collect();
        if over.iter().any(Vec::is_empty) {
            return false;
        }
        let mut signals: Vec<SubmissionId> = Vec::new();
        for wait in self.waits(id).collect::<Vec<_>>() {
            if let WaitState::Ready(signal) = self.wait_state(&wait) {
                signals.extend(signal);
            }
        }
        for ((wait, _), over) in blocked.iter().zip(over) {
            match self.least(&over) {
                Some(signal) => signals.push(signal),
                None => self.report(*wait, WaitState::Ambiguous(over)),
            }
        }
        self.evaluate(id, &signals);
        true
    }

    /// Actors that wait for nobody but each other.
    fn bottom(&self, heads: &[(SubmissionId, Look)]) -> Vec<usize> {
        let timeline = &*self.timeline;
        let actor_of = |id: SubmissionId| timeline.actor_index(timeline.submission(id).actor);
        let mut graph: DiGraph<usize, ()> = DiGraph::new();
        let nodes: Vec<NodeIndex> = (0..timeline.actors).map(|a| graph.add_node(a)).collect();
        for actor in 0..timeline.actors {
            let Some(id) = self.head(actor) else { continue };
            if self.is_unsubmitted(id) {
                graph.add_edge(nodes[actor], nodes[self.submitter_of(id)], ());
                continue;
            }
            match heads.iter().find(|(head, _)| *head == id) {
                Some((_, Look::Blocked(blocked))) => {
                    let candidates = blocked.iter().flat_map(|(_, candidates)| candidates);
                    for candidate in candidates.filter(|c| !self.is_done(**c)) {
                        graph.add_edge(nodes[actor], nodes[actor_of(*candidate)], ());
                    }
                }
                Some((_, Look::Stops)) => {
                    let cut = self.cuts.iter().find(|cut| cut.reset == id);
                    let stopped = cut.map_or(&[][..], |cut| &cut.finished);
                    for queue in (0..stopped.len()).filter(|q| stopped[*q].is_some()) {
                        if self.head(queue).is_some() {
                            graph.add_edge(nodes[actor], nodes[queue], ());
                        }
                    }
                }
                _ => {}
            }
        }
        // Sinks come first. Actors that are through are sinks too.
        petgraph::algo::tarjan_scc(&graph)
            .into_iter()
            .map(|component| component.into_iter().map(|node| graph[node]).collect())
            .find(|actors: &Vec<usize>| actors.iter().any(|a| self.head(*a).is_some()))
            .unwrap_or_default()
    }

    /// The shortest way from a wait over signals and the waits in front of them back to it.
    fn cycle<'b>(
        &self,
        first: SubmissionId,
        stuck: &[usize],
        blocked: &impl Fn(SubmissionId) -> Option<&'b [(Wait, Vec<SubmissionId>)]>,
    ) -> Vec<Link> {
        let timeline = &*self.timeline;
        let actor_of = |id: SubmissionId| timeline.actor_index(timeline.submission(id).actor);
        let start = actor_of(first);
        // For each actor: who led there, by which wait.
        let mut led: Vec<Option<(usize, Option<Link>)>> = vec![None; timeline.actors];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(actor) = queue.pop_front() {
            let Some(id) = self.head(actor) else { continue };
            let mut next: Vec<(usize, Option<Link>)> = Vec::new();
            match blocked(id) {
                Some(waits) => {
                    for (wait, candidates) in waits {
                        let open = candidates.iter().filter(|c| !self.is_done(**c));
                        next.extend(open.map(|c| (actor_of(*c), Some((*wait, *c)))));
                    }
                }
                None => next.push((self.submitter_of(id), None)),
            }
            for (to, by) in next {
                if stuck.contains(&to) && led[to].is_none() {
                    led[to] = Some((actor, by));
                    queue.push_back(to);
                }
            }
        }
        let mut way = Vec::new();
        let mut at = start;
        loop {
            let (from, by) = led[at].expect("the actors of a component reach each other");
            way.extend(by);
            at = from;
            if at == start {
                break;
            }
        }
        way.reverse();
        way
    }

    /// The two steps of a link, each by its own place.
    pub(super) fn steps_of(&self, (wait, signal): &Link) -> (CycleStep, CycleStep) {
        let waits = CycleStep {
            submission: wait.submission,
            span: wait.span,
            barrier: wait.step.map(|_| (wait.fence, wait.value)),
        };
        let gives = |s: &&ListStep| s.signal && s.fence == wait.fence && s.value >= wait.value;
        let step = self
            .steps
            .get(signal)
            .and_then(|steps| steps.iter().find(gives));
        let signals = CycleStep {
            submission: *signal,
            span: match step {
                Some(step) => step.span,
                None => self.timeline.submission(*signal).statement.span,
            },
            barrier: step.map(|step| (step.fence, step.value)),
        };
        (waits, signals)
    }

    /// The wait barrier that comes back to a call which has signalled the one that it waits for.
    fn return_trip(&self, cycle: &[Link]) -> Option<Wait> {
        let pairs = cycle.iter().zip(cycle.iter().cycle().skip(1));
        for ((wait, signal), (back, _)) in pairs {
            let Some(step) = back.step.filter(|_| back.submission == *signal) else {
                continue;
            };
            let earlier = &self.steps[signal][..step];
            let gives = |s: &ListStep| s.signal && s.fence == wait.fence && s.value >= wait.value;
            if earlier.iter().any(gives) {
                return Some(*back);
            }
        }
        None
    }
}
