//! The rule of composition: when a barrier orders two uses, and when it makes the bytes of one visible to the other.
//!
//! Order is kept per queue scope as counts, not as pairs. Every command and every barrier entry has a position in its
//! scope. `later[l][t] = k` says: the `t`-work of commands up to position `k` precedes any later `l`-work. A barrier
//! takes what its `SyncBefore` waits for — directly, through commands that earlier barriers held, through barriers on
//! the same bytes — and gives it to its `SyncAfter` (readings R11, R12). Order composes along any path.
//!
//! Visibility belongs to a version of bytes and is kept with it ([`Version`]): a barrier on those bytes picks the
//! version up if it names the write, or if it waits for a stage to which an earlier barrier carried it (reading R14).
//! Global barriers act on all bytes; they are never replayed into ranges. [`Globals`] keeps, for each class of write
//! and each carrying stage, the latest position up to which versions have been carried or made visible: earlier
//! versions have seen the same global barriers and more, so one position says it all.

use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::id::BarrierRef;
use smallvec::SmallVec;

/// Number of leaves.
pub(super) const L: usize = Leaf::COUNT;

/// Position of the last work per leaf that is meant; 0 is none.
pub(super) type Row = [u32; L];

fn raise(row: &mut Row, by: &Row) {
    for (slot, value) in row.iter_mut().zip(by) {
        *slot = (*slot).max(*value);
    }
}

/// Leaves of one command that come before or with `leaf`: holding one of them holds `leaf` (reading R46).
///
/// A leaf is held by holding another if all its stages come after that other's first stage. The stages of a draw are
/// index input, vertex shading, early depth, pixel shading, late depth, colour output; depth-stencil has two of them.
pub(super) fn held_by(leaf: Leaf) -> LeafSet {
    const TABLE: [LeafSet; L] = {
        let mut table = [LeafSet::EMPTY; L];
        let mut i = 0;
        while i < L {
            table[i] = holders(Leaf::ALL[i]);
            i += 1;
        }
        table
    };
    TABLE[leaf.index()]
}

const fn holders(leaf: Leaf) -> LeafSet {
    let front = LeafSet::of(&[Leaf::ExecuteIndirect]);
    match leaf {
        Leaf::ExecuteIndirect => front,
        Leaf::IndexInput => front.union(LeafSet::one(Leaf::IndexInput)),
        Leaf::VertexShading => holders(Leaf::IndexInput).union(LeafSet::one(Leaf::VertexShading)),
        Leaf::DepthStencil => holders(Leaf::VertexShading).union(LeafSet::one(Leaf::DepthStencil)),
        Leaf::PixelShading => holders(Leaf::DepthStencil).union(LeafSet::one(Leaf::PixelShading)),
        Leaf::RenderTarget => holders(Leaf::PixelShading).union(LeafSet::one(Leaf::RenderTarget)),
        other => front.union(LeafSet::one(other)),
    }
}

/// One side of a barrier, expanded.
#[derive(Copy, Clone, Debug)]
pub(super) struct BarrierScopes {
    pub(super) before: crate::api::Scope,
    pub(super) after: crate::api::Scope,
    /// `SyncBefore` names every stage of the queue: it concerns other barriers' effects too (reading R12).
    pub(super) waits_for_all: bool,
    pub(super) global: bool,
}

/// Order within one queue scope.
#[derive(Debug)]
pub(super) struct Order {
    position: u32,
    /// Position of the last command with work on the leaf.
    last: Row,
    later: [Row; L],
    /// `later` as it was for the commands that did work on the leaf: what they were really blocked by.
    blocked: [Row; L],
    /// The part of `later` that comes from global barriers alone.
    global: [Row; L],
    /// What precedes all later work: synchronous copies, resolves and discards (reading R20).
    everything: Row,
}

impl Order {
    pub(super) fn new() -> Self {
        Self {
            position: 0,
            last: [0; L],
            later: [[0; L]; L],
            blocked: [[0; L]; L],
            global: [[0; L]; L],
            everything: [0; L],
        }
    }

    /// Starts a scope: nothing precedes anything.
    pub(super) fn reset(&mut self) {
        *self = Self::new();
    }

    /// Takes the next position.
    pub(super) fn step(&mut self) -> u32 {
        self.position += 1;
        self.position
    }

