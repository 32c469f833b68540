//! Comments, blank lines, expectations and allowances: everything that the printer keeps and no rule reads.

use super::super::lexer::Token;
use super::super::model::{Allow, Comments, Lines, Trivia};
use super::Parser;
use crate::finding::Span;
use crate::tokens::{self, Pending, is_allowance, is_expectation, is_of_none};

/// What a statement's start remembers until its end.
pub(super) struct Start {
    span: Span,
    comments: Option<Box<Comments>>,
    allows: Vec<String>,
    /// Where the statement before it starts, which may be one around it.
    previous: Option<u32>,
}

impl Start {
    /// Where the statement starts.
    pub(super) fn at(&self) -> Span {
        self.span
    }
}

impl Parser<'_, '_> {
    /// Takes what is pending as lines; an empty string is an empty line. No empty line first.
    pub(super) fn comment_lines(&mut self, blank_before: &mut bool) -> Lines {
        let mut lines = Lines::default();
        *blank_before |= self.take_lines(|line| lines.push(line));
        lines.shrink();
        lines
    }

    /// Begins a statement: takes the comments before it. `first` in its block or file.
    pub(super) fn begin(&mut self, first: bool) -> Start {
        let mut comments = None;
        if !self.pending.is_empty() {
            let mut taken = Comments::default();
            taken.before = self.comment_lines(&mut taken.blank_before);
            taken.blank_before &= !first;
            if taken != Comments::default() {
                comments = Some(Box::new(taken));
            }
        }
        self.before_options = 0;
        Start {
            span: self.span,
            comments,
            allows: std::mem::take(&mut self.pending_allow),
            previous: self.begun.replace(self.span.start).max(self.used),
        }
    }

    /// After an option block (or none): its comments, which have no statement of their own, and those of the statement
    /// before it. A comment after the closing brace is left to the statement.
    pub(super) fn option_block(&mut self) -> Block {
        let open = self.comment_of_first_line(self.last_end);
        // A mistake in the block takes its comments away.
        let head = std::mem::take(&mut self.before_options).min(self.pending.len());
        let head = self.comments_of_head(head - usize::from(open.is_some() && head > 0));
        let is_after =
            |p: &Pending| matches!(p, Pending::Comment { span, .. } if span.start >= self.last_end);
        let after = match self.pending.iter().position(is_after) {
            Some(index) => {
                // Empty lines before a comment on a line of its own are before what it is about.
                let own_line =
                    matches!(self.pending[index], Pending::Comment { own_line: true, .. });
                let before = self.pending[..index].iter().rev();
                let blank = before.take_while(|p| matches!(p, Pending::Blank)).count();
                let index = if own_line { index - blank } else { index };
                self.pending.split_off(index)
            }
            None => Vec::new(),
        };
        let at_blank = self.pending.iter().all(|p| matches!(p, Pending::Blank));
        let inside = if at_blank && after.is_empty() {
            Lines::default()
        } else {
            self.inside_comments()
        };
        self.pending.extend(after);
        Block { head, open, inside }
    }

    /// Takes so many comments, those that are inside a statement before its block opens, or before it ends if it has none. They
    /// belong before the statement, except where one allows something of what comes next.
    fn comments_of_head(&mut self, count: usize) -> Lines {
        let allows = |entry: &Pending| matches!(entry, Pending::Comment { span, .. } if is_allowance(self.comment(*span)));
        if count == 0 || self.pending[..count].iter().any(allows) {
            return Lines::default();
        }
        let rest = self.pending.split_off(count);
        let mut lines = self.comment_lines(&mut false);
        lines.trim_end();
        self.pending.extend(rest);
        lines
    }

    /// The comment on the first line of the statement that began last, if it is before `end`. It stays on the line on which
    /// the statement starts, as it may expect something of that line.
    fn comment_of_first_line(&mut self, end: u32) -> Option<String> {
        let Some(Pending::Comment { span, .. }) = self.pending.first().copied() else {
            return None;
        };
        if span.start >= end || !self.is_on_line_of_begun(span) {
            return None;
        }
        self.pending.remove(0);
        Some(self.comment(span).to_owned())
    }

