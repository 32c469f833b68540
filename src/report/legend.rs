//! What the names of caches mean that a report mentions: each once, in one place.

use crate::run::CacheRow;

/// The machine's caches, and which of them a line named.
#[derive(Default)]
pub(super) struct Legend<'r> {
    caches: Vec<(&'r CacheRow, bool)>,
}

impl<'r> Legend<'r> {
    pub(super) fn of(caches: &'r [CacheRow]) -> Self {
        Self {
            caches: caches.iter().map(|cache| (cache, false)).collect(),
        }
    }

    /// Looks for names of caches in a line.
    pub(super) fn read(&mut self, line: &str) {
        if self.caches.iter().all(|(_, named)| *named) {
            return;
        }
        for word in line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.')) {
            let word = word.trim_end_matches(['.', '-']);
            for (_, named) in self.caches.iter_mut().filter(|(c, _)| c.name == word) {
                *named = true;
            }
        }
    }

    /// Explains those that were named; `None` if none was.
    pub(super) fn text(&self, profile: &str) -> Option<String> {
        let named = self.caches.iter().filter(|(_, named)| *named);
        let entries: Vec<String> = named.map(|(cache, _)| explained(cache)).collect();
        (!entries.is_empty()).then(|| format!("caches of {profile}: {}", entries.join("; ")))
    }
}

fn explained(cache: &CacheRow) -> String {
    if cache.note.is_empty() {
        format!("{} is {}", cache.name, cache.policy)
    } else {
        let note = cache.note.replace(';', ",");
        format!("{} is {}, {note}", cache.name, cache.policy)
    }
}
