//! Whether a lowering is right: on many programs, on many machines, with the smallest program on which it is not.
//!
//! What is asked:
//!
//! * `judge.rs`: is everything ensured that was asked, for uses that need it? Does a program without hazards read what it
//!   should, whichever lines the caches drop by themselves? What do its barriers cost beyond those of `precise`?
//! * `mutate/`: which mistakes in a lowering would the corpus notice?
//! * `compare.rs`: what changes if another lowering is taken?
//! * `shrink.rs`: what is left of a program if everything is taken away that the failure does not need?
//!
//! A program is scenario text with its name, as a rule the path of its file.
//!
//! Cost: linear in programs × machines, all of them side by side; memory is that of one program for each thread.

mod anew;
mod bisect;
mod cached;
mod chains;
mod compare;
#[cfg(feature = "corpus")]
mod corpus;
mod counterexamples;
mod cuts;
mod draft;
mod drivers;
mod elsewhere;
mod exhaustive;
#[cfg(feature = "corpus")]
mod exported;
mod judge;
mod matrix;
mod mutate;
mod packets;
mod paid;
mod probed;
pub mod scenes;
mod shrink;
mod situations;
mod staged;
mod steady;
mod universe;
mod uses;
mod warm;

pub use bisect::{Bisection, Culprit, Help, Reduction, Stage, Watch, bisect};
pub use chains::chains;
pub use compare::{Became, Change, Comparison, compare};
#[cfg(feature = "corpus")]
pub use corpus::{assert_lowering, corpus};
pub use drivers::{
    Class, Driver, DriverExtra, DriverJudgement, DriverLack, DriverRun, JudgedOn, JudgedSituation,
    LackCause, alike_programs, judge_drivers,
};
pub use exhaustive::{BLOCK, COUNTING, Search, Tried, work};
#[cfg(feature = "corpus")]
pub use exported::{export, exported};
pub use judge::Fault;
pub use matrix::driver_situations;
pub use mutate::{Fate, Mutant, Mutation, Part, Phase, ProfileMutants, Reached, SPACE_MAX, mutate};
pub use paid::Paid;
pub use probed::probe_lines;
pub use situations::situations;
pub use universe::{COMMANDS_MAX, Form, Universe, Words};
pub use uses::ProgramResources;

use crate::finding::Source;
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::lower::rules::Base;
use crate::parallel::prelude::*;
use crate::pipeline::clock::Clock;
use crate::pipeline::front::{self, Kernels, Parsed};
use crate::sim::Eviction;
use counterexamples::counterexamples;
use judge::{Case, Judging, Outcome};
use serde::{Serialize, Serializer};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What came of a lowering.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Verification {
    /// Name of the lowering.
    pub lowering: String,
    /// Programs that it was tried on: those of the corpus with a barrier that something executes.
    pub programs: usize,
    /// Of these, those without errors and hazards of their own: the verdict rests on them.
    pub legal: usize,
    /// Illegal programs on which it is wrong, on some machine.
    pub wrong_illegal: usize,
    /// Illegal programs that were not tried, because only legal ones were asked for.
    pub illegal_left_out: usize,
    /// Programs that are not understood, have no timeline or execute no barrier.
    pub left_out: usize,
    /// Programs that were not tried, because it was stopped.
    pub untried: usize,
    /// A program that a driver outside this program answered otherwise when it was asked again, after other programs.
    pub unsteady: Option<Unsteady>,
    /// It is a rule file that is based on `precise`: packets that no rule is about are those of `precise`.
    pub is_based: bool,
    /// By machine, in the order in which they were given.
    pub profiles: Vec<ProfileVerdict>,
    /// The smallest programs on which it fails; each kind of fault has one.
    pub counterexamples: Vec<Counterexample>,
}

impl Verification {
    /// Whether nothing is wrong on legal programs, and the lowering is the same whenever it is asked.
    pub fn is_right(&self) -> bool {
        self.unsteady.is_none() && self.profiles.iter().all(|it| !self.is_wrong_on(it))
    }

