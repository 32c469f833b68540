//! A run told in beats: laws over scenes and random runs, and what a few scenes say, derived by hand.

use crate::stalls::WITH_CAUSES;
use crate::tour::files;
use crate::{machine_random, random, sizes};
use std::collections::{BTreeMap, BTreeSet};
use syncscope::finding::Source;
use syncscope::id::{BarrierRef, OpId};
use syncscope::order::Timeline;
use syncscope::program::{HwOpKind, Program};
use syncscope::run::steps::{BeatRow, Told, told};
use syncscope::trace::{Reason, Trace};
use syncscope::{catalog, run, scenario, sim};

fn tell(name: &str, text: &str, lowering: Option<&str>) -> Told {
    tell_on(name, text, (None, lowering))
}

/// Tells a scene on a profile with a lowering; none: those that it names itself.
fn tell_on(name: &str, text: &str, (profile, lowering): (Option<&str>, Option<&str>)) -> Told {
    let options = run::Options {
        profile: profile.map(str::to_owned),
        lowering: lowering.map(str::to_owned),
        proposals: run::Proposals::None,
        ..run::Options::default()
    };
    let source = Source::new(name, text);
    let told = told(source, &catalog::registry(), &options, (None, false));
    told.unwrap_or_else(|what| panic!("{name}: {what}\n{text}"))
}

/// The number of a command on its queue: 4 of `gfx#4` and of `gfx#4.0`.
fn ordinal(id: &str) -> u32 {
    let (_, number) = id.rsplit_once('#').expect("an id");
    let number = number.split('.').next().expect("a number");
    number.parse().expect("a number")
}

/// What every telling of a run must be.
fn hold(told: &Told) {
    let beats = &told.steps().beats;
    let name = &told.source.name;
    causes_come_first(beats, name);
    every_hazard_is_one_beat(told);
    submitted_comes_first(beats, name);
    wrong_reads_are_those_of_the_report(told);
    commands_start_when_the_report_says(told);
    waits_end_before_others_begin(beats, name);
    questions_have_one_answer(told);
    no_work_was_left_where_that_is_said(told);
}

fn causes_come_first(beats: &[BeatRow], name: &str) {
    for (index, beat) in beats.iter().enumerate() {
        if let Some(before) = index.checked_sub(1) {
            assert!(beats[before].at <= beat.at, "{name}: {index}");
        }
        for cause in &beat.after {
            assert!((*cause as usize) < index, "{name}: {index}");
        }
    }
}

fn every_hazard_is_one_beat(told: &Told) {
    let mut found = BTreeMap::new();
    for (index, beat) in told.steps().beats.iter().enumerate() {
        if let Some(finding) = beat.finding {
            assert_eq!(beat.kind, "hazard");
            assert_eq!(found.insert(finding, index), None, "{}", told.source.name);
            let span = told.report.findings[finding].span;
            assert_eq!(beat.line, told.source.line(span.start));
        }
    }
    let findings = told.report.findings.iter().enumerate();
    let hazards = findings.filter(|(_, f)| f.hazard.is_some());
    let hazards: Vec<usize> = hazards.map(|(index, _)| index).collect();
    assert_eq!(
        found.into_keys().collect::<Vec<_>>(),
        hazards,
        "{}",
        told.source.name
    );
}

/// A command belongs to the submission that begins last before it on its queue.
fn submitted_comes_first(beats: &[BeatRow], name: &str) {
    let mut submitted: BTreeMap<&str, BTreeMap<u32, usize>> = BTreeMap::new();
    for (index, beat) in beats.iter().enumerate() {
        if beat.kind == "submitted" {
            let queue = submitted.entry(&beat.queue).or_default();
            queue.insert(ordinal(&beat.id), index);
        }
    }
    for (index, beat) in beats.iter().enumerate() {
        let is_of_cpu = beat.queue == "cpu";
        let is_of_nobody = matches!(beat.kind, "hazard" | "never-starts" | "never-ends");
        if beat.kind == "submitted" || is_of_cpu || is_of_nobody {
            continue;
        }
        let own = submitted.get(beat.queue.as_str());
        let own = own.and_then(|own| own.range(..=ordinal(&beat.id)).next_back());
        let (_, before) = own.unwrap_or_else(|| panic!("{name}: {beat:?} was not submitted"));
        assert!(
            *before < index,
            "{name}: {beat:?} comes before it is submitted"
        );
    }
}

