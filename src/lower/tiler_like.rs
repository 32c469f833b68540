super::lowering! {
    /// **What it does.** Barriers only set bits, whole caches at a time: a write leaves the flush of its own cache and the invalidates
    /// of all others pending. Work that a pending barrier holds turns all bits into one command; what nobody reads is flushed once,
    /// at the end.
    ///
    /// **Whom it is shaped after.** Mesa's turnip, `tu_flush_for_access`.
    ///
    /// **What it costs.** Fewer waits and operations, and more bytes.
    ///
    /// **Limits.** On the profile `tiler` a hold is for the whole queue, so that any work emits what is pending. turnip emits bits
    /// for an access; here they are emitted for stages. What a barrier does to a render pass is the machine's business and the same
    /// for every lowering but `full_flush`.
    pub TilerLike = "tiler_like",
        "keeps whole-cache bits pending until matching work comes";
}

use super::lazy::keep;
use super::{Entry, LAZY, PRECISE, Policy, Session};
use crate::id::NodeId;
use crate::scenario::Command;

/// The one value.
pub static TILER_LIKE: TilerLike = TilerLike;

impl Policy for TilerLike {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        draft.take_whole_caches();
        keep(session, entry, draft);
    }

    fn before_work(&self, session: &mut Session<'_, '_>, node: NodeId, command: &Command) {
        LAZY.before_work(session, node, command);
    }

    fn before_end(&self, session: &mut Session<'_, '_>) {
        LAZY.before_end(session);
    }
}
