//! Legacy `ResourceBarrier` calls, rewritten as the enhanced barriers that the runtime makes of them.
//!
//! A pure rewrite: scenario in, scenario out, every entry with the place of the legacy entry it came from. Whether a
//! legacy entry is right is not decided here; a wrong one is translated as if it were right. (What runs is a copy in which a
//! wrong `StateBefore` that can be known is mended, reading R72: `validate::mended`, `doubt.rs`, `otherwise.rs`.)
//!
//! **Promotion.** A texture in `COMMON` that is used as a copy or shader resource is in that legacy state without any
//! barrier, and a later `StateBefore` names the promoted state while the layout is still `COMMON`. The runtime has
//! `LEGACY_*` layouts for that uncertainty and leaves it to the driver. Here nothing is uncertain: lists are followed
//! in the order of their first execution, so the layout at each entry is known, and the entry says `COMMON` where the
//! texture is in it and the promoted state's own layout where it is not. A list that is never executed starts from
//! the layouts that the resources were created with. One that is executed several times is translated for its first
//! execution. A later execution may find a texture transitioned where the first found it promoted, or the reverse: it then acts
//! otherwise than its list (`otherwise.rs`).
//!
//! [`translate`] says exactly what the states say, each list for its first execution. [`explain`] is what is printed: only
//! layouts of the public API, `SyncBefore` widened where enhanced barriers must follow each other without a gap, and a comment
//! on each entry. One text has to serve all executions of a list: a texture that they find differently keeps the layout
//! `COMMON` in all its copy and shader resource states.
//!
//! Spec: "Compatibility with legacy `D3D12_RESOURCE_STATES`".

pub(crate) mod doubt;
mod otherwise;
mod parts;
pub(crate) mod runs;
mod sequence;
pub mod states;
mod walk;
mod words;

pub(crate) use otherwise::{ActsOtherwise, Before};

use crate::api::Layout;
use crate::id::{ListId, Table};
use crate::scenario::{Capability, Command, CommandKind, Initial, Otherwise, Resource, Scenario};
use std::borrow::Cow;
use walk::{Style, Walk};

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
    if has_legacy(scenario) {
        Cow::Owned(rewrite(scenario, Style::Exact, &[]))
    } else {
        Cow::Borrowed(scenario)
    }
}

/// The same where calls act otherwise at some executions.
pub(crate) fn translate_otherwise(scenario: &Scenario, otherwise: &[ActsOtherwise]) -> Scenario {
    rewrite(scenario, Style::Exact, otherwise)
}

/// The same scenario without legacy barriers, to be printed: each entry says in a comment why it came out so.
///
/// Differs from [`translate`] in two places where that would be refused as a text of its own: a layout that only the
/// runtime may name becomes the public one that allows the same accesses, and a `SyncBefore` that leaves out stages of
/// the barrier before it is widened (reading R13). Widening adds order: a program without
/// hazards stays without, one with hazards may show others.
pub fn explain(scenario: &Scenario) -> Scenario {
    let mut translated = rewrite(scenario, Style::Printed, &[]);
    // A text with enhanced barriers needs a device that has them.
    let capabilities = &mut translated.device.capabilities;
    capabilities.retain(|(capability, ..)| *capability != Capability::EnhancedBarriers);
    translated
}

fn has_legacy(scenario: &Scenario) -> bool {
    let is_legacy = |command: &Command| matches!(command.kind, CommandKind::Legacy(_));
    scenario
        .resources
        .values()
        .any(|r| matches!(r.initial, Initial::State(_)))
        || scenario
            .lists
            .iter()
            .any(|list| list.commands.iter().any(is_legacy))
}

