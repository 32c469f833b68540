//! The driver interface's values, typed by hand from the reference page and the specification's "DDI".

#![allow(
    clippy::unreadable_literal,
    reason = "numbers as the header writes them, to be compared by eye"
)]

use syncscope::api::ddi::{self, DdiType, RangedFlags};
use syncscope::api::{BarrierAccess, BarrierSync, Layout};

/// `D3D12DDI_BARRIER_SYNC`: every name of the reference page, in its order.
pub(super) const SYNC: [(&str, u32); 25] = [
    ("NONE", 0x0),
    ("ALL", 0x1),
    ("DRAW", 0x2),
    ("INPUT_ASSEMBLER", 0x4),
    ("INDEX_INPUT", 0x4),
    ("VERTEX_SHADING", 0x8),
    ("PIXEL_SHADING", 0x10),
    ("DEPTH_STENCIL", 0x20),
    ("RENDER_TARGET", 0x40),
    ("COMPUTE_SHADING", 0x80),
    ("RAYTRACING", 0x100),
    ("COPY", 0x200),
    ("RESOLVE", 0x400),
    ("EXECUTE_INDIRECT", 0x800),
    ("PREDICATION", 0x800),
    ("ALL_SHADING", 0x1000),
    ("NON_PIXEL_SHADING", 0x2000),
    (
        "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO",
        0x4000,
    ),
    ("CLEAR_UNORDERED_ACCESS_VIEW", 0x8000),
    ("VIDEO_DECODE", 0x100000),
    ("VIDEO_PROCESS", 0x200000),
    ("VIDEO_ENCODE", 0x400000),
    ("BUILD_RAYTRACING_ACCELERATION_STRUCTURE", 0x800000),
    ("COPY_RAYTRACING_ACCELERATION_STRUCTURE", 0x1000000),
    ("SPLIT", 0x80000000),
];

/// `D3D12DDI_BARRIER_ACCESS`.
pub(super) const ACCESS: [(&str, u32); 26] = [
    ("COMMON", 0),
    ("VERTEX_BUFFER", 0x1),
    ("CONSTANT_BUFFER", 0x2),
    ("INDEX_BUFFER", 0x4),
    ("RENDER_TARGET", 0x8),
    ("UNORDERED_ACCESS", 0x10),
    ("DEPTH_STENCIL_WRITE", 0x20),
    ("DEPTH_STENCIL_READ", 0x40),
    ("SHADER_RESOURCE", 0x80),
    ("STREAM_OUTPUT", 0x100),
    ("INDIRECT_ARGUMENT", 0x200),
    ("PREDICATION", 0x200),
    ("COPY_DEST", 0x400),
    ("COPY_SOURCE", 0x800),
    ("RESOLVE_DEST", 0x1000),
    ("RESOLVE_SOURCE", 0x2000),
    ("RAYTRACING_ACCELERATION_STRUCTURE_READ", 0x4000),
    ("RAYTRACING_ACCELERATION_STRUCTURE_WRITE", 0x8000),
    ("SHADING_RATE_SOURCE", 0x10000),
    ("VIDEO_DECODE_READ", 0x20000),
    ("VIDEO_DECODE_WRITE", 0x40000),
    ("VIDEO_PROCESS_READ", 0x80000),
    ("VIDEO_PROCESS_WRITE", 0x100000),
    ("VIDEO_ENCODE_READ", 0x200000),
    ("VIDEO_ENCODE_WRITE", 0x400000),
    ("NO_ACCESS", 0x80000000),
];

