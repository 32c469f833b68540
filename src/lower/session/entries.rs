//! Barrier entries: what each means on this machine, before the policy decides what becomes of it.

use super::Session;
use crate::api::{BarrierAccess, Layout, QueueType, ResourceFlags, Scope};
use crate::hardware::{LayoutClass, VariantSet};
use crate::id::{BarrierRef, CacheId, Extent, LayoutOpId, NodeId, ResourceId, narrow};
use crate::lower::policy::{Entry, LayoutDraft, MetadataSides, Policy};
use crate::lower::surfaces::{self, is_compressible};
use crate::program::Slice;
use crate::scenario::{Barrier, BarrierTarget, Placement, ResourceKind, Scenario, geometry};

/// What both sides of a barrier mean on a queue. Dropped contents leave nothing to make visible, but a dirty line of theirs
/// would still overwrite: `COMMON` with `UNDEFINED` means every access that the resource allows.
pub(in crate::lower) fn sides(
    scenario: &Scenario,
    queue: QueueType,
    barrier: &Barrier,
) -> (Scope, Scope) {
    let traits = barrier.resource().map(|r| scenario.traits(r));
    let (before, after) = barrier.layouts().unzip();
    let known = |layout: Option<Layout>| layout.filter(|l| *l != Layout::Undefined);
    let side = |sync, access, layout| Scope::new(sync, access, known(layout), queue, traits);
    (
        side(barrier.sync_before, barrier.access_before, before),
        side(barrier.sync_after, barrier.access_after, after),
    )
}

