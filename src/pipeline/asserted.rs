//! Whether an asserted access is asked for where it is asserted: a copy in which the assertion is a use is evaluated.
//!
//! Cost: an evaluation per assertion, access and stage, until one stage is free of conflicts. Within [`STEPS_MAX`]
//! steps every executed assertion is looked at; beyond, layout and creation flags are all that is.

use super::front::{self, Prepared};
use crate::analyze::asserted;
use crate::api::{BarrierAccess, Leaf, LeafSet, compat};
use crate::finding::{Finding, Span};
use crate::graph::{Conflict, ConflictKind};
use crate::id::{ListId, ResourceId};
use crate::scenario::{CommandKind, Range, Scenario, Trivia, Use, UseFields, UseMode, Uses};

/// Steps (commands and barrier entries, over all evaluations) that assertions may take in one run.
const STEPS_MAX: u64 = 1_000_000;

/// An assertion of the text: list, command, and what it says.
struct Assertion {
    list: ListId,
    command: usize,
    span: Span,
    resource: ResourceId,
    range: Range,
    access: BarrierAccess,
}

/// Findings for assertions whose access no stage of the queue has been promised. `steps` is what one evaluation takes.
pub(crate) fn findings(plain: &Scenario, steps: u64) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut budget = STEPS_MAX;
    let mut copy = None;
    for assertion in assertions(plain) {
        let copy = copy.get_or_insert_with(|| plain.clone());
        let queue = plain.lists[assertion.list].queue_type;
        for access in assertion.access.iter() {
            let mut first = None;
            let leaves = compat::access_leaves(access).intersection(queue.leaves());
            let mut is_asked = leaves.is_empty();
            for leaf in leaves.iter() {
                let cost = steps.max(1) * 2;
                if budget < cost {
                    return findings;
                }
                budget -= cost;
                match conflict(copy, &assertion, access, leaf) {
                    None => is_asked = true,
                    Some(found) => {
                        first.get_or_insert(found);
                    }
                }
                if is_asked {
                    break;
                }
            }
            if let Some(conflict) = first.filter(|_| !is_asked) {
                let prepared = Prepared::edited(plain);
                let timeline = prepared.timeline();
                findings.push(asserted::finding(
                    &timeline,
                    assertion.span,
                    assertion.resource,
                    access,
                    &conflict,
                ));
                break;
            }
        }
    }
    findings
}

/// What a use with this access at this stage would collide with.
fn conflict(
    copy: &mut Scenario,
    assertion: &Assertion,
    access: BarrierAccess,
    leaf: Leaf,
) -> Option<Conflict> {
    let used = UseFields {
        access,
        resource: assertion.resource,
        range: assertion.range.clone(),
        stages: LeafSet::one(leaf),
        explicit_stages: true,
        mode: UseMode::Default,
        independent: false,
        may: false,
        implied: false,
        trivia: Trivia::default(),
    };
    let place = &mut copy.lists[assertion.list].commands[assertion.command];
    let kind = std::mem::replace(
        &mut place.kind,
        CommandKind::Dispatch {
            label: None,
            groups: [1, 1, 1],
            options: None,
        },
    );
    place.uses = [Use::new(used, assertion.span)].into();
    let prepared = Prepared::edited(copy);
    let timeline = prepared.timeline();
    let evaluation = front::needed_and_asked(&timeline);
    let found = evaluation.conflicts.into_iter().find(|conflict| {
        let place = timeline.place(conflict.second.node).command;
        let here = place.is_some_and(|(list, index)| {
            (list, index as usize) == (assertion.list, assertion.command)
        });
        // The layout is asserted separately; what is merely advised against is promised.
        let counts = !matches!(
            conflict.kind,
            ConflictKind::LayoutMismatch
                | ConflictKind::Inherited
                | ConflictKind::ConcurrentWriters
                | ConflictKind::UndefinedContents
                | ConflictKind::KeptUndefined
                | ConflictKind::KeptGivenUp
                | ConflictKind::FeedbackInCommand
        );
        here && counts
    });
    let place = &mut copy.lists[assertion.list].commands[assertion.command];
    place.kind = kind;
    place.uses = Uses::new();
    found
}

/// Number of assertions of a text.
pub(crate) fn count(plain: &Scenario) -> u64 {
    assertions(plain).len() as u64
}

fn assertions(plain: &Scenario) -> Vec<Assertion> {
    let mut all = Vec::new();
    for (id, list) in plain.lists.pairs() {
        for (command, it) in list.commands.iter().enumerate() {
            if let CommandKind::AssertAccess {
                resource,
                range,
                access,
            } = &it.kind
            {
                all.push(Assertion {
                    list: id,
                    command,
                    span: it.span,
                    resource: *resource,
                    range: range.clone(),
                    access: access.difference(BarrierAccess::NO_ACCESS),
                });
            }
        }
    }
    all
}
