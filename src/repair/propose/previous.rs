//! Mistakes of the barrier before the one that is told of: it acted on too little, or names other stages or accesses than the
//! uses between the two. The later one is right then, and stays (reading R73).

use super::{Candidate, ranges};
use crate::api::{BarrierAccess, BarrierSync, LeafSet};
use crate::finding::{Finding, Source};
use crate::order::{Of, Touch};
use crate::pipeline::front::Prepared;
use crate::scenario::edit;
use crate::scenario::{Barrier, BarrierTarget, TextureShape, print_barrier};

/// The barrier before the one at which a finding is, with the range of both, or with what the uses between them need.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Option<Candidate> {
    let rule = finding.rule.id;
    if !matches!(rule, "EB026" | "EB027" | "EB028") {
        return None;
    }
    let (timeline, written) = (prepared.timeline(), prepared.written());
    let id = super::resource_of(written, finding)?;
    let entries = timeline.touches(Of::Entries(Some(id)), ..);
    let entries: Vec<Touch<'_>> = entries.collect();
    let barrier = |touch: &Touch<'_>| touch.entry().map(|(_, barrier)| barrier.span.start);
    let at = entries
        .iter()
        .position(|touch| barrier(touch) == Some(finding.span.start))?;
    let (own, before) = (&entries[at], &entries[at.checked_sub(1)?]);
    let (_, old) = before.entry()?;
    // A legacy barrier is in the words of the text, and this is its translation.
    let is_enhanced =
        edit::barriers(written).any(|(_, barrier)| barrier.span.start == old.span.start);
    if !is_enhanced {
        return None;
    }
    let new = if rule == "EB026" {
        let shape = written.resource(id).texture()?;
        with_range_of_both(shape, old, own.entry()?.1)?
    } else {
        let uses = timeline.touches(Of::Uses(id), before.moment..own.moment);
        let uses = uses.filter_map(|touch| touch.used());
        let (stages, accesses) = uses.fold(
            (LeafSet::EMPTY, BarrierAccess::empty()),
            |(stages, accesses), used| (stages.union(used.stages), accesses | used.access),
        );
        with_what_is_used(rule, old, stages, accesses)?
    };
    let says = format!("write `{}`", print_barrier(written, &new));
    let edit = super::rewritten(source, written, old, &new);
    (new != *old).then(|| Candidate::new(vec![edit], says))
}

/// A `LayoutBefore` that is right of a part only: the barrier that set it acts on all that the next one names.
fn with_range_of_both(shape: &TextureShape, old: &Barrier, next: &Barrier) -> Option<Barrier> {
    let mut wide = old.clone();
    let (
        BarrierTarget::Texture {
            range,
            layout_before,
            ..
        },
        BarrierTarget::Texture {
            range: part,
            layout_after,
            ..
        },
    ) = (&next.target, &mut wide.target)
    else {
        return None;
    };
    if layout_before != layout_after {
        return None;
    }
    *part = ranges::around_both(shape, part, range).unwrap_or_else(|| range.clone());
    Some(wide)
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
