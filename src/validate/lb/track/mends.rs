//! What legacy transitions should have said as `StateBefore` (reading R72): each entry acts as if it had.
//!
//! A list is one text however often it executes, so an entry comes from what is known at its first execution. Where another
//! execution finds another state, the entry waits for the work of that state as well, and its accesses count as named: at the
//! executions at which its word is right, no work on the resource is unfinished in the other state. The two halves of a split
//! transition are mended together or not at all.

use crate::api::ResourceState;
use crate::id::ListId;
use crate::legacy::AlsoFrom;
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

/// What the executions of one entry find before it.
struct Found {
    /// The first.
    first: Befores,
    /// The states of later ones that find anything else.
    others: Option<ResourceState>,
    /// Some execution finds what the entry says.
    is_right_once: bool,
}

/// What runs in place of a scenario with wrong states.
#[derive(Default)]
pub(in crate::validate) struct Mended {
    /// The scenario with other words; `None` if no entry changes.
    pub(in crate::validate) copy: Option<Scenario>,
    /// Entries that come from further states at some of their executions.
    pub(in crate::validate) also: Vec<AlsoFrom>,
}

/// What the entries that execute should have said.
#[derive(Default)]
pub(super) struct Mends {
    /// Of transitions and first halves.
    befores: IndexMap<Place, Found>,
    /// First halves of second halves; `None` if there is none, or if executions disagree.
    ends: IndexMap<Place, Option<Place>>,
}

impl Mends {
    /// An execution of a transition or first half finds these states before it. `is_right`: they are what it says.
    pub(super) fn says(
        &mut self,
        place: Place,
        states: impl Iterator<Item = (u32, u32, ResourceState)>,
        is_right: bool,
    ) {
        let mut now = Befores::new();
        for (first, end, state) in states {
            match now.last_mut() {
                Some(last) if last.1 == first && last.2 == state => last.1 = end,
                _ => now.push((first, end, state)),
            }
        }
        let found = self.befores.entry(place).or_insert_with(|| Found {
            first: now.clone(),
            others: None,
            is_right_once: false,
        });
        found.is_right_once |= is_right;
        if found.first != now {
            let states = now.iter().map(|(.., state)| *state);
            found.others = found.others.into_iter().chain(states).reduce(either);
        }
    }

    /// Whether some execution finds what the entry says.
    pub(super) fn is_right_once(&self, place: Place) -> bool {
        self.befores
            .get(&place)
            .is_some_and(|found| found.is_right_once)
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
        let found = self.befores.get(&place)?;
        let (.., first) = found.first.first()?;
        let is_one = found.first.iter().all(|(.., state)| state == first);
        (is_one && found.others.is_none()).then_some(*first)
    }

    /// What runs in place of the scenario.
    pub(super) fn made_in(self, scenario: &Scenario) -> Mended {
        let mut changed: IndexMap<Place, Vec<LegacyBarrier>> = IndexMap::new();
        let mut also = Vec::new();
        for (place, found) in &self.befores {
            let Some(old) = entry(scenario, *place) else {
                continue;
            };
            let seconds: Vec<Place> = self.seconds_of(*place).collect();
            if is_half(old) && seconds.is_empty() {
                continue;
            }
            // A second half may say what the first one should have said.
            for place in [*place].into_iter().chain(seconds) {
                let Some(old) = entry(scenario, place) else {
                    continue;
                };
                changed.extend(with(old, &found.first).map(|new| (place, new)));
                also.extend(found.others.map(|state| AlsoFrom {
                    list: place.list,
                    command: place.command,
                    entry: old.span,
                    state,
                }));
            }
        }
        let copy = (!changed.is_empty()).then(|| {
            let mut copy = scenario.clone();
            // From the back, so that indices stay what they are.
            changed.sort_unstable_by(|a, _, b, _| b.entry.cmp(&a.entry));
            for (place, new) in changed {
                let command = &mut copy.lists[place.list].commands[place.command];
                if let CommandKind::Legacy(entries) = &mut command.kind {
                    entries.splice(place.entry..=place.entry, new);
                }
            }
            copy
        });
        Mended { copy, also }
    }

    /// The second halves that end a first half, each time that they execute.
    fn seconds_of(&self, first: Place) -> impl Iterator<Item = Place> {
        let of = self.ends.iter();
        of.filter(move |(_, begun)| **begun == Some(first))
            .map(|(place, _)| *place)
    }
}

/// What covers two states: `COMMON` covers all.
fn either(a: ResourceState, b: ResourceState) -> ResourceState {
    if a.is_empty() || b.is_empty() {
        ResourceState::empty()
    } else {
        a | b
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
