//! The values that every report format prints.

use super::LoweringSource;
use super::activity::Activity;
use super::detail::Detail;
use super::life;
use super::stalls::{CauseRow, FrameRow, Utilisation};
use super::steps::Steps;
use super::{Changed, LifeRow, MeetingRow, StuckRow, Timing, Unlisted, Verdict};
use crate::finding::{Finding, Severity};
use crate::hardware::Profile;
use crate::schema;
use crate::time::Ps;
use serde::Serialize;
use std::sync::Arc;

/// A finished run: everything that any report format prints. Formats decide nothing; they lay out these values.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Title of the scenario, or its file name.
    pub scenario: String,
    /// Name of the file as the user gave it.
    pub file: String,
    /// Name of the profile; empty if nothing was simulated.
    pub profile: String,
    /// Name of the lowering; empty if nothing was simulated.
    pub lowering: String,
    /// Who named the lowering.
    pub lowering_named_by: LoweringSource,
    /// From the first submission to the end of the last work; `None` if nothing was simulated.
    pub makespan: Option<Ps>,
    /// Time in which nothing ran on any queue because of barriers (a union over queues; of one queue the sum over barriers).
    pub exposed: Ps,
    /// Findings by place.
    pub findings: Vec<Finding>,
    /// Findings that are only counted, by rule: there are more than a report lists.
    pub unlisted: Vec<Unlisted>,
    /// The text with the change of each finding of the family `RD` made, if asked for ([`Options::keep_changed`]).
    ///
    /// [`Options::keep_changed`]: super::Options::keep_changed
    pub changed: Vec<Changed>,
    /// Executed barrier entries in order of execution.
    pub barriers: Vec<BarrierRow>,
    /// Executed commands in order of execution.
    pub commands: Vec<CommandRow>,
    /// When the two uses of each hazard met, in order of finding; what did not run has no moment.
    pub meetings: Vec<MeetingRow>,
    /// Waits that never ended: the run stops with them.
    pub stuck: Vec<StuckRow>,
    /// Queues as drawn: what ran when.
    pub lanes: Vec<Lane>,
    /// Critical paths, one a frame; they tile the run. Empty if none were recorded or asked for.
    pub frames: Vec<FrameRow>,
    /// Their totals by what was done, the longest first; `None` if nothing was recorded: nothing ran, or too much.
    pub causes: Option<Vec<CauseRow>>,
    /// How busy queues, stages and pools were.
    pub utilisation: Utilisation,
    /// The machine's caches; empty if nothing was simulated.
    pub caches: Vec<CacheRow>,
    /// Counts of what the machine did.
    pub totals: Totals,
    /// What only a page shows, if asked for and if something ran.
    pub detail: Option<Box<Detail>>,
    /// The run told step by step, if asked for and if something ran.
    pub steps: Option<Box<Steps>>,
    /// What ran when, stage by stage, if asked for and if something ran.
    pub activity: Option<Box<Activity>>,
    /// Item counts and wall time of each phase.
    pub timings: Vec<Timing>,
}

/// What of the time after the last work is drawn where a wait never ends, at least: 1 us.
const OPEN_LEAST: Ps = Ps(1_000_000);

/// Until when a drawing goes of a run that takes so long, with so many waits that never end.
pub(super) fn drawn_until(makespan: Ps, stuck: usize) -> Ps {
    if stuck == 0 {
        return makespan;
    }
    makespan + Ps(makespan.0 / 4).max(OPEN_LEAST)
}

impl Report {
    /// Until when a drawing goes: to the end of the run, and further where something never ends.
    pub fn drawn_until(&self) -> Ps {
        drawn_until(self.makespan.unwrap_or_default(), self.stuck.len())
    }

    /// When the two uses of a hazard met, by the index of its finding.
    pub fn meeting(&self, finding: usize) -> Option<MeetingRow> {
        let at = self
            .meetings
            .binary_search_by_key(&finding, |it| it.finding);
        at.ok().map(|at| self.meetings[at])
    }

