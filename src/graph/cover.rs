//! The rule of composition: when a barrier orders two uses, and when it makes the bytes of one visible to the other.
//!
//! Order is kept per queue scope as counts, not as pairs. Every command and every barrier entry has a position in its
//! scope. `later[l][t] = k` says: the `t`-work of commands up to position `k` precedes any later `l`-work. A barrier
//! takes what its `SyncBefore` waits for — directly, through commands that earlier barriers held, through barriers on
//! the same bytes — and gives it to its `SyncAfter` (readings R11, R12). Order composes along any path.
//!
//! Visibility belongs to a version of bytes and is kept with it ([`Version`]): a barrier on those bytes picks the
//! version up if it names the write, or if it waits for a stage to which an earlier barrier carried it (reading R14).
//! Global barriers act on all bytes and are never replayed into ranges: see `globals.rs`.

use super::globals::{Carried, Globals};
use super::tree::Bound;
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::id::BarrierRef;
use smallvec::SmallVec;

/// Number of leaves.
pub(super) const L: usize = Leaf::COUNT;

/// Position of the last work per leaf that is meant; 0 is none.
pub(super) type Row = [u32; L];

/// Takes the later of each.
pub(super) fn raise(row: &mut Row, by: &Row) {
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
    /// The part of `later` that comes only from global barriers.
    global: [Row; L],
    /// Counts what changes rows: a command with the leaves of the one before has the same rows if nothing has.
    revision: u32,
    /// What precedes all later work, because it precedes a synchronous copy, resolve or discard (reading R20).
    everything: Row,
    /// The barrier that made a count of `later` what it is. Kept only where barriers are named: no verdict looks at it.
    by: Option<Box<[[Option<BarrierRef>; L]; L]>>,
}

impl Order {
    /// `names` barriers: keeps which one holds what.
    pub(super) fn new(names: bool) -> Self {
        Self {
            position: 0,
            last: [0; L],
            later: [[0; L]; L],
            blocked: [[0; L]; L],
            global: [[0; L]; L],
            revision: 0,
            everything: [0; L],
            by: names.then(|| Box::new([[None; L]; L])),
        }
    }

    /// Starts a scope: nothing precedes anything.
    pub(super) fn reset(&mut self) {
        let revision = self.revision + 1;
        *self = Self::new(self.by.is_some());
        self.revision = revision;
    }

    /// Takes the next position.
    pub(super) fn step(&mut self) -> u32 {
        self.position += 1;
        self.position
    }

    /// What precedes the work of a command with these leaves, per leaf of `leaves`.
    pub(super) fn enter(&mut self, leaves: LeafSet, position: u32, into: &mut Precedes) {
        if into.leaves == leaves && into.revision == self.revision {
            for leaf in leaves.iter() {
                self.last[leaf.index()] = position;
            }
            return;
        }
        into.leaves = leaves;
        into.revision = self.revision;
        for leaf in leaves.iter() {
            let row = &mut into.rows[leaf.index()];
            *row = self.everything;
            for holder in held_by(leaf).intersection(leaves).iter() {
                raise(row, &self.later[holder.index()]);
            }
            raise(&mut self.blocked[leaf.index()], row);
            self.last[leaf.index()] = position;
        }
    }

    /// A synchronous command is over, and with it all that preceded it, before anything later. Its own work is marked
    /// where it is kept: earlier work at its leaf may be asynchronous and still run.
    pub(super) fn finish_synchronously(&mut self, precedes: &Precedes) {
        self.revision += 1;
        for leaf in precedes.leaves.iter() {
            raise(&mut self.everything, &precedes.rows[leaf.index()]);
        }
    }

    /// What a barrier waits for, wherever it applies; barriers on its bytes with which it composes come on top.
    pub(super) fn awaited(&self, scopes: &BarrierScopes) -> Row {
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
        row
    }

    /// A barrier lets its `SyncAfter` work come after `awaited`.
    pub(super) fn release(
        &mut self,
        after: LeafSet,
        awaited: &Row,
        barrier: BarrierRef,
        global: bool,
    ) {
        self.revision += 1;
        for leaf in after.iter() {
            if let Some(by) = &mut self.by {
                let known = by[leaf.index()].iter_mut().zip(&self.later[leaf.index()]);
                for ((by, known), awaited) in known.zip(awaited) {
                    if awaited > known {
                        *by = Some(barrier);
                    }
                }
            }
            raise(&mut self.later[leaf.index()], awaited);
            if global {
                raise(&mut self.global[leaf.index()], awaited);
            }
        }
    }

