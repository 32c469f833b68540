//! Value to text, in one canonical form.
//!
//! Declarations and statements keep their order, comments keep their places, at most one empty line separates two
//! statements. A block goes on one line if it fits; a line that an expectation names stays as it was, because moving a
//! statement off it would move what is expected (see [`Comments::keep_line`], [`Comments::joined`]).
//!
//! Every statement first becomes a [`Piece`]: one file for each part of the language says what its statements read as,
//! only `layout` decides which lines they go on.
//!
//! [`Comments::keep_line`]: super::Comments::keep_line
//! [`Comments::joined`]: super::Comments::joined

mod barriers;
mod commands;
mod declarations;
mod layout;
mod timeline;
mod words;

use super::model::{Barrier, LegacyBarrier, Scenario, Trivia};
use layout::Page;
pub use words::{range_text, size_text, transition_text};

/// Prints a scenario.
pub fn print(scenario: &Scenario) -> String {
    let printer = Printer { scenario };
    let mut page = Page::new();
    for (index, declaration) in scenario.order.iter().enumerate() {
        printer.declaration(*declaration, index == 0, &mut page);
    }
    page.finish(&scenario.trailing)
}

/// A legacy entry without its comments: `transition t COMMON -> COPY_DEST`.
pub fn print_legacy(scenario: &Scenario, entry: &LegacyBarrier) -> String {
    Printer { scenario }.legacy(entry).head
}

/// A barrier entry in one line, without its comments: `buffer b { sync COPY -> DRAW; … }`.
pub fn print_barrier(scenario: &Scenario, barrier: &Barrier) -> String {
    let piece = Printer { scenario }.barrier(barrier);
    let fields: Vec<&str> = piece
        .block
        .iter()
        .flatten()
        .map(|item| item.head.as_str())
        .collect();
    if fields.is_empty() {
        format!("{} {{ }}", piece.head)
    } else {
        format!("{} {{ {} }}", piece.head, fields.join("; "))
    }
}

/// Turns statements of a scenario into pieces.
struct Printer<'s> {
    scenario: &'s Scenario,
}

/// A statement or an option of one, as text.
struct Piece {
    /// Everything before the block.
    head: String,
    /// Options or statements of the block; `None` if there is no block.
    block: Option<Vec<Piece>>,
    /// The comments around it.
    trivia: Trivia,
}

impl Piece {
    /// A statement without a block.
    fn new(head: impl Into<String>, trivia: &Trivia) -> Self {
        Self {
            head: head.into(),
            block: None,
            trivia: trivia.clone(),
        }
    }

    /// An option, which has neither a block nor comments.
    fn option(text: impl Into<String>) -> Self {
        Self::new(text, &Trivia(None))
    }

    /// The same statement with a block, which may be empty.
    fn with(mut self, block: Vec<Self>) -> Self {
        self.block = Some(block);
        self
    }

    /// The same statement with a block, unless there is nothing to put into one: no option and no comment.
    fn with_any(mut self, options: Vec<Self>) -> Self {
        let comments = self.trivia.0.as_ref();
        let commented = comments.is_some_and(|c| !c.inside.is_empty() || c.open.is_some());
        self.block = (!options.is_empty() || commented).then_some(options);
        self
    }
}
