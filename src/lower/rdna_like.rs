//! `rdna_like`: what an AMD driver does: events at the end of the pipe, and acquires that drop whole caches.
//!
//! Caches of render back-ends are written back by an event at the end of the pipe. A wait for that event is a wait for
//! everything before it, so that no other wait is needed. What readers have is dropped by an acquire, whole caches at a
//! time.
//!
//! Shaped after AMD PAL, `gfx10` and `gfx12` barriers. Mesa's RADV does more: it writes back and drops L2 after every write of a buffer.

use super::precise::whole_queue;
use super::{Entry, Lowering, PRECISE, Policy, Session};
use crate::api::{Leaf, LeafSet};

/// `rdna_like`.
#[derive(Debug)]
pub struct RdnaLike;

/// The one value.
pub static RDNA_LIKE: RdnaLike = RdnaLike;

impl Lowering for RdnaLike {
    fn name(&self) -> &'static str {
        "rdna_like"
    }

    fn summary(&self) -> &'static str {
        "end-of-pipe events in place of partial flushes; acquires drop whole caches"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for RdnaLike {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        let back_end = LeafSet::of(&[Leaf::RenderTarget, Leaf::DepthStencil]);
        if draft.wait.meets(back_end) {
            draft.wait = entry.queue.leaves();
        }
        whole_queue(session.profile(), &mut draft);
        draft.drop_whole_caches();
        session.barrier(entry, &draft);
    }
}
