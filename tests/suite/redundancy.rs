//! The gallery of what could be saved: every scene opens with one sentence, expects every finding of the family `RD` by
//! its id, and every hazard, which only those have that are about one. What is not expected stays quiet.

use crate::tour::{files, source};
use std::collections::BTreeSet;
use syncscope::report::{Style, expect, terminal};
use syncscope::{catalog, run, scenario};

/// Rules of the family, each at least once in the gallery.
fn named(text: &str) -> BTreeSet<String> {
    let (parsed, _) = scenario::parse(&syncscope::finding::Source::new("scene.scn", text));
    parsed
        .expectations
        .into_iter()
        .flat_map(|e| e.ids)
        .collect()
}

#[test]
fn the_gallery_of_savings_holds() {
    let registry = catalog::registry();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    let scenes = files("scenarios/redundancy");
    assert!(
        scenes.len() >= 28,
        "the gallery has {} scenes",
        scenes.len()
    );
    for path in scenes {
        let source = source(&path);
        if !source.text.starts_with("// ") || !source.text.contains(".\n\n") {
            wrong.push(format!("{}: no opening sentence", source.name));
        }
        let report = run::run(&source, &registry, &run::Options::default()).expect("a scene runs");
        let (parsed, _) = scenario::parse(&source);
        let mismatches = expect::compare(
            &parsed.expectations,
            &report.findings,
            &source,
            &registry.rules,
            &[],
        );
        wrong.extend(mismatches.iter().map(|m| format!("{}: {m:?}", source.name)));
        let expected: BTreeSet<(u32, &str)> = parsed
            .expectations
            .iter()
            .flat_map(|e| e.ids.iter().map(|id| (e.line, id.as_str())))
            .collect();
        for finding in report.findings.iter().filter(|f| f.rule.family() == "RD") {
            let at = (source.line(finding.span.start), finding.rule.id);
            if !expected.contains(&at) {
                wrong.push(format!("{}: {at:?} is not expected", source.name));
            }
        }
        seen.extend(named(&source.text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let rules = registry.rules.iter().filter(|r| r.family() == "RD");
    let missing: Vec<_> = rules.filter(|r| !seen.contains(r.id)).collect();
    assert!(missing.is_empty(), "not in the gallery: {missing:?}");
}

/// Each finding says what was changed, when that is right, and what it costs here.
#[test]
fn a_saving_says_its_witness_its_condition_and_its_cost() {
    let registry = catalog::registry();
    for path in files("scenarios/redundancy") {
        let source = source(&path);
        let report = run::run(&source, &registry, &run::Options::default()).expect("a scene runs");
        for finding in report.findings.iter().filter(|f| f.rule.family() == "RD") {
            let has = |words: &str| finding.notes.iter().any(|n| n.contains(words));
            let complete = has("verified: ")
                && has("there is no new error or hazard")
                && (has("this holds on") || has("this depends on the profile"))
                && (has("it costs ") || has("no gain on "));
            assert!(complete, "{}: {finding:#?}", source.name);
            assert!(finding.help.is_some(), "{}: {finding:#?}", source.name);
        }
        let mut page = Vec::new();
        terminal::write(&report, &source, &Style::default(), &mut page).expect("writing to memory");
    }
}

/// A barrier that drops contents which another one has dropped already is called redundant, also where a read of undefined contents is next
/// to its bytes: the read of mip 0 is the same with it and without it (readings R48, R57).
#[test]
fn what_is_dropped_twice_is_dropped_once_too_often() {
    let drop = |part: &str, from: &str| {
        format!(
            "  barrier {{ texture t{part} {{ sync {from} -> PIXEL_SHADING; access NO_ACCESS -> SHADER_RESOURCE; layout UNDEFINED -> SHADER_RESOURCE }} }}\n"
        )
    };
    let text = format!(
        "texture t : R8_UNORM 64x64 {{ mips 2 }}\nqueue q : direct\nlist l : direct {{\n{}{}  \
         draw {{ SHADER_RESOURCE t[mip 0] @ PIXEL_SHADING }}\n}}\ntimeline {{ q execute l }}\n",
        drop("", "NONE"),
        drop("[mip 1]", "PIXEL_SHADING")
    );
    let source = syncscope::finding::Source::new("twice.scn", text);
    let report =
        run::run(&source, &catalog::registry(), &run::Options::default()).expect("a scene runs");
    let found = report.findings.iter();
    let found: BTreeSet<(&str, u32)> = found
        .map(|f| (f.rule.id, source.line(f.span.start)))
        .collect();
    assert_eq!(found, BTreeSet::from([("RD101", 5), ("HZ109", 6)]));
}
