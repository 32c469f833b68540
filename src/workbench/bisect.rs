//! What makes a scene misbehave: the barriers that it depends on, and the smallest scene that still does.
//!
//! A scene misbehaves if a read does not see what it should, with some way in which caches drop lines by themselves, or if
//! its packets lack what two uses need. Which barrier that depends on is found by changing one entry at a time: at its
//! widest it asks for everything, and without it nothing is asked. Both take a try for each entry.

use super::{Counterexample, Judging, Machine, Which, is_clean, judged, shrink, understood};
use crate::api::{BarrierAccess, BarrierSync};
use crate::finding::Source;
use crate::scenario::edit::{self, EntryId, Next};
use crate::scenario::{self, Scenario};
use serde::Serialize;

/// Entries that are tried.
const ENTRIES_MAX: usize = 512;

/// What makes a scene misbehave.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "BisectionDocument")
)]
#[non_exhaustive]
pub struct Bisection {
    /// The scene, as it was named.
    #[serde(rename = "scenario")]
    pub program: String,
    /// Hardware profile.
    pub profile: String,
    /// The lowering.
    pub lowering: String,
    /// What goes wrong.
    pub fault: String,
    /// Barriers that decide by themselves whether it goes wrong.
    pub culprits: Vec<Culprit>,
    /// Later barriers that were not tried.
    pub untried: usize,
    /// What was taken away, in order.
    pub steps: Vec<Reduction>,
    /// What is left.
    pub smallest: Counterexample,
}

/// A barrier that decides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CulpritRow"))]
#[non_exhaustive]
pub struct Culprit {
    /// Line of its text.
    pub line: u32,
    /// What helps: `widen` it or `remove` it.
    #[cfg_attr(test, schemars(with = "String"))]
    pub helps: Help,
}

/// What keeps a scene from misbehaving.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Help {
    /// To make the entry as wide as it can be: it asks for too little, or its lowering does too little for what it asks.
    Widen,
    /// To remove the entry: what it becomes does harm, or lacks what it asks for.
    Remove,
}

/// A part that was taken away.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StepRow"))]
#[non_exhaustive]
pub struct Reduction {
    /// Which kind of part.
    #[serde(rename = "taken_away")]
    pub what: &'static str,
    /// Commands that are left, barriers among them.
    pub commands: usize,
}

/// A function that is told how far a bisection is.
pub type Watch<'w> = dyn Fn(Stage) + 'w;

/// How far a bisection is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Barrier entries that were changed, and how many there are.
    Barriers(usize, usize),
    /// Smaller scenes that were tried, and how many are tried at most.
    Scenes(usize, usize),
}

/// Finds out what makes a scene misbehave; `None` if it does not. `watch` is told how far it is. A driver that may remember is
/// asked each scene by itself.
pub fn bisect(machine: Machine<'_>, program: &Source, watch: &Watch<'_>) -> Option<Bisection> {
    let machine = Machine {
        lowering: machine.lowering.alone().unwrap_or(machine.lowering),
        ..machine
    };
    let faults = |program: &Source| -> Vec<String> {
        let judged = judged(program, &[machine], Judging::Always, Which::All);
        let outcomes = judged.into_iter().flat_map(|judged| judged.on);
        let faults = outcomes.flat_map(|outcome| outcome.faults);
        faults.map(|fault| fault.kind()).collect()
    };
    let fault = faults(program).into_iter().next()?;
    let was_clean = is_clean(program);
    // How well an edit helps: not at all, or with luck (an old line happens to be gone), or because nothing is wrong then.
    let helped = |scenario: &Scenario| {
        let edited = Source::new("bisect.scn", scenario::print(scenario));
        if faults(&edited).contains(&fault) {
            None
        } else {
            Some(was_clean || is_clean(&edited))
        }
    };
    let parsed = understood(program)?;
    let entries: Vec<EntryId> = edit::entries(&parsed.scenario).collect();
    let mut culprits: Vec<(bool, Culprit)> = Vec::new();
    let tried = entries.len().min(ENTRIES_MAX);
    for (done, entry) in entries.iter().take(ENTRIES_MAX).enumerate() {
        watch(Stage::Barriers(done, tried));
        let start = entry.span(&parsed.scenario).unwrap_or_default().start;
        let line = program.line(start);
        let mut wide = parsed.scenario.clone();
        let widened = widen(*entry, &mut wide).then(|| helped(&wide)).flatten();
        let without = edit::without(&parsed.scenario, &[*entry], Next::Relinked);
        let without = edit::pruned(without, &parsed.scenario);
        let (is_sure, helps) = match (widened, helped(&without)) {
            (Some(is_sure), _) => (is_sure, Help::Widen),
            // Without the barrier its readers are not ordered: that is not what is asked here.
            (None, Some(_)) => (was_clean, Help::Remove),
            (None, None) => continue,
        };
        culprits.push((is_sure, Culprit { line, helps }));
    }
    if culprits.iter().any(|(is_sure, _)| *is_sure) {
        culprits.retain(|(is_sure, _)| *is_sure);
    }
    let culprits = culprits.into_iter().map(|(_, culprit)| culprit).collect();
    let (mut smallest, steps) = shrink::steps(machine, program, &fault, watch)?;
    smallest.profiles = vec![machine.profile.name.clone()];
    Some(Bisection {
        program: program.name.clone(),
        profile: machine.profile.name.clone(),
        lowering: machine.lowering.name().to_owned(),
        fault,
        culprits,
        untried: entries.len().saturating_sub(ENTRIES_MAX),
        steps,
        smallest,
    })
}

/// Makes an entry as wide as it can be. Whether that is another.
fn widen(entry: EntryId, scenario: &mut Scenario) -> bool {
    let Some(barrier) = entry.of_mut(scenario).filter(|b| !edit::is_split(b)) else {
        return false;
    };
    let before = barrier.clone();
    barrier.sync_before = BarrierSync::ALL;
    barrier.sync_after = BarrierSync::ALL;
    if !barrier.discards() {
        barrier.access_before = BarrierAccess::COMMON;
    }
    barrier.access_after = BarrierAccess::COMMON;
    *barrier != before
}
