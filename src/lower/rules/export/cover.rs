//! Sets written down with few words: contexts as boxes, and pairs of accesses as rectangles.

use super::probe::{Context, DIMENSIONS};
use std::collections::{BTreeMap, BTreeSet};

/// A box of contexts: allowed values of each quantity, a bit each.
pub(super) type Box = [u16; DIMENSIONS];

/// Boxes that have every context of `set`, and of all contexts that there are none that is not allowed. A box may have
/// contexts that no entry has.
pub(super) fn boxes(
    set: &BTreeSet<Context>,
    allowed: &BTreeSet<Context>,
    all: &BTreeSet<Context>,
) -> Vec<Box> {
    let mut every: Box = [0; DIMENSIONS];
    for context in all {
        for (values, value) in every.iter_mut().zip(context.0) {
            *values |= 1 << value;
        }
    }
    let others: Vec<&Context> = all.difference(allowed).collect();
    let is_inside = |of: &Box| !others.iter().any(|context| has(of, **context));
    let mut left = set.clone();
    let mut found = Vec::new();
    while let Some(first) = left.first().copied() {
        let mut grown: Box = first.0.map(|value| 1 << value);
        // All of a quantity if that is right, else as many values as are.
        for quantity in 0..DIMENSIONS {
            let mut wider = grown;
            wider[quantity] = every[quantity];
            if is_inside(&wider) {
                grown = wider;
            }
        }
        for quantity in 0..DIMENSIONS {
            for value in 0..16 {
                let bit = 1_u16 << value;
                if every[quantity] & bit == 0 || grown[quantity] & bit != 0 {
                    continue;
                }
                let mut wider = grown;
                wider[quantity] |= bit;
                if is_inside(&wider) {
                    grown = wider;
                }
            }
        }
        left.retain(|context| !has(&grown, *context));
        found.push(grown);
    }
    found
}

/// Whether a box has a context.
pub(super) fn has(of: &Box, context: Context) -> bool {
    let values = of.iter().zip(context.0);
    values
        .into_iter()
        .all(|(values, value)| values >> value & 1 == 1)
}

/// A set of pairs as rectangles: rows and columns, a bit each.
pub(super) fn rectangles(pairs: &BTreeSet<(u8, u8)>) -> Vec<(u32, u32)> {
    let by = |row: fn(&(u8, u8)) -> (u8, u8)| {
        let mut rows: BTreeMap<u8, u32> = BTreeMap::new();
        for (row, column) in pairs.iter().map(row) {
            *rows.entry(row).or_default() |= 1 << column;
        }
        let mut same: BTreeMap<u32, u32> = BTreeMap::new();
        for (row, columns) in rows {
            *same.entry(columns).or_default() |= 1 << row;
        }
        same
    };
    let rows = by(|pair| *pair);
    let columns = by(|(row, column)| (*column, *row));
    if rows.len() <= columns.len() {
        rows.into_iter()
            .map(|(columns, rows)| (rows, columns))
            .collect()
    } else {
        columns.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_the_pairs() {
        let pairs: BTreeSet<(u8, u8)> = [(0, 1), (0, 2), (3, 1), (3, 2), (4, 1)].into();
        let covered: BTreeSet<(u8, u8)> = rectangles(&pairs)
            .into_iter()
            .flat_map(|(rows, columns)| {
                let of = |bits: u32| (0..32).filter(move |bit| bits >> bit & 1 == 1);
                of(rows).flat_map(move |row| of(columns).map(move |column| (row, column)))
            })
            .collect();
        assert_eq!(covered, pairs);
    }

    #[test]
    fn boxes_are_the_contexts() {
        let context = |a: u8, b: u8| Context([a, b, 0, 0, 0, 0]);
        let all: BTreeSet<Context> = (0..3)
            .flat_map(|a| (0..3).map(move |b| context(a, b)))
            .collect();
        for bits in 0..1_u32 << 9 {
            let chosen = (0..9_u8).filter(|at| bits >> at & 1 == 1);
            let set: BTreeSet<Context> = chosen.map(|at| context(at / 3, at % 3)).collect();
            let found = boxes(&set, &set, &all);
            let covered = all.iter().filter(|it| found.iter().any(|of| has(of, **it)));
            assert_eq!(covered.copied().collect::<BTreeSet<_>>(), set);
        }
    }
}
