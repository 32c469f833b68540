//! What a change saves: an edited copy, run as the original was.

use super::OnMachine;
use crate::analyze::redundancy::{Measured, Saved};
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::lower::rules::{self, RuleLowering};
use crate::pipeline::trial::{Bench, Took};
use crate::pipeline::{LoweringSource, Options, Registry};
use crate::scenario::Scenario;

/// Events that the simulations of copies may process in one run.
const EVENTS_MAX: u64 = 1_000_000;

/// Simulates copies, as long as its budget lasts.
pub(super) struct Savings<'a> {
    profile: &'a Profile,
    lowering: &'static dyn Lowering,
    named_by: LoweringSource,
    registry: &'a Registry,
    options: &'a Options,
    base: Measured,
    events: u64,
    budget: u64,
    /// The original on every profile of the registry, once it was asked for.
    everywhere: Option<Vec<Elsewhere>>,
}

impl<'a> Savings<'a> {
    /// `share` divides the budget.
    pub(super) fn new(ran: OnMachine<'a>, share: u64) -> Self {
        Self {
            profile: ran.machine.profile,
            lowering: ran.machine.lowering,
            named_by: ran.machine.named_by,
            registry: ran.registry,
            options: ran.options,
            base: measured(Took::of(ran.trace)),
            events: ran.trace.totals.events.max(1),
            budget: EVENTS_MAX / share,
            everywhere: None,
        }
    }

    /// What a copy saves on the profile of the run; `None` beyond the budget.
    pub(super) fn saved(&mut self, copy: &Scenario) -> Option<Saved> {
        self.budget = self.budget.checked_sub(self.events)?;
        Some(Saved {
            profile: self.profile.name.clone(),
            with: self.base,
            without: self.measured_on(self.profile, self.lowering, copy)?,
        })
    }

    /// What a copy saves on each profile of the registry, the run's own first; `None` beyond the budget.
    pub(super) fn saved_everywhere(
        &mut self,
        original: &Scenario,
        copy: &Scenario,
    ) -> Option<Vec<Saved>> {
        let mut all = vec![self.saved(copy)?];
        if self.everywhere.is_none() {
            let others: Vec<(Profile, &'static dyn Lowering)> = self
                .registry
                .profiles
                .iter()
                .filter_map(|entry| self.registry.profile(entry.name).ok())
                .filter(|profile| profile.name != self.profile.name)
                .filter_map(|profile| {
                    let lowering = self.lowering_on(&profile)?;
                    Some((profile, lowering))
                })
                .collect();
            self.budget = self.budget.checked_sub(self.events * others.len() as u64)?;
            let run = others.into_iter().filter_map(|(profile, lowering)| {
                Some(Elsewhere {
                    base: self.measured_on(&profile, lowering, original)?,
                    profile,
                    lowering,
                })
            });
            self.everywhere = Some(run.collect());
        }
        let others = self.everywhere.as_ref().expect("just made");
        self.budget = self.budget.checked_sub(self.events * others.len() as u64)?;
        for elsewhere in others {
            all.push(Saved {
                profile: elsewhere.profile.name.clone(),
                with: elsewhere.base,
                without: self.measured_on(&elsewhere.profile, elsewhere.lowering, copy)?,
            });
        }
        Some(all)
    }

    fn measured_on(
        &self,
        profile: &Profile,
        lowering: &dyn Lowering,
        scenario: &Scenario,
    ) -> Option<Measured> {
        Bench::new(profile, lowering, self.options)
            .run(scenario)
            .map(measured)
    }

    /// The lowering on another profile: the run's own if somebody asked for it, else what a run there would take.
    fn lowering_on(&self, profile: &Profile) -> Option<&'static dyn Lowering> {
        match self.named_by {
            LoweringSource::Options | LoweringSource::Scenario => {
                // A rule file may name what another profile does not have.
                let fits = |rules: &RuleLowering| {
                    let wrong = rules::check(rules.file(), profile);
                    !wrong.iter().any(|f| f.severity.fails())
                };
                self.lowering
                    .rules()
                    .is_none_or(fits)
                    .then_some(self.lowering)
            }
            LoweringSource::Profile | LoweringSource::Registry => {
                let own = self.registry.own_lowering(profile).ok()?;
                Some(own.0)
            }
        }
    }
}

/// Another profile with its lowering, and the original there.
struct Elsewhere {
    profile: Profile,
    lowering: &'static dyn Lowering,
    base: Measured,
}

fn measured(took: Took) -> Measured {
    Measured {
        makespan: took.makespan,
        exposed: took.exposed,
    }
}
