//! What can be folded: blocks and comments of more than one line; of a profile, its tables.

use super::Language;
use super::places::Lines;
use crate::finding::Span;
use crate::id::narrow;
use crate::tokens::Token;
use crate::{kernel, lower::rules, scenario};

/// Lines that fold into the first of them, both counted from 0.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fold {
    /// The line that stays.
    pub first: u32,
    /// The last line that goes.
    pub last: u32,
    /// Whether it is a comment.
    pub is_comment: bool,
}

/// Those of a text, in its order.
pub fn of(text: &str, lines: &Lines, language: Language) -> Vec<Fold> {
    let mut folds = match language {
        Language::Scenario => blocks::<scenario::lexer::Token>(text, lines),
        Language::Litmus => blocks::<kernel::lexer::Token>(text, lines),
        Language::Rules => blocks::<rules::lexer::Token>(text, lines),
        Language::Profile => tables(text),
    };
    folds.sort_unstable();
    folds
}

/// Every token of a text with its place, comments and line ends too.
pub(super) fn all<T: Token>(text: &str) -> impl Iterator<Item = (T, Span)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (token, span) = T::cut(text, at);
        at = span.end as usize;
        (token != T::END).then_some((token, span))
    })
}

fn blocks<T: Token>(text: &str, lines: &Lines) -> Vec<Fold> {
    let mut folds = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    // The lines of a comment so far.
    let mut comment: Option<(u32, u32)> = None;
    let mut is_alone = true;
    for (token, span) in all::<T>(text) {
        let line = lines.line(span.start);
        if token == T::COMMENT && is_alone {
            comment = match comment {
                Some((first, last)) if last + 1 == line => Some((first, line)),
                other => {
                    folds.extend(commented(other));
                    Some((line, line))
                }
            };
        }
        is_alone = token == T::NEWLINE || token == T::COMMENT && is_alone;
        if token == T::OPEN_BRACE {
            open.push(line);
        } else if token == T::CLOSE_BRACE
            && let Some(first) = open.pop()
            && first < line
        {
            let is_comment = false;
            let last = line - 1;
            folds.push(Fold {
                first,
                last,
                is_comment,
            });
        }
    }
    folds.extend(commented(comment));
    folds.retain(|it| it.first < it.last);
    folds
}

fn commented(lines: Option<(u32, u32)>) -> Option<Fold> {
    lines.map(|(first, last)| Fold {
        first,
        last,
        is_comment: true,
    })
}

/// A table goes to the next one; blank lines and comments before that belong to it.
fn tables(text: &str) -> Vec<Fold> {
    let lines: Vec<&str> = text.lines().collect();
    let is_header = |at: &usize| {
        lines[*at].trim_start().starts_with('[')
            && lines[*at].contains(']')
            && !lines[*at].contains('=')
    };
    let headers: Vec<usize> = (0..lines.len()).filter(is_header).collect();
    let mut folds = Vec::new();
    for (index, first) in headers.iter().enumerate() {
        let next = headers.get(index + 1).copied().unwrap_or(lines.len());
        let is_free = |at: &usize| lines[*at].trim().is_empty() || lines[*at].starts_with('#');
        let last = (*first..next)
            .rev()
            .find(|at| !is_free(at))
            .unwrap_or(*first);
        if last > *first {
            folds.push(Fold {
                first: narrow(*first),
                last: narrow(last),
                is_comment: false,
            });
        }
    }
    folds
}
