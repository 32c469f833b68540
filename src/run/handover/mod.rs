//! What a driver would be handed for a text: the barriers that its lists record, in the driver interface's form.
//!
//! Nothing is executed and no machine is asked. Entries that break a rule are handed over all the same, with the rule's
//! id next to them: the runtime itself refuses little, the debug layer much.

mod calls;
pub mod legacy;

pub use calls::{Call, HandedEntry, HandedOver, ListCalls, Origin, create, handed_over};

use crate::analyze;
use crate::api::ddi::DdiBarrier;
use crate::finding::{Finding, Source, Span};
use crate::id::ResourceId;
use crate::pipeline::clock::Clock;
use crate::pipeline::front::{self, Kernels};
use crate::scenario::Scenario;
use crate::validate::RuleSet;
use std::collections::BTreeMap;

/// What is handed over, with what is needed to name it.
#[non_exhaustive]
pub struct Handover {
    /// The scenario as written.
    pub scenario: Scenario,
    /// What the driver is handed.
    pub handed: HandedOver,
    /// What is wrong with it: only findings of legality.
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
    let clock = &mut Clock::untold();
    let parsed = front::read(source, clock).map_err(|misread| misread.findings)?;
    // Barriers are recorded, nothing is executed.
    let mut prepared = parsed.prepare(Kernels::LeftOut, clock);
    let mut findings = std::mem::take(&mut prepared.findings);
    findings.extend(prepared.legality(&prepared.timeline(), rules));
    let handed = handed_over(prepared.written(), prepared.plain());
    let scenario = prepared.into_written();
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
