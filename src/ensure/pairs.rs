//! Whether packets ensure a pair of uses: all of those between the two, together (reading R78).
//!
//! From the first use on, what is certain is carried along the packets: whether the use has ended, and which operations
//! bring its version to where the second looks for it. A wait for the use's stages or for later work that comes after it,
//! a packet that follows another, a hold: each hands on what is certain, as in `effects.rs`. The second use must find all
//! of it. An operation on a layout is a use of its own, at its place in its packet, that reads and rewrites.
//!
//! Cost: for each pair the packets between its uses, up to [`STEPS_MAX`] a scope. Pairs beyond that are taken to be
//! unensured: the barriers that they pass do less than their masks ask, or nobody would ask about them.

use super::asked::{self, Asked, Operations};
use super::caches::CacheSet;
use super::effects::Progress;
use super::paths::Walk;
use super::{ScopeCheck, What, halves};
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::hardware::{Client, Profile};
use crate::id::{BarrierRef, Extent, LayoutOpId, NodeId, OpId, PathId, ResourceId, SubmissionId};
use crate::order::Timeline;
use crate::program::{
    Access, AccessMode, BarrierOp, BarrierRole, Block, HwOp, HwOpKind, LayoutAct, Reach, Step,
    StepKind, Work,
};
use crate::scenario::Barrier;
use smallvec::{SmallVec, smallvec};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Packets that are walked for the pairs of one scope.
const STEPS_MAX: u64 = 1 << 26;

/// Pieces of the bytes of a pair that are looked at one by one, where no packet reaches all of them.
const PIECES_MAX: usize = 1 << 10;

/// Reads by the engines of copies and resolves.
const ENGINES: BarrierAccess = BarrierAccess::COPY_SOURCE.union(BarrierAccess::RESOLVE_SOURCE);

/// Two uses of one scope that touch the same bytes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    /// The earlier use.
    pub first: Point,
    /// The later use.
    pub second: Point,
    /// The machine keeps them in order by itself (reading R18), unless an operation on the layout comes between.
    pub in_raster_order: bool,
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
            Part::Entry(entry) => Some(BarrierRef {
                node: self.node,
                entry,
            }),
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

/// What a client does to texels or metadata, and through which caches.
#[derive(Copy, Clone)]
struct Way {
    metadata: bool,
    writes: bool,
    /// `None`: it goes to memory itself.
    path: Option<PathId>,
}

/// One use, or one layout operation, at its place among the packets.
struct Event<'b> {
    /// Index of the packet.
    op: usize,
    /// The step, if it is one of a barrier packet.
    step: Option<usize>,
    /// It happened before the scope.
    earlier: bool,
    /// The layout operation of that step.
    layout: Option<LayoutOpId>,
    stages: LeafSet,
    ways: SmallVec<[Way; 4]>,
    extents: &'b [Extent],
}

impl Event<'_> {
    fn writes(&self) -> bool {
        self.ways.iter().any(|way| way.writes)
    }

    fn place(&self) -> (usize, Option<usize>) {
        (self.op, self.step)
    }

    fn common(&self, other: &Self) -> SmallVec<[Extent; 2]> {
        if self.earlier {
            // What is asked about is that it meets the other's bytes.
            return SmallVec::from_slice(other.extents);
        }
        common(self.extents, other.extents)
    }
}

/// What is certain at some point: whether the first use has ended, and which operations have not happened since.
#[derive(Copy, Clone)]
struct Certain {
    ended: bool,
    progress: Progress,
}

impl Certain {
    /// Makes certain what one or the other makes certain.
    fn and(&mut self, other: &Self) {
        self.ended |= other.ended;
        self.progress.and(&other.progress);
    }

    fn is_all(&self) -> bool {
        self.ended && self.progress.left.is_empty()
    }
}

