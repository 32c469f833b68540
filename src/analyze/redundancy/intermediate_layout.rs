crate::finding::rule! {
    /// **What it finds.** Two transitions of the same subresources with no use between: nothing needs the layout in the
    /// middle. The change is verified: in a copy with one barrier from the first layout to the last there is no new
    /// error or hazard.
    ///
    /// **Why it matters.** Each transition may rewrite the texture. The way through `COMMON` is the usual case: legacy
    /// habits and engines that always come back to a neutral state.
    ///
    /// **Source.** Readings R12, R25, R48; after Khronos and vendor guidance to merge adjacent transitions.
    pub(super) static RULE = "RD106", "intermediate-layout", Warning,
        "a transition through a layout that nothing uses";
}

use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::api::Layout;
use crate::scenario::edit::{Change, barriers_after, is_same_part, is_split, set_layout_before};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: both barriers apply to the same subresources, nothing uses these in between, no discard is lost, and no copy queue, present or legacy barrier needs the layout in the middle",
    gain: Gain::Always,
};

/// Pairs of transitions with nothing between.
pub(super) fn proposals(look: &Look<'_>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for (entry, barrier) in look.entries() {
        let (Some(id), Some((from, middle))) = (barrier.resource(), barrier.layouts()) else {
            continue;
        };
        if from == middle || middle == Layout::Undefined || is_split(barrier) {
            continue;
        }
        let next = barriers_after(look.scenario, entry).find(|(_, e)| e.resource() == Some(id));
        let Some((place, next)) = next else {
            continue;
        };
        let Some((before, to)) = next.layouts() else {
            continue;
        };
        let is_used = look
            .between(entry, place)
            .any(|command| look.touches(command, id));
        if before != middle
            || to == middle
            || is_split(next)
            || is_used
            || !is_same_part(barrier, next)
        {
            continue;
        }
        let mut direct = next.clone();
        set_layout_before(&mut direct, from);
        direct.sync_before = barrier.sync_before;
        direct.access_before = barrier.access_before;
        if let Some(direct) = direct.as_texture_mut() {
            direct.discard |= barrier.discards();
        }
        let mut proposal = look.proposal(
            &SAVING,
            entry,
            vec![Change::Clear(entry), Change::Set(place, direct)],
        );
        proposal.message = format!(
            "nothing uses `{}` while it is in {middle}",
            proposal.resource
        );
        proposal.witness = format!("with one barrier from {from} to {to}");
        proposal.help = format!("delete this barrier, and let the next one go from {from} to {to}");
        proposal.related = Some((next.span, format!("the next barrier goes on to {to}")));
        found.push(proposal);
    }
    found
}
