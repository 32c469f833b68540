//! What a rule is shown: a command, a use, a barrier entry, one side of an entry.

use super::RuleSet;
use crate::api::{
    BarrierAccess, BarrierSide, BarrierSync, Layout, QueueType, ResourceState, ResourceTraits,
};
use crate::finding::{Finding, Rule, Span};
use crate::id::ResourceId;
use crate::scenario::{
    Barrier, BarrierTarget, Command, LegacyBarrier, LegacyKind, LegacyTransition, List, Resource,
    Scenario, TextureBarrier,
};
use std::sync::Arc;

/// A command of a list.
#[derive(Copy, Clone)]
pub struct CommandOf<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// The list.
    pub list: &'s List,
    /// The command.
    pub command: &'s Command,
    /// The rule set asked for.
    pub rules: RuleSet,
}

/// A use of a resource by a command: just what a rule may go by, so that what was right once is right again.
#[derive(Copy, Clone)]
pub struct UseOf<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// The resource.
    pub resource: ResourceId,
    /// How it is accessed.
    pub access: BarrierAccess,
    /// Place in the source.
    pub span: Span,
    /// The rule set asked for.
    pub rules: RuleSet,
}

/// An entry of a `Barrier()` call, or of a fence barrier.
#[derive(Copy, Clone)]
pub struct BarrierEntry<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// Type of the list's queue: all that a rule may go by of the list, so that what was right once is right again.
    pub queue: QueueType,
    /// The entry.
    pub barrier: &'s Barrier,
    /// Whether it belongs to a fence barrier, which may name `GLOBAL`.
    pub in_fence: bool,
    /// The rule set asked for.
    pub rules: RuleSet,
}

/// An entry of a `ResourceBarrier()` call.
#[derive(Copy, Clone)]
pub struct LegacyEntry<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// The list.
    pub list: &'s List,
    /// The entry.
    pub barrier: &'s LegacyBarrier,
}

impl<'s> LegacyEntry<'s> {
    /// Type of the list's queue.
    pub fn queue(&self) -> QueueType {
        self.list.queue_type
    }

    /// `StateBefore` and `StateAfter` of a transition.
    pub fn states(&self) -> Option<(ResourceState, ResourceState)> {
        self.barrier
            .kind
            .as_transition()
            .map(LegacyTransition::states)
    }

    /// The resource that it names; of an aliasing entry the one that becomes active, or else the other.
    pub fn resource_id(&self) -> Option<ResourceId> {
        match &self.barrier.kind {
            LegacyKind::Transition(it) => Some(it.resource),
            LegacyKind::Uav(resource) => *resource,
            LegacyKind::Alias(from, to) => to.or(*from),
        }
    }

    /// The resource.
    pub fn resource(&self) -> Option<&'s Resource> {
        self.resource_id().map(|id| self.scenario.resource(id))
    }

    /// A finding on the entry's line that names its resource.
    pub fn finding(&self, rule: &'static Rule, message: impl Into<Arc<str>>) -> Finding {
        finding(
            self.scenario,
            rule,
            self.barrier.span,
            self.resource_id(),
            message,
        )
    }
}

impl<'s> BarrierEntry<'s> {
    /// Type of the list's queue.
    pub fn queue(&self) -> QueueType {
        self.queue
    }

    /// The resource that it names, whatever its kind.
    pub fn resource_id(&self) -> Option<ResourceId> {
        self.barrier.resource()
    }

    /// The resource.
    pub fn resource(&self) -> Option<&'s Resource> {
        self.resource_id().map(|id| self.scenario.resource(id))
    }

    /// The resource's traits.
    pub fn traits(&self) -> Option<ResourceTraits> {
        self.resource_id().map(|id| self.scenario.traits(id))
    }

    /// Both layouts of a texture entry.
    pub fn layouts(&self) -> Option<(Layout, Layout)> {
        self.barrier.layouts()
    }

    /// Whether it is a texture entry with both layouts `UNDEFINED`: a barrier of memory only.
    pub fn is_memory_only(&self) -> bool {
        self.barrier
            .as_texture()
            .is_some_and(TextureBarrier::is_memory_only)
    }

    /// Whether it has scopes and accesses: ranged entries and empty groups have none.
    pub fn has_sides(&self) -> bool {
        !matches!(
            self.barrier.target,
            BarrierTarget::Ranged { .. } | BarrierTarget::EmptyGroup(_)
        )
    }

    /// A finding on the entry's line that names its resource.
    pub fn finding(&self, rule: &'static Rule, message: impl Into<Arc<str>>) -> Finding {
        finding(
            self.scenario,
            rule,
            self.barrier.span,
            self.resource_id(),
            message,
        )
    }
}

/// A finding that names a resource, if there is one.
pub(super) fn finding(
    scenario: &Scenario,
    rule: &'static Rule,
    span: Span,
    resource: Option<ResourceId>,
    message: impl Into<Arc<str>>,
) -> Finding {
    let finding = Finding::new(rule, span, message);
    match resource {
        Some(id) => finding.resource(scenario.resource_name(id)),
        None => finding,
    }
}

/// One side of an entry.
#[derive(Copy, Clone)]
pub struct SideOf<'s> {
    /// The entry.
    pub entry: &'s BarrierEntry<'s>,
    /// Before or after.
    pub side: BarrierSide,
    /// Synchronization scopes of the side.
    pub sync: BarrierSync,
    /// Accesses of the side.
    pub access: BarrierAccess,
    /// Its layout; `None` for entries without a layout, and for memory-only texture entries.
    pub layout: Option<Layout>,
}

impl<'s> SideOf<'s> {
    pub(super) fn new(entry: &'s BarrierEntry<'s>, side: BarrierSide) -> Self {
        let layouts = entry.layouts().filter(|_| !entry.is_memory_only());
        let barrier = entry.barrier;
        match side {
            BarrierSide::Before => Self {
                entry,
                side,
                sync: barrier.sync_before,
                access: barrier.access_before,
                layout: layouts.map(|l| l.0),
            },
            BarrierSide::After => Self {
                entry,
                side,
                sync: barrier.sync_after,
                access: barrier.access_after,
                layout: layouts.map(|l| l.1),
            },
        }
    }

    /// The access bits that touch memory: without `NO_ACCESS`, and without `GLOBAL` in a fence barrier.
    pub fn bits(&self) -> BarrierAccess {
        let mut bits = self.access.difference(BarrierAccess::NO_ACCESS);
        if self.entry.in_fence {
            bits.remove(BarrierAccess::GLOBAL);
        }
        bits
    }

    /// A finding on the entry's line.
    pub fn finding(&self, rule: &'static Rule, message: impl Into<Arc<str>>) -> Finding {
        self.entry.finding(rule, message)
    }
}
