//! The walk over lists in the order of their first execution, and the rewriting of one entry after the other.

use super::parts::{Transition, barrier, in_common, on_queue_access, on_queue_sync, whole};
use super::{initial_layout, sequence::Sequence, states, words};
use crate::api::{BarrierAccess, BarrierSync, Layout, QueueType, ResourceState, compat};
use crate::finding::Span;
use crate::id::{ListId, ResourceId, Table};
use crate::order::{LayoutTracker, MemoryMap};
use crate::scenario::{
    Barrier, BarrierTarget, Capability, CommandKind, LegacyBarrier, LegacyKind, LegacySplit, Range,
    Scenario, Statement, StatementKind, geometry,
};
use std::cell::OnceCell;
use words::Reasons;

/// What the result is for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// To be run: what the states say.
    Exact,
    /// To be read: a text that is legal by itself, with comments.
    Printed,
}

impl Style {
    /// A layout that may be named. Reading R10: 31 belongs to the runtime.
    pub(super) fn public(self, layout: Layout) -> Layout {
        match (self, layout) {
            (Self::Printed, Layout::DirectQueueGenericReadComputeQueueAccessible) => {
                Layout::DirectQueueGenericRead
            }
            _ => layout,
        }
    }
}

/// What became of a list's legacy calls: the index of each command and its entries.
pub(super) type Calls = Vec<(usize, Vec<Barrier>)>;

/// Lists in the order of their first execution, and the layouts at that point.
pub(super) struct Walk<'s> {
    pub(super) scenario: &'s Scenario,
    style: Style,
    /// By resource: whether states that `COMMON` is promoted to keep the layout `COMMON`. Only for printing.
    flat: &'s Table<ResourceId, bool>,
    /// Resources that must be flat: a list finds them promoted in one execution and transitioned in another.
    conflicts: Vec<ResourceId>,
    layouts: LayoutTracker,
    /// Where resources lie, once an aliasing barrier asks.
    memory: OnceCell<MemoryMap>,
    lists: Table<ListId, Option<Calls>>,
    /// What barriers let run, in this scope. Only for printing.
    sequence: Option<Sequence>,
}

impl<'s> Walk<'s> {
    pub(super) fn new(
        scenario: &'s Scenario,
        style: Style,
        flat: &'s Table<ResourceId, bool>,
    ) -> Self {
        Self {
            scenario,
            style,
            flat,
            conflicts: Vec::new(),
            layouts: LayoutTracker::new(scenario, |resource| {
                style.public(initial_layout(resource))
            }),
            memory: OnceCell::new(),
            lists: Table::filled(scenario.lists.len(), None),
            sequence: (style == Style::Printed).then(|| Sequence::new(scenario.resources.len())),
        }
    }

    /// Resources for which another walk is needed, with promotable states that keep the layout `COMMON`.
    pub(super) fn conflicts(&self) -> &[ResourceId] {
        &self.conflicts
    }

    /// What became of an executed list.
    pub(super) fn take(&mut self, list: ListId) -> Option<Calls> {
        self.lists[list].take()
    }

    /// Rewrites a list that nothing executes: it starts from the layouts in which its resources are created.
    ///
    /// The walk must not have executed a list, and counts as not having executed one afterwards: the layouts of the
    /// resources that the list names are set back. So a list costs what it names, not a walk of its own over all resources.
    pub(super) fn one_list(&mut self, list: ListId) -> Calls {
        self.begin_scope();
        let calls = self.commands(list);
        let commands = &self.scenario.lists[list].commands;
        let written = commands.iter().flat_map(|command| command.kind.barriers());
        for barrier in calls.iter().flat_map(|(_, made)| made).chain(written) {
            if let Some((id, _)) = barrier.named_texture() {
                let created = initial_layout(self.scenario.resource(id));
                self.layouts.restart(id, self.style.public(created));
            }
        }
        calls
    }

