//! Leaf stages: the synchronization scopes that contain no other, and sets of them.

use std::fmt;

/// A synchronization scope that supersedes no other. Predication shares its value with indirect execution in the
/// header and therefore shares the leaf.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Leaf {
    /// `EXECUTE_INDIRECT` and `PREDICATION`: the front end reads arguments.
    ExecuteIndirect,
    /// `INDEX_INPUT`.
    IndexInput,
    /// `VERTEX_SHADING`: all stages before rasterisation.
    VertexShading,
    /// `DEPTH_STENCIL`: early and late tests.
    DepthStencil,
    /// `PIXEL_SHADING`.
    PixelShading,
    /// `RENDER_TARGET`.
    RenderTarget,
    /// `COMPUTE_SHADING`.
    ComputeShading,
    /// `RAYTRACING`.
    Raytracing,
    /// `COPY`.
    Copy,
    /// `RESOLVE`.
    Resolve,
    /// `CLEAR_UNORDERED_ACCESS_VIEW`.
    ClearUav,
    /// `BUILD_RAYTRACING_ACCELERATION_STRUCTURE`.
    BuildAs,
    /// `COPY_RAYTRACING_ACCELERATION_STRUCTURE`.
    CopyAs,
    /// `EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO`.
    EmitAs,
    /// `VIDEO_DECODE`.
    VideoDecode,
    /// `VIDEO_PROCESS`.
    VideoProcess,
    /// `VIDEO_ENCODE`.
    VideoEncode,
}

impl Leaf {
    /// Number of leaves.
    pub const COUNT: usize = 17;

    /// Every leaf, front of the pipeline first.
    pub const ALL: [Self; Self::COUNT] = [
        Self::ExecuteIndirect,
        Self::IndexInput,
        Self::VertexShading,
        Self::DepthStencil,
        Self::PixelShading,
        Self::RenderTarget,
        Self::ComputeShading,
        Self::Raytracing,
        Self::Copy,
        Self::Resolve,
        Self::ClearUav,
        Self::BuildAs,
        Self::CopyAs,
        Self::EmitAs,
        Self::VideoDecode,
        Self::VideoProcess,
        Self::VideoEncode,
    ];

    /// Position in [`Leaf::ALL`].
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name of the `D3D12_BARRIER_SYNC` bit, without prefix.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExecuteIndirect => "EXECUTE_INDIRECT",
            Self::IndexInput => "INDEX_INPUT",
            Self::VertexShading => "VERTEX_SHADING",
            Self::DepthStencil => "DEPTH_STENCIL",
            Self::PixelShading => "PIXEL_SHADING",
            Self::RenderTarget => "RENDER_TARGET",
            Self::ComputeShading => "COMPUTE_SHADING",
            Self::Raytracing => "RAYTRACING",
            Self::Copy => "COPY",
            Self::Resolve => "RESOLVE",
            Self::ClearUav => "CLEAR_UNORDERED_ACCESS_VIEW",
            Self::BuildAs => "BUILD_RAYTRACING_ACCELERATION_STRUCTURE",
            Self::CopyAs => "COPY_RAYTRACING_ACCELERATION_STRUCTURE",
            Self::EmitAs => "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO",
            Self::VideoDecode => "VIDEO_DECODE",
            Self::VideoProcess => "VIDEO_PROCESS",
            Self::VideoEncode => "VIDEO_ENCODE",
        }
    }
}

/// A set of leaves: one bit each, bit `Leaf::index`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LeafSet(pub u32);

impl LeafSet {
    /// No leaf.
    pub const EMPTY: Self = Self(0);
    /// Every leaf.
    pub const ALL: Self = Self((1 << Leaf::COUNT) - 1);
    /// The five leaves of a draw.
    pub const DRAW: Self = Self::of(&[
        Leaf::IndexInput,
        Leaf::VertexShading,
        Leaf::DepthStencil,
        Leaf::PixelShading,
        Leaf::RenderTarget,
    ]);
    /// The shader leaves of a draw.
    pub const DRAW_SHADING: Self = Self::of(&[Leaf::VertexShading, Leaf::PixelShading]);

    /// The set of the given leaves.
    pub const fn of(leaves: &[Leaf]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < leaves.len() {
            bits |= 1 << (leaves[i] as u32);
            i += 1;
        }
        Self(bits)
    }

    /// The set of one leaf.
    #[inline]
    pub const fn one(leaf: Leaf) -> Self {
        Self(1 << (leaf as u32))
    }

    /// Whether the leaf is in the set.
    #[inline]
    pub const fn has(self, leaf: Leaf) -> bool {
        self.0 & (1 << (leaf as u32)) != 0
    }

    /// Whether every leaf of `other` is in the set.
    #[inline]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the sets share a leaf.
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether no leaf is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of leaves.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Leaves in either.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Leaves in both.
    #[inline]
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Leaves of `self` that are not in `other`.
    #[inline]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The leaves, front of the pipeline first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Leaf> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let index = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            Some(Leaf::ALL[index])
        })
    }
}

impl From<Leaf> for LeafSet {
    fn from(leaf: Leaf) -> Self {
        Self::one(leaf)
    }
}

impl fmt::Display for LeafSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("NONE");
        }
        for (i, leaf) in self.iter().enumerate() {
            if i > 0 {
                f.write_str("|")?;
            }
            f.write_str(leaf.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for LeafSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
