//! *Asked ⊆ ensured*: whether a program contains what each barrier of the timeline asks for on this machine.
//!
//! Static and exact: it looks at packets, not at a run. What a barrier asks for is derived here once more, by walking the
//! paths element by element, without the lowering's own code; the two readings check each other. This module
//! does not decide what is wrong: it returns what is missing or more than asked as data.
//!
//! An operation counts if it is in the barrier's own packets, or in any other packet between the last earlier work
//! of `SyncBefore` and the first later work of `SyncAfter`, after the waits that it needs (`effects.rs`). Order of operations:
//! what makes a write leave its caches, then the layout operation, then what makes readers fetch again.

mod asked;
mod caches;
mod effects;
mod halves;
mod pairs;
mod paths;

pub use pairs::{Missing, Pair, Part as PointPart, Point, leaves_layout, unensured};

use crate::api::{LeafSet, QueueType};
use crate::hardware::{Profile, VariantSet};
use crate::id::{BarrierRef, CacheId, LayoutOpId, NodeId, OpId, SubmissionId, narrow};
use crate::order::{AdjacentBarriers, SubmissionKind, Timeline};
use crate::program::{BarrierOp, BarrierRole, Block, HwOpKind, Part, Program, StepKind};
use crate::scenario::BarrierTarget;
use asked::{Asked, WalkKey};
use caches::CacheSet;
use halves::Halves;
use paths::Walks;
use smallvec::SmallVec;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

/// What a program lacks of what masks ask for, and what it has beyond.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shortfalls {
    /// Asked and not done by packets near the barrier. The lowering is wrong if a needed pair rests on it ([`unensured`]).
    pub missing: Vec<Shortfall>,
    /// Ensured and not asked: the lowering does too much.
    pub extra: Vec<Extra>,
    /// Barrier entries checked.
    pub checked: u64,
}

/// One operation of one barrier entry, missing or extra.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Shortfall {
    /// The entry.
    pub barrier: BarrierRef,
    /// The operation.
    pub what: What,
    /// The packets have it, but before what must come first.
    pub early: bool,
}

/// One operation of a packet of a barrier entry that nothing asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Extra {
    /// The entry; of a packet that no barrier made, one that there is not, of the command next to it.
    pub barrier: BarrierRef,
    /// The operation.
    pub what: What,
    /// The packet.
    pub op: OpId,
    /// The part of the packet that does it.
    pub part: Part,
}

/// Operations that an entry's own packets lack and that other packets may have, and where these are.
struct Owed {
    missing: Vec<What>,
    packets: Vec<usize>,
    /// What the entry asks to be held: whatever does its work in its place holds that.
    hold: LeafSet,
}

/// Between which packets others may do an entry's work, for the halves of split barriers.
#[derive(Copy, Clone)]
struct Window {
    /// Of a second half: where its first half's packet is.
    start: Option<usize>,
    /// Of a first half: the second, and what that holds.
    end: Option<(NodeId, LeafSet)>,
}

/// What can be missing or extra.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum What {
    /// A wait for earlier work of these leaves.
    Wait(LeafSet),
    /// A hold of later work of these leaves.
    Hold(LeafSet),
    /// A write-back of the barrier's bytes.
    Clean(CacheId),
    /// A drop of the barrier's bytes.
    Invalidate(CacheId),
    /// A layout operation.
    Layout(LayoutOpId),
    /// What makes the front end wait, which fetches ahead.
    FrontEnd,
    /// A second split half that does not follow its first.
    FirstHalf,
}

/// Checks a program against its timeline.
pub fn check(timeline: &Timeline<'_>, profile: &Profile, program: &Program) -> Shortfalls {
    let mut check = Shortfalls::default();
    for (index, block) in program.blocks.iter().enumerate() {
        let id = SubmissionId::new(index);
        check_block(timeline, profile, id, block, &mut check);
    }
    check
}

/// Checks the block of one submission.
pub fn check_block(
    timeline: &Timeline<'_>,
    profile: &Profile,
    id: SubmissionId,
    block: &Block,
    check: &mut Shortfalls,
) {
    if let Some(scope) = ScopeCheck::new(timeline, profile, (id, block)) {
        scope.check(id, check);
    }
}

/// One scope of the program.
struct ScopeCheck<'a, 's> {
    timeline: &'a Timeline<'s>,
    profile: &'a Profile,
    block: &'a Block,
    queue: QueueType,
    /// The kinds of ways of every resource, and whether one has metadata: what a global barrier is about.
    whole: OnceCell<(VariantSet, bool)>,
    /// What was walked before: a scope has few kinds of barriers, and each many times.
    walks: RefCell<BTreeMap<WalkKey, Walks>>,
}

