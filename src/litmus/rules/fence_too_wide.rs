crate::finding::rule! {
    /// **What it finds.** A needed fence that could have group scope instead of device scope, leave out a class of
    /// memory, or not wait for the group, with exactly the same outcomes.
    ///
    /// **Why it matters.** On machines that distinguish scopes a narrower fence completes sooner. The narrower version
    /// was explored as well. HLSL before SM6.8 has no `_ugroup`, so a compiler may leave no choice.
    ///
    /// **Source.** `sync` (sm5 - asm), `_ugroup`: "the sync operation can complete more quickly".
    pub(crate) static RULE = "LM017", "fence-could-be-narrower", Advice,
        "a fence that could be narrower with the same outcomes";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::litmus::mutate::{OpPlace, Weakening};

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

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
