//! Edits of a scenario, as data: the address of a barrier entry, which entries there are, the kinds of change, and what
//! it means to delete an entry (readings R48 and R74).
//!
//! Nothing is judged here: whether a copy with a change made is right, and what it takes, is found out by running it.

mod deletion;

pub use deletion::{Next, delete, pruned, remove, take, ways, without};

use super::{
    Barrier, BarrierTarget, Command, CommandKind, Initial, LegacyBarrier, LegacyKind,
    LegacyTransition, Scenario, Statement, StatementKind, Trivia, Uses,
};
use crate::api::{BarrierType, Layout};
use crate::finding::Span;
use crate::id::{ListId, ResourceId, narrow};
use smallvec::{SmallVec, smallvec};

/// An entry of a barrier call, a fence barrier or a legacy call of the text.
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
    /// The call that the entry is in.
    pub fn call(self, scenario: &Scenario) -> Option<&Command> {
        let list = scenario.lists.get(self.list)?;
        list.commands.get(self.command as usize)
    }

    fn call_mut(self, scenario: &mut Scenario) -> Option<&mut Command> {
        let list = scenario.lists.get_mut(self.list)?;
        list.commands.get_mut(self.command as usize)
    }

    /// The entry itself; `None` if it is a legacy one.
    pub fn of(self, scenario: &Scenario) -> Option<&Barrier> {
        let entries = self.call(scenario)?.kind.barriers();
        entries.get(self.index as usize)
    }

    /// The entry, to be changed.
    pub fn of_mut(self, scenario: &mut Scenario) -> Option<&mut Barrier> {
        let entries = self.call_mut(scenario)?.kind.barriers_mut()?;
        entries.get_mut(self.index as usize)
    }

    /// The entry, if it is a legacy one.
    pub fn legacy(self, scenario: &Scenario) -> Option<&LegacyBarrier> {
        let entries = self.call(scenario)?.kind.legacy();
        entries.get(self.index as usize)
    }

    fn legacy_mut(self, scenario: &mut Scenario) -> Option<&mut Vec<LegacyBarrier>> {
        match &mut self.call_mut(scenario)?.kind {
            CommandKind::Legacy(entries) if (self.index as usize) < entries.len() => Some(entries),
            _ => None,
        }
    }

    /// Where the entry is in the text.
    pub fn span(self, scenario: &Scenario) -> Option<Span> {
        let legacy = self.legacy(scenario).map(|entry| entry.span);
        self.of(scenario).map(|entry| entry.span).or(legacy)
    }

    /// What a legacy transition says.
    fn transition(self, scenario: &Scenario) -> Option<&LegacyTransition> {
        self.legacy(scenario)?.kind.as_transition()
    }

    /// The resource of the entry; `None` if it is about all memory, or about two resources.
    pub fn resource(self, scenario: &Scenario) -> Option<ResourceId> {
        match self.legacy(scenario).map(|entry| &entry.kind) {
            Some(LegacyKind::Transition(it)) => Some(it.resource),
            Some(LegacyKind::Uav(resource)) => *resource,
            Some(LegacyKind::Alias(_, after)) => *after,
            None => self.of(scenario).and_then(Barrier::resource),
        }
    }
}

/// Every entry in order of the text, empty groups included.
pub fn entries(scenario: &Scenario) -> impl Iterator<Item = EntryId> + '_ {
    let lists = scenario.lists.ids();
    lists.flat_map(|list| entries_from(scenario, list, 0, 0))
}

/// The entries that are no legacy ones.
pub fn barriers(scenario: &Scenario) -> impl Iterator<Item = (EntryId, &Barrier)> {
    entries(scenario).filter_map(|entry| Some((entry, entry.of(scenario)?)))
}

/// Entries after an entry in its list, legacy ones left out.
pub fn barriers_after(
    scenario: &Scenario,
    entry: EntryId,
) -> impl Iterator<Item = (EntryId, &Barrier)> {
    after(scenario, entry).filter_map(|entry| Some((entry, entry.of(scenario)?)))
}

fn after(scenario: &Scenario, entry: EntryId) -> impl Iterator<Item = EntryId> + '_ {
    entries_from(scenario, entry.list, entry.command, entry.index + 1)
}

/// Entries of a list from an entry of a call on.
fn entries_from(
    scenario: &Scenario,
    list: ListId,
    command: u32,
    index: u32,
) -> impl Iterator<Item = EntryId> + '_ {
    let commands = scenario.lists[list].commands.iter().enumerate();
    commands.skip(command as usize).flat_map(move |(at, call)| {
        let count = narrow(call.kind.barriers().len() + call.kind.legacy().len());
        let command_here = narrow(at);
        let first = if command_here == command { index } else { 0 };
        (first..count).map(move |index| EntryId {
            list,
            command: command_here,
            index,
        })
    })
}

