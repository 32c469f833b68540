//! What outlives a scope, by definition: open splits, activity, contents, metadata, layouts; and concurrent writers.

use super::model::{Cell, Entry, Model, Scoped, Step, Usage, subresource_pieces, whole_pieces};
use super::pairs::{Decided, after_write, is_exempt};
use std::collections::{BTreeMap, BTreeSet};
use syncscope::api::{Layout, ResourceFlags};
use syncscope::graph::{ConflictKind, Part};
use syncscope::id::{NodeId, ResourceId};
use syncscope::order::LayoutTracker;
use syncscope::scenario::Placement;

/// A finding about one use: which, and what.
pub(super) type Lone = (NodeId, Part, ConflictKind);

/// Something that happened to a cell.
#[derive(Clone)]
struct Event {
    scope: usize,
    step: usize,
    resource: ResourceId,
    kind: EventKind,
    /// Whose it is.
    name: Name,
}

/// What acts.
type Name = (NodeId, Part);

#[derive(Clone, PartialEq)]
enum EventKind {
    /// A command's write, or a transition that drops the old contents.
    Write,
    /// A transition that keeps them, whatever they are.
    Keep,
    /// `AccessBefore NO_ACCESS`, or a use that was reported: the contents count as the resource's own.
    Activate,
}

/// How contents were lost.
#[derive(Clone, Copy, PartialEq)]
enum Loss {
    /// R57, R62.
    Dropped,
    /// R53: given up under a layout change.
    GivenUp,
}

/// State that lives across scopes.
pub(super) struct Lasting<'m> {
    model: &'m Model<'m>,
    /// Scopes decided so far.
    decided: Vec<Decided<'m>>,
    /// Open first halves: resource, cell → scope, entry.
    open: BTreeMap<(ResourceId, Cell), (usize, &'m Entry)>,
    /// Open first halves in whose middle a layout change of another resource was told.
    told: BTreeSet<(ResourceId, Cell)>,
    /// Those layout changes: reported, they count as right (R47), and what follows comes after them.
    tellers: BTreeSet<Name>,
    inactive: BTreeSet<(ResourceId, Cell)>,
    events: BTreeMap<Cell, Vec<Event>>,
    /// Cells whose metadata is sound for a resource.
    sound: BTreeSet<(ResourceId, Cell)>,
    /// Cells whose contents nobody may read, with the scope in which they were lost (R53, R57, R62), and by what.
    lost: BTreeMap<Cell, (Loss, usize, Name)>,
    /// Layout changes of each subresource: scope, layout.
    layouts: BTreeMap<(ResourceId, u32), Vec<(usize, Layout, bool)>>,
    pub found: BTreeSet<Lone>,
}

impl<'m> Lasting<'m> {
    /// Walks every scope; returns what was found and the decided scopes.
    pub(super) fn walk(model: &'m Model<'m>) -> (BTreeSet<Lone>, Vec<Decided<'m>>) {
        let mut lasting = Self {
            model,
            decided: Vec::new(),
            open: BTreeMap::new(),
            told: BTreeSet::new(),
            tellers: BTreeSet::new(),
            inactive: BTreeSet::new(),
            events: BTreeMap::new(),
            sound: BTreeSet::new(),
            lost: BTreeMap::new(),
            layouts: BTreeMap::new(),
            found: BTreeSet::new(),
        };
        for index in 0..model.scopes.len() {
            lasting.scope(index);
        }
        lasting.end();
        (lasting.found, lasting.decided)
    }

