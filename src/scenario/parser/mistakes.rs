//! How a mistake becomes a finding.

use super::{FINDINGS_MAX, NAME_BYTES_MAX, Parsed, Parser, Reported};
use crate::finding::{Finding, Rule, Span, head};
use crate::scenario::lexer::Token;
use crate::scenario::rules;
use crate::scenario::suggest::nearest;
use std::sync::Arc;

impl Parser<'_, '_> {
    pub(super) fn report(&mut self, finding: Finding) {
        if self.stopped {
            return;
        }
        let span = finding.span;
        self.findings.push(finding);
        if self.findings.len() >= FINDINGS_MAX {
            self.findings.push(Finding::new(
                &rules::LIMIT_EXCEEDED,
                span,
                format!("more than {FINDINGS_MAX} errors; the rest of the file was not read"),
            ));
            self.stopped = true;
            self.ahead = None;
            self.token = Token::End;
        }
    }

    pub(super) fn error(
        &mut self,
        rule: &'static Rule,
        span: Span,
        message: impl Into<Arc<str>>,
        help: Option<String>,
    ) -> Reported {
        let mut finding = Finding::new(rule, span, message);
        finding.help = help.map(Arc::from);
        self.report(finding);
        Reported
    }

    /// Reports that the current token is not what is expected.
    pub(super) fn unexpected(&mut self, wanted: &str) -> Reported {
        if matches!(self.token, Token::Unknown) {
            // Already reported by the lexer.
            return Reported;
        }
        if self.token == Token::OpenText {
            return self.error(
                &rules::UNEXPECTED_TOKEN,
                self.span,
                "a string has no closing `\"`",
                None,
            );
        }
        let found = self.token.describe(self.slice());
        self.error(
            &rules::UNEXPECTED_TOKEN,
            self.span,
            format!("expected {wanted}, found {found}"),
            None,
        )
    }

    /// Reports that a word is none of the allowed ones. `what` is a noun without an article.
    pub(super) fn unknown_word(
        &mut self,
        what: &str,
        word: &str,
        span: Span,
        allowed: &[&str],
    ) -> Reported {
        let help = match nearest(word, allowed.iter().copied()) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None if allowed.len() <= 24 && !allowed.is_empty() => {
                Some(format!("one of: {}", allowed.join(", ")))
            }
            None => None,
        };
        // A word may be as long as the file.
        let shown = head(word, NAME_BYTES_MAX);
        let more = if shown == word { "" } else { "…" };
        self.error(
            &rules::UNEXPECTED_TOKEN,
            span,
            format!("unknown {what} `{shown}{more}`"),
            help,
        )
    }

    /// Reports an option that was given before.
    pub(super) fn once(&mut self, seen: &mut u32, bit: u32, word: &str, span: Span) -> Parsed<()> {
        if *seen & bit != 0 {
            return Err(self.error(
                &rules::DUPLICATE_OPTION,
                span,
                format!("`{word}` is given twice"),
                Some("keep one of them".to_owned()),
            ));
        }
        *seen |= bit;
        Ok(())
    }

    /// Reports a table that is full.
    pub(super) fn room(&mut self, count: usize, max: usize, what: &str, span: Span) -> Parsed<()> {
        if count < max {
            return Ok(());
        }
        Err(self.error(
            &rules::LIMIT_EXCEEDED,
            span,
            format!("more than {max} {what}"),
            None,
        ))
    }
}
