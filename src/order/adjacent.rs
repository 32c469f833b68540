//! Adjacent barriers: entries on one subresource with no command between them act as one, with their sync bits joined.
//!
//! Spec: "Sequential Barriers"; reading R52. A *run* is what such entries of one subresource form within one
//! `ExecuteCommandLists` call. Barriers on other resources and the boundaries of lists do not end a run, and neither does
//! anything that does no work: markers, assertions. Every entry of a run waits for the union of what their `SyncBefore`
//! name and holds the union of what their `SyncAfter` name; layouts and accesses stay as written. A `SPLIT` side
//! neither adds to the union nor gets it: a half has one side. A global entry joins nothing.
//!
//! A block of n entries costs O(n log n), and for each entry the pieces of its range whose stages differ. The worst case is a
//! block in which entries on all of a texture alternate with entries of unlike stages on parts of it, and a block without any
//! command in which entries on one mip of all layers take turns with others: all parts of a block are kept until asked for.
//!
//! Asked once here for everyone who evaluates barriers: needed and asked, the lowering, the check of a lowering.

use super::{SubmissionKind, Timeline};
use crate::api::LeafSet;
use crate::id::{BarrierRef, ListId, NodeId, ResourceId, SubmissionId, narrow};
use crate::scenario::{Barrier, BarrierTarget, Command, Scenario, geometry};
use smallvec::{SmallVec, smallvec};
use std::collections::{BTreeMap, VecDeque};

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
    /// The last node that was read.
    until: Option<NodeId>,
    /// A table that is used again: entries of the block that is read.
    entries: Vec<Entry<'s>>,
}

