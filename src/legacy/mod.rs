//! Legacy `ResourceBarrier` calls, rewritten as the enhanced barriers that the runtime makes of them.
//!
//! A pure rewrite: scenario in, scenario out, every entry with the place of the legacy entry it came from. Whether a
//! legacy entry is right is not decided here; a wrong one is translated as if it were right.
//!
//! **Promotion.** A texture in `COMMON` that is used as a copy or shader resource is in that legacy state without any
//! barrier, and a later `StateBefore` names the promoted state while the layout is still `COMMON`. The runtime has
//! `LEGACY_*` layouts for that uncertainty and leaves it to the driver. Here nothing is uncertain: lists are followed
//! in the order of their first execution, so the layout at each entry is known, and the entry says `COMMON` where the
//! texture is in it and the promoted state's own layout where it is not. A list that is never executed starts from
//! the layouts that the resources were created with; one that is executed several times is translated for its first
//! execution.
//!
//! Spec: "Compatibility with legacy D3D12_RESOURCE_STATES".

pub mod states;

use crate::api::{
    BarrierAccess, BarrierSync, Layout, QueueType, ResourceFlags, ResourceState, compat,
};
use crate::finding::Span;
use crate::id::{ListId, ResourceId};
use crate::order::LayoutTracker;
use crate::scenario::geometry;
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, Command, CommandKind, Initial, LegacyBarrier, LegacyKind,
    LegacySplit, Range, Resource, Scenario, Statement, StatementKind, Trivia,
};
use std::borrow::Cow;

/// The layout that a resource starts in. Buffers have none: `UNDEFINED`. Spec: "Initial Resource State".
pub fn initial_layout(resource: &Resource) -> Layout {
    match resource.initial {
        _ if resource.is_buffer() => Layout::Undefined,
        // Spec: "Interop with legacy ResourceBarrier": immutably in COMMON.
        Initial::State(_) if resource.is_simultaneous() => Layout::Common,
        Initial::State(state) => states::layout(state),
        Initial::Layout(layout) => layout,
        Initial::Default => Layout::Common,
    }
}

/// The same scenario without legacy barriers. One that has none is returned as it is.
pub fn translate(scenario: &Scenario) -> Cow<'_, Scenario> {
    let is_legacy = |command: &Command| matches!(command.kind, CommandKind::Legacy(_));
    let has_state = scenario
        .resources
        .values()
        .any(|r| matches!(r.initial, Initial::State(_)));
    if !has_state
        && !scenario
            .lists
            .iter()
            .any(|list| list.commands.iter().any(is_legacy))
    {
        return Cow::Borrowed(scenario);
    }
    let mut walk = Walk {
        scenario,
        layouts: LayoutTracker::new(scenario, initial_layout),
        lists: vec![None; scenario.lists.len()],
    };
    if let Some(timeline) = &scenario.timeline {
        walk.statements(&timeline.statements);
    }
    let mut translated = scenario.clone();
    for resource in translated.resources.values_mut() {
        // From here on there are layouts alone.
        if matches!(resource.initial, Initial::State(_)) && !resource.is_buffer() {
            resource.initial = Initial::Layout(initial_layout(resource));
        }
    }
    for (index, list) in translated.lists.iter_mut().enumerate() {
        let commands = walk.lists[index].take().unwrap_or_else(|| {
            walk.layouts = LayoutTracker::new(scenario, initial_layout);
            walk.commands(ListId::new(index))
        });
        for (at, barriers) in commands {
            list.commands[at].kind = CommandKind::Barrier(barriers);
        }
    }
    Cow::Owned(translated)
}

/// What became of a list's legacy calls: the index of each command and its entries.
type Calls = Vec<(usize, Vec<Barrier>)>;

/// Lists in the order of their first execution, and the layouts at that point.
struct Walk<'s> {
    scenario: &'s Scenario,
    layouts: LayoutTracker,
    lists: Vec<Option<Calls>>,
}

