//! Lists that are kept once, however often they come.

use crate::lookup::LookupMap;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A list of a pool.
#[derive(Clone, Debug)]
pub(super) struct Shared<T> {
    /// Equal for lists of one pool that are equal.
    pub(super) number: u32,
    pub(super) all: Rc<[T]>,
}

/// Lists that differ.
#[derive(Clone, Debug)]
pub(super) struct Pool<T> {
    count: u32,
    known: LookupMap<u64, Vec<Shared<T>>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self {
            count: 0,
            known: LookupMap::default(),
        }
    }
}

impl<T: Eq + Hash> Pool<T> {
    /// The list of the pool that is equal.
    pub(super) fn share(&mut self, list: Vec<T>) -> Shared<T> {
        let mut hasher = FxHasher::default();
        list.hash(&mut hasher);
        let known = self.known.entry(hasher.finish()).or_default();
        if let Some(found) = known.iter().find(|one| *one.all == *list) {
            return Shared {
                number: found.number,
                all: Rc::clone(&found.all),
            };
        }
        let shared = Shared {
            number: self.count,
            all: list.into(),
        };
        self.count += 1;
        known.push(Shared {
            number: shared.number,
            all: Rc::clone(&shared.all),
        });
        shared
    }
}
