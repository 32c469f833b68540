//! Direct3D 12 captures: calls become a draft, one to one. Objects are keyed by handle, because the interface that a call
//! names is the one that declares the method, not the object's own.

mod barriers;
mod binding;
mod commands;
mod copies;
mod descriptors;
mod lists;
mod objects;
mod submit;
mod words;

use super::Options;
use super::draft::Draft;
use super::report::Notes;
use crate::api::QueueType;
use crate::interop::capture::{Event, Fields, Problem};
use crate::lookup::LookupMap;
use crate::scenario::Command;
use descriptors::Descriptors;
use objects::Objects;
use std::ops::ControlFlow;
use submit::Submits;

/// An importer of D3D12 calls.
pub(super) struct D3d12 {
    draft: Draft,
    objects: Objects,
    descriptors: Descriptors,
    lists: LookupMap<u64, Recording>,
    submits: Submits,
    window: super::Window,
    call: u64,
    returned: String,
}

/// A command list while it is recorded.
struct Recording {
    queue_type: QueueType,
    name: String,
    commands: Vec<Command>,
    state: commands::State,
}

/// A call with the object that it is made on.
#[derive(Copy, Clone)]
struct Call<'a> {
    object: u64,
    a: Fields<'a>,
}

type Handler = fn(&mut D3d12, &mut Notes, Call<'_>);

impl D3d12 {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            draft: Draft::default(),
            objects: Objects::default(),
            descriptors: Descriptors::default(),
            lists: LookupMap::default(),
            submits: Submits::default(),
            window: options.window,
            call: 0,
            returned: String::new(),
        }
    }

    /// Reads a call. Breaks when the last frame that is asked for is over.
    pub(super) fn call(
        &mut self,
        event: &Event<'_>,
        notes: &mut Notes,
    ) -> Result<ControlFlow<()>, Problem> {
        let name = &*event.name;
        let Some(handler) = handler(name) else {
            if says_nothing(name) {
                notes.report.without_effect += 1;
            } else {
                notes.unknown(name);
            }
            return Ok(ControlFlow::Continue(()));
        };
        if event.failed() {
            notes.dropped("calls that failed");
            return Ok(ControlFlow::Continue(()));
        }
        let arguments = event.arguments()?;
        self.call = event.index;
        notes.call = event.index;
        event
            .returned()
            .unwrap_or("")
            .clone_into(&mut self.returned);
        let call = Call {
            object: event.object.unwrap_or(0),
            a: Fields(&arguments),
        };
        handler(self, notes, call);
        Ok(
            if self.window.to.is_some_and(|to| self.submits.frame >= to) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            },
        )
    }

    /// The draft.
    pub(super) fn finish(self, notes: &mut Notes) -> Draft {
        notes.report.frames = self.submits.frame;
        self.draft
    }

    /// Does something with the list that a call records into.
    fn recorded(
        &mut self,
        notes: &mut Notes,
        call: Call<'_>,
        act: impl FnOnce(&mut Self, &mut Notes, &mut Recording),
    ) {
        let Some(mut recording) = self.lists.remove(&call.object) else {
            return stranger(notes, "command list");
        };
        act(self, notes, &mut recording);
        self.lists.insert(call.object, recording);
    }
}

/// Notes an object that the capture does not show being made.
fn stranger(notes: &mut Notes, what: &str) {
    notes.dropped(&format!(
        "a use of a {what} that the capture did not create before, or had destroyed"
    ));
}

fn handler(name: &str) -> Option<Handler> {
    commands::handler(name)
        .or_else(|| copies::handler(name))
        .or_else(|| binding::handler(name))
        .or_else(|| lists::handler(name))
        .or_else(|| barriers::handler(name))
        .or_else(|| objects::handler(name))
        .or_else(|| descriptors::handler(name))
        .or_else(|| submit::handler(name))
}

/// Calls that say nothing about synchronisation.
fn says_nothing(name: &str) -> bool {
    const PREFIXES: [&str; 14] = [
        "Query",
        "AddRef",
        "Release",
        "Get",
        "RS",
        "IASetPrimitive",
        "OMSetBlend",
        "OMSetStencil",
        "OMSetDepth",
        "Check",
        "Enum",
        "SetPrivateData",
        "Register",
        "SetDescriptorHeaps",
    ];
    const NAMES: [&str; 26] = [
        "BeginQuery",
        "CreateCommandAllocator",
        "CreateComputePipelineState",
        "CreateDXGIFactory",
        "CreateDXGIFactory1",
        "CreateDXGIFactory2",
        "CreateGraphicsPipelineState",
        "CreatePipelineLibrary",
        "CreatePipelineState",
        "CreateQueryHeap",
        "CreateRootSignature",
        "CreateSampler",
        "CreateStateObject",
        "D3D12CreateDevice",
        "D3D12GetDebugInterface",
        "D3D12SerializeRootSignature",
        "D3D12SerializeVersionedRootSignature",
        "EndQuery",
        "MakeWindowAssociation",
        "Map",
        "SetComputeRootSignature",
        "SetGraphicsRootSignature",
        "SetMaximumFrameLatency",
        "SetPipelineState",
        "SetPipelineState1",
        "Unmap",
    ];
    NAMES.binary_search(&name).is_ok()
        || name.ends_with("32BitConstant")
        || name.ends_with("32BitConstants")
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_matters_is_handled_before_it_is_left_out() {
        for name in [
            "GetGPUVirtualAddress",
            "GetBuffer",
            "GetCompletedValue",
            "DrawInstanced",
            "Barrier",
            "ResourceBarrier",
            "SetName",
        ] {
            assert!(super::handler(name).is_some(), "{name}");
        }
        assert!(super::says_nothing("RSSetViewports") && super::says_nothing("Map"));
    }
}
