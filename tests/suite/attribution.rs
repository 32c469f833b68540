//! Every wrong read of a run is explained by the findings whose missing link let it happen, and by no others.

use crate::{laws, random, sizes};
use syncscope::analyze::attribution::{Attribution, acquit, extents};
use syncscope::analyze::hazards;
use syncscope::ensure;
use syncscope::finding::{Finding, Source};
use syncscope::graph::{self, Evaluation, Side};
use syncscope::hardware::Profile;
use syncscope::lower::{self, Lowering};
use syncscope::order::{Timeline, pair_fence_barriers};
use syncscope::run::{self, Options, Report};
use syncscope::scenario::{CommandKind, Scenario};
use syncscope::sim::{self, SimOptions};
use syncscope::trace::{Observation, ObservationKind};
use syncscope::validate::{self, RuleSet};
use syncscope::{catalog, legacy, scenario};

fn report(text: &str, profile: &str, lowering: &str) -> Report {
    let options = Options {
        profile: Some(profile.to_owned()),
        lowering: Some(lowering.to_owned()),
        without_proofs: true,
        ..Options::default()
    };
    let source = Source::new("scene.scn", text);
    run::run(&source, &catalog::registry(), &options).expect("it runs")
}

fn profiles() -> Vec<&'static str> {
    let registry = catalog::registry();
    registry.profiles.iter().map(|entry| entry.name).collect()
}

/// Rules of the findings that explain each wrong read, and those of the findings that are said to be visible.
fn told(report: &Report) -> (Vec<Vec<&'static str>>, Vec<&'static str>) {
    let reads = report.commands.iter().flat_map(|c| &c.observations);
    let reads = reads.map(|o| o.findings.iter().map(|f| f.rule).collect());
    let visible = report.findings.iter().filter(|f| f.visible == Some(true));
    (reads.collect(), visible.map(|f| f.rule.id).collect())
}

/// A render target, a barrier that waits for the wrong stage, and a draw that samples it. The barrier's layout change is
/// unordered after the first draw (`HZ103`), and the second draw is ordered after the barrier: whatever it reads wrong is
/// the barrier's fault.
const WRONG_STAGE: &str = "
texture hdr : R16G16B16A16_FLOAT 1920x1080 { flags RENDER_TARGET; initial RENDER_TARGET }
queue gfx : direct
timeline { gfx execute {
  draw \"opaque\" pixels 2073600 takes 200us { RENDER_TARGET hdr }
  barrier { texture hdr { sync COMPUTE_SHADING -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE;
                          layout RENDER_TARGET -> SHADER_RESOURCE } }
  draw \"post\" pixels 2073600 { SHADER_RESOURCE hdr @ PIXEL_SHADING }
} }";

#[test]
fn a_wrong_read_behind_a_barrier_that_waits_for_the_wrong_stage_is_that_barriers_hazard() {
    let mut seen = 0;
    for profile in profiles() {
        let report = report(WRONG_STAGE, profile, "precise");
        let hazards = report.findings.iter().filter(|f| f.hazard.is_some());
        let hazards: Vec<_> = hazards.collect();
        assert_eq!(hazards.len(), 1, "{profile}");
        let bad = report.totals.bad_reads > 0;
        assert_eq!(hazards[0].visible, Some(bad), "{profile}");
        let rule = hazards[0].rule.id;
        let (reads, _) = told(&report);
        assert_eq!(reads.is_empty(), !bad, "{profile}");
        assert!(reads.iter().all(|r| *r == [rule]), "{profile}: {reads:?}");
        if bad {
            seen += 1;
            let said = hazards[0]
                .notes
                .iter()
                .any(|n| n.contains("seen in this run: draw \"post\" (gfx#3)"));
            assert!(said, "{profile}: {:?}", hazards[0].notes);
        }
    }
    assert!(seen >= 4, "{seen} profiles show it");
    let names: Vec<String> = profiles().into_iter().map(str::to_owned).collect();
    let source = Source::new("scene.scn", WRONG_STAGE);
    let table = run::on_profiles(&source, &catalog::registry(), &names, &Options::default());
    let table = table.expect("it runs");
    for (row, on) in table.rows.iter().zip(&table.hazards[0].on) {
        let bad = row.stale_reads + row.other_bad_reads > 0;
        assert_eq!(on.visible, bad, "{}: {}", on.profile, on.why);
    }
}

