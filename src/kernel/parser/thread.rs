//! A thread and its block of instructions.

use super::{Parsed, Parser};
use crate::finding::Span;
use crate::kernel::lexer::Token;
use crate::kernel::model::{Comments, OPS_MAX, Op, Stage, THREADS_MAX, Thread};
use crate::kernel::rules;
use crate::tokens;

impl Parser<'_> {
    pub(super) fn thread(&mut self, span: Span, mut comments: Comments) -> Parsed<()> {
        const HELP: &str = "write `thread group 0 cs { … }`";
        if !self.eat_any_case("group") {
            return Err(self.unexpected("`group`", HELP));
        }
        let group = self.count("the number of the thread group")?;
        let (word, at) = self.word("a shader stage", HELP)?;
        let Some(stage) = Stage::ALL.into_iter().find(|s| s.word() == word) else {
            let words = Stage::ALL.map(Stage::word);
            self.offer(at, &words);
            let message = format!("unknown shader stage `{word}`");
            let help = "the stages are cs, ps, vs, hs, ds and gs";
            return Err(self.mistake(at, message, help));
        };
        let helper = self.eat_any_case("helper");
        self.skip_newline();
        let opens = self.expect(Token::OpenBrace, "`{`", HELP)?;
        comments.after = self.comment_on_line();
        let mut ops: Vec<Op> = Vec::new();
        tokens::block(self, opens, |p, _| {
            let allows = p.take_allows();
            let op = p.op();
            p.allow(allows);
            let mut op = op?;
            op.comments.after = p.comment_after();
            ops.push(op);
            Ok(())
        })?;
        let comments_at_end = self.lines();
        let closes = self.span;
        self.bump();
        let mut comment_behind = self.statement_end()?;
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
            span: span.to(opens),
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
        let mut before = self.source.line(thread.span.start);
        for op in &mut thread.ops {
            let line = self.source.line(op.span.start);
            op.on_line = line == before && self.expects(line);
            before = line;
        }
        let line = self.source.line(closes.start);
        thread.closes_on_line = line == before && self.expects(line);
    }
}
