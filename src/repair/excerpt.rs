//! Excerpts: the part of a long text that one mistake is about, as a text of its own.
//!
//! What removes a hazard depends on little of a long text: on the commands around its two sides that use the same
//! memory, on barriers for that memory, and on what orders them. A change is searched in such an excerpt, where a try
//! costs what the excerpt is long, and not what the text is. An excerpt proves nothing about the text: it may lack what
//! matters. So what was found in excerpts is made in the whole text, and proved there (`causes.rs`).
//!
//! An excerpt is the text with cuts. Each cut begins and ends with a statement, so every place in the excerpt is a place
//! of the text.
//!
//! Cost: one pass over the scenario for all excerpts of a text; for each excerpt a pass over the lists and statements,
//! and what it keeps.

use super::Found;
use super::edited::{apply, back};
use crate::analyze::names;
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::{ListId, NodeId, ResourceId, Table, narrow};
use crate::order::Timeline;
use crate::scenario::{
    BarrierTarget, Command, CommandKind, Declaration, LegacyKind, Scenario, Statement,
    StatementKind,
};
use std::collections::BTreeSet;

// Of each kind of part an excerpt keeps all, if the text has at most `…_MAX` of it. Of more it keeps those nearest to the
// places that the mistake names: `…_NEAR` before each place and `…_NEAR` after it.

/// Commands on the mistake's memory.
const USES_MAX: usize = 48;
/// Commands on the mistake's memory near a place.
const USES_NEAR: usize = 12;
/// Commands after a place that are kept whatever memory they use: a change for one mistake may remove that of a neighbour
/// too.
const AFTER: u32 = 24;
/// Barriers on the mistake's memory: a texture's layout depends on each.
const BARRIERS_MAX: usize = 256;
/// Barriers on the mistake's memory near a place.
const BARRIERS_NEAR: usize = 48;
/// Barriers on all memory.
const GLOBALS_MAX: usize = 64;
/// Barriers on all memory near a place.
const GLOBALS_NEAR: usize = 12;
/// Statements of the timeline.
const STATEMENTS_MAX: usize = 128;
/// Statements of the timeline near a place.
const STATEMENTS_NEAR: u32 = 8;
/// Resources, and lists. Of more only those are kept that the rest of the excerpt uses.
const DECLARED_MAX: usize = 64;

/// A text that excerpts are made of.
pub(super) struct Excerpts<'t> {
    source: &'t Source,
    scenario: &'t Scenario,
    timeline: &'t Timeline<'t>,
    /// Spans of all commands in the order of the text; the span of a group's begin and end is its first word.
    spans: Vec<Span>,
    /// First command of each list among all commands; one more for the end.
    starts: Vec<u32>,
    /// What commands touch each resource.
    uses: Table<ResourceId, Vec<u32>>,
    /// Which of them are barriers.
    barriers: Table<ResourceId, Vec<u32>>,
    /// Barriers on all memory.
    globals: Vec<u32>,
    /// What every excerpt keeps: groups and calls of bundles.
    fixed: Vec<u32>,
    /// Statements that execute each list, by their place in the timeline.
    executions: Table<ListId, Vec<u32>>,
    /// Signals and waits.
    fences: Vec<u32>,
    /// Resources that statements name.
    named: Vec<ResourceId>,
}

/// A part of a text.
pub(super) struct Excerpt {
    pub(super) source: Source,
    /// What was cut out of the text, in order.
    pub(super) cuts: Vec<Edit>,
}

impl<'t> Excerpts<'t> {
    /// Of a text, with what it says as it was written and its timeline.
    pub(super) fn new(
        source: &'t Source,
        scenario: &'t Scenario,
        timeline: &'t Timeline<'t>,
    ) -> Self {
        let mut excerpts = Self {
            source,
            scenario,
            timeline,
            spans: Vec::new(),
            starts: vec![0],
            uses: Table::filled(scenario.resources.len(), Vec::new()),
            barriers: Table::filled(scenario.resources.len(), Vec::new()),
            globals: Vec::new(),
            fixed: Vec::new(),
            executions: Table::filled(scenario.lists.len(), Vec::new()),
            fences: Vec::new(),
            named: Vec::new(),
        };
        for list in &scenario.lists {
            for command in &list.commands {
                let at = narrow(excerpts.spans.len());
                excerpts.spans.push(command.span);
                excerpts.record(at, command);
            }
            excerpts.starts.push(narrow(excerpts.spans.len()));
        }
        for (at, statement) in excerpts.statements().iter().enumerate() {
            excerpts.list(narrow(at), statement);
        }
        excerpts
    }

