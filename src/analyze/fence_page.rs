//! What the page of fences needs next to the account: in which slots values are, and which contents a reset lost.

use crate::api::{NativeFence, SyncObject};
use crate::id::{FenceId, ResourceId, Table};
use crate::order::storage::{self, Memory, Slot, ValueType, pack};
use crate::order::{ResetEffect, Timeline};
use indexmap::{IndexMap, IndexSet};

/// Resources that the dropped work would have written.
pub(crate) fn lost_contents(timeline: &Timeline<'_>, effect: &ResetEffect) -> IndexSet<ResourceId> {
    let commands = effect.dropped.iter().flat_map(|id| timeline.commands(*id));
    commands
        .flat_map(|(_, _, command)| &command.uses)
        .filter(|u| u.writes())
        .map(|u| u.resource)
        .collect()
}

/// Where a fence's current and its monitored value are; `None` where it has none.
pub(crate) type Slots = (Option<Slot>, Option<Slot>);

/// Slots of native fences. Each process has pages of its own for each adapter, kind of memory and kind of value; pages
/// are numbered through these groups in order.
pub(crate) fn slots(timeline: &Timeline<'_>) -> Table<FenceId, Slots> {
    let scenario = timeline.scenario;
    let mut slots: Table<FenceId, Slots> = Table::filled(scenario.fences.len(), (None, None));
    for value in [ValueType::Current, ValueType::Monitored] {
        let mut groups: IndexMap<_, Vec<(FenceId, bool)>> = IndexMap::new();
        for (id, fence) in scenario.fences.pairs() {
            let has = match fence.native_type() {
                Some(NativeFence::Default) => true,
                Some(NativeFence::IntraGpu) => value == ValueType::Current,
                None => false,
            };
            if has && fence.object() == SyncObject::Native {
                let adapter = fence.adapter.unwrap_or(0);
                let memory = Memory::of(scenario, adapter);
                let segment = storage::place(fence, value, &memory);
                let group = (adapter, fence.process, segment, memory.stride_bytes);
                let shareable = storage::request(fence, value).shared;
                groups.entry(group).or_default().push((id, shareable));
            }
        }
        let mut first = 0;
        for ((_, _, _, stride), members) in &groups {
            let packed = pack(members.iter().map(|(_, shareable)| *shareable), *stride);
            for ((id, _), slot) in members.iter().zip(&packed) {
                let slot = Slot {
                    page: slot.page + first,
                    ..*slot
                };
                match value {
                    ValueType::Current => slots[*id].0 = Some(slot),
                    ValueType::Monitored => slots[*id].1 = Some(slot),
                }
            }
            first += packed.iter().map(|slot| slot.page + 1).max().unwrap_or(0);
        }
    }
    slots
}
