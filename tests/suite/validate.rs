//! Rules of legality against scenario files: each rule has one that fires and one that stays quiet.

use std::fs;
use std::path::{Path, PathBuf};
use syncscope::finding::{Finding, Severity, Source};
use syncscope::validate::{self, eb};
use syncscope::{legacy, scenario};

fn findings(path: &Path) -> (Source, scenario::Scenario, Vec<Finding>) {
    let text = fs::read_to_string(path).expect("the scenario can be read");
    let source = Source::new(path.display().to_string(), text);
    let (scenario, mut findings) = scenario::parse(&source);
    findings.extend(validate::validate(&scenario));
    (source, scenario, findings)
}

fn rule_file(id: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenarios/rules")
        .join(id)
        .join(name)
}

/// `(line, id)` of findings and of expectations, sorted.
fn lines(source: &Source, findings: &[Finding]) -> Vec<(u32, String)> {
    let mut lines: Vec<_> = findings
        .iter()
        .map(|f| (source.line(f.span.start), f.rule.id.to_owned()))
        .collect();
    lines.sort();
    lines
}

#[test]
fn every_rule_fires_where_its_scenario_says() {
    for rule in validate::rules() {
        let (source, scenario, findings) = findings(&rule_file(rule.id, "fires.scn"));
        let mut expected: Vec<_> = scenario
            .expectations
            .iter()
            .flat_map(|e| e.ids.iter().map(|id| (e.line, id.clone())))
            .collect();
        expected.sort();
        assert_eq!(
            lines(&source, &findings),
            expected,
            "{}: {findings:#?}",
            source.name
        );
        assert!(
            expected.iter().any(|(_, id)| id == rule.id),
            "{} expects its own rule",
            source.name
        );
        let helped = findings
            .iter()
            .all(|f| f.help.is_some() || f.severity < Severity::Error);
        assert!(helped, "{}: an error without a way out", source.name);
    }
}

#[test]
fn every_rule_rests_on_its_near_miss() {
    for rule in validate::rules() {
        let (source, _, findings) = findings(&rule_file(rule.id, "quiet.scn"));
        assert_eq!(
            lines(&source, &findings),
            [],
            "{}: {findings:#?}",
            source.name
        );
    }
}

#[test]
fn ids_and_names_are_unique() {
    let rules: Vec<_> = validate::rules().collect();
    assert_eq!(rules.len(), eb::RULES.len());
    for (i, rule) in rules.iter().enumerate() {
        assert_eq!(
            rule.id,
            format!("EB{:03}", i + 1),
            "ids are permanent and without gaps"
        );
        assert!(rules[..i].iter().all(|other| other.name != rule.name));
    }
}

#[test]
fn translated_barriers_are_legal() {
    // What the translation makes of correct legacy calls passes the rules that enhanced barriers are held to.
    let text = "
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS; state COMMON; mips 2 }
texture d : D32_FLOAT 64x64 { flags DEPTH_STENCIL; state DEPTH_WRITE }
texture s : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS|SIMULTANEOUS_ACCESS; state COMMON }
buffer b : 4KiB { flags UNORDERED_ACCESS }
list l : direct {
  legacy { transition t COMMON -> RENDER_TARGET; transition d DEPTH_WRITE -> DEPTH_READ }
  legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE|COPY_SOURCE; uav b; uav * }
  legacy { transition t[mip 1] PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE|COPY_SOURCE -> UNORDERED_ACCESS begin }
  legacy { transition t[mip 1] PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE|COPY_SOURCE -> UNORDERED_ACCESS end }
  legacy { uav s; alias t -> d; alias * -> *; transition b UNORDERED_ACCESS -> INDIRECT_ARGUMENT }
}
list c : compute {
  legacy { transition b UNORDERED_ACCESS -> NON_PIXEL_SHADER_RESOURCE; uav b; transition s UNORDERED_ACCESS -> COPY_SOURCE }
}
";
    let (scenario, findings) = scenario::parse(&Source::new("legacy", text));
    assert!(findings.is_empty(), "{findings:?}");
    assert!(validate::validate(&scenario).is_empty());
    let errors: Vec<_> = validate::validate(&legacy::translate(&scenario))
        .into_iter()
        .filter(|f| f.severity.fails())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn messages(text: &str) -> Vec<(&'static str, String)> {
    let (scenario, findings) = scenario::parse(&Source::new("test", text));
    assert!(findings.is_empty(), "{findings:?}");
    validate::validate(&scenario)
        .into_iter()
        .map(|f| (f.rule.id, f.message))
        .collect()
}

