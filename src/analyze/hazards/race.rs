//! What a run shows of a read that races with a write on another queue.
//!
//! Nothing orders the two, so the machine has no say in what the read should see: it knows only which of them it happened
//! to issue first. The text has one, because it names a first and a second (reading R42). A read after the
//! write needs it, and is early if it sees what was there before (reading R44); a read before the write is
//! wrong if it sees what the write left.

use super::Evidence;
use crate::analyze::{attribution, names};
use crate::graph::{Conflict, ConflictKind, Evaluation, Side};
use crate::id::{Extent, NodeId};
use crate::order::{SubmissionKind, Timeline};
use crate::time;
use crate::trace::{ObservationKind, Trace};
use std::collections::BTreeSet;

/// The two sides of a race, of which one reads and the other writes.
pub(super) struct Race<'c> {
    reader: &'c Side,
    writer: &'c Side,
}

/// The nodes whose reads a run must keep, so that it can be said what it shows of its races, each with the bytes that a
/// racing write touches: what a read of thousands of ranges saw elsewhere says nothing of the race. Ascending and apart.
pub(super) fn racing_readers(
    timeline: &Timeline<'_>,
    evaluation: &Evaluation,
) -> Vec<(NodeId, Extent)> {
    let mut reads: Vec<(NodeId, Extent)> = Vec::new();
    for conflict in &evaluation.conflicts {
        if let Some(race) = read_of(timeline, conflict) {
            let written = attribution::extents(timeline, race.writer);
            reads.extend(written.iter().map(|extent| (race.reader.node, *extent)));
        }
    }
    reads.sort_unstable_by_key(|(node, bytes)| (*node, bytes.memory, bytes.start));
    reads.dedup_by(|(node, bytes), (before, known)| {
        let goes_on = (*node, bytes.memory) == (*before, known.memory) && bytes.start <= known.end;
        if goes_on {
            known.end = known.end.max(bytes.end);
        }
        goes_on
    });
    reads
}

/// Settles which reads of a run are wrong: takes out those that the machine counts although the text does not (see
/// [`attribution::acquit`]), and counts those that only the text knows of.
pub fn settle(timeline: &Timeline<'_>, evaluation: &Evaluation, trace: &mut Trace) {
    attribution::acquit(timeline, evaluation, trace);
    trace.totals.bad_reads += lost(timeline, evaluation, trace);
}

/// Reads that lose a race, and that are none of [`Trace::observations`]: the machine issued the two the other way round, and
/// expected no more than that order gives.
pub fn lost(timeline: &Timeline<'_>, evaluation: &Evaluation, trace: &Trace) -> u64 {
    let observed = trace.observations.iter();
    let observed: BTreeSet<_> = observed.map(|read| (read.node, read.resource)).collect();
    let mut readers = BTreeSet::new();
    for conflict in &evaluation.conflicts {
        let Some(race) = read_of(timeline, conflict) else {
            continue;
        };
        let reader = (race.reader.node, race.reader.part);
        if !readers.contains(&reader)
            && !observed.contains(&(race.reader.node, race.reader.resource))
            && race.wrong(timeline, trace).is_some()
        {
            readers.insert(reader);
        }
    }
    readers.len() as u64
}

/// The read and the write of a conflict, if it is a race between them.
pub(super) fn read_of<'c>(timeline: &Timeline<'_>, conflict: &'c Conflict) -> Option<Race<'c>> {
    if conflict.kind != ConflictKind::RaceReadWrite {
        return None;
    }
    let (first, second) = (&conflict.first, &conflict.second);
    Some(if writes(timeline, first) {
        Race {
            reader: second,
            writer: first,
        }
    } else {
        Race {
            reader: first,
            writer: second,
        }
    })
}

impl Race<'_> {
    /// What a run shows of the race: `None` if the read saw what the text says, or the run kept no sample of it.
    pub(super) fn wrong(&self, timeline: &Timeline<'_>, trace: &Trace) -> Option<Evidence> {
        let (reader, writer) = (self.reader.node, self.writer.node);
        let written = attribution::extents(timeline, self.writer);
        let from = trace.samples.partition_point(|s| s.node < reader);
        let samples = trace.samples[from..]
            .iter()
            .take_while(|s| s.node == reader);
        let mut pieces: Vec<(Extent, Option<NodeId>)> = samples
            .flat_map(|sample| {
                let parts = written.iter().filter_map(|w| w.intersection(sample.extent));
                parts.map(|part| (part, sample.saw))
            })
            .collect();
        let is_after = reader > writer;
        pieces.retain(|(_, saw)| {
            if is_after {
                saw.is_none_or(|node| node < writer)
            } else {
                *saw == Some(writer)
            }
        });
        let saw = pieces.iter().find_map(|(_, saw)| *saw);
        let bytes = bytes(pieces.into_iter().map(|(extent, _)| extent).collect());
        let name = |node| names::named(timeline, node);
        let reader = name(reader);
        let text = if is_after {
            let saw = saw.map_or_else(|| "initial contents".to_owned(), name);
            let writer = name(writer);
            format!(
                "seen in this run: {reader} read {} of early data: it saw {saw}, not {writer}",
                time::bytes(bytes)
            )
        } else {
            let writer = name(writer);
            format!(
                "seen in this run: {reader} read {} of early data: it saw {writer}, which comes later in the text",
                time::bytes(bytes)
            )
        };
        let kind = ObservationKind::Early;
        (bytes > 0).then_some(Evidence { kind, text })
    }
}

/// Number of bytes; a read at several stages counts them once.
fn bytes(mut extents: Vec<Extent>) -> u64 {
    extents.sort_unstable_by_key(|e| (e.memory, e.start, e.end));
    let (mut sum, mut until) = (0, (None, 0));
    for extent in extents {
        if until.0 != Some(extent.memory) {
            until = (Some(extent.memory), 0);
        }
        sum += extent.end.saturating_sub(extent.start.max(until.1));
        until.1 = until.1.max(extent.end);
    }
    sum
}

fn writes(timeline: &Timeline<'_>, side: &Side) -> bool {
    if let Some(used) = names::used(timeline, side) {
        return used.writes();
    }
    let id = timeline.submission_of(side.node);
    matches!(
        timeline.submission(id).kind,
        SubmissionKind::CpuWrite { .. }
    )
}
