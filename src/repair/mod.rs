//! Changes that remove findings, each proved on an edited copy of the text: the finding disappears and no other appears.
//!
//! `analyze::repair` says what might help, the smallest first, [`fields`] and [`legacy`] what else a wrong entry could
//! say, [`declared`] what a declaration lacks; here it is applied to the text, the text is read and checked again (`judge.rs`), and what
//! adds anything above advice is dropped (`search.rs`). One change is looked for each cause (`plan.rs`); `check` shows
//! the plan, and `fix` makes it, plans again for what is left, and so on. In a long text changes are searched in
//! excerpts (`excerpt.rs`), one for each cause, and proved together (`causes.rs`).
//!
//! Cost: a parse, a validation and an evaluation per candidate, and once more to find the candidates; a few more for
//! what holds, to see whether it is wasted. Within [`STEPS_MAX`] steps a run proves changes; findings beyond say that
//! none was tried. [`repair`] is asked for one text and has no such limit.

mod causes;
mod edited;
mod effort;
mod excerpt;
mod judge;
mod plan;
mod propose;
pub(crate) mod prove;
mod search;
mod traded;
mod words;

pub(crate) use edited::{apply, in_order};
pub use effort::{Effort, Progress};
pub use prove::{Changed, Verdict};

use crate::analyze::names;
use crate::finding::{Finding, Fix, Source, Span};
use crate::graph::Conflict;
use crate::pipeline::front::Prepared;
use crate::pipeline::{Options, Proposals};
use crate::validate::RuleSet;
use edited::{Round, first_place, places};
use judge::{prepared, wrong_in};
use plan::Plan;
use propose::{
    Candidate, declared, fence_barriers, fields, halves, kinds, legacy, legacy_halves, linked,
    moved, previous, renamed, waits,
};
use search::Budget;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// Steps (commands and barrier entries, and ranges where these are many, over all evaluations) that proofs may take in one
/// run.
const STEPS_MAX: u64 = 400_000;
/// What a finding costs each time, in steps, beyond so many.
const FINDING_STEPS: u64 = 6;
const FINDINGS_FREE: usize = 100;
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
#[non_exhaustive]
pub struct Repair {
    /// The repaired text.
    pub source: Source,
    /// The changes in the order in which they were made.
    pub changes: Vec<RepairStep>,
    /// Errors and hazards for which no change was found or looked for, at their places in the text as it was before all
    /// changes.
    pub left: Vec<Finding>,
    /// It ended before every finding was looked at.
    pub is_ended: bool,
}

/// One proved change.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    repair_within(source, rules, wanted, Effort::default())
}

/// The same, within bounds.
pub fn repair_within(
    source: &Source,
    rules: RuleSet,
    wanted: impl Fn(&Finding) -> bool,
    effort: Effort<'_>,
) -> Repair {
    let mut text = source.clone();
    let mut changes = Vec::new();
    let mut rounds: Vec<Round> = Vec::new();
    let mut found = wrong_in(&text, rules).unwrap_or_default();
    let first = found.clone();
    // A text has fewer causes than findings, or the repairs go in circles.
    let changes_max = effort.changes_max.min(first.len().max(CHANGES_MAX));
    let is_ended = AtomicBool::new(false);
    while changes.len() < changes_max {
        let watch = |progress: Progress| {
            let goes_on = (effort.watch)(progress);
            is_ended.fetch_or(!goes_on, Ordering::Relaxed);
            goes_on
        };
        let effort = Effort {
            changes_max: changes_max - changes.len(),
            watch: &watch,
            ..effort
        };
        let plan = planned(&text, rules, &found, &wanted, effort);
        if plan.steps.is_empty() {
            break;
        }
        changes.extend(plan.steps.iter().map(|step| RepairStep {
            line: source.line(first_place(&rounds, step.target.finding.span.start)),
            finding: step.target.finding.clone(),
            says: words::in_lines_of(source, &text, &rounds, &step.says),
        }));
        let made = plan.make(&text);
        rounds.push((std::mem::replace(&mut text, made), plan.edits));
        found = wrong_in(&text, rules).unwrap_or_default();
    }
    Repair {
        left: left(&found, &wanted, &rounds, &first),
        source: text,
        is_ended: is_ended.into_inner() || changes.len() >= changes_max,
        changes,
    }
}