fn ids(text: &str) -> Vec<&'static str> {
    messages(text).into_iter().map(|(id, _)| id).collect()
}

#[test]
fn one_mistake_is_one_finding() {
    let list = |decl: &str, queue: &str, body: &str| {
        ids(&format!(
            "{decl}\nlist l : {queue} {{ barrier {{ {body} }} }}\n"
        ))
    };
    let rt = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }";
    // Both sides break the same rule: one finding. Two rules on two sides: two.
    assert_eq!(
        list(
            rt,
            "compute",
            "texture t { sync ALL -> ALL; access NO_ACCESS -> NO_ACCESS; layout RENDER_TARGET -> RENDER_TARGET }"
        ),
        ["EB014"]
    );
    assert_eq!(
        list(
            rt,
            "direct",
            "texture t { sync COPY -> COPY; access RENDER_TARGET -> COPY_DEST; layout RENDER_TARGET -> RENDER_TARGET }"
        ),
        ["EB020", "EB019"]
    );
    // Fields that are left out are NONE and COMMON.
    assert_eq!(
        list(rt, "direct", "texture t { layout COMMON -> RENDER_TARGET }"),
        ["EB010"]
    );
    // The split side names no stages and no access of its own.
    assert_eq!(
        list(
            rt,
            "direct",
            "texture t { sync RENDER_TARGET -> SPLIT; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }"
        ),
        [""; 0]
    );
    // A memory-only barrier may name any access that the resource was created for.
    assert_eq!(
        list(
            rt,
            "direct",
            "texture t { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_SOURCE }"
        ),
        [""; 0]
    );
    assert_eq!(
        list(
            rt,
            "direct",
            "texture t { sync RENDER_TARGET -> COMPUTE_SHADING; access RENDER_TARGET -> UNORDERED_ACCESS }"
        ),
        ["EB017"]
    );
    // Reading R24: a global entry may say that it promises nothing.
    assert_eq!(
        list(
            "",
            "direct",
            "global { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS }"
        ),
        [""; 0]
    );
    // Layouts of the driver interface parse and are refused (reading R10).
    for layout in ["LEGACY_COPY_DEST", "31", "0x80000003", "77"] {
        let entry = format!(
            "texture t {{ sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout COMMON -> {layout} }}"
        );
        assert_eq!(list(rt, "direct", &entry), ["EB014"], "{layout}");
    }
}

#[test]
fn uses_and_declarations_obey_creation() {
    assert_eq!(
        ids("texture t : R8G8B8A8_UNORM 4x4\nlist l : direct { clear-rtv t }\n"),
        ["EB017"]
    );
    assert_eq!(
        ids("buffer u : 4KiB { type upload }\nbuffer b : 4KiB\nlist l : copy { copy b -> u }\n"),
        ["EB018"]
    );
    assert_eq!(
        ids("texture t : R8G8B8A8_UNORM 4x4 { initial RENDER_TARGET }\n"),
        ["EB017"]
    );
    assert_eq!(
        ids("heap h : 64MiB { type upload }\ntexture t : R8G8B8A8_UNORM 4x4 { heap h at 0 }\n"),
        ["EB024"]
    );
    assert_eq!(
        ids("buffer b : 4KiB\nlist l : direct { assert access b UNORDERED_ACCESS }\n"),
        ["EB017"]
    );
    assert_eq!(
        ids(
            "device { capability raytracing off }\nbuffer b : 4KiB { flags RAYTRACING_ACCELERATION_STRUCTURE }\n"
        ),
        ["EB025"]
    );
}