    /// Totals of the critical paths; none if nothing was recorded.
    pub(crate) fn causes(&self) -> &[CauseRow] {
        self.causes.as_deref().unwrap_or_default()
    }

    /// The severities of all findings, listed or not, each with how many have it.
    pub fn severities(&self) -> impl Iterator<Item = (Severity, u64)> {
        let listed = self.findings.iter().map(|f| (f.severity, 1));
        listed.chain(self.unlisted.iter().map(|u| (u.severity, u.count)))
    }
}

/// A cache of the machine, for a legend.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CacheRow {
    /// Name.
    pub name: String,
    /// What it does with writes: `write-back`.
    pub policy: &'static str,
    /// What it is; may be empty.
    pub note: String,
}

impl CacheRow {
    /// Those of a machine.
    pub(super) fn all(profile: &Profile) -> Vec<Self> {
        let caches = profile.caches.iter().map(|cache| Self {
            name: cache.name.clone(),
            policy: cache.policy.word(),
            note: cache.note.clone(),
        });
        caches.collect()
    }
}

/// One executed barrier entry.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Barrier"))]
#[non_exhaustive]
pub struct BarrierRow {
    /// Distinct for each execution.
    pub id: String,
    /// Line of its text.
    pub line: u32,
    /// Column of its text.
    #[serde(skip)]
    pub column: u32,
    /// Queue.
    pub queue: String,
    /// What it says in one line.
    pub text: String,
    /// Declared name of the resource; null for a global barrier.
    #[serde(serialize_with = "schema::null_if_empty")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub resource: String,
    /// What it says, field by field.
    #[serde(skip)]
    pub fields: FieldsRow,
    /// `needed`, `redundant`, `too-wide` or `too-narrow`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub verdict: Verdict,
    /// It is redundant, but stays if another that does the same goes.
    #[serde(skip)]
    pub stays: bool,
    /// Why that verdict, one sentence.
    pub why: String,
    /// From `start_ps` until the work that it waits for had finished.
    #[serde(rename = "drain_ps")]
    pub drain: Ps,
    /// Its cache and layout operations.
    #[serde(rename = "operation_ps")]
    pub operation: Ps,
    /// What the work that it held needed to fill pipeline and caches again.
    #[serde(rename = "refill_ps")]
    pub refill: Ps,
    /// Time in which nothing ran on any queue and its own waited for this barrier. The barriers of one queue share no time.
    #[serde(rename = "exposed_ps")]
    pub exposed: Ps,
    /// What its own waiting and operations take on the critical path; null if no path was recorded.
    #[serde(rename = "critical_ps")]
    pub critical: Option<Ps>,
    /// When the queue had reached it, its scope had begun, and no older barrier held the queue: `end_ps - start_ps` is
    /// `drain_ps + operation_ps`.
    #[serde(rename = "start_ps")]
    pub start: Ps,
    /// When it was complete.
    #[serde(rename = "end_ps")]
    pub end: Ps,
    /// What the lowering made of it.
    pub operations: Vec<OperationRow>,
}

/// What a barrier entry says, before and after.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct FieldsRow {
    /// `SyncBefore` and `SyncAfter`.
    pub sync: [String; 2],
    /// `AccessBefore` and `AccessAfter`.
    pub access: [String; 2],
    /// `LayoutBefore` and `LayoutAfter` of a texture barrier; otherwise empty.
    pub layout: [String; 2],
}

/// One operation of a lowered barrier.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Operation"))]
#[non_exhaustive]
pub struct OperationRow {
    /// `wait`, `clean`, `invalidate`, `decompress`, …
    pub op: String,
    /// Stages, cache or resource.
    pub target: String,
    /// Why the operation is there, in one sentence.
    pub why: String,
}

