//! A thread and its block of instructions.

use super::{FINDINGS_MAX, Parsed, Parser, Reported};
use crate::finding::Span;
use crate::kernel::lexer::Token;
use crate::kernel::model::{Comments, OPS_MAX, Op, Stage, THREADS_MAX, Thread};
use crate::kernel::rules;

impl Parser<'_> {
    pub(super) fn thread(&mut self, span: Span, mut comments: Comments) -> Parsed<()> {
        const HELP: &str = "write `thread group 0 cs { … }`";
        if !self.eat_word("group") {
            return Err(self.unexpected("`group`", HELP));
        }
        let group = self.count("the number of the thread group")?;
        let (word, at) = self.word("a shader stage", HELP)?;
        let Some(stage) = Stage::ALL.into_iter().find(|s| s.word() == word) else {
            let message = format!("unknown shader stage `{word}`");
            let help = "the stages are cs, ps, vs, hs, ds and gs";
            self.error(&rules::UNEXPECTED, at, message, help);
            return Err(Reported);
        };
        let helper = self.eat_word("helper");
        let header = span.to(self.span);
        self.expect(Token::OpenBrace, "`{`", HELP)?;
        comments.after = if self.token == Token::Newline {
            self.trailing.take()
        } else {
            None
        };
        let ops = self.ops()?;
        let comments_at_end = self.take_before_block_end();
        let closes = self.span;
        self.expect(Token::CloseBrace, "`}`", HELP)?;
        if !matches!(self.token, Token::Newline | Token::Semicolon | Token::End) {
            return Err(self.unexpected("the end of the line", "write one statement per line"));
        }
        let mut comment_behind = self.trailing.take();
        if self.source.line(closes.start) == self.source.line(span.start) {
            comments.after = comment_behind.take();
        }
        if self.kernel.threads.len() == THREADS_MAX {
            let message = format!("a test has at most {THREADS_MAX} threads");
            self.error(&rules::LIMIT_EXCEEDED, span, message, "split the test");
            return Ok(());
        }
        let total = self.kernel.ops() + ops.len();
        if total > OPS_MAX {
            let message = format!("the threads have more than {OPS_MAX} instructions in total");
            self.error(&rules::LIMIT_EXCEEDED, span, message, "split the test");
            return Ok(());
        }
        let mut thread = Thread {
            group,
            stage,
            helper,
            ops,
            span: header,
            comments,
            comments_at_end,
            comment_behind,
            closes_on_line: false,
        };
        self.keep_lines(&mut thread, closes);
        self.kernel.threads.push(thread);
        Ok(())
    }

    /// Notes what of a thread is on a line that expects a finding: on another line it would not be the expected place.
    fn keep_lines(&self, thread: &mut Thread, closes: Span) {
        let expects = |line: u32| self.kernel.marks.iter().any(|mark| mark.line == line);
        let mut before = self.source.line(thread.span.start);
        for op in &mut thread.ops {
            let line = self.source.line(op.span.start);
            op.on_line = line == before && expects(line);
            before = line;
        }
        let line = self.source.line(closes.start);
        thread.closes_on_line = line == before && expects(line);
    }

    fn take_before_block_end(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.before);
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    fn ops(&mut self) -> Parsed<Vec<Op>> {
        let mut ops: Vec<Op> = Vec::new();
        loop {
            match self.token {
                Token::Newline | Token::Semicolon => {
                    let ends_line = self.token == Token::Newline;
                    if ends_line
                        && let (Some(op), Some(text)) = (ops.last_mut(), self.trailing.take())
                    {
                        op.comments.after = Some(text);
                    }
                    self.advance();
                }
                Token::CloseBrace => return Ok(ops),
                Token::End => {
                    return Err(self.unexpected("`}`", "close the thread's block"));
                }
                _ => {
                    let (ids, start) = (std::mem::take(&mut self.allows), self.span.start);
                    let op = self.op();
                    self.allow(ids, start);
                    match op {
                        Ok(op) => ops.push(op),
                        Err(Reported) => self.recover(true),
                    }
                }
            }
            if self.findings.len() >= FINDINGS_MAX {
                return Err(Reported);
            }
        }
    }
}
