//! The chain from the first use to the second, link by link, with the field that broke it.
//!
//! A link is a barrier entry between the two that acts on their memory (or on all), the first or the second itself if it
//! is one, or a wait or signal between two queues. `links.rs` judges the links of one queue together.

use super::super::names;
use super::links::Links;
use crate::api::LeafSet;
use crate::finding::{Finding, Related, Span};
use crate::graph::{Conflict, ConflictKind, Part};
use crate::id::{BarrierRef, NodeId, ResourceId, SubmissionId, narrow};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::scenario::geometry;
use crate::scenario::{Barrier, BarrierTarget};

/// Commands that one chain looks at; of a longer way, its end.
const WAY_MAX: u32 = 4_096;
/// Links that are drawn; of a longer chain, its end.
const LINKS_MAX: usize = 6;

/// Commands that all chains of one run may look at; beyond, a chain is only its last link.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    commands: u32,
    /// The waits of each actor, ascending, once a chain between queues has asked for them.
    waits: Option<Vec<Vec<SubmissionId>>>,
}

impl Budget {
    /// Takes so many commands; `None` if they are not left.
    pub(super) fn take(&mut self, commands: u32) -> Option<()> {
        self.commands = self.commands.checked_sub(commands)?;
        Some(())
    }

    /// The latest wait of a submission's actor before it.
    fn wait_before(
        &mut self,
        timeline: &Timeline<'_>,
        second: SubmissionId,
    ) -> Option<SubmissionId> {
        let waits = self.waits.get_or_insert_with(|| {
            let mut waits = vec![Vec::new(); timeline.actor_count()];
            for (at, submission) in timeline.submissions.iter().enumerate() {
                if matches!(submission.kind, SubmissionKind::Wait { .. }) {
                    waits[timeline.actor_index(submission.actor)].push(SubmissionId::new(at));
                }
            }
            waits
        });
        let own = &waits[timeline.actor_index(timeline.submission(second).actor)];
        let before = own.partition_point(|wait| *wait < second);
        own[..before].last().copied()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            commands: 200_000,
            waits: None,
        }
    }
}

/// Adds the links of a conflict to its finding.
pub(super) fn draw(
    timeline: &Timeline<'_>,
    conflict: &Conflict,
    finding: &mut Finding,
    budget: &mut Budget,
) {
    if names::is_between_queues(timeline, conflict) {
        between_queues(timeline, conflict, finding, budget);
    } else if conflict.kind.is_data() || conflict.kind == ConflictKind::FalseSharing {
        let links = links(timeline, conflict, budget);
        if links.is_empty() {
            finding
                .notes
                .push("no barrier between (1) and (2) acts on this memory".into());
            elsewhere(timeline, conflict, finding, budget);
            return;
        }
        let labelled = labelled(timeline, conflict, &links, budget);
        if labelled.iter().all(|(_, label, _)| !label.contains('✗')) {
            finding.notes.push(
                if conflict.ordered {
                    "✗ access: no barrier carries what (1) wrote to (2)"
                } else {
                    "✗ order: these barriers do not compose: barriers order work, not each other, and between \
                     them there is no work that one holds and the next waits for"
                }
                .into(),
            );
        }
        for (span, label, end) in labelled {
            match end {
                Some(end) => finding.notes.push(format!("{end} itself: {label}").into()),
                None => finding.related.push(Related {
                    span,
                    label: label.into(),
                }),
            }
        }
    }
}

/// A barrier entry on the way.
pub(super) struct Link<'s> {
    pub(super) id: BarrierRef,
    pub(super) barrier: &'s Barrier,
}

/// Entries between the two on their memory, the first and the second themselves included if they are entries.
fn links<'s>(timeline: &Timeline<'s>, conflict: &Conflict, budget: &mut Budget) -> Vec<Link<'s>> {
    let acts = |barrier: &Barrier| {
        acts_on(barrier, conflict.second.resource) || acts_on(barrier, conflict.first.resource)
    };
    entries(timeline, conflict, budget, acts).unwrap_or_else(|| {
        let mut ids = vec![
            conflict.first.barrier(),
            conflict.barrier,
            conflict.second.barrier(),
        ];
        ids.dedup();
        let link = |id: BarrierRef| {
            let barrier = names::entry(timeline, id)?;
            Some(Link { id, barrier })
        };
        ids.into_iter().flatten().filter_map(link).collect()
    })
}

