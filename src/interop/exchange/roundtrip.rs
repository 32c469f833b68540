//! There and back: what Vulkan's words mean in D3D12's again, and whether every pair that was asked for still is.
//!
//! The returned scenario has the same commands in the same places; only entries differ. An entry of which nothing is left
//! becomes a global one that asks for nothing, so that no other changes its place.

use super::export::{CallKind, Exported, exported};
use super::survival::{Survival, survival};
use super::words::{Entry, Form, Words};
use crate::api::{BarrierAccess, BarrierSync, Layout, QueueType, Scope, compat};
use crate::finding::{Finding, Source, Span};
use crate::id::{ListId, ResourceId};
use crate::interop::vulkan::from_d3d12::dzn;
use crate::interop::vulkan::{
    Context, DependencySide, ImageLayout, StageFlags, Table, to_d3d12_as,
};
use crate::pipeline::clock::Clock;
use crate::pipeline::front::{self, Kernels};
use crate::scenario::{Barrier, BarrierFields, BarrierTarget, Initial, Scenario};

/// Who brings the words back.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum WayBack {
    /// This program's mapping, as an import uses it.
    #[default]
    Ours,
    /// The translator dzn.
    Dzn,
}

/// What became of an entry.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// It asks for the same.
    Same,
    /// It asks for more.
    Wider,
    /// It asks for less.
    Narrower,
    /// It asks for more here and for less there.
    Other,
    /// It asks for nothing.
    Vanished,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 5] = [
        Self::Same,
        Self::Wider,
        Self::Narrower,
        Self::Other,
        Self::Vanished,
    ];

    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Wider => "wider",
            Self::Narrower => "narrower",
            Self::Other => "other",
            Self::Vanished => "vanished",
        }
    }
}

/// An entry there and back.
#[non_exhaustive]
pub struct Trip {
    /// The list.
    pub list: ListId,
    /// What is called in Vulkan.
    pub kind: CallKind,
    /// The entry in Vulkan's words.
    pub entry: Entry,
    /// In D3D12's again; `None` if nothing is left.
    pub back: Option<Barrier>,
    /// Compared with what was asked.
    pub verdict: Verdict,
    /// Words that have no exact twin on the way back.
    pub changes: Vec<String>,
}

/// The returned scenario.
struct Returned {
    scenario: Scenario,
    trips: Vec<Trip>,
}

/// Everything about a scenario's way there and back.
#[non_exhaustive]
pub struct Roundtrip {
    /// The scenario without legacy barriers.
    pub scenario: Scenario,
    /// The table of the way there.
    pub table: Table,
    /// Who brings it back.
    pub back: WayBack,
    /// Every entry.
    pub trips: Vec<Trip>,
    /// What survives; `None` without a timeline.
    pub survival: Option<Survival>,
}

/// Reads a text and sends its barriers there and back.
///
/// # Errors
/// The findings of a text that cannot be read.
pub fn roundtrip(source: &Source, table: Table, back: WayBack) -> Result<Roundtrip, Vec<Finding>> {
    let clock = &mut Clock::untold();
    let parsed = front::read(source, clock).map_err(|misread| misread.findings)?;
    let prepared = parsed.prepare(Kernels::LeftOut, clock);
    let scenario = prepared.plain().clone();
    let returned = returned(&scenario, table, back);
    let survival = scenario
        .timeline
        .is_some()
        .then(|| survival(&scenario, &returned.scenario));
    Ok(Roundtrip {
        scenario,
        table,
        back,
        trips: returned.trips,
        survival,
    })
}