    fn statements(&self) -> &'t [Statement] {
        let timeline = self.scenario.timeline.as_ref();
        timeline.map_or(&[], |timeline| &timeline.statements)
    }

    /// Notes what a command touches.
    fn record(&mut self, at: u32, command: &Command) {
        let is_kept = matches!(
            command.kind,
            CommandKind::MarkerBegin { .. }
                | CommandKind::MarkerEnd
                | CommandKind::ExecuteBundle { .. }
        );
        if is_kept {
            self.fixed.push(at);
        }
        let (resources, is_global) = touched(command);
        if is_global {
            self.globals.push(at);
        }
        for id in resources {
            self.uses[id].push(at);
            if is_barrier(command) {
                self.barriers[id].push(at);
            }
        }
    }

    /// Notes what a statement of the timeline executes and touches, and whether it signals or waits.
    fn list(&mut self, at: u32, statement: &Statement) {
        let note = |known: &mut Vec<u32>| {
            if known.last() != Some(&at) {
                known.push(at);
            }
        };
        statement.for_each(&mut |statement| match &statement.kind {
            StatementKind::Execute { lists, .. } => {
                for list in lists {
                    note(&mut self.executions[*list]);
                }
            }
            StatementKind::Signal { .. } | StatementKind::Wait { .. } => note(&mut self.fences),
            StatementKind::CpuWrite { resource, .. }
            | StatementKind::CpuRead { resource, .. }
            | StatementKind::Present { resource, .. } => self.named.push(*resource),
            _ => {}
        });
    }

    /// What a mistake is about; `None` if that is most of the text, or its place is not known.
    pub(super) fn of(&self, target: &Found) -> Option<Excerpt> {
        let anchors = self.anchors(target);
        let family = self.family(target, &anchors);
        let commands = self.commands(&anchors, &family)?;
        if 2 * commands.len() > self.spans.len() {
            return None;
        }
        let statements = self.kept_statements(target, &commands);
        let mut cuts = self.cut_commands(&commands);
        cuts.extend(self.cut_statements(&statements));
        let lists = self.lists(&commands, &statements);
        let declarations = self.cut_declarations(&family, &commands, &lists);
        // What is inside a list that is cut is cut with it.
        cuts.retain(|cut| {
            let after = declarations.partition_point(|whole| whole.start <= cut.start);
            after == 0 || declarations[after - 1].end <= cut.start
        });
        cuts.extend(declarations);
        cuts.sort_unstable_by_key(|cut| cut.start);
        let cuts: Vec<Edit> = cuts.into_iter().map(cut).collect();
        Some(Excerpt {
            source: Source::new(&self.source.name, apply(&self.source.text, &cuts)),
            cuts,
        })
    }

    /// The command that a place is in.
    fn command_at(&self, place: u32) -> Option<u32> {
        let after = self.spans.partition_point(|span| span.start <= place);
        let at = after.checked_sub(1)?;
        (place < self.spans[at].end).then(|| narrow(at))
    }

    /// The places that a mistake names.
    fn places(&self, target: &Found) -> Vec<u32> {
        let finding = &target.finding;
        let mut places = vec![finding.span.start];
        places.extend(finding.related.iter().map(|related| related.span.start));
        if let Some(conflict) = &target.conflict {
            let sides = [&conflict.first, &conflict.second];
            places.extend(sides.map(|side| names::side_span(self.timeline, side).start));
            let entry = conflict.barrier.map(|id| self.timeline.span(id.node).start);
            places.extend(entry);
        }
        places
    }

    /// The commands that a mistake names.
    fn anchors(&self, target: &Found) -> BTreeSet<u32> {
        let places = self.places(target).into_iter();
        places.filter_map(|place| self.command_at(place)).collect()
    }

    /// The resources that a mistake is about: its own, and those that share memory with it.
    fn family(&self, target: &Found, anchors: &BTreeSet<u32>) -> BTreeSet<ResourceId> {
        let scenario = self.scenario;
        let by_name = |name: &str| scenario.resources.get_index_of(name).map(ResourceId::new);
        let own: Vec<ResourceId> = match (&target.conflict, &target.finding.resource) {
            (Some(conflict), _) => vec![conflict.first.resource, conflict.second.resource],
            (None, Some(name)) => by_name(name).into_iter().collect(),
            (None, None) => {
                let commands = anchors.iter().map(|at| self.command(*at));
                commands.flat_map(|command| touched(command).0).collect()
            }
        };
        let memory = &self.timeline.memory;
        let mut family: BTreeSet<ResourceId> = own.iter().copied().collect();
        for whole in own.iter().filter_map(|id| memory.whole(*id)) {
            let shares = |id: &ResourceId| {
                let other = memory.whole(*id).filter(|o| o.memory == whole.memory);
                other.is_some_and(|o| o.start < whole.end && whole.start < o.end)
            };
            if own.iter().any(|id| memory.is_aliased(*id)) {
                family.extend(scenario.resources.ids().filter(shares));
            }
        }
        family
    }

    fn command(&self, at: u32) -> &'t Command {
        let list = self.list_at(at);
        &self.scenario.lists[list].commands[(at - self.starts[list.index()]) as usize]
    }

    /// The list that has a command.
    fn list_at(&self, at: u32) -> ListId {
        ListId::new(self.starts.partition_point(|start| *start <= at) - 1)
    }

    /// The commands that an excerpt keeps, in order; `None` without any.
    fn commands(&self, anchors: &BTreeSet<u32>, family: &BTreeSet<ResourceId>) -> Option<Vec<u32>> {
        let mut kept = anchors.clone();
        for id in family {
            let (uses, barriers) = (&self.uses[*id], &self.barriers[*id]);
            near(uses, anchors, USES_MAX, USES_NEAR, &mut kept);
            near(barriers, anchors, BARRIERS_MAX, BARRIERS_NEAR, &mut kept);
        }
        near(&self.globals, anchors, GLOBALS_MAX, GLOBALS_NEAR, &mut kept);
        if kept.is_empty() {
            return None;
        }
        for anchor in anchors {
            let next = self.list_at(*anchor).index() + 1;
            let end = self.starts[next].min(anchor + AFTER);
            kept.extend(*anchor..end);
        }
        kept.extend(&self.fixed);
        Some(kept.into_iter().collect())
    }

    /// The statements of the timeline that an excerpt keeps, in order.
    fn kept_statements(&self, target: &Found, commands: &[u32]) -> BTreeSet<u32> {
        let all = self.statements();
        let mut kept = BTreeSet::new();
        if all.len() <= STATEMENTS_MAX {
            kept.extend(0..narrow(all.len()));
            return kept;
        }
        let statement_at = |place: u32| {
            let after = all.partition_point(|statement| statement.span.start <= place);
            after.checked_sub(1).map(narrow)
        };
        let mut anchors = BTreeSet::new();
        if let Some(conflict) = &target.conflict {
            let nodes = [conflict.first.node, conflict.second.node];
            let submissions = nodes.map(|node| self.timeline.submission_of(node));
            let places = submissions.map(|id| self.timeline.submission(id).statement.span.start);
            anchors.extend(places.into_iter().filter_map(statement_at));
        }
        for list in self.lists_of(commands) {
            let executions = &self.executions[list];
            if !executions.iter().any(|at| anchors.contains(at)) {
                kept.extend(executions.first());
            }
        }
        for anchor in &anchors {
            let end = narrow(all.len()).min(anchor + STATEMENTS_NEAR + 1);
            kept.extend(anchor.saturating_sub(STATEMENTS_NEAR)..end);
        }
        near(
            &self.fences,
            &anchors,
            STATEMENTS_MAX,
            STATEMENTS_NEAR as usize,
            &mut kept,
        );
        kept
    }

    /// The lists of some commands, in order.
    fn lists_of(&self, commands: &[u32]) -> BTreeSet<ListId> {
        commands.iter().map(|at| self.list_at(*at)).collect()
    }

    /// The lists that an excerpt keeps: those of its commands, and those that its statements name.
    fn lists(&self, commands: &[u32], statements: &BTreeSet<u32>) -> BTreeSet<ListId> {
        let mut kept = self.lists_of(commands);
        for at in statements {
            self.statements()[*at as usize].for_each(&mut |statement| {
                if let StatementKind::Execute { lists, .. } = &statement.kind {
                    kept.extend(lists);
                }
            });
        }
        kept
    }

    /// What is between the commands that are kept, list by list.
    fn cut_commands(&self, kept: &[u32]) -> Vec<Span> {
        let mut cuts = Vec::new();
        for ends in self.starts.windows(2) {
            let (mut from, end) = (ends[0], ends[1]);
            let first = kept.partition_point(|at| *at < from);
            let inside = kept[first..].iter().take_while(|at| **at < end);
            for at in inside.copied().chain([end]) {
                if from < at {
                    let (first, last) = (from as usize, at as usize - 1);
                    cuts.push(Span::new(self.spans[first].start, self.spans[last].end));
                }
                from = at + 1;
            }
        }
        cuts
    }

    fn cut_statements(&self, kept: &BTreeSet<u32>) -> Vec<Span> {
        let statements = self.statements().iter().enumerate();
        runs(statements.map(|(at, statement)| {
            let is_cut = !kept.contains(&narrow(at));
            is_cut.then_some(statement.span)
        }))
    }

    /// The declarations of resources and lists that nothing in the excerpt names.
    fn cut_declarations(
        &self,
        family: &BTreeSet<ResourceId>,
        commands: &[u32],
        lists: &BTreeSet<ListId>,
    ) -> Vec<Span> {
        let scenario = self.scenario;
        let mut used = Table::filled(
            scenario.resources.len(),
            scenario.resources.len() <= DECLARED_MAX,
        );
        if !used.iter().all(|used| *used) {
            let touched = commands.iter().flat_map(|at| touched(self.command(*at)).0);
            let named = family.iter().chain(&self.named).copied();
            for id in named.chain(touched) {
                used[id] = true;
            }
        }
        let keeps_lists = scenario.lists.len() <= DECLARED_MAX;
        runs(scenario.order.iter().map(|declared| match declared {
            Declaration::Resource(id) => (!used[*id]).then(|| scenario.resource(*id).span),
            Declaration::List(id) if !keeps_lists && !lists.contains(id) => self.whole(*id),
            _ => None,
        }))
    }

    /// A list's declaration with its brace; `None` of one that is called as a bundle or has no end that is plain to see.
    fn whole(&self, id: ListId) -> Option<Span> {
        let list = &self.scenario.lists[id];
        let is_bundle = self.executions[id].is_empty();
        let end = list.commands.last().map_or(list.span, |last| last.span).end;
        let is_group = list
            .commands
            .iter()
            .any(|c| matches!(c.kind, CommandKind::MarkerEnd));
        if is_bundle || is_group {
            return None;
        }
        let rest = self.source.text.get(end as usize..)?;
        let close = rest.find('}').filter(|close| {
            let between = &rest[..*close];
            between
                .bytes()
                .all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'{'))
        })?;
        Some(Span::new(list.span.start, end + narrow(close) + 1))
    }

    /// The node of the text for the command at a place; of several executions the one in the submission of the
    /// mistake, or the first.
    fn node(&self, place: u32, target: &Found) -> Option<NodeId> {
        let at = self.command_at(place)?;
        let list = self.list_at(at);
        let span = self.spans[at as usize];
        let timeline = self.timeline;
        let conflict = target.conflict.as_ref();
        let own = conflict.map(|conflict| timeline.submission_of(conflict.second.node));
        own.into_iter()
            .chain(timeline.evaluation.iter())
            .filter(|id| timeline.lists(timeline.submission(*id)).contains(&list))
            .find_map(|id| {
                let mut commands = timeline.commands(id);
                commands.find_map(|(node, _, command)| (command.span == span).then_some(node))
            })
    }

    /// The name of the command at a place of the text.
    pub(super) fn name(&self, place: u32, target: &Found) -> Option<String> {
        let node = self.node(place, target)?;
        Some(self.timeline.node_name(node))
    }
}

