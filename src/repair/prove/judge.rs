//! What a copy has that is against the rules, apart from conflicts, and that the original has not.
//!
//! Every family that `check` asks is asked of the copy too, and the rules of legacy barriers read it as it is written
//! (reading R74). Where the original has an error, an old one may hide a new one (reading R42): then every error is written
//! out with its subresources.

use super::Given;
use crate::analyze::fences;
use crate::finding::{Finding, Severity};
use crate::order::Timeline;
use crate::pipeline::front::Prepared;
use crate::pipeline::{Switch, asserted, switches};
use crate::validate::{self, RuleSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What makes something that is wrong the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WrongKey {
    rule: &'static str,
    /// The first byte of its place.
    start: u32,
    resource: Option<Arc<str>>,
    message: Arc<str>,
    severity: Severity,
}

/// What is wrong apart from conflicts, and how often each was found.
pub(super) type Wrong = BTreeMap<WrongKey, u32>;

/// Which form of a scenario a copy is one of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// As written, with its legacy barriers.
    Written,
    /// Without them.
    Translated,
}

/// Judges copies by what is wrong in the original.
pub(crate) struct Judge {
    rules: RuleSet,
    /// What is wrong in the original as written, and without legacy barriers.
    wrong: [Wrong; 2],
    /// Steps of one evaluation of the original: assertions of accesses are judged by copies of their own.
    steps: u64,
}

impl Judge {
    /// One that knows what is wrong in the original.
    pub(crate) fn new(given: &Given<'_>) -> Self {
        let (timeline, rules) = (given.timeline, given.rules);
        let mut it = Self {
            rules,
            wrong: [Wrong::new(), Wrong::new()],
            steps: given.evaluation.steps,
        };
        let others = it.others(timeline);
        let wrong_in = |scenario, has: bool| {
            let findings = if has {
                validate::validate_unfolded(scenario, timeline, rules)
            } else {
                Vec::new()
            };
            wrong(findings.iter().chain(&others))
        };
        let written = wrong_in(given.source, given.legality.iter().any(counts));
        let is_plain = std::ptr::eq(given.source, timeline.scenario);
        let translated = if is_plain {
            written.clone()
        } else {
            wrong_in(timeline.scenario, true)
        };
        it.wrong = [written, translated];
        it
    }

    /// Rules that a copy of the text as written breaks at one of some places, given by their first bytes, and the original
    /// does not break there, in whatever words; each with its place. Warnings break none, and so does what the run or the text
    /// allows.
    pub(crate) fn broken_by(
        &self,
        copy: &Prepared<'_>,
        timeline: &Timeline<'_>,
        places: &BTreeSet<u32>,
        switches: &[Switch],
    ) -> BTreeSet<(u32, &'static str)> {
        let mut found = self.found(copy, timeline, Form::Written);
        switches::apply(&mut found, copy.written(), switches);
        let of = |key: &WrongKey| (key.start, key.rule);
        let known: BTreeSet<_> = self.known(Form::Written).keys().map(of).collect();
        let wrong = wrong(found.iter());
        let errors = wrong.keys().filter(|key| key.severity.fails());
        let broken = errors.filter(|key| places.contains(&key.start)).map(of);
        broken.filter(|own| !known.contains(own)).collect()
    }

    /// What is wrong in a copy, apart from conflicts, and was not, or more often.
    pub(super) fn new_wrong(
        &self,
        copy: &Prepared<'_>,
        timeline: &Timeline<'_>,
        form: Form,
    ) -> Wrong {
        self.new_in(&self.found(copy, timeline, form), form)
    }

    /// What of some findings the original has not, or less often.
    fn new_in(&self, found: &[Finding], form: Form) -> Wrong {
        let known = self.known(form);
        let mut wrong = wrong(found.iter());
        wrong.retain(|key, times| known.get(key).is_none_or(|known| *times > *known));
        wrong
    }

    fn known(&self, form: Form) -> &Wrong {
        &self.wrong[usize::from(form == Form::Translated)]
    }

    /// What is found in a copy apart from conflicts.
    fn found(&self, copy: &Prepared<'_>, timeline: &Timeline<'_>, form: Form) -> Vec<Finding> {
        let validate = if self.known(form).is_empty() {
            validate::validate
        } else {
            validate::validate_unfolded
        };
        let mut found = validate(copy.written(), timeline, self.rules);
        found.extend(self.others(timeline));
        found
    }

    /// What `check` finds beyond legality and conflicts.
    fn others(&self, timeline: &Timeline<'_>) -> Vec<Finding> {
        let mut found = fences::findings(timeline);
        found.extend(asserted::findings(timeline.scenario, self.steps));
        found
    }
}

/// Whether something is said against a text: advice is not. That an entry which was deleted is an empty group in a copy is
/// not news.
pub(super) fn counts(finding: &Finding) -> bool {
    finding.severity > Severity::Advice && !validate::is_of_empty_group(finding.rule)
}

/// Errors and warnings. A change that makes another barrier illegal is not free.
fn wrong<'f>(findings: impl Iterator<Item = &'f Finding>) -> Wrong {
    let mut wrong = Wrong::new();
    for f in findings.filter(|f| counts(f)) {
        let key = WrongKey {
            rule: f.rule.id,
            start: f.span.start,
            resource: f.resource.clone(),
            message: f.message.clone(),
            severity: f.severity,
        };
        *wrong.entry(key).or_default() += f.repeats;
    }
    wrong
}

/// Whether errors are all known, and none is found more often.
pub(super) fn are_known(errors: &Wrong, known: &Wrong) -> bool {
    let mut errors = errors.iter();
    errors.all(|(key, times)| known.get(key).is_some_and(|known| times <= known))
}
