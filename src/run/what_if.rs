//! What each barrier costs: the scenario is judged and run again without it (reading R74). The two halves of a split
//! barrier go together.

use super::without::trials::{Broken, Runnable, Trials, impossible};
use super::{Options, Registry, Unusable, too_long};
use crate::analyze::{names, stalls};
use crate::finding::Source;
use crate::graph::Evaluation;
use crate::id::BarrierRef;
use crate::order::Timeline;
use crate::parallel::prelude::*;
use crate::pipeline::front;
use crate::pipeline::trial::{Bench, Took};
use crate::scenario::Scenario;
use crate::scenario::edit::{self, Whole};
use crate::sim;
use crate::time::Ps;
use indexmap::IndexMap;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a run without one barrier took.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Part"))]
pub struct WhatIfRow {
    /// Line of its text.
    pub line: u32,
    /// Line of the other half of a split barrier; null for other barriers.
    pub end_line: Option<u32>,
    /// Declared name of the resource; empty for a global barrier.
    pub resource: String,
    /// Time in which nothing ran on any queue because of it.
    #[serde(rename = "exposed_ps")]
    pub exposed: Ps,
    /// What its own waiting and operations take on the critical path; null if no path was recorded.
    #[serde(rename = "critical_ps")]
    pub critical: Option<Ps>,
    /// What the run without it takes.
    #[serde(skip)]
    pub without: Without,
}

/// What a run without a barrier shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Without {
    /// It was run.
    Run {
        /// Makespan without the barrier.
        makespan: Ps,
        /// Reads that go wrong without it and did not before, or zero.
        more_bad_reads: u64,
    },
    /// The text without it breaks rules at other barriers, whose layouts or states no longer fit: it cannot be run.
    Impossible {
        /// The rules, and where.
        broken: Vec<Broken>,
        /// The same in words.
        says: String,
    },
}

impl Without {
    /// Makespan without the barrier, if there can be a run.
    pub fn makespan(&self) -> Option<Ps> {
        match self {
            Self::Run { makespan, .. } => Some(*makespan),
            Self::Impossible { .. } => None,
        }
    }

    /// Reads that go wrong without the barrier and did not before, if there can be a run.
    pub fn more_bad_reads(&self) -> Option<u64> {
        match self {
            Self::Run { more_bad_reads, .. } => Some(*more_bad_reads),
            Self::Impossible { .. } => None,
        }
    }

    /// Rules that other barriers break without it, if there can be no run.
    pub fn breaks(&self) -> &[Broken] {
        match self {
            Self::Run { .. } => &[],
            Self::Impossible { broken, .. } => broken,
        }
    }
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
    let runnable = Runnable::new(source, registry, options)?;
    let written = runnable.prepared.written();
    let timeline = runnable.prepared.timeline();
    let asked = front::needed_and_asked(&timeline);
    let trials = Trials::new(source, &runnable, &timeline, &asked, options);
    let bench = runnable.bench(options);
    let whole = whole(&timeline, &asked, bench).ok_or_else(|| too_long(source))?;
    let wholes = edit::wholes(written);
    let done = AtomicUsize::new(0);
    let rows: Option<Vec<WhatIfRow>> = wholes
        .par_iter()
        .map(|entries| {
            let without = trials.without(entries, |_, timeline| bench.took(timeline));
            // The machine's clock may not reach the end.
            let without = without.map_or_else(|broken| Some(Err(broken)), |took| took.map(Ok))?;
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, wholes.len());
            Some(row(source, written, entries, &whole, without))
        })
        .collect();
    let mut rows = rows.ok_or_else(|| too_long(source))?;
    rows.sort_by_key(|row| (row.without.makespan().is_none(), row.without.makespan()));
    Ok(WhatIf {
        scenario: runnable.prepared.plain().title_in(source),
        profile: runnable.chosen.profile.name.clone(),
        lowering: runnable.chosen.lowering.name().to_owned(),
        makespan: whole.took.makespan,
        rows,
    })
}

/// What a run took, or the rules that a text without a barrier breaks.
type Tried = Result<Took, Vec<Broken>>;

fn row(
    source: &Source,
    written: &Scenario,
    entries: &Whole,
    whole: &WithAll,
    without: Tried,
) -> WhatIfRow {
    let starts = entries.iter().filter_map(|e| Some(e.span(written)?.start));
    let of = starts.clone().filter_map(|start| whole.costs.get(&start));
    let cost = of.copied().reduce(Cost::and).unwrap_or_default();
    let mut lines = starts.map(|start| source.line(start));
    WhatIfRow {
        line: lines.next().unwrap_or_default(),
        end_line: lines.next(),
        resource: super::without::resource(written, entries),
        exposed: cost.exposed,
        critical: cost.critical,
        without: match without {
            Ok(took) => Without::Run {
                makespan: took.makespan,
                more_bad_reads: took.bad_reads.saturating_sub(whole.took.bad_reads),
            },
            Err(broken) => Without::Impossible {
                says: impossible(&broken),
                broken,
            },
        },
    }
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
struct WithAll {
    took: Took,
    /// By the first byte of the entry's text.
    costs: IndexMap<u32, Cost>,
}

/// `None` if the clock does not reach its end.
fn whole(timeline: &Timeline<'_>, asked: &Evaluation, bench: Bench<'_>) -> Option<WithAll> {
    let program = bench.lower(timeline);
    let recorded = sim::SimOptions {
        spans: false,
        causes: program.ops <= stalls::CAUSES_MAX,
        ..sim::SimOptions::default()
    };
    let trace = bench.simulate(timeline, asked, &program, recorded);
    if trace.is_cut {
        return None;
    }
    let found = stalls::stalls(&program, &trace);
    let mut costs: IndexMap<u32, Cost> = IndexMap::new();
    let place = |barrier| names::entry(timeline, barrier).map(|entry| entry.span.start);
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
    Some(WithAll {
        took: Took::of(&trace),
        costs,
    })
}
