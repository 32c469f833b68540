//! Where the subresources and ranges of a resource are in its bytes.
//!
//! Subresources are tight and row-major, in the order of the subresource index: mips, then layers, then planes
//! (readings R41, R49).

use super::model::{
    Barrier, BarrierRange, Range, Rect, Resource, ResourceKind, Scenario, SubresourceRange,
    TextureShape, Use,
};
use super::offsets::Offsets;
use crate::api::ResourceFlags;

/// Texels of a mip level in one dimension.
pub fn mip_extent(size: u32, mip: u32) -> u32 {
    (size >> mip.min(31)).max(1)
}

impl TextureShape {
    /// Number of plane slices.
    pub fn planes(&self) -> u32 {
        self.format.planes()
    }

    /// Number of subresources.
    pub fn subresources(&self) -> u32 {
        self.mips * self.layers * self.planes()
    }

    /// Subresource index. Spec: D3D12 order, mip first, then array slice, then plane.
    pub fn index(&self, mip: u32, layer: u32, plane: u32) -> u32 {
        mip + layer * self.mips + plane * self.mips * self.layers
    }

    /// `(mip, layer, plane)` of a subresource index.
    pub fn coordinates(&self, index: u32) -> (u32, u32, u32) {
        (
            index % self.mips,
            index / self.mips % self.layers,
            index / (self.mips * self.layers),
        )
    }

    /// Bytes of one row of blocks of a mip level, all samples included.
    pub fn row_bytes(&self, mip: u32, plane: u32) -> u64 {
        let plane_format = self.format.plane(plane);
        let columns =
            mip_extent(self.width, mip).div_ceil(plane_format.width_divisor * plane_format.block);
        u64::from(columns) * u64::from(plane_format.block_bytes) * u64::from(self.samples)
    }

    /// Rows of blocks of a mip level, over all its depth slices.
    pub fn rows(&self, mip: u32, plane: u32) -> u64 {
        let plane_format = self.format.plane(plane);
        let rows =
            mip_extent(self.height, mip).div_ceil(plane_format.height_divisor * plane_format.block);
        u64::from(rows) * u64::from(mip_extent(self.depth, mip))
    }

    /// Bytes of one subresource.
    pub fn subresource_bytes(&self, mip: u32, plane: u32) -> u64 {
        self.row_bytes(mip, plane) * self.rows(mip, plane)
    }

    /// Bytes of all subresources.
    pub fn bytes(&self) -> u64 {
        (0..self.planes())
            .map(|p| self.layer_bytes(p) * u64::from(self.layers))
            .sum()
    }

    /// Bytes of one array slice: all its mips.
    fn layer_bytes(&self, plane: u32) -> u64 {
        (0..self.mips)
            .map(|m| self.subresource_bytes(m, plane))
            .sum()
    }

    /// First byte of a subresource.
    pub fn offset(&self, mip: u32, layer: u32, plane: u32) -> u64 {
        let planes: u64 = (0..plane)
            .map(|p| self.layer_bytes(p) * u64::from(self.layers))
            .sum();
        let mips: u64 = (0..mip).map(|m| self.subresource_bytes(m, plane)).sum();
        planes + u64::from(layer) * self.layer_bytes(plane) + mips
    }
}

/// Bytes that a resource occupies in its heap, without the rounding of reading R41.
pub fn resource_bytes(resource: &Resource) -> u64 {
    match &resource.kind {
        ResourceKind::Buffer { size } => *size,
        ResourceKind::Texture(shape) => shape.bytes(),
    }
}

/// Alignment and rounding of a placed resource: 64 KiB, or 4 MiB if multisampled (reading R41). Buffers occupy just
/// their bytes but sit on the same alignment.
pub fn placement_alignment(resource: &Resource) -> u64 {
    match &resource.kind {
        ResourceKind::Texture(shape) if shape.samples > 1 => 4 << 20,
        _ => 64 << 10,
    }
}

/// The same for the least alignment that a resource may ask for: small textures that are no attachment fit pages of 4 KiB
/// (reading R71).
pub fn least_placement_alignment(resource: &Resource) -> u64 {
    let attachment = ResourceFlags::RENDER_TARGET | ResourceFlags::DEPTH_STENCIL;
    let usual = placement_alignment(resource);
    match &resource.kind {
        ResourceKind::Texture(shape)
            if shape.samples == 1
                && !resource.flags.intersects(attachment)
                && shape.bytes() <= usual =>
        {
            4 << 10
        }
        _ => usual,
    }
}

