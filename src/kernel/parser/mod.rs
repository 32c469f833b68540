//! Text to value: recursive descent with recovery.
//!
//! Declarations come before their use. A mistake becomes a [`Finding`] and costs one statement or one instruction, so
//! that a run shows several.

mod condition;
mod instruction;
mod statement;
mod thread;
mod tokens;

use super::lexer::Token;
use super::model::Kernel;
use super::rules;
use crate::finding::{Finding, Source, Span};
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

/// A mistake was reported; the caller that receives this recovers.
#[derive(Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Parses a litmus test. The value holds what was understood; it is complete if there are no findings.
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
            .help("a file contains one test"),
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
    /// Something other than a comment is on this line.
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
