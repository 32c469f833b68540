//! Hints: what a lesson says, and where it says nothing what the start's first finding says.

use super::checks::bare;
use super::{Kind, Lesson};
use crate::finding::Finding;
use crate::run::{Options, Registry, read_litmus, run};

/// Hints of a lesson.
pub(super) const HINTS: usize = 3;

pub(super) fn hints(lesson: &Lesson, registry: &Registry, options: &Options) -> Vec<String> {
    let mut hints = lesson.written_hints.clone();
    if hints.len() < HINTS
        && let Some(finding) = first(lesson, registry, options)
    {
        hints.extend(hints_of(&finding).into_iter().skip(hints.len()));
    }
    hints
}

/// The first finding of the start that fails, or else of what is redundant.
fn first(lesson: &Lesson, registry: &Registry, options: &Options) -> Option<Finding> {
    let start = bare(&lesson.start);
    let mut findings = match lesson.kind() {
        Kind::Scenario => {
            let options = Options {
                profile: options.profile.clone().or(lesson.profile.clone()),
                ..options.clone()
            };
            run(&start, registry, &options).ok()?.findings
        }
        Kind::Litmus => read_litmus(&start).1,
        Kind::Rules => Vec::new(),
    };
    let is_asked = |it: &Finding| it.severity.fails() || it.rule.family() == "RD";
    findings.retain(is_asked);
    // Of equal severity the first in the text.
    findings.sort_by_key(|it| !it.severity.fails());
    findings.into_iter().next()
}

/// What a finding gives away, ever plainer: its rule, its evidence, its change.
pub fn hints_of(finding: &Finding) -> Vec<String> {
    let (id, name) = (finding.rule.id, finding.rule.name);
    let rule = format!(
        "look for {id} {name}: {}; `syncscope explain {id}` tells more",
        finding.rule.summary
    );
    let notes = finding.notes.iter().map(|it| &**it);
    let evidence: Vec<&str> = std::iter::once(&*finding.message).chain(notes).collect();
    let change = finding.fix.as_ref().map(|it| it.says.clone());
    let change = change.or_else(|| finding.help.as_deref().map(str::to_owned));
    let all = [Some(rule), Some(evidence.join("; ")), change];
    all.into_iter().flatten().collect()
}
