//! What packets do: submitted, started, held, released; fences and hazards. Times come from spans, stages from causes.

use super::order::Drafts;
use super::{BeatKind, Given, Hold, Stage};
use crate::api::Leaf;
use crate::id::{FenceId, MomentId, NodeId, OpId, SubmissionId, Table};
use crate::lookup::LookupMap;
use crate::order::Actor;
use crate::program::{BarrierRole, HwOp, HwOpKind, Program};
use crate::time::Ps;
use crate::trace::{Causes, Link, Reason, Trace, Why};

/// What has been told, by packet.
pub(super) struct Told {
    /// The stages of each packet, in order of their start.
    stages: Table<OpId, Vec<Started>>,
    /// The beats at which barriers are over.
    over: Table<OpId, Option<usize>>,
    /// The beats at which submissions are handed over.
    submitted: Table<SubmissionId, Option<usize>>,
    /// The work that each barrier waits for last, whether that had ended before the barrier came or not.
    works: Table<OpId, Option<Stage>>,
    /// What each barrier waits for last: that work, or an earlier barrier.
    drains: Table<OpId, Option<Stage>>,
    /// When fences get values: time, value, beat.
    fences: Table<FenceId, Vec<(Ps, u64, usize)>>,
}

/// A stage that started.
#[derive(Copy, Clone)]
struct Started {
    leaf: Leaf,
    start: Ps,
    end: Ps,
    beat: usize,
}

/// A packet waits: what holds it first, and what holds it last.
struct Wait {
    by: Hold,
    last: Hold,
    start: Ps,
    end: Ps,
}

impl Told {
    /// The beat at which the stage of a packet started that goes on at a time: of several, the latest.
    pub(super) fn started(&self, op: OpId, at: Ps) -> Option<usize> {
        let own = self.stages[op].iter().rev();
        own.into_iter().find(|s| s.start <= at).map(|s| s.beat)
    }

    /// The beat at which a barrier is over.
    pub(super) fn over(&self, op: OpId) -> Option<usize> {
        self.over[op]
    }

    /// When a stage ends, or a barrier.
    fn end_of(&self, stage: Stage, trace: &Trace) -> Option<Ps> {
        let Some(leaf) = stage.leaf else {
            return Some(trace.ops[stage.op].retired);
        };
        let own = self.stages[stage.op].iter();
        let own = own.filter(|s| leaf == s.leaf);
        own.map(|s| s.end).max()
    }
}

/// Tells what packets do. Barriers come first: what they hold refers to them.
pub(super) fn tell(given: Given<'_>, drafts: &mut Drafts) -> Told {
    let Given { program, trace, .. } = given;
    let ops = program.ops as usize;
    let causes = trace.causes.as_deref();
    let mut told = Told {
        stages: Table::filled(ops, Vec::new()),
        over: Table::filled(ops, None),
        submitted: Table::filled(program.blocks.len(), None),
        works: Table::filled(ops, None),
        drains: Table::filled(ops, None),
        fences: Table::filled(program.fences.len(), Vec::new()),
    };
    for (op, leaf, start, end) in causes.into_iter().flat_map(Causes::stages) {
        told.stages[op].push(Started {
            leaf,
            start,
            end,
            beat: usize::MAX,
        });
    }
    told.works = works(program, &told.stages);
    if let Some(causes) = causes {
        told.drains = drains(program, causes, &told.works);
    }
    let mut teller = Teller {
        given,
        told,
        drafts,
    };
    for (index, block) in program.blocks.iter().enumerate() {
        let submission = SubmissionId::new(index);
        teller.submitted(submission);
        for op in &block.ops {
            match op.kind {
                HwOpKind::Barrier(barrier) if is_entry(barrier.role) => teller.barrier(op),
                HwOpKind::SignalFence { fence, value } if teller.is_named(fence) => {
                    teller.signal(op, fence, value);
                }
                _ => {}
            }
        }
    }
    for (index, block) in program.blocks.iter().enumerate() {
        let submission = SubmissionId::new(index);
        for op in &block.ops {
            // What a queue does for a process is told of the process.
            if given.timeline.submission_of(op.origin.node) == submission {
                teller.packet(submission, op);
            }
        }
    }
    teller.never();
    teller.told
}

