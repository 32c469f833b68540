//! Where the layout comes from in which a use finds its texture: the barrier that set it, or the declaration.
//!
//! Looks back from the use, over the entries that change the texture's layout, until one is found that left the wrong
//! one.

use super::chain::Budget;
use crate::analyze::names;
use crate::api::Layout;
use crate::finding::{Finding, Related};
use crate::graph::{Conflict, ConflictKind};
use crate::id::{BarrierRef, NodeId, ResourceId, SubmissionId, Table, narrow};
use crate::order::{SubmissionKind, Timeline};
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, Placement, Range, TextureShape, geometry,
};

/// Subresources that are followed at most.
const PARTS_MAX: u32 = 4_096;

/// Where a layout comes from, and which subresources have it.
pub(super) struct Origin {
    /// The entry that set it; `None` if the texture was created so.
    setter: Option<BarrierRef>,
    parts: Vec<u32>,
}

/// Whether a conflict is about a layout that something has set.
pub(super) fn has_one(conflict: &Conflict) -> bool {
    matches!(
        conflict.kind,
        ConflictKind::LayoutMismatch | ConflictKind::MetadataUninitialised
    )
}

/// The barrier entries that change layouts, by texture.
pub(super) struct Relayouts<'t, 's> {
    timeline: &'t Timeline<'s>,
    /// Place of each submission in the order of evaluation.
    ranks: Table<SubmissionId, u32>,
    /// Entries of each resource, in the order of evaluation, with the place of their submission.
    entries: Table<ResourceId, Vec<(u32, BarrierRef)>>,
}

impl<'t, 's> Relayouts<'t, 's> {
    /// Looks at each command once.
    pub(super) fn new(timeline: &'t Timeline<'s>) -> Self {
        let mut ranks = Table::filled(timeline.submissions.len(), 0);
        let mut entries = Table::filled(timeline.scenario.resources.len(), Vec::new());
        for (rank, id) in timeline.evaluation.iter().enumerate() {
            let rank = narrow(rank);
            ranks[id] = rank;
            if timeline.submission(id).kind != SubmissionKind::Execute {
                continue;
            }
            for (node, _, command) in timeline.commands(id) {
                for (entry, barrier) in command.kind.barriers().iter().enumerate() {
                    let entry = narrow(entry);
                    if let Some((resource, ..)) = relayout(barrier) {
                        entries[resource].push((rank, BarrierRef { node, entry }));
                    }
                }
            }
        }
        Self {
            timeline,
            ranks,
            entries,
        }
    }

    /// Entries of a resource before a node, the last first.
    fn before(&self, resource: ResourceId, node: NodeId) -> impl Iterator<Item = BarrierRef> {
        let rank = self.ranks[self.timeline.submission_of(node)];
        let entries = &self.entries[resource];
        let count = entries.partition_point(|(at, entry)| (*at, entry.node) < (rank, node));
        entries[..count].iter().rev().map(|(_, entry)| *entry)
    }

    /// Where the layout of a layout mismatch comes from, or the way out of `UNDEFINED` of a use without metadata. `None`
    /// if nothing left the wrong one, for other conflicts, and beyond the budget.
    pub(super) fn origin(&self, conflict: &Conflict, budget: &mut Budget) -> Option<Origin> {
        let timeline = self.timeline;
        let wanted = match conflict.kind {
            ConflictKind::LayoutMismatch => conflict.layout?,
            ConflictKind::MetadataUninitialised => Layout::Undefined,
            _ => return None,
        };
        let second = &conflict.second;
        let shape = timeline.scenario.resource(second.resource).texture()?;
        let used = names::used(timeline, second).map_or(&Range::All, |used| &used.range);
        let used = geometry::subresource_box(shape, used).ok()?;
        let mut open: Vec<u32> = used
            .index_runs(shape)
            .into_iter()
            .flat_map(|(first, end)| first..end)
            .take(PARTS_MAX as usize)
            .collect();
        for setter in self.before(second.resource, second.node) {
            budget.take(1)?;
            let barrier = names::entry(timeline, setter)?;
            let Some((_, range, before, after)) = relayout(barrier) else {
                continue;
            };
            let Ok(sub) = geometry::barrier_box(shape, range) else {
                continue;
            };
            let is_it = match conflict.kind {
                ConflictKind::LayoutMismatch => after == wanted,
                _ => before == wanted,
            };
            let (changed, rest): (Vec<u32>, Vec<u32>) =
                open.iter().partition(|part| has(shape, &sub, **part));
            if !changed.is_empty() && is_it {
                return Some(Origin {
                    setter: Some(setter),
                    parts: changed,
                });
            }
            // Of metadata, the latest change says nothing: an earlier one may have initialised it.
            if conflict.kind == ConflictKind::LayoutMismatch {
                open = rest;
            }
            if open.is_empty() {
                return None;
            }
        }
        Some(Origin {
            setter: None,
            parts: open,
        })
    }
}