/// The last entries between the two that are wanted; `None` across scopes and beyond the budget.
fn entries<'s>(
    timeline: &Timeline<'s>,
    conflict: &Conflict,
    budget: &mut Budget,
    wanted: impl Fn(&Barrier) -> bool,
) -> Option<Vec<Link<'s>>> {
    let (first, second) = (conflict.first, conflict.second);
    if first.node > second.node
        || timeline.submission_of(first.node) != timeline.submission_of(second.node)
    {
        return None;
    }
    let from = first.node.0.max(second.node.0.saturating_sub(WAY_MAX));
    budget.take(second.node.0 - from + 1)?;
    let mut links = Vec::new();
    for node in (from..=second.node.0).map(NodeId) {
        let Some(command) = timeline.command(node) else {
            continue;
        };
        for (entry, barrier) in command.kind.barriers().iter().enumerate() {
            let id = BarrierRef::new(node, narrow(entry));
            let place = (node, id.entry);
            let after_first = first.barrier().is_none_or(|b| (b.node, b.entry) <= place);
            let up_to_second = second.barrier().is_none_or(|b| place <= (b.node, b.entry));
            let is_empty = matches!(barrier.target, BarrierTarget::EmptyGroup(_));
            if after_first && up_to_second && !is_empty && wanted(barrier) {
                links.push(Link { id, barrier });
            }
        }
    }
    let surplus = links.len().saturating_sub(LINKS_MAX);
    links.drain(..surplus);
    Some(links)
}

fn acts_on(barrier: &Barrier, id: ResourceId) -> bool {
    match &barrier.target {
        BarrierTarget::Global => true,
        BarrierTarget::EmptyGroup(_) => false,
        BarrierTarget::Texture(_) | BarrierTarget::Buffer { .. } | BarrierTarget::Ranged { .. } => {
            barrier.resource() == Some(id)
        }
    }
}

/// Entries on other memory that wait for the first use or hold the second: they order work, and nothing else. Of a pair
/// that is ordered anyway (readings R12, R20), what a single entry leaves unordered is no fault.
fn elsewhere(
    timeline: &Timeline<'_>,
    conflict: &Conflict,
    finding: &mut Finding,
    budget: &mut Budget,
) {
    let from = first_leaves(timeline, conflict);
    let to = conflict.second.stages;
    let ordering = |barrier: &Barrier| {
        let waits = !from.is_empty() && barrier.sync_before.leaves().contains(from);
        let holds = !to.is_empty() && barrier.sync_after.leaves().contains(to);
        (waits, holds)
    };
    let links = entries(timeline, conflict, budget, |barrier| {
        ordering(barrier) != (false, false)
    });
    for link in links.unwrap_or_default() {
        let needs_access = conflict.kind != ConflictKind::WriteAfterRead;
        let label = match ordering(link.barrier) {
            (true, true) if needs_access => "✓ order, ✗ access: acts on other memory".to_string(),
            (true, true) => "✓ order".to_string(),
            _ if conflict.ordered => continue,
            (true, _) => format!(
                "✗ order: waits for (1), but holds {}; (2) is at {to}",
                link.barrier.sync_after
            ),
            (false, _) => format!(
                "✗ order: holds (2), but waits for {}; (1) is at {from}",
                link.barrier.sync_before
            ),
        };
        finding.related.push(Related {
            span: link.barrier.span,
            label: format!("{}: {label}", timeline.barrier_name(link.id)).into(),
        });
    }
}

