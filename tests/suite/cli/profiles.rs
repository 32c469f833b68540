//! Profiles in files: on the command line, in a comparison, in a scenario; templates, and files that are based on others.

use super::{CLEAN, directory, file, json, status, stderr, stdout, syncscope, unusable};
use serde_json::Value;
use std::fs;
use syncscope::catalog;
use syncscope::hardware::Profile;

/// Like `rdna`, with a slow L2 and slow waits.
const SLOW: &str = "base = \"rdna\"
name = \"slow\"

[[cache]]
id = \"L2\"
fill_ns = { v = 50000, tag = \"assumed\", source = \"a test\" }

[number]
\"fixed.eop_wait_ns\" = { v = 70000, tag = \"assumed\", source = \"a test\" }
";

fn makespan(arguments: &[&str]) -> u64 {
    let (report, output) = json(&[arguments, &["--format", "json"]].concat());
    assert_eq!(stderr(&output), "");
    report["makespan_ps"].as_u64().expect("a time")
}

#[test]
fn a_template_loads_again_to_the_same_machine() {
    let here = directory("profiles-template");
    for entry in &catalog::registry().profiles {
        let template = syncscope(&["list", "profile", entry.name, "--toml"]);
        assert_eq!(status(&template), Some(0), "{}", stderr(&template));
        let registry = catalog::registry();
        let own = registry.profile(entry.name).expect("it is built in");
        let again = Profile::parse(stdout(&template)).expect("a template");
        assert_eq!(again, own);
        let scene = file(&here, "a.scn", CLEAN);
        let path = file(&here, "mine.toml", stdout(&template));
        let (ours, _) = json(&["run", &scene, "--profile", &path, "--format", "json"]);
        let (theirs, _) = json(&["run", &scene, "--profile", entry.name, "--format", "json"]);
        assert_eq!(ours, theirs, "{}", entry.name);
    }
}

#[test]
fn a_list_of_one_profile() {
    let all = syncscope(&["list", "profiles"]);
    let one = syncscope(&["list", "profile", "nvidia"]);
    assert!(stdout(&one).starts_with("nvidia"));
    assert!(stdout(&all).lines().count() > stdout(&one).lines().count());
    let slow = file(&directory("profiles-list"), "slow.toml", SLOW);
    let numbers = syncscope(&["list", "profile", &slow, "--numbers"]);
    assert!(
        stdout(&numbers).contains("L2.fill_ns = 50000"),
        "{}",
        stdout(&numbers)
    );
    unusable(
        &["list", "profile", "rdan", "--toml"],
        "there is no built-in profile `rdan`",
        "`rdna`",
    );
    unusable(
        &["list", "rules", "rdna"],
        "only `list profile` takes a name",
        "explain",
    );
    let nameless = syncscope(&["list", "profiles", "--toml"]);
    assert_eq!(status(&nameless), Some(2), "{}", stderr(&nameless));
}

#[test]
fn a_file_inherits_what_it_does_not_say() {
    let here = directory("profiles-base");
    let scene = file(&here, "a.scn", CLEAN);
    let slow = file(&here, "slow.toml", SLOW);
    let nothing = file(&here, "same.toml", "base = \"rdna\"\nname = \"same\"\n");
    let rdna = makespan(&["run", &scene, "--profile", "rdna"]);
    assert_eq!(makespan(&["run", &scene, "--profile", &nothing]), rdna);
    let slower = makespan(&["run", &scene, "--profile", &slow]);
    assert!(slower > rdna, "{slower} {rdna}");
    // A base in a file next to it, whose own base is built in; a number of its own.
    fs::create_dir(here.join("more")).expect("a directory");
    let third = file(
        &here.join("more"),
        "third.toml",
        "base = \"../slow.toml\"\nname = \"third\"\n[number]\n\"fixed.eop_wait_ns\" = { v = 9000, tag = \"assumed\", source = \"a test\" }\n",
    );
    let numbers = syncscope(&["list", "profile", &third, "--numbers"]);
    let numbers = stdout(&numbers);
    assert!(numbers.contains("L2.fill_ns = 50000"), "{numbers}");
    assert!(numbers.contains("fixed.eop_wait_ns = 9000"), "{numbers}");
    assert!(numbers.contains("L0V.instances = 40"), "{numbers}");
}

/// What is said about a file's mistakes names its line and key, or those of its base.
#[test]
fn mistakes_are_named_in_the_text_that_has_them() {
    let here = directory("profiles-mistakes");
    let scene = file(&here, "a.scn", CLEAN);
    let refused = |name: &str, text: &str, message: &str| {
        let path = file(&here, name, text);
        let output = syncscope(&["run", &scene, "--profile", &path]);
        let said = stderr(&output).replace(&format!("{}/", here.display()), "");
        assert_eq!(status(&output), Some(2), "{said}");
        assert!(said.contains(message), "{said}");
    };
    let with = |rest: &str| format!("base = \"rdna\"\nname = \"mine\"\n{rest}");
    refused(
        "a.toml",
        &with("[path]\nSTREAM_OUTPUT = [[\"L9\"]]\n"),
        "a.toml:4:",
    );
    refused(
        "b.toml",
        &with("[path]\nSTREAM_OUTPUT = [[\"L9\"]]\n"),
        "path STREAM_OUTPUT: `L9` is not a cache",
    );
    refused(
        "c.toml",
        &with("[[cache]]\nid = \"L2\"\nline_bites = 3\n"),
        "c.toml:5:1: unknown field `line_bites`",
    );
    refused(
        "d.toml",
        &with("[[cache]]\nid = \"L2\"\nprivate = 3\n"),
        "d.toml:5:11: ",
    );
    // Right by itself, wrong with what it inherits: the place is where the base says it.
    refused(
        "e.toml",
        &with("[[cache]]\nid = \"K\"\nparent = \"GL9\"\n"),
        "e.toml:5:10: cache K: parent: `GL9`",
    );
    refused("f.toml", "base = \"rdna\"\n", "missing field `name`");
    refused(
        "g.toml",
        "base = \"rdan\"\nname = \"g\"\n",
        "g.toml:1:8: base: there is no profile `rdan`",
    );
    refused(
        "h.toml",
        "name = \"h\"\nbase = \"h.toml\"\n",
        "h.toml:2:8: base: `h.toml` is based on this profile",
    );
    refused(
        "i.toml",
        "name = \"i\"\nbase = \"none.toml\"\n",
        "i.toml: base: there is no file `none.toml`",
    );
    refused(
        "j.toml",
        "name = \"j\"\nbase = \"broken.toml\"\n",
        "there is no file",
    );
    file(
        &here,
        "broken.toml",
        "name = \"broken\"\nbase = \"rdna\"\nsummary = 3\n",
    );
    refused(
        "j.toml",
        "name = \"j\"\nbase = \"broken.toml\"\n",
        "broken.toml:3:11: ",
    );
    // A whole cache in place of part of one: what it lacks is missing, because there is nothing to inherit.
    refused(
        "k.toml",
        &with("[[cache]]\nid = \"L9\"\n"),
        "k.toml:3:1: missing field",
    );
}

#[test]
fn files_are_compared_like_built_in_profiles() {
    let here = directory("profiles-compare");
    let scene = file(&here, "a.scn", CLEAN);
    let slow = file(&here, "slow.toml", SLOW);
    let rows = |arguments: &[&str]| -> Vec<String> {
        let (table, output) = json(&[&["run", &scene, "--format", "json"], arguments].concat());
        assert_eq!(stderr(&output), "");
        let rows = table["profiles"].as_array().expect("rows");
        rows.iter()
            .map(|row| row["profile"].as_str().expect("a name").to_owned())
            .collect()
    };
    let both = format!("{slow},rdna");
    assert_eq!(rows(&["--profiles", &both]), ["slow", "rdna"]);
    // The profile of `--profile` is never dropped.
    let all = rows(&["--profiles", "all"]);
    let with_own = rows(&["--profile", &slow, "--profiles", "all"]);
    assert_eq!(with_own, [&["slow".to_owned()], &all[..]].concat());
    assert_eq!(
        rows(&["--profile", "nvidia", "--profiles", "rdna"]),
        ["nvidia", "rdna"]
    );
    assert_eq!(rows(&["--profile", "rdna10", "--profiles", "all"]), all);
    assert_eq!(
        rows(&["--profiles", &format!("all,{slow}")])
            .last()
            .map(String::as_str),
        Some("slow")
    );
    unusable(
        &["run", &scene, "--profiles", "rdna,none.toml"],
        "there is no file `none.toml`",
        "profile",
    );
    unusable(
        &["run", &scene, "--profiles", "rdna,rdan"],
        "there is no hardware profile `rdan`",
        "`rdna`",
    );
}

#[test]
fn a_scenario_names_a_file_next_to_it() {
    let here = directory("profiles-device");
    file(&here, "slow.toml", SLOW);
    let scene = file(
        &here,
        "a.scn",
        format!("device {{ profile \"slow.toml\" }}\n{CLEAN}"),
    );
    let (report, output) = json(&["run", &scene, "--format", "json"]);
    assert_eq!((status(&output), stderr(&output)), (Some(0), ""));
    assert_eq!(report["profile"], "slow");
    // The command line wins, and then the file need not be there.
    let lost = file(
        &here,
        "b.scn",
        format!("device {{ profile \"lost.toml\" }}\n{CLEAN}"),
    );
    let (report, _) = json(&["run", &lost, "--profile", "rdna", "--format", "json"]);
    assert_eq!(report["profile"], "rdna");
    unusable(&["run", &lost], "lost.toml`", "slow.toml`?");
    // What has no machine does not look for it.
    assert_eq!(status(&syncscope(&["check", &lost])), Some(0));
    assert_eq!(
        status(&syncscope(&["graph", &scene, "--relation", "paid"])),
        Some(0)
    );
    // It stays as it is when the text is formatted.
    let formatted = syncscope(&["fmt", "--to", "scn", &scene]);
    assert!(
        stdout(&formatted).contains("profile \"slow.toml\""),
        "{}",
        stdout(&formatted)
    );
}

/// What is said of a scene on several machines, on one line.
fn compared(name: &str, text: &str, words: &[&str]) -> (String, Option<i32>) {
    let path = file(&directory(name), "a.scn", text);
    let output = syncscope(&[&["run", &path, "--width", "1000"], words].concat());
    (
        format!("{}{}", stdout(&output), stderr(&output)),
        status(&output),
    )
}

/// Two queues write one granule, and a later read looks at all of it: what hides the hazard is what the machine does with
/// the writes.
#[test]
fn what_hides_writers_of_one_granule_is_true() {
    let scene = |read: &str| {
        format!(
            "buffer b : 4KiB {{ flags UNORDERED_ACCESS }}
queue q : direct
queue c : compute
fence f
list one : direct {{ dispatch \"one\" 1x1x1 {{ UNORDERED_ACCESS b[0..128] writes }} }}
list two : compute {{ dispatch \"two\" 1x1x1 {{ UNORDERED_ACCESS b[128..256] writes }} }}
list read : direct {{ dispatch \"read\" 1x1x1 {{ SHADER_RESOURCE b }} }}
timeline {{
  q execute one
  c execute two
  {read}
}}
"
        )
    };
    let read = "c signal f 1; q wait f 1; q execute read";
    let words = ["--profiles", "rdna,intel,reference"];
    let (said, _) = compared("profiles-granule", &scene(read), &words);
    for (profile, why) in [
        ("rdna", "both write into L2"),
        ("intel", "L1 writes back only the bytes that were written"),
        ("reference", "no cache keeps what they write"),
    ] {
        let mut rows = said.lines().filter(|line| line.contains("hidden"));
        let row = rows.find(|line| line.trim_start().starts_with(profile));
        assert!(
            row.is_some_and(|row| row.ends_with(why)),
            "{profile}: {said}"
        );
    }
    assert!(said.contains("caches of rdna: L2 is "), "{said}");
    let (said, _) = compared("profiles-granule-unread", &scene(""), &words);
    assert_eq!(
        said.matches("no later read looks at the bytes").count(),
        3,
        "{said}"
    );
    assert!(!said.contains("caches of"), "{said}");
}

#[test]
fn a_lowering_bug_on_one_of_the_machines_fails() {
    let (said, ended) = compared(
        "profiles-bug",
        CLEAN,
        &[
            "--profiles",
            "rdna,reference",
            "--lowering",
            "forgets_invalidate",
        ],
    );
    assert_eq!(ended, Some(1), "{said}");
    let own = "LW101 missing-operation, line 6: on rdna, the lowering `forgets_invalidate`";
    assert!(said.contains(own), "{said}");
    assert!(!said.contains("on reference, the lowering"), "{said}");
    let (said, ended) = compared("profiles-no-bug", CLEAN, &["--profiles", "rdna,reference"]);
    assert_eq!(ended, Some(0), "{said}");
}

#[test]
fn a_file_whose_name_is_taken_is_shown_by_its_path() {
    let here = directory("profiles-taken");
    let scene = file(&here, "a.scn", CLEAN);
    let mine = file(&here, "mine.toml", "base = \"intel\"\nname = \"rdna\"\n");
    let list = format!("rdna,{mine}");
    let output = syncscope(&["run", &scene, "--profiles", &list, "--width", "1000"]);
    let rows: Vec<&str> = stdout(&output)
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|word| *word == "rdna" || *word == mine)
        .collect();
    assert_eq!(rows, ["rdna", &mine], "{}", stdout(&output));
}

/// Data inheritance between buffers is allowed: advice, and nothing invalid.
#[test]
fn advice_is_not_called_invalid() {
    let scene = "heap h : 1MiB
buffer a : 4KiB { flags UNORDERED_ACCESS; heap h at 0 }
buffer b : 4KiB { flags UNORDERED_ACCESS; heap h at 0 }
queue q : direct
list l : direct {
  dispatch \"w\" 1x1x1 { UNORDERED_ACCESS a writes }
  barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch \"r\" 1x1x1 { SHADER_RESOURCE b }
}
timeline { q execute l }
";
    for words in [&[][..], &["--profiles", "all"]] {
        let (said, ended) = compared("profiles-advice", scene, words);
        assert_eq!(ended, Some(0), "{said}");
        assert!(!said.contains("invalid by"), "{said}");
        assert!(words.len() == 2 || said.contains("advice[HZ108"), "{said}");
    }
}

/// A resolve on a compute list: no layout that a compute queue has allows it, so none is proposed.
#[test]
fn a_layout_that_the_queue_has_not_is_not_proposed() {
    let scene =
        "texture m : R8G8B8A8_UNORM 64x64 { samples 4; flags RENDER_TARGET; initial COMMON }
texture n : R8G8B8A8_UNORM 64x64 { initial COMMON }
queue c : compute
list l : compute { resolve m -> n }
timeline { c execute l }
";
    let path = file(&directory("profiles-layout"), "a.scn", scene);
    let (report, _) = json(&["check", &path, "--format", "json"]);
    let found = report["findings"].as_array().expect("findings");
    let layouts: Vec<_> = found.iter().filter(|f| f["rule"] == "HZ104").collect();
    assert_eq!(layouts.len(), 2, "{found:#?}");
    for finding in &layouts {
        let help = finding["help"].as_str().unwrap_or_default();
        assert!(help.starts_with("no layout of this queue allows"), "{help}");
    }
    // Reading R54: the command and both of its uses are wrong.
    let count = |id: &str| found.iter().filter(|f| f["rule"] == id).count();
    assert_eq!((count("EB049"), count("EB050")), (1, 2), "{found:#?}");
}

/// A hazard is visible on a profile if a read of that run goes wrong: so the run counts one. The machine may issue the two
/// sides of a race in either order, and the text decides which is right.
#[test]
fn where_a_race_is_visible_a_read_is_counted() {
    let mut visible = 0;
    for name in [
        "tour/09-queue-race.scn",
        "rules/HZ201/fires.scn",
        "rules/HZ202/fires.scn",
    ] {
        let path = format!("{}/scenarios/{name}", env!("CARGO_MANIFEST_DIR"));
        let (table, _) = json(&["run", &path, "--profiles", "all", "--format", "json"]);
        let rows = table["profiles"].as_array().expect("rows");
        let hazards = table["hazards"].as_array().expect("hazards");
        assert_eq!(hazards.len(), 1, "{name}");
        for row in rows {
            let on = hazards[0]["profiles"].as_array().expect("profiles");
            let own = on
                .iter()
                .find(|on| on["profile"] == row["profile"])
                .expect("it is there");
            let number = |head: &str| row[head].as_u64().expect("a number");
            let bad = number("stale_reads") + number("other_bad_reads");
            assert_eq!(own["visible"] == true, bad > 0, "{name}: {row} {own}");
            let profile = row["profile"].as_str().expect("a name");
            let run = ["run", &path, "--profile", profile, "--format", "json"];
            let (report, _) = json(&run);
            assert_eq!(
                report["totals"]["bad_reads"].as_u64() > Some(0),
                bad > 0,
                "{name}: {profile}"
            );
            visible += u32::from(bad > 0);
        }
    }
    assert_eq!(
        visible, 18,
        "both races of a read show on each of the nine profiles"
    );
}

/// Every machine has its row: its numbers, what ran when on its own scale, and why the hazard shows there or not.
#[test]
fn the_poster_of_all_machines_shows_what_their_runs_say() {
    let scene = "scenarios/tour/02-missing-barrier.scn";
    let said = |words: &[&str]| {
        let output = syncscope(&[&["run", scene][..], words].concat());
        assert_eq!(status(&output), Some(1), "{}", stderr(&output));
        stdout(&output).to_owned()
    };
    let all = ["--profiles", "all"];
    let table: Value =
        serde_json::from_str(&said(&[&all[..], &["--format", "json"]].concat())).expect("JSON");
    let poster = said(&[&all[..], &["--format", "svg"]].concat());
    let page = said(&[&all[..], &["--format", "html"]].concat());
    assert!(page.contains(poster.trim_end()), "the page is the drawing");
    assert!(!page.contains("<script"), "and has no script");
    // Words as they are read: without marks, and lines joined.
    let words = poster.split('<').filter_map(|part| part.split_once('>'));
    let words: Vec<&str> = words.map(|(_, text)| text.trim()).collect();
    let words = words
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let rows = table["profiles"].as_array().expect("machines");
    let on = table["hazards"][0]["profiles"]
        .as_array()
        .expect("machines");
    assert!(rows.len() >= 7 && on.len() == rows.len());
    for (row, on) in rows.iter().zip(on) {
        let name = row["profile"].as_str().expect("a name");
        assert!(words.contains(name), "{name}");
        let why = on["why"].as_str().expect("words");
        let shown = on["visible"].as_bool().expect("a verdict");
        let why = if shown {
            format!("visible: {why}")
        } else {
            format!("hidden: {why}")
        };
        assert!(words.contains(&why), "{name}: {why}\n{words}");
        let own = ["--profile", name, "--format", "json"];
        let run: Value = serde_json::from_str(&said(&own)).expect("JSON");
        let makespan = run["makespan_ps"].as_f64().expect("a time");
        for command in run["commands"].as_array().expect("commands") {
            // Where its last stage ends, to a tenth of a pixel.
            let end = command["end_ps"].as_f64().expect("a time");
            let right = 230.0 + end / makespan * (1280.0 - 230.0 - 24.0);
            let id = command["id"].as_str().expect("an id");
            let bars = poster
                .split("<rect ")
                .filter(|bar| bar.contains(&format!("({id}): ")));
            let number = |bar: &str, field: &str| -> f64 {
                let (_, rest) = bar.split_once(&format!("{field}=\"")).expect("a field");
                rest.split_once('"')
                    .expect("its end")
                    .0
                    .parse()
                    .expect("a number")
            };
            let ends = bars.map(|bar| number(bar, "x") + number(bar, "width"));
            assert!(
                ends.clone().any(|end| (end - right).abs() < 0.25),
                "{name} {id}: {right}, but {:?}",
                ends.collect::<Vec<_>>()
            );
        }
    }
}
