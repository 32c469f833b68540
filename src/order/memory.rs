//! Where resources lie in memory: heaps, placed resources that overlap, memory of their own.

use crate::id::{Extent, HeapId, MemoryId, ResourceId, Table};
use crate::scenario::offsets::Offsets;
use crate::scenario::{Barrier, BarrierTarget, Placement, Range, ResourceKind, Scenario, geometry};

/// Memory of each resource. Heaps come first, then the own memory of committed and reserved resources.
#[derive(Debug)]
pub struct MemoryMap {
    places: Table<ResourceId, InMemory>,
    memories: usize,
    sizes: Table<MemoryId, u64>,
}

#[derive(Copy, Clone, Debug)]
struct InMemory {
    memory: MemoryId,
    base: u64,
    bytes: u64,
    aliased: bool,
}

impl MemoryMap {
    /// Places every resource of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let mut sizes: Table<MemoryId, u64> =
            scenario.heaps.values().map(|heap| heap.size).collect();
        let mut places: Table<ResourceId, InMemory> = Table::default();
        for resource in scenario.resources.values() {
            let bytes = geometry::resource_bytes(resource);
            let (memory, base) = match resource.placement {
                Placement::Placed { heap, offset } => (MemoryId(heap.0), offset),
                Placement::Committed | Placement::Reserved => (sizes.push(bytes), 0),
            };
            places.push(InMemory {
                memory,
                base,
                bytes,
                aliased: false,
            });
        }
        mark_aliases(scenario, &mut places);
        Self {
            places,
            memories: sizes.len(),
            sizes,
        }
    }

    /// Number of independent blocks of memory.
    pub fn memory_count(&self) -> usize {
        self.memories
    }

    /// Bytes of a block as declared.
    pub fn memory_bytes(&self, memory: MemoryId) -> u64 {
        self.sizes[memory]
    }

    /// The memory of a heap.
    pub fn heap_memory(heap: HeapId) -> MemoryId {
        MemoryId(heap.0)
    }

    /// All bytes of a resource; `None` if it has none.
    pub fn whole(&self, resource: ResourceId) -> Option<Extent> {
        let place = self.places[resource];
        (place.bytes > 0).then(|| {
            Extent::new(
                place.memory,
                place.base,
                place.base.saturating_add(place.bytes),
            )
        })
    }

    /// Bytes of a resource.
    pub fn bytes(&self, resource: ResourceId) -> u64 {
        self.places[resource].bytes
    }

    /// Whether another resource overlaps its memory.
    pub fn is_aliased(&self, resource: ResourceId) -> bool {
        self.places[resource].aliased
    }

    /// The other resources whose bytes overlap its own, ascending. Cost: the resources of the scenario.
    pub fn aliases(&self, resource: ResourceId) -> Vec<ResourceId> {
        let Some(own) = self.whole(resource).filter(|_| self.is_aliased(resource)) else {
            return Vec::new();
        };
        let meets = |id: &ResourceId| {
            let other = self.whole(*id);
            *id != resource && other.is_some_and(|other| other.intersection(own).is_some())
        };
        self.places.ids().filter(meets).collect()
    }

    /// Calls `each` for the extents of a range, ascending.
    #[inline]
    pub fn for_each_extent(
        &self,
        scenario: &Scenario,
        resource: ResourceId,
        range: &Range,
        mut each: impl FnMut(Extent),
    ) {
        let place = self.places[resource];
        if matches!(range, Range::All) {
            if let Some(extent) = self.whole(resource) {
                each(extent);
            }
            return;
        }
        for (start, end) in geometry::byte_runs(scenario.resource(resource), range) {
            each(place.extent(start, end));
        }
    }

    /// Calls `each` for the extents that a barrier applies to; a global barrier has none of its own.
    #[inline]
    pub fn for_each_barrier_extent(
        &self,
        scenario: &Scenario,
        barrier: &Barrier,
        mut each: impl FnMut(Extent),
    ) {
        let Some(resource) = barrier.resource() else {
            return;
        };
        match &barrier.target {
            BarrierTarget::Texture(entry) => {
                let ResourceKind::Texture(shape) = &scenario.resource(resource).kind else {
                    return;
                };
                let Ok(sub) = geometry::barrier_box(shape, &entry.range) else {
                    return;
                };
                let place = self.places[resource];
                if sub.is_all(shape) {
                    self.for_each_extent(scenario, resource, &Range::All, each);
                } else {
                    for (start, end) in geometry::box_byte_runs(shape, &sub) {
                        each(place.extent(start, end));
                    }
                }
            }
            BarrierTarget::Buffer { .. } => {
                self.for_each_extent(scenario, resource, &Range::All, each);
            }
            BarrierTarget::Ranged { range, .. } => {
                self.for_each_extent(scenario, resource, range, each);
            }
            BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => {}
        }
    }

    /// Calls `each` for the extent of each run of subresource indices, `(first, end)`; of a buffer, for all of it.
    pub fn for_each_subresource_extent(
        &self,
        scenario: &Scenario,
        resource: ResourceId,
        runs: &[(u32, u32)],
        mut each: impl FnMut(Extent),
    ) {
        let Some(shape) = scenario.resource(resource).texture() else {
            if !runs.is_empty() {
                self.for_each_extent(scenario, resource, &Range::All, each);
            }
            return;
        };
        let own = self.places[resource];
        // Subresources lie in the order of their indices, without gaps.
        let offsets = Offsets::new(shape);
        for run in runs.iter().filter(|(first, end)| first < end) {
            let (start, end) = offsets.run(*run);
            each(own.extent(start, end));
        }
    }

    /// Extents of a range, collected.
    pub fn extents(&self, scenario: &Scenario, resource: ResourceId, range: &Range) -> Vec<Extent> {
        let mut extents = Vec::new();
        self.for_each_extent(scenario, resource, range, |extent| extents.push(extent));
        extents
    }
}

impl InMemory {
    fn extent(self, start: u64, end: u64) -> Extent {
        Extent::new(
            self.memory,
            self.base.saturating_add(start),
            self.base.saturating_add(end),
        )
    }
}

/// Marks placed resources whose bytes, rounded as reading R41 says, overlap another's.
fn mark_aliases(scenario: &Scenario, places: &mut Table<ResourceId, InMemory>) {
    let mut spans: Vec<(MemoryId, u64, u64, ResourceId)> = Vec::new();
    for (id, resource) in scenario.resources.pairs() {
        if let Placement::Placed { .. } = resource.placement {
            let place = places[id];
            let rounding = if resource.is_buffer() {
                1
            } else {
                geometry::placement_alignment(resource)
            };
            let bytes = place
                .bytes
                .checked_next_multiple_of(rounding)
                .unwrap_or(u64::MAX);
            spans.push((
                place.memory,
                place.base,
                place.base.saturating_add(bytes),
                id,
            ));
        }
    }
    spans.sort_unstable();
    // Sweep: an interval overlaps an earlier one of its memory exactly if it starts before the furthest end so far.
    let mut furthest: Option<(MemoryId, u64, ResourceId)> = None;
    for (memory, start, end, id) in spans {
        match furthest {
            Some((m, furthest_end, holder)) if m == memory && start < furthest_end => {
                places[id].aliased = true;
                places[holder].aliased = true;
                if end > furthest_end {
                    furthest = Some((memory, end, id));
                }
            }
            _ => furthest = Some((memory, end, id)),
        }
    }
}
