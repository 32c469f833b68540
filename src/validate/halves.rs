//! Mistakes that both halves of a split barrier share are one mistake (reading R72): it is told of the first half.
//!
//! The halves agree in their range, accesses and layouts, or legacy states (reading R27), so a rule that looks at one entry says the same of
//! both. What it says of a half's own scope is not the same.
//!
//! A half with a wrong field differs from the other one in that field: the rule that refuses the field says it all.

use super::{RuleSet, eb, is_wrong_alone};
use crate::api::{BarrierAccess, ResourceState};
use crate::finding::{Finding, Span};
use crate::id::ResourceId;
use crate::lookup::{LookupMap, LookupSet};
use crate::scenario::{
    Barrier, BarrierTarget, CommandKind, LegacyBarrier, LegacySplit, List, Range, Scenario,
};
use std::sync::Arc;

/// Drops that the halves of a pair differ where one of them is wrong by itself: the second one in whatever it says, the first
/// one if the second one's word in its place would be right.
pub(super) fn tell_the_wrong_one(
    scenario: &Scenario,
    rules: RuleSet,
    wrong_alone: &LookupSet<Span>,
    findings: &mut Vec<Finding>,
) {
    let differs = eb::split_halves_differ::RULE.id;
    findings.retain(|finding| {
        let begin = finding.related.first().map(|related| related.span);
        finding.rule.id != differs
            || !wrong_alone.contains(&finding.span)
                && !begin.is_some_and(|begin| {
                    wrong_alone.contains(&begin)
                        && is_right_with_one_word(scenario, rules, begin, finding.span)
                })
    });
}

/// Whether the halves at two places differ in one field, and the first one would be right by itself with the second one's.
fn is_right_with_one_word(scenario: &Scenario, rules: RuleSet, first: Span, second: Span) -> bool {
    let (Some((list, first)), Some((_, second))) = (at(scenario, first), at(scenario, second))
    else {
        return false;
    };
    let mut mended = first.clone();
    mended.target = second.target.clone();
    (mended.access_before, mended.access_after) = (second.access_before, second.access_after);
    fields_apart(first, second) == 1 && !is_wrong_alone(scenario, list, &mended, rules)
}

/// In how many accesses and layouts two barriers on the same subresources differ; more than there are if on others.
fn fields_apart(first: &Barrier, second: &Barrier) -> usize {
    let part = |barrier: &Barrier| {
        let it = barrier.as_texture()?;
        let layouts = [it.layout_before, it.layout_after];
        Some(((it.resource, it.range.clone(), it.discard), layouts))
    };
    let accesses = |barrier: &Barrier| [barrier.access_before, barrier.access_after];
    let layouts = match (part(first), part(second)) {
        (Some((one, first)), Some((other, second))) if one == other => apart(first, second),
        (None, None) if first.target == second.target => 0,
        _ => usize::MAX,
    };
    layouts.saturating_add(apart(accesses(first), accesses(second)))
}

fn apart<T: Copy + PartialEq>(first: [T; 2], second: [T; 2]) -> usize {
    first.iter().zip(&second).filter(|(a, b)| a != b).count()
}

/// The barrier at a place, with its list.
fn at(scenario: &Scenario, span: Span) -> Option<(&List, &Barrier)> {
    scenario.lists.iter().find_map(|list| {
        let mut barriers = list.commands.iter().flat_map(|c| c.kind.barriers());
        Some((list, barriers.find(|barrier| barrier.span == span)?))
    })
}

/// Which half, and what it names apart from the side that is the other half's.
#[derive(PartialEq, Eq, Hash)]
struct Half<'s> {
    begins: bool,
    names: Names<'s>,
}

/// What both halves of a pair name.
#[derive(PartialEq, Eq, Hash)]
enum Names<'s> {
    Enhanced(&'s BarrierTarget, BarrierAccess, BarrierAccess),
    Legacy(ResourceId, &'s Range, ResourceState, ResourceState),
}

impl<'s> Half<'s> {
    fn of(barrier: &'s Barrier) -> Option<(Span, Self)> {
        let begins = barrier.sync_after.is_split();
        let accesses = (barrier.access_before, barrier.access_after);
        let names = Names::Enhanced(&barrier.target, accesses.0, accesses.1);
        let is_half = begins != barrier.sync_before.is_split();
        is_half.then_some((barrier.span, Self { begins, names }))
    }

    fn of_legacy(entry: &'s LegacyBarrier) -> Option<(Span, Self)> {
        let it = entry.kind.as_transition()?;
        let begins = it.split? == LegacySplit::Begin;
        let names = Names::Legacy(it.resource, &it.range, it.before, it.after);
        Some((entry.span, Self { begins, names }))
    }
}

/// Drops what is said of a second half and was said of a first half that is written alike.
pub(super) fn tell_once(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if findings.is_empty() {
        return;
    }
    let mut halves: LookupMap<Span, Half<'_>> = LookupMap::default();
    for command in scenario.commands() {
        let barriers = command.kind.barriers().iter();
        halves.extend(barriers.filter_map(Half::of));
        if let CommandKind::Legacy(entries) = &command.kind {
            halves.extend(entries.iter().filter_map(Half::of_legacy));
        }
    }
    let said = |finding: &Finding, begins: bool| {
        let half = halves.get(&finding.span)?;
        let says = (finding.rule.id, Arc::clone(&finding.message));
        (half.begins == begins).then_some((&half.names, says))
    };
    let first: LookupSet<_> = findings.iter().filter_map(|f| said(f, true)).collect();
    if first.is_empty() {
        return;
    }
    findings.retain(|f| said(f, false).is_none_or(|says| !first.contains(&says)));
}
