//! One token after the other, with the comments between them; mistakes and how to continue after one.

use super::{FINDINGS_MAX, Parsed, Parser, Reported, WORD_BYTES_MAX};
use crate::finding::{Finding, Rule, Span};
use crate::id::narrow;
use crate::kernel::lexer::Token;
use crate::kernel::model::{Comments, Mark};
use crate::kernel::rules;
use std::sync::Arc;

impl<'s> Parser<'s> {
    /// Moves to the next token; comments are collected.
    pub(super) fn advance(&mut self) {
        if self.token != Token::Newline {
            self.last_end = self.span.end;
        }
        if self.token == Token::Newline {
            self.line_begun = false;
        } else if self.span.end > 0 {
            self.line_begun = true;
        }
        loop {
            let token = match self.lexer.next() {
                None => Token::End,
                Some(Ok(token)) => token,
                Some(Err(())) => Token::Unknown,
            };
            let range = self.lexer.span();
            self.span = Span {
                start: narrow(range.start),
                end: narrow(range.end),
            };
            self.token = token;
            if token == Token::Comment {
                self.comment();
                continue;
            }
            if token == Token::Newline && !self.line_begun {
                // Blank lines between comments are kept, others are the printer's business.
                let text = &self.source.text[..self.span.start as usize];
                let blank = text.trim_end_matches([' ', '\t', '\r']).ends_with('\n');
                if blank && self.before.last().is_some_and(|line| !line.is_empty()) {
                    self.before.push(String::new());
                }
            }
            return;
        }
    }

    fn comment(&mut self) {
        let text = self.text().trim_end().to_owned();
        if let Some(ids) = text.strip_prefix("//~") {
            let ids: Vec<String> = ids
                .split(',')
                .map(|id| id.trim().to_owned())
                .filter(|id| !id.is_empty())
                .collect();
            if ids.is_empty() {
                self.error(
                    &rules::UNEXPECTED,
                    self.span,
                    "an expectation must name a finding",
                    "write `//~ LM011` or `//~ none`",
                );
            }
            let ids = if ids == ["none"] { Vec::new() } else { ids };
            let line = self.source.line(self.span.start);
            self.kernel.marks.push(Mark { line, ids });
        } else if let Some(ids) = text[2..].trim_start().strip_prefix("syncscope: allow ") {
            let ids = ids.split(',').map(|id| id.trim().to_owned());
            self.allows.extend(ids.filter(|id| !id.is_empty()));
        }
        if self.line_begun {
            self.trailing = Some(text);
        } else {
            self.before.push(text);
        }
    }

    pub(super) fn text(&self) -> &'s str {
        &self.source.text[self.span.start as usize..self.span.end as usize]
    }

    /// Comment lines before the statement that begins here.
    pub(super) fn take_before(&mut self) -> Comments {
        let mut before = std::mem::take(&mut self.before);
        while before.last().is_some_and(String::is_empty) {
            before.pop();
        }
        self.trailing = None;
        Comments {
            before,
            after: None,
        }
    }

    pub(super) fn error(
        &mut self,
        rule: &'static Rule,
        span: Span,
        message: impl Into<Arc<str>>,
        help: &str,
    ) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings
                .push(Finding::new(rule, span, message).help(help));
        }
    }

    /// Reports that the current token is not what is expected.
    pub(super) fn unexpected(&mut self, wanted: &str, help: &str) -> Reported {
        const SHOWN_MAX: usize = 40;
        let found = match self.token {
            Token::Newline => "the end of the line".to_owned(),
            Token::End => "the end of the file".to_owned(),
            Token::Unknown => format!("`{}`, which starts no word or sign", self.text()),
            _ => {
                let text: String = self.text().chars().take(SHOWN_MAX).collect();
                let cut = if text.len() < self.text().len() {
                    "…"
                } else {
                    ""
                };
                format!("`{text}{cut}`")
            }
        };
        self.error(
            &rules::UNEXPECTED,
            self.span,
            format!("expected {wanted}, found {found}"),
            help,
        );
        Reported
    }

    pub(super) fn expect(&mut self, token: Token, wanted: &str, help: &str) -> Parsed<Span> {
        if self.token != token {
            return Err(self.unexpected(wanted, help));
        }
        let span = self.span;
        self.advance();
        Ok(span)
    }

    pub(super) fn eat(&mut self, token: Token) -> bool {
        let here = self.token == token;
        if here {
            self.advance();
        }
        here
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let here = self.token == Token::Word && self.text().eq_ignore_ascii_case(word);
        if here {
            self.advance();
        }
        here
    }

    pub(super) fn word(&mut self, wanted: &str, help: &str) -> Parsed<(&'s str, Span)> {
        let text = self.text();
        self.short()?;
        let span = self.expect(Token::Word, wanted, help)?;
        Ok((text, span))
    }

    pub(super) fn number(&mut self, wanted: &str) -> Parsed<u32> {
        let help = "values are 32 bits: decimal, `0x…`, or negative";
        if self.token != Token::Number {
            return Err(self.unexpected(wanted, help));
        }
        self.short()?;
        let text = self.text().replace('_', "");
        let value = if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            u32::from_str_radix(hex, 16).ok()
        } else if text.starts_with('-') {
            text.parse::<i32>().ok().map(i32::cast_unsigned)
        } else {
            text.parse::<u32>().ok()
        };
        let Some(value) = value else {
            let message = format!("`{}` is not a 32-bit number", self.text());
            self.error(&rules::UNEXPECTED, self.span, message, help);
            self.advance();
            return Err(Reported);
        };
        self.advance();
        Ok(value)
    }

    /// A number that counts something: 0, 1, …
    pub(super) fn count(&mut self, wanted: &str) -> Parsed<u32> {
        let help = "counting starts at 0";
        if self.token == Token::Number && self.text().starts_with('-') {
            return Err(self.unexpected(wanted, help));
        }
        self.number(wanted)
    }

    /// Reports a token that is too long to be meant; messages repeat the others.
    pub(super) fn short(&mut self) -> Parsed<()> {
        let bytes = self.text().len();
        if bytes <= WORD_BYTES_MAX || self.token == Token::Newline {
            return Ok(());
        }
        let message = format!("this has {bytes} bytes; the limit is {WORD_BYTES_MAX}");
        let help = "names, numbers and titles are short";
        self.error(&rules::LIMIT_EXCEEDED, self.span, message, help);
        self.advance();
        Err(Reported)
    }

    /// Continues after a mistake: at the end of the line, of the instruction or of the block.
    pub(super) fn recover(&mut self, in_block: bool) {
        loop {
            match self.token {
                Token::End | Token::Newline => return,
                Token::Semicolon | Token::CloseBrace if in_block => return,
                Token::OpenBrace if !in_block => {
                    // A block that belongs to no thread is skipped whole.
                    while !matches!(self.token, Token::CloseBrace | Token::End) {
                        self.advance();
                    }
                }
                _ => self.advance(),
            }
        }
    }
}