impl<'s> Walk<'s> {
    fn statements(&mut self, statements: &'s [Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Execute { lists, .. } => {
                    for list in lists {
                        self.execute(*list);
                    }
                }
                // Once is enough: a list is translated for its first execution.
                StatementKind::Repeat { body, .. } => self.statements(body),
                StatementKind::Signal { .. }
                | StatementKind::Wait { .. }
                | StatementKind::CpuWrite { .. }
                | StatementKind::CpuRead { .. }
                | StatementKind::CpuWork(_)
                | StatementKind::Present { .. }
                | StatementKind::Reset(_) => {}
            }
        }
    }

    fn execute(&mut self, list: ListId) {
        match self.lists[list.index()].take() {
            None => {
                let calls = self.commands(list);
                self.lists[list.index()] = Some(calls);
            }
            Some(calls) => {
                self.replay(list, &calls);
                self.lists[list.index()] = Some(calls);
            }
        }
    }

    /// A further execution: only what it does to the layouts.
    fn replay(&mut self, list: ListId, calls: &Calls) {
        let mut translated = calls.iter().peekable();
        for (at, command) in self.scenario.lists[list.index()]
            .commands
            .iter()
            .enumerate()
        {
            if let Some((_, barriers)) = translated.next_if(|(index, _)| *index == at) {
                self.apply(barriers);
            } else {
                self.apply(enhanced(command));
            }
        }
    }

    fn apply(&mut self, barriers: &[Barrier]) {
        for barrier in barriers {
            self.layouts.apply(self.scenario, barrier);
        }
    }

    fn commands(&mut self, list: ListId) -> Calls {
        let scenario = self.scenario;
        let list = &scenario.lists[list.index()];
        let mut calls = Vec::new();
        for (at, command) in list.commands.iter().enumerate() {
            if let CommandKind::Legacy(entries) = &command.kind {
                let mut barriers = Vec::with_capacity(entries.len());
                for entry in entries {
                    self.entry(list.queue_type, entry, &mut barriers);
                }
                calls.push((at, barriers));
            } else {
                self.apply(enhanced(command));
            }
        }
        calls
    }

    fn entry(&mut self, queue: QueueType, entry: &LegacyBarrier, out: &mut Vec<Barrier>) {
        match &entry.kind {
            LegacyKind::Transition {
                resource,
                range,
                before,
                after,
                split,
            } => {
                let transition = Transition {
                    queue,
                    resource: *resource,
                    before: *before,
                    after: *after,
                    split: *split,
                    span: entry.span,
                };
                self.transition(&transition, range, out);
            }
            LegacyKind::Uav(resource) => out.push(self.uav(queue, *resource, entry.span)),
            LegacyKind::Alias(from, to) => self.alias(*from, *to, entry.span, out),
        }
    }

    fn transition(&mut self, it: &Transition, range: &Range, out: &mut Vec<Barrier>) {
        let resource = self.scenario.resource(it.resource);
        let first = out.len();
        match resource.texture() {
            None => out.push(it.barrier(BarrierTarget::Buffer {
                resource: Some(it.resource),
                offset: None,
                size: None,
            })),
            // Spec: "Interop with legacy ResourceBarrier": such a texture never leaves COMMON.
            Some(_) if resource.is_simultaneous() => {
                let target = texture(it.resource, range.clone(), Layout::Common, Layout::Common);
                out.push(it.barrier(target));
            }
            Some(shape) => {
                let after = states::layout(it.after);
                // Whether the range's subresources differ in what StateBefore turns out to be.
                let mut befores: Vec<(u32, u32, Layout)> = Vec::new();
                if let Ok(sub) = geometry::subresource_box(shape, range) {
                    self.layouts.for_each(
                        self.scenario,
                        it.resource,
                        &sub,
                        |start, end, actual| {
                            let before = it.layout_before(actual);
                            match befores.last_mut() {
                                Some(last) if last.2 == before => last.1 = end,
                                _ => befores.push((start, end, before)),
                            }
                        },
                    );
                }
                let uniform = befores.iter().all(|run| run.2 == befores[0].2);
                if uniform {
                    let before = befores
                        .first()
                        .map_or_else(|| states::layout(it.before), |run| run.2);
                    out.push(it.barrier(texture(it.resource, range.clone(), before, after)));
                } else {
                    for (start, end, before) in befores {
                        for index in start..end {
                            let range = Range::Subresource(index);
                            out.push(it.barrier(texture(it.resource, range, before, after)));
                        }
                    }
                }
            }
        }
        // Both halves of a split transition must say the same, so the layout changes with the second.
        if it.split != Some(LegacySplit::Begin) {
            let scenario = self.scenario;
            for barrier in &out[first..] {
                self.layouts.apply(scenario, barrier);
            }
        }
    }

    /// Spec: "UAV Barriers".
    fn uav(&self, queue: QueueType, resource: Option<ResourceId>, span: Span) -> Barrier {
        let scopes = BarrierSync::ALL_SHADING
            | BarrierSync::BUILD_RAYTRACING_ACCELERATION_STRUCTURE
            | BarrierSync::COPY_RAYTRACING_ACCELERATION_STRUCTURE
            | BarrierSync::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO
            // A legacy UAV barrier also covers clears: they write through an unordered access view.
            | BarrierSync::CLEAR_UNORDERED_ACCESS_VIEW;
        let accesses = BarrierAccess::UNORDERED_ACCESS
            | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE
            | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ;
        let (target, access) = match resource {
            None => (BarrierTarget::Global, accesses),
            Some(id) => {
                let possible = accesses & compat::resource_accesses(self.scenario.traits(id));
                let access = if possible.is_empty() {
                    accesses
                } else {
                    possible
                };
                let resource = self.scenario.resource(id);
                let layout = if resource.is_simultaneous() {
                    Layout::Common
                } else {
                    Layout::UnorderedAccess
                };
                (whole(id, resource, layout, layout), access)
            }
        };
        let sync = on_queue_sync(queue, scopes);
        let access = on_queue_access(queue, access);
        barrier(target, (sync, sync), (access, access), span)
    }

    /// Spec: "Resource Aliasing"; "Aliasing Barriers Are Very Expensive": everything before finishes and is flushed.
    ///
    /// A named resource is deactivated and activated by `NO_ACCESS`, its layout left alone. Between two buffers, and
    /// where a side is NULL, all memory is made visible by a global barrier: buffers inherit data, and NULL stands
    /// for every resource.
    fn alias(
        &self,
        from: Option<ResourceId>,
        to: Option<ResourceId>,
        span: Span,
        out: &mut Vec<Barrier>,
    ) {
        let all = (BarrierSync::ALL, BarrierSync::ALL);
        let common = (BarrierAccess::COMMON, BarrierAccess::COMMON);
        let is_buffer = |id: ResourceId| self.scenario.resource(id).is_buffer();
        if from.is_none()
            || to.is_none()
            || from.is_some_and(is_buffer) && to.is_some_and(is_buffer)
        {
            out.push(barrier(BarrierTarget::Global, all, common, span));
            if from.is_none() == to.is_none() {
                return;
            }
        }
        let sides = [
            (from, (BarrierAccess::COMMON, BarrierAccess::NO_ACCESS)),
            (to, (BarrierAccess::NO_ACCESS, BarrierAccess::COMMON)),
        ];
        for (id, access) in sides {
            if let Some(id) = id {
                let resource = self.scenario.resource(id);
                let target = whole(id, resource, Layout::Undefined, Layout::Undefined);
                out.push(barrier(target, all, access, span));
            }
        }
    }
}

