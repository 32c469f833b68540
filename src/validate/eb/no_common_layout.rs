//! **What it finds.** In a list that never executes: two uses of a texture with no barrier between, which no layout
//! allows together. In a list that executes the layout is known and one of the uses is a hazard.
//!
//! **Why it matters.** While a list is recorded, the first use stands for the layout that the texture will have. A
//! use that no such layout allows is wrong wherever the list executes.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   clear-rtv t
//!   draw "lit" { SHADER_RESOURCE t }
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! texture u : R8G8B8A8_UNORM 64x64
//! queue q : direct
//!
//! list l : direct {
//!   draw "lit" { SHADER_RESOURCE t }
//!   copy t -> u
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Command List Record Validation Phase", "Legacy vs Enhanced State
//! Validation".

use crate::validate::state::{Facts, Known, place};

use crate::api::{BarrierAccess, Layout, compat};
use crate::finding::{Finding, Rule, Severity};
use crate::scenario::{List, Use};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB048",
    name: "no-common-layout",
    severity: Severity::Error,
    summary: "uses in a recorded list that no layout allows together",
    file: include_str!("no_common_layout.rs"),
};

/// Looks at a use and one run of its subresources.
pub fn check(
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
