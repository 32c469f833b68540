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
use crate::pipeline::clock::Clock;
use crate::pipeline::front::{self, Kernels, Parsed};
use crate::sim::Eviction;
use judge::{Case, Judging, Outcome};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Different faults of which a counterexample is made.
const COUNTEREXAMPLES_MAX: usize = 8;
/// Programs that are shrunk, of those that fail in one way.
const SHRUNK_MAX: usize = 4;
/// Programs that are tried for one in which a read goes wrong.
const WITNESSES_TRIED: usize = 32;

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
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Unsteady {
    /// The first of them.
    pub program: String,
    /// The machine that it was asked on.
    pub profile: String,
    /// How many there are, programs on a machine each.
    pub count: usize,
    /// Of so many that were asked again.
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

/// The smallest program found on which a lowering fails in some ways.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Counterexample {
    /// The program that it was made from.
    pub made_from: String,
    /// How many programs fail in one of these ways, on any machine.
    pub programs: usize,
    /// How many of these are illegal.
    pub illegal_programs: usize,
    /// Machines on which some legal program does; if none does, some illegal one. The counterexample is one for the first of
    /// them.
    pub profiles: Vec<String>,
    /// Scenario text.
    pub text: String,
    /// Commands in it, barriers among them.
    pub commands: usize,
    /// Mistakes of the program itself, by the names of their rules: none, if a program without one fails so.
    pub mistakes: Vec<String>,
    /// Ways in which the lowering fails on it.
    pub faults: Vec<Fault>,
    /// What is wrong, in words.
    pub says: Vec<String>,
    /// A run of it in which a read goes wrong.
    pub shown: Option<Shown>,
    /// If there is none: a longer program with such a run, and with no other mistake of the lowering.
    pub witness: Option<Witness>,
    /// That a driver which is asked only this program does not fail so, and why: then it is not the smallest one, but the
    /// program of the corpus.
    pub depends: Option<String>,
}

impl Counterexample {
    /// Whether it has no mistake of its own.
    pub fn is_legal(&self) -> bool {
        self.mistakes.is_empty()
    }
}

/// A run with a wrong read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Shown {
    /// Which lines caches drop by themselves in that run.
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

/// A program in which a read goes wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Witness {
    /// Scenario text.
    pub text: String,
    /// The run.
    pub shown: Shown,
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

/// Where a kind of fault was found: programs, and the machines of each.
type Places = BTreeMap<usize, Vec<usize>>;

/// Where a kind of fault was found.
#[derive(Clone, Default)]
struct Found {
    legal: Places,
    illegal: Places,
}

impl Found {
    /// What a counterexample is made from: legal programs, if one fails so.
    fn telling(&self) -> &Places {
        if self.legal.is_empty() {
            &self.illegal
        } else {
            &self.legal
        }
    }

    fn add(&mut self, other: &Self) {
        for (own, others) in [
            (&mut self.legal, &other.legal),
            (&mut self.illegal, &other.illegal),
        ] {
            for (program, machines) in others {
                own.entry(*program).or_default().extend(machines);
            }
        }
    }
}

/// The kinds of faults: those of legal programs first, each the most frequent first.
fn kinds(judged: &[Option<Judged>]) -> Vec<(String, Found)> {
    let mut kinds: BTreeMap<String, Found> = BTreeMap::new();
    for (program, judged) in judged.iter().enumerate() {
        let Some(judged) = judged else { continue };
        for (profile, outcome) in judged.on.iter().enumerate() {
            for fault in &outcome.faults {
                let found = kinds.entry(fault.kind()).or_default();
                let places = if judged.is_legal {
                    &mut found.legal
                } else {
                    &mut found.illegal
                };
                let machines = places.entry(program).or_default();
                if machines.last() != Some(&profile) {
                    machines.push(profile);
                }
            }
        }
    }
    let mut kinds: Vec<(String, Found)> = kinds.into_iter().collect();
    let frequency = |found: &Found| (found.legal.len(), found.illegal.len());
    kinds.sort_by_key(|(_, found)| std::cmp::Reverse(frequency(found)));
    kinds.truncate(COUNTEREXAMPLES_MAX);
    kinds
}

/// Programs of a kind of fault, each with the first machine on which it fails so: those first of which a counterexample says
/// most.
fn by_size(programs: &[Source], places: &Places) -> Vec<(usize, usize)> {
    let places = places.iter().map(|(program, on)| (*program, on[0]));
    let mut by_size: Vec<(usize, usize)> = places.collect();
    by_size.sort_by_cached_key(|(program, _)| {
        let text = &programs[*program].text;
        // An enhanced barrier that names what it is about says more than one on everything or a state.
        let is_vague = text.contains("global") || text.contains("legacy");
        // A scene that somebody wrote says more than a situation.
        let is_made = programs[*program].name.starts_with("situations/");
        (is_vague, is_made, text.len())
    });
    by_size
}