/// What comes of a walk from one use to another.
struct Reached {
    /// At the second use.
    there: Certain,
    /// After all packets before it, whomever they hold.
    all: Certain,
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
        let mut add = |found: Missing| {
            for what in found {
                if !missing.contains(&what) {
                    missing.push(what);
                }
            }
        };
        let (firsts, seconds) = (self.events(pair.first), self.events(pair.second));
        for first in &firsts {
            for second in &seconds {
                if first.writes() || second.writes() {
                    add(self.between(first, second, pair.in_raster_order));
                }
            }
        }
        if let (Some(change), None) = (pair.first.barrier(), pair.second.barrier()) {
            add(self.unchanged(change, &seconds));
        }
        missing
    }

    /// What acts at a point: the accesses of a use, the layout operations of an entry's own packets.
    fn events(&self, point: Point) -> SmallVec<[Event<'a>; 2]> {
        let block = self.block();
        match point.part {
            Part::Use { root, index } => {
                let from = self.work.partition_point(|(node, _)| *node < point.node);
                let own = self.work[from..].iter();
                let own = own.take_while(|(node, _)| *node == point.node);
                own.flat_map(|(_, at)| self.accesses(*at, (root, index)))
                    .collect()
            }
            Part::Earlier { resource, access } => smallvec![self.earlier(resource, access)],
            Part::Entry(entry) => {
                let node = point.node;
                let own = BarrierRef { node, entry };
                let halves = [Some(own), self.halves.get(&own).copied()];
                let halves = halves.into_iter().flatten();
                let packets = halves.filter_map(|half| self.own.get(&half)).flatten();
                let events = packets.flat_map(|at| layouts_of(self.scope, block, *at));
                events.collect()
            }
        }
    }

    /// Ways of what touched a resource before the scope.
    fn earlier(&self, resource: ResourceId, access: BarrierAccess) -> Event<'a> {
        let profile = self.scope.profile;
        let mut ways: SmallVec<[Way; 4]> = SmallVec::new();
        let texture = self.scope.timeline.scenario.resource(resource);
        for variant in self.scope.variants_of(texture, None).iter() {
            for metadata in [false, true] {
                let routes = if metadata {
                    profile.metadata_routes_of(variant)
                } else {
                    profile.texel_routes_of(variant)
                };
                let way = |writes| {
                    move |path| Way {
                        metadata,
                        writes,
                        path,
                    }
                };
                for access in access.iter() {
                    let client = Client::of(access, self.scope.queue);
                    if access.writes() {
                        ways.extend(routes.write_paths(client).map(Some).map(way(true)));
                    } else {
                        let paths = routes.read_paths(client).iter().copied();
                        ways.extend(paths.map(Some).map(way(false)));
                    }
                }
                if access.is_empty() {
                    // The CPU.
                    ways.push(way(true)(None));
                }
            }
        }
        Event {
            op: 0,
            step: None,
            earlier: true,
            layout: None,
            stages: LeafSet::EMPTY,
            ways,
            extents: &[],
        }
    }

    fn accesses(&self, at: usize, (root, index): (Option<NodeId>, u32)) -> Vec<Event<'a>> {
        let block = self.block();
        let HwOpKind::Work(work) = &block.ops[at].kind else {
            return Vec::new();
        };
        let accesses = work.accesses.of(&block.accesses).iter();
        let is_own = |of_root: bool, use_index: u16| {
            u32::from(use_index) == index
                && of_root == root.is_some()
                && (!of_root || work.root == root)
        };
        accesses
            .filter(|access| is_own(access.of_root, access.use_index))
            .map(|access| {
                let writes = access.mode == AccessMode::Write;
                // A clear value is in metadata only.
                let texels = !access.clears || access.metadata.is_none();
                let texels = texels.then_some((false, access.path));
                let metadata = access.metadata.or_else(|| self.written_along(access));
                let metadata = metadata.map(|path| (true, path));
                let taken = texels.into_iter().chain(metadata);
                let way = |(metadata, path)| Way {
                    metadata,
                    writes,
                    path: Some(path),
                };
                let ways = taken.flat_map(|it| self.ways(access, it)).map(way);
                Event {
                    op: at,
                    step: None,
                    earlier: false,
                    layout: None,
                    stages: access.stages,
                    ways: ways.collect(),
                    extents: access.extents.of(&block.extents),
                }
            })
            .collect()
    }

    /// The path of the metadata that is written along with what ignores it and writes whole subresources (reading R25).
    fn written_along(&self, access: &Access) -> Option<PathId> {
        let profile = self.scope.profile;
        let texture = self.scope.timeline.scenario.resource(access.resource);
        let writes = access.mode == AccessMode::Write && access.initialises;
        if !writes || !profile.compresses() || !asked::stored_compressed(texture) {
            return None;
        }
        let routes = profile.metadata_routes();
        routes.write_paths(Client::LayoutOperation).next()
    }

    /// The paths that a read may take: the machine takes one, and another of the client's is as good. A copy or resolve takes
    /// that one: what goes before it has made sure of no other (reading R20).
    fn ways(&self, access: &Access, (metadata, taken): (bool, PathId)) -> Vec<(bool, PathId)> {
        let profile = self.scope.profile;
        let client = Client::of(access.access, self.scope.queue);
        let resource = self.scope.timeline.scenario.resource(access.resource);
        let mut ways = vec![(metadata, taken)];
        let is_fixed = access.mode == AccessMode::Write
            || access.access.is_empty()
            || access.access.intersects(ENGINES);
        for variant in self.scope.variants_of(resource, None).iter() {
            let routes = if metadata {
                profile.metadata_routes_of(variant)
            } else {
                profile.texel_routes_of(variant)
            };
            // Some stages have a path of their own.
            let paths = routes.read_paths(client);
            if is_fixed || paths[0] != taken {
                continue;
            }
            for path in paths {
                if !ways.contains(&(metadata, *path)) {
                    ways.push((metadata, *path));
                }
            }
        }
        ways
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
        let mut rewrites = true;
        let mut missing = Missing::new();
        let mut last: Option<Event<'a>> = None;
        for at in self.layouts_between(first.op, second.op) {
            for layout in layouts_of(self.scope, self.block(), at) {
                if !first.earlier && layout.place() <= first.place()
                    || layout.place() >= second.place()
                    || common(&bytes, layout.extents).is_empty()
                {
                    continue;
                }
                rewrites &= layout.ways.iter().any(|way| !way.metadata);
                missing.extend(self.lacks(last.as_ref().unwrap_or(first), &layout, &bytes));
                last = Some(layout);
            }
        }
        match last {
            None if in_raster_order => missing,
            None => self.lacks(first, second, &bytes),
            Some(last) => {
                missing.extend(self.lacks(&last, second, &bytes));
                if !rewrites && !in_raster_order {
                    // Texels stay as they are.
                    missing.extend(self.lacks(first, second, &bytes));
                }
                missing
            }
        }
    }

    fn layouts_between(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let start = self.layouts.partition_point(|at| *at < from);
        let layouts = self.layouts[start..].iter().copied();
        layouts.take_while(move |at| *at <= to)
    }

    /// The layout operation that an entry asks for, if none that leaves the same comes before a use that looks.
    fn unchanged(&self, change: BarrierRef, seconds: &[Event<'a>]) -> Missing {
        let asks = |half: BarrierRef| {
            let command = self.scope.timeline.command(half.node)?;
            let entry: &Barrier = command.kind.barriers().get(half.entry as usize)?;
            let asked = self.scope.asked(entry, entry.resource(), None);
            Some((asked.operations.layout?, asked.extents?))
        };
        // The first half of a split barrier asks.
        let other = || self.halves.get(&change).copied();
        let Some((op, extents)) = asks(change).or_else(|| asks(other()?)) else {
            return Missing::new();
        };
        let lacks = |second: &Event<'a>| {
            let bytes = common(&extents, second.extents);
            !bytes.is_empty() && !self.changes(change, op, second.op, &bytes)
        };
        let is_missing = seconds.iter().any(lacks);
        let missing = is_missing.then_some((What::Layout(op), false));
        missing.into_iter().collect()
    }

    /// Whether a packet between the last use before a change and a use after it leaves what the change asks for.
    fn changes(&self, change: BarrierRef, op: LayoutOpId, until: usize, bytes: &[Extent]) -> bool {
        let block = self.block();
        let before = self.work.partition_point(|(node, _)| *node < change.node);
        let touches = |at: &usize| match &block.ops[*at].kind {
            HwOpKind::Work(work) => work.accesses.of(&block.accesses).iter().any(|access| {
                let extents = access.extents.of(&block.extents);
                !common(bytes, extents).is_empty()
            }),
            _ => false,
        };
        let mut before = self.work[..before].iter().rev().map(|(_, at)| *at);
        let from = before.find(touches).unwrap_or(0);
        let leaves = |op: LayoutOpId| &self.scope.profile.layout_op(op).to;
        self.layouts_between(from, until).any(|at| {
            let mut layouts = layouts_of(self.scope, block, at);
            layouts.any(|layout| {
                let leaves_it = layout.layout.is_some_and(|it| leaves(it) == leaves(op));
                leaves_it && !common(bytes, layout.extents).is_empty()
            })
        })
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
        if pieces.len() <= bytes.len() || pieces.len() > PIECES_MAX {
            return whole;
        }
        let mut missing = Missing::new();
        for piece in pieces {
            for what in self.lacks_on(first, second, (operations, &[piece])) {
                if !missing.contains(&what) {
                    missing.push(what);
                }
            }
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
            if cuts.len() > 2 * PIECES_MAX {
                cuts.sort_unstable();
                cuts.dedup();
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
                pieces.push(Extent {
                    start,
                    end: *cut,
                    ..*bytes
                });
                start = *cut;
            }
            pieces.push(Extent { start, ..*bytes });
        }
        pieces
    }

    /// Carries what is certain from one event to another. `assumed`: the first is taken to have ended at once.
    fn walk(&self, first: &Event<'a>, second: &Event<'a>, asked: &Asked, assumed: bool) -> Reached {
        let block = self.block();
        let nothing = Certain {
            ended: assumed || first.earlier,
            progress: Progress::none_of(asked.operations),
        };
        let spent = self.steps.get() + (second.op - first.op) as u64;
        self.steps.set(spent);
        let mut course = Course {
            packets: self,
            asked,
            ends: self.ends(first),
            nothing,
            all: nothing,
            held: [nothing; Leaf::COUNT],
            work: [nothing; Leaf::COUNT],
            complete: SmallVec::new(),
        };
        if spent > STEPS_MAX {
            return course.reached(nothing);
        }
        if let Some(step) = first.step {
            course.begin(first.op, step);
        }
        let from = if first.earlier { 0 } else { first.op + 1 };
        for at in from..second.op {
            match &block.ops[at].kind {
                HwOpKind::Work(work) => course.pass(work),
                HwOpKind::Barrier(barrier) => course.packet(at, barrier),
                _ => {}
            }
        }
        match (&block.ops[second.op].kind, second.step) {
            (HwOpKind::Work(work), _) => {
                let there = course.at_work(work, second);
                course.reached(there)
            }
            (HwOpKind::Barrier(barrier), Some(step)) => {
                let there = if first.op == second.op && !first.earlier {
                    // Steps of one packet run one after the other.
                    let mut certain = nothing;
                    certain.ended = true;
                    let from = first.step.map_or(0, |step| step + 1);
                    let steps = barrier.steps.of(&block.steps);
                    course.operate(&steps[from..step], &mut certain);
                    certain
                } else {
                    let mut certain = course.arrive(barrier);
                    let steps = barrier.steps.of(&block.steps);
                    course.operate(&steps[..step], &mut certain);
                    certain
                };
                course.all.and(&there);
                course.reached(there)
            }
            _ => course.reached(nothing),
        }
    }

    /// Leaves whose work by the first event's own command ends when that event has ended, or later.
    fn ends(&self, first: &Event<'_>) -> LeafSet {
        let block = self.block();
        if first.earlier {
            return LeafSet::EMPTY;
        }
        let HwOpKind::Work(work) = &block.ops[first.op].kind else {
            return LeafSet::EMPTY;
        };
        let tasks = work.tasks.of(&block.tasks);
        let last = tasks.iter().rposition(|task| first.stages.has(task.leaf));
        let works = || tasks.iter().rposition(|task| !task.passes);
        let from = last.or_else(works).unwrap_or_default();
        // Nobody waits for a stage at which there is nothing to do.
        let ending = tasks[from..].iter().filter(|task| !task.passes);
        ending.fold(LeafSet::EMPTY, |set, task| set.union(task.leaf.into()))
    }
}

