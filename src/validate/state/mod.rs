//! Legality that needs to know what came before: layouts, accesses, split halves, the order within a scope.
//!
//! Every submission is walked in the timeline's order of evaluation. Of each subresource the walk knows the layout,
//! which persists, and what the scope did to it, which ends with the scope (reading R22). Lists that never execute
//! are walked by the rules of recording: nothing is known at their start, the first statement is believed, later ones
//! are held against it. Of a list that executes, a finding that contradicts an earlier statement of the same list
//! could have been made while it was recorded; one that contradicts what the list finds at its execution could not.
//! Each says which it is.
//!
//! A wrong barrier is taken to have done what its after side says. Legacy entries are followed and not checked: the
//! timeline has them translated. Where two queues race for a layout, nothing is compared until a submission that comes
//! after both (reading R23).
//!
//! Time is linear in entries and uses; for textures times the logarithm of their subresources, and in the runs of
//! subresources that an entry's range consists of or that a rule refuses: see `tree`.
//!
//! Spec: "Validation Phases", "Layout Validation"; readings R13, R22-R24, R27, R34, R38, R39.

mod change;
mod facts;
mod known;
mod races;
mod roots;
mod runs;
mod splits;
mod tree;
mod uses;

pub use facts::{Before, Facts, Split, explain, place};
pub use known::{Known, Left, Origin};
pub(in crate::validate) use splits::minus;

use super::{BarrierEntry, Check, RuleSet, eb, static_rules};
use crate::api::{BarrierAccess, BarrierSync, Layout, compat};
use crate::finding::{Finding, Rule};
use crate::id::{ListId, ResourceId, SubmissionId, Table, narrow};
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::geometry;
use crate::scenario::{
    Barrier, BarrierTarget, CommandKind, List, Resource, Scenario, TextureShape,
};
use change::Transfer;
use indexmap::IndexMap;
use roots::Roots;
use runs::Runs;
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::sync::Arc;
use tree::Operation;

/// Runs of subresource indices, `(first, end)`; mostly one.
type Spans = SmallVec<[(u32, u32); 2]>;

/// Entries whose shape or before side is wrong already, as `(list, command, entry)`, ascending: they take effect,
/// and say nothing more.
pub type RefusedEntries = Vec<(u32, u32, u32)>;

/// Findings of the walk; `unfolded`: one for each run of subresources that a check refuses, not only the first.
pub fn findings(
    scenario: &Scenario,
    timeline: &Timeline<'_>,
    rules: RuleSet,
    (refused, unfolded): (&[(u32, u32, u32)], bool),
) -> Vec<Finding> {
    let mut walk = Walk::new(scenario, timeline, rules, refused);
    walk.found.unfolded = unfolded;
    let mut executed = Table::filled(scenario.lists.len(), false);
    for id in timeline.evaluation.iter() {
        if timeline.submission(id).kind == SubmissionKind::Execute {
            walk.submission(id, &mut executed);
        }
    }
    walk.unended_splits();
    for (index, _) in executed.iter().enumerate().filter(|(_, e)| !**e) {
        walk.recorded(ListId::new(index));
    }
    walk.found.list
}

/// Bytes that the walk keeps about subresources when it has come to the end.
pub fn bytes(scenario: &Scenario, timeline: &Timeline<'_>) -> usize {
    let mut walk = Walk::new(scenario, timeline, RuleSet::Specification, &[]);
    let mut executed = Table::filled(scenario.lists.len(), false);
    for id in timeline.evaluation.iter() {
        if timeline.submission(id).kind == SubmissionKind::Execute {
            walk.submission(id, &mut executed);
        }
    }
    walk.known.iter().map(Runs::bytes).sum()
}

