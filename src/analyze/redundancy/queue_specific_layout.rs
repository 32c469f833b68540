crate::finding::rule! {
    /// **What it finds.** A texture that only queues of one type use, in layouts that all queues understand. The change
    /// is verified: in a copy with the layouts of that queue type, creation included, there is no new error or hazard.
    /// It is simulated on every profile, and is faster on at least one.
    ///
    /// **Why it matters.** A layout that any queue may read cannot be more compressed than the least capable queue
    /// understands. `COMMON` and `UNORDERED_ACCESS` mean a decompress on some machines where `DIRECT_QUEUE_COMMON` and
    /// `DIRECT_QUEUE_UNORDERED_ACCESS` do not.
    ///
    /// **Source.** Enhanced Barriers specification, "Queue type specific layouts", "`D3D12_BARRIER_LAYOUT_COMMON`".
    pub(super) static RULE = "RD112", "queue-specific-layout", Advice,
        "a layout of one queue type would keep a texture compressed";
}

use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::api::{Layout, QueueType};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this depends on the profile: no queue of another type uses the texture, nothing presents it, and all of its barriers are in lists of this queue type",
    gain: Gain::Anywhere,
};

/// Textures of one queue type, in its own layouts.
pub(super) fn proposals(look: &Look<'_>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for id in look.scenario.resources.ids() {
        let [queue] = look.survey.queues[id].as_slice() else {
            continue;
        };
        if !look.is_free(id) {
            continue;
        }
        let own = |layout| specific(*queue, layout);
        let mut entries = look.entries().filter(|(_, b)| b.resource() == Some(id));
        let first = entries.find_map(|(entry, barrier)| {
            let (before, after) = barrier.layouts()?;
            let layout = [after, before].into_iter().find(|l| own(*l) != *l)?;
            Some((entry, layout))
        });
        let Some((entry, layout)) = first else {
            continue;
        };
        let mut proposal = look.proposal(&SAVING, entry, look.relaid(id, own));
        let name = &proposal.resource;
        proposal.message = format!(
            "`{name}` stays on {} queues: {} would keep it compressed where {layout} does not",
            queue.word(),
            own(layout)
        );
        proposal.witness = format!("with the layouts of {} queues for `{name}`", queue.word());
        proposal.help = format!(
            "write {} in its barriers, and the matching layouts for its other ones",
            own(layout)
        );
        found.push(proposal);
    }
    found
}

/// A queue type's own layout in the place of one for all queues.
fn specific(queue: QueueType, layout: Layout) -> Layout {
    match (queue, layout) {
        (QueueType::Direct, Layout::Common) => Layout::DirectQueueCommon,
        (QueueType::Direct, Layout::GenericRead) => Layout::DirectQueueGenericRead,
        (QueueType::Direct, Layout::UnorderedAccess) => Layout::DirectQueueUnorderedAccess,
        (QueueType::Direct, Layout::ShaderResource) => Layout::DirectQueueShaderResource,
        (QueueType::Direct, Layout::CopySource) => Layout::DirectQueueCopySource,
        (QueueType::Direct, Layout::CopyDest) => Layout::DirectQueueCopyDest,
        (QueueType::Compute, Layout::Common) => Layout::ComputeQueueCommon,
        (QueueType::Compute, Layout::GenericRead) => Layout::ComputeQueueGenericRead,
        (QueueType::Compute, Layout::UnorderedAccess) => Layout::ComputeQueueUnorderedAccess,
        (QueueType::Compute, Layout::ShaderResource) => Layout::ComputeQueueShaderResource,
        (QueueType::Compute, Layout::CopySource) => Layout::ComputeQueueCopySource,
        (QueueType::Compute, Layout::CopyDest) => Layout::ComputeQueueCopyDest,
        (_, other) => other,
    }
}
