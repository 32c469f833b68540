//! Changes that remove findings, each proved on an edited copy of the text: the finding disappears and no other appears.
//!
//! `analyze::repair` says what might help, the smallest first, [`fields`] and [`legacy`] what else a wrong entry could
//! say, [`declared`] what a declaration lacks; here it is applied to the text, the text is read and checked again (`judge.rs`), and what
//! adds anything above advice is dropped (`search.rs`). One change is looked for each cause (`plan.rs`); `check` shows
//! the plan, and `fix` makes it, plans again for what is left, and so on.
//!
//! Cost: a parse, a validation and an evaluation per candidate, and once more to find the candidates; a few more for
//! what holds, to see whether it is wasted. Within [`STEPS_MAX`] steps a run proves changes; findings beyond say that
//! none was tried. [`repair`] is asked for one text and has no such limit.

mod declared;
mod edited;
mod fields;
mod judge;
mod legacy;
mod plan;
mod search;
mod traded;

use crate::analyze::names;
use crate::analyze::repair::{self, Candidate};
use crate::finding::{Finding, Fix, Source, Span};
use crate::graph::Conflict;
use crate::id::narrow;
use crate::validate::RuleSet;
use edited::{Round, first_place, places};
use judge::{prepared, wrong_in};
use plan::Plan;
use search::Budget;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Steps (commands and barrier entries, over all evaluations) that proofs may take in one run.
const STEPS_MAX: u64 = 400_000;
/// Looks at a text that one proof takes at least: what is wrong, what is wasted, the candidates, and a copy with one.
const LOOKS_LEAST: u64 = 4;
/// Candidates that are tried on a copy for one finding.
const CANDIDATES_MAX: usize = 400;
/// Changes that one repair makes at most; a text has fewer findings, or the repairs go in circles.
const CHANGES_MAX: usize = 2_000;

/// What makes a finding the same finding in an edited copy. The place is of the text before the edits; what is in
/// inserted text has none.
type Key = (&'static str, Option<u32>, Option<Arc<str>>);

/// Something wrong, and the pair that it was made of.
#[derive(Clone)]
struct Found {
    finding: Finding,
    /// Where the mistake is that it comes from. What has the same cause is to be removed by one change.
    cause: u32,
    conflict: Option<Conflict>,
}

impl Found {
    fn key(&self) -> Key {
        key(&self.finding)
    }
}

fn key(finding: &Finding) -> Key {
    (
        finding.rule.id,
        Some(finding.span.start),
        finding.resource.clone(),
    )
}

/// What a repair did to a text.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The repaired text.
    pub source: Source,
    /// The changes in the order in which they were made.
    pub changes: Vec<RepairStep>,
    /// Errors and hazards for which no change was found, at their places in the text as it was before all changes.
    pub left: Vec<Finding>,
}

/// One proved change.
#[derive(Clone, Debug)]
pub struct RepairStep {
    /// The finding that it removes.
    pub finding: Finding,
    /// Line of that finding in the text as it was before all changes.
    pub line: u32,
    /// What was done, in words.
    pub says: String,
}

/// Removes errors and hazards from a text, one plan after the other. `wanted` says which findings to look at. A text
/// with `SC` errors is left as it is.
pub fn repair(source: &Source, rules: RuleSet, wanted: impl Fn(&Finding) -> bool) -> Repair {
    let mut text = source.clone();
    let mut changes = Vec::new();
    let mut hopeless = Vec::new();
    let mut rounds: Vec<Round> = Vec::new();
    let mut first = None;
    while changes.len() < CHANGES_MAX {
        let Some(found) = wrong_in(&text, rules) else {
            break;
        };
        let mut budget = Budget {
            left: u64::MAX,
            cost: 1,
        };
        let plan = plan::plan(&text, rules, &found, &wanted, &mut budget);
        first.get_or_insert(found);
        if plan.steps.is_empty() {
            hopeless = plan.open;
            break;
        }
        changes.extend(plan.steps.iter().map(|step| RepairStep {
            line: source.line(first_place(&rounds, step.target.finding.span.start)),
            finding: step.target.finding.clone(),
            says: in_lines_of(source, &text, &rounds, &step.proved.says),
        }));
        let made = plan.make(&text);
        rounds.push((std::mem::replace(&mut text, made), plan.edits));
    }
    let mut left: Vec<Finding> = hopeless
        .into_iter()
        .filter(|found| found.finding.severity.fails())
        .map(|found| {
            let is_lost = is_lost(&found);
            let finding = in_first_text(found.finding, &rounds, first.as_deref());
            if is_lost { finding.note(LOST) } else { finding }
        })
        .collect();
    left.sort_by_key(|f| f.span);
    Repair {
        source: text,
        changes,
        left,
    }
}

