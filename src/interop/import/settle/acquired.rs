//! Images that the present engine gives back: until its semaphore is waited for, it may still show them. Where the next
//! barrier on such an image waits for none of the stages that wait for the semaphore, that hold is in the scenario, as work
//! of the present engine.

use super::super::report::Fate;
use super::super::story::{ItemId, Part, Touch, Work};
use super::barrier::entry;
use super::broken::{Broken, note};
use super::commands::command;
use super::state::Sub;
use super::{Settler, draft};
use crate::api::{BarrierAccess, BarrierSync, Layout, Leaf, LeafSet, ResourceFlags};
use crate::interop::vulkan::ImageLayout;
use crate::scenario::{Barrier, BarrierTarget, Command, CommandKind, Trivia};
use std::rc::Rc;

/// Work that stands for the present engine's hold on an image.
pub(super) struct Holder {
    leaf: Leaf,
    access: BarrierAccess,
    layout: Layout,
    work: Work,
}

/// The engine reads: reads come first.
static HOLDERS: [Holder; 4] = [
    Holder {
        leaf: Leaf::PixelShading,
        access: BarrierAccess::SHADER_RESOURCE,
        layout: Layout::ShaderResource,
        work: Work::PLAIN_DRAW,
    },
    Holder {
        leaf: Leaf::ComputeShading,
        access: BarrierAccess::SHADER_RESOURCE,
        layout: Layout::ShaderResource,
        work: Work::Dispatch([1; 3]),
    },
    Holder {
        leaf: Leaf::RenderTarget,
        access: BarrierAccess::RENDER_TARGET,
        layout: Layout::RenderTarget,
        work: Work::PLAIN_DRAW,
    },
    Holder {
        leaf: Leaf::Copy,
        access: BarrierAccess::COPY_DEST,
        layout: Layout::CopyDest,
        work: Work::Fill,
    },
];

/// What the present engine's work is called.
const ENGINE: &str = "present engine";

impl Settler<'_> {
    /// An image that the present engine gives back to some stages, where the next barrier on it waits for none of them: a
    /// layout change that ends at one of these, and work there. Where no stage waits, it is at one that the barrier does not
    /// wait for.
    pub(super) fn acquired(
        &mut self,
        item: ItemId,
        starts: LeafSet,
        broken: &mut Vec<Broken>,
        out: &mut Vec<Barrier>,
    ) {
        self.fresh.insert(item);
        let (Some(resource), Some(waited)) = (self.resource(item), self.unheld.take()) else {
            return;
        };
        if self.is_simultaneous(item) {
            return;
        }
        let flags = self.items[item as usize].flags;
        let fits = |holder: &&Holder| {
            let is_target = holder.layout == Layout::RenderTarget;
            (starts.is_empty() || starts.has(holder.leaf))
                && !waited.has(holder.leaf)
                && (!is_target || flags.contains(ResourceFlags::RENDER_TARGET))
        };
        let Some(holder) = HOLDERS.iter().find(fits) else {
            self.notes
                .note_at(Fate::Dropped, "images that are acquired, and whose semaphore none of the stages waits for: what the present engine may still read is not in the scenario", self.call);
            return;
        };
        let now = self.layouts[item as usize].first().copied();
        let before = self.layout(item, now.unwrap_or(ImageLayout::UNDEFINED), 0);
        let place = self.place(item, &Part::All);
        let sync = BarrierSync::named(LeafSet::one(holder.leaf));
        let seen = self.seen(&place);
        if seen.ends {
            note(broken, Broken::AfterNone);
        }
        let first = if seen.touched {
            sync
        } else {
            BarrierSync::NONE
        };
        self.leave(&place, |_| Sub {
            touched: true,
            after: LeafSet::one(holder.leaf),
            known: holder.access,
            ..Sub::default()
        });
        self.given_back = Some((item, holder));
        self.back.insert(item, holder.layout);
        let target = BarrierTarget::texture(resource, (before, holder.layout));
        let access = (BarrierAccess::NO_ACCESS, holder.access);
        let mut entry = entry(target, (first, sync), access);
        entry.trivia = draft::comment("the present engine gives the image back");
        out.push(entry);
    }

    /// The present engine's hold on an image, as work.
    pub(super) fn present_engine(&mut self, item: ItemId, holder: &Holder, out: &mut Vec<Command>) {
        let touch = Touch::new(item, Part::All, holder.access, holder.leaf);
        let mark = |kind| command(kind, Vec::new(), Trivia(None));
        // A copy has no label of its own.
        let in_group = holder.work == Work::Fill;
        if in_group {
            let label = ENGINE.into();
            out.push(mark(CommandKind::MarkerBegin { label }));
        }
        self.work(&holder.work, Some(&Rc::from(ENGINE)), &[touch], out);
        // What the engine shows of an image that was never presented does not matter.
        if holder.access == BarrierAccess::SHADER_RESOURCE
            && let Some(command) = out.last_mut()
        {
            draft::allow(&mut command.trivia, &["undefined-contents"]);
        }
        if in_group {
            out.push(mark(CommandKind::MarkerEnd));
        }
    }
}
