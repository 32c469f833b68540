//! What range a legacy transition could name whose range goes too far.

use super::legacy::{state_of, uses_after};
use super::legacy_back::indices;
use super::legacy_found::{on, on_box};
use super::ranges;
use crate::scenario::geometry::{self, SubresourceBox};
use crate::scenario::{Command, LegacyBarrier, LegacyKind, Scenario};
use std::collections::BTreeSet;

/// The most subresources that are looked at one by one.
const SUBRESOURCES_MAX: u32 = 4096;

/// A transition whose range goes too far, on others: the likeliest first.
pub(super) fn on_other_ranges(written: &Scenario, entry: &LegacyBarrier) -> Vec<LegacyKind> {
    let needed = on_what_is_needed(written, entry).into_iter();
    needed.chain(on_what_exists(written, entry)).collect()
}

/// The transition on those subresources that the list has in the state from which it goes, and next needs in the state to which it
/// goes: for a use or another transition.
fn on_what_is_needed(written: &Scenario, entry: &LegacyBarrier) -> Option<LegacyKind> {
    let it = entry.kind.as_transition()?;
    let shape = written.resource(it.resource).texture()?;
    let count = shape.subresources();
    if count > SUBRESOURCES_MAX {
        return None;
    }
    let is_own = |command: &Command| command.kind.legacy().iter().any(|e| e.span == entry.span);
    let mut lists = written.lists.iter();
    let list = lists.find(|list| list.commands.iter().any(is_own))?;
    let (mut is_over, mut there): (bool, BTreeSet<u32>) = (false, (0..count).collect());
    let (mut open, mut needed): (BTreeSet<u32>, BTreeSet<u32>) = Default::default();
    let mut next = |open: &mut BTreeSet<u32>, some: BTreeSet<u32>, is_needed: bool| {
        let own: BTreeSet<u32> = open.intersection(&some).copied().collect();
        open.retain(|index| !own.contains(index));
        needed.extend(own.into_iter().filter(|_| is_needed));
    };
    for command in &list.commands {
        for other in command.kind.legacy() {
            if other.span == entry.span {
                is_over = true;
                open.clone_from(&there);
                continue;
            }
            let other = other.kind.as_transition();
            let Some(other) = other.filter(|other| other.resource == it.resource) else {
                continue;
            };
            let some = indices(Some(shape), &other.range);
            if is_over {
                next(&mut open, some, other.before == it.after);
            } else {
                there.retain(|index| !some.contains(index));
                there.extend(some.into_iter().filter(|_| other.after == it.before));
            }
        }
        let uses = command
            .uses
            .iter()
            .filter(|used| is_over && used.resource == it.resource);
        for used in uses {
            let some = indices(Some(shape), &used.range);
            next(
                &mut open,
                some,
                it.after.contains(state_of(used.access, used.stages)),
            );
        }
    }
    on(shape, entry, needed)
}

/// A transition on a range of which nothing exists, on what exists: on what the uses after it need, else on what is next to what
/// it names.
fn on_what_exists(written: &Scenario, entry: &LegacyBarrier) -> Vec<LegacyKind> {
    let Some(it) = entry.kind.as_transition() else {
        return Vec::new();
    };
    let shape = written.resource(it.resource).texture();
    let Some(shape) = shape.filter(|shape| geometry::existing_box(shape, &it.range).is_err())
    else {
        return Vec::new();
    };
    let uses = uses_after(written, entry, it.resource).into_iter();
    let uses = uses.filter(|used| it.after.contains(state_of(used.access, used.stages)));
    let boxes = uses.filter_map(|used| geometry::part_of_use(written, used));
    let boxes: Vec<_> = boxes.collect();
    let both = |a: SubresourceBox, b| a.joined(&b, |a, b| (a.0.min(b.0), a.1.max(b.1)));
    let around = boxes.iter().copied().reduce(both);
    let boxes = around
        .into_iter()
        .chain(ranges::nearest(shape, &it.range))
        .chain(boxes);
    boxes.map(|sub| on_box(shape, entry, &sub)).collect()
}
