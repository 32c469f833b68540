//! Numbers: their origin, their limits, and which keys there are.

use super::file::{File, NumberRow};
use super::{At, Reader};
use crate::hardware::assumed::ASSUMED;
use crate::hardware::costs::OPTIONAL_KEYS;
use crate::hardware::{Costs, Number, Origin};

/// What is wrong with a value for a key, if anything.
pub(in crate::hardware) fn unusable_value(key: &str, value: u64) -> Option<String> {
    let last = key.rsplit('.').next().unwrap_or(key);
    let positive = last.ends_with("_bytes")
        || last.ends_with("_per_s")
        || matches!(
            last,
            "instances" | "in_flight" | "units" | "unit_threads" | "unit_groups"
        );
    let limit = match last {
        "line_bytes" | "covers_bytes" => 1 << 20,
        _ => 1 << 50,
    };
    if positive && value == 0 {
        Some(format!("`{key}` must be at least 1"))
    } else if value > limit {
        Some(format!("`{key}` must be at most {limit}"))
    } else {
        None
    }
}

/// What is known of where something comes from.
const TAGS: [&str; 4] = ["measured", "published", "driver", "assumed"];

/// Tables whose origin a file may tell.
const TABLES: [&str; 11] = [
    "cache",
    "path",
    "metadata",
    "read_alternative",
    "layout",
    "compressed_flags",
    "layout_op",
    "waiting",
    "tile_pass",
    "drain",
    "front_end",
];

impl Reader<'_> {
    /// The numbers of a file, and those that it leaves out and may.
    pub(super) fn numbers(&mut self, file: &File) {
        for (key, row) in &file.number {
            self.number(&At::of("number").to(key), key.clone(), row);
        }
        for (key, value, source) in ASSUMED {
            let number = || Number {
                value,
                tag: "assumed".into(),
                source: source.into(),
            };
            self.numbers.entry(key.into()).or_insert_with(number);
        }
    }

    /// Keys that nothing asks for, and keys that are missing.
    pub(super) fn keys(&mut self, file: &File) {
        for key in file.number.keys() {
            let is_drain = file.drain.values().any(|drain| drain.cost == *key);
            let is_known = Costs::KEYS
                .iter()
                .chain(&OPTIONAL_KEYS)
                .any(|known| known == key);
            if !is_drain && !is_known {
                self.problem(
                    &At::of("number").key(key),
                    format!("[number] `{key}`: the machine has no such number"),
                );
            }
        }
        for key in Costs::KEYS {
            if !self.numbers.contains_key(*key) {
                self.problem(&At::of("number"), format!("[number] lacks `{key}`"));
            }
        }
    }

    pub(super) fn number(&mut self, at: &At, key: String, row: &NumberRow) {
        self.tagged(at, &key, &row.tag, &row.source);
        if let Some(message) = unusable_value(&key, row.v) {
            self.problem(&at.to("v"), message);
        }
        let number = Number {
            value: row.v,
            tag: row.tag.clone(),
            source: row.source.clone(),
        };
        self.numbers.insert(key, number);
    }

    /// What is wrong with a tag, or with a source that goes with it.
    pub(super) fn tagged(&mut self, at: &At, what: &str, tag: &str, source: &str) {
        if !TAGS.contains(&tag) {
            let message = format!("{what}: tag `{tag}` is not one of {}", TAGS.join(", "));
            self.problem(&at.to("tag"), message);
        }
        if source.trim().is_empty() {
            self.problem(&at.to("source"), format!("{what}: a source is missing"));
        } else if tag == "driver" && !source.contains(|c: char| c.is_ascii_digit()) {
            let message = format!("{what}: the source does not name the version of the driver");
            self.problem(&at.to("source"), message);
        }
    }

    /// Where the tables of a file come from.
    pub(super) fn origins(&mut self, file: &File) -> Vec<(String, Origin)> {
        let mut origins = Vec::new();
        for (key, row) in &file.origin {
            let at = At::of("origin").to(key);
            if !file.has_table(key) {
                let message = format!(
                    "[origin] `{key}`: a profile has no such table, or the table no such row"
                );
                self.problem(&At::of("origin").key(key), message);
            }
            self.tagged(&at, &format!("[origin] {key}"), &row.tag, &row.source);
            let origin = Origin {
                tag: row.tag.clone(),
                source: row.source.clone(),
            };
            origins.push((key.clone(), origin));
        }
        origins
    }
}

impl File {
    /// Whether a table has this name, or if it is that of a row, whether the file has the row. What a file is based on may
    /// know the origin of a table that it has not.
    fn has_table(&self, name: &str) -> bool {
        let Some((table, row)) = name.split_once('.') else {
            return TABLES.contains(&name);
        };
        match table {
            "cache" => self.cache.iter().any(|cache| cache.id == row),
            "path" => self.path.contains_key(row),
            "metadata" => self.metadata.contains_key(row),
            "layout" => self.layout.contains_key(row),
            "layout_op" => self.layout_op.iter().any(|op| op.name == row),
            "drain" => self.drain.contains_key(row),
            _ => false,
        }
    }
}
