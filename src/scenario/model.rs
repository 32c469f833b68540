//! The scenario value.
//!
//! Names are resolved: a use holds a [`ResourceId`], not a name. Every statement has the [`Span`] of its text (empty
//! for built scenarios) and its comments, so that the text can be printed again.

use crate::api::{
    BarrierAccess, BarrierSync, HeapType, Layout, LeafSet, NativeFence, QueueType, ResourceFlags,
    ResourceState, ResourceTraits, SyncObject, SyncObjectFlags, format::Format,
};
use crate::finding::Span;
use crate::id::{FenceId, HeapId, ListId, QueueId, ResourceId};
use crate::time::Ps;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A whole scenario. Ids index the maps and lists here, in order of declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    pub heaps: IndexMap<String, Heap>,
    /// Textures and buffers by name.
    pub resources: IndexMap<String, Resource>,
    /// Fences by name.
    pub fences: IndexMap<String, Fence>,
    /// Queues by name, with processes and threads.
    pub queues: IndexMap<String, Queue>,
    /// Adapters that the text describes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adapters: Vec<Adapter>,
    /// Command lists; an unnamed one was written in place on the timeline.
    pub lists: Vec<List>,
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
}

/// What was declared at one place of the text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
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

/// Comments around a statement. Boxed behind an option because most statements have none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trivia(pub Option<Box<Comments>>);

/// The comments of one statement, each with its `//`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comments {
    /// Comment lines before the statement; an empty string is an empty line between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Whether an empty line stands before the statement and its comments.
    #[serde(default, skip_serializing_if = "is_false")]
    pub blank_before: bool,
    /// Comment on the line on which the statement's block opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// Comment on the line on which the statement ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Comment lines before the closing brace of the statement's block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<String>,
    /// The statement and its block stand on one line and must stay there, because an expectation names that line.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keep_line: bool,
    /// The statement begins on the line on which the one before it ends or the block around it opens, and must.
    #[serde(default, skip_serializing_if = "is_false")]
    pub joined: bool,
    /// The closing brace stands on the line on which the last statement of the block ends, and must.
    #[serde(default, skip_serializing_if = "is_false")]
    pub close_joined: bool,
}

/// `device { … }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Default hardware profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Default lowering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowering: Option<String>,
    /// Whether copies, resolves and discards are asynchronous everywhere (reading R20).
    #[serde(default, skip_serializing_if = "is_false")]
    pub asynchronous_copies: bool,
    /// Capabilities that the text switches, by name, with their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<(Capability, bool, Span)>,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

impl Device {
    /// Whether the device has the capability; all are on unless switched off.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities
            .iter()
            .rev()
            .find(|(c, ..)| *c == capability)
            .is_none_or(|(_, on, _)| *on)
    }
}

/// What a device may lack.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Capability {
    EnhancedBarriers,
    Raytracing,
    VariableRateShading,
    SamplerFeedback,
    MeshShading,
    NativeFences,
    FenceBarriersTier2,
    Video,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Self; 8] = [
        Self::EnhancedBarriers,
        Self::Raytracing,
        Self::VariableRateShading,
        Self::SamplerFeedback,
        Self::MeshShading,
        Self::NativeFences,
        Self::FenceBarriersTier2,
        Self::Video,
    ];

    /// The language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::EnhancedBarriers => "enhanced-barriers",
            Self::Raytracing => "raytracing",
            Self::VariableRateShading => "variable-rate-shading",
            Self::SamplerFeedback => "sampler-feedback",
            Self::MeshShading => "mesh-shading",
            Self::NativeFences => "native-fences",
            Self::FenceBarriersTier2 => "fence-barriers-tier-2",
            Self::Video => "video",
        }
    }
}

