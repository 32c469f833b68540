//! **What it finds.** A fence (or a group barrier, removed from every thread of the group) without which exactly the
//! same outcomes are allowed, compared in every register and variable.
//!
//! **Why it matters.** Such a fence costs time and guarantees nothing that the rest of the test does not. The test was
//! explored without the fence.
//!
//! **Firing example**
//! ```text
//! uav x globallycoherent
//! thread group 0 cs { st x 1; sync_uglobal }
//! thread group 1 cs { ld r0 x }
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x globallycoherent
//! thread group 0 cs { st x 1 }
//! thread group 1 cs { ld r0 x }
//! ```
//!
//! **Source.** `sync` (sm5 - asm): "applications can specify their intent by requesting the narrowest scope of sync
//! necessary".

use super::{Context, LitmusRule};
use crate::finding::{Finding, Rule, Severity};
use crate::litmus::mutate::Weakening;

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM016",
    name: "redundant-fence",
    severity: Severity::Advice,
    summary: "a fence without which the same outcomes are allowed",
    file: include_str!("redundant_fence.rs"),
};

/// What it looks at.
pub static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    if !context.examination.undefined.is_empty() {
        return Vec::new();
    }
    context
        .tried
        .iter()
        .filter(|t| t.equivalent && t.mutation.weakening == Weakening::Dropped)
        .map(|t| {
            let mut finding = Finding::new(
                &RULE,
                context.place(t.mutation.places[0]),
                format!(
                    "without `{}` the same outcomes are allowed",
                    t.mutation.original
                ),
            )
            .help("remove the fence");
            for &place in &t.mutation.places[1..] {
                finding = finding.related(context.place(place), "the same barrier");
            }
            finding
        })
        .collect()
}