/// Whether a packet stands for a barrier entry of the text.
fn is_entry(role: BarrierRole) -> bool {
    matches!(
        role,
        BarrierRole::Whole
            | BarrierRole::SplitBegin
            | BarrierRole::SplitEnd
            | BarrierRole::ByRegion
    )
}

/// The work that each barrier waits for last: of the stages before it on its queue that its wait is for, the one that ends last,
/// and of those that end at once the last, which has what the others have written before.
fn works(program: &Program, stages: &Table<OpId, Vec<Started>>) -> Table<OpId, Option<Stage>> {
    let mut all = Table::filled(program.ops as usize, None);
    // What ends last so far, by queue and stage; the CPU has no barriers.
    let mut latest = vec![[None; Leaf::COUNT]; program.queues.len()];
    for block in &program.blocks {
        let Some(queue) = block.queue else { continue };
        let latest = &mut latest[queue.index()];
        for op in &block.ops {
            if let HwOpKind::Barrier(barrier) = op.kind {
                let ends = barrier.wait.iter().map(|leaf| (latest[leaf.index()], leaf));
                let last = ends.max_by_key(|(end, _)| *end);
                all[op.id] = last.and_then(|(end, leaf)| {
                    let (_, op) = end?;
                    let leaf = Some(leaf);
                    Some(Stage { op, leaf })
                });
            }
            for stage in &stages[op.id] {
                let end = &mut latest[stage.leaf.index()];
                *end = (*end).max(Some((stage.end, op.id)));
            }
        }
    }
    all
}

/// What each barrier waits for last: the work, or the earlier barrier, whose end let it go on.
fn drains(
    program: &Program,
    causes: &Causes,
    works: &Table<OpId, Option<Stage>>,
) -> Table<OpId, Option<Stage>> {
    let mut all = Table::filled(program.ops as usize, None);
    // The moment of a packet that each meeting of several comes down to; moments are in an order in which links point
    // backward.
    let mut of: Vec<MomentId> = Vec::with_capacity(causes.moments.len());
    for index in 0..causes.moments.len() {
        let id = MomentId::new(index);
        let moment = causes.moment(id);
        // Of what ends at once, a reader looks for the last: it has what the others have written before.
        let binds = |link: &&Link| link.why != Why::Passed && causes.end_of(link) == moment.at;
        let links = causes.links(id).iter().filter(binds);
        let binding =
            links.max_by_key(|link| (link.takes, causes.moment(of[link.from.index()]).op));
        let meant = match (moment.op, binding) {
            (None, Some(link)) => of[link.from.index()],
            _ => id,
        };
        of.push(meant);
        let Some((op, link)) = moment.op.zip(binding) else {
            continue;
        };
        match link.why {
            Why::Drain => all[op] = works[op],
            Why::EarlierBarrier => {
                let other = causes.moment(of[link.from.index()]).op;
                all[op] = other.map(|op| Stage { op, leaf: None });
            }
            _ => {}
        }
    }
    all
}

struct Teller<'a, 'd> {
    given: Given<'a>,
    told: Told,
    drafts: &'d mut Drafts,
}

impl Teller<'_, '_> {
    fn ran(&self, op: &HwOp) -> bool {
        let trace = self.given.trace;
        trace.ops[op.id] != crate::trace::OpLife::default() || trace.command(op.origin.node).ran()
    }

    /// Whether the text declares a fence: the machine has more, for what processes wait for.
    fn is_named(&self, fence: FenceId) -> bool {
        fence.index() < self.given.timeline.scenario.fences.len()
    }

