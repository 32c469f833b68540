//! How a mistake becomes a finding.

use super::{NAME_BYTES_MAX, Parsed, Parser, Reported};
use crate::finding::{Span, head};
use crate::scenario::rules;
use crate::scenario::suggest::nearest;

impl Parser<'_, '_> {
    pub(super) fn unexpected(&mut self, wanted: &str) -> Reported {
        self.tokens.unexpected(wanted, None)
    }

    /// Reports that a word is none of the allowed ones. `what` is a noun without an article.
    pub(super) fn unknown_word(
        &mut self,
        what: &str,
        word: &str,
        span: Span,
        allowed: &[&str],
    ) -> Reported {
        self.offer_wanted(span, what);
        self.offer(span, allowed);
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
        self.mistake(span, format!("unknown {what} `{shown}{more}`"), help)
    }

    /// Reports an option that was given before.
    pub(super) fn once(&mut self, seen: &mut u32, bit: u32, word: &str, span: Span) -> Parsed<()> {
        if *seen & bit != 0 {
            return Err(self.error(
                &rules::DUPLICATE_OPTION,
                span,
                format!("`{word}` is given twice"),
                "keep one of them",
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
