//! Proofs by running edited copies: a barrier is redundant if the timeline without it has no new conflict and no new
//! error of legality, too wide if the timeline with it narrowed has none (reading R48); every other proposal of the
//! family `RD` likewise.
//!
//! Cost: an evaluation for each barrier entry of the text and for each proposal, within [`STEPS_MAX`] steps in all;
//! deletions come first; a file of which that reaches for a small part only gets less. What lies beyond is left unsaid: such an entry counts as needed unless it fell short of a
//! hazard. What a change saves is simulated on a copy, within a budget of its own (`machine.rs`).

mod judge;
mod machine;

use super::{Registry, Verdict};
use crate::analyze::names;
use crate::analyze::redundancy::change::{self, Change, EntryId as Entry, entries_after};
use crate::analyze::redundancy::look::Look;
use crate::analyze::redundancy::narrow::{self, Narrower};
use crate::analyze::redundancy::survey::Survey;
use crate::analyze::redundancy::{self, Proposal};
use crate::finding::{Finding, Span};
use crate::graph::{Conflict, Evaluation};
use crate::hardware::Profile;
use crate::id::BarrierRef;
use crate::lower::Lowering;
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::{Barrier, CommandKind, Scenario, StatementKind};
use crate::trace::Trace;
use crate::validate::RuleSet;
use indexmap::{IndexMap, IndexSet};
use judge::Judge;
use machine::Machine;

/// Steps (commands and barrier entries, over all evaluations) that proofs may take in one run.
const STEPS_MAX: u64 = 1_000_000;
/// Entries that a file counts as having at least: other proposals are tried on copies too.
const ENTRIES_MIN: u64 = 100;
/// Share of them, as a divisor, for a file of which they would reach for a small part of the entries only: a few
/// verdicts are not worth the time of the whole run.
const LONG_FILE: u64 = 8;
/// Neighbours that are tried as the barrier that implies another.
const NEIGHBOURS_MAX: usize = 6;

/// What was run, and on what.
#[derive(Copy, Clone)]
pub(super) struct Given<'a> {
    /// The scenario with its legacy barriers.
    pub(super) source: &'a Scenario,
    /// The timeline of the scenario without them.
    pub(super) timeline: &'a Timeline<'a>,
    /// What was found in it.
    pub(super) evaluation: &'a Evaluation,
    /// What the rules of legality found in the scenario with its legacy barriers.
    pub(super) legality: &'a [Finding],
    /// What the machine did.
    pub(super) trace: &'a Trace,
    /// The machine.
    pub(super) profile: &'a Profile,
    /// The lowering.
    pub(super) lowering: &'static dyn Lowering,
    /// Other profiles.
    pub(super) registry: &'a Registry,
    /// Rules of legality.
    pub(super) rules: RuleSet,
}

/// What was proved of each barrier entry of the text.
#[derive(Default)]
pub(super) struct Verdicts {
    entries: IndexMap<Entry, (Verdict, String)>,
    /// Findings of the family `RD`.
    pub(super) findings: Vec<Finding>,
    /// Entries were left unproved because the limit was passed.
    partial: bool,
}

impl Verdicts {
    /// Verdict of an executed entry, and why.
    pub(super) fn of(&self, timeline: &Timeline<'_>, barrier: BarrierRef) -> (Verdict, &str) {
        let found = timeline
            .place(barrier.node)
            .command
            .and_then(|(list, command)| {
                let index = barrier.entry;
                self.entries.get(&Entry {
                    list,
                    command,
                    index,
                })
            });
        match found {
            Some((verdict, why)) => (*verdict, why),
            None if self.partial => (
                Verdict::Needed,
                "not examined: the timeline is too long for proofs",
            ),
            None => (Verdict::Needed, ""),
        }
    }

    fn set(&mut self, entry: Entry, verdict: Verdict, why: impl Into<String>) {
        self.entries.insert(entry, (verdict, why.into()));
    }

