crate::finding::rule! {
    /// **What it finds.** A buffer with an initial layout other than `UNDEFINED`, a texture in an upload or readback
    /// heap, an initial layout that is no layout of the API, or creation flags that exclude each other, the format, the samples
    /// or the heap. A resource that is placed beyond its heap, or not at a multiple of 64 KiB: 4 MiB with several samples, 4 KiB
    /// for a texture of at most 64 KiB that is no render target and no depth buffer.
    ///
    /// **Why it matters.** Buffers have no layout; upload and readback heaps hold only buffers. Creation fails, or the flag has
    /// no effect.
    ///
    /// **Source.** Enhanced Barriers specification, "New Resource Creation API's", "Upload Heap Resources"; language,
    /// "Declarations"; readings R10, R35, R71.
    pub(crate) static RULE = "EB024", "resource-creation", Error,
        "a resource that cannot be created like this";
}

use crate::api::{HeapType, Layout, ResourceFlags as F};
use crate::finding::Finding;
use crate::id::ResourceId;
use crate::scenario::{Initial, Placement, Resource, Scenario, geometry, size_text};
use crate::validate::entry::finding;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::Resource(check)]);

fn check(scenario: &Scenario, id: ResourceId) -> Option<Finding> {
    let resource = scenario.resource(id);
    let name = scenario.resource_name(id);
    let memory = scenario.heap_type(id);
    let (message, help) = match resource.initial {
        Initial::Layout(layout) if resource.is_buffer() && layout != Layout::Undefined => (
            format!("`{name}` is a buffer: it has no layout and cannot start in {layout}"),
            "leave out `initial`",
        ),
        _ if !resource.is_buffer() && memory != HeapType::Default => (
            format!("`{name}` is a texture, and the {memory} heap holds only buffers"),
            "put the texture in a default heap and copy through a buffer",
        ),
        Initial::Layout(layout) if !resource.is_buffer() && !layout.is_public() => (
            format!("`{name}` cannot start in {layout}, which is no layout of the API"),
            "use a layout of D3D12_BARRIER_LAYOUT",
        ),
        _ => match flags_refused(resource, memory) {
            Some((what, help)) => (format!("`{name}` {what}"), help),
            None => return misplaced(scenario, id),
        },
    };
    Some(finding(scenario, &RULE, resource.span, Some(id), message).help(help))
}

/// What is wrong with the place of a placed resource (reading R71).
fn misplaced(scenario: &Scenario, id: ResourceId) -> Option<Finding> {
    let resource = scenario.resource(id);
    let Placement::Placed { heap, offset } = resource.placement else {
        return None;
    };
    let name = scenario.resource_name(id);
    let alignment = geometry::least_placement_alignment(resource);
    let (bytes, size) = (
        geometry::resource_bytes(resource),
        scenario.heaps[heap].size,
    );
    let end = offset.saturating_add(bytes);
    let (message, help) = if !offset.is_multiple_of(alignment) {
        let message = format!(
            "`{name}` is placed at {}, which is no multiple of {}",
            size_text(offset),
            size_text(alignment)
        );
        let below = offset - offset % alignment;
        let above = below.saturating_add(alignment);
        let below = if below == 0 {
            "0".to_owned()
        } else {
            size_text(below)
        };
        let fits = above.checked_add(bytes).is_some_and(|end| end <= size);
        let help = if fits {
            format!("write `at {below}` or `at {}`", size_text(above))
        } else {
            format!("write `at {below}`")
        };
        (message, help)
    } else if end > size {
        let heap_name = scenario.heaps.name(heap);
        let message = format!(
            "`{name}` ends at {} of the heap `{heap_name}`, which has {}",
            size_text(end),
            size_text(size)
        );
        (
            message,
            format!("make the heap at least {}", size_text(end)),
        )
    } else {
        return None;
    };
    Some(finding(scenario, &RULE, resource.span, Some(id), message).help(help))
}

/// Flags of views that the buffers of upload and readback heaps cannot have.
pub(super) const VIEWS: F = F::RENDER_TARGET.union(F::UNORDERED_ACCESS);

/// What is wrong with the creation flags, and what would be right (reading R71).
fn flags_refused(resource: &Resource, memory: HeapType) -> Option<(String, &'static str)> {
    let flags = resource.flags;
    let both = |one: F, others: F| {
        let met = flags & others;
        (flags.contains(one) && !met.is_empty()).then(|| {
            let what = format!("has the flags {one} and {met}, which exclude each other");
            (what, "create two resources, or leave one flag out")
        })
    };
    let Some(shape) = resource.texture() else {
        let met = flags & VIEWS;
        return (memory != HeapType::Default && !met.is_empty()).then(|| {
            let what = format!("is in the {memory} heap, whose buffers cannot have {met}");
            (
                what,
                "put the buffer in a default heap, or leave the flag out",
            )
        });
    };
    let of_depth = both(F::DEPTH_STENCIL, VIEWS | F::SIMULTANEOUS_ACCESS);
    if of_depth.is_some() {
        return of_depth;
    }
    let format = shape.format;
    if flags.contains(F::DEPTH_STENCIL) && !format.can_be_depth() {
        let what = format!("has DEPTH_STENCIL, and {format} is no depth format");
        return Some((what, "write D32_FLOAT or another depth format"));
    }
    if format.is_depth() && flags.intersects(VIEWS) {
        let what = format!("has {}, and {format} is a depth format", flags & VIEWS);
        return Some((what, "write `flags DEPTH_STENCIL`"));
    }
    if shape.samples > 1 {
        let met = flags & (F::UNORDERED_ACCESS | F::SIMULTANEOUS_ACCESS);
        if !met.is_empty() {
            let what = format!("has {} samples, and {met} needs one", shape.samples);
            return Some((what, "leave out `samples`, or the flag"));
        }
        if shape.mips > 1 {
            let what = format!("has {} samples and {} mips", shape.samples, shape.mips);
            return Some((what, "a texture with samples has one mip"));
        }
    }
    flags
        .contains(F::RAYTRACING_ACCELERATION_STRUCTURE)
        .then(|| {
            let what = "is a texture, and acceleration structures are in buffers".to_owned();
            (what, "leave RAYTRACING_ACCELERATION_STRUCTURE out")
        })
}
