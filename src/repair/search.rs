//! The search for a change: candidates are tried on copies within a budget, the smallest first.
//!
//! A change holds if the copy no longer has the finding and has nothing new above advice: no error, no hazard (shown or
//! not), no warning. Of the changes that hold, those that leave no barrier without need come first; of these the
//! first that removes every finding of the same cause, else the first of all. Where a candidate makes something else
//! wrong, a second one mends that; where it covers a use against one of several earlier ones, more candidates cover the
//! rest. All of that is one change.

use super::edited::{apply, difference, first_of, first_place, keys, mapped, places};
use super::judge::{gives_up, waste_in, wrong_in};
use super::traded::Before;
use super::words::{Gone, in_lines_of, in_words_of, of_less, with_line};
use super::{Found, Key, candidates, deletions, is_mended};
use crate::analyze::hazards;
use crate::finding::{Edit, Finding, Source, Span};
use crate::repair::propose::{Candidate, Instead};
use crate::validate::RuleSet;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Candidates whose consequences are mended too.
const MENDED_MAX: usize = 24;
/// Second candidates that are tried for one of them.
const SECONDS_MAX: usize = 48;
/// Candidates that are tried after the first that holds, for one that does more.
const MORE_MAX: usize = 40;
/// Candidates that hold and are compared.
const HELD_MAX: usize = 8;
/// Changes that one proposal joins, so that a use is covered against each of several first uses.
const PARTS_MAX: usize = 6;
/// Barriers that a change takes away because nothing needs them after it.
const TIDIED_MAX: usize = 4;
/// What a search for waste costs, in looks at the whole text.
const WASTE_LOOKS: u64 = 8;

/// What proofs may still cost, and what one costs.
pub(super) struct Budget<'a> {
    left: u64,
    cost: u64,
    /// Asked before each look whether to go on.
    goes_on: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Budget<'a> {
    pub(super) fn of(left: u64, cost: u64) -> Self {
        Self {
            left,
            cost,
            goes_on: None,
        }
    }

    /// Without a bound, for as long as the answer is yes.
    pub(super) fn while_told(goes_on: &'a dyn Fn() -> bool) -> Self {
        Self {
            left: u64::MAX,
            cost: 1,
            goes_on: Some(goes_on),
        }
    }

    /// Takes what one look at a whole text costs; `None` if that is not left.
    pub(super) fn pay(&mut self) -> Option<()> {
        self.pay_for(1)
    }

    fn pay_for(&mut self, looks: u64) -> Option<()> {
        if self.goes_on.is_some_and(|goes_on| !goes_on()) {
            self.left = 0;
        }
        let left = self.left.checked_sub(self.cost.saturating_mul(looks));
        self.left = left.unwrap_or(0);
        left.map(|_| ())
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left < self.cost
    }
}

/// A change that held.
#[derive(Clone)]
pub(super) struct Proved {
    /// Against the text that was asked about.
    pub(super) edits: Vec<Edit>,
    pub(super) says: String,
    /// The fence that it declares, if any.
    pub(super) declares: Option<String>,
    /// What is left of what was wrong.
    pub(super) rest: BTreeSet<Key>,
    /// What would do instead.
    instead: Option<Instead>,
    /// The text with the change made.
    source: Source,
}

/// A text that is searched for changes.
pub(super) struct Text<'a> {
    pub(super) source: &'a Source,
    pub(super) rules: RuleSet,
    /// What is wrong with it.
    pub(super) found: &'a [Found],
    /// What is wasted in it; `None` if it is too long to be asked.
    pub(super) waste: Option<&'a BTreeSet<Key>>,
    /// Names of fences that other changes of it declare.
    pub(super) taken: &'a [String],
    /// Its hazards, shown or not, once they were asked for.
    pub(super) before: &'a OnceCell<Before>,
}

/// A copy with edits made.
struct Tried {
    source: Source,
    wrong: Vec<Found>,
}

