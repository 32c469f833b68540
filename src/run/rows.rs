//! The report's rows: executed commands, executed barriers, lanes and totals, by the names that reports print.

use super::activity;
use super::lanes::{self, lanes};
use super::life::Lives;
use super::stalls::Namer;
use super::{
    BarrierRow, CacheRow, CommandRow, Drawn, FieldsRow, FindingRef, ObservationRow, OperationRow,
    Options, Report, Totals,
};
use crate::analyze::attribution::{Attribution, Cause};
use crate::analyze::stalls::{Stalls, of_barriers};
use crate::analyze::{fences, hazards, lowering as bugs, names};
use crate::finding::{Finding, Rule, Source};
use crate::graph::Evaluation;
use crate::hardware::Profile;
use crate::id::{BarrierRef, NodeId};
use crate::order::Timeline;
use crate::pipeline::back::{Machine, Ran};
use crate::program::{BarrierOp, BarrierRole, Block, HwOpKind, Step, StepKind};
use crate::repair::prove::Verdicts;
use crate::scenario::Barrier;
use crate::time::Ps;
use crate::trace::{Observation, ObservationKind};
use crate::validate::{eb, lb};
use indexmap::IndexMap;

/// What the rows of a report are made of.
#[derive(Copy, Clone)]
pub(super) struct Rows<'a> {
    pub(super) source: &'a Source,
    pub(super) timeline: &'a Timeline<'a>,
    pub(super) machine: Machine<'a>,
    pub(super) ran: &'a Ran,
    pub(super) verdicts: &'a Verdicts,
    pub(super) stalls: Option<&'a Stalls>,
    pub(super) explained: Explained<'a>,
}

/// What explains the wrong reads of a run.
#[derive(Copy, Clone)]
pub(super) struct Explained<'a> {
    pub(super) asked: &'a Evaluation,
    pub(super) by: &'a Attribution<'a>,
    pub(super) legality: &'a [Finding],
}

/// Barriers that name another layout than the one that the texture is in: a lowering does what the text says.
static LAYOUTS_MISTOLD: &[&Rule] = &[&eb::layout_before_mismatch::RULE, &lb::state_before::RULE];

