//! A vector that is indexed by the ids of its entries and by nothing else.

use super::Id;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// A `Vec` of what the ids of one kind stand for; in JSON it is one too.
///
/// An id of another kind, or a plain number, does not compile:
///
/// ```
/// use syncscope::id::{FenceId, ListId, Table};
/// let mut table: Table<ListId, char> = Table::default();
/// let id = table.push('a');
/// assert_eq!(table[id], 'a');
/// ```
/// ```compile_fail,E0308
/// # use syncscope::id::{FenceId, ListId, Table};
/// # let table: Table<ListId, char> = Table::filled(1, 'a');
/// assert_eq!(table[FenceId(0)], 'a');
/// ```
/// ```compile_fail,E0308
/// # use syncscope::id::{FenceId, ListId, Table};
/// # let table: Table<ListId, char> = Table::filled(1, 'a');
/// assert_eq!(table[0usize], 'a');
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Table<I, T> {
    entries: Vec<T>,
    #[serde(skip)]
    ids: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> Table<I, T> {
    /// A table of `count` times the same.
    pub fn filled(count: usize, entry: T) -> Self
    where
        T: Clone,
    {
        vec![entry; count].into()
    }

    /// Adds an entry; the answer is its id.
    #[inline]
    pub fn push(&mut self, entry: T) -> I {
        let id = I::new(self.entries.len());
        self.entries.push(entry);
        id
    }

    /// An entry, if the table has it.
    #[inline]
    pub fn get(&self, id: I) -> Option<&T> {
        self.entries.get(id.index())
    }

    /// An entry to change, if the table has it.
    #[inline]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.entries.get_mut(id.index())
    }

    /// Ids of all entries.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.entries.len()).map(I::new)
    }

    /// All entries, each with its id.
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        let entries = self.entries.iter().enumerate();
        entries.map(|(index, entry)| (I::new(index), entry))
    }

    /// The first entry of which a question is true.
    pub fn find(&self, is_it: impl FnMut(&T) -> bool) -> Option<I> {
        self.entries.iter().position(is_it).map(I::new)
    }
}

impl<I, T> Table<I, T> {
    /// Makes the table as long as said, with the same entry in each new place.
    pub fn resize(&mut self, count: usize, entry: T)
    where
        T: Clone,
    {
        self.entries.resize(count, entry);
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: I) -> &T {
        &self.entries[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.entries[id.index()]
    }
}

impl<I, T> Deref for Table<I, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.entries
    }
}

impl<I, T> DerefMut for Table<I, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.entries
    }
}

impl<I, T> From<Vec<T>> for Table<I, T> {
    fn from(entries: Vec<T>) -> Self {
        let ids = PhantomData;
        Self { entries, ids }
    }
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> FromIterator<T> for Table<I, T> {
    fn from_iter<E: IntoIterator<Item = T>>(entries: E) -> Self {
        Vec::from_iter(entries).into()
    }
}

impl<I, T> Extend<T> for Table<I, T> {
    fn extend<E: IntoIterator<Item = T>>(&mut self, entries: E) {
        self.entries.extend(entries);
    }
}

impl<I, T> IntoIterator for Table<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a Table<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut Table<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter_mut()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}

#[cfg(test)]
impl<I, T: schemars::JsonSchema> schemars::JsonSchema for Table<I, T> {
    fn inline_schema() -> bool {
        <Vec<T>>::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        <Vec<T>>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <Vec<T>>::json_schema(generator)
    }
}
