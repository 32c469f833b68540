//! An executable model of GPU synchronisation.
//!
//! syncscope runs D3D12 barriers on a modelled multi-queue GPU with pipeline stages, write caches and compressed
//! texture layouts, and compares four relations over the same commands: what is *needed*, what the application *asked*
//! for, what the lowered packets *ensure*, and what was *paid*.
//!
//! Imports go strictly downward: see the book's page "Architecture" for the layers.

pub mod analyze;
pub mod api;
pub mod catalog;
pub mod cli;
pub mod ensure;
pub mod finding;
pub mod graph;
pub mod hardware;
pub mod id;
pub mod kernel;
pub mod legacy;
pub mod litmus;
pub mod lower;
pub mod order;
pub mod preview;
pub mod program;
pub mod report;
pub mod run;
pub mod runtime;
pub mod scenario;
pub mod sim;
pub mod storage;
pub mod time;
pub mod trace;
pub mod validate;
pub mod wakeup;
