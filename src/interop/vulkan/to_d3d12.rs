//! From Vulkan's words to D3D12's: one side of a dependency at a time, exactly or as the narrowest that contains it.

use super::layouts::{Aspects, layout};
use super::{AccessFlags, DependencySide, ImageLayout, StageFlags};
use crate::api::{
    BarrierAccess, BarrierSync, Layout, Leaf, LeafSet, QueueType, ResourceTraits, compat,
};
use std::fmt;

/// How a word changed.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChangeKind {
    /// The word does not change.
    Exact,
    /// D3D12's word means more.
    Widened,
    /// D3D12's word means less.
    Narrowed,
    /// D3D12 has no word; nothing of it is left.
    Dropped,
}

impl ChangeKind {
    /// Every kind, the mildest first.
    pub const ALL: [Self; 4] = [Self::Exact, Self::Widened, Self::Narrowed, Self::Dropped];

    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Widened => "widened",
            Self::Narrowed => "narrowed",
            Self::Dropped => "dropped",
        }
    }
}

/// One word of Vulkan that has no exact twin.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WordChange {
    /// Whether the word got wider, got narrower or was dropped.
    pub kind: ChangeKind,
    /// Vulkan's word.
    pub from: String,
    /// D3D12's words for it; empty if it was dropped.
    pub to: String,
    /// The difference in meaning.
    pub why: String,
}

impl WordChange {
    pub(super) fn new(kind: ChangeKind, from: &str, to: &str, why: &str) -> Self {
        Self {
            kind,
            from: from.to_owned(),
            to: to.to_owned(),
            why: why.to_owned(),
        }
    }
}

impl fmt::Display for WordChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.from, self.kind.word())?;
        if !self.to.is_empty() {
            write!(f, " to {}", self.to)?;
        }
        write!(f, ": {}", self.why)
    }
}

/// What a side's meaning depends on besides its words.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// Which side of the dependency.
    pub side: DependencySide,
    /// The D3D12 type of the queue that records it.
    pub queue: QueueType,
    /// The buffer or image; `None` for a memory barrier.
    pub resource: Option<ResourceTraits>,
    /// What of an image is named.
    pub aspects: Aspects,
}

impl Context {
    /// Of a memory barrier.
    pub fn global(side: DependencySide, queue: QueueType) -> Self {
        Self {
            side,
            queue,
            resource: None,
            aspects: Aspects::Color,
        }
    }

    fn is_image(&self) -> bool {
        self.resource.is_some_and(|r| !r.is_buffer)
    }
}

/// One side in D3D12's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct D3d12Side {
    /// The stages that the mask names.
    pub sync: BarrierSync,
    /// For a source: leaves of logically earlier stages of the same pipelines, which Vulkan's mask also waits for without
    /// making anything of theirs available. A `SyncBefore` that waits for as much is `sync` with these; see
    /// [`D3d12Side::sync_in_order`].
    pub earlier: LeafSet,
    /// The accesses.
    pub access: BarrierAccess,
    /// The layout; `None` for buffers and memory barriers.
    pub layout: Option<Layout>,
    /// Every word that has no exact twin.
    pub changes: Vec<WordChange>,
}

impl D3d12Side {
    /// The sync with logically earlier stages.
    pub fn sync_in_order(&self) -> BarrierSync {
        if self.sync.contains(BarrierSync::ALL) || self.sync == BarrierSync::NONE {
            return self.sync;
        }
        BarrierSync::named(self.sync.leaves().union(self.earlier))
    }

    /// The worst that happened to a word.
    pub fn verdict(&self) -> ChangeKind {
        self.changes
            .iter()
            .map(|change| change.kind)
            .max()
            .unwrap_or(ChangeKind::Exact)
    }
}

/// One side of a dependency in D3D12's words. Masks are those of `synchronization2`, or the old ones: their bits agree.
///
/// * Stages become the leaves at which their work runs; accesses become what they are called at those stages. Both are
///   kept to what the queue, the resource and the layout have.
/// * No access in Vulkan orders and makes nothing visible. D3D12 says that with the accesses that only read, which need no
///   cache operation; where nothing of the kind exists, with the narrowest accesses that there are (widened). Together
///   with no stage, or before `UNDEFINED`, it is `NO_ACCESS`.
/// * `HOST` is dropped: submissions and fences order the CPU in D3D12.
pub fn to_d3d12(
    stages: StageFlags,
    access: AccessFlags,
    image_layout: Option<ImageLayout>,
    context: &Context,
) -> D3d12Side {
    to_d3d12_as(stages, access, image_layout, None, context)
}

