//! Text to value: recursive descent with recovery.
//!
//! Declarations come before their use. A mistake becomes a [`Finding`] and costs one statement or one instruction, so
//! that a run shows several.

mod condition;
mod instruction;

use super::lexer::Token;
use super::model::*;
use super::rules;
use crate::finding::{Finding, Rule, Source, Span};
use crate::id::LocationId;
use logos::{Lexer, Logos};

/// Bytes of a source text.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;
/// Errors before the parser gives up on a text.
pub const FINDINGS_MAX: usize = 50;
/// Parentheses inside parentheses in a condition.
pub const NESTING_MAX: u32 = 32;
/// Bytes of a name, a number or a title.
const WORD_BYTES_MAX: usize = 256;
/// Conditions in one expectation.
const CONDITIONS_MAX: usize = 256;
/// Expectations of a file.
const EXPECTATIONS_MAX: usize = 256;

/// That a mistake was reported; whoever receives it recovers.
#[derive(Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Parses a litmus test. The value holds what was understood; it is whole if there are no findings.
pub fn parse(source: &Source) -> (Kernel, Vec<Finding>) {
    let mut parser = Parser {
        source,
        lexer: Token::lexer(&source.text),
        token: Token::End,
        span: Span::default(),
        line_begun: false,
        last_end: 0,
        before: Vec::new(),
        trailing: None,
        allows: Vec::new(),
        kernel: Kernel::default(),
        findings: Vec::new(),
    };
    if source.text.len() > SOURCE_BYTES_MAX {
        parser.findings.push(
            Finding::new(
                &rules::LIMIT_EXCEEDED,
                Span::default(),
                format!(
                    "the text has {} bytes; the limit is {SOURCE_BYTES_MAX}",
                    source.text.len()
                ),
            )
            .help("one file holds one test"),
        );
        return (parser.kernel, parser.findings);
    }
    parser.advance();
    parser.file();
    (parser.kernel, parser.findings)
}

struct Parser<'s> {
    source: &'s Source,
    lexer: Lexer<'s, Token>,
    token: Token,
    span: Span,
    /// Something other than a comment stands on this line.
    line_begun: bool,
    /// Where the last token but line ends and comments ended.
    last_end: u32,
    /// Comment lines that no statement has taken yet.
    before: Vec<String>,
    /// A comment at the end of a line, for the statement that ends there.
    trailing: Option<String>,
    /// Ids of a comment `// syncscope: allow ID` that no statement has taken yet.
    allows: Vec<String>,
    kernel: Kernel,
    findings: Vec<Finding>,
}

impl<'s> Parser<'s> {
    /// Moves to the next token; comments are kept aside.
    fn advance(&mut self) {
        if self.token != Token::Newline {
            self.last_end = self.span.end;
        }
        if self.token == Token::Newline {
            self.line_begun = false;
        } else if self.span.end > 0 {
            self.line_begun = true;
        }
        loop {
            let token = match self.lexer.next() {
                None => Token::End,
                Some(Ok(token)) => token,
                Some(Err(())) => Token::Unknown,
            };
            let range = self.lexer.span();
            self.span = Span {
                start: range.start as u32,
                end: range.end as u32,
            };
            self.token = token;
            if token == Token::Comment {
                self.comment();
                continue;
            }
            if token == Token::Newline && !self.line_begun {
                // Blank lines between comments are kept, others are the printer's business.
                let text = &self.source.text[..self.span.start as usize];
                let blank = text.trim_end_matches([' ', '\t', '\r']).ends_with('\n');
                if blank && self.before.last().is_some_and(|line| !line.is_empty()) {
                    self.before.push(String::new());
                }
            }
            return;
        }
    }

