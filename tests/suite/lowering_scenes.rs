//! Scenes that tell what a lowering does say which packet each barrier becomes, on which profile, and this reads it.
//!
//! A comment above an entry, `// rdna, rdna12: wait RENDER_TARGET; clean CB; drop L0V; hold PIXEL_SHADING`, is the whole
//! packet of that entry under the scene's lowering; `// rdna with precise: …` is that of another one. A packet that does
//! nothing is `nothing`. Operations on whole caches are `clean all of`, `drop all of`. Write-backs next to each other run
//! together, and so do drops: they are compared as sets.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::run::{self, Options, PacketRow};

/// The parts of a packet in words, where the caches of a part come in no order, and each once.
fn parts(words: &str) -> Vec<(String, BTreeSet<&str>)> {
    words
        .split("; ")
        .map(|part| {
            let (first, others) = part.split_once(", ").unwrap_or((part, ""));
            let (verb, first) = first.rsplit_once(' ').unwrap_or((first, ""));
            let others = others.split(", ").filter(|other| !other.is_empty());
            (verb.to_owned(), others.chain([first]).collect())
        })
        .collect()
}

/// What a comment expects of the entry after it.
struct Expected {
    /// Of the entry.
    line: u32,
    profiles: Vec<String>,
    lowering: Option<String>,
    packet: String,
}

/// The expectations of a scene: comments that begin with names of profiles and a colon.
fn expectations(text: &str, profiles: &[&str]) -> Vec<Expected> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_comment = |line: &&&str| line.starts_with("//");
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((who, packet)) = line.strip_prefix("// ").and_then(|l| l.split_once(": ")) else {
            continue;
        };
        let (who, lowering) = match who.split_once(" with ") {
            Some((who, lowering)) => (who, Some(lowering.to_owned())),
            None => (who, None),
        };
        let names: Vec<String> = who.split(", ").map(str::to_owned).collect();
        if !names.iter().all(|name| profiles.contains(&name.as_str())) {
            continue;
        }
        let after = lines[at..].iter().take_while(is_comment).count();
        found.push(Expected {
            line: (at + after + 1) as u32,
            profiles: names,
            lowering,
            packet: packet.to_owned(),
        });
    }
    found
}

fn scenes(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory of scenes") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            scenes(&path, found);
        } else if path.extension().is_some_and(|e| e == "scn") {
            found.push(path);
        }
    }
    found.sort();
}

/// How often an expectation holds for the scene, and what is wrong with it.
fn compare(scene: &Source, expected: &Expected, wrong: &mut Vec<String>) {
    let registry = catalog::registry();
    for profile in &expected.profiles {
        let options = Options {
            profile: Some(profile.clone()),
            lowering: expected.lowering.clone(),
            ..Options::default()
        };
        let packets = run::packets(scene, &registry, &options);
        let packets = packets.unwrap_or_else(|what| panic!("{}: {}", scene.name, what.message));
        let rows = packets.barriers.iter();
        let mut rows = rows.filter(|row| row.line == expected.line).peekable();
        if rows.peek().is_none() {
            wrong.push(format!("{}:{}: no barrier", scene.name, expected.line));
        }
        let differs = |words: &String| parts(words) != parts(&expected.packet);
        for row in rows.map(PacketRow::words).filter(differs) {
            wrong.push(format!(
                "{}:{}: {profile} with {}\n  expected: {}\n  packet:   {row}",
                scene.name, expected.line, packets.lowering, expected.packet
            ));
        }
    }
}

#[test]
fn packets_are_what_the_scenes_of_lowerings_say() {
    let registry = catalog::registry();
    let profiles: Vec<&str> = registry.profiles.iter().map(|p| p.name).collect();
    let mut files = Vec::new();
    scenes(Path::new("scenarios/lowering"), &mut files);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in files {
        let text = fs::read_to_string(&file).expect("a text");
        let scene = Source::new(file.display().to_string(), text.as_str());
        for expected in expectations(&text, &profiles) {
            compare(&scene, &expected, &mut wrong);
            count += expected.profiles.len();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 100, "{count} expectations");
}

/// The scene of a lowering's page is about that lowering, and what is wrong on purpose is wrong on it.
#[test]
fn every_lowering_has_prose_and_a_scene() {
    let registry = catalog::registry();
    for lowering in &registry.lowerings {
        let name = lowering.name();
        let wrong = lowering.is_wrong_on_purpose();
        let sections: &[&str] = if wrong {
            &[
                "The mistake.",
                "Where it shows.",
                "Where it hides.",
                "Source.",
            ]
        } else {
            &[
                "What it does.",
                "Whom it is shaped after.",
                "What it costs.",
                "Limits.",
            ]
        };
        let prose = lowering.prose();
        let heads: Vec<&str> = prose.split("**").skip(1).step_by(2).collect();
        assert_eq!(heads, sections, "{name}");
        let shown =
            run::shown(*lowering, &registry).unwrap_or_else(|what| panic!("{}", what.message));
        let shown = shown.unwrap_or_else(|| panic!("no scene of `{name}`"));
        let is_about = shown.text.contains(&format!("lowering {name}"));
        assert!(is_about, "{} is not about `{name}`", shown.file);
        let mut ids = shown.findings.iter().map(|it| it.finding.rule.id);
        let is_found = ids.any(|id| id.starts_with("LW"));
        assert_eq!(is_found, wrong, "{name} on {}", shown.file);
        let differs = shown.packets.iter().any(|it| it.reference.is_some());
        assert_eq!(differs, name != shown.reference, "{name} on {}", shown.file);
    }
}

/// The page of cases names every scene that is one, and no other.
#[test]
fn the_page_of_cases_names_every_scene_of_one() {
    let page = fs::read_to_string("book/src/cases.md").expect("the page");
    let mut named = BTreeSet::new();
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [row, _, scenes, ..] = cells.as_slice() else {
            panic!("a row of four cells: {row}");
        };
        let row = row.trim_start_matches("| ");
        let scenes = scenes
            .split(", ")
            .filter_map(|s| s.strip_prefix('`')?.strip_suffix('`'));
        named.extend(scenes.map(|scene| format!("{row}-{scene}.scn")));
    }
    let mut files = Vec::new();
    scenes(Path::new("scenarios/lowering/cases"), &mut files);
    let name = |file: &PathBuf| file.file_name().expect("a file").display().to_string();
    let files: BTreeSet<String> = files.iter().map(name).collect();
    assert_eq!(named, files);
}

/// What the judge takes for a decompression is one on the machine, also where the entry changes no layout.
#[test]
fn a_layout_operation_by_name_does_what_it_is_called() {
    let scene = "scenarios/lowering/by-pairs/decompressed-by-name.scn";
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(["run", scene, "--format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("it runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    let lacks = findings.iter().any(|it| it["rule"] == "LW101");
    assert!(!lacks, "{findings:?}");
    assert_eq!(report["totals"]["layout_operations"], 1, "once, by name");
    assert_eq!(report["totals"]["bad_reads"], 0);
}
