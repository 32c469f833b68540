//! What waits of drivers cover, in D3D12's stages.
//!
//! Drivers copy, clear and build acceleration structures by dispatches where they have no engine for it, so that what waits for
//! dispatches waits for those. Vertex work has taken its indices and arguments when it ends. Pixel work ends after what is in front
//! of it in the pipe.

/// Everything.
pub(super) const ALL: &[&str] = &["ALL"];

/// Dispatches.
pub(super) const COMPUTE: &[&str] = &[
    "COMPUTE_SHADING",
    "COPY",
    "CLEAR_UNORDERED_ACCESS_VIEW",
    "RAYTRACING",
    "BUILD_RAYTRACING_ACCELERATION_STRUCTURE",
    "COPY_RAYTRACING_ACCELERATION_STRUCTURE",
    "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO",
];

/// Vertex shaders.
pub(super) const VERTEX: &[&str] = &["INDEX_INPUT", "VERTEX_SHADING", "EXECUTE_INDIRECT"];

/// Pixel shaders.
pub(super) const PIXEL: &[&str] = &[
    "INDEX_INPUT",
    "VERTEX_SHADING",
    "EXECUTE_INDIRECT",
    "PIXEL_SHADING",
    "DEPTH_STENCIL",
    "RESOLVE",
];

/// Draws to their end, where the driver's copies are draws.
pub(super) const DRAWS: &[&str] = &[
    "INDEX_INPUT",
    "VERTEX_SHADING",
    "EXECUTE_INDIRECT",
    "PIXEL_SHADING",
    "DEPTH_STENCIL",
    "RESOLVE",
    "RENDER_TARGET",
    "COPY",
];

/// Depth tests.
pub(super) const DEPTH: &[&str] = &["DEPTH_STENCIL"];
