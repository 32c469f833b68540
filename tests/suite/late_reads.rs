//! Reads take time (reading R76): what a write that lands in a read shows, on every machine.

use crate::machine_random::profiles;
use crate::sizes;
use crate::stalls::WITH_CAUSES;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::id::{Extent, NodeId, OpId, QueueId};
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::program::{Access, AccessMode, HwOpKind};
use syncscope::sim::{self, SimOptions};
use syncscope::time::Ps;
use syncscope::trace::{Observation, ObservationKind, Trace};
use syncscope::{catalog, run, scenario};

const DECLARED: &str = "buffer b : 64KiB { flags UNORDERED_ACCESS }
buffer other : 64KiB { flags UNORDERED_ACCESS }
texture depth : D32_FLOAT 64x64 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }
texture shared : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS|SIMULTANEOUS_ACCESS }
queue q : direct
queue c : compute
";

fn trace(text: &str, profile: &Profile) -> Trace {
    let (scenario, findings) = scenario::parse(&Source::new("late.scn", text));
    assert!(findings.is_empty(), "{findings:#?}\n{text}");
    let timeline = Timeline::new(&scenario);
    let lowering = catalog::registry().lowering(lowering_of(profile));
    let program = lowering.expect("it is built in").lower(&timeline, profile);
    sim::simulate(&program, profile, &SimOptions::default())
}

fn lowering_of(profile: &Profile) -> &str {
    if profile.name == "hopper" {
        "nvidia_like"
    } else {
        "precise"
    }
}

fn late(trace: &Trace) -> Vec<Observation> {
    let late = trace.observations.iter();
    late.filter(|o| o.kind == ObservationKind::Late)
        .copied()
        .collect()
}

/// A reader of 100 us and a writer of 1 us: the read goes on from when the write has landed, which is when its command ends,
/// to when the reader ends. On one queue and between two, and as far as the bytes of the write go.
#[test]
fn a_write_lands_in_a_read_on_every_profile() {
    let reads = "dispatch \"reads\" 1x1x1 takes 100us { SHADER_RESOURCE b }";
    let writes = "dispatch \"writes\" 1x1x1 takes 1us { UNORDERED_ACCESS b[1024..5120] writes }";
    let one = format!("{DECLARED}timeline {{ q execute {{\n{reads}\n{writes}\n}} }}\n");
    let two = format!(
        "{DECLARED}timeline {{\n  q execute {{\n{reads}\n}}\n  c execute {{\n{writes}\n}}\n}}\n"
    );
    for profile in profiles() {
        for text in [&one, &two] {
            let trace = trace(text, &profile);
            let place = format!("{}\n{text}", profile.name);
            let commands: Vec<_> = trace.commands.iter().filter(|c| c.ran()).collect();
            let [read, write] = *commands else {
                panic!("{place}: {commands:?}");
            };
            // What a queue of another machine starts first is its own matter.
            if write.end <= read.start {
                continue;
            }
            assert!(write.end < read.end, "{place}");
            let [late] = late(&trace)[..] else {
                panic!("{place}: {:?}", trace.observations);
            };
            assert_eq!(late.went_on, read.end - write.end, "{place}");
            assert!(late.went_on > Ps::from_ns(95_000), "{place}: {late:?}");
            assert_eq!((late.bytes, late.first_byte), (4096, 1024), "{place}");
        }
        assert_eq!(late(&trace(&one, &profile)).len(), 1, "{}", profile.name);
    }
}

/// The report says so: `HZ102` of one queue is visible on every profile.
#[test]
fn a_write_after_a_long_read_is_visible_everywhere() {
    let text = format!(
        "{DECLARED}timeline {{ q execute {{
  dispatch \"reads\" 1x1x1 takes 100us {{ SHADER_RESOURCE b }}
  dispatch \"writes\" 1x1x1 takes 1us {{ UNORDERED_ACCESS b writes }}
}} }}\n"
    );
    let registry = catalog::registry();
    for profile in profiles() {
        let options = run::Options {
            profile: Some(profile.name.clone()),
            lowering: Some(lowering_of(&profile).to_owned()),
            ..run::Options::default()
        };
        let report = run::run(&Source::new("late.scn", text.as_str()), &registry, &options);
        let report = report.expect("the scene runs");
        let hazards: Vec<_> = report
            .findings
            .iter()
            .filter(|f| f.rule.id == "HZ102")
            .collect();
        let [hazard] = hazards[..] else {
            panic!("{}: {:?}", profile.name, report.findings);
        };
        let notes = format!("{hazard:?}");
        assert!(
            notes.contains("the read went on for"),
            "{}: {notes}",
            profile.name
        );
    }
}

