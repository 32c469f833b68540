//! Text to value: recursive descent with recovery.
//!
//! Declarations come before their use. A mistake becomes a [`Finding`] and costs one statement or one instruction, so
//! that a run shows several.

mod assist;
mod condition;
mod instruction;
mod statement;
mod thread;
mod words;

pub(crate) use assist::{keywords, notes, offer_at};

use super::lexer::Token;
use super::model::{Kernel, Mark};
use crate::finding::{Finding, Source};
use crate::tokens::{Parsed, Tokens};
use std::ops::{Deref, DerefMut};

/// Bytes of a source text.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;
/// Errors before the parser gives up on a text.
pub const FINDINGS_MAX: usize = 50;
/// Parentheses inside parentheses in a condition.
pub const NESTING_MAX: u32 = 32;
/// Conditions in one expectation.
const CONDITIONS_MAX: usize = 256;
/// Expectations of a file.
const EXPECTATIONS_MAX: usize = 256;

/// Parses a litmus test. The value holds what was understood; it is complete if there are no findings.
pub fn parse(source: &Source) -> (Kernel, Vec<Finding>) {
    let mut parser = Parser {
        tokens: Tokens::new(source),
        kernel: Kernel::default(),
    };
    parser.file();
    let Parser { tokens, mut kernel } = parser;
    let marks = tokens.expected.into_iter();
    kernel.marks = marks
        .map(|it| Mark {
            line: it.line,
            ids: it.ids,
        })
        .collect();
    (kernel, tokens.findings)
}

struct Parser<'s> {
    tokens: Tokens<'s, Token>,
    kernel: Kernel,
}

impl<'s> Deref for Parser<'s> {
    type Target = Tokens<'s, Token>;

    fn deref(&self) -> &Self::Target {
        &self.tokens
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.tokens
    }
}
