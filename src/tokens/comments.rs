//! Comments, blank lines, expectations and allowances between tokens.

use super::{Grammar, Tokens};
use crate::finding::{Source, Span};
use crate::id::narrow;
use memchr::memchr_iter;

/// A comment or blank line that no statement has taken yet.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Pending {
    /// One or more empty lines.
    Blank,
    /// A comment; `own_line` if nothing precedes it on its line.
    Comment { span: Span, own_line: bool },
}

/// Comments and blank lines for which a statement keeps room.
const PENDING_KEPT: usize = 64;

/// What a `//~` says.
pub(crate) struct Expected {
    /// Line, counted from 1.
    pub(crate) line: u32,
    /// Ids, names or families; empty means `none`.
    pub(crate) ids: Vec<String>,
    pub(crate) span: Span,
}

/// The lines that hold an expectation. A `//~` in a string only makes the printer keep that line.
pub(super) fn expecting_lines(source: &Source) -> Vec<u32> {
    // No text but one with expectations has many of these characters.
    let text = source.text.as_bytes();
    let mut lines: Vec<u32> = memchr_iter(b'~', text)
        .filter(|at| text[..*at].ends_with(b"//"))
        .map(|at| source.line(narrow(at)))
        .collect();
    lines.dedup();
    lines
}

/// How a comment begins that expects something.
const EXPECTS: &str = "//~";

/// Whether a comment expects something of its line.
pub(crate) fn is_expectation(comment: &str) -> bool {
    comment.starts_with(EXPECTS)
}

/// Whether a comment expects that there is nothing to be found, on any line.
pub(crate) fn is_of_none(comment: &str) -> bool {
    let ids = comment.strip_prefix(EXPECTS);
    ids.is_some_and(|ids| ids.trim().eq_ignore_ascii_case("none"))
}

/// What a comment allows of the next statement, if it allows something.
fn allowed(comment: &str) -> Option<&str> {
    let text = comment[2..].trim_start();
    text.strip_prefix("syncscope: allow ")
}

/// Whether a comment allows something of the next statement.
pub(crate) fn is_allowance(comment: &str) -> bool {
    allowed(comment).is_some()
}

/// The ids of a list with commas.
fn ids(text: &str) -> impl Iterator<Item = String> {
    let ids = text.split(',').map(str::trim);
    ids.filter(|id| !id.is_empty()).map(str::to_owned)
}

impl<'s, T: Grammar> Tokens<'s, T> {
    /// Reads line ends, comments and blank lines up to the next token, which waits in `ahead` after a line end that is a token.
    pub(super) fn newlines(&mut self, mut token: T, mut span: Span) {
        let first = span;
        let mut newline: Option<Span> = None;
        let mut empty = !self.line_begun;
        loop {
            if token == T::NEWLINE {
                newline.get_or_insert(span);
                let is_known = matches!(self.pending.last(), Some(Pending::Blank));
                if empty && !is_known && !self.joins_lines {
                    self.pending.push(Pending::Blank);
                }
                empty = true;
                self.line_begun = false;
            } else if token == T::COMMENT {
                self.read_comment(span);
                empty = false;
            } else {
                break;
            }
            (token, span) = self.raw();
        }
        if let Some(at) = newline.filter(|_| !self.joins_lines) {
            self.ahead = Some((token, span));
            (self.token, self.span) = (T::NEWLINE, at);
        } else {
            (self.token, self.span) = (token, span);
            self.line_begun = true;
        }
        if self.stopped {
            (self.token, self.span, self.ahead) = (T::END, first, None);
        }
    }

    fn read_comment(&mut self, mut span: Span) {
        let text = self.text[span.start as usize..span.end as usize].trim_end();
        span.end = span.start + narrow(text.len());
        if T::EXPECTATION.is_some()
            && let Some(ids) = text.strip_prefix(EXPECTS)
        {
            self.expectation(ids, span);
        } else if let Some(of) = allowed(text) {
            self.pending_allow.extend(ids(of));
        }
        self.pending.push(Pending::Comment {
            span,
            own_line: !self.line_begun,
        });
    }

    fn expectation(&mut self, text: &str, span: Span) {
        let Some((rule, written)) = T::EXPECTATION else {
            return;
        };
        let is_well_formed =
            |id: &String| id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        // Well-formed ids count even along with malformed ones.
        let (ids, bad): (Vec<_>, Vec<_>) = ids(text).partition(is_well_formed);
        if ids.is_empty() || !bad.is_empty() {
            let message = match bad.first() {
                Some(word) => format!("`{word}` does not name a finding"),
                None => "an expectation must name a finding".to_owned(),
            };
            self.error(rule, span, message, written);
        }
        if ids.is_empty() {
            return;
        }
        let none = ids.iter().any(|id| id.eq_ignore_ascii_case("none"));
        // All say `none`, or all name findings: the first one tells which.
        let before = self.expected.first().map(|first| first.ids.is_empty());
        if none && ids.len() > 1 || before.is_some_and(|before| before != none) {
            let message = "`//~ none` cannot be combined with other expectations";
            let help = "remove `none`, or the other expectations";
            self.error(rule, span, message, help);
            return;
        }
        self.expected.push(Expected {
            line: self.source.line(span.start),
            ids: if none { Vec::new() } else { ids },
            span,
        });
    }

    /// Whether the line has an expectation.
    pub(crate) fn expects(&self, line: u32) -> bool {
        self.expecting.binary_search(&line).is_ok()
    }

    /// The text of a comment.
    pub(crate) fn comment(&self, span: Span) -> &'s str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Takes the comment lines that are pending, each with its `//`; an empty one is an empty line between two others, or
    /// after the last. Returns whether an empty line is before them.
    pub(crate) fn take_lines(&mut self, mut take: impl FnMut(&'s str)) -> bool {
        let (mut blank_before, mut any) = (false, false);
        for entry in &self.pending {
            match entry {
                Pending::Blank if any => take(""),
                Pending::Blank => blank_before = true,
                Pending::Comment { span, .. } => {
                    take(self.comment(*span));
                    any = true;
                }
            }
        }
        self.pending.clear();
        self.pending.shrink_to(PENDING_KEPT);
        blank_before
    }

    /// Takes the comment lines that are pending, without empty lines at their ends.
    pub(crate) fn lines(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        self.take_lines(|line| lines.push(line.to_owned()));
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    /// After a block's `{`: the comment on its line. After a statement: the one after it.
    pub(crate) fn comment_on_line(&mut self) -> Option<String> {
        match self.pending.first() {
            Some(Pending::Comment {
                span,
                own_line: false,
            }) if self.token == T::NEWLINE || self.token == T::END => {
                let text = self.comment(*span).to_owned();
                self.pending.remove(0);
                Some(text)
            }
            _ => None,
        }
    }

    /// After a statement: the comment on its line, which may also follow a `;`.
    pub(crate) fn comment_after(&mut self) -> Option<String> {
        self.skip_semicolons();
        self.comment_on_line()
    }

    /// Skips the `;` after a statement.
    pub(crate) fn skip_semicolons(&mut self) {
        while self.eat(T::SEMICOLON) {}
    }
}