/// [`to_d3d12`] where it is known which D3D12 layout is meant, because several become the same in Vulkan.
pub fn to_d3d12_as(
    stages: StageFlags,
    access: AccessFlags,
    image_layout: Option<ImageLayout>,
    known: Option<Layout>,
    context: &Context,
) -> D3d12Side {
    let mut changes = Vec::new();
    let stages = stages.resolved(context.side);
    let stages = without_host(stages, &mut changes);
    let access = without_unknown(access, &mut changes);
    let (sync, leaves) = sync_of(stages, context, &mut changes);
    let d3d12_layout = image_layout
        .filter(|_| context.is_image())
        .map(|of| known.unwrap_or_else(|| layout(of, context, &mut changes)));
    let may = allowed(image_layout, d3d12_layout, context);
    let pairs = pairs(stages, access, leaves, may);
    unserved(stages, access, &mut changes);
    let meant = pairs
        .iter()
        .fold(BarrierAccess::empty(), |set, (_, a)| set | *a);
    let access = if meant.is_empty() {
        let asked = !(access - AccessFlags::HOST_READ - AccessFlags::HOST_WRITE).is_empty();
        order_only(
            asked,
            sync,
            leaves,
            may,
            d3d12_layout,
            context,
            &mut changes,
        )
    } else if access.contains(AccessFlags::MEMORY_READ | AccessFlags::MEMORY_WRITE) {
        // Every read and write of the stages: D3D12 says that with `COMMON`.
        BarrierAccess::COMMON
    } else {
        widened_pairs(sync, meant, &pairs, &mut changes);
        meant
    };
    let earlier = match context.side {
        DependencySide::Source => stages
            .with_earlier()
            .leaves()
            .intersection(context.queue.leaves())
            .minus(leaves),
        DependencySide::Destination => LeafSet::EMPTY,
    };
    D3d12Side {
        sync: if access.is_no_access() && context.resource.is_some() && sync.leaves().is_empty() {
            BarrierSync::NONE
        } else {
            sync
        },
        earlier,
        access,
        layout: d3d12_layout,
        changes,
    }
}

fn without_host(stages: StageFlags, changes: &mut Vec<WordChange>) -> StageFlags {
    if stages.intersects(StageFlags::HOST) {
        let why = "submissions and fences order the CPU in D3D12";
        changes.push(WordChange::new(ChangeKind::Dropped, "HOST", "", why));
    }
    let unknown = stages.unknown();
    for bit in unknown.each() {
        let why = "a stage that is not known";
        changes.push(WordChange::new(ChangeKind::Dropped, &bit.name(), "", why));
    }
    stages - StageFlags::HOST - unknown
}

fn without_unknown(access: AccessFlags, changes: &mut Vec<WordChange>) -> AccessFlags {
    for bit in access.unknown().each() {
        let why = "an access that is not known";
        changes.push(WordChange::new(ChangeKind::Dropped, &bit.name(), "", why));
    }
    access - access.unknown()
}

/// The sync mask and its leaves on this type of queue.
fn sync_of(
    stages: StageFlags,
    context: &Context,
    changes: &mut Vec<WordChange>,
) -> (BarrierSync, LeafSet) {
    if stages.contains(StageFlags::ALL_COMMANDS) {
        return (BarrierSync::ALL, context.queue.leaves());
    }
    let own = stages.expanded();
    for row in own.meanings() {
        let to = row.leaves.intersection(context.queue.leaves());
        if to.is_empty() {
            let why = "the type of queue has no such work";
            changes.push(WordChange::new(
                ChangeKind::Dropped,
                &row.stage.name(),
                "",
                why,
            ));
        } else if let Some(note) = row.note
            && !shares_exactly(own, row.leaves)
        {
            let to = BarrierSync::of_leaves(to).to_string();
            changes.push(WordChange::new(
                ChangeKind::Widened,
                &row.stage.name(),
                &to,
                note,
            ));
        }
    }
    let leaves = own.leaves().intersection(context.queue.leaves());
    (BarrierSync::named(leaves), leaves)
}

/// Whether the mask names every core stage of the leaves, so that nothing is added. Stages that only extensions have do
/// not count: where they are not used, nothing is missing.
fn shares_exactly(mask: StageFlags, leaves: LeafSet) -> bool {
    const EXTENSIONS: StageFlags = StageFlags::TRANSFORM_FEEDBACK_EXT
        .union(StageFlags::TASK_SHADER_EXT)
        .union(StageFlags::MESH_SHADER_EXT)
        .union(StageFlags::CLUSTER_CULLING_SHADER_HUAWEI);
    const TESTS: LeafSet = LeafSet::one(Leaf::DepthStencil);
    const VERTEX: LeafSet = LeafSet::one(Leaf::VertexShading);
    (leaves == TESTS || leaves == VERTEX)
        && super::meaning::STAGES
            .iter()
            .filter(|row| row.leaves == leaves && !EXTENSIONS.intersects(row.stage))
            .all(|row| mask.contains(row.stage))
}

