//! Names that findings and reports print: labels of commands, one-line texts of barriers.

use crate::api::compat::Work;
use crate::api::{BarrierSync, Layout};
use crate::finding::{Party, Span, Words};
use crate::graph::{Conflict, ConflictKind, Part, Side};
use crate::id::NodeId;
use crate::order::{SubmissionKind, Timeline};
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, Command, CommandKind, Scenario, Use, range_text,
};

/// A command as people call it: `draw "opaque"`, `copy`.
pub(crate) fn command_label(command: &Command) -> String {
    let (word, label): (&str, Option<&str>) = match &command.kind {
        CommandKind::Draw { label, indexed, .. } => (
            if *indexed { "draw-indexed" } else { "draw" },
            label.as_deref(),
        ),
        CommandKind::Dispatch { label, .. } => ("dispatch", label.as_deref()),
        CommandKind::DispatchRays { label, .. } => ("dispatch-rays", label.as_deref()),
        CommandKind::ExecuteIndirect { label, .. } => ("execute-indirect", label.as_deref()),
        CommandKind::Predicate => ("predicate", None),
        CommandKind::SetRoot { .. } => ("set-root", None),
        CommandKind::Copy => ("copy", None),
        CommandKind::Resolve => ("resolve", None),
        CommandKind::ClearRtv => ("clear-rtv", None),
        CommandKind::ClearDsv => ("clear-dsv", None),
        CommandKind::ClearUav => ("clear-uav", None),
        CommandKind::Discard => ("discard", None),
        CommandKind::BuildAs { label } => ("build-as", label.as_deref()),
        CommandKind::CopyAs => ("copy-as", None),
        CommandKind::EmitAs => ("emit-as-postbuild", None),
        CommandKind::Video { label, .. } => (
            command.kind.work().map_or("video", Work::words),
            label.as_deref(),
        ),
        CommandKind::MarkerBegin { label } => ("marker", Some(&**label)),
        CommandKind::MarkerEnd => ("end of marker", None),
        CommandKind::ExecuteBundle { .. } => ("execute-bundle", None),
        CommandKind::Barrier(_) => ("barrier", None),
        CommandKind::Legacy(_) => ("legacy", None),
        CommandKind::FenceBarrier { signal: true, .. } => ("signal-barrier", None),
        CommandKind::FenceBarrier { signal: false, .. } => ("wait-barrier", None),
        CommandKind::AssertAccess { .. } | CommandKind::AssertLayout { .. } => ("assert", None),
    };
    label.map_or_else(|| word.to_string(), |label| format!("{word} \"{label}\""))
}

/// Whether a command is work, not a barrier, a marker or an assertion.
pub(crate) fn is_work(command: &Command) -> bool {
    command.kind.works()
}

/// What a person called a command: the part of its label in quotation marks; of one without, the label.
pub(crate) fn quoted(label: &str) -> &str {
    let inner = label
        .split_once('"')
        .map(|(_, rest)| rest.strip_suffix('"').unwrap_or(rest));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(label)
}

/// A node as people call it.
pub(crate) fn node_label(timeline: &Timeline<'_>, node: NodeId) -> String {
    let place = timeline.place(node);
    if let Some(command) = timeline.command(node) {
        return command_label(command);
    }
    let scenario = timeline.scenario;
    match timeline.submission(place.submission).kind {
        SubmissionKind::Execute => "execute".into(),
        SubmissionKind::Signal { fence, value } => {
            format!("signal {} {value}", scenario.fence_name(fence))
        }
        SubmissionKind::Wait { fence, value } => {
            format!("wait {} {value}", scenario.fence_name(fence))
        }
        SubmissionKind::Present { .. } => "present".into(),
        SubmissionKind::CpuWrite { .. } => "cpu write".into(),
        SubmissionKind::CpuRead { .. } => "cpu read".into(),
        SubmissionKind::CpuWork => "cpu work".into(),
        SubmissionKind::Reset => "reset".into(),
        SubmissionKind::Object { fence, act } => {
            format!("{} {}", act.word(), scenario.fence_name(fence))
        }
    }
}

/// A node as people call it, with the id that finds it in a report: `draw "opaque" (gfx#3)`.
pub(crate) fn named(timeline: &Timeline<'_>, node: NodeId) -> String {
    format!(
        "{} ({})",
        node_label(timeline, node),
        timeline.node_name(node)
    )
}

