//! Pages about words: of each profile, lowering, format and command, below the overview that it belongs to. The program prints
//! them; here is which there are.

use super::{lessons, markdown_files, root, shell};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use syncscope::catalog::{self, FORMATS};
use syncscope::lower::Lowering;
use syncscope::report::page;
use syncscope::workbench::scenes;

/// Pages in a folder of the book, each about a word of a kind, and the page that has them all.
struct Chapter {
    /// Page below `book/src`.
    overview: &'static str,
    /// Folder below `book/src`, and what `explain --kind` calls it.
    folder: &'static str,
    words: fn() -> Vec<String>,
}

const CHAPTERS: [Chapter; 5] = [
    Chapter {
        overview: "formats.md",
        folder: "formats",
        words: || FORMATS.iter().map(|it| it.name.to_owned()).collect(),
    },
    Chapter {
        overview: "commands.md",
        folder: "commands",
        words: || commands().into_iter().map(|(name, _)| name).collect(),
    },
    Chapter {
        overview: "lowerings.md",
        folder: "lowerings",
        words: || lowerings(false).map(|it| it.name().to_owned()).collect(),
    },
    Chapter {
        overview: "museum.md",
        folder: "lowerings",
        words: || lowerings(true).map(|it| it.name().to_owned()).collect(),
    },
    Chapter {
        overview: "profiles.md",
        folder: "profiles",
        words: || {
            let registry = catalog::registry();
            registry
                .profiles
                .iter()
                .map(|it| it.name.to_owned())
                .collect()
        },
    },
];

/// Folders of the book whose pages are all made here.
pub(super) const FOLDERS: [&str; 6] = [
    "rules",
    "formats",
    "commands",
    "lowerings",
    "profiles",
    "lessons",
];

/// Lowerings that are wrong on purpose, or those that are not.
fn lowerings(wrong: bool) -> impl Iterator<Item = &'static dyn Lowering> {
    let all = catalog::registry().lowerings.into_iter();
    all.filter(move |it| it.is_wrong_on_purpose() == wrong)
}

/// Commands, each with a line about it.
fn commands() -> Vec<(String, String)> {
    let listed = &shell::run("syncscope list commands --format json").output;
    let listed: Vec<serde_json::Value> = serde_json::from_str(listed).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let pair = |it: &serde_json::Value| (text(&it["name"]), text(&it["summary"]));
    listed.iter().map(pair).collect()
}

/// Every page about a word, as it should be; a page that cannot be made goes to `wrong`.
pub(super) fn wanted(wrong: &mut Vec<String>) -> BTreeMap<PathBuf, String> {
    let mut pages = BTreeMap::new();
    for chapter in CHAPTERS {
        for word in (chapter.words)() {
            let folder = chapter.folder;
            let line = format!("syncscope explain {word} --kind {folder} --format markdown");
            let outcome = shell::run(&line);
            if outcome.status != Some(0) {
                wrong.push(format!("`{line}`: {}", outcome.complaint));
            }
            let path = root().join(format!("book/src/{folder}/{word}.md"));
            pages.insert(path, outcome.output.clone());
        }
    }
    pages
}

/// The summary with the words of each chapter below its overview.
pub(super) fn in_summary(summary: &str) -> String {
    let mut fresh = String::new();
    let mut inside = false;
    for line in summary.lines() {
        inside &= line.starts_with("  - ");
        if inside {
            continue;
        }
        let _ = writeln!(fresh, "{line}");
        let of =
            |it: &Chapter| line.starts_with("- ") && line.ends_with(&format!("]({})", it.overview));
        if let Some(chapter) = CHAPTERS.iter().find(|it| of(it)) {
            inside = true;
            for word in (chapter.words)() {
                let _ = writeln!(fresh, "  - [{word}]({}/{word}.md)", chapter.folder);
            }
        } else if line == "- [Lessons](lessons.md)" {
            inside = true;
            fresh.push_str(&lessons::summary());
        }
    }
    fresh
}

