//! From the rules that match an entry to its packet.
//!
//! Operations have a sound order whatever the order of the rules: write-backs, the layout operation, write-backs of what
//! that has written, drops, the front end, what only takes time. Each is there once. A rule `in order` is left as it is.
//! A split pair acts once, as for `precise`: its first half waits and operates, its second half holds, unless a rule
//! asks for a half by name.

use super::RuleLowering;
use super::matching::Facts;
use super::model::{Base, Dropped, Emit, Match, Name, Operation, Place, RuleText, Stages};
use super::sets::Of;
use crate::api::LeafSet;
use crate::hardware::{Profile, WritePolicy};
use crate::id::{CacheId, LayoutOpId};
use crate::lower::PRECISE;
use crate::lower::policy::{Draft, Entry, LayoutDraft, StepDraft};
use crate::lower::precise::whole_queue;
use crate::lower::session::Session;
use crate::program::Why;
use crate::time::Ps;
use std::collections::BTreeMap;

/// The packet of an entry, and the rules that made it: places in the file's list. None if nothing of the file is about it.
pub(super) fn packet(
    rules: &RuleLowering,
    session: &mut Session<'_, '_>,
    entry: &Entry<'_>,
) -> (Draft, Vec<usize>) {
    let profile = session.profile();
    let mut plan = match rules.file.base() {
        Base::Nothing => Plan::default(),
        Base::Precise => Plan::of(PRECISE.draft(session, entry)),
    };
    let facts = Facts::new(session, entry, profile);
    let matched = matched(rules, &facts);
    for index in &matched {
        let rule = &rules.file.rules[*index];
        let whys = &rules.whys[*index];
        let mut writer = Writer {
            session,
            profile,
            entry,
            plan: &mut plan,
            by: Some(*index),
            full: asks_for_half(rule),
        };
        writer.rule(rule, whys);
    }
    let (wait, hold) = plan.base.unwrap_or_else(|| entry.asked());
    let mut draft = entry.draft(plan.wait.unwrap_or(wait), plan.hold.unwrap_or(hold));
    draft.after_all = plan.after_all;
    draft.steps = plan.steps(profile);
    // Whatever the rules say.
    whole_queue(profile, &mut draft);
    (draft, matched)
}

/// The rules that count for an entry.
fn matched(rules: &RuleLowering, facts: &Facts<'_>) -> Vec<usize> {
    let named = rules.file.rules.iter().enumerate();
    let named = named.filter(|(_, rule)| rule.name.is_some());
    let mut fit = named
        .filter(|(_, rule)| facts.fit(rule))
        .map(|(index, _)| index);
    let mut found: Vec<usize> = match rules.file.matching() {
        Match::First => fit.next().into_iter().collect(),
        Match::Accumulate => fit.collect(),
    };
    if found.is_empty() {
        let default = rules.file.rules.iter().position(|rule| rule.name.is_none());
        found.extend(default);
    }
    found
}

/// Whether a rule names the half of a split barrier that it is about: then it is taken at its word.
fn asks_for_half(rule: &RuleText) -> bool {
    rule.conditions().any(|condition| {
        matches!(condition, super::model::Condition::Choice(choice) if choice.of == Of::Split)
    })
}

/// Who adds something to a packet: a rule, by its place in the file; none is the base.
type By = Option<usize>;

/// A packet in the making: what is on which side of the layout operation, each with who added it.
#[derive(Default)]
struct Plan {
    /// What the base waits for and holds.
    base: Option<(LeafSet, LeafSet)>,
    /// What the rules say instead.
    wait: Option<LeafSet>,
    hold: Option<LeafSet>,
    after_all: bool,
    early: Sides,
    layout: Vec<(By, StepDraft)>,
    late: Sides,
    ordered: Vec<(By, StepDraft)>,
    front_end: Vec<(By, StepDraft)>,
    driver: Vec<StepDraft>,
    dropped: BTreeMap<Left, Droppers>,
}

/// Cache operations on one side of the layout operation.
#[derive(Default)]
struct Sides {
    clean: Vec<(By, Wanted)>,
    invalidate: Vec<(By, Wanted)>,
}

/// An operation on a cache.
#[derive(Copy, Clone)]
struct Wanted {
    cache: CacheId,
    everything: bool,
    /// Whatever is done before the layout operation.
    again: bool,
    why: Why,
}

