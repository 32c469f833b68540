//! The next submission of each actor, and whether it can be evaluated. The answer is kept until something happens that may
//! change it.
//!
//! Ready submissions are kept in order. For each signal the actors are kept that it blocks, for each fence those that wait for
//! it. So an event costs a look at the actors that it concerns, not at all of them.

use super::WaitState;
use crate::id::{FenceId, SubmissionId, Table};
use crate::order::signals::Wait;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of an actor's next submission.
pub(super) enum Head {
    /// Something may have changed it.
    Unknown,
    /// There is none, or it is not submitted, or it waits.
    Waits,
    /// It may be evaluated.
    Ready(Ready),
}

/// A submission that may be evaluated: the signals that it comes after, and waits that no signal orders.
pub(super) type Ready = (SubmissionId, Vec<SubmissionId>, Vec<(Wait, WaitState)>);

/// The next submission of each actor.
pub(super) struct Heads {
    by_actor: Vec<Head>,
    unknown: Vec<usize>,
    /// Those that are ready, with their actors.
    ready: BTreeSet<(SubmissionId, usize)>,
    /// By fence: actors that waited for it when they were looked at, some of them twice.
    waiting: Table<FenceId, Vec<usize>>,
    /// By signal: actors that cannot go on before it is evaluated.
    blocked: BTreeMap<SubmissionId, Vec<usize>>,
}

impl Heads {
    /// No actor has been looked at.
    pub(super) fn new(actors: usize, fences: usize) -> Self {
        Self {
            by_actor: (0..actors).map(|_| Head::Unknown).collect(),
            unknown: (0..actors).collect(),
            ready: BTreeSet::new(),
            waiting: Table::filled(fences, Vec::new()),
            blocked: BTreeMap::new(),
        }
    }

    /// An actor to look at.
    pub(super) fn next_unknown(&mut self) -> Option<usize> {
        self.unknown.pop()
    }

    /// An actor was looked at, whose next submission waits for some fences, and first of all for a signal.
    pub(super) fn know(
        &mut self,
        actor: usize,
        head: Head,
        signal: Option<SubmissionId>,
        fences: impl Iterator<Item = FenceId>,
    ) {
        if let Some(signal) = signal {
            self.blocked.entry(signal).or_default().push(actor);
        }
        for fence in fences {
            self.waiting[fence].push(actor);
        }
        if let Head::Ready((id, ..)) = &head {
            self.ready.insert((*id, actor));
        }
        self.by_actor[actor] = head;
    }

    /// Takes the ready one that comes first.
    pub(super) fn take_first(&mut self) -> Option<Ready> {
        let (_, actor) = self.ready.pop_first()?;
        self.unknown.push(actor);
        match std::mem::replace(&mut self.by_actor[actor], Head::Unknown) {
            Head::Ready(ready) => Some(ready),
            Head::Unknown | Head::Waits => None,
        }
    }

    fn forget(&mut self, actor: usize) {
        match std::mem::replace(&mut self.by_actor[actor], Head::Unknown) {
            Head::Unknown => return,
            Head::Waits => {}
            Head::Ready((id, ..)) => {
                self.ready.remove(&(id, actor));
            }
        }
        self.unknown.push(actor);
    }

    /// A signal is evaluated.
    pub(super) fn forget_waiting_for(&mut self, signal: SubmissionId) {
        for actor in self.blocked.remove(&signal).into_iter().flatten() {
            self.forget(actor);
        }
    }

    /// Something happens to a fence.
    pub(super) fn forget_waiting(&mut self, fence: FenceId) {
        for actor in std::mem::take(&mut self.waiting[fence]) {
            self.forget(actor);
        }
    }

    /// Something happens that may concern anybody.
    pub(super) fn forget_all(&mut self) {
        (0..self.by_actor.len()).for_each(|actor| self.forget(actor));
    }
}
