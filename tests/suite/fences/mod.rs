//! Fences: the gallery holds what its lines expect, and the resolution of signals and waits agrees with every
//! interleaving of a machine that knows nothing of it.

mod account;
mod hidden;
mod interleave;
mod objects;

use crate::tour::{files, source};
use interleave::Machine;
use rand::prelude::*;
use std::fmt::Write as _;
use syncscope::analyze::fences;
use syncscope::finding::Source;
use syncscope::id::SubmissionId;
use syncscope::order::{Actor, FenceProblemKind, SubmissionKind, Timeline};
use syncscope::report::expect;
use syncscope::scenario::Scenario;
use syncscope::{catalog, run, scenario};

/// Both ways: each expectation is met, and nothing worse than a warning is left over, with the machine and without.
#[test]
fn the_gallery_of_fences_holds() {
    let registry = catalog::registry();
    let scenes = files("scenarios/fences");
    assert!(scenes.len() >= 25, "{} scenes", scenes.len());
    let mut wrong = Vec::new();
    for path in scenes {
        let source = source(&path);
        if !source.text.starts_with("// ") {
            wrong.push(format!("{}: no opening sentence", source.name));
        }
        let (parsed, _) = scenario::parse(&source);
        let options = run::Options::default();
        let checked = run::check(&source, &options).findings;
        let ran = run::run(&source, &registry, &options)
            .expect("a scene runs")
            .findings;
        for findings in [checked, ran] {
            let mismatches = expect::compare(
                &parsed.expectations,
                &findings,
                &source,
                &registry.rules,
                &[],
            );
            wrong.extend(
                mismatches
                    .iter()
                    .map(|m| format!("{}:{}: {m:?}", source.name, m.line())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A short timeline of two or three queues and the CPU. The values of a fence rise in the CPU's order.
fn scene(random: &mut StdRng) -> String {
    let queues = random.random_range(1..=3);
    let fences = random.random_range(1..=3);
    let mut text = String::new();
    let mut values = vec![0_u64; fences];
    for fence in 0..fences {
        let flags = if random.random_bool(0.2) {
            " { flags TopOfPipeline }"
        } else {
            ""
        };
        writeln!(text, "fence f{fence}{flags}").expect("a string");
    }
    for queue in 0..queues {
        writeln!(text, "queue q{queue} : direct").expect("a string");
    }
    text.push_str("timeline {\n");
    for _ in 0..random.random_range(3..=9) {
        let actor = match random.random_range(0..=queues) {
            n if n == queues => "cpu".to_owned(),
            n => format!("q{n}"),
        };
        let fence = random.random_range(0..fences);
        let line = match random.random_range(0..5) {
            0 | 1 => {
                values[fence] += random.random_range(1..=2);
                format!("{actor} signal f{fence} {}", values[fence])
            }
            2 | 3 => {
                let value = random.random_range(1..=values[fence] + 2);
                format!("{actor} wait f{fence} {value}")
            }
            _ if actor == "cpu" => "cpu work 1us".to_owned(),
            _ => format!("{actor} execute {{ dispatch 1x1x1 {{ }} }}"),
        };
        writeln!(text, "  {line}").expect("a string");
    }
    text.push_str("}\n");
    text
}

pub(crate) fn parse(text: &str) -> Scenario {
    let (parsed, findings) = scenario::parse(&Source::new("random.scn", text));
    assert!(findings.is_empty(), "{text}{findings:#?}");
    parsed
}

pub(crate) fn has(timeline: &Timeline<'_>, kinds: &[FenceProblemKind]) -> bool {
    let mut problems = timeline.fence_problems.iter();
    problems.any(|p| kinds.contains(&p.kind))
}

const STUCK: [FenceProblemKind; 5] = [
    FenceProblemKind::NeverSatisfied,
    FenceProblemKind::SetBack,
    FenceProblemKind::Lost,
    FenceProblemKind::Deadlock,
    FenceProblemKind::ReturnTrip,
];

/// What is found before running is what happens: a wait is called hopeless if and only if the machine stops.
#[test]
fn a_timeline_stops_exactly_where_a_wait_is_found_to_be_hopeless() {
    let mut random = StdRng::seed_from_u64(6);
    let (mut stops, mut ends) = (0, 0);
    for _ in 0..4_000 {
        let text = scene(&mut random);
        let parsed = parse(&text);
        let timeline = Timeline::new(&parsed);
        if has(&timeline, &[FenceProblemKind::DoesNotRaise]) {
            // The machine keeps the greatest value.
            continue;
        }
        let machine = Machine::new(&timeline);
        let stopped = !machine.is_over(&machine.last());
        assert_eq!(
            has(&timeline, &STUCK),
            stopped,
            "{text}{:#?}",
            timeline.fence_problems
        );
        if stopped {
            stops += 1;
        } else {
            ends += 1;
        }
    }
    assert!(stops > 500 && ends > 500, "{stops} stop, {ends} end");
}

/// The machine stops at a wait if and only if one was found to be hopeless before: both ways, on generated timelines.
#[test]
fn the_run_stops_exactly_where_the_check_says_so() {
    let mut random = StdRng::seed_from_u64(9);
    let (mut stops, mut ends, mut timed) = (0, 0, 0);
    for _ in 0..1_500 {
        let text = scene(&mut random);
        let parsed = parse(&text);
        let timeline = Timeline::new(&parsed);
        if has(&timeline, &[FenceProblemKind::DoesNotRaise]) {
            continue;
        }
        let (_, trace) = account::simulated(&timeline);
        let hopeless = has(&timeline, &STUCK);
        let stuck = !trace.stuck.is_empty();
        // A hang that depends on timing is announced, and an error where it happens.
        let warned = fences::findings(&timeline)
            .iter()
            .any(|f| f.rule.id == "FN112");
        assert!(
            hopeless == stuck || stuck && warned,
            "{text}{:#?}",
            timeline.fence_problems
        );
        if stuck {
            let found = fences::findings_of_run(&timeline, &trace);
            assert!(found.iter().any(|f| f.severity.fails()), "{text}{found:#?}");
        }
        timed += u32::from(hopeless != stuck);
        if hopeless {
            stops += 1;
        } else {
            ends += 1;
        }
    }
    assert!(
        stops > 200 && ends > 200 && timed < 100,
        "{stops} stop, {ends} end, {timed} hang by timing"
    );
}

/// The waits of a cycle really wait for each other, and it is reported on the first of them.
#[test]
fn a_cycle_is_one() {
    let mut random = StdRng::seed_from_u64(7);
    let mut cycles = 0;
    for _ in 0..4_000 {
        let text = scene(&mut random);
        let parsed = parse(&text);
        let timeline = Timeline::new(&parsed);
        let problems = timeline.fence_problems.iter();
        for problem in problems.filter(|p| p.kind == FenceProblemKind::Deadlock) {
            let cycle = &problem.cycle;
            cycles += 1;
            assert_eq!(cycle[0].0.submission, problem.submission, "{text}");
            for (index, (wait, signal)) in cycle.iter().enumerate() {
                let (wait, signal) = (&wait.submission, &signal.submission);
                let (
                    SubmissionKind::Wait { fence, value },
                    SubmissionKind::Signal {
                        fence: of,
                        value: to,
                    },
                ) = (
                    timeline.submission(*wait).kind,
                    timeline.submission(*signal).kind,
                )
                else {
                    panic!("a wait and a signal:\n{text}{problem:#?}");
                };
                assert!(fence == of && to >= value, "{text}{problem:#?}");
                assert!(
                    problem.submission <= *wait,
                    "the first wait:\n{text}{problem:#?}"
                );
                // The signal comes after the next wait: on its actor, or because the CPU submits it later.
                let next = cycle[(index + 1) % cycle.len()].0.submission;
                let actor = timeline.submission(next).actor;
                let behind = next < *signal
                    && (actor == timeline.submission(*signal).actor || actor == Actor::Cpu);
                assert!(behind, "{text}{problem:#?}");
            }
        }
    }
    assert!(cycles > 300, "{cycles} cycles");
}

/// Happens-before holds in every interleaving, and where it is not claimed some interleaving breaks it.
#[test]
fn happens_before_is_what_all_interleavings_share() {
    let mut random = StdRng::seed_from_u64(8);
    let (mut ordered, mut unordered) = (0, 0);
    for _ in 0..4_000 {
        let text = scene(&mut random);
        let parsed = parse(&text);
        let timeline = Timeline::new(&parsed);
        if !timeline.fence_problems.is_empty() {
            continue;
        }
        let machine = Machine::new(&timeline);
        let overtaken = machine.overtaken();
        let count = timeline.submissions.len();
        for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
            let (first, second) = (SubmissionId::new(a), SubmissionId::new(b));
            if a == b || machine.is_early(first) || machine.is_early(second) {
                continue;
            }
            let claimed = timeline.happens_before(first, second);
            assert_eq!(claimed, !overtaken[a][b], "{a} before {b}:\n{text}");
            if claimed {
                ordered += 1;
            } else {
                unordered += 1;
            }
        }
    }
    assert!(
        ordered > 5_000 && unordered > 5_000,
        "{ordered} and {unordered}"
    );
}

/// Names of the header's objects and fields stay what the file says, in text and in JSON.
#[test]
fn declared_objects_are_printed_as_they_are_read() {
    let text = "fence a = 3 { kind cpu_notification; flags SignalByKmd; adapter 1 }\n\
                fence b { native INTRA_GPU }\nfence c { flags Shared|NtSecuritySharing|0x800 }\n";
    let parsed = parse(text);
    let printed = scenario::print(&parsed);
    assert_eq!(parse(&printed).fences.len(), 3);
    for line in text.lines() {
        assert!(printed.contains(line), "{printed}");
    }
    let (_, findings) = scenario::parse(&Source::new("wrong.scn", "fence f { kind spoon }\n"));
    assert!(
        findings
            .iter()
            .any(|f| f.severity.fails() && f.message.contains("spoon"))
    );
    let (_, findings) = scenario::parse(&Source::new("wrong.scn", "fence f { flags NoSignall }\n"));
    let help = findings[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("NoSignal"), "{findings:#?}");
}