/// What is certain after each packet on the way.
struct Course<'p, 'c, 'a, 's> {
    packets: &'p Packets<'c, 'a, 's>,
    asked: &'p Asked,
    ends: LeafSet,
    nothing: Certain,
    all: Certain,
    /// By leaf: of the packets that hold it, and of its work.
    held: [Certain; Leaf::COUNT],
    work: [Certain; Leaf::COUNT],
    complete: SmallVec<[(OpId, Certain); 4]>,
}

impl Course<'_, '_, '_, '_> {
    fn reached(&self, there: Certain) -> Reached {
        Reached {
            there,
            all: self.all,
        }
    }

    /// The rest of the packet whose step the first event is.
    fn begin(&mut self, at: usize, step: usize) {
        let block = self.packets.block();
        if let HwOpKind::Barrier(barrier) = &block.ops[at].kind {
            let mut certain = self.nothing;
            certain.ended = true;
            let steps = barrier.steps.of(&block.steps);
            self.operate(&steps[step + 1..], &mut certain);
            self.finish(at, barrier, certain);
        }
    }

    fn packet(&mut self, at: usize, barrier: &BarrierOp) {
        let mut certain = self.arrive(barrier);
        let steps = barrier.steps.of(&self.packets.block().steps);
        self.operate(steps, &mut certain);
        self.finish(at, barrier, certain);
    }

