//! Lowerings in files: which names mean one, what is wrong with it, and which barriers of a run it says nothing about.

use super::{Registry, Unusable};
use crate::analyze::names;
use crate::finding::{Finding, Source, Span};
use crate::hardware::Profile;
use crate::id::BarrierRef;
use crate::lower::Lowering;
use crate::lower::rules::{self, RuleAccount, RuleFile, RuleLowering, RuleMatch, mistakes};
use crate::order::Timeline;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Mistakes of a file that one message names.
const MISTAKES_NAMED: usize = 10;
/// Barriers without a rule that are reported one by one.
const UNMATCHED_MAX: usize = 1_000;

/// Whether a lowering is meant by its file and not by a name.
pub fn is_lowering_file(lowering: &str) -> bool {
    let path = Path::new(lowering);
    path.extension().is_some_and(|e| e == "lower") || lowering.ends_with(".lower.json")
}

/// What `--lowering` starts with if a driver in another process is meant.
const DRIVER: &str = "exec:";

/// The command line of a driver, if a lowering is meant by one: `exec:./mydriver`.
pub fn driver_command(lowering: &str) -> Option<&str> {
    lowering.strip_prefix(DRIVER)
}

/// A rule file that was read: its text, and what was found in it.
#[non_exhaustive]
pub struct LoweringRead {
    /// The text that the places of the findings are in: rule text, whatever the file holds.
    pub source: Source,
    /// What it says, as far as it was understood.
    pub file: RuleFile,
    /// What is wrong or suspicious, with names compared with the profile if there is one.
    pub findings: Vec<Finding>,
}

/// Reads a rule file, in its text form or its JSON form.
pub fn read_lowering(source: &Source, profile: Option<&Profile>) -> LoweringRead {
    let source = source.clone();
    let (file, mut findings) = rules::parse(&source);
    if !findings.iter().any(|f| f.severity.fails()) {
        findings.extend(rules::unreachable(&file));
        findings.extend(profile.map_or_else(Vec::new, |profile| rules::check(&file, profile)));
    }
    findings.sort_by_key(|f| (f.span, f.rule.id));
    LoweringRead {
        source,
        file,
        findings,
    }
}

/// A rule file that has the name of a built-in lowering.
pub fn name_taken(file: &RuleFile, registry: &Registry) -> Option<Finding> {
    let lowerings = registry.lowerings.iter();
    let known: Vec<&str> = lowerings.map(|lowering| lowering.name()).collect();
    rules::name_taken(file, &known)
}

/// Conditions of a rule file on profiles that are not built in: in a run on a built-in profile they never hold.
pub fn unknown_profiles(file: &RuleFile, registry: &Registry) -> Vec<Finding> {
    let profiles = registry.profiles.iter();
    let known = profiles.flat_map(|p| std::iter::once(p.name).chain(p.aliases.iter().copied()));
    rules::unknown_profiles(file, &known.collect::<Vec<_>>())
}

/// The lowering of a rule file, for a profile. Each text is kept once, for as long as the program runs.
///
/// # Errors
/// What is wrong with the file: its mistakes in order, each with its place.
pub fn load_lowering(
    source: &Source,
    profile: Option<&Profile>,
) -> Result<&'static RuleLowering, Unusable> {
    static KEPT: Mutex<Vec<&'static RuleLowering>> = Mutex::new(Vec::new());
    let read = read_lowering(source, profile);
    if read.findings.iter().any(|f| f.severity.fails()) {
        return Err(told(&read, profile));
    }
    // Nothing in here panics; the list is whole whoever held the lock.
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kept
        .iter()
        .find(|it| it.source().name == read.source.name && it.source().text == read.source.text);
    if let Some(known) = known {
        return Ok(known);
    }
    let (lowering, _) = RuleLowering::read(&read.source).map_err(|_| told(&read, profile))?;
    let lowering = lowering.kept();
    kept.push(lowering);
    Ok(lowering)
}

/// What is wrong with a rule file on a profile, each thing with its place.
fn told(read: &LoweringRead, profile: Option<&Profile>) -> Unusable {
    let wrong: Vec<&Finding> = read
        .findings
        .iter()
        .filter(|f| f.severity.fails())
        .collect();
    let placed = |finding: &Finding| {
        let at = finding.span.start;
        let (line, column) = (read.source.line(at), read.source.column(at));
        format!("{}:{line}:{column}: {}", read.source.name, finding.message)
    };
    let name = &read.source.name;
    if let [one] = wrong.as_slice() {
        let help = one.help.as_deref().unwrap_or_default().to_owned();
        return Unusable {
            message: placed(one),
            help,
        };
    }
    let mut message = format!("the rule file `{name}` has {} mistakes", wrong.len());
    for finding in wrong.iter().take(MISTAKES_NAMED) {
        message = message + "\n  " + &placed(finding);
    }
    let more = wrong.len().saturating_sub(MISTAKES_NAMED);
    if more > 0 {
        message = format!("{message}\n  and {more} more");
    }
    // Without the profile, `check` knows no caches.
    let on = profile.map_or_else(String::new, |it| format!(" --profile {}", it.name));
    let help = format!("`syncscope check {name}{on}` shows each in its place");
    Unusable { message, help }
}

