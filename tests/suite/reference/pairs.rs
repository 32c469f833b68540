//! Every pair of uses of one scope, decided by definition: an explicit graph for order, a walk over the barriers
//! between the two for visibility.
//!
//! Longer than other files: a reference is read in one piece, next to the readings that it is written from.

use super::model::{Cell, Entry, Model, Scoped, Step, Usage, subresource_pieces};
use std::collections::{BTreeMap, BTreeSet};
use syncscope::api::{BarrierAccess, Leaf, LeafSet};
use syncscope::graph::{ConflictKind, Part};
use syncscope::id::{NodeId, ResourceId};

/// A pair that is not covered.
pub(super) type Pair = (NodeId, Part, NodeId, Part, ConflictKind);

/// One thing that touches memory in a scope: a use, or a barrier that acts.
#[derive(Clone, Copy)]
pub(super) enum Touch<'m> {
    Use(&'m Usage, bool),
    Entry(&'m Entry),
}

/// A point of a scope's order: a step's work at a leaf, or a barrier on one of its subresources. A barrier on a range is
/// one barrier a subresource: splitting it changes nothing.
type Point = (usize, Result<Leaf, u32>);

/// A scope with the closure of its order.
pub(super) struct Decided<'m> {
    pub scope: &'m Scoped,
    /// `reach[a][b]`: point a precedes point b.
    reach: Vec<Vec<bool>>,
    /// Points of the order.
    points: BTreeMap<Point, usize>,
    model: &'m Model<'m>,
    /// For each second half, the step of its first, cell by cell.
    begun: BTreeMap<(usize, Cell), usize>,
    /// Uses between the halves of a split barrier: compared with nothing (R27).
    pub ignored: BTreeSet<(usize, usize)>,
}

/// Holding the first leaf of a command holds the second (R46): the stages of a draw in order. Depth and stencil are
/// tested early and late; holding them holds pixel shading, and the reverse does not hold the early tests.
fn holds(first: Leaf, second: Leaf) -> bool {
    const DRAW: [Leaf; 5] = [
        Leaf::IndexInput,
        Leaf::VertexShading,
        Leaf::DepthStencil,
        Leaf::PixelShading,
        Leaf::RenderTarget,
    ];
    let place = |leaf| DRAW.iter().position(|l| *l == leaf);
    first == second
        || first == Leaf::ExecuteIndirect
        || matches!((place(first), place(second)), (Some(a), Some(b)) if a < b)
}

impl<'m> Decided<'m> {
    pub(super) fn new(
        model: &'m Model<'m>,
        scope: &'m Scoped,
        ignored: BTreeSet<(usize, usize)>,
    ) -> Self {
        let mut points = BTreeMap::new();
        for (index, step) in scope.steps.iter().enumerate() {
            match step {
                Step::Command { leaves, .. } => {
                    for leaf in leaves.iter() {
                        let point = points.len();
                        points.insert((index, Ok(leaf)), point);
                    }
                }
                Step::Barrier(entry) => {
                    for sub in entry.parts() {
                        let point = points.len();
                        points.insert((index, Err(sub)), point);
                    }
                }
            }
        }
        let mut decided = Self {
            scope,
            reach: vec![vec![false; points.len()]; points.len()],
            points,
            model,
            begun: BTreeMap::new(),
            ignored,
        };
        decided.match_halves();
        decided.connect();
        decided
    }

    /// The latest open first half on each cell and resource.
    fn match_halves(&mut self) {
        let mut open: BTreeMap<(ResourceId, Cell), usize> = BTreeMap::new();
        for (index, entry) in self.entries() {
            let Some(resource) = entry.resource else {
                continue;
            };
            for cell in &entry.cells {
                if entry.ends
                    && let Some(first) = open.remove(&(resource, *cell))
                {
                    self.begun.insert((index, *cell), first);
                }
                if entry.begins {
                    open.insert((resource, *cell), index);
                }
            }
        }
    }

