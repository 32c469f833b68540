//! What holds at the point where the walk is, and the tables that [`Known`] refers to.

use super::known::{Known, Origin};
use super::races::Races;
use super::tree::KnownKind;
use crate::api::{BarrierAccess, Layout, QueueType};
use crate::finding::{Finding, Rule, Span};
use crate::id::{ResourceId, SubmissionId, narrow};
use crate::order::Timeline;
use crate::scenario::{Barrier, Resource, Scenario};
use crate::validate::BarrierEntry;
use std::sync::Arc;

/// A split barrier's first half.
#[derive(Clone, Debug)]
pub struct Split<'s> {
    /// The begin half.
    pub barrier: &'s Barrier,
    /// The resource.
    pub resource: ResourceId,
    /// Subresources of the half, in runs.
    pub runs: Vec<(u32, u32)>,
    /// Those that an end half left over which names fewer: further halves that end them are the same mistake.
    pub left_over: Vec<(u32, u32)>,
    /// The scope of that end half.
    pub left_over_in: u32,
    /// The scope that it is in.
    pub scope: u32,
    /// Whether an end half came.
    pub ended: bool,
    /// Whether something was wrong with it already: that nothing ends it is not said on top.
    pub is_refused: bool,
    /// The splits that it began inside of.
    pub under: Vec<u32>,
    /// What is wrong with its `AccessBefore`, to be said if the pair ends in its scope.
    pub withheld: Option<Finding>,
}

/// Submissions that may have set a layout last. Several race: none of them is the last.
type Writers = Vec<SubmissionId>;

/// Where the walk is.
pub struct Facts<'s, 't> {
    /// The scenario as written.
    pub scenario: &'s Scenario,
    /// The timeline.
    pub timeline: &'t Timeline<'t>,
    /// The submission; `None` in a list that never executes.
    pub submission: Option<SubmissionId>,
    /// Number of the scope.
    pub scope: u32,
    /// Number of the list's execution.
    pub execution: u32,
    /// Number of barriers so far.
    pub stamp: u32,
    /// Split barriers that began; the first is none.
    pub splits: Vec<Split<'s>>,
    races: Races,
    writers: Vec<Writers>,
    /// Only the current submission, in `writers`: 0 while it has set no layout.
    own_writer: u32,
    /// Per access bit, the stamp of the last global barrier of the scope that has it after; the last for `COMMON`.
    globals: [u32; 33],
    /// The latest of these stamps.
    latest_global: u32,
}

impl<'s, 't> Facts<'s, 't> {
    /// Nothing is known yet.
    pub fn new(scenario: &'s Scenario, timeline: &'t Timeline<'t>) -> Self {
        Self {
            scenario,
            timeline,
            submission: None,
            scope: 0,
            execution: 0,
            stamp: 0,
            splits: Vec::new(),
            races: Races::new(timeline),
            writers: vec![Vec::new()],
            own_writer: 0,
            globals: [0; 33],
            latest_global: 0,
        }
    }

    /// Begins a scope.
    pub fn enter(&mut self, submission: Option<SubmissionId>) {
        self.submission = submission;
        self.scope += 1;
        self.own_writer = 0;
        self.globals = [0; 33];
        self.latest_global = 0;
    }

    /// Whether the list never executes.
    pub fn is_recording(&self) -> bool {
        self.submission.is_none()
    }

    /// The place of a statement of the list that is walked.
    pub fn origin(&self, span: Span) -> Origin {
        Origin {
            span,
            execution: self.execution,
        }
    }

    /// Notes what a global barrier makes accessible.
    pub fn global(&mut self, after: BarrierAccess) {
        self.stamp += 1;
        self.latest_global = self.stamp;
        if after.is_empty() {
            self.globals[32] = self.stamp;
        }
        for bit in 0..32 {
            if after.bits() & (1 << bit) != 0 {
                self.globals[bit] = self.stamp;
            }
        }
    }

    /// The known access (reading R34); `None` where nothing is known. `COMMON` is everything.
    pub fn access(&self, known: &Known) -> Option<BarrierAccess> {
        let Some(left) = known.left_in(self.scope) else {
            return (!self.is_recording()).then_some(BarrierAccess::COMMON);
        };
        if left.access.is_empty() || left.access.contains(BarrierAccess::NO_ACCESS) {
            return Some(left.access);
        }
        if self.latest_global <= left.stamp {
            return Some(left.access);
        }
        if self.globals[32] > left.stamp {
            return Some(BarrierAccess::COMMON);
        }
        let mut access = left.access;
        for (bit, stamp) in self.globals[..32].iter().enumerate() {
            if *stamp > left.stamp {
                access |= BarrierAccess::from_bits_retain(1 << bit);
            }
        }
        Some(access.difference(BarrierAccess::NO_ACCESS))
    }