    /// R68: `keep` reads the contents at the end, whatever comes before.
    fn end(&mut self) {
        let scenario = self.model.scenario;
        for (index, resource) in scenario.resources.values().enumerate() {
            if !resource.keep {
                continue;
            }
            let id = ResourceId::new(index);
            let all = whole_pieces(scenario, id);
            for cell in self.model.cells_of(&all) {
                if let Some((loss, _, (node, part))) = self.lost.get(&cell).copied() {
                    let kind = match loss {
                        Loss::Dropped => ConflictKind::KeptUndefined,
                        Loss::GivenUp => ConflictKind::KeptGivenUp,
                    };
                    self.found.insert((node, part, kind));
                }
                if let Some((foreign, false)) = self.foreign(id, cell) {
                    let (node, part) = foreign.name;
                    self.found.insert((node, part, ConflictKind::KeptUndefined));
                }
            }
        }
    }

    fn scope(&mut self, index: usize) {
        let scope = &self.model.scopes[index];
        // R24: deactivation ends with the scope.
        self.inactive.clear();
        let ignored = self.between_halves(index, scope);
        self.decided.push(Decided::new(self.model, scope, ignored));
        for (step, what) in scope.steps.iter().enumerate() {
            match what {
                Step::Command {
                    uses, initialises, ..
                } => self.command(index, step, uses, *initialises),
                Step::Barrier(entry) => self.barrier(index, step, entry),
            }
        }
        self.concurrent_writers(index);
    }

    /// Uses between the halves of a split barrier of their resource (R27), here or begun in a scope before.
    fn between_halves(&mut self, index: usize, scope: &'m Scoped) -> BTreeSet<(usize, usize)> {
        let mut ignored = BTreeSet::new();
        for (step, what) in scope.steps.iter().enumerate() {
            match what {
                Step::Command { uses, .. } => {
                    for (at, usage) in uses.iter().enumerate() {
                        let inside = usage.cells.iter().any(|cell| {
                            self.open
                                .get(&(usage.resource, *cell))
                                .is_some_and(|(since, entry)| {
                                    *since == index || entry.acts && self.is_before(*since, index)
                                })
                        });
                        if inside {
                            ignored.insert((step, at));
                            let kind = ConflictKind::UseWhileSplit;
                            self.found.insert((usage.node, usage.part, kind));
                        } else if !self
                            .disturbed((index, step), usage.resource, &usage.cells)
                            .is_empty()
                        {
                            let kind = after_write(usage);
                            self.found.insert((usage.node, usage.part, kind));
                        }
                    }
                }
                Step::Barrier(entry) => {
                    let Some(resource) = entry.resource else {
                        continue;
                    };
                    if entry.acts && !entry.ends {
                        let halves = self.disturbed((index, step), resource, &entry.cells);
                        if !halves.is_empty() {
                            let kind = ConflictKind::WriteAfterWrite;
                            self.found.insert((entry.node, entry.part, kind));
                        }
                        let own = self.open.iter().filter(|((of, cell), (since, half))| {
                            *since == index
                                && half.acts
                                && *of != resource
                                && entry.cells.contains(cell)
                                && !self.told.contains(&(*of, *cell))
                        });
                        let own: Vec<_> = own.map(|(key, _)| *key).collect();
                        if !(halves.is_empty() && own.is_empty()) {
                            self.tellers.insert((entry.node, entry.part));
                        }
                        self.told.extend(halves.into_iter().chain(own));
                    }
                    for cell in &entry.cells {
                        if entry.begins {
                            self.open.insert((resource, *cell), (index, entry));
                            self.told.remove(&(resource, *cell));
                        } else if entry.ends {
                            self.open.remove(&(resource, *cell));
                        }
                    }
                }
            }
        }
        ignored
    }

    /// Pairs that act, begun on the cells in a scope before by another resource, of which a second half is still to come and
    /// that nothing has disturbed yet (R27, R72). Those begun in this scope are looked at as pairs.
    fn disturbed(
        &self,
        (index, step): (usize, usize),
        resource: ResourceId,
        cells: &BTreeSet<Cell>,
    ) -> Vec<(ResourceId, Cell)> {
        let later = |of: ResourceId| {
            let scopes = self.model.scopes.iter().enumerate().skip(index);
            let mut steps = scopes.flat_map(|(at, scope)| {
                scope
                    .steps
                    .iter()
                    .skip(if at == index { step + 1 } else { 0 })
            });
            steps.any(|what| matches!(what, Step::Barrier(e) if e.ends && e.resource == Some(of)))
        };
        let open = self.open.iter().filter(|((of, cell), (since, half))| {
            *of != resource
                && cells.contains(cell)
                && half.acts
                && *since != index
                && self.is_before(*since, index)
                && !self.told.contains(&(*of, *cell))
                && later(*of)
        });
        open.map(|(key, _)| *key).collect()
    }

