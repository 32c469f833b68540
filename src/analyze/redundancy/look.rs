//! What a rule of this family looks at: the executed text, and what surrounds its barriers.

use super::survey::{Around, Survey};
use super::{Proposal, Saving};
use crate::analyze::names;
use crate::api::{Layout, ResourceFlags};
use crate::id::{ListId, ResourceId};
use crate::order::{LayoutTracker, Timeline};
use crate::scenario::edit::{Change, EntryId, barriers, set_layout_after, set_layout_before};
use crate::scenario::{Barrier, BarrierTarget, Command, CommandKind, Initial, Scenario};

/// A scenario without legacy barriers, the one it came from, and what was found in it.
#[derive(Copy, Clone, Debug)]
pub struct Look<'a> {
    /// The scenario as written, with legacy barriers.
    pub source: &'a Scenario,
    /// The same scenario with enhanced barriers in their place.
    pub scenario: &'a Scenario,
    /// Timeline of the rewritten scenario.
    pub timeline: &'a Timeline<'a>,
    /// What surrounds its barriers.
    pub survey: &'a Survey,
}

impl<'a> Look<'a> {
    /// Executed lists.
    pub(super) fn lists(&self) -> impl Iterator<Item = ListId> + 'a {
        self.survey.executed.iter().copied()
    }

    /// Executed entries that are no translation of a legacy barrier, in order of the text.
    pub(super) fn entries(&self) -> impl Iterator<Item = (EntryId, &'a Barrier)> + '_ {
        let entries = self.survey.entries.keys();
        entries
            .filter(|entry| !self.is_legacy(entry.list, entry.command))
            .filter_map(|entry| Some((*entry, entry.of(self.scenario)?)))
    }

    /// What surrounds an entry.
    pub(super) fn around(&self, entry: EntryId) -> Around {
        self.survey.entries.get(&entry).copied().unwrap_or_default()
    }

    /// Whether a command is a legacy call in the text.
    pub fn is_legacy(&self, list: ListId, command: u32) -> bool {
        let command = self.source.lists[list].commands.get(command as usize);
        command.is_some_and(|c| matches!(c.kind, CommandKind::Legacy(_)))
    }

    /// Commands between two calls of one list.
    pub(super) fn between(
        &self,
        first: EntryId,
        second: EntryId,
    ) -> impl Iterator<Item = &'a Command> {
        let commands = &self.scenario.lists[first.list].commands;
        let (from, to) = (first.command as usize + 1, second.command as usize);
        commands[from.min(to)..to].iter()
    }

    /// Whether a command uses memory of a resource, or has a barrier on it.
    pub(super) fn touches(&self, command: &Command, id: ResourceId) -> bool {
        let own = &self.survey.aliases[id];
        match &command.kind {
            CommandKind::ExecuteBundle { .. } => true,
            CommandKind::Barrier(entries)
            | CommandKind::FenceBarrier {
                barriers: entries, ..
            } => entries
                .iter()
                .any(|e| e.resource().is_some_and(|id| own.contains(&id))),
            CommandKind::AssertLayout { resource, .. }
            | CommandKind::AssertAccess { resource, .. } => own.contains(resource),
            _ => command.uses.iter().any(|u| own.contains(&u.resource)),
        }
    }

    /// Whether the layouts of a texture are the text's own business: no legacy barrier, present or CPU has a part in
    /// them, and it has layouts at all.
    pub(super) fn is_free(&self, id: ResourceId) -> bool {
        let resource = self.scenario.resource(id);
        let legacy = self
            .survey
            .entries
            .keys()
            .filter(|entry| self.is_legacy(entry.list, entry.command))
            .any(|entry| entry.of(self.scenario).and_then(Barrier::resource) == Some(id));
        resource.texture().is_some()
            && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
            && !matches!(self.source.resource(id).initial, Initial::State(_))
            && !legacy
            && !self.survey.is_outside[id]
    }

    /// Changes that give a texture other layouts everywhere, creation included.
    pub(super) fn relaid(&self, id: ResourceId, map: impl Fn(Layout) -> Layout) -> Vec<Change> {
        let mut changes = Vec::new();
        for (entry, barrier) in barriers(self.scenario) {
            let Some((before, after)) =
                barrier.layouts().filter(|_| barrier.resource() == Some(id))
            else {
                continue;
            };
            let mut other = barrier.clone();
            set_layout_before(&mut other, map(before));
            set_layout_after(&mut other, map(after));
            if other != *barrier {
                changes.push(Change::Set(entry, other));
            }
        }
        let initial = LayoutTracker::declared(self.scenario.resource(id));
        if map(initial) != initial {
            changes.push(Change::Initial(id, map(initial)));
        }
        changes
    }

    /// A proposal about an entry, with nothing said yet.
    pub(super) fn proposal(
        &self,
        saving: &'static Saving,
        entry: EntryId,
        changes: Vec<Change>,
    ) -> Proposal {
        let barrier = entry.of(self.scenario).expect("an entry of the text");
        let resource = barrier
            .resource()
            .map_or("", |id| self.scenario.resource_name(id));
        Proposal {
            saving,
            entry: Some(entry),
            span: barrier.span,
            resource: resource.to_string(),
            changes,
            message: names::barrier_text(self.scenario, barrier),
            witness: String::new(),
            help: String::new(),
            deactivates: false,
            related: None,
        }
    }

    /// Whether an entry is a texture or buffer barrier with a resource.
    pub(super) fn is_of_resource(barrier: &Barrier) -> bool {
        let is_ranged = matches!(barrier.target, BarrierTarget::Ranged { .. });
        barrier.resource().is_some() && !is_ranged
    }
}