/// `heap NAME : SIZE { type … }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heap {
    /// Bytes.
    pub size: u64,
    /// Type.
    pub heap_type: HeapType,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// A texture or buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// What it is.
    pub kind: ResourceKind,
    /// Creation flags.
    pub flags: ResourceFlags,
    /// Where its memory is.
    pub placement: Placement,
    /// How a texture starts; for a buffer whatever was written (it has no layout).
    pub initial: Initial,
    /// Heap type that a committed buffer was declared with (`type upload`). A placed one has its heap's.
    pub heap_type: HeapType,
    /// Compression metadata turned off.
    #[serde(default, skip_serializing_if = "is_false")]
    pub uncompressed: bool,
    /// The final contents matter after the timeline's end (reading R33).
    #[serde(default, skip_serializing_if = "is_false")]
    pub keep: bool,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// Kind and shape of a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceKind {
    /// A buffer of `size` bytes.
    Buffer {
        /// Bytes.
        size: u64,
    },
    /// A texture.
    Texture(TextureShape),
}

/// Shape of a texture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextureShape {
    /// Format.
    pub format: Format,
    /// Texels of mip 0.
    pub width: u32,
    /// Texels of mip 0.
    pub height: u32,
    /// Texels of mip 0; more than 1 for a volume.
    pub depth: u32,
    /// Mip levels, at least 1.
    pub mips: u32,
    /// Array slices, at least 1.
    pub layers: u32,
    /// Samples a texel, at least 1.
    pub samples: u32,
}

/// Where a resource's memory is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// Memory of its own; metadata initialised.
    Committed,
    /// In a heap at an offset.
    Placed {
        /// The heap.
        heap: HeapId,
        /// Bytes from the heap's start.
        offset: u64,
    },
    /// Reserved: virtual memory of its own, metadata not initialised.
    Reserved,
}

/// How a resource was created.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Initial {
    /// Nothing was written: `COMMON` for a texture.
    Default,
    /// `initial LAYOUT`.
    Layout(Layout),
    /// `state STATE`: the legacy way.
    State(ResourceState),
}

impl Resource {
    /// Whether it is a buffer.
    pub fn is_buffer(&self) -> bool {
        matches!(self.kind, ResourceKind::Buffer { .. })
    }

    /// The shape, if it is a texture.
    pub fn texture(&self) -> Option<&TextureShape> {
        match &self.kind {
            ResourceKind::Texture(shape) => Some(shape),
            ResourceKind::Buffer { .. } => None,
        }
    }

    /// Whether it may be used by several queues at once (reading R21): every buffer and simultaneous-access texture.
    pub fn is_simultaneous(&self) -> bool {
        self.is_buffer() || self.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
    }
}

/// `fence NAME = INITIAL { … }`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// Value at the start.
    pub initial: u64,
    /// `kind …`, one of the seed's object types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `native …`: `DEFAULT` or `INTRA_GPU`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<String>,
    /// Flags of the seed, by name, with their places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<(String, Span)>,
    /// `adapter N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<u32>,
    /// `process P`: who has created it before the timeline begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<QueueId>,
    /// `storage …`: what a driver answered to the request for fence storage.
    #[serde(default, skip_serializing_if = "FenceStorage::is_empty")]
    pub storage: FenceStorage,
    /// `uninitialised`: the packet that writes an `INTRA_GPU` fence's first value did not run before the timeline.
    #[serde(default, skip_serializing_if = "is_false")]
    pub uninitialised: bool,
    /// `scope list`: made for fence barriers inside one command list.
    #[serde(default, skip_serializing_if = "is_false")]
    pub list_scoped: bool,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// A driver's own answer to the request for fence storage; what is absent the modelled driver answers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FenceStorage {
    /// `storage current N`: the preferred segment of the current value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<u32>,
    /// `storage monitored N`: the preferred segment of the monitored value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monitored: Option<u32>,
    /// `storage private BYTES`: the size that the driver gave the private data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_data_bytes: Option<u32>,
}

impl FenceStorage {
    /// Whether nothing was answered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Fence {
    /// The object's type. A native type makes a monitored fence a native one.
    pub fn object(&self) -> SyncObject {
        let kind = self.kind.as_deref().and_then(SyncObject::parse);
        match kind.unwrap_or_default() {
            SyncObject::Monitored if self.native.is_some() => SyncObject::Native,
            kind => kind,
        }
    }

    /// The type of a native fence; `None` for every other object.
    pub fn native_type(&self) -> Option<NativeFence> {
        let word = self.native.as_deref().and_then(NativeFence::parse);
        (self.object() == SyncObject::Native).then(|| word.unwrap_or_default())
    }

