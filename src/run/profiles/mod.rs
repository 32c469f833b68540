//! One scenario on many machines: a row of numbers for each, and where a hazard shows.

mod hidden;

use super::life::Lives;
use super::stalls::Namer;
use super::{CacheRow, Drawn, Lane, Options, Registry, Unusable, front, lanes, report, switches};
use crate::analyze::attribution::Attribution;
use crate::analyze::lowering::{self, NeededPairs, Tally};
use crate::analyze::{fences, hazards};
use crate::finding::{Finding, Source};
use crate::graph::Evaluation;
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::order::Timeline;
use crate::parallel::prelude::*;
use crate::pipeline::front::Prepared;
use crate::pipeline::is_profile_file;
use crate::pipeline::registry::{choose_lowering, set};
use crate::pipeline::trial::Bench;
use crate::scenario::Scenario;
use crate::sim;
use crate::time::Ps;
use crate::trace::{ObservationKind, Trace};
use hidden::hidden;
use indexmap::IndexMap;
use serde::Serialize;

/// A run on one machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MachineRow"))]
#[non_exhaustive]
pub struct ProfileRow {
    /// Hardware profile.
    pub profile: String,
    /// The lowering.
    pub lowering: String,
    /// From the first submission to the end of the last work.
    #[serde(rename = "makespan_ps")]
    pub makespan: Ps,
    /// Time in which nothing ran on any queue because of barriers.
    #[serde(rename = "exposed_ps")]
    pub exposed: Ps,
    /// Write-backs of caches.
    pub flushes: u64,
    /// Drops of caches.
    pub invalidates: u64,
    /// Textures that were decompressed.
    pub decompressions: u64,
    /// Reads that saw old data.
    pub stale_reads: u64,
    /// Other reads that did not see what they should have.
    pub other_bad_reads: u64,
    /// Errors of the lowering on this machine.
    #[serde(rename = "findings")]
    pub bugs: Vec<BugRow>,
    /// The machine's caches, for a legend.
    #[serde(skip)]
    pub caches: Vec<CacheRow>,
    /// Waits that never end.
    #[serde(skip)]
    pub stuck: usize,
    /// What ran when, if that is to be drawn ([`Drawn::Picture`]).
    #[serde(skip)]
    pub lanes: Vec<Lane>,
}

impl ProfileRow {
    /// Until when a drawing goes: to the end of the run, and further where something never ends.
    pub fn drawn_until(&self) -> Ps {
        report::drawn_until(self.makespan, self.stuck)
    }
}

/// An error of a lowering, or of the text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ErrorRow"))]
#[non_exhaustive]
pub struct BugRow {
    /// Permanent id of the rule.
    pub rule: &'static str,
    /// Name of the rule.
    pub name: &'static str,
    /// Line, counted from 1.
    pub line: u32,
    /// The finding in one sentence.
    pub message: String,
}

/// A scenario on several profiles.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProfileTable {
    /// Title of the scenario, or its file name.
    pub scenario: String,
    /// What the text breaks on every machine, once a rule and line, in order of line.
    pub errors: Vec<BugRow>,
    /// In the order that was asked for.
    pub rows: Vec<ProfileRow>,
    /// Hazards, once a rule, place and resource, and on which of the machines each shows.
    pub hazards: Vec<HazardRow>,
    /// Hazards beyond [`HAZARDS_MAX`] that were not looked at.
    pub more_hazards: usize,
}

/// One hazard on several profiles.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct HazardRow {
    /// Id of its rule.
    pub rule: &'static str,
    /// Name of its rule.
    pub name: &'static str,
    /// Line of the second use.
    pub line: u32,
    /// Name of the resource.
    pub resource: String,
    /// In the order of the profiles.
    pub on: Vec<Visibility>,
}

