//! Fewer entries: parts of one texture that change alike are one range, and entries that only wait and make visible in the
//! same way are one global barrier. Each is tried, because a wider entry waits for more.

use super::Machines;
use super::improve::Score;
use super::{needed, proof};
use crate::api::{BarrierAccess, BarrierSync, Layout};
use crate::id::{ListId, ResourceId};
use crate::scenario::edit::{self, Next};
use crate::scenario::geometry::{self, SubresourceBox};
use crate::scenario::{Barrier, BarrierRange, CommandKind, Entries, Range, Scenario};
use indexmap::IndexMap;

/// Rounds of taking away and joining: a joined entry may stand for another one.
const ROUNDS_MAX: usize = 3;

/// Takes away what is not needed and joins entries of each call, as long as no machine takes longer and the text stays right.
pub(super) fn joined(scenario: Scenario, machines: &Machines<'_>) -> Scenario {
    let mut joining = Joining {
        score: Score::of(&scenario, machines),
        mistakes: mistakes(&scenario, machines),
        scenario,
        machines,
    };
    for _ in 0..ROUNDS_MAX {
        joining.take_away();
        if !joining.join() {
            break;
        }
    }
    joining.scenario
}

/// A scenario that gets fewer entries.
struct Joining<'a> {
    scenario: Scenario,
    score: Score,
    /// How wrong it may be.
    mistakes: usize,
    machines: &'a Machines<'a>,
}

impl Joining<'_> {
    fn is_right(&self, copy: &Scenario) -> bool {
        mistakes(copy, self.machines) <= self.mistakes
    }

    /// Once more without each barrier, and without each bit: what another one does in passing is not seen by a rule that looks
    /// at one at a time. What is not needed goes even if that gains nothing, but not if it takes longer than what the text had.
    fn take_away(&mut self) {
        let mut at = 0;
        while let Some(whole) = edit::wholes(&self.scenario).get(at) {
            at += 1;
            let mut calls = whole.iter().filter_map(|entry| entry.call(&self.scenario));
            if !calls.all(|call| matches!(call.kind, CommandKind::Barrier(_))) {
                continue;
            }
            let copy = edit::without(&self.scenario, whole, Next::Relinked);
            let mut less = vec![edit::pruned(copy, &self.scenario)];
            let bits = needed::bits(&self.scenario, whole).into_iter();
            less.extend(bits.map(|(_, copy)| copy));
            let found = less.into_iter().find_map(|copy| {
                let worth = self
                    .is_right(&copy)
                    .then(|| Score::of(&copy, self.machines))?;
                worth.is_as_fast_as(self.score).then_some((worth, copy))
            });
            if let Some(found) = found {
                (self.score, self.scenario) = found;
                at -= 1;
            }
        }
    }

    /// Whether anything was joined.
    fn join(&mut self) -> bool {
        let mut is_changed = false;
        let lists: Vec<ListId> = self.scenario.lists.ids().collect();
        for list in lists {
            for at in 0..self.scenario.lists[list].commands.len() {
                for join in [one_range, one_global] {
                    let kind = &self.scenario.lists[list].commands[at].kind;
                    let CommandKind::Barrier(entries) = kind else {
                        break;
                    };
                    let Some(fewer) = join(&self.scenario, entries) else {
                        continue;
                    };
                    let mut copy = self.scenario.clone();
                    copy.lists[list].commands[at].kind = CommandKind::Barrier(fewer);
                    let better = Score::of(&copy, self.machines);
                    if better < self.score && self.is_right(&copy) {
                        (self.score, self.scenario) = (better, copy);
                        is_changed = true;
                    }
                }
            }
        }
        is_changed
    }
}

fn mistakes(copy: &Scenario, machines: &Machines<'_>) -> usize {
    proof::weight(copy, machines.options.rules)
}

/// What entries on one resource have in common that may be one; layouts only of a texture.
type Alike = (ResourceId, Option<(Layout, Layout)>, bool, [bool; 2]);

