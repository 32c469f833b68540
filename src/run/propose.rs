//! Changes that remove findings, each proved on an edited copy of the text: the finding is gone, and nothing is new.
//!
//! `analyze::repair` says what might help, the smallest first; here it is applied to the text, the text is parsed and
//! judged again, and what adds an error or hazard anywhere is dropped. Where a change only makes a barrier elsewhere
//! wrong (a layout that the next one expects), the search goes one step further and mends that too.
//!
//! Cost: a parse, a validation and an evaluation per candidate, and once more to find the candidates. Within [`STEPS_MAX`] steps a run proves one change for
//! each group of equal causes; beyond, findings stand without. [`repair`] is asked for one text and has no such limit.

use super::{asserted, fences, hazards};
use crate::analyze::repair::entry::{self, Surroundings};
use crate::analyze::repair::{self, Candidate};
use crate::api::{BarrierAccess, Layout};
use crate::finding::{Edit, Finding, Fix, Source};
use crate::graph::{self, Conflict};
use crate::id::ResourceId;
use crate::legacy;
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::preview;
use crate::scenario::{self, Barrier, BarrierTarget, CommandKind, Scenario, print_barrier};
use crate::validate::{self, RuleSet};
use std::collections::{BTreeMap, BTreeSet};

/// Steps (commands and barrier entries, over all evaluations) that proofs may take in one run.
const STEPS_MAX: u64 = 400_000;
/// Candidates that are tried on a copy for one finding.
const CANDIDATES_MAX: usize = 400;
/// Candidates whose consequences are mended too.
const MENDED_MAX: usize = 24;
/// Changes that one repair makes at most; a text has fewer findings, or the repairs go in circles.
const CHANGES_MAX: usize = 2_000;

/// A barrier entry of the text: list, command, entry.
type Place = (usize, usize, usize);

