//! Comments, blank lines, expectations and allowances: everything that the printer keeps and no rule reads.

use super::super::lexer::Token;
use super::super::model::{Allow, Comments, Expectation, Lines, Trivia};
use super::super::rules;
use super::Parser;
use crate::finding::{Source, Span};
use crate::id::narrow;
use memchr::memchr_iter;

/// A comment or blank line that no statement has taken yet.
#[derive(Copy, Clone, Debug)]
pub(super) enum Pending {
    /// One or more empty lines.
    Blank,
    /// A comment; `own_line` if nothing precedes it on its line.
    Comment { span: Span, own_line: bool },
}

/// Comments and blank lines for which a statement keeps room.
const PENDING_KEPT: usize = 64;

/// What a statement's start remembers until its end.
pub(super) struct Start {
    span: Span,
    comments: Option<Box<Comments>>,
    allows: Vec<String>,
    previous_end: u32,
    first: bool,
}

impl Start {
    /// Where the statement starts.
    pub(super) fn at(&self) -> Span {
        self.span
    }
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

impl Parser<'_, '_> {
    /// Reads line ends, comments and blank lines up to the next token, which waits in `ahead`.
    pub(super) fn newlines(&mut self, mut token: Token, mut span: Span) {
        let first = span;
        let mut newline: Option<Span> = None;
        let mut empty = !self.line_begun;
        loop {
            match token {
                Token::Newline => {
                    newline.get_or_insert(span);
                    if empty && !matches!(self.pending.last(), Some(Pending::Blank)) {
                        self.pending.push(Pending::Blank);
                    }
                    empty = true;
                    self.line_begun = false;
                }
                Token::Comment => {
                    self.read_comment(span);
                    empty = false;
                }
                _ => break,
            }
            (token, span) = self.raw();
        }
        match newline {
            Some(at) if token != Token::End => {
                self.ahead = Some((token, span));
                (self.token, self.span) = (Token::Newline, at);
            }
            _ => {
                (self.token, self.span) = (token, span);
                self.line_begun = true;
            }
        }
        if self.stopped {
            (self.token, self.span, self.ahead) = (Token::End, first, None);
        }
    }

    fn read_comment(&mut self, mut span: Span) {
        let text = self.text[span.start as usize..span.end as usize].trim_end();
        span.end = span.start + narrow(text.len());
        if let Some(ids) = text.strip_prefix("//~") {
            self.expectation(ids, span);
        } else if let Some(ids) = text[2..].trim_start().strip_prefix("syncscope: allow ") {
            self.pending_allow.extend(
                ids.split(',')
                    .map(|id| id.trim().to_owned())
                    .filter(|id| !id.is_empty()),
            );
        }
        self.pending.push(Pending::Comment {
            span,
            own_line: !self.line_begun,
        });
    }

    fn expectation(&mut self, ids: &str, span: Span) {
        let ids: Vec<String> = ids
            .split(',')
            .map(|id| id.trim().to_owned())
            .filter(|id| !id.is_empty())
            .collect();
        let is_well_formed =
            |id: &String| id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        // Well-formed ids count even along with malformed ones.
        let (ids, bad): (Vec<_>, Vec<_>) = ids.into_iter().partition(is_well_formed);
        if ids.is_empty() || !bad.is_empty() {
            let message = match bad.first() {
                Some(word) => format!("`{word}` does not name a finding"),
                None => "an expectation must name a finding".to_owned(),
            };
            self.error(
                &rules::BAD_EXPECTATION,
                span,
                message,
                Some("write `//~ HZ101`, `//~ HZ101, EB` or `//~ none`".to_owned()),
            );
        }
        if ids.is_empty() {
            return;
        }
        let none = ids.iter().any(|id| id.eq_ignore_ascii_case("none"));
        let clash = if none {
            ids.len() > 1 || self.expected.1
        } else {
            self.expected.0
        };
        if clash {
            self.error(
                &rules::BAD_EXPECTATION,
                span,
                "`//~ none` cannot be combined with other expectations",
                Some("remove `none`, or the other expectations".to_owned()),
            );
            return;
        }
        if none {
            self.expected.0 = true;
        } else {
            self.expected.1 = true;
        }
        let ids = if none { Vec::new() } else { ids };
        self.out.expectations.push(Expectation {
            line: self.source.line(span.start),
            ids,
            span,
        });
    }