impl<'a, 's> ScopeCheck<'a, 's> {
    /// A check of a submission, if that executes lists.
    fn new(
        timeline: &'a Timeline<'s>,
        profile: &'a Profile,
        (id, block): (SubmissionId, &'a Block),
    ) -> Option<Self> {
        let submission = timeline.submission(id);
        (submission.kind == SubmissionKind::Execute).then(|| Self {
            timeline,
            profile,
            block,
            queue: timeline.queue_type(submission).unwrap_or(QueueType::Direct),
            whole: OnceCell::new(),
            walks: RefCell::default(),
        })
    }
}

impl ScopeCheck<'_, '_> {
    fn check(&self, id: SubmissionId, check: &mut Shortfalls) {
        let mut halves = self.halves(id);
        let mut owed: Vec<Owed> = Vec::new();
        let mut extra: Vec<(usize, Extra)> = Vec::new();
        let mut place = 0;
        let mut worked = (0, LeafSet::EMPTY);
        let mut adjacent = AdjacentBarriers::new(self.timeline);
        adjacent.enter(id);
        for (node, _, command) in self.timeline.commands(id) {
            for (entry, barrier) in command.kind.barriers().iter().enumerate() {
                if matches!(barrier.target, BarrierTarget::EmptyGroup(_)) {
                    continue;
                }
                let id = BarrierRef::new(node, narrow(entry));
                let mut asked = self.asked(barrier, barrier.resource(), adjacent.stages(id));
                let idle = self.idle(node, &mut worked);
                let own = self.own(id, &mut place);
                if own.iter().any(|at| self.is_in_pass(*at, &asked)) {
                    // Both sides are in tile memory: they meet there.
                    asked.operations.clean = CacheSet::default();
                    asked.operations.invalidate = CacheSet::default();
                }
                check.checked += 1;
                let at = (own.as_slice(), halves.window(id));
                owed.extend(self.entry(id, (&mut asked, idle), at, check));
                for at in &own {
                    let found = self.extra(id, &asked, *at);
                    extra.extend(found.into_iter().map(|extra| (*at, extra)));
                }
                halves.note(id, own.first().copied());
                if !self.follows_first(&own, id, &halves) {
                    check.missing.push(Shortfall {
                        barrier: id,
                        what: What::FirstHalf,
                        early: false,
                    });
                }
            }
        }
        extra.extend(self.unasked(&owed));
        let whole = self.profile.drains_queue();
        let unowed = extra
            .into_iter()
            .filter_map(|(at, extra)| unowed(&owed, whole, at, extra));
        check.extra.extend(unowed);
    }

    /// The halves of the split barriers of a scope.
    fn halves(&self, id: SubmissionId) -> Halves {
        let mut halves = Halves::default();
        for (first, second) in halves::pairs(self.timeline, id) {
            let command = self.timeline.command(second.node);
            let barrier = command.and_then(|c| c.kind.barriers().get(second.entry as usize));
            let hold = barrier.map_or(LeafSet::EMPTY, |barrier| {
                self.asked(barrier, barrier.resource(), None).hold
            });
            halves.add(first, second, hold);
        }
        halves
    }

    /// Whether some packet of an entry follows its first half, if it is the second half of a split barrier.
    fn follows_first(&self, own: &[usize], id: BarrierRef, halves: &Halves) -> bool {
        if !halves.is_second(id) {
            return true;
        }
        let first = halves.first_packet(id).map(|at| self.block.ops[at].id);
        own.iter().any(|at| {
            let barrier = self.barrier(*at);
            barrier.is_some_and(|b| {
                b.after_all || first.is_some_and(|op| b.after.of(&self.block.after).contains(&op))
            })
        })
    }

