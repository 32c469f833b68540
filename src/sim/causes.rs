//! Why each moment came no earlier, while the simulation runs. The engine says what happens; this file knows which
//! earlier moments that had to wait for. It changes nothing of what happens.

use crate::api::{Leaf, LeafSet};
use crate::id::{FenceId, MomentId, OpId, Table, narrow};
use crate::time::Ps;
use crate::trace::{Causes, Link, Reason, Why};
use smallvec::{SmallVec, smallvec};

use super::TASKS;

const NEVER: MomentId = Causes::NEVER;

/// Links of one moment: most have few.
type Links = SmallVec<[Link; 4]>;

/// Things in order of issue, each of which ends at some moment; who waits for all before one waits for a meeting of them.
#[derive(Default)]
struct Chain {
    /// `(order of issue, end)`.
    entries: Vec<(u32, MomentId)>,
    /// Meetings of the first entries: how many, and when.
    meetings: Vec<(usize, MomentId)>,
    /// Entries that only pass: they end when they start.
    passing: Vec<u32>,
}

impl Chain {
    fn enter(&mut self, seq: u32) {
        self.entries.push((seq, NEVER));
    }

    /// Number of entries before one.
    fn before(&self, seq: u32) -> usize {
        self.entries.partition_point(|(s, _)| *s < seq)
    }

    fn end(&mut self, seq: u32, moment: MomentId) {
        let at = self.before(seq);
        if let Some(entry) = self.entries.get_mut(at).filter(|(s, _)| *s == seq) {
            entry.1 = moment;
        }
    }

    /// The end of the latest of the first `count` entries that end in order, or of those since that only pass.
    fn latest(&self, causes: &Causes, count: usize) -> Option<MomentId> {
        let mut latest: Option<MomentId> = None;
        for (seq, end) in self.entries[..count].iter().rev() {
            if latest.is_none_or(|known| causes.at(known) < causes.at(*end)) {
                latest = Some(*end);
            }
            if self.passing.binary_search(seq).is_err() {
                break;
            }
        }
        latest
    }

    /// The moment at which the first `count` entries have ended; `None` if there are none.
    fn meet(&mut self, causes: &mut Causes, count: usize, why: Why) -> Option<MomentId> {
        let at = self.meetings.partition_point(|(n, _)| *n <= count);
        let base = at.checked_sub(1).map(|i| self.meetings[i]);
        let known = base.map_or(0, |(n, _)| n);
        if known == count {
            return base.map(|(_, moment)| moment);
        }
        let link = |from| Link {
            from,
            why,
            did: Reason::Latency,
            takes: Ps::ZERO,
        };
        let ends = self.entries[known..count].iter().map(|(_, end)| *end);
        let links: Links = base
            .map(|(_, m)| m)
            .into_iter()
            .chain(ends)
            .map(link)
            .collect();
        debug_assert!(links.iter().all(|l| l.from != NEVER), "they have ended");
        let latest = links.iter().map(|l| causes.at(l.from)).max()?;
        let moment = causes.push(latest, None, &links);
        self.meetings.insert(at, (count, moment));
        Some(moment)
    }
}

/// What an actor's packets wait for.
struct ActorCauses {
    /// When the front end was done with the packet before.
    done: MomentId,
    /// The packet that was taken up found too many in flight.
    full: bool,
    /// When the block was submitted of which the front end takes up the first packet next.
    begun: Option<MomentId>,
    /// The packet that was taken up is the first of a block: when that was submitted.
    submitted: Option<MomentId>,
    /// Since when the fence has had the value that the packet which was taken up waits for.
    reached: Option<MomentId>,
    /// When the waits of barriers were over that kept the front end since the latest packet.
    stopped: Links,
    /// Packets that took off.
    issued: u32,
    /// Ends of those that have retired, numbered in that order.
    retired: Chain,
    /// Work by leaf.
    work: Vec<Chain>,
    /// Barriers that hold a leaf, by leaf.
    holds: Vec<Chain>,
    /// The barrier whose end let a leaf go last, by leaf.
    resumers: Vec<MomentId>,
    /// Every barrier of the queue.
    barriers: Chain,
}

/// What a packet in flight has come to.
#[derive(Copy, Clone)]
struct FlightCauses {
    op: OpId,
    /// The packet's latest moment.
    last: MomentId,
    /// When it was issued.
    issued: MomentId,
    started: [MomentId; TASKS],
    served: [Ps; TASKS],
    ended: [MomentId; TASKS],
    lost: [Ps; TASKS],
}