    fn is_before(&self, first: usize, second: usize) -> bool {
        let id = |scope: usize| self.model.scopes[scope].submission.index();
        self.model.before[id(first)][id(second)]
    }

    fn command(&mut self, index: usize, step: usize, uses: &'m [Usage], initialises: bool) {
        let ignored: Vec<bool> = (0..uses.len())
            .map(|at| self.decided[index].ignored.contains(&(step, at)))
            .collect();
        for (usage, ignored) in uses.iter().zip(&ignored) {
            self.check_layout(index, usage);
            if !initialises && usage.part != Part::Whole {
                self.check_metadata(usage);
            }
            self.check_activity(usage);
            if !ignored {
                self.check_contents(index, step, usage);
                self.check_lost(index, usage);
            }
        }
        if !initialises {
            self.check_feedback(uses);
        }
        for (usage, ignored) in uses.iter().zip(&ignored) {
            if *ignored || !usage.writes {
                continue;
            }
            for cell in &usage.cells {
                let name = (usage.node, usage.part);
                self.event(*cell, (index, step, name), usage.resource, EventKind::Write);
                if usage.discards {
                    self.lost.insert(*cell, (Loss::Dropped, index, name));
                } else {
                    self.lost.remove(cell);
                }
            }
            if initialises && !usage.is_partial {
                let cells = usage.cells.iter();
                self.sound.extend(cells.map(|cell| (usage.resource, *cell)));
            }
        }
    }

    fn event(
        &mut self,
        cell: Cell,
        (scope, step, name): (usize, usize, Name),
        resource: ResourceId,
        kind: EventKind,
    ) {
        if kind != EventKind::Activate {
            // R26: destructive to aliases.
            self.sound.retain(|(r, c)| *c != cell || *r == resource);
        }
        self.events.entry(cell).or_default().push(Event {
            scope,
            step,
            resource,
            kind,
            name,
        });
    }

    fn barrier(&mut self, index: usize, step: usize, entry: &'m Entry) {
        let Some(resource) = entry.resource else {
            return;
        };
        if let Some(layout) = entry.layout_after {
            for sub in &entry.subresources {
                let changes = self.layouts.entry((resource, *sub)).or_default();
                changes.push((index, layout, entry.acts));
            }
        }
        for cell in &entry.cells {
            self.lose(index, step, entry, *cell);
        }
        if entry.begins {
            return;
        }
        let name = (entry.node, entry.part);
        for cell in &entry.cells {
            if entry.no_access_before {
                self.take_over(index, resource, *cell, name);
            }
            self.inactive.remove(&(resource, *cell));
            if entry.deactivates {
                self.inactive.insert((resource, *cell));
            }
            if entry.acts {
                let kind = if entry.from_undefined || entry.discards || entry.no_access_before {
                    EventKind::Write
                } else {
                    EventKind::Keep
                };
                self.event(*cell, (index, step, name), resource, kind);
            } else if entry.no_access_before {
                self.event(*cell, (index, step, name), resource, EventKind::Activate);
            }
            if entry.discards {
                self.sound.insert((resource, *cell));
            }
        }
    }

    /// R63: what another resource wrote has undefined contents for the one that is activated. Buffers inherit them (R41).
    fn take_over(&mut self, index: usize, resource: ResourceId, cell: Cell, name: Name) {
        if let Some((_, false)) = self.foreign(resource, cell) {
            let lost = (Loss::Dropped, index, name);
            self.lost.entry(cell).or_insert(lost);
        }
    }

