//! How a mistake becomes a finding, and how reading goes on after it.

use super::{Grammar, Tokens, WORD_BYTES_MAX};
use crate::finding::{Finding, Rule, Span};
use std::sync::Arc;

/// A mistake was reported; the caller that receives this recovers.
#[derive(Debug)]
pub(crate) struct Reported;

pub(crate) type Parsed<T> = Result<T, Reported>;

/// What would be right, where something can be said.
pub(crate) trait Help {
    fn text(self) -> Option<Arc<str>>;
}

impl Help for &str {
    fn text(self) -> Option<Arc<str>> {
        Some(self.into())
    }
}

impl Help for String {
    fn text(self) -> Option<Arc<str>> {
        Some(self.into())
    }
}

impl Help for Option<String> {
    fn text(self) -> Option<Arc<str>> {
        self.map(Arc::from)
    }
}

/// A token as a message repeats it: no more than its first characters.
pub(crate) fn shown(token: &str) -> String {
    const SHOWN_MAX: usize = 40;
    match token.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("`{}…`", &token[..end]),
        None => format!("`{token}`"),
    }
}

impl<T: Grammar> Tokens<'_, T> {
    /// Adds a finding. After too many, what follows reads as the end of the text.
    pub(crate) fn report(&mut self, finding: Finding) -> Reported {
        if self.stopped {
            return Reported;
        }
        let span = finding.span;
        self.findings.push(finding);
        let most = T::FINDINGS_MAX;
        if self.findings.len() >= most {
            let message = format!("more than {most} errors; the rest of the file was not read");
            self.findings.push(Finding::new(T::LIMIT, span, message));
            self.stop();
        }
        Reported
    }

    /// What follows reads as the end of the text.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
        self.ahead = None;
        self.token = T::END;
    }

    pub(crate) fn error(
        &mut self,
        rule: &'static Rule,
        span: Span,
        message: impl Into<Arc<str>>,
        help: impl Help,
    ) -> Reported {
        let mut finding = Finding::new(rule, span, message);
        finding.help = help.text();
        self.report(finding)
    }

    /// Reports what is not expected there.
    pub(crate) fn mistake(
        &mut self,
        span: Span,
        message: impl Into<Arc<str>>,
        help: impl Help,
    ) -> Reported {
        self.error(T::UNEXPECTED, span, message, help)
    }

    /// Reports that the current token is not what is expected.
    pub(crate) fn unexpected(&mut self, wanted: &str, help: impl Help) -> Reported {
        self.offer_wanted(self.span, wanted);
        self.offer_quoted(self.span, wanted);
        let found = if self.token == T::NEWLINE {
            "the end of the line".to_owned()
        } else if self.token == T::END {
            "the end of the file".to_owned()
        } else if self.token == T::OPEN_TEXT {
            let message = "a string has no closing `\"`";
            return self.mistake(self.span, message, "close it with `\"`");
        } else if self.token != T::UNKNOWN {
            shown(self.slice())
        } else if T::CHARACTER.is_some() {
            // Said where it was cut.
            return Reported;
        } else {
            format!("{}, which starts no word or sign", shown(self.slice()))
        };
        let message = format!("expected {wanted}, found {found}");
        self.mistake(self.span, message, help)
    }

    /// Takes a token that is required here. Returns its place.
    pub(crate) fn expect(&mut self, token: T, wanted: &str, help: impl Help) -> Parsed<Span> {
        self.offer_wanted(self.span, wanted);
        if self.token != token {
            return Err(self.unexpected(wanted, help));
        }
        let span = self.span;
        self.bump();
        Ok(span)
    }

    /// Merges characters that begin no token into one run.
    pub(super) fn unknown_characters(&mut self, span: &mut Span) {
        loop {
            let (next, place) = T::cut(self.text, span.end as usize);
            if next != T::UNKNOWN || place.start != span.end {
                break;
            }
            span.end = place.end;
        }
        self.cut = span.end;
        let Some(rule) = T::CHARACTER else {
            return;
        };
        let run = &self.text[span.start as usize..span.end as usize];
        let message = format!(
            "{} starts no word, number, string or sign of the language",
            shown(run)
        );
        let help = match run.as_bytes()[0] {
            b'-' => "an arrow is written `->`; there are no negative numbers",
            b'#' | b'/' => "a comment starts with `//`",
            byte if byte.is_ascii() => "leave it out",
            _ => "names, numbers and signs are ASCII; an arrow is written `->`",
        };
        self.error(rule, *span, message, help);
    }

    /// Checks that something has at most so many bytes.
    pub(crate) fn within(
        &mut self,
        what: &str,
        (bytes, most): (usize, usize),
        span: Span,
        help: impl Help,
    ) -> Parsed<()> {
        if bytes <= most {
            return Ok(());
        }
        let message = format!("{what} has {bytes} bytes; the limit is {most}");
        Err(self.error(T::LIMIT, span, message, help))
    }

    /// Checks that the current token is not too long to be meant.
    pub(crate) fn short(&mut self) -> Parsed<()> {
        if self.token == T::NEWLINE {
            return Ok(());
        }
        let size = (self.slice().len(), WORD_BYTES_MAX);
        self.within("this", size, self.span, "names and numbers are short")
    }

    /// Checks that a statement ends here.
    pub(crate) fn ended(&mut self, wanted: &str, help: impl Help) -> Parsed<()> {
        if self.at_end() {
            Ok(())
        } else {
            Err(self.unexpected(wanted, help))
        }
    }

    /// Reports the end of the text inside the block that was opened at `opens`.
    pub(super) fn unclosed(&mut self, opens: Span) -> Reported {
        // Blocks around it end there too: closing the innermost is what to do first.
        const ENDS: &str = "the file ends inside a block";
        let said = |f: &Finding| f.span == self.span && *f.message == *ENDS;
        if self.findings.last().is_some_and(said) {
            return Reported;
        }
        let finding = Finding::new(T::UNEXPECTED, self.span, ENDS)
            .related(opens, "the block opens here")
            .help("close it with `}`");
        self.report(finding)
    }

    /// How many more braces open than close in all of the text, less those that were told of.
    fn braces(&mut self) -> &mut i64 {
        self.braces.get_or_insert_with(|| {
            let (mut open, mut at) = (0, 0);
            loop {
                let (token, place) = T::cut(self.text, at);
                at = place.end as usize;
                if token == T::END {
                    return open;
                }
                open += i64::from(token == T::OPEN_BRACE) - i64::from(token == T::CLOSE_BRACE);
            }
        })
    }

    /// Whether the text has a `}` too many: in the place of another sign that closes something, it closes that and no block.
    pub(crate) fn has_brace_too_many(&mut self) -> bool {
        *self.braces() < 0
    }

    /// Takes a `}` that is one too many, if it is here.
    pub(crate) fn eat_brace_too_many(&mut self) {
        if self.token == T::CLOSE_BRACE && self.has_brace_too_many() {
            *self.braces() += 1;
            self.bump();
        }
    }

    /// Whether a block is never closed, so that what closes something else stands for its `}`. The next one that is asked about
    /// is another block.
    pub(super) fn stands_for_close_brace(&mut self) -> bool {
        let is_such = *self.braces() > 0;
        *self.braces() -= i64::from(is_such);
        is_such
    }

    /// Goes on after a mistake in a statement of the file: at its end, or after its block.
    pub(crate) fn recover(&mut self) {
        self.skip_statement(true);
    }

    /// Skips to the end of a statement, its blocks included if it may have some.
    pub(super) fn skip_statement(&mut self, has_blocks: bool) {
        let mut depth = 0_u32;
        while self.token != T::END {
            if self.token == T::OPEN_BRACE && has_blocks {
                depth += 1;
            } else if self.token == T::CLOSE_BRACE {
                if depth == 0 {
                    return;
                }
                depth -= 1;
                if depth == 0 {
                    return self.bump();
                }
            } else if depth == 0 && self.at_end() && !(has_blocks && self.block_opens()) {
                return;
            }
            self.bump();
        }
    }
}
