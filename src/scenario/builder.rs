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
    BarrierFields, BarrierRange, BarrierTarget, Command, CommandKind, Declaration, Entries, Fence,
    FenceValue, Initial, List, Placement, Queue, Range, Resource, ResourceKind, Scenario,
    Statement, StatementKind, TextureShape, Timeline, Trivia, Use, UseFields, UseMode,
};
use crate::api::{
    BarrierAccess, BarrierSync, HeapType, Layout, Leaf, LeafSet, QueueType, ResourceFlags,
    format::Format,
};
use crate::finding::Span;
use crate::id::{FenceId, ListId, QueueId, ResourceId};

/// Builds a [`Scenario`]. Names must be unique; a name given twice replaces nothing and returns the first id.
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
        self.resource(
            name,
            ResourceKind::Buffer { size: bytes },
            ResourceFlags::UNORDERED_ACCESS,
            Initial::Default,
        )
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
        let shape = TextureShape {
            format,
            width,
            height,
            depth: 1,
            mips: 1,
            layers: 1,
            samples: 1,
        };
        self.resource(
            name,
            ResourceKind::Texture(shape),
            flags,
            Initial::Layout(initial),
        )
    }

    fn resource(
        &mut self,
        name: &str,
        kind: ResourceKind,
        flags: ResourceFlags,
        initial: Initial,
    ) -> ResourceId {
        if let Some(index) = self.out.resources.get_index_of(name) {
            return ResourceId::new(index);
        }
        let id = ResourceId::new(self.out.resources.len());
        let resource = Resource {
            kind,
            flags,
            placement: Placement::Committed,
            initial,
            heap_type: HeapType::Default,
            uncompressed: false,
            keep: false,
            span: Span::default(),
            trivia: Trivia(None),
        };
        self.out.resources.insert(name.to_owned(), resource);
        self.out.order.push(Declaration::Resource(id));
        id
    }

    /// A queue.
    pub fn queue(&mut self, name: &str, queue_type: QueueType) -> QueueId {
        let (index, inserted) = match self.out.queues.get_index_of(name) {
            Some(index) => (index, false),
            None => (self.out.queues.len(), true),
        };
        let id = QueueId::new(index);
        if inserted {
            let queue = Queue::new(queue_type);
            self.out.queues.insert(name.to_owned(), queue);
            self.out.order.push(Declaration::Queue(id));
        }
        id
    }

    /// A monitored fence that starts at 0.
    pub fn fence(&mut self, name: &str) -> FenceId {
        if let Some(index) = self.out.fences.get_index_of(name) {
            return FenceId::new(index);
        }
        let id = FenceId::new(self.out.fences.len());
        self.out.fences.insert(name.to_owned(), Fence::default());
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
        let id = ListId::new(self.out.lists.len());
        self.out.lists.push(List {
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
        self.statement(StatementKind::Execute {
            queue,
            lists: lists.to_vec(),
        });
    }

    /// A signal by a queue.
    pub fn signal(&mut self, queue: QueueId, fence: FenceId, value: u64) {
        self.statement(StatementKind::Signal {
            queue: Some(queue),
            fence,
            value: FenceValue::Absolute(value),
        });
    }

    /// A wait by a queue.
    pub fn wait(&mut self, queue: QueueId, fence: FenceId, value: u64) {
        self.statement(StatementKind::Wait {
            queue: Some(queue),
            fence,
            value: FenceValue::Absolute(value),
        });
    }

    fn statement(&mut self, kind: StatementKind) {
        if self.out.timeline.is_none() {
            self.out.timeline = Some(Timeline::default());
        }
        let statement = Statement {
            kind,
            span: Span::default(),
            trivia: Trivia(None),
        };
        self.out
            .timeline
            .get_or_insert_default()
            .statements
            .push(statement);
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
    fn push(&mut self, kind: CommandKind, uses: Vec<Use>) -> UseBuilder<'_> {
        self.commands.push(Command {
            kind,
            uses: uses.into(),
            span: Span::default(),
            trivia: Trivia(None),
        });
        UseBuilder {
            command: self.commands.last_mut().expect("just recorded"),
        }
    }

    /// `draw`.
    pub fn draw(&mut self, label: &str) -> UseBuilder<'_> {
        let label = Some(label.into());
        self.push(
            CommandKind::Draw {
                label,
                indexed: false,
                options: None,
            },
            Vec::new(),
        )
    }

    /// `dispatch`.
    pub fn dispatch(&mut self, label: &str, groups: [u32; 3]) -> UseBuilder<'_> {
        let label = Some(label.into());
        self.push(
            CommandKind::Dispatch {
                label,
                groups,
                options: None,
            },
            Vec::new(),
        )
    }

    /// `copy` of everything.
    pub fn copy(&mut self, source: ResourceId, target: ResourceId) {
        let leaf = LeafSet::one(Leaf::Copy);
        let uses = vec![
            usage(BarrierAccess::COPY_SOURCE, source, leaf, true),
            usage(BarrierAccess::COPY_DEST, target, leaf, true),
        ];
        self.push(CommandKind::Copy, uses);
    }

    /// One `Barrier()` call with one buffer barrier; sync and access as (before, after).
    pub fn buffer_barrier(
        &mut self,
        resource: ResourceId,
        sync: (BarrierSync, BarrierSync),
        access: (BarrierAccess, BarrierAccess),
    ) {
        let target = BarrierTarget::Buffer {
            resource: Some(resource),
            offset: None,
            size: None,
        };
        self.barrier(target, sync, access);
    }

    /// One `Barrier()` call with one barrier on all of a texture.
    pub fn texture_barrier(
        &mut self,
        resource: ResourceId,
        sync: (BarrierSync, BarrierSync),
        access: (BarrierAccess, BarrierAccess),
        layout: (Layout, Layout),
    ) {
        let target = BarrierTarget::Texture {
            resource: Some(resource),
            range: BarrierRange::Range(Range::All),
            layout_before: layout.0,
            layout_after: layout.1,
            discard: false,
        };
        self.barrier(target, sync, access);
    }

    /// One `Barrier()` call with one global barrier.
    pub fn global_barrier(
        &mut self,
        sync: (BarrierSync, BarrierSync),
        access: (BarrierAccess, BarrierAccess),
    ) {
        self.barrier(BarrierTarget::Global, sync, access);
    }

    fn barrier(
        &mut self,
        target: BarrierTarget,
        sync: (BarrierSync, BarrierSync),
        access: (BarrierAccess, BarrierAccess),
    ) {
        let barrier = BarrierFields {
            target,
            sync_before: sync.0,
            sync_after: sync.1,
            access_before: access.0,
            access_after: access.1,
            trivia: Trivia(None),
        };
        self.push(
            CommandKind::Barrier(Entries::from_iter([barrier.into()])),
            Vec::new(),
        );
    }
}

