//! Whether packets ensure a pair of uses: all of those between the two, together (reading R78).
//!
//! From the first use on, what is certain is carried along the packets: whether the use has ended, and which operations
//! bring its version to where the second looks for it. A wait for the use's stages or for later work that comes after it,
//! a packet that follows another, a hold: each hands on what is certain, as in `effects.rs`. The second use must find all
//! of it. An operation on a layout is a use of its own, at its place in its packet, that reads and rewrites.
//!
//! * `events.rs` finds what acts where among the packets, and through which caches.
//! * `course.rs` carries what is certain from one of them to another.
//!
//! Cost: for each pair the packets between its uses, up to [`STEPS_MAX`](course::STEPS_MAX) a scope. Pairs beyond that are taken to be
//! unensured: the barriers that they pass do less than their masks ask, or nobody would ask about them.

mod course;
mod events;

use super::asked::{Asked, Operations};
use super::caches::CacheSet;
use super::paths::Walk;
use super::{ScopeCheck, What, halves};
use crate::api::BarrierAccess;
use crate::hardware::Profile;
use crate::id::{BarrierRef, Extent, LayoutOpId, NodeId, ResourceId, SubmissionId};
use crate::order::Timeline;
use crate::program::{BarrierRole, Block, HwOp, HwOpKind, Reach, StepKind};
use crate::scenario::Barrier;
use events::{Event, Way, layouts_of};
use smallvec::SmallVec;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Pieces of the bytes of a pair that are looked at one by one, where no packet reaches all of them.
const PIECES_MAX: usize = 1 << 10;

/// Two uses of one scope that touch the same bytes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    /// The earlier use.
    pub first: Point,
    /// The later use.
    pub second: Point,
    /// The machine keeps them in order by itself (reading R18), unless an operation on the layout comes between.
    pub in_raster_order: bool,
    /// The latest change of the layout before the second use, if the first side is a change before that one: what the earlier one asks
    /// for is missing only if the layout that the latest one leaves needs it, too.
    pub through: Option<BarrierRef>,
}

/// What touches bytes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    /// The executed command, or the `Barrier()` call.
    pub node: NodeId,
    /// Which part of it.
    pub part: Part,
}

/// Part of a node that touches bytes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// A use, by its index in the command or in the `set-root` that it is from.
    Use {
        /// The `set-root`.
        root: Option<NodeId>,
        /// The index.
        index: u32,
    },
    /// A barrier entry that changes how texels are stored.
    Entry(u32),
    /// Whatever touched the bytes in an earlier scope, and how: a scope ends with its work ended and its writes in memory or
    /// in what every client shares.
    Earlier {
        /// The resource.
        resource: ResourceId,
        /// The accesses.
        access: BarrierAccess,
    },
}

impl Point {
    fn barrier(self) -> Option<BarrierRef> {
        match self.part {
            Part::Entry(entry) => Some(BarrierRef::new(self.node, entry)),
            Part::Use { .. } | Part::Earlier { .. } => None,
        }
    }
}

/// What is missing between the two uses of a pair; with each, whether some packet has it at the wrong time. A wait is for
/// the stages of the first, a hold of those of the second.
pub type Missing = SmallVec<[(What, bool); 2]>;

/// The pairs that the packets of a scope do not ensure, by their index, and what each lacks.
pub fn unensured(
    timeline: &Timeline<'_>,
    profile: &Profile,
    (id, block): (SubmissionId, &Block),
    pairs: &[Pair],
) -> Vec<(usize, Missing)> {
    let Some(scope) = ScopeCheck::new(timeline, profile, (id, block)) else {
        return Vec::new();
    };
    let packets = Packets::new(&scope, id);
    let missing = pairs.iter().map(|pair| packets.missing(*pair)).enumerate();
    missing.filter(|(_, missing)| !missing.is_empty()).collect()
}

