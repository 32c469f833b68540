//! The barriers of each list as calls of Vulkan.

use super::words::{Entry, Form, Masks, Words, joined};
use crate::api::QueueType;
use crate::finding::{Finding, Source, Span};
use crate::id::{FenceId, ListId};
use crate::interop::vulkan::{AccessFlags, DependencySide, StageFlags, Table};
use crate::pipeline::clock::Clock;
use crate::pipeline::front::{self, Kernels};
use crate::scenario::{Barrier, BarrierTarget, CommandKind, Scenario};

/// A scenario's barriers in Vulkan's words.
#[non_exhaustive]
pub struct Exported {
    /// The scenario without legacy barriers.
    pub scenario: Scenario,
    /// The table.
    pub table: Table,
    /// Lists that record barriers.
    pub lists: Vec<ListCalls>,
    /// Whether a list is executed after another on one queue: Vulkan orders nothing there by itself.
    pub boundaries: bool,
}

/// The calls of one list.
#[non_exhaustive]
pub struct ListCalls {
    /// The list.
    pub list: ListId,
    /// Events that it needs.
    pub events: u32,
    /// Its calls in order.
    pub calls: Vec<Call>,
}

/// A call of Vulkan that stands for a call of D3D12.
#[non_exhaustive]
pub struct Call {
    /// The D3D12 call that it is for.
    pub span: Span,
    /// The function.
    pub kind: CallKind,
    /// The barriers that it gets.
    pub entries: Vec<Entry>,
}

/// Functions that are called.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CallKind {
    /// `vkCmdPipelineBarrier2`.
    Barrier,
    /// `vkCmdSetEvent2` with an event of the list: the first half of a split barrier.
    SetEvent(u32),
    /// `vkCmdWaitEvents2`: the second half.
    WaitEvent(u32),
    /// `vkCmdSetEvent2` for a fence barrier.
    SignalFence(FenceId, u64),
    /// `vkCmdWaitEvents2` for a fence barrier.
    WaitFence(FenceId, u64),
    /// No call: what vanished.
    Nothing,
}

/// Reads a text and writes its barriers in Vulkan's words.
///
/// # Errors
/// The findings of a text that cannot be read.
pub fn export(source: &Source, table: Table) -> Result<Exported, Vec<Finding>> {
    let clock = &mut Clock::untold();
    let parsed = front::read(source, clock).map_err(|misread| misread.findings)?;
    let prepared = parsed.prepare(Kernels::LeftOut, clock);
    Ok(exported(prepared.plain().clone(), table))
}

/// The calls of each list of a scenario without legacy barriers, for lists that record barriers.
pub fn calls(scenario: &Scenario, table: Table) -> Vec<ListCalls> {
    let words = Words::new(scenario, table);
    (0..scenario.lists.len())
        .map(|index| list(&words, ListId::new(index)))
        .filter(|calls| !calls.calls.is_empty())
        .collect()
}

pub(super) fn exported(scenario: Scenario, table: Table) -> Exported {
    let lists = calls(&scenario, table);
    let executed = scenario.timeline.as_ref().map_or(0, |t| t.statements.len());
    Exported {
        table,
        lists,
        boundaries: executed > 1,
        scenario,
    }
}

/// The open halves of a list's split barriers.
struct Halves {
    open: Vec<(u32, Barrier)>,
    events: u32,
}

