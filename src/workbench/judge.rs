//! One program on one machine: whether a lowering ensures what was asked, and what it costs.

use super::Shown;
use super::paid::Paid;
use crate::analyze::attribution::{Attribution, Cause};
use crate::analyze::{hazards, lowering as bugs};
use crate::api::BarrierAccess;
use crate::ensure::{Extra, Shortfall, What};
use crate::finding::Finding;
use crate::graph::Evaluation;
use crate::hardware::Profile;
use crate::id::SubmissionId;
use crate::lower::{Lowering, PRECISE, recorded};
use crate::order::{SubmissionKind, Timeline};
use crate::pipeline::back;
use crate::pipeline::front::{self, Prepared};
use crate::program;
use crate::scenario::CommandKind;
use crate::sim::{self, Eviction};
use crate::trace::{Observation, ObservationKind, Trace};
use crate::validate::RuleSet;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Which lines caches drop by themselves, in the runs that are judged. The first one's costs count.
pub(super) const EVICTIONS: [Eviction; 5] = [
    Eviction::Oldest,
    Eviction::Never,
    Eviction::Random(1),
    Eviction::Eager,
    Eviction::Prefetch,
];

/// How much is asked about a program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Judging {
    /// Whether the packets ensure what was asked.
    Packets,
    /// Also whether every run reads right, and what it costs, if the program has no mistake of its own.
    Runs,
    /// The same, whatever mistakes the program has.
    Always,
}

/// A way in which a lowering fails.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// It panics, with this message.
    Panics(String),
    /// An operation is missing that two uses need: which kind of operation, on what.
    Lacks(String),
    /// A layout operation that nothing asks for runs over contents that are still read: which.
    Overwrites(String),
    /// A read does not see what it should, although no operation is missing.
    ReadsWrong,
    /// Work or a wait never ends.
    NeverEnds,
    /// It is a driver outside this program, and something is wrong with its answer.
    Answers {
        /// The rule.
        rule: String,
        /// What is wrong.
        says: String,
        /// Programs that it was asked before, if it gave no answer.
        before: u32,
    },
}

/// How the kinds of faults of answers begin.
const ANSWERS: &str = "answers wrongly: ";

impl Fault {
    /// What faults of one kind have in common.
    pub fn kind(&self) -> String {
        match self {
            Self::Panics(_) => "it panics".to_owned(),
            Self::Lacks(what) => what.clone(),
            Self::Overwrites(op) => format!("overwrites what is still read: {op}"),
            Self::ReadsWrong => "a read does not see what it should".to_owned(),
            Self::NeverEnds => "work or a wait never ends".to_owned(),
            Self::Answers { rule, says, .. } => {
                format!("{ANSWERS}{rule}: {}", recorded::kind_of(says))
            }
        }
    }

    /// Whether a kind is one of wrong answers.
    pub(super) fn is_of_answer(kind: &str) -> bool {
        kind.starts_with(ANSWERS)
    }

    fn lacks(profile: &Profile, missing: &Shortfall) -> Self {
        let cache = |id| &profile.cache(id).name;
        Self::Lacks(match missing.what {
            What::Wait(_) => "does not wait".to_owned(),
            What::Hold(_) => "does not hold".to_owned(),
            What::Clean(id) if missing.early => format!("writes back too early: {}", cache(id)),
            What::Clean(id) => format!("does not write back: {}", cache(id)),
            What::Invalidate(id) if missing.early => format!("drops too early: {}", cache(id)),
            What::Invalidate(id) => format!("does not drop: {}", cache(id)),
            What::Layout(id) if missing.early => {
                format!(
                    "runs a layout operation too early: {}",
                    profile.layout_op(id).name
                )
            }
            What::Layout(id) => {
                format!("lacks a layout operation: {}", profile.layout_op(id).name)
            }
            What::FrontEnd if missing.early => {
                format!(
                    "holds the front end back too early: {}",
                    profile.front_end_op
                )
            }
            What::FrontEnd => format!("does not hold the front end back: {}", profile.front_end_op),
            What::FirstHalf => {
                "the second half of a split barrier does not wait for the first".to_owned()
            }
        })
    }
}