/// `D3D12DDI_BARRIER_LAYOUT`: counted from 0 on, and again from 0x80000000 on.
pub(super) const LAYOUT: [(&str, u32); 38] = [
    ("UNDEFINED", 0xffffffff),
    ("COMMON", 0),
    ("PRESENT", 0),
    ("GENERIC_READ", 1),
    ("RENDER_TARGET", 2),
    ("UNORDERED_ACCESS", 3),
    ("DEPTH_STENCIL_WRITE", 4),
    ("DEPTH_STENCIL_READ", 5),
    ("SHADER_RESOURCE", 6),
    ("COPY_SOURCE", 7),
    ("COPY_DEST", 8),
    ("RESOLVE_SOURCE", 9),
    ("RESOLVE_DEST", 10),
    ("SHADING_RATE_SOURCE", 11),
    ("VIDEO_DECODE_READ", 12),
    ("VIDEO_DECODE_WRITE", 13),
    ("VIDEO_PROCESS_READ", 14),
    ("VIDEO_PROCESS_WRITE", 15),
    ("VIDEO_ENCODE_READ", 16),
    ("VIDEO_ENCODE_WRITE", 17),
    ("DIRECT_QUEUE_COMMON", 18),
    ("DIRECT_QUEUE_GENERIC_READ", 19),
    ("DIRECT_QUEUE_UNORDERED_ACCESS", 20),
    ("DIRECT_QUEUE_SHADER_RESOURCE", 21),
    ("DIRECT_QUEUE_COPY_SOURCE", 22),
    ("DIRECT_QUEUE_COPY_DEST", 23),
    ("COMPUTE_QUEUE_COMMON", 24),
    ("COMPUTE_QUEUE_GENERIC_READ", 25),
    ("COMPUTE_QUEUE_UNORDERED_ACCESS", 26),
    ("COMPUTE_QUEUE_SHADER_RESOURCE", 27),
    ("COMPUTE_QUEUE_COPY_SOURCE", 28),
    ("COMPUTE_QUEUE_COPY_DEST", 29),
    ("VIDEO_QUEUE_COMMON", 30),
    (
        "LEGACY_DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE",
        31,
    ),
    ("LEGACY_COPY_SOURCE", 0x80000000),
    ("LEGACY_COPY_DEST", 0x80000001),
    ("LEGACY_SHADER_RESOURCE", 0x80000002),
    ("LEGACY_PIXEL_SHADER_RESOURCE", 0x80000003),
];

/// Names that share their value with another and are not printed.
const ALIASES: [&str; 4] = ["INDEX_INPUT", "PREDICATION", "PRESENT", "NONE"];

fn compare(
    rows: &[(&str, u32)],
    parse: impl Fn(&str) -> Option<u32>,
    name: impl Fn(u32) -> String,
) {
    for (word, value) in rows {
        assert_eq!(parse(word), Some(*value), "{word}");
        if !ALIASES.contains(word) {
            assert_eq!(name(*value), *word);
        }
    }
}

#[test]
fn every_sync_bit_of_the_driver_interface() {
    let parse = |word: &str| BarrierSync::parse_one(word).map(ddi::sync);
    compare(&SYNC, parse, ddi::sync_names);
    assert_eq!(ddi::sync_names(0), "NONE");
    assert_eq!(ddi::sync_names(0x204), "INPUT_ASSEMBLER|COPY");
    let known = SYNC.iter().fold(0, |set, (_, value)| set | value);
    assert_eq!(BarrierSync::all().bits(), known, "no bit of ours alone");
}

#[test]
fn every_access_bit_of_the_driver_interface() {
    let parse = |word: &str| BarrierAccess::parse_one(word).map(ddi::access);
    compare(&ACCESS, parse, ddi::access_names);
    let known = ACCESS.iter().fold(0, |set, (_, value)| set | value);
    assert_eq!(
        BarrierAccess::all().bits() & !BarrierAccess::GLOBAL.bits(),
        known
    );
}

#[test]
fn every_layout_of_the_driver_interface() {
    let parse = |word: &str| Layout::parse(word).map(ddi::layout);
    compare(&LAYOUT, parse, ddi::layout_name);
    for layout in Layout::ALL {
        let value = ddi::layout(layout);
        assert!(LAYOUT.iter().any(|(_, v)| *v == value), "{layout}");
    }
}

#[test]
fn every_kind_has_the_driver_interfaces_number() {
    let rows = [("GLOBAL", 0), ("TEXTURE", 1), ("BUFFER", 2), ("RANGED", 3)];
    let ours = DdiType::ALL.map(|kind| (kind.name(), kind.value()));
    assert_eq!(ours, rows);
}

#[test]
fn ranged_flags_of_both_revisions() {
    let rows = [
        ("NONE", 0),
        ("ATOMIC_COPY", 1),
        ("ACQUIRE", 2),
        ("RELEASE", 4),
    ];
    for (word, value) in rows {
        assert_eq!(RangedFlags::parse_one(word).map(|f| f.bits()), Some(value));
        assert_eq!(RangedFlags::from_bits_retain(value).ddi_names(), word);
    }
    assert_eq!(RangedFlags::all().bits(), 7);
    assert_eq!(RangedFlags::REVISION_0088.bits(), 1);
    assert_eq!(
        RangedFlags::from_bits_retain(9).ddi_names(),
        "ATOMIC_COPY|0x8"
    );
}
