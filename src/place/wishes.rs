//! What barriers there must be: for each part, between which uses, and with which scopes and layouts.
//!
//! Uses of a part come in phases: within one, no two need a barrier between them. Between two phases there is one barrier,
//! anywhere after the last use of the one and before the first use of the other. It is right for these reasons:
//! * the end of a scope finishes and flushes everything on its queue, and fences order the rest (reading R22): so only uses
//!   of one `ExecuteCommandLists` call are compared; across calls only layouts change;
//! * two uses need a barrier if the relation *needed* has the pair and nothing orders it yet: reads of the same contents,
//!   raster order (R18), atomics (R19) and synchronous copies (R20) are not in it;
//! * its before side has each use of the one phase that a use of the other needs, its after side each use of the other phase
//!   that needs one: so every pair is covered by one barrier, directly;
//! * a pair of uses with a phase between them is covered by composition: the barriers on both sides of that phase name
//!   the same use in it (R12, R14). Where that is not so, the check of the placed text finds it;
//! * a layout change is ordered after every use of the phase before it and before every use of the phase after it
//!   (R17, R79).

use super::acts::{Act, Acts, Executions, PartActs, Spot, UseKey};
use super::layouts::{self, Change, Layouts, Step, Taste};
use crate::api::{BarrierAccess, Layout, LeafSet, ResourceFlags};
use crate::graph::{self, Collected, Part, Request};
use crate::id::{ListId, NodeId, ResourceId, SubmissionId, narrow};
use crate::order::{LayoutTracker, Timeline};
use crate::scenario::{Placement, Resource};
use indexmap::IndexMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Stages and accesses of one side of a barrier; nothing if no stage is in it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct SideOf {
    pub(super) stages: LeafSet,
    pub(super) access: BarrierAccess,
}

impl SideOf {
    pub(super) fn add(&mut self, other: Self) {
        self.stages = self.stages.union(other.stages);
        self.access |= other.access;
    }
}

/// A barrier that there must be, and where it may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wish {
    pub(super) resource: ResourceId,
    /// Subresources, or bytes of a buffer.
    pub(super) runs: Vec<(u64, u64)>,
    /// The earliest place: before this command of its list.
    pub(super) earliest: u32,
    /// The latest place.
    pub(super) latest: Spot,
    pub(super) before: SideOf,
    pub(super) after: SideOf,
    /// Of a texture that has layouts.
    pub(super) layouts: Option<(Layout, Layout)>,
    /// It initialises metadata.
    pub(super) discards: bool,
    /// The contents before it are given up: nothing is made visible.
    pub(super) gives_up: bool,
    /// What follows uses other memory there: the resource is done with.
    pub(super) hands_over: bool,
    /// Uses for which it is there, some of them.
    pub(super) pairs: SmallVec<[(Option<NodeId>, Option<NodeId>); 2]>,
}

/// Uses that a comment names.
const PAIRS_MAX: usize = 4;

impl Wish {
    fn is_for(&mut self, first: Option<NodeId>, second: Option<NodeId>) {
        if self.pairs.len() < PAIRS_MAX && !self.pairs.contains(&(first, second)) {
            self.pairs.push((first, second));
        }
    }

    /// What makes two wishes, of two executions of a list, the same.
    fn identity(&self) -> Identity {
        (
            self.resource,
            self.runs.clone(),
            (self.earliest, self.latest.list, self.latest.index),
            self.layouts,
            self.hands_over,
        )
    }
}

type Identity = (
    ResourceId,
    Vec<(u64, u64)>,
    (u32, ListId, u32),
    Option<(Layout, Layout)>,
    bool,
);

/// Why nothing can be placed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Contradiction {
    pub(super) resource: ResourceId,
    /// The use for which there is no layout, and the one before it.
    pub(super) second: NodeId,
    pub(super) first: Option<NodeId>,
    pub(super) layouts: Layouts,
}

/// How barriers are chosen where there is a choice.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct How {
    pub(super) taste: Taste,
    /// In the list of the first of two uses, not in that of the second.
    pub(super) is_early: bool,
}

