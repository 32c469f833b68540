//! Entries of enhanced and of legacy barriers.

use super::{Part, Range, Trivia, is_false};
use crate::api::{BarrierAccess, BarrierSync, BarrierType, Layout, ResourceState};
use crate::finding::Span;
use crate::id::ResourceId;
use crate::scenario::json::by_name;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// One entry of a `Barrier()` call. Its fields are read and written as if they were its own; entries that say the same
/// share them, because a long text says the same few things over and over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(from = "BarrierFields", into = "BarrierFields")]
#[cfg_attr(test, schemars(with = "BarrierFields"))]
pub struct Barrier {
    fields: Arc<BarrierFields>,
    /// Where: starts at the word `texture`, `buffer`, `global` or `ranged`.
    pub span: Span,
}

/// What an entry of a `Barrier()` call says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schemars(rename = "Barrier"))]
pub struct BarrierFields {
    /// What it applies to.
    pub target: BarrierTarget,
    /// `SyncBefore`. Absent fields are `NONE`.
    pub sync_before: BarrierSync,
    /// `SyncAfter`.
    pub sync_after: BarrierSync,
    /// `AccessBefore`. Absent fields are `COMMON`.
    pub access_before: BarrierAccess,
    /// `AccessAfter`.
    pub access_after: BarrierAccess,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

impl BarrierFields {
    /// An entry that says nothing but what it applies to.
    pub(crate) fn of(target: BarrierTarget) -> Self {
        Self {
            target,
            sync_before: BarrierSync::NONE,
            sync_after: BarrierSync::NONE,
            access_before: BarrierAccess::COMMON,
            access_after: BarrierAccess::COMMON,
            trivia: Trivia(None),
        }
    }
}

impl Deref for Barrier {
    type Target = BarrierFields;

    fn deref(&self) -> &BarrierFields {
        &self.fields
    }
}

impl DerefMut for Barrier {
    /// Only this entry changes.
    fn deref_mut(&mut self) -> &mut BarrierFields {
        Arc::make_mut(&mut self.fields)
    }
}

impl From<BarrierFields> for Barrier {
    fn from(fields: BarrierFields) -> Self {
        Self::new(fields, Span::default())
    }
}

impl From<Barrier> for BarrierFields {
    fn from(barrier: Barrier) -> Self {
        Arc::unwrap_or_clone(barrier.fields)
    }
}

impl Barrier {
    /// An entry that says this, at this place.
    pub fn new(fields: impl Into<Arc<BarrierFields>>, span: Span) -> Self {
        Self {
            fields: fields.into(),
            span,
        }
    }

    /// An entry that says nothing but what it applies to.
    pub(crate) fn of(target: BarrierTarget) -> Self {
        Self::from(BarrierFields::of(target))
    }

    /// A global barrier that says nothing yet.
    pub fn global() -> Self {
        Self::of(BarrierTarget::Global)
    }

    /// A barrier on a buffer that says nothing yet.
    pub fn buffer(resource: ResourceId) -> Self {
        Self::of(BarrierTarget::buffer(resource))
    }

    /// A barrier on a texture or a part of it, with `LayoutBefore` and `LayoutAfter`.
    pub fn texture(part: impl Into<Part>, layouts: (Layout, Layout)) -> Self {
        Self::of(BarrierTarget::texture(part, layouts))
    }

    /// The same with the flag `DISCARD`.
    pub fn discarding_texture(part: impl Into<Part>, layouts: (Layout, Layout)) -> Self {
        Self::of(BarrierTarget::Texture(TextureBarrier {
            discard: true,
            ..TextureBarrier::new(part, layouts)
        }))
    }

    /// The same with `SyncBefore` and `SyncAfter`.
    #[must_use]
    pub fn sync(mut self, before: BarrierSync, after: BarrierSync) -> Self {
        (self.sync_before, self.sync_after) = (before, after);
        self
    }

    /// The same with `AccessBefore` and `AccessAfter`.
    #[must_use]
    pub fn access(mut self, before: BarrierAccess, after: BarrierAccess) -> Self {
        (self.access_before, self.access_after) = (before, after);
        self
    }

    /// Both halves of a split barrier that does the same.
    pub fn halves(self) -> [Self; 2] {
        let (mut first, mut second) = (self.clone(), self);
        first.sync_after = BarrierSync::SPLIT;
        second.sync_before = BarrierSync::SPLIT;
        [first, second]
    }

