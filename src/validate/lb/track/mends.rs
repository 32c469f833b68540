//! What legacy transitions should have said as `StateBefore` (reading R72): each entry acts as if it had.
//!
//! An entry that executes several times is mended only if it should say the same each time; the two halves of a split
//! transition are mended together or not at all.

use crate::api::ResourceState;
use crate::id::ListId;
use crate::scenario::{CommandKind, LegacyBarrier, LegacyKind, Range, Scenario};
use indexmap::IndexMap;
use smallvec::SmallVec;

/// Where an entry is written.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Place {
    list: ListId,
    command: usize,
    /// Its index in the call.
    pub(super) entry: usize,
}

impl Place {
    /// The first entry of a command.
    pub(super) fn command(list: ListId, command: usize) -> Self {
        Self {
            list,
            command,
            entry: 0,
        }
    }
}

/// The states that runs of subresources are in before an entry: `(first, end, state)`, adjacent ones differ.
type Befores = SmallVec<[(u32, u32, ResourceState); 1]>;

/// What the entries that execute should have said.
#[derive(Default)]
pub(super) struct Mends {
    /// Of transitions and first halves; `None` if executions disagree.
    befores: IndexMap<Place, Option<Befores>>,
    /// First halves of second halves; `None` if there is none, or if executions disagree.
    ends: IndexMap<Place, Option<Place>>,
}

impl Mends {
    /// An execution of a transition or first half finds these states before it.
    pub(super) fn says(
        &mut self,
        place: Place,
        states: impl Iterator<Item = (u32, u32, ResourceState)>,
    ) {
        let mut now = Befores::new();
        for (first, end, state) in states {
            match now.last_mut() {
                Some(last) if last.1 == first && last.2 == state => last.1 = end,
                _ => now.push((first, end, state)),
            }
        }
        let known = self
            .befores
            .entry(place)
            .or_insert_with(|| Some(now.clone()));
        if known.as_ref() != Some(&now) {
            *known = None;
        }
    }

    /// An execution of a second half ends this first half.
    pub(super) fn ends(&mut self, place: Place, first: Option<Place>) {
        let known = self.ends.entry(place).or_insert(first);
        if *known != first {
            *known = None;
        }
    }

    /// The one state that all of an entry is in before it, each time that it has executed.
    pub(super) fn known_before(&self, place: Place) -> Option<ResourceState> {
        let befores = self.befores.get(&place)?.as_ref()?;
        let (.., first) = befores.first()?;
        let is_one = befores.iter().all(|(.., state)| state == first);
        is_one.then_some(*first)
    }

    /// A copy of the scenario that says so; `None` if no entry changes.
    pub(super) fn made_in(self, scenario: &Scenario) -> Option<Scenario> {
        let mut changed: IndexMap<Place, Vec<LegacyBarrier>> = IndexMap::new();
        for (place, befores) in &self.befores {
            let (Some(old), Some(befores)) = (entry(scenario, *place), befores) else {
                continue;
            };
            let seconds: Vec<Place> = self.seconds_of(*place).collect();
            let Some(new) = with(old, befores) else {
                continue;
            };
            if is_half(old) && seconds.is_empty() {
                continue;
            }
            changed.insert(*place, new);
            // A second half may say what the first one should have said.
            changed.extend(seconds.into_iter().filter_map(|second| {
                let mended = with(entry(scenario, second)?, befores)?;
                Some((second, mended))
            }));
        }
        if changed.is_empty() {
            return None;
        }
        let mut copy = scenario.clone();
        // From the back, so that indices stay what they are.
        changed.sort_unstable_by(|a, _, b, _| b.entry.cmp(&a.entry));
        for (place, new) in changed {
            let command = &mut copy.lists[place.list].commands[place.command];
            if let CommandKind::Legacy(entries) = &mut command.kind {
                entries.splice(place.entry..=place.entry, new);
            }
        }
        Some(copy)
    }

    /// The second halves that end a first half, each time that they execute.
    fn seconds_of(&self, first: Place) -> impl Iterator<Item = Place> {
        let of = self.ends.iter();
        of.filter(move |(_, begun)| **begun == Some(first))
            .map(|(place, _)| *place)
    }
}

fn entry(scenario: &Scenario, place: Place) -> Option<&LegacyBarrier> {
    let command = scenario.lists[place.list].commands.get(place.command)?;
    match &command.kind {
        CommandKind::Legacy(entries) => entries.get(place.entry),
        _ => None,
    }
}

fn is_half(entry: &LegacyBarrier) -> bool {
    matches!(entry.kind, LegacyKind::Transition { split: Some(_), .. })
}

/// A transition with other states before: as one entry if they are one, else one for each subresource. `None` if it
/// says so already.
fn with(old: &LegacyBarrier, befores: &Befores) -> Option<Vec<LegacyBarrier>> {
    let LegacyKind::Transition { before: said, .. } = &old.kind else {
        return None;
    };
    if befores.iter().all(|(.., state)| state == said) {
        return None;
    }
    let known = |state: ResourceState, part: Option<u32>| {
        let mut new = old.clone();
        if let LegacyKind::Transition { before, range, .. } = &mut new.kind {
            *before = state;
            if let Some(index) = part {
                *range = Range::Subresource(index);
            }
        }
        new
    };
    if befores.iter().all(|(.., state)| *state == befores[0].2) {
        return Some(vec![known(befores[0].2, None)]);
    }
    let each = befores.iter().flat_map(|(first, end, state)| {
        let parts = *first..*end;
        parts.map(|index| known(*state, Some(index)))
    });
    Some(each.collect())
}
