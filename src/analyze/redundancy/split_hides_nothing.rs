crate::finding::rule! {
    /// **What it finds.** A split barrier with no work between its halves: a whole barrier in the place of the second
    /// half does the same. The change is verified: in a copy with a whole barrier there is no new error or hazard.
    ///
    /// **Why it matters.** There are two entries to keep alike, and the driver must do at the end whatever it could not
    /// do at the start. Split barriers pay only with work between.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.
    pub(super) static RULE = "RD111", "split-hides-nothing", Advice,
        "a split barrier with no work between its halves";
}

use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::analyze::names;
use crate::scenario::edit::{Change, EntryId, barriers, barriers_after, is_same_part};
use crate::scenario::{Barrier, CommandKind};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: there is no work between the halves, and a whole barrier in the place of the second half orders and makes visible the same",
    gain: Gain::Always,
};

/// Pairs of halves in one list, fence barriers included: inside a list a signal barrier and the wait barrier that takes it up
/// are halves of a split barrier.
pub(super) fn proposals(look: &Look<'_>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for (entry, begin) in first_halves(look) {
        let Some((place, end)) = next_on_same(look, entry, begin)
            .filter(|(_, e)| e.sync_before.is_split() && is_same_part(begin, e))
        else {
            continue;
        };
        if look.between(entry, place).any(names::is_work) {
            continue;
        }
        let mut whole = end.clone();
        whole.sync_before = begin.sync_before;
        let changes = vec![Change::Clear(entry), Change::Set(place, whole)];
        let mut proposal = look.proposal(&SAVING, entry, changes);
        proposal.message =
            "splitting this barrier hides no cost: there is no work between its halves".into();
        proposal.witness = "with the halves joined".into();
        let call = &look.scenario.lists[entry.list].commands[entry.command as usize];
        proposal.help = match call.kind {
            CommandKind::FenceBarrier { .. } => {
                "delete this entry, and write its SyncBefore in that of the wait barrier; the signal may stay for other queues"
            }
            _ => "delete this half, and write its SyncBefore in the other half",
        }
        .into();
        proposal.related = Some((end.span, "the other half".into()));
        found.push(proposal);
    }
    found
}

/// First halves of the text: of split barriers, and of pairs of fence barriers.
fn first_halves<'a>(look: &Look<'a>) -> Vec<(EntryId, &'a Barrier)> {
    let mut halves: Vec<(EntryId, &Barrier)> = look.entries().collect();
    let is_fence = |entry: EntryId| {
        let call = entry.call(look.scenario);
        call.is_some_and(|call| matches!(call.kind, CommandKind::FenceBarrier { .. }))
    };
    halves.extend(barriers(look.scenario).filter(|(entry, _)| is_fence(*entry)));
    halves.retain(|(_, barrier)| barrier.sync_after.is_split());
    halves
}

/// The next entry of the list on the same resource, of any call.
fn next_on_same<'a>(
    look: &Look<'a>,
    entry: EntryId,
    begin: &Barrier,
) -> Option<(EntryId, &'a Barrier)> {
    let mut later = barriers_after(look.scenario, entry);
    later.find(|(_, barrier)| barrier.resource() == begin.resource())
}
