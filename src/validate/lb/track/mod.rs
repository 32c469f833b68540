//! Legacy states along the timeline: what each subresource is in when an entry runs.
//!
//! Submissions are walked in an order that respects happens-before; inside one, lists and commands in their order.
//! State is kept as runs of subresources and looked at lazily: what decays is found decayed by whoever looks next, so
//! that a scope costs what it touches. Lists that never execute are walked by themselves, from an unknown state.
//!
//! This file, `entries`, `refused` and `uses` decide what is wrong; the rules' files say it. One entry is at most one finding of legality; a wrong
//! entry is assumed to have done what its after side says.
//!
//! Spec: "Resource State Promotion and Decay", "Interop with legacy `ResourceBarrier`"; readings R23, R27, R37, R55.

mod entries;
pub(in crate::validate) mod known;
pub(in crate::validate) mod mends;
mod refused;
mod uses;

use super::{decays_anyway, statically_wrong};
use crate::api::{Layout, QueueType, ResourceState};
use crate::finding::{Finding, Span};
use crate::id::{ListId, NodeId, ResourceId, SubmissionId, Table, narrow};
use crate::legacy::runs::Runs;
use crate::order::{SubmissionKind, Timeline};
use crate::scenario::{
    Command, CommandKind, Initial, LegacyBarrier, List, Range, Scenario, geometry,
};
use crate::validate::LegacyEntry;
use crate::validate::entry::finding;
use indexmap::IndexMap;
use known::{How, Known, Nature, Origin, State};
use mends::{Finds, Mended, Mends, Place};
use refused::Acts;
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::sync::Arc;

/// When a mistake can be seen. Spec: "Validation Phases".
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in crate::validate) enum Phase {
    /// While the list is recorded.
    Recording,
    /// When the list executes.
    Execution,
}

/// Where the tracker is: an entry of a list.
#[derive(Clone)]
pub(in crate::validate) struct At<'s> {
    /// The scenario as written.
    pub(in crate::validate) scenario: &'s Scenario,
    /// The list.
    pub(in crate::validate) list: &'s List,
    /// The entry.
    pub(in crate::validate) span: Span,
    /// The resource that it names.
    pub(in crate::validate) resource: ResourceId,
    /// What of it the finding is about, as a range; empty if all that the entry names.
    pub(in crate::validate) part: String,
}

impl At<'_> {
    /// The resource with what of it the finding is about.
    pub(in crate::validate) fn what(&self) -> String {
        format!("{}{}", self.name(), self.part)
    }

    /// A finding on the entry's line that says in which phase it can be seen.
    pub(in crate::validate) fn finding(
        &self,
        rule: &'static crate::finding::Rule,
        phase: Phase,
        message: impl Into<Arc<str>>,
    ) -> Finding {
        let name = self.list.name.as_deref();
        let name = name.map_or("the unnamed list".into(), |name| format!("`{name}`"));
        let note = match phase {
            Phase::Recording => format!(
                "found while {name} is recorded: the list contradicts itself wherever it executes"
            ),
            Phase::Execution => {
                format!("found when {name} executes: it depends on what ran before")
            }
        };
        finding(self.scenario, rule, self.span, Some(self.resource), message).note(note)
    }

    /// The resource's name.
    pub(in crate::validate) fn name(&self) -> &str {
        self.scenario.resource_name(self.resource)
    }
}

/// The first half of a legacy split transition.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(in crate::validate) struct Begin {
    pub(in crate::validate) resource: ResourceId,
    pub(in crate::validate) before: ResourceState,
    pub(in crate::validate) after: ResourceState,
    pub(in crate::validate) span: Span,
    list: ListId,
    place: Place,
    /// What it finds, if that is noted.
    finds: Option<Finds>,
    /// What it acts as if it is refused.
    acts: Acts,
    is_refused: bool,
    /// It is found to be between the halves of another pair: that nothing ends it is not said as well.
    is_told: bool,
    /// What it should have said as `before`, if that is one other state.
    known_before: Option<ResourceState>,
    /// Subresources that it covers.
    pub(in crate::validate) covers: u32,
    scope: u32,
    /// The execution of the list.
    walk: u32,
    /// Subresources whose second half has not come.
    open: u32,
}

/// What a second half left over: the first half, the scope, the subresources.
type LeftOver = (Begin, u32, Vec<(u32, u32)>);

/// A transition that may turn out to be unnecessary at the end of its scope.
struct Candidate {
    resource: ResourceId,
    indices: SmallVec<[(u32, u32); 2]>,
    touch: u32,
    span: Span,
    list: ListId,
}

/// Runs of subresources with what is known of them.
type Met = SmallVec<[(u32, u32, Known); 2]>;