    /// The flags as bits.
    pub fn bits(&self) -> SyncObjectFlags {
        self.flags
            .iter()
            .filter_map(|(word, _)| SyncObjectFlags::parse(word))
            .fold(SyncObjectFlags::empty(), SyncObjectFlags::union)
    }

    /// Whether all of these flags are set.
    pub fn has(&self, flags: SyncObjectFlags) -> bool {
        self.bits().contains(flags)
    }

    /// Whether it is signalled before the work in front of the signal is done. On an object that is no monitored fence
    /// the flag is an error and has no effect.
    pub fn is_top_of_pipeline(&self) -> bool {
        self.object() == SyncObject::Monitored && self.has(SyncObjectFlags::TOP_OF_PIPELINE)
    }

    /// Whether other processes may open it.
    pub fn is_shared(&self) -> bool {
        self.has(SyncObjectFlags::SHARED)
    }

    /// Whether somebody outside the scenario may signal it: another process, the kernel-mode driver, the display.
    pub fn is_signalled_elsewhere(&self) -> bool {
        self.is_shared()
            || self.has(SyncObjectFlags::SIGNAL_BY_KMD)
            || self.object() == SyncObject::PeriodicMonitored
    }
}

/// What a declared actor of the timeline is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// `queue NAME : TYPE`.
    #[default]
    Queue,
    /// `process NAME`: a process, and its first thread.
    Process,
    /// `thread NAME : PROCESS`: a further thread.
    Thread,
}

impl Role {
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn is_queue(&self) -> bool {
        *self == Self::Queue
    }
}

/// `queue NAME : TYPE`; also `process NAME` and `thread NAME : PROCESS`, which signal and wait in an order of their own
/// as queues do and execute nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// Type. Processes and threads have `copy`, which says nothing.
    pub queue_type: QueueType,
    /// What it is.
    #[serde(default, skip_serializing_if = "Role::is_queue")]
    pub role: Role,
    /// `process P`: who submits to the queue; the process of a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<QueueId>,
    /// `adapter N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<u32>,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

impl Queue {
    /// A queue of a type.
    pub fn new(queue_type: QueueType) -> Self {
        Self {
            queue_type,
            role: Role::Queue,
            process: None,
            adapter: None,
            span: Span::default(),
            trivia: Trivia(None),
        }
    }

    /// Whether it belongs to the GPU.
    pub fn is_gpu(&self) -> bool {
        self.role == Role::Queue
    }
}

/// `adapter N { … }`: what the operating system and the driver make of fences on one adapter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    /// Its number.
    pub number: u32,
    /// `native-fences on|off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native_fences: Option<bool>,
    /// `optimised-default on|off`: monitored values of `DEFAULT` fences may lie in local memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimised_default: Option<bool>,
    /// `intra-gpu on|off`: the type `INTRA_GPU` is supported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intra_gpu: Option<bool>,
    /// `segments system|local-visible|local`: the memory segments in order; the first is number 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<MemorySegment>,
    /// `stride BYTES`: from one packed value to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride_bytes: Option<u32>,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// What kind of memory a segment is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemorySegment {
    /// System memory, seen by every adapter and by the CPU.
    System,
    /// The GPU's own memory, which the CPU sees.
    LocalVisible,
    /// The GPU's own memory, which the CPU does not see.
    Local,
}

impl MemorySegment {
    /// The language's words.
    pub const WORDS: [&'static str; 3] = ["system", "local-visible", "local"];

    /// The language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::LocalVisible => "local-visible",
            Self::Local => "local",
        }
    }

    /// The segment of a word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::System, Self::LocalVisible, Self::Local]
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    /// What a page calls it.
    pub fn noun(self) -> &'static str {
        match self {
            Self::System => "system memory",
            Self::LocalVisible => "local memory (CPU-visible)",
            Self::Local => "local memory",
        }
    }

    /// Whether CPU pointers reach it.
    pub fn is_cpu_visible(self) -> bool {
        self != Self::Local
    }
}

