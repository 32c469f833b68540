//! Hazards: needed and not asked.

mod alias_inactive;
mod chain;
mod false_sharing;
mod feedback_in_one_command;
mod layout_mismatch;
mod links;
mod origin;
mod queue_race;
mod queue_race_layout;
mod queue_race_read_write;
mod queue_race_write_write;
mod race;
mod read_after_write;
mod undefined_contents;
mod uninitialised_metadata;
mod use_while_split;
mod write_after_read;
mod write_after_write;

use super::Beyond;
use super::attribution::{Attribution, Cause};
use super::names;
use crate::finding::{Finding, Hazard, Links, Rule, Severity, Span, Words};
use crate::graph::{Conflict, ConflictKind, Evaluation, Part, Side};
use crate::id::{NodeId, ResourceId};
use crate::lookup::LookupMap;
use crate::order::Timeline;
use crate::scenario::range_text;
use crate::sim;
use crate::time;
use crate::trace::{Observation, ObservationKind, Trace};
pub use race::{lost, settle};
use std::sync::Arc;

/// What a rule says of a conflict.
type Says<T> = fn(&Context<'_, '_>, &Conflict) -> T;

/// A hazard rule: which conflicts it reports, and how it says so.
pub struct HazardRule {
    /// The rule.
    pub rule: &'static Rule,
    kinds: &'static [ConflictKind],
    message: Says<String>,
    help: Says<Option<String>>,
}

impl HazardRule {
    const fn new(
        rule: &'static Rule,
        kinds: &'static [ConflictKind],
        message: Says<String>,
        help: Says<Option<String>>,
    ) -> Self {
        Self {
            rule,
            kinds,
            message,
            help,
        }
    }
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
    &undefined_contents::HAZARD,
    &feedback_in_one_command::HAZARD,
];

/// What a rule's message may speak of.
pub struct Context<'t, 's> {
    /// The timeline.
    pub timeline: &'t Timeline<'s>,
    /// Which subresources are concerned, as a range, if the second use touches more.
    parts: Option<String>,
    /// Of each side: a use that may not be made.
    may: [bool; 2],
}

/// A verb in its two forms: of what a side does, and of what it may do.
type Verb = (&'static str, &'static str);

const READS: Verb = ("reads", "may read");
const WRITES: Verb = ("writes", "may write");
const USES: Verb = ("uses", "may use");
const CHANGES: Verb = ("changes", "may change");

impl Context<'_, '_> {
    /// `draw "lighting" (gfx#3)` of one side.
    fn label(&self, node: NodeId) -> String {
        names::named(self.timeline, node)
    }

    /// The name of the resource that the second use touches, with what of it is concerned.
    fn resource(&self, conflict: &Conflict) -> String {
        let side = &conflict.second;
        let name = self.timeline.scenario.resource_name(side.resource);
        let range = self.parts.clone().unwrap_or_else(|| {
            names::used(self.timeline, side)
                .map_or_else(String::new, |used| range_text(&used.range))
        });
        match range.split_once(']') {
            Some((range, more)) => format!("`{name}{range}]`{more}"),
            None => format!("`{name}`"),
        }
    }

    /// What the first side does.
    fn first(&self, (does, may): Verb) -> &'static str {
        if self.may[0] { may } else { does }
    }

    /// What the second side does. What rests on a use that may not be made says so at one side at least.
    fn second(&self, conflict: &Conflict, (does, may): Verb) -> &'static str {
        let is_said = self.may[0];
        if self.may[1] || conflict.may && !is_said {
            may
        } else {
            does
        }
    }

    /// How the second side writes: as a use, or by a change of layout.
    fn second_writes(&self, conflict: &Conflict) -> String {
        if conflict.second.barrier().is_some() {
            format!("{} the layout of", self.second(conflict, CHANGES))
        } else {
            self.second(conflict, WRITES).to_owned()
        }
    }

    /// What a side is called: its label, or the barrier entry.
    fn side(&self, side: &Side) -> String {
        match side.barrier() {
            Some(barrier) => format!("the barrier {}", self.timeline.barrier_name(barrier)),
            None => self.label(side.node),
        }
    }
}

/// What a run must look at, so that it can be said what it shows of an evaluation.
pub fn watch(timeline: &Timeline<'_>, evaluation: &Evaluation) -> sim::Watch {
    let reads = evaluation.undefined_reads.iter();
    let mut undefined: Vec<_> = reads
        .map(|read| sim::UndefinedRead {
            at: use_at(&read.side),
            first: read.first,
            bytes: read.bytes,
        })
        .collect();
    undefined.sort_unstable();
    let hazards = evaluation.conflicts.iter().filter(|c| c.kind.is_hazard());
    let sides = hazards.flat_map(|conflict| [&conflict.first, &conflict.second]);
    let mut wrong: Vec<_> = sides
        .filter(|side| side.barrier().is_none())
        .map(use_at)
        .collect();
    wrong.sort_unstable();
    wrong.dedup();
    sim::Watch {
        nodes: race::racing_readers(timeline, evaluation),
        undefined,
        wrong,
    }
}

