//! What outlives a scope: which resource a byte's contents belong to, whose metadata is sound, open split barriers,
//! deactivated subresources, transitions that race.
//!
//! Kept by bytes, and only for memory where there is something to know: aliased resources, placed textures whose
//! metadata nothing has initialised, split barriers, `NO_ACCESS`.

use super::Side;
use super::ranges::RangeMap;
use crate::api::{Layout, ResourceFlags};
use crate::id::{Extent, ResourceId, SubmissionId};
use crate::order::{LayoutTracker, Timeline};
use crate::scenario::geometry::SubresourceBox;
use crate::scenario::{Placement, Resource};

/// Who wrote some bytes last.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Owner {
    pub(super) side: Side,
    pub(super) submission: SubmissionId,
    pub(super) position: u32,
    pub(super) synchronous: bool,
}

/// The first half of a split barrier that waits for its second.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Split {
    pub(super) side: Side,
    pub(super) epoch: u32,
    /// A transition or discard: it outlives the scope.
    pub(super) acts: bool,
}

/// What is known of some bytes beyond the scope.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Content {
    /// Open split barriers, at most one a resource.
    pub(super) splits: Vec<Split>,
    /// Deactivated in the scope of that epoch: by which barrier, for which resource (reading R24).
    pub(super) inactive: Vec<(u32, Side)>,
    /// The last writer, if anything wrote.
    owner: Option<Owner>,
    /// The last writer through another resource than that.
    other: Option<Owner>,
    /// Resources that wrote or were activated since another one wrote.
    valid: Vec<ResourceId>,
    /// Resources whose compression metadata is sound (reading R25).
    metadata: Vec<ResourceId>,
}

impl Content {
    /// A write through a resource destroys what its aliases had.
    fn write(&mut self, owner: Owner) {
        let resource = owner.side.resource;
        let mut owner = owner;
        match self.owner {
            Some(old) if old.side.resource != resource => self.other = Some(old),
            // Several uses of one command are one write, at all their stages.
            Some(old) if old.side.node == owner.side.node => {
                owner.side.stages = owner.side.stages.union(old.side.stages);
            }
            _ => {}
        }
        self.owner = Some(owner);
        self.valid.clear();
        self.valid.push(resource);
        self.metadata.retain(|known| *known == resource);
    }

    /// Contents that an alias overwrote: by whom.
    pub(super) fn overwritten(&self, resource: ResourceId) -> Option<Owner> {
        let foreign = match self.owner {
            Some(owner) if owner.side.resource == resource => self.other,
            owner => owner,
        };
        foreign.filter(|_| !self.valid.contains(&resource))
    }
}

/// What a barrier entry does to contents.
#[derive(Copy, Clone)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one entry that do not exclude each other"
)]
pub(super) struct ContentChange {
    pub(super) owner: Owner,
    /// Transition or discard: a write.
    pub(super) acts: bool,
    /// The old contents do not matter: `UNDEFINED` before, or a discard.
    pub(super) drops: bool,
    /// `NO_ACCESS` before.
    pub(super) activates: bool,
    pub(super) deactivates: bool,
    /// Initialises metadata.
    pub(super) initialises: bool,
    pub(super) epoch: u32,
}

/// Contents of all memory.
pub(super) struct Contents {
    memories: Vec<RangeMap<Content>>,
    /// Memory with something to look up.
    is_kept: Vec<bool>,
    any: bool,
    /// Textures with metadata that is not known to be sound for good.
    has_metadata: Vec<bool>,
    /// Per texture of shared memory: transitions that no later one comes after, by subresource.
    frontiers: Vec<RangeMap<Vec<SubmissionId>>>,
}