/// What makes a finding the same: its rule, place and resource; its message where those are not folded.
type FoundKey = (&'static str, u32, Option<Arc<str>>, Option<Arc<str>>);

/// Findings, one a rule, place and resource: a repeat is counted.
#[derive(Default)]
struct Found {
    list: Vec<Finding>,
    seen: IndexMap<FoundKey, usize>,
    /// Findings that say different things of one resource are told apart.
    unfolded: bool,
}

impl Found {
    fn push(&mut self, finding: Finding) {
        let key = (
            finding.rule.id,
            finding.span.start,
            finding.resource.clone(),
            self.unfolded.then(|| finding.message.clone()),
        );
        if let Some(at) = self.seen.get(&key) {
            self.list[*at].repeats += 1;
        } else {
            self.seen.insert(key, self.list.len());
            self.list.push(finding);
        }
    }
}

/// A rule's look at one run of subresources, before an entry takes effect.
type BeforeCheck = fn(&Before<'_, '_, '_>) -> Option<Finding>;

struct Walk<'s, 't> {
    rules: RuleSet,
    refused: &'t [(u32, u32, u32)],
    facts: Facts<'s, 't>,
    known: Table<ResourceId, Runs>,
    checks: Vec<BeforeCheck>,
    roots: Roots<'s>,
    /// Per resource, the scope for which its knowledge was made anew: lists that never execute know nothing.
    anew: Table<ResourceId, u32>,
    /// An `AccessBefore` mistake of the first half that is about to take effect.
    withheld: Option<Finding>,
    found: Found,
}

/// What a barrier entry is applied with.
struct Applied<'s> {
    resource: ResourceId,
    runs: Spans,
    barrier: &'s Barrier,
    is_refused: bool,
}

/// What an entry leaves besides what it says.
#[derive(Copy, Clone)]
struct Leaves {
    /// Its layout too.
    transitions: bool,
    /// The accesses that are known after it.
    access: BarrierAccess,
    /// It is a legacy barrier.
    is_legacy: bool,
}

impl Leaves {
    /// Of an enhanced barrier.
    fn of(transitions: bool, access: BarrierAccess) -> Self {
        Self {
            transitions,
            access,
            is_legacy: false,
        }
    }
}

impl<'s, 't> Walk<'s, 't> {
    fn new(
        scenario: &'s Scenario,
        timeline: &'t Timeline<'t>,
        rules: RuleSet,
        refused: &'t [(u32, u32, u32)],
    ) -> Self {
        let known = timeline
            .scenario
            .resources
            .values()
            .map(|resource| Runs::new(subresources(resource), Known::created(initial(resource))))
            .collect();
        let checks = static_rules()
            .flat_map(|rule| rule.checks)
            .filter_map(|check| match check {
                Check::Before(f) => Some(*f),
                _ => None,
            })
            .collect();
        Self {
            rules,
            refused,
            facts: Facts::new(scenario, timeline),
            known,
            checks,
            roots: Roots::new(scenario.resources.len()),
            anew: Table::filled(scenario.resources.len(), 0),
            withheld: None,
            found: Found::default(),
        }
    }

    /// One `ExecuteCommandLists` call.
    fn submission(&mut self, id: SubmissionId, executed: &mut Table<ListId, bool>) {
        self.facts.enter(Some(id));
        let first_split = self.facts.splits.len();
        let timeline = self.facts.timeline;
        for list in timeline.lists(timeline.submission(id)) {
            executed[*list] = true;
            self.facts.execution += 1;
            self.roots.clear();
            self.begins(*list);
            timeline.for_each_command(*list, |from, index| {
                executed[from] = true;
                if from != *list && index == 0 {
                    self.begins(from);
                }
                self.command(from, index);
            });
        }
        self.splits_left_open(first_split);
    }

    /// A list that never executes.
    fn recorded(&mut self, list: ListId) {
        self.facts.enter(None);
        self.facts.execution += 1;
        self.roots.clear();
        let first_split = self.facts.splits.len();
        let scenario = self.facts.scenario;
        for index in 0..scenario.lists[list].commands.len() {
            self.command(list, narrow(index));
        }
        // What begins here may end in another list.
        self.facts.splits.truncate(first_split);
    }

    fn command(&mut self, from: ListId, index: u32) {
        let scenario = self.facts.scenario;
        let list = &scenario.lists[from];
        let command = &list.commands[index as usize];
        match &command.kind {
            CommandKind::Barrier(entries) => {
                for (at, barrier) in entries.iter().enumerate() {
                    let is_refused = self
                        .refused
                        .binary_search(&(from.0, index, narrow(at)))
                        .is_ok();
                    self.barrier(list, barrier, is_refused);
                }
                let found = eb::aliases_in_one_call::findings(
                    scenario,
                    &self.facts.timeline.memory,
                    entries,
                );
                for finding in found {
                    self.found.push(finding);
                }
            }
            CommandKind::FenceBarrier {
                signal, barriers, ..
            } => {
                for (at, barrier) in barriers.iter().enumerate() {
                    // Inside one list a pair is a split barrier. What comes before a wait without a partner is on another
                    // queue; what comes before a signal is here.
                    let is_paired = barrier.sync_before.is_split() || barrier.sync_after.is_split();
                    let place = (from.0, index, narrow(at));
                    let is_refused =
                        !(is_paired || *signal) || self.refused.binary_search(&place).is_ok();
                    self.barrier(list, barrier, is_refused);
                }
            }
            CommandKind::Legacy(_) => {
                let plain = &self.facts.timeline.scenario.lists[from];
                if let CommandKind::Barrier(entries) = &plain.commands[index as usize].kind {
                    for barrier in entries {
                        self.legacy(barrier);
                    }
                }
            }
            CommandKind::SetRoot { compute } => self.set_root(*compute, command),
            CommandKind::AssertAccess { .. } | CommandKind::AssertLayout { .. } => {
                // Reading R58: the tables' set judges it where the list begins.
                if self.rules != RuleSet::Tables {
                    self.assertion(command);
                }
            }
            kind => {
                if matches!(kind, CommandKind::Copy) {
                    let found = eb::self_copy::check(&self.facts, command);
                    if let Some(finding) = found {
                        self.found.push(finding);
                    }
                }
                for used in &command.uses {
                    self.used(list, used);
                }
                if let Some(compute) = roots::bind_point(kind) {
                    let facts = &self.facts;
                    for finding in self.roots.work(facts, compute, command) {
                        self.found.push(finding);
                    }
                }
            }
        }
    }

    fn barrier(&mut self, list: &'s List, barrier: &'s Barrier, is_refused: bool) {
        if matches!(barrier.target, BarrierTarget::Global) {
            self.facts.global(barrier.access_after);
            return;
        }
        let Some(Target { resource, runs }) = target(self.facts.scenario, barrier) else {
            return;
        };
        self.know(resource);
        let applied = Applied {
            resource,
            runs,
            barrier,
            is_refused,
        };
        if !is_refused {
            let entry = BarrierEntry {
                scenario: self.facts.scenario,
                queue: list.queue_type,
                barrier,
                in_fence: false,
                rules: self.rules,
            };
            self.look_before(&entry, &applied);
        }
        self.roots.barrier(resource, &applied.runs, barrier);
        self.apply(&applied);
    }

    /// A translated entry: only its effects.
    fn legacy(&mut self, barrier: &Barrier) {
        if matches!(barrier.target, BarrierTarget::Global) {
            self.facts.global(barrier.access_after);
            return;
        }
        // Splits of legacy entries are other rules' business; the layout changes with the second half.
        let Some(Target { resource, runs }) = target(self.facts.scenario, barrier) else {
            return;
        };
        self.know(resource);
        let is_begin = barrier.sync_after.is_split();
        let leaves = Leaves {
            transitions: !is_begin,
            access: barrier.access_after,
            is_legacy: true,
        };
        self.leave(resource, &runs, barrier, leaves);
    }

    /// In a list that never executes, nothing is known of a resource before the list names it.
    fn know(&mut self, id: ResourceId) {
        let scope = self.facts.scope;
        if self.facts.is_recording() && self.anew[id] != scope {
            self.anew[id] = scope;
            let count = self.known[id].count();
            self.known[id] = Runs::new(count, Known::nothing());
        }
    }

    fn look_before(&mut self, entry: &BarrierEntry<'s>, applied: &Applied<'s>) {
        if entry.barrier.sync_before.is_split() {
            if let Some(finding) = self.end_half(entry, applied) {
                self.found.push(finding);
            }
            return;
        }
        // The first finding of every check, wherever in the subresources it is.
        let found: RefCell<Vec<(usize, Finding)>> = RefCell::default();
        let folds = !self.found.unfolded;
        let (facts, checks) = (&self.facts, &self.checks);
        let known = &mut self.known[applied.resource];
        let all = (0, known.count());
        let is_racing = facts.is_racing(applied.resource, all.1);
        let is_new = |at: usize| !(folds && found.borrow().iter().any(|(other, _)| *other == at));
        let open = || checks.iter().enumerate().filter(|(at, _)| is_new(*at));
        let before = |run: (u32, u32), known: &Known, check: &BeforeCheck| {
            check(&Before {
                entry,
                known,
                run,
                facts,
            })
        };
        known.find(
            &applied.runs,
            facts.scope,
            |kind| {
                is_racing
                    || !facts.is_one(kind)
                    || open().any(|(_, check)| before(all, &kind.known, check).is_some())
            },
            |first, end, known| {
                for (at, check) in open() {
                    if let Some(finding) = before((first, end), known, check) {
                        found.borrow_mut().push((at, finding));
                    }
                }
                None::<()>
            },
        );
        let mut found = found.into_inner();
        found.sort_by_key(|(at, _)| *at);
        for (_, finding) in found {
            let is_access = finding.rule.id == eb::access_before_mismatch::RULE.id;
            if is_access && entry.barrier.sync_after.is_split() {
                // Reading R27: said only if the pair ends in this scope.
                self.withheld = Some(finding);
            } else {
                self.found.push(finding);
            }
        }
    }

    fn apply(&mut self, applied: &Applied<'s>) {
        let barrier = applied.barrier;
        if barrier.sync_before.is_split() {
            self.end(applied);
        } else if barrier.sync_after.is_split() {
            self.begin(applied);
        } else {
            let leaves = Leaves::of(true, barrier.access_after);
            self.leave(applied.resource, &applied.runs, barrier, leaves);
        }
    }

    /// What an entry leaves.
    fn leave(&mut self, id: ResourceId, runs: &[(u32, u32)], barrier: &Barrier, leaves: Leaves) {
        self.facts.stamp += 1;
        let scope = self.facts.scope;
        let origin = self.facts.origin(barrier.span);
        let resource = self.facts.scenario.resource(id);
        let transition = barrier.transition();
        let layout = transition.filter(|_| leaves.transitions && !resource.is_simultaneous());
        let left = Left {
            origin,
            leaves: compat::scope_leaves(self.rules, barrier.sync_after),
            access: leaves.access,
            ends: barrier.sync_after == BarrierSync::NONE,
            is_legacy: leaves.is_legacy,
            stamp: self.facts.stamp,
        };
        let mut leaving = Leaving {
            change: Transfer::barrier(scope, left),
            facts: &mut self.facts,
            left,
            layout,
        };
        if let Some((before, after)) = layout {
            let own = leaving.facts.own_writer();
            leaving.change = leaving.change.layout(after, before == after, own);
        }
        self.known[id].change(runs, &mut leaving);
    }
}

/// What an entry leaves of some subresources.
struct Leaving<'a, 's, 't> {
    facts: &'a mut Facts<'s, 't>,
    left: Left,
    /// Its layouts before and after, if it has some.
    layout: Option<(Layout, Layout)>,
    /// All of it, where no transition races with it.
    change: Transfer,
}

