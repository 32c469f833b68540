//! Trials: an edited copy of a scenario is run as the scenario itself was, with the same options (reading R74).

use super::Options;
use super::back;
use super::front::{self, Prepared};
use crate::graph::Evaluation;
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::order::Timeline;
use crate::program::Program;
use crate::scenario::Scenario;
use crate::sim;
use crate::time::Ps;
use crate::trace::Trace;

/// A machine on which copies are run.
#[derive(Copy, Clone)]
pub(crate) struct Bench<'a> {
    profile: &'a Profile,
    lowering: &'a dyn Lowering,
    eviction: sim::Eviction,
}

/// What a run took, and what it showed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Took {
    /// From the first submission to the end of the last work.
    pub(crate) makespan: Ps,
    /// Time in which nothing ran because of barriers.
    pub(crate) exposed: Ps,
    /// Reads that went wrong.
    pub(crate) bad_reads: u64,
}

impl Took {
    /// What a trace says.
    pub(crate) fn of(trace: &Trace) -> Self {
        Self {
            makespan: trace.makespan,
            exposed: trace.exposed,
            bad_reads: trace.totals.bad_reads,
        }
    }
}

impl<'a> Bench<'a> {
    /// A machine with the options of a run.
    pub(crate) fn new(profile: &'a Profile, lowering: &'a dyn Lowering, options: &Options) -> Self {
        Self {
            profile,
            lowering,
            eviction: options.eviction,
        }
    }

    /// What a scenario with changes made takes; `None` if the machine's clock does not reach its end.
    pub(crate) fn run(self, copy: &Scenario) -> Option<Took> {
        self.took(&Prepared::edited(copy).timeline())
    }

    /// What a timeline takes; `None` if the machine's clock does not reach its end.
    pub(crate) fn took(self, timeline: &Timeline<'_>) -> Option<Took> {
        let trace = self.trace(timeline, sim::SimOptions::TOTALS);
        (!trace.is_cut).then(|| Took::of(&trace))
    }

    /// The run of a timeline, of which so much is recorded.
    pub(crate) fn trace(self, timeline: &Timeline<'_>, recorded: sim::SimOptions) -> Trace {
        let asked = front::needed_and_asked(timeline);
        self.simulate(timeline, &asked, &self.lower(timeline), recorded)
    }

    /// The packets of a timeline.
    pub(crate) fn lower(self, timeline: &Timeline<'_>) -> Program {
        back::lower(self.lowering, timeline, self.profile)
    }

    /// What the machine does with the packets of a timeline, of which so much is recorded.
    pub(crate) fn simulate(
        self,
        timeline: &Timeline<'_>,
        asked: &Evaluation,
        program: &Program,
        recorded: sim::SimOptions,
    ) -> Trace {
        let options = sim::SimOptions {
            eviction: self.eviction,
            ..recorded
        };
        back::simulate(timeline, asked, program, self.profile, &options)
    }
}
