//! A barrier that there must be: its scopes and layouts, and where it may be.

use super::acts::Spot;
use super::states::Stated;
use crate::api::{BarrierAccess, Layout, LeafSet, ResourceState};
use crate::id::{ListId, NodeId, ResourceId};
use smallvec::SmallVec;
use std::ops::Deref;

/// Stages and accesses of one side of a barrier; nothing if no stage is in it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct SideOf {
    pub(super) stages: LeafSet,
    pub(super) access: BarrierAccess,
}

impl SideOf {
    pub(super) fn add(&mut self, other: Self) {
        self.stages = self.stages.union(other.stages);
        self.access |= other.access;
    }
}

/// The barriers of a timeline.
#[derive(PartialEq, Eq, Debug, Default)]
pub(super) struct Wishes {
    pub(super) each: Vec<Wish>,
    /// States in which textures are to be created, of barriers of states.
    pub(super) created: Vec<(ResourceId, ResourceState)>,
}

impl Deref for Wishes {
    type Target = [Wish];

    fn deref(&self) -> &[Wish] {
        &self.each
    }
}

/// A barrier that there must be, and where it may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wish {
    pub(super) resource: ResourceId,
    /// Subresources, or bytes of a buffer.
    pub(super) runs: Vec<(u64, u64)>,
    /// The earliest place: before this command of its list.
    pub(super) earliest: u32,
    /// The latest place.
    pub(super) latest: Spot,
    pub(super) before: SideOf,
    pub(super) after: SideOf,
    /// Of a texture that has layouts.
    pub(super) layouts: Option<(Layout, Layout)>,
    /// It initialises metadata.
    pub(super) discards: bool,
    /// The contents before it are given up: nothing is made visible.
    pub(super) gives_up: bool,
    /// What follows uses other memory there: the resource is done with.
    pub(super) hands_over: bool,
    /// What it does as a barrier of resource states, if it is one.
    pub(super) stated: Option<Stated>,
    /// Uses for which it is there, some of them.
    pub(super) pairs: SmallVec<[(Option<NodeId>, Option<NodeId>); 2]>,
}

/// Uses that a comment names.
const PAIRS_MAX: usize = 4;

impl Wish {
    pub(super) fn is_for(&mut self, first: Option<NodeId>, second: Option<NodeId>) {
        if self.pairs.len() < PAIRS_MAX && !self.pairs.contains(&(first, second)) {
            self.pairs.push((first, second));
        }
    }

    /// Whether it may be two halves.
    pub(super) fn splits(&self) -> bool {
        self.stated.is_none_or(Stated::is_transition)
    }

    /// What makes two wishes, of two executions of a list, the same.
    pub(super) fn identity(&self) -> Identity {
        (
            self.resource,
            self.runs.clone(),
            (self.earliest, self.latest.list, self.latest.index),
            self.layouts,
            (self.hands_over, self.stated),
        )
    }
}

pub(super) type Identity = (
    ResourceId,
    Vec<(u64, u64)>,
    (u32, ListId, u32),
    Option<(Layout, Layout)>,
    (bool, Option<Stated>),
);