fn list(words: &Words<'_>, id: ListId) -> ListCalls {
    let list = &words.scenario.lists[id];
    let join = words.table == Table::Minimal;
    let joined = joined(words.scenario, id, join);
    let mut halves = Halves {
        open: Vec::new(),
        events: 0,
    };
    let mut calls = Vec::new();
    for (at, command) in list.commands.iter().enumerate() {
        let fence = command.kind.fence_step();
        if fence.is_none() && !matches!(command.kind, CommandKind::Barrier(_)) {
            continue;
        }
        let barriers = command.kind.barriers();
        let skipped = words.table == Table::Vkd3dProton && barriers.iter().all(waits_for_nothing);
        let mut batch = Batch::new(command.span);
        for (index, barrier) in barriers.iter().enumerate() {
            let joined = joined[at][index];
            let entry = words.entry((at, index), barrier, joined, list.queue_type);
            if let Some((signal, fence, value)) = fence {
                let kind = if signal {
                    CallKind::SignalFence(fence, value)
                } else {
                    CallKind::WaitFence(fence, value)
                };
                batch.add(kind, fenced(entry));
            } else if barrier.sync_before.is_split() || barrier.sync_after.is_split() {
                let (kind, entry) = split(words, barrier, entry, &mut halves, list.queue_type);
                batch.add(kind, entry);
            } else if skipped {
                let why =
                    "only global and buffer barriers with SyncBefore NONE: the call is left out";
                batch.add(CallKind::Nothing, vanished(entry, why));
            } else {
                batch.add(CallKind::Barrier, entry);
            }
        }
        if words.table == Table::Minimal {
            join_memory(&mut batch.calls);
        }
        calls.extend(batch.calls);
    }
    for (event, _) in &halves.open {
        unended(*event, &mut calls);
    }
    both_alike(&mut calls);
    ListCalls {
        list: id,
        events: halves.events,
        calls,
    }
}

/// vkd3d-proton leaves out calls of nothing but such entries.
fn waits_for_nothing(barrier: &Barrier) -> bool {
    barrier.sync_before.is_empty() && barrier.as_texture().is_none()
}

fn fenced(mut entry: Entry) -> Entry {
    let note = "a fence barrier: an event does it on one queue; between queues, end the command buffer here and use a \
                timeline semaphore";
    entry.notes.push(note.to_owned());
    entry
}

/// What a half of a split barrier becomes.
fn split(
    words: &Words<'_>,
    barrier: &Barrier,
    entry: Entry,
    halves: &mut Halves,
    queue: QueueType,
) -> (CallKind, Entry) {
    if words.table == Table::Vkd3dProton {
        return vkd3d_split(barrier, entry);
    }
    if barrier.sync_after.is_split() {
        if matches!(barrier.target, BarrierTarget::Global) {
            return (
                CallKind::Nothing,
                vanished(entry, "a global barrier cannot be split"),
            );
        }
        let event = halves.events;
        halves.events += 1;
        halves.open.push((event, barrier.clone()));
        return (CallKind::SetEvent(event), entry);
    }
    let same = |(_, begin): &(u32, Barrier)| {
        begin.resource() == barrier.resource() && begin.target == barrier.target
    };
    if let Some(at) = halves.open.iter().position(same) {
        let (event, begin) = halves.open.remove(at);
        return (
            CallKind::WaitEvent(event),
            whole(words, &begin, entry, queue),
        );
    }
    let mut entry = after_everything(entry);
    let note = "its first half is in another list: nothing is left to hide, one barrier does both";
    entry.notes.push(note.to_owned());
    (CallKind::Barrier, entry)
}

/// The second half with the source of the first: both calls of an event have the same dependency.
fn whole(words: &Words<'_>, begin: &Barrier, entry: Entry, queue: QueueType) -> Entry {
    let first = words
        .table
        .side(&words.ask(DependencySide::Source, begin, queue));
    with_source(entry, first.stages, Some(first.access))
}

fn after_everything(entry: Entry) -> Entry {
    with_source(entry, StageFlags::ALL_COMMANDS, None)
}

fn with_source(mut entry: Entry, stages: StageFlags, access: Option<AccessFlags>) -> Entry {
    let masks = match &mut entry.form {
        Form::Memory(masks) | Form::Buffer(_, masks) | Form::Image { masks, .. } => masks,
        Form::Nothing => return entry,
    };
    masks.src_stages = stages;
    if let Some(access) = access {
        masks.src_access = access;
    }
    entry
}

fn vkd3d_split(barrier: &Barrier, entry: Entry) -> (CallKind, Entry) {
    match (
        barrier.as_texture().is_some(),
        barrier.sync_after.is_split(),
    ) {
        (false, _) => {
            let why = "a split barrier on a buffer: both halves are left out";
            (CallKind::Nothing, vanished(entry, why))
        }
        (true, true) => {
            let why =
                "the first half of a split barrier is left out; the second waits for everything";
            (CallKind::Nothing, vanished(entry, why))
        }
        (true, false) => (CallKind::Barrier, after_everything(entry)),
    }
}

