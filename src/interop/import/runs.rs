//! A sequence that repeats, kept in little memory and without loss: what comes three times in a row, with numbers that rise
//! by the same each time, is kept once and counted while it goes on.

use std::collections::VecDeque;

/// The most items of one turn.
const TURN_MAX: usize = 256;

/// An item of such a sequence: what it is, and numbers that may rise.
pub(super) trait Item: Clone {
    /// A hash of what it is: equal for equal items, numbers apart.
    fn shape(&self) -> u64;

    /// Whether two are the same, numbers apart.
    fn same(&self, other: &Self) -> bool;

    /// Calls a function with each number, always in the same order.
    fn numbers(&mut self, visit: &mut dyn FnMut(&mut u64));
}

/// Part of a sequence.
#[derive(Clone, Debug)]
enum Piece<T> {
    One(T),
    /// The items of the first turn, and by how much the numbers of each rise with each turn.
    Run {
        body: Vec<T>,
        steps: Vec<Vec<u64>>,
        turns: u64,
    },
}

/// What is remembered of a recent item.
#[derive(Clone, Debug)]
struct Recent {
    shape: u64,
    numbers: Vec<u64>,
}

/// A sequence.
#[derive(Clone, Debug)]
pub(super) struct Runs<T> {
    pieces: Vec<Piece<T>>,
    /// Items of the last turn of the run at the end that came; 0 if the sequence does not end with a run.
    inside: usize,
    /// Whether the sequence ends with a run that goes on.
    goes_on: bool,
    /// The last items, the latest at the back, since the last run.
    recent: VecDeque<Recent>,
    /// How many items in a row were as the one so many before them, and rose by as much: by that distance.
    streaks: Vec<usize>,
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            inside: 0,
            goes_on: false,
            recent: VecDeque::new(),
            streaks: vec![0; TURN_MAX + 1],
        }
    }
}

fn numbers_of<T: Item>(item: &T) -> Vec<u64> {
    let mut all = Vec::new();
    item.clone().numbers(&mut |number| all.push(*number));
    all
}

/// The item of a run in one of its turns.
fn in_turn<T: Item>(item: &T, step: &[u64], turn: u64) -> T {
    let mut item = item.clone();
    let mut steps = step.iter();
    item.numbers(&mut |number| {
        let step = steps.next().copied().unwrap_or(0);
        *number = number.wrapping_add(step.wrapping_mul(turn));
    });
    item
}

fn differences(from: &[u64], to: &[u64]) -> Vec<u64> {
    let pairs = from.iter().zip(to);
    pairs.map(|(from, to)| to.wrapping_sub(*from)).collect()
}

/// Whether the numbers of three items rise by the same from each to the next.
fn rise_alike(a: &[u64], b: &[u64], c: &[u64]) -> bool {
    let mut all = a.iter().zip(b).zip(c);
    all.all(|((a, b), c)| b.wrapping_sub(*a) == c.wrapping_sub(*b))
}

impl<T: Item> Runs<T> {
    /// Adds an item.
    pub(super) fn push(&mut self, item: T) {
        if self.goes_on && self.continues(&item) {
            return;
        }
        self.end_run();
        self.one(item);
    }

    /// Whether the item is the next of the run at the end. Counts it then.
    fn continues(&mut self, item: &T) -> bool {
        let Some(Piece::Run { body, steps, turns }) = self.pieces.last_mut() else {
            return false;
        };
        let first = &body[self.inside];
        let is_next = first.same(item)
            && numbers_of(&in_turn(first, &steps[self.inside], *turns)) == numbers_of(item);
        if is_next {
            self.inside += 1;
            if self.inside == body.len() {
                self.inside = 0;
                *turns += 1;
            }
        }
        is_next
    }

    /// Ends the run at the end: the items of its last turn, which is not complete, are single items.
    fn end_run(&mut self) {
        if !std::mem::take(&mut self.goes_on) {
            return;
        }
        let inside = std::mem::take(&mut self.inside);
        let Some(Piece::Run { body, steps, turns }) = self.pieces.last() else {
            return;
        };
        let left = body.iter().zip(steps).take(inside);
        let left: Vec<T> = left
            .map(|(item, step)| in_turn(item, step, *turns))
            .collect();
        for item in left {
            self.push(item);
        }
    }

    /// Adds a single item, which may complete the third turn of a run.
    fn one(&mut self, item: T) {
        let now = Recent {
            shape: item.shape(),
            numbers: numbers_of(&item),
        };
        self.pieces.push(Piece::One(item));
        let mut complete = None;
        for distance in 1..=TURN_MAX.min(self.recent.len() / 2) {
            let back = |many: usize| &self.recent[self.recent.len() - many];
            let (last, before) = (back(distance), back(2 * distance));
            let goes_on = last.shape == now.shape
                && before.shape == now.shape
                && rise_alike(&before.numbers, &last.numbers, &now.numbers);
            let streak = &mut self.streaks[distance];
            *streak = if goes_on { *streak + 1 } else { 0 };
            if complete.is_none() && *streak >= distance {
                complete = Some(distance);
            }
        }
        self.recent.push_back(now);
        if self.recent.len() > 2 * TURN_MAX {
            self.recent.pop_front();
        }
        if let Some(length) = complete {
            self.begin_run(length);
        }
    }