/// Rules that one note names.
const RULES_NAMED: usize = 4;

/// What a run says about the rule file that lowers it: which barriers it is not about, and which of its rules made what is
/// wrong with a packet.
pub(crate) fn told_of_rules(
    timeline: &Timeline<'_>,
    profile: &Profile,
    lowering: &dyn Lowering,
    findings: &mut Vec<Finding>,
) {
    let Some(rules) = lowering.rules() else {
        return;
    };
    let account = rules.account(timeline, profile);
    let place = |entry: BarrierRef| {
        names::entry(timeline, entry).map_or_else(|| timeline.span(entry.node), |it| it.span)
    };
    let about_lowering = |finding: &&mut Finding| finding.rule.family() == "LW";
    if findings.iter().any(|f| f.rule.family() == "LW") {
        let entries = account.entries.iter();
        let matches: BTreeMap<Span, &[RuleMatch]> = entries
            .map(|(entry, matches)| (place(*entry), matches.as_slice()))
            .collect();
        for finding in findings.iter_mut().filter(about_lowering) {
            if let Some(matches) = matches.get(&finding.span) {
                // What was seen stays a finding's last note.
                finding.notes.insert(0, made_by(rules, matches).into());
            }
        }
    }
    findings.extend(match rules.file().base() {
        rules::Base::Nothing => without_rule(rules, &account, place),
        rules::Base::Precise => idle(rules, &account).into_iter().collect(),
    });
}

/// Which rules made a packet.
fn made_by(rules: &RuleLowering, matches: &[RuleMatch]) -> String {
    let source = rules.source();
    let name = |it: &RuleMatch| {
        let rule = &rules.file().rules[it.rule];
        let line = source.line(rule.span.start);
        format!("{}, {}:{line}", rule.title(), source.name)
    };
    let named: Vec<String> = matches.iter().take(RULES_NAMED).map(name).collect();
    let more = matches.len().saturating_sub(RULES_NAMED);
    match named.as_slice() {
        [] => "no rule of the rule file matches it".to_owned(),
        all if more == 0 => format!("what lowers it: {}", all.join("; ")),
        some => format!("what lowers it: {}; and {more} more", some.join("; ")),
    }
}

/// That no rule of a file which changes `precise` is about any barrier.
fn idle(rules: &RuleLowering, account: &RuleAccount) -> Option<Finding> {
    let (name, file) = (&rules.file().name, rules.file());
    let (count, named) = (account.entries.len(), file.rules.len());
    let is_idle = account.entries.iter().all(|(_, rules)| rules.is_empty());
    if count == 0 || named == 0 || !is_idle {
        return None;
    }
    let message = format!(
        "none of the {named} rules of `{name}` matches any of the {count} barriers of this run: each packet is that of \
         `precise`"
    );
    let finding = Finding::new(&mistakes::NO_RULE_MATCHES, Span::default(), message);
    Some(finding.help(COMPARE))
}

/// How to find out why no rule matches.
const COMPARE: &str = "compare the conditions with the barriers: `syncscope lower` lists both";

/// Barriers that no rule is about; that no rule is about any barrier.
fn without_rule(
    rules: &RuleLowering,
    account: &RuleAccount,
    place: impl Fn(BarrierRef) -> Span,
) -> Vec<Finding> {
    let file = rules.file();
    let default = file.rules.iter().position(|rule| rule.name.is_none());
    let name = &file.name;
    if default.is_none() {
        let entry = |entry: BarrierRef| {
            let message = format!("no rule of `{name}` matches this barrier");
            let finding = Finding::new(&mistakes::NO_RULE_MATCHES, place(entry), message);
            finding
                .note("its packet waits and holds as asked, and does nothing else")
                .help("add a rule for it, or `default { nothing }` if nothing is right")
        };
        return account.unmatched().take(UNMATCHED_MAX).map(entry).collect();
    }
    let only_default = |rules: &[RuleMatch]| rules.iter().all(|it| Some(it.rule) == default);
    let (count, named) = (account.entries.len(), file.rules.len() - 1);
    let all_default = account.entries.iter().all(|(_, rules)| only_default(rules));
    if count == 0 || named == 0 || !all_default {
        return Vec::new();
    }
    let message = format!(
        "none of the {named} rules of `{name}` matches any of the {count} barriers of this run: each gets the default"
    );
    let finding = Finding::new(&mistakes::NO_RULE_MATCHES, Span::default(), message);
    vec![finding.help(COMPARE)]
}
