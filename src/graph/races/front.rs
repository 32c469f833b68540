//! What has been done in a block so far, as far as it tells that a use is ordered with all of it.

use super::At;
use crate::id::narrow;
use crate::order::Timeline;

/// The uses of a block so far, whatever their bytes.
pub(super) struct Front {
    /// Actors and submissions, of which none comes before another; all others come before one of them.
    latest: Vec<(usize, u32)>,
    /// Of each actor, the submissions that have uses, ascending; kept where some may come after what is submitted later.
    all: Option<Vec<(usize, Vec<u32>)>>,
    visits: u64,
}

impl Front {
    /// Nothing has been done. `keeps_all`: what is submitted may come after what is submitted later.
    pub(super) fn new(keeps_all: bool) -> Self {
        Self {
            latest: Vec::new(),
            all: keeps_all.then(Vec::new),
            visits: 0,
        }
    }

    /// What was looked at.
    pub(super) fn visits(&self) -> u64 {
        self.visits
    }

    /// Whether all of it comes before a submission, or after.
    pub(super) fn is_ordered_with(&mut self, timeline: &Timeline<'_>, at: At<'_>) -> bool {
        self.visits += u64::from(narrow(self.latest.len()));
        if self.latest.iter().all(|latest| is_before(*latest, at)) {
            return true;
        }
        let Some(all) = &self.all else { return false };
        all.iter().all(|(actor, done)| {
            self.visits += u64::from(done.len().checked_ilog2().unwrap_or(0)) + 1;
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

    /// A submission with uses comes.
    pub(super) fn add(&mut self, at: At<'_>) {
        self.visits += u64::from(narrow(self.latest.len()));
        self.latest.retain(|latest| !is_before(*latest, at));
        self.latest.push((at.actor, at.sequence));
        let Some(all) = &mut self.all else { return };
        let known = all.iter().position(|(actor, _)| *actor == at.actor);
        let known = known.unwrap_or_else(|| {
            all.push((at.actor, Vec::new()));
            all.len() - 1
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