    /// What precedes the work of a command with these leaves, per leaf of `leaves`.
    pub(super) fn enter(&mut self, leaves: LeafSet, position: u32) -> Precedes {
        let mut rows = [[0; L]; L];
        for leaf in leaves.iter() {
            let mut row = self.everything;
            for holder in held_by(leaf).intersection(leaves).iter() {
                raise(&mut row, &self.later[holder.index()]);
            }
            raise(&mut self.blocked[leaf.index()], &row);
            rows[leaf.index()] = row;
        }
        for leaf in leaves.iter() {
            self.last[leaf.index()] = position;
        }
        Precedes { rows, leaves }
    }

    /// A synchronous command at `position` is over, and with it all that preceded it, before anything later.
    pub(super) fn finish_synchronously(&mut self, precedes: &Precedes, position: u32) {
        for leaf in precedes.leaves.iter() {
            raise(&mut self.everything, &precedes.rows[leaf.index()]);
            self.everything[leaf.index()] = position;
        }
    }

    /// What a barrier waits for. `chained` are the rows of the latest barriers on its bytes whose `SyncAfter` meets
    /// its `SyncBefore`.
    pub(super) fn awaited<'a>(
        &self,
        scopes: &BarrierScopes,
        chained: impl Iterator<Item = &'a Row>,
    ) -> Row {
        let mut row = [0; L];
        for leaf in scopes.before.stages.iter() {
            let at = leaf.index();
            row[at] = row[at].max(self.last[at]);
            raise(&mut row, &self.blocked[at]);
            raise(&mut row, &self.global[at]);
            if scopes.global || scopes.waits_for_all {
                raise(&mut row, &self.later[at]);
            }
        }
        for other in chained {
            raise(&mut row, other);
        }
        row
    }

    /// A barrier lets its `SyncAfter` work come after `awaited`.
    pub(super) fn release(&mut self, after: LeafSet, awaited: &Row, global: bool) {
        for leaf in after.iter() {
            raise(&mut self.later[leaf.index()], awaited);
            if global {
                raise(&mut self.global[leaf.index()], awaited);
            }
        }
    }

    /// Whether work at `leaf` up to `position` precedes the barrier itself.
    pub(super) fn precedes_barrier(&self, awaited: &Row, leaf: Leaf, position: u32) -> bool {
        awaited[leaf.index()].max(self.everything[leaf.index()]) >= position
    }
}

/// What precedes each leaf of one command.
#[derive(Debug)]
pub(super) struct Precedes {
    rows: [Row; L],
    leaves: LeafSet,
}

impl Precedes {
    /// Whether work at `first` up to `position` precedes the command's work at `second`.
    #[inline]
    pub(super) fn contains(&self, second: Leaf, first: Leaf, position: u32) -> bool {
        self.rows[second.index()][first.index()] >= position
    }
}

/// Stages to which a version was carried, with the position at which that happened.
type Carried = SmallVec<[(LeafSet, u32); 2]>;

/// Who made a version of some bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Writer {
    /// A command's work at one leaf.
    Work(Leaf),
    /// A barrier's own effect: a layout transition or discard; with its `SyncAfter`.
    Transition(LeafSet),
}

/// One version of some bytes, and where it can be seen.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Version {
    pub(super) writer: Writer,
    pub(super) access: BarrierAccess,
    pub(super) position: u32,
    carried: Carried,
    /// Stages × accesses that see it, each with the barrier that did it.
    visible: SmallVec<[(LeafSet, BarrierAccess, Option<BarrierRef>); 1]>,
    /// Order that is taken for granted because its absence was reported (reading R47).
    granted: LeafSet,
}

impl Version {
    pub(super) fn written(leaf: Leaf, access: BarrierAccess, position: u32) -> Self {
        Self {
            writer: Writer::Work(leaf),
            access,
            position,
            carried: Carried::new(),
            visible: SmallVec::new(),
            granted: LeafSet::EMPTY,
        }
    }

    pub(super) fn transition(after: crate::api::Scope, position: u32, barrier: BarrierRef) -> Self {
        let mut version = Self {
            writer: Writer::Transition(after.stages),
            access: BarrierAccess::empty(),
            position,
            carried: Carried::new(),
            visible: SmallVec::new(),
            granted: LeafSet::EMPTY,
        };
        version.carry(after, position, barrier);
        version
    }

