//! Uses that may not be made (`may`): what is a hazard whether they are made or not, and what only may be one.
//!
//! The walk takes every use for made, so that a barrier that such a use needs is needed. A second walk leaves these uses
//! out. What both find is certain. What only the first finds rests on a use that may not be made. What only the second
//! finds was hidden by such a use: a later write replaces an earlier one for everything after it, and so for findings,
//! but it orders and makes visible nothing. So it is certain too, except where the use, if it is made, makes it good.

use super::{Conflict, ConflictKind, Evaluation, Part, Side};
use crate::id::{NodeId, ResourceId};
use crate::order::Timeline;
use crate::scenario::Scenario;
use std::collections::BTreeMap;

/// Whether a use of the scenario may not be made.
pub(super) fn has_any(scenario: &Scenario) -> bool {
    let commands = scenario.commands();
    commands.flat_map(|c| &c.uses).any(|usage| usage.may)
}

/// What is one finding of both walks.
fn key(conflict: &Conflict) -> (ConflictKind, NodeId, Option<u32>, ResourceId) {
    let second = &conflict.second;
    let entry = second.part.entry();
    (conflict.kind, second.node, entry, second.resource)
}

/// Joins the conflicts of all uses with those of the certain uses alone: a conflict of certain uses stays as it is, any
/// other one rests on a use that may not be made, and says so.
pub(super) fn merge(all: &mut Evaluation, certain: Evaluation) {
    let mut places = BTreeMap::new();
    for (index, conflict) in all.conflicts.iter_mut().enumerate() {
        conflict.may = true;
        places.entry(key(conflict)).or_insert(index);
    }
    for conflict in certain.conflicts {
        if let Some(index) = places.get(&key(&conflict)) {
            all.conflicts[*index] = conflict;
        } else if conflict.kind != ConflictKind::UndefinedContents {
            // A write may define what was given up (reading R53), and is no reason to say that contents are undefined.
            let may = conflict.given_up;
            all.conflicts.push(Conflict { may, ..conflict });
        }
    }
    all.steps += certain.steps;
    all.visits += certain.visits;
}

/// Marks, among all pairs, those with a use that may not be made.
pub(super) fn mark(timeline: &Timeline<'_>, evaluation: &mut Evaluation) {
    for conflict in &mut evaluation.conflicts {
        conflict.may = [conflict.first, conflict.second]
            .iter()
            .any(|side| is_possible(timeline, side));
    }
}

/// Whether a side is a use that may not be made.
fn is_possible(timeline: &Timeline<'_>, side: &Side) -> bool {
    let (node, index) = match side.part {
        Part::Use(index) => (side.node, index),
        Part::Root { set, index } => (set, index),
        Part::Entry(_) | Part::Whole => return false,
    };
    let command = timeline.command(node);
    let usage = command.and_then(|c| c.uses.get(index as usize));
    usage.is_some_and(|usage| usage.may)
}
