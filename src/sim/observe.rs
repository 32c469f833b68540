//! What reads do see, compared with what they should see, and how writes land.

use super::ahead::Fetched;
use super::cell::{Cell, INITIAL, VersionInfo};
use super::joined::{Joins, pieces_of};
use super::late::{Bytes, How, Writer};
use super::memory::Seen;
use super::{Engine, NONE, Part, UseAt};
use crate::api::BarrierAccess;
use crate::id::{Extent, MemoryId, NodeId, OpId, ResourceId, narrow};
use crate::program::{
    Access, AccessMode, Block, Client, ClientOp, CompressionState, Form, HwOp, HwOpKind, Runs,
};
use crate::time::Ps;
use crate::trace::{Observation, ObservationKind, Sample, WrongPart};

/// Accesses to a depth buffer by its own hardware.
const DEPTH: BarrierAccess =
    BarrierAccess::DEPTH_STENCIL_READ.union(BarrierAccess::DEPTH_STENCIL_WRITE);

/// What may be one: the queue, the resource and the access.
pub(super) type DepthTest = (u32, ResourceId, BarrierAccess);

/// Wrong reads that a run without rows keeps: the first of a repeat are those that findings name.
const OBSERVATIONS_MAX: usize = 1 << 16;

/// Among how many of the latest wrong reads those of the same use are looked for.
const OBSERVATIONS_NEAR: usize = 16;

/// Pieces of one wrong read that are kept: enough to tell every writer that it missed, but for a read of many small ones.
pub(super) const PARTS_MAX: usize = 64;

/// What is wrong with a read in one way.
struct Wrong {
    kind: ObservationKind,
    bytes: u64,
    from: Option<crate::id::CacheId>,
    /// Never empty; ascending in each block of memory.
    parts: Vec<WrongBytes>,
}

/// Some bytes of a wrong read, and the versions that it saw and should have seen.
#[derive(Copy, Clone)]
struct WrongBytes {
    extent: Extent,
    saw: u32,
    expected: u32,
}

impl Wrong {
    /// Adds some bytes; what goes on where the last left off is one piece.
    fn add(&mut self, part: WrongBytes) {
        self.bytes += part.extent.len();
        if let Some(last) = self.parts.last_mut()
            && (last.extent.memory, last.extent.end) == (part.extent.memory, part.extent.start)
            && (last.saw, last.expected) == (part.saw, part.expected)
        {
            last.extent.end = part.extent.end;
        } else if self.parts.len() < PARTS_MAX {
            self.parts.push(part);
        }
    }
}

/// Neighbouring bytes where the names differ: by the versions that they stand for.
#[derive(Default)]
struct Unlike {
    should: Runs<Cell>,
    saw: Vec<Seen>,
}

impl Unlike {
    fn add(&mut self, joins: &Joins, should: (Extent, Cell), piece: &Seen) {
        let (Extent { start, end, .. }, cell) = should;
        for member in joins.members(start, end, cell) {
            self.should.push(member);
        }
        for member in joins.members(start, end, piece.cell) {
            let seen = Seen {
                start: member.start,
                end: member.end,
                cell: member.value,
                ..*piece
            };
            // Part of a line may have got another name.
            let line = |seen: &Seen| (seen.cell, seen.from, seen.kept);
            match self.saw.last_mut() {
                Some(last) if last.end == seen.start && line(last) == line(&seen) => {
                    last.end = seen.end;
                }
                _ => self.saw.push(seen),
            }
        }
    }
}

