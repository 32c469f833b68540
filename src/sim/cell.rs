//! Versions, and what bytes of texels and of metadata contain.

use crate::api::BarrierAccess;
use crate::id::{Extent, MemoryId, NodeId, OpId, ResourceId};
use crate::program::{CompressionState, Form};

/// Number of a version. Zero is what was there before anything ran; later ones count in order of issue.
pub(super) type Version = u32;

/// Initial contents.
pub(super) const INITIAL: Version = 0;

/// What is known about a version.
#[derive(Copy, Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each says something else of a write"
)]
pub(super) struct VersionInfo {
    pub(super) op: OpId,
    pub(super) node: NodeId,
    pub(super) queue: u32,
    pub(super) resource: ResourceId,
    pub(super) access: BarrierAccess,
    pub(super) atomic: bool,
    /// Its contents have no defined value.
    pub(super) undefined: bool,
    /// A reset dropped the write before it was there.
    pub(super) lost: bool,
    /// The write has ended.
    pub(super) present: bool,
}

impl VersionInfo {
    /// What was there before anything ran.
    pub(super) const INITIAL: Self = Self {
        op: OpId(u32::MAX),
        node: NodeId(u32::MAX),
        queue: u32::MAX,
        resource: ResourceId(u32::MAX),
        access: BarrierAccess::empty(),
        atomic: false,
        undefined: false,
        lost: false,
        present: true,
    };
}

/// What some bytes are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) version: Version,
    pub(super) content: Content,
}

/// What bytes of texels or of metadata contain.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// As the resource was created.
    Untouched,
    /// Texels, or bytes of a buffer.
    Texels(Form),
    /// Metadata that describes the cell's version.
    Metadata(CompressionState),
}

impl Cell {
    pub(super) const UNTOUCHED: Self = Self {
        version: INITIAL,
        content: Content::Untouched,
    };

    /// Bytes of texels in a form.
    pub(super) fn texels(version: Version, form: Form) -> Self {
        Self {
            version,
            content: Content::Texels(form),
        }
    }

    /// Metadata in a state.
    pub(super) fn metadata(version: Version, state: CompressionState) -> Self {
        Self {
            version,
            content: Content::Metadata(state),
        }
    }

    /// The form of texels.
    pub(super) fn form(self) -> Form {
        match self.content {
            Content::Texels(form) => form,
            Content::Untouched | Content::Metadata(_) => Form::Plain,
        }
    }
}

/// Which blocks are metadata, and of how much.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Scale {
    /// The first block of metadata.
    first: u32,
    /// Bytes of texels that a byte of metadata describes.
    pub(super) covers: u64,
}

impl Scale {
    /// No block is metadata.
    pub(super) const TEXELS: Self = Self {
        first: u32::MAX,
        covers: 1,
    };

    pub(super) fn new(first: Option<u32>, covers: u64) -> Self {
        first.map_or(Self::TEXELS, |first| Self { first, covers })
    }

    /// Places that stand for one byte.
    pub(super) fn places(self, memory: MemoryId) -> u64 {
        if memory.0 >= self.first {
            self.covers
        } else {
            1
        }
    }

    /// What a place of a block weighs in a cache, so that a byte weighs the same in every block.
    pub(super) fn weight(self, memory: MemoryId) -> u64 {
        if memory.0 >= self.first {
            1
        } else {
            self.covers
        }
    }

    /// Bytes of so many places, rounded up.
    pub(super) fn bytes(self, memory: MemoryId, places: u64) -> u64 {
        div_ceil(places, self.places(memory))
    }

    /// Where the metadata of bytes is.
    pub(super) fn metadata_of(self, extent: Extent) -> Option<Extent> {
        (self.first != u32::MAX).then(|| Extent {
            memory: MemoryId(extent.memory.0 + self.first),
            ..extent
        })
    }
}

/// The multiple of a size at or below an amount.
pub(super) fn round_down(amount: u64, size: u64) -> u64 {
    if size.is_power_of_two() {
        amount & !(size - 1)
    } else {
        amount - amount % size
    }
}

/// A quotient, rounded up. Sizes of lines mostly are powers of two, by which it is quick.
pub(super) fn div_ceil(amount: u64, size: u64) -> u64 {
    if size.is_power_of_two() {
        let shift = size.trailing_zeros();
        (amount >> shift) + u64::from(amount & (size - 1) != 0)
    } else {
        amount.div_ceil(size)
    }
}