impl ProfileTable {
    /// The lowering of the first row and, in order, the rows that take another one.
    pub fn lowerings(&self) -> (&str, Vec<&ProfileRow>) {
        let Some(first) = self.rows.first() else {
            return ("", Vec::new());
        };
        let others = self.rows.iter().filter(|r| r.lowering != first.lowering);
        (&first.lowering, others.collect())
    }
}

/// Hazards that a table of profiles tells about.
pub const HAZARDS_MAX: usize = 50;

/// Runs a scenario on each of the named profiles; one that is named twice has one row.
///
/// # Errors
/// If a name or setting is unknown, the text is no scenario, or there is no timeline.
pub fn on_profiles(
    source: &Source,
    registry: &Registry,
    names: &[String],
    options: &Options,
) -> Result<ProfileTable, Unusable> {
    let prepared = front::runnable(source, options)?;
    let machines = machines(source, prepared.written(), registry, names, options)?;
    let timeline = prepared.timeline();
    let evaluation = front::needed_and_asked(&timeline);
    let needed = NeededPairs::new(&timeline);
    let looked = (&timeline, &evaluation, &needed);
    let drawn_of = (options.drawn >= Drawn::Picture).then_some(source);
    let runs: Vec<Simulated> = machines
        .into_par_iter()
        .map(|(profile, lowering)| simulate(looked, profile, lowering, options, drawn_of))
        .collect();
    if runs.iter().any(|run| run.trace.is_cut) {
        return Err(super::too_long(source));
    }
    let attributions: Vec<Attribution<'_>> = runs
        .par_iter()
        .map(|run| Attribution::new(&timeline, &evaluation, &run.ensured.missing, &run.trace))
        .collect();
    let mut rows: Vec<ProfileRow> = runs.iter().map(row).collect();
    for ((run, row), attribution) in runs.iter().zip(&mut rows).zip(&attributions) {
        let mut found = bugs(&timeline, run, attribution);
        switches::apply(&mut found, prepared.written(), &options.switches);
        found.retain(|finding| finding.severity.fails());
        row.bugs = found.iter().map(|f| bug(source, f)).collect();
    }
    let (hazards, more_hazards) =
        hazard_rows(source, (&timeline, &evaluation), &runs, &attributions);
    let mut table = ProfileTable {
        scenario: prepared.written().title_in(source),
        errors: errors(source, &prepared, &timeline, options),
        rows,
        hazards,
        more_hazards,
    };
    drop(attributions);
    for (row, run) in table.rows.iter_mut().zip(runs) {
        row.lanes = run.lanes;
    }
    Ok(table)
}

