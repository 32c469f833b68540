//! A GPU timeout: what a queue has started ends at once, and what it was handed never starts. Reading R40.
//!
//! A packet in flight ends at the moment of the reset, whatever stage it has come to: its later stages do not run, and
//! what it has not written by then never lands. Writes that have landed stay where they are, dirty lines in their caches
//! as well: nothing writes them back. So what the dropped work should have written has no defined value, whatever still
//! is there; a read that should have seen it is [`ObservationKind::Undefined`](crate::trace::ObservationKind). That
//! holds for writes whose command the front end had not come to as well.

use super::ahead::Ahead;
use super::feed::Held;
use super::{Engine, Event, Front, NONE};
use crate::api::LeafSet;
use crate::id::narrow;
use crate::program::{HwOp, HwOpKind, Pool};
use crate::time::Ps;

impl Engine<'_> {
    /// Stops queues: one, or all of them.
    pub(super) fn reset(&mut self, queue: Option<usize>) {
        for index in 0..self.cpu() {
            let is_meant = queue.is_none_or(|only| only == index);
            if is_meant && self.actors[index].front != Front::Ended {
                self.stop(index);
            }
        }
    }

    fn stop(&mut self, queue: usize) {
        self.charge();
        self.end_front(queue);
        let dropped: Vec<bool> = self
            .flights
            .iter()
            .map(|f| f.queue as usize == queue)
            .collect();
        self.drop_events(queue, &dropped);
        for flight in (0..dropped.len()).filter(|f| dropped[*f]) {
            self.end_flight(narrow(flight));
        }
        let now = self.now;
        let actor = &mut self.actors[queue];
        actor.incomplete.clear();
        actor.resuming.clear();
        actor.payer = NONE;
        actor.stopped.clear();
        actor.ahead = Ahead::Nothing;
        actor.fetch_holds.fill(0);
        actor.parsed.clear();
        (actor.busy, actor.held) = (LeafSet::EMPTY, LeafSet::EMPTY);
        for leaf in &mut actor.leaves {
            if leaf.running > 0 {
                leaf.busy += now - leaf.since;
                leaf.running = 0;
            }
            leaf.outstanding.clear();
            leaf.drainers.clear();
            leaf.held.clear();
        }
        for pool in 0..Pool::COUNT {
            self.pools[pool].drop_tasks(now, |flight| dropped[flight as usize]);
            self.schedule_pool(pool);
        }
        self.admit(true);
        self.update_lane(queue);
    }

    /// The front end stops. What it was handed and has not issued will never be written.
    fn end_front(&mut self, queue: usize) {
        let now = self.now;
        let actor = &mut self.actors[queue];
        actor.front = Front::Ended;
        let taken = actor.taken.take();
        let timing = std::mem::replace(&mut actor.taken_timing, NONE);
        if timing != NONE {
            let timed = self.exposure.of(timing);
            timed.drain(now, actor.scope_begun, now);
            timed.complete(now);
        }
        if let Some((_, op)) = &taken {
            actor.life.close(now);
            let (queued, spans) = (actor.life.queued, &actor.life.spans);
            let (rows, keep) = (self.options.rows, self.options.spans);
            self.trace.record(op.id, queued, now, spans, rows, keep);
        }
        let (block, next) = (actor.block.take(), actor.next);
        let submitted = std::mem::take(&mut actor.submitted);
        if let Some((block, op)) = taken {
            self.lose(queue, &block, &op);
        }
        let rest = block.into_iter().map(|block| (block, next));
        let later = submitted
            .into_iter()
            .flatten()
            .map(|index| (self.feed.take(index as usize), 0));
        let unissued: Vec<_> = rest.chain(later).collect();
        for (block, from) in unissued {
            for op in &block.ops[from..] {
                self.lose(queue, &block, op);
            }
        }
    }

    /// What a packet that is never issued should have written is lost.
    fn lose(&mut self, queue: usize, block: &Held<'_>, op: &HwOp) {
        if let HwOpKind::Work(work) = &op.kind {
            self.issue_lost(narrow(queue), block, op, work.accesses);
        }
    }

    /// Nothing more happens to what is dropped.
    fn drop_events(&mut self, queue: usize, dropped: &[bool]) {
        let batches = self.residency.drop_queue(queue);
        let mut events = std::mem::take(&mut self.events);
        events.retain(|due| match due.event {
            Event::Places { batch } => !batches.contains(&batch),
            Event::FrontEnd { actor } => actor as usize != queue,
            Event::Kernel { flight, .. }
            | Event::FixedEnd { flight, .. }
            | Event::EndCheck { flight, .. }
            | Event::StepEnd { flight } => !dropped[flight as usize],
            Event::Start {
                flight, released, ..
            } => {
                let is_dropped = dropped[flight as usize];
                if is_dropped && released != NONE {
                    self.exposure.of(released).released -= 1;
                }
                !is_dropped
            }
        });
        self.events = events;
    }

    /// A packet in flight ends here.
    fn end_flight(&mut self, flight: u32) {
        let now = self.now;
        self.set_active(flight, false);
        self.drop_read(flight);
        let f = &mut self.flights[flight as usize];
        f.life.close(now);
        f.dependants.clear();
        let (op, queued, queue) = (f.op, f.life.queued, f.queue as usize);
        let (start, timing, turn) = (f.first_start, f.timing, f.turn);
        for part in &f.writes {
            let version = &mut self.versions[part.cell.version as usize];
            version.lost = !version.present;
        }
        let (rows, keep) = (self.options.rows, self.options.spans);
        self.trace
            .record(op.id, queued, now, &f.life.spans, rows, keep);
        f.queue = u32::MAX;
        self.free.push(flight);
        self.actors[queue].in_flight -= 1;
        if timing != NONE {
            let scope_begun = self.actors[queue].scope_begun;
            let timed = self.exposure.of(timing);
            if timed.timing.drained == Ps::MAX {
                timed.drain(now, scope_begun, turn);
            }
            timed.complete(now);
            self.note_command(&op, queued, now);
        } else if start != Ps::MAX {
            self.note_command(&op, start, now);
        }
    }
}