/// A barrier of the text: one entry, or the two halves of a split barrier.
pub type Whole = SmallVec<[EntryId; 2]>;

/// Every barrier of the text in order, empty groups left out. A half whose other half is not found is a barrier by itself.
pub fn wholes(scenario: &Scenario) -> Vec<Whole> {
    let mut found: Vec<Whole> = Vec::new();
    // First halves whose second is still to come: their numbers among the barriers.
    let mut open: Vec<usize> = Vec::new();
    let mut ends = Vec::new();
    for entry in entries(scenario) {
        let (is_begin, is_end) = halves(scenario, entry);
        if is_end {
            let fits = |at: &usize| {
                let begin = found[*at][0];
                begin.list == entry.list && are_on_same_part(scenario, begin, entry)
            };
            match open.iter().rposition(fits) {
                Some(begin) => found[open.remove(begin)].push(entry),
                None => ends.push(entry),
            }
            continue;
        }
        if entry.of(scenario).is_some_and(is_empty) {
            continue;
        }
        if is_begin {
            open.push(found.len());
        }
        found.push(smallvec![entry]);
    }
    // What one list begins another may end.
    for entry in ends {
        let fits = |at: &usize| are_on_same_part(scenario, found[*at][0], entry);
        match open.iter().position(fits) {
            Some(begin) => found[open.remove(begin)].push(entry),
            None => found.push(smallvec![entry]),
        }
    }
    found
}

/// Whether an entry is the first, and whether it is the second half of a split barrier.
fn halves(scenario: &Scenario, entry: EntryId) -> (bool, bool) {
    use super::LegacySplit::{Begin, End};
    if let Some(it) = entry.transition(scenario) {
        return (it.split == Some(Begin), it.split == Some(End));
    }
    entry.of(scenario).map_or((false, false), |barrier| {
        let is_end = barrier.sync_before.is_split();
        (!is_end && barrier.sync_after.is_split(), is_end)
    })
}

fn are_on_same_part(scenario: &Scenario, one: EntryId, two: EntryId) -> bool {
    match (one.of(scenario), two.of(scenario)) {
        (Some(one), Some(two)) => is_same_part(one, two),
        (None, None) => match (one.transition(scenario), two.transition(scenario)) {
            (Some(one), Some(two)) => one.resource == two.resource && one.range == two.range,
            _ => false,
        },
        _ => false,
    }
}

/// Whether an entry is a group without barriers.
fn is_empty(barrier: &Barrier) -> bool {
    matches!(barrier.target, BarrierTarget::EmptyGroup(_))
}