    /// What another resource did last to a cell whose contents are not a resource's own, and whether they are inherited: both
    /// are buffers (R41).
    fn foreign(&self, resource: ResourceId, cell: Cell) -> Option<(Event, bool)> {
        let events = self.events.get(&cell)?;
        let mut latest = events.iter().rev();
        let foreign = latest.find(|e| e.resource != resource && e.kind != EventKind::Activate)?;
        let is_buffer = |id| self.model.scenario.resource(id).is_buffer();
        let inherits = is_buffer(resource) && is_buffer(foreign.resource);
        (!is_own(resource, events)).then(|| (foreign.clone(), inherits))
    }

    /// R53, R57, R62: what an entry does to the contents of a cell.
    fn lose(&mut self, index: usize, step: usize, entry: &Entry, cell: Cell) {
        let name = (entry.node, entry.part);
        if entry.acts && !entry.begins && (entry.from_undefined || entry.discards) {
            self.lost.insert(cell, (Loss::Dropped, index, name));
            return;
        }
        if !entry.no_access_before {
            return;
        }
        if self.gives_up(index, step, cell) {
            // Without a layout change, the end of the scope flushes the write all the same (R22).
            if entry.acts {
                let lost = (Loss::GivenUp, index, name);
                self.lost.entry(cell).or_insert(lost);
            }
        } else if entry.unneeded && self.is_accessed(index, step, entry, cell) {
            let lost = (Loss::Dropped, index, name);
            self.lost.entry(cell).or_insert(lost);
        }
    }

    /// R24: whether the latest write of a cell in this scope is given up at an entry.
    fn gives_up(&self, index: usize, step: usize, cell: Cell) -> bool {
        let decided = &self.decided[index];
        let writers = |at: usize| -> Vec<&Usage> {
            match &decided.scope.steps[at] {
                Step::Command { uses, .. } => uses
                    .iter()
                    .enumerate()
                    .filter(|(use_at, u)| {
                        u.writes
                            && u.cells.contains(&cell)
                            && !decided.ignored.contains(&(at, *use_at))
                    })
                    .map(|(_, u)| u)
                    .collect(),
                Step::Barrier(_) => Vec::new(),
            }
        };
        let Some(at) = (0..step).rev().find(|at| !writers(*at).is_empty()) else {
            return false;
        };
        writers(at).iter().any(|u| {
            let lost = |leaf| {
                decided
                    .history(cell, (at, Some(leaf), u.access), step + 1)
                    .given_up
            };
            u.stages.iter().any(lost)
        })
    }

    /// R62: whether the scope has accessed the entry's subresource that a cell belongs to.
    fn is_accessed(&self, index: usize, step: usize, entry: &Entry, cell: Cell) -> bool {
        let decided = &self.decided[index];
        let resource = entry
            .resource
            .expect("an entry that says so has a resource");
        let subresource = decided.part_of(entry, cell);
        (0..step).any(|at| match &decided.scope.steps[at] {
            Step::Command { uses, .. } => uses.iter().enumerate().any(|(use_at, u)| {
                u.resource == resource
                    && u.subresources.contains(&subresource)
                    && !decided.ignored.contains(&(at, use_at))
            }),
            Step::Barrier(_) => false,
        })
    }

    /// R53, R57.
    fn check_lost(&mut self, index: usize, usage: &Usage) {
        for cell in &usage.cells {
            let Some((loss, scope, _)) = self.lost.get(cell).copied() else {
                continue;
            };
            if scope != index && !self.is_before(scope, index) {
                continue;
            }
            let kind = match loss {
                Loss::Dropped if usage.certain => ConflictKind::UndefinedContents,
                Loss::GivenUp if usage.reads && scope != index => ConflictKind::ReadAfterWrite,
                Loss::Dropped | Loss::GivenUp => continue,
            };
            self.found.insert((usage.node, usage.part, kind));
        }
    }

