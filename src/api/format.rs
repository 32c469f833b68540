//! DXGI formats: sizes of blocks and planes.

/// A DXGI format.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Format(&'static FormatRow);

#[derive(PartialEq, Eq, Hash, Debug)]
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
    /// A format by its DXGI name without prefix.
    pub fn from_name(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(Self)
    }

    /// The DXGI name without prefix.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The header's value.
    pub fn value(self) -> u32 {
        self.0.value
    }

    /// Number of plane slices.
    pub fn planes(self) -> u32 {
        self.0.planes.len() as u32
    }

    /// One plane.
    pub fn plane(self, plane: u32) -> PlaneFormat {
        self.0.planes[plane as usize]
    }
}

static ROWS: &[FormatRow] = &[FormatRow {
    name: "R8G8B8A8_UNORM",
    value: 28,
    planes: &[PlaneFormat {
        block: 1,
        block_bytes: 4,
        width_divisor: 1,
        height_divisor: 1,
    }],
}];