fn rewrite(scenario: &Scenario, style: Style, otherwise: &[ActsOtherwise]) -> Scenario {
    let mut base = scenario.clone();
    let mut flat = Table::filled(base.resources.len(), false);
    let (calls, otherwise) = loop {
        let mut walk = Walk::new(&base, style, &flat);
        if let Some(timeline) = &base.timeline {
            walk.statements(&timeline.statements);
        }
        if walk.conflicts().is_empty() {
            let ids = base.lists.ids();
            let mut apart = Walk::new(&base, style, &flat);
            let calls = ids.map(|list| walk.take(list).unwrap_or_else(|| apart.one_list(list)));
            let calls: Table<ListId, _> = calls.collect();
            let otherwise = otherwise.iter().filter_map(|it| {
                let command = walk.otherwise(it, &calls[it.list])?;
                Some(((it.list, it.command), command, it.nodes.clone()))
            });
            let otherwise = Otherwise::new(otherwise);
            break (calls, otherwise);
        }
        // Each turn makes at least one more texture flat, so this ends.
        for id in walk.conflicts().to_vec() {
            flat[id] = true;
            let resource = &mut base.resources[id];
            if matches!(resource.initial, Initial::State(state) if states::PROMOTABLE.contains(state))
            {
                resource.initial = Initial::Layout(Layout::Common);
            }
        }
    };
    for resource in base.resources.values_mut() {
        // From here on there are only layouts.
        if matches!(resource.initial, Initial::State(_)) && !resource.is_buffer() {
            resource.initial = Initial::Layout(style.public(initial_layout(resource)));
        }
    }
    base.otherwise = otherwise;
    for (list, calls) in base.lists.iter_mut().zip(calls) {
        for (at, barriers) in calls {
            let command = &mut list.commands[at];
            command.kind = CommandKind::Barrier(barriers.into());
            if style == Style::Printed {
                command.trivia = words::of_call(std::mem::take(&mut command.trivia));
            }
        }
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{BarrierAccess, BarrierSync};
    use crate::finding::Source;
    use crate::id::ResourceId;
    use crate::scenario::{self, Barrier, BarrierTarget};

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
            .flat_map(|command| command.kind.barriers().to_vec())
            .collect()
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
        assert_eq!(
            initial_layout(&scenario.resources[ResourceId(0)]),
            Layout::RenderTarget
        );
        let all = barriers(&scenario);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].sync_before, BarrierSync::RENDER_TARGET);
        assert_eq!(all[0].sync_after, BarrierSync::PIXEL_SHADING);
        assert_eq!(all[0].access_before, BarrierAccess::RENDER_TARGET);
        assert_eq!(all[0].access_after, BarrierAccess::SHADER_RESOURCE);
        assert_eq!(
            all[0].layouts(),
            Some((Layout::RenderTarget, Layout::ShaderResource))
        );
        let CommandKind::Legacy(entries) = &scenario.lists[ListId(0)].commands[0].kind else {
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
        // `second` comes first in the text: mip 0 was transitioned by `first`, mip 1 is still in COMMON.
        assert_eq!(
            all.iter().map(Barrier::layouts).collect::<Vec<_>>(),
            [
                Some((Layout::ShaderResource, Layout::RenderTarget)),
                Some((Layout::Common, Layout::RenderTarget)),
                Some((Layout::Common, Layout::ShaderResource)),
            ]
        );
    }

    /// What one list does is nothing to the next one: each may be the first that executes.
    #[test]
    fn lists_that_never_execute_start_alike() {
        let scenario = parse(
            "texture t : R8G8B8A8_UNORM 4x4 { flags RENDER_TARGET; state COMMON; mips 2 }
             texture u : R8G8B8A8_UNORM 4x4 { flags RENDER_TARGET; initial UNDEFINED }
             list a : direct {
               legacy { transition t[mip 1] COPY_DEST -> RENDER_TARGET }
               barrier { texture u { sync ALL -> ALL; layout UNDEFINED -> COMMON } }
             }
             list b : direct {
               legacy { transition t COPY_DEST -> RENDER_TARGET; transition u RENDER_TARGET -> COPY_DEST }
             }
             list c : direct { legacy { transition t COPY_DEST -> COPY_SOURCE } }\n",
        );
        let each = |name: &str| -> Vec<_> {
            let plain = translate(&scenario);
            let list = plain
                .lists
                .iter()
                .find(|list| list.name.as_deref() == Some(name));
            let commands = &list.expect("one of the lists").commands;
            commands
                .iter()
                .flat_map(|command| command.kind.barriers().iter().map(Barrier::layouts))
                .collect()
        };
        let to = |after| Some((Layout::Common, after));
        assert_eq!(each("a")[0], to(Layout::RenderTarget));
        assert_eq!(each("b")[0], to(Layout::RenderTarget));
        assert_eq!(each("c"), [to(Layout::CopySource)]);
    }

    /// In print: what runs knows each execution.
    #[test]
    fn executions_that_differ_share_the_layout_common() {
        let scenario = parse(
            "texture t : R8G8B8A8_UNORM 4x4 { flags RENDER_TARGET; state COMMON }
             queue q : direct
             list l : direct {
               legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET }
               legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }
             }
             timeline { repeat 3 { q execute l } }\n",
        );
        assert_eq!(
            barriers(&explain(&scenario))
                .iter()
                .map(Barrier::layouts)
                .collect::<Vec<_>>(),
            [
                Some((Layout::Common, Layout::RenderTarget)),
                Some((Layout::RenderTarget, Layout::Common)),
            ]
        );
        let first = [
            Some((Layout::Common, Layout::RenderTarget)),
            Some((Layout::RenderTarget, Layout::ShaderResource)),
        ];
        assert_eq!(
            barriers(&scenario)
                .iter()
                .map(Barrier::layouts)
                .collect::<Vec<_>>(),
            first
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
        assert_eq!(all[0].layouts(), all[1].layouts());
        assert_eq!(
            all[0].layouts(),
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
                // Any of the four may be active after `* -> *`.
                (true, common, common),
                // Two buffers.
                (true, common, common),
                // From each alias of `a`.
                (true, common, common),
                (false, common, none),
                (false, common, none),
                (false, common, none),
                (false, none, common),
            ]
        );
        assert_eq!(
            all[0].layouts(),
            Some((Layout::Undefined, Layout::Undefined))
        );
    }
}
