crate::finding::rule! {
    /// **What it finds.** A command, creation flag, format, access, layout or fence kind that needs a capability which the
    /// scenario switches off. A feedback map needs sampler feedback, and so does a resolve from or to a buffer.
    ///
    /// **Why it matters.** The device has no hardware or driver support for it.
    ///
    /// **Source.** Language, "Declarations"; Enhanced Barriers specification, "Upload Heap Resources" (resolves need
    /// Sampler Feedback).
    pub(crate) static RULE = "EB025", "capability-off", Error,
        "a command, flag, access, layout or fence that needs a capability which is off";
}

use crate::api::{BarrierAccess, BarrierSync, HeapType, Layout, ResourceFlags};
use crate::finding::Finding;
use crate::finding::Span;
use crate::id::{FenceId, ResourceId};
use crate::scenario::{Capability, CommandKind, IndirectTarget, Initial, Scenario};
use crate::validate::entry::finding;
use crate::validate::{Check, CommandOf, SideOf, UseOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(
    &RULE,
    &[
        Check::Resource(check_resource),
        Check::Fence(check_fence),
        Check::Command(check_command),
        Check::Use(check_use),
        Check::Side(check_side),
    ],
);

const RAYTRACING_ACCESS: BarrierAccess = BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ
    .union(BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE);
const RAYTRACING_SYNC: BarrierSync = BarrierSync::RAYTRACING
    .union(BarrierSync::BUILD_RAYTRACING_ACCELERATION_STRUCTURE)
    .union(BarrierSync::COPY_RAYTRACING_ACCELERATION_STRUCTURE)
    .union(BarrierSync::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO);
const VIDEO_ACCESS: BarrierAccess = BarrierAccess::VIDEO_DECODE_READ
    .union(BarrierAccess::VIDEO_DECODE_WRITE)
    .union(BarrierAccess::VIDEO_PROCESS_READ)
    .union(BarrierAccess::VIDEO_PROCESS_WRITE)
    .union(BarrierAccess::VIDEO_ENCODE_READ)
    .union(BarrierAccess::VIDEO_ENCODE_WRITE);
const VIDEO_SYNC: BarrierSync = BarrierSync::VIDEO_DECODE
    .union(BarrierSync::VIDEO_PROCESS)
    .union(BarrierSync::VIDEO_ENCODE);
const RESOLVES: BarrierAccess = BarrierAccess::RESOLVE_SOURCE.union(BarrierAccess::RESOLVE_DEST);

fn lacking(
    scenario: &Scenario,
    capability: Capability,
    what: &str,
    id: Option<ResourceId>,
    span: Span,
) -> Option<Finding> {
    (!scenario.device.has(capability)).then(|| {
        let word = capability.word();
        let message = format!("{what} needs the capability {word}, which is off");
        finding(scenario, &RULE, span, id, message).help(format!("switch `capability {word} on`"))
    })
}

fn access(
    scenario: &Scenario,
    access: BarrierAccess,
    id: Option<ResourceId>,
    span: Span,
) -> Option<Finding> {
    // Most scenarios switch nothing off.
    if scenario.device.capabilities.is_empty() {
        return None;
    }
    let in_default_heap = id.is_none_or(|id| scenario.heap_type(id) == HeapType::Default);
    let needs = [
        (Capability::Raytracing, RAYTRACING_ACCESS),
        (
            Capability::VariableRateShading,
            BarrierAccess::SHADING_RATE_SOURCE,
        ),
        (Capability::Video, VIDEO_ACCESS),
        (
            Capability::SamplerFeedback,
            if in_default_heap {
                BarrierAccess::empty()
            } else {
                RESOLVES
            },
        ),
    ];
    needs.into_iter().find_map(|(capability, bits)| {
        let wrong = access & bits;
        if wrong.is_empty() {
            return None;
        }
        lacking(
            scenario,
            capability,
            &format!("the access {wrong}"),
            id,
            span,
        )
    })
}

fn layout(
    scenario: &Scenario,
    layout: Layout,
    id: Option<ResourceId>,
    span: Span,
) -> Option<Finding> {
    let capability = match layout {
        Layout::ShadingRateSource => Capability::VariableRateShading,
        Layout::VideoDecodeRead
        | Layout::VideoDecodeWrite
        | Layout::VideoProcessRead
        | Layout::VideoProcessWrite
        | Layout::VideoEncodeRead
        | Layout::VideoEncodeWrite
        | Layout::VideoQueueCommon => Capability::Video,
        _ => return None,
    };
    lacking(
        scenario,
        capability,
        &format!("the layout {layout}"),
        id,
        span,
    )
}

fn sync(
    scenario: &Scenario,
    sync: BarrierSync,
    id: Option<ResourceId>,
    span: Span,
) -> Option<Finding> {
    let needs = [
        (Capability::Raytracing, RAYTRACING_SYNC),
        (Capability::Video, VIDEO_SYNC),
    ];
    needs.into_iter().find_map(|(capability, bits)| {
        let wrong = sync & bits;
        if wrong.is_empty() {
            return None;
        }
        lacking(
            scenario,
            capability,
            &format!("the scope {wrong}"),
            id,
            span,
        )
    })
}

fn check_side(it: &SideOf<'_>) -> Option<Finding> {
    let (scenario, span, id) = (
        it.entry.scenario,
        it.entry.barrier.span,
        it.entry.resource_id(),
    );
    sync(scenario, it.sync, id, span)
        .or_else(|| access(scenario, it.bits(), id, span))
        .or_else(|| it.layout.and_then(|it| layout(scenario, it, id, span)))
}

fn check_use(it: &UseOf<'_>) -> Option<Finding> {
    let bits = it.access.difference(BarrierAccess::NO_ACCESS);
    access(it.scenario, bits, Some(it.resource), it.span)
}

fn check_command(it: &CommandOf<'_>) -> Option<Finding> {
    let (scenario, span) = (it.scenario, it.command.span);
    let (capability, what) = match &it.command.kind {
        CommandKind::DispatchRays { .. }
        | CommandKind::ExecuteIndirect {
            target: IndirectTarget::Rays,
            ..
        } => (Capability::Raytracing, "dispatching rays"),
        CommandKind::BuildAs { .. } | CommandKind::CopyAs | CommandKind::EmitAs => {
            (Capability::Raytracing, "an acceleration structure command")
        }
        CommandKind::Video { .. } => (Capability::Video, "a video command"),
        CommandKind::Resolve
            if it
                .command
                .uses
                .iter()
                .any(|used| scenario.resource(used.resource).is_buffer()) =>
        {
            (Capability::SamplerFeedback, "resolving from or to a buffer")
        }
        CommandKind::AssertAccess {
            resource,
            access: bits,
            ..
        } => {
            return access(scenario, *bits, Some(*resource), span);
        }
        CommandKind::AssertLayout {
            resource,
            layout: it,
            ..
        } => {
            return layout(scenario, *it, Some(*resource), span);
        }
        _ => return None,
    };
    lacking(scenario, capability, what, None, span)
}

fn check_resource(scenario: &Scenario, id: ResourceId) -> Option<Finding> {
    let resource = scenario.resource(id);
    let needs = [
        (
            Capability::Raytracing,
            ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE,
        ),
        (
            Capability::Video,
            ResourceFlags::VIDEO_DECODE_REFERENCE_ONLY | ResourceFlags::VIDEO_ENCODE_REFERENCE_ONLY,
        ),
    ];
    let flag = needs.into_iter().find_map(|(capability, flags)| {
        let wrong = resource.flags & flags;
        if wrong.is_empty() {
            return None;
        }
        lacking(
            scenario,
            capability,
            &format!("the flag {wrong}"),
            Some(id),
            resource.span,
        )
    });
    let format = resource.texture().map(|shape| shape.format);
    let feedback = format
        .filter(|format| format.is_sampler_feedback())
        .and_then(|format| {
            let what = format!("the format {format}");
            lacking(
                scenario,
                Capability::SamplerFeedback,
                &what,
                Some(id),
                resource.span,
            )
        });
    flag.or(feedback).or_else(|| match resource.initial {
        Initial::Layout(it) => layout(scenario, it, Some(id), resource.span),
        Initial::Default | Initial::State(_) => None,
    })
}

fn check_fence(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id];
    let native = fence.native.is_some() || fence.kind.as_deref() == Some("native");
    if !native {
        return None;
    }
    lacking(
        scenario,
        Capability::NativeFences,
        "a native fence",
        None,
        fence.span,
    )
}
