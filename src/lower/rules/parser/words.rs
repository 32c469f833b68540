//! Words and texts, and what to say of a wrong one.

use super::{BLOCKS, Parsed, Parser};
use crate::finding::Span;
use crate::lower::rules::lexer::Token;
use crate::lower::rules::{mistakes, suggest};
use crate::tokens::{Reported, shown};

impl Parser<'_> {
    /// Comment lines before what begins here.
    pub(super) fn take_before(&mut self) -> Vec<String> {
        let mut lines = self.lines();
        // Blank lines are the printer's business.
        lines.retain(|line| !line.is_empty());
        lines
    }

    /// A word that names nothing.
    pub(super) fn unknown(
        &mut self,
        what: &str,
        word: &str,
        span: Span,
        known: &[&str],
    ) -> Reported {
        self.offer_wanted(span, what);
        self.offer(span, known);
        let help = suggest::known(word, known);
        let message = format!("there is no {what} `{word}`");
        self.error(&mistakes::UNKNOWN_NAME, span, message, help)
    }

    /// Reports that the current token is not one of the words that may be here.
    pub(super) fn wrong_word(&mut self, wanted: &str, known: &[&str]) -> Reported {
        if self.token != Token::Word {
            return self.unexpected(wanted, format!("known: {}", known.join(", ")));
        }
        let (word, span) = (self.slice(), self.span);
        self.offer_wanted(span, wanted);
        self.offer(span, known);
        let help = suggest::known(word, known);
        let message = format!("expected {wanted}, found {}", shown(word));
        self.mistake(span, message, help)
    }

    pub(super) fn expect(&mut self, token: Token, wanted: &str) -> Parsed<Span> {
        let help = "the page on rule files has the grammar";
        self.0.expect(token, wanted, help)
    }

    /// One of a few words.
    pub(super) fn choose(&mut self, wanted: &str, words: &[&'static str]) -> Parsed<&'static str> {
        let Some(word) = words.iter().find(|word| self.at_word(word)) else {
            return Err(self.wrong_word(wanted, words));
        };
        self.bump();
        Ok(word)
    }

    /// A text in quotes.
    pub(super) fn quoted(&mut self, wanted: &str) -> Parsed<(String, Span)> {
        let span = self.span;
        let Some(text) = self.string()? else {
            return Err(self.unexpected(wanted, "write it as \"text\""));
        };
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            let message = "this text is empty or has control characters";
            return Err(self.mistake(span, message, wanted));
        }
        Ok((text.into(), span))
    }

    /// A name: a word, or anything in quotes.
    pub(super) fn word_or_text(&mut self, wanted: &str) -> Parsed<(String, Span)> {
        if self.token == Token::Text {
            return self.quoted(wanted);
        }
        self.short()?;
        let text = self.slice().to_owned();
        let span = self.expect(Token::Word, wanted)?;
        Ok((text, span))
    }

    /// Goes on after a mistake at the level of the file, where all statements are blocks: after the block, or at a line that
    /// begins one.
    pub(super) fn recover_block(&mut self) {
        let (mut depth, mut begins_line) = (0_u32, false);
        while self.token != Token::End {
            match self.token {
                Token::OpenBrace => depth += 1,
                Token::CloseBrace if depth <= 1 => return self.bump(),
                Token::CloseBrace => depth -= 1,
                Token::Word if depth == 0 && begins_line && BLOCKS.contains(&self.slice()) => {
                    return;
                }
                _ => {}
            }
            begins_line = self.token == Token::Newline;
            self.bump();
        }
    }
}