fn wrong_reads_are_those_of_the_report(told: &Told) {
    type Key<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str, &'a str);
    let mut of_report: Vec<Key<'_>> = Vec::new();
    for row in &told.report.commands {
        let seen = row.observations.iter();
        of_report.extend(seen.map(|o| {
            let (saw, expected) = (o.saw.as_str(), o.expected.as_str());
            (
                row.id.as_str(),
                o.resource.as_str(),
                o.kind.as_str(),
                saw,
                expected,
                o.from.as_str(),
            )
        }));
    }
    let wrong = told
        .steps()
        .beats
        .iter()
        .filter(|beat| !beat.wrong.is_empty());
    let mut of_beats: Vec<Key<'_>> = wrong
        .map(|beat| {
            let (_, saw) = beat.version.as_ref().expect("a version");
            let (_, expected) = beat.expected.as_ref().expect("a version");
            (
                beat.id.as_str(),
                beat.resource.as_str(),
                beat.wrong,
                saw.as_str(),
                expected.as_str(),
                beat.place.as_str(),
            )
        })
        .collect();
    of_report.sort_unstable();
    of_beats.sort_unstable();
    assert_eq!(
        of_beats, of_report,
        "{}:\n{}",
        told.source.name, told.source.text
    );
}

fn commands_start_when_the_report_says(told: &Told) {
    let mut first = BTreeMap::new();
    for beat in told.steps().beats.iter().filter(|b| !b.stage.is_empty()) {
        first.entry(beat.id.as_str()).or_insert(beat.at);
    }
    for row in &told.report.commands {
        if let Some(at) = first.remove(row.id.as_str()) {
            assert_eq!(at, row.start, "{}: {}", told.source.name, row.id);
            assert!(row.ran);
        }
    }
    assert!(
        first.is_empty(),
        "{}: {first:?} are no commands",
        told.source.name
    );
}

fn waits_end_before_others_begin(beats: &[BeatRow], name: &str) {
    let mut held: BTreeSet<&str> = BTreeSet::new();
    for beat in beats {
        match beat.kind {
            "held" => assert!(held.insert(&beat.id), "{name}: {beat:?} is held already"),
            "released" => drop(held.remove(beat.id.as_str())),
            "starts" if beat.stage.is_empty() => {
                assert!(!held.contains(beat.id.as_str()), "{name}: {beat:?} is held");
            }
            _ => {}
        }
    }
    assert!(held.is_empty(), "{name}: {held:?} are held for ever");
}

const NO_WORK: &str = "is over: no work was left to wait for.";

/// Where a barrier is over because no work was left to wait for, none of the work that it waits for was still to come or to end
/// when it left the front end. The run that is told runs again for that.
fn no_work_was_left_where_that_is_said(told: &Told) {
    let beats = told.steps().beats.iter();
    let said = beats.filter(|beat| beat.says.ends_with(NO_WORK));
    let said: BTreeSet<&str> = said.map(|beat| beat.id.as_str()).collect();
    // What a kernel costs is in its own file.
    if said.is_empty() || told.source.text.contains("kernel") {
        return;
    }
    let (parsed, _) = scenario::parse(&told.source);
    let plain = run::as_run(parsed);
    let timeline = Timeline::new(&plain);
    let registry = catalog::registry();
    let profile = registry.profile(&told.report.profile).expect("its profile");
    let mut lowerings = registry.lowerings.iter();
    let lowering = lowerings.find(|lowering| lowering.name() == told.report.lowering);
    let program = lowering.expect("its lowering").lower(&timeline, &profile);
    let trace = sim::simulate(&program, &profile, &WITH_CAUSES);
    assert_eq!(Some(trace.makespan), told.report.makespan, "the same run");
    for (_, op) in program.ops() {
        let Some(entry) = op.origin.entry else {
            continue;
        };
        let node = op.origin.node;
        let id = timeline.barrier_name(BarrierRef { node, entry });
        if said.contains(id.as_str()) {
            let left = left_to_wait_for(&program, &trace, op.id);
            let report = &told.report;
            let machine = (&report.profile, &report.lowering);
            let place = format!("{}, {machine:?}: {id}", told.source.name);
            assert_eq!(left, None, "{place}\n{}", told.source.text);
        }
    }
}

