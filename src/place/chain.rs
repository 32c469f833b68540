//! The chain of a texture's part: its uses in order, with the places at which a layout is fixed or lost, and where a change may be
//! made before each.

use super::acts::{Act, Acts, Executions, Group, PartActs, Spot};
use super::layouts::{Layouts, Step};
use super::needs::Needs;
use super::wishes::How;
use crate::api::Layout;
use crate::id::{ListId, SubmissionId, narrow};
use crate::order::Timeline;
use crate::scenario::Placement;
use indexmap::IndexMap;

/// What is the same each time of what is done several times in the same way.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Steady {
    /// The layout that it finds; `None` if its first use defines the contents, so that any will do.
    pub(super) found: Option<Layout>,
    /// The layout that it leaves; `None` for that of its last use.
    left: Option<Layout>,
    /// What it finds is lost, although its first use does not define the contents.
    pub(super) loses: bool,
}

/// What may be steady, best first.
pub(super) fn steady(acts: &[&Act], initial: Layout, has_groups: bool) -> Vec<Steady> {
    let steady = |found, left, loses| Steady { found, left, loses };
    if !has_groups {
        return vec![steady(Some(initial), None, false)];
    }
    let wanted = acts
        .iter()
        .fold(Layouts::one(initial), |all, act| all.or(act.layouts));
    let layouts: Vec<Option<Layout>> = wanted
        .iter()
        .filter(|it| *it != Layout::Undefined)
        .map(Some)
        .collect();
    let any = || std::iter::once(None).chain(layouts.iter().copied());
    let mut all: Vec<Steady> = any().map(|left| steady(None, left, false)).collect();
    all.extend(layouts.iter().map(|it| steady(*it, *it, false)));
    // A texture that is created without contents may lose them each time.
    if initial == Layout::Undefined {
        all.extend(any().map(|left| steady(None, left, true)));
    }
    all
}

/// A place in the chain of a part.
#[derive(Copy, Clone, Debug)]
pub(super) enum Item {
    Act(u32),
    /// A turn of a `repeat`, or a list that is executed in several ways, starts or ends there: it finds and leaves one layout.
    Edge {
        submission: SubmissionId,
        spot: Option<Spot>,
        is_end: bool,
    },
    /// Whatever was there is lost, or a barrier that stays has changed it.
    Becomes,
}

/// What a chain is made from.
#[derive(Copy, Clone)]
pub(super) struct Whole<'a, 's> {
    pub(super) timeline: &'a Timeline<'s>,
    pub(super) acts: &'a Acts,
    pub(super) needs: &'a Needs,
}

/// The chain of a texture's part, and what each step allows.
pub(super) fn chain(
    whole: Whole<'_, '_>,
    part: &PartActs,
    acts: &[&Act],
    (initial, steady): (Layout, Steady),
    how: How,
) -> (Vec<Item>, Vec<Step>) {
    let placement = whole.timeline.scenario.resource(part.resource).placement;
    let aliases = match placement {
        Placement::Placed { .. } => whole.timeline.memory.aliases(part.resource),
        Placement::Committed | Placement::Reserved => Vec::new(),
    };
    let mut chain = Chain {
        acts: whole.acts,
        timeline: whole.timeline,
        steady,
        // What another turn leaves in the memory, this one finds.
        is_aliased: aliases.iter().any(|it| whole.acts.is_used(*it)),
        how,
        items: Vec::new(),
        steps: Vec::new(),
    };
    let barriers = barriers(whole, part, acts);
    // Committed memory has sound metadata (reading R25).
    let mut is_sound = placement == Placement::Committed;
    for (at, act) in acts.iter().enumerate() {
        let former = at.checked_sub(1).map(|before| acts[before]);
        let (own, before) = (
            whole.acts.group(act),
            former.and_then(|it| whole.acts.group(it)),
        );
        let is_new = own != before;
        if is_new
            && before.is_some()
            && let Some(former) = former
        {
            chain.leave(former);
        }
        // A state goes on, whoever has the memory meanwhile, and nothing is given up.
        let gives_up = !how.is_stated;
        if gives_up && whole.acts.is_aliased_between(&aliases, former, act) {
            chain.becomes(Layout::Undefined);
            is_sound = placement == Placement::Committed;
        }
        if is_new && own.is_some() {
            chain.find(acts, at, former);
        }
        if gives_up && !is_sound && act.needs_metadata() {
            // What was written there is not given up for it.
            let is_empty = !acts[..at].iter().any(|it| it.writes);
            if is_empty && !act.fills && (at > 0 || initial != Layout::Undefined) {
                chain.becomes(Layout::Undefined);
            }
            is_sound = true;
        }
        let is_free = is_free(whole.timeline, &acts[..at], act);
        chain.act(part.acts[at], act, (former, is_free, barriers[at]));
    }
    if let Some(last) = acts.last()
        && whole.acts.group(last).is_some()
    {
        chain.leave(last);
    }
    (chain.items, chain.steps)
}

