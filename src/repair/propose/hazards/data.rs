//! Candidates for two uses that are not ordered or not visible to each other: bits added to an entry between them, a new
//! entry, memory handed over between aliases.

use super::super::around::{ExecutedEntry, common_range};
use super::super::entry::narrowest_layout;
use super::Maker;
use super::fields::{Widened, add_access, add_sync, distinct, entry_on, joined};
use super::unused::Needed;
use super::weight::Weight;
use crate::analyze::names;
use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet};
use crate::finding::{Edit, Span};
use crate::repair::propose::Instead;
use crate::scenario::edit::set_layout_after;
use crate::scenario::{
    Barrier, BarrierFields, BarrierRange, BarrierTarget, Range, TextureBarrier, Trivia,
    print_barrier,
};

/// How much later bits are added to a field that serves nothing than others take their place.
const KEPT_UNUSED: usize = 8;

impl<'s> Maker<'_, 's> {
    /// Bits added to one entry between the uses, each subset of what it lacks.
    pub(super) fn widen(&mut self) {
        let (first, second) = (self.conflict.first, self.conflict.second);
        let mut entries = self.around.between.clone();
        if let Some(id) = second.barrier()
            && let Some(barrier) = names::entry(self.timeline, id)
            && let Some(place) = self.around.second
        {
            entries.push(ExecutedEntry { id, place, barrier });
        }
        let (from, to) = (self.first_leaves(), self.second_leaves());
        let mut held = LeafSet::EMPTY;
        for (at, entry) in entries.iter().enumerate() {
            let barrier = entry.barrier;
            let other = self.other_half(&entries, at);
            if other.is_none() && barrier.sync_before.is_split() {
                self.make_whole(entry, from);
            }
            let needed = self.needed_of(entry);
            let is_first = first.barrier() == Some(entry.id);
            self.exchange_stages(entry, if is_first { LeafSet::EMPTY } else { from });
            let is_second = second.barrier() == Some(entry.id);
            let none = (LeafSet::EMPTY, BarrierAccess::empty());
            let before = if is_first { none } else { (from, first.access) };
            let after = if is_second { none } else { (to, second.access) };
            for sync in [before.0, before.0.union(held), held] {
                let all = [
                    add_sync(barrier.sync_before, sync).map(Widened::SyncBefore),
                    add_access(barrier.access_before, before.1).map(Widened::AccessBefore),
                    add_sync(barrier.sync_after, after.0).map(Widened::SyncAfter),
                    add_access(barrier.access_after, after.1).map(Widened::AccessAfter),
                ];
                let lacking: Vec<Widened> = all.into_iter().flatten().collect();
                for subset in 1..1_u32 << lacking.len() {
                    let chosen = lacking.iter().enumerate();
                    let chosen = chosen.filter(|(at, _)| subset & (1 << at) != 0);
                    let added: Vec<Widened> = chosen.map(|(_, field)| *field).collect();
                    self.push_fields(entry, other, &added, needed);
                }
            }
            held = barrier.sync_after.leaves();
        }
    }

    /// An entry with bits added to some fields; first with these in place of all that a field names, where that serves
    /// nothing.
    fn push_fields(
        &mut self,
        entry: &ExecutedEntry<'s>,
        other: Option<ExecutedEntry<'s>>,
        added: &[Widened],
        needed: Option<Needed>,
    ) {
        let instead = |field: &Widened| {
            let other = needed.and_then(|needed| needed.instead(*field, entry.barrier));
            other.unwrap_or(*field)
        };
        let replaced: Vec<Widened> = added.iter().map(instead).collect();
        let bits: usize = added.iter().map(|field| field.bits(entry.barrier)).sum();
        let mut more = 0;
        if replaced != added {
            self.push_edited(entry, other, &replaced, bits);
            more = KEPT_UNUSED;
        }
        self.push_edited(entry, other, added, bits + more);
    }

    /// An entry with other fields, and its other half with those that both halves have in common.
    fn push_edited(
        &mut self,
        entry: &ExecutedEntry<'s>,
        other: Option<ExecutedEntry<'s>>,
        fields: &[Widened],
        weight: usize,
    ) {
        let barrier = entry.barrier;
        let mut wider = barrier.clone();
        let mut said = Vec::new();
        let mut both = other.map(|other| (other, other.barrier.clone()));
        for field in fields {
            field.set(&mut wider);
            if let Some((_, half)) = &mut both {
                field.set_in_other_half(half);
            }
            said.push(field.says(barrier));
        }
        let name = self.timeline.barrier_name(entry.id);
        let mut edits = vec![self.rewrite(entry, &wider)];
        let mut says = format!("in {name}, {}", said.join(" and "));
        if let Some((other, half)) = both.filter(|(other, half)| other.barrier != half) {
            edits.push(self.rewrite(&other, &half));
            let name = self.timeline.barrier_name(other.id);
            says = format!("{says}; the same in {name}, the other half");
        }
        self.push(Weight::edited(weight), edits, says);
        self.widen_with_layout(entry, &wider, weight, &said);
    }

    /// The stages of one side are others than those that are written, which more stages would only hide: where a further
    /// barrier counts on the side, the stages that are added to it are missing there.
    fn exchange_stages(&mut self, entry: &ExecutedEntry<'s>, from: LeafSet) {
        let to = self.around.after.0;
        let name = self.timeline.barrier_name(entry.id);
        let is_open = |sync: BarrierSync, leaves: LeafSet| {
            !sync.is_split() && !leaves.is_empty() && !sync.leaves().meets(leaves)
        };
        let sides = [
            (entry.barrier.sync_before, from, "SyncBefore"),
            (entry.barrier.sync_after, to, "SyncAfter"),
        ];
        for (is_after, (sync, leaves, side)) in sides.into_iter().enumerate() {
            if !is_open(sync, leaves) {
                continue;
            }
            let mut other = entry.barrier.clone();
            let named = BarrierSync::named(leaves);
            if is_after == 1 {
                other.sync_after = named;
            } else {
                other.sync_before = named;
            }
            let says = format!("in {name}, make {side} {named}");
            let edit = self.rewrite(entry, &other);
            self.push(Weight::edited(5), vec![edit], says);
        }
    }

    /// A second half without a first one waits by itself.
    fn make_whole(&mut self, entry: &ExecutedEntry<'s>, from: LeafSet) {
        let mut whole = entry.barrier.clone();
        whole.sync_before = BarrierSync::named(from);
        let name = self.timeline.barrier_name(entry.id);
        let says = format!("in {name}, make SyncBefore {}", whole.sync_before);
        let edit = self.rewrite(entry, &whole);
        self.push(Weight::edited(2), vec![edit], says);
    }

    /// The other half of a split barrier that is one of some entries: halves agree in their accesses (reading R27).
    fn other_half(&self, entries: &[ExecutedEntry<'s>], at: usize) -> Option<ExecutedEntry<'s>> {
        let barrier = entries[at].barrier;
        let of_it = |other: &&ExecutedEntry<'s>| other.barrier.resource() == barrier.resource();
        if barrier.sync_after.is_split() {
            let later = entries[at + 1..].iter().chain(&self.around.next);
            let mut later = later.filter(of_it);
            later
                .next()
                .filter(|e| e.barrier.sync_before.is_split())
                .copied()
        } else if barrier.sync_before.is_split() {
            let mut earlier = entries[..at].iter().rev().filter(of_it);
            earlier
                .next()
                .filter(|e| e.barrier.sync_after.is_split())
                .copied()
        } else {
            None
        }
    }

    /// A shader access without a stage counts as every stage of its command (reading R32). Where a barrier covers some
    /// of them, the text may have meant only those.
    pub(super) fn stage_in_the_text(&self) -> Option<Instead> {
        let second = &self.conflict.second;
        let used = names::used(self.timeline, second)?;
        let is_shader = used.access == BarrierAccess::SHADER_RESOURCE
            || used.access == BarrierAccess::CONSTANT_BUFFER
            || used.access == BarrierAccess::UNORDERED_ACCESS;
        let held = self.around.between.iter().map(|entry| {
            let after = entry.barrier.sync_after.leaves();
            after.intersection(second.stages)
        });
        let held = held.fold(LeafSet::EMPTY, LeafSet::union);
        let is_part = !held.is_empty() && !second.stages.minus(held).is_empty();
        if used.explicit_stages || used.implied || !is_shader || !is_part {
            return None;
        }
        let end = used.span.end;
        let span = Span { start: end, end };
        let text = format!(" @ {held}");
        Some(Instead {
            edits: vec![Edit { span, text }],
            says: format!("if (2) reads it at {held} only, say so in the use: `@ {held}`"),
        })
    }

    /// The same where the layout does not allow the access that was added.
    fn widen_with_layout(
        &mut self,
        entry: &ExecutedEntry<'s>,
        wider: &Barrier,
        bits: usize,
        said: &[String],
    ) {
        let Some((id, texture)) = wider.named_texture() else {
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
        if layout == texture.layout_after || texture.layout_before == layout {
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
        let weight = Weight::edited(bits + 1);
        self.push_relinked(weight, edits, texture.layout_after, layout, says);
    }

    /// New entries at the latest place, the narrowest first.
    pub(super) fn insert(&mut self) {
        let (syncs_before, syncs_after) = self.new_syncs();
        let (accesses_before, accesses_after) = self.new_accesses();
        // Where the layout is wrong as well, an entry that leaves it so is no use.
        let wrong_layout = self.wants_another_layout();
        for target in self.targets() {
            for (at, before) in syncs_before.iter().enumerate() {
                for after in &syncs_after {
                    for access_before in &accesses_before {
                        for access_after in &accesses_after {
                            let entry = BarrierFields {
                                target: target.clone(),
                                sync_before: BarrierSync::named(*before),
                                sync_after: BarrierSync::named(*after),
                                access_before: *access_before,
                                access_after: *access_after,
                                trivia: Trivia::default(),
                            };
                            let entry = Barrier::from(entry);
                            let leaves = before.len() + after.len();
                            let mut weight = weight_of(&entry, leaves).plus(at);
                            if wrong_layout {
                                weight = weight.leaves_wrong_layout();
                            }
                            self.push_entry(weight, &entry, "add before (2)");
                        }
                    }
                }
            }
        }
        let widest = BarrierFields {
            target: BarrierTarget::Global,
            sync_before: BarrierSync::ALL,
            sync_after: BarrierSync::ALL,
            access_before: BarrierAccess::COMMON,
            access_after: BarrierAccess::COMMON,
            trivia: Trivia::default(),
        };
        self.push_entry(Weight::WIDEST, &widest.into(), "add before (2)");
    }

    /// What a new entry may wait for and hold.
    fn new_syncs(&self) -> (Vec<LeafSet>, Vec<LeafSet>) {
        let around = &self.around;
        let from = self.first_leaves();
        let to = self.second_leaves();
        let to = if to.is_empty() { around.after.0 } else { to };
        let with_held = from.union(around.held);
        let before = [from, with_held, with_held.union(around.before.0)];
        let after = [to, to.union(around.after.0)];
        (distinct(before), distinct(after))
    }

    /// The accesses that a new entry may name on each side.
    fn new_accesses(&self) -> (Vec<BarrierAccess>, Vec<BarrierAccess>) {
        let (first, second) = (self.conflict.first, self.conflict.second);
        let around = &self.around;
        let known = around.known.unwrap_or(first.access);
        let writes = around.before.1 & BarrierAccess::WRITES;
        let written = if writes.is_empty() {
            first.access
        } else {
            writes
        };
        let both = joined(first.access, known);
        let before = [first.access, known, both, joined(both, written)];
        let wanted = second
            .barrier()
            .and_then(|id| names::entry(self.timeline, id))
            .map_or(second.access, |entry| entry.access_before);
        let after = [
            wanted,
            joined(wanted, around.after.1),
            joined(wanted, known),
        ];
        (distinct(before), distinct(after))
    }

    /// What a new entry may apply to: the resource in the layout it is in, then everything.
    fn targets(&self) -> Vec<BarrierTarget> {
        let id = self.conflict.second.resource;
        let resource = self.scenario().resource(id);
        if resource.is_buffer() {
            return vec![BarrierTarget::buffer(id), BarrierTarget::Global];
        }
        let texture = |range: &BarrierRange, layout| {
            BarrierTarget::Texture(TextureBarrier {
                range: range.clone(),
                ..TextureBarrier::new(id, (layout, layout))
            })
        };
        let mut targets = Vec::new();
        // What both touch is the least; where one entry for it is not enough, all that the second touches.
        let narrow = common_range(self.timeline, self.conflict);
        for range in narrow.iter().chain([&self.around.range]) {
            targets.extend(self.around.layout.map(|layout| texture(range, layout)));
            targets.push(texture(range, Layout::Undefined));
        }
        targets.push(BarrierTarget::Global);
        targets
    }

    /// Between aliases: the old resource gives up its memory, then the new one takes it.
    pub(super) fn hand_over(&mut self) {
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
                    self.written.lists[place.0].commands[place.1 as usize]
                        .span
                        .start
                ),
                print_barrier(scenario, &take)
            );
            for place in self.places() {
                let at = self.written.lists[place.0].commands[place.1 as usize]
                    .span
                    .start;
                let edit = self.text.before(at, &statement);
                let says = "hand the memory over before (2), in two calls".to_string();
                self.push(Weight::TWO_STATEMENTS, vec![Some(edit)], says);
            }
        }
    }
}

/// What a new entry weighs that names so many leaves.
fn weight_of(entry: &Barrier, leaves: usize) -> Weight {
    let accesses = [entry.access_before, entry.access_after];
    let bits: u32 = accesses.iter().map(|a| a.bits().count_ones()).sum();
    let is_common = |access: &&BarrierAccess| **access == BarrierAccess::COMMON;
    let common = accesses.iter().filter(is_common).count();
    let weight = Weight::NEW_ENTRY
        .plus(leaves + bits as usize)
        .common(common);
    match entry.target {
        BarrierTarget::Global => weight.global(),
        _ => weight,
    }
}