/// The use of a side that is no barrier.
fn use_at(side: &Side) -> sim::UseAt {
    let node = side.node;
    let (use_node, use_index) = match side.part {
        Part::Use(index) => (node, index),
        Part::Root { set, index } => (set, index),
        Part::Entry(_) | Part::Whole => (node, 0),
    };
    sim::UseAt {
        node,
        use_node,
        use_index,
    }
}

/// What a run shows of hazards.
#[derive(Copy, Clone)]
pub struct Shown<'r> {
    /// The run.
    pub trace: &'r Trace,
    /// What explains its wrong reads.
    pub attribution: &'r Attribution<'r>,
}

impl<'r> Shown<'r> {
    /// A run and what explains its wrong reads.
    pub fn new(trace: &'r Trace, attribution: &'r Attribution<'r>) -> Self {
        Self { trace, attribution }
    }
}

/// Findings of an evaluation; `shown` says which were visible in a run.
///
/// # Panics
/// If a kind of conflict has no rule, which a test excludes.
pub fn findings(
    timeline: &Timeline<'_>,
    evaluation: &Evaluation,
    shown: Option<Shown<'_>>,
) -> Vec<Finding> {
    let all = 0..evaluation.conflicts.len();
    findings_of(timeline, evaluation, shown, all)
}

/// The same for about `most` places at most: of those beyond, what is counted.
///
/// # Panics
/// If a kind of conflict has no rule, which a test excludes.
pub fn findings_within(
    timeline: &Timeline<'_>,
    evaluation: &Evaluation,
    shown: Option<Shown<'_>>,
    most: usize,
) -> (Vec<Finding>, Vec<Beyond>) {
    if evaluation.conflicts.len() <= most {
        return (findings(timeline, evaluation, shown), Vec::new());
    }
    // What is reported at one place is one finding: whether it is listed, by place.
    let mut places: LookupMap<(&'static str, Span, ResourceId), Listed> = LookupMap::default();
    let (mut listed, mut which) = (0, Vec::new());
    let mut beyond: Vec<Beyond> = Vec::new();
    let mut words = Words::default();
    for (index, conflict) in evaluation.conflicts.iter().enumerate() {
        let (rule, resource) = (rule_of(conflict).rule, conflict.second.resource);
        let span = names::side_span(timeline, &conflict.second);
        let severity = severity(rule, conflict);
        let place = *places.entry((rule.id, span, resource)).or_insert_with(|| {
            if listed < most {
                listed += 1;
                return Listed::Here;
            }
            beyond.push(Beyond {
                rule,
                severity,
                span,
                resource: Some(words.share(timeline.scenario.resource_name(resource))),
                is_hazard: true,
            });
            Listed::Beyond(beyond.len() - 1)
        });
        match place {
            Listed::Here => which.push(index),
            Listed::Beyond(at) => beyond[at].severity = beyond[at].severity.max(severity),
        }
    }
    let findings = findings_of(timeline, evaluation, shown, which.into_iter());
    (findings, beyond)
}

/// Where what is reported at a place goes.
#[derive(Copy, Clone)]
enum Listed {
    /// Into the list of findings.
    Here,
    /// Among the counted ones, at this index.
    Beyond(usize),
}

/// Findings of some conflicts.
fn findings_of(
    timeline: &Timeline<'_>,
    evaluation: &Evaluation,
    shown: Option<Shown<'_>>,
    which: impl Iterator<Item = usize>,
) -> Vec<Finding> {
    let mut budget = chain::Budget::default();
    let mut words = Words::default();
    which
        .map(|index| (index, &evaluation.conflicts[index]))
        .map(|(index, conflict)| {
            let rule = rule_of(conflict);
            let origin = origin::of(timeline, conflict, &mut budget);
            let shape = timeline
                .scenario
                .resource(conflict.second.resource)
                .texture();
            let is_layout = conflict.kind == ConflictKind::LayoutMismatch;
            let parts = origin.as_ref().filter(|_| is_layout).zip(shape);
            let context = Context {
                timeline,
                parts: parts.and_then(|(origin, shape)| origin.parts_text(shape)),
                may: [&conflict.first, &conflict.second].map(|side| names::may(timeline, side)),
            };
            let resource = timeline.scenario.resource_name(conflict.second.resource);
            let first = names::party(timeline, &conflict.first, &mut words);
            let second = names::party(timeline, &conflict.second, &mut words);
            let mut finding =
                Finding::new(rule.rule, second.span, (rule.message)(&context, conflict));
            finding.resource = Some(words.share(resource));
            finding.severity = severity(rule.rule, conflict);
            finding.help = (rule.help)(&context, conflict).map(|help| words.share(&help));
            if let Some(origin) = origin {
                origin.mark(timeline, conflict, &mut finding);
            }
            chain::draw(timeline, conflict, &mut finding, &mut budget);
            if conflict.given_up {
                finding
                    .notes
                    .push("a barrier with AccessBefore NO_ACCESS gave the contents up".into());
            }
            let observed = shown.map(|run| evidence(timeline, run, index, conflict));
            finding.visible = observed.as_ref().map(Option::is_some);
            finding
                .notes
                .extend(observed.flatten().map(|e| e.text.into()));
            finding.hazard = Some(Arc::new(Hazard {
                first,
                second,
                spec_invalid: conflict.kind != ConflictKind::Inherited,
                links: links_of(conflict),
            }));
            words.share_all(&mut finding);
            finding
        })
        .collect()
}

/// Which of the three effects a conflict lacks.
fn links_of(conflict: &Conflict) -> Links {
    match conflict.kind {
        // A write after a read needs order, and nothing else.
        ConflictKind::WriteAfterRead => Links::of(conflict.ordered, None),
        kind if kind.is_data() => Links::of(conflict.ordered, Some(false)),
        ConflictKind::LayoutMismatch | ConflictKind::UseWhileSplit => Links::wrong_layout(),
        kind if kind.is_race() => Links::of(false, None),
        ConflictKind::FalseSharing | ConflictKind::ConcurrentWriters => Links::of(false, None),
        _ => Links::default(),
    }
}

/// The rule that reports a conflict, and where.
///
/// # Panics
/// If a kind of conflict has no rule, which a test excludes.
pub fn named(timeline: &Timeline<'_>, conflict: &Conflict) -> (&'static str, Span) {
    let span = names::side_span(timeline, &conflict.second);
    (rule_of(conflict).rule.id, span)
}

/// Whether a rule is about uses that no fence orders.
pub fn is_race(rule: &Rule) -> bool {
    let mut rules = RULES.iter().filter(|r| r.rule.id == rule.id);
    rules.any(|r| r.kinds.iter().all(|kind| kind.is_race()))
}

/// The rule that reports a conflict.
///
/// # Panics
/// Never: every kind of conflict has a rule.
pub fn rule_of(conflict: &Conflict) -> &'static HazardRule {
    let rule = RULES.iter().find(|r| r.kinds.contains(&conflict.kind));
    rule.expect("every kind of conflict has a rule")
}

