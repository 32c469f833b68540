//! Frames that repeat become a `repeat`: the longest run from each place on, of statements that are equal when fence values
//! are counted from the last one.

use crate::id::{FenceId, Table};
use crate::scenario::{Comments, FenceValue, Statement, StatementKind, Trivia};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The most statements of one turn.
const TURN_MAX: usize = 256;

/// Statements in the form in which turns are compared.
struct Keys {
    /// The last value of each fence.
    last: Table<FenceId, u64>,
    count: u64,
}

impl Keys {
    fn new(firsts: &[u64]) -> Self {
        Self {
            last: firsts.to_vec().into(),
            count: 0,
        }
    }

    /// The key of the next statement, and by how much it raises its fence. One that lets a fence go back is like no other.
    fn next(&mut self, statement: &Statement) -> (u64, u64) {
        let mut hasher = FxHasher::default();
        let mut rise = 0;
        self.count += 1;
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
                let before = std::mem::replace(&mut self.last[*fence], value);
                (queue, fence, value.wrapping_sub(before)).hash(&mut hasher);
                match value.checked_sub(before) {
                    Some(by) => rise = by,
                    None => self.count.hash(&mut hasher),
                }
            }
            _ => {}
        }
        (hasher.finish(), rise)
    }
}

fn absolute(value: FenceValue) -> u64 {
    match value {
        FenceValue::Absolute(value) | FenceValue::Relative(value) => value,
    }
}

/// Folds. The statements are made twice, so that those of turns after the first are never kept.
pub(super) fn fold<S: Iterator<Item = Statement>>(
    statements: impl Fn() -> S,
    firsts: &[u64],
) -> Vec<Statement> {
    let mut keys = Keys::new(firsts);
    let all: Vec<u64> = statements().map(|one| keys.next(&one).0).collect();
    let mut out = Vec::new();
    let mut at = 0;
    let mut keys = Keys::new(firsts);
    let mut rest = statements().map(|one| {
        let rise = keys.next(&one).1;
        (one, rise)
    });
    while at < all.len() {
        let (length, turns) = turn(&all, at);
        if turns < 2 {
            out.extend(rest.next().map(|(statement, _)| statement));
            at += 1;
            continue;
        }
        let body = rest.by_ref().take(length).map(|(mut statement, rise)| {
            if let StatementKind::Signal { value, .. } | StatementKind::Wait { value, .. } =
                &mut statement.kind
            {
                *value = FenceValue::Relative(rise);
            }
            statement
        });
        let body: Vec<Statement> = body.collect();
        // The turns after the first say the same.
        rest.by_ref().take(length * (turns - 1)).for_each(drop);
        out.push(repeat(turns, body));
        at += length * turns;
    }
    out
}

/// The length of a turn that begins here, and how often it comes: of all lengths the one that covers most, the shortest of
/// those.
fn turn(keys: &[u64], at: usize) -> (usize, usize) {
    let rest = &keys[at..];
    let mut best = (1, 1);
    for length in 1..=TURN_MAX.min(rest.len() / 2) {
        if rest[0] != rest[length] {
            continue;
        }
        let body = &rest[..length];
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
