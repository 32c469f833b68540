//! Fence barriers read as what they do inside one list: a signal barrier and the wait barrier that takes it up are the
//! two halves of a split barrier.
//!
//! Fence barriers are a preview. An entry of a signal barrier with `SyncAfter NONE` and one of a later wait barrier of
//! the same list with `SyncBefore NONE`, on the same fence and subresources, become the start and the end of a split
//! barrier: `SyncBefore` and `AccessBefore` of the first, `SyncAfter` and `AccessAfter` of the second, the layouts of
//! whichever has them (reading R27 says when such a pair acts). A pair of global entries, which cannot be split, becomes
//! one barrier in the place of the wait: that waits for more than was asked, never for less. Entries without a partner, of
//! work on other queues, stay as they are. Fences, values and places in the text stay too.

use crate::api::{BarrierAccess, BarrierSync};
use crate::id::FenceId;
use crate::scenario::{Barrier, BarrierTarget, Command, CommandKind, Scenario};

/// An entry of a signal barrier that no wait barrier has taken up.
struct Open {
    fence: FenceId,
    value: u64,
    command: usize,
    entry: usize,
}

/// Pairs fence barriers inside each list. A scenario without fence barriers comes back as it is.
pub fn pair_fence_barriers(mut scenario: Scenario) -> Scenario {
    for list in &mut scenario.lists {
        let is_fence = |c: &Command| matches!(c.kind, CommandKind::FenceBarrier { .. });
        if list.commands.iter().any(is_fence) {
            pair(&mut list.commands);
        }
    }
    scenario
}

fn pair(commands: &mut [Command]) {
    let mut open: Vec<Open> = Vec::new();
    for index in 0..commands.len() {
        let Some((signal, fence, value)) = commands[index].kind.fence_step() else {
            continue;
        };
        for entry in 0..entries(commands, index).len() {
            let this = entries(commands, index)[entry].clone();
            if signal && this.sync_after == BarrierSync::NONE {
                open.push(Open {
                    fence,
                    value,
                    command: index,
                    entry,
                });
            } else if !signal && this.sync_before == BarrierSync::NONE {
                let partner = open.iter().position(|it| {
                    let start = &entries(commands, it.command)[it.entry];
                    it.fence == fence && it.value >= value && is_same_target(start, &this)
                });
                if let Some(at) = partner {
                    let signal = open.remove(at);
                    let mut start = entries(commands, signal.command)[signal.entry].clone();
                    let mut end = this;
                    join(&mut start, &mut end);
                    *entry_mut(commands, signal.command, signal.entry) = start;
                    *entry_mut(commands, index, entry) = end;
                }
            }
        }
    }
}

/// Entries of a fence barrier.
fn entries(commands: &[Command], index: usize) -> &[Barrier] {
    commands[index].kind.barriers()
}

fn entry_mut(commands: &mut [Command], index: usize, entry: usize) -> &mut Barrier {
    let CommandKind::FenceBarrier { barriers, .. } = &mut commands[index].kind else {
        unreachable!("only entries of fence barriers are paired");
    };
    &mut barriers[entry]
}

/// Whether two entries are on the same resource and subresources.
pub fn is_same_target(a: &Barrier, b: &Barrier) -> bool {
    match (&a.target, &b.target) {
        (BarrierTarget::Global, BarrierTarget::Global) => true,
        (BarrierTarget::Texture(a), BarrierTarget::Texture(b)) => {
            a.resource == b.resource && a.range == b.range
        }
        (
            BarrierTarget::Buffer { resource, .. },
            BarrierTarget::Buffer {
                resource: other, ..
            },
        ) => resource == other,
        _ => false,
    }
}

/// Makes halves of a split barrier of the two, or one whole barrier of two global ones.
fn join(start: &mut Barrier, end: &mut Barrier) {
    end.access_before = start.access_before;
    start.access_after = end.access_after;
    if matches!(start.target, BarrierTarget::Global) {
        end.sync_before = start.sync_before;
        start.sync_before = BarrierSync::NONE;
        (start.access_before, start.access_after) =
            (BarrierAccess::NO_ACCESS, BarrierAccess::NO_ACCESS);
        return;
    }
    start.sync_after = BarrierSync::SPLIT;
    end.sync_before = BarrierSync::SPLIT;
    let (Some(start), Some(end)) = (start.as_texture_mut(), end.as_texture_mut()) else {
        return;
    };
    if end.is_memory_only() {
        (end.layout_before, end.layout_after) = start.layouts();
    } else if start.is_memory_only() {
        (start.layout_before, start.layout_after) = end.layouts();
    }
}
