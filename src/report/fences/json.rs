//! The page of fences as JSON: one object on one line. Times are integer picoseconds; absent is `null`.

use super::Sum;
use crate::analyze::account::{Account, FenceAccount, Interrupt, ValueEvent};
use crate::analyze::fence_page::{Slots, lost_contents, slots};
use crate::analyze::log::{Log, QueueLog};
use crate::api::NativeFence;
use crate::id::{QueueId, SubmissionId};
use crate::order::storage::{self, Allocation, Memory, Slot, ValueType};
use crate::order::{ResetEffect, Timeline};
use crate::run::fence_kinds::Outcome;
use crate::scenario::{Fence, MemorySegment};
use serde::Serialize;

/// Version of the forms.
const SCHEMA: u32 = 1;

/// What fences are, where their values are and which values they take.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FencesDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// From the first submission to the end of the last work.
    makespan_ps: u64,
    /// Fences in order of declaration.
    fences: Vec<FenceRow<'a>>,
    /// Queues of GPUs in order of declaration.
    queues: Vec<QueueRow<'a>>,
    /// Resets in order of time.
    resets: Vec<ResetRow<'a>>,
}

/// A fence.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FenceRow<'a> {
    /// Declared name.
    name: &'a str,
    /// What kind of synchronization object it is.
    kind: &'static str,
    /// The type of a native fence; null for others.
    native: Option<&'static str>,
    /// Its flags, as the driver model numbers them.
    flags: u32,
    /// Value at the start.
    initial: u64,
    /// Where `CurrentValue` is; null if it has no place of its own.
    current: Option<PlaceRow>,
    /// Where `MonitoredValue` is; null if it has no place of its own.
    monitored: Option<PlaceRow>,
    #[serde(flatten)]
    account: &'a FenceAccount,
    /// Values in order of time.
    values: Vec<ValueRow>,
}

/// Where a value is.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PlaceRow {
    #[serde(flatten)]
    given: Allocation,
    /// What that segment is; null if there is no such segment.
    memory: Option<&'static str>,
    #[serde(flatten)]
    slot: Slot,
}

/// A fence gets a value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ValueRow {
    /// When the fence gets it.
    at_ps: u64,
    /// The submission or fence barrier that gives it.
    by: String,
    /// The value.
    value: u64,
    /// `MonitoredValue` of a native fence at that moment; null for others.
    monitored: Option<u64>,
    /// `raised`, `spurious` or `saved`; null if it is no matter of interrupts.
    interrupt: Option<&'static str>,
    /// Submissions that wait for the value and go on.
    wakes: Vec<String>,
}

/// A queue.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct QueueRow<'a> {
    /// Declared name.
    name: &'a str,
    /// The value of its progress fence at the end.
    progress: u32,
    /// What that value would be if everything were over.
    submitted: u32,
    /// Its log of native fences that it has signalled.
    signals: LogRow,
    /// Its log of native fences that it has waited for.
    waits: LogRow,
}

/// A log of a hardware queue.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LogRow {
    /// Entries that were written.
    entries: u32,
    /// Where the next entry goes.
    first_free: u32,
    /// How often it was full.
    wraparounds: u32,
    /// Entries that were overwritten before they were read.
    lost: u32,
    /// Reads that found something lost, after which every fence is looked at.
    rescans: u32,
}

/// A reset.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ResetRow<'a> {
    /// Its submission.
    reset: String,
    /// Fences that jump to their greatest value.
    jump: Vec<&'a str>,
    /// Submissions that wait for such a fence and go on.
    wakes: Vec<String>,
    /// Submissions that were not over: none of them counts as done.
    lost: Vec<String>,
    /// Resources whose contents are lost.
    contents: Vec<&'a str>,
}

/// One scenario with each kind of fence.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FenceKindsDocument {
    /// Version of this contract.
    schema: u32,
    /// Each kind, the slowest first.
    kinds: Vec<KindRow>,
}

/// The scenario with one kind of fence.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct KindRow {
    /// `monitored`, `native` or `intra-gpu`.
    kind: &'static str,
    /// From the first submission to the end of the last work.
    makespan_ps: u64,
    /// Time that queues spent in waits.
    waited_ps: u64,
    /// Interrupts of the CPU.
    interrupts: u32,
    /// Of these, how many found nobody who waited for the value.
    spurious: u32,
    /// Signals of queues that did not interrupt.
    saved: u32,
    /// Fences that are of another kind because of who uses them or of their flags.
    of_another_kind: u32,
}

