//! What synchronous copies, resolves and discards promise (reading R20), as barriers that nobody wrote.

use super::Session;
use super::scope::SCOPE_START;
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::hardware::{self, Client};
use crate::id::{CacheId, NodeId, OpId, ResourceId};
use crate::lower::derive::{insert, needed_to_reach};
use crate::lower::surfaces::{self, is_compressible};
use crate::program::{
    Access, AccessMode, BarrierOp, BarrierRole, HwOpKind, Reach, Slice, Step, StepKind, Why,
};
use crate::scenario::Command;
use crate::time::Ps;

impl Session<'_, '_> {
    /// The later half of reading R20: later copies, resolves and discards see what earlier ones have written.
    pub(super) fn see_earlier_copies(&mut self, node: NodeId, command: &Command) {
        if self.scope.copied.is_empty() {
            return;
        }
        let timeline = self.timeline;
        let mut caches = Vec::new();
        let mut extents = Vec::new();
        for usage in command
            .uses
            .iter()
            .filter(|u| u.reads() && !u.access.is_no_access())
        {
            let mut hit = false;
            timeline
                .memory
                .for_each_extent(timeline.scenario, usage.resource, &usage.range, |e| {
                    let copied = self.scope.copied.get(&e.memory);
                    if copied.is_some_and(|(start, end)| *start < e.end && e.start < *end) {
                        hit = true;
                        extents.push(e);
                    }
                });
            if hit {
                let reader = Client::of(usage.access, self.queue);
                for cache in self.stale_after_copies(usage.resource, reader) {
                    insert(&mut caches, cache);
                }
            }
        }
        if caches.is_empty() {
            return;
        }
        let extents = Slice::push(&mut self.block.extents, extents);
        let why = Why::Text("an earlier synchronous copy has written these bytes");
        let kind = |cache| StepKind::Invalidate {
            cache,
            reach: Reach::Extents(extents),
        };
        let steps = caches.into_iter().map(|cache| Step {
            kind: kind(cache),
            why,
        });
        let steps = self.push_steps(steps.collect());
        self.hidden(node, LeafSet::EMPTY, steps);
    }

    /// Caches in which a reader may have old lines of what a copy or resolve has written.
    fn stale_after_copies(&self, resource: ResourceId, reader: Client) -> Vec<CacheId> {
        let resource = self.timeline.scenario.resource(resource);
        let has_metadata = is_compressible(self.profile, resource);
        let mut caches = Vec::new();
        for variant in surfaces::variants(self.profile, resource).iter() {
            let texels = self.profile.texel_routes_of(variant);
            let metadata = has_metadata.then(|| self.profile.metadata_routes_of(variant));
            for routes in std::iter::once(texels).chain(metadata) {
                for write in [BarrierAccess::COPY_DEST, BarrierAccess::RESOLVE_DEST] {
                    let write = Client::of(write, self.queue);
                    caches.extend(needed_to_reach(routes, write, reader).invalidate);
                }
            }
            if let Some(routes) = metadata {
                // Metadata next to a copy that ignores it is the driver's.
                let driver = Client::LayoutOperation;
                caches.extend(needed_to_reach(routes, driver, reader).invalidate);
            }
        }
        caches
    }

    /// The first half of reading R20: a synchronous copy has finished, and its writes are in memory, before later work.
    pub(super) fn synchronous(&mut self, node: NodeId, leaf: Leaf, accesses: Slice<Access>) {
        let mut steps = Vec::new();
        for access in accesses
            .of(&self.block.accesses)
            .iter()
            .filter(|a| a.mode == AccessMode::Write)
        {
            let paths = std::iter::once(access.path).chain(access.metadata);
            // What stays in the last level would come back over what a client past it writes later.
            let past_hub = self.written_past_hub[access.resource];
            for cache in paths.flat_map(|path| self.profile.path(path)) {
                let write_back =
                    self.profile.cache(*cache).policy == hardware::WritePolicy::WriteBack;
                if write_back && (past_hub || !self.hubs.contains(cache)) {
                    let kind = StepKind::Clean {
                        cache: *cache,
                        reach: Reach::Extents(access.extents),
                    };
                    let why = Why::Text("a synchronous copy is in memory before later work starts");
                    steps.push(Step { kind, why });
                }
            }
            for extent in access.extents.of(&self.block.extents) {
                let hull = self
                    .scope
                    .copied
                    .entry(extent.memory)
                    .or_insert((extent.start, extent.end));
                *hull = (hull.0.min(extent.start), hull.1.max(extent.end));
            }
        }
        let steps = self.push_steps(steps);
        self.scope.latest_copy = Some(self.hidden(node, leaf.into(), steps));
    }

    /// An engine that does one piece of work after the other: what comes to a stage waits for what was there before.
    pub(super) fn one_by_one(&mut self, node: NodeId, leaf: Leaf) {
        if self.profile.in_order.has(leaf) {
            self.unwritten(node, leaf.into(), leaf.into(), Slice::EMPTY);
        }
    }

    /// A barrier that nobody wrote.
    pub(super) fn hidden(&mut self, node: NodeId, wait: LeafSet, steps: Slice<Step>) -> OpId {
        self.unwritten(node, wait, LeafSet::ALL, steps)
    }

    fn unwritten(
        &mut self,
        node: NodeId,
        wait: LeafSet,
        hold: LeafSet,
        steps: Slice<Step>,
    ) -> OpId {
        // What it drops, a copy that still runs would fetch again.
        let after = [SCOPE_START].into_iter().chain(self.scope.latest_copy);
        let after = Slice::push(&mut self.block.after, after);
        let barrier = BarrierOp {
            role: BarrierRole::Synchronous,
            wait,
            after,
            after_all: false,
            steps,
            hold,
            holds_fetches: hold == LeafSet::ALL,
        };
        // It is part of the copy's own packets and costs the front end nothing more.
        self.push(node, None, Ps::ZERO, HwOpKind::Barrier(barrier))
    }
}