/// Where one side of a pair is: its use or entry, not its whole command.
pub(crate) fn side_span(timeline: &Timeline<'_>, side: &Side) -> Span {
    let Some(command) = timeline.command(side.node) else {
        return timeline.span(side.node);
    };
    let own = match side.part {
        Part::Use(_) | Part::Root { .. } => used(timeline, side).map(|u| u.span),
        Part::Entry(index) => {
            let entry = command.kind.barriers().get(index as usize);
            entry.map(|e| e.span)
        }
        Part::Whole => None,
    };
    own.unwrap_or(command.span)
}

/// The use that a side is, if it is one of a command or of the `set-root` before it.
pub(crate) fn used<'s>(timeline: &Timeline<'s>, side: &Side) -> Option<&'s Use> {
    let (node, index) = match side.part {
        Part::Use(index) => (side.node, index),
        Part::Root { set, index } => (set, index),
        Part::Entry(_) | Part::Whole => return None,
    };
    timeline.command(node)?.uses.get(index as usize)
}

/// The barrier entry of a side or reference.
pub(crate) fn entry<'s>(
    timeline: &Timeline<'s>,
    barrier: crate::id::BarrierRef,
) -> Option<&'s Barrier> {
    let command = timeline.command(barrier.node)?;
    command.kind.barriers().get(barrier.entry as usize)
}

/// One side of a pair for a finding. What many sides say, they share.
pub(crate) fn party(timeline: &Timeline<'_>, side: &Side, words: &mut Words) -> Party {
    let submission = timeline.submission(timeline.submission_of(side.node));
    let command = match side.barrier() {
        Some(barrier) => timeline.barrier_name(barrier),
        None => timeline.node_name(side.node),
    };
    let label = match side.barrier().and_then(|b| entry(timeline, b)) {
        Some(barrier) => format!("barrier on {}", barrier_text(timeline.scenario, barrier)),
        None => node_label(timeline, side.node),
    };
    Party {
        command: words.share(&command),
        label: words.share(&label),
        span: side_span(timeline, side),
        list: timeline.place(side.node).command.map(|(list, _)| list),
        queue: words.share(timeline.actor_name(submission.actor)),
        access: match side.part {
            // A transition.
            Part::Entry(_) => words.share(""),
            // What the CPU and a present do is no access of a pipeline: they see memory in `COMMON`.
            Part::Use(_) | Part::Root { .. } | Part::Whole => words.share(&side.access.to_string()),
        },
        stage: if side.stages.is_empty() {
            words.share("")
        } else {
            words.share(&side.stages.to_string())
        },
        may: may(timeline, side),
    }
}

/// Whether a side is a use that may not be made.
pub(crate) fn may(timeline: &Timeline<'_>, side: &Side) -> bool {
    used(timeline, side).is_some_and(|used| used.may)
}

/// A barrier entry in one line: what it applies to and from where to where.
pub(crate) fn barrier_text(scenario: &Scenario, barrier: &Barrier) -> String {
    let name = |id: &Option<_>| {
        id.map_or("null", |id| scenario.resource_name(id))
            .to_string()
    };
    let syncs = |before: BarrierSync, after: BarrierSync| format!("{before} -> {after}");
    match &barrier.target {
        BarrierTarget::Global => {
            format!("global {}", syncs(barrier.sync_before, barrier.sync_after))
        }
        BarrierTarget::EmptyGroup(_) => "empty group".into(),
        BarrierTarget::Buffer { resource, .. } => {
            format!(
                "{} {}",
                name(resource),
                syncs(barrier.sync_before, barrier.sync_after)
            )
        }
        BarrierTarget::Ranged {
            resource, range, ..
        } => format!("{}{}", name(resource), range_text(range)),
        BarrierTarget::Texture(entry) => {
            let range = match &entry.range {
                BarrierRange::Range(range) => range_text(range),
                BarrierRange::Raw(_) => "[range …]".into(),
            };
            let (name, (before, after)) = (name(&entry.resource), entry.layouts());
            if before == after || after == Layout::Undefined {
                let syncs = syncs(barrier.sync_before, barrier.sync_after);
                return format!("{name}{range} {syncs}");
            }
            format!("{name}{range} {} -> {}", before.name(), after.name())
        }
    }
}

/// Whether two queues take part, of which nothing orders one after the other: a race, or writers of one granule or
/// subresource (reading R61). A barrier orders no other queue; only a fence does.
pub(crate) fn is_between_queues(timeline: &Timeline<'_>, conflict: &Conflict) -> bool {
    let actor = |side: &Side| timeline.submission(timeline.submission_of(side.node)).actor;
    let is_shared = matches!(
        conflict.kind,
        ConflictKind::FalseSharing | ConflictKind::ConcurrentWriters
    );
    conflict.kind.is_race() || is_shared && actor(&conflict.first) != actor(&conflict.second)
}
