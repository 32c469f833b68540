//! Two lowerings on one corpus: on which programs they differ, which of these become wrong or right, and what is saved.
//!
//! Programs whose packets are the same need no judge. The others are judged with either lowering as `verify` does, and what
//! runs cost counts where both are right.
//!
//! Cost: two lowerings of each program and machine, and two judgements of each that differs.

use super::judge::{Case, Fault, Judging, lowered};
use super::packets::packets_text;
use super::paid::Paid;
use super::{GoOn, Machine, with_case};
use crate::finding::Source;
use crate::parallel::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What differs between two lowerings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// What the lowerings are called: the old one and the new one.
    pub lowerings: [String; 2],
    /// Programs that were tried: those of the corpus with a barrier that something executes.
    pub programs: usize,
    /// Of these, those without errors and hazards of their own.
    pub legal: usize,
    /// Programs that are not understood, have no timeline or execute no barrier.
    pub left_out: usize,
    /// Programs that were not tried, because it was stopped.
    pub untried: usize,
    /// The machines, in the order in which they were given.
    pub profiles: Vec<String>,
    /// Programs whose packets differ on a machine: in the order of the corpus, then of the machines.
    pub changes: Vec<Change>,
}

/// A program whose packets differ on a machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The program.
    pub program: String,
    /// The place of the machine among all.
    pub machine: usize,
    /// The program has no errors and hazards of its own.
    pub is_legal: bool,
    /// How the old lowering fails on it, and the new one.
    pub faults: [Vec<Fault>; 2],
    /// What it costs with the old lowering and with the new one, if both are right and the program is legal.
    pub paid: Option<[Paid; 2]>,
}

/// What became of a program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Became {
    /// The old lowering is right on it, the new one is wrong.
    Wrong,
    /// The old lowering is wrong on it, the new one is right.
    Right,
    /// Both are wrong.
    StillWrong,
    /// Both are right.
    StillRight,
}

impl Change {
    /// What became of the program.
    pub fn became(&self) -> Became {
        match self.faults.each_ref().map(Vec::is_empty) {
            [true, false] => Became::Wrong,
            [false, true] => Became::Right,
            [false, false] => Became::StillWrong,
            [true, true] => Became::StillRight,
        }
    }
}

impl Comparison {
    /// Whether the new lowering is wrong on a legal program on which the old one was right.
    pub fn has_newly_wrong(&self) -> bool {
        let mut legal = self.changes.iter().filter(|change| change.is_legal);
        legal.any(|change| change.became() == Became::Wrong)
    }
}

/// Compares the first lowering of each machine with the second, for as long as `go_on` says so.
pub fn compare(
    lowerings: [String; 2],
    machines: &[[Machine<'_>; 2]],
    programs: &[Source],
    go_on: &GoOn<'_>,
) -> Comparison {
    let done = AtomicUsize::new(0);
    let compared: Vec<Option<(bool, Vec<Change>)>> = programs
        .par_iter()
        .map(|program| {
            if !go_on(done.load(Ordering::Relaxed), programs.len()) {
                return None;
            }
            let compared = with_case(program, |case| {
                Some((case.is_clean(), changes(case, machines, &program.name)))
            });
            done.fetch_add(1, Ordering::Relaxed);
            compared
        })
        .collect();
    let done = done.into_inner();
    let tried = compared.iter().flatten();
    Comparison {
        lowerings,
        programs: tried.clone().count(),
        legal: tried.clone().filter(|(is_legal, _)| *is_legal).count(),
        left_out: done - tried.count(),
        untried: programs.len() - done,
        profiles: machines
            .iter()
            .map(|[m, _]| m.profile.name.clone())
            .collect(),
        changes: compared
            .into_iter()
            .flatten()
            .flat_map(|(_, changes)| changes)
            .collect(),
    }
}

/// What differs on one program.
fn changes(case: &Case<'_, '_>, machines: &[[Machine<'_>; 2]], program: &str) -> Vec<Change> {
    let numbered = machines.iter().enumerate();
    let differing = numbered.filter(|(_, pair)| {
        let [old, new] = pair.map(|m| {
            let lowered = lowered(m.lowering, case.timeline, m.profile);
            lowered.map(|program| packets_text(&program))
        });
        old != new
    });
    let change = |(machine, pair): (usize, &[Machine<'_>; 2])| {
        let [old, new] = pair.map(|m| case.outcome(m.lowering, m.profile, Judging::Runs));
        let paid = old.paid.zip(new.paid);
        Change {
            program: program.to_owned(),
            machine,
            is_legal: case.is_clean(),
            faults: [old.faults, new.faults],
            paid: paid.map(|((old, _), (new, _))| [old, new]),
        }
    };
    differing.map(change).collect()
}
