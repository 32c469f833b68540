//! `D3D12_BARRIER_SYNC`: the bits as in the header, and the leaves that each supersedes.

use super::leaf::{Leaf, LeafSet};
use bitflags::bitflags;

bitflags! {
    /// Bits of `D3D12_BARRIER_SYNC`. `NONE` is zero. `PREDICATION` is another name of `EXECUTE_INDIRECT`.
    ///
    /// Compare leaves ([`BarrierSync::leaves`]), never raw bits: `ALL` does not contain `DRAW` here.
    #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
    pub struct BarrierSync: u32 {
        #[allow(missing_docs)] const ALL = 0x1;
        #[allow(missing_docs)] const DRAW = 0x2;
        #[allow(missing_docs)] const INDEX_INPUT = 0x4;
        #[allow(missing_docs)] const VERTEX_SHADING = 0x8;
        #[allow(missing_docs)] const PIXEL_SHADING = 0x10;
        #[allow(missing_docs)] const DEPTH_STENCIL = 0x20;
        #[allow(missing_docs)] const RENDER_TARGET = 0x40;
        #[allow(missing_docs)] const COMPUTE_SHADING = 0x80;
        #[allow(missing_docs)] const RAYTRACING = 0x100;
        #[allow(missing_docs)] const COPY = 0x200;
        #[allow(missing_docs)] const RESOLVE = 0x400;
        #[allow(missing_docs)] const EXECUTE_INDIRECT = 0x800;
        #[allow(missing_docs)] const ALL_SHADING = 0x1000;
        #[allow(missing_docs)] const NON_PIXEL_SHADING = 0x2000;
        #[allow(missing_docs)] const EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO = 0x4000;
        #[allow(missing_docs)] const CLEAR_UNORDERED_ACCESS_VIEW = 0x8000;
        #[allow(missing_docs)] const VIDEO_DECODE = 0x10_0000;
        #[allow(missing_docs)] const VIDEO_PROCESS = 0x20_0000;
        #[allow(missing_docs)] const VIDEO_ENCODE = 0x40_0000;
        #[allow(missing_docs)] const BUILD_RAYTRACING_ACCELERATION_STRUCTURE = 0x80_0000;
        #[allow(missing_docs)] const COPY_RAYTRACING_ACCELERATION_STRUCTURE = 0x100_0000;
        #[allow(missing_docs)] const SPLIT = 0x8000_0000;
    }
}

impl BarrierSync {
    /// `D3D12_BARRIER_SYNC_NONE`.
    pub const NONE: Self = Self::empty();

    /// The mask with exactly these leaves, one bit each.
    pub fn of_leaves(leaves: LeafSet) -> Self {
        let single = |(_, set): &&(Self, LeafSet)| set.len() == 1 && leaves.contains(*set);
        EXPANSION
            .iter()
            .filter(single)
            .map(|(bit, _)| *bit)
            .collect()
    }

    /// The mask with exactly these leaves in the fewest words: an umbrella where all of its leaves are there.
    pub fn named(leaves: LeafSet) -> Self {
        let mut rest = leaves;
        let mut mask = Self::NONE;
        for umbrella in [Self::DRAW, Self::ALL_SHADING, Self::NON_PIXEL_SHADING] {
            let inside = umbrella.leaves();
            if leaves.contains(inside) && rest.intersection(inside).len() > 1 {
                mask |= umbrella;
                rest = rest.minus(inside);
            }
        }
        mask | Self::of_leaves(rest)
    }

    /// Whether the value has the split bit. A well-formed value has no other bit along with it (reading R27).
    pub const fn is_split(self) -> bool {
        self.contains(Self::SPLIT)
    }

    /// The leaves that the value means. Spec: "Umbrella Synchronization Scopes"; readings R01, R02, R07.
    /// `SPLIT` and `NONE` mean none; bits that no header knows are ignored.
    pub fn leaves(self) -> LeafSet {
        let mut set = LeafSet::EMPTY;
        let mut bits = self.bits();
        while bits != 0 {
            set = set.union(LEAVES[bits.trailing_zeros() as usize]);
            bits &= bits - 1;
        }
        set
    }
}

/// The leaves of each bit.
static LEAVES: [LeafSet; 32] = {
    let mut table = [LeafSet::EMPTY; 32];
    table[BarrierSync::ALL.bits().trailing_zeros() as usize] = LeafSet::ALL;
    let mut i = 0;
    while i < EXPANSION.len() {
        let (bit, leaves) = EXPANSION[i];
        table[bit.bits().trailing_zeros() as usize] = leaves;
        i += 1;
    }
    table
};

/// What each bit but `ALL` and `SPLIT` supersedes, itself included.
const EXPANSION: &[(BarrierSync, LeafSet)] = &[
    (BarrierSync::DRAW, LeafSet::DRAW),
    (BarrierSync::INDEX_INPUT, LeafSet::one(Leaf::IndexInput)),
    (
        BarrierSync::VERTEX_SHADING,
        LeafSet::one(Leaf::VertexShading),
    ),
    (BarrierSync::PIXEL_SHADING, LeafSet::one(Leaf::PixelShading)),
    (BarrierSync::DEPTH_STENCIL, LeafSet::one(Leaf::DepthStencil)),
    (BarrierSync::RENDER_TARGET, LeafSet::one(Leaf::RenderTarget)),
    (
        BarrierSync::COMPUTE_SHADING,
        LeafSet::one(Leaf::ComputeShading),
    ),
    (BarrierSync::RAYTRACING, LeafSet::one(Leaf::Raytracing)),
    (BarrierSync::COPY, LeafSet::one(Leaf::Copy)),
    (BarrierSync::RESOLVE, LeafSet::one(Leaf::Resolve)),
    (
        BarrierSync::EXECUTE_INDIRECT,
        LeafSet::one(Leaf::ExecuteIndirect),
    ),
    // Reading R07: "all shader execution" includes ray tracing although the table omits it.
    (
        BarrierSync::ALL_SHADING,
        LeafSet::of(&[
            Leaf::VertexShading,
            Leaf::PixelShading,
            Leaf::ComputeShading,
            Leaf::Raytracing,
        ]),
    ),
    (
        BarrierSync::NON_PIXEL_SHADING,
        LeafSet::of(&[Leaf::VertexShading, Leaf::ComputeShading, Leaf::Raytracing]),
    ),
    (
        BarrierSync::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO,
        LeafSet::one(Leaf::EmitAs),
    ),
    (
        BarrierSync::CLEAR_UNORDERED_ACCESS_VIEW,
        LeafSet::one(Leaf::ClearUav),
    ),
    (BarrierSync::VIDEO_DECODE, LeafSet::one(Leaf::VideoDecode)),
    (BarrierSync::VIDEO_PROCESS, LeafSet::one(Leaf::VideoProcess)),
    (BarrierSync::VIDEO_ENCODE, LeafSet::one(Leaf::VideoEncode)),
    (
        BarrierSync::BUILD_RAYTRACING_ACCELERATION_STRUCTURE,
        LeafSet::one(Leaf::BuildAs),
    ),
    (
        BarrierSync::COPY_RAYTRACING_ACCELERATION_STRUCTURE,
        LeafSet::one(Leaf::CopyAs),
    ),
];
