super::lowering! {
    /// **What it does.** For each barrier by itself, exactly what follows from the profile's paths. Where the way of a write and the
    /// way of a read meet first in a shared cache, the write-back caches before the meeting point are written back, then the
    /// reader's caches before it are dropped; a layout change runs its operation in between. It waits for `SyncBefore` and holds
    /// `SyncAfter`, for the bytes of the barrier and no others.
    ///
    /// **Whom it is shaped after.** Nobody. It is the reference: other lowerings are compared with it.
    ///
    /// **What it costs.** What each barrier asks for. Barriers that ask for the same twice pay twice.
    ///
    /// **Limits.** It knows one barrier at a time: it neither joins barriers nor remembers what is clean. No driver drops single
    /// lines of a cache of thousands; the machine lets it.
    pub Precise = "precise",
        "waits for SyncBefore, does what the profile's cache paths ask for, holds SyncAfter";
}

use super::derive::{
    needed_before_overwrite, needed_before_replacing, needed_to_extend, needed_to_reach,
};
use super::{Draft, Entry, Policy, Session, StepDraft};
use crate::api::{BarrierAccess, LeafSet, QueueType};
use crate::hardware::{Client, Profile, Routes};
use crate::id::CacheId;
use crate::program::Why;

/// The one value.
pub static PRECISE: Precise = Precise;

impl Policy for Precise {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let draft = self.draft(session, entry);
        session.barrier(entry, &draft);
    }
}

impl Precise {
    /// What an entry becomes, for lowerings that are `precise` but for something: they change the draft and emit it.
    #[allow(
        clippy::unused_self,
        reason = "a lowering's verb, called on the lowering"
    )]
    pub fn draft(&self, session: &mut Session<'_, '_>, entry: &Entry<'_>) -> Draft {
        let profile = session.profile();
        let (wait, hold) = entry.asked();
        let mut draft = entry.draft(wait, hold);
        if entry.acts() {
            draft.steps = session.derived.steps(entry, || steps(profile, entry));
        }
        whole_queue(profile, &mut draft);
        draft
    }
}

/// On a machine that cannot wait for less, a wait is for the whole queue and holds the whole queue (reading R46).
pub(super) fn whole_queue(profile: &Profile, draft: &mut Draft) {
    if !profile.drains_queue() {
        return;
    }
    if !draft.wait.is_empty() {
        draft.wait = LeafSet::ALL;
        draft.hold = LeafSet::ALL;
    } else if !draft.hold.is_empty() {
        draft.hold = LeafSet::ALL;
    }
}

/// Why a cache is written back that a pair need not have clean.
pub(super) const LOSES: &str = "a drop of this cache loses dirty lines";

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

/// What both sides of an entry name in one kind of memory, texels or metadata, and the ways there.
struct Sides<'p> {
    routes: Routes<'p>,
    queue: QueueType,
    before: BarrierAccess,
    given_up: BarrierAccess,
    after: BarrierAccess,
    /// Nothing is named that follows.
    leaving: bool,
    /// The accesses before left it as a layout operation had written it.
    rewritten: bool,
    /// Writes before a layout operation of which a read that comes before it may have seen dirty lines.
    kept: BarrierAccess,
}

/// Both kinds of memory, by every set of ways that the entry's bytes have.
fn sides<'p>(profile: &'p Profile, entry: &Entry<'_>) -> Vec<Sides<'p>> {
    let leaving = entry.after.accesses.is_empty() && !entry.before.accesses.is_empty();
    let nothing = BarrierAccess::empty();
    let only = |touched: bool, accesses| if touched { accesses } else { nothing };
    let mut sides = Vec::with_capacity(1);
    for variant in entry.variants.iter() {
        let kept = |encoded| match entry.layout {
            Some(_) => profile.layout_writes(entry.queue, variant, encoded),
            None => nothing,
        };
        let texels = Sides {
            routes: profile.texel_routes_of(variant),
            queue: entry.queue,
            before: entry.before.accesses,
            given_up: entry.given_up,
            after: entry.after.accesses,
            leaving,
            rewritten: false,
            kept: kept(false),
        };
        sides.push(texels);
        let metadata = entry.metadata;
        if metadata.before || metadata.after {
            sides.push(Sides {
                routes: profile.metadata_routes_of(variant),
                queue: entry.queue,
                before: only(metadata.before, entry.before.accesses),
                given_up: only(metadata.before, entry.given_up),
                after: only(metadata.after, entry.after.accesses),
                leaving: leaving && metadata.before,
                rewritten: !metadata.before,
                kept: if metadata.before { kept(true) } else { nothing },
            });
        }
    }
    sides
}

