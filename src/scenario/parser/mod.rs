//! Text to value: recursive descent with recovery.
//!
//! One pass: names are resolved where they are read, because the language wants a declaration before its use. A mistake
//! becomes a [`Finding`] and costs one statement (or one entry of a block), so that a run shows several. Tokens are
//! slices of the text and nothing is allocated for them.

mod actors;
mod barriers;
mod blocks;
mod commands;
mod declarations;
mod fences;
mod lines;
mod masks;
mod mistakes;
mod names;
mod numbers;
mod parts;
mod ranges;
mod resources;
mod timeline;
mod trivia;
mod uses;

pub use commands::COMMANDS;
pub use parts::{Parts, parse_in_parts};

use super::lexer::{Lexer, Token};
use super::model::Scenario;
use super::rules;
use crate::finding::{Finding, Source, Span};
use crate::id::ListId;
use crate::lookup::{LookupMap, LookupSet};

/// Bytes of a source text.
pub const SOURCE_BYTES_MAX: usize = 192 << 20;
/// Blocks inside blocks: markers and repeats.
pub const NESTING_MAX: u32 = 64;
/// Errors before the parser gives up on a text.
pub const FINDINGS_MAX: usize = 100;
/// Bytes of a name.
pub const NAME_BYTES_MAX: usize = 256;
/// Bytes of a string.
pub const TEXT_BYTES_MAX: usize = 4096;
/// Textures and buffers.
pub const RESOURCES_MAX: usize = 1 << 20;
/// Heaps.
pub const HEAPS_MAX: usize = 1 << 16;
/// Queues.
pub const QUEUES_MAX: usize = 4096;
/// Fences.
pub const FENCES_MAX: usize = 1 << 16;
/// Command lists, named or in place.
pub const LISTS_MAX: usize = 1 << 20;
/// Recorded commands of all lists, each entry of a barrier counted too.
pub const COMMANDS_MAX: u64 = 1 << 26;
/// Executions of one statement: the product of the counts of the `repeat`s around it.
pub const REPEAT_PRODUCT_MAX: u64 = 1_000_000_000;
/// Most statements that a timeline runs, repeats counted: each takes some 150 bytes.
pub const STATEMENTS_MAX: u64 = 1 << 24;
/// Most commands that a timeline runs, repeats counted.
pub const EXECUTED_MAX: u64 = 1 << 30;
/// Bytes of a buffer or a heap.
pub const SIZE_BYTES_MAX: u64 = 1 << 46;
/// Texels of a texture in width or height. D3D12: `REQ_TEXTURE2D_U_OR_V_DIMENSION`.
pub const TEXTURE_DIMENSION_MAX: u32 = 16_384;
/// Texels of a volume in depth, and array slices. D3D12: `REQ_TEXTURE3D_U_V_OR_W_DIMENSION`,
/// `REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION`.
pub const TEXTURE_LAYERS_MAX: u32 = 2048;
/// How many samples a texel may have.
pub const TEXTURE_SAMPLES: [u32; 5] = [1, 2, 4, 8, 16];
/// Thread groups in one dimension. D3D12: `CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION`.
pub const GROUPS_MAX: u32 = 65_535;
/// Rays of one dispatch. DXR: width × height × depth is limited to 2^30.
pub const RAYS_MAX: u64 = 1 << 30;
/// Vertices or pixels of a draw.
pub const WORK_MAX: u64 = 1 << 40;
/// Threads of a group. D3D12: `CS_THREAD_GROUP_MAX_THREADS_PER_GROUP`.
pub const GROUP_THREADS_MAX: u64 = 1024;
/// Largest groupshared memory of a thread group that a dispatch may declare.
pub const GROUP_SHARED_MAX: u64 = 1 << 30;
/// A duration, in picoseconds: one hour.
pub const DURATION_PS_MAX: u64 = 3_600_000_000_000_000;

/// A mistake was reported; the caller that receives this recovers.
#[derive(Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Parses a scenario. The value holds what was understood; it is complete if there are no findings.
pub fn parse(source: &Source) -> (Scenario, Vec<Finding>) {
    parse_in_parts(source, Parts::default())
}

fn parse_with(mut parser: Parser<'_, '_>) -> (Scenario, Vec<Finding>) {
    let source = parser.source;
    if source.text.len() > SOURCE_BYTES_MAX {
        parser.report(
            Finding::new(
                &rules::LIMIT_EXCEEDED,
                Span::default(),
                format!(
                    "the text has {} bytes; the limit is {SOURCE_BYTES_MAX}",
                    source.text.len()
                ),
            )
            .help("split the scenario, or write repeated work as `repeat`"),
        );
        return (parser.out, parser.findings);
    }
    parser.file();
    (parser.out, parser.findings)
}

