//! What has been done in a block so far, as far as it tells that a use is ordered with all of it.

use super::At;
use crate::id::narrow;
use crate::order::Timeline;

/// The uses of a block so far, whatever their bytes. What only reads races with writes only.
pub(super) struct Front {
    writes: Uses,
    reads: Uses,
    visits: u64,
}

/// Uses of one kind.
struct Uses {
    /// Actors and submissions; all others come before one of them, or before a write. Of writes none comes before another.
    latest: Vec<(usize, u32)>,
    /// Of each actor, the submissions that have uses, ascending; kept where some may come after what is submitted later.
    all: Option<Vec<(usize, Vec<u32>)>>,
}

impl Front {
    /// Nothing has been done. `keeps_all`: what is submitted may come after what is submitted later.
    pub(super) fn new(keeps_all: bool) -> Self {
        let uses = || Uses {
            latest: Vec::new(),
            all: keeps_all.then(Vec::new),
        };
        Self {
            writes: uses(),
            reads: uses(),
            visits: 0,
        }
    }

    /// What was looked at.
    pub(super) fn visits(&self) -> u64 {
        self.visits
    }

    /// Whether all of it with which a submission could race comes before the submission, or after.
    pub(super) fn is_ordered_with(
        &mut self,
        timeline: &Timeline<'_>,
        at: At<'_>,
        writes: bool,
    ) -> bool {
        let both = [&self.writes, &self.reads];
        let kinds = &both[..=usize::from(writes)];
        let visits = &mut self.visits;
        // What has left comes before something that has stayed: so all of it comes before whoever those come before.
        kinds.iter().all(|uses| uses.are_before(at, visits))
            || kinds
                .iter()
                .all(|uses| uses.are_ordered_one_by_one(timeline, at, visits))
    }

    /// A submission with uses comes.
    pub(super) fn add(&mut self, at: At<'_>, writes: bool) {
        if writes {
            self.writes.add(at, &mut self.visits);
            // Who follows the write follows them.
            self.reads.leave(at, &mut self.visits);
        } else {
            self.reads.add_read(at, &mut self.visits);
        }
    }
}

impl Uses {
    /// Whether those that have stayed come before a submission.
    fn are_before(&self, at: At<'_>, visits: &mut u64) -> bool {
        *visits += u64::from(narrow(self.latest.len()));
        self.latest.iter().all(|latest| is_before(*latest, at))
    }

    /// Whether each comes before a submission or after it, those that have left as well.
    fn are_ordered_one_by_one(
        &self,
        timeline: &Timeline<'_>,
        at: At<'_>,
        visits: &mut u64,
    ) -> bool {
        let Some(all) = &self.all else { return false };
        all.iter().all(|(actor, done)| {
            *visits += u64::from(done.len().checked_ilog2().unwrap_or(0)) + 1;
            // Of an actor's submissions, those that come after this one are the last.
            let is_not_after = |sequence: &u32| {
                let clock = timeline.clock_of(*actor, *sequence);
                clock.over(at.actor) <= at.sequence
            };
            let end = done.partition_point(is_not_after);
            let last = done[..end].last();
            last.is_none_or(|sequence| is_before((*actor, *sequence), at))
        })
    }

    fn add(&mut self, at: At<'_>, visits: &mut u64) {
        self.leave(at, visits);
        self.latest.push((at.actor, at.sequence));
        self.remember(at);
    }

    /// Of each actor's reads the latest, by actor: whether others come after it is seen when something writes.
    fn add_read(&mut self, at: At<'_>, visits: &mut u64) {
        *visits += u64::from(self.latest.len().checked_ilog2().unwrap_or(0)) + 1;
        match self
            .latest
            .binary_search_by_key(&at.actor, |(actor, _)| *actor)
        {
            Ok(known) => self.latest[known].1 = at.sequence,
            Err(place) => self.latest.insert(place, (at.actor, at.sequence)),
        }
        self.remember(at);
    }

    /// Forgets what comes before a submission.
    fn leave(&mut self, at: At<'_>, visits: &mut u64) {
        *visits += u64::from(narrow(self.latest.len()));
        self.latest.retain(|latest| !is_before(*latest, at));
    }

    fn remember(&mut self, at: At<'_>) {
        let Some(all) = &mut self.all else { return };
        let known = all.binary_search_by_key(&at.actor, |(actor, _)| *actor);
        let known = known.unwrap_or_else(|place| {
            all.insert(place, (at.actor, Vec::new()));
            place
        });
        let done = &mut all[known].1;
        if done.last() != Some(&at.sequence) {
            done.push(at.sequence);
        }
    }
}

/// Whether a submission is over before another one starts, or is of the same actor.
fn is_before((actor, sequence): (usize, u32), at: At<'_>) -> bool {
    actor == at.actor || at.clock.over(actor) > sequence
}
