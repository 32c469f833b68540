//! Where the time went, as values.

use crate::run::{CauseRow, FrameRow, QueueRow, Report, SegmentRow, UseRow};
use serde::{Serialize, Serializer};

/// Segments of all frames, made one at a time.
pub(in crate::report) struct CriticalPath<'a>(pub(super) &'a [FrameRow]);

impl Serialize for CriticalPath<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let frames = self.0.iter().enumerate();
        let segments = frames.flat_map(|(frame, row)| row.path.iter().map(move |s| (frame, s)));
        serializer.collect_seq(segments.map(|(frame, s)| SegmentJson::new(frame, s)))
    }
}

/// Part of a critical path. Segments are in order of time; each starts where the one before it ends.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Segment"))]
pub(in crate::report) struct SegmentJson<'a> {
    /// Index in `frames`.
    frame: usize,
    /// When the segment starts.
    start_ps: u64,
    /// When the segment ends.
    end_ps: u64,
    /// Id of the command, submission or barrier entry; the queue for a submission without commands.
    command: &'a str,
    /// Label, statement word or text of the barrier.
    label: &'a str,
    /// Line of its text.
    line: u32,
    /// Queue, or `cpu`.
    queue: &'a str,
    /// What was done: `launch`, `latency`, `work`, `wait`, `clean`, `invalidate`, `layout`, `front-end sync`,
    /// `engine switch`, `resume`, `signal` or `client`.
    did: &'a str,
    /// Stage, cache or resource; null if there is none.
    target: Option<&'a str>,
    /// Why it did not start earlier: `front end in order`, `submission`, `slot`, `idle`, `fence`, `start of scope`,
    /// `barrier`, `drain`, `earlier barrier` or `raster order`; null where the packet just went on.
    because: Option<&'a str>,
    /// Id of what it had waited for; null where the packet just went on.
    after: Option<&'a str>,
    /// Part of the time that fetched what a barrier had dropped.
    refill_ps: u64,
    /// Part of the time that was lost because other work shared the pool.
    shared_ps: u64,
    /// Ids of the commands whose work that was; its own id means its other stages.
    shared_with: &'a [String],
}

impl<'a> SegmentJson<'a> {
    pub(in crate::report) fn new(frame: usize, row: &'a SegmentRow) -> Self {
        let some = |text: &'a str| Some(text).filter(|t| !t.is_empty());
        Self {
            frame,
            start_ps: row.start.0,
            end_ps: row.end.0,
            command: &row.command,
            label: &row.label,
            line: row.line,
            queue: &row.queue,
            did: row.did,
            target: some(&row.target),
            because: some(row.because),
            after: some(&row.after),
            refill_ps: row.refill.0,
            shared_ps: row.shared.0,
            shared_with: &row.shared_with,
        }
    }
}

/// The time between two presents, or to the end of the run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Frame"))]
pub(in crate::report) struct FrameJson<'a> {
    /// When the frame starts.
    start_ps: u64,
    /// When the frame ends.
    end_ps: u64,
    /// Id of the present that ended it; null for the end of the run.
    present: Option<&'a str>,
}

/// Time on the critical paths by what was done.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Cause"))]
pub(in crate::report) struct CauseJson<'a> {
    /// As in `critical_path[].did`; `shared` and `refill` are no part of `work` here.
    did: &'a str,
    /// Time on the critical paths.
    time_ps: u64,
    /// Share of the makespan in thousandths, rounded down.
    permille: u32,
}

pub(in crate::report) fn frames(report: &Report) -> Vec<FrameJson<'_>> {
    let frame = |row: &FrameRow| (row.start.0, row.end.0);
    let rows = report.frames.iter();
    rows.map(|row| {
        let (start_ps, end_ps) = frame(row);
        FrameJson {
            start_ps,
            end_ps,
            present: Some(row.present.as_str()).filter(|p| !p.is_empty()),
        }
    })
    .collect()
}

pub(in crate::report) fn causes(report: &Report) -> Vec<CauseJson<'_>> {
    let rows = report.causes.iter().flatten();
    let one = |row: &CauseRow| CauseJson {
        did: row.did,
        time_ps: row.time.0,
        permille: row.permille,
    };
    rows.map(one).collect()
}

/// How busy everything was. Shares are thousandths of the makespan, rounded down.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Utilisation"))]
pub(in crate::report) struct UtilisationJson<'a> {
    /// Queues in order of declaration.
    queues: Vec<QueueJson<'a>>,
    /// What queues share, if it had work.
    pools: Vec<PoolJson<'a>>,
}

/// How busy a queue was.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "QueueUse"))]
struct QueueJson<'a> {
    /// Name of the queue.
    queue: &'a str,
    /// Time in which work of it ran.
    busy_ps: u64,
    /// `busy_ps` in thousandths of the makespan, rounded down.
    permille: u32,
    /// Time in which none ran, and a barrier waited or operated.
    barrier_ps: u64,
    /// Time in which none ran, and it waited for a fence.
    fence_ps: u64,
    /// Time in which none ran, and it was submitted to, launched, began or ended a scope.
    submit_ps: u64,
    /// Stages that had work.
    stages: Vec<StageJson<'a>>,
}

/// How busy a stage was: from the start to the end of its work, waits in between included.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "StageUse"))]
struct StageJson<'a> {
    /// Leaf stage.
    stage: &'a str,
    /// Time in which it had work.
    busy_ps: u64,
    /// `busy_ps` in thousandths of the makespan, rounded down.
    permille: u32,
}

/// How busy a shared pool was.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "PoolUse"))]
struct PoolJson<'a> {
    /// Name of the pool.
    pool: &'a str,
    /// Time in which it had work.
    busy_ps: u64,
    /// `busy_ps` in thousandths of the makespan, rounded down.
    permille: u32,
    /// Time in which it was asked for more than it has, so that all its work was slowed.
    crowded_ps: u64,
}

impl<'a> UtilisationJson<'a> {
    pub(in crate::report) fn new(report: &'a Report) -> Self {
        let stage = |row: &'a UseRow| StageJson {
            stage: &row.name,
            busy_ps: row.busy.0,
            permille: row.permille,
        };
        let queue = |row: &'a QueueRow| QueueJson {
            queue: &row.own.name,
            busy_ps: row.own.busy.0,
            permille: row.own.permille,
            barrier_ps: row.barrier.0,
            fence_ps: row.fence.0,
            submit_ps: row.submit.0,
            stages: row.stages.iter().map(stage).collect(),
        };
        let pools = report.utilisation.pools.iter();
        Self {
            queues: report.utilisation.queues.iter().map(queue).collect(),
            pools: pools
                .map(|(row, crowded)| PoolJson {
                    pool: &row.name,
                    busy_ps: row.busy.0,
                    permille: row.permille,
                    crowded_ps: crowded.0,
                })
                .collect(),
        }
    }
}
