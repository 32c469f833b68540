//! Edited texts: edits made, and the places of an edited text in the text before.

use super::{Found, Key};
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::narrow;
use similar::{DiffOp, TextDiff};
use std::collections::BTreeSet;

/// A text with its edits made.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut edited = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for edit in edits {
        edited.push_str(&text[from..edit.span.start as usize]);
        edited.push_str(&edit.text);
        from = edit.span.end as usize;
    }
    edited.push_str(&text[from..]);
    edited
}

/// Edits in order of place. Of two insertions at one place the first one's comes first.
pub(crate) fn in_order(edits: impl IntoIterator<Item = Edit>) -> Vec<Edit> {
    let mut edits: Vec<Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits
}

/// Where the new text of edits is in the edited text.
pub(super) fn places(edits: &[Edit]) -> Vec<Span> {
    let mut shift = 0_i64;
    let mut places = Vec::with_capacity(edits.len());
    for edit in edits {
        let length = narrow(edit.text.len());
        let start = u32::try_from(i64::from(edit.span.start) + shift).unwrap_or(0);
        let end = start.saturating_add(length);
        places.push(Span { start, end });
        shift += i64::from(length) - i64::from(edit.span.end - edit.span.start);
    }
    places
}

/// Where a place of an edited text was before. The start of a replaced entry is where that entry started.
pub(super) fn back(edits: &[Edit], place: u32) -> Option<u32> {
    let mut shift = 0_i64;
    let place = i64::from(place);
    for edit in edits {
        let length = i64::from(narrow(edit.text.len()));
        let start = i64::from(edit.span.start) + shift;
        let end = start + length;
        if place < start {
            break;
        }
        if place < end {
            let replaces = edit.span.start < edit.span.end && place == start;
            return replaces.then_some(edit.span.start);
        }
        shift += length - i64::from(edit.span.end - edit.span.start);
    }
    u32::try_from(place - shift).ok()
}

/// The text before each round of changes, with the edits that the round made.
pub(super) type Round = (Source, Vec<Edit>);

/// Where a place of the text after some rounds was in the first text. What a round replaced is where the line was that it
/// replaced, and what it inserted is where it was inserted.
pub(super) fn first_place(rounds: &[Round], place: u32) -> u32 {
    let steps = rounds.iter().rev();
    steps.fold(place, |place, (before, edits)| {
        let was = back(edits, place).unwrap_or_else(|| replaced(before, edits, place));
        was.min(narrow(before.text.trim_end().len()))
    })
}

/// Where that was in whose stead the text at a place stands.
fn replaced(before: &Source, edits: &[Edit], place: u32) -> u32 {
    let all = places(edits);
    let Some((at, edit)) = all.iter().zip(edits).find(|(at, _)| is_within(**at, place)) else {
        return place;
    };
    let (from, to) = (edit.span.start as usize, edit.span.end as usize);
    let old = &before.text[from..to];
    let line = edit
        .text
        .bytes()
        .take((place - at.start) as usize)
        .filter(|b| *b == b'\n')
        .count();
    let lines = || old.split_inclusive('\n');
    let line = line.min(lines().count().saturating_sub(1));
    edit.span.start + narrow(lines().take(line).map(str::len).sum::<usize>())
}

/// Whether a place is in a span.
pub(super) fn is_within(span: Span, place: u32) -> bool {
    span.start <= place && place < span.end
}

pub(super) fn mapped(finding: &Finding, layers: &[&[Edit]]) -> Key {
    let mut place = Some(finding.span.start);
    for edits in layers.iter().rev() {
        place = place.and_then(|place| back(edits, place));
    }
    (finding.rule.id, place, finding.resource.clone())
}

/// Where the first use of a hazard was.
pub(super) fn first_of(finding: &Finding, layers: &[&[Edit]]) -> Option<u32> {
    let mut place = Some(finding.hazard.as_ref()?.first.span.start);
    for edits in layers.iter().rev() {
        place = place.and_then(|place| back(edits, place));
    }
    place
}

pub(super) fn keys<'f>(
    found: impl IntoIterator<Item = &'f Found>,
    layers: &[&[Edit]],
) -> BTreeSet<Key> {
    let found = found.into_iter();
    found.map(|f| mapped(&f.finding, layers)).collect()
}

/// Edits that make one text of another, by lines.
pub(super) fn difference(from: &str, to: &str) -> Vec<Edit> {
    let diff = TextDiff::from_lines(from, to);
    let old: Vec<&str> = from.split_inclusive('\n').collect();
    let new: Vec<&str> = to.split_inclusive('\n').collect();
    let at = |line: usize| old[..line].iter().map(|l| l.len()).sum::<usize>();
    let mut edits = Vec::new();
    for op in diff.ops() {
        let (was, is) = (op.old_range(), op.new_range());
        if !matches!(op, DiffOp::Equal { .. }) {
            edits.push(Edit::new(
                Span::new(narrow(at(was.start)), narrow(at(was.end))),
                new[is].concat(),
            ));
        }
    }
    edits
}
