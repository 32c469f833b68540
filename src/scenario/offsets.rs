//! Where the subresources of a texture are in its bytes, for those who ask of many: `geometry` says it of one.

use super::model::TextureShape;
use smallvec::SmallVec;

/// First bytes of the subresources of a texture, where many are asked for: what [`TextureShape::offset`] adds up is added
/// up once.
pub struct Offsets {
    mips: u32,
    layers: u32,
    planes: SmallVec<[PlaneOffsets; 1]>,
}

struct PlaneOffsets {
    start: u64,
    /// Where each mip of a layer starts, and where the last one ends.
    mips: SmallVec<[u64; 16]>,
}

impl Offsets {
    /// Offsets of a texture.
    pub fn new(shape: &TextureShape) -> Self {
        let mut start = 0;
        let mut plane = |plane| {
            let mut mips = SmallVec::from_slice(&[0]);
            let mut end = 0;
            for mip in 0..shape.mips {
                end += shape.subresource_bytes(mip, plane);
                mips.push(end);
            }
            let own = PlaneOffsets { start, mips };
            start += end * u64::from(shape.layers);
            own
        };
        Self {
            mips: shape.mips,
            layers: shape.layers,
            planes: (0..shape.planes()).map(&mut plane).collect(),
        }
    }

    /// First byte of the mips of a layer from one on, and where the mip before another one ends.
    pub fn mips(&self, (mip, end): (u32, u32), layer: u32, plane: u32) -> (u64, u64) {
        let PlaneOffsets { start, mips } = &self.planes[plane as usize];
        let last = mips[self.mips as usize];
        let layer = start + u64::from(layer) * last;
        (layer + mips[mip as usize], layer + mips[end as usize])
    }

    /// Bytes of a run of subresource indices.
    pub fn run(&self, (first, end): (u32, u32)) -> (u64, u64) {
        let bytes = |index: u32| {
            let layer = index / self.mips;
            let mip = index % self.mips;
            self.mips((mip, mip + 1), layer % self.layers, layer / self.layers)
        };
        (bytes(first).0, bytes(end - 1).1)
    }
}