/// Entries of a call that is already enhanced.
fn enhanced(command: &Command) -> &[Barrier] {
    match &command.kind {
        CommandKind::Barrier(barriers) | CommandKind::FenceBarrier { barriers, .. } => barriers,
        _ => &[],
    }
}

/// One legacy transition.
struct Transition {
    queue: QueueType,
    resource: ResourceId,
    before: ResourceState,
    after: ResourceState,
    split: Option<LegacySplit>,
    span: Span,
}

impl Transition {
    /// The layout that `StateBefore` stands for where the texture really has the layout `actual`.
    fn layout_before(&self, actual: Layout) -> Layout {
        // Spec: "Legacy layouts": a promoted texture is still in COMMON.
        if actual == Layout::Common && states::PROMOTABLE.contains(self.before) {
            Layout::Common
        } else {
            states::layout(self.before)
        }
    }

    fn barrier(&self, target: BarrierTarget) -> Barrier {
        let mut sync_before = on_queue_sync(self.queue, states::sync(self.before));
        let mut sync_after = on_queue_sync(self.queue, states::sync(self.after));
        match self.split {
            None => {}
            Some(LegacySplit::Begin) => sync_after = BarrierSync::SPLIT,
            Some(LegacySplit::End) => sync_before = BarrierSync::SPLIT,
        }
        let access = (
            on_queue_access(self.queue, states::access(self.before)),
            on_queue_access(self.queue, states::access(self.after)),
        );
        barrier(target, (sync_before, sync_after), access, self.span)
    }
}

