//! *Asked ⊆ ensured*: whether a program contains what each barrier of the timeline asks for on this machine.
//!
//! Static and exact: it looks at packets, not at a run. What a barrier asks for is derived here once more, by walking the
//! paths element by element, without the lowering's own code; the two readings check each other. Nothing is judged: what
//! is missing or more than asked is returned as data.
//!
//! An operation counts if it stands in the barrier's own packets, or in any other packet between the last earlier work
//! of `SyncBefore` and the first later work of `SyncAfter`, after the waits that it needs. Order of operations: what makes
//! a write leave its caches, then the layout operation, then what makes readers fetch again.

mod caches;
mod paths;

use crate::api::{BarrierAccess, Layout, LeafSet, QueueType, ResourceFlags, Scope};
use crate::hardware::{LayoutClass, Profile, Surface, Variant, VariantSet};
use crate::id::{BarrierRef, CacheId, Extent, LayoutOpId, OpId, ResourceId, SubmissionId};
use crate::order::{SubmissionKind, Timeline};
use crate::program::{BarrierOp, BarrierRole, Block, HwOpKind, Program, Reach, StepKind};
use crate::scenario::{Barrier, BarrierTarget, CommandKind, Resource, TextureShape, geometry};
use caches::CacheSet;
use paths::{Memory, Walks};
use smallvec::SmallVec;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

/// What a program lacks and what it has beyond need.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shortfalls {
    /// Asked and not ensured: the lowering is wrong.
    pub missing: Vec<Shortfall>,
    /// Ensured and not asked: the lowering does too much.
    pub extra: Vec<Shortfall>,
    /// Barrier entries checked.
    pub checked: u64,
}

/// One operation of one barrier entry, missing or extra.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Shortfall {
    /// The entry.
    pub barrier: BarrierRef,
    /// The operation.
    pub what: What,
}

/// What can be missing or extra.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum What {
    /// A wait for earlier work of these leaves.
    Wait(LeafSet),
    /// A hold of later work of these leaves.
    Hold(LeafSet),
    /// A write-back of the barrier's bytes.
    Clean(CacheId),
    /// A drop of the barrier's bytes.
    Invalidate(CacheId),
    /// A layout operation.
    Layout(LayoutOpId),
    /// A second split half that does not follow its first.
    FirstHalf,
}

/// What an entry asks for.
#[derive(Clone, Debug, Default)]
struct Asked {
    wait: LeafSet,
    hold: LeafSet,
    /// Before the layout operation, if there is one.
    clean: CacheSet,
    drop_first: CacheSet,
    layout: Option<LayoutOpId>,
    /// After the layout operation.
    clean_after: CacheSet,
    invalidate: CacheSet,
    /// `None`: all memory.
    extents: Option<SmallVec<[Extent; 2]>>,
}

/// Checks a program against its timeline.
pub fn check(timeline: &Timeline<'_>, profile: &Profile, program: &Program) -> Shortfalls {
    let mut check = Shortfalls::default();
    for (index, block) in program.blocks.iter().enumerate() {
        check_block(
            timeline,
            profile,
            SubmissionId::new(index),
            block,
            &mut check,
        );
    }
    check
}

/// Checks the block of one submission.
pub fn check_block(
    timeline: &Timeline<'_>,
    profile: &Profile,
    id: SubmissionId,
    block: &Block,
    check: &mut Shortfalls,
) {
    let submission = timeline.submission(id);
    if submission.kind == SubmissionKind::Execute {
        let queue = timeline.queue_type(submission).unwrap_or(QueueType::Direct);
        let scope = ScopeCheck {
            timeline,
            profile,
            block,
            queue,
            whole: OnceCell::new(),
            walks: RefCell::default(),
        };
        scope.check(id, check);
    }
}

/// One scope of the program.
struct ScopeCheck<'a, 's> {
    timeline: &'a Timeline<'s>,
    profile: &'a Profile,
    block: &'a Block,
    queue: QueueType,
    /// The kinds of ways of every resource, and whether one has metadata: what a global barrier is about.
    whole: OnceCell<(VariantSet, bool)>,
    /// What was walked before: a scope has few kinds of barriers, and each many times.
    walks: RefCell<BTreeMap<Kind, Walks>>,
}

