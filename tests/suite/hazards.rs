//! Hazard rules against scenario files: every rule has one scene that fires and one near miss that stays quiet, and the
//! gallery holds what its lines expect.

use crate::tour::{files, source};
use syncscope::analyze::hazards::RULES;
use syncscope::finding::Source;
use syncscope::report::expect;
use syncscope::{catalog, run, scenario};

/// Differences between what a text expects and what is found, as lines.
fn differences(source: &Source) -> Vec<String> {
    let registry = catalog::registry();
    let options = run::Options {
        without_commands: true,
        without_barriers: true,
        without_proofs: true,
        ..run::Options::default()
    };
    let report = run::run(source, &registry, &options).expect("a scene runs");
    let (parsed, _) = scenario::parse(source);
    let mismatches = expect::compare(
        &parsed.expectations,
        &report.findings,
        source,
        &registry.rules,
        &[],
    );
    mismatches
        .iter()
        .map(|m| format!("{}:{}: {m:?}", source.name, m.line()))
        .collect()
}

#[test]
fn every_hazard_rule_fires_and_rests() {
    let mut wrong = Vec::new();
    for rule in RULES.iter().map(|r| r.rule) {
        let scenes = files(&format!("scenarios/rules/{}", rule.id));
        assert_eq!(
            scenes.len(),
            2,
            "{}: one that fires, one that rests",
            rule.id
        );
        for path in scenes {
            let source = source(&path);
            wrong.extend(differences(&source));
            let (parsed, _) = scenario::parse(&source);
            let expected = parsed.expectations.iter().flat_map(|e| &e.ids);
            let named = expected.filter(|id| *id == rule.id).count();
            if path.ends_with("fires.scn") {
                assert!(named > 0, "{} expects its own rule", source.name);
            } else {
                let found = run::check(&source, &run::Options::default()).findings;
                assert!(
                    found.is_empty(),
                    "{} finds nothing at all: {found:#?}",
                    source.name
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_gallery_of_hazards_holds() {
    let mut wrong = Vec::new();
    for path in files("scenarios/hazards") {
        let source = source(&path);
        if !source.text.starts_with("// ") {
            wrong.push(format!("{}: no opening sentence", source.name));
        }
        wrong.extend(differences(&source));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A hazard says whether order is there that visibility lacks, and the other way around.
#[test]
fn a_hazard_says_which_links_are_there() {
    let links = |text: &str, rule: &str| {
        let check = run::check(&Source::new("links.scn", text), &run::Options::default());
        let mut found = check.findings.iter().filter(|f| f.rule.id == rule);
        let hazard = found.next().and_then(|f| f.hazard.as_ref());
        let links = hazard.unwrap_or_else(|| panic!("{rule}: {text}")).links;
        (links.order, links.visibility)
    };
    // SyncBefore is not the stage of the read.
    let late = "buffer b : 4KiB { flags UNORDERED_ACCESS }\nqueue q : direct\ntimeline { q execute {
  draw \"read\" { SHADER_RESOURCE b @ VERTEX_SHADING }
  barrier { buffer b { sync PIXEL_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS } }
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
} }\n";
    assert_eq!(links(late, "HZ102"), (Some(false), None));
    // The two draws are in raster order (reading R18), and the write is given up (reading R24).
    let given_up = "texture t : D32_FLOAT 64x64 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }\nqueue q : direct\ntimeline { q execute {
  draw \"write\" { DEPTH_STENCIL_WRITE t }
  barrier { texture t { sync PIXEL_SHADING -> PIXEL_SHADING|DEPTH_STENCIL; access NO_ACCESS -> DEPTH_STENCIL_READ; layout DEPTH_STENCIL_WRITE -> DEPTH_STENCIL_WRITE } }
  draw \"read\" { DEPTH_STENCIL_READ t }
} }\n";
    assert_eq!(links(given_up, "HZ101"), (Some(true), Some(false)));
}
