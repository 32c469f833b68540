//! A page about the fences of a scenario: what they are, where their values are, who uses them, which values they take
//! and when; what the queues logged; what resets did. As text and as JSON.

mod json;

use super::Style;
use super::columns::Set;
use super::format::{Output, Printer};
use super::json::line;
use super::text::{count, left, wrap};
use crate::analyze::account::{Account, FenceAccount, ValueEvent};
use crate::analyze::fence_page::{lost_contents, slots};
use crate::analyze::log::{ENTRIES, QueueLog};
use crate::api::NativeFence;
use crate::id::{FenceId, QueueId, SubmissionId};
use crate::order::storage::{self, Memory, Slot, ValueType};
use crate::order::{ResetEffect, Timeline};
use crate::run::fence_kinds::Outcome;
use crate::scenario::Fence;
use crate::schema::schema;
use std::io::{self, Write};

/// Writes a page of fences.
type WriteFences = fn(&Timeline<'_>, &Account, &Style, &mut dyn Write) -> io::Result<()>;

/// What fences are, where their values are and which values they take: `fence`.
pub const FENCES: Output<WriteFences> = Output {
    name: "fences",
    noun: "a page of fences",
    writers: &[
        ("terminal", write),
        ("json", |timeline, account, _, out| {
            line(&json::document(timeline, account), out)
        }),
    ],
    schema: Some(schema!(
        written json::FencesDocument<'static>, "fences", "The output of `fence FILE --format json`"
    )),
};

/// One scenario with each kind of fence: `fence --kinds`.
pub const FENCE_KINDS: Output<Printer<[Outcome]>> = Output {
    name: "fence-kinds",
    noun: "a comparison of fences",
    writers: &[
        ("terminal", write_kinds),
        ("json", |outcomes, _, out| line(&json::kinds(outcomes), out)),
    ],
    schema: Some(schema!(
        written json::FenceKindsDocument, "fence-kinds", "The output of `fence --kinds --format json`"
    )),
};

/// Values of one fence that are listed.
const VALUES_MAX: usize = 12;

/// Writes the page.
///
/// # Errors
/// If writing fails.
pub fn write(
    timeline: &Timeline<'_>,
    account: &Account,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page { style, out };
    let scenario = timeline.scenario;
    if scenario.fences.is_empty() {
        return writeln!(page.out, "The scenario has no fences.");
    }
    let places = places(timeline);
    for (id, (name, fence)) in scenario.fences.ids().zip(&scenario.fences) {
        page.hung("", &title(name, fence), 2)?;
        for (title, text) in &places[id] {
            page.row(title, text)?;
        }
        let of = &account.fences[id];
        page.row("used", &used(of))?;
        page.row("interrupts", &interrupts(of))?;
        values(page, timeline, fence, of)?;
    }
    for (id, log) in account.queues.pairs() {
        queue(page, timeline, id, log)?;
    }
    for effect in &timeline.resets {
        reset(page, timeline, effect)?;
    }
    Ok(())
}

/// Where the page goes, and how wide it is.
struct Page<'w> {
    style: &'w Style,
    out: &'w mut dyn Write,
}

impl Page<'_> {
    /// A title and its text, wrapped.
    fn row(&mut self, title: &str, text: &str) -> io::Result<()> {
        self.hung(&format!("  {} ", left(title, 10)), text, 13)
    }

    /// A text after a head; later lines are indented.
    fn hung(&mut self, head: &str, text: &str, indent: usize) -> io::Result<()> {
        let columns = self.style.columns - indent;
        for (index, line) in wrap(text, columns).iter().enumerate() {
            let margin = " ".repeat(indent);
            let head = if index == 0 { head } else { &margin };
            writeln!(self.out, "{}", self.style.plain(&format!("{head}{line}")))?;
        }
        Ok(())
    }
}

fn title(name: &str, fence: &Fence) -> String {
    let flags = if fence.bits().is_empty() {
        String::new()
    } else {
        format!(", {}", fence.bits())
    };
    let native = fence.native_type();
    let native = native.map_or(String::new(), |n| format!(", {}", n.word()));
    let scope = if fence.list_scoped {
        ", of command lists"
    } else {
        ""
    };
    format!(
        "fence {name}: {}{native}{flags}{scope}",
        fence.object().noun()
    )
}

