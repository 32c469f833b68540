//! Candidates for memory that is not active, or whose metadata nothing has initialised: a barrier that keeps or makes it
//! active, a discard.

use super::super::around::{CommandPlace, FirstUse};
use super::Maker;
use super::fields::{distinct, entry_on};
use super::weight::Weight;
use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet, compat};
use crate::graph::{Conflict, ConflictKind};
use crate::scenario::edit::set_layout_after;
use crate::scenario::{BarrierRange, Initial, print_barrier, range_text};

/// Whether nothing can bring back what the second use wants to read: its contents are lost.
pub(crate) fn is_lost(conflict: &Conflict) -> bool {
    let reads = conflict.second.access.intersects(
        BarrierAccess::EVERY.difference(BarrierAccess::WRITES | BarrierAccess::NO_ACCESS),
    ) || conflict
        .second
        .access
        .contains(BarrierAccess::UNORDERED_ACCESS);
    conflict.kind == ConflictKind::UseOverwritten && reads
}

impl Maker<'_, '_> {
    /// The barrier that deactivated the subresource leaves it accessible.
    pub(super) fn keep_active(&mut self) {
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
        self.push(Weight::edited(2), vec![edit.clone()], says.clone());
        if let Some((_, layout_after)) = kept.layouts() {
            for layout in self.fitting() {
                let mut other = kept.clone();
                set_layout_after(&mut other, layout);
                let edits = vec![self.rewrite(&previous, &other)];
                let says = format!("{says}, in {}", layout.name());
                self.push_relinked(Weight::edited(3), edits, layout_after, layout, says);
            }
        }
    }

    /// A new entry that activates the memory; the contents are new where an alias overwrote them.
    pub(super) fn activate(&mut self) {
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
                    let weight = Weight::NEW_ENTRY.plus(before.len() + usize::from(layout.2));
                    self.push_entry(weight, &entry, "activate the resource before (2)");
                }
            }
        }
    }

    /// A discard initialises the metadata: of the barrier that set the layout, of a new one, or as a command.
    pub(super) fn initialise(&mut self) {
        let first_use = self.around.first_use;
        let mut entries = self.around.fresh.clone();
        if first_use.is_none() {
            entries.extend(self.around.previous);
        }
        for (at, entry) in entries.into_iter().enumerate() {
            let mut fresh = entry.barrier.clone();
            let mut said = Vec::new();
            if let Some(texture) = fresh.as_texture_mut() {
                if texture.layout_before != Layout::Undefined {
                    said.push("make LayoutBefore UNDEFINED");
                }
                if !texture.discard {
                    said.push("add `discard`");
                }
                texture.layout_before = Layout::Undefined;
                texture.discard = true;
            }
            let name = self.timeline.barrier_name(entry.id);
            let why = "which initialises the metadata";
            let says = format!("in {name}, {}, {why}", said.join(" and "));
            let edit = self.rewrite(&entry, &fresh);
            self.push(Weight::edited(1).plus(at), vec![edit], says);
            let mut closed = fresh.clone();
            closed.sync_before = BarrierSync::NONE;
            closed.access_before = BarrierAccess::NO_ACCESS;
            said.insert(0, "make SyncBefore NONE and AccessBefore NO_ACCESS");
            let says = format!("in {name}, {}, {why}", said.join(" and "));
            let edit = self.rewrite(&entry, &closed);
            self.push(Weight::edited(3).plus(at), vec![edit], says);
        }
        if let Some(untouched) = self.around.untouched.clone() {
            // What was initialised keeps its contents.
            self.discard_before_use(&untouched);
        }
        if let Some(first) = first_use {
            // What was written before must not be lost: the discard comes before all of it.
            self.initialise_before(first);
            return;
        }
        let range = self.around.range.clone();
        self.discard_before_use(&range);
    }

    /// A discard right before the second use: in a barrier, or as a command.
    fn discard_before_use(&mut self, range: &BarrierRange) {
        let second = self.conflict.second;
        let layout = self.around.layout.unwrap_or(Layout::Common);
        let from = self.around.before.0.union(self.around.held);
        let known = self.around.known.unwrap_or(BarrierAccess::NO_ACCESS);
        let is_untouched = self.around.untouched.as_ref() == Some(range);
        let is_fresh =
            is_untouched || self.around.known.is_none() && self.around.before.0.is_empty();
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
                    range.clone(),
                    before,
                    to,
                    (Layout::Undefined, layout, true),
                );
                self.push_entry(Weight::NEW_ENTRY, &entry, "discard before (2)");
            }
        }
        let range = match range {
            BarrierRange::Range(range) => range_text(range),
            BarrierRange::Raw(_) => String::new(),
        };
        let name = self.scenario().resource_name(second.resource);
        for (list, command) in self.places() {
            let at = self.written.lists[list].commands[command as usize]
                .span
                .start;
            let edit = self.text.before(at, &format!("discard {name}{range}"));
            let says = "discard the texture before (2), which initialises its metadata".to_string();
            self.push(Weight::DISCARD_COMMAND, vec![Some(edit)], says);
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
                self.push(Weight::NEW_ENTRY, vec![Some(edit)], says);
            }
        }
        self.discard_through(place, stages, access, layout.unwrap_or(from));
    }

    /// A whole discard before the first use in a layout that allows it, then on to the layout of that use.
    fn discard_through(
        &mut self,
        place: CommandPlace,
        stages: LeafSet,
        access: BarrierAccess,
        then: Layout,
    ) {
        let second = self.conflict.second;
        let scenario = self.scenario();
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
            let back = entry((leaves, by), (stages, access), (through, then, false));
            let (list, command) = place;
            let at = self.written.lists[list].commands[command as usize]
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
            self.push(Weight::TWO_STATEMENTS, vec![Some(edit)], says);
        }
    }
}
