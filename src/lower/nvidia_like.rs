//! `nvidia_like`: what a driver does whose waits are for whole queues and which drops caches by what comes next.
//!
//! A barrier that names any work waits for the whole queue. Which caches are dropped only depends on `AccessAfter`, whole
//! caches at a time: whatever the accesses before were, a shader read or a copy read after drops what shaders read
//! through, a constant read drops the constant caches. An access that only writes needs no drop; unordered access reads as
//! well. What `precise` would write back or convert is
//! written back and converted. Beyond that it does what was measured and has a price in the profile: the second half of a
//! split barrier waits again, every access after makes the front end wait and what the CPU could see be written, the first
//! wait of a list and a depth buffer whose contents are dropped take their time. Without a price nothing of it happens.

use super::{Entry, Lowering, PRECISE, Policy, Session, SinceLastWait, StepDraft};
use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, QueueType};
use crate::hardware::{Client, Profile};
use crate::id::CacheId;
use crate::program::Why;
use crate::scenario::BarrierTarget;
use crate::time::Ps;

/// `nvidia_like`.
#[derive(Debug)]
pub struct NvidiaLike;

/// The one value.
pub static NVIDIA_LIKE: NvidiaLike = NvidiaLike;

impl Lowering for NvidiaLike {
    fn name(&self) -> &'static str {
        "nvidia_like"
    }

    fn summary(&self) -> &'static str {
        "waits for whole queues; drops whole caches by AccessAfter only"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for NvidiaLike {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let profile = session.profile();
        let mut draft = PRECISE.draft(session, entry);
        // The second half of a split barrier is a wait as well, where the profile knows what it costs.
        if !draft.wait.is_empty() || (entry.is_split_end && profile.costs.split > Ps::ZERO) {
            draft.wait = LeafSet::ALL;
            draft.hold = LeafSet::ALL;
        }
        // What `precise` only drops for this entry is dropped whole, and what its accesses after read through as well.
        let drops = |step: &StepDraft| matches!(step, StepDraft::Invalidate { .. });
        // Drops before a layout operation are the operation's own: these come after it.
        let layout = |step: &StepDraft| matches!(step, StepDraft::Layout(_));
        let layout = draft.steps.iter().rposition(layout);
        let last = draft.steps.iter().rposition(drops);
        let place = last
            .filter(|last| layout.is_none_or(|layout| layout < *last))
            .map_or_else(
                || {
                    let front = |step: &StepDraft| matches!(step, StepDraft::FrontEnd { .. });
                    let end = draft.steps.len();
                    draft.steps.iter().position(front).unwrap_or(end)
                },
                |last| last + 1,
            );
        if entry.acts() {
            let whole =
                caches_of(profile, entry)
                    .into_iter()
                    .map(|(cache, why)| StepDraft::Invalidate {
                        cache,
                        everything: true,
                        why,
                    });
            draft.steps.splice(place..place, whole);
            drop_once(&mut draft.steps);
        }
        if !draft.wait.is_empty() {
            let front_end = |step: &StepDraft| matches!(step, StepDraft::FrontEnd { .. });
            let has_front_end = draft.steps.iter().any(front_end);
            draft.steps.extend(own_steps(session, entry, has_front_end));
        }
        session.barrier(entry, &draft);
    }
}

