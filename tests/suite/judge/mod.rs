//! `judge`: packets of drivers, what is wrong with a recording of them, and what they come to.
//!
//! What packets must have is derived by hand from the caches of the profiles and the pairs that need something; the packets
//! of the three findings are those that shipped drivers wrote on a machine without a GPU.

pub(crate) mod shaped;
pub(crate) mod shipped;
mod streams;

use crate::cli::command;
use syncscope::catalog;
use syncscope::finding::{Severity, Source};
use syncscope::hardware::Profile;
use syncscope::lower::recorded::{self, mistakes};
use syncscope::verify::{
    Class, Driver, DriverJudgement, JudgedOn, driver_situations, judge_drivers,
};

const TWO_CALLS: &str = include_str!("two_calls.scn");

fn profile(name: &str) -> Profile {
    catalog::registry().profile(name).expect("it is built in")
}

/// A recording, judged on one scene on a profile that no line has to name.
fn judged(name: &str, scene: &str, packets: &str, on: &str) -> DriverJudgement {
    judged_on(&profile(on), (name, scene), packets)
}

fn judged_on(profile: &Profile, (name, scene): (&str, &str), packets: &str) -> DriverJudgement {
    let source = Source::new("trace.jsonl", packets);
    let trace = recorded::read(&source);
    let programs = [Source::new(format!("{name}.scn"), scene)];
    let registry = catalog::registry();
    judge_drivers(
        &programs,
        &trace,
        &source,
        JudgedOn::Named(&registry, profile),
    )
}

/// Class and cause of everything that the only scene of a driver lacks.
fn lacks(driver: &Driver) -> Vec<(Class, &str)> {
    let [situation] = driver.situations.as_slice() else {
        panic!("one scene");
    };
    assert!(situation.mistakes.is_empty(), "{:?}", situation.mistakes);
    let lacks = situation.lacks.iter();
    lacks
        .map(|lack| (lack.class, lack.cause.as_str()))
        .collect()
}

/// What the two calls of `two_calls.scn` lack on `rdna`.
fn two_calls(packets: &str) -> Vec<(Class, String)> {
    let found = judged("two_calls", TWO_CALLS, packets, "rdna");
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    let lacks = lacks(&found.drivers[0]).into_iter();
    lacks
        .map(|(class, cause)| (class, cause.to_owned()))
        .collect()
}

/// On `rdna` a dispatch writes through L0V and GL1 into L2, and a pixel shader reads through L0V or K, GL1 and L2.
#[test]
fn right_packets_lack_nothing() {
    let right = r#"{"schema":1,"wait":["COMPUTE_SHADING"],"invalidate":["L0V","K","GL1"]}
{"schema":1,"wait":["PIXEL_SHADING"]}
"#;
    assert_eq!(two_calls(right), []);
    // The same in any place between the two uses, by whoever wrote it (reading R78).
    let before_work = r#"{"schema":1,"barrier":"q#2"}
{"schema":1,"at":"work","command":"read","wait":["ALL"],"invalidate":["L0V","K","GL1"]}
{"schema":1,"barrier":"q#4"}
{"schema":1,"at":"work","wait":["PIXEL_SHADING"]}
"#;
    assert_eq!(two_calls(before_work), []);
}

#[test]
fn what_comes_too_late_in_the_stream_helps_nobody() {
    let after = r#"{"schema":1,"barrier":"q#2","invalidate":["L0V","K","GL1"]}
{"schema":1,"barrier":"q#4","wait":["ALL"],"invalidate":["L0V","K","GL1"]}
{"schema":1,"at":"end","wait":["ALL"]}
"#;
    let lacks = two_calls(after);
    assert!(
        lacks
            .iter()
            .any(|(_, cause)| cause == "does not wait for COMPUTE_SHADING"),
        "{lacks:?}"
    );
}

/// On a machine whose layout operations are shaders with an L1 of their own, one of them does not find what another one has left
/// there, although one packet has both.
#[test]
fn layout_operations_of_one_packet_find_what_was_written_back_between_them() {
    let base = include_str!("../../../src/hardware/profiles/intel9.toml");
    let own = "base = \"intel9\"\nname = \"shader-resolves\"\n[path]\nLAYOUT_OPERATION = [[\"L1\", \"L3\"]]\n";
    let machine = Profile::parse_on(&[own, base]).expect("it is a machine");
    let scene = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS; initial RENDER_TARGET }
