//! What a barrier entry asks of a machine: waits, cache operations and layout operations, from the paths and without
//! the lowering's own code.

use super::caches::CacheSet;
use super::paths::{Memory, Walks};
use super::{ScopeCheck, What};
use crate::api::{BarrierAccess, Layout, LeafSet, ResourceFlags, Scope, compat};
use crate::hardware::{LayoutClass, Profile, Surface, Variant, VariantSet};
use crate::id::{CacheId, Extent, LayoutOpId, ResourceId};
use crate::scenario::{Barrier, BarrierTarget, Resource, TextureShape, geometry};
use smallvec::SmallVec;

/// What an entry asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) wait: LeafSet,
    /// Leaves at which nothing runs before the barrier in its scope: there is nothing to wait for.
    pub(super) idle: LeafSet,
    pub(super) hold: LeafSet,
    pub(super) operations: Operations,
    /// `None`: all memory.
    pub(super) extents: Option<SmallVec<[Extent; 2]>>,
}

/// Operations on caches and on the layout, in the order in which they must happen.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Operations {
    /// Before the layout operation, if there is one.
    pub(super) clean: CacheSet,
    pub(super) drop_first: CacheSet,
    pub(super) layout: Option<LayoutOpId>,
    /// After the layout operation.
    pub(super) clean_after: CacheSet,
    pub(super) invalidate: CacheSet,
    /// At last, what makes the front end wait.
    pub(super) front_end: bool,
}

impl Operations {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn contains(&self, what: What) -> bool {
        match what {
            What::Clean(cache) => self.clean.union(self.clean_after).contains(cache),
            What::Invalidate(cache) => self.drop_first.union(self.invalidate).contains(cache),
            What::Layout(op) => self.layout == Some(op),
            What::FrontEnd => self.front_end,
            What::Wait(_) | What::Hold(_) | What::FirstHalf => false,
        }
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        Self {
            clean: self.clean.intersection(other.clean),
            drop_first: self.drop_first.intersection(other.drop_first),
            layout: self.layout.filter(|op| other.layout == Some(*op)),
            clean_after: self.clean_after.intersection(other.clean_after),
            invalidate: self.invalidate.intersection(other.invalidate),
            front_end: self.front_end && other.front_end,
        }
    }

    /// Each once: write-backs, the layout operation, drops, the front end.
    pub(super) fn iter(&self) -> impl Iterator<Item = What> {
        let clean = self.clean.union(self.clean_after);
        let drops = self.drop_first.union(self.invalidate);
        let clean = clean.iter().map(What::Clean);
        let layout = self.layout.map(What::Layout);
        clean
            .chain(layout)
            .chain(drops.iter().map(What::Invalidate))
            .chain(self.front_end.then_some(What::FrontEnd))
    }
}

/// What the walks depend on.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WalkKey {
    before: u32,
    after: u32,
    given_up: u32,
    variants: VariantSet,
    metadata: (bool, bool),
    rewrites: bool,
    kept: (u32, u32),
}

/// Writes that a read before a layout operation may have seen while their lines were dirty.
#[derive(Copy, Clone, Default)]
struct Kept {
    texels: BarrierAccess,
    metadata: BarrierAccess,
}

impl ScopeCheck<'_, '_> {
    /// What an entry asks of the machine. `joined` are the stages that it waits for and holds if barriers next to it are one
    /// with it (reading R52).
    pub(super) fn asked(
        &self,
        barrier: &Barrier,
        resource: Option<ResourceId>,
        joined: Option<(LeafSet, LeafSet)>,
    ) -> Asked {
        let scenario = self.timeline.scenario;
        let layouts = barrier.transition();
        let (mut before, mut after) = self.sides(barrier, resource);
        if let Some(joined) = joined {
            (before.stages, after.stages) = joined;
        }
        let possible = self.queue.leaves();
        let mut asked = Asked {
            hold: after.stages.intersection(possible),
            ..Asked::default()
        };
        if barrier.sync_before.is_split() {
            // The first half has asked for the rest.
            return asked;
        }
        asked.wait = before.stages.intersection(possible);
        asked.operations.front_end =
            !before.stages.is_empty() && after.accesses.intersects(self.profile.front_end_readers);
        if resource.is_some() {
            let mut extents = SmallVec::new();
            self.timeline
                .memory
                .for_each_barrier_extent(scenario, barrier, |e| extents.push(e));
            asked.extents = Some(extents);
        }
        let discard = barrier.discards();
        if let (Some(resource), Some(layouts)) = (resource, layouts) {
            // A range beyond the texture has no bytes to convert.
            if asked.extents.as_ref().is_none_or(|e| !e.is_empty()) {
                asked.operations.layout =
                    self.layout_op(scenario.resource(resource), layouts, discard);
            }
        }
        let given_up = self.given_up(barrier, resource);
        let leftovers = self.leftovers(resource, layouts);
        let metadata = self.metadata(resource, layouts);
        let has_reads = before.accesses.iter().any(|access| !access.writes());
        let texture = resource.filter(|_| has_reads && asked.operations.layout.is_some());
        let kept = texture.map_or_else(Kept::default, |id| self.kept(id));
        self.visibility(
            (before, after),
            (given_up, kept),
            (self.variants(barrier, resource), metadata),
            &mut asked,
        );
        for cache in leftovers {
            asked.operations.invalidate.insert(*cache);
        }
        asked
    }