impl Wanted {
    fn clean(self) -> StepDraft {
        StepDraft::Clean {
            cache: self.cache,
            everything: self.everything,
            why: self.why,
        }
    }

    fn invalidate(self) -> StepDraft {
        StepDraft::Invalidate {
            cache: self.cache,
            everything: self.everything,
            why: self.why,
        }
    }
}

/// Operations that a `drop` is about.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    Clean(CacheId),
    Invalidate(CacheId),
    Layout,
    FrontEnd,
}

impl Left {
    fn of(step: &StepDraft) -> Option<Self> {
        match step {
            StepDraft::Clean { cache, .. } => Some(Self::Clean(*cache)),
            StepDraft::Invalidate { cache, .. } => Some(Self::Invalidate(*cache)),
            StepDraft::Layout(_) => Some(Self::Layout),
            StepDraft::FrontEnd { .. } => Some(Self::FrontEnd),
            StepDraft::Driver { .. } => None,
        }
    }
}

/// The rules that drop an operation, as far as it matters to what any rule adds.
#[derive(Copy, Clone)]
enum Droppers {
    One(By),
    Several,
}

impl Droppers {
    /// Whether one of them is not this one.
    fn has_other(self, by: By) -> bool {
        match self {
            Self::One(one) => one != by,
            Self::Several => true,
        }
    }
}

/// Everything that was added to a list: each cache once, but for what the base has.
fn joined(added: Vec<(By, Wanted)>) -> Vec<Wanted> {
    let mut list = Vec::with_capacity(added.len());
    for (by, wanted) in added {
        match by {
            None => list.push(wanted),
            Some(_) => want(&mut list, wanted),
        }
    }
    list
}

/// Adds an operation: each cache once, whole if anyone wants that.
fn want(list: &mut Vec<Wanted>, wanted: Wanted) {
    match list.iter_mut().find(|it| it.cache == wanted.cache) {
        Some(it) => {
            it.again |= wanted.again;
            if wanted.everything && !it.everything {
                (it.everything, it.why) = (true, wanted.why);
            }
        }
        None => list.push(wanted),
    }
}

impl Plan {
    /// What a draft has.
    fn of(draft: Draft) -> Self {
        let mut plan = Self {
            base: Some((draft.wait, draft.hold)),
            after_all: draft.after_all,
            ..Self::default()
        };
        let layout = draft
            .steps
            .iter()
            .position(|step| matches!(step, StepDraft::Layout(_)));
        for (at, step) in draft.steps.into_iter().enumerate() {
            let early = layout.is_some_and(|layout| at < layout);
            let side = if early {
                &mut plan.early
            } else {
                &mut plan.late
            };
            let wanted = |cache, everything, why| {
                let again = true;
                let wanted = Wanted {
                    cache,
                    everything,
                    again,
                    why,
                };
                (None, wanted)
            };
            match step {
                StepDraft::Clean {
                    cache,
                    everything,
                    why,
                } => side.clean.push(wanted(cache, everything, why)),
                StepDraft::Invalidate {
                    cache,
                    everything,
                    why,
                } => side.invalidate.push(wanted(cache, everything, why)),
                layout @ StepDraft::Layout(_) => plan.layout.push((None, layout)),
                front_end @ StepDraft::FrontEnd { .. } => plan.front_end.push((None, front_end)),
                driver @ StepDraft::Driver { .. } => plan.driver.push(driver),
            }
        }
        plan
    }

    /// The steps in their order.
    fn steps(mut self, profile: &Profile) -> Vec<StepDraft> {
        self.leave_out();
        let (mut early, mut late) = (self.early.joined(), self.late.joined());
        let mut steps = Vec::new();
        // The rule that comes last says which operation it is.
        if let Some((_, layout)) = self.layout.pop() {
            // What is written back early is done, but for what the operation itself has written.
            late.clean.retain(|it| {
                let done = early.clean.iter().find(|done| done.cache == it.cache);
                it.again || done.is_none_or(|done| it.everything && !done.everything)
            });
            early.push(profile, &mut steps);
            steps.push(layout);
            late.push(profile, &mut steps);
        } else {
            for it in late.clean {
                want(&mut early.clean, it);
            }
            for it in late.invalidate {
                want(&mut early.invalidate, it);
            }
            early.push(profile, &mut steps);
        }
        steps.extend(self.ordered.into_iter().map(|(_, step)| step));
        steps.extend(self.front_end.into_iter().map(|(_, step)| step).take(1));
        steps.extend(self.driver);
        steps
    }

