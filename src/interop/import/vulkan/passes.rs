//! Render passes, their dependencies and the layouts of their attachments, and dynamic rendering.

use super::super::story::{
    Dependency, ImageTarget, ItemId, Part, Scopes, Target, Touch, What, Work,
};
use super::Vulkan;
use super::barriers::{gives_up, scopes_of};
use super::drawing::is_read_only;
use super::objects::View;
use super::record::Recording;
use super::screen;
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::id::narrow;
use crate::interop::capture::Fields;
use crate::interop::vulkan::{AccessFlags, ImageLayout, StageFlags};
use crate::lookup::LookupMap;
use std::rc::Rc;

const EXTERNAL: u32 = u32::MAX;
const UNUSED: u32 = u32::MAX;

/// What a load or store operation does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum LoadOp {
    Load,
    Clear,
    DontCare,
    None,
}

#[derive(Clone, Debug)]
struct Attachment {
    load: LoadOp,
    stencil_load: LoadOp,
    /// Of colour or depth, and of stencil.
    stores: [bool; 2],
    initial: ImageLayout,
    last: ImageLayout,
}

/// An attachment in a subpass, and its layout there.
type Reference = (u32, ImageLayout);

#[derive(Clone, Debug, Default)]
struct Subpass {
    colors: Vec<Reference>,
    resolves: Vec<Reference>,
    inputs: Vec<Reference>,
    depth: Option<Reference>,
}

impl Subpass {
    fn references(&self) -> impl Iterator<Item = &Reference> {
        let all = self.colors.iter().chain(&self.resolves).chain(&self.inputs);
        all.chain(&self.depth).filter(|(at, _)| *at != UNUSED)
    }
}

/// A render pass.
#[derive(Debug, Default)]
pub(super) struct RenderPass {
    attachments: Vec<Attachment>,
    subpasses: Vec<Subpass>,
    dependencies: Vec<(u32, u32, Scopes)>,
}

/// Render passes and framebuffers by handle.
#[derive(Default)]
pub(super) struct Passes {
    all: LookupMap<u64, Rc<RenderPass>>,
    framebuffers: LookupMap<u64, Rc<[Option<View>]>>,
}

/// A render pass that a command buffer is in.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    made_as: Rc<RenderPass>,
    views: Rc<[Option<View>]>,
    subpass: u32,
    /// The layout of each attachment; `None` before its first use.
    layouts: Vec<Option<ImageLayout>>,
}

/// What a draw touches apart from its descriptors.
#[derive(Clone, Debug, Default)]
pub(super) struct Attachments {
    pub(super) colors: Vec<Option<(View, ImageLayout)>>,
    pub(super) depth: Option<(View, ImageLayout)>,
    /// The planes of that view, if it has depth and stencil.
    pub(super) planes: Option<[Part; 2]>,
    pub(super) inputs: Vec<(View, ImageLayout)>,
    pub(super) resolves: Vec<View>,
    /// Attachments whose contents are loaded or stored.
    pub(super) kept: Vec<Kept>,
}

/// An attachment, or a plane of one, whose contents a pass loads where it begins or stores where it ends.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    view: View,
    part: Part,
    layout: ImageLayout,
    loads: bool,
    stores: bool,
}

/// What a pass does with the contents of an attachment: of colour or depth, and of stencil.
#[derive(Copy, Clone)]
pub(super) struct Operations {
    pub(super) load: [LoadOp; 2],
    pub(super) stores: [bool; 2],
}

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCreateRenderPass" | "vkCreateRenderPass2" => create,
        "vkDestroyRenderPass" => |v, a| drop(v.passes.all.remove(&a.u64("renderPass"))),
        "vkCreateFramebuffer" => create_framebuffer,
        "vkDestroyFramebuffer" => |v, a| drop(v.passes.framebuffers.remove(&a.u64("framebuffer"))),
        "vkCmdBeginRenderPass" | "vkCmdBeginRenderPass2" => {
            |v, a| v.recorded(a, |v, r| begin(v, r, a))
        }
        "vkCmdNextSubpass" | "vkCmdNextSubpass2" => |v, a| v.recorded(a, next),
        "vkCmdEndRenderPass" | "vkCmdEndRenderPass2" => |v, a| v.recorded(a, end),
        _ => return None,
    })
}

