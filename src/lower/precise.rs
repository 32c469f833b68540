//! The reference lowering: exactly the operations that follow from the profile's paths, for each barrier by itself.

use super::Lowering;
use super::derive::{
    needed_before_overwrite, needed_before_replacing, needed_ops, needed_to_extend,
};
use super::session::{Draft, Entry, Policy, Session, StepDraft};
use crate::api::{BarrierAccess, LeafSet, QueueType};
use crate::hardware::{Client, Profile};
use crate::id::CacheId;
use crate::program::Why;

/// `precise`.
#[derive(Debug)]
pub struct Precise;

/// The one value.
pub static PRECISE: Precise = Precise;

impl Lowering for Precise {
    fn name(&self) -> &'static str {
        "precise"
    }

    fn summary(&self) -> &'static str {
        "waits for SyncBefore, does what the profile's cache paths ask for, holds SyncAfter"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for Precise {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        session.barrier(entry, self.draft(session.profile(), entry));
    }
}

impl Precise {
    /// What an entry becomes, for lowerings that change something about it.
    #[allow(clippy::unused_self)] // a lowering's verb, called on the lowering
    pub(super) fn draft(&self, profile: &Profile, entry: &Entry<'_>) -> Draft {
        let mut draft = entry.draft(entry.before.stages, entry.after.stages);
        // A split pair acts once: the first half waits and operates, the second holds.
        if entry.is_split_end {
            draft.wait = LeafSet::EMPTY;
        }
        if entry.acts() {
            draft.steps = steps(profile, entry);
        }
        if entry.is_split_begin {
            draft.hold = LeafSet::EMPTY;
        }
        if profile.drains_queue {
            whole_queue(&mut draft);
        }
        draft
    }
}

/// On a machine that cannot wait for less, a wait is for the whole queue and holds the whole queue (reading R46).
fn whole_queue(draft: &mut Draft) {
    if !draft.wait.is_empty() {
        draft.wait = LeafSet::ALL;
        draft.hold = LeafSet::ALL;
    } else if !draft.hold.is_empty() {
        draft.hold = LeafSet::ALL;
    }
}

/// Operations found so far, each cache once with the first reason.
#[derive(Default)]
struct Found {
    clean: Vec<(CacheId, Why)>,
    invalidate: Vec<(CacheId, Why)>,
}

fn note(list: &mut Vec<(CacheId, Why)>, caches: &[CacheId], why: Why) {
    for cache in caches {
        if list.iter().all(|(c, _)| c != cache) {
            list.push((*cache, why));
        }
    }
}

/// Steps of an entry in order: cleans, layout operation, cleans of what that wrote, invalidates, front end.
fn steps(profile: &Profile, entry: &Entry<'_>) -> Vec<StepDraft> {
    let queue = entry.queue;
    let mut found = pairs(profile, entry);
    let mut steps = Vec::new();
    match &entry.layout {
        None => clean(&mut steps, &found.clean),
        Some(layout) => {
            // The operation is an access of its own: it reads and overwrites what the accesses before have written, and
            // the accesses after read what it has written.
            let why = Why::Text("the layout operation reads and rewrites the texture");
            let mut before = Found::default();
            for write in bits((entry.before.accesses & BarrierAccess::WRITES) | entry.given_up) {
                let client = Client::of(write, queue);
                let needed = needed_ops(profile, client, Client::LayoutOperation);
                note(&mut before.clean, &needed.clean, why);
                note(&mut before.invalidate, &needed.invalidate, why);
                note(
                    &mut before.clean,
                    &needed_before_overwrite(profile, client, Client::LayoutOperation),
                    why,
                );
            }
            clean(&mut steps, &before.clean);
            invalidate(&mut steps, &before.invalidate);
            steps.push(StepDraft::Layout(*layout));
            let why = Why::Text("the layout operation has rewritten the texture");
            let mut after = Found::default();
            for access in bits(entry.after.accesses) {
                let client = Client::of(access, queue);
                let needed = if access.writes() {
                    note(
                        &mut after.clean,
                        &needed_before_overwrite(profile, Client::LayoutOperation, client),
                        why,
                    );
                    if !both(access) {
                        continue;
                    }
                    needed_ops(profile, Client::LayoutOperation, client)
                } else {
                    needed_ops(profile, Client::LayoutOperation, client)
                };
                note(&mut after.clean, &needed.clean, why);
                note(&mut after.invalidate, &needed.invalidate, why);
            }
            // What the pairs ask for beyond the operation's own needs comes after it.
            found
                .clean
                .retain(|(cache, _)| before.clean.iter().all(|(c, _)| c != cache));
            for (cache, why) in after.clean {
                note(&mut found.clean, &[cache], why);
            }
            for (cache, why) in after.invalidate {
                note(&mut found.invalidate, &[cache], why);
            }
            clean(&mut steps, &found.clean);
        }
    }
    invalidate(&mut steps, &found.invalidate);
    let front_end = profile.front_end_readers;
    if !entry.before.stages.is_empty() && entry.after.accesses.intersects(front_end) {
        let why = Why::Text("the front end reads ahead");
        steps.push(StepDraft::FrontEnd { why });
    }
    steps
}