    /// Leaves out what others than the rule that says so have added, wherever they are in the file.
    fn leave_out(&mut self) {
        let dropped = std::mem::take(&mut self.dropped);
        let stays = |by: By, step: StepDraft| {
            let droppers = Left::of(&step).and_then(|left| dropped.get(&left));
            droppers.is_none_or(|droppers| !droppers.has_other(by))
        };
        for side in [&mut self.early, &mut self.late] {
            side.clean.retain(|(by, it)| stays(*by, it.clean()));
            side.invalidate
                .retain(|(by, it)| stays(*by, it.invalidate()));
        }
        for steps in [&mut self.layout, &mut self.front_end, &mut self.ordered] {
            steps.retain(|(by, step)| stays(*by, *step));
        }
    }
}

impl Sides {
    fn joined(self) -> Joined {
        Joined {
            clean: joined(self.clean),
            invalidate: joined(self.invalidate),
        }
    }
}

/// The same, each cache once.
struct Joined {
    clean: Vec<Wanted>,
    invalidate: Vec<Wanted>,
}

impl Joined {
    /// Write-backs, each before those of caches that its lines go into, then drops.
    fn push(mut self, profile: &Profile, steps: &mut Vec<StepDraft>) {
        sort(profile, &mut self.clean);
        steps.extend(self.clean.into_iter().map(Wanted::clean));
        steps.extend(self.invalidate.into_iter().map(Wanted::invalidate));
    }
}

/// Each before those of caches that its lines go into.
fn sort(profile: &Profile, cleans: &mut [Wanted]) {
    cleans.sort_by_key(|it| profile.turn(it.cache));
}

/// Adds what rules emit to the packet of one entry.
struct Writer<'w, 't, 's> {
    session: &'w Session<'t, 's>,
    profile: &'w Profile,
    entry: &'w Entry<'w>,
    plan: &'w mut Plan,
    by: By,
    /// The rule asks for the half of a split barrier by name.
    full: bool,
}

