crate::lower::lowering! {
    /// **The mistake.** What is to be flushed and what is to be invalidated go into one command. Flushes are pipelined, and
    /// invalidates happen at once: the readers' caches are dropped before the data is in memory, and may fill with old lines
    /// again.
    ///
    /// **Where it shows.** Every barrier that both writes back and drops, most of all from one engine's cache to another's.
    ///
    /// **Where it hides.** Barriers that only write back or only drop; readers that are idle until the flush has ended.
    ///
    /// **Source.** Mesa, anv, `genX(emit_apply_pipe_flushes)`: it emits a flush with an end-of-pipe sync first and the
    /// invalidate in a second `PIPE_CONTROL`, and says why.
    wrong pub(super) MergedFlush = "merged_flush",
        "wrong on purpose: flushes and invalidates in one command, the flush later (against anv)";
}

use crate::lower::{Entry, PRECISE, Policy, Session, StepDraft};

impl Policy for MergedFlush {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        let is_layout = |step: &StepDraft| matches!(step, StepDraft::Layout(_));
        // Commands on both sides of a layout operation are commands of their own.
        for part in draft.steps.split_mut(is_layout) {
            part.sort_by_key(|step| !matches!(step, StepDraft::Invalidate { .. }));
        }
        session.barrier(entry, &draft);
    }
}
