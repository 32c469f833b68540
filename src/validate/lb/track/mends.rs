//! What legacy transitions should have said as `StateBefore` (reading R72): each entry acts as if it had.
//!
//! A list is one text however often it executes. An entry that finds the same at each of its executions has that in its text; of
//! one that does not, the executions that find anything else than it says act otherwise. So do those of a right entry to whose
//! state promotion brings the texture at one time and a transition at another: the layout before is `COMMON` at one of them.
//! The two halves of a split transition are mended together or not at all. A UAV barrier names a layout where its texture is in
//! that of unordered accesses, so that it too acts otherwise where an execution finds its texture elsewhere than the first one.

use super::entries::Transition;
use super::known::{Known, State};
use super::refused::{Acts, Parts};
use super::{Met, Tracker};
use crate::api::{Layout, QueueType, ResourceState};
use crate::finding::Span;
use crate::id::{ListId, NodeId, ResourceId, narrow};
use crate::legacy::{ActsOtherwise, Before, states};
use crate::scenario::{CommandKind, LegacyBarrier, LegacySplit, Range, Scenario, geometry};
use indexmap::{IndexMap, IndexSet};
use smallvec::SmallVec;

/// Where an entry is written.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
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

    /// Index of the command in its list.
    pub(super) fn command_index(self) -> usize {
        self.command
    }
}

/// What runs of subresources are in before an entry; adjacent ones differ.
type Befores = SmallVec<[Before; 1]>;

/// What an execution of an entry finds.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Finds {
    node: NodeId,
    /// Index into what executions find.
    befores: u32,
    /// That is not what the entry says.
    is_wrong: bool,
}

/// The executions of one entry.
#[derive(Default)]
struct Executions {
    count: u32,
    /// Those that are mended, and those to which promotion may bring the state that the entry says.
    found: Vec<Finds>,
    /// Some execution finds what the entry says.
    is_right_once: bool,
    /// What the entry acts as if it is refused, and at how many of them it does.
    acts: (Acts, u32),
}

impl Executions {
    /// What each of them finds, if that is the same.
    fn same(&self) -> Option<Finds> {
        let first = *self.found.first()?;
        let is_same = self.found.iter().all(|it| it.befores == first.befores);
        (is_same && self.is_complete()).then_some(first)
    }

    /// What each of them acts as; as it is written if they differ.
    fn acts(&self) -> Acts {
        let (acts, count) = self.acts;
        if count == self.count {
            acts
        } else {
            Acts::AsWritten
        }
    }

    fn is_complete(&self) -> bool {
        self.found.len() == self.count as usize
    }

    /// Those that find anything else than the text stands for. The text is translated for the first execution, and stands for what
    /// that one finds if the entry is right there.
    fn others(&self) -> impl Iterator<Item = &Finds> {
        let first = self.found.iter().min_by_key(|it| it.node);
        let usual = first
            .filter(|it| !it.is_wrong && self.is_complete())
            .map(|it| it.befores);
        self.found
            .iter()
            .filter(move |it| Some(it.befores) != usual)
    }
}

/// What runs in place of a scenario with wrong states.
#[derive(Default)]
pub(in crate::validate) struct Mended {
    /// The scenario with other words; `None` if no entry changes.
    pub(in crate::validate) copy: Option<Scenario>,
    /// Calls with entries that find other states at some of their executions.
    pub(in crate::validate) otherwise: Vec<ActsOtherwise>,
}

/// What the entries that execute should have said.
#[derive(Default)]
pub(super) struct Mends {
    befores: IndexSet<Befores>,
    entries: IndexMap<Place, Executions>,
    /// First halves with the second halves that end them.
    pairs: IndexSet<(Place, Place)>,
    /// What transitions act as in parts.
    apart: IndexSet<Parts>,
}

impl Mends {
    /// A transition or a half executes. `is_right`: it finds what it says.
    pub(super) fn executes(&mut self, place: Place, is_right: bool) {
        let entry = self.entries.entry(place).or_default();
        entry.count += 1;
        entry.is_right_once |= is_right;
    }

    /// As what a transition acts of which each part acts as something else.
    pub(super) fn apart(&mut self, parts: Parts) -> Acts {
        Acts::Apart(narrow(self.apart.insert_full(parts).0))
    }

    /// What a subresource acts as.
    pub(super) fn acts_at(&self, acts: Acts, index: u32) -> Acts {
        let Acts::Apart(parts) = acts else {
            return acts;
        };
        let mut parts = self.apart[parts as usize].iter();
        let own = parts.find(|(first, end, _)| (*first..*end).contains(&index));
        own.map_or(Acts::AsWritten, |(.., acts)| *acts)
    }

