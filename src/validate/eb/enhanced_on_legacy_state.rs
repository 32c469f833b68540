crate::finding::rule! {
    /// **What it finds.** An enhanced barrier on a subresource that a legacy transition, a promoting use or its
    /// creation left in a legacy state other than `COMMON`, or that is between the halves of a legacy split transition.
    ///
    /// **Why it matters.** The two kinds of barriers meet only in `COMMON`. Only the runtime knows which layout a
    /// legacy state is.
    ///
    /// **Source.** Enhanced Barriers specification, "Interop with legacy `ResourceBarrier`", "Legacy vs Enhanced State
    /// Validation"; reading R37.
    pub(crate) static RULE = "EB042", "enhanced-on-legacy-state", Error,
        "an enhanced barrier on a subresource in a legacy state other than COMMON";
}

use crate::finding::Finding;
use crate::finding::Span;
use crate::validate::lb::track::known::Known;
use crate::validate::lb::track::{At, Phase};

/// It is in a legacy state, or between the halves of a legacy transition that began at `begin`.
pub(in crate::validate) fn found(
    at: &At<'_>,
    phase: Phase,
    known: &Known,
    begin: Option<Span>,
) -> Finding {
    let (name, state) = (at.name(), known.state);
    if let Some(begin) = begin {
        return at
            .finding(
                &RULE,
                phase,
                format!("`{name}` is between the halves of a legacy split transition"),
            )
            .related(begin, "the `begin` half")
            .help("first end the legacy transition and bring the texture to COMMON");
    }
    let or = if at.scenario.resource(at.resource).is_buffer() {
        "or write the legacy transition as an enhanced barrier".to_owned()
    } else {
        format!("or create `{name}` with `initial` and use only enhanced barriers")
    };
    at.finding(
        &RULE,
        phase,
        format!(
            "`{name}` is in the legacy state {state}, but enhanced barriers may start from COMMON only"
        ),
    )
    .related(known.origin.span, known.origin.label(state))
    .help(format!(
        "write `legacy {{ transition {name} {state} -> COMMON }}` first, {or}"
    ))
}