    /// What is certain when a packet's waits have ended.
    fn arrive(&self, barrier: &BarrierOp) -> Certain {
        let mut certain = self.nothing;
        certain.ended |= !barrier.wait.intersection(self.ends).is_empty();
        for leaf in barrier.wait.iter() {
            certain.and(&self.work[leaf.index()]);
        }
        if barrier.after_all {
            certain.and(&self.all);
        } else {
            for after in barrier.after.of(&self.packets.block().after) {
                if let Ok(found) = self.complete.binary_search_by_key(after, |(op, _)| *op) {
                    certain.and(&self.complete[found].1);
                }
            }
        }
        certain
    }

    fn operate(&self, steps: &[Step], certain: &mut Certain) {
        if certain.ended {
            for step in steps {
                let scope = self.packets.scope;
                scope.strike(self.asked, &mut certain.progress, &step.kind);
            }
        }
    }

    fn finish(&mut self, at: usize, barrier: &BarrierOp, certain: Certain) {
        self.all.and(&certain);
        let op = self.packets.block().ops[at].id;
        self.complete.push((op, certain));
        for leaf in barrier.hold.iter() {
            self.held[leaf.index()].and(&certain);
        }
    }

    /// Work starts when the packets that hold it are complete, stage by stage: so it ends later than these.
    fn pass(&mut self, work: &Work) {
        let mut certain = self.nothing;
        for task in work.tasks.of(&self.packets.block().tasks) {
            certain.and(&self.held[task.leaf.index()]);
            if !task.passes {
                self.work[task.leaf.index()].and(&certain);
            }
        }
    }

