//! What a texture is to a machine: whether it has metadata, which ways its bytes take, how a layout encodes them.

use crate::api::compat::layout_accesses;
use crate::api::{BarrierAccess, Layout, QueueType, ResourceFlags};
use crate::hardware::{LayoutClass, LayoutOp, Profile, Surface, Variant, VariantSet};
use crate::program::{CompressionState, Encoding, LayoutAct};
use crate::scenario::geometry::SubresourceBox;
use crate::scenario::{Placement, Resource, ResourceKind, TextureShape};

/// Whether any layout stores a texture compressed: only what the GPU writes itself ever is.
pub(super) fn is_compressible(profile: &Profile, resource: &Resource) -> bool {
    let written = profile.compressed_flags();
    !resource.is_buffer()
        && !resource.uncompressed
        && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
        && resource.flags.intersects(written)
}

/// What a resource's metadata says before anything runs. Committed creation initialises it (reading R25).
pub(super) fn initial_state(profile: &Profile, resource: &Resource) -> Option<CompressionState> {
    if !is_compressible(profile, resource) {
        return None;
    }
    Some(match resource.placement {
        Placement::Committed => CompressionState::PassThrough,
        Placement::Placed { .. } | Placement::Reserved => CompressionState::Invalid,
    })
}

/// Whether a resource's format has depth.
pub(super) fn is_depth(resource: &Resource) -> bool {
    resource.texture().is_some_and(|t| t.format.is_depth())
}

/// What exceptions may ask of a mip level.
fn surface(shape: &TextureShape, mip: u32) -> Surface {
    let depth = shape.format.is_depth();
    Surface {
        depth,
        stencil: depth && shape.format.planes() > 1,
        samples: shape.samples,
        mip,
    }
}

/// The parts of a box of subresources that take the same ways.
pub(super) fn parts(
    profile: &Profile,
    shape: &TextureShape,
    sub: &SubresourceBox,
) -> Vec<(Variant, SubresourceBox)> {
    let (start, end) = sub.mips;
    let mut first = start;
    let mut parts = Vec::with_capacity(1);
    let limits = profile.mip_limits();
    let inside = limits.into_iter().filter(|mip| start < *mip && *mip < end);
    for until in inside.chain([end]) {
        let mips = (first, until);
        let variant = profile.variant(surface(shape, first));
        parts.push((variant, SubresourceBox { mips, ..*sub }));
        first = until;
    }
    parts
}

/// Every set of ways that some part of a resource takes.
pub(super) fn variants(profile: &Profile, resource: &Resource) -> VariantSet {
    match &resource.kind {
        ResourceKind::Texture(shape) if !profile.exceptions.is_empty() => {
            variants_of(profile, shape, &SubresourceBox::all(shape))
        }
        _ => VariantSet::default(),
    }
}

/// Every set of ways that a box of subresources takes.
pub(super) fn variants_of(
    profile: &Profile,
    shape: &TextureShape,
    sub: &SubresourceBox,
) -> VariantSet {
    let parts = parts(profile, shape, sub).into_iter();
    let sets = parts.map(|(variant, _)| VariantSet::from(variant));
    sets.reduce(VariantSet::union).unwrap_or_default()
}

pub(super) fn encoding_of(class: LayoutClass) -> Encoding {
    match class {
        LayoutClass::CompressedFastClear => Encoding::FastCleared,
        LayoutClass::Compressed => Encoding::Compressed,
        // What is compressed by page is transparent to every client.
        LayoutClass::Static
        | LayoutClass::Plain
        | LayoutClass::Undefined
        | LayoutClass::Illegal => Encoding::Plain,
    }
}

/// The most that each access can decode on a queue: what the most compressed layout that allows it has. A use in a layout
/// that does not allow it decodes no more.
pub(super) fn decodes(profile: &Profile, queue: QueueType) -> Vec<Encoding> {
    let most = |access: BarrierAccess| {
        let layouts = Layout::ALL
            .iter()
            .filter(|l| l.is_public() && layout_accesses(**l).contains(access));
        layouts
            .map(|layout| encoding_of(profile.layout_class(*layout, queue, Variant::default())))
            .max()
            .unwrap_or(Encoding::Plain)
    };
    BarrierAccess::EVERY.iter().map(most).collect()
}

/// What an operation between two classes does to each block. Going to plain writes texels out; coming from plain or from
/// nothing, metadata is made to take them as they are; between the compressed classes clear values are filled in.
pub(super) fn act(op: &LayoutOp, from: LayoutClass, to: LayoutClass) -> LayoutAct {
    let leaves = if op.passes_through {
        CompressionState::PassThrough
    } else {
        CompressionState::Resolved
    };
    let is_compressed = |class| encoding_of(class) > Encoding::Plain;
    match (is_compressed(from), is_compressed(to)) {
        (true, false) => LayoutAct::FullResolve(leaves),
        (true, true) => LayoutAct::PartialResolve,
        (false, _) => LayoutAct::Ambiguate,
    }
}
