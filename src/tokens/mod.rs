//! One token after the other, for every text that people write: comments between tokens, mistakes, how reading goes on after
//! one, and limits.
//!
//! Nothing here knows a grammar. A grammar lists its tokens with [`tokens!`], says in [`Grammar`] what it calls its mistakes,
//! and reads [`Tokens`] by recursive descent: a mistake becomes a [`Finding`] and costs one statement, so that a run shows
//! several. Tokens are slices of the text, and nothing is allocated for them.

mod asked;
mod comments;
mod mistakes;

pub(crate) use asked::{Noted, Notes, Offer, probed};
pub(crate) use comments::{Expected, Pending, is_allowance, is_expectation, is_of_none};
pub(crate) use mistakes::{Parsed, Reported, shown};

use crate::finding::{Finding, Rule, Source, Span};
use crate::id::narrow;

use std::ops::DerefMut;

/// Bytes of a name or a number: messages repeat them.
pub(crate) const WORD_BYTES_MAX: usize = 256;

/// The tokens that every grammar has, and how a text is cut into all of its tokens.
pub(crate) trait Token: Copy + PartialEq {
    const NEWLINE: Self;
    const COMMENT: Self;
    const SEMICOLON: Self;
    const OPEN_BRACE: Self;
    const CLOSE_BRACE: Self;
    const WORD: Self;
    /// A string with its quotes.
    const TEXT: Self;
    /// A string whose line ends before it does.
    const OPEN_TEXT: Self;
    /// Characters that begin no token.
    const UNKNOWN: Self;
    /// The end of the text.
    const END: Self;

    /// The next token from this byte on, and its place.
    fn cut(text: &str, from: usize) -> (Self, Span);
}

/// What a grammar calls its mistakes, and its limits.
pub(crate) trait Grammar: Token {
    /// Something else is expected.
    const UNEXPECTED: &'static Rule;
    /// A value that cannot be meant.
    const VALUE: &'static Rule;
    /// Too much of something.
    const LIMIT: &'static Rule;
    /// Characters that begin no token, where they are said wherever they are; else they are said only in the place of
    /// something that is expected.
    const CHARACTER: Option<&'static Rule> = None;
    /// A `//~` that expects nothing that can be, and how it is written; `None` if the grammar has no expectations.
    const EXPECTATION: Option<(&'static Rule, &'static str)> = None;
    /// Bytes of a source text.
    const SOURCE_BYTES_MAX: usize;
    /// What to do about a text that is too large.
    const SOURCE_HELP: &'static str;
    /// Bytes of a string.
    const TEXT_BYTES_MAX: usize = WORD_BYTES_MAX;
    /// Mistakes before the rest of a text is not read.
    const FINDINGS_MAX: usize = 50;
    /// Whether there are blocks inside blocks. Where there are none, a `{` in a block opens nothing.
    const NESTS: bool = false;
    /// Another sign that closes something, if the grammar has one: where a brace is never closed, it stands for the `}`.
    const OTHER_CLOSE: Option<Self> = None;
}