/// Whether there is a barrier before each act in any case: one phase ends even if no layout changes. What is in one execution of
/// a list is in each.
fn barriers(whole: Whole<'_, '_>, part: &PartActs, acts: &[&Act]) -> Vec<bool> {
    let mut phase = 0;
    let mut at_spots: IndexMap<(ListId, u32, u32), bool> = IndexMap::new();
    let mut barriers = Vec::with_capacity(acts.len());
    for (at, act) in acts.iter().enumerate() {
        let in_phase = |it: &u32| part.acts[phase..at].binary_search(it).is_ok();
        let has_barrier = whole.needs.of(part.acts[at]).iter().any(in_phase);
        if has_barrier {
            phase = at;
        }
        if let Some(spot) = act.spot {
            *at_spots
                .entry((spot.list, spot.index, act.key.1))
                .or_default() |= has_barrier;
        }
        barriers.push(has_barrier);
    }
    for (has_barrier, act) in barriers.iter_mut().zip(acts) {
        if let Some(spot) = act.spot {
            *has_barrier |= at_spots[&(spot.list, spot.index, act.key.1)];
        }
    }
    barriers
}

/// Uses before one that are asked whether they are over: more readers of one text are all over if these are.
const BACK_MAX: usize = 8;

/// Whether the layout may change between a use and those before it: they are over, and it is no second use of one command.
fn is_free(timeline: &Timeline<'_>, before: &[&Act], act: &Act) -> bool {
    let is_same_command = before.last().is_some_and(|it| it.key.0 == act.key.0);
    let earlier = before.iter().rev().take(BACK_MAX);
    let mut others = earlier.take_while(|it| it.submission != act.submission);
    !is_same_command && others.all(|it| timeline.happens_before(it.submission, act.submission))
}

/// Submissions before a use that are looked at for a list which may hold a change of a layout.
const CARRIERS_MAX: usize = 64;

/// The end of a list that is executed once, after one use and before another one, with the layouts that its queue may name.
pub(super) fn carrier(
    timeline: &Timeline<'_>,
    acts: &Acts,
    former: Option<&Act>,
    next: &Act,
) -> Option<(Spot, Layouts)> {
    let before = &acts.order[..next.rank as usize];
    let latest = before.iter().rev().take(CARRIERS_MAX).copied();
    let mut fitting = latest.filter_map(|id| {
        let submission = timeline.submission(id);
        let lists = timeline.lists(submission);
        let list = *lists.last()?;
        let is_between = matches!(acts.executions[list], Executions::EachTurn(_, 0))
            && timeline.happens_before(id, next.submission)
            && former.is_none_or(|it| timeline.happens_before(it.submission, id));
        let spot = Spot {
            order: narrow(lists.len() - 1),
            list,
            index: narrow(timeline.scenario.lists[list].commands.len()),
        };
        is_between.then_some((spot, Layouts::named_on(timeline.queue_type(submission)?)))
    });
    let is_direct = |it: &(Spot, Layouts)| it.1.has(Layout::RenderTarget);
    fitting.find(is_direct)
}

