//! Whether a driver outside this program remembers: some programs are asked before all others and again after them, in the
//! other order.
//!
//! Cost: two answers for each of at most [`ASKED_AGAIN`] programs and machine; nothing for a lowering of this program, which
//! cannot remember.

use super::judge::lowered;
use super::packets::packets_text;
use super::{Machine, Unsteady, with_case};
use crate::finding::Source;
use crate::parallel::prelude::*;

/// Programs that are asked again.
const ASKED_AGAIN: usize = 16;

/// What was answered before.
pub(super) struct Sample<'a> {
    machines: &'a [Machine<'a>],
    /// Programs, each with its packets by machine.
    before: Vec<(&'a Source, Vec<String>)>,
}

impl<'a> Sample<'a> {
    pub(super) fn of(machines: &'a [Machine<'a>], programs: &'a [Source]) -> Self {
        let is_driven = machines.iter().any(|machine| machine.lowering.is_driven());
        let step = programs.len().div_ceil(ASKED_AGAIN).max(1);
        let asked = programs.iter().step_by(step).filter(|_| is_driven);
        let before = asked.map(|program| (program, packets(machines, program)));
        Self {
            machines,
            before: before.collect(),
        }
    }

    /// What is answered otherwise now. A driver that is given up answers nothing any more.
    pub(super) fn differing(&self) -> Option<Unsteady> {
        let mut machines = self.machines.iter();
        if machines.any(|machine| machine.lowering.given_up().is_some()) {
            return None;
        }
        // By threads that have asked others since.
        let differing: Vec<(usize, usize)> = (0..self.before.len())
            .into_par_iter()
            .rev()
            .flat_map_iter(|at| {
                let (program, before) = &self.before[at];
                let now = packets(self.machines, program);
                let differing = before.iter().zip(now).enumerate();
                let differing = differing.filter(|(_, (before, now))| *before != now);
                let differing = differing.map(move |(machine, _)| (at, machine));
                differing.collect::<Vec<_>>()
            })
            .collect();
        let (program, machine) = differing.iter().min()?;
        Some(Unsteady {
            program: self.before[*program].0.name.clone(),
            profile: self.machines[*machine].profile.name.clone(),
            count: differing.len(),
            asked: self.before.iter().map(|(_, on)| on.len()).sum(),
        })
    }
}

/// The packets of a program by machine; none of one that nothing can run.
fn packets(machines: &[Machine<'_>], program: &Source) -> Vec<String> {
    let all = with_case(program, |case| {
        let machines = machines.iter();
        let texts = machines.map(|machine| {
            let lowered = lowered(machine.lowering, case.timeline, machine.profile);
            lowered.map_or_else(|message| message, |program| packets_text(&program))
        });
        Some(texts.collect())
    });
    all.unwrap_or_default()
}
