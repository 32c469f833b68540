//! What each barrier costs: the scenario is run again without it.

use super::{Options, Registry, Unusable, choose};
use crate::analyze::{names, stalls};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::id::BarrierRef;
use crate::legacy;
use crate::lower::Lowering;
use crate::order::Timeline;
use crate::preview;
use crate::scenario::{self, BarrierTarget, CommandKind, Scenario};
use crate::sim;
use crate::time::Ps;
use indexmap::IndexMap;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a run without one barrier entry took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhatIfRow {
    /// Line of the entry.
    pub line: u32,
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

/// Each barrier entry of the text, by what it costs: the dearest first.
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
    /// One row an entry.
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
    let entries = entries(&plain);
    let done = AtomicUsize::new(0);
    let mut rows: Vec<WhatIfRow> = entries
        .par_iter()
        .map(|at| {
            let (start, resource, without) = without(&plain, at);
            let line = source.line(start);
            let cost = costs.get(&start).copied().unwrap_or_default();
            let (makespan, bad_without) = run(&without);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, entries.len());
            WhatIfRow {
                line,
                resource,
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

/// Places of the barrier entries: list, command, entry.
fn entries(scenario: &Scenario) -> Vec<(usize, usize, usize)> {
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

/// A copy of a scenario without one entry, with the first byte of the entry's text and its resource. The other entries of its call keep
/// their places.
fn without(scenario: &Scenario, at: &(usize, usize, usize)) -> (u32, String, Scenario) {
    let mut copy = scenario.clone();
    let CommandKind::Barrier(entries) = &mut copy.lists[at.0].commands[at.1].kind else {
        unreachable!("the place is a barrier's");
    };
    let entry = entries.remove(at.2);
    let name = entry
        .resource()
        .map_or_else(String::new, |id| scenario.resource_name(id).to_string());
    (entry.span.start, name, copy)
}
