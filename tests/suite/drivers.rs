//! Drivers in other processes: the examples of the book, what is wrong with an answer, and what becomes of a driver that gives
//! none.
//!
//! What an answer must have is derived by hand from the caches of `rdna`: a dispatch writes through L0V and GL1 into L2, and a
//! pixel shader reads through L0V or K, GL1 and L2.

use crate::cli::command;
use crate::tools::skipped;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use syncscope::catalog;
use syncscope::finding::{Finding, Source};
use syncscope::hardware::Profile;
use syncscope::interop::driver::{
    self, Driven, Driver, DriverFailure, FailureKind, describe, describe_profile,
};
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::scenario;
use syncscope::verify::{Machine, verify};

const TWO_CALLS: &str = include_str!("judge/two_calls.scn");

fn rdna() -> Profile {
    catalog::registry().profile("rdna").expect("it is built in")
}

fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("drivers-{test}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the target directory can be written");
    path
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/drivers/{name}"))
}

/// A driver that is built, with the header that the program prints; nothing where there is no compiler.
fn built(test: &str, source: &Path) -> Option<String> {
    let (compiler, standard) = if source.extension().is_some_and(|it| it == "cpp") {
        ("c++", "-std=c++11")
    } else {
        ("cc", "-std=c99")
    };
    if Command::new(compiler).arg("--version").output().is_err() {
        skipped(&format!("`{compiler}` is not installed"));
        return None;
    }
    let folder = directory(test);
    let header = command(&["schema", "--driver-header"]).output();
    let header = header.expect("the program starts").stdout;
    fs::write(folder.join("syncscope_driver.h"), header).expect("it can be written");
    let program = folder.join("driver");
    let flags = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-O2"];
    let made = Command::new(compiler)
        .args([standard])
        .args(flags)
        .arg("-I")
        .args([folder.as_path(), source])
        .arg("-o")
        .arg(&program)
        .output()
        .expect("the compiler starts");
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{said}");
    Some(format!("exec:{}", program.display()))
}

/// A driver that is a script.
fn script(name: &str, text: &str) -> String {
    let path = directory(name).join("driver");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("it can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    format!("exec:{}", path.display())
}

fn two_calls() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/judge/two_calls.scn");
    path.display().to_string()
}

fn json(arguments: &[&str]) -> Value {
    let output = command(arguments).output().expect("the program starts");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{arguments:?}: {e}: {}", said(&output)))
}

/// What `run` says of a scene with a driver.
fn run_on(scene: &str, lowering: &str) -> Value {
    let on = ["--profile", "rdna", "--lowering", lowering];
    json(&[&["run", scene], &on[..], &["--format", "json"]].concat())
}

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// A driver wrong on no legal program of the corpus, on every built-in profile.
fn is_right(lowering: &str) {
    let found = json(&["verify", "--lowering", lowering, "--format", "json"]);
    let profiles = found["profiles"].as_array().expect("profiles");
    let built_in = syncscope::catalog::registry().profiles.len();
    assert_eq!(profiles.len(), built_in, "{found}");
    for profile in profiles {
        assert_eq!(profile["wrong_legal_programs"], 0, "{found}");
    }
    assert_eq!(
        found["counterexamples"],
        Value::Array(Vec::new()),
        "{found}"
    );
}

#[test]
fn the_examples_in_c_and_in_cpp_are_right() {
    for name in ["first.c", "rdna_like.c", "whole_caches.cpp"] {
        if let Some(driver) = built(name, &fixture(name)) {
            is_right(&driver);
        }
    }
}

/// The port pays what the lowering that it is a port of pays, where no layout operation is: there it knows less.
#[test]
fn the_port_is_what_it_is_a_port_of() {
    let Some(driver) = built("port", &fixture("rdna_like.c")) else {
        return;
    };
    let scene = two_calls();
    let packets = |lowering: &str| {
        json(&[
            "lower",
            &scene,
            "--profile",
            "rdna",
            "--lowering",
            lowering,
            "--format",
            "json",
        ])
    };
    let (own, ported) = (packets("rdna_like"), packets(&driver));
    let [own, ported] = [&own, &ported].map(|it| {
        let rows = it["barriers"].as_array().expect("barriers").iter();
        let row = |row: &Value| {
            let steps = row["operations"].as_array().expect("operations").iter();
            let steps = steps.map(|step| (step["op"].clone(), step["target"].clone()));
            (
                row["wait"].clone(),
                row["hold"].clone(),
                steps.collect::<Vec<_>>(),
            )
        };
        rows.map(row).collect::<Vec<_>>()
    });
    assert!(!own.is_empty());
    assert_eq!(own, ported);
}

