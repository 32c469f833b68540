//! From what a lowering does for each pair of accesses in each context to conditions: what is always there, what follows from
//! one side alone, and what from pairs.

use super::cover::{self, Box};
use super::probe::{Act, CHANGE, Context};
use crate::api::BarrierAccess;
use crate::id::CacheId;
use crate::lower::rules::model::Place;
use std::collections::{BTreeMap, BTreeSet};

/// The place of no access among the bits of accesses.
pub(super) const NONE: u8 = 23;

/// What one rule emits of what a lowering does.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    Clean(Place, bool, CacheId),
    Layout,
    Invalidate(Place, bool, CacheId),
    FrontEnd,
}

/// Contexts.
pub(super) type Set = BTreeSet<Context>;

/// In which contexts each operation is there, for each pair of accesses.
pub(super) type Cells<K> = BTreeMap<K, BTreeMap<(u8, u8), Set>>;

/// What a rule asks of a side's accesses.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Accesses {
    Free,
    Any(u32),
    None,
}

/// What a rule asks of accesses: given up, before, after.
pub(super) type Asked = (u32, Accesses, Accesses);

/// From operations on a side of the layout operation to what rules emit.
pub(super) fn keys(cells: &Cells<Act>) -> Cells<Key> {
    let mut keys: Cells<Key> = BTreeMap::new();
    let empty = Set::new();
    let mut add = |key: Key, cell: (u8, u8), set: Set| {
        if !set.is_empty() {
            keys.entry(key)
                .or_default()
                .entry(cell)
                .or_default()
                .extend(set);
        }
    };
    let at = |act: &Act, cell: (u8, u8)| -> &Set {
        cells
            .get(act)
            .and_then(|cells| cells.get(&cell))
            .unwrap_or(&empty)
    };
    for (act, of) in cells {
        match *act {
            Act::Layout => of
                .iter()
                .for_each(|(cell, set)| add(Key::Layout, *cell, set.clone())),
            Act::FrontEnd => of
                .iter()
                .for_each(|(cell, set)| add(Key::FrontEnd, *cell, set.clone())),
            Act::Invalidate(cache, whole, early) => {
                let place = if early { Place::Early } else { Place::Usual };
                for (cell, set) in of {
                    add(Key::Invalidate(place, whole, cache), *cell, set.clone());
                }
            }
            Act::Clean(cache, whole, early) => {
                for cell in of.keys() {
                    let first = at(&Act::Clean(cache, whole, true), *cell);
                    let second = at(&Act::Clean(cache, whole, false), *cell);
                    if early && !second.is_empty() {
                        // Done with the other side.
                        continue;
                    }
                    // What the layout operation itself has written follows from what comes after alone.
                    let own = at(&Act::Clean(cache, whole, false), (NONE, cell.1));
                    for (place, set) in placed(first, second, own) {
                        add(Key::Clean(place, whole, cache), *cell, set);
                    }
                }
            }
        }
    }
    keys
}

/// Where a write-back is said to be that is before the layout operation in some contexts, and after it or without one in
/// others; `own`: contexts in which the operation's own writes need it.
fn placed(first: &Set, second: &Set, own: &Set) -> [(Place, Set); 3] {
    let (plain, late): (Set, Set) = second.iter().copied().partition(|c| c.0[CHANGE] == 0);
    let again: Set = late.intersection(own).copied().collect();
    let rest: Set = late.difference(&again).copied().collect();
    let with = |other: &Set| -> Set { plain.union(other).copied().collect() };
    let (usual, late) = if !first.is_empty() || rest.is_empty() {
        (with(first), rest)
    } else {
        (Set::new(), with(&rest))
    };
    [
        (Place::Usual, usual),
        (Place::Late, late),
        (Place::Again, again),
    ]
}

/// Conditions on accesses and contexts, with what they emit.
pub(super) type Found = BTreeMap<(Asked, Box), Vec<Key>>;

