crate::finding::rule! {
    /// **What it finds.** A wait for a value that the fence reaches, while another signal of the fence, with a smaller
    /// value and not ordered with the first, may set the fence back before the wait sees the value. An error if the run
    /// shows it.
    ///
    /// **Why it matters.** A signal sets the value, whatever it was. If the smaller one comes last and nothing raises
    /// the fence again, the wait never ends: a hang that depends on timing.
    ///
    /// **Source.** `ID3D12CommandQueue::Signal`, `ID3D12Fence::Signal`: a signal sets the value; reading R23: a wait is
    /// satisfied while the value is at least the one waited for.
    pub(super) static RULE = "FN112", "fence-may-be-set-back", Warning,
        "a wait that a signal of a smaller value may outrun";
}

use crate::finding::{Finding, Severity};
use crate::id::{FenceId, SubmissionId, Table};
use crate::order::{FenceProblemKind, SubmissionKind, Timeline};
use crate::trace::Trace;

/// Pairs of a wait and a signal that are looked at for one fence; a timeline with more is not looked at.
const PAIRS_MAX: usize = 10_000_000;

/// Signals of one fence and waits for it, in the order of the text.
#[derive(Clone, Default)]
struct Row {
    signals: Vec<(SubmissionId, u64)>,
    waits: Vec<(SubmissionId, u64)>,
}

/// The waits of a timeline that may be outrun.
pub(super) fn findings(timeline: &Timeline<'_>) -> Vec<Finding> {
    let mut rows = Table::filled(timeline.scenario.fences.len(), Row::default());
    for (index, submission) in timeline.submissions.iter().enumerate() {
        let id = SubmissionId::new(index);
        match submission.kind {
            SubmissionKind::Signal { fence, value } => {
                rows[fence].signals.push((id, value));
            }
            SubmissionKind::Wait { fence, value } => rows[fence].waits.push((id, value)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let rises = |pair: &[(SubmissionId, u64)]| {
            pair[0].1 <= pair[1].1 && timeline.happens_before(pair[0].0, pair[1].0)
        };
        let many = row.signals.len().saturating_mul(row.waits.len()) > PAIRS_MAX;
        if many || row.signals.windows(2).all(rises) {
            continue;
        }
        let hopeless = |wait: SubmissionId| {
            let mut problems = timeline.fence_problems.iter();
            problems.any(|p| p.submission == wait && p.kind != FenceProblemKind::Ambiguous)
        };
        for (wait, value) in row.waits.iter().filter(|(wait, _)| !hopeless(*wait)) {
            if let Some(smaller) = outrun(timeline, row, *wait, *value) {
                found.push(finding(
                    timeline,
                    FenceId::new(index),
                    *wait,
                    *value,
                    smaller,
                ));
            }
        }
    }
    found
}

/// A signal that may set the fence back below the value after it was reached and before the wait has seen it.
fn outrun(
    timeline: &Timeline<'_>,
    row: &Row,
    wait: SubmissionId,
    value: u64,
) -> Option<SubmissionId> {
    let before = |a, b| timeline.happens_before(a, b);
    // `None`: the initial value, or one of several unordered signals.
    let reached = timeline.awaited_signal(wait);
    // A signal that may come after the smaller one, whatever the wait does, ends the wait all the same.
    let raises_again = |smaller: SubmissionId| {
        let mut signals = row.signals.iter();
        signals.any(|(id, v)| *v >= value && before(smaller, *id) && !before(wait, *id))
    };
    row.signals
        .iter()
        .filter(|(id, v)| *v < value && Some(*id) != reached)
        .map(|(id, _)| *id)
        .find(|id| {
            reached.is_none_or(|r| !before(*id, r)) && !before(wait, *id) && !raises_again(*id)
        })
}

fn finding(
    timeline: &Timeline<'_>,
    fence: FenceId,
    wait: SubmissionId,
    value: u64,
    smaller: SubmissionId,
) -> Finding {
    let name = timeline.scenario.fence_name(fence);
    let statement = |id| timeline.submission(id).statement.span;
    let message = format!(
        "`{name}` reaches {value}, but a smaller signal may set it back before this wait sees it"
    );
    Finding::new(&RULE, statement(wait), message)
        .related(
            statement(smaller),
            "sets the fence back if this signal comes last",
        )
        .resource(name)
        .help("order the signals, or use one fence for each signal")
}

/// Makes errors of the warnings that came true: waits that never ended in a run.
pub(super) fn escalate(timeline: &Timeline<'_>, trace: &Trace, findings: &mut [Finding]) {
    for stuck in &trace.stuck {
        let span = timeline.span(stuck.node);
        let warned = |f: &&mut Finding| f.rule.id == RULE.id && f.span == span;
        for finding in findings.iter_mut().filter(warned) {
            let reached = stuck.reached;
            finding.severity = Severity::Error;
            finding.message = format!(
                "`{}` was set back to {reached}: this wait for {} never ended",
                finding.resource.as_deref().unwrap_or("the fence"),
                stuck.value
            )
            .into();
        }
    }
}
