//! What each barrier costs: the scenario is run again without it. The two halves of a split barrier go together.

use super::front::Prepared;
use super::{Chosen, Options, Registry, Unusable, choose, front, too_long};
use crate::analyze::redundancy::change::{EntryId, is_same_part};
use crate::analyze::{names, stalls};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::id::{BarrierRef, ListId, narrow};
use crate::lower::Lowering;
use crate::scenario::{Barrier, BarrierTarget, Scenario};
use crate::sim;
use crate::time::Ps;
use indexmap::IndexMap;
use rayon::prelude::*;
use smallvec::{SmallVec, smallvec};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a run without one barrier took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhatIfRow {
    /// Line of the entry; of a split barrier, of its first half.
    pub line: u32,
    /// Line of the second half of a split barrier.
    pub end_line: Option<u32>,
    /// Name of the resource; empty for a global barrier.
    pub resource: String,
    /// Time in which nothing ran because of its executions, with every barrier.
    pub exposed: Ps,
    /// What its executions' own waiting and operations take on the critical path, with every barrier; `None` if no path was
    /// recorded.
    pub critical: Option<Ps>,
    /// Makespan without it.
    pub makespan: Ps,
    /// Reads that go wrong without it and did not before, or zero.
    pub more_bad_reads: u64,
}

/// Each barrier of the text, by what it costs: the dearest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhatIf {
    /// Title of the scenario, or its file name.
    pub scenario: String,
    /// Name of the profile.
    pub profile: String,
    /// Name of the lowering.
    pub lowering: String,
    /// Makespan with every barrier.
    pub makespan: Ps,
    /// One row a barrier.
    pub rows: Vec<WhatIfRow>,
}

/// Runs a scenario once with every barrier and once without each. `progress` is told how many of how many runs are done;
/// it may be called from several threads.
///
/// # Errors
/// If a name or setting is unknown, the text is no scenario, or there is no timeline.
pub fn what_if(
    source: &Source,
    registry: &Registry,
    options: &Options,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<WhatIf, Unusable> {
    let prepared = front::runnable(source, options)?;
    let plain = prepared.plain();
    let Chosen {
        profile, lowering, ..
    } = choose(registry, plain, options)?;
    let run = |scenario: &Scenario| {
        let ran = simulate(scenario, &profile, lowering, options);
        ran.ok_or_else(|| too_long(source))
    };
    let Whole {
        makespan,
        bad,
        costs,
    } = whole(&prepared, &profile, lowering, options).ok_or_else(|| too_long(source))?;
    let barriers = barriers(plain);
    let done = AtomicUsize::new(0);
    let rows: Result<Vec<WhatIfRow>, Unusable> = barriers
        .par_iter()
        .map(|entries| {
            let (makespan, bad_without) = run(&without(plain, entries))?;
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, barriers.len());
            let halves = entries.iter().filter_map(|entry| barrier(plain, *entry));
            let starts = halves.clone().map(|barrier| barrier.span.start);
            let of = starts.clone().filter_map(|start| costs.get(&start));
            let cost = of.copied().reduce(Cost::and).unwrap_or_default();
            let mut lines = starts.map(|start| source.line(start));
            let resource = halves.clone().next().and_then(Barrier::resource);
            Ok(WhatIfRow {
                line: lines.next().unwrap_or_default(),
                end_line: lines.next(),
                resource: resource
                    .map_or_else(String::new, |id| plain.resource_name(id).to_string()),
                exposed: cost.exposed,
                critical: cost.critical,
                makespan,
                more_bad_reads: bad_without.saturating_sub(bad),
            })
        })
        .collect();
    let mut rows = rows?;
    rows.sort_by_key(|row| row.makespan);
    let title = plain.title.clone();
    Ok(WhatIf {
        scenario: title.unwrap_or_else(|| source.name.clone()),
        profile: profile.name.clone(),
        lowering: lowering.name().to_owned(),
        makespan,
        rows,
    })
}

/// What a barrier costs in the run with every barrier.
#[derive(Copy, Clone, Default)]
struct Cost {
    exposed: Ps,
    critical: Option<Ps>,
}

impl Cost {
    fn and(self, other: Self) -> Self {
        Self {
            exposed: self.exposed + other.exposed,
            critical: self.critical.zip(other.critical).map(|(a, b)| a + b),
        }
    }
}

/// The run with every barrier.
struct Whole {
    makespan: Ps,
    bad: u64,
    /// By the first byte of the entry's text.
    costs: IndexMap<u32, Cost>,
}

