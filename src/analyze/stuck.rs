//! Waits of a run that never ended: which signal would have ended each, and what keeps that signal.

use crate::id::{NodeId, SubmissionId};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::trace::{Stuck, Trace};

/// What would have ended a wait.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// No signal is large enough.
    Nobody,
    /// A signal came, and another set the fence back before the wait saw it.
    SetBack,
    /// A signal that comes after another such wait: its index in [`Trace::stuck`].
    Behind { signal: NodeId, wait: usize },
    /// A signal that never came, for another reason: a reset dropped it.
    Dropped(NodeId),
}

/// What would have ended each of [`Trace::stuck`].
pub(crate) fn endings(timeline: &Timeline<'_>, trace: &Trace) -> Vec<Ending> {
    let mut endings = vec![Ending::Nobody; trace.stuck.len()];
    if trace.stuck.is_empty() {
        return endings;
    }
    for index in 0..timeline.submissions.len() {
        let id = SubmissionId::new(index);
        each_signal(timeline, id, |signal, fence, value| {
            let waits = trace.stuck.iter().zip(&mut endings);
            for (_, ending) in waits.filter(|(s, _)| s.fence == fence && s.value <= value) {
                let found = if trace.command(signal).ran() {
                    Ending::SetBack
                } else {
                    let kept = keeper(timeline, trace, id, signal);
                    kept.map_or(Ending::Dropped(signal), |wait| Ending::Behind {
                        signal,
                        wait,
                    })
                };
                // The first signal that another wait keeps says most.
                let is_better = |it: Ending| match it {
                    Ending::Nobody => 0,
                    Ending::Dropped(_) => 1,
                    Ending::SetBack => 2,
                    Ending::Behind { .. } => 3,
                };
                if is_better(found) > is_better(*ending) {
                    *ending = found;
                }
            }
        });
    }
    endings
}

/// The signals of a submission: itself, or the signal barriers of its lists.
fn each_signal(
    timeline: &Timeline<'_>,
    id: SubmissionId,
    mut each: impl FnMut(NodeId, crate::id::FenceId, u64),
) {
    let submission = timeline.submission(id);
    match submission.kind {
        SubmissionKind::Signal { fence, value } => each(submission.first_node, fence, value),
        SubmissionKind::Execute => {
            for (node, _, command) in timeline.commands(id) {
                if let Some((true, fence, value)) = command.kind.fence_step() {
                    each(node, fence, value);
                }
            }
        }
        _ => {}
    }
}

/// The wait that keeps a signal: its actor's own, or that of the CPU, which would submit it.
fn keeper(
    timeline: &Timeline<'_>,
    trace: &Trace,
    id: SubmissionId,
    signal: NodeId,
) -> Option<usize> {
    let actor = timeline.submission(id).actor;
    let comes_first = |stuck: &Stuck| {
        let wait = timeline.submission_of(stuck.node);
        wait < id || (wait == id && stuck.node < signal)
    };
    let of = |who: Actor| {
        let is_of = |stuck: &Stuck| stuck.queue.map_or(Actor::Cpu, Actor::Queue) == who;
        trace.stuck.iter().position(|s| is_of(s) && comes_first(s))
    };
    of(actor).or_else(|| of(Actor::Cpu))
}
