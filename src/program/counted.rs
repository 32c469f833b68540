//! Parts of barrier packets whose cost a run adds up.

use super::Block;
use crate::api::LeafSet;
use crate::id::OpId;

/// Part of a barrier packet whose cost a run adds up.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// The packet.
    pub op: OpId,
    /// The part.
    pub part: Part,
    /// The sum that it belongs to.
    pub sum: u32,
}

/// Part of a barrier packet.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// The wait for some of its leaves: what it takes beyond the wait for the others.
    Wait(LeafSet),
    /// A step, by its index among those of the barrier.
    Step(u32),
    /// The hold of some of its leaves. The work that waits for it pays for it, and that time is not added up.
    Hold(LeafSet),
}

impl Block {
    /// What of a packet is to be added up.
    pub fn counted(&self, op: OpId) -> &[Counted] {
        let from = self.counted.partition_point(|c| c.op < op);
        let own = &self.counted[from..];
        &own[..own.partition_point(|c| c.op == op)]
    }
}
