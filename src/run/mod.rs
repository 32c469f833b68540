//! The pipeline: source text in, report out.
//!
//! ```text
//! text → Scenario → legacy → order → validate, graph, lower → ensure, simulate → analyze → Report
//! ```
//! Every command has the same front (`front.rs`: text to timeline) and those that run something the same back
//! (`back.rs`: timeline to trace). Profiles, lowerings and rules come from above as a [`Registry`], so that a user's own
//! file is just one more entry. Edited copies are run again here to prove what an analysis proposes (`prove`, `repair`).

pub mod activity;
mod built;
mod dependencies;
pub mod detail;
mod difference;
mod drawn;
mod fence_account;
pub mod fence_kinds;
pub mod handover;
mod lanes;
pub mod lesson;
mod life;
mod litmus_machine;
mod moments;
mod packets;
mod profiles;
mod report;
mod rows;
mod shown;
mod stalls;
pub mod steps;
mod stuck;
mod tested;
mod what_if;
pub mod without;

pub use crate::pipeline::{
    BASES_MAX, Chosen, Drawn, FINDINGS_LISTED_MAX, Failure, FileKind, Files, KERNELS_MAX, Level,
    LoweringRead, LoweringSource, Options, ProfileEntry, Proposals, Reader, Registry, Stopwatch,
    Switch, Texts, Timing, Unlisted, Unusable, WallClock, as_run, choose, driver_command, expect,
    is_denied, is_fixed, is_lowering_file, is_profile_file, load_lowering, load_profile,
    name_taken, next_to, profile_problems, read_litmus, read_lowering, rules, switch, to_run,
    unknown_profiles,
};
pub use crate::repair::{
    Changed, Effort, Progress, Repair, RepairStep, Verdict, repair, repair_within,
};
pub use built::{check_scenario, run_scenario};
pub use dependencies::drawing::{BoxRow, Drawing, LinkKind, LinkRow, PartRow, is_order};
pub use dependencies::{Dependencies, EdgeRow, NodeRow, View, dependencies};
pub use difference::{Difference, DifferenceRow, DifferenceRun, DifferenceSide, difference};
pub use fence_account::{fence_account, fence_kinds};
pub use life::{Does, LifeRow};
pub use litmus_machine::{litmus_machine, wake_ups};
pub use moments::MeetingRow;
pub use packets::{PacketRow, Packets, RuleRow, StepRow, WayRow, packets};
pub use profiles::{
    BugRow, HAZARDS_MAX, HazardRow, ProfileRow, ProfileTable, Visibility, on_profiles, visibility,
};
pub use report::*;
pub use shown::{Shown, ShownFinding, ShownPacket, shown};
pub use stalls::{CauseRow, FrameRow, PoolRow, QueueRow, SegmentRow, StageRow, Utilisation};
pub use stuck::StuckRow;
pub use tested::{litmus_holds, settled, test_litmus, test_scenario};
pub use what_if::{WhatIf, WhatIfRow, Without, what_if};
pub use without::{WithAndWithout, WithoutBarrier, without, without_each};

use crate::analyze::attribution::Attribution;
use crate::analyze::stalls::{self as stalling, Stalls};
use crate::analyze::{self, Beyond, fences, hazards, lowering as bugs};
use crate::finding::{Finding, Source, Span};
use crate::graph::Evaluation;
use crate::legacy;
use crate::order::Timeline;
use crate::pipeline::back::{self, Machine, Ran};
use crate::pipeline::clock::Clock;
use crate::pipeline::front::{self, Kernels, Prepared};
use crate::pipeline::{asserted, lowering_files, switches, too_long};
use crate::repair::{self as repairs, prove};
use crate::scenario::{self, Scenario};