fn one_range(scenario: &Scenario, entries: &Entries) -> Option<Entries> {
    let mut groups: IndexMap<Alike, Vec<usize>> = IndexMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let Some(resource) = entry.resource() else {
            continue;
        };
        let discards = entry.discards();
        let halves = [entry.sync_before.is_split(), entry.sync_after.is_split()];
        let alike = (resource, entry.layouts(), discards, halves);
        groups.entry(alike).or_default().push(at);
    }
    let mut fewer = entries.clone();
    let mut gone = Vec::new();
    for ((resource, ..), group) in groups.iter().filter(|(_, group)| group.len() > 1) {
        let range = union(scenario, *resource, group.iter().map(|at| &entries[*at]));
        if range.is_none() && !scenario.resource(*resource).is_buffer() {
            continue;
        }
        let (first, rest) = group.split_first()?;
        for at in rest {
            let other = entries[*at].clone();
            widen(&mut fewer[*first], &other);
            gone.push(*at);
        }
        if let (Some(all), Some(range)) = (fewer[*first].as_texture_mut(), range) {
            all.range = BarrierRange::Range(range);
        }
    }
    without(fewer, &gone)
}

/// The subresources of some entries as one range.
fn union<'e>(
    scenario: &Scenario,
    resource: ResourceId,
    entries: impl Iterator<Item = &'e Barrier>,
) -> Option<Range> {
    let shape = scenario.resource(resource).texture()?;
    let boxes: Vec<SubresourceBox> = entries
        .map(|entry| geometry::part_of_barrier(scenario, entry))
        .collect::<Option<_>>()?;
    let mut runs: Vec<(u32, u32)> = boxes.iter().flat_map(|sub| sub.index_runs(shape)).collect();
    runs.sort_unstable();
    let overlap = runs.windows(2).any(|pair| pair[0].1 > pair[1].0);
    let sub = geometry::box_of_runs(shape, &runs).filter(|_| !overlap)?;
    Some(geometry::range_of_box(shape, &sub))
}

/// Adds what another entry waits for and makes visible.
fn widen(entry: &mut Barrier, other: &Barrier) {
    let access = |one: BarrierAccess, two: BarrierAccess| {
        let nothing = BarrierAccess::NO_ACCESS;
        match (one == nothing, two == nothing) {
            (true, _) => two,
            (_, true) => one,
            _ => one | two,
        }
    };
    let sync = |one: BarrierSync, two: BarrierSync| one | two;
    entry.sync_before = sync(entry.sync_before, other.sync_before);
    entry.sync_after = sync(entry.sync_after, other.sync_after);
    entry.access_before = access(entry.access_before, other.access_before);
    entry.access_after = access(entry.access_after, other.access_after);
}

fn one_global(_: &Scenario, entries: &Entries) -> Option<Entries> {
    let is_plain = |entry: &Barrier| {
        let changes = entry.layouts().is_some_and(|(from, to)| from != to);
        let is_half = entry.sync_before.is_split() || entry.sync_after.is_split();
        let gives_up = entry.access_before.is_no_access() || entry.access_after.is_no_access();
        let waits = !entry.sync_before.is_empty() && !entry.sync_after.is_empty();
        entry.resource().is_some() && waits && !(changes || is_half || gives_up)
    };
    let says = |entry: &Barrier| {
        let sync = (entry.sync_before, entry.sync_after);
        (sync, (entry.access_before, entry.access_after))
    };
    let mut groups: IndexMap<_, Vec<usize>> = IndexMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|it| is_plain(it.1)) {
        groups.entry(says(entry)).or_default().push(at);
    }
    let mut fewer = entries.clone();
    let mut gone = Vec::new();
    for ((sync, access), group) in groups.iter().filter(|(_, group)| group.len() > 1) {
        let (first, rest) = group.split_first()?;
        fewer[*first] = Barrier::global()
            .sync(sync.0, sync.1)
            .access(access.0, access.1);
        gone.extend(rest);
    }
    without(fewer, &gone)
}

/// Entries without some of them; `None` if none goes.
fn without(entries: Entries, gone: &[usize]) -> Option<Entries> {
    let kept = entries.into_iter().enumerate();
    let kept = kept.filter(|(at, _)| !gone.contains(at));
    (!gone.is_empty()).then(|| kept.map(|(_, entry)| entry).collect())
}
