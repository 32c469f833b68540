//! An executable model of GPU synchronisation: does what a program asks for order what it needs?
//!
//! ```
//! use syncscope::api::{BarrierAccess as Access, BarrierSync as Sync, Leaf, QueueType};
//! use syncscope::run::{Options, check_scenario};
//! use syncscope::scenario::ScenarioBuilder;
//!
//! let mut scene = ScenarioBuilder::new();
//! let staging = scene.buffer("staging", 4096);
//! let mesh = scene.buffer("mesh", 4096);
//! let queue = scene.queue("gfx", QueueType::Direct);
//! let list = scene.list("main", QueueType::Direct, |list| {
//!     list.copy(staging, mesh);
//!     let access = (Access::COPY_DEST, Access::SHADER_RESOURCE);
//!     list.buffer_barrier(mesh, (Sync::COPY, Sync::VERTEX_SHADING), access);
//!     list.draw("mesh").uses(Access::VERTEX_BUFFER, mesh, Leaf::VertexShading);
//! });
//! scene.execute(queue, &[list]);
//! let (_, report) = check_scenario(&scene.build(), &Options::default());
//! let finding = &report.findings[0];
//! assert_eq!(finding.rule.name, "read-after-write");
//! let fix = finding.fix.as_ref().expect("a change removes it");
//! assert_eq!(fix.says, "in gfx#2.0, make AccessAfter VERTEX_BUFFER");
//! ```
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
//! * What an editor asks about a text: [`assist`].
//! * The flow: [`run`]. Most users of the library call [`run::run`] with [`catalog::registry`], or [`run::check`]; for a
//!   scenario that is built in code [`run::run_scenario`] and [`run::check_scenario`].
//! * Whether a lowering of one's own is right: [`workbench`], which a driver's tests call [`verify`].
//! * Captures of applications, and Vulkan: [`interop`].
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
pub mod assist;
pub mod catalog;
#[cfg(feature = "cli")]
pub mod cli;
pub mod ensure;
pub mod finding;
pub mod graph;
pub mod hardware;
pub mod id;
pub mod interop;
pub mod kernel;
pub mod legacy;
pub mod litmus;
pub mod live;
pub mod lookup;
pub mod lower;
pub mod order;
mod parallel;
mod pipeline;
pub mod place;
pub mod program;
mod repair;
pub mod report;
pub mod run;
pub mod scenario;
pub mod schema;
pub mod sim;
pub mod time;
mod tokens;
pub mod trace;
pub mod validate;
pub mod workbench;

/// What the tests of a driver call it.
pub use workbench as verify;