    /// The last three times so many items are a run, unless two of them only look the same.
    fn begin_run(&mut self, length: usize) {
        let from = self.pieces.len() - 3 * length;
        let single = |piece: &Piece<T>| match piece {
            Piece::One(item) => Some(item.clone()),
            Piece::Run { .. } => None,
        };
        let Some(items) = self.pieces[from..]
            .iter()
            .map(single)
            .collect::<Option<Vec<T>>>()
        else {
            return;
        };
        let same = |at: usize| items[at].same(&items[at + length]);
        if !(0..2 * length).all(same) {
            return;
        }
        let step =
            |at: usize| differences(&numbers_of(&items[at]), &numbers_of(&items[at + length]));
        let steps = (0..length).map(step).collect();
        self.pieces.truncate(from);
        self.pieces.push(Piece::Run {
            body: items[..length].to_vec(),
            steps,
            turns: 3,
        });
        self.goes_on = true;
        self.inside = 0;
        self.recent.clear();
        self.streaks.fill(0);
    }

    /// Every item, as it was added.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let last = self.pieces.len().wrapping_sub(1);
        self.pieces.iter().enumerate().flat_map(move |(at, piece)| {
            let partial = if at == last { self.inside } else { 0 };
            let count = match piece {
                Piece::One(_) => 1,
                Piece::Run { body, turns, .. } => body.len() as u64 * turns + partial as u64,
            };
            (0..count).map(move |number| match piece {
                Piece::One(item) => item.clone(),
                Piece::Run { body, steps, .. } => {
                    let length = body.len() as u64;
                    let place = usize::try_from(number % length).expect("below the length");
                    in_turn(&body[place], &steps[place], number / length)
                }
            })
        })
    }

    /// Items without their repetitions: each of them is at least once among these, numbers apart.
    pub(super) fn kinds(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flat_map(|piece| match piece {
            Piece::One(item) => std::slice::from_ref(item),
            Piece::Run { body, .. } => body,
        })
    }

    /// Whether nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A letter and a number.
    #[derive(Clone, Debug, PartialEq)]
    struct Letter(u8, u64);

    impl Item for Letter {
        fn shape(&self) -> u64 {
            // Few shapes, so that some items only look the same.
            u64::from(self.0 % 3)
        }

        fn same(&self, other: &Self) -> bool {
            self.0 == other.0
        }

        fn numbers(&mut self, visit: &mut dyn FnMut(&mut u64)) {
            visit(&mut self.1);
        }
    }

    fn runs(items: &[Letter]) -> Runs<Letter> {
        let mut runs = Runs::default();
        for item in items {
            runs.push(item.clone());
        }
        assert_eq!(runs.iter().collect::<Vec<_>>(), items, "nothing is lost");
        assert!(
            items
                .iter()
                .all(|item| runs.kinds().any(|kind| kind.same(item))),
            "{items:?}"
        );
        runs
    }

    #[test]
    fn a_repetition_is_kept_once() {
        let mut items = vec![Letter(9, 5), Letter(9, 9)];
        for turn in 0..1000 {
            items.push(Letter(1, 10 + turn * 7));
            items.push(Letter(2, 12 + turn * 7));
            items.push(Letter(1, turn));
        }
        items.push(Letter(1, 10 + 1000 * 7));
        let found = runs(&items);
        assert!(found.pieces.len() < 12, "{}", found.pieces.len());
        items.push(Letter(5, 0));
        runs(&items);
    }

    #[test]
    fn every_short_sequence_is_kept_without_loss() {
        // Letters of a small alphabet, numbers that rise by one or two: all sequences of nine.
        for code in 0..1u32 << 18 {
            if code % 7 != 0 {
                continue;
            }
            let mut number = 0;
            let items: Vec<Letter> = (0..9)
                .map(|at| {
                    let bits = code >> (2 * at) & 3;
                    number += u64::from(bits >> 1) + 1;
                    // 1 and 4 have one shape and are not the same.
                    Letter(if bits & 1 == 0 { 1 } else { 4 }, number)
                })
                .collect();
            runs(&items);
        }
    }

    #[test]
    fn numbers_may_wrap_and_fall() {
        let items: Vec<Letter> = (0..20).map(|at| Letter(1, 7u64.wrapping_sub(at))).collect();
        assert_eq!(runs(&items).pieces.len(), 1);
    }
}