/// Runs a scenario: findings, verdicts, what the machine did and what it cost.
///
/// A text with `SC` errors gives a report of only those.
///
/// # Errors
/// If the profile, the lowering or a setting is unknown, or if there is no timeline to run (reading R51).
pub fn run(source: &Source, registry: &Registry, options: &Options) -> Result<Report, Unusable> {
    let mut clock = Clock::start(options.clock);
    let parsed = match front::read(source, &mut clock) {
        Ok(parsed) => parsed,
        Err(misread) => {
            // Names given on the command line are looked at first: they are wrong whatever the text says.
            choose(registry, &Scenario::default(), &source.name, options)?;
            let text = Text {
                source,
                scenario: &misread.scenario,
                work: 0,
                beyond: Vec::new(),
            };
            return Ok(finish(text, misread.findings, options, clock));
        }
    };
    let Chosen {
        profile,
        lowering,
        named_by,
    } = choose(registry, &parsed.scenario, &source.name, options)?;
    if parsed.scenario.timeline.is_none() {
        return Err(front::without_timeline(
            source,
            "there is nothing to run",
            "add `timeline { QUEUE execute LIST }`, or use `check`, which needs none",
        ));
    }
    let prepared = parsed.prepare(Kernels::of(source, options), &mut clock);
    let request = Request {
        source,
        registry,
        options,
        machine: Machine {
            profile: &profile,
            lowering,
            named_by,
        },
        original: None,
    };
    let (report, steps) = execute(&request, &prepared, clock)?;
    drop_aside(prepared, steps);
    Ok(report)
}

/// Checks a scenario: only findings, no machine. Needs no timeline.
pub fn check(source: &Source, options: &Options) -> Report {
    let mut clock = Clock::start(options.clock);
    let prepared = match front::read(source, &mut clock) {
        Ok(parsed) => parsed.prepare(Kernels::of(source, options), &mut clock),
        Err(misread) => {
            let text = Text {
                source,
                scenario: &misread.scenario,
                work: 0,
                beyond: Vec::new(),
            };
            return finish(text, misread.findings, options, clock);
        }
    };
    let timeline = clock.note("order", prepared.timeline(), |t| count(t.submissions.len()));
    // Legality and hazards: two readings, neither of which knows the other.
    let place = clock.place();
    let (legality, asked) = clock.beside(
        (place, "validate"),
        || prepared.legality(&timeline, options.rules),
        |_| commands(prepared.written()),
        |clock| clock.note("graph", front::needed_and_asked(&timeline), |e| e.steps),
    );
    let mut findings = prepared.findings.clone();
    findings.extend(legality);
    let most = options.listed_max();
    let (hazards, beyond) = hazards::findings_within(&timeline, &asked, None, most);
    if findings.is_empty() {
        // There may be a hundred thousand: they are not moved.
        findings = hazards;
    } else {
        findings.extend(hazards);
    }
    findings.extend(fences::findings(&timeline));
    findings.extend(asserted::findings(prepared.plain(), asked.steps));
    clock.lap("analyze", count(findings.len()));
    let (steps, work) = (asked.steps, asked.work());
    drop(asked);
    let text = Text {
        source,
        scenario: prepared.written(),
        work,
        beyond,
    };
    let report = finish(text, findings, options, clock);
    drop_aside(prepared, steps);
    report
}

/// Steps beyond which freeing what was checked is noticed.
const STEPS_ASIDE: u64 = 100_000;

/// Drops a large value on another thread, if there is one: nobody who waits for the report waits for that.
fn drop_aside(large: impl Send + 'static, steps: u64) {
    if steps > STEPS_ASIDE && crate::parallel::current_num_threads() > 1 {
        crate::parallel::spawn(move || drop(large));
    }
}

/// A text with its legacy barriers rewritten as enhanced ones. Everything else is printed as it was written.
///
/// # Errors
/// The findings of a text that is not understood.
pub fn translated(source: &Source) -> Result<String, Vec<Finding>> {
    let parsed = front::read(source, &mut Clock::untold()).map_err(|misread| misread.findings)?;
    Ok(scenario::print(&legacy::explain(&parsed.scenario)))
}

/// A text, the machine on which it is run, and what the report of the run has.
struct Request<'a> {
    source: &'a Source,
    registry: &'a Registry,
    options: &'a Options,
    machine: Machine<'a>,
    /// Of an edited copy, the timeline whose ids it has.
    original: Option<&'a Timeline<'a>>,
}

