//! Adjacent barriers: entries on one subresource with no command between them act as one, with their sync bits joined.
//!
//! Spec: "Sequential Barriers"; reading R52. A *run* is what such entries of one subresource form within one
//! `ExecuteCommandLists` call. Barriers on other resources and the boundaries of lists do not end a run, and neither does
//! anything that does no work: markers, assertions. Every entry of a run waits for the union of what their `SyncBefore`
//! name and holds the union of what their `SyncAfter` name; layouts and accesses stay as written. A `SPLIT` side
//! neither adds to the union nor gets it: a half has one side. A global entry joins nothing.
//!
//! Asked once here for everyone who evaluates barriers: needed and asked, the lowering, the check of a lowering.

use super::{SubmissionKind, Timeline};
use crate::api::LeafSet;
use crate::id::{BarrierRef, ListId, NodeId, ResourceId, SubmissionId, narrow};
use crate::scenario::{Barrier, BarrierTarget, Command, Scenario, geometry};
use std::collections::VecDeque;

/// Some subresources of an entry, with the stages of the run that the entry belongs to there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JoinedPart {
    /// Runs of subresource indices, `(first, end)`, ascending; `(0, 1)` for a buffer.
    pub subresources: Vec<(u32, u32)>,
    /// What the entry waits for. Of a second half: nothing.
    pub before: LeafSet,
    /// What the entry holds. Of a first half: nothing.
    pub after: LeafSet,
    /// Another entry of the run, with an effect of its own, comes just before: this one extends it.
    pub extends: bool,
}

/// The runs of a timeline's barriers, scope by scope. A scope's commands are read once, a run at a time.
pub struct AdjacentBarriers<'t, 's> {
    timeline: &'t Timeline<'s>,
    /// The scope's commands from the first one that has not been read.
    rest: Box<dyn Iterator<Item = (NodeId, ListId, &'s Command)> + 't>,
    /// Entries of the barriers that were read and not asked for.
    read: VecDeque<(BarrierRef, Vec<JoinedPart>)>,
}

/// An entry of a block of barriers.
struct Entry<'s> {
    id: BarrierRef,
    barrier: &'s Barrier,
    resource: ResourceId,
}

impl<'t, 's> AdjacentBarriers<'t, 's> {
    /// The runs of a timeline; nothing is read before [`enter`](Self::enter).
    pub fn new(timeline: &'t Timeline<'s>) -> Self {
        Self {
            timeline,
            rest: Box::new(std::iter::empty()),
            read: VecDeque::new(),
        }
    }

    /// Starts a scope. Anything but an `ExecuteCommandLists` call has no barriers.
    pub fn enter(&mut self, id: SubmissionId) {
        self.read.clear();
        self.rest = if self.timeline.submission(id).kind == SubmissionKind::Execute {
            Box::new(self.timeline.commands(id))
        } else {
            Box::new(std::iter::empty())
        };
    }

    /// The stages that an entry waits for and holds as a whole, if others join it: those of all of its subresources. To
    /// be asked in the order of the entries.
    pub fn stages(&mut self, id: BarrierRef) -> Option<(LeafSet, LeafSet)> {
        self.parts(id)
            .into_iter()
            .map(|part| (part.before, part.after))
            .reduce(|(b, a), (before, after)| (b.union(before), a.union(after)))
    }

    /// The joined parts of an entry; none if it acts as it is written. To be asked in the order of the entries.
    pub fn parts(&mut self, id: BarrierRef) -> Vec<JoinedPart> {
        loop {
            while let Some((read, _)) = self.read.front() {
                if *read > id {
                    return Vec::new();
                }
                if let Some((read, parts)) = self.read.pop_front()
                    && read == id
                {
                    return parts;
                }
            }
            if !self.read_block(id.node) {
                return Vec::new();
            }
        }
    }

    /// Reads the next block of barriers that reaches a node. Whether there is one.
    fn read_block(&mut self, until: NodeId) -> bool {
        let mut entries: Vec<Entry<'s>> = Vec::new();
        let mut reached = false;
        for (node, _, command) in self.rest.by_ref() {
            if command.kind.does_work() {
                if reached {
                    break;
                }
                // What was read lies before a node that is asked for.
                entries.clear();
            }
            for (entry, barrier) in command.kind.barriers().iter().enumerate() {
                entries.extend(joins(barrier).map(|resource| Entry {
                    id: BarrierRef {
                        node,
                        entry: narrow(entry),
                    },
                    barrier,
                    resource,
                }));
            }
            reached |= node >= until;
        }
        if entries.len() > 1 {
            self.join(&entries);
        }
        reached
    }

