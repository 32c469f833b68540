//! A page about the fences of a scenario: what they are, where their values lie, who uses them, which values they take.

use super::text::{COLUMNS, clip, left, wrap};
use crate::analyze::account::FenceAccount;
use crate::api::{NativeFence, SyncObject};
use crate::order::Timeline;
use crate::scenario::Fence;
use crate::storage::{Memory, Request, Slot, ValueType, answer, pack};
use std::io::{self, Write};

/// Values of one fence that are listed.
const VALUES_MAX: usize = 12;

/// Writes the page.
///
/// # Errors
/// If writing fails.
pub fn write(
    timeline: &Timeline<'_>,
    accounts: &[FenceAccount],
    memory: &Memory,
    out: &mut dyn Write,
) -> io::Result<()> {
    let scenario = timeline.scenario;
    if scenario.fences.is_empty() {
        return writeln!(out, "The scenario has no fences.");
    }
    let places = places(scenario.fences.values(), memory);
    for (((name, fence), account), place) in scenario.fences.iter().zip(accounts).zip(places) {
        let flags = if fence.bits().is_empty() {
            String::new()
        } else {
            format!(", {}", fence.bits())
        };
        let native = fence
            .native_type()
            .map_or(String::new(), |n| format!(", {}", n.word()));
        writeln!(
            out,
            "{}",
            clip(
                &format!("fence {name}: {}{native}{flags}", fence.object().noun()),
                COLUMNS
            )
        )?;
        for (title, text) in place {
            writeln!(out, "  {} {text}", left(title, 10))?;
        }
        let FenceAccount {
            queue_signals,
            cpu_signals,
            queue_waits,
            cpu_waits,
            interrupts,
            spurious,
            saved,
            ..
        } = account;
        writeln!(
            out,
            "  {} {queue_signals} signals and {queue_waits} waits of queues, {cpu_signals} and {cpu_waits} of the CPU",
            left("used", 10)
        )?;
        writeln!(
            out,
            "  {} {interrupts} raised, {spurious} of them for nobody, {saved} saved",
            left("interrupts", 10)
        )?;
        values(timeline, fence, account, out)?;
    }
    Ok(())
}

fn values(
    timeline: &Timeline<'_>,
    fence: &Fence,
    account: &FenceAccount,
    out: &mut dyn Write,
) -> io::Result<()> {
    let start = if fence.native_type() == Some(NativeFence::IntraGpu) {
        // The operating system cannot write there: a packet of the user-mode driver does.
        format!(
            "undefined, then {} by the driver's first packet",
            fence.initial
        )
    } else {
        fence.initial.to_string()
    };
    let mut text = start;
    for (id, value) in account.values.iter().take(VALUES_MAX) {
        let submission = timeline.submission(*id);
        text.push_str(&format!(
            " → {value} ({})",
            timeline.node_name(submission.first_node)
        ));
    }
    if account.values.len() > VALUES_MAX {
        text.push_str(&format!(" → … {} more", account.values.len() - VALUES_MAX));
    }
    for (index, line) in wrap(&text, COLUMNS - 13).iter().enumerate() {
        let title = if index == 0 { "values" } else { "" };
        writeln!(out, "  {} {line}", left(title, 10))?;
    }
    Ok(())
}

/// For each fence, what is said about where its values lie.
fn places<'f>(
    fences: impl Iterator<Item = &'f Fence> + Clone,
    memory: &Memory,
) -> Vec<Vec<(&'static str, String)>> {
    let natives = fences.clone().filter(|f| f.object() == SyncObject::Native);
    let current = pack(natives.clone().map(Fence::is_shared), memory.stride_bytes);
    let monitored = natives.filter(|f| f.native_type() == Some(NativeFence::Default));
    let monitored = pack(monitored.map(Fence::is_shared), memory.stride_bytes);
    let (mut current, mut monitored) = (current.into_iter(), monitored.into_iter());
    fences
        .map(|fence| {
            let Some(native) = fence.native_type() else {
                return vec![(
                    "value",
                    "system memory, kept by the operating system".to_owned(),
                )];
            };
            let place = |value, slot: Option<Slot>| {
                let request = Request {
                    adapter: fence.adapter.unwrap_or(0),
                    value,
                    fence: native,
                    shared: fence.is_shared(),
                    private_data_bytes: 0,
                };
                let given = answer(&request, memory);
                let segment = given.and_then(|a| memory.segment(a.preferred_segment));
                let segment = segment.map_or("nowhere", |s| s.noun());
                let slot = slot.map_or(String::new(), |s| {
                    format!(", page {} + {} bytes", s.page, s.offset_bytes)
                });
                format!("{segment}{slot}")
            };
            let mut rows = vec![("current", place(ValueType::Current, current.next()))];
            rows.push((
                "monitored",
                match native {
                    NativeFence::Default => place(ValueType::Monitored, monitored.next()),
                    NativeFence::IntraGpu => "none: the CPU does not wait".to_owned(),
                },
            ));
            rows
        })
        .collect()
}
