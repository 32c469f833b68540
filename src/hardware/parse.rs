//! Reading a profile from TOML, with every contradiction named.

use super::{Cache, LayoutClass, LayoutOp, Number, Policy, Profile};
use crate::api::BarrierAccess;
use crate::id::CacheId;
use indexmap::IndexMap;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    summary: String,
    cache: Vec<CacheRow>,
    path: BTreeMap<String, Vec<String>>,
    layout: BTreeMap<String, [String; 3]>,
    number: BTreeMap<String, NumberRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CacheRow {
    id: String,
    policy: String,
    private: bool,
    parent: Option<String>,
    clean: String,
    invalidate: String,
    #[serde(default)]
    note: String,
    instances: NumberRow,
    size_bytes: NumberRow,
    line_bytes: NumberRow,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct NumberRow {
    v: u64,
    tag: String,
    source: String,
}

/// Numbers that every profile must have.
const REQUIRED: &[&str] = &[
    "launch.draw_ns",
    "launch.dispatch_ns",
    "launch.copy_ns",
    "launch.other_ns",
    "latency.stage_ns",
    "latency.dispatch_ns",
    "latency.l2_ns",
    "latency.dram_ns",
    "rate.vertices_per_s",
    "rate.pixels_per_s",
    "rate.threads_per_s",
    "rate.rays_per_s",
    "rate.rop_pixels_per_s",
    "rate.copy_bytes_per_s",
    "rate.dram_bytes_per_s",
    "rate.l2_bytes_per_s",
    "fixed.drain_shader_ns",
    "fixed.eop_wait_ns",
    "fixed.inv_light_ns",
    "fixed.l2_wb_ns",
    "fixed.front_end_ns",
    "fixed.layout_launch_ns",
    "submit.scope_ns",
    "submit.signal_ns",
    "submit.wait_ns",
    "host.call_ns",
    "compression.ratio_percent",
    "limit.in_flight",
    "limit.resident_groups",
    "decompress.moved_percent",
    "fast-clear-eliminate.moved_percent",
    "init-metadata.moved_percent",
];

/// Clients beside the accesses of the API.
const CLIENTS: [&str; 4] = ["COPY_QUEUE_READ", "COPY_QUEUE_WRITE", "HOST", "DISPLAY"];

/// Operations between layout classes.
const LAYOUT_OPS: [&str; 3] = ["decompress", "fast-clear-eliminate", "init-metadata"];

pub(super) fn profile(text: &str) -> Result<Profile, Vec<String>> {
    let file: File = toml::from_str(text).map_err(|error| vec![error.to_string()])?;
    let mut problems = Vec::new();
    let mut numbers = IndexMap::new();
    for (key, row) in &file.number {
        insert(&mut numbers, key.clone(), row, &mut problems);
    }
    for key in REQUIRED {
        if !numbers.contains_key(*key) {
            problems.push(format!("[number] lacks `{key}`"));
        }
    }
    let index = |name: &str| {
        file.cache
            .iter()
            .position(|c| c.id == name)
            .map(CacheId::new)
    };
    let mut caches = Vec::new();
    for row in &file.cache {
        let place = format!("cache {}", row.id);
        for (key, number) in [
            ("instances", &row.instances),
            ("size_bytes", &row.size_bytes),
            ("line_bytes", &row.line_bytes),
        ] {
            if number.v == 0 {
                problems.push(format!("{place}: {key} must be at least 1"));
            }
            insert(
                &mut numbers,
                format!("{}.{key}", row.id),
                number,
                &mut problems,
            );
        }
        let policy = match row.policy.as_str() {
            "write-back" => Policy::WriteBack,
            "write-through" => Policy::WriteThrough,
            "read-only" => Policy::ReadOnly,
            other => {
                problems.push(format!(
                    "{place}: policy `{other}` is none of write-back, write-through, read-only"
                ));
                Policy::WriteThrough
            }
        };
        if policy == Policy::WriteBack && row.clean.is_empty() {
            problems.push(format!(
                "{place}: a write-back cache needs a `clean` operation"
            ));
        }
        let parent = row.parent.as_deref().and_then(|parent| {
            let found = index(parent);
            if found.is_none() {
                problems.push(format!(
                    "{place}: parent `{parent}` is no cache of the profile"
                ));
            }
            found
        });
        caches.push(Cache {
            name: row.id.clone(),
            policy,
            private: row.private,
            parent,
            clean_op: row.clean.clone(),
            invalidate_op: row.invalidate.clone(),
            note: row.note.clone(),
            capacity_bytes: 0,
            line_bytes: 0,
        });
    }
    check_parents(&caches, &mut problems);
    let paths = paths(&file, &caches, index, &mut problems);
    let layouts = layouts(&file, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let File {
        name,
        aliases,
        summary,
        ..
    } = file;
    let index = |key: &str| paths.get_index_of(key).unwrap_or(0) as u32;
    let mut access_paths = [0; 23];
    for (slot, access) in access_paths.iter_mut().zip(BarrierAccess::EVERY.iter()) {
        *slot = index(&access.to_string());
    }
    let client_paths = CLIENTS.map(index);
    let layout_ops = LAYOUT_OPS
        .map(|name| LayoutOp {
            name: name.into(),
            moved_percent: 0,
        })
        .to_vec();
    let paths = paths.into_values().collect();
    let mut profile = Profile {
        name,
        aliases,
        summary,
        caches,
        paths,
        access_paths,
        client_paths,
        layout_ops,
        layouts,
        numbers,
    };
    profile.derive();
    Ok(profile)
}

fn insert(
    numbers: &mut IndexMap<String, Number>,
    key: String,
    row: &NumberRow,
    problems: &mut Vec<String>,
) {
    if !matches!(row.tag.as_str(), "measured" | "published" | "assumed") {
        problems.push(format!(
            "{key}: tag `{}` is none of measured, published, assumed",
            row.tag
        ));
    }
    numbers.insert(
        key,
        Number {
            value: row.v,
            tag: row.tag.clone(),
            source: row.source.clone(),
        },
    );
}

fn check_parents(caches: &[Cache], problems: &mut Vec<String>) {
    for cache in caches {
        let mut at = cache.parent;
        for _ in 0..caches.len() {
            at = at.and_then(|id| caches[id.index()].parent);
        }
        if at.is_some() {
            problems.push(format!("cache {}: its parents form a cycle", cache.name));
        }
    }
}

fn paths(
    file: &File,
    caches: &[Cache],
    index: impl Fn(&str) -> Option<CacheId>,
    problems: &mut Vec<String>,
) -> IndexMap<String, Vec<CacheId>> {
    let mut paths: IndexMap<String, Vec<CacheId>> = IndexMap::new();
    for (access, names) in &file.path {
        let mut path: Vec<CacheId> = Vec::new();
        for name in names {
            let Some(id) = index(name) else {
                problems.push(format!(
                    "path {access}: `{name}` is no cache of the profile"
                ));
                continue;
            };
            if let Some(before) = path.last()
                && caches[before.index()].parent != Some(id)
            {
                problems.push(format!(
                    "path {access}: `{name}` is not the parent of what stands before it"
                ));
            }
            path.push(id);
        }
        let writes = BarrierAccess::parse_one(access).is_some_and(BarrierAccess::writes);
        if writes
            && path
                .iter()
                .any(|id| caches[id.index()].policy == Policy::ReadOnly)
        {
            problems.push(format!(
                "path {access}: a write cannot go through a read-only cache"
            ));
        }
        paths.insert(access.clone(), path);
    }
    let clients = CLIENTS.map(String::from);
    for key in BarrierAccess::EVERY
        .iter()
        .map(|access| access.to_string())
        .chain(clients)
    {
        if !paths.contains_key(&key) {
            problems.push(format!("[path] lacks `{key}`"));
        }
    }
    paths
}

fn layouts(file: &File, problems: &mut Vec<String>) -> IndexMap<String, [LayoutClass; 3]> {
    let mut layouts = IndexMap::new();
    for (layout, classes) in &file.layout {
        let row = classes.each_ref().map(|class| match class.as_str() {
            "CF" => LayoutClass::CompressedFastClear,
            "C" | "S" => LayoutClass::Compressed,
            "U" => LayoutClass::Plain,
            "X" => LayoutClass::Undefined,
            "-" => LayoutClass::Illegal,
            other => {
                problems.push(format!(
                    "layout {layout}: class `{other}` is none of CF, C, U, X, -"
                ));
                LayoutClass::Plain
            }
        });
        layouts.insert(layout.clone(), row);
    }
    layouts
}

#[cfg(test)]
mod tests {
    use super::profile;

    const RDNA: &str = include_str!("profiles/rdna.toml");

    fn problem_of(from: &str, to: &str) -> String {
        assert!(RDNA.contains(from), "the profile has `{from}`");
        profile(&RDNA.replacen(from, to, 1))
            .expect_err("a contradiction")
            .join("\n")
    }

    #[test]
    fn contradictions_are_named_with_their_place() {
        assert!(
            problem_of("parent = \"GL1\"", "parent = \"GL9\"").contains("cache L0V: parent `GL9`")
        );
        assert!(
            problem_of("RENDER_TARGET = [\"CB\", \"L2\"]", "").contains("lacks `RENDER_TARGET`")
        );
        assert!(
            problem_of("STREAM_OUTPUT = [\"L2\"]", "STREAM_OUTPUT = [\"K\"]")
                .contains("read-only cache")
        );
        assert!(
            problem_of("\"fixed.eop_wait_ns\"", "\"fixed.other\"")
                .contains("lacks `fixed.eop_wait_ns`")
        );
        assert!(problem_of("private = false", "private = maybe").contains("private"));
    }

    #[test]
    fn numbers_can_be_set_and_near_keys_are_named() {
        let mut rdna = profile(RDNA).expect("the profile is sound");
        rdna.set("L2.line_bytes", "64")
            .expect("a number of the profile");
        assert_eq!(
            rdna.caches
                .iter()
                .find(|c| c.name == "L2")
                .map(|c| c.line_bytes),
            Some(64)
        );
        assert!(
            rdna.set("L2.lines", "64")
                .expect_err("no such key")
                .contains("L2.line_bytes")
        );
        assert!(
            rdna.set("L2.line_bytes", "x")
                .expect_err("no number")
                .contains("whole number")
        );
    }
}