/// Steps of an entry in order: cleans, layout operation, cleans of what that wrote, invalidates, front end.
fn steps(profile: &Profile, entry: &Entry<'_>) -> Vec<StepDraft> {
    let sides = sides(profile, entry);
    let mut found = Found::default();
    for side in &sides {
        pairs(side, &mut found);
    }
    let why = Why::Text("lines of an earlier alias may be left in this cache");
    let mut leftovers = entry.leftovers.clone();
    // Nothing wrote them back before: a dirty line goes into the next cache, which must not have had its turn.
    leftovers.sort_by_key(|cache| profile.turn(*cache));
    note(&mut found.invalidate, &leftovers, why);
    let mut steps = Vec::new();
    match &entry.layout {
        None => {
            for side in sides.iter().filter(|side| side.rewritten) {
                after_layout(side, &mut found);
            }
            clean(profile, &mut steps, found.clean);
        }
        Some(layout) => {
            // The operation is an access of its own: it reads and overwrites what the accesses before have written, and
            // the accesses after read what it has written.
            let (mut before, mut after) = (Found::default(), Found::default());
            for side in &sides {
                before_layout(side, &mut before);
                after_layout(side, &mut after);
            }
            // What the pairs ask for beyond the operation's own needs comes after it.
            found
                .clean
                .retain(|(cache, _)| before.clean.iter().all(|(c, _)| c != cache));
            clean(profile, &mut steps, before.clean);
            invalidate(profile, &mut steps, &before.invalidate);
            steps.push(StepDraft::Layout(*layout));
            for (cache, why) in after.clean {
                note(&mut found.clean, &[cache], why);
            }
            for (cache, why) in after.invalidate {
                note(&mut found.invalidate, &[cache], why);
            }
            clean(profile, &mut steps, found.clean);
        }
    }
    invalidate(profile, &mut steps, &found.invalidate);
    let front_end = profile.front_end_readers;
    if !entry.before.stages.is_empty() && entry.after.accesses.intersects(front_end) {
        let why = Why::Text("the front end reads ahead");
        steps.push(StepDraft::FrontEnd { why });
    }
    steps
}

/// What a layout operation needs of the accesses before it.
fn before_layout(side: &Sides<'_>, found: &mut Found) {
    let why = Why::Text("the layout operation reads and rewrites the texture");
    let operation = Client::LayoutOperation;
    for write in bits((side.before & BarrierAccess::WRITES) | side.given_up) {
        let client = Client::of(write, side.queue);
        let needed = needed_to_reach(side.routes, client, operation);
        note(&mut found.clean, &needed.clean, why);
        note(&mut found.invalidate, &needed.invalidate, why);
        let caches = needed_before_overwrite(side.routes, client, operation);
        note(&mut found.clean, &caches, why);
    }
    // What a read has seen may be dirty still, in a cache that it shares with a write.
    for read in bits(side.before).filter(|access| !access.writes()) {
        let reader = Client::of(read, side.queue);
        let mut paths = side.routes.read_paths(reader).iter();
        let seen: Vec<CacheId> = paths
            .by_ref()
            .flat_map(|p| side.routes.path(*p))
            .copied()
            .collect();
        for write in bits(side.kept) {
            let writer = Client::of(write, side.queue);
            let mut needed = needed_to_reach(side.routes, writer, operation);
            needed
                .clean
                .extend(needed_before_overwrite(side.routes, writer, operation));
            needed.clean.retain(|cache| seen.contains(cache));
            needed.invalidate.retain(|cache| !seen.contains(cache));
            note(&mut found.clean, &needed.clean, why);
            note(&mut found.invalidate, &needed.invalidate, why);
        }
    }
}

/// What the accesses after a layout operation need of it.
fn after_layout(side: &Sides<'_>, found: &mut Found) {
    let why = Why::Text("the layout operation has rewritten the texture");
    let operation = Client::LayoutOperation;
    for access in bits(side.after) {
        let client = Client::of(access, side.queue);
        if access.writes() {
            let caches = needed_before_overwrite(side.routes, operation, client);
            note(&mut found.clean, &caches, why);
            if !access.reads() {
                continue;
            }
        }
        let needed = needed_to_reach(side.routes, operation, client);
        note(&mut found.clean, &needed.clean, why);
        note(&mut found.invalidate, &needed.invalidate, why);
    }
}

