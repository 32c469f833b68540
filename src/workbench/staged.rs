//! Ways to use a resource at stages that no row of its kind has: shaders of draws and of rays, and clears.
//!
//! A lowering may tell stages apart where accesses and layouts are the same. The rows follow the specification's
//! "Access Sync Compatibility".

use super::uses::{CONSTANTS, NON_PIXEL, ProgramResources, READ, Row, SAMPLE, SRV, UAV, row};
use crate::api::BarrierAccess as A;

/// They are apart from the rows of their kinds so that small universes stay small.
pub(super) const ELSEWHERE: [(ProgramResources, Row); 24] = [
    stored(
        ProgramResources::Buffer,
        "CLEAR_UNORDERED_ACCESS_VIEW",
        "clear-uav R",
    ),
    stored(ProgramResources::Buffer, "RAYTRACING", STORE_RAYS),
    stored(ProgramResources::Buffer, "PIXEL_SHADING", STORE_PIXELS),
    stored(ProgramResources::Buffer, "VERTEX_SHADING", STORE_VERTICES),
    read(ProgramResources::Buffer, "RAYTRACING", NON_PIXEL, READ_RAYS),
    read(
        ProgramResources::Buffer,
        "VERTEX_SHADING",
        NON_PIXEL,
        READ_VERTICES,
    ),
    read(
        ProgramResources::Buffer,
        "PIXEL_SHADING",
        "PIXEL_SHADER_RESOURCE",
        SAMPLE,
    ),
    read(
        ProgramResources::Texture,
        "COMPUTE_SHADING",
        NON_PIXEL,
        READ,
    ),
    (
        ProgramResources::Structure,
        row(
            A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
            "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO",
            "",
            "",
            "emit-as-postbuild R -> sizes",
        ),
    ),
    constants("RAYTRACING", "dispatch-rays 8x8 { CONSTANT_BUFFER R }"),
    constants(
        "PIXEL_SHADING",
        "draw { CONSTANT_BUFFER R @ PIXEL_SHADING }",
    ),
    constants(
        "VERTEX_SHADING",
        "draw { CONSTANT_BUFFER R @ VERTEX_SHADING }",
    ),
    read(
        ProgramResources::Texture,
        "VERTEX_SHADING",
        NON_PIXEL,
        READ_VERTICES,
    ),
    read(
        ProgramResources::Texture,
        "RAYTRACING",
        NON_PIXEL,
        READ_RAYS,
    ),
    read(ProgramResources::Depth, "COMPUTE_SHADING", NON_PIXEL, READ),
    read(
        ProgramResources::Depth,
        "VERTEX_SHADING",
        NON_PIXEL,
        READ_VERTICES,
    ),
    read(ProgramResources::Depth, "RAYTRACING", NON_PIXEL, READ_RAYS),
    read(
        ProgramResources::Samples,
        "COMPUTE_SHADING",
        NON_PIXEL,
        READ,
    ),
    read(
        ProgramResources::Samples,
        "VERTEX_SHADING",
        NON_PIXEL,
        READ_VERTICES,
    ),
    read(
        ProgramResources::Samples,
        "RAYTRACING",
        NON_PIXEL,
        READ_RAYS,
    ),
    stored(ProgramResources::Texture, "RAYTRACING", STORE_RAYS),
    stored(ProgramResources::Texture, "PIXEL_SHADING", STORE_PIXELS),
    stored(ProgramResources::Texture, "VERTEX_SHADING", STORE_VERTICES),
    stored(
        ProgramResources::Texture,
        "CLEAR_UNORDERED_ACCESS_VIEW",
        "clear-uav R",
    ),
];

const STORE_RAYS: &str = "dispatch-rays 8x8 { UNORDERED_ACCESS R }";
const STORE_PIXELS: &str = "draw { UNORDERED_ACCESS R @ PIXEL_SHADING }";
const STORE_VERTICES: &str = "draw { UNORDERED_ACCESS R @ VERTEX_SHADING }";
const READ_RAYS: &str = "dispatch-rays 8x8 { SHADER_RESOURCE R }";
const READ_VERTICES: &str = "draw { SHADER_RESOURCE R @ VERTEX_SHADING }";

/// Unordered access.
const fn stored(
    kind: ProgramResources,
    sync: &'static str,
    command: &'static str,
) -> (ProgramResources, Row) {
    let layout = if kind.is_buffer() { "" } else { UAV };
    (kind, row(A::UNORDERED_ACCESS, sync, layout, UAV, command))
}

/// A shader resource.
const fn read(
    kind: ProgramResources,
    sync: &'static str,
    state: &'static str,
    command: &'static str,
) -> (ProgramResources, Row) {
    let layout = if kind.is_buffer() { "" } else { SRV };
    (kind, row(A::SHADER_RESOURCE, sync, layout, state, command))
}

/// A constant buffer.
const fn constants(sync: &'static str, command: &'static str) -> (ProgramResources, Row) {
    (
        ProgramResources::Buffer,
        row(A::CONSTANT_BUFFER, sync, "", CONSTANTS, command),
    )
}
