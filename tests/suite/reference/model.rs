//! A scenario written out in full: every step of every scope, every cell of memory that a use or a barrier touches.
//!
//! Cells are the pieces into which all ranges together cut the memory, so that "on that byte" is "in that cell".
//!
//! Longer than other files: a reference is read in one piece, next to the readings that it is written from.

use std::collections::{BTreeMap, BTreeSet};
use syncscope::api::{
    BarrierAccess, BarrierSync, Layout, Leaf, LeafSet, QueueType, ResourceFlags, Scope, compat,
};
use syncscope::graph::Part;
use syncscope::id::{NodeId, ResourceId, SubmissionId};
use syncscope::order::{Actor, LayoutTracker, SubmissionKind, Timeline};
use syncscope::scenario::{
    Barrier, BarrierTarget, Command, CommandKind, IndirectTarget, Placement, Range, Scenario,
    StatementKind, TextureBarrier, TextureShape, Use, UseMode, geometry,
};

/// One of the pieces of memory.
pub(super) type Cell = usize;

/// One use by one executed command, or by a descriptor that is set.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of a use, each independent of the others"
)]
pub(super) struct Usage {
    pub node: NodeId,
    pub part: Part,
    pub resource: ResourceId,
    pub access: BarrierAccess,
    pub stages: LeafSet,
    pub reads: bool,
    /// R57: a read-only access, `reads` or `atomics`.
    pub certain: bool,
    pub writes: bool,
    /// A `discard`: races with it are of layouts (R42).
    pub discards: bool,
    pub atomics: bool,
    pub independent: bool,
    pub cells: BTreeSet<Cell>,
    /// Subresources; 0 for a buffer.
    pub subresources: BTreeSet<u32>,
    /// Subresources of which it touches only a part.
    pub is_partial: bool,
}

/// One barrier entry.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of a use, each independent of the others"
)]
pub(super) struct Entry {
    pub node: NodeId,
    pub part: Part,
    pub resource: Option<ResourceId>,
    pub before: Scope,
    pub after: Scope,
    pub global: bool,
    pub begins: bool,
    pub ends: bool,
    /// Changes the layout or discards (R17, R26).
    pub acts: bool,
    pub discards: bool,
    pub from_undefined: bool,
    pub no_access_before: bool,
    /// R62: `NO_ACCESS` before, with a `SyncBefore` that names work.
    pub unneeded: bool,
    pub deactivates: bool,
    /// The layout afterwards, unless it is left as it is.
    pub layout_after: Option<Layout>,
    pub cells: BTreeSet<Cell>,
    pub subresources: BTreeSet<u32>,
}

impl Entry {
    /// Its subresources; 0 for a global barrier.
    pub(super) fn parts(&self) -> BTreeSet<u32> {
        if self.subresources.is_empty() {
            return BTreeSet::from([0]);
        }
        self.subresources.clone()
    }
}

/// One step of a scope.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Command {
        leaves: LeafSet,
        synchronous: bool,
        /// Clears, copies, resolves, discards: they initialise metadata (R25).
        initialises: bool,
        uses: Vec<Usage>,
    },
    Barrier(Entry),
}

/// One submission that touches memory.
#[derive(Clone, Debug)]
pub(super) struct Scoped {
    pub submission: SubmissionId,
    pub actor: usize,
    pub present: bool,
    pub steps: Vec<Step>,
}

/// Everything, in an order that respects happens-before.
pub(super) struct Model<'s> {
    pub scenario: &'s Scenario,
    pub scopes: Vec<Scoped>,
    /// `before[a][b]`: submission a is over before b begins.
    pub before: Vec<Vec<bool>>,
    /// The layout of each subresource of each texture, as barriers have changed it up to the step that is being written.
    layouts: BTreeMap<(ResourceId, u32), Layout>,
    /// Memory, first byte and end of each cell.
    pub cells: Vec<(usize, u64, u64)>,
}