/// One counterexample for each kind of fault, those of legal programs first. One program may do for several. If it is stopped,
/// the first kind has one, and the others those that were found by then.
fn counterexamples(
    machines: &[Machine<'_>],
    programs: &[Source],
    judged: &[Option<Judged>],
    go_on: &(dyn Fn() -> bool + Sync),
) -> Vec<Counterexample> {
    let kinds = kinds(judged);
    let found: Vec<Option<Counterexample>> = kinds
        .par_iter()
        .enumerate()
        .map(|(place, (kind, found))| {
            let by_size = by_size(programs, found.telling());
            let try_on = |(program, machine): (usize, usize), like: Option<&Counterexample>| {
                let machine = machines[machine];
                let mut found = shrink::smallest(machine, &programs[program], kind, like)?;
                found.profiles = vec![machine.profile.name.clone()];
                Some(found)
            };
            // What is stopped makes one counterexample of the first kind, and no more.
            let first = by_size.iter().take(SHRUNK_MAX).enumerate();
            let first = first.take_while(|(nth, _)| (place, *nth) == (0, 0) || go_on());
            let mut found = first.filter_map(|(_, at)| Some((at.1, try_on(*at, None)?)));
            if Fault::is_of_answer(kind) {
                // Each try may take as long as the driver may; no run shows more.
                let found = found.next().map(|(_, found)| found);
                return found.or_else(|| dependent(machines, programs, judged, (kind, by_size[0])));
            }
            let (machine, mut found) =
                found.min_by_key(|(_, it)| (!it.is_legal(), it.commands, it.text.len()))?;
            if found.shown.is_none() {
                let likely = by_size.iter().filter(|(_, other)| *other == machine);
                let longer = || {
                    likely
                        .take(WITNESSES_TRIED)
                        .take_while(|_| go_on())
                        .find_map(|at| try_on(*at, Some(&found)))
                };
                let warmed = shrink::warmed(machines[machine], &found, kind);
                found.witness = warmed.or_else(|| {
                    let longer = longer()?;
                    let (text, shown) = (longer.text, longer.shown?);
                    Some(Witness { text, shown })
                });
            }
            Some(found)
        })
        .collect();
    merged(machines, kinds.iter().map(|(_, found)| found).zip(found))
}

/// A program on which a driver failed that does not fail if it is asked only that.
fn dependent(
    machines: &[Machine<'_>],
    programs: &[Source],
    judged: &[Option<Judged>],
    (kind, (program, machine)): (&str, (usize, usize)),
) -> Option<Counterexample> {
    let outcome = &judged[program].as_ref()?.on[machine];
    let fault = outcome.faults.iter().find(|fault| fault.kind() == kind)?;
    let mut found = shrink::dependent(&programs[program], fault)?;
    found.profiles = vec![machines[machine].profile.name.clone()];
    Some(found)
}

/// Counterexamples of one text are one; those of legal programs, and legal ones that are left of others, come first.
fn merged<'p>(
    machines: &[Machine<'_>],
    found: impl Iterator<Item = (&'p Found, Option<Counterexample>)>,
) -> Vec<Counterexample> {
    let mut merged: Vec<(Counterexample, Found)> = Vec::new();
    for (places, found) in found {
        let Some(found) = found else { continue };
        match merged
            .iter_mut()
            .find(|(known, _)| known.text == found.text)
        {
            Some((known, all)) => {
                known.faults.extend(found.faults);
                all.add(places);
            }
            None => merged.push((found, places.clone())),
        }
    }
    let told = merged.into_iter().map(|(mut found, places)| {
        let programs: BTreeSet<&usize> = places.legal.keys().chain(places.illegal.keys()).collect();
        found.programs = programs.len();
        found.illegal_programs = places.illegal.len();
        let on: BTreeSet<usize> = places.telling().values().flatten().copied().collect();
        let names = on.into_iter().map(|at| &machines[at].profile.name);
        let others: Vec<String> = names
            .filter(|name| !found.profiles.contains(name))
            .cloned()
            .collect();
        found.profiles.extend(others);
        found
    });
    let mut told: Vec<Counterexample> = told.collect();
    told.sort_by_key(|found| !found.is_legal());
    told
}
