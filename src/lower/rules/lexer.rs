//! Tokens of a rule file.

use super::{mistakes, parser};
use crate::finding::Rule;
use crate::tokens::{Grammar, tokens};

tokens! {
    /// A token. Its text is a slice of the source.
    pub(crate) enum Token {
        Word = r"[A-Za-z_*][A-Za-z0-9_*.\-]*",
        /// Anything that begins with a digit.
        Number = r"[0-9][0-9A-Za-z_.]*",
        "|" => Or,
        "+" => Plus,
    }
}

impl Grammar for Token {
    const UNEXPECTED: &'static Rule = &mistakes::UNEXPECTED;
    const VALUE: &'static Rule = &mistakes::UNEXPECTED;
    const LIMIT: &'static Rule = &mistakes::UNEXPECTED;
    const SOURCE_BYTES_MAX: usize = parser::SOURCE_BYTES_MAX;
    const SOURCE_HELP: &'static str = "a rule file is a few dozen rules";
    const FINDINGS_MAX: usize = parser::FINDINGS_MAX;
}