    /// The barrier that waits for work at `first` up to `position` and holds work at `second` of a command with these
    /// `leaves`: by itself, or after others with which it composes. `None` where names are not kept.
    pub(super) fn held_for(
        &self,
        second: Leaf,
        leaves: LeafSet,
        (first, position): (Leaf, u32),
    ) -> Option<BarrierRef> {
        let by = self.by.as_deref()?;
        let holders = held_by(second).intersection(leaves);
        let mut holders = holders.iter().map(Leaf::index);
        let holder = holders.find(|holder| self.later[*holder][first.index()] >= position)?;
        by[holder][first.index()]
    }

    /// Whether work at `leaf` up to `position` precedes the barrier itself.
    pub(super) fn precedes_barrier(&self, awaited: &Row, leaf: Leaf, position: u32) -> bool {
        awaited[leaf.index()].max(self.everything[leaf.index()]) >= position
    }
}

/// What precedes each leaf of one command. Rows of other leaves are left over from earlier commands.
#[derive(Debug)]
pub(super) struct Precedes {
    rows: [Row; L],
    leaves: LeafSet,
    /// Of the order, when the rows were made.
    revision: u32,
}

impl Precedes {
    pub(super) fn new() -> Self {
        Self {
            rows: [[0; L]; L],
            leaves: LeafSet::EMPTY,
            revision: 0,
        }
    }

    /// Leaves of the command.
    pub(super) fn leaves(&self) -> LeafSet {
        self.leaves
    }

    /// Whether work at `first` up to `position` precedes the command's work at `second`.
    #[inline]
    pub(super) fn contains(&self, second: Leaf, first: Leaf, position: u32) -> bool {
        self.rows[second.index()][first.index()] >= position
    }
}

impl Precedes {
    /// Whether work at all of `firsts` up to `position` precedes the command's work at all of `seconds`.
    pub(super) fn contains_all(&self, seconds: LeafSet, firsts: LeafSet, position: u32) -> bool {
        seconds
            .iter()
            .all(|s| firsts.iter().all(|f| self.contains(s, f, position)))
    }
}

impl Default for Precedes {
    fn default() -> Self {
        Self::new()
    }
}

/// Stages to which a version was carried, and when.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Carry {
    pub(super) stages: LeafSet,
    pub(super) position: u32,
    /// For a transition: whether order composes too. A barrier through an alias carries only visibility (readings
    /// R12, R45). Work needs no such mark: its order is in the rows.
    pub(super) ordered: bool,
}

/// Who made a version of some bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Writer {
    /// A command's work at one leaf.
    Work(Leaf),
    /// A barrier's own effect: a layout transition or discard; with its `SyncAfter`.
    Transition(LeafSet),
}

/// Stages × accesses that see a version, and the barrier that did it.
type Shown = (LeafSet, BarrierAccess, Option<BarrierRef>);

/// One version of some bytes, and where it can be seen.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Version {
    pub(super) writer: Writer,
    pub(super) access: BarrierAccess,
    pub(super) position: u32,
    /// For a transition: the last barrier of its resource to which it composes (reading R12).
    link: u32,
    carried: SmallVec<[Carry; 2]>,
    /// Stages × accesses that see it, each with the barrier that did it.
    visible: SmallVec<[Shown; 2]>,
    /// Order that is taken for granted because its absence was reported (reading R47).
    granted: LeafSet,
}

/// What a barrier does to one version.
#[derive(Copy, Clone)]
pub(super) struct BarrierStep<'a> {
    pub(super) scopes: &'a BarrierScopes,
    /// What the barrier waits for.
    pub(super) awaited: &'a Row,
    /// The latest barrier before it through its resource: position and `SyncAfter`.
    pub(super) latest: Option<(u32, LeafSet)>,
    /// That barrier and this one are one (reading R52).
    pub(super) extends: bool,
    /// Whether the version is of the barrier's own resource.
    pub(super) own: bool,
}

impl Version {
    pub(super) fn written(leaf: Leaf, access: BarrierAccess, position: u32) -> Self {
        Self {
            writer: Writer::Work(leaf),
            access,
            position,
            link: 0,
            carried: SmallVec::new(),
            visible: SmallVec::new(),
            granted: LeafSet::EMPTY,
        }
    }