/// The scenario that comes back.
fn returned(plain: &Scenario, table: Table, back: WayBack) -> Returned {
    let exported = exported(plain.clone(), table);
    let words = Words::new(plain, table);
    let mut copy = plain.clone();
    let mut trips = Vec::new();
    let mut way = Way {
        words: &words,
        back,
    };
    let Exported { lists, .. } = exported;
    for calls in lists {
        let queue = plain.lists[calls.list].queue_type;
        for call in calls.calls {
            for entry in call.entries {
                let trip = way.trip(calls.list, call.kind, entry, queue);
                let command = &mut copy.lists[calls.list].commands[trip.entry.place.0];
                if let Some(entries) = command.kind.barriers_mut() {
                    entries[trip.entry.place.1] = trip
                        .back
                        .clone()
                        .unwrap_or_else(|| nothing(trip.entry.span));
                }
                trips.push(trip);
            }
        }
    }
    if back == WayBack::Dzn {
        initial_layouts(&way, &mut copy);
    }
    trips.sort_by_key(|trip| (trip.list, trip.entry.place));
    Returned {
        scenario: copy,
        trips,
    }
}

/// An entry that asks for nothing.
fn nothing(span: Span) -> Barrier {
    let fields = BarrierFields {
        target: BarrierTarget::Global,
        sync_before: BarrierSync::NONE,
        sync_after: BarrierSync::NONE,
        access_before: BarrierAccess::NO_ACCESS,
        access_after: BarrierAccess::NO_ACCESS,
        trivia: crate::scenario::Trivia::default(),
    };
    Barrier::new(fields, span)
}

/// What is needed to bring words back.
struct Way<'w> {
    words: &'w Words<'w>,
    back: WayBack,
}

/// A side that came back.
struct BackSide {
    sync: BarrierSync,
    access: BarrierAccess,
    layout: Option<Layout>,
}

