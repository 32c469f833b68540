//! Formats: sizes of blocks and planes.
//!
//! Every format of `DXGI_FORMAT` but `UNKNOWN`, which no texture has. Planar formats that only Vulkan has follow, by its names
//! and values: an image of a captured program has three planes as what it is. Sizes are those of tight rows; alignment is the
//! business of `order`, which places resources.

use super::names::{Row, column, lookup, sorted};
use crate::id::narrow;
use std::fmt;

/// A format: an index into the table of all of them.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Format(u8);

struct FormatRow {
    name: &'static str,
    value: u32,
    planes: &'static [PlaneFormat],
}

/// How one plane of a format lies in memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct PlaneFormat {
    /// Texels of a block in each dimension: 1, or 4 for block-compressed formats.
    pub block: u32,
    /// Bytes of a block.
    pub block_bytes: u32,
    /// Horizontal subsampling.
    pub width_divisor: u32,
    /// Vertical subsampling.
    pub height_divisor: u32,
}

impl Format {
    /// A format by its DXGI name, with or without `DXGI_FORMAT_`.
    pub fn from_name(name: &str) -> Option<Self> {
        static SORTED: [Row; COUNT] = sorted(INDEX);
        let bare = name.strip_prefix("DXGI_FORMAT_").unwrap_or(name);
        lookup(&SORTED, bare).map(|index| Self::at(index as usize))
    }

    /// A format by the header's value.
    pub fn from_value(value: u32) -> Option<Self> {
        ROWS.binary_search_by_key(&value, |row| row.value)
            .ok()
            .map(Self::at)
    }

