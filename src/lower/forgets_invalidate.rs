//! `forgets_invalidate`: like `precise`, but no barrier drops old lines from a reader's caches. Wrong on purpose: it
//! shows what the bug looks like in a report, and that it shows only where a cache happens to hold an old line.

use super::{Entry, Lowering, PRECISE, Policy, Session, StepDraft};

/// Waits and writes back as the profile calls for, and drops nothing.
#[derive(Debug)]
pub struct ForgetsInvalidate;

/// The one value.
pub static FORGETS_INVALIDATE: ForgetsInvalidate = ForgetsInvalidate;

impl Lowering for ForgetsInvalidate {
    fn name(&self) -> &'static str {
        "forgets_invalidate"
    }

    fn summary(&self) -> &'static str {
        "wrong on purpose, for teaching: like precise, but readers keep what their caches held before"
    }

    fn is_wrong_on_purpose(&self) -> bool {
        true
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for ForgetsInvalidate {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        draft
            .steps
            .retain(|step| !matches!(step, StepDraft::Invalidate { .. }));
        session.barrier(entry, &draft);
    }
}
