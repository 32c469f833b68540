//! Which write and which read a missing operation fails.
//!
//! A pair that is needed passes a barrier if the one side comes before it, the other after it, and both touch its bytes;
//! where the barrier changes the layout, the pair is two: from the write to the change, and from the change to the read.
//! An operation on a cache fails those whose paths lead through that cache; a wait or a hold, those at its stages.

use crate::analyze::{attribution, names};
use crate::api::{BarrierAccess, QueueType};
use crate::ensure::What;
use crate::graph::{NeededPair, Side};
use crate::hardware::{Client, Profile, Variant};
use crate::id::{BarrierRef, CacheId, Extent, SubmissionId};
use crate::order::{self, Timeline};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Needed pairs by the scope of their second side.
pub(super) struct Pairs<'a, 's> {
    timeline: &'a Timeline<'s>,
    profile: &'a Profile,
    /// Ascending by scope.
    by_scope: Vec<(SubmissionId, &'a NeededPair)>,
    /// Second halves by their first halves, of the scope that was asked about last.
    halves: RefCell<Option<(SubmissionId, BTreeMap<BarrierRef, BarrierRef>)>>,
}

impl<'a, 's> Pairs<'a, 's> {
    pub(super) fn new(
        timeline: &'a Timeline<'s>,
        profile: &'a Profile,
        pairs: &'a [NeededPair],
    ) -> Self {
        let mut pairs: Vec<_> = pairs
            .iter()
            .map(|pair| (timeline.submission_of(pair.second.node), pair))
            .collect();
        pairs.sort_by_key(|(scope, _)| *scope);
        Self {
            timeline,
            profile,
            by_scope: pairs,
            halves: RefCell::default(),
        }
    }

    /// The latest use before a barrier and the first after it that need an operation, of those that its scope has.
    pub(super) fn failed(&self, barrier: BarrierRef, what: What) -> (Option<Side>, Option<Side>) {
        let timeline = self.timeline;
        let scope = timeline.submission_of(barrier.node);
        let from = self.by_scope.partition_point(|(at, _)| *at < scope);
        let own = self.by_scope[from..]
            .iter()
            .take_while(|(at, _)| *at == scope);
        let queue = timeline.queue_type(timeline.submission(scope));
        let queue = queue.unwrap_or(QueueType::Direct);
        let bytes = self.bytes(barrier);
        let meets = |side: &Side| {
            let meets = |bytes: &SmallVec<[Extent; 2]>| {
                let own = attribution::extents(timeline, side);
                let mut own = own.iter();
                own.any(|a| bytes.iter().any(|b| a.intersection(*b).is_some()))
            };
            bytes.as_ref().is_none_or(meets)
        };
        // Both halves of a split barrier are one change of a layout.
        let half = self.second_half(barrier);
        let (mut writes, mut reads): (Vec<Side>, Vec<Side>) = (Vec::new(), Vec::new());
        for (_, pair) in own {
            let (first, second) = (pair.first, pair.second);
            let changes = |side: &Side| {
                let by = side.barrier();
                by.is_some() && (by == Some(barrier) || by == half)
            };
            let passes = first.node < barrier.node && barrier.node < second.node;
            // What another barrier does to a layout is a use like any other.
            if (passes || changes(&second)) && !changes(&first) && meets(&first) {
                writes.push(first);
            }
            if (passes || changes(&first)) && !changes(&second) && meets(&second) {
                reads.push(second);
            }
        }
        writes.sort_by_key(|side| std::cmp::Reverse(side.node));
        reads.sort_by_key(|side| side.node);
        let needs = |side: &Side, writes: bool| self.needs(side, queue, what, writes);
        let before = writes.iter().find(|side| needs(side, true));
        let after = reads.iter().find(|side| needs(side, false));
        // Lines are in a cache only if a write went through it, are read from it only by what reads through it, and are old
        // only if something writes. What is ordered need not be at the stages that a barrier names: one barrier goes on
        // where another ended. There the nearest use stands for those that do not tell.
        let does_write = |side: &&Side| side.barrier().is_some() || side.access.writes();
        let (any_before, any_after) = (writes.first(), reads.first());
        let (before, after) = match what {
            What::Clean(_) => (before, after.or(any_after)),
            What::Invalidate(_) => (before.or(writes.iter().find(does_write)), after),
            _ => (before.or(any_before), after.or(any_after)),
        };
        (before.copied(), after.copied())
    }

    /// The second half of a split barrier whose first half this is.
    fn second_half(&self, first: BarrierRef) -> Option<BarrierRef> {
        let timeline = self.timeline;
        if !names::entry(timeline, first)?.sync_after.is_split() {
            return None;
        }
        let scope = timeline.submission_of(first.node);
        let mut halves = self.halves.borrow_mut();
        if halves.as_ref().is_none_or(|(of, _)| *of != scope) {
            let pairs = order::split_pairs(timeline, scope).into_iter();
            *halves = Some((scope, pairs.collect()));
        }
        let (_, seconds) = halves.as_ref()?;
        seconds.get(&first).copied()
    }

    /// The bytes of a barrier; `None`: all memory.
    fn bytes(&self, barrier: BarrierRef) -> Option<SmallVec<[Extent; 2]>> {
        let timeline = self.timeline;
        let entry = names::entry(timeline, barrier)?;
        entry.resource()?;
        let mut bytes = SmallVec::new();
        let memory = &timeline.memory;
        memory.for_each_barrier_extent(timeline.scenario, entry, |extent| bytes.push(extent));
        Some(bytes)
    }

    /// Whether an operation is about a use of one side.
    fn needs(&self, side: &Side, queue: QueueType, what: What, writes: bool) -> bool {
        match what {
            What::Wait(leaves) => writes && !side.stages.intersection(leaves).is_empty(),
            What::Hold(leaves) => !writes && !side.stages.intersection(leaves).is_empty(),
            What::Clean(cache) | What::Invalidate(cache) => {
                if side.barrier().is_some() {
                    return self.passes(Client::LayoutOperation, cache, writes);
                }
                // Only what writes leaves dirty lines, and only what reads finds old ones.
                let does = |access: &BarrierAccess| match what {
                    What::Clean(_) => access.writes(),
                    _ => access.reads(),
                };
                let clients = side.access.iter().filter(does);
                let mut clients = clients.map(|access| Client::of(access, queue));
                // The CPU and the display name no access.
                side.access.is_empty() || clients.any(|client| self.passes(client, cache, writes))
            }
            What::Layout(_) | What::FirstHalf => true,
        }
    }

    /// Whether a client goes through a cache, on some way of texels or metadata.
    fn passes(&self, client: Client, cache: CacheId, writes: bool) -> bool {
        let profile = self.profile;
        let variants = Variant::all(profile.exceptions.len());
        let mut routes = variants.flat_map(|variant| {
            [
                profile.texel_routes_of(variant),
                profile.metadata_routes_of(variant),
            ]
        });
        routes.any(|routes| {
            let has = |path| routes.path(path).contains(&cache);
            if writes {
                routes.write_paths(client).any(has)
            } else {
                routes.read_paths(client).iter().copied().any(has)
            }
        })
    }
}