/// Where a task is.
#[derive(Copy, Clone)]
pub(super) struct Whereabouts {
    pub(super) queue: usize,
    pub(super) flight: u32,
    pub(super) seq: u32,
    pub(super) task: usize,
    pub(super) leaf: Leaf,
    pub(super) latency: Ps,
    pub(super) now: Ps,
}

/// What a packet needs before it is launched.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Need {
    Nothing,
    /// One of so many slots.
    Slot(u32),
    /// An idle queue.
    Idle,
}

/// Records causes.
pub(super) struct Recorder {
    causes: Causes,
    actors: Vec<ActorCauses>,
    flights: Vec<FlightCauses>,
    /// By fence, values with the moment since which it has had them; both rise.
    fences: Table<FenceId, Vec<(u64, MomentId)>>,
    /// When blocks were submitted.
    submitted: Vec<MomentId>,
    /// What takes effect now: the issue of a packet, or the end of a barrier.
    current: MomentId,
}

impl Recorder {
    pub(super) fn new(
        ops: usize,
        actors: usize,
        blocks: usize,
        fences: &Table<FenceId, u64>,
    ) -> Self {
        let chains = || (0..Leaf::COUNT).map(|_| Chain::default()).collect();
        let actor = |_| ActorCauses {
            done: Causes::START,
            full: false,
            begun: None,
            submitted: None,
            reached: None,
            stopped: Links::new(),
            issued: 0,
            retired: Chain::default(),
            work: chains(),
            holds: chains(),
            resumers: vec![NEVER; Leaf::COUNT],
            barriers: Chain::default(),
        };
        Self {
            causes: Causes::new(ops),
            actors: (0..actors).map(actor).collect(),
            flights: Vec::new(),
            fences: fences.iter().map(|v| vec![(*v, Causes::START)]).collect(),
            submitted: vec![Causes::START; blocks],
            current: Causes::START,
        }
    }

    pub(super) fn finish(self) -> Causes {
        self.causes
    }

    fn link(from: MomentId, why: Why, did: Reason, takes: Ps) -> Link {
        Link {
            from,
            why,
            did,
            takes,
        }
    }

    /// The CPU has handed a block to a queue.
    pub(super) fn submit(&mut self, block: usize, cpu: usize) {
        self.submitted[block] = self.actors[cpu].done;
    }

    /// A queue comes to a block.
    pub(super) fn begin_block(&mut self, actor: usize, block: usize) {
        self.actors[actor].begun = Some(self.submitted[block]);
    }

    /// A front end has taken a packet up.
    pub(super) fn take(&mut self, actor: usize, full: bool) {
        let this = &mut self.actors[actor];
        this.submitted = this.begun.take();
        (this.full, this.reached) = (full, None);
    }

    /// A packet that was taken up may go on, unless too many are in flight.
    pub(super) fn retake(&mut self, actor: usize, full: bool) {
        self.actors[actor].full = full;
    }

    /// The waits of a barrier that kept the front end are over.
    pub(super) fn waited(&mut self, actor: usize, flight: u32) {
        let over = self.flights[flight as usize].last;
        let link = Self::link(over, Why::Stop, Reason::FrontEnd, Ps::ZERO);
        self.actors[actor].stopped.push(link);
    }

    /// The fence that a packet waits for has the value.
    pub(super) fn reach(&mut self, actor: usize, fence: FenceId, value: u64) {
        let since = self.fences[fence].iter().find(|(v, _)| *v >= value);
        self.actors[actor].reached = since.map(|(_, from)| *from).filter(|m| *m != Causes::START);
    }

    /// Whether the packet that was taken up found too many in flight.
    pub(super) fn is_full(&self, actor: usize) -> bool {
        self.actors[actor].full
    }

