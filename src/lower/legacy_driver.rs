//! `legacy_driver`: what a driver does that knows states and nothing else.
//!
//! A resource state says how a resource is accessed, not at which stages. So a barrier waits for every stage that could have
//! made the accesses before it, holds every stage that could make those after it, and drops whole caches. Where memory
//! changes hands, nobody knows what the other resource was doing: everything stops, and everything is flushed.
//!
//! Enhanced Barriers specification, "Shortcomings of Resource State Transitions": excessive sync latency, excessive flush
//! operations, and aliasing barriers as full stalls.

use super::{Entry, FULL_FLUSH, Lowering, PRECISE, Policy, Session};
use crate::api::compat::access_leaves;
use crate::api::{BarrierAccess, Layout, LeafSet};

/// `legacy_driver`.
#[derive(Debug)]
pub struct LegacyDriver;

/// The one value.
pub static LEGACY_DRIVER: LegacyDriver = LegacyDriver;

impl Lowering for LegacyDriver {
    fn name(&self) -> &'static str {
        "legacy_driver"
    }

    fn summary(&self) -> &'static str {
        "infers the worst case from accesses, as from resource states; stalls for aliases"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

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
