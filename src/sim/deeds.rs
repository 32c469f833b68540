//! What reads found and where writes ended, kept for runs that are told step by step. It changes nothing of what happens.

use super::cell::{INITIAL, VersionInfo};
use super::memory::Seen;
use crate::id::{Extent, OpId, PathId, ResourceId};
use crate::program::{Access, HwOp};
use crate::time::Ps;
use crate::trace::contents::{Contents, ReadFound, WriteEnded, Writer};

/// Reads and writes, as long as there is room.
pub(super) struct Deeds {
    reads: Vec<ReadFound>,
    writes: Vec<WriteEnded>,
    room: usize,
}

impl Deeds {
    pub(super) fn new(room: usize) -> Self {
        Self {
            reads: Vec::new(),
            writes: Vec::new(),
            room,
        }
    }

    /// Writes that have ended since there were so many.
    pub(super) fn ended_since(&self, before: usize) -> &[WriteEnded] {
        &self.writes[before..]
    }

    /// Whether nothing more has room.
    pub(super) fn is_full(&self) -> bool {
        self.reads.len() + self.writes.len() >= self.room
    }

    /// A read found bytes: neighbours of one writer that one place answers are one piece.
    pub(super) fn read(
        &mut self,
        at: Ps,
        (op, access, extent): (&HwOp, &Access, Extent),
        seen: &[Seen],
        versions: &[VersionInfo],
    ) {
        let first = self.reads.len();
        for piece in seen {
            let by = &versions[piece.cell.version as usize];
            let writer = (piece.cell.version != INITIAL).then_some(Writer {
                node: by.node,
                resource: by.resource,
            });
            let found = ReadFound {
                at,
                op: op.id,
                use_node: op.use_node(access),
                use_index: access.use_index,
                resource: access.resource,
                path: access.path,
                extent: extent.at(piece.start, piece.end),
                writer,
                from: piece.from,
            };
            match self.reads[first..].last_mut() {
                Some(last)
                    if (last.writer, last.from) == (writer, piece.from)
                        && last.extent.end == piece.start =>
                {
                    last.extent.end = piece.end;
                }
                _ => self.reads.push(found),
            }
        }
    }

    /// Bytes that a write has left.
    pub(super) fn ended(
        &mut self,
        at: Ps,
        (op, resource): (OpId, ResourceId),
        path: PathId,
        extent: Extent,
    ) {
        let ended = WriteEnded {
            at,
            op,
            resource,
            path,
            extent,
        };
        match self.writes.last_mut() {
            Some(last)
                if (last.op, last.resource, last.at) == (op, ended.resource, at)
                    && (last.extent.memory, last.extent.end) == (extent.memory, extent.start) =>
            {
                last.extent.end = extent.end;
            }
            _ => self.writes.push(ended),
        }
    }

    pub(super) fn take_into(self, contents: &mut Contents) {
        contents.reads = self.reads;
        contents.writes = self.writes;
    }
}
