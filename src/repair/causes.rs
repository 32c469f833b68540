//! Plans for long texts: one change for each cause, searched in an excerpt and proved in the whole text.
//!
//! Cost: the text is read and checked once to know what is wrong. Each cause is searched in its excerpt, several at the
//! same time; a try there costs what the excerpt is long. Then all changes are made together and the text is checked
//! once more. If something is wrong then, halves are tried, so that `k` changes that do not hold cost about
//! `k` log(causes) more checks. So the whole costs `O(causes · excerpt + k log(causes) · text)`.

use super::edited::{in_order, keys};
use super::effort::{Effort, Progress};
use super::excerpt::{Excerpt, Excerpts};
use super::judge::{prepared, waste_in, wrong_in};
use super::plan::{Plan, PlannedChange, apart, by_rank, rank};
use super::search::{Budget, Text};
use super::{Found, Key, key, words};
use crate::finding::{Edit, Finding, Source};
use crate::parallel::prelude::*;
use crate::validate::RuleSet;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Commands above which a text with a single cause is searched in excerpts.
const COMMANDS_MAX: usize = 4_000;
/// Bytes of a command, as a rule.
const COMMAND_BYTES: usize = 64;
/// Parts of the causes that are searched at the same time. In each, what one change removes is not searched again.
const PARTS: usize = 8;
/// Looks at an excerpt that one search may take.
const LOOKS_MAX: u64 = 1_000;

/// Whether changes of a text are searched in excerpts: below, each try reads the whole text.
pub(super) fn is_long(source: &Source, found: &[Found], effort: Effort<'_>) -> bool {
    let causes: BTreeSet<u32> = found.iter().map(|found| found.cause).collect();
    let commands = source.text.len() / COMMAND_BYTES;
    commands > COMMANDS_MAX || causes.len().saturating_mul(commands) > effort.excerpts_above
}

/// A change that holds in an excerpt, as a change of the text.
struct ExcerptChange {
    target: Found,
    edits: Vec<Edit>,
    says: String,
    declares: Option<String>,
    /// What it removes, of what the excerpt shows.
    removes: Vec<Key>,
}

/// A long text and what is wrong with it.
struct Long<'a> {
    source: &'a Source,
    rules: RuleSet,
    found: &'a [Found],
    excerpts: Excerpts<'a>,
    effort: Effort<'a>,
}

/// A change for each cause. No step: excerpts do not help, or the repair is to end.
pub(super) fn plan(
    source: &Source,
    rules: RuleSet,
    found: &[Found],
    wanted: impl Fn(&Finding) -> bool,
    effort: Effort<'_>,
) -> Plan {
    let mut plan = Plan::default();
    let Some(prepared) = prepared(source) else {
        return plan;
    };
    let timeline = prepared.timeline();
    let long = Long {
        source,
        rules,
        found,
        excerpts: Excerpts::new(source, prepared.written(), &timeline),
        effort,
    };
    let mut causes = BTreeSet::new();
    let mut targets = by_rank(found, wanted);
    targets.retain(|target| causes.insert(target.cause));
    targets.truncate(effort.changes_max);
    long.prove(long.changes(&targets), &mut plan);
    plan
}

