//! The counterexamples of a verification: what is shown of each kind of fault, made as small as it can be.

use super::judge::Fault;
use super::{Counterexample, Judged, Machine, Witness, shrink};
use crate::finding::Source;
use crate::parallel::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Different faults of which a counterexample is made.
const COUNTEREXAMPLES_MAX: usize = 8;
/// Programs that are shrunk, of those that fail in one way.
const SHRUNK_MAX: usize = 4;
/// Programs that are tried for one in which a read goes wrong.
const WITNESSES_TRIED: usize = 32;

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
pub(super) fn counterexamples(
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