/// From a text to its report. The number is the cost of one evaluation of the text, in steps.
fn execute(
    request: &Request<'_>,
    prepared: &Prepared<'_>,
    mut clock: Clock,
) -> Result<(Report, u64), Unusable> {
    let Request {
        source,
        registry,
        options,
        machine,
        original,
    } = *request;
    let timeline = ordered(prepared, original, &mut clock);
    let (legality, asked, ran) = judged(request, prepared, &timeline, &mut clock);
    if ran.paid.is_cut {
        return Err(too_long(source));
    }
    let paid = &ran.paid;
    let stalls = stalling::stalls(&ran.program, paid);

    let attribution = Attribution::new(&timeline, &asked, &ran.ensured.missing, paid);
    let shown = hazards::Shown::new(paid, &attribution);
    let mut findings = prepared.findings.clone();
    findings.extend_from_slice(&legality);
    let most = options.listed_max();
    let (hazards, beyond) = hazards::findings_within(&timeline, &asked, Some(shown), most);
    findings.extend(hazards);
    let on_machine = on_machine(&timeline, machine, (&ran, &attribution), stalls.as_ref());
    findings.extend(on_machine);
    told_of_lowering(&timeline, machine, &mut findings);
    findings.extend(asserted::findings(prepared.plain(), asked.steps));
    let given = prove::Given {
        source: prepared.written(),
        timeline: &timeline,
        evaluation: &asked,
        legality: &legality,
        rules: options.rules,
        ran: Some(prove::OnMachine {
            trace: paid,
            machine,
            registry,
            options,
        }),
    };
    let mut verdicts = proved(given, &mut findings, options);
    clock.lap("analyze", count(findings.len()));

    let text = Text {
        source,
        scenario: prepared.written(),
        work: asked.work(),
        beyond,
    };
    let mut report = finish(text, findings, options, clock);
    report.changed = std::mem::take(&mut verdicts.changed);
    let rows = rows::Rows {
        source,
        timeline: &timeline,
        machine,
        ran: &ran,
        verdicts: &verdicts,
        stalls: stalls.as_ref(),
        explained: rows::Explained {
            asked: &asked,
            by: &attribution,
            legality: &legality,
        },
    };
    fill(rows, request, &mut report);
    Ok((report, asked.steps))
}

/// Says what is to be said of a lowering that is no part of this program: of its rules, or what is wrong with what a driver
/// answered. As long as what that writes is not known, neither is what its packets lack.
fn told_of_lowering(timeline: &Timeline<'_>, machine: Machine<'_>, findings: &mut Vec<Finding>) {
    lowering_files::told_of_rules(timeline, machine.profile, machine.lowering, findings);
    if !machine.lowering.is_driven() {
        return;
    }
    let (_, told) = machine.lowering.lower_telling(timeline, machine.profile);
    if told.iter().any(|finding| finding.severity.fails()) {
        findings.retain(|finding| finding.rule.family() != "LW");
    }
    findings.extend(told);
}

/// The timeline of a text; of an edited copy, with the original's ids.
fn ordered<'p>(
    prepared: &'p Prepared<'_>,
    original: Option<&Timeline<'_>>,
    clock: &mut Clock,
) -> Timeline<'p> {
    let mut timeline = clock.note("order", prepared.timeline(), |t| count(t.submissions.len()));
    if let Some(original) = original {
        timeline.name_like(original);
    }
    timeline
}

/// Adds what was simulated to a report, and what is drawn of it.
fn fill(rows: rows::Rows<'_>, request: &Request<'_>, report: &mut Report) {
    let Request {
        registry,
        options,
        original,
        ..
    } = *request;
    let is_page = options.drawn == Drawn::Page;
    if original.is_some() {
        // Of a copy, nothing is drawn but its timeline.
        let rows_only = Options {
            drawn: Drawn::Rows,
            ..options.clone()
        };
        rows.fill(report, &rows_only);
    } else {
        rows.fill(report, options);
    }
    if !is_page && !options.steps {
        return;
    }
    let runs = if options.steps {
        steps::RUNS_MAX
    } else {
        detail::RUNS_MAX
    };
    let contents = steps::contents(rows, options, runs);
    let is_drawn = original.is_none();
    let made = steps::steps(rows, report, &contents, (options, is_drawn));
    report.steps = Some(Box::new(made));
    if !is_page {
        return;
    }
    let copies = is_drawn
        .then(|| without::of_page(request, report))
        .flatten();
    let given = detail::Given {
        rows,
        registry,
        options,
        contents: &contents,
        has_copies: copies.is_some(),
    };
    let made = match copies {
        _ if !is_drawn => detail::timeline(given, report),
        Some(all) => detail::detail(given, report).with_copies((report, options), &all, false),
        None => detail::detail(given, report).without_copies(report, options),
    };
    report.detail = Some(Box::new(made));
}

