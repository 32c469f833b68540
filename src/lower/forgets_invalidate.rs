super::lowering! {
    /// **The mistake.** It waits and writes back as the profile calls for, and drops nothing: readers keep what their caches held
    /// before. It is made up, to show what a bug of a lowering looks like in a report.
    ///
    /// **Where it shows.** A reader whose cache holds lines from before the write.
    ///
    /// **Where it hides.** Readers that have never read the bytes, and machines on which writer and reader share their caches. So it
    /// shows only where a cache happens to hold an old line.
    ///
    /// **Source.** None: no driver is known that drops nothing.
    wrong pub ForgetsInvalidate = "forgets_invalidate",
        "wrong on purpose, for teaching: like precise, but readers keep what their caches held before";
}

use super::{Entry, PRECISE, Policy, Session, StepDraft};

/// The one value.
pub static FORGETS_INVALIDATE: ForgetsInvalidate = ForgetsInvalidate;

impl Policy for ForgetsInvalidate {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        draft
            .steps
            .retain(|step| !matches!(step, StepDraft::Invalidate { .. }));
        session.barrier(entry, &draft);
    }
}