/// Bytes of a memory: `(memory, start, end)`.
type Piece = (usize, u64, u64);

/// Where a resource lies: heaps first, then a memory for each resource.
fn base(scenario: &Scenario, id: ResourceId) -> (usize, u64) {
    match scenario.resource(id).placement {
        Placement::Placed { heap, offset } => (heap.index(), offset),
        Placement::Committed | Placement::Reserved => (scenario.heaps.len() + id.index(), 0),
    }
}

fn pieces(scenario: &Scenario, id: ResourceId, runs: Vec<(u64, u64)>) -> Vec<Piece> {
    let (memory, offset) = base(scenario, id);
    runs.into_iter()
        .map(|(a, b)| (memory, offset + a, offset + b))
        .collect()
}

fn use_pieces(scenario: &Scenario, id: ResourceId, range: &Range) -> Vec<Piece> {
    pieces(
        scenario,
        id,
        geometry::byte_runs(scenario.resource(id), range),
    )
}

fn barrier_pieces(scenario: &Scenario, barrier: &Barrier) -> Vec<Piece> {
    match &barrier.target {
        BarrierTarget::Texture(TextureBarrier {
            resource: Some(id),
            range,
            ..
        }) => {
            let shape = scenario.resource(*id).texture().expect("a texture");
            let sub = geometry::barrier_box(shape, range).expect("a range in bounds");
            pieces(scenario, *id, geometry::box_byte_runs(shape, &sub))
        }
        BarrierTarget::Buffer {
            resource: Some(id), ..
        } => use_pieces(scenario, *id, &Range::All),
        _ => Vec::new(),
    }
}

/// Each piece of a resource.
pub(super) fn whole_pieces(scenario: &Scenario, id: ResourceId) -> Vec<Piece> {
    use_pieces(scenario, id, &Range::All)
}

/// Each piece of a subresource, for metadata.
pub(super) fn subresource_pieces(scenario: &Scenario, id: ResourceId, index: u32) -> Vec<Piece> {
    use_pieces(scenario, id, &Range::Subresource(index))
}

impl<'s> Model<'s> {
    pub(super) fn new(timeline: &Timeline<'s>) -> Self {
        let scenario = timeline.scenario;
        let mut cuts: BTreeSet<(usize, u64)> = BTreeSet::new();
        let mut cut = |list: Vec<Piece>| {
            for (memory, start, end) in list {
                cuts.insert((memory, start));
                cuts.insert((memory, end));
            }
        };
        for (index, resource) in scenario.resources.values().enumerate() {
            let id = ResourceId::new(index);
            cut(use_pieces(scenario, id, &Range::All));
            for sub in 0..resource.texture().map_or(0, TextureShape::subresources) {
                cut(subresource_pieces(scenario, id, sub));
            }
        }
        for command in scenario.lists.iter().flat_map(|l| &l.commands) {
            for usage in &command.uses {
                cut(use_pieces(scenario, usage.resource, &usage.range));
            }
        }
        for statement in &scenario.timeline.as_ref().expect("a timeline").statements {
            if let StatementKind::CpuWrite { resource, range }
            | StatementKind::CpuRead { resource, range } = &statement.kind
            {
                cut(use_pieces(scenario, *resource, range));
            }
        }
        let cuts: Vec<_> = cuts.into_iter().collect();
        let cells: Vec<_> = cuts
            .windows(2)
            .filter(|w| w[0].0 == w[1].0)
            .map(|w| (w[0].0, w[0].1, w[1].1))
            .collect();
        let mut model = Self {
            scenario,
            scopes: Vec::new(),
            before: happens_before(timeline),
            layouts: BTreeMap::new(),
            cells,
        };
        for id in timeline.evaluation.iter() {
            model.submit(timeline, id);
        }
        model
    }