/// The plan for one round.
fn planned(
    text: &Source,
    rules: RuleSet,
    found: &[Found],
    wanted: impl Fn(&Finding) -> bool,
    effort: Effort<'_>,
) -> Plan {
    if causes::is_long(text, found, effort) {
        let plan = causes::plan(text, rules, found, &wanted, effort);
        if !plan.steps.is_empty() {
            return plan;
        }
    }
    let goes_on = || (effort.watch)(Progress::default());
    let mut budget = Budget::while_told(&goes_on);
    plan::plan(text, rules, found, wanted, effort.changes_max, &mut budget)
}

/// Errors and hazards that are wanted gone and are not, as they were found in the first text.
fn left(
    found: &[Found],
    wanted: impl Fn(&Finding) -> bool,
    rounds: &[Round],
    first: &[Found],
) -> Vec<Finding> {
    let first: BTreeMap<_, _> = first
        .iter()
        .rev()
        .map(|f| (same(&f.finding, f.key()), f))
        .collect();
    let mut left: Vec<Finding> = plan::by_rank(found, wanted)
        .into_iter()
        .filter(|found| found.finding.severity.fails())
        .map(|found| {
            let finding = in_first_text(found.finding.clone(), rounds, &first);
            if is_lost(found) {
                finding.note(LOST)
            } else {
                finding
            }
        })
        .collect();
    left.sort_by_key(|f| f.span);
    left
}

/// What makes a finding the same one in the first text: its key there, and where its first use was.
type Same = (Key, Option<u32>);

fn same(finding: &Finding, key: Key) -> Same {
    let hazard = finding.hazard.as_ref();
    (key, hazard.map(|hazard| hazard.first.span.start))
}

