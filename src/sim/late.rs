//! Writes that land while a read goes on (reading R76).
//!
//! A stage reads its bytes from its start to its end. What it finds is sampled at its start; a write by work that nothing
//! orders after it may land before its end, and is then seen in part. A write of the same queue counts if it was issued
//! after the read; between queues the order of issue says nothing.

use super::cell::INITIAL;
use super::observe::{PARTS_MAX, in_raster_order};
use super::readers::{Reader, Readers};
use super::{Engine, Part};
use crate::id::{CacheId, Extent, NodeId, OpId};
use crate::program::{Access, AccessMode, HwOp, HwOpKind};
use crate::time::Ps;
use crate::trace::ObservationKind;

/// The reads that go on now. Atomic operations are apart: those that land among them do no harm.
#[derive(Default)]
pub(super) struct Ongoing {
    plain: Readers,
    atomic: Readers,
}

impl Ongoing {
    fn of(&mut self, access: &Access) -> &mut Readers {
        if access.atomic {
            &mut self.atomic
        } else {
            &mut self.plain
        }
    }
}

/// Some bytes of a read that a write has reached.
pub(super) struct Late {
    index: u32,
    /// Stages that read them when the write landed and still do, a bit each.
    stages: u8,
    bytes: Bytes,
    at: Ps,
}

impl Late {
    /// Whether bytes of the same kind go on where these leave off.
    fn goes_on_in(&self, next: &Self) -> bool {
        let (own, next_own) = (self.bytes, next.bytes);
        self.stages == next.stages
            && own.expected == next_own.expected
            && own.extent.end == next_own.extent.start
    }
}

/// Who writes.
#[derive(Copy, Clone)]
pub(super) struct Writer<'a> {
    pub(super) op: OpId,
    pub(super) node: NodeId,
    /// The packet in flight; none if it is the CPU's.
    pub(super) flight: u32,
    pub(super) queue: u32,
    /// Order of issue on its queue.
    pub(super) seq: u32,
    /// None if it is a layout operation.
    pub(super) access: Option<&'a Access>,
}

/// Bytes of a wrong read with who wrote what was read, and whose write should have been read.
#[derive(Copy, Clone)]
pub(super) struct Bytes {
    pub(super) extent: Extent,
    pub(super) saw: Option<NodeId>,
    pub(super) expected: Option<NodeId>,
}

/// In what way a read is wrong.
#[derive(Copy, Clone)]
pub(super) struct How {
    pub(super) kind: ObservationKind,
    /// How long it went on after the write.
    pub(super) went_on: Ps,
    pub(super) bytes: u64,
    pub(super) from: Option<CacheId>,
}