/// `None` if the clock does not reach its end.
fn whole(
    prepared: &Prepared<'_>,
    profile: &Profile,
    lowering: &dyn Lowering,
    options: &Options,
) -> Option<Whole> {
    let timeline = prepared.timeline();
    let program = lowering.lower(&timeline, profile);
    let options = sim::SimOptions {
        eviction: options.eviction,
        spans: false,
        rows: true,
        causes: program.ops <= stalls::CAUSES_MAX,
        eager: false,
    };
    let trace = sim::simulate(&program, profile, &options);
    if trace.is_cut {
        return None;
    }
    let found = stalls::stalls(&program, &trace);
    let mut costs: IndexMap<u32, Cost> = IndexMap::new();
    let place = |barrier| names::entry(&timeline, barrier).map(|entry| entry.span.start);
    for timing in &trace.barriers {
        if let Some(start) = place(timing.barrier) {
            let cost = costs.entry(start).or_default();
            cost.exposed += timing.exposed;
            cost.critical = found.is_some().then_some(Ps::ZERO);
        }
    }
    let frames = found.iter().flat_map(|f| &f.frames);
    for (op, _, time) in stalls::of_barriers(&program, frames) {
        let origin = program.op(op).origin;
        let Some(entry) = origin.entry else { continue };
        let node = origin.node;
        if let Some(start) = place(BarrierRef { node, entry }) {
            let critical = &mut costs.entry(start).or_default().critical;
            *critical = critical.map(|sum| sum + time);
        }
    }
    Some(Whole {
        makespan: trace.makespan,
        bad: trace.observations.len() as u64,
        costs,
    })
}

/// The makespan and the number of wrong reads; `None` if the clock does not reach the end.
fn simulate(
    scenario: &Scenario,
    profile: &Profile,
    lowering: &dyn Lowering,
    options: &Options,
) -> Option<(Ps, u64)> {
    let program = lowering.lower(&Prepared::edited(scenario).timeline(), profile);
    let options = sim::SimOptions {
        eviction: options.eviction,
        ..sim::SimOptions::TOTALS
    };
    let trace = sim::simulate(&program, profile, &options);
    (!trace.is_cut).then_some((trace.makespan, trace.observations.len() as u64))
}

/// Every barrier by its entries: one, or the two halves of a split barrier. A half whose other half is not found is a
/// barrier by itself.
fn barriers(scenario: &Scenario) -> Vec<SmallVec<[EntryId; 2]>> {
    let mut found: Vec<SmallVec<[EntryId; 2]>> = Vec::new();
    // First halves whose second is still to come: their numbers among the barriers.
    let mut open: Vec<usize> = Vec::new();
    let mut ends = Vec::new();
    for (entry, barrier) in entries(scenario) {
        if barrier.sync_before.is_split() {
            let fits = |at: &usize| {
                let begin = found[*at][0];
                begin.list == entry.list && is_half_of(scenario, begin, barrier)
            };
            match open.iter().rposition(fits) {
                Some(begin) => found[open.remove(begin)].push(entry),
                None => ends.push((entry, barrier)),
            }
            continue;
        }
        if barrier.sync_after.is_split() {
            open.push(found.len());
        }
        found.push(smallvec![entry]);
    }
    // What one list begins another may end.
    for (entry, barrier) in ends {
        let fits = |at: &usize| is_half_of(scenario, found[*at][0], barrier);
        match open.iter().position(fits) {
            Some(begin) => found[open.remove(begin)].push(entry),
            None => found.push(smallvec![entry]),
        }
    }
    found
}

/// Whether a second half is on the subresources of a first one.
fn is_half_of(scenario: &Scenario, begin: EntryId, end: &Barrier) -> bool {
    barrier(scenario, begin).is_some_and(|begin| is_same_part(begin, end))
}

/// An entry of a barrier or of a fence barrier.
fn barrier(scenario: &Scenario, entry: EntryId) -> Option<&Barrier> {
    let command = &scenario.lists[entry.list.index()].commands[entry.command as usize];
    command.kind.barriers().get(entry.index as usize)
}

/// Barrier entries in the order of the text.
fn entries(scenario: &Scenario) -> impl Iterator<Item = (EntryId, &Barrier)> {
    let lists = scenario.lists.iter().enumerate();
    let commands = lists.flat_map(|(l, list)| {
        let commands = list.commands.iter().enumerate();
        commands.map(move |(c, command)| (l, c, &command.kind))
    });
    commands.flat_map(|(list, command, kind)| {
        let barriers = kind.barriers();
        let is_real = |b: &Barrier| !matches!(b.target, BarrierTarget::EmptyGroup(_));
        let numbered = barriers.iter().enumerate();
        numbered
            .filter(move |(_, barrier)| is_real(barrier))
            .map(move |(index, barrier)| {
                let entry = EntryId {
                    list: ListId::new(list),
                    command: narrow(command),
                    index: narrow(index),
                };
                (entry, barrier)
            })
    })
}

/// A copy of a scenario without some entries. The other entries of their calls keep their order.
fn without(scenario: &Scenario, entries: &[EntryId]) -> Scenario {
    let mut copy = scenario.clone();
    // From the end, so that what goes does not move what is to go.
    let mut entries = entries.to_vec();
    entries.sort_unstable();
    for entry in entries.iter().rev() {
        let command = &mut copy.lists[entry.list.index()].commands[entry.command as usize];
        // A fence barrier keeps its signal or wait.
        if let Some(barriers) = command.kind.barriers_mut() {
            barriers.remove(entry.index as usize);
        }
    }
    copy
}