/// One command with two mistakes, of which a machine without caches shows one: the write of `a` is ordered before the read and
/// only not made visible; that of `b` is not ordered either, and still runs.
#[test]
fn a_hazard_that_no_wrong_read_is_due_to_is_not_visible() {
    let text = "
buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer c : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline { q execute {
  dispatch \"a\" 1x1x1 takes 1us { UNORDERED_ACCESS a writes }
  barrier { buffer c { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }
  dispatch \"b\" 1x1x1 takes 90us { UNORDERED_ACCESS b writes }
  dispatch \"reads\" 1x1x1 takes 1us { SHADER_RESOURCE a; SHADER_RESOURCE b }
} }";
    let report = report(text, "reference", "precise");
    let hazards = report.findings.iter().filter(|f| f.rule.id == "HZ101");
    let visible: Vec<_> = hazards
        .map(|f| (f.resource.as_deref(), f.visible))
        .collect();
    assert_eq!(visible, [(Some("a"), Some(false)), (Some("b"), Some(true))]);
}

/// The second read of a repeat goes wrong, the first does not: the finding, which names the first, says what was seen.
#[test]
fn a_hazard_is_visible_if_any_of_its_executions_is() {
    let text = "
buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
list reads : direct {
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE a }
}
list short : direct {
  dispatch \"short\" 1x1x1 takes 1ns { UNORDERED_ACCESS a writes }
  dispatch \"pause\" 1x1x1 takes 50us { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }
}
list long : direct { dispatch \"long\" 1x1x1 takes 50us { UNORDERED_ACCESS a writes } }
timeline { q execute short, reads; q execute long, reads }";
    let report = report(text, "reference", "precise");
    let hazards = report.findings.iter().filter(|f| f.rule.id == "HZ101");
    let visible: Vec<_> = hazards.map(|f| f.visible).collect();
    assert_eq!(visible, [Some(true)]);
}

/// What a lowering forgets is its own fault: the application asked for it.
#[test]
fn a_wrong_read_that_a_lowering_lets_happen_is_visible_in_its_finding() {
    let text = "
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline { q execute {
  dispatch \"warm\" 1x1x1 { SHADER_RESOURCE b }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS } }
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b }
} }";
    let mut seen = 0;
    for profile in profiles() {
        let report = report(text, profile, "forgets_invalidate");
        let (reads, visible) = told(&report);
        assert!(
            reads.iter().all(|r| *r == ["LW101"]),
            "{profile}: {reads:?}"
        );
        assert_eq!(
            visible.is_empty(),
            reads.is_empty(),
            "{profile}: {visible:?}"
        );
        assert!(visible.iter().all(|rule| *rule == "LW101"), "{profile}");
        seen += reads.len();
    }
    assert!(seen > 0, "some machine shows it");
}

