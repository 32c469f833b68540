//! Words and numbers, and the comments of a statement.

use super::{Parsed, Parser};
use crate::finding::Span;
use crate::kernel::lexer::Token;
use crate::kernel::model::{Allow, Comments};

impl<'s> Parser<'s> {
    /// Comment lines before the statement that begins here.
    pub(super) fn take_before(&mut self) -> Comments {
        Comments {
            before: self.lines(),
            after: None,
        }
    }

    /// The ids that are allowed for the statement that begins here, and where it does.
    pub(super) fn take_allows(&mut self) -> (Vec<String>, u32) {
        (std::mem::take(&mut self.pending_allow), self.span.start)
    }

    /// Allows findings from `start` to what comes next.
    pub(super) fn allow(&mut self, (ids, start): (Vec<String>, u32)) {
        if !ids.is_empty() {
            let end = self.span.start;
            let covers = Span { start, end };
            self.kernel.allows.push(Allow { ids, covers });
        }
    }

    /// Checks that a line ends here, and takes the comment after it.
    pub(super) fn statement_end(&mut self) -> Parsed<Option<String>> {
        self.ended("the end of the line", "write one statement per line")?;
        Ok(self.comment_after())
    }

    /// Goes on after a mistake at the level of the file, where a line is one statement.
    pub(super) fn recover_line(&mut self) {
        self.recover();
        while !matches!(self.token, Token::Newline | Token::End) {
            self.bump();
            self.recover();
        }
    }

    pub(super) fn word(&mut self, wanted: &str, help: &str) -> Parsed<(&'s str, Span)> {
        let text = self.slice();
        self.short()?;
        let span = self.expect(Token::Word, wanted, help)?;
        Ok((text, span))
    }

    /// Takes this word in letters of either case, if it is here.
    pub(super) fn eat_any_case(&mut self, word: &'static str) -> bool {
        self.offer_optional(word);
        let here = self.token == Token::Word && self.slice().eq_ignore_ascii_case(word);
        if here {
            self.bump();
        }
        here
    }

    pub(super) fn number(&mut self, wanted: &str) -> Parsed<u32> {
        let help = "values are 32 bits: decimal, `0x…`, or negative";
        if self.token != Token::Number {
            return Err(self.unexpected(wanted, help));
        }
        self.short()?;
        let text = self.slice().replace('_', "");
        let value = if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            u32::from_str_radix(hex, 16).ok()
        } else if text.starts_with('-') {
            text.parse::<i32>().ok().map(i32::cast_unsigned)
        } else {
            text.parse::<u32>().ok()
        };
        let Some(value) = value else {
            let message = format!("`{}` is not a 32-bit number", self.slice());
            let at = self.span;
            return Err(self.mistake(at, message, help));
        };
        self.bump();
        Ok(value)
    }

    /// A number that counts something: 0, 1, …
    pub(super) fn count(&mut self, wanted: &str) -> Parsed<u32> {
        if self.token == Token::Number && self.slice().starts_with('-') {
            return Err(self.unexpected(wanted, "counting starts at 0"));
        }
        self.number(wanted)
    }
}