/// The chain of a part as it is made.
struct Chain<'a, 's> {
    acts: &'a Acts,
    timeline: &'a Timeline<'s>,
    steady: Steady,
    /// Another resource uses the memory, in each turn.
    is_aliased: bool,
    how: How,
    items: Vec<Item>,
    steps: Vec<Step>,
}

impl Chain<'_, '_> {
    /// The layout changes without a barrier.
    fn becomes(&mut self, layout: Layout) {
        self.items.push(Item::Becomes);
        self.steps.push(Step {
            becomes: Some(layout),
            ..Step::finding(Layouts::one(layout))
        });
    }

    /// Whether a group needs nothing of what is there when it starts.
    fn forgets(&self, acts: &[&Act], at: usize) -> bool {
        let group = self.acts.group(acts[at]);
        let own = acts[..=at].iter().rev();
        let own = own.take_while(|it| self.acts.group(it) == group);
        let first = own.last().unwrap_or(&acts[at]);
        !self.how.is_stated && self.is_aliased
            || self.steady.loses
            || self.steady.found.is_none() && first.fills
    }

    /// A group starts: it finds the steady layout, or forgets what it finds.
    fn find(&mut self, acts: &[&Act], at: usize, former: Option<&Act>) {
        if acts[at].spot.is_none() {
            // A present finds the one layout that it wants. The end of a list that is executed in several ways is not only before it.
            let is_alone = |it: &&Act| !matches!(self.acts.group(it), Some(Group::List(..)));
            let former = former.filter(is_alone);
            self.edge(acts[at], false, former, acts[at].layouts);
        } else if self.forgets(acts, at) {
            self.becomes(Layout::Undefined);
        } else {
            let found = self.steady.found.map_or(Layouts::NONE, Layouts::one);
            self.edge(acts[at], false, former, found);
        }
    }

    /// A group ends with an act: it leaves the layout that the next one finds.
    fn leave(&mut self, last: &Act) {
        if let Some(left) = self.steady.left {
            self.edge(last, true, Some(last), Layouts::one(left));
        }
    }

    /// Layouts that a barrier next to an act may name.
    fn named_at(act: &Act) -> Layouts {
        if act.spot.is_some() {
            Layouts::named_on(act.queue)
        } else {
            Layouts::NONE
        }
    }

    /// Where a group starts or ends.
    fn edge(&mut self, act: &Act, is_end: bool, former: Option<&Act>, layouts: Layouts) {
        // A present is in no list: it finds and leaves `COMMON`.
        let spot = act.spot.map(|spot| Spot {
            index: if is_end {
                narrow(self.timeline.scenario.lists[spot.list].commands.len())
            } else {
                0
            },
            ..spot
        });
        self.items.push(Item::Edge {
            submission: act.submission,
            spot,
            is_end,
        });
        self.steps.push(Step {
            by_former: former.map_or(Layouts::NONE, Self::named_at),
            ..Step::finding(layouts)
        });
    }

    fn act(
        &mut self,
        at: u32,
        act: &Act,
        (former, is_free, has_barrier): (Option<&Act>, bool, bool),
    ) {
        let by_former = former.filter(|former| {
            let group = self.acts.group(former);
            let is_alike = group.is_none() || group == self.acts.group(act);
            is_free && former.submission != act.submission && is_alike
        });
        // A direct queue changes any layout itself.
        let own = Self::named_at(act);
        let other = (is_free && !own.has(Layout::RenderTarget))
            .then(|| carrier(self.timeline, self.acts, former, act))
            .flatten()
            .map(|(_, layouts)| layouts);
        self.items.push(Item::Act(at));
        self.steps.push(Step {
            by_former: by_former.map_or(Layouts::NONE, Self::named_at),
            by_own: if is_free { own } else { Layouts::NONE },
            by_other: other.unwrap_or(Layouts::NONE),
            has_barrier,
            is_early: self.how.is_early,
            ..Step::finding(act.layouts)
        });
        if let Some(layout) = act.becomes {
            self.becomes(layout);
        }
    }
}
