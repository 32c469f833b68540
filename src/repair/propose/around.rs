//! What surrounds a conflict: the barriers between its uses, the layout in which the second finds its texture, the uses
//! of the same memory before and after it.
//!
//! Asks for the touches of the two resources, and for global entries.

use crate::analyze::names;
use crate::api::{BarrierAccess, Layout, LeafSet};
use crate::graph::{Conflict, Side};
use crate::id::{BarrierRef, ListId, ResourceId};
use crate::order::{LayoutTracker, Moment, Of, SubmissionKind, Timeline, Touch};
use crate::scenario::geometry;
use crate::scenario::{Barrier, BarrierRange, BarrierTarget, Range, Scenario};

/// Subresources of a use that are looked at one by one.
const UNTOUCHED_MAX: usize = 4_096;

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
    /// Leaves and accesses of the uses of the second's resource before it: in its scope, and in the one before that.
    pub(super) before: (LeafSet, BarrierAccess),
    /// The same from the second use up to the next entry on its subresources.
    pub(super) after: (LeafSet, BarrierAccess),
    /// The uses that are summed up in `after` but for the second itself, in order.
    pub(super) later: Vec<(CommandPlace, LeafSet, BarrierAccess)>,
    /// Last command of the scope that uses the second's subresources before the next entry.
    pub(super) last_use: Option<CommandPlace>,
    /// First use of the second's resource on the timeline, if it is not the second itself.
    pub(super) first_use: Option<FirstUse>,
    /// Of what the second use touches, the part that nothing touched before; `None` if that is all of it, or no range.
    pub(super) untouched: Option<BarrierRange>,
    /// The entry that dropped the contents, if one did.
    pub(super) dropped: Option<Dropped<'s>>,
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
        let (scenario, second) = (timeline.scenario, &conflict.second);
        let id = second.resource;
        let range = range_of(timeline, second);
        let now = timeline.moment(second.node, second.part.entry());
        let (uses, entries) = (Of::Uses(id), Of::Entries(Some(id)));
        let on_second = |touch: &Touch<'_>| acts_on(scenario, touch, id, &range);
        let earlier = || timeline.touches(entries, ..now).filter(on_second);
        let previous = earlier().next_back();
        let held = previous.filter(|touch| touch.moment.rank == now.rank);
        let held = held.and_then(executed).map(|entry| entry.barrier);
        let mut later = timeline.touches(entries, now..);
        // If the second is an entry, it is not the next one.
        let next = later.find(|touch| touch.moment != now && on_second(touch));
        let end = Moment::start(now.rank + 1);
        let end = next.map_or(end, |next| next.moment.min(end));
        let after: Vec<_> = timeline.touches(uses, now..end).collect();
        let since = Moment::start(scope_before(timeline, now.rank));
        let layouts = layouts(timeline, id, timeline.moment(second.node, None));
        let layout = layouts.uniform_for_barrier(scenario, id, &range);
        let place = timeline.place(second.node).command;
        Self {
            second: place,
            layout,
            parts: match layout {
                None if place.is_some() => parts(scenario, &layouts, id, &range),
                _ => Vec::new(),
            },
            between: between(timeline, conflict, now, &range),
            previous: previous.and_then(executed),
            fresh: earlier()
                .filter_map(executed)
                .filter(leaves_undefined)
                .collect(),
            next: next.and_then(executed),
            known: held.map(|barrier| barrier.access_after),
            held: held.map_or(LeafSet::EMPTY, |barrier| barrier.sync_after.leaves()),
            before: sum(Used::default(), timeline.touches(uses, since..now)),
            after: sum((second.stages, second.access), after.iter().copied()),
            later: after.iter().filter_map(used_there).collect(),
            last_use: after.last().map_or(place, |touch| touch.place),
            first_use: first_use(timeline, id, now, &range),
            untouched: untouched(timeline, id, now, &range),
            dropped: conflict.barrier.and_then(|b| dropped(timeline, b, id)),
            range,
        }
    }
}

/// Leaves and accesses of uses.
type Used = (LeafSet, BarrierAccess);

/// Adds the uses among some touches.
fn sum<'s>(to: Used, touches: impl Iterator<Item = Touch<'s>>) -> Used {
    let uses = touches.filter_map(|touch| touch.used());
    uses.fold(to, |(stages, accesses), used| {
        let access = used.access.difference(BarrierAccess::NO_ACCESS);
        (stages.union(used.stages), accesses | access)
    })
}