/// What this driver does beyond waits and caches, where the profile says what it costs.
fn own_steps(session: &Session<'_, '_>, entry: &Entry<'_>, has_front_end: bool) -> Vec<StepDraft> {
    let profile = session.profile();
    let costs = &profile.costs;
    let mut steps = Vec::new();
    if session.since_wait() == SinceLastWait::NewList && !entry.is_split_end {
        let why = "the list starts";
        steps.extend(own("wait", first_wait(profile, entry), why));
    }
    // What is named after decides, not what the stages could do with it.
    let everything = entry.acts() && entry.barrier.access_after == BarrierAccess::COMMON;
    if everything && costs.every_access > Ps::ZERO {
        let why = "every access follows";
        if !has_front_end {
            let why = Why::Text(why);
            steps.push(StepDraft::FrontEnd { why });
        }
        if !session.is_copying() {
            steps.extend(own("membar", costs.every_access, why));
        }
        if session.is_graphics() {
            steps.extend(own("graphics caches", costs.every_access_graphics, why));
        }
    }
    if discards_depth(session, entry) {
        let why = "the contents are discarded";
        let bytes = session.bytes_of(entry);
        let takes = Ps::for_amount(bytes, costs.depth_discard_bytes).min(costs.depth_discard);
        steps.extend(own("depth metadata", takes, why));
    }
    if entry.is_split_begin {
        let why = "the second half asks whether this one is over";
        steps.extend(own("event", costs.split, why));
    }
    if entry.is_split_end && session.since_wait() != SinceLastWait::Work {
        let takes = profile.drain(Leaf::ComputeShading).cost;
        steps.extend(own("wait", takes, "the first half may not be over"));
    }
    steps
}

/// A step of the driver's own, if it takes any time.
fn own(op: &'static str, takes: Ps, why: &'static str) -> Option<StepDraft> {
    let why = Why::Text(why);
    (takes > Ps::ZERO).then_some(StepDraft::Driver { op, takes, why })
}

/// The first wait of a list, with no work before it.
fn first_wait(profile: &Profile, entry: &Entry<'_>) -> Ps {
    let costs = &profile.costs;
    match entry.queue {
        QueueType::Direct if entry.before.stages == Leaf::RenderTarget.into() => {
            costs.first_wait_colour
        }
        QueueType::Direct => costs.first_wait,
        QueueType::Compute => costs.first_wait_compute,
        _ => Ps::ZERO,
    }
}

/// Whether an entry drops the contents of a depth buffer.
fn discards_depth(session: &Session<'_, '_>, entry: &Entry<'_>) -> bool {
    let discards = matches!(
        entry.barrier.target,
        BarrierTarget::Texture {
            layout_before: Layout::Undefined,
            discard: true,
            ..
        }
    );
    discards && entry.resource.is_some_and(|r| session.is_depth(r))
}

/// Caches below the level where everyone meets that the accesses after read through.
fn caches_of(profile: &Profile, entry: &Entry<'_>) -> Vec<(CacheId, Why)> {
    let mut found: Vec<(CacheId, Why)> = Vec::new();
    let reads = |access: &BarrierAccess| access.reads();
    for access in entry.after.accesses.iter().filter(reads) {
        let mut readers = vec![Client::of(access, entry.queue)];
        if access == BarrierAccess::COPY_SOURCE {
            // The copy itself may be done by shaders.
            readers.push(Client::Access(BarrierAccess::SHADER_RESOURCE));
        }
        for path in readers
            .iter()
            .flat_map(|reader| profile.read_paths(*reader))
        {
            for cache in profile.path(*path) {
                let state = profile.cache(*cache);
                if state.parent.is_some()
                    && !state.refreshed
                    && found.iter().all(|(c, _)| c != cache)
                {
                    found.push((*cache, Why::After(access)));
                }
            }
        }
    }
    found
}

/// A cache that is dropped whole need not be dropped in part as well.
fn drop_once(steps: &mut Vec<StepDraft>) {
    let whole: Vec<_> = steps
        .iter()
        .filter_map(|step| match step {
            StepDraft::Invalidate {
                cache,
                everything: true,
                ..
            } => Some(*cache),
            _ => None,
        })
        .collect();
    let layout = steps
        .iter()
        .rposition(|step| matches!(step, StepDraft::Layout(_)));
    let mut at = 0;
    steps.retain(|step| {
        at += 1;
        // Drops before a layout operation are the operation's own.
        let own = layout.is_some_and(|layout| at <= layout);
        !matches!(step, StepDraft::Invalidate { cache, everything: false, .. }
            if !own && whole.contains(cache))
    });
}