/// Lists the tokens of a grammar: its words and numbers as regular expressions, then its signs. Strings, comments, `;`, braces
/// and line ends are the same in every grammar. What a word means follows from its place; that is the parser's business.
macro_rules! tokens {
    (
        $(#[$doc:meta])* $vis:vis enum $name:ident {
            $(#[$of_word:meta])* Word = $word:tt,
            $(#[$of_number:meta])* Number = $number:tt,
            $($($text:tt)|+ => $sign:ident,)+
        }
    ) => {
        $(#[$doc])*
        #[derive(logos::Logos, Copy, Clone, PartialEq, Eq, Debug)]
        #[logos(skip r"[ \t\r\u{feff}]+")]
        $vis enum $name {
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
            $(#[$of_word])*
            #[regex($word)]
            Word,
            $(#[$of_number])*
            #[regex($number)]
            Number,
            #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
            Text,
            #[regex(r#""([^"\\\n]|\\[^\n])*"#)]
            OpenText,
            $($(#[token($text)])+ $sign,)+
            Unknown,
            End,
        }

        impl $crate::tokens::Token for $name {
            const NEWLINE: Self = Self::Newline;
            const COMMENT: Self = Self::Comment;
            const SEMICOLON: Self = Self::Semicolon;
            const OPEN_BRACE: Self = Self::OpenBrace;
            const CLOSE_BRACE: Self = Self::CloseBrace;
            const WORD: Self = Self::Word;
            const TEXT: Self = Self::Text;
            const OPEN_TEXT: Self = Self::OpenText;
            const UNKNOWN: Self = Self::Unknown;
            const END: Self = Self::End;

            fn cut(text: &str, from: usize) -> (Self, $crate::finding::Span) {
                let mut lexer = <Self as logos::Logos>::lexer(text);
                lexer.bump(from);
                let token = lexer.next();
                let place = lexer.span();
                let (start, end) = ($crate::id::narrow(place.start), $crate::id::narrow(place.end));
                let token = token.map_or(Self::End, |token| token.unwrap_or(Self::Unknown));
                (token, $crate::finding::Span { start, end })
            }
        }
    };
}

pub(crate) use tokens;

/// The state of a run over one text.
pub(crate) struct Tokens<'s, T> {
    pub(crate) source: &'s Source,
    /// What is read: the source's text, or the beginning of it.
    pub(crate) text: &'s str,
    /// The current token and its place.
    pub(crate) token: T,
    pub(crate) span: Span,
    /// End of the last token that was taken.
    pub(crate) last_end: u32,
    /// Where the next token is cut.
    cut: u32,
    /// A token already read after a line end.
    ahead: Option<(T, Span)>,
    /// A token precedes this place on its line.
    line_begun: bool,
    /// Line ends are no tokens here: the statement goes on after each.
    pub(crate) joins_lines: bool,
    /// Comments and blank lines that no statement has taken yet.
    pub(crate) pending: Vec<Pending>,
    /// Ids of `// syncscope: allow …` that no statement has taken yet.
    pub(crate) pending_allow: Vec<String>,
    /// Lines with an expectation, ascending: formatting must not move statements away from them.
    pub(crate) expecting: Vec<u32>,
    /// The expectations read so far.
    pub(crate) expected: Vec<Expected>,
    pub(crate) findings: Vec<Finding>,
    /// There were too many mistakes; what follows reads as the end of the text.
    pub(crate) stopped: bool,
    /// Blocks, or parentheses, around this place.
    pub(crate) depth: u32,
    /// How many more braces open than close in all of the text; unknown until a mistake asks.
    braces: Option<i64>,
    /// What may be at a place, if somebody asks.
    pub(crate) offered: Option<Offer>,
    /// Where names and statements are, if somebody asks.
    pub(crate) noted: Option<Notes>,
}

impl<'s, T: Grammar> Tokens<'s, T> {
    /// Of a whole text, at its first token; at its end, if it is too large.
    pub(crate) fn new(source: &'s Source) -> Self {
        let mut tokens = Self::at_rest(source, &source.text);
        let bytes = source.text.len();
        let size = (bytes, T::SOURCE_BYTES_MAX);
        if tokens
            .within("the text", size, Span::default(), T::SOURCE_HELP)
            .is_err()
        {
            tokens.stop();
        } else {
            if T::EXPECTATION.is_some() {
                tokens.expecting = comments::expecting_lines(source);
            }
            tokens.bump();
        }
        tokens
    }

    /// Before the first token of `text`, with which the source begins.
    pub(crate) fn at_rest(source: &'s Source, text: &'s str) -> Self {
        Self {
            source,
            text,
            token: T::NEWLINE,
            span: Span::default(),
            last_end: 0,
            cut: 0,
            ahead: None,
            line_begun: false,
            joins_lines: false,
            pending: Vec::new(),
            pending_allow: Vec::new(),
            expecting: Vec::new(),
            expected: Vec::new(),
            findings: Vec::new(),
            stopped: false,
            depth: 0,
            braces: None,
            offered: None,
            noted: None,
        }
    }

    /// Whether nothing of the text near the current token is kept for a later statement or for formatting.
    pub(crate) fn is_plain(&self) -> bool {
        self.pending.is_empty()
            && self.pending_allow.is_empty()
            && self.expecting.is_empty()
            && self.ahead.is_none()
            && self.noted.is_none()
            && !self.stopped
    }

    /// Goes on after `last`, as if it had just been read and taken.
    pub(crate) fn go_on_after(&mut self, last: Span) {
        (self.span, self.cut) = (last, last.end);
        self.bump();
    }

    /// Stands at the end of the line that ends here, as if everything before it had just been read.
    pub(crate) fn go_on_at(&mut self, line_end: usize) {
        self.pending.clear();
        self.ahead = None;
        self.line_begun = true;
        let end = narrow(line_end);
        self.go_on_after(Span::new(end, end));
    }

    /// From a place to the end of the last token.
    pub(crate) fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.last_end)
    }

    /// Text of the current token.
    pub(crate) fn slice(&self) -> &'s str {
        &self.text[self.span.start as usize..self.span.end as usize]
    }

    /// Takes the current token. Line ends, with the comments among them, are one token.
    pub(crate) fn bump(&mut self) {
        self.last_end = self.span.end;
        if self.stopped {
            self.token = T::END;
            return;
        }
        if let Some((token, span)) = self.ahead.take() {
            (self.token, self.span) = (token, span);
            self.line_begun = true;
            return;
        }
        let (token, span) = T::cut(self.text, self.cut as usize);
        self.cut = span.end;
        if token == T::NEWLINE || token == T::COMMENT || token == T::UNKNOWN {
            self.bump_rare(token, span);
        } else {
            (self.token, self.span) = (token, span);
            self.line_begun = true;
        }
    }

    /// Continues with what was cut, which is not a plain token.
    fn bump_rare(&mut self, token: T, mut span: Span) {
        if token == T::UNKNOWN {
            self.unknown_characters(&mut span);
            (self.token, self.span) = (token, span);
            self.line_begun = true;
        } else {
            self.newlines(token, span);
        }
    }

    /// Cuts one token, line ends and comments too.
    fn raw(&mut self) -> (T, Span) {
        let (token, mut span) = T::cut(self.text, self.cut as usize);
        self.cut = span.end;
        if token == T::UNKNOWN {
            self.unknown_characters(&mut span);
        }
        (token, span)
    }

    /// Takes the current token if it is of this kind. Returns whether it is.
    pub(crate) fn eat(&mut self, token: T) -> bool {
        let found = self.token == token;
        if found {
            self.bump();
        }
        found
    }

    /// Whether the current token is this word.
    pub(crate) fn at_word(&self, word: &str) -> bool {
        self.token == T::WORD && self.slice() == word
    }

    /// Takes this word, if it is here. Returns whether it is.
    pub(crate) fn eat_word(&mut self, word: &'static str) -> bool {
        self.offer_optional(word);
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// Lets a statement continue on the next line.
    pub(crate) fn skip_newline(&mut self) {
        self.eat(T::NEWLINE);
    }

    /// Skips line ends and stray `;`.
    pub(crate) fn skip_separators(&mut self) {
        while self.token == T::NEWLINE || self.token == T::SEMICOLON {
            self.bump();
        }
    }

    /// Whether the current token ends a statement.
    pub(crate) fn at_end(&self) -> bool {
        [T::NEWLINE, T::SEMICOLON, T::CLOSE_BRACE, T::END].contains(&self.token)
    }

    /// Whether a block opens here or on the next line.
    pub(crate) fn block_opens(&self) -> bool {
        let next = || self.ahead.is_some_and(|(token, _)| token == T::OPEN_BRACE);
        self.token == T::OPEN_BRACE || self.token == T::NEWLINE && next()
    }

    /// A string, if there is one.
    pub(crate) fn string(&mut self) -> Parsed<Option<Box<str>>> {
        if self.token == T::OPEN_TEXT {
            return Err(self.unexpected("", None));
        }
        if self.token != T::TEXT {
            return Ok(None);
        }
        let (raw, span) = (self.slice(), self.span);
        let inner = &raw[1..raw.len() - 1];
        let size = (inner.len(), T::TEXT_BYTES_MAX);
        self.within("a string", size, span, "write a shorter one")?;
        self.bump();
        if !inner.contains('\\') {
            return Ok(Some(inner.into()));
        }
        let mut text = String::with_capacity(inner.len());
        let mut characters = inner.chars();
        while let Some(c) = characters.next() {
            text.push(match c {
                '\\' => match characters.next() {
                    Some(c @ ('"' | '\\')) => c,
                    other => {
                        let message = format!("unknown escape `\\{}`", other.unwrap_or(' '));
                        let help = "the escapes are `\\\"` and `\\\\`";
                        return Err(self.error(T::VALUE, span, message, help));
                    }
                },
                c => c,
            });
        }
        Ok(Some(text.into()))
    }
}

/// Reads a whole text: statements that end with a line or `;`. `one` reads one, and gets whether it is the first; `recover`
/// goes on after a mistake in it.
pub(crate) fn file<'s, T: Grammar, P: DerefMut<Target = Tokens<'s, T>>>(
    parser: &mut P,
    recover: fn(&mut P),
    mut one: impl FnMut(&mut P, bool) -> Parsed<()>,
) {
    let mut first = true;
    loop {
        parser.skip_separators();
        if parser.token == T::END {
            return;
        }
        if parser.token == T::CLOSE_BRACE {
            let message = "unexpected `}`; no block is open";
            let help = "remove the `}`, or add the missing `{`";
            let at = parser.span;
            parser.mistake(at, message, help);
            parser.bump();
            continue;
        }
        parser.depth = 0;
        let word = parser.span;
        if one(parser, first).is_err() {
            recover(parser);
        }
        parser.note_part(word);
        first = false;
    }
}

/// Reads the statements of the block that was opened at `opens`, up to its `}`. `one` reads one, and gets whether it is the
/// first.
pub(crate) fn block<'s, T: Grammar, P: DerefMut<Target = Tokens<'s, T>>>(
    parser: &mut P,
    opens: Span,
    mut one: impl FnMut(&mut P, bool) -> Parsed<()>,
) -> Parsed<()> {
    let mut first = true;
    loop {
        parser.skip_separators();
        if parser.token == T::CLOSE_BRACE {
            return Ok(());
        }
        if parser.token == T::END {
            return Err(parser.unclosed(opens));
        }
        if one(parser, first).is_err() {
            if T::OTHER_CLOSE == Some(parser.token) && parser.stands_for_close_brace() {
                return Ok(());
            }
            parser.skip_statement(T::NESTS);
            parser.pending.clear();
        }
        first = false;
    }
}