    /// Whether a packet is in a render pass that holds every attachment access to a barrier's bytes around it in tile
    /// memory: from where the pass starts to where it is stored.
    fn is_in_pass(&self, at: usize, asked: &Asked) -> bool {
        let Some(tiles) = &self.profile.tile_pass else {
            return false;
        };
        let is = |at: usize, role| self.barrier(at).is_some_and(|b| b.role == role);
        let stores = |at: usize| {
            let steps = self.barrier(at).map(|b| b.steps.of(&self.block.steps));
            let mut steps = steps.into_iter().flatten();
            steps.any(|step| matches!(step.kind, StepKind::TileStore { .. }))
        };
        let start = (0..at)
            .rev()
            .find(|at| is(*at, BarrierRole::PassBegin) || stores(*at));
        let end = (at..self.block.ops.len()).find(|at| stores(*at));
        let (Some(start), Some(end)) = (start, end) else {
            return false;
        };
        let around = || self.block.ops[start..end].iter();
        let stays = around().all(|op| match &op.kind {
            HwOpKind::Work(work) => work.accesses.of(&self.block.accesses).iter().all(|access| {
                let extents = access.extents.of(&self.block.extents);
                let ours = asked.extents.iter().flatten().any(|asked| {
                    let mut extents = extents.iter();
                    extents.any(|e| e.intersection(*asked).is_some())
                });
                let attachment = tiles.accesses.contains(access.access);
                access.path == tiles.path || !(ours || attachment)
            }),
            _ => true,
        });
        stays && is(start, BarrierRole::PassBegin) && is(at, BarrierRole::ByRegion)
    }

    /// Whether a packet's waits keep the front end of its queue (reading R77).
    fn stops_front_end(&self, barrier: &BarrierOp) -> bool {
        let wait = barrier.wait.intersection(self.queue.leaves());
        barrier.waits_in_order() && self.profile.wait_stops_front_end(wait)
    }

    fn barrier(&self, at: usize) -> Option<&BarrierOp> {
        match &self.block.ops[at].kind {
            HwOpKind::Barrier(barrier) => Some(barrier),
            _ => None,
        }
    }

    /// Leaves at which no work comes before a node. `worked` is how far was looked, and the leaves of the work there.
    fn idle(&self, node: NodeId, worked: &mut (usize, LeafSet)) -> LeafSet {
        let (looked, leaves) = worked;
        let ops = self.block.ops[*looked..].iter();
        for op in ops.take_while(|op| op.origin.node < node) {
            *looked += 1;
            if let HwOpKind::Work(work) = &op.kind {
                let tasks = work.tasks.of(&self.block.tasks).iter();
                let tasks = tasks.filter(|task| !task.passes);
                *leaves = tasks.fold(*leaves, |set, task| set.union(task.leaf.into()));
            }
        }
        LeafSet::ALL.minus(*leaves)
    }

    /// Places of an entry's own packets. `place` is where those of the command before start: packets are in its order, but
    /// those of entries that a lowering kept come later, even after the packet that starts the next list.
    fn own(&self, id: BarrierRef, place: &mut usize) -> SmallVec<[usize; 4]> {
        let ops = &self.block.ops;
        while ops.get(*place).is_some_and(|op| op.origin.node < id.node) {
            *place += 1;
        }
        let until = (*place..ops.len()).take_while(|at| ops[*at].origin.node <= id.node);
        let (node, entry) = (id.node, Some(id.entry));
        let is_own = |at: &usize| ops[*at].origin.node == node && ops[*at].origin.entry == entry;
        until
            .filter(|at| is_own(at) && self.barrier(*at).is_some())
            .collect()
    }

    /// Checks an entry. What its own packets lack, others may have.
    fn entry(
        &self,
        id: BarrierRef,
        (asked, idle): (&mut Asked, LeafSet),
        (own, window): (&[usize], Window),
        check: &mut Shortfalls,
    ) -> Option<Owed> {
        // Others may do what is asked: a packet that does it does nothing too much, even if nobody needs it.
        if self.ensures(asked, own) {
            return None;
        }
        let missing = self.lacks(asked, own);
        asked.idle = idle;
        let packets = self.window(id, asked, window);
        if !self.ensures(asked, own) && !self.ensures(asked, &packets) {
            let lacking = self.explained(asked, &packets, own).into_iter();
            check.missing.extend(lacking.map(|(what, early)| Shortfall {
                barrier: id,
                what,
                early,
            }));
        }
        Some(Owed {
            missing,
            packets,
            hold: asked.hold,
        })
    }

    /// Places of the barrier packets between the last earlier work of `SyncBefore` and the first later work of
    /// `SyncAfter`.
    fn window(&self, id: BarrierRef, asked: &Asked, window: Window) -> Vec<usize> {
        let ops = &self.block.ops;
        let middle = ops.partition_point(|op| op.origin.node < id.node);
        let works_at = |at: &usize, leaves: LeafSet| match &ops[*at].kind {
            HwOpKind::Work(work) => work
                .tasks
                .of(&self.block.tasks)
                .iter()
                .any(|t| leaves.has(t.leaf)),
            _ => false,
        };
        let mut before = (0..middle).rev();
        let from = window.start.unwrap_or_else(|| {
            let last = before.find(|at| works_at(at, asked.wait));
            last.map_or(0, |at| at + 1)
        });
        let (end, hold) = window.end.map_or((middle, asked.hold), |(second, hold)| {
            (ops.partition_point(|op| op.origin.node < second), hold)
        });
        let until = (end..ops.len())
            .find(|at| works_at(at, hold))
            .unwrap_or(ops.len());
        (from..until)
            .filter(|at| self.barrier(*at).is_some())
            .collect()
    }