    /// The cells of some bytes.
    pub(super) fn cells_of(&self, list: &[Piece]) -> BTreeSet<Cell> {
        let inside = |cell: &(usize, u64, u64)| {
            list.iter()
                .any(|p| p.0 == cell.0 && p.1 <= cell.1 && cell.2 <= p.2)
        };
        (0..self.cells.len())
            .filter(|i| inside(&self.cells[*i]))
            .collect()
    }

    /// The granules of 256 bytes that a use touches (R21).
    pub(super) fn granules(&self, usage: &Usage) -> BTreeSet<(usize, u64)> {
        let cells = usage.cells.iter().map(|cell| self.cells[*cell]);
        cells
            .flat_map(|(memory, start, end)| {
                (start / 256..end.div_ceil(256)).map(move |granule| (memory, granule))
            })
            .collect()
    }

    fn submit(&mut self, timeline: &Timeline<'s>, id: SubmissionId) {
        let submission = timeline.submission(id);
        let actor = timeline.actor_index(submission.actor);
        let mut scope = Scoped {
            submission: id,
            actor,
            present: false,
            steps: Vec::new(),
        };
        let single = |resource: ResourceId, range: &Range, reads: bool| Usage {
            node: submission.first_node,
            part: Part::Whole,
            resource,
            access: BarrierAccess::empty(),
            stages: LeafSet::EMPTY,
            reads,
            certain: reads,
            writes: !reads,
            discards: false,
            atomics: false,
            independent: false,
            cells: self.cells_of(&use_pieces(self.scenario, resource, range)),
            subresources: subresources(self.scenario, resource, range),
            is_partial: false,
        };
        let lone = |usage: Usage| Step::Command {
            leaves: LeafSet::EMPTY,
            synchronous: false,
            initialises: false,
            uses: vec![usage],
        };
        match (&submission.kind, &submission.statement.kind) {
            (SubmissionKind::Execute, _) => self.execute(timeline, id, &mut scope),
            (SubmissionKind::Present { resource }, _) => {
                scope.present = true;
                scope.steps.push(lone(single(*resource, &Range::All, true)));
            }
            (_, StatementKind::CpuWrite { resource, range }) => {
                scope.steps.push(lone(single(*resource, range, false)));
            }
            (_, StatementKind::CpuRead { resource, range }) => {
                scope.steps.push(lone(single(*resource, range, true)));
            }
            _ => return,
        }
        self.scopes.push(scope);
    }

    fn execute(&mut self, timeline: &Timeline<'s>, id: SubmissionId, scope: &mut Scoped) {
        let submission = timeline.submission(id);
        let queue = timeline.queue_type(submission).expect("a queue");
        let mut node = submission.first_node.0;
        for list in timeline.lists(submission) {
            // R38: descriptors, by bind point, until the list's end.
            let mut roots: [Vec<Usage>; 2] = [Vec::new(), Vec::new()];
            let described = &self.scenario.lists[*list];
            for command in &described.commands {
                let this = NodeId(node);
                node += 1;
                if let CommandKind::Barrier(entries) = &command.kind {
                    for (index, barrier) in entries.iter().enumerate() {
                        let entry = self.entry(this, index as u32, barrier, queue);
                        if let (Some(id), Some(layout)) = (entry.resource, entry.layout_after) {
                            let subs = entry.subresources.iter();
                            self.layouts.extend(subs.map(|sub| ((id, *sub), layout)));
                        }
                        scope.steps.push(Step::Barrier(entry));
                    }
                    continue;
                }
                let asynchronous =
                    self.scenario.device.asynchronous_copies || described.extended_async;
                let step = self.command(this, command, (queue, !asynchronous), &roots);
                if let CommandKind::SetRoot { compute } = command.kind
                    && let Step::Command { uses, .. } = &step
                {
                    let set = uses.iter().enumerate().map(|(index, usage)| Usage {
                        part: Part::Root {
                            set: this,
                            index: index as u32,
                        },
                        ..usage.clone()
                    });
                    roots[usize::from(compute)] = set.collect();
                }
                scope.steps.push(step);
            }
        }
    }

