//! Tokens of the scenario language. Language: "Lexical rules".
//!
//! Words and numbers are left raw: what a word means follows from its place, and so does whether `4KiB`, `0x90` or
//! `1920x1080` is expected. The parser decides that.

use super::{parser, rules};
use crate::finding::Rule;
use crate::tokens::{Grammar, tokens};

tokens! {
    /// A token. Its text is a slice of the source.
    pub(crate) enum Token {
        Word = r"[A-Za-z_][A-Za-z0-9_]*([.\-][A-Za-z0-9_]+)*",
        /// Anything that begins with a digit: an integer, a size, a duration, an extent.
        Number = r"[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)?",
        "[" => OpenBracket,
        "]" => CloseBracket,
        "->" => Arrow,
        ".." => DotDot,
        "|" => Pipe,
        "," => Comma,
        ":" => Colon,
        "=" => Equals,
        "+" => Plus,
        "*" => Star,
        "@" => At,
    }
}

impl Grammar for Token {
    const UNEXPECTED: &'static Rule = &rules::UNEXPECTED_TOKEN;
    const VALUE: &'static Rule = &rules::BAD_VALUE;
    const LIMIT: &'static Rule = &rules::LIMIT_EXCEEDED;
    const CHARACTER: Option<&'static Rule> = Some(&rules::UNEXPECTED_CHARACTER);
    const EXPECTATION: Option<(&'static Rule, &'static str)> = Some((
        &rules::BAD_EXPECTATION,
        "write `//~ HZ101`, `//~ HZ101, EB` or `//~ none`",
    ));
    const SOURCE_BYTES_MAX: usize = parser::SOURCE_BYTES_MAX;
    const SOURCE_HELP: &'static str = "split the scenario, or write repeated work as `repeat`";
    const TEXT_BYTES_MAX: usize = parser::TEXT_BYTES_MAX;
    const FINDINGS_MAX: usize = parser::FINDINGS_MAX;
    const NESTS: bool = true;
    const OTHER_CLOSE: Option<Self> = Some(Self::CloseBracket);
}
