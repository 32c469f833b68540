//! A queue, or the CPU: its front end, its pipeline, and the barriers that hold it.

use super::NONE;
use super::ahead::Ahead;
use super::feed::Held;
use super::flight::Life;
use super::turns::Resuming;
use crate::api::{Leaf, LeafSet};
use crate::id::{CacheId, NodeId, OpId, Table};
use crate::program::HwOp;
use crate::time::Ps;
use crate::trace::LaneKind;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

/// What a queue's front end (or the CPU) does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Front {
    /// Nothing; the next packet can be taken up.
    Idle,
    /// It spends a packet's launch time.
    Busy,
    /// Too many packets are in flight.
    WaitSlot,
    /// The packet needs an idle queue.
    WaitIdle,
    /// A barrier that waits keeps the front end.
    WaitBarrier,
    /// The packet waits for a fence.
    WaitFence,
    /// A reset ended it.
    Ended,
}

/// A barrier whose waits keep the front end.
#[derive(Copy, Clone)]
pub(super) struct Stopped {
    pub(super) seq: u32,
    pub(super) op: OpId,
    pub(super) node: NodeId,
}

/// A barrier that has been issued and has not completed.
pub(super) struct Incomplete {
    pub(super) seq: u32,
    pub(super) op: OpId,
    pub(super) flight: u32,
    /// Leaves that it holds.
    pub(super) hold: LeafSet,
}

/// A task that has not left its leaf, or that an earlier one has not left before.
pub(super) struct Outstanding {
    pub(super) seq: u32,
    pub(super) flight: u32,
    pub(super) task: u8,
    pub(super) ended: bool,
}

/// One leaf of a queue's pipeline.
#[derive(Default)]
pub(super) struct LeafState {
    /// Work in it or on its way to it, by order of issue.
    pub(super) outstanding: VecDeque<Outstanding>,
    /// Until then what was held starts again, and later work does not overtake it.
    pub(super) resumes: Ps,
    /// Barriers that wait for work in it: `(order of issue, flight)`. Each waits at one place at a time.
    pub(super) drainers: BinaryHeap<Reverse<(u32, u32)>>,
    /// Barriers of which it is to be known when this leaf was free of earlier work: `(order of issue, flight)`.
    pub(super) watchers: BinaryHeap<Reverse<(u32, u32)>>,
    /// Held tasks: `(order of issue, flight, task)`.
    pub(super) held: BinaryHeap<Reverse<(u32, u32, u8)>>,
    /// Tasks that run, since when some do, and how long some did before.
    pub(super) running: u32,
    pub(super) since: Ps,
    pub(super) busy: Ps,
}

/// A queue, or the CPU.
pub(super) struct Actor<'p> {
    /// Blocks that were submitted and not begun, in runs: the CPU may submit all of a long timeline at once.
    pub(super) submitted: VecDeque<Range<u32>>,
    pub(super) block: Option<Held<'p>>,
    pub(super) next: usize,
    pub(super) front: Front,
    /// The packet that the front end has taken up.
    pub(super) taken: Option<(Held<'p>, HwOp)>,
    pub(super) life: Life,
    pub(super) in_flight: u32,
    pub(super) next_seq: u32,
    pub(super) leaves: Vec<LeafState>,
    /// Barriers that have not completed, by order of issue.
    pub(super) incomplete: Vec<Incomplete>,
    /// Barrier entries that have completed and whose held work has not started again, by order of issue.
    pub(super) resuming: Vec<Resuming>,
    /// When the latest barrier was over that held the queue.
    pub(super) free_at: Ps,
    /// The timing of the barrier that it waits for.
    pub(super) payer: u32,
    /// The timing of the packet that the front end has taken up.
    pub(super) taken_timing: u32,
    /// The barriers of one call whose waits the front end waits for.
    pub(super) stopped: Vec<Stopped>,
    /// What the parser of commands has of the packet that was taken up.
    pub(super) ahead: Ahead,
    /// By leaf, how many things hold what the parser fetches for it.
    pub(super) fetch_holds: [u32; Leaf::COUNT],
    /// Packets in flight that it has come to, and not fetched for.
    pub(super) parsed: Vec<u32>,
    /// Leaves with work in them or on its way to them, and leaves before which tasks are held.
    pub(super) busy: LeafSet,
    pub(super) held: LeafSet,
    /// Flights that run.
    pub(super) active: u32,
    pub(super) lane: Option<(Ps, LaneKind, NodeId)>,
    /// When the latest scope had begun.
    pub(super) scope_begun: Ps,
    /// The leaves that work of this queue can have: waits for others cost nothing.
    pub(super) possible: LeafSet,
    /// The leaves that had work since they were last waited for.
    pub(super) worked: LeafSet,
    /// For each leaf the stages whose prices a wait for that work costs.
    pub(super) prices: [LeafSet; Leaf::COUNT],
    /// Caches that were dropped since the latest work.
    pub(super) fresh: Table<CacheId, bool>,
}

impl Actor<'_> {
    /// An actor that has done nothing. `possible`: the leaves that its work can have; `caches`: how many there are.
    pub(super) fn new(possible: LeafSet, caches: usize) -> Self {
        Self {
            submitted: VecDeque::new(),
            block: None,
            next: 0,
            front: Front::Idle,
            taken: None,
            life: Life::default(),
            in_flight: 0,
            next_seq: 0,
            leaves: (0..Leaf::COUNT).map(|_| LeafState::default()).collect(),
            incomplete: Vec::new(),
            resuming: Vec::new(),
            free_at: Ps::ZERO,
            payer: NONE,
            taken_timing: NONE,
            stopped: Vec::new(),
            ahead: Ahead::Nothing,
            fetch_holds: [0; Leaf::COUNT],
            parsed: Vec::new(),
            busy: LeafSet::EMPTY,
            held: LeafSet::EMPTY,
            active: 0,
            lane: None,
            scope_begun: Ps::ZERO,
            possible,
            worked: LeafSet::EMPTY,
            prices: [LeafSet::EMPTY; Leaf::COUNT],
            fresh: Table::filled(caches, false),
        }
    }

    /// A block was submitted.
    pub(super) fn submit(&mut self, block: u32) {
        match self.submitted.back_mut() {
            Some(run) if run.end == block => run.end += 1,
            _ => self.submitted.push_back(block..block + 1),
        }
    }

    /// The next block that was submitted.
    pub(super) fn begin(&mut self) -> Option<u32> {
        let run = self.submitted.front_mut()?;
        let next = run.next();
        if run.start == run.end {
            self.submitted.pop_front();
        }
        next
    }

    /// The earliest barrier that holds a leaf.
    pub(super) fn holder(&self, leaf: Leaf) -> Option<&Incomplete> {
        self.incomplete.iter().find(|b| b.hold.has(leaf))
    }
}