/// What the walks depend on.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    before: u32,
    after: u32,
    given_up: u32,
    variants: VariantSet,
    metadata: (bool, bool),
    rewrites: bool,
}

impl ScopeCheck<'_, '_> {
    fn check(&self, id: SubmissionId, check: &mut Shortfalls) {
        let mut begins: Vec<(ResourceId, Option<OpId>)> = Vec::new();
        let mut place = 0;
        for (node, _, command) in self.timeline.commands(id) {
            let (CommandKind::Barrier(entries)
            | CommandKind::FenceBarrier {
                barriers: entries, ..
            }) = &command.kind
            else {
                continue;
            };
            for (entry, barrier) in entries.iter().enumerate() {
                if matches!(barrier.target, BarrierTarget::EmptyGroup(_)) {
                    continue;
                }
                let id = BarrierRef {
                    node,
                    entry: entry as u32,
                };
                let resource = barrier.resource();
                let mut asked = self.asked(barrier, resource);
                let own = self.own(id, &mut place);
                if own.iter().any(|at| self.is_in_pass(*at, &asked)) {
                    // Both sides are in tile memory: they meet there.
                    asked.clean = CacheSet::default();
                    asked.invalidate = CacheSet::default();
                }
                check.checked += 1;
                self.entry(id, &asked, &own, check);
                if let Some(resource) = resource
                    && barrier.sync_after.is_split()
                {
                    begins.push((resource, own.first().map(|at| self.block.ops[*at].id)));
                }
                if barrier.sync_before.is_split()
                    && let Some(at) = begins.iter().position(|(r, _)| Some(*r) == resource)
                {
                    let (_, begin) = begins.remove(at);
                    if !self.follows(&own, begin) {
                        check.missing.push(Shortfall {
                            barrier: id,
                            what: What::FirstHalf,
                        });
                    }
                }
            }
        }
    }

    /// Whether some packet of a second half follows the first.
    fn follows(&self, own: &[usize], begin: Option<OpId>) -> bool {
        own.iter().any(|at| {
            let barrier = self.barrier(*at);
            barrier.is_some_and(|b| {
                b.after_all || begin.is_some_and(|op| b.after.of(&self.block.after).contains(&op))
            })
        })
    }

    /// Whether a packet stands in a render pass that holds every attachment access to a barrier's bytes around it in tile
    /// memory: from where the pass begins to where it is stored.
    fn is_in_pass(&self, at: usize, asked: &Asked) -> bool {
        let Some(tiles) = &self.profile.tile_pass else {
            return false;
        };
        let is = |at: usize, role| self.barrier(at).is_some_and(|b| b.role == role);
        let stores = |at: usize| {
            let steps = self.barrier(at).map(|b| b.steps.of(&self.block.steps));
            let mut steps = steps.into_iter().flatten();
            steps.any(|step| matches!(step.kind, StepKind::TileStore { .. }))
        };
        let begin = (0..at)
            .rev()
            .find(|at| is(*at, BarrierRole::PassBegin) || stores(*at));
        let end = (at..self.block.ops.len()).find(|at| stores(*at));
        let (Some(begin), Some(end)) = (begin, end) else {
            return false;
        };
        let around = || self.block.ops[begin..end].iter();
        let stays = around().all(|op| match &op.kind {
            HwOpKind::Work(work) => work.accesses.of(&self.block.accesses).iter().all(|access| {
                let extents = access.extents.of(&self.block.extents);
                let ours = asked.extents.iter().flatten().any(|asked| {
                    let mut extents = extents.iter();
                    extents.any(|e| e.intersection(*asked).is_some())
                });
                let attachment = tiles.accesses.contains(access.access);
                access.path == tiles.path || !(ours || attachment)
            }),
            _ => true,
        });
        stays && is(begin, BarrierRole::PassBegin) && is(at, BarrierRole::ByRegion)
    }

    fn barrier(&self, at: usize) -> Option<&BarrierOp> {
        match &self.block.ops[at].kind {
            HwOpKind::Barrier(barrier) => Some(barrier),
            _ => None,
        }
    }

