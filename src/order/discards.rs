//! What each executed `discard` does, and where: the scenario does not say it, because it depends on the layout at that
//! point of the timeline.
//!
//! A discard writes with the write access of the current layout, at the stage of that access. Where the layout allows
//! no such access, allows several (a simultaneous-access texture) or is mixed, the creation flags decide, among what the
//! queue can do. Everyone who asks where a discard runs asks here: needed and asked, the lowering, its costs.

use super::{LayoutTracker, SubmissionKind, Timeline};
use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, QueueType, ResourceFlags, compat};
use crate::id::NodeId;
use crate::scenario::{CommandKind, Resource, Use};

/// Which of the [`CANDIDATES`] each executed discard is, by its node, ascending: eight bytes a discard, however often a
/// list is repeated. Submissions that are never evaluated have none.
#[derive(Default, Debug)]
pub(super) struct Discards(Vec<(NodeId, u8)>);

impl Discards {
    fn of(&self, node: NodeId) -> Option<usize> {
        let at = self.0.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        Some(usize::from(self.0[at].1))
    }
}

/// Follows the layouts through the timeline, if it has any `discard` at all.
pub(super) fn resolve(timeline: &Timeline<'_>) -> Discards {
    let scenario = timeline.scenario;
    let mut discards = Discards::default();
    let mut commands = scenario.commands();
    if !commands.any(|command| matches!(command.kind, CommandKind::Discard)) {
        return discards;
    }
    let mut layouts = LayoutTracker::new(scenario, LayoutTracker::declared);
    for id in timeline.evaluation.iter() {
        let submission = timeline.submission(id);
        let Some(queue) = timeline.queue_type(submission) else {
            continue;
        };
        if submission.kind != SubmissionKind::Execute {
            continue;
        }
        for (node, _, command) in timeline.commands(id) {
            match &command.kind {
                CommandKind::Barrier(entries)
                | CommandKind::FenceBarrier {
                    barriers: entries, ..
                } => entries.iter().for_each(|e| layouts.apply(scenario, e)),
                CommandKind::Discard => {
                    for usage in &command.uses {
                        let layout = layouts.uniform(scenario, usage.resource, &usage.range);
                        let resource = scenario.resource(usage.resource);
                        discards.0.push((node, discard(resource, layout, queue)));
                    }
                }
                _ => {}
            }
        }
    }
    // Submissions are evaluated in the order of their fences, nodes numbered in that of the text.
    discards.0.sort_unstable_by_key(|(node, _)| *node);
    discards
}

impl Timeline<'_> {
    /// Access and stages of a use by the command of a node. For all but a `discard` they are the use's own.
    pub fn effect(&self, node: NodeId, usage: &Use) -> (BarrierAccess, LeafSet) {
        if !usage.access.is_no_access() {
            return (usage.access, usage.stages);
        }
        let candidate = self.discards.of(node).unwrap_or_else(|| {
            // Never evaluated: no layout is known.
            let queue = self.queue_type(self.submission(self.submission_of(node)));
            let resource = self.scenario.resource(usage.resource);
            usize::from(discard(resource, None, queue.unwrap_or(QueueType::Direct)))
        });
        let (_, access, leaf) = CANDIDATES[candidate];
        (access, LeafSet::one(leaf))
    }
}

/// What a discard may do, by the creation flag that allows it.
const CANDIDATES: [(ResourceFlags, BarrierAccess, Leaf); 4] = [
    (
        ResourceFlags::RENDER_TARGET,
        BarrierAccess::RENDER_TARGET,
        Leaf::RenderTarget,
    ),
    (
        ResourceFlags::DEPTH_STENCIL,
        BarrierAccess::DEPTH_STENCIL_WRITE,
        Leaf::DepthStencil,
    ),
    (
        ResourceFlags::UNORDERED_ACCESS,
        BarrierAccess::UNORDERED_ACCESS,
        Leaf::ComputeShading,
    ),
    (ResourceFlags::empty(), BarrierAccess::COPY_DEST, Leaf::Copy),
];

/// The candidate that needs no flag: the only write that a resource created with none allows.
const WITHOUT_FLAG: u8 = 3;

/// The write accesses of which a discard on such a queue is one, depending on the layout.
pub fn discard_accesses(
    resource: &Resource,
    queue: QueueType,
) -> impl Iterator<Item = BarrierAccess> {
    discards_of(resource, queue).map(|(access, _)| access)
}

