//! What a capture did, in the scenario's words where it has them: resources, and steps in the order of submission.
//!
//! A step's acts still have Vulkan's image layouts and dependencies: which D3D12 layout an image has in `GENERAL`, and
//! which of its creation flags are needed, is known only when every use was seen. `settle` decides that.

use super::runs::Runs;
use super::shared::{Pool, Shared};
use super::step;
use crate::api::{BarrierAccess, Leaf, LeafSet, QueueType, ResourceFlags};
use crate::interop::vulkan::{AccessFlags, ImageLayout, StageFlags};
use crate::scenario::{IndirectTarget, Rect, ResourceKind, UseMode};
use std::rc::Rc;

/// A resource of a story: an index.
pub(super) type ItemId = u32;

/// A buffer or image.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) kind: ResourceKind,
    /// Creation flags that its usage asks for.
    pub(super) flags: ResourceFlags,
    /// The layout of each subresource: mip fastest, then layer, then plane. Empty for buffers.
    pub(super) layouts: Vec<ImageLayout>,
    /// The same when the story's first step begins.
    pub(super) initial: Vec<ImageLayout>,
    /// Memory, offset in it, and bytes.
    pub(super) memory: Option<(u64, u64, u64)>,
    /// The first and one past the last call between which it is alive.
    pub(super) alive: (u64, u64),
    /// Made outside the capture, or visible to others.
    pub(super) shared: bool,
}

/// Part of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    All,
    Bytes(u64, u64),
    Image(Box<ImagePart>),
}

/// A box of subresources, half-open, within the image.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ImagePart {
    pub(super) mips: (u32, u32),
    pub(super) layers: (u32, u32),
    pub(super) planes: (u32, u32),
    pub(super) rect: Option<Rect>,
}

/// A use of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one use that do not exclude each other"
)]
pub(super) struct Touch {
    pub(super) item: ItemId,
    pub(super) part: Part,
    pub(super) access: BarrierAccess,
    pub(super) stages: LeafSet,
    pub(super) mode: UseMode,
    /// Possibly, not certainly.
    pub(super) may: bool,
    /// The load of an attachment at the start of a pass.
    pub(super) loads: bool,
    /// The first use of an attachment by a pass.
    pub(super) begins: bool,
    /// A read as an input attachment.
    pub(super) is_input: bool,
    /// The store of an attachment that is in a read-only layout.
    pub(super) stores: bool,
    /// The layout in which a descriptor says that the image is.
    pub(super) layout: Option<ImageLayout>,
}

impl Touch {
    /// A certain use by fixed function.
    pub(super) fn new(item: ItemId, part: Part, access: BarrierAccess, leaf: Leaf) -> Self {
        Self {
            item,
            part,
            access,
            stages: LeafSet::one(leaf),
            mode: UseMode::Default,
            may: false,
            loads: false,
            begins: false,
            is_input: false,
            stores: false,
            layout: None,
        }
    }
}

/// Kinds of work.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    Draw {
        indexed: bool,
        vertices: u64,
        /// 0 is every pixel of the attachments.
        pixels: u64,
    },
    Dispatch([u32; 3]),
    Rays([u32; 2]),
    Indirect(IndirectTarget),
    /// Source, then destination.
    Copy,
    /// A write of the copy stage without a source.
    Fill,
    ClearRtv,
    ClearDsv,
    Discard,
    Predicate,
}

impl Work {
    /// A draw without a count of vertices or pixels: what a pass does besides its draws, or the present engine.
    pub(super) const PLAIN_DRAW: Self = Self::Draw {
        indexed: false,
        vertices: 0,
        pixels: 0,
    };
}

/// Both sides of a dependency: stages and accesses as Vulkan has them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Scopes {
    pub(super) src_stages: StageFlags,
    pub(super) src_access: AccessFlags,
    pub(super) dst_stages: StageFlags,
    pub(super) dst_access: AccessFlags,
}

