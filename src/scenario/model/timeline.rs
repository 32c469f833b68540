//! Who acts on the timeline (queues, processes, threads), and the statements in the order of the CPU.

use super::{Range, Trivia, is_zero};
use crate::api::QueueType;
use crate::finding::Span;
use crate::id::{FenceId, ListId, QueueId, ResourceId};
#[cfg(test)]
use crate::scenario::json::Picoseconds;
use crate::time::Ps;
use serde::{Deserialize, Serialize};

/// What a declared actor of the timeline is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
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
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    fn is_queue(&self) -> bool {
        *self == Self::Queue
    }
}

/// `queue NAME : TYPE`; also `process NAME` and `thread NAME : PROCESS`, which signal and wait in an order of their own
/// as queues do and execute nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Queue {
    /// Type. Processes and threads have `copy`, which says nothing.
    pub queue_type: QueueType,
    /// Queue, process or thread.
    #[serde(default, skip_serializing_if = "Role::is_queue")]
    pub role: Role,
    /// `process P`: who submits to the queue; the process of a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<QueueId>,
    /// `adapter N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<u32>,
    /// Place in the source.
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

/// The timeline's statements.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Timeline {
    /// Statements in the CPU's order.
    pub statements: Vec<Statement>,
    /// Place in the source.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// One statement of the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Statement {
    /// What the statement does.
    pub kind: StatementKind,
    /// Place in the source.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

impl Statement {
    /// Calls `each` with the statement and with all inside it.
    pub fn for_each(&self, each: &mut impl FnMut(&Self)) {
        each(self);
        if let StatementKind::Repeat { body, .. } = &self.kind {
            for inner in body {
                inner.for_each(each);
            }
        }
    }
}

/// Kinds of timeline statements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
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
    CpuWork(#[cfg_attr(test, schemars(with = "Picoseconds"))] Ps),
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
        /// What is done with the fence.
        act: ObjectAct,
        /// The fence.
        fence: FenceId,
        /// `flags …` of an `open`.
        #[serde(default, skip_serializing_if = "is_zero")]
        flags: u32,
    },
    /// `repeat N { … }`.
    Repeat {
        /// Number of turns.
        count: u64,
        /// Statements of one turn.
        body: Vec<Statement>,
    },
}

impl StatementKind {
    /// What a signal or a wait does: whether it waits, whose it is (`None`: the CPU's), the fence and the value.
    pub fn fence_step(&self) -> Option<(bool, Option<QueueId>, FenceId, FenceValue)> {
        match *self {
            Self::Signal {
                queue,
                fence,
                value,
            } => Some((false, queue, fence, value)),
            Self::Wait {
                queue,
                fence,
                value,
            } => Some((true, queue, fence, value)),
            _ => None,
        }
    }
}

/// What is done with a synchronization object as a whole.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
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
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FenceValue {
    /// `5`.
    Absolute(u64),
    /// `+1`.
    Relative(u64),
}

impl From<u64> for FenceValue {
    fn from(value: u64) -> Self {
        Self::Absolute(value)
    }
}
