//! What could remove a conflict inside a queue: bits added to an entry that stands between, a new entry at the latest
//! place, a half of a split barrier moved, a discard.

use super::around::{Around, Entry, FirstUse, Place};
use super::entry::narrowest_layout;
use super::{Candidate, Text};
use crate::analyze::names;
use crate::api::{
    BarrierAccess, BarrierSync, Layout, Leaf, LeafSet, QueueType, ResourceState, compat,
};
use crate::finding::{Edit, Source, Span};
use crate::graph::{Conflict, ConflictKind, Part};
use crate::id::ResourceId;
use crate::legacy::states;
use crate::order::{Actor, Timeline};
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, CommandKind, Initial, LegacyKind, LegacySplit, Range,
    Scenario, Trivia, print_barrier, range_text,
};

/// What a new entry weighs beside added bits: fewer bits in an existing barrier come first.
const NEW_ENTRY: u32 = 100;
/// What moving or replacing weighs.
const MOVED: u32 = 60;
/// Subresources that one change tells apart at most.
const PARTS_MAX: usize = 16;
/// What the widest barrier weighs: the last resort.
const WIDEST: u32 = 1_000;

/// Makes candidates for one conflict.
struct Maker<'a, 's> {
    text: Text<'a>,
    /// The scenario as written: with its legacy barriers.
    written: &'a Scenario,
    timeline: &'a Timeline<'s>,
    conflict: &'a Conflict,
    around: Around<'s>,
    found: Vec<(u32, Candidate)>,
}

/// Candidates for a conflict of one queue, those that change least first. `written` is the scenario as the text has it;
/// `timeline` is of its translation.
pub fn candidates(
    source: &Source,
    written: &Scenario,
    timeline: &Timeline<'_>,
    conflict: &Conflict,
) -> Vec<Candidate> {
    let mut maker = Maker {
        text: Text { source },
        written,
        timeline,
        conflict,
        around: Around::new(timeline, conflict),
        found: Vec::new(),
    };
    match conflict.kind {
        ConflictKind::ReadAfterWrite
        | ConflictKind::WriteAfterRead
        | ConflictKind::WriteAfterWrite
        | ConflictKind::FalseSharing
        | ConflictKind::ConcurrentWriters => {
            maker.widen();
            if maker.wants_another_layout() {
                // One transition orders, makes visible and changes the layout.
                maker.relayout();
                maker.transition();
            }
            maker.insert();
            maker.hand_over();
        }
        ConflictKind::LayoutMismatch => {
            maker.relayout();
            maker.transition();
        }
        ConflictKind::UseWhileSplit => maker.move_half(),
        ConflictKind::UseInactive => {
            maker.keep_active();
            maker.activate();
        }
        ConflictKind::UseOverwritten => maker.activate(),
        ConflictKind::MetadataUninitialised => maker.initialise(),
        ConflictKind::Inherited
        | ConflictKind::RaceReadWrite
        | ConflictKind::RaceWriteWrite
        | ConflictKind::RaceLayout => {}
    }
    maker.legacy();
    maker.found.sort_by_key(|(weight, _)| *weight);
    let mut candidates: Vec<Candidate> = Vec::new();
    for (_, candidate) in maker.found {
        if candidates
            .iter()
            .all(|known| known.edits != candidate.edits)
        {
            candidates.push(candidate);
        }
    }
    candidates
}

/// Whether nothing can bring back what the second use wants to read: its contents are lost.
pub fn is_lost(conflict: &Conflict) -> bool {
    let reads = conflict.second.access.intersects(
        BarrierAccess::EVERY.difference(BarrierAccess::WRITES | BarrierAccess::NO_ACCESS),
    ) || conflict
        .second
        .access
        .contains(BarrierAccess::UNORDERED_ACCESS);
    conflict.kind == ConflictKind::UseOverwritten && reads
        || conflict.kind == ConflictKind::ReadAfterWrite && conflict.given_up
}

