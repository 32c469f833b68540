//! Rows about where the time went: critical paths, totals by what was done, use of queues, stages and pools.

use crate::analyze::names;
use crate::analyze::stalls::{self, Frame, Segment, Stalls, permille};
use crate::finding::{Source, Span};
use crate::hardware::Profile;
use crate::id::{BarrierRef, NodeId, OpId, SubmissionId};
use crate::order::Timeline;
use crate::program::{BarrierRole, HwOpKind, Pool, Program};
use crate::schema;
use crate::time::Ps;
use crate::trace::{Reason, Trace, Why};
use indexmap::IndexMap;
use serde::Serialize;

/// The time between two presents, or to the end of the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Frame"))]
#[non_exhaustive]
pub struct FrameRow {
    /// When the frame starts.
    #[serde(rename = "start_ps")]
    pub start: Ps,
    /// When the frame ends.
    #[serde(rename = "end_ps")]
    pub end: Ps,
    /// Id of the present that ended it; null for the end of the run.
    #[serde(serialize_with = "schema::null_if_empty")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub present: String,
    /// Its critical path: segments that tile it, in order of time.
    #[serde(skip)]
    pub path: Vec<SegmentRow>,
}

/// Part of a critical path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Segment"))]
#[non_exhaustive]
pub struct SegmentRow {
    /// When the segment starts.
    #[serde(rename = "start_ps")]
    pub start: Ps,
    /// When the segment ends.
    #[serde(rename = "end_ps")]
    pub end: Ps,
    /// Id of the command, submission or barrier entry; the queue for a submission without commands.
    pub command: String,
    /// Label, statement word or text of the barrier.
    pub label: String,
    /// Line of its text.
    pub line: u32,
    /// Queue, or `cpu`.
    pub queue: String,
    /// What was done: `launch`, `latency`, `work`, `wait`, `clean`, `invalidate`, `layout`, `front-end sync`,
    /// `engine switch`, `resume`, `signal` or `client`.
    pub did: &'static str,
    /// Stage, cache or resource; null if there is none.
    #[serde(serialize_with = "schema::null_if_empty")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub target: String,
    /// Why it did not start earlier: `front end in order`, `submission`, `slot`, `idle`, `fence`, `start of scope`,
    /// `barrier`, `drain`, `earlier barrier` or `raster order`; null where the packet just went on.
    #[serde(serialize_with = "schema::null_if_empty")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub because: &'static str,
    /// Id of what it had waited for; null where the packet just went on.
    #[serde(serialize_with = "schema::null_if_empty")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub after: String,
    /// Part of the time that fetched what a barrier had dropped.
    #[serde(rename = "refill_ps")]
    pub refill: Ps,
    /// Part of the time that was lost because other work shared the pool.
    #[serde(rename = "shared_ps")]
    pub shared: Ps,
    /// Ids of the commands whose work that was; its own id means its other stages.
    pub shared_with: Vec<String>,
}

/// Time on the critical paths by what was done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Cause"))]
#[non_exhaustive]
pub struct CauseRow {
    /// As in `critical_path[].did`; `shared` and `refill` are no part of `work` here.
    pub did: &'static str,
    /// Time on the critical paths.
    #[serde(rename = "time_ps")]
    pub time: Ps,
    /// Share of the makespan in thousandths, rounded down.
    pub permille: u32,
}

/// How busy everything was. Shares are thousandths of the makespan, rounded down.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Utilisation {
    /// Queues in order of declaration.
    pub queues: Vec<QueueRow>,
    /// What queues share, if it had work.
    pub pools: Vec<PoolRow>,
}

/// How busy a queue was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "QueueUse"))]
#[non_exhaustive]
pub struct QueueRow {
    /// Name of the queue.
    pub queue: String,
    /// Time in which work of it ran.
    #[serde(rename = "busy_ps")]
    pub busy: Ps,
    /// `busy_ps` in thousandths of the makespan, rounded down.
    pub permille: u32,
    /// Time in which none ran, and a barrier waited or operated.
    #[serde(rename = "barrier_ps")]
    pub barrier: Ps,
    /// Time in which none ran, and it waited for a fence.
    #[serde(rename = "fence_ps")]
    pub fence: Ps,
    /// Time in which none ran, and it was submitted to, launched, began or ended a scope.
    #[serde(rename = "submit_ps")]
    pub submit: Ps,
    /// Stages that had work.
    pub stages: Vec<StageRow>,
}

/// How busy a stage was: from the start to the end of its work, waits in between included.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StageUse"))]
#[non_exhaustive]
pub struct StageRow {
    /// Leaf stage.
    pub stage: &'static str,
    /// Time in which it had work.
    #[serde(rename = "busy_ps")]
    pub busy: Ps,
    /// `busy_ps` in thousandths of the makespan, rounded down.
    pub permille: u32,
}