/// A stage before a barrier packet on its queue that the packet waits for and that has not ended when it leaves the front end.
fn left_to_wait_for(program: &Program, trace: &Trace, id: OpId) -> Option<String> {
    let HwOpKind::Barrier(barrier) = program.op(id).kind else {
        return None;
    };
    let is_before = |reason| {
        let by_others = matches!(reason, Reason::WaitSlot | Reason::WaitBarrier(_));
        by_others || matches!(reason, Reason::FrontEnd | Reason::WaitIdle)
    };
    let spans = trace
        .spans(id)
        .take_while(|(_, span)| is_before(span.reason));
    let issued = spans
        .last()
        .map_or(trace.ops[id].queued, |(_, span)| span.end);
    let queue = program.block_of(id).queue;
    let causes = trace.causes.as_deref().expect("they were asked for");
    let mut stages = causes.stages();
    let left = stages.find(|(work, leaf, _, end)| {
        let is_earlier = *work < id && program.block_of(*work).queue == queue;
        is_earlier && barrier.wait.contains((*leaf).into()) && *end > issued
    });
    left.map(|(work, leaf, ..)| format!("{} of {work:?}", leaf.name()))
}

/// The true choice of a question about a read is the version that the beat names, or none if contents are undefined, and no
/// choice is there twice.
fn questions_have_one_answer(told: &Told) {
    let beats = &told.steps().beats;
    for (index, beat) in beats.iter().enumerate() {
        let Some(ask) = &beat.ask else { continue };
        let choices: BTreeSet<&String> = ask.choices.iter().collect();
        assert!(
            choices.len() == ask.choices.len() && choices.len() > 1,
            "{ask:?}"
        );
        let answer = &ask.choices[ask.answer];
        if beat.kind == "reads" && beat.wrong == "undefined" {
            assert_eq!(answer, "No version: its contents are undefined.");
        } else if beat.kind == "reads" {
            let (number, by) = beat.version.as_ref().expect("a version");
            assert!(
                answer.starts_with(&format!("Version {number}")),
                "{ask:?}: {beat:?}"
            );
            assert!(
                by == "initial contents" || answer.contains(by.as_str()),
                "{ask:?}: {beat:?}"
            );
        }
        if beat.kind == "starts" {
            assert_eq!(answer, &beat.queue);
            let mut now = beats[index..].iter().take_while(|b| b.at == beat.at);
            assert!(
                now.all(|b| b.kind != "starts" || b.queue == beat.queue),
                "{ask:?}: two queues start something at {}",
                beat.at
            );
        }
    }
}

#[test]
fn scenes_are_told_by_the_laws() {
    for folder in ["tour", "machine", "fences", "hazards", "lowering"] {
        for path in files(&format!("scenarios/{folder}")) {
            let text = std::fs::read_to_string(&path).expect("a scene");
            let source = Source::new(path.display().to_string(), text);
            let options = run::Options {
                proposals: run::Proposals::None,
                ..run::Options::default()
            };
            // Some scenes are not understood, or have nothing to run.
            let told = told(source, &catalog::registry(), &options, (None, false));
            let Ok(told) = told else { continue };
            hold(&told);
        }
    }
}

#[test]
fn random_runs_are_told_by_the_laws() {
    let (mut wrong, mut unneeded) = (0, 0);
    let registry = catalog::registry();
    for seed in sizes::RUNS.seeds() {
        let at = usize::try_from(seed).expect("a small number");
        let profile = registry.profiles[at % registry.profiles.len()].name;
        let other = registry.lowerings[at % registry.lowerings.len()].name();
        for (index, text) in [
            random::scene(seed),
            machine_random::scene(seed, seed % 2 == 0),
        ]
        .iter()
        .enumerate()
        {
            for machine in [
                (None, None),
                (None, Some("forgets_invalidate")),
                (Some(profile), None),
                (Some(profile), Some(other)),
            ] {
                let told = tell_on(&format!("random {index} of seed {seed}"), text, machine);
                let beats = told.steps().beats.iter();
                wrong += beats.clone().filter(|beat| !beat.wrong.is_empty()).count();
                unneeded += beats.filter(|beat| beat.says.ends_with(NO_WORK)).count();
                hold(&told);
            }
        }
    }
    assert!(wrong > 10, "{wrong} wrong reads");
    assert!(unneeded > 10, "{unneeded} barriers without work");
}

