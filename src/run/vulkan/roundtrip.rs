//! There and back: what Vulkan's words mean in D3D12's again, and whether every pair that was asked for still is.
//!
//! The returned scenario has the same commands in the same places; only entries differ. An entry of which nothing is left
//! becomes a global one that asks for nothing, so that no other changes its place.

use super::export::{CallKind, Exported, exported};
use super::words::{Entry, Form, Words};
use crate::analyze::names;
use crate::api::vulkan::from_d3d12::dzn;
use crate::api::vulkan::{Context, ImageLayout, Side, StageFlags, Table, to_d3d12_as};
use crate::api::{BarrierAccess, BarrierSync, Layout, QueueType, Scope, compat};
use crate::finding::{Finding, Source, Span};
use crate::graph::{self, Conflict, Evaluation, Part};
use crate::id::{ListId, ResourceId};
use crate::order::Timeline;
use crate::run::clock::Clock;
use crate::run::front::{self, Kernels, Prepared};
use crate::run::pairs::{self, Pairs};
use crate::scenario::{Barrier, BarrierFields, BarrierTarget, Initial, Scenario};
use std::collections::BTreeSet;

/// Who brings the words back.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum WayBack {
    /// This program's mapping, as an import uses it.
    #[default]
    Ours,
    /// The translator dzn.
    Dzn,
}

/// What became of an entry.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
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

/// A pair that was asked for and no longer is.
pub struct Lost {
    /// The resource.
    pub resource: ResourceId,
    /// Places of the uses.
    pub lines: (Span, Span),
    /// The uses in words.
    pub uses: (String, String),
    /// What is missing: `order`, `visibility`, `layout`, or a `state` in which it may be used.
    pub missing: &'static str,
}

/// What survives.
pub struct Survival {
    /// Needed pairs of the original.
    pub needed: usize,
    /// Those of them that it asks for.
    pub asked: usize,
    /// Pairs that only the returned scenario misses.
    pub lost: Vec<Lost>,
}

/// The returned scenario.
pub struct Returned {
    /// The scenario.
    pub scenario: Scenario,
    /// Every entry.
    pub trips: Vec<Trip>,
}

/// Everything about a scenario's way there and back.
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
    let clock = &mut Clock::start();
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
        let queue = plain.lists[calls.list.index()].queue_type;
        for call in calls.calls {
            for entry in call.entries {
                let trip = way.trip(calls.list, call.kind, entry, queue);
                let command = &mut copy.lists[calls.list.index()].commands[trip.entry.place.0];
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
        let mut before = self.side(Side::Source, form, entry, queue, changes);
        let mut after = self.side(Side::Destination, form, entry, queue, changes);
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
            Form::Memory(_) => back.target = BarrierTarget::Global,
            Form::Image { old, .. } => {
                if let BarrierTarget::Texture {
                    layout_before,
                    layout_after,
                    discard,
                    ..
                } = &mut back.target
                {
                    *layout_before = before.layout.unwrap_or(Layout::Undefined);
                    *layout_after = after.layout.unwrap_or(Layout::Undefined);
                    // dzn asks for a discard where Vulkan drops the contents; Vulkan's drop initialises metadata too.
                    let memory_only = *layout_after == Layout::Undefined;
                    *discard = *old == ImageLayout::UNDEFINED
                        && !memory_only
                        && (*discard || self.back == WayBack::Dzn);
                }
            }
            Form::Buffer(..) | Form::Nothing => {}
        }
        back
    }

    fn side(
        &self,
        side: Side,
        form: &Form,
        entry: &Entry,
        queue: QueueType,
        changes: &mut Vec<String>,
    ) -> BackSide {
        let masks = form.masks().expect("something is left");
        let (stages, access) = match side {
            Side::Source => (masks.src_stages, masks.src_access),
            Side::Destination => (masks.dst_stages, masks.dst_access),
        };
        let layout = form.layouts().map(|(old, new)| match side {
            Side::Source => old,
            Side::Destination => new,
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
            Side::Source => before,
            Side::Destination => after,
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
        side: Side,
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
            Side::Source => entry.asked.access_before,
            Side::Destination => entry.asked.access_after,
        };
        let texture = matches!(entry.asked.target, BarrierTarget::Texture { .. });
        let own = asked & table.carries_its_own();
        if texture && !own.is_empty() && !asked.is_no_access() {
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
            let image = crate::api::vulkan::Image {
                traits,
                aspects,
                presented: false,
            };
            let context = Context {
                side: Side::Source,
                queue: QueueType::Direct,
                resource: Some(traits),
                aspects,
            };
            let (vulkan, _) = way.words.table.layout(layout, &image);
            resource.initial = Initial::Layout(dzn::layout(vulkan, &context));
        }
    }
}

