//! What a driver is handed, as a page for people or as one JSON object.

use super::format::Output;
use super::text::{self, count};
use super::{Style, json};
use crate::api::ddi::{self, DdiBarrier, SubresourceRange};
use crate::finding::Source;
use crate::id::ResourceId;
use crate::run::handover::{Call, HandedEntry, Handover, ListCalls, Origin};
use crate::schema::schema;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes what a driver is handed.
pub(crate) type WriteDdi = fn(&Handover, &Source, &Style, &mut dyn Write) -> io::Result<()>;

/// What a driver is handed: `run --show ddi`.
pub(crate) const DDI: Output<WriteDdi> = Output {
    name: "ddi",
    noun: "a list of driver calls",
    writers: &[
        ("terminal", page),
        ("json", |handover, source, _, out| {
            json::line(&document(handover, source), out)
        }),
    ],
    schema: Some(schema!(
        written DdiDocument<'static>, "ddi", "The output of `run --show ddi --format json`"
    )),
};

/// A value with its names.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Value {
    /// The number.
    value: u32,
    /// Names of the driver interface, joined by `|`.
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

/// What a driver is handed. Field names are those of the driver interface in small letters.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DdiDocument<'h> {
    /// Version of this contract.
    schema: u32,
    /// The scenario's file.
    file: &'h str,
    /// Whether the driver gets any of this.
    enhanced_barriers_supported: bool,
    /// Resources that are created, in order of declaration.
    resources: Vec<ResourceRow<'h>>,
    /// Lists that record barriers, in the order of the text.
    lists: Vec<ListRow>,
}

/// A resource.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ResourceRow<'h> {
    /// Declared name.
    resource: &'h str,
    /// `buffer` or `texture`.
    kind: &'static str,
    /// `InitialBarrierLayout`.
    initial_barrier_layout: Value,
}

/// A list.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListRow {
    /// Its name, or where it is.
    list: String,
    /// The type of its queue.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What the driver is called with, in order.
    calls: Vec<CallRow>,
}

/// A call.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CallRow {
    /// What the application called: `Barrier`, `ResourceBarrier` or `fence barrier`.
    call: &'static str,
    /// Line of that call.
    line: u32,
    /// `NumBarriers`.
    num_barriers: usize,
    /// Entries of the application's call.
    entries: Vec<EntryRow>,
}

/// An entry of an application's call.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EntryRow {
    /// Line of the entry.
    line: u32,
    /// Index of the API's group.
    group: u32,
    /// Index in that group.
    index: u32,
    /// Index in the driver's array; null if there is no form.
    slot: Option<usize>,
    /// Why it is not handed over; left out if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'static str>,
    /// The rule that it breaks; null if it breaks none.
    illegal: Option<&'static str>,
    /// What the driver gets.
    #[serde(flatten)]
    barrier: Option<BarrierRow>,
}

/// A barrier as the driver gets it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BarrierRow {
    /// `Type`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Declared name of the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    /// Syncs and accesses.
    #[serde(flatten)]
    scopes: Option<ScopesRow>,
    /// Layouts of a texture barrier.
    #[serde(flatten)]
    layouts: Option<LayoutsRow>,
    /// The six numbers of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    subresources: Option<[u32; 6]>,
    /// `Flags`.
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<Value>,
    /// Begin and end of the `Range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<(u64, u64)>,
}

/// Syncs and accesses.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ScopesRow {
    /// `SyncBefore`.
    sync_before: Value,
    /// `SyncAfter`.
    sync_after: Value,
    /// `AccessBefore`.
    access_before: Value,
    /// `AccessAfter`.
    access_after: Value,
}

/// Layouts.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LayoutsRow {
    /// `LayoutBefore`.
    layout_before: Value,
    /// `LayoutAfter`.
    layout_after: Value,
}

fn document<'h>(handover: &'h Handover, source: &'h Source) -> DdiDocument<'h> {
    let scenario = &handover.scenario;
    DdiDocument {
        schema: 1,
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

/// Writes the page for people.
///
/// # Errors
/// Only what the writer returns.
fn page(
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

fn lines(document: &DdiDocument<'_>, whole: usize) -> String {
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
