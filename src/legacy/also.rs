//! Entries of a list that executes several times, and finds a resource in different states.

use super::parts::{on_queue_access, on_queue_sync};
use super::states;
use crate::api::{BarrierAccess, BarrierSync, ResourceState};
use crate::finding::Span;
use crate::id::ListId;
use crate::scenario::{CommandKind, Scenario};

/// A transition, or a half of one, that some executions do from another state than the first.
#[derive(Copy, Clone, Debug)]
pub(crate) struct AlsoFrom {
    /// Where the call is.
    pub(crate) list: ListId,
    /// Its index in the list.
    pub(crate) command: usize,
    /// The entry as it is written.
    pub(crate) entry: Span,
    /// The other states together; `COMMON` if it is among them.
    pub(crate) state: ResourceState,
}

/// Lets entries of a translated scenario wait for the work of further states too, and name its accesses. Layouts stay those of
/// the first execution.
pub(crate) fn come_also_from(plain: &mut Scenario, entries: &[AlsoFrom]) {
    for it in entries {
        let list = &mut plain.lists[it.list];
        let queue = list.queue_type;
        let CommandKind::Barrier(barriers) = &mut list.commands[it.command].kind else {
            continue;
        };
        let own = barriers.iter_mut().filter(|b| b.span == it.entry);
        for barrier in own {
            let is_buffer = barrier
                .resource()
                .is_some_and(|id| plain.resources[id].is_buffer());
            let sync = on_queue_sync(queue, states::sync_of(it.state, is_buffer));
            let access = on_queue_access(queue, states::access(it.state));
            if !barrier.sync_before.is_split() {
                let both = barrier.sync_before | sync;
                let is_all = both.contains(BarrierSync::ALL);
                barrier.sync_before = if is_all { BarrierSync::ALL } else { both };
            }
            let is_common = access.is_empty() || barrier.access_before.is_empty();
            barrier.access_before = if is_common {
                BarrierAccess::COMMON
            } else {
                barrier.access_before | access
            };
        }
    }
}
