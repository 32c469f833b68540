//! Waits that other waits imply: a copy without the wait orders every other submission as before.

use crate::analyze::redundancy::{Proposal, implied_wait};
use crate::order::Timeline;

/// Waits that are tried.
const WAITS_MAX: usize = 64;
/// Submissions times actors, over all copies: what the order of one costs.
const WORK_MAX: usize = 2_000_000;

/// Waits without which every submission comes after the same ones, the last first. What is proposed together can be
/// deleted together.
pub(super) fn implied(timeline: &Timeline<'_>) -> Vec<Proposal> {
    let each = timeline.submissions.len() * timeline.actor_count();
    let tries = (WORK_MAX / each.max(1)).min(WAITS_MAX);
    let mut found = Vec::new();
    if tries == 0 {
        return found;
    }
    let wanted = implied_wait::order(timeline);
    let mut copy = timeline.scenario.clone();
    for proposal in implied_wait::proposals(timeline, tries) {
        let before = copy.clone();
        for change in &proposal.changes {
            change.apply(&mut copy);
        }
        let edited = Timeline::new(&copy);
        if edited.fence_problems.is_empty() && implied_wait::order(&edited) == wanted {
            found.push(proposal);
        } else {
            copy = before;
        }
    }
    found
}
