//! Races between actors, by definition: two uses of a cell, neither before the other (R23).

use super::model::{Cell, Model, Scoped, Step};
use super::pairs::Decided;
use std::collections::{BTreeMap, BTreeSet};
use syncscope::api::ResourceFlags;
use syncscope::graph::{ConflictKind, Part};
use syncscope::id::{NodeId, ResourceId};

/// One thing that takes part in races.
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of a use, each independent of the others"
)]
struct Racer {
    node: NodeId,
    part: Part,
    resource: ResourceId,
    submission: usize,
    actor: usize,
    reads: bool,
    writes: bool,
    independent: bool,
    layout: bool,
    cells: BTreeSet<Cell>,
}

/// A race: first, second with its resource, what it is called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Race {
    pub first: NodeId,
    pub second: NodeId,
    pub resource: ResourceId,
    pub kind: ConflictKind,
    pub actors: (usize, usize),
}

/// Every race, and for each second use the set of those before it.
pub(super) fn races(model: &Model<'_>) -> BTreeMap<(NodeId, ResourceId), BTreeSet<Race>> {
    let racers = racers(model);
    let mut found: BTreeMap<_, BTreeSet<Race>> = BTreeMap::new();
    for b in &racers {
        for a in &racers {
            let unordered = a.actor != b.actor
                && !model.before[a.submission][b.submission]
                && !model.before[b.submission][a.submission];
            let quiet = |r: &Racer| r.independent && !r.writes;
            let conflict = (a.writes || b.writes) && !quiet(a) && !quiet(b);
            if a.node < b.node && unordered && conflict && !a.cells.is_disjoint(&b.cells) {
                let kind = if a.layout || b.layout {
                    ConflictKind::RaceLayout
                } else if a.writes && b.writes {
                    ConflictKind::RaceWriteWrite
                } else {
                    ConflictKind::RaceReadWrite
                };
                found.entry((b.node, b.resource)).or_default().insert(Race {
                    first: a.node,
                    second: b.node,
                    resource: b.resource,
                    kind,
                    actors: (a.actor, b.actor),
                });
            }
        }
    }
    found
}

/// Writers of different bytes of one subresource on two queues, neither before the other (R61): the second with what it
/// is called, and the actors.
pub(super) fn granules(
    model: &Model<'_>,
    decided: &[Decided<'_>],
) -> BTreeMap<(NodeId, ResourceId), BTreeSet<Race>> {
    let mut writers = Vec::new();
    for (scope, decided) in model.scopes.iter().zip(decided) {
        for (at, step) in scope.steps.iter().enumerate() {
            if let Step::Command { uses, .. } = step {
                // R42: between the halves of a split barrier nothing else is said.
                let partial = uses.iter().enumerate().filter(|(index, u)| {
                    u.writes && u.is_partial && !decided.ignored.contains(&(at, *index))
                });
                writers.extend(partial.map(|(_, usage)| (scope, usage)));
            }
        }
    }
    let mut found: BTreeMap<_, BTreeSet<Race>> = BTreeMap::new();
    for (later, b) in &writers {
        for (earlier, a) in &writers {
            let id = |scope: &Scoped| scope.submission.index();
            let unordered = earlier.actor != later.actor
                && !model.before[id(earlier)][id(later)]
                && !model.before[id(later)][id(earlier)];
            if a.node >= b.node
                || !unordered
                || a.resource != b.resource
                || a.subresources.is_disjoint(&b.subresources)
                || a.atomics && b.atomics
                || !a.cells.is_disjoint(&b.cells)
            {
                continue;
            }
            let resource = model.scenario.resource(b.resource);
            let simultaneous =
                resource.is_buffer() || resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS);
            let kind = if !model.granules(a).is_disjoint(&model.granules(b)) {
                ConflictKind::FalseSharing
            } else if simultaneous {
                ConflictKind::ConcurrentWriters
            } else {
                continue;
            };
            found.entry((b.node, b.resource)).or_default().insert(Race {
                first: a.node,
                second: b.node,
                resource: b.resource,
                kind,
                actors: (earlier.actor, later.actor),
            });
        }
    }
    found
}

fn racers(model: &Model<'_>) -> Vec<Racer> {
    let mut racers = Vec::new();
    for scope in &model.scopes {
        for step in &scope.steps {
            match step {
                Step::Command { uses, .. } => racers.extend(uses.iter().map(|u| Racer {
                    node: u.node,
                    part: u.part,
                    resource: u.resource,
                    submission: scope.submission.index(),
                    actor: scope.actor,
                    reads: u.reads,
                    writes: u.writes,
                    independent: u.independent,
                    layout: u.discards,
                    cells: u.cells.clone(),
                })),
                Step::Barrier(e) if e.acts && !e.ends => racers.push(Racer {
                    node: e.node,
                    part: e.part,
                    resource: e.resource.expect("what acts has a resource"),
                    submission: scope.submission.index(),
                    actor: scope.actor,
                    reads: false,
                    writes: true,
                    independent: false,
                    layout: true,
                    cells: e.cells.clone(),
                }),
                Step::Barrier(_) => {}
            }
        }
    }
    debug_assert!(racers.iter().all(|r| r.reads || r.writes));
    racers.sort_by_key(|r| (r.node, r.part));
    racers
}
