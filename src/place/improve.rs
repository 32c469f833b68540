//! Where each barrier is: a first choice, and moves that are kept if the machines take less time.
//!
//! A move changes the place of one barrier or of one call: to its earliest or latest place, to a call that is in its way, or
//! apart as two halves. Each is simulated; what is faster is checked before it is kept, because a place may break what a
//! neighbour composes. What takes longer than the barriers that the text had loses against anything that is right. A call and an
//! entry each count as one part in [`PARTS`] of the time: what gains less is not worth a barrier. The search ends when no move
//! helps, or after [`Placing::tries_max`] tries; it uses no random numbers.

use super::acts::Acts;
use super::chain::Whole;
use super::needs::Needs;
use super::plan::{Place, Plan, Strategy};
use super::wish::Wishes;
use super::wishes::{self, Contradiction, How};
use super::{Machines, Placing, Style, Taste, exact, proof};
use crate::order::Timeline;
use crate::scenario::Scenario;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How places are chosen.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Policy {
    /// What takes least on the machines.
    #[default]
    Search,
    /// Each barrier in a call before the first command that needs it, as trackers do that know only what was used before.
    JustInTime,
    /// In as few calls as can be, whatever they hold up, as the scheduler of RPS puts transitions together.
    RpsLike,
    /// The best of all plans, of a scenario that has few.
    Exact,
}

/// What a plan is worth: less is better.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Score {
    /// Mistakes in the placed text.
    wrong: usize,
    /// It takes longer than what the text had before.
    is_slower: bool,
    /// Time on all machines, and what calls and entries count as.
    worth_ps: u64,
    calls: usize,
    entries: usize,
}

/// Commands that are run in all tries, at most, unless more is asked for.
const STEPS_MAX: usize = 100_000;
/// Tries of a long text, and of a short one.
const TRIES_MIN: usize = 2;
const TRIES_MAX: usize = 4_000;
/// A text that is given fewer tries is long: its first plans are all.
const LONG: usize = 30;
/// An entry more must save one part in so many of the time; a call more, too.
const PARTS: u64 = 4_000;

impl Score {
    /// Whether it keeps the bound that another one keeps.
    pub(super) fn is_as_fast_as(self, other: Self) -> bool {
        self.is_slower <= other.is_slower
    }

    /// Of a text without mistakes.
    pub(super) fn of(written: &Scenario, machines: &Machines<'_>) -> Self {
        let (calls, entries) = super::counted(written);
        let counted = (calls + entries) as u64;
        let worth = machines.makespan(written);
        let is_slower = machines
            .limit_ps
            .zip(worth)
            .is_some_and(|(most, it)| it > most);
        Self {
            wrong: 0,
            is_slower,
            worth_ps: worth.map_or(u64::MAX, |it| it + it / PARTS * counted),
            calls,
            entries,
        }
    }
}

/// A search for places.
pub(super) struct Search<'a> {
    bare: &'a Scenario,
    machines: &'a Machines<'a>,
    placing: &'a Placing<'a>,
    tries: usize,
    tries_max: usize,
    is_ended: bool,
    best: Option<(Score, Plan)>,
}

/// Why there is no plan.
pub(super) enum Unplaced {
    /// Uses contradict each other.
    Contradiction(Contradiction),
    /// Too many plans to try each: how many.
    TooMany(u64),
}

/// The best plan that is found, written, and how many were tried.
pub(super) fn best(
    bare: &Scenario,
    machines: &Machines<'_>,
    placing: &Placing<'_>,
) -> Result<(Scenario, usize), Unplaced> {
    let timeline = Timeline::new(bare);
    let is_stated = placing.style == Style::Legacy;
    let mut acts = Acts::new(&timeline);
    if is_stated {
        acts.keep_stated();
    }
    let whole = Whole {
        timeline: &timeline,
        acts: &acts,
        needs: &Needs::new(&timeline, &acts),
    };
    let mut search = Search::new(bare, machines, placing);
    // A long text has no time for more.
    let is_long = search.tries_max < LONG;
    let (ways, strategies) = choices(placing.policy);
    let ways = ways.iter().take(if is_long { 1 } else { usize::MAX });
    let strategies = &strategies[..strategies.len().min(if is_long { 2 } else { 3 })];
    let mut known: Vec<Rc<Wishes>> = Vec::new();
    for how in ways {
        if search.is_ended {
            break;
        }
        let how = How { is_stated, ..*how };
        let wishes = wishes::wishes(whole, how).map_err(Unplaced::Contradiction)?;
        let wishes = Rc::new(wishes);
        if known.contains(&wishes) {
            continue;
        }
        if placing.policy == Policy::Exact {
            let count = exact::count(&wishes);
            if count > exact::PLANS_MAX {
                return Err(Unplaced::TooMany(count));
            }
            exact::each(&mut search, &wishes);
        } else {
            for strategy in strategies {
                if search.is_ended {
                    break;
                }
                search.offer(Plan::new(&wishes, *strategy));
            }
        }
        known.push(wishes);
    }
    let Some((score, mut plan)) = search.best.take() else {
        return Ok((bare.clone(), 0));
    };
    if placing.policy == Policy::Search && !is_long {
        search.improve(score, &mut plan);
    }
    Ok((plan.written(bare, Some(&timeline)), search.tries))
}