impl Excerpt {
    /// A place of the excerpt in the text.
    pub(super) fn place(&self, place: u32) -> Option<u32> {
        back(&self.cuts, place)
    }

    /// A change of the excerpt as a change of the text; `None` if it would change what was cut.
    pub(super) fn outward(&self, text: &Source, edit: &Edit) -> Option<Edit> {
        let start = self.place(edit.span.start)?;
        let (from, to) = (edit.span.start, edit.span.end);
        let end = if from == to {
            start
        } else {
            self.place(to - 1)? + 1
        };
        let inner = self.source.text.get(from as usize..to as usize)?;
        let outer = text.text.get(start as usize..end as usize)?;
        (inner == outer).then(|| Edit::new(Span::new(start, end), edit.text.clone()))
    }

    /// Whether a finding of the excerpt is one of the text: the same rule, place and resource.
    pub(super) fn is_same(&self, inner: &Finding, outer: &Finding) -> bool {
        inner.rule.id == outer.rule.id
            && inner.resource == outer.resource
            && self.place(inner.span.start) == Some(outer.span.start)
    }
}

fn cut(span: Span) -> Edit {
    Edit::new(span, "")
}

/// Runs of spans that follow each other, each as one.
fn runs(spans: impl Iterator<Item = Option<Span>>) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    let mut goes_on = false;
    for span in spans {
        match (span, runs.last_mut()) {
            (Some(span), Some(run)) if goes_on && run.end <= span.start => run.end = span.end,
            (Some(span), _) => runs.push(span),
            (None, _) => {}
        }
        goes_on = span.is_some();
    }
    runs
}