impl<'s> Maker<'_, 's> {
    fn push(&mut self, weight: u32, edits: Vec<Option<Edit>>, says: String) {
        let Some(edits) = edits.into_iter().collect::<Option<Vec<_>>>() else {
            return;
        };
        if let Some(edits) = Text::in_order(edits) {
            self.found.push((weight, Candidate { edits, says }));
        }
    }

    fn scenario(&self) -> &'s Scenario {
        self.timeline.scenario
    }

    fn queue(&self) -> Option<QueueType> {
        let node = self.conflict.second.node;
        let submission = self.timeline.submission_of(node);
        self.timeline
            .queue_type(self.timeline.submission(submission))
    }

    fn is_legacy(&self, (list, command): Place) -> bool {
        let commands = &self.written.lists[list.index()].commands;
        matches!(commands[command as usize].kind, CommandKind::Legacy(_))
    }

    /// Another text for an entry; none for a legacy one.
    fn rewrite(&self, entry: &Entry<'s>, barrier: &Barrier) -> Option<Edit> {
        (!self.is_legacy(entry.place))
            .then(|| super::rewritten(self.text.source, self.scenario(), entry.barrier, barrier))
    }

    /// Leaves at which the first use happens, or which a transition holds.
    fn first_leaves(&self) -> LeafSet {
        let first = &self.conflict.first;
        match first
            .barrier()
            .and_then(|id| names::entry(self.timeline, id))
        {
            Some(barrier) => barrier.sync_after.leaves(),
            None => first.stages,
        }
    }

    /// Leaves at which the second use happens, or for which a transition waits.
    fn second_leaves(&self) -> LeafSet {
        let second = &self.conflict.second;
        match second
            .barrier()
            .and_then(|id| names::entry(self.timeline, id))
        {
            Some(barrier) => barrier.sync_before.leaves(),
            None => second.stages,
        }
    }

    /// Bits added to one entry between the uses, each subset of what it lacks.
    fn widen(&mut self) {
        let (first, second) = (self.conflict.first, self.conflict.second);
        let mut entries = self.around.between.clone();
        if let Some(id) = second.barrier()
            && let Some(barrier) = names::entry(self.timeline, id)
            && let Some(place) = self.around.second
        {
            entries.push(Entry { id, place, barrier });
        }
        let (from, to) = (self.first_leaves(), self.second_leaves());
        let mut held = LeafSet::EMPTY;
        for entry in entries {
            let barrier = entry.barrier;
            let is_first = first.barrier() == Some(entry.id);
            let is_second = second.barrier() == Some(entry.id);
            let none = (LeafSet::EMPTY, BarrierAccess::empty());
            let before = if is_first { none } else { (from, first.access) };
            let after = if is_second { none } else { (to, second.access) };
            for sync in [before.0, before.0.union(held), held] {
                let all = [
                    add_sync(barrier.sync_before, sync).map(Field::SyncBefore),
                    add_access(barrier.access_before, before.1).map(Field::AccessBefore),
                    add_sync(barrier.sync_after, after.0).map(Field::SyncAfter),
                    add_access(barrier.access_after, after.1).map(Field::AccessAfter),
                ];
                let lacking: Vec<Field> = all.into_iter().flatten().collect();
                for subset in 1..1_u32 << lacking.len() {
                    let chosen = lacking.iter().enumerate();
                    let chosen = chosen.filter(|(at, _)| subset & (1 << at) != 0);
                    let mut wider = barrier.clone();
                    let mut said = Vec::new();
                    let mut bits = 0;
                    for (_, field) in chosen {
                        bits += field.set(&mut wider);
                        said.push(field.says(barrier));
                    }
                    let name = self.timeline.barrier_name(entry.id);
                    let says = format!("in {name}, {}", said.join(" and "));
                    let edit = self.rewrite(&entry, &wider);
                    self.push(bits, vec![edit], says);
                    self.widen_with_layout(&entry, &wider, bits, &said);
                }
            }
            held = barrier.sync_after.leaves();
        }
    }

    /// The same where the layout does not allow the access that was added.
    fn widen_with_layout(
        &mut self,
        entry: &Entry<'s>,
        wider: &Barrier,
        bits: u32,
        said: &[String],
    ) {
        let BarrierTarget::Texture {
            resource: Some(id),
            layout_before,
            layout_after,
            ..
        } = wider.target
        else {
            return;
        };
        if wider.access_after == entry.barrier.access_after {
            return;
        }
        let Some(queue) = self.queue() else { return };
        let traits = self.scenario().traits(id);
        let Some(layout) = narrowest_layout(wider.access_after, queue, Some(traits)) else {
            return;
        };
        if layout == layout_after || layout_before == layout {
            return;
        }
        let mut other = wider.clone();
        set_layout_after(&mut other, layout);
        let edits = vec![self.rewrite(entry, &other)];
        let name = self.timeline.barrier_name(entry.id);
        let says = format!(
            "in {name}, {} and make LayoutAfter {}",
            said.join(" and "),
            layout.name()
        );
        self.push_relinked(bits + 1, edits, layout_after, layout, says);
    }

    /// An edit that leaves another layout behind: the next barrier begins there.
    fn push_relinked(
        &mut self,
        weight: u32,
        mut edits: Vec<Option<Edit>>,
        was: Layout,
        layout: Layout,
        says: String,
    ) {
        if let Some(next) = self.around.next
            && let BarrierTarget::Texture { layout_before, .. } = next.barrier.target
            && layout_before == was
            && layout_before != Layout::Undefined
        {
            let mut relinked = next.barrier.clone();
            set_layout_before(&mut relinked, layout);
            let name = self.timeline.barrier_name(next.id);
            let more = format!("{says}; {name} then goes from {}", layout.name());
            let mut edits = edits.clone();
            edits.push(self.rewrite(&next, &relinked));
            self.push(weight + 1, edits, more);
        }
        self.push(weight, std::mem::take(&mut edits), says);
    }

    /// Places before which a new call may stand: the second use, the descriptor's `set-root`, the calls of a bundle.
    fn places(&self) -> Vec<Place> {
        let Some(place) = self.around.second else {
            return Vec::new();
        };
        let mut places = vec![place];
        if let Part::Root { set, .. } = self.conflict.second.part {
            places.extend(self.timeline.place(set).command);
        }
        let lists = &self.scenario().lists;
        if lists[place.0.index()].queue_type == QueueType::Bundle {
            places.clear();
            let submission = self
                .timeline
                .submission(self.timeline.submission_of(self.conflict.second.node));
            for list in self.timeline.lists(submission) {
                for (at, command) in lists[list.index()].commands.iter().enumerate() {
                    if matches!(command.kind, CommandKind::ExecuteBundle { list: bundle } if bundle == place.0)
                    {
                        places.push((*list, at as u32));
                    }
                }
            }
        }
        places
    }

    /// A new entry before a command: in the call that stands right before it, and in a call of its own.
    fn push_entry(&mut self, weight: u32, entry: &Barrier, says: &str) {
        let printed = print_barrier(self.scenario(), entry);
        for place in self.places() {
            for edit in self.entry_edits(place, &printed) {
                self.push(weight, vec![Some(edit)], format!("{says}: `{printed}`"));
            }
        }
    }

    fn entry_edits(&self, (list, command): Place, printed: &str) -> Vec<Edit> {
        let commands = &self.written.lists[list.index()].commands;
        let mut edits = Vec::new();
        if let Some(before) = (command as usize).checked_sub(1).map(|at| &commands[at])
            && let CommandKind::Barrier(entries) = &before.kind
            && !entries.is_empty()
        {
            edits.extend(self.text.append(before.span, printed));
        }
        let at = commands[command as usize].span.start;
        edits.push(self.text.before(at, &format!("barrier {{ {printed} }}")));
        edits
    }

    /// Whether the second use finds its texture in a layout that does not allow its access.
    fn wants_another_layout(&self) -> bool {
        let second = &self.conflict.second;
        let traits = self.scenario().traits(second.resource);
        second.barrier().is_none()
            && !second.access.is_empty()
            && match self.around.layout {
                Some(layout) => !compat::layout_allows(layout, second.access, traits),
                None => self.wrong_part().is_some(),
            }
    }

    /// The layout of a subresource that does not allow the second use, where they have several.
    fn wrong_part(&self) -> Option<Layout> {
        let second = &self.conflict.second;
        let traits = self.scenario().traits(second.resource);
        let mut layouts = self.around.parts.iter().map(|(_, layout)| *layout);
        layouts.find(|layout| !compat::layout_allows(*layout, second.access, traits))
    }

    /// New entries at the latest place, the narrowest first.
    fn insert(&mut self) {
        let (first, second) = (self.conflict.first, self.conflict.second);
        let around = &self.around;
        let held = around.held;
        let from = self.first_leaves();
        let to = self.second_leaves();
        let to = if to.is_empty() { around.after.0 } else { to };
        let syncs_before = [
            from,
            from.union(held),
            from.union(held).union(around.before.0),
        ];
        let syncs_after = [to, to.union(around.after.0)];
        let known = around.known.unwrap_or(first.access);
        let writes = around.before.1 & BarrierAccess::WRITES;
        let accesses_before = distinct([
            first.access,
            known,
            joined(first.access, known),
            joined(
                joined(first.access, known),
                if writes.is_empty() {
                    first.access
                } else {
                    writes
                },
            ),
        ]);
        let wanted = match second
            .barrier()
            .and_then(|id| names::entry(self.timeline, id))
        {
            Some(entry) => entry.access_before,
            None => second.access,
        };
        let accesses_after = distinct([
            wanted,
            joined(wanted, around.after.1),
            joined(wanted, known),
        ]);
        // Where the layout is wrong as well, an entry that leaves it so is no use.
        let wrong_layout = 500 * u32::from(self.wants_another_layout());
        for target in self.targets() {
            for (at, before) in distinct(syncs_before).into_iter().enumerate() {
                for after in distinct(syncs_after) {
                    for access_before in &accesses_before {
                        for access_after in &accesses_after {
                            let entry = Barrier {
                                target: target.clone(),
                                sync_before: BarrierSync::named(before),
                                sync_after: BarrierSync::named(after),
                                access_before: *access_before,
                                access_after: *access_after,
                                span: Span::default(),
                                trivia: Trivia::default(),
                            };
                            let global = matches!(entry.target, BarrierTarget::Global);
                            let bits = before.len() as u32
                                + after.len() as u32
                                + access_before.bits().count_ones()
                                + access_after.bits().count_ones();
                            // COMMON is no bit, and discouraged.
                            let common = [*access_before, *access_after]
                                .iter()
                                .filter(|access| **access == BarrierAccess::COMMON)
                                .count() as u32;
                            let weight = NEW_ENTRY
                                + bits
                                + at as u32
                                + 20 * u32::from(global)
                                + 30 * common
                                + wrong_layout;
                            self.push_entry(weight, &entry, "add before (2)");
                        }
                    }
                }
            }
        }
        let widest = Barrier {
            target: BarrierTarget::Global,
            sync_before: BarrierSync::ALL,
            sync_after: BarrierSync::ALL,
            access_before: BarrierAccess::COMMON,
            access_after: BarrierAccess::COMMON,
            span: Span::default(),
            trivia: Trivia::default(),
        };
        self.push_entry(WIDEST, &widest, "add before (2)");
    }

    /// What a new entry may apply to: the resource in the layout it is in, then everything.
    fn targets(&self) -> Vec<BarrierTarget> {
        let id = self.conflict.second.resource;
        let resource = self.scenario().resource(id);
        if resource.is_buffer() {
            return vec![
                BarrierTarget::Buffer {
                    resource: Some(id),
                    offset: None,
                    size: None,
                },
                BarrierTarget::Global,
            ];
        }
        let texture = |layout, discard| BarrierTarget::Texture {
            resource: Some(id),
            range: self.around.range.clone(),
            layout_before: layout,
            layout_after: layout,
            discard,
        };
        let mut targets = Vec::new();
        targets.extend(self.around.layout.map(|layout| texture(layout, false)));
        targets.push(texture(Layout::Undefined, false));
        targets.push(BarrierTarget::Global);
        targets
    }

    /// Between aliases: the old resource gives up its memory, then the new one takes it.
    fn hand_over(&mut self) {
        let (first, second) = (self.conflict.first, self.conflict.second);
        if first.resource == second.resource {
            return;
        }
        let (from, to) = (self.first_leaves(), self.second_leaves());
        let Some(place) = self.around.second else {
            return;
        };
        let scenario = self.scenario();
        let give = |layout: Layout| {
            let resource = scenario.resource(first.resource);
            entry_on(
                first.resource,
                resource.is_buffer(),
                BarrierRange::Range(Range::All),
                (from, first.access),
                (to, BarrierAccess::NO_ACCESS),
                (layout, layout, false),
            )
        };
        let resource = scenario.resource(second.resource);
        let layout = self.around.layout.unwrap_or(Layout::Undefined);
        for discard in [false, true] {
            let take = entry_on(
                second.resource,
                resource.is_buffer(),
                self.around.range.clone(),
                (to, BarrierAccess::NO_ACCESS),
                (to, second.access),
                if discard {
                    (Layout::Undefined, layout, true)
                } else {
                    (layout, layout, false)
                },
            );
            let statement = format!(
                "barrier {{ {} }}\n{}barrier {{ {} }}",
                print_barrier(scenario, &give(Layout::Undefined)),
                self.text.indent(
                    self.written.lists[place.0.index()].commands[place.1 as usize]
                        .span
                        .start
                ),
                print_barrier(scenario, &take)
            );
            for place in self.places() {
                let at = self.written.lists[place.0.index()].commands[place.1 as usize]
                    .span
                    .start;
                let edit = self.text.before(at, &statement);
                let says = "hand the memory over before (2), in two calls".to_string();
                self.push(2 * NEW_ENTRY, vec![Some(edit)], says);
            }
        }
    }

    /// Layouts in which the second use may find its texture, the one that also serves what follows first.
    fn fitting(&self) -> Vec<Layout> {
        let Some(queue) = self.queue() else {
            return vec![Layout::Common];
        };
        let second = &self.conflict.second;
        let traits = self.scenario().traits(second.resource);
        let mut layouts = Vec::new();
        for access in [self.around.after.1, second.access] {
            let access = access.difference(BarrierAccess::NO_ACCESS);
            if let Some(layout) = narrowest_layout(access, queue, Some(traits))
                && !layouts.contains(&layout)
            {
                layouts.push(layout);
            }
        }
        // A present, a copy queue.
        if !layouts.contains(&Layout::Common) {
            layouts.push(Layout::Common);
        }
        layouts
    }

    /// The latest barrier leaves another layout behind.
    fn relayout(&mut self) {
        let Some(previous) = self.around.previous else {
            return;
        };
        let BarrierTarget::Texture { layout_after, .. } = previous.barrier.target else {
            return;
        };
        let second = self.conflict.second;
        let wanted = self.around.after.1;
        for layout in self.fitting() {
            let mut base = previous.barrier.clone();
            set_layout_after(&mut base, layout);
            let mut with_access = base.clone();
            if !base.access_after.is_no_access() {
                with_access.access_after = wanted;
            }
            let mut with_sync = with_access.clone();
            if !second.stages.is_empty() && !base.sync_after.is_split() {
                with_sync.sync_after = BarrierSync::named(self.around.after.0);
            }
            let mut wide = with_sync.clone();
            if let Some(sync) = add_sync(base.sync_after, self.around.after.0) {
                wide.sync_after = sync;
            }
            if let Some(access) = add_access(base.access_after, wanted) {
                wide.access_after = access;
            }
            let mut closed = base.clone();
            closed.access_after = BarrierAccess::NO_ACCESS;
            closed.sync_after = BarrierSync::NONE;
            for (at, other) in [base, with_access, with_sync, wide, closed]
                .into_iter()
                .enumerate()
            {
                let name = self.timeline.barrier_name(previous.id);
                let says = format!("in {name}, make LayoutAfter {}", layout.name());
                let edits = vec![self.rewrite(&previous, &other)];
                self.push_relinked(1 + at as u32, edits, layout_after, layout, says);
            }
        }
    }

    /// Transitions of just those subresources that are in the wrong layout.
    fn transition_parts(&mut self) {
        let second = self.conflict.second;
        let wrong = self.conflict.layout.or(self.wrong_part());
        let (Some(was), Some(place)) = (wrong, self.around.second) else {
            return;
        };
        let parts = &self.around.parts;
        if parts.is_empty() || parts.len() > PARTS_MAX {
            return;
        }
        let parts: Vec<u32> = parts
            .iter()
            .filter(|(_, layout)| *layout == was)
            .map(|(index, _)| *index)
            .collect();
        let from = self.around.before.0.union(self.around.held);
        let known = self.around.known.unwrap_or(self.around.before.1);
        let none = (LeafSet::EMPTY, BarrierAccess::NO_ACCESS);
        for layout in self.fitting() {
            let own = (self.first_leaves(), self.conflict.first.access);
            let all = (own.0.union(from), self.around.before.1);
            for before in distinct([own, (from, known), all, none]) {
                let entries: Vec<String> = parts
                    .iter()
                    .map(|index| {
                        let range = BarrierRange::Range(Range::Subresource(*index));
                        let to = (second.stages, second.access);
                        let change = (was, layout, false);
                        let entry = entry_on(second.resource, false, range, before, to, change);
                        print_barrier(self.scenario(), &entry)
                    })
                    .collect();
                let at = self.written.lists[place.0.index()].commands[place.1 as usize]
                    .span
                    .start;
                let statement = format!("barrier {{ {} }}", entries.join("; "));
                let edit = self.text.before(at, &statement);
                let says = format!(
                    "take the subresources in {} to {} before (2): `{statement}`",
                    was.name(),
                    layout.name()
                );
                self.push(NEW_ENTRY, vec![Some(edit)], says);
            }
        }
    }

    /// A transition before the second use, and back again behind its last use where that is needed.
    fn transition(&mut self) {
        if self.around.layout.is_none() {
            self.transition_parts();
        }
        let second = self.conflict.second;
        let layout = self.around.layout.or(self.conflict.layout);
        let Some(was) = layout else { return };
        let is_fresh = self.around.known.is_none() && self.around.before.0.is_empty();
        let from = self.around.before.0.union(self.around.held);
        let known = self.around.known.unwrap_or(self.around.before.1);
        let own = (self.first_leaves(), self.conflict.first.access);
        let is_data = self.conflict.kind.is_data() && !own.0.is_empty() && !own.1.is_empty();
        let sides = if is_data {
            let all = joined(joined(own.1, known), self.around.before.1);
            distinct([own, (own.0.union(from), own.1), (own.0.union(from), all)])
        } else if is_fresh {
            vec![(LeafSet::EMPTY, BarrierAccess::NO_ACCESS)]
        } else {
            let all = joined(known, self.around.before.1);
            distinct([(from, known), (from, all), (from, BarrierAccess::NO_ACCESS)])
        };
        for layout in self.fitting() {
            for (before, access) in &sides {
                for to in distinct([(second.stages, second.access), self.around.after]) {
                    let there = entry_on(
                        second.resource,
                        false,
                        self.around.range.clone(),
                        (*before, *access),
                        to,
                        (was, layout, false),
                    );
                    let says = format!("go from {} to {} before (2)", was.name(), layout.name());
                    self.push_transition(&there, was, layout, &says);
                    self.push_round_trip(&there, was, &says);
                }
            }
        }
        self.before_a_present(was);
        self.redeclare(was);
    }

    /// The layout in which the texture is created, where nothing has changed it before.
    fn redeclare(&mut self, was: Layout) {
        if self.around.previous.is_some() {
            return;
        }
        let resource = self.written.resource(self.conflict.second.resource);
        let declared = resource.span;
        let text = self.text.source;
        let Some(text) = text
            .text
            .get(declared.start as usize..declared.end as usize)
        else {
            return;
        };
        let old = format!("initial {}", was.name());
        let Some(at) = text.find(&old) else { return };
        let start = declared.start + at as u32;
        let span = Span {
            start,
            end: start + old.len() as u32,
        };
        for layout in self.fitting() {
            let new = format!("initial {}", layout.name());
            let says = format!("create the resource with `{new}`");
            let edit = Edit { span, text: new };
            self.push_relinked(2 * NEW_ENTRY, vec![Some(edit)], was, layout, says);
        }
    }

    fn push_transition(&mut self, there: &Barrier, was: Layout, layout: Layout, says: &str) {
        let printed = print_barrier(self.scenario(), there);
        for place in self.places() {
            for edit in self.entry_edits(place, &printed) {
                let says = format!("{says}: `{printed}`");
                self.push_relinked(NEW_ENTRY, vec![Some(edit)], was, layout, says);
            }
        }
    }

    /// There and back: what follows finds the layout that it expects.
    fn push_round_trip(&mut self, there: &Barrier, was: Layout, says: &str) {
        let (Some(second), Some(last)) = (self.around.second, self.around.last_use) else {
            return;
        };
        let mut back = there.clone();
        if let BarrierTarget::Texture {
            layout_before,
            layout_after,
            ..
        } = &mut back.target
        {
            *layout_before = *layout_after;
            *layout_after = was;
        }
        (back.sync_before, back.sync_after) = (there.sync_after, there.sync_before);
        (back.access_before, back.access_after) = (there.access_after, there.access_before);
        let commands =
            |place: Place| self.written.lists[place.0.index()].commands[place.1 as usize].span;
        let there = print_barrier(self.scenario(), there);
        let before = self
            .text
            .before(commands(second).start, &format!("barrier {{ {there} }}"));
        let mut closed = back.clone();
        closed.sync_after = BarrierSync::NONE;
        closed.access_after = BarrierAccess::NO_ACCESS;
        for back in [back, closed] {
            let back = print_barrier(self.scenario(), &back);
            let after = self
                .text
                .after(commands(last), &format!("barrier {{ {back} }}"));
            let says = format!("{says}, and back after its last use: `{there}`, `{back}`");
            self.push(2 * NEW_ENTRY, vec![Some(before.clone()), Some(after)], says);
        }
    }

    /// A list of its own before a present: nothing in the scope uses the texture any more.
    fn before_a_present(&mut self, was: Layout) {
        if self.around.second.is_some() {
            return;
        }
        let second = self.conflict.second;
        let submission = self
            .timeline
            .submission(self.timeline.submission_of(second.node));
        let Actor::Queue(queue) = submission.actor else {
            return;
        };
        let entry = entry_on(
            second.resource,
            false,
            BarrierRange::Range(Range::All),
            (LeafSet::EMPTY, BarrierAccess::NO_ACCESS),
            (LeafSet::EMPTY, BarrierAccess::NO_ACCESS),
            (was, Layout::Common, false),
        );
        let earlier = self.timeline.submissions[..self.timeline.submission_of(second.node).index()]
            .iter()
            .rfind(|s| s.actor == submission.actor && !self.timeline.lists(s).is_empty());
        let last = earlier.and_then(|s| self.timeline.lists(s).last());
        if let Some(span) = last.and_then(|list| self.written.lists[list.index()].commands.last()) {
            let mut closing = entry.clone();
            closing.sync_before = BarrierSync::named(self.around.before.0);
            closing.access_before = joined(
                self.around.before.1,
                self.around.known.unwrap_or(self.around.before.1),
            );
            let printed = print_barrier(self.scenario(), &closing);
            let edit = self
                .text
                .after(span.span, &format!("barrier {{ {printed} }}"));
            let says = format!("add at the end of the list before (2): `{printed}`");
            self.push(NEW_ENTRY - 1, vec![Some(edit)], says);
        }
        let statement = format!(
            "{} execute {{ barrier {{ {} }} }}",
            self.scenario().queue_name(queue),
            print_barrier(self.scenario(), &entry)
        );
        let edit = self
            .text
            .before(submission.statement.span.start, &statement);
        let says = format!("go from {} to COMMON before (2)", was.name());
        self.push(NEW_ENTRY, vec![Some(edit)], says);
    }

    /// The text of an entry without its call, and the edit that takes it away.
    fn taken(&self, entry: &Entry<'s>) -> (String, Edit) {
        let (list, command) = entry.place;
        let call = &self.written.lists[list.index()].commands[command as usize];
        let (count, word) = match &call.kind {
            CommandKind::Legacy(entries) => (entries.len(), "legacy"),
            CommandKind::Barrier(entries) => (entries.len(), "barrier"),
            // A fence barrier is moved whole: its fence and value belong to all of its entries.
            _ => (1, ""),
        };
        let written = |span: Span| &self.text.source.text[span.start as usize..span.end as usize];
        if count == 1 {
            return (written(call.span).to_owned(), self.text.without(call.span));
        }
        let span = entry.barrier.span;
        (
            format!("{word} {{ {} }}", written(span)),
            self.text.without(span),
        )
    }

    /// The use leaves the split barrier: the second half comes before it, or the first half behind it, or both become
    /// one.
    fn move_half(&mut self) {
        let (Some(begin), Some(end)) = (self.around.previous, self.around.next) else {
            return;
        };
        let (Some(second), Some(last)) = (self.around.second, self.around.last_use) else {
            return;
        };
        let span =
            |place: Place| self.written.lists[place.0.index()].commands[place.1 as usize].span;
        let (text, gone) = self.taken(&end);
        let moved = self.text.before(span(second).start, &text);
        let end_first = (
            vec![Some(moved), Some(gone)],
            "end the split barrier before (2)",
        );
        let (text, gone) = self.taken(&begin);
        let moved = self.text.after(span(last), &text);
        let begin_last = (
            vec![Some(gone.clone()), Some(moved)],
            "begin the split barrier after (2)",
        );
        let mut whole = end.barrier.clone();
        whole.sync_before = begin.barrier.sync_before;
        whole.access_before = begin.barrier.access_before;
        let rewritten = self.rewrite(&end, &whole);
        let one = (
            vec![Some(gone), rewritten],
            "make one barrier of both halves, after (2)",
        );
        let access = self.conflict.second.access;
        let old = begin.barrier.access_before;
        let belongs_before = old == BarrierAccess::COMMON || old.contains(access);
        let order = if belongs_before {
            [begin_last, one, end_first]
        } else {
            [end_first, begin_last, one]
        };
        for (at, (edits, says)) in order.into_iter().enumerate() {
            self.push(MOVED + at as u32, edits, says.to_string());
        }
    }

    /// The barrier that deactivated the subresource leaves it accessible.
    fn keep_active(&mut self) {
        let Some(previous) = self.around.previous else {
            return;
        };
        let second = self.conflict.second;
        let mut kept = previous.barrier.clone();
        kept.sync_after = BarrierSync::named(second.stages);
        kept.access_after = second.access;
        let name = self.timeline.barrier_name(previous.id);
        let says = format!(
            "in {name}, keep the resource accessible: {} at {}",
            second.access, second.stages
        );
        let edit = self.rewrite(&previous, &kept);
        self.push(2, vec![edit.clone()], says.clone());
        if let BarrierTarget::Texture { layout_after, .. } = kept.target {
            for layout in self.fitting() {
                let mut other = kept.clone();
                set_layout_after(&mut other, layout);
                let edits = vec![self.rewrite(&previous, &other)];
                let says = format!("{says}, in {}", layout.name());
                self.push_relinked(3, edits, layout_after, layout, says);
            }
        }
    }

    /// A new entry that activates the memory; the contents are new where an alias overwrote them.
    fn activate(&mut self) {
        let second = self.conflict.second;
        if is_lost(self.conflict) {
            return;
        }
        let scenario = self.scenario();
        let is_buffer = scenario.resource(second.resource).is_buffer();
        let layouts = match self.around.layout {
            None => vec![(Layout::Undefined, Layout::Undefined, false)],
            Some(layout) => vec![(layout, layout, false), (Layout::Undefined, layout, true)],
        };
        let others = self.around.held.union(self.first_leaves());
        for layout in layouts {
            for before in distinct([LeafSet::EMPTY, self.around.held, others]) {
                for access in distinct([BarrierAccess::NO_ACCESS, self.conflict.first.access]) {
                    let entry = entry_on(
                        second.resource,
                        is_buffer,
                        self.around.range.clone(),
                        (before, access),
                        (second.stages, second.access),
                        layout,
                    );
                    let weight = NEW_ENTRY + before.len() as u32 + u32::from(layout.2);
                    self.push_entry(weight, &entry, "activate the resource before (2)");
                }
            }
        }
    }

    /// A discard initialises the metadata: of the barrier that set the layout, of a new one, or as a command.
    fn initialise(&mut self) {
        let second = self.conflict.second;
        let first_use = self.around.first_use;
        if let Some(previous) = self.around.previous
            && let BarrierTarget::Texture { layout_before, .. } = previous.barrier.target
            && (first_use.is_none() || layout_before == Layout::Undefined)
        {
            let mut fresh = previous.barrier.clone();
            if let BarrierTarget::Texture {
                layout_before,
                discard,
                ..
            } = &mut fresh.target
            {
                *layout_before = Layout::Undefined;
                *discard = true;
            }
            let name = self.timeline.barrier_name(previous.id);
            let says = format!("add `discard` to {name}, which initialises the metadata");
            let edit = self.rewrite(&previous, &fresh);
            self.push(1, vec![edit], says.clone());
            let mut closed = fresh.clone();
            closed.sync_before = BarrierSync::NONE;
            closed.access_before = BarrierAccess::NO_ACCESS;
            let edit = self.rewrite(&previous, &closed);
            self.push(3, vec![edit], says);
        }
        if let Some(first) = first_use {
            // What was written before must not be lost: the discard comes before all of it.
            self.initialise_before(first);
            return;
        }
        let layout = self.around.layout.unwrap_or(Layout::Common);
        let from = self.around.before.0.union(self.around.held);
        let known = self.around.known.unwrap_or(BarrierAccess::NO_ACCESS);
        let is_fresh = self.around.known.is_none() && self.around.before.0.is_empty();
        let sides = if is_fresh {
            vec![(LeafSet::EMPTY, BarrierAccess::NO_ACCESS)]
        } else {
            vec![(from, known), (from, BarrierAccess::NO_ACCESS)]
        };
        for before in sides {
            for to in distinct([(second.stages, second.access), self.around.after]) {
                let entry = entry_on(
                    second.resource,
                    false,
                    self.around.range.clone(),
                    before,
                    to,
                    (Layout::Undefined, layout, true),
                );
                self.push_entry(NEW_ENTRY, &entry, "discard before (2)");
            }
        }
        let range = match &self.around.range {
            BarrierRange::Range(range) => range_text(range),
            BarrierRange::Raw(_) => String::new(),
        };
        let name = self.scenario().resource_name(second.resource);
        for (list, command) in self.places() {
            let at = self.written.lists[list.index()].commands[command as usize]
                .span
                .start;
            let edit = self.text.before(at, &format!("discard {name}{range}"));
            let says = "discard the texture before (2), which initialises its metadata".to_string();
            self.push(NEW_ENTRY + 10, vec![Some(edit)], says);
        }
    }

    /// A discard before the first use of all.
    fn initialise_before(&mut self, (place, stages, access, layout): FirstUse) {
        let second = self.conflict.second;
        let scenario = self.scenario();
        let from = match scenario.resource(second.resource).initial {
            Initial::Layout(layout) => layout,
            _ => Layout::Common,
        };
        for layout in distinct([layout.unwrap_or(from), from]) {
            let entry = entry_on(
                second.resource,
                false,
                self.around.range.clone(),
                (LeafSet::EMPTY, BarrierAccess::NO_ACCESS),
                (stages, access),
                (Layout::Undefined, layout, true),
            );
            let printed = print_barrier(scenario, &entry);
            for edit in self.entry_edits(place, &printed) {
                let says = format!("discard before the first use: `{printed}`");
                self.push(NEW_ENTRY, vec![Some(edit)], says);
            }
        }
        // A whole discard in a layout that allows it, then on to the layout of the first use.
        let traits = scenario.traits(second.resource);
        let layouts = [
            (Layout::RenderTarget, BarrierAccess::RENDER_TARGET),
            (
                Layout::DepthStencilWrite,
                BarrierAccess::DEPTH_STENCIL_WRITE,
            ),
            (Layout::UnorderedAccess, BarrierAccess::UNORDERED_ACCESS),
        ];
        for (through, by) in layouts {
            if !compat::creation_allows_layout(through, traits.flags) {
                continue;
            }
            let leaves = compat::access_leaves(by);
            let leaves = self
                .queue()
                .map_or(leaves, |queue| leaves.intersection(queue.leaves()));
            let entry = |before, after, layout| {
                entry_on(
                    second.resource,
                    false,
                    self.around.range.clone(),
                    before,
                    after,
                    layout,
                )
            };
            let none = (LeafSet::EMPTY, BarrierAccess::NO_ACCESS);
            let there = entry(none, (leaves, by), (Layout::Undefined, through, true));
            let back = entry(
                (leaves, by),
                (stages, access),
                (through, layout.unwrap_or(from), false),
            );
            let (list, command) = place;
            let at = self.written.lists[list.index()].commands[command as usize]
                .span
                .start;
            let statement = format!(
                "barrier {{ {} }}\n{}barrier {{ {} }}",
                print_barrier(scenario, &there),
                self.text.indent(at),
                print_barrier(scenario, &back)
            );
            let edit = self.text.before(at, &statement);
            let says =
                "discard before the first use, then go to the layout of that use".to_string();
            self.push(2 * NEW_ENTRY, vec![Some(edit)], says);
        }
    }

    /// The same in the words of legacy barriers, where the text has them.
    fn legacy(&mut self) {
        let second = self.conflict.second;
        let speaks_legacy = self
            .written
            .lists
            .iter()
            .flat_map(|l| &l.commands)
            .any(|c| matches!(c.kind, CommandKind::Legacy(_)))
            || matches!(
                self.written.resource(second.resource).initial,
                Initial::State(_)
            );
        if !speaks_legacy {
            return;
        }
        let name = self.scenario().resource_name(second.resource).to_string();
        let range = match &self.around.range {
            BarrierRange::Range(range) => range_text(range),
            BarrierRange::Raw(_) => String::new(),
        };
        let mut statements = vec![format!("legacy {{ uav {name} }}")];
        let first = self.conflict.first.resource;
        if first != second.resource {
            let old = self.scenario().resource_name(first);
            statements.push(format!("legacy {{ alias {old} -> {name} }}"));
        }
        let wanted = state_of(second.access, second.stages);
        let after = state_of(self.around.after.1, self.around.after.0);
        for state in self.legacy_states() {
            for to in distinct([wanted, after]) {
                if state != to && !to.is_empty() {
                    statements.push(format!(
                        "legacy {{ transition {name}{range} {state} -> {to} }}"
                    ));
                }
            }
        }
        for (at, statement) in statements.iter().enumerate() {
            for (list, command) in self.places() {
                let start = self.written.lists[list.index()].commands[command as usize]
                    .span
                    .start;
                let edit = self.text.before(start, statement);
                let says = format!("add before (2): `{statement}`");
                // Where the list speaks legacy, so does the change.
                let here = self.around.second.is_some_and(|(list, _)| {
                    let commands = &self.written.lists[list.index()].commands;
                    let has = |wanted: fn(&CommandKind) -> bool| {
                        commands.iter().any(|command| wanted(&command.kind))
                    };
                    has(|kind| matches!(kind, CommandKind::Legacy(_)))
                        && !has(|kind| matches!(kind, CommandKind::Barrier(_)))
                });
                let weight = if here { MOVED } else { NEW_ENTRY + 30 };
                self.push(weight + at as u32, vec![Some(edit)], says);
            }
        }
        self.widen_legacy(wanted);
    }

    /// A state added to what a legacy transition of the second's resource leaves behind.
    fn widen_legacy(&mut self, wanted: ResourceState) {
        let id = self.conflict.second.resource;
        let entries: Vec<_> = self
            .written
            .lists
            .iter()
            .flat_map(|list| &list.commands)
            .filter_map(|command| match &command.kind {
                CommandKind::Legacy(entries) => Some(entries),
                _ => None,
            })
            .flatten()
            .collect();
        for (at, entry) in entries.iter().enumerate() {
            let LegacyKind::Transition {
                resource,
                range,
                before,
                after,
                split,
            } = &entry.kind
            else {
                continue;
            };
            let both = *after | wanted;
            if *resource != id || both == *after || after.is_empty() {
                continue;
            }
            let name = self.scenario().resource_name(id);
            let written = |before: ResourceState, after: ResourceState, split: &str| {
                format!(
                    "transition {name}{} {before} -> {after}{split}",
                    range_text(range)
                )
            };
            let split = match split {
                None => "",
                Some(LegacySplit::Begin) => " begin",
                Some(LegacySplit::End) => " end",
            };
            let edit = |span, text| Some(Edit { span, text });
            let mut edits = vec![edit(entry.span, written(*before, both, split))];
            let says = format!("in `{}`, add {wanted}", written(*before, *after, split));
            self.push(2, edits.clone(), says.clone());
            // The next one begins in the state that this one leaves.
            let next = entries[at + 1..].iter().find(|next| {
                matches!(&next.kind, LegacyKind::Transition { resource, range: r, before, .. }
                    if *resource == id && r == range && before == after)
            });
            if let Some(next) = next
                && let LegacyKind::Transition { after: then, .. } = &next.kind
            {
                edits.push(edit(next.span, written(both, *then, "")));
                self.push(3, edits, says);
            }
        }
    }

    /// States in which legacy entries leave the second's resource, the one it was created in, and `COMMON`.
    fn legacy_states(&self) -> Vec<ResourceState> {
        let id = self.conflict.second.resource;
        let mut states = Vec::new();
        if let Initial::State(state) = self.written.resource(id).initial {
            states.push(state);
        }
        for command in self.written.lists.iter().flat_map(|l| &l.commands) {
            let CommandKind::Legacy(entries) = &command.kind else {
                continue;
            };
            for entry in entries {
                if let LegacyKind::Transition {
                    resource, after, ..
                } = &entry.kind
                    && *resource == id
                    && !states.contains(after)
                {
                    states.push(*after);
                }
            }
        }
        // The latest is the likeliest.
        states.reverse();
        let common = ResourceState::empty();
        if !states.contains(&common) {
            states.push(common);
        }
        states.truncate(4);
        states
    }
}

