//! What memory holds, as far as somebody reads it: ends of writes, reads with the version that they find, and layout operations.

use super::order::Drafts;
use super::versions::Versions;
use super::work::Told;
use super::{Beat, BeatKind, Found, Given, Read, Wrong};
use crate::hardware::WritePolicy;
use crate::id::{CacheId, Extent, MemoryId, NodeId, OpId, PathId, ResourceId, narrow};
use crate::lookup::{LookupMap, LookupSet};
use crate::program::{HwOpKind, StepKind};
use crate::time::Ps;
use crate::trace::contents::{
    Contents, ContentsChange, Held, HeldRun, ReadFound, WriteEnded, Writer,
};
use crate::trace::{Observation, ObservationKind, Reason};
use smallvec::SmallVec;

/// The beat at which each write ended.
pub(super) type Ends = LookupMap<Writer, usize>;

/// Adds ends of writes and reads; the beats at which writes ended.
pub(super) fn tell(
    given: Given<'_>,
    versions: &Versions,
    told: &Told,
    drafts: &mut Drafts,
) -> Ends {
    let ends = writes(given, told, drafts);
    reads(given, versions, told, &ends, drafts);
    ends
}

/// The first place in which a write is kept: the write-back cache nearest to it, or memory.
fn landing(given: Given<'_>, path: PathId) -> Option<CacheId> {
    let path = given.profile.path(path).iter().copied();
    let mut kept = path.filter(|id| given.profile.cache(*id).policy == WritePolicy::WriteBack);
    kept.next()
}

/// Ends of writes: one beat for each command and resource.
fn writes(given: Given<'_>, told: &Told, drafts: &mut Drafts) -> Ends {
    let mut ends = Ends::default();
    let mut known = Now::new(given.contents);
    let is_one =
        |a: &WriteEnded, b: &WriteEnded| (a.at, a.op, a.resource) == (b.at, b.op, b.resource);
    for pieces in given.contents.writes.chunk_by(is_one) {
        let WriteEnded {
            at,
            op,
            resource,
            path,
            ..
        } = pieces[0];
        let node = given.program.op(op).origin.node;
        let writer = Writer { node, resource };
        if ends.contains_key(&writer) {
            continue;
        }
        known.go_to(at);
        let kind = BeatKind::WriteEnds {
            resource,
            place: landing(given, path),
            parts: parts(given, &known, pieces, writer),
            is_fast: given.program.is_metadata(pieces[0].extent.memory),
        };
        let before = told.started(op, at);
        let beat = drafts.add(at, kind, (Some(op), node), before);
        ends.insert(writer, beat);
    }
    ends
}

/// The places that have parts of a write, where none has all of it.
fn parts(
    given: Given<'_>,
    known: &Now<'_>,
    pieces: &[WriteEnded],
    writer: Writer,
) -> SmallVec<[u32; 3]> {
    let places = given.contents.places.iter().zip(0..);
    let mut parts = SmallVec::new();
    for (holder, place) in places {
        let is_kept =
            |held: Held| held.whose() == Some(writer) && (held.dirty || holder.cache.is_none());
        let (mut all, mut own) = (0, 0);
        for Extent { memory, start, end } in pieces.iter().map(|piece| piece.extent) {
            all += end - start;
            let runs = known.runs(place, memory);
            let first = runs.partition_point(|run| run.end <= start);
            let within = runs[first..].iter().take_while(|run| run.start < end);
            let within = within.filter(|run| is_kept(run.held));
            own += within
                .map(|run| run.end.min(end) - run.start.max(start))
                .sum::<u64>();
        }
        if own == all {
            return SmallVec::new();
        }
        if own > 0 {
            parts.push(place);
        }
    }
    parts
}

/// What places hold at a time.
struct Now<'c> {
    known: LookupMap<(u32, MemoryId), &'c [HeldRun]>,
    later: &'c [ContentsChange],
}

impl<'c> Now<'c> {
    fn new(contents: &'c Contents) -> Self {
        Self {
            known: LookupMap::default(),
            later: &contents.moments,
        }
    }

    /// Goes on to what is held after all that happens up to a time.
    fn go_to(&mut self, at: Ps) {
        let now = self.later.partition_point(|change| change.at <= at);
        let (done, later) = self.later.split_at(now);
        for block in done.iter().flat_map(|change| &change.blocks) {
            self.known.insert((block.place, block.memory), &block.runs);
        }
        self.later = later;
    }

    fn runs(&self, place: u32, memory: MemoryId) -> &'c [HeldRun] {
        self.known.get(&(place, memory)).copied().unwrap_or(&[])
    }
}

/// A read as it is told: what it found at one time.
struct Reading {
    at: Ps,
    op: OpId,
    node: NodeId,
    read: Read,
}