/// A use by a command, with its place.
fn used_there(touch: &Touch<'_>) -> Option<(CommandPlace, LeafSet, BarrierAccess)> {
    let (used, place) = touch.used().zip(touch.place)?;
    Some((place, used.stages, used.access))
}

/// The entry that a touch is, if it is one.
pub(super) fn executed(touch: Touch<'_>) -> Option<ExecutedEntry<'_>> {
    let ((id, barrier), place) = touch.entry().zip(touch.place)?;
    Some(ExecutedEntry { id, place, barrier })
}

/// Rank of the latest `ExecuteCommandLists` call before a submission, or of the submission itself.
fn scope_before(timeline: &Timeline<'_>, rank: u32) -> u32 {
    let is_call = |at: &u32| {
        let id = timeline.evaluation.get(*at as usize);
        id.is_some_and(|id| timeline.submission(id).kind == SubmissionKind::Execute)
    };
    (0..rank).rev().find(is_call).unwrap_or(rank)
}

/// The layouts of a texture at a moment.
fn layouts(timeline: &Timeline<'_>, id: ResourceId, moment: Moment) -> LayoutTracker {
    let mut layouts = LayoutTracker::new(timeline.scenario, LayoutTracker::declared);
    let entries = timeline.touches(Of::Entries(Some(id)), ..moment);
    for (_, barrier) in entries.filter_map(|touch| touch.entry()) {
        layouts.apply(timeline.scenario, barrier);
    }
    layouts
}

/// Each subresource of a range with its layout.
fn parts(
    scenario: &Scenario,
    layouts: &LayoutTracker,
    id: ResourceId,
    range: &BarrierRange,
) -> Vec<(u32, Layout)> {
    let shape = scenario.resource(id).texture();
    let sub = shape.and_then(|shape| geometry::barrier_box(shape, range).ok());
    let mut parts = Vec::new();
    if let Some(sub) = sub {
        layouts.for_each(scenario, id, &sub, |first, end, layout| {
            parts.extend((first..end).map(|index| (index, layout)));
        });
    }
    parts
}

/// Entries between the two sides that act on the memory of either, global ones included, in order.
fn between<'s>(
    timeline: &Timeline<'s>,
    conflict: &Conflict,
    now: Moment,
    range: &BarrierRange,
) -> Vec<ExecutedEntry<'s>> {
    let (first, second) = (conflict.first.resource, conflict.second.resource);
    let whole = BarrierRange::Range(Range::All);
    let is_between = |touch: &Touch<'_>| {
        let Some((id, barrier)) = touch.entry() else {
            return false;
        };
        // Contents that were given up stay so, in whatever scope they are read (reading R53).
        let gave_up = conflict.given_up && barrier.access_before.is_no_access();
        (touch.moment.rank == now.rank || gave_up)
            && id.node >= conflict.first.node
            && match barrier.resource() {
                None => matches!(barrier.target, BarrierTarget::Global),
                Some(id) if id == second => acts_on(timeline.scenario, touch, id, range),
                Some(id) => acts_on(timeline.scenario, touch, id, &whole),
            }
    };
    let mut named = vec![None, Some(first), Some(second)];
    named.dedup();
    let touches = named
        .into_iter()
        .flat_map(|of| timeline.touches(Of::Entries(of), ..now));
    let mut touches: Vec<_> = touches.filter(is_between).collect();
    touches.sort_by_key(|touch| touch.moment);
    touches.into_iter().filter_map(executed).collect()
}

/// Whether an entry takes its subresources out of `UNDEFINED`.
fn leaves_undefined(entry: &ExecutedEntry<'_>) -> bool {
    let layouts = entry.barrier.transition();
    layouts.is_some_and(|(before, _)| before == Layout::Undefined)
}

/// The first use of a resource before a moment.
fn first_use(
    timeline: &Timeline<'_>,
    id: ResourceId,
    now: Moment,
    range: &BarrierRange,
) -> Option<FirstUse> {
    let mut touches = timeline.touches(Of::Uses(id), ..now);
    let first = touches.find(|touch| touch.used().is_some())?;
    let (stages, access) = sum(Used::default(), [first].into_iter());
    let layouts = layouts(timeline, id, first.moment);
    let layout = layouts.uniform_for_barrier(timeline.scenario, id, range);
    Some((first.place?, stages, access, layout))
}

