//! What accesses should see, what they do see, and what they leave.

use super::cell::{Cell, INITIAL, VersionInfo};
use super::memory::Seen;
use super::{Engine, NONE, Part, VERSIONS_MIN};
use crate::api::BarrierAccess;
use crate::id::{Extent, NodeId, ResourceId};
use crate::program::{
    Access, AccessMode, Block, Client, ClientOp, CompressionState, Form, HwOp, HwOpKind, Slice,
    Task,
};
use crate::time::Ps;
use crate::trace::{Observation, ObservationKind, Sample};

/// The stages at which a command carries a read out, a bit each. What happens at none of its stages happens at the first.
fn reading_stages(tasks: &[Task], access: &Access) -> u8 {
    let at = tasks.iter().enumerate();
    let at = at.filter(|(_, task)| access.stages.has(task.leaf));
    match at.fold(0, |all, (index, _)| all | 1 << index) {
        0 => 1,
        stages => stages,
    }
}

/// Accesses to a depth buffer by its own hardware.
const DEPTH: BarrierAccess =
    BarrierAccess::DEPTH_STENCIL_READ.union(BarrierAccess::DEPTH_STENCIL_WRITE);

/// Wrong reads that a run without rows keeps: the first of a repeat are those that findings name.
const OBSERVATIONS_MAX: usize = 1 << 16;

/// One wrong piece of a read.
struct Wrong {
    kind: ObservationKind,
    bytes: u64,
    first_byte: u64,
    saw: u32,
    expected: u32,
    from: Option<crate::id::CacheId>,
}