/// The state of a run over one text.
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent facts about the place that is read"
)]
struct Parser<'s, 'd> {
    text: &'s str,
    source: &'s Source,
    lexer: Lexer<'s>,
    /// A token already read after a newline.
    ahead: Option<(Token, Span)>,
    token: Token,
    span: Span,
    /// End of the last token that was taken.
    last_end: u32,
    /// A token precedes this place on its line.
    line_begun: bool,
    pending: Vec<trivia::Pending>,
    /// Lines with an expectation, ascending: formatting must not move statements away from them.
    expecting: Vec<u32>,
    pending_allow: Vec<String>,
    out: Scenario,
    findings: Vec<Finding>,
    stopped: bool,
    lists: LookupMap<String, ListId>,
    caches: parts::Caches<'s>,
    parts: parts::Progress<'s>,
    /// Of a part of a long text: what is declared before it.
    before: Option<parts::Before<'d>>,
    /// Whether the text expects nothing, and whether something, so far.
    expected: (bool, bool),
    /// Names whose declaration had a mistake: using them is not a second mistake.
    broken: LookupSet<String>,
    /// Where names are declared anywhere in the text; made when first needed by a message.
    later: Option<LookupMap<&'s str, (&'s str, u32)>>,
    depth: u32,
    commands: u64,
    repeat_product: u64,
    /// Statements and commands that the timeline runs so far, repeats counted.
    statements: u64,
    executed: u64,
    title_seen: bool,
    device_seen: bool,
}

