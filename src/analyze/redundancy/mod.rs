//! What could be left out, narrowed, joined or moved at no risk, and what that saves.
//!
//! Every rule proposes changes of the scenario as data; nothing is claimed here. `run` makes each change on a copy,
//! judges the copy again, simulates it again, and asks this file for the finding if nothing was added (reading R48).
//!
//! Rules only about the machine's time ([`Gain`]) are tried on every profile that exists; the rest follow from the
//! specification, on every machine.

mod all_or_common;
mod calls_could_be_one;

mod generic_read_for_one;
mod implied_barrier;
pub(crate) mod implied_wait;
mod intermediate_layout;
mod layout_ping_pong;
mod legacy_for_free;
pub mod look;
pub mod narrow;
mod queue_specific_layout;
mod ranges_tile;
mod redundant_barrier;
mod split_hides_nothing;
mod split_would_hide;
pub mod survey;
mod too_wide_access;
mod too_wide_sync;

use crate::finding::{Finding, Rule, Severity, Span};
use crate::scenario::edit::{Change, EntryId};
use crate::time::Ps;
use look::Look;
use narrow::NarrowingKind;
use std::fmt::Write;

/// A rule of this family: its page, and when what it proposes is right.
#[derive(Debug)]
pub struct Saving {
    /// The rule.
    pub rule: &'static Rule,
    /// The condition under which the change is right, one sentence.
    pub condition: &'static str,
    /// What must be gained for it to be worth a finding.
    pub gain: Gain,
}

/// When a proved change is worth a finding.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Gain {
    /// Always: it is waste by the specification.
    Always,
    /// If the run is shorter on the profile of the run.
    Here,
    /// If it is shorter on some profile.
    Anywhere,
}

impl Gain {
    /// Whether every profile must be tried.
    pub fn needs_every_profile(self) -> bool {
        self == Self::Anywhere
    }

    /// Whether what was measured is enough. The profile of the run comes first.
    pub fn is_met(self, saved: &[Saved]) -> bool {
        match self {
            Self::Always => true,
            Self::Here => saved.first().is_some_and(|s| s.time() > Ps::ZERO),
            Self::Anywhere => saved.iter().any(|s| s.time() > Ps::ZERO),
        }
    }
}

/// Rules of this family.
pub static RULES: &[&Rule] = &[
    &redundant_barrier::RULE,
    &too_wide_sync::RULE,
    &too_wide_access::RULE,
    &all_or_common::RULE,
    &implied_barrier::RULE,
    &intermediate_layout::RULE,
    &calls_could_be_one::RULE,
    &ranges_tile::RULE,
    &layout_ping_pong::RULE,
    &split_would_hide::RULE,
    &split_hides_nothing::RULE,
    &queue_specific_layout::RULE,
    &generic_read_for_one::RULE,
    &legacy_for_free::RULE,
    &implied_wait::RULE,
];

/// What looks at a whole scenario and proposes a change: one line a rule.
const PROPOSERS: &[fn(&Look<'_>) -> Vec<Proposal>] = &[
    intermediate_layout::proposals,
    ranges_tile::proposals,
    calls_could_be_one::proposals,
    generic_read_for_one::proposals,
    layout_ping_pong::proposals,
    queue_specific_layout::proposals,
    split_hides_nothing::proposals,
    split_would_hide::proposals,
];

/// Everything that the rules of this family propose, apart from deleting and narrowing single barriers and waits.
/// `is_redundant` says which entries were proved redundant.
pub fn proposals(look: &Look<'_>, is_redundant: &dyn Fn(EntryId) -> bool) -> Vec<Proposal> {
    let mut all = legacy_for_free::proposals(look, is_redundant);
    all.extend(PROPOSERS.iter().flat_map(|propose| propose(look)));
    all
}

pub use implied_barrier::SAVING as IMPLIED;
pub use redundant_barrier::SAVING as REDUNDANT;

/// The rule of a narrowing.
pub fn narrowing(kind: NarrowingKind) -> &'static Saving {
    match kind {
        NarrowingKind::Everything => &all_or_common::SAVING,
        NarrowingKind::Sync => &too_wide_sync::SAVING,
        NarrowingKind::Access => &too_wide_access::SAVING,
    }
}