    /// R23, R42: a use in a layout that does not allow it; silent where a transition is not ordered before the use.
    fn check_layout(&mut self, index: usize, usage: &Usage) {
        let resource = self.model.scenario.resource(usage.resource);
        if resource.is_buffer() {
            return;
        }
        let scope = &self.model.scopes[index];
        let wrong = usage.subresources.iter().any(|sub| {
            let none = Vec::new();
            let changes = self.layouts.get(&(usage.resource, *sub)).unwrap_or(&none);
            let races = changes
                .iter()
                .any(|(scope, _, acts)| *acts && *scope != index && !self.is_before(*scope, index));
            let layout = self.layout(usage.resource, *sub);
            !races && !self.model.allows(layout, usage, scope)
        });
        if wrong {
            let kind = ConflictKind::LayoutMismatch;
            self.found.insert((usage.node, usage.part, kind));
        }
    }

    /// R65.
    fn check_feedback(&mut self, uses: &[Usage]) {
        use syncscope::api::BarrierAccess as A;
        let orders = |a: &Usage, b: &Usage| {
            let both = a.access | b.access;
            (A::DEPTH_STENCIL_READ | A::DEPTH_STENCIL_WRITE).contains(both)
                || (A::RAYTRACING_ACCELERATION_STRUCTURE_READ
                    | A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE)
                    .contains(both)
        };
        for (at, second) in uses.iter().enumerate() {
            for first in &uses[..at] {
                let refused = [first, second].iter().any(|u| {
                    let kind = ConflictKind::LayoutMismatch;
                    self.found.contains(&(u.node, u.part, kind))
                });
                if first.access != second.access
                    && (first.writes || second.writes)
                    && !(first.independent || second.independent)
                    && !orders(first, second)
                    && !refused
                    && !first.cells.is_disjoint(&second.cells)
                {
                    let kind = ConflictKind::FeedbackInCommand;
                    self.found.insert((second.node, second.part, kind));
                }
            }
        }
    }

    fn layout(&self, id: ResourceId, sub: u32) -> Layout {
        match self.layouts.get(&(id, sub)).and_then(|c| c.last()) {
            Some((_, layout, _)) => *layout,
            None => LayoutTracker::declared(self.model.scenario.resource(id)),
        }
    }

    /// R25.
    fn check_metadata(&mut self, usage: &Usage) {
        let resource = self.model.scenario.resource(usage.resource);
        let compressible = ResourceFlags::RENDER_TARGET
            | ResourceFlags::DEPTH_STENCIL
            | ResourceFlags::UNORDERED_ACCESS;
        if resource.is_buffer()
            || resource.uncompressed
            || resource.placement == Placement::Committed
            || !resource.flags.intersects(compressible)
            || resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
        {
            return;
        }
        let mut unsound = false;
        for sub in &usage.subresources {
            let compressed = matches!(
                self.layout(usage.resource, *sub),
                Layout::RenderTarget
                    | Layout::DepthStencilWrite
                    | Layout::DepthStencilRead
                    | Layout::UnorderedAccess
                    | Layout::DirectQueueUnorderedAccess
                    | Layout::ComputeQueueUnorderedAccess
            );
            let pieces = subresource_pieces(self.model.scenario, usage.resource, *sub);
            let cells = self.model.cells_of(&pieces);
            let is_sound = |cell: &Cell| self.sound.contains(&(usage.resource, *cell));
            if compressed && !cells.iter().all(is_sound) {
                unsound = true;
                // Once per subresource.
                self.sound
                    .extend(cells.iter().map(|cell| (usage.resource, *cell)));
            }
        }
        if unsound {
            let kind = ConflictKind::MetadataUninitialised;
            self.found.insert((usage.node, usage.part, kind));
        }
    }

