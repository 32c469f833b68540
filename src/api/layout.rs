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