/// The rule's severity, but for what the readings R21 and R41 say is none, and for what only may be one.
fn severity(rule: &Rule, conflict: &Conflict) -> Severity {
    match conflict.kind {
        ConflictKind::Inherited => Severity::Advice,
        ConflictKind::ConcurrentWriters => Severity::Warning,
        _ if conflict.may => rule.severity.min(Severity::Warning),
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

/// The read of a run that shows a conflict, if any does; `index` is that of the conflict in its evaluation.
pub fn evidence(
    timeline: &Timeline<'_>,
    shown: Shown<'_>,
    index: usize,
    conflict: &Conflict,
) -> Option<Evidence> {
    let observed = shown.attribution.shown_by(Cause::Conflict(index));
    let observed = observed.map(|observation| Evidence {
        kind: observation.kind,
        text: observation_text(timeline, observation),
    });
    // What should be seen follows from the text; the machine knows no more than its own order of issue.
    race::read_of(timeline, conflict)
        .and_then(|race| race.wrong(timeline, shown.trace))
        .or(observed)
}

/// An observation as a sentence.
pub fn observation_text(timeline: &Timeline<'_>, observation: &Observation) -> String {
    let who = |node: Option<NodeId>| {
        node.map_or_else(
            || "initial contents".to_string(),
            |node| names::named(timeline, node),
        )
    };
    let (kind, bytes) = (observation.kind.word(), time::bytes(observation.bytes));
    let reader = names::named(timeline, observation.node);
    let saw = who(observation.saw);
    if observation.kind == ObservationKind::Undefined
        && observation.saw.or(observation.expected).is_none()
    {
        return format!("seen in this run: {reader} read {bytes} of undefined contents");
    }
    if observation.saw == observation.expected {
        // The right write, but not as its writer left it.
        return match observation.saw {
            Some(_) => format!(
                "seen in this run: {reader} read {bytes} of {kind} data: what {saw} wrote, as it lies in memory"
            ),
            None => format!("seen in this run: {reader} read {bytes} of {kind} data: {saw}"),
        };
    }
    if observation.kind == ObservationKind::Late {
        return format!(
            "seen in this run: {reader} read {bytes} while {saw} wrote them: the read went on for {} after the write had landed",
            observation.went_on
        );
    }
    let expected = who(observation.expected);
    format!("seen in this run: {reader} read {bytes} of {kind} data: it saw {saw}, not {expected}")
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
