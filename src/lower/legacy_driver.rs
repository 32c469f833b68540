super::lowering! {
    /// **What it does.** A resource state names accesses and no stages. Each side of a barrier is widened to every stage that could
    /// make its accesses, caches are taken whole, and where memory changes hands nobody knows what the other resource was doing:
    /// everything stops and everything is flushed.
    ///
    /// **Whom it is shaped after.** The Enhanced Barriers specification, "D3D12 Legacy Resource Barrier Shortcomings": excessive
    /// sync latency, excessive flush operations, aliasing barriers as full stalls.
    ///
    /// **What it costs.** More than twice the operations. In a frame with asynchronous work, the waits cost most.
    ///
    /// **Limits.** It gets enhanced barriers and forgets their stages. What promotion and decay of legacy states mean is decided
    /// before, by the [translation of legacy barriers](../legacy.md).
    pub LegacyDriver = "legacy_driver",
        "infers the worst case from accesses, as from resource states; stalls for aliases";
}

use super::{Entry, FULL_FLUSH, PRECISE, Policy, Session};
use crate::api::compat::access_leaves;
use crate::api::{BarrierAccess, Layout, LeafSet};

/// The one value.
pub static LEGACY_DRIVER: LegacyDriver = LegacyDriver;

impl Policy for LegacyDriver {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        if changes_hands(entry) {
            FULL_FLUSH.entry(session, entry);
            return;
        }
        let mut draft = PRECISE.draft(session, entry);
        let queue = entry.queue.leaves();
        let could = |named: LeafSet, accesses: BarrierAccess| {
            let leaves = access_leaves(accesses).intersection(queue);
            if named.is_empty() {
                named
            } else {
                named.union(leaves)
            }
        };
        draft.wait = could(draft.wait, entry.before.accesses);
        draft.hold = could(draft.hold, entry.after.accesses);
        draft.take_whole_caches();
        session.barrier(entry, &draft);
    }
}

/// Whether memory goes from one resource to another, or may.
fn changes_hands(entry: &Entry<'_>) -> bool {
    let from_nothing = |(before, _)| before == Layout::Undefined;
    let is_given_up = !entry.given_up.is_empty();
    is_given_up
        || !entry.leftovers.is_empty()
        || entry.barrier.access_after == BarrierAccess::NO_ACCESS
        || entry.barrier.transition().is_some_and(from_nothing)
}