/// Missing operations, each with the accesses of the two uses that need it.
pub(super) type Missed = BTreeSet<(String, BarrierAccess, BarrierAccess)>;

/// What came of a program on a machine.
pub(super) struct Outcome {
    pub(super) barriers: u64,
    /// Barrier entries that no rule is about, if the lowering is a rule file.
    pub(super) unmatched: u64,
    pub(super) faults: Vec<Fault>,
    /// It reads wrong, and so does `precise`: nothing is known of it.
    pub(super) is_open: bool,
    /// What the run cost with the lowering and with `precise`, if it is right.
    pub(super) paid: Option<(Paid, Paid)>,
}

/// A program, and what is needed and asked in it: the same for every machine and lowering.
pub(super) struct Case<'t, 's> {
    pub(super) timeline: &'t Timeline<'s>,
    pub(super) prepared: &'t Prepared<'t>,
    evaluation: OnceCell<Evaluation>,
    is_clean: OnceCell<bool>,
    needed: bugs::NeededPairs<'t, 's>,
}

impl<'t, 's> Case<'t, 's> {
    /// A case.
    pub(super) fn new(prepared: &'t Prepared<'t>, timeline: &'t Timeline<'s>) -> Self {
        Self {
            timeline,
            prepared,
            evaluation: OnceCell::new(),
            is_clean: OnceCell::new(),
            needed: bugs::NeededPairs::new(timeline),
        }
    }

    /// Whether it executes a barrier.
    pub(super) fn has_barriers(&self) -> bool {
        let timeline = self.timeline;
        let mut commands = (0..timeline.submissions.len())
            .map(SubmissionId::new)
            .filter(|id| timeline.submission(*id).kind == SubmissionKind::Execute)
            .flat_map(|id| timeline.commands(id));
        let is_barrier = |kind: &CommandKind| !kind.barriers().is_empty();
        commands.any(|(_, _, command)| is_barrier(&command.kind))
    }

    fn evaluation(&self) -> &Evaluation {
        self.evaluation
            .get_or_init(|| front::needed_and_asked(self.timeline))
    }

    /// Whether it has no mistake of its own.
    pub(super) fn is_clean(&self) -> bool {
        *self.is_clean.get_or_init(|| {
            let mut conflicts = self.evaluation().conflicts.iter();
            let is_legal = || {
                let findings = self.prepared.legality(self.timeline, RuleSet::default());
                !findings.iter().any(|f| f.severity.fails())
            };
            !conflicts.any(|c| c.kind.is_wrong()) && is_legal()
        })
    }

    /// Whether it has no error and no hazard of its own; it may have a warning, such as a read of undefined contents.
    pub(super) fn is_legal(&self) -> bool {
        self.is_clean() || {
            let conflicts = self.evaluation().conflicts.iter();
            let mut wrong = conflicts.filter(|conflict| conflict.kind.is_wrong());
            let findings = self.prepared.legality(self.timeline, RuleSet::default());
            !wrong.any(|it| hazards::rule_of(it).rule.severity.fails())
                && !findings.iter().any(|f| f.severity.fails())
        }
    }