/// What makes a finding the same finding in an edited copy. The place is of the text before the edits; what stands in
/// inserted text has none.
type Key = (&'static str, Option<u32>, Option<String>);

/// An error or hazard, and the pair that it was made of.
#[derive(Clone)]
struct Found {
    finding: Finding,
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
    pub changes: Vec<Change>,
    /// Errors and hazards for which nothing was found, as they stand in the repaired text.
    pub left: Vec<Finding>,
}

/// One proved change.
#[derive(Clone, Debug)]
pub struct Change {
    /// The finding that it removes.
    pub finding: Finding,
    /// Line of that finding in the text as it was before this change.
    pub line: u32,
    /// What was done, in words.
    pub says: String,
}

/// Removes errors and hazards of the families `HZ`, `EB` and `LB` from a text, one proved change after the other.
/// `wanted` says which findings to look at. A text with `SC` errors is left as it is.
pub fn repair(source: &Source, rules: RuleSet, wanted: impl Fn(&Finding) -> bool) -> Repair {
    let mut text = source.clone();
    let mut changes = Vec::new();
    let mut hopeless: Vec<Key> = Vec::new();
    while changes.len() < CHANGES_MAX {
        let Some(found) = judge(&text, rules) else {
            break;
        };
        let next = found
            .iter()
            .find(|f| wanted(&f.finding) && !hopeless.contains(&f.key()));
        let Some(target) = next else { break };
        let mut budget = Budget {
            left: u64::MAX,
            cost: 1,
        };
        match search(&text, rules, &found, target, true, &mut budget) {
            Some(proved) => {
                changes.push(Change {
                    line: text.line(target.finding.span.start),
                    finding: target.finding.clone(),
                    says: proved.says,
                });
                text = proved.source;
                // Places moved, and what was hopeless may not be so any more.
                hopeless.clear();
            }
            None => hopeless.push(target.key()),
        }
    }
    let mut left: Vec<Finding> = judge(&text, rules)
        .unwrap_or_default()
        .into_iter()
        .map(|found| {
            let lost = found
                .conflict
                .as_ref()
                .is_some_and(repair::hazards::is_lost);
            if lost {
                found.finding.note(LOST)
            } else {
                found.finding
            }
        })
        .filter(&wanted)
        .collect();
    left.sort_by_key(|f| f.span);
    Repair {
        source: text,
        changes,
        left,
    }
}

/// Why nothing helps.
const LOST: &str =
    "the contents are already lost: no barrier brings them back; they must be written again";

/// Gives errors and hazards the smallest change that was proved to remove them, one for each group of equal causes.
pub(super) fn fixes(source: &Source, steps: u64, findings: &mut [Finding], rules: RuleSet) {
    let is_wrong = |f: &Finding| is_repairable(f) && f.severity.fails();
    if !findings.iter().any(is_wrong) {
        return;
    }
    // A parse, a validation and an evaluation; a command of the text has about 64 bytes.
    let cost = steps.max(source.text.len() as u64 / 64).max(1) * 4;
    let mut budget = Budget {
        left: STEPS_MAX,
        cost,
    };
    if budget.pay().is_none() || budget.is_spent() {
        return;
    }
    let Some(found) = judge(source, rules) else {
        return;
    };
    let by_key: BTreeMap<Key, &Found> = found.iter().map(|f| (f.key(), f)).collect();
    // What a change for another finding removes as well.
    let mut solved: Vec<(BTreeSet<Key>, u32)> = Vec::new();
    for finding in findings.iter_mut().filter(|f| is_wrong(f)) {
        let own = key(finding);
        let Some(target) = by_key.get(&own) else {
            continue;
        };
        if target
            .conflict
            .as_ref()
            .is_some_and(repair::hazards::is_lost)
        {
            finding.help = Some(LOST.into());
            continue;
        }
        if let Some((_, line)) = solved.iter().find(|(rest, _)| !rest.contains(&own)) {
            finding.help = Some(format!("what is proposed for line {line} removes this too"));
            continue;
        }
        if budget.is_spent() {
            continue;
        }
        if let Some(proved) = search(source, rules, &found, target, false, &mut budget) {
            solved.push((proved.rest, source.line(finding.span.start)));
            if finding.hazard.is_some() {
                // What is proved says more than what such a barrier must do in general.
                finding.help = None;
            }
            finding.fix = Some(Box::new(Fix {
                edits: proved.edits,
                says: proved.says,
            }));
        }
    }
}

fn is_repairable(finding: &Finding) -> bool {
    matches!(finding.rule.family(), "HZ" | "EB" | "LB") && finding.span.end > 0
}

/// What proofs may still cost, and what one costs.
struct Budget {
    left: u64,
    cost: u64,
}

impl Budget {
    /// Takes what one look at a whole text costs; `None` if that is not left.
    fn pay(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(self.cost)?;
        Some(())
    }

    fn is_spent(&self) -> bool {
        self.left < self.cost
    }
}

/// A change that held.
struct Proved {
    source: Source,
    /// Against the text that was asked about.
    edits: Vec<Edit>,
    says: String,
    /// Errors and hazards that are left.
    rest: BTreeSet<Key>,
}

/// The first candidate that removes a finding and adds none; then the first whose consequences can be mended; then, if
/// wanted (`steps_on`), the first that covers the second use against the first one and leaves others.
fn search(
    source: &Source,
    rules: RuleSet,
    found: &[Found],
    target: &Found,
    steps_on: bool,
    budget: &mut Budget,
) -> Option<Proved> {
    let base: BTreeSet<Key> = found.iter().map(Found::key).collect();
    let gone = target.key();
    let mut almost: Vec<(Candidate, Source, Vec<Found>)> = Vec::new();
    let mut progress = None;
    budget.pay()?;
    for candidate in candidates(source, target, rules) {
        let (edited, after) = try_on(source, &candidate.edits, rules, budget)?;
        let Some(after) = after else { continue };
        let rest = keys(&after, &[&candidate.edits]);
        if rest.contains(&gone) {
            // Against one of several first uses it may be covered now.
            let edits: &[&[Edit]] = &[&candidate.edits];
            let covered = rest.is_subset(&base)
                && !after.iter().any(|f| {
                    mapped(&f.finding, edits) == gone
                        && first_of(&f.finding, edits) == first_of(&target.finding, &[])
                });
            if covered && progress.is_none() {
                progress = Some(Proved {
                    source: edited,
                    edits: candidate.edits,
                    says: candidate.says,
                    rest,
                });
            }
            continue;
        }
        if rest.is_subset(&base) {
            return Some(Proved {
                source: edited,
                edits: candidate.edits,
                says: candidate.says,
                rest,
            });
        }
        if rest.difference(&base).count() <= 2 && almost.len() < MENDED_MAX {
            almost.push((candidate, edited, after));
        }
    }
    for (first, edited, after) in almost {
        let news = after
            .iter()
            .find(|f| !base.contains(&mapped(&f.finding, &[&first.edits])));
        let Some(news) = news else { continue };
        budget.pay()?;
        for second in candidates(&edited, news, rules)
            .into_iter()
            .take(MENDED_MAX)
        {
            let (mended, after) = try_on(&edited, &second.edits, rules, budget)?;
            let Some(after) = after else { continue };
            let rest = keys(&after, &[&first.edits, &second.edits]);
            if !rest.contains(&gone) && rest.is_subset(&base) {
                return Some(Proved {
                    edits: difference(&source.text, &mended.text),
                    source: mended,
                    says: format!("{}; then {}", first.says, second.says),
                    rest,
                });
            }
        }
    }
    progress.filter(|_| steps_on)
}

/// An edited copy, and its errors and hazards if it can be read. `None` beyond the budget.
#[allow(clippy::type_complexity)]
fn try_on(
    source: &Source,
    edits: &[Edit],
    rules: RuleSet,
    budget: &mut Budget,
) -> Option<(Source, Option<Vec<Found>>)> {
    budget.pay()?;
    let edited = Source::new(source.name.clone(), apply(&source.text, edits));
    let after = judge(&edited, rules);
    Some((edited, after))
}

/// A text with its edits made.
pub(super) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut edited = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for edit in edits {
        edited.push_str(&text[from..edit.span.start as usize]);
        edited.push_str(&edit.text);
        from = edit.span.end as usize;
    }
    edited.push_str(&text[from..]);
    edited
}

