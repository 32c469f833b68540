//! `D3D12_COMMAND_LIST_TYPE`: the types of queues and lists.

use super::leaf::{Leaf, LeafSet};

/// Type of a command queue or list.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum QueueType {
    /// Graphics, compute and copy.
    Direct,
    /// A bundle: a list that runs inside a direct list. Never a queue.
    Bundle,
    /// Compute and copy.
    Compute,
    /// Copy only.
    Copy,
    /// Video decode.
    VideoDecode,
    /// Video processing.
    VideoProcess,
    /// Video encode.
    VideoEncode,
}

impl QueueType {
    /// Every type, in the order of the header's values.
    pub const ALL: [Self; 7] = [
        Self::Direct,
        Self::Bundle,
        Self::Compute,
        Self::Copy,
        Self::VideoDecode,
        Self::VideoProcess,
        Self::VideoEncode,
    ];

    /// The scenario language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Bundle => "bundle",
            Self::Compute => "compute",
            Self::Copy => "copy",
            Self::VideoDecode => "video_decode",
            Self::VideoProcess => "video_process",
            Self::VideoEncode => "video_encode",
        }
    }

    /// The leaves at which work of this queue type can run. Spec: "Command Queue Sync Compatibility"; reading R13.
    pub fn leaves(self) -> LeafSet {
        match self {
            Self::Direct | Self::Bundle => LeafSet::ALL.minus(LeafSet::of(&[
                Leaf::VideoDecode,
                Leaf::VideoProcess,
                Leaf::VideoEncode,
            ])),
            Self::Compute => LeafSet::of(&[
                Leaf::ComputeShading,
                Leaf::Raytracing,
                Leaf::Copy,
                Leaf::ExecuteIndirect,
                Leaf::ClearUav,
                Leaf::BuildAs,
                Leaf::CopyAs,
                Leaf::EmitAs,
            ]),
            Self::Copy => LeafSet::one(Leaf::Copy),
            Self::VideoDecode => LeafSet::one(Leaf::VideoDecode),
            Self::VideoProcess => LeafSet::one(Leaf::VideoProcess),
            Self::VideoEncode => LeafSet::one(Leaf::VideoEncode),
        }
    }
}
