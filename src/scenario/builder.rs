//! Scenarios from Rust: declare, record, submit.
//!
//! ```
//! use syncscope::api::{BarrierAccess as A, BarrierSync as S, Leaf, QueueType};
//! use syncscope::scenario::ScenarioBuilder;
//!
//! let mut scene = ScenarioBuilder::new();
//! let staging = scene.buffer("staging", 4096);
//! let mesh = scene.buffer("mesh", 4096);
//! let gfx = scene.queue("gfx", QueueType::Direct);
//! let main = scene.list("main", QueueType::Direct, |list| {
//!     list.copy(staging, mesh);
//!     list.buffer_barrier(mesh, (S::COPY, S::VERTEX_SHADING), (A::COPY_DEST, A::VERTEX_BUFFER));
//!     list.draw("mesh").uses(A::VERTEX_BUFFER, mesh, Leaf::VertexShading);
//! });
//! scene.execute(gfx, &[main]);
//! let scenario = scene.build();
//! assert!(syncscope::scenario::print(&scenario).contains("copy staging -> mesh"));
//! ```

use super::model::{
    Barrier, Command, CommandKind, Declaration, Fence, FenceValue, Heap, Initial, LegacyBarrier,
    List, Part, Placement, Queue, Resource, ResourceKind, Scenario, Statement, StatementKind,
    TextureShape, Timeline, Trivia, Use, UseFields, UseMode,
};
use crate::api::{
    BarrierAccess, BarrierSync, HeapType, Layout, Leaf, LeafSet, QueueType, ResourceFlags,
    format::Format,
};
use crate::finding::Span;
use crate::id::{FenceId, HeapId, ListId, QueueId, ResourceId};

/// Builds a [`Scenario`]. Names must be unique words of the language; a name given twice replaces nothing and returns the first id.
#[derive(Debug, Default)]
pub struct ScenarioBuilder {
    out: Scenario,
}

impl ScenarioBuilder {
    /// An empty scenario.
    pub fn new() -> Self {
        Self::default()
    }

    /// A committed buffer that allows unordered access.
    pub fn buffer(&mut self, name: &str, bytes: u64) -> ResourceId {
        let buffer = Resource::new(ResourceKind::Buffer { size: bytes });
        let flags = ResourceFlags::UNORDERED_ACCESS;
        self.resource(name, Resource { flags, ..buffer })
    }

    /// A committed texture of one mip and layer.
    pub fn texture(
        &mut self,
        name: &str,
        format: Format,
        (width, height): (u32, u32),
        flags: ResourceFlags,
        initial: Layout,
    ) -> ResourceId {
        let shape = TextureShape::new(format, width, height);
        let resource = Resource {
            flags,
            initial: Initial::Layout(initial),
            ..Resource::new(ResourceKind::Texture(shape))
        };
        self.resource(name, resource)
    }

    /// Any resource.
    pub fn resource(&mut self, name: &str, resource: Resource) -> ResourceId {
        if let Some(id) = self.out.resources.id_of(name) {
            return id;
        }
        let id = self.out.resources.push(name.to_owned(), resource);
        self.out.order.push(Declaration::Resource(id));
        id
    }

    /// A heap.
    pub fn heap(&mut self, name: &str, bytes: u64, heap_type: HeapType) -> HeapId {
        if let Some(id) = self.out.heaps.id_of(name) {
            return id;
        }
        let heap = Heap {
            size: bytes,
            heap_type,
            span: Span::default(),
            trivia: Trivia(None),
        };
        let id = self.out.heaps.push(name.to_owned(), heap);
        self.out.order.push(Declaration::Heap(id));
        id
    }

    /// Places a resource in a heap, some bytes from its start. Resources whose bytes overlap are aliases.
    pub fn place(&mut self, resource: ResourceId, heap: HeapId, offset: u64) {
        self.out.resources[resource].placement = Placement::Placed { heap, offset };
    }

    /// A queue.
    pub fn queue(&mut self, name: &str, queue_type: QueueType) -> QueueId {
        if let Some(id) = self.out.queues.id_of(name) {
            return id;
        }
        let queue = Queue::new(queue_type);
        let id = self.out.queues.push(name.to_owned(), queue);
        self.out.order.push(Declaration::Queue(id));
        id
    }

    /// A monitored fence that starts at 0.
    pub fn fence(&mut self, name: &str) -> FenceId {
        if let Some(id) = self.out.fences.id_of(name) {
            return id;
        }
        let id = self.out.fences.push(name.to_owned(), Fence::default());
        self.out.order.push(Declaration::Fence(id));
        id
    }

