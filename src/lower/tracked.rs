super::lowering! {
    /// **What it does.** It remembers. Since the latest work at the stages that a barrier waits for, earlier barriers may have waited
    /// for that work, written its caches back and dropped what readers hold. What one of them did is left out.
    ///
    /// **Whom it is shaped after.** Drivers that know what is dirty: RADV keeps a flag for each kind of back-end write
    /// (`rb_noncoherent_dirty`), and PAL drops flushes of caches that are clean.
    ///
    /// **What it costs.** No more waits and operations than `precise`.
    ///
    /// **Limits.** It looks back over 64 packets, so that a barrier costs no more the longer a list is. Halves of split barriers and
    /// layout changes are done in full. A drop is left out only if one packet has dropped all of the caches.
    pub Tracked = "tracked",
        "remembers what is idle and clean; leaves out what was done since";
}

use super::{Entry, PRECISE, Policy, Session, StepDraft};

/// The one value.
pub static TRACKED: Tracked = Tracked;

impl Policy for Tracked {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        let is_half = entry.is_split_begin || entry.is_split_end;
        // A layout operation changes what the steps around it are about.
        if is_half || entry.layout.is_some() || draft.wait.is_empty() {
            session.barrier(entry, &draft);
            return;
        }
        let done = session.done_since(entry);
        let (mut cleans, mut drops) = (Vec::new(), Vec::new());
        for step in &draft.steps {
            match step {
                StepDraft::Clean { cache, .. } => cleans.push(*cache),
                StepDraft::Invalidate { cache, .. } => drops.push(*cache),
                _ => {}
            }
        }
        let is_clean = done.has_cleaned(&cleans);
        let is_dropped = is_clean && done.has_dropped(&drops);
        draft.steps.retain(|step| match step {
            StepDraft::Clean { .. } => !is_clean,
            StepDraft::Invalidate { .. } => !is_dropped,
            _ => true,
        });
        // Steps that are left need what they are about to have ended; without any, only what still runs is waited for.
        if draft.steps.is_empty() {
            draft.wait = draft.wait.minus(done.waited);
        }
        // Packets overlap. What is left out was done by packets before this one, and later ones count on what this one does for
        // everything that had ended by then: each follows all before it.
        draft.after_all = true;
        session.barrier(entry, &draft);
    }
}
