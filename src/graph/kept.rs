//! The end of the timeline: `keep` reads what a resource holds then (reading R68).
//!
//! Whoever lost the contents is where it is told: no later statement reads them.

use super::content::{Content, inherits};
use super::lost::{Found, Reader};
use super::undefined::LossKind;
use super::walk::Walk;
use super::{Conflict, ConflictKind, Part, Side, lone};
use crate::id::{Extent, ResourceId};
use crate::lookup::LookupSet;
use crate::scenario::Range;

impl Walk<'_, '_> {
    /// Which kept contents are undefined, given up or overwritten by an alias at the end. Told once for each resource and
    /// statement.
    pub(super) fn check_kept(&mut self) {
        let (scenario, timeline) = (self.here.scenario, self.here.timeline);
        let kept = scenario
            .resources
            .ids()
            .filter(|id| scenario.resource(*id).keep);
        for id in kept.collect::<Vec<_>>() {
            let from = self.told.out.conflicts.len();
            timeline
                .memory
                .for_each_extent(scenario, id, &Range::All, |extent| {
                    self.check_kept_extent(id, extent);
                });
            let mut told = LookupSet::default();
            let lost = self.told.out.conflicts.split_off(from);
            let is_new = |c: &Conflict| told.insert((c.kind, c.second.node, c.second.part));
            self.told
                .out
                .conflicts
                .extend(lost.into_iter().filter(is_new));
        }
    }

    fn check_kept_extent(&mut self, id: ResourceId, extent: Extent) {
        let scenario = self.here.scenario;
        // Everything comes before the end.
        let reader = Reader {
            submission: self.here.submission,
            is_before: &|_| true,
        };
        let conflicts = &mut self.told.out.conflicts;
        let of = |kind, first: Side, at: Side| lone(kind, first, Side { resource: id, ..at });
        self.held
            .undefined
            .for_each(extent, &reader, |Found { loss, bytes }| {
                let (start, end) = bytes;
                let lost = match (loss.kind, loss.barrier) {
                    (LossKind::Dropped, _) => of(ConflictKind::KeptUndefined, loss.side, loss.side),
                    (LossKind::GivenUp, Some(barrier)) => {
                        let at = Side::without_access(barrier.node, Part::Entry(barrier.entry), id);
                        of(ConflictKind::KeptGivenUp, loss.side, at)
                    }
                    (LossKind::GivenUp | LossKind::Unflushed, _) => return,
                };
                conflicts.push(Conflict {
                    barrier: loss.barrier,
                    ordered: true,
                    given_up: loss.kind == LossKind::GivenUp,
                    bytes: Some(extent.at(start, end)),
                    ..lost
                });
            });
        let matters = |content: &Content| content.overwritten(id).is_some();
        self.held
            .contents
            .look((id, extent), matters, |part, content| {
                let owner = content.overwritten(id).map(|owner| owner.side);
                if let Some(by) = owner.filter(|by| !inherits(scenario, by.resource, id)) {
                    conflicts.push(Conflict {
                        barrier: by.barrier(),
                        ordered: true,
                        bytes: Some(part),
                        ..of(ConflictKind::KeptUndefined, by, by)
                    });
                }
            });
    }
}
