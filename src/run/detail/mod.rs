//! What a page shows beyond a report's rows: every packet with its waits and causes, the dependency graph, what memory
//! held, what barriers would cost if they went, and the same scenario on the other profiles.
//!
//! Everything is decided here, with what a page has room for; a format only writes it down. What does not fit is left out,
//! and [`Detail::left_out`] says so, with the command that shows it. Words are kept once, in [`Detail::words`].

mod copies;
mod events;
mod layouts;
mod memory;
mod others;
mod packets;
mod resources;

pub use copies::{
    ChangedPacket, CopyRows, CopyTimeline, ExtraPacket, FoundRow, HazardMark, ReadRow, SeenRow,
    WithoutRows, WrongRow,
};
pub use events::{AskOfPage, EventRow};
pub use layouts::LayoutRow;
pub use memory::{BlockRow, ContentsRows, MomentRow, PlaceRow, RunRow};
pub use others::{
    EdgeColumns, GraphRows, HazardOn, LaneRow, LaneSegment, NodeColumns, Others, ProfileLanes,
    WhatIfColumns,
};
pub use packets::{ArrowRow, PacketColumns, SpanRow, StageRow};
pub use resources::{BlockOfMemory, ResourceRow, SubresourceRow};

use super::rows::Rows;
use super::steps::Diagram;
use super::{Options, Registry, Report, stalls};
use crate::time::Ps;
use crate::trace::Contents;
use indexmap::IndexSet;
use serde::Serialize;

/// Packets of which a page has the spans, stages and causes.
pub const SPANS_MAX: u32 = 10_000;
/// Packets that a page has at all.
pub const PACKETS_MAX: usize = 200_000;
/// Runs of bytes that a page has of what memory held.
pub const RUNS_MAX: usize = 40_000;
/// Packets up to which the scenario is run again: without each barrier, and on other profiles.
pub const AGAIN_MAX: u32 = 10_000;
/// Barriers of the text up to which each is left out once.
pub const WHAT_IFS_MAX: usize = 150;
/// Nodes and edges of a graph that a page draws.
pub const NODES_MAX: usize = 1_500;
/// Edges of a graph that a page draws.
pub const EDGES_MAX: usize = 12_000;
/// Events that a page steps through.
pub const EVENTS_MAX: usize = 5_000;
/// Findings, barriers, commands and parts of critical paths in a page: each.
pub const ROWS_MAX: usize = 2_000;

/// What a page shows beyond a report's rows.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Detail {
    /// Words that other rows refer to by number; the first is empty.
    pub words: Vec<String>,
    /// Queues in order of declaration, then the CPU.
    pub tracks: Vec<u32>,
    /// Packets in the order of the program, a column each.
    pub packets: PacketColumns,
    /// From signals to waits.
    pub arrows: Vec<ArrowRow>,
    /// Times in which nothing ran on any queue because of barriers, together what the report says is exposed: start and end,
    /// in picoseconds.
    pub exposed: Vec<(u64, u64)>,
    /// Blocks of memory.
    pub memory: Vec<BlockOfMemory>,
    /// Textures and buffers.
    pub resources: Vec<ResourceRow>,
    /// D3D12 layouts of textures, change by change.
    pub layouts: Vec<LayoutRow>,
    /// What memory and caches held.
    pub contents: ContentsRows,
    /// What happened, one after the other.
    pub events: Vec<EventRow>,
    /// The machine as a diagram; [`EventRow::scene`] says what happens in it.
    pub diagram: Diagram,
    /// The dependency graph; `None` if it is too large.
    pub graph: Option<GraphRows>,
    /// What the run takes without each barrier of the text.
    pub what_ifs: Vec<WhatIfColumns>,
    /// The scenario on every built-in profile.
    pub others: Option<Others>,
    /// The run without each barrier of the text.
    pub without: WithoutRows,
    /// What is not in the page, a sentence each, with where it can be had.
    pub left_out: Vec<String>,
}

/// Words, each kept once.
#[derive(Default)]
struct Words {
    known: IndexSet<String>,
}

impl Words {
    fn new() -> Self {
        let mut words = Self::default();
        words.number("");
        words
    }

    fn number(&mut self, word: &str) -> u32 {
        let at = match self.known.get_index_of(word) {
            Some(at) => at,
            None => self.known.insert_full(word.to_owned()).0,
        };
        crate::id::narrow(at)
    }

