//! What several tests ask for: each answer is found out once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Answers by question.
pub(crate) struct Once<K, V>(Mutex<BTreeMap<K, Arc<OnceLock<V>>>>);

impl<K: Ord, V: Clone> Once<K, V> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// The answer. Who asks while it is being found out waits for it, and for no other.
    pub(crate) fn of(&self, question: K, find_out: impl FnOnce() -> V) -> V {
        let answer = {
            let mut known = self.0.lock().expect("nobody panics while holding it");
            Arc::clone(known.entry(question).or_default())
        };
        answer.get_or_init(find_out).clone()
    }
}
