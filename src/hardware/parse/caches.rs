//! Caches: rows, parents, and caches named elsewhere.

use super::file::CacheRow;
use super::{At, Reader};
use crate::hardware::{CACHES_MAX, Cache, WritePolicy};
use crate::id::CacheId;
use crate::time::Ps;

impl Reader<'_> {
    fn find(&self, name: &str) -> Option<CacheId> {
        self.caches.find(|c| c.name == name)
    }

    /// A cache that the profile should have.
    pub(super) fn known(&mut self, at: &At, place: &str, name: &str) -> Option<CacheId> {
        let found = self.find(name);
        if found.is_some()
            && let Some(named) = &mut self.named
        {
            named.push((at.clone(), name.to_owned(), false));
        }
        if found.is_none() {
            let names: Vec<_> = self.caches.iter().map(|c| c.name.as_str()).collect();
            let are = if names.is_empty() {
                "it has no caches".to_owned()
            } else {
                format!("its caches are {}", names.join(", "))
            };
            self.problem(
                at,
                format!("{place}: `{name}` is not a cache of this profile; {are}"),
            );
        }
        found
    }

    pub(super) fn caches(&mut self, rows: &[CacheRow]) {
        if rows.len() > CACHES_MAX {
            let count = rows.len();
            self.problem(
                &At::of("cache").to(CACHES_MAX),
                format!("{count} caches: at most {CACHES_MAX} are possible"),
            );
        }
        for (index, row) in rows.iter().enumerate().take(CACHES_MAX) {
            self.cache(&At::of("cache").to(index), row);
        }
        self.parents(rows);
    }

    /// One row, without its parent.
    fn cache(&mut self, at: &At, row: &CacheRow) {
        let place = format!("cache {}", row.id);
        for (key, number) in row.numbers() {
            self.number(&at.to(key), format!("{}.{key}", row.id), number);
        }
        let policy = match row.policy.as_str() {
            "write-back" => WritePolicy::WriteBack,
            "write-through" => WritePolicy::WriteThrough,
            "read-only" => WritePolicy::ReadOnly,
            other => {
                self.problem(
                    &at.to("policy"),
                    format!(
                        "{place}: policy `{other}` is not one of write-back, write-through, read-only"
                    ),
                );
                WritePolicy::WriteThrough
            }
        };
        let (size, line) = (row.size_bytes.v, row.line_bytes.v);
        if size < line {
            self.problem(
                &at.to("size_bytes"),
                format!("{place}: size_bytes {size} is less than line_bytes {line}"),
            );
        }
        if policy == WritePolicy::WriteBack && row.clean.is_empty() {
            self.problem(
                &at.to("clean"),
                format!("{place}: a write-back cache needs a `clean` operation"),
            );
        }
        if row.refreshed && policy == WritePolicy::WriteBack {
            self.problem(
                &at.to("refreshed"),
                format!("{place}: a write-back cache keeps dirty lines and cannot be `refreshed`"),
            );
        }
        let drop_loses = self.drop_loses(at, &place, row, policy);
        if self.find(&row.id).is_some() {
            self.problem(&at.to("id"), format!("{place}: declared twice"));
        }
        if let Some(named) = &mut self.named {
            named.push((at.to("id"), row.id.clone(), true));
        }
        self.caches.push(Cache {
            name: row.id.clone(),
            policy,
            private: row.private,
            parent: None,
            clean_op: row.clean.clone(),
            invalidate_op: row.invalidate.clone(),
            clean_drops: row.clean_drops,
            drop_loses,
            drops_along: Vec::new(),
            byte_masks: row.byte_masks,
            refreshed: row.refreshed,
            note: row.note.clone(),
            capacity_bytes: 0,
            line_bytes: 0,
            clean: Ps::ZERO,
            invalidate: Ps::ZERO,
            fill: Ps::ZERO,
            bytes_per_s: 0,
        });
    }

    /// Whether a drop loses dirty lines.
    fn drop_loses(&mut self, at: &At, place: &str, row: &CacheRow, policy: WritePolicy) -> bool {
        let at = at.to("drop");
        match row.drop.as_deref() {
            None | Some("writes dirty lines back") => false,
            Some("loses dirty lines") if policy == WritePolicy::WriteBack => true,
            Some("loses dirty lines") => {
                let policy = &row.policy;
                self.problem(
                    &at,
                    format!("{place}: a {policy} cache has no dirty lines to lose"),
                );
                false
            }
            Some(other) => {
                self.problem(
                    &at,
                    format!(
                        "{place}: drop `{other}` is not one of `writes dirty lines back`, `loses dirty lines`"
                    ),
                );
                false
            }
        }
    }

    /// Finds the parents of all caches; none may come round to itself.
    fn parents(&mut self, rows: &[CacheRow]) {
        for (id, (index, row)) in self.caches.ids().zip(rows.iter().enumerate()) {
            let Some(parent) = &row.parent else { continue };
            let at = At::of("cache").to(index).to("parent");
            let found = self.known(&at, &format!("cache {}: parent", row.id), parent);
            if found.is_none() {
                self.orphans.push(id);
            }
            self.caches[id].parent = found;
        }
        self.dropped_with(rows);
        for id in self.caches.ids() {
            let mut at = self.caches[id].parent;
            for _ in 0..self.caches.len() {
                at = at.and_then(|id| self.caches[id].parent);
            }
            if at.is_some() {
                let name = &self.caches[id].name;
                let message = format!("cache {name}: its parents form a cycle");
                self.problem(&At::of("cache").to(id.index()).to("parent"), message);
            }
            self.one_before_many(id);
        }
    }

    /// Finds the caches with which others are dropped; what is dropped by the way cannot be dirty.
    fn dropped_with(&mut self, rows: &[CacheRow]) {
        for (id, (index, row)) in self.caches.ids().zip(rows.iter().enumerate()) {
            let Some(other) = &row.dropped_with else {
                continue;
            };
            let at = At::of("cache").to(index).to("dropped_with");
            let place = format!("cache {}: dropped_with", row.id);
            let found = self.known(&at, &place, other);
            if found == Some(id) {
                self.problem(&at, format!("{place}: it names itself"));
            } else if self.caches[id].policy == WritePolicy::WriteBack {
                let message =
                    format!("{place}: a write-back cache has dirty lines, which would be lost");
                self.problem(&at, message);
            }
            if let Some(found) = found {
                self.caches[found].drops_along.push(id);
            }
        }
    }

    /// What all clients share cannot be before what each has one of its own.
    fn one_before_many(&mut self, id: CacheId) {
        let cache = &self.caches[id];
        let Some(parent) = cache.parent.map(|parent| &self.caches[parent]) else {
            return;
        };
        if !cache.private && parent.private {
            let message = format!(
                "cache {}: all clients share it, and each has a `{}` of its own, its parent; make this one private, or the parent shared",
                cache.name, parent.name
            );
            self.problem(&At::of("cache").to(id.index()).to("private"), message);
        }
    }
}
