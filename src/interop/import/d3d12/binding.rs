//! What is bound: render targets, buffers, root parameters.

use super::commands::Root;
use super::copies::clear;
use super::{Call, D3d12, Recording, words};
use crate::api::BarrierAccess;
use crate::interop::capture::Fields;
use crate::interop::import::report::Notes;
use crate::scenario::CommandKind;

pub(super) fn handler(name: &str) -> Option<super::Handler> {
    Some(match name {
        "OMSetRenderTargets" => |d, n, c| d.recorded(n, c, |d, _, r| targets(d, r, c.a)),
        "BeginRenderPass" => |d, n, c| d.recorded(n, c, |d, n, r| begin_pass(d, n, r, c.a)),
        "EndRenderPass" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                r.state.targets.clear();
                r.state.depth = None;
            });
        },
        "IASetVertexBuffers" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                let first = c.a.u64("StartSlot");
                for (slot, view) in (first..).zip(c.a.list("pViews")) {
                    r.state
                        .vertices
                        .insert(slot, (view.u64("BufferLocation"), view.u64("SizeInBytes")));
                }
            });
        },
        "IASetIndexBuffer" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                let view = c.a.get("pView");
                r.state.index = view
                    .is_some()
                    .then(|| (view.u64("BufferLocation"), view.u64("SizeInBytes")));
            });
        },
        "SOSetTargets" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                let views =
                    c.a.list("pViews")
                        .map(|view| (view.u64("BufferLocation"), view.u64("SizeInBytes")));
                r.state.streams = views.collect();
            });
        },
        "SetGraphicsRootDescriptorTable" => |d, n, c| root(d, n, c, 0, None),
        "SetComputeRootDescriptorTable" => |d, n, c| root(d, n, c, 1, None),
        "SetGraphicsRootConstantBufferView" => {
            |d, n, c| root(d, n, c, 0, Some(BarrierAccess::CONSTANT_BUFFER))
        }
        "SetComputeRootConstantBufferView" => {
            |d, n, c| root(d, n, c, 1, Some(BarrierAccess::CONSTANT_BUFFER))
        }
        "SetGraphicsRootShaderResourceView" => {
            |d, n, c| root(d, n, c, 0, Some(BarrierAccess::SHADER_RESOURCE))
        }
        "SetComputeRootShaderResourceView" => {
            |d, n, c| root(d, n, c, 1, Some(BarrierAccess::SHADER_RESOURCE))
        }
        "SetGraphicsRootUnorderedAccessView" => {
            |d, n, c| root(d, n, c, 0, Some(BarrierAccess::UNORDERED_ACCESS))
        }
        "SetComputeRootUnorderedAccessView" => {
            |d, n, c| root(d, n, c, 1, Some(BarrierAccess::UNORDERED_ACCESS))
        }
        _ => return None,
    })
}

fn root(
    d: &mut D3d12,
    notes: &mut Notes,
    c: Call<'_>,
    point: usize,
    access: Option<BarrierAccess>,
) {
    let number = c.a.u64("RootParameterIndex");
    let root = if let Some(access) = access {
        Root::Buffer(access, c.a.u64("BufferLocation"))
    } else {
        let base = c.a.get("BaseDescriptor");
        let pointer = base.get("ptr");
        Root::Table(if pointer.is_some() {
            pointer.number()
        } else {
            base.number()
        })
    };
    d.recorded(notes, c, |_, _, recording| {
        recording.state.roots[point].insert(number, root);
    });
}

fn targets(d: &mut D3d12, recording: &mut Recording, a: Fields<'_>) {
    let is_range = a.u64("RTsSingleHandleToDescriptorRange") != 0;
    let count = a.u64("NumRenderTargetDescriptors").min(8);
    let handles: Vec<Fields<'_>> = a.list("pRenderTargetDescriptors").collect();
    recording.state.targets = if is_range {
        let first = handles.first().copied();
        let each = |at: u64| {
            let first = first?;
            let place = serde_json::json!({ "heap_id": first.u64("heap_id"), "index": first.u64("index").saturating_add(at) });
            d.descriptors.of(Fields(&place))
        };
        (0..count).filter_map(each).collect()
    } else {
        handles
            .into_iter()
            .filter_map(|handle| d.descriptors.of(handle))
            .collect()
    };
    let depth = a.get("pDepthStencilDescriptor");
    recording.state.depth = d.descriptors.of(depth).filter(|_| depth.is_some());
}

fn begin_pass(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, a: Fields<'_>) {
    recording.state.targets.clear();
    recording.state.depth = None;
    for each in a.list("pRenderTargets") {
        if words::is(each.get("BeginningAccess").get("Type"), 2, "TYPE_CLEAR") {
            clear(
                d,
                notes,
                recording,
                each.get("cpuDescriptor"),
                CommandKind::ClearRtv,
            );
        }
        recording
            .state
            .targets
            .extend(d.descriptors.of(each.get("cpuDescriptor")));
    }
    let depth = a.get("pDepthStencil");
    if depth.is_some() {
        if words::is(
            depth.get("DepthBeginningAccess").get("Type"),
            2,
            "TYPE_CLEAR",
        ) {
            clear(
                d,
                notes,
                recording,
                depth.get("cpuDescriptor"),
                CommandKind::ClearDsv,
            );
        }
        recording.state.depth = d.descriptors.of(depth.get("cpuDescriptor"));
    }
}