    fn is(&self, entry: Entry, verdict: Verdict) -> bool {
        self.entries
            .get(&entry)
            .is_some_and(|(it, _)| *it == verdict)
    }
}

/// Proves a verdict for every barrier entry that the timeline executes, and what else could be saved. `wrong` holds the
/// places of errors and hazards: what is wrong is to be mended first, and nothing is proposed there.
pub(super) fn prove(given: Given<'_>, wrong: &IndexSet<Span>) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for conflict in &given.evaluation.conflicts {
        if let Some(entry) = fell_short(given.timeline, conflict) {
            let why = "a hazard remains that it could have prevented";
            verdicts.set(entry, Verdict::TooNarrow, why);
        }
    }
    let wanted = given
        .evaluation
        .steps
        .saturating_mul(entries(given.timeline.scenario).max(ENTRIES_MIN));
    let share = if wanted > STEPS_MAX * LONG_FILE {
        LONG_FILE
    } else {
        1
    };
    let judge = Judge::new(&given, STEPS_MAX / share);
    let Some(judge) = judge else {
        verdicts.partial = true;
        return verdicts;
    };
    let prover = Prover {
        given,
        wrong,
        plain: given.timeline.scenario,
        survey: Survey::new(given.timeline),
        copy: given.timeline.scenario.clone(),
        judge,
        machine: Machine::new(
            given.profile,
            given.lowering,
            given.registry,
            given.trace,
            share,
        ),
        verdicts,
    };
    prover.run()
}

/// Number of barrier entries of a text.
fn entries(scenario: &Scenario) -> u64 {
    let commands = scenario.lists.iter().flat_map(|list| &list.commands);
    let entries = commands.map(|command| match &command.kind {
        CommandKind::Barrier(entries) => entries.len() as u64,
        _ => 0,
    });
    entries.sum()
}

struct Prover<'a> {
    given: Given<'a>,
    wrong: &'a IndexSet<Span>,
    plain: &'a Scenario,
    survey: Survey,
    /// Edited and put back for each proof.
    copy: Scenario,
    judge: Judge,
    machine: Machine<'a>,
    verdicts: Verdicts,
}

