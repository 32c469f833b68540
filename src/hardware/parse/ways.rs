//! Ways, classes and operations of layouts, and exceptions from them.

use super::file::{ExceptionRow, File, LayoutOpRow, ReadAlternativeRow, TilePassRow};
use super::{At, Reader};
use crate::api::{BarrierAccess, Layout, QueueType, ResourceFlags};
use crate::hardware::layouts::{LAYOUTS, layout_index};
pub(super) use crate::hardware::routes::Tables;
use crate::hardware::routes::{EXCEPTIONS_MAX, Exception, Paths, Taken};
use crate::hardware::{Client, LayoutClass, LayoutOp, TilePass, WritePolicy};
use crate::id::{CacheId, LayoutOpId, PathId, Table};
use std::collections::BTreeMap;

impl Reader<'_> {
    /// What the tables say without any exception.
    pub(super) fn tables(
        &mut self,
        file: &File,
        paths: &mut Table<PathId, Vec<CacheId>>,
    ) -> Tables {
        let mut texels = vec![Vec::new(); Client::COUNT];
        for client in Client::all() {
            let word = client.word();
            let is_missing = file.path.get(&word).is_none_or(Vec::is_empty);
            if is_missing && client.stands_in().is_none() {
                self.problem(&At::of("path"), format!("[path] lacks `{word}`"));
            }
        }
        let at = At::of("path");
        self.rows(&at, "path", &file.path, &mut texels, paths);
        let mut metadata = texels.clone();
        let at = At::of("metadata");
        self.rows(&at, "metadata", &file.metadata, &mut metadata, paths);
        Tables {
            texels,
            metadata,
            layouts: self.layouts(file),
        }
    }

    /// Replaces rows of paths in a table.
    fn rows(
        &mut self,
        at: &At,
        place: &str,
        rows: &BTreeMap<String, Vec<Vec<String>>>,
        table: &mut Paths,
        paths: &mut Table<PathId, Vec<CacheId>>,
    ) {
        for client in Client::all() {
            let word = client.word();
            let given = rows.get(&word).filter(|rows| !rows.is_empty());
            let Some(rows) = given else {
                // A row of the client that it is like is one for it too.
                let like = client.stands_in();
                if let Some(like) = like.filter(|like| rows.contains_key(&like.word())) {
                    let row = table[like.index()].clone();
                    table[client.index()] = row;
                }
                continue;
            };
            let row = &mut table[client.index()];
            row.clear();
            for (index, names) in rows.iter().enumerate() {
                let at = at.to(&word).to(index);
                let path = self.path(&at, &format!("{place} {word}"), names);
                row.push(number_of(paths, path));
            }
            let read_only = |path: &PathId| {
                let caches = paths[*path].iter();
                caches
                    .clone()
                    .any(|c| self.caches[*c].policy == WritePolicy::ReadOnly)
            };
            if client.writes() && row.iter().any(read_only) {
                self.problem(
                    &at.to(&word),
                    format!(
                        "{place} {word}: a write cannot go through a read-only cache; a way that only reads may take \
                         is a [[read_alternative]]"
                    ),
                );
            }
        }
        let known: Vec<_> = Client::all().map(Client::word).collect();
        for key in rows.keys().filter(|k| !known.contains(k)) {
            self.problem(
                &at.key(key),
                format!("[{place}]: `{key}` is neither an access nor a client"),
            );
        }
    }

    /// Adds the ways that only reads may take, and says at which stages the machine takes them.
    pub(super) fn alternatives(
        &mut self,
        rows: &[ReadAlternativeRow],
        base: &mut Tables,
        paths: &mut Table<PathId, Vec<CacheId>>,
    ) -> Vec<Taken> {
        let mut taken = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let place = "read_alternative";
            let at = At::of(place).to(index);
            let path = self.path(&at.to("path"), place, &row.path);
            let path = number_of(paths, path);
            let stages = self.stages(&at.to("stages"), place, &row.stages);
            for (index, word) in row.accesses.iter().enumerate() {
                let Some(access) = BarrierAccess::parse_one(word) else {
                    self.problem(
                        &at.to("accesses").to(index),
                        format!("{place}: `{word}` is not an access"),
                    );
                    continue;
                };
                let client = Client::Access(access);
                base.texels[client.index()].push(path);
                taken.push(Taken {
                    client,
                    stages,
                    path,
                });
            }
        }
        taken
    }

    pub(super) fn exceptions(&mut self, rows: &[ExceptionRow]) -> Vec<Exception> {
        if rows.len() > EXCEPTIONS_MAX {
            self.problem(
                &At::of("exception").to(EXCEPTIONS_MAX),
                format!(
                    "{} exceptions: at most {EXCEPTIONS_MAX} are possible",
                    rows.len()
                ),
            );
        }
        let mut exceptions = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let at = At::of("exception").to(index);
            let place = format!("exception {}", row.name);
            self.tagged(&at, &place, &row.tag, &row.source);
            let (mut depth, mut stencil) = (None, false);
            match row.format.as_deref() {
                None => {}
                Some("depth") => depth = Some(true),
                Some("colour") => depth = Some(false),
                Some("stencil") => stencil = true,
                Some(other) => self.problem(
                    &at.to("format"),
                    format!("{place}: format `{other}` is not one of depth, stencil, colour"),
                ),
            }
            if row.mips_from > 0 && !row.layout.is_empty() {
                self.problem(
                    &at.to("layout"),
                    format!("{place}: mips of one texture cannot differ in compression classes"),
                );
            }
            for (table, rows) in [("path", &row.path), ("metadata", &row.metadata)] {
                let word = Client::LayoutOperation.word();
                if rows.contains_key(&word) {
                    self.problem(
                        &at.to(table).key(&word),
                        format!("{place}: layout operations take the same way for all textures"),
                    );
                }
            }
            exceptions.push(Exception {
                name: row.name.clone(),
                tag: row.tag.clone(),
                source: row.source.clone(),
                depth,
                stencil,
                samples_from: row.samples_from,
                mips_from: row.mips_from,
            });
        }
        exceptions
    }

    /// The tables of every set of exceptions; of two that say something about one row, the later one counts.
    pub(super) fn variants(
        &mut self,
        rows: &[ExceptionRow],
        base: &Tables,
        paths: &mut Table<PathId, Vec<CacheId>>,
    ) -> Vec<Tables> {
        let count = rows.len().min(EXCEPTIONS_MAX);
        let mut all: Vec<Tables> = Vec::with_capacity(1 << count);
        for set in 0..1usize << count {
            if set == 0 {
                all.push(base.clone());
                continue;
            }
            // The same set without its last exception is there already.
            let last = set.ilog2() as usize;
            let mut tables = all[set & !(1 << last)].clone();
            let row = &rows[last];
            let at = At::of("exception").to(last);
            let place = format!("exception {}", row.name);
            self.rows(&at.to("path"), &place, &row.path, &mut tables.texels, paths);
            let metadata = &mut tables.metadata;
            self.rows(&at.to("metadata"), &place, &row.metadata, metadata, paths);
            self.layout_rows(&at.to("layout"), &place, &row.layout, &mut tables.layouts);
            all.push(tables);
        }
        all
    }

    /// Flags of which a texture needs one to be stored compressed; none if no table has a compressed class.
    pub(super) fn compressed_flags(
        &mut self,
        words: &[String],
        tables: &[Tables],
    ) -> ResourceFlags {
        let written = [
            ResourceFlags::RENDER_TARGET,
            ResourceFlags::DEPTH_STENCIL,
            ResourceFlags::UNORDERED_ACCESS,
        ];
        let mut flags = ResourceFlags::empty();
        for (index, word) in words.iter().enumerate() {
            match written.into_iter().find(|flag| flag.to_string() == *word) {
                Some(flag) => flags |= flag,
                None => self.problem(
                    &At::of("compressed_flags").to(index),
                    format!(
                        "compressed_flags: `{word}` is not one of RENDER_TARGET, DEPTH_STENCIL, UNORDERED_ACCESS: only \
                         what the GPU writes itself is stored compressed"
                    ),
                ),
            }
        }
        if !tables.iter().any(Tables::compress) {
            ResourceFlags::empty()
        } else if words.is_empty() {
            written.into_iter().collect()
        } else {
            flags
        }
    }

    fn path(&mut self, at: &At, place: &str, row: &[String]) -> Vec<CacheId> {
        let mut path: Vec<CacheId> = Vec::new();
        for (index, name) in row.iter().enumerate() {
            let at = at.to(index);
            let Some(id) = self.known(&at, place, name) else {
                continue;
            };
            if let Some(before) = path.last()
                && self.caches[*before].parent != Some(id)
                && !self.orphans.contains(before)
            {
                self.problem(
                    &at,
                    format!("{place}: `{name}` is not the parent of the cache before it"),
                );
            }
            path.push(id);
        }
        if let Some(last) = path.last()
            && let Some(parent) = self.caches[*last].parent
        {
            let parent = self.caches[parent].name.clone();
            self.problem(
                at,
                format!("{place}: ends before `{parent}`, the parent of its last cache"),
            );
        }
        path
    }

    fn class(&mut self, at: &At, place: &str, word: &str) -> LayoutClass {
        LayoutClass::of_word(word).unwrap_or_else(|| {
            self.problem(
                at,
                format!("{place}: class `{word}` is not one of CF, C, S, U, X, -"),
            );
            LayoutClass::Plain
        })
    }

    fn layouts(&mut self, file: &File) -> Vec<[LayoutClass; 3]> {
        let mut layouts = vec![[LayoutClass::Plain; 3]; LAYOUTS];
        let at = At::of("layout");
        let known = self.layout_rows(&at, "layout", &file.layout, &mut layouts);
        // Video layouts mean nothing to the other queues.
        for layout in Layout::ALL
            .iter()
            .filter(|l| l.is_public() && **l != Layout::VideoQueueCommon)
        {
            if layout_index(*layout).is_some_and(|at| !known[at]) {
                self.problem(&at, format!("[layout] lacks `{}`", layout.name()));
            }
        }
        layouts
    }

    /// Replaces rows of classes in a table. Returns which were replaced.
    fn layout_rows(
        &mut self,
        at: &At,
        place: &str,
        rows: &BTreeMap<String, [String; 3]>,
        layouts: &mut [[LayoutClass; 3]],
    ) -> [bool; LAYOUTS] {
        let mut known = [false; LAYOUTS];
        for (word, classes) in rows {
            let Some(index) = Layout::parse(word).and_then(layout_index) else {
                self.problem(
                    &at.key(word),
                    format!("[{place}]: `{word}` is not a layout"),
                );
                continue;
            };
            let place = format!("{place} {word}");
            let at = at.to(word);
            layouts[index] =
                [0, 1, 2].map(|queue: usize| self.class(&at.to(queue), &place, &classes[queue]));
            known[index] = true;
        }
        known
    }

    /// Tile memory.
    pub(super) fn tile_pass(
        &mut self,
        row: &TilePassRow,
        paths: &mut Table<PathId, Vec<CacheId>>,
    ) -> Option<TilePass> {
        let place = "[tile_pass]";
        let at = At::of("tile_pass");
        let stages = self.stages(&at.to("stages"), place, &row.stages);
        let mut accesses = BarrierAccess::empty();
        for (index, word) in row.accesses.iter().enumerate() {
            match BarrierAccess::parse_one(word) {
                Some(access) => accesses |= access,
                None => self.problem(
                    &at.to("accesses").to(index),
                    format!("{place}: `{word}` is not an access"),
                ),
            }
        }
        let tile = self.known(&at.to("tile"), place, &row.tile)?;
        let cache = &self.caches[tile];
        let is_tile =
            cache.policy == WritePolicy::WriteBack && !cache.private && cache.parent.is_none();
        if !is_tile || !cache.clean_drops {
            self.problem(
                &at.to("tile"),
                format!(
                    "{place}: tile memory is a shared write-back cache before memory, whose `clean` drops"
                ),
            );
        }
        let is_behind = self.caches.iter().any(|cache| cache.parent == Some(tile));
        let is_on_a_path = paths.iter().any(|path| path.contains(&tile));
        if is_behind || is_on_a_path {
            self.problem(
                &at.to("tile"),
                format!(
                    "{place}: tile memory is on no path and no cache's parent: only attachments of a pass are there"
                ),
            );
        }
        let path = number_of(paths, vec![tile]);
        Some(TilePass {
            stages,
            accesses,
            tile,
            path,
        })
    }

    pub(super) fn layout_ops(&mut self, file: &File) -> Table<LayoutOpId, LayoutOp> {
        let rows = file.layout_op.iter().enumerate();
        rows.map(|(index, row)| self.layout_op(&At::of("layout_op").to(index), row))
            .collect()
    }

    fn layout_op(&mut self, at: &At, row: &LayoutOpRow) -> LayoutOp {
        let place = format!("layout_op {}", row.name);
        let touches = row.touches.as_str();
        if !matches!(touches, "metadata" | "full" | "caches") {
            self.problem(
                &at.to("touches"),
                format!("{place}: touches `{touches}` is not one of metadata, full, caches"),
            );
        }
        if touches == "caches" && row.caches.is_empty() {
            let message = format!("{place}: touches `caches`, but `caches` is empty");
            self.problem(&at.to("caches"), message);
        }
        if touches != "caches" && !row.caches.is_empty() {
            let message = format!("{place}: names caches, but does not touch `caches`");
            self.problem(&at.to("caches"), message);
        }
        let mut queues = Vec::new();
        for (index, word) in row.queues.iter().enumerate() {
            match word.as_str() {
                "direct" => queues.push(QueueType::Direct),
                "compute" => queues.push(QueueType::Compute),
                "copy" => queues.push(QueueType::Copy),
                other => self.problem(
                    &at.to("queues").to(index),
                    format!("{place}: queue `{other}` is not one of direct, compute, copy"),
                ),
            }
        }
        if queues.is_empty() {
            self.problem(&at.to("queues"), format!("{place}: no queue can run it"));
        }
        let leaves = row.leaves.as_deref().unwrap_or("pass-through");
        if !matches!(leaves, "pass-through" | "resolved") {
            self.problem(
                &at.to("leaves"),
                format!("{place}: leaves `{leaves}` is not one of pass-through, resolved"),
            );
        }
        let depth = match row.format.as_deref() {
            None => None,
            Some("depth") => Some(true),
            Some("colour") => Some(false),
            Some(other) => {
                self.problem(
                    &at.to("format"),
                    format!("{place}: format `{other}` is not one of depth, colour"),
                );
                None
            }
        };
        let caches = row.caches.iter().enumerate();
        let caches = caches
            .filter_map(|(index, name)| self.known(&at.to("caches").to(index), &place, name))
            .collect();
        LayoutOp {
            caches,
            passes_through: leaves != "resolved",
            depth,
            queues,
            name: row.name.clone(),
            from: self.classes(&at.to("from"), &place, &row.from),
            to: self.classes(&at.to("to"), &place, &row.to),
            metadata_only: touches == "metadata",
        }
    }

    fn classes(&mut self, at: &At, place: &str, words: &[String]) -> Vec<LayoutClass> {
        let words = words.iter().enumerate();
        words
            .map(|(index, word)| self.class(&at.to(index), place, word))
            .collect()
    }
}

/// The number of a path; equal ones have one.
fn number_of(paths: &mut Table<PathId, Vec<CacheId>>, path: Vec<CacheId>) -> PathId {
    let known = paths.find(|p| *p == path);
    known.unwrap_or_else(|| paths.push(path))
}
