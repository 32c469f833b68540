//! What could remove a race: a wait for a signal that is there, or a fence of its own between the two.

use super::{Candidate, Text};
use crate::finding::{Edit, Source, Span};
use crate::graph::Conflict;
use crate::order::{Actor, Timeline};
use crate::scenario::{FenceValue, Scenario, Statement, StatementKind};

/// A statement on the way from the timeline to one inside `repeat` blocks.
struct Found<'s> {
    statement: &'s Statement,
    /// How often the innermost `repeat` and those around it run, multiplied; 1 outside.
    runs: u64,
    /// The innermost `repeat`, by the place where it begins.
    inside: Option<u32>,
    /// Every `repeat` around it, outermost first.
    path: Vec<u32>,
    /// Position among all statements in order of the text.
    position: usize,
}

/// Candidates for a race, the smallest first: `first` is over before `second` begins.
pub fn candidates(
    source: &Source,
    written: &Scenario,
    timeline: &Timeline<'_>,
    conflict: &Conflict,
) -> Vec<Candidate> {
    let text = Text { source };
    let submission = |node| timeline.submission(timeline.submission_of(node));
    let (first, second) = (
        submission(conflict.first.node),
        submission(conflict.second.node),
    );
    let statements = flat(written);
    let find = |span: Span| statements.iter().find(|s| s.statement.span == span);
    let (Some(one), Some(two)) = (find(first.statement.span), find(second.statement.span)) else {
        return Vec::new();
    };
    // One of them in a repeat inside the repeat of both: no one value of a fence says which round is meant.
    let nested = one.path.first() == two.path.first() && one.path != two.path;
    let backwards = one.path != two.path && one.position > two.position;
    if nested && !one.path.is_empty() && !two.path.is_empty() || backwards {
        return Vec::new();
    }
    let (from, to) = (
        timeline.actor_name(first.actor),
        timeline.actor_name(second.actor),
    );
    let mut candidates = existing(text, written, &statements, (one, two), (first.actor, to));
    candidates.extend(fresh(text, written, timeline, (one, two), (from, to)));
    candidates
}

/// Waits for signals that the first actor gives after the first submission anyway.
fn existing(
    text: Text<'_>,
    written: &Scenario,
    statements: &[Found<'_>],
    (one, two): (&Found<'_>, &Found<'_>),
    (actor, to): (Actor, &str),
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for found in statements.iter().filter(|s| s.position > one.position) {
        let StatementKind::Signal {
            queue,
            fence,
            value,
        } = &found.statement.kind
        else {
            continue;
        };
        let signaller = queue.map_or(Actor::Cpu, Actor::Queue);
        if signaller != actor || found.inside != two.inside {
            continue;
        }
        let name = written.fence_name(*fence);
        let value = match value {
            FenceValue::Absolute(value) => value.to_string(),
            // Behind the signal the running value is the signalled one.
            FenceValue::Relative(_) if found.position < two.position => "+0".to_string(),
            FenceValue::Relative(by) => format!("+{by}"),
        };
        // The wait that is there names too small a value, or another fence.
        let before = statements
            .iter()
            .filter(|s| s.position < two.position && s.inside == two.inside)
            .rev()
            .take_while(|s| !matches!(s.statement.kind, StatementKind::Execute { .. }))
            .find(|s| matches!(&s.statement.kind, StatementKind::Wait { queue, fence: f, .. } if wait_name(written, *queue) == to && f == fence));
        let wait = format!("{to} wait {name} {value}");
        if let Some(before) = before {
            candidates.push(Candidate {
                edits: vec![Edit {
                    span: before.statement.span,
                    text: wait.clone(),
                }],
                says: format!("wait for {name} {value} instead"),
            });
        }
        candidates.push(Candidate {
            edits: vec![text.before(two.statement.span.start, &wait)],
            says: format!("add before (2): `{wait}`"),
        });
        if candidates.len() > 6 {
            break;
        }
    }
    candidates
}

fn wait_name(written: &Scenario, queue: Option<crate::id::QueueId>) -> &str {
    queue.map_or("cpu", |queue| written.queue_name(queue))
}

/// A fence of its own.
fn fresh(
    text: Text<'_>,
    written: &Scenario,
    timeline: &Timeline<'_>,
    (one, two): (&Found<'_>, &Found<'_>),
    (from, to): (&str, &str),
) -> Vec<Candidate> {
    let Some(start) = written.timeline.as_ref().map(|t| t.span.start) else {
        return Vec::new();
    };
    let mut number = 1;
    let name = loop {
        let name = format!("ordered{number}");
        if !written.fences.contains_key(&name) {
            break name;
        }
        number += 1;
    };
    let values = match (one.inside, two.inside) {
        (a, b) if a == b && a.is_some() => ("+1".to_string(), "+0".to_string()),
        (Some(_), _) => ("+1".to_string(), one.runs.to_string()),
        (None, _) => ("1".to_string(), "1".to_string()),
    };
    let signal = format!("{from} signal {name} {}", values.0);
    let wait = format!("{to} wait {name} {}", values.1);
    let declaration = text.before(start, &format!("fence {name}\n"));
    let after = text.after(one.statement.span, &signal);
    let before = text.before(two.statement.span.start, &wait);
    let mut found = Vec::new();
    let says =
        format!("order them by a new fence `{name}`: `{signal}` after (1), `{wait}` before (2)");
    if let Some(edits) = Text::in_order(vec![declaration, after, before]) {
        found.push(Candidate { edits, says });
    }
    let _ = timeline;
    found
}

/// Every statement in order of the text, those inside `repeat` blocks too.
fn flat(written: &Scenario) -> Vec<Found<'_>> {
    fn walk<'s>(statements: &'s [Statement], runs: u64, path: &[u32], found: &mut Vec<Found<'s>>) {
        for statement in statements {
            found.push(Found {
                statement,
                runs,
                inside: path.last().copied(),
                path: path.to_vec(),
                position: found.len(),
            });
            if let StatementKind::Repeat { count, body } = &statement.kind {
                let mut path = path.to_vec();
                path.push(statement.span.start);
                walk(body, runs.saturating_mul(*count), &path, found);
            }
        }
    }
    let mut found = Vec::new();
    if let Some(timeline) = &written.timeline {
        walk(&timeline.statements, 1, &[], &mut found);
    }
    found
}
