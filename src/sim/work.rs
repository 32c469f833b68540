//! Work that flows through stages.

use super::causes::Whereabouts;
use super::feed::Held;
use super::{Engine, Event, NONE, Outstanding, TASKS};
use crate::api::Leaf;
use crate::program::{Groups, HwOp, HwOpKind, Pool, Task, Work};
use crate::time::Ps;
use crate::trace::Reason;
use std::cmp::Reverse;

impl<'p> Engine<'p> {
    /// A command leaves the front end.
    pub(super) fn issue_work(&mut self, queue: usize, block: &Held<'p>, op: HwOp, work: Work) {
        let flight = self.take_off(block.clone(), op, queue);
        self.hand_ahead(queue, flight);
        self.flights[flight as usize]
            .life
            .turn(self.now, Reason::Latency);
        self.issue_accesses(flight);
        let tasks = work.tasks.of(&block.tasks);
        assert!(tasks.len() <= TASKS, "a command has at most {TASKS} stages");
        let seq = self.flights[flight as usize].seq;
        let actor = &mut self.actors[queue];
        actor.fresh.fill(false);
        for (index, task) in (0..).zip(tasks) {
            actor.busy = actor.busy.union(task.leaf.into());
            if !task.passes {
                actor.worked = actor.worked.union(task.leaf.into());
                let prices = &mut actor.prices[task.leaf.index()];
                *prices = prices.union(task.price.into());
            }
            let entry = Outstanding {
                seq,
                flight,
                task: index,
                ended: false,
            };
            actor.leaves[task.leaf.index()].outstanding.push_back(entry);
            if let Some(causes) = &mut self.causes {
                causes.enter(queue, task.leaf, seq, task.passes);
            }
        }
        if self.profile.groups_stay {
            for (index, _) in (0..).zip(tasks).filter(|(_, task)| task.streams) {
                self.issue_kernel(queue, flight, index);
            }
        }
        match tasks.first() {
            Some(first) => {
                self.schedule(
                    self.now + first.latency,
                    Event::Start {
                        flight,
                        task: 0,
                        released: NONE,
                    },
                );
            }
            None => self.finish_work(flight),
        }
    }

    /// Stages of a command in flight.
    #[inline]
    fn task_count(&self, flight: u32) -> usize {
        match &self.flights[flight as usize].op.kind {
            HwOpKind::Work(work) => work.tasks.len as usize,
            _ => 0,
        }
    }

    /// One stage of a command in flight, if it has so many.
    #[inline]
    fn task(&self, flight: u32, at: usize) -> Option<Task> {
        let f = &self.flights[flight as usize];
        match &f.op.kind {
            HwOpKind::Work(work) => work.tasks.of(&f.block.tasks).get(at).copied(),
            _ => None,
        }
    }

    /// Thread groups of a command in flight.
    fn groups(&self, flight: u32) -> Option<Groups> {
        let f = &self.flights[flight as usize];
        match &f.op.kind {
            HwOpKind::Work(work) => work.groups.of(&f.block.groups).first().copied(),
            _ => None,
        }
    }

    /// A stage of a command in flight that it is known to have.
    #[inline]
    fn known_task(&self, flight: u32, at: usize) -> Task {
        self.task(flight, at)
            .expect("events are of tasks that exist")
    }