/// Kind, id and place of each beat that is about a resource.
fn about<'t>(told: &'t Told, resource: &str) -> Vec<(&'t str, &'t str, &'t str, usize)> {
    let beats = told.steps().beats.iter().filter(|b| b.resource == resource);
    beats
        .map(|beat| {
            let version = beat.version.as_ref().map_or(0, |(number, _)| *number);
            (beat.kind, beat.id.as_str(), beat.place.as_str(), version)
        })
        .collect()
}

/// A reader that has an old line in its own cache.
const WARM: &str = "queue gfx : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer out : 4KiB { flags UNORDERED_ACCESS }
timeline {
  gfx execute {
    dispatch \"warm\" 1x1x1 { SHADER_RESOURCE b; UNORDERED_ACCESS out writes }
    barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS } }
    dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
    barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
    dispatch \"read\" 1x1x1 { SHADER_RESOURCE b; UNORDERED_ACCESS out writes }
  }
}
";

/// On `rdna` shaders write through to L2 and read through L0V and GL1 (the book's paths). The first dispatch fills them with version
/// 0; the barrier drops that, so the last finds version 1, from L2.
#[test]
fn a_drop_is_told_where_it_changes_what_is_read() {
    let told = tell("warm.scn", WARM, None);
    hold(&told);
    let all = about(&told, "b");
    let drops: Vec<_> = all.iter().filter(|(kind, ..)| *kind == "dropped").collect();
    assert_eq!(
        drops,
        [
            &("dropped", "gfx#4.0", "L0V", 0),
            &("dropped", "gfx#4.0", "GL1", 0)
        ]
    );
    let others: Vec<_> = all.iter().filter(|(kind, ..)| *kind != "dropped").collect();
    assert_eq!(
        others,
        [
            &("reads", "gfx#1", "memory", 0),
            &("write-ends", "gfx#3", "L2", 1),
            &("reads", "gfx#5", "L2", 1)
        ]
    );
}

/// Without the last read nobody cares for what the barrier drops.
#[test]
fn a_drop_that_changes_nothing_is_not_told() {
    let (text, _) = WARM
        .split_once("    dispatch \"read\"")
        .expect("the last read");
    let told = tell("warm.scn", &format!("{text}  }}\n}}\n"), None);
    hold(&told);
    let kinds: Vec<_> = about(&told, "b").iter().map(|it| it.0).collect();
    assert_eq!(kinds, ["reads", "write-ends"]);
}

/// A lowering that forgets the drop leaves the reader the old line; the sentence says where the new one is.
#[test]
fn a_stale_read_says_where_the_version_is_that_it_missed() {
    let told = tell("warm.scn", WARM, Some("forgets_invalidate"));
    hold(&told);
    let wrong = told.steps().beats.iter().find(|b| !b.wrong.is_empty());
    let wrong = wrong.expect("a wrong read");
    assert_eq!(
        wrong.says,
        "dispatch \"read\" (gfx#5) reads version 0 of `b` from L0V, which is stale; version 1 of `b` is in L2: LW101."
    );
    assert_eq!((wrong.wrong, wrong.line), ("stale", 10));
    let ask = wrong.ask.as_ref().expect("a question");
    assert_eq!(
        ask.question,
        "Which version of `b` does dispatch \"read\" (gfx#5) read?"
    );
    assert_eq!(
        ask.choices,
        [
            "Version 0: initial contents.",
            "Version 1: what dispatch \"write\" (gfx#3) writes.",
            "No version: its contents are undefined."
        ]
    );
    assert_eq!(ask.answer, 0);
}

