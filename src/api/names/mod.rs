//! Names and numbers of the header's types.
//!
//! Every table is in the header's order with the canonical name of a value before its aliases; `names()` lists all of
//! them. `table` knows how a table is searched.

mod table;

use super::{
    BarrierAccess, BarrierFlags, BarrierSync, BarrierType, HeapType, Layout, QueueType,
    ResourceFlags, ResourceState,
};
use std::borrow::Cow;
use std::fmt;
use table::{Hashed, by_bit, write_bits};
pub(super) use table::{Row, column, lookup, sorted};

/// The name without one of the prefixes that a header or the DDI puts before it.
fn bare<'a>(name: &'a str, prefixes: &[&str]) -> &'a str {
    if !name.starts_with("D3D12") {
        return name;
    }
    prefixes
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}

macro_rules! bit_names {
    ($type:ident, $table:ident, $prefixes:expr, $zero:literal) => {
        impl $type {
            /// The value of one name, canonical or alias, with or without the header's prefix.
            pub fn parse_one(name: &str) -> Option<Self> {
                static HASHED: Hashed = Hashed::new(&$table);
                HASHED
                    .get(bare(name, $prefixes))
                    .map(Self::from_bits_retain)
            }

            /// Every name that [`Self::parse_one`] knows, without prefix, in the header's order.
            pub fn names() -> &'static [&'static str] {
                static NAMES: [&str; $table.len()] = column(&$table);
                &NAMES
            }
        }

        impl fmt::Display for $type {
            /// Canonical names joined by `|`; unknown bits as one hexadecimal number.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                static BITS: [&str; 32] = by_bit(&$table);
                write_bits(f, self.bits(), &BITS, $zero)
            }
        }
    };
}

bit_names!(
    BarrierSync,
    SYNC,
    &["D3D12_BARRIER_SYNC_", "D3D12DDI_BARRIER_SYNC_"],
    "NONE"
);
bit_names!(
    BarrierAccess,
    ACCESS,
    &["D3D12_BARRIER_ACCESS_", "D3D12DDI_BARRIER_ACCESS_"],
    "COMMON"
);
bit_names!(ResourceState, STATE, &["D3D12_RESOURCE_STATE_"], "COMMON");
bit_names!(ResourceFlags, FLAGS, &["D3D12_RESOURCE_FLAG_"], "NONE");
bit_names!(
    BarrierFlags,
    BARRIER_FLAGS,
    &["D3D12_TEXTURE_BARRIER_FLAG_"],
    "NONE"
);

// Spec: "D3D12_BARRIER_SYNC"; `INPUT_ASSEMBLER` is the DDI's name of 0x4.
const SYNC: [Row; 25] = [
    ("NONE", 0x0),
    ("ALL", 0x1),
    ("DRAW", 0x2),
    ("INDEX_INPUT", 0x4),
    ("INPUT_ASSEMBLER", 0x4),
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
    ("VIDEO_DECODE", 0x10_0000),
    ("VIDEO_PROCESS", 0x20_0000),
    ("VIDEO_ENCODE", 0x40_0000),
    ("BUILD_RAYTRACING_ACCELERATION_STRUCTURE", 0x80_0000),
    ("COPY_RAYTRACING_ACCELERATION_STRUCTURE", 0x100_0000),
    ("SPLIT", 0x8000_0000),
];

// Spec: "D3D12_BARRIER_ACCESS"; `GLOBAL` belongs to the preview of fence barriers.
const ACCESS: [Row; 27] = [
    ("COMMON", 0x0),
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
    ("SHADING_RATE_SOURCE", 0x1_0000),
    ("VIDEO_DECODE_READ", 0x2_0000),
    ("VIDEO_DECODE_WRITE", 0x4_0000),
    ("VIDEO_PROCESS_READ", 0x8_0000),
    ("VIDEO_PROCESS_WRITE", 0x10_0000),
    ("VIDEO_ENCODE_READ", 0x20_0000),
    ("VIDEO_ENCODE_WRITE", 0x40_0000),
    ("GLOBAL", 0x4000_0000),
    ("NO_ACCESS", 0x8000_0000),
];