/// One executed command.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Command"))]
#[non_exhaustive]
pub struct CommandRow {
    /// Distinct for each execution.
    pub id: String,
    /// Label or statement word.
    pub label: String,
    /// Line of its text.
    pub line: u32,
    /// Queue.
    pub queue: String,
    /// When its first stage began.
    #[serde(rename = "start_ps")]
    pub start: Ps,
    /// When its last stage ended.
    #[serde(rename = "end_ps")]
    pub end: Ps,
    /// Whether it ran: what comes after a wait that never ends does not.
    #[serde(skip)]
    pub ran: bool,
    /// When the front end took it up; null if it never ran.
    #[serde(rename = "queued_ps")]
    pub queued: Option<Ps>,
    /// Times from then on in which no stage of it made progress because something kept it. What it was launched for, and how it
    /// flowed from stage to stage, is not among them.
    #[serde(rename = "waits", serialize_with = "life::waits")]
    #[cfg_attr(test, schemars(with = "Vec<LifeRow>"))]
    pub life: Arc<[LifeRow]>,
    /// How much longer it could take, at least, without moving the end of the run; null if it did not run, or if no
    /// path was recorded.
    #[serde(rename = "slack_ps")]
    pub slack: Option<Ps>,
    /// Reads that did not see what they should have.
    pub observations: Vec<ObservationRow>,
}

/// A read that did not see what it should have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Observation"))]
#[non_exhaustive]
pub struct ObservationRow {
    /// `stale`, `early`, `late`, `torn`, `undefined` or `undecoded`.
    pub kind: String,
    /// Declared name of the resource.
    pub resource: String,
    /// Access name; `COMMON` for the CPU and a present.
    pub access: String,
    /// Bytes concerned.
    pub bytes: u64,
    /// Who wrote what was read.
    pub saw: String,
    /// Whose write should have been read.
    pub expected: String,
    /// Where the old data came from.
    pub from: String,
    /// When the bytes were read; of a read that a write overtook, when it ended.
    #[serde(skip)]
    pub at: Ps,
    /// How long a late read went on after the write had landed; of no other read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "went_on_ps")]
    pub went_on: Option<Ps>,
    /// The findings whose missing link let it happen.
    pub findings: Vec<FindingRef>,
}

/// A finding of the report, by its rule and line.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FindingRef {
    /// Id of the rule.
    pub rule: &'static str,
    /// Line of the finding.
    pub line: u32,
}

/// A queue as drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Lane {
    /// Name of the queue.
    pub name: String,
    /// Segments by when they begin. Work that runs at once overlaps; other segments overlap nothing of their queue.
    pub segments: Vec<Segment>,
}

/// Part of a lane.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Segment {
    /// When the segment begins: of a command, when the front end took it up.
    pub start: Ps,
    /// When the segment ends.
    pub end: Ps,
    /// What the queue did.
    pub kind: SegmentKind,
    /// Label of the command or barrier.
    pub label: String,
    /// Id of the command, as `gfx#3`, or of the barrier entry.
    pub id: String,
    /// Of a command, what it did when. Empty if that is not known: it worked all the time.
    pub life: Arc<[LifeRow]>,
    /// Of a barrier, when what it had waited for was over and it began to operate; of others, `start`.
    pub drained: Ps,
}

/// What a segment shows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SegmentKind {
    /// Commands run.
    Work,
    /// A barrier waits for earlier work, or operates.
    Barrier,
    /// Nothing runs: the queue waits for a fence.
    Fence,
    /// The queue waits for a fence, and that never ends.
    Never,
    /// Nothing runs: submission, start and end of a scope.
    Submit,
}

/// What the machine did in all.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Totals {
    /// Work commands executed.
    pub commands: u64,
    /// Barrier entries executed.
    pub barriers: u64,
    /// Cache cleans.
    pub cleans: u64,
    /// Bytes that they wrote back.
    pub cleaned_bytes: u64,
    /// Cache invalidations.
    pub invalidates: u64,
    /// Layout operations that did something.
    pub layout_operations: u64,
    /// Reads that did not see what they should have.
    pub bad_reads: u64,
    /// Of these, if nothing is found wrong, those that no reset and no undefined contents explain: the packets of a lowering do
    /// something that no barrier asked for, or this program is wrong.
    pub unexplained_reads: u64,
}
