//! What people who write a text ask about it: what is wrong where, which words may follow, what a word means, where a name is
//! declared and used, what can be folded, what a barrier costs, which changes would help, what each word is.
//!
//! Pure functions over texts: nothing here reads a file, knows the time or starts a thread. Nothing here has a grammar either:
//! the parsers say which words may be at a place and where names are. Places are bytes of the text; [`places`] counts them as
//! editors do. Both the live pages of the book and the language server answer from here, each in its own JSON.

pub mod actions;
pub mod folding;
pub mod grammar;
pub mod hints;
pub mod marks;
pub mod meaning;
pub mod names;
pub mod places;
pub mod printed;
pub mod tokens;
pub mod words;

use std::path::Path;

/// What a text is, by the name of its file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Language {
    /// A scenario: whatever is nothing else.
    Scenario,
    /// A litmus test: `.litmus`.
    Litmus,
    /// A rule file: `.lower`.
    Rules,
    /// A hardware profile: `.toml`.
    Profile,
}

impl Language {
    /// Of the text of that name.
    pub fn of(name: &str) -> Self {
        let extension = Path::new(name).extension().unwrap_or_default();
        if extension.eq_ignore_ascii_case("litmus") {
            Self::Litmus
        } else if extension.eq_ignore_ascii_case("lower") {
            Self::Rules
        } else if extension.eq_ignore_ascii_case("toml") {
            Self::Profile
        } else {
            Self::Scenario
        }
    }
}