    /// What both sides of a barrier mean. Dropped contents have no layout: `COMMON` means every access then.
    fn sides(&self, barrier: &Barrier, resource: Option<ResourceId>) -> (Scope, Scope) {
        let traits = resource.map(|id| self.timeline.scenario.traits(id));
        let (before, after) = barrier.transition().unzip();
        let known = |layout: Option<Layout>| layout.filter(|l| *l != Layout::Undefined);
        let side = |sync, access, layout| Scope::new(sync, access, layout, self.queue, traits);
        (
            side(barrier.sync_before, barrier.access_before, known(before)),
            side(barrier.sync_after, barrier.access_after, known(after)),
        )
    }

    /// Accesses whose writes need not reach anyone, but must be gone from their caches (reading R24).
    fn given_up(&self, barrier: &Barrier, resource: Option<ResourceId>) -> BarrierAccess {
        let Some(id) = resource.filter(|_| barrier.access_before == BarrierAccess::NO_ACCESS)
        else {
            return BarrierAccess::empty();
        };
        let traits = Some(self.timeline.scenario.traits(id));
        let all = BarrierAccess::COMMON;
        let all = Scope::new(barrier.sync_before, all, None, self.queue, traits);
        if all.stages.is_empty() {
            BarrierAccess::empty()
        } else {
            all.accesses & BarrierAccess::WRITES
        }
    }

    /// The operation of a layout change, if it is one for the texture.
    pub(super) fn layout_op(
        &self,
        resource: &Resource,
        layouts: (Layout, Layout),
        discard: bool,
    ) -> Option<LayoutOpId> {
        if !stored_compressed(self.profile, resource)
            || (layouts.0 == Layout::Undefined && !discard)
        {
            return None;
        }
        let from = if discard {
            LayoutClass::Undefined
        } else {
            self.class(resource, layouts.0)
        };
        let to = self.class(resource, layouts.1);
        let depth = resource.texture().is_some_and(|t| t.format.is_depth());
        self.profile.layout_op_between(from, to, depth)
    }

    /// Writes in all layouts of the queue. The operation comes after reads of the layout before, which may be the latest of
    /// several that need no operation between them.
    fn kept(&self, id: ResourceId) -> Kept {
        let texture = self.timeline.scenario.resource(id).texture();
        let variant = texture.map(|t| self.profile.variant(surface(t, 0)));
        let variant = variant.unwrap_or_default();
        let mut kept = Kept::default();
        for layout in Layout::ALL {
            if !compat::queue_allows_layout(self.queue, layout) {
                continue;
            }
            let all = compat::layout_accesses(layout) & compat::queue_accesses(self.queue);
            let writes = all & BarrierAccess::WRITES;
            kept.texels |= writes;
            let class = self.profile.layout_class(layout, self.queue, variant);
            if matches!(
                class,
                LayoutClass::Compressed | LayoutClass::CompressedFastClear
            ) {
                kept.metadata |= writes;
            }
        }
        kept
    }

    /// Caches that the profile has written back and dropped where a layout starts whose contents were dropped.
    fn leftovers(
        &self,
        resource: Option<ResourceId>,
        layouts: Option<(Layout, Layout)>,
    ) -> &[CacheId] {
        let (Some(id), Some((Layout::Undefined, after))) = (resource, layouts) else {
            return &[];
        };
        let resource = self.timeline.scenario.resource(id);
        let to = self.class(resource, after);
        let depth = resource.texture().is_some_and(|t| t.format.is_depth());
        self.profile.leftover_caches(to, depth)
    }

    /// How a layout stores a texture, whose mips are all stored alike.
    fn class(&self, resource: &Resource, layout: Layout) -> LayoutClass {
        let variant = resource
            .texture()
            .map_or_else(Variant::default, |t| self.profile.variant(surface(t, 0)));
        self.profile
            .layout_class_anywhere(layout, self.queue, variant)
    }

    /// The kinds of ways that the bytes of a barrier take, mip by mip.
    fn variants(&self, barrier: &Barrier, resource: Option<ResourceId>) -> VariantSet {
        let Some(id) = resource else {
            return self.whole().0;
        };
        let resource = self.timeline.scenario.resource(id);
        let mips = match (&barrier.target, resource.texture()) {
            (BarrierTarget::Texture(entry), Some(shape)) => {
                let sub = geometry::barrier_box(shape, &entry.range).ok();
                sub.map(|sub| sub.mips)
            }
            _ => None,
        };
        self.variants_of(resource, mips)
    }