struct Tracker<'s, 't> {
    scenario: &'s Scenario,
    timeline: &'t Timeline<'t>,
    runs: Table<ResourceId, Option<Runs<Known>>>,
    /// Resources whose runs exist, in recording: they are forgotten with the list.
    made: Vec<ResourceId>,
    /// Number of the scope; 0 is before everything.
    scope: u32,
    /// The submission; `None` while recording.
    submission: Option<SubmissionId>,
    list: ListId,
    queue: QueueType,
    begins: Vec<Begin>,
    free_begins: Vec<u32>,
    /// What second halves that name fewer subresources than their first ones left over, with the scope.
    left_over: Vec<LeftOver>,
    races: Vec<SmallVec<[SubmissionId; 2]>>,
    candidates: Vec<Candidate>,
    touch: u32,
    /// Findings by rule, place and resource: further executions only count.
    findings: IndexMap<(&'static str, Span, ResourceId), Finding>,
    /// The legacy entry that is looked at.
    place: Place,
    /// The node of the command; of no meaning while recording.
    node: NodeId,
    /// What the entries that execute should have said.
    mends: Mends,
    /// Entries with a wrong `StateBefore`, at the first execution at which it is wrong.
    wrong: IndexMap<Place, WrongBefore<'s>>,
    /// How many lists have been walked.
    walks: u32,
    /// The lists in the order of their executions, once a refused transition asks.
    executions: OnceCell<Vec<ListId>>,
}

/// A wrong `StateBefore`.
struct WrongBefore<'s> {
    at: At<'s>,
    known: Known,
    before: ResourceState,
}

/// What legacy entries, and enhanced entries on legacy states, break in the order in which they execute.
pub(super) fn findings(scenario: &Scenario, timeline: &Timeline<'_>) -> Vec<Finding> {
    let is_legacy = |command: &Command| matches!(command.kind, CommandKind::Legacy(_));
    let has_state = scenario
        .resources
        .values()
        .any(|r| matches!(r.initial, Initial::State(_)) && !r.is_buffer());
    if !has_state
        && !scenario
            .lists
            .iter()
            .any(|l| l.commands.iter().any(is_legacy))
    {
        return Vec::new();
    }
    let mut tracker = Tracker::new(scenario, timeline);
    tracker.execute_all();
    tracker.tell_what_is_right_once();
    tracker.record_the_rest();
    tracker.findings.into_values().collect()
}

/// The scenario with the known state in place of each wrong `StateBefore` that has one.
pub(super) fn mended(scenario: &Scenario, timeline: &Timeline<'_>) -> Mended {
    let mut tracker = Tracker::new(scenario, timeline);
    tracker.execute_all();
    tracker.mends.made_in(scenario)
}

impl<'s, 't> Tracker<'s, 't> {
    fn new(scenario: &'s Scenario, timeline: &'t Timeline<'t>) -> Self {
        Self {
            scenario,
            timeline,
            runs: Table::filled(scenario.resources.len(), None),
            made: Vec::new(),
            scope: 0,
            submission: None,
            list: ListId(0),
            queue: QueueType::Direct,
            begins: Vec::new(),
            free_begins: Vec::new(),
            left_over: Vec::new(),
            races: Vec::new(),
            candidates: Vec::new(),
            touch: 0,
            findings: IndexMap::new(),
            place: Place::default(),
            node: NodeId::default(),
            mends: Mends::default(),
            wrong: IndexMap::new(),
            walks: 0,
            executions: OnceCell::new(),
        }
    }

    fn execute_all(&mut self) {
        let timeline = self.timeline;
        for id in timeline.evaluation.iter() {
            let submission = timeline.submission(id);
            if submission.kind != SubmissionKind::Execute {
                continue;
            }
            self.scope += 1;
            self.submission = Some(id);
            self.queue = timeline
                .queue_type(submission)
                .expect("only queues execute lists");
            let lists = timeline.lists(submission).iter();
            for (list, start) in lists.zip(timeline.list_starts(id)) {
                self.node = start;
                self.walk(*list);
            }
            self.end_of_scope();
        }
        self.never_ended();
    }

    /// Lists that never execute, each by itself.
    fn record_the_rest(&mut self) {
        let mut executed = Table::filled(self.scenario.lists.len(), false);
        for submission in self.timeline.submissions.iter() {
            for list in self.timeline.lists(submission) {
                executed[*list] = true;
            }
        }
        self.submission = None;
        self.runs.fill(None);
        for (id, list) in self.scenario.lists.pairs() {
            if executed[id] || list.queue_type == QueueType::Bundle {
                continue;
            }
            self.scope += 1;
            self.queue = list.queue_type;
            self.begins.clear();
            self.free_begins.clear();
            self.candidates.clear();
            self.walk(id);
            for resource in std::mem::take(&mut self.made) {
                self.runs[resource] = None;
            }
        }
    }

