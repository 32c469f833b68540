crate::lower::lowering! {
    /// **The mistake.** The metadata of a texture that takes over memory is initialised when the driver gets to it, which is
    /// after the first command that uses the texture: the initialisation races with that use, or undoes it.
    ///
    /// **Where it shows.** A transition from `UNDEFINED` with `DISCARD`, then a draw to the texture.
    ///
    /// **Where it hides.** Machines whose layouts need no metadata; textures that are cleared as a whole later.
    ///
    /// **Source.** AMD PAL, `InitMaskRam` in the barrier code: it waits at the front of the queue so that the initialisation
    /// cannot race with metadata updates on aliased memory; vkd3d-proton, commit a57c601c.
    wrong pub(super) LateMetadata = "late_metadata",
        "wrong on purpose: initialises metadata after the first use of an alias";
}

use crate::id::NodeId;
use crate::lower::{Entry, PRECISE, Policy, Session};
use crate::scenario::Command;

impl Policy for LateMetadata {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let draft = PRECISE.draft(session, entry);
        if entry.layout.is_some_and(|layout| layout.initialises()) {
            session.defer(entry.clone(), draft);
        } else {
            session.emit_deferred();
            session.barrier(entry, &draft);
        }
    }

    fn before_work(&self, session: &mut Session<'_, '_>, node: NodeId, _: &Command) {
        let entries = session.deferred().iter();
        let mut first = entries.map(|(entry, _)| entry.id.node);
        // The work right after the barrier is the first use; what comes after that is after the initialisation.
        if first.any(|barrier| barrier.0 + 1 < node.0) {
            session.emit_deferred();
        }
    }

    fn before_end(&self, session: &mut Session<'_, '_>) {
        session.emit_deferred();
    }
}
