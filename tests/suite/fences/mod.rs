//! Fences: the gallery holds what its lines expect, and the resolution of signals and waits agrees with every
//! interleaving of a machine that knows nothing of it.

mod interleave;

use crate::tour::{files, source};
use interleave::Machine;
use rand::prelude::*;
use std::fmt::Write as _;
use syncscope::analyze::account::{FenceAccount, accounts};
use syncscope::finding::Source;
use syncscope::id::SubmissionId;
use syncscope::order::{Actor, FenceProblemKind, SubmissionKind, Timeline};
use syncscope::report::{self, expect};
use syncscope::scenario::Scenario;
use syncscope::storage::Memory;
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

fn parse(text: &str) -> Scenario {
    let (parsed, findings) = scenario::parse(&Source::new("random.scn", text));
    assert!(findings.is_empty(), "{text}{findings:#?}");
    parsed
}

fn has(timeline: &Timeline<'_>, kinds: &[FenceProblemKind]) -> bool {
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
            assert_eq!(cycle[0].0, problem.submission, "{text}");
            for (index, (wait, signal)) in cycle.iter().enumerate() {
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
                // The signal comes behind the next wait: on its actor, or because the CPU submits it later.
                let next = cycle[(index + 1) % cycle.len()].0;
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

/// Two signals of a queue and one waiter for the second value.
fn account(fence: &str, waiter: &str) -> FenceAccount {
    let text = format!(
        "fence f {{ {fence} }}\nqueue gfx : direct\nqueue async : compute\ntimeline {{\n  gfx signal f 1\n  \
         gfx signal f 2\n  {waiter}\n}}\n"
    );
    let parsed = parse(&text);
    accounts(&Timeline::new(&parsed)).remove(0)
}

/// Native fences: interrupt if the new value is greater than `MonitoredValue`, which is the least value that the CPU
/// waits for, less one; `u64::MAX` without a waiter; 0 across adapters. Monitored fences: always.
#[test]
fn interrupts_are_raised_where_somebody_is_told() {
    let counts = |fence: &str, waiter: &str| {
        let account = account(fence, waiter);
        (account.interrupts, account.spurious, account.saved)
    };
    let (cpu, queue, nobody) = ("cpu wait f 2", "async wait f 2", "cpu work 1us");
    assert_eq!(counts("kind monitored", cpu), (2, 1, 0));
    assert_eq!(counts("kind monitored", queue), (2, 1, 0));
    assert_eq!(counts("kind monitored", nobody), (2, 2, 0));
    assert_eq!(counts("kind native", cpu), (1, 0, 1));
    assert_eq!(counts("kind native", queue), (0, 0, 2));
    assert_eq!(counts("kind native", nobody), (0, 0, 2));
    assert_eq!(
        counts("kind native; flags Shared|CrossAdapter", cpu),
        (2, 1, 0)
    );
    let account = account("kind native", cpu);
    let used = (
        account.queue_signals,
        account.cpu_signals,
        account.queue_waits,
        account.cpu_waits,
    );
    assert_eq!(used, (2, 0, 0, 1));
    let values: Vec<u64> = account.values.iter().map(|(_, value)| *value).collect();
    assert_eq!(values, [1, 2]);
}

/// Seed `003`, "Remarks": packed values, system memory for what is shared, and who sets an `INTRA_GPU` fence's value.
#[test]
fn the_page_of_fences_says_where_values_lie() {
    let parsed = parse(
        "fence a { kind native }\nfence b { kind native; flags Shared }\nfence c = 5 { native INTRA_GPU }\n\
         fence d\nqueue gfx : direct\ntimeline {\n  gfx signal c 6\n}\n",
    );
    let timeline = Timeline::new(&parsed);
    let mut page = Vec::new();
    report::fences::write(
        &timeline,
        &accounts(&timeline),
        &Memory::discrete(),
        &mut page,
    )
    .expect("writing to memory");
    let page = String::from_utf8(page).expect("text");
    let part = |name: &str| {
        let rest = page
            .split(&format!("fence {name}: "))
            .nth(1)
            .expect("a part for each fence");
        rest.split("\nfence ").next().unwrap_or_default().to_owned()
    };
    for (name, line) in [
        ("a", "system memory, page 0 + 0 bytes"),
        ("a", "local memory (CPU-visible), page 0 + 0 bytes"),
        ("b", "system memory, page 1 + 0 bytes"),
        ("c", "local memory, page 0 + 64 bytes"),
        ("c", "none: the CPU does not wait"),
        (
            "c",
            "undefined, then 5 by the driver's first packet → 6 (gfx#1)",
        ),
        ("d", "system memory, kept by the operating system"),
    ] {
        assert!(part(name).contains(line), "{name}: {line}\n{page}");
    }
    assert!(
        page.lines().all(|line| line.chars().count() <= 100),
        "{page}"
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