pub(super) fn op(field: Fields<'_>) -> LoadOp {
    let text = field.text();
    match field.0.as_u64() {
        Some(0) => LoadOp::Load,
        Some(1) => LoadOp::Clear,
        Some(2) => LoadOp::DontCare,
        Some(_) => LoadOp::None,
        None if text.ends_with("DONT_CARE") => LoadOp::DontCare,
        None if text.contains("OP_NONE") => LoadOp::None,
        None if text.ends_with("CLEAR") => LoadOp::Clear,
        None => LoadOp::Load,
    }
}

/// Whether an operation at the end writes: `DONT_CARE` does as well.
pub(super) fn stores(field: Fields<'_>) -> bool {
    field
        .0
        .as_u64()
        .map_or(!field.text().contains("OP_NONE"), |number| number < 2)
}

fn references(subpass: Fields<'_>, key: &str) -> Vec<Reference> {
    let each = |one: Fields<'_>| (one.u32("attachment"), one.layout("layout"));
    subpass.list(key).map(each).collect()
}

fn create(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pCreateInfo");
    let attachments = info.list("pAttachments").map(|each| Attachment {
        load: op(each.get("loadOp")),
        stencil_load: op(each.get("stencilLoadOp")),
        stores: ["storeOp", "stencilStoreOp"].map(|key| stores(each.get(key))),
        initial: each.layout("initialLayout"),
        last: each.layout("finalLayout"),
    });
    let subpasses = info.list("pSubpasses").map(|each| {
        let depth = each.get("pDepthStencilAttachment");
        let resolve = each
            .chained("SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE")
            .map(|chained| references(chained, "pDepthStencilResolveAttachment"));
        let mut resolves = references(each, "pResolveAttachments");
        resolves.extend(resolve.unwrap_or_default());
        Subpass {
            colors: references(each, "pColorAttachments"),
            resolves,
            inputs: references(each, "pInputAttachments"),
            depth: depth
                .is_some()
                .then(|| (depth.u32("attachment"), depth.layout("layout")))
                .filter(|(at, _)| *at != UNUSED),
        }
    });
    let dependencies = info.list("pDependencies").map(|each| {
        // The second form may carry the masks in a memory barrier.
        let scopes = each
            .chained("MEMORY_BARRIER_2")
            .map_or_else(|| scopes_of(each), scopes_of);
        (each.u32("srcSubpass"), each.u32("dstSubpass"), scopes)
    });
    let pass = RenderPass {
        attachments: attachments.collect(),
        subpasses: subpasses.collect(),
        dependencies: dependencies.collect(),
    };
    v.passes.all.insert(a.u64("pRenderPass"), Rc::new(pass));
}

fn create_framebuffer(v: &mut Vulkan, a: Fields<'_>) {
    let views = v.views(a.get("pCreateInfo"));
    v.passes.framebuffers.insert(a.u64("pFramebuffer"), views);
}

impl Vulkan {
    fn views(&self, info: Fields<'_>) -> Rc<[Option<View>]> {
        let views = info
            .numbers("pAttachments")
            .map(|handle| self.objects.views.get(&handle).cloned());
        views.collect()
    }
}

fn begin(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let info = a.get("pRenderPassBegin");
    let Some(pass) = v.passes.all.get(&info.u64("renderPass")).cloned() else {
        return v.stranger("render pass");
    };
    let named = v
        .passes
        .framebuffers
        .get(&info.u64("framebuffer"))
        .cloned()
        .unwrap_or_default();
    let views = match info.chained("RENDER_PASS_ATTACHMENT_BEGIN_INFO") {
        Some(chained) => v.views(chained),
        None => named,
    };
    recording.state.pass = Some(Pass {
        layouts: vec![None; pass.attachments.len()],
        made_as: pass,
        views,
        subpass: 0,
    });
    recording.state.written.clear();
    recording.state.bounds.render = screen::area(info.get("renderArea"));
    enter(v, recording);
}