impl Engine<'_> {
    /// Samples the reads that happen at a stage. Returns the time that they lose because barriers dropped lines.
    pub(super) fn sample(&mut self, flight: u32, task: u8) -> Ps {
        let f = &self.flights[flight as usize];
        if f.reads_at & 1 << task == 0 {
            return Ps::ZERO;
        }
        self.begin_read(flight, task);
        let f = &self.flights[flight as usize];
        let (block, op, queue) = (f.block.clone(), f.op, f.queue);
        let HwOpKind::Work(work) = &op.kind else {
            return Ps::ZERO;
        };
        let accesses = work.accesses.of(&block.accesses);
        let mut lost = Ps::ZERO;
        let expected = std::mem::take(&mut self.flights[flight as usize].expected);
        for own in expected.chunk_by(|a, b| a.index == b.index) {
            if own[0].stages & 1 << task != 0 {
                let access = &accesses[own[0].index as usize];
                let fetched = self.flights[flight as usize].ahead.take(own[0].index);
                lost += self.read(&op, queue, (&block, access, own), fetched);
            }
        }
        self.flights[flight as usize].expected = expected;
        lost
    }

    /// Reads through the caches, unless that was fetched ahead, and compares with what should be seen.
    fn read(
        &mut self,
        op: &HwOp,
        queue: u32,
        (block, access, expected): (&Block, &Access, &[Part]),
        fetched: Option<Fetched>,
    ) -> Ps {
        let path = self.path(access.path);
        let mut seen = std::mem::take(&mut self.seen);
        let mut lost = std::mem::take(&mut self.lost);
        let mut wrongs: Vec<Wrong> = Vec::new();
        let mut rest = expected;
        for extent in access.extents.of(&block.extents) {
            seen.clear();
            match access.metadata {
                _ if let Some(fetched) = &fetched => {
                    seen.extend_from_slice(fetched.of(*extent));
                }
                None => self.memory.read(path, *extent, &mut seen, &mut lost),
                Some(metadata) => {
                    let paths = (path, self.path(metadata));
                    let (resource, most) = (access.resource, access.encoding);
                    self.read_decoded(paths, *extent, resource, most, &mut seen, &mut lost);
                }
            }
            let count = rest
                .iter()
                .take_while(|p| p.extent.memory == extent.memory && p.extent.end <= extent.end)
                .count();
            self.trace.visits += (count + seen.len()) as u64;
            self.compare(op, queue, access, &rest[..count], &seen, &mut wrongs);
            self.keep_sample(op, *extent, &seen);
            if let Some(deeds) = &mut self.deeds {
                deeds.read(self.now, (op, access, *extent), &seen, &self.versions);
            }
            rest = &rest[count..];
        }
        if fetched.is_some_and(|fetched| fetched.early) {
            for wrong in &mut wrongs {
                if matches!(wrong.kind, ObservationKind::Stale | ObservationKind::Torn) {
                    wrong.kind = ObservationKind::Early;
                }
            }
        }
        let is_undefined = |w: &Wrong| w.kind == ObservationKind::Undefined;
        if !wrongs.iter().any(is_undefined) {
            wrongs.extend(self.undefined(op, access));
        }
        for wrong in wrongs {
            self.observe(op, access, &wrong);
        }
        let mut time = Ps::ZERO;
        for refill in lost.drain(..) {
            // Misses of one read overlap: the longest counts for it, all count for their barriers' bytes.
            time = time.max(refill.time);
            // Whose lines they were is a row's business.
            let timing = self.timing_of.get(refill.op).copied();
            if let Some(timing) = timing.filter(|t| *t != NONE) {
                let misses = &mut self.exposure.of(timing).misses;
                *misses = (*misses).max(refill.time);
            }
        }
        self.seen = seen;
        self.lost = lost;
        time
    }

    /// What a read sees of contents that nobody may read, whatever is there. Once a use, however many stages read.
    fn undefined(&self, op: &HwOp, access: &Access) -> Option<Wrong> {
        let own = use_at(op, access);
        let at = self
            .watch
            .undefined
            .binary_search_by_key(&own, |r| r.at)
            .ok()?;
        let seen = |o: &Observation| {
            (o.node, o.use_node, u32::from(o.use_index)) == (own.node, own.use_node, own.use_index)
                && o.kind == ObservationKind::Undefined
        };
        let read = self.watch.undefined[at];
        let latest = self.trace.observations.iter().rev().take(OBSERVATIONS_NEAR);
        (!latest.into_iter().any(seen)).then_some(Wrong {
            kind: ObservationKind::Undefined,
            bytes: read.bytes,
            from: None,
            parts: vec![WrongBytes {
                extent: read.first,
                saw: INITIAL,
                expected: INITIAL,
            }],
        })
    }

    /// Keeps what a watched node read of the bytes that are watched.
    fn keep_sample(&mut self, op: &HwOp, extent: Extent, seen: &[Seen]) {
        let node = op.origin.node;
        let place = (node, extent.memory, extent.start);
        let is_before = |(own, bytes): &(NodeId, Extent)| (*own, bytes.memory, bytes.end) <= place;
        let first = self.watch.nodes.partition_point(is_before);
        let watched = self.watch.nodes[first..].iter();
        let watched = watched.take_while(|(own, bytes)| {
            (*own, bytes.memory) == (node, extent.memory) && bytes.start < extent.end
        });
        let from = self.trace.samples.len();
        for bytes in watched.filter_map(|(_, bytes)| bytes.intersection(extent)) {
            let at = seen.partition_point(|piece| piece.end <= bytes.start);
            for piece in seen[at..].iter().take_while(|p| p.start < bytes.end) {
                let (start, end) = (piece.start.max(bytes.start), piece.end.min(bytes.end));
                for member in self.joins.members(start, end, piece.cell) {
                    let version = member.value.version;
                    let sample = Sample {
                        node,
                        extent: extent.at(member.start, member.end),
                        saw: (version != INITIAL).then(|| self.versions[version as usize].node),
                    };
                    match self.trace.samples[from..].last_mut() {
                        Some(last) if last.goes_on_in(&sample) => last.extent.end = member.end,
                        _ => self.trace.samples.push(sample),
                    }
                }
            }
        }
    }

    /// Walks what was seen and what should have been seen side by side; both are ascending and cover the same bytes.
    fn compare(
        &self,
        op: &HwOp,
        queue: u32,
        access: &Access,
        expected: &[Part],
        seen: &[Seen],
        wrongs: &mut Vec<Wrong>,
    ) {
        let mut at = 0;
        let mut unlike = Unlike::default();
        for part in expected {
            let should = part.extent;
            while at < seen.len() && seen[at].end <= should.start {
                at += 1;
            }
            for piece in seen[at..].iter().take_while(|p| p.start < should.end) {
                let extent = should.at(should.start.max(piece.start), should.end.min(piece.end));
                if part.cell != piece.cell && self.joins.are_in(should.memory) {
                    unlike.add(&self.joins, (extent, part.cell), piece);
                    continue;
                }
                self.judge_unlike((op, queue, access), should.memory, &mut unlike, wrongs);
                self.judge((op, queue, access), (extent, part.cell), piece, wrongs);
            }
        }
        if let Some(part) = expected.first() {
            let memory = part.extent.memory;
            self.judge_unlike((op, queue, access), memory, &mut unlike, wrongs);
        }
    }

    /// Compares bytes whose names differ by what these stand for.
    fn judge_unlike(
        &self,
        by: (&HwOp, u32, &Access),
        memory: MemoryId,
        unlike: &mut Unlike,
        wrongs: &mut Vec<Wrong>,
    ) {
        if unlike.saw.is_empty() {
            return;
        }
        let Unlike { should, saw } = std::mem::take(unlike);
        let should = Vec::from(should);
        for piece in saw {
            pieces_of(&should, piece.start, piece.end, |start, end, should| {
                let extent = Extent { memory, start, end };
                self.judge(by, (extent, should), &piece, wrongs);
            });
        }
    }

    /// Adds what is wrong with some bytes, all of which should have one version and have one.
    fn judge(
        &self,
        (op, queue, access): (&HwOp, u32, &Access),
        (extent, should): (Extent, Cell),
        piece: &Seen,
        wrongs: &mut Vec<Wrong>,
    ) {
        let Some(kind) = self.fault(op, queue, access, extent, should, piece.cell) else {
            return;
        };
        let bytes = WrongBytes {
            extent,
            saw: piece.cell.version,
            expected: should.version,
        };
        match wrongs.iter_mut().find(|w| w.kind == kind) {
            Some(wrong) => wrong.add(bytes),
            None => wrongs.push(Wrong {
                kind,
                bytes: extent.len(),
                from: piece.from,
                parts: vec![bytes],
            }),
        }
    }

    /// What is wrong with some bytes, if anything. Reading R44.
    fn fault(
        &self,
        op: &HwOp,
        queue: u32,
        access: &Access,
        extent: Extent,
        should: Cell,
        saw: Cell,
    ) -> Option<ObservationKind> {
        if self.versions[should.version as usize].undefined {
            // Whatever it sees is as good: reading R57 says which reads are wrong.
            return (self.is_foreign(access, should) && self.is_wrong(op, access))
                .then_some(ObservationKind::Undefined);
        }
        let reads_raw = access.metadata.is_none();
        if reads_raw && should.version != saw.version && should.form() == Form::Absent {
            // What it should see is in the metadata, which it does not read.
            return Some(ObservationKind::Undecoded);
        }
        if should.version != saw.version {
            let expected = &self.versions[should.version as usize];
            let found = &self.versions[saw.version as usize];
            if access.independent || found.op == op.id {
                return None;
            }
            if expected.lost {
                return Some(ObservationKind::Undefined);
            }
            let own = (queue, access.resource, access.access);
            let is_in_order =
                |by: &VersionInfo| in_raster_order(own, (by.queue, by.resource, by.access));
            if (is_in_order(expected) || should.version == INITIAL)
                && (is_in_order(found) || saw.version == INITIAL)
            {
                return None;
            }
            // Atomic operations meet where they are carried out: any order is a right one.
            if access.atomic && (expected.atomic || should.version == INITIAL) && found.atomic {
                return None;
            }
            if access.atomic && expected.atomic && !expected.present {
                return None;
            }
            return Some(if saw.version > should.version || !expected.present {
                ObservationKind::Early
            } else if self.memory.holds(extent, should.version, &self.joins) {
                ObservationKind::Stale
            } else {
                ObservationKind::Torn
            });
        }
        let resources = &self.program.resources;
        if saw.version != INITIAL && self.is_foreign(access, saw) {
            return self
                .is_wrong(op, access)
                .then_some(ObservationKind::Undefined);
        }
        let initial = resources[access.resource].initial;
        // Contents that nobody has written are undefined already, whatever their metadata says.
        let unwritten = saw.version == INITIAL && initial == Some(CompressionState::Invalid);
        (!unwritten && saw.form() != Form::Plain).then_some(ObservationKind::Undecoded)
    }

    /// Whether contents are another resource's, and do not pass on as those of buffers do (reading R41).
    fn is_foreign(&self, access: &Access, cell: Cell) -> bool {
        let by = self.versions[cell.version as usize].resource;
        let is_buffer = |id: ResourceId| self.program.resources[id].is_buffer;
        by != access.resource && !(is_buffer(by) && is_buffer(access.resource))
    }

    /// Whether a use is wrong by the specification.
    fn is_wrong(&self, op: &HwOp, access: &Access) -> bool {
        self.watch.wrong.binary_search(&use_at(op, access)).is_ok()
    }

    fn observe(&mut self, op: &HwOp, access: &Access, wrong: &Wrong) {
        let node = |version: u32| -> Option<NodeId> {
            (version != INITIAL).then(|| self.versions[version as usize].node)
        };
        let parts = wrong.parts.iter().map(|part| Bytes {
            extent: part.extent,
            saw: node(part.saw),
            expected: node(part.expected),
        });
        let parts: Vec<Bytes> = parts.collect();
        let how = How {
            kind: wrong.kind,
            went_on: Ps::ZERO,
            bytes: wrong.bytes,
            from: wrong.from,
        };
        self.note_wrong(op, access, how, &parts);
    }

    /// Notes a wrong read; never without parts.
    pub(super) fn note_wrong(&mut self, op: &HwOp, access: &Access, how: How, parts: &[Bytes]) {
        let first = parts[0];
        let observation = Observation {
            node: op.origin.node,
            use_node: op.use_node(access),
            use_index: access.use_index,
            resource: access.resource,
            access: access.access,
            kind: how.kind,
            bytes: how.bytes,
            first_byte: first.extent.start,
            saw: first.saw,
            expected: first.expected,
            from: how.from,
            at: self.now,
            went_on: how.went_on,
        };
        self.trace.totals.bad_reads += 1;
        // A use that happens at several stages is reported once.
        let same = |o: &Observation| {
            o.node == observation.node
                && o.use_node == observation.use_node
                && o.use_index == observation.use_index
                && o.kind == observation.kind
        };
        let kept = &self.trace.observations;
        let recent = kept.len().saturating_sub(OBSERVATIONS_NEAR);
        let known = kept[recent..].iter().rposition(same).map(|at| recent + at);
        let has_room = self.options.rows || kept.len() < OBSERVATIONS_MAX;
        let at = known.unwrap_or(kept.len());
        if known.is_none() && has_room {
            self.trace.observations.push(observation);
        }
        if known.is_some() || has_room {
            let parts = parts.iter().map(|part| WrongPart {
                observation: narrow(at),
                extent: part.extent,
                saw: part.saw,
                expected: part.expected,
            });
            let parts: Vec<WrongPart> = parts.collect();
            self.trace.wrong_parts.extend(parts);
        }
    }

    /// Writes whose last stage has ended are there.
    pub(super) fn land(&mut self, flight: u32, at: usize) {
        let f = &self.flights[flight as usize];
        if f.writes_at & 1 << at == 0 {
            return;
        }
        let block = f.block.clone();
        let HwOpKind::Work(work) = f.op.kind else {
            return;
        };
        let accesses = work.accesses.of(&block.accesses);
        let writes = std::mem::take(&mut self.flights[flight as usize].writes);
        for part in writes.iter().filter(|part| part.stages & 1 << at != 0) {
            let access = &accesses[part.index as usize];
            let by = self.writer(flight, Some(access));
            self.overtake(&by, part.extent);
            self.land_write(access, part.extent, part.cell);
            self.note_end(by.op, access, part.extent);
        }
        self.flights[flight as usize].writes = writes;
    }

    /// Keeps that a write has ended, if that is wanted: of texels, and of metadata if all of the write is there.
    fn note_end(&mut self, op: OpId, access: &Access, extent: Extent) {
        let path = match access.metadata {
            Some(metadata) if access.clears => metadata,
            _ if self.program.is_metadata(extent.memory) => return,
            _ => access.path,
        };
        if let Some(deeds) = &mut self.deeds {
            deeds.ended(self.now, (op, access.resource), path, extent);
        }
    }

    fn land_write(&mut self, access: &Access, extent: Extent, cell: Cell) {
        let padded = !self.program.resources[access.resource].is_buffer;
        let path = if self.program.is_metadata(extent.memory) {
            match access.metadata {
                Some(path) => self.path(path),
                None => self.layout_paths().1.metadata,
            }
        } else {
            self.path(access.path)
        };
        let name = self.landing(extent, cell);
        self.memory.write(path, extent, name, padded);
        self.versions[cell.version as usize].present = true;
    }

    /// The CPU or the display reads or writes, all at once.
    pub(super) fn client(&mut self, actor: usize, block: &Block, op: &HwOp, client: &ClientOp) {
        debug_assert!(matches!(client.client, Client::Host | Client::Display));
        for access in client.accesses.of(&block.accesses) {
            match access.mode {
                AccessMode::Read => {
                    let mut expected = Vec::new();
                    for extent in access.extents.of(&block.extents) {
                        self.expect(*extent, |extent, cell| {
                            expected.push(Part {
                                index: 0,
                                stages: 0,
                                extent,
                                cell,
                            });
                        });
                    }
                    self.read(op, narrow(actor), (block, access, &expected), None);
                }
                AccessMode::Write => {
                    let version = self.new_version(op, narrow(actor), access);
                    for extent in access.extents.of(&block.extents) {
                        let mut parts = Vec::new();
                        self.issue_write(*extent, access, version, |part, cell| {
                            parts.push((part, cell));
                        });
                        let by = Writer {
                            op: op.id,
                            node: op.origin.node,
                            flight: NONE,
                            queue: narrow(actor),
                            seq: u32::MAX,
                            access: Some(access),
                        };
                        self.overtake(&by, *extent);
                        for (part, cell) in parts {
                            self.land_write(access, part, cell);
                            self.note_end(op.id, access, part);
                        }
                    }
                }
            }
        }
    }
}

fn use_at(op: &HwOp, access: &Access) -> UseAt {
    UseAt {
        node: op.origin.node,
        use_node: op.use_node(access),
        use_index: access.use_index.into(),
    }
}

/// Depth tests of one queue and resource keep raster order, whatever is between them (reading R18).
pub(super) fn in_raster_order(one: DepthTest, other: DepthTest) -> bool {
    let is_depth = |test: DepthTest| !test.2.is_empty() && DEPTH.contains(test.2);
    (one.0, one.1) == (other.0, other.1) && is_depth(one) && is_depth(other)
}