    /// Those of details that are made.
    fn of(words: Vec<String>) -> Self {
        Self {
            known: words.into_iter().collect(),
        }
    }

    /// For details that are made.
    fn all(self) -> Vec<String> {
        self.known.into_iter().collect()
    }
}

/// What is needed for details: what the rows are made of, and what a run is made of.
#[derive(Copy, Clone)]
pub(super) struct Given<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) registry: &'a Registry,
    pub(super) options: &'a Options,
    /// What memory and caches held.
    pub(super) contents: &'a Contents,
    /// The run without each barrier is added: what it takes is known from there.
    pub(super) has_copies: bool,
}

/// Only what a timeline shows of a run.
pub(super) fn timeline(given: Given<'_>, report: &Report) -> Detail {
    let numbered = packets::Numbered::new(&given.rows.ran.program, PACKETS_MAX);
    let mut words = Words::new();
    let mut made = drawn(given, report, &numbered, &mut words);
    made.words = words.all();
    made
}

/// The details of a report.
pub(super) fn detail(given: Given<'_>, report: &Report) -> Detail {
    let Given { rows, .. } = given;
    let program = &rows.ran.program;
    let mut words = Words::new();
    let numbered = packets::Numbered::new(program, PACKETS_MAX);
    let mut made = drawn(given, report, &numbered, &mut words);
    made.memory = resources::blocks(rows.timeline, &mut words);
    made.resources = resources::resources(rows.source, rows.timeline, &mut words);
    made.layouts = layouts::layouts(rows.timeline, &rows.ran.paid, &mut words);
    made.contents = memory::contents(&namer(rows), given.contents, &numbered, &mut words);
    if let Some(steps) = &report.steps {
        made.diagram = Diagram {
            scenes: Vec::new(),
            ..steps.diagram.clone()
        };
        made.events = events::events(steps, &numbered, (&made.packets.id, &mut words));
        let left_out = steps.left_out.iter();
        made.left_out
            .extend(left_out.map(|what| format!("steps: {what}")));
    }
    others::fill(given, &mut made, &mut words);
    made.left_out.extend(left_out(program.ops, report, &made));
    made.words = words.all();
    made
}

/// The packets of a run, and what is drawn between and below them.
fn drawn(
    given: Given<'_>,
    report: &Report,
    numbered: &packets::Numbered,
    words: &mut Words,
) -> Detail {
    let rows = given.rows;
    let mut made = Detail {
        tracks: packets::tracks(rows.timeline, words),
        ..Detail::default()
    };
    made.packets = packets::columns(&namer(rows), &rows.ran.paid, numbered, words);
    made.packets
        .open(&report.stuck, report.drawn_until(), words);
    made.arrows = packets::arrows(rows.timeline, &rows.ran.program, numbered, words);
    made.exposed = packets::exposed(&rows.ran.paid);
    made
}

fn namer(rows: Rows<'_>) -> stalls::Namer<'_, '_> {
    stalls::Namer {
        source: rows.source,
        timeline: rows.timeline,
        profile: rows.machine.profile,
        program: &rows.ran.program,
    }
}

/// What does not fit, and where it can be had.
fn left_out(ops: u32, report: &Report, made: &Detail) -> Vec<String> {
    let mut all = Vec::new();
    let listed = [
        ("findings", report.findings.len()),
        ("barriers", report.barriers.len()),
        ("commands", report.commands.len()),
    ];
    for (what, count) in listed {
        if count > ROWS_MAX {
            all.push(format!(
                "the first {ROWS_MAX} of {count} {what} are listed; `run --format json --parts {what}` has all"
            ));
        }
    }
    if ops > SPANS_MAX {
        all.push(format!(
            "commands and barriers are drawn whole: waits, stages and causes are in pages of up to {SPANS_MAX} packets, and this run has {ops}"
        ));
    }
    if ops as usize > PACKETS_MAX {
        all.push(format!(
            "the timeline shows the first {PACKETS_MAX} of {ops} packets; `run --format json --parts commands` has all commands"
        ));
    }
    if made.contents.is_cut {
        all.push(
            "what caches and memory held is recorded up to the moment at which the page was full"
                .into(),
        );
    }
    if made.events.len() == EVENTS_MAX {
        all.push(format!(
            "only the first {EVENTS_MAX} events can be stepped through"
        ));
    }
    all
}

/// Picoseconds as a number.
fn ps(time: Ps) -> u64 {
    time.0
}