/// The same, each with the stage at which it writes.
pub fn discards_of(
    resource: &Resource,
    queue: QueueType,
) -> impl Iterator<Item = (BarrierAccess, Leaf)> {
    let on_queue = compat::queue_accesses(queue);
    let created = created(resource.flags);
    let on_queue = created.filter(move |(_, access)| on_queue.contains(*access));
    on_queue.map(|(candidate, access)| (access, CANDIDATES[usize::from(candidate)].2))
}

/// The [`CANDIDATES`] that the creation flags allow, with their writes.
fn created(flags: ResourceFlags) -> impl Iterator<Item = (u8, BarrierAccess)> {
    (0..)
        .zip(CANDIDATES)
        .take(usize::from(WITHOUT_FLAG))
        .filter(move |(_, (flag, ..))| flags.contains(*flag))
        .map(|(candidate, (_, access, _))| (candidate, access))
}

/// Which of the [`CANDIDATES`] a discard in a layout is; `None` is a buffer's, a mixed or an unknown one.
fn discard(resource: &Resource, layout: Option<Layout>, queue: QueueType) -> u8 {
    let in_layout = layout.map_or(BarrierAccess::EVERY, |layout| {
        compat::texture_accesses(layout, resource.flags)
    });
    let on_queue = compat::queue_accesses(queue);
    let created = || created(resource.flags);
    let first = |allowed: BarrierAccess| created().find(|(_, access)| allowed.contains(*access));
    let found = first(in_layout & on_queue)
        .or_else(|| first(in_layout))
        .or_else(|| first(on_queue))
        .or_else(|| created().next());
    found.map_or(WITHOUT_FLAG, |(candidate, _)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;
    use crate::scenario;

    /// The accesses of the discards of a scene, in order.
    fn accesses(text: &str) -> Vec<String> {
        let (parsed, findings) = scenario::parse(&Source::new("discards.scn", text));
        assert!(findings.is_empty(), "{findings:?}");
        let timeline = Timeline::new(&parsed);
        let effects = timeline.discards.0.iter();
        let accesses = effects.map(|(_, candidate)| CANDIDATES[usize::from(*candidate)].1);
        accesses.map(|access| access.to_string()).collect()
    }

    const DECLARED: &str = "queue q : direct\nqueue c : compute\n\
        texture t : R8G8B8A8_UNORM 8x8 { mips 2; flags RENDER_TARGET|UNORDERED_ACCESS; initial RENDER_TARGET }\n\
        texture s : R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET|UNORDERED_ACCESS|SIMULTANEOUS_ACCESS }\n\
        texture d : D32_FLOAT 8x8 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }\n\
        buffer b : 4KiB { flags UNORDERED_ACCESS }\n";

    #[test]
    fn the_current_layout_decides() {
        let text = format!(
            "{DECLARED}timeline {{ q execute {{\n  discard t\n  \
             barrier {{ texture t {{ sync ALL -> ALL; access RENDER_TARGET -> UNORDERED_ACCESS; \
             layout RENDER_TARGET -> UNORDERED_ACCESS }} }}\n  discard t\n  discard d\n  discard b\n}} }}\n"
        );
        let expected = [
            "RENDER_TARGET",
            "UNORDERED_ACCESS",
            "DEPTH_STENCIL_WRITE",
            "UNORDERED_ACCESS",
        ];
        assert_eq!(accesses(&text), expected);
    }

    #[test]
    fn creation_flags_decide_where_the_layout_does_not() {
        let text = format!(
            "{DECLARED}timeline {{ q execute {{\n  \
             barrier {{ texture t[mip 0] {{ sync ALL -> ALL; access RENDER_TARGET -> UNORDERED_ACCESS; \
             layout RENDER_TARGET -> UNORDERED_ACCESS }} }}\n  discard t\n  discard t[mip 0]\n  discard s\n}}\n\
             c execute {{ discard s }} }}\n"
        );
        let expected = [
            // Two layouts.
            "RENDER_TARGET",
            "UNORDERED_ACCESS",
            // COMMON with simultaneous access allows everything.
            "RENDER_TARGET",
            // A compute queue renders nothing.
            "UNORDERED_ACCESS",
        ];
        assert_eq!(accesses(&text), expected);
    }
}
