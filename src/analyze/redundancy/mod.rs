//! What could be left out, narrowed, joined or moved at no risk, and what that saves.
//!
//! Every rule proposes changes of the scenario as data; nothing is claimed here. `run` makes each change on a copy,
//! judges the copy again, simulates it again, and asks this file for the finding if nothing was added (reading R48).
//!
//! Rules about the machine's time alone (`by_profile`) are tried on every profile that exists; the rest follow from the
//! specification, on every machine.

mod all_or_common;
pub mod change;
mod implied_barrier;
pub mod narrow;
mod redundant_barrier;
pub mod survey;
mod too_wide_access;
mod too_wide_sync;

use crate::finding::{Finding, Rule, Span};
use crate::time::Ps;
use change::{Change, Entry};
use narrow::Kind;

/// A rule of this family: its page, and when what it proposes is right.
#[derive(Debug)]
pub struct Saving {
    /// The rule.
    pub rule: &'static Rule,
    /// The condition under which the change is right, one sentence.
    pub condition: &'static str,
    /// Whether it is about the machine's time alone, so that every profile must be tried.
    pub by_profile: bool,
}

/// Rules of this family.
pub static RULES: &[&Rule] = &[
    &redundant_barrier::RULE,
    &too_wide_sync::RULE,
    &too_wide_access::RULE,
    &all_or_common::RULE,
    &implied_barrier::RULE,
];

pub use implied_barrier::SAVING as IMPLIED;
pub use redundant_barrier::SAVING as REDUNDANT;

/// The rule of a narrowing.
pub fn narrowing(kind: Kind) -> &'static Saving {
    match kind {
        Kind::Everything => &all_or_common::SAVING,
        Kind::Sync => &too_wide_sync::SAVING,
        Kind::Access => &too_wide_access::SAVING,
    }
}

/// A change that might cost nothing.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Whose.
    pub saving: &'static Saving,
    /// The entry that it is about, if it is about one.
    pub entry: Option<Entry>,
    /// Where.
    pub span: Span,
    /// Name of the resource; empty if it is about none.
    pub resource: String,
    /// What to do, in this order.
    pub changes: Vec<Change>,
    /// What is wrong, one sentence.
    pub message: String,
    /// What was changed in the copy, as `deleting it`.
    pub witness: String,
    /// What to do.
    pub help: String,
    /// A further place.
    pub related: Option<(Span, String)>,
}

/// What a run took.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// From the first submission to the end of the last work.
    pub makespan: Ps,
    /// Time in which nothing ran because of barriers.
    pub exposed: Ps,
    /// Layout operations that did something.
    pub layout_operations: u64,
}

/// What a change saves on one profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saved {
    /// Name of the profile.
    pub profile: String,
    /// As it is.
    pub with: Measured,
    /// In the changed copy.
    pub without: Measured,
}

impl Saved {
    /// Time that the change saves.
    pub fn time(&self) -> Ps {
        self.with.makespan.saturating_sub(self.without.makespan)
    }

    fn text(&self) -> String {
        let Self {
            profile,
            with,
            without,
        } = self;
        let exposed = if with.exposed == without.exposed {
            format!("exposed time {} either way", with.exposed)
        } else {
            format!("exposed time {} and {}", with.exposed, without.exposed)
        };
        if with.makespan == without.makespan && with.exposed == without.exposed {
            format!(
                "it costs nothing on `{profile}`: {} either way",
                with.makespan
            )
        } else {
            let cost = if without.makespan < with.makespan {
                self.time().to_string()
            } else {
                "nothing".into()
            };
            format!(
                "it costs {cost} on `{profile}`: {} as it stands, {} so changed; {exposed}",
                with.makespan, without.makespan
            )
        }
    }
}

/// The finding of a proved proposal. `saved` holds what was measured: nothing, the run's own profile, or every profile.
pub fn finding(proposal: &Proposal, saved: &[Saved]) -> Finding {
    let saving = proposal.saving;
    let mut finding = Finding::new(saving.rule, proposal.span, proposal.message.clone())
        .note(format!(
            "{} in a copy and judging it again added no error or hazard",
            proposal.witness
        ))
        .note(saving.condition);
    for one in saved {
        finding = finding.note(one.text());
    }
    if saved.is_empty() {
        finding = finding.note("what it costs was not measured: the timeline is too long for that");
    }
    if let Some((span, label)) = &proposal.related {
        finding = finding.related(*span, label.clone());
    }
    finding = finding.help(proposal.help.clone());
    if proposal.resource.is_empty() {
        finding
    } else {
        finding.resource(proposal.resource.clone())
    }
}
