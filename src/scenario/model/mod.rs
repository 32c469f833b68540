//! The scenario value.
//!
//! Names are resolved: a use holds a [`ResourceId`], not a name. Every statement has the [`Span`](crate::finding::Span) of its text (empty
//! for built scenarios) and its comments, so that the text can be printed again. This file has the whole and the
//! questions asked by id; each part of the language has a file of its own.

mod barrier;
mod command;
mod comments;
mod device;
mod fence;
mod options;
mod otherwise;
mod resource;
mod timeline;

pub use barrier::{
    Barrier, BarrierFields, BarrierRange, BarrierTarget, LegacyBarrier, LegacyKind, LegacySplit,
    LegacyTransition, TextureBarrier,
};
pub use command::{
    Command, CommandKind, Entries, FenceCounts, IndirectTarget, KernelUse, List, Takes, Use,
    UseFields, UseMode, Uses,
};
pub use comments::{Allow, Comments, Expectation, Lines, Trivia};
pub use device::{Adapter, Capability, Device, MemorySegment};
pub use fence::{Fence, FenceStorage};
pub use options::{DispatchOptions, DrawOptions};
pub use otherwise::Otherwise;
pub use resource::{
    Heap, Initial, Part, Placement, Range, Rect, Resource, ResourceKind, SubresourceRange,
    TextureShape,
};
pub use timeline::{FenceValue, ObjectAct, Queue, Role, Statement, StatementKind, Timeline};

use crate::api::{HeapType, QueueType, ResourceTraits};
use crate::finding::Source;
use crate::id::{FenceId, HeapId, ListId, NamedTable, QueueId, ResourceId, Table};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A whole scenario. Ids index the maps and lists here, in order of declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Scenario {
    /// Optional title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Comments of the title's statement.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub title_trivia: Trivia,
    /// Defaults and capabilities.
    pub device: Device,
    /// Heaps by name. Heaps and resources share one namespace.
    pub heaps: NamedTable<HeapId, Heap>,
    /// Textures and buffers by name.
    pub resources: NamedTable<ResourceId, Resource>,
    /// Fences by name.
    pub fences: NamedTable<FenceId, Fence>,
    /// Queues by name, with processes and threads.
    pub queues: NamedTable<QueueId, Queue>,
    /// Adapters that the text describes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adapters: Vec<Adapter>,
    /// Command lists; an unnamed one was written in place on the timeline.
    pub lists: Table<ListId, List>,
    /// The CPU's order of submissions. `None`: no timeline was written (reading R51).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// Order in which the declarations were written, for the printer.
    pub order: Vec<Declaration>,
    /// Comments after the last statement.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trailing: Trivia,
    /// What the text expects to be found.
    #[serde(skip)]
    pub expectations: Vec<Expectation>,
    /// Findings that the text allows: `// syncscope: allow ID` covers the next statement (reading R50).
    #[serde(skip)]
    pub allows: Vec<Allow>,
    /// Executions at which commands act otherwise than their lists say: of what runs in place of a text, none of a text.
    #[serde(skip)]
    pub otherwise: Otherwise,
}

/// What was declared at one place of the text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Declaration {
    Title,
    Device,
    Heap(HeapId),
    Resource(ResourceId),
    Fence(FenceId),
    Queue(QueueId),
    /// By its place in the text.
    Adapter(u32),
    List(ListId),
    Timeline,
}

impl Scenario {
    /// Every command of every list, in the order of the text.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.lists.iter().flat_map(|list| &list.commands)
    }

    /// A resource by id.
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id]
    }

    /// What it is called: its title, or the name of its file, wherever the file lies.
    pub fn title_in(&self, source: &Source) -> String {
        let file = || Path::new(&source.name).file_name();
        let file = || file().map_or(source.name.clone(), |name| name.display().to_string());
        self.title.clone().unwrap_or_else(file)
    }

    /// A resource's name.
    pub fn resource_name(&self, id: ResourceId) -> &str {
        self.resources.name(id)
    }

    /// A queue's name.
    pub fn queue_name(&self, id: QueueId) -> &str {
        self.queues.name(id)
    }

    /// A queue, process or thread.
    pub fn queue(&self, id: QueueId) -> &Queue {
        &self.queues[id]
    }

    /// The process that an actor belongs to: of a process itself, of a thread, of a queue that names one.
    pub fn process_of(&self, id: QueueId) -> Option<QueueId> {
        let queue = self.queue(id);
        match queue.role {
            Role::Process => Some(id),
            Role::Thread | Role::Queue => queue.process,
        }
    }

    /// Whether the text has processes; they then play the CPU's part.
    pub fn has_processes(&self) -> bool {
        self.queues.values().any(|queue| !queue.is_gpu())
    }

    /// What the text says of an adapter.
    pub fn adapter(&self, number: u32) -> Option<&Adapter> {
        self.adapters
            .iter()
            .find(|adapter| adapter.number == number)
    }

    /// Whether fences of an adapter may be native; not asking the device's own capability.
    pub fn has_native_fences(&self, adapter: u32) -> bool {
        self.adapter(adapter).and_then(|a| a.native_fences) != Some(false)
    }

    /// A queue's type.
    pub fn queue_type(&self, id: QueueId) -> QueueType {
        self.queues[id].queue_type
    }

    /// A fence's name.
    pub fn fence_name(&self, id: FenceId) -> &str {
        self.fences.name(id)
    }

    /// Type of the heap that holds a resource.
    pub fn heap_type(&self, id: ResourceId) -> HeapType {
        let resource = self.resource(id);
        match resource.placement {
            Placement::Placed { heap, .. } => self.heaps[heap].heap_type,
            Placement::Committed | Placement::Reserved => resource.heap_type,
        }
    }

    /// A resource's traits.
    pub fn traits(&self, id: ResourceId) -> ResourceTraits {
        let resource = self.resource(id);
        ResourceTraits {
            is_buffer: resource.is_buffer(),
            flags: resource.flags,
            heap: self.heap_type(id),
        }
    }
}

/// Serde's way to leave out what is zero.
#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// Serde's way to leave out what is off.
#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}
