crate::finding::rule! {
    /// **What it finds.** A barrier whose packets do less than its masks ask for on this profile, although every two uses
    /// that need it are ensured: packets of other barriers between them do the rest, or no use needs it.
    ///
    /// **Why it matters.** It is no mistake. A driver lives by what it leaves out, and this finding says where a lowering
    /// relies on the packets around it: a change to those can make it wrong.
    ///
    /// **Source.** Reading R78: a lowering is judged by needed pairs, and by all packets between their two uses.
    pub(super) static RULE = "LW103", "less-than-masks", Advice,
        "a lowered barrier that does less than its masks ask, and nothing that needs more";
}

use super::tally::Lacking;
use super::{Lowered, about, lacks};
use crate::finding::{Finding, Span};
use indexmap::IndexMap;

/// Entries that do less than their masks ask, and that no needed pair suffers from.
pub(super) fn findings(lowered: Lowered<'_, '_>) -> impl Iterator<Item = Finding> {
    let less = lowered.tally.less.iter();
    less.map(move |(span, place)| finding(lowered, *span, place))
}

fn finding(lowered: Lowered<'_, '_>, span: Span, place: &Lacking) -> Finding {
    let Lowered {
        timeline, profile, ..
    } = lowered;
    let barrier = timeline.barrier_name(place.executions.first);
    let message = format!(
        "on {}, the lowering `{}` of {barrier} does less than its masks ask, and no needed pair rests on that",
        profile.name, lowered.lowering
    );
    let mut finding = Finding::new(&RULE, span, message);
    // By the verb: what is not done, to what.
    let mut groups: IndexMap<String, Vec<String>> = IndexMap::new();
    for (what, early) in place.missing.keys() {
        let (verb, object) = lacks(profile, *what, *early);
        groups.entry(verb).or_default().push(object);
    }
    for (verb, objects) in groups {
        finding = finding.note(format!("its packet {verb} {}", objects.join(", ")));
    }
    about(finding, timeline, place)
}
