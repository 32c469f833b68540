//! One `ExecuteCommandLists` scope: it starts with fresh caches and ends finished and flushed (reading R22). What its work
//! goes through is collected on the way; only then is it known what its start and its end must do.

use super::Session;
use crate::api::{BarrierAccess, Leaf, LeafSet, QueueType, Scope};
use crate::hardware::{self, Client, Variant};
use crate::id::{
    BarrierRef, CacheId, Extent, ListId, MemoryId, NodeId, OpId, ResourceId, SubmissionId,
};
use crate::lower::derive::insert;
use crate::lower::handover;
use crate::lower::passes::{self, Pass};
use crate::lower::policy::{Policy, ScopeDraft};
use crate::program::{
    BarrierOp, BarrierRole, HwOp, HwOpKind, IntervalMap, Reach, Slice, Step, StepKind, Why,
};
use crate::time::Ps;
use std::collections::BTreeMap;

/// The packet that starts a scope, in its block. Every barrier of the scope follows it: the front end goes on while the
/// scope before still runs, and that one must have ended and been flushed (reading R22).
pub(super) const SCOPE_START: OpId = OpId(0);

/// What one scope has done so far.
#[derive(Default)]
pub(in crate::lower) struct ScopeState {
    /// Latest barrier packet on each byte, and the latest global one.
    pub(super) latest: BTreeMap<MemoryId, IntervalMap<OpId>>,
    pub(super) latest_global: Option<OpId>,
    /// The end of the latest synchronous copy: a barrier that nobody wrote comes after it (reading R20).
    pub(super) latest_copy: Option<OpId>,
    /// Packets of first halves of split barriers.
    pub(super) splits: BTreeMap<BarrierRef, Vec<OpId>>,
    /// What the before sides of first halves mean, and the writes that they give up.
    pub(super) firsts: BTreeMap<BarrierRef, (Scope, BarrierAccess)>,
    /// First halves by their second halves, once one of these has come.
    pub(super) pairs: Option<BTreeMap<BarrierRef, BarrierRef>>,
    /// Caches below the last level that work of the scope writes and reads through.
    pub(super) written: Vec<CacheId>,
    pub(super) read: Vec<CacheId>,
    /// Ways whose caches are in these lists, and whether they go through the last level.
    pub(super) noted: Vec<(Way, bool)>,
    /// Bytes in the last level that a client past it reads later, or has written.
    pub(super) to_clean: Vec<Extent>,
    pub(super) to_drop: Vec<Extent>,
    /// Hulls of what synchronous copies have written, by block of memory (reading R20).
    pub(super) copied: BTreeMap<MemoryId, (u64, u64)>,
    /// The `set-root`s in effect: graphics, compute.
    pub(super) roots: [Option<NodeId>; 2],
    pub(super) list: Option<ListId>,
    /// Its nodes, from the first to one past the last.
    pub(super) nodes: (u32, u32),
    /// The engine that the latest work ran on.
    pub(super) engine: Option<usize>,
    /// What the list has had since its latest wait.
    pub(in crate::lower) since_wait: SinceLastWait,
    /// Render passes to come, the next one last, and the one that goes on.
    pub(in crate::lower) passes: Vec<Pass>,
    pub(in crate::lower) pass: Option<Pass>,
    /// Attachments of a pass that has ended and is not stored.
    pub(in crate::lower) store: Option<Slice<Extent>>,
}

/// How a use goes through the caches.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) client: Client,
    pub(super) variant: Variant,
    pub(super) writes: bool,
    pub(super) has_texels: bool,
    pub(super) has_metadata: bool,
}

/// What a list has had since its latest wait.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum SinceLastWait {
    /// The list starts: no wait so far, and no work.
    #[default]
    NewList,
    /// No work since then.
    Nothing,
    /// Work since then.
    Work,
}

