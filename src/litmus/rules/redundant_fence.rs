crate::finding::rule! {
    /// **What it finds.** A fence (or a group barrier, removed from every thread of the group) without which exactly
    /// the same outcomes are allowed, compared in every register and variable.
    ///
    /// **Why it matters.** Such a fence costs time and guarantees nothing that the rest of the test does not. The test
    /// was explored without the fence.
    ///
    /// **Source.** `sync` (sm5 - asm): "applications can specify their intent by requesting the narrowest scope of sync
    /// necessary".
    pub(crate) static RULE = "LM016", "redundant-fence", Advice,
        "a fence without which the same outcomes are allowed";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::litmus::mutate::Weakening;

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

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
