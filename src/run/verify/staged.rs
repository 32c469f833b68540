//! Ways to use a resource at stages that no row of its kind has: shaders of draws and of rays, and clears.
//!
//! A lowering may tell stages apart where accesses and layouts are the same. The rows follow the specification's
//! "Access Sync Compatibility".

use super::uses::{CONSTANTS, Kind, NON_PIXEL, READ, Row, SAMPLE, SRV, UAV, row};
use crate::api::BarrierAccess as A;

/// They are apart from the rows of their kinds so that small universes stay small.
pub(super) const ELSEWHERE: [(Kind, Row); 24] = [
    (
        Kind::Buffer,
        row(
            A::UNORDERED_ACCESS,
            "CLEAR_UNORDERED_ACCESS_VIEW",
            "",
            UAV,
            "clear-uav R",
        ),
    ),
    (
        Kind::Buffer,
        row(
            A::UNORDERED_ACCESS,
            "RAYTRACING",
            "",
            UAV,
            "dispatch-rays 8x8 { UNORDERED_ACCESS R }",
        ),
    ),
    (
        Kind::Buffer,
        row(
            A::UNORDERED_ACCESS,
            "PIXEL_SHADING",
            "",
            UAV,
            "draw { UNORDERED_ACCESS R @ PIXEL_SHADING }",
        ),
    ),
    (
        Kind::Buffer,
        row(
            A::UNORDERED_ACCESS,
            "VERTEX_SHADING",
            "",
            UAV,
            "draw { UNORDERED_ACCESS R @ VERTEX_SHADING }",
        ),
    ),
    (
        Kind::Buffer,
        row(
            A::SHADER_RESOURCE,
            "RAYTRACING",
            "",
            NON_PIXEL,
            "dispatch-rays 8x8 { SHADER_RESOURCE R }",
        ),
    ),
    (
        Kind::Buffer,
        row(
            A::SHADER_RESOURCE,
            "VERTEX_SHADING",
            "",
            NON_PIXEL,
            "draw { SHADER_RESOURCE R @ VERTEX_SHADING }",
        ),
    ),
    (
        Kind::Buffer,
        row(
            A::SHADER_RESOURCE,
            "PIXEL_SHADING",
            "",
            "PIXEL_SHADER_RESOURCE",
            SAMPLE,
        ),
    ),
    (
        Kind::Texture,
        row(A::SHADER_RESOURCE, "COMPUTE_SHADING", SRV, NON_PIXEL, READ),
    ),
    (
        Kind::Structure,
        row(
            A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
            "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO",
            "",
            "",
            "emit-as-postbuild R -> sizes",
        ),
    ),
    (
        Kind::Buffer,
        row(
            A::CONSTANT_BUFFER,
            "RAYTRACING",
            "",
            CONSTANTS,
            "dispatch-rays 8x8 { CONSTANT_BUFFER R }",
        ),
    ),
    (
        Kind::Buffer,
        row(
            A::CONSTANT_BUFFER,
            "PIXEL_SHADING",
            "",
            CONSTANTS,
            "draw { CONSTANT_BUFFER R @ PIXEL_SHADING }",
        ),
    ),
    (
        Kind::Buffer,
        row(
            A::CONSTANT_BUFFER,
            "VERTEX_SHADING",
            "",
            CONSTANTS,
            "draw { CONSTANT_BUFFER R @ VERTEX_SHADING }",
        ),
    ),
    (
        Kind::Texture,
        row(
            A::SHADER_RESOURCE,
            "VERTEX_SHADING",
            SRV,
            NON_PIXEL,
            "draw { SHADER_RESOURCE R @ VERTEX_SHADING }",
        ),
    ),
    (
        Kind::Texture,
        row(
            A::SHADER_RESOURCE,
            "RAYTRACING",
            SRV,
            NON_PIXEL,
            "dispatch-rays 8x8 { SHADER_RESOURCE R }",
        ),
    ),
    (
        Kind::Depth,
        row(A::SHADER_RESOURCE, "COMPUTE_SHADING", SRV, NON_PIXEL, READ),
    ),
    (
        Kind::Depth,
        row(
            A::SHADER_RESOURCE,
            "VERTEX_SHADING",
            SRV,
            NON_PIXEL,
            "draw { SHADER_RESOURCE R @ VERTEX_SHADING }",
        ),
    ),
    (
        Kind::Depth,
        row(
            A::SHADER_RESOURCE,
            "RAYTRACING",
            SRV,
            NON_PIXEL,
            "dispatch-rays 8x8 { SHADER_RESOURCE R }",
        ),
    ),
    (
        Kind::Samples,
        row(A::SHADER_RESOURCE, "COMPUTE_SHADING", SRV, NON_PIXEL, READ),
    ),
    (
        Kind::Samples,
        row(
            A::SHADER_RESOURCE,
            "VERTEX_SHADING",
            SRV,
            NON_PIXEL,
            "draw { SHADER_RESOURCE R @ VERTEX_SHADING }",
        ),
    ),
    (
        Kind::Samples,
        row(
            A::SHADER_RESOURCE,
            "RAYTRACING",
            SRV,
            NON_PIXEL,
            "dispatch-rays 8x8 { SHADER_RESOURCE R }",
        ),
    ),
    (
        Kind::Texture,
        row(
            A::UNORDERED_ACCESS,
            "RAYTRACING",
            UAV,
            UAV,
            "dispatch-rays 8x8 { UNORDERED_ACCESS R }",
        ),
    ),
    (
        Kind::Texture,
        row(
            A::UNORDERED_ACCESS,
            "PIXEL_SHADING",
            UAV,
            UAV,
            "draw { UNORDERED_ACCESS R @ PIXEL_SHADING }",
        ),
    ),
    (
        Kind::Texture,
        row(
            A::UNORDERED_ACCESS,
            "VERTEX_SHADING",
            UAV,
            UAV,
            "draw { UNORDERED_ACCESS R @ VERTEX_SHADING }",
        ),
    ),
    (
        Kind::Texture,
        row(
            A::UNORDERED_ACCESS,
            "CLEAR_UNORDERED_ACCESS_VIEW",
            UAV,
            UAV,
            "clear-uav R",
        ),
    ),
];
