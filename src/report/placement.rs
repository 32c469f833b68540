//! Placed barriers: the scenario with them, and what they cost, as one JSON object.

use super::format::Output;
use super::repair::{LeftRow, left_rows};
use super::{Style, json};
use crate::finding::Source;
use crate::place::{Count, Fences, Needed, Placed, Price};
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
    written: Count,
    /// Barriers of the placed text.
    placed: Count,
    /// What both cost, on each profile that was asked for.
    prices: &'a [Price],
    /// What became of the fences; only zeros without `--fences`.
    fences: Fences,
    /// Plans that were tried on the machines.
    tries: usize,
    /// Why each barrier is there; only with `--prove`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    needed: &'a [Needed],
    /// Errors and hazards of the placed text, which no barrier mends.
    left: Vec<LeftRow<'a>>,
    /// The placed text.
    text: &'a str,
}

fn document<'a>(it: &PlacedText<'a>) -> PlacementDocument<'a> {
    let placed = it.placed;
    PlacementDocument {
        schema: 1,
        file: &it.source.name,
        written: placed.written,
        placed: placed.placed,
        prices: &placed.prices,
        fences: placed.fences,
        tries: placed.tries,
        needed: &placed.needed,
        left: left_rows(&placed.source, &placed.left),
        text: &placed.source.text,
    }
}
