//! What holds at the point where the walk stands, and the tables that [`Known`] refers to.

use super::known::{Known, Origin};
use crate::api::{BarrierAccess, Layout, QueueType};
use crate::finding::{Finding, Rule, Span};
use crate::id::{ResourceId, SubmissionId};
use crate::order::Timeline;
use crate::scenario::{Barrier, BarrierTarget, Resource, Scenario};
use crate::validate::Entry;

/// A split barrier's first half.
#[derive(Clone, Debug)]
pub struct Split<'s> {
    /// The begin half.
    pub barrier: &'s Barrier,
    /// The resource.
    pub resource: ResourceId,
    /// Its subresources.
    pub runs: Vec<(u32, u32)>,
    /// The scope that it stands in.
    pub scope: u32,
    /// Whether an end half came.
    pub ended: bool,
    /// Whether something was wrong with it already: that nothing ends it is not said on top.
    pub is_judged: bool,
    /// The split that it began inside of: 0 is none.
    pub under: u32,
}

/// Submissions that may have set a layout last.
#[derive(Clone, Debug)]
struct Writers {
    all: Vec<SubmissionId>,
    /// Whether they all set the same.
    agree: bool,
}

/// Where the walk stands.
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
    writers: Vec<Writers>,
    /// The current submission alone, in `writers`: 0 while it has set no layout.
    own_writer: u32,
    /// Per access bit, the stamp of the last global barrier of the scope that has it after; the last for `COMMON`.
    globals: [u32; 33],
}

impl<'s, 't> Facts<'s, 't> {
    /// At the beginning.
    pub fn new(scenario: &'s Scenario, timeline: &'t Timeline<'t>) -> Self {
        Self {
            scenario,
            timeline,
            submission: None,
            scope: 0,
            execution: 0,
            stamp: 0,
            splits: Vec::new(),
            writers: vec![Writers {
                all: Vec::new(),
                agree: true,
            }],
            own_writer: 0,
            globals: [0; 33],
        }
    }

    /// Begins a scope.
    pub fn enter(&mut self, submission: Option<SubmissionId>) {
        self.submission = submission;
        self.scope += 1;
        self.own_writer = 0;
        self.globals = [0; 33];
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

    /// The layout; `None` between the halves of a split, where transitions race, and where nothing is known.
    pub fn layout(&self, known: &Known) -> Option<Layout> {
        if known.writers != 0 {
            let writers = &self.writers[known.writers as usize];
            if !writers.agree || !self.is_after(writers) {
                return None;
            }
        }
        if self.open_split(known).is_some() {
            return None;
        }
        known.layout
    }

    /// Whether everything that may have set the layout is over.
    fn is_after(&self, writers: &Writers) -> bool {
        let Some(now) = self.submission else {
            return true;
        };
        writers
            .all
            .iter()
            .all(|w| *w == now || self.timeline.happens_before(*w, now))
    }

    /// Sets a layout, and remembers who did.
    pub fn set_layout(&mut self, known: &mut Known, layout: Layout, origin: Origin) {
        let now = self.submission;
        if let Some(now) = now {
            known.writers = self.writer(known.writers, known.layout == Some(layout), now);
        }
        known.layout = Some(layout);
        known.layout_from = Some(origin);
    }

    fn writer(&mut self, old: u32, agree: bool, now: SubmissionId) -> u32 {
        let before = &self.writers[old as usize];
        if self.is_after(before) {
            if self.own_writer == 0 {
                self.own_writer = self.writers.len() as u32;
                self.writers.push(Writers {
                    all: vec![now],
                    agree: true,
                });
            }
            return self.own_writer;
        }
        let mut all = before.all.clone();
        let agree = agree && before.agree;
        if !all.contains(&now) {
            all.push(now);
        }
        // Neighbouring subresources usually race alike.
        let last = self.writers.last();
        if last.is_some_and(|last| last.agree == agree && last.all == all) {
            return self.writers.len() as u32 - 1;
        }
        self.writers.push(Writers { all, agree });
        self.writers.len() as u32 - 1
    }
}

/// What a rule is shown of an entry and one run of its subresources, before the entry takes effect.
pub struct Before<'a, 's, 't> {
    /// The entry.
    pub entry: &'a Entry<'s>,
    /// What is known of the subresources.
    pub known: &'a Known,
    /// The subresources: first and one past the last.
    pub run: (u32, u32),
    /// Where the walk stands.
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
        match &self.entry.barrier.target {
            BarrierTarget::Texture { layout_before, .. } => Some(*layout_before)
                .filter(|l| *l != Layout::Undefined)
                .filter(|_| !self.entry.resource().is_some_and(Resource::is_simultaneous)),
            _ => None,
        }
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
        message: impl Into<String>,
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
        "found while the list is recorded: it contradicts itself wherever it executes"
    } else {
        "found at ExecuteCommandLists: what the list assumes is not what it finds there"
    })
}