/// Writes caches back, each before those that its lines go into: what a cache gets after its own turn stays there.
fn clean(profile: &Profile, steps: &mut Vec<StepDraft>, mut caches: Vec<(CacheId, Why)>) {
    caches.sort_by_key(|(cache, _)| profile.turn(*cache));
    steps.extend(caches.into_iter().map(|(cache, why)| StepDraft::Clean {
        cache,
        everything: false,
        why,
    }));
}

/// Drops caches. Those that would lose dirty lines are written back first, whatever the pairs ask for: a line has neighbours.
fn invalidate(profile: &Profile, steps: &mut Vec<StepDraft>, caches: &[(CacheId, Why)]) {
    let dropped: Vec<CacheId> = caches.iter().map(|(cache, _)| *cache).collect();
    let kept = profile.kept_before_drop(&dropped);
    if !kept.iter().all(|cache| is_clean(steps, *cache)) {
        let why = Why::Text(LOSES);
        clean(
            profile,
            steps,
            kept.into_iter().map(|cache| (cache, why)).collect(),
        );
    }
    steps.extend(caches.iter().map(|(cache, why)| StepDraft::Invalidate {
        cache: *cache,
        everything: false,
        why: *why,
    }));
}

/// Whether steps have written a cache back since a layout operation wrote.
fn is_clean(steps: &[StepDraft], of: CacheId) -> bool {
    let since = steps
        .iter()
        .rev()
        .take_while(|step| !matches!(step, StepDraft::Layout(_)));
    let mut cleans = since.filter_map(|step| match step {
        StepDraft::Clean { cache, .. } => Some(*cache),
        _ => None,
    });
    cleans.any(|cache| cache == of)
}

fn bits(accesses: BarrierAccess) -> impl Iterator<Item = BarrierAccess> {
    accesses.iter()
}

/// What each access before needs for each access after.
fn pairs(side: &Sides<'_>, found: &mut Found) {
    let (routes, queue) = (side.routes, side.queue);
    for before in bits(side.given_up) {
        let source = Client::of(before, queue);
        for after in bits(side.after).filter(|after| after.writes()) {
            let caches = needed_before_overwrite(routes, source, Client::of(after, queue));
            note(&mut found.clean, &caches, Why::WriteBack(before));
        }
    }
    for before in bits(side.before) {
        if side.leaving {
            leave(side, before, found);
            continue;
        }
        let source = Client::of(before, queue);
        for after in bits(side.after) {
            let target = Client::of(after, queue);
            let why = Why::Pair(before, after);
            if before.writes() {
                if after.reads() {
                    let needed = needed_to_reach(routes, source, target);
                    note(&mut found.clean, &needed.clean, why);
                    note(&mut found.invalidate, &needed.invalidate, why);
                }
                if after.writes() {
                    let caches = needed_before_overwrite(routes, source, target);
                    note(&mut found.clean, &caches, Why::WriteBack(before));
                }
            }
            if !before.writes() && after.writes() {
                let caches = needed_before_replacing(routes, source, target);
                note(&mut found.clean, &caches, Why::Seen(before));
            }
            if before.reads() && after.reads() {
                // A version that one access can see is made visible to another (reading R14).
                let needed = needed_to_extend(routes, source, target);
                note(&mut found.clean, &needed.clean, why);
                note(&mut found.invalidate, &needed.invalidate, why);
            }
        }
    }
}

/// Nothing is named that follows an access: an alias of any kind may. Spec: "Resource Aliasing".
fn leave(side: &Sides<'_>, before: BarrierAccess, found: &mut Found) {
    let source = Client::of(before, side.queue);
    for write in bits(queue_writes(side.queue)) {
        let writer = Client::of(write, side.queue);
        let (caches, why) = if before.writes() {
            let caches = needed_before_overwrite(side.routes, source, writer);
            (caches, Why::WriteBack(before))
        } else {
            let caches = needed_before_replacing(side.routes, source, writer);
            (caches, Why::Seen(before))
        };
        note(&mut found.clean, &caches, why);
    }
}

/// Accesses that write on a queue.
fn queue_writes(queue: QueueType) -> BarrierAccess {
    crate::api::compat::queue_accesses(queue) & BarrierAccess::WRITES
}
