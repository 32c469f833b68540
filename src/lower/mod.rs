//! Lowerings: from a timeline to the packets of one machine. D3D12 ends here.
//!
//! A lowering decides which waits, cache operations and layout operations a barrier becomes. What a command itself is
//! (its stages, costs and paths) and what an `ExecuteCommandLists` scope starts and ends with is the same for all of them
//! and is in `session`; so a new lowering is one file with a [`Policy`], and one line in the catalog or, from another
//! crate, in a [`Registry`](crate::run::Registry).
//!
//! A session lowers one submission at a time in evaluation order and keeps little between them (the layouts), so that a
//! program can also be streamed: [`Lowering::stream`].

mod derive;
mod derived_steps;
mod forgets_invalidate;
mod full_flush;
pub mod handover;
mod lazy;
mod nvidia_like;
mod passes;
mod policy;
mod precise;
mod session;
mod stream;
mod surfaces;
mod whole;
mod work;

pub use derive::{Needed, needed_ops};
pub use forgets_invalidate::{FORGETS_INVALIDATE, ForgetsInvalidate};
pub use full_flush::{FULL_FLUSH, FullFlush};
pub use lazy::{LAZY, Lazy};
pub use nvidia_like::{NVIDIA_LIKE, NvidiaLike};
pub use policy::{Entry, MetadataSides, Policy};
pub use precise::{PRECISE, Precise};
pub use session::{Session, SinceLastWait};
pub use stream::Stream;
pub use whole::setting;

use crate::hardware::Profile;
use crate::order::Timeline;
use crate::program::Program;
use policy::{Draft, StepDraft};

/// A way to lower barriers.
pub trait Lowering: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// What it does, in a line.
    fn summary(&self) -> &'static str;

    /// Whether it exists to show a mistake: laws about correct lowerings leave it out.
    fn is_wrong_on_purpose(&self) -> bool {
        false
    }

    /// What it decides.
    fn policy(&self) -> &dyn Policy;

    /// Lowers a whole timeline.
    fn lower(&self, timeline: &Timeline<'_>, profile: &Profile) -> Program {
        whole::lower(self.policy(), timeline, profile)
    }

    /// Lowers a timeline submission by submission, as the machine comes to them.
    fn stream<'t, 's>(
        &'t self,
        timeline: &'t Timeline<'s>,
        profile: &'t Profile,
    ) -> Stream<'t, 's> {
        Stream::new(self.policy(), timeline, profile)
    }
}