impl Prover<'_> {
    fn run(mut self) -> Verdicts {
        let mut idle = self.deletions();
        // What is wrong is to be mended first, so it stays.
        idle.retain(|entry| {
            let barrier = entry.of(self.plain);
            barrier.is_none_or(|b| !self.wrong.contains(&b.span))
        });
        let (gone, is_proved) = self.redundant(&idle);
        self.narrowings(&gone, is_proved);
        self.others();
        self.verdicts
    }

    /// What the other rules propose, as far as it adds nothing and is worth saying.
    fn others(&mut self) {
        // Proposals look at each barrier's neighbours, which costs the square of the commands: a file for which the
        // budget reaches this far is small.
        if !self.judge.can_go_on() {
            return;
        }
        let given = self.given;
        let look = Look {
            source: given.source,
            scenario: self.plain,
            timeline: given.timeline,
            survey: &self.survey,
        };
        let is_redundant = |entry| self.verdicts.is(entry, Verdict::Redundant);
        let proposals = redundancy::proposals(&look, &is_redundant);
        let mut said: IndexSet<(&'static str, Span)> = IndexSet::new();
        for proposal in proposals {
            let rule = proposal.saving.rule.id;
            if said.contains(&(rule, proposal.span)) || self.is_explained(&proposal) {
                continue;
            }
            let renumbers = !proposal.changes.iter().all(Change::keeps_numbers);
            if renumbers && self.judge.has_conflicts() {
                continue;
            }
            let copy = self.changed(&proposal);
            match self.judge.adds(&copy) {
                None => return,
                Some(true) => {}
                Some(false) => {
                    if self.report(&proposal, &copy) {
                        said.insert((rule, proposal.span));
                    }
                }
            }
        }
    }

    /// Whether another finding of this family says what to do with the entry already. A rule that explains why a
    /// barrier is redundant takes the place of the finding that only says so.
    fn is_explained(&self, proposal: &Proposal) -> bool {
        let explains = |f: &Finding| f.span == proposal.span && redundancy::explains(f.rule);
        let gone = |entry: &Entry| self.verdicts.is(*entry, Verdict::Redundant);
        let is_gone = proposal.entry.as_ref().is_some_and(gone);
        self.verdicts.findings.iter().any(explains)
            || is_gone && !redundancy::explains(proposal.saving.rule)
    }

    /// A copy with a proposal's changes made.
    fn changed(&self, proposal: &Proposal) -> Scenario {
        let legacy = |c: &Change| matches!(c, Change::ClearLegacy(..));
        let from = if proposal.changes.iter().any(legacy) {
            self.given.source
        } else {
            self.plain
        };
        let mut copy = from.clone();
        for change in &proposal.changes {
            change.apply(&mut copy);
        }
        copy
    }

    /// Deletes each entry alone; returns those whose deletion adds nothing.
    fn deletions(&mut self) -> Vec<Entry> {
        let mut idle = Vec::new();
        let entries: Vec<Entry> = self.survey.entries.keys().copied().collect();
        for entry in entries {
            let Some(barrier) = entry.of(self.plain) else {
                continue;
            };
            if self.verdicts.is(entry, Verdict::TooNarrow) {
                continue;
            }
            if is_for_the_next_frame(self.given.timeline, entry, barrier) {
                let why = "leaves the texture as the next frame expects it";
                self.verdicts.set(entry, Verdict::Needed, why);
                continue;
            }
            if self.flushes_alias(entry, barrier) {
                let why = "flushes what would otherwise be written over an alias";
                self.verdicts.set(entry, Verdict::Needed, why);
                continue;
            }
            if change::is_split(barrier) {
                let why = "one half of a split barrier";
                self.verdicts.set(entry, Verdict::Needed, why);
                continue;
            }
            let Some(adds) = self.adds(&change::delete(self.plain, entry)) else {
                self.verdicts.partial = true;
                break;
            };
            if adds {
                let why = "deleting it adds an error or a hazard";
                self.verdicts.set(entry, Verdict::Needed, why);
            } else {
                let why = "deleting it adds no error or hazard";
                self.verdicts.set(entry, Verdict::Redundant, why);
                idle.push(entry);
            }
        }
        idle
    }

    /// Whether changes that keep all numbers add anything; the copy is as before afterwards.
    fn adds(&mut self, changes: &[Change]) -> Option<bool> {
        for change in changes {
            change.apply(&mut self.copy);
        }
        let adds = self.judge.adds(&self.copy);
        for change in changes {
            if let Change::Set(entry, _) | Change::Clear(entry) = change
                && let (Some(old), Some(slot)) =
                    (entry.of(self.plain), entry.of_mut(&mut self.copy))
            {
                slot.clone_from(old);
            }
        }
        adds
    }

    /// Narrows each entry that is needed, in a copy without those that can go, one on top of the other: what is
    /// proposed can be done together.
    /// `is_proved`: it was judged already that they can go together.
    fn narrowings(&mut self, gone: &[Entry], is_proved: bool) {
        for entry in gone {
            delete(&mut self.copy, *entry);
        }
        let adds = if gone.is_empty() {
            self.judge.adds_unchanged()
        } else if is_proved {
            self.judge.adds_known(false)
        } else {
            // Part of what can go together might not.
            self.judge.adds(&self.copy)
        };
        if adds != Some(false) {
            return;
        }
        let entries: Vec<_> = self.survey.entries.iter().map(|(e, a)| (*e, *a)).collect();
        for (entry, around) in entries {
            if !self.verdicts.is(entry, Verdict::Needed) {
                continue;
            }
            let Some(barrier) = entry.of(self.plain) else {
                continue;
            };
            let wanted = narrow::candidates(&self.survey, &around, barrier);
            let before = entry.of(&self.copy).cloned();
            let Some(proved) = self.enough(entry, wanted) else {
                return;
            };
            if proved.is_empty() {
                continue;
            }
            let texts: Vec<String> = proved.iter().map(|n| n.text(barrier)).collect();
            self.verdicts.set(entry, Verdict::TooWide, texts.join(", "));
            if self.is_legacy(entry) || self.wrong.contains(&barrier.span) {
                // Nobody is told to narrow it, so it stays as it is.
                before
                    .into_iter()
                    .for_each(|b| Change::Set(entry, b).apply(&mut self.copy));
            } else {
                self.narrowed(entry, barrier, &proved);
            }
        }
    }

    /// Those narrowings that add nothing together, left in the copy; `None` beyond the budget.
    fn enough(&mut self, entry: Entry, wanted: Vec<Narrower>) -> Option<Vec<Narrower>> {
        if wanted.is_empty() || !self.narrows_badly(entry, &wanted)? {
            return Some(wanted);
        }
        let mut proved = Vec::new();
        for one in wanted {
            if !self.narrows_badly(entry, &[one])? {
                proved.push(one);
            }
        }
        Some(proved)
    }

    /// Whether narrower masks add anything; if not, they stay in the copy.
    fn narrows_badly(&mut self, entry: Entry, narrower: &[Narrower]) -> Option<bool> {
        let before = entry.of(&self.copy)?.clone();
        Change::Set(entry, with(&before, narrower)).apply(&mut self.copy);
        let adds = self.judge.adds(&self.copy);
        if adds != Some(false) {
            Change::Set(entry, before).apply(&mut self.copy);
        }
        adds
    }

    /// A finding for each rule that a proved narrowing belongs to.
    fn narrowed(&mut self, entry: Entry, barrier: &Barrier, proved: &[Narrower]) {
        let changes = vec![Change::Set(entry, with(barrier, proved))];
        let mut kinds = Vec::new();
        for one in proved {
            if !kinds.contains(&one.kind(barrier)) {
                kinds.push(one.kind(barrier));
            }
        }
        for kind in kinds {
            let of_kind = proved.iter().filter(|n| n.kind(barrier) == kind);
            let text: Vec<String> = of_kind.map(|n| n.text(barrier)).collect();
            let text = text.join(", ");
            let together = if proved.iter().all(|n| n.kind(barrier) == kind) {
                "with this change"
            } else {
                "with all of its wide masks narrowed"
            };
            self.propose(&Proposal {
                saving: redundancy::narrowing(kind),
                entry: Some(entry),
                span: barrier.span,
                resource: self.name_of(barrier),
                changes: changes.clone(),
                message: format!("this barrier names more than it must cover: {text}"),
                witness: together.into(),
                help: text,
                related: None,
            });
        }
    }

    /// Which of the redundant entries can be deleted together, and which of them another implies. Returns the former,
    /// and whether just these were judged together.
    fn redundant(&mut self, idle: &[Entry]) -> (Vec<Entry>, bool) {
        let Some(kept) = self.kept(idle) else {
            return (Vec::new(), false);
        };
        for entry in idle {
            if kept.contains(entry) {
                let why = "deleting it, or another that does the same, adds no error or hazard";
                self.verdicts.set(*entry, Verdict::Redundant, why);
                continue;
            }
            let Some(barrier) = entry.of(self.plain) else {
                continue;
            };
            if self.is_legacy(*entry) && !self.is_whole(barrier.span, idle, &kept) {
                continue;
            }
            let text = names::barrier_text(self.plain, barrier);
            let other = self.implied_by(*entry, idle, &kept);
            let (saving, message, related) = match other.and_then(|o| o.of(self.plain)) {
                Some(other) => (
                    &redundancy::IMPLIED,
                    format!("another barrier does what this one does ({text})"),
                    Some((
                        other.span,
                        "this one implies it: without both, a use would be uncovered".to_string(),
                    )),
                ),
                None => (
                    &redundancy::REDUNDANT,
                    format!("nothing depends on this barrier ({text})"),
                    None,
                ),
            };
            self.propose(&Proposal {
                saving,
                entry: Some(*entry),
                span: barrier.span,
                resource: self.name_of(barrier),
                changes: change::delete(self.plain, *entry),
                message,
                witness: "without this barrier".into(),
                help: "delete it".into(),
                related,
            });
        }
        let mut gone: Vec<Entry> = idle.to_vec();
        gone.retain(|entry| {
            let span = entry.of(self.plain).map_or(Span::default(), |b| b.span);
            !kept.contains(entry) && (!self.is_legacy(*entry) || self.is_whole(span, idle, &kept))
        });
        // Each was judged alone, and all of them together.
        let is_proved = gone.len() == 1 || kept.is_empty() && gone.len() == idle.len();
        (gone, is_proved)
    }

    /// Whether all that a legacy entry was translated to can go: nobody can delete half of it.
    fn is_whole(&self, span: Span, idle: &[Entry], kept: &IndexSet<Entry>) -> bool {
        let mut entries = self.survey.entries.keys();
        entries.all(|entry| {
            entry.of(self.plain).is_none_or(|b| b.span != span)
                || idle.contains(entry) && !kept.contains(entry)
        })
    }

    /// Redundant entries that must stay if all the others go; `None` beyond the budget.
    fn kept(&mut self, idle: &[Entry]) -> Option<IndexSet<Entry>> {
        let mut kept = IndexSet::new();
        if idle.len() < 2 {
            return Some(kept);
        }
        let mut all = self.plain.clone();
        for entry in idle {
            delete(&mut all, *entry);
        }
        if !self.judge.adds(&all)? {
            return Some(kept);
        }
        // The later of two that do the same goes.
        let mut gone = self.plain.clone();
        for entry in idle.iter().rev() {
            let before = gone.clone();
            delete(&mut gone, *entry);
            if self.judge.adds(&gone)? {
                gone = before;
                kept.insert(*entry);
            }
        }
        Some(kept)
    }

    /// The barrier near an entry without which the entry would be needed.
    fn implied_by(
        &mut self,
        entry: Entry,
        idle: &[Entry],
        kept: &IndexSet<Entry>,
    ) -> Option<Entry> {
        let barrier = entry.of(self.plain)?;
        let resource = barrier.resource();
        let mut near: Vec<Entry> = self
            .survey
            .entries
            .keys()
            .filter(|other| other.list == entry.list && **other != entry)
            .filter(|other| kept.contains(*other) || !idle.contains(other))
            .filter(|other| {
                let of = other.of(self.plain).and_then(Barrier::resource);
                resource.is_none() || of.is_none() || of == resource
            })
            .copied()
            .collect();
        near.sort_by_key(|other| other.command.abs_diff(entry.command));
        for other in near.into_iter().take(NEIGHBOURS_MAX) {
            let mut alone = self.plain.clone();
            delete(&mut alone, other);
            let mut both = self.plain.clone();
            // The earlier first, so that the later is relinked to what is left.
            delete(&mut both, entry.min(other));
            delete(&mut both, entry.max(other));
            let alone = self.judge.added(&alone)?;
            if !self.judge.added(&both)?.is_subset(&alone) {
                return Some(other);
            }
        }
        None
    }

    /// Makes a finding of a proved proposal, with what it saves on this profile.
    fn propose(&mut self, proposal: &Proposal) {
        let copy = self.changed(proposal);
        self.report(proposal, &copy);
    }

    /// Makes a finding of a proved proposal if it is worth one.
    fn report(&mut self, proposal: &Proposal, copy: &Scenario) -> bool {
        if self.wrong.contains(&proposal.span) {
            return false;
        }
        let gain = proposal.saving.gain;
        let saved: Vec<_> = if gain.needs_every_profile() {
            let all = self.machine.saved_everywhere(self.plain, copy);
            all.unwrap_or_default()
        } else {
            self.machine.saved(copy).into_iter().collect()
        };
        if !gain.is_met(&saved) {
            return false;
        }
        if redundancy::explains(proposal.saving.rule) {
            // The other barriers that it changes are needed from then on.
            let changed = |span: Span| {
                let mut spans = proposal.changes.iter().filter_map(|c| match c {
                    Change::Set(entry, _) | Change::Clear(entry) => entry.of(self.plain),
                    _ => None,
                });
                span == proposal.span || spans.any(|barrier| barrier.span == span)
            };
            let findings = &mut self.verdicts.findings;
            findings.retain(|f| !changed(f.span) || !redundancy::only_says_redundant(f.rule));
        }
        let finding = redundancy::finding(proposal, &saved);
        self.verdicts.findings.push(finding);
        true
    }

    /// Whether an entry deactivates an alias that was written: its dirty lines must be gone before the memory is used
    /// anew. Spec: "Barrier Ordering": what deactivates a resource flushes its caches.
    fn flushes_alias(&self, entry: Entry, barrier: &Barrier) -> bool {
        let memory = &self.given.timeline.memory;
        let is_aliased = barrier.resource().is_some_and(|id| memory.is_aliased(id));
        let around = self.survey.entries.get(&entry).copied().unwrap_or_default();
        is_aliased && barrier.access_after.is_no_access() && around.before.accesses.writes()
    }

    fn name_of(&self, barrier: &Barrier) -> String {
        barrier
            .resource()
            .map_or("", |id| self.plain.resource_name(id))
            .to_string()
    }

    /// Whether an entry was translated from a legacy barrier, whose masks nobody can narrow.
    fn is_legacy(&self, entry: Entry) -> bool {
        let list = &self.given.source.lists[entry.list.index()];
        let command = list.commands.get(entry.command as usize);
        command.is_some_and(|c| matches!(c.kind, CommandKind::Legacy(_)))
    }
}

