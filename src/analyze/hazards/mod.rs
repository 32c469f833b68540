//! Hazards: needed and not asked.

mod alias_inactive;
mod chain;
mod false_sharing;
mod layout_mismatch;
mod queue_race;
mod queue_race_layout;
mod queue_race_read_write;
mod queue_race_write_write;
mod race;
mod read_after_write;
mod uninitialised_metadata;
mod use_while_split;
mod write_after_read;
mod write_after_write;

use race::Shown;
pub use race::racing_readers;

use super::names;
use crate::finding::{Finding, Hazard, Rule, Severity};
use crate::graph::{Conflict, ConflictKind, Evaluation};
use crate::id::NodeId;
use crate::order::Timeline;
use crate::time::bytes;
use crate::trace::{Observation, ObservationKind, Trace};

/// A hazard rule: which conflicts it reports, and how it says so.
pub struct HazardRule {
    /// The rule.
    pub rule: &'static Rule,
    kinds: &'static [ConflictKind],
    message: fn(&Context<'_, '_>, &Conflict) -> String,
    help: fn(&Context<'_, '_>, &Conflict) -> Option<String>,
}

/// Every hazard rule.
pub static RULES: &[&HazardRule] = &[
    &read_after_write::HAZARD,
    &write_after_read::HAZARD,
    &write_after_write::HAZARD,
    &layout_mismatch::HAZARD,
    &uninitialised_metadata::HAZARD,
    &false_sharing::HAZARD,
    &use_while_split::HAZARD,
    &alias_inactive::HAZARD,
    &queue_race_read_write::HAZARD,
    &queue_race_write_write::HAZARD,
    &queue_race_layout::HAZARD,
];

/// What a rule's message may speak of.
pub struct Context<'t, 's> {
    /// The timeline.
    pub timeline: &'t Timeline<'s>,
}

impl Context<'_, '_> {
    /// `draw "lighting"` of one side.
    fn label(&self, node: NodeId) -> String {
        names::node_label(self.timeline, node)
    }

    /// The name of the resource that the second use touches.
    fn resource(&self, conflict: &Conflict) -> &str {
        self.timeline
            .scenario
            .resource_name(conflict.second.resource)
    }

    /// What a side is called: its label, or the barrier entry.
    fn side(&self, side: &crate::graph::Side) -> String {
        match side.barrier() {
            Some(barrier) => format!("the barrier {}", self.timeline.barrier_name(barrier)),
            None => self.label(side.node),
        }
    }
}

/// Findings of an evaluation; `trace` says which were visible in this run.
///
/// # Panics
/// If a kind of conflict has no rule, which a test excludes.
pub fn findings(
    timeline: &Timeline<'_>,
    evaluation: &Evaluation,
    trace: Option<&Trace>,
) -> Vec<Finding> {
    let context = Context { timeline };
    let mut seen: Vec<&Observation> = trace
        .map(|t| t.observations.iter().collect())
        .unwrap_or_default();
    seen.sort_by_key(|o| o.node);
    let mut budget = chain::Budget::default();
    evaluation
        .conflicts
        .iter()
        .map(|conflict| {
            let rule = RULES
                .iter()
                .find(|r| r.kinds.contains(&conflict.kind))
                .expect("every kind of conflict has a rule");
            let resource = context.resource(conflict);
            let first = names::party(timeline, &conflict.first);
            let second = names::party(timeline, &conflict.second);
            let mut finding =
                Finding::new(rule.rule, second.span, (rule.message)(&context, conflict));
            finding.resource = Some(resource.to_string());
            finding.severity = severity(rule.rule, conflict.kind);
            finding.help = (rule.help)(&context, conflict);
            chain::draw(timeline, conflict, &mut finding, &mut budget);
            if conflict.given_up {
                finding
                    .notes
                    .push("a barrier with AccessBefore NO_ACCESS gave the contents up".into());
            }
            let observed = trace.map(|trace| evidence(timeline, trace, &seen, conflict));
            let visible = observed.as_ref().map(Option::is_some);
            finding.notes.extend(observed.flatten().map(|e| e.text));
            finding.hazard = Some(Box::new(Hazard {
                first,
                second,
                spec_invalid: conflict.kind != ConflictKind::Inherited,
                visible,
            }));
            finding
        })
        .collect()
}

/// The rule's severity, but for what the readings R21 and R41 say is none.
fn severity(rule: &Rule, kind: ConflictKind) -> Severity {
    match kind {
        ConflictKind::Inherited => Severity::Advice,
        ConflictKind::ConcurrentWriters => Severity::Warning,
        _ => rule.severity,
    }
}

/// What a run shows of a conflict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// What went wrong with a read.
    pub kind: ObservationKind,
    /// The same as a sentence.
    pub text: String,
}