    /// The resource that it names.
    pub fn resource(&self) -> Option<ResourceId> {
        match &self.target {
            BarrierTarget::Texture(texture) => texture.resource,
            BarrierTarget::Buffer { resource, .. } | BarrierTarget::Ranged { resource, .. } => {
                *resource
            }
            BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => None,
        }
    }

    /// What a texture barrier says.
    #[inline]
    pub fn as_texture(&self) -> Option<&TextureBarrier> {
        match &self.target {
            BarrierTarget::Texture(texture) => Some(texture),
            _ => None,
        }
    }

    /// The same as [`Barrier::as_texture`], to change it.
    pub fn as_texture_mut(&mut self) -> Option<&mut TextureBarrier> {
        match &mut self.target {
            BarrierTarget::Texture(texture) => Some(texture),
            _ => None,
        }
    }

    /// What a texture barrier says, with the resource that it names, if it names one.
    #[inline]
    pub fn named_texture(&self) -> Option<(ResourceId, &TextureBarrier)> {
        let texture = self.as_texture()?;
        Some((texture.resource?, texture))
    }

    /// Whether a texture barrier has the flag `DISCARD`.
    pub fn discards(&self) -> bool {
        self.as_texture().is_some_and(|texture| texture.discard)
    }

    /// Both layouts, of a texture barrier.
    pub fn layouts(&self) -> Option<(Layout, Layout)> {
        self.as_texture().map(TextureBarrier::layouts)
    }

    /// Both layouts, unless both are `UNDEFINED`: then it is a memory barrier, and the layout stays (reading R25).
    pub fn transition(&self) -> Option<(Layout, Layout)> {
        let texture = self.as_texture();
        texture
            .filter(|texture| !texture.is_memory_only())
            .map(TextureBarrier::layouts)
    }
}

/// What a barrier entry applies to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BarrierTarget {
    /// All memory of the queue.
    Global,
    /// Subresources of a texture.
    Texture(#[serde(deserialize_with = "by_name")] TextureBarrier),
    /// One buffer.
    Buffer {
        /// The resource; `None` is `buffer null`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource: Option<ResourceId>,
        /// `offset N`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
        /// `size N`; `u64::MAX` is `size all`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
    },
    /// DDI only.
    Ranged {
        /// The resource.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource: Option<ResourceId>,
        /// The range.
        range: Range,
        /// `atomic-copy` (0x1), `acquire` (0x2), `release` (0x4).
        flags: u32,
    },
    /// `texture { }`: a group of zero barriers of the type that the word names.
    EmptyGroup(BarrierType),
}

impl BarrierTarget {
    /// A buffer.
    pub(crate) fn buffer(resource: ResourceId) -> Self {
        Self::Buffer {
            resource: Some(resource),
            offset: None,
            size: None,
        }
    }

    /// A texture or a part of it, with `LayoutBefore` and `LayoutAfter`.
    pub(crate) fn texture(part: impl Into<Part>, layouts: (Layout, Layout)) -> Self {
        Self::Texture(TextureBarrier::new(part, layouts))
    }
}

/// What a texture barrier says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct TextureBarrier {
    /// The resource; `None` is `texture null`. The text may name a buffer: a rule reports that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceId>,
    /// The range.
    pub range: BarrierRange,
    /// `LayoutBefore`. Absent: `UNDEFINED` on both sides, a memory-only barrier.
    pub layout_before: Layout,
    /// `LayoutAfter`.
    pub layout_after: Layout,
    /// `discard`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub discard: bool,
}

impl TextureBarrier {
    /// A texture or a part of it, with `LayoutBefore` and `LayoutAfter`.
    pub fn new(part: impl Into<Part>, (layout_before, layout_after): (Layout, Layout)) -> Self {
        let part = part.into();
        Self {
            resource: Some(part.resource),
            range: BarrierRange::Range(part.range),
            layout_before,
            layout_after,
            discard: false,
        }
    }

    /// `LayoutBefore` and `LayoutAfter`.
    pub fn layouts(&self) -> (Layout, Layout) {
        (self.layout_before, self.layout_after)
    }

    /// Whether both layouts are `UNDEFINED`: then it is a memory barrier, and the layout stays (reading R25).
    pub fn is_memory_only(&self) -> bool {
        self.layouts() == (Layout::Undefined, Layout::Undefined)
    }

