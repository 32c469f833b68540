//! Candidates for a texture in the wrong layout: an earlier barrier that leaves another one, a transition, another layout
//! at creation.

use super::super::around::CommandPlace;
use super::super::entry::narrowest_layout;
use super::Maker;
use super::fields::{add_access, add_sync, distinct, entry_on, joined};
use super::weight::Weight;
use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet, QueueType, compat};
use crate::finding::{Edit, Span};
use crate::graph::ConflictKind;
use crate::id::{SubmissionId, narrow};
use crate::order::{Actor, Of, Touch};
use crate::scenario::edit::{set_layout_after, set_layout_before};
use crate::scenario::{Barrier, BarrierRange, Range, print_barrier};

/// The last command of an earlier submission that uses a texture.
struct LastUse {
    place: CommandPlace,
    used: (LeafSet, BarrierAccess),
    queue: QueueType,
}

/// Subresources that one change tells apart at most.
const PARTS_MAX: usize = 16;

impl Maker<'_, '_> {
    /// Whether the second use finds its texture in a layout that does not allow its access.
    pub(super) fn wants_another_layout(&self) -> bool {
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

    /// Layouts in which the second use may find its texture, the one that also serves what follows first.
    pub(super) fn fitting(&self) -> Vec<Layout> {
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

    /// The latest barrier goes to another layout.
    pub(super) fn relayout(&mut self) {
        let Some(previous) = self.around.previous else {
            return;
        };
        let Some((_, layout_after)) = previous.barrier.layouts() else {
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
                self.push_relinked(Weight::edited(1 + at), edits, layout_after, layout, says);
            }
        }
    }

    /// An edit after which the layout is another one: the next barrier begins there.
    pub(super) fn push_relinked(
        &mut self,
        weight: Weight,
        mut edits: Vec<Option<Edit>>,
        was: Layout,
        layout: Layout,
        says: String,
    ) {
        if let Some(next) = self.around.next
            && let Some((layout_before, _)) = next.barrier.layouts()
            && layout_before == was
            && layout_before != Layout::Undefined
        {
            let mut relinked = next.barrier.clone();
            set_layout_before(&mut relinked, layout);
            let name = self.timeline.barrier_name(next.id);
            let more = format!("{says}; {name} then goes from {}", layout.name());
            let mut edits = edits.clone();
            edits.push(self.rewrite(&next, &relinked));
            self.push(weight.plus(1), edits, more);
        }
        self.push(weight, std::mem::take(&mut edits), says);
    }

    /// A transition before the second use, and back again after its last use where that is needed.
    pub(super) fn transition(&mut self) {
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
        self.in_an_earlier_list(was);
        self.redeclare(was);
    }

    /// A transition where the texture was used last before the second use, in a list of an earlier submission: the
    /// queue of the second use need not know the layout in which it finds the texture.
    fn in_an_earlier_list(&mut self, was: Layout) {
        if self.conflict.kind != ConflictKind::LayoutMismatch {
            return;
        }
        let Some(LastUse { place, used, queue }) = self.last_use_elsewhere() else {
            return;
        };
        if !compat::queue_allows_layout(queue, was) {
            return;
        }
        let none = (LeafSet::EMPTY, BarrierAccess::NO_ACCESS);
        let span = self.written.lists[place.0].commands[place.1 as usize].span;
        for layout in self.fitting() {
            if !compat::queue_allows_layout(queue, layout) {
                continue;
            }
            let entry = entry_on(
                self.conflict.second.resource,
                false,
                self.around.range.clone(),
                used,
                none,
                (was, layout, false),
            );
            let printed = print_barrier(self.scenario(), &entry);
            let statement = format!("barrier {{ {printed} }}");
            let edit = self.text.after(span, &statement);
            let says = format!(
                "go from {} to {} after the last use of line {}: `{printed}`",
                was.name(),
                layout.name(),
                self.text.source.line(span.start)
            );
            let weight = Weight::IN_AN_EARLIER_LIST;
            self.push_relinked(weight, vec![Some(edit)], was, layout, says);
        }
    }

    /// The last command that uses the second's resource in a submission before that of the second use.
    fn last_use_elsewhere(&self) -> Option<LastUse> {
        let (timeline, second) = (self.timeline, &self.conflict.second);
        let (of, own) = (
            Of::Uses(second.resource),
            timeline.submission_of(second.node),
        );
        let is_over = |touch: &Touch<'_>| {
            timeline.happens_before(timeline.submission_of(touch.moment.node), own)
        };
        let earlier = timeline.touches(of, ..timeline.moment(second.node, None));
        let last = earlier.rev().find(|t| t.used().is_some() && is_over(t))?;
        let (place, now) = (last.place?, last.moment);
        let uses = timeline.touches(of, now..=now).filter_map(|t| t.used());
        Some(LastUse {
            place,
            used: uses.fold((LeafSet::EMPTY, BarrierAccess::empty()), |sum, used| {
                (sum.0.union(used.stages), sum.1 | used.access)
            }),
            queue: self.scenario().lists[place.0].queue_type,
        })
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
                let at = self.written.lists[place.0].commands[place.1 as usize]
                    .span
                    .start;
                let statement = format!("barrier {{ {} }}", entries.join("; "));
                let edit = self.text.before(at, &statement);
                let says = format!(
                    "take the subresources in {} to {} before (2): `{statement}`",
                    was.name(),
                    layout.name()
                );
                self.push(Weight::NEW_ENTRY, vec![Some(edit)], says);
            }
        }
    }

    /// The layout in which the texture is created, where nothing has changed it before.
    fn redeclare(&mut self, was: Layout) {
        if self.around.previous.is_some() {
            return;
        }
        let Some(span) = self.declared_as(&format!("initial {}", was.name())) else {
            return;
        };
        for layout in self.fitting() {
            let new = format!("initial {}", layout.name());
            let says = format!("create the resource with `{new}`");
            let edit = Edit { span, text: new };
            self.push_relinked(Weight::TWO_STATEMENTS, vec![Some(edit)], was, layout, says);
        }
    }

    /// Where the declaration of the second's resource says how it is created.
    pub(super) fn declared_as(&self, option: &str) -> Option<Span> {
        let declared = self.written.resource(self.conflict.second.resource).span;
        let text = &self.text.source.text;
        let text = text.get(declared.start as usize..declared.end as usize)?;
        let start = declared.start + narrow(text.find(option)?);
        let end = start + narrow(option.len());
        Some(Span { start, end })
    }

    fn push_transition(&mut self, there: &Barrier, was: Layout, layout: Layout, says: &str) {
        let printed = print_barrier(self.scenario(), there);
        for place in self.places() {
            for edit in self.entry_edits(place, &printed) {
                let says = format!("{says}: `{printed}`");
                self.push_relinked(Weight::NEW_ENTRY, vec![Some(edit)], was, layout, says);
            }
        }
    }

    /// There and back: what follows finds the layout that it expects. Back is before the first use that the layout does not
    /// allow.
    fn push_round_trip(&mut self, there: &Barrier, was: Layout, says: &str) {
        let (Some(second), Some(last)) = (self.around.second, self.around.last_use) else {
            return;
        };
        let mut back = there.clone();
        let mut between = Layout::Common;
        if let Some(texture) = back.as_texture_mut() {
            between = texture.layout_after;
            (texture.layout_before, texture.layout_after) = (between, was);
        }
        (back.sync_before, back.sync_after) = (there.sync_after, there.sync_before);
        (back.access_before, back.access_after) = (there.access_after, there.access_before);
        let traits = self.scenario().traits(self.conflict.second.resource);
        let allows = |access| compat::layout_allows(between, access, traits);
        let later = &self.around.later;
        let other = later.iter().position(|(_, _, access)| !allows(*access));
        let mut last = last;
        if let Some(other) = other {
            last = other.checked_sub(1).map_or(second, |at| later[at].0);
            let (_, stages, access) = later[other];
            let mut used = (back.sync_before, back.access_before);
            for (_, stages, access) in &later[..other] {
                used.0 |= BarrierSync::named(*stages);
                used.1 |= *access;
            }
            (back.sync_before, back.access_before) = used;
            (back.sync_after, back.access_after) = (BarrierSync::named(stages), access);
        }
        let commands =
            |place: CommandPlace| self.written.lists[place.0].commands[place.1 as usize].span;
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
            let edits = vec![Some(before.clone()), Some(after)];
            self.push(Weight::TWO_STATEMENTS, edits, says);
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
        let before = (0..self.timeline.submission_of(second.node).0).rev();
        let earlier = before
            .map(|id| self.timeline.submission(SubmissionId(id)))
            .find(|s| s.actor == submission.actor && !self.timeline.lists(*s).is_empty());
        let last = earlier.and_then(|s| self.timeline.lists(s).last());
        if let Some(span) = last.and_then(|list| self.written.lists[*list].commands.last()) {
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
            self.push(Weight::AT_LIST_END, vec![Some(edit)], says);
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
        self.push(Weight::NEW_ENTRY, vec![Some(edit)], says);
    }
}