/// A field of an entry with bits added.
#[derive(Copy, Clone)]
enum Field {
    SyncBefore(BarrierSync),
    AccessBefore(BarrierAccess),
    SyncAfter(BarrierSync),
    AccessAfter(BarrierAccess),
}

impl Field {
    /// Sets it; returns how many bits changed.
    fn set(self, barrier: &mut Barrier) -> u32 {
        let (was, is) = match self {
            Self::SyncBefore(sync) => {
                let was = std::mem::replace(&mut barrier.sync_before, sync);
                (was.bits(), sync.bits())
            }
            Self::SyncAfter(sync) => {
                let was = std::mem::replace(&mut barrier.sync_after, sync);
                (was.bits(), sync.bits())
            }
            Self::AccessBefore(access) => {
                let was = std::mem::replace(&mut barrier.access_before, access);
                (was.bits(), access.bits())
            }
            Self::AccessAfter(access) => {
                let was = std::mem::replace(&mut barrier.access_after, access);
                (was.bits(), access.bits())
            }
        };
        (was ^ is).count_ones()
    }

    /// What is added or replaced, in words.
    fn says(self, old: &Barrier) -> String {
        let sync = |name: &str, was: BarrierSync, is: BarrierSync| {
            if was == BarrierSync::NONE {
                format!("make {name} {is}")
            } else {
                format!("add {} to {name}", is.difference(was))
            }
        };
        let access = |name: &str, was: BarrierAccess, is: BarrierAccess| {
            if was.is_no_access() {
                format!("make {name} {is}")
            } else {
                format!("add {} to {name}", is.difference(was))
            }
        };
        match self {
            Self::SyncBefore(is) => sync("SyncBefore", old.sync_before, is),
            Self::SyncAfter(is) => sync("SyncAfter", old.sync_after, is),
            Self::AccessBefore(is) => access("AccessBefore", old.access_before, is),
            Self::AccessAfter(is) => access("AccessAfter", old.access_after, is),
        }
    }
}

