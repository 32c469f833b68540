super::lowering! {
    /// **What it does.** A barrier that names any work waits for the whole queue. What is dropped follows from `AccessAfter` alone,
    /// whole caches at a time, whatever came before: a shader read or a copy read drops what shaders read through, a constant read
    /// drops the constant caches, and an access that only writes drops nothing. What `precise` would write back or convert is written
    /// back and converted.
    ///
    /// **Whom it is shaped after.** Mesa's nvk: `WAIT_FOR_IDLE`, invalidates without a wait, and no work that depends on a layout,
    /// because compression is a property of pages. What it does beyond that was measured on an H100 and has a price in the profile
    /// `hopper` only ([the machine](../machine.md#hopper-and-how-well-it-is-fitted)): the second half of a split barrier waits again,
    /// every access after makes the front end wait and what the CPU could see be written, the first wait of a list and a depth buffer
    /// whose contents are dropped take their time. Without a price nothing of it happens.
    ///
    /// **What it costs.** Drops that nobody needs, after reads for instance.
    ///
    /// **Limits.** A shader's write is followed by a wait for idle like any other; nvk writes a shader's data out with one command
    /// that waits as well.
    pub NvidiaLike = "nvidia_like",
        "waits for whole queues; drops whole caches by AccessAfter only";
}

use super::{Entry, PRECISE, Policy, Session, SinceLastWait, StepDraft};
use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, QueueType};
use crate::hardware::{Client, Profile};
use crate::id::CacheId;
use crate::program::Why;
use crate::time::Ps;

/// The one value.
pub static NVIDIA_LIKE: NvidiaLike = NvidiaLike;

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
    let texture = entry.barrier.as_texture();
    texture.is_some_and(|it| it.discard && it.layout_before == Layout::Undefined)
        && entry.resource.is_some_and(|r| session.is_depth(r))
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