/// Two writers of two halves land in one read: both are told, by the first that landed.
#[test]
fn every_writer_that_lands_is_told() {
    let text = format!(
        "{DECLARED}timeline {{ q execute {{
  dispatch \"reads\" 1x1x1 takes 100us {{ SHADER_RESOURCE b }}
  dispatch \"low\" 1x1x1 takes 1us {{ UNORDERED_ACCESS b[0..32768] writes }}
  dispatch \"high\" 1x1x1 takes 5us {{ UNORDERED_ACCESS b[32768..65536] writes }}
}} }}\n"
    );
    for profile in profiles() {
        let trace = trace(&text, &profile);
        let late = late(&trace);
        let bytes: u64 = late.iter().map(|o| o.bytes).sum();
        assert_eq!(bytes, 65536, "{}: {late:?}", profile.name);
        let saw: Vec<_> = trace.wrong_parts.iter().map(|part| part.saw).collect();
        assert!(
            saw.len() == 2 && saw[0] != saw[1],
            "{}: {saw:?}",
            profile.name
        );
    }
}

/// What may meet: atomic operations, depth tests of one queue, what is written by whoever reads it, other bytes, texels of a
/// texture with simultaneous access of which nobody says when; and a write that was issued before the read is early, not
/// late.
#[test]
fn what_may_land_in_a_read_is_no_harm() {
    let commands = [
        "dispatch 1x1x1 takes 100us { UNORDERED_ACCESS b atomics }
  dispatch 1x1x1 takes 1us { UNORDERED_ACCESS b atomics }",
        "draw takes 100us { DEPTH_STENCIL_WRITE depth }
  draw takes 1us { DEPTH_STENCIL_WRITE depth }",
        "dispatch 1x1x1 takes 100us { SHADER_RESOURCE b[0..4096] }
  dispatch 1x1x1 takes 1us { UNORDERED_ACCESS b[4096..8192] writes }",
        "dispatch 1x1x1 takes 100us { UNORDERED_ACCESS b }",
        "dispatch 1x1x1 takes 10us { UNORDERED_ACCESS b writes }
  dispatch 1x1x1 takes 100us { SHADER_RESOURCE b }",
    ];
    for commands in commands {
        let text = format!("{DECLARED}timeline {{ q execute {{\n  {commands}\n}} }}\n");
        for profile in profiles() {
            let trace = trace(&text, &profile);
            assert_eq!(late(&trace), [], "{}\n{text}", profile.name);
        }
    }
}

/// A few commands on two queues, on parts of two buffers, with hardly a barrier and no fence.
fn races(seed: u64) -> String {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut text = String::from(
        "device { copies asynchronous }
buffer a : 64KiB { flags UNORDERED_ACCESS }
buffer b : 64KiB { flags UNORDERED_ACCESS }
queue q : direct
queue c : compute
timeline {
",
    );
    for queue in ["q", "c"] {
        let _ = writeln!(text, "{queue} execute {{");
        for _ in 0..rng.random_range(2..8) {
            let mut used = || {
                let buffer = ["a", "b"][rng.random_range(0..2)];
                let start = 4096 * rng.random_range(0..8);
                let end = start + 4096 * rng.random_range(1..8);
                let access = [
                    "SHADER_RESOURCE",
                    "UNORDERED_ACCESS",
                    "UNORDERED_ACCESS",
                    "UNORDERED_ACCESS",
                ];
                let narrowed = ["", "", " writes", " atomics"];
                let at = rng.random_range(0..4);
                format!("{} {buffer}[{start}..{end}]{}", access[at], narrowed[at])
            };
            let used = used();
            let takes = rng.random_range(1..40);
            let line = match rng.random_range(0..5) {
                0 => {
                    let access = "access UNORDERED_ACCESS -> UNORDERED_ACCESS";
                    format!(
                        "barrier {{ buffer a {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; {access} }} }}"
                    )
                }
                _ => format!("dispatch 1x1x1 takes {takes}us {{ {used} }}"),
            };
            let _ = writeln!(text, "  {line}");
        }
        text += "}\n";
    }
    text + "}\n"
}

/// A use of a work packet: when its stage ran, in which order it was issued, and what it is.
struct Timed<'p> {
    op: OpId,
    node: NodeId,
    queue: Option<QueueId>,
    from: Ps,
    to: Ps,
    access: &'p Access,
    extents: &'p [Extent],
}

