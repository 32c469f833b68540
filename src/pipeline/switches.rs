//! Severity switches: what the command line and the text itself make of a finding. The only place that changes how bad
//! a finding is.

use super::Registry;
use crate::analyze::Beyond;
use crate::finding::{Finding, Rule, Severity, Span};
use crate::kernel;
use crate::litmus::rules::expectation_failed;
use crate::scenario::Scenario;
use std::collections::BTreeMap;

/// What a switch makes of a finding.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Level {
    /// It is left out.
    Allow,
    /// It is a warning.
    Warn,
    /// It is an error.
    Deny,
}

/// A level for the findings of some rules. Of several switches that name a rule the last one counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    /// The level.
    pub level: Level,
    /// The rules.
    pub rules: Vec<&'static Rule>,
}

impl Registry {
    /// The rules that a word names: one by its id or name, all of a family by its two letters; none if it names nothing.
    pub fn named(&self, word: &str) -> Vec<&'static Rule> {
        let is_meant = |rule: &&Rule| rule.is_named(word);
        self.rules.iter().copied().filter(is_meant).collect()
    }
}

/// Whether nothing may change this finding: a text that is not understood was not checked, and must not look clean; and
/// an expectation that does not hold is the file's own word.
pub fn is_fixed(rule: &Rule, severity: Severity) -> bool {
    let own_word = rule.id == expectation_failed::RULE.id;
    let text = rule.family() == "SC" || kernel::rules::TEXT.iter().any(|r| r.id == rule.id);
    severity.fails() && (text || own_word)
}

/// Gives findings the severity that the last switch says, or leaves them out.
pub fn switch(findings: &mut Vec<Finding>, switches: &[Switch]) {
    findings
        .retain_mut(|finding| is_fixed(finding.rule, finding.severity) || turn(finding, switches));
}

/// Counts what is not listed, by rule and severity, as the switches and the text make it.
pub(crate) fn counted(
    beyond: &[Beyond],
    scenario: &Scenario,
    switches: &[Switch],
) -> Vec<Unlisted> {
    let mut counted: BTreeMap<(&str, Severity), Unlisted> = BTreeMap::new();
    for one in beyond {
        let (rule, mut severity) = (one.rule, one.severity);
        let is_free = !is_fixed(rule, severity);
        if is_free && is_allowed(scenario, rule, one.span) {
            continue;
        }
        if is_free {
            match turned(rule, switches) {
                None => {}
                Some(Level::Allow) => continue,
                Some(Level::Warn) => severity = Severity::Warning,
                Some(Level::Deny) => severity = Severity::Error,
            }
        }
        let known = counted.entry((rule.id, severity)).or_insert(Unlisted {
            rule,
            severity,
            count: 0,
        });
        known.count += 1;
    }
    counted.into_values().collect()
}

/// Leaves out what the text or a switch allows, and gives the others the severity that the last switch says. What the
/// text allows stays allowed under `deny`: it is said closer to the place.
pub(crate) fn apply(findings: &mut Vec<Finding>, scenario: &Scenario, switches: &[Switch]) {
    drop_allowed(findings, scenario);
    switch(findings, switches);
}

/// Leaves out what the text allows.
pub(crate) fn drop_allowed(findings: &mut Vec<Finding>, scenario: &Scenario) {
    findings.retain(|finding| {
        is_fixed(finding.rule, finding.severity)
            || !is_allowed(scenario, finding.rule, finding.span)
    });
}

/// Whether the last switch that names a rule denies it.
pub fn is_denied(rule: &Rule, switches: &[Switch]) -> bool {
    turned(rule, switches) == Some(Level::Deny)
}

/// What the last switch that names a rule says.
fn turned(rule: &Rule, switches: &[Switch]) -> Option<Level> {
    let names = |switch: &&Switch| switch.rules.iter().any(|r| r.id == rule.id);
    switches.iter().rfind(names).map(|switch| switch.level)
}

/// What the last switch that names a finding's rule makes of it; whether anything is left.
fn turn(finding: &mut Finding, switches: &[Switch]) -> bool {
    match turned(finding.rule, switches) {
        None => {}
        Some(Level::Allow) => return false,
        Some(Level::Warn) => finding.severity = Severity::Warning,
        Some(Level::Deny) => finding.severity = Severity::Error,
    }
    true
}

/// Whether the text allows a finding: `// syncscope: allow ID` covers the next statement (reading R50).
fn is_allowed(scenario: &Scenario, rule: &Rule, span: Span) -> bool {
    scenario.allows.iter().any(|allow| {
        allow.covers.start <= span.start
            && span.start < allow.covers.end.max(allow.covers.start + 1)
            && allow.ids.iter().any(|id| rule.is_named(id))
    })
}

/// Findings of one rule that are counted and not listed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unlisted {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad they are.
    pub severity: Severity,
    /// How many there are: places and resources.
    pub count: u64,
}
