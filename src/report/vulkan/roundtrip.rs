//! Barriers there and back: a page for people, or one JSON object.

use super::{MaskRow, SCHEMA, asked_text, function, list_name, mask_row, structure};
use crate::finding::Source;
use crate::interop::exchange::{Lost, Roundtrip, Survival, Trip, Verdict, WayBack};
use crate::interop::vulkan::from_d3d12::dzn;
use crate::report::format::Output;
use crate::report::text::{self, count};
use crate::report::{Style, json};
use crate::scenario::{Barrier, BarrierTarget, Scenario};
use crate::schema::schema;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Entries that a page shows in full; those that changed come first in importance, all are in JSON.
const ENTRIES_SHOWN: usize = 40;

/// Writes barriers there and back.
type WriteRoundtrip = fn(&Roundtrip, &Source, &Style, &mut dyn Write) -> io::Result<()>;

/// Barriers in Vulkan's words and back: `roundtrip`.
pub const ROUNDTRIP: Output<WriteRoundtrip> = Output {
    name: "roundtrip",
    noun: "a round trip",
    writers: &[
        ("terminal", page),
        ("json", |trip, source, _, out| {
            json::line(&document(trip, source), out)
        }),
    ],
    schema: Some(schema!(
        written RoundtripDocument<'static>, "roundtrip", "The output of `roundtrip --format json`"
    )),
};

/// The output of `roundtrip --format json`: barriers in Vulkan's words and in D3D12's again.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanRoundtrip"))]
struct RoundtripDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// The scenario's file.
    file: &'a str,
    /// The table of the way there.
    there: &'static str,
    /// Who brings the words back.
    back: &'static str,
    /// Every entry.
    barriers: Vec<TripRow>,
    /// What survives; null without a timeline.
    pairs: Option<PairsRow>,
}

/// An entry there and back.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanTrip"))]
struct TripRow {
    /// Line of the entry.
    line: u32,
    /// The list.
    list: String,
    /// The resource of a texture or buffer entry.
    resource: Option<String>,
    /// `same`, `wider`, `narrower`, `other` or `vanished`.
    verdict: &'static str,
    /// As it was asked.
    asked: SidesRow,
    /// The function that is called; null if nothing is.
    call: Option<&'static str>,
    /// The structure; null if nothing is left.
    structure: Option<&'static str>,
    /// The masks.
    vulkan: Option<MaskRow>,
    /// Both layouts in Vulkan's words.
    layouts: Option<(String, String)>,
    /// What comes back; null if nothing is left.
    returned: Option<SidesRow>,
    /// Where words differ on the way there.
    notes: Vec<String>,
    /// Words that have no exact twin on the way back.
    changes: Vec<String>,
}

/// A D3D12 entry.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanSides"))]
#[allow(missing_docs)]
struct SidesRow {
    /// `global`, `buffer` or `texture`.
    kind: &'static str,
    sync_before: String,
    sync_after: String,
    access_before: String,
    access_after: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    layout_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layout_after: Option<String>,
}

/// Needed pairs, and those that a round trip loses.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanPairs"))]
struct PairsRow {
    /// Needed pairs.
    needed: usize,
    /// Those of them that were asked for.
    asked: usize,
    /// Pairs that are no longer asked for.
    lost: Vec<LostRow>,
}

/// A lost pair.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanLost"))]
struct LostRow {
    /// The resource.
    resource: String,
    /// Line of the earlier use.
    first_line: u32,
    /// The earlier use.
    first: String,
    /// Line of the later use.
    second_line: u32,
    /// The later use.
    second: String,
    /// What is no longer asked for: `order`, `visibility`, `layout`, or a `state` in which it may be used.
    missing: &'static str,
}

fn document<'a>(trip: &Roundtrip, source: &'a Source) -> RoundtripDocument<'a> {
    RoundtripDocument {
        schema: SCHEMA,
        file: &source.name,
        there: trip.table.name(),
        back: back_name(trip.back),
        barriers: trip
            .trips
            .iter()
            .map(|one| trip_row(&trip.scenario, one, source))
            .collect(),
        pairs: trip.survival.as_ref().map(|survival| PairsRow {
            needed: survival.needed,
            asked: survival.asked,
            lost: survival
                .lost
                .iter()
                .map(|lost| lost_row(&trip.scenario, lost, source))
                .collect(),
        }),
    }
}

fn back_name(back: WayBack) -> &'static str {
    match back {
        WayBack::Ours => "syncscope",
        WayBack::Dzn => "dzn",
    }
}