queue q : direct
list l : direct {
  draw \"paint\" { RENDER_TARGET t }
  barrier { texture t { sync RENDER_TARGET -> ALL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> COMMON } }
  dispatch \"read\" 8x8x1 { SHADER_RESOURCE t }
}
timeline { q execute l }
";
    // It holds less than it is asked, so that what is between the two uses counts.
    let found = |between: &str| {
        let packet = format!(
            r#"{{"schema":1,"wait":["RENDER_TARGET"],"hold":["COMPUTE_SHADING"],"ops":[{{"flush":"RT"}},{{"flush":"CCS"}},{{"invalidate":"L1"}},{{"layout":"partial resolve"}},{between}{{"layout":"full resolve"}},{{"flush":"L1"}},{{"invalidate":"L1"}},{{"invalidate":"TEX"}}]}}"#
        );
        let found = judged_on(&machine, ("two", scene), &format!("{packet}\n"));
        assert!(found.findings.is_empty(), "{:?}", found.findings);
        lacks(&found.drivers[0]).len()
    };
    assert_eq!(found(r#"{"flush":"L1"},{"invalidate":"L1"},"#), 0);
    assert_eq!(found(""), 1);
}

/// Nobody reads the buffer through L0V of a pixel shader, K or GL1 before the dispatch writes: but the dispatch writes through
/// L0V and GL1 itself.
#[test]
fn a_drop_of_what_nobody_has_is_owed_only_if_somebody_has_it() {
    let without_k = r#"{"schema":1,"wait":["COMPUTE_SHADING"],"invalidate":["L0V","GL1"]}
{"schema":1,"wait":["PIXEL_SHADING"]}
"#;
    let kept = two_calls(without_k);
    assert_eq!(kept, [(Class::Owed, "does not drop K".to_owned())]);
    let without = r#"{"schema":1,"wait":["COMPUTE_SHADING"],"invalidate":["K","GL1"]}
{"schema":1,"wait":["PIXEL_SHADING"]}
"#;
    let [(class, cause)] = two_calls(without).try_into().expect("one lack");
    assert_eq!(cause, "does not drop L0V");
    assert_ne!(class, Class::Owed, "the dispatch went through it");
}

/// NVK 25.0.7 waits for nothing between a read and a write, and never drops constants; 26.1.6 does both. The packets are
/// certain; a hazard by the Vulkan specification; unproven on hardware.
#[test]
fn nvk_waits_for_no_reader_and_keeps_constants() {
    let found = judged(
        "nvk",
        include_str!("nvk.scn"),
        include_str!("nvk.jsonl"),
        "nvidia",
    );
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    let [old, new] = found.drivers.as_slice() else {
        panic!("two versions");
    };
    let old_lacks = lacks(old);
    let causes: Vec<&str> = old_lacks.iter().map(|(_, cause)| *cause).collect();
    assert_eq!(
        causes,
        [
            "does not wait for COMPUTE_SHADING",
            "does not drop C1",
            "does not drop C15",
        ]
    );
    assert_eq!(lacks(new), []);
}

/// ANV 25.0.7 before Xe2 has no stall between dispatches of a compute queue; 26.1.6 has one, and so had Xe2. The packets are
/// certain; a hazard by the Vulkan specification; unproven on hardware.
#[test]
fn anv_does_not_stall_between_dispatches() {
    let found = judged(
        "anv",
        include_str!("anv.scn"),
        include_str!("anv.jsonl"),
        "intel",
    );
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    let [old, new, xe2] = found.drivers.as_slice() else {
        panic!("three devices and versions");
    };
    assert_eq!(
        lacks(old),
        [(Class::Shown, "does not wait for COMPUTE_SHADING")]
    );
    assert_eq!(lacks(new), []);
    assert_eq!(lacks(xe2), []);
}

/// RADV, 25.0.7 and still 26.1.6, waits for nothing where the first scope is the index input alone. The packets are certain; a
/// hazard by the Vulkan specification and by the driver's own treatment of `VERTEX_INPUT`; unproven on hardware.
#[test]
fn radv_does_not_wait_for_index_input() {
    let found = judged(
        "radv",
        include_str!("radv.scn"),
        include_str!("radv.jsonl"),
        "rdna",
    );
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    assert_eq!(found.drivers.len(), 2);
    for driver in &found.drivers {
        let causes: Vec<&str> = lacks(driver).into_iter().map(|(_, cause)| cause).collect();
        assert_eq!(causes, ["does not wait for INDEX_INPUT"], "{}", driver.name);
    }
}

/// Scopes are lowered in the order in which they may run: here the later one of the text comes first.
#[test]
fn packets_of_nobody_are_each_in_their_own_scope() {
    let scene = "buffer r : 64KiB { flags UNORDERED_ACCESS }
fence f
queue late : compute
queue soon : direct
list reads : compute {
  dispatch \"read\" 64x1x1 { SHADER_RESOURCE r }
}
list writes : direct {
  dispatch \"first\" 64x1x1 { UNORDERED_ACCESS r writes }
  barrier { buffer r { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }
  dispatch \"second\" 64x1x1 { UNORDERED_ACCESS r }
}
timeline {
  late wait f 1
  late execute reads
  soon execute writes
  soon signal f 1
}
";
    let packets = r#"{"schema":1,"at":"submit","wait":["ALL"],"flush":["L2"]}
{"schema":1,"at":"work","command":"read","wait":["ALL"]}
{"schema":1,"at":"end","command":"reads","flush":["CB"]}
{"schema":1,"barrier":"soon#2"}
{"schema":1,"at":"work","command":"second","wait":["ALL"],"invalidate":["L0V","K","GL1"]}
{"schema":1,"at":"end","flush":["DB"]}
"#;
    let found = judged("queues", scene, packets, "rdna");
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    assert_eq!(lacks(&found.drivers[0]), []);
    let more = found.drivers[0].situations[0].more.iter();
    let more: Vec<(&str, &str)> = more.map(|it| (it.cause.as_str(), it.at.as_str())).collect();
    assert!(more.contains(&("writes CB back", "late#2")), "{more:?}");
    assert!(more.contains(&("writes DB back", "soon#3")), "{more:?}");
}

/// What is more than anyone asked is told of the packet that does it, also where no barrier is.
#[test]
fn waste_is_told_of_calls_and_of_nobody() {
    let wasteful = r#"{"schema":1,"barrier":"q#2","wait":["COMPUTE_SHADING"],"invalidate":["L0V","K","GL1"]}
{"schema":1,"barrier":"q#4","wait":["PIXEL_SHADING"],"flush":["CB"]}
{"schema":1,"at":"end","flush":["DB"]}
"#;
    let found = judged("two_calls", TWO_CALLS, wasteful, "rdna");
    let more = found.drivers[0].situations[0].more.iter();
    let more: Vec<(&str, &str)> = more.map(|it| (it.cause.as_str(), it.at.as_str())).collect();
    assert!(more.contains(&("writes CB back", "q#4.0")), "{more:?}");
    assert!(more.contains(&("writes DB back", "q#5")), "{more:?}");
    assert!(
        !more.iter().any(|(cause, _)| cause.contains("L0V")),
        "{more:?}"
    );
}

/// The rules of family `PT`, each with its two examples, on the scene of two calls.
#[test]
fn each_mistake_has_its_message() {
    // No recording lacks an answer: that is of drivers in processes.
    let rules = mistakes::RULES.iter().filter(|rule| rule.id != "PT007");
    for rule in rules {
        for (name, expected) in [("fires", vec![rule.id]), ("quiet", vec![])] {
            let path = format!(
                "{}/scenarios/rules/{}/{name}.jsonl",
                env!("CARGO_MANIFEST_DIR"),
                rule.id
            );
            let packets =
                std::fs::read_to_string(&path).unwrap_or_else(|it| panic!("{path}: {it}"));
            let found = judged("two_calls", TWO_CALLS, &packets, "rdna");
            let mut rules: Vec<&str> = found.findings.iter().map(|it| it.rule.id).collect();
            rules.dedup();
            // A line that is gone leaves its call without one.
            rules.retain(|id| *id == rule.id || *id != "PT006");
            assert_eq!(rules, expected, "{path}");
            for finding in &found.findings {
                assert!(
                    !finding.notes.is_empty(),
                    "{path}: what was kept is not said"
                );
                assert!(finding.help.is_some(), "{path}: no way out");
            }
        }
    }
}

/// Lines that say nothing sound are left out one by one, and nothing stops.
#[test]
fn whatever_a_line_says_the_others_are_judged() {
    let right = r#"{"schema":1,"barrier":"q#2","wait":["COMPUTE_SHADING"],"invalidate":["L0V","K","GL1"]}
{"schema":1,"barrier":"q#4","wait":["PIXEL_SHADING"]}
"#;
    for wrong in [
        "",
        "null",
        "[]",
        "{}",
        "\u{1b}[31m",
        r#"{"schema":2}"#,
        r#"{"schema":1,"wait":"ALL"}"#,
        r#"{"schema":1,"waits":[]}"#,
        r#"{"schema":1,"barrier":"q#10"}"#,
        r#"{"schema":1,"barrier":"q#99999999999.7"}"#,
        r#"{"schema":1,"at":"work","command":"q#2"}"#,
        r#"{"schema":1,"at":"submit","command":"nowhere"}"#,
        r#"{"schema":1,"at":"end","command":"nowhere"}"#,
        r#"{"schema":1,"scenario":"another"}"#,
        r#"{"schema":1,"profile":"../../etc/passwd"}"#,
    ] {
        let found = judged("two_calls", TWO_CALLS, &format!("{right}{wrong}"), "rdna");
        let first = &found.drivers[0].situations[0];
        assert!(first.lacks.is_empty(), "{wrong}: {:?}", first.lacks);
        assert_eq!(wrong.is_empty(), found.findings.is_empty(), "{wrong}");
    }
}

/// Every prefix of a recording is one.
#[test]
fn a_recording_may_end_anywhere() {
    let packets = include_str!("nvk.jsonl");
    for (end, _) in packets.char_indices().step_by(7) {
        let found = judged("nvk", include_str!("nvk.scn"), &packets[..end], "nvidia");
        // A line that is whole but for its line end is one.
        let is_whole = end == 0 || packets[..end].ends_with(['\n', '}']);
        let cut = found.findings.iter().filter(|it| it.rule.id == "PT001");
        assert_eq!(cut.count(), usize::from(!is_whole), "{end}");
    }
}

/// What `precise` emits for each situation, written down as a driver's packets, lacks nothing; with nothing at all, each
/// situation lacks something.
#[test]
fn situations_need_their_packets() {
    let programs = driver_situations();
    let rdna = profile("rdna");
    let registry = catalog::registry();
    let on = JudgedOn::Named(&registry, &rdna);
    let lines = |packet: &str| -> String {
        let names = programs.iter().map(|it| it.name.trim_end_matches(".scn"));
        let lines = names.map(|name| format!("{{\"schema\":1,\"barrier\":\"{name}\"{packet}}}\n"));
        lines.collect::<Vec<_>>().concat()
    };
    let of = |text: String| {
        let source = Source::new("trace.jsonl", text);
        judge_drivers(&programs, &recorded::read(&source), &source, on)
    };
    let caches: Vec<String> = rdna
        .cache_ids()
        .map(|id| format!("\"{}\"", rdna.cache(id).name))
        .collect();
    let dirty = ["CB", "DB", "CBM", "DBM", "GLM", "L2", "L2M"].map(|it| format!("\"{it}\""));
    let everything = format!(
        ",\"wait\":[\"ALL\"],\"flush\":[{}],\"layout\":[\"work\"],\"invalidate\":[{}],\"front_end\":true",
        dirty.join(","),
        caches.join(",")
    );
    let all = of(lines(&everything));
    assert!(all.findings.is_empty(), "{:?}", all.findings[0]);
    assert_eq!(all.drivers[0].legal().count(), 352);
    let nothing = of(lines(""));
    assert_eq!(nothing.drivers[0].legal().count(), 352);
    assert!(all.drivers[0].enough() > nothing.drivers[0].enough() + 250);
}

#[test]
fn the_command_prints_tables_and_documents() {
    let scene = "tests/suite/judge/anv.scn";
    let packets = "tests/suite/judge/anv.jsonl";
    let with = |more: &[&str]| {
        let mut words = vec!["judge", "--scenario", scene, "--packets", packets];
        words.extend(more);
        let output = command(&words).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).expect("text")
    };
    let page = with(&[]);
    assert!(page.contains("does not wait for COMPUTE_SHADING"), "{page}");
    assert!(
        page.lines().all(|line| line.chars().count() <= 100),
        "{page}"
    );
    let json: serde_json::Value = serde_json::from_str(&with(&["--format", "json"])).expect("JSON");
    assert_eq!(json["drivers"][0]["wrong"], 1);
    assert_eq!(json["drivers"][1]["enough"], 1);
    assert!(with(&["--format", "csv"]).contains("does not wait for COMPUTE_SHADING"));
    let junit = with(&["--format", "junit"]);
    assert!(junit.contains("failures=\"1\""), "{junit}");
    // A warning about the recording is in each document, and fails nothing.
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("judge-others.jsonl");
    let other = "{\"schema\":1,\"barrier\":\"another\"}\n".to_owned();
    std::fs::write(&path, other + include_str!("anv.jsonl")).expect("it can be written");
    let path = path.display().to_string();
    for format in ["json", "csv", "junit"] {
        let words = [
            "judge",
            "--scenario",
            scene,
            "--packets",
            &path,
            "--format",
            format,
        ];
        let output = command(&words).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{format}");
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(
            text.contains("1 packet is about another scenario, `another`"),
            "{text}"
        );
    }
}

/// A line that names no place is about what comes next after the line before, also where that goes back or to another queue; each
/// queue is a stream of its own. The end of a list is that of the execution in which the stream is.
#[test]
fn lines_without_a_place_follow_the_line_before() {
    let list = |name: &str| {
        format!(
            "list {name} : compute {{\n  dispatch \"one\" 64x1x1 {{ UNORDERED_ACCESS {name} }}\n  barrier {{ buffer {name} {{ sync \
             COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS }} }}\n  dispatch \"two\" 64x1x1 {{ \
             UNORDERED_ACCESS {name} }}\n}}\n"
        )
    };
    let scene = |timeline: &str| {
        format!(
            "buffer a : 4KiB {{ flags UNORDERED_ACCESS }}\nbuffer b : 4KiB {{ flags UNORDERED_ACCESS }}\nqueue p : compute\n\
             queue q : compute\n{}{}timeline {{ {timeline} }}\n",
            list("a"),
            list("b")
        )
    };
    let call = |id: &str| format!("{{\"schema\":1,\"barrier\":\"{id}\"}}\n");
    let next = "{\"schema\":1,\"at\":\"work\",\"flush\":[\"CB\"]}\n";
    let end = "{\"schema\":1,\"at\":\"end\",\"command\":\"a\",\"flush\":[\"DB\"]}\n";
    let at = |timeline: &str, packets: &str, cause: &str| -> Vec<String> {
        let found = judged("next", &scene(timeline), packets, "rdna");
        assert!(found.findings.is_empty(), "{packets}{:?}", found.findings);
        let more = found.drivers[0].situations[0].more.iter();
        let more = more.filter(|it| it.cause == cause);
        more.map(|it| it.at.clone()).collect()
    };
    let both = "p execute a\n q execute b";
    let packets = call("q#2") + &call("p#2") + next;
    assert_eq!(at(both, &packets, "writes CB back"), ["p#3"]);
    let packets = call("p#2") + &call("q#2") + next;
    assert_eq!(at(both, &packets, "writes CB back"), ["q#3"]);
    let packets = call("p#2") + end + &call("p#5");
    assert_eq!(
        at("p execute a, a", &packets, "writes DB back"),
        ["p#4"],
        "before what follows the first of two executions"
    );
}

/// What a packet can wait for and whose it is: `NONE` is nobody's stage, and a packet is a call's or nobody's.
#[test]
fn a_packet_is_of_a_call_or_of_nobody() {
    let of = |line: &str| {
        let found = judged("two_calls", TWO_CALLS, line, "rdna");
        let rules = found.findings.iter().map(|it| it.rule.id);
        rules.filter(|id| *id != "PT006").collect::<Vec<_>>()
    };
    assert!(of(r#"{"schema":1,"barrier":"q#2","wait":["NONE"]}"#).is_empty());
    assert_eq!(
        of(r#"{"schema":1,"barrier":"q#2","wait":["SPLIT"]}"#),
        ["PT002"]
    );
    assert_eq!(of(r#"{"schema":1,"barrier":"q#2","at":"work"}"#), ["PT003"]);
    assert_eq!(
        of(r#"{"schema":1,"barrier":"q#2","command":"read"}"#),
        ["PT003"]
    );
}

/// Scenarios are known by their files' names: two of one name are refused, and one that cannot be run is told if a line names it.
#[test]
fn scenarios_are_told_apart_and_told_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("x/two_calls.scn", TWO_CALLS);
    write("broken.scn", "scenario \"x\"\nqueue\n");
    let line = |name: &str| format!("{{\"schema\":1,\"barrier\":\"{name}\"}}\n");
    write(
        "trace.jsonl",
        &(line("two_calls") + &line("broken") + &line("two_calls")),
    );
    let judge = || {
        let mut judge = command(&["judge", "--situations", ".", "--packets", "trace.jsonl"]);
        let output = judge.current_dir(folder.path()).output().expect("it runs");
        let errors = String::from_utf8(output.stderr).expect("text");
        (output.status.code(), errors)
    };
    let (status, errors) = judge();
    assert_eq!(status, Some(2), "{errors}");
    assert!(
        errors.contains("the scenario `broken` cannot be run"),
        "{errors}"
    );
    write("y/two_calls.scn", TWO_CALLS);
    let (status, errors) = judge();
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.contains("apart"), "{errors}");
}

/// The drops come before the wait: it is not the wait that is missing.
#[test]
fn operations_before_their_wait_are_told_as_that() {
    let packets = concat!(
        r#"{"schema":1,"barrier":"q#2","invalidate":["L0V","K","GL1"]}"#,
        "\n",
        r#"{"schema":1,"at":"work","command":"q#3","wait":["COMPUTE_SHADING"]}"#,
        "\n",
        r#"{"schema":1,"barrier":"q#4","wait":["PIXEL_SHADING"]}"#,
        "\n"
    );
    let lacks = two_calls(packets);
    let late = "waits only after its operations for COMPUTE_SHADING".to_owned();
    assert_eq!(lacks, [(Class::Shown, late)]);
}

/// A barrier that drops contents reads nothing: lines that its drop leaves are found by what comes after it.
#[test]
fn a_change_that_reads_nothing_finds_no_lines() {
    let name = "mips-7-texture-render_target-render_target-to-copy_dest-copy";
    let mut all = syncscope::verify::situations();
    all.retain(|it| it.name.contains("renewals") && it.name.contains(name));
    assert_eq!(all.len(), 1, "{name}");
    let programs = [Source::new("renewal.scn", all[0].text.as_str())];
    let rdna = profile("rdna");
    let line = r#"{"schema":1,"wait":["ALL"],"layout":["work"]}"#;
    let source = Source::new("trace.jsonl", line);
    let registry = catalog::registry();
    let on = JudgedOn::Named(&registry, &rdna);
    let found = judge_drivers(&programs, &recorded::read(&source), &source, on);
    let lacks = &found.drivers[0].situations[0].lacks;
    let of_l2 = lacks.iter().find(|it| it.cause == "does not drop L2");
    let fails = &of_l2.expect("it lacks that").fails;
    assert!(
        fails.starts_with("what comes after the layout change"),
        "{fails}"
    );
}

/// What makes a line unreadable is of this line: a byte that is no UTF-8 leaves the others as they are.
#[test]
fn a_byte_that_is_no_text_costs_its_line() {
    let bytes = b"{\"schema\":1}\n{\"schema\":1,\"raw\":[\"\xff\"]}\n{\"schema\":1}\n";
    let (source, trace) = recorded::read_bytes("trace.jsonl", bytes);
    assert_eq!(trace.lines.len(), 2);
    let [finding] = trace.findings.as_slice() else {
        panic!("{:?}", trace.findings);
    };
    assert_eq!(finding.rule.id, "PT001");
    assert_eq!(source.line(finding.span.start), 2);
    assert!(
        finding.message.contains("not UTF-8: its byte 21"),
        "{finding:?}"
    );
    // A character that stands for such a byte is text like any other.
    let (_, trace) = recorded::read_bytes("t", "{\"schema\":1,\"raw\":[\"\u{fffd}\"]}".as_bytes());
    assert!(trace.findings.is_empty());
}

/// A recording that is a JSON array has one message, which says how it should be.
#[test]
fn an_array_of_packets_is_told_once() {
    let packets = r#"{"schema":1,"barrier":"q#2"},{"schema":1,"barrier":"q#4"}"#;
    for text in [
        format!("[{packets}]"),
        format!(" [\n{}\n]\n", packets.replace("},", "},\n")),
    ] {
        let trace = recorded::read(&Source::new("trace.json", text));
        let [finding] = trace.findings.as_slice() else {
            panic!("{:?}", trace.findings);
        };
        assert!(finding.message.contains("one packet a line"), "{finding:?}");
        assert!(trace.lines.is_empty());
    }
}

#[test]
fn the_command_names_what_it_needs_and_tables_have_mistakes() {
    let bare = command(&["judge"]).output().expect("the program starts");
    assert_eq!(bare.status.code(), Some(2));
    let says = String::from_utf8_lossy(&bare.stderr);
    assert!(
        says.contains("--situations") && says.contains("--scenario"),
        "{says}"
    );
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("judge-mistakes.jsonl");
    std::fs::write(&path, b"{\"schema\":1}\n\xff\n{\"schema\":1}\n").expect("it can be written");
    let path = path.display().to_string();
    let scene = "tests/suite/judge/two_calls.scn";
    let asked = [
        "judge",
        "--scenario",
        scene,
        "--packets",
        &path,
        "--format",
        "csv",
    ];
    let output = command(&asked).output().expect("the program starts");
    let table = String::from_utf8_lossy(&output.stdout);
    let row = table.lines().find(|line| line.contains("PT001"));
    let row = row.unwrap_or_else(|| panic!("{table}"));
    assert!(
        row.contains("mistake of the recording,error,PT001"),
        "{row}"
    );
    assert!(row.starts_with(",,,,,2,"), "{row}");
}

/// Nobody reads indirect arguments or indices here: the front end need not wait.
#[test]
fn a_hold_of_the_front_end_that_nobody_asked_for_is_more() {
    let with = |more: &str, end: &str| {
        let packets = format!(
            "{{\"schema\":1,\"barrier\":\"q#2\",\"wait\":[\"COMPUTE_SHADING\"],\"invalidate\":[\"L0V\",\"K\",\"GL1\"]{more}}}\n\
             {{\"schema\":1,\"barrier\":\"q#4\",\"wait\":[\"PIXEL_SHADING\"]}}\n{end}"
        );
        let found = judged("two_calls", TWO_CALLS, &packets, "rdna");
        assert!(found.findings.is_empty(), "{:?}", found.findings);
        let more = found.drivers[0].situations[0].more.iter();
        let more = more.map(|it| (it.cause.clone(), it.at.clone()));
        more.collect::<Vec<_>>()
    };
    let holds = |at: &str| ("holds the front end back".to_owned(), at.to_owned());
    assert_eq!(with("", ""), []);
    assert_eq!(with(",\"front_end\":true", ""), [holds("q#2.0")]);
    let work = "{\"schema\":1,\"at\":\"work\",\"command\":\"q#5\",\"front_end\":true}\n";
    assert_eq!(with("", work), [holds("q#5")]);
}

/// A recording of many scenarios may be judged on one of them: the others are one sentence, and no error.
#[test]
fn packets_about_other_scenarios_are_told_once() {
    let right = r#"{"schema":1,"barrier":"two_calls","wait":["COMPUTE_SHADING"],"invalidate":["L0V","K","GL1"]}
{"schema":1,"barrier":"two_calls","wait":["PIXEL_SHADING"]}
"#;
    let others = r#"{"schema":1,"barrier":"gfx.rt"}
{"schema":1,"barrier":"gfx.ds"}
{"schema":1,"scenario":"gfx.img","barrier":"q#2"}
"#;
    let packets = format!("{others}{right}");
    let found = judged("two_calls", TWO_CALLS, &packets, "rdna");
    assert_eq!(lacks(&found.drivers[0]), []);
    let [finding] = found.findings.as_slice() else {
        panic!("{:?}", found.findings);
    };
    assert_eq!(
        (finding.rule.id, finding.severity),
        ("PT003", Severity::Warning)
    );
    assert!(
        finding
            .message
            .contains("3 packets are about other scenarios, the first about `gfx.rt`"),
        "{finding:?}"
    );
    // An id of no call of the scenario is a mistake.
    let wrong = format!("{right}{{\"schema\":1,\"barrier\":\"q#9\"}}\n");
    let found = judged("two_calls", TWO_CALLS, &wrong, "rdna");
    assert!(found.findings[0].message.contains("no barrier call `q#9`"));
    assert_eq!(found.findings[0].severity, Severity::Error);
    // What names none of several scenarios is told once too, and is an error.
    let programs = ["a", "b"].map(|name| Source::new(format!("{name}.scn"), TWO_CALLS));
    let source = Source::new("trace.jsonl", "{\"schema\":1}\n{\"schema\":1}\n");
    let rdna = profile("rdna");
    let on = JudgedOn::This(&rdna);
    let found = judge_drivers(&programs, &recorded::read(&source), &source, on);
    let [finding] = found.findings.as_slice() else {
        panic!("{:?}", found.findings);
    };
    assert!(
        finding.message.contains("2 packets that name no scenario"),
        "{finding:?}"
    );
    assert_eq!(finding.severity, Severity::Error);
}

/// What some run shows comes first, whatever is more frequent.
#[test]
fn causes_are_in_the_order_of_their_classes() {
    let programs = ["a", "b", "c"].map(|name| Source::new(format!("{name}.scn"), TWO_CALLS));
    let after = |name: &str| {
        format!("{{\"schema\":1,\"barrier\":\"{name}\",\"wait\":[\"PIXEL_SHADING\"]}}\n")
    };
    let before = |name: &str, wait: &str, caches: &str| {
        format!(
            "{{\"schema\":1,\"barrier\":\"{name}\",\"wait\":[{wait}],\"invalidate\":[{caches}]}}\n{}",
            after(name)
        )
    };
    let waits = "\"COMPUTE_SHADING\"";
    let packets = before("a", waits, "\"L0V\",\"GL1\"")
        + &before("b", waits, "\"L0V\",\"GL1\"")
        + &before("c", "", "\"L0V\",\"K\",\"GL1\"");
    let source = Source::new("trace.jsonl", packets);
    let rdna = profile("rdna");
    let on = JudgedOn::This(&rdna);
    let found = judge_drivers(&programs, &recorded::read(&source), &source, on);
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    let causes = found.drivers[0].causes();
    let told: Vec<_> = causes
        .iter()
        .map(|it| (it.cause, it.shown.len(), it.owed.len()))
        .collect();
    assert_eq!(
        told,
        [
            ("does not wait for COMPUTE_SHADING", 1, 0),
            ("does not drop K", 0, 2)
        ]
    );
}

/// A packet of nobody that names what it holds holds no more than some barrier asks for: here pixel shaders. On `rdna` a partial
/// flush stops the front end, which holds everything as it is (reading R77); a wait for an event, such as that for depth, does not.
#[test]
fn a_hold_of_nobody_is_more_than_anyone_asked() {
    let with = |hold: &str| {
        let packets = format!(
            "{{\"schema\":1,\"barrier\":\"q#2\"}}\n\
             {{\"schema\":1,\"at\":\"work\",\"command\":\"q#3\",\"wait\":[\"COMPUTE_SHADING\",\"DEPTH_STENCIL\"]{hold},\"invalidate\":[\"L0V\",\"K\",\"GL1\"]}}\n\
             {{\"schema\":1,\"barrier\":\"q#4\",\"wait\":[\"PIXEL_SHADING\"]}}\n"
        );
        let found = judged("two_calls", TWO_CALLS, &packets, "rdna");
        assert!(found.findings.is_empty(), "{:?}", found.findings);
        assert_eq!(lacks(&found.drivers[0]), []);
        let more = found.drivers[0].situations[0].more.iter();
        let more = more.map(|it| (it.cause.clone(), it.at.clone()));
        let depth = ("waits for more stages".to_owned(), "q#3".to_owned());
        more.filter(|it| *it != depth).collect::<Vec<_>>()
    };
    assert_eq!(with(""), []);
    assert_eq!(with(",\"hold\":[\"PIXEL_SHADING\"]"), []);
    assert_eq!(
        with(",\"hold\":[\"PIXEL_SHADING\",\"COPY\"]"),
        [("holds more stages".to_owned(), "q#3".to_owned())]
    );
}
