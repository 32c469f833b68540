//! Repairs: what `fix` makes of a text is clean, except where contents are lost; every change stands on its own; the
//! chain that a message draws names what broke it.

use crate::reference::{differences, random_scenario};
use crate::sizes;
use crate::tour::{files, source};
use std::collections::BTreeSet;
use syncscope::finding::{Finding, Severity, Source};
use syncscope::run::{self, Options, Proposals};
use syncscope::scenario;
use syncscope::validate::RuleSet;

fn hazards(source: &Source) -> Vec<Finding> {
    let findings = run::check(source, &Options::default()).findings;
    let mut hazards: Vec<_> = findings
        .into_iter()
        .filter(|f| f.hazard.is_some() && f.severity == Severity::Hazard)
        .collect();
    hazards.sort_by_key(|f| f.span);
    hazards
}

/// Scenes with hazards: the gallery, and the one of each rule that fires.
fn scenes() -> Vec<Source> {
    let fires = files("scenarios/rules")
        .into_iter()
        .filter(|p| p.ends_with("fires.scn") && p.to_string_lossy().contains("/HZ"));
    let gallery = files("scenarios/hazards");
    gallery
        .into_iter()
        .chain(fires)
        .map(|p| source(&p))
        .collect()
}

#[test]
fn every_hazard_of_the_gallery_is_removed_unless_contents_are_lost() {
    let mut wrong = Vec::new();
    let (mut repaired, mut lost) = (0, Vec::new());
    for scene in scenes() {
        let before = hazards(&scene);
        if before.is_empty() {
            continue;
        }
        let repair = run::repair(&scene, RuleSet::Specification, |f| f.rule.family() == "HZ");
        for finding in &repair.left {
            let is_lost = finding
                .notes
                .iter()
                .any(|n| n.contains("contents are already lost"));
            if is_lost {
                lost.push(format!("{} {}", scene.name, finding.rule.id));
            } else {
                wrong.push(format!(
                    "{}: {} {}",
                    scene.name, finding.rule.id, finding.message
                ));
            }
        }
        let after = hazards(&repair.source);
        if after.len() != repair.left.len() {
            wrong.push(format!("{}: {after:#?}", scene.name));
        }
        repaired += usize::from(repair.left.is_empty());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The memory of these was written through an alias, and is read afterwards: nothing brings it back.
    let all_overwritten = lost.iter().all(|l| l.ends_with("HZ108"));
    assert!(all_overwritten, "{lost:?}");
    assert!(repaired > lost.len(), "{repaired} repaired, {lost:?} lost");
}

/// Ids and counts of errors and hazards.
fn failing(source: &Source) -> Vec<&'static str> {
    let options = Options {
        proposals: Proposals::None,
        ..Options::default()
    };
    let mut ids: Vec<_> = run::check(source, &options)
        .findings
        .iter()
        .filter(|f| f.severity.fails())
        .map(|f| f.rule.id)
        .collect();
    ids.sort_unstable();
    ids
}

#[test]
fn repairs_of_random_scenarios_hold_before_the_reference_too() {
    let mut changes = 0;
    for seed in sizes::REPAIRS.seeds() {
        let text = random_scenario(seed);
        let scene = Source::new(format!("random {seed}"), text.as_str());
        let (_, findings) = scenario::parse(&scene);
        if findings.iter().any(|f| f.severity.fails()) {
            continue;
        }
        let before = failing(&scene);
        let repair = run::repair(&scene, RuleSet::Specification, |f| f.rule.family() == "HZ");
        let after = failing(&repair.source);
        // A warning that is mended counts among none of these.
        let mended = repair.changes.iter();
        let mended = mended.filter(|c| c.finding.severity.fails()).count();
        changes += mended;
        // Nothing that was not there before, of any id, more often than before.
        let mut rest = before.clone();
        for id in &after {
            match rest.iter().position(|known| known == id) {
                Some(at) => drop(rest.remove(at)),
                None => panic!("{id} is new:\n{text}\n---\n{}", repair.source.text),
            }
        }
        assert!(
            before.len() >= after.len() + mended,
            "each change removes a finding: {before:?} {after:?}\n{text}\n---\n{}",
            repair.source.text
        );
        if let Some(differences) = differences(&repair.source.text) {
            assert!(
                differences.is_empty(),
                "{differences:?}\n{}",
                repair.source.text
            );
        }
    }
    assert!(
        changes > 0,
        "some scenario has a hazard that can be removed"
    );
}

#[test]
fn a_chain_names_what_broke_it_or_that_nothing_stands_there() {
    let random = sizes::REPAIRS
        .seeds()
        .map(|seed| 1000 + seed)
        .map(|seed| Source::new(format!("random {seed}"), random_scenario(seed)));
    let ids: BTreeSet<&str> = ["HZ101", "HZ102", "HZ103"].into();
    let mut drawn = 0;
    for scene in scenes().into_iter().chain(random) {
        for finding in hazards(&scene) {
            let said: Vec<&str> = finding
                .related
                .iter()
                .map(|r| &*r.label)
                .chain(finding.notes.iter().map(|note| &**note))
                .collect();
            if !ids.contains(finding.rule.id) || finding.related.is_empty() {
                continue;
            }
            drawn += 1;
            let broken = said.iter().any(|s| s.contains('✗'));
            let absent = said.iter().any(|s| s.contains("no barrier between"));
            assert!(
                broken || absent,
                "{}: {said:#?}\n{}",
                scene.name,
                scene.text
            );
        }
    }
    assert!(drawn > 20, "only {drawn} chains have links");
}