impl Writer<'_, '_, '_> {
    fn rule(&mut self, rule: &RuleText, whys: &[Why]) {
        let in_order = rule.is_in_order();
        let acts = self.full || self.entry.acts();
        for (at, emit) in rule.emits() {
            let why = whys[at];
            match emit {
                Emit::Wait(stages) => {
                    let idle = self.entry.is_split_end && !self.full;
                    let asked = self.entry.before.stages;
                    add(&mut self.plan.wait, stages, asked, idle);
                }
                Emit::Hold(stages) => {
                    let idle = self.entry.is_split_begin && !self.full;
                    let asked = self.entry.after.stages;
                    add(&mut self.plan.hold, stages, asked, idle);
                }
                Emit::AfterAll => self.plan.after_all = true,
                Emit::InOrder | Emit::Nothing => {}
                Emit::Drop(dropped) => self.drop(dropped),
                _ if !acts => {}
                operation if in_order => self.ordered(operation, why),
                operation => self.placed(operation, why),
            }
        }
    }

    /// What the base and other rules add is left out.
    fn drop(&mut self, dropped: &Dropped) {
        let left: Vec<Left> = match dropped {
            Dropped::Clean(names) => {
                let caches = self.caches(names, false).into_iter();
                caches.map(Left::Clean).collect()
            }
            Dropped::Invalidate(names) => {
                let caches = self.caches(names, false).into_iter();
                caches.map(Left::Invalidate).collect()
            }
            Dropped::Layout => vec![Left::Layout],
            Dropped::FrontEnd => vec![Left::FrontEnd],
        };
        for left in left {
            let droppers = self.plan.dropped.entry(left);
            let droppers = droppers.or_insert(Droppers::One(self.by));
            if droppers.has_other(self.by) {
                *droppers = Droppers::Several;
            }
        }
    }

    /// An operation in its usual place.
    fn placed(&mut self, emit: &Emit, why: Why) {
        match emit {
            Emit::Clean(operation) => {
                let early = matches!(operation.place, Place::Usual | Place::Early);
                let wanted = self.wanted(operation, true, why);
                let side = if early {
                    &mut self.plan.early
                } else {
                    &mut self.plan.late
                };
                side.clean
                    .extend(wanted.into_iter().map(|it| (self.by, it)));
            }
            Emit::Invalidate(operation) => {
                let early = operation.place == Place::Early;
                let wanted = self.wanted(operation, false, why);
                let side = if early {
                    &mut self.plan.early
                } else {
                    &mut self.plan.late
                };
                side.invalidate
                    .extend(wanted.into_iter().map(|it| (self.by, it)));
            }
            Emit::Layout(name) => {
                let layout = self.layout(name.as_ref(), why).map(StepDraft::Layout);
                self.plan
                    .layout
                    .extend(layout.map(|layout| (self.by, layout)));
            }
            Emit::FrontEnd => {
                let step = StepDraft::FrontEnd { why };
                self.plan.front_end.push((self.by, step));
            }
            Emit::Driver(name, takes) => self.plan.driver.push(driver(name, *takes, why)),
            _ => {}
        }
    }

    /// An operation where the rule has it.
    fn ordered(&mut self, emit: &Emit, why: Why) {
        let steps: Vec<StepDraft> = match emit {
            Emit::Clean(operation) => {
                let mut wanted = self.wanted(operation, true, why);
                sort(self.profile, &mut wanted);
                wanted.into_iter().map(Wanted::clean).collect()
            }
            Emit::Invalidate(operation) => {
                let wanted = self.wanted(operation, false, why);
                wanted.into_iter().map(Wanted::invalidate).collect()
            }
            Emit::Layout(name) => {
                let layout = self.layout(name.as_ref(), why);
                layout.map(StepDraft::Layout).into_iter().collect()
            }
            Emit::FrontEnd => vec![StepDraft::FrontEnd { why }],
            Emit::Driver(name, takes) => vec![driver(name, *takes, why)],
            _ => Vec::new(),
        };
        self.plan
            .ordered
            .extend(steps.into_iter().map(|step| (self.by, step)));
    }

    fn wanted(&self, operation: &Operation, cleans: bool, why: Why) -> Vec<Wanted> {
        let caches = self.caches(&operation.caches, cleans).into_iter();
        caches
            .map(|cache| Wanted {
                cache,
                everything: operation.whole,
                again: operation.place == Place::Again,
                why,
            })
            .collect()
    }

    /// Caches by name. What the profile does not have was reported; `*` is every cache, or every one that can be dirty.
    fn caches(&self, names: &[Name], dirty: bool) -> Vec<CacheId> {
        let profile = self.profile;
        let mut found = Vec::with_capacity(names.len());
        for name in names {
            if name.text == "*" {
                let all = profile.cache_ids();
                let fit =
                    |id: &CacheId| !dirty || profile.cache(*id).policy == WritePolicy::WriteBack;
                found.extend(all.filter(fit));
            } else {
                found.extend(profile.cache_named(&name.text));
            }
        }
        found
    }

    /// The entry's own layout operation, or one by name; nothing where the entry is about no texture with metadata.
    fn layout(&self, name: Option<&Name>, why: Why) -> Option<LayoutDraft> {
        let why = Some(why);
        let Some(name) = name else {
            return self.entry.layout.map(|own| LayoutDraft { why, ..own });
        };
        let mut ops = self.profile.layout_ops.iter();
        let op = LayoutOpId::new(ops.position(|op| op.name == name.text)?);
        let draft = self.session.layout_operation(self.entry, op)?;
        Some(LayoutDraft { why, ..draft })
    }
}

/// Adds the stages that a rule waits for or holds.
fn add(sum: &mut Option<LeafSet>, stages: &Stages, asked: LeafSet, idle: bool) {
    let more = match stages {
        _ if idle => LeafSet::EMPTY,
        Stages::AsAsked => asked,
        Stages::None => LeafSet::EMPTY,
        Stages::These(_, leaves) => *leaves,
    };
    *sum = Some(sum.unwrap_or(LeafSet::EMPTY).union(more));
}

fn driver(name: &str, takes: Ps, why: Why) -> StepDraft {
    StepDraft::Driver {
        op: super::words::kept(name),
        takes,
        why,
    }
}
