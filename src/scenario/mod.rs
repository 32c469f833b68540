//! A scenario: resources, queues, lists and the CPU's timeline, as a value; and its text and JSON forms.
//!
//! The value knows names and places but no meaning: whether a barrier is right is decided elsewhere. Text → value →
//! text is the identity up to formatting; so is text → JSON → text.

mod builder;
pub mod edit;
pub mod geometry;
mod hints;
pub mod json;
pub(crate) mod lexer;
pub(crate) mod model;
pub mod offsets;
pub mod parser;
mod printer;
#[allow(
    unreachable_pub,
    reason = "a rule's file reads the same wherever it is"
)]
pub(crate) mod rules;
mod suggest;

pub use builder::{ListBuilder, ScenarioBuilder, UseBuilder};
pub use model::*;
pub use parser::{COMMANDS, parse};
pub use printer::{print, print_barrier, print_legacy, range_text, size_text, transition_text};
pub use rules::RULES;
