//! **What it finds.** Two entries of one `Barrier()` call on different resources whose memory overlaps, where one
//! transitions or discards and the other flushes, transitions or discards, in either order.
//!
//! **Why it matters.** Barriers on different subresources have no guaranteed order within a call. The old resource's
//! flush may land on top of what the new one's discard has initialised.
//!
//! **Firing example**
//! ```text
//! heap pool : 64MiB
//! texture a : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; heap pool at 0 }
//! texture b : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; heap pool at 0 }
//! queue q : direct
//!
//! list l : direct {
//!   barrier {
//!     texture a { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET; discard }
//!   }
//!   clear-rtv a
//!   barrier {
//!     texture a { sync RENDER_TARGET -> RENDER_TARGET; access RENDER_TARGET -> NO_ACCESS; layout RENDER_TARGET -> COMMON }
//!     texture b { sync RENDER_TARGET -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET; discard }
//!   }
//!   clear-rtv b
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! heap pool : 64MiB
//! texture a : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; heap pool at 0 }
//! texture b : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; heap pool at 0 }
//! queue q : direct
//!
//! list l : direct {
//!   barrier {
//!     texture a { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET; discard }
//!   }
//!   clear-rtv a
//!   barrier {
//!     texture a { sync RENDER_TARGET -> RENDER_TARGET; access NO_ACCESS -> NO_ACCESS; layout UNDEFINED -> UNDEFINED }
//!     texture b { sync RENDER_TARGET -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET; discard }
//!   }
//!   clear-rtv b
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Resource Aliasing", "Barrier Ordering"; reading R26.

use crate::api::{BarrierAccess, BarrierSync, Layout};
use crate::finding::{Finding, Rule, Severity};
use crate::id::{Extent, ResourceId};
use crate::order::MemoryMap;
use crate::scenario::{Barrier, BarrierTarget, Scenario};
use std::collections::BTreeMap;

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB037",
    name: "aliases-in-one-call",
    severity: Severity::Warning,
    summary: "barriers of one call that may write the same memory through two resources",
    file: include_str!("aliases_in_one_call.rs"),
};

/// An entry's memory, and what the entry may do to it.
struct Touch<'s> {
    extent: Extent,
    resource: ResourceId,
    barrier: &'s Barrier,
    index: usize,
    /// Writes back what caches hold.
    flushes: bool,
    /// Changes the layout, or initialises metadata.
    modifies: bool,
}

/// Looks at the entries of one call. Time is `n log n` in their extents, and a comparison for each two that overlap.
pub fn findings(scenario: &Scenario, memory: &MemoryMap, entries: &[Barrier]) -> Vec<Finding> {
    let mut touches = Vec::new();
    for (index, barrier) in entries.iter().enumerate() {
        let (BarrierTarget::Texture {
            resource: Some(resource),
            ..
        }
        | BarrierTarget::Buffer {
            resource: Some(resource),
            ..
        }) = &barrier.target
        else {
            continue;
        };
        if !memory.is_aliased(*resource) {
            continue;
        }
        let (flushes, modifies) = (flushes(barrier), modifies(barrier));
        if flushes || modifies {
            memory.for_each_barrier_extent(scenario, barrier, |extent| {
                touches.push(Touch {
                    extent,
                    resource: *resource,
                    barrier,
                    index,
                    flushes,
                    modifies,
                });
            });
        }
    }
    if touches.len() < 2 {
        return Vec::new();
    }
    overlaps(scenario, touches)
}

fn overlaps(scenario: &Scenario, mut touches: Vec<Touch<'_>>) -> Vec<Finding> {
    touches.sort_by_key(|t| (t.extent.memory, t.extent.start, t.index));
    let mut found: BTreeMap<usize, Finding> = BTreeMap::new();
    let mut open: Vec<Touch<'_>> = Vec::new();
    for touch in touches {
        open.retain(|t| {
            t.extent.memory == touch.extent.memory && t.extent.end > touch.extent.start
        });
        for other in open.iter().filter(|t| t.resource != touch.resource) {
            let (first, second) = if other.index < touch.index {
                (other, &touch)
            } else {
                (&touch, other)
            };
            // Entries on different subresources have no order: which one comes first makes no difference.
            if second.modifies || first.modifies && second.flushes {
                // One for each entry: thousands may share memory with it.
                let entry = found.entry(second.index);
                entry.or_insert_with(|| finding(scenario, first, second));
            }
        }
        open.push(touch);
    }
    found.into_values().collect()
}

fn finding(scenario: &Scenario, first: &Touch<'_>, second: &Touch<'_>) -> Finding {
    // The one that only flushes holds the old contents, wherever it is.
    let swap = first.modifies && !second.modifies;
    let (one, two) = if swap {
        (second, first)
    } else {
        (first, second)
    };
    let (old, new) = (
        scenario.resource_name(one.resource),
        scenario.resource_name(two.resource),
    );
    let does = |touch: &Touch<'_>| {
        if touch.modifies {
            "transitions or discards"
        } else {
            "flushes"
        }
    };
    Finding::new(
        &RULE,
        second.barrier.span,
        format!(
            "this call {} `{old}` and {} `{new}`, which share memory, but barriers on different subresources have no guaranteed order",
            does(one),
            does(two)
        ),
    )
    .resource(scenario.resource_name(second.resource))
    .related(first.barrier.span, format!("`{old}` and `{new}` share memory"))
    .help(format!(
        "drop the contents of `{old}` with `access NO_ACCESS -> NO_ACCESS`, or initialise `{new}` with a clear, a copy or a discard after the call"
    ))
}

/// Whether the entry may write back: it names writes, and waits for somebody.
fn flushes(barrier: &Barrier) -> bool {
    barrier.sync_before != BarrierSync::NONE
        && !barrier.access_before.contains(BarrierAccess::NO_ACCESS)
        && (barrier.access_before.is_empty() || barrier.access_before.writes())
}

/// Whether the entry may write memory of its own accord. Spec: "Resource Aliasing": `UNDEFINED` avoids it.
fn modifies(barrier: &Barrier) -> bool {
    match barrier.target {
        BarrierTarget::Texture {
            layout_before,
            layout_after,
            discard,
            ..
        } => discard || layout_before != Layout::Undefined && layout_before != layout_after,
        _ => false,
    }
}
