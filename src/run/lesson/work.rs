//! Whether an attempt does the work of the start: the same resources, the same commands, and the same pairs of them that need
//! each other.
//!
//! The relation *needed* is taken of the text without barriers, signals and waits, so that what an attempt adds of these
//! changes nothing. Of two commands on one queue it says which comes first; of two on different queues only that they need each
//! other, because what orders these is the student's to write.

use super::Kind;
use crate::analyze::names;
use crate::finding::Source;
use crate::graph::{self, Collected, Request};
use crate::id::{NodeId, SubmissionId, Table};
use crate::kernel::{self, OpKind};
use crate::legacy;
use crate::order::{SubmissionKind, Timeline};
use crate::run::read_litmus;
use crate::scenario::{self, CommandKind, Declaration, Scenario, Statement, StatementKind};
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

/// A command as an attempt is compared by it: who does it, what it is, and how many like it came before; of a litmus test
/// its place in the thread.
type Act = (String, String, usize);

/// Two commands that need each other, and the resource for which.
type Need = (Act, Act, String);

/// What a text does.
#[derive(Debug)]
pub(super) struct Work {
    /// Declarations, each as its line is printed; of a litmus test everything but fences.
    declared: IndexSet<String>,
    /// Commands that are executed, with what people call them.
    acts: IndexMap<Act, String>,
    /// The relation *needed*.
    needs: IndexSet<Need>,
}

/// What a text does; `None` if it is not understood, and of a rule file.
pub(super) fn of(text: &Source, kind: Kind) -> Option<Work> {
    match kind {
        Kind::Scenario => scenario(text),
        Kind::Litmus => litmus(text),
        Kind::Rules => None,
    }
}

impl Work {
    /// What another text does otherwise, the first thing of each kind.
    pub(super) fn differences(&self, other: &Self) -> Vec<String> {
        let mut told = Vec::new();
        if let Some(gone) = self
            .declared
            .iter()
            .find(|it| !other.declared.contains(*it))
        {
            told.push(format!("`{gone}` is gone or changed"));
        } else if let Some(new) = other
            .declared
            .iter()
            .find(|it| !self.declared.contains(*it))
        {
            told.push(format!("`{new}` is new or changed"));
        }
        let called = |work: &Self, act: &Act| work.acts.get(act).cloned().unwrap_or_default();
        if let Some((act, name)) = self.acts.iter().find(|it| !other.acts.contains_key(it.0)) {
            told.push(format!(
                "{} of the start is gone or changed, on {}",
                unplaced(name),
                act.0
            ));
        } else if let Some((act, name)) = other.acts.iter().find(|it| !self.acts.contains_key(it.0))
        {
            told.push(format!("{name} is new or changed, on {}", act.0));
        } else if let Some((first, second, resource)) =
            self.needs.iter().find(|it| !other.needs.contains(*it))
        {
            told.push(format!(
                "{} of the start no longer comes before {}, which needs it for `{resource}`",
                unplaced(&called(self, first)),
                unplaced(&called(self, second))
            ));
        } else if let Some((first, second, resource)) =
            other.needs.iter().find(|it| !self.needs.contains(*it))
        {
            told.push(format!(
                "{} now comes before {}, and they share `{resource}`",
                called(other, first),
                called(other, second)
            ));
        }
        told
    }
}

/// Between what a command is called and its line.
const ON_LINE: &str = " on line ";

/// What a command of the start is called, without its line: a student has the start below another header.
fn unplaced(called: &str) -> &str {
    called.rsplit_once(ON_LINE).map_or(called, |(name, _)| name)
}

fn scenario(text: &Source) -> Option<Work> {
    let (scenario, findings) = scenario::parse(text);
    if findings.iter().any(|it| it.severity.fails()) {
        return None;
    }
    let declared = declared(&scenario);
    let bare = without_sync(scenario);
    let plain = legacy::translate(&bare);
    let timeline = Timeline::new(&plain);
    let mut acts: IndexMap<Act, String> = IndexMap::new();
    let mut act_of: IndexMap<NodeId, Act> = IndexMap::new();
    let mut counts: IndexMap<(String, String), usize> = IndexMap::new();
    for id in timeline.evaluation.iter() {
        let submission = timeline.submission(id);
        let queue = timeline.actor_name(submission.actor).to_owned();
        for node in nodes(&timeline, id) {
            let Some(what) = what(&timeline, node) else {
                continue;
            };
            let count = counts.entry((queue.clone(), what.clone())).or_default();
            let act = (queue.clone(), what, *count);
            *count += 1;
            let line = text.line(timeline.span(node).start);
            let label = names::node_label(&timeline, node);
            acts.insert(act.clone(), format!("{label}{ON_LINE}{line}"));
            act_of.insert(node, act);
        }
    }
    Some(Work {
        declared,
        needs: needs(&timeline, &act_of),
        acts,
    })
}

/// The nodes of a submission, also of one that executes no list.
fn nodes(timeline: &Timeline<'_>, id: SubmissionId) -> Vec<NodeId> {
    let submission = timeline.submission(id);
    match submission.kind {
        SubmissionKind::Execute => timeline.commands(id).map(|(node, ..)| node).collect(),
        SubmissionKind::Present { .. }
        | SubmissionKind::CpuRead { .. }
        | SubmissionKind::CpuWrite { .. }
        | SubmissionKind::CpuWork
        | SubmissionKind::Reset => vec![submission.first_node],
        SubmissionKind::Signal { .. }
        | SubmissionKind::Wait { .. }
        | SubmissionKind::Object { .. } => Vec::new(),
    }
}

