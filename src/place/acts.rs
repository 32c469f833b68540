//! Who uses which part of which resource, in order of evaluation.
//!
//! A *part* is a set of subresources of a texture, or bytes of a buffer, that the same uses touch. What happens to it is a
//! chain (`chain.rs`): uses, and places at which a layout is fixed. Cost: linear in the uses times the parts that each
//! touches.

use super::layouts::Layouts;
use super::states;
use super::wish::SideOf;
use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, QueueType, ResourceFlags, compat};
use crate::id::{ListId, NodeId, ResourceId, SubmissionId, Table, narrow};
use crate::order::{SubmissionKind, Timeline, address, discards_of};
use crate::scenario::geometry;
use crate::scenario::{Barrier, Command, CommandKind, Range, Resource, Scenario, Use};
use indexmap::IndexMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Before a command of a list, counted as the list is written; or its end.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Spot {
    /// Which list of its `ExecuteCommandLists` call.
    pub(super) order: u32,
    /// The list.
    pub(super) list: ListId,
    /// Index of the command.
    pub(super) index: u32,
}

/// Names a use: the command, and the index of the use in it.
pub(super) type UseKey = (NodeId, u32);

/// A use of a resource, or something outside lists that asks for a layout.
#[derive(Clone, Debug)]
pub(super) struct Act {
    pub(super) key: UseKey,
    pub(super) resource: ResourceId,
    pub(super) submission: SubmissionId,
    /// When its submission is evaluated.
    pub(super) rank: u32,
    /// How often its statement was carried out before.
    pub(super) turn: u32,
    /// The command; `None` outside lists.
    pub(super) spot: Option<Spot>,
    pub(super) queue: QueueType,
    pub(super) access: BarrierAccess,
    pub(super) stages: LeafSet,
    /// Stages that a barrier before it must hold.
    pub(super) held: LeafSet,
    /// What it may be, by layout; of all but a `discard` nothing.
    pub(super) discards: SmallVec<[(BarrierAccess, Leaf); 4]>,
    pub(super) writes: bool,
    /// It defines its subresources without reading them, metadata included.
    pub(super) fills: bool,
    /// Layouts in which it can be made.
    pub(super) layouts: Layouts,
    /// It only asks for a layout, and touches no memory.
    pub(super) is_wish: bool,
    /// The layout after it, of a barrier that stays.
    pub(super) becomes: Option<Layout>,
    /// Address of its statement on the timeline.
    statement: usize,
}

impl Act {
    /// Stages and access in a layout, if it has one: a `discard` is the write of its layout.
    pub(super) fn side(&self, layout: Option<Layout>, flags: ResourceFlags) -> SideOf {
        let allows = |(access, _): &&(BarrierAccess, Leaf)| {
            layout.is_none_or(|it| compat::texture_accesses(it, flags).contains(*access))
        };
        let discard = self.discards.iter().find(allows);
        discard.map_or(
            SideOf {
                stages: self.stages,
                access: self.access,
            },
            |(access, leaf)| SideOf {
                stages: LeafSet::one(*leaf),
                access: *access,
            },
        )
    }

    /// Whether it uses metadata, which must be sound then (reading R25).
    pub(super) fn needs_metadata(&self) -> bool {
        let uses = BarrierAccess::RENDER_TARGET
            .union(BarrierAccess::DEPTH_STENCIL_WRITE)
            .union(BarrierAccess::DEPTH_STENCIL_READ)
            .union(BarrierAccess::UNORDERED_ACCESS);
        self.fills || self.access.intersects(uses)
    }

    fn moment(&self) -> (u32, NodeId) {
        (self.rank, self.key.0)
    }
}

/// A part of a resource, and the acts that touch it in order.
#[derive(Debug)]
pub(super) struct PartActs {
    pub(super) resource: ResourceId,
    /// Subresources as `(first, end)`, or bytes of a buffer.
    pub(super) runs: Vec<(u64, u64)>,
    /// Indices of acts.
    pub(super) acts: Vec<u32>,
}

