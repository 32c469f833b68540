//! Mutants of a lowering: how many of the mistakes that one could make in it the corpus notices.
//!
//! ```text
//! lowering × corpus ─room→ mistakes ─with→ packets ─judge→ noticed, or a survivor
//!                                     survivors × space → missed, equivalent, or not met
//! ```
//! A mutant is the lowering with one mistake, made wherever it does the same for the same reason (`edit.rs`, and `rules.rs`
//! for rule files). It is *noticed* if some program of the corpus shows it: what two uses need is not ensured any more, or,
//! of a mutant that can only do too much, it does or costs more. A survivor is tried on every program of a small space
//! (`space.rs`): if one shows it, the corpus has *missed* it; if some meet it and none shows it, it is *equivalent* on that
//! space; if none meets it, nothing is known.
//!
//! Only programs without a mistake of their own count, and only where the lowering itself is right: elsewhere a mistake
//! more says nothing.
//!
//! Cost: linear in programs and in the mistakes that each leaves room for; a mutant that was noticed is not tried again.

mod edit;
mod rules;
mod space;

pub use edit::Part;
pub use space::COMMANDS_MAX as SPACE_MAX;

use super::chains::{self, chains};
use super::judge::{Case, EVICTIONS, lowered};
use super::packets::packets_text;
use super::paid::Paid;
use super::{Machine, with_case};
use crate::finding::Source;
use crate::parallel::prelude::*;
use crate::program::Program;
use crate::time::Ps;
use edit::Mistake;
use indexmap::IndexMap;
use rules::Edited;
use space::Space;

/// Programs that are tried before those that were noticed are left out.
const CHUNK: usize = 128;

/// What came of the mutants of a lowering.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Mutation {
    /// The lowering.
    pub lowering: String,
    /// Programs of the corpus that count on some machine.
    pub programs: usize,
    /// Most commands of a program of the space.
    pub commands: u32,
    /// Mutants of each machine.
    pub profiles: Vec<ProfileMutants>,
}

/// The mutants on one machine.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProfileMutants {
    /// The machine.
    pub profile: String,
    /// In the order in which the corpus leaves room for them.
    pub mutants: Vec<Mutant>,
}

/// A lowering with one mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Mutant {
    /// What kind of mistake.
    pub part: Part,
    /// The mistake.
    pub says: String,
    /// Programs of the corpus that leave room for it, up to the one that notices it.
    pub met: usize,
    /// What came of it.
    pub fate: Fate,
}

/// What came of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fate {
    /// The corpus notices it.
    Noticed {
        /// The first program that does.
        by: String,
        /// What is wrong there, or more.
        how: String,
    },
    /// No program of the space shows it, of those that meet it.
    Equivalent {
        /// How many meet it.
        programs: usize,
    },
    /// No program of the space meets it, and those of the corpus do not show it.
    NotMet,
    /// A program of the space shows it.
    Missed {
        /// Scenario text.
        text: String,
        /// What is wrong there, or more.
        how: String,
    },
}

impl ProfileMutants {
    /// Mutants with a fate.
    pub fn count(&self, fate: impl Fn(&Fate) -> bool) -> usize {
        self.mutants.iter().filter(|it| fate(&it.fate)).count()
    }

    /// Mutants that are not known to be equivalent.
    pub fn different(&self) -> usize {
        self.count(|fate| !matches!(fate, Fate::Equivalent { .. }))
    }

    /// Mutants that the corpus notices.
    pub fn noticed(&self) -> usize {
        self.count(|fate| matches!(fate, Fate::Noticed { .. }))
    }

    /// Mutants that the corpus misses.
    pub fn missed(&self) -> usize {
        self.count(|fate| matches!(fate, Fate::Missed { .. }))
    }

    /// Mutants of which nothing is known.
    pub fn not_met(&self) -> usize {
        self.count(|fate| *fate == Fate::NotMet)
    }
}

/// How far a search for mutants is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Reached<'a> {
    /// The machine.
    pub profile: &'a str,
    /// What is tried on it.
    pub phase: Phase,
    /// Number of programs, or of numbers of programs, that are done.
    pub done: usize,
    /// Number of those that there are.
    pub all: usize,
}

/// What mutants are tried on.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Phase {
    /// The corpus, which should notice them.
    Corpus,
    /// What the corpus does not notice: every program of the small space.
    Space,
    /// What that leaves no room for: every chain of three uses.
    Chains,
}