    /// Its own mistakes, each by its rule once.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let conflicts = self.evaluation().conflicts.iter();
        let conflicts = conflicts.filter(|conflict| conflict.kind.is_wrong());
        let hazards = conflicts.map(|conflict| hazards::rule_of(conflict).rule);
        let findings = self.prepared.legality(self.timeline, RuleSet::default());
        let illegal = findings.iter().filter(|f| f.severity.fails());
        let rules = hazards.chain(illegal.map(|finding| finding.rule));
        let mut named: Vec<String> = rules
            .map(|rule| format!("{} {}", rule.id, rule.name))
            .collect();
        named.sort();
        named.dedup();
        named
    }

    fn is_run(&self, judging: Judging) -> bool {
        match judging {
            Judging::Packets => false,
            Judging::Runs => self.is_clean(),
            Judging::Always => true,
        }
    }

    /// What comes of it on a machine.
    pub(super) fn outcome(
        &self,
        lowering: &dyn Lowering,
        profile: &Profile,
        judging: Judging,
    ) -> Outcome {
        let mut outcome = Outcome {
            barriers: 0,
            unmatched: 0,
            faults: Vec::new(),
            is_open: false,
            paid: None,
        };
        if let (Judging::Runs, Some(rules)) = (judging, lowering.rules()) {
            let account = rules.account(self.timeline, profile);
            outcome.unmatched = account.unmatched().count() as u64;
        }
        let (program, findings) = match lowered_telling(lowering, self.timeline, profile) {
            Ok(lowered) => lowered,
            Err(message) => {
                outcome.faults.push(Fault::Panics(message));
                return outcome;
            }
        };
        outcome.faults = answers(&findings);
        if findings.iter().any(|finding| finding.severity.fails()) {
            // What the driver wrote is not known, so that it is not known what that lacks.
            return outcome;
        }
        let (check, faults) = self.packets(lowering, profile, &program);
        outcome.barriers = check.checked;
        outcome.faults.extend(faults);
        if outcome.faults.is_empty() && self.is_run(judging) {
            self.run(&program, is_precise(lowering), profile, &mut outcome);
        }
        outcome
    }

    /// What packets lack and have beyond need, and what of it is wrong.
    pub(super) fn packets(
        &self,
        lowering: &dyn Lowering,
        profile: &Profile,
        program: &program::Program,
    ) -> (bugs::Judged, Vec<Fault>) {
        let check = self.needed.check(profile, program);
        let mut faults = Vec::new();
        let is_layout = |extra: &Extra| matches!(extra.what, What::Layout(_));
        if !check.missing.is_empty() || check.extra.iter().any(is_layout) {
            let missing = check.missing.iter();
            faults.extend(missing.map(|lack| Fault::lacks(profile, &lack.shortfall)));
            let tally = bugs::Tally::default();
            let lowered = self.told_of(lowering, profile, &tally);
            let over = bugs::overwriting(lowered, &self.needed, &check.extra).into_iter();
            faults.extend(over.map(|(op, _)| Fault::Overwrites(op)));
            faults.sort();
            faults.dedup();
        }
        (check, faults)
    }

    /// The missing operations of a lowering; none if it panics.
    fn lacks(&self, lowering: &dyn Lowering, profile: &Profile) -> Vec<bugs::Lack> {
        let program = lowered(lowering, self.timeline, profile);
        program.map_or_else(
            |_| Vec::new(),
            |program| self.needed.check(profile, &program).missing,
        )
    }

    /// The first missing operation of a kind.
    pub(super) fn lack(
        &self,
        lowering: &dyn Lowering,
        profile: &Profile,
        kind: &str,
    ) -> Option<bugs::Lack> {
        let mut lacks = self.lacks(lowering, profile).into_iter();
        lacks.find(|lack| Fault::lacks(profile, &lack.shortfall).kind() == kind)
    }

    /// What a lowering lacks, by the accesses that need it.
    pub(super) fn missed(&self, lowering: &dyn Lowering, profile: &Profile) -> Missed {
        let lacks = self.lacks(lowering, profile).into_iter();
        let missed = lacks.map(|lack| {
            let (first, second) = lack.uses;
            let kind = Fault::lacks(profile, &lack.shortfall).kind();
            (kind, first.access, second.access)
        });
        missed.collect()
    }

    /// Runs a program that should be right with every eviction. What it costs is compared with `precise`, which need not be
    /// lowered and run again for itself, nor run for packets that are its own.
    fn run(
        &self,
        program: &program::Program,
        is_precise: bool,
        profile: &Profile,
        outcome: &mut Outcome,
    ) {
        for (eviction, trace) in self.traces(program, profile) {
            if wrong_read(&trace, self.is_clean()).is_some() {
                // What `precise` reads wrong as well is a mistake of the model, and says nothing of another lowering.
                if is_precise || self.is_precise_right(profile) {
                    outcome.faults.push(Fault::ReadsWrong);
                } else {
                    outcome.is_open = true;
                    outcome.paid = None;
                }
                return;
            }
            if outcome.paid.is_none() {
                let paid = Paid::new(program, &trace);
                let mut best = paid;
                let precise = (!is_precise).then(|| back::lower(&PRECISE, self.timeline, profile));
                if let Some(precise) = precise.filter(|precise| precise != program) {
                    let trace_of_best = self.trace(&precise, profile, eviction);
                    if trace.stuck.len() > trace_of_best.stuck.len() {
                        outcome.faults.push(Fault::NeverEnds);
                        return;
                    }
                    best = Paid::new(&precise, &trace_of_best);
                }
                outcome.paid = Some((paid, best));
            }
        }
    }

    /// Runs of a program, one for each way in which caches drop lines by themselves that can make a difference.
    fn traces(
        &self,
        program: &program::Program,
        profile: &Profile,
    ) -> impl Iterator<Item = (Eviction, Trace)> {
        let mut all_fits = false;
        EVICTIONS.into_iter().filter_map(move |eviction| {
            // A pass stores past caches, of one scope and of the next: what these have fetched by themselves is not followed.
            if eviction == Eviction::Prefetch && profile.tile_pass.is_some() {
                return None;
            }
            // Where no cache is ever full it does not matter which line would leave.
            if all_fits && !matches!(eviction, Eviction::Eager | Eviction::Prefetch) {
                return None;
            }
            let trace = self.trace(program, profile, eviction);
            all_fits |= eviction == EVICTIONS[0] && trace.totals.evictions == 0;
            Some((eviction, trace))
        })
    }

    /// Whether nothing is known against `precise` on a program without a mistake of its own: it lacks nothing, and no run of it
    /// has a wrong read. Where that is not so, the model is wrong, and what another lowering does says nothing of it.
    pub(super) fn is_precise_right(&self, profile: &Profile) -> bool {
        let Ok(program) = lowered(&PRECISE, self.timeline, profile) else {
            return false;
        };
        let is_wrong = |(_, trace): (Eviction, Trace)| wrong_read(&trace, true).is_some();
        self.needed.check(profile, &program).missing.is_empty()
            && !self.traces(&program, profile).any(is_wrong)
    }

    /// The first run with a wrong read. Of a program with mistakes of its own, `is_own` leaves out those in which `precise` has
    /// one too: what the program reads wrong by itself shows nothing of the lowering.
    pub(super) fn wrong_run(
        &self,
        lowering: &dyn Lowering,
        profile: &Profile,
        is_own: bool,
    ) -> Option<Shown> {
        let lowered = lowered(lowering, self.timeline, profile).ok()?;
        let is_clean = self.is_clean();
        let precise = (is_own && !is_clean && !is_precise(lowering))
            .then(|| back::lower(&PRECISE, self.timeline, profile));
        self.traces(&lowered, profile)
            .find_map(|(eviction, trace)| {
                let read = wrong_read(&trace, is_clean)?;
                let by_itself = precise.as_ref().is_some_and(|precise| {
                    let trace = self.trace(precise, profile, eviction);
                    wrong_read(&trace, is_clean).is_some()
                });
                let read = hazards::observation_text(self.timeline, read);
                (!by_itself).then_some(Shown { eviction, read })
            })
    }

    /// A run.
    pub(super) fn trace(
        &self,
        program: &program::Program,
        profile: &Profile,
        eviction: Eviction,
    ) -> Trace {
        let options = sim::SimOptions {
            eviction,
            spans: false,
            rows: false,
            causes: false,
            eager: false,
        };
        back::simulate(self.timeline, self.evaluation(), program, profile, &options)
    }

    /// What packets lack and have beyond need.
    pub(super) fn check(&self, profile: &Profile, program: &program::Program) -> bugs::Judged {
        self.needed.check(profile, program)
    }

    /// For each missing operation the first wrong read that it explains, over all runs.
    pub(super) fn shown(
        &self,
        program: &program::Program,
        profile: &Profile,
        missing: &[Shortfall],
    ) -> Vec<Option<Shown>> {
        let mut shown: Vec<Option<Shown>> = vec![None; missing.len()];
        for (eviction, trace) in self.traces(program, profile) {
            if shown.iter().all(Option::is_some) {
                break;
            }
            if wrong_read(&trace, self.is_clean()).is_none() {
                continue;
            }
            let evaluation = self.evaluation();
            let attribution = Attribution::new(self.timeline, evaluation, missing, &trace);
            for (at, slot) in shown.iter_mut().enumerate().filter(|(_, it)| it.is_none()) {
                let read = attribution.shown_by(Cause::Missing(at));
                let is_own = |read: &&Observation| {
                    self.is_clean() || read.kind != ObservationKind::Undefined
                };
                *slot = read.filter(is_own).map(|read| Shown {
                    eviction,
                    read: hazards::observation_text(self.timeline, read),
                });
            }
        }
        shown
    }

    /// What is wrong with a lowering, in words.
    pub(super) fn says(&self, lowering: &dyn Lowering, profile: &Profile) -> Vec<String> {
        let (program, findings) = match lowered_telling(lowering, self.timeline, profile) {
            Ok(lowered) => lowered,
            Err(message) => return vec![format!("the lowering panics: {message}")],
        };
        let mut answered: Vec<String> = findings.iter().map(told).collect();
        if findings.iter().any(|finding| finding.severity.fails()) {
            return answered;
        }
        let mut check = self.needed.check(profile, &program);
        let extra = std::mem::take(&mut check.extra);
        let mut tally = bugs::Tally::default();
        tally.take(self.timeline, &check);
        let lowered = self.told_of(lowering, profile, &tally);
        answered.extend(bugs::sentences(lowered));
        let mut says = answered;
        let over = bugs::overwriting(lowered, &self.needed, &extra).into_iter();
        says.extend(over.map(|(_, says)| says));
        says
    }

    pub(super) fn told_of<'a>(
        &'a self,
        lowering: &'a dyn Lowering,
        profile: &'a Profile,
        tally: &'a bugs::Tally,
    ) -> bugs::Lowered<'a, 's> {
        bugs::Lowered {
            timeline: self.timeline,
            profile,
            lowering: lowering.name(),
            tally,
        }
    }
}

