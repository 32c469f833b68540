//! Tokens of the scenario language. Language: "Lexical rules".
//!
//! Words and numbers are left raw: what a word means follows from its place, and so does whether `4KiB`, `0x90` or
//! `1920x1080` is expected. The parser decides that.

use crate::finding::Span;
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

/// Cuts a text into tokens, front to back.
///
/// Words, numbers and most signs, which are nearly all of a long text, are recognised by their first byte and cut here; the
/// rest is left to the generated lexer, which agrees on these too.
#[derive(Clone)]
pub(super) struct Lexer<'s> {
    text: &'s str,
    /// First byte of the last token.
    start: usize,
    /// One past its last.
    end: usize,
}

impl<'s> Lexer<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Self {
            text,
            start: 0,
            end: 0,
        }
    }

    /// Takes the text up to `end` as cut.
    pub(super) fn go_on_from(&mut self, end: u32) {
        self.end = end as usize;
    }

    /// The place of the last token.
    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the length of a text is checked once, by the parser, not again for every token"
    )]
    pub(super) fn span(&self) -> Span {
        Span {
            start: self.start as u32,
            end: self.end as u32,
        }
    }

    /// The next token. At the end of the text [`Token::End`]; [`Token::Unknown`] where none begins.
    #[inline]
    pub(super) fn next(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        let start = run(bytes, self.end, BLANK);
        let Some(first) = bytes.get(start) else {
            return self.generated();
        };
        let class = CLASSES[usize::from(*first)];
        let (token, end) = if class & WORD_START != 0 {
            (Token::Word, word_end(bytes, start))
        } else if class & DIGIT != 0 {
            (Token::Number, number_end(bytes, start))
        } else {
            let token = match first {
                b'\n' => Token::Newline,
                b';' => Token::Semicolon,
                b'{' => Token::OpenBrace,
                b'}' => Token::CloseBrace,
                b'[' => Token::OpenBracket,
                b']' => Token::CloseBracket,
                b'|' => Token::Pipe,
                b',' => Token::Comma,
                b':' => Token::Colon,
                b'=' => Token::Equals,
                b'+' => Token::Plus,
                b'*' => Token::Star,
                b'@' => Token::At,
                b'-' if bytes.get(start + 1) == Some(&b'>') => Token::Arrow,
                b'.' if bytes.get(start + 1) == Some(&b'.') => Token::DotDot,
                _ => return self.generated(),
            };
            let is_long = matches!(token, Token::Arrow | Token::DotDot);
            (token, start + 1 + usize::from(is_long))
        };
        (self.start, self.end) = (start, end);
        token
    }

    /// The next token as the generated lexer cuts it.
    #[cold]
    fn generated(&mut self) -> Token {
        let mut lexer = Token::lexer(&self.text[self.end..]);
        let Some(token) = lexer.next() else {
            (self.start, self.end) = (self.text.len(), self.text.len());
            return Token::End;
        };
        let range = lexer.span();
        (self.start, self.end) = (self.end + range.start, self.end + range.end);
        token.unwrap_or(Token::Unknown)
    }
}

const BLANK: u8 = 1;
const WORD_START: u8 = 2;
/// What a word or a number continues with.
const INNER: u8 = 4;
const DIGIT: u8 = 8;

/// What each byte may be.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b' ' | b'\t' | b'\r' => BLANK,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => WORD_START | INNER,
            b'0'..=b'9' => DIGIT | INNER,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// End of the run of bytes of a class that begins at `at`.
#[inline]
fn run(bytes: &[u8], at: usize, class: u8) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let other = |byte: &u8| CLASSES[usize::from(*byte)] & class == 0;
    at + rest.iter().position(other).unwrap_or(rest.len())
}

fn is(bytes: &[u8], at: usize, class: u8) -> bool {
    bytes
        .get(at)
        .is_some_and(|byte| CLASSES[usize::from(*byte)] & class != 0)
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let mut end = run(bytes, start, INNER);
    while matches!(bytes.get(end), Some(b'.' | b'-')) && is(bytes, end + 1, INNER) {
        end = run(bytes, end + 1, INNER);
    }
    end
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let end = run(bytes, start, INNER);
    if bytes.get(end) == Some(&b'.') && is(bytes, end + 1, DIGIT) {
        run(bytes, end + 1, INNER)
    } else {
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<'s>(text: &'s str, mut next: impl FnMut(&mut Lexer<'s>) -> Token) -> Vec<(Token, Span)> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        loop {
            let token = next(&mut lexer);
            tokens.push((token, lexer.span()));
            if token == Token::End {
                return tokens;
            }
        }
    }

    /// Every text of up to five characters, one of each class that a rule of the generated lexer tells apart.
    #[test]
    fn both_ways_of_cutting_agree() {
        let signs = [
            "a", "x", "_", "0", "7", ".", "-", ">", " ", "\t", "\r", "\n", ";", "{", "]", "|", ":",
            "@", "/", "\"", "\\", "~", "é", "\u{feff}",
        ];
        let mut texts = vec![String::new()];
        let mut from = 0;
        for length in 0..5 {
            let until = texts.len();
            for at in from..until {
                // The longest only with the signs that words and numbers are made of.
                let few = if length < 2 { &signs[..] } else { &signs[..9] };
                for sign in few {
                    let longer = format!("{}{sign}", texts[at]);
                    texts.push(longer);
                }
            }
            from = until;
        }
        for text in texts {
            assert_eq!(
                all(&text, Lexer::next),
                all(&text, Lexer::generated),
                "cut differently: {text:?}"
            );
        }
    }
}
