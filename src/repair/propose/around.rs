//! What surrounds a conflict: the barriers between its uses, the layout in which the second finds its texture, the uses
//! of the same memory before and after it.
//!
//! One walk over the timeline up to the second use and a little further.

use crate::analyze::names;
use crate::api::{BarrierAccess, Layout, LeafSet};
use crate::graph::{Conflict, Side};
use crate::id::{BarrierRef, ListId, NodeId, ResourceId, narrow};
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::geometry;
use crate::scenario::{Barrier, BarrierRange, BarrierTarget, Range, Scenario, SubresourceRange};

/// A command of the text.
pub(super) type CommandPlace = (ListId, u32);

/// The first use of all: where, at which stages, with which access, in which layout.
pub(super) type FirstUse = (CommandPlace, LeafSet, BarrierAccess, Option<Layout>);

/// A barrier entry as it is executed.
#[derive(Copy, Clone)]
pub(super) struct ExecutedEntry<'s> {
    pub(super) id: BarrierRef,
    pub(super) place: CommandPlace,
    pub(super) barrier: &'s Barrier,
}

/// What surrounds a conflict.
pub(super) struct Around<'s> {
    /// Where the second use is, if it is a command's.
    pub(super) second: Option<CommandPlace>,
    /// What of its resource the second use touches.
    pub(super) range: BarrierRange,
    /// Layout of that, if it is one.
    pub(super) layout: Option<Layout>,
    /// Its subresources with their layouts, if it has several.
    pub(super) parts: Vec<(u32, Layout)>,
    /// Entries between the two that act on the memory of either, global ones included, in order.
    pub(super) between: Vec<ExecutedEntry<'s>>,
    /// Latest entry on the second's subresources before it, in whatever scope.
    pub(super) previous: Option<ExecutedEntry<'s>>,
    /// Entries before it that take the second's subresources out of `UNDEFINED`.
    pub(super) fresh: Vec<ExecutedEntry<'s>>,
    /// First entry on the second's subresources after it.
    pub(super) next: Option<ExecutedEntry<'s>>,
    /// `AccessAfter` of the latest entry on the second's subresources in its scope.
    pub(super) known: Option<BarrierAccess>,
    /// Leaves of that entry's `SyncAfter`.
    pub(super) held: LeafSet,
    /// Leaves and accesses of the uses of the second's resource in its scope before it.
    pub(super) before: (LeafSet, BarrierAccess),
    /// The same from the second use up to the next entry on its subresources.
    pub(super) after: (LeafSet, BarrierAccess),
    /// Last command of the scope that uses the second's subresources before the next entry.
    pub(super) last_use: Option<CommandPlace>,
    /// First use of the second's resource on the timeline, if it is not the second itself.
    pub(super) first_use: Option<FirstUse>,
    /// The entry that dropped the contents, if one did.
    pub(super) dropped: Option<Dropped<'s>>,
    /// In the scope that is walked, what comes before on the second's resource, after the latest entry.
    scope: Before,
}

/// What comes before an entry in its scope, on the same resource.
#[derive(Copy, Clone, Default)]
pub(super) struct Before {
    /// Leaves and accesses of the uses after the entry before.
    pub(super) used: (LeafSet, BarrierAccess),
    /// What the entry before holds and leaves accessible.
    pub(super) left: Option<(LeafSet, BarrierAccess)>,
}

/// An entry that drops contents.
#[derive(Copy, Clone)]
pub(super) struct Dropped<'s> {
    pub(super) entry: ExecutedEntry<'s>,
    /// The layout in which it finds what it acts on, if that is one.
    pub(super) layout: Option<Layout>,
    pub(super) before: Before,
}

impl<'s> Around<'s> {
    /// Looks around a conflict.
    pub(super) fn new(timeline: &Timeline<'s>, conflict: &Conflict) -> Self {
        let second = &conflict.second;
        let scenario = timeline.scenario;
        let place = timeline.place(second.node);
        let range = range_of(timeline, second);
        let mut around = Self {
            second: place.command,
            layout: None,
            parts: Vec::new(),
            between: Vec::new(),
            previous: None,
            fresh: Vec::new(),
            next: None,
            known: None,
            held: LeafSet::EMPTY,
            before: (LeafSet::EMPTY, BarrierAccess::empty()),
            after: (second.stages, second.access),
            last_use: place.command,
            first_use: None,
            dropped: None,
            scope: Before::default(),
            range,
        };
        let mut layouts = LayoutTracker::new(scenario, LayoutTracker::declared);
        let mut is_after = false;
        for id in timeline.evaluation.iter() {
            let submission = timeline.submission(id);
            let here = id == place.submission;
            if submission.kind != SubmissionKind::Execute {
                if here {
                    around.layout = around.layout_now(scenario, &layouts, second.resource);
                    is_after = true;
                }
                continue;
            }
            if !here && !is_after {
                // Scopes before: only the layouts that they leave.
                around.scope_over();
            }
            around.scope = Before::default();
            let mut index = submission.first_node.0;
            for list in timeline.lists(submission) {
                timeline.for_each_command(*list, |from, at| {
                    let node = NodeId(index);
                    index += 1;
                    if around.next.is_none() {
                        around.step(
                            timeline,
                            conflict,
                            node,
                            (from, at),
                            here,
                            &mut is_after,
                            &mut layouts,
                        );
                    }
                });
            }
            if is_after && around.next.is_some() {
                break;
            }
        }
        around
    }