impl<'s> Session<'_, 's> {
    pub(super) fn barriers(&mut self, policy: &dyn Policy, node: NodeId, entries: &'s [Barrier]) {
        for (index, barrier) in entries.iter().enumerate() {
            if matches!(barrier.target, BarrierTarget::EmptyGroup(_)) {
                continue;
            }
            let entry = self.read_entry(BarrierRef::new(node, narrow(index)), barrier);
            if self.scope.pass.is_some() {
                let (wait, hold) = entry.asked();
                let draft = entry.draft(wait, hold);
                self.packet(&entry, &draft, Vec::new());
            } else {
                policy.entry(self, &entry);
            }
            if self.profile.tile_pass.is_some()
                && barrier.discards()
                && let Some(resource) = entry.resource
            {
                self.note_discarded(resource, entry.extents);
            }
            if entry.acts() {
                self.layouts.apply(self.timeline.scenario, barrier);
                if let Some(resource) = entry.resource.filter(|_| barrier.transition().is_some()) {
                    self.alike.forget(resource);
                }
            }
        }
    }

    /// What an entry means.
    fn read_entry<'a>(&mut self, id: BarrierRef, barrier: &'a Barrier) -> Entry<'a> {
        let scenario = self.timeline.scenario;
        let start = self.block.extents.len();
        let table = &mut self.block.extents;
        self.timeline
            .memory
            .for_each_barrier_extent(scenario, barrier, |e| table.push(e));
        let extents = Slice::since(&self.block.extents, start);
        let (resource, layouts) = (barrier.resource(), barrier.transition());
        let queue = self.queue;
        let (mut before, mut after) = sides(scenario, queue, barrier);
        if let Some((waits, holds)) = self.adjacent.stages(id) {
            // One with the barriers next to it: one packet's wait may do for all of them (reading R52).
            (before.stages, after.stages) = (waits, holds);
        }
        let mut given_up = self.given_up(barrier);
        if barrier.sync_before.is_split()
            && let Some(first) = self.first_half(id)
            && let Some(known) = self.scope.firsts.get(&first)
        {
            (before, given_up) = *known;
        }
        if barrier.sync_after.is_split() {
            self.scope.firsts.insert(id, (before, given_up));
        }
        let discard = barrier.discards();
        let variants = self.variants_of(barrier, resource);
        let metadata = self.metadata_sides(resource, layouts);
        let layout = match (resource, layouts) {
            (Some(resource), Some(layouts)) => {
                self.layout_draft(resource, layouts, discard, extents)
            }
            _ => None,
        };
        Entry {
            id,
            barrier,
            queue,
            before,
            after,
            given_up,
            resource,
            layout,
            leftovers: self.leftovers(resource, layouts),
            variants,
            metadata,
            is_split_begin: barrier.sync_after.is_split(),
            is_split_end: barrier.sync_before.is_split(),
            extents,
        }
    }

    /// Writes that a barrier gives up (reading R24).
    fn given_up(&self, barrier: &Barrier) -> BarrierAccess {
        let Some(resource) = barrier.resource() else {
            return BarrierAccess::empty();
        };
        let every = Scope::new(
            barrier.sync_before,
            BarrierAccess::COMMON,
            None,
            self.queue,
            Some(self.timeline.scenario.traits(resource)),
        );
        // SYNC_NONE says that nothing in this scope accessed it before: then nothing is given up.
        if !every.stages.is_empty() && barrier.access_before == BarrierAccess::NO_ACCESS {
            every.accesses & BarrierAccess::WRITES
        } else {
            BarrierAccess::empty()
        }
    }

    /// The sets of ways that the bytes of a barrier take; those of a global one may be any.
    fn variants_of(&self, barrier: &Barrier, resource: Option<ResourceId>) -> VariantSet {
        let Some(resource) = resource else {
            return self.variants;
        };
        let declared = self.timeline.scenario.resource(resource);
        match (&declared.kind, &barrier.target) {
            (ResourceKind::Texture(shape), BarrierTarget::Texture(entry))
                if !self.profile.exceptions.is_empty() =>
            {
                let sub = geometry::barrier_box(shape, &entry.range);
                let sub = sub.unwrap_or_else(|_| geometry::SubresourceBox::all(shape));
                surfaces::variants_of(self.profile, shape, &sub)
            }
            _ => surfaces::variants(self.profile, declared),
        }
    }

    /// Which sides of a barrier touch metadata.
    fn metadata_sides(
        &self,
        resource: Option<ResourceId>,
        layouts: Option<(Layout, Layout)>,
    ) -> MetadataSides {
        let has_metadata = match resource {
            None => self.has_metadata,
            Some(resource) => {
                is_compressible(self.profile, self.timeline.scenario.resource(resource))
            }
        };
        let touches = |layout: Layout| match resource {
            _ if !has_metadata => false,
            None => true,
            Some(resource) => {
                let declared = self.timeline.scenario.resource(resource);
                let variant = surfaces::variants(self.profile, declared).first();
                let profile = self.profile;
                match profile.layout_class_anywhere(layout, self.queue, variant) {
                    LayoutClass::Plain | LayoutClass::Static | LayoutClass::Illegal => false,
                    LayoutClass::CompressedFastClear
                    | LayoutClass::Compressed
                    | LayoutClass::Undefined => true,
                }
            }
        };
        match layouts {
            None => MetadataSides {
                before: has_metadata,
                after: has_metadata,
            },
            Some((before, after)) => MetadataSides {
                before: touches(before),
                after: touches(after),
            },
        }
    }

    /// Caches that are written back and dropped because contents were dropped that another resource may have left there.
    fn leftovers(
        &self,
        resource: Option<ResourceId>,
        layouts: Option<(Layout, Layout)>,
    ) -> Vec<CacheId> {
        let (Some(resource), Some((Layout::Undefined, after))) = (resource, layouts) else {
            return Vec::new();
        };
        let profile = self.profile;
        let declared = self.timeline.scenario.resource(resource);
        let variant = surfaces::variants(profile, declared).first();
        let to = profile.layout_class_anywhere(after, self.queue, variant);
        let depth = surfaces::is_depth(declared);
        profile.leftover_caches(to, depth).to_vec()
    }

    /// The operation that would bring the contents of a texture into existence, with the bytes of an entry: metadata as for
    /// the layout that its flags are for.
    pub(in crate::lower) fn first_layout(&self, entry: &Entry<'_>) -> Option<LayoutDraft> {
        let resource = entry.resource?;
        let declared = self.timeline.scenario.resource(resource);
        if !matches!(declared.placement, Placement::Placed { .. }) {
            return None;
        }
        let after = if declared.flags.contains(ResourceFlags::DEPTH_STENCIL) {
            Layout::DepthStencilWrite
        } else {
            Layout::RenderTarget
        };
        self.layout_draft(resource, (Layout::Undefined, after), true, entry.extents)
    }

    /// A layout operation of the profile on the bytes of an entry, whatever the entry needs: where the entry's layouts are none
    /// that it is for, it does what it is called. The id is one of
    /// [`Profile::layout_ops`](crate::hardware::Profile::layout_ops). None where the entry changes no layout of a texture with
    /// metadata, and for an operation that the machine does by itself in a cache.
    pub fn layout_operation(&self, entry: &Entry<'_>, op: LayoutOpId) -> Option<LayoutDraft> {
        let profile = self.profile;
        let (before, after) = entry.barrier.transition()?;
        let resource = entry.resource?;
        let declared = self.declared(resource);
        let operation = profile.layout_ops.get(op)?;
        if !is_compressible(profile, declared) || !operation.caches.is_empty() {
            return None;
        }
        let variant = surfaces::variants(profile, declared).first();
        let class = |layout| profile.layout_class_anywhere(layout, entry.queue, variant);
        let initialise = operation.from == [LayoutClass::Undefined];
        let from = if initialise {
            LayoutClass::Undefined
        } else {
            named(class(before), &operation.from)
        };
        let to = named(class(after), &operation.to);
        Some(LayoutDraft {
            op,
            resource,
            extents: entry.extents,
            act: surfaces::act(operation, from, to),
            initialise,
            why: None,
        })
    }

    /// The layout operation of a transition, if its classes differ and that is work.
    fn layout_draft(
        &self,
        resource: ResourceId,
        (before, after): (Layout, Layout),
        discard: bool,
        extents: Slice<Extent>,
    ) -> Option<LayoutDraft> {
        let declared = self.timeline.scenario.resource(resource);
        if !is_compressible(self.profile, declared) || extents.is_empty() {
            return None;
        }
        let variant = surfaces::variants(self.profile, declared).first();
        let class = |layout| {
            self.profile
                .layout_class_anywhere(layout, self.queue, variant)
        };
        let (from, to) = (class(before), class(after));
        let from = if discard {
            LayoutClass::Undefined
        } else {
            from
        };
        if from == LayoutClass::Undefined && !discard {
            return None;
        }
        let depth = surfaces::is_depth(declared);
        let op = self.profile.layout_op_between(from, to, depth)?;
        Some(LayoutDraft {
            op,
            resource,
            extents,
            act: surfaces::act(self.profile.layout_op(op), from, to),
            initialise: discard,
            why: None,
        })
    }
}

/// The class of a layout, if an operation is for it; else the first that the operation is for.
fn named(class: LayoutClass, own: &[LayoutClass]) -> LayoutClass {
    if own.contains(&class) {
        class
    } else {
        own.first().copied().unwrap_or(class)
    }
}
