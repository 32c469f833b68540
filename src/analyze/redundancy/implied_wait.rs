crate::finding::rule! {
    /// **What it finds.** A wait for a fence that is not needed: other waits and the order of the queues already give
    /// the same order. The deletion is verified: in a copy without the wait every other submission comes after the same
    /// ones as before, and there is no new finding.
    ///
    /// **Why it matters.** A wait costs the queue's front end a check of the fence, and often a stop in the scheduler.
    /// The signal can go as well if nothing else waits for it.
    ///
    /// **Source.** Reading R23; transitive reduction of the order between submissions.
    pub(super) static RULE = "RD115", "implied-wait", Advice,
        "a wait for what its queue has waited for already";
}

use super::{Gain, Proposal, Saving};
use crate::finding::Span;
use crate::id::{SubmissionId, narrow};
use crate::order::{Actor, Submission, SubmissionKind, Timeline};
use crate::scenario::edit::Change;
use crate::scenario::{Statement, StatementKind};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: every submission comes after the same submissions as before, by the remaining waits and the order of each queue",
    gain: Gain::Always,
};

/// Waits that might be implied, the last `tried` of the text, the last first. Whether every other submission comes after the
/// same ones without them ([`order`]) is for a copy to show.
pub(crate) fn proposals(timeline: &Timeline<'_>, tried: usize) -> Vec<Proposal> {
    let Some(statements) = &timeline.scenario.timeline else {
        return Vec::new();
    };
    let mut kinds = timeline.submissions.iter().map(|s| s.kind);
    if !timeline.fence_problems.is_empty() || kinds.any(|k| k == SubmissionKind::Reset) {
        return Vec::new();
    }
    let mut waits = Vec::new();
    waits_of(&statements.statements, &mut Vec::new(), &mut waits);
    let waits = waits.into_iter().rev().take(tried);
    waits
        .filter(|(_, span)| is_candidate(timeline, *span))
        .map(|(path, span)| Proposal {
            saving: &SAVING,
            entry: None,
            span,
            resource: String::new(),
            changes: vec![Change::ClearStatement(path)],
            message: "other waits and the order of the queues already imply this wait".into(),
            witness: "without this wait".into(),
            help: "delete the wait, and its signal if nothing else waits for that signal".into(),
            deactivates: false,
            related: None,
        })
        .collect()
}

/// Every wait of a GPU queue or the CPU, with the way to it.
fn waits_of(statements: &[Statement], path: &mut Vec<u32>, found: &mut Vec<(Vec<u32>, Span)>) {
    for (index, statement) in statements.iter().enumerate() {
        path.push(narrow(index));
        match &statement.kind {
            StatementKind::Wait { .. } => found.push((path.clone(), statement.span)),
            StatementKind::Repeat { body, .. } => waits_of(body, path, found),
            _ => {}
        }
        path.pop();
    }
}

/// Whether each execution of a wait comes after a signal, and is there for nothing but order: its queue does something
/// after it. A wait of the CPU paces the CPU, unless it has waited for that already.
fn is_candidate(timeline: &Timeline<'_>, wait: Span) -> bool {
    let mut latest: Vec<Option<SubmissionId>> = vec![None; timeline.actor_count()];
    let mut open: Option<Actor> = None;
    for (index, submission) in timeline.submissions.iter().enumerate() {
        let id = SubmissionId::new(index);
        let earlier = latest[timeline.actor_index(submission.actor)].replace(id);
        if submission.statement.span == wait {
            let Some(signal) = timeline.awaited_signal(id) else {
                return false;
            };
            let is_known = |e| e == signal || timeline.happens_before(signal, e);
            if submission.actor == Actor::Cpu && !earlier.is_some_and(is_known) {
                return false;
            }
            open = Some(submission.actor);
        } else if open == Some(submission.actor) && !is_wait(&submission) {
            open = None;
        }
    }
    open.is_none() || open == Some(Actor::Cpu)
}

fn is_wait(submission: &Submission<'_>) -> bool {
    matches!(submission.kind, SubmissionKind::Wait { .. })
}

/// For each submission that is no wait: how many such submissions of each actor come before it.
pub(crate) fn order(timeline: &Timeline<'_>) -> Vec<Vec<u32>> {
    // Per actor, by sequence: how many submissions before are no waits.
    let mut before: Vec<Vec<u32>> = vec![vec![0]; timeline.actor_count()];
    for submission in timeline.submissions.iter() {
        let counts = &mut before[timeline.actor_index(submission.actor)];
        let last = counts.last().copied().unwrap_or_default();
        counts.push(last + u32::from(!is_wait(&submission)));
    }
    let ids = (0..timeline.submissions.len()).map(SubmissionId::new);
    ids.filter(|id| !is_wait(&timeline.submission(*id)))
        .map(|id| {
            let clock = timeline.clock(id);
            let counts = before.iter().enumerate();
            counts
                .map(|(actor, counts)| counts[clock.over(actor) as usize])
                .collect()
        })
        .collect()
}
