//! The back of the pipeline: from a timeline to what a lowering ensures and what the machine is paid.
//!
//! ```text
//! Timeline ─lower→ Program ─┬─ensure→ Shortfalls
//!             ▲             └─sim→ Trace
//!          Profile
//! ```

use super::clock::Clock;
use super::{LoweringSource, Options, streamed};
use crate::analyze::lowering::Tally;
use crate::analyze::{attribution, hazards, stalls};
use crate::ensure::{self, Shortfalls};
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
pub(super) struct Machine<'a> {
    pub(super) profile: &'a Profile,
    pub(super) lowering: &'static dyn Lowering,
    pub(super) named_by: LoweringSource,
}

/// What came of a timeline on a machine.
pub(super) struct Ran {
    /// The operations; empty if the run was streamed, because nothing of the report refers to them then.
    pub(super) program: Program,
    /// What the lowering does not ensure although it was asked.
    pub(super) ensured: Tally,
    /// What the machine did, and what that took.
    pub(super) paid: Trace,
}

/// Lowers a timeline, checks what that ensures, and simulates it; `judge` finds out what is needed and asked. A run whose
/// report has no row for one command or barrier is streamed, submission by submission, unless there is a reset: what a
/// reset drops must be known before.
pub(super) fn ran(
    timeline: &Timeline<'_>,
    judge: impl FnOnce(&mut Clock) -> Evaluation,
    machine: Machine<'_>,
    options: &Options,
    clock: &mut Clock,
) -> (Evaluation, Ran) {
    let Machine {
        profile, lowering, ..
    } = machine;
    let rows = options.wants_rows();
    let simulated = sim::SimOptions {
        eviction: options.eviction,
        spans: rows,
        rows,
        causes: false,
        eager: false,
    };
    if !rows && timeline.resets.is_empty() {
        let (asked, ensured, paid) = streamed::run(timeline, machine, &simulated, judge, clock);
        let ran = Ran {
            program: Program::default(),
            ensured,
            paid,
        };
        return (asked, ran);
    }
    let asked = judge(clock);
    let mut program = clock.note("lower", lowering.lower(timeline, profile), |p| {
        u64::from(p.ops)
    });
    let mut ensured = Tally::default();
    for (index, block) in program.blocks.iter_mut().enumerate() {
        let mut found = Shortfalls::default();
        let id = SubmissionId::new(index);
        ensure::check_block(timeline, profile, id, block, &mut found);
        block.counted = ensured.take(timeline, &found);
    }
    clock.lap("ensure", ensured.checked);
    let simulated = sim::SimOptions {
        causes: rows && program.ops <= stalls::CAUSES_MAX,
        ..simulated
    };
    let watch = hazards::watch(timeline, &asked);
    let mut paid = clock.note(
        "simulate",
        sim::simulate_watching(&program, profile, &simulated, &watch),
        |trace| trace.totals.events,
    );
    attribution::acquit(timeline, &asked, &mut paid);
    let ran = Ran {
        program,
        ensured,
        paid,
    };
    (asked, ran)
}
