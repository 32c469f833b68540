//! Proofs by running edited copies: a barrier is redundant if the text without it has no new conflict, error or warning
//! of any family, too wide if the timeline with it narrowed has none (readings R48 and R74); every other proposal of the
//! family `RD` likewise. A legacy barrier is deleted where it is written, and what it was translated to shares its verdict.
//!
//! Cost: an evaluation for each barrier entry of the text and for each proposal, within [`STEPS_MAX`] steps in all;
//! deletions come first. A long file, of which these steps would examine only a small part, gets an eighth of them.
//! Nothing is said of an entry that is not examined: it counts as needed unless a hazard remains that it could have
//! prevented. What a change saves is simulated on a copy, within a budget of its own (`savings.rs`).

mod compare;
mod deletions;
mod judge;
mod narrowings;
mod savings;
mod units;
mod verdicts;
mod waits;

pub(crate) use judge::Judge;
pub use verdicts::{Changed, Verdict};
pub(crate) use verdicts::{DELETED_ADDS, DELETED_ADDS_NOTHING, Verdicts};

use crate::analyze::names;
use crate::analyze::redundancy::look::Look;
use crate::analyze::redundancy::survey::Survey;
use crate::analyze::redundancy::{self, Proposal};
use crate::finding::{Finding, Span};
use crate::graph::{Conflict, Evaluation};
use crate::order::Timeline;
use crate::pipeline::back::Machine;
use crate::pipeline::{Options, Registry};
use crate::scenario::edit::{self, Change, EntryId};
use crate::scenario::{self, Barrier, CommandKind, Scenario};
use crate::trace::Trace;
use crate::validate::RuleSet;
use compare::Comparer;
use indexmap::IndexSet;
use judge::Form;
use savings::Savings;
use units::Units;

/// Steps (commands and barrier entries, and ranges where these are many, over all evaluations) that proofs may take in one run.
const STEPS_MAX: u64 = 1_000_000;
/// Entries that a file counts as having at least: other proposals are tried on copies too.
const ENTRIES_MIN: u64 = 100;
/// What the steps are divided by for a file of which they would examine only a small part: a few verdicts are not worth
/// the time of the whole run.
const LONG_FILE: u64 = 8;

/// What was run, and on what.
#[derive(Copy, Clone)]
pub(crate) struct Given<'a> {
    /// The scenario with its legacy barriers.
    pub(crate) source: &'a Scenario,
    /// The timeline of the scenario without them.
    pub(crate) timeline: &'a Timeline<'a>,
    /// What was found in it.
    pub(crate) evaluation: &'a Evaluation,
    /// What the rules of legality found in the scenario with its legacy barriers.
    pub(crate) legality: &'a [Finding],
    /// Rules of legality.
    pub(crate) rules: RuleSet,
    /// The run; `None` if there was none, and nothing is said of time.
    pub(crate) ran: Option<OnMachine<'a>>,
}

/// A run, against which copies are measured.
#[derive(Copy, Clone)]
pub(crate) struct OnMachine<'a> {
    /// What the machine did.
    pub(crate) trace: &'a Trace,
    /// The machine and its lowering.
    pub(crate) machine: Machine<'a>,
    /// Other profiles.
    pub(crate) registry: &'a Registry,
    /// The options of the run.
    pub(crate) options: &'a Options,
}

/// Proves a verdict for every barrier entry that the timeline executes, and what else could be saved. `wrong` holds the
/// places of errors and hazards: what is wrong is to be mended first, and nothing is proposed there.
pub(crate) fn prove(given: Given<'_>, wrong: &IndexSet<Span>) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for conflict in &given.evaluation.conflicts {
        if let Some(entry) = fell_short(given.timeline, conflict) {
            let why = "a hazard remains that it could have prevented";
            verdicts.set(entry, Verdict::TooNarrow, why);
        }
    }
    let entries = edit::barriers(given.timeline.scenario).count() as u64;
    let work = given.evaluation.work();
    let wanted = work.saturating_mul(entries.max(ENTRIES_MIN));
    let share = if wanted > STEPS_MAX * LONG_FILE {
        LONG_FILE
    } else {
        1
    };
    let Some(compare) = Comparer::new(&given, STEPS_MAX / share) else {
        verdicts.partial = true;
        return verdicts;
    };
    let survey = Survey::new(given.timeline);
    let prover = Prover {
        given,
        wrong,
        plain: given.timeline.scenario,
        units: Units::new(&given, &survey),
        survey,
        compare,
        savings: given.ran.map(|ran| Savings::new(ran, share)),
        verdicts,
    };
    prover.run()
}

struct Prover<'a> {
    given: Given<'a>,
    wrong: &'a IndexSet<Span>,
    plain: &'a Scenario,
    survey: Survey,
    units: Units,
    compare: Comparer,
    savings: Option<Savings<'a>>,
    verdicts: Verdicts,
}