/// A machine, and the lowering that makes its packets.
type Chosen = (Profile, &'static dyn Lowering);

/// The machines that are named, each once.
fn machines(
    source: &Source,
    written: &Scenario,
    registry: &Registry,
    names: &[String],
    options: &Options,
) -> Result<Vec<Chosen>, Unusable> {
    let mut machines: Vec<Chosen> = Vec::with_capacity(names.len());
    let mut known: Vec<String> = Vec::new();
    for name in names {
        // An alias names the same machine; a file is one of its own, whatever it calls itself.
        let mut machine = machine(registry, name, options)?;
        let is_file = is_profile_file(name);
        let key = if is_file { name } else { &machine.name };
        if !known.contains(key) {
            known.push(key.clone());
            let mut others = machines.iter().map(|(other, _)| &other.name);
            if is_file
                && (registry.entry(&machine.name).is_some()
                    || others.any(|other| *other == machine.name))
            {
                // Two rows of one name would say nothing.
                machine.name.clone_from(name);
            }
            let (lowering, _) =
                choose_lowering(registry, written, &source.name, options, &machine)?;
            machines.push((machine, lowering));
        }
    }
    Ok(machines)
}

/// What the text breaks, but for hazards.
fn errors(
    source: &Source,
    prepared: &Prepared<'_>,
    timeline: &Timeline<'_>,
    options: &Options,
) -> Vec<BugRow> {
    let mut found = prepared.findings.clone();
    found.extend(prepared.legality(timeline, options.rules));
    found.extend(fences::findings(timeline));
    switches::apply(&mut found, prepared.written(), &options.switches);
    found.retain(|finding| finding.severity.fails());
    found.sort_by_key(|finding| (finding.span.start, finding.rule.id));
    let mut rows: Vec<BugRow> = found.iter().map(|f| bug(source, f)).collect();
    rows.dedup_by_key(|row| (row.line, row.rule));
    rows
}

/// What is wrong with the lowering of a run.
fn bugs(timeline: &Timeline<'_>, run: &Simulated, attribution: &Attribution<'_>) -> Vec<Finding> {
    let lowered = lowering::Lowered {
        timeline,
        profile: &run.profile,
        lowering: run.lowering,
        tally: &run.ensured,
    };
    lowering::findings(lowered, attribution, &run.trace.sums)
}

fn bug(source: &Source, finding: &Finding) -> BugRow {
    BugRow {
        rule: finding.rule.id,
        name: finding.rule.name,
        line: source.line(finding.span.start),
        message: finding.message.to_string(),
    }
}

/// Each hazard once, with what the runs saw of its executions; and how many were left out.
fn hazard_rows(
    source: &Source,
    (timeline, evaluation): (&Timeline<'_>, &Evaluation),
    runs: &[Simulated],
    attributions: &[Attribution<'_>],
) -> (Vec<HazardRow>, usize) {
    let findings = hazards::findings(timeline, evaluation, None);
    let mut rows: IndexMap<_, (&Finding, Vec<usize>)> = IndexMap::new();
    for (index, finding) in findings.iter().enumerate() {
        if finding.severity.fails() {
            let key = (finding.span.start, finding.rule.id, &finding.resource);
            let row = rows.entry(key).or_insert((finding, Vec::new()));
            row.1.push(index);
        }
    }
    rows.sort_unstable_keys();
    let more = rows.len().saturating_sub(HAZARDS_MAX);
    let shown = rows
        .values()
        .take(HAZARDS_MAX)
        .map(|(finding, executions)| {
            let on = runs.iter().zip(attributions).map(|(run, attribution)| {
                shown_on((timeline, evaluation), executions, run, attribution)
            });
            HazardRow {
                rule: finding.rule.id,
                name: finding.rule.name,
                line: source.line(finding.span.start),
                resource: finding.resource.as_deref().unwrap_or_default().into(),
                on: on.collect(),
            }
        });
    (shown.collect(), more)
}

/// Whether one of some conflicts shows in a run.
fn shown_on(
    (timeline, evaluation): (&Timeline<'_>, &Evaluation),
    executions: &[usize],
    run: &Simulated,
    attribution: &Attribution<'_>,
) -> Visibility {
    let shown = hazards::Shown {
        trace: &run.trace,
        attribution,
    };
    let conflict = |index: usize| &evaluation.conflicts[index];
    let mut seen = executions
        .iter()
        .filter_map(|index| hazards::evidence(timeline, shown, *index, conflict(*index)));
    let seen = seen.next();
    Visibility {
        profile: run.profile.name.clone(),
        visible: seen.is_some(),
        why: match seen {
            Some(evidence) => evidence.kind.data(),
            None => hidden(timeline, &run.profile, &run.trace, conflict(executions[0])),
        },
    }
}

fn machine(registry: &Registry, name: &str, options: &Options) -> Result<Profile, Unusable> {
    let mut profile = registry.profile_or_file(name, &*options.files)?;
    set(
        &mut profile,
        options,
        "with several profiles, a number that is set must be one of each",
    )?;
    Ok(profile)
}

/// A run on one machine.
struct Simulated {
    profile: Profile,
    lowering: &'static str,
    trace: Trace,
    /// Reads that lose a race, and that the machine does not count.
    lost: u64,
    /// What the lowering does not ensure there.
    ensured: Tally,
    /// What ran when, if that is to be drawn.
    lanes: Vec<Lane>,
}

fn simulate(
    (timeline, evaluation, needed): (&Timeline<'_>, &Evaluation, &NeededPairs<'_, '_>),
    profile: Profile,
    lowering: &dyn Lowering,
    options: &Options,
    drawn_of: Option<&Source>,
) -> Simulated {
    let bench = Bench::new(&profile, lowering, options);
    let program = bench.lower(timeline);
    let recorded = sim::SimOptions {
        spans: drawn_of.is_some(),
        ..sim::SimOptions::default()
    };
    let trace = bench.simulate(timeline, evaluation, &program, recorded);
    let mut ensured = Tally::default();
    ensured.take(timeline, &needed.check(&profile, &program));
    let drawn = drawn_of.map(|source| {
        let namer = Namer {
            source,
            timeline,
            profile: &profile,
            program: &program,
        };
        let mut drawn = lanes::lanes(timeline, &trace, &Lives::new(namer, &trace));
        let stuck = super::stuck::stuck(namer, &trace);
        let until = report::drawn_until(trace.makespan, stuck.len());
        lanes::open(&mut drawn, &stuck, until);
        drawn
    });
    Simulated {
        lanes: drawn.unwrap_or_default(),
        profile,
        lowering: lowering.name(),
        lost: hazards::lost(timeline, evaluation, &trace),
        trace,
        ensured,
    }
}

fn row(run: &Simulated) -> ProfileRow {
    let Simulated { profile, trace, .. } = run;
    let stale = |o: &&crate::trace::Observation| o.kind == ObservationKind::Stale;
    let stale_reads = trace.observations.iter().filter(stale).count() as u64;
    ProfileRow {
        profile: profile.name.clone(),
        lowering: run.lowering.to_owned(),
        makespan: trace.makespan,
        exposed: trace.exposed,
        flushes: trace.totals.cleans,
        invalidates: trace.totals.invalidates,
        decompressions: trace.totals.decompressions,
        stale_reads,
        other_bad_reads: trace.observations.len() as u64 - stale_reads + run.lost,
        bugs: Vec::new(),
        caches: CacheRow::all(profile),
        stuck: trace.stuck.len(),
        lanes: Vec::new(),
    }
}

/// A hazard on one machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "VisibilityRow"))]
#[non_exhaustive]
pub struct Visibility {
    /// Hardware profile.
    pub profile: String,
    /// A read of the run goes wrong because of it.
    pub visible: bool,
    /// What shows it, or what hides it.
    pub why: String,
}

/// For each conflict of an evaluation: on which profiles it shows, and what hides it on the others.
pub fn visibility(
    timeline: &Timeline<'_>,
    evaluation: &Evaluation,
    registry: &Registry,
    lowering: &dyn Lowering,
) -> Vec<Vec<Visibility>> {
    if evaluation.conflicts.is_empty() {
        return Vec::new();
    }
    let needed = NeededPairs::new(timeline);
    let runs: Vec<Simulated> = registry
        .profiles
        .par_iter()
        .filter_map(|entry| {
            let profile = registry.profile(entry.name).ok()?;
            let options = Options::default();
            Some(simulate(
                (timeline, evaluation, &needed),
                profile,
                lowering,
                &options,
                None,
            ))
        })
        .collect();
    let attributions: Vec<Attribution<'_>> = runs
        .par_iter()
        .map(|run| Attribution::new(timeline, evaluation, &run.ensured.missing, &run.trace))
        .collect();
    let conflicts = 0..evaluation.conflicts.len();
    conflicts
        .map(|index| {
            let on = runs.iter().zip(&attributions).map(|(run, attribution)| {
                shown_on((timeline, evaluation), &[index], run, attribution)
            });
            on.collect()
        })
        .collect()
}