/// Entries up to which each is compared with each: most blocks are a call or two.
const FEW: usize = 8;

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
            until: None,
            entries: Vec::new(),
        }
    }

    /// Starts a scope. Anything but an `ExecuteCommandLists` call has no barriers.
    pub fn enter(&mut self, id: SubmissionId) {
        self.read.clear();
        self.until = None;
        self.rest = if self.timeline.submission(id).kind == SubmissionKind::Execute {
            Box::new(self.timeline.commands(id))
        } else {
            Box::new(std::iter::empty())
        };
    }

    /// Starts a scope at one of its nodes: what is asked comes no earlier.
    pub fn enter_at(&mut self, id: SubmissionId, node: NodeId) {
        self.read.clear();
        self.until = None;
        let (timeline, mut from) = (self.timeline, node);
        let first = timeline.submission(id).first_node;
        let does_work = |node| timeline.command(node).is_some_and(|c| c.kind.does_work());
        // From where the block of barriers begins that the node is in.
        while from > first && !does_work(NodeId(from.0 - 1)) {
            from = NodeId(from.0 - 1);
        }
        self.rest = Box::new(timeline.commands_from(id, from));
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
            if self.until >= Some(id.node) || !self.read_block(id.node) {
                return Vec::new();
            }
        }
    }

    /// Reads the next block of barriers that reaches a node. Whether there is one.
    fn read_block(&mut self, until: NodeId) -> bool {
        let mut entries = std::mem::take(&mut self.entries);
        entries.clear();
        let mut reached = false;
        for (node, _, command) in self.rest.by_ref() {
            self.until = Some(node);
            if command.kind.does_work() {
                if reached {
                    break;
                }
                // What was read lies before a node that is asked for.
                entries.clear();
            }
            for (entry, barrier) in command.kind.barriers().iter().enumerate() {
                entries.extend(joins(barrier).map(|resource| Entry {
                    id: BarrierRef::new(node, narrow(entry)),
                    barrier,
                    resource,
                }));
            }
            reached |= node >= until;
        }
        if entries.len() > 1 {
            self.join(&entries);
        }
        self.entries = entries;
        reached
    }

    /// Finds the parts of the entries of a block, resource by resource.
    fn join(&mut self, entries: &[Entry<'s>]) {
        let is_same = |a: usize, b: usize| entries[a].resource == entries[b].resource;
        let has_same = |b: usize| (0..b).any(|a| is_same(a, b));
        if entries.len() <= FEW && !(1..entries.len()).any(has_same) {
            return;
        }
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|index| entries[*index].resource);
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

    /// Joins the entries of one resource where they meet.
    fn join_resource(&self, entries: &[Entry<'_>], same: &[usize], parts: &mut [Vec<JoinedPart>]) {
        let barriers = || same.iter().map(|at| entries[*at].barrier);
        let runs: Vec<_> = barriers()
            .map(|barrier| subresources(self.timeline.scenario, barrier))
            .collect();
        let pieces = Pieces::new(barriers().zip(&runs));
        let mut latest = LatestEntries::default();
        for ((barrier, runs), at) in barriers().zip(&runs).zip(same) {
            let is_joined = runs.iter().any(|run| pieces.any_shared(*run));
            let begins = barrier.sync_after.is_split();
            if !is_joined {
                continue;
            }
            for run in runs {
                let before = if pieces.any_shared(*run) {
                    latest.replace(*run, begins)
                } else {
                    smallvec![(run.0, run.1, false)]
                };
                for (first, end, extends) in before {
                    pieces.for_each((first, end), |subresources, before, after| {
                        let own = |is_half: bool, joined: LeafSet| {
                            if is_half { LeafSet::EMPTY } else { joined }
                        };
                        let part = JoinedPart {
                            subresources: vec![subresources],
                            before: own(barrier.sync_before.is_split(), before),
                            after: own(begins, after),
                            extends,
                        };
                        add(&mut parts[*at], part);
                    });
                }
            }
        }
    }
}

/// The subresources of one resource, cut where the stages of the entries on them change.
struct Pieces {
    /// The first subresource of each piece, and the stages of all entries there, before and after.
    stages: Vec<(u32, LeafSet, LeafSet)>,
    /// Ranges that several entries share, ascending.
    shared: Vec<(u32, u32)>,
}

impl Pieces {
    /// Of entries with the subresources of each.
    fn new<'e>(entries: impl Iterator<Item = (&'e Barrier, &'e Vec<(u32, u32)>)>) -> Self {
        let mut borders: Vec<(u32, bool, LeafSet, LeafSet)> = Vec::new();
        for (barrier, runs) in entries {
            let (before, after) = (barrier.sync_before.leaves(), barrier.sync_after.leaves());
            for (first, end) in runs {
                borders.push((*first, true, before, after));
                borders.push((*end, false, before, after));
            }
        }
        borders.sort_unstable_by_key(|border| border.0);
        let mut pieces = Self {
            stages: Vec::new(),
            shared: Vec::new(),
        };
        let (mut befores, mut afters, mut count) = (Tally::default(), Tally::default(), 0);
        for same in borders.chunk_by(|a, b| a.0 == b.0) {
            let was_shared = count > 1;
            for (_, begins, before, after) in same {
                befores.count(*before, *begins);
                afters.count(*after, *begins);
                count = if *begins { count + 1 } else { count - 1 };
            }
            let at = same[0].0;
            match (was_shared, count > 1) {
                (false, true) => pieces.shared.push((at, at)),
                (true, false) => {
                    if let Some(last) = pieces.shared.last_mut() {
                        last.1 = at;
                    }
                }
                _ => {}
            }
            let stages = (befores.any, afters.any);
            if pieces
                .stages
                .last()
                .is_none_or(|last| (last.1, last.2) != stages)
            {
                pieces.stages.push((at, stages.0, stages.1));
            }
        }
        pieces
    }

    /// Whether several entries share a part of a range.
    fn any_shared(&self, (first, end): (u32, u32)) -> bool {
        let at = self.shared.partition_point(|range| range.1 <= first);
        self.shared.get(at).is_some_and(|range| range.0 < end)
    }

    /// Calls `each` with every piece that meets a range, cut to it, and its stages. Some entry has all of the range.
    fn for_each(
        &self,
        (first, end): (u32, u32),
        mut each: impl FnMut((u32, u32), LeafSet, LeafSet),
    ) {
        let mut at = self.stages.partition_point(|piece| piece.0 <= first) - 1;
        let mut from = first;
        while from < end {
            let (_, before, after) = self.stages[at];
            let until = self.stages.get(at + 1).map_or(end, |next| next.0.min(end));
            each((from, until), before, after);
            (from, at) = (until, at + 1);
        }
    }
}