/// What makes a conflict the same in the returned scenario, whose commands and entries keep their places.
type Key = (
    graph::ConflictKind,
    Option<(u32, Part)>,
    u32,
    Part,
    ResourceId,
);

/// Steps that writing out every pair may take.
const STEPS_MAX: u64 = 20_000_000;

/// Compares what both ask for.
fn survival(plain: &Scenario, returned: &Scenario) -> Survival {
    let original = Prepared::edited(plain);
    let timeline = original.timeline();
    let needed = front::needed_pairs(&timeline);
    let unfolded = pairs::most(&timeline) <= STEPS_MAX;
    let known = conflicts(&timeline, unfolded);
    let known_pairs = Pairs::new(known.conflicts.iter().filter(is_told).map(keyed));
    let back = Prepared::edited(returned);
    let back_timeline = back.timeline();
    let found = conflicts(&back_timeline, unfolded);
    let mut lost = Vec::new();
    let mut said = BTreeSet::new();
    // Of a use whose resource was in no defined state nothing was asked that could be lost.
    let undefined: BTreeSet<_> = known
        .conflicts
        .iter()
        .filter(|conflict| has_no_state(conflict.kind))
        .map(|conflict| (conflict.second.node, conflict.second.resource))
        .collect();
    for conflict in found.conflicts.iter().filter(is_told) {
        if undefined.contains(&(conflict.second.node, conflict.second.resource)) {
            continue;
        }
        let one = Pairs::new([keyed(conflict)]);
        if !one.is_subset(&known_pairs) && said.insert(keyed(conflict).0) {
            lost.push(told(&timeline, conflict));
        }
    }
    Survival {
        needed: needed.len(),
        asked: needed.iter().filter(|pair| pair.asked).count(),
        lost,
    }
}

fn conflicts(timeline: &Timeline<'_>, unfolded: bool) -> Evaluation {
    let request = graph::Request {
        unfolded,
        ..graph::Request::default()
    };
    graph::evaluate(timeline, request)
}

fn has_no_state(kind: graph::ConflictKind) -> bool {
    use graph::ConflictKind as Kind;
    matches!(
        kind,
        Kind::UseWhileSplit | Kind::UseInactive | Kind::UseOverwritten
    )
}

fn is_told(conflict: &&Conflict) -> bool {
    conflict.kind.is_hazard()
}

fn keyed(conflict: &Conflict) -> (Key, Option<crate::id::Extent>) {
    let first = Some((conflict.first.node.0, conflict.first.part));
    let second = (conflict.second.node.0, conflict.second.part);
    let key = (
        conflict.kind,
        first,
        second.0,
        second.1,
        conflict.second.resource,
    );
    (key, conflict.bytes)
}

fn told(timeline: &Timeline<'_>, conflict: &Conflict) -> Lost {
    let missing = if conflict.layout.is_some() {
        "layout"
    } else if !conflict.ordered {
        "order"
    } else if !conflict.visible {
        "visibility"
    } else {
        "state"
    };
    let words = |side: &graph::Side| {
        let what = names::named(timeline, side.node);
        if side.access.is_empty() {
            what
        } else {
            format!("{what} ({})", side.access)
        }
    };
    Lost {
        resource: conflict.second.resource,
        lines: (
            names::side_span(timeline, &conflict.first),
            names::side_span(timeline, &conflict.second),
        ),
        uses: (words(&conflict.first), words(&conflict.second)),
        missing,
    }
}
