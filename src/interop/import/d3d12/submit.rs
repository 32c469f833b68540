//! Queues, fences, presents, and what the CPU waits for.

use super::{Call, D3d12, objects, stranger};
use crate::interop::import::draft::{Entry, Recorded};
use crate::interop::import::report::Notes;
use crate::lookup::LookupMap;
use crate::scenario::{Barrier, BarrierRange, CommandKind, Initial, Range};

/// Queues and fences by handle.
#[derive(Default)]
pub(super) struct Submits {
    queues: LookupMap<u64, usize>,
    fences: LookupMap<u64, usize>,
    /// The last value that the CPU has seen, and the last that was signalled.
    seen: Vec<(u64, u64)>,
    pub(super) frame: u64,
}

impl Submits {
    pub(super) fn add_queue(&mut self, handle: u64) {
        let next = self.queues.len();
        self.queues.insert(handle, next);
    }

    pub(super) fn fence(&mut self, handle: u64, first: u64) -> usize {
        self.fences.insert(handle, self.seen.len());
        self.seen.push((first, first));
        self.seen.len() - 1
    }

    pub(super) fn fence_count(&self) -> usize {
        self.seen.len()
    }
}

pub(super) fn handler(name: &str) -> Option<super::Handler> {
    Some(match name {
        "ExecuteCommandLists" => execute,
        "Signal" => signal,
        "Wait" => wait,
        "SetEventOnCompletion" => |d, n, c| {
            n.read("`SetEventOnCompletion`: as a wait of the CPU at the call");
            d.cpu_wait(n, c.object, c.a.u64("Value"));
        },
        "SetEventOnMultipleFenceCompletion" => |d, n, c| {
            let fences: Vec<u64> = c.a.numbers("ppFences").collect();
            if super::words::has(c.a.get("Flags"), 1, "ANY") && fences.len() > 1 {
                return n.dropped(
                    "waits of the CPU for any of several fences: which one it was is not known",
                );
            }
            for (fence, value) in fences.into_iter().zip(c.a.numbers("pFenceValues")) {
                d.cpu_wait(n, fence, value);
            }
        },
        "GetCompletedValue" => |d, n, c| {
            let value = objects::number(d.returned.trim_matches('"'));
            d.cpu_wait(n, c.object, value);
        },
        "Present" | "Present1" => present,
        _ => return None,
    })
}

impl D3d12 {
    fn keeps(&self) -> bool {
        self.submits.frame >= self.window.from
    }

    /// The CPU sees a fence at a value.
    fn cpu_wait(&mut self, _: &mut Notes, fence: u64, value: u64) {
        let Some(fence) = self.submits.fences.get(&fence).copied() else {
            return;
        };
        let (seen, signalled) = &mut self.submits.seen[fence];
        let value = value.min(*signalled);
        if value <= *seen {
            return;
        }
        *seen = value;
        if self.keeps() {
            let call = self.call;
            self.draft.push(Entry::Wait {
                queue: None,
                fence,
                value,
                call,
            });
        }
    }
}

fn execute(d: &mut D3d12, notes: &mut Notes, c: Call<'_>) {
    let Some(queue) = d.submits.queues.get(&c.object).copied() else {
        return stranger(notes, "queue");
    };
    let mut lists = Vec::new();
    for handle in c.a.numbers("ppCommandLists") {
        let Some(list) = d.lists.get(&handle) else {
            stranger(notes, "command list");
            continue;
        };
        if list.commands.is_empty() {
            continue;
        }
        lists.push(Recorded {
            name: list.name.clone(),
            queue_type: list.queue_type,
            commands: list.commands.clone(),
        });
    }
    if !d.keeps() {
        return d.move_on(&lists);
    }
    notes.report.submissions += lists.len() as u64;
    notes.report.commands += lists
        .iter()
        .map(|list| list.commands.len() as u64)
        .sum::<u64>();
    if !lists.is_empty() {
        let call = d.call;
        let work = lists.into_iter().map(|list| d.draft.list(list)).collect();
        d.draft.push(Entry::Execute {
            queue,
            work,
            call,
            goes_on: false,
            runs_on: false,
        });
    }
}

impl D3d12 {
    /// What lists before the first frame that is kept leave: the states and layouts of whole resources.
    fn move_on(&mut self, lists: &[Recorded]) {
        for command in lists.iter().flat_map(|list| &list.commands) {
            for entry in command.kind.legacy() {
                if let Some(it) = entry.kind.as_transition()
                    && it.range == Range::All
                {
                    self.draft.begins(it.resource, Initial::State(it.after));
                }
            }
            if let CommandKind::Barrier(entries) = &command.kind {
                for (resource, entry) in entries.iter().filter_map(Barrier::named_texture) {
                    if entry.range == BarrierRange::Range(Range::All) && !entry.is_memory_only() {
                        self.draft
                            .begins(resource, Initial::Layout(entry.layout_after));
                    }
                }
            }
        }
    }
}

/// `ID3D12CommandQueue::Signal`, or `ID3D12Fence::Signal`: the object says which.
fn signal(d: &mut D3d12, notes: &mut Notes, c: Call<'_>) {
    let (queue, handle) = match d.submits.queues.get(&c.object) {
        Some(queue) => (Some(*queue), c.a.u64("pFence")),
        None => (None, c.object),
    };
    let Some(fence) = d.submits.fences.get(&handle).copied() else {
        return stranger(notes, "fence");
    };
    let value = c.a.u64("Value");
    let (seen, signalled) = &mut d.submits.seen[fence];
    *signalled = value.max(*signalled);
    if queue.is_none() {
        *seen = value.max(*seen);
    }
    if d.keeps() {
        let call = d.call;
        d.draft.push(Entry::Signal {
            queue,
            fence,
            value,
            call,
        });
    } else {
        d.draft.first_value(fence, value);
    }
}

fn wait(d: &mut D3d12, notes: &mut Notes, c: Call<'_>) {
    let queue = d.submits.queues.get(&c.object).copied();
    let fence = d.submits.fences.get(&c.a.u64("pFence")).copied();
    let (Some(queue), Some(fence)) = (queue, fence) else {
        return stranger(notes, "queue or fence");
    };
    if d.keeps() {
        let (value, call) = (c.a.u64("Value"), d.call);
        d.draft.push(Entry::Wait {
            queue: Some(queue),
            fence,
            value,
            call,
        });
    }
}

fn present(d: &mut D3d12, notes: &mut Notes, c: Call<'_>) {
    // A test presents nothing.
    if super::words::has(c.a.get("Flags"), 1, "PRESENT_TEST") {
        return;
    }
    let keeps = d.keeps();
    d.submits.frame += 1;
    let Some(chain) = d.objects.chains.get_mut(&c.object) else {
        return stranger(notes, "swapchain");
    };
    let count = chain.buffers.len().max(1);
    let current = chain
        .buffers
        .get(chain.current % count)
        .copied()
        .unwrap_or(0);
    chain.current = (chain.current + 1) % count;
    let queue = d.submits.queues.get(&chain.queue).copied();
    if !keeps {
        return;
    }
    notes.report.frames_kept += 1;
    if let (Some(queue), Some(resource)) = (queue, d.resource(notes, current)) {
        let call = d.call;
        d.draft.push(Entry::Present {
            queue,
            resource,
            call,
        });
    }
}
