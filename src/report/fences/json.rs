//! The page of fences as JSON: one object on one line. Times are integer picoseconds; absent is `null`.

use super::Sum;
use crate::analyze::account::{Account, FenceAccount, Interrupt, ValueEvent};
use crate::analyze::fence_page::{Slots, lost_contents, slots};
use crate::analyze::log::{Log, QueueLog};
use crate::api::NativeFence;
use crate::id::{QueueId, SubmissionId};
use crate::order::storage::{self, Memory, Slot, ValueType};
use crate::order::{ResetEffect, Timeline};
use crate::run::fence_kinds::Outcome;
use crate::scenario::{Fence, MemorySegment};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Version of the form.
const SCHEMA: u32 = 1;

/// Writes the page and a newline.
///
/// # Errors
/// If writing fails.
pub fn write_json(
    timeline: &Timeline<'_>,
    account: &Account,
    out: &mut dyn Write,
) -> io::Result<()> {
    let scenario = timeline.scenario;
    let slots = slots(timeline);
    let fences = scenario.fences.iter().zip(&account.fences).zip(&slots);
    let fences: Vec<Value> = fences
        .map(|(((name, declared), account), slots)| fence(timeline, name, declared, account, slots))
        .collect();
    let queues = account.queues.iter().enumerate();
    let queues: Vec<Value> = queues
        .filter(|(index, _)| scenario.queue(QueueId::new(*index)).is_gpu())
        .map(|(index, log)| queue(timeline, QueueId::new(index), log))
        .collect();
    let resets: Vec<Value> = timeline.resets.iter().map(|r| reset(timeline, r)).collect();
    let document = json!({
        "schema": SCHEMA,
        "makespan_ps": account.makespan.0,
        "fences": fences,
        "queues": queues,
        "resets": resets,
    });
    writeln!(out, "{document}")
}

fn fence(
    timeline: &Timeline<'_>,
    name: &str,
    fence: &Fence,
    account: &FenceAccount,
    slots: &Slots,
) -> Value {
    let memory = Memory::of(timeline.scenario, fence.adapter.unwrap_or(0));
    let place = |value, slot: Option<Slot>| {
        let slot = slot?;
        let given = storage::given(fence, value, &memory)?;
        Some(json!({
            "supported_write_segments": given.supported_write_segments,
            "eviction_segments": given.eviction_segments,
            "preferred_segment": given.preferred_segment,
            "memory": storage::place(fence, value, &memory).map(MemorySegment::word),
            "page": slot.page,
            "offset_bytes": slot.offset_bytes,
        }))
    };
    let values: Vec<Value> = account.values.iter().map(|v| value(timeline, v)).collect();
    json!({
        "name": name,
        "kind": fence.object().word(),
        "native": fence.native_type().map(NativeFence::word),
        "flags": fence.bits().bits(),
        "initial": fence.initial,
        "current": place(ValueType::Current, slots.0),
        "monitored": place(ValueType::Monitored, slots.1),
        "queue_signals": account.queue_signals,
        "cpu_signals": account.cpu_signals,
        "queue_waits": account.queue_waits,
        "cpu_waits": account.cpu_waits,
        "waited_ps": account.waited.0,
        "interrupts": account.interrupts,
        "spurious": account.spurious,
        "saved": account.saved,
        "forwarded": account.forwarded,
        "values": values,
    })
}

fn value(timeline: &Timeline<'_>, event: &ValueEvent) -> Value {
    let interrupt = match event.interrupt {
        Interrupt::None => None,
        Interrupt::Raised => Some("raised"),
        Interrupt::Spurious => Some("spurious"),
        Interrupt::Saved => Some("saved"),
    };
    json!({
        "at_ps": event.at.0,
        "by": timeline.node_name(event.by),
        "value": event.value,
        "monitored": event.monitored,
        "interrupt": interrupt,
        "wakes": names(timeline, &event.wakes),
    })
}

fn names(timeline: &Timeline<'_>, ids: &[SubmissionId]) -> Vec<String> {
    let name = |id: &SubmissionId| timeline.node_name(timeline.submission(*id).first_node);
    ids.iter().map(name).collect()
}

fn queue(timeline: &Timeline<'_>, id: QueueId, queue: &QueueLog) -> Value {
    let log = |log: &Log| {
        json!({
            "entries": log.written(),
            "first_free": log.first_free,
            "wraparounds": log.wraparounds,
            "lost": log.lost,
            "rescans": log.rescans,
        })
    };
    json!({
        "name": timeline.scenario.queue_name(id),
        "progress": queue.progress,
        "submitted": queue.submitted,
        "signals": log(&queue.signals),
        "waits": log(&queue.waits),
    })
}

fn reset(timeline: &Timeline<'_>, effect: &ResetEffect) -> Value {
    let scenario = timeline.scenario;
    let jumps: Vec<&str> = effect
        .jumps
        .iter()
        .map(|f| scenario.fence_name(*f))
        .collect();
    let contents = lost_contents(timeline, effect);
    let contents: Vec<&str> = contents
        .into_iter()
        .map(|r| scenario.resource_name(r))
        .collect();
    json!({
        "reset": timeline.node_name(timeline.submission(effect.reset).first_node),
        "jump": jumps,
        "wakes": names(timeline, &effect.woken),
        "lost": names(timeline, &effect.dropped),
        "contents": contents,
    })
}

/// Writes the table of kinds and a newline.
///
/// # Errors
/// If writing fails.
pub fn write_kinds_json(outcomes: &[Outcome], out: &mut dyn Write) -> io::Result<()> {
    let kinds: Vec<Value> = outcomes
        .iter()
        .map(|outcome| {
            let sum = Sum::of(&outcome.account);
            json!({
                "kind": outcome.kind.word(),
                "makespan_ps": outcome.account.makespan.0,
                "waited_ps": sum.waited.0,
                "interrupts": sum.interrupts,
                "spurious": sum.spurious,
                "saved": sum.saved,
                "of_another_kind": outcome.others,
            })
        })
        .collect();
    writeln!(out, "{}", json!({ "schema": SCHEMA, "kinds": kinds }))
}
