crate::finding::rule! {
    /// **What it finds.** An access (of a barrier, a use or an assertion) or a layout that needs a creation flag which
    /// the resource lacks, that `DENY_SHADER_RESOURCE` refuses, or that no buffer has.
    ///
    /// **Why it matters.** Views and compression are decided at creation. A resource without the flag has no such view,
    /// so nothing can access it that way.
    ///
    /// **Source.** Enhanced Barriers specification, "GPU-Based Validation",
    /// "`D3D12_RESOURCE_FLAG_RAYTRACING_ACCELERATION_STRUCTURE`"; reading R35.
    pub(crate) static RULE = "EB017", "creation-flags", Error,
        "an access or a layout that the resource was not created for";
}

use crate::api::{BarrierAccess, Layout, ResourceFlags, compat};
use crate::finding::Finding;
use crate::finding::Span;
use crate::id::ResourceId;
use crate::scenario::{CommandKind, Initial, Scenario};
use crate::validate::entry::finding;
use crate::validate::{Check, CommandOf, SideOf, UseOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(
    &RULE,
    &[
        Check::Resource(check_resource),
        Check::Command(check_assertion),
        Check::Use(check_use),
        Check::Side(check_side),
    ],
);

/// Why a resource cannot be accessed so; `None` if it can.
fn refused(
    scenario: &Scenario,
    id: ResourceId,
    access: BarrierAccess,
    span: Span,
) -> Option<Finding> {
    let traits = scenario.traits(id);
    let wrong = access & compat::refused_by_creation(traits);
    if wrong.is_empty() {
        return None;
    }
    let name = scenario.resource_name(id);
    let never = if traits.is_buffer {
        wrong & compat::NEVER_ON_BUFFERS
    } else {
        BarrierAccess::empty()
    };
    if !never.is_empty() {
        let message = format!("`{name}` is a buffer and has no {never} access");
        return Some(finding(scenario, &RULE, span, Some(id), message));
    }
    let needed = compat::ACCESS_FLAGS
        .iter()
        .filter(|(bits, flag)| wrong.intersects(*bits) && !traits.flags.contains(*flag))
        .fold(ResourceFlags::empty(), |set, (_, flag)| set | *flag);
    Some(missing_flag(
        scenario,
        id,
        span,
        &format!("the access {wrong}"),
        needed,
    ))
}

/// `needed` empty: `DENY_SHADER_RESOURCE` is the reason.
fn missing_flag(
    scenario: &Scenario,
    id: ResourceId,
    span: Span,
    what: &str,
    needed: ResourceFlags,
) -> Finding {
    let name = scenario.resource_name(id);
    if needed.is_empty() {
        let message =
            format!("`{name}` was created with DENY_SHADER_RESOURCE, which refuses {what}");
        return finding(scenario, &RULE, span, Some(id), message)
            .help(format!("create `{name}` without DENY_SHADER_RESOURCE"));
    }
    let message = format!("`{name}` was created without {needed}, which {what} needs");
    finding(scenario, &RULE, span, Some(id), message)
        .help(format!("create `{name}` with `flags {needed}`"))
}

fn layout_refused(
    scenario: &Scenario,
    id: ResourceId,
    layout: Layout,
    span: Span,
) -> Option<Finding> {
    let flags = scenario.resource(id).flags;
    (!compat::creation_allows_layout(layout, flags)).then(|| {
        let needed = compat::layout_needs(layout).difference(flags);
        missing_flag(scenario, id, span, &format!("the layout {layout}"), needed)
    })
}

fn check_side(it: &SideOf<'_>) -> Option<Finding> {
    let id = it.entry.resource_id()?;
    let (scenario, span) = (it.entry.scenario, it.entry.barrier.span);
    it.layout
        .and_then(|layout| layout_refused(scenario, id, layout, span))
        .or_else(|| refused(scenario, id, it.bits(), span))
}

fn check_use(it: &UseOf<'_>) -> Option<Finding> {
    // `discard` has a placeholder for whatever write access the layout allows.
    refused(
        it.scenario,
        it.resource,
        it.access.difference(BarrierAccess::NO_ACCESS),
        it.span,
    )
}

fn check_assertion(it: &CommandOf<'_>) -> Option<Finding> {
    let (scenario, span) = (it.scenario, it.command.span);
    match &it.command.kind {
        CommandKind::AssertAccess {
            resource, access, ..
        } => refused(
            scenario,
            *resource,
            access.difference(BarrierAccess::NO_ACCESS),
            span,
        ),
        CommandKind::AssertLayout {
            resource, layout, ..
        // Spec: "ID3D12DebugCommandList3 AssertTextureLayout": it does nothing on a buffer.
        } if !scenario.resource(*resource).is_buffer() => {
            layout_refused(scenario, *resource, *layout, span)
        }
        _ => None,
    }
}

fn check_resource(scenario: &Scenario, id: ResourceId) -> Option<Finding> {
    let resource = scenario.resource(id);
    match resource.initial {
        Initial::Layout(layout) if !resource.is_buffer() => {
            layout_refused(scenario, id, layout, resource.span)
        }
        Initial::State(state) if !resource.is_buffer() => {
            let needs = [
                (
                    crate::api::ResourceState::RENDER_TARGET,
                    ResourceFlags::RENDER_TARGET,
                ),
                (
                    crate::api::ResourceState::DEPTH_WRITE,
                    ResourceFlags::DEPTH_STENCIL,
                ),
                (
                    crate::api::ResourceState::DEPTH_READ,
                    ResourceFlags::DEPTH_STENCIL,
                ),
                (
                    crate::api::ResourceState::UNORDERED_ACCESS,
                    ResourceFlags::UNORDERED_ACCESS,
                ),
            ];
            needs
                .into_iter()
                .find(|(bit, flag)| state.contains(*bit) && !resource.flags.contains(*flag))
                .map(|(bit, flag)| {
                    missing_flag(
                        scenario,
                        id,
                        resource.span,
                        &format!("the state {bit}"),
                        flag,
                    )
                })
        }
        _ => None,
    }
}
