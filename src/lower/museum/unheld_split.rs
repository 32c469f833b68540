crate::lower::lowering! {
    /// **The mistake.** The first half of a split barrier waits for everything, to be on the safe side, and does all the work.
    /// The second half is therefore thought to have nothing left to do: nothing holds the readers until the first has ended.
    ///
    /// **Where it shows.** A split barrier whose readers start as soon as they are issued.
    ///
    /// **Where it hides.** Halves with enough work between them; a machine that holds everything behind any wait.
    ///
    /// **Source.** vkd3d-proton at d01924b6: of a split pair one half is dropped and the other widened to all commands. This is
    /// the mirror image, which loses the ordering instead of the overlap.
    wrong pub(super) UnheldSplit = "unheld_split",
        "wrong on purpose: widens the first half of a split barrier and drops the second";
}

use crate::api::LeafSet;
use crate::lower::precise::whole_queue;
use crate::lower::{Entry, PRECISE, Policy, Session};

impl Policy for UnheldSplit {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        if entry.is_split_begin {
            draft.wait = LeafSet::ALL;
        }
        if entry.is_split_end {
            draft = entry.draft(LeafSet::EMPTY, LeafSet::EMPTY);
        }
        whole_queue(session.profile(), &mut draft);
        session.barrier(entry, &draft);
    }
}