    /// Cuts runs of subresources, so that each acts as one thing.
    pub(super) fn cut(&self, met: Met, acts: Acts) -> Met {
        let Acts::Apart(parts) = acts else {
            return met;
        };
        let parts = &self.apart[parts as usize];
        let pieces = met.into_iter().flat_map(|(first, end, known)| {
            let own = parts
                .iter()
                .map(move |part| (first.max(part.0), end.min(part.1)));
            own.filter(|(first, end)| first < end)
                .map(move |(first, end)| (first, end, known))
        });
        pieces.collect()
    }

    /// What an execution of a refused entry acts as. Counts what the first one does.
    pub(super) fn acts(&mut self, place: Place, acts: Acts) {
        let entry = self.entries.entry(place).or_default();
        if entry.acts.1 == 0 {
            entry.acts.0 = acts;
        }
        entry.acts.1 += u32::from(entry.acts.0 == acts);
    }

    /// What the first execution of an entry acts as: so does one after which nothing comes.
    pub(super) fn known_acts(&self, place: Place) -> Acts {
        self.entries
            .get(&place)
            .map_or(Acts::AsWritten, |known| known.acts.0)
    }

    /// What an execution finds. `is_wrong`: the entry does not say it.
    pub(super) fn finds(
        &mut self,
        node: NodeId,
        befores: impl Iterator<Item = Before>,
        is_wrong: bool,
    ) -> Finds {
        let mut runs = Befores::new();
        for it in befores {
            match runs.last_mut() {
                Some(last) if last.end == it.first && last.is_like(&it) => last.end = it.end,
                _ => runs.push(it),
            }
        }
        let befores = narrow(self.befores.insert_full(runs).0);
        Finds {
            node,
            befores,
            is_wrong,
        }
    }

    /// An execution of an entry acts as what it finds.
    pub(super) fn mends(&mut self, place: Place, finds: Finds) {
        self.entries.entry(place).or_default().found.push(finds);
    }

    /// So is one of both halves of a pair, the second at this node.
    pub(super) fn mends_both(&mut self, first: (Place, Finds), second: (Place, NodeId)) {
        self.pairs.insert((first.0, second.0));
        self.mends(first.0, first.1);
        let node = second.1;
        self.mends(second.0, Finds { node, ..first.1 });
    }

    /// Whether some execution finds what the entry says.
    pub(super) fn is_right_once(&self, place: Place) -> bool {
        self.entries
            .get(&place)
            .is_some_and(|known| known.is_right_once)
    }

    /// The one state that an execution finds.
    pub(super) fn one_state(&self, finds: Finds) -> Option<ResourceState> {
        let (first, others) = self.befores[finds.befores as usize].split_first()?;
        let is_one = others.iter().all(|other| other.state == first.state);
        is_one.then_some(first.state)
    }

    /// What runs in place of the scenario.
    pub(super) fn made_in(self, scenario: &Scenario) -> Mended {
        let same = self.in_their_text();
        let apart = self.in_pieces(&same);
        let mut changed = Vec::new();
        let mut otherwise: Vec<(NodeId, Place, Span, u32)> = Vec::new();
        for (place, known) in &self.entries {
            let Some(old) = entry(scenario, *place) else {
                continue;
            };
            let acts = known.acts();
            let new = if let Some(finds) = same.get(place) {
                let befores = &self.befores[finds.befores as usize];
                with(old, befores)
            } else {
                let others = known.others();
                otherwise.extend(others.map(|it| (it.node, *place, old.span, it.befores)));
                apart.get(place).map_or_else(
                    || vec![old.clone()],
                    |pieces| each(old, &self.befores[*pieces as usize], |_| said(old)),
                )
            };
            let new = self.leave(scenario, new, acts);
            if new.as_slice() != std::slice::from_ref(old) {
                changed.push((*place, new));
            }
        }
        let copy = (!changed.is_empty()).then(|| {
            let mut copy = scenario.clone();
            // From the back, so that indices stay what they are.
            changed.sort_unstable_by_key(|(place, _)| std::cmp::Reverse(place.entry));
            for (place, new) in changed {
                let command = &mut copy.lists[place.list].commands[place.command];
                if let CommandKind::Legacy(entries) = &mut command.kind {
                    entries.splice(place.entry..=place.entry, new);
                }
            }
            copy
        });
        let otherwise = self.by_call(otherwise);
        Mended { copy, otherwise }
    }

    /// Makes entries leave what they act as: each subresource by itself where that differs.
    fn leave(
        &self,
        scenario: &Scenario,
        mut entries: Vec<LegacyBarrier>,
        acts: Acts,
    ) -> Vec<LegacyBarrier> {
        if matches!(acts, Acts::Apart(_)) {
            let each = entries.iter().flat_map(|it| in_subresources(scenario, it));
            let each = each.map(|(index, mut entry)| {
                leave(&mut entry, self.acts_at(acts, index));
                entry
            });
            return each.collect();
        }
        for entry in &mut entries {
            leave(entry, acts);
        }
        entries
    }

