//! Which layout each texture subresource has, as barriers change it along the timeline.

use super::Pages;
use crate::api::Layout;
use crate::id::{ResourceId, Table};
use crate::scenario::geometry::{self, SubresourceBox};
use crate::scenario::{Barrier, BarrierRange, Initial, Range, Resource, ResourceKind, Scenario};
use smallvec::SmallVec;

/// Current layouts. Walk the submissions in evaluation order and [`apply`](Self::apply) every barrier.
///
/// Subresources are kept as runs of equal layout, so that a texture with thousands of subresources costs one entry
/// until a barrier tells some of them apart.
#[derive(Clone, Debug)]
pub struct LayoutTracker {
    /// Layouts of each resource.
    runs: Table<ResourceId, Runs>,
}

impl LayoutTracker {
    /// Layouts as created. `initial_of` says which layout a legacy `state` stands for.
    pub fn new(scenario: &Scenario, initial_of: impl Fn(&Resource) -> Layout) -> Self {
        let runs = scenario
            .resources
            .values()
            .map(|resource| match &resource.kind {
                ResourceKind::Buffer { .. } => Runs::Few(Vec::new()),
                ResourceKind::Texture(_) => Runs::Few(vec![(0, initial_of(resource))]),
            })
            .collect();
        Self { runs }
    }

    /// Gives all of a texture one layout, as if it had been created with it. A buffer has none.
    pub fn restart(&mut self, resource: ResourceId, layout: Layout) {
        let runs = &mut self.runs[resource];
        let is_textures = !matches!(runs, Runs::Few(runs) if runs.is_empty());
        if is_textures && runs.single() != Some(layout) {
            *runs = Runs::Few(vec![(0, layout)]);
        }
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
        self.runs[resource].get(subresource)
    }

    /// The layout that all subresources of a texture have, if they have one.
    #[inline]
    pub fn single(&self, resource: ResourceId) -> Option<Layout> {
        self.runs[resource].single()
    }

    /// Whether every layout that some subresource of a texture has is such a one. Costs the layouts, not the subresources.
    #[inline]
    pub fn all(&self, resource: ResourceId, is_such: impl Fn(Layout) -> bool) -> bool {
        match &self.runs[resource] {
            Runs::Few(runs) => runs.iter().all(|(_, layout)| is_such(*layout)),
            Runs::Many(many) => many.present.iter().all(|(layout, _)| is_such(*layout)),
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
        self.find(scenario, resource, sub, |first, end, layout| {
            each(first, end, layout);
            None::<()>
        });
    }

    /// The same, until `each` gives something.
    pub fn find<T>(
        &self,
        scenario: &Scenario,
        resource: ResourceId,
        sub: &SubresourceBox,
        mut each: impl FnMut(u32, u32, Layout) -> Option<T>,
    ) -> Option<T> {
        let shape = scenario.resource(resource).texture()?;
        let runs = &self.runs[resource];
        if let Some(layout) = runs.single() {
            let last = shape.index(sub.mips.1 - 1, sub.layers.1 - 1, sub.planes.1 - 1);
            let first = shape.index(sub.mips.0, sub.layers.0, sub.planes.0);
            return each(first, last + 1, layout);
        }
        let mut ranges = sub.index_runs(shape).into_iter();
        ranges.find_map(|(first, end)| runs.find(first, end, &mut each))
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
        let Some((id, entry)) = barrier.named_texture() else {
            return;
        };
        let resource = scenario.resource(id);
        let Some(shape) = resource.texture() else {
            return;
        };
        if entry.is_memory_only() || resource.is_simultaneous() {
            return;
        }
        let Ok(sub) = geometry::barrier_box(shape, &entry.range) else {
            return;
        };
        if sub.is_all(shape) {
            self.runs[id] = Runs::Few(vec![(0, entry.layout_after)]);
            return;
        }
        let count = shape.subresources();
        for (first, end) in sub.index_runs(shape) {
            self.runs[id].set(first, end, count, entry.layout_after);
        }
    }
}

/// Runs beyond which they are kept in pages: an entry in the middle of a long list moves all that follow.
#[cfg(not(test))]
const FEW: usize = 32;
/// Few enough for the tests to meet both forms.
#[cfg(test)]
const FEW: usize = 2;

/// Runs of equal layout, as `(first subresource index, layout)`; none of a buffer.
#[derive(Clone, Debug)]
enum Runs {
    /// At most [`FEW`], ascending.
    Few(Vec<(u32, Layout)>),
    /// Any number: few textures have so many, and every resource has a place for them.
    Many(Box<Many>),
}

/// Any number of runs, with how many have each layout.
#[derive(Clone, Debug)]
struct Many {
    pages: Pages<Layout>,
    present: SmallVec<[(Layout, u32); 4]>,
}

impl Many {
    fn new(runs: &[(u32, Layout)], count: u32) -> Self {
        let mut made = Self {
            pages: Pages::new(runs, count),
            present: SmallVec::new(),
        };
        for (_, layout) in runs {
            made.add(*layout);
        }
        made
    }

