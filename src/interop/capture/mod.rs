//! Captures: what a running application called, as gfxreconstruct's converter writes it, one JSON object a line.
//!
//! A line becomes an [`Event`]: the number of the call, its name, and its arguments as text that is not read yet, because
//! most calls of a capture say nothing about synchronisation. [`Event::arguments`] reads them, and [`Fields`] answers
//! questions about them. Both spellings are read: `vkFunc` with numbers for masks (0.9.18), `function` and `method` with
//! names (newer). What a call means is not known here.

mod event;
mod fields;

pub use event::{Event, LineKind, Problem};
pub use fields::Fields;