// `D3D12_RESOURCE_STATES`, and the specification's older spellings of the combined buffer state.
const STATE: [Row; 34] = [
    ("COMMON", 0x0),
    ("PRESENT", 0x0),
    ("VERTEX_AND_CONSTANT_BUFFER", 0x1),
    ("VERTEX_BUFFER", 0x1),
    ("CONSTANT_BUFFER", 0x1),
    ("INDEX_BUFFER", 0x2),
    ("RENDER_TARGET", 0x4),
    ("UNORDERED_ACCESS", 0x8),
    ("DEPTH_WRITE", 0x10),
    ("DEPTH_READ", 0x20),
    ("NON_PIXEL_SHADER_RESOURCE", 0x40),
    ("PIXEL_SHADER_RESOURCE", 0x80),
    ("ALL_SHADER_RESOURCE", 0xc0),
    ("STREAM_OUT", 0x100),
    ("INDIRECT_ARGUMENT", 0x200),
    ("PREDICATION", 0x200),
    ("COPY_DEST", 0x400),
    ("COPY_SOURCE", 0x800),
    ("GENERIC_READ", 0xac3),
    ("RESOLVE_DEST", 0x1000),
    ("RESOLVE_SOURCE", 0x2000),
    ("RESERVED_INTERNAL_4000", 0x4000),
    ("RESERVED_INTERNAL_8000", 0x8000),
    ("VIDEO_DECODE_READ", 0x1_0000),
    ("VIDEO_DECODE_WRITE", 0x2_0000),
    ("VIDEO_PROCESS_READ", 0x4_0000),
    ("VIDEO_PROCESS_WRITE", 0x8_0000),
    ("RESERVED_INTERNAL_100000", 0x10_0000),
    ("VIDEO_ENCODE_READ", 0x20_0000),
    ("RAYTRACING_ACCELERATION_STRUCTURE", 0x40_0000),
    ("VIDEO_ENCODE_WRITE", 0x80_0000),
    ("SHADING_RATE_SOURCE", 0x100_0000),
    ("RESERVED_INTERNAL_40000000", 0x4000_0000),
    ("RESERVED_INTERNAL_80000000", 0x8000_0000),
];

// `D3D12_RESOURCE_FLAGS`: the scenario language's words are canonical, the header's are aliases where they differ.
const FLAGS: [Row; 17] = [
    ("NONE", 0x0),
    ("RENDER_TARGET", 0x1),
    ("ALLOW_RENDER_TARGET", 0x1),
    ("DEPTH_STENCIL", 0x2),
    ("ALLOW_DEPTH_STENCIL", 0x2),
    ("UNORDERED_ACCESS", 0x4),
    ("ALLOW_UNORDERED_ACCESS", 0x4),
    ("DENY_SHADER_RESOURCE", 0x8),
    ("CROSS_ADAPTER", 0x10),
    ("ALLOW_CROSS_ADAPTER", 0x10),
    ("SIMULTANEOUS_ACCESS", 0x20),
    ("ALLOW_SIMULTANEOUS_ACCESS", 0x20),
    ("VIDEO_DECODE_REFERENCE_ONLY", 0x40),
    ("VIDEO_ENCODE_REFERENCE_ONLY", 0x80),
    ("RAYTRACING_ACCELERATION_STRUCTURE", 0x100),
    ("USE_TIGHT_ALIGNMENT", 0x400),
    ("VIDEO", 0x8000_0000),
];

const BARRIER_FLAGS: [Row; 2] = [("NONE", 0x0), ("DISCARD", 0x1)];

// Spec: "D3D12_BARRIER_LAYOUT", "D3D12DDI_BARRIER_LAYOUT"; reading R10 for 30 and 31.
const LAYOUT: [Row; 39] = [
    ("UNDEFINED", 0xffff_ffff),
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
    ("DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE", 31),
    (
        "LEGACY_DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE",
        31,
    ),
    ("LEGACY_COPY_SOURCE", 0x8000_0000),
    ("LEGACY_COPY_DEST", 0x8000_0001),
    ("LEGACY_SHADER_RESOURCE", 0x8000_0002),
    ("LEGACY_PIXEL_SHADER_RESOURCE", 0x8000_0003),
];

impl Layout {
    /// The layout of a name, canonical or alias, with or without the header's prefix.
    pub fn parse(name: &str) -> Option<Self> {
        static HASHED: Hashed = Hashed::new(&LAYOUT);
        let bare = bare(name, &["D3D12_BARRIER_LAYOUT_", "D3D12DDI_BARRIER_LAYOUT_"]);
        HASHED.get(bare).map(Self::from_value)
    }

