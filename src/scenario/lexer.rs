//! Tokens of the scenario language. Language: "Lexical rules".
//!
//! Words and numbers are left raw: what a word means follows from its place, and so does whether `4KiB`, `0x90` or
//! `1920x1080` is wanted. That is the parser's business.

use logos::Logos;

/// A token. Its text is a slice of the source.
#[derive(Logos, Copy, Clone, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\u{feff}]+")]
pub(super) enum Token {
    #[token("\n")]
    Newline,
    #[regex(r"//[^\n]*", allow_greedy = true)]
    Comment,
    #[token(";")]
    Semicolon,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("->")]
    Arrow,
    #[token("..")]
    DotDot,
    #[token("|")]
    Pipe,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("=")]
    Equals,
    #[token("+")]
    Plus,
    #[token("*")]
    Star,
    #[token("@")]
    At,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*([.\-][A-Za-z0-9_]+)*")]
    Word,
    /// Anything that begins with a digit: an integer, a size, a duration, an extent.
    #[regex(r"[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)?")]
    Number,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    #[regex(r#""([^"\\\n]|\\[^\n])*"#)]
    OpenText,
    /// A run of characters that begin no token.
    Unknown,
    /// The end of the text.
    End,
}

impl Token {
    /// How a message names the token when its text says nothing.
    pub(super) fn describe(self, text: &str) -> String {
        match self {
            Self::Newline => "the end of the line".to_owned(),
            Self::End => "the end of the file".to_owned(),
            _ => {
                const SHOWN_MAX: usize = 40;
                let shown: String = text.chars().take(SHOWN_MAX).collect();
                if shown.len() < text.len() {
                    format!("`{shown}…`")
                } else {
                    format!("`{shown}`")
                }
            }
        }
    }
}
