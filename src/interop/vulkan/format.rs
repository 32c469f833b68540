//! `VkFormat`: sizes, and the format that stands for each in a scenario: DXGI's, or where it has none of these planes, itself.

use super::flags::{integer, number_of};
use crate::api::format::Format;
use std::fmt;

/// How well the format of a scenario stands for a `VkFormat`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FormatFit {
    /// The same format.
    Exact,
    /// Another format whose texels or blocks have the same size and extent, so that rows and bytes agree.
    SameSize,
    /// The nearest one; its bytes differ.
    OtherSize,
}

use FormatFit::{Exact, OtherSize, SameSize};

/// A `VkFormat` that has a row here: core Vulkan 1.4 and the formats of extensions. `UNDEFINED` has none.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct VkFormat(&'static FormatRow);

#[derive(PartialEq, Eq)]
struct FormatRow {
    name: &'static str,
    value: u32,
    /// Texels of a block across and down, and its bytes. Of a format with planes of their own for colours: those of the
    /// first plane. Of one with depth and stencil: the bytes of both.
    block: (u32, u32, u32),
    planes: u32,
    twin: &'static str,
    fit: FormatFit,
}

impl VkFormat {
    /// The format of a name, with or without `VK_FORMAT_` and vendor, or of a number.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let find = |name: &str| {
            ROWS.iter()
                .find(|row| row.name == name)
                .map(|row| u64::from(row.value))
        };
        let number = integer(text).or_else(|| number_of(text, &["VK_FORMAT_"], find))?;
        u32::try_from(number).ok().and_then(Self::from_value)
    }

    /// The format of the header's value.
    pub fn from_value(value: u32) -> Option<Self> {
        ROWS.binary_search_by_key(&value, |row| row.value)
            .ok()
            .map(|at| Self(&ROWS[at]))
    }

    /// Every format, in the order of the header's values.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(Self)
    }

    /// The name without prefix.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The header's value.
    pub fn value(self) -> u32 {
        self.0.value
    }

    /// Texels of a block across and down. Of a format with several colour planes: of the first plane.
    pub fn block_extent(self) -> (u32, u32) {
        (self.0.block.0, self.0.block.1)
    }

    /// Bytes of a block. Of a format with several colour planes: of the first plane; of one with depth and stencil: of
    /// both together.
    pub fn block_bytes(self) -> u32 {
        self.0.block.2
    }

    /// Planes, or aspects of a depth-stencil format.
    pub fn planes(self) -> u32 {
        self.0.planes
    }

    /// The format that stands for it in a scenario.
    ///
    /// # Panics
    ///
    /// Never: every twin of the table is a format.
    pub fn twin(self) -> Format {
        Format::from_name(self.0.twin).expect("every twin is a format")
    }

    /// How well that one does.
    pub fn fit(self) -> FormatFit {
        self.0.fit
    }
}

impl fmt::Display for VkFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for VkFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const fn row(
    name: &'static str,
    value: u32,
    block: (u32, u32, u32),
    planes: u32,
    twin: &'static str,
    fit: FormatFit,
) -> FormatRow {
    FormatRow {
        name,
        value,
        block,
        planes,
        twin,
        fit,
    }
}

