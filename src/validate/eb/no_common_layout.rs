crate::finding::rule! {
    /// **What it finds.** In a list that never executes: two uses of a texture with no barrier between, which no layout
    /// allows together. In a list that executes the layout is known and one of the uses is a hazard.
    ///
    /// **Why it matters.** While a list is recorded, the first use stands for the layout that the texture will have. A
    /// use that no such layout allows is wrong wherever the list executes.
    ///
    /// **Source.** Enhanced Barriers specification, "Command List Record Validation Phase", "Legacy vs Enhanced State
    /// Validation".
    pub(crate) static RULE = "EB048", "no-common-layout", Error,
        "uses in a recorded list that no layout allows together";
}

use crate::validate::state::{Facts, Known, place};

use crate::api::{BarrierAccess, Layout, compat};
use crate::finding::Finding;
use crate::scenario::{List, Use};

/// Looks at a use and one run of its subresources.
pub(crate) fn check(
    facts: &Facts<'_, '_>,
    list: &List,
    used: &Use,
    known: &Known,
    run: (u32, u32),
) -> Option<Finding> {
    let resource = facts.scenario.resource(used.resource);
    let assumed = facts.is_recording()
        && !resource.is_buffer()
        && known.layout.is_none()
        && known.split == 0
        && !known.blended.is_empty();
    if !assumed {
        return None;
    }
    let all = known.blended | used.access.difference(BarrierAccess::NO_ACCESS);
    let fits = |layout: Layout| {
        compat::queue_allows_layout(list.queue_type, layout)
            && compat::texture_accesses(layout, resource.flags).contains(all)
    };
    // What was wrong already is not said again.
    let was_wrong =
        |layout: Layout| compat::texture_accesses(layout, resource.flags).contains(known.blended);
    if Layout::ALL.iter().any(|l| fits(*l)) || !Layout::ALL.iter().any(|l| was_wrong(*l)) {
        return None;
    }
    let name = facts.scenario.resource_name(used.resource);
    let place = place(resource, run);
    let finding = Finding::new(
        &RULE,
        used.span,
        format!(
            "no layout allows {} of `{name}`{place} and the list's earlier {} together",
            used.access, known.blended
        ),
    )
    .resource(name)
    .note("found while the list is recorded: the list contradicts itself wherever it executes")
    .help("put a barrier with a layout transition between the uses");
    Some(match known.touched {
        Some(origin) => finding.related(origin.span, "the list first uses the texture here"),
        None => finding,
    })
}