/// The page.
pub(super) fn document<'a>(timeline: &'a Timeline<'a>, account: &'a Account) -> FencesDocument<'a> {
    let scenario = timeline.scenario;
    let slots = slots(timeline);
    let fences = scenario.fences.iter().zip(&account.fences).zip(&slots);
    let fences = fences.map(|(((name, declared), account), slots)| {
        fence(timeline, name, declared, account, slots)
    });
    let queues = account.queues.pairs();
    let queues = queues.filter(|(id, _)| scenario.queue(*id).is_gpu());
    FencesDocument {
        schema: SCHEMA,
        makespan_ps: account.makespan.0,
        fences: fences.collect(),
        queues: queues.map(|(id, log)| queue(timeline, id, log)).collect(),
        resets: timeline.resets.iter().map(|r| reset(timeline, r)).collect(),
    }
}

fn fence<'a>(
    timeline: &Timeline<'_>,
    name: &'a str,
    fence: &Fence,
    account: &'a FenceAccount,
    slots: &Slots,
) -> FenceRow<'a> {
    let memory = Memory::of(timeline.scenario, fence.adapter.unwrap_or(0));
    let place = |value, slot: Option<Slot>| {
        let slot = slot?;
        Some(PlaceRow {
            given: storage::given(fence, value, &memory)?,
            memory: storage::place(fence, value, &memory).map(MemorySegment::word),
            slot,
        })
    };
    FenceRow {
        name,
        kind: fence.object().word(),
        native: fence.native_type().map(NativeFence::word),
        flags: fence.bits().bits(),
        initial: fence.initial,
        current: place(ValueType::Current, slots.0),
        monitored: place(ValueType::Monitored, slots.1),
        account,
        values: account.values.iter().map(|v| value(timeline, v)).collect(),
    }
}

fn value(timeline: &Timeline<'_>, event: &ValueEvent) -> ValueRow {
    ValueRow {
        at_ps: event.at.0,
        by: timeline.node_name(event.by),
        value: event.value,
        monitored: event.monitored,
        interrupt: match event.interrupt {
            Interrupt::None => None,
            Interrupt::Raised => Some("raised"),
            Interrupt::Spurious => Some("spurious"),
            Interrupt::Saved => Some("saved"),
        },
        wakes: names(timeline, &event.wakes),
    }
}

fn names(timeline: &Timeline<'_>, ids: &[SubmissionId]) -> Vec<String> {
    let name = |id: &SubmissionId| timeline.node_name(timeline.submission(*id).first_node);
    ids.iter().map(name).collect()
}

fn queue<'a>(timeline: &'a Timeline<'_>, id: QueueId, queue: &QueueLog) -> QueueRow<'a> {
    let log = |log: &Log| LogRow {
        entries: log.written(),
        first_free: log.first_free,
        wraparounds: log.wraparounds,
        lost: log.lost,
        rescans: log.rescans,
    };
    QueueRow {
        name: timeline.scenario.queue_name(id),
        progress: queue.progress,
        submitted: queue.submitted,
        signals: log(&queue.signals),
        waits: log(&queue.waits),
    }
}

fn reset<'a>(timeline: &'a Timeline<'_>, effect: &ResetEffect) -> ResetRow<'a> {
    let scenario = timeline.scenario;
    let jumps = effect.jumps.iter();
    let contents = lost_contents(timeline, effect).into_iter();
    ResetRow {
        reset: timeline.node_name(timeline.submission(effect.reset).first_node),
        jump: jumps.map(|f| scenario.fence_name(*f)).collect(),
        wakes: names(timeline, &effect.woken),
        lost: names(timeline, &effect.dropped),
        contents: contents.map(|r| scenario.resource_name(r)).collect(),
    }
}

/// The table of kinds.
pub(super) fn kinds(outcomes: &[Outcome]) -> FenceKindsDocument {
    let kinds = outcomes.iter().map(|outcome| {
        let sum = Sum::of(&outcome.account);
        KindRow {
            kind: outcome.kind.word(),
            makespan_ps: outcome.account.makespan.0,
            waited_ps: sum.waited.0,
            interrupts: sum.interrupts,
            spurious: sum.spurious,
            saved: sum.saved,
            of_another_kind: outcome.others,
        }
    });
    FenceKindsDocument {
        schema: SCHEMA,
        kinds: kinds.collect(),
    }
}
