//! Whether a lowering is right: on many programs, on many machines, with the smallest program on which it is not.
//!
//! What is asked:
//!
//! * `judge.rs`: is everything ensured that was asked, for uses that need it? Does a program without hazards read what it
//!   should, whichever lines the caches drop by themselves? What do its barriers cost beyond those of `precise`?
//! * `mutate/`: which mistakes in a lowering would the corpus notice?
//! * `shrink.rs`: what is left of a program if everything is taken away that the failure does not need?
//!
//! A program is scenario text with its name, as a rule the path of its file.
//!
//! Cost: linear in programs × machines, all of them side by side; memory is that of one program for each thread.

mod anew;
mod bisect;
mod cached;
mod chains;
#[cfg(feature = "corpus")]
mod corpus;
mod cuts;
mod draft;
mod elsewhere;
mod exhaustive;
#[cfg(feature = "corpus")]
mod exported;
mod judge;
mod mutate;
pub mod scenes;
mod shrink;
mod situations;
mod staged;
mod universe;
mod uses;

pub use bisect::{Bisection, Culprit, Help, Reduction, Stage, Watch, bisect};
pub use chains::chains;
#[cfg(feature = "corpus")]
pub use corpus::{assert_lowering, corpus};
pub use exhaustive::{BLOCK, Search, Tried};
#[cfg(feature = "corpus")]
pub use exported::{export, exported};
pub use judge::{Fault, Paid};
pub use mutate::{Fate, Mutant, Mutation, Part, Phase, ProfileMutants, Reached, SPACE_MAX, mutate};
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
    /// Programs that are not understood, have no timeline or execute no barrier.
    pub left_out: usize,
    /// Programs that were not tried, because it was stopped.
    pub untried: usize,
    /// It is a rule file that is based on `precise`: packets that no rule is about are those of `precise`.
    pub is_based: bool,
    /// By machine, in the order in which they were given.
    pub profiles: Vec<ProfileVerdict>,
    /// The smallest programs on which it fails; each kind of fault has one.
    pub counterexamples: Vec<Counterexample>,
}