    /// What is certain where a use of some work happens: a read at each of its stages, a write at the last.
    fn at_work(&self, work: &Work, event: &Event<'_>) -> Certain {
        let mut certain = self.nothing;
        let mut found = None;
        for task in work.tasks.of(&self.packets.block().tasks) {
            certain.and(&self.held[task.leaf.index()]);
            if event.stages.has(task.leaf) && (found.is_none() || event.writes()) {
                found = Some(certain);
            }
        }
        found.unwrap_or(certain)
    }
}

/// The layout operations of a packet.
fn layouts_of<'a>(
    scope: &ScopeCheck<'_, '_>,
    block: &'a Block,
    at: usize,
) -> impl Iterator<Item = Event<'a>> {
    let steps = match &block.ops[at].kind {
        HwOpKind::Barrier(barrier) => barrier.steps.of(&block.steps),
        _ => &[],
    };
    steps.iter().enumerate().filter_map(move |(index, step)| {
        let StepKind::Layout {
            op,
            resource,
            extents,
            initialise,
            act,
        } = step.kind
        else {
            return None;
        };
        let texture = scope.timeline.scenario.resource(resource);
        let only_metadata = initialise || act == LayoutAct::Ambiguate;
        let client = Client::LayoutOperation;
        let mut ways = SmallVec::new();
        for variant in scope.variants_of(texture, None).iter() {
            let texels = scope.profile.texel_routes_of(variant);
            let metadata = scope.profile.metadata_routes_of(variant);
            for (routes, metadata) in [(texels, false), (metadata, true)] {
                if !metadata && only_metadata {
                    continue;
                }
                let way = |writes| {
                    move |path| Way {
                        metadata,
                        writes,
                        path: Some(path),
                    }
                };
                ways.extend(routes.read_paths(client).iter().copied().map(way(false)));
                ways.extend(routes.write_paths(client).map(way(true)));
            }
        }
        Some(Event {
            op: at,
            step: Some(index),
            earlier: false,
            layout: Some(op),
            stages: LeafSet::EMPTY,
            ways,
            extents: extents.of(&block.extents),
        })
    })
}

/// The bytes that two lists of extents have in common.
fn common(a: &[Extent], b: &[Extent]) -> SmallVec<[Extent; 2]> {
    let (mut at, mut of) = (0, 0);
    let mut common = SmallVec::new();
    while let (Some(x), Some(y)) = (a.get(at), b.get(of)) {
        common.extend(x.intersection(*y));
        if (x.memory, x.end) <= (y.memory, y.end) {
            at += 1;
        } else {
            of += 1;
        }
    }
    common
}