/// What a dependency is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    Memory,
    /// An image that the present engine gave back: it is free from the second stages on.
    Acquired(ItemId),
    Buffer(ItemId),
    Image(ImageTarget),
}

/// A part of an image, with the layouts before and after.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ImageTarget {
    pub(super) item: ItemId,
    pub(super) part: Part,
    pub(super) old: ImageLayout,
    pub(super) new: ImageLayout,
}

/// One dependency.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Dependency {
    pub(super) scopes: Scopes,
    pub(super) target: Target,
    /// Half of an ownership transfer between two queue families.
    pub(super) transfer: Option<(u32, u32)>,
    /// A barrier that the program wrote as one; not what a render pass or a semaphore depends on.
    pub(super) is_own: bool,
}

/// One command.
#[derive(Clone, Debug)]
pub(super) struct Act {
    /// The number of the call.
    pub(super) call: u64,
    pub(super) what: What,
}

/// What a command is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    Work {
        work: Work,
        label: Option<Rc<str>>,
        touches: Vec<Touch>,
    },
    Barrier(Vec<Dependency>),
    Open(Rc<str>),
    Close,
    /// The work before it touches more than the capture tells: what that is.
    Lost(&'static str),
}

/// A command buffer of a submission. What it does is shared with others that do the same.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// The number of the submitting call.
    pub(super) call: u64,
    /// A name, or the handle of the command buffer.
    pub(super) name: Option<Rc<str>>,
    pub(super) handle: u64,
    /// The number of the first command's call.
    pub(super) first: u64,
    /// The commands, and how far the number of the call of each is from the first.
    pub(super) acts: Shared<What>,
    pub(super) distances: Shared<i64>,
}

impl Batch {
    /// How its list is called.
    pub(super) fn name(&self) -> String {
        let named = self.name.as_deref().map(str::to_owned);
        named.unwrap_or_else(|| format!("commands_{}", self.handle))
    }

    /// The commands with the numbers of their calls.
    pub(super) fn acts(
        &self,
    ) -> impl DoubleEndedIterator<Item = (u64, &What)> + ExactSizeIterator + use<'_> {
        let calls = self.distances.all.iter();
        calls
            .map(|distance| self.first.wrapping_add_signed(*distance))
            .zip(&*self.acts.all)
    }
}

/// What is said of a scope that ends between submissions of a queue.
pub(super) const BOUNDARY: &str = "boundaries between submissions of a queue: the scenario's scope ends there and flushes, Vulkan's queue does not; a hazard across one is not found";

/// One step of the timeline.
pub(super) type Step = step::Step<Batch, ItemId>;

/// A queue.
#[derive(Clone, Debug)]
pub(super) struct StoryQueue {
    pub(super) name: String,
    pub(super) queue_type: QueueType,
    pub(super) family: u32,
}

/// Everything that a capture tells.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    pub(super) items: Vec<Item>,
    pub(super) queues: Vec<StoryQueue>,
    /// The type of each queue family.
    pub(super) families: Vec<QueueType>,
    /// Names and first values.
    pub(super) fences: Vec<(String, u64)>,
    pub(super) steps: Runs<Step>,
    /// What command buffers do.
    pub(super) acts: Pool<What>,
    pub(super) distances: Pool<i64>,
}

impl Story {
    /// A command buffer of a submission.
    pub(super) fn batch(
        &mut self,
        call: u64,
        (name, handle): (Option<Rc<str>>, u64),
        acts: Vec<Act>,
    ) -> Batch {
        let first = acts.first().map_or(0, |act| act.call);
        let from_first = |act: &Act| act.call.wrapping_sub(first).cast_signed();
        let distances = self.distances.share(acts.iter().map(from_first).collect());
        let acts = acts.into_iter().map(|act| act.what).collect();
        Batch {
            call,
            name,
            handle,
            first,
            acts: self.acts.share(acts),
            distances,
        }
    }
}