/// Writes a table of cells down as conditions: what is always there, what follows from one side, and what from pairs.
pub(super) fn decomposed(cells: &Cells<Key>, contexts: &Set, given_up: bool) -> Found {
    let mut found = Found::new();
    let mut known: BTreeMap<(Set, Set), Vec<Box>> = BTreeMap::new();
    for (key, of) in cells {
        let mut emit = |of: Box, asked: Asked| {
            let keys = found.entry((asked, of)).or_default();
            if !keys.contains(key) {
                keys.push(*key);
            }
        };
        let mut boxes = |set: &Set, allowed: &Set| -> Vec<Box> {
            let pair = (set.clone(), allowed.clone());
            let made = || cover::boxes(set, allowed, contexts);
            known.entry(pair).or_insert_with(made).clone()
        };
        let common = Common::of(of, given_up);
        if !given_up {
            for it in boxes(&common.always, &common.always) {
                emit(it, (0, Accesses::Free, Accesses::Free));
            }
        }
        for (is_row, sets) in [(true, &common.rows), (false, &common.columns)] {
            let mut same: BTreeMap<Box, u32> = BTreeMap::new();
            for (bit, set) in sets {
                let rest: Set = set.difference(&common.always).copied().collect();
                for it in boxes(&rest, set) {
                    *same.entry(it).or_default() |= 1 << bit;
                }
            }
            for (it, bits) in same {
                for accesses in side(bits) {
                    emit(
                        it,
                        match (given_up, is_row, accesses) {
                            (true, _, Accesses::Any(bits)) => {
                                (bits, Accesses::Free, Accesses::Free)
                            }
                            (_, true, accesses) => (0, accesses, Accesses::Free),
                            (_, false, accesses) => (0, Accesses::Free, accesses),
                        },
                    );
                }
            }
        }
        let mut same: BTreeMap<Box, BTreeSet<(u8, u8)>> = BTreeMap::new();
        for (cell, set) in of {
            for it in boxes(&common.rest(*cell, set), set) {
                same.entry(it).or_default().insert(*cell);
            }
        }
        for (it, pairs) in same {
            for (rows, columns) in cover::rectangles(&pairs) {
                for after in side(columns) {
                    if given_up {
                        emit(it, (rows, Accesses::Free, after));
                    } else {
                        for before in side(rows) {
                            emit(it, (0, before, after));
                        }
                    }
                }
            }
        }
    }
    found
}

/// What of a table is there whatever one side is.
struct Common {
    /// Whatever both sides are.
    always: Set,
    /// For an access before, whatever comes after.
    rows: BTreeMap<u8, Set>,
    /// For an access after, whatever was before.
    columns: BTreeMap<u8, Set>,
}

impl Common {
    fn of(of: &BTreeMap<(u8, u8), Set>, given_up: bool) -> Self {
        let is_row = |bit: &u8| !given_up || BarrierAccess::from_bits_retain(1 << bit).writes();
        let rows: Vec<u8> = (0..=NONE).filter(is_row).collect();
        let columns: Vec<u8> = (0..=NONE).collect();
        let cell = |before: u8, after: u8| of.get(&(before, after)).cloned().unwrap_or_default();
        let common = |cells: Vec<Set>| -> Set {
            let mut cells = cells.into_iter();
            let first = cells.next().unwrap_or_default();
            cells.fold(first, |all, cell| {
                all.intersection(&cell).copied().collect()
            })
        };
        let of_row = |row: u8| common(columns.iter().map(|column| cell(row, *column)).collect());
        let of_column = |column: u8| common(rows.iter().map(|row| cell(*row, column)).collect());
        let by_row: BTreeMap<u8, Set> = rows.iter().map(|row| (*row, of_row(*row))).collect();
        // What is given up is only about itself: nothing follows from what comes after alone.
        let by_column = |column: &u8| (*column, of_column(*column));
        Self {
            always: if given_up {
                Set::new()
            } else {
                common(by_row.values().cloned().collect())
            },
            columns: if given_up {
                BTreeMap::new()
            } else {
                columns.iter().map(by_column).collect()
            },
            rows: by_row,
        }
    }

    /// What of a cell follows from neither side alone.
    fn rest(&self, (before, after): (u8, u8), set: &Set) -> Set {
        let sides = [
            self.rows.get(&before),
            self.columns.get(&after),
            Some(&self.always),
        ];
        let follows = |context: &Context| sides.iter().flatten().any(|set| set.contains(context));
        set.iter()
            .filter(|context| !follows(context))
            .copied()
            .collect()
    }
}

/// What a rule asks of a side with these accesses.
fn side(bits: u32) -> Vec<Accesses> {
    let accesses = bits & !(1 << NONE);
    let any = (accesses != 0).then_some(Accesses::Any(accesses));
    let none = bits >> NONE & 1 == 1;
    any.into_iter()
        .chain(none.then_some(Accesses::None))
        .collect()
}
