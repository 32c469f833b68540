//! `D3D12_BARRIER_ACCESS`: the bits as in the header, and which of them write.

use bitflags::bitflags;

bitflags! {
    /// Bits of `D3D12_BARRIER_ACCESS`. `COMMON` is zero and yet wide; `NO_ACCESS` is a bit and yet allows nothing.
    /// `PREDICATION` is another name of `INDIRECT_ARGUMENT`.
    #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
    pub struct BarrierAccess: u32 {
        #[allow(missing_docs)] const VERTEX_BUFFER = 0x1;
        #[allow(missing_docs)] const CONSTANT_BUFFER = 0x2;
        #[allow(missing_docs)] const INDEX_BUFFER = 0x4;
        #[allow(missing_docs)] const RENDER_TARGET = 0x8;
        #[allow(missing_docs)] const UNORDERED_ACCESS = 0x10;
        #[allow(missing_docs)] const DEPTH_STENCIL_WRITE = 0x20;
        #[allow(missing_docs)] const DEPTH_STENCIL_READ = 0x40;
        #[allow(missing_docs)] const SHADER_RESOURCE = 0x80;
        #[allow(missing_docs)] const STREAM_OUTPUT = 0x100;
        #[allow(missing_docs)] const INDIRECT_ARGUMENT = 0x200;
        #[allow(missing_docs)] const COPY_DEST = 0x400;
        #[allow(missing_docs)] const COPY_SOURCE = 0x800;
        #[allow(missing_docs)] const RESOLVE_DEST = 0x1000;
        #[allow(missing_docs)] const RESOLVE_SOURCE = 0x2000;
        #[allow(missing_docs)] const RAYTRACING_ACCELERATION_STRUCTURE_READ = 0x4000;
        #[allow(missing_docs)] const RAYTRACING_ACCELERATION_STRUCTURE_WRITE = 0x8000;
        #[allow(missing_docs)] const SHADING_RATE_SOURCE = 0x1_0000;
        #[allow(missing_docs)] const VIDEO_DECODE_READ = 0x2_0000;
        #[allow(missing_docs)] const VIDEO_DECODE_WRITE = 0x4_0000;
        #[allow(missing_docs)] const VIDEO_PROCESS_READ = 0x8_0000;
        #[allow(missing_docs)] const VIDEO_PROCESS_WRITE = 0x10_0000;
        #[allow(missing_docs)] const VIDEO_ENCODE_READ = 0x20_0000;
        #[allow(missing_docs)] const VIDEO_ENCODE_WRITE = 0x40_0000;
        /// Preview of fence barriers: a dependency outside direct and compute queues of the device.
        const GLOBAL = 0x4000_0000;
        #[allow(missing_docs)] const NO_ACCESS = 0x8000_0000;
    }
}

impl BarrierAccess {
    /// `D3D12_BARRIER_ACCESS_COMMON`.
    pub const COMMON: Self = Self::empty();

    /// Every access that touches memory: all bits but `NO_ACCESS` and `GLOBAL`.
    pub const EVERY: Self = Self::from_bits_retain(0x7f_ffff);

    /// The accesses that write.
    pub const WRITES: Self = Self::RENDER_TARGET
        .union(Self::UNORDERED_ACCESS)
        .union(Self::DEPTH_STENCIL_WRITE)
        .union(Self::STREAM_OUTPUT)
        .union(Self::COPY_DEST)
        .union(Self::RESOLVE_DEST)
        .union(Self::RAYTRACING_ACCELERATION_STRUCTURE_WRITE)
        .union(Self::VIDEO_DECODE_WRITE)
        .union(Self::VIDEO_PROCESS_WRITE)
        .union(Self::VIDEO_ENCODE_WRITE);

    /// Accesses that write and may read as well.
    const READS_TOO: Self =
        Self::UNORDERED_ACCESS.union(Self::RAYTRACING_ACCELERATION_STRUCTURE_WRITE);

    /// Whether an access bit may read: one that only writes does not.
    pub const fn reads(self) -> bool {
        !self.writes() || self.intersects(Self::READS_TOO)
    }

    /// Whether any of the bits writes.
    pub const fn writes(self) -> bool {
        self.intersects(Self::WRITES)
    }

    /// Whether the value is `NO_ACCESS`.
    pub const fn is_no_access(self) -> bool {
        self.contains(Self::NO_ACCESS)
    }
}
