super::lowering! {
    /// **What it does.** A barrier is kept pending. The first work that a pending barrier holds emits everything that is pending as
    /// one packet: one wait for all writers, the operations in the order of the barriers, one hold. Work at other stages emits
    /// nothing. Halves of split barriers are never kept: they are two moments. An entry that adds nothing of its own keeps an empty
    /// packet, so that its cost (none) is still reported.
    ///
    /// **Whom it is shaped after.** Drivers that only set bits at a barrier and emit them before the next draw or dispatch: Mesa's
    /// anv (`genX(emit_apply_pipe_flushes)`, "pending bits") and turnip (`tu_flush_for_access`), without their whole caches.
    ///
    /// **What it costs.** Fewer waits. Where packets are joined, a write-back may come later and be larger.
    ///
    /// **Limits.** A wait that comes late gives work less time to end by itself. Whoever emits one pending barrier emits all.
    pub Lazy = "lazy",
        "keeps barriers pending until work comes that they hold; emits them as one";
}

use super::{Draft, Entry, PRECISE, Policy, Session};
use crate::id::NodeId;
use crate::scenario::Command;

/// The one value.
pub static LAZY: Lazy = Lazy;

impl Policy for Lazy {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let draft = PRECISE.draft(session, entry);
        keep(session, entry, draft);
    }

    fn before_work(&self, session: &mut Session<'_, '_>, node: NodeId, command: &Command) {
        if session.deferred().is_empty() {
            return;
        }
        let stages = session.stages_of(node, command);
        if session.deferred().iter().any(|(_, d)| d.hold.meets(stages)) {
            session.emit_deferred();
        }
    }

    fn before_end(&self, session: &mut Session<'_, '_>) {
        session.emit_deferred();
    }
}

/// Keeps what an entry asks for pending, unless it is a half of a split barrier.
pub(super) fn keep<'s>(session: &mut Session<'_, 's>, entry: &Entry<'s>, draft: Draft) {
    if entry.is_split_begin || entry.is_split_end {
        session.emit_deferred();
        session.barrier(entry, &draft);
    } else {
        session.defer(entry.clone(), draft);
    }
}
