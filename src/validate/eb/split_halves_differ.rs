crate::finding::rule! {
    /// **What it finds.** The second half of a split barrier with other layouts, accesses or subresources than the
    /// first. Across `ExecuteCommandLists` boundaries accesses are not compared.
    ///
    /// **Why it matters.** The driver may do all of the work at either half, or anywhere between. That is only possible
    /// if both say the same.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers", "Barrier API Call Validation"; reading R27.
    pub(crate) static RULE = "EB031", "split-halves-differ", Error,
        "halves of a split barrier that do not say the same";
}

use crate::validate::BarrierEntry;
use crate::validate::state::{Facts, Split};

use crate::finding::Finding;
use crate::scenario::Barrier;

/// In what an end half differs from a begin half, in words; `None`: in nothing.
pub(crate) fn difference(
    facts: &Facts<'_, '_>,
    begin: &Split<'_>,
    end: &Barrier,
    end_runs: &[(u32, u32)],
) -> Option<String> {
    if begin.runs != end_runs {
        return Some("other subresources".into());
    }
    let (first, second) = (begin.barrier.layouts(), end.layouts());
    if let (Some(first), Some(second)) = (first, second)
        && first != second
    {
        return Some(format!(
            "the layouts {} -> {}, not {} -> {}",
            second.0, second.1, first.0, first.1
        ));
    }
    let accesses = |barrier: &Barrier| (barrier.access_before, barrier.access_after);
    let (first, second) = (accesses(begin.barrier), accesses(end));
    (begin.scope == facts.scope && first != second).then(|| {
        format!(
            "the accesses {} -> {}, not {} -> {}",
            second.0, second.1, first.0, first.1
        )
    })
}

/// The finding on an end half that matches no open begin half.
pub(crate) fn finding(
    entry: &BarrierEntry<'_>,
    facts: &Facts<'_, '_>,
    begin: &Split<'_>,
    end_runs: &[(u32, u32)],
) -> Finding {
    let what = difference(facts, begin, entry.barrier, end_runs).unwrap_or_default();
    entry
        .finding(
            &RULE,
            format!("the second half of a split barrier does not say what the first half says: it names {what}"),
        )
        .related(begin.barrier.span, "the split begins here")
        .help("repeat the layouts, accesses and subresources of the first half")
}
