//! What a run shows of a read that races with a write of another queue: it is early if it does not see what comes before
//! it in the text, and wrong if it sees what comes after it (readings R42, R44), whichever the machine issued first.
//!
//! Times are those of `rdna` that are in `machine.rs`: a scope of shader work begins after 3.3 us, a call of the CPU takes
//! 1 us.

use syncscope::finding::{Finding, Source};
use syncscope::order::Timeline;
use syncscope::run::{self, Options};
use syncscope::{catalog, graph, scenario};

const BUFFERS: &str = "
buffer x : 4KiB { flags UNORDERED_ACCESS }
buffer y : 4KiB { flags UNORDERED_ACCESS }
queue gfx : direct
queue async : compute
";

/// The one race of a text, as `run` finds it on a profile; the same with and without rows.
fn race(profile: &str, timeline: &str) -> Finding {
    let text = format!("{BUFFERS}timeline {{\n{timeline}\n}}\n");
    let source = Source::new("race.scn", text.clone());
    let find = |brief: bool| {
        let options = Options {
            profile: Some(profile.to_owned()),
            without_commands: brief,
            without_barriers: brief,
            without_path: brief,
            ..Options::default()
        };
        let report = run::run(&source, &catalog::registry(), &options).expect("it runs");
        let races = report.findings.into_iter().filter(|f| f.rule.id == "HZ201");
        let mut races: Vec<_> = races.collect();
        assert_eq!(races.len(), 1, "{text}");
        races.remove(0)
    };
    let (whole, brief) = (find(false), find(true));
    assert_eq!(whole, brief, "{text}");
    whole
}

#[track_caller]
fn expect(profile: &str, timeline: &str, seen: Option<&str>) {
    let race = race(profile, timeline);
    assert_eq!(
        race.visible,
        Some(seen.is_some()),
        "{profile}: {:?}\n{timeline}",
        race.notes
    );
    if let Some(seen) = seen {
        let mut notes = race.notes.iter();
        assert!(notes.any(|note| note.contains(seen)), "{:?}", race.notes);
    }
}

/// One race is told of a use and the latest use that it races with; where each subresource has a finding, one of each two uses.
#[test]
fn an_unfolded_race_is_one_of_two_uses() {
    let write = "{ dispatch 1x1x1 { UNORDERED_ACCESS x writes } }";
    let text = format!(
        "{BUFFERS}timeline {{\n  gfx execute {write}\n  gfx execute {write}\n  async execute {write}\n}}\n"
    );
    let (scenario, findings) = scenario::parse(&Source::new("races.scn", text));
    assert!(findings.is_empty(), "{findings:?}");
    let timeline = Timeline::new(&scenario);
    let races = |unfolded: bool| {
        let request = graph::Request {
            unfolded,
            ..graph::Request::default()
        };
        let found = graph::evaluate(&timeline, request).conflicts;
        found.iter().filter(|c| c.kind.is_race()).count()
    };
    assert_eq!((races(false), races(true)), (1, 2));
}

/// The CPU reads at 1 us; the write is launched after 3.1 us (rdna), or begins at 0.1 us and lasts (reference). After 51 us
/// it is over and written back.
#[test]
fn a_read_before_the_write_began_is_early() {
    let write = "gfx execute { dispatch 1x1x1 takes 10us { UNORDERED_ACCESS x writes } }\n";
    for profile in ["rdna", "reference"] {
        let early = "read 4096 bytes (4.0 KiB) of early data: it saw initial contents, not dispatch (gfx#1)";
        expect(profile, &format!("{write}cpu read x"), Some(early));
        expect(profile, &format!("{write}cpu work 50us\ncpu read x"), None);
    }
}

/// The write is issued after a dispatch and held by a barrier until that is over; the read of the other queue comes long
/// before. If it is submitted after 100 us, it sees the write.
#[test]
fn a_queue_that_runs_ahead_reads_old_contents() {
    let write = "gfx execute {
        dispatch 1x1x1 takes 20us { UNORDERED_ACCESS y writes }
        barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }
        dispatch 1x1x1 takes 1us { UNORDERED_ACCESS x writes }
      }\n";
    let read = "async execute { dispatch 1x1x1 takes 1us { SHADER_RESOURCE x } }";
    for profile in ["rdna", "reference"] {
        let early = "it saw initial contents, not dispatch (gfx#3)";
        expect(profile, &format!("{write}{read}"), Some(early));
        expect(profile, &format!("{write}cpu work 100us\n{read}"), None);
    }
}

/// The read comes first in the text: the CPU refills the buffer at 1 us, before a queue reads it that is busy for 20 us. If the CPU
/// comes after 100 us, the read saw what it should have.
#[test]
fn a_read_that_sees_what_stands_behind_it_is_shown() {
    let read = "gfx execute {
        dispatch 1x1x1 takes 20us { UNORDERED_ACCESS y writes }
        barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
        dispatch 1x1x1 takes 1us { SHADER_RESOURCE x; SHADER_RESOURCE y }
      }\n";
    for profile in ["rdna", "reference"] {
        let seen = "dispatch (gfx#3) read 4096 bytes (4.0 KiB) of early data: it saw cpu write (cpu#1), which comes later in the \
                    text";
        expect(profile, &format!("{read}cpu write x"), Some(seen));
        expect(profile, &format!("{read}cpu work 100us\ncpu write x"), None);
    }
}

/// Only the bytes that the write touches count.
#[test]
fn bytes_that_nobody_raced_for_are_not_counted() {
    let text = "gfx execute { dispatch 1x1x1 takes 10us { UNORDERED_ACCESS x[1024..2048] writes } }\ncpu read x";
    expect(
        "rdna",
        text,
        Some("read 1024 bytes (1.0 KiB) of early data"),
    );
}
