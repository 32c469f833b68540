//! `nvidia_like`: what a driver does whose waits are for whole queues and which drops caches by what comes next.
//!
//! A barrier that names any work waits for the whole queue. Which caches are dropped follows from `AccessAfter` alone, whole
//! caches at a time: whatever the accesses before were, a shader read or a copy read after drops what shaders read
//! through, a constant read drops the constant caches. Writes need no drop. What `precise` would write back or convert is
//! written back and converted.

use super::session::{Entry, Policy, Session, StepDraft};
use super::{Lowering, PRECISE};
use crate::api::{BarrierAccess, LeafSet};
use crate::hardware::{Client, Profile};
use crate::program::Why;

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
        "waits for whole queues; AccessAfter alone says which caches are dropped, whole ones"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for NvidiaLike {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let profile = session.profile();
        let mut draft = PRECISE.draft(profile, entry);
        if !draft.wait.is_empty() {
            draft.wait = LeafSet::ALL;
            draft.hold = LeafSet::ALL;
        }
        // What `precise` drops for this entry alone is dropped whole, and what its accesses after read through as well.
        let drops = |step: &StepDraft| matches!(step, StepDraft::Invalidate { .. });
        let place = draft.steps.iter().rposition(drops).map_or_else(
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
        session.barrier(entry, draft);
    }
}

/// Caches below the level where everyone meets that the accesses after read through.
fn caches_of(profile: &Profile, entry: &Entry<'_>) -> Vec<(crate::id::CacheId, Why)> {
    let mut found: Vec<(crate::id::CacheId, Why)> = Vec::new();
    for access in entry.after.accesses.iter().filter(|a| !a.writes()) {
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

/// A cache that is dropped whole need not be dropped in part beside it.
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