/// Whether a packet of a scope, before the work of a command, leaves what the change of an earlier scope asks for: a split pair
/// acts once, and may act where its second half is (reading R27).
pub fn leaves_layout(
    timeline: &Timeline<'_>,
    profile: &Profile,
    (id, block): (SubmissionId, &Block),
    change: BarrierRef,
    before: NodeId,
) -> bool {
    let Some(scope) = ScopeCheck::new(timeline, profile, (id, block)) else {
        return false;
    };
    let packets = Packets::new(&scope, id);
    let until = packets.work.partition_point(|(node, _)| *node < before);
    let until = packets.work.get(until).map_or(block.ops.len(), |it| it.1);
    let asked = packets.asks(change);
    asked.is_none_or(|(op, bytes)| packets.changes(change, op, until, &bytes))
}

/// The packets of a scope, and where each command's are.
struct Packets<'c, 'a, 's> {
    scope: &'c ScopeCheck<'a, 's>,
    /// Packets of work, ascending by node.
    work: Vec<(NodeId, usize)>,
    /// Packets of entries.
    own: BTreeMap<BarrierRef, SmallVec<[usize; 2]>>,
    /// Packets with layout operations, ascending.
    layouts: Vec<usize>,
    /// The other half of each half of a split barrier.
    halves: BTreeMap<BarrierRef, BarrierRef>,
    steps: Cell<u64>,
}

impl<'c, 'a, 's> Packets<'c, 'a, 's> {
    fn new(scope: &'c ScopeCheck<'a, 's>, id: SubmissionId) -> Self {
        let (mut work, mut layouts) = (Vec::new(), Vec::new());
        let mut own: BTreeMap<BarrierRef, SmallVec<[usize; 2]>> = BTreeMap::new();
        for (at, op) in scope.block.ops.iter().enumerate() {
            match (&op.kind, op.origin.entry) {
                (HwOpKind::Work(_), _) => work.push((op.origin.node, at)),
                (HwOpKind::Barrier(barrier), entry) => {
                    let mut steps = barrier.steps.of(&scope.block.steps).iter();
                    if steps.any(|step| matches!(step.kind, StepKind::Layout { .. })) {
                        layouts.push(at);
                    }
                    let node = op.origin.node;
                    if let Some(entry) = entry {
                        own.entry(BarrierRef { node, entry }).or_default().push(at);
                    }
                }
                _ => {}
            }
        }
        let pairs = halves::pairs(scope.timeline, id).into_iter();
        Self {
            scope,
            work,
            own,
            layouts,
            halves: pairs.flat_map(|(a, b)| [(a, b), (b, a)]).collect(),
            steps: Cell::new(0),
        }
    }