    /// Entries that find the same at each execution, with what that is. Of the halves of a pair either both or none.
    fn in_their_text(&self) -> IndexMap<Place, Finds> {
        let all = self.entries.iter();
        let mut same: IndexMap<Place, Finds> = all
            .filter_map(|(place, known)| Some((*place, known.same()?)))
            .collect();
        let found = |same: &IndexMap<Place, Finds>, place| same.get(place).map(|it| it.befores);
        while let Some((first, second)) = self
            .pairs
            .iter()
            .find(|(first, second)| found(&same, first) != found(&same, second))
        {
            same.swap_remove(first);
            same.swap_remove(second);
        }
        same
    }

    /// Other entries of which some execution finds several states, with what that is: executions act on each subresource by itself,
    /// and all of them have the same entries. So do both halves of a pair.
    fn in_pieces(&self, same: &IndexMap<Place, Finds>) -> IndexMap<Place, u32> {
        let is_several = |finds: &&Finds| {
            let befores = &self.befores[finds.befores as usize];
            befores.iter().any(|it| !it.is_like(&befores[0]))
        };
        let others = self
            .entries
            .iter()
            .filter(|(place, _)| !same.contains_key(*place));
        let mut pieces: IndexMap<Place, u32> = others
            .filter_map(|(place, known)| {
                let several = known.found.iter().find(is_several)?;
                Some((*place, several.befores))
            })
            .collect();
        loop {
            let known = pieces.len();
            for (first, second) in &self.pairs {
                let either = pieces.get(first).or_else(|| pieces.get(second)).copied();
                if let Some(befores) = either {
                    pieces.entry(*first).or_insert(befores);
                    pieces.entry(*second).or_insert(befores);
                }
            }
            if pieces.len() == known {
                return pieces;
            }
        }
    }

    /// Executions of calls, those that find the same together.
    fn by_call(&self, mut all: Vec<(NodeId, Place, Span, u32)>) -> Vec<ActsOtherwise> {
        type Call = (ListId, usize, SmallVec<[(Span, u32); 1]>);
        all.sort_unstable_by_key(|(node, place, ..)| (*node, *place));
        let mut calls: IndexMap<Call, Vec<NodeId>> = IndexMap::new();
        for execution in all.chunk_by(|a, b| a.0 == b.0) {
            let (node, place, ..) = execution[0];
            let entries = execution
                .iter()
                .map(|(.., span, befores)| (*span, *befores));
            let call = (place.list, place.command, entries.collect());
            calls.entry(call).or_default().push(node);
        }
        let calls = calls.into_iter().map(|((list, command, entries), nodes)| {
            let entries = entries
                .into_iter()
                .map(|(span, befores)| (span, self.befores[befores as usize].to_vec()));
            ActsOtherwise {
                list,
                command: narrow(command),
                entries: entries.collect(),
                nodes,
            }
        });
        calls.collect()
    }
}

impl Tracker<'_, '_> {
    /// Notes what the entry should have said as `StateBefore`: also one that is refused for its states, which counts as one
    /// mistake. One on which another rule has a say is left as it is written. Of a right one it notes whether promotion brought
    /// what it says. Returns what a first half finds.
    pub(super) fn note_mend(
        &mut self,
        it: &Transition,
        met: &Met,
        may_change: bool,
        is_right: bool,
    ) -> Option<Finds> {
        self.submission?;
        self.mends.executes(self.place, is_right);
        self.mends.acts(self.place, it.acts);
        if it.split == Some(LegacySplit::End) {
            let first = met.first().and_then(|(.., known)| known.split);
            let first = first.map(|index| self.begins[index as usize])?;
            let finds = first.finds.filter(|_| may_change)?;
            self.mends
                .mends_both((first.place, finds), (self.place, self.node));
            return None;
        }
        let nature = self.nature(it.resource);
        let scope = (self.queue == QueueType::Copy).then_some(self.scope);
        let finds = |(first, end, known): &(u32, u32, Known)| {
            // What comes to a copy queue in a state of its own is wrong before the entry.
            let is_foreign = scope.is_some_and(|scope| known.origin.scope != scope);
            let state = if is_foreign {
                it.before
            } else {
                known.instead_of(it.before, nature)
            };
            Before {
                first: *first,
                end: *end,
                state,
                is_promoted: matches!(known.state, State::Common | State::Promoted { .. }),
            }
        };
        let is_wrong = met.iter().any(|run| finds(run).state != it.before);
        let acts_otherwise = is_wrong || it.acts != Acts::AsWritten;
        let is_noted = may_change && (acts_otherwise || self.may_be_promoted(it, met));
        let found =
            is_noted.then(|| self.mends.finds(self.node, met.iter().map(finds), is_wrong))?;
        if it.split.is_none() {
            self.mends.mends(self.place, found);
        }
        Some(found)
    }

