//! Places for thread groups.
//!
//! A multiprocessor has places for so many threads and groups. A group takes its place when it is launched and keeps it
//! until it ends, whatever comes after it; the next group takes a place that is free. Dispatches of one queue are placed in
//! order, queues take turns.
//!
//! A kernel that moves bytes has its place in that order too: it is launched when the groups before it are, and fills the
//! machine, so that groups after it are placed when its bytes have moved.
//!
//! One group of a queue is launched after the other, whichever dispatch it is of; the front end of the queue goes on
//! meanwhile.
//!
//! How it counts: groups that find room at one moment are one batch. They are launched one after the other, and their
//! places become free in the same order; so the places of a batch count as free when its first group ends (or, if that is
//! earlier, when its last group is launched), and the groups that take them are launched as far apart as those they follow.
//! A dispatch has ended when the last group of its last batch has. Batches of a dispatch of very many groups stand for
//! several rounds, so that its batches stay few: its time is the same, only its sharing is coarser.
//!
//! While groups take the places of others, a multiprocessor is not always full: groups end one by one, and what comes next
//! is spread by who was free first (measured: `shader.refill_gap`). A place that is left is not found at once, either: where
//! groups live long enough to fill the machine, the next ones are launched further apart (measured: `launch.refill_ps`).

use super::Engine;
use super::Event;
use crate::id::narrow;
use crate::program::{Groups, Pool};
use crate::time::Ps;
use std::collections::VecDeque;

/// The whole machine; a group takes a part.
const WHOLE: u64 = 1 << 40;
/// Rounds of a dispatch that are batches of their own; more are put together.
const ROUNDS: u64 = 64;

/// Groups that wait for places, or a kernel that moves bytes.
#[derive(Debug)]
struct Waiting {
    /// Its order of issue on the queue.
    seq: u32,
    flight: u32,
    task: u8,
    turn: Turn,
}

#[derive(Debug)]
enum Turn {
    /// So many are left.
    Groups { left: u64, groups: Groups },
    /// It has its turn from its issue on, so that groups that are issued later come later; it stays first until its bytes
    /// have moved.
    Kernel(Kernel),
}

/// How far a kernel that moves bytes has come.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kernel {
    Issued,
    /// No barrier holds the kernel.
    Ready,
    Launched,
}

/// A queue's launches.
#[derive(Copy, Clone, Default, Debug)]
struct Launcher {
    /// When the last group that has a place is launched, and of which packet it is.
    until: Ps,
    flight: u32,
}

/// Who holds places, and who waits for them.
#[derive(Debug)]
pub(super) struct Residency {
    /// Places that groups hold.
    held: u64,
    /// Who waits, by queue.
    waiting: Vec<VecDeque<Waiting>>,
    launchers: Vec<Launcher>,
    /// The queue whose turn it is.
    turn: usize,
    /// Nobody has given a place back since all were free.
    untouched: bool,
    /// What each batch holds, and the queue that it is of; a batch is known by its place here.
    batches: Vec<(u64, usize)>,
    free: Vec<u32>,
}

/// Groups that take their places at one moment.
struct Batch {
    queue: usize,
    held: u64,
    /// When the places are free again.
    frees: Ps,
    /// When the whole dispatch ends, if these are its last groups.
    ends: Option<(u32, u8, Ps)>,
}

