super::lowering! {
    /// **What it does.** Flushes go down the pipe with the work, invalidates happen when the front end reads them. A barrier with both
    /// is two commands, and the first ends with a sync at the end of the pipe. Caches are taken whole. Bits about graphics caches are
    /// acted on in graphics mode only: a barrier for draws that is recorded after a dispatch waits for a draw.
    ///
    /// **Whom it is shaped after.** Mesa's anv, `genX(emit_apply_pipe_flushes)` and its deferred bits; the bits of `PIPE_CONTROL`.
    ///
    /// **What it costs.** The sync, and write-backs of more than the barrier's bytes.
    ///
    /// **Limits.** anv keeps bits pending after every barrier; here only those for draws in compute mode wait. What stream output
    /// has written past the caches drops those of the reader; anv invalidates everything. Resolves are not predicated on the state
    /// of a slice.
    pub IntelLike = "intel_like",
        "flush, end-of-pipe sync, invalidate; graphics bits wait for graphics work";
}

use super::{Entry, LAZY, PRECISE, Policy, Session, StepDraft};
use crate::api::Leaf;
use crate::id::NodeId;
use crate::program::Why;
use crate::scenario::Command;

/// The one value.
pub static INTEL_LIKE: IntelLike = IntelLike;

impl Policy for IntelLike {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        draft.take_whole_caches();
        let is_flush = |step: &StepDraft| matches!(step, StepDraft::Clean { .. });
        let is_drop = |step: Option<&StepDraft>| matches!(step, Some(StepDraft::Invalidate { .. }));
        let steps = &draft.steps;
        let last = (1..steps.len()).rev();
        let mut last = last.filter(|at| is_flush(&steps[at - 1]) && is_drop(steps.get(*at)));
        if let Some(at) = last.next() {
            let sync = StepDraft::Driver {
                op: "end-of-pipe sync",
                takes: session.profile().drain(Leaf::RenderTarget).cost,
                why: Why::Text("the flush is pipelined, the invalidate is not"),
            };
            draft.steps.insert(at, sync);
        }
        let is_half = entry.is_split_begin || entry.is_split_end;
        let is_for_draws = !draft.hold.is_empty() && !draft.hold.has(Leaf::ComputeShading);
        if session.is_graphics() || is_half || !is_for_draws || entry.layout.is_some() {
            session.emit_deferred();
            session.barrier(entry, &draft);
        } else {
            session.defer(entry.clone(), draft);
        }
    }

    fn before_work(&self, session: &mut Session<'_, '_>, node: NodeId, command: &Command) {
        LAZY.before_work(session, node, command);
    }

    fn before_end(&self, session: &mut Session<'_, '_>) {
        LAZY.before_end(session);
    }
}