/// Where a place of an edited text was before. The beginning of a replaced entry is where that entry began.
fn back(edits: &[Edit], place: u32) -> Option<u32> {
    let mut shift = 0_i64;
    let place = i64::from(place);
    for edit in edits {
        // A text is limited to `u32::MAX` bytes.
        let length = i64::from(edit.text.len() as u32);
        let start = i64::from(edit.span.start) + shift;
        let end = start + length;
        if place < start {
            break;
        }
        if place < end {
            let replaces = edit.span.start < edit.span.end && place == start;
            return replaces.then_some(edit.span.start);
        }
        shift += length - i64::from(edit.span.end - edit.span.start);
    }
    u32::try_from(place - shift).ok()
}

fn mapped(finding: &Finding, layers: &[&[Edit]]) -> Key {
    let mut place = Some(finding.span.start);
    for edits in layers.iter().rev() {
        place = place.and_then(|place| back(edits, place));
    }
    (finding.rule.id, place, finding.resource.clone())
}

/// Where the first use of a hazard stands.
fn first_of(finding: &Finding, layers: &[&[Edit]]) -> Option<u32> {
    let mut place = Some(finding.hazard.as_ref()?.first.span.start);
    for edits in layers.iter().rev() {
        place = place.and_then(|place| back(edits, place));
    }
    place
}

fn keys(found: &[Found], layers: &[&[Edit]]) -> BTreeSet<Key> {
    found.iter().map(|f| mapped(&f.finding, layers)).collect()
}

