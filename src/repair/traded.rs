//! Hazards that an edited text has and does not show: folded into a finding that was there before, or behind one (reading
//! R42). A change that trades a hazard for one of those is no repair.
//!
//! Pairs of what both texts say are compared one by one, with their bytes. What a change wrote itself is judged by what is
//! shown: a barrier that it adds may be unordered with something that is reported already. But such a barrier may not
//! make a use wrong on bytes on which it was right, and may not race with another queue.

use super::edited::{back, is_within};
use super::judge::prepared;
use super::{Found, places};
use crate::analyze::names;
use crate::finding::{Edit, Source};
use crate::graph::{self, ConflictKind};
use crate::id::Extent;
use crate::order::Timeline;
use crate::pipeline::front::Prepared;
use crate::pipeline::pairs::{self, Pairs};

/// What makes a pair the same in an edited text: its kind, the places of both sides, the resource.
type Key = (ConflictKind, u32, u32, String);

/// A pair that is not covered.
struct Uncovered {
    kind: ConflictKind,
    first: u32,
    second: u32,
    resource: String,
    bytes: Option<Extent>,
}

/// Steps that writing out every pair of a text may take. A text with more is compared by what it shows.
const STEPS_MAX: u64 = 20_000;

/// Pairs of a text that are not covered; `None` if they are too many.
pub(super) struct Before(Option<Known>);

struct Known {
    pairs: Pairs<Key>,
    /// The same by second sides.
    seconds: Pairs<(u32, String)>,
}

impl Before {
    /// Of a text; none if it cannot be read.
    pub(super) fn new(source: &Source) -> Self {
        let prepared = prepared(source);
        let timeline = prepared.as_ref().map(Prepared::timeline);
        let short = timeline.filter(|timeline| pairs::most(timeline) <= STEPS_MAX);
        let Some(timeline) = short else {
            return Self(None);
        };
        let all = uncovered(&timeline);
        let key = |u: &Uncovered| (u.kind, u.first, u.second, u.resource.clone());
        let second = |u: &Uncovered| (u.second, u.resource.clone());
        Self(Some(Known {
            pairs: Pairs::new(all.iter().map(|u| (key(u), u.bytes))),
            seconds: Pairs::new(all.iter().map(|u| (second(u), u.bytes))),
        }))
    }

    /// Whether an edited text has a pair more, or more bytes of one, in the place of what it shows.
    pub(super) fn is_traded(&self, source: &Source, wrong: &[Found], layers: &[&[Edit]]) -> bool {
        let Some(before) = &self.0 else {
            return false;
        };
        // Only a conflict that is shown hides another.
        if !wrong.iter().any(|found| found.conflict.is_some()) {
            return false;
        }
        let Some(prepared) = prepared(source) else {
            return false;
        };
        uncovered(&prepared.timeline()).into_iter().any(|pair| {
            let (first, second) = (was(layers, pair.first), was(layers, pair.second));
            let is_said = |first: Was, second: Was| -> bool {
                let (Some(first), Some(second)) = (first.place, second.place) else {
                    return false;
                };
                let key = (pair.kind, first, second, pair.resource.clone());
                Pairs::new([(key, pair.bytes)]).is_subset(&before.pairs)
            };
            match second.place {
                _ if pair.kind.is_race() || !(first.is_edited || second.is_edited) => {
                    !is_said(first, second)
                }
                Some(place) if !second.is_edited => {
                    let key = (place, pair.resource);
                    !Pairs::new([(key, pair.bytes)]).is_subset(&before.seconds)
                }
                _ => false,
            }
        })
    }
}

/// What something at a place of an edited text was before.
#[derive(Copy, Clone)]
struct Was {
    /// Where it was; `None` for what is new.
    place: Option<u32>,
    /// The edits wrote it, be it in the place of something else.
    is_edited: bool,
}

fn was(layers: &[&[Edit]], place: u32) -> Was {
    let now = Was {
        place: Some(place),
        is_edited: false,
    };
    layers.iter().rev().fold(now, |it, edits| {
        let is_new = |place: u32| places(edits).iter().any(|new| is_within(*new, place));
        Was {
            place: it.place.and_then(|place| back(edits, place)),
            is_edited: it.is_edited || it.place.is_none_or(is_new),
        }
    })
}

fn uncovered(timeline: &Timeline<'_>) -> Vec<Uncovered> {
    let request = graph::Request {
        unfolded: true,
        ..graph::Request::default()
    };
    let conflicts = graph::evaluate(timeline, request).conflicts;
    let counts = conflicts.iter().filter(|c| c.kind.is_wrong());
    let pairs = counts.map(|c| Uncovered {
        kind: c.kind,
        first: names::side_span(timeline, &c.first).start,
        second: names::side_span(timeline, &c.second).start,
        resource: timeline
            .scenario
            .resource_name(c.second.resource)
            .to_owned(),
        bytes: c.bytes,
    });
    pairs.collect()
}
