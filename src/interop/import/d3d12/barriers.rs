//! `Barrier` and `ResourceBarrier`: the application's own words, entry by entry.

use super::{Call, D3d12, Recording, words};
use crate::finding::Span;
use crate::id::ResourceId;
use crate::interop::capture::Fields;
use crate::interop::import::draft;
use crate::interop::import::report::Notes;
use crate::scenario::{
    Barrier, BarrierFields, BarrierRange, BarrierTarget, Command, CommandKind, LegacyBarrier,
    LegacyKind, LegacySplit, LegacyTransition, Range, TextureBarrier, Trivia,
};

pub(super) fn handler(name: &str) -> Option<super::Handler> {
    Some(match name {
        "Barrier" => |d, n, c| d.recorded(n, c, |d, n, r| barrier(d, n, r, c)),
        "ResourceBarrier" => |d, n, c| d.recorded(n, c, |d, n, r| legacy(d, n, r, c)),
        _ => return None,
    })
}

impl Recording {
    pub(super) fn push(&mut self, call: u64, kind: CommandKind, uses: Vec<crate::scenario::Use>) {
        self.commands.push(Command {
            kind,
            uses: uses.into(),
            span: Span::default(),
            trivia: draft::call_comment(call),
        });
    }
}

/// What is said of an entry without a resource.
const LOST: &str = "barriers whose resource the capture lost (capture layers before November 2025 write 0): not in the scenario";

fn barrier(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, c: Call<'_>) {
    let mut entries: Vec<Barrier> = Vec::new();
    for group in c.a.list("pBarrierGroups") {
        for entry in group.list("pGlobalBarriers") {
            entries.push(fields(entry, BarrierTarget::Global));
        }
        for entry in group.list("pBufferBarriers") {
            let Some(resource) = d.resource(notes, entry.u64("pResource")) else {
                notes.dropped(LOST);
                continue;
            };
            entries.push(fields(entry, buffer_target(d, resource, entry)));
        }
        for entry in group.list("pTextureBarriers") {
            let Some(resource) = d.resource(notes, entry.u64("pResource")) else {
                notes.dropped(LOST);
                continue;
            };
            let texture = TextureBarrier {
                resource: Some(resource),
                range: range(entry.get("Subresources")),
                layout_before: words::layout(entry.get("LayoutBefore")),
                layout_after: words::layout(entry.get("LayoutAfter")),
                discard: words::has(entry.get("Flags"), 1, "DISCARD"),
            };
            entries.push(fields(entry, BarrierTarget::Texture(texture)));
        }
    }
    if !entries.is_empty() {
        recording.push(d.call, CommandKind::Barrier(entries.into()), Vec::new());
    }
}

/// A range that is not the whole buffer is written, because it is an error.
fn buffer_target(d: &D3d12, resource: ResourceId, entry: Fields<'_>) -> BarrierTarget {
    let (offset, size) = (entry.u64("Offset"), entry.u64("Size"));
    let handle = entry.u64("pResource");
    let whole = match d.objects.items.get(&handle).map(|item| &item.kind) {
        Some(crate::scenario::ResourceKind::Buffer { size }) => *size,
        _ => 0,
    };
    let is_all = offset == 0 && (size >= whole || size == u64::MAX);
    BarrierTarget::Buffer {
        resource: Some(resource),
        offset: (!is_all).then_some(offset),
        size: (!is_all).then_some(size),
    }
}

fn range(field: Fields<'_>) -> BarrierRange {
    let keys = [
        "IndexOrFirstMipLevel",
        "NumMipLevels",
        "FirstArraySlice",
        "NumArraySlices",
        "FirstPlane",
        "NumPlanes",
    ];
    let raw = keys.map(|key| field.u32(key));
    match raw {
        [u32::MAX, 0, ..] => BarrierRange::Range(Range::All),
        [index, 0, ..] => BarrierRange::Range(Range::Subresource(index)),
        raw => BarrierRange::Raw(raw),
    }
}

fn fields(entry: Fields<'_>, target: BarrierTarget) -> Barrier {
    let fields = BarrierFields {
        target,
        sync_before: words::sync(entry.get("SyncBefore")),
        sync_after: words::sync(entry.get("SyncAfter")),
        access_before: words::access(entry.get("AccessBefore")),
        access_after: words::access(entry.get("AccessAfter")),
        trivia: Trivia(None),
    };
    fields.into()
}

fn legacy(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, c: Call<'_>) {
    let mut entries = Vec::new();
    for entry in c.a.list("pBarriers") {
        let kind = if entry.get("Transition").is_some() {
            transition(d, notes, entry)
        } else if entry.get("UAV").is_some() {
            let handle = entry.get("UAV").u64("pResource");
            let found = d.resource(notes, handle);
            (handle == 0 || found.is_some()).then_some(LegacyKind::Uav(found))
        } else if entry.get("Aliasing").is_some() {
            let side =
                |d: &mut D3d12, n: &mut Notes, key| d.resource(n, entry.get("Aliasing").u64(key));
            let before = side(d, notes, "pResourceBefore");
            Some(LegacyKind::Alias(before, side(d, notes, "pResourceAfter")))
        } else {
            None
        };
        entries.extend(kind.map(|kind| LegacyBarrier {
            kind,
            span: Span::default(),
            trivia: Trivia(None),
        }));
    }
    if !entries.is_empty() {
        recording.push(d.call, CommandKind::Legacy(entries), Vec::new());
    }
}

fn transition(d: &mut D3d12, notes: &mut Notes, entry: Fields<'_>) -> Option<LegacyKind> {
    let inner = entry.get("Transition");
    let resource = d.resource(notes, inner.u64("pResource"))?;
    let flags = entry.get("Flags");
    let split = if words::has(flags, 1, "BEGIN_ONLY") {
        Some(LegacySplit::Begin)
    } else if words::has(flags, 2, "END_ONLY") {
        Some(LegacySplit::End)
    } else {
        None
    };
    let range = match inner.u32("Subresource") {
        u32::MAX => Range::All,
        index => Range::Subresource(index),
    };
    Some(LegacyKind::Transition(LegacyTransition {
        resource,
        range,
        before: words::state(inner.get("StateBefore")),
        after: words::state(inner.get("StateAfter")),
        split,
    }))
}
