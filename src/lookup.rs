//! Maps and sets that are only asked, never walked.
//!
//! The order of a hash map differs between runs. Nothing here can be iterated or printed entry by entry, so no order comes
//! from a hash; what must be walked is an `IndexMap` or a table. Only this file names the maps of the library.

use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::ops::Index;

pub use std::collections::hash_map::Entry;

/// Values by key.
#[derive(Clone)]
pub struct LookupMap<K, V>(FxHashMap<K, V>);

impl<K: Eq + Hash, V> LookupMap<K, V> {
    /// The value of a key.
    #[inline]
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key)
    }

    /// The value of a key, to be changed.
    #[inline]
    pub fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.0.get_mut(key)
    }

    /// Whether a key has a value.
    #[inline]
    pub fn contains_key<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// Gives a key a value; the answer is the one that it had.
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.0.insert(key, value)
    }

    /// Takes the value of a key away.
    #[inline]
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.0.remove(key)
    }

    /// The place of a key, with or without a value.
    #[inline]
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        self.0.entry(key)
    }
}

impl<K, V> LookupMap<K, V> {
    /// Number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no key has a value.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Eq + Hash + Borrow<Q>, Q: Eq + Hash + ?Sized, V> Index<&Q> for LookupMap<K, V> {
    type Output = V;

    #[track_caller]
    fn index(&self, key: &Q) -> &V {
        &self.0[key]
    }
}

impl<K, V> Default for LookupMap<K, V> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<K: Eq + Hash, V> FromIterator<(K, V)> for LookupMap<K, V> {
    fn from_iter<E: IntoIterator<Item = (K, V)>>(entries: E) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl<K: Eq + Hash, V> Extend<(K, V)> for LookupMap<K, V> {
    fn extend<E: IntoIterator<Item = (K, V)>>(&mut self, entries: E) {
        self.0.extend(entries);
    }
}

impl<K, V> fmt::Debug for LookupMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a map of {}", self.0.len())
    }
}

/// A set of values.
#[derive(Clone)]
pub struct LookupSet<T>(FxHashSet<T>);

impl<T: Eq + Hash> LookupSet<T> {
    /// The value of the set that equals this one.
    #[inline]
    pub fn get<Q: Eq + Hash + ?Sized>(&self, value: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.0.get(value)
    }

    /// Whether the set has a value.
    #[inline]
    pub fn contains<Q: Eq + Hash + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains(value)
    }

    /// Adds a value; says whether it is new.
    #[inline]
    pub fn insert(&mut self, value: T) -> bool {
        self.0.insert(value)
    }

    /// Takes a value away; says whether it was there.
    #[inline]
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(value)
    }
}

impl<T> LookupSet<T> {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no value.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all values.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<T> Default for LookupSet<T> {
    fn default() -> Self {
        Self(FxHashSet::default())
    }
}

impl<T: Eq + Hash> FromIterator<T> for LookupSet<T> {
    fn from_iter<E: IntoIterator<Item = T>>(values: E) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T: Eq + Hash> Extend<T> for LookupSet<T> {
    fn extend<E: IntoIterator<Item = T>>(&mut self, values: E) {
        self.0.extend(values);
    }
}

impl<T> fmt::Debug for LookupSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a set of {}", self.0.len())
    }
}