    /// Every format, in the order of the header's values.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..COUNT).map(Self::at)
    }

    /// Every name without prefix, in the order of the header's values.
    pub fn names() -> &'static [&'static str] {
        static NAMES: [&str; COUNT] = column(&INDEX);
        &NAMES
    }

    /// The format of a row.
    fn at(row: usize) -> Self {
        Self(u8::try_from(row).expect("the table has 139 rows"))
    }

    fn row(self) -> &'static FormatRow {
        &ROWS[usize::from(self.0)]
    }

    /// The name without prefix.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The header's value: of `dxgiformat.h`, and of `vulkan_core.h` for a format that is not DXGI's.
    pub fn value(self) -> u32 {
        self.row().value
    }

    /// Whether it is a format of DXGI.
    pub fn is_dxgi(self) -> bool {
        self.value() < FIRST_OF_VULKAN
    }

    /// Number of plane slices.
    pub fn planes(self) -> u32 {
        narrow(self.row().planes.len())
    }

    /// One plane.
    pub fn plane(self, plane: u32) -> PlaneFormat {
        self.row().planes[plane as usize]
    }

    /// Whether blocks are larger than a texel.
    pub fn is_block_compressed(self) -> bool {
        self.name().starts_with("BC")
    }

    /// Whether a texture of this format can have a depth-stencil view: a depth format, or the typeless one of its family.
    pub fn can_be_depth(self) -> bool {
        self.is_depth()
            || matches!(
                self.name(),
                "R32_TYPELESS" | "R16_TYPELESS" | "R24G8_TYPELESS" | "R32G8X24_TYPELESS"
            )
    }

    /// Whether it is written by the sampler: a feedback map.
    pub fn is_sampler_feedback(self) -> bool {
        self.name().starts_with("SAMPLER_FEEDBACK_")
    }

    /// Whether a depth-stencil view can have it.
    pub fn is_depth(self) -> bool {
        matches!(
            self.name(),
            "D32_FLOAT" | "D16_UNORM" | "D24_UNORM_S8_UINT" | "D32_FLOAT_S8X24_UINT"
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const fn texel(bytes: u32) -> PlaneFormat {
    subsampled(bytes, 1, 1)
}

const fn block(block: u32, bytes: u32) -> PlaneFormat {
    PlaneFormat {
        block,
        block_bytes: bytes,
        width_divisor: 1,
        height_divisor: 1,
    }
}

const fn subsampled(bytes: u32, width_divisor: u32, height_divisor: u32) -> PlaneFormat {
    PlaneFormat {
        block: 1,
        block_bytes: bytes,
        width_divisor,
        height_divisor,
    }
}

static T1: [PlaneFormat; 1] = [texel(1)];
static T2: [PlaneFormat; 1] = [texel(2)];
static T4: [PlaneFormat; 1] = [texel(4)];
static T8: [PlaneFormat; 1] = [texel(8)];
static T12: [PlaneFormat; 1] = [texel(12)];
static T16: [PlaneFormat; 1] = [texel(16)];
static BC8: [PlaneFormat; 1] = [block(4, 8)];
static BC16: [PlaneFormat; 1] = [block(4, 16)];
/// One bit a texel, in squares of eight rows of eight.
static BITS: [PlaneFormat; 1] = [block(8, 8)];
/// Depth in plane 0 (with whatever pads it to 32 bits), stencil in plane 1.
static DEPTH_STENCIL: [PlaneFormat; 2] = [texel(4), texel(1)];
static NV12: [PlaneFormat; 2] = [texel(1), subsampled(2, 2, 2)];
static P010: [PlaneFormat; 2] = [texel(2), subsampled(4, 2, 2)];
static NV11: [PlaneFormat; 2] = [texel(1), subsampled(2, 4, 1)];
static P208: [PlaneFormat; 2] = [texel(1), subsampled(2, 2, 1)];
static V208: [PlaneFormat; 3] = [texel(1), subsampled(1, 1, 2), subsampled(1, 1, 2)];
static V408: [PlaneFormat; 3] = [texel(1), texel(1), texel(1)];
/// Planar formats of Vulkan: planes, subsampling, bits of a component.
static PLANES_2_422_16: [PlaneFormat; 2] = [texel(2), subsampled(4, 2, 1)];
static PLANES_2_444_16: [PlaneFormat; 2] = [texel(2), texel(4)];
static PLANES_2_444_8: [PlaneFormat; 2] = [texel(1), texel(2)];
static PLANES_3_420_16: [PlaneFormat; 3] = [texel(2), subsampled(2, 2, 2), subsampled(2, 2, 2)];
static PLANES_3_420_8: [PlaneFormat; 3] = [texel(1), subsampled(1, 2, 2), subsampled(1, 2, 2)];
static PLANES_3_422_16: [PlaneFormat; 3] = [texel(2), subsampled(2, 2, 1), subsampled(2, 2, 1)];
static PLANES_3_422_8: [PlaneFormat; 3] = [texel(1), subsampled(1, 2, 1), subsampled(1, 2, 1)];
static PLANES_3_444_16: [PlaneFormat; 3] = [texel(2), texel(2), texel(2)];
/// Opaque: the same bytes as `NV12`, but its planes cannot be named.
static OPAQUE_420: [PlaneFormat; 1] = [block(2, 6)];

const fn row(name: &'static str, value: u32, planes: &'static [PlaneFormat]) -> FormatRow {
    FormatRow {
        name,
        value,
        planes,
    }
}

/// The lowest value of a format that is not DXGI's: those of Vulkan's extensions begin there.
const FIRST_OF_VULKAN: u32 = 1_000_000_000;

const COUNT: usize = 139;

/// Names with their index in [`ROWS`].
#[allow(
    clippy::cast_possible_truncation,
    reason = "139 rows, counted at compile time"
)]
const INDEX: [Row; COUNT] = {
    let mut rows: [Row; COUNT] = [("", 0); COUNT];
    let mut i = 0;
    while i < COUNT {
        rows[i] = (ROWS[i].name, i as u32);
        i += 1;
    }
    rows
};

