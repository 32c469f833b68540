//! Mistakes that both halves of a split barrier share are one mistake (reading R72): it is told of the first half.
//!
//! The halves agree in their range, accesses and layouts (reading R27), so a rule that looks at one entry says the same of
//! both. What it says of a half's own scope is not the same.

use crate::finding::{Finding, Span};
use crate::lookup::{LookupMap, LookupSet};
use crate::scenario::{Barrier, Scenario};
use std::sync::Arc;

/// Drops what is said of a second half and was said of a first half that is written alike.
pub(super) fn tell_once(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if findings.is_empty() {
        return;
    }
    let mut halves: LookupMap<Span, &Barrier> = LookupMap::default();
    let commands = scenario.lists.iter().flat_map(|list| &list.commands);
    for barrier in commands.flat_map(|command| command.kind.barriers()) {
        if barrier.sync_before.is_split() != barrier.sync_after.is_split() {
            halves.insert(barrier.span, barrier);
        }
    }
    let said = |finding: &Finding, begins: bool| {
        let half = halves.get(&finding.span)?;
        let fields = (&half.target, half.access_before, half.access_after);
        let says = (finding.rule.id, Arc::clone(&finding.message));
        (half.sync_after.is_split() == begins).then_some((fields, says))
    };
    let first: LookupSet<_> = findings.iter().filter_map(|f| said(f, true)).collect();
    if first.is_empty() {
        return;
    }
    findings.retain(|f| said(f, false).is_none_or(|says| !first.contains(&says)));
}
