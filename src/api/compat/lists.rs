//! What a list of each type has: its commands, and the accesses that its queue can make.
//!
//! Both come from the one table [`LISTS`]. A row's accesses are the specification's list to the letter; its commands are
//! reading R54's.

use super::tables::accesses;
use crate::api::{BarrierAccess, QueueType};

use BarrierAccess as A;
use Work as W;

/// A kind of command, as far as the type of a list decides whether it has it. Barriers, markers and assertions are none:
/// every type has them, and what bundles lack of them are rules of their own.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Work {
    Draw,
    Dispatch,
    DispatchRays,
    IndirectDraw,
    IndirectDispatch,
    IndirectRays,
    SetRootGraphics,
    SetRootCompute,
    Predicate,
    Copy,
    Resolve,
    ClearRtv,
    ClearDsv,
    ClearUav,
    Discard,
    BuildAs,
    CopyAs,
    EmitAs,
    VideoDecode,
    VideoProcess,
    VideoEncode,
    ExecuteBundle,
}

impl Work {
    /// Every kind.
    pub const ALL: [Self; 22] = [
        W::Draw,
        W::Dispatch,
        W::DispatchRays,
        W::IndirectDraw,
        W::IndirectDispatch,
        W::IndirectRays,
        W::SetRootGraphics,
        W::SetRootCompute,
        W::Predicate,
        W::Copy,
        W::Resolve,
        W::ClearRtv,
        W::ClearDsv,
        W::ClearUav,
        W::Discard,
        W::BuildAs,
        W::CopyAs,
        W::EmitAs,
        W::VideoDecode,
        W::VideoProcess,
        W::VideoEncode,
        W::ExecuteBundle,
    ];

    /// The scenario language's words.
    pub fn words(self) -> &'static str {
        match self {
            W::Draw => "draw",
            W::Dispatch => "dispatch",
            W::DispatchRays => "dispatch-rays",
            W::IndirectDraw => "execute-indirect draw",
            W::IndirectDispatch => "execute-indirect dispatch",
            W::IndirectRays => "execute-indirect rays",
            W::SetRootGraphics => "set-root graphics",
            W::SetRootCompute => "set-root compute",
            W::Predicate => "predicate",
            W::Copy => "copy",
            W::Resolve => "resolve",
            W::ClearRtv => "clear-rtv",
            W::ClearDsv => "clear-dsv",
            W::ClearUav => "clear-uav",
            W::Discard => "discard",
            W::BuildAs => "build-as",
            W::CopyAs => "copy-as",
            W::EmitAs => "emit-as-postbuild",
            W::VideoDecode => "video-decode",
            W::VideoProcess => "video-process",
            W::VideoEncode => "video-encode",
            W::ExecuteBundle => "execute-bundle",
        }
    }
}

/// What lists of a type have.
#[derive(Copy, Clone, Debug)]
pub struct ListType {
    /// The type.
    pub queue: QueueType,
    /// Its accesses. Spec: "Command Queue Access Compatibility". `COMMON` and `NO_ACCESS` are legal on every queue and
    /// not listed (reading R08); a bundle runs on a direct queue.
    pub accesses: BarrierAccess,
    /// Its commands. Reading R54.
    pub commands: &'static [Work],
}

