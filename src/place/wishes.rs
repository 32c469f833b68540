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

use super::acts::{Act, PartActs, Spot};
use super::chain::{Item, Whole, carrier, chain, steady};
use super::layouts::{self, Assigned, Change, Layouts, Step, Taste};
use super::states::Stated;
use super::wish::{Identity, SideOf, Wish, Wishes};
use crate::api::{Layout, ResourceFlags};
use crate::id::{ListId, NodeId, ResourceId, SubmissionId, narrow};
use crate::scenario::Resource;
use indexmap::IndexMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

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
    /// As barriers of resource states.
    pub(super) is_stated: bool,
}

/// All barriers that a timeline needs.
pub(super) fn wishes(whole: Whole<'_, '_>, how: How) -> Result<Wishes, Contradiction> {
    let mut made = Made {
        whole,
        wishes: IndexMap::new(),
        layouts: vec![None; whole.acts.all.len()],
        initials: IndexMap::new(),
        how,
    };
    for part in &whole.acts.parts {
        made.part(part)?;
    }
    made.hand_over();
    let mut created = Vec::new();
    if how.is_stated {
        created = made.state_textures();
        for id in whole.timeline.scenario.resources.ids() {
            if !made.has_layouts(id) {
                made.state_promoted(id);
            }
        }
    }
    Ok(Wishes {
        each: made.wishes.into_values().collect(),
        created,
    })
}

/// The chain of a part with the layout of each step.
#[derive(Copy, Clone)]
struct Assignment<'a> {
    initial: Layout,
    items: &'a [Item],
    steps: &'a [Step],
    layouts: &'a [Layout],
}

pub(super) struct Made<'a, 's> {
    pub(super) whole: Whole<'a, 's>,
    pub(super) wishes: IndexMap<Identity, Wish>,
    /// The layout in which each act finds its resource.
    pub(super) layouts: Vec<Option<Layout>>,
    /// Layouts in which textures are created, of those that may be created in any.
    pub(super) initials: IndexMap<ResourceId, Layout>,
    pub(super) how: How,
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

impl Phase {
    /// Starts anew if the uses that come are of another scope.
    fn enter(&mut self, submission: SubmissionId) {
        if self.submission != Some(submission) {
            *self = Self {
                submission: Some(submission),
                ..Self::default()
            };
        }
    }
}

impl Made<'_, '_> {
    pub(super) fn resource(&self, id: ResourceId) -> &Resource {
        self.whole.timeline.scenario.resource(id)
    }

    /// Whether a barrier on the resource names layouts.
    pub(super) fn has_layouts(&self, id: ResourceId) -> bool {
        let resource = self.resource(id);
        !resource.is_buffer() && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
    }