/// Why a range does not fit its resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// What is out of bounds: `mip`, `layer`, `plane`, `subresource`, `byte`, `rect`.
    pub what: &'static str,
    /// The offending end (or index).
    pub given: u64,
    /// How many there are.
    pub limit: u64,
}

/// First and end of a dimension.
type Span = (u32, u32);

/// The normalised subresources of a range: a box of mips × layers × planes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SubresourceBox {
    /// Mips, half-open.
    pub mips: (u32, u32),
    /// Layers, half-open.
    pub layers: (u32, u32),
    /// Planes, half-open.
    pub planes: (u32, u32),
    /// Region of each, if narrowed, in texels of the texture: a plane at half the size has half of them.
    pub rect: Option<Rect>,
}

impl SubresourceBox {
    /// Everything of a texture.
    pub fn all(shape: &TextureShape) -> Self {
        Self {
            mips: (0, shape.mips),
            layers: (0, shape.layers),
            planes: (0, shape.planes()),
            rect: None,
        }
    }

    /// Whether it is everything of a texture.
    pub fn is_all(&self, shape: &TextureShape) -> bool {
        *self == Self::all(shape)
    }

    /// Whether both have a subresource in common, whatever their regions.
    pub fn meets(&self, other: &Self) -> bool {
        let meet = |a: (u32, u32), b: (u32, u32)| a.0 < b.1 && b.0 < a.1;
        meet(self.mips, other.mips)
            && meet(self.layers, other.layers)
            && meet(self.planes, other.planes)
    }

    /// Whether every subresource of another one is among its own, whatever their regions.
    pub fn contains(&self, other: &Self) -> bool {
        let inside =
            |outer: (u32, u32), inner: (u32, u32)| outer.0 <= inner.0 && inner.1 <= outer.1;
        inside(self.mips, other.mips)
            && inside(self.layers, other.layers)
            && inside(self.planes, other.planes)
    }

    /// A box of what `of` makes of the mips, the layers and the planes of both, with no region.
    #[must_use]
    pub fn joined(&self, other: &Self, of: impl Fn(Span, Span) -> Span) -> Self {
        Self {
            mips: of(self.mips, other.mips),
            layers: of(self.layers, other.layers),
            planes: of(self.planes, other.planes),
            rect: None,
        }
    }

    /// Runs of consecutive subresource indices, `(first, end)`, ascending.
    pub fn index_runs(&self, shape: &TextureShape) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for plane in self.planes.0..self.planes.1 {
            for layer in self.layers.0..self.layers.1 {
                let first = shape.index(self.mips.0, layer, plane);
                let end = shape.index(self.mips.1 - 1, layer, plane) + 1;
                match runs.last_mut() {
                    Some(last) if last.1 == first => last.1 = end,
                    _ => runs.push((first, end)),
                }
            }
        }
        runs
    }
}

/// Resolves a texture range to a box.
///
/// # Errors
/// What of it is out of bounds.
pub fn subresource_box(shape: &TextureShape, range: &Range) -> Result<SubresourceBox, OutOfBounds> {
    let check = |what, pair: Option<(u32, u32)>, limit: u32| match pair {
        None => Ok((0, limit)),
        Some((_, end)) if end > limit => Err(OutOfBounds {
            what,
            given: u64::from(end - 1),
            limit: u64::from(limit),
        }),
        Some(pair) => Ok(pair),
    };
    match range {
        Range::All => Ok(SubresourceBox::all(shape)),
        Range::Subresource(index) if *index >= shape.subresources() => Err(OutOfBounds {
            what: "subresource",
            given: u64::from(*index),
            limit: u64::from(shape.subresources()),
        }),
        Range::Subresource(index) => {
            let (mip, layer, plane) = shape.coordinates(*index);
            Ok(SubresourceBox {
                mips: (mip, mip + 1),
                layers: (layer, layer + 1),
                planes: (plane, plane + 1),
                rect: None,
            })
        }
        Range::Subresources(parts) => {
            let SubresourceRange {
                mips,
                layers,
                planes,
                rect,
            } = &**parts;
            let mut sub = SubresourceBox {
                mips: check("mip", *mips, shape.mips)?,
                layers: check("layer", *layers, shape.layers)?,
                planes: check("plane", *planes, shape.planes())?,
                rect: None,
            };
            sub.rect = match rect {
                Some(rect) => region(shape, &sub, *rect)?,
                None => None,
            };
            Ok(sub)
        }
        Range::Bytes { start, .. } => Err(OutOfBounds {
            what: "byte",
            given: *start,
            limit: 0,
        }),
    }
}