/// How busy a shared pool was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PoolUse"))]
#[non_exhaustive]
pub struct PoolRow {
    /// Name of the pool.
    pub pool: &'static str,
    /// Time in which it had work.
    #[serde(rename = "busy_ps")]
    pub busy: Ps,
    /// `busy_ps` in thousandths of the makespan, rounded down.
    pub permille: u32,
    /// Time in which it was asked for more than it has, so that all its work was slowed.
    #[serde(rename = "crowded_ps")]
    pub crowded: Ps,
}

/// Names packets.
#[derive(Copy, Clone)]
pub(super) struct Namer<'t, 's> {
    pub(super) source: &'t Source,
    pub(super) timeline: &'t Timeline<'s>,
    pub(super) profile: &'t Profile,
    pub(super) program: &'t Program,
}

/// Critical paths by the names that reports print.
pub(super) fn frames(
    source: &Source,
    timeline: &Timeline<'_>,
    profile: &Profile,
    program: &Program,
    found: &Stalls,
) -> Vec<FrameRow> {
    let namer = Namer {
        source,
        timeline,
        profile,
        program,
    };
    let frame = |frame: &Frame| FrameRow {
        start: frame.start,
        end: frame.end,
        present: frame
            .present
            .map_or_else(String::new, |node| timeline.node_name(node)),
        path: frame.path.iter().map(|s| namer.segment(s)).collect(),
    };
    found.frames.iter().map(frame).collect()
}

/// Totals of critical paths, the longest first.
pub(super) fn causes(frames: &[Frame], makespan: Ps) -> Vec<CauseRow> {
    let mut totals: IndexMap<&'static str, Ps> = IndexMap::new();
    for segment in frames.iter().flat_map(|frame| &frame.path) {
        let whole = segment.end - segment.start;
        let own = (whole - segment.shared).saturating_sub(segment.refill);
        let parts = [
            (word(segment.did), own),
            ("shared", segment.shared),
            ("refill", segment.refill),
        ];
        for (did, time) in parts.into_iter().filter(|(_, time)| *time > Ps::ZERO) {
            *totals.entry(did).or_default() += time;
        }
    }
    let row = |(did, time)| CauseRow {
        did,
        time,
        permille: permille(time, makespan),
    };
    let mut rows: Vec<CauseRow> = totals.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.time));
    rows
}

/// How busy everything was, by name.
pub(super) fn utilisation(timeline: &Timeline<'_>, trace: &Trace) -> Utilisation {
    let share = |busy| permille(busy, trace.makespan);
    let names = timeline.scenario.queues.keys();
    let queues = names
        .zip(stalls::queues(trace))
        .map(|(name, used)| QueueRow {
            queue: name.to_owned(),
            busy: used.work,
            permille: share(used.work),
            barrier: used.barrier,
            fence: used.fence,
            submit: used.submit,
            stages: used
                .stages
                .iter()
                .map(|&(leaf, busy)| StageRow {
                    stage: leaf.name(),
                    busy,
                    permille: share(busy),
                })
                .collect(),
        });
    let pools = Pool::ALL.iter().zip(&trace.pools);
    let pools = pools.filter(|(_, used)| used.busy > Ps::ZERO);
    let pools = pools.map(|(pool, used)| PoolRow {
        pool: pool_name(*pool),
        busy: used.busy,
        permille: share(used.busy),
        crowded: used.crowded,
    });
    Utilisation {
        queues: queues.collect(),
        pools: pools.collect(),
    }
}

fn pool_name(pool: Pool) -> &'static str {
    match pool {
        Pool::Fixed => "nothing shared",
        Pool::Shader => "shader cores",
        Pool::RenderBackEnd => "render back-ends",
        Pool::Memory => "memory bandwidth",
        Pool::Video => "video engines",
    }
}

impl Namer<'_, '_> {
    fn segment(&self, segment: &Segment) -> SegmentRow {
        let submission = self.timeline.submission(self.submission(segment.op));
        let (label, span) = self.label(segment.op);
        let name = |node: &NodeId| self.timeline.node_name(*node);
        SegmentRow {
            start: segment.start,
            end: segment.end,
            command: self.id(segment.op),
            label,
            line: self.source.line(span.start),
            queue: self.timeline.actor_name(submission.actor).to_string(),
            did: word(segment.did),
            target: self.target(segment.did),
            because: segment.after.map_or("", |(why, op)| self.why(why, op)),
            after: segment
                .after
                .map_or_else(String::new, |(_, op)| self.id(op)),
            refill: segment.refill,
            shared: segment.shared,
            shared_with: segment.shared_with.iter().map(name).collect(),
        }
    }