/// Tries every mutant of a lowering; `None` if `go_on`, which is told how far it is, says no.
pub fn mutate(
    machines: &[Machine<'_>],
    corpus: &[Source],
    commands: u32,
    go_on: &dyn Fn(Reached<'_>) -> bool,
) -> Option<Mutation> {
    let mut counted = vec![false; corpus.len()];
    let mut profiles = Vec::new();
    for machine in machines {
        let edited = machine
            .lowering
            .rules()
            .map_or_else(Vec::new, rules::edited);
        let trial = Trial {
            machine: *machine,
            edited: &edited,
        };
        let reached = |phase, done, all| {
            go_on(Reached {
                profile: &machine.profile.name,
                phase,
                done,
                all,
            })
        };
        let mut mutants = Mutants::default();
        for (at, chunk) in corpus.chunks(CHUNK).enumerate() {
            if !reached(Phase::Corpus, at * CHUNK, corpus.len()) {
                return None;
            }
            let tried = trial.chunk(chunk, &mutants);
            for (place, tried) in tried.into_iter().enumerate() {
                counted[at * CHUNK + place] |= tried.is_some();
                let name = &chunk[place].name;
                let fate = |by, how| Fate::Noticed { by, how };
                mutants.note(tried.into_iter().flatten(), name, fate);
            }
        }
        mutants.survive(&trial, Space { commands }, &reached)?;
        profiles.push(ProfileMutants {
            profile: machine.profile.name.clone(),
            mutants: mutants.told(&trial),
        });
    }
    let lowering = machines.first().map_or("", |m| m.lowering.name());
    Some(Mutation {
        lowering: lowering.to_owned(),
        programs: counted.iter().filter(|counted| **counted).count(),
        commands,
        profiles,
    })
}

/// A mutant, by its mistake or by its place among the edited rule files.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Id {
    Packets(Mistake),
    Rules(usize),
}

/// A mutant that a program leaves room for, and how the program shows it.
type Tried = (Id, Option<String>);

/// Mutants so far: how many programs met each, and its fate.
#[derive(Default)]
struct Mutants(IndexMap<Id, (usize, Option<Fate>)>);

impl Mutants {
    fn is_open(&self, id: Id) -> bool {
        self.0.get(&id).is_none_or(|(_, fate)| fate.is_none())
    }

    fn note(
        &mut self,
        tried: impl Iterator<Item = Tried>,
        program: &str,
        fate: impl Fn(String, String) -> Fate,
    ) {
        for (id, shown) in tried {
            let (met, known) = self.0.entry(id).or_default();
            if known.is_none() {
                *met += 1;
                *known = shown.map(|how| fate(program.to_owned(), how));
            }
        }
    }

    /// Tries what is left on the space; `None` if `go_on` says no.
    fn survive(
        &mut self,
        trial: &Trial<'_>,
        space: Space,
        go_on: &dyn Fn(Phase, usize, usize) -> bool,
    ) -> Option<()> {
        let is_left = |(_, (_, fate)): &(&Id, &(usize, Option<Fate>))| fate.is_none();
        let left = self.0.iter().filter(is_left);
        let mut left = Self(left.map(|(id, _)| (*id, (0, None))).collect());
        let (mut done, mut is_stopped) = (0, false);
        let all = space.count();
        if !left.0.is_empty() {
            space.for_each_block(|numbers, block| {
                left.try_block(trial, block);
                done += numbers;
                is_stopped = !go_on(Phase::Space, done, all);
                !is_stopped && left.0.values().any(|(_, fate)| fate.is_none())
            });
        }
        let not_met = |left: &Self| left.0.values().any(|(met, _)| *met == 0);
        let (mut chains, mut done, all) = (chains(), 0, chains::count());
        while !is_stopped && not_met(&left) {
            let block: Vec<Source> = chains.by_ref().take(space::BLOCK).collect();
            if block.is_empty() {
                break;
            }
            left.try_block(trial, &block);
            done += block.len();
            is_stopped = !go_on(Phase::Chains, done, all);
        }
        if is_stopped {
            return None;
        }
        for (id, (programs, fate)) in left.0 {
            let known = fate.unwrap_or(match programs {
                0 => Fate::NotMet,
                _ => Fate::Equivalent { programs },
            });
            if let Some((_, fate)) = self.0.get_mut(&id) {
                *fate = Some(known);
            }
        }
        Some(())
    }

    /// Tries programs of a space on the mutants that are known, and finds no others.
    fn try_block(&mut self, trial: &Trial<'_>, block: &[Source]) {
        let tried = trial.chunk(block, self);
        for (program, tried) in block.iter().zip(tried) {
            let is_known = |(id, _): &Tried| self.0.contains_key(id);
            let known: Vec<Tried> = tried.into_iter().flatten().filter(is_known).collect();
            let fate = |text, how| Fate::Missed { text, how };
            self.note(known.into_iter(), &program.text, fate);
        }
    }

    fn told(self, trial: &Trial<'_>) -> Vec<Mutant> {
        let mutants = self.0.into_iter().map(|(id, (met, fate))| {
            let (part, says) = match id {
                Id::Packets(mistake) => (mistake.part(), mistake.says(trial.machine.profile)),
                Id::Rules(at) => (trial.edited[at].part, trial.edited[at].says.clone()),
            };
            Mutant {
                part,
                says,
                met,
                fate: fate.unwrap_or(Fate::NotMet),
            }
        });
        mutants.collect()
    }
}

/// A lowering on a machine, and its rule files with a mistake.
struct Trial<'a> {
    machine: Machine<'a>,
    edited: &'a [Edited],
}

