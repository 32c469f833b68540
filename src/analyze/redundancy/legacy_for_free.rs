crate::finding::rule! {
    /// **What it finds.** A legacy transition out of `COMMON` into a state to which the first use promotes anyway, or
    /// back to `COMMON` where the resource decays to it by itself. The deletion is verified: in a copy without the
    /// entry there is no new error or hazard.
    ///
    /// **Why it matters.** Implicit promotion costs nothing. An explicit transition is a barrier, and it also takes
    /// away the decay at the end of the scope.
    ///
    /// **Source.** Enhanced Barriers specification, "Compatibility with legacy `D3D12_RESOURCE_STATES`"; reading R37.
    pub(super) static RULE = "RD114", "legacy-for-free", Warning,
        "a legacy transition that promotion or decay makes unnecessary";
}

use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::api::{Layout, QueueType, ResourceState};
use crate::id::narrow;
use crate::legacy::states;
use crate::scenario::edit::{Change, EntryId};
use crate::scenario::{Barrier, CommandKind};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: the resource is in COMMON and its next use may promote it, or it decays to COMMON at the end of the scope",
    gain: Gain::Always,
};

/// Legacy transitions whose translation was proved redundant.
pub(super) fn proposals(look: &Look<'_>, is_redundant: &dyn Fn(EntryId) -> bool) -> Vec<Proposal> {
    let mut found: Vec<Proposal> = Vec::new();
    let translated = look.survey.entries.keys();
    for entry in translated.filter(|e| look.is_legacy(e.list, e.command) && is_redundant(**e)) {
        let Some(barrier) = entry.of(look.scenario) else {
            continue;
        };
        let command = &look.source.lists[entry.list].commands[entry.command as usize];
        let CommandKind::Legacy(entries) = &command.kind else {
            continue;
        };
        let Some(index) = entries.iter().position(|e| e.span == barrier.span) else {
            continue;
        };
        let Some(whole) = entries[index].kind.as_whole_transition() else {
            continue;
        };
        let Some(why) = reason(look, *entry, barrier, whole.before, whole.after) else {
            continue;
        };
        if found.iter().any(|p| p.span == barrier.span) {
            continue;
        }
        let written = EntryId {
            index: narrow(index),
            ..*entry
        };
        let mut proposal = look.proposal(&SAVING, *entry, vec![Change::Clear(written)]);
        proposal.message = format!("`{}` needs no transition here: {why}", proposal.resource);
        proposal.witness = "without this transition".into();
        proposal.help = "delete the transition".into();
        found.push(proposal);
    }
    found
}

/// Why the resource gets into the state by itself, if it does. Spec: "Implicit State Transitions" of legacy barriers.
fn reason(
    look: &Look<'_>,
    entry: EntryId,
    barrier: &Barrier,
    before: ResourceState,
    after: ResourceState,
) -> Option<String> {
    let is_free = barrier
        .resource()
        .is_some_and(|id| look.scenario.resource(id).is_simultaneous());
    if before.is_empty() {
        let is_used = !look.around(entry).after.is_empty();
        let promotes = is_free || states::PROMOTABLE.contains(after);
        return (is_used && promotes).then(|| format!("the first use promotes it to {after}"));
    }
    let is_copy = look.scenario.lists[entry.list].queue_type == QueueType::Copy;
    let was_promoted = barrier
        .layouts()
        .is_some_and(|(before, _)| before == Layout::Common);
    (after.is_empty() && (is_free || is_copy || was_promoted))
        .then(|| "it decays to COMMON at the end of the scope".to_string())
}