/// What a timeline does to memory.
pub(super) struct Acts {
    pub(super) all: Vec<Act>,
    pub(super) parts: Vec<PartActs>,
    pub(super) by_key: IndexMap<UseKey, u32>,
    /// How each list is executed.
    pub(super) executions: Table<ListId, Executions>,
    /// How often each statement of the timeline is carried out, by its address.
    turns: IndexMap<usize, u32>,
    /// Submissions in order of evaluation.
    pub(super) order: Vec<SubmissionId>,
    /// For each resource when it is used.
    moments: Table<ResourceId, Vec<(u32, NodeId)>>,
}

impl Acts {
    pub(super) fn new(timeline: &Timeline<'_>) -> Self {
        let scenario = timeline.scenario;
        let mut acts = Self {
            all: Vec::new(),
            parts: Vec::new(),
            by_key: IndexMap::new(),
            turns: IndexMap::new(),
            order: timeline.evaluation.iter().collect(),
            executions: Table::filled(scenario.lists.len(), Executions::Never),
            moments: Table::filled(scenario.resources.len(), Vec::new()),
        };
        let mut touched: Touched = Table::filled(scenario.resources.len(), Vec::new());
        for (rank, id) in timeline.evaluation.iter().enumerate() {
            let statement = address(timeline.submission(id).statement);
            let turn = acts.turns.get(&statement).copied().unwrap_or_default();
            acts.submission(timeline, (id, narrow(rank), turn), &mut touched);
            acts.turns.insert(statement, turn + 1);
        }
        for act in &acts.all {
            if !act.is_wish {
                acts.moments[act.resource].push(act.moment());
            }
        }
        acts.parts = touched
            .pairs()
            .flat_map(|(resource, touched)| parts(resource, touched))
            .collect();
        acts
    }

    /// Leaves only layouts that a resource state stands for.
    pub(super) fn keep_stated(&mut self) {
        let used = self.all.iter().filter(|it| !it.is_wish);
        let computed = used.filter(|it| it.queue == QueueType::Compute);
        let computed: BTreeSet<ResourceId> = computed.map(|it| it.resource).collect();
        for act in self.all.iter_mut().filter(|it| !it.is_wish) {
            let stated = states::layouts(act, computed.contains(&act.resource));
            act.layouts = act.layouts.and(stated);
        }
    }

    /// What has to find and leave each texture alike, because the same barriers are in it each time: a turn of a `repeat`, or
    /// an execution of a list that is executed in several ways. `None` of what is executed once.
    pub(super) fn group(&self, act: &Act) -> Option<Group> {
        match act.spot.map(|spot| (self.executions[spot.list], spot)) {
            Some((Executions::EachTurn(_, 0) | Executions::Never, _)) => None,
            Some((Executions::EachTurn(..), _)) => Some(Group::Turn(act.turn)),
            Some((Executions::Otherwise, spot)) => Some(Group::List(act.submission, spot.order)),
            None => (self.turns.get(&act.statement) > Some(&1)).then_some(Group::Turn(act.turn)),
        }
    }

    /// Whether something uses an alias of a resource between two acts on it; with no first one, before the second.
    pub(super) fn is_aliased_between(
        &self,
        aliases: &[ResourceId],
        first: Option<&Act>,
        second: &Act,
    ) -> bool {
        aliases.iter().any(|alias| {
            let moments = &self.moments[*alias];
            let from = first.map_or(0, |it| moments.partition_point(|at| *at <= it.moment()));
            moments.get(from).is_some_and(|at| *at < second.moment())
        })
    }

    /// Whether something uses a resource.
    pub(super) fn is_used(&self, resource: ResourceId) -> bool {
        !self.moments[resource].is_empty()
    }