impl step::Work for Batch {
    fn kind(&self) -> (u32, u32) {
        (self.acts.number, self.distances.number)
    }

    fn same(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.name == other.name
    }

    fn numbers(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        visit(&mut self.call);
        visit(&mut self.first);
        visit(&mut self.handle);
    }
}

impl Part {
    /// The first plane that it names.
    pub(super) fn first_plane(&self) -> u32 {
        match self {
            Self::Image(part) => part.planes.0,
            Self::All | Self::Bytes(..) => 0,
        }
    }
}

impl Item {
    /// What a part names of one plane; `None` if it does not name the plane.
    pub(super) fn on_plane(&self, part: &Part, plane: u32) -> Option<Part> {
        let counts = self.counts();
        let (mips, layers, planes) = match part {
            Part::Image(part) => (part.mips, part.layers, part.planes),
            Part::All | Part::Bytes(..) => ((0, counts.0), (0, counts.1), (0, counts.2)),
        };
        let length = |(from, end): (u32, u32)| (from, end - from);
        (planes.0..planes.1)
            .contains(&plane)
            .then(|| self.image_part(length(mips), length(layers), (plane, plane + 1), None))
    }

    /// Numbers of mips, layers and planes; of a buffer one each.
    pub(super) fn counts(&self) -> (u32, u32, u32) {
        match &self.kind {
            ResourceKind::Buffer { .. } => (1, 1, 1),
            ResourceKind::Texture(shape) => (shape.mips, shape.layers, shape.format.planes()),
        }
    }

    /// Indices into [`Item::layouts`] of a part.
    pub(super) fn subresources(&self, part: &Part) -> impl Iterator<Item = usize> + use<> {
        let (mips, layers, planes) = self.counts();
        let whole = ((0, mips), (0, layers), (0, planes));
        let (m, l, p) = match part {
            Part::Image(part) => (part.mips, part.layers, part.planes),
            Part::All | Part::Bytes(..) => whole,
        };
        (p.0..p.1).flat_map(move |plane| {
            (l.0..l.1).flat_map(move |layer| {
                (m.0..m.1).map(move |mip| ((plane * layers + layer) * mips + mip) as usize)
            })
        })
    }

    /// Bytes of a buffer; 0 for an image.
    pub(super) fn bytes(&self) -> u64 {
        match self.kind {
            ResourceKind::Buffer { size } => size,
            ResourceKind::Texture(_) => 0,
        }
    }

    /// A part of an image, clipped to what there is; [`Part::All`] if it is everything.
    pub(super) fn image_part(
        &self,
        mips: (u32, u32),
        layers: (u32, u32),
        planes: (u32, u32),
        rect: Option<Rect>,
    ) -> Part {
        let counts = self.counts();
        let clip = |(from, count): (u32, u32), all: u32| {
            let from = from.min(all.saturating_sub(1));
            let end = from.saturating_add(count).min(all).max(from + 1);
            (from, end)
        };
        let part = ImagePart {
            mips: clip(mips, counts.0),
            layers: clip(layers, counts.1),
            planes: (planes.0.min(counts.2 - 1), planes.1.clamp(1, counts.2)),
            rect,
        };
        let all = part.mips == (0, counts.0)
            && part.layers == (0, counts.1)
            && part.planes == (0, counts.2)
            && rect.is_none();
        if all {
            Part::All
        } else {
            Part::Image(Box::new(part))
        }
    }

    /// Bytes of a buffer, clipped; `None` if nothing is left.
    pub(super) fn byte_part(&self, start: u64, length: u64) -> Option<Part> {
        let size = self.bytes();
        let end = start.saturating_add(length).min(size);
        if start >= end {
            None
        } else if (start, end) == (0, size) {
            Some(Part::All)
        } else {
            Some(Part::Bytes(start, end))
        }
    }
}