/// The scopes that the queue has. If it has none of them the state is not the queue's to name, which a rule reports;
/// everything is then meant.
fn on_queue_sync(queue: QueueType, sync: BarrierSync) -> BarrierSync {
    let kept = sync & compat::queue_syncs(queue);
    if kept.is_empty() {
        BarrierSync::ALL
    } else {
        kept
    }
}

/// The accesses that the queue has; all of them if it has none, because no bit would mean `COMMON`.
fn on_queue_access(queue: QueueType, access: BarrierAccess) -> BarrierAccess {
    let kept = access & compat::queue_accesses(queue);
    if kept.is_empty() { access } else { kept }
}

fn barrier(
    target: BarrierTarget,
    sync: (BarrierSync, BarrierSync),
    access: (BarrierAccess, BarrierAccess),
    span: Span,
) -> Barrier {
    Barrier {
        target,
        sync_before: sync.0,
        sync_after: sync.1,
        access_before: access.0,
        access_after: access.1,
        span,
        trivia: Trivia::default(),
    }
}

fn texture(resource: ResourceId, range: Range, before: Layout, after: Layout) -> BarrierTarget {
    BarrierTarget::Texture {
        resource: Some(resource),
        range: BarrierRange::Range(range),
        layout_before: before,
        layout_after: after,
        discard: false,
    }
}

