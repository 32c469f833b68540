//! A lowering, submission by submission: packets are made when the machine comes to them, or a little before on another
//! thread, and forgotten after it.
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

/// Lowers submission by submission, in evaluation order: each with its index.
pub struct Lowered<'t, 's> {
    policy: Decides<'t>,
    timeline: &'t Timeline<'s>,
    session: Session<'t, 's>,
    /// Place in evaluation order.
    next: usize,
    /// Packets so far.
    ops: u32,
}

/// Whose policy it is.
enum Decides<'t> {
    Lowering(&'t dyn Policy),
    /// One for this timeline only.
    Own(Box<dyn Policy + 't>),
}

impl<'t, 's> Lowered<'t, 's> {
    pub(super) fn new(
        policy: &'t dyn Policy,
        timeline: &'t Timeline<'s>,
        profile: &'t Profile,
    ) -> Self {
        Self::with(Decides::Lowering(policy), timeline, profile)
    }

    /// The same with a policy that was made for the timeline.
    pub fn owning(
        policy: Box<dyn Policy + 't>,
        timeline: &'t Timeline<'s>,
        profile: &'t Profile,
    ) -> Self {
        Self::with(Decides::Own(policy), timeline, profile)
    }

    fn with(policy: Decides<'t>, timeline: &'t Timeline<'s>, profile: &'t Profile) -> Self {
        Self {
            policy,
            timeline,
            session: Session::new(timeline, profile),
            next: 0,
            ops: 0,
        }
    }
}

impl Iterator for Lowered<'_, '_> {
    type Item = (usize, Block);

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.timeline.evaluation.get(self.next)?;
        self.next += 1;
        let policy = match &self.policy {
            Decides::Lowering(policy) => *policy,
            Decides::Own(policy) => &**policy,
        };
        let mut block = self.session.submission(policy, id);
        whole::number(&mut block, &mut self.ops);
        Some((id.index(), block))
    }
}

/// Blocks that come in evaluation order, for a machine that asks for them in its own; a `B` is a block, perhaps with what
/// somebody has found out about it.
pub struct Stream<'t, 's, B, I> {
    timeline: &'t Timeline<'s>,
    lowered: I,
    /// Lowered, and not asked for.
    ahead: BTreeMap<usize, B>,
}

impl<'t, 's, B, I: Iterator<Item = (usize, B)>> Stream<'t, 's, B, I> {
    /// The blocks of a timeline, from where they are lowered.
    pub fn new(timeline: &'t Timeline<'s>, lowered: I) -> Self {
        Self {
            timeline,
            lowered,
            ahead: BTreeMap::new(),
        }
    }

    /// Blocks that the machine has not asked for, in the order in which they are lowered: it was stuck before.
    pub fn rest(&mut self) -> Option<(usize, B)> {
        self.ahead.pop_first().or_else(|| self.lowered.next())
    }

    /// Number of blocks.
    pub fn count(&self) -> usize {
        self.timeline.submissions.len()
    }

    /// The queue that carries a block out; `None` is the CPU.
    pub fn queue(&self, index: usize) -> Option<QueueId> {
        match self.timeline.submission(SubmissionId::new(index)).actor {
            Actor::Queue(queue) => Some(queue),
            Actor::Cpu => None,
        }
    }

    /// A block; each is asked for once. `None`: it is never evaluated, because a wait that nothing satisfies holds it.
    pub fn asked(&mut self, index: usize) -> Option<B> {
        if let Some(block) = self.ahead.remove(&index) {
            return Some(block);
        }
        for (at, block) in self.lowered.by_ref() {
            if at == index {
                return Some(block);
            }
            self.ahead.insert(at, block);
        }
        None
    }

    /// A block without packets.
    pub fn empty(&self, index: usize) -> Block {
        Block {
            queue: self.queue(index),
            ..Block::default()
        }
    }
}

impl<I: Iterator<Item = (usize, Block)>> Blocks for Stream<'_, '_, Block, I> {
    fn count(&self) -> usize {
        self.count()
    }

    fn queue(&self, index: usize) -> Option<QueueId> {
        self.queue(index)
    }

    fn take(&mut self, index: usize) -> Block {
        self.asked(index).unwrap_or_else(|| self.empty(index))
    }
}