    fn add(&mut self, layout: Layout) {
        match self.present.iter_mut().find(|known| known.0 == layout) {
            Some((_, count)) => *count += 1,
            None => self.present.push((layout, 1)),
        }
    }

    fn remove(&mut self, layout: Layout) {
        for known in self.present.iter_mut().filter(|known| known.0 == layout) {
            known.1 -= 1;
        }
        self.present.retain(|known| known.1 > 0);
    }

    /// Puts other runs in the place of those that begin at `first..=last`.
    fn replace(&mut self, first: u32, last: u32, runs: &[(u32, Layout)]) {
        let mut next = match self.pages.at(first).0 {
            start if start == first => Some(start),
            _ => self.pages.next(first),
        };
        while let Some(start) = next.filter(|start| *start <= last) {
            let layout = *self.pages.at(start).1;
            self.remove(layout);
            next = self.pages.next(start);
        }
        for (_, layout) in runs {
            self.add(*layout);
        }
        self.pages.replace(first, last, runs);
    }
}

impl Runs {
    /// The layout that all have, if they have one.
    #[inline]
    fn single(&self) -> Option<Layout> {
        match self {
            Self::Few(runs) => match runs.as_slice() {
                [(_, layout)] => Some(*layout),
                _ => None,
            },
            Self::Many(_) => None,
        }
    }

    fn get(&self, subresource: u32) -> Layout {
        match self {
            Self::Few(runs) => match runs.partition_point(|(first, _)| *first <= subresource) {
                0 => Layout::Undefined,
                after => runs[after - 1].1,
            },
            Self::Many(many) => *many.pages.at(subresource).1,
        }
    }

    /// Calls `each` with every run that meets `first..end`, cut to it, until it gives something. There is one.
    fn find<T>(
        &self,
        first: u32,
        end: u32,
        mut each: impl FnMut(u32, u32, Layout) -> Option<T>,
    ) -> Option<T> {
        match self {
            Self::Few(runs) => {
                let mut at = runs.partition_point(|(start, _)| *start <= first) - 1;
                let mut from = first;
                while from < end {
                    let until = runs.get(at + 1).map_or(end, |(start, _)| (*start).min(end));
                    let found = each(from, until, runs[at].1);
                    if found.is_some() {
                        return found;
                    }
                    (from, at) = (until, at + 1);
                }
                None
            }
            Self::Many(many) => many
                .pages
                .find(first, end, |from, until, layout| each(from, until, *layout)),
        }
    }

    /// Sets subresources `first..end` of `count` to `layout`, keeping runs maximal.
    fn set(&mut self, first: u32, end: u32, count: u32, layout: Layout) {
        // What continues at `end`, if anything does, and what comes before.
        let rest = (end < count).then(|| (end, self.get(end)));
        let left = first.checked_sub(1).map(|before| self.get(before));
        let mut news: SmallVec<[(u32, Layout); 2]> = SmallVec::new();
        if left != Some(layout) {
            news.push((first, layout));
        }
        news.extend(rest.filter(|(_, l)| *l != layout));
        match self {
            Self::Few(runs) => {
                let before = runs.partition_point(|(start, _)| *start < first);
                let after = runs.partition_point(|(start, _)| *start <= end);
                runs.splice(before..after, news);
                if runs.len() > FEW {
                    *self = Self::Many(Box::new(Many::new(runs, count)));
                }
            }
            Self::Many(many) => many.replace(first, end, &news),
        }
    }
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
                    let mut runs = Runs::Few(vec![(0, Layout::RenderTarget)]);
                    let mut plain = vec![Layout::RenderTarget; count as usize];
                    for (first, end, layout) in [a, b, c] {
                        runs.set(*first, *end, count, *layout);
                        plain[*first as usize..*end as usize].fill(*layout);
                    }
                    let tracker = LayoutTracker {
                        runs: vec![runs.clone()].into(),
                    };
                    let read: Vec<_> = (0..count).map(|i| tracker.get(ResourceId(0), i)).collect();
                    assert_eq!(read, plain, "after {a:?} {b:?} {c:?}");
                    for layout in [Layout::Common, Layout::CopyDest, Layout::RenderTarget] {
                        let is_absent = tracker.all(ResourceId(0), |other| other != layout);
                        assert_eq!(is_absent, !plain.contains(&layout), "{a:?} {b:?} {c:?}");
                    }
                    let changes = plain.windows(2).filter(|pair| pair[0] != pair[1]).count();
                    let mut met = Vec::new();
                    runs.find(0, count, |first, end, layout| {
                        met.push((first, end, layout));
                        None::<()>
                    });
                    assert_eq!(met.len(), changes + 1, "runs are maximal: {runs:?}");
                }
            }
        }
    }
}
