//! Where the page of a rule is: in a book that somebody has put somewhere, or in a file that is written when first needed.

use super::convert::uri_of;
use crate::finding::Rule;
use crate::report::page::rule_markdown;
use etcetera::{BaseStrategy, choose_base_strategy};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Links to pages.
pub(super) struct Pages {
    book: Option<String>,
    directory: Option<PathBuf>,
    known: BTreeMap<&'static str, Option<String>>,
}

impl Pages {
    pub(super) fn new(book: Option<String>, directory: Option<PathBuf>) -> Self {
        let own = || {
            let base = choose_base_strategy().ok()?;
            Some(base.cache_dir().join("syncscope").join("rules"))
        };
        Self {
            book,
            directory: directory.or_else(own),
            known: BTreeMap::new(),
        }
    }

    /// The link to a rule's page; `None` if there is no place for it.
    pub(super) fn link(&mut self, rule: &'static Rule) -> Option<String> {
        if let Some(book) = &self.book {
            let book = book.trim_end_matches('/');
            return Some(format!("{book}/rules/{}.html", rule.id));
        }
        let directory = self.directory.as_deref();
        let known = self.known.entry(rule.id);
        let link = known.or_insert_with(|| {
            let path = directory?.join(format!("{}.md", rule.id));
            let page = rule_markdown(rule);
            if fs::read_to_string(&path).is_ok_and(|it| it == page) {
                return Some(uri_of(path.to_str()?));
            }
            fs::create_dir_all(directory?).ok()?;
            fs::write(&path, page).ok()?;
            Some(uri_of(path.to_str()?))
        });
        link.clone()
    }
}