/// A command list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Name; `None` for a list written in place on the timeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type.
    pub queue_type: QueueType,
    /// `extended-async`: asynchronous copies allowed (reading R20).
    #[serde(default, skip_serializing_if = "is_false")]
    pub extended_async: bool,
    /// Commands in order. Groups are flat: a [`CommandKind::MarkerBegin`] has its [`CommandKind::MarkerEnd`].
    pub commands: Vec<Command>,
    /// Where the header stands.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// One recorded command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// What it does.
    pub kind: CommandKind,
    /// Uses, written or implied by the kind, in order: the language's table "Implied uses" is applied.
    /// Implied uses have [`Use::implied`] set and are not printed.
    pub uses: Vec<Use>,
    /// Where it begins and ends.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// Kinds of commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandKind {
    /// `draw` or `draw-indexed`.
    Draw {
        /// Label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Box<str>>,
        /// `draw-indexed`.
        #[serde(default, skip_serializing_if = "is_false")]
        indexed: bool,
        /// `vertices N`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        vertices: Option<u64>,
        /// `pixels N`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pixels: Option<u64>,
        /// `takes DUR`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        takes: Option<Ps>,
    },
    /// `dispatch`.
    Dispatch {
        /// Label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Box<str>>,
        /// Thread groups.
        groups: [u32; 3],
        /// `threads N` a group.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threads: Option<u64>,
        /// `takes DUR` or `group-takes DUR`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        takes: Option<Takes>,
        /// `kernel "file.litmus"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kernel: Option<Box<KernelUse>>,
    },
    /// `dispatch-rays`.
    DispatchRays {
        /// Label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Box<str>>,
        /// Rays: width × height.
        size: [u32; 2],
    },
    /// `execute-indirect`.
    ExecuteIndirect {
        /// Label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Box<str>>,
        /// What it stands for.
        target: IndirectTarget,
    },
    /// `predicate buf` or `predicate off` (then without uses).
    Predicate,
    /// `set-root graphics|compute`.
    SetRoot {
        /// Compute, not graphics.
        #[serde(default, skip_serializing_if = "is_false")]
        compute: bool,
    },
    /// `copy SRC -> DST`: uses are source, then destination.
    Copy,
    /// `resolve SRC -> DST`.
    Resolve,
    /// `clear-rtv`.
    ClearRtv,
    /// `clear-dsv`.
    ClearDsv,
    /// `clear-uav`.
    ClearUav,
    /// `discard R`: its use has the access `NO_ACCESS` as a placeholder, because it is the write access of the layout
    /// at that point of the timeline.
    Discard,
    /// `build-as`.
    BuildAs {
        /// Label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Box<str>>,
    },
    /// `copy-as`.
    CopyAs,
    /// `emit-as-postbuild`.
    EmitAs,
    /// `video-decode`, `video-process`, `video-encode`.
    Video {
        /// Which: the queue type names it.
        engine: QueueType,
        /// Label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Box<str>>,
    },
    /// Opens a named group.
    MarkerBegin {
        /// Label.
        label: Box<str>,
    },
    /// Closes the innermost group.
    MarkerEnd,
    /// `execute-bundle NAME`.
    ExecuteBundle {
        /// The bundle.
        list: ListId,
    },
    /// `barrier { … }`: one `Barrier()` call.
    Barrier(Vec<Barrier>),
    /// `legacy { … }`: one `ResourceBarrier()` call.
    Legacy(Vec<LegacyBarrier>),
    /// `signal-barrier` or `wait-barrier` (preview).
    FenceBarrier {
        /// Signal, not wait.
        #[serde(default, skip_serializing_if = "is_false")]
        signal: bool,
        /// The fence.
        fence: FenceId,
        /// The value.
        value: u64,
        /// Entries.
        barriers: Vec<Barrier>,
    },
    /// `assert access R ACCESS`.
    AssertAccess {
        /// The resource.
        resource: ResourceId,
        /// The range.
        range: Range,
        /// The access.
        access: BarrierAccess,
    },
    /// `assert layout T LAYOUT`.
    AssertLayout {
        /// The resource.
        resource: ResourceId,
        /// The range.
        range: Range,
        /// The layout.
        layout: Layout,
    },
}