/// One change.
#[derive(Clone, Debug)]
pub enum Change {
    /// Another barrier in an entry's place.
    Set(EntryId, Barrier),
    /// Another legacy barrier in an entry's place.
    SetLegacy(EntryId, LegacyBarrier),
    /// No barrier in an entry's place. An empty group stays, so that nodes and entries keep their numbers; of a legacy
    /// call, later entries get other numbers.
    Clear(EntryId),
    /// Entries at the end of a call.
    Append(ListId, u32, Vec<Barrier>),
    /// A new call before a command. Later commands get other numbers: of several new calls, name the last first.
    Insert(ListId, u32, Vec<Barrier>),
    /// Another layout at creation.
    Initial(ResourceId, Layout),
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
            Self::SetLegacy(entry, barrier) => {
                if let Some(entries) = entry.legacy_mut(scenario) {
                    entries[entry.index as usize].clone_from(barrier);
                }
            }
            Self::Clear(entry) => {
                if let Some(entries) = entry.legacy_mut(scenario) {
                    entries.remove(entry.index as usize);
                } else if let Some(slot) = entry.of_mut(scenario) {
                    slot.target = BarrierTarget::EmptyGroup(BarrierType::Global);
                }
            }
            Self::Append(list, command, more) => {
                let call = &mut scenario.lists[*list].commands[*command as usize].kind;
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
                let commands = &mut scenario.lists[*list].commands;
                commands.insert(*at as usize, command);
            }
            Self::Initial(resource, layout) => {
                scenario.resources[*resource].initial = Initial::Layout(*layout);
            }
            Self::ClearStatement(path) => {
                if let Some(timeline) = &mut scenario.timeline {
                    clear(&mut timeline.statements, path);
                }
            }
        }
    }

    /// Whether nodes keep their numbers.
    pub fn keeps_numbers(&self) -> bool {
        matches!(
            self,
            Self::Set(..) | Self::SetLegacy(..) | Self::Clear(_) | Self::Initial(..)
        )
    }

    /// The entry that is changed where it is.
    pub fn entry(&self) -> Option<EntryId> {
        match self {
            Self::Set(entry, _) | Self::SetLegacy(entry, _) | Self::Clear(entry) => Some(*entry),
            _ => None,
        }
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

/// Replaces `LayoutBefore`.
pub fn set_layout_before(barrier: &mut Barrier, layout: Layout) {
    if let Some(entry) = barrier.as_texture_mut() {
        entry.layout_before = layout;
    }
}

/// Replaces `LayoutAfter`.
pub fn set_layout_after(barrier: &mut Barrier, layout: Layout) {
    if let Some(entry) = barrier.as_texture_mut() {
        entry.layout_after = layout;
    }
}

/// Whether an entry is one half of a split barrier.
pub fn is_split(barrier: &Barrier) -> bool {
    barrier.sync_before.is_split() || barrier.sync_after.is_split()
}

/// Whether two entries apply to the same part of the same resource.
pub fn is_same_part(one: &Barrier, two: &Barrier) -> bool {
    match (&one.target, &two.target) {
        (BarrierTarget::Texture(a), BarrierTarget::Texture(b)) => {
            a.resource.is_some() && a.resource == b.resource && a.range == b.range
        }
        (BarrierTarget::Buffer { resource: a, .. }, BarrierTarget::Buffer { resource: b, .. }) => {
            a.is_some() && a == b
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;
    use crate::scenario;

    fn parse(text: &str) -> Scenario {
        let (scenario, findings) = scenario::parse(&Source::new("test", text));
        assert!(findings.is_empty(), "{findings:?}");
        scenario
    }

    const CHAIN: &str = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
list l : direct {
  barrier { texture t { sync DRAW -> DRAW; access COMMON -> COMMON; layout RENDER_TARGET -> SHADER_RESOURCE } }
  barrier { texture t { sync DRAW -> COPY; access COMMON -> COMMON; layout SHADER_RESOURCE -> COPY_SOURCE } }
  barrier { texture t { sync COPY -> DRAW; access COMMON -> COMMON; layout COPY_SOURCE -> RENDER_TARGET } }
}
";

    fn layouts(scenario: &Scenario) -> Vec<(Layout, Layout)> {
        let real = barriers(scenario).filter(|(_, barrier)| !is_empty(barrier));
        real.filter_map(|(_, barrier)| barrier.layouts()).collect()
    }

    #[test]
    fn deleting_relinks_the_next_barrier() {
        let scenario = parse(CHAIN);
        let all: Vec<EntryId> = entries(&scenario).collect();
        assert_eq!(all.len(), 3);
        let one = without(&scenario, &all[1..2], Next::Relinked);
        assert_eq!(
            layouts(&one),
            [
                (Layout::RenderTarget, Layout::ShaderResource),
                (Layout::ShaderResource, Layout::RenderTarget)
            ]
        );
        // Both orders of deleting two neighbours lead to the same text.
        let two = without(&scenario, &all[..2], Next::Relinked);
        assert_eq!(
            layouts(&two),
            [(Layout::RenderTarget, Layout::RenderTarget)]
        );
    }

    #[test]
    fn deleting_a_transition_relinks_the_next_transition() {
        let scenario = parse(
            "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
queue q : direct
list l : direct {
  legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE; uav *; transition t PIXEL_SHADER_RESOURCE -> COPY_SOURCE }
}
",
        );
        let first = entries(&scenario).next().expect("three entries");
        let copy = without(&scenario, &[first], Next::Relinked);
        let printed = scenario::print(&copy);
        assert!(
            printed.contains("transition t RENDER_TARGET -> COPY_SOURCE"),
            "{printed}"
        );
        assert_eq!(entries(&copy).count(), 2);
    }

    #[test]
    fn halves_of_split_barriers_are_one_barrier() {
        let scenario = parse(
            "buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  barrier { buffer b { sync DRAW -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  barrier { buffer b { sync DRAW -> DRAW; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }
  barrier { buffer b { sync SPLIT -> DRAW; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
}
",
        );
        let sizes: Vec<usize> = wholes(&scenario).iter().map(SmallVec::len).collect();
        assert_eq!(sizes, [2, 1]);
    }
}
