//! Buffers that nothing writes: staging memory, constants, geometry.
//!
//! Without a write there is nothing to be ordered with and nothing to be made visible, so their uses, which are many in
//! real frames and often of other bytes each, need not be kept.

use crate::id::{ResourceId, Table};
use crate::order::Timeline;
use crate::scenario::{Barrier, Resource, StatementKind};

/// By resource: whether it is a buffer with memory of its own that no command and no CPU writes, and that no barrier
/// names.
pub(super) fn constant(timeline: &Timeline<'_>) -> Table<ResourceId, bool> {
    let scenario = timeline.scenario;
    let mut constant: Table<ResourceId, bool> = scenario
        .resources
        .values()
        .map(Resource::is_buffer)
        .collect();
    for command in scenario.commands() {
        for used in command.uses.iter().filter(|used| used.writes()) {
            constant[used.resource] = false;
        }
        for resource in command.kind.barriers().iter().filter_map(Barrier::resource) {
            constant[resource] = false;
        }
    }
    for statement in scenario.timeline.iter().flat_map(|t| &t.statements) {
        statement.for_each(&mut |statement| {
            if let StatementKind::CpuWrite { resource, .. } = statement.kind {
                constant[resource] = false;
            }
        });
    }
    for id in scenario.resources.ids() {
        constant[id] &= !timeline.memory.is_aliased(id);
    }
    constant
}