/// A declared duration.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Takes {
    /// Of the whole command.
    Command(Ps),
    /// Of each thread group.
    Group(Ps),
}

/// The shader that a dispatch runs: a litmus file. In text and JSON its path alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub struct KernelUse {
    /// The path as it is written, relative to the scenario's file.
    pub path: String,
    /// Fences of each thread of the kernel. Empty until the file was read, which is not done here.
    pub fences: Vec<FenceCounts>,
}

/// How many fences a shader thread executes, by what they cost.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct FenceCounts {
    /// Memory fences with group scope.
    pub group: u64,
    /// Memory fences with device scope.
    pub device: u64,
    /// Meetings of the thread group.
    pub meetings: u64,
}

impl From<String> for KernelUse {
    fn from(path: String) -> Self {
        Self {
            path,
            fences: Vec::new(),
        }
    }
}

impl From<KernelUse> for String {
    fn from(kernel: KernelUse) -> Self {
        kernel.path
    }
}

/// What an `execute-indirect` stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum IndirectTarget {
    Draw,
    Dispatch,
    Rays,
}

/// One use of a resource by a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// Exactly one access bit (or `NO_ACCESS` for the use of a `discard`).
    pub access: BarrierAccess,
    /// The resource.
    pub resource: ResourceId,
    /// The part of it.
    pub range: Range,
    /// Leaf stages at which it happens, resolved: what `@ STAGE` says, or every stage that the command implies.
    pub stages: LeafSet,
    /// `@ STAGE` was written.
    #[serde(default, skip_serializing_if = "is_false")]
    pub explicit_stages: bool,
    /// Reads, writes or both, as far as the access allows.
    pub mode: UseMode,
    /// A read that does not depend on a concurrent write.
    #[serde(default, skip_serializing_if = "is_false")]
    pub independent: bool,
    /// Implied by the command, not written in a block.
    #[serde(default, skip_serializing_if = "is_false")]
    pub implied: bool,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// What a use does with the bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UseMode {
    /// What the access says: `UNORDERED_ACCESS` reads and writes, every other access does one of them.
    Default,
    /// `reads`.
    Reads,
    /// `writes`.
    Writes,
    /// `atomics`: reads and writes, only with atomic operations.
    Atomics,
}

impl Use {
    /// Whether it reads.
    pub fn reads(&self) -> bool {
        match self.mode {
            UseMode::Reads | UseMode::Atomics => true,
            UseMode::Writes => false,
            UseMode::Default => {
                !self.access.writes() || self.access.contains(BarrierAccess::UNORDERED_ACCESS)
            }
        }
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        match self.mode {
            UseMode::Reads => false,
            UseMode::Writes | UseMode::Atomics => true,
            UseMode::Default => self.access.writes() || self.access.is_no_access(),
        }
    }
}

/// Part of a resource.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// Everything.
    #[default]
    All,
    /// `mip`, `layer`, `plane`, `rect`: half-open; `None` is everything of that dimension.
    Subresources(Box<SubresourceRange>),
    /// `subresource N`.
    Subresource(u32),
    /// Bytes `start..end` of a buffer.
    Bytes {
        /// First byte.
        start: u64,
        /// One past the last.
        end: u64,
    },
}

/// A box of subresources. `(first, end)` half-open, never empty.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubresourceRange {
    /// Mip levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mips: Option<(u32, u32)>,
    /// Array slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<(u32, u32)>,
    /// Plane slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planes: Option<(u32, u32)>,
    /// A region of each subresource, in texels (copies only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rect: Option<Rect>,
}

/// A rectangle of texels.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Rect {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

/// One entry of a `Barrier()` call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// What it applies to.
    pub target: BarrierTarget,
    /// `SyncBefore`. Absent fields are `NONE`.
    pub sync_before: BarrierSync,
    /// `SyncAfter`.
    pub sync_after: BarrierSync,
    /// `AccessBefore`. Absent fields are `COMMON`.
    pub access_before: BarrierAccess,
    /// `AccessAfter`.
    pub access_after: BarrierAccess,
    /// Where: begins at the word `texture`, `buffer`, `global` or `ranged`.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

