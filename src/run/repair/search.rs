//! The search for a change: candidates are tried on copies within a budget, the smallest first.

use super::edited::{apply, difference, first_of, keys, mapped};
use super::{Found, Key, candidates, wrong_in};
use crate::analyze::repair::Candidate;
use crate::finding::{Edit, Source};
use crate::validate::RuleSet;
use std::collections::BTreeSet;

/// Candidates whose consequences are mended too.
const MENDED_MAX: usize = 24;

/// What proofs may still cost, and what one costs.
pub(super) struct Budget {
    pub(super) left: u64,
    pub(super) cost: u64,
}

impl Budget {
    /// Takes what one look at a whole text costs; `None` if that is not left.
    pub(super) fn pay(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(self.cost)?;
        Some(())
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left < self.cost
    }
}

/// A change that held.
pub(super) struct Proved {
    pub(super) source: Source,
    /// Against the text that was asked about.
    pub(super) edits: Vec<Edit>,
    pub(super) says: String,
    /// Errors and hazards that are left.
    pub(super) rest: BTreeSet<Key>,
}

impl Proved {
    fn by(candidate: Candidate, edited: Source, rest: BTreeSet<Key>) -> Self {
        Self {
            source: edited,
            edits: candidate.edits,
            says: candidate.says,
            rest,
        }
    }
}

/// A copy with edits made.
struct Tried {
    source: Source,
    /// Its errors and hazards; `None` if it cannot be read.
    wrong: Option<Vec<Found>>,
}

/// The first candidate that removes a finding and adds none; then the first whose consequences can be mended; then, if
/// wanted (`steps_on`), the first that covers the second use against the first one and leaves others.
pub(super) fn search(
    source: &Source,
    rules: RuleSet,
    found: &[Found],
    target: &Found,
    steps_on: bool,
    budget: &mut Budget,
) -> Option<Proved> {
    let base: BTreeSet<Key> = found.iter().map(Found::key).collect();
    let gone = target.key();
    let mut almost: Vec<(Candidate, Source, Vec<Found>)> = Vec::new();
    let mut progress = None;
    budget.pay()?;
    for candidate in candidates(source, target, rules) {
        let tried = try_on(source, &candidate.edits, rules, budget)?;
        let (edited, Some(after)) = (tried.source, tried.wrong) else {
            continue;
        };
        let rest = keys(&after, &[&candidate.edits]);
        if rest.contains(&gone) {
            // Against one of several first uses it may be covered now.
            let edits: &[&[Edit]] = &[&candidate.edits];
            let covered = rest.is_subset(&base)
                && !after.iter().any(|f| {
                    mapped(&f.finding, edits) == gone
                        && first_of(&f.finding, edits) == first_of(&target.finding, &[])
                });
            if covered && progress.is_none() {
                progress = Some(Proved::by(candidate, edited, rest));
            }
            continue;
        }
        if rest.is_subset(&base) {
            return Some(Proved::by(candidate, edited, rest));
        }
        if rest.difference(&base).count() <= 2 && almost.len() < MENDED_MAX {
            almost.push((candidate, edited, after));
        }
    }
    for (first, edited, after) in almost {
        let news = after
            .iter()
            .find(|f| !base.contains(&mapped(&f.finding, &[&first.edits])));
        if let Some(news) = news {
            budget.pay()?;
            let seconds = candidates(&edited, news, rules);
            for second in seconds.into_iter().take(MENDED_MAX) {
                let tried = try_on(&edited, &second.edits, rules, budget)?;
                let (mended, Some(after)) = (tried.source, tried.wrong) else {
                    continue;
                };
                let rest = keys(&after, &[&first.edits, &second.edits]);
                if !rest.contains(&gone) && rest.is_subset(&base) {
                    return Some(Proved {
                        edits: difference(&source.text, &mended.text),
                        source: mended,
                        says: format!("{}; then {}", first.says, second.says),
                        rest,
                    });
                }
            }
        }
    }
    progress.filter(|_| steps_on)
}

/// Makes edits and looks for errors and hazards. `None` beyond the budget.
fn try_on(source: &Source, edits: &[Edit], rules: RuleSet, budget: &mut Budget) -> Option<Tried> {
    budget.pay()?;
    let source = Source::new(source.name.clone(), apply(&source.text, edits));
    let wrong = wrong_in(&source, rules);
    Some(Tried { source, wrong })
}
