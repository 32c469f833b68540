//! Text to value: recursive descent with recovery.
//!
//! One pass: names are resolved where they are read, because the language wants a declaration before its use. A mistake
//! becomes a [`Finding`] and costs one statement (or one entry of a block), so that a run shows several. Tokens are
//! slices of the text and nothing is allocated for them.

mod actors;
mod assist;
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

pub(crate) use assist::{keywords, notes, offer_at};
pub use commands::COMMANDS;
pub use parts::{Parts, parse_in_parts};

use super::lexer::Token;
use super::model::{Expectation, Scenario};
use super::rules;
use crate::api::QueueType;
use crate::finding::{Finding, Source, Span};
use crate::id::ListId;
use crate::lookup::{LookupMap, LookupSet};
use crate::tokens::{self, Expected, Parsed, Reported, Tokens};
use std::ops::{Deref, DerefMut};

/// Bytes of a source text.
pub const SOURCE_BYTES_MAX: usize = 192 << 20;
/// Blocks inside blocks: markers and repeats.
pub const NESTING_MAX: u32 = 64;
/// Errors before the parser gives up on a text.
pub const FINDINGS_MAX: usize = 100;
/// Bytes of a name.
pub const NAME_BYTES_MAX: usize = tokens::WORD_BYTES_MAX;
/// Bytes of a string.
pub const TEXT_BYTES_MAX: usize = 4096;
/// Textures and buffers.
pub const RESOURCES_MAX: usize = 1 << 20;
/// Different ends of placed textures that share a byte: they cut each of the textures into ranges, and each range remembers
/// the latest barrier through each texture, so that a use costs the square of this number.
pub const NESTED_MAX: usize = 256;
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

/// Parses a scenario. The value holds what was understood; it is complete if there are no findings.
pub fn parse(source: &Source) -> (Scenario, Vec<Finding>) {
    parse_in_parts(source, Parts::default())
}

fn parse_with(mut parser: Parser<'_, '_>) -> (Scenario, Vec<Finding>) {
    parser.file();
    let Parser {
        tokens, mut out, ..
    } = parser;
    let expected = tokens.expected.into_iter();
    out.expectations = expected
        .map(|Expected { line, ids, span }| Expectation { line, ids, span })
        .collect();
    (out, tokens.findings)
}

/// The state of a run over one text.
struct Parser<'s, 'd> {
    tokens: Tokens<'s, Token>,
    out: Scenario,
    lists: LookupMap<String, ListId>,
    caches: parts::Caches<'s>,
    parts: parts::Progress<'s>,
    /// Of a part of a long text: what is declared before it.
    before: Option<parts::Before<'d>>,
    /// Names whose declaration had a mistake: using them is not a second mistake.
    broken: LookupSet<String>,
    /// Where names are declared anywhere in the text; made when first needed by a message.
    later: Option<LookupMap<&'s str, (&'s str, u32)>>,
    commands: u64,
    repeat_product: u64,
    /// Statements and commands that the timeline runs so far, repeats counted.
    statements: u64,
    executed: u64,
    /// Where the statement starts that began last.
    begun: Option<u32>,
    /// Where the last use starts that is written outside of a block, as those of a copy are.
    used: Option<u32>,
    /// How many comments were waiting where the last block of options opened.
    before_options: usize,
    title_seen: bool,
    device_seen: bool,
    /// Of the list that is read, if one is.
    list_type: Option<QueueType>,
    /// Names of which the mask at hand may have some, if somebody asks for words and these are known.
    mask_names: Vec<&'static str>,
}

impl<'s> Deref for Parser<'s, '_> {
    type Target = Tokens<'s, Token>;

    fn deref(&self) -> &Self::Target {
        &self.tokens
    }
}

impl DerefMut for Parser<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.tokens
    }
}

impl<'s> Parser<'s, '_> {
    fn new(tokens: Tokens<'s, Token>) -> Self {
        Self {
            tokens,
            out: Scenario::default(),
            lists: LookupMap::default(),
            caches: parts::Caches::default(),
            parts: parts::Progress::never(),
            before: None,
            broken: LookupSet::default(),
            later: None,
            commands: 0,
            repeat_product: 1,
            statements: 0,
            executed: 0,
            begun: None,
            used: None,
            before_options: 0,
            title_seen: false,
            device_seen: false,
            list_type: None,
            mask_names: Vec::new(),
        }
    }

    /// Takes a sign that is required here.
    fn expect(&mut self, token: Token, what: &str) -> Parsed<Span> {
        self.tokens.expect(token, what, None)
    }

    /// Takes `->` and the line end after it.
    fn arrow(&mut self, what: &str) -> Parsed<()> {
        self.expect(Token::Arrow, what)?;
        self.skip_newline();
        Ok(())
    }

    /// Takes a word of any kind.
    fn word(&mut self, what: &str) -> Parsed<(&'s str, Span)> {
        let word = self.slice();
        Ok((word, self.expect(Token::Word, what)?))
    }

    /// Checks that a statement ends here.
    fn end_statement(&mut self, what: &str) -> Parsed<()> {
        self.ended(what, None)
    }

    /// Reads `{ item; item }` of options without trivia of their own: comments go to the block's owner.
    fn options(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.skip_newline();
        self.before_options = self.pending.len();
        let opens = self.expect(Token::OpenBrace, "`{`")?;
        tokens::block(self, opens, |p, _| {
            item(p)?;
            p.end_statement("`;` or a line end")
        })?;
        self.bump();
        Ok(())
    }

    /// Enters a nested block.
    fn nest(&mut self, span: Span) -> Parsed<()> {
        if self.depth >= NESTING_MAX {
            let message = format!("blocks are nested more than {NESTING_MAX} deep");
            return Err(self.error(&rules::LIMIT_EXCEEDED, span, message, None));
        }
        self.depth += 1;
        Ok(())
    }
}
