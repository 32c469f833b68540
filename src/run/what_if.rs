//! What each barrier costs: the scenario is run again without it. The two halves of a split barrier go together.

use super::{Options, Registry, Unusable, choose};
use crate::analyze::redundancy::change::is_same_part;
use crate::analyze::{names, stalls};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::id::BarrierRef;
use crate::legacy;
use crate::lower::Lowering;
use crate::order::Timeline;
use crate::preview;
use crate::scenario::{self, Barrier, BarrierTarget, CommandKind, Scenario};
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
    let (mut scenario, mut findings) = scenario::parse(source);
    let kernels = super::kernels::cost(&mut scenario, options);
    findings.extend(kernels.err().map(|unusable| *unusable));
    if let Some(problem) = findings.iter().find(|f| f.severity.fails()) {
        return Err(Unusable {
            message: format!("`{}`: {}", source.name, problem.message),
            help: "`syncscope check` shows it in its place".into(),
        });
    }
    if scenario.timeline.is_none() {
        return Err(Unusable {
            message: format!("`{}` has no timeline: there is nothing to run", source.name),
            help: "add `timeline { QUEUE execute LIST }`".into(),
        });
    }
    let (profile, lowering) = choose(registry, &scenario, options)?;
    let title = scenario.title.clone();
    let scenario = preview::pair_fence_barriers(scenario);
    let plain = legacy::translate(&scenario);
    let run = |scenario: &Scenario| simulate(scenario, &profile, lowering, options);
    let Whole {
        makespan,
        bad,
        costs,
    } = whole(&plain, &profile, lowering, options);
    let barriers = barriers(&plain);
    let done = AtomicUsize::new(0);
    let mut rows: Vec<WhatIfRow> = barriers
        .par_iter()
        .map(|places| {
            let starts = places.iter().map(|at| entry(&plain, at).span.start);
            let of = starts.clone().filter_map(|start| costs.get(&start));
            let cost = of.copied().reduce(Cost::and).unwrap_or_default();
            let lines: Vec<u32> = starts.map(|start| source.line(start)).collect();
            let resource = entry(&plain, &places[0]).resource();
            let (makespan, bad_without) = run(&without(&plain, places));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, barriers.len());
            WhatIfRow {
                line: lines[0],
                end_line: lines.get(1).copied(),
                resource: resource
                    .map_or_else(String::new, |id| plain.resource_name(id).to_string()),
                exposed: cost.exposed,
                critical: cost.critical,
                makespan,
                more_bad_reads: bad_without.saturating_sub(bad),
            }
        })
        .collect();
    rows.sort_by_key(|row| row.makespan);
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

fn whole(
    scenario: &Scenario,
    profile: &Profile,
    lowering: &dyn Lowering,
    options: &Options,
) -> Whole {
    let timeline = Timeline::new(scenario);
    let program = lowering.lower(&timeline, profile);
    let options = sim::Options {
        eviction: options.eviction,
        spans: false,
        rows: true,
        causes: program.ops <= stalls::CAUSES_MAX,
    };
    let trace = sim::simulate(&program, profile, &options);
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
    Whole {
        makespan: trace.makespan,
        bad: trace.observations.len() as u64,
        costs,
    }
}

fn simulate(
    scenario: &Scenario,
    profile: &Profile,
    lowering: &dyn Lowering,
    options: &Options,
) -> (Ps, u64) {
    let program = lowering.lower(&Timeline::new(scenario), profile);
    let options = sim::Options {
        eviction: options.eviction,
        ..sim::Options::TOTALS
    };
    let trace = sim::simulate(&program, profile, &options);
    (trace.makespan, trace.observations.len() as u64)
}

/// Where a barrier entry stands: list, command, entry.
type Place = (usize, usize, usize);

/// Every barrier by the places of its entries: one, or the two halves of a split barrier. Of halves that have no other
/// each stands alone.
fn barriers(scenario: &Scenario) -> Vec<SmallVec<[Place; 2]>> {
    let mut found: Vec<SmallVec<[Place; 2]>> = Vec::new();
    // First halves whose second is still to come: their numbers among the barriers.
    let mut open: Vec<usize> = Vec::new();
    let mut ends = Vec::new();
    for place in places(scenario) {
        let barrier = entry(scenario, &place);
        if barrier.sync_before.is_split() {
            let same_list = |at: &usize| found[*at][0].0 == place.0;
            let begin = open.iter().rposition(|at| {
                same_list(at) && is_same_part(entry(scenario, &found[*at][0]), barrier)
            });
            match begin {
                Some(begin) => found[open.remove(begin)].push(place),
                None => ends.push(place),
            }
            continue;
        }
        if barrier.sync_after.is_split() {
            open.push(found.len());
        }
        found.push(smallvec![place]);
    }
    // What one list begins another may end.
    for place in ends {
        let barrier = entry(scenario, &place);
        let fits = |at: &usize| is_same_part(entry(scenario, &found[*at][0]), barrier);
        match open.iter().position(fits) {
            Some(begin) => found[open.remove(begin)].push(place),
            None => found.push(smallvec![place]),
        }
    }
    found
}

/// Places of the barrier entries in the order of the text.
fn places(scenario: &Scenario) -> Vec<Place> {
    let mut places = Vec::new();
    for (l, list) in scenario.lists.iter().enumerate() {
        for (c, command) in list.commands.iter().enumerate() {
            if let CommandKind::Barrier(entries) = &command.kind {
                let real = entries
                    .iter()
                    .enumerate()
                    .filter(|(_, e)| !matches!(e.target, BarrierTarget::EmptyGroup(_)));
                places.extend(real.map(|(e, _)| (l, c, e)));
            }
        }
    }
    places
}

fn entry<'s>(scenario: &'s Scenario, at: &Place) -> &'s Barrier {
    match &scenario.lists[at.0].commands[at.1].kind {
        CommandKind::Barrier(entries) => &entries[at.2],
        _ => unreachable!("the place is a barrier's"),
    }
}

/// A copy of a scenario without some entries. The other entries of their calls keep their places.
fn without(scenario: &Scenario, places: &[Place]) -> Scenario {
    let mut copy = scenario.clone();
    // From the end, so that what goes does not move what is to go.
    let mut places = places.to_vec();
    places.sort_unstable();
    for at in places.iter().rev() {
        if let CommandKind::Barrier(entries) = &mut copy.lists[at.0].commands[at.1].kind {
            entries.remove(at.2);
        }
    }
    copy
}
