//! Tokens of a rule file. What a word means follows from its place; that is the parser's business.

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
    #[token("|")]
    Or,
    #[token("+")]
    Plus,
    #[regex(r"[A-Za-z_*][A-Za-z0-9_*.\-]*")]
    Word,
    /// Anything that begins with a digit.
    #[regex(r"[0-9][0-9A-Za-z_.]*")]
    Number,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    /// A run of characters that begin no token.
    Unknown,
    /// The end of the text.
    End,
}