/// Deletes an entry from a copy.
fn delete(copy: &mut Scenario, entry: Entry) {
    for change in change::delete(copy, entry) {
        change.apply(copy);
    }
}

/// A barrier with some masks narrowed.
fn with(barrier: &Barrier, narrower: &[Narrower]) -> Barrier {
    let mut narrow = barrier.clone();
    narrower.iter().for_each(|one| one.apply(&mut narrow));
    narrow
}

/// The entry that a conflict says fell short.
fn fell_short(timeline: &Timeline<'_>, conflict: &Conflict) -> Option<Entry> {
    let barrier = conflict.barrier?;
    let (list, command) = timeline.place(barrier.node).command?;
    let entry = Entry {
        list,
        command,
        index: barrier.entry,
    };
    entry.of(timeline.scenario).map(|_| entry)
}

/// Whether an entry is the last on its texture and leaves it as a next round expects it: in the layout in which the
/// timeline found it, or for a present, a `keep` or a repeating timeline (reading R33).
fn is_for_the_next_frame(timeline: &Timeline<'_>, entry: Entry, barrier: &Barrier) -> bool {
    let (Some(id), Some((before, after))) = (barrier.resource(), barrier.layouts()) else {
        return false;
    };
    if before == after {
        return false;
    }
    let scenario = timeline.scenario;
    let resource = scenario.resource(id);
    let repeats = scenario.timeline.as_ref().is_some_and(|t| {
        t.statements
            .iter()
            .any(|s| matches!(s.kind, StatementKind::Repeat { .. }))
    });
    let presented = timeline
        .submissions
        .iter()
        .any(|s| s.kind == SubmissionKind::Present { resource: id });
    let starts = LayoutTracker::declared(resource);
    let wanted = after == starts || repeats || presented || resource.keep;
    wanted && !used_after(scenario, entry, barrier)
}

/// Whether the list uses or transitions a resource after an entry.
fn used_after(scenario: &Scenario, entry: Entry, barrier: &Barrier) -> bool {
    let resource = barrier.resource();
    let commands = &scenario.lists[entry.list.index()].commands;
    let mut uses = commands[entry.command as usize + 1..]
        .iter()
        .flat_map(|later| &later.uses);
    uses.any(|u| Some(u.resource) == resource)
        || entries_after(scenario, entry)
            .any(|(place, e)| place.command > entry.command && e.resource() == resource)
}