/// Colour goes to CB, textures are read through L2: the write-back is told if somebody reads, and not if nobody does.
#[test]
fn a_write_back_is_told_where_somebody_reads_what_it_writes() {
    let scene = |reader: &str| {
        format!(
            "queue gfx : direct
texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET; uncompressed }}
texture u : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET; uncompressed }}
timeline {{
  gfx execute {{
    draw \"paint\" pixels 4096 {{ RENDER_TARGET t }}
    barrier {{ texture t {{ sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }} }}
    draw \"look\" pixels 4096 {{ {reader} RENDER_TARGET u }}
  }}
}}
"
        )
    };
    let told = tell(
        "read.scn",
        &scene("SHADER_RESOURCE t @ PIXEL_SHADING;"),
        None,
    );
    hold(&told);
    let all = about(&told, "t");
    assert!(all.contains(&("cleaned", "gfx#2.0", "CB", 1)), "{all:?}");
    let read = all.iter().find(|it| it.0 == "reads" && it.1 == "gfx#3");
    assert_eq!(read.map(|it| it.3), Some(1), "{all:?}");
    let told = tell("unread.scn", &scene(""), None);
    hold(&told);
    assert!(about(&told, "t").iter().all(|it| it.0 != "cleaned"));
}

/// What holds a draw, said as one would say it.
#[test]
fn a_barrier_is_told_with_what_it_waits_for() {
    let path = "scenarios/tour/01-render-target-to-texture.scn";
    let text = std::fs::read_to_string(path).expect("a scene");
    let told = tell(path, &text, None);
    let says: Vec<&str> = told.steps().beats.iter().map(|b| b.says.as_str()).collect();
    for sentence in [
        "The CPU submits draw \"scene\", draw \"tone map\" and a barrier to gfx.",
        "draw \"scene\" (gfx#1) starts RENDER_TARGET.",
        "PIXEL_SHADING of draw \"tone map\" (gfx#3) is held by the barrier at line 22 (gfx#2.0), which waits until RENDER_TARGET of draw \"scene\" (gfx#1) is done.",
        "The barrier at line 22 (gfx#2.0) is over: RENDER_TARGET of draw \"scene\" (gfx#1) is done.",
    ] {
        assert!(
            says.contains(&sentence),
            "{sentence}\nis not among\n{}",
            says.join("\n")
        );
    }
    // Deleting that barrier leaves a read of what nobody made visible.
    let over = told.steps().beats.iter().find(|b| b.kind == "released");
    let ask = over.and_then(|beat| beat.ask.as_ref()).expect("a question");
    assert_eq!(
        ask.question,
        "What goes wrong if the barrier at line 22 is deleted?"
    );
    assert_eq!(ask.choices[ask.answer], "There is a new error or hazard.");
}

/// A barrier that waits for its own work while an earlier one waits for other work is told with its own, although that is over
/// first. One whose stage has no work has nothing to wait for, whatever goes on before it.
#[test]
fn a_barrier_is_told_with_its_own_work_while_another_one_waits() {
    // A machine whose front end does not stop at a barrier, and whose drains know their stages.
    let text = "device { profile reference }
queue gfx : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
timeline {
  gfx execute {
    dispatch \"long\" 1x1x1 takes 100us { UNORDERED_ACCESS b writes }
    draw \"short\" pixels 4096 takes 20us { RENDER_TARGET t }
    barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }
    barrier { texture t { sync RENDER_TARGET -> RENDER_TARGET; access RENDER_TARGET -> RENDER_TARGET; layout RENDER_TARGET -> RENDER_TARGET } }
    barrier { global { sync DEPTH_STENCIL -> DEPTH_STENCIL; access DEPTH_STENCIL_WRITE -> DEPTH_STENCIL_WRITE } }
    dispatch \"after\" 1x1x1 { UNORDERED_ACCESS b writes }
    draw \"again\" pixels 4096 { RENDER_TARGET t }
  }
}
";
    let told = tell("two.scn", text, None);
    hold(&told);
    let of = |id: &str| -> Vec<&str> {
        let beats = told.steps().beats.iter();
        let own = beats.filter(|b| b.id == id && matches!(b.kind, "held" | "released"));
        own.map(|b| b.says.as_str()).collect()
    };
    assert_eq!(
        of("gfx#3.0"),
        [
            "The barrier at line 9 (gfx#3.0) waits until COMPUTE_SHADING of dispatch \"long\" (gfx#1) is done.",
            "The barrier at line 9 (gfx#3.0) is over: COMPUTE_SHADING of dispatch \"long\" (gfx#1) is done.",
        ]
    );
    assert_eq!(
        of("gfx#4.0"),
        [
            "The barrier at line 10 (gfx#4.0) waits until RENDER_TARGET of draw \"short\" (gfx#2) is done.",
            "The barrier at line 10 (gfx#4.0) is over: RENDER_TARGET of draw \"short\" (gfx#2) is done.",
        ]
    );
    assert_eq!(
        of("gfx#5.0"),
        ["The barrier at line 11 (gfx#5.0) is over: no work was left to wait for."]
    );
}