    /// Whether the version precedes a command's work at `leaf`.
    pub(super) fn precedes(&self, precedes: &Precedes, leaf: Leaf, globals: &Globals) -> bool {
        if self.granted.has(leaf) {
            return true;
        }
        match self.writer {
            Writer::Work(from) => precedes.contains(leaf, from, self.position),
            Writer::Transition(after) => {
                // Held by the barrier itself, or by one that it composes with on these bytes …
                held_by(leaf).intersection(precedes.leaves).meets(self.carried_to(globals))
                    // … or behind a command that the barrier held.
                    || after.iter().any(|held| precedes.rows[leaf.index()][held.index()] > self.position)
            }
        }
    }

    /// Stages to which barriers have carried the version by now.
    fn carried_to(&self, globals: &Globals) -> LeafSet {
        let mut set = LeafSet::EMPTY;
        for (stages, _) in &self.carried {
            set = set.union(*stages);
        }
        if globals.any {
            set = set.union(globals.carried(self));
        }
        set
    }

    /// Whether a barrier picks the version up (reading R14).
    pub(super) fn is_taken_by(&self, scopes: &BarrierScopes, globals: &Globals) -> bool {
        let named = match self.writer {
            Writer::Work(leaf) => {
                scopes.before.stages.has(leaf) && scopes.before.accesses.intersects(self.access)
            }
            Writer::Transition(_) => false,
        };
        named || scopes.before.stages.meets(self.carried_to(globals))
    }

    /// A barrier that picked the version up carries it on.
    pub(super) fn carry(&mut self, after: crate::api::Scope, position: u32, barrier: BarrierRef) {
        let mut fresh = after.stages;
        for (stages, _) in &self.carried {
            fresh = fresh.minus(*stages);
        }
        if !fresh.is_empty() {
            self.carried.push((fresh, position));
        }
        self.show(after.stages, after.accesses, Some(barrier));
    }

    fn show(&mut self, stages: LeafSet, accesses: BarrierAccess, barrier: Option<BarrierRef>) {
        let known =
            |(s, a, _): &(LeafSet, BarrierAccess, _)| s.contains(stages) && a.contains(accesses);
        if !stages.is_empty() && !self.visible.iter().any(known) {
            self.visible.push((stages, accesses, barrier));
        }
    }

    /// Whether an access at a leaf sees the version.
    pub(super) fn is_visible(&self, access: BarrierAccess, leaf: Leaf, globals: &Globals) -> bool {
        self.visible
            .iter()
            .any(|(stages, accesses, _)| stages.has(leaf) && accesses.contains(access))
            || (globals.any && globals.shows(self, access, leaf))
    }

    /// The barrier that made it visible, if it was one on these bytes.
    pub(super) fn shown_by(&self, access: BarrierAccess, leaf: Leaf) -> Option<BarrierRef> {
        let fits = |(stages, accesses, _): &&(LeafSet, BarrierAccess, _)| {
            stages.has(leaf) && accesses.contains(access)
        };
        self.visible
            .iter()
            .find(fits)
            .and_then(|(.., barrier)| *barrier)
    }

    /// Takes for granted what was reported as missing: the use enters the state as if it had been correct.
    pub(super) fn grant(&mut self, access: BarrierAccess, leaves: LeafSet) {
        self.granted = self.granted.union(leaves);
        self.show(leaves, access, None);
    }
}

/// Number of access bits.
const A: usize = 23;

/// What the global barriers of a scope carried and made visible, by source.
///
/// A source is a class of write (access bit and leaf) or a leaf to which a barrier on the bytes carried a version.
/// Positions are monotone: whatever is true of a version made or carried at position p is true of earlier ones.
#[derive(Debug, Default)]
pub(super) struct Globals {
    /// Whether there was any.
    any: bool,
    sources: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    kind: SourceKind,
    /// Carried to the leaf if made at or before this position.
    carried: Row,
    /// Visible to the access at the leaf if made at or before this position.
    shown: Box<[[u32; L]; A]>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum SourceKind {
    Write(BarrierAccess, Leaf),
    Carried(Leaf),
}

impl Globals {
    /// Starts a scope.
    pub(super) fn reset(&mut self) {
        if self.any {
            self.any = false;
            self.sources.clear();
        }
    }

