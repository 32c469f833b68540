//! Placed barriers: the scenario with them, and what they cost, as one JSON object.

use super::format::Output;
use super::repair::{LeftRow, left_rows};
use super::{Style, json};
use crate::finding::Source;
use crate::place::{Count, Placed};
use crate::schema::schema;
use serde::Serialize;
use std::io::{self, Write};

/// How placed barriers are written.
pub(crate) type WritePlaced = fn(&PlacedText<'_>, &Style, &mut dyn Write) -> io::Result<()>;

/// A scenario, and the same with its barriers placed.
pub(crate) struct PlacedText<'a> {
    /// The text as it was.
    pub(crate) source: &'a Source,
    /// What became of it.
    pub(crate) placed: &'a Placed,
}

/// A scenario with its barriers placed: `place`.
pub(crate) const PLACEMENT: Output<WritePlaced> = Output {
    name: "placement",
    noun: "a placement",
    writers: &[
        ("scn", |it, _, out| {
            out.write_all(it.placed.source.text.as_bytes())
        }),
        ("json", |it, _, out| json::indented(&document(it), out)),
    ],
    schema: Some(schema!(
        written PlacementDocument<'static>, "placement", "The output of `place --format json`"
    )),
};

/// The text with its barriers placed, and what they cost.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PlacementDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// The scenario's file.
    file: &'a str,
    /// Barriers of the text as it was.
    written: CountRow,
    /// Barriers of the placed text.
    placed: CountRow,
    /// What both cost, on each profile that was asked for.
    prices: Vec<PriceRow<'a>>,
    /// What became of the fences; only zeros without `--fences`.
    fences: FencesRow,
    /// Plans that were tried on the machines.
    tries: usize,
    /// Why each barrier is there; only with `--prove`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    needed: Vec<NeededRow<'a>>,
    /// Errors and hazards of the placed text, which no barrier mends.
    left: Vec<LeftRow<'a>>,
    /// The placed text.
    text: &'a str,
}

/// Barriers of a text.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CountRow {
    /// Barrier calls.
    calls: usize,
    /// Entries of these calls.
    entries: usize,
    /// Whether the text has no error of barriers and no hazard.
    clean: bool,
}

/// What became of fences.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FencesRow {
    /// Signals and waits that lacked.
    added: usize,
    /// Waits of queues that nothing needed.
    dropped: usize,
    /// Waits of queues that come later than they did.
    later: usize,
}

/// What barriers cost on a profile. A time is null if the run is longer than the machine's clock counts.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PriceRow<'a> {
    /// Name of the profile.
    profile: &'a str,
    /// Makespan of the text as it was.
    written_ps: Option<u64>,
    /// Makespan of the placed text.
    placed_ps: Option<u64>,
    /// Makespan without any barrier, in which work that must come after other work may run next to it.
    unbarred_ps: Option<u64>,
    /// What no barriers can go below: the longest chain of work that is needed, or all work of a part of the machine. Null of a
    /// run with a GPU timeout.
    bound_ps: Option<u64>,
}

/// Why a barrier is there.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NeededRow<'a> {
    /// Line of the placed text, counted from 1.
    line: u32,
    /// The entry.
    barrier: &'a str,
    /// Id of a rule that the text breaks without it; null if the text is clean without it.
    without: Option<&'a str>,
    /// The line on which it breaks that rule.
    without_line: Option<u32>,
    /// Bits in its masks, of masks with more than one.
    bits: usize,
    /// Those that may go, one at a time.
    spare: &'a [String],
}

fn document<'a>(it: &PlacedText<'a>) -> PlacementDocument<'a> {
    let placed = it.placed;
    let count = |count: Count| CountRow {
        calls: count.calls,
        entries: count.entries,
        clean: count.is_clean,
    };
    let prices = placed.prices.iter().map(|price| PriceRow {
        profile: &price.profile,
        written_ps: price.written.map(|it| it.0),
        placed_ps: price.placed.map(|it| it.0),
        unbarred_ps: price.unbarred.map(|it| it.0),
        bound_ps: price.bound.map(|it| it.0),
    });
    let needed = placed.needed.iter().map(|it| NeededRow {
        line: it.line,
        barrier: &it.barrier,
        without: it.without.map(|it| it.0),
        without_line: it.without.map(|it| it.1),
        bits: it.bits,
        spare: &it.spare,
    });
    PlacementDocument {
        schema: 1,
        file: &it.source.name,
        written: count(placed.written),
        placed: count(placed.placed),
        prices: prices.collect(),
        fences: FencesRow {
            added: placed.fences.added,
            dropped: placed.fences.dropped,
            later: placed.fences.later,
        },
        tries: placed.tries,
        needed: needed.collect(),
        left: left_rows(&placed.source, &placed.left),
        text: &placed.source.text,
    }
}
