//! A lowering, submission by submission: packets are made when the machine comes to them and forgotten after it.
//!
//! Submissions are lowered in evaluation order, whatever the machine asks for first; what it has not asked for yet is
//! kept. So memory holds the packets of the submissions in flight, and of those that evaluation order puts before what
//! the machine has asked for.

use super::policy::Policy;
use super::session::Session;
use super::whole;
use crate::hardware::Profile;
use crate::id::{QueueId, SubmissionId};
use crate::order::{Actor, Timeline};
use crate::program::{Block, Blocks};
use std::collections::BTreeMap;

/// Blocks in the making.
pub struct Stream<'t, 's> {
    policy: &'t dyn Policy,
    timeline: &'t Timeline<'s>,
    session: Session<'t, 's>,
    /// Place in evaluation order.
    next: usize,
    /// Packets so far.
    ops: u32,
    /// Lowered, and not asked for.
    ahead: BTreeMap<usize, Block>,
}

impl<'t, 's> Stream<'t, 's> {
    pub(super) fn new(
        policy: &'t dyn Policy,
        timeline: &'t Timeline<'s>,
        profile: &'t Profile,
    ) -> Self {
        Self {
            policy,
            timeline,
            session: Session::new(timeline, profile),
            next: 0,
            ops: 0,
            ahead: BTreeMap::new(),
        }
    }

    /// Blocks that the machine has not asked for, in the order in which they are lowered: it was stuck before.
    pub fn rest(&mut self) -> Option<(usize, Block)> {
        if let Some(kept) = self.ahead.pop_first() {
            return Some(kept);
        }
        let index = self.timeline.evaluation.get(self.next)?.index();
        Some((index, self.take(index)))
    }

    /// Number of packets so far.
    pub fn ops(&self) -> u32 {
        self.ops
    }
}

impl Blocks for Stream<'_, '_> {
    fn count(&self) -> usize {
        self.timeline.submissions.len()
    }

    fn queue(&self, index: usize) -> Option<QueueId> {
        match self.timeline.submission(SubmissionId::new(index)).actor {
            Actor::Queue(queue) => Some(queue),
            Actor::Cpu => None,
        }
    }

    fn take(&mut self, index: usize) -> Block {
        loop {
            if let Some(block) = self.ahead.remove(&index) {
                return block;
            }
            let Some(id) = self.timeline.evaluation.get(self.next) else {
                // What is never evaluated (a wait that nothing satisfies holds it) has no packets.
                return Block {
                    queue: self.queue(index),
                    ..Block::default()
                };
            };
            self.next += 1;
            let mut block = self.session.submission(self.policy, *id);
            whole::number(&mut block, &mut self.ops);
            if id.index() == index {
                return block;
            }
            self.ahead.insert(id.index(), block);
        }
    }
}