fn next(v: &mut Vulkan, recording: &mut Recording) {
    finish_drawing(v, recording);
    let Some(pass) = &mut recording.state.pass else {
        return;
    };
    pass.subpass = pass.subpass.saturating_add(1);
    enter(v, recording);
}

/// What an implicit dependency of a render pass has for attachments.
const ATTACHMENT_ACCESS: AccessFlags = AccessFlags::INPUT_ATTACHMENT_READ
    .union(AccessFlags::COLOR_ATTACHMENT_READ)
    .union(AccessFlags::COLOR_ATTACHMENT_WRITE)
    .union(AccessFlags::DEPTH_STENCIL_ATTACHMENT_READ)
    .union(AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE);

fn union(a: Scopes, b: Scopes) -> Scopes {
    Scopes {
        src_stages: a.src_stages | b.src_stages,
        src_access: a.src_access | b.src_access,
        dst_stages: a.dst_stages | b.dst_stages,
        dst_access: a.dst_access | b.dst_access,
    }
}

/// The dependencies into a subpass, or out of the pass, and for layout changes the union of those that apply.
impl RenderPass {
    fn between(&self, from: Option<u32>, to: u32) -> impl Iterator<Item = Scopes> {
        let fits = move |(src, dst, _): &&(u32, u32, Scopes)| {
            *dst == to && src != dst && from.is_none_or(|from| from == *src)
        };
        self.dependencies
            .iter()
            .filter(fits)
            .map(|(.., scopes)| *scopes)
    }

    /// Scopes of the layout change of an attachment between two subpasses.
    fn change(&self, from: u32, to: u32) -> Scopes {
        let named = self.between(Some(from), to).reduce(union);
        named.unwrap_or(if to == EXTERNAL {
            Scopes {
                src_stages: StageFlags::ALL_COMMANDS,
                src_access: ATTACHMENT_ACCESS,
                dst_stages: StageFlags::NONE,
                dst_access: AccessFlags::NONE,
            }
        } else {
            Scopes {
                src_stages: StageFlags::NONE,
                src_access: AccessFlags::NONE,
                dst_stages: StageFlags::ALL_COMMANDS,
                dst_access: ATTACHMENT_ACCESS,
            }
        })
    }

    /// The last subpass before one that uses an attachment.
    fn used_before(&self, attachment: u32, subpass: u32) -> Option<u32> {
        (0..subpass.min(narrow(self.subpasses.len())))
            .rev()
            .find(|at| {
                self.subpasses[*at as usize]
                    .references()
                    .any(|(one, _)| *one == attachment)
            })
    }
}

fn memory(scopes: Scopes) -> Dependency {
    Dependency {
        scopes,
        target: Target::Memory,
        transfer: None,
        is_own: false,
    }
}

fn layout_change(scopes: Scopes, view: &View, old: ImageLayout, new: ImageLayout) -> Dependency {
    Dependency {
        scopes,
        target: Target::Image(ImageTarget {
            item: view.item,
            part: view.part.clone(),
            old,
            new,
        }),
        transfer: None,
        is_own: false,
    }
}