    /// Whether a legal program fails on a machine: one of the corpus, or what is left of an illegal one.
    pub fn is_wrong_on(&self, on: &ProfileVerdict) -> bool {
        let mut legal = self.counterexamples.iter().filter(|it| it.is_legal());
        on.wrong > 0 || legal.any(|it| it.profiles.first() == Some(&on.profile))
    }

    /// Whether the verdict rests on any program.
    pub fn is_judged(&self) -> bool {
        self.legal > 0 || !self.is_right()
    }

    /// Programs with errors or hazards of their own that it was tried on.
    pub fn illegal(&self) -> usize {
        self.programs - self.legal
    }
}

/// A program that a driver did not answer as before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "UnsteadyRow"))]
#[non_exhaustive]
pub struct Unsteady {
    /// The program.
    pub program: String,
    /// Hardware profile that it was asked on.
    pub profile: String,
    /// Answers that differ.
    #[serde(rename = "answers")]
    pub count: usize,
    /// Answers that were asked for again.
    pub asked: usize,
}

/// What came of a lowering on one machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProfileVerdict {
    /// The machine.
    pub profile: String,
    /// Barrier entries that were checked.
    pub barriers: u64,
    /// Of these, those that no rule is about, if it is a rule file: such a packet is that of the file's base, or waits and
    /// holds, and does nothing else.
    pub unmatched: u64,
    /// Legal programs on which it is wrong.
    pub wrong: usize,
    /// Illegal programs on which it is wrong.
    pub wrong_illegal: usize,
    /// Programs that it reads wrong and `precise` does too: the model is wrong there, and nothing is known of the lowering.
    pub open: usize,
    /// Number of programs that were run.
    pub ran: usize,
    /// What they cost with the lowering.
    pub paid: Paid,
    /// What the same programs cost with `precise`.
    pub precise: Paid,
}

/// A small program on which a lowering is wrong.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "CounterexampleRow")
)]
#[non_exhaustive]
pub struct Counterexample {
    /// What is wrong.
    #[serde(serialize_with = "write_kinds")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub faults: Vec<Fault>,
    /// Programs that are wrong in the same way.
    pub programs: usize,
    /// Of these, those with errors or hazards of their own.
    pub illegal_programs: usize,
    /// Machines on which a legal program is wrong so; if none is, an illegal one.
    pub profiles: Vec<String>,
    /// The program that was made smaller.
    pub made_from: String,
    /// Commands of the text, barriers among them.
    pub commands: usize,
    /// Rules that the program itself breaks: none, if a legal program is wrong so.
    pub mistakes: Vec<String>,
    /// What is wrong, in sentences.
    pub says: Vec<String>,
    /// Its text.
    #[serde(rename = "scenario")]
    pub text: String,
    /// The run in which a read goes wrong; null if none was found.
    pub shown: Option<Shown>,
    /// A longer program with such a run, where this one has none; null if none was found or looked for.
    pub witness: Option<Witness>,
    /// That a driver which is asked only this program does not fail so, and why: then it is the program of the corpus, and not
    /// made smaller. Null if it does.
    pub depends: Option<String>,
}

impl Counterexample {
    /// Whether it has no mistake of its own.
    pub fn is_legal(&self) -> bool {
        self.mistakes.is_empty()
    }
}

/// A run in which a read goes wrong.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ShownRow"))]
#[non_exhaustive]
pub struct Shown {
    /// Options of `run`; null if it needs none.
    #[serde(rename = "run_options", serialize_with = "write_run_options")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub eviction: Eviction,
    /// The read.
    pub read: String,
}

/// What came of a search through a universe.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Searched {
    /// The numbers.
    pub tried: Tried,
    /// The smallest program on which the lowering is wrong: a legal one, if there is one. None of shares that were added up.
    pub counterexample: Option<Counterexample>,
}