/// What is said of a change to the text after some rounds, with the lines of the text before them.
fn in_lines_of(first: &Source, text: &Source, rounds: &[Round], says: &str) -> String {
    const LINE: &str = " of line ";
    let mut parts = says.split(LINE);
    let mut said = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        said.push_str(LINE);
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        match part[..digits].parse::<usize>() {
            Ok(line @ 1..) => {
                let lines = text.text.split_inclusive('\n');
                let before: usize = lines.take(line - 1).map(str::len).sum();
                let blanks = text.text[before..].len() - text.text[before..].trim_start().len();
                let place = first_place(rounds, narrow(before + blanks));
                said.push_str(&first.line(place).to_string());
            }
            _ => said.push_str(&part[..digits]),
        }
        said.push_str(&part[digits..]);
    }
    said
}

/// A finding of the text after some rounds as it was found before them: its message may name commands, and the rounds
/// number them anew. What was not found then is moved to where its place was.
fn in_first_text(mut finding: Finding, rounds: &[Round], first: Option<&[Found]>) -> Finding {
    let place = |span: Span| {
        let start = first_place(rounds, span.start);
        let end = first_place(rounds, span.end).max(start);
        Span { start, end }
    };
    let earlier = |f: &Finding| f.hazard.as_ref().map(|hazard| hazard.first.span.start);
    let earlier_use = earlier(&finding).map(|start| first_place(rounds, start));
    finding.span = place(finding.span);
    let own = key(&finding);
    let found = first.into_iter().flatten();
    let mut same = found.filter(|f| f.key() == own && earlier(&f.finding) == earlier_use);
    if let Some(found) = same.next() {
        return found.finding.clone();
    }
    for related in &mut finding.related {
        related.span = place(related.span);
    }
    finding
}

/// Whether what a finding is about is no more: said only where no change was found.
fn is_lost(found: &Found) -> bool {
    let conflict = found.conflict.as_ref();
    conflict.is_some_and(repair::hazards::is_lost)
}

/// Why nothing helps.
const LOST: &str =
    "the contents are already lost: no barrier brings them back; they must be written again";

/// What is said of a finding for which nothing was tried.
static UNTRIED: LazyLock<Arc<str>> = LazyLock::new(|| {
    "no change was tried on a copy for this one: the text is too long to prove one for each; `syncscope fix` tries \
     them all"
        .into()
});

/// Gives errors and hazards the change that `fix` would make, or says which other change removes them.
pub(super) fn fixes(source: &Source, steps: u64, findings: &mut [Finding], rules: RuleSet) {
    let is_wrong = |f: &Finding| is_repairable(f) && is_mended(f);
    if !findings.iter().any(is_wrong) {
        return;
    }
    // A parse, a validation and an evaluation; a command of the text has about 64 bytes.
    let cost = steps.max(source.text.len() as u64 / 64).max(1) * 4;
    let mut budget = Budget {
        left: STEPS_MAX,
        cost,
    };
    let plan = if STEPS_MAX / cost < LOOKS_LEAST || budget.pay().is_none() {
        None
    } else {
        wrong_in(source, rules)
            .map(|found| plan::plan(source, rules, &found, is_repairable, &mut budget))
    };
    let Some(plan) = plan else {
        for finding in findings.iter_mut().filter(|f| is_wrong(f)) {
            add_untried(finding);
        }
        return;
    };
    let lines: BTreeMap<Key, &plan::Step> =
        plan.steps.iter().map(|s| (s.target.key(), s)).collect();
    for finding in findings.iter_mut().filter(|f| is_wrong(f)) {
        let own = key(finding);
        if let Some(step) = lines.get(&own) {
            // What is proved says more than what is true in general, and one help does not contradict itself.
            finding.help = None;
            finding.fix = Some(Box::new(Fix {
                edits: step.proved.edits.clone(),
                says: step.proved.says.clone(),
            }));
        } else {
            explain(source, &plan, &own, finding);
        }
    }
}