/// A subpass begins: what it depends on, layouts, load operations.
fn enter(v: &mut Vulkan, recording: &mut Recording) {
    let Some(mut pass) = recording.state.pass.take() else {
        return;
    };
    let here = pass.subpass;
    let shape = pass.made_as.clone();
    let Some(subpass) = shape.subpasses.get(here as usize) else {
        recording.state.pass = Some(pass);
        return;
    };
    let mut barriers: Vec<Dependency> = shape.between(None, here).map(memory).collect();
    let mut loads = Vec::new();
    for (attachment, layout) in subpass.references() {
        let at = *attachment as usize;
        let (Some(Some(view)), Some(description)) = (pass.views.get(at), shape.attachments.get(at))
        else {
            continue;
        };
        let old = pass.layouts[at].unwrap_or(description.initial);
        let from = shape.used_before(*attachment, here);
        if old != *layout {
            let scopes = shape.change(from.unwrap_or(EXTERNAL), here);
            barriers.push(layout_change(scopes, view, old, *layout));
        }
        if pass.layouts[at].is_none() {
            loads.push((view.clone(), *layout, description));
        }
        pass.layouts[at] = Some(*layout);
    }
    if !barriers.is_empty() {
        recording.push(v.call, What::Barrier(barriers));
    }
    let mut attachments = attachments_of(subpass, &pass);
    attachments.planes = v.depth_planes(&attachments);
    for (view, layout, description) in loads {
        let operations = Operations {
            load: [description.load, description.stencil_load],
            stores: description.stores,
        };
        let kept = load_operations(v, recording, (&view, layout), operations);
        attachments.kept.extend(kept);
    }
    load(v, recording, &attachments);
    recording.state.attachments = Rc::new(attachments);
    recording.state.written.clear();
    recording.state.pass = Some(pass);
}

/// The loads of attachments whose contents are kept. They are in the scenario only where a barrier before them lets the
/// attachment be written and not read; everywhere else the draws say the same.
pub(super) fn load(v: &mut Vulkan, recording: &mut Recording, attachments: &Attachments) {
    let of = |kept: &Kept| Touch {
        loads: true,
        begins: true,
        ..attachment_touch(&kept.view, kept.part.clone(), kept.view.is_depth)
    };
    let loaded = attachments.kept.iter().filter(|kept| kept.loads);
    let touches: Vec<Touch> = loaded.map(of).collect();
    if !touches.is_empty() {
        let what = What::Work {
            work: Work::PLAIN_DRAW,
            label: Some("load".into()),
            touches,
        };
        recording.push(v.call, what);
    }
}

fn attachments_of(subpass: &Subpass, pass: &Pass) -> Attachments {
    let of = |(at, layout): &Reference| {
        let view = pass.views.get(*at as usize)?.clone()?;
        Some((view, *layout))
    };
    Attachments {
        colors: subpass.colors.iter().map(of).collect(),
        depth: subpass.depth.as_ref().and_then(of),
        planes: None,
        inputs: subpass.inputs.iter().filter_map(of).collect(),
        resolves: subpass
            .resolves
            .iter()
            .filter_map(of)
            .map(|(view, _)| view)
            .collect(),
        kept: Vec::new(),
    }
}

/// Clears and discards at the start of a pass. Returns what is loaded or stored.
pub(super) fn load_operations(
    v: &mut Vulkan,
    recording: &mut Recording,
    (view, layout): (&View, ImageLayout),
    operations: Operations,
) -> Vec<Kept> {
    let Operations { load, stores } = operations;
    let differ = load[0] != load[1]
        || stores[0] != stores[1]
        || is_read_only(layout, 0) != is_read_only(layout, 1);
    let planes = v.planes_of(view).filter(|_| differ);
    let sides = planes.map_or_else(|| vec![view.part.clone()], Vec::from);
    let mut all = Vec::new();
    for part in sides {
        let at = if view.is_depth {
            part.first_plane() as usize
        } else {
            0
        };
        let (op, stores) = (load[at], stores[at]);
        let work = match op {
            LoadOp::Clear if view.is_depth => Some(Work::ClearDsv),
            LoadOp::Clear => Some(Work::ClearRtv),
            LoadOp::DontCare => Some(Work::Discard),
            LoadOp::Load | LoadOp::None => None,
        };
        if let Some(work) = work {
            let touch = Touch {
                begins: true,
                ..attachment_touch(view, part.clone(), false)
            };
            recording.work(v.call, work, vec![touch]);
        }
        all.push(Kept {
            view: view.clone(),
            part,
            layout,
            loads: op == LoadOp::Load,
            stores,
        });
    }
    all
}

