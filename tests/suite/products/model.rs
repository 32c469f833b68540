//! The specification's tables and what the readings R04 to R10, R30, R31, R35, R36, R58 and R60 add, as answers about single words.
//!
//! The tables come from `fixtures/specification-tables.txt`. Nothing here asks the program's own tables.

use crate::api::table;
use std::collections::{HashMap, HashSet};
use syncscope::validate::RuleSet;

pub(super) const QUEUES: [&str; 6] = [
    "direct",
    "compute",
    "copy",
    "video_decode",
    "video_process",
    "video_encode",
];

/// Every bit of `D3D12_BARRIER_SYNC`, and `NONE`.
pub(super) const SYNCS: [&str; 23] = [
    "NONE",
    "ALL",
    "DRAW",
    "INDEX_INPUT",
    "VERTEX_SHADING",
    "PIXEL_SHADING",
    "DEPTH_STENCIL",
    "RENDER_TARGET",
    "COMPUTE_SHADING",
    "RAYTRACING",
    "COPY",
    "RESOLVE",
    "EXECUTE_INDIRECT",
    "ALL_SHADING",
    "NON_PIXEL_SHADING",
    "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO",
    "CLEAR_UNORDERED_ACCESS_VIEW",
    "VIDEO_DECODE",
    "VIDEO_PROCESS",
    "VIDEO_ENCODE",
    "BUILD_RAYTRACING_ACCELERATION_STRUCTURE",
    "COPY_RAYTRACING_ACCELERATION_STRUCTURE",
    "SPLIT",
];

/// Every bit of `D3D12_BARRIER_ACCESS`, and `COMMON`. `PREDICATION` is another name of `INDIRECT_ARGUMENT`.
pub(super) const ACCESSES: [&str; 25] = [
    "COMMON",
    "VERTEX_BUFFER",
    "CONSTANT_BUFFER",
    "INDEX_BUFFER",
    "RENDER_TARGET",
    "UNORDERED_ACCESS",
    "DEPTH_STENCIL_WRITE",
    "DEPTH_STENCIL_READ",
    "SHADER_RESOURCE",
    "STREAM_OUTPUT",
    "INDIRECT_ARGUMENT",
    "COPY_DEST",
    "COPY_SOURCE",
    "RESOLVE_DEST",
    "RESOLVE_SOURCE",
    "RAYTRACING_ACCELERATION_STRUCTURE_READ",
    "RAYTRACING_ACCELERATION_STRUCTURE_WRITE",
    "SHADING_RATE_SOURCE",
    "VIDEO_DECODE_READ",
    "VIDEO_DECODE_WRITE",
    "VIDEO_PROCESS_READ",
    "VIDEO_PROCESS_WRITE",
    "VIDEO_ENCODE_READ",
    "VIDEO_ENCODE_WRITE",
    "NO_ACCESS",
];

/// Reading R60: accesses that no texture has.
pub(super) const ONLY_ON_BUFFERS: [&str; 7] = [
    "VERTEX_BUFFER",
    "INDEX_BUFFER",
    "CONSTANT_BUFFER",
    "STREAM_OUTPUT",
    "INDIRECT_ARGUMENT",
    "RAYTRACING_ACCELERATION_STRUCTURE_READ",
    "RAYTRACING_ACCELERATION_STRUCTURE_WRITE",
];

/// The newer header's 31, the driver interface's layouts, and a number that no header knows (reading R10).
pub(super) const PRIVATE_LAYOUTS: [&str; 6] = [
    "31",
    "0x80000000",
    "0x80000001",
    "0x80000002",
    "0x80000003",
    "99",
];

/// The specification's tables as sets.
pub(super) struct Tables {
    rows: HashMap<(&'static str, &'static str), HashSet<&'static str>>,
    pub(super) layouts: Vec<&'static str>,
}

impl Tables {
    pub(super) fn new() -> Self {
        let mut rows = HashMap::new();
        let mut layouts = Vec::new();
        for name in [
            "queue-layout",
            "queue-access",
            "queue-sync",
            "layout-access",
            "access-sync",
        ] {
            for (key, values) in table(name) {
                if name == "layout-access" {
                    layouts.push(key);
                }
                rows.insert((name, key), values.into_iter().collect());
            }
        }
        assert_eq!(layouts.len(), 32, "every layout has a row");
        layouts.extend(PRIVATE_LAYOUTS);
        Self { rows, layouts }
    }

    pub(super) fn has(&self, table: &'static str, key: &str, value: &str) -> bool {
        // Only the queues' rows are written in capitals in one place and small in the other.
        let key = if table.starts_with("queue") {
            key.to_uppercase()
        } else {
            key.to_owned()
        };
        self.rows
            .iter()
            .any(|((t, k), values)| *t == table && *k == key && values.contains(value))
    }

