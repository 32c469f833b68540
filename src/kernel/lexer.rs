//! Tokens of a litmus test.

use super::{parser, rules};
use crate::finding::Rule;
use crate::tokens::{Grammar, tokens};

tokens! {
    /// A token. Its text is a slice of the source.
    pub(crate) enum Token {
        Word = r"[A-Za-z_][A-Za-z0-9_]*",
        /// Anything that begins with a digit, or a minus and a digit.
        Number = r"-?[0-9][0-9A-Za-z_]*",
        "[" => OpenBracket,
        "]" => CloseBracket,
        "(" => OpenParenthesis,
        ")" => CloseParenthesis,
        "&&" | "&" => And,
        "||" | "|" => Or,
        "==" => Equal,
        "!=" => NotEqual,
        "!" => Not,
        "=" => Is,
        "@" => At,
        ":" => Colon,
        "," => Comma,
    }
}

impl Grammar for Token {
    const UNEXPECTED: &'static Rule = &rules::UNEXPECTED;
    const VALUE: &'static Rule = &rules::UNEXPECTED;
    const LIMIT: &'static Rule = &rules::LIMIT_EXCEEDED;
    const EXPECTATION: Option<(&'static Rule, &'static str)> =
        Some((&rules::UNEXPECTED, "write `//~ LM011` or `//~ none`"));
    const SOURCE_BYTES_MAX: usize = parser::SOURCE_BYTES_MAX;
    const SOURCE_HELP: &'static str = "a file contains one test";
    const FINDINGS_MAX: usize = parser::FINDINGS_MAX;
}
