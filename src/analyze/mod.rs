//! Comparisons of the four relations: findings, verdicts and measures, as data.
//!
//! Nothing here reads text or prints. A rule's file owns its page and its message; this file joins what the
//! independent readings (`graph/`, `sim/`) say about the same commands.

pub mod account;
pub(crate) mod asserted;
pub mod attribution;
pub mod beats;
pub(crate) mod fence_page;
pub mod fences;
pub mod hazards;
pub mod log;
pub mod lowering;
pub(crate) mod names;
pub mod redundancy;
pub mod stalls;
pub(crate) mod stuck;

use crate::finding::{Finding, Rule, Severity, Span};
use crate::lookup::{Entry, LookupMap, LookupSet};
use crate::lower::recorded;
use crate::validate::eb::use_outside_known_access;
use std::sync::Arc;

/// Rules of this layer, by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let hazards = hazards::RULES.iter().map(|rule| rule.rule);
    let others = [
        fences::RULES,
        redundancy::RULES,
        lowering::RULES,
        stalls::RULES,
    ];
    let one = std::iter::once(&asserted::RULE);
    one.chain(hazards)
        .chain(others.into_iter().flatten().copied())
}

/// Something that was found and is only counted, because very much was.
#[derive(Clone, Debug)]
pub struct Beyond {
    /// The rule of the finding.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// Place of the finding.
    pub span: Span,
    /// About which resource.
    pub resource: Option<Arc<str>>,
    /// The finding is a hazard.
    pub is_hazard: bool,
}

impl Beyond {
    fn of(finding: &Finding) -> Self {
        Self {
            rule: finding.rule,
            severity: finding.severity,
            span: finding.span,
            resource: finding.resource.clone(),
            is_hazard: finding.hazard.is_some(),
        }
    }
}

/// Takes the findings after the first `most` away, and keeps of them what is counted.
pub fn limit(findings: &mut Vec<Finding>, most: usize, beyond: &mut Vec<Beyond>) {
    let rest = findings.get(most..).into_iter().flatten();
    beyond.extend(rest.map(Beyond::of));
    findings.truncate(most);
}

/// Drops warnings about a use for which a hazard was found, listed or not: the hazard says more (reading R34).
pub fn drop_explained(findings: &mut Vec<Finding>, beyond: &[Beyond]) {
    let rule = use_outside_known_access::RULE.id;
    if findings.iter().all(|f| f.rule.id != rule) {
        return;
    }
    let unlisted = beyond.iter().filter(|b| b.is_hazard);
    let hazards: LookupSet<(Span, Option<Arc<str>>)> = findings
        .iter()
        .filter(|f| f.hazard.is_some())
        .map(|f| (f.span, f.resource.clone()))
        .chain(unlisted.map(|b| (b.span, b.resource.clone())))
        .collect();
    findings.retain(|f| f.rule.id != rule || !hazards.contains(&(f.span, f.resource.clone())));
}

/// One finding per rule, place and resource: a statement that runs several times reports once, for its first
/// execution, and counts the rest (reading R47). Mistakes of a driver's packets are one only if they say the same: a packet may
/// have several of one rule.
pub fn fold(mut findings: Vec<Finding>) -> Vec<Finding> {
    type Key = (&'static str, Span, Option<Arc<str>>, Option<String>);
    let mut places: LookupMap<Key, usize> = LookupMap::default();
    let mut kept = 0;
    for at in 0..findings.len() {
        let finding = &findings[at];
        let is_of_packet = finding.rule.family() == "PT";
        let mistake = is_of_packet.then(|| recorded::mistake_of(&finding.message).to_owned());
        let key = (
            finding.rule.id,
            finding.span,
            finding.resource.clone(),
            mistake,
        );
        match places.entry(key) {
            Entry::Occupied(known) => {
                let (before, after) = findings.split_at_mut(at);
                before[*known.get()].repeat(&after[0]);
            }
            Entry::Vacant(place) => {
                place.insert(kept);
                findings.swap(kept, at);
                kept += 1;
            }
        }
    }
    findings.truncate(kept);
    findings
}
