//! Words of rule files that packets refer to. A packet is a small value without owned text, so what a rule file says
//! about it lives as long as the program, each text once.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// A text that stays.
pub(super) fn kept(text: &str) -> &'static str {
    // Nothing in here panics; a set is whole whoever held the lock.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(text) {
        return known;
    }
    let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
    known.insert(text);
    text
}
