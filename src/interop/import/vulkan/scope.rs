//! The open scope of a queue: what it was given, until something makes a boundary.
//!
//! Vulkan's barriers order by submission order across command buffers and submissions of one queue; the end of a D3D12
//! scope finishes and flushes everything. So the command buffers of consecutive submissions stay in one open scope of
//! their queue until something makes a boundary: a wait of another queue or of the host for what the scope signals, a host
//! that waits for another queue, an image that the scope presents and that comes back a second time. Signals and presents
//! are kept with their scope until then.
//!
//! A signal comes after the work before it and not after the work that the queue is given later. Where there are several queues,
//! or another queue waits, that decides what is ordered: the scope ends at such a signal, and `settle/cuts.rs` joins what nobody
//! waits for after all. On one queue it orders nothing, and its place within the scope is left open, so that barriers go on to
//! order across submissions.

use super::super::story::{Batch, ItemId, Step};
use super::Vulkan;
use super::lost::Brought;
use super::submit::Seen;

/// A signal in the open scope.
#[derive(Debug)]
pub(super) struct Signal {
    fence: usize,
    value: u64,
    call: u64,
    /// How many batches of the scope come before it.
    after: usize,
    /// Only this queue waits for it.
    pub(super) is_own: bool,
}

#[derive(Debug)]
struct Present {
    item: ItemId,
    call: u64,
    /// How many batches of the scope come before it.
    after: usize,
}

/// The open scope of a queue.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) batches: Vec<Batch>,
    signals: Vec<Signal>,
    presents: Vec<Present>,
    /// How many command buffers the queue got.
    pub(super) serial: u64,
    /// Images that barriers of the scope name.
    pub(super) recent: Vec<Brought>,
    /// Whether the queue has work that no host wait is known to have seen the end of.
    pub(super) busy: bool,
    /// How many of its command buffers the host knows to have ended.
    seen: u64,
    /// How many it had got when an earlier scope ended, if there is one.
    executed: Option<u64>,
    /// Whether something of the scope has already ended, at a signal.
    is_cut: bool,
    /// The fence of waits for idleness, and its value.
    pub(super) idle: Option<(usize, u64)>,
}

impl Scope {
    pub(super) fn signal(&mut self, fence: usize, value: u64, call: u64) {
        self.signals.push(Signal {
            fence,
            value,
            call,
            after: self.batches.len(),
            is_own: false,
        });
    }

    pub(super) fn present(&mut self, item: ItemId, call: u64) {
        self.presents.push(Present {
            item,
            call,
            after: self.batches.len(),
        });
    }

    /// The host knows that so many command buffers have ended.
    pub(super) fn seen_to_end(&mut self, serial: u64) {
        self.seen = self.seen.max(serial);
    }

    /// Whether the queue executed something before this scope.
    pub(super) fn follows(&self) -> bool {
        self.executed.is_some()
    }

    /// Whether work of an earlier scope may still run: no host wait is known to have seen the end of it.
    fn runs_on(&self) -> bool {
        self.executed.is_some_and(|executed| executed > self.seen)
    }

    /// The call that submitted the first of its command buffers; of a scope without one, later than all.
    fn first_call(&self) -> u64 {
        self.batches.first().map_or(u64::MAX, |batch| batch.call)
    }

    /// How often it is to be presented.
    pub(super) fn presents(&self, item: ItemId) -> usize {
        self.presents.iter().filter(|one| one.item == item).count()
    }

    /// The place of the first signal of the scope that reaches a value.
    fn place_of(&self, fence: usize, value: u64) -> Option<usize> {
        let mut signals = self.signals.iter();
        signals.position(|one| one.fence == fence && one.value >= value)
    }

    /// That signal.
    pub(super) fn signal_of(&mut self, fence: usize, value: u64) -> Option<&mut Signal> {
        let place = self.place_of(fence, value)?;
        self.signals.get_mut(place)
    }

    /// The first of some batches, with the presents and signals that come after them and before others.
    fn take_first(&mut self, count: usize) -> (Vec<Batch>, Vec<Present>, Vec<Signal>) {
        let rest = self.batches.split_off(count);
        let batches = std::mem::replace(&mut self.batches, rest);
        let presents = self
            .presents
            .extract_if(.., |one| one.after <= count)
            .collect();
        let signals = self
            .signals
            .extract_if(.., |one| one.after <= count)
            .collect();
        for one in &mut self.presents {
            one.after -= count;
        }
        for one in &mut self.signals {
            one.after -= count;
        }
        (batches, presents, signals)
    }
}