/// A mask that also has the leaves; `None` if it has them, or is half of a split barrier.
fn add_sync(mask: BarrierSync, leaves: LeafSet) -> Option<BarrierSync> {
    let lacking = leaves.minus(mask.leaves());
    (!mask.is_split() && !lacking.is_empty()).then(|| mask | BarrierSync::of_leaves(lacking))
}

/// A mask that also has the accesses; `None` if it has them.
fn add_access(mask: BarrierAccess, access: BarrierAccess) -> Option<BarrierAccess> {
    let access = access.difference(BarrierAccess::NO_ACCESS);
    if access.is_empty() || mask == BarrierAccess::COMMON || mask.contains(access) {
        return None;
    }
    Some(if mask.is_no_access() {
        access
    } else {
        mask | access
    })
}

/// Two masks as one; `COMMON` is zero, and would vanish.
fn joined(a: BarrierAccess, b: BarrierAccess) -> BarrierAccess {
    if a == BarrierAccess::COMMON || b.is_no_access() {
        a
    } else if b == BarrierAccess::COMMON || a.is_no_access() {
        b
    } else {
        a | b
    }
}

fn distinct<T: PartialEq, const N: usize>(values: [T; N]) -> Vec<T> {
    let mut distinct = Vec::with_capacity(N);
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// An entry on one resource: `(leaves, accesses)` before and after, and `(before, after, discard)` for a texture.
fn entry_on(
    id: ResourceId,
    is_buffer: bool,
    range: BarrierRange,
    before: (LeafSet, BarrierAccess),
    after: (LeafSet, BarrierAccess),
    (layout_before, layout_after, discard): (Layout, Layout, bool),
) -> Barrier {
    let target = if is_buffer {
        BarrierTarget::Buffer {
            resource: Some(id),
            offset: None,
            size: None,
        }
    } else {
        BarrierTarget::Texture {
            resource: Some(id),
            range,
            layout_before,
            layout_after,
            discard,
        }
    };
    Barrier {
        target,
        sync_before: BarrierSync::named(before.0),
        sync_after: BarrierSync::named(after.0),
        access_before: before.1,
        access_after: after.1,
        span: Span::default(),
        trivia: Trivia::default(),
    }
}

/// The legacy state of an access; for `SHADER_RESOURCE` the stages decide.
fn state_of(access: BarrierAccess, stages: LeafSet) -> ResourceState {
    let shader = ResourceState::PIXEL_SHADER_RESOURCE | ResourceState::NON_PIXEL_SHADER_RESOURCE;
    let mut state = states::of_access(access);
    if state.contains(shader) {
        let pixel = LeafSet::one(Leaf::PixelShading);
        if !stages.meets(pixel) {
            state -= ResourceState::PIXEL_SHADER_RESOURCE;
        } else if stages.minus(pixel).is_empty() {
            state -= ResourceState::NON_PIXEL_SHADER_RESOURCE;
        }
    }
    state
}

fn set_layout_after(barrier: &mut Barrier, layout: Layout) {
    if let BarrierTarget::Texture { layout_after, .. } = &mut barrier.target {
        *layout_after = layout;
    }
}

fn set_layout_before(barrier: &mut Barrier, layout: Layout) {
    if let BarrierTarget::Texture { layout_before, .. } = &mut barrier.target {
        *layout_before = layout;
    }
}