/// Each link with what it does and what it lacks; of an end of the chain, which one it is.
fn labelled(
    timeline: &Timeline<'_>,
    conflict: &Conflict,
    links: &[Link<'_>],
    budget: &mut Budget,
) -> Vec<(Span, String, Option<&'static str>)> {
    let texts = Links::new(timeline, conflict, links, budget).texts();
    let labels = links.iter().zip(texts).map(|(link, mut parts)| {
        let is_first = conflict.first.barrier() == Some(link.id);
        let is_second = conflict.second.barrier() == Some(link.id);
        parts.extend(range(timeline, conflict, link, is_first || is_second));
        let label = format!("{}: {}", timeline.barrier_name(link.id), parts.join(", "));
        let end = match (is_first, is_second) {
            (_, true) => Some("(2)"),
            (true, _) => Some("(1)"),
            _ => None,
        };
        (link.barrier.span, label, end)
    });
    labels.collect()
}

/// Leaves of the first side: of its use, or those that its transition holds.
pub(super) fn first_leaves(timeline: &Timeline<'_>, conflict: &Conflict) -> LeafSet {
    match conflict
        .first
        .barrier()
        .and_then(|id| names::entry(timeline, id))
    {
        Some(barrier) => barrier.sync_after.leaves(),
        None => conflict.first.stages,
    }
}

/// A link that acts on less than the second use touches, or on another alias.
fn range(
    timeline: &Timeline<'_>,
    conflict: &Conflict,
    link: &Link<'_>,
    is_end: bool,
) -> Option<String> {
    let (id, entry) = link.barrier.named_texture()?;
    let second = &conflict.second;
    if is_end || id != second.resource {
        return None;
    }
    let shape = timeline.scenario.resource(id).texture()?;
    let command = timeline.command(second.node)?;
    let Part::Use(index) = second.part else {
        return None;
    };
    let used = geometry::subresource_box(shape, &command.uses.get(index as usize)?.range).ok()?;
    let acts = geometry::barrier_box(shape, &entry.range).ok()?;
    (!acts.contains(&used)).then(|| "✗ range: acts on other or fewer subresources than (2)".into())
}

/// What lies between two queues: the latest wait before the second, and the signal that it comes after.
fn between_queues(
    timeline: &Timeline<'_>,
    conflict: &Conflict,
    finding: &mut Finding,
    budget: &mut Budget,
) {
    let first = timeline.submission_of(conflict.first.node);
    let second = timeline.submission_of(conflict.second.node);
    let actor = timeline.submission(second).actor;
    let from = timeline.submission(first).actor;
    let name = |actor: Actor| timeline.actor_name(actor);
    let wait = budget.wait_before(timeline, second);
    let wait = wait.and_then(|id| match timeline.submission(id).kind {
        SubmissionKind::Wait { fence, value } => Some((id, fence, value)),
        _ => None,
    });
    let Some((wait, fence, value)) = wait else {
        finding
            .notes
            .push(format!("`{}` waits for no fence before (2)", name(actor)).into());
        return;
    };
    let initial = timeline.scenario.fences[fence].initial;
    let fence = timeline.scenario.fence_name(fence);
    let label = match timeline.awaited_signal(wait) {
        None if initial >= value => {
            format!("✗ order: {fence} starts at {initial}: a wait for {value} is over at once")
        }
        None => {
            format!("✗ order: no single signal is known to release this wait for {fence} {value}")
        }
        Some(signal) => {
            let signaller = timeline.submission(signal);
            finding.related.push(Related {
                span: signaller.statement.span,
                label: format!("`{}` signals here", name(signaller.actor)).into(),
            });
            let (who, by) = (name(actor), name(signaller.actor));
            if signaller.actor == from {
                format!(
                    "✗ order: `{who}` waits for {fence} {value}, which `{by}` signals before (1)"
                )
            } else {
                format!(
                    "✗ order: `{who}` waits for {fence} {value} of `{by}`, which does not order (1) on `{}`",
                    name(from)
                )
            }
        }
    };
    finding.related.push(Related {
        span: timeline.submission(wait).statement.span,
        label: label.into(),
    });
}