impl Vulkan {
    /// Whether the device has more than one queue.
    fn has_queues(&self) -> bool {
        self.submits.queues.len() > 1
    }

    /// Whether more than one queue has got work.
    pub(super) fn work_queues(&self) -> bool {
        let busy = |scope: &&Scope| scope.serial > 0;
        self.submits.scopes.iter().filter(busy).nth(1).is_some()
    }

    /// Ends the open scope of a queue.
    pub(super) fn close(&mut self, queue: usize) {
        self.close_first(queue, usize::MAX);
        self.submits.scopes[queue].recent.clear();
    }

    /// Ends every open scope.
    pub(super) fn close_all(&mut self) {
        for queue in self.in_order() {
            self.close(queue);
        }
    }

    /// The queues, those whose open scope began first before others.
    fn in_order(&self) -> Vec<usize> {
        let scopes = &self.submits.scopes;
        let mut queues: Vec<usize> = (0..scopes.len()).collect();
        queues.sort_by_key(|queue| scopes[*queue].first_call());
        queues
    }

    /// Ends the scopes that signal a value, so that what waits for it comes after it. What their queues were given after the
    /// signal stays in an open scope.
    pub(super) fn close_for(&mut self, fence: usize, value: u64) {
        for queue in 0..self.submits.scopes.len() {
            self.close_to_signal(queue, fence, value);
        }
    }

    /// Whether the host knew already that the work before a value has ended, and nobody signals it in an open scope.
    fn is_known(&self, seen: Seen) -> bool {
        let scopes = &self.submits.scopes;
        let signals = |scope: &Scope| scope.place_of(seen.fence, seen.value).is_some();
        let has_seen = |(queue, serial): (usize, u64)| serial <= scopes[queue].seen;
        !scopes.iter().any(signals) && seen.by.zip(seen.serial).is_some_and(has_seen)
    }

    /// Ends what comes before a value that the host has seen: the scope that signals it, to the signal or whole, and the scopes
    /// of all other queues, because what was submitted before comes before. Of what the host knew nothing new is ordered: whether
    /// there was anything new.
    pub(super) fn end_before(&mut self, seen: Seen, precise: bool) -> bool {
        if self.is_known(seen) {
            return false;
        }
        for queue in self.in_order() {
            let scope = &self.submits.scopes[queue];
            let signals = scope.place_of(seen.fence, seen.value).is_some();
            if signals && precise {
                self.close_to_signal(queue, seen.fence, seen.value);
            } else if signals || seen.by != Some(queue) {
                self.close(queue);
            }
        }
        true
    }

    /// Ends the open scope of a queue at the signal of a value, if it signals it.
    fn close_to_signal(&mut self, queue: usize, fence: usize, value: u64) {
        let scope = &mut self.submits.scopes[queue];
        let Some(signal) = scope.signal_of(fence, value) else {
            return;
        };
        let after = signal.after;
        if after < scope.batches.len() {
            self.close_first(queue, after);
        } else {
            self.close(queue);
        }
    }

    /// Ends the scope of the first batches, in parts where a signal that others may wait for comes between.
    fn close_first(&mut self, queue: usize, count: usize) {
        let splits = self.has_queues();
        let mut left = count.min(self.submits.scopes[queue].batches.len());
        loop {
            let signals = self.submits.scopes[queue].signals.iter();
            let cuts = signals
                .filter(|one| splits && !one.is_own)
                .map(|one| one.after);
            let next = cuts.min().map_or(left, |cut| cut.min(left));
            self.end_first(queue, next);
            left -= next;
            if left == 0 {
                break;
            }
        }
    }

    fn end_first(&mut self, queue: usize, count: usize) {
        let scope = &mut self.submits.scopes[queue];
        let (batches, presents, signals) = scope.take_first(count);
        if !batches.is_empty() {
            let runs_on = scope.runs_on();
            scope.executed = Some(scope.serial);
            let call = batches[0].call;
            self.story.steps.push(Step::Execute {
                queue,
                work: batches,
                call,
                goes_on: std::mem::replace(&mut scope.is_cut, !scope.batches.is_empty()),
                runs_on,
            });
        }
        for Present { item, call, .. } in presents {
            self.story.steps.push(Step::Present {
                queue,
                resource: item,
                call,
            });
        }
        for signal in signals {
            self.story.steps.push(Step::Signal {
                queue: Some(queue),
                fence: signal.fence,
                value: signal.value,
                call: signal.call,
            });
        }
    }
}