impl Rows<'_> {
    /// Wrong reads of a run in which nothing is wrong, told or not.
    fn unexplained(&self) -> u64 {
        let mut conflicts = self.explained.asked.conflicts.iter();
        let mut legality = self.explained.legality.iter();
        let is_right = self.timeline.resets.is_empty()
            && self.ran.ensured.missing.is_empty()
            && !conflicts.any(|c| c.kind.is_wrong())
            && !legality.any(|f| f.severity.fails());
        if !is_right {
            return 0;
        }
        let reads = self.explained.by.unexplained();
        let has_contents = |read: &&Observation| read.kind != ObservationKind::Undefined;
        reads.filter(has_contents).count() as u64
    }

    /// Adds what was simulated to a report.
    pub(super) fn fill(self, report: &mut Report, options: &Options) {
        let Self {
            source,
            timeline,
            machine:
                Machine {
                    profile,
                    lowering,
                    named_by,
                },
            ran,
            stalls,
            ..
        } = self;
        let (program, trace) = (&ran.program, &ran.paid);
        report.profile.clone_from(&profile.name);
        report.lowering = lowering.name().to_string();
        report.lowering_named_by = named_by;
        report.makespan = Some(trace.makespan);
        report.exposed = trace.exposed;
        report.caches = CacheRow::all(profile);
        report.totals = Totals {
            commands: trace.totals.work,
            barriers: trace.totals.barriers,
            cleans: trace.totals.cleans,
            cleaned_bytes: trace.totals.cleaned_bytes,
            invalidates: trace.totals.invalidates,
            layout_operations: trace.totals.layout_operations,
            bad_reads: trace.totals.bad_reads,
            unexplained_reads: self.unexplained(),
        };
        let namer = Namer {
            source,
            timeline,
            profile,
            program,
        };
        report.stuck = super::stuck::stuck(namer, trace);
        if !options.without_commands {
            let lives = Lives::new(namer, trace);
            report.meetings = super::moments::meetings(namer, trace, &report.findings);
            report.commands = self.commands(&lives);
            report.lanes = lanes(timeline, trace, &lives);
            let until = report.drawn_until();
            lanes::open(&mut report.lanes, &report.stuck, until);
        }
        if !options.without_barriers {
            report.barriers = self.barriers();
            self.note_critical(&mut report.barriers);
        }
        if !options.without_path {
            report.utilisation = super::stalls::utilisation(timeline, trace);
        }
        if options.drawn >= Drawn::Picture {
            let mut activity = activity::activity(source, timeline, profile, ran);
            activity.open(&report.stuck, report.drawn_until());
            if options.drawn >= Drawn::Counters {
                activity::watch_caches(&mut activity, profile, ran, options);
            }
            report.activity = Some(Box::new(activity));
        }
        if let Some(stalls) = stalls {
            report.causes = Some(super::stalls::causes(&stalls.frames, trace.makespan));
            if !options.without_path {
                report.frames = super::stalls::frames(source, timeline, profile, program, stalls);
            }
        }
    }

    fn commands(self, lives: &Lives) -> Vec<CommandRow> {
        let Self {
            source,
            timeline,
            stalls,
            ..
        } = self;
        let profile = self.machine.profile;
        let trace = &self.ran.paid;
        let mut observations: Vec<(usize, &Observation)> =
            trace.observations.iter().enumerate().collect();
        observations.sort_by_key(|(_, o)| (o.node, o.use_index));
        let mut rows = Vec::new();
        for (index, timing) in trace.commands.iter().enumerate() {
            let node = NodeId::new(index);
            let command = timeline.command(node);
            if command.is_some_and(|c| !names::is_work(c)) {
                continue;
            }
            let from = observations.partition_point(|(_, o)| o.node < node);
            let seen = observations[from..].iter();
            let seen = seen.take_while(|(_, o)| o.node == node);
            let submission = timeline.submission(timeline.submission_of(node));
            let (start, end) = if timing.ran() {
                (timing.start, timing.end)
            } else {
                (Ps::ZERO, Ps::ZERO)
            };
            let life = lives.of(node);
            let taken_up = || life.first().map_or(start, |part| part.start);
            rows.push(CommandRow {
                id: timeline.node_name(node),
                label: names::node_label(timeline, node),
                line: source.line(timeline.span(node).start),
                queue: timeline.actor_name(submission.actor).to_string(),
                start,
                end,
                ran: timing.ran(),
                queued: timing.ran().then(taken_up),
                life,
                slack: stalls.and_then(|s| s.slack[index]),
                observations: seen
                    .map(|(index, o)| ObservationRow {
                        findings: self.findings_of(*index),
                        ..observation(timeline, profile, o)
                    })
                    .collect(),
            });
        }
        rows
    }

    /// The findings that explain a wrong read, each once.
    pub(super) fn findings_of(self, observation: usize) -> Vec<FindingRef> {
        let Explained {
            asked,
            by,
            legality,
        } = self.explained;
        let (timeline, source) = (self.timeline, self.source);
        let read = &self.ran.paid.observations[observation];
        let mut found: Vec<FindingRef> = by
            .causes(observation)
            .iter()
            .map(|cause| {
                let (rule, span) = match cause {
                    Cause::Conflict(index) => hazards::named(timeline, &asked.conflicts[*index]),
                    Cause::Missing(index) => {
                        bugs::named(timeline, &self.ran.ensured.missing[*index])
                    }
                    Cause::Reset(_) => fences::named_lost(timeline, read),
                };
                let line = source.line(span.start);
                FindingRef { rule, line }
            })
            .collect();
        if found.is_empty() && read.kind == ObservationKind::Undecoded {
            let name = timeline.scenario.resource_name(read.resource);
            let mistold = legality.iter().filter(|finding| {
                LAYOUTS_MISTOLD
                    .iter()
                    .any(|rule| rule.id == finding.rule.id)
                    && finding.resource.as_deref() == Some(name)
            });
            found.extend(mistold.map(|finding| FindingRef {
                rule: finding.rule.id,
                line: source.line(finding.span.start),
            }));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What each barrier's own packet takes on the critical path.
    fn note_critical(self, rows: &mut [BarrierRow]) {
        let (timeline, program) = (self.timeline, &self.ran.program);
        let Some(stalls) = self.stalls else {
            return;
        };
        let mut times: IndexMap<String, Ps> = IndexMap::new();
        for (op, _, time) in of_barriers(program, &stalls.frames) {
            let origin = program.op(op).origin;
            if let Some(entry) = origin.entry {
                let node = origin.node;
                let name = timeline.barrier_name(BarrierRef { node, entry });
                *times.entry(name).or_default() += time;
            }
        }
        for row in rows {
            row.critical = Some(times.get(&row.id).copied().unwrap_or_default());
        }
    }

    fn barriers(self) -> Vec<BarrierRow> {
        let Self {
            source,
            timeline,
            ran,
            verdicts,
            ..
        } = self;
        let profile = self.machine.profile;
        let (program, trace) = (&ran.program, &ran.paid);
        let scenario = timeline.scenario;
        let timings: std::collections::BTreeMap<BarrierRef, usize> = trace
            .barriers
            .iter()
            .enumerate()
            .map(|(index, t)| (t.barrier, index))
            .collect();
        let mut rows = Vec::with_capacity(trace.barriers.len());
        for block in &program.blocks {
            for op in &block.ops {
                let (HwOpKind::Barrier(barrier), Some(entry)) = (&op.kind, op.origin.entry) else {
                    continue;
                };
                if !matches!(
                    barrier.role,
                    BarrierRole::Whole
                        | BarrierRole::SplitBegin
                        | BarrierRole::SplitEnd
                        | BarrierRole::ByRegion
                ) {
                    continue;
                }
                let id = BarrierRef::new(op.origin.node, entry);
                let Some(text) = names::entry(timeline, id) else {
                    continue;
                };
                let submission = timeline.submission(timeline.submission_of(id.node));
                let (verdict, why) = verdicts.of(timeline, id);
                let resource = text.resource();
                let timing = timings.get(&id).map(|index| trace.barriers[*index]);
                rows.push(BarrierRow {
                    id: timeline.barrier_name(id),
                    line: source.line(text.span.start),
                    column: source.column(text.span.start),
                    queue: timeline.actor_name(submission.actor).to_string(),
                    text: names::barrier_text(scenario, text),
                    resource: resource
                        .map_or(String::new(), |id| scenario.resource_name(id).to_string()),
                    fields: FieldsRow::of(text),
                    verdict,
                    stays: verdicts.stays(timeline, id),
                    why: why.to_string(),
                    drain: timing.map_or(Ps::ZERO, |t| t.drain),
                    operation: timing.map_or(Ps::ZERO, |t| t.operation),
                    refill: timing.map_or(Ps::ZERO, |t| t.refill),
                    exposed: timing.map_or(Ps::ZERO, |t| t.exposed),
                    critical: None,
                    start: timing.map_or(Ps::ZERO, |t| t.turn),
                    end: timing.map_or(Ps::ZERO, |t| t.completed),
                    operations: operations(timeline, profile, block, barrier),
                });
            }
        }
        rows
    }
}

impl FieldsRow {
    fn of(entry: &Barrier) -> Self {
        let layouts = entry.layouts();
        Self {
            sync: [entry.sync_before, entry.sync_after].map(|sync| sync.to_string()),
            access: [entry.access_before, entry.access_after].map(|it| it.to_string()),
            layout: layouts.map_or_else(Default::default, |(before, after)| {
                [before, after].map(|layout| layout.name().to_string())
            }),
        }
    }
}

fn observation(
    timeline: &Timeline<'_>,
    profile: &Profile,
    observation: &Observation,
) -> ObservationRow {
    let who = |node: Option<NodeId>| {
        node.map_or_else(
            || "initial contents".to_string(),
            |node| timeline.node_name(node),
        )
    };
    ObservationRow {
        kind: observation.kind.word().to_string(),
        resource: timeline
            .scenario
            .resource_name(observation.resource)
            .to_string(),
        // What the CPU and the display do is no access of a pipeline: they see memory in `COMMON`.
        access: observation.access.to_string(),
        bytes: observation.bytes,
        saw: who(observation.saw),
        expected: who(observation.expected),
        from: observation.from.map_or_else(
            || "memory".to_string(),
            |cache| profile.cache(cache).name.clone(),
        ),
        at: observation.at,
        went_on: (observation.kind == ObservationKind::Late).then_some(observation.went_on),
        findings: Vec::new(),
    }
}

fn operations(
    timeline: &Timeline<'_>,
    profile: &Profile,
    block: &Block,
    barrier: &BarrierOp,
) -> Vec<OperationRow> {
    let mut rows = Vec::new();
    if !barrier.wait.is_empty() {
        rows.push(OperationRow {
            op: "wait".into(),
            target: barrier.wait.to_string(),
            why: "SyncBefore".into(),
        });
    }
    rows.extend(
        barrier
            .steps
            .of(&block.steps)
            .iter()
            .map(|step| operation(timeline, profile, step)),
    );
    rows
}

fn operation(timeline: &Timeline<'_>, profile: &Profile, step: &Step) -> OperationRow {
    let (op, target) = match &step.kind {
        StepKind::Clean { cache, .. } => ("clean".to_string(), profile.cache(*cache).name.clone()),
        StepKind::Invalidate { cache, .. } => {
            ("invalidate".to_string(), profile.cache(*cache).name.clone())
        }
        StepKind::Layout { op, resource, .. } => (
            profile.layout_op(*op).name.clone(),
            timeline.scenario.resource_name(*resource).to_string(),
        ),
        StepKind::TileLoad { cache, .. } => {
            ("load".to_string(), profile.cache(*cache).name.clone())
        }
        StepKind::TileStore { cache, .. } => {
            ("store".to_string(), profile.cache(*cache).name.clone())
        }
        StepKind::FrontEnd => ("front-end sync".to_string(), "prefetch".to_string()),
        StepKind::Driver { op, .. } => ((*op).to_string(), "queue".to_string()),
        StepKind::EngineSwitch => ("engine switch".to_string(), "queue".to_string()),
    };
    OperationRow {
        op,
        target,
        why: step.why.to_string(),
    }
}
