//! Which layout each texture subresource has, as barriers change it along the timeline.

use crate::api::{Layout, ResourceFlags};
use crate::id::ResourceId;
use crate::scenario::geometry::{self, SubresourceBox};
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, Initial, Range, Resource, ResourceKind, Scenario,
};

/// Current layouts. Walk the submissions in evaluation order and [`apply`](Self::apply) every barrier.
///
/// Subresources are kept as runs of equal layout, so that a texture with thousands of subresources costs one entry
/// until a barrier tells some of them apart.
#[derive(Clone, Debug)]
pub struct LayoutTracker {
    /// Per resource: `(first subresource index, layout)`, ascending; empty for buffers.
    runs: Vec<Vec<(u32, Layout)>>,
}

impl LayoutTracker {
    /// Layouts as created. `initial_of` says which layout a legacy `state` stands for.
    pub fn new(scenario: &Scenario, initial_of: impl Fn(&Resource) -> Layout) -> Self {
        let runs = scenario
            .resources
            .values()
            .map(|resource| match &resource.kind {
                ResourceKind::Buffer { .. } => Vec::new(),
                ResourceKind::Texture(_) => vec![(0, initial_of(resource))],
            })
            .collect();
        Self { runs }
    }

    /// The declared initial layout of a texture that was not created with a legacy state.
    pub fn declared(resource: &Resource) -> Layout {
        match resource.initial {
            Initial::Layout(layout) => layout,
            Initial::Default | Initial::State(_) => Layout::Common,
        }
    }

    /// Layout of one subresource. A buffer has none: `UNDEFINED`.
    pub fn get(&self, resource: ResourceId, subresource: u32) -> Layout {
        let runs = &self.runs[resource.index()];
        match runs.partition_point(|(first, _)| *first <= subresource) {
            0 => Layout::Undefined,
            after => runs[after - 1].1,
        }
    }

    /// The layout that all subresources of a texture have, if they have one.
    #[inline]
    pub fn single(&self, resource: ResourceId) -> Option<Layout> {
        match self.runs[resource.index()].as_slice() {
            [(_, layout)] => Some(*layout),
            _ => None,
        }
    }

    /// Calls `each` with every distinct run of layouts that a box of subresources meets: `(first, end, layout)`.
    pub fn for_each(
        &self,
        scenario: &Scenario,
        resource: ResourceId,
        sub: &SubresourceBox,
        mut each: impl FnMut(u32, u32, Layout),
    ) {
        let Some(shape) = scenario.resource(resource).texture() else {
            return;
        };
        let runs = &self.runs[resource.index()];
        if let [(_, layout)] = runs.as_slice() {
            let last = shape.index(sub.mips.1 - 1, sub.layers.1 - 1, sub.planes.1 - 1);
            each(
                shape.index(sub.mips.0, sub.layers.0, sub.planes.0),
                last + 1,
                *layout,
            );
            return;
        }
        for (first, end) in sub.index_runs(shape) {
            let mut at = runs.partition_point(|(start, _)| *start <= first) - 1;
            let mut from = first;
            while from < end {
                let until = runs.get(at + 1).map_or(end, |(start, _)| (*start).min(end));
                each(from, until, runs[at].1);
                from = until;
                at += 1;
            }
        }
    }

    /// The layout of a range, if all of it has one; `None` for buffers, mixed or out-of-bounds ranges.
    pub fn uniform(
        &self,
        scenario: &Scenario,
        resource: ResourceId,
        range: &Range,
    ) -> Option<Layout> {
        let shape = scenario.resource(resource).texture()?;
        let sub = geometry::subresource_box(shape, range).ok()?;
        self.of_box(scenario, resource, &sub)
    }

    /// The same for the range of a barrier.
    pub fn uniform_for_barrier(
        &self,
        scenario: &Scenario,
        resource: ResourceId,
        range: &BarrierRange,
    ) -> Option<Layout> {
        let shape = scenario.resource(resource).texture()?;
        let sub = geometry::barrier_box(shape, range).ok()?;
        self.of_box(scenario, resource, &sub)
    }

    fn of_box(
        &self,
        scenario: &Scenario,
        resource: ResourceId,
        sub: &SubresourceBox,
    ) -> Option<Layout> {
        let mut found = None;
        let mut mixed = false;
        self.for_each(scenario, resource, sub, |_, _, layout| {
            mixed |= found.is_some_and(|f| f != layout);
            found = Some(layout);
        });
        found.filter(|_| !mixed)
    }

    /// Applies a barrier's layout change. A split pair changes the layout with its first half; memory-only barriers
    /// (both layouts `UNDEFINED`) and simultaneous-access textures change nothing.
    pub fn apply(&mut self, scenario: &Scenario, barrier: &Barrier) {
        let BarrierTarget::Texture {
            resource: Some(id),
            range,
            layout_before,
            layout_after,
            ..
        } = &barrier.target
        else {
            return;
        };
        let resource = scenario.resource(*id);
        let Some(shape) = resource.texture() else {
            return;
        };
        let memory_only = *layout_before == Layout::Undefined && *layout_after == Layout::Undefined;
        if memory_only || resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS) {
            return;
        }
        let Ok(sub) = geometry::barrier_box(shape, range) else {
            return;
        };
        if sub.is_all(shape) {
            self.runs[id.index()] = vec![(0, *layout_after)];
            return;
        }
        let count = shape.subresources();
        for (first, end) in sub.index_runs(shape) {
            set_run(&mut self.runs[id.index()], first, end, count, *layout_after);
        }
    }
}

/// Sets subresources `first..end` of `count` to `layout`, keeping runs maximal.
fn set_run(runs: &mut Vec<(u32, Layout)>, first: u32, end: u32, count: u32, layout: Layout) {
    let before = runs.partition_point(|(start, _)| *start < first);
    let after = runs.partition_point(|(start, _)| *start <= end);
    // The layout that continues at `end`, if anything does.
    let rest = (end < count).then(|| (end, runs[after - 1].1));
    let left = before.checked_sub(1).map(|i| runs[i].1);
    let mut replacement = Vec::with_capacity(2);
    if left != Some(layout) {
        replacement.push((first, layout));
    }
    if let Some(rest) = rest.filter(|(_, l)| *l != layout) {
        replacement.push(rest);
    }
    runs.splice(before..after, replacement);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of edits on a small texture against one layout per subresource.
    #[test]
    fn runs_equal_one_layout_per_subresource() {
        let layouts = [Layout::Common, Layout::CopyDest];
        let count = 5;
        let mut spans = Vec::new();
        for first in 0..count {
            for end in first + 1..=count {
                for layout in layouts {
                    spans.push((first, end, layout));
                }
            }
        }
        for a in &spans {
            for b in &spans {
                for c in &spans {
                    let mut runs = vec![(0, Layout::RenderTarget)];
                    let mut plain = vec![Layout::RenderTarget; count as usize];
                    for (first, end, layout) in [a, b, c] {
                        set_run(&mut runs, *first, *end, count, *layout);
                        plain[*first as usize..*end as usize].fill(*layout);
                    }
                    let tracker = LayoutTracker {
                        runs: vec![runs.clone()],
                    };
                    let read: Vec<_> = (0..count).map(|i| tracker.get(ResourceId(0), i)).collect();
                    assert_eq!(read, plain, "after {a:?} {b:?} {c:?}");
                    assert!(
                        runs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 != w[1].1),
                        "{runs:?}"
                    );
                }
            }
        }
    }
}
