//! One pass over a timeline: everything about packets that no lowering decides.
//!
//! The state is here; each part of the pass is a file of its own.

mod alike;
mod clients;
mod commands;
mod copies;
mod done;
mod entries;
mod packets;
mod scope;
mod uses;

pub use done::Done;
pub(super) use entries::sides;
pub(super) use packets::touched;
pub(super) use scope::ScopeState;
pub use scope::SinceLastWait;

use super::derived_steps::DerivedSteps;
use super::policy::{Draft, Entry, Policy};
use super::surfaces::is_compressible;
use super::{handover, surfaces};
use crate::api::{BarrierAccess, Leaf, QueueType, ResourceFlags};
use crate::hardware::{Client, Profile, VariantSet};
use crate::id::{
    CacheId, Extent, FenceId, MemoryId, NodeId, OpId, ResourceId, SubmissionId, Table,
};
use crate::order::{Actor, AdjacentBarriers, LayoutTracker, SubmissionKind, Timeline};
use crate::program::{Block, Encoding, HwOp, HwOpKind, IntervalMap, Origin, Slice};
use crate::scenario::{self, Barrier, ObjectAct, Resource, StatementKind};
use crate::time::Ps;
use alike::Alike;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;

/// State of a pass over a timeline: emits packets for a [`Policy`], and answers what it may ask.
pub struct Session<'t, 's> {
    timeline: &'t Timeline<'s>,
    pub(super) profile: &'t Profile,
    layouts: LayoutTracker,
    /// Which barriers act as one.
    adjacent: AdjacentBarriers<'t, 's>,
    pub(super) block: Block,
    /// Its number, from 1 on, and for each resource in which block all of its bytes were last named, and where.
    number: u32,
    whole: Table<ResourceId, (u32, Slice<Extent>)>,
    pub(super) queue: QueueType,
    pub(super) scope: ScopeState,
    /// Resources that some client accesses past the last level of cache; those that one writes so.
    past_hub: Table<ResourceId, bool>,
    written_past_hub: Table<ResourceId, bool>,
    /// The last levels.
    hubs: Vec<CacheId>,
    /// The most that each access can decode on the queue, by bit.
    decodes: Vec<Encoding>,
    /// Sets of paths through the caches, by resource.
    variants_of: Table<ResourceId, VariantSet>,
    /// Every set of paths that resources of the scenario take, and whether one of them has metadata.
    variants: VariantSet,
    has_metadata: bool,
    /// Bytes whose contents were discarded and not written since, where that saves a load.
    pub(super) discarded: BTreeMap<MemoryId, IntervalMap<ResourceId>>,
    /// Fences that the text waits for outside the call that signals them.
    awaited: Table<FenceId, bool>,
    /// What the text signals.
    signalled: handover::Signalled,
    /// Waits of processes, and those that hold the submission.
    process_waits: handover::ProcessWaits,
    held: Vec<SubmissionId>,
    /// Submissions that had reached their queue when what they wait for came, ascending.
    handed: Vec<SubmissionId>,
    /// Fence barriers of the call that somebody outside it takes part in.
    steps: Vec<handover::FenceStep>,
    /// Barriers that the policy keeps for later.
    deferred: Vec<(Entry<'s>, Draft)>,
    /// Accesses of the commands that came before in this block.
    alike: Alike<'s>,
    /// Steps of the kinds of barriers that came before.
    pub(super) derived: DerivedSteps,
    /// What the policy keeps, a value of each type.
    kept: Vec<Box<dyn Any + Send>>,
}

impl<'t, 's> Session<'t, 's> {
    pub(super) fn new(timeline: &'t Timeline<'s>, profile: &'t Profile) -> Self {
        // Where shaders meet: the last level of every path by which they read.
        let shaders = profile.read_paths(Client::Access(BarrierAccess::SHADER_RESOURCE));
        let hubs: Vec<CacheId> = profile
            .cache_ids()
            .filter(|c| {
                let cache = profile.cache(*c);
                let meets = shaders.iter().all(|p| profile.path(*p).contains(c));
                cache.parent.is_none() && !cache.private && meets
            })
            .collect();
        let count = timeline.scenario.resources.len();
        let mut session = Self {
            timeline,
            profile,
            layouts: LayoutTracker::new(timeline.scenario, LayoutTracker::declared),
            adjacent: AdjacentBarriers::new(timeline),
            block: Block::default(),
            number: 0,
            whole: Table::filled(count, (0, Slice::EMPTY)),
            queue: QueueType::Direct,
            scope: ScopeState::default(),
            past_hub: Table::filled(count, false),
            written_past_hub: Table::filled(count, false),
            hubs,
            decodes: surfaces::decodes(profile, QueueType::Direct),
            variants_of: Table::default(),
            variants: VariantSet::default(),
            has_metadata: false,
            discarded: BTreeMap::new(),
            awaited: handover::awaited(timeline),
            signalled: handover::Signalled::new(timeline),
            process_waits: handover::ProcessWaits::new(timeline.scenario),
            held: Vec::new(),
            handed: handover::handed(timeline, profile),
            steps: Vec::new(),
            deferred: Vec::new(),
            alike: Alike::new(count),
            derived: DerivedSteps::default(),
            kept: Vec::new(),
        };
        for resource in timeline.scenario.resources.values() {
            let variants = surfaces::variants(profile, resource);
            session.variants = session.variants.union(variants);
            session.variants_of.push(variants);
            session.has_metadata |= is_compressible(profile, resource);
        }
        session.find_past_hub();
        session
    }

