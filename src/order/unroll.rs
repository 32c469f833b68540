//! From statements to submissions: repeats unrolled, fence values resolved (reading R50).
//!
//! From its second turn on a repeat is regular: numbers of submissions and nodes advance alike in each turn, and a fence's
//! relative values do, or start anew from a value that each turn sets. Only the first turn may differ: values come from
//! before it, and a queue that the turn resets still ran.

use super::submissions::Submissions;
use super::{Actor, Submission, SubmissionKind, Timeline, resets};
use crate::id::{FenceId, NodeId, QueueId, SubmissionId, Table};
use crate::scenario::{FenceValue, Scenario, Statement, StatementKind};

/// Submissions of a turn of a repeat that is kept once; longer ones are unrolled turn by turn.
const TURN_MAX: u64 = 4096;

/// What the statements submit, and how many nodes that has.
pub(super) fn unroll<'s>(
    timeline: &Timeline<'s>,
    statements: &'s [Statement],
) -> (Submissions<'s>, u32) {
    let scenario = timeline.scenario;
    let mut unroll = Unroll {
        timeline,
        has_processes: scenario.has_processes(),
        count: Count {
            submissions: 0,
            nodes: 0,
            ordinals: vec![0; timeline.actors],
            sequences: vec![0; timeline.actors],
            latest: vec![None; timeline.actors],
            values: scenario.fences.values().map(|f| f.initial).collect(),
        },
        stopped: Table::filled(scenario.queues.len(), false),
        submissions: Submissions::default(),
        turn: None,
    };
    unroll.statements(statements);
    unroll.submissions.close();
    (unroll.submissions, unroll.count.nodes)
}

/// What there was so far.
#[derive(Clone)]
struct Count {
    submissions: u32,
    nodes: u32,
    /// Nodes, by actor.
    ordinals: Vec<u32>,
    /// Submissions, by actor.
    sequences: Vec<u32>,
    /// The latest submission of each actor.
    latest: Vec<Option<SubmissionId>>,
    /// Last textual value of each fence.
    values: Table<FenceId, u64>,
}

impl Count {
    /// Takes `turns` more turns like the one since `before`.
    fn skip(&mut self, before: &Self, turns: u32) {
        let go_on = |now: &mut u32, before: u32| *now += turns * (*now - before);
        go_on(&mut self.submissions, before.submissions);
        go_on(&mut self.nodes, before.nodes);
        for (now, before) in self.ordinals.iter_mut().zip(&before.ordinals) {
            go_on(now, *before);
        }
        for (now, before) in self.sequences.iter_mut().zip(&before.sequences) {
            go_on(now, *before);
        }
        for (now, before) in self.latest.iter_mut().zip(&before.latest) {
            if let (Some(now), Some(before)) = (now, before) {
                go_on(&mut now.0, before.0);
            }
        }
        for (now, before) in self.values.iter_mut().zip(&before.values) {
            let each = *now - before;
            *now = now.saturating_add(each.saturating_mul(turns.into()));
        }
    }
}

/// State of unrolling the timeline's statements.
struct Unroll<'t, 's> {
    timeline: &'t Timeline<'s>,
    has_processes: bool,
    count: Count,
    /// Queues that a reset has stopped: what they are given later fails, and is no submission (reading R40).
    stopped: Table<QueueId, bool>,
    submissions: Submissions<'s>,
    /// A turn of a repeat that is taken down by itself.
    turn: Option<Vec<Submission<'s>>>,
}

