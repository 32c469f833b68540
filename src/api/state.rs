//! `D3D12_RESOURCE_STATES`: legacy states.

use bitflags::bitflags;

bitflags! {
    /// Bits of `D3D12_RESOURCE_STATES`. `COMMON` and `PRESENT` are zero.
    #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
    pub struct ResourceState: u32 {
        #[allow(missing_docs)] const VERTEX_AND_CONSTANT_BUFFER = 0x1;
        #[allow(missing_docs)] const INDEX_BUFFER = 0x2;
        #[allow(missing_docs)] const RENDER_TARGET = 0x4;
        #[allow(missing_docs)] const UNORDERED_ACCESS = 0x8;
        #[allow(missing_docs)] const DEPTH_WRITE = 0x10;
        #[allow(missing_docs)] const DEPTH_READ = 0x20;
        #[allow(missing_docs)] const NON_PIXEL_SHADER_RESOURCE = 0x40;
        #[allow(missing_docs)] const PIXEL_SHADER_RESOURCE = 0x80;
        #[allow(missing_docs)] const STREAM_OUT = 0x100;
        #[allow(missing_docs)] const INDIRECT_ARGUMENT = 0x200;
        #[allow(missing_docs)] const COPY_DEST = 0x400;
        #[allow(missing_docs)] const COPY_SOURCE = 0x800;
        #[allow(missing_docs)] const RESOLVE_DEST = 0x1000;
        #[allow(missing_docs)] const RESOLVE_SOURCE = 0x2000;
        #[allow(missing_docs)] const VIDEO_DECODE_READ = 0x1_0000;
        #[allow(missing_docs)] const VIDEO_DECODE_WRITE = 0x2_0000;
        #[allow(missing_docs)] const VIDEO_PROCESS_READ = 0x4_0000;
        #[allow(missing_docs)] const VIDEO_PROCESS_WRITE = 0x8_0000;
        #[allow(missing_docs)] const VIDEO_ENCODE_READ = 0x20_0000;
        #[allow(missing_docs)] const RAYTRACING_ACCELERATION_STRUCTURE = 0x40_0000;
        #[allow(missing_docs)] const VIDEO_ENCODE_WRITE = 0x80_0000;
        #[allow(missing_docs)] const SHADING_RATE_SOURCE = 0x100_0000;
    }
}
