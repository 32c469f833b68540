//! What a rule file says, compared with a profile: names that it does not have, and write-backs of caches that hold nothing
//! to write back.

use super::matching::{is_profile, surface};
use super::mistakes;
use super::model::{Condition, Dropped, Emit, Name, Naming, RuleFile, RuleText, Statement};
use super::suggest;
use crate::finding::{Finding, Severity};
use crate::hardware::{Profile, Variant, WritePolicy};

/// Mistakes in a rule file for a profile. A rule for other profiles (`profile NAME`) is not looked at.
pub fn check(file: &RuleFile, profile: &Profile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in file.rules.iter().filter(|rule| is_for(rule, profile)) {
        for line in &rule.block.lines {
            match &line.item {
                Statement::If(Condition::Names(of, names)) => {
                    for name in names {
                        findings.extend(unknown(*of, name, profile));
                    }
                }
                Statement::If(_) => {}
                Statement::Do(emit) => emitted(emit, profile, &mut findings),
            }
        }
    }
    findings
}

/// Names of profiles that are not among those that are known. A file for somebody's own profile may name it: no error.
pub fn unknown_profiles(file: &RuleFile, known: &[&str]) -> Vec<Finding> {
    let conditions = file.rules.iter().flat_map(RuleText::conditions);
    let named = conditions.filter_map(|condition| match condition {
        Condition::Names(Naming::Profile, names) => Some(names),
        _ => None,
    });
    let unknown = named
        .flatten()
        .filter(|name| !known.contains(&name.text.as_str()));
    let told = |name: &Name| {
        let shown = suggest::cut(&name.text);
        let message = format!("no built-in profile is called `{shown}`: this never holds on one");
        let finding = Finding::new(&mistakes::UNKNOWN_NAME, name.span, message);
        finding
            .severity(Severity::Warning)
            .help(suggest::known(&name.text, known))
    };
    unknown.map(told).collect()
}

/// That a file has the name of another lowering.
pub fn name_taken(file: &RuleFile, known: &[&str]) -> Option<Finding> {
    let name = file.name.as_str();
    known.contains(&name).then(|| {
        let message =
            format!("`{name}` is a built-in lowering: a report does not tell the two apart");
        Finding::new(&mistakes::NAME_TAKEN, file.name_span, message).help(format!(
            "give the rules a name of their own, such as `my_{name}`"
        ))
    })
}

/// Whether a rule is for a profile.
fn is_for(rule: &RuleText, profile: &Profile) -> bool {
    rule.conditions().all(|condition| match condition {
        Condition::Names(Naming::Profile, names) => {
            names.iter().any(|name| is_profile(profile, &name.text))
        }
        _ => true,
    })
}

fn emitted(emit: &Emit, profile: &Profile, findings: &mut Vec<Finding>) {
    match emit {
        Emit::Clean(operation) => {
            for name in &operation.caches {
                findings.extend(no_cache(name, profile).or_else(|| pointless(name, profile)));
            }
        }
        Emit::Invalidate(operation) => {
            let names = operation.caches.iter();
            findings.extend(names.filter_map(|name| no_cache(name, profile)));
        }
        Emit::Drop(Dropped::Clean(names) | Dropped::Invalidate(names)) => {
            findings.extend(names.iter().filter_map(|name| no_cache(name, profile)));
        }
        Emit::Layout(Some(name)) => findings.extend(unknown(Naming::Operation, name, profile)),
        _ => {}
    }
}

fn no_cache(name: &Name, profile: &Profile) -> Option<Finding> {
    if name.text == "*" || profile.cache_named(&name.text).is_some() {
        return None;
    }
    let known: Vec<&str> = profile.caches.iter().map(|c| c.name.as_str()).collect();
    Some(unknown_name("cache", name, &known, profile))
}

fn unknown_name(what: &str, name: &Name, known: &[&str], profile: &Profile) -> Finding {
    let shown = suggest::cut(&name.text);
    let message = format!("the profile `{}` has no {what} `{shown}`", profile.name);
    let help = if known.is_empty() {
        "it has none".to_owned()
    } else {
        suggest::known(&name.text, known)
    };
    Finding::new(&mistakes::UNKNOWN_NAME, name.span, message).help(help)
}

/// A name of a condition that the profile does not have.
fn unknown(of: Naming, name: &Name, profile: &Profile) -> Option<Finding> {
    match of {
        Naming::Profile => None,
        Naming::Leftovers if name.text == "none" => None,
        Naming::Leftovers => no_cache(name, profile),
        Naming::Operation => {
            let known: Vec<&str> = profile.layout_ops.iter().map(|o| o.name.as_str()).collect();
            let is_known = known.contains(&name.text.as_str());
            (!is_known).then(|| unknown_name("layout operation", name, &known, profile))
        }
        Naming::Surface => {
            let known: Vec<String> = Variant::all(profile.exceptions.len())
                .map(|variant| surface(profile, variant))
                .collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let is_known = known.contains(&name.text.as_str());
            (!is_known).then(|| unknown_name("exception", name, &known, profile))
        }
    }
}

/// A write-back of a cache that holds nothing to write back.
fn pointless(name: &Name, profile: &Profile) -> Option<Finding> {
    let cache = profile.cache(profile.cache_named(&name.text)?);
    let (what, severity) = match cache.policy {
        WritePolicy::WriteBack => return None,
        WritePolicy::ReadOnly => (
            "is read-only: nothing is ever written to it",
            Severity::Error,
        ),
        WritePolicy::WriteThrough => (
            "passes every write on: it never holds anything to write back",
            Severity::Warning,
        ),
    };
    let message = format!("the cache `{}` of `{}` {what}", cache.name, profile.name);
    let finding = Finding::new(&mistakes::POINTLESS_CLEAN, name.span, message);
    let help = format!("write `invalidate {}` to drop its lines", cache.name);
    Some(finding.severity(severity).help(help))
}