fn used(account: &FenceAccount) -> String {
    let FenceAccount {
        queue_signals,
        cpu_signals,
        queue_waits,
        cpu_waits,
        waited,
        ..
    } = account;
    let signals = |n: u32| count(n, "signal", "signals");
    let waits = |n: u32| count(n, "wait", "waits");
    format!(
        "by queues: {}, {} ({waited} in waits); by the CPU: {}, {}",
        signals(*queue_signals),
        waits(*queue_waits),
        signals(*cpu_signals),
        waits(*cpu_waits),
    )
}

fn interrupts(account: &FenceAccount) -> String {
    let FenceAccount {
        interrupts,
        spurious,
        saved,
        forwarded,
        ..
    } = account;
    let forwarded = match forwarded {
        0 => String::new(),
        n => format!(", {n} forwarded to another adapter"),
    };
    format!("{interrupts} raised, {spurious} of them spurious, {saved} saved{forwarded}")
}

/// The value at the beginning, and each value that the fence takes.
fn values(
    page: &mut Page<'_>,
    timeline: &Timeline<'_>,
    fence: &Fence,
    account: &FenceAccount,
) -> io::Result<()> {
    page.row("values", &first_value(fence))?;
    for event in account.values.iter().take(VALUES_MAX) {
        let head = format!("    {:>10}  ", event.at.to_string());
        page.hung(&head, &happening(timeline, event), 16)?;
    }
    if account.values.len() > VALUES_MAX {
        let more = account.values.len() - VALUES_MAX;
        page.hung(&" ".repeat(16), &format!("and {more} more"), 16)?;
    }
    Ok(())
}

fn first_value(fence: &Fence) -> String {
    if fence.native_type() == Some(NativeFence::IntraGpu) {
        // The operating system cannot write there: a packet of the user-mode driver does.
        let first = fence.initial;
        format!("undefined, then {first} by the driver's first packet")
    } else {
        fence.initial.to_string()
    }
}

/// A value as people write it.
fn value_word(value: u64) -> String {
    if value == u64::MAX {
        "the maximum value".to_owned()
    } else {
        value.to_string()
    }
}

fn happening(timeline: &Timeline<'_>, event: &ValueEvent) -> String {
    let mut parts = vec![format!(
        "{} by {}",
        value_word(event.value),
        timeline.node_name(event.by)
    )];
    parts.extend(event.monitored.map(|monitored| match monitored {
        u64::MAX => "nobody monitored".to_owned(),
        value => format!("monitored above {value}"),
    }));
    if !event.interrupt.word().is_empty() {
        parts.push(event.interrupt.word().to_owned());
    }
    if !event.wakes.is_empty() {
        parts.push(format!("wakes {}", names(timeline, &event.wakes)));
    }
    parts.join(", ")
}

fn names(timeline: &Timeline<'_>, ids: &[SubmissionId]) -> String {
    let name = |id: &SubmissionId| timeline.node_name(timeline.submission(*id).first_node);
    let names: Vec<String> = ids.iter().map(name).collect();
    names.join(", ")
}

/// The logs of a hardware queue, and its progress fence.
fn queue(
    page: &mut Page<'_>,
    timeline: &Timeline<'_>,
    id: QueueId,
    log: &QueueLog,
) -> io::Result<()> {
    if !timeline.scenario.queue(id).is_gpu() {
        return Ok(());
    }
    let name = timeline.scenario.queue_name(id);
    page.hung("queue ", name, 6)?;
    let QueueLog {
        progress,
        submitted,
        ..
    } = log;
    page.row(
        "progress",
        &format!("{progress} of {submitted} submissions complete"),
    )?;
    if !log.is_used() {
        return Ok(());
    }
    for (title, log) in [("signals", &log.signals), ("waits", &log.waits)] {
        let lost = match log.lost {
            0 => String::new(),
            n => format!(
                ", {n} overwritten before they were read: {} rescans",
                log.rescans
            ),
        };
        let text = format!(
            "{} in a log of {ENTRIES}, next at {}, {}{lost}",
            count(log.written(), "entry", "entries"),
            log.first_free,
            count(log.wraparounds, "wraparound", "wraparounds")
        );
        page.row(title, &text)?;
    }
    Ok(())
}