impl Session<'_, '_> {
    /// The packets of one scope.
    pub(super) fn execute(
        &mut self,
        policy: &dyn Policy,
        id: SubmissionId,
        node: NodeId,
        launch: Ps,
    ) {
        let start = BarrierOp {
            wait: LeafSet::EMPTY,
            ..BarrierOp::of_everything(BarrierRole::ScopeBegin, Slice::EMPTY)
        };
        self.push(node, None, launch, HwOpKind::Barrier(start));
        self.push_held();
        self.adjacent.enter(id);
        let timeline = self.timeline;
        self.scope.nodes = (node.0, node.0 + timeline.submission(id).nodes);
        self.steps = handover::steps(timeline, id, &self.awaited);
        if policy.keeps_passes() {
            self.scope.passes = passes::passes(timeline, self.profile, id, self.queue);
            self.scope.passes.reverse();
        }
        let mut last = node;
        for (node, list, command) in timeline.commands(id) {
            if self.scope.list != Some(list)
                && timeline.scenario.lists[list].queue_type != QueueType::Bundle
            {
                if self.scope.list.is_some() && self.profile.costs.submit_list > Ps::ZERO {
                    self.next_list(node);
                }
                self.scope.list = Some(list);
                self.scope.roots = [None, None];
            }
            self.command(policy, node, list, command);
            last = node;
        }
        policy.before_end(self);
        debug_assert!(self.deferred.is_empty(), "nothing is kept beyond its scope");
        self.store_now(last);
        let mut scope = ScopeDraft {
            drops: std::mem::take(&mut self.scope.read),
            cleans: std::mem::take(&mut self.scope.written),
        };
        policy.scope(self, &mut scope);
        self.end_scope(last, scope.cleans);
        self.fill_scope_start(scope.drops);
    }

    /// The queue goes on to the next list of a call. A machine that waits for whole queues does so here as well.
    fn next_list(&mut self, node: NodeId) {
        let leaves = if self.profile.drains_queue() {
            LeafSet::ALL
        } else {
            LeafSet::EMPTY
        };
        let jump = BarrierOp {
            wait: leaves,
            after_all: false,
            hold: leaves,
            ..BarrierOp::of_everything(BarrierRole::ScopeBegin, Slice::EMPTY)
        };
        self.scope.since_wait = SinceLastWait::NewList;
        let launch = self.profile.costs.submit_list;
        self.push(node, None, launch, HwOpKind::Barrier(jump));
    }

    /// Work of one engine never overlaps work of another on the same queue: what goes before ends first.
    pub(super) fn switch_engine(&mut self, node: NodeId, leaf: Option<Leaf>) {
        let engine = leaf.and_then(|leaf| self.profile.engine_of(leaf));
        let before = self.scope.engine;
        if engine.is_some() {
            self.scope.engine = engine;
        }
        if before.is_none() || engine.is_none() || before == engine {
            return;
        }
        let why = Why::Text("the queue goes from one engine to another");
        let kind = StepKind::EngineSwitch;
        let mut steps = vec![Step { kind, why }];
        let shading = LeafSet::from(Leaf::VertexShading)
            .union(Leaf::PixelShading.into())
            .union(Leaf::ComputeShading.into());
        let shades = |e: Option<usize>| e.is_some_and(|e| self.profile.engines[e].meets(shading));
        if shades(before) && shades(engine) {
            let reach = Reach::Everything;
            let drop = |cache: &CacheId| StepKind::Invalidate {
                cache: *cache,
                reach,
            };
            let drops = self.profile.switch_drops.iter();
            steps.extend(drops.map(|cache| Step {
                kind: drop(cache),
                why,
            }));
        }
        let steps = self.push_steps(steps);
        let op = self.hidden(node, LeafSet::ALL, steps);
        // Where a switch is no wait of its own, it starts when the barriers before it are over.
        if let HwOpKind::Barrier(switch) = &mut self.block.ops[op.index()].kind {
            switch.after_all = self.profile.switch_waits_free;
        }
    }

