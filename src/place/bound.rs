//! The least time that any barriers can reach.
//!
//! Whatever barriers cost, a run takes no less, if its driver does what is asked, than
//! * its longest chain: a stage starts after the stages whose bytes it needs have ended, the stages of a command follow each
//!   other a latency apart, and the front end of a queue launches one command after the other;
//! * the work of each pool, as if it were never idle.
//!
//! Waits, caches, operations and fences cost nothing here, so that the bound holds for every placement, and is reached by few.
//! Nothing is simulated. Cost: one evaluation of the relation *needed*, then linear in packets and pairs.

use crate::api::{Leaf, LeafSet};
use crate::graph::{self, Collected, NeededPair, Part, Request, Side};
use crate::id::{NodeId, QueueId, Table};
use crate::order::Timeline;
use crate::program::{Block, Groups, HwOp, HwOpKind, Pool, Program, Work};
use crate::time::Ps;
use smallvec::SmallVec;

/// When each stage of a command has ended at the earliest, front of the pipeline first.
type Ends = SmallVec<[(Leaf, u64); 5]>;

/// The least time of a timeline without barriers, from its packets; `None` if a timeout drops some of its work.
pub(super) fn least(timeline: &Timeline<'_>, program: &Program) -> Option<Ps> {
    let mut bound = Bound {
        needs: needs(timeline),
        ends: Table::filled(program.nodes as usize, Ends::new()),
        fronts: Table::filled(program.queues.len(), 0),
        pools: [0; Pool::COUNT],
    };
    for id in timeline.evaluation.iter() {
        let block = &program.blocks[id];
        for op in &block.ops {
            match (&op.kind, block.queue) {
                (HwOpKind::Reset { .. }, _) => return None,
                (HwOpKind::Work(work), Some(queue)) => bound.work(block, op, work, queue),
                _ => {}
            }
        }
    }
    Some(Ps(bound.least()))
}

/// Pairs of uses of which the second must start after the first, ascending by the second command.
fn needs(timeline: &Timeline<'_>) -> Vec<(Side, Side)> {
    let request = Request {
        pairs: Collected::Named,
        ..Request::default()
    };
    let is_use = |side: &Side| matches!(side.part, Part::Use(_) | Part::Root { .. });
    let submission = |side: &Side| timeline.submission_of(side.node);
    // Without a barrier, raster order and the like is all that is asked within a submission: the machine keeps it while the
    // two run next to each other.
    let is_apart = |it: &NeededPair| !it.asked || submission(&it.first) != submission(&it.second);
    let pairs = graph::evaluate(timeline, request).pairs.into_iter();
    let mut needs: Vec<(Side, Side)> = pairs
        .filter(|it| is_use(&it.first) && is_use(&it.second) && is_apart(it))
        .map(|it| (it.first, it.second))
        .collect();
    needs.sort_by_key(|(_, second)| second.node);
    needs
}

/// What is known of a run as far as it is followed.
struct Bound {
    needs: Vec<(Side, Side)>,
    ends: Table<NodeId, Ends>,
    /// When the front end of each queue is free.
    fronts: Table<QueueId, u64>,
    /// Time times weight in each pool.
    pools: [u128; Pool::COUNT],
}

impl Bound {
    fn work(&mut self, block: &Block, op: &HwOp, work: &Work, queue: QueueId) {
        let node = op.origin.node;
        let front = &mut self.fronts[queue];
        *front = front.saturating_add(op.launch.0);
        let mut start = *front;
        *front = front.saturating_add(op.tail.0);
        let mut end = 0;
        let mut ends = Ends::new();
        for task in work.tasks.of(&block.tasks) {
            start = start.saturating_add(task.latency.0);
            end = end.max(start).max(u64::saturating_add(end, task.latency.0));
            if task.passes {
                continue;
            }
            start = start.max(self.released(node, task.leaf));
            let groups = work.groups.of(&block.groups).first();
            let alone = || {
                let weight = u128::from(task.weight.clamp(1, Pool::FULL));
                (task.cost.0, u128::from(task.cost.0) * weight)
            };
            let groups = groups.filter(|_| task.has_groups);
            let (takes, load) = groups.map_or_else(alone, of_groups);
            self.pools[task.pool.index()] += load;
            end = end.max(start.saturating_add(takes));
            ends.push((task.leaf, end));
        }
        self.ends[node] = ends;
    }

    /// When everything has ended that a stage of a command needs.
    fn released(&self, node: NodeId, leaf: Leaf) -> u64 {
        let from = self.needs.partition_point(|(_, second)| second.node < node);
        let own = self.needs[from..].iter();
        let own = own.take_while(|(_, second)| second.node == node);
        let at_leaf = own.filter(|(_, second)| second.stages.has(leaf));
        let ended = |side: &Side| ended(&self.ends[side.node], side.stages);
        at_leaf.map(|(first, _)| ended(first)).max().unwrap_or(0)
    }

    fn least(&self) -> u64 {
        let fixed = Pool::Fixed.index();
        let pools = self.pools.iter().enumerate();
        let pools = pools.filter(|(pool, _)| *pool != fixed);
        let busy = pools.map(|(_, load)| load / u128::from(Pool::FULL)).max();
        let busy = busy.map_or(0, |it| u64::try_from(it).unwrap_or(u64::MAX));
        let ends = self.ends.iter().flatten().map(|(_, end)| *end).max();
        let fronts = self.fronts.iter().copied().max();
        busy.max(ends.unwrap_or(0)).max(fronts.unwrap_or(0))
    }
}

/// When the last of some stages has ended.
fn ended(ends: &Ends, stages: LeafSet) -> u64 {
    let own = ends.iter().filter(|(leaf, _)| stages.has(*leaf));
    own.map(|(_, end)| *end).max().unwrap_or(0)
}

/// What thread groups take on an otherwise idle machine at least, and what they take of the shader cores.
fn of_groups(groups: &Groups) -> (u64, u128) {
    let apart = groups.apart.0.min(groups.refill_apart.0);
    let launched = apart.saturating_mul(groups.count.saturating_sub(1));
    let at_once = groups.at_once.max(1);
    let rounds = groups.each.0.saturating_mul(groups.count / at_once);
    let takes = groups.each.0.saturating_add(launched).max(rounds);
    let load = u128::from(groups.each.0) * u128::from(groups.count) * u128::from(Pool::FULL);
    (takes, load / u128::from(at_once))
}