/// What the queue, the resource and both layouts let happen.
fn allowed(vulkan: Option<ImageLayout>, d3d12: Option<Layout>, context: &Context) -> BarrierAccess {
    let mut may = compat::queue_accesses(context.queue);
    if let Some(resource) = context.resource {
        may &= compat::resource_accesses(resource);
        if let Some(layout) = d3d12
            && layout != Layout::Undefined
        {
            may &= compat::texture_accesses(layout, resource.flags);
        }
    }
    // A presented image is in `COMMON`, which allows copies; Vulkan's layout allows nothing but the presentation.
    match vulkan {
        Some(layout) if !layout.allows(context.aspects).is_empty() => {
            may & layout.allows(context.aspects)
        }
        _ => may,
    }
}

/// What each leaf does by the masks.
fn pairs(
    stages: StageFlags,
    access: AccessFlags,
    leaves: LeafSet,
    may: BarrierAccess,
) -> Vec<(LeafSet, BarrierAccess)> {
    stages
        .meanings()
        .map(|row| {
            let at = row.leaves.intersection(leaves);
            let possible = compat::leaf_accesses_of(at);
            (at, row.accesses_of(access) & may & possible)
        })
        .filter(|(at, meant)| !at.is_empty() && !meant.is_empty())
        .collect()
}

/// Accesses that no stage of the mask does.
fn unserved(stages: StageFlags, access: AccessFlags, changes: &mut Vec<WordChange>) {
    let host = AccessFlags::HOST_READ | AccessFlags::HOST_WRITE;
    let served = stages.meanings().fold(
        host | AccessFlags::MEMORY_READ | AccessFlags::MEMORY_WRITE,
        |set, row| set | row.supports(),
    );
    for bit in (access - served).each() {
        let why = "no stage of the mask, or none that D3D12 has, does it";
        changes.push(WordChange::new(ChangeKind::Dropped, &bit.name(), "", why));
    }
}

/// D3D12's barrier joins each stage with each access: says what that adds.
fn widened_pairs(
    sync: BarrierSync,
    access: BarrierAccess,
    pairs: &[(LeafSet, BarrierAccess)],
    changes: &mut Vec<WordChange>,
) {
    for bit in access.iter() {
        let at = pairs
            .iter()
            .filter(|(_, meant)| meant.contains(bit))
            .fold(LeafSet::EMPTY, |set, (at, _)| set.union(*at));
        let added = sync
            .leaves()
            .intersection(compat::access_leaves(bit))
            .minus(at);
        if !added.is_empty() && sync != BarrierSync::ALL {
            let at = BarrierSync::of_leaves(at).to_string();
            let why = format!(
                "D3D12 joins every stage with every access: also at {}",
                BarrierSync::named(added)
            );
            changes.push(WordChange::new(
                ChangeKind::Widened,
                &format!("{bit} at {at}"),
                &bit.to_string(),
                &why,
            ));
        }
    }
}

/// The access of a side that makes nothing visible.
fn order_only(
    asked: bool,
    sync: BarrierSync,
    leaves: LeafSet,
    may: BarrierAccess,
    layout: Option<Layout>,
    context: &Context,
    changes: &mut Vec<WordChange>,
) -> BarrierAccess {
    let nothing = sync == BarrierSync::NONE
        || layout == Some(Layout::Undefined)
        || context.resource.is_none();
    if asked {
        let why = "the resource, the layout or the queue allows none of the accesses";
        changes.push(WordChange::new(
            ChangeKind::Narrowed,
            "accesses",
            "order only",
            why,
        ));
    }
    if nothing {
        return BarrierAccess::NO_ACCESS;
    }
    let possible = may & compat::leaf_accesses_of(leaves);
    let reads: BarrierAccess = possible.iter().filter(|bit| !bit.writes()).collect();
    if !reads.is_empty() {
        return reads;
    }
    let to = if possible.is_empty() {
        BarrierAccess::COMMON
    } else {
        possible
    };
    let why = "D3D12 orders a resource's work only with an access that makes something visible";
    changes.push(WordChange::new(
        ChangeKind::Widened,
        "no access",
        &to.to_string(),
        why,
    ));
    to
}