    /// Every name that [`Layout::parse`] knows, without prefix, in the header's order.
    pub fn names() -> &'static [&'static str] {
        static NAMES: [&str; LAYOUT.len()] = column(&LAYOUT);
        &NAMES
    }

    /// The canonical name, or the number of a layout that no header knows.
    pub fn name(self) -> Cow<'static, str> {
        if let Self::Unknown(value) = self {
            return Cow::Owned(format!("{value:#x}"));
        }
        let value = self.value();
        let row = match value {
            0xffff_ffff => 0,
            0 => 1,
            1..=31 => value as usize + 2,
            _ => (value - 0x8000_0000) as usize + 35,
        };
        Cow::Borrowed(LAYOUT[row].0)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl QueueType {
    /// A queue type by the scenario language's word or by the header's name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match bare(name, &["D3D12_COMMAND_LIST_TYPE_"]) {
            "direct" | "DIRECT" => Self::Direct,
            "bundle" | "BUNDLE" => Self::Bundle,
            "compute" | "COMPUTE" => Self::Compute,
            "copy" | "COPY" => Self::Copy,
            "video_decode" | "VIDEO_DECODE" => Self::VideoDecode,
            "video_process" | "VIDEO_PROCESS" => Self::VideoProcess,
            "video_encode" | "VIDEO_ENCODE" => Self::VideoEncode,
            _ => return None,
        })
    }

    /// The scenario language's words, in the order of the header's values.
    pub fn names() -> &'static [&'static str] {
        &[
            "direct",
            "bundle",
            "compute",
            "copy",
            "video_decode",
            "video_process",
            "video_encode",
        ]
    }

    /// The value of `D3D12_COMMAND_LIST_TYPE`.
    pub fn value(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for QueueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl HeapType {
    /// A heap type by the scenario language's word or by the header's name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match bare(name, &["D3D12_HEAP_TYPE_"]) {
            "default" | "DEFAULT" => Self::Default,
            "upload" | "UPLOAD" => Self::Upload,
            "readback" | "READBACK" => Self::Readback,
            _ => return None,
        })
    }

    /// The scenario language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Upload => "upload",
            Self::Readback => "readback",
        }
    }

    /// The scenario language's words, in the order of the header's values.
    pub fn names() -> &'static [&'static str] {
        &["default", "upload", "readback"]
    }

    /// The value of `D3D12_HEAP_TYPE`.
    pub fn value(self) -> u32 {
        match self {
            Self::Default => 1,
            Self::Upload => 2,
            Self::Readback => 3,
        }
    }
}

impl fmt::Display for HeapType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl BarrierType {
    /// Every type, in the order of the DDI's values.
    pub const ALL: [Self; 4] = [Self::Global, Self::Texture, Self::Buffer, Self::Ranged];

    /// A barrier type by the scenario language's word or by the header's name.
    pub fn parse(name: &str) -> Option<Self> {
        let bare = bare(name, &["D3D12_BARRIER_TYPE_", "D3D12DDI_BARRIER_TYPE_"]);
        Some(match bare {
            "global" | "GLOBAL" => Self::Global,
            "texture" | "TEXTURE" => Self::Texture,
            "buffer" | "BUFFER" => Self::Buffer,
            "ranged" | "RANGED" => Self::Ranged,
            _ => return None,
        })
    }

    /// The scenario language's word.
    pub fn word(self) -> &'static str {
        Self::names()[self as usize]
    }

    /// The scenario language's words, in the order of the DDI's values.
    pub fn names() -> &'static [&'static str] {
        &["global", "texture", "buffer", "ranged"]
    }

    /// The value of `D3D12_BARRIER_TYPE`, and the DDI's of `ranged`.
    pub fn value(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for BarrierType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_print_canonical_names_and_one_number() {
        assert_eq!(BarrierSync::NONE.to_string(), "NONE");
        assert_eq!(BarrierAccess::COMMON.to_string(), "COMMON");
        let mask = BarrierSync::from_bits_retain(0x801 | 0x8_0000 | 0x2_0000);
        assert_eq!(mask.to_string(), "ALL|EXECUTE_INDIRECT|0xa0000");
        assert_eq!(
            ResourceState::from_bits_retain(0xc0).to_string(),
            "NON_PIXEL_SHADER_RESOURCE|PIXEL_SHADER_RESOURCE"
        );
        assert_eq!(
            (ResourceFlags::RENDER_TARGET | ResourceFlags::SIMULTANEOUS_ACCESS).to_string(),
            "RENDER_TARGET|SIMULTANEOUS_ACCESS"
        );
    }

    #[test]
    fn aliases_and_prefixed_names_are_known() {
        assert_eq!(
            BarrierSync::parse_one("PREDICATION"),
            Some(BarrierSync::EXECUTE_INDIRECT)
        );
        assert_eq!(
            BarrierSync::parse_one("D3D12_BARRIER_SYNC_DRAW"),
            Some(BarrierSync::DRAW)
        );
        assert_eq!(
            BarrierSync::parse_one("D3D12DDI_BARRIER_SYNC_INPUT_ASSEMBLER"),
            Some(BarrierSync::INDEX_INPUT)
        );
        assert_eq!(BarrierSync::parse_one("D3D12_BARRIER_ACCESS_COMMON"), None);
        assert_eq!(BarrierSync::parse_one(""), None);
        assert_eq!(Layout::parse("PRESENT"), Some(Layout::Common));
        assert_eq!(
            ResourceState::parse_one("VERTEX_BUFFER"),
            Some(ResourceState::VERTEX_AND_CONSTANT_BUFFER)
        );
        assert_eq!(
            ResourceFlags::parse_one("D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET"),
            Some(ResourceFlags::RENDER_TARGET)
        );
    }

    #[test]
    fn layouts_round_trip() {
        for layout in Layout::ALL {
            assert_eq!(Layout::from_value(layout.value()), layout);
            assert_eq!(Layout::parse(&layout.name()), Some(layout), "{layout}");
        }
        assert_eq!(Layout::from_value(77), Layout::Unknown(77));
        assert_eq!(Layout::Unknown(77).name(), "0x4d");
        assert_eq!(Layout::parse("0x4d"), None, "numbers are the parser's");
    }
}