/// Wrong reads of a run that no finding explains, and how many there are in all.
fn unexplained(
    (timeline, evaluation): (&Timeline<'_>, &Evaluation),
    profile: &Profile,
    lowering: &dyn Lowering,
) -> (Vec<String>, usize) {
    let program = lowering.lower(timeline, profile);
    let missing = ensure::check(timeline, profile, &program).missing;
    let watch = hazards::watch(timeline, evaluation);
    let mut trace = sim::simulate_watching(&program, profile, &SimOptions::default(), &watch);
    acquit(timeline, evaluation, &mut trace);
    let attribution = Attribution::new(timeline, evaluation, &missing, &trace);
    // What a synchronous copy promises is in no barrier: a lowering that breaks the promise has no finding.
    let is_copy = |node| {
        let command = timeline.command(node);
        command.is_some_and(|c| matches!(c.kind, CommandKind::Copy))
    };
    let excused =
        |o: &&Observation| lowering.is_wrong_on_purpose() && o.expected.is_some_and(is_copy);
    // A lowering does what the text says: a layout that the text gets wrong is an error of its own.
    let legality = validate::validate(timeline.scenario, timeline, RuleSet::default());
    let is_mistold = |o: &&Observation| {
        let name = timeline.scenario.resource_name(o.resource);
        let mistold = |f: &Finding| f.rule.id == "EB026" && f.resource.as_deref() == Some(name);
        o.kind == ObservationKind::Undecoded && legality.iter().any(mistold)
    };
    // A use that was reported counts as correct from then on: one of the same bytes stands for what comes after it (readings
    // R42, R47).
    let is_told = |o: &&Observation| {
        let whole = timeline.memory.whole(o.resource);
        let touches = |side: &Side| {
            let own = extents(timeline, side);
            own.iter().any(|e| {
                whole.is_some_and(|w| w.memory == e.memory)
                    && e.start < o.first_byte + o.bytes
                    && o.first_byte < e.end
            })
        };
        let earlier = evaluation.conflicts.iter();
        let mut earlier =
            earlier.filter(|c| c.kind.is_hazard() && (c.first.node < o.node || c.kind.is_race()));
        earlier.any(|c| touches(&c.first) && touches(&c.second))
    };
    let left = attribution.unexplained();
    let left = left.filter(|o| !excused(o) && !is_told(o) && !is_mistold(o));
    let left = left.map(|o| format!("{o:?}"));
    (left.collect(), trace.observations.len())
}

fn plain(text: &str) -> Scenario {
    legacy::translate(&scenario::parse(&Source::new("scene.scn", text)).0).into_owned()
}

/// Broken copies of random scenarios that were right, and such as never were, on every machine.
#[test]
fn every_wrong_read_of_a_random_scenario_is_explained() {
    let registry = catalog::registry();
    let (mut reads, mut wrong) = (0, Vec::new());
    let texts = sizes::MACHINE.seeds_times(60);
    let texts = texts.flat_map(|seed| [laws::broken(seed), random::scene(seed)]);
    for (number, text) in texts.enumerate() {
        let scenario = plain(&text);
        let timeline = Timeline::new(&scenario);
        let evaluation = graph::evaluate(&timeline, graph::Request::default());
        // Three machines a text, so that each has its turn; all of them at full size.
        let every = sizes::step(4, 2);
        let machines = registry.profiles.iter().skip(number % every);
        for entry in machines.step_by(every) {
            let profile = registry.profile(entry.name).expect("a profile");
            for lowering in &registry.lowerings {
                let (left, all) = unexplained((&timeline, &evaluation), &profile, *lowering);
                reads += all;
                let place = format!("{}, {}", profile.name, lowering.name());
                if !left.is_empty() && wrong.len() < 5 {
                    wrong.push(format!("{place}: {left:#?}\n{text}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(reads > 500, "{reads} wrong reads");
}

/// Every scenario of the project and small random ones with discards, aliases and several queues, on every machine in turn:
/// a wrong read has a hazard, a read of undefined contents or a missing operation that names it (reading R57).
#[test]
fn every_wrong_read_of_a_scene_is_explained() {
    let registry = catalog::registry();
    let (mut reads, mut wrong) = (0, Vec::new());
    let mut explained = |text: &str, profiles: &[&str], place: &str| {
        let source = Source::new("scene.scn", text);
        let (parsed, findings) = scenario::parse(&source);
        if findings.iter().any(|f| f.severity.fails()) || parsed.timeline.is_none() {
            return;
        }
        let scenario = pair_fence_barriers(plain(text));
        let timeline = Timeline::new(&scenario);
        if !timeline.fence_problems.is_empty() {
            // A run that hangs or comes in no order is named by the rules of fences.
            return;
        }
        let evaluation = graph::evaluate(&timeline, graph::Request::default());
        for name in profiles {
            let profile = registry.profile(name).expect("a profile");
            let (left, all) = unexplained((&timeline, &evaluation), &profile, &lower::PRECISE);
            reads += all;
            if !left.is_empty() {
                wrong.push(format!("{place}, {name}: {left:#?}\n{text}"));
            }
        }
    };
    let all = profiles();
    // Of the second folder, some random run went wrong once without a word.
    let folders = ["scenarios", "tests/suite/fixtures/wrong_reads"];
    let paths = folders.into_iter().flat_map(crate::tour::files);
    for (number, path) in paths.enumerate() {
        let text = crate::tour::source(&path).text;
        let at = number % all.len();
        let on = if sizes::is_full() {
            &all
        } else {
            &all[at..=at]
        };
        explained(&text, on, &path.display().to_string());
    }
    for seed in sizes::READS.seeds() {
        let text = crate::reference::random_scenario(seed);
        let at = usize::try_from(seed).unwrap_or_default() % all.len();
        explained(&text, &all[at..=at], &format!("seed {seed}"));
    }
    let names = wrong.iter().map(|w| w.lines().next().unwrap_or_default());
    let names: Vec<_> = names.collect();
    println!("{names:#?}");
    let few = &wrong[..wrong.len().min(5)];
    assert!(
        wrong.is_empty(),
        "{} runs:\n{}",
        wrong.len(),
        few.join("\n")
    );
    assert!(reads > 500, "{reads} wrong reads");
}

/// One barrier that lacks several operations is one finding. It lists each operation with the write and the read that it
/// fails, and counts executions, not operations.
#[test]
fn a_barrier_that_lacks_several_operations_is_one_finding() {
    let list = "
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> ALL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE|CONSTANT_BUFFER } }
  dispatch \"first\" 1x1x1 { SHADER_RESOURCE b }
  dispatch \"second\" 1x1x1 { CONSTANT_BUFFER b }
}
";
    let mut most = 0;
    for (times, timeline) in [
        (1, "timeline { q execute l }"),
        (3, "timeline { repeat 3 { q execute l } }"),
    ] {
        let text = format!("{list}{timeline}");
        let source = Source::new("scene.scn", &text);
        for profile in profiles() {
            let bugs = |rows: bool| {
                let options = Options {
                    profile: Some(profile.to_owned()),
                    lowering: Some("forgets_invalidate".into()),
                    without_commands: !rows,
                    without_barriers: !rows,
                    without_path: !rows,
                    without_proofs: true,
                    ..Options::default()
                };
                let report = run::run(&source, &catalog::registry(), &options).expect("it runs");
                let findings = report.findings.into_iter().filter(|f| f.rule.id == "LW101");
                findings.collect::<Vec<_>>()
            };
            let (whole, streamed) = (bugs(true), bugs(false));
            assert_eq!(whole, streamed, "{profile}");
            let scenario = plain(&text);
            let once = Timeline::new(&scenario);
            let machine = catalog::registry().profile(profile).expect("a profile");
            let program = lower::FORGETS_INVALIDATE.lower(&once, &machine);
            let missing = ensure::check(&once, &machine, &program).missing.len() / times;
            assert_eq!(whole.len(), usize::from(missing > 0), "{profile}");
            let Some(bug) = whole.first() else { continue };
            assert_eq!(bug.repeats as usize, times, "{profile}");
            let notes = bug
                .notes
                .iter()
                .filter(|n| !n.starts_with("seen in this run"));
            let notes: Vec<_> = notes.collect();
            assert_eq!(notes.len(), missing, "{profile}: {notes:?}");
            for note in notes {
                assert!(
                    note.contains("dispatch \"write\" (q#1, UNORDERED_ACCESS)"),
                    "{note}"
                );
                let reads = [
                    "\"first\" (q#3, SHADER_RESOURCE)",
                    "\"second\" (q#4, CONSTANT_BUFFER)",
                ];
                assert!(reads.iter().any(|read| note.contains(read)), "{note}");
            }
            most = most.max(missing);
        }
    }
    assert!(
        most >= 3,
        "some machine has that many caches to drop: {most}"
    );
}
