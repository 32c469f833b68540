//! Ways, classes and operations of layouts, and exceptions from them.

use super::{ExceptionRow, File, ReadAlternativeRow, Reader, TilePassRow};
use crate::api::{BarrierAccess, Layout, QueueType};
pub(super) use crate::hardware::routes::Tables;
use crate::hardware::routes::{EXCEPTIONS_MAX, Exception, Paths, Taken};
use crate::hardware::{Client, LAYOUTS, LayoutClass, LayoutOp, Policy, TilePass, layout_index};
use crate::id::{CacheId, PathId};
use std::collections::BTreeMap;

impl Reader {
    /// What the tables say without any exception.
    pub(super) fn tables(&mut self, file: &File, paths: &mut Vec<Vec<CacheId>>) -> Tables {
        let mut texels = vec![Vec::new(); Client::COUNT];
        for client in Client::all() {
            let word = client.word();
            if file.path.get(&word).is_none_or(Vec::is_empty) {
                self.problem(format!("[path] lacks `{word}`"));
            }
        }
        self.rows("path", &file.path, &mut texels, paths);
        let mut metadata = texels.clone();
        self.rows("metadata", &file.metadata, &mut metadata, paths);
        Tables {
            texels,
            metadata,
            layouts: self.layouts(file),
        }
    }

    /// Puts rows of paths in place of those that stand in a table.
    fn rows(
        &mut self,
        place: &str,
        rows: &BTreeMap<String, Vec<Vec<String>>>,
        table: &mut Paths,
        paths: &mut Vec<Vec<CacheId>>,
    ) {
        for client in Client::all() {
            let word = client.word();
            let Some(rows) = rows.get(&word).filter(|rows| !rows.is_empty()) else {
                continue;
            };
            let row = &mut table[client.index()];
            row.clear();
            for names in rows {
                let path = self.path(&format!("{place} {word}"), names);
                row.push(number_of(paths, path));
            }
            let read_only = |path: &PathId| {
                let caches = paths[path.index()].iter();
                caches
                    .clone()
                    .any(|c| self.caches[c.index()].policy == Policy::ReadOnly)
            };
            if client.writes() && row.iter().any(read_only) {
                self.problem(format!(
                    "{place} {word}: a write cannot go through a read-only cache; a way that reads alone may take is a \
                     [[read_alternative]]"
                ));
            }
        }
        let known: Vec<_> = Client::all().map(Client::word).collect();
        for key in rows.keys().filter(|k| !known.contains(k)) {
            self.problem(format!("[{place}]: `{key}` is no access and no client"));
        }
    }

