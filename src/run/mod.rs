//! The pipeline: source text in, report out.
//!
//! ```text
//! text → Scenario → legacy → order → validate, graph, lower → ensure, simulate → analyze → Report
//! ```
//! Profiles, lowerings and rules come from above as a [`Registry`], so that a user's own file is just one more entry.
//! Edited copies are run again here to prove what an analysis proposes (`prove.rs`, `propose.rs`).

mod asserted;
mod clock;
mod dependencies;
pub mod handover;
mod kernels;
mod profiles;
mod propose;
mod prove;
mod report;
mod rows;
mod stalls;
mod streamed;
mod switches;
mod what_if;

pub use dependencies::{Dependencies, EdgeRow, NodeRow, View, dependencies};
pub use kernels::{KERNELS_MAX, KernelFile, kernels_named};
pub use profiles::{
    HAZARDS_MAX, HazardRow, ProfileRow, ProfileTable, Visibility, on_profiles, visibility,
};
pub use propose::{Change, Repair, repair};
pub use report::*;
pub use stalls::{CauseRow, FrameRow, QueueRow, SegmentRow, UseRow, Utilisation};
pub use switches::{Level, Switch, is_denied, is_fixed, switch};
pub use what_if::{WhatIf, WhatIfRow, what_if};

use crate::analyze::stalls as stalling;
use crate::analyze::{self, fences, hazards, lowering as bugs};
use crate::finding::{Finding, Rule, Source};
use crate::graph;
use crate::hardware::{Problem, Profile};
use crate::legacy;
use crate::lower::Lowering;
use crate::order::Timeline;
use crate::preview;
use crate::program::Program;
use crate::scenario::{self, Scenario};
use crate::validate::{self, RuleSet};
use crate::{ensure, sim};
use clock::Clock;

/// A built-in profile: its text is parsed when it is asked for.
#[derive(Copy, Clone, Debug)]
pub struct ProfileEntry {
    /// Name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// The profile file.
    pub text: &'static str,
}

/// What a run can choose from. Made by `catalog`.
pub struct Registry {
    /// Hardware profiles; the first is the default.
    pub profiles: Vec<ProfileEntry>,
    /// Lowerings; the first is the default.
    pub lowerings: Vec<&'static dyn Lowering>,
    /// Every rule.
    pub rules: Vec<&'static Rule>,
}

impl Registry {
    /// A rule by its id or name.
    pub fn rule(&self, word: &str) -> Option<&'static Rule> {
        self.rules
            .iter()
            .find(|r| r.id == word || r.name == word)
            .copied()
    }

    /// A profile by name or alias, parsed.
    ///
    /// # Errors
    /// Which profiles there are.
    pub fn profile(&self, name: &str) -> Result<Profile, Unusable> {
        let entry = self
            .profiles
            .iter()
            .find(|p| p.name == name || p.aliases.contains(&name))
            .ok_or_else(|| {
                let names: Vec<_> = self.profiles.iter().map(|p| p.name).collect();
                Unusable {
                    message: format!("there is no hardware profile `{name}`"),
                    help: format!("the profiles are {}", names.join(", ")),
                }
            })?;
        parse_profile(name, entry.text)
    }

    /// A lowering by name.
    ///
    /// # Errors
    /// Which lowerings there are.
    pub fn lowering(&self, name: &str) -> Result<&'static dyn Lowering, Unusable> {
        self.lowerings
            .iter()
            .find(|l| l.name() == name)
            .copied()
            .ok_or_else(|| {
                let names: Vec<_> = self.lowerings.iter().map(|l| l.name()).collect();
                Unusable {
                    message: format!("there is no lowering `{name}`"),
                    help: format!("the lowerings are {}", names.join(", ")),
                }
            })
    }
}

/// Places in a profile that one message names.
const PROBLEMS_NAMED: usize = 10;

