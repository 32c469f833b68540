//! Clients that are no commands: the CPU and the display, and the resources that someone accesses past the last level
//! of cache.

use super::Session;
use crate::api::{BarrierAccess, HeapType, Layout, LeafSet, QueueType};
use crate::hardware::Client;
use crate::id::{CacheId, Extent, NodeId, ResourceId, Table};
use crate::lower::surfaces::{self, encoding_of, is_compressible};
use crate::order::{MemoryMap, SubmissionKind};
use crate::program::{
    self, Access, AccessMode, BarrierOp, BarrierRole, ClientOp, Encoding, HwOpKind, Reach, Slice,
    Step, StepKind, Why,
};
use crate::scenario::{Range, StatementKind};
use crate::time::Ps;
use smallvec::SmallVec;

impl<'t> Session<'t, '_> {
    /// Marks the resources that the CPU, the display or another client past the last level accesses.
    pub(super) fn find_past_hub(&mut self) {
        let scenario = self.timeline.scenario;
        // A text uses a resource in few ways, and each many times.
        let nothing = SmallVec::<[_; 4]>::new();
        let mut known: Table<ResourceId, _> = Table::filled(self.past_hub.len(), nothing);
        for list in &scenario.lists {
            let queue = if list.queue_type == QueueType::Bundle {
                QueueType::Direct
            } else {
                list.queue_type
            };
            for usage in list.commands.iter().flat_map(|c| &c.uses) {
                let key = (usage.access, queue, usage.writes());
                let known = &mut known[usage.resource];
                if usage.access.is_no_access() || known.contains(&key) {
                    continue;
                }
                known.push(key);
                let client = Client::of(usage.access, queue);
                if self.goes_past_hub(usage.resource, client) {
                    self.past_hub[usage.resource] = true;
                    self.written_past_hub[usage.resource] |= usage.writes();
                }
            }
        }
        for submission in self.timeline.submissions.iter() {
            match submission.kind {
                SubmissionKind::CpuRead { resource } => self.past_hub[resource] = true,
                SubmissionKind::CpuWrite { resource } => {
                    self.past_hub[resource] = true;
                    self.written_past_hub[resource] = true;
                }
                _ => {}
            }
        }
        // Layout operations are clients too.
        for id in scenario.resources.ids() {
            if self.is_rewritten(id) && self.goes_past_hub(id, Client::LayoutOperation) {
                self.past_hub[id] = true;
                self.written_past_hub[id] = true;
            }
        }
        for id in scenario.resources.ids() {
            self.past_hub[id] |= scenario.heap_type(id) == HeapType::Readback;
        }
        let memory = &self.timeline.memory;
        share_with_aliases(memory, &mut self.past_hub);
        share_with_aliases(memory, &mut self.written_past_hub);
    }

    /// Whether some layout operation may rewrite a resource.
    fn is_rewritten(&self, resource: ResourceId) -> bool {
        let mut ops = self.profile.layout_ops.iter();
        ops.any(|op| op.caches.is_empty())
            && is_compressible(self.profile, self.timeline.scenario.resource(resource))
    }

    /// Whether some path of a client to a resource is not through a last level.
    fn goes_past_hub(&self, resource: ResourceId, client: Client) -> bool {
        self.ways(resource, client)
            .any(|path| path.iter().all(|cache| !self.hubs.contains(cache)))
    }

    /// Every path that a client's accesses to a resource and to its metadata may take.
    fn ways(&self, resource: ResourceId, client: Client) -> impl Iterator<Item = &'t [CacheId]> {
        let declared = self.timeline.scenario.resource(resource);
        let profile = self.profile;
        let has_metadata = is_compressible(self.profile, declared);
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

    pub(super) fn present(&mut self, node: NodeId, resource: ResourceId) {
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
        let barrier = BarrierOp::of_everything(BarrierRole::Present, steps);
        let costs = &self.profile.costs;
        self.push(node, None, costs.launch_barrier, HwOpKind::Barrier(barrier));
        let mode = AccessMode::Read;
        self.client(
            node,
            program::Client::Display,
            resource,
            &Range::All,
            mode,
            costs.launch_other,
        );
    }

    pub(super) fn cpu_access(
        &mut self,
        node: NodeId,
        resource: ResourceId,
        statement: &StatementKind,
    ) {
        let (range, mode) = match statement {
            StatementKind::CpuWrite { range, .. } => (range, AccessMode::Write),
            StatementKind::CpuRead { range, .. } => (range, AccessMode::Read),
            _ => (&Range::All, AccessMode::Read),
        };
        let launch = self.profile.costs.host_call;
        self.client(node, program::Client::Host, resource, range, mode, launch);
    }

    pub(super) fn cpu_work(&mut self, node: NodeId, statement: &StatementKind) {
        let takes = match statement {
            StatementKind::CpuWork(takes) => *takes,
            _ => Ps::ZERO,
        };
        let client = ClientOp {
            client: program::Client::Host,
            accesses: Slice::EMPTY,
        };
        self.push(node, None, takes, HwOpKind::Client(client));
    }

    /// A packet of the CPU or the display that touches memory.
    fn client(
        &mut self,
        node: NodeId,
        client: program::Client,
        resource: ResourceId,
        range: &Range,
        mode: AccessMode,
        launch: Ps,
    ) {
        let extents = self.extents(resource, range);
        let hardware_client = match client {
            program::Client::Host => Client::Host,
            program::Client::Display => Client::Display,
        };
        let declared = self.timeline.scenario.resource(resource);
        // The display reads what a present asks for (reading R30), however that is stored.
        let encoding = match client {
            program::Client::Display if is_compressible(self.profile, declared) => {
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
            of_root: false,
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
}

/// Marks every resource that shares memory with a marked one: what a client does to bytes, it does to each of their names.
/// A pass over the resources in order of their memory.
fn share_with_aliases(memory: &MemoryMap, marks: &mut [bool]) {
    if !marks.contains(&true) {
        return;
    }
    let resources = (0..marks.len()).map(ResourceId::new);
    let mut wholes: Vec<(Extent, usize)> = resources
        .filter(|id| memory.is_aliased(*id))
        .filter_map(|id| Some((memory.whole(id)?, id.index())))
        .collect();
    let key = |(extent, index): &(Extent, usize)| (extent.memory, extent.start, *index);
    // Ascending: what a marked extent before reaches. Descending: what a marked extent after begins in.
    wholes.sort_unstable_by_key(key);
    let marked = marks.to_vec();
    let mut reach: Option<Extent> = None;
    for (extent, index) in &wholes {
        marks[*index] |= reach.is_some_and(|r| r.memory == extent.memory && extent.start < r.end);
        let farther = reach.is_none_or(|r| r.memory != extent.memory || r.end < extent.end);
        if marked[*index] && farther {
            reach = Some(*extent);
        }
    }
    let mut next: Option<Extent> = None;
    for (extent, index) in wholes.iter().rev() {
        marks[*index] |= next.is_some_and(|n| n.memory == extent.memory && n.start < extent.end);
        if marked[*index] {
            next = Some(*extent);
        }
    }
}