/// Of a range, the subresources that nothing touched before a moment, if they are a part of it and one range says it.
fn untouched(
    timeline: &Timeline<'_>,
    id: ResourceId,
    now: Moment,
    range: &BarrierRange,
) -> Option<BarrierRange> {
    let shape = timeline.scenario.resource(id).texture()?;
    let own = geometry::barrier_box(shape, range).ok()?;
    let mut open: Vec<u32> = own
        .index_runs(shape)
        .into_iter()
        .flat_map(|(first, end)| first..end)
        .take(UNTOUCHED_MAX)
        .collect();
    let all = open.len();
    let mut leave_out = |sub: Option<geometry::SubresourceBox>| {
        if let Some(sub) = sub {
            let runs = sub.index_runs(shape);
            open.retain(|index| {
                !runs
                    .iter()
                    .any(|(first, end)| (*first..*end).contains(index))
            });
        }
    };
    for touch in timeline.touches(Of::Uses(id), ..now) {
        let used = touch.used().map_or(&Range::All, |used| &used.range);
        leave_out(geometry::subresource_box(shape, used).ok());
    }
    for touch in timeline.touches(Of::Entries(Some(id)), ..now) {
        if let Some((_, barrier)) = touch.entry()
            && let Some(entry) = barrier.as_texture()
        {
            leave_out(geometry::barrier_box(shape, &entry.range).ok());
        }
    }
    if open.is_empty() || open.len() == all {
        return None;
    }
    let runs: Vec<(u32, u32)> = open.into_iter().map(|index| (index, index + 1)).collect();
    let part = geometry::box_of_runs(shape, &runs)?;
    Some(BarrierRange::Range(geometry::range_of_box(shape, &part)))
}

/// The entry that dropped the contents of a resource, with what comes before it.
fn dropped<'s>(
    timeline: &Timeline<'s>,
    barrier: BarrierRef,
    id: ResourceId,
) -> Option<Dropped<'s>> {
    let at = timeline.moment(barrier.node, Some(barrier.entry));
    let entries = Of::Entries(Some(id));
    let entry = timeline.touches(entries, at..=at).find_map(executed)?;
    let texture = entry.barrier.as_texture();
    let layout = texture.and_then(|it| {
        layouts(timeline, id, at).uniform_for_barrier(timeline.scenario, id, &it.range)
    });
    let scope = Moment::start(at.rank);
    let left = timeline.touches(entries, scope..at).next_back();
    let since = left.map_or(scope, |touch| touch.moment);
    let used = sum(Used::default(), timeline.touches(Of::Uses(id), since..at));
    let left = left.and_then(|touch| touch.entry());
    let left = left.map(|(_, barrier)| (barrier.sync_after.leaves(), barrier.access_after));
    let before = Before { used, left };
    Some(Dropped {
        entry,
        layout,
        before,
    })
}

/// What a side touches of its resource, as a barrier can name it.
fn range_of(timeline: &Timeline<'_>, side: &Side) -> BarrierRange {
    if let Some(barrier) = side.barrier().and_then(|b| names::entry(timeline, b)) {
        return match &barrier.target {
            BarrierTarget::Texture(entry) => entry.range.clone(),
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
    let common = a.joined(&b, |a, b| (a.0.max(b.0), a.1.min(b.1)));
    Some(BarrierRange::Range(geometry::range_of_box(shape, &common)))
}

/// Whether a touch is an entry that acts on any of its resource's subresources in a range.
fn acts_on(scenario: &Scenario, touch: &Touch<'_>, id: ResourceId, range: &BarrierRange) -> bool {
    let meets = |own: &BarrierRange| {
        let shape = scenario.resource(id).texture()?;
        let own = geometry::barrier_box(shape, own).ok()?;
        Some(own.meets(&geometry::barrier_box(shape, range).ok()?))
    };
    touch
        .entry()
        .is_some_and(|(_, barrier)| match &barrier.target {
            BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => false,
            BarrierTarget::Buffer { .. } | BarrierTarget::Ranged { .. } => true,
            BarrierTarget::Texture(entry) => meets(&entry.range) == Some(true),
        })
}