    fn submission(
        &mut self,
        timeline: &Timeline<'_>,
        (id, rank, turn): (SubmissionId, u32, u32),
        touched: &mut Touched,
    ) {
        let (scenario, submission) = (timeline.scenario, timeline.submission(id));
        let Some(queue) = timeline.queue_type(submission) else {
            return;
        };
        let base = Base {
            submission: id,
            rank,
            turn,
            statement: address(submission.statement),
            queue,
        };
        if let SubmissionKind::Present { resource } = submission.kind {
            let act = base.outside(resource, submission.first_node);
            self.push(scenario, act, &Range::All, touched);
            return;
        }
        let mut node = submission.first_node.0;
        for (order, list) in timeline.lists(submission).iter().enumerate() {
            let here = Executions::EachTurn(base.statement, turn);
            let executions = &mut self.executions[*list];
            *executions = match *executions {
                Executions::Never => here,
                Executions::EachTurn(by, before) if by == base.statement && before < turn => here,
                _ => Executions::Otherwise,
            };
            for (index, command) in scenario.lists[*list].commands.iter().enumerate() {
                let spot = Spot {
                    order: narrow(order),
                    list: *list,
                    index: narrow(index),
                };
                let inner: &[Command] = match &command.kind {
                    CommandKind::ExecuteBundle { list } => &scenario.lists[*list].commands,
                    _ => std::slice::from_ref(command),
                };
                for command in inner {
                    if matches!(command.kind, CommandKind::ExecuteBundle { .. }) {
                        continue;
                    }
                    self.command(scenario, base, (NodeId(node), spot), command, touched);
                    node += 1;
                }
            }
        }
    }

    fn command(
        &mut self,
        scenario: &Scenario,
        base: Base,
        (node, spot): (NodeId, Spot),
        command: &Command,
        touched: &mut Touched,
    ) {
        for (index, used) in command.uses.iter().enumerate() {
            let key = (node, narrow(index));
            let act = base.used(scenario, (key, spot), command, used);
            self.push(scenario, act, &used.range, touched);
        }
        // The second half of a pair changes nothing that the first has not changed.
        let is_second = matches!(
            command.kind,
            CommandKind::FenceBarrier { signal: false, .. }
        );
        let entries = command.kind.barriers().iter();
        for entry in entries.filter(|it| !is_second && !it.sync_before.is_split()) {
            self.kept(scenario, base, (node, spot), entry, touched);
        }
        let (resource, range, layouts) = match &command.kind {
            CommandKind::AssertLayout {
                resource,
                range,
                layout,
            } => (*resource, range, Layouts::one(*layout)),
            CommandKind::AssertAccess {
                resource,
                range,
                access,
            } => {
                let of = scenario.resource(*resource);
                (*resource, range, Layouts::allowing(*access, of, base.queue))
            }
            _ => return,
        };
        let mut act = base.outside(resource, node);
        act.spot = Some(spot);
        act.layouts = layouts;
        self.push(scenario, act, range, touched);
    }

    /// A barrier that stays: it wants one layout, and leaves another one.
    fn kept(
        &mut self,
        scenario: &Scenario,
        base: Base,
        (node, spot): (NodeId, Spot),
        entry: &Barrier,
        touched: &mut Touched,
    ) {
        let changed = entry.transition().zip(entry.resource());
        let Some(((before, after), resource)) = changed else {
            return;
        };
        let part = geometry::part_of_barrier(scenario, entry);
        let Some((sub, shape)) = part.zip(scenario.resource(resource).texture()) else {
            return;
        };
        let mut act = base.outside(resource, node);
        act.spot = Some(spot);
        act.layouts = if before == Layout::Undefined {
            Layouts::ANY
        } else {
            Layouts::one(before)
        };
        act.becomes = Some(after);
        self.push(scenario, act, &geometry::range_of_box(shape, &sub), touched);
    }

    fn push(&mut self, scenario: &Scenario, act: Act, range: &Range, touched: &mut Touched) {
        let at = narrow(self.all.len());
        let resource = scenario.resource(act.resource);
        let runs: Vec<(u64, u64)> = match resource.texture() {
            Some(shape) => match geometry::subresource_box(shape, range) {
                Ok(sub) => {
                    let runs = sub.index_runs(shape).into_iter();
                    runs.map(|(first, end)| (first.into(), end.into()))
                        .collect()
                }
                Err(_) => Vec::new(),
            },
            None => geometry::byte_runs(resource, range),
        };
        touched[act.resource].extend(runs.into_iter().map(|run| (run, at)));
        if !act.is_wish {
            self.by_key.insert(act.key, at);
        }
        self.all.push(act);
    }
}

/// What is done in the same way each time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Group {
    /// A turn of a `repeat`.
    Turn(u32),
    /// An execution of a list.
    List(SubmissionId, u32),
}

/// How a list is executed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Executions {
    /// Not at all.
    Never,
    /// By one statement of the timeline, known by its address, once each time; up to this turn of a `repeat`, counted from 0.
    EachTurn(usize, u32),
    /// By several statements, or several times by one.
    Otherwise,
}