/// All of a texture with these layouts, or a buffer.
fn whole(id: ResourceId, resource: &Resource, before: Layout, after: Layout) -> BarrierTarget {
    if resource.is_buffer() {
        BarrierTarget::Buffer {
            resource: Some(id),
            offset: None,
            size: None,
        }
    } else if resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS) {
        texture(id, Range::All, Layout::Common, Layout::Common)
    } else {
        texture(id, Range::All, before, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;
    use crate::scenario;

    fn parse(text: &str) -> Scenario {
        let (scenario, findings) = scenario::parse(&Source::new("test", text));
        assert!(findings.is_empty(), "{findings:?}");
        scenario
    }

    fn barriers(scenario: &Scenario) -> Vec<Barrier> {
        let plain = translate(scenario);
        plain
            .lists
            .iter()
            .flat_map(|list| &list.commands)
            .flat_map(|command| enhanced(command).to_vec())
            .collect()
    }

    fn layouts(barrier: &Barrier) -> Option<(Layout, Layout)> {
        match &barrier.target {
            BarrierTarget::Texture {
                layout_before,
                layout_after,
                ..
            } => Some((*layout_before, *layout_after)),
            _ => None,
        }
    }

    #[test]
    fn without_legacy_barriers_nothing_is_copied() {
        let scenario =
            parse("queue q : direct\nlist l : direct { barrier { global { sync ALL -> ALL } } }\n");
        assert!(matches!(translate(&scenario), Cow::Borrowed(_)));
    }

    #[test]
    fn a_transition_is_three_pairs() {
        let scenario = parse(
            "texture t : R8G8B8A8_UNORM 4x4 { flags RENDER_TARGET; state RENDER_TARGET }
             list l : direct { legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE } }\n",
        );
        assert_eq!(initial_layout(&scenario.resources[0]), Layout::RenderTarget);
        let all = barriers(&scenario);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].sync_before, BarrierSync::RENDER_TARGET);
        assert_eq!(all[0].sync_after, BarrierSync::PIXEL_SHADING);
        assert_eq!(all[0].access_before, BarrierAccess::RENDER_TARGET);
        assert_eq!(all[0].access_after, BarrierAccess::SHADER_RESOURCE);
        assert_eq!(
            layouts(&all[0]),
            Some((Layout::RenderTarget, Layout::ShaderResource))
        );
        let CommandKind::Legacy(entries) = &scenario.lists[0].commands[0].kind else {
            panic!("the scenario itself stays as it was");
        };
        assert_eq!(all[0].span, entries[0].span);
    }

    #[test]
    fn promotion_follows_the_layout_across_lists() {
        let scenario = parse(
            "texture t : R8G8B8A8_UNORM 4x4 { flags RENDER_TARGET; state COMMON; mips 2 }
             queue q : direct
             list second : direct { legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET } }
             list first : direct { legacy { transition t[mip 0] COPY_DEST -> PIXEL_SHADER_RESOURCE } }
             timeline { q execute first, second }\n",
        );
        let all = barriers(&scenario);
        // `second` stands first in the text: mip 0 was transitioned by `first`, mip 1 is still in COMMON.
        assert_eq!(
            all.iter().map(layouts).collect::<Vec<_>>(),
            [
                Some((Layout::ShaderResource, Layout::RenderTarget)),
                Some((Layout::Common, Layout::RenderTarget)),
                Some((Layout::Common, Layout::ShaderResource)),
            ]
        );
    }

    #[test]
    fn split_halves_agree() {
        let scenario = parse(
            "texture t : R8G8B8A8_UNORM 4x4 { state COMMON }
             list l : direct {
               legacy { transition t COPY_DEST -> PIXEL_SHADER_RESOURCE begin }
               legacy { transition t COPY_DEST -> PIXEL_SHADER_RESOURCE end }
             }\n",
        );
        let all = barriers(&scenario);
        assert_eq!(all[0].sync_after, BarrierSync::SPLIT);
        assert_eq!(all[1].sync_before, BarrierSync::SPLIT);
        assert_eq!(all[0].sync_before, BarrierSync::COPY);
        assert_eq!(all[1].sync_after, BarrierSync::PIXEL_SHADING);
        assert_eq!(layouts(&all[0]), layouts(&all[1]));
        assert_eq!(
            layouts(&all[0]),
            Some((Layout::Common, Layout::ShaderResource))
        );
    }

    #[test]
    fn a_compute_list_names_only_what_its_queue_has() {
        let scenario = parse(
            "buffer b : 4KiB { flags UNORDERED_ACCESS }
             list l : compute { legacy { transition b UNORDERED_ACCESS -> PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE; uav b; uav * } }\n",
        );
        let all = barriers(&scenario);
        assert!(!all[0].sync_after.contains(BarrierSync::PIXEL_SHADING));
        assert!(all[0].sync_after.contains(BarrierSync::NON_PIXEL_SHADING));
        assert!(matches!(all[0].target, BarrierTarget::Buffer { .. }));
        assert_eq!(all[1].access_before, BarrierAccess::UNORDERED_ACCESS);
        assert_eq!(all[2].target, BarrierTarget::Global);
        assert!(all[2].access_after.contains(
            BarrierAccess::UNORDERED_ACCESS | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ
        ));
    }

    #[test]
    fn aliases_hand_memory_over() {
        let scenario = parse(
            "heap h : 64MiB
             texture a : R8G8B8A8_UNORM 4x4 { heap h at 0 }
             texture b : R8G8B8A8_UNORM 4x4 { heap h at 0 }
             buffer c : 4KiB { heap h at 0 }
             buffer d : 4KiB { heap h at 0 }
             list l : direct { legacy { alias a -> b; alias * -> *; alias c -> d; alias * -> a } }\n",
        );
        let all = barriers(&scenario);
        let shape: Vec<_> = all
            .iter()
            .map(|b| {
                (
                    b.target == BarrierTarget::Global,
                    b.access_before,
                    b.access_after,
                )
            })
            .collect();
        let (none, common) = (BarrierAccess::NO_ACCESS, BarrierAccess::COMMON);
        assert_eq!(
            shape,
            [
                (false, common, none),
                (false, none, common),
                (true, common, common),
                (true, common, common),
                (true, common, common),
                (false, none, common),
            ]
        );
        assert_eq!(
            layouts(&all[0]),
            Some((Layout::Undefined, Layout::Undefined))
        );
    }
}