#[test]
fn changes_in_a_call_of_several_lines_keep_its_lines_and_comments() {
    let text = "buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  barrier {
    buffer b {
      sync COMPUTE_SHADING -> PIXEL_SHADING
      access UNORDERED_ACCESS -> CONSTANT_BUFFER // for the light
    }
  }
  draw \"lit\" { SHADER_RESOURCE b @ PIXEL_SHADING }
}
timeline { q execute l }
";
    let scene = Source::new("lines", text);
    let repair = run::repair(&scene, RuleSet::Specification, |_| true);
    assert_eq!(
        repair.source.text,
        text.replace("-> CONSTANT_BUFFER ", "-> SHADER_RESOURCE ")
    );
}

/// The smallest change, said in words, for one situation each, with the reason.
#[test]
fn the_smallest_change_comes_first() {
    let scene = |lists: &str, timeline: &str| {
        let text = format!(
            "buffer b : 4KiB {{ flags UNORDERED_ACCESS }}
texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}
fence f
queue q : direct
queue c : compute
{lists}
timeline {{
{timeline}
}}
"
        );
        let repair = run::repair(&Source::new("small", text), RuleSet::Specification, |_| {
            true
        });
        assert!(repair.left.is_empty(), "{:#?}", repair.left);
        let said: Vec<String> = repair.changes.into_iter().map(|c| c.says).collect();
        said.join("\n")
    };
    // A field of a barrier that is there is less than a new one. No compute reads: its stage is replaced.
    let said = scene(
        "list l : direct {
  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  draw { SHADER_RESOURCE b @ PIXEL_SHADING }
}",
        "  q execute l",
    );
    assert_eq!(said, "in q#2.0, make SyncAfter PIXEL_SHADING");
    // No barrier is there: a new one with just the two scopes.
    let said = scene(
        "list l : direct {
  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  draw { SHADER_RESOURCE b @ PIXEL_SHADING }
}",
        "  q execute l",
    );
    assert_eq!(
        said,
        "add before (2): `buffer b { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }`"
    );
    // The signal is there; only the wait is missing.
    let lists = "list l : direct { dispatch 1x1x1 { UNORDERED_ACCESS b writes } }
list m : compute { dispatch 1x1x1 { SHADER_RESOURCE b } }";
    let said = scene(lists, "  q execute l\n  q signal f 1\n  c execute m");
    assert_eq!(said, "add before (2): `c wait f 1`");
    // The wait comes too late: it is moved, not doubled.
    let said = scene(
        lists,
        "  q execute l\n  q signal f 1\n  c execute m\n  c wait f 1",
    );
    assert_eq!(said, "move the wait of line 12 before (2): `c wait f 1`");
    // The signal comes too early.
    let said = scene(
        lists,
        "  q signal f 1\n  q execute l\n  c wait f 1\n  c execute m",
    );
    assert_eq!(said, "move the signal of line 9 after (1): `q signal f 1`");
    // Nothing is signalled, but a fence is there.
    let said = scene(lists, "  q execute l\n  c execute m");
    assert_eq!(
        said,
        "order them by `q signal f 1` after (1) and `c wait f 1` before (2)"
    );
    // In a repeat the values run on.
    let said = scene(
        lists,
        "  repeat 3 {\n    q execute l\n    q signal f +1\n    c execute m\n    c signal f +1\n    q wait f +0\n  }",
    );
    assert_eq!(said, "add before (2): `c wait f +0`");
}

/// Whatever a repair inserts, and in however many rounds: it names lines of the text that it was given.
#[test]
fn lines_of_a_repair_are_those_of_the_given_text() {
    let (mut named, mut wrong) = (0, Vec::new());
    // Legacy scenes take several rounds.
    let rules = files("scenarios/rules").into_iter();
    let legacy = rules.filter(|p| p.ends_with("fires.scn") && p.to_string_lossy().contains("/LB"));
    let more = legacy.chain(files("scenarios/legacy")).map(|p| source(&p));
    for scene in scenes().into_iter().chain(more) {
        let repair = run::repair(&scene, RuleSet::Specification, |_| true);
        for change in &repair.changes {
            let told = change.says.split(" of line ").skip(1);
            let lines = told.filter_map(|t| t.split(|c: char| !c.is_ascii_digit()).next());
            for line in lines.filter_map(|line| line.parse().ok()) {
                let text = scene.line_text(line);
                named += 1;
                if !["barrier", "legacy", "wait", "{", "transition", "discard"]
                    .iter()
                    .any(|w| text.contains(w))
                {
                    wrong.push(format!("{}:{line}: {}: {text}", scene.name, change.says));
                }
            }
        }
        let findings = run::check(&scene, &Options::default()).findings;
        let changed = repair.changes.iter().map(|c| (&c.finding, c.line));
        let left = repair.left.iter().map(|f| (f, scene.line(f.span.start)));
        for (finding, line) in changed.chain(left) {
            named += 1;
            let found = findings
                .iter()
                .any(|f| f.rule.id == finding.rule.id && scene.line(f.span.start) == line);
            if !found {
                wrong.push(format!("{}:{line}: {}", scene.name, finding.message));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(named > 20, "{named}");
}