/// Each of three queues waits for the next: three waits never end, three signals never start, and nothing else is told after that.
#[test]
fn a_deadlock_is_told() {
    let text = "fence f\nfence g\nfence h\nqueue a : direct\nqueue b : compute\nqueue c : copy\ntimeline {\n\
        a wait f 1\n  a signal h 1\n  b wait g 1\n  b signal f 1\n  c wait h 1\n  c signal g 1\n}\n";
    let told = tell("three.scn", text, None);
    hold(&told);
    let kinds: Vec<&str> = told.steps().beats.iter().map(|b| b.kind).collect();
    let count = |kind| kinds.iter().filter(|k| **k == kind).count();
    assert_eq!(
        (
            count("submitted"),
            count("never-ends"),
            count("never-starts")
        ),
        (6, 3, 3)
    );
    assert_eq!(kinds.len(), 12, "{kinds:?}");
}

/// What places hold at a beat is no more than what has been told: before a read is told, its cache does not show what it fetched.
#[test]
fn a_table_shows_nothing_before_it_is_told() {
    let told = tell("warm.scn", WARM, None);
    let steps = told.steps();
    let row = steps
        .cells
        .resources
        .iter()
        .position(|r| r == "b")
        .expect("a row");
    let place = |name: &str| {
        steps
            .cells
            .places
            .iter()
            .position(|p| p == name)
            .expect("a place")
    };
    let cell = |beat: usize, name: &str| {
        steps.cells.at(steps.beats[beat].moments)[row][place(name)].to_owned()
    };
    let read = |id: &str| {
        steps
            .beats
            .iter()
            .position(|b| b.kind == "reads" && b.id == id && b.resource == "b")
    };
    let (first, last) = (
        read("gfx#1").expect("a read"),
        read("gfx#5").expect("a read"),
    );
    assert_eq!(
        (cell(first - 1, "L0V"), cell(first, "L0V")),
        (String::new(), "0".into())
    );
    assert_eq!(
        (cell(last - 1, "L0V"), cell(last, "L0V")),
        (String::new(), "1".into())
    );
    assert_eq!(cell(last, "L2"), "1*");
}

/// A draw that reads too early at two stages, what fills its target is pushed out of a cache, and a present in the wrong layout.
const EARLY: &str = "queue gfx : direct
buffer data : 4MiB { flags UNORDERED_ACCESS }
texture t : R8G8B8A8_UNORM 1024x1024 { flags RENDER_TARGET; initial RENDER_TARGET }
list main : direct {
  dispatch \"fill\" 4000x1x1 { UNORDERED_ACCESS data writes }
  draw \"use\" vertices 3 pixels 1000 { SHADER_RESOURCE data; RENDER_TARGET t }
}
timeline {
  gfx execute main
  gfx present t
}
";

/// What is wrong at a use's first stage is not told as right at its next.
#[test]
fn a_read_that_is_wrong_at_two_stages_is_told_once() {
    let told = tell("early.scn", EARLY, None);
    hold(&told);
    let beats = told.steps().beats.iter();
    let reads = beats.filter(|b| b.kind == "reads" && b.id == "gfx#2" && b.resource == "data");
    let wrong: Vec<&str> = reads.map(|b| b.wrong).collect();
    assert_eq!(wrong, ["early"]);
}

/// A display reads when it begins, and not while it waits for its queue; so then the hazard is a fact.
#[test]
fn a_hazard_of_a_present_is_told_when_it_begins() {
    let told = tell("early.scn", EARLY, None);
    let beats = &told.steps().beats;
    let begins = beats
        .iter()
        .find(|b| b.kind == "starts" && b.id == "gfx#3")
        .expect("the present begins");
    let hazard = beats
        .iter()
        .find(|b| b.rules == ["HZ104"] && b.kind == "hazard")
        .expect("a hazard");
    assert_eq!(hazard.at, begins.at);
    let meeting = told.report.meetings.last().expect("a meeting");
    assert_eq!(meeting.second, begins.at);
}

