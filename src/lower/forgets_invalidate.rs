//! `forgets_invalidate`: like `precise`, but no barrier drops old lines from a reader's caches. Wrong on purpose: it
//! shows what the bug looks like in a report, and that it shows only where a cache happens to hold an old line.

use super::build::BarrierContext;
use super::{Lowering, PRECISE};
use crate::program::StepKind;

/// Waits and writes back as the profile calls for, and drops nothing.
pub struct ForgetsInvalidate;

impl Lowering for ForgetsInvalidate {
    fn name(&self) -> &'static str {
        "forgets_invalidate"
    }

    fn summary(&self) -> &'static str {
        "wrong on purpose, for teaching: like precise, but readers keep what their caches held before"
    }

    fn is_wrong_on_purpose(&self) -> bool {
        true
    }

    fn barrier(&self, context: &mut BarrierContext<'_>) {
        PRECISE.barrier(context);
        context.keep_steps(|step| !matches!(step, StepKind::Invalidate { .. }));
    }
}