/// Lowest value first.
#[rustfmt::skip]
static ROWS: [FormatRow; 250] = [
    row("R4G4_UNORM_PACK8", 1, (1, 1, 1), 1, "R8_UNORM", SameSize),
    row("R4G4B4A4_UNORM_PACK16", 2, (1, 1, 2), 1, "A4B4G4R4_UNORM", Exact),
    row("B4G4R4A4_UNORM_PACK16", 3, (1, 1, 2), 1, "R8G8_UNORM", SameSize),
    row("R5G6B5_UNORM_PACK16", 4, (1, 1, 2), 1, "B5G6R5_UNORM", Exact),
    row("B5G6R5_UNORM_PACK16", 5, (1, 1, 2), 1, "R8G8_UNORM", SameSize),
    row("R5G5B5A1_UNORM_PACK16", 6, (1, 1, 2), 1, "R8G8_UNORM", SameSize),
    row("B5G5R5A1_UNORM_PACK16", 7, (1, 1, 2), 1, "R8G8_UNORM", SameSize),
    row("A1R5G5B5_UNORM_PACK16", 8, (1, 1, 2), 1, "B5G5R5A1_UNORM", Exact),
    row("R8_UNORM", 9, (1, 1, 1), 1, "R8_UNORM", Exact),
    row("R8_SNORM", 10, (1, 1, 1), 1, "R8_SNORM", Exact),
    row("R8_USCALED", 11, (1, 1, 1), 1, "R8_UINT", SameSize),
    row("R8_SSCALED", 12, (1, 1, 1), 1, "R8_SINT", SameSize),
    row("R8_UINT", 13, (1, 1, 1), 1, "R8_UINT", Exact),
    row("R8_SINT", 14, (1, 1, 1), 1, "R8_SINT", Exact),
    row("R8_SRGB", 15, (1, 1, 1), 1, "R8_UNORM", SameSize),
    row("R8G8_UNORM", 16, (1, 1, 2), 1, "R8G8_UNORM", Exact),
    row("R8G8_SNORM", 17, (1, 1, 2), 1, "R8G8_SNORM", Exact),
    row("R8G8_USCALED", 18, (1, 1, 2), 1, "R8G8_UINT", SameSize),
    row("R8G8_SSCALED", 19, (1, 1, 2), 1, "R8G8_SINT", SameSize),
    row("R8G8_UINT", 20, (1, 1, 2), 1, "R8G8_UINT", Exact),
    row("R8G8_SINT", 21, (1, 1, 2), 1, "R8G8_SINT", Exact),
    row("R8G8_SRGB", 22, (1, 1, 2), 1, "R8G8_UNORM", SameSize),
    row("R8G8B8_UNORM", 23, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("R8G8B8_SNORM", 24, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("R8G8B8_USCALED", 25, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("R8G8B8_SSCALED", 26, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("R8G8B8_UINT", 27, (1, 1, 3), 1, "R8G8B8A8_UINT", OtherSize),
    row("R8G8B8_SINT", 28, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("R8G8B8_SRGB", 29, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("B8G8R8_UNORM", 30, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("B8G8R8_SNORM", 31, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("B8G8R8_USCALED", 32, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("B8G8R8_SSCALED", 33, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("B8G8R8_UINT", 34, (1, 1, 3), 1, "R8G8B8A8_UINT", OtherSize),
    row("B8G8R8_SINT", 35, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("B8G8R8_SRGB", 36, (1, 1, 3), 1, "R8G8B8A8_UNORM", OtherSize),
    row("R8G8B8A8_UNORM", 37, (1, 1, 4), 1, "R8G8B8A8_UNORM", Exact),
    row("R8G8B8A8_SNORM", 38, (1, 1, 4), 1, "R8G8B8A8_SNORM", Exact),
    row("R8G8B8A8_USCALED", 39, (1, 1, 4), 1, "R8G8B8A8_UINT", SameSize),
    row("R8G8B8A8_SSCALED", 40, (1, 1, 4), 1, "R8G8B8A8_SINT", SameSize),
    row("R8G8B8A8_UINT", 41, (1, 1, 4), 1, "R8G8B8A8_UINT", Exact),
    row("R8G8B8A8_SINT", 42, (1, 1, 4), 1, "R8G8B8A8_SINT", Exact),
    row("R8G8B8A8_SRGB", 43, (1, 1, 4), 1, "R8G8B8A8_UNORM_SRGB", Exact),
    row("B8G8R8A8_UNORM", 44, (1, 1, 4), 1, "B8G8R8A8_UNORM", Exact),
    row("B8G8R8A8_SNORM", 45, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("B8G8R8A8_USCALED", 46, (1, 1, 4), 1, "R8G8B8A8_UINT", SameSize),
    row("B8G8R8A8_SSCALED", 47, (1, 1, 4), 1, "R8G8B8A8_SINT", SameSize),
    row("B8G8R8A8_UINT", 48, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("B8G8R8A8_SINT", 49, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("B8G8R8A8_SRGB", 50, (1, 1, 4), 1, "B8G8R8A8_UNORM_SRGB", Exact),
    row("A8B8G8R8_UNORM_PACK32", 51, (1, 1, 4), 1, "R8G8B8A8_UNORM", Exact),
    row("A8B8G8R8_SNORM_PACK32", 52, (1, 1, 4), 1, "R8G8B8A8_SNORM", Exact),
    row("A8B8G8R8_USCALED_PACK32", 53, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A8B8G8R8_SSCALED_PACK32", 54, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A8B8G8R8_UINT_PACK32", 55, (1, 1, 4), 1, "R8G8B8A8_UINT", Exact),
    row("A8B8G8R8_SINT_PACK32", 56, (1, 1, 4), 1, "R8G8B8A8_SINT", Exact),
    row("A8B8G8R8_SRGB_PACK32", 57, (1, 1, 4), 1, "R8G8B8A8_UNORM_SRGB", Exact),
    row("A2R10G10B10_UNORM_PACK32", 58, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A2R10G10B10_SNORM_PACK32", 59, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A2R10G10B10_USCALED_PACK32", 60, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A2R10G10B10_SSCALED_PACK32", 61, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A2R10G10B10_UINT_PACK32", 62, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A2R10G10B10_SINT_PACK32", 63, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A2B10G10R10_UNORM_PACK32", 64, (1, 1, 4), 1, "R10G10B10A2_UNORM", Exact),
    row("A2B10G10R10_SNORM_PACK32", 65, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A2B10G10R10_USCALED_PACK32", 66, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A2B10G10R10_SSCALED_PACK32", 67, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A2B10G10R10_UINT_PACK32", 68, (1, 1, 4), 1, "R10G10B10A2_UINT", Exact),
    row("A2B10G10R10_SINT_PACK32", 69, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("R16_UNORM", 70, (1, 1, 2), 1, "R16_UNORM", Exact),
    row("R16_SNORM", 71, (1, 1, 2), 1, "R16_SNORM", Exact),
    row("R16_USCALED", 72, (1, 1, 2), 1, "R16_UINT", SameSize),
    row("R16_SSCALED", 73, (1, 1, 2), 1, "R16_SINT", SameSize),
    row("R16_UINT", 74, (1, 1, 2), 1, "R16_UINT", Exact),
    row("R16_SINT", 75, (1, 1, 2), 1, "R16_SINT", Exact),
    row("R16_SFLOAT", 76, (1, 1, 2), 1, "R16_FLOAT", Exact),
    row("R16G16_UNORM", 77, (1, 1, 4), 1, "R16G16_UNORM", Exact),
    row("R16G16_SNORM", 78, (1, 1, 4), 1, "R16G16_SNORM", Exact),
    row("R16G16_USCALED", 79, (1, 1, 4), 1, "R16G16_UINT", SameSize),
    row("R16G16_SSCALED", 80, (1, 1, 4), 1, "R16G16_SINT", SameSize),
    row("R16G16_UINT", 81, (1, 1, 4), 1, "R16G16_UINT", Exact),
    row("R16G16_SINT", 82, (1, 1, 4), 1, "R16G16_SINT", Exact),
    row("R16G16_SFLOAT", 83, (1, 1, 4), 1, "R16G16_FLOAT", Exact),
    row("R16G16B16_UNORM", 84, (1, 1, 6), 1, "R16G16B16A16_UNORM", OtherSize),
    row("R16G16B16_SNORM", 85, (1, 1, 6), 1, "R16G16B16A16_UNORM", OtherSize),
    row("R16G16B16_USCALED", 86, (1, 1, 6), 1, "R16G16B16A16_UNORM", OtherSize),
    row("R16G16B16_SSCALED", 87, (1, 1, 6), 1, "R16G16B16A16_UNORM", OtherSize),
    row("R16G16B16_UINT", 88, (1, 1, 6), 1, "R16G16B16A16_UNORM", OtherSize),
    row("R16G16B16_SINT", 89, (1, 1, 6), 1, "R16G16B16A16_UNORM", OtherSize),
    row("R16G16B16_SFLOAT", 90, (1, 1, 6), 1, "R16G16B16A16_FLOAT", OtherSize),
    row("R16G16B16A16_UNORM", 91, (1, 1, 8), 1, "R16G16B16A16_UNORM", Exact),
    row("R16G16B16A16_SNORM", 92, (1, 1, 8), 1, "R16G16B16A16_SNORM", Exact),
    row("R16G16B16A16_USCALED", 93, (1, 1, 8), 1, "R16G16B16A16_UINT", SameSize),
    row("R16G16B16A16_SSCALED", 94, (1, 1, 8), 1, "R16G16B16A16_SINT", SameSize),
    row("R16G16B16A16_UINT", 95, (1, 1, 8), 1, "R16G16B16A16_UINT", Exact),
    row("R16G16B16A16_SINT", 96, (1, 1, 8), 1, "R16G16B16A16_SINT", Exact),
    row("R16G16B16A16_SFLOAT", 97, (1, 1, 8), 1, "R16G16B16A16_FLOAT", Exact),
    row("R32_UINT", 98, (1, 1, 4), 1, "R32_UINT", Exact),
    row("R32_SINT", 99, (1, 1, 4), 1, "R32_SINT", Exact),
    row("R32_SFLOAT", 100, (1, 1, 4), 1, "R32_FLOAT", Exact),
    row("R32G32_UINT", 101, (1, 1, 8), 1, "R32G32_UINT", Exact),
    row("R32G32_SINT", 102, (1, 1, 8), 1, "R32G32_SINT", Exact),
    row("R32G32_SFLOAT", 103, (1, 1, 8), 1, "R32G32_FLOAT", Exact),
    row("R32G32B32_UINT", 104, (1, 1, 12), 1, "R32G32B32_UINT", Exact),
    row("R32G32B32_SINT", 105, (1, 1, 12), 1, "R32G32B32_SINT", Exact),
    row("R32G32B32_SFLOAT", 106, (1, 1, 12), 1, "R32G32B32_FLOAT", Exact),
    row("R32G32B32A32_UINT", 107, (1, 1, 16), 1, "R32G32B32A32_UINT", Exact),
    row("R32G32B32A32_SINT", 108, (1, 1, 16), 1, "R32G32B32A32_SINT", Exact),
    row("R32G32B32A32_SFLOAT", 109, (1, 1, 16), 1, "R32G32B32A32_FLOAT", Exact),
    row("R64_UINT", 110, (1, 1, 8), 1, "R32G32_UINT", SameSize),
    row("R64_SINT", 111, (1, 1, 8), 1, "R32G32_UINT", SameSize),
    row("R64_SFLOAT", 112, (1, 1, 8), 1, "R32G32_UINT", SameSize),
    row("R64G64_UINT", 113, (1, 1, 16), 1, "R32G32B32A32_UINT", SameSize),
    row("R64G64_SINT", 114, (1, 1, 16), 1, "R32G32B32A32_UINT", SameSize),
    row("R64G64_SFLOAT", 115, (1, 1, 16), 1, "R32G32B32A32_UINT", SameSize),
    row("R64G64B64_UINT", 116, (1, 1, 24), 1, "R32G32B32A32_UINT", OtherSize),
    row("R64G64B64_SINT", 117, (1, 1, 24), 1, "R32G32B32A32_UINT", OtherSize),
    row("R64G64B64_SFLOAT", 118, (1, 1, 24), 1, "R32G32B32A32_UINT", OtherSize),
    row("R64G64B64A64_UINT", 119, (1, 1, 32), 1, "R32G32B32A32_UINT", OtherSize),
    row("R64G64B64A64_SINT", 120, (1, 1, 32), 1, "R32G32B32A32_UINT", OtherSize),
    row("R64G64B64A64_SFLOAT", 121, (1, 1, 32), 1, "R32G32B32A32_UINT", OtherSize),
    row("B10G11R11_UFLOAT_PACK32", 122, (1, 1, 4), 1, "R11G11B10_FLOAT", Exact),
    row("E5B9G9R9_UFLOAT_PACK32", 123, (1, 1, 4), 1, "R9G9B9E5_SHAREDEXP", Exact),
    row("D16_UNORM", 124, (1, 1, 2), 1, "D16_UNORM", Exact),
    row("X8_D24_UNORM_PACK32", 125, (1, 1, 4), 1, "D32_FLOAT", SameSize),
    row("D32_SFLOAT", 126, (1, 1, 4), 1, "D32_FLOAT", Exact),
    row("S8_UINT", 127, (1, 1, 1), 1, "R8_UINT", SameSize),
    row("D16_UNORM_S8_UINT", 128, (1, 1, 3), 2, "D24_UNORM_S8_UINT", OtherSize),
    row("D24_UNORM_S8_UINT", 129, (1, 1, 4), 2, "D24_UNORM_S8_UINT", Exact),
    row("D32_SFLOAT_S8_UINT", 130, (1, 1, 5), 2, "D32_FLOAT_S8X24_UINT", Exact),
    row("BC1_RGB_UNORM_BLOCK", 131, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("BC1_RGB_SRGB_BLOCK", 132, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("BC1_RGBA_UNORM_BLOCK", 133, (4, 4, 8), 1, "BC1_UNORM", Exact),
    row("BC1_RGBA_SRGB_BLOCK", 134, (4, 4, 8), 1, "BC1_UNORM_SRGB", Exact),
    row("BC2_UNORM_BLOCK", 135, (4, 4, 16), 1, "BC2_UNORM", Exact),
    row("BC2_SRGB_BLOCK", 136, (4, 4, 16), 1, "BC2_UNORM_SRGB", Exact),
    row("BC3_UNORM_BLOCK", 137, (4, 4, 16), 1, "BC3_UNORM", Exact),
    row("BC3_SRGB_BLOCK", 138, (4, 4, 16), 1, "BC3_UNORM_SRGB", Exact),
    row("BC4_UNORM_BLOCK", 139, (4, 4, 8), 1, "BC4_UNORM", Exact),
    row("BC4_SNORM_BLOCK", 140, (4, 4, 8), 1, "BC4_SNORM", Exact),
    row("BC5_UNORM_BLOCK", 141, (4, 4, 16), 1, "BC5_UNORM", Exact),
    row("BC5_SNORM_BLOCK", 142, (4, 4, 16), 1, "BC5_SNORM", Exact),
    row("BC6H_UFLOAT_BLOCK", 143, (4, 4, 16), 1, "BC6H_UF16", Exact),
    row("BC6H_SFLOAT_BLOCK", 144, (4, 4, 16), 1, "BC6H_SF16", Exact),
    row("BC7_UNORM_BLOCK", 145, (4, 4, 16), 1, "BC7_UNORM", Exact),
    row("BC7_SRGB_BLOCK", 146, (4, 4, 16), 1, "BC7_UNORM_SRGB", Exact),
    row("ETC2_R8G8B8_UNORM_BLOCK", 147, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("ETC2_R8G8B8_SRGB_BLOCK", 148, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("ETC2_R8G8B8A1_UNORM_BLOCK", 149, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("ETC2_R8G8B8A1_SRGB_BLOCK", 150, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("ETC2_R8G8B8A8_UNORM_BLOCK", 151, (4, 4, 16), 1, "BC7_UNORM", SameSize),
    row("ETC2_R8G8B8A8_SRGB_BLOCK", 152, (4, 4, 16), 1, "BC7_UNORM", SameSize),
    row("EAC_R11_UNORM_BLOCK", 153, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("EAC_R11_SNORM_BLOCK", 154, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("EAC_R11G11_UNORM_BLOCK", 155, (4, 4, 16), 1, "BC7_UNORM", SameSize),
    row("EAC_R11G11_SNORM_BLOCK", 156, (4, 4, 16), 1, "BC7_UNORM", SameSize),
    row("ASTC_4x4_UNORM_BLOCK", 157, (4, 4, 16), 1, "BC7_UNORM", SameSize),
    row("ASTC_4x4_SRGB_BLOCK", 158, (4, 4, 16), 1, "BC7_UNORM", SameSize),
    row("ASTC_5x4_UNORM_BLOCK", 159, (5, 4, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_5x4_SRGB_BLOCK", 160, (5, 4, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_5x5_UNORM_BLOCK", 161, (5, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_5x5_SRGB_BLOCK", 162, (5, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_6x5_UNORM_BLOCK", 163, (6, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_6x5_SRGB_BLOCK", 164, (6, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_6x6_UNORM_BLOCK", 165, (6, 6, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_6x6_SRGB_BLOCK", 166, (6, 6, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_8x5_UNORM_BLOCK", 167, (8, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_8x5_SRGB_BLOCK", 168, (8, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_8x6_UNORM_BLOCK", 169, (8, 6, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_8x6_SRGB_BLOCK", 170, (8, 6, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_8x8_UNORM_BLOCK", 171, (8, 8, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_8x8_SRGB_BLOCK", 172, (8, 8, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x5_UNORM_BLOCK", 173, (10, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x5_SRGB_BLOCK", 174, (10, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x6_UNORM_BLOCK", 175, (10, 6, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x6_SRGB_BLOCK", 176, (10, 6, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x8_UNORM_BLOCK", 177, (10, 8, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x8_SRGB_BLOCK", 178, (10, 8, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x10_UNORM_BLOCK", 179, (10, 10, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x10_SRGB_BLOCK", 180, (10, 10, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_12x10_UNORM_BLOCK", 181, (12, 10, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_12x10_SRGB_BLOCK", 182, (12, 10, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_12x12_UNORM_BLOCK", 183, (12, 12, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_12x12_SRGB_BLOCK", 184, (12, 12, 16), 1, "BC7_UNORM", OtherSize),
    row("PVRTC1_2BPP_UNORM_BLOCK_IMG", 1_000_054_000, (8, 4, 8), 1, "BC1_UNORM", OtherSize),
    row("PVRTC1_4BPP_UNORM_BLOCK_IMG", 1_000_054_001, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("PVRTC2_2BPP_UNORM_BLOCK_IMG", 1_000_054_002, (8, 4, 8), 1, "BC1_UNORM", OtherSize),
    row("PVRTC2_4BPP_UNORM_BLOCK_IMG", 1_000_054_003, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("PVRTC1_2BPP_SRGB_BLOCK_IMG", 1_000_054_004, (8, 4, 8), 1, "BC1_UNORM", OtherSize),
    row("PVRTC1_4BPP_SRGB_BLOCK_IMG", 1_000_054_005, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("PVRTC2_2BPP_SRGB_BLOCK_IMG", 1_000_054_006, (8, 4, 8), 1, "BC1_UNORM", OtherSize),
    row("PVRTC2_4BPP_SRGB_BLOCK_IMG", 1_000_054_007, (4, 4, 8), 1, "BC1_UNORM", SameSize),
    row("ASTC_4x4_SFLOAT_BLOCK", 1_000_066_000, (4, 4, 16), 1, "BC7_UNORM", SameSize),
    row("ASTC_5x4_SFLOAT_BLOCK", 1_000_066_001, (5, 4, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_5x5_SFLOAT_BLOCK", 1_000_066_002, (5, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_6x5_SFLOAT_BLOCK", 1_000_066_003, (6, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_6x6_SFLOAT_BLOCK", 1_000_066_004, (6, 6, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_8x5_SFLOAT_BLOCK", 1_000_066_005, (8, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_8x6_SFLOAT_BLOCK", 1_000_066_006, (8, 6, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_8x8_SFLOAT_BLOCK", 1_000_066_007, (8, 8, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x5_SFLOAT_BLOCK", 1_000_066_008, (10, 5, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x6_SFLOAT_BLOCK", 1_000_066_009, (10, 6, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x8_SFLOAT_BLOCK", 1_000_066_010, (10, 8, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_10x10_SFLOAT_BLOCK", 1_000_066_011, (10, 10, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_12x10_SFLOAT_BLOCK", 1_000_066_012, (12, 10, 16), 1, "BC7_UNORM", OtherSize),
    row("ASTC_12x12_SFLOAT_BLOCK", 1_000_066_013, (12, 12, 16), 1, "BC7_UNORM", OtherSize),
    row("G8B8G8R8_422_UNORM", 1_000_156_000, (2, 1, 4), 1, "YUY2", Exact),
    row("B8G8R8G8_422_UNORM", 1_000_156_001, (2, 1, 4), 1, "YUY2", SameSize),
    row("G8_B8_R8_3PLANE_420_UNORM", 1_000_156_002, (1, 1, 1), 3, "G8_B8_R8_3PLANE_420_UNORM", Exact),
    row("G8_B8R8_2PLANE_420_UNORM", 1_000_156_003, (1, 1, 1), 2, "NV12", Exact),
    row("G8_B8_R8_3PLANE_422_UNORM", 1_000_156_004, (1, 1, 1), 3, "G8_B8_R8_3PLANE_422_UNORM", Exact),
    row("G8_B8R8_2PLANE_422_UNORM", 1_000_156_005, (1, 1, 1), 2, "P208", Exact),
    row("G8_B8_R8_3PLANE_444_UNORM", 1_000_156_006, (1, 1, 1), 3, "V408", SameSize),
    row("R10X6_UNORM_PACK16", 1_000_156_007, (1, 1, 2), 1, "R8G8_UNORM", SameSize),
    row("R10X6G10X6_UNORM_2PACK16", 1_000_156_008, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("R10X6G10X6B10X6A10X6_UNORM_4PACK16", 1_000_156_009, (1, 1, 8), 1, "R16G16B16A16_UNORM", SameSize),
    row("G10X6B10X6G10X6R10X6_422_UNORM_4PACK16", 1_000_156_010, (2, 1, 8), 1, "Y210", Exact),
    row("B10X6G10X6R10X6G10X6_422_UNORM_4PACK16", 1_000_156_011, (2, 1, 8), 1, "Y216", SameSize),
    row("G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16", 1_000_156_012, (1, 1, 2), 3, "G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16", Exact),
    row("G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16", 1_000_156_013, (1, 1, 2), 2, "P010", Exact),
    row("G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16", 1_000_156_014, (1, 1, 2), 3, "G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16", Exact),
    row("G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16", 1_000_156_015, (1, 1, 2), 2, "G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16", Exact),
    row("G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16", 1_000_156_016, (1, 1, 2), 3, "G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16", Exact),
    row("R12X4_UNORM_PACK16", 1_000_156_017, (1, 1, 2), 1, "R8G8_UNORM", SameSize),
    row("R12X4G12X4_UNORM_2PACK16", 1_000_156_018, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("R12X4G12X4B12X4A12X4_UNORM_4PACK16", 1_000_156_019, (1, 1, 8), 1, "R16G16B16A16_UNORM", SameSize),
    row("G12X4B12X4G12X4R12X4_422_UNORM_4PACK16", 1_000_156_020, (2, 1, 8), 1, "Y216", SameSize),
    row("B12X4G12X4R12X4G12X4_422_UNORM_4PACK16", 1_000_156_021, (2, 1, 8), 1, "Y216", SameSize),
    row("G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16", 1_000_156_022, (1, 1, 2), 3, "G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16", Exact),
    row("G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16", 1_000_156_023, (1, 1, 2), 2, "P016", SameSize),
    row("G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16", 1_000_156_024, (1, 1, 2), 3, "G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16", Exact),
    row("G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16", 1_000_156_025, (1, 1, 2), 2, "G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16", Exact),
    row("G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16", 1_000_156_026, (1, 1, 2), 3, "G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16", Exact),
    row("G16B16G16R16_422_UNORM", 1_000_156_027, (2, 1, 8), 1, "Y216", Exact),
    row("B16G16R16G16_422_UNORM", 1_000_156_028, (2, 1, 8), 1, "Y216", SameSize),
    row("G16_B16_R16_3PLANE_420_UNORM", 1_000_156_029, (1, 1, 2), 3, "G16_B16_R16_3PLANE_420_UNORM", Exact),
    row("G16_B16R16_2PLANE_420_UNORM", 1_000_156_030, (1, 1, 2), 2, "P016", Exact),
    row("G16_B16_R16_3PLANE_422_UNORM", 1_000_156_031, (1, 1, 2), 3, "G16_B16_R16_3PLANE_422_UNORM", Exact),
    row("G16_B16R16_2PLANE_422_UNORM", 1_000_156_032, (1, 1, 2), 2, "G16_B16R16_2PLANE_422_UNORM", Exact),
    row("G16_B16_R16_3PLANE_444_UNORM", 1_000_156_033, (1, 1, 2), 3, "G16_B16_R16_3PLANE_444_UNORM", Exact),
    row("G8_B8R8_2PLANE_444_UNORM", 1_000_330_000, (1, 1, 1), 2, "G8_B8R8_2PLANE_444_UNORM", Exact),
    row("G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16", 1_000_330_001, (1, 1, 2), 2, "G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16", Exact),
    row("G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16", 1_000_330_002, (1, 1, 2), 2, "G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16", Exact),
    row("G16_B16R16_2PLANE_444_UNORM", 1_000_330_003, (1, 1, 2), 2, "G16_B16R16_2PLANE_444_UNORM", Exact),
    row("A4R4G4B4_UNORM_PACK16", 1_000_340_000, (1, 1, 2), 1, "B4G4R4A4_UNORM", Exact),
    row("A4B4G4R4_UNORM_PACK16", 1_000_340_001, (1, 1, 2), 1, "R8G8_UNORM", SameSize),
    row("R8_BOOL_ARM", 1_000_460_000, (1, 1, 1), 1, "R8_UNORM", SameSize),
    row("R16G16_S10_5_NV", 1_000_464_000, (1, 1, 4), 1, "R8G8B8A8_UNORM", SameSize),
    row("A1B5G5R5_UNORM_PACK16", 1_000_470_000, (1, 1, 2), 1, "R8G8_UNORM", SameSize),
    row("A8_UNORM", 1_000_470_001, (1, 1, 1), 1, "A8_UNORM", Exact),
];