#[test]
fn every_chapter_is_in_the_summary() {
    for chapter in CHAPTERS {
        let line = format!(
            "# Part\n\n- [Overview]({})\n  - [old](old.md)\n\n# Rules\n  - [x](x.md)\n",
            chapter.overview
        );
        let fresh = in_summary(&line);
        let word = (chapter.words)().remove(0);
        assert!(fresh.contains(&format!(
            "]({0})\n  - [{word}]({1}/{word}.md)\n",
            chapter.overview, chapter.folder
        )));
        assert!(
            !fresh.contains("old.md") && fresh.contains("x.md"),
            "{fresh}"
        );
    }
    let pages: Vec<PathBuf> = FOLDERS
        .iter()
        .flat_map(|it| markdown_files(&format!("book/src/{it}")))
        .collect();
    assert!(pages.len() > 200, "{} pages about words", pages.len());
}

/// A word of a table, linked to its page.
fn link(folder: &str, word: &str) -> String {
    format!("[`{word}`]({folder}/{word}.md)")
}

pub(super) fn profiles() -> String {
    let registry = catalog::registry();
    let mut table = String::from(
        "| profile | what it is | measured | published | driver | assumed |\n|---|---|---:|---:|---:|---:|\n",
    );
    for entry in &registry.profiles {
        let profile = registry.profile(entry.name).expect("built in");
        let mut names = link("profiles", entry.name);
        for alias in entry.aliases {
            let _ = write!(names, " (`{alias}`)");
        }
        let tags = page::tags(&profile).map(|(_, count)| count.to_string());
        let _ = writeln!(
            table,
            "| {names} | {} | {} |",
            profile.summary,
            tags.join(" | ")
        );
    }
    table
}

pub(super) fn right_lowerings() -> String {
    table_of_lowerings("lowering | what it does", false)
}

pub(super) fn museum() -> String {
    table_of_lowerings("piece | what is wrong", true)
}

fn table_of_lowerings(heads: &str, wrong: bool) -> String {
    let mut table = format!("| {heads} |\n|---|---|\n");
    for it in lowerings(wrong) {
        let summary = it.summary().trim_start_matches("wrong on purpose");
        let summary = summary.trim_start_matches([',', ':', ' ']);
        let summary = summary.replace('|', "\\|");
        let _ = writeln!(table, "| {} | {summary} |", link("lowerings", it.name()));
    }
    table
}

/// What right lowerings cost next to `precise` on the standard corpus, each on the profile of the scene of its page.
pub(super) fn costs() -> String {
    let page = root().join("book/src/lowerings.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let mut table = String::from(
        "| lowering | on | waits | operations | flushed bytes | time |\n|---|---|---:|---:|---:|---:|\n",
    );
    for it in lowerings(false).skip(1) {
        let name = it.name();
        let scene = scenes::of_lowering(name).expect("a scene");
        let words: Vec<&str> = scene.text.split_whitespace().collect();
        let at = words
            .iter()
            .position(|word| *word == "profile")
            .expect("a profile");
        let profile = words[at + 1].trim_end_matches(';');
        let head = format!(
            "| {} | {} |",
            link("lowerings", name),
            link("profiles", profile)
        );
        let line = format!("syncscope verify --lowering {name} --profile {profile} --format json");
        if shell::is_left_out(&line) {
            // As the page has it.
            let row = page.lines().find(|row| row.starts_with(&head));
            let _ = writeln!(table, "{}", row.unwrap_or(&head));
            continue;
        }
        let outcome = shell::run(&line);
        let value: serde_json::Value = serde_json::from_str(&outcome.output).expect("JSON");
        assert_eq!(value["right"], true, "{name}");
        let row = &value["profiles"][0];
        let parts = ["waits", "operations", "bytes", "makespan_ps"].map(|key| {
            let of = |side: &str| row[side][key].as_f64().expect("a number");
            let (own, precise) = (of("paid"), of("precise"));
            if (own - precise).abs() < 0.5 {
                return "=".to_owned();
            }
            format!("{:+.1} %", (own - precise) * 100.0 / precise)
        });
        let _ = writeln!(table, "{head} {} |", parts.join(" | "));
    }
    table
}

pub(super) fn formats() -> String {
    let mut table = String::from("| format | files | what it is for |\n|---|---|---|\n");
    for format in FORMATS {
        let ends = format.extensions.iter().map(|it| format!("`.{it}`"));
        let ends = ends.collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            table,
            "| {} | {ends} | {} |",
            link("formats", format.name),
            format.summary
        );
    }
    table
}

pub(super) fn commands_with_links() -> String {
    let mut table = String::from("| command | what it does |\n|---|---|\n");
    for (name, summary) in commands() {
        let _ = writeln!(table, "| {} | {summary} |", link("commands", &name));
    }
    table
}