    /// A stage can start, unless a barrier holds it.
    pub(super) fn start(&mut self, flight: u32, task: u8, released: u32) {
        let now = self.now;
        let this = self.known_task(flight, usize::from(task));
        let f = &mut self.flights[flight as usize];
        let actor = &mut self.actors[f.queue as usize];
        let holder = actor.holder(this.leaf).filter(|b| b.seq < f.seq);
        let holder = holder.map(|barrier| barrier.op);
        let leaf = &mut actor.leaves[this.leaf.index()];
        if let Some(holder) = holder {
            leaf.held.push(Reverse((f.seq, flight, task)));
            actor.held = actor.held.union(this.leaf.into());
            let queue = f.queue as usize;
            if f.running == 0 {
                f.life.turn(now, Reason::WaitBarrier(holder));
                self.set_active(flight, false);
            }
            if released != NONE {
                self.exposure.of(released).released -= 1;
                self.resumed(queue, released);
            }
            return;
        }
        if now < leaf.resumes {
            let at = leaf.resumes;
            self.schedule(
                at,
                Event::Start {
                    flight,
                    task,
                    released,
                },
            );
            return;
        }
        let queue = f.queue as usize;
        if released != NONE {
            let timed = self.exposure.of(released);
            timed.released -= 1;
            let first = &mut timed.timing.first_held_start;
            *first = Some(first.map_or(now, |f| f.min(now)));
            self.resumed(queue, released);
        }
        if this.passes {
            self.pass(flight, task, this);
            return;
        }
        let f = &mut self.flights[flight as usize];
        f.tasks[usize::from(task)].started = true;
        f.running += 1;
        f.first_start = f.first_start.min(now);
        f.life.turn(now, Reason::Work(this.leaf));
        self.set_active(flight, true);
        self.begin_at_leaf(flight, this.leaf);
        let lost = self.sample(flight, task);
        let known = self.causes.is_some();
        let at = known.then(|| self.whereabouts(flight, task, this));
        if let (Some(causes), Some(at)) = (&mut self.causes, at) {
            let lost = if this.streams { Ps::ZERO } else { lost };
            causes.start(at, self.profile.costs.resume, lost);
        }
        let groups = this.has_groups.then(|| self.groups(flight)).flatten();
        match groups {
            Some(groups) => self.place(flight, task, groups, lost),
            _ if this.streams && self.profile.groups_stay => self.place_kernel(flight),
            _ if this.streams => self.serve(flight, task, this, this.cost),
            _ => self.serve(flight, task, this, this.cost + lost),
        }
        self.start_next(flight, task);
    }

    /// The stage after one that starts may start a latency later.
    fn start_next(&mut self, flight: u32, task: u8) {
        if let Some(next) = self.task(flight, usize::from(task) + 1) {
            self.schedule(
                self.now + next.latency,
                Event::Start {
                    flight,
                    task: task + 1,
                    released: NONE,
                },
            );
        }
    }

    /// A command comes to a stage at which it has nothing to do: it has left it at once, and goes on.
    fn pass(&mut self, flight: u32, task: u8, this: Task) {
        let now = self.now;
        let f = &mut self.flights[flight as usize];
        f.tasks[usize::from(task)].started = true;
        let (queue, seq) = (f.queue as usize, f.seq);
        if f.running == 0 {
            f.life.turn(now, Reason::Latency);
            self.set_active(flight, true);
        }
        let at = self
            .causes
            .is_some()
            .then(|| self.whereabouts(flight, task, this));
        if let (Some(causes), Some(at)) = (&mut self.causes, at) {
            causes.start(at, self.profile.costs.resume, Ps::ZERO);
            causes.pass(at);
        }
        self.start_next(flight, task);
        self.served(flight, task);
        self.leave(queue, this.leaf, seq);
    }

    /// A kernel that moves bytes begins to.
    pub(super) fn launch_kernel(&mut self, flight: u32, task: u8) {
        let this = self.known_task(flight, usize::from(task));
        self.serve(flight, task, this, this.cost);
    }

    /// Hands a task to its pool.
    fn serve(&mut self, flight: u32, task: u8, this: Task, cost: Ps) {
        if this.pool == Pool::Fixed || cost == Ps::ZERO {
            self.schedule(self.now + cost, Event::FixedEnd { flight, task });
            return;
        }
        let pool = this.pool.index();
        self.pools[pool].add(
            self.now,
            flight,
            task,
            this.weight.clamp(1, Pool::FULL),
            cost,
        );
        self.schedule_pool(pool);
    }

    pub(super) fn schedule_pool(&mut self, pool: usize) {
        let end = self.pools[pool].next_end().unwrap_or(Ps::MAX);
        if self.pool_ends[pool] == end {
            return;
        }
        self.pool_ends[pool] = end;
        let mut next = (0, Ps::MAX);
        for (pool, end) in self.pool_ends.into_iter().enumerate() {
            if end < next.1 {
                next = (pool, end);
            }
        }
        self.next_pool = next;
    }