/// What a reset did.
fn reset(page: &mut Page<'_>, timeline: &Timeline<'_>, effect: &ResetEffect) -> io::Result<()> {
    let node = timeline.submission(effect.reset).first_node;
    page.hung("reset ", &timeline.node_name(node), 6)?;
    let fence = |id: &FenceId| timeline.scenario.fence_name(*id).to_owned();
    let or_nothing = |text: String| {
        if text.is_empty() {
            "nothing".to_owned()
        } else {
            text
        }
    };
    let jumps: Vec<String> = effect.jumps.iter().map(fence).collect();
    page.row("jump", &or_nothing(jumps.join(", ")))?;
    page.row("wakes", &or_nothing(names(timeline, &effect.woken)))?;
    page.row("lost", &or_nothing(names(timeline, &effect.dropped)))?;
    let contents: Vec<&str> = lost_contents(timeline, effect)
        .into_iter()
        .map(|id| timeline.scenario.resource_name(id))
        .collect();
    if !contents.is_empty() {
        let text = format!(
            "{}: nothing defined until it is written again",
            contents.join(", ")
        );
        page.row("contents", &text)?;
    }
    Ok(())
}

/// For each fence, what is said about where its values lie.
fn places(timeline: &Timeline<'_>) -> crate::id::Table<FenceId, Vec<(&'static str, String)>> {
    let slots = slots(timeline);
    let fences = timeline.scenario.fences.pairs();
    fences
        .map(|(id, fence)| {
            let Some(native) = fence.native_type() else {
                let text = "system memory, kept by the operating system";
                return vec![("value", text.to_owned())];
            };
            let memory = Memory::of(timeline.scenario, fence.adapter.unwrap_or(0));
            let place = |value, slot: Option<Slot>| {
                let segment = storage::place(fence, value, &memory);
                let segment = segment.map_or("nowhere", |s| s.noun());
                let slot = slot.map_or(String::new(), |s| {
                    format!(", page {} + {} bytes", s.page, s.offset_bytes)
                });
                format!("{segment}{slot}")
            };
            let (current, monitored) = slots[id];
            let monitored = match native {
                NativeFence::Default => place(ValueType::Monitored, monitored),
                NativeFence::IntraGpu => "none: the CPU does not wait".to_owned(),
            };
            vec![
                ("current", place(ValueType::Current, current)),
                ("monitored", monitored),
            ]
        })
        .collect()
}

/// Writes the table of kinds.
///
/// # Errors
/// If writing fails.
pub fn write_kinds(outcomes: &[Outcome], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rows = outcomes.iter().map(|outcome| {
        let sum = Sum::of(&outcome.account);
        vec![
            outcome.kind.word().to_owned(),
            outcome.account.makespan.to_string(),
            sum.waited.to_string(),
            sum.interrupts.to_string(),
            sum.spurious.to_string(),
            sum.saved.to_string(),
            match outcome.others {
                0 => String::new(),
                n => format!("({n} of another kind)"),
            },
        ]
    });
    let heads = [
        ("fences", Set::Left),
        ("makespan", Set::Right),
        ("in waits", Set::Right),
        ("interrupts", Set::Right),
        ("spurious", Set::Right),
        ("saved", Set::Right),
        ("", Set::Words),
    ];
    style.table(&heads, rows, out)
}

/// The counts of every fence together.
struct Sum {
    waited: crate::time::Ps,
    interrupts: u32,
    spurious: u32,
    saved: u32,
}

impl Sum {
    fn of(account: &Account) -> Self {
        let fences = &account.fences;
        Self {
            waited: fences.iter().map(|f| f.waited).sum(),
            interrupts: fences.iter().map(|f| f.interrupts).sum(),
            spurious: fences.iter().map(|f| f.spurious).sum(),
            saved: fences.iter().map(|f| f.saved).sum(),
        }
    }
}
