//! Lists, recorded commands and their uses. Barriers have a file of their own.

use super::options::{self, DispatchOptions, DrawOptions};
use super::{Barrier, LegacyBarrier, Range, Trivia, is_false};
use crate::api::compat::Work;
use crate::api::{BarrierAccess, Layout, LeafSet, QueueType};
use crate::finding::Span;
use crate::id::{FenceId, ListId, ResourceId};
#[cfg(test)]
use crate::scenario::json::Picoseconds;
use crate::time::Ps;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A command list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
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
    /// Where the header is.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// The uses of a command. Most commands of a long text have one: it is kept in the command.
pub type Uses = SmallVec<[Use; 1]>;

/// The entries of a `Barrier()` call, in the same way.
pub type Entries = SmallVec<[Barrier; 1]>;

/// One recorded command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Command {
    /// What the command does.
    pub kind: CommandKind,
    /// Uses, written or implied by the kind, in order: the language's table "Implied uses" is applied.
    /// Implied uses have [`UseFields::implied`] set and are not printed.
    pub uses: Uses,
    /// Where it starts and ends.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// Kinds of commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CommandKind {
    /// `draw` or `draw-indexed`.
    #[serde(with = "options::draw")]
    #[cfg_attr(test, schemars(with = "options::Draw"))]
    Draw {
        /// Label.
        label: Option<Box<str>>,
        /// `draw-indexed`.
        indexed: bool,
        /// The rest, if any of it is written: see [`DrawOptions::of`].
        options: Option<Box<DrawOptions>>,
    },
    /// `dispatch`.
    #[serde(with = "options::dispatch")]
    #[cfg_attr(test, schemars(with = "options::Dispatch"))]
    Dispatch {
        /// Label.
        label: Option<Box<str>>,
        /// Thread groups.
        groups: [u32; 3],
        /// The rest, if any of it is written: see [`DispatchOptions::of`].
        options: Option<Box<DispatchOptions>>,
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
    Barrier(Entries),
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
        barriers: Entries,
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

impl CommandKind {
    /// What it is to the type of its list. None of barriers, markers and assertions.
    pub fn work(&self) -> Option<Work> {
        Some(match self {
            Self::Draw { .. } => Work::Draw,
            Self::Dispatch { .. } => Work::Dispatch,
            Self::DispatchRays { .. } => Work::DispatchRays,
            Self::ExecuteIndirect { target, .. } => match target {
                IndirectTarget::Draw => Work::IndirectDraw,
                IndirectTarget::Dispatch => Work::IndirectDispatch,
                IndirectTarget::Rays => Work::IndirectRays,
            },
            Self::Predicate => Work::Predicate,
            Self::SetRoot { compute: false } => Work::SetRootGraphics,
            Self::SetRoot { compute: true } => Work::SetRootCompute,
            Self::Copy => Work::Copy,
            Self::Resolve => Work::Resolve,
            Self::ClearRtv => Work::ClearRtv,
            Self::ClearDsv => Work::ClearDsv,
            Self::ClearUav => Work::ClearUav,
            Self::Discard => Work::Discard,
            Self::BuildAs { .. } => Work::BuildAs,
            Self::CopyAs => Work::CopyAs,
            Self::EmitAs => Work::EmitAs,
            Self::Video { engine, .. } => match engine {
                QueueType::VideoDecode => Work::VideoDecode,
                QueueType::VideoProcess => Work::VideoProcess,
                _ => Work::VideoEncode,
            },
            Self::ExecuteBundle { .. } => Work::ExecuteBundle,
            Self::MarkerBegin { .. }
            | Self::MarkerEnd
            | Self::Barrier(_)
            | Self::Legacy(_)
            | Self::FenceBarrier { .. }
            | Self::AssertAccess { .. }
            | Self::AssertLayout { .. } => return None,
        })
    }

    /// Whether the queue has it to do: not if it is a barrier, a marker or an assertion. Of a bundle that executes, the
    /// bundle's own commands are what is to do.
    pub fn does_work(&self) -> bool {
        self.work().is_some_and(|work| work != Work::ExecuteBundle)
    }

    /// Whether it is a `Barrier()` or a `ResourceBarrier()` call.
    pub fn is_barrier_call(&self) -> bool {
        matches!(self, Self::Barrier(_) | Self::Legacy(_))
    }

    /// The entries of a `ResourceBarrier()` call; none of any other command.
    pub fn legacy(&self) -> &[LegacyBarrier] {
        match self {
            Self::Legacy(entries) => entries,
            _ => &[],
        }
    }

    /// What a fence barrier does: whether it signals, the fence and the value.
    pub fn fence_step(&self) -> Option<(bool, FenceId, u64)> {
        match *self {
            Self::FenceBarrier {
                signal,
                fence,
                value,
                ..
            } => Some((signal, fence, value)),
            _ => None,
        }
    }

    /// The entries of a barrier call or of a fence barrier; none of any other command.
    pub fn barriers(&self) -> &[Barrier] {
        match self {
            Self::Barrier(barriers) | Self::FenceBarrier { barriers, .. } => barriers,
            _ => &[],
        }
    }

    /// Whether it is work, not a barrier, a marker or an assertion.
    pub fn works(&self) -> bool {
        !matches!(
            self,
            Self::MarkerBegin { .. }
                | Self::MarkerEnd
                | Self::ExecuteBundle { .. }
                | Self::Barrier(_)
                | Self::Legacy(_)
                | Self::FenceBarrier { .. }
                | Self::AssertAccess { .. }
                | Self::AssertLayout { .. }
        )
    }

    /// What its text calls it.
    pub fn label(&self) -> Option<&str> {
        match self {
            Self::Draw { label, .. }
            | Self::Dispatch { label, .. }
            | Self::DispatchRays { label, .. }
            | Self::ExecuteIndirect { label, .. }
            | Self::BuildAs { label }
            | Self::Video { label, .. } => label.as_deref(),
            Self::MarkerBegin { label } => Some(label),
            _ => None,
        }
    }

    /// The same entries, to be changed; `None` of any other command.
    pub fn barriers_mut(&mut self) -> Option<&mut Entries> {
        match self {
            Self::Barrier(barriers) | Self::FenceBarrier { barriers, .. } => Some(barriers),
            _ => None,
        }
    }
}

/// A declared duration.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Takes {
    /// Of the whole command.
    Command(#[cfg_attr(test, schemars(with = "Picoseconds"))] Ps),
    /// Of each thread group.
    Group(#[cfg_attr(test, schemars(with = "Picoseconds"))] Ps),
}

/// The shader that a dispatch runs: a litmus file. In text and JSON only its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(from = "String", into = "String")]
#[cfg_attr(test, schemars(with = "String"))]
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
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum IndirectTarget {
    Draw,
    Dispatch,
    Rays,
}

/// One use of a resource by a command. Its fields are read and written as if they were its own; uses that are the same
/// share them, because a long text says the same few things over and over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(from = "UseFields", into = "UseFields")]
#[cfg_attr(test, schemars(with = "UseFields"))]
pub struct Use {
    fields: Arc<UseFields>,
    /// Place in the source.
    pub span: Span,
}

/// What a use of a resource is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(rename = "Use"))]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct UseFields {
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
    /// Possibly made, and possibly not (`may`).
    #[serde(default, skip_serializing_if = "is_false")]
    pub may: bool,
    /// Implied by the command, not written in a block.
    #[serde(default, skip_serializing_if = "is_false")]
    pub implied: bool,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

impl UseFields {
    /// A use that follows from its command.
    pub(crate) fn of_command(
        access: BarrierAccess,
        resource: ResourceId,
        range: Range,
        stages: LeafSet,
    ) -> Self {
        Self {
            access,
            resource,
            range,
            stages,
            explicit_stages: false,
            mode: UseMode::Default,
            independent: false,
            may: false,
            implied: true,
            trivia: Trivia(None),
        }
    }
}

/// What a use does with the bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

impl Deref for Use {
    type Target = UseFields;

    fn deref(&self) -> &UseFields {
        &self.fields
    }
}

impl DerefMut for Use {
    /// Only this use changes.
    fn deref_mut(&mut self) -> &mut UseFields {
        Arc::make_mut(&mut self.fields)
    }
}

impl From<UseFields> for Use {
    fn from(fields: UseFields) -> Self {
        Self::new(fields, Span::default())
    }
}

impl From<Use> for UseFields {
    fn from(used: Use) -> Self {
        Arc::unwrap_or_clone(used.fields)
    }
}

impl Use {
    /// A use like this, at this place.
    pub fn new(fields: impl Into<Arc<UseFields>>, span: Span) -> Self {
        Self {
            fields: fields.into(),
            span,
        }
    }

    /// Uses with the same identity say the same. Those of a parsed text that say the same mostly have the same identity.
    pub fn identity(&self) -> usize {
        Arc::as_ptr(&self.fields).addr()
    }
}

impl UseFields {
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

    /// Whether it reads for certain (reading R57): every read-only access, `reads` and `atomics`. What writes may read
    /// as well, as `UNORDERED_ACCESS` does, only may; so does a use that may not be made.
    pub fn certainly_reads(&self) -> bool {
        match self.mode {
            _ if self.may => false,
            UseMode::Reads | UseMode::Atomics => true,
            UseMode::Writes => false,
            UseMode::Default => !self.access.writes() && !self.access.is_no_access(),
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

#[cfg(test)]
mod tests {
    use super::{Barrier, Command, Use};

    /// A million commands are kept at once, with a few uses or entries each. The first one is in the command: a block of its
    /// own would take 32 bytes.
    #[test]
    fn a_command_is_small() {
        assert!(size_of::<Command>() <= 80);
        assert_eq!(size_of::<Use>(), 16);
        assert_eq!(size_of::<Barrier>(), 16);
    }
}
