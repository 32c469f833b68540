//! What the walk knows: where it is, what was asked so far, what the bytes hold, what several actors touch, and what is found.
//! Each is a value of its own, so that one can be asked while another changes.

use super::apply::Entry;
use super::content::Contents;
use super::cover::{Order, Row};
use super::globals::Globals;
use super::granules::Granules;
use super::races::SharedUse;
use super::replay::Replay;
use super::shared_granules::SharedPart;
use super::splits::EndsLeft;
use super::state::{Access, Kept, Latest, Memory};
use super::undefined::{Accessed, Undefined};
use super::walk::block_sizes;
use super::{Collected, Conflict, ConflictKind, Evaluation, Part, Request, Side};
use crate::api::QueueType;
use crate::id::{BarrierRef, MemoryId, NodeId, ResourceId, SubmissionId, Table};
use crate::lookup::LookupMap;
use crate::order::{AdjacentBarriers, LayoutTracker, Timeline};
use crate::scenario::geometry::SubresourceBox;
use crate::scenario::{BarrierTarget, CommandKind, Range, Scenario, Use, UseMode, geometry};
use smallvec::SmallVec;

/// Where the walk is, and what is asked of it.
#[derive(Copy, Clone)]
pub(super) struct Here<'t, 's> {
    pub(super) timeline: &'t Timeline<'s>,
    pub(super) scenario: &'s Scenario,
    pub(super) request: Request,
    pub(super) queue: QueueType,
    pub(super) submission: SubmissionId,
    /// Counts `ExecuteCommandLists` calls: what was noted in an earlier one is of another scope.
    pub(super) epoch: u32,
}

/// What the barriers of this scope asked so far.
pub(super) struct Asked<'t, 's> {
    /// Which barriers act as one.
    pub(super) adjacent: AdjacentBarriers<'t, 's>,
    pub(super) order: Order,
    pub(super) globals: Globals,
    pub(super) latest_global: Option<(u32, BarrierRef)>,
    /// The latest barrier of each buffer, with its scope.
    latest_whole: LookupMap<ResourceId, (u32, Latest)>,
    /// Barriers may be about parts of buffers.
    has_ranged: bool,
}

/// What the bytes have seen, and what they hold.
pub(super) struct Held {
    pub(super) layouts: LayoutTracker,
    pub(super) memories: Table<MemoryId, Memory>,
    pub(super) contents: Contents,
    pub(super) ends_left: EndsLeft,
    pub(super) undefined: Undefined,
    pub(super) accessed: Accessed,
    pub(super) granules: Granules,
}

/// Uses of memory that several actors touch, for the comparison of queues after the walk.
pub(super) struct Between {
    pub(super) is_shared: Table<MemoryId, bool>,
    pub(super) uses: Vec<SharedUse>,
    /// Partial writes.
    pub(super) parts: Vec<SharedPart>,
}

/// What is found.
#[derive(Default)]
pub(super) struct Told {
    pub(super) out: Evaluation,
    /// Of the command or entry at hand.
    pub(super) found: Vec<Conflict>,
    /// Nothing more is asked.
    stopped: bool,
}

impl<'t, 's> Here<'t, 's> {
    /// Number of the actor whose submission is walked.
    pub(super) fn actor(&self) -> usize {
        let submission = self.timeline.submission(self.submission);
        self.timeline.actor_index(submission.actor)
    }

    pub(super) fn replay(&self) -> Replay<'t, 's> {
        Replay {
            timeline: self.timeline,
            submission: self.submission,
            queue: self.queue,
        }
    }

    /// The subresources of a range of a texture.
    pub(super) fn subresources(
        &self,
        resource: ResourceId,
        range: &Range,
    ) -> Option<SubresourceBox> {
        let shape = self.scenario.resource(resource).texture()?;
        geometry::subresource_box(shape, range).ok()
    }

    /// Access and stages of a use. A `discard` writes with the write access of the layout at this point.
    pub(super) fn access(
        &self,
        node: NodeId,
        part: Part,
        usage: &Use,
        position: u32,
        synchronous: bool,
    ) -> Access {
        let (access, stages) = self.timeline.effect(node, usage);
        Access {
            side: Side {
                node,
                part,
                resource: usage.resource,
                access,
                stages,
            },
            reads: usage.reads() && !usage.access.is_no_access(),
            certain: usage.certainly_reads(),
            writes: usage.writes(),
            atomics: usage.mode == UseMode::Atomics,
            independent: usage.independent
                && self.scenario.resource(usage.resource).is_simultaneous(),
            synchronous,
            position,
        }
    }
}

impl<'t, 's> Asked<'t, 's> {
    pub(super) fn new(timeline: &'t Timeline<'s>, request: Request) -> Self {
        let is_named = request.pairs == Collected::Named;
        let commands = timeline.scenario.commands();
        let mut barriers = commands.flat_map(|command| command.kind.barriers());
        Self {
            adjacent: AdjacentBarriers::new(timeline),
            order: Order::new(is_named),
            globals: Globals::new(is_named),
            latest_global: None,
            latest_whole: LookupMap::default(),
            has_ranged: barriers.any(|it| matches!(it.target, BarrierTarget::Ranged { .. })),
        }
    }

