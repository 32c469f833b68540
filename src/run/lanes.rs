//! Each queue as a drawing has it: its commands with their lives, its barriers, and what it did when nothing ran.

use super::life::Lives;
use super::{Lane, Segment, SegmentKind, StuckRow};
use crate::analyze::names;
use crate::id::{NodeId, QueueId, Table};
use crate::order::{Actor, Submission, SubmissionKind, Timeline};
use crate::time::Ps;
use crate::trace::{LaneKind, Trace};
use std::sync::Arc;

/// The queues of a run, in order of declaration, and the CPU if anything that it does takes time.
pub(super) fn lanes(timeline: &Timeline<'_>, trace: &Trace, lives: &Lives) -> Vec<Lane> {
    let mut segments: Table<QueueId, Vec<Segment>> = Table::filled(trace.lanes.len(), Vec::new());
    let mut push = |node: NodeId, segment: Segment| {
        let actor = timeline.submission(timeline.submission_of(node)).actor;
        if let Actor::Queue(queue) = actor {
            segments[queue].push(segment);
        }
    };
    for (index, timing) in trace.commands.iter().enumerate() {
        let node = NodeId::new(index);
        if timing.ran() && timeline.command(node).is_some_and(names::is_work) {
            let life = lives.of(node);
            let start = life.first().map_or(timing.start, |row| row.start);
            let whole = segment(timeline, node, SegmentKind::Work, (start, timing.end));
            push(node, Segment { life, ..whole });
        }
    }
    for timing in &trace.barriers {
        let node = timing.barrier.node;
        let times = (timing.turn, timing.completed);
        let barrier = Segment {
            id: timeline.barrier_name(timing.barrier),
            drained: timing.drained,
            ..segment(timeline, node, SegmentKind::Barrier, times)
        };
        push(node, barrier);
    }
    let queues = timeline
        .scenario
        .queues
        .keys()
        .zip(&trace.lanes)
        .zip(segments);
    let lane = |((name, states), mut segments): ((&String, &Vec<_>), Vec<Segment>)| {
        segments.extend(
            states
                .iter()
                .filter_map(|state: &crate::trace::LaneSegment| {
                    let kind = match state.kind {
                        // What is no command of a list is only in the machine's own rows.
                        LaneKind::Work if timeline.command(state.node).is_none() => {
                            SegmentKind::Work
                        }
                        LaneKind::Work | LaneKind::Barrier => return None,
                        LaneKind::Fence => SegmentKind::Fence,
                        LaneKind::Submit => SegmentKind::Submit,
                    };
                    Some(segment(
                        timeline,
                        state.node,
                        kind,
                        (state.start, state.end),
                    ))
                }),
        );
        // Stable: of what begins at once, the first in the text is drawn first.
        segments.sort_by_key(|segment| segment.start);
        Lane {
            name: name.clone(),
            segments,
        }
    };
    let mut lanes: Vec<Lane> = queues.map(lane).collect();
    let segments = cpu(timeline, trace);
    if !segments.is_empty() {
        let name = timeline.actor_name(Actor::Cpu).to_owned();
        lanes.push(Lane { name, segments });
    }
    lanes
}

/// What the CPU does that takes time: its accesses and its work, and its waits.
fn cpu(timeline: &Timeline<'_>, trace: &Trace) -> Vec<Segment> {
    let own = timeline.submissions.iter();
    let own = own.filter(|submission| submission.actor == Actor::Cpu);
    let took_time = |submission: Submission<'_>| {
        let kind = match submission.kind {
            SubmissionKind::CpuWork
            | SubmissionKind::CpuWrite { .. }
            | SubmissionKind::CpuRead { .. } => SegmentKind::Work,
            SubmissionKind::Wait { .. } => SegmentKind::Fence,
            _ => return None,
        };
        let timing = trace.command(submission.first_node);
        let takes_time = timing.ran() && timing.start < timing.end;
        let times = (timing.start, timing.end);
        takes_time.then(|| segment(timeline, submission.first_node, kind, times))
    };
    let mut segments: Vec<Segment> = own.filter_map(took_time).collect();
    segments.sort_by_key(|segment| segment.start);
    segments
}

/// Waits that never end, each open to the end of the drawing. A wait of the CPU has a lane of its own.
pub(super) fn open(lanes: &mut Vec<Lane>, stuck: &[StuckRow], until: Ps) {
    for row in stuck {
        if row.track == lanes.len() {
            lanes.push(Lane {
                name: row.queue.clone(),
                segments: Vec::new(),
            });
        }
        let segments = &mut lanes[row.track].segments;
        segments.retain(|s| s.kind != SegmentKind::Fence || s.start < row.since);
        let at = segments.partition_point(|s| s.start <= row.since);
        let wait = Segment {
            start: row.since,
            end: until,
            kind: SegmentKind::Never,
            label: row.says.clone(),
            id: row.id.clone(),
            life: Arc::new([]),
            drained: row.since,
        };
        segments.insert(at, wait);
    }
}

fn segment(
    timeline: &Timeline<'_>,
    node: NodeId,
    kind: SegmentKind,
    (start, end): (Ps, Ps),
) -> Segment {
    Segment {
        start,
        end,
        kind,
        // So that it fits a narrow block.
        label: names::quoted(&names::node_label(timeline, node)).to_owned(),
        id: timeline.node_name(node),
        life: Arc::new([]),
        drained: start,
    }
}