    fn submitted(&mut self, submission: SubmissionId) {
        let given = self.given;
        let at = given.trace.submitted.get(submission).copied();
        let Some(at) = at.filter(|at| *at != Ps::MAX) else {
            return;
        };
        let own = given.timeline.submission(submission);
        if own.actor == Actor::Cpu {
            return;
        }
        let kind = BeatKind::Submitted(submission);
        let beat = self.drafts.add(at, kind, (None, own.first_node), []);
        self.told.submitted[submission] = Some(beat);
    }

    /// The beat of the submission that a packet is of.
    fn before(&self, op: &HwOp) -> Option<usize> {
        let timeline = self.given.timeline;
        self.told.submitted[timeline.submission_of(op.origin.node)]
    }

    fn signal(&mut self, op: &HwOp, fence: FenceId, value: u64) {
        if !self.ran(op) {
            return;
        }
        let at = self.given.trace.ops[op.id].retired;
        let before = self.before(op);
        let kind = BeatKind::Fence { fence, value };
        let whose = (Some(op.id), op.origin.node);
        let beat = self.drafts.add(at, kind, whose, before);
        self.told.fences[fence].push((at, value, beat));
    }

    /// A barrier entry: it waits for work, and is over.
    fn barrier(&mut self, op: &HwOp) {
        let trace = self.given.trace;
        if !self.ran(op) {
            return;
        }
        let whose = (Some(op.id), op.origin.node);
        let mut before = self.before(op);
        let mut by = None;
        let mut waited = Ps::ZERO;
        let HwOpKind::Barrier(barrier) = op.kind else {
            return;
        };
        // Entries of one call wait for each other: only the second half of a split barrier is told to wait for the first.
        let is_half = barrier.role == BarrierRole::SplitEnd;
        let last = if is_half {
            &self.told.drains
        } else {
            &self.told.works
        };
        // The work may be over before the earlier barriers are that the entry waits for as well.
        let last = last[op.id].and_then(|stage| Some((stage, self.told.end_of(stage, trace)?)));
        for (start, span) in trace.spans(op.id) {
            let is_wait = matches!(span.reason, Reason::Drain | Reason::WaitEarlierBarrier);
            let Some((stage, end)) = last.filter(|(_, end)| is_wait && *end > start) else {
                continue;
            };
            waited += span.end.min(end) - start;
            if by.is_none() {
                by = Some(Hold::Work(stage));
                let kind = BeatKind::Held {
                    by: Hold::Work(stage),
                    stage: None,
                };
                before = Some(self.drafts.add(start, kind, whose, before));
            }
        }
        let kind = BeatKind::Released { by, waited };
        let at = trace.ops[op.id].retired;
        let over = self.drafts.add(at, kind, whose, before);
        self.told.over[op.id] = Some(over);
    }

    /// What a packet of work, a wait, the CPU or the display does.
    fn packet(&mut self, submission: SubmissionId, op: &HwOp) {
        let is_barrier = matches!(op.kind, HwOpKind::Barrier(_));
        if is_barrier || matches!(op.kind, HwOpKind::SignalFence { .. }) || !self.ran(op) {
            return;
        }
        let mut last = self.told.submitted[submission];
        let mut events = self.waits(op);
        let is_client = matches!(op.kind, HwOpKind::Client(_) | HwOpKind::Reset { .. });
        for at in 0..self.told.stages[op.id].len() {
            let stage = self.told.stages[op.id][at];
            events.push((stage.start, 1, BeatKind::Starts(Some(stage.leaf))));
        }
        if is_client {
            let spans = self.given.trace.spans(op.id);
            let mut work = spans.filter(|(_, span)| span.reason == Reason::Client);
            let life = self.given.trace.ops[op.id];
            let start = work.next().map_or(life.retired, |(start, _)| start);
            events.push((start, 1, BeatKind::Starts(None)));
        }
        // Stable: stages that start at once are in the order of the pipeline.
        events.sort_by_key(|(at, order, _)| (*at, *order));
        let mut stages = 0;
        for (at, _, kind) in events {
            let causes = self.causes_of(&kind, at);
            let is_stage = matches!(kind, BeatKind::Starts(Some(_)));
            let whose = (Some(op.id), op.origin.node);
            let beat = self
                .drafts
                .add(at, kind, whose, last.into_iter().chain(causes));
            if is_stage {
                self.told.stages[op.id][stages].beat = beat;
                stages += 1;
            }
            last = Some(beat);
        }
    }

