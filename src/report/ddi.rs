//! What a driver is handed, as a page for people or as one JSON object.

use super::Style;
use super::text::{self, count};
use crate::api::ddi::{self, DdiBarrier, SubresourceRange};
use crate::finding::Source;
use crate::id::ResourceId;
use crate::run::handover::{Call, HandedEntry, Handover, ListCalls, Origin};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Version of the JSON form.
pub(crate) const SCHEMA: u32 = 1;

/// A value with its names.
#[derive(Serialize)]
struct Value {
    value: u32,
    name: String,
}

impl Value {
    fn sync(value: u32) -> Self {
        let name = ddi::sync_names(value);
        Self { value, name }
    }

    fn access(value: u32) -> Self {
        let name = ddi::access_names(value);
        Self { value, name }
    }

    fn layout(value: u32) -> Self {
        let name = ddi::layout_name(value);
        Self { value, name }
    }
}

/// The whole document. Field names are those of the driver interface in small letters.
#[derive(Serialize)]
struct Document<'h> {
    schema: u32,
    file: &'h str,
    enhanced_barriers_supported: bool,
    resources: Vec<ResourceRow<'h>>,
    lists: Vec<ListRow>,
}

#[derive(Serialize)]
struct ResourceRow<'h> {
    resource: &'h str,
    kind: &'static str,
    initial_barrier_layout: Value,
}

#[derive(Serialize)]
struct ListRow {
    list: String,
    #[serde(rename = "type")]
    kind: &'static str,
    calls: Vec<CallRow>,
}

#[derive(Serialize)]
struct CallRow {
    /// What the application called.
    call: &'static str,
    line: u32,
    num_barriers: usize,
    entries: Vec<EntryRow>,
}

#[derive(Serialize)]
struct EntryRow {
    line: u32,
    /// The API's group and the index in it.
    group: u32,
    index: u32,
    /// Index in the driver's array; null if there is no form.
    slot: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'static str>,
    /// The rule that it breaks.
    illegal: Option<&'static str>,
    #[serde(flatten)]
    barrier: Option<BarrierRow>,
}

#[derive(Serialize)]
struct BarrierRow {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    #[serde(flatten)]
    scopes: Option<ScopesRow>,
    #[serde(flatten)]
    layouts: Option<LayoutsRow>,
    /// The six numbers of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    subresources: Option<[u32; 6]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<Value>,
    /// Begin and end of the `Range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<(u64, u64)>,
}

#[derive(Serialize)]
struct ScopesRow {
    sync_before: Value,
    sync_after: Value,
    access_before: Value,
    access_after: Value,
}

#[derive(Serialize)]
struct LayoutsRow {
    layout_before: Value,
    layout_after: Value,
}

fn document<'h>(handover: &'h Handover, source: &'h Source) -> Document<'h> {
    let scenario = &handover.scenario;
    Document {
        schema: SCHEMA,
        file: &source.name,
        enhanced_barriers_supported: handover.handed.options.enhanced_barriers_supported,
        resources: handover
            .handed
            .resources
            .iter()
            .map(|(id, created)| ResourceRow {
                resource: scenario.resource_name(*id),
                kind: if scenario.resource(*id).is_buffer() {
                    "buffer"
                } else {
                    "texture"
                },
                initial_barrier_layout: Value::layout(created.initial_barrier_layout),
            })
            .collect(),
        lists: handover
            .handed
            .lists
            .iter()
            .map(|list| list_row(handover, source, list))
            .collect(),
    }
}

fn list_row(handover: &Handover, source: &Source, calls: &ListCalls) -> ListRow {
    let list = &handover.scenario.lists[calls.list];
    ListRow {
        list: list
            .name
            .clone()
            .unwrap_or_else(|| format!("(in place, line {})", source.line(list.span.start))),
        kind: list.queue_type.word(),
        calls: calls
            .calls
            .iter()
            .map(|call| call_row(handover, source, call))
            .collect(),
    }
}