    /// Places of an entry's own packets. `place` is where those of the command before began: packets stand in its order.
    fn own(&self, id: BarrierRef, place: &mut usize) -> SmallVec<[usize; 4]> {
        let ops = &self.block.ops;
        while ops.get(*place).is_some_and(|op| op.origin.node < id.node) {
            *place += 1;
        }
        let own = (*place..ops.len()).take_while(|at| ops[*at].origin.node == id.node);
        let entry = Some(id.entry);
        own.filter(|at| ops[*at].origin.entry == entry && self.barrier(*at).is_some())
            .collect()
    }

    fn entry(&self, id: BarrierRef, asked: &Asked, own: &[usize], check: &mut Shortfalls) {
        let mut missing = self.missing(asked, own);
        if !missing.is_empty() {
            missing = self.missing(asked, &self.window(id, asked));
        }
        check.missing.extend(
            missing
                .into_iter()
                .map(|what| Shortfall { barrier: id, what }),
        );
        for at in own {
            if let Some(barrier) = self.barrier(*at) {
                let extra = self.extra(asked, barrier);
                check.extra.extend(
                    extra
                        .into_iter()
                        .map(|what| Shortfall { barrier: id, what }),
                );
            }
        }
    }

    /// Places of the barrier packets between the last earlier work of `SyncBefore` and the first later work of
    /// `SyncAfter`.
    fn window(&self, id: BarrierRef, asked: &Asked) -> Vec<usize> {
        let ops = &self.block.ops;
        let middle = ops.partition_point(|op| op.origin.node < id.node);
        let works_at = |at: &usize, leaves: LeafSet| match &ops[*at].kind {
            HwOpKind::Work(work) => work
                .tasks
                .of(&self.block.tasks)
                .iter()
                .any(|t| leaves.has(t.leaf)),
            _ => false,
        };
        let from = (0..middle)
            .rev()
            .find(|at| works_at(at, asked.wait))
            .map_or(0, |at| at + 1);
        let until = (middle..ops.len())
            .find(|at| works_at(at, asked.hold))
            .unwrap_or(ops.len());
        (from..until)
            .filter(|at| self.barrier(*at).is_some())
            .collect()
    }

    /// What packets lack of what is asked.
    fn missing(&self, asked: &Asked, packets: &[usize]) -> Vec<What> {
        let mut left = asked.clone();
        let mut waited = LeafSet::EMPTY;
        let mut hold = LeafSet::EMPTY;
        for at in packets {
            let Some(barrier) = self.barrier(*at) else {
                continue;
            };
            waited = waited.union(barrier.wait);
            if waited.contains(asked.wait) {
                for step in barrier.steps.of(&self.block.steps) {
                    if self.strike(&mut left, &step.kind) {
                        // A hold counts only if what it holds comes after the operation.
                        hold = LeafSet::EMPTY;
                    }
                }
            }
            hold = hold.union(barrier.hold);
        }
        let mut missing = Vec::new();
        let unwaited = asked.wait.minus(waited);
        if !unwaited.is_empty() {
            missing.push(What::Wait(unwaited));
        }
        let clean = left.clean.union(left.clean_after);
        missing.extend(clean.iter().map(What::Clean));
        missing.extend(left.layout.map(What::Layout));
        let drops = left.drop_first.union(left.invalidate);
        missing.extend(drops.iter().map(What::Invalidate));
        let unheld = asked.hold.minus(hold);
        if !unheld.is_empty() {
            missing.push(What::Hold(unheld));
        }
        missing
    }

    /// Takes off what a step provides, if what must come before it has come. Whether anything was.
    fn strike(&self, left: &mut Asked, step: &StepKind) -> bool {
        match step {
            StepKind::Clean { cache, reach } if self.covers(*reach, left) => {
                let first = left.clean.remove(*cache);
                let after = left.layout.is_none() && left.clean_after.remove(*cache);
                first || after
            }
            StepKind::Invalidate { cache, reach } if self.covers(*reach, left) => {
                // Dirty lines are written back first.
                let mut any = left.clean.remove(*cache);
                any |= left.layout.is_none() && left.clean_after.remove(*cache);
                if left.clean.is_empty() {
                    any |= left.drop_first.remove(*cache);
                    if left.layout.is_none() && left.clean_after.is_empty() {
                        any |= left.invalidate.remove(*cache);
                    }
                }
                any
            }
            StepKind::Layout { op, .. } if left.layout == Some(*op) => {
                if left.clean.is_empty() && left.drop_first.is_empty() {
                    left.layout = None;
                    return true;
                }
                false
            }
            _ => false,
        }
    }