    /// One `ExecuteCommandLists` call begins.
    pub(super) fn enter(&mut self, id: SubmissionId) {
        self.order.reset();
        self.globals.reset();
        self.latest_global = None;
        self.adjacent.enter(id);
    }

    /// Keeps an entry as the latest barrier of its resource, if the walk keeps that: all of its bytes have met the same.
    pub(super) fn keep(&mut self, here: Here<'_, '_>, entry: &Entry, awaited: Row) {
        if let Kept::Whole(_) = entry.latest {
            let latest = (here.epoch, entry.as_latest(awaited));
            self.latest_whole.insert(entry.side.resource, latest);
        }
    }

    /// The latest barrier of a resource in this scope. Those of a buffer are all about all of its bytes.
    pub(super) fn kept(&self, here: Here<'_, '_>, resource: ResourceId) -> Kept {
        if self.has_ranged || !here.scenario.resource(resource).is_buffer() {
            return Kept::InBytes;
        }
        let known = self.latest_whole.get(&resource);
        let known = known.filter(|(epoch, _)| *epoch == here.epoch);
        Kept::Whole(known.map(|(_, latest)| *latest))
    }
}

impl Held {
    pub(super) fn new(timeline: &Timeline<'_>, layouts: LayoutTracker, request: Request) -> Self {
        let (sizes, lazy_from) = (block_sizes(timeline), request.lazy_from());
        let memories = sizes.iter().map(|size| Memory::new(*size, lazy_from));
        Self {
            layouts,
            memories: memories.collect(),
            contents: Contents::new(timeline, &sizes, lazy_from),
            ends_left: EndsLeft::new(timeline),
            undefined: Undefined::new(timeline.memory.memory_count()),
            accessed: Accessed::new(timeline.scenario),
            granules: Granules::default(),
        }
    }

    /// Steps of searches so far.
    pub(super) fn visits(&self) -> u64 {
        let states: u64 = self.memories.iter().map(Memory::visits).sum();
        states + self.contents.visits() + self.undefined.visits()
    }
}

impl Between {
    pub(super) fn new(timeline: &Timeline<'_>) -> Self {
        Self {
            is_shared: super::races::shared_memories(timeline),
            uses: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Whether several actors touch the memory of a resource.
    pub(super) fn has(&self, timeline: &Timeline<'_>, resource: ResourceId) -> bool {
        let whole = timeline.memory.whole(resource);
        whole.is_some_and(|extent| self.is_shared[extent.memory])
    }

    /// Remembers a use of memory that several actors touch.
    pub(super) fn note(&mut self, here: Here<'_, '_>, access: &Access, range: &Range) {
        if !self.has(here.timeline, access.side.resource) {
            return;
        }
        // Reading R42: a discard counts as a transition.
        let may_discard = access.writes && !access.reads;
        let is_discard = may_discard
            && here
                .timeline
                .command(access.side.node)
                .is_some_and(|c| matches!(c.kind, CommandKind::Discard));
        let (shared, submission) = (&mut self.uses, here.submission);
        here.timeline.memory.for_each_extent(
            here.scenario,
            access.side.resource,
            range,
            |extent| {
                shared.push(SharedUse {
                    submission,
                    side: access.side,
                    extent,
                    reads: access.reads,
                    writes: access.writes,
                    independent: access.independent,
                    layout: is_discard,
                });
            },
        );
    }
}

impl Told {
    /// Whether nothing more is asked.
    pub(super) fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Moves the conflicts of one command or entry to the result: one per resource and kind, the latest first use.
    /// A use of a split or deactivated subresource replaces every other finding of the resource (reading R42).
    pub(super) fn report(&mut self, request: Request) {
        if self.found.is_empty() {
            return;
        }
        let mut found = std::mem::take(&mut self.found);
        if !request.unfolded {
            fold(&mut found);
        }
        self.stopped |= request.until_conflict && found.iter().any(|c| c.kind.is_wrong());
        self.out.conflicts.append(&mut found);
        self.found = found;
    }
}

/// Reading R42, for the conflicts of one command or entry.
fn fold(found: &mut Vec<Conflict>) {
    let on = |kinds: &dyn Fn(ConflictKind) -> bool| -> SmallVec<[ResourceId; 2]> {
        let hits = found.iter().filter(|c| kinds(c.kind));
        hits.map(|c| c.second.resource).collect()
    };
    let replaced = on(&ConflictKind::replaces_others);
    let wrong = on(&|kind| kind.is_hazard());
    let unreadable = on(&ConflictKind::says_contents_are_lost);
    found.retain(|c| {
        let resource = &c.second.resource;
        if c.kind == ConflictKind::UndefinedContents {
            // Reading R57: where another one says it, that stands by itself.
            !unreadable.contains(resource)
        } else if c.kind.is_hazard() {
            c.kind.replaces_others() || !replaced.contains(resource)
        } else {
            // Advice and warnings say nothing where something worse was found.
            !wrong.contains(resource)
        }
    });
    // Latest first use first; stable, so that ties keep the order of the uses.
    found.sort_by_key(|c| {
        (
            c.kind,
            c.second.resource,
            c.second.part.entry(),
            std::cmp::Reverse(c.first.node),
        )
    });
    found.dedup_by_key(|c| (c.kind, c.second.resource, c.second.part.entry()));
}