    /// R24.
    fn check_activity(&mut self, usage: &Usage) {
        let off: Vec<Cell> = usage
            .cells
            .iter()
            .filter(|cell| self.inactive.contains(&(usage.resource, **cell)))
            .copied()
            .collect();
        if !off.is_empty() {
            let kind = ConflictKind::UseInactive;
            self.found.insert((usage.node, usage.part, kind));
            // R47: a reported use counts as correct.
            for cell in &usage.cells {
                self.inactive.remove(&(usage.resource, *cell));
            }
        }
    }

    /// R41, R63: old contents matter to who reads them.
    fn check_contents(&mut self, index: usize, step: usize, usage: &Usage) {
        if !usage.reads {
            return;
        }
        for cell in &usage.cells {
            let Some((foreign, inherits)) = self.foreign(usage.resource, *cell) else {
                continue;
            };
            if !self.is_ordered(&foreign, *cell, index, step, usage) {
                continue;
            }
            let kind = if inherits {
                ConflictKind::Inherited
            } else {
                ConflictKind::UseOverwritten
            };
            self.found.insert((usage.node, usage.part, kind));
            let name = (usage.node, usage.part);
            self.event(
                *cell,
                (index, step, name),
                usage.resource,
                EventKind::Activate,
            );
        }
    }

    fn is_ordered(
        &self,
        event: &Event,
        cell: Cell,
        index: usize,
        step: usize,
        usage: &Usage,
    ) -> bool {
        if event.scope != index {
            return self.is_before(event.scope, index);
        }
        let decided = &self.decided[index];
        match &decided.scope.steps[event.step] {
            Step::Barrier(_) if self.tellers.contains(&event.name) => true,
            Step::Barrier(_) => decided.barrier_before(event.step, cell, step, usage.stages),
            Step::Command { uses, .. } => {
                let writers = uses.iter().filter(|u| {
                    u.writes && u.resource == event.resource && u.cells.contains(&cell)
                });
                let mut stages = syncscope::api::LeafSet::EMPTY;
                for writer in writers {
                    stages = stages.union(writer.stages);
                }
                decided.all_before(event.step, stages, step, usage.stages)
            }
        }
    }

    /// R21, R49.
    fn concurrent_writers(&mut self, index: usize) {
        let scope = &self.model.scopes[index];
        let mut writers: Vec<(usize, &Usage, bool)> = Vec::new();
        for (step, what) in scope.steps.iter().enumerate() {
            if let Step::Command {
                uses, synchronous, ..
            } = what
            {
                for (at, usage) in uses.iter().enumerate() {
                    let counts = !self.decided[index].ignored.contains(&(step, at));
                    if usage.is_partial && usage.writes && counts {
                        writers.push((step, usage, *synchronous));
                    }
                }
            }
        }
        for (j, b, _) in &writers {
            for (i, a, synchronous) in &writers {
                if i >= j
                    || *synchronous
                    || a.resource != b.resource
                    || a.subresources.is_disjoint(&b.subresources)
                    || is_exempt(a, b)
                    || !a.cells.is_disjoint(&b.cells)
                    || self.decided[index].all_before(*i, a.stages, *j, b.stages)
                {
                    continue;
                }
                let resource = self.model.scenario.resource(b.resource);
                let simultaneous = resource.is_buffer()
                    || resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS);
                if !self.model.granules(a).is_disjoint(&self.model.granules(b)) {
                    let kind = ConflictKind::FalseSharing;
                    self.found.insert((b.node, b.part, kind));
                } else if simultaneous {
                    let kind = ConflictKind::ConcurrentWriters;
                    self.found.insert((b.node, b.part, kind));
                }
            }
        }
    }
}

/// Whether a cell's contents are a resource's own after some events.
fn is_own(resource: ResourceId, events: &[Event]) -> bool {
    let mut own = true;
    for event in events {
        own = match (&event.kind, event.resource == resource) {
            (EventKind::Write | EventKind::Activate, true) => true,
            (EventKind::Keep, true) | (EventKind::Activate, false) => own,
            (_, false) => false,
        };
    }
    own
}
