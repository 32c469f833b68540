crate::finding::rule! {
    /// **What it finds.** Transitions of a texture from one layout to another and back, where a single layout allows
    /// all of its uses on all queues. The change is verified: in a copy with that layout in place of both, creation
    /// included, there is no new error or hazard. It is simulated on every profile.
    ///
    /// **Why it matters.** Each change of layout may rewrite the texture. Whether the single layout is faster depends
    /// on the machine, because it may keep less compression. The finding says what it saves on each profile.
    ///
    /// **Source.** Enhanced Barriers specification, "Layout Access Compatibility",
    /// "`D3D12_BARRIER_LAYOUT_DIRECT_QUEUE_COMMON`".
    pub(super) static RULE = "RD109", "layout-ping-pong", Advice,
        "a texture goes back and forth between two layouts where one is enough";
}

use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::api::{Layout, compat};
use crate::id::ResourceId;
use crate::scenario::edit::{Change, barriers_after, is_same_part, is_split};
use indexmap::IndexSet;

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this depends on the profile: the layout allows every use on all queues that use the texture, but may keep it less compressed; here that costs less than the transitions",
    gain: Gain::Anywhere,
};

/// Layouts that allow more than one kind of access, the most compressed first.
const WIDE: [Layout; 6] = [
    Layout::DirectQueueGenericRead,
    Layout::ComputeQueueGenericRead,
    Layout::GenericRead,
    Layout::DirectQueueCommon,
    Layout::ComputeQueueCommon,
    Layout::Common,
];

/// Textures that go back and forth, with each layout that could replace both.
pub(super) fn proposals(look: &Look<'_>) -> Vec<Proposal> {
    let mut found: Vec<Proposal> = Vec::new();
    let mut done: IndexSet<ResourceId> = IndexSet::new();
    for (entry, barrier) in look.entries() {
        let (Some(id), Some((a, b))) = (barrier.resource(), barrier.layouts()) else {
            continue;
        };
        if a == b || a == Layout::Undefined || is_split(barrier) || done.contains(&id) {
            continue;
        }
        let back = barriers_after(look.scenario, entry)
            .find(|(_, e)| is_same_part(barrier, e) && !is_split(e) && e.layouts() == Some((b, a)));
        let Some((place, back)) = back else {
            continue;
        };
        let is_used = look.between(entry, place).any(|c| look.touches(c, id));
        if !is_used || !look.is_free(id) {
            continue;
        }
        done.insert(id);
        let around = look.around(entry);
        let used =
            around.before.accesses | around.after.accesses | look.around(place).after.accesses;
        let traits = look.scenario.traits(id);
        let wide = [a, b].into_iter().chain(WIDE);
        for layout in wide.filter(|l| {
            compat::layout_allows(*l, used, traits)
                && look.survey.queues[id]
                    .iter()
                    .all(|queue| compat::queue_uses_layout(*queue, *l))
        }) {
            let relaid = look.relaid(id, |l| if l == a || l == b { layout } else { l });
            for is_free in [true, false] {
                let mut changes = relaid.clone();
                let mut help = format!("create the texture in {layout} and keep it there");
                if is_free {
                    changes.extend([entry, place].map(Change::Clear));
                    help.push_str(", and delete both barriers");
                }
                let mut proposal = look.proposal(&SAVING, entry, changes);
                proposal.message = format!(
                    "`{}` goes to {b} and back to {a}, and {layout} allows its uses in both",
                    proposal.resource
                );
                proposal.witness = format!("with the texture kept in {layout}");
                proposal.help = help;
                proposal.related = Some((back.span, format!("this barrier goes back to {a}")));
                found.push(proposal);
            }
        }
    }
    found
}
