//! Heaps, textures and buffers, and the parts of them that statements name.

use super::{Trivia, is_false};
use crate::api::format::Format;
use crate::api::{HeapType, Layout, ResourceFlags, ResourceState};
use crate::finding::Span;
use crate::id::{HeapId, ResourceId};
use serde::{Deserialize, Serialize};
use std::ops;

/// `heap NAME : SIZE { type … }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Heap {
    /// Bytes.
    pub size: u64,
    /// Type.
    pub heap_type: HeapType,
    /// Place in the source.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// A texture or buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Resource {
    /// Texture or buffer, with its shape.
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
    /// Place in the source.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// Kind and shape of a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
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
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Initial {
    /// Nothing was written: `COMMON` for a texture.
    Default,
    /// `initial LAYOUT`.
    Layout(Layout),
    /// `state STATE`: the legacy way.
    State(ResourceState),
}

impl TextureShape {
    /// One mip level, one array slice and one sample of each texel.
    pub fn new(format: Format, width: u32, height: u32) -> Self {
        Self {
            format,
            width,
            height,
            depth: 1,
            mips: 1,
            layers: 1,
            samples: 1,
        }
    }
}

impl Resource {
    /// A committed resource in GPU memory, without flags.
    pub fn new(kind: ResourceKind) -> Self {
        Self {
            kind,
            flags: ResourceFlags::empty(),
            placement: Placement::Committed,
            initial: Initial::Default,
            heap_type: HeapType::Default,
            uncompressed: false,
            keep: false,
            span: Span::default(),
            trivia: Trivia(None),
        }
    }

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

/// Part of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Range {
    /// The whole resource.
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

impl Range {
    /// Some mip levels, of every slice and plane.
    pub fn mips(mips: ops::Range<u32>) -> Self {
        SubresourceRange {
            mips: Some((mips.start, mips.end)),
            ..SubresourceRange::default()
        }
        .into()
    }

    /// Some array slices, at every mip level and plane.
    pub fn layers(layers: ops::Range<u32>) -> Self {
        SubresourceRange {
            layers: Some((layers.start, layers.end)),
            ..SubresourceRange::default()
        }
        .into()
    }

    /// Some bytes of a buffer.
    pub fn bytes(bytes: ops::Range<u64>) -> Self {
        Self::Bytes {
            start: bytes.start,
            end: bytes.end,
        }
    }
}

impl From<SubresourceRange> for Range {
    fn from(range: SubresourceRange) -> Self {
        Self::Subresources(Box::new(range))
    }
}

/// A resource, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The resource.
    pub resource: ResourceId,
    /// The part.
    pub range: Range,
}

impl From<ResourceId> for Part {
    /// Everything.
    fn from(resource: ResourceId) -> Self {
        Self::from((resource, Range::All))
    }
}

impl From<(ResourceId, Range)> for Part {
    fn from((resource, range): (ResourceId, Range)) -> Self {
        Self { resource, range }
    }
}

/// A box of subresources. `(first, end)` half-open, never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Rect {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}