    fn scope_over(&mut self) {
        self.known = None;
        self.held = LeafSet::EMPTY;
        self.before = (LeafSet::EMPTY, BarrierAccess::empty());
    }

    #[allow(clippy::too_many_arguments)]
    fn step(
        &mut self,
        timeline: &Timeline<'s>,
        conflict: &Conflict,
        node: NodeId,
        place: CommandPlace,
        here: bool,
        is_after: &mut bool,
        layouts: &mut LayoutTracker,
    ) {
        let scenario = timeline.scenario;
        let second = &conflict.second;
        let command = &scenario.lists[place.0].commands[place.1 as usize];
        if node == second.node {
            self.layout = self.layout_now(scenario, layouts, second.resource);
            if self.layout.is_none() {
                self.parts = self.parts_now(scenario, layouts, second.resource);
            }
            if second.barrier().is_none() {
                *is_after = true;
            }
        }
        for used in command
            .uses
            .iter()
            .filter(|u| u.resource == second.resource)
        {
            let access = used.access.difference(BarrierAccess::NO_ACCESS);
            let (stages, accesses) = &mut self.scope.used;
            *stages = stages.union(used.stages);
            *accesses |= access;
            if !*is_after && self.first_use.is_none() {
                let layout = self.layout_now(scenario, layouts, second.resource);
                self.first_use = Some((place, used.stages, access, layout));
            }
            let sum = if *is_after {
                &mut self.after
            } else {
                &mut self.before
            };
            if !*is_after || here {
                sum.0 = sum.0.union(used.stages);
                sum.1 |= access;
            }
            if *is_after && here {
                self.last_use = Some(place);
            }
        }
        for (at, barrier) in command.kind.barriers().iter().enumerate() {
            let id = BarrierRef {
                node,
                entry: narrow(at),
            };
            let entry = ExecutedEntry { id, place, barrier };
            let is_second = second.barrier() == Some(id);
            if barrier.resource() == Some(second.resource) {
                self.drop_at(scenario, conflict, layouts, entry);
            }
            if is_second {
                *is_after = true;
            } else {
                self.enter(scenario, conflict, entry, here, *is_after);
            }
            if !*is_after || is_second {
                layouts.apply(scenario, barrier);
            }
        }
    }

    /// Keeps what is before the entry that drops the contents.
    fn drop_at(
        &mut self,
        scenario: &Scenario,
        conflict: &Conflict,
        layouts: &LayoutTracker,
        entry: ExecutedEntry<'s>,
    ) {
        let barrier = entry.barrier;
        if conflict.barrier == Some(entry.id) {
            let layout = match &barrier.target {
                BarrierTarget::Texture { range, .. } => {
                    layouts.uniform_for_barrier(scenario, conflict.second.resource, range)
                }
                _ => None,
            };
            self.dropped = Some(Dropped {
                entry,
                layout,
                before: self.scope,
            });
        }
        self.scope = Before {
            used: (LeafSet::EMPTY, BarrierAccess::empty()),
            left: Some((barrier.sync_after.leaves(), barrier.access_after)),
        };
    }

    fn enter(
        &mut self,
        scenario: &Scenario,
        conflict: &Conflict,
        entry: ExecutedEntry<'s>,
        here: bool,
        is_after: bool,
    ) {
        let (first, second) = (&conflict.first, &conflict.second);
        let on_second = acts_on(scenario, entry.barrier, second.resource, &self.range);
        let is_global = matches!(entry.barrier.target, BarrierTarget::Global);
        if is_after {
            if on_second && self.next.is_none() {
                self.next = Some(entry);
            }
            return;
        }
        let from = first.barrier().map_or(first.node, |b| b.node);
        // Contents that were given up stay so, in whatever scope they are read (reading R53).
        let gave_up = conflict.given_up && entry.barrier.access_before.is_no_access();
        let is_between = (here || gave_up) && entry.id.node >= from;
        let on_first = first.resource != second.resource
            && acts_on(
                scenario,
                entry.barrier,
                first.resource,
                &BarrierRange::Range(Range::All),
            );
        if is_between && (on_second || on_first || is_global) {
            self.between.push(entry);
        }
        if on_second {
            self.previous = Some(entry);
            if let BarrierTarget::Texture {
                layout_before: Layout::Undefined,
                layout_after,
                ..
            } = entry.barrier.target
                && layout_after != Layout::Undefined
            {
                self.fresh.push(entry);
            }
            if here {
                self.known = Some(entry.barrier.access_after);
                self.held = entry.barrier.sync_after.leaves();
            }
        }
    }