    fn block(&self) -> &'a Block {
        self.scope.block
    }

    /// What is missing between the uses of a pair.
    fn missing(&self, pair: Pair) -> Missing {
        let mut missing = Missing::new();
        let seconds = self.events(pair.second);
        let change = pair.first.barrier();
        if let (Some(change), Some(latest)) = (change, pair.through) {
            return self.unchanged_through(change, latest, &seconds);
        }
        for first in &self.events(pair.first) {
            for second in &seconds {
                if first.writes() || second.writes() {
                    let found = self.between(first, second, pair.in_raster_order);
                    add(&mut missing, found);
                }
            }
        }
        if let (Some(change), None) = (change, pair.second.barrier()) {
            let asked = self.asks_whole(change);
            add(&mut missing, self.unchanged(change, asked, &seconds));
        }
        missing
    }

    /// What is missing between two events. Operations on the layout between them take over: the first must reach them, and
    /// they the second.
    fn between(&self, first: &Event<'a>, second: &Event<'a>, in_raster_order: bool) -> Missing {
        let bytes = first.common(second);
        let same = !first.earlier && first.op == second.op && first.step.is_none();
        if bytes.is_empty() || same {
            return Missing::new();
        }
        if !first.earlier && first.place() >= second.place() {
            // A packet is on the wrong side of a use.
            let layout = first.layout.or(second.layout);
            return layout
                .into_iter()
                .map(|op| (What::Layout(op), true))
                .collect();
        }
        let between = self.layouts_between(first.op, second.op);
        let layouts = between.flat_map(|at| layouts_of(self.scope, self.block(), at));
        let layouts = layouts.filter(|layout| {
            (first.earlier || first.place() < layout.place()) && layout.place() < second.place()
        });
        let layouts: SmallVec<[Event<'a>; 2]> = layouts.collect();
        let mut missing = Missing::new();
        for (layouts, bytes) in apart(bytes, &layouts) {
            let found = self.through(first, second, (&layouts, &bytes), in_raster_order);
            add(&mut missing, found);
        }
        missing
    }

    /// What is missing between two events, on bytes that each of these layout operations meets.
    fn through(
        &self,
        first: &Event<'a>,
        second: &Event<'a>,
        (layouts, bytes): (&[&Event<'a>], &[Extent]),
        in_raster_order: bool,
    ) -> Missing {
        let mut missing = Missing::new();
        let mut last = first;
        for layout in layouts {
            add(&mut missing, self.lacks(last, layout, bytes));
            last = *layout;
        }
        if !(layouts.is_empty() && in_raster_order) {
            add(&mut missing, self.lacks(last, second, bytes));
        }
        let rewrites = |layout: &&Event<'a>| layout.ways.iter().any(|way| !way.metadata);
        if !layouts.iter().all(rewrites) && !in_raster_order {
            // Texels stay as they are.
            add(&mut missing, self.lacks(first, second, bytes));
        }
        missing
    }

    fn layouts_between(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let start = self.layouts.partition_point(|at| *at < from);
        let layouts = self.layouts[start..].iter().copied();
        layouts.take_while(move |at| *at <= to)
    }

    /// The layout operation that a change asks for, if none that leaves the same comes before a use that looks.
    fn unchanged(
        &self,
        change: BarrierRef,
        asked: Option<(LayoutOpId, SmallVec<[Extent; 2]>)>,
        seconds: &[Event<'a>],
    ) -> Missing {
        let Some((op, extents)) = asked else {
            return Missing::new();
        };
        let lacks = |second: &Event<'a>| {
            let bytes = Extent::common(&extents, second.extents);
            !bytes.is_empty() && !self.changes(change, op, second.op, &bytes)
        };
        let is_missing = seconds.iter().any(lacks);
        let missing = is_missing.then_some((What::Layout(op), false));
        missing.into_iter().collect()
    }

    /// The layout operation of a change before the latest one, if the use after both finds neither it nor what one change from the
    /// layout before the first to the layout after the latest would ask for.
    fn unchanged_through(
        &self,
        change: BarrierRef,
        latest: BarrierRef,
        seconds: &[Event<'a>],
    ) -> Missing {
        let (Some((op, own)), Some((both, other))) =
            (self.asks_whole(change), self.asks_through(change, latest))
        else {
            return Missing::new();
        };
        let bytes = Extent::common(&own, &other);
        let undone = |op| self.unchanged(change, Some((op, bytes.clone())), seconds);
        if undone(both).is_empty() {
            return Missing::new();
        }
        undone(op)
    }

    /// What a change asks for, in halves or not: the first half asks.
    fn asks_whole(&self, change: BarrierRef) -> Option<(LayoutOpId, SmallVec<[Extent; 2]>)> {
        let other = || self.halves.get(&change).copied();
        self.asks(change).or_else(|| self.asks(other()?))
    }

    /// What one change would ask for from the layout before a change to the layout after a later one, on the bytes of the later one.
    fn asks_through(
        &self,
        change: BarrierRef,
        latest: BarrierRef,
    ) -> Option<(LayoutOpId, SmallVec<[Extent; 2]>)> {
        let timeline = self.scope.timeline;
        let (change, latest) = (self.entry(change)?, self.entry(latest)?);
        let (from, to) = (change.as_texture()?, latest.as_texture()?);
        let resource = timeline.scenario.resource(change.resource()?);
        let layouts = (from.layout_before, to.layout_after);
        let op = self.scope.layout_op(resource, layouts, from.discard)?;
        let mut bytes = SmallVec::new();
        let memory = &timeline.memory;
        memory.for_each_barrier_extent(timeline.scenario, latest, |extent| bytes.push(extent));
        Some((op, bytes))
    }

    fn entry(&self, entry: BarrierRef) -> Option<&'s Barrier> {
        let command = self.scope.timeline.command(entry.node)?;
        command.kind.barriers().get(entry.entry as usize)
    }

    /// The layout operation that an entry asks for, and where.
    fn asks(&self, entry: BarrierRef) -> Option<(LayoutOpId, SmallVec<[Extent; 2]>)> {
        let barrier = self.entry(entry)?;
        let asked = self.scope.asked(barrier, barrier.resource(), None);
        Some((asked.operations.layout?, asked.extents?))
    }

    /// Whether packets between the last use before a change and a use after it leave what the change asks for, on all bytes.
    fn changes(&self, change: BarrierRef, op: LayoutOpId, until: usize, bytes: &[Extent]) -> bool {
        let block = self.block();
        let touches = |at: usize, bytes: &[Extent]| match &block.ops[at].kind {
            HwOpKind::Work(work) => work.accesses.of(&block.accesses).iter().any(|access| {
                let extents = access.extents.of(&block.extents);
                !Extent::common(bytes, extents).is_empty()
            }),
            _ => false,
        };
        let leaves = |op: LayoutOpId| &self.scope.profile.layout_op(op).to;
        let before = self.work.partition_point(|(node, _)| *node < change.node);
        let mut before = self.work[..before].iter().rev().map(|(_, at)| *at);
        let (mut rest, mut until): (SmallVec<[Extent; 2]>, _) = (bytes.into(), until);
        loop {
            // The rest of the bytes may have had their last use earlier, and their change as well.
            let last = before.find(|at| touches(*at, &rest));
            for at in self.layouts_between(last.unwrap_or(0), until) {
                let layouts = layouts_of(self.scope, block, at);
                for layout in
                    layouts.filter(|it| it.layout.is_some_and(|it| leaves(it) == leaves(op)))
                {
                    rest = Extent::minus(&rest, layout.extents);
                }
            }
            match last {
                _ if rest.is_empty() => return true,
                Some(last) if !touches(last, &rest) => until = last,
                _ => return false,
            }
        }
    }

    /// What is missing between two events with nothing between them that rewrites, on common bytes.
    fn lacks(&self, first: &Event<'a>, second: &Event<'a>, bytes: &[Extent]) -> Missing {
        let operations = self.operations(first, second);
        let whole = self.lacks_on(first, second, (operations, bytes));
        if whole.is_empty() || operations.is_empty() {
            return whole;
        }
        // Several packets may reach a part each.
        let pieces = self.pieces(first, second, bytes);
        if pieces.len() == 1 || pieces.len() > PIECES_MAX {
            return whole;
        }
        let mut missing = Missing::new();
        for piece in pieces {
            let found = self.lacks_on(first, second, (operations, &[piece]));
            add(&mut missing, found);
        }
        missing
    }

    fn lacks_on(
        &self,
        first: &Event<'a>,
        second: &Event<'a>,
        (operations, bytes): (Operations, &[Extent]),
    ) -> Missing {
        let asked = Asked {
            hold: second.stages,
            operations,
            extents: Some(SmallVec::from_slice(bytes)),
            ..Asked::default()
        };
        let found = self.walk(first, second, &asked, false);
        let mut missing = Missing::new();
        if found.there.is_all() {
            return missing;
        }
        // Whether some packet has an operation, be it before the first use has ended.
        let ever = self.walk(first, second, &asked, true);
        let left = if found.there.ended {
            found.there.progress.left
        } else {
            missing.push(match (second.layout, found.all.ended) {
                (Some(op), true) => (What::Layout(op), true),
                (None, true) => (What::Hold(second.stages), false),
                (_, false) => (What::Wait(first.stages), false),
            });
            ever.all.progress.left
        };
        let is_there = |what| !ever.all.progress.left.contains(what);
        missing.extend(left.iter().map(|what| (what, is_there(what))));
        missing
    }

    /// What must happen between two events for the second to find what the first left, or not to lose its own.
    fn operations(&self, first: &Event<'_>, second: &Event<'_>) -> Operations {
        let profile = self.scope.profile;
        let routes = profile.texel_routes();
        let mut walk = Walk::default();
        if self.is_in_tiles(first, second) {
            return Operations::default();
        }
        for before in &first.ways {
            for after in &second.ways {
                if before.metadata != after.metadata || !before.writes {
                    continue;
                }
                let path = |way: &Way| way.path.map_or(&[] as &[_], |path| profile.path(path));
                let (from, to) = (path(before), path(after));
                if after.writes {
                    walk.leave(routes, from, to);
                } else {
                    walk.reach(routes, from, to);
                }
            }
        }
        let clean = if first.earlier {
            CacheSet::default()
        } else {
            walk.clean
        };
        Operations {
            clean,
            invalidate: walk.invalidate,
            // It comes to what a scope has when that has started.
            front_end: second.ahead && first.writes() && !first.earlier,
            ..Operations::default()
        }
    }

    /// Whether both are in tile memory, within one pass: they meet there.
    fn is_in_tiles(&self, first: &Event<'_>, second: &Event<'_>) -> bool {
        let block = self.block();
        let Some(tiles) = &self.scope.profile.tile_pass else {
            return false;
        };
        let in_tiles = |event: &Event<'_>| {
            let mut ways = event.ways.iter();
            event.step.is_none() && ways.any(|way| !way.metadata && way.path == Some(tiles.path))
        };
        let ends = |op: &HwOp| match &op.kind {
            HwOpKind::Barrier(barrier) => {
                let mut steps = barrier.steps.of(&block.steps).iter();
                matches!(barrier.role, BarrierRole::PassBegin | BarrierRole::PassEnd)
                    || steps.any(|step| matches!(step.kind, StepKind::TileStore { .. }))
            }
            _ => false,
        };
        in_tiles(first) && in_tiles(second) && !block.ops[first.op..second.op].iter().any(ends)
    }

    /// The bytes, cut where the reach of a packet between two events begins or ends.
    fn pieces(&self, first: &Event<'a>, second: &Event<'a>, bytes: &[Extent]) -> Vec<Extent> {
        let block = self.block();
        let mut cuts = Vec::new();
        for op in &block.ops[first.op..=second.op] {
            let HwOpKind::Barrier(barrier) = &op.kind else {
                continue;
            };
            for step in barrier.steps.of(&block.steps) {
                let reach = match step.kind {
                    StepKind::Clean { reach, .. } | StepKind::Invalidate { reach, .. } => reach,
                    StepKind::TileStore { extents, .. } => Reach::Extents(extents),
                    _ => continue,
                };
                for extent in block.reach(reach).into_iter().flatten() {
                    cuts.extend([(extent.memory, extent.start), (extent.memory, extent.end)]);
                }
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut pieces = Vec::new();
        for bytes in bytes {
            let mut start = bytes.start;
            let from = cuts.partition_point(|cut| *cut <= (bytes.memory, start));
            for (_, cut) in cuts[from..]
                .iter()
                .take_while(|cut| **cut < (bytes.memory, bytes.end))
            {
                pieces.push(bytes.at(start, *cut));
                start = *cut;
            }
            pieces.push(Extent { start, ..*bytes });
        }
        pieces
    }
}

/// The layout operations that meet some bytes, and the bytes.
type Met<'e, 'b> = (SmallVec<[&'e Event<'b>; 2]>, SmallVec<[Extent; 2]>);

/// Bytes, apart by which of some layout operations meet them.
fn apart<'e, 'b>(bytes: SmallVec<[Extent; 2]>, layouts: &'e [Event<'b>]) -> Vec<Met<'e, 'b>> {
    let mut apart: Vec<Met<'_, '_>> = vec![(SmallVec::new(), bytes)];
    for layout in layouts {
        for at in 0..apart.len() {
            let (through, bytes) = &mut apart[at];
            let met = Extent::common(bytes, layout.extents);
            if met.is_empty() {
                continue;
            }
            let rest = Extent::minus(bytes, layout.extents);
            let mut both = through.clone();
            both.push(layout);
            if rest.is_empty() {
                *through = both;
            } else {
                *bytes = rest;
                apart.push((both, met));
            }
        }
    }
    apart
}

/// Adds what is not yet among what is missing.
fn add(missing: &mut Missing, found: Missing) {
    for what in found {
        if !missing.contains(&what) {
            missing.push(what);
        }
    }
}