impl<'s> Parser<'s, '_> {
    fn new(source: &'s Source) -> Self {
        let mut parser = Self::at_rest(source, &source.text);
        if source.text.len() <= SOURCE_BYTES_MAX {
            parser.expecting = trivia::expecting_lines(source);
            parser.bump();
        }
        parser
    }

    /// Before the first token of `text`, with which the source begins.
    fn at_rest(source: &'s Source, text: &'s str) -> Self {
        Self {
            text,
            source,
            lexer: Lexer::new(text),
            ahead: None,
            token: Token::Newline,
            span: Span::default(),
            last_end: 0,
            line_begun: false,
            pending: Vec::new(),
            expecting: Vec::new(),
            pending_allow: Vec::new(),
            out: Scenario::default(),
            findings: Vec::new(),
            stopped: false,
            lists: LookupMap::default(),
            caches: parts::Caches::default(),
            parts: parts::Progress::never(),
            before: None,
            expected: (false, false),
            broken: LookupSet::default(),
            later: None,
            depth: 0,
            commands: 0,
            repeat_product: 1,
            statements: 0,
            executed: 0,
            title_seen: false,
            device_seen: false,
        }
    }

    // Tokens.

    /// Text of the current token.
    fn slice(&self) -> &'s str {
        &self.text[self.span.start as usize..self.span.end as usize]
    }

    /// Reads one raw token. Characters that start none are merged into one run and reported once.
    fn raw(&mut self) -> (Token, Span) {
        let token = self.lexer.next();
        let mut span = self.lexer.span();
        if token == Token::Unknown {
            self.unknown_characters(&mut span);
        }
        (token, span)
    }

    fn unknown_characters(&mut self, span: &mut Span) {
        let bytes = self.text.as_bytes();
        loop {
            let mut next = self.lexer.clone();
            if next.next() != Token::Unknown || next.span().start != span.end {
                break;
            }
            span.end = next.span().end;
            self.lexer = next;
        }
        let shown = Token::Unknown.describe(&self.text[span.start as usize..span.end as usize]);
        let mut finding = Finding::new(
            &rules::UNEXPECTED_CHARACTER,
            *span,
            format!("{shown} starts no word, number, string or sign of the language"),
        );
        finding = finding.help(match bytes[span.start as usize] {
            b'-' => "an arrow is written `->`; there are no negative numbers",
            b'#' | b'/' => "a comment starts with `//`",
            byte if byte.is_ascii() => "leave it out",
            _ => "names, numbers and signs are ASCII; an arrow is written `->`",
        });
        self.report(finding);
    }

    /// Takes the current token. Newlines, with the comments among them, are one token.
    fn bump(&mut self) {
        self.last_end = self.span.end;
        if self.stopped {
            self.token = Token::End;
            return;
        }
        if let Some((token, span)) = self.ahead.take() {
            (self.token, self.span) = (token, span);
            self.line_begun = true;
            return;
        }
        let token = self.lexer.next();
        if matches!(token, Token::Newline | Token::Comment | Token::Unknown) {
            self.bump_rare(token);
        } else {
            (self.token, self.span) = (token, self.lexer.span());
            self.line_begun = true;
        }
    }

    /// Continues with what the lexer has read, which is not a plain token.
    fn bump_rare(&mut self, token: Token) {
        let mut span = self.lexer.span();
        if token == Token::Unknown {
            self.unknown_characters(&mut span);
            (self.token, self.span) = (token, span);
            self.line_begun = true;
        } else {
            self.newlines(token, span);
        }
    }

    /// Whether the current token is of a kind; takes it if so.
    fn eat(&mut self, token: Token) -> bool {
        let found = self.token == token;
        if found {
            self.bump();
        }
        found
    }

    /// Takes a sign that is required here.
    fn expect(&mut self, token: Token, what: &str) -> Parsed<()> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.unexpected(what))
        }
    }

    /// Lets a statement continue on the next line: inside `[ ]` and after `->`, `|`, `,`.
    fn skip_newline(&mut self) {
        if self.token == Token::Newline {
            self.bump();
        }
    }

    /// Takes `->` and the line end after it.
    fn arrow(&mut self, what: &str) -> Parsed<()> {
        self.expect(Token::Arrow, what)?;
        self.skip_newline();
        Ok(())
    }

    fn at_word(&self, word: &str) -> bool {
        self.token == Token::Word && self.slice() == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// Takes a word of any kind.
    fn word(&mut self, what: &str) -> Parsed<(&'s str, Span)> {
        if self.token != Token::Word {
            return Err(self.unexpected(what));
        }
        let word = (self.slice(), self.span);
        self.bump();
        Ok(word)
    }

    /// Whether a block opens here or on the next line.
    fn block_opens(&self) -> bool {
        self.token == Token::OpenBrace
            || (self.token == Token::Newline && matches!(self.ahead, Some((Token::OpenBrace, _))))
    }

    /// A string, which is optional here.
    fn text_literal(&mut self) -> Parsed<Option<Box<str>>> {
        match self.token {
            Token::Text => {}
            Token::OpenText => {
                return Err(self.error(
                    &rules::UNEXPECTED_TOKEN,
                    self.span,
                    "a string has no closing `\"`",
                    None,
                ));
            }
            _ => return Ok(None),
        }
        let span = self.span;
        let raw = self.slice();
        let inner = &raw[1..raw.len() - 1];
        if inner.len() > TEXT_BYTES_MAX {
            return Err(self.error(
                &rules::LIMIT_EXCEEDED,
                span,
                format!(
                    "a string has {} bytes; the limit is {TEXT_BYTES_MAX}",
                    inner.len()
                ),
                None,
            ));
        }
        self.bump();
        if !inner.contains('\\') {
            return Ok(Some(inner.into()));
        }
        let mut text = String::with_capacity(inner.len());
        let mut characters = inner.chars();
        while let Some(c) = characters.next() {
            match c {
                '\\' => match characters.next() {
                    Some(c @ ('"' | '\\')) => text.push(c),
                    other => {
                        let shown = other.unwrap_or(' ');
                        return Err(self.error(
                            &rules::BAD_VALUE,
                            span,
                            format!("unknown escape `\\{shown}`"),
                            Some("the escapes are `\\\"` and `\\\\`".to_owned()),
                        ));
                    }
                },
                c => text.push(c),
            }
        }
        Ok(Some(text.into()))
    }

    // Statements and blocks.

    /// Whether the current token ends a statement.
    fn at_end(&self) -> bool {
        matches!(
            self.token,
            Token::Newline | Token::Semicolon | Token::CloseBrace | Token::End
        )
    }

    /// Checks that a statement ends here.
    fn end_statement(&mut self, what: &str) -> Parsed<()> {
        if self.at_end() {
            Ok(())
        } else {
            Err(self.unexpected(what))
        }
    }

    /// Skips to the end of a statement, blocks included.
    fn recover(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.token {
                Token::End => return,
                Token::Newline | Token::Semicolon if depth == 0 && !self.block_opens() => {
                    return;
                }
                Token::CloseBrace if depth == 0 => return,
                Token::OpenBrace => depth += 1,
                Token::CloseBrace => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips line ends and stray `;`.
    fn skip_separators(&mut self) {
        while matches!(self.token, Token::Newline | Token::Semicolon) {
            self.bump();
        }
    }

    /// Reads `{ item; item }` of options without trivia of their own: comments go to the block's owner.
    fn options(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.skip_newline();
        let open = self.span;
        self.expect(Token::OpenBrace, "`{`")?;
        loop {
            self.skip_separators();
            match self.token {
                Token::CloseBrace => {
                    self.bump();
                    return Ok(());
                }
                Token::End => return Err(self.unclosed(open)),
                _ => {
                    let failed =
                        item(self).is_err() || self.end_statement("`;` or a line end").is_err();
                    if failed {
                        self.recover();
                    }
                }
            }
        }
    }

    fn unclosed(&mut self, open: Span) -> Reported {
        // Blocks around it end there too: closing the innermost is what to do first.
        const ENDS: &str = "the file ends inside a block";
        let said = |f: &Finding| f.span == self.span && *f.message == *ENDS;
        if self.stopped || self.findings.last().is_some_and(said) {
            return Reported;
        }
        let finding = Finding::new(&rules::UNEXPECTED_TOKEN, self.span, ENDS)
            .related(open, "the block opens here")
            .help("close it with `}`");
        self.report(finding);
        Reported
    }

    /// Enters a nested block.
    fn nest(&mut self, span: Span) -> Parsed<()> {
        if self.depth >= NESTING_MAX {
            return Err(self.error(
                &rules::LIMIT_EXCEEDED,
                span,
                format!("blocks are nested more than {NESTING_MAX} deep"),
                None,
            ));
        }
        self.depth += 1;
        Ok(())
    }
}