/// What is the same each time of what is done several times in the same way.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Steady {
    /// The layout that it finds; `None` if its first use defines the contents, so that any will do.
    found: Option<Layout>,
    /// The layout that it leaves; `None` for that of its last use.
    left: Option<Layout>,
    /// What it finds is lost, although its first use does not define the contents.
    loses: bool,
}

/// What may be steady, best first.
fn steady(acts: &[&Act], initial: Layout, has_groups: bool) -> Vec<Steady> {
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

/// All barriers that a timeline needs.
pub(super) fn wishes(timeline: &Timeline<'_>, how: How) -> Result<Vec<Wish>, Contradiction> {
    let acts = Acts::new(timeline);
    let needs = Needs::new(timeline, &acts);
    let mut made = Made {
        timeline,
        acts: &acts,
        needs: &needs,
        wishes: IndexMap::new(),
        layouts: vec![None; acts.all.len()],
        is_early: how.is_early,
    };
    for part in &acts.parts {
        made.part(part, how)?;
    }
    made.hand_over();
    Ok(made.wishes.into_values().collect())
}

/// Pairs of acts that need a barrier between them.
struct Needs {
    /// For each act the earlier ones that it needs, ascending.
    firsts: Vec<SmallVec<[u32; 2]>>,
    /// The same where the two are of different resources.
    aliases: Vec<(u32, u32)>,
}

impl Needs {
    fn new(timeline: &Timeline<'_>, acts: &Acts) -> Self {
        let request = Request {
            pairs: Collected::Named,
            ..Request::default()
        };
        let mut needs = Self {
            firsts: vec![SmallVec::new(); acts.all.len()],
            aliases: Vec::new(),
        };
        for pair in graph::evaluate(timeline, request).pairs {
            let act = |side: &graph::Side| {
                let key: UseKey = match side.part {
                    Part::Use(index) => (side.node, index),
                    Part::Root { set, index } => (set, index),
                    Part::Entry(_) | Part::Whole => return None,
                };
                acts.by_key.get(&key).copied()
            };
            let Some((first, second)) = act(&pair.first).zip(act(&pair.second)) else {
                continue;
            };
            let [one, two] = [first, second].map(|at| &acts.all[at as usize]);
            if pair.asked || first == second || one.submission != two.submission {
                continue;
            }
            if one.resource == two.resource {
                needs.firsts[second as usize].push(first);
            } else {
                needs.aliases.push((first, second));
            }
        }
        for firsts in &mut needs.firsts {
            firsts.sort_unstable();
            firsts.dedup();
        }
        needs
            .aliases
            .sort_unstable_by_key(|(first, second)| (*second, *first));
        needs.aliases.dedup();
        needs
    }

    fn of(&self, act: u32) -> &[u32] {
        &self.firsts[act as usize]
    }

    /// Acts on other resources that an act needs.
    fn aliases_of(&self, act: u32) -> &[(u32, u32)] {
        let from = self.aliases.partition_point(|(_, second)| *second < act);
        let to = self.aliases.partition_point(|(_, second)| *second <= act);
        &self.aliases[from..to]
    }

    /// The same but for those that are over when another one of them is.
    fn last_aliases_of(&self, act: u32) -> impl Iterator<Item = u32> {
        let aliases = self.aliases_of(act);
        let is_last = move |first: &u32| {
            let mut others = aliases.iter();
            !others.any(|(other, _)| self.of(*other).contains(first))
        };
        aliases.iter().map(|it| it.0).filter(is_last)
    }
}

/// A place in the chain of a part.
#[derive(Copy, Clone, Debug)]
enum Item {
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

struct Made<'a, 's> {
    timeline: &'a Timeline<'s>,
    acts: &'a Acts,
    needs: &'a Needs,
    wishes: IndexMap<Identity, Wish>,
    /// The layout in which each act finds its resource.
    layouts: Vec<Option<Layout>>,
    /// Barriers are in the list of the first of two uses, where these are in two.
    is_early: bool,
}

/// The uses of a part in one scope since the last barrier.
#[derive(Default)]
struct Phase {
    submission: Option<SubmissionId>,
    acts: Vec<u32>,
    former: Vec<u32>,
    /// The barrier that opened it.
    wish: Option<Identity>,
}

impl Made<'_, '_> {
    fn resource(&self, id: ResourceId) -> &Resource {
        self.timeline.scenario.resource(id)
    }

    fn part(&mut self, part: &PartActs, how: How) -> Result<(), Contradiction> {
        let resource = self.resource(part.resource);
        let has_layouts =
            !resource.is_buffer() && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS);
        if !has_layouts {
            self.phases(part, None);
            return Ok(());
        }
        let initial = LayoutTracker::declared(resource);
        let flags = resource.flags;
        let acts: Vec<&Act> = part
            .acts
            .iter()
            .map(|it| &self.acts.all[*it as usize])
            .collect();
        let has_groups = acts.iter().any(|act| self.acts.group(act).is_some());
        let mut found: Option<(u64, Vec<Item>, Vec<Step>, Vec<Layout>)> = None;
        let mut failed = None;
        for steady in steady(&acts, initial, has_groups) {
            // What loses contents is only done where nothing else is possible.
            if found.is_some() && steady.loses {
                break;
            }
            let (items, steps) = self.chain(part, &acts, (initial, steady), how.is_early);
            match layouts::assign(initial, &steps, how.taste, flags) {
                Ok(it) if found.as_ref().is_none_or(|best| it.cost < best.0) => {
                    found = Some((it.cost, items, steps, it.layouts));
                }
                Ok(_) => {}
                Err(at) if steady.found.is_some() => {
                    failed.get_or_insert_with(|| self.contradiction(part, &items, &steps, at));
                }
                Err(_) => {}
            }
        }
        match (found, failed) {
            (Some((_, items, steps, layouts)), _) => {
                self.phases(part, Some((initial, &items, &steps, &layouts)));
                Ok(())
            }
            (None, Some(contradiction)) => Err(contradiction),
            (None, None) => Ok(()),
        }
    }

    fn contradiction(
        &self,
        part: &PartActs,
        items: &[Item],
        steps: &[Step],
        at: usize,
    ) -> Contradiction {
        let node = |item: &Item| match item {
            Item::Act(act) => Some(self.acts.all[*act as usize].key.0),
            Item::Edge { submission, .. } => Some(self.timeline.submission(*submission).first_node),
            Item::Becomes => None,
        };
        let first = items[..at].iter().rev().find_map(node);
        let second = items[at..].iter().find_map(node);
        Contradiction {
            resource: part.resource,
            second: second.unwrap_or_default(),
            first,
            layouts: steps[at].allowed,
        }
    }

    /// The chain of a texture's part, and what each step allows.
    fn chain(
        &self,
        part: &PartActs,
        acts: &[&Act],
        (initial, steady): (Layout, Steady),
        is_early: bool,
    ) -> (Vec<Item>, Vec<Step>) {
        let placement = self.resource(part.resource).placement;
        let aliases = match placement {
            Placement::Placed { .. } => self.timeline.memory.aliases(part.resource),
            Placement::Committed | Placement::Reserved => Vec::new(),
        };
        let mut chain = Chain {
            acts: self.acts,
            timeline: self.timeline,
            steady,
            // What another turn leaves in the memory, this one finds.
            is_aliased: aliases.iter().any(|it| self.acts.is_used(*it)),
            is_early,
            items: Vec::new(),
            steps: Vec::new(),
        };
        let mut phase = 0;
        // Committed memory has sound metadata (reading R25).
        let mut is_sound = placement == Placement::Committed;
        for (at, act) in acts.iter().enumerate() {
            let former = at.checked_sub(1).map(|before| acts[before]);
            let (own, before) = (
                self.acts.group(act),
                former.and_then(|it| self.acts.group(it)),
            );
            let is_new = own != before;
            if is_new
                && before.is_some()
                && let Some(former) = former
            {
                chain.leave(former);
            }
            if self.acts.is_aliased_between(&aliases, former, act) {
                chain.becomes(Layout::Undefined);
                is_sound = placement == Placement::Committed;
            }
            if is_new && own.is_some() {
                chain.find(acts, at, former);
            }
            if !is_sound && act.needs_metadata() {
                // What was written there is not given up for it.
                let is_empty = !acts[..at].iter().any(|it| it.writes);
                if is_empty && !act.fills && (at > 0 || initial != Layout::Undefined) {
                    chain.becomes(Layout::Undefined);
                }
                is_sound = true;
            }
            let earlier = acts[..at].iter().rev();
            let is_same_command = former.is_some_and(|it| it.key.0 == act.key.0);
            let are_over = earlier
                .take(Chain::BACK_MAX)
                .take_while(|it| it.submission != act.submission)
                .all(|it| self.timeline.happens_before(it.submission, act.submission));
            let is_free = !is_same_command && are_over;
            // Where one phase ends if no layout changes.
            let in_phase = |it: &u32| part.acts[phase..at].binary_search(it).is_ok();
            let has_barrier = self.needs.of(part.acts[at]).iter().any(in_phase);
            if has_barrier {
                phase = at;
            }
            chain.act(part.acts[at], act, (former, is_free, has_barrier));
        }
        if let Some(last) = acts.last()
            && self.acts.group(last).is_some()
        {
            chain.leave(last);
        }
        (chain.items, chain.steps)
    }

    /// Walks a chain and makes the barriers between its phases.
    fn phases(&mut self, part: &PartActs, chain: Option<(Layout, &[Item], &[Step], &[Layout])>) {
        let mut phase = Phase::default();
        let Some((initial, items, steps, assigned)) = chain else {
            for act in &part.acts {
                self.enter_scope(&mut phase, self.acts.all[*act as usize].submission);
                self.act(part, &mut phase, *act, None);
            }
            return;
        };
        let mut layout = initial;
        for ((item, step), to) in items.iter().zip(steps).zip(assigned) {
            let from = std::mem::replace(&mut layout, *to);
            match item {
                Item::Becomes => {}
                Item::Act(at) => {
                    let act = &self.acts.all[*at as usize];
                    self.layouts[*at as usize] = Some(*to);
                    let change = step.change(from, *to).unwrap_or(Change::None);
                    let own = match change {
                        Change::None => {
                            self.enter_scope(&mut phase, act.submission);
                            self.act(part, &mut phase, *at, Some(*to));
                            continue;
                        }
                        Change::Own => Some(from),
                        Change::Former => {
                            self.leave(part, &phase, (from, *to), act);
                            None
                        }
                        Change::Other => {
                            self.carry(part, *at, (from, *to));
                            None
                        }
                        Change::Both => {
                            self.leave(part, &phase, (from, Layout::Common), act);
                            Some(Layout::Common)
                        }
                    };
                    self.enter_scope(&mut phase, act.submission);
                    match own {
                        Some(from) => self.change(part, &mut phase, *at, (from, *to)),
                        None => self.act(part, &mut phase, *at, Some(*to)),
                    }
                }
                Item::Edge {
                    submission,
                    spot,
                    is_end,
                } => {
                    if from != *to {
                        // At the end of the list of the uses before it.
                        let spot = if *is_end { *spot } else { self.end(&phase) };
                        if let Some(spot) = spot {
                            let wish = self.leave_at(part, &phase, (from, *to), spot, None);
                            phase.former = std::mem::take(&mut phase.acts);
                            phase.wish = Some(wish);
                        }
                    }
                    self.enter_scope(&mut phase, *submission);
                }
            }
        }
    }

    fn enter_scope(&self, phase: &mut Phase, submission: SubmissionId) {
        if phase.submission != Some(submission) {
            *phase = Phase {
                submission: Some(submission),
                ..Phase::default()
            };
        }
    }

    /// A use in the layout that it finds: joins the phase, or begins one after a barrier.
    fn act(&mut self, part: &PartActs, phase: &mut Phase, at: u32, layout: Option<Layout>) {
        let act = &self.acts.all[at as usize];
        if act.is_wish {
            return;
        }
        let needs = self.needs.of(at);
        let in_phase = |it: &u32| phase.acts.binary_search(it).is_ok();
        if !needs.iter().any(in_phase) {
            self.join(phase, at);
            return;
        }
        let Some(mut wish) = self.between(part, &phase.acts, at) else {
            self.join(phase, at);
            return;
        };
        wish.layouts = layout.map(|it| (it, it));
        for first in needs.iter().filter(|it| in_phase(it)) {
            wish.before.add(self.side(*first));
        }
        self.open(phase, at, wish);
    }

    /// Stages and access of an act in the layout that it finds.
    fn side(&self, at: u32) -> SideOf {
        let act = &self.acts.all[at as usize];
        act.side(self.layouts[at as usize], self.resource(act.resource).flags)
    }

    /// The same for a barrier before the act.
    fn after_side(&self, at: u32) -> SideOf {
        let (act, side) = (&self.acts.all[at as usize], self.side(at));
        SideOf {
            stages: side.stages.union(act.held),
            ..side
        }
    }

    /// A use after a change of the layout in its own scope.
    fn change(&mut self, part: &PartActs, phase: &mut Phase, at: u32, layouts: (Layout, Layout)) {
        let act = &self.acts.all[at as usize];
        let Some(mut wish) = self.between(part, &phase.acts, at) else {
            return;
        };
        for first in &phase.acts {
            wish.before.add(self.side(*first));
        }
        if phase.acts.is_empty()
            && let Some(left) = phase.wish.as_ref().and_then(|it| self.wishes.get_mut(it))
        {
            // Nothing uses the part between two changes: the one is handed to the other.
            left.after.stages = left.before.stages;
            wish.before.stages = left.before.stages;
        }
        wish.layouts = Some(layouts);
        if layouts.0 == Layout::Undefined {
            wish.gives_up = true;
            wish.discards = !act.fills && is_compressible(layouts.1);
            for first in self.needs.last_aliases_of(at) {
                wish.before.add(self.side(first));
            }
            for (first, _) in self.needs.aliases_of(at) {
                let first = &self.acts.all[*first as usize];
                let after = first.spot.filter(|it| it.order == wish.latest.order);
                wish.earliest = wish.earliest.max(after.map_or(0, |it| it.index + 1));
            }
        }
        self.open(phase, at, wish);
    }

    /// Enters a use into its phase, and what it needs into the barrier that opened the phase.
    fn join(&mut self, phase: &mut Phase, at: u32) {
        let act = &self.acts.all[at as usize];
        let after = self.after_side(at);
        let former = |it: &&u32| phase.former.binary_search(it).is_ok();
        let firsts = self.needs.of(at).iter().filter(former);
        let firsts: SmallVec<[(NodeId, SideOf); 2]> = firsts
            .map(|it| (self.acts.all[*it as usize].key.0, self.side(*it)))
            .collect();
        if let Some(identity) = &phase.wish
            && let Some(wish) = self.wishes.get_mut(identity)
        {
            let changes = wish.layouts.is_some_and(|(from, to)| from != to);
            for (first, side) in &firsts {
                wish.before.add(*side);
                wish.is_for(Some(*first), Some(act.key.0));
            }
            if changes || !firsts.is_empty() {
                wish.after.add(after);
            }
        }
        if !act.is_wish {
            phase.acts.push(at);
        }
    }

    /// A barrier somewhere between the uses of a phase and the next use; `None` outside lists.
    fn between(&self, part: &PartActs, before: &[u32], at: u32) -> Option<Wish> {
        let act = &self.acts.all[at as usize];
        let own = act.spot?;
        let former = before
            .last()
            .and_then(|it| self.acts.all[*it as usize].spot);
        let other = former.filter(|it| self.is_early && it.order < own.order);
        let latest = other.map_or(own, |it| Spot {
            index: self.length(it),
            ..it
        });
        let spots = before.iter().map(|it| self.acts.all[*it as usize].spot);
        let in_list = spots.flatten().filter(|it| it.order == latest.order);
        let mut wish = Wish {
            resource: part.resource,
            runs: part.runs.clone(),
            earliest: in_list
                .map(|it| it.index + 1)
                .max()
                .unwrap_or(0)
                .min(latest.index),
            latest,
            before: SideOf::default(),
            after: SideOf::default(),
            layouts: None,
            discards: false,
            gives_up: false,
            hands_over: false,
            pairs: SmallVec::new(),
        };
        let last = before.last().map(|it| self.acts.all[*it as usize].key.0);
        wish.is_for(last, Some(act.key.0));
        Some(wish)
    }

    fn open(&mut self, phase: &mut Phase, at: u32, wish: Wish) {
        phase.wish = Some(self.keep(wish));
        phase.former = std::mem::take(&mut phase.acts);
        let after = self.after_side(at);
        if let Some(wish) = phase.wish.as_ref().and_then(|it| self.wishes.get_mut(it)) {
            wish.after.add(after);
        }
        self.join(phase, at);
    }

    /// The end of the list of the last uses of a phase.
    fn end(&self, phase: &Phase) -> Option<Spot> {
        let last = *phase.acts.last().or(phase.former.last())?;
        let spot = self.acts.all[last as usize].spot?;
        Some(Spot {
            index: self.length(spot),
            ..spot
        })
    }

    fn length(&self, spot: Spot) -> u32 {
        let commands = &self.timeline.scenario.lists[spot.list].commands;
        narrow(commands.len())
    }

    /// A change of the layout after the last uses of a scope, for a use in a later one.
    fn leave(&mut self, part: &PartActs, phase: &Phase, layouts: (Layout, Layout), next: &Act) {
        if let Some(spot) = self.end(phase) {
            self.leave_at(part, phase, layouts, spot, Some(next.key.0));
        }
    }

    /// A change of the layout at the end of another list, after the uses before it and before the next one.
    fn carry(&mut self, part: &PartActs, at: u32, layouts: (Layout, Layout)) {
        let next = &self.acts.all[at as usize];
        let before = part.acts.partition_point(|it| *it < at);
        let former = before.checked_sub(1).map(|it| part.acts[it]);
        let former = former.map(|it| &self.acts.all[it as usize]);
        if let Some((spot, _)) = carrier(self.timeline, self.acts, former, next) {
            self.leave_at(part, &Phase::default(), layouts, spot, Some(next.key.0));
        }
    }

    fn leave_at(
        &mut self,
        part: &PartActs,
        phase: &Phase,
        layouts: (Layout, Layout),
        latest: Spot,
        next: Option<NodeId>,
    ) -> Identity {
        let acts = phase.acts.iter().map(|it| &self.acts.all[*it as usize]);
        let in_list = |act: &&Act| act.spot.is_some_and(|it| it.order == latest.order);
        let lasts = acts.clone().filter(in_list).filter_map(|act| act.spot);
        let mut before = SideOf::default();
        for act in &phase.acts {
            before.add(self.side(*act));
        }
        let mut wish = Wish {
            resource: part.resource,
            runs: part.runs.clone(),
            earliest: lasts.map(|it| it.index + 1).max().unwrap_or(0),
            latest,
            before,
            after: SideOf::default(),
            layouts: Some(layouts),
            discards: false,
            gives_up: false,
            hands_over: false,
            pairs: SmallVec::new(),
        };
        wish.is_for(acts.last().map(|act| act.key.0), next);
        self.keep(wish)
    }

    /// Enters a barrier; one of another execution of its list is the same.
    fn keep(&mut self, wish: Wish) -> Identity {
        let identity = wish.identity();
        match self.wishes.get_mut(&identity) {
            Some(known) => {
                known.before.add(wish.before);
                known.after.add(wish.after);
                known.discards |= wish.discards;
                known.gives_up |= wish.gives_up;
                for (first, second) in wish.pairs {
                    known.is_for(first, second);
                }
            }
            None => {
                self.wishes.insert(identity.clone(), wish);
            }
        }
        identity
    }

    /// Memory that another resource used in the same scope: the barrier is on that one, and nothing of it is needed
    /// any more. A texture that is changed from `UNDEFINED` waits for its aliases itself.
    fn hand_over(&mut self) {
        // Where textures are activated, and before which command.
        let mut activated: BTreeSet<(ResourceId, ListId, u32)> = BTreeSet::new();
        for wish in self.wishes.values().filter(|wish| wish.gives_up) {
            activated.insert((wish.resource, wish.latest.list, wish.latest.index));
        }
        let needs = self.needs;
        let mut seconds: Vec<u32> = needs.aliases.iter().map(|it| it.1).collect();
        seconds.dedup();
        let pairs = seconds.into_iter().flat_map(|second| {
            needs
                .last_aliases_of(second)
                .map(move |first| (first, second))
        });
        for (first, second) in pairs {
            let [one, two] = [first, second].map(|at| &self.acts.all[at as usize]);
            let Some((from, to)) = one.spot.zip(two.spot) else {
                continue;
            };
            let start = if from.list == to.list {
                from.index + 1
            } else {
                0
            };
            let range = (two.resource, to.list, start)..=(two.resource, to.list, to.index);
            if start <= to.index && activated.range(range).next().is_some() {
                continue;
            }
            let part = PartActs {
                resource: one.resource,
                runs: Vec::new(),
                acts: Vec::new(),
            };
            let Some(mut wish) = self.between(&part, &[first], second) else {
                continue;
            };
            wish.layouts = self.layouts[first as usize].map(|it| (it, it));
            wish.before.add(self.side(first));
            wish.after.add(self.after_side(second));
            wish.hands_over = true;
            self.keep(wish);
        }
    }
}

/// Submissions before a use that are looked at for a list which may hold a change of a layout.
const CARRIERS_MAX: usize = 64;

/// The end of a list that is executed once, after one use and before another one, with the layouts that its queue may name.
fn carrier(
    timeline: &Timeline<'_>,
    acts: &Acts,
    former: Option<&Act>,
    next: &Act,
) -> Option<(Spot, Layouts)> {
    let before = &acts.order[..next.rank as usize];
    let last = before.iter().rev().take(CARRIERS_MAX).copied();
    let mut fitting = last.filter_map(|id| {
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

/// Layouts in which metadata counts (reading R25).
fn is_compressible(layout: Layout) -> bool {
    use Layout as L;
    matches!(
        layout,
        L::RenderTarget
            | L::DepthStencilWrite
            | L::DepthStencilRead
            | L::UnorderedAccess
            | L::DirectQueueUnorderedAccess
            | L::ComputeQueueUnorderedAccess
    )
}

/// The chain of a part as it is made.
struct Chain<'a, 's> {
    acts: &'a Acts,
    timeline: &'a Timeline<'s>,
    steady: Steady,
    /// Another resource uses the memory, in each turn.
    is_aliased: bool,
    is_early: bool,
    items: Vec<Item>,
    steps: Vec<Step>,
}

impl Chain<'_, '_> {
    /// Uses before one that are asked whether they are over: more readers of one text are all over if these are.
    const BACK_MAX: usize = 8;

    /// The layout changes without a barrier.
    fn becomes(&mut self, layout: Layout) {
        self.items.push(Item::Becomes);
        self.steps.push(Step {
            allowed: Layouts::one(layout),
            becomes: Some(layout),
            by_former: Layouts::NONE,
            by_own: Layouts::NONE,
            by_other: Layouts::NONE,
            has_barrier: false,
            is_early: false,
        });
    }

    /// Whether a group needs nothing of what is there when it starts.
    fn forgets(&self, acts: &[&Act], at: usize) -> bool {
        let group = self.acts.group(acts[at]);
        let own = acts[..=at].iter().rev();
        let own = own.take_while(|it| self.acts.group(it) == group);
        let first = own.last().unwrap_or(&acts[at]);
        self.is_aliased || self.steady.loses || self.steady.found.is_none() && first.fills
    }

    /// A group starts: it finds the steady layout, or forgets what it finds.
    fn find(&mut self, acts: &[&Act], at: usize, former: Option<&Act>) {
        if self.forgets(acts, at) {
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
            allowed: layouts,
            becomes: None,
            by_former: former.map_or(Layouts::NONE, Self::named_at),
            by_own: Layouts::NONE,
            by_other: Layouts::NONE,
            has_barrier: false,
            is_early: false,
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
            allowed: act.layouts,
            becomes: None,
            by_former: by_former.map_or(Layouts::NONE, Self::named_at),
            by_own: if is_free {
                Self::named_at(act)
            } else {
                Layouts::NONE
            },
            by_other: other.unwrap_or(Layouts::NONE),
            has_barrier,
            is_early: self.is_early,
        });
        if let Some(layout) = act.becomes {
            self.becomes(layout);
        }
    }
}
