//! Where the packets come from: a program, or a stream that makes each block when a queue comes to it.

use crate::id::QueueId;
use crate::program::{Block, Blocks};
use std::rc::Rc;

/// Blocks in the CPU's order of submission.
pub(super) enum Feed<'p> {
    /// All blocks are at hand.
    Program(&'p [Block]),
    /// Blocks are made on the way.
    Stream(&'p mut dyn Blocks),
}

/// A block for as long as something of it is in flight.
pub(super) enum Held<'p> {
    /// A block of a program.
    Lent(&'p Block),
    /// A block of a stream.
    Own(Rc<Block>),
}

impl Clone for Held<'_> {
    fn clone(&self) -> Self {
        match self {
            Self::Lent(block) => Self::Lent(block),
            Self::Own(block) => Self::Own(Rc::clone(block)),
        }
    }
}

impl std::ops::Deref for Held<'_> {
    type Target = Block;

    #[inline]
    fn deref(&self) -> &Block {
        match self {
            Self::Lent(block) => block,
            Self::Own(block) => block,
        }
    }
}

impl<'p> Feed<'p> {
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Program(blocks) => blocks.len(),
            Self::Stream(blocks) => blocks.count(),
        }
    }

    pub(super) fn queue(&self, index: usize) -> Option<QueueId> {
        match self {
            Self::Program(blocks) => blocks[index].queue,
            Self::Stream(blocks) => blocks.queue(index),
        }
    }

    /// Whether nobody wants to know any more what becomes of the packets.
    pub(super) fn is_dropped(&self) -> bool {
        match self {
            Self::Program(_) => false,
            Self::Stream(blocks) => blocks.is_dropped(),
        }
    }

    pub(super) fn take(&mut self, index: usize) -> Held<'p> {
        match self {
            Self::Program(blocks) => Held::Lent(&blocks[index]),
            Self::Stream(blocks) => Held::Own(Rc::new(blocks.take(index))),
        }
    }
}