    /// When a packet is held, and when it goes on: time, place among what happens at once, beat.
    fn waits(&self, op: &HwOp) -> Vec<(Ps, u8, BeatKind)> {
        let stages = &self.told.stages[op.id];
        let first = stages.first().map(|stage| stage.start);
        let mut all = Vec::new();
        for Wait {
            by,
            mut last,
            start,
            mut end,
        } in self.held(op)
        {
            if let Hold::Fence(fence, value) = by {
                // The queue goes on when the wait is over: some time after the fence has reached the value.
                let is_reached = self.reached((fence, value), end).is_some();
                last = if is_reached { last } else { Hold::Reset };
                end = self.given.trace.ops[op.id].retired.max(end);
            }
            // Of a command that has begun, the stage that is held is the one that starts next.
            let has_begun = first.is_some_and(|first| first < start);
            let mut later = stages.iter().filter(|stage| stage.start >= end);
            let stage = later.next().filter(|_| has_begun);
            let stage = stage.map(|stage| stage.leaf);
            all.push((start, 2, BeatKind::Held { by, stage }));
            let (by, waited) = (Some(last), end - start);
            all.push((end, 0, BeatKind::Released { by, waited }));
        }
        all
    }

    /// The waits of a packet. The front end may be many barriers ahead: what one holds after the other is one wait.
    fn held(&self, op: &HwOp) -> Vec<Wait> {
        let mut all: Vec<Wait> = Vec::new();
        let mut is_near = false;
        for (start, span) in self.given.trace.spans(op.id) {
            let Some(by) = self.hold(op, span.reason, start) else {
                is_near &= matches!(span.reason, Reason::FrontEnd | Reason::Latency);
                continue;
            };
            let is_barrier = |hold| matches!(hold, Hold::Barrier(..));
            match all.last_mut() {
                Some(wait) if is_near && is_barrier(wait.last) && is_barrier(by) => {
                    (wait.last, wait.end) = (by, span.end);
                }
                _ => all.push(Wait {
                    by,
                    last: by,
                    start,
                    end: span.end,
                }),
            }
            is_near = true;
        }
        all
    }

    /// What holds a packet, if anything that is worth a beat: the start of a scope that waits for nothing is part of the
    /// launch.
    fn hold(&self, op: &HwOp, reason: Reason, start: Ps) -> Option<Hold> {
        match reason {
            Reason::WaitBarrier(by) => {
                let trace = self.given.trace;
                let HwOpKind::Barrier(barrier) = self.given.program.op(by).kind else {
                    return None;
                };
                let waits = |reason| matches!(reason, Reason::Drain | Reason::WaitEarlierBarrier);
                let is_quiet = matches!(
                    barrier.role,
                    BarrierRole::ScopeBegin | BarrierRole::PassBegin
                ) && !trace.spans(by).any(|(_, span)| waits(span.reason));
                let goes_on = |stage: &Stage| {
                    let end = self.told.end_of(*stage, trace);
                    end.is_none_or(|end| end > start)
                };
                let until = self.told.drains[by].filter(goes_on);
                (!is_quiet).then_some(Hold::Barrier(by, until))
            }
            Reason::WaitFence(fence) => match op.kind {
                HwOpKind::WaitFence { value, .. } if self.is_named(fence) => {
                    Some(Hold::Fence(fence, value))
                }
                _ => None,
            },
            Reason::WaitIdle => Some(Hold::Idle),
            Reason::WaitSlot => Some(Hold::Slot),
            _ => None,
        }
    }