/// The read of a run that shows a conflict, if any does.
pub fn evidence_of(
    timeline: &Timeline<'_>,
    trace: &Trace,
    conflict: &Conflict,
) -> Option<Evidence> {
    let mut seen: Vec<&Observation> = trace.observations.iter().collect();
    seen.sort_by_key(|o| o.node);
    evidence(timeline, trace, &seen, conflict)
}

/// What a run shows of a conflict; `seen` are its observations by node.
fn evidence(
    timeline: &Timeline<'_>,
    trace: &Trace,
    seen: &[&Observation],
    conflict: &Conflict,
) -> Option<Evidence> {
    let observed = observed(seen, conflict).map(|observation| Evidence {
        kind: observation.kind,
        text: observation_text(timeline, observation),
    });
    // What should be seen follows from the text; the machine knows no more than its own order of issue.
    match race::read_of(timeline, conflict).map(|race| race.shown(timeline, trace)) {
        Some(Shown::Wrong(evidence)) => Some(evidence),
        Some(Shown::Right) => observed.filter(|e| e.kind != ObservationKind::Early),
        Some(Shown::NoSample) | None => observed,
    }
}

fn observed<'o>(seen: &[&'o Observation], conflict: &Conflict) -> Option<&'o Observation> {
    let at = |node: NodeId| {
        let from = seen.partition_point(|o| o.node < node);
        seen[from..]
            .iter()
            .take_while(move |o| o.node == node)
            .copied()
    };
    let (first, second) = (conflict.first.node, conflict.second.node);
    // Whoever read later what the second use wrote did not find it.
    let damage = || {
        let lost = |o: &&&Observation| {
            o.expected == Some(second) && o.resource == conflict.second.resource
        };
        seen.iter().find(lost).copied()
    };
    match conflict.kind {
        // The reader saw something else than the write that it needed.
        ConflictKind::ReadAfterWrite => {
            at(second).find(|o| o.resource == conflict.second.resource && o.expected == Some(first))
        }
        // The reader saw the later write.
        ConflictKind::WriteAfterRead => at(first).find(|o| o.saw == Some(second)),
        // Whoever read the bytes later saw the first write again.
        ConflictKind::WriteAfterWrite => seen
            .iter()
            .find(|o| o.expected == Some(second) && o.saw == Some(first))
            .copied(),
        ConflictKind::LayoutMismatch | ConflictKind::MetadataUninitialised => at(second)
            .find(|o| {
                o.resource == conflict.second.resource && o.kind == ObservationKind::Undecoded
            })
            .or_else(damage),
        // Whoever read the granule later saw the first write's line without the second one's bytes, or the reverse.
        ConflictKind::FalseSharing | ConflictKind::ConcurrentWriters => seen
            .iter()
            .find(|o| {
                [o.expected, o.saw] == [Some(second), Some(first)]
                    || [o.expected, o.saw] == [Some(first), Some(second)]
                    || o.kind == ObservationKind::Torn
                        && (o.expected == Some(first) || o.expected == Some(second))
            })
            .copied(),
        ConflictKind::UseWhileSplit
        | ConflictKind::UseInactive
        | ConflictKind::UseOverwritten
        | ConflictKind::Inherited => at(second)
            .find(|o| o.resource == conflict.second.resource)
            .or_else(damage),
        ConflictKind::RaceReadWrite | ConflictKind::RaceWriteWrite | ConflictKind::RaceLayout => {
            at(first).chain(at(second)).find(|o| {
                [o.saw, o.expected]
                    .iter()
                    .any(|n| *n == Some(first) || *n == Some(second))
            })
        }
    }
}

/// An observation as a sentence.
pub fn observation_text(timeline: &Timeline<'_>, observation: &Observation) -> String {
    let who = |node: Option<NodeId>| {
        node.map_or_else(
            || "initial contents".to_string(),
            |node| timeline.node_name(node),
        )
    };
    format!(
        "seen in this run: {} read {} of {} data: it saw {}, not {}",
        timeline.node_name(observation.node),
        bytes(observation.bytes),
        observation.kind.word(),
        who(observation.saw),
        who(observation.expected),
    )
}

/// What a barrier between the two must do. Which one is left to a proved change.
fn barrier_help(_: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let (first, second) = (&conflict.first, &conflict.second);
    if first.stages.is_empty() || second.stages.is_empty() {
        return None;
    }
    let order = format!(
        "a barrier between them must wait for {} and hold {}",
        first.stages, second.stages
    );
    Some(if conflict.kind == ConflictKind::WriteAfterRead {
        order
    } else {
        format!(
            "{order}, and make {} visible to {}",
            first.access, second.access
        )
    })
}