    pub(super) fn pool_end(&mut self, pool: usize) {
        while let Some((flight, task)) = self.pools[pool].pop(self.now) {
            self.served(flight, task);
        }
        self.schedule_pool(pool);
        if pool == Pool::Shader.index() {
            self.admit(true);
        }
    }

    /// The pool has done its part of a task.
    pub(super) fn served(&mut self, flight: u32, task: u8) {
        let at = usize::from(task);
        self.flights[flight as usize].tasks[at].served = true;
        if let Some(causes) = &mut self.causes {
            causes.serve(flight, task, self.now);
        }
        if self.profile.groups_stay && self.known_task(flight, at).streams {
            self.kernel_served(flight);
        }
        let tasks = &self.flights[flight as usize].tasks;
        if let Some(before) = at.checked_sub(1).and_then(|before| tasks[before].ended) {
            let until = before + self.known_task(flight, at).latency;
            if until > self.now {
                self.schedule(until, Event::EndCheck { flight, task });
                return;
            }
        }
        self.try_end(flight, task);
    }

    /// Ends a task if its pool has served it and the stage before has ended a latency ago.
    pub(super) fn try_end(&mut self, flight: u32, task: u8) {
        let now = self.now;
        let at = usize::from(task);
        let this = self.known_task(flight, at);
        let f = &self.flights[flight as usize];
        let state = f.tasks[at];
        if !state.served || state.ended.is_some() {
            return;
        }
        if at > 0 {
            match f.tasks[at - 1].ended {
                Some(before) if before + this.latency <= now => {}
                // A check is due when the stage before has ended and its latency has passed.
                _ => return,
            }
        }
        if in_order(this) {
            let leaf = &self.actors[f.queue as usize].leaves[this.leaf.index()];
            if leaf
                .outstanding
                .front()
                .is_some_and(|first| first.seq < f.seq)
            {
                // The one before looks again when it leaves.
                return;
            }
        }
        self.end_task(flight, task, this);
    }

    fn end_task(&mut self, flight: u32, task: u8, this: Task) {
        let now = self.now;
        let at = usize::from(task);
        self.end_read(flight, task);
        self.land(flight, at);
        if !this.passes {
            self.end_at_leaf(flight, this.leaf);
        }
        let known = self.causes.is_some();
        let place = known.then(|| self.whereabouts(flight, task, this));
        if let (Some(causes), Some(place)) = (&mut self.causes, place) {
            causes.end(place, in_order(this), this.passes);
        }
        let count = self.task_count(flight);
        let f = &mut self.flights[flight as usize];
        f.tasks[at].ended = Some(now);
        f.running -= u8::from(!this.passes);
        f.ended += 1;
        let (queue, seq) = (f.queue as usize, f.seq);
        if usize::from(f.ended) < count {
            // Where no row is asked for, only a hold matters.
            if self.options.rows || f.running == 0 && !self.actors[queue].incomplete.is_empty() {
                self.go_on(flight, count);
            }
            // A stage that is not served yet looks when it is.
            if self.flights[flight as usize].tasks[at + 1..]
                .first()
                .is_some_and(|next| next.served)
                && let Some(next) = self.task(flight, at + 1)
            {
                self.schedule(
                    now + next.latency,
                    Event::EndCheck {
                        flight,
                        task: task + 1,
                    },
                );
            }
        }
        if !this.passes {
            self.leave(queue, this.leaf, seq);
        }
        if usize::from(self.flights[flight as usize].ended) == count {
            self.finish_work(flight);
        }
    }

