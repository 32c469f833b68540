//! Drivers in other processes: the examples of the book, what is wrong with an answer, and what becomes of a driver that gives
//! none.
//!
//! What an answer must have is derived by hand from the caches of `rdna`: a dispatch writes through L0V and GL1 into L2, and a
//! pixel shader reads through L0V or K, GL1 and L2.

use crate::cli::command;
use crate::sizes;
use crate::tools::skipped;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use syncscope::catalog;
use syncscope::finding::{Finding, Source};
use syncscope::hardware::Profile;
use syncscope::interop::driver::{
    self, Driven, Driver, DriverFailure, FailureKind, describe, describe_profile,
};
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::scenario;
use syncscope::verify::{Machine, ProfileVerdict, mutate, verify};

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

/// The variable with the time for an answer.
const TIMEOUT: &str = "SYNCSCOPE_DRIVER_TIMEOUT_MS";

/// The program, which waits for an answer less than half a second: these drivers give none.
fn hurried(arguments: &[&str]) -> Command {
    let mut program = command(arguments);
    program.env(TIMEOUT, "400");
    program
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

/// A driver is wrong on no legal program on these profiles: of the corpus, of which the quick tier takes the scenes about lowerings.
fn is_right(lowering: &str, on: &[&str]) {
    let named = on.join(",");
    let mut asked = vec!["verify", "--lowering", lowering, "--profile", &named];
    if sizes::step(2, 1) > 1 {
        asked.extend(["--only", "scenarios/lowering"]);
    }
    asked.extend(["--format", "json"]);
    let found = json(&asked);
    let profiles = found["profiles"].as_array().expect("profiles");
    assert_eq!(profiles.len(), on.len(), "{found}");
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
    // The port knows the profiles; the other two take what they are told.
    let profiles = catalog::registry().profiles;
    let names: Vec<&str> = profiles.iter().map(|it| it.name).collect();
    for (name, on) in [
        ("first.c", &["rdna", "tiler"][..]),
        // A corpus of thousands takes seconds for each profile.
        (
            "rdna_like.c",
            &names[..if sizes::is_full() { names.len() } else { 3 }],
        ),
        ("whole_caches.cpp", &["intel", "hopper"]),
    ] {
        if let Some(driver) = built(name, &fixture(name)) {
            is_right(&driver, on);
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
    let rows: [(&str, &str, &str); 15] = [
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
        ("", "PT001", "empty line"),
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
        // An answer is one line: what is wrong is a packet of it.
        if answer.starts_with('[') {
            let says = [&finding.message, &finding.notes[0]];
            let about_lines = says.iter().find(|it| it.contains(" line "));
            assert!(about_lines.is_none(), "{answer}: {finding:?}");
        }
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
        FailureKind::TwoAnswers,
        FailureKind::GivenUp(4, "the driver's answer is not UTF-8".to_owned()),
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
    let asked = ["run", &scene, "--lowering", &late, "--format", "json"];
    let output = hurried(&asked).output().expect("the program starts");
    let text = said(&output);
    assert!(text.contains("no answer within 400 ms"), "{text}");
    // What is no time is told, and nothing is started.
    let mut wrong = command(&asked);
    let output = wrong.env(TIMEOUT, "soon").output().expect("it starts");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    let told = "`SYNCSCOPE_DRIVER_TIMEOUT_MS` is `soon`, which is no number of milliseconds";
    assert!(text.contains(told), "{text}");
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
    // A write over what a copy reads: scenes about lowerings have none.
    let copies = directory("wrong-scene").join("copies.scn");
    let text = "buffer a : 4KiB\nbuffer b : 4KiB\nbuffer c : 4KiB\nqueue q : copy\nlist l : copy extended-async {\n copy a -> b\n \
        barrier { buffer a { sync COPY -> COPY; access COPY_SOURCE -> COPY_DEST } }\n copy c -> a\n}\n\
        timeline { q execute l }\n";
    fs::write(&copies, text).expect("it can be written");
    let copies = copies.display().to_string();
    let on = |threads: &str| {
        let asked = ["verify", "--lowering", &driver, "--profile", "rdna"];
        let programs = ["--only", "scenarios/lowering", &copies];
        let mut asked = command(&[&asked[..], &programs].concat());
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

/// A script that answers each program; `answer` is what it does for one, with the line in `$line`.
fn answering(name: &str, answer: &str) -> String {
    let text = format!(
        "while read -r line; do case \"$line\" in *'\"line\":\"program\"'*)\n{answer}\n;; esac; done"
    );
    script(name, &text)
}

const NOTHING: &str = r#"{"schema":1,"packets":[]}"#;

/// A second line for one program is seen whenever it comes: at once, later than the next question could be, the same line or
/// another. What is printed is the same each time and on any number of threads.
#[test]
fn a_line_that_nobody_asked_for_is_told_the_same_each_time() {
    let scene = two_calls();
    let other = r#"{"schema":1,"packets":[{"schema":1,"at":"end"}]}"#;
    for (name, answer) in [
        ("twice", format!("echo '{NOTHING}'; echo '{NOTHING}'")),
        (
            "apart",
            format!("echo '{NOTHING}'; sleep 0.05; echo '{NOTHING}'"),
        ),
        (
            "another",
            format!("echo '{NOTHING}'; sleep 0.05; echo '{other}'"),
        ),
    ] {
        let driver = answering(name, &answer);
        let runs = ["1", "1", "2", "3"].map(|threads| {
            let asked = ["verify", "--lowering", &driver, "--profile", "rdna,intel"];
            let mut asked = command(&[&asked[..], &["--only", &scene]].concat());
            let output = asked.env("RAYON_NUM_THREADS", threads).output();
            said(&output.expect("the program starts"))
        });
        assert!(
            runs[0].contains("the driver wrote a line that nobody asked for"),
            "{name}: {}",
            runs[0]
        );
        assert!(runs.iter().all(|it| *it == runs[0]), "{name}: {runs:#?}");
    }
}

/// A driver that remembers is noticed where it is asked one program twice in a row, and where it is asked again after others;
/// the program is named.
#[test]
fn a_driver_that_remembers_is_told() {
    let other = r#"{"schema":1,"packets":[{"schema":1,"at":"end","wait":["ALL"]}]}"#;
    let scene = two_calls();
    let counts = answering(
        "counts",
        &format!("n=$((n+1)); if [ $((n%2)) = 1 ]; then echo '{NOTHING}'; else echo '{other}'; fi"),
    );
    let found = run_on(&scene, &counts).to_string();
    assert!(found.contains("wrote two lines that differ"), "{found}");
    // It tells programs apart, and answers the fourth and later ones otherwise.
    let tires = answering(
        "tires",
        &format!(
            "if [ \"$line\" != \"$last\" ]; then n=$((n+1)); last=$line; fi\n\
             if [ $n -le 3 ]; then echo '{NOTHING}'; else echo '{other}'; fi"
        ),
    );
    let scenes = directory("tires-scenes");
    for (name, size) in [("a", "64"), ("b", "32"), ("c", "16")] {
        let text = TWO_CALLS.replace("64KiB", &format!("{size}KiB"));
        fs::write(scenes.join(format!("{name}.scn")), text).expect("it can be written");
    }
    let scenes = scenes.display().to_string();
    let asked = ["verify", "--lowering", &tires, "--profile", "rdna"];
    let asked = [&asked[..], &["--only", &scenes]].concat();
    let output = command(&asked).env("RAYON_NUM_THREADS", "1").output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let text = said(&output).replace('\n', " ");
    assert!(
        text.contains("PT007: asked again after other programs"),
        "{text}"
    );
    // By then the thread has asked all three, the last one last: of that one it knows the answer.
    assert!(
        text.contains("a.scn` on rdna otherwise (2 of 3 answers differ)"),
        "{text}"
    );
}

/// A driver that never answers is given up after a few answers that did not come, with one message.
#[test]
fn a_driver_that_always_hangs_is_given_up() {
    let hangs = script("hangs", "while read -r line; do :; done");
    let began = Instant::now();
    let asked = hurried(&["verify", "--lowering", &hangs, "--profile", "rdna"]).output();
    let output = asked.expect("the program starts");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.matches("failed slowly 4 times").count(), 1, "{text}");
    assert!(text.contains("no answer within"), "{text}");
    assert!(began.elapsed() < Duration::from_secs(90), "{text}");
}

/// `bisect` has the same message: what it would say of a driver that is not asked any more is nothing of the scene.
#[test]
fn bisect_says_that_a_driver_is_given_up() {
    let hangs = script("bisect-hangs", "while read -r line; do :; done");
    let scene = two_calls();
    let asked = ["bisect", &scene, "--profile", "rdna", "--lowering", &hangs];
    let output = hurried(&asked).output().expect("the program starts");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.matches("failed slowly 4 times").count(), 1, "{text}");
}

/// Right packets for `two_calls.scn` on `rdna`.
const RIGHT: &str = r#"[{"schema":1,"barrier":"q#2","wait":["COMPUTE_SHADING"],"invalidate":["L0V","K","GL1"]},{"schema":1,"barrier":"q#4","wait":["PIXEL_SHADING"]}]"#;

/// The counterexample of a verification that has one.
fn only_counterexample(found: &Value) -> &Value {
    let examples = found["counterexamples"].as_array().expect("a list");
    let [example] = examples.as_slice() else {
        panic!("{found}");
    };
    example
}

/// The third program of each process makes the driver crash, whichever that is: no program does by itself.
#[test]
fn a_crash_that_depends_on_earlier_programs_is_told_as_that() {
    let third = answering(
        "third",
        &format!(
            "if [ \"$line\" != \"$last\" ]; then n=$((n+1)); last=$line; fi\n\
             if [ $n -ge 3 ]; then kill -9 $$; fi\necho '{RIGHT}'"
        ),
    );
    let scenes = directory("third-scenes");
    for (name, size) in [("a", "64"), ("b", "32"), ("c", "16")] {
        let text = TWO_CALLS.replace("64KiB", &format!("{size}KiB"));
        fs::write(scenes.join(format!("{name}.scn")), text).expect("it can be written");
    }
    let path = scenes.display().to_string();
    let asked = ["verify", "--lowering", &third, "--profile", "rdna"];
    let verified = |more: &[&str]| {
        let asked = [&asked[..], &["--only", &path], more].concat();
        let output = command(&asked).env("RAYON_NUM_THREADS", "1").output();
        let output = output.expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        said(&output)
    };
    let text = verified(&[])
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let depends = "does not fail so: that depends on what its process was asked before: 2 programs";
    assert!(text.contains(depends), "{text}");
    let found: Value = serde_json::from_str(&verified(&["--format", "json"])).expect("JSON");
    let example = only_counterexample(&found);
    assert!(example["depends"].is_string(), "{example}");
    // It is the scene as it is, and not a smaller one.
    assert_eq!(example["commands"], 5, "{example}");
    // Asked nothing else, the driver answers each of them.
    let scene = scenes.join("c.scn").display().to_string();
    let asked = ["bisect", &scene, "--profile", "rdna", "--lowering", &third];
    let output = command(&asked).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

/// A crash that a program causes by itself has a smallest program: each try has a process of its own.
#[test]
fn a_crash_of_one_program_shrinks_by_itself() {
    let crashes = answering(
        "crashes",
        &format!("case \"$line\" in *'\"first\"'*) kill -9 $$;; esac; echo '{RIGHT}'"),
    );
    let scene = two_calls();
    let asked = [
        "verify",
        "--lowering",
        &crashes,
        "--profile",
        "rdna",
        "--only",
        &scene,
    ];
    let found = json(&[&asked[..], &["--format", "json"]].concat());
    let example = only_counterexample(&found);
    assert!(example["depends"].is_null(), "{example}");
    // A barrier, and the work of that name.
    assert_eq!(example["commands"], 2, "{example}");
}

/// Two mistakes of one rule in one packet are two findings; the same one in each execution of a list is one.
#[test]
fn mistakes_of_one_rule_are_told_apart() {
    let scene = directory("twice-scene").join("twice.scn");
    let text = TWO_CALLS.replace("q execute main", "q execute main, main");
    fs::write(&scene, text).expect("it can be written");
    let scene = scene.display().to_string();
    let wrong = r#"[{"schema":1,"barrier":"q#2","invalidate":["L7","L8"]},{"schema":1,"barrier":"q#4"},{"schema":1,"barrier":"q#7","invalidate":["L7"]},{"schema":1,"barrier":"q#9"}]"#;
    let driver = answering("apart-mistakes", &format!("echo '{wrong}'"));
    let found = run_on(&scene, &driver);
    let findings = found["findings"].as_array().expect("findings");
    let own = findings.iter().filter(|it| it["rule"] == "PT002");
    let told = own.map(|it| (it["message"].to_string(), it["repeats"].clone()));
    let told: Vec<_> = told.collect();
    let [(seven, twice), (eight, once)] = told.as_slice() else {
        panic!("{found}");
    };
    assert!(seven.contains("`L7`") && eight.contains("`L8`"), "{told:?}");
    assert_eq!((twice.as_u64(), once.as_u64()), (Some(2), Some(1)));
    let on = ["--profile", "rdna", "--lowering", &driver];
    let output = command(&[&["run", &scene], &on[..]].concat()).output();
    let page = said(&output.expect("the program starts"));
    assert!(page.contains("`L7`") && page.contains("`L8`"), "{page}");
    assert!(
        page.contains("first of 2 packets with this mistake"),
        "{page}"
    );
}

/// However this program ends, the driver ends too, with what it has started.
#[test]
fn no_driver_is_left_behind() {
    let exists = |pid: &str| {
        let state = fs::read_to_string(format!("/proc/{pid}/stat"));
        // What has ended and nobody has asked after is a zombie.
        state.is_ok_and(|it| !it.contains(") Z "))
    };
    if !exists("self") {
        return skipped("there is no /proc");
    }
    for signal in ["KILL", "TERM", "INT"] {
        let pids = directory(&format!("left-{signal}")).join("pids");
        let spins = script(
            &format!("spins-{signal}"),
            &format!(
                "read -r line\nsleep 600 &\necho $$ $! done > {}\nwhile :; do :; done",
                pids.display()
            ),
        );
        let mut asked = command(&["verify", "--lowering", &spins, "--profile", "rdna"]);
        let asked = asked.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut asked = asked.expect("the program starts");
        let until = |what: &dyn Fn() -> bool| {
            let began = Instant::now();
            while !what() && began.elapsed() < Duration::from_secs(60) {
                thread::sleep(Duration::from_millis(20));
            }
            what()
        };
        let read = || fs::read_to_string(&pids).unwrap_or_default();
        assert!(until(&|| read().contains("done")), "it starts");
        let own = asked.id().to_string();
        // The first Ctrl-C asks what runs to end, the second ends it.
        for _ in 0..if signal == "INT" { 2 } else { 1 } {
            let sent = Command::new("kill").args(["-s", signal, &own]).status();
            assert!(sent.expect("it starts").success());
            thread::sleep(Duration::from_millis(200));
        }
        asked.wait().expect("it has ended");
        for pid in read().split(' ').take(2) {
            assert!(until(&|| !exists(pid)), "{signal}: {pid} is left");
        }
    }
}

/// What a driver writes on standard error is shown up to a limit, and what is left out is counted.
#[test]
fn what_a_message_leaves_out_of_standard_error_is_counted() {
    let text = "i=0; while [ $i -lt 30 ]; do echo \"say $i\" >&2; i=$((i+1)); done; exit 3";
    let noisy = script("noisy", &format!("read -r line\n{text}"));
    let found = run_on(&two_calls(), &noisy).to_string();
    assert!(
        found.contains("say 29 (10 lines before that are left out)"),
        "{found}"
    );
    assert!(
        found.contains("say 10;") && !found.contains("say 9;"),
        "{found}"
    );
}

/// Packets of nobody and of barriers, by hand: the first call's wait and drops are in a packet before the draw, the second
/// call waits by itself, and the end writes L2 back.
const DEFERRED: &str = r#"[{"schema":1,"barrier":"q#2"},{"schema":1,"at":"work","command":"q#3","wait":["COMPUTE_SHADING"],"invalidate":["L0V","K","GL1"]},{"schema":1,"barrier":"q#4","wait":["PIXEL_SHADING"]},{"schema":1,"at":"end","command":"q#5","flush":["L2"]}]"#;

fn with_deferred<R>(say: impl FnOnce(Machine<'_>, &[Source]) -> R) -> R {
    let driven = Driven::new("exec:canned", Box::new(Canned(Ok(DEFERRED))));
    let profile = rdna();
    let machine = Machine {
        profile: &profile,
        lowering: &driven,
    };
    say(machine, &[Source::new("two_calls.scn", TWO_CALLS)])
}

#[test]
fn packets_of_no_barrier_are_counted_by_themselves() {
    let found = with_deferred(|machine, program| verify(&[machine], program, &|_, _| true));
    let on: &ProfileVerdict = &found.profiles[0];
    assert_eq!((on.wrong, on.ran), (0, 1), "{found:?}");
    // Waits: q#3 and q#4. Operations: three drops and a write-back, all of no barrier.
    assert_eq!((on.paid.waits, on.paid.unasked_waits), (2, 1));
    assert_eq!((on.paid.operations, on.paid.unasked_operations), (4, 4));
    assert_eq!(
        (on.precise.unasked_waits, on.precise.unasked_operations),
        (0, 0)
    );
    let driver = answering("deferred", &format!("echo '{DEFERRED}'"));
    let scene = two_calls();
    let on = ["--profile", "rdna", "--lowering", &driver];
    let lowered = |format: &[&str]| {
        let output = command(&[&["lower", &scene], &on[..], format].concat()).output();
        said(&output.expect("the program starts"))
    };
    let document: Value = serde_json::from_str(&lowered(&["--format", "json"])).expect("JSON");
    let unasked = document["packets_of_no_barrier"]
        .as_array()
        .expect("a list");
    let told = unasked
        .iter()
        .map(|row| (row["id"].as_str(), row["wait"].as_str()));
    let told: Vec<_> = told.collect();
    assert_eq!(
        told,
        [
            (Some("q#3"), Some("COMPUTE_SHADING")),
            (Some("q#5"), Some(""))
        ]
    );
    let page = lowered(&[]);
    assert!(
        page.contains("2 barriers with 0 operations and 2 packets of no barrier with 4 operations"),
        "{page}"
    );
    let asked = [
        "verify",
        "--lowering",
        &driver,
        "--profile",
        "rdna",
        "--only",
        &scene,
    ];
    let output = command(&asked).output().expect("the program starts");
    let page = said(&output);
    assert!(
        page.contains("(1 of no barrier)") && page.contains("(4 of no barrier)"),
        "{page}"
    );
}

#[test]
fn packets_of_no_barrier_are_mutated() {
    let found = with_deferred(|machine, program| mutate(&[machine], program, 2, &|_| true));
    let found = found.expect("nobody stops it");
    let says: Vec<&str> = found.profiles[0]
        .mutants
        .iter()
        .map(|it| it.says.as_str())
        .collect();
    for mistake in [
        "a packet of no barrier does not wait for COMPUTE_SHADING",
        "a packet of no barrier waits for every stage",
        "no drop of L0V (the driver wrote it where no barrier is)",
        "no write-back of L2 (the driver wrote it where no barrier is)",
    ] {
        assert!(says.contains(&mistake), "{mistake}: {says:#?}");
    }
}

/// The header ends with a message where a name or a path does not fit, and takes paths of more than 16 caches.
#[test]
fn the_header_tells_what_does_not_fit() {
    let text = "#include \"syncscope_driver.h\"\n\
        static void barrier(SsStream *stream, const SsBarrierCall *call) {\n\
        char text[32]; SsPacket packet = ss_packet();\n\
        snprintf(text, sizeof text, \"%d caches\", stream->profile->surfaces[0].ways[0].texels[0].count);\n\
        packet.text = text; (void)call;\n\
        if (ss_find_cache(stream->profile, \"nowhere\") != -1) return;\n\
        if (stream->resource_count == 1) ss_cache(stream->profile, \"nowhere\");\n\
        ss_write(stream, &packet); }\n\
        SYNCSCOPE_DRIVER(NULL, barrier, NULL, NULL, 0, 0)\n";
    let source = directory("limits-source").join("limits.c");
    fs::write(&source, text).expect("it can be written");
    let Some(driver) = built("limits", &source) else {
        return;
    };
    let profile = rdna();
    let ask = |caches: usize, scene: &str| {
        let mut machine: Value = serde_json::from_str(&describe_profile(&profile)).expect("JSON");
        let way = &mut machine["surfaces"][0]["ways"][0];
        way["texels"][0] = Value::from(vec!["L2"; caches]);
        let program = with_timeline(scene, |timeline| describe(timeline, &profile));
        let input = directory(&format!("limits-{caches}-{}", scene.len())).join("in");
        fs::write(&input, format!("{machine}\n{program}\n")).expect("it can be written");
        let asked = Command::new(driver.trim_start_matches("exec:"))
            .stdin(fs::File::open(&input).expect("it was written"))
            .output();
        asked.expect("it starts")
    };
    let two = format!("buffer other : 4KiB\n{TWO_CALLS}");
    let fits = ask(20, &two);
    assert!(fits.status.success(), "{}", said(&fits));
    assert!(said(&fits).contains("20 caches"), "{}", said(&fits));
    for (asked, part) in [
        (ask(65, &two), "a path of too many caches"),
        (
            ask(1, TWO_CALLS),
            "there is no cache `nowhere` on the machine `rdna`",
        ),
    ] {
        assert_eq!(asked.status.code(), Some(2), "{}", said(&asked));
        assert!(said(&asked).contains(part), "{}", said(&asked));
    }
}