static ROWS: [FormatRow; COUNT] = [
    row("R32G32B32A32_TYPELESS", 1, &T16),
    row("R32G32B32A32_FLOAT", 2, &T16),
    row("R32G32B32A32_UINT", 3, &T16),
    row("R32G32B32A32_SINT", 4, &T16),
    row("R32G32B32_TYPELESS", 5, &T12),
    row("R32G32B32_FLOAT", 6, &T12),
    row("R32G32B32_UINT", 7, &T12),
    row("R32G32B32_SINT", 8, &T12),
    row("R16G16B16A16_TYPELESS", 9, &T8),
    row("R16G16B16A16_FLOAT", 10, &T8),
    row("R16G16B16A16_UNORM", 11, &T8),
    row("R16G16B16A16_UINT", 12, &T8),
    row("R16G16B16A16_SNORM", 13, &T8),
    row("R16G16B16A16_SINT", 14, &T8),
    row("R32G32_TYPELESS", 15, &T8),
    row("R32G32_FLOAT", 16, &T8),
    row("R32G32_UINT", 17, &T8),
    row("R32G32_SINT", 18, &T8),
    row("R32G8X24_TYPELESS", 19, &DEPTH_STENCIL),
    row("D32_FLOAT_S8X24_UINT", 20, &DEPTH_STENCIL),
    row("R32_FLOAT_X8X24_TYPELESS", 21, &DEPTH_STENCIL),
    row("X32_TYPELESS_G8X24_UINT", 22, &DEPTH_STENCIL),
    row("R10G10B10A2_TYPELESS", 23, &T4),
    row("R10G10B10A2_UNORM", 24, &T4),
    row("R10G10B10A2_UINT", 25, &T4),
    row("R11G11B10_FLOAT", 26, &T4),
    row("R8G8B8A8_TYPELESS", 27, &T4),
    row("R8G8B8A8_UNORM", 28, &T4),
    row("R8G8B8A8_UNORM_SRGB", 29, &T4),
    row("R8G8B8A8_UINT", 30, &T4),
    row("R8G8B8A8_SNORM", 31, &T4),
    row("R8G8B8A8_SINT", 32, &T4),
    row("R16G16_TYPELESS", 33, &T4),
    row("R16G16_FLOAT", 34, &T4),
    row("R16G16_UNORM", 35, &T4),
    row("R16G16_UINT", 36, &T4),
    row("R16G16_SNORM", 37, &T4),
    row("R16G16_SINT", 38, &T4),
    row("R32_TYPELESS", 39, &T4),
    row("D32_FLOAT", 40, &T4),
    row("R32_FLOAT", 41, &T4),
    row("R32_UINT", 42, &T4),
    row("R32_SINT", 43, &T4),
    row("R24G8_TYPELESS", 44, &DEPTH_STENCIL),
    row("D24_UNORM_S8_UINT", 45, &DEPTH_STENCIL),
    row("R24_UNORM_X8_TYPELESS", 46, &DEPTH_STENCIL),
    row("X24_TYPELESS_G8_UINT", 47, &DEPTH_STENCIL),
    row("R8G8_TYPELESS", 48, &T2),
    row("R8G8_UNORM", 49, &T2),
    row("R8G8_UINT", 50, &T2),
    row("R8G8_SNORM", 51, &T2),
    row("R8G8_SINT", 52, &T2),
    row("R16_TYPELESS", 53, &T2),
    row("R16_FLOAT", 54, &T2),
    row("D16_UNORM", 55, &T2),
    row("R16_UNORM", 56, &T2),
    row("R16_UINT", 57, &T2),
    row("R16_SNORM", 58, &T2),
    row("R16_SINT", 59, &T2),
    row("R8_TYPELESS", 60, &T1),
    row("R8_UNORM", 61, &T1),
    row("R8_UINT", 62, &T1),
    row("R8_SNORM", 63, &T1),
    row("R8_SINT", 64, &T1),
    row("A8_UNORM", 65, &T1),
    row("R1_UNORM", 66, &BITS),
    row("R9G9B9E5_SHAREDEXP", 67, &T4),
    row("R8G8_B8G8_UNORM", 68, &T2),
    row("G8R8_G8B8_UNORM", 69, &T2),
    row("BC1_TYPELESS", 70, &BC8),
    row("BC1_UNORM", 71, &BC8),
    row("BC1_UNORM_SRGB", 72, &BC8),
    row("BC2_TYPELESS", 73, &BC16),
    row("BC2_UNORM", 74, &BC16),
    row("BC2_UNORM_SRGB", 75, &BC16),
    row("BC3_TYPELESS", 76, &BC16),
    row("BC3_UNORM", 77, &BC16),
    row("BC3_UNORM_SRGB", 78, &BC16),
    row("BC4_TYPELESS", 79, &BC8),
    row("BC4_UNORM", 80, &BC8),
    row("BC4_SNORM", 81, &BC8),
    row("BC5_TYPELESS", 82, &BC16),
    row("BC5_UNORM", 83, &BC16),
    row("BC5_SNORM", 84, &BC16),
    row("B5G6R5_UNORM", 85, &T2),
    row("B5G5R5A1_UNORM", 86, &T2),
    row("B8G8R8A8_UNORM", 87, &T4),
    row("B8G8R8X8_UNORM", 88, &T4),
    row("R10G10B10_XR_BIAS_A2_UNORM", 89, &T4),
    row("B8G8R8A8_TYPELESS", 90, &T4),
    row("B8G8R8A8_UNORM_SRGB", 91, &T4),
    row("B8G8R8X8_TYPELESS", 92, &T4),
    row("B8G8R8X8_UNORM_SRGB", 93, &T4),
    row("BC6H_TYPELESS", 94, &BC16),
    row("BC6H_UF16", 95, &BC16),
    row("BC6H_SF16", 96, &BC16),
    row("BC7_TYPELESS", 97, &BC16),
    row("BC7_UNORM", 98, &BC16),
    row("BC7_UNORM_SRGB", 99, &BC16),
    row("AYUV", 100, &T4),
    row("Y410", 101, &T4),
    row("Y416", 102, &T8),
    row("NV12", 103, &NV12),
    row("P010", 104, &P010),
    row("P016", 105, &P010),
    row("420_OPAQUE", 106, &OPAQUE_420),
    row("YUY2", 107, &T2),
    row("Y210", 108, &T4),
    row("Y216", 109, &T4),
    row("NV11", 110, &NV11),
    row("AI44", 111, &T1),
    row("IA44", 112, &T1),
    row("P8", 113, &T1),
    row("A8P8", 114, &T2),
    row("B4G4R4A4_UNORM", 115, &T2),
    row("P208", 130, &P208),
    row("V208", 131, &V208),
    row("V408", 132, &V408),
    row("SAMPLER_FEEDBACK_MIN_MIP_OPAQUE", 189, &T1),
    row("SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE", 190, &T1),
    row("A4B4G4R4_UNORM", 191, &T2),
    row("G8_B8_R8_3PLANE_420_UNORM", 1_000_156_002, &PLANES_3_420_8),
    row("G8_B8_R8_3PLANE_422_UNORM", 1_000_156_004, &PLANES_3_422_8),
    row(
        "G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16",
        1_000_156_012,
        &PLANES_3_420_16,
    ),
    row(
        "G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16",
        1_000_156_014,
        &PLANES_3_422_16,
    ),
    row(
        "G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16",
        1_000_156_015,
        &PLANES_2_422_16,
    ),
    row(
        "G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16",
        1_000_156_016,
        &PLANES_3_444_16,
    ),
    row(
        "G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16",
        1_000_156_022,
        &PLANES_3_420_16,
    ),
    row(
        "G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16",
        1_000_156_024,
        &PLANES_3_422_16,
    ),
    row(
        "G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16",
        1_000_156_025,
        &PLANES_2_422_16,
    ),
    row(
        "G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16",
        1_000_156_026,
        &PLANES_3_444_16,
    ),
    row(
        "G16_B16_R16_3PLANE_420_UNORM",
        1_000_156_029,
        &PLANES_3_420_16,
    ),
    row(
        "G16_B16_R16_3PLANE_422_UNORM",
        1_000_156_031,
        &PLANES_3_422_16,
    ),
    row(
        "G16_B16R16_2PLANE_422_UNORM",
        1_000_156_032,
        &PLANES_2_422_16,
    ),
    row(
        "G16_B16_R16_3PLANE_444_UNORM",
        1_000_156_033,
        &PLANES_3_444_16,
    ),
    row("G8_B8R8_2PLANE_444_UNORM", 1_000_330_000, &PLANES_2_444_8),
    row(
        "G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16",
        1_000_330_001,
        &PLANES_2_444_16,
    ),
    row(
        "G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16",
        1_000_330_002,
        &PLANES_2_444_16,
    ),
    row(
        "G16_B16R16_2PLANE_444_UNORM",
        1_000_330_003,
        &PLANES_2_444_16,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_ascend_and_names_round_trip() {
        for pair in ROWS.windows(2) {
            assert!(pair[0].value < pair[1].value, "{}", pair[1].name);
        }
        for format in Format::all() {
            assert_eq!(Format::from_name(format.name()), Some(format));
            assert_eq!(Format::from_value(format.value()), Some(format));
        }
        assert_eq!(Format::from_name("UNKNOWN"), None);
        assert_eq!(
            Format::from_name("DXGI_FORMAT_R8G8B8A8_UNORM"),
            Format::from_value(28)
        );
    }

    #[test]
    fn planes_are_those_of_the_header() {
        let planes = |name| Format::from_name(name).expect("listed").planes();
        for name in [
            "R24G8_TYPELESS",
            "D24_UNORM_S8_UINT",
            "R24_UNORM_X8_TYPELESS",
            "X24_TYPELESS_G8_UINT",
            "R32G8X24_TYPELESS",
            "D32_FLOAT_S8X24_UINT",
            "R32_FLOAT_X8X24_TYPELESS",
            "X32_TYPELESS_G8X24_UINT",
            "NV12",
            "P010",
            "P016",
            "NV11",
            "P208",
        ] {
            assert_eq!(planes(name), 2, "{name}");
        }
        for name in ["V208", "V408", "G8_B8_R8_3PLANE_420_UNORM"] {
            assert_eq!(planes(name), 3, "{name}");
        }
        let chroma = Format::from_name("G16_B16_R16_3PLANE_422_UNORM").expect("listed");
        assert_eq!(chroma.plane(2), subsampled(2, 2, 1));
        assert!(!chroma.is_dxgi());
        for name in [
            "D32_FLOAT",
            "D16_UNORM",
            "BC1_UNORM",
            "YUY2",
            "AYUV",
            "420_OPAQUE",
        ] {
            assert_eq!(planes(name), 1, "{name}");
        }
        let depth = Format::from_name("D32_FLOAT_S8X24_UINT").expect("listed");
        assert_eq!(
            (depth.plane(0).block_bytes, depth.plane(1).block_bytes),
            (4, 1)
        );
        let video = Format::from_name("P010").expect("listed").plane(1);
        assert_eq!(
            (video.block_bytes, video.width_divisor, video.height_divisor),
            (4, 2, 2)
        );
        assert_eq!(
            Format::from_name("BC7_UNORM_SRGB")
                .expect("listed")
                .plane(0),
            block(4, 16)
        );
        assert_eq!(
            Format::from_name("R32G32B32_FLOAT")
                .expect("listed")
                .plane(0),
            texel(12)
        );
    }
}