impl Prover<'_> {
    fn run(mut self) -> Verdicts {
        let mut idle = self.deletions();
        // What is wrong is to be mended first, so it stays.
        idle.retain(|unit| !self.wrong.contains(&self.units.of(*unit).span));
        let (gone, is_proved) = self.redundant(&idle);
        self.narrowings(&gone, is_proved);
        self.others();
        let findings = &self.verdicts.findings;
        let is_said = |c: &Changed| {
            let mut said = findings.iter();
            said.any(|f| f.rule.id == c.rule && f.span == c.span)
        };
        self.verdicts.changed.retain(is_said);
        self.verdicts
    }

    /// What the other rules propose, as far as it adds nothing and is worth saying.
    fn others(&mut self) {
        // Proposals look at each barrier's neighbours, which costs the square of the commands: a file for which the
        // budget reaches this far is small.
        if !self.compare.can_go_on() {
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
        let mut proposals = redundancy::proposals(&look, &is_redundant);
        proposals.extend(waits::implied(given.timeline));
        let mut said: IndexSet<(&'static str, Span)> = IndexSet::new();
        for proposal in proposals {
            let rule = proposal.saving.rule.id;
            if said.contains(&(rule, proposal.span)) || self.is_explained(&proposal) {
                continue;
            }
            let renumbers = !proposal.changes.iter().all(Change::keeps_numbers);
            if renumbers && self.compare.has_conflicts() {
                continue;
            }
            let copy = self.changed(&proposal);
            match self.compare.adds(&copy, Form::Written) {
                None => return,
                Some(true) => {}
                Some(false) => {
                    if self.report(&proposal, copy) {
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
        let gone = |entry: &EntryId| self.verdicts.is(*entry, Verdict::Redundant);
        let is_gone = proposal.entry.as_ref().is_some_and(gone);
        self.verdicts.findings.iter().any(explains)
            || is_gone && !redundancy::explains(proposal.saving.rule)
    }

    /// A copy of the text as written with a proposal's changes made. None of these is one of a translated entry.
    fn changed(&self, proposal: &Proposal) -> Scenario {
        let mut copy = self.given.source.clone();
        for change in &proposal.changes {
            change.apply(&mut copy);
        }
        copy
    }

    /// Makes a finding of a proved proposal, with what it saves on this profile.
    fn propose(&mut self, proposal: &Proposal) {
        let copy = self.changed(proposal);
        self.report(proposal, copy);
    }

    /// Makes a finding of a proved proposal if it is worth one.
    fn report(&mut self, proposal: &Proposal, copy: Scenario) -> bool {
        if self.wrong.contains(&proposal.span) {
            return false;
        }
        let copy = edit::pruned(copy, self.given.source);
        let gain = proposal.saving.gain;
        let saved: Vec<_> = match &mut self.savings {
            None => Vec::new(),
            Some(savings) if gain.needs_every_profile() => savings
                .saved_everywhere(self.given.source, &copy)
                .unwrap_or_default(),
            Some(savings) => savings.saved(&copy).into_iter().collect(),
        };
        if !gain.is_met(&saved) {
            return false;
        }
        if redundancy::explains(proposal.saving.rule) {
            // The other barriers that it changes are needed from then on.
            let changed = |span: Span| {
                let mut entries = proposal.changes.iter().filter_map(Change::entry);
                let is = |entry: EntryId| entry.span(self.given.source) == Some(span);
                span == proposal.span || entries.any(is)
            };
            let findings = &mut self.verdicts.findings;
            findings.retain(|f| !changed(f.span) || !redundancy::only_says_redundant(f.rule));
        }
        let finding = redundancy::finding(proposal, &saved);
        self.verdicts.findings.push(finding);
        if self.given.ran.is_some_and(|ran| ran.options.keep_changed) {
            self.verdicts.changed.push(Changed {
                rule: proposal.saving.rule.id,
                span: proposal.span,
                text: scenario::print(&copy),
            });
        }
        true
    }

    fn name_of(&self, barrier: &Barrier) -> String {
        barrier
            .resource()
            .map_or("", |id| self.plain.resource_name(id))
            .to_string()
    }

    /// Whether an entry was translated from a legacy barrier, whose masks nobody can narrow.
    fn is_legacy(&self, entry: EntryId) -> bool {
        let list = &self.given.source.lists[entry.list];
        let command = list.commands.get(entry.command as usize);
        command.is_some_and(|c| matches!(c.kind, CommandKind::Legacy(_)))
    }
}

/// The entry that a conflict says fell short.
fn fell_short(timeline: &Timeline<'_>, conflict: &Conflict) -> Option<EntryId> {
    let barrier = conflict.barrier?;
    let (list, command) = timeline.place(barrier.node).command?;
    let entry = EntryId {
        list,
        command,
        index: barrier.entry,
    };
    names::entry(timeline, barrier).map(|_| entry)
}
