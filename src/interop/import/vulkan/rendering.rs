//! Dynamic rendering: passes without objects, whose attachments change no layout.

use super::Vulkan;
use super::objects::View;
use super::passes::{
    Attachments, LoadOp, Operations, finish_drawing, load, load_operations, op, stores,
};
use super::record::Recording;
use super::screen;
use crate::interop::capture::Fields;
use crate::interop::vulkan::ImageLayout;
use std::rc::Rc;

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCmdBeginRendering" => |v, a| v.recorded(a, |v, r| begin_rendering(v, r, a)),
        "vkCmdEndRendering" | "vkCmdEndRendering2" => |v, a| v.recorded(a, finish_drawing),
        _ => return None,
    })
}

/// `VkRenderingFlags`: the pass goes on, or goes on elsewhere.
const SUSPENDING: u64 = 2;
const RESUMING: u64 = 4;

fn begin_rendering(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let info = a.get("pRenderingInfo");
    let flags = info.get("flags");
    let is = |bit, name: &str| flags.number() & bit != 0 || flags.text().contains(name);
    if is(SUSPENDING, "SUSPENDING") {
        v.notes
            .read("rendering that is suspended and resumed: one pass for each part");
    }
    let resumes = is(RESUMING, "RESUMING");
    let mut attachments = Attachments::default();
    recording.state.written.clear();
    let stencil = info.get("pStencilAttachment");
    let depth = if info.get("pDepthAttachment").u64("imageView") != 0 {
        info.get("pDepthAttachment")
    } else {
        stencil
    };
    for each in info.list("pColorAttachments") {
        let view = v.attach(recording, &mut attachments, (each, each), (None, resumes));
        attachments.colors.push(view);
    }
    let is_there = |of: Fields<'_>| of.u64("imageView") != 0;
    let planes = (is_there(info.get("pDepthAttachment")), is_there(stencil));
    let stencil = if planes.1 { stencil } else { depth };
    let only = match planes {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    };
    let both = (depth, stencil);
    attachments.depth = v.attach(recording, &mut attachments, both, (only, resumes));
    attachments.planes = v.depth_planes(&attachments);
    recording.state.bounds.render = screen::area(info.get("renderArea"));
    load(v, recording, &attachments);
    recording.state.attachments = Rc::new(attachments);
}

impl Vulkan {
    /// An attachment of dynamic rendering, and where the operations of its stencil are: its load, store, and where it
    /// resolves to. `only`: the one plane of depth and stencil that is attached.
    fn attach(
        &mut self,
        recording: &mut Recording,
        attachments: &mut Attachments,
        (each, stencil): (Fields<'_>, Fields<'_>),
        (only, resumes): (Option<usize>, bool),
    ) -> Option<(View, ImageLayout)> {
        let mut view = self.objects.views.get(&each.u64("imageView")).cloned()?;
        if let Some((planes, plane)) = self.planes_of(&view).zip(only) {
            view.part = planes[plane].clone();
        }
        if let Some(target) = self.objects.views.get(&each.u64("resolveImageView"))
            && !matches!(each.str("resolveMode"), "VK_RESOLVE_MODE_NONE")
        {
            attachments.resolves.push(target.clone());
        }
        let loads = |from: Fields<'_>| match op(from.get("loadOp")) {
            LoadOp::Load => LoadOp::Load,
            // What the part before has written goes on.
            _ if resumes => LoadOp::None,
            other => other,
        };
        let operations = Operations {
            load: [each, stencil].map(loads),
            stores: [each, stencil].map(|from| stores(from.get("storeOp"))),
        };
        let layout = each.layout("imageLayout");
        let kept = load_operations(self, recording, (&view, layout), operations);
        attachments.kept.extend(kept);
        Some((view, layout))
    }
}
