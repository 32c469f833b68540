//! What the names of caches mean that a report mentions: each once, in one place.

use super::super::text;
use super::{FAINT, Page};
use crate::run::CacheRow;
use std::io;

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

    /// Explains those that were named.
    pub(super) fn write(&self, page: &mut Page<'_>, profile: &str) -> io::Result<()> {
        let named = self.caches.iter().filter(|(_, named)| *named);
        let entries: Vec<String> = named.map(|(cache, _)| explained(cache)).collect();
        if entries.is_empty() {
            return Ok(());
        }
        let text = format!("caches of {profile}: {}", entries.join("; "));
        for line in text::wrap(&text::clean(&text), page.style.columns) {
            let line = page.paint(FAINT, &line);
            page.line(&line)?;
        }
        Ok(())
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
