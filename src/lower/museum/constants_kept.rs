crate::lower::lowering! {
    /// **The mistake.** Whether the shader's data and constant caches are to be dropped was asked with `A & B` instead of
    /// `A | B`, which is never true: of what shaders read, only the texture caches are ever dropped.
    ///
    /// **Where it shows.** Unordered access, then a constant buffer; a render target, then unordered access that reads.
    ///
    /// **Where it hides.** Unordered access, then unordered access: to write a shader's data back, the driver drops it as well.
    ///
    /// **Source.** Mesa 25.0.7, NVK, `nvk_cmd_invalidate_deps`: the mask of `NVK_BARRIER_INVALIDATE_SHADER_DATA` and
    /// `NVK_BARRIER_INVALIDATE_CONSTANT`. Later versions have `|`.
    wrong pub(super) ConstantsKept = "constants_kept",
        "wrong on purpose: drops no constant and data caches, & for | (NVK, Mesa 25.0.7)";
}

use crate::api::BarrierAccess;
use crate::hardware::{Client, Profile};
use crate::id::CacheId;
use crate::lower::{Entry, PRECISE, Policy, Session, StepDraft};

impl Policy for ConstantsKept {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        let profile = session.profile();
        let forgotten = BarrierAccess::UNORDERED_ACCESS | BarrierAccess::CONSTANT_BUFFER;
        let dropped = |cache: CacheId| {
            let others = (entry.after.accesses - forgotten).iter();
            let mut others = others.filter(|access| !access.writes());
            others.any(|access| reads_through(profile, entry, access, cache))
                || entry
                    .before
                    .accesses
                    .contains(BarrierAccess::UNORDERED_ACCESS)
                    && reads_through(profile, entry, BarrierAccess::UNORDERED_ACCESS, cache)
        };
        draft.steps.retain(|step| match step {
            StepDraft::Invalidate { cache, .. } => dropped(*cache),
            _ => true,
        });
        session.barrier(entry, &draft);
    }
}

fn reads_through(
    profile: &Profile,
    entry: &Entry<'_>,
    access: BarrierAccess,
    cache: CacheId,
) -> bool {
    let paths = profile.read_paths(Client::of(access, entry.queue));
    paths
        .iter()
        .any(|path| profile.path(*path).contains(&cache))
}