/// Reads of what somebody writes, and every wrong read. A use that happens at several stages is told once, unless a later
/// stage finds something else.
fn reads(given: Given<'_>, versions: &Versions, told: &Told, ends: &Ends, drafts: &mut Drafts) {
    let mut all = right_reads(given, versions);
    let mut op_of: LookupMap<NodeId, OpId> = LookupMap::default();
    for read in &given.contents.reads {
        op_of.insert(given.program.op(read.op).origin.node, read.op);
    }
    let first = first_bytes(given);
    for (index, o) in given.trace.observations.iter().enumerate() {
        let op = op_of.get(&o.node).copied();
        let op = op.or_else(|| packet_of(given, o.node));
        let bytes = first.get(&narrow(index)).copied();
        all.extend(op.map(|op| wrong_read(given, versions, (index, o, bytes), op)));
    }
    all.sort_by_key(|r| (r.at, r.op, r.read.wrong.as_ref().map(|w| w.observation)));
    whereabouts(given, (ends, &first), &mut all, drafts);
    for Reading { at, op, node, read } in all {
        let writers = read.found.iter().filter_map(|f| f.writer);
        let written: SmallVec<[usize; 2]> = writers
            .filter(|writer| writer.node != node)
            .filter_map(|writer| ends.get(&writer).copied())
            .collect();
        let causes = told.started(op, at).into_iter().chain(written);
        let kind = BeatKind::Reads(Box::new(read));
        drafts.add(at, kind, (Some(op), node), causes);
    }
}

/// By use, whose writes it found that it should not have found.
type Misread = LookupMap<(NodeId, NodeId, u16), SmallVec<[Option<NodeId>; 1]>>;

fn misread(given: Given<'_>) -> Misread {
    let mut all = Misread::default();
    let stays = |kind| matches!(kind, ObservationKind::Stale | ObservationKind::Early);
    for o in given.trace.observations.iter().filter(|o| stays(o.kind)) {
        let own = all.entry((o.node, o.use_node, o.use_index)).or_default();
        own.push(o.saw);
    }
    all
}

/// Reads of what somebody writes, but for those that are wrong.
fn right_reads(given: Given<'_>, versions: &Versions) -> Vec<Reading> {
    let wrong = given.trace.observations.iter();
    let wrong: LookupSet<_> = wrong
        .map(|o| (o.node, o.use_node, o.use_index, o.at))
        .collect();
    let misread = misread(given);
    let mut last: LookupMap<(OpId, NodeId, u16), SmallVec<[Found; 1]>> = LookupMap::default();
    let mut all = Vec::new();
    let same = |a: &ReadFound, b: &ReadFound| {
        (a.op, a.use_node, a.use_index, a.at) == (b.op, b.use_node, b.use_index, b.at)
    };
    for pieces in given.contents.reads.chunk_by(same) {
        let first = pieces[0];
        let node = given.program.op(first.op).origin.node;
        let found = found(pieces);
        let is_told =
            versions.is_written(first.resource) || found.iter().any(|f| f.writer.is_some());
        let own = (first.op, first.use_node, first.use_index);
        let before = last.insert(own, found.clone());
        let is_wrong = wrong.contains(&(node, first.use_node, first.use_index, first.at));
        // What is wrong at one stage is no news at the next, and not right there.
        let misread = misread.get(&(node, first.use_node, first.use_index));
        let is_known = misread.is_some_and(|wrong| {
            let mut writers = found.iter().map(|f| f.writer.map(|w| w.node));
            writers.all(|writer| wrong.contains(&writer))
        });
        if is_wrong || !is_told || is_known || before.as_ref() == Some(&found) {
            continue;
        }
        all.push(Reading {
            at: first.at,
            op: first.op,
            node,
            read: Read {
                resource: first.resource,
                found,
                wrong: None,
            },
        });
    }
    all
}

/// The packet of a command that read nothing as far as reads are known.
fn packet_of(given: Given<'_>, node: NodeId) -> Option<OpId> {
    let submission = given.timeline.submission_of(node);
    let block = &given.program.blocks[submission];
    let own = block.ops.iter().filter(|op| op.origin.node == node);
    let reads = |kind: &HwOpKind| matches!(kind, HwOpKind::Work(_) | HwOpKind::Client(_));
    let mut own = own.filter(|op| reads(&op.kind));
    own.next().map(|op| op.id)
}

/// The different versions of a read, each once.
fn found(pieces: &[ReadFound]) -> SmallVec<[Found; 1]> {
    let mut all: SmallVec<[Found; 1]> = SmallVec::new();
    for piece in pieces {
        let found = Found {
            writer: piece.writer,
            from: piece.from,
        };
        if !all.contains(&found) {
            all.push(found);
        }
    }
    all
}

/// The first bytes of each wrong read.
fn first_bytes(given: Given<'_>) -> LookupMap<u32, Extent> {
    let mut first = LookupMap::default();
    for part in &given.trace.wrong_parts {
        first.entry(part.observation).or_insert(part.extent);
    }
    first
}

fn wrong_read(
    given: Given<'_>,
    versions: &Versions,
    (index, o, bytes): (usize, &Observation, Option<Extent>),
    op: OpId,
) -> Reading {
    let program = given.program;
    let writer = |node: Option<NodeId>| versions.of_node(program, node?, (o.resource, bytes));
    let found = Found {
        writer: writer(o.saw),
        from: o.from,
    };
    Reading {
        at: o.at,
        op,
        node: o.node,
        read: Read {
            resource: o.resource,
            found: SmallVec::from_elem(found, 1),
            wrong: Some(Wrong {
                observation: index,
                expected: writer(o.expected),
                places: SmallVec::new(),
                is_unwritten: false,
            }),
        },
    }
}

