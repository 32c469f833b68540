//! What a page steps through: the beats of the run, with packets by row and words by number.

use super::packets::Numbered;
use super::{EVENTS_MAX, Words, ps};
use crate::lookup::LookupMap;
use crate::run::steps::{Ask, BeatRow, SceneRow, Steps};
use serde::Serialize;

/// A beat.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct EventRow {
    /// Time in picoseconds.
    pub at: u64,
    /// The packet, or -1.
    pub row: i64,
    /// What kind of beat it is, a word.
    pub kind: u32,
    /// The sentence, a word.
    pub says: u32,
    /// Line of the text that it is about.
    pub line: u32,
    /// What is asked before it is told; none if its answer is plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskOfPage>,
    /// The last of [`super::ContentsRows::moments`] that has happened by then, or -1.
    pub moment: i64,
    /// The finding, of a hazard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<usize>,
    /// What it changes in [`super::Detail::diagram`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<SceneRow>,
}

/// A question (a word), its choices (words), which of them is true, and why (a word; empty if the beat says it).
pub type AskOfPage = (u32, Vec<u32>, usize, u32);

pub(super) fn events(
    steps: &Steps,
    numbered: &Numbered,
    (ids, words): (&[String], &mut Words),
) -> Vec<EventRow> {
    let mut rows: LookupMap<&str, i64> = LookupMap::default();
    for (id, row) in ids.iter().zip(0..) {
        rows.entry(id).or_insert(row);
    }
    let row_of = |beat: &BeatRow| match beat.op {
        Some(op) => numbered.row(op),
        None if beat.kind == "submitted" => -1,
        None => rows.get(beat.id.as_str()).copied().unwrap_or(-1),
    };
    let beats = steps.beats.iter().zip(&steps.diagram.scenes);
    let beats = beats.take(EVENTS_MAX).map(|(beat, scene)| EventRow {
        scene: scene.is_seen().then(|| scene.clone()),
        at: ps(beat.at),
        row: row_of(beat),
        kind: words.number(beat.kind),
        says: words.number(&beat.says),
        line: beat.line,
        ask: beat.ask.as_ref().map(|ask| question(ask, words)),
        moment: i64::from(beat.moments) - 1,
        finding: beat.finding,
    });
    beats.collect()
}

fn question(ask: &Ask, words: &mut Words) -> AskOfPage {
    let choices = ask.choices.iter().map(|choice| words.number(choice));
    let choices = choices.collect();
    (
        words.number(&ask.question),
        choices,
        ask.answer,
        words.number(&ask.because),
    )
}