    /// Adds the ways that reads alone may take, and says at which stages the machine takes them.
    pub(super) fn alternatives(
        &mut self,
        rows: &[ReadAlternativeRow],
        base: &mut Tables,
        paths: &mut Vec<Vec<CacheId>>,
    ) -> Vec<Taken> {
        let mut taken = Vec::new();
        for row in rows {
            let place = "read_alternative";
            let path = self.path(place, &row.path);
            let path = number_of(paths, path);
            let stages = self.stages(place, &row.stages);
            for word in &row.accesses {
                let Some(access) = BarrierAccess::parse_one(word) else {
                    self.problem(format!("{place}: `{word}` is no access"));
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
            self.problem(format!(
                "{} exceptions: at most {EXCEPTIONS_MAX} are possible",
                rows.len()
            ));
        }
        let mut exceptions = Vec::new();
        for row in rows {
            let place = format!("exception {}", row.name);
            if row.source.trim().is_empty() {
                self.problem(format!("{place}: an exception needs a source"));
            }
            let (mut depth, mut stencil) = (None, false);
            match row.format.as_deref() {
                None => {}
                Some("depth") => depth = Some(true),
                Some("colour") => depth = Some(false),
                Some("stencil") => stencil = true,
                Some(other) => self.problem(format!(
                    "{place}: format `{other}` is none of depth, stencil, colour"
                )),
            }
            if row.mips_from > 0 && !row.layout.is_empty() {
                self.problem(format!(
                    "{place}: mips of one texture cannot differ in compression classes"
                ));
            }
            for rows in [&row.path, &row.metadata] {
                if rows.contains_key(&Client::LayoutOperation.word()) {
                    self.problem(format!(
                        "{place}: layout operations take the same way for all textures"
                    ));
                }
            }
            exceptions.push(Exception {
                name: row.name.clone(),
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
        paths: &mut Vec<Vec<CacheId>>,
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
            let place = format!("exception {}", row.name);
            self.rows(&place, &row.path, &mut tables.texels, paths);
            self.rows(&place, &row.metadata, &mut tables.metadata, paths);
            self.layout_rows(&place, &row.layout, &mut tables.layouts);
            all.push(tables);
        }
        self.problems.dedup();
        all
    }

    fn path(&mut self, place: &str, row: &[String]) -> Vec<CacheId> {
        let mut path: Vec<CacheId> = Vec::new();
        for name in row {
            let Some(id) = self.find(name) else {
                self.problem(format!("{place}: `{name}` is no cache of the profile"));
                continue;
            };
            if let Some(before) = path.last()
                && self.caches[before.index()].parent != Some(id)
            {
                self.problem(format!(
                    "{place}: `{name}` is not the parent of what stands before it"
                ));
            }
            path.push(id);
        }
        if let Some(last) = path.last()
            && let Some(parent) = self.caches[last.index()].parent
        {
            let parent = self.caches[parent.index()].name.clone();
            self.problem(format!(
                "{place}: ends before `{parent}`, the parent of its last cache"
            ));
        }
        path
    }

    fn class(&mut self, place: &str, word: &str) -> LayoutClass {
        match word {
            "CF" => LayoutClass::CompressedFastClear,
            "C" => LayoutClass::Compressed,
            "S" => LayoutClass::Static,
            "U" => LayoutClass::Plain,
            "X" => LayoutClass::Undefined,
            "-" => LayoutClass::Illegal,
            other => {
                self.problem(format!(
                    "{place}: class `{other}` is none of CF, C, S, U, X, -"
                ));
                LayoutClass::Plain
            }
        }
    }

    fn layouts(&mut self, file: &File) -> Vec<[LayoutClass; 3]> {
        let mut layouts = vec![[LayoutClass::Plain; 3]; LAYOUTS];
        let known = self.layout_rows("layout", &file.layout, &mut layouts);
        // Video layouts mean nothing to the other queues.
        for layout in Layout::ALL
            .iter()
            .filter(|l| l.is_public() && **l != Layout::VideoQueueCommon)
        {
            if layout_index(*layout).is_some_and(|at| !known[at]) {
                self.problem(format!("[layout] lacks `{}`", layout.name()));
            }
        }
        layouts
    }

    /// Puts rows of classes in place of those that stand in a table. Returns which were put.
    fn layout_rows(
        &mut self,
        place: &str,
        rows: &BTreeMap<String, [String; 3]>,
        layouts: &mut [[LayoutClass; 3]],
    ) -> [bool; LAYOUTS] {
        let mut known = [false; LAYOUTS];
        for (word, classes) in rows {
            let Some(at) = Layout::parse(word).and_then(layout_index) else {
                self.problem(format!("[{place}]: `{word}` is no layout"));
                continue;
            };
            let place = format!("{place} {word}");
            layouts[at] = classes.each_ref().map(|class| self.class(&place, class));
            known[at] = true;
        }
        known
    }

    /// Tile memory.
    pub(super) fn tile_pass(
        &mut self,
        row: &TilePassRow,
        paths: &mut Vec<Vec<CacheId>>,
    ) -> Option<TilePass> {
        let place = "[tile_pass]";
        let stages = self.stages(place, &row.stages);
        let mut accesses = BarrierAccess::empty();
        for word in &row.accesses {
            match BarrierAccess::parse_one(word) {
                Some(access) => accesses |= access,
                None => self.problem(format!("{place}: `{word}` is no access")),
            }
        }
        let Some(tile) = self.find(&row.tile) else {
            self.problem(format!(
                "{place}: `{}` is no cache of the profile",
                row.tile
            ));
            return None;
        };
        let cache = &self.caches[tile.index()];
        let apart = cache.policy == Policy::WriteBack && !cache.private && cache.parent.is_none();
        if !apart || !cache.clean_drops {
            self.problem(format!(
                "{place}: tile memory is a shared write-back cache before memory, whose `clean` drops"
            ));
        }
        let path = number_of(paths, vec![tile]);
        Some(TilePass {
            stages,
            accesses,
            tile,
            path,
        })
    }

    pub(super) fn layout_ops(&mut self, file: &File) -> Vec<LayoutOp> {
        let mut ops = Vec::new();
        for row in &file.layout_op {
            let place = format!("layout_op {}", row.name);
            let metadata_only = match row.touches.as_str() {
                "metadata" => true,
                "full" => false,
                "caches" if row.caches.is_empty() => {
                    self.problem(format!("{place}: it touches caches and names none"));
                    false
                }
                "caches" => false,
                other => {
                    self.problem(format!(
                        "{place}: touches `{other}` is none of metadata, full, caches"
                    ));
                    false
                }
            };
            let from = row
                .from
                .iter()
                .map(|word| self.class(&place, word))
                .collect();
            let to = row.to.iter().map(|word| self.class(&place, word)).collect();
            let mut queues = Vec::new();
            for word in &row.queues {
                match word.as_str() {
                    "direct" => queues.push(QueueType::Direct),
                    "compute" => queues.push(QueueType::Compute),
                    "copy" => queues.push(QueueType::Copy),
                    other => self.problem(format!(
                        "{place}: queue `{other}` is none of direct, compute, copy"
                    )),
                }
            }
            if queues.is_empty() {
                self.problem(format!("{place}: no queue can run it"));
            }
            let passes_through = match row.leaves.as_deref() {
                None | Some("pass-through") => true,
                Some("resolved") => false,
                Some(other) => {
                    self.problem(format!(
                        "{place}: leaves `{other}` is none of pass-through, resolved"
                    ));
                    true
                }
            };
            let depth = match row.format.as_deref() {
                None => None,
                Some("depth") => Some(true),
                Some("colour") => Some(false),
                Some(other) => {
                    self.problem(format!(
                        "{place}: format `{other}` is none of depth, colour"
                    ));
                    None
                }
            };
            let mut caches = Vec::new();
            for name in &row.caches {
                match self.find(name) {
                    Some(cache) => caches.push(cache),
                    None => self.problem(format!("{place}: `{name}` is no cache of the profile")),
                }
            }
            if row.touches != "caches" && !caches.is_empty() {
                self.problem(format!("{place}: it names caches and does not touch them"));
            }
            ops.push(LayoutOp {
                caches,
                passes_through,
                depth,
                queues,
                name: row.name.clone(),
                from,
                to,
                metadata_only,
            });
        }
        ops
    }
}

/// The number of a path; equal ones have one.
fn number_of(paths: &mut Vec<Vec<CacheId>>, path: Vec<CacheId>) -> PathId {
    let at = paths.iter().position(|p| *p == path).unwrap_or_else(|| {
        paths.push(path);
        paths.len() - 1
    });
    PathId::new(at)
}