    fn parts_now(
        &self,
        scenario: &Scenario,
        layouts: &LayoutTracker,
        resource: ResourceId,
    ) -> Vec<(u32, Layout)> {
        let Some(shape) = scenario.resource(resource).texture() else {
            return Vec::new();
        };
        let Ok(sub) = geometry::barrier_box(shape, &self.range) else {
            return Vec::new();
        };
        let mut parts = Vec::new();
        layouts.for_each(scenario, resource, &sub, |first, end, layout| {
            parts.extend((first..end).map(|index| (index, layout)));
        });
        parts
    }

    fn layout_now(
        &self,
        scenario: &Scenario,
        layouts: &LayoutTracker,
        resource: ResourceId,
    ) -> Option<Layout> {
        layouts.uniform_for_barrier(scenario, resource, &self.range)
    }
}

/// What a side touches of its resource, as a barrier can name it.
fn range_of(timeline: &Timeline<'_>, side: &Side) -> BarrierRange {
    if let Some(barrier) = side.barrier().and_then(|b| names::entry(timeline, b)) {
        return match &barrier.target {
            BarrierTarget::Texture { range, .. } => range.clone(),
            BarrierTarget::Ranged { range, .. } => BarrierRange::Range(range.clone()),
            _ => BarrierRange::Range(Range::All),
        };
    }
    let used = names::used(timeline, side);
    let range = match used.map(|u| &u.range) {
        Some(Range::Subresources(sub)) => {
            let mut sub = sub.clone();
            sub.rect = None;
            Range::Subresources(sub)
        }
        // A buffer's barrier names all of it.
        Some(Range::Bytes { .. }) | None => Range::All,
        Some(other) => other.clone(),
    };
    BarrierRange::Range(match range {
        Range::Subresources(sub)
            if sub.mips.is_none() && sub.layers.is_none() && sub.planes.is_none() =>
        {
            Range::All
        }
        other => other,
    })
}

/// The subresources that both sides touch, where that is less than the second touches and one range can say it.
pub(super) fn common_range(timeline: &Timeline<'_>, conflict: &Conflict) -> Option<BarrierRange> {
    let (first, second) = (&conflict.first, &conflict.second);
    if first.resource != second.resource {
        return None;
    }
    let shape = timeline.scenario.resource(second.resource).texture()?;
    let sub = |side: &Side| {
        let range = &names::used(timeline, side)?.range;
        geometry::subresource_box(shape, range).ok()
    };
    let (a, b) = (sub(first)?, sub(second)?);
    if !a.meets(&b) || a.contains(&b) {
        return None;
    }
    let meet = |a: (u32, u32), b: (u32, u32)| (a.0.max(b.0), a.1.min(b.1));
    let part = |of: (u32, u32), all: u32| (of != (0, all)).then_some(of);
    Some(BarrierRange::Range(Range::Subresources(Box::new(
        SubresourceRange {
            mips: part(meet(a.mips, b.mips), shape.mips),
            layers: part(meet(a.layers, b.layers), shape.layers),
            planes: part(meet(a.planes, b.planes), shape.planes()),
            rect: None,
        },
    ))))
}

/// Whether an entry acts on any of a resource's subresources in a range. Global entries act on none by name.
fn acts_on(scenario: &Scenario, barrier: &Barrier, id: ResourceId, range: &BarrierRange) -> bool {
    match &barrier.target {
        BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => false,
        BarrierTarget::Buffer { resource, .. } | BarrierTarget::Ranged { resource, .. } => {
            *resource == Some(id)
        }
        BarrierTarget::Texture {
            resource, range: r, ..
        } => {
            let Some(shape) = scenario.resource(id).texture() else {
                return false;
            };
            *resource == Some(id)
                && match (
                    geometry::barrier_box(shape, r),
                    geometry::barrier_box(shape, range),
                ) {
                    (Ok(a), Ok(b)) => a.meets(&b),
                    _ => false,
                }
        }
    }
}