    pub(super) fn entries(&self) -> Vec<(usize, &'m Entry)> {
        let steps = self.scope.steps.iter().enumerate();
        steps
            .filter_map(|(index, step)| match step {
                Step::Barrier(entry) => Some((index, entry)),
                Step::Command { .. } => None,
            })
            .collect()
    }

    fn connect(&mut self) {
        let points: Vec<_> = self.points.iter().map(|(k, v)| (*k, *v)).collect();
        for (first, a) in &points {
            for (second, b) in &points {
                if first.0 < second.0 {
                    self.reach[*a][*b] = self.precedes_directly(*first, *second);
                }
            }
        }
        let count = self.reach.len();
        for k in 0..count {
            for i in 0..count {
                if self.reach[i][k] {
                    for j in 0..count {
                        self.reach[i][j] |= self.reach[k][j];
                    }
                }
            }
        }
    }

    /// R11, R12, R20, R46.
    #[allow(
        clippy::many_single_char_names,
        reason = "two steps, two entries, two sides"
    )]
    fn precedes_directly(&self, (first, a): Point, (second, b): Point) -> bool {
        match (&self.scope.steps[first], &self.scope.steps[second], a, b) {
            // R20: later work of any kind is ordered after it.
            (
                Step::Command {
                    synchronous: true, ..
                },
                ..,
            ) => true,
            (Step::Command { .. }, Step::Barrier(_), Ok(leaf), Err(sub)) => {
                self.waits_for(second, sub).has(leaf)
            }
            (Step::Barrier(_), Step::Command { leaves, .. }, Err(sub), Ok(held)) => {
                let after = self.holds_back(first, sub);
                leaves.iter().any(|l| holds(l, held) && after.has(l))
            }
            (Step::Barrier(x), Step::Barrier(y), Err(s), Err(t)) => {
                self.composes((first, x, s), (second, y, t))
            }
            _ => false,
        }
    }

    /// R12, R13, R27: x on its subresource s, y on its subresource t.
    fn composes(
        &self,
        (first, x, s): (usize, &Entry, u32),
        (second, y, t): (usize, &Entry, u32),
    ) -> bool {
        if y.ends {
            let cells = y.cells.iter();
            return x.resource == y.resource
                && s == t
                && cells
                    .filter(|cell| self.part_of(y, **cell) == t)
                    .any(|cell| self.begun.get(&(second, *cell)) == Some(&first));
        }
        let before = self.waits_for(second, t);
        let meets = self.holds_back(first, s).meets(before);
        if meets && (x.global || y.global || before.contains(self.queue_leaves())) {
            return true;
        }
        x.resource.is_some()
            && x.resource == y.resource
            && s == t
            && self.latest_before(second, t) == Some(first)
            && (meets || self.extended(second, t) == Some(first))
    }

    /// The entry that is the latest one before another one on one of its subresources.
    fn latest_before(&self, index: usize, sub: u32) -> Option<usize> {
        let resource = self.entry(index).resource;
        let earlier = self.entries().into_iter().rev();
        earlier
            .filter(|(at, _)| *at < index)
            .find(|(_, e)| e.resource == resource && e.subresources.contains(&sub))
            .map(|(at, _)| at)
    }

    fn entry(&self, index: usize) -> &'m Entry {
        match &self.scope.steps[index] {
            Step::Barrier(entry) => entry,
            Step::Command { .. } => unreachable!("a command is no barrier"),
        }
    }

    /// R52: whether no command lies between two barriers.
    fn is_adjacent(&self, first: usize, second: usize) -> bool {
        let between = &self.scope.steps[first.min(second)..first.max(second)];
        between.iter().all(|step| matches!(step, Step::Barrier(_)))
    }

    /// R52: the entries with which an entry is one on a subresource, itself included. A global entry is one by itself.
    fn run(&self, index: usize, sub: u32) -> Vec<&'m Entry> {
        let own = self.entry(index);
        if own.resource.is_none() {
            return vec![own];
        }
        let entries = self.entries().into_iter();
        entries
            .filter(|(at, e)| {
                e.resource == own.resource
                    && e.subresources.contains(&sub)
                    && self.is_adjacent(*at, index)
            })
            .map(|(_, e)| e)
            .collect()
    }

    /// R52: the barrier that an entry extends on a subresource. A first half has no effect yet.
    fn extended(&self, index: usize, sub: u32) -> Option<usize> {
        self.entry(index).resource?;
        let latest = self.latest_before(index, sub)?;
        (self.is_adjacent(latest, index) && !self.entry(latest).begins).then_some(latest)
    }

    /// What an entry waits for on a subresource (R11, R52).
    fn waits_for(&self, index: usize, sub: u32) -> LeafSet {
        if self.entry(index).ends {
            return LeafSet::EMPTY;
        }
        let run = self.run(index, sub).into_iter();
        run.fold(LeafSet::EMPTY, |set, e| set.union(e.before.stages))
    }

    /// What an entry holds on a subresource (R11, R52).
    fn holds_back(&self, index: usize, sub: u32) -> LeafSet {
        if self.entry(index).begins {
            return LeafSet::EMPTY;
        }
        let run = self.run(index, sub).into_iter();
        run.fold(LeafSet::EMPTY, |set, e| set.union(e.after.stages))
    }

    /// The same on a cell.
    fn holds_back_at(&self, index: usize, cell: Cell) -> LeafSet {
        self.holds_back(index, self.part_of(self.entry(index), cell))
    }

    fn waits_for_at(&self, index: usize, cell: Cell) -> LeafSet {
        self.waits_for(index, self.part_of(self.entry(index), cell))
    }

    /// Every leaf of the scope's queue.
    fn queue_leaves(&self) -> LeafSet {
        let queue = self.model.scenario.queues.values().nth(self.scope.actor);
        queue.map_or(LeafSet::EMPTY, |queue| queue.queue_type.leaves())
    }

    /// The subresource of an entry to which a cell belongs.
    pub(super) fn part_of(&self, entry: &Entry, cell: Cell) -> u32 {
        let Some(resource) = entry.resource else {
            return 0;
        };
        if self.model.scenario.resource(resource).is_buffer() {
            return 0;
        }
        let subs = entry.subresources.iter();
        *subs
            .into_iter()
            .find(|sub| {
                let pieces = subresource_pieces(self.model.scenario, resource, **sub);
                let (memory, start, end) = self.model.cells[cell];
                pieces
                    .iter()
                    .any(|p| p.0 == memory && p.1 <= start && end <= p.2)
            })
            .expect("a cell of an entry is one of a subresource")
    }

    fn work_before_work(&self, a: (usize, Leaf), b: (usize, Leaf)) -> bool {
        self.reach[self.points[&(a.0, Ok(a.1))]][self.points[&(b.0, Ok(b.1))]]
    }

    /// Whether all of one step's stages precede all of another's.
    pub(super) fn all_before(&self, a: usize, first: LeafSet, b: usize, second: LeafSet) -> bool {
        second
            .iter()
            .all(|s| first.iter().all(|f| self.work_before_work((a, f), (b, s))))
    }

    /// Whether a barrier's effect on a cell precedes all stages of a command.
    pub(super) fn barrier_before(&self, a: usize, cell: Cell, b: usize, second: LeafSet) -> bool {
        let point = self.points[&self.barrier_point(a, cell)];
        second
            .iter()
            .all(|s| self.reach[point][self.points[&(b, Ok(s))]])
    }

    fn barrier_point(&self, step: usize, cell: Cell) -> Point {
        match &self.scope.steps[step] {
            Step::Barrier(entry) => (step, Err(self.part_of(entry, cell))),
            Step::Command { .. } => unreachable!("a command is no barrier"),
        }
    }

    fn before_barrier(&self, a: Point, b: usize, cell: Cell) -> bool {
        self.reach[self.points[&a]][self.points[&self.barrier_point(b, cell)]]
    }

    /// Everything that touches memory, in order, with its step.
    pub(super) fn touches(&self) -> Vec<(usize, Touch<'m>)> {
        let mut touches = Vec::new();
        for (index, step) in self.scope.steps.iter().enumerate() {
            match step {
                Step::Command {
                    uses, synchronous, ..
                } => {
                    for (at, usage) in uses.iter().enumerate() {
                        if !self.ignored.contains(&(index, at)) {
                            touches.push((index, Touch::Use(usage, *synchronous)));
                        }
                    }
                }
                Step::Barrier(entry) if entry.acts => touches.push((index, Touch::Entry(entry))),
                Step::Barrier(_) => {}
            }
        }
        touches
    }

    /// Every pair of the scope that is needed and not asked.
    pub(super) fn pairs(&self) -> BTreeSet<Pair> {
        let mut pairs = BTreeSet::new();
        let touches = self.touches();
        for (j, second) in &touches {
            for (i, first) in &touches {
                if i >= j {
                    continue;
                }
                for cell in first.cells().intersection(second.cells()) {
                    if let Some(kind) = self.uncovered(*cell, (*i, *first), (*j, *second)) {
                        let (a, b) = (first.name(), second.name());
                        pairs.insert((a.0, a.1, b.0, b.1, kind));
                    }
                }
            }
            self.beside_splits(*j, *second, &mut pairs);
        }
        pairs
    }

    /// What happens through an alias between the halves of a pair that acts is neither before nor after it (R27). A layout
    /// change or discard is told by itself, and then what follows it is not (R72).
    fn beside_splits(&self, step: usize, second: Touch<'m>, pairs: &mut BTreeSet<Pair>) {
        let (cells, resource, kind) = match second {
            Touch::Use(usage, _) => (&usage.cells, Some(usage.resource), after_write(usage)),
            Touch::Entry(entry) if entry.acts && !entry.ends => {
                let kind = ConflictKind::WriteAfterWrite;
                (&entry.cells, entry.resource, kind)
            }
            Touch::Entry(_) => return,
        };
        let (node, part) = second.name();
        for cell in cells {
            for (begun, half) in self.open(step, *cell) {
                let is_told = self.entries().iter().any(|(index, entry)| {
                    (begun + 1..step).contains(index)
                        && entry.cells.contains(cell)
                        && entry.acts
                        && !entry.ends
                        && entry.resource != half.resource
                });
                if half.acts && half.resource != resource && !is_told {
                    pairs.insert((half.node, half.part, node, part, kind));
                }
            }
        }
    }

    /// First halves on a cell that are open at a step.
    fn open(&self, step: usize, cell: Cell) -> Vec<(usize, &'m Entry)> {
        let mut open: Vec<(usize, &Entry)> = Vec::new();
        for (index, entry) in self.entries() {
            if index >= step || !entry.cells.contains(&cell) {
                continue;
            }
            if entry.begins || entry.ends {
                open.retain(|(_, e)| e.resource != entry.resource);
            }
            if entry.begins {
                open.push((index, entry));
            }
        }
        open
    }

    /// Whether a pair on a cell is needed and not asked; what it is called.
    pub(super) fn uncovered(
        &self,
        cell: Cell,
        (i, first): (usize, Touch<'m>),
        (j, second): (usize, Touch<'m>),
    ) -> Option<ConflictKind> {
        match (first, second) {
            (Touch::Use(a, _), Touch::Use(b, sync)) => self.use_use(cell, (i, a), (j, b, sync)),
            (Touch::Entry(a), Touch::Use(b, sync)) => self.entry_use(cell, (i, a), (j, b, sync)),
            // The second half of a pair is not compared with what lies before it (R27).
            (_, Touch::Entry(b)) if b.ends => None,
            (Touch::Use(a, _), Touch::Entry(b)) => self.use_entry(cell, (i, a), (j, b)),
            (Touch::Entry(a), Touch::Entry(b)) => self.entry_entry(cell, (i, a), (j, b)),
        }
    }

    fn use_use(
        &self,
        cell: Cell,
        (i, a): (usize, &Usage),
        (j, b, sync): (usize, &Usage, bool),
    ) -> Option<ConflictKind> {
        if !(a.writes || b.writes) {
            return None;
        }
        if is_exempt(a, b) {
            // R24: what was given up is gone for every later read, whatever R18 says of order.
            let gone = |leaf| self.history(cell, (i, Some(leaf), a.access), j).given_up;
            let asks = is_raster(a, b) && !is_loose(a, b) && a.writes && b.reads;
            return (asks && a.stages.iter().any(gone)).then(|| after_write(b));
        }
        let ordered = self.all_before(i, a.stages, j, b.stages);
        if !a.writes {
            return (!ordered).then_some(ConflictKind::WriteAfterRead);
        }
        let visible = a
            .stages
            .iter()
            .all(|leaf| self.sees(cell, (i, Some(leaf), a.access), (j, b, sync)));
        (!(ordered && visible)).then(|| after_write(b))
    }

    fn entry_use(
        &self,
        cell: Cell,
        (i, a): (usize, &Entry),
        (j, b, sync): (usize, &Usage, bool),
    ) -> Option<ConflictKind> {
        // The first half does nothing yet; a later transition of the cell stands for an earlier one.
        if a.begins || b.independent && !b.writes || self.is_replaced(cell, i, j) {
            return None;
        }
        let ordered = self.barrier_before(i, cell, j, b.stages);
        let visible = self.sees(cell, (i, None, BarrierAccess::empty()), (j, b, sync));
        (!(ordered && visible)).then(|| after_write(b))
    }

    fn use_entry(
        &self,
        cell: Cell,
        (i, a): (usize, &Usage),
        (j, b): (usize, &Entry),
    ) -> Option<ConflictKind> {
        if !a.writes && a.independent {
            return None;
        }
        // What an alias' barrier wrote back is done before this one acts, if both hold a common stage (R12).
        let after = self.holds_back_at(j, cell);
        let written_back = |leaf: Leaf| {
            let history = self.history(cell, (i, Some(leaf), a.access), j);
            history.takers.iter().any(|(at, x)| {
                !x.global && x.resource != b.resource && self.holds_back_at(*at, cell).meets(after)
            })
        };
        let ordered = a.stages.iter().all(|leaf| {
            self.before_barrier((i, Ok(leaf)), j, cell) || a.writes && written_back(leaf)
        });
        let flushed = |a| !self.flushed_beside(cell, (i, a), (j, b));
        if ordered && (!a.writes || flushed(a) && self.is_named(cell, (i, a), (j, b))) {
            None
        } else if a.writes {
            Some(ConflictKind::WriteAfterWrite)
        } else {
            Some(ConflictKind::WriteAfterRead)
        }
    }

    /// R79: a write that no barrier wrote back before a layout change must be named by that change, or given up (R24).
    /// Of a split pair the first half names it, if both halves are in one scope (R27).
    fn is_named(&self, cell: Cell, (i, a): (usize, &Usage), (j, b): (usize, &Entry)) -> bool {
        let mut halves = self.begun.iter();
        let acts_at = if b.begins {
            halves
                .find(|((_, c), first)| (*c, **first) == (cell, j))
                .map(|((second, _), _)| *second)
        } else {
            Some(j)
        };
        let Some(acts_at) = acts_at else {
            return true;
        };
        self.is_synchronous(i)
            || b.no_access_before
            || a.stages.iter().all(|leaf| {
                let write = (i, Some(leaf), a.access);
                let earlier = self.history(cell, write, j);
                let own = self.history(cell, write, acts_at + 1).takers;
                // A first half that named it has it in hand, whatever comes between the halves (EB034).
                earlier.given_up
                    || earlier.settled
                    || !earlier.takers.is_empty()
                    || own.iter().any(|(taker, _)| *taker == acts_at)
            })
    }

    /// Whether entries of the same call write the use back through an alias, and hold no stage that this one holds:
    /// both may write the memory, in any order (R12, R26). `ALL` before orders the effects of barriers.
    fn flushed_beside(&self, cell: Cell, (i, a): (usize, &Usage), (j, b): (usize, &Entry)) -> bool {
        let all = self.waits_for_at(j, cell).contains(self.queue_leaves());
        if all || self.is_synchronous(i) {
            return false;
        }
        let after = self.holds_back_at(j, cell);
        a.stages.iter().any(|leaf| {
            let history = self.history(cell, (i, Some(leaf), a.access), j);
            // What was written back before the call is in memory.
            if history
                .takers
                .iter()
                .any(|(_, x)| x.global || x.node != b.node)
            {
                return false;
            }
            let beside: Vec<&(usize, &Entry)> = history
                .takers
                .iter()
                .filter(|(_, x)| x.resource != b.resource)
                .collect();
            let resources: BTreeSet<_> = beside.iter().map(|(_, x)| x.resource).collect();
            resources.into_iter().any(|resource| {
                let mut its = beside.iter().filter(|(_, x)| x.resource == resource);
                its.clone().all(|(_, x)| !x.acts)
                    && !its.any(|(at, _)| self.holds_back_at(*at, cell).meets(after))
            })
        })
    }

    fn entry_entry(
        &self,
        cell: Cell,
        (i, a): (usize, &Entry),
        (j, b): (usize, &Entry),
    ) -> Option<ConflictKind> {
        if a.begins || self.is_replaced(cell, i, j) {
            return None;
        }
        let ordered = a.resource == b.resource
            || self
                .holds_back_at(i, cell)
                .meets(self.holds_back_at(j, cell))
            || self.before_barrier(self.barrier_point(i, cell), j, cell);
        (!ordered).then_some(ConflictKind::WriteAfterWrite)
    }

    /// Whether another transition or discard of the cell has its effect between two steps.
    fn is_replaced(&self, cell: Cell, i: usize, j: usize) -> bool {
        self.entries().iter().any(|(index, e)| {
            i < *index && *index < j && e.acts && !e.begins && e.cells.contains(&cell)
        })
    }

    /// Whether a use sees a write as far as it must (R14, R15, R20, R24).
    fn sees(
        &self,
        cell: Cell,
        write: (usize, Option<Leaf>, BarrierAccess),
        (j, b, sync): (usize, &Usage, bool),
    ) -> bool {
        let history = self.history(cell, write, j);
        let shown = b
            .stages
            .iter()
            .all(|leaf| history.visible.contains(&(leaf, b.access.bits())));
        if history.given_up && b.reads {
            return false;
        }
        if history.replaced {
            return true;
        }
        if self.is_synchronous(write.0) {
            return !b.reads || sync || shown;
        }
        shown || history.settled && !b.reads
    }

    fn is_synchronous(&self, step: usize) -> bool {
        matches!(
            &self.scope.steps[step],
            Step::Command {
                synchronous: true,
                ..
            }
        )
    }

    /// What the barriers before step `j` did to a write of a cell.
    pub(super) fn history(
        &self,
        cell: Cell,
        (i, leaf, access): (usize, Option<Leaf>, BarrierAccess),
        j: usize,
    ) -> History<'m> {
        let mut history = History::default();
        if let Step::Barrier(entry) = &self.scope.steps[i] {
            // Across scopes the accesses of a split pair are ignored (R27).
            let whole_pair = !entry.ends || self.begun_anywhere(i, entry);
            history.show(self.holds_back_at(i, cell), entry, whole_pair);
        }
        // First halves that picked it up.
        let mut picked: BTreeSet<usize> = BTreeSet::new();
        for (index, entry) in self.entries() {
            if index <= i || index >= j || !(entry.global || entry.cells.contains(&cell)) {
                continue;
            }
            let before = self.waits_for_at(index, cell);
            let named =
                leaf.is_some_and(|l| before.has(l)) && entry.before.accesses.intersects(access);
            // R52: "each entry extending its predecessor".
            let extended = self.extended(index, self.part_of(entry, cell));
            let extends = extended
                .is_some_and(|p| p == i || history.takers.iter().any(|(taker, _)| *taker == p));
            let taken = if entry.ends {
                self.begun
                    .get(&(index, cell))
                    .is_some_and(|first| picked.contains(first))
            } else {
                named || extends || before.iter().any(|l| history.carried.contains(&l))
            };
            if taken && entry.begins {
                picked.insert(index);
            } else if taken {
                history.takers.push((index, entry));
                let whole_pair = !entry.ends || self.begun_anywhere(index, entry);
                history.show(self.holds_back_at(index, cell), entry, whole_pair);
            }
            if !entry.ends && !entry.global {
                // A transition stands for what it picked up and for what is in memory already.
                if taken || self.is_synchronous(i) || !history.takers.is_empty() {
                    history.settled |= entry.acts;
                } else if entry.no_access_before && leaf.is_some() {
                    // R24; order is enough for a transition, and for what comes after it.
                    history.given_up = true;
                    history.replaced |= entry.acts;
                }
            }
        }
        history
    }

    /// Whether any first half of a second half is in this scope.
    fn begun_anywhere(&self, end: usize, entry: &Entry) -> bool {
        entry
            .cells
            .iter()
            .any(|cell| self.begun.contains_key(&(end, *cell)))
    }
}