    /// Finds the parts of the entries of a block, resource by resource.
    fn join(&mut self, entries: &[Entry<'s>]) {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|index| entries[*index].resource);
        let is_same = |a: usize, b: usize| entries[a].resource == entries[b].resource;
        if !order.windows(2).any(|pair| is_same(pair[0], pair[1])) {
            return;
        }
        let mut parts: Vec<Vec<JoinedPart>> = vec![Vec::new(); entries.len()];
        for same in order.chunk_by(|a, b| is_same(*a, *b)) {
            if same.len() > 1 {
                self.join_resource(entries, same, &mut parts);
            }
        }
        let joined = entries.iter().zip(parts);
        self.read.extend(
            joined
                .filter(|(_, parts)| !parts.is_empty())
                .map(|(entry, parts)| (entry.id, parts)),
        );
    }

    /// Cuts the subresources of one resource where some entry begins or ends, and joins the entries of each piece.
    fn join_resource(&self, entries: &[Entry<'_>], same: &[usize], parts: &mut [Vec<JoinedPart>]) {
        let runs: Vec<_> = same
            .iter()
            .map(|at| subresources(self.timeline.scenario, entries[*at].barrier))
            .collect();
        let mut cuts: Vec<u32> = runs.iter().flatten().flat_map(|(a, b)| [*a, *b]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        // The places in `same` of the entries of each piece.
        let mut pieces: Vec<Vec<usize>> = vec![Vec::new(); cuts.len()];
        for (place, runs) in runs.iter().enumerate() {
            for (first, end) in runs {
                let from = cuts.partition_point(|cut| cut < first);
                let until = cuts.partition_point(|cut| cut < end);
                for piece in &mut pieces[from..until] {
                    piece.push(place);
                }
            }
        }
        let mut joined = vec![false; same.len()];
        for piece in pieces.iter().filter(|piece| piece.len() > 1) {
            for place in piece {
                joined[*place] = true;
            }
        }
        for (piece, cut) in pieces.iter().zip(cuts.windows(2)) {
            let barriers = || piece.iter().map(|place| entries[same[*place]].barrier);
            let before =
                barriers().fold(LeafSet::EMPTY, |set, b| set.union(b.sync_before.leaves()));
            let after = barriers().fold(LeafSet::EMPTY, |set, b| set.union(b.sync_after.leaves()));
            let mut extends = false;
            for place in piece {
                let barrier = entries[same[*place]].barrier;
                let own =
                    |is_half: bool, joined: LeafSet| if is_half { LeafSet::EMPTY } else { joined };
                let part = JoinedPart {
                    subresources: vec![(cut[0], cut[1])],
                    before: own(barrier.sync_before.is_split(), before),
                    after: own(barrier.sync_after.is_split(), after),
                    extends,
                };
                if joined[*place] {
                    add(&mut parts[same[*place]], part);
                }
                extends = !barrier.sync_after.is_split();
            }
        }
    }
}

/// Runs of the subresource indices of a barrier, `(first, end)`, ascending; `(0, 1)` for a buffer and a global one.
pub fn subresources(scenario: &Scenario, barrier: &Barrier) -> Vec<(u32, u32)> {
    match &barrier.target {
        BarrierTarget::Texture {
            resource: Some(texture),
            range,
            ..
        } => {
            let shape = scenario.resource(*texture).texture();
            let boxed = shape.and_then(|s| Some((s, geometry::barrier_box(s, range).ok()?)));
            boxed.map_or_else(Vec::new, |(shape, sub)| sub.index_runs(shape))
        }
        _ => vec![(0, 1)],
    }
}

/// Adds a piece to an entry's parts: to one of the same stages, if there is one.
fn add(parts: &mut Vec<JoinedPart>, piece: JoinedPart) {
    let same = |p: &&mut JoinedPart| {
        (p.before, p.after, p.extends) == (piece.before, piece.after, piece.extends)
    };
    let Some(part) = parts.iter_mut().find(same) else {
        parts.push(piece);
        return;
    };
    for (first, end) in piece.subresources {
        match part.subresources.last_mut() {
            Some(last) if last.1 == first => last.1 = end,
            _ => part.subresources.push((first, end)),
        }
    }
}

/// The resource of an entry that can be one of a run.
fn joins(barrier: &Barrier) -> Option<ResourceId> {
    match &barrier.target {
        BarrierTarget::Texture { resource, .. } | BarrierTarget::Buffer { resource, .. } => {
            *resource
        }
        BarrierTarget::Global | BarrierTarget::Ranged { .. } | BarrierTarget::EmptyGroup(_) => None,
    }
}
