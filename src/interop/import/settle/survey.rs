//! The first walk: what each resource is used for.

use super::super::report::{Fate, Notes};
use super::super::story::{Dependency, ItemId, Step, Story, Target, Touch, What};
use super::Decided;
use super::layouts::{self, General, GeneralUse};
use crate::api::{BarrierAccess, Layout, QueueType, ResourceFlags, compat};
use crate::interop::vulkan::ImageLayout;

struct Survey<'a> {
    story: &'a Story,
    layouts: Vec<Vec<ImageLayout>>,
    used: Vec<bool>,
    needs: Vec<ResourceFlags>,
    general: Vec<GeneralUse>,
    stored: Vec<bool>,
    /// Whether the image is ever in a general layout.
    is_general: Vec<bool>,
}

/// Decides flags and `GENERAL` for every item.
pub(super) fn survey(story: &Story, notes: &mut Notes) -> Vec<Decided> {
    let count = story.items.len();
    let mut survey = Survey {
        layouts: story
            .items
            .iter()
            .map(|item| item.initial.clone())
            .collect(),
        used: vec![false; count],
        needs: story.items.iter().map(|item| item.flags).collect(),
        general: vec![GeneralUse::default(); count],
        stored: vec![false; count],
        is_general: vec![false; count],
        story,
    };
    for step in story.steps.iter() {
        match &step {
            Step::Execute {
                queue,
                work: batches,
                ..
            } => {
                let queue = story.queues[*queue].queue_type;
                for what in batches.iter().flat_map(|batch| &*batch.acts.all) {
                    survey.act(what, queue);
                }
            }
            Step::Present { resource, .. } => survey.used[*resource as usize] = true,
            Step::Signal { .. } | Step::Wait { .. } => {}
        }
    }
    (0..count).map(|at| survey.decide(at, notes)).collect()
}

impl Survey<'_> {
    fn act(&mut self, what: &What, queue: QueueType) {
        match what {
            What::Work { touches, .. } => {
                for touch in touches {
                    self.touch(touch, queue);
                }
            }
            What::Barrier(dependencies) => {
                for dependency in dependencies {
                    self.dependency(dependency);
                }
            }
            What::Open(_) | What::Close | What::Lost(_) => {}
        }
    }

    fn touch(&mut self, touch: &Touch, queue: QueueType) {
        let at = touch.item as usize;
        self.used[at] = true;
        self.stored[at] |= touch.stores;
        for (bits, flag) in compat::ACCESS_FLAGS {
            if touch.access.intersects(bits) {
                self.needs[at] |= flag;
            }
        }
        let item = &self.story.items[at];
        if item.layouts.is_empty() {
            return;
        }
        let is_general = |sub: usize| {
            self.layouts[at]
                .get(sub)
                .copied()
                .is_some_and(layouts::is_general)
        };
        if item.subresources(&touch.part).any(is_general) {
            let general = &mut self.general[at];
            general.accesses |= touch.access;
            if queue == QueueType::Direct {
                general.on_direct = true;
            } else {
                general.on_others = true;
            }
        }
    }

    fn dependency(&mut self, dependency: &Dependency) {
        match &dependency.target {
            Target::Memory | Target::Acquired(_) => {}
            Target::Buffer(item) => self.used[*item as usize] = true,
            Target::Image(image) => {
                let at = image.item as usize;
                self.used[at] = true;
                self.is_general[at] |=
                    layouts::is_general(image.new) || layouts::is_general(image.old);
                if image.old != image.new {
                    for sub in self.story.items[at].subresources(&image.part) {
                        self.layouts[at][sub] = image.new;
                    }
                }
                self.layout_flags(image.item, image.new);
            }
        }
    }

    /// Creation flags that a layout asks for although nothing uses the image in it.
    fn layout_flags(&mut self, item: ItemId, new: ImageLayout) {
        let at = item as usize;
        let is_depth = self.needs[at].contains(ResourceFlags::DEPTH_STENCIL);
        let layout = layouts::layout(new, General::Layout(Layout::Common), is_depth, 0);
        self.needs[at] |= compat::layout_needs(layout);
    }

    fn decide(&self, at: usize, notes: &mut Notes) -> Decided {
        let mut flags = self.needs[at];
        let mut general = General::Layout(Layout::Common);
        let item = &self.story.items[at];
        if self.used[at] && !item.layouts.is_empty() {
            let starts = item.initial.iter().copied().any(layouts::is_general);
            if self.is_general[at] || starts {
                general = layouts::general(self.general[at], flags);
                let (fate, words) = said(general, self.general[at].accesses);
                notes.note_at(fate, words, item.alive.0);
            }
            match general {
                General::Simultaneous => flags |= ResourceFlags::SIMULTANEOUS_ACCESS,
                General::Layout(layout) => flags |= compat::layout_needs(layout),
            }
        }
        Decided {
            flags,
            general,
            used: self.used[at],
            placed: false,
            stored: self.stored[at],
            declared: None,
        }
    }
}

/// What the report says of an image in `GENERAL`.
fn said(general: General, accesses: BarrierAccess) -> (Fate, &'static str) {
    match general {
        General::Simultaneous => (
            Fate::Widened,
            "images in GENERAL whose uses no D3D12 layout serves: of simultaneous access and always in COMMON; a missing layout change is not found",
        ),
        General::Layout(Layout::DepthStencilWrite)
            if !(BarrierAccess::DEPTH_STENCIL_READ | BarrierAccess::DEPTH_STENCIL_WRITE)
                .contains(accesses) =>
        {
            (
                Fate::Dropped,
                "depth images in GENERAL that are also read or written otherwise: in DEPTH_STENCIL_WRITE, the other uses are left out",
            )
        }
        General::Layout(_) => (
            Fate::Read,
            "images in GENERAL: in the narrowest D3D12 layout that allows all their uses there",
        ),
    }
}
