//! Reads take time (reading R76): what a write that lands in a read shows, on every machine.

use crate::machine_random::profiles;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::order::Timeline;
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