impl Text<'_> {
    /// The change for a finding; `None` if none holds, or beyond the budget.
    pub(super) fn search(&self, target: &Found, budget: &mut Budget<'_>) -> Option<Proved> {
        let proved = self.search_in_parts(target, PARTS_MAX, budget)?;
        Some(self.with_alternative(target, proved, budget))
    }

    /// Names what would do instead, if it would.
    fn with_alternative(
        &self,
        target: &Found,
        mut proved: Proved,
        budget: &mut Budget<'_>,
    ) -> Proved {
        let Some(instead) = proved.instead.take() else {
            return proved;
        };
        if let Some(Some(tried)) = self.try_on(&instead.edits, budget) {
            let rest = keys(&tried.wrong, &[&instead.edits]);
            let base = self.base();
            let edits: &[&[Edit]] = &[&instead.edits];
            if !rest.contains(&target.key()) && rest.is_subset(&base) && !self.trades(&tried, edits)
            {
                proved.says = format!("{}; or, {}", proved.says, instead.says);
            }
        }
        proved
    }

    fn search_in_parts(
        &self,
        target: &Found,
        parts: usize,
        budget: &mut Budget<'_>,
    ) -> Option<Proved> {
        let base = self.base();
        let gone = target.key();
        let mut held = Held::new(self.group(target));
        let mut almost: Vec<(Candidate, Tried)> = Vec::new();
        let mut progress: Option<(Candidate, Tried)> = None;
        budget.pay()?;
        let mut more = MORE_MAX;
        for candidate in candidates(self.source, target, self.found, self.rules, self.taken) {
            if held.any() {
                more = more.saturating_sub(1);
            }
            if more == 0 || held.is_full() {
                break;
            }
            let Some(tried) = self.try_on(&candidate.edits, budget)? else {
                continue;
            };
            let rest = keys(&tried.wrong, &[&candidate.edits]);
            if candidate.removes.iter().any(|key| rest.contains(key)) {
                continue;
            }
            if rest.contains(&gone) {
                // Against one of several first uses it may be covered now.
                let edits: &[&[Edit]] = &[&candidate.edits];
                let covered = rest.is_subset(&base)
                    && !tried.wrong.iter().any(|f| {
                        mapped(&f.finding, edits) == gone
                            && first_of(&f.finding, edits) == first_of(&target.finding, &[])
                    });
                if covered && progress.is_none() && !self.trades(&tried, edits) {
                    progress = Some((candidate, tried));
                }
            } else if rest.is_subset(&base) {
                if self.trades(&tried, &[&candidate.edits]) {
                    continue;
                }
                let proved = Proved::by(candidate, tried.source, rest);
                if self.hold(&mut held, proved, budget)? {
                    return held.best();
                }
            } else if rest.difference(&base).count() <= 2 && almost.len() < MENDED_MAX {
                almost.push((candidate, tried));
            }
        }
        if held.is_good() {
            return held.best();
        }
        if parts == PARTS_MAX {
            self.delete(target, &base, &mut held, budget)?;
            if !held.is_good()
                && let Some(best) = held.best()
            {
                self.tidy(target, &base, best, &mut held, budget)?;
            }
        }
        if held.any() {
            return held.best();
        }
        self.mend(target, &base, almost, &mut held, budget)?;
        if held.any() {
            return held.best();
        }
        let (candidate, tried) = progress?;
        self.complete(target, &candidate, &tried, parts.checked_sub(1)?, budget)
    }

    /// The entry that is wrong taken away, where nothing needs it. What the entry was for is not in this text then, so
    /// that a change of its fields comes first (reading R73).
    fn delete(
        &self,
        target: &Found,
        base: &BTreeSet<Key>,
        held: &mut Held,
        budget: &mut Budget<'_>,
    ) -> Option<()> {
        let kept = held.best().and_then(|best| {
            let span = best.edits.first()?.span;
            is_kept(target, &best, span).then_some(span)
        });
        let asked = target.finding.span;
        for mut candidate in deletions(self.source, kept.unwrap_or(asked).start, asked) {
            let Some(tried) = self.try_on(&candidate.edits, budget)? else {
                continue;
            };
            let edits: &[&[Edit]] = &[&candidate.edits];
            let rest = keys(&tried.wrong, edits);
            if rest.contains(&target.key()) || !rest.is_subset(base) || self.trades(&tried, edits) {
                continue;
            }
            if let Some(other) = held.best() {
                if other.rewrites(target.finding.span) || kept.is_some() {
                    held.says_of_best(&format!(" (or {})", candidate.says));
                    break;
                }
                candidate.says = format!(
                    "{} (or, if work that is not in this text needs it, {})",
                    candidate.says, other.says
                );
            }
            let proved = Proved::by(candidate, tried.source, rest);
            if self.hold(held, proved, budget)? {
                break;
            }
        }
        Some(())
    }

    /// The same without the barriers that nothing needs after it.
    fn tidy(
        &self,
        target: &Found,
        base: &BTreeSet<Key>,
        best: Proved,
        held: &mut Held,
        budget: &mut Budget<'_>,
    ) -> Option<()> {
        let known = self.waste?;
        let mut now = best;
        for _ in 0..TIDIED_MAX {
            let Some(less) = self.tidier(target, base, &now, known, budget)? else {
                break;
            };
            now = less;
            if self.hold(held, now.clone(), budget)? {
                break;
            }
        }
        Some(())
    }

    /// The same without one barrier that nothing needs after it. The outer `None` is beyond the budget.
    #[allow(
        clippy::option_option,
        reason = "what was not tried is not what cannot be had"
    )]
    fn tidier(
        &self,
        target: &Found,
        base: &BTreeSet<Key>,
        now: &Proved,
        known: &BTreeSet<Key>,
        budget: &mut Budget<'_>,
    ) -> Option<Option<Proved>> {
        let waste = waste_in(&now.source, self.rules).unwrap_or_default();
        let is_new = |f: &&Finding| !known.contains(&mapped(f, &[&now.edits]));
        let spans = waste.iter().filter(is_new).flat_map(|f| {
            let related = f.related.iter().map(|r| r.span);
            std::iter::once(f.span).chain(related)
        });
        let places = places(&now.edits);
        let edited = Text {
            source: &now.source,
            ..*self
        };
        let changes = spans.flat_map(|span| {
            let deletions = (0..).zip(deletions(&now.source, span.start, span));
            deletions.map(move |(at, candidate)| (span, at, candidate))
        });
        for (span, at, candidate) in changes {
            let is_its_own = places
                .iter()
                .any(|p| p.start <= span.start && span.start < p.end.max(p.start + 1));
            let stays = now.rewrites(target.finding.span) || is_kept(target, now, span);
            if is_its_own && stays {
                continue;
            }
            let Some(tried) = edited.try_on(&candidate.edits, budget)? else {
                continue;
            };
            let edits: &[&[Edit]] = &[&now.edits, &candidate.edits];
            let rest = keys(&tried.wrong, edits);
            if rest.contains(&target.key()) || !rest.is_subset(base) || self.trades(&tried, edits) {
                continue;
            }
            let less = difference(&self.source.text, &tried.source.text);
            let gone = Gone {
                at: span.start,
                is_its_own,
                is_all: at == 0,
            };
            return Some(Some(Proved {
                says: of_less(self.source, target, now, &gone, &less),
                edits: less,
                declares: now.declares.clone(),
                instead: None,
                source: tried.source,
                rest,
            }));
        }
        Some(None)
    }

    /// Second changes for what the first ones made wrong elsewhere.
    fn mend(
        &self,
        target: &Found,
        base: &BTreeSet<Key>,
        almost: Vec<(Candidate, Tried)>,
        held: &mut Held,
        budget: &mut Budget<'_>,
    ) -> Option<()> {
        for (first, tried) in almost {
            let news = tried
                .wrong
                .iter()
                .find(|f| !base.contains(&mapped(&f.finding, &[&first.edits])));
            let Some(news) = news else { continue };
            budget.pay()?;
            let seconds = candidates(&tried.source, news, &[], self.rules, self.taken);
            for second in seconds.into_iter().take(SECONDS_MAX) {
                let edited = Text {
                    source: &tried.source,
                    ..*self
                };
                let Some(mended) = edited.try_on(&second.edits, budget)? else {
                    continue;
                };
                let edits: &[&[Edit]] = &[&first.edits, &second.edits];
                let rest = keys(&mended.wrong, edits);
                if rest.contains(&target.key())
                    || !rest.is_subset(base)
                    || self.trades(&mended, edits)
                {
                    continue;
                }
                // What is written in the place of the first edit says it all.
                let made = places(&first.edits);
                let is_again =
                    |edit: &Edit| made.iter().any(|p| *p == edit.span && p.start < p.end);
                let rounds = [(self.source.clone(), first.edits.clone())];
                let second_says = in_words_of(target, &news.finding, &rounds, &second.says);
                let line = |at| self.source.line(first_place(&rounds, at));
                let asked = self.source.line(target.finding.span.start);
                let second_says = in_lines_of(self.source, &tried.source, &rounds, &second_says);
                let second_says =
                    with_line(&tried.source, &second.edits, &second_says, line, asked);
                let says = if made.len() == 1 && second.edits.iter().all(is_again) {
                    second_says
                } else {
                    format!("first {}, then {second_says}", first.says)
                };
                let proved = Proved {
                    edits: difference(&self.source.text, &mended.source.text),
                    source: mended.source,
                    says,
                    declares: first.declares.clone().or(second.declares),
                    instead: None,
                    rest,
                };
                if self.hold(held, proved, budget)? || held.is_full() {
                    return Some(());
                }
                break;
            }
        }
        Some(())
    }

    /// The rest of a change that covers the second use against one of several first uses.
    fn complete(
        &self,
        target: &Found,
        first: &Candidate,
        tried: &Tried,
        parts: usize,
        budget: &mut Budget<'_>,
    ) -> Option<Proved> {
        let layers: &[&[Edit]] = &[&first.edits];
        let still = tried
            .wrong
            .iter()
            .find(|f| mapped(&f.finding, layers) == target.key())?;
        let rest = Text {
            source: &tried.source,
            found: &tried.wrong,
            waste: None,
            before: &OnceCell::new(),
            ..*self
        };
        let second = rest.search_in_parts(still, parts, budget)?;
        let rounds = [(self.source.clone(), first.edits.clone())];
        let second_says = in_words_of(target, &still.finding, &rounds, &second.says);
        let wrong = wrong_in(&second.source, self.rules)?;
        Some(Proved {
            rest: keys(&wrong, &[&first.edits, &second.edits]),
            edits: difference(&self.source.text, &second.source.text),
            says: format!("{}; and {second_says}", first.says),
            declares: first.declares.clone().or(second.declares),
            instead: first.instead.clone(),
            source: second.source,
        })
    }

    /// Whether edits remove all of some findings and add none.
    pub(super) fn holds(&self, edits: &[Edit], mut gone: impl Iterator<Item = Key>) -> bool {
        let copy = Source::new(&self.source.name, apply(&self.source.text, edits));
        wrong_in(&copy, self.rules).is_some_and(|wrong| {
            let rest = keys(&wrong, &[edits]);
            rest.is_subset(&self.base())
                && gone.all(|key| !rest.contains(&key))
                && !self.before().is_traded(&copy, &wrong, &[edits])
        })
    }

    /// What one change should remove along with a finding: all that has the same cause. A wait that never ends orders
    /// nothing, so that races come from it; and one wait may order all uses of a resource.
    fn group(&self, target: &Found) -> BTreeSet<Key> {
        let is_race = |found: &Found| hazards::is_race(found.finding.rule);
        let is_wait = |found: &Found| found.finding.rule.family() == "FN";
        let is_its = |f: &Found| {
            let is_same = f.finding.resource == target.finding.resource;
            f.cause == target.cause
                || is_wait(target) && (is_wait(f) || is_race(f))
                || is_race(target) && is_race(f) && is_same
        };
        let is_own = |f: &&Found| is_its(f) && is_mended(&f.finding);
        self.found.iter().filter(is_own).map(Found::key).collect()
    }

    /// What is wrong with it, by keys.
    fn base(&self) -> BTreeSet<Key> {
        self.found.iter().map(Found::key).collect()
    }

    /// Whether an edited copy has a hazard that it does not show and that this text has not.
    fn trades(&self, tried: &Tried, layers: &[&[Edit]]) -> bool {
        self.before().is_traded(&tried.source, &tried.wrong, layers)
    }

    pub(super) fn before(&self) -> &Before {
        self.before.get_or_init(|| Before::new(self.source))
    }

    /// Keeps a change that holds; whether no other can be better.
    fn hold(&self, held: &mut Held, proved: Proved, budget: &mut Budget<'_>) -> Option<bool> {
        let wasted = match self.waste {
            None => 0,
            Some(known) => {
                budget.pay_for(WASTE_LOOKS)?;
                let layers: &[&[Edit]] = &[&proved.edits];
                let found = waste_in(&proved.source, self.rules).unwrap_or_default();
                let keys: BTreeSet<Key> = found.iter().map(|f| mapped(f, layers)).collect();
                keys.difference(known).count()
            }
        };
        Some(held.add(proved, wasted))
    }

    /// Makes edits and looks for what is wrong. The outer `None` is beyond the budget; the inner one is a copy that
    /// cannot be read, or gives up what is read later.
    #[allow(
        clippy::option_option,
        reason = "what was not tried is not what cannot be read"
    )]
    fn try_on(&self, edits: &[Edit], budget: &mut Budget<'_>) -> Option<Option<Tried>> {
        budget.pay()?;
        let source = Source::new(self.source.name.clone(), apply(&self.source.text, edits));
        let may_give_up = edits.iter().any(|edit| edit.text.contains("NO_ACCESS"));
        if may_give_up && gives_up(&source, &places(edits)) {
            return Some(None);
        }
        let wrong = wrong_in(&source, self.rules);
        Some(wrong.map(|wrong| Tried { source, wrong }))
    }
}

