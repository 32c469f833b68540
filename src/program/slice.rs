//! Runs of entries in the tables of a block.

use crate::id::narrow;
use std::marker::PhantomData;

/// A run of entries of one of a block's tables.
pub struct Slice<T> {
    /// First entry.
    pub start: u32,
    /// Number of entries.
    pub len: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Slice<T> {
    /// No entry.
    pub const EMPTY: Self = Self {
        start: 0,
        len: 0,
        of: PhantomData,
    };

    /// Appends entries to a table and returns where they are.
    ///
    /// # Panics
    /// If the table gets 2^32 entries.
    pub fn push(table: &mut Vec<T>, entries: impl IntoIterator<Item = T>) -> Self {
        let start = table.len();
        table.extend(entries);
        Self::since(table, start)
    }

    /// The entries of a table from `start` on.
    ///
    /// # Panics
    /// If the table has 2^32 entries or more.
    pub fn since(table: &[T], start: usize) -> Self {
        Self {
            start: narrow(start),
            len: narrow(table.len() - start),
            of: PhantomData,
        }
    }

    /// The entries themselves.
    #[inline]
    pub fn of(self, table: &[T]) -> &[T] {
        &table[self.start as usize..][..self.len as usize]
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T> PartialEq for Slice<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.len) == (other.start, other.len)
    }
}

impl<T> Eq for Slice<T> {}

impl<T> Copy for Slice<T> {}
impl<T> Clone for Slice<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> std::fmt::Debug for Slice<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start, self.start + self.len)
    }
}
