//! One pass over a timeline: everything about packets that no lowering decides.

use super::derive::insert;
use super::known::Known;
use super::passes::{self, Pass};
use super::surfaces::{self, encoding_of, is_compressible};
use super::{derive, handover, work};
use crate::api::{BarrierAccess, HeapType, Layout, Leaf, LeafSet, QueueType, ResourceFlags, Scope};
use crate::hardware::{self, Client, LayoutClass, Profile, Routes, Variant, VariantSet};
use crate::id::{
    BarrierRef, CacheId, Extent, LayoutOpId, ListId, MemoryId, NodeId, OpId, PathId, ResourceId,
    SubmissionId,
};
use crate::order::{Actor, LayoutTracker, SubmissionKind, Timeline};
use crate::program::{
    Access, AccessMode, BarrierOp, BarrierRole, Block, ClientOp, Encoding, HwOp, HwOpKind,
    IntervalMap, LayoutAct, Origin, Program, Reach, ResourceInfo, Slice, Step, StepKind, Task, Why,
    Work,
};
use crate::scenario::{
    Barrier, BarrierTarget, Command, CommandKind, ObjectAct, Range, ResourceKind, Scenario,
    StatementKind, Use, UseMode, geometry,
};
use crate::time::Ps;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// What a lowering decides: what a barrier entry becomes.
pub trait Policy {
    /// Emits the packets of one entry.
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>);

    /// Whether render passes stay in tile memory across barriers by region; otherwise every barrier is the policy's.
    fn keeps_passes(&self) -> bool {
        true
    }

    /// Emits what must not come later than work at these stages.
    fn before_work(&self, _session: &mut Session<'_, '_>, _command: &Command) {}

    /// Emits what must not come later than the end of the scope.
    fn before_end(&self, _session: &mut Session<'_, '_>) {}
}

/// One barrier entry, with everything that a policy needs to know.
#[derive(Clone)]
pub struct Entry<'a> {
    /// Its id.
    pub id: BarrierRef,
    /// The entry itself.
    pub barrier: &'a Barrier,
    /// Type of the queue.
    pub queue: QueueType,
    /// What its before side means. For a second split half, the first half's.
    pub before: Scope,
    /// What its after side means. For a first split half, empty stages.
    pub after: Scope,
    /// Accesses whose writes are given up (reading R24): `AccessBefore` names none, and `SyncBefore` waits for some. What
    /// they left dirty must still not come back over what is written next.
    pub given_up: BarrierAccess,
    /// The resource; `None` for a global barrier.
    pub resource: Option<ResourceId>,
    /// The layout operation that it needs.
    pub layout: Option<LayoutDraft>,
    /// Caches in which lines of an earlier alias may be left.
    pub leftovers: Vec<CacheId>,
    /// The sets of ways that its bytes take.
    pub variants: VariantSet,
    /// Which of its sides touch metadata.
    pub metadata: MetadataSides,
    /// `SyncAfter` is `SPLIT`.
    pub is_split_begin: bool,
    /// `SyncBefore` is `SPLIT`.
    pub is_split_end: bool,
    extents: Slice<Extent>,
}

impl Entry<'_> {
    /// Whether its operations happen with it: those of a split pair happen with the first half.
    pub fn acts(&self) -> bool {
        !self.is_split_end
    }

    /// An empty packet for it.
    pub fn draft(&self, wait: LeafSet, hold: LeafSet) -> Draft {
        Draft {
            wait,
            hold,
            after_all: false,
            steps: Vec::new(),
        }
    }
}

/// Which accesses of a barrier read or write metadata: those in a layout that stores texels compressed, and those in a layout
/// that is not known.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct MetadataSides {
    /// Those before it.
    pub before: bool,
    /// Those after it. If only these do, the latest metadata is what a layout operation wrote.
    pub after: bool,
}

/// A layout operation.
#[derive(Copy, Clone, Debug)]
pub struct LayoutDraft {
    op: LayoutOpId,
    resource: ResourceId,
    extents: Slice<Extent>,
    act: LayoutAct,
    initialise: bool,
}

/// A barrier packet in the making.
pub struct Draft {
    /// Leaves to wait for.
    pub wait: LeafSet,
    /// Leaves to hold.
    pub hold: LeafSet,
    /// Follow every earlier barrier packet.
    pub after_all: bool,
    /// Operations in order.
    pub steps: Vec<StepDraft>,
}

/// A step in the making.
#[derive(Copy, Clone, Debug)]
pub enum StepDraft {
    /// Write a cache back: the entry's bytes, or everything (a global barrier always means everything).
    Clean {
        /// The cache.
        cache: CacheId,
        /// All of it.
        everything: bool,
        /// What needed it.
        why: Why,
    },
    /// Drop a cache's lines: the entry's bytes, or everything.
    Invalidate {
        /// The cache.
        cache: CacheId,
        /// All of it.
        everything: bool,
        /// What needed it.
        why: Why,
    },
    /// The entry's layout operation.
    Layout(LayoutDraft),
    /// The front end forgets what it has prefetched.
    FrontEnd {
        /// What needed it.
        why: Why,
    },
    /// Something that takes its time, and nothing else.
    Driver {
        /// What it is.
        op: &'static str,
        /// How long it takes.
        takes: Ps,
        /// What needed it.
        why: Why,
    },
}

/// Lowers a timeline with a policy.
pub(super) fn lower(policy: &dyn Policy, timeline: &Timeline<'_>, profile: &Profile) -> Program {
    let mut blocks: Vec<Block> = (0..timeline.submissions.len())
        .map(|_| Block::default())
        .collect();
    let mut session = Session::new(timeline, profile);
    for id in &timeline.evaluation {
        blocks[id.index()] = session.submission(policy, *id);
    }
    let mut ops = 0;
    for block in &mut blocks {
        number(block, &mut ops);
    }
    Program {
        blocks,
        ops,
        ..setting(timeline, profile)
    }
}

/// Numbers the packets of a block from `next` on.
///
/// # Panics
/// If a run has 2^32 packets.
pub(super) fn number(block: &mut Block, next: &mut u32) {
    block.first_op = OpId(*next);
    for (index, op) in block.ops.iter_mut().enumerate() {
        op.id = OpId(*next + index as u32);
    }
    // Packets follow packets of their own block alone: a scope ends with everything complete.
    for after in &mut block.after {
        after.0 += *next;
    }
    *next = next
        .checked_add(block.ops.len() as u32)
        .expect("a run is limited to 2^32 packets");
}

