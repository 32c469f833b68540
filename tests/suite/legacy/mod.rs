//! Legacy barriers: what is legal, what it is translated to, and what that costs.

pub(crate) mod pairs;
mod promotion;
pub(crate) mod random;
mod tables;
mod uses;

use std::fs;
use std::path::Path;
use syncscope::finding::{Finding, Source};
use syncscope::order::Timeline;
use syncscope::scenario::{CommandKind, Scenario};
use syncscope::validate::{self, RuleSet};
use syncscope::{graph, legacy, scenario};

/// A scenario's value; its text must be right.
fn parse(text: &str) -> Scenario {
    let (scenario, findings) = scenario::parse(&Source::new("legacy.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    scenario
}

/// Findings of legality.
fn legality(scenario: &Scenario) -> Vec<Finding> {
    let plain = legacy::translate(scenario);
    validate::validate(scenario, &Timeline::new(&plain), RuleSet::Specification)
}

/// Errors of legality: id, and message with its notes.
fn errors(scenario: &Scenario) -> Vec<(&'static str, String)> {
    legality(scenario)
        .into_iter()
        .filter(|f| f.severity.fails())
        .map(|f| (f.rule.id, format!("{} ({})", f.message, f.notes.join("; "))))
        .collect()
}

#[test]
fn correct_legacy_scenarios_have_no_conflict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/legacy");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read_to_string(&file).expect("the scenario can be read");
        let (scenario, findings) = scenario::parse(&Source::new("legacy", text));
        assert!(findings.is_empty(), "{}: {findings:?}", file.display());
        let plain = legacy::translate(&scenario);
        let left = plain
            .lists
            .iter()
            .flat_map(|list| &list.commands)
            .any(|command| matches!(command.kind, CommandKind::Legacy(_)));
        assert!(!left, "{}: a legacy call is left", file.display());
        let timeline = Timeline::new(&plain);
        let evaluation = graph::evaluate(&timeline, graph::Request::default());
        assert!(
            !evaluation.conflicts.iter().any(|c| c.kind.is_hazard()),
            "{}: {:?}",
            file.display(),
            evaluation.conflicts
        );
    }
}

/// A frame that runs again finds a texture transitioned that its first run found promoted: both texts are right.
#[test]
fn a_loop_is_right_in_every_execution() {
    let text = "
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state COMMON }
queue q : direct
list frame : direct {
  legacy { transition t COPY_SOURCE -> RENDER_TARGET }
  clear-rtv t
  legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }
  draw vertices 3 pixels 64 { SHADER_RESOURCE t @ PIXEL_SHADING }
  legacy { transition t PIXEL_SHADER_RESOURCE -> COPY_SOURCE }
}
timeline { repeat 3 { q execute frame } }
";
    let printed = scenario::print(&legacy::explain(&parse(text)));
    for text in [text, &printed] {
        let report = syncscope::run::check(
            &Source::new("loop.scn", text),
            &syncscope::run::Options::default(),
        );
        let wrong: Vec<_> = report
            .findings
            .iter()
            .filter(|f| f.severity.fails())
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{text}");
    }
    // The layouts follow each other without a gap, around the loop as well.
    let mut layouts = printed
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .filter_map(|line| line.split_once("layout "))
        .map(|(_, text)| {
            text.trim_end_matches([' ', '}'])
                .split_once(" -> ")
                .expect("a pair")
        });
    let first = layouts.next().expect("three transitions");
    let mut last = first.1;
    let mut count = 1;
    for (before, after) in layouts {
        assert_eq!(before, last, "{printed}");
        last = after;
        count += 1;
    }
    assert_eq!((last, count), (first.0, 3), "{printed}");
}

/// The command prints what the library makes, and ends as the other commands do.
#[test]
fn translate_prints_and_ends_properly() {
    let program = || std::process::Command::new(env!("CARGO_BIN_EXE_syncscope"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("scenarios/legacy/particles.legacy.scn");
    let output = program()
        .arg("translate")
        .arg(&file)
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(0));
    let text = fs::read_to_string(&file).expect("the scenario can be read");
    let expected = scenario::print(&legacy::explain(&parse(&text)));
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert!(
        expected.contains(
            "// was `transition particles UNORDERED_ACCESS -> NON_PIXEL_SHADER_RESOURCE`"
        )
    );

    let missing = program()
        .args(["translate", "nowhere.scn"])
        .output()
        .expect("it starts");
    assert_eq!(missing.status.code(), Some(2));
    assert!(missing.stdout.is_empty() && !missing.stderr.is_empty());

    let broken =
        std::env::temp_dir().join(format!("syncscope-translate-{}.scn", std::process::id()));
    fs::write(
        &broken,
        "list l : direct { legacy { transition nothing COMMON -> COPY_DEST } }\n",
    )
    .expect("written");
    let refused = program()
        .arg("translate")
        .arg(&broken)
        .output()
        .expect("it starts");
    fs::remove_file(&broken).expect("removed");
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stdout.is_empty() && !refused.stderr.is_empty());
}

/// Comments and expectations of the legacy text stay, but for what only legacy entries are found guilty of.
#[test]
fn comments_and_expectations_survive() {
    let text = "
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
queue q : direct
list l : direct {
  // The call.
  legacy {
    // The entry.
    transition t COMMON -> PIXEL_SHADER_RESOURCE //~ LB004
  } // behind
  draw { RENDER_TARGET t } //~ HZ104
}
timeline { q execute l }
";
    let printed = scenario::print(&legacy::explain(&parse(text)));
    for kept in ["// The call.", "// The entry.", "// behind", "//~ HZ104"] {
        assert!(printed.contains(kept), "{kept} in\n{printed}");
    }
    assert!(!printed.contains("LB004"), "{printed}");
    assert_eq!(scenario::print(&parse(&printed)), printed);
}
