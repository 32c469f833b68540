//! Command buffers while they are recorded: the acts so far, and the state that decides what the next draw touches.

use super::super::story::{Act, ItemId, Part, Touch, What, Work};
use super::Vulkan;
use super::descriptors::BoundSets;
use super::passes::{Attachments, Pass};
use super::pipelines::{Pipeline, VertexBinding};
use super::screen::Bounds;
use crate::api::BarrierAccess;
use crate::interop::capture::Fields;
use crate::lookup::LookupMap;
use std::rc::Rc;

/// An act as it was recorded: what its descriptors touch is added at the submission.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub(super) act: Act,
    pub(super) bound: Option<Bound>,
    /// A draw of a secondary command buffer: it touches the attachments of the pass that executes it.
    pub(super) inherits: bool,
}

/// What a draw or dispatch runs with.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) pipeline: Rc<Pipeline>,
    pub(super) sets: Rc<BoundSets>,
}

/// A buffer at an offset.
#[derive(Copy, Clone, Debug)]
pub(super) struct BoundBuffer {
    pub(super) item: ItemId,
    pub(super) offset: u64,
    /// Bytes from there.
    pub(super) size: u64,
    pub(super) stride: Option<u64>,
}

/// One command buffer.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub(super) name: Option<Rc<str>>,
    pub(super) secondary: bool,
    pub(super) acts: Rc<Vec<Recorded>>,
    pub(super) state: State,
}

/// What the next draw or dispatch depends on.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Graphics, compute, ray tracing.
    pub(super) pipelines: [Option<Rc<Pipeline>>; 3],
    pub(super) sets: [Rc<BoundSets>; 3],
    pub(super) vertices: Vec<Option<BoundBuffer>>,
    pub(super) dynamic_bindings: Vec<VertexBinding>,
    pub(super) index: Option<(BoundBuffer, u64)>,
    /// Depth test, depth write, stencil test, as set.
    pub(super) depth: [bool; 3],
    pub(super) pass: Option<Pass>,
    pub(super) attachments: Rc<Attachments>,
    /// Open groups of the debug labels.
    pub(super) open: u32,
    /// Attachments that draws and clears of the pass write.
    pub(super) written: Vec<(ItemId, Part)>,
    /// Scissor, viewport and render area.
    pub(super) bounds: Bounds,
    /// Transform feedback buffers, and whether it is on.
    pub(super) feedback: Vec<Option<BoundBuffer>>,
    pub(super) feedback_on: bool,
}

/// Command buffers by handle, and those of each pool.
#[derive(Default)]
pub(super) struct Recordings {
    pub(super) all: LookupMap<u64, Recording>,
    pools: LookupMap<u64, Vec<u64>>,
}

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCreateCommandPool" => |v, a| {
            v.recordings.pools.insert(a.u64("pCommandPool"), Vec::new());
        },
        "vkDestroyCommandPool" => |v, a| {
            for handle in v
                .recordings
                .pools
                .remove(&a.u64("commandPool"))
                .unwrap_or_default()
            {
                v.recordings.all.remove(&handle);
            }
        },
        "vkResetCommandPool" => |v, a| {
            let pool = v.recordings.pools.get(&a.u64("commandPool"));
            for handle in pool.into_iter().flatten() {
                if let Some(recording) = v.recordings.all.get_mut(handle) {
                    recording.reset();
                }
            }
        },
        "vkAllocateCommandBuffers" => allocate,
        "vkFreeCommandBuffers" => |v, a| {
            for handle in a.numbers("pCommandBuffers") {
                v.recordings.all.remove(&handle);
            }
            if let Some(pool) = v.recordings.pools.get_mut(&a.u64("commandPool")) {
                let freed: Vec<u64> = a.numbers("pCommandBuffers").collect();
                pool.retain(|handle| !freed.contains(handle));
            }
        },
        "vkBeginCommandBuffer" | "vkResetCommandBuffer" => |v, a| {
            if let Some(recording) = v.recordings.all.get_mut(&a.u64("commandBuffer")) {
                recording.reset();
            }
        },
        "vkEndCommandBuffer" => end,
        _ => return None,
    })
}

fn allocate(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pAllocateInfo");
    let pool = info.u64("commandPool");
    let secondary =
        info.str("level").ends_with("SECONDARY") || info.get("level").0.as_u64() == Some(1);
    for handle in a.numbers("pCommandBuffers") {
        let recording = Recording {
            secondary,
            ..Recording::default()
        };
        v.recordings.all.insert(handle, recording);
        v.recordings.pools.entry(pool).or_default().push(handle);
    }
}

fn end(v: &mut Vulkan, a: Fields<'_>) {
    let call = v.call;
    v.recorded(a, |_, recording| {
        // Groups may stay open across command buffers; here each closes its own.
        while recording.state.open > 0 {
            recording.state.open -= 1;
            recording.push(call, What::Close);
        }
        recording.state = State::default();
    });
}

impl State {
    /// A draw or a clear of a pass writes its attachments.
    pub(super) fn draws(&mut self, touches: &[Touch]) {
        let writes = BarrierAccess::RENDER_TARGET | BarrierAccess::DEPTH_STENCIL_WRITE;
        for touch in touches.iter().filter(|touch| writes.contains(touch.access)) {
            let written = (touch.item, touch.part.clone());
            if !self.written.contains(&written) {
                self.written.push(written);
            }
        }
    }
}

impl Recording {
    fn reset(&mut self) {
        self.acts = Rc::default();
        self.state = State::default();
    }

    /// Records an act.
    pub(super) fn push(&mut self, call: u64, what: What) -> &mut Recorded {
        let acts = Rc::make_mut(&mut self.acts);
        acts.push(Recorded {
            act: Act { call, what },
            bound: None,
            inherits: false,
        });
        acts.last_mut().expect("just pushed")
    }

    /// Records work without descriptors.
    pub(super) fn work(&mut self, call: u64, work: Work, touches: Vec<Touch>) -> &mut Recorded {
        self.push(
            call,
            What::Work {
                work,
                label: None,
                touches,
            },
        )
    }
}

impl Vulkan {
    /// Does something with the command buffer that a call records into.
    pub(super) fn recorded(&mut self, a: Fields<'_>, act: impl FnOnce(&mut Self, &mut Recording)) {
        let handle = a.u64("commandBuffer");
        let Some(mut recording) = self.recordings.all.remove(&handle) else {
            return self.stranger("command buffer");
        };
        act(self, &mut recording);
        self.recordings.all.insert(handle, recording);
    }

    pub(super) fn name_buffer(&mut self, handle: u64, name: &str) {
        if let Some(recording) = self.recordings.all.get_mut(&handle) {
            recording.name = Some(name.into());
        }
    }

    /// Bytes of a buffer, by handle.
    pub(super) fn bytes_of(
        &mut self,
        handle: u64,
        offset: u64,
        size: u64,
    ) -> Option<(ItemId, Part)> {
        let Some(item) = self.objects.buffers.get(&handle).copied() else {
            if handle != 0 {
                self.stranger("buffer");
            }
            return None;
        };
        let part = self.story.items[item as usize].byte_part(offset, size);
        if part.is_none() && size > 0 {
            self.notes
                .dropped("uses of bytes beyond the end of a buffer");
        }
        Some((item, part?))
    }
}