    fn walk(&mut self, id: ListId) {
        let scenario = self.scenario;
        let list = &scenario.lists[id];
        self.list = id;
        self.walks += 1;
        for (index, command) in list.commands.iter().enumerate() {
            self.place = Place::command(id, index);
            if let CommandKind::ExecuteBundle { list: bundle } = command.kind {
                let bundle = &scenario.lists[bundle];
                for inner in &bundle.commands {
                    self.command(bundle, inner);
                    // A bundle in a bundle is refused, and no node.
                    let is_call = matches!(inner.kind, CommandKind::ExecuteBundle { .. });
                    self.node.0 += u32::from(!is_call);
                }
            } else {
                self.command(list, command);
                self.node.0 += 1;
            }
        }
    }

    fn command(&mut self, list: &'s List, command: &'s Command) {
        match &command.kind {
            CommandKind::Legacy(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    self.place.entry = index;
                    self.legacy(list, entry);
                }
            }
            CommandKind::Barrier(entries)
            | CommandKind::FenceBarrier {
                barriers: entries, ..
            } => {
                for entry in entries {
                    self.enhanced(list, entry);
                }
            }
            _ => {
                let discards = matches!(command.kind, CommandKind::Discard);
                for usage in &command.uses {
                    if discards {
                        self.discarded(list, usage);
                    }
                    self.used(list, usage);
                }
            }
        }
    }

    // ---- state ----------------------------------------------------------------------------------------------------

    /// What is known at the start: what the creation says, or nothing where a list is only recorded.
    fn at_first(&self, resource: ResourceId) -> Known {
        let declared = self.scenario.resource(resource);
        let (state, legacy) = match declared.initial {
            _ if self.submission.is_none() => (State::Unknown, false),
            // Spec: "Initial Resource State": buffers start in COMMON whatever was written.
            _ if declared.is_buffer() || declared.is_simultaneous() => (State::Common, false),
            Initial::State(state) => (State::after(state), true),
            Initial::Layout(layout) if layout != Layout::Common => (State::Enhanced(layout), false),
            Initial::Layout(_) | Initial::Default => (State::Common, false),
        };
        Known {
            state,
            origin: Origin {
                span: declared.span,
                how: How::Created,
                list: None,
                scope: 0,
                walk: 0,
            },
            legacy,
            assigned: self.submission.is_some()
                && !declared.is_buffer()
                && matches!(declared.initial, Initial::State(_)),
            unsettled: false,
            foreign: false,
            decays: false,
            setter: None,
            race: None,
            split: None,
            last: None,
            used: 0,
            dirty: false,
            promotes: false,
            touch: 0,
        }
    }

    fn nature(&self, resource: ResourceId) -> Nature {
        Nature::of(self.scenario.resource(resource))
    }

    fn runs(&mut self, resource: ResourceId) -> &mut Runs<Known> {
        if self.runs[resource].is_none() {
            let count = self
                .scenario
                .resource(resource)
                .texture()
                .map_or(1, crate::scenario::TextureShape::subresources);
            let first = self.at_first(resource);
            self.runs[resource] = Some(Runs::new(count, first));
            if self.submission.is_none() {
                self.made.push(resource);
            }
        }
        self.runs[resource].as_mut().expect("just made")
    }

    /// Subresource indices of a range, as runs: of one that goes too far, those that exist (reading R72).
    fn indices(&self, resource: ResourceId, range: &Range) -> SmallVec<[(u32, u32); 2]> {
        let Some(shape) = self.scenario.resource(resource).texture() else {
            return SmallVec::from_slice(&[(0, 1)]);
        };
        match geometry::existing_box(shape, range) {
            Ok(sub) if sub.is_all(shape) => SmallVec::from_slice(&[(0, shape.subresources())]),
            Ok(sub) => sub.index_runs(shape).into_iter().collect(),
            Err(_) => SmallVec::new(),
        }
    }

    /// What is known of a range now.
    fn met(&mut self, resource: ResourceId, indices: &[(u32, u32)]) -> Met {
        let (scope, nature) = (self.scope, self.nature(resource));
        let mut met = Met::new();
        let runs = self.runs(resource);
        for (first, end) in indices {
            runs.for_each(*first, *end, |from, until, known| {
                met.push((from, until, known.seen_from(scope, nature)));
            });
        }
        for (.., known) in &mut met {
            if !self.is_ordered(known) {
                // Reading R23: silent until something is ordered after both.
                known.state = State::Unknown;
            }
        }
        met
    }

    /// Changes what is known of a range.
    fn change(
        &mut self,
        resource: ResourceId,
        indices: &[(u32, u32)],
        mut change: impl FnMut(&mut Known),
    ) {
        let (scope, nature) = (self.scope, self.nature(resource));
        let runs = self.runs(resource);
        for (first, end) in indices {
            runs.update(*first, *end, |_, _, known| {
                *known = known.seen_from(scope, nature);
                change(known);
            });
        }
    }

    /// Whether everything that set the state is over before this submission.
    fn is_ordered(&self, known: &Known) -> bool {
        let Some(now) = self.submission else {
            return true;
        };
        let before = |id: SubmissionId| id == now || self.timeline.happens_before(id, now);
        known.setter.is_none_or(before)
            && known
                .race
                .is_none_or(|race| self.races[race as usize].iter().all(|id| before(*id)))
    }

    /// Gives a subresource a state that this submission set. Where the last setter is not ordered before it, both race.
    fn set(&mut self, known: &mut Known, state: State, origin: Origin, decays: bool) {
        let Some(now) = self.submission else {
            known.state = state;
            known.origin = origin;
            known.decays = decays;
            return;
        };
        let ordered = self.is_ordered(known);
        if ordered {
            known.race = None;
        } else {
            let mut racers = known
                .race
                .map_or_else(SmallVec::new, |race| self.races[race as usize].clone());
            for id in known.setter.into_iter().chain([now]) {
                if !racers.contains(&id) {
                    racers.push(id);
                }
            }
            let index = self.races.iter().position(|known| *known == racers);
            known.race = Some(narrow(index.unwrap_or_else(|| {
                self.races.push(racers);
                self.races.len() - 1
            })));
        }
        known.state = if ordered || known.state == state {
            state
        } else {
            State::Unknown
        };
        known.origin = origin;
        known.decays = decays;
        known.setter = (!decays).then_some(now);
    }

    fn origin(&self, span: Span, how: How) -> Origin {
        Origin {
            span,
            how,
            list: Some(self.list),
            scope: self.scope,
            walk: self.walks,
        }
    }

    /// The phase in which a comparison with this state can be made.
    fn phase(&self, origin: &Origin) -> Phase {
        let here = origin.walk == self.walks;
        if self.submission.is_none() || here {
            Phase::Recording
        } else {
            Phase::Execution
        }
    }

    fn next_touch(&mut self) -> u32 {
        self.touch = self.touch.wrapping_add(1);
        self.touch
    }

    fn report(&mut self, at: &At<'_>, finding: Finding) {
        let key = (finding.rule.id, at.span, at.resource);
        match self.findings.entry(key) {
            indexmap::map::Entry::Occupied(mut known) => known.get_mut().repeats += 1,
            indexmap::map::Entry::Vacant(slot) => {
                slot.insert(finding);
            }
        }
    }

    /// Of an entry that is right at some execution, another word would only be wrong there: the state has to be brought back.
    fn tell_what_is_right_once(&mut self) {
        for (place, wrong) in std::mem::take(&mut self.wrong) {
            let WrongBefore { at, known, before } = wrong;
            let key = (super::state_before::RULE.id, at.span, at.resource);
            if self.mends.is_right_once(place)
                && let Some(told) = self.findings.get_mut(&key)
            {
                let repeats = told.repeats;
                *told = super::state_before::at_one_time(&at, &known, before);
                told.repeats = repeats;
            }
        }
    }

    // ---- what happens ---------------------------------------------------------------------------------------------

    /// Says which transitions the end of the scope would have made by itself, and drops unmatched halves of buffers.
    fn end_of_scope(&mut self) {
        for candidate in std::mem::take(&mut self.candidates) {
            let met = self.met(candidate.resource, &candidate.indices);
            if met.iter().all(|(.., known)| known.touch == candidate.touch) {
                let at = At {
                    scenario: self.scenario,
                    list: &self.scenario.lists[candidate.list],
                    span: candidate.span,
                    resource: candidate.resource,
                    part: String::new(),
                };
                let finding = decays_anyway::found(&at);
                self.report(&at, finding);
            }
        }
    }

    /// Halves whose second never came.
    fn never_ended(&mut self) {
        for begin in std::mem::take(&mut self.begins) {
            if begin.open > 0 {
                self.report_never_ended(&begin);
            }
        }
        self.free_begins.clear();
    }

    fn report_never_ended(&mut self, begin: &Begin) {
        if begin.is_told {
            return;
        }
        let list = &self.scenario.lists[begin.list];
        let at = self.at(list, begin.span, begin.resource);
        let free = self.nature(begin.resource).free;
        let finding = super::begin_never_ended::found(&at, free);
        self.report(&at, finding);
    }

    /// Whether an entry was already refused for itself: then nothing further is said about it.
    fn is_refused(&self, list: &'s List, barrier: &'s LegacyBarrier) -> bool {
        let entry = LegacyEntry {
            scenario: self.scenario,
            list,
            barrier,
        };
        statically_wrong(&entry)
    }

    fn at(&self, list: &'s List, span: Span, resource: ResourceId) -> At<'s> {
        At {
            scenario: self.scenario,
            list,
            span,
            resource,
            part: String::new(),
        }
    }
}
