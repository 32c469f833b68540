//! Places for thread groups.
//!
//! A multiprocessor has places for so many threads and groups. A group takes its place when it is launched and keeps it
//! until it ends, whatever comes after it; the next group takes a place that is free. Dispatches of one queue are placed in
//! order, queues take turns.
//!
//! How it counts: groups that find room at one moment are one batch. They are launched one after the other, and their
//! places become free in the same order; so the places of a batch count as free when its first group ends (or, if that is
//! earlier, when its last group is launched), and the groups that take them are launched as far apart as those they follow.
//! A dispatch has ended when the last group of its last batch has. Batches of a dispatch of very many groups stand for
//! several rounds, so that its batches stay few: its time is the same, only its sharing is coarser.
//!
//! While groups take the places of others, a multiprocessor is not always full: groups end one by one, and what comes next
//! is spread by who was free first (measured: `shader.refill_gap`).

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

/// Groups that wait for places.
#[derive(Debug)]
struct Waiting {
    flight: u32,
    task: u8,
    left: u64,
    groups: Groups,
}

/// Who holds places, and who waits for them.
#[derive(Debug)]
pub(super) struct Residency {
    /// What groups hold.
    held: u64,
    /// Who waits, by queue.
    waiting: Vec<VecDeque<Waiting>>,
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
            turn: 0,
            untouched: true,
            batches: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Places the groups of the queue whose turn it is, if there is room in what `room` leaves.
    fn next(&mut self, now: Ps, room: u64) -> Option<Batch> {
        for offset in 0..self.waiting.len() {
            let queue = (self.turn + offset) % self.waiting.len();
            let (held, untouched) = (self.held, self.untouched);
            let Some(first) = self.waiting[queue].front_mut() else {
                continue;
            };
            let groups = first.groups;
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
            let rounds = if places < first.left {
                first.left / places / ROUNDS + 1
            } else {
                1
            };
            let begun = first.left.min(places.saturating_mul(rounds));
            let taken = begun.min(places);
            first.left -= begun;
            let launched = groups.apart.0.saturating_mul(taken);
            let round = groups.each.0.max(launched);
            let before_last = round.saturating_mul(rounds - 1);
            let last = Ps(groups.apart.0.saturating_mul(taken - 1)) + groups.each;
            let batch = Batch {
                queue,
                held: taken * share,
                frees: now + Ps(before_last.saturating_add(round)),
                ends: (first.left == 0)
                    .then(|| (first.flight, first.task, now + Ps(before_last) + last)),
            };
            if first.left == 0 {
                self.waiting[queue].pop_front();
            }
            self.turn = (queue + 1) % self.waiting.len();
            self.held += batch.held;
            return Some(batch);
        }
        None
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
        self.untouched = self.held == 0 && self.waiting.iter().all(VecDeque::is_empty);
    }

    /// A queue's groups give their places back, and none of it waits any more. Returns the batches.
    pub(super) fn drop_queue(&mut self, queue: usize) -> Vec<u32> {
        self.waiting[queue].clear();
        let held = |(_, (held, of)): &(usize, &(u64, usize))| *held > 0 && *of == queue;
        let batches = self.batches.iter().enumerate().filter(held);
        let batches: Vec<u32> = batches.map(|(batch, _)| narrow(batch)).collect();
        for batch in &batches {
            self.release(*batch);
        }
        batches
    }
}

impl Engine<'_> {
    /// The groups of a task want places; `lost` is what each loses to misses.
    pub(super) fn place(&mut self, flight: u32, task: u8, groups: Groups, lost: Ps) {
        let queue = self.flights[flight as usize].queue as usize;
        let groups = Groups {
            each: groups.each + lost,
            ..groups
        };
        self.residency.waiting[queue].push_back(Waiting {
            flight,
            task,
            left: groups.count,
            groups,
        });
        self.admit(false);
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
        while let Some(batch) = self.residency.next(self.now, room) {
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