/// Reads a profile; what is wrong with it is said with its places.
///
/// # Errors
/// Every problem found, in the order of the text.
pub fn parse_profile(name: &str, text: &str) -> Result<Profile, Unusable> {
    Profile::parse(text).map_err(|problems| {
        let source = Source::new(name.to_owned(), text.to_owned());
        let placed = |problem: &Problem| match problem.start {
            Some(start) => {
                let (line, column) = (source.line(start as u32), source.column(start as u32));
                format!("{name}:{line}:{column}: {}", problem.message)
            }
            None => format!("{name}: {}", problem.message),
        };
        let mut message = match problems.as_slice() {
            [one] => placed(one),
            several => format!(
                "the profile `{name}` contradicts itself in {} places",
                several.len()
            ),
        };
        if problems.len() > 1 {
            for problem in problems.iter().take(PROBLEMS_NAMED) {
                message += &format!("\n  {}", placed(problem));
            }
            let more = problems.len().saturating_sub(PROBLEMS_NAMED);
            if more > 0 {
                message += &format!("\n  and {more} more");
            }
        }
        Unusable {
            message,
            help: "`syncscope schema profile` prints what a profile has".into(),
        }
    })
}

/// What a run or a check is asked to do. A check has no machine, and looks at the rest.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Profile by name; the scenario's own or the registry's first otherwise.
    pub profile: Option<String>,
    /// A profile that is no entry of the registry, as text; it wins over a name.
    pub profile_file: Option<Source>,
    /// Lowering by name; the scenario's own or the registry's first otherwise.
    pub lowering: Option<String>,
    /// Which lines leave caches by themselves.
    pub eviction: sim::Eviction,
    /// `--set key=value`, in order.
    pub set: Vec<(String, String)>,
    /// Leave out the per-command rows and lanes.
    pub without_commands: bool,
    /// Leave out critical paths and the use of queues, stages and pools.
    pub without_path: bool,
    /// Leave out the per-barrier rows and their verdicts.
    pub without_barriers: bool,
    /// Leave out the proofs of what is redundant or too wide, and with them the findings of the family `RD`.
    pub without_proofs: bool,
    /// Whose word counts where the sources of the rules of legality disagree.
    pub rules: RuleSet,
    /// Severity switches, in order: of those that name a finding's rule the last one counts.
    pub switches: Vec<Switch>,
    /// The kernels that the scenario names ([`kernels_named`]), read by whoever calls.
    pub kernels: Vec<KernelFile>,
}

/// Why nothing could be run: one message that names the thing and says what would have been right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unusable {
    /// What is wrong.
    pub message: String,
    /// What would have been right.
    pub help: String,
}

/// Runs a scenario: findings, verdicts, what the machine did and what it cost.
///
/// A text with `SC` errors gives a report with those alone.
///
/// # Errors
/// If the profile, the lowering or a setting is unknown, or if there is no timeline to run (reading R51).
pub fn run(source: &Source, registry: &Registry, options: &Options) -> Result<Report, Unusable> {
    let mut clock = Clock::start();
    let (mut scenario, mut findings) = scenario::parse(source);
    clock.lap("parse", source.text.len() as u64);
    if findings.iter().any(|f| f.severity.fails()) {
        // Names given on the command line are looked at first: they are wrong whatever the text says.
        choose(registry, &Scenario::default(), options)?;
        return Ok(finish(source, &scenario, findings, options, 0, clock));
    }
    let (profile, lowering) = choose(registry, &scenario, options)?;
    if scenario.timeline.is_none() {
        return Err(Unusable {
            message: format!("`{}` has no timeline: there is nothing to run", source.name),
            help: "add `timeline { QUEUE execute LIST }`, or use `check`, which needs none".into(),
        });
    }
    findings.extend(kernels::link(&mut scenario, options));
    if !options.kernels.is_empty() {
        clock.lap("kernels", options.kernels.len() as u64);
    }
    let scenario = preview::pair_fence_barriers(scenario);
    execute(
        source, scenario, findings, options, &profile, lowering, registry, clock,
    )
}