/// What a policy tries at first: how barriers are chosen, and where each is.
fn choices(policy: Policy) -> (&'static [How], &'static [Strategy]) {
    const fn how(taste: Taste, is_early: bool) -> How {
        How {
            taste,
            is_early,
            is_stated: false,
        }
    }
    match policy {
        Policy::Search | Policy::Exact => (
            const {
                &[
                    how(Taste::Shared, false),
                    how(Taste::Own, false),
                    how(Taste::Shared, true),
                    how(Taste::Own, true),
                ]
            },
            &[Strategy::Joined, Strategy::Late, Strategy::Early],
        ),
        Policy::JustInTime => (const { &[how(Taste::Own, false)] }, &[Strategy::Late]),
        Policy::RpsLike => (const { &[how(Taste::Shared, false)] }, &[Strategy::Joined]),
    }
}

impl<'a> Search<'a> {
    fn new(bare: &'a Scenario, machines: &'a Machines<'a>, placing: &'a Placing<'a>) -> Self {
        let tries = STEPS_MAX / super::commands(bare).max(1);
        let tries_max = match placing.policy {
            Policy::Exact => usize::MAX,
            _ => tries.clamp(TRIES_MIN, TRIES_MAX),
        };
        Self {
            bare,
            machines,
            placing,
            tries: 0,
            tries_max: placing.tries_max.unwrap_or(tries_max),
            is_ended: false,
            best: None,
        }
    }

    /// Whether there is no time for more.
    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Keeps a plan if it is better than the best so far. The first ones are looked at however little time there is.
    pub(super) fn offer(&mut self, plan: Plan) {
        let written = plan.written(self.bare, None);
        let mut score = self.tried(&written);
        let best = self.best.as_ref().map(|it| it.0);
        if best.is_some_and(|best| best.wrong == 0 && score >= best) {
            return;
        }
        score.wrong = self.wrong(&written);
        if best.is_none_or(|best| score < best) {
            self.best = Some((score, plan));
        }
    }

    /// A scenario on the machines; whether it is right is asked by itself.
    fn tried(&mut self, written: &Scenario) -> Score {
        self.tries += 1;
        self.is_ended |= self.tries >= self.tries_max || !(self.placing.goes_on)(self.tries);
        Score::of(written, self.machines)
    }

    fn wrong(&self, written: &Scenario) -> usize {
        proof::weight(written, self.machines.options.rules)
    }

    /// Keeps moves that help until none does.
    fn improve(&mut self, mut score: Score, plan: &mut Plan) {
        loop {
            let before = score;
            for at in 0..plan.wishes.len() {
                if self.is_ended {
                    return;
                }
                for group in [true, false] {
                    for moved in moves(plan, at, group) {
                        if self.is_ended {
                            return;
                        }
                        let written = moved.written(self.bare, None);
                        let mut better = self.tried(&written);
                        better.wrong = score.wrong;
                        if better >= score {
                            continue;
                        }
                        better.wrong = self.wrong(&written);
                        if better < score {
                            score = better;
                            *plan = moved;
                        }
                    }
                }
            }
            if score == before {
                return;
            }
        }
    }
}

/// Other plans, with one barrier or all of its call elsewhere.
fn moves(plan: &Plan, at: usize, group: bool) -> Vec<Plan> {
    let (wish, place) = (&plan.wishes[at], plan.places[at]);
    let list = wish.latest.list;
    let call: Vec<usize> = if group {
        let same = |it: &usize| plan.wishes[*it].latest.list == list && plan.places[*it] == place;
        let call: Vec<usize> = (0..plan.wishes.len()).filter(same).collect();
        // Once for each call.
        if call.len() == 1 || call[0] != at {
            return Vec::new();
        }
        call
    } else {
        vec![at]
    };
    let earliest = call.iter().map(|it| plan.wishes[*it].earliest).max();
    let latest = call.iter().map(|it| plan.wishes[*it].latest.index).min();
    let Some((earliest, latest)) = earliest.zip(latest).filter(|(from, to)| from <= to) else {
        return Vec::new();
    };
    let mut places: BTreeSet<Place> = BTreeSet::new();
    places.insert(Place::Whole(earliest));
    places.insert(Place::Whole(latest));
    for (other, place) in plan.wishes.iter().zip(&plan.places) {
        if let Place::Whole(index) = place
            && other.latest.list == list
            && earliest <= *index
            && *index <= latest
        {
            places.insert(Place::Whole(*index));
        }
    }
    if earliest < latest && call.iter().all(|it| plan.wishes[*it].splits()) {
        places.insert(Place::Split(earliest, latest));
    }
    places.remove(&place);
    let moved = |place: Place| {
        let mut moved = plan.clone();
        for it in &call {
            moved.places[*it] = place;
        }
        moved
    };
    places.into_iter().map(moved).collect()
}
