//! Slack: how much longer something could take without moving the end of the run.
//!
//! Latest times go backward over the recorded links: a moment may be as late as every moment that waited for it allows.
//! The slack of a stage's work is the latest end of the stage less the end that its own work would allow; that of a
//! packet without work is the latest time of its effect less the time of it. A packet has the least slack of its stages.
//!
//! It is a lower bound, under this run's own order: what was taken up, retired and shared in an order keeps that order, and
//! what an operation found in the caches it finds again. Work on the critical path has none. Where thread groups keep their
//! places, a kernel that moves bytes waits for the groups before it: that turn is no link, and slack does not know it.
//!
//! A barrier that had completed before work came to a stage has let it pass; had it been later than the first that
//! passed, all would have had to start again. So it may be as late as the first that passed, or as late as all can bear
//! to start again, whichever is later.

use crate::id::{MomentId, OpId, Table};
use crate::time::Ps;
use crate::trace::{Causes, Reason, Why};

/// Slack by packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slack {
    ops: Table<OpId, Ps>,
}

impl Slack {
    /// The slack of a packet that has retired.
    pub fn of_op(&self, op: OpId) -> Ps {
        self.ops[op]
    }
}

/// How late a moment may be.
#[derive(Copy, Clone)]
struct Late {
    /// If all that waits for it starts again.
    again: Ps,
    /// If nothing has to start again because of it; counts for barriers that let work pass.
    passing: Ps,
}

/// How much longer each packet could take.
pub fn slack(causes: &Causes) -> Slack {
    let whole = causes.at(causes.last());
    let never = Late {
        again: Ps::MAX,
        passing: Ps::MAX,
    };
    let mut late: Table<MomentId, Late> = Table::filled(causes.moments.len(), never);
    let mut ops: Table<OpId, Ps> = Table::filled(causes.ends.len(), Ps::MAX);
    for end in causes.ends.iter().filter(|end| **end != Causes::NEVER) {
        late[*end].again = whole;
    }
    for id in causes.moments.ids().rev() {
        let moment = causes.moment(id);
        let is_gate = causes.links(id).first().is_some_and(|l| l.why == Why::Gate);
        let own = late[id];
        let latest = if is_gate && own.passing != Ps::MAX {
            own.again.max(own.passing)
        } else {
            own.again
        };
        for link in causes.links(id) {
            let from = &mut late[link.from];
            match link.why {
                Why::Passed => {
                    from.again = from.again.min(latest.saturating_sub(link.takes));
                    from.passing = from.passing.min(moment.at);
                }
                Why::Gate if causes.moment(link.from).op.is_none() => {
                    // An earlier gate: what passes here passed there.
                    from.again = from.again.min(own.again);
                    from.passing = from.passing.min(own.passing);
                }
                Why::Hold if causes.moment(link.from).op.is_none() => {
                    from.again = from.again.min(latest.saturating_sub(link.takes));
                    from.passing = from.passing.min(causes.at(link.from));
                }
                _ => from.again = from.again.min(latest.saturating_sub(link.takes)),
            }
            if let (Reason::Work(_), Why::Flow, Some(op)) = (link.did, link.why, moment.op) {
                let spare = latest.saturating_sub(causes.end_of(link));
                ops[op] = ops[op].min(spare);
            }
        }
    }
    for (op, end) in causes.ends.pairs() {
        if *end != Causes::NEVER && ops[op] == Ps::MAX {
            let latest = late[*end].again;
            ops[op] = latest.saturating_sub(causes.at(*end));
        }
    }
    Slack { ops }
}
