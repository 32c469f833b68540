//! Changes of a scenario, as data: what a rule of this family proposes, and what `run` tries on a copy.

use crate::api::{BarrierType, Layout};
use crate::id::{ListId, ResourceId, narrow};
use crate::scenario::{
    Barrier, BarrierTarget, Command, CommandKind, Initial, Scenario, Statement, StatementKind,
    Trivia, Uses,
};

/// A barrier entry of the text: its list, the index of its call there, its index in the call.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntryId {
    /// The list.
    pub list: ListId,
    /// Index of the call in the list.
    pub command: u32,
    /// Index in the call.
    pub index: u32,
}

impl EntryId {
    /// The entry itself.
    pub fn of(self, scenario: &Scenario) -> Option<&Barrier> {
        let command = &scenario.lists[self.list.index()].commands[self.command as usize];
        command.kind.barriers().get(self.index as usize)
    }

    /// The entry, to be changed.
    pub fn of_mut(self, scenario: &mut Scenario) -> Option<&mut Barrier> {
        let command = &mut scenario.lists[self.list.index()].commands[self.command as usize];
        command.kind.barriers_mut()?.get_mut(self.index as usize)
    }
}

/// One change.
#[derive(Clone, Debug)]
pub enum Change {
    /// Another barrier in an entry's place.
    Set(EntryId, Barrier),
    /// No barrier in its place. An empty group stays, so that nodes and entries keep their numbers.
    Clear(EntryId),
    /// Entries at the end of a call.
    Append(ListId, u32, Vec<Barrier>),
    /// A new call before a command. Later commands get other numbers: of several new calls, name the last first.
    Insert(ListId, u32, Vec<Barrier>),
    /// Another layout at creation.
    Initial(ResourceId, Layout),
    /// No legacy entry: list, command, index.
    ClearLegacy(ListId, u32, u32),
    /// No statement of the timeline: an index for each level of `repeat`.
    ClearStatement(Vec<u32>),
}

impl Change {
    /// Makes the change.
    pub fn apply(&self, scenario: &mut Scenario) {
        match self {
            Self::Set(entry, barrier) => {
                if let Some(slot) = entry.of_mut(scenario) {
                    slot.clone_from(barrier);
                }
            }
            Self::Clear(entry) => {
                if let Some(slot) = entry.of_mut(scenario) {
                    slot.target = BarrierTarget::EmptyGroup(BarrierType::Global);
                }
            }
            Self::Append(list, command, more) => {
                let call = &mut scenario.lists[list.index()].commands[*command as usize].kind;
                if let CommandKind::Barrier(barriers) = call {
                    barriers.extend(more.iter().cloned());
                }
            }
            Self::Insert(list, at, barriers) => {
                let command = Command {
                    kind: CommandKind::Barrier(barriers.iter().cloned().collect()),
                    uses: Uses::new(),
                    span: barriers[0].span,
                    trivia: Trivia::default(),
                };
                let commands = &mut scenario.lists[list.index()].commands;
                commands.insert(*at as usize, command);
            }
            Self::Initial(resource, layout) => {
                scenario.resources[resource.index()].initial = Initial::Layout(*layout);
            }
            Self::ClearLegacy(list, command, index) => {
                let call = &mut scenario.lists[list.index()].commands[*command as usize].kind;
                if let CommandKind::Legacy(barriers) = call {
                    barriers.remove(*index as usize);
                }
            }
            Self::ClearStatement(path) => {
                if let Some(timeline) = &mut scenario.timeline {
                    clear(&mut timeline.statements, path);
                }
            }
        }
    }

    /// Whether nodes and entries keep their numbers.
    pub fn keeps_numbers(&self) -> bool {
        matches!(self, Self::Set(..) | Self::Clear(_) | Self::Initial(..))
    }
}

fn clear(statements: &mut Vec<Statement>, path: &[u32]) {
    match path {
        [] => {}
        [last] => {
            statements.remove(*last as usize);
        }
        [first, rest @ ..] => {
            if let StatementKind::Repeat { body, .. } = &mut statements[*first as usize].kind {
                clear(body, rest);
            }
        }
    }
}

/// Deletes an entry, and lets the next barrier on the same subresources of its list begin where it began: what reading
/// R48 calls deleting.
pub fn delete(scenario: &Scenario, entry: EntryId) -> Vec<Change> {
    let mut changes = vec![Change::Clear(entry)];
    let Some(BarrierTarget::Texture {
        resource: Some(id),
        range,
        layout_before,
        ..
    }) = entry.of(scenario).map(|barrier| &barrier.target)
    else {
        return changes;
    };
    for (place, next) in entries_after(scenario, entry) {
        if let BarrierTarget::Texture {
            resource,
            range: r,
            layout_before: before,
            ..
        } = &next.target
            && *resource == Some(*id)
            && r == range
        {
            if *before != Layout::Undefined {
                let mut relinked = next.clone();
                set_layout_before(&mut relinked, *layout_before);
                changes.push(Change::Set(place, relinked));
            }
            break;
        }
    }
    changes
}

/// Entries after an entry in its list.
pub fn entries_after(
    scenario: &Scenario,
    entry: EntryId,
) -> impl Iterator<Item = (EntryId, &Barrier)> {
    let commands = &scenario.lists[entry.list.index()].commands;
    let rest = commands.iter().enumerate().skip(entry.command as usize);
    rest.flat_map(move |(command, it)| {
        let barriers = match &it.kind {
            CommandKind::Barrier(barriers) => barriers.as_slice(),
            _ => &[],
        };
        let first = if command == entry.command as usize {
            entry.index as usize + 1
        } else {
            0
        };
        let list = entry.list;
        barriers
            .iter()
            .enumerate()
            .skip(first)
            .map(move |(index, barrier)| {
                let place = EntryId {
                    list,
                    command: narrow(command),
                    index: narrow(index),
                };
                (place, barrier)
            })
    })
}

/// Replaces `LayoutBefore`.
pub fn set_layout_before(barrier: &mut Barrier, layout: Layout) {
    if let BarrierTarget::Texture { layout_before, .. } = &mut barrier.target {
        *layout_before = layout;
    }
}

/// Replaces `LayoutAfter`.
pub fn set_layout_after(barrier: &mut Barrier, layout: Layout) {
    if let BarrierTarget::Texture { layout_after, .. } = &mut barrier.target {
        *layout_after = layout;
    }
}

/// Whether an entry is one half of a split barrier.
pub fn is_split(barrier: &Barrier) -> bool {
    barrier.sync_before.is_split() || barrier.sync_after.is_split()
}

/// Whether two entries apply to the same part of the same resource.
pub fn is_same_part(one: &Barrier, two: &Barrier) -> bool {
    match (&one.target, &two.target) {
        (
            BarrierTarget::Texture {
                resource: a,
                range: x,
                ..
            },
            BarrierTarget::Texture {
                resource: b,
                range: y,
                ..
            },
        ) => a.is_some() && a == b && x == y,
        (BarrierTarget::Buffer { resource: a, .. }, BarrierTarget::Buffer { resource: b, .. }) => {
            a.is_some() && a == b
        }
        _ => false,
    }
}
