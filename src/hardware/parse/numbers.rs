//! Numbers: their origin, their limits, and which keys there are.

use super::file::{File, NumberRow};
use super::{At, Reader};
use crate::hardware::assumed::ASSUMED;
use crate::hardware::costs::OPTIONAL_KEYS;
use crate::hardware::{Costs, Number};

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
        if !matches!(row.tag.as_str(), "measured" | "published" | "assumed") {
            let tag = &row.tag;
            self.problem(
                &at.to("tag"),
                format!("{key}: tag `{tag}` is not one of measured, published, assumed"),
            );
        }
        if row.source.trim().is_empty() {
            self.problem(&at.to("source"), format!("{key}: a number needs a source"));
        }
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
}
