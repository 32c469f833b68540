//! Every rule of the registry: its id and name, its page with both examples, and its two scenes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::catalog::{self, FAMILIES, RETIRED};
use syncscope::finding::{Finding, Rule, Source};
use syncscope::report::expect;
use syncscope::run::{self, KernelFile, Options, Unusable};
use syncscope::scenario::{self, Expectation, json};

/// Sections of a page, in order.
const SECTIONS: [&str; 5] = [
    "**What it finds.** ",
    "**Why it matters.** ",
    "**Firing example**\n",
    "**Fixed example**\n",
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

/// The kernels that a text names, from a folder.
pub(crate) fn kernels(source: &Source, folder: &Path) -> Vec<KernelFile> {
    let read = |path: String| KernelFile {
        text: fs::read_to_string(folder.join(&path))
            .map(|text| Source::new(path.clone(), text))
            .map_err(|error| Unusable::new(error.to_string(), "write it")),
        path,
    };
    run::kernels_named(source).into_iter().map(read).collect()
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
        kernels: kernels(&source, &scenes_of(&source.name)),
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
/// rule files, which `rule_files.rs` holds.
pub(crate) fn scenario_rules() -> impl Iterator<Item = &'static Rule> {
    let rules = catalog::registry().rules.into_iter();
    rules.filter(|rule| !matches!(rule.family(), "LM" | "RF"))
}

/// Whether the scenes of a rule are checked with the machine.
pub(crate) fn machine(rule: &Rule) -> bool {
    !WITHOUT_MACHINE.contains(&rule.family())
}

/// The folder of the rule that a scene or an example belongs to, by its name.
fn scenes_of(name: &str) -> PathBuf {
    let name = name.strip_prefix("scenarios/rules/").unwrap_or(name);
    folder().join(name.split(['/', ' ']).next().unwrap_or_default())
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

/// The first fenced block after a section's head, and whether it is JSON.
fn example(rule: &Rule, head: &str) -> (Source, bool) {
    let page = rule.page();
    let after = page.split(head).nth(1).unwrap_or_default();
    let block = after
        .strip_prefix("```")
        .and_then(|rest| rest.split_once('\n'));
    let (language, rest) = block.unwrap_or_else(|| {
        panic!(
            "{}: `{}` is followed by a fenced block",
            rule.id,
            head.trim()
        )
    });
    assert!(
        ["text", "json"].contains(&language),
        "{}: an example is `text` or `json`",
        rule.id
    );
    let text = rest.split("```").next().unwrap_or_default();
    let name = format!("{} {}", rule.id, head.trim());
    (Source::new(name, text), language == "json")
}

#[test]
fn every_rule_has_a_page_with_its_five_sections() {
    let mut wrong = Vec::new();
    for rule in catalog::registry().rules {
        let page = rule.page();
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
        if rule.summary.is_empty() || rule.summary.len() > 120 || rule.summary.contains('\n') {
            wrong.push(format!("{}: the summary is one line", rule.id));
        }
    }
    assert!(
        wrong.is_empty(),
        "sections are missing or out of order:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_firing_example_of_a_page_fires_and_the_fixed_one_does_not() {
    for rule in scenario_rules() {
        let options = Options::default();
        let (firing, is_json) = example(rule, SECTIONS[2]);
        let judged = judge(firing, is_json, machine(rule), &options);
        assert!(
            judged.has(rule),
            "{}: {:#?}",
            judged.source.name,
            judged.findings
        );
        for machine in [false, true] {
            let (fixed, is_json) = example(rule, SECTIONS[3]);
            let judged = judge(fixed, is_json, machine, &options);
            let wrong = |f: &&Finding| f.rule.id == rule.id || f.severity.fails();
            let wrong = judged.findings.iter().find(wrong);
            assert!(wrong.is_none(), "{}: {wrong:#?}", judged.source.name);
        }
    }
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