impl Engine<'_> {
    /// Notes what a command's reads should see, and makes its writes the latest versions.
    pub(super) fn issue_accesses(&mut self, flight: u32) {
        if self.versions.len() >= self.versions_limit {
            self.forget_versions();
        }
        let f = &mut self.flights[flight as usize];
        let (block, op, queue) = (f.block.clone(), f.op, f.queue);
        let HwOpKind::Work(work) = op.kind else {
            return;
        };
        let mut expected = std::mem::take(&mut f.expected);
        let mut writes = std::mem::take(&mut f.writes);
        let (mut reads_at, mut writes_at) = (0, 0);
        let tasks = work.tasks.of(&block.tasks);
        let accesses = work.accesses.of(&block.accesses);
        for (index, access) in accesses
            .iter()
            .enumerate()
            .filter(|(_, a)| a.mode == AccessMode::Read)
        {
            let stages = reading_stages(tasks, access);
            reads_at |= stages;
            for extent in access.extents.of(&block.extents) {
                self.expect(*extent, |extent, cell| {
                    expected.push(Part {
                        index: index as u32,
                        stages,
                        extent,
                        cell,
                    });
                });
            }
        }
        for (index, access) in accesses
            .iter()
            .enumerate()
            .filter(|(_, a)| a.mode == AccessMode::Write)
        {
            let version = self.new_version(&op, queue, access);
            let last = tasks.iter().rposition(|t| access.stages.has(t.leaf));
            let stages = 1 << last.unwrap_or(tasks.len().saturating_sub(1));
            writes_at |= stages;
            for extent in access.extents.of(&block.extents) {
                self.issue_write(*extent, access, version, |extent, cell| {
                    writes.push(Part {
                        index: index as u32,
                        stages,
                        extent,
                        cell,
                    });
                });
            }
        }
        let f = &mut self.flights[flight as usize];
        (f.expected, f.writes) = (expected, writes);
        (f.reads_at, f.writes_at) = (reads_at, writes_at);
    }

    /// Makes the writes of a command that a reset drops before it is issued the latest versions; they will never be there.
    pub(super) fn issue_lost(
        &mut self,
        queue: u32,
        block: &Block,
        op: &HwOp,
        accesses: Slice<Access>,
    ) {
        for access in accesses.of(&block.accesses) {
            if access.mode != AccessMode::Write {
                continue;
            }
            let version = self.new_version(op, queue, access);
            self.versions[version as usize].lost = true;
            for extent in access.extents.of(&block.extents) {
                self.issue_write(*extent, access, version, |_, _| {});
            }
        }
    }

    /// The latest versions of some bytes.
    pub(super) fn expect(&self, extent: Extent, mut each: impl FnMut(Extent, Cell)) {
        self.latest[extent.memory.index()].for_each_piece(
            extent.start,
            extent.end,
            |start, end, cell| {
                let cell = cell.unwrap_or(Cell::UNTOUCHED);
                each(
                    Extent {
                        start,
                        end,
                        ..extent
                    },
                    cell,
                );
            },
        );
    }

    /// Forgets the versions that nothing refers to any more. The rest keep their order; so a long run needs no more memory
    /// than what lies in memory at a time.
    fn forget_versions(&mut self) {
        let mut kept = vec![false; self.versions.len()];
        kept[INITIAL as usize] = true;
        self.for_each_version(|version| kept[*version as usize] = true);
        let mut next = 0;
        let renamed: Vec<u32> = kept
            .iter()
            .map(|kept| {
                let number = next;
                next += u32::from(*kept);
                number
            })
            .collect();
        self.for_each_version(|version| *version = renamed[*version as usize]);
        self.memory.renamed(&kept, &renamed);
        let mut kept = kept.into_iter();
        self.versions.retain(|_| kept.next() == Some(true));
        self.versions_limit = (self.versions.len() * 2).max(VERSIONS_MIN);
    }

    fn for_each_version(&mut self, mut each: impl FnMut(&mut u32)) {
        self.memory.for_each_version(&mut each);
        for latest in &mut self.latest {
            latest.rename(|cell| each(&mut cell.version));
        }
        for f in self.flights.iter_mut().filter(|f| f.queue != u32::MAX) {
            let cells = f.expected.iter_mut().chain(&mut f.writes);
            cells.for_each(|part| each(&mut part.cell.version));
        }
    }

    fn new_version(&mut self, op: &HwOp, queue: u32, access: &Access) -> u32 {
        self.versions.push(VersionInfo {
            op: op.id,
            node: op.origin.node,
            queue,
            resource: access.resource,
            access: access.access,
            atomic: access.atomic,
            undefined: access.undefined,
            lost: false,
            present: false,
        });
        let version = self.versions.len() as u32 - 1;
        if access.undefined {
            self.memory.note_undefined(version);
        }
        version
    }

    /// Makes a write the latest version of its bytes, and of what their metadata says.
    fn issue_write(
        &mut self,
        extent: Extent,
        access: &Access,
        version: u32,
        mut each: impl FnMut(Extent, Cell),
    ) {
        let has_metadata = self.program.resources[access.resource.index()]
            .initial
            .is_some();
        let form = match access.metadata {
            Some(_) if access.clears => Form::Absent,
            Some(_) if !access.undefined => Form::Packed,
            _ => Form::Plain,
        };
        let cell = Cell::texels(version, form);
        if has_metadata {
            self.issue_metadata(extent, access, version, &mut each);
        }
        self.latest[extent.memory.index()].set(extent.start, extent.end, cell);
        if form != Form::Absent {
            each(extent, cell);
        }
    }

    /// What a write makes of the metadata of its bytes (readings R25, R26): a client that ignores metadata leaves it behind
    /// wrong, one that needs metadata cannot make it right unless it writes whole subresources.
    fn issue_metadata(
        &mut self,
        extent: Extent,
        access: &Access,
        version: u32,
        each: &mut impl FnMut(Extent, Cell),
    ) {
        let Some(metadata) = self.program.metadata_of(extent) else {
            return;
        };
        let whole = match access.metadata {
            Some(_) if access.clears => Some(CompressionState::Clear),
            Some(_) if access.undefined => Some(CompressionState::PassThrough),
            Some(_) if access.initialises => Some(CompressionState::Compressed),
            _ => None,
        };
        if let Some(state) = whole {
            let cell = Cell::metadata(version, state);
            self.latest[metadata.memory.index()].set(metadata.start, metadata.end, cell);
            each(metadata, cell);
            return;
        }
        for (part, before) in self.states(extent, metadata, access.resource) {
            let (state, lands) = match access.metadata {
                Some(_) => (before.after_compressed_write(), true),
                // The driver writes metadata beside what it copies or clears whole.
                None if access.initialises => (
                    CompressionState::PassThrough,
                    before != CompressionState::PassThrough,
                ),
                None => (before.after_plain_write(), false),
            };
            let cell = Cell::metadata(version, state);
            self.latest[part.memory.index()].set(part.start, part.end, cell);
            if lands {
                each(part, cell);
            }
        }
    }

    /// What the latest metadata of some bytes says to a resource. Where another resource wrote last, the metadata, which lies in
    /// the same memory, says nothing true.
    fn states(
        &self,
        texels: Extent,
        metadata: Extent,
        resource: ResourceId,
    ) -> Vec<(Extent, CompressionState)> {
        let mut states = Vec::new();
        let is_foreign = |cell: Cell| {
            cell.version != INITIAL && self.versions[cell.version as usize].resource != resource
        };
        self.expect(texels, |part, above| {
            let part = Extent {
                memory: metadata.memory,
                ..part
            };
            self.expect(part, |part, cell| {
                let state = if is_foreign(above) {
                    CompressionState::Invalid
                } else {
                    self.state(cell, resource)
                };
                states.push((part, state));
            });
        });
        states
    }

    /// Samples the reads that happen at a stage. Returns the time that they lose because barriers dropped lines.
    pub(super) fn sample(&mut self, flight: u32, task: u8) -> Ps {
        let f = &self.flights[flight as usize];
        if f.reads_at & 1 << task == 0 {
            return Ps::ZERO;
        }
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
                lost += self.read(&op, queue, &block, access, own);
            }
        }
        self.flights[flight as usize].expected = expected;
        lost
    }

    /// Reads through the caches and compares with what should be seen.
    fn read(
        &mut self,
        op: &HwOp,
        queue: u32,
        block: &Block,
        access: &Access,
        expected: &[Part],
    ) -> Ps {
        let path = self.path(access.path);
        let mut seen = std::mem::take(&mut self.seen);
        let mut lost = std::mem::take(&mut self.lost);
        let mut wrongs: Vec<Wrong> = Vec::new();
        let mut rest = expected;
        for extent in access.extents.of(&block.extents) {
            seen.clear();
            match access.metadata {
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
            self.compare(op, queue, access, &rest[..count], &seen, &mut wrongs);
            self.keep_sample(op, *extent, &seen);
            rest = &rest[count..];
        }
        for wrong in wrongs {
            self.observe(op, access, &wrong);
        }
        let mut time = Ps::ZERO;
        for refill in lost.drain(..) {
            // Misses of one read overlap: the longest counts for it, all count for their barriers' bytes.
            time = time.max(refill.time);
            // Whose lines they were is a row's business.
            let timing = self.timing_of.get(refill.op.index()).copied();
            if let Some(timing) = timing.filter(|t| *t != NONE) {
                let misses = &mut self.exposure.of(timing).misses;
                *misses = (*misses).max(refill.time);
            }
        }
        self.seen = seen;
        self.lost = lost;
        time
    }

    /// Keeps what a watched node read.
    fn keep_sample(&mut self, op: &HwOp, extent: Extent, seen: &[Seen]) {
        let node = op.origin.node;
        if self.watched.binary_search(&node).is_err() {
            return;
        }
        for piece in seen {
            let version = piece.cell.version;
            self.trace.samples.push(Sample {
                node,
                extent: Extent {
                    start: piece.start,
                    end: piece.end,
                    ..extent
                },
                saw: (version != INITIAL).then(|| self.versions[version as usize].node),
            });
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
        for part in expected {
            let should = part.extent;
            while at < seen.len() && seen[at].end <= should.start {
                at += 1;
            }
            for piece in seen[at..].iter().take_while(|p| p.start < should.end) {
                let extent = Extent {
                    memory: should.memory,
                    start: should.start.max(piece.start),
                    end: should.end.min(piece.end),
                };
                let Some(kind) = self.judge(op, queue, access, extent, part.cell, piece.cell)
                else {
                    continue;
                };
                match wrongs.iter_mut().find(|w| w.kind == kind) {
                    Some(wrong) => wrong.bytes += extent.len(),
                    None => wrongs.push(Wrong {
                        kind,
                        bytes: extent.len(),
                        first_byte: extent.start,
                        saw: piece.cell.version,
                        expected: part.cell.version,
                        from: piece.from,
                    }),
                }
            }
        }
    }

    /// What is wrong with some bytes, if anything. Reading R44.
    fn judge(
        &self,
        op: &HwOp,
        queue: u32,
        access: &Access,
        extent: Extent,
        should: Cell,
        saw: Cell,
    ) -> Option<ObservationKind> {
        let reads_raw = access.metadata.is_none();
        if reads_raw && should.version != saw.version && should.form() == Form::Absent {
            // What it should see stands in metadata, at which it does not look.
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
            if (in_raster_order(queue, access, expected) || should.version == INITIAL)
                && (in_raster_order(queue, access, found) || saw.version == INITIAL)
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
            } else if self.memory.holds(extent, should.version) {
                ObservationKind::Stale
            } else {
                ObservationKind::Torn
            });
        }
        let info = &self.versions[saw.version as usize];
        let resources = &self.program.resources;
        if saw.version != INITIAL {
            let is_buffer = |id: ResourceId| resources[id.index()].is_buffer;
            let foreign = info.resource != access.resource;
            if info.undefined
                || foreign && !(is_buffer(info.resource) && is_buffer(access.resource))
            {
                return Some(ObservationKind::Undefined);
            }
        }
        let initial = resources[access.resource.index()].initial;
        // Contents that nobody has written are undefined already, whatever their metadata says.
        let unwritten = saw.version == INITIAL && initial == Some(CompressionState::Invalid);
        (!unwritten && saw.form() != Form::Plain).then_some(ObservationKind::Undecoded)
    }

    fn observe(&mut self, op: &HwOp, access: &Access, wrong: &Wrong) {
        let node = |version: u32| -> Option<NodeId> {
            (version != INITIAL).then(|| self.versions[version as usize].node)
        };
        let observation = Observation {
            node: op.origin.node,
            use_node: access.use_node,
            use_index: access.use_index,
            resource: access.resource,
            access: access.access,
            kind: wrong.kind,
            bytes: wrong.bytes,
            first_byte: wrong.first_byte,
            saw: node(wrong.saw),
            expected: node(wrong.expected),
            from: wrong.from,
            at: self.now,
        };
        self.trace.totals.bad_reads += 1;
        // A use that happens at several stages is reported once.
        let same = |o: &Observation| {
            o.node == observation.node
                && o.use_node == observation.use_node
                && o.use_index == observation.use_index
                && o.kind == observation.kind
        };
        let has_room = self.options.rows || self.trace.observations.len() < OBSERVATIONS_MAX;
        if has_room && !self.trace.observations.iter().rev().take(16).any(same) {
            self.trace.observations.push(observation);
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
            self.land_write(&accesses[part.index as usize], part.extent, part.cell);
        }
        self.flights[flight as usize].writes = writes;
    }

    fn land_write(&mut self, access: &Access, extent: Extent, cell: Cell) {
        let padded = !self.program.resources[access.resource.index()].is_buffer;
        let path = if self.program.is_metadata(extent.memory) {
            match access.metadata {
                Some(path) => self.path(path),
                None => self.layout_paths().1.metadata,
            }
        } else {
            self.path(access.path)
        };
        self.memory.write(path, extent, cell, padded);
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
                    self.read(op, actor as u32, block, access, &expected);
                }
                AccessMode::Write => {
                    let version = self.new_version(op, actor as u32, access);
                    for extent in access.extents.of(&block.extents) {
                        let mut parts = Vec::new();
                        self.issue_write(*extent, access, version, |part, cell| {
                            parts.push((part, cell))
                        });
                        for (part, cell) in parts {
                            self.land_write(access, part, cell);
                        }
                    }
                }
            }
        }
    }
}

/// Depth tests of one queue and resource keep raster order whatever stands between (reading R18).
fn in_raster_order(queue: u32, access: &Access, version: &VersionInfo) -> bool {
    DEPTH.contains(access.access)
        && !access.access.is_empty()
        && DEPTH.contains(version.access)
        && version.resource == access.resource
        && version.queue == queue
}