impl Engine<'_> {
    /// Who a packet in flight is to the reads of what it writes.
    pub(super) fn writer<'a>(&self, flight: u32, access: Option<&'a Access>) -> Writer<'a> {
        let f = &self.flights[flight as usize];
        Writer {
            op: f.op.id,
            node: f.op.origin.node,
            flight,
            queue: f.queue,
            seq: f.seq,
            access,
        }
    }

    /// A stage begins to read.
    pub(super) fn begin_read(&mut self, flight: u32, task: u8) {
        let before = self.flights[flight as usize].reading;
        self.flights[flight as usize].reading |= 1 << task;
        if before == 0 {
            self.each_reader(flight, Readers::insert);
        }
    }

    /// Goes through the bytes that a packet reads.
    fn each_reader(&mut self, flight: u32, mut each: impl FnMut(&mut Readers, Reader)) {
        let f = &self.flights[flight as usize];
        let HwOpKind::Work(work) = &f.op.kind else {
            return;
        };
        let (block, by) = (f.block.clone(), (f.queue, f.seq));
        for (index, access) in (0..).zip(work.accesses.of(&block.accesses)) {
            if access.mode != AccessMode::Read || access.independent {
                continue;
            }
            let readers = self.ongoing.of(access);
            for extent in access.extents.of(&block.extents) {
                each(readers, Reader::new(*extent, by, flight, index));
            }
        }
    }

    /// A packet reads no more, or enough is known to be late.
    fn forget_reader(&mut self, flight: u32) {
        self.each_reader(flight, |readers, reader| readers.remove(&reader));
    }

    /// A write lands: reads of its bytes that go on see it in part.
    pub(super) fn overtake(&mut self, by: &Writer<'_>, extent: Extent) {
        let mut reached = std::mem::take(&mut self.reached);
        let order = (by.queue, by.seq);
        let mut reach = |reader: &Reader| reached.push(*reader);
        self.ongoing.plain.of(extent, order, &mut reach);
        if !by.access.is_some_and(|access| access.atomic) {
            self.ongoing.atomic.of(extent, order, &mut reach);
        }
        for reader in reached.drain(..) {
            if reader.flight != by.flight {
                self.reach(&reader, by, extent);
            }
        }
        self.reached = reached;
    }

    /// A write has reached one read.
    fn reach(&mut self, reader: &Reader, by: &Writer<'_>, extent: Extent) {
        let f = &self.flights[reader.flight as usize];
        let HwOpKind::Work(work) = &f.op.kind else {
            return;
        };
        let access = &work.accesses.of(&f.block.accesses)[reader.index as usize];
        if f.late.len() >= PARTS_MAX || may_land(access, f.queue, by) {
            return;
        }
        let Some(bytes) = extent.intersection(reader.extent()) else {
            return;
        };
        let (index, reading) = (reader.index, f.reading);
        let place = |p: &Part| (p.index, p.extent.memory, p.extent.end);
        let first = f
            .expected
            .partition_point(|p| place(p) <= (index, bytes.memory, bytes.start));
        let parts = f.expected[first..].iter().take_while(|p| {
            (p.index, p.extent.memory) == (index, bytes.memory) && p.extent.start < bytes.end
        });
        let mut late = Vec::new();
        for part in parts.filter(|p| p.stages & reading != 0) {
            if let Some(bytes) = part.extent.intersection(bytes) {
                self.note_late(&mut late, part, reading, bytes, by);
            }
        }
        let f = &mut self.flights[reader.flight as usize];
        f.late.extend(late);
        if f.late.len() >= PARTS_MAX {
            self.forget_reader(reader.flight);
        }
    }

    fn note_late(
        &self,
        late: &mut Vec<Late>,
        part: &Part,
        reading: u8,
        bytes: Extent,
        by: &Writer<'_>,
    ) {
        for member in self.joins.members(bytes.start, bytes.end, part.cell) {
            let version = member.value.version;
            let expected = &self.versions[version as usize];
            // Whoever waits for this write sees it early, not late; nobody minds what happens to contents without a value.
            if expected.undefined || expected.op == by.op {
                continue;
            }
            let one = Late {
                index: part.index,
                stages: part.stages & reading,
                bytes: Bytes {
                    extent: bytes.at(member.start, member.end),
                    saw: Some(by.node),
                    expected: (version != INITIAL).then_some(expected.node),
                },
                at: self.now,
            };
            match late.last_mut() {
                Some(last) if last.goes_on_in(&one) => last.bytes.extent.end = member.end,
                _ => late.push(one),
            }
        }
    }

    /// A stage that reads has ended: says what landed meanwhile.
    pub(super) fn end_read(&mut self, flight: u32, task: u8) {
        let bit = 1 << task;
        let now = self.now;
        let f = &mut self.flights[flight as usize];
        if f.reading & bit == 0 {
            return;
        }
        f.reading &= !bit;
        let mut over: Vec<Late> = Vec::new();
        for mut late in std::mem::take(&mut f.late) {
            late.stages &= !bit;
            if late.stages != 0 {
                f.late.push(late);
            } else if late.at < now {
                over.push(late);
            }
        }
        if f.reading == 0 {
            self.forget_reader(flight);
        }
        if over.is_empty() {
            return;
        }
        let f = &self.flights[flight as usize];
        let (op, block) = (f.op, f.block.clone());
        let HwOpKind::Work(work) = &op.kind else {
            return;
        };
        let accesses = work.accesses.of(&block.accesses);
        over.sort_by_key(|late| {
            let Extent { memory, start, .. } = late.bytes.extent;
            (late.index, late.at, memory, start)
        });
        for own in over.chunk_by(|a, b| a.index == b.index) {
            self.observe_late(&op, &accesses[own[0].index as usize], own);
        }
    }

    fn observe_late(&mut self, op: &HwOp, access: &Access, own: &[Late]) {
        let parts: Vec<Bytes> = own.iter().map(|late| late.bytes).collect();
        let mut hit: Vec<Extent> = parts.iter().map(|part| part.extent).collect();
        hit.sort_by_key(|e| (e.memory, e.start));
        let how = How {
            kind: ObservationKind::Late,
            went_on: self.now - own[0].at,
            bytes: union_bytes(&hit),
            from: None,
        };
        self.note_wrong(op, access, how, &parts);
    }

    /// A packet ends before its time.
    pub(super) fn drop_read(&mut self, flight: u32) {
        let f = &mut self.flights[flight as usize];
        if std::mem::take(&mut f.reading) != 0 {
            self.forget_reader(flight);
        }
    }
}

/// Whether a write may land while a read goes on: the read does not depend on it, or depth tests keep their order.
fn may_land(read: &Access, queue: u32, by: &Writer<'_>) -> bool {
    by.access.is_some_and(|write| {
        let own = (queue, read.resource, read.access);
        let other = (by.queue, write.resource, write.access);
        write.independent || in_raster_order(own, other)
    })
}

/// Bytes of extents that are sorted and may overlap.
fn union_bytes(sorted: &[Extent]) -> u64 {
    let mut bytes = 0;
    let mut last: Option<Extent> = None;
    for extent in sorted {
        let from = match last {
            Some(last) if last.memory == extent.memory => extent.start.max(last.end),
            _ => extent.start,
        };
        bytes += extent.end.saturating_sub(from);
        let end = extent.end.max(from);
        last = Some(Extent { end, ..*extent });
    }
    bytes
}
