//! Dynamic rendering: passes without objects, whose attachments change no layout.

use super::Vulkan;
use super::objects::View;
use super::passes::{Attachments, LoadOp, finish_drawing, load, load_operations, op, stores};
use super::record::Recording;
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
    recording.state.drawn = false;
    let stencil = info.get("pStencilAttachment");
    let depth = if info.get("pDepthAttachment").u64("imageView") != 0 {
        info.get("pDepthAttachment")
    } else {
        stencil
    };
    for each in info.list("pColorAttachments") {
        let view = v.attach(
            recording,
            &mut attachments,
            each,
            op(each.get("loadOp")),
            resumes,
        );
        attachments.colors.push(view);
    }
    let stencil_op = if stencil.u64("imageView") == 0 {
        op(depth.get("loadOp"))
    } else {
        op(stencil.get("loadOp"))
    };
    attachments.depth = v.attach(recording, &mut attachments, depth, stencil_op, resumes);
    load(v, recording, &attachments);
    recording.state.attachments = Rc::new(attachments);
}

impl Vulkan {
    /// An attachment of dynamic rendering: its load operation, and where it resolves to.
    fn attach(
        &mut self,
        recording: &mut Recording,
        attachments: &mut Attachments,
        each: Fields<'_>,
        stencil: LoadOp,
        resumes: bool,
    ) -> Option<(View, ImageLayout)> {
        let view = self.objects.views.get(&each.u64("imageView")).cloned()?;
        if let Some(target) = self.objects.views.get(&each.u64("resolveImageView"))
            && !matches!(each.str("resolveMode"), "VK_RESOLVE_MODE_NONE")
        {
            attachments.resolves.push(target.clone());
        }
        let load = op(each.get("loadOp"));
        let written = !resumes && load_operations(self, recording, &view, load, stencil);
        if !written && load == LoadOp::Load && stores(each.get("storeOp")) {
            attachments
                .loaded
                .push((view.clone(), each.layout("imageLayout")));
        }
        Some((view, each.layout("imageLayout")))
    }
}
