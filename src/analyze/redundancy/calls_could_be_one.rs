crate::finding::rule! {
    /// **What it finds.** A `Barrier()` call directly after another, with entries on other memory and stages that fit:
    /// both could be one call. The change is verified: in a copy with the calls joined there is no new error or hazard.
    ///
    /// **Why it matters.** A driver can wait once for a whole call, and flush once; between two calls it must do so
    /// twice. Entries on overlapping memory, aliases above all, stay in separate calls: flushing an old alias and
    /// discarding a new one in one call is not ordered.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier Ordering", "Resource Aliasing"; reading R26.
    pub(super) static RULE = "RD107", "calls-could-be-one", Advice,
        "barrier calls that could be one call";
}

use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::api::LeafSet;
use crate::id::{Extent, MemoryId, narrow};
use crate::scenario::edit::{Change, EntryId};
use crate::scenario::{Barrier, CommandKind};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: there is nothing between the calls, no two of their entries share memory (aliases included), and no stage that one call holds waits for a stage that only the other waits for",
    gain: Gain::Always,
};

/// Extents beyond which two calls are not compared.
const EXTENTS_MAX: usize = 4_096;

/// What a run of calls waits for and holds, and where.
#[derive(Clone)]
struct Joined {
    first: u32,
    before: LeafSet,
    after: LeafSet,
    extents: Vec<Extent>,
}

/// Calls whose entries an earlier call could take.
pub(super) fn proposals(look: &Look<'_>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for list in look.lists() {
        let mut open: Option<Joined> = None;
        for (at, command) in look.scenario.lists[list].commands.iter().enumerate() {
            let barriers = match &command.kind {
                CommandKind::Barrier(barriers) if !look.is_legacy(list, narrow(at)) => barriers,
                _ => {
                    open = None;
                    continue;
                }
            };
            let Some(this) = joined(look, narrow(at), barriers) else {
                open = None;
                continue;
            };
            let Some(first) = open.take().filter(|first| fits(first, &this)) else {
                open = Some(this);
                continue;
            };
            let entry = EntryId {
                list,
                command: narrow(at),
                index: 0,
            };
            let mut changes = vec![Change::Append(list, first.first, barriers.to_vec())];
            changes.extend(
                (0..narrow(barriers.len())).map(|index| Change::Clear(EntryId { index, ..entry })),
            );
            let mut proposal = look.proposal(&SAVING, entry, changes);
            let call = &look.scenario.lists[list].commands[first.first as usize];
            proposal.message = "this call could be part of the one before it".into();
            proposal.witness = "with the calls joined".into();
            proposal.help = "move the entries of this call to the end of the one before".into();
            proposal.related = Some((call.span, "the call before".into()));
            found.push(proposal);
            let mut extents = first.extents;
            extents.extend(this.extents);
            open = Some(Joined {
                first: first.first,
                before: first.before.union(this.before),
                after: first.after.union(this.after),
                extents,
            });
        }
    }
    found
}

/// One call; `None` if it has a global or no entry, or memory in too many pieces.
fn joined(look: &Look<'_>, first: u32, barriers: &[Barrier]) -> Option<Joined> {
    let mut joined = Joined {
        first,
        before: LeafSet::EMPTY,
        after: LeafSet::EMPTY,
        extents: Vec::new(),
    };
    for barrier in barriers {
        barrier.resource()?;
        joined.before = joined.before.union(barrier.sync_before.leaves());
        joined.after = joined.after.union(barrier.sync_after.leaves());
        let memory = &look.timeline.memory;
        memory
            .for_each_barrier_extent(look.scenario, barrier, |extent| joined.extents.push(extent));
    }
    (!barriers.is_empty() && joined.extents.len() <= EXTENTS_MAX).then_some(joined)
}

/// Whether two calls can be one.
fn fits(one: &Joined, two: &Joined) -> bool {
    // What one holds waits for what the other waits for: new only if neither did so before.
    let harmless =
        |a: &Joined, b: &Joined| b.before.contains(a.before) || a.after.contains(b.after);
    harmless(one, two) && harmless(two, one) && is_disjoint(one, two)
}

fn is_disjoint(one: &Joined, two: &Joined) -> bool {
    let mut all: Vec<(MemoryId, u64, u64, bool)> = Vec::new();
    for (joined, second) in [(one, false), (two, true)] {
        all.extend(
            joined
                .extents
                .iter()
                .map(|e| (e.memory, e.start, e.end, second)),
        );
    }
    all.sort_unstable();
    // The furthest end of each call so far.
    let mut ends = [None::<(MemoryId, u64)>; 2];
    for (memory, start, end, second) in all {
        if ends[usize::from(!second)].is_some_and(|(m, e)| m == memory && start < e) {
            return false;
        }
        let own = &mut ends[usize::from(second)];
        match own {
            Some((m, e)) if *m == memory => *e = (*e).max(end),
            _ => *own = Some((memory, end)),
        }
    }
    true
}
