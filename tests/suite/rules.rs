//! Every rule of the registry: its id and name, its page, and the two scenes that are its examples.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::catalog::{self, FAMILIES, RETIRED};
use syncscope::finding::{Finding, Rule, Source};
use syncscope::report::{expect, page};
use syncscope::run::{self, FileKind, Files, Options, Unusable};
use syncscope::scenario::{self, Expectation, json};

/// Sections of a page, in order.
const SECTIONS: [&str; 5] = [
    "**What it finds.** ",
    "**Why it matters.** ",
    "**Firing example**\n",
    "**Quiet example**\n",
    "**Source.** ",
];

/// Families whose scenes must be checked without the machine: a scene of theirs is a few barriers that nothing depends
/// on, and a run would rightly call those redundant.
const WITHOUT_MACHINE: [&str; 4] = ["SC", "EB", "LB", "FN"];

/// A text with what it expects and what is found in it.
pub(crate) struct Judged {
    pub(crate) source: Source,
    pub(crate) expectations: Vec<Expectation>,
    pub(crate) findings: Vec<Finding>,
}

impl Judged {
    /// `(line, id)` of the findings of a family, in order.
    fn lines(&self, family: &str) -> Vec<(u32, &str)> {
        let mut lines: Vec<_> = self
            .findings
            .iter()
            .filter(|f| f.rule.family() == family)
            .map(|f| (self.source.line(f.span.start), f.rule.id))
            .collect();
        lines.sort_unstable();
        lines
    }

    pub(crate) fn has(&self, rule: &Rule) -> bool {
        self.findings.iter().any(|f| f.rule.id == rule.id)
    }
}

/// The kernels of a folder, by their names.
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) PathBuf);

impl Files for Folder {
    fn read(&self, path: &str, _: FileKind) -> Result<Source, Unusable> {
        let name = Path::new(path).file_name().unwrap_or_default();
        let text = fs::read_to_string(self.0.join(name));
        text.map(|text| Source::new(path, text))
            .map_err(|error| Unusable::new(error.to_string(), "write it"))
    }
}

/// Judges a text: by `run` if a machine is wanted and there is a timeline, by `check` otherwise.
pub(crate) fn judge(source: Source, is_json: bool, machine: bool, options: &Options) -> Judged {
    let source = if is_json {
        match json::to_text(&source) {
            Ok(text) => Source::new(source.name, text),
            Err(finding) => {
                return Judged {
                    expectations: scenario::parse(&source).0.expectations,
                    source,
                    findings: vec![*finding],
                };
            }
        }
    } else {
        source
    };
    let (parsed, _) = scenario::parse(&source);
    let options = &Options {
        files: Folder(scenes_of(&source.name)).into(),
        ..options.clone()
    };
    let report = if machine && parsed.timeline.is_some() {
        run::run(&source, &catalog::registry(), options)
            .unwrap_or_else(|what| panic!("{}: {}", source.name, what.message))
    } else {
        run::check(&source, options)
    };
    Judged {
        source,
        expectations: parsed.expectations,
        findings: report.findings,
    }
}

/// Rules whose scenes are scenarios. Those of `LM` are litmus tests, which `litmus/rules.rs` holds; those of `RF` are
/// rule files, which `rule_files.rs` holds, and those of `PT` recordings, which `judge` holds.
pub(crate) fn scenario_rules() -> impl Iterator<Item = &'static Rule> {
    let rules = catalog::registry().rules.into_iter();
    rules.filter(|rule| !matches!(rule.family(), "LM" | "RF" | "PT"))
}

/// Whether the scenes of a rule are checked with the machine.
pub(crate) fn machine(rule: &Rule) -> bool {
    !WITHOUT_MACHINE.contains(&rule.family())
}

/// The folder of the rule that a scene belongs to, by its name.
fn scenes_of(name: &str) -> PathBuf {
    let name = name.strip_prefix("scenarios/rules/").unwrap_or(name);
    folder().join(name.split('/').next().unwrap_or_default())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/rules")
}

/// A scene of a rule: `fires` or `quiet`, and whether it is JSON.
pub(crate) fn scene(rule: &Rule, name: &str) -> (Source, bool) {
    for extension in ["scn", "json"] {
        let file = format!("{}/{name}.{extension}", rule.id);
        if let Ok(text) = fs::read_to_string(folder().join(&file)) {
            return (
                Source::new(format!("scenarios/rules/{file}"), text),
                extension == "json",
            );
        }
    }
    panic!(
        "{}: there is no scenarios/rules/{}/{name}.scn",
        rule.id, rule.id
    );
}

