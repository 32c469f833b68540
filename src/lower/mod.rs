//! From a timeline to a program: what a driver makes of commands and barriers on one machine. D3D12 ends here.
//!
//! A lowering decides what a barrier becomes; everything else — what a command costs, which bytes it touches, what the
//! begin and end of a scope flush — is common and made by `build.rs`. Submissions are lowered one after the other, each
//! to one block of the program, so that a lowering never needs the whole timeline at once.

mod build;
mod cost;
mod forgets_invalidate;
mod full_flush;
pub mod handover;
mod paths;
mod precise;

pub use forgets_invalidate::ForgetsInvalidate;
pub use full_flush::FullFlush;
pub use paths::{Needs, needs};
pub use precise::Precise;

use crate::hardware::Profile;
use crate::order::Timeline;
use crate::program::Program;
use build::BarrierContext;

/// Turns barriers into waits, flushes, invalidates and layout operations.
pub trait Lowering: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// What it does, in a line.
    fn summary(&self) -> &'static str;

    /// Whether it exists to show a mistake: laws about correct lowerings leave it out.
    fn is_wrong_on_purpose(&self) -> bool {
        false
    }

    /// Lowers one barrier entry into the block that is being built.
    fn barrier(&self, context: &mut BarrierContext<'_>);
}

impl dyn Lowering + '_ {
    /// Lowers a whole timeline.
    pub fn lower(&self, timeline: &Timeline<'_>, profile: &Profile) -> Program {
        build::program(timeline, profile, self)
    }
}

/// The lowering derived from the profile's paths, per barrier.
pub static PRECISE: Precise = Precise;
/// Idle and flush everything.
pub static FULL_FLUSH: FullFlush = FullFlush;
/// Like `precise` without invalidates: wrong on purpose.
pub static FORGETS_INVALIDATE: ForgetsInvalidate = ForgetsInvalidate;
