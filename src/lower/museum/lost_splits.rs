crate::lower::lowering! {
    /// **The mistake.** Barriers on buffers go the way of global barriers, and that way returns early for `SPLIT`: of a split
    /// barrier on a buffer neither half does anything.
    ///
    /// **Where it shows.** A split barrier between a write and a read of a buffer.
    ///
    /// **Where it hides.** Split barriers on textures; another barrier between the halves that waits and flushes.
    ///
    /// **Source.** vkd3d-proton at d01924b6, the buffer path of its enhanced barriers, read from the source.
    wrong pub(super) LostSplits = "lost_splits",
        "wrong on purpose: drops both halves of a split buffer barrier (vkd3d-proton, d01924b6)";
}

use crate::api::LeafSet;
use crate::lower::{Entry, PRECISE, Policy, Session};

impl Policy for LostSplits {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        let is_half = entry.is_split_begin || entry.is_split_end;
        if is_half && entry.resource.is_some() && entry.barrier.layouts().is_none() {
            draft = entry.draft(LeafSet::EMPTY, LeafSet::EMPTY);
        }
        session.barrier(entry, &draft);
    }
}
