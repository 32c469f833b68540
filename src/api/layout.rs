//! `D3D12_BARRIER_LAYOUT`: texture layouts.

/// A texture layout. `PRESENT` is another name of `COMMON`.
///
/// The value 31 (`DirectQueueGenericReadComputeQueueAccessible`) and the `Legacy*` values are known to the DDI or to
/// newer headers only: they parse, and are errors in a barrier (reading R10).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Layout {
    Undefined,
    Common,
    GenericRead,
    RenderTarget,
    UnorderedAccess,
    DepthStencilWrite,
    DepthStencilRead,
    ShaderResource,
    CopySource,
    CopyDest,
    ResolveSource,
    ResolveDest,
    ShadingRateSource,
    VideoDecodeRead,
    VideoDecodeWrite,
    VideoProcessRead,
    VideoProcessWrite,
    VideoEncodeRead,
    VideoEncodeWrite,
    DirectQueueCommon,
    DirectQueueGenericRead,
    DirectQueueUnorderedAccess,
    DirectQueueShaderResource,
    DirectQueueCopySource,
    DirectQueueCopyDest,
    ComputeQueueCommon,
    ComputeQueueGenericRead,
    ComputeQueueUnorderedAccess,
    ComputeQueueShaderResource,
    ComputeQueueCopySource,
    ComputeQueueCopyDest,
    VideoQueueCommon,
    DirectQueueGenericReadComputeQueueAccessible,
    LegacyCopySource,
    LegacyCopyDest,
    LegacyShaderResource,
    LegacyPixelShaderResource,
    /// A number that no header knows.
    Unknown(u32),
}

impl Layout {
    /// Every layout that a header or the DDI knows, in the order of their values, `UNDEFINED` first.
    pub const ALL: [Self; 37] = [
        Self::Undefined,
        Self::Common,
        Self::GenericRead,
        Self::RenderTarget,
        Self::UnorderedAccess,
        Self::DepthStencilWrite,
        Self::DepthStencilRead,
        Self::ShaderResource,
        Self::CopySource,
        Self::CopyDest,
        Self::ResolveSource,
        Self::ResolveDest,
        Self::ShadingRateSource,
        Self::VideoDecodeRead,
        Self::VideoDecodeWrite,
        Self::VideoProcessRead,
        Self::VideoProcessWrite,
        Self::VideoEncodeRead,
        Self::VideoEncodeWrite,
        Self::DirectQueueCommon,
        Self::DirectQueueGenericRead,
        Self::DirectQueueUnorderedAccess,
        Self::DirectQueueShaderResource,
        Self::DirectQueueCopySource,
        Self::DirectQueueCopyDest,
        Self::ComputeQueueCommon,
        Self::ComputeQueueGenericRead,
        Self::ComputeQueueUnorderedAccess,
        Self::ComputeQueueShaderResource,
        Self::ComputeQueueCopySource,
        Self::ComputeQueueCopyDest,
        Self::VideoQueueCommon,
        Self::DirectQueueGenericReadComputeQueueAccessible,
        Self::LegacyCopySource,
        Self::LegacyCopyDest,
        Self::LegacyShaderResource,
        Self::LegacyPixelShaderResource,
    ];

    /// The layout of a header's value.
    pub fn from_value(value: u32) -> Self {
        match value {
            0xffff_ffff => Self::Undefined,
            0..=31 => Self::ALL[value as usize + 1],
            0x8000_0000..=0x8000_0003 => Self::ALL[(value - 0x8000_0000) as usize + 33],
            _ => Self::Unknown(value),
        }
    }

    /// The header's value: `0xffffffff` for `UNDEFINED`, from `0x80000000` on for the legacy ones.
    pub fn value(self) -> u32 {
        match self {
            Self::Undefined => 0xffff_ffff,
            Self::Common => 0,
            Self::GenericRead => 1,
            Self::RenderTarget => 2,
            Self::UnorderedAccess => 3,
            Self::DepthStencilWrite => 4,
            Self::DepthStencilRead => 5,
            Self::ShaderResource => 6,
            Self::CopySource => 7,
            Self::CopyDest => 8,
            Self::ResolveSource => 9,
            Self::ResolveDest => 10,
            Self::ShadingRateSource => 11,
            Self::VideoDecodeRead => 12,
            Self::VideoDecodeWrite => 13,
            Self::VideoProcessRead => 14,
            Self::VideoProcessWrite => 15,
            Self::VideoEncodeRead => 16,
            Self::VideoEncodeWrite => 17,
            Self::DirectQueueCommon => 18,
            Self::DirectQueueGenericRead => 19,
            Self::DirectQueueUnorderedAccess => 20,
            Self::DirectQueueShaderResource => 21,
            Self::DirectQueueCopySource => 22,
            Self::DirectQueueCopyDest => 23,
            Self::ComputeQueueCommon => 24,
            Self::ComputeQueueGenericRead => 25,
            Self::ComputeQueueUnorderedAccess => 26,
            Self::ComputeQueueShaderResource => 27,
            Self::ComputeQueueCopySource => 28,
            Self::ComputeQueueCopyDest => 29,
            Self::VideoQueueCommon => 30,
            Self::DirectQueueGenericReadComputeQueueAccessible => 31,
            Self::LegacyCopySource => 0x8000_0000,
            Self::LegacyCopyDest => 0x8000_0001,
            Self::LegacyShaderResource => 0x8000_0002,
            Self::LegacyPixelShaderResource => 0x8000_0003,
            Self::Unknown(value) => value,
        }
    }

    /// Whether the public header of the specification knows it. Others are errors in a barrier (reading R10).
    pub fn is_public(self) -> bool {
        self.value() <= Self::VideoQueueCommon.value() || self == Self::Undefined
    }

    /// Whether a use in it needs sound metadata (reading R25).
    pub fn needs_metadata(self) -> bool {
        matches!(
            self,
            Self::RenderTarget
                | Self::DepthStencilWrite
                | Self::DepthStencilRead
                | Self::UnorderedAccess
                | Self::DirectQueueUnorderedAccess
                | Self::ComputeQueueUnorderedAccess
        )
    }

    /// Whether only one kind of queue understands it. Spec: "Queue type specific layouts".
    pub fn is_queue_specific(self) -> bool {
        (Self::DirectQueueCommon.value()..=Self::VideoQueueCommon.value()).contains(&self.value())
    }
}
