crate::lower::lowering! {
    /// **The mistake.** `D3D12_BARRIER_ACCESS_COMMON` is the number zero. It is taken for "no access", where it means every
    /// access that the layout or the resource allows: the barrier waits, and neither writes back nor drops anything for that
    /// side.
    ///
    /// **Where it shows.** A barrier that names `COMMON` before writes that are still in a cache, or after it for readers whose
    /// caches hold older lines.
    ///
    /// **Where it hides.** Barriers that name their accesses; machines whose caches are coherent.
    ///
    /// **Source.** Enhanced Barriers specification, `D3D12_BARRIER_ACCESS`: `COMMON = 0`, with the remark that it is not the
    /// absence of access; `NO_ACCESS` is a bit of its own for that reason.
    wrong pub(super) CommonIsNothing = "common_is_nothing",
        "wrong on purpose: takes ACCESS_COMMON, which is zero, for no access";
}

use crate::api::BarrierAccess;
use crate::lower::{Entry, PRECISE, Policy, Session, StepDraft};

impl Policy for CommonIsNothing {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        let is_nothing = |access: BarrierAccess| access == BarrierAccess::COMMON;
        let before = is_nothing(entry.barrier.access_before);
        let after = is_nothing(entry.barrier.access_after);
        draft.steps.retain(|step| match step {
            StepDraft::Clean { .. } => !before,
            StepDraft::Invalidate { .. } | StepDraft::FrontEnd { .. } => !after,
            StepDraft::Layout(_) | StepDraft::Driver { .. } => true,
        });
        session.barrier(entry, &draft);
    }
}