/// Whether a change only makes a transition keep the contents that it dropped: what the transition is for is not in the text
/// then, and stays as it was meant (reading R73).
fn is_kept(target: &Found, change: &Proved, at: Span) -> bool {
    let entry = change.source.text.get(at.start as usize..);
    target.finding.rule.id == "HZ109"
        && matches!(change.edits.as_slice(), [edit] if edit.span.start < edit.span.end)
        && entry.is_some_and(|text| text.starts_with("texture"))
}

impl Proved {
    /// Whether it puts other text in the place of an entry that begins where a span does.
    fn rewrites(&self, at: Span) -> bool {
        let mut edits = self.edits.iter();
        edits.any(|e| e.span.start == at.start && e.span.end > at.start && !e.text.is_empty())
    }

    fn by(candidate: Candidate, edited: Source, rest: BTreeSet<Key>) -> Self {
        Self {
            source: edited,
            edits: candidate.edits,
            says: candidate.says,
            declares: candidate.declares,
            instead: candidate.instead,
            rest,
        }
    }
}

/// Changes that hold, and how good each is.
struct Held {
    /// Findings of the same cause as the one that is asked about.
    group: BTreeSet<Key>,
    all: Vec<(usize, usize, Proved)>,
}

impl Held {
    fn new(group: BTreeSet<Key>) -> Self {
        Self {
            group,
            all: Vec::new(),
        }
    }

    fn any(&self) -> bool {
        !self.all.is_empty()
    }

    fn is_full(&self) -> bool {
        self.all.len() >= HELD_MAX
    }

    /// Whether one wastes nothing.
    fn is_good(&self) -> bool {
        self.all.iter().any(|(wasted, ..)| *wasted == 0)
    }

    fn add(&mut self, proved: Proved, wasted: usize) -> bool {
        let left = self.group.intersection(&proved.rest).count();
        self.all.push((wasted, left, proved));
        wasted == 0 && left == 0
    }

    /// Adds words to what the best of them says.
    fn says_of_best(&mut self, more: &str) {
        let best = self
            .all
            .iter_mut()
            .min_by_key(|(wasted, left, _)| (*wasted, *left));
        if let Some((.., best)) = best {
            best.says += more;
        }
    }

    /// The first of those that waste nothing, else the least, and that leave least of the same cause.
    fn best(&self) -> Option<Proved> {
        let best = self
            .all
            .iter()
            .min_by_key(|(wasted, left, _)| (*wasted, *left))?;
        Some(best.2.clone())
    }
}