/// Says that nothing was tried for a finding: there may be very many of these.
fn add_untried(finding: &mut Finding) {
    finding.notes.reserve_exact(1);
    finding.notes.push(Arc::clone(&UNTRIED));
}

/// What is said of a finding that has no change of its own.
fn explain(source: &Source, plan: &Plan, own: &Key, finding: &mut Finding) {
    if let Some((_, by)) = plan.removed_by.iter().find(|(key, _)| key == own) {
        let other = &plan.steps[*by].target.finding;
        let (line, rule) = (source.line(other.span.start), other.rule.id);
        finding.help = Some(if line == source.line(finding.span.start) {
            format!("what is proposed for {rule} on this line removes this too").into()
        } else {
            format!("what is proposed for line {line} removes this too").into()
        });
    } else if let Some((_, by)) = plan.after.iter().find(|(key, _)| key == own) {
        let other = &plan.steps[*by].target.finding;
        let (line, rule) = (source.line(other.span.start), other.rule.id);
        let place = if line == source.line(finding.span.start) {
            format!("{rule} on this line")
        } else {
            format!("line {line}")
        };
        finding.help = Some(
            format!(
                "first make the change proposed for {place}: what this one needs depends on it"
            )
            .into(),
        );
    } else if plan.untried.contains(own) {
        add_untried(finding);
    } else if plan.open.iter().any(|f| f.key() == *own && is_lost(f)) {
        finding.help = Some(LOST.into());
    }
}

/// Whether a change is looked for: errors and hazards, and undefined contents, which are a warning only because the text
/// does not say what becomes of the read.
fn is_mended(finding: &Finding) -> bool {
    finding.severity.fails() || finding.rule.id == "HZ109"
}

fn is_repairable(finding: &Finding) -> bool {
    matches!(finding.rule.family(), "HZ" | "EB" | "LB") && finding.span.end > 0
}

/// What might remove a finding. `taken` are names of fences that other changes declare.
fn candidates(source: &Source, target: &Found, rules: RuleSet, taken: &[String]) -> Vec<Candidate> {
    let Some(prepared) = prepared(source) else {
        return Vec::new();
    };
    let mut candidates = declared::candidates(source, &prepared, &target.finding);
    candidates.extend(match &target.conflict {
        Some(conflict) => {
            let (written, timeline) = (prepared.written(), &prepared.timeline());
            if names::is_between_queues(timeline, conflict) {
                repair::races::candidates(source, written, timeline, conflict, taken)
            } else {
                repair::hazards::candidates(source, written, timeline, conflict)
            }
        }
        None if target.finding.rule.family() == "LB" => {
            legacy::candidates(source, prepared.written(), &target.finding)
        }
        None => fields::candidates(source, &prepared, &target.finding, rules),
    });
    candidates.truncate(CANDIDATES_MAX);
    candidates
}

/// The barrier entry at a place taken away: by itself, and with its neighbours linked again.
fn deletions(source: &Source, at: Span) -> Vec<Candidate> {
    let Some(prepared) = prepared(source) else {
        return Vec::new();
    };
    let written = prepared.written();
    let mut candidates = Vec::new();
    if let Some(plain) = repair::deletion(source, written, at) {
        candidates.extend(fields::relinked(source, written, at, &plain));
        candidates.insert(0, plain);
    }
    candidates
}