impl Contents {
    pub(super) fn new(timeline: &Timeline<'_>) -> Self {
        let scenario = timeline.scenario;
        let mut is_kept = vec![false; timeline.memory.memory_count()];
        let mut has_metadata = vec![false; scenario.resources.len()];
        for (index, resource) in scenario.resources.values().enumerate() {
            let id = ResourceId::new(index);
            has_metadata[index] = has_unsound_metadata(resource);
            if let Some(extent) = timeline.memory.whole(id)
                && (has_metadata[index] || timeline.memory.is_aliased(id))
            {
                is_kept[extent.memory.index()] = true;
            }
        }
        Self {
            any: is_kept.contains(&true),
            memories: (0..is_kept.len()).map(|_| RangeMap::default()).collect(),
            is_kept,
            has_metadata,
            frontiers: (0..scenario.resources.len())
                .map(|_| RangeMap::default())
                .collect(),
        }
    }

    /// Whether there is anything to know at all.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.any
    }

    fn keep(&mut self, extent: Extent) {
        self.is_kept[extent.memory.index()] = true;
        self.any = true;
    }

    /// Whether anything can be known of a block.
    #[inline]
    pub(super) fn is_kept(&self, extent: Extent) -> bool {
        self.is_kept[extent.memory.index()]
    }

    /// Visits what is known of some bytes.
    pub(super) fn look(&self, extent: Extent, mut each: impl FnMut(Extent, &Content)) {
        if self.is_kept[extent.memory.index()] {
            self.memories[extent.memory.index()].peek(
                extent.start,
                extent.end,
                |start, end, content| {
                    let part = Extent {
                        memory: extent.memory,
                        start: start.max(extent.start),
                        end: end.min(extent.end),
                    };
                    each(part, content);
                },
            );
        }
    }

    /// A command's write.
    pub(super) fn write(&mut self, extent: Extent, owner: Owner) {
        self.edit(extent, |content| content.write(owner));
    }

    /// A reported use counts as correct from then on: active.
    pub(super) fn activate(&mut self, extent: Extent, resource: ResourceId) {
        self.edit(extent, |content| {
            content
                .inactive
                .retain(|(_, side)| side.resource != resource);
        });
    }

    /// A reported use counts as correct from then on: its contents are its own.
    pub(super) fn revive(&mut self, extent: Extent, resource: ResourceId) {
        self.edit(extent, |content| {
            if content.owner.is_some() && !content.valid.contains(&resource) {
                content.valid.push(resource);
            }
        });
    }

    /// A barrier entry, whole or second half.
    pub(super) fn change(&mut self, extent: Extent, change: &ContentChange) {
        if change.deactivates {
            self.keep(extent);
        }
        let resource = change.owner.side.resource;
        self.edit(extent, |content| {
            content
                .inactive
                .retain(|(epoch, side)| side.resource != resource && *epoch == change.epoch);
            if change.deactivates {
                content.inactive.push((change.epoch, change.owner.side));
            }
            let known = content.valid.contains(&resource) || content.owner.is_none();
            let valid = known || change.activates || change.drops;
            if change.acts {
                content.write(change.owner);
                content.valid.clear();
            }
            if valid && content.owner.is_some() && !content.valid.contains(&resource) {
                content.valid.push(resource);
            }
            if change.initialises && !content.metadata.contains(&resource) {
                content.metadata.push(resource);
            }
        });
    }

    /// The first half of a split barrier.
    pub(super) fn begin(&mut self, extent: Extent, split: Split) {
        self.keep(extent);
        self.end(extent, split.side.resource);
        self.edit(extent, |content| content.splits.push(split));
    }

    /// The second half.
    pub(super) fn end(&mut self, extent: Extent, resource: ResourceId) {
        self.edit(extent, |content| {
            content
                .splits
                .retain(|split| split.side.resource != resource);
        });
    }

    fn edit(&mut self, extent: Extent, mut each: impl FnMut(&mut Content)) {
        if !self.is_kept[extent.memory.index()] {
            return;
        }
        let map = &mut self.memories[extent.memory.index()];
        if map.visit(extent.start, extent.end, |_, content| each(content)) > 1 {
            map.join(extent.start, extent.end);
        }
    }

    // ---- metadata -------------------------------------------------------------------------------------------------

    /// Whether a texture's metadata may be unsound.
    #[inline]
    pub(super) fn has_metadata(&self, resource: ResourceId) -> bool {
        self.has_metadata[resource.index()]
    }

    /// Whether the metadata of all of some bytes is sound.
    pub(super) fn is_sound(&self, extent: Extent, resource: ResourceId) -> bool {
        let mut at = extent.start;
        let mut sound = true;
        self.memories[extent.memory.index()].peek(
            extent.start,
            extent.end,
            |from, until, content| {
                sound &= from <= at && content.metadata.contains(&resource);
                at = until;
            },
        );
        sound && at >= extent.end
    }

    /// The metadata of some bytes is initialised, or was reported.
    pub(super) fn initialise(&mut self, extent: Extent, resource: ResourceId) {
        self.edit(extent, |content| {
            if !content.metadata.contains(&resource) {
                content.metadata.push(resource);
            }
        });
    }

    /// All metadata of a texture is sound, and no alias can destroy it: nothing more to look up.
    pub(super) fn settle(&mut self, timeline: &Timeline<'_>, resource: ResourceId) {
        if let Some(whole) = timeline.memory.whole(resource)
            && !timeline.memory.is_aliased(resource)
            && self.is_sound(whole, resource)
        {
            self.has_metadata[resource.index()] = false;
        }
    }

    // ---- racing transitions ---------------------------------------------------------------------------------------

    /// A transition of subresources by a submission.
    pub(super) fn transition(
        &mut self,
        timeline: &Timeline<'_>,
        resource: ResourceId,
        sub: &SubresourceBox,
        submission: SubmissionId,
    ) {
        let Some(shape) = timeline.scenario.resource(resource).texture() else {
            return;
        };
        for (first, end) in sub.index_runs(shape) {
            self.frontiers[resource.index()].visit(first.into(), end.into(), |_, front| {
                front.retain(|f| *f != submission && !timeline.happens_before(*f, submission));
                front.push(submission);
            });
        }
    }

    /// Whether each of some subresources has a transition that races with a submission, so that nobody knows its layout
    /// there.
    pub(super) fn are_racing(
        &self,
        timeline: &Timeline<'_>,
        resource: ResourceId,
        (first, end): (u32, u32),
        submission: SubmissionId,
    ) -> bool {
        let (first, end) = (u64::from(first), u64::from(end));
        let mut racing = 0;
        self.frontiers[resource.index()].peek(first, end, |from, until, front| {
            let races =
                |f: &SubmissionId| *f != submission && !timeline.happens_before(*f, submission);
            if front.iter().any(races) {
                racing += until.min(end) - from.max(first);
            }
        });
        racing == end - first
    }
}