    /// A command list, recorded by a closure.
    pub fn list(
        &mut self,
        name: &str,
        queue_type: QueueType,
        record: impl FnOnce(&mut ListBuilder),
    ) -> ListId {
        let mut builder = ListBuilder {
            commands: Vec::new(),
        };
        record(&mut builder);
        let id = self.out.lists.push(List {
            name: Some(name.to_owned()),
            queue_type,
            extended_async: false,
            commands: builder.commands,
            span: Span::default(),
            trivia: Trivia(None),
        });
        self.out.order.push(Declaration::List(id));
        id
    }

    /// One `ExecuteCommandLists` call.
    pub fn execute(&mut self, queue: QueueId, lists: &[ListId]) {
        let lists = lists.to_vec();
        self.statement(StatementKind::Execute { queue, lists });
    }

    /// A signal by a queue.
    pub fn signal(&mut self, queue: QueueId, fence: FenceId, value: impl Into<FenceValue>) {
        self.statement(StatementKind::Signal {
            queue: Some(queue),
            fence,
            value: value.into(),
        });
    }

    /// A wait by a queue.
    pub fn wait(&mut self, queue: QueueId, fence: FenceId, value: impl Into<FenceValue>) {
        self.statement(StatementKind::Wait {
            queue: Some(queue),
            fence,
            value: value.into(),
        });
    }

    /// A present.
    pub fn present(&mut self, queue: QueueId, resource: ResourceId) {
        self.statement(StatementKind::Present { queue, resource });
    }

    /// Any statement of the timeline, after those that there are.
    pub fn statement(&mut self, kind: StatementKind) {
        let timeline = self.out.timeline.get_or_insert_with(Timeline::default);
        timeline.statements.push(Statement {
            kind,
            span: Span::default(),
            trivia: Trivia(None),
        });
    }

    /// The scenario.
    pub fn build(mut self) -> Scenario {
        if self.out.timeline.is_some() {
            self.out.order.push(Declaration::Timeline);
        }
        self.out
    }
}

/// Records commands.
#[derive(Debug)]
pub struct ListBuilder {
    commands: Vec<Command>,
}