    /// A packet's launch time is over.
    pub(super) fn launched(
        &mut self,
        actor: usize,
        op: OpId,
        need: Need,
        (did, takes, now): (Reason, Ps, Ps),
    ) {
        let this = &mut self.actors[actor];
        let mut links: Links = smallvec![Self::link(this.done, Why::FrontEnd, did, takes)];
        if let Some(from) = this.submitted {
            links.push(Self::link(from, Why::Submission, did, takes));
        }
        let (count, why) = match need {
            Need::Slot(slots) => ((this.issued + 1).saturating_sub(slots) as usize, Why::Slot),
            Need::Idle => (this.issued as usize, Why::Idle),
            Need::Nothing => (0, Why::Slot),
        };
        // What an earlier packet of this front end waited for is over already.
        let known = this.retired.meetings.last().map_or(0, |(n, _)| *n);
        if count > known
            && let Some(from) = this.retired.meet(&mut self.causes, count, Why::Meet)
        {
            links.push(Self::link(from, why, did, takes));
        }
        let stopped = std::mem::take(&mut self.actors[actor].stopped).into_iter();
        links.extend(stopped.map(|link| Link { did, takes, ..link }));
        let reached = self.actors[actor].reached;
        links.extend(reached.map(|from| Self::link(from, Why::Fence, did, takes)));
        let moment = self.causes.push(now, Some(op), &links);
        self.actors[actor].done = moment;
        self.current = moment;
    }

    /// The front end is done with what it does after a packet has taken effect.
    pub(super) fn tailed(&mut self, actor: usize, did: Reason, now: Ps) {
        let done = self.actors[actor].done;
        let moment = self.causes.moment(done);
        let link = Self::link(done, Why::FrontEnd, did, now - moment.at);
        self.actors[actor].done = self.causes.push(now, moment.op, &[link]);
    }

    /// The packet that takes effect now has no life beyond that.
    pub(super) fn over(&mut self, op: OpId) {
        self.causes.ends[op] = self.current;
    }

    /// What takes effect now sets a fence.
    pub(super) fn set_fence(&mut self, fence: FenceId, value: u64) {
        let known = &mut self.fences[fence];
        let mut since = self.current;
        while let Some((_, earlier)) = known.pop_if(|(v, _)| *v >= value) {
            since = earlier;
        }
        known.push((value, since));
    }

    /// The packet that takes effect now is in flight.
    pub(super) fn take_off(&mut self, actor: usize, flight: u32, op: OpId) {
        self.actors[actor].issued += 1;
        let fresh = FlightCauses {
            op,
            last: self.current,
            issued: self.current,
            started: [NEVER; TASKS],
            served: [Ps::ZERO; TASKS],
            ended: [NEVER; TASKS],
            lost: [Ps::ZERO; TASKS],
        };
        match self.flights.get_mut(flight as usize) {
            Some(slot) => *slot = fresh,
            None => self.flights.push(fresh),
        }
    }

    /// Work will come to a leaf, or only pass there.
    pub(super) fn enter(&mut self, queue: usize, leaf: Leaf, seq: u32, passes: bool) {
        let work = &mut self.actors[queue].work[leaf.index()];
        work.enter(seq);
        if passes {
            work.passing.push(seq);
        }
    }

    /// A stage starts; `lost` is what its reads lose to dropped lines.
    pub(super) fn start(&mut self, at: Whereabouts, resume: Ps, lost: Ps) {
        let f = self.flights[at.flight as usize];
        let before = if at.task == 0 {
            f.issued
        } else {
            f.started[at.task - 1]
        };
        let mut links: Links =
            smallvec![Self::link(before, Why::Flow, Reason::Latency, at.latency)];
        let this = &mut self.actors[at.queue];
        let holds = &mut this.holds[at.leaf.index()];
        let count = holds.before(at.seq);
        let gate = holds.meet(&mut self.causes, count, Why::Gate);
        let mut held = false;
        if let Some(gate) = gate {
            let free = self.causes.at(gate) + resume;
            held = free == at.now;
            links.push(if free <= at.now {
                Self::link(gate, Why::Hold, Reason::Resume, resume)
            } else {
                Self::link(gate, Why::Passed, Reason::Resume, resume)
            });
        }
        // What a later barrier held starts again, and this does not overtake it.
        let resumer = this.resumers[at.leaf.index()];
        if !held && resumer != NEVER && self.causes.at(resumer) + resume == at.now {
            links.push(Self::link(resumer, Why::Hold, Reason::Resume, resume));
        }
        let moment = self.causes.push(at.now, Some(f.op), &links);
        let f = &mut self.flights[at.flight as usize];
        f.started[at.task] = moment;
        f.lost[at.task] = lost;
    }

    /// A pool has done its part of a task.
    pub(super) fn serve(&mut self, flight: u32, task: u8, now: Ps) {
        self.flights[flight as usize].served[usize::from(task)] = now;
    }