    fn command(
        &self,
        node: NodeId,
        command: &Command,
        (queue, synchronous_copies): (QueueType, bool),
        roots: &[Vec<Usage>; 2],
    ) -> Step {
        let mut uses: Vec<Usage> = command
            .uses
            .iter()
            .enumerate()
            .map(|(index, usage)| self.usage(node, Part::Use(index as u32), usage, queue))
            .collect();
        // R46: a draw occupies every leaf of DRAW, INDEX_INPUT only if indexed.
        let draw = LeafSet::DRAW.minus(Leaf::IndexInput.into());
        let (mut leaves, point) = match &command.kind {
            CommandKind::Draw { indexed: true, .. } => (LeafSet::DRAW, Some(0)),
            CommandKind::Draw { .. } => (draw, Some(0)),
            CommandKind::Dispatch { .. } => (Leaf::ComputeShading.into(), Some(1)),
            CommandKind::ExecuteIndirect { target, .. } => match target {
                IndirectTarget::Draw => (draw.union(Leaf::ExecuteIndirect.into()), Some(0)),
                IndirectTarget::Dispatch => (
                    LeafSet::of(&[Leaf::ComputeShading, Leaf::ExecuteIndirect]),
                    Some(1),
                ),
                IndirectTarget::Rays => (
                    LeafSet::of(&[Leaf::Raytracing, Leaf::ExecuteIndirect]),
                    None,
                ),
            },
            _ => (LeafSet::EMPTY, None),
        };
        for usage in &uses {
            leaves = leaves.union(usage.stages);
        }
        for root in point.iter().flat_map(|p| &roots[*p]) {
            uses.push(Usage {
                node,
                stages: root.stages.intersection(leaves),
                ..root.clone()
            });
        }
        Step::Command {
            leaves,
            synchronous: synchronous_copies
                && matches!(
                    command.kind,
                    CommandKind::Copy | CommandKind::Resolve | CommandKind::Discard
                ),
            initialises: matches!(
                command.kind,
                CommandKind::Copy
                    | CommandKind::Resolve
                    | CommandKind::Discard
                    | CommandKind::ClearRtv
                    | CommandKind::ClearDsv
                    | CommandKind::ClearUav
            ),
            uses,
        }
    }