impl Barrier {
    /// The resource that it names.
    pub fn resource(&self) -> Option<ResourceId> {
        match &self.target {
            BarrierTarget::Texture { resource, .. }
            | BarrierTarget::Buffer { resource, .. }
            | BarrierTarget::Ranged { resource, .. } => *resource,
            BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => None,
        }
    }

    /// Both layouts, of a texture barrier.
    pub fn layouts(&self) -> Option<(Layout, Layout)> {
        match &self.target {
            BarrierTarget::Texture {
                layout_before,
                layout_after,
                ..
            } => Some((*layout_before, *layout_after)),
            _ => None,
        }
    }

    /// Both layouts, unless both are `UNDEFINED`: then it is a memory barrier, and the layout stays (reading R25).
    pub fn transition(&self) -> Option<(Layout, Layout)> {
        self.layouts()
            .filter(|layouts| *layouts != (Layout::Undefined, Layout::Undefined))
    }
}

/// What a barrier entry applies to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BarrierTarget {
    /// All memory of the queue.
    Global,
    /// Subresources of a texture.
    Texture {
        /// The resource; `None` is `texture null`. The text may name a buffer: that is a rule's business.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource: Option<ResourceId>,
        /// The range.
        range: BarrierRange,
        /// `LayoutBefore`. Absent: `UNDEFINED` on both sides, a memory-only barrier.
        layout_before: Layout,
        /// `LayoutAfter`.
        layout_after: Layout,
        /// `discard`.
        #[serde(default, skip_serializing_if = "is_false")]
        discard: bool,
    },
    /// One buffer.
    Buffer {
        /// The resource; `None` is `buffer null`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource: Option<ResourceId>,
        /// `offset N`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
        /// `size N`; `u64::MAX` is `size all`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
    },
    /// DDI only.
    Ranged {
        /// The resource.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource: Option<ResourceId>,
        /// The range.
        range: Range,
        /// `atomic-copy` (0x1), `acquire` (0x2), `release` (0x4).
        flags: u32,
    },
    /// `texture { }`: a group of zero barriers of the type that the word names.
    EmptyGroup(crate::api::BarrierType),
}

/// Range of a texture barrier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BarrierRange {
    /// As in a use.
    Range(Range),
    /// `range a b c d e f`: the header's `D3D12_BARRIER_SUBRESOURCE_RANGE`.
    Raw([u32; 6]),
}

/// One entry of a `ResourceBarrier()` call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LegacyBarrier {
    /// What it does.
    pub kind: LegacyKind,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// Kinds of legacy barriers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LegacyKind {
    /// `transition T A -> B [begin|end]`.
    Transition {
        /// The resource.
        resource: ResourceId,
        /// The range.
        range: Range,
        /// `StateBefore`.
        before: ResourceState,
        /// `StateAfter`.
        after: ResourceState,
        /// The split flag.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        split: Option<LegacySplit>,
    },
    /// `uav R`; `None` is `uav *`.
    Uav(Option<ResourceId>),
    /// `alias A -> B`; `None` is `*`.
    Alias(Option<ResourceId>, Option<ResourceId>),
}

/// Split flag of a legacy transition.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LegacySplit {
    /// `BEGIN_ONLY`.
    Begin,
    /// `END_ONLY`.
    End,
}