    fn end_scope(&mut self, node: NodeId, mut written: Vec<CacheId>) {
        let mut steps = Vec::new();
        let why = Why::Text("a scope ends finished and flushed");
        // What a cache gets after its own turn would stay there.
        written.sort_by_key(|cache| self.profile.turn(*cache));
        for cache in written {
            steps.push(Step {
                kind: StepKind::Clean {
                    cache,
                    reach: Reach::Everything,
                },
                why,
            });
        }
        if !self.scope.to_clean.is_empty() {
            let extents = Slice::push(
                &mut self.block.extents,
                std::mem::take(&mut self.scope.to_clean),
            );
            let why = Why::Text("a client that goes past this cache accesses these bytes");
            for cache in &self.hubs {
                let kind = StepKind::Clean {
                    cache: *cache,
                    reach: Reach::Extents(extents),
                };
                steps.push(Step { kind, why });
            }
        }
        let steps = self.push_steps(steps);
        let end = BarrierOp::of_everything(BarrierRole::ScopeEnd, steps);
        self.push(
            node,
            None,
            self.profile.costs.launch_barrier,
            HwOpKind::Barrier(end),
        );
    }

    /// Now that it is known what the scope's work reads through, its start can make that fresh.
    fn fill_scope_start(&mut self, read: Vec<CacheId>) {
        let mut steps = Vec::new();
        let why = Why::Text("earlier scopes and other queues may have written");
        for cache in read {
            steps.push(Step {
                kind: StepKind::Invalidate {
                    cache,
                    reach: Reach::Everything,
                },
                why,
            });
        }
        if !self.scope.to_drop.is_empty() {
            let extents = Slice::push(
                &mut self.block.extents,
                std::mem::take(&mut self.scope.to_drop),
            );
            let why = Why::Text("a client that goes past this cache has written these bytes");
            for cache in &self.hubs {
                let kind = StepKind::Invalidate {
                    cache: *cache,
                    reach: Reach::Extents(extents),
                };
                steps.push(Step { kind, why });
            }
        }
        let steps = self.push_steps(steps);
        if let Some(HwOp {
            kind: HwOpKind::Barrier(start),
            ..
        }) = self.block.ops.first_mut()
        {
            start.steps = steps;
        }
    }

    /// Remembers what the scope's start and end must do for a layout operation.
    pub(super) fn note_layout(&mut self, resource: ResourceId, extents: Slice<Extent>) {
        let way = Way {
            client: Client::LayoutOperation,
            variant: Variant::default(),
            writes: true,
            has_texels: true,
            has_metadata: true,
        };
        self.note_use(resource, way, extents);
    }

    /// Remembers what the scope's start and end must do for a use.
    pub(super) fn note_use(&mut self, resource: ResourceId, way: Way, extents: Slice<Extent>) {
        let noted = self.scope.noted.iter().find(|(noted, _)| *noted == way);
        let through_hub = if let Some((_, through_hub)) = noted {
            *through_hub
        } else {
            let through_hub = self.note_way(way);
            self.scope.noted.push((way, through_hub));
            through_hub
        };
        if !through_hub {
            return;
        }
        let extents = extents.of(&self.block.extents);
        if way.writes && self.past_hub[resource] {
            note_extents(&mut self.scope.to_clean, extents);
        }
        if self.written_past_hub[resource] {
            note_extents(&mut self.scope.to_drop, extents);
        }
    }

    /// Remembers the caches of a way below the last level. Says whether it goes through that.
    fn note_way(&mut self, way: Way) -> bool {
        let profile = self.profile;
        let texels = way.has_texels.then(|| profile.texel_routes_of(way.variant));
        let metadata = way
            .has_metadata
            .then(|| profile.metadata_routes_of(way.variant));
        let mut through_hub = false;
        for routes in texels.into_iter().chain(metadata) {
            let paths = routes.read_paths(way.client).iter();
            for cache in paths.flat_map(|path| routes.path(*path)) {
                if self.hubs.contains(cache) {
                    through_hub = true;
                    continue;
                }
                insert(&mut self.scope.read, *cache);
                if way.writes && routes.cache(*cache).policy == hardware::WritePolicy::WriteBack {
                    insert(&mut self.scope.written, *cache);
                }
            }
        }
        through_hub
    }
}

/// Adds extents to a list unless they repeat its last ones.
fn note_extents(list: &mut Vec<Extent>, extents: &[Extent]) {
    for extent in extents {
        if !list.iter().rev().take(8).any(|e| e == extent) {
            list.push(*extent);
        }
    }
}