    /// A stage that started has nothing to do: nobody waits for it to end.
    pub(super) fn pass(&mut self, at: Whereabouts) {
        let started = self.flights[at.flight as usize].started[at.task];
        self.actors[at.queue].work[at.leaf.index()].end(at.seq, started);
    }

    /// A stage ends; `in_order`: not before that of earlier work; `passes`: it had nothing to do.
    pub(super) fn end(&mut self, at: Whereabouts, in_order: bool, passes: bool) {
        let f = &mut self.flights[at.flight as usize];
        let started = f.started[at.task];
        let time = f.served[at.task] - self.causes.at(started);
        let work = if passes {
            Reason::Latency
        } else {
            Reason::Work(at.leaf)
        };
        let mut links: Links = smallvec![Self::link(started, Why::Flow, work, time)];
        if at.task > 0 {
            let before = f.ended[at.task - 1];
            links.push(Self::link(before, Why::Flow, Reason::Latency, at.latency));
        }
        let chain = &mut self.actors[at.queue].work[at.leaf.index()];
        let place = chain.before(at.seq);
        if in_order && let Some(earlier) = chain.latest(&self.causes, place) {
            links.push(Self::link(earlier, Why::RasterOrder, work, Ps::ZERO));
        }
        let moment = self.causes.push(at.now, Some(f.op), &links);
        if !passes {
            chain.end(at.seq, moment);
        }
        f.ended[at.task] = moment;
        f.last = moment;
        let lost = f.lost[at.task];
        if lost > Ps::ZERO {
            self.causes.refills.push((moment, lost));
        }
    }

    /// A barrier is in flight.
    pub(super) fn barrier(&mut self, queue: usize, seq: u32, hold: LeafSet) {
        let this = &mut self.actors[queue];
        this.barriers.enter(seq);
        for leaf in hold.iter() {
            this.holds[leaf.index()].enter(seq);
        }
    }

    /// Everything that a barrier waits for is over.
    pub(super) fn drained(
        &mut self,
        (queue, flight, seq): (usize, u32, u32),
        wait: LeafSet,
        (after, after_all): (&[OpId], bool),
        now: Ps,
    ) {
        let this = &mut self.actors[queue];
        let f = &mut self.flights[flight as usize];
        let at_once = |from, why| Self::link(from, why, Reason::Drain, Ps::ZERO);
        let mut links: Links = smallvec![at_once(f.last, Why::Flow)];
        for leaf in wait.iter() {
            let work = &mut this.work[leaf.index()];
            let count = work.before(seq);
            let met = work.meet(&mut self.causes, count, Why::Meet);
            links.extend(met.map(|from| at_once(from, Why::Drain)));
        }
        if after_all {
            let count = this.barriers.before(seq);
            let met = this.barriers.meet(&mut self.causes, count, Why::Meet);
            links.extend(met.map(|from| at_once(from, Why::EarlierBarrier)));
        }
        let ends = after.iter().filter_map(|op| self.causes.ends.get(*op));
        let ends = ends.filter(|end| **end != NEVER);
        links.extend(ends.map(|end| at_once(*end, Why::EarlierBarrier)));
        f.last = self.causes.push(now, Some(f.op), &links);
    }

    /// A wait or an operation of a barrier ends.
    pub(super) fn step(&mut self, flight: u32, did: Reason, now: Ps) {
        let f = &mut self.flights[flight as usize];
        let time = now - self.causes.at(f.last);
        let link = Self::link(f.last, Why::Flow, did, time);
        f.last = self.causes.push(now, Some(f.op), &[link]);
    }

    /// A barrier has completed.
    pub(super) fn complete(&mut self, queue: usize, flight: u32, seq: u32, hold: LeafSet) {
        let last = self.flights[flight as usize].last;
        let this = &mut self.actors[queue];
        this.barriers.end(seq, last);
        for leaf in hold.iter() {
            this.holds[leaf.index()].end(seq, last);
        }
        self.current = last;
    }

    /// The barrier that completes now lets held work of a leaf go.
    pub(super) fn resume(&mut self, queue: usize, leaf: usize) {
        self.actors[queue].resumers[leaf] = self.current;
    }

    /// A packet's life is over.
    pub(super) fn retire(&mut self, queue: usize, flight: u32) {
        let f = self.flights[flight as usize];
        self.causes.ends[f.op] = f.last;
        let retired = &mut self.actors[queue].retired;
        retired
            .entries
            .push((narrow(retired.entries.len()), f.last));
    }
}