    /// A global barrier at `position`. Cost: sources × |SyncAfter| × |AccessAfter|.
    pub(super) fn apply(&mut self, scopes: &BarrierScopes, position: u32) {
        self.any = true;
        for leaf in scopes.before.stages.iter() {
            for access in (scopes.before.accesses & BarrierAccess::WRITES).iter() {
                if write_leaves(access).has(leaf) {
                    self.open(SourceKind::Write(access, leaf));
                }
            }
            self.open(SourceKind::Carried(leaf));
        }
        for source in &mut self.sources {
            let direct = match source.kind {
                SourceKind::Write(access, leaf) => {
                    scopes.before.stages.has(leaf) && scopes.before.accesses.intersects(access)
                }
                SourceKind::Carried(leaf) => scopes.before.stages.has(leaf),
            };
            let mut reach = if direct { position } else { 0 };
            for leaf in scopes.before.stages.iter() {
                reach = reach.max(source.carried[leaf.index()]);
            }
            if reach == 0 {
                continue;
            }
            for leaf in scopes.after.stages.iter() {
                let at = leaf.index();
                source.carried[at] = source.carried[at].max(reach);
                for access in scopes.after.accesses.iter() {
                    let slot = &mut source.shown[bit_index(access)][at];
                    *slot = (*slot).max(reach);
                }
            }
        }
    }

    fn open(&mut self, kind: SourceKind) {
        if !self.sources.iter().any(|s| s.kind == kind) {
            self.sources.push(Source {
                kind,
                carried: [0; L],
                shown: Box::new([[0; L]; A]),
            });
        }
    }

    /// The sources that a version has, with the position that counts.
    fn of<'g>(&'g self, version: &'g Version) -> impl Iterator<Item = (&'g Source, u32)> {
        self.sources
            .iter()
            .filter_map(move |source| match source.kind {
                SourceKind::Write(access, leaf) => (version.writer == Writer::Work(leaf)
                    && version.access.intersects(access))
                .then_some((source, version.position)),
                SourceKind::Carried(leaf) => version
                    .carried
                    .iter()
                    .find(|(stages, _)| stages.has(leaf))
                    .map(|(_, position)| (source, *position)),
            })
    }

    fn carried(&self, version: &Version) -> LeafSet {
        let mut set = LeafSet::EMPTY;
        for (source, position) in self.of(version) {
            for leaf in Leaf::ALL {
                if source.carried[leaf.index()] >= position {
                    set = set.union(LeafSet::one(leaf));
                }
            }
        }
        set
    }

    fn shows(&self, version: &Version, access: BarrierAccess, leaf: Leaf) -> bool {
        self.of(version)
            .any(|(source, position)| source.shown[bit_index(access)][leaf.index()] >= position)
    }
}

/// Leaves at which a write access can happen: no other classes of writes need a source.
fn write_leaves(access: BarrierAccess) -> LeafSet {
    match access {
        BarrierAccess::RENDER_TARGET => LeafSet::one(Leaf::RenderTarget),
        BarrierAccess::DEPTH_STENCIL_WRITE => LeafSet::one(Leaf::DepthStencil),
        BarrierAccess::STREAM_OUTPUT => LeafSet::one(Leaf::VertexShading),
        BarrierAccess::COPY_DEST => LeafSet::one(Leaf::Copy),
        BarrierAccess::RESOLVE_DEST => LeafSet::one(Leaf::Resolve),
        BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE => {
            LeafSet::of(&[Leaf::BuildAs, Leaf::CopyAs])
        }
        BarrierAccess::VIDEO_DECODE_WRITE => LeafSet::one(Leaf::VideoDecode),
        BarrierAccess::VIDEO_PROCESS_WRITE => LeafSet::one(Leaf::VideoProcess),
        BarrierAccess::VIDEO_ENCODE_WRITE => LeafSet::one(Leaf::VideoEncode),
        BarrierAccess::UNORDERED_ACCESS => LeafSet::of(&[
            Leaf::VertexShading,
            Leaf::PixelShading,
            Leaf::ComputeShading,
            Leaf::Raytracing,
            Leaf::ClearUav,
            Leaf::BuildAs,
            Leaf::EmitAs,
        ]),
        _ => LeafSet::EMPTY,
    }
}

/// Index of a single access bit.
fn bit_index(access: BarrierAccess) -> usize {
    access.bits().trailing_zeros() as usize
}