fn call_row(handover: &Handover, source: &Source, call: &Call) -> CallRow {
    let mut slots = 0;
    CallRow {
        call: match call.origin {
            Origin::Barrier => "Barrier",
            Origin::ResourceBarrier => "ResourceBarrier",
            Origin::FenceBarrier => "fence barrier",
        },
        line: source.line(call.span.start),
        num_barriers: call.barriers(),
        entries: call
            .entries
            .iter()
            .map(|entry| {
                let slot = entry.form.is_ok().then_some(slots);
                slots += usize::from(slot.is_some());
                entry_row(handover, source, entry, slot)
            })
            .collect(),
    }
}

fn entry_row(
    handover: &Handover,
    source: &Source,
    entry: &HandedEntry,
    slot: Option<usize>,
) -> EntryRow {
    let barrier = entry.form.as_ref().ok();
    EntryRow {
        line: source.line(entry.span.start),
        group: entry.group,
        index: entry.index,
        slot,
        withheld: entry.form.as_ref().err().copied(),
        illegal: handover.illegal(entry.span),
        barrier: barrier.map(|b| barrier_row(handover.resource(b), b)),
    }
}

fn barrier_row(resource: Option<&str>, barrier: &DdiBarrier<ResourceId>) -> BarrierRow {
    let numbers = |range: &SubresourceRange| {
        [
            range.index_or_first_mip_level,
            range.num_mip_levels,
            range.first_array_slice,
            range.num_array_slices,
            range.first_plane,
            range.num_planes,
        ]
    };
    let mut row = BarrierRow {
        kind: barrier.kind().name(),
        resource: resource.map(str::to_owned),
        scopes: barrier.scopes().map(|scopes| ScopesRow {
            sync_before: Value::sync(scopes.sync_before),
            sync_after: Value::sync(scopes.sync_after),
            access_before: Value::access(scopes.access_before),
            access_after: Value::access(scopes.access_after),
        }),
        layouts: None,
        subresources: None,
        flags: None,
        range: None,
    };
    match barrier {
        DdiBarrier::Global(_) | DdiBarrier::Buffer(_) => {}
        DdiBarrier::Texture(texture) => {
            row.layouts = Some(LayoutsRow {
                layout_before: Value::layout(texture.layout_before),
                layout_after: Value::layout(texture.layout_after),
            });
            row.subresources = Some(numbers(&texture.subresources));
            row.flags = Some(Value {
                value: texture.flags.bits(),
                name: texture.flags.to_string(),
            });
        }
        DdiBarrier::Ranged(ranged) => {
            row.subresources = Some(numbers(&ranged.subresources));
            row.flags = Some(Value {
                value: ranged.flags.bits(),
                name: ranged.flags.ddi_names(),
            });
            row.range = Some(ranged.bytes);
        }
    }
    row
}

/// Writes the document and a newline.
///
/// # Errors
/// Only what the writer returns.
pub(crate) fn json(handover: &Handover, source: &Source, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &document(handover, source))?;
    out.write_all(b"\n")
}

/// Writes the page for people.
///
/// # Errors
/// Only what the writer returns.
pub(crate) fn page(
    handover: &Handover,
    source: &Source,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = lines(&document(handover, source), style.columns);
    for line in page.lines() {
        style.hanging(line, out)?;
    }
    Ok(())
}

fn lines(document: &Document<'_>, whole: usize) -> String {
    let mut page = format!(
        "{}: what the driver is handed while the lists are recorded\n",
        text::clean(document.file)
    );
    if !document.enhanced_barriers_supported {
        page.push_str(
            "EnhancedBarriersSupported is false: the driver gets legacy barriers and none of this\n",
        );
    }
    if !document.resources.is_empty() {
        page.push_str("\nresources and their InitialBarrierLayout\n");
    }
    let columns = document
        .resources
        .iter()
        .map(|row| text::width(row.resource))
        .max()
        .unwrap_or(0)
        .min(40);
    for row in &document.resources {
        let _ = writeln!(
            page,
            "  {} {}  {}",
            text::left(row.resource, columns),
            text::left(row.kind, 7),
            row.initial_barrier_layout.name
        );
    }
    for list in &document.lists {
        let _ = writeln!(page, "\nlist {} : {}", list.list, list.kind);
        for (index, call) in list.calls.iter().enumerate() {
            call_lines(index, call, whole, &mut page);
        }
    }
    if document.lists.is_empty() {
        page.push_str("\nno list records a barrier\n");
    }
    page
}

