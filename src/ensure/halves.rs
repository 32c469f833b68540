//! Which halves of split barriers belong together, and where their packets are.

use super::Window;
use crate::api::LeafSet;
use crate::id::{BarrierRef, NodeId};
pub(super) use crate::order::split_pairs as pairs;
use std::collections::BTreeMap;

/// The halves of the split barriers of a scope.
#[derive(Default)]
pub(super) struct Halves {
    /// By second half: the first.
    firsts: BTreeMap<BarrierRef, BarrierRef>,
    /// By first half: where the second is, and what that holds.
    seconds: BTreeMap<BarrierRef, (NodeId, LeafSet)>,
    /// By first half that has come: where its first packet is.
    packets: BTreeMap<BarrierRef, Option<usize>>,
}

impl Halves {
    /// Adds a pair. What the first half is asked for must have happened before the second lets go anything that it holds.
    pub(super) fn add(&mut self, first: BarrierRef, second: BarrierRef, hold: LeafSet) {
        self.firsts.insert(second, first);
        self.seconds.insert(first, (second.node, hold));
    }

    /// Notes where the first packet of an entry is, if it is a first half.
    pub(super) fn note(&mut self, id: BarrierRef, packet: Option<usize>) {
        if self.seconds.contains_key(&id) {
            self.packets.insert(id, packet);
        }
    }

    pub(super) fn is_second(&self, id: BarrierRef) -> bool {
        self.firsts.contains_key(&id)
    }

    /// Of a second half: where the first packet of its first half is.
    pub(super) fn first_packet(&self, id: BarrierRef) -> Option<usize> {
        let first = self.firsts.get(&id)?;
        *self.packets.get(first)?
    }

    /// Between which packets others may do an entry's work.
    pub(super) fn window(&self, id: BarrierRef) -> Window {
        Window {
            start: self.first_packet(id),
            end: self.seconds.get(&id).copied(),
        }
    }
}
