//! The back of the pipeline: from a timeline to what a lowering ensures and what the machine is paid.
//!
//! ```text
//! Timeline ─lower→ Program ─┬─ensure→ Shortfalls
//!             ▲             └─sim→ Trace
//!          Profile
//! ```
//! Every timeline that is lowered and simulated, an edited copy's too (`trial.rs`), goes through here (and `streamed.rs`), so
//! that all runs of one command have the same options, are watched for the same hazards, and count wrong reads alike.

use super::clock::Clock;
use super::{LoweringSource, Options, streamed};
use crate::analyze::lowering::{NeededPairs, Owed, Tally};
use crate::analyze::{hazards, stalls};
use crate::finding::Finding;
use crate::graph::Evaluation;
use crate::hardware::Profile;
use crate::id::SubmissionId;
use crate::lower::Lowering;
use crate::order::Timeline;
use crate::program::Program;
use crate::sim;
use crate::trace::Trace;

/// A machine and the driver that lowers for it.
#[derive(Copy, Clone)]
pub(crate) struct Machine<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) lowering: &'static dyn Lowering,
    pub(crate) named_by: LoweringSource,
}

/// The packets of a timeline.
pub(crate) fn lower(
    lowering: &dyn Lowering,
    timeline: &Timeline<'_>,
    profile: &Profile,
) -> Program {
    lowering.lower(timeline, profile)
}

/// The same with what is wrong with what a driver outside this program answered.
pub(crate) fn lower_telling(
    lowering: &dyn Lowering,
    timeline: &Timeline<'_>,
    profile: &Profile,
) -> (Program, Vec<Finding>) {
    lowering.lower_telling(timeline, profile)
}

/// What a machine does with the packets of a timeline, watched for what is needed and not asked; which reads are wrong is
/// settled.
pub(crate) fn simulate(
    timeline: &Timeline<'_>,
    asked: &Evaluation,
    program: &Program,
    profile: &Profile,
    options: &sim::SimOptions,
) -> Trace {
    let watch = hazards::watch(timeline, asked);
    let mut trace = sim::simulate_watching(program, profile, options, &watch);
    hazards::settle(timeline, asked, &mut trace);
    trace
}

/// What the rules of legality find. The machine does not need it: it is read next to what does.
pub(crate) struct Legality<L> {
    pub(crate) read: L,
    /// Number of commands in the text's lists.
    pub(crate) commands: u64,
}

impl<L: FnOnce() -> Vec<Finding> + Send> Legality<L> {
    /// Reads it while other phases go on. It is noted as the phase `at`.
    pub(crate) fn beside<T: Send>(
        self,
        at: usize,
        clock: &mut Clock,
        others: impl FnOnce(&mut Clock) -> T + Send,
    ) -> (Vec<Finding>, T) {
        clock.beside((at, "validate"), self.read, |_| self.commands, others)
    }
}

/// What is read of a timeline without a machine, each when its turn comes.
pub(crate) struct Readings<J, L> {
    /// What is needed and asked.
    pub(crate) judge: J,
    pub(crate) legality: Legality<L>,
}

/// What came of a timeline on a machine.
pub(crate) struct Ran {
    /// The operations; empty if the run was streamed, because nothing of the report refers to them then.
    pub(crate) program: Program,
    /// What the lowering does not ensure although it was asked.
    pub(crate) ensured: Tally,
    /// What the machine did, and what that took.
    pub(crate) paid: Trace,
}

/// Reads a timeline, lowers it, checks what that ensures, and simulates it. A run whose report has no row for one command or
/// barrier is streamed, submission by submission, unless there is a reset: what a reset drops must be known before.
pub(crate) fn ran(
    timeline: &Timeline<'_>,
    readings: Readings<
        impl FnOnce(&mut Clock) -> Evaluation + Send,
        impl FnOnce() -> Vec<Finding> + Send,
    >,
    machine: Machine<'_>,
    options: &Options,
    clock: &mut Clock,
) -> (Vec<Finding>, Evaluation, Ran) {
    let rows = options.wants_rows();
    let simulated = sim::SimOptions {
        eviction: options.eviction,
        spans: rows,
        rows,
        causes: false,
        eager: false,
    };
    if !rows && timeline.resets.is_empty() {
        let (illegal, asked, ensured, paid) =
            streamed::run(timeline, machine, &simulated, readings, clock);
        let ran = Ran {
            program: Program::default(),
            ensured,
            paid,
        };
        return (illegal, asked, ran);
    }
    let Readings { judge, legality } = readings;
    let (illegal, (asked, ran)) = legality.beside(clock.place(), clock, |clock| {
        let asked = judge(clock);
        let ran = at_once(timeline, &asked, machine, simulated, clock);
        (asked, ran)
    });
    (illegal, asked, ran)
}

/// The same for a run with rows, phase by phase.
fn at_once(
    timeline: &Timeline<'_>,
    asked: &Evaluation,
    machine: Machine<'_>,
    simulated: sim::SimOptions,
    clock: &mut Clock,
) -> Ran {
    let lowered = lower(machine.lowering, timeline, machine.profile);
    let mut program = clock.note("lower", lowered, |p| u64::from(p.ops));
    let needed = NeededPairs::new(timeline);
    let (mut ensured, mut owed) = (Tally::default(), Owed::default());
    for (index, block) in program.blocks.iter_mut().enumerate() {
        let id = SubmissionId::new(index);
        let found = needed.check_block(machine.profile, (id, block), &mut owed);
        block.counted = ensured.take(timeline, &found);
    }
    clock.lap("ensure", ensured.checked);
    let simulated = sim::SimOptions {
        causes: simulated.rows && program.ops <= stalls::CAUSES_MAX,
        ..simulated
    };
    let paid = simulate(timeline, asked, &program, machine.profile, &simulated);
    let paid = clock.note("simulate", paid, |trace| trace.totals.events);
    Ran {
        program,
        ensured,
        paid,
    }
}