/// A program without its packets.
pub fn setting(timeline: &Timeline<'_>, profile: &Profile) -> Program {
    let scenario = timeline.scenario;
    let resources = resources(timeline, profile);
    let mut memories: Vec<u64> = (0..timeline.memory.memory_count())
        .map(|m| timeline.memory.memory_bytes(MemoryId::new(m)))
        .collect();
    let has_metadata = resources.iter().any(|resource| resource.initial.is_some());
    let metadata = has_metadata.then_some(memories.len() as u32);
    if has_metadata {
        memories.extend_from_within(..);
    }
    Program {
        blocks: Vec::new(),
        queues: scenario.queues.values().map(|q| q.queue_type).collect(),
        fences: handover::values(timeline),
        memories,
        metadata,
        resources,
        nodes: timeline.node_count() as u32,
        ops: 0,
    }
}

/// What both sides of a barrier mean on a queue. Dropped contents leave nothing to make visible, but a dirty line of theirs
/// would still overwrite: `COMMON` with `UNDEFINED` means every access that the resource allows.
pub(super) fn sides(scenario: &Scenario, queue: QueueType, barrier: &Barrier) -> (Scope, Scope) {
    let traits = barrier.resource().map(|r| scenario.traits(r));
    let (before, after) = barrier.layouts().unzip();
    let known = |layout: Option<Layout>| layout.filter(|l| *l != Layout::Undefined);
    let side = |sync, access, layout| Scope::new(sync, access, known(layout), queue, traits);
    (
        side(barrier.sync_before, barrier.access_before, before),
        side(barrier.sync_after, barrier.access_after, after),
    )
}

fn resources(timeline: &Timeline<'_>, profile: &Profile) -> Vec<ResourceInfo> {
    let resources = timeline.scenario.resources.values().enumerate();
    resources
        .map(|(index, resource)| ResourceInfo {
            is_buffer: resource.is_buffer(),
            extent: timeline.memory.whole(ResourceId::new(index)),
            initial: surfaces::initial_state(profile, resource),
        })
        .collect()
}

/// The packet that begins a scope, in its block. Every barrier of the scope follows it: the front end goes on while the
/// scope before still runs, and that one must have ended and been flushed (reading R22).
const SCOPE_BEGIN: OpId = OpId(0);

/// What one scope has done so far.
#[derive(Default)]
pub(super) struct ScopeState {
    /// Latest barrier packet on each byte, and the latest global one.
    latest: BTreeMap<MemoryId, IntervalMap<OpId>>,
    latest_global: Option<OpId>,
    /// First halves of split barriers whose second half has not come.
    splits: Vec<(ResourceId, OpId)>,
    /// Caches below the last level that work of the scope writes and reads through.
    written: Vec<CacheId>,
    read: Vec<CacheId>,
    /// Ways whose caches stand there already, and whether they go through the last level.
    noted: Vec<(Way, bool)>,
    /// Bytes in the last level that a client beside it reads later, or has written.
    to_clean: Vec<Extent>,
    to_drop: Vec<Extent>,
    /// Hulls of what synchronous copies have written, by block of memory (reading R20).
    copied: BTreeMap<MemoryId, (u64, u64)>,
    /// The `set-root`s in effect: graphics, compute.
    roots: [Option<NodeId>; 2],
    list: Option<ListId>,
    /// The engine that the latest work ran on.
    engine: Option<usize>,
    /// What the list has had since its latest wait.
    since_wait: SinceWait,
    /// Render passes to come, the next one last, and the one that goes on.
    pub(super) passes: Vec<Pass>,
    pub(super) pass: Option<Pass>,
    /// Attachments of a pass that has ended and is not stored.
    pub(super) store: Option<Slice<Extent>>,
}

/// How a use goes through the caches.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Way {
    client: Client,
    variant: Variant,
    writes: bool,
    has_texels: bool,
    has_metadata: bool,
}

/// What a list has had since its latest wait.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum SinceWait {
    /// It has only begun: no wait, no work.
    #[default]
    Begin,
    /// Nothing.
    Nothing,
    /// Work.
    Work,
}

/// Entries that a policy keeps for later, with what they will become.
pub type Pending<'s> = Vec<(Entry<'s>, Draft)>;