/// From the times of stages alone: which reads a write landed in. Packets are numbered in the order of issue of each queue; a
/// write of another queue counts if it was not the latest when the read was issued.
#[test]
fn late_is_what_the_times_of_stages_say() {
    let (mut late_pairs, mut scenes) = (0, 0);
    for seed in sizes::MACHINE.seeds_times(150) {
        let text = races(seed);
        let (scenario, findings) = scenario::parse(&Source::new("races.scn", &text));
        assert!(findings.is_empty(), "{findings:#?}\n{text}");
        let timeline = Timeline::new(&scenario);
        for profile in profiles() {
            let program = syncscope::lower::PRECISE.lower(&timeline, &profile);
            let trace = sim::simulate(&program, &profile, &WITH_CAUSES);
            let causes = trace.causes.as_deref().expect("they were asked for");
            let mut stages: BTreeMap<OpId, (Ps, Ps)> = BTreeMap::new();
            for (op, _, from, to) in causes.stages() {
                stages.insert(op, (from, to));
            }
            let mut uses: Vec<Timed<'_>> = Vec::new();
            for block in &program.blocks {
                for op in &block.ops {
                    let HwOpKind::Work(work) = &op.kind else {
                        continue;
                    };
                    let (from, to) = stages[&op.id];
                    uses.extend(
                        work.accesses
                            .of(&block.accesses)
                            .iter()
                            .map(|access| Timed {
                                op: op.id,
                                node: op.origin.node,
                                queue: block.queue,
                                from,
                                to,
                                access,
                                extents: access.extents.of(&block.extents),
                            }),
                    );
                }
            }
            let mut expected: BTreeSet<(NodeId, NodeId)> = BTreeSet::new();
            let mut possible = expected.clone();
            for read in uses.iter().filter(|it| it.access.mode == AccessMode::Read) {
                for write in uses.iter().filter(|it| it.access.mode == AccessMode::Write) {
                    let meets = read.extents.iter().any(|a| {
                        let mut others = write.extents.iter();
                        others.any(|b| a.intersection(*b).is_some())
                    });
                    let lands = read.from <= write.to && write.to < read.to;
                    let is_later = write.queue != read.queue || write.op > read.op;
                    let is_atomic = read.access.atomic && write.access.atomic;
                    if read.op == write.op || !meets || !lands || !is_later || is_atomic {
                        continue;
                    }
                    possible.insert((read.node, write.node));
                    // What had not begun when the read did was issued after it, or is nobody's latest version then.
                    if read.from < write.to && (write.queue == read.queue || write.from > read.from)
                    {
                        expected.insert((read.node, write.node));
                    }
                }
            }
            let seen = trace.wrong_parts.iter().filter_map(|part| {
                let read = &trace.observations[part.observation as usize];
                let saw = part.saw.filter(|_| read.kind == ObservationKind::Late)?;
                Some((read.node, saw))
            });
            let seen: BTreeSet<(NodeId, NodeId)> = seen.collect();
            // What another queue had issued before the read is what the read waited for in vain: it is early.
            let early = trace.wrong_parts.iter().filter_map(|part| {
                let read = &trace.observations[part.observation as usize];
                Some((read.node, part.expected?))
            });
            let early: BTreeSet<(NodeId, NodeId)> = early.collect();
            expected.retain(|pair| !early.contains(pair));
            let place = format!("{}, seed {seed}\n{text}", profile.name);
            assert!(seen.is_subset(&possible), "{seen:?} {possible:?} {place}");
            assert!(expected.is_subset(&seen), "{expected:?} {seen:?} {place}");
            late_pairs += seen.len();
            scenes += 1;
        }
    }
    assert!(late_pairs > scenes, "{late_pairs} in {scenes}");
}
