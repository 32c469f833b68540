//! Which D3D12 layout each subresource has, and since when: what barriers say, not what the machine made of it.

use super::{Words, ps};
use crate::id::{BarrierRef, narrow};
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::{Barrier, geometry};
use crate::time::Ps;
use crate::trace::Trace;
use serde::Serialize;
use std::collections::BTreeMap;

/// Changes of layouts in a page.
const CHANGES_MAX: usize = 20_000;

/// From a moment on, some subresources of a texture have a layout.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LayoutRow {
    /// When the barrier was complete.
    pub at: u64,
    /// Which resource, by order of declaration.
    pub resource: u32,
    /// First subresource.
    pub first: u32,
    /// One past the last.
    pub end: u32,
    /// The layout, a word.
    pub layout: u32,
}

/// As created, then every change, in order of time.
pub(super) fn layouts(timeline: &Timeline<'_>, trace: &Trace, words: &mut Words) -> Vec<LayoutRow> {
    let scenario = timeline.scenario;
    let mut tracker = LayoutTracker::new(scenario, LayoutTracker::declared);
    let mut rows = Vec::new();
    for (index, resource) in scenario.resources.values().enumerate() {
        if let Some(shape) = resource.texture() {
            rows.push(LayoutRow {
                at: 0,
                resource: narrow(index),
                first: 0,
                end: shape.subresources(),
                layout: words.number(&LayoutTracker::declared(resource).to_string()),
            });
        }
    }
    let done: BTreeMap<BarrierRef, Ps> = trace
        .barriers
        .iter()
        .map(|timing| (timing.barrier, timing.completed))
        .collect();
    for id in timeline.evaluation.iter() {
        if timeline.submission(id).kind != SubmissionKind::Execute {
            continue;
        }
        for (node, _, command) in timeline.commands(id) {
            for (entry, barrier) in command.kind.barriers().iter().enumerate() {
                let barrier_ref = BarrierRef::new(node, narrow(entry));
                let Some(at) = done.get(&barrier_ref) else {
                    continue;
                };
                tracker.apply(scenario, barrier);
                if rows.len() < CHANGES_MAX {
                    changed(timeline, &tracker, barrier, ps(*at), words, &mut rows);
                }
            }
        }
    }
    rows.sort_by_key(|row| row.at);
    rows
}

/// The layouts that a barrier's subresources have now.
fn changed(
    timeline: &Timeline<'_>,
    tracker: &LayoutTracker,
    barrier: &Barrier,
    at: u64,
    words: &mut Words,
    rows: &mut Vec<LayoutRow>,
) {
    let scenario = timeline.scenario;
    let (Some(resource), Some(sub)) = (
        barrier.resource(),
        geometry::part_of_barrier(scenario, barrier),
    ) else {
        return;
    };
    tracker.for_each(scenario, resource, &sub, |first, end, layout| {
        rows.push(LayoutRow {
            at,
            resource: resource.0,
            first,
            end,
            layout: words.number(&layout.to_string()),
        });
    });
}