/// The texture whose layout an entry changes, where, from which to which.
fn relayout(barrier: &Barrier) -> Option<(ResourceId, &BarrierRange, Layout, Layout)> {
    match &barrier.target {
        BarrierTarget::Texture {
            resource: Some(resource),
            range,
            layout_before,
            layout_after,
            ..
        } if *layout_after != Layout::Undefined => {
            Some((*resource, range, *layout_before, *layout_after))
        }
        _ => None,
    }
}

fn has(shape: &TextureShape, sub: &geometry::SubresourceBox, part: u32) -> bool {
    let (mip, layer, plane) = shape.coordinates(part);
    let inside = |(from, to): (u32, u32), at: u32| from <= at && at < to;
    inside(sub.mips, mip) && inside(sub.layers, layer) && inside(sub.planes, plane)
}

impl Origin {
    /// Marks the place in a finding, as (1).
    pub(super) fn mark(&self, timeline: &Timeline<'_>, conflict: &Conflict, finding: &mut Finding) {
        let scenario = timeline.scenario;
        let id = conflict.second.resource;
        let name = scenario.resource_name(id);
        let is_layout = conflict.kind == ConflictKind::LayoutMismatch;
        let entry = self
            .setter
            .and_then(|setter| Some((setter, names::entry(timeline, setter)?)));
        let (span, label) = if let Some((setter, barrier)) = entry {
            let by = timeline.barrier_name(setter);
            let what = match conflict.layout.filter(|_| is_layout) {
                Some(layout) => format!("(1) {by} leaves `{name}` in {}", layout.name()),
                None => format!("(1) {by} takes `{name}` out of UNDEFINED without `discard`"),
            };
            (barrier.span, what)
        } else {
            let resource = scenario.resource(id);
            let what = if let Some(layout) = conflict.layout.filter(|_| is_layout) {
                format!("(1) `{name}` is created in {}", layout.name())
            } else {
                let memory = match resource.placement {
                    Placement::Placed { .. } => "placed",
                    _ => "reserved",
                };
                format!("(1) `{name}` is in {memory} memory, which creation does not initialise")
            };
            (resource.span, what)
        };
        finding.related.push(Related {
            span,
            label: label.into(),
        });
    }

    /// The subresources as text, if they are not all that the texture has.
    pub(super) fn parts_text(&self, shape: &TextureShape) -> Option<String> {
        let first = *self.parts.first()?;
        if self.parts.len() == shape.subresources() as usize {
            return None;
        }
        let (mip, layer, plane) = shape.coordinates(first);
        let dimensions = [
            ("mip", mip, shape.mips),
            ("layer", layer, shape.layers),
            ("plane", plane, shape.planes()),
        ];
        let part =
            |(word, at, count): (&str, u32, u32)| (count > 1).then(|| format!("{word} {at}"));
        let parts: Vec<String> = dimensions.into_iter().filter_map(part).collect();
        Some(match self.parts.len() - 1 {
            0 => format!("[{}]", parts.join(", ")),
            1 => format!("[{}] and one more subresource", parts.join(", ")),
            more => format!("[{}] and {more} more subresources", parts.join(", ")),
        })
    }
}