/// One row a type, in the order of [`QueueType::ALL`].
pub static LISTS: [ListType; 7] = [
    ListType {
        queue: QueueType::Direct,
        accesses: DIRECT,
        // Everything but video.
        commands: &[
            W::Draw,
            W::Dispatch,
            W::DispatchRays,
            W::IndirectDraw,
            W::IndirectDispatch,
            W::IndirectRays,
            W::SetRootGraphics,
            W::SetRootCompute,
            W::Predicate,
            W::Copy,
            W::Resolve,
            W::ClearRtv,
            W::ClearDsv,
            W::ClearUav,
            W::Discard,
            W::BuildAs,
            W::CopyAs,
            W::EmitAs,
            W::ExecuteBundle,
        ],
    },
    ListType {
        queue: QueueType::Bundle,
        accesses: DIRECT,
        commands: &[
            W::Draw,
            W::Dispatch,
            W::DispatchRays,
            W::IndirectDraw,
            W::IndirectDispatch,
            W::IndirectRays,
            W::SetRootGraphics,
            W::SetRootCompute,
        ],
    },
    ListType {
        queue: QueueType::Compute,
        // Reading R09 confirms VERTEX_BUFFER.
        accesses: accesses(&[
            A::VERTEX_BUFFER,
            A::CONSTANT_BUFFER,
            A::UNORDERED_ACCESS,
            A::SHADER_RESOURCE,
            A::INDIRECT_ARGUMENT,
            A::COPY_DEST,
            A::COPY_SOURCE,
            A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
            A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
        ]),
        // `resolve` is ResolveSubresource; resolves of queries, which compute lists have, are not in the language.
        commands: &[
            W::Dispatch,
            W::DispatchRays,
            W::IndirectDispatch,
            W::IndirectRays,
            W::SetRootCompute,
            W::Predicate,
            W::Copy,
            W::ClearUav,
            W::Discard,
            W::BuildAs,
            W::CopyAs,
            W::EmitAs,
        ],
    },
    ListType {
        queue: QueueType::Copy,
        accesses: accesses(&[A::COPY_DEST, A::COPY_SOURCE]),
        commands: &[W::Copy],
    },
    ListType {
        queue: QueueType::VideoDecode,
        accesses: accesses(&[A::VIDEO_DECODE_READ, A::VIDEO_DECODE_WRITE]),
        commands: &[W::VideoDecode],
    },
    ListType {
        queue: QueueType::VideoProcess,
        accesses: accesses(&[A::VIDEO_PROCESS_READ, A::VIDEO_PROCESS_WRITE]),
        commands: &[W::VideoProcess],
    },
    ListType {
        queue: QueueType::VideoEncode,
        accesses: accesses(&[A::VIDEO_ENCODE_READ, A::VIDEO_ENCODE_WRITE]),
        commands: &[W::VideoEncode],
    },
];

const DIRECT: BarrierAccess = accesses(&[
    A::VERTEX_BUFFER,
    A::CONSTANT_BUFFER,
    A::INDEX_BUFFER,
    A::RENDER_TARGET,
    A::UNORDERED_ACCESS,
    A::DEPTH_STENCIL_WRITE,
    A::DEPTH_STENCIL_READ,
    A::SHADER_RESOURCE,
    A::STREAM_OUTPUT,
    A::INDIRECT_ARGUMENT,
    A::COPY_DEST,
    A::COPY_SOURCE,
    A::RESOLVE_DEST,
    A::RESOLVE_SOURCE,
    A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
    A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
    A::SHADING_RATE_SOURCE,
]);

/// The row of a type.
pub fn list_type(queue: QueueType) -> &'static ListType {
    let row = match queue {
        QueueType::Direct => 0,
        QueueType::Bundle => 1,
        QueueType::Compute => 2,
        QueueType::Copy => 3,
        QueueType::VideoDecode => 4,
        QueueType::VideoProcess => 5,
        QueueType::VideoEncode => 6,
    };
    &LISTS[row]
}

/// Whether lists of a type have a command. Reading R54.
pub fn list_has(queue: QueueType, work: Work) -> bool {
    list_type(queue).commands.contains(&work)
}

/// The types whose lists have a command.
pub fn lists_with(work: Work) -> impl Iterator<Item = QueueType> {
    QueueType::ALL
        .into_iter()
        .filter(move |queue| list_has(*queue, work))
}

/// Accesses that a queue type allows, apart from `COMMON` and `NO_ACCESS`, which all allow.
/// Spec: "Command Queue Access Compatibility"; readings R08, R09.
pub fn queue_accesses(queue: QueueType) -> BarrierAccess {
    list_type(queue).accesses
}