    /// Whether a barrier on the queue may name the layout.
    pub(super) fn queue_layout(&self, rules: RuleSet, queue: &str, layout: &str) -> bool {
        let listed = self.has("queue-layout", queue, layout);
        // Reading R08: UNDEFINED, and each queue's own layouts, which their own sections allow.
        let own = match queue {
            "direct" => layout == "DIRECT_QUEUE_COMMON",
            "compute" => layout.starts_with("COMPUTE_QUEUE_"),
            "video_decode" | "video_process" | "video_encode" => layout == "VIDEO_QUEUE_COMMON",
            _ => false,
        };
        match rules {
            // Reading R58: R08 holds to the letter too.
            RuleSet::Tables | RuleSet::Specification => listed || own || layout == "UNDEFINED",
            // Reading R10.
            RuleSet::DebugLayer => {
                let newest = layout == "31" && (queue == "direct" || queue == "compute");
                listed || own || layout == "UNDEFINED" || newest
            }
        }
    }

    pub(super) fn queue_access(&self, queue: &str, access: &str) -> bool {
        // Reading R08.
        access == "COMMON" || access == "NO_ACCESS" || self.has("queue-access", queue, access)
    }

    pub(super) fn queue_sync(&self, queue: &str, sync: &str) -> bool {
        // Reading R08.
        sync == "NONE" || self.has("queue-sync", queue, sync)
    }

    pub(super) fn layout_access(&self, layout: &str, access: &str) -> bool {
        match access {
            "COMMON" | "NO_ACCESS" => true,
            _ => self.has("layout-access", layout, access),
        }
    }

    /// Whether one sync bit serves one access bit.
    pub(super) fn access_sync(&self, rules: RuleSet, access: &str, sync: &str) -> bool {
        let listed =
            self.has("access-sync", access, "ANY") || self.has("access-sync", access, sync);
        let read = listed || by_reading(access, sync);
        match rules {
            RuleSet::Specification => read,
            RuleSet::Tables => read && !demands_structure_write(access, sync),
            // Reading R31.
            RuleSet::DebugLayer => {
                read && !matches!(
                    (access, sync),
                    ("RENDER_TARGET", "DRAW") | ("COMMON", "CLEAR_UNORDERED_ACCESS_VIEW")
                )
            }
        }
    }
}

/// Reading R58: to the letter, building and copying demand the write of acceleration structures. `COMMON` names it (R16).
pub(super) fn demands_structure_write(access: &str, sync: &str) -> bool {
    matches!(
        sync,
        "BUILD_RAYTRACING_ACCELERATION_STRUCTURE" | "COPY_RAYTRACING_ACCELERATION_STRUCTURE"
    ) && !matches!(access, "COMMON" | "RAYTRACING_ACCELERATION_STRUCTURE_WRITE")
}

/// Reading R58: to the letter of the driver interface's page, `NONE` on either side demands `AccessAfter NO_ACCESS`.
/// Of the cases here, the other side of what is looked at is `NONE` with `NO_ACCESS`.
pub(super) fn demands_no_access_after(rules: RuleSet, access: &str, before: bool) -> bool {
    rules == RuleSet::Tables && !before && access != "NO_ACCESS"
}

/// Readings R04, R06 and R36: pairs that the table leaves out.
pub(super) fn by_reading(access: &str, sync: &str) -> bool {
    match sync {
        // R06: the six accesses of the scope's own section.
        "NON_PIXEL_SHADING" => matches!(
            access,
            "VERTEX_BUFFER"
                | "CONSTANT_BUFFER"
                | "UNORDERED_ACCESS"
                | "SHADER_RESOURCE"
                | "STREAM_OUTPUT"
                | "RAYTRACING_ACCELERATION_STRUCTURE_READ"
        ),
        // R04.
        "RAYTRACING" => matches!(
            access,
            "SHADER_RESOURCE" | "UNORDERED_ACCESS" | "CONSTANT_BUFFER"
        ),
        "BUILD_RAYTRACING_ACCELERATION_STRUCTURE" => {
            matches!(access, "SHADER_RESOURCE" | "UNORDERED_ACCESS")
        }
        "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO" => access == "UNORDERED_ACCESS",
        // R36: pixel shading is a leaf of a draw.
        "DRAW" => access == "SHADING_RATE_SOURCE",
        _ => false,
    }
}

/// Reading R35: the creation flag that an access or a layout needs.
pub(super) fn flag_of(word: &str) -> Option<&'static str> {
    match word {
        "RENDER_TARGET" => Some("RENDER_TARGET"),
        "DEPTH_STENCIL_WRITE" | "DEPTH_STENCIL_READ" => Some("DEPTH_STENCIL"),
        "UNORDERED_ACCESS" | "DIRECT_QUEUE_UNORDERED_ACCESS" | "COMPUTE_QUEUE_UNORDERED_ACCESS" => {
            Some("UNORDERED_ACCESS")
        }
        "RAYTRACING_ACCELERATION_STRUCTURE_READ" | "RAYTRACING_ACCELERATION_STRUCTURE_WRITE" => {
            Some("RAYTRACING_ACCELERATION_STRUCTURE")
        }
        _ => None,
    }
}