/// What a node does, in the words of the JSON form; `None` of a marker.
fn what(timeline: &Timeline<'_>, node: NodeId) -> Option<String> {
    let Some(command) = timeline.command(node) else {
        let submission = timeline.submission(timeline.submission_of(node));
        return Some(json(&submission.statement.kind));
    };
    let marks = matches!(
        command.kind,
        CommandKind::MarkerBegin { .. } | CommandKind::MarkerEnd
    );
    (!marks).then(|| json(command))
}

/// The JSON form without where comments and empty lines are.
fn json(value: &impl Serialize) -> String {
    let mut value =
        serde_json::to_value(value).expect("what is read from a text is written as one");
    scenario::json::drop_comments(&mut value);
    value.to_string()
}

fn needs(timeline: &Timeline<'_>, act_of: &IndexMap<NodeId, Act>) -> IndexSet<Need> {
    let request = Request {
        pairs: Collected::UsesAndChanges,
        unfolded: true,
        ..Request::default()
    };
    let found = graph::evaluate(timeline, request);
    let pairs = found.pairs.iter().map(|it| (it.first, it.second));
    let missing = found.conflicts.iter().map(|it| (it.first, it.second));
    let mut needs = IndexSet::new();
    for (first, second) in pairs.chain(missing) {
        let acts = act_of.get(&first.node).zip(act_of.get(&second.node));
        let Some((mut one, mut two)) = acts.filter(|(one, two)| one != two) else {
            continue;
        };
        if one.0 != two.0 && one > two {
            (one, two) = (two, one);
        }
        let resource = timeline.scenario.resources.name(second.resource).to_owned();
        needs.insert((one.clone(), two.clone(), resource));
    }
    needs
}

/// A text without barriers, signals and waits.
fn without_sync(mut scenario: Scenario) -> Scenario {
    for list in &mut scenario.lists {
        list.commands.retain(|it| !is_barrier(&it.kind));
    }
    if let Some(timeline) = &mut scenario.timeline {
        let statements = std::mem::take(&mut timeline.statements);
        timeline.statements = without_fences(statements);
    }
    scenario
}

fn is_barrier(kind: &CommandKind) -> bool {
    kind.is_barrier_call() || matches!(kind, CommandKind::FenceBarrier { .. })
}

fn without_fences(statements: Vec<Statement>) -> Vec<Statement> {
    let kept = statements.into_iter().filter_map(|mut statement| {
        match &mut statement.kind {
            StatementKind::Signal { .. } | StatementKind::Wait { .. } => return None,
            StatementKind::Repeat { body, .. } => *body = without_fences(std::mem::take(body)),
            _ => {}
        }
        Some(statement)
    });
    merged(kept.collect())
}

/// Submissions of one queue as one, where nothing but other submissions is between them: what is needed is found within a
/// submission, and where one ends is the student's to say. Without fences no queue comes before another.
fn merged(statements: Vec<Statement>) -> Vec<Statement> {
    let mut kept: Vec<Statement> = Vec::new();
    for mut statement in statements {
        if let StatementKind::Execute { queue, lists } = &mut statement.kind {
            let run = kept.iter_mut().rev();
            let mut run = run.map_while(|it| match &mut it.kind {
                StatementKind::Execute { queue, lists } => Some((*queue, lists)),
                _ => None,
            });
            if let Some((_, earlier)) = run.find(|(other, _)| other == queue) {
                earlier.append(lists);
                continue;
            }
        }
        kept.push(statement);
    }
    kept
}

/// What a scenario declares beyond its fences.
fn declared(scenario: &Scenario) -> IndexSet<String> {
    let mut bare = scenario.clone();
    bare.title = None;
    bare.lists = Table::default();
    bare.timeline = None;
    bare.order
        .retain(|it| !matches!(it, Declaration::Fence(_) | Declaration::List(_)));
    lines(&scenario::print(&bare))
}

/// A litmus test: what its threads do beyond their fences, each at its place, and everything else.
fn litmus(text: &Source) -> Option<Work> {
    let (mut kernel, findings) = read_litmus(text);
    if findings.iter().any(|it| it.severity.fails()) {
        return None;
    }
    let mut acts = IndexMap::new();
    for at in 0..kernel.threads.len() {
        let ops = std::mem::take(&mut kernel.threads[at].ops);
        let ops = ops.iter().filter(|it| !matches!(it.kind, OpKind::Fence(_)));
        for (place, op) in ops.enumerate() {
            let op = kernel::print_op(&kernel, op);
            acts.insert(
                (format!("thread {at}"), op.clone(), place),
                format!("`{op}`"),
            );
        }
    }
    let text = kernel::print(&kernel);
    Some(Work {
        declared: lines(&text),
        acts,
        needs: IndexSet::new(),
    })
}

fn lines(text: &str) -> IndexSet<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|it| !it.is_empty());
    lines.map(str::to_owned).collect()
}