impl Residency {
    pub(super) fn new(queues: usize) -> Self {
        Self {
            held: 0,
            waiting: (0..queues).map(|_| VecDeque::new()).collect(),
            launchers: vec![Launcher::default(); queues],
            turn: 0,
            untouched: true,
            batches: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Whoever was issued earlier has its turn earlier, whenever barriers let each go.
    fn wait(&mut self, queue: usize, waiting: Waiting) {
        let all = &mut self.waiting[queue];
        let at = all.partition_point(|other| other.seq < waiting.seq);
        all.insert(at, waiting);
    }

    /// Places the groups of the queue whose turn it is, if there is room in what `room` leaves.
    fn next(&mut self, now: Ps, room: u64) -> Option<Batch> {
        for offset in 0..self.waiting.len() {
            let queue = (self.turn + offset) % self.waiting.len();
            let (held, untouched) = (self.held, self.untouched);
            let Some(first) = self.waiting[queue].front_mut() else {
                continue;
            };
            let flight = first.flight;
            let Turn::Groups { left, groups } = &mut first.turn else {
                continue;
            };
            let groups = *groups;
            let share = WHOLE / groups.at_once.max(1);
            let most = if untouched {
                WHOLE
            } else {
                share.saturating_mul(groups.refilled)
            };
            let places = most.min(room).saturating_sub(held) / share.max(1);
            if places == 0 {
                continue;
            }
            let rounds = if places < *left {
                *left / places / ROUNDS + 1
            } else {
                1
            };
            let begun = (*left).min(places.saturating_mul(rounds));
            let taken = begun.min(places);
            *left -= begun;
            let is_last = *left == 0;
            let apart = apart(&groups, untouched).0;
            let launched = apart.saturating_mul(taken);
            let round = groups.each.0.max(launched);
            let before_last = round.saturating_mul(rounds - 1);
            let last = Ps(apart.saturating_mul(taken - 1)) + groups.each;
            let front = &mut self.launchers[queue];
            let start = front.next(now, flight, groups.after_another);
            front.until = start + Ps(apart.saturating_mul(begun));
            front.flight = flight;
            let batch = Batch {
                queue,
                held: taken * share,
                frees: start + Ps(before_last.saturating_add(round)),
                ends: is_last.then(|| (flight, first.task, start + Ps(before_last) + last)),
            };
            if is_last {
                self.waiting[queue].pop_front();
            }
            self.turn = (queue + 1) % self.waiting.len();
            self.held += batch.held;
            return Some(batch);
        }
        None
    }

    /// A kernel that moves bytes and whose turn has come, and when it is launched.
    fn next_kernel(&mut self, now: Ps) -> Option<(u32, u8, Ps)> {
        for (waiting, launcher) in self.waiting.iter_mut().zip(&self.launchers) {
            if let Some(first) = waiting.front_mut()
                && let Turn::Kernel(kernel) = &mut first.turn
                && *kernel == Kernel::Ready
            {
                *kernel = Kernel::Launched;
                return Some((first.flight, first.task, launcher.until.max(now)));
            }
        }
        None
    }

    /// The bytes of a kernel have moved, if the packet is one.
    fn end_kernel(&mut self, queue: usize, flight: u32) -> bool {
        let waiting = &mut self.waiting[queue];
        let is_first = waiting.front().is_some_and(|first| {
            first.flight == flight && matches!(first.turn, Turn::Kernel(Kernel::Launched))
        });
        if is_first {
            waiting.pop_front();
        }
        is_first
    }

    /// Nobody has ever wanted a place.
    fn is_unused(&self) -> bool {
        self.batches.is_empty() && self.waiting.iter().all(VecDeque::is_empty)
    }

    /// Remembers what a batch holds.
    fn remember(&mut self, batch: &Batch) -> u32 {
        let known = (batch.held, batch.queue);
        if let Some(at) = self.free.pop() {
            self.batches[at as usize] = known;
            return at;
        }
        self.batches.push(known);
        narrow(self.batches.len()) - 1
    }

    /// The places of a batch are free.
    fn release(&mut self, batch: u32) {
        self.held -= std::mem::take(&mut self.batches[batch as usize].0);
        self.free.push(batch);
        // Groups that follow a kernel that moves bytes find the machine empty.
        let takes_over = |first: &Waiting| matches!(first.turn, Turn::Groups { .. });
        let mut firsts = self.waiting.iter().filter_map(VecDeque::front);
        self.untouched = self.held == 0 && !firsts.any(takes_over);
    }

    /// A queue's groups give their places back, and none of it waits any more. Returns the batches.
    pub(super) fn drop_queue(&mut self, queue: usize) -> Vec<u32> {
        self.waiting[queue].clear();
        self.launchers[queue] = Launcher::default();
        let held = |(_, (held, of)): &(usize, &(u64, usize))| *held > 0 && *of == queue;
        let batches = self.batches.iter().enumerate().filter(held);
        let batches: Vec<u32> = batches.map(|(batch, _)| narrow(batch)).collect();
        for batch in &batches {
            self.release(*batch);
        }
        batches
    }
}

impl Launcher {
    /// When the next group of a packet is launched, if one has its place now.
    fn next(&self, now: Ps, flight: u32, after_another: Ps) -> Ps {
        if self.until <= now {
            now
        } else if self.flight == flight {
            self.until
        } else {
            self.until + after_another
        }
    }
}

/// Time from the launch of one group to the launch of the next. Groups that take over the places of ended ones are further
/// apart, if a group runs for so long that the machine is full before the first one ends.
fn apart(groups: &Groups, untouched: bool) -> Ps {
    let fills = groups.each.0 > groups.apart.0.saturating_mul(groups.at_once);
    if fills && !untouched {
        groups.refill_apart
    } else {
        groups.apart
    }
}

impl Engine<'_> {
    /// The groups of a task want places; `lost` is what each loses to misses.
    pub(super) fn place(&mut self, flight: u32, task: u8, groups: Groups, lost: Ps) {
        let f = &self.flights[flight as usize];
        let (queue, seq) = (f.queue as usize, f.seq);
        let groups = Groups {
            each: groups.each + lost,
            ..groups
        };
        let left = groups.count;
        let turn = Turn::Groups { left, groups };
        let waiting = Waiting {
            seq,
            flight,
            task,
            turn,
        };
        self.residency.wait(queue, waiting);
        self.admit(false);
    }

    /// A kernel that moves bytes is issued.
    pub(super) fn issue_kernel(&mut self, queue: usize, flight: u32, task: u8) {
        let waiting = Waiting {
            seq: self.flights[flight as usize].seq,
            flight,
            task,
            turn: Turn::Kernel(Kernel::Issued),
        };
        self.residency.wait(queue, waiting);
    }

    /// Nothing holds a kernel that moves bytes: it is launched when its turn comes.
    pub(super) fn place_kernel(&mut self, flight: u32) {
        let queue = self.flights[flight as usize].queue as usize;
        let mut waiting = self.residency.waiting[queue].iter_mut();
        if let Some(waiting) = waiting.find(|waiting| waiting.flight == flight) {
            waiting.turn = Turn::Kernel(Kernel::Ready);
        }
        self.admit(false);
    }

    /// The groups after a kernel that moves bytes may be placed when these have moved.
    pub(super) fn kernel_served(&mut self, flight: u32) {
        let queue = self.flights[flight as usize].queue as usize;
        if self.residency.end_kernel(queue, flight) {
            self.admit(true);
        }
    }

    /// Places that groups had are free.
    pub(super) fn places_free(&mut self, batch: u32) {
        self.residency.release(batch);
        self.admit(true);
    }

    /// Places as many groups as there is room for. Work that shares evenly leaves them half the machine at least.
    pub(super) fn admit(&mut self, changed: bool) {
        if self.residency.is_unused() {
            return;
        }
        let full = u64::from(Pool::FULL);
        let pool = Pool::Shader.index();
        let shared = self.pools[pool].load().min(full / 2);
        let room = WHOLE - WHOLE / full * shared;
        let mut any = changed;
        loop {
            while let Some((flight, task, at)) = self.residency.next_kernel(self.now) {
                self.schedule(at, Event::Kernel { flight, task });
            }
            let Some(batch) = self.residency.next(self.now, room) else {
                break;
            };
            any = true;
            let id = self.residency.remember(&batch);
            self.schedule(batch.frees, Event::Places { batch: id });
            if let Some((flight, task, at)) = batch.ends {
                self.schedule(at, Event::FixedEnd { flight, task });
            }
        }
        let taken = self.residency.held.div_ceil(WHOLE / full);
        if any && self.pools[pool].take_away(self.now, taken) {
            self.schedule_pool(pool);
        }
    }
}