    /// Whether a step reaches every byte of the barrier.
    fn covers(&self, reach: Reach, asked: &Asked) -> bool {
        match (self.block.reach(reach), &asked.extents) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(reached), Some(extents)) => extents.iter().all(|e| {
                reached
                    .iter()
                    .any(|r| r.memory == e.memory && r.start <= e.start && e.end <= r.end)
            }),
        }
    }

    /// What a packet has beyond what is asked.
    fn extra(&self, asked: &Asked, barrier: &BarrierOp) -> Vec<What> {
        let possible = self.queue.leaves();
        let mut extra = Vec::new();
        // A machine that waits for whole queues can do no less (reading R46).
        let whole = self.profile.drains_queue;
        let wait = barrier.wait.intersection(possible).minus(asked.wait);
        if !wait.is_empty() && (!whole || asked.wait.is_empty()) {
            extra.push(What::Wait(wait));
        }
        for step in barrier.steps.of(&self.block.steps) {
            match &step.kind {
                StepKind::Clean { cache, .. }
                    if !asked.clean.contains(*cache) && !asked.clean_after.contains(*cache) =>
                {
                    extra.push(What::Clean(*cache));
                }
                StepKind::Invalidate { cache, .. }
                    if !asked.invalidate.contains(*cache) && !asked.drop_first.contains(*cache) =>
                {
                    extra.push(What::Invalidate(*cache));
                }
                StepKind::Layout { op, .. } if asked.layout != Some(*op) => {
                    extra.push(What::Layout(*op))
                }
                _ => {}
            }
        }
        let hold = barrier.hold.intersection(possible).minus(asked.hold);
        if !hold.is_empty() && !whole && barrier.role != BarrierRole::SplitBegin {
            extra.push(What::Hold(hold));
        }
        extra
    }

    /// What an entry asks of the machine.
    fn asked(&self, barrier: &Barrier, resource: Option<ResourceId>) -> Asked {
        let scenario = self.timeline.scenario;
        let layouts = match &barrier.target {
            BarrierTarget::Texture {
                layout_before: Layout::Undefined,
                layout_after: Layout::Undefined,
                ..
            } => None,
            BarrierTarget::Texture {
                layout_before,
                layout_after,
                ..
            } => Some((*layout_before, *layout_after)),
            _ => None,
        };
        let traits = resource.map(|id| scenario.traits(id));
        let side = |sync, access, layout: Option<Layout>| {
            Scope::new(
                sync,
                access,
                layout.filter(|l| *l != Layout::Undefined),
                self.queue,
                traits,
            )
        };
        let before = side(
            barrier.sync_before,
            barrier.access_before,
            layouts.map(|l| l.0),
        );
        let after = side(
            barrier.sync_after,
            barrier.access_after,
            layouts.map(|l| l.1),
        );
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
        if resource.is_some() {
            let mut extents = SmallVec::new();
            self.timeline
                .memory
                .for_each_barrier_extent(scenario, barrier, |e| extents.push(e));
            asked.extents = Some(extents);
        }
        let discard = matches!(barrier.target, BarrierTarget::Texture { discard: true, .. });
        if let (Some(resource), Some(layouts)) = (resource, layouts) {
            // A range beyond the texture has no bytes to convert.
            if asked.extents.as_ref().is_none_or(|e| !e.is_empty()) {
                asked.layout = self.layout_op(scenario.resource(resource), layouts, discard);
            }
        }
        let nothing = BarrierAccess::empty();
        let given_up = match resource {
            Some(_) if barrier.access_before == BarrierAccess::NO_ACCESS => {
                let all = BarrierAccess::COMMON;
                let all = Scope::new(barrier.sync_before, all, None, self.queue, traits);
                if all.stages.is_empty() {
                    nothing
                } else {
                    all.accesses & BarrierAccess::WRITES
                }
            }
            _ => nothing,
        };
        let leftovers = self.leftovers(resource, layouts);
        let metadata = self.metadata(resource, layouts);
        self.visibility(
            &before,
            &after,
            given_up,
            (self.variants(barrier, resource), metadata),
            &mut asked,
        );
        leftovers
            .iter()
            .for_each(|cache| asked.invalidate.insert(*cache));
        asked
    }

    /// The operation of a layout change, if it is one for the texture.
    fn layout_op(
        &self,
        resource: &Resource,
        layouts: (Layout, Layout),
        discard: bool,
    ) -> Option<LayoutOpId> {
        if !stored_compressed(resource) || (layouts.0 == Layout::Undefined && !discard) {
            return None;
        }
        let from = if discard {
            LayoutClass::Undefined
        } else {
            self.class(resource, layouts.0)
        };
        let to = self.class(resource, layouts.1);
        let depth = resource.texture().is_some_and(|t| t.format.is_depth());
        let op = self.profile.layout_op_between(from, to, depth);
        op.filter(|op| self.profile.layout_op(*op).caches.is_empty())
    }

    /// Caches that the profile has written back and dropped where a layout begins whose contents were dropped.
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
        let from = LayoutClass::Undefined;
        let op = self.profile.layout_op_between(from, to, depth);
        op.map_or(&[], |op| &self.profile.layout_op(op).caches)
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
            (BarrierTarget::Texture { range, .. }, Some(shape)) => {
                geometry::barrier_box(shape, range).ok().map(|sub| sub.mips)
            }
            _ => None,
        };
        self.variants_of(resource, mips)
    }

    fn variants_of(&self, resource: &Resource, mips: Option<(u32, u32)>) -> VariantSet {
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
            let compressed = self.profile.compresses() && resources().any(stored_compressed);
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
        let compresses = self.profile.compresses();
        let Some(id) = resource else {
            let any = self.whole().1;
            return (any, any);
        };
        let resource = scenario.resource(id);
        if !compresses || !stored_compressed(resource) {
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
        before: &Scope,
        after: &Scope,
        given_up: BarrierAccess,
        (variants, metadata): (VariantSet, (bool, bool)),
        asked: &mut Asked,
    ) {
        let kind = Kind {
            before: before.accesses.bits(),
            after: after.accesses.bits(),
            given_up: given_up.bits(),
            variants,
            metadata,
            rewrites: asked.layout.is_some(),
        };
        let known = self.walks.borrow().get(&kind).copied();
        let walks = known.unwrap_or_else(|| {
            let walks = self.walk(before, after, given_up, (variants, metadata), asked);
            self.walks.borrow_mut().insert(kind, walks);
            walks
        });
        if asked.layout.is_none() {
            asked.clean = walks.all.clean;
            asked.invalidate = walks.all.invalidate;
            return;
        }
        let (first, mut then) = (walks.first, walks.then);
        then.clean = then.clean.union(walks.all.clean.minus(first.clean));
        then.invalidate = then.invalidate.union(walks.all.invalidate);
        asked.clean = first.clean;
        asked.drop_first = first.invalidate;
        asked.clean_after = then.clean;
        asked.invalidate = then.invalidate;
    }

    /// Walks the paths of texels and of metadata.
    fn walk(
        &self,
        before: &Scope,
        after: &Scope,
        given_up: BarrierAccess,
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
            };
            texels.walk(&mut walks);
            let beside = Memory {
                routes: profile.metadata_routes_of(variant),
                queue: self.queue,
                before: only(metadata.0, before.accesses),
                after: only(metadata.1, after.accesses),
                given_up: only(metadata.0, given_up),
                leaves,
            };
            beside.walk(&mut walks);
            if metadata == (false, true) && asked.layout.is_none() {
                // Out of a plain layout: what the metadata says was written by a layout operation.
                beside.after_layout(&mut walks.all);
            }
        }
        walks
    }
}

/// Whether some layouts store a texture compressed.
fn stored_compressed(resource: &Resource) -> bool {
    resource.flags.intersects(
        ResourceFlags::RENDER_TARGET
            | ResourceFlags::DEPTH_STENCIL
            | ResourceFlags::UNORDERED_ACCESS,
    ) && !resource.is_buffer()
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