impl Operation for Leaving<'_, '_, '_> {
    fn scope(&self) -> u32 {
        self.facts.scope
    }

    fn may_wait(&self, known: &Known) -> bool {
        self.layout.is_none() || self.facts.is_settled(known)
    }

    fn may_always_wait(&self) -> bool {
        self.layout.is_none() || self.facts.is_always_settled()
    }

    fn later(&self) -> Option<&Transfer> {
        Some(&self.change)
    }

    fn act(&mut self, known: &mut Known) {
        let Some((before, after)) = self.layout.filter(|_| !self.may_wait(known)) else {
            self.change.apply(known);
            return;
        };
        Transfer::barrier(self.facts.scope, self.left).apply(known);
        known.intervened = known.split != 0;
        let settles = known.layout != Some(after) || self.facts.has_raced(known);
        if before != after || settles {
            self.facts.set_layout(known, after, self.left.origin);
        }
    }
}

/// What an entry names.
struct Target {
    resource: ResourceId,
    runs: Spans,
}

/// The subresources that an entry names, if its shape is right.
fn target(scenario: &Scenario, barrier: &Barrier) -> Option<Target> {
    let resource = barrier.resource()?;
    let declared = scenario.resource(resource);
    let runs = match &barrier.target {
        BarrierTarget::Texture(entry) => {
            let shape = declared.texture()?;
            box_runs(shape, &geometry::barrier_box(shape, &entry.range).ok()?)
        }
        BarrierTarget::Buffer { .. } if declared.is_buffer() => smallvec![(0, 1)],
        _ => return None,
    };
    Some(Target { resource, runs })
}

fn subresources(resource: &Resource) -> u32 {
    resource.texture().map_or(1, TextureShape::subresources)
}

fn initial(resource: &Resource) -> Layout {
    if resource.is_buffer() {
        Layout::Undefined
    } else {
        LayoutTracker::declared(resource)
    }
}

fn box_runs(shape: &TextureShape, sub: &geometry::SubresourceBox) -> Spans {
    if sub.is_all(shape) {
        smallvec![(0, shape.subresources())]
    } else {
        sub.index_runs(shape).into()
    }
}

/// Rules that the walk asks itself: their files say what they look at.
pub static RULES: &[&Rule] = &[
    &eb::split_halves_differ::RULE,
    &eb::split_end_without_begin::RULE,
    &eb::split_never_ended::RULE,
    &eb::split_unused::RULE,
    &eb::use_outside_known_access::RULE,
    &eb::aliases_in_one_call::RULE,
    &eb::set_root_barrier::RULE,
    &eb::set_root_sync::RULE,
    &eb::assert_access::RULE,
    &eb::assert_layout::RULE,
    &eb::self_copy::RULE,
    &eb::no_common_layout::RULE,
];