/// A rectangle in texels of the texture; `None` if it covers all of one mip. Of a single plane it is written in that plane's
/// texels: those of chroma are half as wide and high (reading R71).
fn region(
    shape: &TextureShape,
    sub: &SubresourceBox,
    rect: Rect,
) -> Result<Option<Rect>, OutOfBounds> {
    let one_plane = sub.planes.1 - sub.planes.0 == 1;
    let (across, down) = if one_plane {
        let plane = shape.format.plane(sub.planes.0);
        (plane.width_divisor, plane.height_divisor)
    } else {
        (1, 1)
    };
    let width = mip_extent(shape.width, sub.mips.0).div_ceil(across);
    let height = mip_extent(shape.height, sub.mips.0).div_ceil(down);
    for (start, size, limit) in [(rect.x, rect.width, width), (rect.y, rect.height, height)] {
        let end = u64::from(start) + u64::from(size);
        if end > u64::from(limit) {
            return Err(OutOfBounds {
                what: "rect",
                given: end,
                limit: u64::from(limit),
            });
        }
    }
    let one_mip = sub.mips.1 - sub.mips.0 == 1;
    let covers = (rect.x, rect.y, rect.width, rect.height) == (0, 0, width, height);
    Ok((!(one_mip && covers)).then(|| Rect {
        x: rect.x * across,
        y: rect.y * down,
        width: rect.width * across,
        height: rect.height * down,
    }))
}

/// What a barrier's range acts on: a range that goes too far is cut to what exists (reading R72), and validation reports it.
///
/// # Errors
/// What of it is out of bounds, if nothing of it exists.
pub fn barrier_box(
    shape: &TextureShape,
    range: &BarrierRange,
) -> Result<SubresourceBox, OutOfBounds> {
    written_box(shape, range).or_else(|out| existing(shape, range).ok_or(out))
}

/// What a barrier acts on of its texture; `None` of a buffer, of a global barrier, or if nothing of it exists.
pub fn part_of_barrier(scenario: &Scenario, barrier: &Barrier) -> Option<SubresourceBox> {
    let (id, entry) = barrier.named_texture()?;
    barrier_box(scenario.resource(id).texture()?, &entry.range).ok()
}

/// What a use touches of its texture; `None` of a buffer, or if nothing of it exists.
pub fn part_of_use(scenario: &Scenario, used: &Use) -> Option<SubresourceBox> {
    subresource_box(scenario.resource(used.resource).texture()?, &used.range).ok()
}

/// Whether two parts of one texture have no subresource in common; where one is not known they may.
pub fn are_apart(one: Option<SubresourceBox>, other: Option<SubresourceBox>) -> bool {
    one.zip(other)
        .is_some_and(|(one, other)| !one.meets(&other))
}

/// The same for the range of a legacy transition.
///
/// # Errors
/// What of it is out of bounds, if nothing of it exists.
pub fn existing_box(shape: &TextureShape, range: &Range) -> Result<SubresourceBox, OutOfBounds> {
    subresource_box(shape, range)
        .or_else(|_| barrier_box(shape, &BarrierRange::Range(range.clone())))
}

/// What exists of a range that is out of bounds.
fn existing(shape: &TextureShape, range: &BarrierRange) -> Option<SubresourceBox> {
    let [mips, layers, planes] = match range {
        BarrierRange::Raw([_, 0, ..]) => return None,
        // Reading R72: the range that such an index has a meaning in is the nearest one.
        BarrierRange::Raw([u32::MAX, ..]) => return Some(SubresourceBox::all(shape)),
        BarrierRange::Raw(fields) => raw_spans(*fields),
        BarrierRange::Range(Range::Subresources(parts)) if parts.rect.is_none() => [
            parts.mips.unwrap_or((0, shape.mips)),
            parts.layers.unwrap_or((0, shape.layers)),
            parts.planes.unwrap_or((0, shape.planes())),
        ]
        .map(|(first, end)| (first, u64::from(end))),
        BarrierRange::Range(_) => return None,
    };
    let cut = |(first, end): (u32, u64), limit: u32| {
        (first < limit).then(|| {
            (
                first,
                u32::try_from(end).map_or(limit, |end| end.min(limit)),
            )
        })
    };
    Some(SubresourceBox {
        mips: cut(mips, shape.mips)?,
        layers: cut(layers, shape.layers)?,
        planes: cut(planes, shape.planes())?,
        rect: None,
    })
}