    pub(super) fn transition(after: crate::api::Scope, position: u32, barrier: BarrierRef) -> Self {
        let mut version = Self {
            writer: Writer::Transition(after.stages),
            access: BarrierAccess::empty(),
            position,
            link: position,
            carried: SmallVec::new(),
            visible: SmallVec::new(),
            granted: LeafSet::EMPTY,
        };
        version.carry(after, position, Some(barrier), true);
        version
    }

    /// Whether the version precedes a command's work at `leaf`, as far as the state tells. For work this is exact; a
    /// transition may come before more than the state tells (see `replay.rs`).
    #[inline]
    pub(super) fn precedes(&self, precedes: &Precedes, leaf: Leaf, globals: &Carried) -> bool {
        match self.writer {
            Writer::Work(from) if precedes.contains(leaf, from, self.position) => true,
            Writer::Work(_) => self.is_granted(leaf, globals),
            Writer::Transition(_) => {
                self.is_granted(leaf, globals)
                    // Held by the barrier itself, or by one that it composes with on these bytes …
                    || held_by(leaf)
                        .intersection(precedes.leaves)
                        .meets(self.ordered_to(globals))
                    // … or after a command that one of them held.
                    || self.is_behind(&precedes.rows[leaf.index()])
            }
        }
    }

    /// Whether a row waits for work that this transition held.
    fn is_behind(&self, row: &Row) -> bool {
        self.carried.iter().any(|carry| {
            carry.ordered
                && carry
                    .stages
                    .iter()
                    .any(|held| row[held.index()] > carry.position)
        })
    }

    /// A reported absence of order counts as mended, for later work too.
    fn is_granted(&self, leaf: Leaf, globals: &Carried) -> bool {
        !self.granted.is_empty() && (self.granted.has(leaf) || self.carried_to(globals).has(leaf))
    }

    /// Stages to which barriers have carried the version by now.
    pub(super) fn carried_to(&self, globals: &Carried) -> LeafSet {
        let mut set = LeafSet::EMPTY;
        for carry in &self.carried {
            set = set.union(carry.stages);
        }
        if globals.any() {
            set = set.union(globals.carried(self));
        }
        set
    }

    /// Stages whose later work comes after this transition.
    fn ordered_to(&self, globals: &Carried) -> LeafSet {
        let mut set = LeafSet::EMPTY;
        for carry in self.carried.iter().filter(|c| c.ordered) {
            set = set.union(carry.stages);
        }
        if globals.any() {
            set = set.union(globals.beyond(self.carried.iter().filter(|c| c.ordered)));
        }
        set
    }

    /// The same for a barrier that waits for `before`.
    pub(super) fn is_granted_before(&self, before: LeafSet, globals: &Carried) -> bool {
        !self.granted.is_empty() && self.granted.union(self.carried_to(globals)).meets(before)
    }

    /// Where it was carried by barriers on its bytes.
    pub(super) fn carries(&self) -> &[Carry] {
        &self.carried
    }

    /// Whether a barrier picks the version up (reading R14).
    pub(super) fn is_taken_by(&self, scopes: &BarrierScopes, globals: &Carried) -> bool {
        let named = match self.writer {
            Writer::Work(leaf) => {
                scopes.before.stages.has(leaf) && scopes.before.accesses.intersects(self.access)
            }
            Writer::Transition(_) => false,
        };
        named || scopes.before.stages.meets(self.carried_to(globals))
    }

    /// Whether a transition precedes a barrier on its bytes, as far as the state tells (reading R12).
    pub(super) fn composes(&self, step: &BarrierStep<'_>, globals: &Carried) -> bool {
        let before = step.scopes.before.stages;
        let linked = step.own
            && step.latest.is_some_and(|(position, after)| {
                position == self.link && (step.extends || after.meets(before))
            });
        let ordered = || self.ordered_to(globals);
        linked
            || self.is_behind(step.awaited)
            || step.scopes.waits_for_all && !ordered().is_empty()
            || globals.any()
                && globals
                    .beyond(self.carried.iter().filter(|c| c.ordered))
                    .meets(before)
    }

    /// Remembers that a transition composes with a barrier of its resource.
    pub(super) fn link(&mut self, position: u32) {
        self.link = position;
    }

    /// Whether a transition composes with the barrier at `position`.
    pub(super) fn is_linked(&self, position: u32) -> bool {
        self.link == position
    }

    /// The last barrier with which a transition composes.
    pub(super) fn link_position(&self) -> u32 {
        self.link
    }