/// The timeline's statements.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timeline {
    /// Statements in the CPU's order.
    pub statements: Vec<Statement>,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// One statement of the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// Kinds of timeline statements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatementKind {
    /// `QUEUE execute LIST, LIST` or `QUEUE execute { … }` (then one unnamed list).
    Execute {
        /// The queue.
        queue: QueueId,
        /// Lists of one `ExecuteCommandLists` call.
        lists: Vec<ListId>,
    },
    /// `QUEUE signal F V` or `cpu signal F V` (`queue` is `None`).
    Signal {
        /// The queue; `None` is the CPU.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        queue: Option<QueueId>,
        /// The fence.
        fence: FenceId,
        /// The value.
        value: FenceValue,
    },
    /// `QUEUE wait F V` or `cpu wait F V`.
    Wait {
        /// The queue; `None` is the CPU.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        queue: Option<QueueId>,
        /// The fence.
        fence: FenceId,
        /// The value.
        value: FenceValue,
    },
    /// `cpu write BUF`.
    CpuWrite {
        /// The buffer.
        resource: ResourceId,
        /// The range.
        range: Range,
    },
    /// `cpu read BUF`.
    CpuRead {
        /// The buffer.
        resource: ResourceId,
        /// The range.
        range: Range,
    },
    /// `cpu work DUR`.
    CpuWork(Ps),
    /// `QUEUE present T`.
    Present {
        /// The queue.
        queue: QueueId,
        /// The texture.
        resource: ResourceId,
    },
    /// `reset device` (`None`) or `reset queue Q`.
    Reset(Option<QueueId>),
    /// `P create F`, `P open F`, `P share F`, `P destroy F`; `Q initialise F`.
    Object {
        /// The process or thread; of `initialise` the queue.
        queue: QueueId,
        /// What it does.
        act: ObjectAct,
        /// The fence.
        fence: FenceId,
        /// `flags …` of an `open`.
        #[serde(default, skip_serializing_if = "is_zero")]
        flags: u32,
    },
    /// `repeat N { … }`.
    Repeat {
        /// How often.
        count: u64,
        /// What.
        body: Vec<Statement>,
    },
}

/// What is done with a synchronization object as a whole.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObjectAct {
    /// `D3DKMTCreateSynchronizationObject2`, `D3DKMTCreateNativeFence`.
    Create,
    /// `D3DKMTOpenSyncObjectFromNtHandle2`, `D3DKMTOpenSynchronizationObject`.
    Open,
    /// `D3DKMTShareObjects`.
    Share,
    /// `D3DKMTDestroySynchronizationObject`: of the process's own, local object.
    Destroy,
    /// The DMA packet by which the user-mode driver writes an `INTRA_GPU` fence's first value.
    Initialise,
}

impl ObjectAct {
    /// Every act of a process.
    pub const OF_PROCESSES: [Self; 4] = [Self::Create, Self::Open, Self::Share, Self::Destroy];

    /// The language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Open => "open",
            Self::Share => "share",
            Self::Destroy => "destroy",
            Self::Initialise => "initialise",
        }
    }
}

/// A fence value: absolute, or counted from the fence's running value inside a `repeat` (reading R50).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FenceValue {
    /// `5`.
    Absolute(u64),
    /// `+1`.
    Relative(u64),
}

/// `//~ …` at the end of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Line, counted from 1.
    pub line: u32,
    /// Ids, names or families; empty means `none`: no error or hazard in the whole file.
    pub ids: Vec<String>,
    /// Where.
    #[serde(skip)]
    pub span: Span,
}

/// `// syncscope: allow ID`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// Ids, names or families.
    pub ids: Vec<String>,
    /// The statement that it covers.
    #[serde(skip)]
    pub covers: Span,
}

impl Trivia {
    /// Whether there are no comments.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// Serde's way to leave out what is zero.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// Serde's way to leave out what is off.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Scenario {
    /// A resource by id.
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.index()]
    }

    /// A resource's name.
    pub fn resource_name(&self, id: ResourceId) -> &str {
        self.resources
            .get_index(id.index())
            .map_or("?", |(name, _)| name)
    }

    /// A queue's name.
    pub fn queue_name(&self, id: QueueId) -> &str {
        self.queues
            .get_index(id.index())
            .map_or("?", |(name, _)| name)
    }

    /// A queue, process or thread.
    pub fn queue(&self, id: QueueId) -> &Queue {
        &self.queues[id.index()]
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
        self.queues[id.index()].queue_type
    }

    /// A fence's name.
    pub fn fence_name(&self, id: FenceId) -> &str {
        self.fences
            .get_index(id.index())
            .map_or("?", |(name, _)| name)
    }

    /// Type of the heap that holds a resource.
    pub fn heap_type(&self, id: ResourceId) -> HeapType {
        let resource = self.resource(id);
        match resource.placement {
            Placement::Placed { heap, .. } => self.heaps[heap.index()].heap_type,
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