/// What barriers did to a write.
#[derive(Default)]
pub(super) struct History<'m> {
    carried: BTreeSet<Leaf>,
    visible: BTreeSet<(Leaf, u32)>,
    takers: Vec<(usize, &'m Entry)>,
    /// In memory when a transition came that did not name it.
    settled: bool,
    pub given_up: bool,
    /// Given up under a layout change.
    replaced: bool,
}

impl History<'_> {
    fn show(&mut self, after: LeafSet, entry: &Entry, whole_pair: bool) {
        let accesses = if whole_pair {
            entry.after.accesses
        } else {
            BarrierAccess::EVERY
        };
        for leaf in after.iter() {
            self.carried.insert(leaf);
            for access in accesses.iter() {
                self.visible.insert((leaf, access.bits()));
            }
        }
    }
}

impl<'m> Touch<'m> {
    pub(super) fn cells(&self) -> &'m BTreeSet<Cell> {
        match self {
            Touch::Use(usage, _) => &usage.cells,
            Touch::Entry(entry) => &entry.cells,
        }
    }

    pub(super) fn name(&self) -> (NodeId, Part) {
        match self {
            Touch::Use(usage, _) => (usage.node, usage.part),
            Touch::Entry(entry) => (entry.node, entry.part),
        }
    }

    pub(super) fn resource(&self) -> ResourceId {
        match self {
            Touch::Use(usage, _) => usage.resource,
            Touch::Entry(entry) => entry.resource.expect("what acts has a resource"),
        }
    }

    pub(super) fn writes(&self) -> bool {
        match self {
            Touch::Use(usage, _) => usage.writes,
            Touch::Entry(_) => true,
        }
    }
}

/// R42.
pub(super) fn after_write(second: &Usage) -> ConflictKind {
    if second.reads {
        ConflictKind::ReadAfterWrite
    } else {
        ConflictKind::WriteAfterWrite
    }
}

/// R18, R19, R21.
pub(super) fn is_exempt(a: &Usage, b: &Usage) -> bool {
    is_raster(a, b) || is_loose(a, b)
}

/// R18: raster order. What waits for the later waits for the earlier.
fn is_raster(a: &Usage, b: &Usage) -> bool {
    let depth = BarrierAccess::DEPTH_STENCIL_READ | BarrierAccess::DEPTH_STENCIL_WRITE;
    let both = |set: BarrierAccess| a.access.intersects(set) && b.access.intersects(set);
    a.resource == b.resource && (both(BarrierAccess::RENDER_TARGET) || both(depth))
}

/// R19, R21: no order at all.
pub(super) fn is_loose(a: &Usage, b: &Usage) -> bool {
    let independent = |u: &Usage| u.independent && !u.writes;
    a.atomics && b.atomics || independent(a) || independent(b)
}