    /// Whether two versions differ only in when they were made, carried and shown, and in which order.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let carried = |version: &Self| {
            [false, true].map(|ordered| {
                let carries = version.carried.iter().filter(|c| c.ordered == ordered);
                carries.fold(LeafSet::EMPTY, |set, carry| set.union(carry.stages))
            })
        };
        let shows = |one: &Self, two: &Self| {
            let mut visible = two.visible.iter();
            visible.all(|(stages, accesses, _)| one.has_shown(*stages, *accesses))
        };
        (self.writer, self.access, self.granted) == (other.writer, other.access, other.granted)
            && carried(self) == carried(other)
            && shows(self, other)
            && shows(other, self)
    }

    /// Takes what another one that is alike has further out.
    pub(super) fn widen(&mut self, by: &Self, bound: Bound) {
        self.position = bound.of(self.position, by.position);
        self.link = bound.of(self.link, by.link);
        self.widen_carried(by, bound);
        // Which barriers have shown it decides nothing: one of the two stands for both.
        let mark = |version: &Self| -> SmallVec<[_; 4]> {
            let visible = version.visible.iter();
            let mark = |(stages, accesses, by): &Shown| (*by, *stages, accesses.bits());
            visible.map(mark).collect()
        };
        if self.visible != by.visible && bound.of(mark(self), mark(by)) != mark(self) {
            self.visible.clone_from(&by.visible);
        }
    }

    /// Leaf by leaf, since barriers need not have come in the same order.
    fn widen_carried(&mut self, by: &Self, bound: Bound) {
        if self.carried == by.carried {
            return;
        }
        let mut wide: SmallVec<[Carry; 2]> = SmallVec::new();
        for known in &self.carried {
            for leaf in known.stages.iter() {
                let same = |c: &&Carry| c.ordered == known.ordered && c.stages.has(leaf);
                let other = by.carried.iter().find(same);
                let position =
                    other.map_or(known.position, |c| bound.of(known.position, c.position));
                let joins = |c: &&mut Carry| (c.position, c.ordered) == (position, known.ordered);
                match wide.iter_mut().find(joins) {
                    Some(carry) => carry.stages = carry.stages.union(leaf.into()),
                    None => wide.push(Carry {
                        stages: leaf.into(),
                        position,
                        ordered: known.ordered,
                    }),
                }
            }
        }
        wide.sort_by_key(|carry| carry.position);
        self.carried = wide;
    }

    /// A barrier that picked the version up carries it on.
    pub(super) fn carry(
        &mut self,
        after: crate::api::Scope,
        position: u32,
        barrier: Option<BarrierRef>,
        ordered: bool,
    ) {
        let mut fresh = after.stages;
        for carry in self.carried.iter().filter(|c| c.ordered || !ordered) {
            fresh = fresh.minus(carry.stages);
        }
        if !fresh.is_empty() {
            self.carried.push(Carry {
                stages: fresh,
                position,
                ordered,
            });
        }
        self.show(after.stages, after.accesses, barrier);
    }

    fn show(&mut self, stages: LeafSet, accesses: BarrierAccess, barrier: Option<BarrierRef>) {
        if !stages.is_empty() && !accesses.is_empty() && !self.has_shown(stages, accesses) {
            self.visible.push((stages, accesses, barrier));
        }
    }

    /// Whether one barrier has shown it to all of some stages and accesses.
    fn has_shown(&self, stages: LeafSet, accesses: BarrierAccess) -> bool {
        let known = |(s, a, _): &Shown| s.contains(stages) && a.contains(accesses);
        self.visible.iter().any(known)
    }

    /// Whether an access at a leaf sees the version.
    #[inline]
    pub(super) fn is_visible(&self, access: BarrierAccess, leaf: Leaf, globals: &Globals) -> bool {
        self.visible
            .iter()
            .any(|(stages, accesses, _)| stages.has(leaf) && accesses.contains(access))
            || (globals.carried().any() && globals.shows(self, access, leaf))
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

    /// Whether something about it was reported and is taken for granted since.
    pub(super) fn has_grants(&self) -> bool {
        !self.granted.is_empty()
    }

    /// Takes for granted what was reported as missing, as if a barrier just before the use had said it.
    pub(super) fn grant(&mut self, access: BarrierAccess, leaves: LeafSet, position: u32) {
        self.granted = self.granted.union(leaves);
        let scope = crate::api::Scope {
            stages: leaves,
            accesses: access,
        };
        self.carry(scope, position, None, true);
    }
}