/// Resolves a barrier's range as it is written (reading R28).
///
/// # Errors
/// What of it is out of bounds.
pub fn written_box(
    shape: &TextureShape,
    range: &BarrierRange,
) -> Result<SubresourceBox, OutOfBounds> {
    match range {
        BarrierRange::Range(range) => subresource_box(shape, range),
        BarrierRange::Raw([index, 0, ..]) if *index == u32::MAX => Ok(SubresourceBox::all(shape)),
        BarrierRange::Raw([index, 0, ..]) => subresource_box(shape, &Range::Subresource(*index)),
        BarrierRange::Raw(fields) => {
            let span = |what, (first, end): (u32, u64), limit: u32| match u32::try_from(end) {
                Ok(end) if end <= limit => Ok((first, end)),
                _ => Err(OutOfBounds {
                    what,
                    given: end - 1,
                    limit: u64::from(limit),
                }),
            };
            let [mips, layers, planes] = raw_spans(*fields);
            Ok(SubresourceBox {
                mips: span("mip", mips, shape.mips)?,
                layers: span("layer", layers, shape.layers)?,
                planes: span("plane", planes, shape.planes())?,
                rect: None,
            })
        }
    }
}

/// First and end of the mips, layers and planes of the header's range structure with a mip count. Reading R28: zero slices
/// or planes next to that are treated as one.
fn raw_spans([mip, mips, layer, layers, plane, planes]: [u32; 6]) -> [(u32, u64); 3] {
    let span = |first: u32, count: u32| (first, u64::from(first) + u64::from(count.max(1)));
    [span(mip, mips), span(layer, layers), span(plane, planes)]
}

/// Byte runs `(start, end)` of a range, relative to the resource's first byte, ascending and merged. A range that is
/// out of bounds is cut to what exists: validation reports the mistake.
pub fn byte_runs(resource: &Resource, range: &Range) -> Vec<(u64, u64)> {
    match &resource.kind {
        ResourceKind::Buffer { size } => match range {
            Range::Bytes { start, end } if start < end && start < size => {
                vec![(*start, (*end).min(*size))]
            }
            Range::Bytes { .. } => Vec::new(),
            _ if *size == 0 => Vec::new(),
            _ => vec![(0, *size)],
        },
        ResourceKind::Texture(shape) => match subresource_box(shape, range) {
            Ok(sub) => box_byte_runs(shape, &sub),
            Err(_) => Vec::new(),
        },
    }
}

/// Byte runs of a box of subresources.
pub fn box_byte_runs(shape: &TextureShape, sub: &SubresourceBox) -> Vec<(u64, u64)> {
    if sub.rect.is_none() && sub.is_all(shape) {
        return vec![(0, shape.bytes())];
    }
    let mut runs: Vec<(u64, u64)> = Vec::new();
    let mut push = |start: u64, end: u64| match runs.last_mut() {
        Some(last) if last.1 == start => last.1 = end,
        _ if start < end => runs.push((start, end)),
        _ => {}
    };
    let offsets = Offsets::new(shape);
    for plane in sub.planes.0..sub.planes.1 {
        for layer in sub.layers.0..sub.layers.1 {
            let Some(rect) = sub.rect else {
                let (start, end) = offsets.mips(sub.mips, layer, plane);
                push(start, end);
                continue;
            };
            for mip in sub.mips.0..sub.mips.1 {
                let (offset, _) = offsets.mips((mip, mip + 1), layer, plane);
                rect_rows(shape, mip, plane, rect, |start, end| {
                    push(offset + start, offset + end);
                });
            }
        }
    }
    runs
}

