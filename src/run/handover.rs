//! What a driver would be handed for a text: the barriers that its lists record, in the driver interface's form.
//!
//! Nothing is executed and no machine is asked. Entries that break a rule are handed over all the same, with the rule's
//! id beside them: the runtime itself refuses little, the debug layer much.

use crate::api::ddi::DdiBarrier;
use crate::finding::{Finding, Source, Span};
use crate::id::ResourceId;
use crate::order::Timeline;
use crate::runtime::{self, HandedOver};
use crate::scenario::{self, Scenario};
use crate::validate::{self, RuleSet};
use crate::{analyze, legacy};
use std::collections::BTreeMap;

/// What is handed over, with what is needed to name it.
pub struct Handover {
    /// The scenario as written.
    pub scenario: Scenario,
    /// What the driver is handed.
    pub handed: HandedOver,
    /// What is wrong with it: findings of legality alone.
    pub findings: Vec<Finding>,
    illegal: BTreeMap<Span, &'static str>,
}

impl Handover {
    /// The rule that the entry at a place breaks.
    pub fn illegal(&self, span: Span) -> Option<&'static str> {
        self.illegal.get(&span).copied()
    }

    /// Name of a barrier's resource.
    pub fn resource(&self, barrier: &DdiBarrier<ResourceId>) -> Option<&str> {
        barrier
            .resource()
            .map(|id| self.scenario.resource_name(*id))
    }
}

/// Reads a text and hands its barriers over.
///
/// # Errors
/// The findings of a text that cannot be read.
pub fn hand_over(source: &Source, rules: RuleSet) -> Result<Handover, Vec<Finding>> {
    let (scenario, mut findings) = scenario::parse(source);
    if findings.iter().any(|f| f.severity.fails()) {
        return Err(findings);
    }
    let handed;
    {
        let plain = legacy::translate(&scenario);
        let timeline = Timeline::new(&plain);
        findings.extend(validate::validate(&scenario, &timeline, rules));
        handed = runtime::hand_over(&scenario, &plain);
    }
    let findings = analyze::fold(findings);
    let illegal = findings
        .iter()
        .filter(|f| f.severity.fails())
        .map(|f| (f.span, f.rule.id))
        .collect();
    Ok(Handover {
        scenario,
        handed,
        findings,
        illegal,
    })
}