impl ListBuilder {
    /// Any command, with the uses that it implies or that are written.
    pub fn command(
        &mut self,
        kind: CommandKind,
        uses: impl IntoIterator<Item = Use>,
    ) -> UseBuilder<'_> {
        let at = self.commands.len();
        self.commands.push(Command {
            kind,
            uses: uses.into_iter().collect(),
            span: Span::default(),
            trivia: Trivia(None),
        });
        UseBuilder {
            command: &mut self.commands[at],
        }
    }

    /// `draw`.
    pub fn draw(&mut self, label: &str) -> UseBuilder<'_> {
        let kind = CommandKind::Draw {
            label: Some(label.into()),
            indexed: false,
            options: None,
        };
        self.command(kind, [])
    }

    /// `dispatch`.
    pub fn dispatch(&mut self, label: &str, groups: [u32; 3]) -> UseBuilder<'_> {
        let kind = CommandKind::Dispatch {
            label: Some(label.into()),
            groups,
            options: None,
        };
        self.command(kind, [])
    }

    /// `copy`.
    pub fn copy(&mut self, source: impl Into<Part>, target: impl Into<Part>) {
        let accesses = (BarrierAccess::COPY_SOURCE, BarrierAccess::COPY_DEST);
        self.transfer(CommandKind::Copy, accesses, source, target, Leaf::Copy);
    }

    /// `resolve`.
    pub fn resolve(&mut self, source: impl Into<Part>, target: impl Into<Part>) {
        let accesses = (BarrierAccess::RESOLVE_SOURCE, BarrierAccess::RESOLVE_DEST);
        self.transfer(
            CommandKind::Resolve,
            accesses,
            source,
            target,
            Leaf::Resolve,
        );
    }

    fn transfer(
        &mut self,
        kind: CommandKind,
        (reads, writes): (BarrierAccess, BarrierAccess),
        source: impl Into<Part>,
        target: impl Into<Part>,
        leaf: Leaf,
    ) {
        let uses = [
            implied(reads, source, leaf.into()),
            implied(writes, target, leaf.into()),
        ];
        self.command(kind, uses);
    }

    /// `clear-rtv`.
    pub fn clear_rtv(&mut self, part: impl Into<Part>) {
        let used = implied(
            BarrierAccess::RENDER_TARGET,
            part,
            Leaf::RenderTarget.into(),
        );
        self.command(CommandKind::ClearRtv, [used]);
    }

    /// `clear-dsv`.
    pub fn clear_dsv(&mut self, part: impl Into<Part>) {
        let access = BarrierAccess::DEPTH_STENCIL_WRITE;
        let used = implied(access, part, Leaf::DepthStencil.into());
        self.command(CommandKind::ClearDsv, [used]);
    }

    /// `clear-uav`.
    pub fn clear_uav(&mut self, part: impl Into<Part>) {
        let mut used = implied(BarrierAccess::UNORDERED_ACCESS, part, Leaf::ClearUav.into());
        used.mode = UseMode::Writes;
        self.command(CommandKind::ClearUav, [used]);
    }

    /// `discard`.
    pub fn discard(&mut self, part: impl Into<Part>) {
        let used = implied(BarrierAccess::NO_ACCESS, part, LeafSet::EMPTY);
        self.command(CommandKind::Discard, [used]);
    }

    /// One `Barrier()` call.
    pub fn barrier(&mut self, entries: impl IntoIterator<Item = Barrier>) {
        let entries = entries.into_iter().collect();
        self.command(CommandKind::Barrier(entries), []);
    }

    /// One `ResourceBarrier()` call.
    pub fn legacy(&mut self, entries: impl IntoIterator<Item = LegacyBarrier>) {
        let entries = entries.into_iter().collect();
        self.command(CommandKind::Legacy(entries), []);
    }

    /// One `Barrier()` call with one buffer barrier; sync and access as (before, after).
    pub fn buffer_barrier(
        &mut self,
        resource: ResourceId,
        sync: (BarrierSync, BarrierSync),
        access: (BarrierAccess, BarrierAccess),
    ) {
        let barrier = Barrier::buffer(resource);
        self.barrier([barrier.sync(sync.0, sync.1).access(access.0, access.1)]);
    }

    /// One `Barrier()` call with one barrier on a texture or a part of it.
    pub fn texture_barrier(
        &mut self,
        part: impl Into<Part>,
        sync: (BarrierSync, BarrierSync),
        access: (BarrierAccess, BarrierAccess),
        layout: (Layout, Layout),
    ) {
        let barrier = Barrier::texture(part, layout);
        self.barrier([barrier.sync(sync.0, sync.1).access(access.0, access.1)]);
    }

    /// One `Barrier()` call with one global barrier.
    pub fn global_barrier(
        &mut self,
        sync: (BarrierSync, BarrierSync),
        access: (BarrierAccess, BarrierAccess),
    ) {
        let barrier = Barrier::global();
        self.barrier([barrier.sync(sync.0, sync.1).access(access.0, access.1)]);
    }
}

/// Adds uses to a command.
#[derive(Debug)]
pub struct UseBuilder<'l> {
    command: &'l mut Command,
}

impl UseBuilder<'_> {
    /// A use of a resource or a part of it at one stage. Recorded whether or not the result is used further.
    #[allow(clippy::return_self_not_must_use)]
    pub fn uses(self, access: BarrierAccess, part: impl Into<Part>, stage: Leaf) -> Self {
        let mut used = implied(access, part, stage.into());
        used.implied = false;
        // Only shader accesses of a draw can be at several stages, so only theirs is written.
        used.explicit_stages = matches!(stage, Leaf::VertexShading | Leaf::PixelShading)
            && access.intersects(
                BarrierAccess::SHADER_RESOURCE
                    | BarrierAccess::UNORDERED_ACCESS
                    | BarrierAccess::CONSTANT_BUFFER
                    | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ,
            );
        self.command.uses.push(used);
        self
    }

    /// What the last use does with the bytes, where its access leaves that open.
    #[allow(clippy::return_self_not_must_use)]
    pub fn mode(self, mode: UseMode) -> Self {
        if let Some(last) = self.command.uses.last_mut() {
            last.mode = mode;
        }
        self
    }

    /// The last use is possibly not made.
    #[allow(clippy::return_self_not_must_use)]
    pub fn may(self) -> Self {
        if let Some(last) = self.command.uses.last_mut() {
            last.may = true;
        }
        self
    }
}

/// A use that follows from its command.
fn implied(access: BarrierAccess, part: impl Into<Part>, stages: LeafSet) -> Use {
    let Part { resource, range } = part.into();
    UseFields::of_command(access, resource, range, stages).into()
}