impl<'s> Unroll<'_, 's> {
    fn statements(&mut self, statements: &'s [Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Repeat { count, body } if !body.is_empty() => {
                    self.repeat(*count, body);
                }
                StatementKind::Repeat { .. } => {}
                _ => self.submit(statement),
            }
        }
    }

    fn repeat(&mut self, count: u64, body: &'s [Statement]) {
        let is_plain = count <= 3 || self.turn.is_some() || submitted(body) > TURN_MAX;
        match u32::try_from(count) {
            Ok(count) if !is_plain => {
                self.statements(body);
                let second = self.turn(body);
                let before = self.count.clone();
                let third = self.turn(body);
                self.count.skip(&before, count - 3);
                self.submissions.push_turns(second, &third, count - 1);
            }
            _ => (0..count).for_each(|_| self.statements(body)),
        }
    }

    /// What the next turn of a repeat submits.
    fn turn(&mut self, body: &'s [Statement]) -> Vec<Submission<'s>> {
        self.turn = Some(Vec::new());
        self.statements(body);
        self.turn.take().unwrap_or_default()
    }

    fn submit(&mut self, statement: &'s Statement) {
        let (actor, kind) = self.read(statement);
        if matches!(actor, Actor::Queue(queue) if self.stopped[queue]) {
            return;
        }
        let timeline = self.timeline;
        let nodes = match &statement.kind {
            StatementKind::Execute { lists, .. } => {
                lists.iter().map(|l| timeline.list_nodes(*l)).sum()
            }
            _ => 1,
        };
        let index = timeline.actor_index(actor);
        let submission = Submission {
            actor,
            kind,
            statement,
            first_node: NodeId(self.count.nodes),
            nodes,
            first_ordinal: self.count.ordinals[index],
            sequence: self.count.sequences[index],
            submitter: self.submitter(timeline.scenario, actor),
        };
        self.count.latest[index] = Some(SubmissionId(self.count.submissions));
        self.count.submissions += 1;
        self.count.nodes += nodes;
        self.count.ordinals[index] += nodes;
        self.count.sequences[index] += 1;
        match &mut self.turn {
            Some(turn) => turn.push(submission),
            None => self.submissions.push(submission),
        }
    }

    /// The latest operation of whoever submits what an actor does: the CPU, or a process.
    fn submitter(&self, scenario: &Scenario, actor: Actor) -> Option<SubmissionId> {
        let by = match actor {
            Actor::Queue(queue) if self.has_processes => {
                let process = scenario.process_of(queue);
                process.filter(|_| scenario.queue(queue).is_gpu())?.index()
            }
            _ => self.timeline.actor_index(Actor::Cpu),
        };
        self.count.latest[by]
    }

    /// Who carries out a statement, and what it does.
    fn read(&mut self, statement: &Statement) -> (Actor, SubmissionKind) {
        match &statement.kind {
            StatementKind::Execute { queue, .. } => (Actor::Queue(*queue), SubmissionKind::Execute),
            StatementKind::Signal {
                queue,
                fence,
                value,
            }
            | StatementKind::Wait {
                queue,
                fence,
                value,
            } => {
                let (fence, value) = (*fence, self.fence_value(*fence, *value));
                let kind = match statement.kind {
                    StatementKind::Signal { .. } => SubmissionKind::Signal { fence, value },
                    _ => SubmissionKind::Wait { fence, value },
                };
                (queue.map_or(Actor::Cpu, Actor::Queue), kind)
            }
            StatementKind::Present { queue, resource } => (
                Actor::Queue(*queue),
                SubmissionKind::Present {
                    resource: *resource,
                },
            ),
            StatementKind::CpuWrite { resource, .. } => (
                Actor::Cpu,
                SubmissionKind::CpuWrite {
                    resource: *resource,
                },
            ),
            StatementKind::CpuRead { resource, .. } => (
                Actor::Cpu,
                SubmissionKind::CpuRead {
                    resource: *resource,
                },
            ),
            StatementKind::CpuWork(_) => (Actor::Cpu, SubmissionKind::CpuWork),
            StatementKind::Object {
                queue, act, fence, ..
            } => (
                Actor::Queue(*queue),
                SubmissionKind::Object {
                    fence: *fence,
                    act: *act,
                },
            ),
            StatementKind::Reset(queue) => {
                for id in self.stopped.ids() {
                    self.stopped[id] |= resets::stops(self.timeline.scenario, *queue, id);
                }
                (Actor::Cpu, SubmissionKind::Reset)
            }
            StatementKind::Repeat { .. } => unreachable!("a repeat is unrolled by its caller"),
        }
    }

    fn fence_value(&mut self, fence: FenceId, value: FenceValue) -> u64 {
        let last = &mut self.count.values[fence];
        *last = match value {
            FenceValue::Absolute(value) => value,
            FenceValue::Relative(step) => last.saturating_add(step),
        };
        *last
    }
}

/// Submissions of some statements, without regard to resets.
fn submitted(statements: &[Statement]) -> u64 {
    let each = statements.iter().map(|statement| match &statement.kind {
        StatementKind::Repeat { count, body } => submitted(body).saturating_mul(*count),
        _ => 1,
    });
    each.fold(0, u64::saturating_add)
}