impl Way<'_> {
    fn trip(&mut self, list: ListId, kind: CallKind, entry: Entry, queue: QueueType) -> Trip {
        let mut changes = Vec::new();
        let back = match &entry.form {
            Form::Nothing => None,
            form => Some(self.bring_back(form, kind, &entry, queue, &mut changes)),
        };
        let verdict = match &back {
            None if asks_nothing(&entry.asked) => Verdict::Same,
            None => Verdict::Vanished,
            Some(back) => self.compare(&entry.asked, back, queue),
        };
        Trip {
            list,
            kind,
            entry,
            back,
            verdict,
            changes,
        }
    }

    fn bring_back(
        &self,
        form: &Form,
        kind: CallKind,
        entry: &Entry,
        queue: QueueType,
        changes: &mut Vec<String>,
    ) -> Barrier {
        let mut before = self.side(DependencySide::Source, form, entry, queue, changes);
        let mut after = self.side(DependencySide::Destination, form, entry, queue, changes);
        if self.back == WayBack::Dzn && matches!(form, Form::Memory(_)) {
            dzn_global(&mut before, &mut after);
        }
        match kind {
            CallKind::SetEvent(_) => after.sync = BarrierSync::SPLIT,
            CallKind::WaitEvent(_) => before.sync = BarrierSync::SPLIT,
            CallKind::SignalFence(..) => after.sync = entry.asked.sync_after,
            CallKind::WaitFence(..) => before.sync = entry.asked.sync_before,
            CallKind::Barrier | CallKind::Nothing => {}
        }
        let mut back = entry.asked.clone();
        back.sync_before = before.sync;
        back.sync_after = after.sync;
        back.access_before = before.access;
        back.access_after = after.access;
        match form {
            // A memory barrier hands memory from alias to alias: that is what a texture entry that moves no layout asks,
            // and `NO_ACCESS` is its word for it.
            Form::Memory(_) if entry.asked.as_texture().is_some() => {
                // Vulkan has no transition to `UNDEFINED`: the layout stays.
                if let Some(texture) = back.as_texture_mut() {
                    texture.layout_before = Layout::Undefined;
                    texture.discard = false;
                }
                if entry.asked.access_before.is_no_access() {
                    back.access_before = BarrierAccess::NO_ACCESS;
                }
                if entry.asked.access_after.is_no_access() {
                    back.access_after = BarrierAccess::NO_ACCESS;
                }
            }
            Form::Memory(_) => back.target = BarrierTarget::Global,
            Form::Image { old, .. } => {
                if let Some(texture) = back.as_texture_mut() {
                    texture.layout_before = before.layout.unwrap_or(Layout::Undefined);
                    texture.layout_after = after.layout.unwrap_or(Layout::Undefined);
                    // dzn asks for a discard where Vulkan drops the contents; Vulkan's drop initialises metadata too.
                    let memory_only = texture.layout_after == Layout::Undefined;
                    texture.discard = *old == ImageLayout::UNDEFINED
                        && !memory_only
                        && (texture.discard || self.back == WayBack::Dzn);
                }
            }
            Form::Buffer(..) | Form::Nothing => {}
        }
        back
    }

    fn side(
        &self,
        side: DependencySide,
        form: &Form,
        entry: &Entry,
        queue: QueueType,
        changes: &mut Vec<String>,
    ) -> BackSide {
        let masks = form.masks().expect("something is left");
        let (stages, access) = match side {
            DependencySide::Source => (masks.src_stages, masks.src_access),
            DependencySide::Destination => (masks.dst_stages, masks.dst_access),
        };
        let layout = form.layouts().map(|(old, new)| match side {
            DependencySide::Source => old,
            DependencySide::Destination => new,
        });
        let resource = match form {
            Form::Buffer(resource, _) | Form::Image { resource, .. } => Some(*resource),
            Form::Memory(_) | Form::Nothing => None,
        };
        let context = Context {
            side,
            queue,
            resource: resource.map(|id| self.words.scenario.traits(id)),
            aspects: resource.map_or_else(Default::default, |id| {
                self.words.image(id, &entry.asked).aspects
            }),
        };
        if self.back == WayBack::Dzn {
            let side = dzn::side(stages, access, layout, &context);
            return BackSide {
                sync: side.sync,
                access: side.access,
                layout: side.layout,
            };
        }
        let asked_layout = entry.asked.layouts().map(|(before, after)| match side {
            DependencySide::Source => before,
            DependencySide::Destination => after,
        });
        let known = layout
            .zip(asked_layout)
            .filter(|(vulkan, asked)| self.allows_as_much(*vulkan, *asked, &context))
            .map(|(_, asked)| asked);
        let mut came = to_d3d12_as(stages, access, layout, known, &context);
        if layout.is_some() && known.is_none() && layout != Some(ImageLayout::UNDEFINED) {
            // The layout is the loss, and a use is judged by it: what else is asked for is not kept to it.
            let masks = to_d3d12_as(stages, access, None, None, &context);
            (came.sync, came.access) = (masks.sync, masks.access);
        }
        changes.extend(came.changes.iter().map(ToString::to_string));
        let (sync, access) = self.with_own_work(stages, came.sync, came.access, side, entry);
        BackSide {
            sync,
            access,
            layout: came.layout,
        }
    }

    /// Whether Vulkan's layout allows all that D3D12's did; several of D3D12's become one there, and then the one that was
    /// asked for is meant.
    fn allows_as_much(&self, vulkan: ImageLayout, asked: Layout, context: &Context) -> bool {
        let Some(resource) = context.resource else {
            return false;
        };
        if asked == Layout::Undefined || vulkan == ImageLayout::UNDEFINED {
            return asked == Layout::Undefined && vulkan == ImageLayout::UNDEFINED;
        }
        let presented = vulkan == ImageLayout::PRESENT_SRC_KHR && asked == Layout::Common;
        let own = self.words.table.carries_its_own();
        let needed =
            compat::texture_accesses(asked, resource.flags) & compat::resource_accesses(resource);
        presented || vulkan.allows(context.aspects).contains(needed - own)
    }

    /// What the translator does at other stages than Vulkan's meaning has it, and what brings its own barriers.
    fn with_own_work(
        &self,
        stages: StageFlags,
        sync: BarrierSync,
        access: BarrierAccess,
        side: DependencySide,
        entry: &Entry,
    ) -> (BarrierSync, BarrierAccess) {
        let table = self.words.table;
        let (mut sync, mut access) = (sync, access);
        for (bit, done_at) in table.done_elsewhere() {
            if stages.contains(*done_at) && !sync.contains(BarrierSync::ALL) {
                sync |= *bit;
            }
        }
        let asked = match side {
            DependencySide::Source => entry.asked.access_before,
            DependencySide::Destination => entry.asked.access_after,
        };
        let own = asked & table.carries_its_own();
        if entry.asked.as_texture().is_some() && !own.is_empty() && !asked.is_no_access() {
            access = if access.is_no_access() {
                own
            } else {
                access | own
            };
            sync |= BarrierSync::COPY;
        }
        (sync, access)
    }

    /// What came back, compared with what was asked.
    fn compare(&self, asked: &Barrier, back: &Barrier, queue: QueueType) -> Verdict {
        let traits = asked.resource().map(|id| self.words.scenario.traits(id));
        let scope = |barrier: &Barrier, before: bool| {
            let (sync, access) = if before {
                (barrier.sync_before, barrier.access_before)
            } else {
                (barrier.sync_after, barrier.access_after)
            };
            let layout = barrier
                .transition()
                .map(|(b, a)| if before { b } else { a });
            let scope = Scope::new(sync, access, layout, queue, traits);
            (scope.stages.intersection(queue.leaves()), scope.accesses)
        };
        let (mut more, mut less) = (false, false);
        for before in [true, false] {
            let (was, is) = (scope(asked, before), scope(back, before));
            more |= !was.0.contains(is.0) || !was.1.contains(is.1);
            less |= !is.0.contains(was.0) || !is.1.contains(was.1);
        }
        let layouts = match (asked.layouts(), back.layouts()) {
            (Some(was), Some(is)) if was != is => Some(self.wider_layouts(asked, was, is)),
            // A memory barrier instead of a transition.
            (Some(was), None) => Some(was.1 == Layout::Undefined),
            _ => None,
        };
        match layouts {
            Some(true) => more = true,
            Some(false) => less = true,
            None => {}
        }
        match (more, less) {
            (false, false) => Verdict::Same,
            (true, false) => Verdict::Wider,
            (false, true) => Verdict::Narrower,
            (true, true) => Verdict::Other,
        }
    }

    /// Whether the layouts that came back allow all that the asked ones do.
    fn wider_layouts(&self, asked: &Barrier, was: (Layout, Layout), is: (Layout, Layout)) -> bool {
        let Some(id) = asked.resource() else {
            return false;
        };
        let flags = self.words.scenario.resource(id).flags;
        let allows = |layout| compat::texture_accesses(layout, flags);
        allows(is.0).contains(allows(was.0)) && allows(is.1).contains(allows(was.1))
    }
}