/// State of a pass over a timeline.
pub struct Session<'t, 's> {
    timeline: &'t Timeline<'s>,
    pub(super) profile: &'t Profile,
    layouts: LayoutTracker,
    pub(super) block: Block,
    pub(super) queue: QueueType,
    pub(super) scope: ScopeState,
    /// Resources that some client accesses beside the last level of cache.
    beside: Vec<bool>,
    beside_writes: Vec<bool>,
    /// The last levels.
    hubs: Vec<CacheId>,
    /// The most that each access can decode on the queue, by bit.
    decodes: Vec<Encoding>,
    /// Whether layouts store textures compressed.
    compresses: bool,
    /// Sets of ways, by resource.
    variants_of: Vec<VariantSet>,
    /// Every set of ways that resources of the scenario take, and whether one of them has metadata.
    variants: VariantSet,
    has_metadata: bool,
    /// Bytes whose contents were discarded and not written since, where that saves a load.
    pub(super) discarded: BTreeMap<MemoryId, IntervalMap<ResourceId>>,
    /// Fences that the text waits for outside the call that signals them.
    awaited: Vec<bool>,
    /// Submissions that had reached their queue when what they wait for came.
    handed: Vec<bool>,
    /// Fence barriers of the call that somebody outside it takes part in.
    steps: Vec<handover::Step>,
    /// What the policy keeps for later.
    pub pending: Pending<'s>,
    /// Operations of the kinds of barriers that came before.
    pub(super) known: Known,
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
            block: Block::default(),
            queue: QueueType::Direct,
            scope: ScopeState::default(),
            beside: vec![false; count],
            beside_writes: vec![false; count],
            hubs,
            decodes: surfaces::decodes(profile, QueueType::Direct),
            compresses: profile.compresses(),
            variants_of: Vec::with_capacity(count),
            variants: VariantSet::default(),
            has_metadata: false,
            discarded: BTreeMap::new(),
            awaited: handover::awaited(timeline),
            handed: handover::handed(timeline, profile),
            steps: Vec::new(),
            pending: Vec::new(),
            known: Known::default(),
        };
        for resource in timeline.scenario.resources.values() {
            let variants = surfaces::variants(profile, resource);
            session.variants = session.variants.union(variants);
            session.variants_of.push(variants);
            session.has_metadata |= session.compresses && is_compressible(resource);
        }
        session.find_beside();
        session
    }

    /// The profile.
    pub fn profile(&self) -> &'t Profile {
        self.profile
    }

    /// Marks the resources that the CPU, the display or another client beside the last level accesses.
    fn find_beside(&mut self) {
        let scenario = self.timeline.scenario;
        // A text uses a resource in few ways, and each many times.
        let mut known: Vec<SmallVec<[(BarrierAccess, QueueType, bool); 4]>> =
            vec![SmallVec::new(); self.beside.len()];
        for list in &scenario.lists {
            let queue = if list.queue_type == QueueType::Bundle {
                QueueType::Direct
            } else {
                list.queue_type
            };
            for usage in list.commands.iter().flat_map(|c| &c.uses) {
                let key = (usage.access, queue, usage.writes());
                let known = &mut known[usage.resource.index()];
                if usage.access.is_no_access() || known.contains(&key) {
                    continue;
                }
                known.push(key);
                let client = Client::of(usage.access, queue);
                if self
                    .ways(usage.resource, client)
                    .any(|path| path.iter().all(|c| !self.hubs.contains(c)))
                {
                    self.beside[usage.resource.index()] = true;
                    self.beside_writes[usage.resource.index()] |= usage.writes();
                }
            }
        }
        for submission in &self.timeline.submissions {
            match submission.kind {
                SubmissionKind::CpuRead { resource } => self.beside[resource.index()] = true,
                SubmissionKind::CpuWrite { resource } => {
                    self.beside[resource.index()] = true;
                    self.beside_writes[resource.index()] = true;
                }
                _ => {}
            }
        }
        for index in 0..self.beside.len() {
            self.beside[index] |= scenario.heap_type(ResourceId::new(index)) == HeapType::Readback;
        }
    }

    /// Every path that a client's accesses to a resource may take, to its metadata as well.
    fn ways(&self, resource: ResourceId, client: Client) -> impl Iterator<Item = &'t [CacheId]> {
        let declared = self.timeline.scenario.resource(resource);
        let profile = self.profile;
        let has_metadata = self.compresses && is_compressible(declared);
        let variants = surfaces::variants(profile, declared);
        variants.iter().flat_map(move |variant| {
            let texels = profile.texel_routes_of(variant);
            let metadata = has_metadata.then(|| profile.metadata_routes_of(variant));
            let routes = std::iter::once(texels).chain(metadata);
            routes.flat_map(move |routes| {
                let paths = routes.read_paths(client).iter();
                paths.map(move |path| routes.path(*path))
            })
        })
    }

    pub(super) fn submission(&mut self, policy: &dyn Policy, id: SubmissionId) -> Block {
        let submission = *self.timeline.submission(id);
        self.block = Block::default();
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
                let launch = if self.handed[id.index()] {
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
                self.push_held(id);
                let launch = if is_cpu {
                    costs.host_call
                } else {
                    handover::time(self.timeline, self.profile, id)
                };
                self.push(node, None, launch, handover::packet(self.timeline, id));
            }
            SubmissionKind::Object { .. } => {}
            SubmissionKind::Present { resource } => self.present(node, resource),
            SubmissionKind::CpuRead { resource } | SubmissionKind::CpuWrite { resource } => {
                let all = Range::All;
                let (range, mode) = match &submission.statement.kind {
                    StatementKind::CpuRead { range, .. } => (range, AccessMode::Read),
                    StatementKind::CpuWrite { range, .. } => (range, AccessMode::Write),
                    _ => (&all, AccessMode::Read),
                };
                self.client(
                    node,
                    crate::program::Client::Host,
                    resource,
                    range,
                    mode,
                    costs.host_call,
                );
            }
            SubmissionKind::CpuWork => {
                let takes = match submission.statement.kind {
                    StatementKind::CpuWork(takes) => takes,
                    _ => Ps::ZERO,
                };
                let client = ClientOp {
                    client: crate::program::Client::Host,
                    accesses: Slice::EMPTY,
                };
                self.push(node, None, takes, HwOpKind::Client(client));
            }
            SubmissionKind::Reset => {
                let queue = match submission.statement.kind {
                    StatementKind::Reset(queue) => queue,
                    _ => None,
                };
                let mut launch = costs.host_call;
                for queue in handover::stopped(self.timeline.scenario, queue) {
                    self.push(node, None, launch, HwOpKind::Reset { queue });
                    launch = Ps::ZERO;
                }
                let mut effects = self.timeline.resets.iter();
                let effect = effects.find(|effect| effect.reset == id);
                for fence in effect.iter().flat_map(|effect| &effect.jumps) {
                    let (fence, value) = (*fence, u64::MAX);
                    self.push(node, None, Ps::ZERO, HwOpKind::SignalFence { fence, value });
                }
            }
        }
        std::mem::take(&mut self.block)
    }

    /// Waits of the process that submits this to its queue.
    fn push_held(&mut self, id: SubmissionId) {
        for wait in handover::held_by(self.timeline, id) {
            let launch = handover::time(self.timeline, self.profile, wait);
            let node = self.timeline.submission(wait).first_node;
            self.push(node, None, launch, handover::packet(self.timeline, wait));
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

    fn present(&mut self, node: NodeId, resource: ResourceId) {
        let extents = self.extents(resource, &Range::All);
        let mut steps = Vec::new();
        for cache in self.hubs.clone() {
            let kind = StepKind::Clean {
                cache,
                reach: Reach::Extents(extents),
            };
            steps.push(Step {
                kind,
                why: Why::Text("the display reads memory"),
            });
        }
        let steps = Slice::push(&mut self.block.steps, steps);
        let barrier = BarrierOp {
            role: BarrierRole::Present,
            wait: LeafSet::ALL,
            after: Slice::EMPTY,
            after_all: true,
            steps,
            hold: LeafSet::ALL,
        };
        let costs = &self.profile.costs;
        self.push(node, None, costs.launch_barrier, HwOpKind::Barrier(barrier));
        let mode = AccessMode::Read;
        self.client(
            node,
            crate::program::Client::Display,
            resource,
            &Range::All,
            mode,
            costs.launch_other,
        );
    }

    fn client(
        &mut self,
        node: NodeId,
        client: crate::program::Client,
        resource: ResourceId,
        range: &Range,
        mode: AccessMode,
        launch: Ps,
    ) {
        let extents = self.extents(resource, range);
        let hardware_client = match client {
            crate::program::Client::Host => Client::Host,
            crate::program::Client::Display => Client::Display,
        };
        let declared = self.timeline.scenario.resource(resource);
        // The display reads what a present asks for (reading R30), however that is stored.
        let encoding = match client {
            crate::program::Client::Display if self.compresses && is_compressible(declared) => {
                let variant = surfaces::variants(self.profile, declared).first();
                let queue = QueueType::Direct;
                encoding_of(self.profile.layout_class(Layout::Common, queue, variant))
            }
            _ => Encoding::Plain,
        };
        let metadata = self.profile.metadata_routes().read_paths(hardware_client)[0];
        let access = Access {
            mode,
            access: BarrierAccess::empty(),
            stages: LeafSet::EMPTY,
            path: self.profile.read_paths(hardware_client)[0],
            metadata: (encoding != Encoding::Plain).then_some(metadata),
            clears: false,
            resource,
            encoding,
            undefined: false,
            initialises: false,
            atomic: false,
            independent: false,
            use_node: node,
            use_index: 0,
            extents,
        };
        let accesses = Slice::push(&mut self.block.accesses, [access]);
        self.push(
            node,
            None,
            launch,
            HwOpKind::Client(ClientOp { client, accesses }),
        );
    }

    pub(super) fn extents(&mut self, resource: ResourceId, range: &Range) -> Slice<Extent> {
        let start = self.block.extents.len();
        let table = &mut self.block.extents;
        self.timeline
            .memory
            .for_each_extent(self.timeline.scenario, resource, range, |e| table.push(e));
        Slice::since(&self.block.extents, start)
    }

    /// One ExecuteCommandLists scope: it begins with fresh caches and ends finished and flushed (reading R22).
    fn execute(&mut self, policy: &dyn Policy, id: SubmissionId, node: NodeId, launch: Ps) {
        let begin = BarrierOp {
            role: BarrierRole::ScopeBegin,
            wait: LeafSet::EMPTY,
            after: Slice::EMPTY,
            after_all: true,
            steps: Slice::EMPTY,
            hold: LeafSet::ALL,
        };
        self.push(node, None, launch, HwOpKind::Barrier(begin));
        self.push_held(id);
        let timeline = self.timeline;
        self.steps = handover::steps(timeline, id, &self.awaited);
        if policy.keeps_passes() {
            self.scope.passes = passes::passes(timeline, self.profile, id, self.queue);
            self.scope.passes.reverse();
        }
        let mut last = node;
        for (node, list, command) in timeline.commands(id) {
            if self.scope.list != Some(list)
                && timeline.scenario.lists[list.index()].queue_type != QueueType::Bundle
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
        debug_assert!(self.pending.is_empty(), "nothing is kept beyond its scope");
        self.store_now(last);
        self.end_scope(last);
        self.fill_scope_begin();
    }

    /// The queue goes on to the next list of a call. A machine that waits for whole queues does so here as well.
    fn next_list(&mut self, node: NodeId) {
        let leaves = if self.profile.drains_queue {
            LeafSet::ALL
        } else {
            LeafSet::EMPTY
        };
        let jump = BarrierOp {
            role: BarrierRole::ScopeBegin,
            wait: leaves,
            after: Slice::EMPTY,
            after_all: false,
            steps: Slice::EMPTY,
            hold: leaves,
        };
        self.scope.since_wait = SinceWait::Begin;
        let launch = self.profile.costs.submit_list;
        self.push(node, None, launch, HwOpKind::Barrier(jump));
    }

    /// Work of one engine never overlaps work of another on the same queue: what goes before ends first.
    fn switch_engine(&mut self, node: NodeId, leaf: Option<Leaf>) {
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
        let steps = Slice::push(&mut self.block.steps, steps);
        let op = self.hidden(node, LeafSet::ALL, steps);
        // Where a switch is no wait of its own, it begins when the barriers before it are over.
        if let HwOpKind::Barrier(switch) = &mut self.block.ops[op.index()].kind {
            switch.after_all = self.profile.switch_waits_free;
        }
    }

    fn end_scope(&mut self, node: NodeId) {
        let mut steps = Vec::new();
        let why = Why::Text("a scope ends finished and flushed");
        for cache in std::mem::take(&mut self.scope.written) {
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
            let why = Why::Text("a client beside this cache accesses these bytes");
            for cache in &self.hubs {
                let kind = StepKind::Clean {
                    cache: *cache,
                    reach: Reach::Extents(extents),
                };
                steps.push(Step { kind, why });
            }
        }
        let steps = Slice::push(&mut self.block.steps, steps);
        let end = BarrierOp {
            role: BarrierRole::ScopeEnd,
            wait: LeafSet::ALL,
            after: Slice::EMPTY,
            after_all: true,
            steps,
            hold: LeafSet::ALL,
        };
        self.push(
            node,
            None,
            self.profile.costs.launch_barrier,
            HwOpKind::Barrier(end),
        );
    }

    /// Now that it is known what the scope's work reads through, its begin can make that fresh.
    fn fill_scope_begin(&mut self) {
        let mut steps = Vec::new();
        let why = Why::Text("earlier scopes and other queues may have written");
        for cache in std::mem::take(&mut self.scope.read) {
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
            let why = Why::Text("a client beside this cache has written these bytes");
            for cache in &self.hubs {
                let kind = StepKind::Invalidate {
                    cache: *cache,
                    reach: Reach::Extents(extents),
                };
                steps.push(Step { kind, why });
            }
        }
        let steps = Slice::push(&mut self.block.steps, steps);
        if let Some(HwOp {
            kind: HwOpKind::Barrier(begin),
            ..
        }) = self.block.ops.first_mut()
        {
            begin.steps = steps;
        }
    }

    fn command(&mut self, policy: &dyn Policy, node: NodeId, list: ListId, command: &'s Command) {
        match &command.kind {
            CommandKind::Barrier(entries) => self.barriers(policy, node, entries),
            CommandKind::FenceBarrier {
                signal, barriers, ..
            } => {
                let step = self.steps.iter().find(|step| step.node == node);
                let packet = step.map(|step| (step.packet(), step.time(self.timeline, self.profile)));
                if *signal {
                    self.barriers(policy, node, barriers);
                }
                if let Some((packet, launch)) = packet {
                    self.push(node, None, launch, packet);
                }
                if !*signal {
                    self.barriers(policy, node, barriers);
                }
            }
            CommandKind::SetRoot { compute } => self.scope.roots[usize::from(*compute)] = Some(node),
            CommandKind::MarkerBegin { .. }
            | CommandKind::MarkerEnd
            | CommandKind::ExecuteBundle { .. }
            | CommandKind::AssertAccess { .. }
            | CommandKind::AssertLayout { .. }
            // Translated before the timeline is made.
            | CommandKind::Legacy(_) => {}
            _ => self.work(policy, node, list, command),
        }
    }

    fn work(&mut self, policy: &dyn Policy, node: NodeId, list: ListId, command: &'s Command) {
        let scenario = self.timeline.scenario;
        if matches!(command.kind, CommandKind::Predicate) && command.uses.is_empty() {
            return;
        }
        let is_copy = matches!(
            command.kind,
            CommandKind::Copy | CommandKind::Resolve | CommandKind::Discard
        );
        policy.before_work(self, command);
        self.store_now(node);
        if self.scope.passes.last().is_some_and(|p| p.first == node) {
            self.begin_pass(node);
        }
        if is_copy {
            self.see_earlier_copies(node, command);
        }
        let from = self.block.accesses.len();
        let mut size = work::Size::default();
        for (index, usage) in command.uses.iter().enumerate() {
            let bytes = self.usage(node, index, usage, &command.kind);
            size.add(scenario, usage, bytes);
        }
        let bind_point = match &command.kind {
            CommandKind::Draw { .. } => Some(0),
            CommandKind::Dispatch { .. } | CommandKind::DispatchRays { .. } => Some(1),
            CommandKind::ExecuteIndirect { target, .. } => Some(usize::from(!matches!(
                target,
                crate::scenario::IndirectTarget::Draw
            ))),
            _ => None,
        };
        if let Some(root) = bind_point.and_then(|b| self.scope.roots[b])
            && let Some(set) = self.timeline.command(root)
        {
            for (index, usage) in set.uses.iter().enumerate() {
                self.usage(root, index, usage, &set.kind);
            }
        }
        let accesses = Slice::since(&self.block.accesses, from);
        size.fast_clear = accesses.of(&self.block.accesses).iter().any(|a| a.clears);
        let stages = work::stages(self.profile, command, &size, self.queue);
        let tasks = &stages.tasks;
        let last = tasks.last().map(|t: &Task| t.leaf);
        self.switch_engine(node, tasks.last().map(|t| t.price));
        self.scope.since_wait = SinceWait::Work;
        let busy = work::front_end_busy(self.profile, command, tasks);
        let work = Work {
            tasks: Slice::push(&mut self.block.tasks, tasks.iter().copied()),
            accesses,
            groups: Slice::push(&mut self.block.groups, stages.groups),
        };
        let op = self.push(node, None, stages.launch, HwOpKind::Work(work));
        self.block.ops[op.index()].tail = busy;
        if self.scope.pass.as_ref().is_some_and(|p| p.last == node) {
            self.end_pass();
        }
        let asynchronous =
            scenario.device.asynchronous_copies || scenario.lists[list.index()].extended_async;
        if is_copy && !asynchronous {
            self.synchronous(node, last.unwrap_or(Leaf::Copy), accesses);
        }
    }

    /// Stages at which a command has work.
    pub fn stages_of(&self, command: &Command) -> LeafSet {
        let size = work::Size {
            indexed: true,
            ..work::Size::default()
        };
        let stages = work::stages(self.profile, command, &size, self.queue);
        let leaves = stages.tasks.iter().map(|task| LeafSet::from(task.leaf));
        leaves.fold(LeafSet::EMPTY, LeafSet::union)
    }

    /// The later half of reading R20: later copies, resolves and discards see what earlier ones have written.
    fn see_earlier_copies(&mut self, node: NodeId, command: &Command) {
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
        let steps = Slice::push(&mut self.block.steps, steps);
        self.hidden(node, LeafSet::EMPTY, steps);
    }

    /// Caches in which a reader may have old lines of what a copy or resolve has written.
    fn stale_after_copies(&self, resource: ResourceId, reader: Client) -> Vec<CacheId> {
        let resource = self.timeline.scenario.resource(resource);
        let has_metadata = self.compresses && is_compressible(resource);
        let mut caches = Vec::new();
        for variant in surfaces::variants(self.profile, resource).iter() {
            let texels = self.profile.texel_routes_of(variant);
            let metadata = has_metadata.then(|| self.profile.metadata_routes_of(variant));
            for routes in std::iter::once(texels).chain(metadata) {
                for write in [BarrierAccess::COPY_DEST, BarrierAccess::RESOLVE_DEST] {
                    let write = Client::of(write, self.queue);
                    caches.extend(derive::needed_to_reach(routes, write, reader).invalidate);
                }
            }
            if let Some(routes) = metadata {
                // Metadata beside a copy that ignores it is the driver's.
                let driver = Client::LayoutOperation;
                caches.extend(derive::needed_to_reach(routes, driver, reader).invalidate);
            }
        }
        caches
    }

    /// The first half of reading R20: a synchronous copy has finished, and its writes are in memory, before later work.
    fn synchronous(&mut self, node: NodeId, leaf: Leaf, accesses: Slice<Access>) {
        let mut steps = Vec::new();
        for access in accesses
            .of(&self.block.accesses)
            .iter()
            .filter(|a| a.mode == AccessMode::Write)
        {
            let paths = std::iter::once(access.path).chain(access.metadata);
            for cache in paths.flat_map(|path| self.profile.path(path)) {
                let write_back =
                    self.profile.cache(*cache).policy == hardware::WritePolicy::WriteBack;
                if write_back && !self.hubs.contains(cache) {
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
        let steps = Slice::push(&mut self.block.steps, steps);
        self.hidden(node, leaf.into(), steps);
    }

    /// A barrier that nobody wrote.
    fn hidden(&mut self, node: NodeId, wait: LeafSet, steps: Slice<Step>) -> OpId {
        let after = Slice::push(&mut self.block.after, [SCOPE_BEGIN]);
        let barrier = BarrierOp {
            role: BarrierRole::Synchronous,
            wait,
            after,
            after_all: false,
            steps,
            hold: LeafSet::ALL,
        };
        // It is part of the copy's own packets and costs the front end nothing more.
        self.push(node, None, Ps::ZERO, HwOpKind::Barrier(barrier))
    }

    /// The layout of a range, as its first subresource has it.
    fn layout_of(&self, resource: ResourceId, range: &Range) -> Option<Layout> {
        let shape = self.timeline.scenario.resource(resource).texture()?;
        let sub = geometry::subresource_box(shape, range).ok()?;
        let first = shape.index(sub.mips.0, sub.layers.0, sub.planes.0);
        Some(self.layouts.get(resource, first))
    }

    /// Appends the accesses of one use. Returns its bytes.
    fn usage(&mut self, node: NodeId, index: usize, usage: &Use, kind: &CommandKind) -> u64 {
        let layout = self.layout_of(usage.resource, &usage.range);
        let (access, stages) = if usage.access.is_no_access() {
            discard_access(layout)
        } else {
            (usage.access, usage.stages)
        };
        let client = Client::of(access, self.queue);
        let atomic = usage.mode == UseMode::Atomics;
        let client = if atomic { Client::Atomic } else { client };
        let whole = !matches!(&usage.range, Range::Subresources(range) if range.rect.is_some());
        let initialises = whole
            && matches!(
                kind,
                CommandKind::Copy
                    | CommandKind::Resolve
                    | CommandKind::ClearRtv
                    | CommandKind::ClearDsv
                    | CommandKind::ClearUav
                    | CommandKind::Discard
            );
        let template = Access {
            mode: AccessMode::Read,
            access,
            stages,
            path: PathId(0),
            metadata: None,
            resource: usage.resource,
            encoding: Encoding::Plain,
            clears: matches!(kind, CommandKind::ClearRtv | CommandKind::ClearDsv),
            undefined: matches!(kind, CommandKind::Discard),
            initialises,
            atomic,
            independent: usage.independent,
            use_node: node,
            use_index: u16::try_from(index).unwrap_or(u16::MAX),
            extents: Slice::EMPTY,
        };
        if let Some(variant) = self.variants_of[usage.resource.index()].only() {
            let extents = self.extents(usage.resource, &usage.range);
            let template = Access {
                extents,
                ..template
            };
            return self.part(usage, (client, layout), variant, template);
        }
        let mut bytes = 0;
        for (variant, extents) in self.parts(usage.resource, &usage.range) {
            let template = Access {
                extents,
                ..template
            };
            bytes += self.part(usage, (client, layout), variant, template);
        }
        bytes
    }

    /// Appends the accesses of the part of a use that takes one set of ways. Returns its bytes.
    fn part(
        &mut self,
        usage: &Use,
        (client, layout): (Client, Option<Layout>),
        variant: Variant,
        template: Access,
    ) -> u64 {
        let profile = self.profile;
        let resource = self.timeline.scenario.resource(usage.resource);
        let encoding = match layout {
            Some(layout) if self.compresses && is_compressible(resource) => {
                encoding_of(profile.layout_class(layout, self.queue, variant))
                    .min(self.decodes[template.access.bits().trailing_zeros() as usize])
            }
            _ => Encoding::Plain,
        };
        let texels = profile.texel_routes_of(variant);
        let metadata = (encoding != Encoding::Plain).then(|| profile.metadata_routes_of(variant));
        let in_tile = self.in_tile(template.access);
        let read = Access {
            path: in_tile.unwrap_or_else(|| texels.read_path(client, template.stages)),
            metadata: metadata.map(|routes| routes.read_paths(client)[0]),
            encoding,
            clears: false,
            ..template
        };
        if usage.reads() && !template.undefined {
            self.block.accesses.push(read);
        }
        if usage.writes() {
            let first = |routes: Routes<'_>| routes.write_paths(client).next();
            self.block.accesses.push(Access {
                mode: AccessMode::Write,
                path: in_tile.or_else(|| first(texels)).unwrap_or(read.path),
                metadata: metadata.and_then(first).or(read.metadata),
                clears: template.clears && encoding == Encoding::FastCleared,
                ..read
            });
        }
        if profile.tile_pass.is_some() && usage.writes() {
            if template.undefined {
                self.note_discarded(usage.resource, template.extents);
            } else {
                self.note_written(template.extents);
            }
        }
        let way = Way {
            client,
            variant,
            writes: usage.writes(),
            has_texels: in_tile.is_none(),
            has_metadata: metadata.is_some(),
        };
        self.note_use(usage, way, template.extents);
        let extents = template.extents.of(&self.block.extents).iter();
        extents.map(|e| e.len()).sum()
    }

    /// The bytes of a use, by the ways that they take.
    fn parts(&mut self, resource: ResourceId, range: &Range) -> Vec<(Variant, Slice<Extent>)> {
        let declared = self.timeline.scenario.resource(resource);
        let ResourceKind::Texture(shape) = &declared.kind else {
            return vec![(Variant::default(), self.extents(resource, range))];
        };
        let Ok(sub) = geometry::subresource_box(shape, range) else {
            return vec![(Variant::default(), self.extents(resource, range))];
        };
        let parts = surfaces::parts(self.profile, shape, &sub);
        if let [(variant, _)] = parts.as_slice() {
            return vec![(*variant, self.extents(resource, range))];
        }
        let Some(whole) = self.timeline.memory.whole(resource) else {
            return Vec::new();
        };
        let mut found = Vec::with_capacity(parts.len());
        for (variant, sub) in parts {
            let runs = geometry::box_byte_runs(shape, &sub);
            let extents = runs.into_iter().map(|(start, end)| Extent {
                memory: whole.memory,
                start: whole.start + start,
                end: whole.start + end,
            });
            found.push((variant, Slice::push(&mut self.block.extents, extents)));
        }
        found
    }

    /// Remembers what the scope's begin and end must do for a use.
    fn note_use(&mut self, usage: &Use, way: Way, extents: Slice<Extent>) {
        let resource = usage.resource;
        let noted = self.scope.noted.iter().find(|(noted, _)| *noted == way);
        let through_hub = match noted {
            Some((_, through_hub)) => *through_hub,
            None => {
                let through_hub = self.note_way(way);
                self.scope.noted.push((way, through_hub));
                through_hub
            }
        };
        if !through_hub {
            return;
        }
        let extents = extents.of(&self.block.extents);
        if way.writes && self.beside[resource.index()] {
            note_extents(&mut self.scope.to_clean, extents);
        }
        if self.beside_writes[resource.index()] {
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

    fn barriers(&mut self, policy: &dyn Policy, node: NodeId, entries: &'s [Barrier]) {
        for (index, barrier) in entries.iter().enumerate() {
            if matches!(barrier.target, BarrierTarget::EmptyGroup(_)) {
                continue;
            }
            let entry = self.read_entry(
                BarrierRef {
                    node,
                    entry: index as u32,
                },
                barrier,
            );
            if self.scope.pass.is_some() {
                let draft = entry.draft(entry.before.stages, entry.after.stages);
                self.packet(&entry, draft, Vec::new());
            } else {
                policy.entry(self, &entry);
            }
            if let (true, Some(resource), BarrierTarget::Texture { discard: true, .. }) = (
                self.profile.tile_pass.is_some(),
                entry.resource,
                &barrier.target,
            ) {
                self.note_discarded(resource, entry.extents);
            }
            if entry.acts() {
                self.layouts.apply(self.timeline.scenario, barrier);
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
        let traits = resource.map(|r| scenario.traits(r));
        let (queue, access) = (self.queue, (barrier.access_before, barrier.access_after));
        let (before, after) = sides(scenario, queue, barrier);
        let every = Scope::new(
            barrier.sync_before,
            BarrierAccess::COMMON,
            None,
            queue,
            traits,
        );
        // SYNC_NONE says that nothing in this scope accessed it before: then nothing is given up.
        let names_work = !every.stages.is_empty() && access.0 == BarrierAccess::NO_ACCESS;
        let given_up = if resource.is_some() && names_work {
            every.accesses & BarrierAccess::WRITES
        } else {
            BarrierAccess::empty()
        };
        let discard = matches!(barrier.target, BarrierTarget::Texture { discard: true, .. });
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

    /// The sets of ways that the bytes of a barrier take; those of a global one may be any.
    fn variants_of(&self, barrier: &Barrier, resource: Option<ResourceId>) -> VariantSet {
        let Some(resource) = resource else {
            return self.variants;
        };
        let declared = self.timeline.scenario.resource(resource);
        match (&declared.kind, &barrier.target) {
            (ResourceKind::Texture(shape), BarrierTarget::Texture { range, .. })
                if !self.profile.exceptions.is_empty() =>
            {
                let sub = geometry::barrier_box(shape, range);
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
                self.compresses && is_compressible(self.timeline.scenario.resource(resource))
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
        let op = profile.layout_op_between(LayoutClass::Undefined, to, depth);
        op.map_or_else(Vec::new, |op| profile.layout_op(op).caches.clone())
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
        if !is_compressible(declared) || extents.is_empty() {
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
        if !self.profile.layout_op(op).caches.is_empty() {
            return None;
        }
        Some(LayoutDraft {
            op,
            resource,
            extents,
            act: surfaces::act(self.profile.layout_op(op), from, to),
            initialise: discard,
        })
    }

    /// Whether the latest work of the list was the copy engine's.
    pub fn is_copying(&self) -> bool {
        let copies = self.profile.engine_of(Leaf::Copy);
        copies.is_some() && self.scope.engine == copies
    }

    /// Whether a resource is a depth buffer.
    pub fn is_depth(&self, resource: ResourceId) -> bool {
        let resource = self.timeline.scenario.resource(resource);
        resource.flags.contains(ResourceFlags::DEPTH_STENCIL)
    }

    /// What the list has had since its latest wait.
    pub fn since_wait(&self) -> SinceWait {
        self.scope.since_wait
    }

    /// Whether the queue is set up for graphics, as far as its list goes.
    pub fn is_graphics(&self) -> bool {
        let pixels = self.profile.engine_of(Leaf::PixelShading);
        self.queue == QueueType::Direct
            && (self.scope.engine.is_none() || self.scope.engine == pixels)
    }

    /// Emits the packet of an entry.
    pub fn barrier(&mut self, entry: &Entry<'_>, draft: Draft) -> OpId {
        let steps = steps_of(entry, &draft);
        self.packet(entry, draft, steps)
    }

    /// Emits one packet for several entries, in their order: one wait, their operations, one hold. It stands for the
    /// last entry; the others have empty packets.
    pub fn merged(&mut self, mut entries: Pending<'_>) {
        let Some((last, mut all)) = entries.pop() else {
            return;
        };
        if entries.is_empty() {
            self.barrier(&last, all);
            return;
        }
        let mut steps = Vec::new();
        for (entry, draft) in &entries {
            steps.extend(steps_of(entry, draft));
            all.wait = all.wait.union(draft.wait);
            all.hold = all.hold.union(draft.hold);
            let empty = entry.draft(LeafSet::EMPTY, LeafSet::EMPTY);
            self.packet(entry, empty, Vec::new());
        }
        steps.extend(steps_of(&last, &all));
        if !steps
            .iter()
            .any(|step| matches!(step.kind, StepKind::Layout { .. }))
        {
            // Nothing stands between write-backs and drops: all of the one, then all of the other, each once.
            steps.sort_by_key(|step| rank(&step.kind));
            steps.dedup_by(|a, b| same_whole(&a.kind, &b.kind));
        }
        // It follows whatever any of its entries would follow.
        all.after_all = true;
        self.packet(&last, all, steps);
    }

    fn packet(&mut self, entry: &Entry<'_>, draft: Draft, steps: Vec<Step>) -> OpId {
        if !draft.wait.is_empty() {
            self.scope.since_wait = SinceWait::Nothing;
        }
        let is_global = entry.resource.is_none();
        // Reading R12: barriers compose directly on a common subresource, if one is global, or if the later SyncBefore
        // has every leaf.
        let every = entry.before.stages.contains(self.queue.leaves());
        let after_all = draft.after_all || is_global || every;
        let after = if after_all {
            Vec::new()
        } else {
            self.earlier(entry)
        };
        let after = Slice::push(&mut self.block.after, after);
        let mut steps = steps;
        // A barrier that waits for all of a pass and holds whatever follows carries its store; none else can.
        if self.scope.store.is_some() {
            let every = self.queue.leaves();
            if draft.wait.contains(every) && draft.hold.contains(every) {
                steps.splice(0..0, self.store_step());
            } else {
                self.store_now(entry.id.node);
            }
        }
        let steps = Slice::push(&mut self.block.steps, steps);
        let role = if self.scope.pass.is_some() {
            BarrierRole::ByRegion
        } else if entry.is_split_begin {
            BarrierRole::SplitBegin
        } else if entry.is_split_end {
            BarrierRole::SplitEnd
        } else {
            BarrierRole::Whole
        };
        let kind = HwOpKind::Barrier(BarrierOp {
            role,
            wait: draft.wait,
            after,
            after_all,
            steps,
            hold: draft.hold,
        });
        let op = self.push(
            entry.id.node,
            Some(entry.id.entry),
            self.profile.costs.launch_barrier,
            kind,
        );
        if is_global {
            self.scope.latest_global = Some(op);
        }
        for extent in entry.extents.of(&self.block.extents) {
            self.scope
                .latest
                .entry(extent.memory)
                .or_default()
                .set(extent.start, extent.end, op);
        }
        if let (Some(resource), true) = (entry.resource, entry.is_split_begin) {
            self.scope.splits.push((resource, op));
        }
        op
    }

    /// Packets that an entry must follow.
    fn earlier(&mut self, entry: &Entry<'_>) -> Vec<OpId> {
        let mut after: Vec<OpId> = vec![SCOPE_BEGIN];
        after.extend(self.scope.latest_global);
        for extent in entry.extents.of(&self.block.extents) {
            if let Some(latest) = self.scope.latest.get(&extent.memory) {
                latest.for_each(extent.start, extent.end, |_, _, op| insert(&mut after, op));
            }
        }
        if entry.is_split_end {
            let splits = &mut self.scope.splits;
            splits.retain(|(resource, op)| {
                let mine = Some(*resource) == entry.resource;
                if mine {
                    insert(&mut after, *op);
                }
                !mine
            });
        }
        after
    }
}

/// The operations of an entry, on its bytes.
fn steps_of(entry: &Entry<'_>, draft: &Draft) -> Vec<Step> {
    let reach = |everything: bool| {
        if everything || entry.resource.is_none() {
            Reach::Everything
        } else {
            Reach::Extents(entry.extents)
        }
    };
    let steps = draft.steps.iter();
    steps.map(|step| make_step(step, reach)).collect()
}

fn rank(kind: &StepKind) -> (u8, CacheId) {
    match kind {
        StepKind::Clean { cache, .. } => (0, *cache),
        StepKind::Invalidate { cache, .. } => (1, *cache),
        _ => (2, CacheId(0)),
    }
}

/// Whether two steps do the same to a whole cache.
fn same_whole(a: &StepKind, b: &StepKind) -> bool {
    let whole = |kind: &StepKind| {
        matches!(
            kind,
            StepKind::Clean {
                reach: Reach::Everything,
                ..
            } | StepKind::Invalidate {
                reach: Reach::Everything,
                ..
            } | StepKind::FrontEnd
        )
    };
    whole(a) && whole(b) && rank(a) == rank(b)
}

fn make_step(draft: &StepDraft, reach: impl Fn(bool) -> Reach) -> Step {
    match *draft {
        StepDraft::Clean {
            cache,
            everything,
            why,
        } => Step {
            kind: StepKind::Clean {
                cache,
                reach: reach(everything),
            },
            why,
        },
        StepDraft::Invalidate {
            cache,
            everything,
            why,
        } => Step {
            kind: StepKind::Invalidate {
                cache,
                reach: reach(everything),
            },
            why,
        },
        StepDraft::Layout(LayoutDraft {
            op,
            resource,
            extents,
            act,
            initialise,
        }) => Step {
            kind: StepKind::Layout {
                op,
                resource,
                extents,
                act,
                initialise,
            },
            why: if initialise {
                Why::Text("the contents are discarded and the metadata initialised")
            } else {
                Why::Text("the two layouts store texels differently")
            },
        },
        StepDraft::FrontEnd { why } => Step {
            kind: StepKind::FrontEnd,
            why,
        },
        StepDraft::Driver { op, takes, why } => Step {
            kind: StepKind::Driver { op, takes },
            why,
        },
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

/// The access of a `discard` command: the write access of the current layout, at that access's stage.
fn discard_access(layout: Option<Layout>) -> (BarrierAccess, LeafSet) {
    match layout {
        Some(Layout::RenderTarget) => (BarrierAccess::RENDER_TARGET, Leaf::RenderTarget.into()),
        Some(Layout::DepthStencilWrite) => (
            BarrierAccess::DEPTH_STENCIL_WRITE,
            Leaf::DepthStencil.into(),
        ),
        Some(
            Layout::CopyDest
            | Layout::DirectQueueCopyDest
            | Layout::ComputeQueueCopyDest
            | Layout::Common,
        ) => (BarrierAccess::COPY_DEST, Leaf::Copy.into()),
        Some(Layout::ResolveDest) => (BarrierAccess::RESOLVE_DEST, Leaf::Resolve.into()),
        _ => (BarrierAccess::UNORDERED_ACCESS, Leaf::ComputeShading.into()),
    }
}
