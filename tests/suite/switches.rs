//! Severity switches and allowances in a text, over every rule of the registry.

use super::rules::{judge, machine, scenario_rules, scene};
use std::fmt::Write as _;
use syncscope::catalog;
use syncscope::finding::{Finding, Rule, Severity, Source};
use syncscope::run::{Level, Options, Switch};

/// The findings of a rule's firing scene under some switches, `(level, word)` in order.
fn under(rule: &Rule, switches: &[(Level, &str)]) -> Vec<Finding> {
    let registry = catalog::registry();
    let switch = |(level, word): &(Level, &str)| Switch {
        level: *level,
        rules: registry.named(word),
    };
    let options = Options {
        switches: switches.iter().map(switch).collect(),
        ..Options::default()
    };
    let (source, is_json) = scene(rule, "fires");
    judge(source, is_json, machine(rule), &options).findings
}

/// Rules whose findings can be switched: a text that is not understood stays an error.
fn switchable() -> impl Iterator<Item = &'static Rule> {
    scenario_rules().filter(|rule| rule.family() != "SC")
}

fn severities(rule: &Rule, findings: &[Finding]) -> Vec<Severity> {
    findings
        .iter()
        .filter(|f| f.rule.id == rule.id)
        .map(|f| f.severity)
        .collect()
}

#[test]
fn a_switch_by_id_name_or_family_changes_every_finding_of_its_rules_and_no_other() {
    for rule in switchable() {
        let plain = under(rule, &[]);
        let count = severities(rule, &plain).len();
        assert!(count > 0, "{} fires", rule.id);
        for word in [rule.id, rule.name, rule.family()] {
            let denied = under(rule, &[(Level::Deny, word)]);
            assert_eq!(
                severities(rule, &denied),
                vec![Severity::Error; count],
                "{word}"
            );
            let warned = under(rule, &[(Level::Warn, word)]);
            assert_eq!(
                severities(rule, &warned),
                vec![Severity::Warning; count],
                "{word}"
            );
            let allowed = under(rule, &[(Level::Allow, word)]);
            assert_eq!(severities(rule, &allowed), [], "{word}");
            let others = |all: &[Finding]| -> Vec<Finding> {
                let is_other = |f: &&Finding| f.rule.id != rule.id;
                all.iter().filter(is_other).cloned().collect()
            };
            if word != rule.family() {
                for switched in [&denied, &warned, &allowed] {
                    assert_eq!(others(switched), others(&plain), "{word}");
                }
            }
        }
    }
}

#[test]
fn the_last_switch_that_names_a_rule_counts() {
    for rule in switchable() {
        let last = under(
            rule,
            &[(Level::Allow, rule.family()), (Level::Deny, rule.id)],
        );
        assert!(
            severities(rule, &last)
                .iter()
                .all(|s| *s == Severity::Error)
                && !last.is_empty()
        );
        let last = under(
            rule,
            &[(Level::Deny, rule.id), (Level::Allow, rule.family())],
        );
        assert_eq!(severities(rule, &last), [], "{}", rule.id);
        // One that does not name it changes nothing.
        let other = if rule.family() == "LM" { "ST" } else { "LM" };
        let switches = [(Level::Deny, rule.id), (Level::Allow, other)];
        assert_eq!(
            under(rule, &switches),
            under(rule, &switches[..1]),
            "{}",
            rule.id
        );
    }
}

/// The firing scene with `// syncscope: allow WORD` above each line that expects the rule.
fn allowing(rule: &Rule, word: &str) -> (Source, bool) {
    let (source, is_json) = scene(rule, "fires");
    let mut text = String::new();
    for line in source.text.lines() {
        if line.contains("//~") && line.contains(rule.id) {
            writeln!(text, "// syncscope: allow {word}").expect("a string");
        }
        text.push_str(line);
        text.push('\n');
    }
    (Source::new(source.name, text), is_json)
}

#[test]
fn a_text_allows_what_stands_in_the_next_statement() {
    for rule in switchable() {
        for word in [rule.id, rule.name, rule.family()] {
            let (source, is_json) = allowing(rule, word);
            let judged = judge(source, is_json, machine(rule), &Options::default());
            assert!(!judged.has(rule), "{word}: {:#?}", judged.findings);
        }
        let (source, is_json) = allowing(rule, "SC001");
        let judged = judge(source, is_json, machine(rule), &Options::default());
        assert!(judged.has(rule), "{}: another rule is allowed", rule.id);
    }
}

#[test]
fn what_the_text_allows_stays_allowed_under_deny() {
    for rule in switchable() {
        let options = Options {
            switches: vec![Switch {
                level: Level::Deny,
                rules: vec![rule],
            }],
            ..Options::default()
        };
        let (source, is_json) = allowing(rule, rule.id);
        let judged = judge(source, is_json, machine(rule), &options);
        assert!(!judged.has(rule), "{}", rule.id);
    }
}

#[test]
fn a_text_that_is_not_understood_never_looks_clean() {
    let rules = catalog::registry().rules.into_iter();
    for rule in rules.filter(|rule| rule.family() == "SC") {
        for level in [Level::Allow, Level::Warn] {
            let found = under(rule, &[(level, rule.id), (level, "SC")]);
            let severities = severities(rule, &found);
            assert!(!severities.is_empty() && severities.iter().all(|s| *s == Severity::Error));
        }
        let (source, is_json) = allowing(rule, rule.id);
        let judged = judge(source, is_json, false, &Options::default());
        assert!(judged.has(rule), "{} is not allowed by the text", rule.id);
    }
}
