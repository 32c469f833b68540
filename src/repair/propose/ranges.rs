//! Ranges of texture barriers as data: cut to what exists, narrowed to some subresources, widened to more (reading R73).

use crate::api::{Layout, compat};
use crate::finding::Span;
use crate::id::ResourceId;
use crate::order::{Of, Timeline, Touch};
use crate::scenario::geometry::{self, SubresourceBox, range_of_box};
use crate::scenario::{Barrier, BarrierRange, Range, TextureShape};

/// Uses on either side of an entry that are looked at.
const USES_MAX: usize = 64;

/// What exists of a range that goes too far; `None` if it does not, or nothing does.
pub(super) fn cut(shape: &TextureShape, range: &BarrierRange) -> Option<BarrierRange> {
    let goes_too_far = geometry::written_box(shape, range).is_err();
    let exists = goes_too_far.then(|| geometry::barrier_box(shape, range));
    Some(BarrierRange::Range(range_of_box(shape, &exists?.ok()?)))
}

/// What exists next to a range of which nothing does: the last subresources in each dimension in which it goes too far.
pub(super) fn nearest(shape: &TextureShape, range: &Range) -> Option<SubresourceBox> {
    let last = |part: Option<(u32, u32)>, all: u32| match part {
        Some((first, _)) if first >= all => (all - 1, all),
        Some((first, end)) => (first, end.min(all)),
        None => (0, all),
    };
    let Range::Subresources(parts) = range else {
        return None;
    };
    Some(SubresourceBox {
        mips: last(parts.mips, shape.mips),
        layers: last(parts.layers, shape.layers),
        planes: last(parts.planes, shape.planes()),
        rect: None,
    })
}

/// The least box around two ranges; `None` if it is one of them.
pub(super) fn around_both(
    shape: &TextureShape,
    one: &BarrierRange,
    other: &BarrierRange,
) -> Option<BarrierRange> {
    let box_of = |range| geometry::barrier_box(shape, range).ok();
    let (a, b) = (box_of(one)?, box_of(other)?);
    let sub = around(a, &b);
    (sub != a && sub != b).then(|| BarrierRange::Range(range_of_box(shape, &sub)))
}

/// A barrier on another range.
pub(super) fn with_range(barrier: &Barrier, to: BarrierRange) -> Barrier {
    let mut other = barrier.clone();
    if let Some(entry) = other.as_texture_mut() {
        entry.range = to;
    }
    other
}

fn around(a: SubresourceBox, b: &SubresourceBox) -> SubresourceBox {
    a.joined(b, |a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// Ranges within that of the entry at a place, the likeliest first: what is used later as the entry leaves it, what was
/// used before as the entry finds it, and what is left without a part on which it should not act.
pub(super) fn narrowed(
    timeline: &Timeline<'_>,
    id: ResourceId,
    at: Span,
    against: Option<&BarrierRange>,
) -> Vec<BarrierRange> {
    let Some(wide) = Wide::new(timeline, id, at) else {
        return Vec::new();
    };
    let after = timeline.touches(Of::Uses(id), wide.entry.moment..);
    let mut boxes = wide.used_as(wide.layouts.1, after);
    let before = timeline.touches(Of::Uses(id), ..wide.entry.moment).rev();
    boxes.extend(wide.used_as(wide.layouts.0, before));
    let against = against.and_then(|range| geometry::barrier_box(wide.shape, range).ok());
    boxes.extend(against.iter().flat_map(|part| without(&wide.own, part)));
    let mut ranges = Vec::new();
    for sub in boxes {
        let range = BarrierRange::Range(range_of_box(wide.shape, &sub));
        if sub != wide.own && !ranges.contains(&range) {
            ranges.push(range);
        }
    }
    ranges
}

/// A barrier on several subresources of a texture, where it is executed first.
struct Wide<'t, 's> {
    timeline: &'t Timeline<'s>,
    id: ResourceId,
    shape: &'s TextureShape,
    entry: Touch<'s>,
    own: SubresourceBox,
    layouts: (Layout, Layout),
}

impl<'t, 's> Wide<'t, 's> {
    fn new(timeline: &'t Timeline<'s>, id: ResourceId, at: Span) -> Option<Self> {
        let shape = timeline.scenario.resource(id).texture()?;
        let is_there = |touch: &Touch<'_>| {
            let entry = touch.entry();
            entry.is_some_and(|(_, barrier)| barrier.span.start == at.start)
        };
        let entry = timeline
            .touches(Of::Entries(Some(id)), ..)
            .find(is_there)
            .filter(|_| shape.subresources() > 1)?;
        let barrier = entry.entry()?.1;
        Some(Self {
            timeline,
            id,
            shape,
            entry,
            own: geometry::part_of_barrier(timeline.scenario, barrier)?,
            layouts: barrier.transition()?,
        })
    }

    /// What some uses touch of it in a layout that allows them, with no other barrier in between: the first by itself, then
    /// all of them.
    fn used_as(
        &self,
        layout: Layout,
        touches: impl Iterator<Item = Touch<'s>>,
    ) -> Vec<SubresourceBox> {
        let traits = self.timeline.scenario.traits(self.id);
        let boxes = touches.take(USES_MAX).filter_map(|touch| {
            let used = touch.used()?;
            let sub = geometry::part_of_use(self.timeline.scenario, used)?;
            let is_allowed = compat::layout_allows(layout, used.access, traits);
            (is_allowed && sub.meets(&self.own) && !self.is_cut_off(&touch, &sub))
                .then(|| sub.joined(&self.own, |a, b| (a.0.max(b.0), a.1.min(b.1))))
        });
        let boxes: Vec<SubresourceBox> = boxes.collect();
        let all = boxes.iter().copied().reduce(|a, b| around(a, &b));
        boxes.first().copied().into_iter().chain(all).collect()
    }

    /// Whether another barrier is between this one and a use.
    fn is_cut_off(&self, touch: &Touch<'_>, sub: &SubresourceBox) -> bool {
        let (own, other) = (self.entry.moment, touch.moment);
        let between = own.min(other)..own.max(other);
        let mut entries = self.timeline.touches(Of::Entries(Some(self.id)), between);
        entries.any(|entry| {
            let barrier = entry.entry().filter(|_| entry.moment != own);
            let part = barrier.and_then(|(_, barrier)| {
                geometry::part_of_barrier(self.timeline.scenario, barrier)
            });
            part.is_some_and(|part| part.meets(sub))
        })
    }
}

/// The boxes next to a part of a box that goes through all of it but for one dimension.
fn without(own: &SubresourceBox, part: &SubresourceBox) -> Vec<SubresourceBox> {
    let sides = |all: (u32, u32), part: (u32, u32)| {
        let sides = [(all.0, part.0.min(all.1)), (part.1.max(all.0), all.1)];
        sides.into_iter().filter(|(first, end)| first < end)
    };
    let mips = sides(own.mips, part.mips).map(|mips| SubresourceBox { mips, ..*own });
    let layers = sides(own.layers, part.layers).map(|layers| SubresourceBox { layers, ..*own });
    let planes = sides(own.planes, part.planes).map(|planes| SubresourceBox { planes, ..*own });
    mips.chain(layers).chain(planes).collect()
}