/// All of `from` if they are few, else those near to an anchor.
fn near(
    from: &[u32],
    anchors: &BTreeSet<u32>,
    all_max: usize,
    reach: usize,
    kept: &mut BTreeSet<u32>,
) {
    if from.len() <= all_max {
        kept.extend(from);
        return;
    }
    for anchor in anchors {
        let at = from.partition_point(|other| other < anchor);
        let end = from.len().min(at + reach + 1);
        kept.extend(&from[at.saturating_sub(reach)..end]);
    }
}

fn is_barrier(command: &Command) -> bool {
    matches!(
        command.kind,
        CommandKind::Barrier(_) | CommandKind::Legacy(_) | CommandKind::FenceBarrier { .. }
    )
}

/// The resources that a command touches, and whether it touches all.
fn touched(command: &Command) -> (Vec<ResourceId>, bool) {
    let mut resources: Vec<ResourceId> = command.uses.iter().map(|used| used.resource).collect();
    let mut is_global = false;
    for barrier in command.kind.barriers() {
        match barrier.resource() {
            Some(id) => resources.push(id),
            None => is_global |= matches!(barrier.target, BarrierTarget::Global),
        }
    }
    if let CommandKind::Legacy(entries) = &command.kind {
        for entry in entries {
            match &entry.kind {
                LegacyKind::Transition(it) => resources.push(it.resource),
                LegacyKind::Uav(resource) => {
                    is_global |= resource.is_none();
                    resources.extend(*resource);
                }
                LegacyKind::Alias(before, after) => {
                    is_global |= before.is_none() || after.is_none();
                    resources.extend(before.iter().chain(after));
                }
            }
        }
    }
    if let CommandKind::AssertAccess { resource, .. } | CommandKind::AssertLayout { resource, .. } =
        command.kind
    {
        resources.push(resource);
    }
    resources.sort_unstable();
    resources.dedup();
    (resources, is_global)
}