    pub(super) fn statements(&mut self, statements: &'s [Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Execute { lists, .. } => {
                    self.begin_scope();
                    for list in lists {
                        self.execute(*list);
                    }
                }
                // A list is translated for its first execution; a second one shows whether it finds the same layouts.
                StatementKind::Repeat { body, count } => {
                    for _ in 0..(*count).min(2) {
                        self.statements(body);
                    }
                }
                StatementKind::Signal { .. }
                | StatementKind::Wait { .. }
                | StatementKind::CpuWrite { .. }
                | StatementKind::CpuRead { .. }
                | StatementKind::CpuWork(_)
                | StatementKind::Present { .. }
                | StatementKind::Object { .. }
                | StatementKind::Reset(_) => {}
            }
        }
    }

    fn execute(&mut self, list: ListId) {
        let calls = match self.lists[list].take() {
            None => self.commands(list),
            Some(calls) => {
                self.replay(list, &calls);
                calls
            }
        };
        self.lists[list] = Some(calls);
    }

    /// A further execution: only what it does to the layouts.
    fn replay(&mut self, list: ListId, calls: &Calls) {
        let mut translated = calls.iter().peekable();
        for (at, command) in self.scenario.lists[list].commands.iter().enumerate() {
            if let Some((_, barriers)) = translated.next_if(|(index, _)| *index == at) {
                for barrier in barriers {
                    if self.style == Style::Printed {
                        self.compare(barrier);
                    }
                    self.apply(std::slice::from_ref(barrier));
                }
            } else {
                self.apply(command.kind.barriers());
            }
        }
    }

    /// Notes a texture that another execution finds promoted where this one finds it transitioned, or the reverse.
    fn compare(&mut self, barrier: &Barrier) {
        let Some((id, entry)) = barrier.named_texture() else {
            return;
        };
        let Some(sub) = geometry::part_of_barrier(self.scenario, barrier) else {
            return;
        };
        let layout_before = entry.layout_before;
        if barrier.sync_before.is_split() || !is_promotable_layout(layout_before) {
            return;
        }
        let mut differs = false;
        self.layouts
            .for_each(self.scenario, id, &sub, |_, _, actual| {
                differs |= actual != layout_before && is_promotable_layout(actual);
            });
        if differs && !self.flat[id] && !self.conflicts.contains(&id) {
            self.conflicts.push(id);
        }
    }

    /// The layout of a state. Spec: "COMMON Layout": it allows what it is promoted to.
    pub(super) fn layout(&self, it: &Transition, state: ResourceState) -> Layout {
        let promoted = states::PROMOTABLE.contains(state - states::ONLY_ON_BUFFERS);
        if self.flat[it.resource] && promoted {
            Layout::Common
        } else {
            self.style.public(states::layout(state))
        }
    }

    fn apply(&mut self, barriers: &[Barrier]) {
        for barrier in barriers {
            self.layouts.apply(self.scenario, barrier);
            if let Some(sequence) = &mut self.sequence {
                sequence.note(self.scenario, barrier);
            }
        }
    }

    fn begin_scope(&mut self) {
        if let Some(sequence) = &mut self.sequence {
            sequence.begin_scope();
        }
    }

    fn commands(&mut self, list: ListId) -> Calls {
        let scenario = self.scenario;
        let list = &scenario.lists[list];
        let mut calls = Vec::new();
        for (at, command) in list.commands.iter().enumerate() {
            if let CommandKind::Legacy(entries) = &command.kind {
                let mut barriers = Vec::with_capacity(entries.len());
                for entry in entries {
                    self.entry(list.queue_type, entry, &mut barriers);
                }
                calls.push((at, barriers));
            } else {
                self.apply(command.kind.barriers());
            }
        }
        calls
    }

    fn entry(&mut self, queue: QueueType, entry: &LegacyBarrier, out: &mut Vec<Barrier>) {
        let first = out.len();
        let mut reasons = Reasons::new(self.style == Style::Printed);
        match &entry.kind {
            LegacyKind::Transition(it) => {
                let transition = Transition {
                    queue,
                    resource: it.resource,
                    before: it.before,
                    after: it.after,
                    split: it.split,
                    span: entry.span,
                };
                self.transition(&transition, &it.range, out, &mut reasons);
            }
            LegacyKind::Uav(resource) => {
                out.push(self.uav(queue, *resource, entry.span, &mut reasons));
            }
            LegacyKind::Alias(from, to) => self.alias(*from, *to, entry.span, out, &mut reasons),
        }
        if let Some(sequence) = &mut self.sequence {
            for barrier in &mut out[first..] {
                if sequence.widen(self.scenario, queue, barrier) {
                    reasons.say("SyncBefore is widened to what the barrier before it let run");
                }
                sequence.note(self.scenario, barrier);
            }
            let name = |id: ResourceId| self.scenario.resource_name(id);
            words::attach(&mut out[first..], entry, &reasons, name);
        }
    }

    fn transition(
        &mut self,
        it: &Transition,
        range: &Range,
        out: &mut Vec<Barrier>,
        reasons: &mut Reasons,
    ) {
        let resource = self.scenario.resource(it.resource);
        let first = out.len();
        reasons.say("its stages, accesses and layouts are those that the two states stand for");
        match resource.texture() {
            None => {
                reasons.say("a buffer has no layout");
                let target = BarrierTarget::buffer(it.resource);
                out.push(self.barrier(it, target, reasons));
            }
            // Spec: "Interop with legacy ResourceBarrier": such a texture never leaves COMMON.
            Some(_) if resource.is_simultaneous() => {
                reasons.say("a simultaneous-access texture stays in the layout COMMON");
                let target = in_common((it.resource, range.clone()));
                out.push(self.barrier(it, target, reasons));
            }
            // Spec: "Copy Queues": no layout transitions, everything stays in COMMON.
            Some(_) if it.queue == QueueType::Copy => {
                reasons.say("a copy queue changes no layouts: it stays COMMON");
                let target = in_common((it.resource, range.clone()));
                out.push(self.barrier(it, target, reasons));
            }
            Some(_) => self.texture_transition(it, range, out, reasons),
        }
        // Both halves of a split transition must say the same, so the layout changes with the second.
        if it.split != Some(LegacySplit::Begin) {
            let scenario = self.scenario;
            for barrier in &out[first..] {
                self.layouts.apply(scenario, barrier);
            }
        }
    }

    fn texture_transition(
        &self,
        it: &Transition,
        range: &Range,
        out: &mut Vec<Barrier>,
        reasons: &mut Reasons,
    ) {
        let after = self.layout(it, it.after);
        let befores = self.layouts_before(it, range);
        let stated = self.layout(it, it.before);
        if self.flat[it.resource] {
            reasons.say(
                "a list that executes again finds it promoted at one time and transitioned at another, so \
                 copy and shader resource states keep the layout COMMON",
            );
        }
        if befores.iter().any(|(.., layout)| *layout != stated) {
            reasons.say(format!(
                "it came to {} by promotion, so its layout is still COMMON",
                it.before
            ));
        }
        reasons.layouts(it.before, it.after);
        // Whether the range's subresources differ in what StateBefore turns out to be.
        if befores.iter().all(|run| run.2 == befores[0].2) {
            let before = befores.first().map_or(stated, |run| run.2);
            let part = (it.resource, range.clone());
            let target = BarrierTarget::texture(part, (before, after));
            out.push(self.barrier(it, target, reasons));
            return;
        }
        reasons.say("its subresources are in different layouts: one entry for each");
        for (start, end, before) in befores {
            for index in start..end {
                let part = (it.resource, Range::Subresource(index));
                let target = BarrierTarget::texture(part, (before, after));
                out.push(self.barrier(it, target, reasons));
            }
        }
    }

    /// The layouts that `StateBefore` stands for, by runs of subresources.
    fn layouts_before(&self, it: &Transition, range: &Range) -> Vec<(u32, u32, Layout)> {
        let mut befores: Vec<(u32, u32, Layout)> = Vec::new();
        let shape = self.scenario.resource(it.resource).texture();
        let Some(Ok(sub)) = shape.map(|shape| geometry::existing_box(shape, range)) else {
            return befores;
        };
        self.layouts
            .for_each(self.scenario, it.resource, &sub, |start, end, actual| {
                let promoted = it.is_promoted(actual);
                let before = if promoted {
                    Layout::Common
                } else {
                    self.layout(it, it.before)
                };
                match befores.last_mut() {
                    Some(last) if last.2 == before && last.1 == start => last.1 = end,
                    _ => befores.push((start, end, before)),
                }
            });
        befores
    }

    fn barrier(&self, it: &Transition, target: BarrierTarget, reasons: &mut Reasons) -> Barrier {
        let before = self.side(it, it.before, reasons);
        let after = self.side(it, it.after, reasons);
        let (mut sync_before, mut sync_after) = (before.0, after.0);
        match it.split {
            None => {}
            Some(LegacySplit::Begin) => sync_after = BarrierSync::SPLIT,
            Some(LegacySplit::End) => sync_before = BarrierSync::SPLIT,
        }
        if it.split.is_some() {
            reasons.say("the side of the other half is SPLIT");
        }
        let access = (before.1, after.1);
        barrier(target, (sync_before, sync_after), access, it.span)
    }

    /// Scopes and accesses of one side of a transition.
    pub(super) fn side(
        &self,
        it: &Transition,
        state: ResourceState,
        reasons: &mut Reasons,
    ) -> (BarrierSync, BarrierAccess) {
        let buffer = self.scenario.resource(it.resource).is_buffer();
        let meant = if buffer {
            state
        } else {
            state - states::ONLY_ON_BUFFERS
        };
        if meant != state {
            reasons.say("states that only buffers have mean nothing on a texture");
        }
        if meant.is_empty() {
            reasons.say("COMMON stands for every stage and every access: ALL, COMMON");
        }
        let sync = self.capable_sync(states::sync_of(meant, buffer));
        let mut access = self.capable_access(states::access(meant));
        let resource = self.scenario.resource(it.resource);
        if !buffer && resource.is_simultaneous() && !compat::SIMULTANEOUS_COMMON.contains(access) {
            // Spec: "COMMON Layout": the texture cannot leave it, and it does not allow these.
            reasons.say("the layout COMMON does not allow all of its accesses: the rest is named");
            access &= compat::SIMULTANEOUS_COMMON;
        }
        let on_queue = (
            on_queue_sync(it.queue, sync),
            on_queue_access(it.queue, access),
        );
        if on_queue.0 != sync {
            reasons.say(format!(
                "stages that a {} queue does not have are left out",
                it.queue.word()
            ));
        }
        on_queue
    }

    fn capable_sync(&self, sync: BarrierSync) -> BarrierSync {
        if self.scenario.device.has(Capability::Raytracing) {
            sync
        } else {
            sync - states::RAYTRACING_SYNC
        }
    }

    fn capable_access(&self, access: BarrierAccess) -> BarrierAccess {
        if self.scenario.device.has(Capability::Raytracing) {
            access
        } else {
            access
                - BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ
                - BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE
        }
    }

    /// Spec: "UAV Barriers".
    fn uav(
        &self,
        queue: QueueType,
        resource: Option<ResourceId>,
        span: Span,
        reasons: &mut Reasons,
    ) -> Barrier {
        // A legacy UAV barrier also covers clears: they write through an unordered access view.
        let scopes = BarrierSync::ALL_SHADING
            | BarrierSync::BUILD_RAYTRACING_ACCELERATION_STRUCTURE
            | BarrierSync::COPY_RAYTRACING_ACCELERATION_STRUCTURE
            | BarrierSync::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO
            | BarrierSync::CLEAR_UNORDERED_ACCESS_VIEW;
        let accesses = BarrierAccess::UNORDERED_ACCESS
            | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE
            | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ;
        reasons.say("a UAV barrier waits for every stage with unordered access, and flushes it");
        let (target, scopes, access) = match resource {
            None => {
                reasons.say("NULL stands for all memory: a global barrier");
                (BarrierTarget::Global, scopes, accesses)
            }
            Some(id) => self.uav_target(id, scopes, accesses, reasons),
        };
        let sync = on_queue_sync(queue, self.capable_sync(scopes));
        let access = on_queue_access(queue, self.capable_access(access));
        barrier(target, (sync, sync), (access, access), span)
    }

    fn uav_target(
        &self,
        id: ResourceId,
        scopes: BarrierSync,
        accesses: BarrierAccess,
        reasons: &mut Reasons,
    ) -> (BarrierTarget, BarrierSync, BarrierAccess) {
        let resource = self.scenario.resource(id);
        let possible = accesses & compat::resource_accesses(self.scenario.traits(id));
        let access = if possible.is_empty() {
            accesses
        } else {
            possible
        };
        let structure = BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE;
        let scopes = if access.intersects(structure) {
            scopes
        } else {
            // Spec: "Applications … can leave out the acceleration structure bits if they are not needed".
            reasons.say("it is no acceleration structure: only the unordered accesses are left");
            states::sync_of(ResourceState::UNORDERED_ACCESS, resource.is_buffer())
        };
        let actual = self.layouts.uniform(self.scenario, id, &Range::All);
        let layout = if resource.is_simultaneous() || actual == Some(Layout::UnorderedAccess) {
            Layout::UnorderedAccess
        } else {
            reasons.say("it is not in UNORDERED_ACCESS, and its layout stays as it is");
            Layout::Undefined
        };
        (whole(id, resource, layout, layout), scopes, access)
    }

    /// Spec: "Resource Aliasing"; "Aliasing Barriers Are Very Expensive": everything before finishes and is flushed.
    ///
    /// A resource is deactivated and activated by `NO_ACCESS`, its layout unchanged. Between two buffers, and where a side
    /// is NULL, all memory is made visible by a global barrier: buffers inherit data. NULL stands for every alias of the
    /// other side (reading R69). On both sides it stands for any: what is written after it was handed over, and nothing is
    /// deactivated.
    fn alias(
        &self,
        from: Option<ResourceId>,
        to: Option<ResourceId>,
        span: Span,
        out: &mut Vec<Barrier>,
        reasons: &mut Reasons,
    ) {
        let all = (BarrierSync::ALL, BarrierSync::ALL);
        let common = (BarrierAccess::COMMON, BarrierAccess::COMMON);
        let is_buffer = |id: ResourceId| self.scenario.resource(id).is_buffer();
        reasons.say("an aliasing barrier waits for everything and names no states: ALL, COMMON");
        let named = from.is_some() && to.is_some();
        if !named || from.is_some_and(is_buffer) && to.is_some_and(is_buffer) {
            reasons.say(if named {
                "buffers inherit what the memory holds: a global barrier shows it"
            } else {
                "NULL stands for every resource: a global barrier"
            });
            out.push(barrier(BarrierTarget::Global, all, common, span));
            if named {
                return;
            }
        }
        if from.is_none() && to.is_none() {
            return;
        }
        let memory = self.memory.get_or_init(|| MemoryMap::new(self.scenario));
        let others = |id: ResourceId| {
            let mut all = memory.aliases(id);
            all.retain(|other| !(is_buffer(id) && is_buffer(*other)));
            all
        };
        let (from, to) = match (from, to) {
            (Some(from), None) => (vec![from], others(from)),
            (None, Some(to)) => (others(to), vec![to]),
            (from, to) => (Vec::from_iter(from), Vec::from_iter(to)),
        };
        reasons
            .say("NO_ACCESS deactivates the old resource and activates the new one; layouts stay");
        let given = (BarrierAccess::COMMON, BarrierAccess::NO_ACCESS);
        let taken = (BarrierAccess::NO_ACCESS, BarrierAccess::COMMON);
        let sides = from.into_iter().map(|id| (id, given));
        for (id, access) in sides.chain(to.into_iter().map(|id| (id, taken))) {
            let resource = self.scenario.resource(id);
            let target = whole(id, resource, Layout::Undefined, Layout::Undefined);
            out.push(barrier(target, all, access, span));
        }
    }
}

/// Layouts that a promotable state can turn out to be.
fn is_promotable_layout(layout: Layout) -> bool {
    matches!(
        layout,
        Layout::Common
            | Layout::ShaderResource
            | Layout::CopySource
            | Layout::CopyDest
            | Layout::GenericRead
    )
}