impl Trial<'_> {
    /// What comes of some programs, side by side: of each, the mutants that it leaves room for; `None` if it does not count.
    fn chunk(&self, programs: &[Source], known: &Mutants) -> Vec<Option<Vec<Tried>>> {
        let programs = programs.par_iter();
        programs
            .map(|program| with_case(program, |case| self.program(case, known)))
            .collect()
    }

    fn program(&self, case: &Case<'_, '_>, known: &Mutants) -> Option<Vec<Tried>> {
        let Machine { profile, lowering } = self.machine;
        let program = lowered(lowering, case.timeline, profile).ok()?;
        let (check, faults) = case.packets(lowering, profile, &program);
        if !faults.is_empty() || !case.is_clean() {
            return None;
        }
        let original = Original {
            case,
            extra: check.extra.len(),
            program: &program,
        };
        let mut tried = Vec::new();
        for mistake in edit::room(case.timeline, profile, &program) {
            let id = Id::Packets(mistake);
            if known.is_open(id)
                && let Some(edited) = edit::with(mistake, case.timeline, &program)
            {
                tried.push((id, self.shown(&original, &edited, mistake.part())));
            }
        }
        for (at, edited) in self.edited.iter().enumerate() {
            let id = Id::Rules(at);
            let Some(program) = known
                .is_open(id)
                .then(|| lowered(&edited.lowering, case.timeline, profile).ok())
                .flatten()
            else {
                continue;
            };
            if packets_text(&program) != packets_text(original.program) {
                tried.push((id, self.shown(&original, &program, edited.part)));
            }
        }
        Some(tried)
    }

    /// What is wrong with the packets of a mutant, or, of one that can only do too much, what is more.
    fn shown(
        &self,
        original: &Original<'_, '_, '_>,
        edited: &Program,
        part: Part,
    ) -> Option<String> {
        let Machine { profile, lowering } = self.machine;
        let (check, faults) = original.case.packets(lowering, profile, edited);
        if let Some(fault) = faults.first() {
            return Some(fault.kind());
        }
        let may_widen = part.is_wider() || matches!(part, Part::Condition | Part::Order);
        if !may_widen {
            return None;
        }
        if check.extra.len() > original.extra {
            return Some("it does more than is asked".to_owned());
        }
        let paid = |program: &Program| {
            let trace = original.case.trace(program, profile, EVICTIONS[0]);
            Paid::new(program, &trace)
        };
        let (before, after) = (paid(original.program), paid(edited));
        if after.bytes > before.bytes {
            let more = after.bytes - before.bytes;
            return Some(format!("it flushes {more} bytes more"));
        }
        // What is flushed at a barrier need not be flushed when the scope ends: the same bytes, earlier.
        let more = after.makespan.0.checked_sub(before.makespan.0)?;
        (more > 0).then(|| format!("it takes {} longer", Ps(more)))
    }
}

/// A program with the packets that it should have.
struct Original<'c, 't, 's> {
    case: &'c Case<'t, 's>,
    /// Operations beyond what is asked.
    extra: usize,
    program: &'c Program,
}

#[cfg(all(test, feature = "corpus"))]
mod tests {
    use super::*;
    use crate::hardware::Profile;
    use crate::lower::PRECISE;
    use crate::pipeline::back;
    use crate::workbench::corpus;

    /// What packets leave room for changes them, and nothing else does.
    #[test]
    fn every_mistake_changes_its_program() {
        for text in [
            include_str!("../../hardware/profiles/rdna.toml"),
            include_str!("../../hardware/profiles/intel.toml"),
        ] {
            let profile = Profile::parse(text).expect("it is built in");
            let mut made: Vec<Mistake> = Vec::new();
            for source in corpus().iter().step_by(31) {
                with_case(source, |case| {
                    let program = back::lower(&PRECISE, case.timeline, &profile);
                    let room = edit::room(case.timeline, &profile, &program);
                    for mistake in &room {
                        let edited = edit::with(*mistake, case.timeline, &program);
                        let edited = edited.expect("there is room for it");
                        assert_ne!(
                            packets_text(&edited),
                            packets_text(&program),
                            "{}, {}\n{}",
                            profile.name,
                            mistake.says(&profile),
                            source.text
                        );
                    }
                    for other in made.iter().rev().take(20).filter(|it| !room.contains(it)) {
                        let says = other.says(&profile);
                        let edited = edit::with(*other, case.timeline, &program);
                        assert!(edited.is_none(), "{says}\n{}", source.text);
                    }
                    made.extend(
                        room.iter()
                            .filter(|it| !made.contains(it))
                            .take(4)
                            .collect::<Vec<_>>(),
                    );
                    Some(())
                });
            }
        }
    }
}
