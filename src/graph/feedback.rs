//! Two uses of one command: nothing comes between them.

use super::state::{Access, DEPTH};
use super::walk::Walk;
use super::{Conflict, ConflictKind, lone};
use crate::api::BarrierAccess;
use crate::id::Extent;
use crate::scenario::{Command, CommandKind, Range};
use smallvec::SmallVec;

/// A structure may be updated in its own place.
const STRUCTURE: BarrierAccess = BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ
    .union(BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE);

/// Whether a command runs shaders or fixed functions with bindings of their own, which nothing in the command orders.
fn has_shaders(kind: &CommandKind) -> bool {
    !matches!(
        kind,
        CommandKind::Copy
            | CommandKind::Resolve
            | CommandKind::Discard
            | CommandKind::SetRoot { .. }
    )
}

impl Walk<'_, '_> {
    /// Two uses of one command on common bytes, through different accesses, of which one writes: nothing orders them
    /// (reading R65). Where the layout does not allow both, that says it alone. Commands that only move data have rules of
    /// their own about it.
    pub(super) fn check_feedback(&mut self, command: &Command, accesses: &[(Access, &Range)]) {
        if accesses.len() < 2 || !has_shaders(&command.kind) {
            return;
        }
        let may_meet = |first: &Access, second: &Access| {
            let (a, b) = (&first.side, &second.side);
            // Depth work of one command tests and writes in order.
            let ordered = [DEPTH, STRUCTURE];
            (first.writes || second.writes)
                && a.access != b.access
                && !ordered.iter().any(|all| all.contains(a.access | b.access))
                && (a.resource == b.resource
                    || self.here.timeline.memory.is_aliased(a.resource)
                        && self.here.timeline.memory.is_aliased(b.resource))
        };
        let is_refused = |access: &Access| {
            let mut found = self.told.found.iter();
            found.any(|c| c.kind == ConflictKind::LayoutMismatch && c.second == access.side)
        };
        let memory = &self.here.timeline.memory;
        let mut met = Vec::new();
        for (at, (second, after)) in accesses.iter().enumerate() {
            for (first, before) in &accesses[..at] {
                if !may_meet(first, second)
                    || [first, second]
                        .into_iter()
                        .any(|it| it.independent || is_refused(it))
                {
                    continue;
                }
                let mut bytes: SmallVec<[Extent; 4]> = SmallVec::new();
                let (scenario, resource) = (self.here.scenario, first.side.resource);
                memory.for_each_extent(scenario, resource, before, |e| bytes.push(e));
                memory.for_each_extent(scenario, second.side.resource, after, |extent| {
                    let common = bytes.iter().filter_map(|e| e.intersection(extent));
                    met.extend(common.map(|bytes| Conflict {
                        bytes: Some(bytes),
                        ..lone(ConflictKind::FeedbackInCommand, first.side, second.side)
                    }));
                });
            }
        }
        self.told.found.append(&mut met);
    }
}
