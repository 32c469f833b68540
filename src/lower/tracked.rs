//! `tracked`: what a driver does that remembers: what is idle is not waited for again, what is clean not written back
//! again.
//!
//! Since the latest work of the stages that a barrier waits for, earlier barriers may have waited for them, written their
//! caches back and dropped what readers had. What they did of what this one needs is left out, and this one comes after
//! them. How far back the driver looks is bounded, so that a barrier costs no more the longer a list is.

use super::{Entry, Lowering, PRECISE, Policy, Session, StepDraft};

/// `tracked`.
#[derive(Debug)]
pub struct Tracked;

/// The one value.
pub static TRACKED: Tracked = Tracked;

impl Lowering for Tracked {
    fn name(&self) -> &'static str {
        "tracked"
    }

    fn summary(&self) -> &'static str {
        "remembers what is idle and clean; leaves out what was done since"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

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
