//! The document of a frame graph.

use serde::Deserialize;

/// Passes with what they read and write.
#[derive(Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FrameGraph {
    /// Version of this contract: 1.
    pub schema: u32,
    /// What the frame is called.
    #[serde(default)]
    pub name: Option<String>,
    /// How often the frame is submitted.
    #[serde(default = "once")]
    pub frames: u64,
    /// Queues.
    pub queues: Vec<QueueNode>,
    /// Heaps of placed resources.
    #[serde(default)]
    pub heaps: Vec<HeapNode>,
    /// Textures and buffers.
    pub resources: Vec<ResourceNode>,
    /// Passes in the order in which they are submitted.
    pub passes: Vec<PassNode>,
}

/// A queue.
#[derive(Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct QueueNode {
    /// Its name.
    pub name: String,
    /// `direct`, `compute`, `copy` or a video queue's word.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A heap.
#[derive(Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HeapNode {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// A texture or a buffer.
#[derive(Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ResourceNode {
    /// Its name.
    pub name: String,
    /// The size, of a buffer.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// The shape, of a texture.
    #[serde(default)]
    pub texture: Option<TextureNode>,
    /// Creation flags: `RENDER_TARGET`.
    #[serde(default)]
    pub flags: Vec<String>,
    /// The layout in which a texture is created; `COMMON` if nothing is said.
    #[serde(default)]
    pub initial: Option<String>,
    /// The heap of a placed resource.
    #[serde(default)]
    pub heap: Option<String>,
    /// Bytes from the heap's start.
    #[serde(default)]
    pub offset: u64,
    /// What is in it after the last frame matters.
    #[serde(default)]
    pub keep: bool,
}

/// The shape of a texture.
#[derive(Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TextureNode {
    /// A DXGI format, without its prefix.
    pub format: String,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Texels of a volume.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Mip levels.
    #[serde(default)]
    pub mips: Option<u32>,
    /// Array slices.
    #[serde(default)]
    pub layers: Option<u32>,
    /// Samples a texel.
    #[serde(default)]
    pub samples: Option<u32>,
}

/// A pass.
#[derive(Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PassNode {
    /// Its name.
    pub name: String,
    /// The queue that carries it out.
    pub queue: String,
    /// The command that it is: `draw`, `dispatch`, `dispatch-rays`, `copy`, `clear-rtv`, `present` and so on. Without it a draw on a
    /// direct queue, a dispatch on a compute queue and a copy on a copy queue.
    #[serde(default)]
    pub command: Option<String>,
    /// Vertices of a draw.
    #[serde(default)]
    pub vertices: Option<u64>,
    /// Pixels of a draw.
    #[serde(default)]
    pub pixels: Option<u64>,
    /// Thread groups of a dispatch.
    #[serde(default)]
    pub groups: Option<[u32; 3]>,
    /// How long it takes on an idle machine, of a draw or a dispatch.
    #[serde(default)]
    pub takes_ns: Option<u64>,
    /// What it reads and writes. Of a copy the source, then the destination.
    #[serde(default)]
    pub uses: Vec<UseNode>,
}

/// A use of a resource.
#[derive(Deserialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UseNode {
    /// A D3D12 access without its prefix; a command that has only one, as a copy, needs none.
    #[serde(default)]
    pub access: Option<String>,
    /// The resource.
    pub resource: String,
    /// The part of it, as in scenario text: `mip 1`, `layer 0..2`, `0..256`.
    #[serde(default)]
    pub range: Option<String>,
    /// Stages of a shader's access: `PIXEL_SHADING`.
    #[serde(default)]
    pub stages: Vec<String>,
    /// `reads`, `writes` or `atomics`, of an unordered access.
    #[serde(default)]
    pub mode: Option<String>,
}

fn once() -> u64 {
    1
}