/// Reading R25: placed or reserved textures that can be compressed start with unsound metadata.
fn has_unsound_metadata(resource: &Resource) -> bool {
    let compressible = ResourceFlags::RENDER_TARGET
        .union(ResourceFlags::DEPTH_STENCIL)
        .union(ResourceFlags::UNORDERED_ACCESS);
    !resource.is_buffer()
        && !resource.uncompressed
        && !matches!(resource.placement, Placement::Committed)
        && resource.flags.intersects(compressible)
        && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
}

/// Layouts in which a use needs sound metadata (reading R25).
pub(super) fn needs_metadata(layout: Layout) -> bool {
    matches!(
        layout,
        Layout::RenderTarget
            | Layout::DepthStencilWrite
            | Layout::DepthStencilRead
            | Layout::UnorderedAccess
            | Layout::DirectQueueUnorderedAccess
            | Layout::ComputeQueueUnorderedAccess
    )
}

/// Calls `each` with the bytes of every subresource that needs metadata in its present layout.
pub(super) fn compressed(
    timeline: &Timeline<'_>,
    layouts: &LayoutTracker,
    resource: ResourceId,
    sub: &SubresourceBox,
    mut each: impl FnMut(Extent),
) {
    let Some(shape) = timeline.scenario.resource(resource).texture() else {
        return;
    };
    for index in sub.index_runs(shape).into_iter().flat_map(|(a, b)| a..b) {
        if needs_metadata(layouts.get(resource, index)) {
            let run = [(index, index + 1)];
            let memory = &timeline.memory;
            memory.for_each_subresource_extent(timeline.scenario, resource, &run, &mut each);
        }
    }
}