/// What a run says whose end the machine's clock does not reach.
fn too_long(source: &Source) -> Unusable {
    Unusable {
        message: format!(
            "the run of `{}` is longer than the machine's clock counts (106 days)",
            source.name
        ),
        help: "shorten what `takes` or `group-takes` says, start fewer groups, or repeat less"
            .into(),
    }
}

/// Checks a scenario: findings alone, no machine. Needs no timeline.
pub fn check(source: &Source, options: &Options) -> Report {
    let mut clock = Clock::start();
    let (mut scenario, mut findings) = scenario::parse(source);
    clock.lap("parse", source.text.len() as u64);
    if findings.iter().any(|f| f.severity.fails()) {
        return finish(source, &scenario, findings, options, 0, clock);
    }
    findings.extend(kernels::link(&mut scenario, options));
    if !options.kernels.is_empty() {
        clock.lap("kernels", options.kernels.len() as u64);
    }
    let scenario = preview::pair_fence_barriers(scenario);
    let plain = legacy::translate(&scenario);
    clock.lap("legacy", scenario.lists.len() as u64);
    let timeline = Timeline::new(&plain);
    clock.lap("order", timeline.submissions.len() as u64);
    findings.extend(validate::validate(&scenario, &timeline, options.rules));
    clock.lap("validate", commands(&scenario));
    let evaluation = graph::evaluate(&timeline, graph::Request::default());
    clock.lap("graph", evaluation.steps);
    findings.extend(hazards::findings(&timeline, &evaluation, None));
    findings.extend(fences::findings(&timeline));
    findings.extend(asserted::findings(&plain, evaluation.steps));
    clock.lap("analyze", findings.len() as u64);
    let steps = evaluation.steps;
    finish(source, &scenario, findings, options, steps, clock)
}

/// The machine and the lowering that a run uses: those of the options, the scenario's own, or the registry's first.
///
/// # Errors
/// If a name or setting is unknown.
pub fn choose(
    registry: &Registry,
    scenario: &Scenario,
    options: &Options,
) -> Result<(Profile, &'static dyn Lowering), Unusable> {
    let profile = options
        .profile
        .as_deref()
        .or(scenario.device.profile.as_deref());
    let mut profile = match &options.profile_file {
        Some(file) => parse_profile(&file.name, &file.text)?,
        None => registry.profile(profile.unwrap_or(registry.profiles[0].name))?,
    };
    let help = "`list profiles --numbers` prints every number with its key";
    set(&mut profile, options, help)?;
    let lowering = options
        .lowering
        .as_deref()
        .or(scenario.device.lowering.as_deref());
    let lowering = registry.lowering(lowering.unwrap_or(registry.lowerings[0].name()))?;
    Ok((profile, lowering))
}

/// Sets the numbers of a profile that the options name.
fn set(profile: &mut Profile, options: &Options, help: &str) -> Result<(), Unusable> {
    for (key, value) in &options.set {
        profile.set(key, value).map_err(|message| Unusable {
            message,
            help: help.to_owned(),
        })?;
    }
    Ok(())
}

