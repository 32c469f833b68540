crate::finding::rule! {
    /// **What it finds.** A transition to `GENERIC_READ`, or a queue type's form of it, where all uses up to the next
    /// barrier have the same access. The change is verified: in a copy with the layout of that access there is no new
    /// error or hazard.
    ///
    /// **Why it matters.** The generic layout must suit every kind of reader; the specific one need not. It pays only
    /// where a texture is read in several ways at once.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_LAYOUT_GENERIC_READ`".
    pub(super) static RULE = "RD113", "generic-read-for-one", Advice,
        "GENERIC_READ for a texture that is read in one way";
}

use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::api::{BarrierAccess, Layout};
use crate::scenario::edit::{
    Change, barriers_after, is_same_part, is_split, set_layout_after, set_layout_before,
};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: every use up to the next barrier on the texture has this one access, and no later scope expects another layout",
    gain: Gain::Always,
};

/// Transitions to a generic layout with one kind of use.
pub(super) fn proposals(look: &Look<'_>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for (entry, barrier) in look.entries() {
        let (Some((before, generic)), Some(id)) = (barrier.layouts(), barrier.resource()) else {
            continue;
        };
        let used = look.around(entry).after.accesses;
        let Some(specific) = specific(generic, used) else {
            continue;
        };
        if before == generic || is_split(barrier) {
            continue;
        }
        let mut other = barrier.clone();
        set_layout_after(&mut other, specific);
        let mut changes = vec![Change::Set(entry, other)];
        let next = barriers_after(look.scenario, entry)
            .find(|(_, e)| e.resource() == Some(id) && is_same_part(barrier, e));
        if let Some((place, next)) = next
            && next.layouts().is_some_and(|(before, _)| before == generic)
        {
            let mut relinked = next.clone();
            set_layout_before(&mut relinked, specific);
            changes.push(Change::Set(place, relinked));
        }
        let mut proposal = look.proposal(&SAVING, entry, changes);
        proposal.message = format!(
            "`{}` is in {generic}, but all of its reads are {used}",
            proposal.resource
        );
        proposal.witness = format!("with {specific} instead");
        proposal.help = format!("set LayoutAfter to {specific}");
        found.push(proposal);
    }
    found
}

/// The layout of one kind of reader, for the queues that the generic one is for.
fn specific(generic: Layout, access: BarrierAccess) -> Option<Layout> {
    let [all, direct, compute] = match access {
        BarrierAccess::SHADER_RESOURCE => [
            Some(Layout::ShaderResource),
            Some(Layout::DirectQueueShaderResource),
            Some(Layout::ComputeQueueShaderResource),
        ],
        BarrierAccess::COPY_SOURCE => [
            Some(Layout::CopySource),
            Some(Layout::DirectQueueCopySource),
            Some(Layout::ComputeQueueCopySource),
        ],
        BarrierAccess::DEPTH_STENCIL_READ => [Some(Layout::DepthStencilRead); 3],
        BarrierAccess::RESOLVE_SOURCE => [Some(Layout::ResolveSource); 3],
        BarrierAccess::SHADING_RATE_SOURCE => [Some(Layout::ShadingRateSource); 3],
        _ => [None; 3],
    };
    match generic {
        Layout::GenericRead => all,
        Layout::DirectQueueGenericRead => direct,
        Layout::ComputeQueueGenericRead => compute,
        _ => None,
    }
}
