//! Texels through their metadata, and layout operations: where versions of texels meet versions of metadata.

use super::cell::{Cell, INITIAL, VersionInfo};
use super::memory::{Refill, Seen};
use super::{Engine, Part};
use crate::api::BarrierAccess;
use crate::hardware::Client;
use crate::id::{CacheId, Extent, ResourceId, narrow};
use crate::program::{
    BarrierOp, BlockOf, CompressionState, Decoded, Encoding, Form, HwOpKind, LayoutAct, StepKind,
};

/// The caches that texels and their metadata go through.
#[derive(Copy, Clone)]
pub(super) struct Ways<'p> {
    pub(super) texels: &'p [CacheId],
    pub(super) metadata: &'p [CacheId],
}

/// A piece of texels and what was found of it and of its metadata.
struct Piece {
    texels: Extent,
    metadata: Extent,
    block: BlockOf<u32>,
    from: Option<CacheId>,
}

impl<'p> Engine<'p> {
    /// The ways of layout operations: reads, writes.
    pub(super) fn layout_paths(&self) -> (Ways<'p>, Ways<'p>) {
        let profile = self.profile;
        let client = Client::LayoutOperation;
        let (texels, metadata) = (profile.texel_routes(), profile.metadata_routes());
        let write = |routes: crate::hardware::Routes<'p>| {
            let path = routes.write_paths(client).next();
            routes.path(path.expect("a profile's layout operations can write"))
        };
        let read = Ways {
            texels: texels.path(texels.read_paths(client)[0]),
            metadata: metadata.path(metadata.read_paths(client)[0]),
        };
        let write = Ways {
            texels: write(texels),
            metadata: write(metadata),
        };
        (read, write)
    }

    /// Reads texels and their metadata, each through its own caches. Pieces ascend and cover the bytes.
    fn read_blocks(
        &mut self,
        ways: Ways<'_>,
        extent: Extent,
        resource: ResourceId,
        skip: impl Fn(CompressionState) -> bool,
        lost: &mut Vec<Refill>,
    ) -> Vec<Piece> {
        let Some(metadata) = self.program.metadata_of(extent) else {
            return Vec::new();
        };
        let mut described = Vec::new();
        self.memory
            .read(ways.metadata, metadata, &mut described, lost);
        let mut pieces = Vec::new();
        for part in described {
            let state = self.state(part.cell, resource);
            let texels = extent.at(part.start, part.end);
            let mut found = Vec::new();
            if skip(state) {
                // The metadata has the value: texels are not fetched.
                found.push(Seen {
                    cell: part.cell,
                    ..part
                });
            } else {
                self.memory.read(ways.texels, texels, &mut found, lost);
            }
            for piece in found {
                pieces.push(Piece {
                    texels: extent.at(piece.start, piece.end),
                    metadata: metadata.at(piece.start, piece.end),
                    block: BlockOf {
                        texels: piece.cell.version,
                        form: piece.cell.form(),
                        described: part.cell.version,
                        state,
                    },
                    from: piece.from.or(part.from),
                });
            }
        }
        pieces
    }

    /// What a client sees that reads texels through their metadata.
    pub(super) fn read_decoded(
        &mut self,
        (texels, metadata): (&[CacheId], &[CacheId]),
        extent: Extent,
        resource: ResourceId,
        most: Encoding,
        seen: &mut Vec<Seen>,
        lost: &mut Vec<Refill>,
    ) {
        let ways = Ways { texels, metadata };
        let clear = |state| state == CompressionState::Clear;
        for piece in self.read_blocks(ways, extent, resource, clear, lost) {
            let cell = match piece.block.decode(most) {
                Decoded::Value(version) => Cell::texels(version, Form::Plain),
                Decoded::Nothing(version) => Cell::texels(version, Form::Garbage),
            };
            seen.push(Seen {
                start: piece.texels.start,
                end: piece.texels.end,
                cell,
                from: piece.from,
                kept: (false, 0),
            });
        }
    }

    /// The latest versions of some texels and of their metadata.
    fn latest_blocks(&self, extent: Extent, resource: ResourceId) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let Some(metadata) = self.program.metadata_of(extent) else {
            return pieces;
        };
        self.expect(extent, |texels, above| {
            let part = Extent {
                memory: metadata.memory,
                ..texels
            };
            self.expect(part, |metadata, cell| {
                pieces.push(Piece {
                    texels: Extent {
                        memory: extent.memory,
                        ..metadata
                    },
                    metadata,
                    block: BlockOf {
                        texels: above.version,
                        form: above.form(),
                        described: cell.version,
                        state: self.state(cell, resource),
                    },
                    from: None,
                });
            });
        });
        pieces
    }

    /// Notes what layout operations will leave.
    pub(super) fn issue_layout(&mut self, flight: u32, barrier: &BarrierOp) {
        let f = &self.flights[flight as usize];
        let (block, op, queue) = (f.block.clone(), f.op, f.queue);
        for (index, step) in barrier.steps.of(&block.steps).iter().enumerate() {
            let StepKind::Layout {
                resource,
                extents,
                act,
                initialise,
                ..
            } = step.kind
            else {
                continue;
            };
            if self.program.metadata.is_none() {
                continue;
            }
            if !initialise {
                for extent in extents.of(&block.extents) {
                    for piece in self.latest_blocks(*extent, resource) {
                        let after = latest_after(piece.block, act);
                        self.set_latest(&piece, after);
                    }
                }
                continue;
            }
            // Contents are dropped: a write of metadata that leaves texels without a value. In aliased memory it destroys.
            self.versions.push(VersionInfo {
                op: op.id,
                node: op.origin.node,
                queue,
                resource,
                access: BarrierAccess::empty(),
                atomic: false,
                undefined: true,
                lost: false,
                present: false,
            });
            let version = narrow(self.versions.len()) - 1;
            self.memory.note_undefined(version);
            for extent in extents.of(&block.extents) {
                let Some(metadata) = self.program.metadata_of(*extent) else {
                    continue;
                };
                for (extent, cell) in [
                    (*extent, Cell::texels(version, Form::Plain)),
                    (
                        metadata,
                        Cell::metadata(version, CompressionState::PassThrough),
                    ),
                ] {
                    self.latest[extent.memory].set(extent.start, extent.end, cell);
                    let writes = &mut self.flights[flight as usize].writes;
                    writes.push(Part {
                        index: narrow(index),
                        stages: 0,
                        extent,
                        cell,
                    });
                }
            }
        }
    }

    fn set_latest(&mut self, piece: &Piece, after: BlockOf<u32>) {
        let BlockOf {
            texels,
            form,
            described,
            state,
        } = after;
        if (texels, form) != (piece.block.texels, piece.block.form) {
            let Extent { memory, start, end } = piece.texels;
            self.latest[memory].set(start, end, Cell::texels(texels, form));
        }
        if (described, state) != (piece.block.described, piece.block.state) {
            let Extent { memory, start, end } = piece.metadata;
            self.latest[memory].set(start, end, Cell::metadata(described, state));
        }
    }

    /// A layout operation has ended: it has rewritten what it found, or only the metadata.
    pub(super) fn land_layout(&mut self, flight: u32, index: usize) {
        let f = &self.flights[flight as usize];
        let block = f.block.clone();
        let HwOpKind::Barrier(barrier) = f.op.kind else {
            return;
        };
        let StepKind::Layout {
            resource,
            extents,
            act,
            initialise,
            ..
        } = barrier.steps.of(&block.steps)[index].kind
        else {
            return;
        };
        let by = self.writer(flight, None);
        let (read, write) = self.layout_paths();
        if initialise {
            let writes = std::mem::take(&mut self.flights[flight as usize].writes);
            for part in writes.iter().filter(|part| part.index as usize == index) {
                let Part { extent, cell, .. } = *part;
                let path = if self.program.is_metadata(extent.memory) {
                    write.metadata
                } else {
                    write.texels
                };
                self.overtake(&by, extent);
                self.memory.write(path, extent, cell, true);
                self.versions[cell.version as usize].present = true;
            }
            self.flights[flight as usize].writes = writes;
            return;
        }
        for extent in extents.of(&block.extents) {
            let none = |_| false;
            for piece in self.read_blocks(read, *extent, resource, none, &mut Vec::new()) {
                let after = piece.block.after(act);
                let before = piece.block;
                if after != before {
                    self.overtake(&by, piece.texels);
                }
                if (after.texels, after.form) != (before.texels, before.form) {
                    let cell = Cell::texels(after.texels, after.form);
                    self.memory.write(write.texels, piece.texels, cell, true);
                }
                if (after.described, after.state) != (before.described, before.state) {
                    let cell = Cell::metadata(after.described, after.state);
                    self.memory
                        .write(write.metadata, piece.metadata, cell, true);
                }
            }
        }
    }
}

/// What a layout operation should leave. What nobody has written stays so, and is no garbage.
fn latest_after(block: BlockOf<u32>, act: LayoutAct) -> BlockOf<u32> {
    let after = block.after(act);
    match after.form {
        Form::Garbage if block.texels == INITIAL => BlockOf {
            form: block.form,
            ..after
        },
        _ => after,
    }
}