/// Vulkan's own header and this one agree about its structures.
#[test]
fn the_header_takes_vulkans_structures() {
    if !Path::new("/usr/include/vulkan/vulkan.h").exists() {
        return skipped("vulkan/vulkan.h is not installed");
    }
    let text = "#include <vulkan/vulkan.h>\n#include \"syncscope_driver.h\"\n\
        static void barrier(SsStream *stream, const SsBarrierCall *call) {\n\
        const VkDependencyInfo *info = &call->vk;\n SsPacket packet = ss_packet();\n\
        if (info->sType != VK_STRUCTURE_TYPE_DEPENDENCY_INFO) packet.wait = 0;\n\
        for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++)\n\
        if (info->pBufferMemoryBarriers[i].srcStageMask & VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT\n\
        && info->pBufferMemoryBarriers[i].sType == VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2)\n\
        packet.text = \"a buffer after compute\";\n ss_write(stream, &packet); }\n\
        SYNCSCOPE_DRIVER(NULL, barrier, NULL, NULL, 0, 0)\n";
    let source = directory("vulkan-source").join("driver.c");
    fs::write(&source, text).expect("it can be written");
    let Some(driver) = built("vulkan", &source) else {
        return;
    };
    let (timeline, profile) = (TWO_CALLS, rdna());
    let question = with_timeline(timeline, |timeline| describe(timeline, &profile));
    let folder = directory("vulkan-asked");
    let input = folder.join("in");
    fs::write(
        &input,
        format!("{}\n{question}\n", describe_profile(&profile)),
    )
    .expect("it can be");
    let answer = Command::new(driver.trim_start_matches("exec:"))
        .stdin(fs::File::open(&input).expect("it was written"))
        .output()
        .expect("it starts");
    let answer: Value = serde_json::from_slice(&answer.stdout).expect("an answer");
    let packets = answer["packets"].as_array().expect("packets");
    assert_eq!(packets[0]["raw"][0], "a buffer after compute", "{answer}");
}

