//! Races between actors, by definition: two uses of a cell, neither before the other (R23).

use super::model::{Cell, Model, Step};
use std::collections::{BTreeMap, BTreeSet};
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