/// Legality, needed and asked, and the run.
fn judged(
    request: &Request<'_>,
    prepared: &Prepared<'_>,
    timeline: &Timeline<'_>,
    clock: &mut Clock,
) -> (Vec<Finding>, Evaluation, Ran) {
    let options = request.options;
    let readings = back::Readings {
        judge: |clock: &mut Clock| {
            clock.note("graph", front::needed_and_asked(timeline), |e| e.steps)
        },
        legality: back::Legality {
            read: || prepared.legality(timeline, options.rules),
            commands: commands(prepared.written()),
        },
    };
    back::ran(timeline, readings, request.machine, options, clock)
}

/// What can be saved, as findings, and a verdict for each barrier.
fn proved(
    given: prove::Given<'_>,
    findings: &mut Vec<Finding>,
    options: &Options,
) -> prove::Verdicts {
    if options.without_proofs {
        return prove::Verdicts::default();
    }
    let wrong = findings.iter().filter(|f| f.severity.fails());
    let mut verdicts = prove::prove(given, &wrong.map(|f| f.span).collect());
    findings.append(&mut verdicts.findings);
    verdicts
}

/// What the run shows: of the timeline's fences, of its stalls, and what is wrong with the lowering.
fn on_machine(
    timeline: &Timeline<'_>,
    Machine {
        profile, lowering, ..
    }: Machine<'_>,
    (ran, attribution): (&Ran, &Attribution<'_>),
    stalls: Option<&Stalls>,
) -> Vec<Finding> {
    let waited = stalls.map(|it| stalling::findings(timeline, profile, &ran.program, it));
    let lowered = bugs::Lowered {
        timeline,
        profile,
        lowering: lowering.name(),
        tally: &ran.ensured,
    };
    let missing = bugs::findings(lowered, attribution, &ran.paid.sums);
    let of_fences = fences::findings_of_run(timeline, &ran.paid).into_iter();
    let waited = waited.into_iter().flatten();
    of_fences.chain(waited).chain(missing).collect()
}

/// Number of commands in the text's lists.
fn commands(scenario: &Scenario) -> u64 {
    scenario.lists.iter().map(|l| count(l.commands.len())).sum()
}

/// A number of things, for the clock.
fn count(things: usize) -> u64 {
    things as u64
}

/// The text that a report is about.
struct Text<'a> {
    source: &'a Source,
    scenario: &'a Scenario,
    /// What one evaluation of it takes, in steps.
    work: u64,
    /// What was found in it and is not listed.
    beyond: Vec<Beyond>,
}

/// Where a finding comes in a report: at one place, what no fence orders comes before what may follow from it.
fn place_of(finding: &Finding) -> (Span, &str, bool, &str, Option<&str>) {
    let rule = finding.rule;
    (
        finding.span,
        rule.family(),
        !hazards::is_race(rule),
        rule.id,
        finding.resource.as_deref(),
    )
}

/// Folds, switches and sorts findings, and makes a report of them.
fn finish(text: Text<'_>, findings: Vec<Finding>, options: &Options, mut clock: Clock) -> Report {
    let Text {
        source,
        scenario,
        work,
        mut beyond,
    } = text;
    let mut findings = analyze::fold(findings);
    analyze::drop_explained(&mut findings, &beyond);
    analyze::limit(&mut findings, options.listed_max(), &mut beyond);
    // What the file allows needs no change.
    switches::drop_allowed(&mut findings, scenario);
    repairs::fixes(source, work, &mut findings, options);
    switches::switch(&mut findings, &options.switches);
    findings.sort_by(|a, b| place_of(a).cmp(&place_of(b)));
    clock.lap("propose", count(findings.len()));
    Report {
        scenario: scenario.title_in(source),
        file: source.name.clone(),
        findings,
        unlisted: switches::counted(&beyond, scenario, &options.switches),
        timings: clock.laps,
        ..Report::default()
    }
}