    pub(super) fn variants_of(&self, resource: &Resource, mips: Option<(u32, u32)>) -> VariantSet {
        let mut variants: Option<VariantSet> = None;
        if let (Some(shape), false) = (resource.texture(), self.profile.exceptions.is_empty()) {
            let (first, end) = mips.unwrap_or((0, shape.mips));
            let each = (first..end).map(|mip| self.profile.variant(surface(shape, mip)).into());
            variants = each.reduce(VariantSet::union);
        }
        variants.unwrap_or_default()
    }

    fn whole(&self) -> &(VariantSet, bool) {
        self.whole.get_or_init(|| {
            let resources = || self.timeline.scenario.resources.values();
            let each = resources().map(|r| self.variants_of(r, None));
            let variants = each.fold(VariantSet::default(), VariantSet::union);
            let compressed = resources().any(|r| stored_compressed(self.profile, r));
            (variants, compressed)
        })
    }

    /// Whether the accesses before and after look at metadata.
    fn metadata(
        &self,
        resource: Option<ResourceId>,
        layouts: Option<(Layout, Layout)>,
    ) -> (bool, bool) {
        let scenario = self.timeline.scenario;
        let Some(id) = resource else {
            let any = self.whole().1;
            return (any, any);
        };
        let resource = scenario.resource(id);
        if !stored_compressed(self.profile, resource) {
            return (false, false);
        }
        let looks = |layout| {
            matches!(
                self.class(resource, layout),
                LayoutClass::Compressed | LayoutClass::CompressedFastClear | LayoutClass::Undefined
            )
        };
        layouts.map_or((true, true), |(before, after)| {
            (looks(before), looks(after))
        })
    }

    /// Cache operations, pair by pair and path by path, of texels and of metadata.
    fn visibility(
        &self,
        (before, after): (Scope, Scope),
        (given_up, kept): (BarrierAccess, Kept),
        (variants, metadata): (VariantSet, (bool, bool)),
        asked: &mut Asked,
    ) {
        let kind = WalkKey {
            before: before.accesses.bits(),
            after: after.accesses.bits(),
            given_up: given_up.bits(),
            variants,
            metadata,
            rewrites: asked.operations.layout.is_some(),
            kept: (kept.texels.bits(), kept.metadata.bits()),
        };
        let known = self.walks.borrow().get(&kind).copied();
        let walks = known.unwrap_or_else(|| {
            let sides = (before, after);
            let walks = self.walk(sides, (given_up, kept), (variants, metadata), asked);
            self.walks.borrow_mut().insert(kind, walks);
            walks
        });
        let operations = &mut asked.operations;
        if operations.layout.is_none() {
            operations.clean = walks.all.clean;
            operations.invalidate = walks.all.invalidate;
            return;
        }
        let (first, mut then) = (walks.first, walks.then);
        then.clean = then.clean.union(walks.all.clean.minus(first.clean));
        then.invalidate = then.invalidate.union(walks.all.invalidate);
        operations.clean = first.clean;
        operations.drop_first = first.invalidate;
        operations.clean_after = then.clean;
        operations.invalidate = then.invalidate;
    }

    /// Walks the paths of texels and of metadata.
    fn walk(
        &self,
        (before, after): (Scope, Scope),
        (given_up, kept): (BarrierAccess, Kept),
        (variants, metadata): (VariantSet, (bool, bool)),
        asked: &Asked,
    ) -> Walks {
        let profile = self.profile;
        let nothing = BarrierAccess::empty();
        let only = |looks: bool, accesses: BarrierAccess| if looks { accesses } else { nothing };
        let leaves = after.accesses.is_empty();
        let mut walks = Walks::default();
        for variant in variants.iter() {
            let texels = Memory {
                routes: profile.texel_routes_of(variant),
                queue: self.queue,
                before: before.accesses,
                after: after.accesses,
                given_up,
                leaves,
                kept: kept.texels,
            };
            texels.walk(&mut walks);
            let meta_side = Memory {
                routes: profile.metadata_routes_of(variant),
                queue: self.queue,
                before: only(metadata.0, before.accesses),
                after: only(metadata.1, after.accesses),
                given_up: only(metadata.0, given_up),
                leaves,
                kept: only(metadata.0, kept.metadata),
            };
            meta_side.walk(&mut walks);
            if metadata == (false, true) && asked.operations.layout.is_none() {
                // Out of a plain layout: what the metadata says was written by a layout operation.
                meta_side.after_layout(&mut walks.all);
            }
        }
        walks
    }
}

/// Whether some layouts of a machine store a texture compressed.
pub(super) fn stored_compressed(profile: &Profile, resource: &Resource) -> bool {
    resource.flags.intersects(profile.compressed_flags())
        && !resource.is_buffer()
        && !resource.uncompressed
        && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
}

/// What exceptions of a profile ask of a mip of a texture.
fn surface(shape: &TextureShape, mip: u32) -> Surface {
    Surface {
        depth: shape.format.is_depth(),
        stencil: shape.format.is_depth() && shape.format.planes() == 2,
        samples: shape.samples,
        mip,
    }
}