/// Whether a rule says why a barrier is redundant, so that it takes the place of the bare finding.
pub fn explains(rule: &Rule) -> bool {
    [&intermediate_layout::RULE, &legacy_for_free::RULE].contains(&rule)
}

/// Whether a rule only says that a barrier is redundant.
pub fn only_says_redundant(rule: &Rule) -> bool {
    [&redundant_barrier::RULE, &implied_barrier::RULE].contains(&rule)
}

/// A change that might cost nothing.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The rule that makes the proposal.
    pub saving: &'static Saving,
    /// The entry that it is about, if it is about one.
    pub entry: Option<EntryId>,
    /// Place of the finding.
    pub span: Span,
    /// Name of the resource; empty if it is about none.
    pub resource: String,
    /// What to do, in this order.
    pub changes: Vec<Change>,
    /// What is wrong, one sentence.
    pub message: String,
    /// The change in words, before "there is no new error or hazard": `without this barrier`.
    pub witness: String,
    /// The change as advice to the user.
    pub help: String,
    /// A further place.
    pub related: Option<(Span, String)>,
    /// The barrier says that nothing uses its resource any more. It moves no data, and it is what a later use is found by
    /// that breaks the promise (`HZ108`): deleting it is a matter of taste.
    pub deactivates: bool,
}

/// What a run took.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// From the first submission to the end of the last work.
    pub makespan: Ps,
    /// Time in which nothing ran because of barriers.
    pub exposed: Ps,
}

/// What a change saves on one profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saved {
    /// Name of the profile.
    pub profile: String,
    /// The scenario as it is.
    pub with: Measured,
    /// The changed copy.
    pub without: Measured,
}

impl Saved {
    /// Time that the change saves.
    pub fn time(&self) -> Ps {
        self.with.makespan.saturating_sub(self.without.makespan)
    }

    /// What a change saves, a sentence for each profile on which it saves something or that is the only one; the others
    /// share one sentence.
    fn texts(all: &[Self]) -> Vec<String> {
        if let [one] = all {
            return vec![one.text()];
        }
        let (saving, rest): (Vec<&Self>, Vec<&Self>) =
            all.iter().partition(|one| one.time() > Ps::ZERO);
        let mut texts: Vec<String> = saving.into_iter().map(Self::text).collect();
        match rest.as_slice() {
            [] => {}
            [one] => texts.push(one.text()),
            several => {
                let names: Vec<String> = several
                    .iter()
                    .map(|one| format!("`{}`", one.profile))
                    .collect();
                texts.push(format!("no gain on {}", names.join(", ")));
            }
        }
        texts
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
                "no gain on `{profile}`: the run takes {} either way",
                with.makespan
            )
        } else {
            let cost = if without.makespan < with.makespan {
                self.time().to_string()
            } else {
                "nothing".into()
            };
            format!(
                "it costs {cost} on `{profile}`: the run takes {} as written, {} with this change; {exposed}",
                with.makespan, without.makespan
            )
        }
    }
}

/// The finding of a proved proposal. `saved` holds what was measured: nothing, the run's own profile, or every profile.
pub fn finding(proposal: &Proposal, saved: &[Saved]) -> Finding {
    let saving = proposal.saving;
    let mut message = proposal.message.clone();
    if let (Gain::Here, [own, ..]) = (saving.gain, saved) {
        let _ = write!(message, ", and save {} on `{}`", own.time(), own.profile);
    }
    let mut finding = Finding::new(saving.rule, proposal.span, message)
        .note(format!(
            "verified: {} there is no new error or hazard",
            proposal.witness
        ))
        .note(saving.condition);
    for text in Saved::texts(saved) {
        finding = finding.note(text);
    }
    if saved.is_empty() {
        finding = finding.note("its cost is not measured: the timeline is too long");
    }
    if proposal.deactivates {
        finding = finding.severity(Severity::Advice).note(
            "it deactivates the resource: with it, a use that comes later without activating it is a hazard (HZ108)",
        );
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