fn kind(barrier: &Barrier) -> &'static str {
    match barrier.target {
        BarrierTarget::Texture(_) => "texture",
        BarrierTarget::Buffer { .. } => "buffer",
        BarrierTarget::Global => "global",
        BarrierTarget::Ranged { .. } => "ranged",
        BarrierTarget::EmptyGroup(_) => "empty",
    }
}

fn sides(barrier: &Barrier) -> SidesRow {
    let layouts = barrier.layouts();
    SidesRow {
        kind: kind(barrier),
        sync_before: barrier.sync_before.to_string(),
        sync_after: barrier.sync_after.to_string(),
        access_before: barrier.access_before.to_string(),
        access_after: barrier.access_after.to_string(),
        layout_before: layouts.map(|(before, _)| before.to_string()),
        layout_after: layouts.map(|(_, after)| after.to_string()),
    }
}

fn trip_row(scenario: &Scenario, trip: &Trip, source: &Source) -> TripRow {
    let entry = &trip.entry;
    TripRow {
        line: source.line(entry.span.start),
        list: list_name(scenario, trip.list, source),
        resource: entry
            .asked
            .resource()
            .map(|id| scenario.resource_name(id).to_owned()),
        verdict: trip.verdict.word(),
        asked: sides(&entry.asked),
        call: function(trip.kind),
        structure: structure(&entry.form),
        vulkan: entry.form.masks().map(mask_row),
        layouts: entry
            .form
            .layouts()
            .map(|(old, new)| (old.name().into_owned(), new.name().into_owned())),
        returned: trip.back.as_ref().map(sides),
        notes: entry.notes.clone(),
        changes: trip.changes.clone(),
    }
}

fn lost_row(scenario: &Scenario, lost: &Lost, source: &Source) -> LostRow {
    LostRow {
        resource: scenario.resource_name(lost.resource).to_owned(),
        first_line: source.line(lost.lines.0.start),
        first: lost.uses.0.clone(),
        second_line: source.line(lost.lines.1.start),
        second: lost.uses.1.clone(),
        missing: lost.missing,
    }
}

/// Writes the page for people.
///
/// # Errors
/// Only what the writer returns.
pub fn page(
    trip: &Roundtrip,
    source: &Source,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = String::new();
    let back = match trip.back {
        WayBack::Ours => "back as an import reads them".to_owned(),
        WayBack::Dzn => format!("back by dzn ({})", dzn::SOURCE),
    };
    let _ = writeln!(
        page,
        "{}: there by the table {} ({}), {back}",
        text::clean(&source.name),
        trip.table.name(),
        trip.table.source()
    );
    let shown = style.shown(trip.trips.len(), ENTRIES_SHOWN);
    let mut list = None;
    for one in trip.trips.iter().take(shown) {
        if list != Some(one.list) {
            list = Some(one.list);
            let name = list_name(&trip.scenario, one.list, source);
            let kind = trip.scenario.lists[one.list].queue_type.word();
            let _ = writeln!(page, "\nlist {name} : {kind}");
            three(
                "",
                "D3D12",
                "Vulkan",
                "D3D12 again",
                style.columns,
                &mut page,
            );
        }
        entry_lines(&trip.scenario, one, source, style.columns, &mut page);
    }
    if trip.trips.len() > shown {
        let more = trip.trips.len() - shown;
        let _ = writeln!(
            page,
            "\n{} more: --all prints them",
            count(more, "entry", "entries")
        );
    }
    totals(trip, &mut page);
    if let Some(survival) = &trip.survival {
        survival_lines(&trip.scenario, survival, source, &mut page);
    }
    for line in page.lines() {
        style.hanging(line, out)?;
    }
    Ok(())
}

fn totals(trip: &Roundtrip, page: &mut String) {
    let parts: Vec<String> = Verdict::ALL
        .into_iter()
        .filter_map(|verdict| {
            let many = trip
                .trips
                .iter()
                .filter(|one| one.verdict == verdict)
                .count();
            (many > 0).then(|| format!("{many} {}", verdict.word()))
        })
        .collect();
    let entries = count(trip.trips.len(), "entry", "entries");
    if parts.is_empty() {
        let _ = writeln!(page, "\nno list records a barrier");
    } else {
        let _ = writeln!(page, "\n{entries}: {}", parts.join(", "));
    }
}

fn survival_lines(scenario: &Scenario, survival: &Survival, source: &Source, page: &mut String) {
    let _ = writeln!(
        page,
        "{}, {} asked for, {} lost",
        count(survival.needed, "needed pair", "needed pairs"),
        survival.asked,
        survival.lost.len()
    );
    for lost in &survival.lost {
        let resource = scenario.resource_name(lost.resource);
        let (first, second) = (
            source.line(lost.lines.0.start),
            source.line(lost.lines.1.start),
        );
        let (one, other) = &lost.uses;
        let _ = match lost.missing {
            "layout" | "state" => writeln!(
                page,
                "  lost on {resource}: the {} that {other} on line {second} needs",
                lost.missing
            ),
            missing => writeln!(
                page,
                "  lost on {resource}: {missing} from {one} on line {first} to {other} on line {second}"
            ),
        };
    }
}