    fn part(&mut self, part: &PartActs) -> Result<(), Contradiction> {
        if !self.has_layouts(part.resource) {
            if !self.how.is_stated {
                self.phases(part, None);
            }
            return Ok(());
        }
        if self.how.is_stated && self.is_promoted(part.resource) {
            return Ok(());
        }
        let initial = self.initial(part.resource);
        let flags = self.resource(part.resource).flags;
        let acts: Vec<&Act> = part
            .acts
            .iter()
            .map(|it| &self.whole.acts.all[*it as usize])
            .collect();
        let has_groups = acts.iter().any(|act| self.whole.acts.group(act).is_some());
        let mut found: Option<(Layout, Vec<Item>, Vec<Step>, Assigned)> = None;
        let mut failed = None;
        let is_free = self.is_free(part.resource) && !self.initials.contains_key(&part.resource);
        for steady in steady(&acts, initial, has_groups) {
            // What loses contents is only done where nothing else is possible.
            if found.is_some() && steady.loses {
                break;
            }
            // A state is never lost.
            if self.how.is_stated && (steady.found.is_none() || steady.loses) {
                continue;
            }
            let initial = steady.found.filter(|_| is_free).unwrap_or(initial);
            let (items, steps) = chain(self.whole, part, &acts, (initial, steady), self.how);
            match layouts::assign(initial, &steps, self.how.taste, flags) {
                Ok(it) => {
                    if found
                        .as_ref()
                        .is_none_or(|(_, _, _, best)| it.cost < best.cost)
                    {
                        found = Some((initial, items, steps, it));
                    }
                }
                Err(at) => {
                    if steady.found.is_some() && failed.is_none() {
                        failed = Some(self.contradiction(part, &items, &steps, at));
                    }
                }
            }
        }
        match (found, failed) {
            (Some((initial, items, steps, assigned)), _) => {
                if is_free {
                    self.initials.insert(part.resource, initial);
                }
                let chain = Assignment {
                    initial,
                    items: &items,
                    steps: &steps,
                    layouts: &assigned.layouts,
                };
                self.phases(part, Some(chain));
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
            Item::Act(act) => Some(self.whole.acts.all[*act as usize].key.0),
            Item::Edge { submission, .. } => {
                Some(self.whole.timeline.submission(*submission).first_node)
            }
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

    /// Walks a chain and makes the barriers between its phases.
    fn phases(&mut self, part: &PartActs, chain: Option<Assignment<'_>>) {
        let mut phase = Phase::default();
        let Some(chain) = chain else {
            for act in &part.acts {
                phase.enter(self.whole.acts.all[*act as usize].submission);
                self.act(part, &mut phase, *act, None);
            }
            return;
        };
        let mut layout = chain.initial;
        for ((item, step), to) in chain.items.iter().zip(chain.steps).zip(chain.layouts) {
            let from = std::mem::replace(&mut layout, *to);
            match item {
                Item::Becomes => {}
                Item::Act(at) => {
                    let act = &self.whole.acts.all[*at as usize];
                    self.layouts[*at as usize] = Some(*to);
                    let change = step.change(from, *to).unwrap_or(Change::None);
                    let own = match change {
                        Change::None => {
                            phase.enter(act.submission);
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
                    phase.enter(act.submission);
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
                    phase.enter(*submission);
                }
            }
        }
    }

    /// A use in the layout that it finds: joins the phase, or begins one after a barrier.
    fn act(&mut self, part: &PartActs, phase: &mut Phase, at: u32, layout: Option<Layout>) {
        let act = &self.whole.acts.all[at as usize];
        if act.is_wish {
            return;
        }
        let needs = self.whole.needs.of(at);
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
        let act = &self.whole.acts.all[at as usize];
        act.side(self.layouts[at as usize], self.resource(act.resource).flags)
    }

    /// The same for a barrier before the act.
    fn after_side(&self, at: u32) -> SideOf {
        let (act, side) = (&self.whole.acts.all[at as usize], self.side(at));
        SideOf {
            stages: side.stages.union(act.held),
            ..side
        }
    }

    /// A use after a change of the layout in its own scope.
    fn change(&mut self, part: &PartActs, phase: &mut Phase, at: u32, layouts: (Layout, Layout)) {
        let act = &self.whole.acts.all[at as usize];
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
            wish.discards = !act.fills && layouts.1.needs_metadata();
            for first in self.whole.needs.last_aliases_of(at) {
                wish.before.add(self.side(first));
            }
            for (first, _) in self.whole.needs.aliases_of(at) {
                let first = &self.whole.acts.all[*first as usize];
                let after = first.spot.filter(|it| it.order == wish.latest.order);
                wish.earliest = wish.earliest.max(after.map_or(0, |it| it.index + 1));
            }
        }
        self.open(phase, at, wish);
    }

    /// Enters a use into its phase, and what it needs into the barrier that opened the phase.
    fn join(&mut self, phase: &mut Phase, at: u32) {
        let act = &self.whole.acts.all[at as usize];
        let after = self.after_side(at);
        let former = |it: &&u32| phase.former.binary_search(it).is_ok();
        let firsts = self.whole.needs.of(at).iter().filter(former);
        let firsts: SmallVec<[(NodeId, SideOf); 2]> = firsts
            .map(|it| (self.whole.acts.all[*it as usize].key.0, self.side(*it)))
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
    pub(super) fn between(&self, part: &PartActs, before: &[u32], at: u32) -> Option<Wish> {
        let act = &self.whole.acts.all[at as usize];
        let own = act.spot?;
        let former = before
            .last()
            .and_then(|it| self.whole.acts.all[*it as usize].spot);
        let other = former.filter(|it| self.how.is_early && it.order < own.order);
        let latest = other.map_or(own, |it| Spot {
            index: self.length(it),
            ..it
        });
        let spots = before
            .iter()
            .map(|it| self.whole.acts.all[*it as usize].spot);
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
            stated: None,
            pairs: SmallVec::new(),
        };
        let last = before
            .last()
            .map(|it| self.whole.acts.all[*it as usize].key.0);
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
        let spot = self.whole.acts.all[last as usize].spot?;
        Some(Spot {
            index: self.length(spot),
            ..spot
        })
    }

    fn length(&self, spot: Spot) -> u32 {
        let commands = &self.whole.timeline.scenario.lists[spot.list].commands;
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
        let next = &self.whole.acts.all[at as usize];
        let before = part.acts.partition_point(|it| *it < at);
        let former = before.checked_sub(1).map(|it| part.acts[it]);
        let former = former.map(|it| &self.whole.acts.all[it as usize]);
        if let Some((spot, _)) = carrier(self.whole.timeline, self.whole.acts, former, next) {
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
        let mut acts = phase
            .acts
            .iter()
            .map(|it| &self.whole.acts.all[*it as usize]);
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
            stated: None,
            pairs: SmallVec::new(),
        };
        wish.is_for(acts.next_back().map(|act| act.key.0), next);
        self.keep(wish)
    }

    /// Enters a barrier; one of another execution of its list is the same.
    pub(super) fn keep(&mut self, wish: Wish) -> Identity {
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
        let needs = self.whole.needs;
        let mut seconds: Vec<u32> = needs.aliases.iter().map(|it| it.1).collect();
        seconds.dedup();
        let pairs = seconds.into_iter().flat_map(|second| {
            needs
                .last_aliases_of(second)
                .map(move |first| (first, second))
        });
        for (first, second) in pairs {
            let [one, two] = [first, second].map(|at| &self.whole.acts.all[at as usize]);
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
            wish.stated = self.how.is_stated.then_some(Stated::Alias(two.resource));
            self.keep(wish);
        }
    }
}
