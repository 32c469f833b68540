//! Where the layout comes from in which a use finds its texture: the barrier that set it, or the declaration.
//!
//! Looks back from the use, over the entries that change the texture's layout, until one is found that left the wrong
//! one.

use super::chain::Budget;
use crate::analyze::names;
use crate::api::Layout;
use crate::finding::{Finding, Related};
use crate::graph::{Conflict, ConflictKind};
use crate::id::BarrierRef;
use crate::order::{Of, Timeline};
use crate::scenario::{Barrier, BarrierRange, Placement, Range, TextureShape, geometry};

/// Subresources that are followed at most.
const PARTS_MAX: u32 = 4_096;

/// Where a layout comes from, and which subresources have it.
pub(super) struct Origin {
    /// The entry that set it; `None` if the texture was created so.
    setter: Option<BarrierRef>,
    parts: Vec<u32>,
}

/// Where the layout of a layout mismatch comes from, or the way out of `UNDEFINED` of a use without metadata. `None`
/// if nothing left the wrong one, for other conflicts, and beyond the budget.
pub(super) fn of(
    timeline: &Timeline<'_>,
    conflict: &Conflict,
    budget: &mut Budget,
) -> Option<Origin> {
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
    let now = timeline.moment(second.node, None);
    let before = timeline
        .touches(Of::Entries(Some(second.resource)), ..now)
        .rev();
    for (setter, barrier) in before.filter_map(|touch| touch.entry()) {
        let Some((range, before, after)) = relayout(barrier) else {
            continue;
        };
        budget.take(1)?;
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

/// Where an entry changes a texture's layout, from which to which.
fn relayout(barrier: &Barrier) -> Option<(&BarrierRange, Layout, Layout)> {
    let entry = barrier.as_texture()?;
    let (before, after) = entry.layouts();
    (after != Layout::Undefined).then_some((&entry.range, before, after))
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
