crate::finding::rule! {
    /// **What it finds.** Two entries of one `Barrier()` call on different resources whose memory overlaps, where one
    /// transitions or discards and the other flushes, transitions or discards, in either order.
    ///
    /// **Why it matters.** Barriers on different subresources have no guaranteed order within a call. The old
    /// resource's flush may land on top of what the new one's discard has initialised.
    ///
    /// **Source.** Enhanced Barriers specification, "Resource Aliasing", "Barrier Ordering"; reading R26.
    pub(crate) static RULE = "EB037", "aliases-in-one-call", Warning,
        "barriers of one call that may write the same memory through two resources";
}

use crate::api::{BarrierAccess, BarrierSync, Layout};
use crate::finding::Finding;
use crate::id::{Extent, MemoryId, ResourceId};
use crate::order::MemoryMap;
use crate::scenario::{Barrier, BarrierTarget, Scenario};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// An entry's memory, and what the entry may do to it.
struct Touch<'s> {
    extent: Extent,
    resource: ResourceId,
    barrier: &'s Barrier,
    index: usize,
    /// Changes the layout, or initialises metadata.
    modifies: bool,
}

/// Looks at the entries of one call. Time is `n log n` in their extents.
pub(crate) fn findings(
    scenario: &Scenario,
    memory: &MemoryMap,
    entries: &[Barrier],
) -> Vec<Finding> {
    let mut touches = Vec::new();
    for (index, barrier) in entries.iter().enumerate() {
        let is_ranged = matches!(barrier.target, BarrierTarget::Ranged { .. });
        let Some(resource) = barrier.resource().filter(|_| !is_ranged) else {
            continue;
        };
        if !memory.is_aliased(resource) {
            continue;
        }
        let modifies = modifies(barrier);
        if modifies || flushes(barrier) {
            memory.for_each_barrier_extent(scenario, barrier, |extent| {
                touches.push(Touch {
                    extent,
                    resource,
                    barrier,
                    index,
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
    let mut open = [Open::new(true), Open::new(false)];
    // One for each entry: thousands may share memory with it.
    let mut found: BTreeMap<usize, Finding> = BTreeMap::new();
    for (at, touch) in touches.iter().enumerate() {
        for group in &mut open {
            group.close_before(touch);
        }
        // Entries on different subresources have no order: which one comes first makes no difference.
        if let Entry::Vacant(entry) = found.entry(touch.index) {
            let earlier = open.iter().filter_map(|group| group.earlier(touch));
            if let Some(first) = earlier.min() {
                entry.insert(finding(scenario, &touches[first], touch));
            }
        }
        for second in open.iter_mut().flat_map(|group| group.take_later(touch)) {
            let entry = found.entry(second.index);
            entry.or_insert_with(|| finding(scenario, touch, &touches[second.at]));
        }
        let is_found = found.contains_key(&touch.index);
        open[usize::from(!touch.modifies)].add(at, touch, is_found);
    }
    found.into_values().collect()
}

/// Extents that reach into the one that is looked at: all that modify, or all that only flush.
///
/// A look for one of an earlier entry ends at the first one of another resource, and one of a later entry is found once. What
/// remains is to pass over those of the same resource, which overlap only if the call names one subresource several times.
struct Open {
    modify: bool,
    /// By their places in the sorted list.
    all: BTreeMap<usize, Opened>,
    by_entry: BTreeSet<Opened>,
    by_end: BTreeSet<(MemoryId, u64, usize)>,
    /// How many of each resource.
    resources: BTreeMap<ResourceId, usize>,
    /// Those of entries that nothing was found for yet.
    waiting: BTreeSet<Opened>,
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Opened {
    /// The entry.
    index: usize,
    /// The place in the sorted list.
    at: usize,
    resource: ResourceId,
}

impl Open {
    fn new(modify: bool) -> Self {
        Self {
            modify,
            all: BTreeMap::new(),
            by_entry: BTreeSet::new(),
            by_end: BTreeSet::new(),
            resources: BTreeMap::new(),
            waiting: BTreeSet::new(),
        }
    }

    fn add(&mut self, at: usize, touch: &Touch<'_>, is_found: bool) {
        let opened = Opened {
            index: touch.index,
            at,
            resource: touch.resource,
        };
        self.all.insert(at, opened);
        self.by_entry.insert(opened);
        self.by_end
            .insert((touch.extent.memory, touch.extent.end, at));
        *self.resources.entry(touch.resource).or_default() += 1;
        if !is_found {
            self.waiting.insert(opened);
        }
    }

    /// Forgets what ends before an extent.
    fn close_before(&mut self, touch: &Touch<'_>) {
        let start = (touch.extent.memory, touch.extent.start);
        while let Some((memory, end, at)) = self.by_end.first().copied()
            && (memory, end) <= start
        {
            self.by_end.pop_first();
            let Some(closed) = self.all.remove(&at) else {
                continue;
            };
            self.by_entry.remove(&closed);
            self.waiting.remove(&closed);
            if let Some(count) = self.resources.get_mut(&closed.resource) {
                *count -= 1;
                if *count == 0 {
                    self.resources.remove(&closed.resource);
                }
            }
        }
    }

    /// Whether an entry of this group and another one collide if they are of two resources.
    fn collides(&self, touch: &Touch<'_>) -> bool {
        self.modify || touch.modifies
    }

    /// The place of the first one of an earlier entry with which an entry collides.
    fn earlier(&self, second: &Touch<'_>) -> Option<usize> {
        let is_earlier = self.by_entry.first()?.index < second.index;
        let others =
            self.resources.len() - usize::from(self.resources.contains_key(&second.resource));
        if !is_earlier || others == 0 || !self.collides(second) {
            return None;
        }
        let mut all = self.all.values();
        let first = all.find(|o| o.index < second.index && o.resource != second.resource);
        first.map(|opened| opened.at)
    }

    /// Those of later entries that nothing was found for and that collide with an entry.
    fn take_later(&mut self, first: &Touch<'_>) -> Vec<Opened> {
        if !self.collides(first) {
            return Vec::new();
        }
        let from = Opened {
            index: first.index + 1,
            at: 0,
            resource: ResourceId::new(0),
        };
        let later = self.waiting.range(from..);
        let taken: Vec<Opened> = later
            .filter(|opened| opened.resource != first.resource)
            .copied()
            .collect();
        for opened in &taken {
            self.waiting.remove(opened);
        }
        taken
    }
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
    barrier.as_texture().is_some_and(|it| {
        let (before, after) = it.layouts();
        it.discard || before != Layout::Undefined && before != after
    })
}