    /// Notes whether a UAV barrier finds its texture in the layout of unordered accesses, which it names only there.
    pub(super) fn note_uav(&mut self, resource: ResourceId, met: &Met) {
        if self.submission.is_none() || self.nature(resource).free {
            return;
        }
        self.mends.executes(self.place, true);
        let is_known = |(.., known): &(u32, u32, Known)| known.state != State::Unknown;
        let (Some(first), Some(last), true) = (met.first(), met.last(), met.iter().all(is_known))
        else {
            return;
        };
        let is_there = |(.., known): &(u32, u32, Known)| match known.state {
            State::Explicit(state) => states::layout(state) == Layout::UnorderedAccess,
            State::Enhanced(layout) => layout == Layout::UnorderedAccess,
            State::Common | State::Promoted { .. } | State::Unknown => false,
        };
        let state = if met.iter().all(is_there) {
            ResourceState::UNORDERED_ACCESS
        } else {
            ResourceState::empty()
        };
        let all = Before {
            first: first.0,
            end: last.1,
            state,
            is_promoted: false,
        };
        let finds = self.mends.finds(self.node, std::iter::once(all), false);
        self.mends.mends(self.place, finds);
    }

    /// Whether promotion can bring what a right entry says, so that it depends on the execution which layout comes before.
    fn may_be_promoted(&self, it: &Transition, met: &Met) -> bool {
        let nature = self.nature(it.resource);
        let before = nature.meant(it.before);
        let is_known = |known: &Known| !matches!(known.state, State::Enhanced(_) | State::Unknown);
        let has_layouts = !nature.free && self.queue != QueueType::Copy;
        has_layouts
            && !before.is_empty()
            && nature.promotable().contains(before)
            && met.iter().all(|(.., known)| is_known(known))
    }
}

fn entry(scenario: &Scenario, place: Place) -> Option<&LegacyBarrier> {
    let command = scenario.lists[place.list].commands.get(place.command)?;
    match &command.kind {
        CommandKind::Legacy(entries) => entries.get(place.entry),
        _ => None,
    }
}

/// What an entry says as `StateBefore`; `COMMON` of one that is no transition.
fn said(entry: &LegacyBarrier) -> ResourceState {
    let transition = entry.kind.as_transition();
    transition.map_or(ResourceState::empty(), |it| it.before)
}

/// A transition with other states before: as one entry if they are one, else one for each subresource.
fn with(old: &LegacyBarrier, befores: &[Before]) -> Vec<LegacyBarrier> {
    if befores.iter().all(|it| it.state == befores[0].state) {
        return vec![from(old, befores[0].state, None)];
    }
    each(old, befores, |it| it.state)
}

/// A transition as one entry for each subresource, from a state of its own.
fn each(
    old: &LegacyBarrier,
    befores: &[Before],
    state: impl Fn(&Before) -> ResourceState,
) -> Vec<LegacyBarrier> {
    let pieces = befores.iter().flat_map(|it| {
        let state = state(it);
        (it.first..it.end).map(move |index| from(old, state, Some(index)))
    });
    pieces.collect()
}

/// Makes a transition leave what it acts as.
fn leave(entry: &mut LegacyBarrier, acts: Acts) {
    if let Some(it) = entry.kind.as_transition_mut() {
        match acts {
            Acts::AsWritten | Acts::Apart(_) => {}
            Acts::Nowhere => it.after = it.before,
            Acts::To(state) | Acts::Like(state) => it.after = state,
            Acts::Ends => it.split = Some(LegacySplit::End),
        }
    }
}

/// A transition as one entry for each of its subresources, with the index of that.
fn in_subresources(scenario: &Scenario, entry: &LegacyBarrier) -> Vec<(u32, LegacyBarrier)> {
    let Some(it) = entry.kind.as_transition() else {
        return Vec::new();
    };
    let shape = scenario.resource(it.resource).texture();
    let runs = shape.map(|shape| {
        let part = geometry::existing_box(shape, &it.range);
        part.map_or_else(|_| Vec::new(), |part| part.index_runs(shape))
    });
    let runs = runs.unwrap_or_else(|| vec![(0, 1)]).into_iter();
    let each = runs.flat_map(|(first, end)| first..end);
    each.map(|index| (index, from(entry, said(entry), Some(index))))
        .collect()
}

/// A transition from another state, on all that it names or on one subresource.
fn from(old: &LegacyBarrier, state: ResourceState, part: Option<u32>) -> LegacyBarrier {
    let mut new = old.clone();
    if let Some(it) = new.kind.as_transition_mut() {
        it.before = state;
        if let Some(index) = part {
            it.range = Range::Subresource(index);
        }
    }
    new
}