    /// What packets that no barrier made wait for, do and hold: all of it is too much, but for what some entry asks of them. One
    /// that holds whatever comes next in its stream holds that as it is.
    fn unasked(&self, owed: &[Owed]) -> Vec<(usize, Extra)> {
        let mut extra = Vec::new();
        for (at, op) in self.block.ops.iter().enumerate() {
            let Some(packet) = self
                .barrier(at)
                .filter(|it| it.role == BarrierRole::Unasked)
            else {
                continue;
            };
            let id = BarrierRef::new(op.origin.node, NO_ENTRY);
            let here = owed.iter().filter(|owed| owed.packets.contains(&at));
            let held = here.fold(LeafSet::EMPTY, |set, owed| set.union(owed.hold));
            let is_every = packet.hold.contains(self.queue.leaves());
            let nothing = Asked {
                hold: if is_every { packet.hold } else { held },
                ..Asked::default()
            };
            let found = self.extra(id, &nothing, at).into_iter();
            extra.extend(found.map(|extra| (at, extra)));
        }
        extra
    }

    /// What a packet of an entry has beyond what the entry asks for.
    fn extra(&self, id: BarrierRef, asked: &Asked, at: usize) -> Vec<Extra> {
        let Some(barrier) = self.barrier(at) else {
            return Vec::new();
        };
        let mut extra = Vec::new();
        let mut push = |what, part| {
            extra.push(Extra {
                barrier: id,
                what,
                op: self.block.ops[at].id,
                part,
            });
        };
        let possible = self.queue.leaves();
        // A machine that waits for whole queues can do no less (reading R46).
        let whole = self.profile.drains_queue();
        let wait = barrier.wait.intersection(possible).minus(asked.wait);
        if !wait.is_empty() && (!whole || asked.wait.is_empty()) {
            push(What::Wait(wait), Part::Wait(wait));
        }
        for (index, step) in barrier.steps.of(&self.block.steps).iter().enumerate() {
            let what = match &step.kind {
                StepKind::Clean { cache, .. } => What::Clean(*cache),
                StepKind::Invalidate { cache, .. } => What::Invalidate(*cache),
                StepKind::Layout { op, .. } => What::Layout(*op),
                _ => continue,
            };
            if !asked.operations.contains(what) {
                push(what, Part::Step(narrow(index)));
            }
        }
        let hold = barrier.hold.intersection(possible).minus(asked.hold);
        // Where the front end waits, all that is later is held as it is.
        let stops = whole || self.stops_front_end(barrier);
        if !hold.is_empty() && !stops && barrier.role != BarrierRole::SplitBegin {
            push(What::Hold(hold), Part::Hold(hold));
        }
        extra
    }
}

/// The entry of a packet that no entry made.
pub const NO_ENTRY: u32 = u32::MAX;

/// What is left of an extra operation after what other entries ask of its packet; `None`: nothing. `whole`: the machine can
/// only wait for and hold whole queues.
fn unowed(owed: &[Owed], whole: bool, at: usize, extra: Extra) -> Option<Extra> {
    let here = owed.iter().filter(|owed| owed.packets.contains(&at));
    let here = here.flat_map(|owed| owed.missing.iter().copied());
    let mut left = extra;
    for what in here {
        match (what, left.what) {
            (What::Wait(_), What::Wait(_)) | (What::Hold(_), What::Hold(_)) if whole => {
                return None;
            }
            (What::Wait(asked), What::Wait(leaves)) => {
                let leaves = leaves.minus(asked);
                (left.what, left.part) = (What::Wait(leaves), Part::Wait(leaves));
            }
            (What::Hold(asked), What::Hold(leaves)) => {
                let leaves = leaves.minus(asked);
                (left.what, left.part) = (What::Hold(leaves), Part::Hold(leaves));
            }
            (asked, done) if asked == done => return None,
            _ => {}
        }
    }
    let is_empty = matches!(left.what, What::Wait(l) | What::Hold(l) if l.is_empty());
    (!is_empty).then_some(left)
}
