//! `tiler_like`: what a driver of a tile-based GPU does: barriers only set bits, and work that needs them emits them.
//!
//! A write leaves the flush of its own cache and the invalidates of all others pending, whole caches at a time. Work whose
//! stages a pending barrier holds turns all that is pending into one command. So what nobody reads is flushed once, at the
//! end.
//!
//! Mesa, turnip, `tu_flush_for_access`.

use super::lazy::keep;
use super::{Entry, LAZY, Lowering, PRECISE, Policy, Session};
use crate::id::NodeId;
use crate::scenario::Command;

/// `tiler_like`.
#[derive(Debug)]
pub struct TilerLike;

/// The one value.
pub static TILER_LIKE: TilerLike = TilerLike;

impl Lowering for TilerLike {
    fn name(&self) -> &'static str {
        "tiler_like"
    }

    fn summary(&self) -> &'static str {
        "keeps whole-cache bits pending until matching work comes"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

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
