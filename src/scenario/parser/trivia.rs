//! Comments, blank lines, expectations and allowances: everything that the printer keeps and no rule reads.

use super::super::lexer::Token;
use super::super::model::{Allow, Comments, Lines, Trivia};
use super::Parser;
use crate::finding::Span;
use crate::id::narrow;
use crate::tokens::{self, Pending};

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
        self.begun = self.span.start;
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

    /// After an option block (or none): its comments, which have no statement of their own. A comment after the
    /// closing brace is left to the statement.
    pub(super) fn option_block(&mut self) -> Block {
        let open = self.comment_of_first_line(self.last_end);
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
            open,
            inside,
            last_end: 0,
        }
    }

    /// The comment on the first line of the statement that began last, if it is before `end`. It stays on the line on which
    /// the statement starts, as it may expect something of that line.
    fn comment_of_first_line(&mut self, end: u32) -> Option<String> {
        let Some(Pending::Comment { span, .. }) = self.pending.first().copied() else {
            return None;
        };
        let before = &self.text[self.begun as usize..span.start as usize];
        if span.start >= end || before.contains('\n') {
            return None;
        }
        self.pending.remove(0);
        Some(self.text[span.start as usize..span.end as usize].to_owned())
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
        let span = Span {
            start: start.span.start,
            end: self.last_end.max(start.span.start),
        };
        let between = self.comment_of_first_line(self.last_end);
        let after = between.or_else(|| self.comment_after());
        let is_bare = start.comments.is_none() && start.allows.is_empty() && block.is_none();
        if is_bare && after.is_none() && self.expecting.is_empty() {
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
        if after.is_some() {
            trivia.0.get_or_insert_default().after = after;
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
        let beside = self.comment_of_first_line(self.span.start);
        let opens = self.expect(Token::OpenBrace, "`{`")?;
        let open = beside.or_else(|| self.comment_after());
        let mut any = false;
        tokens::block(self, opens, |p, first| {
            any = true;
            statement(p, first)
        })?;
        let last_end = if any { self.last_token_end() } else { 0 };
        let inside = self.inside_comments();
        self.bump();
        Ok(Block {
            open,
            inside,
            last_end,
        })
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
