//! A shader litmus test as a value: a few threads, the memory they share, the fences between their accesses, and what
//! is expected of the outcome.
//!
//! The text form is parsed with places and recovery, printed the one way, and has a JSON twin. Which `sync` variant
//! is allowed in which shader stage is decided here ([`legality`]), because it follows from the text alone. Nothing here
//! knows what a test can do when it runs: that is `litmus/`.

mod fence;
pub mod json;
pub mod legality;
pub(crate) mod lexer;
mod model;
pub(crate) mod parser;
mod printer;
#[allow(
    unreachable_pub,
    reason = "a rule's file reads the same wherever it is"
)]
pub(crate) mod rules;

pub use fence::*;
pub use model::*;
pub use parser::{FINDINGS_MAX, NESTING_MAX, SOURCE_BYTES_MAX, parse};
pub use printer::{condition as print_condition, op as print_op, print, subject as print_subject};
pub use rules::RULES;