/// A submission is told at its statement, wherever the list is.
#[test]
fn a_submission_has_the_line_of_its_statement() {
    let told = tell("early.scn", EARLY, None);
    let beats = told.steps().beats.iter();
    let lines: Vec<u32> = beats
        .filter(|b| b.kind == "submitted")
        .map(|b| b.line)
        .collect();
    assert_eq!(lines, [9, 10]);
}

/// A cache that has only some lines of a version, because others are still nearer to the writer, writes a part of it back.
#[test]
fn a_part_of_a_version_is_called_a_part() {
    let told = tell("early.scn", EARLY, None);
    let beats = told.steps().beats.iter();
    let cleaned = beats.filter(|b| b.kind == "cleaned" && b.resource == "t" && b.place == "L2");
    let says: Vec<&str> = cleaned.map(|b| b.says.as_str()).collect();
    let by_itself = "L2 writes part of version 1 of `t` back to memory.";
    assert!(says.contains(&by_itself), "{says:?}");
}

/// A wait that a reset drops has not been reached.
#[test]
fn a_wait_that_a_reset_drops_is_told_so() {
    let text = "buffer c : 64KiB { flags UNORDERED_ACCESS }\nfence f\nfence g\nqueue q : direct\nqueue p : compute\n\
        timeline {\n  q wait g 1\n  q signal f 1\n  reset queue q\n  p wait f 1\n}\n";
    let told = tell("reset.scn", text, None);
    hold(&told);
    let says: Vec<&str> = told.steps().beats.iter().map(|b| b.says.as_str()).collect();
    let has = |start: &str| says.iter().any(|says| says.starts_with(start));
    assert!(has("A GPU reset drops wait g 1 (q#1)"), "{says:?}");
    assert!(has("Fence `f` goes to 18446744073709551615"), "{says:?}");
    assert!(!has("q goes on"), "{says:?}");
}

/// A queue goes on when its wait is over: on `rdna` some time after the fence has reached the value.
#[test]
fn a_queue_goes_on_when_its_wait_is_over() {
    let text = std::fs::read_to_string("scenarios/tour/09-queue-race.scn").expect("a scene");
    let told = tell("race.scn", &text, None);
    let beats = told.steps().beats.iter();
    let released: Vec<_> = beats
        .filter(|b| b.kind == "released" && b.id == "async#2")
        .collect();
    let wait = told.report.commands.iter().find(|c| c.id == "async#2");
    let [over] = released.as_slice() else {
        panic!("{released:?}")
    };
    assert_eq!(Some(over.at), wait.map(|c| c.end));
}

/// A fast clear writes metadata only. What reads after its end is stale and not too early.
#[test]
fn a_read_after_a_fast_clear_has_ended_is_not_too_early() {
    let text = "device { profile intel }\ntexture d : D32_FLOAT 512x512 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }\n\
        texture t : R8G8B8A8_UNORM 256x256 { layers 2; flags RENDER_TARGET; initial RENDER_TARGET }\n\
        texture o : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }\n\
        queue gfx : direct\ntimeline { gfx execute {\n  clear-dsv d\n  clear-rtv t[layer 0]\n  \
        barrier { texture t { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_SOURCE; layout RENDER_TARGET -> COPY_SOURCE } }\n  \
        copy t[layer 0] -> t[layer 1]\n  \
        barrier { texture t { sync COPY -> COPY; access COPY_SOURCE -> COPY_SOURCE; layout COPY_SOURCE -> COPY_SOURCE } }\n  \
        draw \"use\" vertices 3 pixels 65536 { SHADER_RESOURCE d; RENDER_TARGET o }\n} }\n";
    let told = tell("clear.scn", text, None);
    let clear = told.report.commands.iter().find(|c| c.id == "gfx#1");
    let ended = clear.expect("the clear").end;
    let beats = told.steps().beats.iter();
    let wrong: Vec<_> = beats
        .filter(|b| !b.wrong.is_empty() && b.resource == "d" && b.at > ended)
        .collect();
    assert!(!wrong.is_empty(), "{text}");
    for beat in wrong {
        assert!(!beat.says.contains("too early"), "{}", beat.says);
    }
}
