//! A table whose entries have names.

use super::Id;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// An `IndexMap` from names to what the ids of one kind stand for, in order of declaration; in JSON it is one too. Only
/// the ids of its entries index it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamedTable<I, T> {
    entries: IndexMap<String, T>,
    #[serde(skip)]
    ids: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> NamedTable<I, T> {
    /// An entry and its name, if the table has it.
    pub fn named(&self, id: I) -> Option<(&str, &T)> {
        let entry = self.entries.get_index(id.index());
        entry.map(|(name, entry)| (name.as_str(), entry))
    }

    /// An entry's name; a question mark if the table does not have it.
    pub fn name(&self, id: I) -> &str {
        self.named(id).map_or("?", |(name, _)| name)
    }

    /// Adds an entry under a name that the table does not have; the answer is its id.
    pub fn push(&mut self, name: String, entry: T) -> I {
        I::new(self.entries.insert_full(name, entry).0)
    }

    /// The id of a name.
    pub fn id_of(&self, name: &str) -> Option<I> {
        self.entries.get_index_of(name).map(I::new)
    }

    /// Ids of all entries.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.entries.len()).map(I::new)
    }

    /// All entries, each with its id.
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        let entries = self.entries.values().enumerate();
        entries.map(|(index, entry)| (I::new(index), entry))
    }
}

impl<I: Id, T> Index<I> for NamedTable<I, T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: I) -> &T {
        &self.entries[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for NamedTable<I, T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.entries[id.index()]
    }
}

impl<I, T> Deref for NamedTable<I, T> {
    type Target = IndexMap<String, T>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.entries
    }
}

impl<I, T> DerefMut for NamedTable<I, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.entries
    }
}

impl<I, T> From<IndexMap<String, T>> for NamedTable<I, T> {
    fn from(entries: IndexMap<String, T>) -> Self {
        let ids = PhantomData;
        Self { entries, ids }
    }
}

impl<I, T> Default for NamedTable<I, T> {
    fn default() -> Self {
        IndexMap::new().into()
    }
}

impl<I, T> FromIterator<(String, T)> for NamedTable<I, T> {
    fn from_iter<E: IntoIterator<Item = (String, T)>>(entries: E) -> Self {
        IndexMap::from_iter(entries).into()
    }
}

impl<'a, I, T> IntoIterator for &'a NamedTable<I, T> {
    type Item = (&'a String, &'a T);
    type IntoIter = indexmap::map::Iter<'a, String, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for NamedTable<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}

#[cfg(test)]
impl<I, T: schemars::JsonSchema> schemars::JsonSchema for NamedTable<I, T> {
    fn inline_schema() -> bool {
        <IndexMap<String, T>>::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        <IndexMap<String, T>>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <IndexMap<String, T>>::json_schema(generator)
    }
}