fn call_lines(index: usize, call: &CallRow, columns: usize, page: &mut String) {
    let _ = writeln!(
        page,
        "  call {index}: {} on line {}, {}",
        call.call,
        call.line,
        count(call.num_barriers, "barrier", "barriers")
    );
    for entry in &call.entries {
        let slot = entry
            .slot
            .map_or_else(|| "-".to_owned(), |slot| slot.to_string());
        let mut head = format!("    [{slot}]");
        if let Some(barrier) = &entry.barrier {
            let _ = write!(head, " {}", barrier.kind);
            if let Some(resource) = &barrier.resource {
                let _ = write!(head, " {resource}");
            }
        }
        let comma = if entry.barrier.is_some() { "," } else { "" };
        let _ = write!(
            head,
            "{comma} line {}, group {}, index {}",
            entry.line, entry.group, entry.index
        );
        // First what is short: a long reason is cut at the end of the line.
        if let Some(rule) = entry.illegal {
            let _ = write!(head, "  ! breaks {rule}");
        }
        if let Some(why) = entry.withheld {
            let _ = write!(head, ": not handed over, {why}");
        }
        page.push_str(&head);
        page.push('\n');
        if let Some(barrier) = &entry.barrier {
            barrier_lines(barrier, columns, page);
        }
    }
}

fn barrier_lines(barrier: &BarrierRow, columns: usize, page: &mut String) {
    if let Some(scopes) = &barrier.scopes {
        let (before, after) = (&scopes.sync_before, &scopes.sync_after);
        change("Sync", before, after, columns, page);
        let (before, after) = (&scopes.access_before, &scopes.access_after);
        change("Access", before, after, columns, page);
    }
    if let Some(layouts) = &barrier.layouts {
        change(
            "Layout",
            &layouts.layout_before,
            &layouts.layout_after,
            columns,
            page,
        );
    }
    let mut rest = String::new();
    if let Some(numbers) = barrier.subresources {
        let numbers = numbers.map(|n| match n {
            u32::MAX => "0xffffffff".to_owned(),
            n => n.to_string(),
        });
        let _ = write!(rest, "Subresources {}", numbers.join(" "));
    }
    if let Some(flags) = barrier.flags.as_ref().filter(|flags| flags.value != 0) {
        let _ = write!(rest, "  Flags {}", flags.name);
    }
    if let Some((begin, end)) = barrier.range {
        let _ = write!(rest, "  Range {begin}..{end}");
    }
    if !rest.is_empty() {
        let _ = writeln!(page, "        {}", rest.trim_start());
    }
}

/// `Sync    A -> B`, on several lines if the masks are long.
fn change(word: &str, before: &Value, after: &Value, columns: usize, page: &mut String) {
    const INDENT: &str = "        ";
    let head = text::left(word, 7);
    let whole = format!("{INDENT}{head}{} -> {}", before.name, after.name);
    if text::width(&whole) <= columns {
        let _ = writeln!(page, "{whole}");
        return;
    }
    let room = columns - INDENT.len() - 7 - 3;
    for (arrow, value) in [("", before), ("-> ", after)] {
        let broken = value.name.replace('|', "| ");
        for (i, line) in text::wrap(&broken, room).iter().enumerate() {
            let first = i == 0;
            let head = if first && arrow.is_empty() { &head } else { "" };
            let arrow = if first { arrow } else { "" };
            let _ = writeln!(
                page,
                "{INDENT}{}{}{}",
                text::left(head, 7),
                text::left(arrow, 3),
                line.replace("| ", "|")
            );
        }
    }
}