    fn comment(&mut self) {
        let text = self.text().trim_end().to_owned();
        if let Some(ids) = text.strip_prefix("//~") {
            let ids: Vec<String> = ids
                .split(',')
                .map(|id| id.trim().to_owned())
                .filter(|id| !id.is_empty())
                .collect();
            if ids.is_empty() {
                self.error(
                    &rules::UNEXPECTED,
                    self.span,
                    "an expectation names no finding",
                    "write `//~ LM011` or `//~ none`",
                );
            }
            let ids = if ids == ["none"] { Vec::new() } else { ids };
            let line = self.source.line(self.span.start);
            self.kernel.marks.push(Mark { line, ids });
        } else if let Some(ids) = text[2..].trim_start().strip_prefix("syncscope: allow ") {
            let ids = ids.split(',').map(|id| id.trim().to_owned());
            self.allows.extend(ids.filter(|id| !id.is_empty()));
        }
        if self.line_begun {
            self.trailing = Some(text);
        } else {
            self.before.push(text);
        }
    }

    fn text(&self) -> &'s str {
        &self.source.text[self.span.start as usize..self.span.end as usize]
    }

    /// Comment lines before the statement that begins here.
    fn take_before(&mut self) -> Comments {
        let mut before = std::mem::take(&mut self.before);
        while before.last().is_some_and(String::is_empty) {
            before.pop();
        }
        self.trailing = None;
        Comments {
            before,
            after: None,
        }
    }

    fn error(&mut self, rule: &'static Rule, span: Span, message: impl Into<String>, help: &str) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings
                .push(Finding::new(rule, span, message).help(help));
        }
    }

    /// Reports that something else stands here than is wanted.
    fn unexpected(&mut self, wanted: &str, help: &str) -> Reported {
        const SHOWN_MAX: usize = 40;
        let found = match self.token {
            Token::Newline => "the end of the line".to_owned(),
            Token::End => "the end of the file".to_owned(),
            Token::Unknown => format!("`{}`, which begins no word or sign", self.text()),
            _ => {
                let text: String = self.text().chars().take(SHOWN_MAX).collect();
                let cut = if text.len() < self.text().len() {
                    "…"
                } else {
                    ""
                };
                format!("`{text}{cut}`")
            }
        };
        self.error(
            &rules::UNEXPECTED,
            self.span,
            format!("{wanted} is expected, not {found}"),
            help,
        );
        Reported
    }

    fn expect(&mut self, token: Token, wanted: &str, help: &str) -> Parsed<Span> {
        if self.token != token {
            return Err(self.unexpected(wanted, help));
        }
        let span = self.span;
        self.advance();
        Ok(span)
    }

    fn eat(&mut self, token: Token) -> bool {
        let here = self.token == token;
        if here {
            self.advance();
        }
        here
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let here = self.token == Token::Word && self.text().eq_ignore_ascii_case(word);
        if here {
            self.advance();
        }
        here
    }

    fn word(&mut self, wanted: &str, help: &str) -> Parsed<(&'s str, Span)> {
        let text = self.text();
        self.short()?;
        let span = self.expect(Token::Word, wanted, help)?;
        Ok((text, span))
    }

    fn number(&mut self, wanted: &str) -> Parsed<u32> {
        let help = "values are 32 bits: decimal, `0x…`, or negative";
        if self.token != Token::Number {
            return Err(self.unexpected(wanted, help));
        }
        self.short()?;
        let text = self.text().replace('_', "");
        let value = if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            u32::from_str_radix(hex, 16).ok()
        } else if text.starts_with('-') {
            text.parse::<i32>().ok().map(|v| v as u32)
        } else {
            text.parse::<u32>().ok()
        };
        let Some(value) = value else {
            let message = format!("`{}` is not a 32-bit number", self.text());
            self.error(&rules::UNEXPECTED, self.span, message, help);
            self.advance();
            return Err(Reported);
        };
        self.advance();
        Ok(value)
    }

    /// A number that counts something: 0, 1, …
    fn count(&mut self, wanted: &str) -> Parsed<u32> {
        let help = "it is counted from 0";
        if self.token == Token::Number && self.text().starts_with('-') {
            return Err(self.unexpected(wanted, help));
        }
        self.number(wanted)
    }

    /// Reports a token that is too long to be meant; messages repeat the others.
    fn short(&mut self) -> Parsed<()> {
        let bytes = self.text().len();
        if bytes <= WORD_BYTES_MAX || self.token == Token::Newline {
            return Ok(());
        }
        let message = format!("this has {bytes} bytes; the limit is {WORD_BYTES_MAX}");
        let help = "names, numbers and titles are short";
        self.error(&rules::LIMIT_EXCEEDED, self.span, message, help);
        self.advance();
        Err(Reported)
    }

    /// Goes on behind a mistake: at the end of the line, of the instruction or of the block.
    fn recover(&mut self, in_block: bool) {
        loop {
            match self.token {
                Token::End | Token::Newline => return,
                Token::Semicolon | Token::CloseBrace if in_block => return,
                Token::OpenBrace if !in_block => {
                    // A block that belongs to no thread is skipped whole.
                    while !matches!(self.token, Token::CloseBrace | Token::End) {
                        self.advance();
                    }
                }
                _ => self.advance(),
            }
        }
    }

    fn file(&mut self) {
        while self.token != Token::End {
            if matches!(self.token, Token::Newline | Token::Semicolon) {
                // Behind a stray `;` a comment belongs to no statement: it goes to the next.
                self.before.extend(self.trailing.take());
                self.advance();
                continue;
            }
            if self.findings.len() >= FINDINGS_MAX {
                return;
            }
            if self.statement().is_err() {
                self.recover(false);
            }
        }
        let at_end = self.take_before().before;
        self.kernel.comments_at_end = at_end;
    }

    fn statement(&mut self) -> Parsed<()> {
        let (ids, start) = (std::mem::take(&mut self.allows), self.span.start);
        let parsed = self.statement_kind();
        self.allow(ids, start);
        parsed
    }

    /// Allows findings from `start` to what comes next.
    fn allow(&mut self, ids: Vec<String>, start: u32) {
        if !ids.is_empty() {
            let covers = Span {
                start,
                end: self.span.start,
            };
            self.kernel.allows.push(Allow { ids, covers });
        }
    }

    fn statement_kind(&mut self) -> Parsed<()> {
        const HELP: &str =
            "a line begins with `litmus`, `uav`, `groupshared`, `init`, `thread` or `expect`";
        let comments = self.take_before();
        let (word, span) = self.word("a declaration, a thread or an expectation", HELP)?;
        match word {
            "litmus" => self.title(span, comments),
            "uav" => self.location(true, span, comments),
            "groupshared" => self.location(false, span, comments),
            "init" => self.init(span, comments),
            "thread" => self.thread(span, comments),
            "expect" => self.expectation(span, comments),
            _ => {
                let message = format!("`{word}` begins no statement");
                self.error(&rules::UNEXPECTED, span, message, HELP);
                Err(Reported)
            }
        }
    }

    /// The end of a statement, with the comment that stands there.
    fn statement_end(&mut self) -> Parsed<Option<String>> {
        if !matches!(self.token, Token::Newline | Token::Semicolon | Token::End) {
            return Err(self.unexpected("the end of the line", "one statement stands on a line"));
        }
        Ok(self.trailing.take())
    }

    fn title(&mut self, span: Span, mut comments: Comments) -> Parsed<()> {
        let text = self.text();
        self.short()?;
        self.expect(Token::Text, "a name in quotes", "write `litmus \"name\"`")?;
        if self.kernel.title.is_some() {
            self.error(
                &rules::DUPLICATE_NAME,
                span,
                "the test has a name already",
                "one file holds one test: put the other into a file of its own",
            );
            return Ok(());
        }
        comments.after = self.statement_end()?;
        self.kernel.title = Some(unquote(&text[1..text.len() - 1]));
        self.kernel.comments = comments;
        Ok(())
    }

    fn location(&mut self, uav: bool, span: Span, mut comments: Comments) -> Parsed<()> {
        let help = if uav {
            "write `uav x`, `uav x globallycoherent` or `uav x beside y`"
        } else {
            "write `groupshared s`"
        };
        let (name, at) = self.word("a name", help)?;
        let globally_coherent = uav && self.eat_word("globallycoherent");
        let beside = if uav && self.eat_word("beside") {
            let at = self.span;
            let location = self.located()?;
            if !self.kernel.location(location).kind.is_uav() {
                let message = "a UAV cannot lie beside a groupshared variable";
                self.error(&rules::UNKNOWN_NAME, at, message, "name a UAV");
                return Err(Reported);
            }
            Some(location)
        } else {
            None
        };
        comments.after = self.statement_end()?;
        if register(name).is_some() {
            let message = format!("`{name}` is the name of a register");
            self.error(&rules::DUPLICATE_NAME, at, message, "choose another name");
            return Ok(());
        }
        if self.kernel.find(name).is_some() {
            let message = format!("`{name}` is declared twice");
            self.error(
                &rules::DUPLICATE_NAME,
                at,
                message,
                "remove one, or rename it",
            );
            return Ok(());
        }
        if self.kernel.locations.len() == LOCATIONS_MAX {
            let message = format!("a test has at most {LOCATIONS_MAX} variables");
            self.error(&rules::LIMIT_EXCEEDED, span, message, "split the test");
            return Ok(());
        }
        let kind = if uav {
            LocationKind::Uav { globally_coherent }
        } else {
            LocationKind::Groupshared
        };
        self.kernel.locations.push(Location {
            name: name.to_owned(),
            kind,
            beside,
            init: None,
            span: span.to(at),
            comments,
        });
        Ok(())
    }

    fn init(&mut self, span: Span, comments: Comments) -> Parsed<()> {
        let location = self.located()?;
        let value = self.number("an initial value")?;
        let after = self.statement_end()?;
        let slot = &mut self.kernel.locations[location.index()];
        // An initial value is a part of its variable, and so are the comments around it.
        slot.comments.before.extend(comments.before);
        slot.comments.before.extend(after);
        if slot.init.is_some() {
            let message = format!("`{}` has an initial value already", slot.name);
            self.error(&rules::DUPLICATE_NAME, span, message, "remove one of them");
        } else {
            slot.init = Some(value);
        }
        Ok(())
    }

    /// The name of a declared variable.
    fn located(&mut self) -> Parsed<LocationId> {
        let (name, span) = self.word("a variable", "name a `uav` or a `groupshared` variable")?;
        self.kernel.find(name).ok_or_else(|| {
            let known: Vec<String> = self
                .kernel
                .locations
                .iter()
                .map(|l| format!("`{}`", l.name))
                .collect();
            let help = if known.is_empty() {
                format!("declare it first: `uav {name}` or `groupshared {name}`")
            } else {
                format!("declared so far: {}", known.join(", "))
            };
            let message = format!("no variable `{name}` is declared");
            self.error(&rules::UNKNOWN_NAME, span, message, &help);
            Reported
        })
    }

    fn thread(&mut self, span: Span, mut comments: Comments) -> Parsed<()> {
        const HELP: &str = "write `thread group 0 cs { … }`";
        if !self.eat_word("group") {
            return Err(self.unexpected("`group`", HELP));
        }
        let group = self.count("the number of the thread group")?;
        let (word, at) = self.word("a shader stage", HELP)?;
        let Some(stage) = Stage::ALL.into_iter().find(|s| s.word() == word) else {
            let message = format!("`{word}` is no shader stage");
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
            return Err(self.unexpected("the end of the line", "one statement stands on a line"));
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
            let message = format!("the threads have more than {OPS_MAX} instructions together");
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

    /// Notes what of a thread stands on a line that expects a finding: printed elsewhere, it would not be meant.
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

/// The register of that name.
fn register(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('r')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| digits.parse().unwrap_or(u32::MAX))
}

/// The text of a string without its escapes.
fn unquote(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            out.push(c);
            escaped = false;
        }
    }
    out
}