impl Verification {
    /// Whether nothing is wrong.
    pub fn is_right(&self) -> bool {
        self.profiles.iter().all(|profile| profile.wrong == 0)
    }
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
    /// Programs on which it is wrong.
    pub wrong: usize,
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
    /// Machines on which some program does. The counterexample is one for the first of them.
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
    /// If there is none: a longer program with such a run.
    pub witness: Option<Witness>,
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
    /// The smallest program on which the lowering is wrong; none of shares that were added up.
    pub counterexample: Option<Counterexample>,
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

/// Tries a lowering on programs and machines, for as long as `go_on` says so: what was found by then is the answer.
pub fn verify(machines: &[Machine<'_>], programs: &[Source], go_on: &GoOn<'_>) -> Verification {
    let done = AtomicUsize::new(0);
    let outcomes: Vec<Option<Vec<Outcome>>> = programs
        .par_iter()
        .map(|program| {
            if !go_on(done.load(Ordering::Relaxed), programs.len()) {
                return None;
            }
            let outcomes = outcomes(program, machines, Judging::Runs);
            done.fetch_add(1, Ordering::Relaxed);
            outcomes
        })
        .collect();
    let done = done.into_inner();
    let go_on = || go_on(done, programs.len());
    let tried = outcomes.iter().flatten().count();
    let verdicts = machines.iter().enumerate().map(|(at, machine)| {
        let all = outcomes.iter().flatten().map(|outcomes| &outcomes[at]);
        ProfileVerdict::new(machine.profile, all)
    });
    Verification {
        lowering: machines
            .first()
            .map_or("", |m| m.lowering.name())
            .to_owned(),
        programs: tried,
        left_out: done - tried,
        untried: programs.len() - done,
        is_based: machines
            .first()
            .and_then(|m| m.lowering.rules())
            .is_some_and(|rules| rules.file().base() == Base::Precise),
        profiles: verdicts.collect(),
        counterexamples: counterexamples(machines, programs, &outcomes, &go_on),
    }
}

impl ProfileVerdict {
    fn new<'o>(profile: &Profile, outcomes: impl Iterator<Item = &'o Outcome>) -> Self {
        let mut verdict = Self {
            profile: profile.name.clone(),
            barriers: 0,
            unmatched: 0,
            wrong: 0,
            ran: 0,
            paid: Paid::default(),
            precise: Paid::default(),
        };
        for outcome in outcomes {
            verdict.barriers += outcome.barriers;
            verdict.unmatched += outcome.unmatched;
            verdict.wrong += usize::from(!outcome.faults.is_empty());
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
    let prepared = understood(program)?.prepare(Kernels::LeftOut, &mut Clock::untold());
    let timeline = prepared.timeline();
    say(&Case::new(&prepared, &timeline)?)
}

/// What comes of a program on each machine; `None` if there is nothing to try.
fn outcomes(program: &Source, machines: &[Machine<'_>], judging: Judging) -> Option<Vec<Outcome>> {
    with_case(program, |case| {
        let outcome = |m: &Machine<'_>| case.outcome(m.lowering, m.profile, judging);
        Some(machines.iter().map(outcome).collect())
    })
}

/// Whether a program has no mistake of its own.
fn is_clean(program: &Source) -> bool {
    with_case(program, |case| Some(case.is_clean())) == Some(true)
}

/// Where a kind of fault was found: programs, and the machines of each.
type Places = BTreeMap<usize, Vec<usize>>;

/// One counterexample for each kind of fault, the most frequent kinds first. One program may do for several. If it is stopped,
/// the most frequent kind has one, and the others those that were found by then.
fn counterexamples(
    machines: &[Machine<'_>],
    programs: &[Source],
    outcomes: &[Option<Vec<Outcome>>],
    go_on: &(dyn Fn() -> bool + Sync),
) -> Vec<Counterexample> {
    let mut kinds: BTreeMap<String, Places> = BTreeMap::new();
    for (program, outcomes) in outcomes.iter().enumerate() {
        for (profile, outcome) in outcomes.iter().flatten().enumerate() {
            for fault in &outcome.faults {
                let places = kinds.entry(fault.kind()).or_default();
                let machines = places.entry(program).or_default();
                if machines.last() != Some(&profile) {
                    machines.push(profile);
                }
            }
        }
    }
    let mut kinds: Vec<(String, Places)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
    kinds.truncate(COUNTEREXAMPLES_MAX);
    let found: Vec<Option<Counterexample>> = kinds
        .par_iter()
        .enumerate()
        .map(|(place, (kind, places))| {
            // A small program has a small counterexample, and one without mistakes of its own a clean one.
            let mut by_size: Vec<(usize, usize)> = places
                .iter()
                .map(|(program, on)| (*program, on[0]))
                .collect();
            by_size.sort_by_cached_key(|(program, _)| {
                let text = &programs[*program].text;
                // An enhanced barrier that names what it is about says more than one on everything or a state.
                let is_vague = text.contains("global") || text.contains("legacy");
                // A scene that somebody wrote says more than a situation.
                let is_made = programs[*program].name.starts_with("situations/");
                let clean = is_clean(&programs[*program]);
                (!clean, is_vague, is_made, text.len())
            });
            let try_on = |(program, machine): (usize, usize), shows| {
                let machine = machines[machine];
                let mut found = shrink::smallest(machine, &programs[program], kind, shows)?;
                found.profiles = vec![machine.profile.name.clone()];
                Some(found)
            };
            // What is stopped makes one counterexample of the most frequent kind, and no more.
            let first = by_size.iter().take(SHRUNK_MAX).enumerate();
            let first = first.take_while(|(nth, _)| (place, *nth) == (0, 0) || go_on());
            let found = first.filter_map(|(_, at)| try_on(*at, false));
            let mut found =
                found.min_by_key(|it| (!it.mistakes.is_empty(), it.commands, it.text.len()))?;
            if found.shown.is_none() {
                let first = by_size[0].1;
                let likely = by_size.iter().filter(|(_, machine)| *machine == first);
                let longer = likely
                    .take(WITNESSES_TRIED)
                    .take_while(|_| go_on())
                    .find_map(|at| try_on(*at, true));
                found.witness = longer.and_then(|longer| {
                    let (text, shown) = (longer.text, longer.shown?);
                    Some(Witness { text, shown })
                });
            }
            Some(found)
        })
        .collect();
    merged(machines, kinds.iter().map(|(_, places)| places).zip(found))
}

/// Counterexamples of one text are one.
fn merged<'p>(
    machines: &[Machine<'_>],
    found: impl Iterator<Item = (&'p Places, Option<Counterexample>)>,
) -> Vec<Counterexample> {
    let mut merged: Vec<(Counterexample, Places)> = Vec::new();
    for (places, found) in found {
        let Some(found) = found else { continue };
        match merged
            .iter_mut()
            .find(|(known, _)| known.text == found.text)
        {
            Some((known, all)) => {
                known.faults.extend(found.faults);
                for (program, machines) in places {
                    all.entry(*program).or_default().extend(machines);
                }
            }
            None => merged.push((found, places.clone())),
        }
    }
    let told = merged.into_iter().map(|(mut found, places)| {
        found.programs = places.len();
        let on: BTreeSet<usize> = places.into_values().flatten().collect();
        let names = on.into_iter().map(|at| &machines[at].profile.name);
        let others: Vec<String> = names
            .filter(|name| !found.profiles.contains(name))
            .cloned()
            .collect();
        found.profiles.extend(others);
        found
    });
    told.collect()
}
