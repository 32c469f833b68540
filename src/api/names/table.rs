//! Tables of names, hashed or sorted at compile time, and sets of bits as text.
//!
//! Looking a name up costs one comparison of texts as a rule, because it is on the parser's hot path.

use std::fmt;

/// A name without prefix and the header's number.
pub(in crate::api) type Row = (&'static str, u32);

const fn before(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() {
        if a[i] != b[i] {
            return a[i] < b[i];
        }
        i += 1;
    }
    a.len() < b.len()
}

/// The rows in order of their names.
pub(in crate::api) const fn sorted<const N: usize>(mut rows: [Row; N]) -> [Row; N] {
    let mut i = 1;
    while i < N {
        let mut j = i;
        while j > 0 && before(rows[j].0, rows[j - 1].0) {
            let row = rows[j];
            rows[j] = rows[j - 1];
            rows[j - 1] = row;
            j -= 1;
        }
        i += 1;
    }
    rows
}

/// Only the names, in the table's order.
pub(in crate::api) const fn column<const N: usize>(rows: &[Row; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut i = 0;
    while i < N {
        names[i] = rows[i].0;
        i += 1;
    }
    names
}

/// The canonical name of each bit: the first row that has exactly that bit.
pub(super) const fn by_bit(rows: &[Row]) -> [&'static str; 32] {
    let mut names = [""; 32];
    let mut i = 0;
    while i < rows.len() {
        let (name, value) = rows[i];
        if value.is_power_of_two() && names[value.trailing_zeros() as usize].is_empty() {
            names[value.trailing_zeros() as usize] = name;
        }
        i += 1;
    }
    names
}

/// Slots of a hashed table; at most half of them are taken.
const SLOTS: usize = 128;

/// The rows of a small table by the hash of their names; what collides is in the next free slot.
pub(in crate::api) struct Hashed {
    slots: [Row; SLOTS],
}

impl Hashed {
    /// Of rows with different names.
    pub(in crate::api) const fn new(rows: &[Row]) -> Self {
        assert!(rows.len() * 2 <= SLOTS, "a larger table is searched");
        let mut slots = [("", 0); SLOTS];
        let mut i = 0;
        while i < rows.len() {
            let mut at = slot(rows[i].0.as_bytes());
            while !slots[at].0.is_empty() {
                at = (at + 1) % SLOTS;
            }
            slots[at] = rows[i];
            i += 1;
        }
        Self { slots }
    }

    /// The number of a name.
    pub(in crate::api) fn get(&self, name: &str) -> Option<u32> {
        if name.is_empty() {
            return None;
        }
        let mut at = slot(name.as_bytes());
        loop {
            let (known, value) = self.slots[at];
            if known == name {
                return Some(value);
            }
            if known.is_empty() {
                return None;
            }
            at = (at + 1) % SLOTS;
        }
    }
}

/// The slot where the search for a name starts. Names of one table mostly differ in length or at these places.
#[allow(
    clippy::cast_possible_truncation,
    reason = "a hash, made at compile time as well"
)]
const fn slot(name: &[u8]) -> usize {
    let last = name.len() - 1;
    let parts = [
        name.len() as u32,
        name[0] as u32,
        name[last / 2] as u32,
        name[last] as u32,
        name[last.saturating_sub(3)] as u32,
    ];
    let (mut hash, mut i) = (0_u32, 0);
    while i < parts.len() {
        hash = hash.wrapping_mul(31).wrapping_add(parts[i]);
        i += 1;
    }
    (hash.wrapping_mul(0x9e37_79b1) >> 25) as usize % SLOTS
}

/// The number of a name in a sorted table.
pub(in crate::api) fn lookup(sorted: &[Row], name: &str) -> Option<u32> {
    sorted
        .binary_search_by(|row| row.0.cmp(name))
        .ok()
        .map(|i| sorted[i].1)
}

/// Writes the names of the bits joined by `|`; bits without a name follow as one hexadecimal number.
pub(super) fn write_bits(
    f: &mut fmt::Formatter<'_>,
    value: u32,
    names: &[&'static str; 32],
    zero: &str,
) -> fmt::Result {
    if value == 0 {
        return f.write_str(zero);
    }
    let mut first = true;
    let mut unknown = 0_u32;
    let mut rest = value;
    while rest != 0 {
        let index = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        if names[index].is_empty() {
            unknown |= 1 << index;
            continue;
        }
        if !first {
            f.write_str("|")?;
        }
        first = false;
        f.write_str(names[index])?;
    }
    if unknown != 0 {
        if !first {
            f.write_str("|")?;
        }
        write!(f, "{unknown:#x}")?;
    }
    Ok(())
}