    fn usage(&self, node: NodeId, part: Part, usage: &Use, queue: QueueType) -> Usage {
        // Only a discard has no access of its own.
        let discards = usage.access.is_no_access();
        let (access, stages) = if discards {
            self.discarded_as(usage, queue)
        } else {
            (usage.access, usage.stages)
        };
        let resource = self.scenario.resource(usage.resource);
        let pieces = use_pieces(self.scenario, usage.resource, &usage.range);
        let whole: Vec<_> = use_pieces(self.scenario, usage.resource, &Range::All);
        let is_partial = match &usage.range {
            Range::Bytes { .. } => pieces != whole,
            Range::Subresources(sub) => sub.rect.is_some(),
            _ => false,
        };
        Usage {
            node,
            part,
            resource: usage.resource,
            access,
            stages,
            reads: usage.reads() && !discards,
            certain: match usage.mode {
                UseMode::Reads | UseMode::Atomics => true,
                UseMode::Writes => false,
                UseMode::Default => !discards && !access.writes(),
            },
            writes: usage.writes(),
            discards,
            atomics: usage.mode == UseMode::Atomics,
            // R21: only buffers and simultaneous-access textures allow it.
            independent: usage.independent
                && (resource.is_buffer()
                    || resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)),
            cells: self.cells_of(&pieces),
            subresources: subresources(self.scenario, usage.resource, &usage.range),
            is_partial,
        }
    }

    /// "The write access of the current layout, at that access's stage". A layout that has none, several layouts, and
    /// the COMMON of simultaneous access, which has all, leave it to the creation flags: the first that the queue can
    /// write by ("Command Queue Access Compatibility": compute queues neither render nor test depth).
    fn discarded_as(&self, usage: &Use, queue: QueueType) -> (BarrierAccess, LeafSet) {
        const RENDERED: (BarrierAccess, Leaf) = (BarrierAccess::RENDER_TARGET, Leaf::RenderTarget);
        const DEPTH: (BarrierAccess, Leaf) =
            (BarrierAccess::DEPTH_STENCIL_WRITE, Leaf::DepthStencil);
        const UNORDERED: (BarrierAccess, Leaf) =
            (BarrierAccess::UNORDERED_ACCESS, Leaf::ComputeShading);
        let resource = self.scenario.resource(usage.resource);
        let has = |flag| resource.flags.contains(flag);
        let by_flags = || {
            let renders = queue == QueueType::Direct || !has(ResourceFlags::UNORDERED_ACCESS);
            if has(ResourceFlags::RENDER_TARGET) && renders {
                RENDERED
            } else if has(ResourceFlags::DEPTH_STENCIL) && renders {
                DEPTH
            } else {
                UNORDERED
            }
        };
        let layouts: BTreeSet<Layout> = subresources(self.scenario, usage.resource, &usage.range)
            .into_iter()
            .map(|sub| self.layout(usage.resource, sub))
            .collect();
        let single = layouts.first().filter(|_| layouts.len() == 1);
        let (access, leaf) = match single.filter(|_| !resource.is_buffer()) {
            Some(Layout::RenderTarget) if has(ResourceFlags::RENDER_TARGET) => RENDERED,
            Some(Layout::DepthStencilWrite) if has(ResourceFlags::DEPTH_STENCIL) => DEPTH,
            Some(
                Layout::UnorderedAccess
                | Layout::DirectQueueUnorderedAccess
                | Layout::ComputeQueueUnorderedAccess
                // "Layout Access Compatibility": the queues' own common layouts allow it as well.
                | Layout::DirectQueueCommon
                | Layout::ComputeQueueCommon,
            ) if has(ResourceFlags::UNORDERED_ACCESS) => UNORDERED,
            _ => by_flags(),
        };
        (access, leaf.into())
    }

    fn layout(&self, id: ResourceId, sub: u32) -> Layout {
        let declared = || LayoutTracker::declared(self.scenario.resource(id));
        self.layouts
            .get(&(id, sub))
            .copied()
            .unwrap_or_else(declared)
    }

    fn entry(&self, node: NodeId, index: u32, barrier: &Barrier, queue: QueueType) -> Entry {
        let (mut resource, mut layouts, mut discards) = (None, None, false);
        let mut subresources = BTreeSet::new();
        match &barrier.target {
            BarrierTarget::Texture(TextureBarrier {
                resource: Some(id),
                range,
                layout_before,
                layout_after,
                discard,
            }) => {
                resource = Some(*id);
                // R25: both UNDEFINED is a memory barrier.
                if (*layout_before, *layout_after) != (Layout::Undefined, Layout::Undefined) {
                    layouts = Some((*layout_before, *layout_after));
                    discards = *discard;
                }
                let shape = self.scenario.resource(*id).texture().expect("a texture");
                let sub = geometry::barrier_box(shape, range).expect("a range in bounds");
                subresources = sub
                    .index_runs(shape)
                    .into_iter()
                    .flat_map(|(a, b)| a..b)
                    .collect();
            }
            BarrierTarget::Buffer {
                resource: Some(id), ..
            } => {
                resource = Some(*id);
                subresources.insert(0);
            }
            _ => {}
        }
        let traits = resource.map(|id| self.scenario.traits(id));
        let before = Scope::new(
            barrier.sync_before,
            barrier.access_before,
            layouts.map(|l| l.0),
            queue,
            traits,
        );
        let after = Scope::new(
            barrier.sync_after,
            barrier.access_after,
            layouts.map(|l| l.1),
            queue,
            traits,
        );
        let simultaneous = resource.is_some_and(|id| {
            self.scenario
                .resource(id)
                .flags
                .contains(ResourceFlags::SIMULTANEOUS_ACCESS)
        });
        let changes = layouts.is_some_and(|(b, a)| b != a) || discards;
        Entry {
            node,
            part: Part::Entry(index),
            resource,
            before,
            after,
            global: matches!(barrier.target, BarrierTarget::Global),
            begins: barrier.sync_after.is_split(),
            ends: barrier.sync_before.is_split(),
            acts: changes && !simultaneous,
            discards,
            from_undefined: layouts.is_some_and(|(b, _)| b == Layout::Undefined),
            no_access_before: barrier.access_before.is_no_access(),
            unneeded: barrier.access_before.is_no_access()
                && resource.is_some()
                && !matches!(barrier.sync_before, BarrierSync::NONE | BarrierSync::SPLIT),
            deactivates: barrier.access_after.is_no_access() || barrier.sync_after.is_empty(),
            layout_after: layouts.map(|(_, a)| a).filter(|_| !simultaneous),
            cells: self.cells_of(&barrier_pieces(self.scenario, barrier)),
            subresources,
        }
    }

    /// Whether a layout allows an access in a scope. "Queue type specific layouts": a layout that names a queue type is
    /// only of use on such queues. "Copy Queues": a copy queue only has COMMON. "Command Queue Layout Compatibility": the
    /// layouts of rendering are not on the list of compute queues.
    pub(super) fn allows(&self, layout: Layout, usage: &Usage, scope: &Scoped) -> bool {
        if scope.present {
            return layout == Layout::Common;
        }
        let queue = self.scenario.queues.values().nth(scope.actor);
        let queue = queue.map(|queue| queue.queue_type);
        let name = layout.name();
        let is_elsewhere = [
            ("DIRECT_QUEUE_", QueueType::Direct),
            ("COMPUTE_QUEUE_", QueueType::Compute),
        ]
        .iter()
        .any(|(prefix, owner)| name.starts_with(prefix) && queue != Some(*owner));
        let renders = matches!(
            layout,
            Layout::RenderTarget | Layout::DepthStencilWrite | Layout::DepthStencilRead
        );
        if is_elsewhere
            || queue == Some(QueueType::Copy) && layout != Layout::Common
            || queue == Some(QueueType::Compute) && renders
        {
            return false;
        }
        let traits = self.scenario.traits(usage.resource);
        compat::layout_allows(layout, usage.access, traits)
    }
}