impl Vulkan {
    /// Depth and stencil of a view that has both.
    pub(super) fn planes_of(&self, view: &View) -> Option<[Part; 2]> {
        let item = &self.story.items[view.item as usize];
        let on = |plane| item.on_plane(&view.part, plane).filter(|_| view.is_depth);
        Some([on(0)?, on(1)?])
    }

    /// The same of the attachment for depth and stencil.
    pub(super) fn depth_planes(&self, attachments: &Attachments) -> Option<[Part; 2]> {
        let (view, _) = attachments.depth.as_ref()?;
        self.planes_of(view)
    }
}

/// The use of an attachment by a draw, a clear or a store.
pub(super) fn attachment_touch(view: &View, part: Part, reads_only: bool) -> Touch {
    let (access, leaf) = match (view.is_depth, reads_only) {
        (true, true) => (BarrierAccess::DEPTH_STENCIL_READ, Leaf::DepthStencil),
        (true, false) => (BarrierAccess::DEPTH_STENCIL_WRITE, Leaf::DepthStencil),
        (false, _) => (BarrierAccess::RENDER_TARGET, Leaf::RenderTarget),
    };
    Touch::new(view.item, part, access, leaf)
}

/// What the store of an attachment writes. In a read-only layout no draw writes it, and the store does (Vulkan: "Render Pass
/// Store Operations"); elsewhere the draws say the same, and where there is none, the load and the store.
fn store_touch(kept: &Kept, drawn: &[(ItemId, Part)]) -> Option<Touch> {
    let drawn = drawn.iter().any(|(item, part)| {
        *item == kept.view.item
            && (*part == kept.part || [part, &kept.part].contains(&&kept.view.part))
    });
    let written = || attachment_touch(&kept.view, kept.part.clone(), false);
    if !kept.stores {
        None
    } else if kept.view.is_depth && is_read_only(kept.layout, kept.part.first_plane()) {
        Some(Touch {
            stores: true,
            ..written()
        })
    } else {
        (!drawn && kept.loads).then(written)
    }
}

/// Resolves at the end of a subpass, and stores.
pub(super) fn finish_drawing(v: &mut Vulkan, recording: &mut Recording) {
    let attachments = std::mem::take(&mut recording.state.attachments);
    let mut touches: Vec<Touch> = attachments
        .resolves
        .iter()
        .map(|view| {
            // A resolve of an attachment happens at the colour output, of depth as well.
            let mut touch = attachment_touch(view, view.part.clone(), false);
            if view.is_depth {
                touch.stages = LeafSet::one(Leaf::DepthStencil);
            }
            touch
        })
        .collect();
    let drawn = std::mem::take(&mut recording.state.written);
    let kept = attachments.kept.iter();
    touches.extend(kept.filter_map(|kept| store_touch(kept, &drawn)));
    let drawn = !drawn.is_empty();
    if touches.is_empty() {
        return;
    }
    let label = match (attachments.resolves.is_empty(), drawn) {
        (true, true) => "store",
        (false, true) => "resolve and store",
        (_, false) => "load and store",
    };
    let what = What::Work {
        work: Work::PLAIN_DRAW,
        label: Some(label.into()),
        touches,
    };
    recording.push(v.call, what);
}

fn end(v: &mut Vulkan, recording: &mut Recording) {
    finish_drawing(v, recording);
    let Some(pass) = recording.state.pass.take() else {
        return;
    };
    let shape = &pass.made_as;
    let mut barriers: Vec<Dependency> = shape.between(None, EXTERNAL).map(memory).collect();
    for (at, description) in shape.attachments.iter().enumerate() {
        let Some(Some(view)) = pass.views.get(at) else {
            continue;
        };
        let Some(old) = pass.layouts[at] else {
            continue;
        };
        if old == description.last || gives_up(description.last) {
            continue;
        }
        let from = shape.used_before(narrow(at), u32::MAX).unwrap_or(0);
        barriers.push(layout_change(
            shape.change(from, EXTERNAL),
            view,
            old,
            description.last,
        ));
    }
    if !barriers.is_empty() {
        recording.push(v.call, What::Barrier(barriers));
    }
}
