//! Mistakes of the barrier before the one that is told of: it acted on too little or too much, or names other stages or accesses than the
//! uses between the two. The later one is right then, and stays (reading R73).

use super::ranges::{self, with_range};
use super::{Candidate, legacy, linked, written};
use crate::api::{BarrierAccess, BarrierSync, LeafSet};
use crate::finding::{Finding, Source};
use crate::id::ResourceId;
use crate::order::{Of, Timeline, Touch};
use crate::pipeline::front::Prepared;
use crate::scenario::edit;
use crate::scenario::{Barrier, Scenario, TextureShape, geometry};

/// The barrier before the one at which a finding is, with the range of both, with what the uses between them need, or on
/// less than it acts on.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Vec<Candidate> {
    let rule = finding.rule.id;
    if !matches!(rule, "EB026" | "EB027" | "EB028" | "LB004") {
        return Vec::new();
    }
    let (timeline, written) = (prepared.timeline(), prepared.written());
    let Some(id) = super::resource_of(written, finding) else {
        return Vec::new();
    };
    let entries: Vec<Touch<'_>> = timeline.touches(Of::Entries(Some(id)), ..).collect();
    let at = entries.iter().position(|touch| {
        let barrier = touch.entry().map(|(_, barrier)| barrier);
        barrier.is_some_and(|barrier| barrier.span.start == finding.span.start)
    });
    let mut candidates = Vec::from_iter(left_otherwise(source, written, finding, &entries));
    let pair = at.and_then(|at| Some((entries.get(at.checked_sub(1)?)?, &entries[at])));
    let Some((before, own)) = pair else {
        return candidates;
    };
    let other = other_fields(written, &timeline, rule, id, before, own);
    let other = other.into_iter().flat_map(|(old, new)| {
        let new = new.into_iter().filter(move |new| new != old);
        new.map(move |new| written::writes(source, written, old, &new))
    });
    candidates.extend(other);
    candidates.extend(on_less(source, prepared, &timeline, id, before, own));
    candidates
}

/// What another execution left, the frame before for one: the barrier that left it leaves what this one expects.
fn left_otherwise(
    source: &Source,
    written: &Scenario,
    finding: &Finding,
    entries: &[Touch<'_>],
) -> Option<Candidate> {
    let barriers: Vec<&Barrier> = entries
        .iter()
        .filter_map(|it| Some(it.entry()?.1))
        .collect();
    let is_own = |at: &usize| barriers[*at].span.start == finding.span.start;
    let before = (0..barriers.len()).filter(is_own).find_map(|at| {
        let part = |barrier: &Barrier| geometry::part_of_barrier(written, barrier);
        let own = part(barriers[at]);
        let mut earlier = barriers[..at].iter().rev();
        let before = earlier.find(|barrier| !geometry::are_apart(own, part(barrier)))?;
        let (wanted, _) = barriers[at].transition()?;
        let (_, left) = before.transition()?;
        (left != wanted).then_some(*before)
    })?;
    let entry = |barrier: &Barrier| super::entry_at(written, barrier.span);
    linked::linked(
        source,
        written,
        entry(before)?,
        super::entry_at(written, finding.span)?,
    )
}

/// The earlier barrier as it is, and with other fields, the likeliest first.
fn other_fields<'s>(
    written: &'s Scenario,
    timeline: &Timeline<'_>,
    rule: &str,
    id: ResourceId,
    before: &Touch<'_>,
    own: &Touch<'_>,
) -> Option<(&'s Barrier, Vec<Barrier>)> {
    let start = before.entry()?.1.span.start;
    // A legacy barrier is in the words of the text, and this would be its translation.
    let (_, old) = edit::barriers(written).find(|(_, barrier)| barrier.span.start == start)?;
    let new = match rule {
        "EB026" => {
            let shape = written.resource(id).texture()?;
            with_range_of_both(shape, old, own.entry()?.1)?
        }
        "EB027" | "EB028" => {
            let uses = timeline.touches(Of::Uses(id), before.moment..own.moment);
            let uses = uses.filter_map(|touch| touch.used());
            let (stages, accesses) = uses.fold(
                (LeafSet::EMPTY, BarrierAccess::empty()),
                |(stages, accesses), used| (stages.union(used.stages), accesses | used.access),
            );
            vec![with_what_is_used(rule, old, stages, accesses)?]
        }
        _ => return None,
    };
    Some((old, new))
}

/// The earlier barrier, and a legacy one at which the finding is, with a narrower range.
fn on_less(
    source: &Source,
    prepared: &Prepared<'_>,
    timeline: &Timeline<'_>,
    id: ResourceId,
    before: &Touch<'_>,
    own: &Touch<'_>,
) -> Vec<Candidate> {
    let written = prepared.written();
    let part = own.entry().and_then(|(_, barrier)| barrier.as_texture());
    let part = part.map(|entry| &entry.range);
    let mut candidates = Vec::new();
    for (touch, against) in [(own, None), (before, part)] {
        let Some((_, barrier)) = touch.entry() else {
            continue;
        };
        let entry = super::entry_at(written, barrier.span);
        let old = entry.and_then(|entry| entry.of(written));
        for range in ranges::narrowed(timeline, id, barrier.span, against) {
            candidates.extend(match old {
                None => legacy::with_range(source, written, barrier.span, &range),
                // Its own fields are looked at next.
                Some(_) if against.is_none() => None,
                Some(old) => {
                    let new = with_range(old, range);
                    Some(written::writes(source, written, old, &new))
                }
            });
        }
    }
    candidates
}

/// A `LayoutBefore` that is right of a part only: the barrier that set it acts on what the next one names, or on that too.
fn with_range_of_both(shape: &TextureShape, old: &Barrier, next: &Barrier) -> Option<Vec<Barrier>> {
    let (was, next) = (old.as_texture()?, next.as_texture()?);
    if next.layout_before != was.layout_after {
        return None;
    }
    let both = ranges::around_both(shape, &was.range, &next.range);
    let ranges = [Some(next.range.clone()), both].into_iter().flatten();
    Some(ranges.map(|range| with_range(old, range)).collect())
}

/// Stages, or accesses, of which none is used: those that are.
fn with_what_is_used(
    rule: &str,
    old: &Barrier,
    stages: LeafSet,
    accesses: BarrierAccess,
) -> Option<Barrier> {
    let mut new = old.clone();
    if rule == "EB028" {
        let is_other = !stages.is_empty() && !old.sync_after.leaves().meets(stages);
        if !is_other || old.sync_after.is_split() {
            return None;
        }
        new.sync_after = BarrierSync::named(stages);
    } else {
        if accesses.is_empty() || old.access_after.intersects(accesses) {
            return None;
        }
        new.access_after = accesses;
    }
    Some(new)
}