    /// The submission of a packet: the index of its block.
    fn submission(&self, op: OpId) -> SubmissionId {
        let blocks = &self.program.blocks;
        SubmissionId::new(blocks.partition_point(|block| block.first_op <= op) - 1)
    }

    /// How the end of a packet bears on what waited for it.
    pub(super) fn why(&self, why: Why, op: OpId) -> &'static str {
        let begins_scope = match &self.program.op(op).kind {
            HwOpKind::Barrier(barrier) => barrier.role == BarrierRole::ScopeBegin,
            _ => false,
        };
        match why {
            Why::Hold | Why::EarlierBarrier if begins_scope => "start of scope",
            _ => why.words(),
        }
    }

    /// The id of what a packet was made from; a submission without nodes has that of its queue.
    pub(super) fn id(&self, op: OpId) -> String {
        let origin = self.program.op(op).origin;
        let submission = self.timeline.submission(self.submission(op));
        match origin.entry {
            Some(entry) => self
                .timeline
                .barrier_name(BarrierRef::new(origin.node, entry)),
            None if submission.nodes == 0 => self.timeline.actor_name(submission.actor).to_string(),
            None => self.timeline.node_name(origin.node),
        }
    }

    /// What a packet is, and the place of its text.
    pub(super) fn label(&self, op: OpId) -> (String, Span) {
        let span = self.span(op);
        let is_switch = self.program.switches_engine(op);
        let op = self.program.op(op);
        let node = op.origin.node;
        let own = || names::node_label(self.timeline, node);
        let HwOpKind::Barrier(barrier) = &op.kind else {
            return (own(), span);
        };
        let entry = |entry| names::entry(self.timeline, BarrierRef { node, entry });
        let label = match (barrier.role, op.origin.entry.and_then(entry)) {
            (BarrierRole::ScopeBegin, _) => "scope begins".to_owned(),
            (BarrierRole::ScopeEnd, _) => "scope ends".to_owned(),
            (BarrierRole::Synchronous, _) if is_switch => {
                format!("switch of engines before {}", own())
            }
            (BarrierRole::Synchronous, _) => format!("{} has finished", own()),
            (BarrierRole::Unasked, _) => format!("a packet before {}", own()),
            (_, Some(text)) => {
                let what = names::barrier_text(self.timeline.scenario, text);
                format!("barrier {what}")
            }
            (BarrierRole::Present, _) | (_, None) => own(),
        };
        (label, span)
    }

    /// The place of a packet's text: its entry, its command, or for the start and the end of a scope the submission.
    pub(super) fn span(&self, op: OpId) -> Span {
        let submission = self.timeline.submission(self.submission(op));
        let op = self.program.op(op);
        let node = op.origin.node;
        let own = self.timeline.span(node);
        match &op.kind {
            HwOpKind::Barrier(barrier) => match (barrier.role, op.origin.entry) {
                (BarrierRole::ScopeBegin | BarrierRole::ScopeEnd, _) => submission.statement.span,
                (BarrierRole::Synchronous, _) | (_, None) => own,
                (_, Some(entry)) => names::entry(self.timeline, BarrierRef { node, entry })
                    .map_or(own, |text| text.span),
            },
            _ => own,
        }
    }

    /// Stage, cache or resource.
    pub(super) fn target(&self, did: Reason) -> String {
        match did {
            Reason::Work(leaf) => leaf.name().to_owned(),
            Reason::Clean(cache) | Reason::Invalidate(cache) => {
                self.profile.cache(cache).name.clone()
            }
            Reason::Layout(resource) => self.timeline.scenario.resource_name(resource).to_owned(),
            _ => String::new(),
        }
    }
}

/// The word for what a packet did with some of its time.
pub(super) fn word(did: Reason) -> &'static str {
    match did {
        Reason::FrontEnd => "launch",
        Reason::Work(_) => "work",
        Reason::Latency => "latency",
        Reason::WaitCost => "wait",
        Reason::Clean(_) => "clean",
        Reason::Invalidate(_) => "invalidate",
        Reason::Layout(_) => "layout",
        Reason::TileLoad(_) => "tile load",
        Reason::TileStore(_) => "tile store",
        Reason::FrontEndSync => "front-end sync",
        Reason::EngineSwitch => "engine switch",
        Reason::Resume => "resume",
        Reason::Client => "client",
        Reason::Signal => "signal",
        // A critical path has none of these: a wait ends with what it waited for, which is on the path itself.
        Reason::WaitSlot => "waits: too much in flight",
        Reason::WaitBarrier(_) => "held by barrier",
        Reason::WaitFence(_) => "waits for fence",
        Reason::WaitIdle => "waits for idle queue",
        Reason::WaitEarlierBarrier => "waits for earlier barrier",
        Reason::Drain => "drain",
    }
}