/// Whether a lowering is the built-in `precise`: a rule file may have its name.
pub(super) fn is_precise(lowering: &dyn Lowering) -> bool {
    lowering.rules().is_none() && lowering.name() == PRECISE.name()
}

/// The first read that does not see what it should. A program that reads undefined contents by itself is not `clean`.
pub(super) fn wrong_read(trace: &Trace, clean: bool) -> Option<&Observation> {
    let mut reads = trace.observations.iter();
    reads.find(|read| clean || read.kind != ObservationKind::Undefined)
}

/// What is wrong with the answers of a driver, each once.
fn answers(findings: &[Finding]) -> Vec<Fault> {
    let faults = findings.iter();
    let mut faults: Vec<Fault> = faults
        .map(|finding| {
            let rule = format!("{} {}", finding.rule.id, finding.rule.name);
            let before = finding
                .notes
                .iter()
                .find_map(|it| recorded::programs_before(it));
            Fault::Answers {
                rule,
                says: finding.message.to_string(),
                before: before.unwrap_or(0),
            }
        })
        .collect();
    faults.sort();
    faults.dedup();
    faults
}

/// A finding about an answer in one line: what it is, what was kept, what would have been right.
fn told(finding: &Finding) -> String {
    let mut says = format!("{}: {}", finding.rule.id, finding.message);
    for note in &finding.notes {
        says = says + "; " + note;
    }
    match &finding.help {
        Some(help) => format!("{says}; {help}"),
        None => says,
    }
}

/// A lowered timeline.
///
/// # Errors
/// What a lowering says that panics.
pub(super) fn lowered(
    lowering: &dyn Lowering,
    timeline: &Timeline<'_>,
    profile: &Profile,
) -> Result<program::Program, String> {
    lowered_telling(lowering, timeline, profile).map(|(program, _)| program)
}

/// The same with what is wrong with what a driver outside this program answered.
fn lowered_telling(
    lowering: &dyn Lowering,
    timeline: &Timeline<'_>,
    profile: &Profile,
) -> Result<(program::Program, Vec<Finding>), String> {
    // Nothing that the closure sees is used after a panic but the timeline and the profile, which it cannot change.
    catch_unwind(AssertUnwindSafe(|| {
        back::lower_telling(lowering, timeline, profile)
    }))
    .map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        text.unwrap_or("without a message").to_owned()
    })
}
