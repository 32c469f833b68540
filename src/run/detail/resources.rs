//! Where resources are in memory, and which subresources they have.

use super::Words;
use crate::finding::Source;
use crate::id::{MemoryId, ResourceId, Table};
use crate::order::{MemoryMap, Timeline};
use crate::scenario::offsets::Offsets;
use serde::Serialize;

/// Subresources of one resource in a page.
const SUBRESOURCES_MAX: u32 = 256;

/// A heap, or the memory of one resource.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct BlockOfMemory {
    /// Its name, a word.
    pub name: u32,
    /// Bytes.
    pub bytes: u64,
    /// Several resources may lie in it.
    pub is_heap: bool,
}

/// A texture or buffer.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ResourceRow {
    /// Its name, a word.
    pub name: u32,
    /// `buffer` or the format, a word.
    pub kind: u32,
    /// Line of its declaration.
    pub line: u32,
    /// Which block of memory it is in.
    pub memory: u32,
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// Another resource shares bytes with it.
    pub aliased: bool,
    /// Subresources of a texture, by index; the first of very many.
    pub subresources: Vec<SubresourceRow>,
}

/// A subresource: its name (a word), first byte and one past the last, from the start of the block of memory.
pub type SubresourceRow = (u32, u64, u64);

/// Blocks of memory: heaps first.
pub(super) fn blocks(timeline: &Timeline<'_>, words: &mut Words) -> Vec<BlockOfMemory> {
    let scenario = timeline.scenario;
    let heaps = scenario.heaps.len();
    let mut names: Table<MemoryId, &str> = scenario.heaps.keys().map(String::as_str).collect();
    names.resize(timeline.memory.memory_count(), "");
    for id in scenario.resources.ids() {
        if let Some(extent) = timeline.memory.whole(id)
            && extent.memory.index() >= heaps
        {
            names[extent.memory] = scenario.resource_name(id);
        }
    }
    let rows = names.pairs().map(|(id, name)| BlockOfMemory {
        name: words.number(name),
        bytes: timeline.memory.memory_bytes(id),
        is_heap: id.index() < heaps,
    });
    rows.collect()
}

pub(super) fn resources(
    source: &Source,
    timeline: &Timeline<'_>,
    words: &mut Words,
) -> Vec<ResourceRow> {
    let scenario = timeline.scenario;
    let map = &timeline.memory;
    let mut rows = Vec::new();
    for (index, (name, resource)) in scenario.resources.iter().enumerate() {
        let id = ResourceId::new(index);
        let Some(extent) = map.whole(id) else {
            continue;
        };
        let kind = resource
            .texture()
            .map_or("buffer", |shape| shape.format.name());
        rows.push(ResourceRow {
            name: words.number(name),
            kind: words.number(kind),
            line: source.line(resource.span.start),
            memory: extent.memory.0,
            start: extent.start,
            end: extent.end,
            aliased: map.is_aliased(id),
            subresources: subresources(map, timeline, id, words),
        });
    }
    rows
}

fn subresources(
    map: &MemoryMap,
    timeline: &Timeline<'_>,
    id: ResourceId,
    words: &mut Words,
) -> Vec<SubresourceRow> {
    let Some(shape) = timeline.scenario.resource(id).texture() else {
        return Vec::new();
    };
    let offsets = Offsets::new(shape);
    let base = map.whole(id).map_or(0, |extent| extent.start);
    let many = shape.subresources().min(SUBRESOURCES_MAX);
    let rows = (0..many).map(|index| {
        let (mip, layer, plane) = shape.coordinates(index);
        let mut parts = Vec::new();
        if shape.mips > 1 {
            parts.push(format!("mip {mip}"));
        }
        if shape.layers > 1 {
            parts.push(format!("layer {layer}"));
        }
        if shape.planes() > 1 {
            parts.push(format!("plane {plane}"));
        }
        let (start, end) = offsets.run((index, index + 1));
        let name = words.number(&parts.join(", "));
        (name, base.saturating_add(start), base.saturating_add(end))
    });
    rows.collect()
}
