//! Words that several statements share: strings, sizes, durations, ranges.

use super::super::model::{LegacySplit, Range};
use crate::api::{HeapType, ResourceState};

/// A string literal.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A heap type.
pub(super) fn heap_word(heap: HeapType) -> &'static str {
    match heap {
        HeapType::Default => "default",
        HeapType::Upload => "upload",
        HeapType::Readback => "readback",
    }
}

/// `on` or `off`.
pub(super) fn switch_word(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// The largest unit that divides a size.
pub fn size_text(bytes: u64) -> String {
    for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if bytes != 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    format!("{bytes}B")
}

/// A legacy transition of what is named, from one state to the other, as the language writes it.
pub fn transition_text(
    name: &str,
    (before, after): (ResourceState, ResourceState),
    split: Option<LegacySplit>,
) -> String {
    let split = split.map_or_else(String::new, |split| format!(" {}", split.word()));
    format!("transition {name} {before} -> {after}{split}")
}

/// A range as the language writes it; nothing for everything.
pub fn range_text(range: &Range) -> String {
    let pair = |word: &str, (first, end): (u32, u32)| {
        if end == first + 1 {
            format!("{word} {first}")
        } else {
            format!("{word} {first}..{end}")
        }
    };
    match range {
        Range::All => String::new(),
        Range::Subresource(index) => format!("[subresource {index}]"),
        Range::Bytes { start, end } => format!("[{start}..{end}]"),
        Range::Subresources(sub) => {
            let mut parts = Vec::new();
            parts.extend(sub.mips.map(|m| pair("mip", m)));
            parts.extend(sub.layers.map(|l| pair("layer", l)));
            parts.extend(sub.planes.map(|p| pair("plane", p)));
            parts.extend(
                sub.rect
                    .map(|r| format!("rect {},{} {}x{}", r.x, r.y, r.width, r.height)),
            );
            if parts.is_empty() {
                String::new()
            } else {
                format!("[{}]", parts.join(", "))
            }
        }
    }
}
