//! What acts where among the packets of a scope: accesses, layout operations, and what came before the scope; and through which
//! caches.

use super::{Packets, Part, Point};
use crate::api::{BarrierAccess, LeafSet};
use crate::ensure::{ScopeCheck, asked};
use crate::hardware::{Client, Routes};
use crate::id::{BarrierRef, Extent, LayoutOpId, NodeId, PathId, ResourceId};
use crate::program::{Access, AccessMode, Block, HwOpKind, LayoutAct, StepKind};
use smallvec::{SmallVec, smallvec};

/// Reads by the engines of copies and resolves.
const ENGINES: BarrierAccess = BarrierAccess::COPY_SOURCE.union(BarrierAccess::RESOLVE_SOURCE);

/// What a client does to texels or metadata, and through which caches.
#[derive(Copy, Clone)]
pub(super) struct Way {
    pub(super) metadata: bool,
    pub(super) writes: bool,
    /// `None`: it goes to memory itself.
    pub(super) path: Option<PathId>,
}

/// One use, or one layout operation, at its place among the packets.
pub(super) struct Event<'b> {
    /// Index of the packet.
    pub(super) op: usize,
    /// The step, if it is one of a barrier packet.
    pub(super) step: Option<usize>,
    /// It happened before the scope.
    pub(super) earlier: bool,
    /// The layout operation of that step.
    pub(super) layout: Option<LayoutOpId>,
    pub(super) stages: LeafSet,
    /// The front end may have fetched it ahead.
    pub(super) ahead: bool,
    pub(super) ways: SmallVec<[Way; 4]>,
    pub(super) extents: &'b [Extent],
}

impl Event<'_> {
    pub(super) fn writes(&self) -> bool {
        self.ways.iter().any(|way| way.writes)
    }

    pub(super) fn place(&self) -> (usize, Option<usize>) {
        (self.op, self.step)
    }

    pub(super) fn common(&self, other: &Self) -> SmallVec<[Extent; 2]> {
        if self.earlier {
            // What is asked about is that it meets the other's bytes.
            return SmallVec::from_slice(other.extents);
        }
        Extent::common(self.extents, other.extents)
    }
}

impl<'a> Packets<'_, 'a, '_> {
    /// What acts at a point: the accesses of a use, the layout operations of an entry's own packets.
    pub(super) fn events(&self, point: Point) -> SmallVec<[Event<'a>; 2]> {
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
        let mut ways: SmallVec<[Way; 4]> = SmallVec::new();
        for (metadata, routes) in routes_of(self.scope, resource) {
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
        Event {
            op: 0,
            step: None,
            earlier: true,
            layout: None,
            stages: LeafSet::EMPTY,
            ahead: false,
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
        let ahead = self.scope.profile.front_end_readers;
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
                    ahead: !writes && ahead.intersects(access.access),
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
        if !writes || !asked::stored_compressed(profile, texture) {
            return None;
        }
        let routes = profile.metadata_routes();
        routes.write_paths(Client::LayoutOperation).next()
    }

    /// The paths that a read may take: the machine takes one, and another of the client's is as good. A copy or resolve takes
    /// that one: what goes before it has made sure of no other (reading R20).
    fn ways(&self, access: &Access, (metadata, taken): (bool, PathId)) -> Vec<(bool, PathId)> {
        let mut ways = vec![(metadata, taken)];
        if access.mode == AccessMode::Write
            || access.access.is_empty()
            || access.access.intersects(ENGINES)
        {
            return ways;
        }
        let client = Client::of(access.access, self.scope.queue);
        let routes = routes_of(self.scope, access.resource);
        for (_, routes) in routes.filter(|(of_metadata, _)| *of_metadata == metadata) {
            let paths = routes.read_paths(client);
            // Some stages have a path of their own.
            for path in paths.iter().filter(|_| paths[0] == taken) {
                if !ways.contains(&(metadata, *path)) {
                    ways.push((metadata, *path));
                }
            }
        }
        ways
    }
}

/// The ways of a resource's texels and of its metadata: whether it is the latter, kind by kind of its mips.
fn routes_of<'p>(
    scope: &ScopeCheck<'p, '_>,
    resource: ResourceId,
) -> impl Iterator<Item = (bool, Routes<'p>)> + use<'p> {
    let profile = scope.profile;
    let resource = scope.timeline.scenario.resource(resource);
    let variants: SmallVec<[_; 4]> = scope.variants_of(resource, None).iter().collect();
    variants.into_iter().flat_map(move |variant| {
        [
            (false, profile.texel_routes_of(variant)),
            (true, profile.metadata_routes_of(variant)),
        ]
    })
}

/// The layout operations of a packet.
pub(super) fn layouts_of<'a>(
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
        let only_metadata = initialise || act == LayoutAct::Ambiguate;
        let client = Client::LayoutOperation;
        let mut ways = SmallVec::new();
        let routes = routes_of(scope, resource);
        for (metadata, routes) in routes.filter(|(metadata, _)| *metadata || !only_metadata) {
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
        Some(Event {
            op: at,
            step: Some(index),
            earlier: false,
            layout: Some(op),
            stages: LeafSet::EMPTY,
            ahead: false,
            ways,
            extents: extents.of(&block.extents),
        })
    })
}