/// Adds uses to a command.
#[derive(Debug)]
pub struct UseBuilder<'l> {
    command: &'l mut Command,
}

impl UseBuilder<'_> {
    /// A use of all of a resource at one stage. Recorded whether or not the result is used further.
    #[allow(clippy::return_self_not_must_use)]
    pub fn uses(self, access: BarrierAccess, resource: ResourceId, stage: Leaf) -> Self {
        let mut usage = usage(access, resource, LeafSet::one(stage), false);
        // Only shader accesses of a draw can be at several stages, so only theirs is written.
        usage.explicit_stages = matches!(stage, Leaf::VertexShading | Leaf::PixelShading)
            && access.intersects(
                BarrierAccess::SHADER_RESOURCE
                    | BarrierAccess::UNORDERED_ACCESS
                    | BarrierAccess::CONSTANT_BUFFER,
            );
        let mut uses = std::mem::take(&mut self.command.uses).into_vec();
        uses.push(usage);
        self.command.uses = uses.into();
        self
    }
}

fn usage(access: BarrierAccess, resource: ResourceId, stages: LeafSet, implied: bool) -> Use {
    let fields = UseFields {
        access,
        resource,
        range: Range::All,
        stages,
        explicit_stages: false,
        mode: UseMode::Default,
        independent: false,
        may: false,
        implied,
        trivia: Trivia(None),
    };
    fields.into()
}
