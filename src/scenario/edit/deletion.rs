//! Deleting barrier entries: what becomes of the barriers after them, and how the edited text is written.

use super::{Change, EntryId, after, barriers, halves, is_empty, set_layout_before};
use crate::api::Layout;
use crate::id::ResourceId;
use crate::scenario::geometry::{self, SubresourceBox};
use crate::scenario::{Barrier, Command, CommandKind, Scenario};
use std::collections::BTreeSet;

/// Barriers that are relinked for one: each later entry is compared with each.
const PARTS_MAX: usize = 1_024;

/// What becomes of the barriers that come after a deleted one on its subresources, in its list.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// They begin where the deleted one began: what reading R48 calls deleting.
    Relinked,
    /// They stay as they are. The deleted one may have been a legacy transition that promotion makes anyway.
    Kept,
}

/// The ways to delete some entries, the best first: only of legacy transitions is there a second one.
pub fn ways(scenario: &Scenario, entries: &[EntryId]) -> impl Iterator<Item = Next> {
    let mut legacy = entries
        .iter()
        .filter(|entry| entry.legacy(scenario).is_some());
    let relinks = legacy.any(|entry| !relinked(scenario, *entry).is_empty());
    std::iter::once(Next::Relinked).chain(relinks.then_some(Next::Kept))
}

/// Deletes an entry. The entry itself goes last, so that the others keep their numbers until then.
pub fn delete(scenario: &Scenario, entry: EntryId, next: Next) -> Vec<Change> {
    let mut changes = match next {
        Next::Relinked => relinked(scenario, entry),
        Next::Kept => Vec::new(),
    };
    changes.push(Change::Clear(entry));
    changes
}

/// The barriers after an entry, with the layout or state in which the entry began: in its list the first on each of its
/// subresources, of a split barrier both halves. Up to the first barrier that acts on more than these, and on no more than
/// [`PARTS_MAX`] parts.
fn relinked(scenario: &Scenario, entry: EntryId) -> Vec<Change> {
    let mut changes = Vec::new();
    let Some((resource, part)) = transitioned(scenario, entry) else {
        return changes;
    };
    let is_legacy = entry.legacy(scenario).is_some();
    let mut left = size(&part);
    // Parts of the barriers that were found, and whether each is a first half whose second is still to come.
    let mut found: Vec<(SubresourceBox, bool)> = Vec::new();
    for next in after(scenario, entry) {
        let of = transitioned(scenario, next).filter(|(id, _)| *id == resource);
        let Some((_, of)) = of.filter(|_| next.legacy(scenario).is_some() == is_legacy) else {
            continue;
        };
        let (is_begin, is_end) = halves(scenario, next);
        let is_open = |(begin, open): &&mut (SubresourceBox, bool)| *open && *begin == of;
        if is_end && let Some((_, open)) = found.iter_mut().find(is_open) {
            *open = false;
            changes.extend(starts_where(scenario, next, entry));
        } else if part.meets(&of) && !found.iter().any(|(other, _)| other.contains(&of)) {
            let is_first = !found.iter().any(|(other, _)| other.meets(&of));
            if !part.contains(&of) || !is_first || found.len() == PARTS_MAX {
                break;
            }
            left -= size(&of);
            changes.extend(starts_where(scenario, next, entry));
            found.push((of, is_begin));
        }
        if left == 0 && !found.iter().any(|(_, open)| *open) {
            break;
        }
    }
    changes
}

/// What an entry transitions: a resource, and its subresources. A buffer counts as one.
fn transitioned(scenario: &Scenario, entry: EntryId) -> Option<(ResourceId, SubresourceBox)> {
    if let Some(it) = entry.transition(scenario) {
        let part = match scenario.resource(it.resource).texture() {
            Some(shape) => geometry::subresource_box(shape, &it.range).ok()?,
            None => SubresourceBox {
                mips: (0, 1),
                layers: (0, 1),
                planes: (0, 1),
                rect: None,
            },
        };
        return Some((it.resource, part));
    }
    let barrier = entry.of(scenario)?;
    let part = geometry::part_of_barrier(scenario, barrier)?;
    Some((barrier.resource()?, part))
}

/// Number of subresources of a part.
fn size(part: &SubresourceBox) -> u64 {
    let count = |(first, end): (u32, u32)| u64::from(end - first);
    count(part.mips) * count(part.layers) * count(part.planes)
}

/// A barrier with the layout or state in which another begins. What drops contents asks for none.
fn starts_where(scenario: &Scenario, entry: EntryId, other: EntryId) -> Option<Change> {
    if let Some(other) = other.transition(scenario) {
        let mut changed = entry.legacy(scenario)?.clone();
        if let Some(it) = changed.kind.as_transition_mut() {
            it.before = other.before;
        }
        return Some(Change::SetLegacy(entry, changed));
    }
    let (layout, _) = other.of(scenario)?.layouts()?;
    let mut changed = entry.of(scenario)?.clone();
    let (before, _) = changed.layouts()?;
    (before != Layout::Undefined).then(|| {
        set_layout_before(&mut changed, layout);
        Change::Set(entry, changed)
    })
}

/// A copy without some entries, the later ones deleted first.
pub fn without(scenario: &Scenario, entries: &[EntryId], next: Next) -> Scenario {
    let mut copy = scenario.clone();
    remove(&mut copy, entries, next);
    copy
}

/// Deletes some entries, the later ones first.
pub fn remove(scenario: &mut Scenario, entries: &[EntryId], next: Next) {
    let mut entries = entries.to_vec();
    entries.sort_unstable();
    for entry in entries.iter().rev() {
        for change in delete(scenario, *entry, next) {
            change.apply(scenario);
        }
    }
}

/// Takes an entry out of its call, whatever its neighbours say then. Whether there is such an entry.
pub fn take(scenario: &mut Scenario, entry: EntryId) -> bool {
    if let Some(entries) = entry.legacy_mut(scenario) {
        entries.remove(entry.index as usize);
        return true;
    }
    let Some(call) = entry.call_mut(scenario) else {
        return false;
    };
    let barriers = call.kind.barriers_mut();
    let Some(barriers) = barriers.filter(|b| (entry.index as usize) < b.len()) else {
        return false;
    };
    barriers.remove(entry.index as usize);
    true
}

/// An edited copy as its text would be written: without the empty groups that deleted entries leave, and without the calls
/// that are empty for that. Commands get other numbers. What is empty in the original stays.
pub fn pruned(mut copy: Scenario, original: &Scenario) -> Scenario {
    let starts = barriers(original).filter(|(_, barrier)| is_empty(barrier));
    let groups: BTreeSet<u32> = starts.map(|(_, barrier)| barrier.span.start).collect();
    let commands = original.commands();
    let calls = commands.filter(|command| is_empty_call(command));
    let calls: BTreeSet<u32> = calls.map(|command| command.span.start).collect();
    let is_left = |barrier: &Barrier| is_empty(barrier) && !groups.contains(&barrier.span.start);
    for list in &mut copy.lists {
        for command in &mut list.commands {
            if let Some(barriers) = command.kind.barriers_mut()
                && barriers.iter().any(is_left)
            {
                *barriers = barriers.iter().filter(|b| !is_left(b)).cloned().collect();
            }
        }
        let stays =
            |command: &Command| !is_empty_call(command) || calls.contains(&command.span.start);
        list.commands.retain(stays);
    }
    copy
}

fn is_empty_call(command: &Command) -> bool {
    match &command.kind {
        CommandKind::Barrier(barriers) => barriers.is_empty(),
        CommandKind::Legacy(barriers) => barriers.is_empty(),
        _ => false,
    }
}
