//! The width of what is printed: asked for, from `COLUMNS`, or 100 where nobody is there; and what fits into it.

use super::{HAZARD, command, directory, file, status, stderr, stdout, syncscope};
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::report::{Style, terminal, text};
use syncscope::run::{self, Options};

const WIDTHS: [usize; 4] = [80, 100, 120, 160];

/// Every line fits, unless it is one word that no line can hold.
#[track_caller]
fn fits(text: &str, columns: usize, what: &str) {
    for line in text.lines() {
        let wide = text::visible_width(line) > columns;
        assert!(
            !wide || !line.trim().contains(' '),
            "{what} at {columns}:\n{line}"
        );
    }
}

#[test]
fn reports_at_each_width() {
    for columns in WIDTHS {
        let width = columns.to_string();
        let mut all = String::new();
        for arguments in [
            &["demo"][..],
            &[
                "run",
                "scenarios/tour/deferred_frame.scn",
                "--parts",
                "commands",
            ],
            &[
                "run",
                "scenarios/tour/04-stream-output-and-back.scn",
                "--what-if",
            ],
            &[
                "run",
                "scenarios/tour/03-wrong-access.scn",
                "--profiles",
                "all",
            ],
        ] {
            let output = syncscope(&[arguments, &["--width", &width]].concat());
            assert_eq!(stderr(&output), "");
            fits(stdout(&output), columns, arguments[0]);
            let words = arguments.join(" ");
            all += &["$ syncscope ", &words, "\n", stdout(&output), "\n"].concat();
        }
        insta::assert_snapshot!(format!("width_{columns}"), all);
    }
}

#[test]
fn other_pages_fit_too() {
    let title = "a title of many words ".repeat(12);
    let long = HAZARD.replacen("queue", &format!("scenario \"{title}\"\nqueue"), 1);
    let path = file(&directory("width-title"), "a.scn", long);
    for columns in WIDTHS {
        let width = columns.to_string();
        for arguments in [
            &["run", &path, "--what-if"][..],
            &["run", &path],
            &["run", &path, "--show", "ddi"],
            &["run", &path, "--profiles", "rdna,nvidia"],
            &["list", "rules"],
            &["list", "profiles", "--numbers"],
            &["explain", "HZ"],
            &["explain", "HZ101", "EB030", "RD101"],
            &["fence", "scenarios/fences/10-hybrid-laptop.scn"],
            &["fence", "scenarios/fences/10-hybrid-laptop.scn", "--kinds"],
            &["fence", "--lost-wake-up"],
            &["litmus", "scenarios/litmus"],
        ] {
            let output = syncscope(&[arguments, &["--width", &width]].concat());
            fits(stdout(&output), columns, &arguments.join(" "));
        }
    }
}

/// Every scenario below a directory.
fn scenes(directory: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            scenes(&path, all);
        } else if path.extension().is_some_and(|e| e == "scn") {
            all.push(path);
        }
    }
}

#[test]
fn every_rule_s_finding_fits() {
    let mut paths = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    scenes(&root.join("rules"), &mut paths);
    scenes(&root.join("tour"), &mut paths);
    assert!(paths.len() > 200);
    let registry = catalog::registry();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let source = Source::new(path.display().to_string(), text);
        let options = Options::default();
        let Ok(report) = run::run(&source, &registry, &options) else {
            continue;
        };
        for columns in WIDTHS {
            let style = Style {
                columns,
                command_table: true,
                ..Style::default()
            };
            let mut out = Vec::new();
            terminal::write(&report, &source, &style, &mut out).expect("memory");
            let text = String::from_utf8(out).expect("text");
            fits(&text, columns, &source.name);
        }
    }
}

#[test]
fn the_option_counts_before_the_variable_and_both_before_the_default() {
    let widest = |output: &std::process::Output| {
        let lines = stdout(output).lines().map(text::visible_width);
        lines.max().expect("a line")
    };
    let rules = ["list", "rules"];
    assert!((90..=100).contains(&widest(&syncscope(&rules))));
    let with = |value: &str, more: &[&str]| {
        let mut command = command(&[&rules[..], more].concat());
        widest(&command.env("COLUMNS", value).output().expect("it starts"))
    };
    assert!((70..=80).contains(&with("80", &[])));
    assert!((110..=120).contains(&with("80", &["--width", "120"])));
    // What is no number of columns, or fewer than any table takes, is not followed.
    assert!((90..=100).contains(&with("wide", &[])));
    assert!((60..=72).contains(&with("10", &[])));
    let tiny = syncscope(&["demo", "--width", "20"]);
    assert_eq!(status(&tiny), Some(2));
    assert!(
        stderr(&tiny).contains("20 is not in 72..=1000"),
        "{}",
        stderr(&tiny)
    );
}

#[test]
fn messages_are_wrapped_only_for_people() {
    let path = file(&directory("width-messages"), "a.scn", HAZARD);
    let whole = syncscope(&["fix", &path]);
    let narrow = syncscope(&["fix", &path, "--width", "80"]);
    assert_eq!(status(&whole), Some(0));
    fits(stderr(&narrow), 80, "fix");
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(words(stderr(&whole)), words(stderr(&narrow)));
    assert!(stderr(&whole).lines().count() < stderr(&narrow).lines().count());
}
