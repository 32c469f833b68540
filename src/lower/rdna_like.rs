super::lowering! {
    /// **What it does.** Colour and depth leave the render back-ends by an event at the end of the pipe. A wait for that event is a
    /// wait for all earlier work, so that no partial flush is needed next to it. Other waits are by stage. Readers' caches are
    /// dropped whole.
    ///
    /// **Whom it is shaped after.** AMD PAL (`gfx10` and `gfx12` barriers: events that subsume partial flushes). Mesa's RADV
    /// differs: version 26.1.6 writes back and drops L2 after every write of a buffer, and the colour and depth caches after every
    /// copy, because it does not know what was written how
    /// ([the packets](../judge.md#shipped-drivers-on-the-built-in-profiles) of 352 barriers).
    ///
    /// **What it costs.** Waits for stages that nobody named ([LW102](../rules/LW102.md)), and refills of what a whole cache held
    /// besides.
    ///
    /// **Limits.** PAL places each wait at the latest of seven acquire points; here a wait is for stages. PAL leaves flushes out
    /// between one kind of attachment and the same, where the next user is the same cache; RADV does not; this lowering follows the
    /// paths, as `precise` does.
    pub RdnaLike = "rdna_like",
        "end-of-pipe events in place of partial flushes; acquires drop whole caches";
}

use super::precise::whole_queue;
use super::{Entry, PRECISE, Policy, Session};
use crate::api::{Leaf, LeafSet};

/// The one value.
pub static RDNA_LIKE: RdnaLike = RdnaLike;

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