/// Row segments of a rectangle, relative to the subresource. Every depth slice of a volume has them.
fn rect_rows(
    shape: &TextureShape,
    mip: u32,
    plane: u32,
    rect: Rect,
    mut push: impl FnMut(u64, u64),
) {
    let format = shape.format.plane(plane);
    let (column_texels, row_texels) = (
        format.width_divisor * format.block,
        format.height_divisor * format.block,
    );
    let bytes = u64::from(format.block_bytes) * u64::from(shape.samples);
    let first_column = u64::from(rect.x / column_texels);
    let end_column = u64::from((rect.x + rect.width).div_ceil(column_texels));
    let first_row = u64::from(rect.y / row_texels);
    let end_row = u64::from((rect.y + rect.height).div_ceil(row_texels));
    let row_bytes = shape.row_bytes(mip, plane);
    let slices = u64::from(mip_extent(shape.depth, mip));
    let rows_per_slice = shape.rows(mip, plane) / slices;
    for slice in 0..slices {
        for row in first_row..end_row {
            let start = (slice * rows_per_slice + row) * row_bytes;
            push(start + first_column * bytes, start + end_column * bytes);
        }
    }
}

/// A box as a range that names no more than it must.
pub fn range_of_box(shape: &TextureShape, sub: &SubresourceBox) -> Range {
    let part = |of: (u32, u32), all: u32| (of != (0, all)).then_some(of);
    let parts = SubresourceRange {
        mips: part(sub.mips, shape.mips),
        layers: part(sub.layers, shape.layers),
        planes: part(sub.planes, shape.planes()),
        rect: None,
    };
    let is_all = parts.mips.is_none() && parts.layers.is_none() && parts.planes.is_none();
    if is_all {
        Range::All
    } else {
        Range::Subresources(Box::new(parts))
    }
}

/// The one box that some subresources of another one are, if they are one.
pub fn box_of_runs(shape: &TextureShape, runs: &[(u32, u32)]) -> Option<SubresourceBox> {
    let count: u32 = runs.iter().map(|(first, end)| end - first).sum();
    let (first, last) = (runs.first()?.0, runs.last()?.1.checked_sub(1)?);
    let (a, b) = (shape.coordinates(first), shape.coordinates(last));
    let sub = SubresourceBox {
        mips: (a.0, b.0 + 1),
        layers: (a.1, b.1 + 1),
        planes: (a.2, b.2 + 1),
        rect: None,
    };
    let is_box = a.0 <= b.0 && a.1 <= b.1 && a.2 <= b.2;
    let size = || {
        (sub.mips.1 - sub.mips.0) * (sub.layers.1 - sub.layers.0) * (sub.planes.1 - sub.planes.0)
    };
    let inside = |index: u32| {
        let (mip, layer, plane) = shape.coordinates(index);
        let within = |at: u32, of: (u32, u32)| of.0 <= at && at < of.1;
        within(mip, sub.mips) && within(layer, sub.layers) && within(plane, sub.planes)
    };
    let all_inside = || runs.iter().all(|(first, end)| (*first..*end).all(inside));
    (is_box && size() == count && all_inside()).then_some(sub)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;
    use crate::scenario::parse;

    /// Reading R71: the chroma plane of NV12 is half as wide and high as the texture.
    #[test]
    fn a_plane_has_its_own_extent() {
        let text = "texture t : NV12 128x96\n".to_owned();
        let (scenario, _) = parse(&Source::new("planes.scn", text));
        let shape = scenario
            .resources
            .values()
            .next()
            .and_then(Resource::texture);
        let shape = shape.expect("a texture");
        let region = |plane, rect: [u32; 4]| {
            let [x, y, width, height] = rect;
            let parts = SubresourceRange {
                mips: None,
                layers: None,
                planes: plane,
                rect: Some(Rect {
                    x,
                    y,
                    width,
                    height,
                }),
            };
            subresource_box(shape, &Range::Subresources(Box::new(parts)))
        };
        let chroma = Some((1, 2));
        // All of it.
        assert_eq!(region(chroma, [0, 0, 64, 48]).expect("inside").rect, None);
        let out = region(chroma, [0, 0, 128, 96]).expect_err("outside");
        assert_eq!((out.given, out.limit), (128, 64));
        // The lower right quarter: 32 columns of 2 bytes in each of 24 rows of 128 bytes, after 128 x 96 bytes of luma.
        let quarter = region(chroma, [32, 24, 32, 24]).expect("inside");
        let runs = box_byte_runs(shape, &quarter);
        assert_eq!(runs.len(), 24);
        let first = 128 * 96 + 24 * 128 + 64;
        assert_eq!(runs[0], (first, first + 64));
        // Of both planes it is in texels of the texture.
        let both = region(None, [0, 0, 64, 48]).expect("inside");
        assert_eq!(box_byte_runs(shape, &both).len(), 48 + 24);
    }
}
