//! What a run costs: waits, operations, bytes, time.

use crate::api::LeafSet;
use crate::program::{self, BarrierRole, HwOpKind, StepKind};
use crate::time::Ps;
use crate::trace::Trace;
use serde::Serialize;

/// What runs paid for barriers.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PaidRow"))]
#[non_exhaustive]
pub struct Paid {
    /// Packets that waited.
    pub waits: u64,
    /// Of these, packets that no barrier made.
    #[serde(rename = "waits_of_no_barrier")]
    pub unasked_waits: u64,
    /// Cache and layout operations.
    pub operations: u64,
    /// Of these, operations of packets that no barrier made.
    #[serde(rename = "operations_of_no_barrier")]
    pub unasked_operations: u64,
    /// Bytes that were written back.
    pub bytes: u64,
    /// The sum of the makespans.
    #[serde(rename = "makespan_ps")]
    pub makespan: Ps,
}

impl Paid {
    /// Adds what other runs cost.
    pub fn add(&mut self, other: &Self) {
        self.waits += other.waits;
        self.unasked_waits += other.unasked_waits;
        self.operations += other.operations;
        self.unasked_operations += other.unasked_operations;
        self.bytes += other.bytes;
        self.makespan = Ps(self.makespan.0.saturating_add(other.makespan.0));
    }

    pub(super) fn new(program: &program::Program, trace: &Trace) -> Self {
        let mut paid = Self {
            bytes: trace.totals.cleaned_bytes + trace.totals.invalidated_bytes,
            makespan: trace.makespan,
            ..Self::default()
        };
        for block in &program.blocks {
            for op in &block.ops {
                let HwOpKind::Barrier(barrier) = &op.kind else {
                    continue;
                };
                // What scopes begin and end with is the same for every lowering, unless its own packets do that.
                let is_unasked = barrier.role == BarrierRole::Unasked;
                if op.origin.entry.is_none() && !is_unasked {
                    continue;
                }
                let waits = u64::from(barrier.wait != LeafSet::EMPTY);
                let steps = barrier.steps.of(&block.steps).iter();
                let is_own = |kind: &StepKind| {
                    !matches!(kind, StepKind::TileLoad { .. } | StepKind::TileStore { .. })
                };
                let operations = steps.filter(|s| is_own(&s.kind)).count() as u64;
                paid.waits += waits;
                paid.operations += operations;
                if is_unasked {
                    paid.unasked_waits += waits;
                    paid.unasked_operations += operations;
                }
            }
        }
        paid
    }
}