    /// The machine.
    pub fn profile(&self) -> &'t Profile {
        self.profile
    }

    /// What the policy keeps for the whole timeline, such as the dirty flags of a driver: one value of each type, which begins
    /// as its default. Submissions come in evaluation order, those of all queues; a policy that keeps something for a scope
    /// resets it in [`Policy::before_end`].
    #[allow(
        clippy::missing_panics_doc,
        reason = "the value that is looked for was put there"
    )]
    pub fn state<T: Default + Send + 'static>(&mut self) -> &mut T {
        let known = self.kept.iter().position(|kept| kept.is::<T>());
        let at = known.unwrap_or_else(|| {
            self.kept.push(Box::<T>::default());
            self.kept.len() - 1
        });
        let kept = self.kept[at].downcast_mut();
        kept.expect("it is of the type that was looked for")
    }

    pub(super) fn submission(&mut self, policy: &dyn Policy, id: SubmissionId) -> Block {
        let submission = self.timeline.submission(id);
        self.held = self.process_waits.enter(self.timeline, id);
        self.block = Block::default();
        self.number += 1;
        self.scope = ScopeState::default();
        let costs = &self.profile.costs;
        let node = submission.first_node;
        let is_cpu = submission.actor == Actor::Cpu;
        if let Actor::Queue(queue) = submission.actor {
            self.block.queue = Some(queue);
            let queue = self.timeline.scenario.queue_type(queue);
            if queue != self.queue {
                self.queue = queue;
                self.decodes = surfaces::decodes(self.profile, queue);
            }
        }
        match submission.kind {
            SubmissionKind::Execute => {
                // What was handed over had been submitted before.
                let launch = if self.handed.binary_search(&id).is_ok() {
                    Ps::ZERO
                } else {
                    self.profile.submit_cost(self.queue)
                };
                self.execute(policy, id, node, launch);
            }
            SubmissionKind::Signal { .. }
            | SubmissionKind::Wait { .. }
            | SubmissionKind::Object {
                act: ObjectAct::Destroy,
                ..
            } => {
                self.push_held();
                let launch = if is_cpu {
                    costs.host_call
                } else {
                    handover::time(self.timeline, self.profile, id)
                };
                let packet = handover::packet(self.timeline, &self.signalled, id);
                self.push(node, None, launch, packet);
            }
            SubmissionKind::Object { .. } => {}
            SubmissionKind::Present { resource } => self.present(node, resource),
            SubmissionKind::CpuRead { resource } | SubmissionKind::CpuWrite { resource } => {
                self.cpu_access(node, resource, &submission.statement.kind);
            }
            SubmissionKind::CpuWork => self.cpu_work(node, &submission.statement.kind),
            SubmissionKind::Reset => self.reset(id),
        }
        std::mem::take(&mut self.block)
    }

    /// A GPU timeout stops queues and takes the fences that they could have signalled to their end.
    fn reset(&mut self, id: SubmissionId) {
        let submission = self.timeline.submission(id);
        let node = submission.first_node;
        let queue = match submission.statement.kind {
            StatementKind::Reset(queue) => queue,
            _ => None,
        };
        let mut launch = self.profile.costs.host_call;
        for queue in handover::stopped(self.timeline.scenario, queue) {
            self.push(node, None, launch, HwOpKind::Reset { queue });
            launch = Ps::ZERO;
        }
        // They are in the order of their submissions.
        let resets = &self.timeline.resets;
        let effect = resets.binary_search_by_key(&id, |effect| effect.reset);
        let jumps = effect.ok().map(|at| &resets[at].jumps);
        for fence in jumps.into_iter().flatten() {
            let (fence, value) = (*fence, u64::MAX);
            self.push(node, None, Ps::ZERO, HwOpKind::SignalFence { fence, value });
        }
    }

    /// Waits of the process that submits this to its queue.
    fn push_held(&mut self) {
        for wait in std::mem::take(&mut self.held) {
            let launch = handover::time(self.timeline, self.profile, wait);
            let node = self.timeline.submission(wait).first_node;
            let packet = handover::packet(self.timeline, &self.signalled, wait);
            self.push(node, None, launch, packet);
        }
    }

    pub(super) fn push(
        &mut self,
        node: NodeId,
        entry: Option<u32>,
        launch: Ps,
        kind: HwOpKind,
    ) -> OpId {
        let id = OpId::new(self.block.ops.len());
        self.block.ops.push(HwOp {
            id,
            origin: Origin { node, entry },
            launch,
            tail: Ps::ZERO,
            kind,
        });
        id
    }

    pub(super) fn extents(
        &mut self,
        resource: ResourceId,
        range: &scenario::Range,
    ) -> Slice<Extent> {
        if !matches!(range, scenario::Range::All) {
            return self.new_extents(resource, range);
        }
        let (of, known) = self.whole[resource];
        if of == self.number {
            return known;
        }
        let extents = self.new_extents(resource, range);
        self.whole[resource] = (self.number, extents);
        extents
    }

    fn new_extents(&mut self, resource: ResourceId, range: &scenario::Range) -> Slice<Extent> {
        let start = self.block.extents.len();
        let table = &mut self.block.extents;
        self.timeline
            .memory
            .for_each_extent(self.timeline.scenario, resource, range, |e| table.push(e));
        Slice::since(&self.block.extents, start)
    }

    /// Whether the latest work of the list was the copy engine's.
    pub fn is_copying(&self) -> bool {
        let copies = self.profile.engine_of(Leaf::Copy);
        copies.is_some() && self.scope.engine == copies
    }

    /// A resource as it is declared.
    pub fn declared(&self, resource: ResourceId) -> &'s Resource {
        self.timeline.scenario.resource(resource)
    }

    /// Whether a resource is a depth buffer.
    pub fn is_depth(&self, resource: ResourceId) -> bool {
        let resource = self.timeline.scenario.resource(resource);
        resource.flags.contains(ResourceFlags::DEPTH_STENCIL)
    }

    /// Bytes that an entry is about.
    pub fn bytes_of(&self, entry: &Entry<'_>) -> u64 {
        let extents = entry.extents.of(&self.block.extents).iter();
        extents.map(|extent| extent.len()).sum()
    }

    /// The entries of a `Barrier()` call; none of another command.
    pub(super) fn entries_of(&self, call: NodeId) -> &'s [Barrier] {
        let command = self.timeline.command(call);
        command.map_or(&[], |command| command.kind.barriers())
    }

    /// The nodes of the scope, from the first to one past the last.
    pub(super) fn scope_nodes(&self) -> Range<NodeId> {
        let (first, end) = self.scope.nodes;
        NodeId(first)..NodeId(end)
    }

    /// What the list has had since its latest wait.
    pub fn since_wait(&self) -> SinceLastWait {
        self.scope.since_wait
    }

    /// Whether the queue is set up for graphics: the latest work of its list was, or the list has had none.
    pub fn is_graphics(&self) -> bool {
        let pixels = self.profile.engine_of(Leaf::PixelShading);
        self.queue == QueueType::Direct
            && (self.scope.engine.is_none() || self.scope.engine == pixels)
    }
}