/// Fills in where what wrong reads should have found is when they read. Readings are in order of time.
fn whereabouts(
    given: Given<'_>,
    (ends, first): (&Ends, &LookupMap<u32, Extent>),
    all: &mut [Reading],
    drafts: &Drafts,
) {
    let trace = given.trace;
    let mut known = Now::new(given.contents);
    for reading in all {
        let at = reading.at;
        known.go_to(at);
        let Some(wrong) = &mut reading.read.wrong else {
            continue;
        };
        let kind = trace.observations[wrong.observation].kind;
        let is_later = |end: &usize| drafts.at(*end) > at;
        wrong.is_unwritten = wrong.expected.is_some_and(|w| match ends.get(&w) {
            Some(end) => is_later(end),
            // A barrier that gave contents up.
            None => trace.command(w.node).end > at,
        });
        let Some(bytes) = first.get(&narrow(wrong.observation)) else {
            continue;
        };
        if matches!(
            kind,
            ObservationKind::Undefined | ObservationKind::Undecoded
        ) {
            continue;
        }
        for place in 0..narrow(given.contents.places.len()) {
            let is_it = |held: Held| held.whose() == wrong.expected;
            let texels = held_at(known.runs(place, bytes.memory), bytes.start);
            let metadata = given.program.metadata_of(*bytes);
            let clear = metadata.and_then(|m| held_at(known.runs(place, m.memory), m.start));
            let is_there =
                texels.is_some_and(is_it) || clear.is_some_and(|h| h.is_clear() && is_it(h));
            if is_there && wrong.expected.is_some() {
                wrong.places.push(place);
            }
        }
    }
}

fn held_at(runs: &[HeldRun], byte: u64) -> Option<Held> {
    let at = runs.partition_point(|run| run.end <= byte);
    let run = runs.get(at).filter(|run| run.start <= byte);
    run.map(|run| run.held)
}

/// Layout operations on what somebody reads later.
pub(super) fn rewrites(given: Given<'_>, told: &Told, drafts: &mut Drafts) {
    let mut last: LookupMap<ResourceId, Ps> = LookupMap::default();
    for read in &given.contents.reads {
        last.insert(read.resource, read.at);
    }
    for (block, op) in given.program.ops() {
        let HwOpKind::Barrier(barrier) = &op.kind else {
            continue;
        };
        let mut steps = barrier.steps.of(&block.steps).iter();
        for (_, span) in given.trace.spans(op.id) {
            let Reason::Layout(resource) = span.reason else {
                continue;
            };
            let operation = steps.find_map(|step| match step.kind {
                StepKind::Layout {
                    op, resource: of, ..
                } if of == resource => Some(given.profile.layout_op(op).name.as_str()),
                _ => None,
            });
            if last.get(&resource).is_none_or(|at| *at < span.end) {
                continue;
            }
            let kind = BeatKind::Rewritten {
                resource,
                operation: operation.unwrap_or("layout").into(),
            };
            let whose = (Some(op.id), op.origin.node);
            let beat = drafts.add(span.end, kind, whose, []);
            if let Some(over) = told.over(op.id) {
                drafts.add_cause(over, beat);
            }
        }
    }
}

/// Notes up to which change of memory each beat has seen: what is earlier, and of what happens at once, what its own packet
/// did, or did up to the last beat of that time. So nothing shows before it is told; the end of a write shows no other write.
pub(super) fn count_moments(contents: &Contents, beats: &mut [Beat]) {
    let mut before = 0;
    for group in beats.chunk_by_mut(|a, b| a.at == b.at) {
        let at = group[0].at;
        while contents.moments.get(before).is_some_and(|m| m.at < at) {
            before += 1;
        }
        let mut after = before;
        while contents.moments.get(after).is_some_and(|m| m.at == at) {
            after += 1;
        }
        let mut seen = before;
        let last = group.len() - 1;
        for (index, beat) in group.iter_mut().enumerate() {
            let acts = matches!(
                beat.kind,
                BeatKind::Reads(_)
                    | BeatKind::WriteEnds { .. }
                    | BeatKind::Cleaned(_)
                    | BeatKind::Dropped(_)
                    | BeatKind::Rewritten { .. }
            );
            while acts && seen < after && is_told(&contents.moments[seen], beat) {
                seen += 1;
            }
            if index == last {
                seen = after;
            }
            beat.moments = narrow(seen);
        }
        before = after;
    }
}

/// Whether a beat tells a change of its time, if it acts at all.
fn is_told(change: &ContentsChange, beat: &Beat) -> bool {
    let is_own = change.op.is_none_or(|op| Some(op) == beat.op);
    let is_other_write = match beat.kind {
        BeatKind::WriteEnds { resource, .. } => change.ends.is_some_and(|ends| ends != resource),
        _ => false,
    };
    is_own && !is_other_write
}