fn asks_nothing(barrier: &Barrier) -> bool {
    matches!(barrier.target, BarrierTarget::EmptyGroup(_))
        || barrier.sync_before.is_empty()
            && barrier.sync_after.is_empty()
            && barrier
                .transition()
                .is_none_or(|(before, after)| before == after)
}

/// dzn's two rules of global barriers.
fn dzn_global(before: &mut BackSide, after: &mut BackSide) {
    let depth = BarrierAccess::DEPTH_STENCIL_READ | BarrierAccess::DEPTH_STENCIL_WRITE;
    if !(after.access - depth).is_empty() && before.access != BarrierAccess::DEPTH_STENCIL_WRITE {
        before.access -= BarrierAccess::DEPTH_STENCIL_WRITE;
    }
    if before.access == BarrierAccess::COMMON {
        after.access = BarrierAccess::COMMON;
    }
}

/// dzn writes its own layouts, also where a texture starts.
fn initial_layouts(way: &Way<'_>, copy: &mut Scenario) {
    let scenario = way.words.scenario;
    for (index, (_, resource)) in copy.resources.iter_mut().enumerate() {
        let id = ResourceId::new(index);
        if resource.is_buffer() || resource.is_simultaneous() {
            continue;
        }
        if let Initial::Layout(layout) = resource.initial {
            let traits = scenario.traits(id);
            let aspects = super::words::whole_aspects(scenario, id);
            let image = crate::interop::vulkan::Image {
                traits,
                aspects,
                presented: false,
            };
            let context = Context {
                side: DependencySide::Source,
                queue: QueueType::Direct,
                resource: Some(traits),
                aspects,
            };
            let (vulkan, _) = way.words.table.layout(layout, &image);
            resource.initial = Initial::Layout(dzn::layout(vulkan, &context));
        }
    }
}