    /// The split that is open on a subresource; 0 is none.
    pub fn open_split(&self, known: &Known) -> Option<&Split<'s>> {
        let at = known.split.checked_sub(1)?;
        self.splits.get(at as usize).filter(|split| !split.ended)
    }

    /// The layout, and of which subresources of a run; `None` between the halves of a split, where transitions
    /// race, and where nothing is known.
    pub fn layout(
        &self,
        resource: ResourceId,
        run: (u32, u32),
        known: &Known,
    ) -> Option<(Layout, (u32, u32))> {
        let mut run = run;
        if let Some(now) = self.submission {
            run = self.races.free(self.timeline, resource, run, now)?;
        }
        if self.has_raced(known) || !self.is_after(&self.writers[known.writers as usize]) {
            return None;
        }
        if self.open_split(known).is_some() {
            return None;
        }
        known.layout.map(|layout| (layout, run))
    }

    /// Whether several transitions that have no order made the layout, and nothing that comes after them all yet.
    pub fn has_raced(&self, known: &Known) -> bool {
        self.writers[known.writers as usize].len() > 1
    }

    /// Whether a rule that goes by accesses sees one access in all of a kind: those of older barriers only add to those of
    /// newer ones.
    pub(super) fn is_one(&self, kind: &KnownKind) -> bool {
        let mut newest = kind.known;
        if let Some(left) = &mut newest.left {
            left.stamp = kind.newest;
        }
        self.access(&kind.known) == self.access(&newest)
    }

    /// Whether some transition races for the layout of a resource here.
    pub(super) fn is_racing(&self, resource: ResourceId, count: u32) -> bool {
        let all = (0, count);
        self.submission
            .is_some_and(|now| self.races.free(self.timeline, resource, all, now) != Some(all))
    }

    /// Whether setting a layout depends on nothing but who sets it: whoever set the one before is over.
    pub(super) fn is_settled(&self, known: &Known) -> bool {
        !self.has_raced(known) && self.is_after(&self.writers[known.writers as usize])
    }

    /// Whether that is so for all that is known anywhere.
    pub(super) fn is_always_settled(&self) -> bool {
        self.races.are_impossible() || self.is_recording()
    }

    /// The number of the submission as the only one that has set a layout.
    pub(super) fn own_writer(&mut self) -> Option<u32> {
        let now = self.submission?;
        if self.own_writer == 0 {
            self.own_writer = narrow(self.writers.len());
            self.writers.push(vec![now]);
        }
        Some(self.own_writer)
    }

    /// Whether everything that may have set the layout is over.
    fn is_after(&self, writers: &[SubmissionId]) -> bool {
        let Some(now) = self.submission else {
            return true;
        };
        writers
            .iter()
            .all(|w| *w == now || self.timeline.happens_before(*w, now))
    }

    /// Sets a layout, and remembers who did.
    pub fn set_layout(&mut self, known: &mut Known, layout: Layout, origin: Origin) {
        if let Some(now) = self.submission {
            known.writers = self.writer(known.writers, now);
        }
        known.layout = Some(layout);
        known.layout_from = Some(origin);
    }

    fn writer(&mut self, old: u32, now: SubmissionId) -> u32 {
        let before = &self.writers[old as usize];
        if self.is_after(before)
            && let Some(own) = self.own_writer()
        {
            return own;
        }
        let mut all = self.writers[old as usize].clone();
        if !all.contains(&now) {
            all.push(now);
        }
        // Neighbouring subresources usually race alike.
        if self.writers.last() == Some(&all) {
            return narrow(self.writers.len()) - 1;
        }
        self.writers.push(all);
        narrow(self.writers.len()) - 1
    }
}

/// What a rule is shown of an entry and one run of its subresources, before the entry takes effect.
pub struct Before<'a, 's, 't> {
    /// The entry.
    pub entry: &'a BarrierEntry<'s>,
    /// What is known of the subresources.
    pub known: &'a Known,
    /// The subresources: first and one past the last.
    pub run: (u32, u32),
    /// Where the walk is.
    pub facts: &'a Facts<'s, 't>,
}

impl Before<'_, '_, '_> {
    /// What the latest texture or buffer barrier of the scope on these subresources left.
    pub fn left(&self) -> Option<&super::known::Left> {
        self.known.left_in(self.facts.scope)
    }

    /// Whether a split barrier has begun and not ended here.
    pub fn is_split(&self) -> bool {
        self.facts.open_split(self.known).is_some()
    }

    /// `LayoutBefore`, where it says something: not of buffers, simultaneous-access textures, memory-only barriers.
    pub fn layout_before(&self) -> Option<Layout> {
        let (before, _) = self.entry.barrier.layouts()?;
        let says_nothing = before == Layout::Undefined
            || self.entry.resource().is_some_and(Resource::is_simultaneous);
        (!says_nothing).then_some(before)
    }

    /// Type of the list's queue.
    pub fn queue(&self) -> QueueType {
        self.entry.queue()
    }

    /// A finding on the entry's line that says in which phase it was found, and where what it contradicts comes from.
    pub fn finding(
        &self,
        rule: &'static Rule,
        because: Option<Origin>,
        label: &str,
        message: impl Into<Arc<str>>,
    ) -> Finding {
        let finding = self.entry.finding(rule, message);
        explain(self.facts, finding, because, label)
    }

    /// The subresources in words, empty if they are all of the resource.
    pub fn place(&self) -> String {
        match self.entry.resource() {
            Some(resource) => place(resource, self.run),
            None => String::new(),
        }
    }
}

/// Subresources in words, empty if they are all of the resource.
pub fn place(resource: &crate::scenario::Resource, run: (u32, u32)) -> String {
    match resource.texture() {
        Some(shape) if run == (0, shape.subresources()) => String::new(),
        Some(_) if run.1 == run.0 + 1 => format!(" (subresource {})", run.0),
        Some(_) => format!(" (subresources {} to {})", run.0, run.1 - 1),
        None => String::new(),
    }
}

/// Says in which phase a finding was found (Spec: "Validation Phases"), and where what it contradicts comes from.
/// Without an origin it comes from the resource's creation, or from the start of the scope.
pub fn explain(
    facts: &Facts<'_, '_>,
    mut finding: Finding,
    because: Option<Origin>,
    label: &str,
) -> Finding {
    if let Some(origin) = because {
        finding = finding.related(origin.span, label);
    }
    let same_list = because.is_some_and(|origin| origin.execution == facts.execution);
    finding.note(if facts.is_recording() || same_list {
        "found while the list is recorded: the list contradicts itself wherever it executes"
    } else {
        "found at ExecuteCommandLists: what the list assumes does not hold when it executes"
    })
}