/// Both sides of an entry in three columns.
fn entry_lines(
    scenario: &Scenario,
    trip: &Trip,
    source: &Source,
    columns: usize,
    page: &mut String,
) {
    let entry = &trip.entry;
    let what = match entry.asked.resource() {
        Some(id) => format!("{} {}", kind(&entry.asked), scenario.resource_name(id)),
        None => kind(&entry.asked).to_owned(),
    };
    let line = source.line(entry.span.start);
    let _ = writeln!(page, "  line {line}, {what}: {}", trip.verdict.word());
    if let Some(back) = &trip.back {
        mask_lines(trip, &sides(&entry.asked), &sides(back), columns, page);
    } else {
        let _ = writeln!(page, "    {}", asked_text(scenario, &entry.asked));
    }
    for note in entry.notes.iter().chain(&trip.changes) {
        let _ = writeln!(page, "    ~ {note}");
    }
}

/// What was asked, in Vulkan's words, and what came back; `=` for the same.
fn mask_lines(trip: &Trip, asked: &SidesRow, back: &SidesRow, columns: usize, page: &mut String) {
    let masks = trip.entry.form.masks().copied().unwrap_or_default();
    let layouts = trip.entry.form.layouts();
    let layouts = layouts.map(|(old, new)| (old.to_string(), new.to_string()));
    let (old, new) = layouts.unwrap_or_else(|| ("-".to_owned(), "-".to_owned()));
    let row = |head: &str, asked: &str, vulkan: &str, back: &str, page: &mut String| {
        let back = if back == asked { "=" } else { back };
        three(head, asked, vulkan, back, columns, page);
    };
    let stages = masks.src_stages.to_string();
    row(
        "before",
        &asked.sync_before,
        &stages,
        &back.sync_before,
        page,
    );
    let access = masks.src_access.to_string();
    row("", &asked.access_before, &access, &back.access_before, page);
    let stages = masks.dst_stages.to_string();
    row("after", &asked.sync_after, &stages, &back.sync_after, page);
    let access = masks.dst_access.to_string();
    row("", &asked.access_after, &access, &back.access_after, page);
    if let (Some(before), Some(after)) = (&asked.layout_before, &asked.layout_after) {
        let came = |layout: &Option<String>| layout.clone().unwrap_or_else(|| "-".to_owned());
        row("layout", before, &old, &came(&back.layout_before), page);
        row("", after, &new, &came(&back.layout_after), page);
    }
}

/// One row of three columns; masks go on in the next line at a `|`.
fn three(head: &str, asked: &str, vulkan: &str, back: &str, columns: usize, page: &mut String) {
    let width = columns.saturating_sub(4 + 8 + 4) / 3;
    let cells = [asked, vulkan, back].map(|cell| broken(cell, width));
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    for row in 0..height {
        let head = if row == 0 { head } else { "" };
        let mut line = format!("    {}", text::left(head, 8));
        for (column, cell) in cells.iter().enumerate() {
            let part = cell.get(row).map_or("", String::as_str);
            if column > 0 {
                line.push_str("  ");
            }
            line.push_str(&text::left(part, width));
        }
        let _ = writeln!(page, "{}", line.trim_end());
    }
}

/// A mask in lines of a width; a name that is too long for one is cut in its middle of words.
fn broken(mask: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in mask.split('|') {
        let whole = match lines.last() {
            Some(last) if last.len() + 1 + part.len() < width => {
                let joined = format!("{last}|{part}");
                lines.pop();
                joined
            }
            Some(_) => {
                if let Some(last) = lines.last_mut() {
                    last.push('|');
                }
                part.to_owned()
            }
            None => part.to_owned(),
        };
        lines.push(whole);
    }
    lines
        .into_iter()
        .flat_map(|line| folded(&line, width))
        .collect()
}

/// A line in pieces of a width, cut after an underscore where there is one.
fn folded(line: &str, width: usize) -> Vec<String> {
    let mut rest = line;
    let mut pieces = Vec::new();
    while rest.len() > width {
        let cut = rest[..width].rfind('_').map_or(width, |at| at + 1);
        pieces.push(rest[..cut].to_owned());
        rest = &rest[cut..];
    }
    pieces.push(rest.to_owned());
    pieces
}