fn subresources(scenario: &Scenario, id: ResourceId, range: &Range) -> BTreeSet<u32> {
    match scenario.resource(id).texture() {
        None => BTreeSet::from([0]),
        Some(shape) => {
            let sub = geometry::subresource_box(shape, range).expect("a range in bounds");
            sub.index_runs(shape)
                .into_iter()
                .flat_map(|(a, b)| a..b)
                .collect()
        }
    }
}

/// R23, for fences that one actor signals with rising values: a wait comes after that actor's first signal that reaches
/// the value. Everything comes after what its actor did before, and after what the CPU did before it on the timeline.
fn happens_before(timeline: &Timeline<'_>) -> Vec<Vec<bool>> {
    let count = timeline.submissions.len();
    let mut before = vec![vec![false; count]; count];
    for (b, second) in timeline.submissions.iter().enumerate() {
        for (a, first) in timeline.submissions.iter().enumerate().take(b) {
            before[a][b] = first.actor == second.actor || first.actor == Actor::Cpu;
        }
        if let SubmissionKind::Wait { fence, value } = second.kind {
            let reaches = |kind: &SubmissionKind| matches!(kind, SubmissionKind::Signal { fence: f, value: v } if *f == fence && *v >= value);
            if let Some(a) = timeline.submissions.iter().position(|s| reaches(&s.kind)) {
                before[a][b] = true;
            }
        }
    }
    for k in 0..count {
        for i in 0..count {
            for j in 0..count {
                before[i][j] |= before[i][k] && before[k][j];
            }
        }
    }
    before
}