#[test]
fn every_rule_has_a_page_with_its_five_sections() {
    let mut wrong = Vec::new();
    for rule in catalog::registry().rules {
        let page = page::body(rule);
        let places: Vec<_> = SECTIONS.iter().map(|head| page.find(head)).collect();
        let in_order = places.iter().all(Option::is_some) && places.is_sorted();
        if !in_order || places[0] != Some(0) {
            wrong.push(format!("{}: {places:?}", rule.id));
        }
        for head in SECTIONS {
            if page.matches(head).count() > 1 {
                wrong.push(format!("{}: {head} stands there twice", rule.id));
            }
        }
        let summary = rule.summary;
        if summary.is_empty() || summary.len() > 120 || summary.contains('\n') {
            wrong.push(format!("{}: the summary is one line", rule.id));
        }
        if summary.ends_with('.') {
            wrong.push(format!("{}: the summary ends without a full stop", rule.id));
        }
    }
    assert!(
        wrong.is_empty(),
        "sections are missing or out of order:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_rule_fires_where_its_scene_says_and_nothing_else_goes_wrong() {
    for rule in scenario_rules() {
        let (source, is_json) = scene(rule, "fires");
        let judged = judge(source, is_json, machine(rule), &Options::default());
        let name = &judged.source.name;
        let mismatches = expect::compare(
            &judged.expectations,
            &judged.findings,
            &judged.source,
            &catalog::registry().rules,
            &[],
        );
        assert!(mismatches.is_empty(), "{name}: {mismatches:#?}");
        // Of its own family every finding is expected, warnings too, and by its id.
        let mut expected: Vec<_> = judged
            .expectations
            .iter()
            .flat_map(|e| e.ids.iter().map(|id| (e.line, id.as_str())))
            .filter(|(_, id)| id.starts_with(rule.family()))
            .collect();
        expected.sort_unstable();
        assert_eq!(judged.lines(rule.family()), expected, "{name}");
        assert!(
            expected.iter().any(|(_, id)| *id == rule.id),
            "{name} expects its own rule"
        );
        // "expected …, found …" says what would be right by itself.
        let helpless = |f: &&Finding| {
            let way_out = f.help.is_some() || f.fix.is_some();
            f.severity.fails() && !way_out && !f.message.starts_with("expected ")
        };
        let helpless = judged.findings.iter().find(helpless);
        assert!(
            helpless.is_none(),
            "{name}: an error without a way out: {helpless:#?}"
        );
    }
}

#[test]
fn every_rule_rests_on_its_near_miss() {
    for rule in scenario_rules() {
        let (source, is_json) = scene(rule, "quiet");
        let judged = judge(source.clone(), is_json, machine(rule), &Options::default());
        assert!(
            judged.findings.is_empty(),
            "{}: {:#?}",
            source.name,
            judged.findings
        );
        // With the machine a barrier of such a scene may be called redundant, but nothing worse.
        let judged = judge(source, is_json, true, &Options::default());
        let wrong = judged.findings.iter().find(|f| f.severity.fails());
        assert!(wrong.is_none(), "{}: {wrong:#?}", judged.source.name);
    }
}

#[test]
fn ids_and_names_are_unique_and_permanent() {
    let registry = catalog::registry();
    let families: BTreeSet<&str> = FAMILIES.iter().map(|f| f.id).collect();
    assert_eq!(families.len(), FAMILIES.len(), "families are unique");
    let well_formed = |id: &str| {
        id.len() == 5 && families.contains(&id[..2]) && id[2..].bytes().all(|b| b.is_ascii_digit())
    };
    let mut words = families.clone();
    // The word of an expectation that forbids all findings.
    words.insert("none");
    for rule in &registry.rules {
        assert!(
            well_formed(rule.id),
            "{}: two letters of a family and three digits",
            rule.id
        );
        assert!(words.insert(rule.id), "{} is there twice", rule.id);
        assert!(words.insert(rule.name), "{} is there twice", rule.name);
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        assert!(
            rule.name.bytes().all(plain) && rule.name.starts_with(|c: char| c.is_ascii_lowercase()),
            "{}: lower-case words joined by hyphens",
            rule.name
        );
        assert_eq!(registry.named(rule.id), [*rule]);
        assert_eq!(registry.named(rule.name), [*rule]);
    }
    for id in RETIRED {
        assert!(
            well_formed(id),
            "{id}: two letters of a family and three digits"
        );
        assert!(words.insert(id), "{id} is retired and cannot be used again");
    }
}

#[test]
fn every_folder_of_scenes_belongs_to_a_living_rule() {
    let rules = catalog::registry().rules;
    for entry in fs::read_dir(folder()).expect("the scenes of rules") {
        let name = entry.expect("an entry").file_name();
        assert!(
            rules.iter().any(|r| *r.id == *name),
            "scenarios/rules/{} belongs to no rule",
            name.display()
        );
    }
}
