crate::lower::lowering! {
    /// **The mistake.** Indirect arguments are taken for coherent with the last level of cache, as they were on the generation
    /// before. On the newer one the command processor reads them past it, so that the last level must be written back first.
    ///
    /// **Where it shows.** A shader writes arguments and an indirect command reads them, on the newer generation.
    ///
    /// **Where it hides.** The older generation; index buffers that a copy has written past the last level.
    ///
    /// **Source.** AMD PAL, `gfx12Barrier.cpp`: index, indirect and copy accesses of the command processor bypass L2 on GFX12,
    /// which those of GFX10 and GFX11 did not.
    wrong pub(super) IndirectPastHub = "indirect_past_hub",
        "wrong on purpose: reads indirect arguments as if through the last cache (GFX10 rules on GFX12)";
}

use crate::api::BarrierAccess;
use crate::lower::{Entry, PRECISE, Policy, Session, StepDraft};

impl Policy for IndirectPastHub {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        let profile = session.profile();
        if entry
            .after
            .accesses
            .contains(BarrierAccess::INDIRECT_ARGUMENT)
        {
            draft.steps.retain(|step| match step {
                StepDraft::Clean { cache, .. } => {
                    let cache = profile.cache(*cache);
                    cache.private || cache.parent.is_some()
                }
                _ => true,
            });
        }
        session.barrier(entry, &draft);
    }
}
