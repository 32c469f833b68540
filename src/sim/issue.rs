//! What accesses should see, and what they will leave: the latest version of every byte, in the order in which front ends
//! issue commands.

use super::cell::{Cell, INITIAL, VersionInfo};
use super::{Engine, Part, VERSIONS_MIN};
use crate::id::{Extent, ResourceId, narrow};
use crate::program::{
    Access, AccessMode, Block, CompressionState, Form, HwOp, HwOpKind, Slice, Task,
};

use smallvec::SmallVec;

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
                self.join_ranges(*extent);
                self.expect(*extent, |extent, cell| {
                    expected.push(Part {
                        index: narrow(index),
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
            // At a stage that only passes nobody waits for it.
            let last = last.or_else(|| tasks.iter().rposition(|t| !t.passes));
            let stages = 1 << last.unwrap_or(tasks.len().saturating_sub(1));
            writes_at |= stages;
            for extent in access.extents.of(&block.extents) {
                self.issue_write(*extent, access, version, |extent, cell| {
                    writes.push(Part {
                        index: narrow(index),
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
        self.latest[extent.memory].for_each_piece(extent.start, extent.end, |start, end, cell| {
            let cell = cell.unwrap_or(Cell::UNTOUCHED);
            each(extent.at(start, end), cell);
        });
    }

    /// Forgets the versions that nothing refers to any more. The rest keep their order; so a long run needs no more memory
    /// than what lies in memory at a time.
    fn forget_versions(&mut self) {
        let mut kept = vec![false; self.versions.len()];
        kept[INITIAL as usize] = true;
        self.for_each_version(|version| kept[*version as usize] = true);
        self.joins.keep(&mut kept);
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
        self.joins.rename(&renamed);
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
            f.ahead.for_each_version(&mut each);
        }
        for actor in &mut self.actors {
            actor.ahead.for_each_version(&mut each);
        }
    }

    pub(super) fn new_version(&mut self, op: &HwOp, queue: u32, access: &Access) -> u32 {
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
        let version = narrow(self.versions.len()) - 1;
        if access.undefined {
            self.memory.note_undefined(version);
        }
        version
    }

    /// Makes a write the latest version of its bytes, and of what their metadata says.
    pub(super) fn issue_write(
        &mut self,
        extent: Extent,
        access: &Access,
        version: u32,
        mut each: impl FnMut(Extent, Cell),
    ) {
        let has_metadata = self.program.resources[access.resource].initial.is_some();
        let form = match access.metadata {
            Some(_) if access.clears => Form::Absent,
            Some(_) if !access.undefined => Form::Packed,
            _ => Form::Plain,
        };
        let cell = Cell::texels(version, form);
        if has_metadata {
            self.issue_metadata(extent, access, version, &mut each);
        }
        self.latest[extent.memory].set(extent.start, extent.end, cell);
        if form != Form::Absent {
            each(extent, cell);
        }
    }

    /// What a write makes of the metadata of its bytes (readings R25, R26): after a client that ignores metadata, the
    /// metadata is wrong; a client that needs metadata cannot make it right unless it writes whole subresources.
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
            self.latest[metadata.memory].set(metadata.start, metadata.end, cell);
            each(metadata, cell);
            return;
        }
        for (part, before) in self.states(extent, metadata, access.resource) {
            let (state, lands) = match access.metadata {
                Some(_) => (before.after_compressed_write(), true),
                // The driver writes metadata along with what it copies or clears whole.
                None if access.initialises => (
                    CompressionState::PassThrough,
                    before != CompressionState::PassThrough,
                ),
                None => (before.after_plain_write(), false),
            };
            let cell = Cell::metadata(version, state);
            self.latest[part.memory].set(part.start, part.end, cell);
            if lands {
                each(part, cell);
            }
        }
    }

    /// What the latest metadata of some bytes says to a resource. Where another resource wrote last, the metadata, which
    /// lies in the same memory, says nothing true.
    fn states(
        &self,
        texels: Extent,
        metadata: Extent,
        resource: ResourceId,
    ) -> SmallVec<[(Extent, CompressionState); 2]> {
        let mut states = SmallVec::new();
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
}

/// The stages at which a command carries a read out, a bit each. What happens at none of its stages happens at the first.
fn reading_stages(tasks: &[Task], access: &Access) -> u8 {
    let at = tasks.iter().enumerate();
    let at = at.filter(|(_, task)| access.stages.has(task.leaf));
    match at.fold(0, |all, (index, _)| all | 1 << index) {
        0 => 1,
        stages => stages,
    }
}