    /// Whether the statement that began last starts on the line of this place, which is after its start.
    fn is_on_line_of_begun(&self, place: Span) -> bool {
        let begun = self.begun.map_or(0, |begun| begun as usize);
        !self.text[begun..place.start as usize].contains('\n')
    }

    /// Whether a use of the statement that began last starts on the line of this place.
    fn is_on_line_of_use(&self, place: Span) -> bool {
        let used = self.used.filter(|used| Some(*used) > self.begun);
        used.is_some_and(|used| {
            let between = self.text.get(used as usize..place.start as usize);
            between.is_some_and(|text| !text.contains('\n'))
        })
    }

    /// The expectation on the line on which a use starts, if the statement starts on an earlier one: both print as one line.
    fn expectation_of_use(&mut self) -> Option<String> {
        if self.used <= self.begun {
            return None;
        }
        self.tokens.skip_semicolons();
        let is_its = |it: &Pending| {
            matches!(it, Pending::Comment { span, .. } if is_expectation(self.comment(*span))
                && !is_of_none(self.comment(*span))
                && self.is_on_line_of_use(*span)
                && !self.is_on_line_of_begun(*span))
        };
        let at = self.pending.iter().position(is_its)?;
        match self.pending.remove(at) {
            Pending::Comment { span, .. } => Some(self.comment(span).to_owned()),
            Pending::Blank => None,
        }
    }

    /// The comment of the line that a statement prints as, of which a use on another line expects something, and what goes before
    /// it. What is expected of either line is expected of that one. An allowance is of the next statement.
    fn with_expectation_of_use(
        &mut self,
        first: Option<Pending>,
        of_use: String,
        joined: bool,
    ) -> (Lines, String) {
        let mut head = Lines::default();
        let Some(Pending::Comment { span, .. }) = first else {
            return (head, of_use);
        };
        let first = self.comment(span).to_owned();
        if is_expectation(&first) {
            return (head, format!("{first}, {}", of_use[3..].trim_start()));
        }
        if joined || is_allowance(&first) {
            let own_line = true;
            self.pending.insert(0, Pending::Comment { span, own_line });
        } else {
            head.push(&first);
        }
        (head, of_use)
    }

    /// The comment on the line on which a block opens, or on which a statement ends. One that expects something is left for a
    /// line of its own where neither a statement nor a use begins on that line: nothing may come to be what it expects.
    fn comment_after(&mut self) -> Option<String> {
        self.tokens.skip_semicolons();
        if let Some(Pending::Comment { span, .. }) = self.pending.first()
            && is_expectation(self.comment(*span))
            && !self.is_on_line_of_begun(*span)
            && !self.is_on_line_of_use(*span)
        {
            return None;
        }
        self.comment_on_line()
    }

    /// Before a block's `}`: the comments that no statement took.
    pub(super) fn inside_comments(&mut self) -> Lines {
        if self.pending.is_empty() {
            return Lines::default();
        }
        let mut lines = self.comment_lines(&mut false);
        lines.trim_end();
        lines
    }

    /// Ends a statement: its span, and its comments.
    pub(super) fn finish(&mut self, start: Start, mut block: Option<Block>) -> (Span, Trivia) {
        let span = Span::new(start.span.start, self.last_end.max(start.span.start));
        let places = self.places(&start, span, block.is_some());
        let (head, after) = self.around(&mut block, places.joined);
        let mut trivia = Trivia(start.comments);
        for line in head.iter() {
            trivia.0.get_or_insert_default().before.push(line);
        }
        if let Some(block) = &mut block
            && (block.open.is_some() || !block.inside.is_empty())
        {
            let comments = trivia.0.get_or_insert_default();
            comments.open = block.open.take();
            comments.inside = std::mem::take(&mut block.inside);
        }
        if after.is_some() {
            trivia.0.get_or_insert_default().after = after;
        }
        if !start.allows.is_empty() {
            self.out.allows.push(Allow {
                ids: start.allows,
                covers: span,
            });
        }
        if places != Places::default() {
            let comments = trivia.0.get_or_insert_default();
            comments.keep_line = places.keep_line;
            comments.joined = places.joined;
            comments.close_joined = places.close_joined;
        }
        (span, trivia)
    }