fn with_timeline<R>(text: &str, say: impl FnOnce(&Timeline<'_>) -> R) -> R {
    let (scenario, findings) = scenario::parse(&Source::new("two_calls.scn", text));
    assert!(findings.is_empty(), "{findings:?}");
    say(&Timeline::new(&scenario))
}

/// A driver that always answers the same.
struct Canned(Result<&'static str, FailureKind>);

impl Driver for Canned {
    fn ask(&self, _: &Arc<str>, _: &str) -> Result<Arc<str>, DriverFailure> {
        let answer = self.0.clone();
        answer
            .map(Arc::from)
            .map_err(|kind| DriverFailure::new(kind, "it says why".to_owned()))
    }
}

fn found(answer: Result<&'static str, FailureKind>) -> Vec<Finding> {
    let driven = Driven::new("exec:canned", Box::new(Canned(answer)));
    with_timeline(TWO_CALLS, |timeline| driven.packets(timeline, &rdna()).1)
}

/// Each mistake of an answer: one message with its rule, its packet, what was kept and what would have been right.
#[test]
fn each_mistake_of_an_answer_has_its_message() {
    let rows: [(&str, &str, &str); 14] = [
        (r#"[{"schema":1,"barrier":"q#9"}]"#, "PT003", "packet 1"),
        (
            r#"[{"schema":1,"barrier":"q#2","entries":[3]}]"#,
            "PT003",
            "no entry 3",
        ),
        (
            r#"[{"schema":1,"barrier":"q#2","entries":[]}]"#,
            "PT003",
            "for no entry",
        ),
        (
            r#"[{"schema":1,"at":"work","command":"q#3","entries":[0]}]"#,
            "PT003",
            "names entries",
        ),
        (
            r#"[{"schema":1},{"schema":1,"ops":[{"flush":"L7"}]}]"#,
            "PT002",
            "packet 2",
        ),
        (
            r#"[{"schema":1,"barrier":"q#2","wait":["TEA"]}]"#,
            "PT002",
            "`TEA`",
        ),
        (
            r#"[{"schema":1,"barrier":"q#2","ops":[{"flush":"K"}]}]"#,
            "PT005",
            "never dirty",
        ),
        (
            r#"[{"schema":1,"ops":["front_end"],"flush":["L2"]}]"#,
            "PT005",
            "`ops`",
        ),
        (
            r#"[{"schema":1,"barrier":"q#4"},{"schema":1,"barrier":"q#2"}]"#,
            "PT004",
            "packet 2",
        ),
        (
            r#"[{"schema":1,"barrier":"q#2"},{"schema":1,"barrier":"q#2"}]"#,
            "PT004",
            "second",
        ),
        (
            r#"{"schema":1,"packets":[{"schema":1,"barr"#,
            "PT001",
            "cut in half",
        ),
        (r#"{"schema":2,"packets":[]}"#, "PT001", "version 2"),
        (
            r#"{"schema":1,"packets":[{"schema":1,"waits":[]}]}"#,
            "PT001",
            "packet 1",
        ),
        ("no JSON", "PT001", "no answer"),
    ];
    for (answer, rule, part) in rows {
        let findings = found(Ok(answer));
        let [finding] = findings.as_slice() else {
            panic!("{answer}: {findings:?}");
        };
        assert_eq!(finding.rule.id, rule, "{answer}: {finding:?}");
        assert!(finding.message.contains(part), "{answer}: {finding:?}");
        assert!(
            !finding.notes.is_empty(),
            "{answer}: what was kept is not said"
        );
        assert!(finding.help.is_some(), "{answer}: no way out");
    }
}

#[test]
fn what_gives_no_answer_is_told_with_what_it_said() {
    let kinds = [
        FailureKind::NotStarted("no such file".to_owned()),
        FailureKind::Ended("signal: 11".to_owned()),
        FailureKind::Cut(17),
        FailureKind::TimedOut(5000),
        FailureKind::TooLong(9),
        FailureKind::TwoLines,
        FailureKind::NotText,
    ];
    for kind in kinds {
        let findings = found(Err(kind));
        let [finding] = findings.as_slice() else {
            panic!("{findings:?}");
        };
        assert_eq!(finding.rule.id, "PT007");
        let last = finding.notes.last().expect("what it said");
        assert!(last.contains("it says why"), "{finding:?}");
    }
}

/// The two examples of the rule's page: the first is cut in half, the second lacks nothing.
#[test]
fn the_examples_of_the_rule_are_answers() {
    let fires = include_str!("../../scenarios/rules/PT007/fires.jsonl");
    let quiet = include_str!("../../scenarios/rules/PT007/quiet.jsonl").trim_end();
    assert!(!found(Ok(fires)).is_empty());
    assert!(found(Ok(quiet)).is_empty());
    let program = [Source::new("two_calls.scn", TWO_CALLS)];
    let profile = rdna();
    let judged = |answer| {
        let driven = Driven::new("exec:canned", Box::new(Canned(Ok(answer))));
        let machine = Machine {
            profile: &profile,
            lowering: &driven,
        };
        verify(&[machine], &program, &|_, _| true)
    };
    assert!(judged(quiet).is_right());
    // Without K: a pixel shader may have read constants through it.
    let without = r#"[{"schema":1,"barrier":"q#2","wait":["COMPUTE_SHADING"],"invalidate":["L0V","GL1"]},{"schema":1,"barrier":"q#4","wait":["PIXEL_SHADING"]}]"#;
    let found = judged(without);
    assert!(!found.is_right());
    let says = &found.counterexamples[0].says[0];
    assert!(says.contains("does not drop K"), "{says}");
}

/// What a driver is told: each line has the shape that its schema says, and the same program has the same line.
#[test]
fn lines_have_their_shape() {
    let profile = rdna();
    let machine: Value = serde_json::from_str(&describe_profile(&profile)).expect("JSON");
    assert_eq!(machine["line"], "profile");
    let caches = machine["caches"].as_array().expect("caches");
    assert_eq!(caches.len(), profile.caches.len());
    let line = with_timeline(TWO_CALLS, |timeline| describe(timeline, &profile));
    let again = with_timeline(TWO_CALLS, |timeline| describe(timeline, &profile));
    assert_eq!(line, again);
    let program: Value = serde_json::from_str(&line).expect("JSON");
    let events = program["scopes"][0]["events"].as_array().expect("events");
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|it| it["event"].as_str())
        .collect();
    assert_eq!(
        kinds,
        ["work", "barrier", "work", "barrier", "work", "end"],
        "{line}"
    );
    // UNORDERED_ACCESS at COMPUTE_SHADING, then SHADER_RESOURCE at PIXEL_SHADING: the header's values.
    let entry = &events[1]["entries"][0];
    assert_eq!(entry["d3d12"]["sync_before"], 0x80, "{entry}");
    assert_eq!(entry["d3d12"]["access_before"], 0x10, "{entry}");
    assert_eq!(entry["means"]["wait"], 0x80, "{entry}");
    // VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT.
    assert_eq!(entry["vulkan"]["src_stage_mask"], 0x800, "{entry}");
    assert_eq!(driver::SCHEMAS.len(), 3);
}

/// A second process is started after a crash, and the crash is told with its program, in `run` and in `verify`.
#[test]
fn a_crash_is_a_finding_of_its_program() {
    let crash = script(
        "crash",
        "read profile\nread program\necho 'assert at line 7' >&2\nkill -9 $$",
    );
    let scene = two_calls();
    let run = run_on(&scene, &crash);
    let findings = run["findings"].as_array().expect("findings");
    let own: Vec<&Value> = findings.iter().filter(|it| it["rule"] == "PT007").collect();
    assert_eq!(own.len(), 1, "{run}");
    assert!(
        own[0]["message"]
            .as_str()
            .is_some_and(|it| it.contains("signal: 9")),
        "{run}"
    );
    let verified = command(&[
        "verify",
        "--lowering",
        &crash,
        "--profile",
        "rdna",
        "--only",
        &scene,
    ]);
    let output = { verified }.output().expect("the program starts");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("answers wrongly: PT007 driver-without-answer"),
        "{text}"
    );
    assert!(text.contains("assert at line 7"), "{text}");
    let lowered = command(&["lower", &scene, "--profile", "rdna", "--lowering", &crash])
        .output()
        .expect("the program starts");
    assert_eq!(lowered.status.code(), Some(2), "{}", said(&lowered));
    assert!(said(&lowered).contains("PT007"), "{}", said(&lowered));
}

#[test]
fn what_never_answers_is_not_waited_for_for_ever() {
    let late = script("late", "while read line; do sleep 60; done");
    let scene = two_calls();
    let run = run_on(&scene, &late);
    let text = run.to_string();
    assert!(text.contains("no answer within 5000 ms"), "{text}");
}

#[test]
fn what_cannot_be_a_driver_is_refused() {
    let scene = two_calls();
    for (lowering, part) in [
        ("exec:", "names no program"),
        ("exec:./is-not-there", "cannot be started"),
    ] {
        let output = command(&["run", &scene, "--lowering", lowering])
            .output()
            .expect("it starts");
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(part), "{}", said(&output));
    }
    // A text starts nothing.
    let marker = directory("scenario").join("started");
    let touch = script("scenario-script", &format!("touch {}", marker.display()));
    let named = directory("scenario-text").join("named.scn");
    let text = TWO_CALLS.replacen(
        "queue",
        &format!("device {{ lowering \"{touch}\" }}\nqueue"),
        1,
    );
    fs::write(&named, text).expect("it can be written");
    let named = named.display().to_string();
    let output = command(&["run", &named]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(!marker.exists(), "{}", said(&output));
}

/// A driver that is wrong in two ways: both have their counterexample, the same on one thread and on several.
#[test]
fn a_driver_wrong_in_two_ways_has_two_counterexamples() {
    let text = fs::read_to_string(fixture("rdna_like.c")).expect("it is there");
    let wrong = text
        .replacen(
            "        if (packet.wait & (SS_SYNC_RENDER_TARGET",
            "        if (entry->before == SS_ACCESS_COPY_SOURCE) packet.wait = 0;\n        if (packet.wait & (SS_SYNC_RENDER_TARGET",
            1,
        )
        .replacen(
            "    drop(packet, stream->profile, found.drop);\n    if (entry->wait",
            "    found.drop &= ~((SsCaches)1 << ss_cache(stream->profile, \"K\"));\n    drop(packet, stream->profile, found.drop);\n    if (entry->wait",
            1,
        );
    assert_eq!(wrong.matches("ss_cache(stream->profile, \"K\")").count(), 1);
    assert_eq!(
        wrong.matches("SS_ACCESS_COPY_SOURCE) packet.wait").count(),
        1
    );
    let source = directory("wrong-source").join("wrong.c");
    fs::write(&source, wrong).expect("it can be written");
    let Some(driver) = built("wrong", &source) else {
        return;
    };
    let on = |threads: &str| {
        let mut asked = command(&["verify", "--lowering", &driver, "--profile", "rdna"]);
        let output = asked.env("RAYON_NUM_THREADS", threads).output();
        let output = output.expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        said(&output)
    };
    let one = on("1");
    assert!(one.contains("does not drop: K"), "{one}");
    assert!(one.contains("does not wait"), "{one}");
    assert_eq!(one, on("3"));
}

/// Programs come in any order: an answer is to the program that was asked, with the profile line before it.
#[test]
fn each_question_has_its_profile() {
    struct Noting(Mutex<Vec<(String, String)>>);
    impl Driver for &'static Noting {
        fn ask(&self, profile: &Arc<str>, program: &str) -> Result<Arc<str>, DriverFailure> {
            let mut asked = self.0.lock().expect("nobody panics");
            asked.push((profile.to_string(), program.to_owned()));
            Ok(Arc::from("[]"))
        }
    }
    let noting: &'static Noting = Box::leak(Box::new(Noting(Mutex::default())));
    let driven = Driven::new("exec:noting", Box::new(noting));
    for profile in catalog::registry().all_profiles() {
        with_timeline(TWO_CALLS, |timeline| driven.lower(timeline, &profile));
    }
    for (profile, program) in noting.0.lock().expect("nobody panics").iter() {
        let [profile, program]: [Value; 2] =
            [profile, program].map(|it| serde_json::from_str(it).expect("JSON"));
        assert_eq!(profile["profile"], program["profile"]);
    }
}
