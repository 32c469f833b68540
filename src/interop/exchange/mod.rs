//! D3D12's barriers in Vulkan's words, and the way back.
//!
//! * `words` translates one entry by a table, and joins the stages of entries between which no work is.
//! * `export` puts the entries of a list into calls of Vulkan: pipeline barriers, events.
//! * `roundtrip` brings the words back, `survival` asks whether every pair that was asked for is still asked for.
//!
//! Nothing is executed, no machine is asked, and legality is not judged.

mod export;
mod roundtrip;
mod survival;
mod words;

pub use export::{Call, CallKind, Exported, ListCalls, calls, export};
pub use roundtrip::{Roundtrip, Trip, Verdict, WayBack, roundtrip};
pub use survival::{Lost, Survival};
pub use words::{Entry, Form, ImageRange, Masks};