impl Searched {
    /// Whether nothing is wrong on legal programs, and on what is left of illegal ones.
    pub fn is_right(&self) -> bool {
        let mut examples = self.counterexample.iter();
        self.tried.wrong_legal == 0 && !examples.any(Counterexample::is_legal)
    }
}

/// A program with a run in which a read goes wrong.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "WitnessRow"))]
#[non_exhaustive]
pub struct Witness {
    /// Its text.
    #[serde(rename = "scenario")]
    pub text: String,
    /// The run.
    pub shown: Shown,
}

/// The option of `run` that chooses which lines caches drop; `None` if that is the default.
pub fn run_options(eviction: Eviction) -> Option<String> {
    match eviction {
        Eviction::Oldest => None,
        Eviction::Never => Some("--eviction never".to_owned()),
        Eviction::Eager => Some("--eviction eager".to_owned()),
        Eviction::Prefetch => Some("--eviction prefetch".to_owned()),
        Eviction::Random(seed) => Some(format!("--eviction random --seed {seed}")),
    }
}

fn write_kinds<S: Serializer>(faults: &[Fault], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(faults.iter().map(Fault::kind))
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn write_run_options<S: Serializer>(eviction: &Eviction, serializer: S) -> Result<S::Ok, S::Error> {
    run_options(*eviction).serialize(serializer)
}

/// A machine, and the lowering that is tried on it. A rule file is read for each profile by itself.
#[derive(Copy, Clone)]
pub struct Machine<'a> {
    /// The machine.
    pub profile: &'a Profile,
    /// The lowering.
    pub lowering: &'a dyn Lowering,
}

impl<'a> Machine<'a> {
    /// One lowering on several machines.
    pub fn each(lowering: &'a dyn Lowering, profiles: &'a [Profile]) -> Vec<Self> {
        let profiles = profiles.iter();
        profiles.map(|profile| Self { profile, lowering }).collect()
    }
}

/// Is told how many programs are done, of how many, and says whether to go on.
pub type GoOn<'w> = dyn Fn(usize, usize) -> bool + Sync + 'w;

/// Which programs are tried.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum Which {
    /// All of them; what comes of illegal ones is counted apart.
    #[default]
    All,
    /// Those without errors and hazards of their own.
    Legal,
}

/// Tries a lowering on programs and machines, for as long as `go_on` says so: what was found by then is the answer.
pub fn verify(machines: &[Machine<'_>], programs: &[Source], go_on: &GoOn<'_>) -> Verification {
    verify_some(machines, programs, Which::All, go_on)
}

/// The same on some of the programs.
pub fn verify_some(
    machines: &[Machine<'_>],
    programs: &[Source],
    which: Which,
    go_on: &GoOn<'_>,
) -> Verification {
    let steady = steady::Sample::of(machines, programs);
    let done = AtomicUsize::new(0);
    let judged: Vec<Option<Judged>> = programs
        .par_iter()
        .map(|program| {
            if !go_on(done.load(Ordering::Relaxed), programs.len()) {
                return None;
            }
            let judged = judged(program, machines, Judging::Runs, which);
            done.fetch_add(1, Ordering::Relaxed);
            judged
        })
        .collect();
    let done = done.into_inner();
    let go_on = || go_on(done, programs.len());
    let there = judged.iter().flatten().count();
    let tried = || judged.iter().flatten().filter(|it| !it.is_left_out());
    let verdicts = machines.iter().enumerate();
    let verdicts = verdicts.map(|(at, machine)| ProfileVerdict::new(machine.profile, at, tried()));
    let is_based = |m: &Machine<'_>| {
        let rules = m.lowering.rules();
        rules.is_some_and(|rules| rules.file().base() == Base::Precise)
    };
    Verification {
        lowering: machines
            .first()
            .map_or("", |m| m.lowering.name())
            .to_owned(),
        programs: tried().count(),
        legal: tried().filter(|it| it.is_legal).count(),
        wrong_illegal: tried().filter(|it| !it.is_legal && it.is_wrong()).count(),
        illegal_left_out: there - tried().count(),
        left_out: done - there,
        untried: programs.len() - done,
        unsteady: steady.differing(),
        is_based: machines.first().is_some_and(is_based),
        profiles: verdicts.collect(),
        counterexamples: if machines.iter().any(|m| m.lowering.given_up().is_some()) {
            Vec::new()
        } else {
            counterexamples(machines, programs, &judged, &go_on)
        },
    }
}

impl ProfileVerdict {
    fn new<'o>(profile: &Profile, at: usize, programs: impl Iterator<Item = &'o Judged>) -> Self {
        let mut verdict = Self {
            profile: profile.name.clone(),
            barriers: 0,
            unmatched: 0,
            wrong: 0,
            wrong_illegal: 0,
            open: 0,
            ran: 0,
            paid: Paid::default(),
            precise: Paid::default(),
        };
        for program in programs {
            let outcome = &program.on[at];
            verdict.barriers += outcome.barriers;
            verdict.unmatched += outcome.unmatched;
            verdict.open += usize::from(outcome.is_open);
            let is_wrong = usize::from(!outcome.faults.is_empty());
            if program.is_legal {
                verdict.wrong += is_wrong;
            } else {
                verdict.wrong_illegal += is_wrong;
            }
            if let Some((paid, precise)) = &outcome.paid {
                verdict.ran += 1;
                verdict.paid.add(paid);
                verdict.precise.add(precise);
            }
        }
        verdict
    }
}

