//! Lowerings: from a timeline to the packets of one machine. D3D12 ends here.
//!
//! A lowering decides which waits, cache operations and layout operations a barrier becomes. What a command itself is
//! (its stages, costs and paths) and what an `ExecuteCommandLists` scope starts and ends with is the same for all of them
//! and is in `session`; so a new lowering is one file with a [`Policy`] and the prose of its page, and one line in the catalog
//! or, from another crate, in a [`Registry`](crate::run::Registry).
//!
//! A session lowers one submission at a time in evaluation order and keeps little between them (the layouts), so that a
//! program can also be streamed: [`Lowering::stream`].
//!
//! # A lowering of one's own
//!
//! Most lowerings are "precise, but …": take the [draft](Precise::draft) of [`PRECISE`], change it, emit it. One from
//! nothing starts with [`Entry::draft`] and adds steps. Times are integer picoseconds; nothing here fails: whether the
//! packets do what was asked is for [`ensure::check`](crate::ensure::check) to say.
//!
//! ```
//! use syncscope::finding::Source;
//! use syncscope::lower::{Entry, Lowering, PRECISE, Policy, Session, StepDraft};
//! use syncscope::order::Timeline;
//! use syncscope::{catalog, ensure, scenario};
//!
//! /// Like `precise`, but drops whole caches.
//! struct WholeCaches;
//!
//! impl Lowering for WholeCaches {
//!     fn name(&self) -> &'static str { "whole_caches" }
//!     fn summary(&self) -> &'static str { "like precise, but drops whole caches" }
//!     fn policy(&self) -> &dyn Policy { self }
//! }
//!
//! impl Policy for WholeCaches {
//!     fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
//!         let mut draft = PRECISE.draft(session, entry);
//!         for step in &mut draft.steps {
//!             if let StepDraft::Invalidate { everything, .. } = step {
//!                 *everything = true;
//!             }
//!         }
//!         session.barrier(entry, &draft);
//!     }
//! }
//!
//! let text = "queue q : direct\nbuffer b : 4KiB { flags UNORDERED_ACCESS }\ntimeline { q execute {\n  \
//!     dispatch 1x1x1 { UNORDERED_ACCESS b }\n  \
//!     barrier { buffer b { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }\n  \
//!     draw { SHADER_RESOURCE b @ PIXEL_SHADING }\n} }\n";
//! let (scenario, findings) = scenario::parse(&Source::new("mine.scn", text));
//! assert!(findings.is_empty());
//! let timeline = Timeline::new(&scenario);
//! let profile = catalog::registry().profile("rdna").expect("it is built in");
//! let program = WholeCaches.lower(&timeline, &profile);
//! assert!(ensure::check(&timeline, &profile, &program).missing.is_empty());
//! ```

/// Declares a lowering: its doc comment is the prose of its page. One that is `wrong` is so on purpose. Its policy is its own.
macro_rules! lowering {
    ($(#[doc = $line:literal])+ wrong $vis:vis $lowering:ident = $name:literal, $summary:literal;) => {
        $crate::lower::lowering! { @ true, [$vis], [$($line)+], $lowering, $name, $summary }
    };
    ($(#[doc = $line:literal])+ $vis:vis $lowering:ident = $name:literal, $summary:literal;) => {
        $crate::lower::lowering! { @ false, [$vis], [$($line)+], $lowering, $name, $summary }
    };
    (@ $wrong:literal, [$vis:vis], [$($line:literal)+], $lowering:ident, $name:literal, $summary:literal) => {
        $(#[doc = $line])+
        #[derive(Debug)]
        $vis struct $lowering;

        impl $crate::lower::Lowering for $lowering {
            fn name(&self) -> &'static str {
                $name
            }

            fn summary(&self) -> &'static str {
                $summary
            }

            fn is_wrong_on_purpose(&self) -> bool {
                $wrong
            }

            fn prose(&self) -> &'static str {
                // As with rules, the book around a browser's module has the pages.
                if cfg!(target_family = "wasm") { "" } else { concat!($($line, "\n"),+) }
            }

            fn policy(&self) -> &dyn $crate::lower::Policy {
                self
            }
        }
    };
}

use lowering;

mod derive;
mod derived_steps;
mod forgets_invalidate;
mod full_flush;
pub(crate) mod handover;
mod intel_like;
mod lazy;
mod legacy_driver;
mod museum;
mod nvidia_like;
mod passes;
mod policy;
mod precise;
mod rdna_like;
pub mod recorded;
pub mod rules;
mod session;
mod stream;
mod surfaces;
mod tiler_like;
mod tracked;
mod whole;
mod work;

pub use derive::{Needed, needed_ops};
pub use forgets_invalidate::{FORGETS_INVALIDATE, ForgetsInvalidate};
pub use full_flush::{FULL_FLUSH, FullFlush};
pub use intel_like::{INTEL_LIKE, IntelLike};
pub use lazy::{LAZY, Lazy};
pub use legacy_driver::{LEGACY_DRIVER, LegacyDriver};
pub use museum::MUSEUM;
pub use nvidia_like::{NVIDIA_LIKE, NvidiaLike};
pub use policy::{Draft, Entry, LayoutDraft, MetadataSides, Policy, ScopeDraft, StepDraft};
pub use precise::{PRECISE, Precise};
pub use rdna_like::{RDNA_LIKE, RdnaLike};
pub use recorded::Recorded;
pub use session::{Done, Session, SinceLastWait};
pub use stream::{Lowered, Stream};
pub use tiler_like::{TILER_LIKE, TilerLike};
pub use tracked::{TRACKED, Tracked};
pub use whole::setting;

use crate::finding::Finding;
use crate::hardware::Profile;
use crate::order::Timeline;
use crate::program::Program;

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

    /// The prose of its page, in Markdown, with links as from a page below `lowerings/` of the book; empty if it has none. A
    /// line may begin with one blank, as in a doc comment.
    fn prose(&self) -> &'static str {
        ""
    }

    /// The rule file that it is, if it is one.
    fn rules(&self) -> Option<&rules::RuleLowering> {
        None
    }

    /// The decisions of the lowering.
    fn policy(&self) -> &dyn Policy;

    /// Lowers a whole timeline.
    fn lower(&self, timeline: &Timeline<'_>, profile: &Profile) -> Program {
        whole::lower(self.policy(), timeline, profile)
    }

    /// Lowers a whole timeline, and says what is wrong with what decided that. Most lowerings are part of this program, and
    /// nothing is.
    fn lower_telling(&self, timeline: &Timeline<'_>, profile: &Profile) -> (Program, Vec<Finding>) {
        (self.lower(timeline, profile), Vec::new())
    }

    /// Whether something outside this program decides: then something may be wrong with what it says.
    fn is_driven(&self) -> bool {
        false
    }

    /// Why what decides is not asked any more, if it is outside this program and is not.
    fn given_up(&self) -> Option<String> {
        None
    }

    /// The same lowering, of which each program is asked by itself, if something outside this program decides that may
    /// remember earlier ones.
    fn alone(&self) -> Option<&dyn Lowering> {
        None
    }

    /// Lowers a timeline submission by submission, in evaluation order.
    fn stream<'t, 's>(
        &'t self,
        timeline: &'t Timeline<'s>,
        profile: &'t Profile,
    ) -> Lowered<'t, 's> {
        Lowered::new(self.policy(), timeline, profile)
    }
}