/// How many entries have each stage.
#[derive(Default)]
struct Tally {
    counts: [u32; 32],
    /// Those that some entry has.
    any: LeafSet,
}

impl Tally {
    fn count(&mut self, stages: LeafSet, begins: bool) {
        let mut bits = stages.0;
        while bits != 0 {
            let bit = bits.trailing_zeros();
            bits &= bits - 1;
            let count = &mut self.counts[bit as usize];
            // Where entries end and others begin, the former may come first or last.
            *count = if begins {
                count.wrapping_add(1)
            } else {
                count.wrapping_sub(1)
            };
            self.any.0 = self.any.0 & !(1 << bit) | u32::from(*count != 0) << bit;
        }
    }
}

/// The latest entry on each subresource so far: runs by their first subresource, with their end and whether the entry
/// begins a split.
#[derive(Default)]
struct LatestEntries {
    runs: BTreeMap<u32, (u32, bool)>,
}

/// Parts of a range, ascending, each with whether the entry before it there has an effect of its own.
type Parts = SmallVec<[(u32, u32, bool); 2]>;

impl LatestEntries {
    /// An entry comes. Returns the parts of its range, ascending, each with whether the entry before it there has an effect
    /// of its own. Each entry adds two borders at most, so each costs a constant number of runs on average.
    fn replace(&mut self, (first, end): (u32, u32), begins: bool) -> Parts {
        // The same range again is what most entries on many ranges come to.
        if let Some(run) = self.runs.get_mut(&first)
            && run.0 == end
        {
            let began = std::mem::replace(&mut run.1, begins);
            return smallvec![(first, end, !began)];
        }
        for cut in [first, end] {
            if let Some((_, run)) = self.runs.range_mut(..cut).next_back()
                && run.0 > cut
            {
                let rest = *run;
                run.0 = cut;
                self.runs.insert(cut, rest);
            }
        }
        let mut parts = Parts::new();
        let mut add = |from: u32, until: u32, extends: bool| match parts.last_mut() {
            Some(last) if last.2 == extends => last.1 = until,
            _ if from < until => parts.push((from, until, extends)),
            _ => {}
        };
        let mut at = first;
        while let Some((from, (until, began))) =
            self.runs.range(at..end).next().map(|(a, b)| (*a, *b))
        {
            add(at, from, false);
            add(from, until, !began);
            self.runs.remove(&from);
            at = until;
        }
        add(at, end, false);
        self.runs.insert(first, (end, begins));
        parts
    }
}

/// Runs of the subresource indices of a barrier, `(first, end)`, ascending; `(0, 1)` for a buffer and a global one.
pub fn subresources(scenario: &Scenario, barrier: &Barrier) -> Vec<(u32, u32)> {
    let Some((texture, entry)) = barrier.named_texture() else {
        return vec![(0, 1)];
    };
    let shape = scenario.resource(texture).texture();
    let boxed = shape.and_then(|s| Some((s, geometry::barrier_box(s, &entry.range).ok()?)));
    boxed.map_or_else(Vec::new, |(shape, sub)| sub.index_runs(shape))
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
        BarrierTarget::Texture(_) | BarrierTarget::Buffer { .. } => barrier.resource(),
        BarrierTarget::Global | BarrierTarget::Ranged { .. } | BarrierTarget::EmptyGroup(_) => None,
    }
}