/// Edits that make one text of another, by lines.
fn difference(from: &str, to: &str) -> Vec<Edit> {
    use similar::{DiffOp, TextDiff};
    let diff = TextDiff::from_lines(from, to);
    let old: Vec<&str> = from.split_inclusive('\n').collect();
    let new: Vec<&str> = to.split_inclusive('\n').collect();
    let at = |line: usize| old[..line].iter().map(|l| l.len()).sum::<usize>() as u32;
    let mut edits = Vec::new();
    for op in diff.ops() {
        let (was, is) = (op.old_range(), op.new_range());
        if !matches!(op, DiffOp::Equal { .. }) {
            edits.push(Edit {
                span: crate::finding::Span {
                    start: at(was.start),
                    end: at(was.end),
                },
                text: new[is].concat(),
            });
        }
    }
    edits
}

/// Errors and hazards of a text, once a rule, place and resource; `None` if it cannot be read.
fn judge(source: &Source, rules: RuleSet) -> Option<Vec<Found>> {
    let (written, findings) = scenario::parse(source);
    if findings.iter().any(|f| f.severity.fails()) {
        return None;
    }
    let written = preview::pair_fence_barriers(written);
    let plain = legacy::translate(&written);
    let timeline = Timeline::new(&plain);
    let evaluation = graph::evaluate(&timeline, graph::Request::default());
    let lone = |finding| Found {
        finding,
        conflict: None,
    };
    let mut found: Vec<Found> = validate::validate(&written, &timeline, rules)
        .into_iter()
        .chain(fences::findings(&timeline))
        .chain(asserted::findings(&plain, evaluation.steps))
        .map(lone)
        .collect();
    let pairs = hazards::findings(&timeline, &evaluation, None);
    for (finding, conflict) in pairs.into_iter().zip(&evaluation.conflicts) {
        found.push(Found {
            finding,
            conflict: Some(conflict.clone()),
        });
    }
    found.retain(|f| f.finding.severity.fails());
    let mut seen = BTreeSet::new();
    found.retain(|f| seen.insert(f.key()));
    found.sort_by_key(|f| f.finding.span);
    Some(found)
}

/// What might remove a finding.
fn candidates(source: &Source, target: &Found, rules: RuleSet) -> Vec<Candidate> {
    let (written, _) = scenario::parse(source);
    let written = preview::pair_fence_barriers(written);
    let mut candidates = match &target.conflict {
        Some(conflict) => {
            let plain = legacy::translate(&written);
            let timeline = Timeline::new(&plain);
            let make = if conflict.kind.is_race() {
                repair::races::candidates
            } else {
                repair::hazards::candidates
            };
            make(source, &written, &timeline, conflict)
        }
        None => of_an_entry(source, &written, &target.finding, rules),
    };
    candidates.truncate(CANDIDATES_MAX);
    candidates
}

/// Other values for the fields of a wrong entry.
fn of_an_entry(
    source: &Source,
    written: &Scenario,
    finding: &Finding,
    rules: RuleSet,
) -> Vec<Candidate> {
    let places = places(written);
    let Ok(at) = places.binary_search_by_key(&finding.span.start, |(start, _)| *start) else {
        return Vec::new();
    };
    let place = places[at].1;
    let barrier = entry_at(written, place);
    let id = barrier.resource();
    let list = &written.lists[place.0];
    entry::proposals(
        barrier,
        list.queue_type,
        id.map(|id| written.traits(id)),
        &surroundings(written, place, id),
    )
    .into_iter()
    .filter(|b| !validate::is_wrong_alone(written, list, b, rules))
    .take(32)
    .map(|proposal| Candidate {
        says: format!("write `{}`", print_barrier(written, &proposal)),
        edits: vec![repair::rewritten(source, written, barrier, &proposal)],
    })
    .collect()
}

