//! **What it finds.** A split barrier with no work between its halves: a whole barrier in the place of the second half
//! does the same. The change is verified: in a copy with a whole barrier there is no new error or hazard.
//!
//! **Why it matters.** There are two entries to keep alike, and the driver must do at the end whatever it could not do
//! at the start. Split barriers pay only with work between.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! buffer c : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 256x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { buffer b { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   barrier { buffer b { sync SPLIT -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 256x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! buffer c : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 256x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 256x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.

use super::change::{Change, EntryId, entries_after, is_same_part};
use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::analyze::names;
use crate::finding::{Rule, Severity};
use crate::scenario::Barrier;

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "RD111",
    name: "split-hides-nothing",
    severity: Severity::Advice,
    summary: "a split barrier with no work between its halves",
    file: include_str!("split_hides_nothing.rs"),
};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: there is no work between the halves, and a whole barrier in the place of the second half orders and makes visible the same",
    gain: Gain::Always,
};

/// Pairs of halves in one list.
pub(super) fn proposals(look: &Look<'_>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for (entry, begin) in look.entries().filter(|(_, b)| b.sync_after.is_split()) {
        let same = |(_, e): &(EntryId, &Barrier)| e.resource() == begin.resource();
        let next = entries_after(look.scenario, entry).find(same);
        let Some((place, end)) =
            next.filter(|(_, e)| e.sync_before.is_split() && is_same_part(begin, e))
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
        proposal.help = "delete this half, and write its SyncBefore in the other half".into();
        proposal.related = Some((end.span, "the other half".into()));
        found.push(proposal);
    }
    found
}