fn clean(steps: &mut Vec<StepDraft>, caches: &[(CacheId, Why)]) {
    steps.extend(caches.iter().map(|(cache, why)| StepDraft::Clean {
        cache: *cache,
        everything: false,
        why: *why,
    }));
}

fn invalidate(steps: &mut Vec<StepDraft>, caches: &[(CacheId, Why)]) {
    steps.extend(caches.iter().map(|(cache, why)| StepDraft::Invalidate {
        cache: *cache,
        everything: false,
        why: *why,
    }));
}

fn bits(accesses: BarrierAccess) -> impl Iterator<Item = BarrierAccess> {
    accesses.iter()
}

/// Whether an access bit that writes may read as well.
fn both(access: BarrierAccess) -> bool {
    const BOTH: BarrierAccess = BarrierAccess::UNORDERED_ACCESS
        .union(BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE);
    BOTH.intersects(access)
}

/// What each access before needs for each access after.
fn pairs(profile: &Profile, entry: &Entry<'_>) -> Found {
    let queue = entry.queue;
    let mut found = Found::default();
    for before in bits(entry.given_up) {
        let source = Client::of(before, queue);
        for after in bits(entry.after.accesses).filter(|after| after.writes()) {
            let caches = needed_before_overwrite(profile, source, Client::of(after, queue));
            note(&mut found.clean, &caches, Why::WriteBack(before));
        }
    }
    let leaving = entry.after.accesses.is_empty() && !entry.before.accesses.is_empty();
    for before in bits(entry.before.accesses) {
        let source = Client::of(before, queue);
        if leaving {
            // Nothing is named that follows: an alias of any kind may. Spec: "Resource Aliasing".
            for write in bits(queue_writes(queue)) {
                let writer = Client::of(write, queue);
                let caches = if before.writes() {
                    needed_before_overwrite(profile, source, writer)
                } else {
                    needed_before_replacing(profile, source, writer)
                };
                let why = if before.writes() {
                    Why::WriteBack(before)
                } else {
                    Why::Seen(before)
                };
                note(&mut found.clean, &caches, why);
            }
            continue;
        }
        for after in bits(entry.after.accesses) {
            let target = Client::of(after, queue);
            let why = Why::Pair(before, after);
            if before.writes() {
                if !after.writes() || both(after) {
                    let needed = needed_ops(profile, source, target);
                    note(&mut found.clean, &needed.clean, why);
                    note(&mut found.invalidate, &needed.invalidate, why);
                }
                if after.writes() {
                    let caches = needed_before_overwrite(profile, source, target);
                    note(&mut found.clean, &caches, Why::WriteBack(before));
                }
            }
            if !before.writes() && after.writes() {
                let caches = needed_before_replacing(profile, source, target);
                note(&mut found.clean, &caches, Why::Seen(before));
            }
            if (!before.writes() || both(before)) && (!after.writes() || both(after)) {
                // A version that one access can see is made visible to another (reading R14).
                let needed = needed_to_extend(profile, source, target);
                note(&mut found.clean, &needed.clean, why);
                note(&mut found.invalidate, &needed.invalidate, why);
            }
        }
    }
    found
}

/// Accesses that write on a queue.
fn queue_writes(queue: QueueType) -> BarrierAccess {
    crate::api::compat::queue_accesses(queue) & BarrierAccess::WRITES
}
