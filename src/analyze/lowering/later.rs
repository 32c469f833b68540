//! Changes of layouts that nothing in their own scope looks at: a scope ends with every write ordered and written back, but
//! leaves layouts as they are.
//!
//! A split barrier whose halves are in two scopes acts once, anywhere between them (reading R27): what the packets of its first
//! half leave undone is judged where its second half is.

use super::needed::{Lack, bytes, bytes_of};
use crate::analyze::names;
use crate::api::{BarrierAccess, LeafSet};
use crate::ensure::{self, Shortfall};
use crate::graph::{Part, Side};
use crate::hardware::Profile;
use crate::id::{BarrierRef, Extent, NodeId, ResourceId, SubmissionId};
use crate::order::{Of, Timeline, Touch};
use crate::program::Block;
use crate::scenario::{self, Barrier, TextureBarrier};
use std::collections::BTreeMap;

/// Layout changes of first halves that no packet has done yet, by the scope of their second halves. One for each program: its
/// blocks are judged in the order of the timeline.
#[derive(Default, Debug)]
pub struct Owed(BTreeMap<SubmissionId, Vec<Lack>>);

/// What a layout change that its scope lacks comes to.
pub(super) enum Later {
    /// Nothing looks.
    Unseen,
    /// These two look.
    Seen((Side, Side)),
    /// These two look, and this scope, with the second half in it, can still do it.
    Owed((Side, Side), SubmissionId),
}

impl Owed {
    pub(super) fn add(&mut self, until: SubmissionId, shortfall: Shortfall, uses: (Side, Side)) {
        let lacks = self.0.entry(until).or_default();
        lacks.push(Lack { shortfall, uses });
    }

    /// What was owed until a scope and is not done by its packets either.
    pub(super) fn undone(
        &mut self,
        timeline: &Timeline<'_>,
        profile: &Profile,
        (id, block): (SubmissionId, &Block),
    ) -> Vec<Lack> {
        let mut lacks = self.0.remove(&id).unwrap_or_default();
        lacks.retain(|lack| {
            let (change, before) = (lack.shortfall.barrier, lack.uses.1.node);
            !ensure::leaves_layout(timeline, profile, (id, block), change, before)
        });
        lacks
    }
}

/// Who looks, in a later scope, at a layout change that the packets of its own scope lack.
pub(super) fn seen_later(timeline: &Timeline<'_>, barrier: BarrierRef) -> Later {
    let Some(entry) = names::entry(timeline, barrier) else {
        return Later::Unseen;
    };
    let (Some(resource), Some(bytes)) = (entry.resource(), bytes(timeline, barrier)) else {
        return Later::Unseen;
    };
    let scope = timeline.submission_of(barrier.node);
    let is_later = |node| timeline.submission_of(node) != scope;
    let from = timeline.moment(barrier.node, Some(barrier.entry));
    let side = |node, part, access| Side {
        node,
        part,
        resource,
        access,
        stages: LeafSet::EMPTY,
    };
    let entries = || timeline.touches(Of::Entries(Some(resource)), from..);
    // What a later change drops nobody looks at; second halves drop with their first ones.
    let mut drops = entries()
        .filter(|touch| {
            touch.entry().is_some_and(|(id, it)| {
                id != barrier
                    && !it.sync_before.is_split()
                    && it.as_texture().is_some_and(TextureBarrier::drops_contents)
            })
        })
        .peekable();
    let mut rest = bytes.clone();
    let mut touches = timeline.touches(Of::Uses(resource), from..);
    let Some(touch) = touches.find(|touch| {
        while let Some(drop) = drops.next_if(|drop| drop.moment < touch.moment) {
            let dropped = drop.entry().map(|(_, entry)| bytes_of(timeline, entry));
            rest = Extent::minus(&rest, &dropped.unwrap_or_default());
        }
        is_later(touch.moment.node) && touches_some(timeline, resource, touch, &rest)
    }) else {
        return Later::Unseen;
    };
    let change = Part::Entry(barrier.entry);
    let change = side(barrier.node, change, BarrierAccess::empty());
    let used = touch.used();
    let access = used.map_or_else(BarrierAccess::empty, |used| used.access);
    let pair = (change, side(touch.moment.node, Part::Whole, access));
    let ends = |node: &NodeId, second: &Barrier| {
        second.sync_before.is_split()
            && is_later(*node)
            && !Extent::common(&bytes_of(timeline, second), &bytes).is_empty()
    };
    if !entry.sync_after.is_split() {
        return Later::Seen(pair);
    }
    let entries = entries().take_while(|it| it.moment < touch.moment);
    let mut entries = entries.filter_map(|touch| touch.entry());
    match entries.find(|(id, second)| ends(&id.node, second)) {
        Some((second, _)) => Later::Owed(pair, timeline.submission_of(second.node)),
        None => Later::Seen(pair),
    }
}

/// Whether a use touches some bytes of a resource.
fn touches_some(
    timeline: &Timeline<'_>,
    resource: ResourceId,
    touch: &Touch<'_>,
    bytes: &[Extent],
) -> bool {
    let range = touch
        .used()
        .map_or(&scenario::Range::All, |used| &used.range);
    let mut meets = false;
    let memory = &timeline.memory;
    memory.for_each_extent(timeline.scenario, resource, range, |extent| {
        meets |= !Extent::common(&[extent], bytes).is_empty();
    });
    meets
}
