//! Which halves of split barriers belong together.
//!
//! The halves of a split barrier agree in their subresources (reading R27), and several split barriers may be open on one
//! resource: a second half ends the one on its own range. Halves that are written wrong are paired as well as can be, so
//! that one mistake is not told a second time.
//!
//! Asked once here for lowerings and for everyone who judges them. Halves that agree are paired in the order of n log n. A second half
//! that agrees with none looks at every open range of its resource.

use super::Timeline;
use crate::id::{BarrierRef, ResourceId, SubmissionId, narrow};
use crate::scenario::geometry::{self, SubresourceBox};
use crate::scenario::{Barrier, ResourceKind, Scenario};
use std::collections::{BTreeMap, VecDeque};

/// The subresources of a half, as mips, layers and planes; `None`: all of a buffer, or a range that there is not.
type Part = Option<[(u32, u32); 3]>;

/// The open first halves of a resource by their subresources, the earliest first.
type Open = BTreeMap<Part, VecDeque<BarrierRef>>;

/// The first and second halves of a scope that are one split barrier, in the order of the second halves. A second half ends
/// the earliest open first half on its subresources; if there is none, the earliest that has one of them. A half without
/// another is in no pair. What is `SPLIT` on both sides, which is an error, ends before it begins.
pub fn split_pairs(timeline: &Timeline<'_>, scope: SubmissionId) -> Vec<(BarrierRef, BarrierRef)> {
    let mut open: BTreeMap<ResourceId, Open> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (node, _, command) in timeline.commands(scope) {
        for (entry, barrier) in command.kind.barriers().iter().enumerate() {
            let (begins, ends) = (
                barrier.sync_after.is_split(),
                barrier.sync_before.is_split(),
            );
            let Some(resource) = barrier.resource().filter(|_| begins || ends) else {
                continue;
            };
            let entry = narrow(entry);
            let half = BarrierRef { node, entry };
            let part = part(timeline.scenario, resource, barrier);
            let open = open.entry(resource).or_default();
            if ends && let Some(first) = take(open, part) {
                pairs.push((first, half));
            }
            if begins {
                open.entry(part).or_default().push_back(half);
            }
        }
    }
    pairs
}

/// Takes out the first half that a second half on a part ends.
fn take(open: &mut Open, part: Part) -> Option<BarrierRef> {
    let on = if open.contains_key(&part) {
        part
    } else {
        let overlapping = open.iter().filter(|(other, _)| meet(part, **other));
        *overlapping.min_by_key(|(_, halves)| halves.front())?.0
    };
    let halves = open.get_mut(&on)?;
    let first = halves.pop_front();
    if halves.is_empty() {
        open.remove(&on);
    }
    first
}

/// Whether two parts of a resource have a subresource in common.
fn meet(a: Part, b: Part) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return true;
    };
    a.iter().zip(b).all(|(a, b)| a.0 < b.1 && b.0 < a.1)
}

fn part(scenario: &Scenario, resource: ResourceId, barrier: &Barrier) -> Part {
    let ResourceKind::Texture(shape) = &scenario.resource(resource).kind else {
        return None;
    };
    let entry = barrier.as_texture()?;
    let SubresourceBox {
        mips,
        layers,
        planes,
        ..
    } = geometry::barrier_box(shape, &entry.range).ok()?;
    Some([mips, layers, planes])
}
