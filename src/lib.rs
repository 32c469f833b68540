//! An executable model of GPU synchronisation.
//!
//! syncscope runs D3D12 barriers on a modelled multi-queue GPU with pipeline stages, write caches and compressed
//! texture layouts. It keeps four relations over the same commands, and everything that it says compares two of them.
//!
//! | relation | meaning | comes from |
//! |---|---|---|
//! | **needed** | two uses touch the same bytes and one writes | the commands' declared uses, aliasing in heaps: [`graph`] |
//! | **asked** | the application ordered them, made one visible to the other, changed the layout | barriers, fences, submissions: [`graph`] |
//! | **ensured** | the lowered operations guarantee it on a machine | [`lower`], checked by [`ensure`] |
//! | **paid** | the machine waited, wrote back, dropped, decompressed | a run of [`sim`] |
//!
//! | comparison | is |
//! |---|---|
//! | hazard | needed and not asked: the application's bug, on every GPU |
//! | lowering bug | asked and not ensured: the driver's bug |
//! | redundant | asked, and nothing that is needed depends on it: the application's waste |
//! | over-flush | ensured and not asked: the driver's waste |
//! | stall | paid on the critical path: the price, in time |
//!
//! # Modules, by layer
//!
//! Imports go strictly downward; the book's page "Architecture" says what each layer knows.
//!
//! * In and out: [`cli`], [`catalog`] (everything there is to choose from), [`report`] (a report's bytes).
//! * The pipeline: [`run`]. Most users of the library call [`run::run`] or [`run::check`] with
//!   [`catalog::registry`].
//! * Whether a lowering of one's own is right: [`verify`].
//! * Comparing relations: [`analyze`].
//! * Independent readings of one timeline: [`validate`] (legality), [`graph`], [`ensure`], [`sim`], and [`litmus`] (every
//!   outcome of a few threads).
//! * Rewrites: [`legacy`] (legacy barriers to enhanced ones), [`lower`] (a timeline to a machine's operations).
//! * From a scenario to its timeline: [`order`].
//! * The values that flow: [`scenario`], [`hardware`], [`program`], [`trace`], [`kernel`].
//! * The words: [`api`] (D3D12's bits and what they mean), [`finding`].
//! * Ids and time: [`id`], [`time`].

pub mod analyze;
pub mod api;
#[cfg(feature = "import")]
pub mod capture;
pub mod catalog;
#[cfg(feature = "cli")]
pub mod cli;
pub mod ensure;
pub mod finding;
pub mod graph;
pub mod hardware;
pub mod id;
#[cfg(feature = "import")]
pub mod import;
pub mod kernel;
pub mod legacy;
pub mod litmus;
pub mod lower;
pub mod order;
pub mod program;
pub mod report;
pub mod run;
pub mod scenario;
#[cfg(feature = "import")]
pub mod shader;
pub mod sim;
pub mod time;
pub mod trace;
pub mod validate;

pub use run::verify;
