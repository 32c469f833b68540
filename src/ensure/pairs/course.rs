//! From one event to another: what is certain after each packet on the way.

use super::Packets;
use super::events::Event;
use crate::api::{Leaf, LeafSet};
use crate::ensure::asked::Asked;
use crate::ensure::effects::Progress;
use crate::id::{NodeId, OpId};
use crate::program::{BarrierOp, HwOp, HwOpKind, Step, Work};
use smallvec::SmallVec;

/// Packets that are walked for the pairs of one scope.
pub(super) const STEPS_MAX: u64 = 1 << 26;

/// What is certain at some point: whether the first use has ended, and which operations have not happened since.
#[derive(Copy, Clone)]
pub(super) struct Certain {
    pub(super) ended: bool,
    pub(super) progress: Progress,
}

impl Certain {
    /// Makes certain what one or the other makes certain.
    fn and(&mut self, other: &Self) {
        self.ended |= other.ended;
        self.progress.and(&other.progress);
    }

    pub(super) fn is_all(&self) -> bool {
        self.ended && self.progress.left.is_empty()
    }
}

/// What comes of a walk from one use to another.
pub(super) struct Reached {
    /// At the second use.
    pub(super) there: Certain,
    /// After all packets before it, whomever they hold.
    pub(super) all: Certain,
}

impl<'a> Packets<'_, 'a, '_> {
    /// Carries what is certain from one event to another. `assumed`: the first is taken to have ended at once.
    pub(super) fn walk(
        &self,
        first: &Event<'a>,
        second: &Event<'a>,
        asked: &Asked,
        assumed: bool,
    ) -> Reached {
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
            front: nothing,
            call: None,
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
            course.come_to(&block.ops[at]);
            match &block.ops[at].kind {
                HwOpKind::Work(work) => course.pass(work),
                HwOpKind::Barrier(barrier) => course.packet(at, barrier),
                _ => {}
            }
        }
        course.come_to(&block.ops[second.op]);
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
    /// Whatever the front end takes up now comes after this: before any packet that kept it, nothing is certain.
    front: Certain,
    /// Of a call whose packets keep it: its node, and what is certain after it. They wait together.
    call: Option<(NodeId, Certain)>,
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
            let mut certain = self.front;
            certain.ended = true;
            let steps = barrier.steps.of(&block.steps);
            self.operate(&steps[step + 1..], &mut certain);
            self.finish(at, barrier, certain);
        }
    }

    /// The front end comes to a packet, which is after the call that kept it unless it is of that call.
    fn come_to(&mut self, op: &HwOp) {
        let is_of_call = |call: NodeId| op.origin.entry.is_some() && op.origin.node == call;
        if let Some((_, after)) = self.call.take_if(|(call, _)| !is_of_call(*call)) {
            self.front.and(&after);
        }
    }

    fn packet(&mut self, at: usize, barrier: &BarrierOp) {
        let mut certain = self.arrive(barrier);
        if self.packets.scope.stops_front_end(barrier) {
            let node = self.packets.block().ops[at].origin.node;
            let (_, after) = self.call.get_or_insert((node, self.front));
            after.and(&certain);
        }
        let steps = barrier.steps.of(&self.packets.block().steps);
        self.operate(steps, &mut certain);
        if certain.ended && barrier.holds_fetches && barrier.hold.contains(self.asked.hold) {
            certain.progress.hold_fetches();
        }
        self.finish(at, barrier, certain);
    }

    /// What is certain when a packet's waits have ended.
    fn arrive(&self, barrier: &BarrierOp) -> Certain {
        let mut certain = self.front;
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
        let mut certain = self.front;
        for task in work.tasks.of(&self.packets.block().tasks) {
            certain.and(&self.held[task.leaf.index()]);
            if !task.passes {
                self.work[task.leaf.index()].and(&certain);
            }
        }
    }

    /// What is certain where a use of some work happens: a read at each of its stages, a write at the last.
    fn at_work(&self, work: &Work, event: &Event<'_>) -> Certain {
        let mut certain = self.front;
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