    /// What a flight does after one of its stages has ended: the latest stage that has begun and not ended, or the way to the
    /// next one.
    fn go_on(&mut self, flight: u32, count: usize) {
        let f = &self.flights[flight as usize];
        let (queue, seq) = (f.queue as usize, f.seq);
        let passes = |t: usize| self.known_task(flight, t).passes;
        let running = (0..count)
            .rev()
            .find(|t| f.tasks[*t].started && f.tasks[*t].ended.is_none() && !passes(*t));
        let next = (0..count).find(|t| !f.tasks[*t].started);
        let next = next.map(|t| self.known_task(flight, t).leaf);
        let hold = next.and_then(|leaf| self.actors[queue].holder(leaf));
        let hold = hold.filter(|h| h.seq < seq && next.is_some());
        let reason = match (running, hold) {
            (Some(t), _) => Reason::Work(self.known_task(flight, t).leaf),
            (None, Some(hold)) if self.is_held(queue, next, flight) => Reason::WaitBarrier(hold.op),
            (None, _) => Reason::Latency,
        };
        let now = self.now;
        self.flights[flight as usize].life.turn(now, reason);
        if matches!(reason, Reason::WaitBarrier(_)) {
            self.set_active(flight, false);
        }
    }

    /// Where a task is.
    fn whereabouts(&self, flight: u32, task: u8, this: Task) -> Whereabouts {
        let f = &self.flights[flight as usize];
        Whereabouts {
            queue: f.queue as usize,
            flight,
            seq: f.seq,
            task: usize::from(task),
            leaf: this.leaf,
            latency: this.latency,
            now: self.now,
        }
    }

    /// A leaf has one more task that runs.
    fn begin_at_leaf(&mut self, flight: u32, leaf: Leaf) {
        let queue = self.flights[flight as usize].queue as usize;
        let state = &mut self.actors[queue].leaves[leaf.index()];
        if state.running == 0 {
            state.since = self.now;
        }
        state.running += 1;
    }

    /// A leaf has one task less that runs.
    fn end_at_leaf(&mut self, flight: u32, leaf: Leaf) {
        let queue = self.flights[flight as usize].queue as usize;
        let state = &mut self.actors[queue].leaves[leaf.index()];
        state.running -= 1;
        if state.running == 0 {
            state.busy += self.now - state.since;
        }
    }

    /// Whether a flight is held at a leaf, and not still on its way to it.
    fn is_held(&self, queue: usize, leaf: Option<Leaf>, flight: u32) -> bool {
        leaf.is_some_and(|leaf| {
            self.actors[queue].leaves[leaf.index()]
                .held
                .iter()
                .any(|Reverse((_, f, _))| *f == flight)
        })
    }

    /// Work has left a leaf: barriers that wait for it may be drained.
    fn leave(&mut self, queue: usize, leaf: Leaf, seq: u32) {
        let actor = &mut self.actors[queue];
        let outstanding = &mut actor.leaves[leaf.index()].outstanding;
        if outstanding.front().is_none_or(|entry| entry.seq != seq) {
            // Entries are in order of issue, at most one a flight.
            if let Ok(at) = outstanding.binary_search_by_key(&seq, |entry| entry.seq) {
                outstanding[at].ended = true;
            }
            return;
        }
        outstanding.pop_front();
        while outstanding.front().is_some_and(|entry| entry.ended) {
            outstanding.pop_front();
        }
        let next = outstanding.front().map(|entry| (entry.flight, entry.task));
        if next.is_none() {
            actor.busy = actor.busy.minus(leaf.into());
            if actor.busy.is_empty() {
                self.look_at_barriers(queue);
            }
        }
        self.leaf_advanced(queue, leaf.index());
        if let Some((flight, task)) = next.filter(|_| keeps_order(leaf)) {
            self.try_end(flight, task);
        }
    }

    fn finish_work(&mut self, flight: u32) {
        let f = &self.flights[flight as usize];
        let (op, start) = (f.op, f.first_start.min(self.now));
        self.trace.totals.work += 1;
        self.note_command(&op, start, self.now);
        self.retire(flight);
    }
}

/// Whether work leaves a stage in the order of issue.
fn keeps_order(leaf: Leaf) -> bool {
    matches!(leaf, Leaf::DepthStencil | Leaf::RenderTarget)
}

/// Whether a stage ends in the order of issue.
fn in_order(task: Task) -> bool {
    keeps_order(task.leaf) && !task.passes
}