    /// Whether the contents end at it: `LayoutBefore` is `UNDEFINED`, or it discards. A memory barrier keeps them, whatever else it
    /// says (readings R25, R57).
    pub fn drops_contents(&self) -> bool {
        !self.is_memory_only() && (self.discard || self.layout_before == Layout::Undefined)
    }
}

/// Range of a texture barrier.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BarrierRange {
    /// As in a use.
    Range(Range),
    /// `range a b c d e f`: the header's `D3D12_BARRIER_SUBRESOURCE_RANGE`.
    Raw([u32; 6]),
}

/// One entry of a `ResourceBarrier()` call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LegacyBarrier {
    /// What the barrier does.
    pub kind: LegacyKind,
    /// Place in the source.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

impl LegacyBarrier {
    fn of(kind: LegacyKind) -> Self {
        Self {
            kind,
            span: Span::default(),
            trivia: Trivia(None),
        }
    }

    /// A transition from `StateBefore` to `StateAfter`; with a flag the half of a split one.
    pub fn transition(
        part: impl Into<Part>,
        (before, after): (ResourceState, ResourceState),
        split: Option<LegacySplit>,
    ) -> Self {
        let Part { resource, range } = part.into();
        Self::of(LegacyKind::Transition(LegacyTransition {
            resource,
            range,
            before,
            after,
            split,
        }))
    }

    /// A UAV barrier; `None` is every resource.
    pub fn uav(resource: Option<ResourceId>) -> Self {
        Self::of(LegacyKind::Uav(resource))
    }

    /// An aliasing barrier; `None` is any resource.
    pub fn alias(before: Option<ResourceId>, after: Option<ResourceId>) -> Self {
        Self::of(LegacyKind::Alias(before, after))
    }
}

/// Kinds of legacy barriers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LegacyKind {
    /// `transition T A -> B [begin|end]`.
    Transition(#[serde(deserialize_with = "by_name")] LegacyTransition),
    /// `uav R`; `None` is `uav *`.
    Uav(Option<ResourceId>),
    /// `alias A -> B`; `None` is `*`.
    Alias(Option<ResourceId>, Option<ResourceId>),
}

impl LegacyKind {
    /// What it says, if it is a transition.
    pub fn as_transition(&self) -> Option<&LegacyTransition> {
        match self {
            Self::Transition(transition) => Some(transition),
            Self::Uav(_) | Self::Alias(..) => None,
        }
    }

    /// Whether it is a transition of a resource.
    pub fn is_transition_of(&self, id: ResourceId) -> bool {
        self.as_transition().is_some_and(|it| it.resource == id)
    }

    /// What it says, if it is a transition that is not split.
    pub fn as_whole_transition(&self) -> Option<&LegacyTransition> {
        self.as_transition().filter(|it| it.split.is_none())
    }

    /// Whether it names a resource; `uav *` and `alias * -> *` name none.
    pub fn names(&self, id: ResourceId) -> bool {
        match self {
            Self::Transition(it) => it.resource == id,
            Self::Uav(resource) => *resource == Some(id),
            Self::Alias(before, after) => *before == Some(id) || *after == Some(id),
        }
    }

    /// Which half of a split transition it is, if it is one.
    pub fn split(&self) -> Option<LegacySplit> {
        self.as_transition()?.split
    }

    /// The same as [`LegacyKind::as_transition`], to change it.
    pub fn as_transition_mut(&mut self) -> Option<&mut LegacyTransition> {
        match self {
            Self::Transition(transition) => Some(transition),
            Self::Uav(_) | Self::Alias(..) => None,
        }
    }
}

/// What a legacy transition says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct LegacyTransition {
    /// The resource.
    pub resource: ResourceId,
    /// The range.
    pub range: Range,
    /// `StateBefore`.
    pub before: ResourceState,
    /// `StateAfter`.
    pub after: ResourceState,
    /// The split flag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<LegacySplit>,
}

impl LegacyTransition {
    /// `StateBefore` and `StateAfter`.
    pub fn states(&self) -> (ResourceState, ResourceState) {
        (self.before, self.after)
    }
}

/// Split flag of a legacy transition.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LegacySplit {
    /// `BEGIN_ONLY`.
    Begin,
    /// `END_ONLY`.
    End,
}

impl LegacySplit {
    /// The scenario language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::End => "end",
        }
    }
}
