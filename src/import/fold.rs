//! Frames that repeat become a `repeat`: the longest run from each place on, of statements that are equal when fence values
//! are counted from the last one.

use crate::scenario::{Comments, FenceValue, Statement, StatementKind, Trivia};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The most statements of one turn.
const TURN_MAX: usize = 256;

/// A statement in the form in which turns are compared; `None` of a fence value that goes back.
fn key(statement: &Statement, last: &mut [u64]) -> u64 {
    let mut hasher = FxHasher::default();
    std::mem::discriminant(&statement.kind).hash(&mut hasher);
    match &statement.kind {
        StatementKind::Execute { queue, lists } => (queue, lists).hash(&mut hasher),
        StatementKind::Present { queue, resource } => (queue, resource).hash(&mut hasher),
        StatementKind::Signal {
            queue,
            fence,
            value,
        }
        | StatementKind::Wait {
            queue,
            fence,
            value,
        } => {
            let value = absolute(*value);
            let before = std::mem::replace(&mut last[fence.index()], value);
            (queue, fence, value.wrapping_sub(before)).hash(&mut hasher);
        }
        _ => {}
    }
    hasher.finish()
}

fn absolute(value: FenceValue) -> u64 {
    match value {
        FenceValue::Absolute(value) | FenceValue::Relative(value) => value,
    }
}

/// Folds.
pub(super) fn fold(statements: Vec<Statement>, firsts: &[u64]) -> Vec<Statement> {
    let mut last = firsts.to_vec();
    let mut steps: Vec<(u64, Option<u64>)> = Vec::with_capacity(statements.len());
    for statement in &statements {
        let before = match &statement.kind {
            StatementKind::Signal { fence, value, .. }
            | StatementKind::Wait { fence, value, .. } => {
                absolute(*value).checked_sub(last[fence.index()])
            }
            _ => Some(0),
        };
        steps.push((key(statement, &mut last), before));
    }
    let mut out = Vec::new();
    let mut at = 0;
    let mut rest = statements.into_iter();
    while at < steps.len() {
        let (length, turns) = turn(&steps, at);
        if turns < 2 {
            out.extend(rest.next());
            at += 1;
            continue;
        }
        let mut body: Vec<Statement> = rest.by_ref().take(length).collect();
        for (statement, (_, step)) in body.iter_mut().zip(&steps[at..]) {
            if let StatementKind::Signal { value, .. } | StatementKind::Wait { value, .. } =
                &mut statement.kind
            {
                *value = FenceValue::Relative(step.unwrap_or(0));
            }
        }
        // The turns after the first say the same.
        rest.by_ref().take(length * (turns - 1)).for_each(drop);
        out.push(repeat(turns, body));
        at += length * turns;
    }
    out
}

/// The length of a turn that begins here, and how often it comes: of all lengths the one that covers most, the shortest of
/// those.
fn turn(steps: &[(u64, Option<u64>)], at: usize) -> (usize, usize) {
    let rest = &steps[at..];
    let mut best = (1, 1);
    for length in 1..=TURN_MAX.min(rest.len() / 2) {
        if rest[0].0 != rest[length].0 {
            continue;
        }
        let body = &rest[..length];
        if body.iter().any(|(_, step)| step.is_none()) {
            break;
        }
        let mut turns = 1;
        while rest.len() >= length * (turns + 1)
            && rest[length * turns..length * (turns + 1)] == *body
        {
            turns += 1;
        }
        if turns > 1 && length * turns > best.0 * best.1 {
            best = (length, turns);
        }
    }
    best
}

fn repeat(turns: usize, body: Vec<Statement>) -> Statement {
    let trivia = Trivia(Some(Box::new(Comments {
        open: Some("// calls of the first turn".to_owned()),
        ..Comments::default()
    })));
    Statement {
        kind: StatementKind::Repeat {
            count: turns as u64,
            body,
        },
        span: crate::finding::Span::default(),
        trivia,
    }
}