    fn comment(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Takes what is pending as lines; an empty string is an empty line. No empty line first or last.
    fn take_lines(&mut self, blank_before: &mut bool) -> Lines {
        let mut lines = Lines::default();
        for entry in &self.pending {
            match entry {
                Pending::Blank if lines.is_empty() => *blank_before = true,
                Pending::Blank => lines.push(""),
                Pending::Comment { span, .. } => lines.push(self.comment(*span)),
            }
        }
        self.pending.clear();
        self.pending.shrink_to(PENDING_KEPT);
        lines.shrink();
        lines
    }

    /// Begins a statement: takes the comments before it. `first` in its block or file.
    pub(super) fn begin(&mut self, first: bool) -> Start {
        let mut comments = None;
        if !self.pending.is_empty() {
            let mut taken = Comments::default();
            taken.before = self.take_lines(&mut taken.blank_before);
            taken.blank_before &= !first;
            if taken != Comments::default() {
                comments = Some(Box::new(taken));
            }
        }
        Start {
            span: self.span,
            comments,
            allows: std::mem::take(&mut self.pending_allow),
            previous_end: self.last_token_end(),
            first,
        }
    }

    /// End of the token before the current one, line ends and `;` not counted; 0 where no expectation asks for it.
    fn last_token_end(&self) -> u32 {
        if self.expecting.is_empty() {
            return 0;
        }
        let before = &self.text[..self.span.start as usize];
        narrow(before.trim_end_matches([' ', '\t', '\r', ';']).len())
    }

    /// After a block's `{`: the comment on its line.
    pub(super) fn opening_comment(&mut self) -> Option<String> {
        match self.pending.first() {
            Some(Pending::Comment {
                span,
                own_line: false,
            }) if self.token == Token::Newline => {
                let text = self.comment(*span).to_owned();
                self.pending.remove(0);
                Some(text)
            }
            _ => None,
        }
    }

    /// What is left at the end of the file.
    pub(super) fn inside_comments_with_blank(&mut self, blank: &mut bool) -> Lines {
        self.take_lines(blank)
    }

    /// After an option block (or none): its comments, which have no statement of their own. A comment after the
    /// closing brace is left to the statement.
    pub(super) fn option_block(&mut self) -> Block {
        let after =
            match self.pending.iter().position(
                |p| matches!(p, Pending::Comment { span, .. } if span.start >= self.last_end),
            ) {
                Some(index) => self.pending.split_off(index),
                None => Vec::new(),
            };
        let at_blank = self.pending.iter().all(|p| matches!(p, Pending::Blank));
        let inside = if at_blank && after.is_empty() {
            Lines::default()
        } else {
            self.inside_comments()
        };
        self.pending.extend(after);
        Block {
            open: None,
            inside,
            last_end: 0,
        }
    }

    /// Before a block's `}`: the comments that no statement took.
    pub(super) fn inside_comments(&mut self) -> Lines {
        if self.pending.is_empty() {
            return Lines::default();
        }
        let mut lines = self.take_lines(&mut false);
        lines.trim_end();
        lines
    }

    /// Ends a statement: its span, and its comments.
    pub(super) fn finish(&mut self, start: Start, mut block: Option<Block>) -> (Span, Trivia) {
        let span = Span {
            start: start.span.start,
            end: self.last_end.max(start.span.start),
        };
        // A comment may follow on the same line, also after a `;`.
        if self.token == Token::Semicolon {
            self.bump();
        }
        let is_bare = start.comments.is_none() && start.allows.is_empty() && block.is_none();
        if is_bare && self.pending.is_empty() && self.expecting.is_empty() {
            return (span, Trivia(None));
        }
        let mut trivia = Trivia(start.comments);
        if let Some(block) = &mut block
            && (block.open.is_some() || !block.inside.is_empty())
        {
            let comments = trivia.0.get_or_insert_default();
            comments.open = block.open.take();
            comments.inside = std::mem::take(&mut block.inside);
        }
        if let Some(Pending::Comment {
            span: at,
            own_line: false,
        }) = self.pending.first().copied()
            && matches!(self.token, Token::Newline | Token::End)
        {
            self.pending.remove(0);
            trivia.0.get_or_insert_default().after = Some(self.comment(at).to_owned());
        }
        if !start.allows.is_empty() {
            self.out.allows.push(Allow {
                ids: start.allows,
                covers: span,
            });
        }
        if !self.expecting.is_empty() {
            self.keep_lines(
                span,
                start.first,
                start.previous_end,
                block.as_ref(),
                &mut trivia,
            );
        }
        (span, trivia)
    }

    fn expects(&self, line: u32) -> bool {
        self.expecting.binary_search(&line).is_ok()
    }

    /// Marks what must stay on its line because an expectation names that line.
    fn keep_lines(
        &self,
        span: Span,
        first: bool,
        previous_end: u32,
        block: Option<&Block>,
        trivia: &mut Trivia,
    ) {
        let line = self.source.line(span.start);
        let last = self.source.line(span.end.saturating_sub(1).max(span.start));
        let keep_line = block.is_some() && line == last && self.expects(line);
        let joined = self.expects(line)
            && previous_end > 0
            && self.source.line(previous_end - 1) == line
            && !(first && self.depth == 0 && previous_end == 0);
        let close_joined = block.is_some_and(|b| {
            line != last
                && self.expects(last)
                && b.last_end > 0
                && self.source.line(b.last_end - 1) == last
        });
        if keep_line || joined || close_joined {
            let comments = trivia.0.get_or_insert_default();
            comments.keep_line = keep_line;
            comments.joined = joined;
            comments.close_joined = close_joined;
        }
    }

    /// Reads `{ statement … }` whose statements have trivia. `statement` gets whether it is the first.
    pub(super) fn block(
        &mut self,
        mut statement: impl FnMut(&mut Self, bool) -> super::Parsed<()>,
    ) -> super::Parsed<Block> {
        self.skip_newline();
        let opens = self.span;
        self.expect(Token::OpenBrace, "`{`")?;
        let mut block = Block {
            open: self.opening_comment(),
            inside: Lines::default(),
            last_end: 0,
        };
        let mut first = true;
        loop {
            self.skip_separators();
            match self.token {
                Token::CloseBrace => {
                    block.last_end = if first { 0 } else { self.last_token_end() };
                    block.inside = self.inside_comments();
                    self.bump();
                    return Ok(block);
                }
                Token::End => return Err(self.unclosed(opens)),
                _ => {
                    let at = self.span;
                    if statement(self, first).is_err() {
                        self.recover();
                        self.pending.clear();
                        if self.span == at && !self.at_end() {
                            self.bump();
                        }
                    }
                    first = false;
                }
            }
        }
    }
}

/// What a block has besides statements: its comments.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Comment on the line of the `{`.
    pub(super) open: Option<String>,
    /// Comments before the `}`.
    pub(super) inside: Lines,
    /// End of the last statement inside; 0 if there is none.
    pub(super) last_end: u32,
}
