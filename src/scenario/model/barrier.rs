//! Entries of enhanced and of legacy barriers.

use super::{Part, Range, Trivia, is_false};
use crate::api::{BarrierAccess, BarrierSync, BarrierType, Layout, ResourceState};
use crate::finding::Span;
use crate::id::ResourceId;
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

    fn of(target: BarrierTarget) -> Self {
        Self::from(BarrierFields::of(target))
    }

    /// A global barrier that says nothing yet.
    pub fn global() -> Self {
        Self::of(BarrierTarget::Global)
    }

    /// A barrier on a buffer that says nothing yet.
    pub fn buffer(resource: ResourceId) -> Self {
        Self::of(BarrierTarget::Buffer {
            resource: Some(resource),
            offset: None,
            size: None,
        })
    }

    /// A barrier on a texture or a part of it, with `LayoutBefore` and `LayoutAfter`.
    pub fn texture(part: impl Into<Part>, layouts: (Layout, Layout)) -> Self {
        Self::texture_with(part.into(), layouts, false)
    }

    /// The same with the flag `DISCARD`.
    pub fn discarding_texture(part: impl Into<Part>, layouts: (Layout, Layout)) -> Self {
        Self::texture_with(part.into(), layouts, true)
    }

    fn texture_with(part: Part, layouts: (Layout, Layout), discard: bool) -> Self {
        Self::of(BarrierTarget::Texture {
            resource: Some(part.resource),
            range: BarrierRange::Range(part.range),
            layout_before: layouts.0,
            layout_after: layouts.1,
            discard,
        })
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
            BarrierTarget::Texture { resource, .. }
            | BarrierTarget::Buffer { resource, .. }
            | BarrierTarget::Ranged { resource, .. } => *resource,
            BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => None,
        }
    }

    /// What a texture barrier says: its resource and range, both layouts, and whether it discards.
    #[inline]
    pub fn as_texture(&self) -> Option<TextureTarget<'_>> {
        match &self.target {
            BarrierTarget::Texture {
                resource,
                range,
                layout_before,
                layout_after,
                discard,
            } => Some((*resource, range, (*layout_before, *layout_after), *discard)),
            _ => None,
        }
    }

    /// Both layouts, of a texture barrier.
    pub fn layouts(&self) -> Option<(Layout, Layout)> {
        self.as_texture().map(|(_, _, layouts, _)| layouts)
    }

    /// Both layouts, unless both are `UNDEFINED`: then it is a memory barrier, and the layout stays (reading R25).
    pub fn transition(&self) -> Option<(Layout, Layout)> {
        self.layouts()
            .filter(|layouts| *layouts != (Layout::Undefined, Layout::Undefined))
    }
}

/// What a texture barrier says: its resource and range, both layouts, and whether it discards.
type TextureTarget<'a> = (Option<ResourceId>, &'a BarrierRange, (Layout, Layout), bool);

/// What a barrier entry applies to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BarrierTarget {
    /// All memory of the queue.
    Global,
    /// Subresources of a texture.
    Texture {
        /// The resource; `None` is `texture null`. The text may name a buffer: a rule reports that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource: Option<ResourceId>,
        /// The range.
        range: BarrierRange,
        /// `LayoutBefore`. Absent: `UNDEFINED` on both sides, a memory-only barrier.
        layout_before: Layout,
        /// `LayoutAfter`.
        layout_after: Layout,
        /// `discard`.
        #[serde(default, skip_serializing_if = "is_false")]
        discard: bool,
    },
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
        Self::of(LegacyKind::Transition {
            resource,
            range,
            before,
            after,
            split,
        })
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
    Transition {
        /// The resource.
        resource: ResourceId,
        /// The range.
        range: Range,
        /// `StateBefore`.
        before: ResourceState,
        /// `StateAfter`.
        after: ResourceState,
        /// The split flag.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        split: Option<LegacySplit>,
    },
    /// `uav R`; `None` is `uav *`.
    Uav(Option<ResourceId>),
    /// `alias A -> B`; `None` is `*`.
    Alias(Option<ResourceId>, Option<ResourceId>),
}

/// What a transition says: its resource and range, `StateBefore` and `StateAfter`, and which half of a split one it is.
type Transition<'a> = (
    ResourceId,
    &'a Range,
    (ResourceState, ResourceState),
    Option<LegacySplit>,
);

impl LegacyKind {
    /// What it says, if it is a transition.
    pub fn as_transition(&self) -> Option<Transition<'_>> {
        match self {
            Self::Transition {
                resource,
                range,
                before,
                after,
                split,
            } => Some((*resource, range, (*before, *after), *split)),
            Self::Uav(_) | Self::Alias(..) => None,
        }
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
