//! `lazy`: what barriers ask for is kept pending and emitted when the first work comes that they hold.
//!
//! Barriers that pile up before the same work become one packet: one wait for all of them, their operations in the order
//! of the barriers, one hold. Work at other stages does not emit them. A split pair is never kept: its halves are two
//! moments. An entry that adds nothing of its own keeps an empty packet, so that its cost (none) is still reported.

use super::{Draft, Entry, Lowering, PRECISE, Policy, Session};
use crate::id::NodeId;
use crate::scenario::Command;

/// `lazy`.
#[derive(Debug)]
pub struct Lazy;

/// The one value.
pub static LAZY: Lazy = Lazy;

impl Lowering for Lazy {
    fn name(&self) -> &'static str {
        "lazy"
    }

    fn summary(&self) -> &'static str {
        "keeps barriers pending until work comes that they hold; emits them as one"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

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
