//! One token after the other, with the comments between them; mistakes and how to continue after one.

use super::{FINDINGS_MAX, Parsed, Parser, Reported, WORD_BYTES_MAX};
use crate::finding::{Finding, Rule, Span};
use crate::id::narrow;
use crate::lower::rules::lexer::Token;
use crate::lower::rules::{mistakes, suggest};
use std::sync::Arc;

impl<'s> Parser<'s> {
    /// Moves to the next token; comments are collected.
    pub(super) fn advance(&mut self) {
        if self.token == Token::Newline {
            self.line_begun = false;
        } else {
            self.last_end = self.span.end;
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
                let text = self.text().trim_end().to_owned();
                if self.line_begun {
                    self.trailing = Some(text);
                } else {
                    self.before.push(text);
                }
                continue;
            }
            return;
        }
    }

    pub(super) fn text(&self) -> &'s str {
        &self.source.text[self.span.start as usize..self.span.end as usize]
    }

    /// Comment lines before what begins here.
    pub(super) fn take_before(&mut self) -> Vec<String> {
        // A comment after a brace or a mistake belongs to what follows.
        let stray = self.trailing.take();
        let lines = std::mem::take(&mut self.before);
        stray.into_iter().chain(lines).collect()
    }

    pub(super) fn skip_newlines(&mut self) {
        while self.token == Token::Newline {
            self.advance();
        }
    }

    /// Skips what ends statements.
    pub(super) fn skip_ends(&mut self) {
        while matches!(self.token, Token::Newline | Token::Semicolon) {
            self.advance();
        }
    }

    /// A statement is over.
    pub(super) fn ended(&mut self) -> Parsed<()> {
        match self.token {
            Token::Newline | Token::Semicolon | Token::CloseBrace | Token::End => Ok(()),
            _ => Err(self.unexpected(
                "the end of the statement",
                "statements end with the line, `;` or `}`",
            )),
        }
    }

    pub(super) fn report(
        &mut self,
        rule: &'static Rule,
        span: Span,
        message: impl Into<Arc<str>>,
        help: impl Into<Arc<str>>,
    ) -> Reported {
        if self.findings.len() < FINDINGS_MAX {
            let finding = Finding::new(rule, span, message).help(help);
            self.findings.push(finding);
        }
        Reported
    }

    /// A mistake in the text.
    pub(super) fn mistake(
        &mut self,
        span: Span,
        message: impl Into<Arc<str>>,
        help: impl Into<Arc<str>>,
    ) -> Reported {
        self.report(&mistakes::UNEXPECTED, span, message, help)
    }

    /// A word that names nothing.
    pub(super) fn unknown(
        &mut self,
        what: &str,
        word: &str,
        span: Span,
        known: &[&str],
    ) -> Reported {
        let help = suggest::known(word, known);
        let message = format!("there is no {what} `{word}`");
        self.report(&mistakes::UNKNOWN_NAME, span, message, help)
    }

    /// Reports that the current token is not one of the words that may be here.
    pub(super) fn wrong_word(&mut self, wanted: &str, known: &[&str]) -> Reported {
        if self.token != Token::Word {
            return self.unexpected(wanted, &format!("known: {}", known.join(", ")));
        }
        let (word, span) = (self.text(), self.span);
        let help = suggest::known(word, known);
        let message = format!("expected {wanted}, found `{}`", suggest::cut(word));
        self.mistake(span, message, help)
    }

    /// Reports that the current token is not what is expected.
    pub(super) fn unexpected(&mut self, wanted: &str, help: &str) -> Reported {
        let found = match self.token {
            Token::Newline => "the end of the line".to_owned(),
            Token::End => "the end of the file".to_owned(),
            Token::Unknown if self.text().starts_with('"') => {
                "a text without its closing quote".to_owned()
            }
            Token::Unknown => format!(
                "`{}`, which starts no word or sign",
                suggest::cut(self.text())
            ),
            _ => format!("`{}`", suggest::cut(self.text())),
        };
        let message = format!("expected {wanted}, found {found}");
        self.mistake(self.span, message, help)
    }

    pub(super) fn expect(&mut self, token: Token, wanted: &str) -> Parsed<Span> {
        if self.token != token {
            return Err(self.unexpected(wanted, "the page on rule files has the grammar"));
        }
        let span = self.span;
        self.advance();
        Ok(span)
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let here = self.token == Token::Word && self.text() == word;
        if here {
            self.advance();
        }
        here
    }

    /// One of a few words.
    pub(super) fn choose(&mut self, wanted: &str, words: &[&'static str]) -> Parsed<&'static str> {
        let found = words.iter().find(|word| **word == self.text());
        let Some(word) = found.filter(|_| self.token == Token::Word) else {
            return Err(self.wrong_word(wanted, words));
        };
        self.advance();
        Ok(word)
    }

    /// A text in quotes.
    pub(super) fn string(&mut self, wanted: &str) -> Parsed<(String, Span)> {
        if self.token != Token::Text {
            return Err(self.unexpected(wanted, "write it as \"text\""));
        }
        self.short()?;
        let span = self.span;
        let inner = &self.text()[1..self.text().len() - 1];
        let mut text = String::with_capacity(inner.len());
        let mut escaped = false;
        for c in inner.chars() {
            if escaped || c != '\\' {
                text.push(c);
                escaped = false;
            } else {
                escaped = true;
            }
        }
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            return Err(self.mistake(span, "this text is empty or has control characters", wanted));
        }
        self.advance();
        Ok((text, span))
    }

    /// A name: a word, or anything in quotes.
    pub(super) fn word_or_text(&mut self, wanted: &str) -> Parsed<(String, Span)> {
        if self.token == Token::Text {
            return self.string(wanted);
        }
        self.short()?;
        let (text, span) = (self.text().to_owned(), self.span);
        self.expect(Token::Word, wanted)?;
        Ok((text, span))
    }

    /// Reports a token that is too long to be meant; messages repeat the others.
    pub(super) fn short(&mut self) -> Parsed<()> {
        let bytes = self.text().len();
        if bytes <= WORD_BYTES_MAX || self.token == Token::Newline {
            return Ok(());
        }
        let message = format!("this has {bytes} bytes; the limit is {WORD_BYTES_MAX}");
        let reported = self.mistake(self.span, message, "names and numbers are short");
        Err(reported)
    }

    /// Continues after a mistake in a statement: at what ends it.
    pub(super) fn recover_statement(&mut self) {
        while !matches!(
            self.token,
            Token::Newline | Token::Semicolon | Token::CloseBrace | Token::End
        ) {
            self.advance();
        }
        self.trailing = None;
    }

    /// Continues after a mistake in a block: after it.
    pub(super) fn recover_block(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.token {
                Token::End => return,
                Token::OpenBrace => depth += 1,
                Token::CloseBrace => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.advance();
                        return;
                    }
                }
                // A new block begins a line.
                Token::Word
                    if depth == 0 && !self.line_begun && super::BLOCKS.contains(&self.text()) =>
                {
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }
}
