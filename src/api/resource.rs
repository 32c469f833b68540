//! Resource flags, heap types, barrier types and flags: the header's values.

use bitflags::bitflags;

bitflags! {
    /// Bits of `D3D12_RESOURCE_FLAGS`. `VIDEO` is the scenario language's own, informative word and lies outside the
    /// header's range.
    #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
    pub struct ResourceFlags: u32 {
        #[allow(missing_docs)] const RENDER_TARGET = 0x1;
        #[allow(missing_docs)] const DEPTH_STENCIL = 0x2;
        #[allow(missing_docs)] const UNORDERED_ACCESS = 0x4;
        #[allow(missing_docs)] const DENY_SHADER_RESOURCE = 0x8;
        #[allow(missing_docs)] const CROSS_ADAPTER = 0x10;
        #[allow(missing_docs)] const SIMULTANEOUS_ACCESS = 0x20;
        #[allow(missing_docs)] const VIDEO_DECODE_REFERENCE_ONLY = 0x40;
        #[allow(missing_docs)] const VIDEO_ENCODE_REFERENCE_ONLY = 0x80;
        #[allow(missing_docs)] const RAYTRACING_ACCELERATION_STRUCTURE = 0x100;
        #[allow(missing_docs)] const USE_TIGHT_ALIGNMENT = 0x400;
        /// Used by a video queue; informative.
        const VIDEO = 0x8000_0000;
    }
}

bitflags! {
    /// Bits of `D3D12_TEXTURE_BARRIER_FLAGS`.
    #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
    pub struct BarrierFlags: u32 {
        /// Discard the old contents and initialise compression metadata.
        const DISCARD = 0x1;
    }
}

/// `D3D12_HEAP_TYPE`, as far as the scenario language names it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum HeapType {
    /// `DEFAULT`: GPU memory.
    #[default]
    Default,
    /// `UPLOAD`: the CPU writes, the GPU reads.
    Upload,
    /// `READBACK`: the GPU writes, the CPU reads.
    Readback,
}

/// `D3D12_BARRIER_TYPE`, and the DDI's `RANGED`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BarrierType {
    /// All memory of the queue.
    Global,
    /// Subresources of one texture.
    Texture,
    /// One buffer.
    Buffer,
    /// DDI only.
    Ranged,
}

/// What a resource is, as far as the meaning of an access depends on it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ResourceTraits {
    /// A buffer, not a texture.
    pub is_buffer: bool,
    /// Creation flags.
    pub flags: ResourceFlags,
    /// Type of the heap that holds it.
    pub heap: HeapType,
}
