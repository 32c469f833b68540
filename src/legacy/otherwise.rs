//! Entries that come from other states at some executions of their list than they say (reading R72).
//!
//! Only what comes before changes: `SyncBefore`, `AccessBefore` and `LayoutBefore`. The entries of a call stay as many, on the
//! same subresources, of which each is in one state: an entry that finds several was made one for each subresource before.

use super::parts::Transition;
use super::walk::{Calls, Walk};
use super::words::Reasons;
use crate::api::{Layout, QueueType, ResourceState};
use crate::finding::Span;
use crate::id::{ListId, NodeId};
use crate::scenario::{Barrier, Command, CommandKind, LegacyKind, geometry};

/// What some subresources of a resource are in.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Before {
    /// The first subresource.
    pub(crate) first: u32,
    /// One past the last.
    pub(crate) end: u32,
    /// Their state.
    pub(crate) state: ResourceState,
    /// They came to it by promotion, so that their layout is `COMMON`. Spec: "Legacy layouts".
    pub(crate) is_promoted: bool,
}

impl Before {
    /// Whether other subresources are in the same.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.state, self.is_promoted) == (other.state, other.is_promoted)
    }
}

/// A legacy call of a list, at executions at which entries of it come from other states than they say.
#[derive(Debug)]
pub(crate) struct ActsOtherwise {
    /// The list.
    pub(crate) list: ListId,
    /// Index of the call in it.
    pub(crate) command: u32,
    /// Transitions, halves and UAV barriers, by where they are written.
    pub(crate) entries: Vec<(Span, Vec<Before>)>,
    /// The executions.
    pub(crate) nodes: Vec<NodeId>,
}

impl Walk<'_> {
    /// The call as it acts at these executions. `calls`: what became of the calls of its list.
    pub(super) fn otherwise(&self, it: &ActsOtherwise, calls: &Calls) -> Option<Command> {
        let list = &self.scenario.lists[it.list];
        let at = it.command as usize;
        let (_, barriers) = calls.iter().find(|(index, _)| *index == at)?;
        let mut barriers = barriers.clone();
        let entries = list.commands[at].kind.legacy();
        let is_uav = |span| {
            let mut entries = entries.iter();
            entries.any(|entry| entry.span == span && matches!(entry.kind, LegacyKind::Uav(_)))
        };
        for barrier in &mut barriers {
            if let Some((_, from)) = it.entries.iter().find(|(span, _)| *span == barrier.span) {
                if is_uav(barrier.span) {
                    stay_in(barrier, from);
                } else {
                    self.come_from(barrier, list.queue_type, from);
                }
            }
        }
        let mut command = list.commands[at].clone();
        command.kind = CommandKind::Barrier(barriers.into());
        Some(command)
    }

    /// Makes the states that an entry comes from its own.
    fn come_from(&self, barrier: &mut Barrier, queue: QueueType, from: &[Before]) {
        let Some(resource) = barrier.resource() else {
            return;
        };
        let Some(from) = self.own_part(barrier, from) else {
            return;
        };
        let it = Transition {
            queue,
            resource,
            before: from.state,
            after: from.state,
            split: None,
            span: barrier.span,
        };
        let (sync, access) = self.side(&it, from.state, &mut Reasons::new(false));
        if !barrier.sync_before.is_split() {
            barrier.sync_before = sync;
        }
        barrier.access_before = access;
        let changes_layouts =
            queue != QueueType::Copy && !self.scenario.resource(resource).is_simultaneous();
        if let Some(entry) = barrier.as_texture_mut()
            && changes_layouts
        {
            entry.layout_before = if from.is_promoted {
                Layout::Common
            } else {
                self.layout(&it, from.state)
            };
        }
    }

    /// What the subresources of an entry are in.
    fn own_part<'f>(&self, barrier: &Barrier, from: &'f [Before]) -> Option<&'f Before> {
        let id = barrier.resource()?;
        let runs = match self.scenario.resource(id).texture() {
            Some(shape) => geometry::part_of_barrier(self.scenario, barrier)?.index_runs(shape),
            None => vec![(0, 1)],
        };
        from.iter().find(|it| {
            let mut runs = runs.iter();
            runs.any(|(first, end)| it.first < *end && *first < it.end)
        })
    }
}

/// Makes the layout in which a UAV barrier finds its texture its own.
fn stay_in(barrier: &mut Barrier, found: &[Before]) {
    let is_there = |it: &Before| it.state == ResourceState::UNORDERED_ACCESS;
    let layout = if found.iter().all(is_there) {
        Layout::UnorderedAccess
    } else {
        Layout::Undefined
    };
    if let Some(entry) = barrier.as_texture_mut() {
        (entry.layout_before, entry.layout_after) = (layout, layout);
    }
}