fn vanished(mut entry: Entry, why: &str) -> Entry {
    entry.form = Form::Nothing;
    entry.notes = vec![why.to_owned()];
    entry
}

/// A first half whose second is not in its list: what waits for an event has the same dependency, which this list does not
/// know. Nothing is recorded; the second half waits for everything.
fn unended(event: u32, calls: &mut [Call]) {
    for call in calls
        .iter_mut()
        .filter(|call| call.kind == CallKind::SetEvent(event))
    {
        call.kind = CallKind::Nothing;
        for entry in &mut call.entries {
            entry.form = Form::Nothing;
            entry.notes.clear();
            let why = "its second half is in another list: that one waits for everything";
            entry.notes.push(why.to_owned());
        }
    }
}

/// Setting an event and waiting for it name the same dependency.
fn both_alike(calls: &mut [Call]) {
    for at in 0..calls.len() {
        let CallKind::WaitEvent(event) = calls[at].kind else {
            continue;
        };
        let form = calls[at].entries[0].form.clone();
        for call in calls
            .iter_mut()
            .filter(|call| call.kind == CallKind::SetEvent(event))
        {
            call.entries[0].form = form.clone();
        }
    }
}

/// Entries of one D3D12 call that move no layout and name textures hand memory from one alias to another: in Vulkan they are
/// one memory barrier, or what the old alias wrote would not be made visible to the new one.
fn join_memory(calls: &mut [Call]) {
    let handed =
        |entry: &Entry| entry.asked.as_texture().is_some() && matches!(entry.form, Form::Memory(_));
    let all = |calls: &[Call]| -> Vec<Masks> {
        let entries = calls.iter().filter(|call| call.kind == CallKind::Barrier);
        let entries = entries.flat_map(|call| &call.entries);
        let handed = entries.filter(|entry| handed(entry));
        handed
            .filter_map(|entry| entry.form.masks().copied())
            .collect()
    };
    let found = all(calls);
    if found.len() < 2 {
        return;
    }
    let joined = found
        .into_iter()
        .fold(Masks::default(), |set, masks| Masks {
            src_stages: set.src_stages | masks.src_stages,
            src_access: set.src_access | masks.src_access,
            dst_stages: set.dst_stages | masks.dst_stages,
            dst_access: set.dst_access | masks.dst_access,
        });
    for call in calls
        .iter_mut()
        .filter(|call| call.kind == CallKind::Barrier)
    {
        for entry in call.entries.iter_mut().filter(|entry| handed(entry)) {
            entry.form = Form::Memory(joined);
            let why = "memory handed from alias to alias in one call: every such entry has the masks of all";
            entry.notes.push(why.to_owned());
        }
    }
}

/// Entries of one D3D12 call in as few Vulkan calls as say the same: entries of one Vulkan call have no order, so a
/// resource that comes again, and a memory barrier next to others, begin a new one.
struct Batch {
    span: Span,
    calls: Vec<Call>,
}

impl Batch {
    fn new(span: Span) -> Self {
        Self {
            span,
            calls: Vec::new(),
        }
    }

    fn add(&mut self, kind: CallKind, entry: Entry) {
        let kind = if entry.form == Form::Nothing && kind == CallKind::Barrier {
            CallKind::Nothing
        } else {
            kind
        };
        if let Some(last) = self.calls.last_mut()
            && last.kind == kind
            && !matches!(kind, CallKind::SetEvent(_) | CallKind::WaitEvent(_))
            && (kind == CallKind::Nothing
                || last.entries.iter().all(|known| unordered(known, &entry)))
        {
            last.entries.push(entry);
            return;
        }
        self.calls.push(Call {
            span: self.span,
            kind,
            entries: vec![entry],
        });
    }
}

/// Whether two entries need no order between them.
fn unordered(first: &Entry, second: &Entry) -> bool {
    let memory = |entry: &Entry| matches!(entry.form, Form::Memory(_));
    memory(first) == memory(second) && first.asked.resource() != second.asked.resource()
}