impl Long<'_> {
    /// Changes that do not touch the same text, each with fences of its own, for causes that no other one removes.
    fn changes(&self, targets: &[&Found]) -> Vec<ExcerptChange> {
        let done = AtomicUsize::new(0);
        let one = |target: &Found| {
            let progress = Progress {
                done: done.fetch_add(1, Ordering::Relaxed),
                all: targets.len(),
            };
            let goes_on = (self.effort.watch)(progress);
            goes_on.then(|| self.search(target, &[])).flatten()
        };
        let mut kept = Kept::default();
        for targets in targets.chunk_by(|a, b| rank(&a.finding) == rank(&b.finding)) {
            let part = targets.len().div_ceil(PARTS);
            let parts: Vec<&[&Found]> = targets.chunks(part).collect();
            let found: Vec<Vec<(&Found, ExcerptChange)>> = parts
                .par_iter()
                .map(|targets| {
                    let mut removed = kept.removed.clone();
                    let mut found = Vec::new();
                    for target in *targets {
                        if removed.contains(&target.key()) {
                            done.fetch_add(1, Ordering::Relaxed);
                        } else if let Some(change) = one(target) {
                            removed.extend(change.removes.iter().cloned());
                            found.push((*target, change));
                        }
                    }
                    found
                })
                .collect();
            for (target, mut change) in found.into_iter().flatten() {
                if kept.removed.contains(&target.key()) {
                    continue;
                }
                let declares = change.declares.as_ref();
                if declares.is_some_and(|name| kept.fences.contains(name)) {
                    match self.search(target, &kept.fences) {
                        Some(again) => change = again,
                        None => continue,
                    }
                }
                kept.add(change);
            }
        }
        kept.changes
    }

    /// The change for one cause. `taken` are names of fences that other changes declare.
    fn search(&self, target: &Found, taken: &[String]) -> Option<ExcerptChange> {
        let excerpt = self.excerpts.of(target)?;
        let found = wrong_in(&excerpt.source, self.rules)?;
        let inner = found
            .iter()
            .find(|found| excerpt.is_same(&found.finding, &target.finding))?;
        let waste = waste_in(&excerpt.source, self.rules);
        let waste = waste.map(|findings| findings.iter().map(key).collect());
        let text = Text {
            source: &excerpt.source,
            rules: self.rules,
            found: &found,
            waste: waste.as_ref(),
            taken,
            before: &OnceCell::new(),
        };
        let mut budget = Budget::of(LOOKS_MAX, 1);
        let proved = text.search(inner, &mut budget)?;
        let outward = |edit: &Edit| excerpt.outward(self.source, edit);
        let gone = found
            .iter()
            .filter(|found| !proved.rest.contains(&found.key()));
        Some(ExcerptChange {
            target: target.clone(),
            edits: proved.edits.iter().map(outward).collect::<Option<_>>()?,
            says: self.says(&excerpt, target, &proved.says),
            removes: keys(gone, &[&excerpt.cuts]).into_iter().collect(),
            declares: proved.declares,
        })
    }

    /// What is said of a change to an excerpt, in lines and names of the text.
    fn says(&self, excerpt: &Excerpt, target: &Found, says: &str) -> String {
        let back = |place: u32| excerpt.place(place).unwrap_or(place);
        let says = words::in_lines(self.source, &excerpt.source, says, back);
        if !says.contains('#') {
            return says;
        }
        let Some(prepared) = prepared(&excerpt.source) else {
            return says;
        };
        let inner = prepared.timeline();
        words::in_names(&inner, &says, |node| {
            let place = excerpt.place(inner.span(node).start)?;
            self.excerpts.name(place, target)
        })
    }

    /// Puts into the plan what holds in the whole text: all together if that does, else what of each half does.
    fn prove(&self, changes: Vec<ExcerptChange>, plan: &mut Plan) {
        let text = Text {
            source: self.source,
            rules: self.rules,
            found: self.found,
            waste: None,
            taken: &[],
            before: &OnceCell::new(),
        };
        let all = changes.len();
        let mut open = vec![changes];
        let mut held: Vec<ExcerptChange> = Vec::new();
        let mut failed = 0;
        while let Some(mut group) = open.pop() {
            let progress = Progress {
                done: held.len() + failed,
                all,
            };
            if group.is_empty() || !(self.effort.watch)(progress) {
                continue;
            }
            let together = || held.iter().chain(&group);
            let edits = in_order(together().flat_map(|change| change.edits.iter().cloned()));
            if text.holds(&edits, together().map(|change| change.target.key())) {
                held.append(&mut group);
                plan.edits = edits;
            } else if group.len() > 1 {
                let second = group.split_off(group.len() / 2);
                open.push(second);
                open.push(group);
            } else {
                failed += 1;
            }
        }
        plan.steps = held
            .into_iter()
            .map(|change| PlannedChange {
                target: change.target,
                edits: change.edits,
                says: change.says,
                rest: None,
            })
            .collect();
    }
}

/// Changes that are to be made together.
#[derive(Default)]
struct Kept {
    changes: Vec<ExcerptChange>,
    /// Their edits, in order.
    edits: Vec<Edit>,
    /// Fences that they declare.
    fences: Vec<String>,
    /// Findings that the changes remove.
    removed: BTreeSet<Key>,
}

impl Kept {
    /// Adds a change, if it touches no text that another one touches.
    fn add(&mut self, change: ExcerptChange) {
        let free = change.edits.iter().all(|edit| {
            let at = self.place(edit);
            let near = &self.edits[at.saturating_sub(1)..self.edits.len().min(at + 1)];
            near.iter().all(|other| apart(other, edit))
        });
        if !free {
            return;
        }
        for edit in &change.edits {
            let at = self.place(edit);
            self.edits.insert(at, edit.clone());
        }
        self.fences.extend(change.declares.clone());
        self.removed.extend(change.removes.iter().cloned());
        self.changes.push(change);
    }

    fn place(&self, edit: &Edit) -> usize {
        let order = |edit: &Edit| (edit.span.start, edit.span.end);
        self.edits
            .partition_point(|known| order(known) <= order(edit))
    }
}