/// Where every entry begins in the text, ascending.
fn places(scenario: &Scenario) -> Vec<(u32, Place)> {
    let mut places = Vec::new();
    for (list, commands) in scenario.lists.iter().map(|l| &l.commands).enumerate() {
        for (command, kind) in commands.iter().map(|c| &c.kind).enumerate() {
            if let CommandKind::Barrier(entries) = kind {
                for (entry, barrier) in entries.iter().enumerate() {
                    places.push((barrier.span.start, (list, command, entry)));
                }
            }
        }
    }
    places.sort_unstable();
    places
}

fn entry_at(scenario: &Scenario, (list, command, entry): Place) -> &Barrier {
    match &scenario.lists[list].commands[command].kind {
        CommandKind::Barrier(entries) => &entries[entry],
        _ => unreachable!("places are of barriers"),
    }
}

/// What surrounds an entry in the first scope that executes it, or in its list if none does.
fn surroundings(scenario: &Scenario, place: Place, id: Option<ResourceId>) -> Surroundings {
    let plain = legacy::translate(scenario);
    let timeline = Timeline::new(&plain);
    let mut layouts = LayoutTracker::new(&plain, LayoutTracker::declared);
    for submission in &timeline.evaluation {
        let submission = timeline.submission(*submission);
        if submission.kind != SubmissionKind::Execute {
            continue;
        }
        let mut commands = Vec::new();
        for list in timeline.lists(submission) {
            timeline.for_each_command(*list, |from, index| {
                commands.push((from.index(), index as usize));
            });
        }
        if commands.contains(&(place.0, place.1)) {
            return around(&plain, &commands, place, id, Some(&mut layouts));
        }
        for (list, index) in commands {
            if let CommandKind::Barrier(entries) = &plain.lists[list].commands[index].kind {
                entries
                    .iter()
                    .for_each(|entry| layouts.apply(&plain, entry));
            }
        }
    }
    let count = plain.lists[place.0].commands.len();
    let commands: Vec<_> = (0..count).map(|index| (place.0, index)).collect();
    around(&plain, &commands, place, id, None)
}

/// Looks at the neighbours of an entry among the commands of one scope.
fn around(
    plain: &Scenario,
    commands: &[(usize, usize)],
    place: Place,
    id: Option<ResourceId>,
    mut layouts: Option<&mut LayoutTracker>,
) -> Surroundings {
    let mut it = Surroundings::default();
    let mut is_after = false;
    for (list, index) in commands {
        let command = &plain.lists[*list].commands[*index];
        for used in command
            .uses
            .iter()
            .filter(|u| id.is_none_or(|id| id == u.resource))
        {
            let access = used.access.difference(BarrierAccess::NO_ACCESS);
            if is_after {
                it.leaves_after = it.leaves_after.union(used.stages);
                it.accesses_after |= access;
            } else {
                it.leaves_before = it.leaves_before.union(used.stages);
                it.accesses_before |= access;
                it.touched = true;
            }
        }
        let CommandKind::Barrier(entries) = &command.kind else {
            continue;
        };
        for (at, other) in entries.iter().enumerate() {
            if (*list, *index, at) == place {
                is_after = true;
                it.layout = layouts.as_deref().and_then(|l| layout_at(plain, l, other));
                // Nothing is looked at but the first execution.
                layouts = None;
            } else if other.resource().is_some() && other.resource() == id {
                if is_after {
                    return it;
                }
                it.made_accessible = Some(other.access_after);
                it.leaves_before = other.sync_after.leaves();
                it.accesses_before = BarrierAccess::COMMON;
                it.touched = true;
            }
            if let Some(layouts) = &mut layouts {
                layouts.apply(plain, other);
            }
        }
    }
    it
}

/// The layout of an entry's subresources, if it is one.
fn layout_at(plain: &Scenario, layouts: &LayoutTracker, barrier: &Barrier) -> Option<Layout> {
    let BarrierTarget::Texture {
        resource: Some(id),
        range,
        ..
    } = &barrier.target
    else {
        return None;
    };
    layouts.uniform_for_barrier(plain, *id, range)
}
