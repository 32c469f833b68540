//! What packets do, as a text: two lowerings do the same for a program if these are the same.

use crate::program::{Block, HwOpKind, Program, StepKind};
use std::fmt::Write as _;

/// What packets of barriers say but for their reasons, to be compared.
pub(super) fn packets_text(program: &Program) -> String {
    let mut text = String::new();
    for block in &program.blocks {
        for op in &block.ops {
            let HwOpKind::Barrier(barrier) = &op.kind else {
                continue;
            };
            let follows = barrier.after.of(&block.after);
            let stages = (barrier.wait, barrier.hold, barrier.after_all, follows);
            let _ = write!(text, "{:?} {stages:?}", op.origin);
            for step in barrier.steps.of(&block.steps) {
                step_text(block, &step.kind, &mut text);
            }
            text.push('\n');
        }
    }
    text
}

/// A step with its bytes, not with the places of these in its block.
fn step_text(block: &Block, kind: &StepKind, text: &mut String) {
    let _ = match kind {
        StepKind::Clean { cache, reach } => {
            write!(text, " clean {cache:?} {:?}", block.reach(*reach))
        }
        StepKind::Invalidate { cache, reach } => {
            write!(text, " invalidate {cache:?} {:?}", block.reach(*reach))
        }
        StepKind::Layout { op, extents, .. } => {
            write!(text, " layout {op:?} {:?}", extents.of(&block.extents))
        }
        StepKind::TileLoad { .. } => write!(text, " load"),
        StepKind::TileStore { .. } => write!(text, " store"),
        StepKind::FrontEnd => write!(text, " front-end"),
        StepKind::EngineSwitch => write!(text, " switch"),
        StepKind::Driver { op, takes } => write!(text, " {op} {takes:?}"),
    };
}
