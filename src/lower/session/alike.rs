//! Commands of one block whose uses are the same, and whose textures are in the same layouts, read and write the same: what
//! that is, is worked out and kept once for all of them.

use crate::id::{ResourceId, Table};
use crate::lower::work::Size;
use crate::program::{Access, Slice};
use crate::scenario::{Command, CommandKind, Use};
use rustc_hash::FxHasher;
use std::hash::Hasher as _;
use std::mem::{Discriminant, discriminant};

/// Places in the table. A block goes through few kinds of commands in turn.
const PLACES: usize = 1 << u8::BITS;

/// What is known of one kind of command.
struct Known<'s> {
    uses: &'s [Use],
    kind: Discriminant<CommandKind>,
    /// The block, and how many layouts had changed.
    block: u32,
    changes: u32,
    accesses: Slice<Access>,
    size: Size,
}

/// What is known of commands, and when the layouts of textures changed.
pub(super) struct Alike<'s> {
    known: Vec<Option<Known<'s>>>,
    changes: u32,
    /// By resource: how many layouts had changed with its latest change.
    changed: Table<ResourceId, u32>,
}

impl<'s> Alike<'s> {
    pub(super) fn new(resources: usize) -> Self {
        Self {
            known: Vec::new(),
            changes: 0,
            changed: Table::filled(resources, 0),
        }
    }

    /// The layout of a resource may have changed: what is known of its uses is no longer true.
    pub(super) fn forget(&mut self, resource: ResourceId) {
        self.changes += 1;
        self.changed[resource] = self.changes;
    }

    /// What a command of a block reads and writes, and how much, if one like it came before.
    pub(super) fn find(&self, block: u32, command: &Command) -> Option<(Slice<Access>, Size)> {
        let known = self.known.get(place(command))?.as_ref()?;
        let is_same = |own: &Use, used: &Use| {
            own.identity() == used.identity() && self.changed[own.resource] <= known.changes
        };
        let is_known = known.block == block
            && known.kind == discriminant(&command.kind)
            && known.uses.len() == command.uses.len()
            && known
                .uses
                .iter()
                .zip(&command.uses)
                .all(|(a, b)| is_same(a, b));
        is_known.then_some((known.accesses, known.size))
    }

    /// Notes what a command of a block reads and writes.
    pub(super) fn note(
        &mut self,
        block: u32,
        command: &'s Command,
        (accesses, size): (Slice<Access>, Size),
    ) {
        if self.known.is_empty() {
            self.known.resize_with(PLACES, || None);
        }
        self.known[place(command)] = Some(Known {
            uses: &command.uses,
            kind: discriminant(&command.kind),
            block,
            changes: self.changes,
            accesses,
            size,
        });
    }
}

/// Where a command is in the table.
fn place(command: &Command) -> usize {
    let mut hasher = FxHasher::default();
    for usage in &command.uses {
        hasher.write_usize(usage.identity());
    }
    usize::from(hasher.finish().to_be_bytes()[0])
}