/// A finding of the text after some rounds as it was found before them: its message may name commands, and the rounds
/// number them anew. What was not found then is moved to where its place was.
fn in_first_text(
    mut finding: Finding,
    rounds: &[Round],
    first: &BTreeMap<Same, &Found>,
) -> Finding {
    let place = |span: Span| {
        let start = first_place(rounds, span.start);
        let end = first_place(rounds, span.end).max(start);
        Span { start, end }
    };
    let earlier_use = finding
        .hazard
        .as_ref()
        .map(|hazard| first_place(rounds, hazard.first.span.start));
    finding.span = place(finding.span);
    if let Some(found) = first.get(&(key(&finding), earlier_use)) {
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
    conflict.is_some_and(propose::hazards::is_lost)
}

/// What a finding says for which no change helps.
const LOST: &str =
    "the contents are already lost: no barrier brings them back; they must be written again";

/// What is said of a finding for which nothing was tried.
static UNTRIED: LazyLock<Arc<str>> = LazyLock::new(|| {
    "no change was tried on a copy for this one: the text is too long to prove one for each; \
     `--proposals all` and `syncscope fix` try them all"
        .into()
});

/// Gives errors and hazards the change that `fix` would make, or says which other change removes them.
pub(crate) fn fixes(source: &Source, work: u64, findings: &mut [Finding], options: &Options) {
    let is_wrong = |f: &Finding| is_repairable(f) && is_mended(f);
    let wrong = findings.iter().filter(|f| is_wrong(f)).count();
    if wrong == 0 || options.proposals == Proposals::None {
        return;
    }
    let Some(plan) = proposed(source, work, wrong, options) else {
        for finding in findings.iter_mut().filter(|f| is_wrong(f)) {
            add_untried(finding);
        }
        return;
    };
    let lines: BTreeMap<Key, &plan::PlannedChange> =
        plan.steps.iter().map(|s| (s.target.key(), s)).collect();
    for finding in findings.iter_mut().filter(|f| is_wrong(f)) {
        let own = key(finding);
        if let Some(step) = lines.get(&own) {
            // What is proved says more than what is true in general, and one help does not contradict itself.
            finding.help = None;
            finding.fix = Some(Box::new(Fix {
                edits: step.edits.clone(),
                says: step.says.clone(),
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

/// The plan that a report shows; `None` if a look at the text costs more than there is.
fn proposed(source: &Source, work: u64, wrong: usize, options: &Options) -> Option<Plan> {
    let rules = options.rules;
    let mut budget = if options.proposals == Proposals::All {
        Budget::of(u64::MAX, 1)
    } else {
        // A parse, a validation and an evaluation; a command of the text has about 64 bytes.
        let commands = work.max(source.text.len() as u64 / 64).max(1);
        let many = wrong.saturating_sub(FINDINGS_FREE) as u64;
        Budget::of(STEPS_MAX, (commands + FINDING_STEPS * many) * 4)
    };
    budget.pay()?;
    if budget.is_spent() {
        return None;
    }
    let found = wrong_in(source, rules)?;
    let effort = Effort::default();
    let is_long = causes::is_long(source, &found, effort);
    Some(if options.proposals == Proposals::All && is_long {
        causes::plan(source, rules, &found, is_repairable, effort)
    } else {
        plan::plan(
            source,
            rules,
            &found,
            is_repairable,
            usize::MAX,
            &mut budget,
        )
    })
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
    let is_mendable = matches!(finding.rule.family(), "HZ" | "EB" | "LB")
        || matches!(finding.rule.id, "FN101" | "FN102");
    is_mendable && finding.span.end > 0
}

/// What might remove a finding. `found` is all that is wrong, `taken` are names of fences that other changes declare.
fn candidates(
    source: &Source,
    target: &Found,
    found: &[Found],
    rules: RuleSet,
    taken: &[String],
) -> Vec<Candidate> {
    let Some(prepared) = prepared(source) else {
        return Vec::new();
    };
    let mut candidates = declared::candidates(source, &prepared, &target.finding);
    let mut last = Vec::new();
    if declared::is_named_by_a_barrier_only(prepared.written(), &target.finding) {
        std::mem::swap(&mut candidates, &mut last);
    }
    candidates.extend(match &target.conflict {
        Some(conflict) => {
            let (written, timeline) = (prepared.written(), &prepared.timeline());
            if names::is_between_queues(timeline, conflict) {
                propose::races::candidates(source, written, timeline, conflict, taken)
            } else {
                // What a barrier did to a resource that it was not meant for shows at the other one, too.
                let is_after_barrier =
                    target.finding.rule.id == "HZ104" || conflict.first.barrier().is_some();
                let mut candidates = if is_after_barrier {
                    renamed::candidates(source, &prepared, &target.finding, found)
                } else {
                    Vec::new()
                };
                candidates.extend(propose::hazards::candidates(
                    source, written, timeline, conflict,
                ));
                candidates
            }
        }
        None => of_legality(source, &prepared, &target.finding, found, rules),
    });
    candidates.truncate(CANDIDATES_MAX - last.len());
    candidates.extend(last);
    let asked = source.line(target.finding.span.start);
    for it in &mut candidates {
        it.says = words::with_line(source, &it.edits, &it.says, |at| source.line(at), asked);
    }
    candidates
}

/// What might remove a finding of legality.
fn of_legality(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
    found: &[Found],
    rules: RuleSet,
) -> Vec<Candidate> {
    let mut candidates = renamed::candidates(source, prepared, finding, found);
    candidates.extend(linked::candidates(source, prepared, finding, found));
    candidates.extend(halves::candidates(source, prepared, finding));
    candidates.extend(legacy_halves::candidates(
        source,
        prepared.written(),
        finding,
    ));
    candidates.extend(waits::candidates(source, prepared, finding));
    candidates.extend(fence_barriers::candidates(source, prepared, finding));
    candidates.extend(kinds::candidates(source, prepared, finding));
    candidates.extend(previous::candidates(source, prepared, finding));
    candidates.extend(if finding.rule.family() == "LB" {
        legacy::candidates(source, prepared, finding)
    } else {
        fields::candidates(source, prepared, finding, rules)
    });
    candidates.extend(moved::candidates(source, prepared, finding));
    candidates
}

/// The barrier entry at a place taken away: by itself, and with its neighbours linked again. It is *this* barrier where it is
/// asked about.
fn deletions(source: &Source, at: u32, asked: Span) -> Vec<Candidate> {
    let Some(prepared) = prepared(source) else {
        return Vec::new();
    };
    let written = prepared.written();
    let mut candidates = Vec::new();
    let at = Span { start: at, end: at };
    if let Some(mut plain) = propose::deletion(source, written, at) {
        if at.start != asked.start {
            let line = source.line(at.start);
            plain.says = propose::deletes(&format!("the barrier of line {line}"));
        }
        candidates.extend(fields::relinked(source, written, at, &plain));
        candidates.insert(0, plain);
    }
    candidates
}