    /// Beats of others that a beat follows from.
    fn causes_of(&self, kind: &BeatKind, at: Ps) -> Option<usize> {
        match kind {
            BeatKind::Released {
                by: Some(Hold::Barrier(by, _)),
                ..
            } => self.told.over[*by],
            BeatKind::Released {
                by: Some(Hold::Fence(fence, value)),
                ..
            } => self.reached((*fence, *value), at),
            _ => None,
        }
    }

    /// The beat at which a fence reached a value, up to a time: the latest.
    fn reached(&self, (fence, value): (FenceId, u64), until: Ps) -> Option<usize> {
        let known = self.told.fences[fence].iter();
        let known = known.filter(|(since, v, _)| *since <= until && *v >= value);
        known.max_by_key(|(since, ..)| *since).map(|it| it.2)
    }

    /// Waits that never end, and what comes after them.
    fn never(&mut self) {
        let Given { trace, program, .. } = self.given;
        for (index, stuck) in trace.stuck.iter().enumerate() {
            let kind = BeatKind::NeverEnds(index);
            let submission = self.given.timeline.submission_of(stuck.node);
            let before = self.told.submitted[submission];
            self.drafts
                .add(stuck.since, kind, (None, stuck.node), before);
        }
        let mut last = None;
        for (_, op) in program.ops() {
            let is_inner = match op.kind {
                HwOpKind::Barrier(barrier) => !is_entry(barrier.role),
                _ => false,
            };
            let node = op.origin.node;
            let is_stuck = trace.stuck.iter().any(|stuck| stuck.node == node);
            if self.ran(op) || is_inner || is_stuck || last == Some(node) {
                continue;
            }
            last = Some(node);
            let whose = (Some(op.id), node);
            let before = self.before(op);
            self.drafts
                .add(trace.makespan, BeatKind::NeverStarts, whose, before);
        }
    }
}

/// Every hazard of the report, when both of its uses have begun; what never ran, at the end of the run.
pub(super) fn hazards(given: Given<'_>, drafts: &mut Drafts) {
    let findings = given.findings.iter().enumerate();
    let hazards: Vec<_> = findings
        .filter_map(|(at, finding)| Some((at, finding.hazard.as_deref()?)))
        .collect();
    if hazards.is_empty() {
        return;
    }
    let timeline = given.timeline;
    let mut names: LookupMap<String, NodeId> = LookupMap::default();
    for index in 0..timeline.node_count() {
        let node = NodeId::new(index);
        names.insert(timeline.node_name(node), node);
    }
    let by_node = drafts.by_node();
    for (finding, hazard) in hazards {
        let met = given.met.binary_search_by_key(&finding, |(at, _)| *at);
        let met = met.ok().map(|at| given.met[at].1);
        let at = met.unwrap_or(given.trace.makespan);
        let node = |command: &str| {
            let call = command.rsplit_once('.').map_or(command, |(call, entry)| {
                // A name may have a dot as well: an entry is a number.
                let is_entry = entry.bytes().all(|b| b.is_ascii_digit());
                if is_entry { call } else { command }
            });
            names.get(call).copied()
        };
        let sides = [&hazard.first.command, &hazard.second.command];
        let [first, second] = sides.map(|command| node(command));
        let latest = |node: Option<NodeId>| {
            let own = by_node.get(&node?)?;
            let last = own.partition_point(|draft| drafts.at(*draft) <= at);
            last.checked_sub(1).map(|last| own[last])
        };
        let causes: Vec<usize> = [first, second].into_iter().filter_map(latest).collect();
        let node = second.or(first);
        debug_assert!(
            node.is_some(),
            "a hazard is between commands of the timeline"
        );
        let node = node.unwrap_or_default();
        let op = None;
        let met = met.is_some();
        drafts.add(at, BeatKind::Hazard { finding, met }, (op, node), causes);
    }
}
