//! **What it finds.** A needed fence that could have group scope instead of device scope, leave out a class of memory, or
//! not wait for the group, with exactly the same outcomes.
//!
//! **Why it matters.** On machines that distinguish scopes a narrower fence completes sooner. The narrower version was
//! explored as well. HLSL before SM6.8 has no `_ugroup`, so a compiler may leave no choice.
//!
//! **Firing example**
//! ```text
//! uav x
//! uav y
//! thread group 0 cs { st x 1; sync_uglobal; st y 1 }
//! thread group 0 cs { ld r0 y; sync_uglobal; ld r1 x }
//! expect forbidden 1:r0 == 1 & 1:r1 == 0
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x
//! uav y
//! thread group 0 cs { st x 1; sync_ugroup; st y 1 }
//! thread group 0 cs { ld r0 y; sync_ugroup; ld r1 x }
//! expect forbidden 1:r0 == 1 & 1:r1 == 0
//! ```
//!
//! **Source.** `sync` (sm5 - asm), `_ugroup`: "the sync operation can complete more quickly".

use super::{Context, LitmusRule};
use crate::finding::{Finding, Rule, Severity};
use crate::litmus::mutate::{OpPlace, Weakening};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM017",
    name: "fence-could-be-narrower",
    severity: Severity::Advice,
    summary: "a fence that could be narrower with the same outcomes",
    file: include_str!("fence_too_wide.rs"),
};

/// What it looks at.
pub static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    if !context.examination.undefined.is_empty() {
        return Vec::new();
    }
    let dropped = |places: &[OpPlace]| {
        context.tried.iter().any(|t| {
            t.equivalent
                && t.mutation.weakening == Weakening::Dropped
                && t.mutation.places == places
        })
    };
    let mut found: Vec<Finding> = Vec::new();
    for tried in context.tried {
        let Weakening::Replaced(narrower) = &tried.mutation.weakening else {
            continue;
        };
        if !tried.equivalent || dropped(&tried.mutation.places) {
            continue;
        }
        let span = context.place(tried.mutation.places[0]);
        if found.iter().any(|f| f.span == span) {
            continue;
        }
        let mut finding = Finding::new(
            &RULE,
            span,
            format!(
                "`{}` could be `{narrower}`: the same outcomes are allowed",
                tried.mutation.original
            ),
        )
        .help(if narrower.contains("_ugroup") {
            format!("write `{narrower}` (in HLSL since SM6.8, as `Barrier` with `GROUP_SCOPE`)")
        } else {
            format!("write `{narrower}`")
        });
        for &place in &tried.mutation.places[1..] {
            finding = finding.related(context.place(place), "the same barrier");
        }
        found.push(finding);
    }
    found
}