/// A text that some command can run, as it was read.
pub(super) fn understood(source: &Source) -> Option<Parsed> {
    let parsed = front::read(source, &mut Clock::untold()).ok()?;
    parsed.scenario.timeline.is_some().then_some(parsed)
}

/// What is said of a program; `None` if there is nothing to try.
fn with_case<R>(program: &Source, say: impl FnOnce(&Case<'_, '_>) -> Option<R>) -> Option<R> {
    with_any_case(program, |case| {
        case.has_barriers().then(|| say(case)).flatten()
    })
}

/// What is said of a program, with a barrier or without; `None` if nothing can run it.
fn with_any_case<R>(program: &Source, say: impl FnOnce(&Case<'_, '_>) -> Option<R>) -> Option<R> {
    let prepared = understood(program)?.prepare(Kernels::LeftOut, &mut Clock::untold());
    let timeline = prepared.timeline();
    say(&Case::new(&prepared, &timeline))
}

/// What came of a program.
struct Judged {
    /// It has no errors and hazards of its own.
    is_legal: bool,
    /// By machine; nothing if it was left out.
    on: Vec<Outcome>,
}

impl Judged {
    fn is_left_out(&self) -> bool {
        self.on.is_empty()
    }

    fn is_wrong(&self) -> bool {
        self.on.iter().any(|outcome| !outcome.faults.is_empty())
    }
}

/// What comes of a program on each machine; `None` if there is nothing to try.
fn judged(
    program: &Source,
    machines: &[Machine<'_>],
    judging: Judging,
    which: Which,
) -> Option<Judged> {
    with_case(program, |case| {
        let is_legal = case.is_clean();
        let is_tried = is_legal || which == Which::All;
        let machines = machines.iter().filter(|_| is_tried);
        let on = machines.map(|m| case.outcome(m.lowering, m.profile, judging));
        Some(Judged {
            is_legal,
            on: on.collect(),
        })
    })
}

/// Whether a program has a barrier to lower and no mistake of its own.
fn is_clean(program: &Source) -> bool {
    with_case(program, |case| Some(case.is_clean())) == Some(true)
}

/// A program's own mistakes, errors and hazards, each by its rule once. What nothing can run has none.
pub fn mistakes(program: &Source) -> Vec<String> {
    with_any_case(program, |case| Some(case.mistakes())).unwrap_or_default()
}
