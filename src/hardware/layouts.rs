//! Compression: how each layout stores texels on each queue, and the operations from one class to another.

use super::{Profile, Variant};
use crate::api::{BarrierAccess, Layout, QueueType, compat};
use crate::id::{CacheId, LayoutOpId, Table};
use crate::time::Ps;

/// How a layout stores texels on a queue.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum LayoutClass {
    /// `CF`: compressed, fast clears allowed.
    CompressedFastClear,
    /// `C`: compressed.
    Compressed,
    /// `S`: static; no layout ever needs work, and every client reads what every other wrote.
    Static,
    /// `U`: plain.
    Plain,
    /// `X`: undefined contents.
    Undefined,
    /// `-`: not legal on the queue type.
    Illegal,
}

impl LayoutClass {
    /// Every class.
    const ALL: [Self; 6] = [
        Self::CompressedFastClear,
        Self::Compressed,
        Self::Static,
        Self::Plain,
        Self::Undefined,
        Self::Illegal,
    ];

    /// The word of a profile file.
    pub fn word(self) -> &'static str {
        match self {
            Self::CompressedFastClear => "CF",
            Self::Compressed => "C",
            Self::Static => "S",
            Self::Plain => "U",
            Self::Undefined => "X",
            Self::Illegal => "-",
        }
    }

    /// The class that a profile file calls so.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
    }
}

/// An operation between compression classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayoutOp {
    /// Name.
    pub name: String,
    /// Classes before.
    pub from: Vec<LayoutClass>,
    /// Classes after.
    pub to: Vec<LayoutClass>,
    /// Touches no texture: these caches are written back and dropped, because lines of an earlier alias may be left there.
    pub caches: Vec<CacheId>,
    /// Touches only metadata.
    pub metadata_only: bool,
    /// Leaves metadata that stays true whoever writes the texels (`pass-through`), not that of a copy (`resolved`).
    pub passes_through: bool,
    /// Only formats with depth (`Some(true)`), or only those without (`Some(false)`).
    pub depth: Option<bool>,
    /// Queue types that can run it; for another one the driver has it run elsewhere and waits.
    pub queues: Vec<QueueType>,
}

impl LayoutOp {
    /// Whether it goes from one class to another, for formats with depth or without.
    fn joins(&self, from: LayoutClass, to: LayoutClass, depth: bool) -> bool {
        let format = self.depth.is_none_or(|d| d == depth);
        format && self.from.contains(&from) && self.to.contains(&to)
    }

    /// Whether a queue's own engine runs it.
    pub fn runs_on(&self, queue: QueueType) -> bool {
        let queue = if queue == QueueType::Bundle {
            QueueType::Direct
        } else {
            queue
        };
        self.queues.contains(&queue)
    }
}

impl Profile {
    /// What a layout operation on some bytes costs a queue: its launch, and the bytes that it moves through memory.
    pub fn layout_time(
        &self,
        op: LayoutOpId,
        queue: QueueType,
        bytes: u64,
        initialise: bool,
    ) -> Ps {
        let costs = &self.costs;
        let op = self.layout_op(op);
        // A full pass reads and writes the surface.
        let moved = if initialise || op.metadata_only {
            bytes.div_ceil(costs.metadata_covers)
        } else {
            bytes.saturating_mul(2)
        };
        let elsewhere = if op.runs_on(queue) {
            Ps::ZERO
        } else {
            costs.layout_elsewhere
        };
        elsewhere + costs.layout_launch + Ps::for_amount(moved, costs.dram_bytes)
    }

    /// A layout operation by id.
    pub fn layout_op(&self, id: LayoutOpId) -> &LayoutOp {
        &self.layout_ops[id]
    }

    /// The operation that rewrites a texture between two classes, if there is work for formats with depth or without.
    pub fn layout_op_between(
        &self,
        from: LayoutClass,
        to: LayoutClass,
        depth: bool,
    ) -> Option<LayoutOpId> {
        operation_between(&self.layout_ops, from, to, depth)
    }

    /// Caches that are written back and dropped where contents were dropped and a class starts, since lines of an earlier alias
    /// may be left there.
    pub fn leftover_caches(&self, to: LayoutClass, depth: bool) -> &[CacheId] {
        let mut ops = self.layout_ops.iter();
        let op =
            ops.find(|op| !op.caches.is_empty() && op.joins(LayoutClass::Undefined, to, depth));
        op.map_or(&[], |op| &op.caches)
    }

    /// How a layout stores texels on a queue type. Video queues read and write what every queue may be handed, which is what
    /// `COMMON` stores. Unknown layouts are plain.
    pub fn layout_class(&self, layout: Layout, queue: QueueType, variant: Variant) -> LayoutClass {
        let column = match queue {
            QueueType::Direct | QueueType::Bundle => 0,
            QueueType::Compute => 1,
            QueueType::Copy => 2,
            QueueType::VideoDecode | QueueType::VideoProcess | QueueType::VideoEncode => {
                let stored = if layout == Layout::Undefined {
                    layout
                } else {
                    Layout::Common
                };
                return self.layout_class(stored, QueueType::Copy, variant);
            }
        };
        let layouts = &self.tables[usize::from(variant.0)].layouts;
        layout_index(layout).map_or(LayoutClass::Plain, |at| layouts[at][column])
    }

    /// Writes that a queue type has in some layout. With `encoded`, in layouts whose writes write metadata.
    pub fn layout_writes(
        &self,
        queue: QueueType,
        variant: Variant,
        encoded: bool,
    ) -> BarrierAccess {
        let layouts = Layout::ALL.into_iter().filter(|layout| {
            let class = self.layout_class(*layout, queue, variant);
            let is_encoding = matches!(
                class,
                LayoutClass::Compressed | LayoutClass::CompressedFastClear
            );
            compat::queue_allows_layout(queue, *layout) && (is_encoding || !encoded)
        });
        let accesses = layouts.map(compat::layout_accesses);
        let all = accesses.fold(BarrierAccess::empty(), BarrierAccess::union);
        all & compat::queue_accesses(queue) & BarrierAccess::WRITES
    }

    /// How a layout stores texels, seen from a queue: a layout of another queue type has that type's class.
    pub fn layout_class_anywhere(
        &self,
        layout: Layout,
        queue: QueueType,
        variant: Variant,
    ) -> LayoutClass {
        let types = [
            queue,
            QueueType::Direct,
            QueueType::Compute,
            QueueType::Copy,
        ];
        let mut classes = types.iter().map(|q| self.layout_class(layout, *q, variant));
        classes
            .find(|class| *class != LayoutClass::Illegal)
            .unwrap_or(LayoutClass::Plain)
    }
}

/// The first operation on textures between two classes.
pub(super) fn operation_between(
    ops: &Table<LayoutOpId, LayoutOp>,
    from: LayoutClass,
    to: LayoutClass,
    depth: bool,
) -> Option<LayoutOpId> {
    ops.find(|op| op.caches.is_empty() && op.joins(from, to, depth))
}

/// Number of layouts that a profile has a row for.
pub(super) const LAYOUTS: usize = 33;

/// Place of a layout in a profile's table: `UNDEFINED`, then the header's values.
pub(super) fn layout_index(layout: Layout) -> Option<usize> {
    match layout {
        Layout::Undefined => Some(0),
        other => usize::try_from(other.value())
            .ok()
            .map(|v| v + 1)
            .filter(|at| *at < LAYOUTS),
    }
}