/// What the uses of a submission have in common.
#[derive(Copy, Clone)]
struct Base {
    submission: SubmissionId,
    rank: u32,
    turn: u32,
    statement: usize,
    queue: QueueType,
}

impl Base {
    fn used(
        self,
        scenario: &Scenario,
        (key, spot): (UseKey, Spot),
        command: &Command,
        used: &Use,
    ) -> Act {
        let resource = scenario.resource(used.resource);
        let mut layouts = Layouts::allowing(used.access, resource, self.queue);
        let mut discards: SmallVec<[(BarrierAccess, Leaf); 4]> = SmallVec::new();
        if used.access.is_no_access() {
            discards.extend(discards_of(resource, self.queue));
            let each = discards.iter();
            layouts = each.fold(Layouts::NONE, |all, (access, _)| {
                all.or(Layouts::allowing(*access, resource, self.queue))
            });
        }
        // Static data are read by whatever stage of later work (reading R38).
        let held = match command.kind {
            CommandKind::SetRoot { compute: false } => LeafSet::DRAW,
            CommandKind::SetRoot { compute: true } => LeafSet::one(Leaf::ComputeShading),
            _ => used.stages,
        };
        let fills = match command.kind {
            CommandKind::ClearRtv | CommandKind::ClearDsv | CommandKind::Discard => true,
            CommandKind::Copy | CommandKind::Resolve | CommandKind::ClearUav => used.writes(),
            _ => false,
        };
        Act {
            key,
            resource: used.resource,
            submission: self.submission,
            rank: self.rank,
            turn: self.turn,
            spot: Some(spot),
            queue: self.queue,
            access: used.access,
            stages: used.stages,
            held,
            discards,
            writes: used.writes(),
            fills: fills && is_whole(resource, &used.range),
            layouts,
            is_wish: false,
            becomes: None,
            statement: self.statement,
        }
    }

    /// A present; or what only asks for a layout.
    fn outside(self, resource: ResourceId, node: NodeId) -> Act {
        Act {
            key: (node, 0),
            resource,
            submission: self.submission,
            rank: self.rank,
            turn: self.turn,
            spot: None,
            queue: self.queue,
            access: BarrierAccess::empty(),
            stages: LeafSet::EMPTY,
            held: LeafSet::EMPTY,
            discards: SmallVec::new(),
            writes: false,
            fills: false,
            layouts: Layouts::one(Layout::Common),
            is_wish: true,
            becomes: None,
            statement: self.statement,
        }
    }
}

/// Whether a range has all texels of its subresources.
fn is_whole(resource: &Resource, range: &Range) -> bool {
    let shape = resource.texture();
    let sub = shape.map(|shape| geometry::subresource_box(shape, range));
    sub.is_none_or(|sub| sub.is_ok_and(|sub| sub.rect.is_none()))
}

/// Which act touches which run of a resource.
type Touched = Table<ResourceId, Vec<((u64, u64), u32)>>;

/// Cuts a resource where uses begin and end, and joins what the same uses touch.
fn parts(resource: ResourceId, touched: &[((u64, u64), u32)]) -> Vec<PartActs> {
    let mut cuts: Vec<u64> = touched
        .iter()
        .flat_map(|((first, end), _)| [*first, *end])
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut acts: Vec<Vec<u32>> = vec![Vec::new(); cuts.len()];
    for ((first, end), act) in touched {
        let from = cuts.partition_point(|cut| cut < first);
        let to = cuts.partition_point(|cut| cut < end);
        acts[from..to].iter_mut().for_each(|it| it.push(*act));
    }
    let mut joined: IndexMap<Vec<u32>, Vec<(u64, u64)>> = IndexMap::new();
    for (at, acts) in acts.into_iter().enumerate() {
        if acts.is_empty() {
            continue;
        }
        let run = (cuts[at], cuts[at + 1]);
        let runs = joined.entry(acts).or_default();
        match runs.last_mut() {
            Some(last) if last.1 == run.0 => last.1 = run.1,
            _ => runs.push(run),
        }
    }
    let parts = joined.into_iter();
    parts
        .map(|(acts, runs)| PartActs {
            resource,
            runs,
            acts,
        })
        .collect()
}