    /// The comments inside a statement that go before it, and the one after it. `joined`: nothing can go before it.
    fn around(&mut self, block: &mut Option<Block>, joined: bool) -> (Lines, Option<String>) {
        if let Some(block) = block {
            let head = std::mem::take(&mut block.head);
            if !joined {
                return (head, self.comment_after());
            }
            // There is no better place for them.
            let inside = std::mem::replace(&mut block.inside, head);
            inside.iter().for_each(|line| block.inside.push(line));
            return (Lines::default(), self.comment_after());
        }
        let end = self.last_end;
        let pending = self.pending.first().copied();
        let first = self.comment_of_first_line(end);
        if let Some(of_use) = self.expectation_of_use() {
            let pending = pending.filter(|_| first.is_some());
            let rest = if joined {
                Lines::default()
            } else {
                self.comments_inside(end)
            };
            let (mut head, after) = self.with_expectation_of_use(pending, of_use, joined);
            rest.iter().for_each(|line| head.push(line));
            return (head, Some(after));
        }
        if joined {
            return (Lines::default(), first.or_else(|| self.comment_after()));
        }
        let rest = self.comments_inside(end);
        let Some(first) = first else {
            return (rest, self.comment_after());
        };
        // Two comments on one line of the print are one: what is expected stays, and what is allowed.
        if is_expectation(&first) || is_allowance(&first) {
            return (rest, Some(first));
        }
        let Some(after) = self.comment_after() else {
            return (rest, Some(first));
        };
        let mut head = Lines::default();
        head.push(&first);
        rest.iter().for_each(|line| head.push(line));
        (head, Some(after))
    }

    /// Takes the comments before the end of a statement. Empty lines after the last of them are before the next statement.
    fn comments_inside(&mut self, end: u32) -> Lines {
        let inside =
            |entry: &Pending| matches!(entry, Pending::Comment { span, .. } if span.start < end);
        let count = self.pending.iter().rposition(inside);
        self.comments_of_head(count.map_or(0, |last| last + 1))
    }

    /// What must stay on its line because an expectation names that line.
    fn places(&self, start: &Start, span: Span, has_block: bool) -> Places {
        if self.expecting.is_empty() {
            return Places::default();
        }
        let line = self.source.line(span.start);
        let last = self.source.line(span.end.saturating_sub(1).max(span.start));
        let begins_on =
            |place: Option<u32>, line| place.is_some_and(|at| self.source.line(at) == line);
        Places {
            keep_line: has_block && line == last && self.expects(line),
            joined: self.expects(line) && begins_on(start.previous, line),
            close_joined: has_block
                && line != last
                && self.expects(last)
                && begins_on(self.begun.max(self.used), last),
        }
    }

    /// Reads `{ statement … }` whose statements have trivia. `statement` gets whether it is the first.
    pub(super) fn block(
        &mut self,
        statement: impl FnMut(&mut Self, bool) -> super::Parsed<()>,
    ) -> super::Parsed<Block> {
        self.skip_newline();
        let beside = self.comment_of_first_line(self.span.start);
        let head = self.comments_of_head(self.pending.len());
        let opens = self.expect(Token::OpenBrace, "`{`")?;
        let open = beside.or_else(|| self.comment_after());
        tokens::block(self, opens, statement)?;
        let inside = self.inside_comments();
        self.bump();
        Ok(Block { head, open, inside })
    }
}

/// What a block has besides statements: its comments.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Comments of its statement, before it opens.
    head: Lines,
    /// Comment on the line of the `{`.
    open: Option<String>,
    /// Comments before the `}`.
    inside: Lines,
}

/// What of a statement must stay on the line where it is: see [`Comments`].
#[derive(Default, PartialEq)]
struct Places {
    keep_line: bool,
    joined: bool,
    close_joined: bool,
}