/// The flow itself.
#[allow(clippy::too_many_arguments)]
fn execute(
    source: &Source,
    scenario: Scenario,
    mut findings: Vec<Finding>,
    options: &Options,
    profile: &Profile,
    lowering: &'static dyn Lowering,
    registry: &Registry,
    mut clock: Clock,
) -> Result<Report, Unusable> {
    let plain = legacy::translate(&scenario);
    clock.lap("legacy", scenario.lists.len() as u64);
    let timeline = Timeline::new(&plain);
    clock.lap("order", timeline.submissions.len() as u64);
    let before = findings.len();
    findings.extend(validate::validate(&scenario, &timeline, options.rules));
    let legality = before..findings.len();
    clock.lap("validate", commands(&scenario));
    let evaluation = graph::evaluate(&timeline, graph::Request::default());
    clock.lap("graph", evaluation.steps);
    let rows = !(options.without_commands && options.without_barriers && options.without_path);
    let simulated = sim::Options {
        eviction: options.eviction,
        spans: rows,
        rows,
        causes: false,
    };
    let racing = hazards::racing_readers(&timeline, &evaluation);
    let streamed = (!rows)
        .then(|| {
            streamed::run(
                &timeline, profile, lowering, &simulated, &racing, &mut clock,
            )
        })
        .flatten();
    let (program, shortfalls, trace) = match streamed {
        Some((shortfalls, trace)) => (Program::default(), shortfalls, trace),
        None => {
            let program = lowering.lower(&timeline, profile);
            clock.lap("lower", u64::from(program.ops));
            let shortfalls = ensure::check(&timeline, profile, &program);
            clock.lap("ensure", shortfalls.checked);
            let simulated = sim::Options {
                causes: rows && program.ops <= stalling::CAUSES_MAX,
                ..simulated
            };
            let trace = sim::simulate_watching(&program, profile, &simulated, &racing);
            clock.lap("simulate", trace.totals.events);
            (program, shortfalls, trace)
        }
    };
    if trace.is_cut {
        return Err(too_long(source));
    }
    findings.extend(hazards::findings(&timeline, &evaluation, Some(&trace)));
    findings.extend(fences::findings_of_run(&timeline, &trace));
    let stalls = stalling::stalls(&program, &trace);
    if let Some(stalls) = &stalls {
        findings.extend(stalling::findings(&timeline, profile, &program, stalls));
    }
    findings.extend(asserted::findings(&plain, evaluation.steps));
    findings.extend(bugs::findings(
        &timeline,
        profile,
        lowering.name(),
        &shortfalls,
    ));
    let mut verdicts = if options.without_proofs {
        prove::Verdicts::default()
    } else {
        let given = prove::Given {
            source: &scenario,
            timeline: &timeline,
            evaluation: &evaluation,
            legality: &findings[legality],
            trace: &trace,
            profile,
            lowering,
            registry,
            rules: options.rules,
        };
        let wrong = findings.iter().filter(|f| f.severity.fails());
        prove::prove(given, &wrong.map(|f| f.span).collect())
    };
    findings.append(&mut verdicts.findings);
    clock.lap("analyze", findings.len() as u64);
    let steps = evaluation.steps;
    let mut report = finish(source, &scenario, findings, options, steps, clock);
    rows::fill(
        &mut report,
        source,
        &timeline,
        profile,
        lowering.name(),
        &program,
        &trace,
        (&verdicts, stalls.as_ref()),
        options,
    );
    Ok(report)
}

/// Number of commands in the text's lists.
fn commands(scenario: &Scenario) -> u64 {
    let count: usize = scenario.lists.iter().map(|list| list.commands.len()).sum();
    count as u64
}

/// Folds, switches and sorts findings, and makes a report of them. `steps` is what one evaluation takes.
fn finish(
    source: &Source,
    scenario: &Scenario,
    findings: Vec<Finding>,
    options: &Options,
    steps: u64,
    mut clock: Clock,
) -> Report {
    let mut findings = analyze::fold(findings);
    analyze::drop_explained(&mut findings);
    propose::fixes(source, steps, &mut findings, options.rules);
    switches::apply(&mut findings, scenario, &options.switches);
    findings
        .sort_by(|a, b| (a.span, a.rule.id, &a.resource).cmp(&(b.span, b.rule.id, &b.resource)));
    clock.lap("propose", findings.len() as u64);
    Report {
        scenario: scenario
            .title
            .clone()
            .unwrap_or_else(|| source.name.clone()),
        file: source.name.clone(),
        findings,
        timings: clock.laps,
        ..Report::default()
    }
}
